"""On how many of several datasets there is an effect: partial conjunctions of their p-values, in words."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, ClassVar, TypeVar

import numpy as np
from scipy.special import chdtrc

from bestby._core import arrays, checks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby._core.typing import ArrayLike, FloatArray
from bestby.inference.multiplicity import holm
from bestby.report import column
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Rows, attributes
from bestby.report.figures import drawing
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet, figure
from bestby.report.numbers import p_text, percent
from bestby.report.paper import named
from bestby.report.references import cite
from bestby.report.reported import Drawn, Reported
from bestby.report.tables import Table
from bestby.report.words import listed
from bestby.results.base import Note, Provenance, provenance_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Replicability(Drawn, Reported):
    """On how many datasets there is an effect, and on which.

    Parameters
    ----------
    datasets : tuple of str
        Their names, in the order given.
    p_values : tuple of float
        One p-value per dataset.
    p_adjusted : tuple of float
        The same after Holm's correction over the datasets.
    alpha : float
        The level of the claims.
    bonferroni, fisher : tuple of float
        Entry u - 1 is the p-value of the claim "at least u datasets have an effect", no smaller than
        that of the claim before it.
    k_bonferroni : int
        The number of datasets with an effect, at least; holds under any dependence.
    k_fisher : int
        The same with more power, for independent datasets only.
    found : tuple of str
        The datasets that Holm's procedure names, in the order given; `k_bonferroni` of them.
    notes : tuple of Note
        What must be known about the result.
    provenance : Provenance or None
        Settings, versions and data hash.

    See Also
    --------
    bestby.replicability : Makes it from p-values.
    bestby.compare_datasets : Makes one per pair from scores.
    """

    datasets: tuple[str, ...]
    p_values: tuple[float, ...]
    p_adjusted: tuple[float, ...]
    alpha: float
    bonferroni: tuple[float, ...]
    fisher: tuple[float, ...]
    k_bonferroni: int
    k_fisher: int
    found: tuple[str, ...]
    notes: tuple[Note, ...] = ()
    provenance: Provenance | None = None

    kind: ClassVar[str] = "replicability"

    @staticmethod
    def _report() -> Any:
        return sys.modules[__name__]

    @staticmethod
    def _figure() -> Any:
        return p_value_figure


@with_suggestions
def replicability(p_values: Mapping[str, float] | ArrayLike, *, alpha: float = 0.05) -> Replicability:
    """Count the datasets with an effect, from one p-value per dataset.

    Counting the p-values below 0.05 overstates the number of datasets on which a system is better: of
    twenty datasets without any effect, one is below 0.05 on average. The two counts given here exceed the
    true number with probability `alpha` at most.

    Parameters
    ----------
    p_values : mapping of str to float, or array_like, shape (n,)
        One p-value per dataset; the index of a pandas series names the datasets. From two-sided tests the
        claims are about effects in either direction; to count the datasets on which A is better, give
        p-values of one-sided tests.
    alpha : float
        The probability with which a count may be too high.

    Returns
    -------
    Replicability
        K-Bonferroni, K-Fisher, and the datasets that Holm's procedure names.

    Raises
    ------
    InvalidInputError
        If a p-value is missing or outside [0, 1], or `alpha` is not strictly between 0 and 1.

    See Also
    --------
    compare_datasets : Scores or items of several datasets, with these counts for every pair.

    Notes
    -----
    The estimator is that of [1]_, equation 6 there being made monotone: the largest u such that the
    p-values of the partial conjunctions of 1, 2, ... u are *all* at most `alpha`. The p-value for "at least
    u of n" is (n - u + 1) times the u-th smallest (Bonferroni, any dependence), or that of Fisher's
    combination of the n - u + 1 largest (independence) [2]_. Made monotone, the Bonferroni ones are
    Holm's adjusted p-values, so the count and the list agree.

    References
    ----------
    .. [1] Dror, Baumer, Bogomolov and Reichart (2017), Replicability Analysis for Natural Language
       Processing: Testing Significance with Multiple Datasets, TACL 5, 471-486.
    .. [2] Benjamini and Heller (2008), Screening for partial conjunction hypotheses, Biometrics 64,
       1215-1222.
    .. [3] Holm (1979), Scand. J. Statist. 6, 65-70.

    Examples
    --------
    >>> result = replicability([0.168, 0.297, 0.357, 0.019, 0.218, 0.001])
    >>> result.k_bonferroni, result.k_fisher, result.found
    (1, 2, ('6',))
    """
    names, p = _named(p_values)
    threshold = checks.probability(alpha, "alpha")
    adjusted = holm(p)
    by_bonferroni, by_fisher = partial_conjunctions(p, "bonferroni"), partial_conjunctions(p, "fisher")
    return Replicability(
        datasets=names,
        p_values=tuple(p.tolist()),
        p_adjusted=tuple(adjusted.tolist()),
        alpha=threshold,
        bonferroni=tuple(by_bonferroni.tolist()),
        fisher=tuple(by_fisher.tolist()),
        k_bonferroni=int((by_bonferroni <= threshold).sum()),
        k_fisher=int((by_fisher <= threshold).sum()),
        found=tuple(name for name, value in zip(names, adjusted, strict=True) if value <= threshold),
        provenance=provenance_of(
            {"question": "replicability", "alpha": threshold},
            {"datasets": len(names)},
            (names, p.tolist()),
        ),
    )


def partial_conjunctions(p_values: ArrayLike, combination: str) -> FloatArray:
    """Return the p-values of "at least u of n hypotheses are false", u = 1, ..., n, made monotone.

    The number of entries at most alpha is the estimate of Dror et al. (2017).
    """
    checks.choice(combination, ("bonferroni", "fisher"), "combination")
    p = np.sort(checks.p_values(p_values))
    remaining = np.arange(p.size, 0, -1)  # n - u + 1
    if combination == "bonferroni":
        raw = np.minimum(remaining * p, 1.0)
    else:
        with np.errstate(divide="ignore"):  # a p-value of 0 makes every sum it is in infinite
            logs = -2.0 * np.log(p)
        sums = np.cumsum(logs[::-1])[::-1]
        raw = np.maximum(chdtrc(2.0 * remaining, sums), np.where(p > 0.0, sys.float_info.min, 0.0))
    return np.maximum.accumulate(raw)


def _named(p_values: Any) -> tuple[tuple[str, ...], FloatArray]:
    index = arrays.labels_of(p_values)
    if index is not None and p_values.ndim == 1 and not arrays.is_numbered(index):
        named = dict(zip(map(str, index), arrays.listed(p_values, "p_values"), strict=True))
        if len(named) < len(index):
            raise InvalidInputError(
                "a dataset occurs more than once in the index of p_values",
                hint="give one p-value per dataset",
                argument="p_values",
            )
        p_values = named
    if isinstance(p_values, Mapping):
        names = tuple(
            checks.check_text(checks.name_text(name, "dataset"), "dataset names") for name in p_values
        )
        p = checks.p_values(list(p_values.values()))
    else:
        p = checks.p_values(p_values)
        names = tuple(str(position) for position in range(1, p.size + 1))
    if p.size == 0:
        raise InvalidInputError("at least one p-value is needed, got none", hint="give one per dataset")
    return names, p


# -- what is said of them --------------------------------------------------------------------------


_METHODS = (
    "Partial conjunction tests by Bonferroni and by Fisher, monotone (Dror et al. 2017); Holm's procedure."
)


def document(r: Replicability) -> Document:
    """Return the report of one p-value per dataset."""
    n = len(r.datasets)
    text = sentence(r, "datasets")
    picture = Picture(
        "P-values of the datasets", "Filled: significant after correction.", partial(p_value_figure, r)
    )
    return one_section(
        r,
        title=f"On how many of {n} datasets there is a difference",
        subtitle=f"{n} p-values, level {r.alpha:.6g}",
        methods=_METHODS,
        name="datasets",
        lead=f"{text[0].upper()}{text[1:]}",
        tables=(_datasets(r), _claims(r)),
        pictures=(picture,),
    )


def sentence(r: Replicability, what: str, *, may_be_independent: bool = True) -> str:
    """Return on how many datasets or folds, and on which, there is a difference."""
    n, k = len(r.datasets), r.k_bonferroni
    text = f"a significant difference on at least {k} of {n} {what}"
    text = text if k else f"no significant difference on any of {n} {what}"
    text += " (K-Bonferroni, any dependence)"
    text += f"; on at least {r.k_fisher} if they are independent (K-Fisher)." if may_be_independent else "."
    below = sum(p <= r.alpha for p in r.p_values)
    are = "p-value is" if n == 1 else "p-values is" if below == 1 else "p-values are"
    text += f" Uncorrected, {below} of {n} {are} at most {r.alpha:.6g}."
    return text + (
        f" {what.capitalize()} with a difference by Holm's procedure: {listed(r.found, 12)}."
        if r.found
        else ""
    )


def _datasets(r: Replicability) -> Table:
    level = 1.0 - r.alpha
    columns = (
        column.name("dataset", itemgetter(0)),
        column.p_value("p", itemgetter(1), level),
        column.p_value("p (holm)", itemgetter(2), level),
    )
    entries = zip(r.datasets, r.p_values, r.p_adjusted, strict=True)
    return Table.of("Datasets", columns, entries, lambda e: e[0] in r.found, main=1)


def _claims(r: Replicability) -> Table:
    level = 1.0 - r.alpha
    columns = (
        column.count("at least", itemgetter(0)),
        column.p_value("p (Bonferroni)", itemgetter(1), level),
        column.p_value("p (Fisher)", itemgetter(2), level),
    )
    entries = zip(range(1, len(r.datasets) + 1), r.bonferroni, r.fisher, strict=True)
    caption = "The p-value of the claim that at least so many datasets have a difference"
    return Table.of(caption, columns, entries, lambda e: e[1] <= r.alpha, main=1, methods=_METHODS)


def _rows(r: Replicability) -> Iterator[dict[str, Any]]:
    for name, p, adjusted in zip(r.datasets, r.p_values, r.p_adjusted, strict=True):
        yield {"dataset": name, "p_value": p, "p_adjusted": adjusted, "found": name in r.found}


TABLES = {"datasets": Rows(attributes("dataset", "p_value", "p_adjusted", "found"), _rows)}


def dictionary(r: Replicability) -> dict[str, Any]:
    """Return the counts of datasets with an effect as a dictionary."""
    return {
        "alpha": r.alpha,
        "k_bonferroni": r.k_bonferroni,
        "k_fisher": r.k_fisher,
        "found": list(r.found),
        "p_values": dict(zip(r.datasets, r.p_values, strict=True)),
        "p_adjusted": dict(zip(r.datasets, r.p_adjusted, strict=True)),
        "bonferroni": list(r.bonferroni),
        "fisher": list(r.fisher),
    }


def sentences(r: Replicability) -> Iterator[str]:
    """Yield how p-values of datasets were combined."""
    yield (
        f"From the p-values of {len(r.datasets)} datasets{named(r.datasets)} we counted, at the"
        f" {percent(r.alpha)} level, those on which there is a difference, by partial conjunction tests with"
        f" Bonferroni's and with Fisher's combination of p-values{cite('analysis', 'replicability')}, and"
        f" named them by Holm's procedure{cite('correction', 'holm')}."
    )


_LEAST = 1e-16  # a logarithmic scale has no 0


@figure
def p_value_figure(r: Replicability, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the p-value of each dataset as a tick, after correction as a circle, filled if significant."""
    axes, names = canvas.axes(), canvas.names(r.datasets)
    axes.set_xscale("log")
    axes.set_xlim(min(0.5 * r.alpha, *(0.5 * max(p, _LEAST) for p in r.p_values)), 1.5)
    axes.axvline(r.alpha, color=drawing.FAINT, linewidth=1.0, zorder=1, gid="level")
    for position, (dataset, p, adjusted) in enumerate(zip(r.datasets, r.p_values, r.p_adjusted, strict=True)):
        raw, corrected = max(p, _LEAST), max(adjusted, _LEAST)
        axes.plot((raw, corrected), (position, position), color=drawing.FAINT, linewidth=1.0, zorder=2)
        axes.plot(raw, position, "|", color=drawing.FAINT, markersize=7, zorder=2, gid="raw")
        drawing.mark(axes, position, corrected, None, filled=dataset in r.found)
        texts = f"{p_text(p, r.alpha)}{drawing.GAP}({p_text(adjusted, r.alpha)})"
        drawing.note(axes, position, texts, canvas)
    drawing.labels(axes, [names[one] for one in r.datasets], [one in r.found for one in r.datasets])
    axes.set_xlabel(f"p-value (in brackets after Holm's correction); line: {r.alpha:.6g}", color=drawing.INK)
    keys = [
        drawing.key("significant after Holm's correction", filled=True),
        drawing.key("not significant", filled=False),
        drawing.key("before correction", filled=True, colour=drawing.FAINT, shape="|"),
    ]
    title = f"Significant on at least {r.k_bonferroni} of {len(names)} datasets"
    return Sheet(axes, drawing.ROW * len(names), title=title, keys=keys)


