"""Both standard errors of pass@k are right: of other problems, and of other samples of the same problems.

2000 studies are simulated for each question. The standard deviation of the differences between studies is
known to 1 / sqrt(2 x 2000) = 1.6 percent, and the root of the mean estimated variance better than that: a
ratio within 7 percent of 1 fails by chance less than once in ten thousand seeds. The seed is fixed.
"""

from __future__ import annotations

import numpy as np
import pytest

from bestby.metrics.answers import PassAtK, within_variance

STUDIES, PROBLEMS, SAMPLES = 2000, 60, 10
WRONG = 0.07


def chances(rng: np.random.Generator, size: tuple[int, ...]) -> np.ndarray:
    """Return the chances of two systems on each problem: hard and easy problems are so for both."""
    p = rng.beta(0.7, 0.9, size)
    return np.stack([p, np.clip(p ** rng.uniform(0.6, 2.0, size), 0.0, 1.0)])


def values_of(samples: np.ndarray, k: int) -> np.ndarray:
    metric = PassAtK(f"pass@{k}", k)
    table = metric.values(None, [(SAMPLES, c) for c in range(SAMPLES + 1)])
    return table[samples]


@pytest.mark.parametrize("k", [1, 2, 5])
def test_other_problems(k: int) -> None:
    """The spread between problems holds that of their samples: nothing is to be added to it."""
    rng = np.random.default_rng(11 + k)
    samples = rng.binomial(SAMPLES, chances(rng, (STUDIES, PROBLEMS)))
    gaps = values_of(samples[0], k) - values_of(samples[1], k)
    spread = gaps.mean(axis=1).std(ddof=1)
    told = np.sqrt((gaps.var(axis=1, ddof=1) / PROBLEMS).mean())
    assert told / spread == pytest.approx(1.0, abs=WRONG)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_other_samples_of_the_same_problems(k: int) -> None:
    rng = np.random.default_rng(21 + k)
    p = chances(rng, (PROBLEMS,))
    samples = rng.binomial(SAMPLES, np.broadcast_to(p[:, None], (2, STUDIES, PROBLEMS)))
    gaps = values_of(samples[0], k) - values_of(samples[1], k)
    spread = gaps.mean(axis=1).std(ddof=1)
    within = within_variance(np.full(SAMPLES + 1, SAMPLES), np.arange(SAMPLES + 1), k)
    told = np.sqrt((within[samples].sum(axis=(0, 2)) / PROBLEMS**2).mean())
    assert told / spread == pytest.approx(1.0, abs=WRONG)
    of_problems = np.sqrt((gaps.var(axis=1, ddof=1) / PROBLEMS).mean())
    assert of_problems > 1.1 * spread  # the one is not an answer to the other
