"""Rows that stand for several items: the same numbers and the same signature as the items one by one."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from bestby import Blocks, Metric, Resampling, compare
from bestby._core.errors import DesignError, InvalidInputError
from bestby.data.columns import group_codes
from bestby.data.evaluation import Evaluation

LABELS = ["accuracy", "f1_macro", "matthews_corrcoef", "cohen_kappa", "f1_weighted", "balanced_accuracy"]


def counted(evaluation: Evaluation, rng: np.random.Generator) -> Evaluation:
    """Return the same data as distinct rows, in any order."""
    columns = [codes for _, codes in evaluation.coded.values()]
    if evaluation.strata is not None:
        columns.append(group_codes(evaluation.strata)[1])
    columns += evaluation.missing.values()
    joint = np.stack([column.astype(np.int64) for column in columns])
    _, position, counts = np.unique(joint, axis=1, return_index=True, return_counts=True)
    order = rng.permutation(position.size)
    at, counts = position[order], counts[order]
    made = Evaluation.of(
        {name: values[at] for name, values in evaluation.systems.items()},
        None if evaluation.gold is None else evaluation.gold[at],
        strata=None if evaluation.strata is None else evaluation.strata[at],
        counts=counts,
    )
    return dataclasses.replace(made, missing={k: mask[at] for k, mask in evaluation.missing.items()})


def same(one: Any, other: Any) -> None:
    assert one.systems == other.systems
    assert list(one.differences) == list(other.differences)
    assert one.omnibus == other.omnibus
    assert one.notes == other.notes
    assert one.signature == other.signature


@st.composite
def evaluations(draw: st.DrawFn) -> Evaluation:
    n, k = draw(st.integers(4, 60)), draw(st.integers(2, 5))
    names = draw(st.sampled_from([np.arange(k), np.array(["b", "a", "c", "dd", "e"])[:k], np.arange(k) - 2]))
    column = hnp.arrays(np.int64, n, elements=st.integers(0, k - 1))
    gold, *systems = (names[draw(column)] for _ in range(draw(st.integers(3, 4))))
    assume(np.isin(systems, gold).any())  # or else `compare` says that the labels are others
    strata = draw(st.none() | hnp.arrays(np.int64, n, elements=st.integers(0, 1)))
    return Evaluation.of({f"s{i}": values for i, values in enumerate(systems)}, gold, strata=strata)


@pytest.mark.long
@given(evaluations(), st.integers(0, 3), st.sampled_from(["permutation", "bootstrap"]))
def test_labels_give_the_same_bits(evaluation: Evaluation, seed: int, test: str) -> None:
    rows = counted(evaluation, np.random.default_rng(seed))
    assert rows.n_items == evaluation.n_items
    assert rows.data_hash() == rows.cells_hash() == evaluation.cells_hash()
    for metric in (["accuracy", "f1_macro"], "recall_macro"):
        asked: dict[str, Any] = {"metric": metric, "n_resamples": 60, "rng": seed, "test": test}
        same(compare(evaluation, **asked), compare(rows, **asked))


@pytest.mark.parametrize("n", [40, 20_000])
@pytest.mark.parametrize(
    "settings_",
    [
        {"metric": LABELS},
        {"metric": LABELS, "interval": "bca", "margin": 0.01},
        {"metric": ["accuracy", "f1_macro"], "correction": "simultaneous", "baseline": "b"},
        {"metric": "accuracy", "test": "mcnemar", "alternative": "greater"},
        {"metric": "accuracy", "test": "wilcoxon"},
        {"metric": "f1_macro", "resampling": Resampling(resample_size=0.5), "test": "bootstrap"},
        {"metric": "f1_macro", "interval": "studentized"},
    ],
    ids=str,
)
def test_every_setting_gives_the_same_bits(n: int, settings_: dict[str, Any]) -> None:
    rng = np.random.default_rng(n)
    gold = rng.integers(0, 4, n)
    systems = {s: np.where(rng.random(n) < 0.8, gold, rng.integers(0, 4, n)) for s in "abc"}
    evaluation = Evaluation.of(systems, gold)
    rows = counted(evaluation, rng)
    assert rows.n_rows < n
    asked = {"n_resamples": 300, **settings_}
    same(compare(evaluation, **asked), compare(rows, **asked))


def test_scores_of_few_values_and_missing_predictions_give_the_same_bits() -> None:
    rng = np.random.default_rng(0)
    scores = Evaluation.of({s: rng.integers(0, 5, 3000) for s in "abc"})
    same(compare(scores, n_resamples=200), compare(counted(scores, rng), n_resamples=200))
    keyed = {s: dict(enumerate(rng.integers(0, 3, 500).tolist())) for s in "ab"}
    gold = dict(enumerate(rng.integers(0, 3, 500).tolist()))
    for item in range(0, 500, 7):
        del keyed["a"][item]
    missing = Evaluation.of(keyed, gold, on_missing="worst")
    rows = dataclasses.replace(counted(missing, rng), notes=missing.notes)
    for metric in ("accuracy", "f1_macro"):
        same(compare(missing, metric=metric, n_resamples=200), compare(rows, metric=metric, n_resamples=200))


def test_rows_that_are_not_distinct_are_put_together() -> None:
    rows = Evaluation.of({"a": [1, 1, 0, 1], "b": [0, 0, 0, 1]}, [1, 1, 1, 0], counts=[2, 3, 4, 1])
    items = Evaluation.of({"a": [1] * 5 + [0] * 4 + [1], "b": [0] * 9 + [1]}, [1] * 9 + [0])
    same(compare(rows), compare(items))


def test_items_in_another_order_have_the_same_hash_unless_order_matters() -> None:
    rng = np.random.default_rng(0)
    gold, a, b = rng.integers(0, 3, (3, 60))
    turned = {"a": a[::-1], "b": b[::-1]}
    asked: dict[str, Any] = {"n_resamples": 50}

    def hashed(metric: Any, **more: Any) -> list[str]:
        given = [compare({"a": a, "b": b}, gold, metric=metric, **asked, **more),
                 compare(turned, gold[::-1], metric=metric, **asked, **more)]  # fmt: skip
        return [one.provenance.data_hash for one in given]

    assert len(set(hashed("accuracy"))) == 1
    assert len(set(hashed("accuracy", clusters=Blocks(5)))) == 2
    assert len(set(hashed(lambda x, y: float((x == y).mean())))) == 2
    assert hashed("accuracy")[0] != compare({"a": a, "b": turned["b"]}, gold, **asked).provenance.data_hash


class Centred(Metric):
    """A metric that fixes something of all items."""

    name = "centred"

    def fit(self, gold: Any, systems: Any, labels: Any) -> Any:  # noqa: ARG002
        return self

    def statistics(self, gold: Any, predictions: Any) -> Any:
        return np.column_stack([predictions - gold, np.ones(gold.size)])

    def score(self, totals: Any) -> Any:
        return totals[..., 0] / totals[..., 1]


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({"metric": "roc_auc"}, "metric roc_auc"),
        ({"metric": "pearson"}, "metric pearson"),
        ({"metric": "spearman"}, "metric spearman"),
        ({"metric": Centred()}, "metric centred"),
        ({"metric": lambda gold, x: float((gold == x).mean())}, "metric <lambda>"),
        ({"clusters": Blocks(2)}, "a bootstrap of blocks"),
    ],
    ids=["roc_auc", "pearson", "spearman", "centred", "lambda", "blocks"],
)
def test_what_needs_every_item_says_so(asked: dict[str, Any], what: str) -> None:
    rows = Evaluation.of({"a": [1, 0, 1], "b": [0, 0, 1]}, [1, 0, 0], counts=[20, 30, 40])
    with pytest.raises(DesignError) as caught:
        compare(rows, **asked)
    assert caught.value.message == f"{what} needs every item, but the table was counted into 3 distinct rows"
    assert caught.value.hint == "read it whole: stream=False"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"counts": [1, 2]}, "counts has 2 values, expected 3"),
        ({"counts": [1, 0, 2]}, "counts must be whole numbers of at least 1"),
        ({"counts": [1.5, 1.0, 2.0]}, "counts must be whole numbers of at least 1"),
    ],
)
def test_counts_are_checked(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Evaluation.of({"a": [1, 0, 1], "b": [0, 0, 1]}, [1, 0, 0], **given)
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"items": ["x", "y", "z"]}, "item ids"),
        ({"clusters": [1, 1, 2]}, "clusters"),
        ({"objects": True}, "items of any kind"),
        ({"classes": [0, 1]}, "classes of soft labels"),
    ],
)
def test_counted_rows_have_no_items_of_their_own(given: dict[str, Any], what: str) -> None:
    with pytest.raises(DesignError, match=f"they cannot have {what}"):
        Evaluation.of({"a": [1, 0, 1], "b": [0, 0, 1]}, [1, 0, 0], counts=[1, 2, 3], **given)
    with pytest.raises(DesignError, match="they cannot have item ids"):
        Evaluation.of({"a": {1: 0, 2: 0}, "b": {1: 0, 2: 0}}, counts=[1, 2])
    with pytest.raises(DesignError, match="they cannot have soft labels"):
        Evaluation.of({"a": [[0.5, 0.5]] * 2, "b": [0, 1]}, [0, 1], counts=[1, 2])


def test_other_rooms_refuse_counted_rows() -> None:
    from bestby import compare_datasets, compare_folds
    from bestby.questions.planning.simulated import Pilot

    rows = Evaluation.of({"a": [1, 0, 1], "b": [0, 0, 1]}, [1, 0, 0], strata=[1, 1, 2], counts=[20, 30, 40])
    for use in (compare_datasets, compare_folds, lambda given: Pilot(given, "accuracy", "a", "b")):
        with pytest.raises(DesignError, match="needs every item"):
            use(rows)
