"""The same data give the same numbers and the same hash, whatever type their values came in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bestby as bb

RNG = np.random.default_rng(3)
N = 240
GOLD = RNG.integers(0, 3, N)
SYSTEMS = {name: np.where(RNG.random(N) < right, GOLD, 1) for name, right in {"a": 0.8, "b": 0.6}.items()}
TWELVE = np.arange(N) // 20
"""Groups whose numbers have another order as texts: 10 and 11 come before 2."""

WORDS = np.array(["no", "maybe", "yes"])


def in_types(values: np.ndarray[Any, Any], *kinds: str) -> list[Any]:
    return [values, values.tolist(), *[values.astype(kind) for kind in kinds]]


def hashed(*args: Any, **settings: Any) -> str:
    return bb.compare(*args, metric="accuracy", **settings).provenance.data_hash


@pytest.mark.parametrize("settings", [
    {"interval": "percentile", "test": None}, {"interval": "bca", "test": "bootstrap"},
    {"interval": "percentile", "clusters": bb.Blocks(5)},
])  # fmt: skip
def test_strata_as_numbers_or_as_texts_give_the_same_resamples(settings: dict[str, Any]) -> None:
    def result(strata: Any) -> dict[str, Any]:
        made = bb.compare(SYSTEMS, GOLD, metric="f1_macro", strata=strata, n_resamples=200, **settings)
        return made.to_dict()

    numbers = result(TWELVE)
    for same in in_types(TWELVE, "int8", "U", "object"):
        assert result(same) == numbers


def test_an_array_and_the_columns_of_a_table_give_the_same_numbers(tmp_path: Path) -> None:
    frame = pd.DataFrame({"gold": GOLD, "part": TWELVE, **SYSTEMS})
    frame.to_csv(tmp_path / "wide.csv", index=False)
    asked: dict[str, Any] = {"metric": "f1_macro", "interval": "percentile", "n_resamples": 200}
    from_file = bb.compare(bb.read(tmp_path / "wide.csv", gold="gold", strata="part"), **asked)
    from_frame = bb.compare(frame, gold="gold", strata="part", **asked)
    from_arrays = bb.compare(SYSTEMS, GOLD, strata=TWELVE, **asked)
    found = [one.to_dict() for one in (from_file, from_frame, from_arrays)]
    for part in ("differences", "systems", "signature"):
        assert found[0][part] == found[1][part] == found[2][part]


@pytest.mark.parametrize("settings", [
    lambda groups: {"strata": groups}, lambda groups: {"clusters": groups},
    lambda groups: {"clusters": [groups, np.arange(N) % 20]},
])  # fmt: skip
def test_the_hash_of_groups_does_not_depend_on_their_type(settings: Callable[[Any], dict[str, Any]]) -> None:
    plain = hashed(SYSTEMS, GOLD, **settings(TWELVE))
    for same in in_types(TWELVE, "int8", "uint64", "float", "float32", "U", "U40", "object"):
        assert hashed(SYSTEMS, GOLD, **settings(same)) == plain
    assert hashed(SYSTEMS, GOLD, **settings(TWELVE[::-1])) != plain


@pytest.mark.parametrize("clusters", [None, TWELVE])
def test_the_hash_of_labels_does_not_depend_on_the_width_of_their_type(clusters: Any) -> None:
    plain = hashed(SYSTEMS, GOLD, clusters=clusters)
    for same in in_types(SYSTEMS["a"], "int8", "uint16", "uint64", ">i4"):
        assert hashed({**SYSTEMS, "a": same}, GOLD, clusters=clusters) == plain
    texts = {name: WORDS[values] for name, values in SYSTEMS.items()}
    plain = hashed(texts, WORDS[GOLD], clusters=clusters)
    for same in in_types(texts["a"], "U30", "object"):
        assert hashed({**texts, "a": same}, WORDS[GOLD], clusters=clusters) == plain


@pytest.mark.parametrize("metric", ["accuracy", "mse"])
@pytest.mark.parametrize(
    "settings", [{}, {"strata": TWELVE}, {"clusters": TWELVE}, {"clusters": bb.Blocks(5)}]
)
def test_whole_numbers_have_one_hash_as_integers_and_as_floats(metric: str, settings: dict[str, Any]) -> None:
    def result(gold: Any, **systems: Any) -> dict[str, Any]:
        made = bb.compare(systems, gold, metric=metric, n_resamples=100, **settings).to_dict()
        return {part: made[part] for part in ("differences", "systems", "signature")}

    a, b = SYSTEMS.values()
    numbers = result(GOLD, a=a, b=b)
    assert result(GOLD.astype(float), a=a.astype(float), b=b.astype("float32")) == numbers
    assert result(GOLD, a=a.astype(float), b=b) == numbers
    assert result(GOLD, a=a + 0.5, b=b)["signature"] != numbers["signature"]


def test_whole_scores_have_one_hash_as_integers_and_as_floats() -> None:
    scores = pd.DataFrame(SYSTEMS)
    hashes = [
        bb.compare(table).provenance.data_hash
        for table in (scores, scores.astype(float), scores.astype({"a": float}), scores[::-1].astype(float))
    ]
    assert len({*hashes}) == 1
    with_gap = [[None, *SYSTEMS["a"].tolist()[1:]], [float("nan"), *SYSTEMS["a"].astype(float)[1:]]]
    found = [
        bb.compare({**SYSTEMS, "a": a}, GOLD, metric="accuracy", on_missing="worst").provenance.data_hash
        for a in with_gap
    ]
    assert found[0] == found[1]


def test_the_hash_of_a_long_table_is_that_of_a_wide_one_whose_columns_have_several_types() -> None:
    wide = pd.DataFrame({"item": np.arange(N), "a": GOLD, "b": SYSTEMS["b"] / 2})
    long = wide.melt("item", var_name="system", value_name="score")
    found = [bb.compare(table).provenance.data_hash for table in (wide, long)]
    assert found[0] == found[1]
    assert bb.compare(wide.assign(a=GOLD + 0.5)).provenance.data_hash != found[0]


def test_slices_have_one_hash_by_numbers_and_by_texts() -> None:
    found = [
        bb.compare_slices(SYSTEMS, GOLD, by={"part": same}, metric="accuracy").provenance.data_hash
        for same in (TWELVE, TWELVE.astype("U"))
    ]
    assert found[0] == found[1]
