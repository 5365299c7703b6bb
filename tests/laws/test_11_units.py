"""Law 11: the unit of measurement does not matter: other units give the same result in those units."""

from __future__ import annotations

import csv
import itertools
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.laws.roster import RelativeError, median_error
from tests.own_metrics import Spread

import bestby as bb
from bestby.errors import InvalidInputError
from bestby.readers import large_tables, read
from bestby.results import Interval, TestResult
from bestby.vocabulary import allowed_names, needs

UNITS = (1e-12, 1e-5, 3e3, 1e12)
LEVEL = 0.9
SOME = 3999  # ends of two bootstrap intervals then differ by 0.015 widths (standard error)


@dataclass(frozen=True)
class Entry:
    """A metric; its score in a unit is the unit to the `power` times that in unit 1.

    `one`: what varies between the items of a system is one number, so that the order of the items does not
    depend on the unit, and neither does what is drawn.
    """

    metric: Any
    power: int
    sums: bool = True
    mean: bool = False
    gold: bool = True
    one: bool = False


METRICS = {
    "mean": Entry("mean", 1, mean=True, gold=False, one=True),
    "mse": Entry("mse", 2, mean=True, one=True),
    "mae": Entry("mae", 1, mean=True, one=True),
    "rmse": Entry("rmse", 1, one=True),
    "r2": Entry("r2", 0),
    "pearson": Entry("pearson", 0, one=True),
    "spearman": Entry("spearman", 0, sums=False, one=True),
    "kendall": Entry("kendall", 0, sums=False, one=True),
    "relative_error": Entry(RelativeError(), 0),
    "spread": Entry(Spread(), 1, gold=False),
    "median_error": Entry(median_error, 1, sums=False, one=True),
}
INTERVALS = tuple(
    name
    for name in allowed_names("interval", "items")
    if not {"answers", "crossed"} & {*needs("interval", name)}
)
TESTS = ("permutation", "bootstrap", "wald", "t", "sign", "wilcoxon")
DESIGNS = ("plain", "clusters", "strata")


def data(n: int = 60) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(7)
    gold = rng.normal(3.0, 1.0, n)
    noise = {"a": 0.5, "b": 0.6, "c": 0.9}
    return gold, {name: gold + rng.normal(0.1, sd, n) for name, sd in noise.items()}


