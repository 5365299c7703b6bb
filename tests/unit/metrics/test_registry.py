"""From names, metrics and functions to metrics."""

from __future__ import annotations

import functools
import subprocess
import sys

import numpy as np
import pytest
from sklearn import metrics as sk

from bestby._core.errors import InvalidInputError
from bestby.metrics import FunctionMetric, Metric, default, list_metrics, resolve, translation
from bestby.metrics.registry import FAMILIES


@pytest.mark.parametrize("row", list_metrics(), ids=lambda row: row.name)
def test_every_name_resolves_to_a_metric_of_that_name(row):
    name = row.name.replace("LABEL", "x]y")
    metric = resolve(name)
    assert metric.name == name
    assert repr(metric) == f"<metric {name}>"
    assert (metric.greater_is_better, metric.bounds, metric.needs_gold) == (
        row.greater_is_better,
        row.bounds,
        row.needs_gold,
    )
    assert row.description
    assert "\n" not in row.description


def test_names_are_those_of_scikit_learn_where_it_has_them():
    own = {
        "mean", "mean_loss", "mse", "rmse", "mae", "pearson", "spearman", "kendall", "cohen_kappa",
        "cross_entropy", "log_loss", "kl_divergence", "kl_divergence_reverse", "js_divergence",
        "js_divergence_bits", "js_distance", "brier", "ece", "entropy_similarity", "entropy_correlation",
        "soft_accuracy", "soft_precision_macro", "soft_recall_macro", "soft_f1_macro", "ordinal_mae", "emd",
    }  # fmt: skip
    # The families that come later have names of their fields.
    plain = {name for family in FAMILIES[: FAMILIES.index(translation)] for name in family.NAMES}
    assert plain >= own
    assert plain - own <= set(sk.get_scorer_names())


def test_the_usual_way_of_each_kind():
    ways = {row.name: row.way for row in list_metrics()}
    assert (ways["accuracy"], ways["f1_macro"], ways["pearson"], ways["roc_auc"]) == (
        "exact",
        "cells",
        "dense",
        "weighted",
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("f1_marco", "there is no metric 'f1_marco'; did you mean f1_macro or f1_micro?"),
        ("Accuracy", "there is no metric 'Accuracy'; did you mean accuracy or tag_accuracy?"),
        ("mcc", "there is no metric 'mcc'; did you mean matthews_corrcoef?"),
        ("neg_mean_squared_error", "there is no metric 'neg_mean_squared_error'; did you mean mse?"),
        ("zzz", "there is no metric 'zzz'"),
        ("-mean", "there is no metric '-mean'; did you mean mean"),
        ("accuracy[spam]", "accuracy takes no label, got 'accuracy[spam]'"),
        ("f1", "f1 needs a class or an average: f1[LABEL], f1_macro, f1_micro or f1_weighted"),
        ("", "there is no metric ''"),
    ],
)
def test_an_unknown_name(name, message):
    with pytest.raises(InvalidInputError) as error:
        resolve(name)
    assert error.value.message.startswith(message)
    assert error.value.hint == "`bestby metrics` lists them all"


def test_a_metric_is_itself():
    metric = resolve("accuracy")
    assert resolve(metric) is metric


def test_a_function():
    metric = resolve(sk.hamming_loss)
    assert isinstance(metric, FunctionMetric)
    assert (metric.name, metric.greater_is_better) == ("hamming_loss", False)
    assert resolve(sk.jaccard_score).greater_is_better


def test_a_partial_function_is_named_with_what_was_fixed():
    metric = resolve(functools.partial(sk.fbeta_score, beta=2, average="macro"))
    assert metric.name == "fbeta_score(beta=2, average='macro')"
    gold, predictions = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0])
    assert metric(gold, predictions) == sk.fbeta_score(gold, predictions, beta=2, average="macro")
    assert not resolve(functools.partial(sk.mean_pinball_loss, alpha=0.1)).greater_is_better


def test_an_object_that_only_looks_like_a_metric():
    class Bias:
        name = "bias"
        greater_is_better = False

        def statistics(self, gold, predictions):
            return np.column_stack([predictions - gold, np.ones(gold.size)])

        def score(self, totals):
            return totals[..., 0] / totals[..., 1]

    metric = resolve(Bias())
    assert isinstance(metric, Metric)
    assert (metric.name, metric.greater_is_better, metric.reads, metric.needs_gold) == (
        "bias",
        False,
        "numbers",
        True,
    )
    gold, predictions = np.array([1.0, 2.0]), np.array([2.0, 4.0])
    fitted = metric.fit(gold, [predictions], None)
    totals = fitted.statistics(gold, predictions).sum(axis=0)
    assert fitted.score(totals) == 1.5
    assert fitted.undefined(totals) is None


def test_an_object_with_its_own_fit_and_undefined():
    class Shifted:
        name = "shifted"
        reads = "labels"
        centre = 0.0

        def fit(self, gold, systems, labels):  # noqa: ARG002
            fitted = Shifted()
            fitted.centre = float(gold.mean())
            return fitted

        def statistics(self, gold, predictions):  # noqa: ARG002
            return (gold - self.centre)[:, None]

        def score(self, totals):
            return totals[..., 0]

        def undefined(self, totals):  # noqa: ARG002
            return "all of it"

    metric = resolve(Shifted())
    fitted = metric.fit(np.array([1.0, 3.0]), [], None)
    assert fitted.reads == "labels"
    assert fitted.statistics(np.array([1.0, 3.0]), None).tolist() == [[-1.0], [1.0]]
    assert fitted.undefined(np.zeros(1)) == "all of it"
    assert metric.inner.centre == 0.0


def test_a_class_is_no_metric():
    with pytest.raises(InvalidInputError) as error:
        resolve(FunctionMetric)
    assert (
        str(error.value)
        == "metric must be an object, got the class FunctionMetric\nhint: pass FunctionMetric()"
    )


def test_a_number_is_no_metric():
    with pytest.raises(InvalidInputError, match="metric must be a name, a metric or a function, got int"):
        resolve(3)


def test_a_user_metric_in_ten_lines(generator):
    class Bias(Metric):
        name = "bias"
        greater_is_better = False

        def statistics(self, gold, predictions):
            return np.column_stack([predictions - gold, np.ones(gold.size)])

        def score(self, totals):
            return np.abs(totals[..., 0] / totals[..., 1])

    metric = resolve(Bias())
    gold, predictions = generator.normal(size=40), generator.normal(size=40)
    weights = generator.integers(1, 3, size=(5, 40))
    expected = [abs(np.average(predictions - gold, weights=w)) for w in weights]
    np.testing.assert_allclose(
        metric.score(weights @ metric.statistics(gold, predictions)), expected, atol=1e-12
    )


@pytest.mark.parametrize(("without_gold", "name"), [(True, "mean"), (False, "accuracy")])
def test_default(without_gold, name):
    assert default(without_gold) == name


def test_importing_the_metrics_imports_no_heavy_library():
    code = (
        "import sys, bestby.metrics; "
        "print([m for m in ('scipy.stats', 'pandas', 'sklearn', 'duckdb') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_metrics_are_listed_by_family() -> None:
    rows = {row.name: row for row in list_metrics()}
    assert rows["accuracy"].family == "classification"
    assert "acc" in rows["accuracy"].aliases
    assert "mcc" in rows["matthews_corrcoef"].aliases
    translation = list_metrics("translation")
    assert {"bleu", "chrf"} <= {row.name for row in translation}
    assert 0 < len(translation) < len(rows)
    with pytest.raises(InvalidInputError, match="family must be one of"):
        list_metrics("nonsense")