Names = tuple[str, str]
"""The names of two systems."""

V = TypeVar("V")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ByPair(Mapping[Names, V]):
    """Results for pairs of systems, looked up by the two names in either order.

    It is equal to any mapping with the same items.

    Parameters
    ----------
    of : mapping of (str, str) to object
        Per pair as it was tested.
    """

    of: Mapping[Names, V]

    what: ClassVar[str]
    """What is looked up, for messages."""
    needs: ClassVar[str] = ""
    """Why a comparison may hold none at all."""
    hint: ClassVar[str] = ""
    """What to do about that."""

    def __getitem__(self, key: Names) -> V:
        if key in self.of:
            return self.of[key]
        reverse = key[::-1] if isinstance(key, tuple) else key
        if reverse in self.of:
            return self._mirrored(reverse)
        if not self.of:
            raise InvalidInputError(f"this comparison has no {self.what}: {self.needs}", hint=self.hint)
        raise InvalidInputError(
            f"no {self.what} of {quoted(key)} in this comparison",
            hint="pairs: " + ", ".join(quoted(pair) for pair in list(self.of)[:12]),
        )

    @abstractmethod
    def _mirrored(self, key: Names) -> V:
        """Return the result for a pair, its systems exchanged."""

    def __contains__(self, key: object) -> bool:
        return key in self.of or (isinstance(key, tuple) and key[::-1] in self.of)

    def get(self, key: Names, default: Any = None) -> Any:
        """Return the result for a pair, or a default if there is none in this order."""
        return self[key] if key in self else default  # noqa: SIM401 - this is what `get` is

    def __iter__(self) -> Iterator[Names]:
        return iter(self.of)

    def __len__(self) -> int:
        return len(self.of)

    def __repr__(self) -> str:
        return repr(dict(self.of))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Counts(ByPair[Replicability]):
    """On how many datasets or folds two systems differ, by the names of the two.

    Parameters
    ----------
    of : mapping of (str, str) to Replicability
        Per pair as it was tested.
    alternative : {"two-sided", "greater", "less"}
        Of the tests. Counts of differences in either direction are the same for (A, B) and (B, A). Those of
        one-sided tests are of one direction, and belong to the pair in the order in which it was tested.

    See Also
    --------
    DatasetComparison : Holds them as `replicability`.
    FoldComparison : Holds them as `effects`.
    """

    alternative: str = "two-sided"

    what: ClassVar[str] = "counts"
    needs: ClassVar[str] = "scores without items or runs have none, nor has a comparison without tests"
    hint: ClassVar[str] = "give the predictions or scores of the items, and a test"

    def _mirrored(self, key: Names) -> Replicability:
        if self.alternative == "two-sided":
            return self.of[key]
        raise InvalidInputError(
            f"the one-sided tests asked whether the score of {quoted(key[0])} is {self.alternative}"
            f" than that of {quoted(key[1])}: there is no count for the other direction",
            hint=f"look up {quoted(key)}, or give the systems in the other order",
        )

    def __contains__(self, key: object) -> bool:
        return key in self.of or (self.alternative == "two-sided" and ByPair.__contains__(self, key))


def by_pair(counts: Mapping[tuple[str, str], Replicability]) -> list[dict[str, Any]]:
    """Return the counts of each pair of systems."""
    return [{"a": a, "b": b, **dictionary(r)} for (a, b), r in counts.items()]
