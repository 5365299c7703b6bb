"""The mixing step of SplitMix64, for streams of random words and for hashes of rows.

References
----------
.. [1] Steele, Lea & Flood (2014), Fast splittable pseudorandom number generators, OOPSLA, Figure 14.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)


def mix(z: Words) -> Words:
    """Return the SplitMix64 finaliser of each word."""
    z = z ^ (z >> np.uint64(30))  # a new array; the rest is done in place
    z *= _M1
    z ^= z >> np.uint64(27)
    z *= _M2
    z ^= z >> np.uint64(31)
    return z
