"""The jobs: what is asked of bestby, and the same work for its rivals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from benchmarks import data, null_pairs
from benchmarks import measures as ms
from benchmarks import rivals as rv
from benchmarks.own_jobs import own_jobs
from benchmarks.work import Job, Rivals, Work

MEASURES: dict[str, tuple[ms.Measure, Callable[..., Any] | None, str]] = {
    "accuracy": (ms.accuracy, ms.accuracy, "NumPy accuracy"),
    "f1_macro": (ms.f1_macro, ms.f1_macro_along, "f1_score of scikit-learn"),
    "matthews_corrcoef": (ms.mcc, ms.mcc_along, "matthews_corrcoef of scikit-learn"),
    "cohen_kappa": (ms.kappa, ms.kappa_along, "cohen_kappa_score of scikit-learn"),
    "balanced_accuracy": (
        ms.balanced_accuracy,
        ms.balanced_accuracy_along,
        "balanced_accuracy_score of scikit-learn",
    ),
    "f1[1]": (ms.f1_of_class, ms.f1_of_class_along, "f1_score of scikit-learn"),
    "f1_weighted": (ms.f1_weighted, ms.f1_weighted_along, "f1_score of scikit-learn"),
    "pearson": (ms.pearson, ms.pearson_along, "np.corrcoef"),
    "spearman": (ms.spearman, None, "spearmanr of SciPy"),
    "roc_auc": (ms.roc_auc, None, "roc_auc_score of scikit-learn"),
}
"""Per metric of bestby: a function for one call, one along an axis, and what the first is."""

JACKKNIFED = 1_000
"""Items up to which rivals are asked for BCa intervals: their jackknife takes n x n steps."""


LONG_TABLES = 10_000
"""Items up to which evalstats is asked: at 100 000 a call with two resamples takes half a minute and more."""


FEW_SYSTEMS = 5
"""Systems up to which it is asked: of 20 it took half a minute before its time is known."""


# -- what bestby is asked --------------------------------------------------------------------------


def interval(systems: dict[str, Any], gold: Any, metric: Any, method: str = "bca", **more: Any) -> Any:
    """An interval, and the bootstrap test on the same resamples."""
    from bestby import compare

    found = compare(systems, gold, metric=metric, interval=method, test="bootstrap", **more).differences[0]
    low, high = found.interval.low, found.interval.high
    return (low, high) if found.a == next(iter(systems)) else (-high, -low)


def p_value(systems: dict[str, Any], gold: Any, metric: Any, kind: str = "permutation", **more: Any) -> float:
    """A test; the analytic interval costs next to nothing."""
    from bestby import compare

    more = {"interval": "normal", **more}
    return float(compare(systems, gold, metric=metric, test=kind, **more).differences[0].p_value)


def only_interval(systems: dict[str, Any], gold: Any, metric: Any, **more: Any) -> Any:
    """The interval that bestby chooses, and no test, as rivals do it."""
    from bestby import compare

    found = compare(systems, gold, metric=metric, test=None, **more).differences[0]
    low, high = found.interval.low, found.interval.high
    return (low, high) if found.a == next(iter(systems)) else (-high, -low)


def only_test(systems: dict[str, Any], gold: Any, metric: Any, kind: str = "permutation") -> float:
    """A test, and no interval, as rivals do it."""
    return p_value(systems, gold, metric, kind, interval=None)


def every_pair(systems: dict[str, Any], gold: Any, **more: Any) -> Any:
    """Interval, test and correction of every pair, as `compare` does it by default."""
    from bestby import compare

    found = compare(systems, gold, **more)["a", "b"]
    return found.interval.low, found.interval.high


# -- intervals and tests of two systems ------------------------------------------------------------


def _drawn(metric: str, n: int) -> tuple[Any, Any, Any]:
    """Gold, A and B that a metric reads."""
    if metric == "roc_auc":
        return data.probabilities(n)
    return data.numbers(n) if metric in ("pearson", "spearman") else data.labels(n)


def _right(gold: Any, *predictions: Any) -> list[Any]:
    return [(x == gold).astype(np.float64) for x in predictions]


def _named(systems: list[Any]) -> dict[str, Any]:
    return {chr(ord("a") + s): x for s, x in enumerate(systems)}


def _interval(metric: str, title: str, n: int, *, only: bool = False, **more: Any) -> Job:
    """The interval of a difference by functions of predictions and gold; `only`: bestby runs no test."""
    one, along, how = MEASURES[metric]
    ranks = along is None
    method = "bca" if n <= JACKKNIFED and not ranks else "percentile"
    B = 1_000 if ranks else 10_000

    def make() -> Work:
        gold, a, b = _drawn(metric, n)
        both = ms.difference(along or one)
        written = how if metric == "accuracy" or not along else "NumPy"
        made: Rivals = {
            "BootCI": lambda: rv.bootci(a, b, gold, one, how, method),
            "arch": lambda: rv.arch((a, b, gold), both, written, method),
            "resample": lambda: rv.resample((a, b, gold), both, written, method),
            "stambo": lambda: rv.stambo([a, b], gold, "ROCAUC" if metric == "roc_auc" else one, how),
            "scipy": lambda: rv.scipy_bootstrap((a, b, gold), both, written, method, along is not None),
        }
        if metric == "accuracy":
            right = _right(gold, a, b)
            gaps = (right[0] - right[1],)
            made["scipy"] = lambda: rv.scipy_bootstrap(gaps, np.mean, "mean of the differences", method)
            made["evalstats"] = lambda: rv.evalstats(_named(right), "bca")
        systems = {"a": a, "b": b}
        if only:
            return Work(partial(only_interval, systems, gold, metric, n_resamples=B), made)
        called = "percentile" if ranks else "bca"
        return Work(partial(interval, systems, gold, metric, called, n_resamples=B), made)

    tools = ["BootCI", "scipy", "arch", "resample", "stambo"]
    if metric == "accuracy" and n <= LONG_TABLES:
        tools.append("evalstats")
    name = f"{title}, {'percentile' if ranks else 'BCa'} interval, n = {n:,}"
    if only:
        name = f"{title}, interval only, n = {n:,}"
    return Job(name, make, tools, n_resamples=B, **more)


def _test(metric: str, title: str, n: int, *, only: bool = False, **more: Any) -> Job:
    """The permutation test of a difference; `only`: bestby computes no interval."""
    one, along, how = MEASURES[metric]
    assert along is not None

    def make() -> Work:
        gold, a, b = _drawn(metric, n)

        def statistic(x: Any, y: Any, axis: int = -1) -> Any:  # noqa: ARG001
            return along(x, gold) - along(y, gold)

        made: Rivals = {
            "BootCI": lambda: rv.bootci_test(a, b, gold, one, how),
            "scipy": lambda: rv.scipy_test(a, b, statistic, "vectorised"),
        }
        if metric == "accuracy":
            right = _right(gold, a, b)
            made["scipy"] = lambda: rv.scipy_test(right[0], right[1], _mean_difference, "vectorised mean")
            made["evalstats"] = lambda: rv.evalstats(_named(right), "permutation")
        return Work(partial(only_test if only else p_value, {"a": a, "b": b}, gold, metric), made)

    tools = ["BootCI", "scipy", "evalstats"] if metric == "accuracy" else ["BootCI", "scipy"]
    what = "permutation test only" if only else "permutation test"
    return Job(f"{title}, {what}, n = {n:,}", make, tools, **more)


def _mean_difference(x: Any, y: Any, axis: int) -> Any:
    return np.mean(x, axis=axis) - np.mean(y, axis=axis)


def _mean_interval(n: int) -> Job:
    method = "bca" if n <= JACKKNIFED else "percentile"

    def make() -> Work:
        _, a, b = data.numbers(n)
        gaps, how = (a - b,), "mean of the differences"
        made: Rivals = {
            "BootCI": lambda: rv.bootci(a, b, a, ms.mean_of, "np.mean", method),
            "scipy": lambda: rv.scipy_bootstrap(gaps, np.mean, how, "bca"),
            "arch": lambda: rv.arch(gaps, np.mean, how, method),
            "resample": lambda: rv.resample(gaps, np.mean, how, method),
            "stambo": lambda: rv.stambo([a, b], a, ms.mean_of, "np.mean"),
            "evalstats": lambda: rv.evalstats({"a": a, "b": b}, "bca"),
        }
        return Work(partial(interval, {"a": a, "b": b}, None, "mean"), made)

    tools = ["BootCI", "scipy", "arch", "resample", "stambo", "evalstats"]
    return Job(f"mean of scores, BCa interval, n = {n:,}", make, tools)


def _mean_test(n: int) -> Job:
    def make() -> Work:
        _, a, b = data.numbers(n)
        made: Rivals = {
            "BootCI": lambda: rv.bootci_test(a, b, a, ms.mean_of, "np.mean"),
            "scipy": lambda: rv.scipy_test(a, b, _mean_difference, "vectorised mean"),
            "evalstats": lambda: rv.evalstats({"a": a, "b": b}, "permutation"),
        }
        return Work(partial(p_value, {"a": a, "b": b}, None, "mean"), made)

    return Job(f"mean of scores, permutation test, n = {n:,}", make, ["BootCI", "scipy", "evalstats"])


def _mcnemar(n: int, *, only: bool = False) -> Job:
    def make() -> Work:
        gold, a, b = data.labels(n)
        systems = {"a": a, "b": b}
        made: Rivals = {
            "scipy": lambda: rv.scipy_mcnemar(a, b, gold),
            "evalstats": lambda: rv.evalstats_tango(_named(_right(gold, a, b))),
        }
        if only:
            return Work(partial(only_test, systems, gold, "accuracy", "mcnemar"), made)
        return Work(partial(p_value, systems, gold, "accuracy", "mcnemar", interval="tango"), made)

    what = "McNemar's exact test only" if only else "McNemar's exact test"
    return Job(f"accuracy, {what}, n = {n:,}", make, ["scipy"] if only else ["scipy", "evalstats"])


def _binary_test(metric: str, called: str, title: str, n: int) -> Job:
    """The permutation test of MLstatkit, of two systems that give probabilities."""
    one, _, how = MEASURES[metric]

    def make() -> Work:
        gold, a, b = data.probabilities(n)
        guessed = [a, b]
        if metric == "f1_macro":
            guessed = [(x > 0.5).astype(np.int64) for x in guessed]
        made: Rivals = {
            "MLstatkit": lambda: rv.mlstatkit_test(a, b, gold, called),
            "BootCI": lambda: rv.bootci_test(guessed[0], guessed[1], gold, one, how),
        }
        asked = {"n_resamples": 1_000, "interval": "percentile" if metric == "roc_auc" else "normal"}
        return Work(partial(p_value, _named(guessed), gold, metric, **asked), made)

    name = f"{title}, permutation test, n = {n:,}"
    return Job(name, make, ["BootCI", "MLstatkit"], n_resamples=1_000)


# -- preferences ---------------------------------------------------------------------------------


def _judgements(systems: int, n: int, **more: Any) -> Job:
    """Strengths of an arena, every difference with its interval and test, the order in the model."""

    def make() -> Work:
        judged = data.judgements(systems, n)
        columns = {name: judged[name] for name in ("model_a", "model_b", "winner")}

        def ours() -> Any:
            import bestby

            found = bestby.compare_preferences(columns)["model-000", "model-001"].interval
            assert found is not None
            return found.low, found.high

        made: Rivals = {"choix": lambda: rv.choix(judged), "arena-rank": lambda: rv.arena_rank(judged)}
        return Work(ours, made)

    return Job(f"{systems} systems by preferences, n = {n:,}", make, ["choix", "arena-rank"], **more)


# -- texts -----------------------------------------------------------------------------------------


def _bleu(n: int, B: int) -> Job:
    def make() -> Work:
        references, systems = data.texts(n)
        made: Rivals = {"sacrebleu": lambda: rv.sacrebleu(systems, references, "bs")}
        asked = {"interval": "percentile", "n_resamples": B}
        return Work(partial(p_value, systems, references, "bleu", "bootstrap", **asked), made)

    return Job(f"BLEU of texts, bootstrap test, n = {n:,}, B = {B:,}", make, ["sacrebleu"], n_resamples=B)


def _shared_task(kind: str) -> Job:
    """Three systems of a shared task by BLEU, two against the first."""
    title = {"bs": "bootstrap", "ar": "permutation"}[kind]

    def make() -> Work:
        references, systems = data.shared_task()
        made: Rivals = {"sacrebleu": lambda: rv.sacrebleu(systems, references, kind)}
        asked = {"baseline": next(iter(systems)), "interval": "percentile"}
        return Work(partial(p_value, systems, references, "bleu", title, **asked), made)

    return Job(f"BLEU of 3 systems of WMT17, {title} test, n = {data.WMT17_SEGMENTS:,}", make, ["sacrebleu"])


# -- runs ------------------------------------------------------------------------------------------


def _order(n: int) -> Job:
    def make() -> Work:
        a, b = data.two_runs(n, 0.3)

        def ours() -> float:
            import bestby

            return float(bestby.aso(a, b).epsilon_min)

        return Work(ours, {"deepsig": lambda: rv.deepsig("aso", a, b, show_progress=False)})

    name = f"almost stochastic order, {n:,} x {n:,} runs"
    return Job(name, make, ["deepsig"], n_resamples=1_000, asked=1_000, quick=n == 100)


def _orders() -> Job:
    def make() -> Work:
        runs = data.ten_systems()

        def ours() -> float:
            import bestby

            return float(bestby.multi_aso(runs, n_comparisons=1)["s9", "s0"].epsilon_min)

        asked = {"use_bonferroni": False, "show_progress": False}
        return Work(ours, {"deepsig": lambda: rv.deepsig("multi_aso", runs, **asked)})

    name = "almost stochastic order, 10 systems of 20 runs, all pairs"
    return Job(name, make, ["deepsig"], n_resamples=1_000, asked=1_000)


def _runs_on_datasets(datasets: int, runs: int) -> Job:
    def make() -> Work:
        systems = data.runs_on_datasets(datasets, runs)

        def ours() -> float:
            import bestby

            result = bestby.compare_datasets(systems, n_resamples=1_000)
            first: Any = next(iter(result.within.values()))[0]
            return float((first.order if first.a == "a" else first.reverse_order).epsilon_min)

        return Work(ours, {"deepsig": lambda: rv.deepsig_by_dataset(systems["a"], systems["b"])})

    name = f"runs on {datasets} datasets, {runs} x {runs} each: order, differences, counts"
    return Job(name, make, ["deepsig"], n_resamples=1_000)


def _runs_test(kind: str) -> Job:
    paired = kind == "permutation"

    def make() -> Work:
        a, b = data.two_runs(20, 0.8)

        def ours() -> float:
            import bestby

            asked: dict[str, Any] = {"test": kind, "paired": paired, "alternative": "greater"}
            return float(bestby.compare_runs({"a": a, "b": b}, n_resamples=1_000, **asked)["a", "b"].p_value)

        made: Rivals = {
            "deepsig": lambda: rv.deepsig(f"{kind}_test", a, b, counted="num_samples"),
            "scipy": lambda: rv.scipy_test(a, b, _mean_difference, "vectorised mean", "greater"),
        }
        return Work(ours, made)

    tools = ["deepsig", "scipy"] if paired else ["deepsig"]
    return Job(f"{kind} test, 20 x 20 runs", make, tools, n_resamples=1_000, quick=True)


def _power() -> Job:
    def make() -> Work:
        scores = data.pilot()

        def ours() -> float:
            import bestby

            design = bestby.planning.LiftedScores(scores, 1.05, test="welch")
            return float(bestby.power(design, alternative="greater", n_simulations=5_000, curve=()).power)

        asked = {"scalar": 1.05, "show_progress": False}
        return Work(ours, {"deepsig": lambda: rv.deepsig("bootstrap_power_analysis", scores, **asked)})

    return Job("power, 20 scores, 5,000 simulations", make, ["deepsig"], n_resamples=5_000)


# -- BooStSa ---------------------------------------------------------------------------------------


def four_measures(kind: str, n: int, size: float | None = rv.BOOSTSA_SIZE) -> Callable[[], float]:
    """Return bestby's call for the job of BooStSa: scores, intervals and tests of four metrics."""
    gold, a, b = data.hard(n) if kind == "hard" else data.soft(n)
    metrics = list(null_pairs.HARD if kind == "hard" else null_pairs.SOFT)

    def ours() -> float:
        from bestby import Resampling, compare

        found = compare(
            {"b": b, "a": a},
            gold,
            metric=metrics,
            baseline="a",
            test="bootstrap",
            alternative="better",
            n_resamples=1_000,
            resampling=Resampling(resample_size=size, rescale=size is None),
        )
        return float(found["b", "a", metrics[0]].p_value)

    return ours


