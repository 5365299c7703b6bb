"""Published scores: how often what two scores allow holds what their predictions would say."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from bestby import compare, compare_published
from calibration.statements import Outcome, Statements, What

TITLE = "Published scores"

TEXT = """
Two systems of equal or different accuracy; the score of the second is rounded to three digits, and its
predictions are thrown away. *Other items*: rejections of equal shares of independent items, and coverage of
Newcombe's interval. *Always better* is claimed when McNemar's test rejects whatever the systems agree on.
*Range* is whether the p-value of McNemar's test of both predictions lies within the range that was given,
which it has to do always.
"""


def cells() -> Iterator[Statements]:
    """Yield differences and shares by size."""
    for share in (0.6, 0.9, 0.98):
        for n in (50, 200, 1000):
            for gap in (0.0, 0.02):
                one = partial(_one, share=share, gap=gap, n=n)
                name = f"share {share:g}, difference {gap:g}"
                yield Statements("published", name, str(n), n, one, datasets=500)


def _one(rng: np.random.Generator, _seed: int, share: float, gap: float, n: int) -> dict[What, Outcome]:
    hard = rng.random(n)
    same = {
        name: (0.5 * hard + 0.5 * rng.random(n) < _threshold(share - loss)).astype(np.int64)
        for name, loss in (("a", 0.0), ("b", gap))
    }
    others = (rng.random(n) < share - gap).astype(np.int64)
    own = (rng.random(n) < share).astype(np.int64)
    made: dict[What, Outcome] = {}
    unpaired = compare_published({"a": own}, published=f"{others.mean():.3f}", same_items=False)
    (answer,) = unpaired.answers
    made[What("coverage", "other items", True)] = Outcome(gap in answer.interval, False)
    if gap == 0.0:
        made[What("rejected", "other items", True)] = Outcome(unpaired.decided == "always", False)
    paired = compare_published({"a": same["a"]}, published=f"{same['b'].mean():.3f}")
    if gap == 0.0:
        made[What("rejected", "always better", True)] = Outcome(paired.decided == "always", False)
    p = compare(same, test="mcnemar", interval=None)["a", "b"].p_value
    low, high = (f(x for a in paired.answers[1:] for x in (a.p_low, a.p_high)) for f in (min, max))
    made[What("coverage", "range", False)] = Outcome(low * (1 - 1e-9) <= p <= high * (1 + 1e-9), False)
    return made


def _threshold(share: float) -> float:
    """Return the quantile of the mean of two uniform numbers."""
    return float(np.sqrt(share / 2.0)) if share <= 0.5 else 1.0 - float(np.sqrt((1.0 - share) / 2.0))
