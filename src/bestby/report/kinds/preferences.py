"""The report of a comparison by preferences."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Any

from bestby._core import checks
from bestby.report import data, summary, words
from bestby.report.document import Document, Picture, Section
from bestby.report.kinds.comparison import settings
from bestby.report.numbers import DASH, Rounding, ends, percent
from bestby.report.tables import (
    Cell,
    Column,
    Row,
    Table,
    difference_rounding,
    differences_table,
    systems_table,
)
from bestby.results.base import MetricInfo
from bestby.results.preferences import PreferenceComparison, PreferenceDifference, PreferenceScore

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = (
    *data.COLUMNS,
    "probability",
    "probability_low",
    "probability_high",
    "wins",
    "ties",
    "losses",
)
_MOST_DRAWN = 130
_MODELS = {
    "half": "Strengths: Bradley and Terry's model by maximum likelihood, a tie being half a win for both",
    "davidson": "Strengths: Davidson's model of preferences with ties, by maximum likelihood",
}


def document(c: PreferenceComparison) -> Document:
    """Return the report of a comparison by preferences.

    It shows systems with strengths and win rates, differences, and pair by pair who is preferred how often.
    """
    metric = c.metrics[0]
    subtitle = f"{c.extent}, {percent(c.level)} intervals"
    if c.baseline is not None:
        subtitle += f", against the baseline {c.baseline}"
    digits = difference_rounding(c, metric)
    section = Section(
        name=metric.name,
        lead=summary.headline(c, metric),
        tables=(_systems(c, metric), differences_table(c, metric), _preferences(c)),
        remarks=_remarks(c),
        pictures=tuple(_pictures(c)),
        readings=tuple(difference_sentence(d, digits) for d in c.differences),
    )
    return Document(
        title=f"{len(c.systems)} systems compared by preferences",
        subtitle=subtitle,
        sections=(section,),
        notes=tuple(summary.note_lines(c)),
        methods=f"{_model(c)} {summary.methods_sentence(c)}",
        settings=settings(c.provenance),
        signature=c.signature,
        version=c.provenance.version,
    )


def _model(c: PreferenceComparison) -> str:
    return f"{_MODELS[c.tie_model]}."


def _remarks(c: PreferenceComparison) -> tuple[str, ...]:
    if c.tie_interval is None:
        return ()
    # Of equal systems: nu beside one and one.
    share, low, high = (nu / (2.0 + nu) for nu in (c.tie_parameter, c.tie_interval.low, c.tie_interval.high))
    return (f"Two systems of equal strength tie with probability {share:.2f} [{low:.2f}, {high:.2f}].",)


# -- tables ----------------------------------------------------------------------------------------


def _systems(c: PreferenceComparison, metric: MetricInfo) -> Table:
    """Return the table of systems with their win rates and judgements beside the strengths."""
    base = systems_table(c, metric)
    digits = Rounding.of([(s.win_rate, s.win_rate_interval) for s in c.systems])
    columns = list(base.columns)
    columns[4:4] = [
        Column("win rate", True),
        Column(f"{percent(c.level)} interval", True),
        Column(f"wins{DASH}ties{DASH}losses", True),
    ]
    rows = []
    for row, entry in zip(base.rows, c.systems, strict=True):
        cells = list(row.cells)
        cells[4:4] = [
            Cell(digits.text(entry.win_rate), entry.win_rate),
            Cell(digits.interval(entry.win_rate_interval), ends(entry.win_rate_interval)[0]),
            _record(entry),
        ]
        rows.append(Row(tuple(cells), row.strong))
    return dataclasses.replace(base, columns=tuple(columns), rows=tuple(rows), methods=_model(c))


def _record(entry: PreferenceScore | PreferenceDifference) -> Cell:
    return Cell(DASH.join(map(str, (entry.wins, entry.ties, entry.losses))), float(entry.wins))


def _preferences(c: PreferenceComparison) -> Table:
    """Return how often A is preferred to B by the strengths, and how often it was."""
    digits = Rounding.of([(d.probability, d.probability_interval) for d in c.differences])
    columns = (
        Column("A", False, name=True),
        Column("B", False, name=True),
        Column("P(A over B)", True),
        Column(f"{percent(c.level)} interval", True),
        Column(f"wins{DASH}ties{DASH}losses", True),
    )
    rows = tuple(
        Row(
            (
                Cell(d.a, d.a),
                Cell(d.b, d.b),
                Cell(digits.text(d.probability), d.probability),
                Cell(digits.interval(d.probability_interval), ends(d.probability_interval)[0]),
                _record(d),
            ),
            words.stands_out(d),
        )
        for d in c.differences
    )
    return Table("Preferences: probability by the strengths, a tie counting half; judgements", columns, rows)


# -- figures and words -----------------------------------------------------------------------------


def _pictures(c: PreferenceComparison) -> list[Picture]:
    name = c.metrics[0].name
    told = f"The line is the {percent(c.level)} interval of the {name}."
    pictures = [
        Picture(f"Strengths of {len(c.systems)} systems", told, partial(draw, c, None, None, "scores"))
    ]
    if 1 < len(c.differences) <= _MOST_DRAWN:
        told = "A filled marker is a difference that the test, after any correction, finds significant."
        label = f"Forest plot of {len(c.differences)} differences in {name}"
        pictures.append(Picture(label, told, partial(draw, c, None, None, "forest")))
    return pictures


def draw(c: PreferenceComparison, metric: str | None, ax: Any, kind: str) -> Axes:
    """Draw strengths or differences; see `PreferenceComparison.plot`."""
    from bestby.report.figures import forest

    axes: Axes = getattr(forest, checks.choice(kind, ("scores", "forest"), "kind"))(c, metric, ax)
    return axes


def difference_sentence(d: PreferenceDifference, rounding: Rounding | None = None) -> str:
    """Return one difference in plain words: how often who is preferred, and how sure that is."""
    shown = d.mirrored() if d.ahead == d.b else d
    digits = Rounding.of([(shown.probability, shown.probability_interval)])
    interval = digits.interval(shown.probability_interval)
    lead = f"{shown.a} is preferred to {shown.b} with probability {digits.text(shown.probability)} {interval}"
    met = f"it won {shown.wins}, tied {shown.ties} and lost {shown.losses} of {shown.n_items} judgements"
    met = met if shown.n_items else "the two were never judged against each other"
    return f"{lead}; {met}. {words.difference_sentence(d, rounding)}"


# -- data ------------------------------------------------------------------------------------------


def rows(c: PreferenceComparison) -> list[dict[str, Any]]:
    """Return one row per difference, with the columns `COLUMNS`."""
    return [_row(d) for d in c.differences]


def _row(d: PreferenceDifference) -> dict[str, Any]:
    more = (d.probability, *ends(d.probability_interval), d.wins, d.ties, d.losses)
    return data.row(d) | dict(zip(COLUMNS[len(data.COLUMNS) :], more, strict=True))


def dictionary(c: PreferenceComparison) -> dict[str, Any]:
    """Return the comparison as dictionaries and lists."""
    tie = None
    if c.tie_interval is not None:
        tie = {"parameter": c.tie_parameter, "low": c.tie_interval.low, "high": c.tie_interval.high}
    return {
        "signature": c.signature,
        "n_judgements": c.n_items,
        "n_clusters": c.n_clusters or None,
        "ties": c.tie_model,
        "tie": tie,
        "systems": [_system(entry) for entry in c.systems],
        "differences": rows(c),
        "notes": data.noted(summary.all_notes(c)),
        "provenance": data.made_by(c.provenance),
    }


def _system(entry: PreferenceScore) -> dict[str, Any]:
    return {
        "metric": entry.metric,
        "system": entry.system,
        "score": entry.score,
        "low": ends(entry.interval)[0],
        "high": ends(entry.interval)[1],
        "standard_error": entry.standard_error,
        "standard_error_method": entry.standard_error_method,
        "robust_error": entry.robust_error,
        "win_rate": entry.win_rate,
        "win_rate_low": ends(entry.win_rate_interval)[0],
        "win_rate_high": ends(entry.win_rate_interval)[1],
        "wins": entry.wins,
        "ties": entry.ties,
        "losses": entry.losses,
        "rank_low": entry.rank_low,
        "rank_high": entry.rank_high,
        "group": entry.group,
    }
