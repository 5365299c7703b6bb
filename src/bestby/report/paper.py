"""The paragraph for a paper, with the works that it rests on: what those of all kinds of results share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from bestby._version import __version__
from bestby.report import words
from bestby.report.comparison import Difference, SystemScore
from bestby.report.document import all_within, kind_of
from bestby.report.numbers import alpha, margin_text, percent
from bestby.report.pairs import examples
from bestby.report.references import SOFTWARE, Style, bibtex, cite, cite_metric, cited, rendered
from bestby.report.words import computed, listed
from bestby.results.base import Provenance
from bestby.results.values import Interval, TestResult
from bestby.vocabulary import long_name

_LIBRARIES = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy"}


def paragraph(result: Any, style: Style = "text") -> str:
    """Return what was compared and how, in the first person plural, with the works that it rests on."""
    return rendered(_written(result), style)


def citations(result: Any) -> str:
    """Return the works that the paragraph cites as BibTeX, in its order."""
    return bibtex(cited(_written(result)), _version(result.provenance))


def _written(result: Any) -> str:
    return " ".join(filter(None, (*kind_of(result).sentences(result), _software(result.provenance))))


def named(names: Sequence[str]) -> str:
    """Return names in brackets, after a blank, if they are not too many."""
    # Systems and datasets
    return f" ({listed(names)})" if len(names) <= 10 else ""


def measured(name: str) -> str:
    """Return the name of a metric, with the work that it is from."""
    return f"{name}{cite_metric(name)}"


def against(baseline: str | None) -> str:
    """Return that every other system was compared with a baseline, if so."""
    return "" if baseline is None else f", with {baseline} as the baseline"


def clustered(c: Any, what: str = "items") -> str:
    """Return what is independent, where items lie in clusters."""
    if not getattr(c, "n_clusters", 0):
        return ""
    return f"Intervals and tests take the clusters, not the {what}, to be independent."


def inference(
    c: Any,
    differences: Sequence[Difference],
    *,
    over: str = "",
    systems: Iterable[SystemScore] = (),
    larger: str = "",
) -> Iterator[str]:
    """Yield how differences were bounded, tested, corrected and judged; `over` says what they are over.

    `systems` are the scores, if they have intervals; `larger` says of which tests each p-value is the larger.
    """
    if not len(differences):
        return
    intervals, tests = intervals_and_tests(differences, systems)
    if computed(c, "interval"):
        text = f"We report every difference{over} with its {percent(c.level)} confidence interval"
        yield f"{text}{cite('analysis', 'intervals')}: {intervals}."
    else:
        yield "We report the differences without intervals."
    if computed(c, "test"):
        yield f"We tested each difference{over} at the {percent(alpha(c.level))} level: {tests}."
        yield _side(c, differences)
        yield larger
        yield corrected(c, sum(times for _, times in examples(differences)))
    else:
        yield "We did not test the differences."
    yield _margin(c, differences)


def set_of_best(c: Any, *, together: bool = False) -> str:
    """Return how the set of the best was found; `together`: by how the scores vary together."""
    if not c.best_sets:
        return ""
    at = "that allows for how their scores vary together" if together else "corrected for their number"
    return (
        "Which systems may be the best is by a multiple comparison with the best"
        f"{cite('analysis', 'set of the best')}: each is compared one-sided with all others, at a level {at},"
        f" so that the best stays with {percent(c.level)}. The bounds of how far each is behind it hold"
        " together."
    )


def _side(c: Any, differences: Sequence[Difference]) -> str:
    """Return what one-sided tests ask."""
    asked = {d.test.alternative for d, _ in examples(differences) if d.test is not None} - {"two-sided"}
    if len(asked) != 1:
        return ""
    which = "of the second system" if c.baseline is None else "of the baseline"
    return f"The alternative is that the score is {asked.pop()} than that {which}."


def corrected(c: Any, comparisons: int) -> str:
    """Return the correction for the number of comparisons, or that there was none."""
    metrics = len(getattr(c, "metrics", ())) or 1
    each = comparisons // metrics
    of_each = " on each metric" if metrics > 1 else ""
    if each == 1:
        return f"There was one comparison{of_each}, so no p-value was corrected."
    if c.correction == "none":
        return f"The p-values of the {each} comparisons{of_each} were not corrected for their number."
    if c.correction == "max-t":
        source = cite("correction", c.correction)
        return f"The adjusted p-values of the {each} comparisons{of_each} are those of the intervals{source}."
    how = with_works("correction", c.correction)
    return f"The p-values of the {each} comparisons{of_each} were corrected for their number: {how}."


def _margin(c: Any, differences: Iterable[Difference]) -> str:
    if c.margin is None:
        return ""
    margin = margin_text(c.margin)
    text = f"We decided that a difference of less than {margin} does not matter"
    ends = [(d.equivalence_interval, d.interval) for d in differences if d.equivalence_interval]
    if not ends:
        return f"{text}."
    source, level = cite("analysis", "equivalence"), percent(ends[0][0].level)
    shown = {None if one is None else one.method for _, one in ends}
    others = dict.fromkeys(tost.method for tost, _ in ends if tost.method not in shown)
    by = f"; {listed([with_works('interval', one) for one in others])}" if others else ""
    return (
        f"{text}: two systems are equivalent if the {level} interval of their difference lies between"
        f" \N{MINUS SIGN}{margin} and {margin} (two one-sided tests{source}{by})."
    )


def intervals_and_tests(
    differences: Sequence[Difference], systems: Iterable[SystemScore] = ()
) -> tuple[str, str]:
    """Return the names of the intervals and of the tests of some differences and scores, with their works."""
    return words.intervals_and_tests(differences, partial(cite, "interval"), source_of_test, systems=systems)


def source_of_test(test: TestResult) -> str:
    """Return the citation of a test; permutation tests cite how p was computed, too."""
    if not test.name.startswith("permutation"):
        return cite("test", test.name)
    if test.exact and test.method == "convolution":
        return _joined(cite("test", test.name), cite("analysis", "exact permutation"))
    how = "permutation by saddlepoint" if test.method == "saddlepoint" else "permutation by chance"
    more = "" if test.exact else cite("analysis", how)
    return _joined(cite("test", test.name), more)


def _joined(first: str, second: str) -> str:
    """Return two citations as one."""
    return f"{first[:-1]}; {second.strip()[1:]}" if first and second else first or second


def with_works(kind: str, name: str) -> str:
    """Return the long name of a method of one kind, with the works that it is from."""
    return f"{long_name(kind, name)}{cite(kind, name)}"


def score_of_runs(statistic: str) -> str:
    """Return what the score of a system is that has several runs."""
    source = cite("analysis", "interquartile mean") if statistic == "iqm" else ""
    return f"the {long_name('statistic', statistic)} of its runs{source}"


def intervals_of_scores(systems: Iterable[Any]) -> str:
    """Return the names of the intervals of scores with their citations; "none" if no score has one."""
    return intervals_and_tests((), systems)[0]


def within(c: Any, where: str, *, by_place: bool = False) -> Iterator[str]:
    """Yield how the differences on single datasets or repetitions were bounded and tested."""
    inner = all_within(c)
    if not inner:
        return
    intervals, tests = (
        words.intervals_and_tests_within(c.within, partial(cite, "interval"), source_of_test)
        if by_place
        else intervals_and_tests(inner)
    )
    if computed(c, "interval"):
        yield f"Intervals ({percent(c.level)}) {where}: {intervals}."
    if computed(c, "test"):
        yield f"Tests {where}: {tests}."


def drawn(
    c: Any, differences: Iterable[Difference], *others: Interval | None, beside_orders: bool = False
) -> str:
    """Return the number of resamples and the seed, if any were drawn; else that none were.

    `others` are the intervals of scores and averages. `beside_orders` says that the resamples of stochastic
    orders were told already.
    """
    if not computed(c, "interval") and not computed(c, "test"):
        return ""
    resampled = words.resampled(differences) or any(one is not None and not one.exact for one in others)
    if beside_orders:
        return f"Where we resampled anything else, we drew {words.resamples(c)}" if resampled else ""
    if resampled:
        return f"Intervals and tests that resample the data drew {words.resamples(c)}"
    return "Nothing was resampled: these numbers follow from the data by formula, without a seed."


def _version(provenance: Provenance | None) -> str:
    return __version__ if provenance is None else provenance.version


def _software(provenance: Provenance | None) -> str:
    versions = {} if provenance is None else {name.lower(): v for name, v in provenance.versions.items()}
    others = [f"{shown} {versions[name]}" for name, shown in _LIBRARIES.items() if name in versions]
    text = f"All numbers were computed with bestby {_version(provenance)} [@{SOFTWARE}]"
    return f"{text}, with {listed(others)}." if others else f"{text}."