def _boostsa(kind: str, n: int, **more: Any) -> Job:
    def make() -> Work:
        gold, a, b = data.hard(n) if kind == "hard" else data.soft(n)
        return Work(four_measures(kind, n), {"BooStSa": lambda: rv.boostsa(gold, a, b)})

    name = f"four metrics of {kind} labels, bootstrap test, n = {n:,}"
    return Job(name, make, ["BooStSa"], n_resamples=1_000, **more)


# -- several systems -------------------------------------------------------------------------------


def _several(systems: int, n: int, **more: Any) -> Job:
    def make() -> Work:
        gold, *predictions = data.labels(n, 3, systems)
        right = _right(gold, *predictions)

        def bootci(i: int, j: int) -> tuple[rv.Rival, ...]:
            pair = predictions[i], predictions[j], gold, ms.accuracy, "NumPy accuracy"
            return rv.bootci(*pair, "bca"), rv.bootci_test(*pair)

        def scipy(i: int, j: int) -> tuple[rv.Rival, ...]:
            return (
                rv.scipy_bootstrap((right[i] - right[j],), np.mean, "mean of the differences", "bca"),
                rv.scipy_test(right[i], right[j], _mean_difference, "vectorised mean"),
            )

        made: Rivals = {
            "BootCI": lambda: rv.all_pairs(systems, bootci),
            "scipy": lambda: rv.all_pairs(systems, scipy),
            "stambo": lambda: rv.stambo(predictions, gold, ms.accuracy, "NumPy accuracy"),
            "evalstats": lambda: rv.evalstats(_named(right), "bca"),
        }
        return Work(partial(every_pair, _named(predictions), gold), made)

    pairs = systems * (systems - 1) // 2
    tools = ["BootCI", "scipy", "stambo"]
    if systems <= FEW_SYSTEMS:
        tools.append("evalstats")
    return Job(f"{systems} systems by accuracy, all {pairs} pairs, n = {n:,}", make, tools, **more)


