"""Metrics beside other libraries, on random data with ties, rare classes and odd texts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk
from tests.differential.rounds import generator, rounds

import bestby as bb

Arrays = tuple[Any, Any, Any]


def _scores(metric: str, a: Any, b: Any, gold: Any, **named: Any) -> list[float]:
    """Return the scores of two systems; the intervals are those that draw no resamples, or few."""
    result = bb.compare({"a": a, "b": b}, gold, metric=metric, n_resamples=20, test="bootstrap", **named)
    return [result.score(name).score for name in "ab"]


# -- labels ----------------------------------------------------------------------------------------


def _labels(rng: np.random.Generator) -> Arrays:
    """Return labels of two to six classes, some of them rare, or absent from a system or from the gold."""
    n, classes = int(rng.integers(6, 80)), int(rng.integers(2, 7))
    chances = rng.dirichlet(np.full(classes, 0.7))
    gold, a, b = (rng.choice(classes, n, p=chances) for _ in range(3))
    keep = rng.random(n) < rng.uniform(0.2, 0.95)
    a = np.where(keep, gold, a)
    a[0], b[0] = gold[0], gold[0]
    return a, b, gold


def _averaged(name: str, average: str) -> Callable[[Any, Any], float]:
    measure = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score}[name]

    def score(gold: Any, predictions: Any) -> float:
        labels = np.unique(gold) if average == "macro" else None
        return float(measure(gold, predictions, labels=labels, average=average, zero_division=0))

    return score


OF_LABELS: dict[str, Callable[[Any, Any], float]] = {
    "accuracy": sk.accuracy_score,
    "cohen_kappa": sk.cohen_kappa_score,
    "matthews_corrcoef": sk.matthews_corrcoef,
    **{
        f"{name}_{average}": _averaged(name, average)
        for name in ("precision", "recall", "f1")
        for average in ("micro", "macro", "weighted")
    },
}


@rounds(4)
@pytest.mark.parametrize("metric", OF_LABELS)
def test_metrics_of_labels_are_those_of_scikit_learn(metric: str, number: int) -> None:
    rng = generator(metric, number)
    a, b, gold = _labels(rng)
    if metric == "cohen_kappa" and len(set(gold)) == 1:
        gold[0] = gold[0] + 1
    found = _scores(metric, a, b, gold)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns of a single class
        expected = [OF_LABELS[metric](gold, a), OF_LABELS[metric](gold, b)]
    assert found == pytest.approx(expected, abs=1e-12)


# -- numbers ---------------------------------------------------------------------------------------


def _numbers(rng: np.random.Generator) -> Arrays:
    """Return numbers with ties, far from zero or in small units."""
    n = int(rng.integers(6, 80))
    gold = rng.normal(size=n)
    a, b = (gold + rng.normal(0.0, rng.uniform(0.1, 2.0), n) for _ in range(2))
    if rng.random() < 0.4:
        gold, a, b = (np.round(values, 0) + np.arange(n) % 2 for values in (gold, a, b))
    unit, offset = 10.0 ** rng.integers(-6, 7), float(rng.choice([0.0, 0.0, 1000.0]))
    return unit * (a + offset), unit * (b + offset), unit * (gold + offset)


OF_NUMBERS: dict[str, Callable[[Any, Any], float]] = {
    "mse": sk.mean_squared_error,
    "rmse": lambda gold, predictions: float(np.sqrt(np.mean((gold - predictions) ** 2))),
    "mae": sk.mean_absolute_error,
    "r2": sk.r2_score,
    "pearson": lambda gold, predictions: float(stats.pearsonr(gold, predictions).statistic),
    "spearman": lambda gold, predictions: float(stats.spearmanr(gold, predictions).statistic),
    "kendall": lambda gold, predictions: float(stats.kendalltau(gold, predictions).statistic),
}


@rounds(4)
@pytest.mark.parametrize("metric", OF_NUMBERS)
def test_metrics_of_numbers_are_those_of_scipy_and_scikit_learn(metric: str, number: int) -> None:
    a, b, gold = _numbers(generator(metric, number))
    expected = [OF_NUMBERS[metric](gold, a), OF_NUMBERS[metric](gold, b)]
    assert _scores(metric, a, b, gold) == pytest.approx(expected, rel=1e-7)


@rounds(4)
@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
def test_ranking_metrics_are_those_of_scikit_learn(metric: str, number: int) -> None:
    rng = generator(metric, number)
    n = int(rng.integers(6, 80))
    gold = (rng.random(n) < rng.uniform(0.1, 0.9)).astype(int)
    gold[:2] = 0, 1
    a, b = (np.round(gold + rng.normal(0.0, rng.uniform(0.2, 3.0), n), int(rng.integers(0, 4))) for _ in "ab")
    measure = {"roc_auc": sk.roc_auc_score, "average_precision": sk.average_precision_score}[metric]
    assert _scores(metric, a, b, gold) == pytest.approx([measure(gold, a), measure(gold, b)], abs=1e-12)


@rounds(4)
@pytest.mark.parametrize("metric", ["log_loss", "brier"])
def test_metrics_of_probabilities_are_those_of_scikit_learn(metric: str, number: int) -> None:
    rng = generator(metric, number)
    n, classes = int(rng.integers(6, 60)), int(rng.integers(2, 6))
    gold = rng.integers(0, classes, n)
    a, b = (rng.dirichlet(np.full(classes, rng.uniform(0.3, 3.0)), n) * 0.99 + 0.01 / classes for _ in "ab")
    expected = [
        float(sk.log_loss(gold, rows, labels=range(classes)))
        if metric == "log_loss"
        else float(((rows - np.eye(classes)[gold]) ** 2).sum(axis=1).mean())
        for rows in (a, b)
    ]
    assert _scores(metric, a, b, gold) == pytest.approx(expected, rel=1e-9)


# -- texts -----------------------------------------------------------------------------------------

WORDS = ["the", "cat", "sat", "on", "a", "mat", ",", ".", "Zürich", "1,000", "don't", "語", "", "e-mail"]


def _texts(rng: np.random.Generator) -> tuple[list[str], list[str], list[str]]:
    """Return sentences: a reference, and two systems that change some words; some are empty."""
    n = int(rng.integers(4, 20))
    gold = [" ".join(rng.choice(WORDS, rng.integers(1, 12))).strip() or "cat" for _ in range(n)]

    def changed(text: str, rate: float) -> str:
        words = [str(rng.choice(WORDS)) if rng.random() < rate else word for word in text.split()]
        return " ".join(word for word in words if rng.random() > rate / 3)

    return [changed(text, 0.2) for text in gold], [changed(text, 0.5) for text in gold], gold


@rounds(3)
@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_metrics_of_translations_are_those_of_sacrebleu(metric: str, number: int) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    a, b, gold = _texts(generator(metric, number))
    measure = {"bleu": sacrebleu.corpus_bleu, "chrf": sacrebleu.corpus_chrf, "ter": sacrebleu.corpus_ter}
    expected = [measure[metric](texts, [gold]).score for texts in (a, b)]
    assert _scores(metric, a, b, gold) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@rounds(3)
@pytest.mark.parametrize("metric", ["wer", "cer"])
def test_error_rates_are_those_of_jiwer(metric: str, number: int) -> None:
    jiwer = pytest.importorskip("jiwer")
    a, b, gold = _texts(generator(metric, number))
    expected = [getattr(jiwer, metric)(gold, texts) for texts in (a, b)]
    assert _scores(metric, a, b, gold) == pytest.approx(expected, rel=1e-9, abs=1e-12)
