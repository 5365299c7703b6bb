"""Data of every kind, which metrics suit or do not."""

from __future__ import annotations

import numpy as np

N = 60
RNG = np.random.default_rng(3)
BINARY = np.tile([0, 1, 1, 0, 1], N // 5)
P = np.clip(0.35 * BINARY + 0.6 * RNG.random(N) + 0.01, 0.0, 1.0)
Q = np.clip(0.25 * BINARY + 0.7 * RNG.random(N) + 0.01, 0.0, 1.0)
PROBABILITIES = {"a": P, "b": Q}
REAL = RNG.normal(3.0, 1.0, N)
NUMBERS = {"a": REAL + RNG.normal(size=N), "b": REAL + RNG.normal(size=N)}
TEXTS = [f"the answer to question {i}" for i in range(N)]
GENERATED = {"a": [f"it is number {i}" for i in range(N)], "b": [f"no idea about {i}" for i in range(N)]}
WORDS = np.where(BINARY, "pos", "neg")
SPELT = {"a": np.where(BINARY, "Pos", "Neg"), "b": np.where(P > 0.5, "POS", "neg ")}
