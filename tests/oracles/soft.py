"""Metrics of soft labels in plain loops, as their papers write them; no package code.

Gold and predictions are lists of rows, one probability per class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Row = Sequence[float]
Rows = Sequence[Row]

LEAST = 1e-12


def _log(p: float) -> float:
    return math.log(max(p, LEAST))


def _mean(of_item: Callable[[Row, Row], float]) -> Callable[[Rows, Rows], float]:
    def score(gold: Rows, predictions: Rows) -> float:
        return math.fsum(of_item(p, q) for p, q in zip(gold, predictions, strict=True)) / len(gold)

    return score


def _cross_entropy(p: Row, q: Row) -> float:
    return -math.fsum(a * _log(b) for a, b in zip(p, q, strict=True))


def _log_loss(p: Row, q: Row) -> float:
    return -_log(q[list(p).index(1.0)])


def _kl(p: Row, q: Row) -> float:
    return math.fsum(a * (_log(a) - _log(b)) for a, b in zip(p, q, strict=True) if a > 0)


def _js(p: Row, q: Row) -> float:
    total = 0.0
    for a, b in zip(p, q, strict=True):
        middle = (a + b) / 2
        total += a * math.log(a / middle) / 2 if a > 0 else 0.0
        total += b * math.log(b / middle) / 2 if b > 0 else 0.0
    return max(total, 0.0)


def _brier(p: Row, q: Row) -> float:
    return math.fsum((a - b) ** 2 for a, b in zip(p, q, strict=True))


def _shared(p: Row, q: Row) -> float:
    return math.fsum(min(a, b) for a, b in zip(p, q, strict=True))


def _expected(p: Row) -> float:
    return math.fsum(k * a for k, a in enumerate(p))


def _moved(p: Row, q: Row) -> float:
    """Carry the surplus of each class on to the next."""
    work = carried = 0.0
    for a, b in zip(p, q, strict=True):
        carried += a - b
        work += abs(carried)
    return work


def _entropy(p: Row) -> float:
    return -math.fsum(a * math.log(a) for a in p if a > 0) / math.log(len(p))


def entropy_similarity(gold: Rows, predictions: Rows) -> float:
    x, y = [_entropy(q) for q in predictions], [_entropy(p) for p in gold]
    product = math.fsum(a * b for a, b in zip(x, y, strict=True))
    return product / math.sqrt(math.fsum(a * a for a in x) * math.fsum(b * b for b in y))


def entropy_correlation(gold: Rows, predictions: Rows) -> float:
    x, y = [_entropy(q) for q in predictions], [_entropy(p) for p in gold]
    mx, my = math.fsum(x) / len(x), math.fsum(y) / len(y)
    product = math.fsum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    return product / math.sqrt(math.fsum((a - mx) ** 2 for a in x) * math.fsum((b - my) ** 2 for b in y))


def ece(gold: Rows, predictions: Rows, bins: int = 15) -> float:
    total = 0.0
    for b in range(1, bins + 1):
        gaps = []
        for p, q in zip(gold, predictions, strict=True):
            top = max(q)
            if (b - 1) / bins < top <= b / bins:
                gaps.append(p[list(q).index(top)] - top)
        total += abs(math.fsum(gaps)) / len(gold)
    return total


def _per_class(part: str, gold: Rows, predictions: Rows, k: int) -> float:
    shared = math.fsum(min(p[k], q[k]) for p, q in zip(gold, predictions, strict=True))
    due, made = math.fsum(p[k] for p in gold), math.fsum(q[k] for q in predictions)
    precision, recall = shared / made if made else 0.0, shared / due if due else 0.0
    if part == "f1":
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return precision if part == "precision" else recall


def fuzzy(part: str, k: int | None = None) -> Callable[[Rows, Rows], float]:
    """Return fuzzy precision, recall or F1 of class k, or their mean over the classes."""

    def score(gold: Rows, predictions: Rows) -> float:
        classes = range(len(gold[0])) if k is None else [k]
        values = [_per_class(part, gold, predictions, one) for one in classes]
        return math.fsum(values) / len(values)

    return score


MEASURES: dict[str, Callable[[Rows, Rows], float]] = {
    "cross_entropy": _mean(_cross_entropy),
    "kl_divergence": _mean(_kl),
    "kl_divergence_reverse": _mean(lambda p, q: _kl(q, p)),
    "js_divergence": _mean(_js),
    "js_divergence_bits": _mean(lambda p, q: _js(p, q) / math.log(2)),
    "js_distance": _mean(lambda p, q: math.sqrt(_js(p, q))),
    "brier": _mean(_brier),
    "ece": ece,
    "ece@4": lambda gold, predictions: ece(gold, predictions, 4),
    "entropy_similarity": entropy_similarity,
    "entropy_correlation": entropy_correlation,
    "soft_accuracy": _mean(_shared),
    "soft_precision_macro": fuzzy("precision"),
    "soft_recall_macro": fuzzy("recall"),
    "soft_f1_macro": fuzzy("f1"),
    "soft_precision[0]": fuzzy("precision", 0),
    "soft_recall[0]": fuzzy("recall", 0),
    "soft_f1[0]": fuzzy("f1", 0),
    "ordinal_mae": _mean(lambda p, q: abs(_expected(p) - _expected(q))),
    "emd": _mean(_moved),
}
"""Every metric that takes soft gold; `log_loss` takes hard gold only."""

HARD_GOLD: dict[str, Callable[[Rows, Rows], float]] = {"log_loss": _mean(_log_loss)}
