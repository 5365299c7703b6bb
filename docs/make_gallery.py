"""Draw the figures of docs/guides/figures.md, and write the page's list of them.

    python docs/make_gallery.py [--check]

Each figure is made by the Python lines that the page shows, on data of `examples/` or on seeded numbers. What
a figure holds (texts, labels, counts of marks) is kept in docs/images/gallery.json; `--check` only compares
the page and this, as pictures differ from one version of matplotlib to the next. Seconds.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "guides" / "figures.md"
IMAGES = ROOT / "docs" / "images"
STRUCTURE = IMAGES / "gallery.json"
BEGIN, END = "<!-- gallery: docs/make_gallery.py writes this. -->\n", "<!-- Up to here. -->\n"

LANGID = (
    "bestby compare examples/langid/predictions.csv --gold gold --item item --ignore name --ignore territory"
)
RUNS = "bestby runs examples/langid/runs.csv --value-column accuracy"


@dataclass(frozen=True)
class Entry:
    """A figure: the name of its file, what it shows, and the lines and the command that make it."""

    name: str
    heading: str
    text: str
    python: str
    shell: str = ""


SETUP = """import bestby as bb

example = "examples/langid/predictions.csv"
predictions = bb.read(
    example,
    gold="gold",
    items="item",
    reading=bb.Reading(ignore=["name", "territory"]),
)
result = bb.compare(predictions, n_resamples=2000)
reading = bb.Reading(value_column="accuracy")
runs = bb.read_runs("examples/langid/runs.csv", reading=reading)
runs = bb.compare_runs(runs, n_resamples=2000)"""

HOME = """import bestby as bb

systems = ["nb_12", "nb_13", "logreg_14", "svm_14", "knn_3"]
path = "examples/langid/predictions.csv"
data = bb.read(path, gold="gold", items="item", clusters="territory", systems=systems)
axes = bb.compare(data, metric="accuracy").plot()"""
"""The figure of the home page and of the README."""

ENTRIES = (
    Entry(
        "forest",
        "Pairs",
        "A line per pair under the name of its first system; up to nine systems get it without `kind`.",
        'axes = result.plot(kind="forest")',
        f"{LANGID} --plot forest.svg --plot-kind forest",
    ),
    Entry(
        "systems",
        "Systems",
        "A line per system. Filled circles: the system [may be the best](who-could-be-best.md); open squares:"
        " it is shown not to be.",
        'axes = result.plot(kind="systems")',
        f"{LANGID} --plot systems.svg --plot-kind systems",
    ),
    Entry(
        "baseline",
        "Against the baseline, or the best",
        "Without a baseline each system is compared with the best one.",
        'axes = result.plot(kind="baseline")',
        f"{LANGID} --plot baseline.svg --plot-kind baseline",
    ),
    Entry(
        "matrix",
        "Matrix of the pairs",
        "Colour says how large the effect is, a triangle that it is significant. Thirty systems fit.",
        'axes = result.plot(kind="matrix")',
        f"{LANGID} --plot matrix.svg --plot-kind matrix",
    ),
    Entry(
        "difference",
        "One difference",
        "",
        'axes = result["svm_14", "nb_12"].plot()',
    ),
    Entry(
        "column",
        "For a column of a paper",
        "The figure is exactly as wide as a column, and its letters are those of the text.",
        'axes = result.plot(kind="systems", width="column", font="serif")',
        f"{LANGID} --plot systems.pdf --plot-kind systems --plot-width column --plot-font serif",
    ),
    Entry(
        "runs",
        "Runs",
        "Every run is a dot.",
        "axes = runs.plot()",
        f"{RUNS} --plot runs.svg",
    ),
    Entry(
        "quantiles",
        "Quantiles of two systems",
        "Where the second system has the better run, the area between them is shaded.",
        'axes = runs.plot(kind="quantiles", pair=("logreg_14", "svm_14"))',
        f"{RUNS} --plot quantiles.svg --plot-kind quantiles",
    ),
    Entry(
        "rankings",
        "Places without style and with it",
        "A line per system; those that cross change places when covariates are taken into account.",
        """judged = bb.read_preferences("examples/arena/battles.csv")
grouped = ["prompt", "voter"]
judged = bb.compare_preferences(judged, clusters=grouped, covariates=["words"])
axes = judged.plot(kind="rankings")""",
        "bestby preferences examples/arena/battles.csv --cluster prompt --cluster voter --style words"
        " --plot places.svg --plot-kind rankings",
    ),
    Entry(
        "order",
        "Almost stochastic order",
        "If no dominance is significant, the figure says so.",
        'axes = runs.plot(kind="order")',
        f"{RUNS} --plot order.svg --plot-kind order",
    ),
    Entry(
        "ranks",
        "Average ranks over datasets",
        'Bars join systems that the test of the table does not tell apart; `cliques="nemenyi"` has others.',
        """import numpy as np

