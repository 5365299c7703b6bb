"""What a comparison says as a whole: headlines, methods, notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from bestby import vocabulary
from bestby._core.text import grouped
from bestby.inference.multiplicity import alpha_at
from bestby.report import few_units
from bestby.report.comparison import Comparison, Difference, SystemScore
from bestby.report.numbers import Rounding, alpha, margin_text, p_clause, percent
from bestby.report.pairs import differences_on, examples, involving, notes_of
from bestby.report.shown import shown_better
from bestby.report.words import are, best_clause, computed, listed, name_of_test, significant
from bestby.results.base import MetricInfo, Note
from bestby.results.values import TestResult

_OPEN = (
    "cannot be told apart from it",
    "are not shown to be ahead of it (one-sided test)",
    "are not shown to be behind it (one-sided test)",
)
MOST_OF_A_KIND = 3  # notes of one code with different words: each pair of many systems could have its own


def _unnamed(method: Any) -> str:
    """Return no source of a method."""
    del method
    return ""


def headline(c: Comparison, metric: MetricInfo) -> str:
    """Return which system is best on a metric and which cannot be told apart from it."""
    systems = [entry for entry in c.systems if entry.metric == metric.name]
    if not systems:
        return f"No score on {metric.name}."
    digits = Rounding.of([(entry.score, entry.interval) for entry in systems])
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
        return text + few_units.sentence_on_scores(c, systems)
    text = (_best_headline if c.baseline is None else _baseline_headline)(c, metric, systems, digits)
    return text + few_units.sentence(c, list(differences_on(c.differences, metric.name)))


def _best_headline(
    c: Comparison, metric: MetricInfo, systems: Sequence[SystemScore], digits: Rounding
) -> str:
    first = systems[0]
    tied = [entry.system for entry in systems if entry.score == first.score]
    best = "highest" if metric.greater_is_better else "lowest"
    if len(tied) > 1:
        shared = f"{listed(tied)} share the {best} {metric.name}, {digits.text(first.score)}, over {c.extent}"
        return f"{shared}{_favoured_among(c, metric, tied)}."
    mine = involving(c.differences, metric.name, first.system)
    others = {(d.b if d.a == first.system else d.a): d for d in mine}
    in_order = {entry.system: others[entry.system] for entry in systems if entry.system in others}
    text = f"{first.system} has the {best} {metric.name}, {digits.text(first.score)}, over {c.extent}"
    if not in_order:
        return text + "."
    text += best_clause(first.system, in_order) + "."
    equivalent = [name for name, d in in_order.items() if d.verdict == "equivalent"]
    if equivalent and c.margin is not None:
        verb = are(equivalent)
        text += f" {listed(equivalent)} {verb} equivalent to it within the margin of {margin_text(c.margin)}."
    return text


def _favoured_among(c: Comparison, metric: MetricInfo, tied: Sequence[str]) -> str:
    """Return what tests say of systems with the same score: tests of signs and ranks can tell them apart."""
    beaten: dict[str, list[str]] = {}
    # Systems with one score among which the headline looks for tests that tell them apart
    for d in differences_on(c.differences, metric.name) if len(tied) <= 50 else ():
        ahead = shown_better(d, alpha_at(c.level)) if d.a in tied and d.b in tied else None
        if ahead is not None:
            beaten.setdefault(ahead, []).append(d.b if ahead == d.a else d.a)
    if not beaten:
        return ""
    (test, *_) = (d.test for d in differences_on(c.differences, metric.name) if d.test is not None)
    favoured = "; ".join(f"{ahead} over {listed(names)}" for ahead, names in beaten.items())
    return f"; the {name_of_test(test.name)} favours {favoured}"


def _baseline_headline(
    c: Comparison, metric: MetricInfo, systems: Sequence[SystemScore], digits: Rounding
) -> str:
    base = str(c.baseline)
    scores = {entry.system: digits.text(entry.score) for entry in systems}
    standing: dict[str, list[str]] = {}
    order = ("are ahead of it", "are behind it", *_OPEN)
    for d in differences_on(c.differences, metric.name):
        standing.setdefault(_against_baseline(d, base), []).append(d.b if d.a == base else d.a)
    ordered = sorted(standing, key=lambda text: order.index(text) if text in order else len(order))
    parts = [
        f"{listed(standing[text])} {text.replace('are ', are(standing[text]) + ' ', 1)}" for text in ordered
    ]
    way = "higher" if metric.greater_is_better else "lower"
    lead = f"Against the baseline {base} ({metric.name} {scores.get(base, '')}, {way} is better)"
    untested = "" if computed(c, "test") else "; nothing was tested"
    return f"{lead}, over {c.extent}: {'; '.join(parts)}{untested}."


def _against_baseline(d: Difference, base: str) -> str:
    """Return how a system stands to the baseline, as said of several."""
    other = d.b if d.a == base else d.a
    if d.test is None:
        return {other: "are ahead of it", base: "are behind it", None: "are level with it"}[d.ahead]
    better = shown_better(d, alpha_at(d.level))
    test = name_of_test(d.test.name)
    if better is not None and d.ahead is None:
        favours = f"favoured over it by the {test}" if better == other else f"the {test} favours {base}"
        return f"are level with it by the score, but {favours}"
    if better is not None:
        return "are ahead of it" if better == other else "are behind it"
    if significant(d):
        by_score, by_test = ("behind", "ahead") if d.favoured == other else ("ahead", "behind")
        return f"are {by_score} by the score and {by_test} by the {test}"
    if d.test.alternative == "two-sided":
        return _OPEN[0]
    tested = d.a if (d.test.alternative == "greater") == d.greater_is_better else d.b
    return _OPEN[1] if tested == other else _OPEN[2]


def omnibus_sentence(c: Comparison, metric: MetricInfo) -> str | None:
    """Return the omnibus test of one metric, or None if there was none."""
    for test in c.omnibus:
        if test.metric == metric.name:
            name = vocabulary.long_name("omnibus", test.name)
            p = p_clause(test.p_value, alpha(c.level))
            return f"{name} test that all systems are equal: {test.statistic:.2f} on {test.df} df, {p}."
    return None


def methods_sentence(c: Comparison, metric: MetricInfo | None = None) -> str:
    """Return which intervals, tests and correction made the numbers, those of one metric or all."""
    systems, differences = c.systems, c.differences
    if metric is not None:
        systems = tuple(entry for entry in systems if entry.metric == metric.name)
        differences = differences_on(differences, metric.name)
    kinds = examples(differences)
    scores = counted_names(
        (name_of_interval(s.interval.method), 1) for s in systems if s.interval is not None
    )
    tested, bounded = bool(kinds) and computed(c, "test"), computed(c, "interval")
    intervals, tests = intervals_and_tests(differences)
    text = "No intervals were computed"
    if bounded:
        shown = for_both(intervals, scores) if kinds else scores
        text = f"Intervals ({percent(c.level)}): {shown}"
    text += f". Test: {tests}; {correction(c)}." if tested else "; nothing was tested."
    text += equivalence([d for d, _ in kinds])
    drawn = resampled(d for d, _ in kinds)
    if not kinds:
        drawn = any(entry.interval is not None and not entry.interval.exact for entry in systems)
    return f"{text} {resamples(c)}" if drawn else text


def sentence_of_tests(c: Any, metric: MetricInfo) -> str:
    """Return which tests and which correction made the p-values of one metric, where no interval is shown."""
    kinds = [d for d, _ in examples(differences_on(c.differences, metric.name))]
    if not computed(c, "test"):
        return "Nothing was tested."
    text = f"Test: {intervals_and_tests(differences_on(c.differences, metric.name))[1]}; {correction(c)}."
    drawn = any(d.test is not None and d.test.n_resamples > 0 for d in kinds)
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


def made_by(c: Any, differences: Sequence[Difference]) -> str:
    """Return the names of the intervals and tests of some differences, without what nobody asked for."""
    intervals, tests = intervals_and_tests(differences)
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


def correction(c: Any) -> str:
    """Return the correction for the number of comparisons."""
    return "no correction" if c.correction == "none" else f"correction: {c.correction}"


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
    source_of_interval: Callable[[str], str] = _unnamed,
    source_of_test: Callable[[TestResult], str] = _unnamed,
) -> tuple[str, str]:
    """Return the names of the intervals and of the tests, with how often each occurs if there are several.

    What `source_of_interval` and `source_of_test` return follows the name.
    """
    kinds = examples(differences)
    methods = ((d.interval.method, times) for d, times in kinds if d.interval is not None)
    return (
        counted_names((name_of_interval(one) + source_of_interval(one), times) for one, times in methods),
        counted_names((how_tested(d.test, source_of_test), n) for d, n in kinds if d.test is not None),
    )


def how_tested(test: TestResult, source: Callable[[TestResult], str] = _unnamed) -> str:
    """Return a test in words: its name, its source if one is given, sides and how exact it is."""
    how = f"exact, by {test.method}" if test.exact else test.method
    if how == "saddlepoint":
        how = f"saddlepoint, error about {percent(test.error / test.p_value)} of p"
    how = how.replace("monte carlo", "Monte Carlo").replace("by binomial", "binomial")
    sides = test.alternative if test.alternative == "two-sided" else f"one-sided, {test.alternative}"
    return f"{name_of_test(test.name)}{source(test)}, {sides} ({how})"


def for_both(differences: str, scores: str) -> str:
    """Return the intervals of differences and of scores, those of one name once.

    >>> for_both("Tango score", "Wilson score")
    'Tango score for differences, Wilson score for scores'
    >>> for_both("BCa bootstrap", "BCa bootstrap")
    'BCa bootstrap for differences and scores'
    """
    if differences == scores:
        return f"{differences} for differences and scores"
    return f"{differences} for differences, {scores} for scores"


def name_of_interval(method: str) -> str:
    """Return the name of an interval as one writes it in a sentence."""
    return vocabulary.long_name("interval", method)


def counted_names(names: Iterable[tuple[str, int]]) -> str:
    """Return names as a list, with how many of all each is of if there are several.

    >>> counted_names([("BCa bootstrap", 1), ("Tango score", 2)])
    'Tango score (2 of 3), BCa bootstrap (1 of 3)'
    """
    counts: Counter[str] = Counter()
    for name, times in names:
        counts[name] += times
    if len(counts) < 2:
        return next(iter(counts), "none")
    return ", ".join(f"{name} ({count} of {counts.total()})" for name, count in counts.most_common())


def lines_of(notes: Iterable[Note]) -> list[str]:
    """Return notes as lines, equal ones once with their number, and of many of one code the first ones."""
    about: dict[tuple[str, str], list[Note]] = {}
    for note in notes:
        about.setdefault((note.code, note.message), []).append(note)
    kinds = Counter(code for code, _ in about)
    shown: Counter[str] = Counter()
    lines = []
    for (code, message), alike in about.items():
        shown[code] += 1
        if shown[code] > MOST_OF_A_KIND and kinds[code] > MOST_OF_A_KIND + 1:
            if shown[code] == kinds[code]:
                more = kinds[code] - MOST_OF_A_KIND
                lines.append(f"{more} more notes with the code {code!r} are in the JSON")
            continue
        if len(alike) > 1:
            lines.append(f"{message} (in {len(alike)} cases)")
        elif alike[0].about:
            lines.append(f"{message} ({', '.join(alike[0].about)})")
        else:
            lines.append(message)
    return lines


def all_notes(c: Any) -> tuple[Note, ...]:
    """Return the notes of a result, of its differences, and of those on each of its datasets or folds."""
    within = getattr(c, "within", {}).values()
    inner = (note for differences in within for d in differences for note in d.notes)
    return (*c.notes, *notes_of(getattr(c, "differences", ())), *inner)
