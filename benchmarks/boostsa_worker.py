"""Runs BooStSa, in an environment of its own, for boostsa.py and calibration/resample_size.py.

    echo '{"kind": "hard", "n": 1000, "seed": 0, "pairs": 1, "loops": 100, "size": 0.2}' | python FILE

BooStSa 0.2.13 asks for old releases of SciPy and pip, and addresses rows of tables in a way that pandas 3 no
longer knows, hence the environment (`make bench` makes it). Reads one job a line; answers each with a line of
JSON: for every null pair the CPU time of `Bootstrap.test`, B as the treatment and A as the control, and the
p-values it prints.
"""

# ruff: noqa: E402  the path must be set before benchmarks are imported

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import time
import warnings
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parents[1])  # in place of this directory, which has a boostsa.py

import numpy as np
from benchmarks import null_pairs

MEASURES = {
    "f1": "f1_macro",
    "acc": "accuracy",
    "prec": "precision_macro",
    "rec": "recall_macro",
    "jsd": "js_divergence",
    "ce": "cross_entropy",
    "sim": "entropy_similarity",
    "cor": "entropy_correlation",
}
PRINTED = re.compile(r"count sample diff (\w+)\s.*?p < ([\d.]+)")


def tested(gold: Any, a: Any, b: Any, loops: int, size: float) -> tuple[float, dict[str, float]]:
    """Return the CPU time of one test, and its p-values by the names bestby has for the metrics."""
    from boostsa import Bootstrap

    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        boot = Bootstrap(save_results=False, save_outcomes=False)
        begun = time.process_time()
        boot.test(targs=gold, h0_preds=a, h1_preds=b, n_loops=loops, sample_size=size)
        taken = time.process_time() - begun
    return taken, {MEASURES[name]: float(p) for name, p in PRINTED.findall(said.getvalue())}


def done(job: dict[str, Any]) -> dict[str, Any]:
    """Return what became of a job."""
    rng = np.random.default_rng(job["seed"])
    np.random.seed(job["seed"])  # noqa: NPY002  BooStSa draws from NumPy's global generator
    found = [
        tested(*null_pairs.draw(job["kind"], rng, job["n"]), job["loops"], job["size"])
        for _ in range(job["pairs"])
    ]
    return {"seconds": [taken for taken, _ in found], "p": [p for _, p in found]}


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    for line in sys.stdin:
        print(json.dumps(done(json.loads(line))), flush=True)
