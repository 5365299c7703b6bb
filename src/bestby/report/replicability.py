"""How many datasets have an effect: the record of one p-value per dataset, its report, counts by pair."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, ClassVar, TypeVar

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
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
from bestby.results.base import Note, Provenance


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
    text = f"a difference on at least {k} of {n} {what}" if k else f"no difference shown on any of {n} {what}"
    text += " (K-Bonferroni, any dependence)"
    text += f"; on at least {r.k_fisher} if they are independent (K-Fisher)." if may_be_independent else "."
    below = sum(p <= r.alpha for p in r.p_values)
    text += f" Uncorrected, {below} of the p-values are at most {r.alpha:.6g}."
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
        drawing.key("a difference, after Holm's correction", filled=True),
        drawing.key("none shown", filled=False),
        drawing.key("before correction", filled=True, colour=drawing.FAINT, shape="|"),
    ]
    title = f"A difference on at least {r.k_bonferroni} of {len(names)} datasets"
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
