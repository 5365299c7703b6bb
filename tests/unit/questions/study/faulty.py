"""What processes do to a study in the tests of faults, and what it must be after them."""

from __future__ import annotations

import numpy as np

from bestby.questions.study.store import Store

N = 3000
GOLD = np.arange(N) % 3
PRELUDE = f"""
import numpy as np
from bestby.questions.study.store import Store
store, gold = Store(sys.argv[1]), np.arange({N}) % 3
"""


def check_whole(store: Store) -> list[str]:
    """Load everything in the study; return the runs of h1."""
    if not store.conditions():
        return []
    gold = store.gold()
    assert gold.values.tolist() == GOLD.tolist()
    for condition in store.conditions():
        for run in store.runs(condition):
            assert store.load(condition, run, gold=gold).predictions.size == N
    return list(store.runs("h1"))
