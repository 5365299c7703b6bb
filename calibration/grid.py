"""The cells of the grid: which population, how many items, which intervals and tests, how many data sets.

The base design crosses metrics, numbers of items and agreement of the systems; every other factor is varied
alone, over a smaller base.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from bestby import Metric
from bestby._core.typing import Alternative
from bestby.vocabulary import allowed_names, needs
from calibration import designs as d
from calibration.populations import Population

SIZES = (20, 50, 100, 200, 500, 1000, 5000)
AGREEMENTS = (0.0, 0.5, 0.9, 0.98)
APART = 0.8
"""The agreement of the systems of which one is better."""

SINGLE = tuple(
    name
    for name in allowed_names("interval", "items")
    if name not in ("auto", "cr2") and not {"answers", "crossed"} & {*needs("interval", name)}
)
BY_AUTO = {
    "accuracy": "wilson-midp",
    "pearson": "fisher-z",
    "spearman": "fisher-z",
    "roc_auc": "bca-expanded",
}
"""Intervals of the score of one system that only "auto" makes, by the metric."""
RANKED = tuple(name for name in SINGLE if "sums" not in needs("interval", name))
TESTS = ("permutation", "bootstrap", "mcnemar", "mcnemar-midp", "sign", "wilcoxon", "t", "wald")
SIDED = ("permutation", "bootstrap", "mcnemar-midp", "t", "wald")
DEAR = ("spearman", "roc_auc")
"""Metrics of which a resample costs a pass over the items."""


@dataclass(frozen=True)
class Cell:
    """A population, a number of units, and what is made of each data set.

    Parameters
    ----------
    family : str
        The factor that is varied.
    measure : str
        In words.
    metric : str or Metric
        As it is asked for.
    design : str
        What else there is to know of the population.
    systems : {"alike", "apart", "one"}
        Exchangeable systems, systems of which A is better, or the score of one.
    agreement : float
        Share of items with equal answers.
    n : int
        Items, or clusters.
    population : Population
        Where data sets come from.
    methods, tests : tuple of str
        Intervals and tests to make.
    alternatives : tuple of str
        Of the tests.
    datasets, resamples : int
        How many of each.
    resample_size : float or None
        Units of a resample, if not all.
    tested : int
        Data sets that are tested: the first ones.
    only : tuple of str
        The intervals that have rows, if not all; "auto" may be among them. Others are made where "auto"
        chooses them.
    """

    family: str
    measure: str
    metric: str | Metric
    design: str
    systems: str
    agreement: float
    n: int
    population: Population
    methods: tuple[str, ...]
    tests: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ("two-sided",)
    datasets: int = 1000
    resamples: int = 999
    resample_size: float | None = None
    tested: int = 1000
    only: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The name of the cell, which seeds it."""
        parts = (self.family, self.measure, self.design, self.systems, f"{self.agreement:g}", str(self.n))
        return "|".join(parts)

    @property
    def ruled(self) -> bool:
        """Whether the intervals that "auto" may choose were made."""
        return self.family != "one-sided"

    def has(self, methods: tuple[str, ...]) -> bool:
        """Return whether one of these intervals is made here, or "auto" asked for and ruled."""
        return bool({*methods} & {*self.methods, *(("auto",) if self.ruled else ())})

    @property
    def studentized(self) -> int:
        """Data sets of which the studentized interval is made, which is dear where there are many sums."""
        few = self.n <= 20 or self.metric in ("accuracy", "mean")
        return self.datasets if few else min(self.datasets, 300)

    @property
    def truth(self) -> float:
        """The true difference, or the true score of A."""
        return self.population.truth_a if self.systems == "one" else self.population.truth


def _cell(
    family: str,
    measure: str,
    metric: str | Metric,
    of: d.Of,
    systems: str,
    agreement: float,
    n: int,
    *,
    design: str = "",
    alternatives: tuple[Alternative, ...] = ("two-sided",),
    tests: tuple[str, ...] = TESTS,
    resample_size: float | None = None,
    methods: tuple[str, ...] = (),
) -> Cell:
    name = metric if isinstance(metric, str) else metric.name
    score = ("wilson",) if systems == "one" else ("tango",)
    if not methods:
        methods = RANKED if name in DEAR else SINGLE
        methods = (*score, *methods) if name == "accuracy" else methods
    if systems == "one":
        methods = (*methods, *(method for asked, method in BY_AUTO.items() if asked == name))
    if n > 100 and name not in ("accuracy", "mean"):
        methods = tuple(m for m in methods if m != "studentized")
    datasets, resamples = _sizes(name, n) if family == "base" else (400 if n < 5000 else 200, 499)
    return Cell(
        family,
        measure,
        metric,
        design,
        systems,
        agreement,
        n,
        of(agreement, systems != "apart"),
        methods,
        () if systems == "one" else tests,
        alternatives,
        datasets,
        resamples,
        resample_size,
        min(datasets, _tested(name, n, family)),
    )


