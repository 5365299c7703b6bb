"""Numbers of thousands of digits, which Python writes as no text, are refused as names and seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bestby as bb

HUGE = 10**5000
DATA = {"a": [1, 0, 1, 1], "b": [1, 1, 0, 1]}
CALLS: dict[str, Callable[[Any], Any]] = {
    "a dataset": lambda name: bb.compare_datasets({name: {"a": 1, "b": 2}, "x": {"a": 1, "b": 3}}),
    "a dataset of items": lambda name: bb.compare_datasets(
        {name: bb.Evaluation.of(DATA), "x": bb.Evaluation.of(DATA)}, metric="mean"
    ),
    "a system of datasets": lambda name: bb.compare_datasets(
        {"x": {name: 1, "b": 2}, "y": {name: 1, "b": 3}}
    ),
    "a system of runs of datasets": lambda name: bb.compare_datasets(
        {"x": {name: [1, 2, 3], "b": [2, 1, 1]}, "y": {name: [1, 3, 1], "b": [2, 2, 3]}}
    ),
    "outer systems": lambda name: bb.compare_datasets(
        {"a": {name: 1, "y": 2}, "b": {name: 1, "y": 3}}, outer="system"
    ),
    "a system of folds": lambda name: bb.compare_folds({name: [0.1, 0.2, 0.3], "b": [0.1, 0.3, 0.2]}),
    "p-values": lambda name: bb.replicability({name: 0.1, "x": 0.2}),
    "chosen systems": lambda name: bb.compare_runs(
        {name: [1, 2, 3], "b": [2, 1, 1], "c": [2, 2, 2]}, systems=["b", "c"]
    ),
    "a seed": lambda name: bb.compare(DATA, metric="mean", rng=name if name == HUGE else 1),
    "resamples": lambda name: bb.compare(DATA, metric="mean", n_resamples=name if name == HUGE else 99),
}


@pytest.mark.parametrize("what", CALLS)
def test_a_number_of_thousands_of_digits_is_an_error_with_a_hint(what: str) -> None:
    with pytest.raises(bb.errors.InvalidInputError) as error:
        CALLS[what](HUGE)
    assert "<int>" in error.value.message
    assert error.value.hint
    CALLS[what]("a text")


def test_the_largest_seed_can_be_shown_and_read_again() -> None:
    result = bb.compare(DATA, metric="mean", rng=2**256 - 1, n_resamples=99)
    assert str(2**256 - 1) in str(result)
    assert bb.load(result.to_json()).provenance.seed == 2**256 - 1
    with pytest.raises(bb.errors.InvalidInputError, match=r"rng must be below 2\*\*256"):
        bb.compare(DATA, metric="mean", rng=2**256)
    assert np.random.SeedSequence(2**256 - 1).entropy == 2**256 - 1
