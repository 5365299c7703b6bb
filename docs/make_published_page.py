"""Recompute the numbers of published data, and put them into docs/concepts/published-numbers.md and guides.

python docs/make_published_page.py            # write the sections whose data are there
python docs/make_published_page.py --check    # only say whether these sections are what the data give

The data are looked for in the folder BESTBY_SHARED_DATA; the pages say where each of them comes from.
A section whose data are not there stays as it is.
"""

from __future__ import annotations

import csv
import itertools
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import bestby as bb

PAGE = Path(__file__).resolve().parent / "concepts" / "published-numbers.md"
GUIDE = PAGE.parents[1] / "guides" / "judged.md"
DATA = Path(os.environ.get("BESTBY_SHARED_DATA", PAGE.parents[3] / "shared" / "data"))
BEGIN, END = "<!-- {}: docs/make_published_page.py writes this. -->\n", "<!-- Up to here. -->\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table whose first column is text and whose others are numbers."""
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def number(value: float, digits: int = 4) -> str:
    """Return a number as the works print it, with a minus sign."""
    return f"{value:.{digits}f}".replace("-", "−")


def p_value(p: float) -> str:
    """Return a p-value with four digits."""
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def ends(low: float, high: float, digits: int = 4) -> str:
    """Return an interval."""
    return f"[{number(low, digits)}, {number(high, digits)}]"


def between(values: Sequence[float], digits: int = 3) -> str:
    """Return the least and the greatest of several values."""
    return f"{number(min(values), digits)} to {number(max(values), digits)}"


# -- Bestgen 2022 ------------------------------------------------------------------------------------

ABSA = ("aen_bert", "bert_spc", "memnet", "atae_lstm", "td_lstm")


