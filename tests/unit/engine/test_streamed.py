"""Items that come in batches: a batch may be empty, and what needs all items says so."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from bestby import DesignError, compare
from bestby.data.batches import Batch, Streamed
from bestby.resampling import poisson

N = 300
RNG = np.random.default_rng(0)
KEYS = poisson.item_keys([f"q{i}" for i in range(N)])
A, B = RNG.normal(size=(2, N))


def streamed(*ends: int) -> Streamed:
    """Return the items, divided where told."""
    edges = [0, *ends, N]

    def batches() -> Any:
        for start, stop in itertools.pairwise(edges):
            of = slice(start, stop)
            yield Batch(KEYS[of], None, [A[of], B[of]])

    return Streamed(systems={"a": A[:0], "b": B[:0]}, gold=None, batches=batches, n=N, digest="x")


@pytest.mark.parametrize("ends", [(0,), (100, 100), (N,)], ids=str)
def test_an_empty_batch_changes_nothing(ends: tuple[int, ...]) -> None:
    for test in ("permutation", "bootstrap"):
        asked: dict[str, Any] = {"test": test, "interval": "normal", "n_resamples": 200}
        one, whole = compare(streamed(*ends), **asked)["a", "b"], compare(streamed(150), **asked)["a", "b"]
        assert one.interval.low == pytest.approx(whole.interval.low, rel=1e-9)
        assert one.p_value == whole.p_value


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({"test": "t"}, "test 't'"),
        ({"test": "sign"}, "test 'sign'"),
        ({"test": "mcnemar"}, "test 'mcnemar'"),
        ({"test": "wald"}, "test 'wald'"),
        ({"interval": "tango"}, "a score interval"),
        ({"interval": "cr2"}, "the cr2 interval"),
        ({"interval": "studentized"}, "the studentized interval"),
        ({"annotators": "resample"}, "resampling annotators"),
    ],
    ids=str,
)
def test_what_needs_every_item_says_that_they_come_in_batches(asked: dict[str, Any], what: str) -> None:
    with pytest.raises(DesignError) as caught:
        compare(streamed(), n_resamples=50, **asked)
    assert caught.value.message == f"{what} needs all items at once, but the table is read in batches"
    assert caught.value.hint == "read it whole: stream=False"