rng = np.random.default_rng(0)
means = np.linspace(0.8, 0.7, 6)
table = {
    f"dataset {i}": dict(zip("abcdef", rng.normal(means, 0.02)))
    for i in range(12)
}
datasets = bb.compare_datasets(table, outer="dataset")
axes = datasets.plot()""",
        "bestby datasets scores.csv --plot ranks.svg",
    ),
    Entry(
        "over-datasets",
        "One pair on each dataset",
        "",
        'axes = datasets.plot("forest", pair=("a", "c"))',
        "bestby datasets scores.csv --plot forest.svg --plot-kind forest",
    ),
    Entry(
        "profiles",
        "Performance profiles of runs on several datasets",
        "Which share of the runs of a system, on all datasets, is better than each score. The bands are for"
        " other runs on these datasets.",
        """draw = np.random.default_rng(1).normal
returns = {
    f"task {i}": {
        name: draw(mean, 0.12, 8) for name, mean in (("new", 0.7), ("old", 0.5))
    }
    for i in range(6)
}
axes = bb.compare_datasets(returns, outer="dataset").plot("profiles")""",
        "bestby datasets returns.csv --plot profiles.svg --plot-kind profiles",
    ),
    Entry(
        "folds",
        "Folds of cross-validation",
        "Each fold is a dot, and the interval is corrected for what the folds have in common.",
        """scores = {
    name: rng.normal(mean, 0.02, 10)
    for name, mean in (("new", 0.82), ("old", 0.80))
}
axes = bb.compare_folds(scores).plot()""",
        "bestby folds scores.csv --plot folds.svg",
    ),
    Entry(
        "power",
        "Power of a plan",
        "",
        """axes = bb.sample_size(
    bb.planning.PairedProportions(0.83, 0.80, agreement=0.9), power=0.8
).plot()""",
        "bestby plan --accuracy .83 .80 --agreement .9 --power .8 --plot power.svg",
    ),
    Entry(
        "growth",
        "Growth of a study",
        "Score and interval of each condition against its epochs. `by` gives other places: numbers, such as"
        " those of training items, or dates; in the shell `--plot-by small=1000 --plot-by large=5000`.",
        """gold = rng.integers(0, 2, 400).astype(str)
study = bb.Study(folder)  # a new one
for epochs, right in ((1, 0.62), (2, 0.71), (4, 0.78), (8, 0.81)):
    answers = np.where(rng.random(400) < right, gold, "?")
    study.add(
        f"after {epochs}", run=0, predictions=answers, gold=gold, epochs=epochs
    )
axes = study.compare(n_resamples=999).plot(kind="growth")""",
        "bestby study run STUDY --plot growth.svg --plot-kind growth",
    ),
    Entry(
        "gate",
        "A gate and its slices",
        "Each line is a check: it passes if the whole interval lies to the right of the margin's left edge.",
        """pair = bb.read(
    example, gold="gold", items="item", systems=["nb_12", "nb_13"], by="gold"
)
axes = bb.gate(pair, baseline="nb_12", margin=0.04, by="gold").plot()""",
        "bestby gate examples/langid/predictions.csv --gold gold --item item --baseline nb_12"
        " --candidate nb_13 --margin .04 --by gold --plot gate.svg",
    ),
    Entry(
        "frontier",
        "Quality and cost",
        "Each system with the region of its two intervals. The steps are the best score for each cost in"
        " these data; filled systems may be on the frontier.",
        """reading = bb.Reading(value_column="correct")
operations = "examples/operations/operations.csv"
data = bb.read(operations, reading=reading)
reading = bb.Reading(value_column="operations")
cost = bb.read(operations, reading=reading)
axes = bb.frontier(data, quality="correct", cost={"operations": cost}).plot()""",
        "bestby frontier examples/operations/operations.csv --quality correct --cost operations"
        " --plot frontier.svg",
    ),
    Entry(
        "agreement",
        "Agreement of annotators",
        "The coefficients, each annotator against the others, and every two annotators, with intervals.",
        """import pandas as pd
labels = pd.read_csv("examples/langid/predictions.csv")
annotators = bb.Reading(annotators=["nb_13", "logreg_14", "svm_14", "knn_3"])
axes = bb.agreement(labels, clusters="territory", reading=annotators).plot()""",
        "bestby agreement examples/langid/predictions.csv --cluster territory"
        " --annotators nb_13,logreg_14,svm_14,knn_3 --plot agreement.svg",
    ),
    Entry(
        "facets",
        "Where the uncertainty comes from",
        "A bar per difference, divided by what each facet, and combination of facets, adds to its variance.",
        """import pandas as pd

trained = pd.read_csv("examples/training/predictions.csv")
facets = bb.compare_facets(
    trained, "gold", facets=("sample", "seed"), unmatched="seed"
)
axes = facets.plot(kind="shares")""",
        "bestby facets examples/training/predictions.csv --gold gold --facets sample,seed --unmatched seed"
        " --plot facets.svg --plot-kind shares",
    ),
    Entry(
        "attempts",
        "Numbers of attempts",
        "pass@k of two systems over k, with bands that hold for all k at once. Along the bottom, in the"
        " colour of the better one: where the systems differ significantly.",
        """draw = np.random.default_rng(6)
