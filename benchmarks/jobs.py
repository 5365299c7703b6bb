"""The jobs: data, what is asked of bestby, and the same work for its rivals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np
from benchmarks import measures as ms
from benchmarks import rivals as rv
from benchmarks.rivals import Rival
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Job:
    """One piece of work.

    Parameters
    ----------
    name : str
        What is asked, and of how many items.
    ours : callable
        Calls bestby and returns its answer.
    rivals : callable
        Makes the rivals (and their data).
    n_resamples : int
        B, for those that resample.
    target : float or None
        Milliseconds a prototype took.
    quick : bool
        Whether `--quick` does it.
    """

    name: str
    ours: Callable[[], Any]
    rivals: Callable[[], list[Rival]]
    n_resamples: int = 10_000
    target: float | None = None
    quick: bool = False


# -- data ------------------------------------------------------------------------------------------


@cache
def labels(n: int, n_classes: int = 3, n_systems: int = 2) -> tuple[Array, ...]:
    """Gold, and systems that are right on some 75 % of the items and often wrong on the same ones."""
    rng = np.random.default_rng(n)
    gold = rng.choice(n_classes, size=n, p=np.arange(n_classes, 0, -1) / (n_classes * (n_classes + 1) / 2))
    ease = rng.normal(size=n)
    out = [gold]
    for s in range(n_systems):
        right = ease + 0.7 * rng.normal(size=n) > -0.8 + 0.05 * s
        out.append(np.where(right, gold, (gold + rng.integers(1, n_classes, size=n)) % n_classes))
    return tuple(out)


@cache
def numbers(n: int) -> tuple[Array, Array, Array]:
    """A target and two predictions of it, all real."""
    rng = np.random.default_rng(n)
    gold = rng.normal(size=n)
    return gold, gold + 0.80 * rng.normal(size=n), gold + 0.82 * rng.normal(size=n)


@cache
def texts(n: int) -> tuple[list[str], dict[str, list[str]]]:
    """References, and two systems that replace some of their words."""
    rng = np.random.default_rng(n)
    words = np.array([f"w{i}" for i in range(2000)])
    references, systems = [], {"a": [], "b": []}
    for _ in range(n):
        sentence = words[np.minimum(rng.zipf(1.3, size=rng.integers(8, 40)), words.size) - 1]
        references.append(" ".join(sentence))
        for name, share in (("a", 0.25), ("b", 0.26)):
            changed = np.where(rng.random(sentence.size) < share, rng.choice(words, sentence.size), sentence)
            systems[name].append(" ".join(changed))
    return references, systems


# -- what bestby is asked --------------------------------------------------------------------------


def interval(systems: dict[str, Any], gold: Any, metric: Any, method: str = "bca", **more: Any) -> Any:
    """An interval, and the bootstrap test on the same resamples."""
    from bestby import compare

    found = compare(systems, gold=gold, metric=metric, interval=method, test="bootstrap", **more).differences[
        0
    ]
    return _turned(found, list(systems), (found.interval.low, found.interval.high))


def _turned(found: Any, names: list[str], ends: tuple[float, float]) -> tuple[float, float]:
    """The ends for the first system minus the second, whichever is ahead."""
    return ends if found.a == names[0] else (-ends[1], -ends[0])


def test(systems: dict[str, Any], gold: Any, metric: Any) -> float:
    """A permutation test; the analytic interval costs next to nothing."""
    from bestby import compare

    found = compare(systems, gold=gold, metric=metric, interval="normal", test="permutation")
    return float(found.differences[0].p_value)


# -- the jobs --------------------------------------------------------------------------------------


def _accuracy_interval(n: int) -> Job:
    gold, a, b = labels(n)
    right = [(x == gold).astype(np.float64) for x in (a, b)]
    # The jackknife of BootCI and SciPy takes n x n steps: from 10^5 items on they are asked for less.
    method = "bca" if n <= 1_000 else "percentile"

    def rivals() -> list[Rival]:
        out = [
            rv.scipy_bootstrap((right[0] - right[1],), np.mean, how="mean of the differences", method=method),
            rv.segment_sums(tuple(ms.mean_rows(x) for x in right), ms.mean_of_sums),
        ]
        if n <= 100_000:
            out.insert(0, rv.bootci(a, b, gold, ms.accuracy, how="NumPy accuracy", method=method))
        return out

    ours = partial(interval, {"a": a, "b": b}, gold, "accuracy")
    return Job(f"accuracy, BCa, n = {n:,}", ours, rivals, target=2.0, quick=n == 1_000)


def _f1_interval(n: int, target: float) -> Job:
    gold, a, b = labels(n)
    method = "bca" if n <= 1_000 else "percentile"

    def rivals() -> list[Rival]:
        along = ms.difference(ms.f1_macro_along, n_classes=3)
        one = ms.difference(ms.f1_macro)
        rows = tuple(ms.f1_rows(x, gold, 3) for x in (a, b))
        out = [
            rv.bootci(a, b, gold, ms.f1_macro, how="scikit-learn f1_score", method=method),
            rv.scipy_bootstrap((a, b, gold), along, how="vectorised NumPy F1", method=method),
            rv.arch((a, b, gold), along, how="NumPy F1", method=method),
            rv.segment_sums(rows, ms.f1_of_sums),
        ]
        if n <= 1_000:
            plain = {"method": method, "vectorized": False}
            out.insert(1, rv.scipy_bootstrap((a, b, gold), one, how="scikit-learn f1_score", **plain))
        return out

    ours = partial(interval, {"a": a, "b": b}, gold, "f1_macro")
    return Job(f"macro-F1 of 3 classes, BCa, n = {n:,}", ours, rivals, target=target, quick=n == 638)


def _f1_test(n: int) -> Job:
    gold, a, b = labels(n)

    def along(x: Array, y: Array, axis: int) -> Array:  # noqa: ARG001
        return ms.f1_macro_along(x, gold, 3) - ms.f1_macro_along(y, gold, 3)

    def rivals() -> list[Rival]:
        return [
            rv.bootci_test(a, b, gold, ms.f1_macro, how="scikit-learn f1_score"),
            rv.scipy_test(a, b, along, how="vectorised NumPy F1"),
        ]

    ours = partial(test, {"a": a, "b": b}, gold, "f1_macro")
    return Job(f"macro-F1 of 3 classes, permutation, n = {n:,}", ours, rivals, target=12.0, quick=n == 638)


def _mean_difference(x: Array, y: Array, axis: int) -> Any:
    return np.mean(x, axis=axis) - np.mean(y, axis=axis)


def _accuracy_test(n: int) -> Job:
    gold, a, b = labels(n)
    right = [(x == gold).astype(np.float64) for x in (a, b)]

    def rivals() -> list[Rival]:
        return [
            rv.bootci_test(a, b, gold, ms.accuracy, how="NumPy accuracy"),
            rv.scipy_test(right[0], right[1], _mean_difference, how="vectorised mean"),
        ]

    ours = partial(test, {"a": a, "b": b}, gold, "accuracy")
    return Job(f"accuracy, permutation, n = {n:,}", ours, rivals, target=0.1, quick=True)


def _mean_jobs(n: int) -> Iterator[Job]:
    _, a, b = numbers(n)

    def intervals() -> list[Rival]:
        return [
            rv.bootci(a, b, a, ms.mean_of, how="np.mean", method="percentile"),
            rv.scipy_bootstrap((a - b,), np.mean, how="mean of the differences", method="bca"),
            rv.segment_sums(tuple(ms.mean_rows(x) for x in (a, b)), ms.mean_of_sums),
        ]

    def tests() -> list[Rival]:
        return [
            rv.bootci_test(a, b, a, ms.mean_of, how="np.mean"),
            rv.scipy_test(a, b, _mean_difference, how="vectorised mean"),
        ]

    systems = {"a": a, "b": b}
    yield Job(
        f"mean of scores, BCa, n = {n:,}", partial(interval, systems, None, "mean"), intervals, target=0.3
    )
    ours = partial(test, systems, None, "mean")
    yield Job(f"mean of scores, permutation, n = {n:,}", ours, tests, target=0.2)


def _pearson_jobs(n: int) -> Iterator[Job]:
    gold, a, b = numbers(n)

    def along(x: Array, y: Array, axis: int) -> Array:  # noqa: ARG001
        return ms.pearson_along(x, gold) - ms.pearson_along(y, gold)

    def intervals() -> list[Rival]:
        both = ms.difference(ms.pearson_along)
        rows = tuple(ms.pearson_rows(x, gold) for x in (a, b))
        return [
            rv.bootci(a, b, gold, ms.pearson, how="np.corrcoef", method="bca"),
            rv.scipy_bootstrap((a, b, gold), both, how="vectorised", method="percentile"),
            rv.arch((a, b, gold), both, how="NumPy", method="percentile"),
            rv.segment_sums(rows, ms.pearson_of_sums),
        ]

    def tests() -> list[Rival]:
        return [
            rv.bootci_test(a, b, gold, ms.pearson, how="np.corrcoef"),
            rv.scipy_test(a, b, along, how="vectorised"),
        ]

    systems = {"a": a, "b": b}
    yield Job(
        f"Pearson, BCa, n = {n:,}", partial(interval, systems, gold, "pearson"), intervals, target=130.0
    )
    yield Job(f"Pearson, permutation, n = {n:,}", partial(test, systems, gold, "pearson"), tests, target=44.0)


def _auc_interval(n: int) -> Job:
    gold, a, b = numbers(n)
    gold = (gold > 0.5).astype(np.int64)

    def rivals() -> list[Rival]:
        one = ms.difference(ms.roc_auc)
        plain = {"method": "percentile", "vectorized": False}
        return [
            rv.bootci(a, b, gold, ms.roc_auc, how="scikit-learn roc_auc_score", method="percentile"),
            rv.scipy_bootstrap((a, b, gold), one, how="scikit-learn roc_auc_score", **plain),
        ]

    ours = partial(interval, {"a": a, "b": b}, gold, "roc_auc", "percentile", n_resamples=1_000)
    return Job(f"ROC-AUC, percentile, n = {n:,}", ours, rivals, n_resamples=1_000, target=25.0)


def _five_systems(n: int) -> Job:
    gold, *predictions = labels(n, 3, 5)
    systems = dict(zip("abcde", predictions, strict=True))
    right = [(x == gold).astype(np.float64) for x in predictions]
    pairs = list(combinations(range(5), 2))

    def ours() -> Any:
        from bestby import compare

        found = compare(systems, gold=gold)["a", "b"]
        return found.interval.low, found.interval.high

    def rivals() -> list[Rival]:
        bootci = [
            (
                rv.bootci(predictions[i], predictions[j], gold, ms.accuracy, how="", method="bca"),
                rv.bootci_test(predictions[i], predictions[j], gold, ms.accuracy, how=""),
            )
            for i, j in pairs
        ]
        scipy = [
            (
                rv.scipy_bootstrap((right[i] - right[j],), np.mean, how="", method="bca"),
                rv.scipy_test(right[i], right[j], _mean_difference, how=""),
            )
            for i, j in pairs
        ]
        return [
            _all_of("BootCI, NumPy accuracy, BCa + permutation", bootci, n),
            _all_of("scipy.stats.bootstrap + permutation_test, vectorised", scipy, 1),
            rv.segment_sums(tuple(ms.mean_rows(x) for x in right), ms.mean_of_sums, pairs),
        ]

    return Job(f"five systems, all ten pairs, defaults, n = {n:,}", ours, rivals, quick=True)


def _all_of(name: str, parts: list[tuple[Rival, Rival]], held: int) -> Rival:
    """Interval and test of every pair, one after the other."""

    def draw(size: int) -> Any:
        return [(one.draw(size), two.draw(size)) for one, two in parts]

    def finish(drawn: Any) -> Any:
        answers = [one.finish(first) for (one, _), (first, _) in zip(parts, drawn, strict=True)]
        return answers[0]

    return Rival(name, draw, finish, held * len(parts))


def _bleu_test(n: int) -> Job:
    references, systems = texts(n)

    def rivals() -> list[Rival]:
        return [rv.sacrebleu_test(systems, references)]

    def ours() -> Any:
        from benchmarks.bleu import Bleu

        from bestby import compare

        made = compare(
            systems,
            gold=references,
            metric=Bleu(),
            interval="percentile",
            test="bootstrap",
            n_resamples=1_000,
        )
        return float(made.differences[0].p_value)

    return Job(f"BLEU from texts, bootstrap test, n = {n:,}", ours, rivals, n_resamples=1_000)


def all_jobs() -> Iterator[Job]:
    """Every job, in the order of the table."""
    for n in (1_000, 100_000, 1_000_000):
        yield _accuracy_interval(n)
    yield _f1_interval(638, 14.0)
    yield _f1_interval(10_000, 23.0)
    yield _f1_test(638)
    yield _f1_test(10_000)
    yield _accuracy_test(10_000)
    yield from _mean_jobs(10_000)
    yield from _pearson_jobs(10_000)
    yield _auc_interval(10_000)
    yield _bleu_test(1_000)
    yield _five_systems(638)
