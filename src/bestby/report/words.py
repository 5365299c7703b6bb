"""Differences and comparisons in plain sentences, the size before the significance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from bestby.report.numbers import Rounding, alpha, p_clause, percent
from bestby.results import Comparison, Difference, MetricInfo, Note, SystemScore

_TESTS = {
    "permutation": "paired permutation test",
    "bootstrap": "paired bootstrap test",
    "mcnemar": "McNemar test",
    "mcnemar-midp": "McNemar test (mid-p)",
    "sign": "sign test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "t": "paired t-test",
}
_INTERVALS = {
    "tango": "Tango score",
    "wilson": "Wilson score",
    "bca": "BCa bootstrap",
    "percentile": "percentile bootstrap",
    "basic": "basic bootstrap",
    "studentized": "studentized bootstrap",
    "normal": "normal (delta method)",
    "max-t": "simultaneous max-T",
}
_OMNIBUS = {"cochran_q": "Cochran's Q", "friedman": "Friedman"}


def difference_sentence(d: Difference, rounding: Rounding | None = None) -> str:
    """Return one difference in plain words.

    Parameters
    ----------
    d : Difference
        The difference A minus B.
    rounding : Rounding, optional
        The digits of the table it stands beside; by default those of its own standard error.

    Returns
    -------
    str
        Who is ahead, by how much and how sure that is; then the test; then the verdict, if a margin was set.
    """
    digits = rounding or Rounding.of([(d.estimate, d.interval)])
    parts = [_size_sentence(d, digits), _test_sentence(d)]
    if d.verdict is not None:
        parts.append(_verdict_sentence(d))
    return " ".join(parts)


def _size_sentence(d: Difference, digits: Rounding) -> str:
    if math.isnan(d.estimate):
        return f"The difference between {d.a} and {d.b} is undefined."
    ahead = d.better or d.a
    behind = d.b if ahead == d.a else d.a
    if d.estimate == 0.0:
        if d.n_differing == 0:
            return f"{d.a} and {d.b} are level: no item sets them apart."
        lead = f"{d.a} and {d.b} are level"
    else:
        way = "" if d.greater_is_better else " (lower is better)"
        lead = f"{ahead} is ahead of {behind} by {digits.size(d.estimate)}{way}"
    if math.isnan(d.interval.low) or math.isnan(d.interval.high):
        return f"{lead}; how sure that is cannot be said from these data."
    # As the lead of `ahead`, so that positive means what the sentence says, whichever direction is better.
    flip = (ahead == d.a) != d.greater_is_better
    low, high = (-d.interval.high, -d.interval.low) if flip else (d.interval.low, d.interval.high)
    return f"{lead}; the data are compatible with {_span(low, high, ahead, behind, digits)}."


def _span(low: float, high: float, ahead: str, behind: str, digits: Rounding) -> str:
    """Return the range of leads of `ahead` over `behind`, from `low` to `high`, in words."""
    if low == high:
        return f"{_lead(low, ahead, behind, digits)} only"
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


def _test_sentence(d: Difference) -> str:
    threshold = alpha(d.interval.level)
    name = name_of_test(d.test.name)
    asked = (
        "" if d.test.alternative == "two-sided" else f", one-sided (is {d.a}'s score {d.test.alternative}?)"
    )
    text = f"{name[0].upper()}{name[1:]}{asked}: {p_clause(d.p_value, threshold)}"
    if d.test.error > 0.0:
        text += f" ± {d.test.error:.1g}"
    if d.p_adjusted != d.p_value and not math.isnan(d.p_adjusted):
        text += f" ({p_clause(d.p_adjusted, threshold, 'adjusted p')})"
    return text + "."


def _verdict_sentence(d: Difference) -> str:
    margin = "the margin" if d.margin is None else f"the margin of {d.margin:.6g}"
    if d.verdict == "equivalent":
        return f"They are equivalent within {margin}."
    if d.verdict == "inconclusive":
        return f"Whether the difference reaches {margin} stays open."
    return f"{d.a} is {d.verdict} than {d.b} by more than {margin}."


def headline(c: Comparison, metric: MetricInfo) -> str:
    """Return what the comparison says about one metric, in one or two sentences.

    Parameters
    ----------
    c : Comparison
        The comparison.
    metric : MetricInfo
        One of its metrics.

    Returns
    -------
    str
        Which system is best and which cannot be told apart from it; or, with a baseline, which systems
        are ahead of it and which behind.
    """
    systems = [entry for entry in c.systems if entry.metric == metric.name]
    if not systems:
        return f"No score on {metric.name}."
    differences = [d for d in c.differences if d.metric == metric.name]
    digits = Rounding.of([(entry.score, entry.interval) for entry in systems])
    if c.baseline is not None:
        return _baseline_headline(c, metric, systems, differences, digits)
    return _best_headline(c, metric, systems, differences, digits)


def _best_headline(
    c: Comparison,
    metric: MetricInfo,
    systems: Sequence[SystemScore],
    differences: Sequence[Difference],
    digits: Rounding,
) -> str:
    first = systems[0]
    tied = [entry.system for entry in systems if entry.score == first.score]
    best = "highest" if metric.greater_is_better else "lowest"
    if len(tied) > 1:
        return (
            f"{listed(tied)} share the {best} {metric.name}, {digits.text(first.score)},"
            f" over {c.n_items} items."
        )
    mine = [d for d in differences if first.system in (d.a, d.b)]
    others = {(d.b if d.a == first.system else d.a): d for d in mine}
    order = [entry.system for entry in systems if entry.system in others]
    open_ = [name for name in order if not significant(others[name])]
    text = f"{first.system} has the {best} {metric.name}, {digits.text(first.score)}, over {c.n_items} items"
    if not order:
        return text + "."
    sided = (
        "" if mine[0].test.alternative == "two-sided" else f" (one-sided tests: {mine[0].test.alternative})"
    )
    if open_:
        text += f"; {listed(open_)} cannot be told apart from it{sided}."
    else:
        text += f", and is told apart from {'the other' if len(order) == 1 else 'all others'}{sided}."
    equivalent = [name for name in order if others[name].verdict == "equivalent"]
    if equivalent:
        verb = "is" if len(equivalent) == 1 else "are"
        text += f" {listed(equivalent)} {verb} equivalent to it within the margin of {c.margin:.6g}."
    return text


def _baseline_headline(
    c: Comparison,
    metric: MetricInfo,
    systems: Sequence[SystemScore],
    differences: Sequence[Difference],
    digits: Rounding,
) -> str:
    base = str(c.baseline)
    scores = {entry.system: digits.text(entry.score) for entry in systems}
    sides: dict[str, list[str]] = {"ahead": [], "behind": [], "open": []}
    for d in differences:
        other = d.b if d.a == base else d.a
        side = ("ahead" if d.better == other else "behind") if significant(d) else "open"
        sides[side].append(other)
    said = []
    if sides["ahead"]:
        said.append(f"{listed(sides['ahead'])} {_is(sides['ahead'])} ahead of it")
    if sides["behind"]:
        said.append(f"{listed(sides['behind'])} {_is(sides['behind'])} behind it")
    if sides["open"]:
        said.append(f"{listed(sides['open'])} cannot be told apart from it")
    way = "higher" if metric.greater_is_better else "lower"
    lead = f"Against the baseline {base} ({metric.name} {scores.get(base, '')}, {way} is better)"
    return f"{lead}, over {c.n_items} items: {'; '.join(said)}."


def significant(d: Difference) -> bool:
    """Return whether the adjusted p-value is below 1 − level."""
    return d.p_adjusted < 1.0 - d.interval.level


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names as a list in a sentence, the rest counted.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(list("abcd"), most=2)
    ('a, b and c', 'a, b and 2 others')
    """
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} others"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def name_of_test(name: str) -> str:
    """Return a test's name as one writes it in a sentence."""
    return _TESTS.get(name, name)


