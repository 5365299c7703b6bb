"""Where the parts of a difference seem to contradict each other: the marks of its row, and the line on why.

Tables, figures and sentences all ask here. The parts are the interval, the p-values, the verdict, and the
standing: whether groups, ranks and filled marks tell the two systems apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from enum import Enum
from typing import Any

import numpy as np

from bestby import vocabulary
from bestby._core.typing import IntArray
from bestby.inference.multiplicity import alpha_at, rejects
from bestby.report.comparison import Difference, opposed
from bestby.report.numbers import excludes_zero, percent
from bestby.report.pairs import VERDICTS, Pairs


class Kind(Enum):
    """Why parts of a difference disagree, by the mark of its row."""

    FAMILY = "*"
    """The interval excludes 0 and p is small, but p after correction is not: one pair, or the family."""
    TEST = "†"
    """The interval excludes 0 and the test does not reject, or the reverse: they differ in kind."""
    SIDED = "‡"
    """The interval and the test disagree, as the test asks about one side only."""
    QUESTION = "§"
    """They disagree, as the test asks something else than whether the difference is 0."""
    OPPOSED = "¶"
    """The test is significant, but does not speak for the system with the better score."""
    SMALL = "‖"
    """The two differ significantly, and the verdict is "equivalent"."""
    LEVEL = "#"
    """The verdict is from an interval of a lower level; the one shown reaches beyond the margin."""


WORDS = {
    Kind.FAMILY: "interval and adjusted p",
    Kind.TEST: "interval and p",
    Kind.SIDED: "interval and one-sided p",
    Kind.QUESTION: "interval and p of another question",
    Kind.OPPOSED: "test and score",
    Kind.SMALL: "test and verdict",
    Kind.LEVEL: "interval and verdict",
}
"""What disagrees, as rows of data say it."""

Kinds = tuple[Kind, ...]


OTHER_QUESTIONS = {
    "sign": "it counts which system wins more often, not by how much",
    "brunner-munzel": "it asks which system wins more often, not by how much",
    "wilcoxon": "it ranks the differences, so a few large ones count for less than in the mean",
    "k-bonferroni": "it asks whether there is an effect on one fold at the least, whatever the mean",
}
"""Per test that asks something else than whether the difference of the scores is 0, what it asks."""

_ONE_SIDED = {"not worse": 1, "not better": -1}
"""The sign of the end of the margin that a verdict is about, where higher is better."""

_DECIDES = "The test decides which systems differ significantly."


def kinds(d: Difference, told_apart: bool | None = None) -> Kinds:
    """Return why the parts of a difference disagree; nothing if they agree.

    `told_apart`: the standing, where it is not that of the adjusted p.

    >>> from bestby.results import Interval, TestResult
    >>> test = TestResult("permutation", 0.02, "two-sided", True, "binomial", statistic=0.1)
    >>> interval = Interval(0.01, 0.2, 0.95, "tango", True)
    >>> kinds(Difference("accuracy", "a", "b", 0.1, 0.9, 0.8, interval, test, 0.06, True, 100, 20))
    (<Kind.FAMILY: '*'>,)
    """
    return (*_test_kinds(d, told_apart), *_verdict_kinds(d))


def _test_kinds(d: Difference, told_apart: bool | None) -> Kinds:
    if d.test is None or d.p_adjusted is None:
        return ()
    alpha = alpha_at(d.level)
    shown = d.winner is not None if told_apart is None else told_apart
    undirected = opposed(d) or d.test.alternative == "two-sided"
    if not shown and told_apart is None and undirected and d.significant:
        return (Kind.OPPOSED,)
    small = (Kind.SMALL,) if shown and d.verdict == "equivalent" else ()
    clear = excludes_zero(d.interval)
    if d.interval is None or clear == shown:
        return small
    if clear and rejects(d.test.p_value, alpha) and d.interval.method != "max-t":
        return (Kind.FAMILY, *small)
    if d.test.alternative != "two-sided":
        return (Kind.SIDED, *small)
    return (Kind.QUESTION if d.test.name in OTHER_QUESTIONS else Kind.TEST, *small)


def _verdict_kinds(d: Difference) -> Kinds:
    if d.interval is None or d.margin is None:
        return ()
    sign = _ONE_SIDED.get(d.verdict or "", 0) * (1 if d.greater_is_better else -1)
    below, above = d.interval.low <= -d.margin, d.interval.high >= d.margin
    beyond = (below or above) if d.verdict == "equivalent" else (below and sign > 0) or (above and sign < 0)
    return (Kind.LEVEL,) if beyond else ()


def codes(differences: Sequence[Difference], alpha: float) -> IntArray:
    """Return why interval, p and standing of many differences disagree: 1 + a position in `Kind`; 0 if not.

    Verdicts are not looked at. The tests of `Pairs` ask about the scores themselves and never oppose them.
    """
    order = list(Kind)
    if not isinstance(differences, Pairs):
        kinds_of_rows = (
            [kind for kind in _test_kinds(d, None) if kind is not Kind.SMALL] for d in differences
        )
        return np.array([1 + order.index(one[0]) if one else 0 for one in kinds_of_rows], dtype=np.int64)
    if differences.test is None or differences.interval is None:
        return np.zeros(len(differences), dtype=np.int64)
    clear = (differences.low > 0.0) | (differences.high < 0.0)
    family = clear & rejects(differences.p_value, alpha)
    other = Kind.TEST if differences.alternative == "two-sided" else Kind.SIDED
    kind = np.where(family, 1 + order.index(Kind.FAMILY), 1 + order.index(other))
    return np.where(clear != (differences.sides != 0), kind, 0)


def text(kinds: Kinds) -> str:
    """Return the marks of a row."""
    return "".join(kind.value for kind in kinds)


def words(kinds: Kinds) -> str | None:
    """Return what disagrees, in the words of data; None if nothing does.

    >>> words((Kind.FAMILY, Kind.LEVEL)), words(())
    ('interval and adjusted p; interval and verdict', None)
    """
    return "; ".join(WORDS[kind] for kind in kinds) or None


def words_of_pairs(pairs: Pairs) -> list[str | None]:
    """Return `words` of each of many differences."""
    marked = np.zeros((len(Kind), len(pairs)), dtype=np.bool_)
    order, code = list(Kind), codes(pairs, alpha_at(pairs.level))
    marked[code[code > 0] - 1, np.flatnonzero(code)] = True
    if pairs.margin is not None:
        verdict = {name: pairs.verdict == number for number, name in enumerate(VERDICTS)}
        below, above = pairs.low <= -pairs.margin, pairs.high >= pairs.margin
        better, worse = (above, below) if pairs.greater_is_better else (below, above)
        shown = pairs.sides != 0
        marked[order.index(Kind.SMALL)] = shown & verdict["equivalent"]
        marked[order.index(Kind.LEVEL)] = (
            (verdict["equivalent"] & (below | above))
            | (verdict["not worse"] & worse)
            | (verdict["not better"] & better)
        )
    number = (1 << np.arange(len(order))) @ marked  # one bit per kind
    said = {
        one: words(tuple(kind for position, kind in enumerate(order) if one >> position & 1))
        for one in np.unique(number).tolist()
    }
    return [said[one] for one in number.tolist()]


def line(rows: Iterable[tuple[Difference, Kinds]], c: Any) -> str:
    """Return the lines below a table or figure of a result that say what its marks mean; "" if none has one.

    Beside the test of another question it stands whatever the marks are.
    """
    rows = list(rows)
    parts = [_other_question(rows)]
    for kind in Kind:
        of_kind = [d for d, kinds in rows if kind in kinds]
        if of_kind:
            parts.append(said(kind, len(of_kind), len(rows), reason(kind, of_kind, c)))
    return "\n".join(filter(None, parts))


_SHORT = {
    Kind.FAMILY: "the interval is for one pair; the p-value after correction decides",
    Kind.TEST: "the interval and the test disagree; the test decides",
    Kind.SIDED: "the test asks about one side only; it decides",
    Kind.QUESTION: "the test asks another question than the interval; it decides",
    Kind.OPPOSED: "the test is significant, against the order of the scores",
    Kind.SMALL: "there is a difference, and it is smaller than the margin",
    Kind.LEVEL: "the verdict is read from the shorter interval of two one-sided tests",
}
"""What a mark means, in the short answer."""


def short_line(marks: Iterable[Kinds]) -> str:
    """Return what the marks of rows mean, on one line each.

    >>> short_line([(), (Kind.SMALL,), (Kind.SMALL,)])
    '‖ there is a difference, and it is smaller than the margin.'
    """
    found = {kind for kinds in marks for kind in kinds}
    return "\n".join(f"{kind.value} {_SHORT[kind]}." for kind in Kind if kind in found)


def said(kind: Kind, marked: int, of: int, why: str, what: str = "differences") -> str:
    """Return what a mark means, with how many of how many rows have it; "" if none has.

    >>> said(Kind.TEST, 2, 10, "the reason."), said(Kind.TEST, 0, 10, "the reason.")
    ('† 2 of 10 differences: the reason.', '')
    """
    many = f"{marked} of {of} {what}: " if of > 1 else ""
    return f"{kind.value} {many}{why}" if marked else ""


def beside(d: Difference, shown: bool) -> Kinds:
    """Return why something beside a difference, which shows one or does not, disagrees with the standing.

    What stands beside it answers another question: other data vary, or something else is tested.
    """
    return () if d.test is None or shown == (d.winner is not None) else (Kind.QUESTION,)


def _other_question(rows: Sequence[tuple[Difference, Kinds]]) -> str:
    names = {d.test.name for d, _ in rows if d.test is not None and d.interval is not None}
    return " ".join(
        f"The interval and the p-value answer different questions. The interval is about the difference"
        f" itself. The p-value is of the {vocabulary.long_name('test', name)}:"
        f" {OTHER_QUESTIONS[name]}."
        for name in sorted(names & set(OTHER_QUESTIONS))
    )


def reason(kind: Kind, rows: Sequence[Difference], c: Any) -> str:
    """Return why the parts of some differences disagree, and what to do about it."""
    first = rows[0]
    if kind is Kind.FAMILY:
        return _family(rows, c)
    if kind is Kind.TEST:
        return (
            f"the interval ({_names('interval', (d.interval for d in rows))}) and the test"
            f" ({_names('test', (d.test for d in rows))}) are computed in different ways and disagree on"
            f" whether the difference may be 0. {_DECIDES} More data would bring the two together."
        )
    if kind is Kind.SIDED and first.test is not None:
        return (
            f"the test asks about one side only ({first.test.alternative}) and the interval about both, so"
            f" one of them can exclude 0 when the other does not. {_DECIDES}"
        )
    if kind is Kind.QUESTION:
        return f"the interval and the p-value disagree on whether there is a difference. {_DECIDES}"
    if kind is Kind.OPPOSED:
        return (
            "the test is significant, but it does not speak for the system with the better score, because it"
            " does not ask about the score itself. Groups and ranks leave the order of the two systems open."
        )
    if kind is Kind.SMALL:
        return (
            'the two differ significantly and the verdict is "equivalent". Both hold: there is a difference,'
            " and it is smaller than the margin."
        )
    inner = first.equivalence_interval
    level = "" if inner is None else f"{percent(inner.level)} "
    return (
        f"the verdict is read from the {level}interval of two one-sided tests, which supports it; the"
        f" {percent(first.level)} interval shown reaches beyond the margin."
    )


_AT_ONCE = ("comparison", "judged")
"""Kinds of results whose intervals can hold for all pairs at once."""


def _family(rows: Sequence[Difference], c: Any) -> str:
    judged = any(d.verdict in ("better", "worse") for d in rows)
    subject = "the interval and the verdict are" if judged else "the interval is"
    why = (
        f"{subject} for one pair at a time. The interval excludes 0, but the p-value adjusted for the number"
        " of comparisons is not significant. The adjusted p-value decides which systems differ significantly."
    )
    if c.kind in _AT_ONCE and not getattr(c, "in_pairs", False):
        how = "correction='simultaneous' (--simultaneous)"
        return f"{why} For intervals that hold for all pairs at once, use {how}."
    return f"{why} For a claim about one of several pairs, quote the adjusted p-value."


def _names(what: str, methods: Iterable[Any]) -> str:
    names = (getattr(one, "method" if what == "interval" else "name") for one in methods if one is not None)
    return ", ".join(dict.fromkeys(vocabulary.long_name(what, name) for name in names))


def clause(d: Difference) -> str:
    """Return the sentence on why the parts of a difference that is shown alone disagree; "" if they agree."""
    said = {
        Kind.FAMILY: "The interval is for this pair alone; the adjusted p-value allows for all comparisons.",
        Kind.TEST: "The interval and the test are computed in different ways and disagree here.",
        Kind.SIDED: "The test asks about one side only, and the interval about both.",
        Kind.SMALL: "The test asks whether there is a difference, the verdict how large it is: both hold.",
    }
    if d.test is not None and d.test.name in OTHER_QUESTIONS:
        said[Kind.QUESTION] = (
            f"The test asks another question than the interval: {OTHER_QUESTIONS[d.test.name]}."
        )
    if d.verdict in ("better", "worse"):
        said[Kind.FAMILY] = said[Kind.FAMILY].replace("interval is", "interval and the verdict are")
    return " ".join(said[kind] for kind in kinds(d) if kind in said)


def overall_marks(c: Any) -> dict[Any, Kinds]:
    """Return the marks of the differences over all datasets together.

    One is the answer of the comparison; in the others other data vary, or the average is another.
    """
    return {
        entry: kinds(c[entry.a, entry.b])
        if answers(c, entry)
        else beside(c[entry.a, entry.b], overall_shown(c, entry))
        for entry in c.overall
    }


def overall_shown(c: Any, entry: Any) -> bool:
    """Return whether a difference over all datasets is shown: by its test or, without one, its interval."""
    d = c[entry.a, entry.b]
    if answers(c, entry) and d.test is not None:
        return d.winner is not None
    return excludes_zero(entry.interval) if entry.significant is None else bool(entry.significant)


def answers(c: Any, entry: Any) -> bool:
    """Return whether a difference over all datasets together is the one that the comparison answers with."""
    return bool(entry.average == "macro" and entry.resampled in (c.varying, None))


def why_overall(marks: Collection[Kinds], varying: str) -> str:
    """Return the line below the differences over all datasets together that says what their marks mean."""
    n_marked = sum(bool(one) for one in marks)
    why = (
        "these rows average otherwise or take other data to vary than the answer does, and disagree with it."
        f" The headline, the ranks and the diagram follow the macro difference whose {varying} vary."
    )
    text = "".join(dict.fromkeys(kind.value for one in marks for kind in one))
    return f"{text} {n_marked} of {len(marks)} differences: {why}" if n_marked else ""
