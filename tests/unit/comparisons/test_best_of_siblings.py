"""Which systems may be the best by items, runs, folds, fixed datasets and judged answers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

import bestby as bb
from bestby._core.typing import FloatArray

MEANS = {"first": 0.80, "equal": 0.80, "worse": 0.55}


def drawn(n: int, seed: int) -> dict[str, FloatArray]:
    """Return scores of two systems that are equally good, to the last digit, and of one that is worse."""
    noise = 0.02 * np.random.default_rng(seed).normal(size=(len(MEANS), n))
    noise -= noise.mean(axis=1, keepdims=True)
    return {name: mean + row for (name, mean), row in zip(MEANS.items(), noise, strict=True)}


def answers(n: int, seed: int) -> dict[str, list[int]]:
    rng = np.random.default_rng(seed)
    return {name: (rng.permutation(n) < round(mean * n)).astype(int).tolist() for name, mean in MEANS.items()}


def items(**settings: Any) -> Any:
    return bb.compare(answers(400, 3), **settings)


def runs(**settings: Any) -> Any:
    return bb.compare_runs(drawn(6, 1), **settings)


def runs_of_items(**settings: Any) -> Any:
    each = [answers(100, seed) for seed in range(3)]
    return bb.compare_runs({name: [one[name] for one in each] for name in MEANS}, **settings)


def folds(**settings: Any) -> Any:
    return bb.compare_folds(drawn(10, 2), **settings)


def datasets(**settings: Any) -> Any:
    return bb.compare_datasets({str(n): bb.Evaluation.of(answers(100, n)) for n in range(3)}, **settings)


def runs_on_datasets(**settings: Any) -> Any:
    return bb.compare_datasets({str(seed): drawn(5, seed) for seed in range(3)}, outer="dataset", **settings)


def judged(**settings: Any) -> Any:
    judge = answers(400, 3)
    human = {name: [one if i % 4 else None for i, one in enumerate(row)] for name, row in judge.items()}
    return bb.compare_judged(judge, human, labels_drawn="random", **settings)


KINDS = (items, runs, runs_of_items, folds, datasets, runs_on_datasets, judged)


def behind_of(result: Any) -> dict[str, float | None]:
    if isinstance(result, bb.results.Comparison):
        return {one.system: one.behind for one in result.systems}
    return dict(zip(result.systems, result.behind, strict=True))


@pytest.mark.parametrize("compare", KINDS)
def test_an_equal_system_may_be_the_best_and_one_that_is_clearly_worse_may_not(compare: Any) -> None:
    result = compare()
    assert set(result.best.systems) == {"first", "equal"}
    assert result.best.level == 0.95
    behind = behind_of(result)
    assert 0.25 < float(behind["worse"] or 0.0) < 0.45
    assert 0.0 < float(behind["first"] or 0.0) < 0.2


@pytest.mark.parametrize("compare", KINDS)
def test_every_output_says_it(compare: Any) -> None:
    result = compare()
    assert "The best system is one of" in " ".join(str(result).split())
    assert "best?" in str(result)
    assert "behind at most" in result.to_html()
    assert "multiple comparison with the best" in result.methods()
    written = result.to_dict()
    assert written["best_set"] == [
        {"metric": result.best.metric, "systems": [*result.best.systems], "level": 0.95}
    ]
    again = bb.load(result.to_json())
    assert again.best == result.best
    assert behind_of(again) == behind_of(result)
    frame = result.to_frame("scores").drop_duplicates("system").set_index("system")
    assert frame["may_be_best"].to_dict() == {"first": True, "equal": True, "worse": False}
    assert frame["behind"].to_dict() == behind_of(result)


@pytest.mark.parametrize("compare", [one for one in KINDS if one is not judged])
@pytest.mark.parametrize("settings", [{"test": None}, {"interval": None}, {"baseline": "first"}])
def test_there_is_no_set_without_every_pair_its_interval_and_its_test(
    compare: Callable[..., Any], settings: dict[str, Any]
) -> None:
    result = compare(**settings)
    assert result.best is None
    assert "best?" not in str(result)
    assert "may_be_best" not in result.to_frame("scores").columns


def test_the_bounds_are_those_of_t_at_bonferronis_level() -> None:
    scores = drawn(8, 5)
    result = bb.compare_runs(scores, interval="t")
    gap = scores["first"].mean() - scores["worse"].mean()
    squares = [scores[name].var(ddof=1) / 8 for name in ("first", "worse")]
    df = sum(squares) ** 2 / sum(one**2 / 7 for one in squares)
    of_first = gap + student.isf(0.05 / 2, df) * np.sqrt(sum(squares))
    assert float(behind_of(result)["worse"] or 0.0) >= of_first - 1e-12
    only = bb.compare_runs({**scores, "equal": scores["equal"] - 0.2}, interval="t")
    assert only.best.systems == ("first",)
    assert only.score("worse").behind == pytest.approx(of_first)


def test_errors_are_the_mirror_image_of_scores() -> None:
    scores = drawn(10, 6)
    right = bb.compare_folds(scores, metric=bb.ScoreMetric("right", greater_is_better=True))
    errors = {name: 1.0 - one for name, one in scores.items()}
    wrong = bb.compare_folds(errors, metric=bb.ScoreMetric("wrong", greater_is_better=False))
    assert set(wrong.best.systems) == set(right.best.systems)
    assert behind_of(wrong) == pytest.approx(behind_of(right))


def test_the_order_of_systems_changes_nothing() -> None:
    scores = drawn(7, 8)
    found = [bb.compare_runs({name: scores[name] for name in names}) for names in permutations(scores)]
    assert all(behind_of(one) == behind_of(found[0]) for one in found)
    assert all(one.best == found[0].best for one in found)


def test_a_copy_stays_with_what_it_is_a_copy_of() -> None:
    scores = drawn(10, 9)
    result = bb.compare_folds({**scores, "copy": scores["first"]})
    assert {"first", "copy", "equal"} == set(result.best.systems)
    assert behind_of(result)["copy"] == pytest.approx(behind_of(result)["first"])


def test_a_difference_that_is_the_same_on_all_folds_has_no_bound() -> None:
    scores = drawn(10, 9)
    result = bb.compare_folds({**scores, "shifted": scores["worse"] - 0.1})
    assert "shifted" not in result.best.systems
    scores = {name: scores["first"] - by for name, by in (("a", 0.0), ("b", 0.1), ("c", 0.2))}
    result = bb.compare_folds(scores)
    assert set(result.best.systems) == {"a", "b", "c"}
    assert set(result.behind) == {None}


def test_datasets_that_vary_have_no_set() -> None:
    assert datasets(datasets="random").best is None


def test_percent_changes_the_bounds_for_readers_only() -> None:
    result = folds()
    of_worse = float(behind_of(result)["worse"] or 0.0)
    assert f"{100.0 * of_worse:.1f}" in result.table(percent=True)
    assert float(behind_of(result)["worse"] or 0.0) == of_worse < 1.0
