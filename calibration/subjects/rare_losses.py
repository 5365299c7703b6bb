"""Monitors of scores without bounds: how often the interval misses where large losses are rare."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from bestby.questions.monitor.confidence_sequences import Units, single
from calibration.populations import Floats
from calibration.sequences import Batched, ever_missed, settings
from calibration.statements import Statements, What

TITLE = "Monitors and rare losses"

TEXT = """
Sequences of 10,000 differences with mean 0 and without bounds, looked at every 50 items from 300 on.
`rejected`: how often the interval misses 0 at any of these looks. `auto` adds the largest deviation so far,
times ln(2 / alpha) / n, to the asymptotic sequence, and says nothing before 25 times the squared skewness;
*largest given* adds the largest difference that is possible (`largest=`); *sequence* is the asymptotic
sequence by itself, as in version 0.2.0. A rare loss beside noise is unseen until it happens: where it has
not, no rule that looks at the data can allow for it, and only *largest given* holds.
"""

_N, _EVERY, _SEQUENCES, _TOGETHER = 10_000, 50, 1000, 100

_LARGEST = {"50 with 1 %": 50.0, "50 with 1 %, noise": 55.0, "-100 with .3 %": 100.0,
            "-100 with .3 %, noise": 105.0, "-1000 with .05 %, noise": 1005.0}  # fmt: skip
"""The largest difference that can be given, with noise as good as it."""


def cells() -> Iterator[Statements]:
    """Yield streams that are more and more skewed."""
    for name in ("normal", "exponential", "lognormal", "lognormal, sigma 1.5", *_LARGEST):
        one = Batched(partial(_drawn, name), partial(_outcomes, _LARGEST.get(name)), size=_TOGETHER)
        yield Statements("rare_losses", name, str(_N), _N, one, datasets=_SEQUENCES)


def _outcomes(largest: float | None, units: Units) -> dict[What, np.ndarray]:
    def missed(**changed: Any) -> np.ndarray:
        return ever_missed(units, 0.0, settings(bounds=None, **changed), _EVERY)

    found = {What("rejected", "auto", True): missed()}
    if largest is not None:
        found[What("rejected", "largest given", True)] = missed(largest=largest)
    return {**found, What("rejected", "sequence"): missed(file_format=1)}


def _drawn(name: str, rng: np.random.Generator, width: int) -> Units:
    return single(_differences(name, rng, (_N, width)))


def _differences(name: str, rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    if name in _LARGEST:
        size, share = name.removesuffix(", noise").removesuffix(" %").split(" with ")
        rare = float(share) / 100.0
        noise = 1.0 if name.endswith("noise") else 0.0
        return float(size) * ((rng.random(shape) < rare) - rare) + noise * rng.normal(size=shape)
    if name == "normal":
        return rng.normal(size=shape)
    if name == "exponential":
        return rng.exponential(size=shape) - 1.0
    sigma = 1.5 if name.endswith("1.5") else 1.0
    return rng.lognormal(0.0, sigma, shape) - math.exp(0.5 * sigma * sigma)