shares = {"steady": draw.beta(0.3, 1, 200), "varied": draw.beta(3, 18, 200)}
right = {name: draw.binomial(40, share) for name, share in shares.items()}
samples = {name: [(40, c) for c in cs.tolist()] for name, cs in right.items()}
axes = bb.compare_attempts(samples).plot()""",
        "bestby attempts samples.csv --plot attempts.svg",
    ),
    Entry(
        "slices",
        "Slices of a test set",
        "All items above, and below them the difference in each slice, with its number of items.",
        'axes = bb.compare_slices(pair, by="gold").plot()',
        "bestby slices examples/langid/predictions.csv --gold gold --item item --system nb_12 --system nb_13"
        " --by gold --plot slices.svg",
    ),
    Entry(
        "judge",
        "A judge beside humans",
        "How often the judge is right where humans say 1, and where they say 0. Of a judge that gives scores,"
        " the figure shows the mean human score for each.",
        """judged = bb.read_judged("examples/judged/judged.csv")
axes = bb.compare_judged(judged, labels_drawn="random").plot(kind="judge")""",
        "bestby judged compare examples/judged/judged.csv --labels-drawn random --plot judge.svg"
        " --plot-kind judge",
    ),
    Entry(
        "monitor",
        "A monitor",
        "How a difference and its interval develop until enough is known.",
        """monitor = bb.Monitor(["new", "old"], bounds=(0, 1), n_items=2000, margin=0.02)
for item in range(2000):
    monitor.add(
        item, {"new": int(rng.random() < 0.8), "old": int(rng.random() < 0.7)}
    )
    if monitor.decision is not None:
        break
axes = monitor.plot()""",
        "bestby watch scores.jsonl --candidate new --baseline old --margin .02 --items 2000"
        " --plot monitor.svg",
    ),
)


def drawn() -> dict[str, Any]:
    """Return the axes of every figure by name."""
    found: dict[str, Any] = {}
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder, mpl.rc_context():
        mpl.rcdefaults()
        space: dict[str, Any] = {"folder": folder + "/study"}
        exec(SETUP, space)
        for entry in ENTRIES:
            exec(entry.python, space)
            found[entry.name] = space["axes"]
    return found


def structure(axes: Any) -> dict[str, Any]:
    """Return what a figure holds, without where it is."""
    figure = axes.figure
    legends = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    return {
        "title": axes.get_title(loc="left"),
        "labels": [axes.get_xlabel(), axes.get_ylabel()],
        "rows": [label.get_text() for label in axes.get_yticklabels()],
        "texts": [text.get_text() for text in axes.texts],
        "foot": [text.get_text().replace("\n", " ") for text in figure.texts],
        "legend": legends,
        "lines": len(axes.lines),
        "patches": len(axes.patches),
        "collections": len(axes.collections),
    }


def listing() -> str:
    """Return the part of the page that the script writes."""
    parts = [f"```python\n{SETUP}\n```\n"]
    for entry in ENTRIES:
        parts.append(f"## {entry.heading}\n")
        parts += [f"{entry.text}\n"] if entry.text else []
        parts.append(f"![{entry.heading}](../images/gallery-{entry.name}.svg)\n")
        parts.append(f"```python\n{entry.python}\n```\n")
        whole = re.sub(r"(--\S+) (?!--)", "\\1\0", entry.shell)  # an option stays beside its value
        shell = textwrap.wrap(whole, 78, subsequent_indent="    ", break_on_hyphens=False)
        parts += ["```\n" + " \\\n".join(shell).replace("\0", " ") + "\n```\n"] if shell else []
    return "\n".join(parts)


def page() -> str:
    """Return the page with the list in its place."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    return f"{before}{BEGIN}\n{listing()}\n{END}{rest.split(END)[1]}"


def main() -> int:
    """Write everything, or say what differs."""
    figures = drawn()
    held = json.dumps({name: structure(axes) for name, axes in figures.items()}, indent=1, ensure_ascii=False)
    if "--check" in sys.argv[1:]:
        same = held + "\n" == STRUCTURE.read_text(encoding="utf-8") and page() == PAGE.read_text(
            encoding="utf-8"
        )
        sys.stderr.write("" if same else "run python docs/make_gallery.py\n")
        return 0 if same else 1
    from themed_figure import themed

    STRUCTURE.write_text(held + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    for name, axes in figures.items():
        (IMAGES / f"gallery-{name}.svg").write_text(themed(axes), encoding="utf-8")
    with mpl.rc_context():
        mpl.rcdefaults()
        space: dict[str, Any] = {}
        exec(HOME, space)
        (IMAGES / "langid.svg").write_text(themed(space["axes"]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
