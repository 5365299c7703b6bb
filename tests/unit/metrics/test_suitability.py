"""Metrics that do not suit the data are refused by every comparison, with the metric to name."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby import DesignError, Evaluation, InvalidInputError
from bestby.metrics import list_metrics

N = 60
RNG = np.random.default_rng(3)
BINARY = np.tile([0, 1, 1, 0, 1], N // 5)
P = np.clip(0.35 * BINARY + 0.6 * RNG.random(N) + 0.01, 0.0, 1.0)
Q = np.clip(0.25 * BINARY + 0.7 * RNG.random(N) + 0.01, 0.0, 1.0)
PROBABILITIES = {"a": P, "b": Q}
REAL = RNG.normal(3.0, 1.0, N)
NUMBERS = {"a": REAL + RNG.normal(size=N), "b": REAL + RNG.normal(size=N)}
TEXTS = [f"the answer to question {i}" for i in range(N)]
GENERATED = {"a": [f"it is number {i}" for i in range(N)], "b": [f"no idea about {i}" for i in range(N)]}
WORDS = np.where(BINARY, "pos", "neg")
SPELT = {"a": np.where(BINARY, "Pos", "Neg"), "b": np.where(P > 0.5, "POS", "neg ")}

Data = tuple[dict[str, Any], Any]
Way = Callable[[dict[str, Any], Any, Any], Any]

CASES: dict[str, tuple[Data, str, str]] = {
    "probabilities": ((PROBABILITIES, BINARY), "probabilities of the class 1; accuracy", 'metric="roc_auc"'),
    "of texts": ((PROBABILITIES, WORDS), "probabilities of the class 'pos'; accuracy", "> 0.5, 'pos', 'neg'"),
    "of booleans": ((PROBABILITIES, BINARY == 1), "probabilities of the class True", "> 0.5, True, False"),
    "scores": ((NUMBERS, BINARY), "neither labels of the gold", 'metric="roc_auc"'),
    "real gold": ((NUMBERS, REAL), "the gold holds real numbers", 'metric="rmse"'),
    "real predictions": ((NUMBERS, np.rint(REAL)), "holds real numbers, such as", 'metric="rmse"'),
    "spelling": (
        (SPELT, WORDS),
        "no prediction of any system is a label of the gold",
        "'Neg' differs from 'neg'",
    ),
    "texts": ((GENERATED, TEXTS), "no prediction of any system is a label of the gold", 'metric="em"'),
    "other labels": (({"a": BINARY + 5, "b": BINARY + 7}, BINARY), "no prediction of any system", "classes="),
}


def _compare(systems: dict[str, Any], gold: Any, metric: Any) -> Any:
    return bb.compare(systems, gold, metric=metric, n_resamples=99)


def _mappings(systems: dict[str, Any], gold: Any, metric: Any) -> Any:
    keyed = {name: dict(enumerate(values)) for name, values in systems.items()}
    return bb.compare(keyed, dict(enumerate(gold)), metric=metric, n_resamples=99)


def _frame(systems: dict[str, Any], gold: Any, metric: Any) -> Any:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"gold": gold, **systems})
    if all(isinstance(values[0], str) for values in systems.values()):
        pytest.skip("columns of text without a label of the gold are refused before: are they systems?")
    return bb.compare(frame, gold="gold", metric=metric, n_resamples=99)


def _runs(systems: dict[str, Any], gold: Any, metric: Any) -> Any:
    runs = {name: [list(values), [*list(values)[:-1], values[0]]] for name, values in systems.items()}
    return bb.compare_runs(runs, gold=gold, metric=metric, n_resamples=99)


def _datasets(systems: dict[str, Any], gold: Any, metric: Any) -> Any:
    part = Evaluation.of(systems, gold)
    return bb.compare_datasets({"x": part, "y": part}, metric=metric, n_resamples=99)


def _folds(systems: dict[str, Any], gold: Any, metric: Any) -> Any:
    folds = np.arange(N) // 20
    return bb.compare_folds({"1": Evaluation.of(systems, gold, strata=folds)}, metric=metric)


def _study(systems: dict[str, Any], gold: Any, metric: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        study = bb.Study(f"{folder}/study")
        for name, values in systems.items():
            study.add(name, run=1, predictions=values, gold=gold)
        return study.compare(metric=metric, n_resamples=99)


def _pilot(systems: dict[str, Any], gold: Any, metric: Any) -> Any:
    return bb.Pilot(Evaluation.of(systems, gold), metric)


def _advice(systems: dict[str, Any], gold: Any, metric: Any) -> Any:
    return bb.advise(metric, data=Evaluation.of(systems, gold))


WAYS: dict[str, Way] = {
    "compare": _compare,
    "mappings": _mappings,
    "frame": _frame,
    "runs": _runs,
    "datasets": _datasets,
    "folds": _folds,
    "study": _study,
    "pilot": _pilot,
    "advise": _advice,
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("way", WAYS)
def test_every_comparison_refuses_what_is_no_label(way: str, case: str) -> None:
    (systems, gold), message, hint = CASES[case]
    with pytest.raises(DesignError) as caught:
        WAYS[way](systems, gold, None)
    assert message in caught.value.message
    assert hint in str(caught.value.hint)


def _of_labels() -> list[str]:
    names = [row.name.replace("LABEL", "1") for row in list_metrics() if "@" not in row.name]
    return [name for name in names if bb.metrics.resolve(name).reads == "labels"]


@pytest.mark.parametrize("metric", _of_labels())
def test_no_metric_of_labels_takes_probabilities_even_if_named(metric: str) -> None:
    with pytest.raises(DesignError, match="look like probabilities of the class 1") as caught:
        bb.compare(PROBABILITIES, BINARY, metric=metric)
    assert metric in caught.value.message


def _of_distributions() -> list[str]:
    names = [row.name.replace("LABEL", "1") for row in list_metrics()]
    refusing_hard_gold = ("entropy_similarity", "entropy_correlation")
    return [
        name
        for name in names
        if bb.metrics.resolve(name).reads == "distributions" and name not in refusing_hard_gold
    ]


@pytest.mark.parametrize("metric", _of_distributions())
@pytest.mark.parametrize("gold", [BINARY, BINARY == 1, WORDS], ids=["numbers", "booleans", "texts"])
def test_one_probability_is_that_of_the_greater_label(metric: str, gold: Any) -> None:
    classes = np.unique(gold)
    metric = metric.replace("[1]", f"[{classes[1]}]")
    both = {name: np.column_stack([1.0 - p, p]) for name, p in PROBABILITIES.items()}
    expected = bb.compare(both, gold, classes=classes, metric=metric, n_resamples=99)
    found = bb.compare(PROBABILITIES, gold, metric=metric, n_resamples=99)
    assert found.systems == expected.systems
    assert found["a", "b"].interval == expected["a", "b"].interval
    assert found["a", "b"].p_value == expected["a", "b"].p_value
    (note,) = [note for note in found.notes if note.code == "probability_of_class"]
    assert f"as probabilities of {classes[1].item()!r}, the label that sorts last" in note.message


@pytest.mark.parametrize("way", WAYS)
def test_probabilities_are_read_alike_by_every_comparison(way: str) -> None:
    result = WAYS[way](PROBABILITIES, BINARY, "log_loss")
    if way in ("pilot", "advise"):
        return
    scores = {
        "datasets": lambda: dict(zip(result.systems, result.means, strict=True)),
        "folds": lambda: dict(zip(result.systems, result.means, strict=True)),
    }.get(way, lambda: {entry.system: entry.score for entry in result.systems})()
    expected = -np.log(np.where(BINARY == 1, P, 1.0 - P)).mean()
    assert scores["a"] == pytest.approx(expected, rel=0.1 if way == "runs" else 1e-12)
    assert "probability_of_class" in {note.code for note in result.notes}


def test_hard_systems_beside_probabilities() -> None:
    result = bb.compare({"p": P, "hard": (Q > 0.5).astype(int)}, BINARY, metric="brier", n_resamples=99)
    scores = {entry.system: entry.score for entry in result.systems}
    assert scores["hard"] == pytest.approx(2.0 * np.mean((Q > 0.5) != BINARY))
    assert "labels of hard count as probabilities of 0 and 1" in result.notes[0].message


@pytest.mark.parametrize("metric", ["log_loss", "cross_entropy", "brier", "ece"])
@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (np.arange(N) % 3, "the gold has 3 classes"),
        (np.ones(N, dtype=int), "the gold has 1 class;"),
        (np.round(P * 5.0) / 5.0, "hold one number per item"),
    ],
    ids=["three classes", "one class", "soft gold in one column"],
)
def test_probabilities_of_no_class_are_refused(metric: str, gold: Any, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        bb.compare(PROBABILITIES, gold, metric=metric)


def test_hard_labels_keep_their_reading_under_metrics_of_probabilities() -> None:
    hard = {"a": BINARY, "b": (Q > 0.5).astype(int)}
    result = bb.compare(hard, BINARY, metric="log_loss", n_resamples=99)
    wrong = float(np.mean(hard["b"] != BINARY))
    assert result.systems[1].score == pytest.approx(-np.log(1e-12) * wrong)
    assert "probability_of_class" not in {note.code for note in result.notes}


def test_one_probability_beside_soft_labels_or_named_classes() -> None:
    rows = np.column_stack([1.0 - P, P])
    for systems, given in (({"rows": rows, "one": Q}, {}), (PROBABILITIES, {"classes": [0, 1]})):
        with pytest.raises(InvalidInputError, match="which is none of the classes") as caught:
            bb.compare(systems, BINARY, metric="log_loss", **given)
        assert "np.c_[1 - p, p]" in str(caught.value.hint)


@pytest.mark.parametrize(("gold", "odd"), [(BINARY, ["x"] * N), (WORDS, BINARY)], ids=["text", "numbers"])
def test_texts_against_numbers_are_refused_if_no_system_matches(gold: Any, odd: Any) -> None:
    with pytest.raises(DesignError, match="no prediction of any system is a label of the gold"):
        bb.compare({"a": odd, "b": odd}, gold)
    result = bb.compare({"a": gold, "b": odd}, gold)
    assert [entry.score for entry in result.systems] == [1.0, 0.0]
    assert [(note.code, note.about) for note in result.notes] == [("no_shared_label", ("b",))]


@pytest.mark.parametrize(
    ("gold", "spelled"),
    [(["0", "1"], ["0.0", "1.0"]), (["true", "false"], ["True", "False"]), ([0, 1], ["0.0", "1"])],
)
def test_other_spellings_of_numbers_and_booleans_are_labels(gold: list[Any], spelled: list[str]) -> None:
    result = bb.compare({"a": spelled * 20, "b": spelled[:1] * 40}, gold * 20)
    assert [entry.score for entry in result.systems] == [1.0, 0.5]
    assert {note.code for note in result.notes} <= {"labels_merged", "never_predicted"}


def test_numbers_in_text_that_no_gold_has_are_refused() -> None:
    with pytest.raises(DesignError, match="no prediction of any system is a label of the gold"):
        bb.compare({"a": ["2", "3"] * 20, "b": ["2"] * 40}, [0, 1] * 20)


# -- real numbers that are labels ------------------------------------------------------------------


def test_half_stars_are_labels_if_the_metric_is_named() -> None:
    stars = np.tile([0.5, 1.0, 3.5, 5.0], N // 4)
    systems = {"a": np.roll(stars, 1), "b": np.where(P > 0.4, stars, 2.5)}
    result = bb.compare(
        systems, stars, classes=[0.5, 1.0, 2.5, 3.5, 5.0], metric=["accuracy", "ordinal_mae"], n_resamples=99
    )
    scores = {entry.system: entry.score for entry in result.systems if entry.metric == "accuracy"}
    assert scores == {"a": 0.0, "b": np.mean(P > 0.4)}
    with pytest.raises(DesignError, match=r"the gold holds real numbers, such as 0\.5"):
        bb.compare(systems, stars)


def test_whole_numbers_in_floats_are_labels() -> None:
    result = bb.compare({"a": BINARY.astype(float), "b": 1.0 - BINARY}, BINARY.astype(float))
    assert [entry.score for entry in result.systems] == [1.0, 0.0]


def test_real_gold_and_a_named_metric_of_labels_with_no_label_in_common() -> None:
    with pytest.raises(DesignError, match="no prediction of any system") as caught:
        bb.compare(NUMBERS, REAL, metric="accuracy")
    assert 'metric="rmse"' in str(caught.value.hint)


@pytest.mark.parametrize("metric", ["accuracy", ["accuracy", "f1_macro"]])
def test_real_predictions_from_0_to_1_share_no_label_with_a_real_gold(metric: Any) -> None:
    gold = np.tile([0.0, 0.5, 1.0], N // 3)
    with pytest.raises(DesignError, match="no prediction of any system") as caught:
        bb.compare(PROBABILITIES, gold, metric=metric)
    assert 'metric="rmse"' in str(caught.value.hint)
    result = bb.compare({"a": P, "b": gold}, gold, metric=metric, n_resamples=99)
    assert ("no_shared_label", ("a",)) in [(note.code, note.about) for note in result.notes]


@pytest.mark.parametrize("precision", [np.float32, np.float16])
def test_labels_in_another_precision_are_told(precision: Any) -> None:
    tenths = np.tile([0.1, 0.5, 0.7], N // 3)
    lower = tenths.astype(precision)
    for systems, gold in (({"a": lower, "b": tenths}, tenths), ({"a": tenths, "b": lower}, lower)):
        result = bb.compare(systems, gold, metric="accuracy", n_resamples=99)
        (note,) = [note for note in result.notes if note.code == "label_precision"]
        assert note.about == ("a",)
        assert "0.1 " in note.message or "against 0.1" in note.message
    with pytest.raises(DesignError, match="no prediction of any system") as caught:
        bb.compare(
            {"a": lower[tenths != 0.5]} | {"b": lower[tenths != 0.5]},
            tenths[tenths != 0.5],
            metric="accuracy",
        )
    assert "fewer digits" in str(caught.value.hint)
    for gold in (tenths, np.tile([0.0, 0.5, 1.0], N // 3)):
        result = bb.compare({"a": gold + 1e-9, "b": gold}, gold, metric="accuracy", n_resamples=99)
        assert "label_precision" not in [note.code for note in result.notes]


@pytest.mark.parametrize(
    "odd", [P + 1e-7 + (1.0 - P.max()), 100.0 * P, np.r_[-0.5, P[1:]]], ids=["over", "percent", "below"]
)
def test_the_number_that_is_no_probability_is_shown(odd: Any) -> None:
    with pytest.raises(DesignError, match="nor probabilities") as caught:
        bb.compare({"a": P, "b": odd}, BINARY, metric="log_loss")
    shown = float(caught.value.message.split("such as ")[1].split(",")[0])
    assert not 0.0 <= shown <= 1.0
    assert np.isclose(odd, shown, rtol=1e-9, atol=0.0).any()


@pytest.mark.parametrize("metric", ["emd", "ordinal_mae"])
@pytest.mark.parametrize("label", [2.5, 7])
def test_positions_of_classes_are_those_of_the_gold(metric: str, label: float) -> None:
    gold = np.tile([1, 2, 3], N // 3)
    systems = {"a": np.roll(gold, 1), "b": np.where(P > 0.5, gold, 2)}
    systems["odd"] = np.r_[label, gold[1:]]
    with pytest.raises(DesignError, match=f"'odd' predicts the label {label}.*, which the gold") as caught:
        bb.compare(systems, gold, metric=metric)
    assert "classes=[...]" in str(caught.value.hint)
    result = bb.compare(systems, gold, classes=sorted({1, 2, 3, label}), metric=metric, n_resamples=99)
    assert len(result.systems) == 3
    texts = {name: values.astype(int).astype(str) for name, values in systems.items() if name != "odd"}
    same = bb.compare(texts, gold, metric=metric, n_resamples=99)
    plain = bb.compare({"a": systems["a"], "b": systems["b"]}, gold, metric=metric, n_resamples=99)
    assert [entry.score for entry in same.systems] == [entry.score for entry in plain.systems]


# -- labels in common ------------------------------------------------------------------------------


def test_a_system_that_is_always_wrong_is_no_stranger() -> None:
    result = bb.compare({"a": 1 - BINARY, "b": 1 - BINARY}, BINARY)
    assert [entry.score for entry in result.systems] == [0.0, 0.0]
    assert result.notes == ()


def test_one_of_several_without_a_label_of_the_gold_is_noted() -> None:
    result = bb.compare({"good": WORDS, "odd": SPELT["a"], "other": ["none"] * N}, WORDS)
    notes = {(note.code, note.about) for note in result.notes if note.code != "never_predicted"}
    assert notes == {
        ("no_shared_label", ("odd",)),
        ("no_shared_label", ("other",)),
        ("label_spelling", ("odd",)),
    }


def test_labels_spelt_oddly_now_and_then_are_noted() -> None:
    mixed = np.where(np.arange(N) < 7, " Pos", WORDS)
    result = bb.compare({"good": WORDS, "mixed": mixed}, WORDS)
    (note,) = result.notes
    assert (note.code, note.about) == ("label_spelling", ("mixed",))
    assert "' Pos' against 'pos'" in note.message


def test_labels_that_the_gold_spells_in_two_ways_are_two_labels() -> None:
    gold = np.where(np.arange(N) % 2, "pos", "Pos")
    codes = [note.code for note in bb.compare({"a": gold, "b": ["Pos"] * N}, gold).notes]
    assert codes == ["never_predicted"]  # 'pos' by b


def test_classes_that_these_items_lack_can_be_named() -> None:
    systems = {"a": ["other"] * N, "b": ["other"] * N}
    with pytest.raises(DesignError, match="no prediction of any system"):
        bb.compare(systems, WORDS)
    result = bb.compare(systems, WORDS, classes=["neg", "other", "pos"])
    assert [entry.score for entry in result.systems] == [0.0, 0.0]


def test_a_fold_need_not_hold_the_labels_that_others_have() -> None:
    gold = np.repeat(["x", "y", "x"], 20)
    wrong = np.repeat(["y", "x", "x"], 20)
    parts = {"1": Evaluation.of({"a": wrong, "b": wrong}, gold, strata=np.repeat([1, 2, 3], 20))}
    assert bb.compare_folds(parts).means == pytest.approx((1 / 3, 1 / 3))
    sets = {
        name: Evaluation.of({"a": [name] * 20, "b": [name] * 20}, [gold] * 20) for name, gold in ("xy", "yx")
    }
    assert bb.compare_datasets(sets).means == (0.0, 0.0)


def test_the_dataset_is_named() -> None:
    good = Evaluation.of({"a": WORDS, "b": WORDS}, WORDS)
    bad = Evaluation.of(SPELT, np.where(BINARY, "yes", "no"))
    with pytest.raises(DesignError, match="dataset 'second': no prediction"):
        bb.compare_datasets({"first": good, "second": bad})
    odd = Evaluation.of({"a": WORDS, "b": SPELT["a"]}, WORDS)
    notes = bb.compare_datasets({"first": good, "second": odd}).notes
    assert any(
        note.code == "no_shared_label" and note.message.startswith("dataset 'second'") for note in notes
    )


def test_missing_predictions_share_nothing_and_hinder_nothing() -> None:
    gold = dict(enumerate(WORDS.tolist()))
    half = {item: label for item, label in gold.items() if item % 2}
    result = bb.compare({"a": gold, "b": half}, gold, on_missing="worst")
    assert {note.code for note in result.notes} == {"counted_as_worst"}


def test_counted_rows_are_judged_by_their_distinct_labels() -> None:
    rows = {"a": ["Pos", "Neg"], "b": ["Neg", "Pos"]}
    with pytest.raises(DesignError, match="no prediction of any system"):
        bb.compare(Evaluation.of(rows, ["pos", "neg"], counts=[1000, 2000]))
    with pytest.raises(DesignError, match="the gold holds real numbers"):
        bb.compare(Evaluation.of({"a": [0.5, 1.5], "b": [1.5, 0.5]}, [0.5, 1.25], counts=[1000, 2000]))


def test_other_metrics_take_what_is_no_label() -> None:
    assert bb.compare(PROBABILITIES, BINARY, metric="roc_auc", n_resamples=99).notes == ()
    assert bb.compare(NUMBERS, REAL, metric=["rmse", "spearman"], n_resamples=99).notes == ()
    assert bb.compare(GENERATED, TEXTS, metric="em", n_resamples=99).systems[0].score == 0.0


def test_advice_and_plans_default_to_the_metric_of_compare() -> None:
    rows = np.column_stack([1.0 - P, P])
    data = Evaluation.of({"a": rows, "b": np.column_stack([1.0 - Q, Q])}, rows)
    assert bb.advise(data=data).case.metric == "cross_entropy"
    assert bb.Pilot(data).settings()["metric"] == "cross_entropy"
    assert bb.compare(data, n_resamples=99).metrics[0].name == "cross_entropy"
    assert bb.compare_datasets({"x": data, "y": data}, n_resamples=99).metric.name == "cross_entropy"
