"""The corrected mean of one system beside ppi-python, which its authors wrote."""

from __future__ import annotations

import numpy as np
import pytest

from bestby.questions.judged.labelled import Labelled, label_weights
from bestby.questions.judged.prediction_powered import corrected

ppi = pytest.importorskip("ppi_py", reason="needs ppi-python: pip install ppi-python")


@pytest.mark.parametrize("seed", range(5))
def test_a_mean_of_one_system(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, size = 120, 2000
    truth = rng.standard_normal(size) + 3.0
    judge = 0.8 * truth + 0.5 * rng.standard_normal(size)
    human = np.where(np.arange(size) < n, truth, np.nan)[:, None]
    nothing, items = np.zeros(size, dtype=np.int64), np.arange(size)
    data = Labelled(judge[:, None, None], human, label_weights(~np.isnan(human), nothing), nothing, items)
    made = corrected(data)
    # Ours is on the mean of all items, theirs on that of the items without a label.
    tuned = float(made.coefficients[0, 0, 0, 0]) * (size - n) / size
    theirs = ppi.ppi_mean_pointestimate(truth[:n], judge[:n], judge[n:], lam=tuned)
    assert made.scores[0] == pytest.approx(float(np.squeeze(theirs)), abs=1e-10)
    low, high = ppi.ppi_mean_ci(truth[:n], judge[:n], judge[n:], alpha=0.05, lam=tuned)
    error = made.error(np.ones(1))
    assert error.se == pytest.approx(float(np.squeeze(high - low)) / 2 / 1.959964, rel=0.05)
    chosen = ppi.ppi_mean_pointestimate(truth[:n], judge[:n], judge[n:])  # tuned by their formula
    assert made.scores[0] == pytest.approx(float(np.squeeze(chosen)), abs=0.5 * error.se)
