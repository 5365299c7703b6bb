"""Every measure that has a name: what it is and how it is built."""

from __future__ import annotations

import re
from collections.abc import Callable

from bestby._core.errors import InvalidInputError
from bestby.metrics import (
    agreement,
    answers,
    calibration,
    chance,
    classification,
    correlation,
    language,
    multilabel,
    parsing,
    ranking,
    recognition,
    regression,
    retrieval,
    soft,
    soft_classes,
    soft_entropy,
    soft_ordered,
    spans,
    summarisation,
    tagging,
    translation,
)
from bestby.metrics.base import BaseMetric


def _with_bins(name: str, number: str) -> BaseMetric:
    if not re.fullmatch("[0-9]{1,9}", number):
        raise InvalidInputError(
            f"after the @ must stand a whole number, got {name!r}", hint="write it as in ece@10"
        )
    return calibration.ExpectedCalibrationError(name, int(number))


NAMES: dict[str, tuple[str, Callable[[str], BaseMetric]]] = {
    "mean": ("mean of one score per item", regression.Mean),
    "mean_loss": (
        "mean of one score per item, lower being better",
        lambda name: regression.Mean(name, greater_is_better=False),
    ),
    "accuracy": ("proportion of right predictions", classification.Accuracy),
    "balanced_accuracy": (
        "mean recall of the classes in the gold",
        lambda name: classification.BalancedAccuracy(name),
    ),
    "precision_micro": (
        "right predictions among those made",
        lambda name: classification.Micro(name, "precision"),
    ),
    "precision_macro": (
        "precision, every class counting the same",
        lambda name: classification.Averaged(name, "precision", "macro"),
    ),
    "precision_weighted": (
        "precision, classes weighted by their frequency in the gold",
        lambda name: classification.Averaged(name, "precision", "weighted"),
    ),
    "recall_micro": ("the same as accuracy", classification.Accuracy),
    "recall_macro": (
        "recall, every class counting the same",
        lambda name: classification.Averaged(name, "recall", "macro"),
    ),
    "recall_weighted": ("the same as accuracy", classification.Accuracy),
    "f1_micro": (
        "F1 over all decisions; accuracy if no prediction is missing",
        lambda name: classification.Micro(name, "f1"),
    ),
    "f1_macro": (
        "F1, every class counting the same",
        lambda name: classification.Averaged(name, "f1", "macro"),
    ),
    "f1_weighted": (
        "F1, classes weighted by their frequency in the gold",
        lambda name: classification.Averaged(name, "f1", "weighted"),
    ),
    "matthews_corrcoef": (
        "Matthews correlation, for any number of classes",
        chance.MatthewsCorrelation,
    ),
    "cohen_kappa": ("agreement with the gold beyond chance", chance.CohenKappa),
    "roc_auc": ("area under the ROC curve; the greater gold label is positive", ranking.RocAuc),
    "average_precision": (
        "average precision; the greater gold label is positive",
        ranking.AveragePrecision,
    ),
    "mse": ("mean squared error", lambda _: regression.MeanSquaredError()),
    "rmse": ("root of the mean squared error", lambda _: regression.RootMeanSquaredError()),
    "mae": ("mean absolute error", lambda _: regression.MeanAbsoluteError()),
    "r2": ("coefficient of determination", regression.R2),
    "pearson": ("linear correlation", correlation.Pearson),
    "spearman": ("rank correlation", correlation.Spearman),
    "kendall": ("rank correlation, tau-b", correlation.Kendall),
    "cross_entropy": ("cross-entropy under the gold, in nats", lambda _: soft.CrossEntropy()),
    "log_loss": ("negative logarithm of the probability of a hard gold", lambda _: soft.LogLoss()),
    "kl_divergence": ("Kullback-Leibler divergence of the predictions from the gold", soft.KullbackLeibler),
    "kl_divergence_reverse": (
        "Kullback-Leibler divergence of the gold from the predictions",
        lambda name: soft.KullbackLeibler(name, reverse=True),
    ),
    "js_divergence": ("Jensen-Shannon divergence, in nats", lambda _: soft.JensenShannon()),
    "js_divergence_bits": ("Jensen-Shannon divergence, in bits", lambda _: soft.JensenShannonBits()),
    "js_distance": (
        "root of each item's Jensen-Shannon divergence in nats",
        lambda _: soft.JensenShannonDistance(),
    ),
    "brier": ("Brier score, the sum over all classes", lambda _: soft.Brier()),
    "ece": (
        "expected calibration error, in 15 bins; ece@10 for ten",
        calibration.ExpectedCalibrationError,
    ),
    "entropy_similarity": (
        "cosine of the entropies of gold and predictions",
        soft_entropy.EntropySimilarity,
    ),
    "entropy_correlation": (
        "linear correlation of the entropies of gold and predictions",
        soft_entropy.EntropyCorrelation,
    ),
    "soft_accuracy": ("probability that gold and predictions share", lambda _: soft.SoftAccuracy()),
    "soft_precision_macro": (
        "fuzzy precision of soft labels, every class counting the same",
        lambda name: soft_classes.SoftMacro(name, "precision"),
    ),
    "soft_recall_macro": (
        "fuzzy recall of soft labels, every class counting the same",
        lambda name: soft_classes.SoftMacro(name, "recall"),
    ),
    "soft_f1_macro": (
        "fuzzy F1 of soft labels, every class counting the same",
        lambda name: soft_classes.SoftMacro(name, "f1"),
    ),
    "ordinal_mae": (
        "absolute difference of the expected positions of ordered classes",
        soft_ordered.OrdinalMAE,
    ),
    "emd": ("earth mover's distance between ordered classes", soft_ordered.EarthMover),
}

