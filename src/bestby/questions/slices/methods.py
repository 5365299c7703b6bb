"""What the paragraph for a paper says of slices of a test set."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.questions.slices.result import SlicesComparison
from bestby.report import summary
from bestby.report.numbers import percent
from bestby.report.paper.shared import against, drawn, intervals_and_tests, measured, named, with_works
from bestby.report.references import cite
from bestby.report.words import listed


def sentences(c: SlicesComparison) -> Iterator[str]:
    """Yield how systems were compared in slices of a test set."""
    systems = list(dict.fromkeys(name for d in c.overall for name in (d.a, d.b)))
    metrics = listed([measured(metric.name) for metric in c.metrics])
    per_pair = len(c.slices) // len(c.overall)
    yield (
        f"We compared {len(systems)} systems{named(systems)} by {metrics} in {per_pair} slices"
        f" ({listed(list(c.columns))}) of the same {c.overall[0].extent}{against(c.baseline)}."
    )
    intervals, tests = intervals_and_tests([one.difference for one in c.slices])
    yield (
        f"We report every difference with its {percent(c.level)} confidence interval"
        f"{cite('analysis', 'intervals')}: those of all slices hold at once ({intervals})."
    )
    corrected = with_works("correction", "step-down")
    yield f"Differences in slices were tested ({tests}), corrected for their number: {corrected}."
    ways = dict.fromkeys(h.test for h in c.heterogeneity)
    if ways:
        how = listed([with_works("heterogeneity", way) for way in ways])
        sign = ""
        if any(h.sign_p is not None for h in c.heterogeneity):
            sign = f", and whether its sign does by Gail and Simon's test{cite('analysis', 'change of sign')}"
        yield f"We tested whether a difference depends on the slice ({how}){sign}."
        yield f"Shrunken effects are empirical-Bayes estimates{cite('analysis', 'shrunken effects')}."
    if "permutation-q" in ways and not summary.resampled(c.differences):
        yield f"Q was permuted at most {c.provenance.n_resamples} times, with seed {c.provenance.seed}."
    else:
        yield drawn(c, c.differences)
