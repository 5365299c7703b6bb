"""The report of items drawn to be labelled."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import attrgetter
from typing import Any

from bestby._core.text import counted, grouped
from bestby.questions.labels.figure import chosen as draw
from bestby.questions.labels.result import ChosenItems
from bestby.report import column
from bestby.report.column import Cell, Column
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows, attributes
from bestby.report.numbers import DASH
from bestby.report.references import cite
from bestby.report.tables import Table

_MOST_ROWS = 20
_STRATA_OF = {
    "score": "quantiles of the judge's mean score",
    "disagreement": "quantiles of how far the judge's scores of the systems disagree",
    "strata": "the strata given",
}


def _columns(c: ChosenItems) -> tuple[Field, ...]:
    """Return the columns of the items: no empty column of clusters or strata, which would be read back."""
    clusters = ("cluster",) if c.n_clusters else ()
    strata = ("stratum",) if c.stratify_by is not None else ()
    return attributes("item", *clusters, *strata, "probability")


TABLES = {
    "items": Rows(_columns, attrgetter("chosen")),
    "strata": Rows(attributes("name", "n_units", "n_chosen", "probability", "sd"), attrgetter("strata")),
}


def document(c: ChosenItems) -> Document:
    """Return the report: how many were drawn of how many, the strata, and the first items."""
    shuffled = len(c) == c.n_items and c.shuffled
    title = (
        f"{grouped(len(c))} items in random order"
        if shuffled
        else f"{grouped(len(c))} of {grouped(c.n_items)} items to label"
    )
    tables: tuple[Table, ...] = (_items(c),)
    pictures: tuple[Picture, ...] = ()
    if c.stratify_by is not None:
        tables = (_strata(c), *tables)
        caption = "The numbers are units drawn of all."
        pictures = (Picture("Share drawn of each stratum", caption, partial(draw, c)),)
    return one_section(
        c,
        title=title,
        subtitle=_extent(c),
        methods=methods(c),
        name="items",
        lead=chosen_lead(c),
        tables=tables,
        pictures=pictures,
    )


def _extent(c: ChosenItems) -> str:
    items = counted(c.n_items, "item")
    return f"{items} in {counted(c.n_clusters, 'cluster')}" if c.n_clusters else items


def chosen_lead(c: ChosenItems) -> str:
    """Return what was drawn in a sentence."""
    if len(c) == c.n_items:
        order = "random order" if c.shuffled else "the order of the data"
        return f"All {_extent(c)} are listed in {order}."
    unit = "cluster" if c.n_clusters else "item"
    units, pool = sum(s.n_chosen for s in c.strata), sum(s.n_units for s in c.strata)
    text = f"{units} of {counted(pool, unit)} were drawn at random"
    if c.n_clusters:
        text += f", with {counted(len(c), 'item')} to label"
    if c.stratify_by is None:
        return f"{text}; each had the probability {c.strata[0].probability:.4g}."
    low, high = (end(s.probability for s in c.strata) for end in (min, max))
    spread = f"{low:.4g}" if f"{low:.4g}" == f"{high:.4g}" else f"{low:.4g} to {high:.4g}"
    return f"{text} from {len(c.strata)} strata; the probability to be drawn was {spread}."


def methods(c: ChosenItems) -> str:
    """Return how the items were drawn."""
    seed = f"seed {c.provenance.seed}"
    if c.stratify_by is None:
        whole = "clusters were drawn as wholes, " if c.n_clusters else ""
        return f"Simple random draw without replacement, {whole}{seed}."
    how = "in proportion to the sizes of the strata" if c.allocation == "proportional" else "by Neyman"
    return f"Random draw from each stratum ({_STRATA_OF[c.stratify_by]}), allocated {how}, {seed}."


def _strata(c: ChosenItems) -> Table:
    unit = "clusters" if c.n_clusters else "items"
    columns = (
        column.name("stratum", attrgetter("name")),
        column.count(unit, attrgetter("n_units")),
        column.count("drawn", attrgetter("n_chosen")),
        _probability(),
        Column("SD", lambda s: Cell(f"{s.sd:.4g}", s.sd), applies=c.allocation == "neyman"),
    )
    return Table.of("Strata", columns, c.strata, main=2)


def _items(c: ChosenItems) -> Table:
    shown = c.chosen[:_MOST_ROWS]
    rest = "" if len(shown) == len(c) else f" (the first {len(shown)} of {len(c)}; CSV and JSON hold all)"
    columns = (
        column.name("item", lambda one: str(one.item)),
        column.text("cluster", lambda one: one.cluster or DASH, applies=bool(c.n_clusters)),
        column.text("stratum", lambda one: one.stratum or DASH, applies=c.stratify_by is not None),
        _probability(),
    )
    return Table.of(f"Items to label{rest}", columns, shown, main=0)


def _probability() -> Column:
    return Column("probability", lambda one: Cell(f"{one.probability:.4g}", one.probability))


def dictionary(c: ChosenItems) -> dict[str, Any]:
    """Return the draw as dictionaries and lists."""
    names = ("n_items", "n_clusters", "stratify_by", "allocation", "shuffled")
    return {
        **{name: getattr(c, name) for name in names},
        "strata": TABLES["strata"].rows(c),
        "items": TABLES["items"].rows(c),
    }


def sentences(c: ChosenItems) -> Iterator[str]:
    """Yield how the items to label were drawn."""
    lead = chosen_lead(c).removesuffix(".")
    yield f"We chose items to label: {lead[0].lower()}{lead[1:]}{cite('analysis', 'sampling')}."
    yield methods(c)
