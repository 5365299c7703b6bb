"""Laws 1 to 4, 7 and 8 for the questions that are not about one test set.

A system does not differ from its copy; systems that change places mirror the result; neither the order of the
systems nor that of the items or runs matters; a pair by itself has the numbers that it has among others; the
same call gives the same result; and what is given is read only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pytest

import bestby as bb

N = 24
RNG = np.random.default_rng(7)
GOLD = RNG.integers(0, 3, N)
FEW = {"n_resamples": 199}
Systems = Mapping[str, np.ndarray]


def frozen(values: np.ndarray) -> np.ndarray:
    """Return values that nobody can change."""
    values.flags.writeable = False
    return values


def labels(right: float) -> np.ndarray:
    return np.where(RNG.random(N) < right, GOLD, RNG.integers(0, 3, N))


LABELS = {name: frozen(labels(right)) for name, right in zip("abc", (0.9, 0.6, 0.5), strict=True)}
RUNS = {
    name: frozen(RNG.normal(shift, 1.0, (8, 4))) for name, shift in zip("abc", (1.5, 0.3, 0), strict=True)
}
RUNS_OF_LABELS = {
    name: frozen(np.column_stack([labels(x) for _ in "123"]))
    for name, x in zip("abc", (0.9, 0.6, 0.5), strict=True)
}
JUDGED = {
    name: frozen(np.column_stack([x + RNG.normal(0, 0.3, N), np.where(np.arange(N) < 12, x, np.nan)]))
    for name, x in zip("abc", RNG.normal([[1.0], [0.2], [0.0]], 1.0, (3, N)), strict=True)
}


class Place(NamedTuple):
    """What belongs to the items: their gold, and a group of each."""

    gold: np.ndarray
    group: np.ndarray


PLACE = Place(frozen(GOLD), frozen(np.arange(N) % 4))


def _datasets(systems: Systems, _: Place, **more: Any) -> Any:
    rows = range(len(next(iter(systems.values()))))
    return bb.compare_datasets({f"d{i}": {s: x[i, 0] for s, x in systems.items()} for i in rows}, **more)


def _runs_on_datasets(systems: Systems, _: Place, **more: Any) -> Any:
    rows = range(len(next(iter(systems.values()))))
    data = {f"d{i}": {s: x[i] for s, x in systems.items()} for i in rows}
    return bb.compare_datasets(data, **FEW, **more)


def _items_of_datasets(systems: Systems, place: Place, **more: Any) -> Any:
    data = bb.Evaluation.of(systems, place.gold, strata=place.group)
    return bb.compare_datasets(data, metric="accuracy", **FEW, **more)


def _items_of_folds(systems: Systems, place: Place, **more: Any) -> Any:
    data = bb.Evaluation.of(systems, place.gold, strata=place.group)
    return bb.compare_folds(data, metric="accuracy", **FEW, **more)


def _facets(systems: Systems, place: Place, **more: Any) -> Any:
    gold = None if more.get("metric") is None else place.gold
    return bb.compare_facets({s: x.T for s, x in systems.items()}, gold, **FEW, **more)


def _judged(systems: Systems, _: Place, **more: Any) -> Any:
    judge, human = ({s: x[:, column] for s, x in systems.items()} for column in (0, 1))
    return bb.compare_judged(judge, human, labels_drawn="random", **more)


def _study(systems: Systems, place: Place, **more: Any) -> Any:
    with TemporaryDirectory() as folder:
        study = bb.Study(folder)
        for name, values in systems.items():
            for run, predictions in enumerate(values.T if values.ndim > 1 else [values]):
                study.add(name, run=run, predictions=predictions, gold=place.gold, baseline=name == "b")
        return study.compare(metric="accuracy", **FEW, **more)


def _runs_of_items(systems: Systems, place: Place, **more: Any) -> Any:
    runs = {name: values.T for name, values in systems.items()}
    return bb.compare_runs(runs, gold=place.gold, metric="f1_macro", **FEW, **more)


QUESTIONS: dict[str, tuple[Systems, Callable[..., Any]]] = {
    "runs": (
        RUNS,
        lambda systems, _, **more: bb.compare_runs({s: x[:, 0] for s, x in systems.items()}, **more),
    ),
    "paired runs": (
        RUNS,
        lambda systems, _, **more: bb.compare_runs(
            {s: x[:, 0] for s, x in systems.items()}, paired=True, **more
        ),
    ),
    "runs of items": (RUNS_OF_LABELS, _runs_of_items),
    "datasets": (RUNS, _datasets),
    "runs on datasets": (RUNS, _runs_on_datasets),
    "middle halves of runs on datasets": (RUNS, partial(_runs_on_datasets, statistic="iqm")),
    "items of datasets": (LABELS, _items_of_datasets),
    "folds": (
        RUNS,
        lambda systems, _, **more: bb.compare_folds({s: x[:, 0] for s, x in systems.items()}, **more),
    ),
    "items of folds": (LABELS, _items_of_folds),
    "facets": (RUNS, partial(_facets, facets="prompt")),
    "facets of labels": (RUNS_OF_LABELS, partial(_facets, facets="prompt", metric="accuracy")),
    "judged": (JUDGED, _judged),
    "a study": (LABELS, _study),
    "a study of runs": (RUNS_OF_LABELS, _study),
}
"""The data of each question, the first axis of which are items, runs, datasets or folds, and its answer."""

JOINT = {"judged"}
"""Questions in which what is fitted to all systems serves each pair."""


@cache
def answer(question: str, names: str = "abc", alternative: str = "two-sided") -> Any:
    """Return the answer for some of the systems, without a correction."""
    systems, ask = QUESTIONS[question]
    return ask({name: systems[name] for name in names}, PLACE, alternative=alternative, correction="none")


def numbers(d: Any) -> list[float]:
    """Return the estimate, the p-value and the interval of a difference."""
    ends = [] if d.interval is None else [d.interval.low, d.interval.high]
    return [d.estimate, *([] if d.p_value is None else [d.p_value]), *ends]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_copy_is_no_different(question: str) -> None:
    systems, ask = QUESTIONS[question]
    result = ask({"b": systems["a"], "copy": systems["a"]}, PLACE)
    for d in result:
        assert (d.estimate, d.winner) == (0.0, None)
        assert d.p_value in (None, 1.0)
        assert d.interval is None or d.interval.low <= 0.0 <= d.interval.high


@pytest.mark.parametrize(("alternative", "other"), [("two-sided", "two-sided"), ("greater", "less")])
@pytest.mark.parametrize("question", QUESTIONS)
def test_systems_that_change_places_mirror_the_result(question: str, alternative: str, other: str) -> None:
    systems, ask = QUESTIONS[question]
    for a, b in ("ab", "cb"):  # in the order of their names, and in the other one
        there = answer(question, a + b, alternative)[a, b]
        changed = {a: systems[b], b: systems[a]}
        back = ask(changed, PLACE, alternative=other, correction="none")[a, b].mirrored()
        assert there.estimate == pytest.approx(there.score_a - there.score_b)
        assert numbers(back) == pytest.approx(numbers(there), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_order_matters(question: str) -> None:
    systems, ask = QUESTIONS[question]
    expected = answer(question)
    n = len(systems["a"])
    order = np.random.default_rng(1).permutation(n)
    place = Place(*(values[:n][order] for values in PLACE))
    for turned in (
        ask(dict(reversed(systems.items())), PLACE, correction="none"),
        ask({name: values[order] for name, values in systems.items()}, place, correction="none"),
    ):
        for d in expected:
            assert numbers(turned[d.a, d.b]) == pytest.approx(numbers(d), rel=1e-9, abs=1e-12), (d.a, d.b)


@pytest.mark.parametrize("question", [name for name in QUESTIONS if name not in JOINT])
def test_a_pair_by_itself_has_the_numbers_it_has_among_others(question: str) -> None:
    alone, among = answer(question, "ab")["a", "b"], answer(question)["a", "b"]
    assert numbers(alone) == pytest.approx(numbers(among), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_same_call_gives_the_same_result(question: str) -> None:
    systems, ask = QUESTIONS[question]
    before = {name: values.copy() for name, values in systems.items()}
    again = ask(systems, PLACE, alternative="two-sided", correction="none")
    assert [numbers(d) for d in again] == [numbers(d) for d in answer(question)]
    assert again.signature == answer(question).signature
    for name, values in systems.items():
        np.testing.assert_array_equal(values, before[name])
