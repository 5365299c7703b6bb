"""The report of a comparison by preferences, and its figures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from bestby.questions.preferences.figure import rankings
from bestby.questions.preferences.result import (
    PlainScore,
    PreferenceComparison,
    PreferenceDifference,
    PreferenceScore,
)
from bestby.report import column, data, words
from bestby.report.document import (
    MOST_PAIRS,
    Document,
    Picture,
    best_systems,
    forest_picture,
    one_section,
    subtitle,
)
from bestby.report.fields import (
    DIFFERENCE,
    INTERVAL,
    MAY_BE_BEST,
    SCORE,
    Field,
    Rows,
    attributes,
    interval_ends,
    values,
)
from bestby.report.figures import forest
from bestby.report.figures.canvas import Canvas
from bestby.report.figures.systems import checked_kind, plot_systems
from bestby.report.figures.systems import scores as draw_scores
from bestby.report.numbers import DASH, MINUS, Rounding, alpha, p_clause, percent, percent_of
from bestby.report.paper import against, clustered, drawn, inference, named, set_of_best
from bestby.report.references import cite
from bestby.report.tables import (
    BEST,
    Table,
    difference_rounding,
    differences_table,
    marks,
    pairs_matrix,
    systems_table,
    why_marked,
    with_first_rows,
)

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
    metric, view = c.metrics[0], best_systems(c, None)
    shown: Any = c if view is None else view
    digits = difference_rounding(shown)
    return one_section(
        c,
        title=f"{len(c.systems)} systems compared by preferences",
        subtitle=subtitle(c, c.extent),
        methods=f"{_model(c)} {words.methods_sentence(c)}",
        name=metric.name,
        lead=_cycle(c) + words.headline(c, metric),
        tables=(_systems(c), *_both_rankings(c), differences_table(shown, metric), _preferences(shown)),
        remarks=tuple(_remarks(c, digits)),
        details=tuple(_details(c)),
        pictures=tuple(_pictures(c)),
        readings=tuple(difference_sentence(d, digits) for d in shown.differences),
        pairs=partial(pairs_matrix, c, metric, shown),
    )


def _model(c: PreferenceComparison) -> str:
    """Return what was fitted."""
    text = _MODELS[c.tie_model]
    if c.order is not None and c.order.included:
        text += " An effect of being shown first is in the model."
    return text + _on_weights(c) + (" Estimates have Jeffreys' prior." if c.prior else "")


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
    p = p_clause(cycle.p_value)
    return (
        f"{x} beats {y}, {y} beats {z}, {z} beats {x} ({shares} %): no ranking describes these three ({p}). "
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
        text = f"Leaving out voter {one.voter} ({percent_of(one.share)}) moves {one.a} {MINUS} {one.b} from"
        text += f" {before} to {after}"
        yield text + ("." if one.leader == c.systems[0].system else f"; {one.leader} is then the strongest.")
    if len(c.influence) > MOST_LINES:
        yield f"{len(c.influence) - MOST_LINES} more voters move a difference by themselves."


def _on_order(c: PreferenceComparison, digits: Rounding) -> Iterator[str]:
    order = c.order
    if order is None:
        return
    won, ends = f"The first-shown answer won {100.0 * order.share:.1f} %", order.share_interval
    if ends is not None:
        won += f" [{100.0 * ends.low:.1f}, {100.0 * ends.high:.1f}]"
    if order.included:
        text = (
            f"{won}; order is in the model (between equals the first wins {100.0 * order.probability:.1f} %)"
        )
        uneven = _unbalanced(c) if order.without and order.p_value <= alpha(c.level) else []
        if uneven:
            s = uneven[0]
            x, y, lead = order.without
            gap = digits.text(float(lead))
            text += f". {s.system} was shown first in {percent_of(s.first_share or 0.0)} of its judgements:"
            text += f" without order in the model {x} would lead {y} by {gap}"
        yield f"{text}."
        if order.by_pair_p is not None and order.by_pair_p < UNFIT:
            yield f"The effect of order differs between pairs ({p_clause(order.by_pair_p)})."
        return
    undone = ""
    if order.undone_by is not None:
        share = percent_of(1.0 / (1.0 + math.exp(-order.undone_by)))
        undone = (
            f"; one by which {share} of the first shown win between equals would undo that {order.undone[0]}"
        )
        undone += f" and {order.undone[1]} differ"
    if order.status == "one order":
        pairs = "hardly any pair was shown in both orders"
        if order.within == 0.0:
            finite = sum(math.isfinite(entry.score) for entry in c.systems)
            every = "every pair" if finite == len(c.systems) else "every pair of finite difference"
            pairs = f"{every} was shown in one order only" if finite > 1 else "no difference is finite"
        yield f"{won}; {pairs}: an order effect cannot be separated from strength{undone}."
    elif order.status == "separated":
        yield (
            f"{won}; it always did, but for what strengths explain: order is left out of the model. Does the"
            " first column hold the winner of each judgement?"
        )
    else:
        yield f"{won}; order was left out of the model{undone}."


def _unbalanced(c: PreferenceComparison) -> list[PreferenceScore]:
    """Return systems that were shown first too often or too rarely for chance, the farthest first."""
    far = []
    for entry in c.systems:
        off = (entry.first_share or 0.5) - 0.5
        n = entry.wins + entry.ties + entry.losses
        # Both a deviation that chance hardly gives, and one that matters
        if abs(off) > 0.05 and 2.0 * abs(off) * math.sqrt(n) > 4.0:
            far.append((-abs(off), entry))
    return [entry for _, entry in sorted(far, key=itemgetter(0))]


def _on_infinite(c: PreferenceComparison, digits: Rounding) -> Iterator[str]:
    """Yield what is known of systems without a finite strength."""
    finite = next((entry for entry in c.systems if math.isfinite(entry.score)), None)
    beyond = [entry for entry in c.systems if not math.isfinite(entry.score)]
    for entry in beyond[:MOST_LINES]:
        n = entry.wins + entry.ties + entry.losses
        if math.isnan(entry.score):
            yield f"No wins and ties connect {entry.system} with most others: its strength is unknown."
            continue
        up = entry.score > 0.0
        all_of = f"{'won' if up else 'lost'} all {n}"
        if max(entry.wins, entry.losses) < n:
            all_of = f"never {'lost' if up else 'won'} or tied against a system of finite strength"
        text = f"{entry.system} {all_of}: its strength has no {'upper' if up else 'lower'} limit"
        d = None if finite is None else c[entry.system, finite.system]
        low = 0.0 if d is None or d.interval is None else d.interval.low if up else -d.interval.high
        if finite is not None and low > 0.0:
            gap, side = digits.text(low), percent(0.5 * (1.0 + c.level))
            text += f"; at least {gap} {'above' if up else 'below'} {finite.system} ({side})"
        if entry.first_share == float(up) and c.order is not None and not c.order.included:
            place = "first" if up else "second"
            text += f". It was always shown {place}: an order effect would explain that, too"
        yield f"{text}."
    if len(beyond) > MOST_LINES:
        yield f"{len(beyond) - MOST_LINES} more systems have no finite strength."


def _on_covariates(c: PreferenceComparison) -> Iterator[str]:
    if not c.covariates:
        return
    names = words.listed([one.name for one in c.covariates])
    moved = [one for one in c.without_covariates if one.rank != one.rank_with]
    far = sorted(moved, key=lambda one: -abs(one.rank - one.rank_with))[:MOST_LINES]
    moves = [f"{one.system} {_moves(one)} from {one.rank} to {one.rank_with}" for one in far]
    text = f"With {names} taken into account "
    text += f"{'; '.join(moves)}" if moves else "the systems keep their places"
    more = f"; {len(moved) - len(far)} more {'change' if len(moved) > len(far) + 1 else 'changes'} places"
    yield text + (f"{more}." if len(moved) > len(far) else ".")
    for one in c.covariates:
        digits = Rounding.of([(one.coefficient, one.interval)])
        ends = "" if one.interval is None else f" {digits.interval(one.interval)}"
        yield f"{one.name}: {digits.text(one.coefficient)}{ends} log odds per {one.sd:.3g} more of it."


def _moves(one: PlainScore) -> str:
    return "falls" if one.rank_with > one.rank else "rises"


def _fit(c: PreferenceComparison) -> str:
    fit = c.fit
    return f"X² = {fit.statistic:.1f} on {fit.df} df, {p_clause(fit.p_value)}" if fit else ""


def _details(c: PreferenceComparison) -> Iterator[str]:
    """Yield what the short answer leaves out."""
    if c.tie_model == "davidson":

        def share(nu: float) -> str:
            return f"{nu / (2.0 + nu):.2f}"  # of equal systems: nu beside one and one

        ends = c.tie_interval
        sure = "" if ends is None else f" [{share(ends.low)}, {share(ends.high)}]"
        yield f"Two systems of equal strength tie with probability {share(c.tie_parameter)}{sure}."
    if c.order is not None:
        shares = [f"{entry.system} {percent_of(entry.first_share or 0.0)}" for entry in c.systems]
        yield f"Shown first: {words.listed(shares)} of their judgements."
    if c.order is not None and c.order.included:
        digits = Rounding.of([(c.order.estimate, c.order.interval)])
        ends_text = "" if c.order.interval is None else f" {digits.interval(c.order.interval)}"
        p = p_clause(c.order.p_value)
        yield f"Effect of being shown first: {digits.text(c.order.estimate)}{ends_text} log odds, {p}."
    if c.fit is not None:
        yield f"Test that strengths describe all pairs: {_fit(c)}."


# -- tables ------------------------------------------------------------------------------------------


def _both_rankings(c: PreferenceComparison) -> tuple[Table, ...]:
    """Return the strengths without covariates and with them, side by side."""
    if not c.covariates:
        return ()
    names = words.listed([one.name for one in c.covariates])
    scores = {entry.system: entry for entry in c.systems}
    digits = Rounding.of([(one.score, one.interval) for one in c.without_covariates])
    bounded = words.computed(c, "interval")
    columns = (
        column.name("system", attrgetter("system")),
        column.count("place without", attrgetter("rank")),
        column.number("without", digits, attrgetter("score")),
        column.interval(c.level, digits, attrgetter("interval"), applies=bounded),
        column.count("place with", attrgetter("rank_with")),
        column.number("with", digits, lambda one: scores[one.system].score),
        column.interval(c.level, digits, lambda one: scores[one.system].interval, applies=bounded),
    )
    caption = f"{c.metrics[0].name.capitalize()} without and with {names} taken into account"
    table = Table.of(caption, columns, c.without_covariates, part="rankings", main=0)
    return (with_first_rows(table, BEST),)


_RECORD = replace(
    column.count(f"wins{DASH}ties{DASH}losses", attrgetter("wins", "ties", "losses")), details=True
)


def _systems(c: PreferenceComparison) -> Table:
    """Return the table of systems with their win rates and judgements beside the strengths."""
    digits = Rounding.of([(s.win_rate, s.win_rate_interval) for s in c.systems])
    columns = (column.number("win rate", digits, attrgetter("win_rate")), _RECORD)
    return systems_table(c, c.metrics[0], beside_interval=columns, methods=_model(c))


def _preferences(c: Any) -> Table:
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
            *MAY_BE_BEST,
            *_WINS,
            Field("first_share"),
        ),
        attrgetter("systems"),
    ),
}
_ORDER = (
    *attributes(
        "status", "estimate", "standard_error", "p_value", "probability", "left", "within", "by_pair_p",
        "undone_by", "share",
    ),
    *interval_ends("interval"),
    *interval_ends("share_interval", "share_low", "share_high"),
)  # fmt: skip
_COVARIATE = (
    *attributes("name", "coefficient", "standard_error", "p_value", "sd"),
    *interval_ends("interval"),
)
_PLAIN = (*attributes("system", "score", "rank", "rank_with"), *interval_ends("interval"))
_FIT = (
    *attributes("statistic", "df", "p_value", "design_effect"),
    Field("cycle", lambda fit: fit.cycle and list(fit.cycle.systems)),
    Field("cycle_shares", lambda fit: fit.cycle and list(fit.cycle.shares)),
    Field("cycle_p_value", "cycle.p_value"),
)
_INFLUENCE = attributes("voter", "n", "share", "a", "b", "before", "after", "leader")


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
        "prior": c.prior,
        "order": None if c.order is None else values(_ORDER, c.order),
        "covariates": [values(_COVARIATE, one) for one in c.covariates],
        "without_covariates": [values(_PLAIN, one) for one in c.without_covariates],
        "fit": None if c.fit is None else values(_FIT, c.fit),
        "influence": [values(_INFLUENCE, one) for one in c.influence],
        "systems": TABLES["scores"].rows(c),
        **data.on_the_best(c),
        "differences": TABLES["differences"].rows(c),
    }


def sentences(c: PreferenceComparison) -> Iterator[str]:
    """Yield how systems were compared by judgements."""
    names = [entry.system for entry in c.systems]
    yield f"We compared {len(names)} systems{named(names)} by {c.extent}{against(c.baseline)}."
    model = "the model of Bradley and Terry, a tie counting as half a win for both"
    model = model if c.tie_model == "half" else "Davidson's model of preferences with ties"
    if c.order is not None and c.order.included:
        model += ", with an effect of being shown first"
    if c.covariates:
        model += f", and of {words.listed([one.name for one in c.covariates])}"
    by = f"Jeffreys' prior{cite('analysis', 'jeffreys')}" if c.prior else "maximum likelihood"
    yield f"Their strengths were fitted by {by} to {model}{cite('model', c.tie_model)}.{_on_weights(c)}"
    crossed = isinstance(c.provenance.data.get("clusters"), list)
    both = f"Variances allow for both groupings{cite('interval', 'two-way')}."
    yield both if crossed else clustered(c, "judgements")
    yield from inference(c, c.differences, over=" of the log strengths", systems=c.systems)
    yield set_of_best(c, together=True)
    yield drawn(c, c.differences, *(entry.interval for entry in c.systems))


NO_PERCENT = "strengths have no scale from 0 to 1"
"""Why differences are not shown in percent."""


def preferences(c: PreferenceComparison, metric: str | None, kind: str, canvas: Canvas) -> Axes:
    """Draw strengths or differences; see `PreferenceComparison.plot`."""
    kind = checked_kind(kind, "preferences")
    if kind == "rankings":
        return rankings(c, canvas=canvas)
    return plot_systems(c, metric, "scores" if kind == "auto" else kind, canvas)
