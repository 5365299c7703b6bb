"""The mixing step of SplitMix64, for streams of random words and for hashes of rows.

References
----------
.. [1] Steele, Lea & Flood (2014), Fast splittable pseudorandom number generators, OOPSLA, Figure 14.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestby._core.chunks import CHUNK, chunks

Words = NDArray[np.uint64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)

# Arrays without axes: NumPy would make one of a scalar in each call.
_M1 = np.array(0xBF58476D1CE4E5B9, dtype=np.uint64)
_M2 = np.array(0x94D049BB133111EB, dtype=np.uint64)
_27, _30, _31 = (np.array(bits, dtype=np.uint64) for bits in (27, 30, 31))


def mix(z: Words, *, in_place: bool = False) -> Words:
    """Return the SplitMix64 finaliser of each word of a contiguous array, written into that if `in_place`."""
    mixed = z if in_place else np.array(z, order="C")
    words, shifted = mixed.reshape(-1), np.empty(min(mixed.size, CHUNK), dtype=np.uint64)
    for rows in chunks(words.size):
        part = words[rows]
        room = shifted[: part.size]
        part ^= np.right_shift(part, _30, out=room)
        part *= _M1
        part ^= np.right_shift(part, _27, out=room)
        part *= _M2
        part ^= np.right_shift(part, _31, out=room)
    return mixed
