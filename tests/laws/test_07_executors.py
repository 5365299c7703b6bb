"""Law 7 for executors: whatever runs the blocks, the numbers are the same bits."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from tests.laws.roster import Entry, by_key, cases, make

from bestby import Blocks, Reading, Resampling, compare
from bestby.resampling import executing, totals

SEVERAL = 2600  # more than one block, of cells too
FEWER = 700  # the same where blocks are small


class Parcels(Executor):
    """An executor of another process as far as the work can tell: it is pickled, and pickled back."""

    def __init__(self) -> None:
        self.tasks = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.tasks += 1
        future: Future[Any] = Future()
        function, given = pickle.loads(pickle.dumps((fn, args)))
        future.set_result(pickle.loads(pickle.dumps(function(*given, **kwargs))))
        return future


@pytest.fixture
def sent_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send what would otherwise be done before it arrived, in small blocks."""
    monkeypatch.setattr(executing, "SEND_FROM", 0.0)
    monkeypatch.setattr(totals, "BLOCK_NUMBERS", 60 * 50)
    monkeypatch.setattr(totals, "WEIGHT_BLOCK", 60 * 50)


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


def outcome(entry: Entry, design: str, resamples: int = SEVERAL, **settings: Any) -> list[Any]:
    """Return every number that resampling can touch."""
    given: dict[str, Any] = {"n_resamples": resamples, "interval": "percentile"} | settings
    if entry.key in ("callable", "kendall"):
        given["n_resamples"] = 300
    result = make(entry, design, seed=61, systems=3, whole=True).compare(entry, **given)
    found: list[Any] = [(s.score, s.interval) for s in result.systems]
    return found + [(d.interval, d.test, d.p_adjusted) for d in result]


@pytest.mark.usefixtures("sent_always")
@pytest.mark.parametrize(("entry", "design"), cases(designs=["plain", "both"]))
def test_work_that_was_pickled_gives_the_same(
    entry: Entry, design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(totals, "CELL_BLOCK", 256)
    parcels = Parcels()
    assert outcome(entry, design, FEWER, resampling=Resampling(executor=parcels)) == outcome(
        entry, design, FEWER
    )
    assert parcels.tasks > 1 or entry.mean or entry.key == "ece"  # which are had without resamples


@pytest.mark.usefixtures("sent_always")
@pytest.mark.parametrize("key", ["accuracy", "f1_macro", "pearson", "roc_auc", "callable", "user metric"])
def test_processes_and_threads_change_nothing(key: str, processes: Executor) -> None:
    entry = by_key(key)
    here = outcome(entry, "both")
    assert outcome(entry, "both", resampling=Resampling(executor=processes)) == here
    with ThreadPoolExecutor(3) as threads:
        assert outcome(entry, "both", resampling=Resampling(executor=threads)) == here


@pytest.mark.usefixtures("sent_always")
@pytest.mark.parametrize("interval", ["bca", "studentized", "basic"])
@pytest.mark.parametrize("key", ["rmse", "mean"])
def test_other_intervals_and_tests(key: str, interval: str) -> None:
    entry, parcels = by_key(key), Parcels()
    settings = {"interval": interval, "test": "bootstrap"}
    assert outcome(entry, "plain", resampling=Resampling(executor=parcels), **settings) == outcome(
        entry, "plain", **settings
    )


@pytest.mark.usefixtures("sent_always")
@pytest.mark.parametrize("key", ["rmse", "pearson", "spearman"])
def test_processes_too(key: str, processes: Executor) -> None:
    entry = by_key(key)
    assert outcome(entry, "plain", resampling=Resampling(executor=processes)) == outcome(entry, "plain")


@pytest.mark.usefixtures("sent_always")
def test_resampled_annotators_and_blocks_of_text() -> None:
    rng, parcels = np.random.default_rng(5), Parcels()
    votes = rng.integers(0, 3, (60, 5))
    systems = {name: rng.integers(0, 3, 60) for name in "ab"}
    scores = {name: rng.normal(size=60) for name in "ab"}
    for settings in (
        {
            "gold": votes,
            "reading": Reading(annotators="resample"),
            "metric": "soft_accuracy",
            "interval": "basic",
        },
        {"clusters": Blocks(5), "interval": "basic"},
        {"clusters": Blocks(5), "metric": "spearman", "gold": rng.normal(size=60), "interval": "basic"},
        {"resampling": Resampling(resample_size=0.5), "interval": "basic"},
    ):
        of: dict[str, Any] = systems if "reading" in settings else scores
        before = parcels.tasks
        one = compare(of, n_resamples=SEVERAL, **settings)
        elsewhere = replace(settings.get("resampling", Resampling()), executor=parcels)
        other = compare(of, n_resamples=SEVERAL, **(settings | {"resampling": elsewhere}))
        assert other.differences == one.differences
        assert other.systems == one.systems
        assert parcels.tasks > before
