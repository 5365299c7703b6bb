"""Metrics that do not suit the data are refused by every comparison, with the metric to name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.unit.metrics.unsuitable import (
    BINARY,
    GENERATED,
    NUMBERS,
    PROBABILITIES,
    REAL,
    SPELT,
    TEXTS,
    WORDS,
    N,
    P,
    Q,
)
from tests.unit.metrics.ways import WAYS

import bestby as bb
from bestby import Evaluation
from bestby.errors import DesignError, InvalidInputError
from bestby.metrics import list_metrics

Data = tuple[dict[str, Any], Any]
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


def _mappings(systems: dict[str, Any], gold: Any, metric: Any) -> Any:
    keyed = {name: dict(enumerate(values)) for name, values in systems.items()}
    return bb.compare(keyed, dict(enumerate(gold)), metric=metric, n_resamples=99)


def _frame(systems: dict[str, Any], gold: Any, metric: Any) -> Any:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"gold": gold, **systems})
    if all(isinstance(values[0], str) for values in systems.values()):
        pytest.skip("columns of text without a label of the gold are refused before: are they systems?")
    return bb.compare(frame, gold="gold", metric=metric, n_resamples=99)


def _pilot(systems: dict[str, Any], gold: Any, metric: Any) -> Any:
    return bb.planning.Pilot(Evaluation.of(systems, gold), metric)


def _advice(systems: dict[str, Any], gold: Any, metric: Any) -> Any:
    return bb.advise(metric, data=Evaluation.of(systems, gold))


EVERY = WAYS | {"mappings": _mappings, "frame": _frame, "pilot": _pilot, "advise": _advice}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("way", EVERY)
def test_every_comparison_refuses_what_is_no_label(way: str, case: str) -> None:
    (systems, gold), message, hint = CASES[case]
    with pytest.raises(DesignError) as caught:
        EVERY[way](systems, gold, None)
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
    expected = bb.compare(both, gold, reading=bb.Reading(classes=classes), metric=metric, n_resamples=99)
    found = bb.compare(PROBABILITIES, gold, metric=metric, n_resamples=99)
    assert found.systems == expected.systems
    assert found["a", "b"].interval == expected["a", "b"].interval
    assert found["a", "b"].p_value == expected["a", "b"].p_value
    notes = [note.message for note in found.notes if note.code == "probability_of_class"]
    assert bool(notes) == (gold is WORDS)  # 0 and 1 say which is positive
    assert all(
        f"as probabilities of {classes[1].item()!r}, the label that sorts last" in one for one in notes
    )


@pytest.mark.parametrize("way", EVERY)
def test_probabilities_are_read_alike_by_every_comparison(way: str) -> None:
    result = EVERY[way](PROBABILITIES, WORDS, "log_loss")
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
    for systems, given in (
        ({"rows": rows, "one": Q}, {}),
        (PROBABILITIES, {"reading": bb.Reading(classes=[0, 1])}),
    ):
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


@pytest.mark.parametrize("gold", [["x", "y", "z"] * 10, ["p", "n", "n"] * 10], ids=["three", "two"])
def test_a_column_beside_the_predictions_may_be_left_out(gold: list[str]) -> None:
    table = {"gold": gold, "pred": gold, "base": gold[::-1], "confidence": np.linspace(0.1, 0.9, 30)}
    with pytest.raises(DesignError, match="'confidence' holds") as caught:
        bb.compare(table, gold="gold")
    assert caught.value.hint is not None
    assert "leave a column out that is no system: reading=bestby.Reading(ignore=[...])" in caught.value.hint
    assert (
        bb.compare(table, gold="gold", reading=bb.Reading(ignore=["confidence"]), n_resamples=200)
        .differences[0]
        .n_items
        == 30
    )
