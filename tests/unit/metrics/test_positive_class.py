"""Which class is positive is said wherever neither gold nor name says it, and so is an area below 0.5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.metrics.ways import WITH_GATES

import bestby as bb

N = 200
RNG = np.random.default_rng(0)
HATE = RNG.random(N) < 0.5
P = np.clip(0.6 * RNG.random(N) + 0.4 * HATE, 0.01, 0.99)
SYSTEMS = {"good": P, "chance": RNG.random(N)}
WORDS = np.where(HATE, "hate", "none")
REVERSED = {"good": 1.0 - P, "chance": SYSTEMS["chance"]}


def _messages(result: Any, code: str) -> list[str]:
    return [note.message for note in result.notes if note.code == code]


@pytest.mark.parametrize(
    ("way", "metric"), [*((way, "roc_auc") for way in WITH_GATES), ("study", "average_precision")]
)
def test_every_comparison_says_which_class_is_positive_and_names_the_other(way: str, metric: str) -> None:
    (message,) = _messages(WITH_GATES[way](SYSTEMS, WORDS, metric), "positive_class")
    other = f"{metric}[hate]"
    assert message.startswith(f"{metric} takes 'none', the label that sorts last, as the positive class")
    assert message.endswith(f'name metric="{other}" (--metric "{other}")')
    assert _messages(WITH_GATES[way](SYSTEMS, WORDS, other), "positive_class") == []
    right = bb.evaluate({"good": P}, HATE, metric=metric).systems[0].score
    assert bb.evaluate({"good": P}, WORDS, metric=other).systems[0].score == right


@pytest.mark.parametrize("labels", [(0, 1), (False, True), ("0", "1"), ("False", "True"), (0.0, 1.0)])
@pytest.mark.parametrize("metric", ["roc_auc", "average_precision", "brier", "log_loss"])
def test_gold_that_says_which_is_positive_needs_no_note(labels: tuple[Any, Any], metric: str) -> None:
    codes = {note.code for note in bb.evaluate(SYSTEMS, np.where(HATE, *labels[::-1]), metric=metric).notes}
    assert codes.isdisjoint({"positive_class", "probability_of_class"})


@pytest.mark.parametrize("labels", [("no", "yes"), ("neg", "pos"), (1, 2), (-1, 1), (0, 2), (0.5, 1.5)])
def test_other_labels_have_one(labels: tuple[Any, Any]) -> None:
    gold = np.where(HATE, *labels[::-1])
    (message,) = _messages(bb.evaluate(SYSTEMS, gold, metric="roc_auc"), "positive_class")
    named = message.split('"')[1]
    positive = bb.evaluate(SYSTEMS, gold, metric=named).systems
    assert {one.score for one in positive} != {
        one.score for one in bb.evaluate(SYSTEMS, gold, metric="roc_auc").systems
    }


@pytest.mark.parametrize("way", WITH_GATES)
def test_an_area_below_that_of_guesses_is_said(way: str) -> None:
    (message, *_) = _messages(WITH_GATES[way](REVERSED, HATE, "roc_auc"), "below_chance")
    assert "roc_auc is significantly below 0.5, that of guesses, for good" in message
    assert "chance" not in message
    assert message.endswith('negate them, or name metric="roc_auc[False]" (--metric "roc_auc[False]")')
    assert _messages(WITH_GATES[way](REVERSED, HATE, "roc_auc[False]"), "below_chance") == []
    assert _messages(WITH_GATES[way](SYSTEMS, HATE, "roc_auc"), "below_chance") == []


@pytest.mark.parametrize(("n", "said"), [(6, False), (12, True), (40, True)])
def test_a_whole_reversal_has_no_interval_and_is_said_by_its_chance(n: int, said: bool) -> None:
    gold = np.arange(n) % 2
    result = bb.evaluate({"a": 1.0 - gold}, gold, metric="roc_auc")
    assert result.systems[0].score == 0.0
    assert bool(_messages(result, "below_chance")) == said  # one of 20 orders of 6 items has the area 0


def test_one_class_of_several_may_be_reversed() -> None:
    gold = np.where(HATE, "a", np.where(SYSTEMS["chance"] < 0.5, "b", "c"))
    (message,) = _messages(bb.evaluate({"a": 1.0 - P}, gold, metric="roc_auc[a]"), "below_chance")
    assert message.endswith("negate them")
    assert _messages(bb.evaluate({"a": P - 1.0 + 1.0}, gold, metric="roc_auc[a]"), "below_chance") == []


def test_the_brier_score_of_two_classes_names_its_scale() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    result = bb.evaluate({"a": P}, HATE, metric="brier")
    (message,) = _messages(result, "brier_of_both_classes")
    assert "twice the score of one class that brier_score_loss of scikit-learn gives" in message
    assert result.systems[0].score == pytest.approx(2.0 * metrics.brier_score_loss(HATE, P))
    three = bb.evaluate({"a": np.full((N, 3), 1 / 3)}, np.arange(N) % 3, metric="brier")
    assert _messages(three, "brier_of_both_classes") == []


ROWS = np.array([[0.7, 0.3], [1.0, 0.0], [0.2, 0.8], [0.6, 0.4]] * 5)
ZERO = [0, 1, 1, 0] * 5


@pytest.mark.parametrize("metric", ["log_loss", "cross_entropy", "kl_divergence"])
@pytest.mark.parametrize(
    ("system", "gold"),
    [
        (ROWS, ZERO),
        (ROWS[:, 1], ZERO),
        (ROWS[:, 1], np.where(ZERO, "yes", "no")),
        (ROWS[:, 1] > 0.5, np.array(ZERO) == 1),
    ],
    ids=["rows", "one column", "texts", "labels"],
)
def test_probabilities_of_0_where_the_gold_is_are_counted(metric: str, system: Any, gold: Any) -> None:
    result = bb.evaluate({"a": system}, gold, metric=metric)
    (message,) = _messages(result, "probability_of_zero")
    score = result.systems[0].score
    assert f"a on 5 of 20 items, which makes 6.91 of its {score:.3g}" in message
    assert 0.25 * -np.log(1e-12) == pytest.approx(6.91, abs=0.005)
    assert (
        _messages(bb.evaluate({"a": np.clip(ROWS, 0.01, 0.99)}, ZERO, metric=metric), "probability_of_zero")
        == []
    )
    assert (
        _messages(bb.evaluate({"a": system}, gold, metric="brier"), "probability_of_zero") == []
    )  # as it proposes


def test_soft_gold_and_reversed_divergences_have_the_note_too() -> None:
    soft = bb.evaluate({"a": ROWS}, np.full((20, 2), 0.5), metric="cross_entropy")
    assert "a on 5 of 20 items, which makes 3.45 of its" in _messages(soft, "probability_of_zero")[0]
    back = bb.evaluate({"a": ROWS}, np.array([[1.0, 0.0]] * 20), metric="kl_divergence_reverse")
    assert "the gold is 0 where a system has more: a on 15 of 20" in _messages(back, "probability_of_zero")[0]


@pytest.mark.parametrize("name", ["f1", "F1", "f1_score", "precision", "recall"])
def test_a_metric_without_its_class_names_those_of_the_gold(name: str) -> None:
    stem = "f1" if "1" in name else name
    for gold, first, other in ((HATE.astype(int), f"{stem}[1]", "[0]"), (WORDS, f"{stem}[hate]", "[LABEL]")):
        with pytest.raises(bb.errors.InvalidInputError) as caught:
            bb.evaluate({"a": gold}, gold, metric=name)
        assert f"{stem} needs a class or an average: {first}" in caught.value.message
        assert other not in caught.value.message
        assert caught.value.hint == f'name one: metric="{first}"'
        assert bb.evaluate({"a": gold}, gold, metric=first).systems[0].score == 1.0


def test_advice_a_pilot_and_the_pages_of_a_board_say_which_class_is_positive(tmp_path: Path) -> None:
    of_metric = bb.advise("roc_auc", data=SYSTEMS, gold=WORDS).notes
    pilot = bb.planning.Pilot(bb.Evaluation.of(SYSTEMS, WORDS), "roc_auc")
    plan = bb.power(pilot, 50, n_simulations=20, n_resamples=99, curve=())
    for notes in (of_metric, plan.notes):
        assert "positive_class" in {note.code for note in notes}
    golds = {}
    for task in ("one", "two"):
        golds[task] = tmp_path / f"{task}.csv"
        golds[task].write_text("\n".join(["id,gold", *(f"q{i},{gold}" for i, gold in enumerate(WORDS))]))
    board = bb.Board.create(tmp_path / "board", golds, title="Words", metrics="roc_auc")
    for name, values in SYSTEMS.items():
        file = tmp_path / f"{name}.csv"
        file.write_text("\n".join(["id,prediction", *(f"q{i},{x}" for i, x in enumerate(values.tolist()))]))
        board.submit({"one": file, "two": file}, team="team", system=name)
    pages = board.publish(tmp_path / "site").site / "tables"
    said = ["takes &#39;none&#39;, the label that sorts last" in page.read_text() for page in pages.iterdir()]
    assert said == [True] * 3  # of both tasks, and of all tasks
