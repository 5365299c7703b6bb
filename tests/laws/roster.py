"""What every law is tried on: each metric, interval, test and design, and which of them go together."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from bestby import Metric, compare
from bestby.results import Comparison
from bestby.vocabulary import allowed_names, needs

LEVEL = 0.9
RESAMPLES = 199
INTERVALS = tuple(
    name for name in allowed_names("interval", "items") if "crossed" not in needs("interval", name)
)
"""Two crossed groupings, which the interval "two-way" is for, have tests of their own."""
FROM_COUNTS = ("bca", "percentile", "basic", "tango", "wilson", "studentized")
"""Intervals from a distribution or from counts; others have derivatives, good to about eight digits."""
TESTS = tuple(name for name in allowed_names("test", "items") if name != "auto")
DESIGNS = ("plain", "clusters", "strata", "both")
ALTERNATIVES = ("two-sided", "greater", "less")
OF_A_KIND = ("cross_entropy", "soft_f1_macro", "entropy_correlation")
"""The metrics of soft labels that stand for all others of their kind in every design."""

REPRESENTATIVE = (
    "mean", "accuracy", "f1_macro", "recall[LABEL]", "roc_auc", "rmse", "pearson", "cross_entropy",
    "soft_f1_macro", "callable",
)  # fmt: skip
"""Metrics of each kind that the engine has: `make test` tries every law on them, `make check` on all."""
IN_EVERY_DESIGN = ("accuracy", "f1_macro", "roc_auc")
"""Those that `make test` tries in clusters and in strata, too, and not only in clusters within strata."""

STANDARDISED = ("pearson", "spearman", "kendall", "roc_auc", "average_precision", "entropy_")
"""How the names of correlations and metrics of ranks begin."""


class RelativeError(Metric):
    """A metric of a user: the sum of the absolute errors over that of the gold, lower being better."""

    name = "relative_error"
    greater_is_better = False
    bounds = (0.0, float("inf"))

    def statistics(self, gold: Any, predictions: Any) -> Any:
        return np.column_stack([np.abs(predictions - gold), np.abs(gold)])

    def score(self, totals: Any) -> Any:
        return totals[..., 0] / totals[..., 1]


def median_error(gold: Any, predictions: Any) -> float:
    """Median absolute error, the upper of two, as any function of gold and predictions."""
    errors = np.abs(predictions - gold)
    middle = len(errors) // 2
    return float(np.partition(errors, middle)[middle])


@dataclass(frozen=True)
class Entry:
    """A metric of the roster.

    `kind` says what data it reads; `binary`: mean of 0/1; `mean`: mean of one number per item;
    `sums`: function of sums; `logs`: of logarithms, whose sums are rounded.
    """

    key: str
    metric: Any
    kind: str
    binary: bool = False
    mean: bool = False
    sums: bool = True
    lower: bool = False
    logs: bool = False

    @property
    def name(self) -> str:
        return self.metric if isinstance(self.metric, str) else getattr(self.metric, "name", self.key)


ROSTER = (
    Entry("mean", "mean", "scores", mean=True),
    Entry("mean_loss", "mean_loss", "scores", mean=True, lower=True),
    Entry("accuracy", "accuracy", "labels", binary=True, mean=True),
    Entry("balanced_accuracy", "balanced_accuracy", "labels"),
    Entry("precision_micro", "precision_micro", "labels", binary=True, mean=True),
    Entry("precision_macro", "precision_macro", "labels"),
    Entry("precision_weighted", "precision_weighted", "labels"),
    Entry("recall_micro", "recall_micro", "labels", binary=True, mean=True),
    Entry("recall_macro", "recall_macro", "labels"),
    Entry("recall_weighted", "recall_weighted", "labels", binary=True, mean=True),
    Entry("f1_micro", "f1_micro", "labels", binary=True, mean=True),
    Entry("f1_macro", "f1_macro", "labels"),
    Entry("f1_weighted", "f1_weighted", "labels"),
    Entry("matthews_corrcoef", "matthews_corrcoef", "labels"),
    Entry("cohen_kappa", "cohen_kappa", "labels"),
    Entry("precision[LABEL]", "precision[pos]", "labels"),
    Entry("recall[LABEL]", "recall[pos]", "labels"),
    Entry("f1[LABEL]", "f1[pos]", "labels"),
    Entry("roc_auc", "roc_auc", "ranking", sums=False),
    Entry("average_precision", "average_precision", "ranking", sums=False),
    Entry("roc_auc[LABEL]", "roc_auc[1]", "ranking", sums=False),
    Entry("average_precision[LABEL]", "average_precision[1]", "ranking", sums=False),
    Entry("mse", "mse", "numbers", mean=True, lower=True),
    Entry("rmse", "rmse", "numbers", lower=True),
    Entry("mae", "mae", "numbers", mean=True, lower=True),
    Entry("r2", "r2", "numbers"),
    Entry("pearson", "pearson", "numbers"),
    Entry("spearman", "spearman", "numbers", sums=False),
    Entry("kendall", "kendall", "numbers", sums=False),
    Entry("cross_entropy", "cross_entropy", "soft", mean=True, lower=True, logs=True),
    Entry("log_loss", "log_loss", "soft, hard gold", mean=True, lower=True, logs=True),
    Entry("kl_divergence", "kl_divergence", "soft", mean=True, lower=True, logs=True),
    Entry("kl_divergence_reverse", "kl_divergence_reverse", "soft", mean=True, lower=True, logs=True),
    Entry("js_divergence", "js_divergence", "soft", mean=True, lower=True, logs=True),
    Entry("js_divergence_bits", "js_divergence_bits", "soft", mean=True, lower=True, logs=True),
    Entry("js_distance", "js_distance", "soft", mean=True, lower=True, logs=True),
    Entry("brier", "brier", "soft", mean=True, lower=True),
    Entry("ece", "ece", "soft", lower=True),
    Entry("entropy_similarity", "entropy_similarity", "soft", logs=True),
    Entry("entropy_correlation", "entropy_correlation", "soft", logs=True),
    Entry("soft_accuracy", "soft_accuracy", "soft", mean=True),
    Entry("soft_precision_macro", "soft_precision_macro", "soft"),
    Entry("soft_recall_macro", "soft_recall_macro", "soft"),
    Entry("soft_f1_macro", "soft_f1_macro", "soft"),
    Entry("soft_precision[LABEL]", "soft_precision[2]", "soft"),
    Entry("soft_recall[LABEL]", "soft_recall[2]", "soft"),
    Entry("soft_f1[LABEL]", "soft_f1[2]", "soft"),
    Entry("ordinal_mae", "ordinal_mae", "soft", mean=True, lower=True),
    Entry("emd", "emd", "soft", mean=True, lower=True),
    Entry("user metric", RelativeError(), "numbers", lower=True),
    Entry("callable", median_error, "numbers", sums=False, lower=True),
)


@dataclass(frozen=True)
class Data:
    """Gold, systems and groups, ready for `compare`."""

    systems: dict[str, Any]
    gold: Any
    clusters: Any = None
    strata: Any = None

    def compare(self, entry: Entry, **settings: Any) -> Comparison:
        """Compare with the settings of the roster, unless told otherwise."""
        given: dict[str, Any] = {
            "metric": entry.metric,
            "clusters": self.clusters,
            "strata": self.strata,
            "level": LEVEL,
            "n_resamples": RESAMPLES,
        }
        systems = settings.pop("systems", self.systems)
        return compare(systems, self.gold, **(given | settings))

    def taken(self, order: Any) -> Data:
        """Return the same with the items in another order."""

        def of(values: Any) -> Any:
            return None if values is None else values[order]

        return Data(
            {name: of(values) for name, values in self.systems.items()},
            of(self.gold),
            of(self.clusters),
            of(self.strata),
        )

    def only(self, *names: str) -> Data:
        """Return the same with some of the systems, in that order."""
        return Data({name: self.systems[name] for name in names}, self.gold, self.clusters, self.strata)


def make(entry: Entry, design: str, seed: int, n: int = 60, systems: int = 4, *, whole: bool = False) -> Data:
    """Return data for a metric: systems "a", "b", … in falling quality.

    With `whole`, all numbers are small integers, and all probabilities eighths.
    """
    rng = np.random.default_rng([seed, n])
    names = "abcd"[:systems]
    clusters = strata = None
    if design in ("clusters", "both"):
        clusters = np.array([f"c{i}" for i in rng.integers(0, n // 3, n)])
    if design == "strata":
        strata = rng.integers(0, 2, n)
    elif design == "both":
        assert clusters is not None
        strata = np.array([int(cluster[1:]) % 2 for cluster in clusters])
    noise = dict(zip(names, (0.6, 0.9, 1.2, 1.5), strict=False))
    if entry.kind == "scores":
        easy = rng.normal(size=n)
        step = 0.3 if entry.lower else -0.3
        made = {name: easy + rng.normal(step * i, 0.7, n) for i, name in enumerate(names)}
        if whole:
            made = {name: np.rint(2.0 * values) for name, values in made.items()}
        return Data(made, None, clusters, strata)
    if entry.kind == "labels":
        labels = np.array(["neg", "neu", "pos"])
        gold = labels[rng.integers(0, 3, n)]
        made = {
            name: np.where(rng.random(n) < 0.25 * noise[name], labels[rng.integers(0, 3, n)], gold)
            for name in names
        }
        return Data(made, gold, clusters, strata)
    if entry.kind == "ranking":
        gold = (rng.random(n) < 0.4).astype(int)
        gold[:2] = 0, 1
        return Data(
            {name: np.round(gold + rng.normal(0.0, noise[name], n), 1) for name in names},
            gold,
            clusters,
            strata,
        )
    if entry.kind.startswith("soft"):
        evidence = rng.normal(0.0, 1.5, (n, 3))
        gold = distributions(evidence, whole=whole)
        if entry.kind == "soft, hard gold":
            gold = gold.argmax(axis=1)
        made = {
            name: distributions(evidence + rng.normal(0.0, noise[name], (n, 3)), whole=whole)
            for name in names
        }
        return Data(made, gold, clusters, strata)
    gold = rng.normal(3.0, 1.0, n)
    made = {name: gold + rng.normal(0.1, noise[name], n) for name in names}
    if whole:
        gold = np.rint(gold)
        made = {name: np.rint(values) for name, values in made.items()}
    return Data(made, gold, clusters, strata)


@functools.cache
def four_systems(entry: Entry, design: str) -> tuple[Data, Comparison]:
    """Return data of four systems and their comparison, at which several laws look."""
    data = make(entry, design, seed=23)
    return data, data.compare(entry)


def distributions(evidence: Any, *, whole: bool = False) -> Any:
    """Return the softmax of the rows; with `whole` in eighths, of which the greatest takes what is left."""
    rows = np.exp(evidence)
    rows /= rows.sum(axis=1, keepdims=True)
    if whole:
        greatest = rows.argmax(axis=1)
        rows = np.floor(8.0 * rows) / 8.0
        rows[np.arange(len(rows)), greatest] += 1.0 - rows.sum(axis=1)
    return rows


def applies(entry: Entry, design: str, *, interval: str = "auto", test: str = "permutation") -> bool:
    """Say whether interval and test go with the metric and the design, from what the guides promise."""
    single, unstratified = design in ("plain", "strata"), design in ("plain", "clusters")
    needed = needs("interval", interval)
    answers = entry.binary or entry.key == "recall[LABEL]"  # a share of the items of a class
    if "answers" in needed and not (answers and single and unstratified):
        return False
    if "sums" in needed and not entry.sums:
        return False
    if "formula" in needed and not (entry.sums or isinstance(entry.metric, str)):  # all names have one
        return False
    if "one stratum" in needed and not unstratified:
        return False
    if test == "permutation-standardised" and not entry.key.startswith(STANDARDISED):
        return False
    if test in ("mcnemar", "mcnemar-midp") and not (entry.binary and single):
        return False
    return not (test in ("sign", "wilcoxon", "t") and not entry.mean)


def cases(
    entries: Sequence[Entry] = ROSTER, designs: Sequence[str] = DESIGNS, *, each: bool = True
) -> list[Any]:
    """Return what a law is tried on: each metric in each design.

    The many metrics of soft labels are of three kinds for the engine: means, ratios of sums, and
    correlations. One of each kind goes through all designs, each of the others through one in turn; or
    through none, where a law is about the engine alone (`each` False).
    """
    soft = [entry for entry in entries if entry.kind.startswith("soft") and entry.key not in OF_A_KIND]
    return [
        pytest.param(entry, design, id=f"{entry.key}-{design}", marks=marks(entry, design))
        for entry in entries
        for d, design in enumerate(designs)
        if entry not in soft or (each and soft.index(entry) % len(designs) == d)
    ]


def marks(entry: Entry, design: str = "plain") -> list[pytest.MarkDecorator]:
    """Leave all but the representative metrics to `make check`, and most designs that others contain."""
    tried = REPRESENTATIVE if design in ("plain", "both") else IN_EVERY_DESIGN
    return [] if entry.key in tried else [pytest.mark.check]


def each(entries: Sequence[Entry] = ROSTER) -> list[Any]:
    """Return what a law is tried on that has designs of its own: each metric."""
    return [pytest.param(entry, id=entry.key, marks=marks(entry)) for entry in entries]


def by_key(key: str) -> Entry:
    """Return the entry of that name."""
    return next(entry for entry in ROSTER if entry.key == key)


Check = Callable[[Any], None]
