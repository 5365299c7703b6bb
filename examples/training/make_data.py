"""Train three classifiers of digits on five samples, with five seeds in each, and write all they said.

Run it from anywhere: ``python examples/training/make_data.py [FOLDER]``. It is deterministic: the same
scikit-learn gives the same file, byte for byte.
"""

from __future__ import annotations

import csv
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

N_TEST = 150
N_SAMPLES, SIZE, N_SEEDS = 5, 100, 5
SYSTEMS = ("trees", "linear", "network")


def build(system: str, seed: int) -> Any:
    """Return a system, not yet trained; the seed decides all that is random in its training."""
    match system:
        case "trees":  # which splits are tried
            return ExtraTreesClassifier(20, random_state=seed)
        case "linear":  # the order of the images
            model = SGDClassifier(loss="log_loss", alpha=0.001, max_iter=20, tol=None, random_state=seed)
        case _:  # the first weights and the order of the images
            steps = {"solver": "sgd", "learning_rate_init": 0.05, "max_iter": 60, "n_iter_no_change": 60}
            model = MLPClassifier((16,), **steps, random_state=seed)
    return make_pipeline(StandardScaler(), model)


def main(folder: Path) -> None:
    """Write the table."""
    warnings.simplefilter("ignore", ConvergenceWarning)  # the network makes 60 passes, converged or not
    digits = load_digits()
    order = np.random.default_rng(2026).permutation(len(digits.data))
    test, train = order[:N_TEST], order[N_TEST:]
    with (folder / "predictions.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["system", "sample", "seed", "item", "gold", "prediction"])
        for system in SYSTEMS:
            for sample in range(N_SAMPLES):
                # The samples share no image, and no seed is used in two of them
                images = train[sample * SIZE : (sample + 1) * SIZE]
                for seed in range(N_SEEDS * sample + 1, N_SEEDS * (sample + 1) + 1):
                    model = build(system, seed).fit(digits.data[images], digits.target[images])
                    labels = model.predict(digits.data[test])
                    for item, label in zip(test, labels, strict=True):
                        rows.writerow([system, sample + 1, seed, item, digits.target[item], label])


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
