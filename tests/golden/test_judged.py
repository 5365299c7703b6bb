"""Judges of real data: one that is worth nothing, and one that is worth something."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import bestby as bb
from bestby.inference import skewness
from bestby.questions.judged.labelled import Labelled, label_weights
from bestby.questions.judged.prediction_powered import corrected

LANGID = Path(__file__).parents[2] / "examples" / "langid" / "predictions.csv"


def wmt(shared_data: Callable[[str], Path]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return the names of the systems, chrF and professional penalties per segment and system."""
    with (shared_data("wmt21_ted_mqm") / "scores.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = sorted({row["system"] for row in rows})
    segments = sorted({row["segment"] for row in rows}, key=int)
    table = {(row["segment"], row["system"]): row for row in rows}
    chrf, mqm = (
        np.array([[float(table[segment, name][column]) for name in names] for segment in segments])
        for column in ("chrf", "mqm")
    )
    return names, chrf, mqm


@pytest.mark.check
def test_chrf_is_worth_nothing_and_does_no_harm(shared_data: Callable[[str], Path]) -> None:
    names, chrf, mqm = wmt(shared_data)
    assert chrf.shape == (529, 13)
    first = names.index("HuaweiTSC")
    assert int((chrf.mean(axis=0) > chrf.mean(axis=0)[first]).sum()) == 0  # the first by chrF
    assert int((mqm.mean(axis=0) < mqm.mean(axis=0)[first]).sum()) == 5  # the sixth by the truth
    rng, nothing, items = np.random.default_rng(20), np.zeros(529, dtype=np.int64), np.arange(529)
    held, ratios = [], []
    for _ in range(1000):
        human = np.full(mqm.shape, np.nan)
        chosen = rng.choice(529, 100, replace=False)
        human[chosen] = mqm[chosen]
        weights = label_weights(~np.isnan(human), nothing)
        made = corrected(Labelled(chrf[:, :, None], human, weights, nothing, items))
        for other in range(13):
            if other == first:
                continue
            contrast = np.zeros(13)
            contrast[[first, other]] = 1.0, -1.0
            error = made.error(contrast)
            low, high = skewness.interval(float(contrast @ made.scores), error, 0.95)
            held.append(low <= contrast @ mqm.mean(axis=0) <= high)
            ratios.append(error.se / made.labels_error(contrast).se)
    # A finite set of 529 items, of which 100 are labelled, is known better than all items like these.
    assert 0.94 < np.mean(held) < 0.985
    assert np.mean(ratios) <= 1.0
    assert max(ratios) < 1.05


def test_the_report_on_chrf_says_that_it_is_worth_nothing(shared_data: Callable[[str], Path]) -> None:
    names, chrf, mqm = wmt(shared_data)
    chosen = np.random.default_rng(1).choice(529, 100, replace=False)
    human = np.full(mqm.shape, np.nan)
    human[chosen] = mqm[chosen]
    found = bb.compare_judged(
        dict(zip(names, chrf.T, strict=True)), dict(zip(names, human.T, strict=True)),
        labels_drawn="random", metric=bb.ScoreMetric("score", greater_is_better=False),
    )  # fmt: skip
    assert found.scale == "different"
    assert max(abs(one.tuning[0]) for one in found.systems) < 0.05
    assert max(d.extra_labels or 0.0 for d in found) < 10


@pytest.mark.check
def test_the_label_of_a_strong_system_is_worth_something() -> None:
    with LANGID.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    systems = ("nb_12", "knn_3")
    judge = {name: np.array([row[name] == row["logreg_14"] for row in rows], dtype=float) for name in systems}
    truth = {name: np.array([row[name] == row["gold"] for row in rows], dtype=float) for name in systems}
    true = truth["nb_12"].mean() - truth["knn_3"].mean()
    rng = np.random.default_rng(20)
    held, ratios, extra = [], [], []
    for _ in range(1000):
        chosen = np.isin(np.arange(1000), rng.choice(1000, 100, replace=False))
        human = {name: np.where(chosen, values, np.nan) for name, values in truth.items()}
        one = bb.compare_judged(judge, human, labels_drawn="random")["nb_12", "knn_3"]
        held.append(true in one.interval)
        ratios.append(
            (one.interval.high - one.interval.low) / (one.labels_interval.high - one.labels_interval.low)
        )
        extra.append(one.extra_labels)
    assert 0.935 < np.mean(held) < 0.975
    assert np.mean(ratios) < 0.98
    assert np.mean(extra) > 5
