"""Draw the figure of docs/guides/resample-size.md, and write its numbers into the page.

    python docs/make_resample_size_figure.py [--data FOLDER]

p-value and width of the interval of a difference in macro F1 against the size of the resamples, rescaled and
not, for two examples: the one that comes with BooStSa (h1.0 against h0.0), read from FOLDER
[../shared/data/boostsa_example, or in BESTBY_SHARED_DATA], and `examples/langid`. Seeded; seconds.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import bestby as bb
from bestby.report.figures import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "guides" / "resample-size.md"
IMAGE = ROOT / "docs" / "images" / "resample-size.svg"
SHARED = Path(os.environ.get("BESTBY_SHARED_DATA", ROOT.parent / "shared" / "data"))

SIZES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
TABLE = (0.05, 0.1, 0.2, 0.5, 1.0)
RESAMPLES = 200_000
METRIC = "f1_macro"
WORDS = {False: "not rescaled", True: "rescaled"}
COLOURS = {False: "#d55e00", True: drawing.ACCENT}


@dataclass(frozen=True)
class Example:
    """Two systems to compare.

    Parameters
    ----------
    title : str
        What they are.
    data : Evaluation
        Gold and predictions.
    new, old : str
        The system in question and its baseline.
    """

    title: str
    data: bb.Evaluation
    new: str
    old: str

    def compared(self, size: float, rescale: bool) -> tuple[float, float]:
        """Return p-value and width of the interval by resamples of this size."""
        found = bb.compare(
            self.data,
            metric=METRIC,
            baseline=self.old,
            test="bootstrap",
            alternative="better",
            interval="percentile",
            n_resamples=RESAMPLES,
            resampling=bb.Resampling(resample_size=size, rescale=rescale),
        )[self.new, self.old]
        return found.p_value, found.interval.high - found.interval.low


def boostsa(folder: Path) -> Example:
    """Return the example that comes with BooStSa."""
    gold, h0, h1 = (
        np.loadtxt(folder / name, dtype=int)
        for name in ("h0.0/targs.txt", "h0.0/preds.txt", "h1.0/preds.txt")
    )
    data = bb.Evaluation.of({"h1.0": h1, "h0.0": h0}, gold)
    return Example("BooStSa's example, 1000 items", data, "h1.0", "h0.0")


def langid() -> Example:
    """Return two systems of `examples/langid`, whose territories are the units."""
    data = bb.read(
        ROOT / "examples" / "langid" / "predictions.csv",
        gold="gold",
        items="item",
        clusters="territory",
        systems=["logreg_14", "nb_12"],
    )
    return Example("langid, 100 territories", data, "logreg_14", "nb_12")


Found = dict[tuple[float, bool], tuple[float, float]]


def measured(example: Example) -> Found:
    """Return p-value and width by size and rescaling."""
    return {(size, rescale): example.compared(size, rescale) for size in SIZES for rescale in (False, True)}


def table(found: Found) -> str:
    """Return the numbers as Markdown."""
    lines = [
        "| resamples of | p, not rescaled | p, rescaled | width, not rescaled | width, rescaled |",
        "|--:|--:|--:|--:|--:|",
    ]
    for size in TABLE:
        (p, width), (p_rescaled, width_rescaled) = found[size, False], found[size, True]
        lines.append(
            f"| {100 * size:g} % | {_p(p)} | {_p(p_rescaled)} | {width:.3f} | {width_rescaled:.3f} |"
        )
    return "\n".join(lines)


def _p(value: float) -> str:
    return f"{value:.1g}" if value < 0.001 else f"{value:.3f}"


def draw(examples: list[Example], results: list[Found]) -> Any:
    """Return the figure: a row per example, p-values on the left, widths on the right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 2.9 * len(examples)), layout="constrained")
    grid = figure.subplots(len(examples), 2, squeeze=False, sharex=True)
    for (left, right), example, found in zip(grid, examples, results, strict=True):
        for column, axes in enumerate((left, right)):
            for rescale, words in WORDS.items():
                values = [found[size, rescale][column] for size in SIZES]
                axes.plot(
                    [100 * size for size in SIZES], values, "o-", color=COLOURS[rescale], ms=3.5, label=words
                )
        left.set(yscale="log", ylabel="one-sided p-value")
        left.axhline(0.05, color=drawing.FAINT, linewidth=0.8, linestyle="--")
        left.annotate("0.05", (100, 0.05), xytext=(0, 2), textcoords="offset points", ha="right", fontsize=8)
        right.set(ylabel="width of the 95 % interval")
        right.set_ylim(bottom=0.0)
        for axes in (left, right):
            _plain(axes)
        left.set_title(f"{example.title}: {example.new} − {example.old}, macro F1", loc="left", fontsize=9)
    grid[0][1].legend(frameon=False, fontsize=9)
    for axes in grid[-1]:
        axes.set_xlabel("size of a resample, % of all")
    return figure


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xticks([5, 20, 40, 60, 80, 100])
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")


def main() -> None:
    """Measure, write the tables, draw."""
    sys.path.insert(0, str(ROOT))
    from themed_figure import themed
    from tools import pages

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=SHARED / "boostsa_example", help="BooStSa's example")
    arguments = parser.parse_args()
    examples = {"by-size-boostsa": boostsa(arguments.data), "by-size-langid": langid()}
    results = {name: measured(example) for name, example in examples.items()}
    for name, found in results.items():
        sys.stdout.write(f"{examples[name].title}\n\n{table(found)}\n\n")
        pages.write(PAGE, name, table(found))
    IMAGE.write_text(themed(draw(list(examples.values()), list(results.values()))), encoding="utf-8")


if __name__ == "__main__":
    main()
