"""The roster is whole, and what does not go together says so instead of giving a number."""

from __future__ import annotations

import pytest
from tests.laws.roster import INTERVALS, ROSTER, TESTS, Entry, applies, cases, make

from bestby.errors import DesignError
from bestby.metrics.registry import MetricRow, list_metrics, resolve


def named() -> list[MetricRow]:
    """Return the metrics of labels and numbers; those of texts and structures have a roster of their own."""
    plain = [row for row in list_metrics() if "@" not in row.name]
    return [row for row in plain if resolve(row.name).reads != "objects"]


def test_every_named_metric_is_in_the_roster() -> None:
    assert {row.name for row in named()} == {e.key for e in ROSTER if isinstance(e.metric, str)}


def test_the_roster_knows_the_direction_of_every_metric() -> None:
    for row in named():
        entry = next(entry for entry in ROSTER if entry.key == row.name)
        assert row.greater_is_better is not entry.lower, row.name


@pytest.mark.parametrize(("entry", "design"), cases())
def test_what_does_not_apply_is_refused(entry: Entry, design: str) -> None:
    data = make(entry, design, seed=1, n=60, systems=2)
    for interval in INTERVALS if entry.key != "ece" else ():  # which has one interval, whatever is asked for
        if not applies(entry, design, interval=interval):
            with pytest.raises(DesignError, match=r"(score interval|standard error|studentized)"):
                data.compare(entry, interval=interval)
    for test in TESTS:
        if not applies(entry, design, test=test):
            with pytest.raises(DesignError, match=f"test '{test}' needs"):
                data.compare(entry, test=test)