def _sizes(name: str, n: int) -> tuple[int, int]:
    """Return data sets and resamples: fewer where a data set is dear."""
    if n <= 20:
        return 2000 if name == "accuracy" else 1000, 999
    if name == "accuracy":
        return 1000, 999
    if name in DEAR:
        return (600, 999) if n <= 100 else (300, 299) if n <= 500 else (200 if n <= 1000 else 100, 299)
    return (600, 999) if n <= 100 else (600, 499) if n <= 200 else (400, 499 if n <= 1000 else 299)


def _tested(name: str, n: int, family: str) -> int:
    """Return how many data sets are tested: fewer where the exact permutation test enumerates much."""
    if name in ("pearson", "bleu_like") and n <= 20:
        return 120
    if family == "clusters" and name == "f1_macro":
        return 300
    return 300 if name == "matthews_corrcoef" and n >= 500 else 600 if name == "f1_macro" else 2000


def base() -> Iterator[Cell]:
    """Yield metrics by numbers of items by agreement, alike, and at one agreement apart."""
    for n in SIZES:
        for measure, (metric, of) in d.MEASURES.items():
            dear = metric in DEAR and n >= 500
            for agreement in AGREEMENTS if not dear else (0.5,) if n > 500 else (0.5, 0.98):
                if (agreement == 0.0 and n not in (20, 100)) or (agreement == 0.9 and n > 200):
                    continue
                if agreement == 0.98 and n == 5000 and measure != "accuracy":
                    continue
                yield _cell("base", measure, metric, of, "alike", agreement, n)
            if not dear or n == 500:
                yield _cell("base", measure, metric, of, "apart", APART, n)


def one_system() -> Iterator[Cell]:
    """Yield the scores of single systems."""
    for n, (measure, (metric, of)) in itertools.product((20, 200), d.MEASURES.items()):
        if metric not in DEAR or n < 200:
            yield _cell("one system", measure, metric, of, "one", 0.5, n)


def rare() -> Iterator[Cell]:
    """Yield metrics of a class of 2 % of the items."""
    for n, (measure, (metric, of)) in itertools.product((100, 1000), d.RARE.items()):
        if metric in DEAR and n > 100:
            continue
        yield _cell("rare class", measure, metric, of, "alike", 0.5, n)
        yield _cell("rare class", measure, metric, of, "apart", APART, n)


def tails() -> Iterator[Cell]:
    """Yield means of scores with ties, heavy tails and skewness, and ranks with ties."""
    for n in (20, 100):
        for agreement in (0.0,):
            for kind, design in (("t3", "t, 3 df"), ("exponential", "exponential")):

                def of(share: float, alike: bool, kind: str = kind) -> Population:
                    return d.skewed(share, alike, kind=kind)

                for systems in ("alike", "apart"):
                    yield _cell("heavy tails", "mean", "mean", of, systems, agreement, n, design=design)
            for systems in ("alike", "apart"):
                yield _cell("ties", "mean", "mean", d.ratings, systems, agreement, n, design="ratings 1 to 5")
        if n <= 200:
            for measure, metric, whole in (
                ("Spearman", "spearman", d.related("spearman")),
                ("AUC", "roc_auc", d.areas),
            ):
                rounded = d.rounded(whole)
                yield _cell("ties", measure, metric, rounded, "alike", 0.5, n, design="whole numbers")


CLUSTERS: dict[str, tuple[int, ...]] = {"of 10 items": (10,), "of 1 to 40 items": (1, 2, 4, 8, 16, 40)}


def clusters() -> Iterator[Cell]:
    """Yield few and many clusters, of equal and unequal size."""
    for g, (design, sizes) in itertools.product((10, 40, 200), CLUSTERS.items()):
        for measure in ("accuracy", "macro-F1"):
            metric = d.MEASURES[measure][0]
            for systems, agreement in (("alike", 0.5), ("apart", APART)):
                of = d.clustered(measure, sizes)
                yield _cell(
                    "clusters", measure, metric, of, systems, agreement, g, design=f"clusters {design}",
                    methods=("cr2", "hall", "bca", "abc", "percentile", "basic", "normal"),
                )  # fmt: skip


def one_sided() -> Iterator[Cell]:
    """Yield tests of one-sided alternatives."""
    for n, (measure, (metric, of)) in itertools.product((50,), d.MEASURES.items()):
        yield _cell(
            "one-sided", measure, metric, of, "alike", 0.5, n,
            alternatives=("greater", "less"), tests=SIDED, methods=("percentile",),
        )  # fmt: skip


def smaller() -> Iterator[Cell]:
    """Yield resamples of fewer items than there are."""
    for n, size in itertools.product((200,), (0.1, 0.5)):
        for measure in ("accuracy", "macro-F1", "skewed mean", "Pearson"):
            metric, of = d.MEASURES[measure]
            yield _cell(
                "m out of n", measure, metric, of, "alike", 0.5, n, design=f"resamples of {100 * size:g} %",
                tests=("bootstrap",), methods=("percentile", "basic"), resample_size=size,
            )  # fmt: skip


def grid() -> list[Cell]:
    """Return all cells; those that take long last."""
    cells = [*base(), *one_system(), *rare(), *tails(), *clusters(), *one_sided(), *smaller()]
    names = {id(cell): cell.metric if isinstance(cell.metric, str) else "" for cell in cells}
    return sorted(cells, key=lambda cell: cell.n >= 500 and names[id(cell)] in DEAR)
