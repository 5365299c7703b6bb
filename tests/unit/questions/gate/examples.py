"""Answers of a baseline and a candidate."""

from __future__ import annotations

from typing import Any

import numpy as np


def answers(n: int, losses: int, gains: int) -> dict[str, Any]:
    """Return answers of which the candidate loses and gains so many."""
    main = np.tile([1, 1, 1, 0], n // 4)
    new = main.copy()
    new[np.flatnonzero(main == 1)[:losses]] = 0
    new[np.flatnonzero(main == 0)[:gains]] = 1
    return {"main": main, "new": new}
