"""`evaluate`: the scores of one system or several, and what is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bestby as bb

RNG = np.random.default_rng(8)
GOLD = RNG.choice(["x", "y", "z"], 60)
SYSTEMS = {name: np.where(RNG.random(60) < share, "x", GOLD) for name, share in (("a", 0.2), ("b", 0.5))}
CLUSTERS = np.arange(60) // 4


@pytest.mark.parametrize(
    "options",
    [
        {"metric": ["accuracy", "f1_macro"]},
        {"metric": "f1_macro", "interval": "percentile", "rng": 5},
        {"clusters": CLUSTERS},
        {"strata": CLUSTERS % 2, "level": 0.9},
        {"clusters": bb.Blocks(5)},
        {"metric": "matthews_corrcoef", "resampling": bb.Resampling(resample_size=0.5, rescale=False)},
    ],
    ids=lambda options: "-".join(options),
)
def test_the_scores_are_those_of_a_comparison(options: dict[str, Any]) -> None:
    alone = bb.evaluate(SYSTEMS, GOLD, n_resamples=199, **options)
    compared = bb.compare(SYSTEMS, GOLD, n_resamples=199, **options)
    assert len(alone.differences) == 0
    assert alone.provenance.data_hash == compared.provenance.data_hash
    for ours, theirs in zip(alone.systems, compared.systems, strict=True):
        assert (ours.metric, ours.system, ours.score) == (theirs.metric, theirs.system, theirs.score)
        assert (ours.interval, ours.standard_error) == (theirs.interval, theirs.standard_error)
        assert (ours.rank_low, ours.rank_high, ours.group) == (None, None, None)


def test_without_differences_the_scores_are_the_content() -> None:
    result = bb.evaluate(SYSTEMS, GOLD, metric=["accuracy", "f1_macro"])
    assert result
    assert result["a"] == result.score("a")
    assert result["b", "f1_macro"] == result.score("b", "f1_macro")
    with pytest.raises(bb.errors.InvalidInputError, match="no score of 'z' on 'accuracy'"):
        result["z"]
    with pytest.raises(bb.errors.InvalidInputError, match="no difference between"):
        result["a", "b", "accuracy"]
    assert result.to_frame().equals(result.to_frame("scores"))
    assert result.to_frame()["system"].tolist() == [score.system for score in result.systems]
    assert result.to_csv() == result.to_csv(what="scores")
    row = dict(zip(*(line.split(",") for line in result.to_csv().splitlines()[:2]), strict=True))
    assert (row["rank_low"], row["rank_high"], row["group"]) == ("", "", "")
    assert bb.load(result.to_json()) == result
    assert bb.compare(SYSTEMS, GOLD).to_frame().columns[1] == "a"


def test_one_system_has_the_interval_that_it_has_among_others() -> None:
    expected = bb.compare(SYSTEMS, GOLD).score("a")
    assert bb.evaluate({"a": SYSTEMS["a"]}, GOLD).score("a").interval == expected.interval
    assert bb.evaluate(SYSTEMS, GOLD, systems=["a"]).score("a").interval == expected.interval


def test_a_single_array_needs_no_name() -> None:
    for values in (SYSTEMS["a"], SYSTEMS["a"].tolist(), pd.Series(SYSTEMS["a"])):
        (score,) = bb.evaluate(values, GOLD).systems
        assert (score.system, score.score) == ("system", (SYSTEMS["a"] == GOLD).mean())


def test_a_frame_with_one_system() -> None:
    frame = pd.DataFrame({"gold": GOLD, "a": SYSTEMS["a"]})
    assert bb.evaluate(frame).score("a").score == (SYSTEMS["a"] == GOLD).mean()


def test_scores_have_a_name_and_a_direction() -> None:
    scores = RNG.random(40)
    result = bb.evaluate(scores, metric=bb.ScoreMetric("COMET", greater_is_better=False))
    assert (result.metrics[0].name, result.metrics[0].greater_is_better) == ("COMET", False)
    assert result.score("system").score == pytest.approx(scores.mean())
    guessed = bb.compare({"a": scores, "b": scores[::-1]}, metric="accuracy_loss", n_resamples=99)
    assert not guessed.metrics[0].greater_is_better
    assert "direction_guessed" in [note.code for note in guessed.notes]
    with pytest.raises(bb.errors.InvalidInputError, match="there is no metric 'f1_marco'"):
        bb.evaluate(SYSTEMS, GOLD, metric="f1_marco")
    with pytest.raises(bb.errors.InvalidInputError, match="contradicts the metric accuracy"):
        bb.evaluate(SYSTEMS, GOLD, metric=bb.ScoreMetric("accuracy", greater_is_better=False))
