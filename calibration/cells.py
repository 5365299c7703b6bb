"""The grid of the coverage runs: what is compared, on how many items, by which methods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from calibration import populations as p

SIZES = (20, 50, 100, 200, 500, 1000, 2000)
CANDIDATES = ("expanded", "bootstrap-se")
"""Intervals the package does not offer, measured beside those it does."""

ALL = ("bca", "percentile", "basic", "studentized", "normal", *CANDIDATES, "hall", "auto")
RANKS = ("bca", "percentile", "basic", *CANDIDATES, "hall", "auto")
PROPORTION = ("tango", *ALL)


@dataclass(frozen=True, eq=False)
class Cell:
    """One metric on one population at one size.

    Parameters
    ----------
    family : str
        For the tables.
    metric : str
        The metric.
    population : Population
        Where data come from.
    n : int
        Items, or clusters.
    methods : tuple of str
        Intervals to make.
    difference : bool
        Whether the difference of the two systems is the target, or the score of the first.
    datasets, resamples : int
        How many of each.
    """

    family: str
    metric: str
    population: p.Population
    n: int
    methods: tuple[str, ...]
    difference: bool = True
    datasets: int = 2000
    resamples: int = 999

    @property
    def truth(self) -> float:
        """The true value of the target."""
        return self.population.truth if self.difference else self.population.truth_a

    @property
    def key(self) -> str:
        """A name of the cell."""
        quantity = "difference" if self.difference else "score"
        return f"{self.family}|{self.metric}|{quantity}|{self.population.name}|{self.n}"


def grid() -> Iterator[Cell]:
    """Yield all cells, the quick ones first."""
    yield from _counts()
    yield from _clusters()
    yield from _means()
    yield from _accuracy()
    yield from _single_accuracy()
    yield from _correlations()
    yield from _single_others()


def _accuracy() -> Iterator[Cell]:
    pairs = [(90, 90, agree) for agree in (80, 90, 95, 98)]
    pairs += [(80, 72, agree) for agree in (55, 70, 90)] + [(95, 93, agree) for agree in (90, 95, 97)]
    pairs += [(60, 50, 50), (60, 60, 80), (99, 98, 98)]
    for a, b, agree in pairs:
        pmf = p.right_or_wrong(a / 100, b / 100, agree / 100)
        population = p.population_of_labels(f"{a}/{b} %, agree on {agree} %", "accuracy", pmf)
        for n in SIZES:
            yield Cell("accuracy", "accuracy", population, n, PROPORTION)


def _single_accuracy() -> Iterator[Cell]:
    for a in (50, 80, 90, 98):
        pmf = p.right_or_wrong(a / 100, a / 100, 1.0)
        population = p.population_of_labels(f"{a} %", "accuracy", pmf)
        for n in SIZES:
            methods = ("wilson", *ALL)
            yield Cell("one accuracy", "accuracy", population, n, methods, difference=False)


def _means() -> Iterator[Cell]:
    kinds = ("normal", "lognormal", "t with 3 degrees of freedom", "ratings 1 to 5")
    for kind in (*kinds, "50 % tied", "90 % tied", "50 % tied, skewed", "90 % tied, skewed"):
        population = p.scores(kind)
        for n in SIZES[:6]:
            many = 2000 if n <= 100 else 1000
            yield Cell("mean", "mean", population, n, ALL, datasets=many, resamples=999 if n < 500 else 499)


def _counts() -> Iterator[Cell]:
    three = p.copying, [0.5, 0.3, 0.2], p.confusion(0.8, 0.7, 0.6), p.confusion(0.7, 0.7, 0.5)
    rare = p.copying, [0.95, 0.05], p.confusion(0.98, 0.7), p.confusion(0.97, 0.6)
    even = p.copying, [0.5, 0.5], p.confusion(0.85, 0.8), p.confusion(0.8, 0.75)
    for family, metric, (table, *rest) in (
        ("macro-F1, 3 classes", "f1_macro", three),
        ("F1 of a class of 5 %", "f1[1]", rare),
        ("MCC", "matthews_corrcoef", even),
    ):
        for copied in (0.0, 0.5, 0.9, 0.97) if metric == "f1_macro" else (0.5, 0.9, 0.97):
            pmf = table(*rest, copied)  # type: ignore[operator, call-arg]
            agree = 100 * p.population_of_labels("", metric, pmf).agreement
            population = p.population_of_labels(
                f"agree on {agree:.{0 if agree < 99.5 else 1}f} %", metric, pmf
            )
            for n in SIZES[1:] if family.startswith("F1") else SIZES[:6]:
                yield Cell(family, metric, population, n, ALL, datasets=1000 if n <= 200 else 600)


def _clusters() -> Iterator[Cell]:
    accuracy = p.right_or_wrong(0.8, 0.75, 0.85)
    close = p.right_or_wrong(0.9, 0.9, 0.95)
    three = p.copying([0.5, 0.3, 0.2], p.confusion(0.8, 0.7, 0.6), p.confusion(0.7, 0.7, 0.5), 0.8)
    for sizes, words in (((10,), "10 items each"), ((1, 2, 4, 8, 16, 40), "1 to 40 items")):
        for n in (5, 10, 20, 50, 200):
            for metric, pmf, name in (
                ("accuracy", accuracy, "80/75 %, agree on 85 %"),
                ("accuracy", close, "90/90 %, agree on 95 %"),
                ("f1_macro", three, "3 classes"),
            ):
                population = p.population_of_clusters(f"{name}, clusters of {words}", metric, pmf, sizes)
                yield Cell("clusters", metric, population, n, ALL, datasets=1000)


def _single_others() -> Iterator[Cell]:
    three = p.copying([0.5, 0.3, 0.2], p.confusion(0.8, 0.7, 0.6), p.confusion(0.7, 0.7, 0.5), 0.5)
    rare = p.copying([0.95, 0.05], p.confusion(0.98, 0.7), p.confusion(0.97, 0.6), 0.5)
    even = p.copying([0.5, 0.5], p.confusion(0.85, 0.8), p.confusion(0.8, 0.75), 0.5)
    clustered = p.population_of_clusters(
        "clusters of 1 to 40 items", "accuracy", p.right_or_wrong(0.8, 0.75, 0.85), (1, 2, 4, 8, 16, 40)
    )
    one = partial(Cell, "one score", difference=False, datasets=1000)
    for n in SIZES[:5]:
        yield one("mean", p.scores("normal"), n, ALL)
        yield one("mean", p.scores("lognormal"), n, ALL)
        yield one("f1_macro", p.population_of_labels("3 classes", "f1_macro", three), n, ALL)
        yield one(
            "matthews_corrcoef", p.population_of_labels("even classes", "matthews_corrcoef", even), n, ALL
        )
        if n > 20:
            yield one("f1[1]", p.population_of_labels("class of 5 %", "f1[1]", rare), n, ALL)
        if n <= 200:
            yield one("accuracy", clustered, n, ALL)
        if n <= 200:
            yield one("pearson", p.correlated("pearson", 0.8, 0.7, 0.5), n, ALL)
            yield one("rmse", p.correlated("rmse", 0.8, 0.7, 0.5), n, ALL)
        if n <= 200:
            yield one("spearman", p.correlated("spearman", 0.8, 0.7, 0.5), n, RANKS)
            yield one("roc_auc", p.separated(1.5, 1.2, 0.5, 0.3), n, RANKS)


def _correlations() -> Iterator[Cell]:
    for n in SIZES[:4]:
        for a, b, copied in ((0.6, 0.5, 0.0), (0.8, 0.8, 0.8), (0.95, 0.94, 0.9)):
            for metric in ("pearson", "rmse", "spearman", "kendall"):
                if n == 200 and metric == "kendall":
                    continue
                methods = ALL if metric in ("pearson", "rmse") else RANKS
                yield Cell(
                    "correlations and errors",
                    metric,
                    p.correlated(metric, a, b, copied),
                    n,
                    methods,
                    datasets=600 if n == 200 else 1000,
                )
        for a, b, copied, positives in ((1.2, 1.0, 0.0, 0.5), (1.5, 1.5, 0.8, 0.5), (2.5, 2.3, 0.8, 0.1)):
            if n == 20 and positives == 0.1:
                continue
            population = p.separated(a, b, copied, positives)
            yield Cell("ROC-AUC", "roc_auc", population, n, RANKS, datasets=600 if n == 200 else 1000)
