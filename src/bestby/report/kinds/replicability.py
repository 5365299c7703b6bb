"""The report of one p-value per dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bestby._version import __version__
from bestby.report.document import Document, Section
from bestby.report.kinds.datasets import counts, replicability_sentence
from bestby.report.numbers import p_text
from bestby.report.tables import Cell, Column, Row, Table

if TYPE_CHECKING:
    from bestby.results.replicability import Replicability

__all__ = ["COLUMNS", "dictionary", "document", "rows"]

COLUMNS = ("dataset", "p_value", "p_adjusted", "found")
_METHODS = "Partial conjunctions by Bonferroni and by Fisher, monotone (Dror et al. 2017); Holm's list."


def document(r: Replicability) -> Document:
    """Return the report of one p-value per dataset."""
    n = len(r.datasets)
    said = replicability_sentence(r, "datasets")
    section = Section("datasets", f"{said[0].upper()}{said[1:]}", (_datasets(r), _claims(r)))
    return Document(
        title=f"On how many of {n} datasets there is a difference",
        subtitle=f"{n} p-values, level {r.alpha:.6g}",
        sections=(section,),
        notes=(),
        methods=_METHODS,
        settings={"alpha": r.alpha, "datasets": n},
        signature=r.signature,
        version=__version__,
    )


def _datasets(r: Replicability) -> Table:
    columns = (Column("dataset", False, name=True), Column("p", True), Column("p (holm)", True))
    rows = [
        Row((Cell(name, name), _p(p, r.alpha), _p(adjusted, r.alpha)), name in r.found)
        for name, p, adjusted in zip(r.datasets, r.p_values, r.p_adjusted, strict=True)
    ]
    return Table("Datasets", columns, tuple(rows), main=1)


def _claims(r: Replicability) -> Table:
    columns = (Column("at least", True), Column("p (Bonferroni)", True), Column("p (Fisher)", True))
    rows = [
        Row((Cell(str(u), float(u)), _p(first, r.alpha), _p(second, r.alpha)), first <= r.alpha)
        for u, (first, second) in enumerate(zip(r.bonferroni, r.fisher, strict=True), start=1)
    ]
    caption = "Datasets with a difference, at least: the p-value of each claim"
    return Table(caption, columns, tuple(rows), main=1, methods=_METHODS)


def _p(value: float, threshold: float) -> Cell:
    return Cell(p_text(value, threshold), value)


def dictionary(r: Replicability) -> dict[str, Any]:
    """Return the counts as dictionaries and lists."""
    return {"signature": r.signature, **counts(r)}


def rows(r: Replicability) -> list[dict[str, Any]]:
    """Return one row per dataset, with the columns `COLUMNS`."""
    return [
        {"dataset": name, "p_value": p, "p_adjusted": adjusted, "found": name in r.found}
        for name, p, adjusted in zip(r.datasets, r.p_values, r.p_adjusted, strict=True)
    ]
