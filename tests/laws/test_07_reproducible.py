"""Law 7: same inputs and rng, same bits, for any number of threads, block size and way of drawing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.laws.roster import Entry, by_key, cases, make

import bestby
from bestby import compare
from bestby.resampling import totals

SEVERAL = 2600  # more than one block, of cells too
FEWER = 700  # the same where blocks are small


def outcome(entry: Entry, design: str, resamples: int = SEVERAL, **settings: Any) -> list[Any]:
    """Return every number that resampling can touch."""
    given: dict[str, Any] = {"n_resamples": resamples, "interval": "percentile"} | settings
    if entry.key in ("callable", "kendall"):
        given["n_resamples"] = min(resamples, 300)
    result = make(entry, design, seed=61, systems=3, whole=True).compare(entry, **given)
    found: list[Any] = [(s.score, s.interval) for s in result.systems]
    return found + [(d.interval, d.test, d.p_adjusted) for d in result]


def blocks(monkeypatch: pytest.MonkeyPatch, numbers: int) -> None:
    """Draw blocks of that many weights."""
    monkeypatch.setattr(totals, "BLOCK_NUMBERS", numbers)
    monkeypatch.setattr(totals, "WEIGHT_BLOCK", numbers)


@pytest.mark.parametrize(("entry", "design"), cases(designs=["plain", "both"], each=False))
def test_threads_change_nothing(entry: Entry, design: str, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks(monkeypatch, 60 * 50)
    monkeypatch.setattr(totals, "CELL_BLOCK", 256)
    one = outcome(entry, design, FEWER)
    for n_jobs in (2, 3):
        assert outcome(entry, design, FEWER, resampling=bestby.Resampling(n_jobs=n_jobs)) == one


@pytest.mark.parametrize("interval", ["bca", "studentized", "basic"])
def test_threads_change_nothing_for_other_intervals(interval: str) -> None:
    entry = by_key("rmse")
    one = outcome(entry, "plain", interval=interval)
    assert outcome(entry, "plain", interval=interval, resampling=bestby.Resampling(n_jobs=3)) == one
    assert outcome(entry, "plain", test="bootstrap", resampling=bestby.Resampling(n_jobs=2)) == outcome(
        entry, "plain", test="bootstrap"
    )


@pytest.mark.parametrize(("entry", "design"), cases(each=False))
def test_block_sizes_change_nothing(entry: Entry, design: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the bit for sums of whole numbers; others may be added in another order by the matrix product.

    (A block of a single replicate is left out: einsum adds up one row in another order than many.)
    """
    one = outcome(entry, design, 500)
    for numbers in (60 * 7, 60 * 333):
        blocks(monkeypatch, numbers)
        check_same(entry, outcome(entry, design, 500), one)


def check_same(entry: Entry, other: list[Any], one: list[Any]) -> None:
    """Check that two outcomes are the same: to the bit where whole numbers are added."""
    if not entry.sums or entry.kind == "labels" or entry.key in ("mse", "mae", "mean", "mean_loss", "rmse"):
        assert other == one
        return
    for found, expected in zip(other, one, strict=True):
        for x, y in zip(_flat(found), _flat(expected), strict=True):
            assert x == pytest.approx(y, rel=1e-12, abs=1e-13)


def _flat(found: Any) -> list[float]:
    out: list[float] = []
    for part in found:
        if hasattr(part, "low"):
            out += [part.low, part.high]
        elif hasattr(part, "p_value"):
            out += [part.p_value, part.error]
        else:
            out.append(part)
    return out


def test_0_is_a_seed_as_any_and_seeds_differ() -> None:
    entry = by_key("rmse")
    found = {seed: str(outcome(entry, "plain", 300, rng=seed)) for seed in (0, 1, 2**40)}
    assert len(set(found.values())) == 3
    assert str(outcome(entry, "plain", 300, rng=0)) == found[0]
    assert str(outcome(entry, "plain", 300)) == found[0]


def test_fresh_entropy_is_recorded_and_can_be_used_again() -> None:
    data = make(by_key("rmse"), "plain", seed=62)
    # Drawn intervals: with those by formula one p-value tells seeds apart, and one time in twenty does not.
    first = data.compare(by_key("rmse"), rng=None, interval="percentile")
    second = data.compare(by_key("rmse"), rng=None, interval="percentile")
    assert first.provenance.seed != second.provenance.seed
    again = data.compare(by_key("rmse"), rng=first.provenance.seed, interval="percentile")
    assert again.differences == first.differences
    assert again.differences != second.differences
    assert again.signature == first.signature


def test_a_generator_gives_one_number_and_moves_on() -> None:
    entry, rng = by_key("rmse"), np.random.default_rng(9)
    first = outcome(entry, "plain", 300, rng=rng)
    assert outcome(entry, "plain", 300, rng=rng) != first
    assert outcome(entry, "plain", 300, rng=np.random.default_rng(9)) == first


