"""One tool on the data sets of one cell; runs in an environment of its own, with no part of bestby.

    python calibration/rivals_worker.py TOOL MEASURE DATA.npz     # prints one line of JSON per data set

DATA.npz holds the predictions or scores of both systems and the gold, shape (D, n). A line holds the ends
of each interval of A minus B and each p-value, by name. For sacrebleu MEASURE is "BLEU" and data sets are
drawn here: DATA is "SEED,D,n".
"""

# ruff: noqa: E402  the number of threads must be set before NumPy is loaded

from __future__ import annotations

import os

for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import json
import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

RESAMPLES = 999
FEWER = 499
"""Resamples of tools that call the metric once per resample."""

Found = dict[str, Any]


def accuracy(predictions: Any, gold: Any) -> Any:
    return (predictions == gold).mean(axis=-1)


def mean(predictions: Any, gold: Any) -> Any:  # noqa: ARG001
    return predictions.mean(axis=-1)


def score(predictions: Any, gold: Any) -> Any:
    """The mean again, of scores that are one per run."""
    return mean(predictions, gold)


def f1_macro(predictions: Any, gold: Any) -> Any:
    """Macro-F1 along the last axis over the classes 0, 1 and 2; a class that nobody names counts as 0."""
    total = 0.0
    for label in range(3):
        guessed, true = predictions == label, gold == label
        both = (guessed & true).sum(axis=-1)
        total = total + 2.0 * both / np.maximum(guessed.sum(axis=-1) + true.sum(axis=-1), 1)
    return total / 3.0


MEASURES: dict[str, Callable[[Any, Any], Any]] = {
    "accuracy": accuracy,
    "macro-F1": f1_macro,
    "skewed mean": mean,
    "mean of runs": score,
}


def scipy(a: Any, b: Any, gold: Any, measure: Any) -> Found:
    from scipy import stats

    def statistic(x: Any, y: Any, z: Any, axis: int = -1) -> Any:  # noqa: ARG001
        return measure(x, z) - measure(y, z)

    settings: dict[str, Any] = {"paired": True, "vectorized": True, "rng": 1}
    drawn = stats.bootstrap(
        (a, b, gold), statistic, n_resamples=RESAMPLES, method="percentile", batch=200, **settings
    )
    found = {"percentile": tuple(drawn.confidence_interval)}
    corrected = stats.bootstrap(
        (a, b, gold), statistic, n_resamples=0, bootstrap_result=drawn, method="BCa", batch=200, **settings
    )
    return found | {"BCa": tuple(corrected.confidence_interval)}


def bootci(a: Any, b: Any, gold: Any, measure: Any) -> Found:
    from BootCI.Fisher_Pitman_paired_test import fpreptest
    from BootCI.paired_bootstrap_interval import Bootstrap

    made = Bootstrap(a, b, gold, stat=measure, n_iter=FEWER)
    made.get_distribution()
    # "sampling" is BootCI's word for the quantiles of the replicates.
    called = {"BCa": "bias_corrected", "percentile": "sampling"}
    found: Found = {name: tuple(made.get_confidence_interval(0.05, word)) for name, word in called.items()}
    return found | {"p, Fisher-Pitman": float(fpreptest(a, b, gold, measure, n_iter=FEWER))}


def stambo(a: Any, b: Any, gold: Any, measure: Any) -> Found:
    import stambo as tool

    metric = tool.metrics.Metric(lambda true, predictions: float(measure(predictions, true)))
    made = tool.compare_models(gold, a, b, metrics=(metric,), n_bootstrap=FEWER, seed=1, silent=True)
    row = next(iter(made.values()))  # p, then the second minus the first with its ends
    return {"percentile": (-float(row[3]), -float(row[2])), "p, bootstrap": float(row[0])}


def evalstats(a: Any, b: Any, gold: Any, measure: Any) -> Found:
    import evalstats as tool
    import pandas as pd

    if measure is accuracy:
        a, b = (a == gold).astype(float), (b == gold).astype(float)
    n = a.size
    frame = pd.DataFrame(
        {"model": np.repeat(["a", "b"], n), "item": np.tile(np.arange(n), 2), "score": np.r_[a, b]}
    )
    pair = tool.compare(tool.load_from(frame), factors="model").to_dict()["pairwise"][0]
    found: Found = {"as it comes": (float(pair["ci_low"]), float(pair["ci_high"]))}
    return found if pair["p_value"] is None else found | {"p, as it comes": float(pair["p_value"])}


def deepsig(a: Any, b: Any, gold: Any, measure: Any) -> Found:
    import deepsig as tool

    if measure is accuracy:
        a, b = (a == gold).astype(float), (b == gold).astype(float)
    tests = {"bootstrap": tool.bootstrap_test, "permutation": tool.permutation_test}
    found: Found = {}
    if measure is score:
        epsilon = tool.aso(a.tolist(), b.tolist(), seed=1, show_progress=False)
        found = {f"p, ε_min < {limit}": float(epsilon >= limit) for limit in (0.5, 0.2)}
    return found | {
        f"p, {name}, one-sided": float(test(a.tolist(), b.tolist(), num_samples=FEWER, seed=1))
        for name, test in tests.items()
    }


TOOLS: dict[str, Callable[[Any, Any, Any, Any], Found]] = {
    "scipy": scipy,
    "BootCI": bootci,
    "stambo": stambo,
    "evalstats": evalstats,
    "deepsig": deepsig,
}


def sacrebleu(seed: int, datasets: int, n: int) -> Iterator[Found]:
    """Yield the p-values of sacrebleu's two paired tests of BLEU."""
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from calibration import null_texts

    rng = np.random.default_rng(seed)
    for _ in range(datasets):
        references, a, b = null_texts.draw(rng, n)
        found: Found = {}
        for name, kind in (("bootstrap", "bs"), ("approximate randomization", "ar")):
            test = PairedTest(
                [("a", a), ("b", b)], {"BLEU": BLEU()}, [references], test_type=kind, n_samples=RESAMPLES
            )
            found[f"p, {name}"] = float(test()[1]["BLEU"][1].p_value)
        yield found


def answer(tool: str, measure: str, a: Any, b: Any, gold: Any) -> Found:
    """Return what a tool finds, or by what kind of error it fails."""
    try:
        return TOOLS[tool](a, b, gold, MEASURES[measure])
    except Exception as problem:  # whatever it is, it is the tool's answer
        return {"failed": type(problem).__name__}


def main() -> None:
    tool, measure, data = sys.argv[1:]
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    np.random.seed(1)  # noqa: NPY002  BootCI draws from NumPy's global generator
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the tool prints is no answer
    if tool == "sacrebleu":
        found = sacrebleu(*map(int, data.split(",")))
    else:
        with np.load(data) as stored:
            sets = zip(stored["a"], stored["b"], stored["gold"], strict=True)
        found = (answer(tool, measure, a, b, gold) for a, b, gold in sets)
    for line in found:
        answers.write(json.dumps(line) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
