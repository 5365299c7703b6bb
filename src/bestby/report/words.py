"""What reports say in sentences: differences, headlines, methods and notes."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from bestby import vocabulary
from bestby._core import rounding
from bestby._core.text import grouped, visible
from bestby.inference.permutation import least_p
from bestby.inference.skewness import FROM_UNITS
from bestby.report import disagreements
from bestby.report.comparison import (
    SIMULTANEOUS,
    UNSEEN,
    BestSet,
    Comparison,
    Difference,
    SystemScore,
    better_by_score,
    better_by_test,
    part_about,
)
from bestby.report.numbers import MINUS, Rounding, alpha, margin_text, p_clause, percent, ranks_text
from bestby.report.pairs import differences_on, examples, involving, notes_of
from bestby.results.base import MetricInfo, Note, Provenance
from bestby.results.values import WITHOUT_INTERVAL, Interval, TestResult

MOST_OF_A_KIND = 3
"""Lines of notes of one code, and names in such a line."""

Source: TypeAlias = Callable[[Any], str]
"""Returns what follows the name of a method: the works that it is from, or nothing."""

_BY_T = ("normal", "cr2", "t", "welch", SIMULTANEOUS)
"""Intervals that take units to be near normal, or may."""


def headline(c: Comparison, metric: MetricInfo) -> str:
    """Return which system is best on a metric and which cannot be told apart from it."""
    systems = [entry for entry in c.systems if entry.metric == metric.name]
    if not systems:
        return f"No score on {metric.name}."
    digits = Rounding.for_scores([(entry.score, entry.interval) for entry in systems])
    if not c.differences:
        # The headline names so many scores where nothing is compared
        shown = [
            f"{entry.system} {digits.text(entry.score)}"
            + (f" {digits.interval(entry.interval)}" if computed(c, "interval") else "")
            for entry in systems[:5]
        ]
        more = len(systems) - len(shown)
        rest = [f"{more} more below it"] if more else []
        text = f"{metric.name} on {c.extent}: {listed([*shown, *rest])}."
        return text + _leader_sentence(c, metric, digits) + few_units_of_scores(c, systems)
    text = (_best_headline if c.baseline is None else _baseline_headline)(c, metric, systems, digits)
    text += _leader_sentence(c, metric, digits)
    return (
        text + _focus_sentence(c, metric) + few_units_sentence(c, differences_on(c.differences, metric.name))
    )


def _best_headline(
    c: Comparison, metric: MetricInfo, systems: Sequence[SystemScore], digits: Rounding
) -> str:
    first = systems[0]
    tied = [entry.system for entry in systems if stands_level(entry, first)]
    best = "highest" if metric.greater_is_better else "lowest"
    behind = None if len(tied) > 1 else first.behind
    best_set = part_about(c.best_sets, metric)
    may_be_best = best_sentence(best_set, digits, first.system, behind)
    if len(tied) > 1:
        shared = f"{listed(tied)} share the {best} {metric.name}, {digits.text(first.score)}, over {c.extent}"
        return f"{shared}{_told_apart_among(c, metric, tied)}.{may_be_best}"
    mine = involving(c.differences, metric.name, first.system)
    others = {(d.b if d.a == first.system else d.a): d for d in mine}
    in_order = {entry.system: others[entry.system] for entry in systems if entry.system in others}
    text = f"{first.system} has the {best} {metric.name}, {digits.text(first.score)}, over {c.extent}"
    if first.mean_difference is not None:
        size = Rounding.of([(d.estimate, d.interval) for d in mine]).size(first.mean_difference)
        way = "higher" if metric.greater_is_better else "lower"
        rest = "the others by {} on average, each" if len(systems) > 2 else "the other by {}"
        text = f"{first.system} has a {way} {metric.name} than {rest.format(size)} on the items both have"
    if not in_order:
        return text + "."
    text += (
        f"{best_clause(first.system, in_order, best_set)}.{may_be_best or surely_best(in_order, best_set)}"
    )
    equivalent = [name for name, d in in_order.items() if d.verdict == "equivalent"]
    if equivalent and c.margin is not None:
        verb = are(equivalent)
        text += f" {listed(equivalent)} {verb} equivalent to it within the margin of {margin_text(c.margin)}."
    return text


def _told_apart_among(c: Comparison, metric: MetricInfo, tied: Sequence[str]) -> str:
    """Return what tests say of systems with the same score: tests of signs and ranks can tell them apart."""
    losers: dict[str, list[str]] = {}
    # Systems with one score among which the headline looks for tests that tell them apart
    for d in differences_on(c.differences, metric.name) if len(tied) <= 50 else ():
        if d.winner is not None and d.a in tied and d.b in tied:
            losers.setdefault(d.winner, []).append(d.b if d.winner == d.a else d.a)
    if not losers:
        return ""
    (test, *_) = (d.test for d in differences_on(c.differences, metric.name) if d.test is not None)
    sides = "; ".join(f"{winner} over {listed(names)}" for winner, names in losers.items())
    return f"; the {name_of_test(test.name)} is significant and speaks for {sides}"


def _baseline_headline(
    c: Comparison, metric: MetricInfo, systems: Sequence[SystemScore], digits: Rounding
) -> str:
    base = str(c.baseline)
    scores = {entry.system: digits.text(entry.score) for entry in systems}
    standing: dict[str, list[str]] = {}
    for d in differences_on(c.differences, metric.name):
        standing.setdefault(_against_baseline(d, base), []).append(d.b if d.a == base else d.a)
    parts = [f"{listed(names)} {_verb(text, names)}" for text, names in standing.items()]
    way = "higher" if metric.greater_is_better else "lower"
    lead = f"Against the baseline {base} ({metric.name} {scores.get(base, '')}, {way} is better)"
    untested = "" if computed(c, "test") else "; nothing was tested"
    return f"{lead}, over {extent_of_pairs(c)}: {'; '.join(parts)}{untested}."


def _verb(text: str, names: Sequence[str]) -> str:
    """Return what is said of several systems, or the same of one."""
    verb, _, rest = text.partition(" ")
    return text if len(names) > 1 else f"{ {'differ': 'differs', 'have': 'has'}.get(verb, verb) } {rest}"


def _against_baseline(d: Difference, base: str) -> str:
    """Return how a system stands to the baseline, as said of several."""
    higher = (d.estimate > 0.0) == (d.b == base)
    scores = f"a {'higher' if higher else 'lower'} {d.metric}" if d.estimate else f"the same {d.metric}"
    if d.test is None:
        return f"have {scores}"
    if not d.significant:
        return f"cannot be told apart from it{' (one-sided test)' * (d.test.alternative != 'two-sided')}"
    test = name_of_test(d.test.name)
    if d.winner is None:
        return f"differ significantly from it by the {test}, which speaks against the scores"
    if not d.estimate:
        side = base if d.winner == base else "the former"
        return f"have {scores}, while the {test} is significant and speaks for {side}"
    return f"differ significantly from it, with {scores}"


def best_sentence(best: BestSet | None, digits: Rounding, first: str, behind: float | None) -> str:
    """Return which systems may be the best, with a space before it; "" where that is one, or was not asked.

    `behind` is how far the first one is behind the best at most, if it is to be said. That it is the best is
    for the tests of all pairs to say.
    """
    if not _is_open(best):
        return ""
    assert best is not None
    text = f" The best system is one of {listed(best.systems)} ({percent(best.level)})"
    if behind is not None:
        text += f"; {first} is at most {digits.size(behind)} behind it"
    return f"{text}."


def surely_best(others: Mapping[str, Difference], best: BestSet | None) -> str:
    """Return that no other system may be the best, with a space before it, where tests of pairs are open."""
    if best is None or len(best.systems) != 1 or all(d.significant for d in others.values()):
        return ""
    return (
        f" By comparisons with the best alone, which are fewer than all pairs, only {best.systems[0]} may be"
        f" the best ({percent(best.level)})."
    )


def _is_open(best: BestSet | None) -> bool:
    """Return whether several systems may be the best, which says more than tests of pairs with the first."""
    return best is not None and len(best.systems) > 1


def _leader_sentence(c: Comparison, metric: MetricInfo, digits: Rounding) -> str:
    """Return the score of the first system without the luck of the choice, a space before it; "" if none."""
    leader = part_about(c.leaders, metric)
    if leader is None:
        return ""
    text = f" Without the luck of being the first of {leader.n_systems}, "
    if leader.baseline is None:
        text += f"{leader.system} has a score of about"
    else:
        text += f"{leader.system} {MINUS} {leader.baseline} is about"
        digits = Rounding.of([(leader.corrected, leader.interval)])
    return f"{text} {digits.text(leader.corrected)} {digits.interval(leader.interval)}."


def _focus_sentence(c: Comparison, metric: MetricInfo) -> str:
    """Return the rank of the system that was named in advance, a space before it; "" if none."""
    one = part_about(c.focus, metric)
    if one is None:
        return ""
    return (
        f" {one.system}, named in advance, has rank {ranks_text(one.rank_low, one.rank_high)} by its own"
        f" {sum(entry.metric == metric.name for entry in c.systems) - 1} differences ({percent(c.level)})."
    )


def best_clause(first: str, others: Mapping[str, Difference], best: BestSet | None) -> str:
    """Return how the first system stands to the others by the tests: the end of a sentence about it.

    Those that cannot be told apart from it are named unless several may be the best, which is said instead.
    """
    test = next(iter(others.values())).test
    if test is None:
        return "; nothing was tested"
    open_ = [name for name, d in others.items() if not d.significant]
    against = [
        name for name, d in others.items() if d.significant and (d.winner or better_by_test(d)) != first
    ]
    sided = "" if test.alternative == "two-sided" else f" (one-sided tests: {test.alternative})"
    parts = []
    if open_ and not _is_open(best):
        parts.append(f"{listed(open_)} cannot be told apart from it{sided}")
    if against:
        parts += [f"the {name_of_test(test.name)} is significant, but speaks for {listed(against)} over it"]
    if parts or open_:
        return f"; {'; '.join(parts)}" if parts else ""
    return f", and differs significantly from {'the other' if len(others) == 1 else 'all others'}{sided}"


def omnibus_sentence(c: Comparison, metric: MetricInfo) -> str | None:
    """Return the omnibus test of one metric, or None if there was none."""
    for test in c.omnibus:
        if test.metric == metric.name:
            name = vocabulary.long_name("omnibus", test.name)
            p = p_clause(test.p_value, alpha(c.level))
            return f"{name} test that all systems are equal: {test.statistic:.2f} on {test.df} df, {p}."
    return None


def few_units_sentence(c: Comparison, differences: Sequence[Difference]) -> str:
    """Return the sentence on the units of a comparison on one metric, with a space before it; "" if many."""
    n, units = units_of(c)
    if c.kind == "runs" and c.n_items:
        return ""
    return few_units_text(n, units, differences, c.notes, c.provenance.settings.get("test"))


def few_units_of_scores(c: Comparison, systems: Sequence[SystemScore]) -> str:
    """Return the sentence on few units where scores are not compared; intervals of shares hold for these."""
    n, units = units_of(c)
    methods = {entry.interval.method for entry in systems if entry.interval is not None}
    if n >= FROM_UNITS or not methods - {"wilson", "wilson-midp"}:
        return ""
    return (
        f" This rests on {n} {units}, which hardly show how skewed the scores are, or that a rare one fails."
    )


def few_units_text(
    n: int, units: str, differences: Sequence[Difference], notes: Sequence[Note], asked: str | None
) -> str:
    """Return the sentence on so few units, named by a plural, of tests that were `asked` for; "" if many."""
    if n >= FROM_UNITS or not any(map(_differs, differences)):
        return ""
    shown, parts = differences[0], []
    methods = {d.interval.method for d in differences if d.interval is not None}
    if not methods.isdisjoint(_BY_T):
        skewed_units = "they" if units.startswith("runs") else "differences"
        parts.append(f"cannot show whether {skewed_units} are skewed")
    swapped = SIMULTANEOUS not in methods and any(by_swaps(d, asked) for d in differences)
    # Units below which the least p-value of a swap is named
    if n < 10 and shown.test is not None and swapped:
        least = least_p(n, shown.test.alternative)
        parts.append(f"have no swap with a p-value below {least:.2g}")
        if any(d.test is not None and d.test.name == "hall" for d in differences):
            parts[-1] += " (where all point the same way, Hall's t test decides)"
    if not parts:
        return ""
    text = f" This rests on {n} {units}, which {' and '.join(parts)}"
    every = (*notes, *(note for d in differences for note in d.notes))
    skewed = [note for note in every if note.code == "skewed_differences"]
    allowing = [note for note in skewed if note.about[:1] == (shown.metric,)]  # none on a single dataset
    return f"{text}; {allowing[0].message}." if allowing else f"{text}."


def _differs(d: Difference) -> bool:
    """Return whether two systems differ on some unit; of runs without items no number tells, but a note."""
    if hasattr(d, "n_runs") and not d.n_items:
        return all(note.code != "identical" for note in d.notes)
    return d.n_differing > 0


def units_of(c: Any) -> tuple[int, str]:
    """Return how many independent units a comparison rests on, and what they are called, as a plural."""
    if c.kind == "runs":
        units = "pairs of runs" if c.paired else "runs of a system"
        return min(len(entry.runs) for entry in c.systems), units
    n, units = units_of_items(c.n_items, c.n_clusters, c.provenance)
    return n, "judgements" if units == "items" and c.kind == "preferences" else units


def extent_of_pairs(c: Any) -> str:
    """Return on how much two systems were compared, in words: of items, if some lack others, on how many."""
    if not getattr(c, "in_pairs", False):
        return str(c.extent)
    sizes = [d.n_items for d in c.differences]
    low, high = grouped(min(sizes)), grouped(max(sizes))
    return f"{low} items" if low == high else f"{low} to {high} items"


def units_of_items(n_items: int, n_clusters: int | None, provenance: Provenance) -> tuple[int, str]:
    """Return how many independent units items make, in clusters or blocks, and what these are called."""
    if n_clusters:
        return n_clusters, "clusters"
    if blocks := provenance.settings.get("blocks"):
        return n_items // int(blocks), "blocks"
    return n_items, "items"


def by_swaps(d: Difference, asked: str | None) -> bool:
    """Return whether the test of a difference is by swaps, or what goes on where these end."""
    name = None if d.test is None else d.test.name
    return name == "permutation" or (name == "hall" and asked == "auto")


def difference_sentence(d: Difference, rounding: Rounding | None = None) -> str:
    """Return one difference in plain words: size and interval, test, why they disagree, verdict."""
    digits = rounding or Rounding.of([(d.estimate, d.interval)], d.margin)
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
    digits = Rounding.of([(d.estimate, d.interval)], d.margin)
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
    digits = Rounding.for_scores([(entry.score, entry.interval)])
    sure = "" if entry.interval is None else f" {digits.interval(entry.interval)}"
    return f"{entry.system}: {entry.metric} {digits.text(entry.score)}{sure}"


def with_standard_error(d: Difference) -> str:
    """Return the sentence of a difference, followed by its standard error if it has one."""
    if d.standard_error is None:
        return d.sentence
    how = vocabulary.long_name("standard error", d.standard_error_method or "")
    return f"{d.sentence} Standard error of the difference: {d.standard_error:.3g} ({how})."


def _size_sentence(d: Difference, digits: Rounding) -> str:
    """Return how much higher or lower the first score is, and which differences the data allow for."""
    if math.isnan(d.estimate):
        return f"The difference between {d.a} and {d.b} is undefined."
    if d.estimate == 0.0:
        text = f"{d.a} and {d.b} have the same {d.metric}"
        text += ": no item sets them apart" if d.n_items and d.n_differing == 0 else ""
    else:
        way = "" if d.greater_is_better else " (lower is better)"
        side = "higher" if d.estimate > 0.0 else "lower"
        text = f"{d.a} has a {side} {d.metric} than {d.b} by {digits.size(d.estimate)}{way}"
    unasked = d.interval is None and d.standard_error is None and not _lacks_interval(d)
    if unasked or (d.interval is None and d.verdict == "equivalent"):
        return f"{text}."  # no interval was asked for, or the verdict says how sure it is
    if d.interval is None:
        return f"{text}; how sure that is cannot be said from these data."
    return f"{text}; the data are compatible with {_span(d.interval.low, d.interval.high, digits)}."


def _span(low: float, high: float, digits: Rounding) -> str:
    """Return the differences of an interval in words."""
    if math.isinf(low) and math.isinf(high):
        return "any difference"
    if math.isinf(high):
        return f"differences of {digits.text(low)} or more"
    if math.isinf(low):
        return f"differences of {digits.text(high)} or less"
    return f"differences from {digits.text(low)} to {digits.text(high)}"


def _lacks_interval(d: Difference) -> bool:
    """Return whether an interval was asked for and there is none, which a note says."""
    return any(note.code in WITHOUT_INTERVAL for note in d.notes)


def _test_sentence(d: Difference, test: TestResult, p_adjusted: float) -> str:
    """Return whether the two differ significantly, by which test, and if it speaks against the score."""
    threshold = alpha(d.level)
    asked = "" if test.alternative == "two-sided" else f", one-sided (is {d.a}'s score {test.alternative}?)"
    clause = p_clause(test.p_value, threshold)
    how = f"{name_of_test(test.name)}{asked}: {clause}"
    if test.error > 0.0 and "<" not in clause:
        how += f" ± {test.error:.1g}"
    if p_adjusted != test.p_value and not math.isnan(p_adjusted):
        how += f"; {p_clause(p_adjusted, threshold, 'adjusted p')}"
    text = f"They {'differ significantly' if d.significant else 'cannot be told apart'} ({how})"
    side, better = better_by_test(d), better_by_score(d)
    if d.significant and side is not None and side != better:
        text += f"; the test speaks for {side}" + (", which has the worse score" if better else "")
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
        return f"Inconclusive: the data leave open whether the difference reaches {margin}{why}."
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


def methods_sentence(c: Comparison, metric: MetricInfo | None = None) -> str:
    """Return which intervals, tests and correction made the numbers, those of one metric or all."""
    systems, differences = c.systems, c.differences
    if metric is not None:
        systems = tuple(entry for entry in systems if entry.metric == metric.name)
        differences = differences_on(differences, metric.name)
    kinds = examples(differences)
    tested, bounded = bool(kinds) and computed(c, "test"), computed(c, "interval")
    intervals, tests = intervals_and_tests(differences, systems=systems)
    text = f"Intervals ({percent(c.level)}): {intervals}" if bounded else "No intervals were computed"
    text += f". Test: {tests}{corrected(c)}." if tested else "; nothing was tested."
    text += equivalence([d for d, _ in kinds])
    drawn = resampled(d for d, _ in kinds)
    if not kinds:
        drawn = any(entry.interval is not None and not entry.interval.exact for entry in systems)
    return f"{text} {resamples(c)}" if drawn else text


def sentence_of_tests(c: Any, metric: MetricInfo) -> str:
    """Return which tests and which correction made the p-values of one metric, where no interval is shown."""
    kinds = examples(differences_on(c.differences, metric.name))
    if not computed(c, "test"):
        return "Nothing was tested."
    text = f"Test: {by_tests(kinds)}{corrected(c)}."
    drawn = any(d.test is not None and d.test.n_resamples > 0 for d, _ in kinds)
    return f"{text} {resamples(c)}" if drawn else text


def methods_of(c: Any, intervals: str, tests: str) -> str:
    """Return how the differences were computed, from what is said of intervals and of tests if there are any.

    >>> from types import SimpleNamespace
    >>> c = SimpleNamespace(provenance=SimpleNamespace(settings={"test": None}), differences=())
    >>> methods_of(c, "Intervals (95 %): t", "Test: none")
    'Intervals (95 %): t; nothing was tested.'
    """
    text = intervals if computed(c, "interval") else "No intervals were computed"
    text += f". {tests}." if computed(c, "test") else "; nothing was tested."
    return text + equivalence(c.differences)


def made_by(c: Any, intervals: str, tests: str) -> str:
    """Return names of intervals and tests, without what nobody asked for."""
    parts = ([f"{intervals} intervals"] if computed(c, "interval") else []) + [tests] * computed(c, "test")
    return "; ".join(parts)


def equivalence(differences: Iterable[Difference]) -> str:
    """Return what "equivalent" means, if the interval for it has another level than the one shown.

    What "not worse" and "not better" mean is said where they occur.
    """
    differences = tuple(differences)
    for d in differences:
        if d.equivalence_interval is not None and d.equivalence_interval.level != d.level:
            level = percent(d.equivalence_interval.level)
            text = f' "Equivalent" means that the {level} interval lies inside the margin'
            if not any(one.verdict in ("not worse", "not better") for one in differences):
                return f"{text}."
            return (
                f'{text}. "Not worse" means that it excludes being worse by the margin or more; "not'
                ' better", that it excludes being better by the margin or more.'
            )
    return ""


def corrected(c: Any) -> str:
    """Return the correction for the number of comparisons, after a semicolon; nothing for one comparison."""
    if is_one_comparison(c):
        return ""
    return "; no correction" if c.correction == "none" else f"; correction: {c.correction}"


def is_one_comparison(c: Any) -> bool:
    """Return whether only two systems are compared, so that there is nothing to correct."""
    compared = () if c.provenance is None else c.provenance.data.get("systems", ())
    # A part of the differences of many systems may be a single one
    if isinstance(compared, list) and len(compared) > 2:
        return False
    return (
        len({frozenset((d.a, d.b)) for d in c.differences}) <= 1
    )  # on each metric the better system is first


def resamples(c: Any) -> str:
    """Return the number and size of the resamples."""
    size = c.provenance.settings.get("resample_size")
    how = ""
    if size is not None:
        how = f" of {percent(size) if isinstance(size, float) else size} of the units"
        how += ", rescaled" if c.provenance.settings["rescale"] else ", not rescaled"
    return f"{grouped(c.provenance.n_resamples)} resamples{how}, seed {c.provenance.seed}."


def resampled(differences: Iterable[Difference]) -> bool:
    """Return whether the interval or the test of some difference was made of random resamples."""
    return any(
        (d.test is not None and d.test.n_resamples > 0) or (d.interval is not None and not d.interval.exact)
        for d in differences
    )


def intervals_and_tests(
    differences: Sequence[Difference],
    source_of_interval: Source = lambda _: "",
    source_of_test: Source = lambda _: "",
    *,
    systems: Iterable[SystemScore] = (),
) -> tuple[str, str]:
    """Return the intervals of differences and of scores, and the tests, by metric where they differ."""
    kinds, scores = examples(differences), list(systems)
    metrics = dict.fromkeys([*(d.metric for d, _ in kinds), *(entry.metric for entry in scores)])

    def intervals(metric: str) -> str:
        bounds = [(d.interval, times) for d, times in kinds if d.metric == metric]
        score_bounds = [(entry.interval, 1) for entry in scores if entry.metric == metric]
        return for_both(_methods(bounds, source_of_interval), _methods(score_bounds, source_of_interval))

    def tests(metric: str) -> str:
        return by_tests([(d, times) for d, times in kinds if d.metric == metric], source_of_test)

    return by_part(metrics, intervals), by_part(metrics, tests)


def intervals_and_tests_within(
    within: Mapping[str, Sequence[Difference]],
    source_of_interval: Source = lambda _: "",
    source_of_test: Source = lambda _: "",
) -> tuple[str, str]:
    """Return the intervals and the tests of differences on several places, such as datasets.

    They are given by place if each has one method of its own, else by their share of all differences.
    """

    def named(differences: Sequence[Difference]) -> tuple[str, str]:
        return intervals_and_tests(differences, source_of_interval, source_of_test)

    every = named([d for differences in within.values() for d in differences])
    each = {place: named(differences) for place, differences in within.items()}

    def by_place(kind: int) -> str:
        several = any(" differences" in texts[kind] for texts in each.values())
        return every[kind] if several else by_part(each, lambda place: each[place][kind])

    return by_place(0), by_place(1)


def _methods(intervals: Iterable[tuple[Interval | None, int]], source: Source) -> Counter[str]:
    """Return the names of the methods of intervals, with how many there are of each."""
    counts: Counter[str] = Counter()
    for one, times in intervals:
        if one is not None:
            counts[name_of_interval(one.method) + source(one.method)] += times
    return counts


def by_tests(kinds: Iterable[tuple[Difference, int]], source: Source = lambda _: "") -> str:
    """Return the tests of differences in words; of several tests with how many differences each is of."""
    tests = [(d.test, times) for d, times in kinds if d.test is not None]
    names = {test.name for test, _ in tests}
    heads = {_head(test, source) for test, _ in tests}
    error = max((_relative_error(test) for test, _ in tests), default=0.0)
    counts: Counter[str] = Counter()
    which = {}
    for test, times in tests:
        way = _way(test, error)
        said = way if len(heads) == 1 else f"{_head(test, source)} ({way})"
        counts[said] += times
        which[said] = _which(test, names)
    text = shares(counts, "differences", which)
    return f"{heads.pop()} ({text})" if len(heads) == 1 else text


def how_tested(test: TestResult, source: Source = lambda _: "") -> str:
    """Return a test in words: its name, its source if one is given, sides and how exact it is."""
    return f"{_head(test, source)} ({_way(test, _relative_error(test))})"


def _head(test: TestResult, source: Source) -> str:
    sides = test.alternative if test.alternative == "two-sided" else f"one-sided, {test.alternative}"
    return f"{name_of_test(test.name)}{source(test)}, {sides}"


def _way(test: TestResult, error: float) -> str:
    """Return how the distribution of a test was computed."""
    if test.method == "saddlepoint":
        return f"saddlepoint, error about {percent(error)} of p"
    how = f"exact, by {test.method}" if test.exact else test.method
    return how.replace("monte carlo", "Monte Carlo").replace("by binomial", "binomial")


def _relative_error(test: TestResult) -> float:
    return test.error / test.p_value if test.method == "saddlepoint" else 0.0


_WAYS = {
    "enumeration": "whose swaps could all be enumerated",
    "importance sampling": "with a small p-value",
    "saddlepoint": "with very many differing items",
}
"""Which differences a test computes in a way, where it computes others in another."""


def _which(test: TestResult, names: Collection[str]) -> str:
    """Return of which differences such a test is, where others have another; nothing if that is not known."""
    if test.name in ("welch", "hall") and "permutation-2" in names:
        return "for which its p-value is the larger"
    if test.name == "hall" and "permutation" in names:
        return "whose units all point the same way"
    return _WAYS.get(test.method, "")


def lines_of(notes: Iterable[Note]) -> list[str]:
    """Return notes as lines; those of one code that differ in names and numbers only are one line.

    >>> lines_of([Note("few", f"{system} has 3 runs", ("acc", system)) for system in "abcde"])
    ['a has 3 runs (5 such notes: a; b; c; ...)']
    """
    alike: dict[str, dict[str, list[Note]]] = {}
    for note in notes:
        alike.setdefault(note.code, {}).setdefault(_without_names(note), []).append(note)
    lines: list[str] = []
    for of_code in alike.values():
        texts = list(of_code.values())
        # Of so many texts of one code the first stands for all
        lines += map(_line_of, texts if len(texts) <= MOST_OF_A_KIND else [[one for t in texts for one in t]])
    return lines


_VARYING = re.compile(r"'[^']*'|\"[^\"]*\"|\d+(?:[.,]\d+)*(?:e-?\d+)?")


def _without_names(note: Note) -> str:
    """Return the message of a note without the names that it is about, quoted names and numbers."""
    text = note.message
    for name in sorted(note.about, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "#", text)
    return _VARYING.sub("#", text)


def _line_of(notes: Sequence[Note]) -> str:
    """Return the first of some notes, with what it is about, and how many there are and about what."""
    message, about = notes[0].message, [note.about for note in notes]
    if len(notes) == 1:
        return f"{message} ({', '.join(about[0])})" if about[0] else message
    one_metric = len({names[:1] for names in about}) == 1 and all(len(names) > 1 for names in about)
    named = list(dict.fromkeys(", ".join(names[one_metric:]) for names in about if names))
    some = "; ".join([*named[:MOST_OF_A_KIND], *(["..."] if len(named) > MOST_OF_A_KIND else [])])
    return f"{message} ({len(notes)} such notes{f': {some}' if some else ''})"


def all_notes(c: Any) -> tuple[Note, ...]:
    """Return the notes of a result, of its differences, and of those on each of its datasets or folds."""
    within = getattr(c, "within", {}).values()
    inner = (note for differences in within for d in differences for note in d.notes)
    return (*c.notes, *notes_of(getattr(c, "differences", ())), *inner)


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


def stands_level(entry: SystemScore, first: SystemScore) -> bool:
    """Return whether a system has the score of the first; scores on unlike items are not level."""
    return entry is first if first.n_items is not None else are_level(entry.score, first.score)


def are_level(one: float, other: float) -> bool:
    """Return whether two scores differ by rounding alone, as their difference of 0 says."""
    # Two systems of infinite strength are not: nothing tells which is the stronger
    return abs(one - other) < math.inf and rounding.level(one, other, max(abs(one), abs(other)))


def stands_out(d: Difference) -> bool:
    """Return whether a table makes a difference bold: it has a winner."""
    return d.winner is not None


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


def name_of_interval(method: str) -> str:
    """Return the name of an interval as one writes it in a sentence."""
    return vocabulary.long_name("interval", method)


def for_both(differences: Counter[str], scores: Counter[str]) -> str:
    """Return the methods of differences and of scores, those of one name once.

    >>> for_both(Counter(["Tango score"]), Counter(["Wilson score"]))
    'Tango score for differences, Wilson score for scores'
    >>> for_both(Counter(["BCa bootstrap"]), Counter(["BCa bootstrap"]))
    'BCa bootstrap for differences and scores'
    >>> for_both(Counter(["BCa bootstrap"]), Counter())
    'BCa bootstrap'
    """
    both = {"differences": differences, "scores": scores}
    texts = {what: shares(counts, what) for what, counts in both.items() if counts}
    if len(texts) < 2:
        return next(iter(texts.values()), "none")
    if len({*differences, *scores}) == 1:
        return f"{texts['scores']} for differences and scores"
    return ", ".join(text if len(both[what]) > 1 else f"{text} for {what}" for what, text in texts.items())


def shares(counts: Counter[str], what: str, which: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return names as a list, each of several with how many it is of, and with which these are.

    >>> shares(Counter({"Tango score": 2, "BCa bootstrap": 1}), "differences")
    'Tango score for 2 of the 3 differences and BCa bootstrap for the other'
    >>> shares(Counter({"exact": 4, "Monte Carlo": 2}), "differences", {"exact": "with few items"})
    'exact for the 4 of 6 differences with few items and Monte Carlo for the other 2'
    """
    if len(counts) < 2:
        return next(iter(counts), "none")
    parts = []
    for place, (name, count) in enumerate(counts.most_common(), 1):
        reason, number = which.get(name, ""), f" {count}" if count > 1 else ""
        if place == len(counts):
            parts.append(f"{name} for the other{number}{f', {reason}' * bool(reason)}")
        elif reason:
            parts.append(f"{name} for the {count} of {counts.total()} {what} {reason}")
        else:
            parts.append(f"{name} for {count} of the {counts.total()} {what}")
    return listed(parts, len(parts))


