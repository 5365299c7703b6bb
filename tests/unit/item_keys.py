"""The keys of items, which the database makes of their ids, in plain Python."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np


def item_keys(ids: Iterable[object]) -> np.ndarray:
    """Return the last 8 bytes, little-endian, of the MD5 digest of each id as UTF-8 text, shape (n,)."""
    digests = (hashlib.md5(str(one).encode()).digest() for one in ids)
    return np.array([int.from_bytes(digest[8:], "little") for digest in digests], dtype=np.uint64)
