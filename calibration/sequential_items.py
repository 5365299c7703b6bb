"""How many items does a monitor need, beside a plan of fixed size and beside looking every 50 items?

    make study STUDY=sequential_items        # python -m calibration.sequential_items

Two systems of 0/1 scores that differ on 10 % of the items, by 0 to 8 points, without a margin and with one of
1 or 2 points; a monitor of items like these, looked at every 10 items until it decides, at most 10,000.
Writes results/sequential_items.csv and the table of the guide on monitors. Seeded; some minutes on one core.
"""

from __future__ import annotations

import csv
import itertools
import sys
import zlib
from typing import Any

import numpy as np
from scipy.stats import norm
from tools import pages

from bestby import sample_size
from bestby._core.text import counted
from bestby.errors import DesignError
from bestby.planning import PairedProportions
from bestby.planning.base import Design
from calibration import ROOT
from calibration.populations import Floats
from calibration.sequences import decided, settings
from calibration.subjects.sequential import answers

RAW = ROOT / "calibration" / "results" / "sequential_items.csv"
PAGE = ROOT / "docs" / "guides" / "monitor.md"
POINTS = (0, 1, 2, 4, 8)
MARGINS = (None, 1, 2)
DIFFER, MOST, EVERY, SEQUENCES = 0.1, 10_000, 10, 1000
PEEK = 50
COLUMNS = (
    "difference", "margin", "sequences", "median", "mean", "right", "wrong", "open", "plan", "peeking_median",
    "peeking_wrong",
)  # fmt: skip


def truth(points: int, margin: int | None) -> set[str]:
    """Return the decisions that are true."""
    if margin is None:
        return {"better"} if points else set()
    return {"better"} if points > margin else {"equivalent"} if points < margin else set()


def peeking(differences: Floats, margin: float | None) -> list[tuple[str | None, int]]:
    """Return what ordinary intervals decide first that are looked at every 50 items, and when."""
    n = np.arange(PEEK, len(differences) + 1, PEEK)[:, None]
    mean = np.cumsum(differences, axis=0)[PEEK - 1 :: PEEK] / n
    square = np.cumsum(differences**2, axis=0)[PEEK - 1 :: PEEK] / n
    error = np.sqrt(np.maximum(square - mean**2, 1e-12) / (n - 1))
    side, width, one_sided = margin or 0.0, norm.ppf(0.975) * error, norm.ppf(0.95) * error
    said = {"better": mean - width > side, "worse": mean + width < -side}
    if margin is not None:
        said["equivalent"] = np.abs(mean) + one_sided < side
    found: list[tuple[str | None, int]] = []
    for i in range(differences.shape[1]):
        first = {name: int(np.argmax(made[:, i])) for name, made in said.items() if made[:, i].any()}
        name = min(first, key=first.__getitem__, default=None)
        found.append((name, MOST if name is None else PEEK * (first[name] + 1)))
    return found


def planned(points: int, margin: int | None) -> str:
    """Return how many items a plan of fixed size needs for a power of .8, nothing where nothing can be shown.

    It decides by McNemar's test, or with a margin by t-tests.
    """
    answers = PairedProportions(0.75 + points / 100, 0.75, 1.0 - DIFFER)
    design: Design = answers if margin is None else answers.with_margin(margin / 100)
    try:
        return str(sample_size(design).n)
    except DesignError:
        return ""


def row(points: int, margin: int | None) -> dict[str, Any]:
    """Return the line of a true difference and a margin, both in points."""
    rng = np.random.default_rng(zlib.crc32(f"sequential items {points} {margin}".encode()))
    differences = answers(rng, (MOST, SEQUENCES), DIFFER, points / 100)
    side = None if margin is None else margin / 100
    right = truth(points, margin)
    made, peeks = decided(differences, settings(margin=side), EVERY), peeking(differences, side)
    wrong = [[name not in right for name, _ in one if name is not None] for one in (made, peeks)]
    stops = [np.array([n for _, n in one]) for one in (made, peeks)]
    return {
        "difference": points,
        "margin": "" if margin is None else margin,
        "sequences": SEQUENCES,
        "median": f"{np.median(stops[0]):.0f}",
        "mean": f"{stops[0].mean():.0f}",
        "right": f"{sum(name in right for name, _ in made) / SEQUENCES:.3f}",
        "wrong": f"{sum(wrong[0]) / SEQUENCES:.3f}",
        "open": f"{sum(name is None for name, _ in made) / SEQUENCES:.3f}",
        "plan": planned(points, margin),
        "peeking_median": f"{np.median(stops[1]):.0f}",
        "peeking_wrong": f"{sum(wrong[1]) / SEQUENCES:.3f}",
    }


def table(rows: list[dict[str, Any]]) -> str:
    """Return the lines as Markdown; a median at the most items is one that was not reached."""
    lines = [
        "| difference | margin | items: median | mean | right | wrong | fixed plan | peeking: n | wrong |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for one in rows:
        right = "–" if not truth(int(one["difference"]), _whole(one["margin"])) else _percent(one["right"])
        cells = (
            counted(int(one["difference"]), "point"),
            counted(int(one["margin"]), "point") if one["margin"] != "" else "–",
            _items(one["median"]),
            f"{int(one['mean']):,}",
            right,
            _percent(one["wrong"]),
            f"{int(one['plan']):,}" if one["plan"] else "–",
            _items(one["peeking_median"]),
            _percent(one["peeking_wrong"]),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _whole(text: Any) -> int | None:
    return None if text == "" else int(text)


def _items(text: Any) -> str:
    return f"{int(text):,}" if int(text) < MOST else f"≥ {MOST:,}"


def _percent(share: Any) -> str:
    return f"{100 * float(share):.0f} %"


def read() -> list[dict[str, Any]]:
    """Return the lines as they are stored."""
    with RAW.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    with RAW.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for margin, points in itertools.product(MARGINS, POINTS):
            writer.writerow(row(points, margin))
            print(f"{points} points, margin {margin}", file=sys.stderr)
    pages.write(PAGE, "sequential-items", table(read()))


if __name__ == "__main__":
    main()