def by_part(parts: Iterable[str], said: Callable[[str], str]) -> str:
    """Return what is said of each part, such as a metric, once for those of which the same is said.

    >>> by_part(["accuracy", "f1", "mcc"], {"accuracy": "Wilson", "f1": "ABC", "mcc": "ABC"}.__getitem__)
    'for accuracy: Wilson; for f1 and mcc: ABC'
    >>> by_part(["accuracy", "f1"], {"accuracy": "ABC", "f1": "ABC"}.__getitem__)
    'ABC'
    """
    names: dict[str, list[str]] = {}
    for part in parts:
        names.setdefault(said(part), []).append(part)
    if len(names) < 2:
        return next(iter(names), "none")
    return "; ".join(f"for {listed(those)}: {text}" for text, those in names.items())


def directions(metrics: Sequence[MetricInfo]) -> str:
    """Return which scores are better, of metrics that differ in it the lower ones by name."""
    lower = [metric.name for metric in metrics if not metric.greater_is_better]
    if lower and len(lower) < len(metrics):
        return f"higher is better, of {listed(lower)} lower"
    return direction(metrics[0])


def direction(metric: MetricInfo) -> str:
    """Return "higher is better" or "lower is better"."""
    return "higher is better" if metric.greater_is_better else "lower is better"
