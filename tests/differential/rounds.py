"""How many random comparisons each test of this shelf makes.

By default few, so that they are a part of every run of the tests. ``make fuzz`` makes many, from another seed
if it is given one: ``make fuzz ROUNDS=50 SEED=7``.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

TIMES = int(os.environ.get("BESTBY_FUZZ_ROUNDS", "1"))
"""The default numbers of rounds are multiplied by this."""

SEED = int(os.environ.get("BESTBY_FUZZ_SEED", "0"))


def rounds(number: int) -> pytest.MarkDecorator:
    """Parametrise a test by the numbers of its rounds, `number` by default."""
    return pytest.mark.parametrize("number", range(number * TIMES), ids="round{}".format)


def generator(what: str, number: int) -> np.random.Generator:
    """Return the random numbers of one round of one test."""
    return np.random.default_rng([SEED, number, *what.encode()])
