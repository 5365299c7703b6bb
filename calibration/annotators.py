"""Does the interval hold what it says where the gold is the labels of a few annotators?

    python -m calibration.annotators [--datasets 1000] [--docs]

Draws data sets of 200 items over three classes. Each item has a distribution of its own, which A annotators
draw their labels from; the systems predict distributions. The truth is the expected score against the gold of
A annotators, of other items and other annotators. Counts how often the interval of a score and that of a
difference hold it, with the annotators as they are and resampled, and how long they are. Seeded; two to three
minutes on one core. Writes results/annotators.csv; --docs writes the table into the page on soft labels.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

if __name__ == "__main__":
    for _library in ("OPENBLAS", "MKL", "OMP"):
        os.environ.setdefault(f"{_library}_NUM_THREADS", "1")


import numpy as np
from tools import pages

from bestby import Annotations, Evaluation
from bestby._core.typing import FloatArray
from bestby.engine import interval_methods, prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.engine.interval_choice import choose_interval
from bestby.metrics import resolve
from calibration import ROOT, files

MEASURES = ("soft_accuracy", "brier", "soft_f1_macro", "accuracy")
RATERS = (2, 5, 10)
ITEMS, CLASSES, LEVEL, RESAMPLES = 200, 3, 0.95, 399
MIXED = {"a": 0.35, "b": 0.5}
"""How much of a system's distribution is its own invention."""

TARGETS = {"score": (0, None), "difference": (0, 1)}
COLUMNS = ("measure", "raters", "annotators", "target", "datasets", "covered", "length")
OUT = ROOT / "calibration" / "results" / "annotators.csv"
PAGE = ROOT / "docs" / "guides" / "soft-labels.md"


def draw(rng: np.random.Generator, n: int, raters: int) -> tuple[dict[str, FloatArray], FloatArray]:
    """Return the distributions of the systems, and how many annotators gave each label, shape (n, K)."""
    divided = rng.dirichlet(np.full(CLASSES, 0.7), n)
    systems = {
        name: (1.0 - own) * divided + own * rng.dirichlet(np.full(CLASSES, 0.7), n)
        for name, own in MIXED.items()
    }
    return systems, rng.multinomial(raters, divided).astype(np.float64)


def annotations(counts: FloatArray) -> Annotations:
    """Return the counts as an annotated gold."""
    return Annotations(counts.astype(np.int64), np.arange(CLASSES))


def truths(raters: int, measures: Sequence[str] = MEASURES, items: int = 400_000) -> dict[str, FloatArray]:
    """Return the expected scores of both systems, from very many items."""
    systems, counts = draw(np.random.default_rng(77), items, raters)
    evaluation = Evaluation.of(systems, annotations(counts))
    groups = prepare.groups(evaluation, [resolve(name) for name in measures])
    return {name: group.scores for name, group in zip(measures, groups, strict=True)}


@dataclass(frozen=True)
class Count:
    """How many intervals hold the truth, and how long they are on average."""

    covered: int
    length: float


def counted(
    raters: int, datasets: int, seed: int, measures: Sequence[str] = MEASURES, n: int = ITEMS
) -> dict[tuple[str, str, str], Count]:
    """Return the counts by metric, treatment of the annotators, and target."""
    truth = truths(raters, measures)
    held: dict[tuple[str, str, str], list[tuple[bool, float]]] = {}
    for number in range(datasets):
        systems, counts = draw(np.random.default_rng([seed, raters, number]), n, raters)
        evaluation = Evaluation.of(systems, annotations(counts))
        for how, annotators_seed in (("fixed", None), ("resample", number)):
            groups = prepare.groups(
                evaluation, [resolve(name) for name in measures], annotators_seed=annotators_seed
            )
            for name, group in zip(measures, groups, strict=True):
                a, b = truth[name]
                for target, (low, high) in _ends(Estimates(group, Drawing(RESAMPLES, number))).items():
                    true = a if target == "score" else a - b
                    held.setdefault((name, how, target), []).append((low <= true <= high, high - low))
    return {
        key: Count(sum(inside for inside, _ in found), float(np.mean([length for _, length in found])))
        for key, found in held.items()
    }


def _ends(estimates: Estimates) -> dict[str, tuple[float, float]]:
    out = {}
    for name, target in TARGETS.items():
        estimate = estimates.of(*target)
        method = choose_interval(**estimate.situation()).method
        interval, _ = interval_methods.interval(estimate, method, LEVEL)
        assert interval is not None  # scores that vary
        out[name] = (interval.low, interval.high)
    return out


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return coverage in percent, and by what resampled annotators make an interval longer."""
    found = {(r["measure"], r["raters"], r["annotators"], r["target"]): r for r in rows}
    lines = [
        "| metric | labels each | score, fixed | resampled | difference, fixed | resampled | longer by |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for measure in MEASURES:
        for raters in map(str, RATERS):
            cells = []
            for target in TARGETS:
                for how in ("fixed", "resample"):
                    row = found[measure, raters, how, target]
                    cells.append(f"{100 * int(row['covered']) / int(row['datasets']):.1f}")
            longer = [
                float(found[measure, raters, "resample", target]["length"])
                / float(found[measure, raters, "fixed", target]["length"])
                - 1.0
                for target in TARGETS
            ]
            told = ", ".join(f"{100 * share:.0f} %" for share in longer)
            lines.append(f"| `{measure}` | {raters} | {' | '.join(cells)} | {told} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--datasets", type=int, default=1000)
    parser.add_argument("--docs", action="store_true", help="write the table into the page on soft labels")
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for raters in RATERS:
        for (measure, how, target), count in counted(raters, arguments.datasets, 6_000).items():
            values = (measure, raters, how, target, arguments.datasets, count.covered, f"{count.length:.5f}")
            rows.append(dict(zip(COLUMNS, map(str, values), strict=True)))
        print(f"{raters} annotators", file=sys.stderr)
    files.write(OUT, COLUMNS, rows)
    print(table(rows))
    if arguments.docs:
        pages.write(PAGE, "annotators", table(rows))


if __name__ == "__main__":
    main()
