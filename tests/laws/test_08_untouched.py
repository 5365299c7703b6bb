"""Law 8: inputs are never modified; global state is neither read nor written."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pytest
from tests.laws.roster import INTERVALS, TESTS, Entry, applies, by_key, cases, make

from bestby import Resampling, compare
from bestby.resampling import totals


def frozen(array: Any) -> Any:
    """Return a copy that refuses to be written."""
    if array is not None:
        array = array.copy()
        array.flags.writeable = False
    return array


@pytest.mark.parametrize(("entry", "design"), cases())
def test_inputs_and_global_state_stay_as_they_are(entry: Entry, design: str) -> None:
    data = make(entry, design, seed=71, n=40, systems=2)
    given = (
        {name: frozen(values) for name, values in data.systems.items()},
        frozen(data.gold),
        frozen(data.clusters),
        frozen(data.strata),
    )
    np.random.seed(123)  # noqa: NPY002
    state, filters = np.random.get_state(), list(warnings.filters)  # noqa: NPY002
    calls: list[dict[str, Any]] = [
        {"interval": i, "test": "bootstrap"} for i in INTERVALS if applies(entry, design, interval=i)
    ]
    calls += [{"test": t} for t in TESTS if applies(entry, design, test=t)]
    calls += [{"correction": "simultaneous"}]
    for settings in calls:
        compare(
            given[0],
            given[1],
            metric=entry.metric,
            clusters=given[2],
            strata=given[3],
            n_resamples=50,
            **settings,
        )
    after = np.random.get_state()  # noqa: NPY002
    assert state[0] == after[0]
    assert (state[1] == after[1]).all()
    assert state[2:] == after[2:]
    assert warnings.filters == filters
    for name, values in data.systems.items():
        assert (given[0][name] == values).all()
    assert data.gold is None or (given[1] == data.gold).all()


def test_the_global_seed_does_not_matter() -> None:
    entry = by_key("rmse")
    data = make(entry, "plain", seed=72)
    np.random.seed(1)  # noqa: NPY002
    one = data.compare(entry).to_dict()
    np.random.seed(2)  # noqa: NPY002
    assert data.compare(entry).to_dict() == one


def test_threads_leave_the_warning_filters_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """`warnings.catch_warnings` is one for all threads: opened in several, it can stay open for good."""

    def patient(gold: Any, predictions: Any) -> float:
        time.sleep(0.0002)  # lets another thread in
        return float(np.mean(np.abs(predictions - gold)))

    data = make(by_key("callable"), "plain", seed=73, n=40, systems=2)
    before = list(warnings.filters)
    monkeypatch.setattr(totals, "WEIGHT_BLOCK", 40)  # one replicate a block: threads meet often
    compare(
        data.systems,
        data.gold,
        metric=patient,
        resampling=Resampling(n_jobs=4),
        interval="percentile",
        n_resamples=60,
    )
    assert warnings.filters == before


def test_a_function_that_warns_is_quiet_on_resamples() -> None:
    def grumbling(gold: Any, predictions: Any) -> float:
        if np.unique(gold).size < gold.size:
            warnings.warn("repeated items", UserWarning, stacklevel=2)
        return float(np.mean(np.abs(predictions - gold)))

    data = make(by_key("callable"), "plain", seed=74, n=20, systems=2)
    for n_jobs in (1, 2):
        compare(
            data.systems,
            data.gold,
            metric=grumbling,
            resampling=Resampling(n_jobs=n_jobs),
            interval="bca",
            n_resamples=60,
        )


def test_lists_and_mappings_stay_as_they_are() -> None:
    systems = {"b": {"q1": "x", "q2": "y", "q3": "x"}, "a": {"q3": "x", "q1": "y", "q2": "y"}}
    gold = {"q2": "y", "q1": "x", "q3": "x"}
    copies = ({name: dict(values) for name, values in systems.items()}, dict(gold))
    compare(systems, gold)
    assert (systems, gold) == copies
    assert [list(values) for values in systems.values()] == [list(values) for values in copies[0].values()]


def test_a_frame_stays_as_it_is() -> None:
    import pandas as pd

    frame = pd.DataFrame(
        {"gold": list("xyxyxy"), "a": list("xyyyxy"), "b": list("xxxyxy")}, index=range(6, 0, -1)
    )
    copy = frame.copy(deep=True)
    compare(frame, "gold", metric=["accuracy", "f1_macro"], n_resamples=50)
    pd.testing.assert_frame_equal(frame, copy)
