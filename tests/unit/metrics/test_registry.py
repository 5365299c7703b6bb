"""From names, metrics and functions to metrics."""

from __future__ import annotations

import functools
import math
import subprocess
import sys

import numpy as np
import pytest
from sklearn import metrics as sk

from bestby._core.errors import InvalidInputError, MissingExtraError
from bestby.metrics import FunctionMetric, list_metrics, resolve, translation
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


KINDS = {
    ("numbers", False, True, (-np.inf, np.inf)): "mean",
    ("numbers", False, False, (-np.inf, np.inf)): "mean_loss",
    ("numbers", True, False, (0.0, np.inf)): "mse mae rmse",
    ("numbers", True, True, (-np.inf, 1.0)): "r2",
    ("numbers", True, True, (-1.0, 1.0)): "pearson spearman kendall",
    ("labels", True, True, (0.0, 1.0)): "accuracy balanced_accuracy precision_micro precision_macro"
    " precision_weighted recall_micro recall_macro recall_weighted f1_micro f1_macro f1_weighted"
    " precision[LABEL] recall[LABEL] f1[LABEL]",
    ("labels", True, True, (-1.0, 1.0)): "matthews_corrcoef cohen_kappa",
    ("raw", True, True, (0.0, 1.0)): "roc_auc average_precision roc_auc[LABEL] average_precision[LABEL]",
    ("distributions", True, False, (0.0, np.inf)): "cross_entropy log_loss kl_divergence"
    " kl_divergence_reverse ordinal_mae emd",
    ("distributions", True, False, (0.0, math.log(2.0))): "js_divergence",
    ("distributions", True, False, (0.0, math.sqrt(math.log(2.0)))): "js_distance",
    ("distributions", True, False, (0.0, 2.0)): "brier",
    ("distributions", True, False, (0.0, 1.0)): "js_divergence_bits ece ece@10",
    ("distributions", True, True, (0.0, 1.0)): "soft_accuracy entropy_similarity soft_precision_macro"
    " soft_recall_macro soft_f1_macro soft_precision[LABEL] soft_recall[LABEL] soft_f1[LABEL]",
    ("distributions", True, True, (-1.0, 1.0)): "entropy_correlation",
    ("objects", True, True, (0.0, 100.0)): "bleu bleu@13a chrf chrf++ bleu_segment_mean"
    " bleu_segment_mean@13a chrf_segment_mean chrf++_segment_mean",
    ("objects", True, False, (0.0, np.inf)): "ter ter_segment_mean wer cer",
    ("objects", True, False, (0.0, 1.0)): "mer wil",
    ("objects", False, False, (1.0, np.inf)): "perplexity",
    ("objects", False, False, (0.0, np.inf)): "bits_per_byte bits_per_token",
    ("objects", False, True, (0.0, 1.0)): "pass@1 pass^1",
    ("objects", False, True, (-1.0, 1.0)): "krippendorff_alpha krippendorff_alpha_ordinal"
    " krippendorff_alpha_interval krippendorff_alpha_ratio fleiss_kappa",
}
"""What metrics read, whether they need gold, whether more is better, and their bounds. All others read
objects beside a gold, and score from 0 to 1, more being better."""


def test_what_metrics_say_of_themselves() -> None:
    listed = {row.name: row for row in list_metrics()}
    kinds = {name: kind for kind, names in KINDS.items() for name in names.split()}
    assert kinds.keys() <= listed.keys()
    for name, row in listed.items():
        reads, needs_gold, greater_is_better, bounds = kinds.get(name, ("objects", True, True, (0.0, 1.0)))
        assert (resolve(name).reads, row.needs_gold, row.greater_is_better) == (
            reads, needs_gold, greater_is_better,
        ), name  # fmt: skip
        assert row.bounds == pytest.approx(bounds), name


def test_the_usual_way_of_each_kind() -> None:
    ways = {row.name: row.way for row in list_metrics()}
    exact = "accuracy mse brier rouge1 ndcg em pass@1 bleu_segment_mean subset_accuracy uas_sentence"
    dense = "pearson rmse ece soft_f1_macro bleu meteor_corpus wer span_f1 uas perplexity fleiss_kappa"
    assert {ways[name] for name in exact.split()} == {"exact"}
    assert {ways[name] for name in dense.split()} == {"dense"}
    assert (ways["f1_macro"], ways["f1[LABEL]"], ways["roc_auc"], ways["kendall"]) == (
        "cells",
        "cells",
        "weighted",
        "weighted",
    )


def test_building_metrics_imports_no_heavy_and_no_optional_library() -> None:
    code = (
        "import sys; from bestby.metrics import list_metrics, resolve;"
        "[resolve(row.name).bounds for row in list_metrics()];"
        "print(sorted({name.split('.')[0] for name in sys.modules} & set('pandas sklearn duckdb seqeval'"
        " ' conllu sacrebleu jiwer nltk rouge_score ir_measures'.split())), 'scipy.stats' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[] False"


@pytest.mark.parametrize(
    ("names", "module", "line"),
    [
        ("bleu chrf chrf++ ter bleu_segment_mean ter_segment_mean", "sacrebleu", "sacrebleu mt"),
        ("wer cer mer wil wip", "jiwer", "jiwer asr"),
        ("rouge1 rougeL", "rouge_score.rouge_scorer", "rouge-score summaries"),
        ("meteor meteor_corpus", "nltk.translate.meteor_score", "nltk summaries"),
        ("span_f1 span_f1_macro", "seqeval", "seqeval spans"),
        ("ndcg mrr@10", "ir_measures", "ir-measures ir"),
    ],
)
def test_the_library_that_a_metric_lacks_is_named(
    names: str, module: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    library, extra = line.split()
    for name in names.split():
        item = {"ir": {"d": 1}, "spans": ["B-A"]}.get(extra, "a")
        gold = [item, item]
        with pytest.raises(MissingExtraError) as caught:
            resolve(name).fit(gold, [gold], None).statistics(gold, gold)
        assert str(caught.value) == f"{library} is not installed\nhint: pip install 'bestby[{extra}]'", name
