"""A few items, their gold, and systems in words and probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from bestby.errors import InvalidInputError

IDS = [f"q{i}" for i in range(40)]
GOLD = pd.Series([0, 1] * 20, index=IDS)
RIGHT = GOLD.where(np.arange(40) % 7 > 0, 1 - GOLD)
FEW = {"n_resamples": 20}


def message(call: Any) -> str:
    with pytest.raises(InvalidInputError) as caught:
        call()
    assert caught.value.hint
    return caught.value.message


SOFT = pd.DataFrame({"neg": 0.9 - 0.8 * RIGHT, "pos": 0.1 + 0.8 * RIGHT})
WORDS = GOLD.map({0: "neg", 1: "pos"})
