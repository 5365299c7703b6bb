"""What the paragraph for a paper says of each kind of result, by the name of the kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bestby.report import paper_dataset_runs as dataset_runs
from bestby.report import scaffold, summary
from bestby.report.kinds import plan as plans
from bestby.report.kinds.dataset_runs import extent
from bestby.report.kinds.runs import methods_of_tests
from bestby.report.numbers import alpha, difference_text, margin_text, percent, power_text
from bestby.report.paper_sentences import (
    against,
    clustered,
    drawn,
    inference,
    measured,
    named,
    of_scores,
    source_of_interval,
    source_of_test,
)
from bestby.report.references import cite
from bestby.report.words import computed, listed, name_of_test
from bestby.results.advice import Advice
from bestby.results.comparison import Comparison, Difference
from bestby.results.datasets import DatasetComparison
from bestby.results.folds import FoldComparison
from bestby.results.gate import Gate
from bestby.results.normality import Normality
from bestby.results.ordering import StochasticOrder, StochasticOrders
from bestby.results.pairs import examples
from bestby.results.plans import Allocation, Plan
from bestby.results.preferences import PreferenceComparison
from bestby.results.published import PublishedComparison
from bestby.results.replicability import Replicability
from bestby.results.runs import RunsComparison
from bestby.results.slices import SlicesComparison
from bestby.results.study import StudyComparison
from bestby.results.values import Interval
from bestby.vocabulary import long_name


def comparison(c: Comparison) -> Iterator[str]:
    """Yield how systems were compared, or evaluated, on one test set."""
    yield from _on_one_test_set(c)


def study(c: StudyComparison) -> Iterator[str]:
    """Yield how the conditions of a study were compared."""
    yield from _on_one_test_set(c)


def _on_one_test_set(c: Comparison) -> Iterator[str]:
    names = list(dict.fromkeys(entry.system for entry in c.systems))
    metrics = listed([measured(metric.name) for metric in c.metrics])
    did = "compared" if len(c.differences) else "evaluated"
    many = f"{len(names)} systems{named(names)}" if len(names) > 1 else names[0]
    same = "the same " if len(names) > 1 else ""
    yield f"We {did} {many} by {metrics} on {same}{c.extent}{against(c.baseline)}."
    yield clustered(c)
    if c.classes and c.classes[0].counts is None:
        yield f"The labels are soft: distributions over the classes{cite('analysis', 'soft labels')}."
    scores = of_scores(c.systems)
    if not len(c.differences):
        if scores:
            yield f"We report every score with its {percent(c.level)} confidence interval: {scores}."
            yield drawn(c, (), *(entry.interval for entry in c.systems))
        return
    yield from inference(c, c.differences, scores=scores)
    for test in sorted({one.name for one in c.omnibus}):
        which = f"{long_name('omnibus', test)} test{cite('omnibus', test)}"
        yield f"We also tested the hypothesis that all systems are equal: {which}."
    yield drawn(c, [d for d, _ in examples(c.differences)], *(entry.interval for entry in c.systems))


def runs(c: RunsComparison) -> Iterator[str]:
    """Yield how runs were compared."""
    names = [entry.system for entry in c.systems]
    metric, paired = measured(c.metrics[0].name), ", run by run in pairs" if c.paired else ""
    yield (
        f"We compared {len(names)} systems{named(names)} by {metric} over {c.extent}{paired}"
        f"{against(c.baseline)}."
    )
    if c.statistic != "mean":
        source = cite("analysis", "interquartile mean") if c.statistic == "iqm" else ""
        yield f"The score of a system is the {long_name('statistic', c.statistic)} of its runs{source}."
    else:
        yield "The score of a system is the mean of its runs."
    larger = methods_of_tests(c).rstrip()
    yield from inference(c, c.differences, scores=of_scores(c.systems), larger=larger)
    methods = sorted({d.improvement_interval.method for d in c.differences if d.improvement_interval})
    if methods:
        shown = "; ".join(f"{summary.name_of_interval(one)}{source_of_interval(one)}" for one in methods)
        yield f"Intervals of the probability that a run of one system beats one of the other: {shown}."
    if c.orders is not None:
        one = next(iter(c.orders))
        yield from _orders(one, round((1.0 - c.level) / (1.0 - one.level)))
        yield f"The bounds of the violation ratio were computed with {summary.resamples(c.orders)}"
    yield _drawn_besides(c, c.orders is not None, c.differences, *(entry.interval for entry in c.systems))


def _drawn_besides(
    c: RunsComparison | DatasetComparison,
    ordered: bool,
    differences: Iterable[Difference],
    *others: Interval | None,
) -> str:
    """Return the number of resamples, if any were drawn; beside the bounds of orders not that none were."""
    differences = tuple(differences)
    exact = not summary.resampled(differences) and all(one is None or one.exact for one in others)
    if ordered:
        return "" if exact else f"Where we resampled anything else, we drew {summary.resamples(c)}"
    return drawn(c, differences, *others)


def _orders(order: StochasticOrder, comparisons: int) -> Iterator[str]:
    exact = "exact" if order.test.exact else "Monte Carlo"
    test = f"one-sided two-sample permutation test{cite('test', 'permutation-2')}, {exact}"
    bound = f"the upper {100.0 * order.level:.4g} % bound of the violation ratio"
    if comparisons > 1:
        whole = percent(1.0 - comparisons * (1.0 - order.level))
        source = cite("correction", "bonferroni")
        every = "both" if comparisons == 2 else f"all {comparisons}"
        bound += f" ({whole} for {every} bounds together by Bonferroni's correction{source})"
    yield (
        f"We measured how nearly one system is better at every quantile by almost stochastic order"
        f"{cite('analysis', 'stochastic order')}: {bound}. Dominance was tested by the {test}."
    )


def ordering(orders: StochasticOrder | StochasticOrders) -> Iterator[str]:
    """Yield how stochastic order was measured."""
    if isinstance(orders, StochasticOrders):
        first = next(iter(orders))
        counts = sorted({n for order in orders for n in (order.n_a, order.n_b)})
        systems = f"{len(orders.systems)} systems{named(orders.systems)}"
        yield f"We compared the runs of {systems}, {_range(counts)} each."
    else:
        first = orders
        yield f"We compared {first.n_a} runs of {first.a} with {first.n_b} runs of {first.b}."
    provenance = orders.provenance
    yield from _orders(first, 1 if provenance is None else provenance.settings["comparisons"])
    if provenance is not None:
        yield f"The bounds of the violation ratio were computed with {summary.resamples(orders)}"


def _range(counts: list[int]) -> str:
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def datasets(c: DatasetComparison) -> Iterator[str]:
    """Yield how systems were compared over datasets."""
    yield (
        f"We compared {len(c.systems)} systems{named(c.systems)} by {measured(c.metric.name)} on"
        f" {len(c.datasets)} datasets{named(c.datasets)}{_runs_on_each(c)}{against(c.baseline)}."
    )
    if c.ranges is not None:
        yield _normalised(c.ranges)
    if c.runs is not None:
        yield from dataset_runs.scores(c.runs)
    yield from inference(c, c.differences, over=" of the means over the datasets")
    inner = scaffold.all_within(c)
    yield from _within(c, inner, "on each dataset")
    if c.runs is not None:
        yield from dataset_runs.over_runs(c, c.runs)
    if c.replicability:
        holm = cite("correction", "holm")
        yield (
            f"We counted the datasets on which there is a difference by partial conjunction tests"
            f"{cite('analysis', 'replicability')}, and named them by Holm's procedure{holm}."
        )
    if c.friedman is not None:
        source = cite("omnibus", "friedman")
        yield f"We ranked the systems by their average ranks and tested these by Friedman's test{source}."
    if c.ranking:
        nemenyi = "Nemenyi's test and by " if c.ranking[0].p_nemenyi is not None else ""
        source = cite("analysis", "ranks")
        yield (
            f"We compared average ranks in pairs by {nemenyi}a normal approximation with Holm's correction"
            f"{source}."
        )
    ordered = c.runs is not None and computed(c, "test")
    yield _drawn_besides(c, ordered, [*c.differences, *inner], *(entry.interval for entry in c.overall))


def _runs_on_each(c: DatasetComparison) -> str:
    return "" if c.runs is None else f", {extent(c.runs)}"


def _normalised(ranges: Mapping[str, tuple[float, float]]) -> str:
    """Return what the scores that become 0 and 1 are, if the datasets are not too many."""
    pairs = [f"{low:.6g} and {high:.6g} on {name}" for name, (low, high) in ranges.items()]
    return f"We normalised the scores on each dataset: two of them become 0 and 1{named(pairs)}."


def _within(c: Any, inner: list[Any], where: str) -> Iterator[str]:
    """Yield how the differences on single datasets or repetitions were bounded and tested."""
    if not inner:
        return
    intervals, tests = summary.intervals_and_tests(inner, source_of_interval, source_of_test)
    if computed(c, "interval"):
        yield f"Intervals ({percent(c.level)}) {where}: {intervals}."
    if computed(c, "test"):
        yield f"Tests {where}: {tests}."


def folds(c: FoldComparison) -> Iterator[str]:
    """Yield how systems were compared by cross-validation."""
    repetitions = len({label for label, _ in c.folds})
    times = f" in {repetitions} repetitions" if repetitions > 1 else ""
    design = f"cross-validation with {len(c.folds)} folds{times}"
    design = design if c.has_folds else f"{repetitions} repetitions of cross-validation, each by itself"
    yield (
        f"We compared {len(c.systems)} systems{named(c.systems)} by {measured(c.metric.name)} in {design}"
        f"{against(c.baseline)}."
    )
    yield from inference(c, c.differences, over=" of the means over the folds")
    if c.has_folds and (computed(c, "interval") or computed(c, "test")):
        yield (
            "Intervals and tests allow for the training items that folds share, with a ratio of test items to"
            f" training items of {c.ratio:.4g}."
        )
    inner = scaffold.all_within(c)
    yield from _within(c, inner, "on the pooled predictions of each repetition")
    if inner and computed(c, "test"):
        yield "Their p-values were not corrected for the number of pairs."
    if c.effects:
        source = cite("analysis", "replicability")
        yield f"We counted the folds in which there is a difference by partial conjunction tests{source}."
    yield drawn(c, [*c.differences, *inner])


def preferences(c: PreferenceComparison) -> Iterator[str]:
    """Yield how systems were compared by judgements."""
    names = [entry.system for entry in c.systems]
    yield f"We compared {len(names)} systems{named(names)} by {c.extent}{against(c.baseline)}."
    model = "the model of Bradley and Terry, a tie counting as half a win for both"
    model = model if c.tie_model == "half" else "Davidson's model of preferences with ties"
    yield f"Their strengths were fitted by maximum likelihood to {model}{cite('model', c.tie_model)}."
    yield from inference(c, c.differences, over=" of the log strengths", scores=of_scores(c.systems))
    yield drawn(c, c.differences, *(entry.interval for entry in c.systems))


def replicability(r: Replicability) -> Iterator[str]:
    """Yield how p-values of datasets were combined."""
    yield (
        f"From the p-values of {len(r.datasets)} datasets{named(r.datasets)} we counted, at the"
        f" {percent(r.alpha)} level, those on which there is a difference, by partial conjunction tests with"
        f" Bonferroni's and with Fisher's combination of p-values{cite('analysis', 'replicability')}, and"
        f" named them by Holm's procedure{cite('correction', 'holm')}."
    )


def published(c: PublishedComparison) -> Iterator[str]:
    """Yield how a system was compared with a published score."""
    unit = "runs" if c.answers[0].assumption == "runs" else "items"
    whose = "" if c.published == "published" else f" of {c.published}"
    yield (
        f"We compared the {measured(c.metric.name)} of {c.system} over {c.n} {unit} with the published score"
        f" {c.provenance.settings['published']}{whose} over {c.n_published} {unit}."
    )
    by = {}
    for a in c.answers:
        interval = f"{long_name('interval', a.interval.method)}{source_of_interval(a.interval.method)}"
        by[a.assumption] = f"by {interval} and {name_of_test(a.test)}{cite('test', a.test)}"
    if "runs" in by:
        yield f"The means were compared {by['runs']}."
    elif "fewest differing" in by:
        yield (
            "The published predictions are not known: we report the range of everything that the two scores"
            f" allow on the same items, {by['fewest differing']}, and beside it the comparison as if the"
            f" items were different, {by['other items']}."
        )
    else:
        yield f"The shares of right answers to different items were compared {by['other items']}."
    yield (
        f"Intervals are at the {percent(c.level)} level; intervals and p-values allow for the rounding of the"
        " published score."
    )


def gate(g: Gate) -> Iterator[str]:
    """Yield how it was decided whether a candidate may take the place of a baseline."""
    yield f"We asked whether {g.candidate} may take the place of {g.baseline}, on the same {g.extent}."
    yield clustered(g)
    bounded = [check for check in g.checks if check.margin is not None]
    alarms = [check for check in g.checks if check.margin is None]
    if bounded:
        margins = listed(
            [f"{margin_text(check.margin or 0.0)} for {measured(check.name)}" for check in bounded]
        )
        bounds = [c.difference.equivalence_interval for c in bounded]
        methods = dict.fromkeys(one.method for one in bounds if one is not None)
        named_methods = listed([f"{long_name('interval', m)}{source_of_interval(m)}" for m in methods])
        yield (
            f"A loss of this much matters: {margins}. A check passes if the one-sided {percent(g.level)}"
            f" bound of the difference{cite('analysis', 'equivalence')} excludes it; all checks"
            f" must pass, which needs no correction. Bounds: {named_methods}."
        )
    if alarms:
        names = listed([measured(check.name) for check in alarms])
        differences = [check.difference for check in alarms]
        _, tests = summary.intervals_and_tests(differences, source_of_interval, source_of_test)
        several = f", corrected by Holm's procedure{cite('correction', 'holm')}" if len(alarms) > 1 else ""
        yield (
            f"For {names} we tested whether the candidate is worse, at the {percent(alpha(g.level))} level:"
            f" {tests}{several}."
        )
    yield drawn(g, g.differences)


def slices(c: SlicesComparison) -> Iterator[str]:
    """Yield how systems were compared in slices of a test set."""
    systems = list(dict.fromkeys(name for d in c.overall for name in (d.a, d.b)))
    metrics = listed([measured(metric.name) for metric in c.metrics])
    per_pair = len(c.slices) // len(c.overall)
    yield (
        f"We compared {len(systems)} systems{named(systems)} by {metrics} in {per_pair} slices"
        f" ({listed(list(c.columns))}) of the same {c.overall[0].extent}{against(c.baseline)}."
    )
    intervals, tests = summary.intervals_and_tests(
        [one.difference for one in c.slices], source_of_interval, source_of_test
    )
    yield (
        f"We report every difference with its {percent(c.level)} confidence interval"
        f"{cite('analysis', 'intervals')}: those of all slices hold at once ({intervals})."
    )
    corrected = f"{long_name('correction', 'step-down')}{cite('correction', 'step-down')}"
    yield f"Differences in slices were tested ({tests}), corrected for their number: {corrected}."
    ways = dict.fromkeys(h.test for h in c.heterogeneity)
    if ways:
        how = listed([f"{long_name('heterogeneity', way)}{cite('heterogeneity', way)}" for way in ways])
        sign = ""
        if any(h.sign_p is not None for h in c.heterogeneity):
            sign = f", and whether its sign does by Gail and Simon's test{cite('analysis', 'change of sign')}"
        yield f"We tested whether a difference depends on the slice ({how}){sign}."
        yield f"Shrunken effects are empirical-Bayes estimates{cite('analysis', 'shrunken effects')}."
    if "permutation-q" in ways and not summary.resampled(c.differences):
        yield f"Q was permuted at most {c.provenance.n_resamples} times, with seed {c.provenance.seed}."
    else:
        yield drawn(c, c.differences)


def plan(p: Plan) -> Iterator[str]:
    """Yield how the size or the power of a study was found."""
    yield (
        f"We planned the study by an analysis of power{cite('analysis', 'power')}: {p.n} {p.unit} detect a"
        f" difference of {difference_text(p.difference)} with power {power_text(p.power, p.error)}."
    )
    yield from _assumed(p)
    if not p.exact:
        studies = p.provenance.settings["simulations"]
        yield f"The power was simulated: {studies} studies, seed {p.provenance.seed}."


def _assumed(p: Plan | Allocation) -> Iterator[str]:
    yield f"The test is {plans.decision(p)}; we assumed {p.design.assumed_words}.{plans.averaged(p)}"


def allocation(a: Allocation) -> Iterator[str]:
    """Yield how a budget was divided."""
    best = a.best
    yield (
        f"We divided a budget of {a.budget:g} between runs and items so that the power is largest"
        f"{cite('analysis', 'allocation', 'power')}: {best.runs} runs on {best.items} items, with power"
        f" {power_text(best.power)} to detect a difference of {difference_text(a.design.true_difference)}."
    )
    yield from _assumed(a)


def normality(n: Normality) -> Iterator[str]:
    """Yield how normality was tested."""
    tests = listed([test.name.title() for test in n.tests])
    yield (
        f"We described the distribution of {n.n} values by its moments and by tests of normality ({tests})"
        f"{cite('analysis', 'normality')}. No other test was chosen by their outcome."
    )


def advice(a: Advice) -> Iterator[str]:
    """Yield how test and interval were chosen."""
    yield (
        f"We chose the test ({a.test}) and the interval ({a.interval}) by a fixed decision tree"
        f"{cite('analysis', 'advice')}; correction for several comparisons: {a.correction}."
    )
