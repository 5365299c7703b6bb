"""The report of a gate: each check in words, a table and a picture, the items that flipped; JUnit XML."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from operator import attrgetter
from typing import Any
from xml.etree import ElementTree as ET

from bestby._core.text import counted, grouped, shortened, visible
from bestby.inference.intervals import ENOUGH_DIFFERING
from bestby.inference.multiplicity import rejects
from bestby.planning.base import USUAL_POWER
from bestby.questions.gate.result import (
    OF_ANSWERS,
    OF_SCORES,
    Flip,
    Gate,
    GateCheck,
    by_risk,
    outcome_by_margin,
    outcome_of,
)
from bestby.report import column, words
from bestby.report.column import Cell, Column
from bestby.report.comparison import Difference
from bestby.report.disagreements import Kind, Kinds, said
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import TEST, Field, Rows, attributes, interval_ends, values
from bestby.report.figures import drawing
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet, figure
from bestby.report.figures.forest import Line, draw_lines
from bestby.report.numbers import DASH, MINUS, Rounding, alpha, amount, margin_text, p_clause, p_text, percent
from bestby.report.paper import clustered, drawn, intervals_and_tests, measured, with_works
from bestby.report.references import cite
from bestby.report.tables import Table, marked_by
from bestby.report.words import by_part, listed

_SILENT = "no loss detected"

NO_LOSS = f"{_SILENT} (no margin given: this is an alarm, not a proof)"
"""What it means that an alarm passes."""

_SHOWN, _OF_EACH = 9, 3
"""Items that became worse in a table, of all checks and of each of several; the data formats have more."""

_SAID = 8
"""Checks with a sentence each; the table and the data formats have all."""

_DETECTABLE = "loss it sees"  # the title of a column

_POWER = f"with power {USUAL_POWER:g}"

_LONGEST = 40  # characters of a prediction in a table


def document(g: Gate) -> Document:
    """Return the report: the outcome, the checks, the items that flipped."""
    caption = "Each line reaches from one one-sided bound to the other."
    return one_section(
        g,
        title=f"{g.candidate} against {g.baseline}: {_standing(*g.checks)}",
        subtitle=f"{g.extent}, one-sided {percent(g.level)} bounds",
        methods=_methods(g),
        name="gate",
        lead=headline(g) + _few(g),
        tables=(_table(g), *_budgets(g), *_flips(g)),
        remarks=(*_flip_line(g), *_check_lines(g)),
        pictures=(Picture("Differences between one-sided bounds", caption, partial(gate, g)),),
    )


def message(g: Gate) -> str:
    """Return what an error of `Gate.check` says: the outcome, and the checks that do not pass."""
    return " ".join([headline(g) + _few(g), *_check_lines(g)])


def _standing(*checks: GateCheck) -> str:
    """Return the outcome of checks; that only alarms were asked and pass has another word."""
    outcome = outcome_of(checks)
    return _SILENT if outcome == "pass" and all(check.margin is None for check in checks) else outcome


def _by_margin(g: Gate) -> tuple[list[GateCheck], list[GateCheck]]:
    """Return the checks with a margin, and the alarms."""
    checks: tuple[list[GateCheck], list[GateCheck]] = ([], [])
    for check in g.quality:
        checks[check.margin is None].append(check)
    return checks


def _failing(g: Gate, source: str = "") -> str:
    """Return by what checks with a margin fail: a test with its `source`, a bound, or either."""
    tested = [check.fail_p is not None for check in _by_margin(g)[0]]
    bound, share, corrected = _at_once(g)
    test = f"an exact unconditional test of Tango's score{source} at the level {alpha(g.level):.6g}{share}"
    how = test if all(tested) else f"{bound} or, of right and wrong answers, {test}" if any(tested) else bound
    return f"It fails if {how} shows a greater loss{corrected}."


def _at_once(g: Gate) -> tuple[str, str, str]:
    """Return by which bound one of all checks fails, its share of the level, and the correction, in words."""
    n = len(g.checks)
    if n == 1:
        return "the other bound", "", ""
    return f"a bound that holds for all {n} at once", f"/{n}", " (Bonferroni)"


def _check_lines(g: Gate) -> tuple[str, ...]:
    """Return those of several checks that do not pass, and alarms that could not have failed."""
    if len(g.checks) == 1:
        return ()
    checks = by_risk(g.checks)
    lines = [_stated(g, check) for check in checks if check.outcome != "pass"][:_SAID]
    idle = [check.name for check in checks if not check.could_fail]
    if idle:
        few = f"too few {checks[0].unit} set the two systems apart"
        lines.append(visible(f"{listed(idle)} could not have failed: {few}."))
    return tuple(lines)


def headline(g: Gate) -> str:
    """Return the outcome: of a single check its sentence, of several which of them decide."""
    if len(g.checks) == 1:
        return _stated(g, g.checks[0])
    names: dict[str, list[str]] = {"fail": [], "inconclusive": [], "pass": [], _SILENT: []}
    for check in g.checks:
        names[_standing(check)].append(check.name)
    parts = [
        f"{listed(names[outcome])} {several if len(names[outcome]) > 1 else one}"
        for outcome, one, several in (("fail", "fails", "fail"), ("inconclusive", "stays open", "stay open"))
        if names[outcome]
    ]
    with_margin = " with a margin" if names[_SILENT] else ""
    for passed, before, after in (("pass", "", f"pass{with_margin}"), (_SILENT, f"{NO_LOSS} in ", "")):
        if names[passed]:
            parts.append(f"{before}{len(names[passed])} of {len(g.checks)} checks {after}".rstrip())
    return visible(f"{g.outcome.capitalize()}: {'; '.join(parts)}.")


def _stated(g: Gate, check: GateCheck) -> str:
    return visible(f"{check.outcome.capitalize()}: {_sentence(g, check)}")


def _few(g: Gate) -> str:
    """Return the sentence on how few units the checks rest on, with a space before it; "" if many.

    Of checks on several parts of the items it speaks of those that have the fewest.
    """
    by_units: dict[tuple[int, str], list[Difference]] = {}
    for d in (check.difference for check in g.checks):
        units = words.units_of_items(d.n_items, d.n_clusters, g.provenance)
        by_units.setdefault(units, []).append(d)
    n, called = min(by_units)
    return words.few_units_text(n, called, by_units[n, called], g.notes, g.provenance.settings.get("test"))


def check_sentences(g: Gate) -> tuple[str, ...]:
    """Return each check in plain words."""
    return tuple(visible(_sentence(g, check)) for check in g.checks)


def _rounding(check: GateCheck) -> Rounding:
    d = check.difference
    return Rounding.of([(d.estimate, d.equivalence_interval)], check.margin)


def _sentence(g: Gate, check: GateCheck) -> str:
    if check.relative:
        return _budget(g, check)
    return _alarm(g, check) if check.margin is None else _with_margin(g, check)


def _measured(check: GateCheck, level: float) -> str:
    """Return the difference and its two one-sided bounds."""
    d, digits = check.difference, _rounding(check)
    bounds = d.equivalence_interval
    text = f"the difference is {digits.text(d.estimate)}"
    if bounds is None and d.n_differing < ENOUGH_DIFFERING:
        why = f"scores without known bounds need {ENOUGH_DIFFERING} {check.unit} that differ"
        return f"{text}, and so few {check.unit} differ that the data give no bound of it: {why}"
    if bounds is None:
        return f"{text}, and the data give no bound of it"
    return f"{text}, its one-sided {percent(level)} bounds {digits.interval(bounds)}"


def _with_margin(g: Gate, check: GateCheck) -> str:
    size = check.margin or math.nan
    margin, where = f"the margin of {margin_text(size)}", f"in {check.name}{_direction(check)}"
    measured = _measured(check, g.level)
    if check.outcome == "pass":
        return f"{g.candidate} is not worse than {g.baseline} {where} by as much as {margin}: {measured}."
    if check.outcome == "fail":
        return (
            f"{g.candidate} is worse than {g.baseline} {where} by more than {margin}:"
            f" {measured}{_why_fails(g, check)}."
        )
    if _bound_fails(check):
        measured += _why_fails(g, check)
    text = (
        f"the data leave open whether {g.candidate} is worse than {g.baseline} {where} by as much as {margin}"
    )
    return f"{text}: {measured}. {_more(check)}"


def _share(value: float) -> str:
    """Return a change as a percentage with its sign.

    >>> _share(0.1), _share(-0.0312), _share(0.0)
    ('+10 %', '−3.1 %', '+0 %')
    """
    return f"{100.0 * value:+.{0 if abs(value) >= 0.1 or value == 0.0 else 1}f} %".replace("-", MINUS)


def _budget(g: Gate, check: GateCheck) -> str:
    """Return a budget in words: what the candidate costs beside the baseline, and how sure that is."""
    d, size = check.difference, margin_text(abs(100.0 * (check.margin or 0.0)))
    budget = f"at most {size} % more" if (check.margin or 0.0) >= 0.0 else f"at least {size} % less"
    asked = f"{budget} {check.metric} than {g.baseline}"
    bounds, measured = d.equivalence_interval, f"the change is {_share(d.estimate)}"
    if bounds is None:
        measured += ", and known"
    else:
        measured += (
            f", its one-sided {percent(g.level)} bounds {_share(bounds.low)} and {_share(bounds.high)}"
        )
    if check.outcome == "pass":
        return f"{g.candidate} takes {asked}: {measured}."
    if check.outcome == "fail":
        return f"{g.candidate} does not take {asked}: {measured}."
    return f"the data leave open whether {g.candidate} takes {asked}: {measured}. {_more(check)}"


def _cost(side: str, check: GateCheck) -> Cell:
    value: float = getattr(check.difference, side)
    return Cell(amount(value), value)


def _budgets(g: Gate) -> tuple[Table, ...]:
    """Return the table of budgets; none without any."""
    if not g.budgets:
        return ()

    def bounds(check: GateCheck) -> str:
        shown = check.difference.equivalence_interval
        return "" if shown is None else f"[{_share(shown.low)}, {_share(shown.high)}]"

    columns = (
        column.text("cost", attrgetter("metric")),
        column.text("outcome", _standing),
        column.text("change", lambda check: _share(check.difference.estimate)),
        column.text(f"{percent(round(2.0 * g.level - 1.0, 12))} interval", bounds),
        column.text("at most", lambda check: _share(check.margin or 0.0)),
        Column("baseline", partial(_cost, "score_b")),
        Column("candidate", partial(_cost, "score_a")),
    )
    caption = f"Costs of the candidate {g.candidate} beside the baseline {g.baseline}"
    return (Table.of(caption, columns, g.budgets, lambda check: check.outcome == "fail", main=1),)


def _bound_fails(check: GateCheck) -> bool:
    """Return whether the bound shown would fail a check with a margin by itself."""
    d = check.difference
    return outcome_by_margin(d.equivalence_interval, check.margin or 0.0, d.greater_is_better) == "fail"


def _kinds(g: Gate, check: GateCheck) -> Kinds:
    """Return why the bound shown and the exact test disagree on a loss of more than the margin."""
    if check.fail_p is None or _bound_fails(check) == (check.outcome == "fail"):
        return ()
    return (Kind.FAMILY if rejects(check.fail_p, alpha(g.level)) else Kind.TEST,)


_WHY_MARKED = {
    Kind.FAMILY: "bound and test are of one check at a time and both show a loss of more than the margin; the"
    " test does not at the level of each of all checks, which decides.",
    Kind.TEST: "the bound and the exact test are computed in different ways and disagree on whether the loss"
    " is more than the margin. The test decides.",
}


def _why_fails(g: Gate, check: GateCheck) -> str:
    """Return the test by which a check fails, or the bound by which one of several does."""
    if check.fail_p is not None:
        p = p_clause(check.fail_p, check.threshold)
        several = f" at the level {check.threshold:.3g}" if len(g.checks) > 1 else ""
        return f"; exact test of a greater loss{several}: {p}"
    if check.fail_bound is None:
        return ""
    text = _rounding(check).text(check.fail_bound)
    side = "upper" if check.difference.greater_is_better else "lower"
    return f", its {side} bound that holds for all {len(g.checks)} checks at once {text}"


def _more(check: GateCheck) -> str:
    if check.more is None:
        return f"How many more {check.unit} would decide it is not known."
    number = _rounded_up(check.more)
    if check.difference.n_differing == 0:
        return f"About {number} more {check.unit} would decide it if the systems agree on all of them too."
    return f"About {number} more {check.unit} would decide it {_POWER} if the difference stays as it is."


def _rounded_up(n: int) -> str:
    """Return a number with two digits that count, rounded up.

    >>> _rounded_up(1234), _rounded_up(7)
    ('1300', '7')
    """
    step = 10 ** max(0, len(str(n)) - 2)
    return grouped(-(-n // step) * step)


def _direction(check: GateCheck) -> str:
    return "" if check.difference.greater_is_better else " (lower is better)"


def _alarm(g: Gate, check: GateCheck) -> str:
    d = check.difference
    where = f"in {check.name}{_direction(check)}"
    threshold = alpha(g.level)
    p = p_clause(d.p_value or 0.0, threshold)
    if d.p_adjusted is not None and d.p_adjusted != d.p_value:
        p += f", {p_clause(d.p_adjusted, threshold, 'adjusted p')}"
    tested = f"{_measured(check, g.level)}; one-sided test: {p}"
    if check.outcome == "fail":
        return f"{g.candidate} is worse than {g.baseline} {where}: {tested}."
    return f"{NO_LOSS} of {g.candidate} against {g.baseline} {where}: {tested}. {_seen(check)}"


def _seen(check: GateCheck) -> str:
    """Return what an alarm that passes could have found."""
    d = check.difference
    if not check.could_fail:
        if d.n_differing == 0:
            return "No item sets the two apart, so this check could not have failed on these items."
        apart = f"{d.n_differing} item sets" if d.n_differing == 1 else f"{d.n_differing} items set"
        few = f"Only {apart} the two apart"
        if 0 < d.n_clusters < d.n_differing:
            few = f"The items lie in only {counted(d.n_clusters, 'cluster')}"
        return (
            f"{few}: the smallest p-value they could give is {check.smallest_p:.2g}, above"
            f" {check.threshold:.3g}, so this check could not have failed."
        )
    if check.detectable is None:
        return "How small a loss it could have seen is not known."
    return f"{_POWER.capitalize()} this check sees a loss of {check.detectable:.2g} or more."


def _table(g: Gate) -> Table:
    differences = g.differences
    margins = (check.margin for check in g.quality)
    digits = Rounding.of([(d.estimate, d.equivalence_interval) for d in differences], *margins)
    scores = Rounding.for_scores(
        [(s, d.equivalence_interval) for d in differences for s in (d.score_a, d.score_b)]
    )
    shown = 2.0 * g.level - 1.0
    bounded, alarms = _by_margin(g)
    metrics, parts = ({getattr(check, one) for check in g.quality} for one in ("metric", "part"))
    of_parts = len(metrics) == 1 < len(parts)
    kinds = {check: _kinds(g, check) for check in g.quality}

    def optional(
        header: str, path: str, text: Callable[[float], str], without: float, *, applies: bool
    ) -> Column:
        def cell(check: GateCheck) -> Cell:
            value = attrgetter(path)(check)
            return Cell(DASH, without) if value is None else Cell(text(value), value)

        return Column(header, cell, applies=applies)

    p_value = partial(p_text, threshold=alpha(g.level))
    columns = (
        column.text("metric", attrgetter("metric"), applies=not of_parts),
        column.text("part", lambda check: check.part or "all items", applies=parts != {None}),
        column.text("outcome", _standing),
        column.number("difference", digits, lambda check: check.difference.estimate),
        column.interval(shown, digits, lambda check: check.difference.equivalence_interval),
        optional("margin", "margin", margin_text, 0.0, applies=bool(bounded)),
        optional("p", "difference.p_value", p_value, 1.0, applies=len(alarms) == 1),
        optional("p (holm)", "difference.p_adjusted", p_value, 1.0, applies=len(alarms) > 1),
        optional(
            _DETECTABLE,
            "detectable",
            "{:.2g}".format,
            math.inf,
            applies=any(check.detectable is not None for check in alarms),
        ),
        column.number("baseline", scores, lambda check: check.difference.score_b),
        column.number("candidate", scores, lambda check: check.difference.score_a),
        marked_by(lambda check: kinds[check], applies=any(kinds.values())),
    )
    what = f" in {g.checks[0].metric}" if of_parts else ""
    caption = f"Checks{what} of the candidate {g.candidate} against the baseline {g.baseline}"
    marked = [
        (kind, sum(kind in kinds_of_check for kinds_of_check in kinds.values())) for kind in _WHY_MARKED
    ]
    lines = [said(kind, many, len(g.checks), _WHY_MARKED[kind], "checks") for kind, many in marked]
    return Table.of(
        caption, columns, g.quality, lambda check: check.outcome == "fail", main=1, methods=headline(g),
        footnote="\n".join(filter(None, lines)),
    )  # fmt: skip


def _flips(g: Gate) -> tuple[Table, ...]:
    """Return the items that became worse, some of each check, those at risk first; no table if none did."""
    by_check: dict[str, list[Flip]] = {}
    for flip in g.flips:
        if flip.change in (OF_ANSWERS[0], OF_SCORES[0]):
            by_check.setdefault(flip.check, []).append(flip)
    several = len(by_check) > 1
    of_each = _OF_EACH if several else _SHOWN
    shown = [flip for flips in by_check.values() for flip in flips[:of_each]][:_SHOWN]

    def cut(value: str | None) -> str:
        return "" if value is None else shortened(value, _LONGEST)

    columns = (
        column.text("check", attrgetter("check"), applies=several),
        column.name("item", attrgetter("item")),
        column.text("gold", lambda f: cut(f.gold), applies=any(f.gold is not None for f in shown)),
        column.text("baseline", lambda f: cut(f.baseline)),
        column.text("candidate", lambda f: cut(f.candidate)),
    )
    if not shown:
        return ()
    caption = f"Items that are {shown[0].change}"
    caption += ", the worst first" if shown[0].change in OF_SCORES else ""
    caption += f", up to {of_each} of each check, those at risk first" if several else ""
    return (Table.of(caption, columns, shown, main=0),)


def _flip_line(g: Gate) -> tuple[str, ...]:
    """Return how many items flipped."""
    if not g.flips:
        return ()
    of_answers = {flip.change for flip in g.flips} <= {*OF_ANSWERS}
    worse, better = OF_ANSWERS if of_answers else OF_SCORES
    return (f"{g.n_worse} items are {worse}, {g.n_better} {better}.",)


def _methods(g: Gate) -> str:
    bounded, alarms = _by_margin(g)
    shown = percent(round(2.0 * g.level - 1.0, 12))
    text = f"Each end of the {shown} interval is a one-sided {percent(g.level)} bound."
    if bounded:
        text += f" A check with a margin passes if the bound excludes a loss of the margin. {_failing(g)}"
    if g.budgets:
        bound, _, corrected = _at_once(g)
        text += (
            " A budget passes if the bound of the ratio of both costs, by Student's t of its logarithm,"
            f" excludes a greater increase. It fails if {bound} shows one{corrected}."
        )
    if len(bounded) + len(g.budgets) > 1:
        text += " All must pass, so their number needs no correction (intersection-union)."
    if alarms:
        tests = [one.difference.test for one in alarms]
        goes_on = any(test is not None and test.name == "hall" for test in tests)
        text += " A check without a margin is an alarm: it fails if a one-sided paired permutation test"
        text += " (where no swap is more extreme than the data, Hall's t test)" * goes_on
        text += f" finds a loss at {alpha(g.level):.6g}"
        text += f", corrected by Holm's method for {len(alarms)} of them." if len(alarms) > 1 else "."
        if any(check.detectable is not None for check in alarms):
            text += f' "{_DETECTABLE}" is the true loss that it finds {_POWER}.'
    return text


TABLES = {
    "checks": Rows(
        (
            *attributes("metric", "part", "outcome", "margin"),
            Field("baseline", of_result=True),
            Field("candidate", of_result=True),
            Field("score_baseline", "difference.score_b"),
            Field("score_candidate", "difference.score_a"),
            Field("difference", "difference.estimate"),
            *interval_ends("difference.equivalence_interval", needs=()),
            Field("level", of_result=True),
            Field("p_value", "difference.p_value", needs=TEST),
            Field("p_adjusted", "difference.p_adjusted", needs=TEST),
            Field("n_differing", "difference.n_differing"),
            *attributes("smallest_p", "detectable", "more", "unit", "fail_bound", "fail_p", "relative"),
        ),
        attrgetter("checks"),
    ),
    "flips": Rows(
        attributes("check", "item", "change", "gold", "baseline", "candidate"), attrgetter("flips")
    ),
}


def dictionary(g: Gate) -> dict[str, Any]:
    """Return the gate as dictionaries and lists."""
    return {
        **values(attributes("outcome", "baseline", "candidate", "level", "n_items", "n_clusters"), g),
        "message": message(g),
        "checks": [
            {**row, "sentence": said}
            for row, said in zip(TABLES["checks"].rows(g, complete=True), check_sentences(g), strict=True)
        ],
        **values(attributes("n_worse", "n_better"), g),
        "flips": [asdict(flip) for flip in g.flips],
    }


def sentences(g: Gate) -> Iterator[str]:
    """Yield how it was decided whether a candidate may take the place of a baseline."""
    yield f"We asked whether {g.candidate} may take the place of {g.baseline}, on the same {g.extent}."
    yield clustered(g)
    bounded, alarms = _by_margin(g)
    if bounded:
        margins = listed(
            [f"{margin_text(check.margin or 0.0)} for {measured(check.name)}" for check in bounded]
        )
        bounds = ((check.name, check.difference.equivalence_interval) for check in bounded)
        methods = {name: with_works("interval", one.method) for name, one in bounds if one is not None}
        named_methods = by_part(methods, methods.__getitem__)
        yield (
            f"A loss of this much matters: {margins}. A check passes if the one-sided {percent(g.level)}"
            f" bound of the difference{cite('analysis', 'equivalence')} excludes it."
            f" {_failing(g, cite('analysis', 'loss beyond a margin'))} All checks must pass, which needs no"
            f" correction. Bounds: {named_methods}."
        )
    if alarms:
        names = listed([measured(check.name) for check in alarms])
        tests = {check.name: intervals_and_tests([check.difference])[1] for check in alarms}
        several = f", corrected by Holm's procedure{cite('correction', 'holm')}" if len(alarms) > 1 else ""
        yield (
            f"For {names} we tested whether the candidate is worse, at the {percent(alpha(g.level))} level:"
            f" {by_part(tests, tests.__getitem__)}{several}."
            " That it finds no loss is no proof that there is none."
        )
    if g.budgets:
        shares = listed([f"{_share(check.margin or 0.0)} of {check.metric}" for check in g.budgets])
        yield (
            f"The candidate may change costs by at most {shares}: one-sided tests of the logarithm of the"
            f" ratio of both costs by Student's t, with the delta method{cite('frontier', 'ratio')}."
        )
    yield drawn(g, g.differences)


_BADGES = {"pass": "🟢", "fail": "🔴", "inconclusive": "🟡", _SILENT: "⚪"}


def to_comment(g: Gate) -> str:
    """Return the body of a comment that begins with the outcome and folds what explains it."""
    from bestby.report.writers import markdown

    outcome = _standing(*g.checks)
    of = f"{g.candidate} against {g.baseline}, {g.extent}"
    return markdown.to_comment(g, f"{_BADGES[outcome]} **{outcome}** · {markdown.escape(of)}")


_TAGS = {"fail": "failure", "inconclusive": "skipped"}


def to_junit(g: Gate) -> str:
    """Return the XML: a check that fails is a failure, an inconclusive one is skipped; the notes end it."""
    outcomes = [check.outcome for check in g.checks]
    counts = {"tests": str(len(outcomes)), "failures": str(outcomes.count("fail")), "errors": "0"}
    counts["skipped"] = str(outcomes.count("inconclusive"))
    root = ET.Element("testsuites", {"name": "bestby gate", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": "bestby gate", **counts})
    properties = ET.SubElement(suite, "properties")
    for name in ("outcome", "baseline", "candidate", "signature"):
        ET.SubElement(properties, "property", {"name": name, "value": visible(getattr(g, name))})
    for check, sentence in zip(g.checks, check_sentences(g), strict=True):
        case = {"classname": "bestby.gate", "name": visible(check.name)}
        element = ET.SubElement(suite, "testcase", case)
        tag = _TAGS.get(check.outcome)
        if tag is not None:
            ET.SubElement(element, tag, {"message": sentence})
        else:
            ET.SubElement(element, "system-out").text = sentence
    if g.notes:
        ET.SubElement(suite, "system-out").text = "\n".join(visible(note.message) for note in g.notes)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


LOOKS = {
    "pass": (drawing.ACCENT, "o", True),
    "fail": (drawing.WORSE, "X", True),
    "inconclusive": (drawing.ACCENT, "D", False),
    _SILENT: (drawing.ACCENT, "s", False),
}
"""Colour, shape and filling of the marker of a check, each told from the others without colour."""


@figure
def gate(g: Gate, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the checks, one line each; the band is the margin if all have the same."""
    margins = {check.margin for check in g.quality}
    margin = next(iter(margins)) if len(margins) == 1 else None
    names = canvas.names([g.candidate, g.baseline])
    checks = canvas.names(check.name for check in g.quality)
    with_margin, alarms = ("fail", "inconclusive", "pass"), ("fail", _SILENT)
    possible = {*(with_margin if margins != {None} else ()), *(alarms if None in margins else ())}
    keys = [
        drawing.key(NO_LOSS if standing == _SILENT else standing, filled=filled, colour=colour, shape=shape)
        for standing, (colour, shape, filled) in LOOKS.items()
        if standing in possible
    ]
    if margin is not None:
        keys.append(drawing.margin_key(margin))
    standing = _standing(*g.checks).capitalize()
    sheet = draw_lines(
        [_line(check, checks[check.name], margins) for check in g.quality],
        Rounding.of([(d.estimate, d.equivalence_interval) for d in g.differences], margin),
        margin,
        canvas,
        title=f"{standing}: {names[g.candidate]} against {names[g.baseline]}, {g.extent}",
        keys=keys,
    )
    candidate, baseline = names[g.candidate], names[g.baseline]
    label = f"{candidate} {MINUS} {baseline}, with one-sided {percent(g.level)} bounds"
    ways = {d.greater_is_better for d in g.differences}
    if len(ways) == 1:
        label = f"{drawing.sides(candidate, baseline, greater_is_better=ways.pop())}\n{label}"
    sheet.axes.set_xlabel(label, color=drawing.INK, parse_math=False)
    return sheet


def _line(check: GateCheck, name: str, margins: set[float | None]) -> Line:
    margin = "" if check.margin is None or len(margins) == 1 else f", margin {margin_text(check.margin)}"
    label = f"{name}{_direction(check)}{margin}: {_standing(check)}"
    d, (colour, shape, filled) = check.difference, LOOKS[_standing(check)]
    return Line(label, d.estimate, d.equivalence_interval, filled, look=(colour, shape))
