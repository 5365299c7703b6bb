"""Differences in plain sentences, the size before the significance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from bestby import vocabulary
from bestby._core.text import grouped, visible
from bestby.inference.multiplicity import alpha_at, rejects
from bestby.report import disagreements
from bestby.report.comparison import Difference, SystemScore
from bestby.report.numbers import MINUS, Rounding, alpha, margin_text, p_clause, percent
from bestby.report.shown import UNSEEN, shown_better
from bestby.results.base import MetricInfo
from bestby.results.values import WITHOUT_INTERVAL, TestResult


def computed(c: Any, what: str) -> bool:
    """Return whether a result has what an argument asks for: intervals ("interval") or tests ("test")."""
    return c.provenance is None or c.provenance.settings.get(what, "auto") is not None


def averaged(metric: str) -> str:
    """Return what the mean of a metric over datasets or folds is called."""
    return "mean score" if metric == "mean" else f"mean {metric}"


def mean_differences(metric: str) -> str:
    """Return what the mean difference over datasets or folds is called, at the start of a caption.

    >>> mean_differences("accuracy"), mean_differences("mean")
    ('Mean differences in accuracy', 'Mean differences')
    """
    return "Mean differences" if metric == "mean" else f"Mean differences in {metric}"


def difference_sentence(d: Difference, rounding: Rounding | None = None) -> str:
    """Return one difference in plain words: size and interval, test, why they disagree, verdict."""
    digits = rounding or Rounding.of([(d.estimate, d.interval)], margin=d.margin)
    parts = [_size_sentence(d, digits)]
    if d.test is not None and d.p_adjusted is not None:
        parts.append(_test_sentence(d, d.test, d.p_adjusted))
    if why := disagreements.clause(d):
        parts.append(why)
    if d.verdict is not None:
        parts.append(_verdict_sentence(d, digits))
    return visible(" ".join(parts))


def short(entry: Any) -> str:
    """Return a difference or a score on one line."""
    text = _short_score(entry) if isinstance(entry, SystemScore) else _short_difference(entry)
    return visible(text)


def _short_difference(d: Difference) -> str:
    digits = Rounding.of([(d.estimate, d.interval)], margin=d.margin)
    sure = "" if d.interval is None else f" {digits.interval(d.interval)}"
    parts = [f"{d.a} {MINUS} {d.b}: {digits.text(d.estimate)}{sure}"]
    if d.p_value is not None and d.p_adjusted is not None:
        p = p_clause(d.p_value, alpha(d.level))
        corrected = p_clause(d.p_adjusted, alpha(d.level), "adjusted p")
        parts.append(p if d.p_adjusted == d.p_value or math.isnan(d.p_adjusted) else f"{p} ({corrected})")
    runs = getattr(d, "n_runs", None)
    parts += [f"n = {grouped(d.n_items)}"] if d.n_items or runs is None else []
    parts += [f"{runs[0]} and {runs[1]} runs"] if runs is not None else []
    parts += [d.verdict] if d.verdict is not None else []
    return ", ".join(parts)


def _short_score(entry: SystemScore) -> str:
    digits = Rounding.of([(entry.score, entry.interval)])
    sure = "" if entry.interval is None else f" {digits.interval(entry.interval)}"
    return f"{entry.system}: {entry.metric} {digits.text(entry.score)}{sure}"


def with_standard_error(d: Difference) -> str:
    """Return the sentence of a difference, followed by its standard error if it has one."""
    if d.standard_error is None:
        return d.sentence
    how = vocabulary.long_name("standard error", d.standard_error_method or "")
    return f"{d.sentence} Standard error of the difference: {d.standard_error:.3g} ({how})."


def _size_sentence(d: Difference, digits: Rounding) -> str:
    if math.isnan(d.estimate):
        return f"The difference between {d.a} and {d.b} is undefined."
    ahead = d.ahead or d.a
    behind = d.b if ahead == d.a else d.a
    if d.estimate == 0.0:
        lead = f"{d.a} and {d.b} are level"
        if d.n_items and d.n_differing == 0:
            lead += ": no item sets them apart"
    else:
        way = "" if d.greater_is_better else " (lower is better)"
        lead = f"{ahead} is ahead of {behind} by {digits.size(d.estimate)}{way}"
    unasked = d.interval is None and d.standard_error is None and not _lacks_interval(d)
    if unasked or (d.interval is None and d.verdict == "equivalent"):
        return f"{lead}."  # no interval was asked for, or the verdict says how sure it is
    if d.interval is None:
        return f"{lead}; how sure that is cannot be said from these data."
    # As the lead of `ahead`, so that positive means what the sentence says, whichever direction is better.
    flip = (ahead == d.a) != d.greater_is_better
    low, high = (-d.interval.high, -d.interval.low) if flip else (d.interval.low, d.interval.high)
    return f"{lead}; the data are compatible with {_span(low, high, ahead, behind, digits)}."


def _lacks_interval(d: Difference) -> bool:
    """Return whether an interval was asked for and there is none, which a note says."""
    return any(note.code in WITHOUT_INTERVAL for note in d.notes)


def _span(low: float, high: float, ahead: str, behind: str, digits: Rounding) -> str:
    """Return the range of leads of `ahead` over `behind`, from `low` to `high`, in words."""
    if low >= 0.0 and math.isinf(high):
        return f"{digits.size(low)} or more"
    if low >= 0.0:
        return f"anything from {digits.size(low)} to {digits.size(high)}"
    if high <= 0.0 and math.isfinite(low):
        return f"anything from {digits.size(high)} to {digits.size(low)} in favour of {behind}"
    return f"anything from {_lead(low, ahead, behind, digits)} to {_lead(high, ahead, behind, digits)}"


def _lead(value: float, ahead: str, behind: str, digits: Rounding) -> str:
    if value == 0.0:
        return "no difference"
    side = ahead if value > 0.0 else behind
    return (
        f"any size in favour of {side}" if math.isinf(value) else f"{digits.size(value)} in favour of {side}"
    )


def _test_sentence(d: Difference, test: TestResult, p_adjusted: float) -> str:
    threshold = alpha(d.level)
    name = name_of_test(test.name)
    two_sided = test.alternative == "two-sided"
    asked = "" if two_sided else f", one-sided (is {d.a}'s score {test.alternative}?)"
    clause = p_clause(test.p_value, threshold)
    text = f"{name[0].upper()}{name[1:]}{asked}: {clause}"
    if test.error > 0.0 and "<" not in clause:
        text += f" ± {test.error:.1g}"
    if p_adjusted != test.p_value and not math.isnan(p_adjusted):
        text += f" ({p_clause(p_adjusted, threshold, 'adjusted p')})"
    if significant(d) and d.favoured is not None and d.ahead != d.favoured:
        text += f", in favour of {d.favoured}"
        text += ", which has the worse score" if d.opposed else ""
    return text + "."


def _verdict_sentence(d: Difference, digits: Rounding) -> str:
    margin = "the margin" if d.margin is None else f"the margin of {margin_text(d.margin)}"
    if d.verdict == "equivalent":
        interval = d.equivalence_interval
        if interval is None:
            return f"They are equivalent within {margin}."
        shown = f"{percent(interval.level)} interval of {d.a} {MINUS} {d.b}, {digits.interval(interval)},"
        return f"They are equivalent within {margin}: the {shown} lies inside it."
    if d.verdict in ("not worse", "not better"):
        return _one_sided_sentence(d, digits, margin)
    if d.verdict == "inconclusive":
        why = ""
        if any(note.code == UNSEEN for note in d.notes):
            why = ": too few units differ to show that others do not"
        return f"The data leave open whether the difference reaches {margin}{why}."
    return f"{d.a} is {d.verdict} than {d.b} by more than {margin}."


def _one_sided_sentence(d: Difference, digits: Rounding, margin: str) -> str:
    """Return what "not worse" or "not better" rules out, from which interval, and what it leaves open."""
    open_ = "better" if d.verdict == "not worse" else "worse"
    text = f"{d.a} is {d.verdict} than {d.b} by as much as {margin}"
    if d.equivalence_interval is not None and d.margin is not None:
        above = (d.verdict == "not worse") == d.greater_is_better
        end = f"above {MINUS if d.margin else ''}{margin_text(d.margin)}"
        side = end if above else f"below {margin_text(d.margin)}"
        shown = digits.interval(d.equivalence_interval)
        level = percent(d.equivalence_interval.level)
        text += f": the {level} interval of {d.a} {MINUS} {d.b}, {shown}, lies {side}"
    return f"{text}. The data leave open whether it is {open_} by more."


def significant(d: Difference) -> bool:
    """Return whether there is an adjusted p-value, and it is at most 1 − level."""
    return d.p_adjusted is not None and rejects(d.p_adjusted, alpha_at(d.level))


def stands_out(d: Difference) -> bool:
    """Return whether a table makes a difference bold: its test shows one of the systems to be better."""
    return shown_better(d, alpha_at(d.level)) is not None


def best_clause(first: str, others: Mapping[str, Difference]) -> str:
    """Return how the first system stands to the others by the tests: the end of a sentence about it."""
    test = next(iter(others.values())).test
    if test is None:
        return "; nothing was tested"
    open_, against = [], []
    for name, d in others.items():
        if not significant(d):
            open_.append(name)
        elif (shown_better(d, alpha_at(d.level)) or d.favoured) != first:
            against.append(name)
    two_sided = test.alternative == "two-sided"
    sided = "" if two_sided else f" (one-sided tests: {test.alternative})"
    parts = []
    if open_ and two_sided:
        parts.append(f"{listed(open_)} cannot be told apart from it")
    elif open_:
        parts.append(f"{listed(open_)} {are(open_)} not shown to be behind it{sided}")
    if against:
        parts.append(f"against that order, the {name_of_test(test.name)} favours {listed(against)} over it")
    if parts:
        return f"; {'; '.join(parts)}"
    return f", and differs significantly from {'the other' if len(others) == 1 else 'all others'}{sided}"


def are(names: Sequence[str]) -> str:
    """Return the verb for one or several names."""
    return "is" if len(names) == 1 else "are"


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names as a list in a sentence, the rest counted."""
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} others"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def name_of_test(name: str) -> str:
    """Return a test's name as one writes it in a sentence."""
    return vocabulary.long_name("test", name)


def direction(metric: MetricInfo) -> str:
    """Return "higher is better" or "lower is better"."""
    return "higher is better" if metric.greater_is_better else "lower is better"
