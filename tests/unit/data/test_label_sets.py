"""Multi-label data in every form: the scores of scikit-learn, or a refusal whose advice works."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn import metrics as sklearn_metrics

import bestby as bb
from bestby._core.errors import DesignError, InvalidInputError
from bestby.data.label_sets import label_sets

NAMES = ["w", "x", "y", "z"]
METRICS = ["multilabel_f1_micro", "multilabel_f1_macro", "multilabel_f1_samples", "subset_accuracy"]


def _data():
    rng = np.random.default_rng(5)
    gold = rng.random((60, 4)) < 0.35
    gold[0] = False  # an item without labels
    gold[:, 3] &= np.arange(60) < 30  # a label that half of the items cannot have
    a, b = (np.where(rng.random(gold.shape) < share, gold, ~gold) for share in (0.9, 0.7))
    return gold.astype(int), a.astype(int), b.astype(int)


GOLD, A, B = _data()


def _by_scikit_learn(gold, predictions):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 0/0 counts as 0, with a warning
        averages = [
            sklearn_metrics.f1_score(gold, predictions, average=one) for one in ("micro", "macro", "samples")
        ]
    return [*averages, sklearn_metrics.accuracy_score(gold, predictions)]


def _scores(result, system):
    return [next(s.score for s in result.systems if (s.system, s.metric) == (system, m)) for m in METRICS]


def _sets(matrix):
    return [{NAMES[column] for column in np.flatnonzero(row)} for row in matrix]


def _lists(matrix):
    return [sorted(one) for one in _sets(matrix)]


FORMS = {
    "integers": lambda x: x,
    "booleans": lambda x: x.astype(bool),
    "floats": lambda x: x.astype(float),
    "lists of rows": lambda x: x.tolist(),
    "tuples": lambda x: [*map(tuple, x.tolist())],
    "arrays in a list": list,
    "pandas": lambda x: pd.DataFrame(x, columns=NAMES),
    "pandas booleans": lambda x: pd.DataFrame(x, columns=NAMES).astype(bool),
    "pandas nullable": lambda x: pd.DataFrame(x, columns=NAMES).astype("Int64"),
    "pandas without names": pd.DataFrame,
    "polars": lambda x: pl.DataFrame(x, schema=NAMES),
    "arrow": lambda x: pa.table(pd.DataFrame(x, columns=NAMES)),
    "sparse matrix": sparse.csr_matrix,
    "sparse array": sparse.coo_array,
    "sets": _sets,
    "frozen sets": lambda x: [*map(frozenset, _sets(x))],
    "lists": _lists,
    "series of lists": lambda x: pd.Series(_lists(x)),
    "polars lists": lambda x: pl.Series(_lists(x)),
    "by id": lambda x: dict(enumerate(x)),
    "sets by id": lambda x: dict(enumerate(_sets(x))),
    "texts of rows": lambda x: [*map(str, x.tolist())],
    "texts of arrays": lambda x: [*map(str, x)],
    "texts of lists": lambda x: [*map(str, _lists(x))],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_scores_of_scikit_learn(form):
    made = FORMS[form]
    result = bb.evaluate({"a": made(A), "b": made(B)}, gold=made(GOLD), metric=METRICS, interval=None)
    np.testing.assert_allclose(_scores(result, "a"), _by_scikit_learn(GOLD, A), rtol=0, atol=1e-12)
    np.testing.assert_allclose(_scores(result, "b"), _by_scikit_learn(GOLD, B), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("gold", "system"),
    [
        ("pandas", "sets"),
        ("sets", "pandas"),
        ("polars", "lists"),
        ("lists", "arrow"),
        ("sets", "texts of lists"),
    ],
)
def test_forms_are_joined_by_the_names_of_labels(gold, system):
    made = FORMS[system]
    result = bb.evaluate({"a": made(A), "b": made(B)}, gold=FORMS[gold](GOLD), metric=METRICS, interval=None)
    np.testing.assert_allclose(_scores(result, "a"), _by_scikit_learn(GOLD, A), rtol=0, atol=1e-12)


def test_columns_in_another_order_are_taken_by_their_names():
    frame = pd.DataFrame(A, columns=NAMES)[["z", "w", "y", "x"]]
    result = bb.evaluate({"a": frame}, gold=pd.DataFrame(GOLD, columns=NAMES), metric=METRICS, interval=None)
    np.testing.assert_allclose(_scores(result, "a"), _by_scikit_learn(GOLD, A), rtol=0, atol=1e-12)


def test_a_label_that_the_gold_of_some_items_lacks_counts_as_in_scikit_learn():
    half = slice(30, None)
    result = bb.evaluate({"a": A[half]}, gold=GOLD[half], metric=METRICS, interval=None)
    np.testing.assert_allclose(
        _scores(result, "a"), _by_scikit_learn(GOLD[half], A[half]), rtol=0, atol=1e-12
    )
    named = bb.evaluate(
        {"a": _sets(A[half])},
        gold=_sets(GOLD[half]),
        metric=METRICS,
        reading=bb.Reading(classes=NAMES),
        interval=None,
    )
    assert _scores(named, "a") == _scores(result, "a")
    slices = {"half": ["first"] * 30 + ["second"] * 30}
    sliced = bb.compare_slices(
        {"a": A, "b": B}, gold=GOLD, metric="multilabel_f1_macro", by=slices, n_resamples=49
    )
    second = next(one for one in sliced.slices if one.slice == "second")
    assert second.difference.score_a == pytest.approx(_by_scikit_learn(GOLD[half], A[half])[1], abs=1e-12)


def test_a_pair_is_read_as_it_is_among_all():
    gold = [[1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 0, 0]] * 5
    systems = {
        "a": [[1, 0, 0], [0, 1, 1], [1, 0, 0], [0, 0, 1]] * 5,
        "b": np.array(gold),
        "c": sparse.csr_matrix([[0, 0, 0]] * 20),
    }
    settings = {"gold": gold, "metric": "multilabel_f1_micro", "n_resamples": 49}
    whole = bb.compare(systems, **settings)
    for a, b in (("a", "b"), ("a", "c"), ("b", "c")):
        pair = bb.compare({a: systems[a], b: systems[b]}, **settings)
        assert pair[a, b].estimate == whole[a, b].estimate


def test_real_sets_of_0_and_1_stay_sets():
    gold, a = [{0, 1}, {1}, {0}, set()], [{0, 1}, {0}, {0}, {1}]
    result = bb.evaluate({"a": a, "b": [[0, 1], [0], [0], [1]]}, gold=gold, metric=METRICS, interval=None)
    matrices = ([[1, 1], [0, 1], [1, 0], [0, 0]], [[1, 1], [1, 0], [1, 0], [0, 1]])
    assert _scores(result, "a") == pytest.approx(_by_scikit_learn(*map(np.array, matrices)))
    assert _scores(result, "b") == _scores(result, "a")


def test_lists_that_may_be_rows_or_labels_are_refused_until_the_labels_are_named():
    gold, a, b = [[1, 0], [0, 1]] * 5, [[1, 0], [1, 1]] * 5, [[0, 1]] * 10
    settings = {"gold": gold, "metric": METRICS, "interval": None}
    with pytest.raises(InvalidInputError, match=r"may be rows of 0 and 1 or the labels 0 and 1") as error:
        bb.evaluate({"a": a, "b": b}, **settings)
    assert "classes=[...]" in str(error.value.hint)
    result = bb.evaluate({"a": a, "b": b}, reading=bb.Reading(classes=["x", "y"]), **settings)
    assert _scores(result, "b") == pytest.approx(_by_scikit_learn(np.array(gold), np.array(b)))


def test_a_matrix_of_one_column():
    result = bb.evaluate({"a": A[:, :1]}, gold=GOLD[:, :1], metric="multilabel_f1_micro", interval=None)
    assert result.systems[0].score == pytest.approx(sklearn_metrics.f1_score(GOLD[:, 0], A[:, 0]))


def test_a_matrix_without_names_beside_sets_needs_the_labels():
    settings = {"gold": GOLD, "metric": METRICS, "interval": None}
    with pytest.raises(InvalidInputError, match="nothing says which column is which label"):
        bb.evaluate({"a": _sets(A)}, **settings)
    named = bb.evaluate({"a": _sets(A)}, reading=bb.Reading(classes=NAMES), **settings)
    np.testing.assert_allclose(_scores(named, "a"), _by_scikit_learn(GOLD, A), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("gold", "a", "message"),
    [
        (GOLD, A[:, :3], "system 'a' has 3 numbers per item, but there are 4 labels"),
        (FORMS["pandas"](GOLD), FORMS["pandas"](A)[["w", "x"]], "the columns of system 'a' are w, x"),
        ([["x"], ["y"]], [["x", "x"], ["y"]], "row 0 is .* holds a member twice"),
        ([[0, 1, 1]] * 2, [[0, 1, 1], [0, 0]], "row 0 is .* holds a member twice"),
        (GOLD, A * 0.9, "holds 0.9, where a label is marked by 1"),
        (GOLD, (A * 0.9).tolist(), "where labels are texts or whole numbers"),
        (GOLD, A + GOLD, "holds 2, where a label is marked by 1"),
        (GOLD, A[:, :, None], r"has the shape \(60, 4, 1\)"),
        (GOLD, A[:, 0], "row 0 is 1, where a set of labels must be"),
        ([{"x"}, {"y"}], ["x|y", "y"], r"row 0 is 'x\|y', where a set of labels must be"),
        ([{"x"}, {"y"}], [[["x"]], ["y"]], "where a set of labels must be"),
        (FORMS["pandas"](GOLD), [{"q"}] * 60, "the label 'q', which is none of w, x, y, z"),
    ],
)
def test_what_is_no_set_of_labels_is_refused(gold, a, message):
    with pytest.raises(InvalidInputError, match=message):
        bb.evaluate({"a": a}, gold=gold, metric="multilabel_f1_micro")


def test_a_missing_item():
    gaps = A.astype(float)
    gaps[3] = np.nan
    settings = {"gold": GOLD, "metric": METRICS, "interval": None}
    with pytest.raises(InvalidInputError, match="missing value at position 3"):
        bb.evaluate({"a": gaps}, **settings)
    rest = np.delete(np.arange(60), 3)
    for form in (gaps, [None if place == 3 else row for place, row in enumerate(A.tolist())]):
        dropped = bb.evaluate({"a": form}, on_missing="drop", **settings)
        np.testing.assert_allclose(_scores(dropped, "a"), _by_scikit_learn(GOLD[rest], A[rest]), atol=1e-12)


def test_one_label_has_one_spelling():
    sets, labels, _ = label_sets({"": [{1}, {2, 3}], "a": [{"1"}, {"2"}]}, None)
    assert labels is None
    assert sets["a"][0] == sets[""][0]


def test_the_way_is_named_where_one_label_is_expected():
    for gold in (_lists(GOLD), _sets(GOLD), GOLD):
        with pytest.raises(InvalidInputError) as error:
            bb.compare({"a": gold, "b": gold}, gold=gold, metric="f1_macro")
        assert "multilabel_f1_micro" in str(error.value.hint)
    marks = np.array([[1, 0], [0, 0]] * 10)
    for data, given in ((A, GOLD), (A.tolist(), GOLD.tolist()), (marks, marks), (A, np.eye(4)[[0] * len(A)])):
        for metric in (None, "accuracy", "cross_entropy"):
            with pytest.raises(InvalidInputError, match="not to 1") as error:
                bb.compare({"a": data, "b": data}, gold=given, metric=metric)
            assert "multilabel_f1_micro" in str(error.value.hint)
            assert "normalise" not in str(error.value.hint)
    evaluation = bb.Evaluation.of({"a": A, "b": B}, GOLD, label_sets=True)
    with pytest.raises(DesignError, match="the items are sets of labels"):
        bb.compare(evaluation, metric="accuracy")
    with pytest.raises(DesignError, match="accuracy reads one value per item"):
        bb.compare({"a": A, "b": B}, gold=GOLD, metric=["accuracy", "subset_accuracy"])
    with pytest.raises(InvalidInputError, match="reads a set of labels") as error:
        bb.evaluate(
            bb.Evaluation.of({"a": A.tolist()}, GOLD.tolist(), objects=True), metric="subset_accuracy"
        )
    assert "label_sets=True" in str(error.value.hint)
    with pytest.raises(InvalidInputError, match="items are sets of labels, but normalise"):
        bb.compare({"a": A, "b": B}, gold=GOLD, metric="subset_accuracy", reading=bb.Reading(normalise=True))


def test_other_entry_points():
    runs = bb.compare_runs(
        {"a": [A, A], "b": np.array([B, B])}, gold=GOLD, metric="multilabel_f1_micro", n_resamples=49
    )
    assert runs["a", "b"].score_a == pytest.approx(_by_scikit_learn(GOLD, A)[0])
    gate = bb.gate({"a": B, "b": A}, gold=GOLD, metric="subset_accuracy", baseline="a", n_resamples=49)
    assert gate.outcome == "pass"
    frame = pd.DataFrame({"gold": _lists(GOLD), "a": _lists(A), "b": B.tolist()})
    with pytest.raises(InvalidInputError, match="nothing says which column is which label"):
        bb.compare(frame, gold="gold", metric="subset_accuracy")
    result = bb.compare(frame, gold="gold", metric=METRICS, reading=bb.Reading(classes=NAMES), n_resamples=49)
    assert _scores(result, "b") == pytest.approx(_by_scikit_learn(GOLD, B))
