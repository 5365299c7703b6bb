"""The report of a comparison on one test set."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from bestby.report import data, summary, words
from bestby.report.data import COLUMNS
from bestby.report.document import Document, Picture, Section
from bestby.report.kinds import many_systems
from bestby.report.numbers import ends, margin_text, percent
from bestby.report.tables import (
    difference_rounding,
    differences_of,
    differences_table,
    systems_of,
    systems_table,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.base import MetricInfo, Provenance
    from bestby.results.comparison import Comparison, SystemScore

__all__ = ["COLUMNS", "dictionary", "document", "rows", "settings"]

_MOST_DRAWN = 130  # pairs in a figure: those of 16 systems


def document(c: Comparison, top: int | None = None) -> Document:
    """Return the report of a comparison.

    `top` says how many of the best systems to show; without it all, or 20 of more than 50. It shows a section
    per metric: systems, differences, the forest plot, every difference in words.
    """
    n_systems = len({entry.system for entry in c.systems})
    view = many_systems.cut(c, top)
    subtitle = f"{c.extent}, {percent(c.level)} intervals"
    if c.baseline is not None:
        subtitle += f", against the baseline {c.baseline}"
    if c.margin is not None:
        subtitle += f", smallest difference that matters {margin_text(c.margin)}"
    return Document(
        title=f"{n_systems} systems compared by {words.listed([metric.name for metric in c.metrics], 3)}",
        subtitle=subtitle,
        sections=tuple(
            _section(c, metric) if view is None else many_systems.section(c, metric, view)
            for metric in c.metrics
        ),
        notes=tuple(summary.note_lines(c)),
        methods=summary.methods_sentence(c),
        settings=settings(c.provenance),
        signature=c.signature,
        version=c.provenance.version,
    )


def _section(c: Comparison, metric: MetricInfo) -> Section:
    differences = differences_of(c, metric)
    digits = difference_rounding(c, metric)
    tables = [systems_table(c, metric)] + ([differences_table(c, metric)] if differences else [])
    omnibus = summary.omnibus_sentence(c, metric)
    return Section(
        name=metric.name,
        lead=summary.headline(c, metric),
        tables=tuple(tables),
        remarks=() if omnibus is None else (omnibus,),
        pictures=pictures(c, metric),
        readings=tuple(words.difference_sentence(d, digits) for d in differences),
    )


def pictures(c: Comparison, metric: MetricInfo) -> tuple[Picture, ...]:
    """Return the figures of one metric: the forest plot, or the scores if there are too many pairs for it."""
    n_pairs = len(differences_of(c, metric))
    if n_pairs == 0:
        return ()
    if n_pairs > _MOST_DRAWN:
        label = f"Scores of {len(systems_of(c, metric))} systems in {metric.name}"
        told = f"The scores only: {n_pairs} differences are too many for one figure."
        return (Picture(label, told, partial(_drawn, "scores", c, metric.name)),)
    told = "A filled marker is a difference that the test, after any correction, finds significant."
    if c.margin is not None:
        told += " The band is the margin."
    label = f"Forest plot of {n_pairs} differences in {metric.name}"
    return (Picture(label, told, partial(_drawn, "forest", c, metric.name)),)


def dictionary(c: Comparison) -> dict[str, Any]:
    """Return the comparison as dictionaries and lists."""
    return {
        "signature": c.signature,
        "n_items": c.n_items,
        "systems": [_system(entry) for entry in c.systems],
        "differences": list(rows(c)),
        "omnibus": [
            {
                "metric": test.metric,
                "name": test.name,
                "statistic": test.statistic,
                "df": test.df,
                "p_value": test.p_value,
            }
            for test in c.omnibus
        ],
        "notes": data.noted(summary.all_notes(c)),
        "provenance": data.made_by(c.provenance),
    }


def rows(c: Comparison) -> Iterable[dict[str, Any]]:
    """Yield one row per difference, with the columns `COLUMNS`."""
    return data.rows(c.differences)


def _system(entry: SystemScore) -> dict[str, Any]:
    return {
        "metric": entry.metric,
        "system": entry.system,
        "score": entry.score,
        "low": ends(entry.interval)[0],
        "high": ends(entry.interval)[1],
        "rank_low": entry.rank_low,
        "rank_high": entry.rank_high,
        "group": entry.group,
        "standard_error": entry.standard_error,
        "standard_error_method": entry.standard_error_method,
    }


def _drawn(name: str, c: Comparison, metric: str) -> Axes:
    from bestby.report.figures import forest

    axes: Axes = getattr(forest, name)(c, metric)
    return axes


def settings(p: Provenance) -> dict[str, Any]:
    """Return everything that made the numbers, by name."""
    return {
        **p.settings,
        "resamples": p.n_resamples,
        "seed": p.seed,
        **p.data,
        "data hash": p.data_hash,
        "bestby": p.version,
        **p.versions,
    }
