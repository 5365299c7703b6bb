"""Identities of agreement: orders, names, copies, clusters; notes; what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bestby as bb
from bestby.errors import BestbyError

N = 60


def labels(rare: float = 0.4, seed: int = 1, n: int = N) -> dict[str, list[str]]:
    chance = np.random.default_rng(seed)
    truth = chance.random(n) < rare
    return {
        name: ["yes" if one else "no" for one in truth ^ (chance.random(n) < 0.12)]
        for name in ("ann", "ben", "cem")
    }


def told(result: Any) -> list[tuple[Any, ...]]:
    ends = [(one.name, one.value, one.interval.low, one.interval.high) for one in result]
    pairs = [(one.a, one.b, one.kappa, one.interval.low) for one in result.pairs]
    alone = [
        (one.annotator, one.kappa, one.without, one.difference_interval.low) for one in result.annotators
    ]
    return [*ends, *pairs, *alone]


def test_neither_order_nor_names_of_labels_matter() -> None:
    data = labels()
    expected = told(bb.agreement(data))
    order = np.random.default_rng(3).permutation(N)
    turned = {name: [data[name][place] for place in order] for name in reversed(data)}
    renamed = {name: [{"yes": "b", "no": "a"}[one] for one in column] for name, column in data.items()}
    for other in (turned, renamed):
        for one, two in zip(told(bb.agreement(other)), expected, strict=True):
            assert one[:-3] == two[:-3]
            assert one[-3:] == pytest.approx(two[-3:], rel=1e-9) if not isinstance(one[-3], str) else True
            assert one[-2:] == pytest.approx(two[-2:], rel=1e-9)
    assert bb.agreement(turned).provenance.data_hash == bb.agreement(data).provenance.data_hash


def test_a_wide_and_a_long_table_and_arrays_have_one_answer() -> None:
    data = labels()
    data["ben"][4] = None  # type: ignore[call-overload]
    wide = pd.DataFrame({"item": range(N), **data})
    long = wide.melt("item", var_name="rater", value_name="label").dropna()
    named = long.rename(columns={"rater": "who", "label": "answer"})
    reading = bb.Reading(annotators="who", value_column="answer")
    expected = told(bb.agreement(data))
    for frame, how in ((wide, None), (long, None), (named, reading)):
        assert told(bb.agreement(frame, reading=how)) == expected
    blank = wide.fillna("")
    assert told(bb.agreement(blank)) == expected
    some = bb.agreement(wide, reading=bb.Reading(annotators=["ann", "cem"]))
    assert [one.annotator for one in some.annotators] == ["ann", "cem"]


def test_each_item_twice_keeps_values_and_shortens_intervals() -> None:
    data = labels()
    once, twice = bb.agreement(data), bb.agreement({name: column * 2 for name, column in data.items()})
    assert twice["ac1"].value == pytest.approx(once["ac1"].value, rel=1e-12)
    groups = bb.agreement({name: column * 2 for name, column in data.items()}, clusters=[*range(N)] * 2)
    length = [one["ac1"].interval.high - one["ac1"].interval.low for one in (once, twice, groups)]
    assert length[1] < 0.8 * length[0]
    assert length[2] == pytest.approx(length[0], rel=0.02)  # copies in one cluster add nothing


def test_unweighted_kappa_is_the_metric() -> None:
    data = {name: np.array(column) for name, column in labels().items()}
    pair = bb.agreement({name: data[name] for name in ("ann", "ben")})["cohen_kappa"]
    metric = bb.evaluate({"ann": data["ann"]}, data["ben"], metric="cohen_kappa").systems[0]
    assert pair.value == pytest.approx(metric.score, rel=1e-12)


def test_two_annotators_against_each_other_are_their_pair() -> None:
    data = labels()
    result = bb.agreement({name: data[name] for name in ("ann", "ben")})
    (pair,) = result.pairs
    for one in result.annotators:
        assert (one.kappa, one.observed, one.n_items) == pytest.approx((pair.kappa, pair.observed, N))
        assert one.without is None


def test_specific_agreement_by_pairs() -> None:
    data = {"a": ["x", "x", "y", "y"], "b": ["x", "y", "y", "y"], "c": ["x", "y", "y", None]}
    by_name = {one.label: one for one in bb.agreement(data).labels}
    # Of the labels x: three of the first item, each agreed on by both others, one of the second by none.
    assert by_name["x"].specific == pytest.approx(3 / 4)
    assert (by_name["x"].n_items, by_name["y"].n_items) == (2, 3)


def test_scores_that_are_shifted_or_scaled() -> None:
    chance = np.random.default_rng(5)
    truth = chance.normal(size=20)
    scores = {name: truth + chance.normal(size=20) for name in "abc"}
    first = bb.agreement(scores, scale="interval")
    other = bb.agreement({name: 7.0 - 3.0 * x for name, x in scores.items()}, scale="interval")
    for one, two in zip(first, other, strict=True):
        assert two.value == pytest.approx(one.value, rel=1e-9)
        assert two.interval.low == pytest.approx(one.interval.low, abs=0.02)
    # A shift of one annotator does not touch consistency
    moved = bb.agreement({**scores, "a": scores["a"] + 5.0}, scale="interval")
    assert moved["icc_c_1"].value == pytest.approx(first["icc_c_1"].value, rel=1e-9)
    assert moved["icc_a_1"].value < first["icc_a_1"].value


def test_perfect_agreement_has_an_interval() -> None:
    result = bb.agreement(dict.fromkeys("abc", [0, 1] * 15))
    for one in result:
        assert one.value == pytest.approx(1.0)
        assert 0.5 < one.interval.low < one.interval.high == pytest.approx(1.0)


def test_who_lowers_agreement_is_said() -> None:
    data = labels(n=300)
    data["odd"] = [str(one) for one in np.random.default_rng(8).choice(["yes", "no"], 300)]
    result = bb.agreement(data)
    assert "Without odd the others agree better." in result.details().replace("\n", " ")
    odd = next(one for one in result.annotators if one.annotator == "odd")
    assert odd.difference_interval.low > 0.0 > odd.interval.low


def test_clusters_may_be_a_column_of_the_mapping() -> None:
    data, documents = labels(), [*range(12)] * 5
    named = bb.agreement({**data, "document": documents}, clusters="document")
    assert named.coefficients == bb.agreement(data, clusters=documents).coefficients


def codes_of(data: Any, **more: Any) -> set[str]:
    return {note.code for note in bb.agreement(data, **more).notes}


def test_notes_where_the_data_show_little() -> None:
    often = {"a": ["no"] * 80, "b": ["no"] * 77 + ["yes"] * 3, "c": ["no"] * 79 + ["yes"]}
    assert {"rare_label", "kappa_paradox"} <= codes_of(often)
    assert not {"rare_label", "kappa_paradox"} & codes_of(labels())
    classes = bb.Reading(classes=["no", "yes", "maybe"])
    assert "label_never_given" in codes_of(labels(), reading=classes)
    gaps = {**labels(), "ann": [None] * 30 + labels()["ann"][30:]}
    assert "unequal_labels" in codes_of(gaps)
    alone = {"a": [None, "x", "y"], "b": ["x", "x", "y"]}
    assert "single_labels" in codes_of(alone)
    beside = bb.agreement({"a": ["x", "y", "x"], "b": ["x", "y", "y"], "task": ["ner", "qa", "ner"]})
    (said,) = (note.message for note in beside.notes if note.code == "no_common_label")
    assert said.startswith("no label of task was given by another annotator")
    ratings = {name: [1, 2, 3, 4, 5] * 6 for name in "ab"}
    assert "numbers_as_labels" in codes_of(ratings)
    assert "numbers_as_labels" not in codes_of(ratings, scale="interval")
    ratings["b"] = [None, *ratings["b"][1:]]
    ratings["c"] = ratings["a"]
    assert "incomplete_items" in codes_of(ratings, scale="interval")
    assert "few_clusters" in codes_of(labels(), clusters=[*range(6)] * 10)


@pytest.mark.parametrize(
    ("data", "more", "said"),
    [
        ({"a": [1, 2]}, {}, "two annotators or more"),
        ({"a": ["x", "x"], "b": ["x", "x"]}, {}, "all labels of items with two labels are 'x'"),
        ({"a": ["x", None], "b": [None, "y"]}, {}, "no item has labels of two annotators"),
        ({"a": ["x", "y"], "b": [None, None]}, {}, "annotator 'b' gave no label"),
        ({"a": ["x", "y"], "b": ["x"]}, {}, "'a' has 2 values, 'b' has 1"),
        ({"a": ["low", "1"], "b": ["1", "2"]}, {"scale": "ordinal"}, "needs numbers as labels, got 'low'"),
        ({"a": [-1, 2], "b": [1, 2]}, {"scale": "ratio"}, "labels of at least 0"),
        ({"a": [1, 2], "b": [1, 2]}, {"scale": "metric"}, "scale must be one of"),
        ({"a": [1, 2], "b": [1, 2]}, {"clusters": [1]}, "clusters"),
        ({"a": [1, 2], "b": [1, 2]}, {"clusters": "document"}, "no column 'document'"),
        ({"a": [1, 2], "b": [1, 2]}, {"reading": bb.Reading(classes=["1"])}, "not among the classes"),
        ({"a": [1, 2], "b": [1, 2]}, {"reading": bb.Reading(normalise=True)}, "normalise"),
        ("labels.csv", {}, "labels.csv"),
        ([{"item": 1, "rater": "a", "label": "x"}] * 2, {}, "labelled item '1' twice"),
        ([{"rater": "a", "label": "x"}, {"rater": "b", "label": "x"}], {}, "needs a column of item ids"),
        (
            [{"item": 1, "rater": x, "gold": "x", "label": x} for x in "ab"],
            {},
            "which column holds the labels",
        ),
    ],
)
def test_what_is_refused(data: Any, more: dict[str, Any], said: str) -> None:
    with pytest.raises(BestbyError, match=said) as caught:
        bb.agreement(data, **more)
    assert caught.value.hint or "one of" in str(caught.value)
