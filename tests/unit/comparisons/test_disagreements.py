"""The items on which two systems differ, and what each adds to the difference, by exchanging it."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.report.differing_items import COLUMNS, Disagreements

N = 60


def labels() -> tuple[dict[str, Any], Any]:
    rng = np.random.Generator(np.random.PCG64(1))
    gold = rng.integers(0, 3, N)
    return {
        name: np.where(rng.random(N) < p, gold, rng.integers(0, 3, N)) for name, p in (("a", 0.8), ("b", 0.5))
    }, gold


def numbers() -> tuple[dict[str, Any], Any]:
    rng = np.random.Generator(np.random.PCG64(2))
    gold = rng.normal(size=N)
    return {"a": gold + 0.3 * rng.normal(size=N), "b": gold + rng.normal(size=N)}, gold


def binary() -> tuple[dict[str, Any], Any]:
    systems, gold = numbers()
    return systems, (gold > 0).astype(int)


def texts() -> tuple[dict[str, Any], Any]:
    rng = np.random.Generator(np.random.PCG64(3))
    words = np.array(["the", "cat", "sat", "on", "a", "mat", "and", "dogs", "ran", "home"])
    gold = [" ".join(rng.choice(words, 8)) for _ in range(N)]

    def worse(text: str, chance: float) -> str:
        return " ".join(w if rng.random() > chance else str(rng.choice(words)) for w in text.split())

    return {"a": [worse(t, 0.2) for t in gold], "b": [worse(t, 0.5) for t in gold]}, gold


def soft() -> tuple[dict[str, Any], Any]:
    rng = np.random.Generator(np.random.PCG64(4))
    return {name: rng.dirichlet([1, 1, 1], N) for name in "ab"}, rng.dirichlet([2, 2, 2], N)


def median_error(gold: Any, predictions: Any) -> float:
    return float(np.median(np.abs(np.asarray(gold) - predictions)))


MEANS = [(labels, "accuracy"), (numbers, "mae"), (soft, "cross_entropy")]
OTHERS = [
    (labels, "f1_macro"),
    (labels, "matthews_corrcoef"),
    (numbers, "pearson"),
    (numbers, "spearman"),
    (binary, "roc_auc"),
    (texts, "bleu"),
    (numbers, median_error),
]
Make = Callable[[], tuple[dict[str, Any], Any]]


def made(make: Make, metric: Any, **more: Any) -> bb.results.Comparison:
    systems, gold = make()
    return bb.compare(systems, gold, metric=metric, n_resamples=99, **more)


def exchanged(make: Make, metric: Any, item: int) -> float:
    """Return the difference after A and B exchanged what they gave on one item."""
    systems, gold = make()
    a, b = list(systems["a"]), list(systems["b"])
    a[item], b[item] = b[item], a[item]
    both = bb.evaluate({"a": a, "b": b}, gold, metric=metric, interval=None)
    return both["a"].score - both["b"].score


@pytest.mark.parametrize(("make", "metric"), [*MEANS, *OTHERS])
def test_an_effect_is_half_of_what_an_exchange_changes(make: Make, metric: Any) -> None:
    c = made(make, metric)
    found = c.disagreements("a", "b")
    assert len(found) == c["a", "b"].n_differing > 3
    for row in (*found[:3], *found[-3:]):
        change = c["a", "b"].estimate - exchanged(make, metric, row.item)
        assert row.effect == pytest.approx(0.5 * change, abs=1e-12)
        better = row.effect > 0 if c.metrics[0].greater_is_better else row.effect < 0
        assert row.winner == (None if row.effect == 0 else "a" if better else "b")


@pytest.mark.parametrize(("make", "metric"), MEANS)
def test_the_effects_of_a_mean_sum_to_the_difference(make: Make, metric: str) -> None:
    c = made(make, metric)
    found = c.disagreements("a", "b")
    assert sum(row.effect for row in found) == pytest.approx(c["a", "b"].estimate, abs=1e-12)
    for row in found:
        assert row.score_a is not None
        assert row.score_b is not None
        assert row.effect == pytest.approx((row.score_a - row.score_b) / N, abs=1e-15)


def test_effects_are_mirrored_with_the_pair() -> None:
    c = made(labels, "f1_macro")
    one, other = (c.disagreements(*pair, order="item") for pair in (("a", "b"), ("b", "a")))
    assert [row.item for row in one] == [row.item for row in other]
    assert [row.effect for row in one] == pytest.approx([-row.effect for row in other], abs=1e-15)
    assert [row.winner for row in one] == [row.winner for row in other]


def test_other_systems_clusters_and_strata_change_no_effect() -> None:
    systems, gold = labels()
    alone = made(labels, "f1_macro").disagreements("a", "b")
    strata = ["x"] * 30 + ["y"] * 30
    three = bb.compare(systems | {"c": gold}, gold, metric="f1_macro", n_resamples=99, strata=strata)
    assert three.disagreements("a", "b").rows == alone.rows
    grouped = bb.compare(
        systems, gold, metric="f1_macro", n_resamples=99, clusters=[f"d{i // 6}" for i in range(N)]
    )
    found = grouped.disagreements("a", "b")
    assert [row.effect for row in found] == [row.effect for row in alone]
    assert all(row.cluster == f"d{row.item // 6}" for row in found)


def test_items_come_in_the_order_asked_for() -> None:
    c = made(labels, ["accuracy", "f1_macro"])
    by_effect = c.disagreements("a", "b", "f1_macro")
    sizes = [abs(row.effect) for row in by_effect]
    assert sizes == sorted(sizes, reverse=True)
    for order, first, last in (("lost", "b", "a"), ("won", "a", "b")):
        winners = [row.winner for row in c.disagreements("a", "b", "f1_macro", order=order)]
        assert winners == sorted(winners, key=[first, None, last].index)
    places = [row.item for row in c.disagreements("a", "b", "f1_macro", order="item")]
    assert places == sorted(places)
    assert {*by_effect.won, *by_effect.lost} == {row for row in by_effect if row.winner}


def test_rows_tell_ids_gold_and_predictions() -> None:
    c = bb.compare(
        {"a": ["x", "y", "x", "y"], "b": ["x", "x", "y", "y"]},
        ["x", "y", "y", "y"],
        items=["q0", "q1", "q2", "q3"],
        n_resamples=99,
    )
    found = c.disagreements("a", "b", order="item")
    assert [(r.item, r.gold, r.prediction_a, r.prediction_b, r.winner) for r in found] == [
        ("q1", "y", "y", "x", "a"),
        ("q2", "y", "x", "y", "b"),
    ]
    frame = found.to_frame()
    assert tuple(frame.columns) == COLUMNS
    assert list(frame["item"]) == ["q1", "q2"]
    text = str(found)
    assert "a and b differ on 2 of 4 items in accuracy; a won 1 and lost 1." in text
    assert "q1: gold y, a y, b x; effect 0.25" in text


def test_missing_predictions_are_none() -> None:
    c = bb.compare(
        {"a": ["x", None, "y"], "b": ["x", "y", "y"]}, ["x", "y", "y"], on_missing="worst", n_resamples=99
    )
    (row,) = c.disagreements("a", "b")
    assert (row.item, row.prediction_a, row.prediction_b, row.winner) == (1, None, "y", "b")


def test_scores_without_gold() -> None:
    c = bb.compare(
        {"a": [0.5, 0.75, 1.0], "b": [0.5, 0.25, 2.0]},
        metric=bb.ScoreMetric("seconds", greater_is_better=False),
    )
    found = c.disagreements("a", "b")
    assert [(row.item, row.winner, row.gold) for row in found] == [(2, "a", None), (1, "b", None)]


def test_a_result_leaves_its_data_behind(tmp_path: Path) -> None:
    c = made(labels, "accuracy")
    others = [bb.load(c.to_json()), pickle.loads(pickle.dumps(c)), copy.deepcopy(c)]
    for other in others:
        assert other == c
        with pytest.raises(bb.errors.DesignError, match="items of this comparison are not at hand") as caught:
            other.disagreements("a", "b")
        assert "compare the data again" in str(caught.value.hint)
    systems, gold = labels()
    larger = bb.compare(
        {name: np.tile(x, 50) for name, x in systems.items()}, np.tile(gold, 50), n_resamples=99
    )
    assert len(pickle.dumps(larger)) < len(pickle.dumps(c)) + 200


def test_counted_rows_have_no_items(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    systems, gold = labels()
    rows = [f"{g},{a},{b}" for g, a, b in zip(gold, systems["a"], systems["b"], strict=True)]
    path.write_text("\n".join(["gold,a,b", *rows]), encoding="utf-8")
    c = bb.compare(bb.read([path], gold=["gold"], stream=True), n_resamples=99)
    with pytest.raises(bb.errors.DesignError, match="needs every item") as caught:
        c.disagreements("a", "b")
    assert "stream=False" in str(caught.value.hint)


def test_a_page_lists_an_item_that_speaks_for_neither_system() -> None:
    c = bb.compare({"a": [2, 0, 1, 2], "b": [2, 1, 1, 0]}, gold=[2, 2, 2, 1], metric="f1_macro", test=None)
    assert [row.winner for row in c.disagreements("a", "b")] == ["b", None]
    page = c.to_html(items=True)
    assert '<td class="bb-word" data-key="">–</td>' in page
    assert '<td class="bb-word" data-key="b">b</td>' in page


def test_comparisons_of_other_kinds_list_no_items() -> None:
    others = [
        bb.compare_runs({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.1, 0.4]}),
        bb.compare_preferences([("a", "b", "a")] * 5 + [("b", "a", "b")] * 3, n_resamples=99),
    ]
    for other in others:
        for ask in (lambda c: c.disagreements("a", "b"), lambda c: c.to_html(items=True)):
            with pytest.raises(bb.errors.DesignError, match="not at hand") as caught:
                ask(other)
            assert "one run of each system" in str(caught.value.hint)


def test_what_is_not_there_is_refused() -> None:
    c = made(labels, "accuracy")
    for arguments, message in (
        (("a", "z"), "no score of 'z'"),
        (("a", "a"), "two systems"),
        (("a", "b", "bleu"), "no score of 'a' on 'bleu'"),
    ):
        with pytest.raises(bb.errors.InvalidInputError, match=message):
            c.disagreements(*arguments)
    with pytest.raises(bb.errors.InvalidInputError, match="order"):
        c.disagreements("a", "b", order="best")  # type: ignore[arg-type]


def test_identical_systems_differ_on_no_item() -> None:
    systems, gold = labels()
    c = bb.compare({"a": systems["a"], "b": systems["a"]}, gold, metric="f1_macro", n_resamples=99)
    found = c.disagreements("a", "b")
    assert isinstance(found, Disagreements)
    assert len(found) == 0
    assert "differ on 0 of 60 items" in repr(found)
