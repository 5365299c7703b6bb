"""Examine a public leaderboard for docs/guides/leaderboard.md: write its numbers, and draw its figure.

    python docs/make_leaderboard_page.py [--check] [FILE]

FILE is `src/mocks/performances_execution.json` of github.com/LiveCodeBench/livecodebench.github.io at f186ab5
[livecodebench/performances_execution.json in BESTBY_SHARED_DATA, or ../shared/data]. `--check` only says
whether the page has the numbers that FILE gives. A minute.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import textwrap
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import bestby as bb
from bestby.report.figures import drawing

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "guides" / "leaderboard.md"
IMAGE = ROOT / "docs" / "images" / "leaderboard.svg"
SHARED = Path(os.environ.get("BESTBY_SHARED_DATA", ROOT.parent / "shared" / "data"))
FILE = SHARED / "livecodebench" / "performances_execution.json"

Columns = dict[str, list[float]]


def read(path: Path) -> tuple[Columns, list[str]]:
    """Return the Pass@1 of every model on every sample, and the problem of each sample."""
    rows = json.loads(path.read_text(encoding="utf-8"))["performances"]
    scores: dict[str, dict[str, float]] = {}
    problems: dict[str, str] = {}
    for row in rows:
        scores.setdefault(row["model"], {})[row["sample_id"]] = row["Pass@1"] / 100
        problems[row["sample_id"]] = str(row["question_id"])
    systems = {name: [by_sample[sample] for sample in problems] for name, by_sample in scores.items()}
    return systems, list(problems.values())


def compared(scores: Columns, clusters: list[str] | None, correction: Any = "holm") -> Any:
    """Return the comparison of all models."""
    metric = bb.ScoreMetric("Pass@1", greater_is_better=True)
    return bb.compare(scores, metric=metric, clusters=clusters, correction=correction)


def holding(result: Any) -> list[str]:
    """Return the systems that differ significantly from the next one."""
    return [
        one.system for one, other in pairwise(result.systems) if result[one.system, other.system].significant
    ]


def places(entry: Any) -> str:
    """Return the ranks that a system may have."""
    return f"{entry.rank_low}–{entry.rank_high}"


def mean_places(result: Any) -> float:
    """Return how many ranks a system may have on average."""
    return sum(one.rank_high - one.rank_low + 1 for one in result.systems) / len(result.systems)


ROWS: dict[str, Callable[[Any], Any]] = {
    "neighbouring ranks that hold": lambda c: len(holding(c)),
    "ranks that the first may have": lambda c: places(c.systems[0]),
    "ranks that the tenth may have": lambda c: places(c.systems[9]),
    "ranks that a system may have, on average": lambda c: f"{mean_places(c):.1f}",
    "systems that may be the best": lambda c: len(c.best_sets[0].systems),
    "score of the first": lambda c: f"{c.leaders[0].score:.3f}",
    "… without the luck of being first": lambda c: f"{c.leaders[0].corrected:.3f}",
    "… and its interval": lambda c: f"[{c.leaders[0].interval.low:.3f}, {c.leaders[0].interval.high:.3f}]",
}
"""What is said of a leaderboard, and how a result tells it."""


def text(scores: Columns, problems: list[str], independent: Any, together: Any) -> str:
    """Return what the data show, as Markdown."""
    n_problems, last = len(set(problems)), len(scores) - 1
    uncorrected = len(holding(compared(scores, problems, "none")))
    answer = " ".join(str(together).split("\n\n")[0].split())
    effect = next(note.message for note in together.notes if note.code == "design_effect")
    (holds,) = holding(together)  # that of the last but one
    rank = [one.system for one in together.systems].index(holds) + 1
    rows = "\n".join(f"| {name} | {show(independent)} | {show(together)} |" for name, show in ROWS.items())
    return f"""\
{len(scores)} models, {len(problems)} samples of {n_problems} problems. The answer to
{len(together.differences)} pairs, corrected by Holm's method:

```text
{textwrap.fill(answer, 80)}
```

**Of {last} neighbouring ranks 1 holds:** that of {holds} ({together.systems[rank - 1].score:.3f})
before {together.systems[rank].system} ({together.systems[rank].score:.3f}), the last. If nothing is
corrected, as if each pair were the only one that is asked about, {uncorrected} of {last} holds.

| | {len(problems)} samples, as if independent | {n_problems} problems |
|---|--:|--:|
{rows}

The second column is the answer. Samples of one problem are inputs to the same program, so that their
scores are alike: {effect}."""


def draw(independent: Any, together: Any) -> Any:
    """Return the figure: for each model its rank, and the ranks that it may have."""
    from matplotlib.figure import Figure

    axes = Figure(figsize=(7.5, 8.4), layout="constrained").subplots()
    by_name = {one.system: one for one in independent.systems}
    for rank, one in enumerate(together.systems, start=1):
        if_independent, first = by_name[one.system], rank == 1
        ends, narrow = (one.rank_low, one.rank_high), (if_independent.rank_low, if_independent.rank_high)
        label = "the ranks that it may have" if first else None
        axes.plot(ends, (rank, rank), color=drawing.BAND, linewidth=7, solid_capstyle="round", label=label)
        label = "… if the samples of a problem were independent" if first else None
        axes.plot(narrow, (rank, rank), color=drawing.FAINT, linewidth=1.5, label=label)
        axes.plot(rank, rank, "o", color=drawing.ACCENT, ms=4.5, label="rank of a model" if first else None)
    size = len(together.systems)
    axes.set(xlim=(0, size + 1), ylim=(size + 0.8, 0.2), xlabel="rank")
    axes.set_xticks([1, *range(5, size, 5), size])
    axes.set_yticks(
        range(1, size + 1), [f"{one.system}  {one.score:.3f}" for one in together.systems], fontsize=8
    )
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.legend(loc="lower left", frameon=False, fontsize=9)
    return axes


def main() -> None:
    """Compare, write the numbers, draw."""
    sys.path.insert(0, str(ROOT))
    from themed_figure import themed
    from tools import pages

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    scores, problems = read(arguments.file)
    independent, together = compared(scores, None), compared(scores, problems)
    found = text(scores, problems, independent, together)
    sys.stdout.write(f"{found}\n")
    if arguments.check:
        if pages.between(PAGE, "leaderboard") != found:
            sys.exit("leaderboard.md is out of date: run python docs/make_leaderboard_page.py")
        return
    pages.write(PAGE, "leaderboard", found)
    IMAGE.write_text(themed(draw(independent, together)), encoding="utf-8")


if __name__ == "__main__":
    main()