def _many(metric: str, title: str, systems: int, n: int, tools: list[str], **more: Any) -> Job:
    """Every pair of many systems on many items of five classes, as `compare` does it by default."""

    def make() -> Work:
        gold, *predictions = data.labels(n, 5, systems)

        def along(x: Any, y: Any) -> Any:
            return ms.f1_macro_along(x, y, 5)

        made: Rivals = {"stambo": lambda: rv.stambo(predictions, gold, along, "NumPy")}
        return Work(partial(every_pair, _named(predictions), gold, metric=metric), made)

    pairs = systems * (systems - 1) // 2
    return Job(f"{systems} systems by {title}, all {pairs} pairs, n = {n:,}", make, tools, **more)


def all_jobs() -> Iterator[Job]:
    """Every job, in the order of the table; nothing is drawn yet."""
    for n in (1_000, 100_000, 1_000_000):
        yield _interval("accuracy", "accuracy", n, quick=n == 1_000)
    for n in (638, 10_000):
        yield _interval("f1_macro", "macro-F1 of 3 classes", n, asked=1_000, quick=n == 638)
    for n in (1_000, 10_000):
        yield _interval("matthews_corrcoef", "Matthews correlation", n)
    for n in (1_000, 10_000):
        yield _interval("pearson", "Pearson", n)
    for n in (1_000, 10_000):
        yield _mean_interval(n)
    for n in (1_000, 10_000):
        yield _interval("spearman", "Spearman", n)
    for n in (1_000, 10_000):
        yield _interval("roc_auc", "ROC-AUC", n)
    yield _test("accuracy", "accuracy", 10_000)
    for n in (638, 10_000):
        yield _test("f1_macro", "macro-F1 of 3 classes", n)
    yield _test("matthews_corrcoef", "Matthews correlation", 1_000)
    yield _test("pearson", "Pearson", 10_000)
    yield _mean_test(10_000)
    yield _mcnemar(10_000)
    for n in (638, 10_000):
        yield _interval("f1_macro", "macro-F1 of 3 classes", n, only=True, asked=10_000, at_most=0.0012)
    yield _interval("matthews_corrcoef", "Matthews correlation", 1_000, only=True, at_most=0.0012)
    yield _interval("cohen_kappa", "Cohen's kappa", 1_000, only=True, at_most=0.0012)
    yield _interval("balanced_accuracy", "balanced accuracy", 1_000, only=True, at_most=0.0012)
    yield _interval("f1[1]", "F1 of one class of 3", 1_000, only=True, at_most=0.0012)
    yield _interval("f1_weighted", "weighted F1 of 3 classes", 1_000, only=True, at_most=0.0012)
    yield _interval("pearson", "Pearson", 1_000, only=True, at_most=0.0015)
    yield _interval("pearson", "Pearson", 10_000, only=True, at_most=0.004)
    yield _interval("spearman", "Spearman", 10_000, only=True, at_most=0.005)
    yield _interval("roc_auc", "ROC-AUC", 10_000, only=True, at_most=0.005)
    for n in (638, 10_000):
        yield _test("f1_macro", "macro-F1 of 3 classes", n, only=True, at_most=0.003)
    yield _mcnemar(10_000, only=True)
    yield from own_jobs()
    yield _binary_test("f1_macro", "f1", "macro-F1 of 2 classes", 1_000)
    yield _binary_test("roc_auc", "roc_auc", "ROC-AUC", 1_000)
    yield _several(5, 638, quick=True)
    yield _several(10, 1_000)
    yield _many("f1_macro", "macro-F1 of 5 classes", 10, 100_000, ["stambo"], at_most=0.45)
    yield _many("f1_macro", "macro-F1 of 5 classes", 20, 1_000_000, [], at_most=3.0)
    yield _many("accuracy", "accuracy", 20, 1_000_000, [], at_most=1.2)
    yield _judgements(100, 100_000)
    yield _judgements(200, 1_000_000, at_most=1.5)
    for B in (1_000, 10_000):
        yield _bleu(1_000, B)
    yield _shared_task("bs")
    for n in (5, 100, 1_000):
        yield _order(n)
    yield _orders()
    yield _runs_on_datasets(3, 5)
    for kind in ("permutation", "bootstrap"):
        yield _runs_test(kind)
    yield _power()
    yield _boostsa("hard", 1_000, asked=1_000, quick=True)
    yield _boostsa("hard", 100_000, asked=1_000)
    for n in (1_000, 10_000):
        yield _boostsa("soft", n)
