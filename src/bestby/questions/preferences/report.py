"""The report of a comparison by preferences, and its figures."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from bestby.questions.preferences.result import PreferenceComparison, PreferenceDifference
from bestby.report import column, words
from bestby.report.document import MOST_PAIRS, Document, Picture, forest_picture, one_section, subtitle
from bestby.report.fields import DIFFERENCE, INTERVAL, SCORE, Field, Rows, attributes, interval_ends
from bestby.report.figures import forest
from bestby.report.figures.canvas import Canvas
from bestby.report.figures.systems import checked_kind, plot_systems
from bestby.report.figures.systems import scores as draw_scores
from bestby.report.numbers import DASH, Rounding, percent
from bestby.report.paper import against, drawn, inference, named
from bestby.report.references import cite
from bestby.report.tables import (
    Table,
    difference_rounding,
    differences_table,
    marks,
    pairs_matrix,
    systems_table,
    why_marked,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MODELS = {
    "half": "Strengths: Bradley and Terry's model by maximum likelihood, a tie being half a win for both.",
    "davidson": "Strengths: Davidson's model of preferences with ties, by maximum likelihood.",
}


def document(c: PreferenceComparison) -> Document:
    """Return the report: strengths and win rates, differences, how often who is preferred in each pair."""
    metric, digits = c.metrics[0], difference_rounding(c)
    return one_section(
        c,
        title=f"{len(c.systems)} systems compared by preferences",
        subtitle=subtitle(c, c.extent),
        methods=f"{_MODELS[c.tie_model]} {words.methods_sentence(c)}",
        name=metric.name,
        lead=words.headline(c, metric),
        tables=(_systems(c), differences_table(c, metric), _preferences(c)),
        details=_ties(c),
        pictures=tuple(_pictures(c)),
        readings=tuple(difference_sentence(d, digits) for d in c.differences),
        pairs=partial(pairs_matrix, c, metric),
    )


def _ties(c: PreferenceComparison) -> tuple[str, ...]:
    if c.tie_model != "davidson":
        return ()

    def share(nu: float) -> str:
        return f"{nu / (2.0 + nu):.2f}"  # of equal systems: nu beside one and one

    ends = c.tie_interval
    sure = "" if ends is None else f" [{share(ends.low)}, {share(ends.high)}]"
    return (f"Two systems of equal strength tie with probability {share(c.tie_parameter)}{sure}.",)


_RECORD = column.count(f"wins{DASH}ties{DASH}losses", attrgetter("wins", "ties", "losses"))


def _systems(c: PreferenceComparison) -> Table:
    """Return the table of systems with their win rates and judgements beside the strengths."""
    digits = Rounding.of([(s.win_rate, s.win_rate_interval) for s in c.systems])
    columns = (
        column.number("win rate", digits, attrgetter("win_rate")),
        column.interval(
            c.level, digits, attrgetter("win_rate_interval"), applies=words.computed(c, "interval")
        ),
        _RECORD,
    )
    return systems_table(c, c.metrics[0], beside_interval=columns, methods=_MODELS[c.tie_model])


def _preferences(c: PreferenceComparison) -> Table:
    """Return how often the first is preferred to the second by the strengths, and how often it was."""
    digits = Rounding.of([(d.probability, d.probability_interval) for d in c.differences])
    sides = column.sides(c.differences)
    columns = (
        *sides.columns,
        column.number("probability", digits, attrgetter("probability")),
        column.interval(
            c.level, digits, attrgetter("probability_interval"), applies=words.computed(c, "interval")
        ),
        _RECORD,
        marks(c.differences),
    )
    caption = f"Probability that {sides.one} is preferred to {sides.other} by the strengths (a tie counts"
    caption += " half), and the judgements"
    footnote = why_marked(c.differences, c)
    return Table.of(
        caption,
        columns,
        c.differences,
        words.stands_out,
        part="preferences",
        details=True,
        main=len(sides.columns),
        footnote=footnote,
    )


def _pictures(c: PreferenceComparison) -> Iterator[Picture]:
    name = c.metrics[0].name
    bounded = words.computed(c, "interval")
    caption = f"The line is the {percent(c.level)} interval of the {name}." if bounded else f"The {name}."
    yield Picture(f"Strengths of {len(c.systems)} systems", caption, partial(draw_scores, c))
    if 1 < len(c.differences) <= MOST_PAIRS:
        yield forest_picture(c, name, len(c.differences), partial(forest.forest, c))


def difference_sentence(d: PreferenceDifference, rounding: Rounding | None = None) -> str:
    """Return one difference in plain words: how often who is preferred, and how sure that is."""
    digits = Rounding.of([(d.probability, d.probability_interval)])
    lead = f"{d.a} is preferred to {d.b} with probability {digits.text(d.probability)}"
    if d.probability_interval is not None or d.standard_error is not None:
        lead += f" {digits.interval(d.probability_interval)}"
    met = f"it won {d.wins}, tied {d.ties} and lost {d.losses} of {d.n_items} judgements"
    met = met if d.n_items else "the two were never judged against each other"
    return f"{lead}; {met}. {words.difference_sentence(d, rounding)}"


_WINS = attributes("wins", "ties", "losses")
TABLES = {
    "differences": Rows(
        (
            *DIFFERENCE,
            Field("probability"),
            *interval_ends("probability_interval", "probability_low", "probability_high"),
            *_WINS,
        ),
        attrgetter("differences"),
    ),
    "scores": Rows(
        (
            *SCORE,
            Field("robust_error", needs=INTERVAL),
            Field("win_rate"),
            *interval_ends("win_rate_interval", "win_rate_low", "win_rate_high"),
            *_WINS,
        ),
        attrgetter("systems"),
    ),
}


def dictionary(c: PreferenceComparison) -> dict[str, Any]:
    """Return the comparison as dictionaries and lists."""
    tie = None
    if c.tie_model == "davidson":
        tie = {"parameter": c.tie_parameter}
        if c.tie_interval is not None:
            tie |= {"low": c.tie_interval.low, "high": c.tie_interval.high}
    return {
        "n_judgements": c.n_items,
        "n_clusters": c.n_clusters or None,
        "ties": c.tie_model,
        "tie": tie,
        "systems": TABLES["scores"].rows(c),
        "differences": TABLES["differences"].rows(c),
    }


def sentences(c: PreferenceComparison) -> Iterator[str]:
    """Yield how systems were compared by judgements."""
    names = [entry.system for entry in c.systems]
    yield f"We compared {len(names)} systems{named(names)} by {c.extent}{against(c.baseline)}."
    model = "the model of Bradley and Terry, a tie counting as half a win for both"
    model = model if c.tie_model == "half" else "Davidson's model of preferences with ties"
    yield f"Their strengths were fitted by maximum likelihood to {model}{cite('model', c.tie_model)}."
    yield from inference(c, c.differences, over=" of the log strengths", systems=c.systems)
    yield drawn(c, c.differences, *(entry.interval for entry in c.systems))


NO_PERCENT = "strengths have no scale from 0 to 1"
"""Why differences are not shown in percent."""


def preferences(c: PreferenceComparison, metric: str | None, kind: str, canvas: Canvas) -> Axes:
    """Draw strengths or differences; see `PreferenceComparison.plot`."""
    kind = checked_kind(kind, "preferences")
    return plot_systems(c, metric, "scores" if kind == "auto" else kind, canvas)
