"""The report of a comparison by preferences, and its figures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from bestby.questions.preferences.figure import rankings
from bestby.questions.preferences.result import PreferenceComparison, PreferenceDifference, PreferenceScore
from bestby.report import column, data, fields, paper, tables, words
from bestby.report.document import MOST_PAIRS, Document, Picture, best_systems, forest_picture, one_section
from bestby.report.document import subtitle as rests_on
from bestby.report.fields import Field, Rows, attributes, interval_ends, values
from bestby.report.figures import forest, systems
from bestby.report.figures.canvas import Canvas
from bestby.report.numbers import DASH, MINUS, Rounding, alpha, p_clause, percent, percent_of
from bestby.report.references import cite
from bestby.report.tables import BEST, Table
from bestby.results.values import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MODELS = {
    "half": "Strengths: Bradley and Terry's model by maximum likelihood, a tie being half a win for both.",
    "davidson": "Strengths: Davidson's model of preferences with ties, by maximum likelihood.",
}

UNFIT = 0.01
"""The p-value below which the tests of the model are told in the short answer."""

MOST_LINES = 3
"""Systems, or voters, of one kind that have a line each."""


def document(c: PreferenceComparison) -> Document:
    """Return the report: strengths and win rates, differences, how often who is preferred in each pair."""
    metric, shown = c.metrics[0], best_systems(c, None) or c
    digits = tables.difference_rounding(shown)
    preferences: Any = shown.differences
    return one_section(
        c,
        title=f"{len(c.systems)} systems compared by preferences",
        subtitle=rests_on(c, c.extent),
        methods=f"{_model(c)} {words.methods_sentence(c)}",
        name=metric.name,
        lead=_cycle(c) + words.headline(c, metric),
        tables=(
            _systems(c), *_both_rankings(c), tables.differences_table(shown, metric), _preferences(shown)
        ),
        remarks=tuple(_remarks(c, digits)),
        details=tuple(_details(c)),
        pictures=tuple(_pictures(c)),
        readings=tuple(difference_sentence(d, digits) for d in preferences),
        pairs=partial(tables.pairs_matrix, c, metric, shown),
    )  # fmt: skip


def _model(c: PreferenceComparison) -> str:
    """Return what was fitted."""
    ordered = c.order is not None and c.order.included
    text = _MODELS[c.tie_model] + " An effect of being shown first is in the model." * ordered
    return text + _on_weights(c) + " Estimates have Jeffreys' prior." * bool(c.prior)


def _on_weights(c: PreferenceComparison) -> str:
    """Return what unequal weights estimate."""
    if c.provenance.settings.get("voter_weights") != "shrunk":
        return ""
    return (
        " Judgements count less the more their voter gave, as far as voters differ: strengths are those of"
        " the mean voter."
    )


# -- sentences -------------------------------------------------------------------------------------


def _cycle(c: PreferenceComparison) -> str:
    """Return the cycle, which is said before any ranking, and a space; "" if there is none."""
    cycle = c.fit and c.fit.cycle
    if not cycle or not cycle.closed or cycle.p_value >= UNFIT:
        return ""
    x, y, z = cycle.systems
    shares = ", ".join(percent_of(share)[:-2] for share in cycle.shares)
    return (
        f"{x} beats {y}, {y} beats {z}, {z} beats {x} ({shares} %): no ranking describes these three"
        f" ({p_clause(cycle.p_value)}). "
    )


def _remarks(c: PreferenceComparison, digits: Rounding) -> Iterator[str]:
    """Yield what must be known to read the strengths, a line per idea."""
    yield from _on_order(c, digits)
    yield from _on_infinite(c, digits)
    yield from _on_covariates(c)
    if c.fit is not None and c.fit.p_value < UNFIT and not _cycle(c):
        yield f"Strengths do not describe all pairs ({_fit(c)})."
    for one in c.influence[:MOST_LINES]:
        before, after = map(digits.text, (one.before, one.after))
        leads = "" if one.leader == c.systems[0].system else f"; {one.leader} is then the strongest"
        yield (
            f"Leaving out voter {one.voter} ({percent_of(one.share)}) moves {one.a} {MINUS} {one.b} from"
            f" {before} to {after}{leads}."
        )
    if len(c.influence) > MOST_LINES:
        yield f"{len(c.influence) - MOST_LINES} more voters move a difference by themselves."


def _on_order(c: PreferenceComparison, digits: Rounding) -> Iterator[str]:
    order = c.order
    if order is None:
        return
    won, ends = f"The first-shown answer won {100.0 * order.share:.1f} %", order.share_interval
    won += "" if ends is None else f" [{100.0 * ends.low:.1f}, {100.0 * ends.high:.1f}]"
    if order.included:
        between = f"between equals the first wins {100.0 * order.probability:.1f} %"
        text = f"{won}; order is in the model ({between})"
        uneven = _most_unbalanced(c)
        if order.without and order.p_value <= alpha(c.level) and uneven is not None:
            x, y, lead = order.without
            text += (
                f". {uneven.system} was shown first in {percent_of(uneven.first_share or 0.0)} of its"
                f" judgements: without order in the model {x} would lead {y} by {digits.text(float(lead))}"
            )
        yield f"{text}."
        if order.by_pair_p is not None and order.by_pair_p < UNFIT:
            yield f"The effect of order differs between pairs ({p_clause(order.by_pair_p)})."
        return
    undone = ""
    if order.undone_by is not None:
        share, (x, y) = percent_of(1.0 / (1.0 + math.exp(-order.undone_by))), order.undone
        undone = f"; one by which {share} of the first shown win between equals would undo that {x} and {y}"
        undone += " differ"
    n_finite = sum(math.isfinite(entry.score) for entry in c.systems)
    pairs = "every pair" if n_finite == len(c.systems) else "every pair of finite difference"
    pairs = f"{pairs} was shown in one order only" if n_finite > 1 else "no difference is finite"
    if order.within > 0.0:
        pairs = "hardly any pair was shown in both orders"
    why = {
        "one order": f"{pairs}: an order effect cannot be separated from strength{undone}.",
        "separated": "it always did, but for what strengths explain: order is left out of the model. Does the"
        " first column hold the winner of each judgement?",
        "left out": f"order was left out of the model{undone}.",
    }
    yield f"{won}; {why[order.status]}"


def _most_unbalanced(c: PreferenceComparison) -> PreferenceScore | None:
    """Return the system that was shown first too often or too rarely for chance by the most."""

    def off(entry: PreferenceScore) -> float:
        return abs((entry.first_share or 0.5) - 0.5)

    # Both a deviation that chance hardly gives, and one that matters
    far = [one for one in c.systems if off(one) > 0.05 and 2.0 * off(one) * math.sqrt(_n(one)) > 4.0]
    return max(far, key=off, default=None)


def _n(entry: PreferenceScore) -> int:
    return entry.wins + entry.ties + entry.losses


def _on_infinite(c: PreferenceComparison, digits: Rounding) -> Iterator[str]:
    """Yield what is known of systems without a finite strength."""
    finite = next((entry for entry in c.systems if math.isfinite(entry.score)), None)
    beyond = [entry for entry in c.systems if not math.isfinite(entry.score)]
    for entry in beyond[:MOST_LINES]:
        if math.isnan(entry.score):
            yield f"No wins and ties connect {entry.system} with most others: its strength is unknown."
            continue
        up = entry.score > 0.0
        won, upper, above, first = (
            ("won", "upper", "above", "first") if up else ("lost", "lower", "below", "second")
        )
        all_of = f"{won} all {_n(entry)}"
        if max(entry.wins, entry.losses) < _n(entry):
            all_of = f"never {'lost' if up else 'won'} or tied against a system of finite strength"
        text = f"{entry.system} {all_of}: its strength has no {upper} limit"
        interval = None if finite is None else c[entry.system, finite.system].interval
        low = 0.0 if interval is None else interval.low if up else -interval.high
        if finite is not None and low > 0.0:
            side = percent(0.5 * (1.0 + c.level))
            text += f"; at least {digits.text(low)} {above} {finite.system} ({side})"
        if entry.first_share == float(up) and c.order is not None and not c.order.included:
            text += f". It was always shown {first}: an order effect would explain that, too"
        yield f"{text}."
    if len(beyond) > MOST_LINES:
        yield f"{len(beyond) - MOST_LINES} more systems have no finite strength."


def _on_covariates(c: PreferenceComparison) -> Iterator[str]:
    if not c.covariates:
        return
    moved = [one for one in c.without_covariates if one.rank != one.rank_with]
    moved.sort(key=lambda one: -abs(one.rank - one.rank_with))
    moves = [
        f"{one.system} {'falls' if one.rank_with > one.rank else 'rises'} from {one.rank} to {one.rank_with}"
        for one in moved[:MOST_LINES]
    ]
    if (more := len(moved) - len(moves)) > 0:
        moves.append(f"{more} more {'change' if more > 1 else 'changes'} places")
    text = "; ".join(moves) or "the systems keep their places"
    yield f"With {_covariates(c)} taken into account {text}."
    for one in c.covariates:
        yield f"{one.name}: {_bounded(one.coefficient, one.interval)} log odds per {one.sd:.3g} more of it."


def _covariates(c: PreferenceComparison) -> str:
    return words.listed([one.name for one in c.covariates])


def _bounded(estimate: float, interval: Interval | None) -> str:
    """Return an estimate with its interval, if it has one."""
    digits = Rounding.of([(estimate, interval)])
    return digits.text(estimate) + ("" if interval is None else f" {digits.interval(interval)}")


def _fit(c: PreferenceComparison) -> str:
    fit = c.fit
    return f"X² = {fit.statistic:.1f} on {fit.df} df, {p_clause(fit.p_value)}" if fit else ""


def _details(c: PreferenceComparison) -> Iterator[str]:
    """Yield what the short answer leaves out."""
    if c.tie_model == "davidson":
        ends = [] if c.tie_interval is None else [c.tie_interval.low, c.tie_interval.high]
        # The share of ties of equal systems: nu beside one and one
        share, *sure = (f"{nu / (2.0 + nu):.2f}" for nu in (c.tie_parameter, *ends))
        text = f"Two systems of equal strength tie with probability {share}"
        yield f"{text} [{', '.join(sure)}]." if sure else f"{text}."
    if c.order is not None:
        shares = [f"{entry.system} {percent_of(entry.first_share or 0.0)}" for entry in c.systems]
        yield f"Shown first: {words.listed(shares)} of their judgements."
    if c.order is not None and c.order.included:
        effect = _bounded(c.order.estimate, c.order.interval)
        yield f"Effect of being shown first: {effect} log odds, {p_clause(c.order.p_value)}."
    if c.fit is not None:
        yield f"Test that strengths describe all pairs: {_fit(c)}."


# -- tables ------------------------------------------------------------------------------------------


def _both_rankings(c: PreferenceComparison) -> tuple[Table, ...]:
    """Return the strengths without covariates and with them, side by side."""
    if not c.covariates:
        return ()
    digits = Rounding.of([(one.score, one.interval) for one in c.without_covariates])
    bounded = words.computed(c, "interval")

    def strength(header: str) -> tuple[column.Column, column.Column]:
        return (
            column.number(header, digits, attrgetter("score")),
            column.interval(c.level, digits, attrgetter("interval"), applies=bounded),
        )

    columns = (
        column.name("system", attrgetter("system")),
        column.count("place without", attrgetter("rank")),
        *strength("without"),
        column.count("place with", attrgetter("rank_with")),
        *(column.part(one, lambda entry: c.score(entry.system)) for one in strength("with")),
    )
    caption = f"{c.metrics[0].name.capitalize()} without and with {_covariates(c)} taken into account"
    table = Table.of(caption, columns, c.without_covariates, part="rankings", main=0)
    return (tables.with_first_rows(table, BEST),)


_RECORD = replace(
    column.count(f"wins{DASH}ties{DASH}losses", attrgetter("wins", "ties", "losses")), details=True
)


def _systems(c: PreferenceComparison) -> Table:
    """Return the table of systems with their win rates and judgements beside the strengths."""
    digits = Rounding.of([(s.win_rate, s.win_rate_interval) for s in c.systems])
    columns = (column.number("win rate", digits, attrgetter("win_rate")), _RECORD)
    return tables.systems_table(c, c.metrics[0], beside_interval=columns, methods=_model(c))


def _preferences(c: Any) -> Table:
    """Return how often the first is preferred to the second by the strengths, and how often it was."""
    digits = Rounding.of([(d.probability, d.probability_interval) for d in c.differences])
    sides, bounded = column.sides(c.differences), words.computed(c, "interval")
    columns = (
        *sides.columns,
        column.number("probability", digits, attrgetter("probability")),
        column.interval(c.level, digits, attrgetter("probability_interval"), applies=bounded),
        _RECORD,
        tables.marks(c.differences),
    )
    caption = f"Probability that {sides.one} is preferred to {sides.other} by the strengths (a tie counts"
    return Table.of(
        f"{caption} half), and the judgements", columns, c.differences, words.stands_out, part="preferences",
        details=True, main=len(sides.columns), footnote=tables.why_marked(c.differences, c),
    )  # fmt: skip


def _pictures(c: PreferenceComparison) -> Iterator[Picture]:
    name = c.metrics[0].name
    bounded = words.computed(c, "interval")
    caption = f"The line is the {percent(c.level)} interval of the {name}." if bounded else f"The {name}."
    yield Picture(f"Strengths of {len(c.systems)} systems", caption, partial(systems.scores, c))
    if c.covariates and len(c.systems) <= BEST:
        yield Picture("Places without covariates and with them", "Lines join them.", partial(rankings, c))
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
_DIFFERENCE = (
    *fields.DIFFERENCE, Field("probability"),
    *interval_ends("probability_interval", "probability_low", "probability_high"), *_WINS,
)  # fmt: skip
_SCORE = (
    *fields.SCORE, Field("robust_error", needs=fields.INTERVAL), Field("win_rate"),
    *interval_ends("win_rate_interval", "win_rate_low", "win_rate_high"), *fields.MAY_BE_BEST, *_WINS,
    Field("first_share"),
)  # fmt: skip
TABLES = {
    "differences": Rows(_DIFFERENCE, attrgetter("differences")),
    "scores": Rows(_SCORE, attrgetter("systems")),
}
_PARTS = {
    "order": (
        *attributes(
            "status", "estimate", "standard_error", "p_value", "probability", "left", "within", "by_pair_p",
            "undone_by", "share",
        ),
        *interval_ends("interval"),
        *interval_ends("share_interval", "share_low", "share_high"),
    ),
    "covariates": (
        *attributes("name", "coefficient", "standard_error", "p_value", "sd"), *interval_ends("interval")
    ),
    "without_covariates": (*attributes("system", "score", "rank", "rank_with"), *interval_ends("interval")),
    "fit": (
        *attributes("statistic", "df", "p_value", "design_effect"),
        Field("cycle", lambda fit: fit.cycle and list(fit.cycle.systems)),
        Field("cycle_shares", lambda fit: fit.cycle and list(fit.cycle.shares)),
        Field("cycle_p_value", "cycle.p_value"),
    ),
    "influence": attributes("voter", "n", "share", "a", "b", "before", "after", "leader"),
}  # fmt: skip
"""What is easy to read of the records, or lists of records, that a comparison holds."""


def dictionary(c: PreferenceComparison) -> dict[str, Any]:
    """Return the comparison as dictionaries and lists."""
    tie = {"parameter": c.tie_parameter} if c.tie_model == "davidson" else None
    if tie and c.tie_interval is not None:
        tie |= {"low": c.tie_interval.low, "high": c.tie_interval.high}
    parts = {}
    for name, columns in _PARTS.items():
        part = getattr(c, name)
        several = isinstance(part, tuple)
        parts[name] = [values(columns, one) for one in part] if several else part and values(columns, part)
    return {
        "n_judgements": c.n_items,
        "n_clusters": c.n_clusters or None,
        "ties": c.tie_model,
        "tie": tie,
        "prior": c.prior,
        **parts,
        "systems": TABLES["scores"].rows(c),
        **data.on_the_best(c),
        "differences": TABLES["differences"].rows(c),
    }


def sentences(c: PreferenceComparison) -> Iterator[str]:
    """Yield how systems were compared by judgements."""
    names = [entry.system for entry in c.systems]
    yield f"We compared {len(names)} systems{paper.named(names)} by {c.extent}{paper.against(c.baseline)}."
    model = "the model of Bradley and Terry, a tie counting as half a win for both"
    model = model if c.tie_model == "half" else "Davidson's model of preferences with ties"
    if c.order is not None and c.order.included:
        model += ", with an effect of being shown first"
    if c.covariates:
        model += f", and of {_covariates(c)}"
    by = f"Jeffreys' prior{cite('analysis', 'jeffreys')}" if c.prior else "maximum likelihood"
    yield f"Their strengths were fitted by {by} to {model}{cite('model', c.tie_model)}.{_on_weights(c)}"
    crossed = isinstance(c.provenance.data.get("clusters"), list)
    both = f"Variances allow for both groupings{cite('interval', 'two-way')}."
    yield both if crossed else paper.clustered(c, "judgements")
    yield from paper.inference(c, c.differences, over=" of the log strengths", systems=c.systems)
    yield paper.set_of_best(c, together=True)
    yield paper.drawn(c, c.differences, *(entry.interval for entry in c.systems))


NO_PERCENT = "strengths have no scale from 0 to 1"
"""Why differences are not shown in percent."""


def preferences(c: PreferenceComparison, metric: str | None, kind: str, canvas: Canvas) -> Axes:
    """Draw strengths or differences; see `PreferenceComparison.plot`."""
    kind = systems.checked_kind(kind, "preferences")
    if kind == "rankings":
        return rankings(c, canvas=canvas)
    return systems.plot_systems(c, metric, "scores" if kind == "auto" else kind, canvas)
