"""A counter-based random stream: what replicate b draws at position p depends on nothing else.

The stream is SplitMix64 (Steele, Lea & Flood 2014, OOPSLA, Figure 14) with the state computed: word p of
replicate b is ``mix(key_b + p * GOLDEN)`` with ``key_b = mix(key + b * STRIDE)``, so that any
replicate can be made anywhere, in any block.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.mixing import GOLDEN as GOLDEN
from bestby._core.mixing import Words as Words
from bestby._core.mixing import mix as mix
from bestby._core.text import quoted

STRIDE = np.uint64(0xD1342543DE82EF95)

PURPOSES = (
    "bootstrap",
    "swap",
    "groups",
    "runs",
    "annotators",
    "tilted",
    "families",
    "slices",
    "chosen",
    "splits",
    "facets",
)
"""What a stream is for: streams of different purposes under one seed are unrelated."""


def seed_of(rng: Any) -> int:
    """Return the seed that `rng` stands for: a seed, a generator, or None for fresh entropy."""
    check_rng(rng)
    if rng is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    return int(rng.integers(0, 2**63)) if isinstance(rng, np.random.Generator) else int(rng)


def check_rng(rng: Any) -> None:
    """Refuse what is neither a seed nor a generator nor None."""
    whole = isinstance(rng, int | np.integer) and not isinstance(rng, bool)
    if not (rng is None or (whole and rng >= 0) or isinstance(rng, np.random.Generator)):
        others = "" if whole else ", a numpy.random.Generator or None"
        raise InvalidInputError(
            f"rng must be a non-negative integer{others}, got {quoted(rng)}",
            hint="rng=0 gives the same numbers every time",
            argument="rng",
        )
    # Seeds are below it: more bits than any source of entropy gives, and a number that results can show
    if whole and rng >= 1 << 256:
        raise InvalidInputError(
            f"rng must be below 2**256, got {quoted(rng)}",
            hint="rng=0 gives the same numbers every time",
            argument="rng",
        )


@lru_cache(maxsize=64)
def stream_key(seed: int, purpose: str) -> np.uint64:
    """Return the key of the stream for one purpose."""
    sequence = np.random.SeedSequence(seed, spawn_key=(PURPOSES.index(purpose),))
    return np.uint64(sequence.generate_state(1, np.uint64)[0])


def replicate_keys(key: np.uint64, first: int, count: int) -> Words:
    """Return the keys of the replicates first, first + 1, …, shape (count,)."""
    replicate = np.arange(first, first + count, dtype=np.uint64)
    replicate *= STRIDE
    replicate += key
    return mix(replicate, in_place=True)


def words(keys: Words, first: int, count: int) -> Words:
    """Return the words at positions first, first + 1, … of each replicate, shape (R, count)."""
    # SplitMix64 with its state computed: any word of any replicate without those before it.
    position = np.arange(first, first + count, dtype=np.uint64) * GOLDEN
    state = keys[:, None] + position[None, :]
    return mix(state, in_place=True)


def words_by_position(keys: Words, first: int, count: int) -> Words:
    """Return words with those of one position side by side, shape (count, R)."""
    position = np.arange(first, first + count, dtype=np.uint64) * GOLDEN
    state = position[:, None] + keys[None, :]
    return mix(state, in_place=True)


def block_generator(seed: int, purpose: str, block: int) -> np.random.Generator:
    """Return the NumPy generator of one block of replicates, for draws over cells."""
    sequence = np.random.SeedSequence(seed, spawn_key=(PURPOSES.index(purpose), block))
    return np.random.Generator(np.random.PCG64(sequence))