def test_the_first_replicates_do_not_depend_on_how_many_follow() -> None:
    """A replicate depends on the seed and its own number: 300 resamples are the first 300 of 500."""
    from bestby.resampling.streams import replicate_keys, stream_key

    key = stream_key(5, "bootstrap")
    bounds = np.array([0, 7, 20])
    everything = totals.bootstrap_weights(replicate_keys(key, 0, 50), bounds)
    for first, count in ((0, 10), (10, 1), (11, 39)):
        part = totals.bootstrap_weights(replicate_keys(key, first, count), bounds)
        assert (part == everything[first : first + count]).all()


def test_progress_is_told_and_changes_nothing() -> None:
    seen: list[tuple[int, int]] = []
    entry = by_key("rmse")
    one = outcome(entry, "plain", 500)
    assert (
        outcome(
            entry,
            "plain",
            500,
            resampling=bestby.Resampling(progress=lambda done, of: seen.append((done, of))),
        )
        == one
    )
    shares = [done / of for done, of in seen]
    assert shares == sorted(shares)
    assert shares[0] > 0.0
    assert shares[-2] < shares[-1] == 1.0


def test_a_result_is_made_again_from_its_signature() -> None:
    data = make(by_key("f1_macro"), "clusters", seed=63)
    one = data.compare(by_key("f1_macro"), rng=77, level=0.9)
    p = one.provenance
    metric = p.settings["metrics"]
    rest = {name: value for name, value in p.settings.items() if name != "metrics"}
    again = compare(
        data.systems,
        data.gold,
        clusters=data.clusters,
        metric=metric,
        n_resamples=p.n_resamples,
        rng=p.seed,
        **rest,
    )
    assert again.to_dict() == one.to_dict()


# -- the designs that are not in the roster --------------------------------------------------------

RNG = np.random.default_rng(64)
SCORES = {name: np.rint(4.0 * RNG.normal(size=90)) for name in "abc"}
LABELS = [["yes", "no", "no"], ["no", "no", "yes"], ["yes", "yes", "yes"]] * 30
PREDICTED = {name: np.where(RNG.random(90) < 0.7, "yes", "no") for name in "ab"}
JUDGED = [("abc"[i % 3], "abc"[(i + 1 + i % 2) % 3], ["a", "b", "tie"][i * i % 7 % 3]) for i in range(90)]
GROUPS = np.arange(90) // 3

OTHERS: dict[str, Callable[..., Any]] = {
    "blocks": lambda **how: compare(SCORES, clusters=bestby.Blocks(4), interval="percentile", **how),
    "m out of n": lambda **how: compare(
        SCORES,
        interval="percentile",
        test="bootstrap",
        resampling=replace(how.pop("resampling", bestby.Resampling()), resample_size=0.4),
        **how,
    ),
    "annotators": lambda **how: compare(
        PREDICTED,
        LABELS,
        reading=bestby.Reading(annotators="resample"),
        interval="percentile",
        metric="accuracy",
        **how,
    ),
    "simultaneous": lambda **how: compare(SCORES, correction="simultaneous", **how),
    "runs": lambda **how: bestby.compare_runs(
        {
            name: [values[:30].mean(), values[30:60].mean(), values[60:].mean()]
            for name, values in SCORES.items()
        },
        test="bootstrap",
        **how,
    ),
    "runs of items": lambda **how: bestby.compare_runs(
        {name: values.reshape(3, 30) for name, values in SCORES.items()}, clusters=np.arange(30) // 2, **how
    ),
    "preferences": lambda **how: bestby.compare_preferences(JUDGED, clusters=GROUPS, **how),
    "datasets": lambda **how: bestby.compare_datasets(
        {
            name: bestby.Evaluation.of({system: values[part] for system, values in SCORES.items()})
            for name, part in (("x", slice(0, 40)), ("y", slice(40, 90)))
        },
        test="bootstrap",
        **how,
    ),
}


def to_12_digits(told: str) -> str:
    return re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda found: f"{float(found[0]):.12g}", told)


@pytest.mark.parametrize("design", OTHERS)
def test_threads_and_blocks_change_no_design(design: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def numbers(**how: Any) -> str:
        told = OTHERS[design](n_resamples=700, **how).to_dict()
        return str({key: value for key, value in told.items() if key != "provenance"})

    one = numbers()
    assert numbers(resampling=bestby.Resampling(n_jobs=3)) == one
    blocks(monkeypatch, 90 * 7)
    smaller = numbers()
    assert to_12_digits(smaller) == to_12_digits(one)  # a product of fewer rows may round otherwise
    assert numbers(resampling=bestby.Resampling(n_jobs=2)) == smaller
    assert numbers(rng=1) != smaller
