"""Random tables of predictions or scores, and random settings to compare them with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

LABELS: dict[str, list[Any]] = {
    "words": ["neg", "neu", "pos"],
    "odd words": ['with "quotes"', "comma, inside", "ünïcode 語", "semi;colon", "it's"],
    "words for nothing": ["None", "null", "N/A", "-"],
    "integers": [0, 1, 2],
    "signed integers": [-1, 0, 1],
    "large integers": [2**53, 2**53 + 1, 2**53 + 2],
    "booleans": [False, True],
    "codes": ["01", "02", "10", "1"],
    "numbers and words": ["1", "2", "other"],
    "steps": [0.5, 1.0, 1.5],
}
"""The labels of the kinds of tables. Each is spelled in one way only: other tests are about spellings."""

SCORES: dict[str, Callable[[np.random.Generator, int], list[Any]]] = {
    "0 or 1": lambda rng, n: rng.integers(0, 2, n).tolist(),
    "counts": lambda rng, n: rng.integers(0, 30, n).tolist(),
    "real scores": lambda rng, n: rng.normal(0.6, 0.2, n).tolist(),
    "rounded scores": lambda rng, n: np.round(rng.normal(50.0, 20.0, n), 1).tolist(),
}

IDS: dict[str, Callable[[int], list[Any]]] = {
    "numbers": lambda n: list(range(n)),
    "padded": lambda n: [f"{i:05d}" for i in range(n)],
    "words": lambda n: [f"item ü{i}" for i in range(n)],
    "large numbers": lambda n: [2**53 + i for i in range(n)],
}


@dataclass(frozen=True)
class RandomTable:
    """A row per item: what every path of input is given.

    Missing predictions are None. Without gold, the values of the systems are scores.
    """

    kind: str
    systems: dict[str, list[Any]]
    gold: list[Any] | None = None
    ids: list[Any] | None = None
    clusters: list[Any] | None = None
    strata: list[Any] | None = None

    @property
    def n(self) -> int:
        """The number of items."""
        return len(next(iter(self.systems.values())))

    @property
    def has_missing(self) -> bool:
        """Whether some system lacks an item."""
        return any(value is None for values in self.systems.values() for value in values)

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the table, by name, those of the systems last."""
        named = {"item": self.ids, "gold": self.gold, "cluster": self.clusters, "stratum": self.strata}
        return {name: values for name, values in named.items() if values is not None} | self.systems

    def roles(self) -> dict[str, str]:
        """Return the arguments of `read` that name the columns."""
        columns = {"items": "item", "gold": "gold", "clusters": "cluster", "strata": "stratum"}
        return {role: name for role, name in columns.items() if name in self.columns()}


def random_table(rng: np.random.Generator) -> RandomTable:
    """Return labels or scores of two to four systems on 8 to 60 items."""
    n, names = int(rng.integers(8, 61)), [f"sys {letter}" for letter in "abcd"[: rng.integers(2, 5)]]
    if rng.random() < 0.65:
        kind = str(rng.choice(list(LABELS)))
        labels = LABELS[kind]
        places = rng.integers(0, len(labels), n)
        gold = [labels[place] for place in places]
        systems = {}
        for name in names:
            wrong = rng.random(n) < rng.uniform(0.05, 0.6)
            guesses = np.where(wrong, rng.integers(0, len(labels), n), places)
            systems[name] = [labels[place] for place in guesses]
        table = RandomTable(kind, systems, gold)
    else:
        kind = str(rng.choice(list(SCORES)))
        table = RandomTable(kind, {name: SCORES[kind](rng, n) for name in names})
    table = replace(table, ids=_perhaps(rng, 0.6, lambda: IDS[str(rng.choice(list(IDS)))](n)))
    grouping = rng.random()
    if grouping < 0.25:
        table = replace(table, clusters=[f"doc {i}" for i in rng.integers(0, max(4, n // 4), n)])
    elif grouping < 0.4:
        table = replace(table, strata=[int(i) for i in rng.integers(0, 2, n)])
    if rng.random() < 0.25 and table.ids is not None:
        first = names[0]  # has every item, so that a long table names them all
        holes = {name: _holes(rng, table.systems[name]) for name in names[1:]}
        table = replace(table, systems={first: table.systems[first]} | holes)
    return table


def random_settings(rng: np.random.Generator, table: RandomTable) -> dict[str, Any]:
    """Return settings of `compare`; some fit no such data, and must then be refused on every path."""
    means = ["accuracy"] if table.gold is not None else ["mean", "mean_loss"]
    more = ["f1_macro", "matthews_corrcoef", "cohen_kappa"] if table.gold is not None else []
    tests = ["permutation", "bootstrap", "sign", "wilcoxon", "t", "wald", "mcnemar"]
    return {
        "metric": str(rng.choice(means + more)),
        "test": str(rng.choice(tests, p=[0.4, *[0.1] * 6])),
        "alternative": str(
            rng.choice(["two-sided", "greater", "less", "better"], p=[0.55, 0.15, 0.15, 0.15])
        ),
        "correction": str(rng.choice(["holm", "bonferroni", "bh", "none"])),
        "margin": None if rng.random() < 0.6 else float(rng.choice([0.05, 0.1, 0.5])),
        "baseline": None if rng.random() < 0.7 else str(rng.choice(list(table.systems))),
        "level": float(rng.choice([0.9, 0.95])),
        "n_resamples": 199,
        "rng": int(rng.integers(0, 3)),
    }


def _perhaps(rng: np.random.Generator, chance: float, make: Callable[[], list[Any]]) -> list[Any] | None:
    return make() if rng.random() < chance else None


def _holes(rng: np.random.Generator, values: list[Any]) -> list[Any]:
    """Leave some values out, but never the first: each system has at least one."""
    gone = rng.random(len(values)) < 0.1
    gone[0] = False
    return [None if missing else value for value, missing in zip(values, gone, strict=True)]
