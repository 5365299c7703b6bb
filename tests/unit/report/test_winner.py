"""Whether a difference is significant, and who wins: one answer on records, columns and parts of results."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

import bestby as bb
from bestby.comparisons import one_metric
from bestby.report.fields import DIFFERENCE, Field, Rows


@pytest.mark.parametrize(
    ("p", "level", "expected"),
    [
        (0.04, 0.95, (True, "a")),
        (0.04, 0.99, (False, None)),
        (0.06, 0.95, (False, None)),
        (0.06, 0.9, (True, "a")),
    ],
)
def test_it_follows_the_adjusted_p_and_the_level(
    made: SimpleNamespace, p: float, level: float, expected: tuple[bool, str | None]
) -> None:
    d = dataclasses.replace(made.difference(p_value=0.001, p_adjusted=p), level=level)
    assert (d.significant, d.winner) == expected
    untested = dataclasses.replace(d, test=None, p_adjusted=None)
    assert (untested.significant, untested.winner) == (None, None)


@pytest.fixture
def in_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a hundred pairs be held as thousands are: in columns."""
    monkeypatch.setattr(one_metric, "MOST_HELD", 100)


@pytest.mark.usefixtures("in_columns")
def test_columns_of_many_pairs_are_those_of_their_records() -> None:
    right = (np.random.default_rng(0).random((20, 200)) < np.linspace(0.5, 0.8, 20)[:, None]).astype(int)
    for settings in ({}, {"test": None}, {"alternative": "greater"}):
        c = bb.compare({f"s{i}": row for i, row in enumerate(right)}, **settings)
        pairs = c.differences.parts[0]
        assert list(pairs.winner) == [d.winner for d in c]
        assert list(pairs.significant) == [d.significant for d in c]
        if not settings:
            assert 0 < sum(map(bool, pairs.significant)) < len(c)
            frame = c.to_frame(backend="pyarrow").to_pydict()
            assert frame["winner"] == list(pairs.winner)


@pytest.mark.usefixtures("in_columns")
def test_a_column_that_many_pairs_do_not_hold_is_read_from_their_records() -> None:
    right = (np.random.default_rng(0).random((20, 50)) < 0.7).astype(int)
    c = bb.compare({f"s{i}": row for i, row in enumerate(right)})
    rows = Rows((*DIFFERENCE, Field("extent")), lambda c: c.differences).rows(c)
    assert {row["extent"] for row in rows} == {"50 items"}
