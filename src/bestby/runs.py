"""Compare systems by several runs (random seeds) of each."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from bestby import family
from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Alternative, ArrayLike, FloatArray
from bestby._core.versions import versions
from bestby._version import __version__
from bestby.engine import prepare
from bestby.engine.base import Drawing
from bestby.engine.hierarchy import Crossed
from bestby.engine.runs import INTERVALS, TESTS, Separate
from bestby.evaluation import Evaluation
from bestby.frames import is_frame
from bestby.inference import multiplicity, samples
from bestby.inference.ordering import multi_aso
from bestby.metrics import resolve
from bestby.metrics.registry import available, default
from bestby.resampling.streams import seed_of
from bestby.results import MetricInfo, Note, Provenance, StochasticOrders, TestResult
from bestby.results_runs import RunsComparison, RunsDifference, RunsScore, Variance

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
ASO_RESAMPLES = 1000
FEW_RUNS = 5
SPREAD_APART = 2.0
"""Ratio of standard deviations from which runs of unequal number are not safely exchanged."""

_MIRROR: dict[Alternative, Alternative] = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
_NAME = "{}#{}"


@dataclass(frozen=True)
class _Settings:
    statistic: str
    paired: bool
    interval: str
    level: float
    test: str
    alternative: Alternative
    correction: str
    margin: float | None
    baseline: str | None

    @property
    def alpha(self) -> float:
        return family.alpha_of(self.level)


@dataclass(frozen=True, eq=False)
class _Data:
    """The systems, what makes their numbers, and the evaluation behind it if there are items."""

    names: tuple[str, ...]
    metric: MetricInfo
    maker: Separate | Crossed
    evaluation: Evaluation | None

    @property
    def n_items(self) -> int:
        return 0 if self.evaluation is None else self.evaluation.n_items


def compare_runs(
    runs: Mapping[str, Any] | Any,
    *,
    gold: ArrayLike | None = None,
    metric: Any = None,
    statistic: str = "mean",
    paired: bool = False,
    clusters: ArrayLike | None = None,
    baseline: str | None = None,
    greater_is_better: bool | None = None,
    interval: str = "auto",
    level: float = 0.95,
    test: str = "auto",
    alternative: str = "two-sided",
    correction: str = "holm",
    margin: float | None = None,
    n_resamples: int = 10_000,
    rng: int | np.random.Generator | None = 0,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> RunsComparison:
    """Compare systems of which each was run several times, with different random seeds.

    Parameters
    ----------
    runs : mapping of str to array_like, shape (R,) or (R, n), or data frame
        Per system the score of each run; or, for each run, its score on every item; or, with `gold`, its
        predictions. The items are the same in all runs of all systems; the number of runs may differ. In a
        data frame every column is a system, every row a run.
    gold : array_like, shape (n,), optional
        The gold labels or values: `runs` are then predictions.
    metric : str, Metric or callable, optional
        With items what to compute of each run, as for `compare`. Where the runs are scores already, the name
        they go by ("score" by default); lower is better for the names of metrics of which that is true.
    statistic : {"mean", "median", "trimmed_mean", "iqm"}
        What is compared of the runs: their mean, median, 20 % trimmed mean, or the mean of the middle half.
        With items the mean only.
    paired : bool
        Whether run i of one system and run i of the others share what was drawn: the seed, the split, the
        order of the data. The numbers of runs must then be equal.
    clusters : array_like, shape (n,), optional
        The cluster (document, speaker, template) of each item.
    baseline : str, optional
        Compare every other system with this one only (system minus baseline); otherwise every pair.
    greater_is_better : bool, optional
        The direction; that of the metric by default, for scores True.
    interval : {"auto", "t", "bca", "percentile", "basic"}
        How intervals are made; the result names the method used. "auto" is "t" (Welch's, for paired runs
        Student's, for trimmed means Yuen's) and "percentile" for medians. With items "auto" is the t interval
        over items and runs, and there is no "bca".
    level : float
        Nominal coverage; 1 - level is the level of the tests.
    test : {"auto", "permutation", "t", "brunner-munzel", "bootstrap"}
        The significance test. "auto" is the permutation test if, with so many runs and pairs, it can give a
        p-value below 1 - level after correction, and the t test otherwise; with items it is the t test over
        items and runs.
    alternative : {"two-sided", "greater", "less"}
        "greater" asks whether A's score is greater than B's, also where lower is better. One-sided pairs
        stand in the order the systems were given. Intervals are two-sided always.
    correction : {"holm", "bonferroni", "bh", "none"}
        How p-values are corrected; the family is all pairs.
    margin : float, optional
        The smallest difference that matters; turns on verdicts.
    n_resamples : int
        Resamples, where any are drawn; exact results draw none.
    rng : int, numpy.random.Generator or None
        The seed; None for fresh entropy, which is recorded.
    n_jobs : int
        Threads; the numbers are the same for any.
    progress : callable, optional
        Called with the number of resamples of the items done and their number.

    Returns
    -------
    RunsComparison
        Scores, differences with the probability of improvement, effect size and almost stochastic order;
        with items, what of the variance they and the runs bring.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If a system has one run only, or the statistic, interval or test does not fit.

    Notes
    -----
    With items, the default test and interval ask what other runs on other items would give. The items
    are one sample, shared by all runs; the runs are another. The permutation test of the runs takes the items
    as given: where items differ in which system they favour, it finds differences between equal
    systems in far more than 5 % of the cases (the guide "Comparing runs" has the numbers).

    References
    ----------
    .. [1] Agarwal, Schwarzer, Castro, Courville & Bellemare (2021), Deep reinforcement learning at the edge
       of the statistical precipice, NeurIPS.
    .. [2] Dror, Shlomov & Reichart (2019), Deep dominance: how to properly compare deep neural models, ACL.

    Examples
    --------
    >>> from bestby import compare_runs
    >>> result = compare_runs({"new": [0.81, 0.84, 0.83, 0.86, 0.82], "old": [0.79, 0.80, 0.78, 0.81, 0.80]})
    >>> difference = result["new", "old"]
    >>> round(difference.estimate, 3), difference.interval.method, round(difference.p_value, 4)
    (0.036, 'welch', 0.0159)
    """
    settings = _settings(statistic, paired, interval, level, test, alternative, correction, margin, baseline)
    drawing = Drawing(
        checks.positive_int(n_resamples, "n_resamples"),
        seed_of(rng),
        checks.positive_int(n_jobs, "n_jobs"),
        progress,
    )
    data = _data(_systems(runs), gold, metric, clusters, greater_is_better, settings, drawing)
    if baseline is not None and baseline not in data.names:
        raise InvalidInputError(f"baseline {baseline!r} is not among the systems: {', '.join(data.names)}")
    estimates = np.array([data.maker.estimate(s) for s in range(len(data.names))])
    order = family.ranked(estimates, data.names, data.metric.greater_is_better)
    base = None if baseline is None else data.names.index(baseline)
    pairs = family.pairs(order, base, sided=settings.alternative != "two-sided")
    orders = _orders(data, settings, drawing, len(pairs))
    chosen, reasons = _chosen_test(data, pairs, settings)
    tests = [_oriented_test(data, a, b, chosen, settings.alternative) for a, b in pairs]
    adjusted = multiplicity.adjust([test.p_value for test in tests], settings.correction)
    differences = tuple(
        _difference(data, a, b, test, float(p), orders, settings)
        for (a, b), test, p in zip(pairs, tests, adjusted, strict=True)
    )
    systems, system_notes = _scores(data, order, differences, settings)
    return RunsComparison(
        metrics=(data.metric,),
        systems=systems,
        differences=differences,
        omnibus=(),
        notes=(*system_notes, *_notes(data, settings), *reasons, *_too_few_drawn(tests, settings)),
        provenance=_provenance(data, settings, drawing),
        n_items=data.n_items,
        level=settings.level,
        correction=settings.correction,
        margin=settings.margin,
        baseline=settings.baseline,
        orders=orders,
        variances=_variances(data, order, pairs),
        statistic=settings.statistic,
        paired=settings.paired,
    )


# -- arguments and data ----------------------------------------------------------------------------


def _settings(
    statistic: str,
    paired: bool,
    interval: str,
    level: float,
    test: str,
    alternative: str,
    correction: str,
    margin: float | None,
    baseline: str | None,
) -> _Settings:
    if margin is not None and not margin > 0.0:
        raise InvalidInputError(
            f"margin must be a positive number, got {margin}",
            hint="it is the smallest difference that matters, on the scale of the measure",
        )
    return _Settings(
        checks.choice(statistic, samples.STATISTICS, "statistic"),
        bool(paired),
        checks.choice(interval, INTERVALS, "interval"),
        checks.probability(level, "level"),
        checks.choice(test, TESTS, "test"),
        checks.choice(alternative, ALTERNATIVES, "alternative"),
        checks.choice(correction, multiplicity.CORRECTIONS, "correction"),
        None if margin is None else float(margin),
        baseline,
    )


def _systems(runs: Any) -> dict[str, list[Any]]:
    """Return per system its runs: numbers, or one sequence of values each."""
    if not isinstance(runs, Mapping):
        if not is_frame(runs):
            raise InvalidInputError(
                f"runs must be a mapping of system to its runs, got {type(runs).__name__}",
                hint='compare_runs({"new": [0.81, 0.84], "old": [0.79, 0.80]})',
            )
        names = runs.column_names if hasattr(runs, "column_names") else runs.columns
        runs = {str(name): runs[name] for name in names}
    for name in runs:
        if not isinstance(name, str) or not name:
            raise InvalidInputError(f"system names must be non-empty strings, got {name!r}")
    if len(runs) < 2:
        raise InvalidInputError(
            f"a comparison needs at least 2 systems, got {len(runs)}: {', '.join(runs) or 'none'}"
        )
    return {name: _rows(values, name) for name, values in runs.items()}


def _rows(values: Any, name: str) -> list[Any]:
    if isinstance(values, list | tuple) and any(np.ndim(row) for row in values):
        rows = list(values)
    else:
        rows = list(checks.as_array(values, f"the runs of {name!r}"))
    if len(rows) == 1:
        raise DesignError(
            f"system {name!r} has one run: nothing can be said about how much its runs vary",
            hint="train it with more seeds, or compare single runs item by item with compare()",
        )
    if not rows:
        raise InvalidInputError(f"system {name!r} has no runs")
    return rows


def _data(
    systems: dict[str, list[Any]],
    gold: Any,
    metric: Any,
    clusters: Any,
    greater_is_better: bool | None,
    settings: _Settings,
    drawing: Drawing,
) -> _Data:
    sizes = {name: len(rows) for name, rows in systems.items()}
    if settings.paired and len(set(sizes.values())) > 1:
        told = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise InvalidInputError(
            f"paired runs must be equally many for all systems, got {told}",
            hint="leave out the runs that some system lacks, or pass paired=False",
        )
    per_item = {name: any(np.ndim(row) for row in rows) for name, rows in systems.items()}
    if gold is not None or any(per_item.values()):
        flat = next((name for name, nested in per_item.items() if not nested), None)
        if flat is not None:
            raise InvalidInputError(
                f"system {flat!r} has one value per run, where one per run and item is needed",
                hint="pass an array of shape (runs, items) for every system",
            )
        return _of_items(systems, gold, metric, clusters, greater_is_better, settings, drawing)
    if clusters is not None:
        raise InvalidInputError(
            "clusters are groups of items, but every run is a single score",
            hint="pass per-item scores or predictions of every run",
        )
    return _of_scores(systems, metric, greater_is_better, settings, drawing)


def _of_scores(
    systems: dict[str, list[Any]],
    metric: Any,
    greater_is_better: bool | None,
    settings: _Settings,
    drawing: Drawing,
) -> _Data:
    if metric is not None and not isinstance(metric, str):
        raise InvalidInputError(
            "the runs are scores already: metric can only name them",
            hint='metric="accuracy", or pass predictions and gold',
        )
    scores = []
    for name, rows in systems.items():
        values = checks.column(np.asarray(rows), f"the runs of {name!r}")
        if values.dtype.kind not in "biuf":
            raise InvalidInputError(
                f"the runs of {name!r} must be numbers, got {str(values[0])!r}",
                hint="pass gold=... to compare predictions",
            )
        numbers = values.astype(np.float64)
        # Unpaired runs have no order; sorted, they give the same bits in any.
        scores.append(numbers if settings.paired else np.sort(numbers))
    known = {row.name: row.greater_is_better for row in available()}
    better = known.get(metric or "", True) if greater_is_better is None else bool(greater_is_better)
    info = MetricInfo(metric or "score", better, (-math.inf, math.inf))
    names = tuple(systems)
    return _Data(names, info, Separate(scores, names, settings.statistic, settings.paired, drawing), None)


def _of_items(
    systems: dict[str, list[Any]],
    gold: Any,
    metric: Any,
    clusters: Any,
    greater_is_better: bool | None,
    settings: _Settings,
    drawing: Drawing,
) -> _Data:
    if settings.statistic != "mean":
        raise DesignError(
            f"with items the mean of the runs is compared, not their {settings.statistic.replace('_', ' ')}",
            hint="pass the score of each run to compare other statistics",
        )
    flat = {
        _NAME.format(name, position): row
        for name, rows in systems.items()
        for position, row in enumerate(rows)
    }
    evaluation = Evaluation.of(flat, gold, clusters=clusters)
    if clusters is not None and np.unique(evaluation.clusters).size < 2:  # type: ignore[arg-type]
        raise InvalidInputError(
            "all items are in one cluster: nothing can be said about the uncertainty",
            hint="clusters are groups such as documents or speakers; at least 2 are needed",
        )
    asked = resolve(default(gold is None) if metric is None else metric)
    ((group, _),) = prepare.groups(evaluation, [asked])
    undefined = np.flatnonzero(~np.isfinite(group.scores()[0]))
    if undefined.size:
        raise InvalidInputError(
            f"metric {asked.name} is undefined for run {evaluation.names[int(undefined[0])]!r}",
            hint="a class or all variation is missing; choose another metric or look at the predictions",
        )
    better = asked.greater_is_better if greater_is_better is None else bool(greater_is_better)
    names = tuple(systems)
    n_runs = [len(rows) for rows in systems.values()]
    maker = Crossed(group, n_runs, names, settings.paired, drawing)
    return _Data(names, MetricInfo(asked.name, better, asked.bounds), maker, evaluation)


# -- systems and pairs -----------------------------------------------------------------------------


def _chosen_test(
    data: _Data, pairs: Sequence[tuple[int, int]], settings: _Settings
) -> tuple[str, tuple[Note, ...]]:
    """Return the test, and a note where no data could make the permutation test significant."""
    if settings.test not in ("auto", "permutation") or isinstance(data.maker, Crossed):
        return settings.test, ()
    count = 1 if settings.correction == "none" else len(pairs)
    sides = 2.0 if settings.alternative == "two-sided" else 1.0
    least = max(_least(data, a, b, settings.paired, sides) for a, b in pairs)
    if least * count < settings.alpha:
        return "permutation", ()
    corrected = "" if count == 1 else f", {min(1.0, least * count):.2g} for one of {count} after correction"
    told = f"with so few runs the permutation test cannot give a p-value below {least:.2g}{corrected}"
    if settings.test == "auto" and settings.statistic != "median":
        more = "; the t test is used, which takes the runs of a system to be roughly normal"
        return "t", (Note("few_runs_for_permutation", told + more),)
    return "permutation", (Note("out_of_reach", f"{told}: not every difference can become significant"),)


def _least(data: _Data, a: int, b: int, paired: bool, sides: float) -> float:
    """Return the smallest p-value the permutation test can give."""
    n, m = data.maker.scores[a].size, data.maker.scores[b].size
    if paired:
        return float(sides * 0.5**n)
    # Of unequal numbers, the other extreme split is another distance from 0.
    return (sides if n == m else 1.0) / math.comb(n + m, n)


def _oriented_test(data: _Data, a: int, b: int, name: str, alternative: Alternative) -> TestResult:
    """Return the test of A against B, made in the order of their names: exchanged they mirror each other."""
    if data.names[a] < data.names[b]:
        return data.maker.test(a, b, name, alternative)
    return data.maker.test(b, a, name, _MIRROR[alternative]).mirrored()


def _orders(data: _Data, settings: _Settings, drawing: Drawing, n_pairs: int) -> StochasticOrders:
    return multi_aso(
        dict(zip(data.names, data.maker.scores, strict=True)),
        level=settings.level,
        n_comparisons=1 if settings.correction == "none" else 2 * n_pairs,
        n_resamples=min(ASO_RESAMPLES, drawing.n_resamples),
        greater_is_better=data.metric.greater_is_better,
        rng=drawing.seed,
    )


def _difference(
    data: _Data,
    a: int,
    b: int,
    test: TestResult,
    p_adjusted: float,
    orders: StochasticOrders,
    settings: _Settings,
) -> RunsDifference:
    if data.names[a] > data.names[b]:
        return _difference(data, b, a, test.mirrored(), p_adjusted, orders, settings).mirrored()
    maker, (x, y) = data.maker, (data.maker.scores[a], data.maker.scores[b])
    name_a, name_b = data.names[a], data.names[b]
    interval, notes = maker.interval(a, b, settings.interval, settings.level)
    tost = interval
    if settings.margin is not None and settings.level > 0.5:
        tost = maker.interval(a, b, settings.interval, 2.0 * settings.level - 1.0)[0]
    welch = samples.t_test(x, y, settings.statistic, test.alternative, paired=settings.paired)
    chance, chance_interval = samples.improvement(x, y, settings.level, paired=settings.paired)
    effect, effect_interval = samples.effect_size(x, y, settings.level, paired=settings.paired)
    about = (data.metric.name, name_a, name_b)
    if _alike(x, y, settings.paired):
        notes += (Note("identical", f"the runs of {name_a} and {name_b} have the same scores"),)
    elif math.isnan(effect):
        notes += (Note("no_spread", "the runs do not vary: the effect size is undefined"),)
    notes += tuple(_spread_notes(x, y, name_a, name_b, test))
    return RunsDifference(
        metric=data.metric.name,
        a=name_a,
        b=name_b,
        estimate=maker.estimate(a, b),
        score_a=maker.estimate(a),
        score_b=maker.estimate(b),
        interval=interval,
        test=test,
        p_adjusted=p_adjusted,
        greater_is_better=data.metric.greater_is_better,
        n_items=data.n_items,
        n_differing=_differing(data, a, b),
        verdict=family.verdict(interval, tost, settings.margin, data.metric.greater_is_better),
        margin=settings.margin,
        notes=tuple(Note(note.code, note.message, about) for note in notes),
        n_runs=(x.size, y.size),
        p_welch=math.nan if welch is None else welch.p_value,
        improvement=chance,
        improvement_interval=chance_interval,
        effect_size=effect,
        effect_interval=effect_interval,
        order=orders[name_a, name_b],
        reverse_order=orders[name_b, name_a],
    )


def _differing(data: _Data, a: int, b: int) -> int:
    """Return on how many items some two runs of the two systems differ."""
    if data.evaluation is None or not isinstance(data.maker, Crossed):
        return 0
    values = list(data.evaluation.systems.values())
    of_a, of_b = (values[data.maker.columns(s)] for s in (a, b))
    # All runs of both agree on an item if and only if each agrees with the first.
    differs = np.zeros(data.n_items, dtype=np.bool_)
    for row in [*of_a[1:], *of_b]:
        differs |= row != of_a[0]
    return int(differs.sum())


def _alike(x: FloatArray, y: FloatArray, paired: bool) -> bool:
    return np.array_equal(x, y) if paired else np.array_equal(np.sort(x), np.sort(y))


def _spread_notes(x: FloatArray, y: FloatArray, a: str, b: str, test: TestResult) -> Iterator[Note]:
    low, high = sorted((float(x.std()), float(y.std())))
    if test.name == "permutation-2" and x.size != y.size and high > SPREAD_APART * low:
        yield Note(
            "unequal_spread",
            f"{a} and {b} have unequal numbers of runs that vary unequally, which the permutation test can"
            ' take for a difference; take test="t"',
        )


def _scores(
    data: _Data, order: Sequence[int], differences: Sequence[RunsDifference], settings: _Settings
) -> tuple[tuple[RunsScore, ...], list[Note]]:
    names = [data.names[s] for s in order]
    lettered = settings.baseline is None
    low, high, letters = family.standings(names, differences, settings.alpha, lettered=lettered)
    entries, notes = [], []
    for position, system in enumerate(order):
        interval, found = data.maker.interval(system, None, settings.interval, settings.level)
        about = (data.metric.name, names[position])
        notes += [Note(note.code, note.message, about) for note in found]
        entries.append(
            RunsScore(
                metric=data.metric.name,
                system=names[position],
                score=data.maker.estimate(system),
                interval=interval,
                rank_low=int(low[position]),
                rank_high=int(high[position]),
                group=None if letters is None else letters[position],
                runs=tuple(data.maker.scores[system].tolist()),
            )
        )
    return tuple(entries), notes


def _variances(data: _Data, order: Sequence[int], pairs: Sequence[tuple[int, int]]) -> tuple[Variance, ...]:
    maker = data.maker
    if not isinstance(maker, Crossed):
        return ()
    out = []
    for a, b in [*((s, None) for s in order), *pairs]:
        parts = maker.components(a, b)
        n_runs = tuple(maker.n_runs[s] for s in (a, b) if s is not None)
        out.append(
            Variance(
                data.names[a],
                None if b is None else data.names[b],
                parts.items,
                parts.runs,
                parts.rest,
                n_runs,
                maker.group.n_units,
            )
        )
    return tuple(out)


# -- notes and provenance --------------------------------------------------------------------------


def _notes(data: _Data, settings: _Settings) -> Iterator[Note]:
    if data.evaluation is not None:
        yield from data.evaluation.notes
    fewest = min(x.size for x in data.maker.scores)
    if fewest < FEW_RUNS:
        yield Note(
            "few_runs",
            f"a system has only {fewest} runs: how much its runs vary is hardly known, and t intervals are as"
            " long as that makes them",
        )
    for name, x in zip(data.names, data.maker.scores, strict=True):
        if x.max() == x.min():
            told = f"all runs of {name} have the same score: copies, or too coarse a measure?"
            yield Note("constant_runs", told, (data.metric.name, name))
    if settings.alternative != "two-sided" and not data.metric.greater_is_better:
        asks = "worse" if settings.alternative == "greater" else "better"
        yield Note(
            "direction",
            f"lower is better for {data.metric.name}: alternative {settings.alternative!r}"
            f" asks whether A is {asks}",
            (data.metric.name,),
        )
    if isinstance(data.maker, Crossed) and settings.test in ("permutation", "brunner-munzel"):
        yield Note(
            "items_fixed",
            "the test takes the items as given: it asks about other runs on these very items, the intervals"
            " about other items too",
        )


def _too_few_drawn(tests: Sequence[TestResult], settings: _Settings) -> Iterator[Note]:
    drawn = [test.n_resamples for test in tests if test.n_resamples]
    count = 1 if settings.correction == "none" else len(tests)
    needed = int(count / settings.alpha + 1e-9)
    if drawn and min(drawn) < needed:
        yield Note(
            "few_resamples",
            f"{min(drawn)} resamples cannot give a corrected p-value below {settings.alpha:.3g} for"
            f" {count} comparisons: at least {needed} are needed, {10 * needed} for a steady answer",
        )


def _provenance(data: _Data, settings: _Settings, drawing: Drawing) -> Provenance:
    sizes = [int(x.size) for x in data.maker.scores]
    about: dict[str, Any] = {"runs": sizes, "systems": list(data.names)}
    if data.evaluation is not None:
        about = {"items": data.n_items, **about}
        if data.evaluation.clusters is not None:
            about["clusters"] = int(np.unique(data.evaluation.clusters).size)
    return Provenance(
        version=__version__,
        versions=versions(),
        seed=drawing.seed,
        n_resamples=drawing.n_resamples,
        settings={
            "metrics": [data.metric.name],
            "greater_is_better": data.metric.greater_is_better,
            **{entry.name: getattr(settings, entry.name) for entry in fields(settings)},
        },
        data=about,
        data_hash=_data_hash(data),
    )


def _data_hash(data: _Data) -> str:
    if data.evaluation is not None:
        return data.evaluation.data_hash()
    digest = hashlib.blake2b(digest_size=8)
    for name, x in sorted(zip(data.names, data.maker.scores, strict=True), key=lambda entry: entry[0]):
        digest.update(f"runs {name}|{x.size}|".encode())
        digest.update(np.ascontiguousarray(x).view(np.uint8).data)
    return digest.hexdigest()