def direction(metric: MetricInfo) -> str:
    """Return "higher is better" or "lower is better"."""
    return "higher is better" if metric.greater_is_better else "lower is better"


def omnibus_sentence(c: Comparison, metric: MetricInfo) -> str | None:
    """Return the omnibus test of one metric, or None if there was none."""
    for test in c.omnibus:
        if test.metric == metric.name:
            name = _OMNIBUS.get(test.name, test.name)
            p = p_clause(test.p_value, alpha(c.level))
            return f"All systems alike? {name} test: {test.statistic:.2f} on {test.df} df, {p}."
    return None


def methods_sentence(c: Comparison) -> str:
    """Return which intervals, tests and correction made the numbers."""
    of_scores = _counted(_INTERVALS.get(s.interval.method, s.interval.method) for s in c.systems)
    of_differences = _counted(_INTERVALS.get(d.interval.method, d.interval.method) for d in c.differences)
    tests = _counted(_test_used(d) for d in c.differences)
    correction = "no correction" if c.correction == "none" else f"correction: {c.correction}"
    text = f"Intervals ({percent(c.level)}): {of_differences} for differences, {of_scores} for scores."
    text += f" Test: {tests}; {correction}."
    if any(d.test.n_resamples or not d.interval.exact for d in c.differences):
        text += f" {c.provenance.n_resamples} resamples, seed {c.provenance.seed}."
    return text


def _test_used(d: Difference) -> str:
    how = f"exact, by {d.test.method}" if d.test.exact else d.test.method
    how = how.replace("monte carlo", "Monte Carlo").replace("by binomial", "binomial")
    return f"{name_of_test(d.test.name)}, {d.test.alternative} ({how})"


def _counted(names: Iterable[str]) -> str:
    """Return the one name, or all of them with how often each occurs."""
    counts = Counter(names)
    if not counts:
        return "none"
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{name} ({count})" for name, count in counts.most_common())


def note_lines(c: Comparison) -> list[str]:
    """Return the notes of the comparison and of its differences, equal ones once with their number."""
    about: dict[tuple[str, str], list[Note]] = {}
    for note in all_notes(c):
        about.setdefault((note.code, note.message), []).append(note)
    lines = []
    for (_, message), notes in about.items():
        if len(notes) > 1:
            lines.append(f"{message} ({len(notes)} times)")
        elif notes[0].about:
            lines.append(f"{message} ({', '.join(notes[0].about)})")
        else:
            lines.append(message)
    return lines


def all_notes(c: Comparison) -> tuple[Note, ...]:
    """Return the notes of the comparison, then those of its differences."""
    return c.notes + tuple(note for d in c.differences for note in d.notes)
