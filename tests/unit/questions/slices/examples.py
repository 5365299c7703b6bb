"""Systems on items in several languages, compared in slices."""

from __future__ import annotations

from typing import Any

import numpy as np

import bestby as bb

LANGUAGES = ("de", "en", "fr", "ja")
SHARES = {"de": 0.9, "en": 0.85, "fr": 0.8, "ja": 0.5}


def drawn(n: int = 600, seed: int = 1) -> dict[str, Any]:
    """Two systems of which one is better in German and worse in Japanese."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    language = rng.choice(LANGUAGES, n, p=[0.4, 0.3, 0.2, 0.1])
    right = rng.random(n) < np.vectorize(SHARES.get)(language)
    return {
        "gold": gold,
        "new": np.where(right, gold, 1 - gold),
        "old": np.where(rng.random(n) < 0.75, gold, 1 - gold),
        "language": language,
        "length": rng.integers(3, 60, n),
        "doc": rng.integers(0, 80, n),
    }


def compared(data: dict[str, Any], by: Any, **options: Any) -> bb.results.SlicesComparison:
    systems = {"new": data["new"], "old": data["old"]}
    return bb.compare_slices(systems, data["gold"], by=by, **options)