def groups(design: str, n: int = 60) -> dict[str, Any]:
    if design == "clusters":
        return {"clusters": np.arange(n) ** 2 // 100}
    return {"strata": np.arange(n) % 2} if design == "strata" else {}


def compared(entry: Entry, unit: float, **settings: Any) -> bb.results.Comparison:
    gold, systems = data()
    scaled = {name: values * unit for name, values in systems.items()}
    asked = {"level": LEVEL, "n_resamples": SOME} | settings
    return bb.compare(scaled, gold * unit if entry.gold else None, metric=entry.metric, **asked)


def check_same_interval(here: Interval | None, there: Interval | None, factor: float, *, drawn: bool) -> None:
    """Check that an interval in another unit is the same one; `drawn` if the draws may differ."""
    assert here is not None
    assert there is not None
    assert (here.method, here.level, here.exact) == (there.method, there.level, there.exact)
    width = here.high - here.low
    assert math.isfinite(width)
    slack = (0.1 if drawn and not here.exact else 1e-9) * width
    assert there.low / factor == pytest.approx(here.low, rel=1e-9, abs=slack)
    assert there.high / factor == pytest.approx(here.high, rel=1e-9, abs=slack)


def check_same_test(here: TestResult | None, there: TestResult | None, *, drawn: bool) -> None:
    """Check that a test in another unit is the same one; `drawn` if the draws may differ."""
    if here is None or there is None:
        assert here is there
        return
    assert (here.name, here.method, here.exact) == (there.name, there.method, there.exact)
    slack = 6.0 * here.error + 1.0 / SOME if drawn and here.n_resamples else 0.0
    # Exact p-values from a characteristic function are good to some 1e-16, however small they are.
    assert there.p_value == pytest.approx(here.p_value, rel=1e-9, abs=slack + 1e-14)


def check_same(here: Any, there: Any, entry: Entry, unit: float, *, drawn: bool) -> None:
    """Check the scores, differences, intervals, tests, verdicts and notes of two comparisons."""
    factor = unit**entry.power
    for one, other in zip(here.systems, there.systems, strict=True):
        assert one.system == other.system
        assert other.score / factor == pytest.approx(one.score, rel=1e-9)
        check_same_interval(one.interval, other.interval, factor, drawn=drawn)
    for one, other in zip(here.differences, there.differences, strict=True):
        assert (one.a, one.b, one.n_differing) == (other.a, other.b, other.n_differing)
        assert drawn or one.verdict == other.verdict
        assert other.estimate / factor == pytest.approx(one.estimate, rel=1e-9, abs=1e-12 * one.score_a)
        check_same_interval(one.interval, other.interval, factor, drawn=drawn)
        check_same_test(one.test, other.test, drawn=drawn)
    assert [note.code for note in here.notes] == [note.code for note in there.notes]


def applies(entry: Entry, design: str, interval: str = "auto", test: str = "permutation") -> bool:
    if "sums" in needs("interval", interval) and not entry.sums:
        return False
    if "formula" in needs("interval", interval) and entry.metric is median_error:
        return False
    if "one stratum" in needs("interval", interval) and design == "strata":
        return False
    return not (test in ("t", "sign", "wilcoxon") and not entry.mean)


REPRESENTATIVE = ("mean", "rmse", "pearson", "spearman", "spread")
EVERY = [
    pytest.param(key, marks=[] if key in REPRESENTATIVE else [pytest.mark.check], id=key) for key in METRICS
]


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("key", EVERY)
def test_every_interval_and_test_in_other_units(key: str, design: str) -> None:
    entry = METRICS[key]
    asked: list[dict[str, Any]] = [
        {"interval": i, "test": None} for i in INTERVALS if applies(entry, design, interval=i)
    ]
    asked += [{"test": test, "interval": "percentile"} for test in TESTS if applies(entry, design, test=test)]
    drawn = not entry.one or (entry.sums and design == "clusters")  # sums of clusters are put in order
    for position, settings in enumerate(asked):
        settings = settings | groups(design)
        if not drawn:
            settings["n_resamples"] = 499  # the same ones are drawn: few show all
        one = compared(entry, 1.0, margin=0.3, **settings)
        unit = UNITS[position % len(UNITS)]
        other = compared(entry, unit, margin=0.3 * unit**entry.power, **settings)
        check_same(one, other, entry, unit, drawn=drawn)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("key", [key for key, entry in METRICS.items() if entry.sums])
def test_crossed_groupings_and_simultaneous_intervals(key: str, unit: float) -> None:
    entry = METRICS[key]
    crossed = {"clusters": [np.arange(60) % 6, np.arange(60) // 10], "test": "wald"}
    check_same(compared(entry, 1.0, **crossed), compared(entry, unit, **crossed), entry, unit, drawn=False)
    together = {"correction": "simultaneous", "alternative": "greater"}
    one, other = (compared(entry, u, **together) for u in (1.0, unit))
    check_same(one, other, entry, unit, drawn=not entry.one)


@pytest.mark.parametrize("unit", UNITS)
def test_agreement_of_annotators(unit: float) -> None:
    rng = np.random.default_rng(3)
    truth = rng.normal(5.0, 1.0, 40)
    rounds = {
        name: [[float(x) for x in t + rng.normal(0.0, sd, 3)] for t in truth]
        for name, sd in (("a", 0.4), ("b", 0.7))
    }
    scaled = {name: [[unit * x for x in row] for row in rows] for name, rows in rounds.items()}
    for interval in ("normal", "cr2", "studentized", "bca"):
        settings: dict[str, Any] = {
            "metric": "krippendorff_alpha_interval",
            "interval": interval,
            "level": LEVEL,
            "n_resamples": SOME,
        }
        check_same(
            bb.compare(rounds, **settings), bb.compare(scaled, **settings), METRICS["r2"], unit, drawn=True
        )


@pytest.mark.parametrize("unit", [1e-2, 7.0, 100.0])
@pytest.mark.parametrize("key", ["mae", "mse", "rmse"])
def test_ratings_that_are_off_by_0_or_1(key: str, unit: float) -> None:
    """Errors of 0 and 1 are no right and wrong answers: in another unit they are 0 and 100."""
    rng = np.random.default_rng(3)
    gold = rng.integers(1, 6, 40).astype(float)
    systems = {name: gold + (rng.random(40) < share) for name, share in (("a", 0.2), ("b", 0.5))}
    for settings in ({}, {"interval": "bca"}, {"interval": "basic"}):
        one, other = (
            bb.compare(
                {k: v * u for k, v in systems.items()}, gold * u, metric=key, n_resamples=SOME, **settings
            )
            for u in (1.0, unit)
        )
        check_same(one, other, METRICS[key], unit, drawn=True)
        assert "wilson" not in {system.interval.method for system in one.systems}


RUNS = {
    "a": [0.81, 0.83, 0.82, 0.85, 0.80],
    "b": [0.78, 0.80, 0.79, 0.83, 0.81],
    "c": [0.7, 0.76, 0.73, 0.74, 0.71],
}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("paired", [False, True])
def test_runs(unit: float, paired: bool) -> None:
    scaled = {name: [unit * x for x in scores] for name, scores in RUNS.items()}
    entry = METRICS["mean"]
    asked: list[dict[str, Any]] = [{"test": t} for t in ("permutation", "t", "bootstrap")]
    asked += [{"interval": i} for i in ("t", "bca", "percentile", "basic")]
    asked += [{"statistic": s} for s in ("median", "trimmed_mean", "iqm")]
    asked += [] if paired else [{"test": "brunner-munzel"}]
    for settings in asked:
        one, other = (bb.compare_runs(r, paired=paired, n_resamples=SOME, **settings) for r in (RUNS, scaled))
        check_same(one, other, entry, unit, drawn=False)
        for x, y in zip(one.differences, other.differences, strict=True):
            assert y.improvement == x.improvement
            assert y.effect_size == pytest.approx(x.effect_size, rel=1e-9)
            assert y.order.epsilon_min == pytest.approx(x.order.epsilon_min, rel=1e-9)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("key", ["mean", "rmse", "r2", "spread"])
def test_runs_with_items(key: str, unit: float) -> None:
    entry = METRICS[key]
    gold, systems = data()
    rng = np.random.default_rng(1)
    runs = {name: [values + rng.normal(0.0, 0.1, 60) for _ in range(3)] for name, values in systems.items()}
    found = [
        bb.compare_runs(
            {name: [run * u for run in many] for name, many in runs.items()},
            gold=gold * u if entry.gold else None,
            metric=entry.metric,
            n_resamples=200,
        )
        for u in (1.0, unit)
    ]
    check_same(*found, entry, unit, drawn=True)


@pytest.mark.parametrize("unit", UNITS)
def test_datasets_folds_and_almost_stochastic_order(unit: float) -> None:
    rng = np.random.default_rng(5)
    table = {
        f"d{i}": {name: float(rng.normal(mean, 0.3)) for name, mean in (("a", 3.0), ("b", 2.8), ("c", 2.2))}
        for i in range(8)
    }
    scaled = {d: {name: unit * x for name, x in row.items()} for d, row in table.items()}
    for across in ("wilcoxon", "sign", "permutation", "t"):
        one, other = (bb.compare_datasets(t, across=across, n_resamples=SOME) for t in (table, scaled))
        assert one.average_ranks == other.average_ranks
        for x, y in zip(one.differences, other.differences, strict=True):
            check_same_test(x.test, y.test, drawn=False)
            check_same_interval(x.interval, y.interval, unit, drawn=False)
    folds, in_units = ({k: [u * x for x in v] for k, v in RUNS.items()} for u in (1.0, unit))
    for x, y in zip(bb.compare_folds(folds).differences, bb.compare_folds(in_units).differences, strict=True):
        check_same_test(x.test, y.test, drawn=False)
        check_same_interval(x.interval, y.interval, unit, drawn=False)
    first, second = (bb.aso(r["a"], r["b"], n_resamples=SOME) for r in (folds, in_units))
    assert second.violation_ratio == pytest.approx(first.violation_ratio, rel=1e-9)
    assert second.epsilon_min == pytest.approx(first.epsilon_min, rel=1e-9)
    assert second.p_value == first.p_value


@pytest.mark.parametrize("unit", UNITS[:1])
def test_items_of_datasets(unit: float) -> None:
    gold, systems = data()
    parts = [slice(0, 30), slice(30, 60)]
    found = []
    for u in (1.0, unit):
        evaluations = {
            f"d{i}": bb.Evaluation.of({k: v[part] * u for k, v in systems.items()}, gold[part] * u)
            for i, part in enumerate(parts)
        }
        found.append(bb.compare_datasets(evaluations, metric="rmse", n_resamples=SOME))
    one, other = found
    for x, y in zip(one.overall, other.overall, strict=True):
        check_same_interval(x.interval, y.interval, unit, drawn=False)
    for x, y in zip(one.differences, other.differences, strict=True):
        check_same_test(x.test, y.test, drawn=False)


@pytest.mark.parametrize("unit", UNITS[:2])
def test_plans(unit: float) -> None:
    gold, systems = data()
    here = bb.planning.PairedScores.from_pilot(systems["a"], systems["b"])
    there = bb.planning.PairedScores.from_pilot(systems["a"] * unit, systems["b"] * unit)
    assert bb.power(there, 100).power == pytest.approx(bb.power(here, 100).power, rel=1e-6)
    assert bb.sample_size(there, 0.8).n == bb.sample_size(here, 0.8).n
    found = [
        bb.power(
            bb.planning.Pilot(
                bb.Evaluation.of({k: systems[k] * u for k in "ab"}, gold * u), metric="rmse", test="wald"
            ),
            n=40,
            n_simulations=50,
        ).power
        for u in (1.0, unit)
    ]
    assert found[1] == pytest.approx(found[0], abs=0.05)


@pytest.mark.parametrize("unit", UNITS[:1])
def test_tables_read_in_batches(unit: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_tables, "MOST_CELLS", 100)
    monkeypatch.setattr(large_tables, "ROWS", 128)
    gold, systems = data(400)
    found = []
    for u in (1.0, unit):
        path = tmp_path / f"{u}.csv"
        columns = [gold * u, systems["a"] * u, systems["b"] * u]
        with path.open("w", encoding="utf-8", newline="") as stream:
            rows = [[f"q{i}", *map(repr, row)] for i, row in enumerate(np.array(columns).T.tolist())]
            csv.writer(stream).writerows([["id", "target", "a", "b"], *rows])
        streamed = read(path, items="id", gold="target", systems=["a", "b"], stream=True)
        for name, interval in itertools.product(("rmse", "mse"), ("normal", "percentile")):
            found.append(bb.compare(streamed, metric=name, n_resamples=200, interval=interval))
    half = len(found) // 2
    for one, other in zip(found[:half], found[half:], strict=True):
        check_same(one, other, METRICS[one.metrics[0].name], unit, drawn=False)


@pytest.mark.parametrize("key", ["mean", "mse", "r2", "spearman"])
@pytest.mark.parametrize("unit", [1e-200, 1e-100, 1e80])
def test_numbers_whose_squares_are_none_are_refused(key: str, unit: float) -> None:
    with pytest.raises(InvalidInputError):
        compared(METRICS[key], unit)


@pytest.mark.parametrize("unit", [0.01, 3.0, 100.0, 1000.0])
@pytest.mark.parametrize("interval", ["auto", "basic", "percentile", "normal"])
def test_verdicts_at_the_margin_do_not_depend_on_the_unit(interval: str, unit: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(6):
        a, b = (rng.integers(0, 2, 100) for _ in "ab")
        for hundredths in (5, 10, 15, 20):
            found = []
            for size in (10.0, unit):  # "auto" takes a score interval for 0 and 1 only
                scores, margin = {"a": a * size, "b": b * size}, hundredths * size / 100
                how = {"interval": interval, "n_resamples": 199}
                found.append(bb.compare(scores, margin=margin, **how)["a", "b"].verdict)
            assert found[0] == found[1]


def test_a_difference_of_the_size_of_the_margin_is_inconclusive() -> None:
    for unit in (1.0, 10.0, 100.0, 1000.0):
        scores = {"a": np.full(20, 0.8 * unit), "b": np.full(20, 0.5 * unit)}
        d = bb.compare(scores, margin=0.3 * unit)["a", "b"]
        assert (d.interval, d.verdict) == (None, "inconclusive")
