"""The signature of a comparison has every setting and the hash of the data."""

from __future__ import annotations

import importlib.metadata
from typing import Any

import numpy as np
import pytest
from tests.unit.comparisons.two_systems import GOLD, A, B

from bestby import compare

SETTINGS: dict[str, tuple[Any, Any]] = {
    "interval": ("auto", "bca"),
    "level": (0.95, 0.9),
    "test": ("permutation", "bootstrap"),
    "alternative": ("two-sided", "less"),
    "correction": ("holm", "simultaneous"),
    "margin": (None, 0.1),
    "baseline": (None, "b"),
    "n_resamples": (10_000, 200),
    "rng": (0, 3),
    "metric": ("accuracy", "f1_macro"),
}


def test_the_signature_has_every_setting() -> None:
    result = compare({"a": A, "b": B}, GOLD, n_resamples=200)
    parts = dict(part.split(":", 1) for part in result.signature.split("|"))
    for name in (*SETTINGS, "items", "systems", "data", "python", "numpy", "scipy", "bestby"):
        stands_as = {"n_resamples": "resamples", "rng": "seed", "metric": "metrics"}.get(name, name)
        assert stands_as in parts, name
    assert parts["resamples"] == "200"
    assert parts["systems"] == "a,b"
    assert "\n" not in result.signature


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_changes_the_signature(name: str) -> None:
    base = {key: values[0] for key, values in SETTINGS.items()} | {"n_resamples": 100}
    one = compare({"a": A, "b": B}, GOLD, **base)
    assert compare({"a": A, "b": B}, GOLD, **base).signature == one.signature
    other = compare({"a": A, "b": B}, GOLD, **(base | {name: SETTINGS[name][1]}))
    assert other.signature != one.signature
    assert other.provenance.data_hash == one.provenance.data_hash


def test_other_data_have_another_hash() -> None:
    def hashed(*args: Any, **kwargs: Any) -> str:
        return compare(*args, **kwargs).provenance.data_hash

    base = hashed({"a": A, "b": B}, GOLD)
    assert hashed({"b": B, "a": A}, GOLD) == base
    assert hashed({"a": np.array(A), "b": B}, tuple(GOLD)) == base
    clusters = np.arange(40) // 2
    others = [
        hashed({"a": B, "b": A}, GOLD),
        hashed({"a": A, "c": B}, GOLD),
        hashed({"a": A, "b": B}, A),
        hashed({"a": A[::-1], "b": B}, GOLD),
        hashed({"a": A, "b": B}, GOLD, clusters=clusters),
        hashed({"a": A, "b": B}, GOLD, strata=clusters),
        hashed({"a": A, "b": B}, GOLD, clusters=clusters[::-1]),
    ]
    assert len({base, *others}) == 8


def test_the_libraries_that_cut_the_items_are_told() -> None:
    pytest.importorskip("sacrebleu")
    found = compare({"a": ["a b"] * 3, "b": ["a c"] * 3}, gold=["a b", "a d", "e"], metric="bleu").provenance
    assert found.versions["sacrebleu"] == importlib.metadata.version("sacrebleu")
    assert f"|sacrebleu:{found.versions['sacrebleu']}" in found.signature
    assert "sacrebleu" not in compare({"a": [1, 0], "b": [1, 1]}, gold=[1, 1]).provenance.versions