def absa() -> tuple[dict[str, list[int]], list[int]]:
    """Return the predictions of the five systems, and the gold."""
    systems, gold = {}, []
    for name in ABSA:
        with (DATA / "absa" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            systems[name], gold = ([int(float(v)) for v in row] for row in csv.reader(file) if row)
    return systems, gold


def published_pairs(name: str) -> dict[tuple[str, str], list[float]]:
    """Return the numbers after the bar of each pair in an output of the paper's scripts."""
    text = (DATA / "absa" / name).read_text(encoding="utf-8")
    rows = re.findall(r"^\s*(\w+)\s+(\w+)\s+\d\.\d+\s+\d\.\d+\s+\|(.*)$", text, flags=re.MULTILINE)
    return {(a, b): [float(v) for v in re.findall(r"-?\d+\.\d+", rest)] for a, b, rest in rows}


def bestgen_figure_2() -> str:
    """Return the differences, intervals and p-values of five systems on 638 items, and their letters."""
    systems, gold = absa()
    intervals, tests = published_pairs("ResBootCIABSA.txt"), published_pairs("ResFPTestABSA.txt")
    bca = bb.compare(systems, gold, interval="bca", correction="none")
    default = bb.compare(systems, gold)
    rows = []
    for (a, b), (low, difference, high) in intervals.items():
        d, usual = bca[a, b], default[a, b]
        rows.append([
            f"{a} − {b}",
            number(difference),
            number(d.estimate),
            ends(low, high),
            ends(d.interval.low, d.interval.high),
            ends(usual.interval.low, usual.interval.high),
            p_value(tests[a, b][-1]),
            p_value(d.p_value),
        ])  # fmt: skip
    head = ["pair", "difference", "here", "BCa", '`interval="bca"`', "default (Tango)", "p", "here (exact)"]
    letters = {
        "published, no correction": ("a", "a", "b", "bc", "c"),
        '`correction="none"`': [score.group for score in bca.systems],
        "default (Holm)": [score.group for score in default.systems],
    }
    return (
        table(head, rows) + "\n" + table(["letters", *ABSA], [[k, *map(str, v)] for k, v in letters.items()])
    )


CONDITIONS = {"Fu": "Full", "A1": "¬FC", "A2": "¬CNN", "A3": "¬LE"}
TABLE_1 = {
    ("Fu", "A1"): (".0315 to .9779", 3, "−.010 to .001", "−.005 to .005", "−.001 to .011"),
    ("Fu", "A2"): (".0032 to .2930", 7, "−.005 to .007", ".006 to .018", ".017 to .030"),
    ("Fu", "A3"): (".0001 to .0001", 20, ".062 to .081", ".084 to .107", ".111 to .140"),
    ("A1", "A2"): (".0020 to .3341", 5, "−.005 to .007", ".006 to .017", ".018 to .029"),
    ("A1", "A3"): (".0001 to .0001", 20, ".062 to .083", ".084 to .108", ".110 to .140"),
    ("A2", "A3"): (".0001 to .0001", 20, ".042 to .066", ".069 to .097", ".101 to .133"),
}
"""Table 1 of the paper: p-values, significant ones of 20, lower ends, differences, upper ends."""


TABLE_1_INTERVALS = {
    ("Fu", "A1"): 3, ("Fu", "A2"): 9, ("Fu", "A3"): 20, ("A1", "A2"): 10, ("A1", "A3"): 20, ("A2", "A3"): 20,
}  # fmt: skip
"""Intervals of 20 without 0: not in the table, but in ResTestBootCISum.txt, which it sums up."""


def bestgen_table_1() -> str:
    """Return the p-values, differences and intervals of joy over twenty cross-validations."""
    comparisons = [_joy(2 + 4 * number) for number in range(20)]
    rows = []
    for pair, (p, significant, low, difference, high) in TABLE_1.items():
        found = [comparison[pair] for comparison in comparisons]
        p_values = [d.p_value for d in found]
        clear = sum(0.0 not in d.interval for d in found)
        name = f"{CONDITIONS[pair[0]]} − {CONDITIONS[pair[1]]}"
        rows.append(
            [f"{name}, published", p, str(significant), str(TABLE_1_INTERVALS[pair]), low, difference, high]
        )
        rows.append([
            f"{name}, here",
            " to ".join(p_value(p).replace("0.", ".") for p in (min(p_values), max(p_values))),
            str(sum(value <= 0.05 for value in p_values)),
            str(clear),
            *(
                between(column).replace("0.", ".")
                for column in (
                    [d.interval.low for d in found],
                    [d.estimate for d in found],
                    [d.interval.high for d in found],
                )
            ),
        ])  # fmt: skip
    head = [
        "pair", "p", "p ≤ .05, of 20", "intervals without 0, of 20", "lower end", "difference", "upper end",
    ]  # fmt: skip
    return table(head, rows)


def _joy(number: int) -> Any:
    folder = DATA / "bootci_real_data" / "S2_EmoInt" / "Data"
    columns = {code: np.loadtxt(folder / f"CV{code}_joy{number}.csv", delimiter=",") for code in CONDITIONS}
    systems = {code: predictions for code, (predictions, _) in columns.items()}
    return bb.compare(systems, columns["Fu"][1], metric="pearson", correction="none", interval="bca")


# -- Dror et al. 2017 --------------------------------------------------------------------------------


def dror_2017() -> str:
    """Return in how many of six datasets the effect holds."""
    p_values = [0.168, 0.297, 0.357, 0.019, 0.218, 0.001]
    found = bb.replicability(p_values, alpha=0.05)
    rows = [
        ["datasets with an effect, Bonferroni", "1", str(found.k_bonferroni)],
        ["datasets with an effect, Fisher", "2", str(found.k_fisher)],
        ["datasets found by Holm", "6", ", ".join(found.found)],
    ]
    return f"p-values: {', '.join(map(str, p_values))}.\n\n" + table(["", "published", "here"], rows)


# -- Fornaciari et al. 2022 --------------------------------------------------------------------------

FIGURE_3 = {
    "f1_macro": (0.6776, 0.7407, 0.015, 0.037),
    "accuracy": (0.6900, 0.7410, 0.038, 0.073),
    "precision_macro": (0.6994, 0.7410, 0.065, 0.111),
    "recall_macro": (0.6796, 0.7422, 0.009, 0.027),
}
"""Scores of h0 and h1, p in Figure 3 of the paper, and p in the documentation of the package."""


def fornaciari() -> str:
    """Return scores and p-values of the paper's example of 1000 items."""
    gold, h0, h1 = (
        np.loadtxt(DATA / "boostsa_example" / file, dtype=int)
        for file in ("h0.0/targs.txt", "h0.0/preds.txt", "h1.0/preds.txt")
    )

    def compared(**settings: Any) -> Any:
        settings = {"test": "bootstrap", "n_resamples": 100_000} | settings
        return bb.compare(
            {"h1": h1, "h0": h0},
            gold,
            metric=list(FIGURE_3),
            baseline="h0",
            alternative="better",
            **settings,
        )

    fifth, third = (
        compared(resampling=bb.Resampling(resample_size=share, rescale=False)) for share in (0.2, 0.35)
    )
    whole, swaps = compared(), compared(test="permutation")
    rows = []
    for metric, (a, b, paper, documented) in FIGURE_3.items():
        d = whole["h1", "h0", metric]
        p_values = [found["h1", "h0", metric].p_value for found in (fifth, third, whole, swaps)]
        rows.append([
            f"`{metric}`",
            f"{a:.4f}, {b:.4f}",
            f"{d.score_b:.4f}, {d.score_a:.4f}",
            f"{paper:.3f}",
            f"{documented:.3f}",
            *(f"{p:.3f}" for p in p_values[:2]),
            *(f"{p:.5f}" for p in p_values[2:]),
        ])  # fmt: skip
    head = [
        "metric", "h0, h1", "here", "p, Figure 3", "p, documentation", "200 items, here", "350 items, here",
        "all items, here", "permutation, here",
    ]  # fmt: skip
    return table(head, rows)


# -- deep-significance -------------------------------------------------------------------------------


def normals(*samples: tuple[float, float], size: int = 5) -> list[Any]:
    """Return the scores of the README, drawn from NumPy's old global generator after seed 1234."""
    generator = np.random.RandomState(1234)
    return [generator.normal(loc, scale, size) for loc, scale in samples]


def deep_significance() -> str:
    """Return the bounds of the README's scenarios, with the level corrected as there and as it should be."""
    rows = []
    new, old = normals((0.9, 0.8), (0.0, 1.0))
    rows.append(["scenario 1", "0.225", *_bounds(new, old, 1)])
    *scores, a, b, c = normals(*[(0.3, 0.8)] * 3, *[(0.0, 1.0)] * 3)
    for place, (new, old, given) in enumerate(zip(scores, (a, b, c), (0.0064, 0.6535, 0.0), strict=True), 1):
        rows.append([f"scenario 2, dataset {place}", f"{given:.3f}", *_bounds(new, old, 3)])
    runs = normals(*[(0.3, 0.8)] * 3, *[(0.0, 1.0)] * 3, size=40)
    given_9 = (0.383, 0.072, 0.915, 0.527, 0.149, 1.0, 0.610, 0.224, 1.0)
    for (i, j), given in zip(itertools.product(range(3), range(3)), given_9, strict=True):
        rows.append([
            f"scenario 3, run {i + 1} against {j + 1}", f"{given:.3f}", *_bounds(runs[i], runs[3 + j], 9)
        ])  # fmt: skip
    models = normals((0.1, 0.8), (0.15, 0.8), (0.2, 0.8))
    given_6 = {(0, 1): 0.926, (0, 2): 1.0, (1, 0): 1.0, (1, 2): 1.0, (2, 0): 0.821, (2, 1): 0.730}
    for (i, j), given in given_6.items():
        rows.append([
            f"scenario 4, model {i + 1} against {j + 1}", f"{given:.3f}", *_bounds(models[i], models[j], 3)
        ])  # fmt: skip
    head = ["ε_min", "published", "here, no correction"]
    bounds = table([*head, "here, corrected (Bonferroni)", "dominant, here (Bonferroni)"], rows)
    tight = [
        ["5 and 3 runs to 5 and 5", "1.1547", f"{bb.aso_tightness(5, 3, 5, 5):.4f}"],
        ["5 and 3 runs to 7 and 3", "1.0583", f"{bb.aso_tightness(5, 3, 7, 3):.4f}"],
    ]
    return bounds + "\n" + table(["tightness", "published", "here"], tight)


def _bounds(new: Any, old: Any, comparisons: int) -> list[str]:
    alone, corrected = (bb.aso(new, old, n_comparisons=count) for count in (1, comparisons))
    return [
        f"{alone.epsilon_min:.3f}",
        f"{corrected.epsilon_min:.3f}",
        "yes" if corrected.dominant else "no",
    ]


# -- the page ----------------------------------------------------------------------------------------

# -- a judge that is worth nothing -------------------------------------------------------------------

WMT21 = "wmt21_ted_mqm"
LABELS, DRAWS = 100, 100


def wmt21() -> str:
    """Return what chrF, 100 labels and both say of thirteen systems whose penalties are all known."""
    with (DATA / WMT21 / "scores.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = sorted({row["system"] for row in rows})
    chrf, mqm = (
        {name: np.array([float(row[what]) for row in rows if row["system"] == name]) for name in names}
        for what in ("chrf", "mqm")
    )
    first = max(names, key=lambda name: chrf[name].mean())
    found = [_corrected(chrf, mqm, seed) for seed in range(DRAWS)]
    by_chrf = sorted(names, key=lambda name: -chrf[name].mean())
    by_mqm = sorted(names, key=lambda name: mqm[name].mean())
    lines = [
        (
            name,
            str(by_mqm.index(name) + 1),
            number(mqm[name].mean(), 2),
            str(by_chrf.index(name) + 1),
            number(chrf[name].mean(), 1),
            number(found[0].score(name).labels_score, 2),
            number(found[0].score(name).score, 2),
            ends(found[0].score(name).interval.low, found[0].score(name).interval.high, 2),
        )
        for name in by_mqm
    ]
    head = ("system", "place", "penalty of all 529", "place by chrF", "chrF", f"{LABELS} labels alone",
            "corrected", "95 % interval")  # fmt: skip
    return table(head, lines) + "\n" + _of_draws(found, first, mqm)


def _corrected(chrf: dict[str, Any], mqm: dict[str, Any], seed: int) -> Any:
    """Return the comparison with the penalties of segments drawn at random."""
    n = len(next(iter(mqm.values())))
    chosen = np.isin(np.arange(n), np.random.default_rng(seed).choice(n, LABELS, replace=False))
    human = {name: np.where(chosen, values, np.nan) for name, values in mqm.items()}
    return bb.compare_judged(
        chrf,
        human,
        labels_drawn="random",
        metric=bb.ScoreMetric("score", greater_is_better=False),
        baseline=FIRST,
    )


FIRST = "HuaweiTSC"
"""The first system by chrF."""


def _of_draws(found: Sequence[Any], first: str, mqm: dict[str, Any]) -> str:
    """Return how the intervals of the differences with the first system by chrF did, over all draws."""
    assert first == FIRST
    every = [d for one in found for d in one.differences]
    held = [float(mqm[d.a].mean() - mqm[d.b].mean()) in d.interval for d in every]
    lengths = [
        (d.interval.high - d.interval.low) / (d.labels_interval.high - d.labels_interval.low) for d in every
    ]
    worth = [d.extra_labels for d in every if d.extra_labels is not None]
    pairs, share = len(found[0].differences), 100 * np.mean(held)
    return (
        f"Over {DRAWS} draws of {LABELS} labels the intervals of the {pairs} differences with {first} hold\n"
        f"the truth in {share:.1f} % of the cases, and are {np.mean(lengths):.3f} times as long as those of"
        f" the labels alone.\nchrF is worth {np.median(worth):.1f} labels (median)."
    )


SECTIONS: dict[str, tuple[Path, str, Callable[[], str]]] = {
    "bestgen-figure-2": (PAGE, "absa", bestgen_figure_2),
    "bestgen-table-1": (PAGE, "bootci_real_data", bestgen_table_1),
    "dror-2017": (PAGE, "", dror_2017),
    "fornaciari": (PAGE, "boostsa_example", fornaciari),
    "deep-significance": (PAGE, "", deep_significance),
    "wmt21": (GUIDE, WMT21, wmt21),
}
"""Per section its page, the folder of its data, "" where it needs none, and what makes it."""


def page(text: str, made: dict[str, str]) -> str:
    """Return the page with these sections made anew."""
    for name, content in made.items():
        head, begin, rest = text.partition(BEGIN.format(name))
        if not begin:
            raise ValueError(f"the page has no section {name!r}")
        text = head + begin + "\n" + content + "\n" + END + rest.partition(END)[2]
    return text


def main() -> int:
    """Write the pages, or with ``--check`` compare them, and return the exit status."""
    there = {name: of for name, of in SECTIONS.items() if (DATA / of[1]).is_dir()}
    for name in SECTIONS.keys() - there.keys():
        sys.stderr.write(f"{name}: its data are not in {DATA}\n")
    stale = False
    for path in (PAGE, GUIDE):
        text = path.read_text(encoding="utf-8")
        new = page(text, {name: make() for name, (where, _, make) in there.items() if where == path})
        stale |= text != new
        if "--check" not in sys.argv:
            path.write_text(new, encoding="utf-8")
    return int(stale and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
