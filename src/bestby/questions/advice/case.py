"""What is known about a comparison before it is made, and the nature of metrics."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.metrics import FunctionMetric, MeanMetric, Metric, WeightedMetric, list_metrics, resolve


class Nature(NamedTuple):
    """What matters of a metric here.

    `mean_of_items` says whether it is the mean of one number per item. `binary` says whether that number is 0
    or 1. `of_sums` says whether it is a function of sums over items; ranks are not.
    """

    name: str
    mean_of_items: bool
    binary: bool
    of_sums: bool


_KINDS = {
    (True, True): "exact_match em error_rate",
    (True, False): "bertscore cider comet log_loss map meteor mrr ndcg pass pinc rouge sentence_bleu token_f1"
    " win_rate",
    (False, False): "b_cubed blanc bleu ceaf cer chrf f1 fleiss_kappa krippendorff_alpha las muc perplexity"
    " precision recall span_f1 ter uas wer",
}

# Metrics that are no name of the registry. Where two definitions are in use (METEOR: the mean of the
# segments, or their statistics summed), the one that assumes less: what holds for a function of sums
# holds for a mean.
KNOWN = {name: kind for kind, names in _KINDS.items() for name in names.split()}
"""Whether metrics from elsewhere are means over items, and of 0/1 values."""


_VARIANT = re.compile(r"[-_]?(\d+|l|lsum)$|@\w+$|\+\+$")


def known(name: str) -> tuple[bool, bool] | None:
    """Return whether a metric from elsewhere is a mean over items, and of 0/1 values.

    None if it is unknown.
    """
    plain = re.sub(r"[- ]+", "_", name.strip().lower())
    return KNOWN.get(plain) or KNOWN.get(_VARIANT.sub("", plain))


def nature(metric: Any, mean_of_items: bool | None = None, binary: bool | None = None) -> Nature:
    """Return what matters of a metric here."""
    if isinstance(metric, str) and (found := known(metric)) is not None:
        name, (is_mean, is_binary), of_sums = metric, found, True
    elif isinstance(metric, str) and mean_of_items is not None and not _has_name(metric):
        name, is_mean, is_binary, of_sums = metric, mean_of_items, False, mean_of_items
    else:
        name, is_mean, is_binary, of_sums = _resolved(metric, mean_of_items)
    is_mean = is_mean if mean_of_items is None else mean_of_items
    is_binary = is_binary if binary is None else binary
    if is_binary and not is_mean:
        if binary:
            raise InvalidInputError(
                f"{name} cannot be 0 or 1 per item without being a mean over items",
                hint="say mean_of_items=True if it is one",
            )
        is_binary = False
    return Nature(name, is_mean, is_binary, of_sums or is_mean)


def is_rank_metric(metric: str) -> bool:
    """Tell whether this is the name of a metric made of ranks.

    >>> is_rank_metric("roc_auc"), is_rank_metric("pearson"), is_rank_metric("a metric of my own")
    (True, False, False)
    """
    try:
        return isinstance(resolve(metric), WeightedMetric)
    except InvalidInputError:
        return False


def _has_name(metric: str) -> bool:
    names = [row.name.partition("[")[0] for row in list_metrics()]
    return metric.partition("[")[0] in names


def _resolved(metric: Any, mean_of_items: bool | None) -> tuple[str, bool, bool, bool]:
    try:
        found = resolve(metric)
    except InvalidInputError as error:
        raise InvalidInputError(
            error.message,
            argument=error.argument,
            hint="`bestby metrics` lists them; of a metric of your own say whether it is a mean of one number"
            " per item: mean_of_items=True or mean_of_items=False",
        ) from error
    if mean_of_items is None and isinstance(found, FunctionMetric):
        raise InvalidInputError(
            f"nothing is known of the metric {quoted(found.name)}",
            hint="mean_of_items=True if it is the mean of one number per item, mean_of_items=False if not",
        )
    of_sums = isinstance(found, Metric)
    return found.name, isinstance(found, MeanMetric), bool(getattr(found, "binary", False)), of_sums