WITH_LABEL: dict[str, tuple[str, Callable[[str, str], BaseMetric]]] = {
    "precision": (
        "precision of one class",
        lambda name, label: classification.OneClass(name, "precision", label),
    ),
    "recall": ("recall of one class", lambda name, label: classification.OneClass(name, "recall", label)),
    "f1": ("F1 of one class", lambda name, label: classification.OneClass(name, "f1", label)),
    "roc_auc": ("area under the ROC curve of one class against the others", ranking.RocAuc),
    "average_precision": ("average precision of one class against the others", ranking.AveragePrecision),
    "soft_precision": (
        "fuzzy precision of one class of soft labels",
        lambda name, label: soft_classes.SoftOneClass(name, "precision", label),
    ),
    "soft_recall": (
        "fuzzy recall of one class of soft labels",
        lambda name, label: soft_classes.SoftOneClass(name, "recall", label),
    ),
    "soft_f1": (
        "fuzzy F1 of one class of soft labels",
        lambda name, label: soft_classes.SoftOneClass(name, "f1", label),
    ),
}

WITH_PART: dict[str, tuple[str, Callable[[str, str], BaseMetric]]] = {
    "ece": ("expected calibration error, with so many bins", _with_bins),
}

OTHERWISE_KNOWN_AS = {
    "acc": "accuracy",
    "ap": "average_precision",
    "auc": "roc_auc",
    "auroc": "roc_auc",
    "brier_score": "brier",
    "calibration": "ece",
    "calibration_error": "ece",
    "ce": "cross_entropy",
    "cor": "entropy_correlation",
    "crossentropy": "cross_entropy",
    "earth_mover": "emd",
    "earth_movers_distance": "emd",
    "jensen_shannon": "js_divergence",
    "js": "js_divergence",
    "jsd": "js_distance",
    "kappa": "cohen_kappa",
    "kl": "kl_divergence",
    "kld": "kl_divergence",
    "kullback_leibler": "kl_divergence",
    "loss": "mean_loss",
    "mcc": "matthews_corrcoef",
    "neg_brier_score": "brier",
    "neg_log_loss": "log_loss",
    "neg_mean_absolute_error": "mae",
    "neg_mean_squared_error": "mse",
    "neg_root_mean_squared_error": "rmse",
    "nll": "log_loss",
    "sim": "entropy_similarity",
    "tau": "kendall",
    "total_variation": "soft_accuracy",
    "wasserstein": "emd",
}

# Families with extras of their own say themselves what they hold.
FAMILIES = (
    translation,
    summarisation,
    answers,
    language,
    recognition,
    parsing,
    tagging,
    spans,
    multilabel,
    retrieval,
    agreement,
)
for _family in FAMILIES:
    NAMES.update(_family.NAMES)
    WITH_LABEL.update(getattr(_family, "WITH_LABEL", {}))
    WITH_PART.update(getattr(_family, "PATTERNS", {}))

_SHOWN = {"pass": "1", "bleu": "13a", "bleu_segment_mean": "13a", "ece": "10"}


def part_shown(name: str) -> str:
    """Return what stands behind the @ in the list of metrics, as an example.

    >>> part_shown("ndcg"), part_shown("span_f1")
    ('10', 'IOB2')
    """
    return "IOB2" if name.startswith("span_") else _SHOWN.get(name, "10")


SPELLINGS = retrieval.ALIASES
"""Other spellings that are taken for a name: those of a reference library."""
