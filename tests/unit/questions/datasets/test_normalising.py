"""Scores of several datasets on one scale: ranges, the note on scales, pooled statistics, profiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import bestby as bb

SCALES = {"reacher": (-12.0, -3.0), "hopper": (0.0, 3500.0), "cheetah": (-100.0, 9500.0)}


def drawn(n_runs: int = 6) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return normalised runs, by dataset and system, and the same on scales far apart."""
    rng = np.random.default_rng(2)
    plain: dict[str, Any] = {}
    for name in SCALES:
        plain[name] = {s: 0.6 + e + 0.1 * rng.normal(size=n_runs) for s, e in (("td3", 0.3), ("ddpg", 0.0))}
    apart = {
        name: {s: low + (high - low) * x for s, x in plain[name].items()}
        for name, (low, high) in SCALES.items()
    }
    return plain, apart


PLAIN, APART = drawn()


def codes(result: Any) -> set[str]:
    return {note.code for note in result.notes}


@pytest.mark.parametrize("statistic", ["mean", "iqm", "median"])
def test_ranges_undo_the_scales(statistic: str) -> None:
    expected = bb.compare_datasets(PLAIN, statistic=statistic)
    found = bb.compare_datasets(APART, normalise=SCALES, statistic=statistic)
    for one, other in zip(found.overall, expected.overall, strict=True):
        assert (one.average, one.resampled) == (other.average, other.resampled)
        assert one.estimate == pytest.approx(other.estimate)
        assert one.interval.low == pytest.approx(other.interval.low)
    assert found.ranges == SCALES
    assert codes(found) >= {"normalised"}
    assert "scales_differ" not in codes(found)
    assert "scales_differ" in codes(bb.compare_datasets(APART))


def test_a_table_of_scores_too() -> None:
    table = {name: {s: float(x.mean()) for s, x in row.items()} for name, row in APART.items()}
    found = bb.compare_datasets(table, normalise=SCALES)
    assert found["td3", "ddpg"].estimate == pytest.approx(
        np.mean([row["td3"].mean() - row["ddpg"].mean() for row in PLAIN.values()])
    )
    assert bb.load(found.to_json()) == found
    assert "scales_differ" in codes(bb.compare_datasets(table))


def test_the_lowest_and_the_highest_score() -> None:
    found = bb.compare_datasets(APART, normalise="minmax")
    for name, row in APART.items():
        everything = np.concatenate(list(row.values()))
        assert found.ranges[name] == (everything.min(), everything.max())
        scaled = [run for runs in found.runs.scores[name].values() for run in runs]
        assert (min(scaled), max(scaled)) == (0.0, 1.0)
    assert all(entry.optimality_gap is None for entry in found.runs.systems)
    assert next(n for n in found.notes if n.code == "normalised").message.startswith("the scores are normal")


def test_the_interquartile_mean_and_the_optimality_gap() -> None:
    found = bb.compare_datasets(APART, normalise=SCALES, statistic="iqm")
    for entry in found.runs.systems:
        scores = np.array([row[entry.system] for row in PLAIN.values()])
        assert entry.score == pytest.approx(stats.trim_mean(scores, 0.25, axis=None))
        assert entry.optimality_gap == pytest.approx(np.maximum(0.0, 1.0 - scores).mean())
        assert entry.gap_interval.low < entry.optimality_gap < entry.gap_interval.high
    micro = next(e for e in found.overall if e.average == "micro")
    first, second = found.runs.systems
    assert micro.estimate == pytest.approx(first.score - second.score)
    assert micro.p_value < 0.001
    assert "optimality gap" in found.details()


def test_the_stratified_bootstrap_is_shorter_and_noted() -> None:
    by_formula = bb.compare_datasets(PLAIN, statistic="iqm")
    by_draws = bb.compare_datasets(PLAIN, statistic="iqm", interval="percentile")
    lengths = []
    for result in (by_formula, by_draws):
        micro = next(e for e in result.overall if e.average == "micro")
        lengths.append(micro.interval.high - micro.interval.low)
    assert lengths[1] < lengths[0] < 2.0 * lengths[1]
    assert "short_interval" in codes(by_draws)
    assert "short_interval" not in codes(by_formula)


def test_lower_is_better_keeps_its_direction_and_has_no_gap() -> None:
    found = bb.compare_datasets(APART, normalise=SCALES, metric="error_rate")
    assert found.runs.systems[0].system == "ddpg"
    assert found.runs.systems[0].optimality_gap is None


@pytest.mark.parametrize(
    ("table", "noted"),
    [
        ({"a": {"x": 0.9, "y": 0.95}, "b": {"x": 0.01, "y": 0.02}}, False),
        ({"a": {"x": 90.0, "y": 95.0}, "b": {"x": 1.0, "y": 2.0}}, False),
        ({"a": {"x": 900.0, "y": 950.0}, "b": {"x": 1.0, "y": 2.0}}, True),
        ({"a": {"x": 90.0, "y": 95.0}, "b": {"x": -1.0, "y": -2.0}}, True),
        ({"a": {"x": 200.0, "y": 210.0}, "b": {"x": 100.0, "y": 120.0}}, False),
        ({"a": {"x": 0.0, "y": 0.0}, "b": {"x": 0.0, "y": 0.0}}, False),
    ],
)
def test_when_scales_are_noted(table: dict[str, dict[str, float]], noted: bool) -> None:
    assert ("scales_differ" in codes(bb.compare_datasets(table))) == noted


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"d": {"a": 0.8, "b": 0.7}, "e": {"a": 80.0, "b": 70.0}, "f": {"a": 0.7, "b": 0.6}}, "2 scores"),
        ({"d": {"a": 0.8, "b": 0.7}, "e": {"a": 0.8, "b": 70.0}}, "a percentage among shares: 70 on e."),
        ({"d": {"a": 80.0, "b": 75.0}, "e": {"a": 0.81, "b": 70.0}}, "a share among percentages: 0.81 on e."),
        ({"d": {"a": 0.8, "b": 0.7}, "e": {"a": 0.0, "b": 1.0}}, None),
        ({"d": {"a": 80.0, "b": 70.0}, "e": {"a": 0.0, "b": 1.0}}, None),
        ({"d": {"a": 25.0, "b": 28.0}, "e": {"a": 0.9, "b": 1.4}}, None),
        ({"d": {"a": 0.2, "b": 0.4}, "e": {"a": 1.1, "b": 1.3}}, None),
        ({"d": {"a": -0.2, "b": 0.4}, "e": {"a": 40.0, "b": 50.0}}, None),
    ],
)  # fmt: skip
def test_percentages_among_shares_are_noted(table: dict[str, dict[str, float]], told: str | None) -> None:
    """Percentages of easy datasets may be small, and a system may fail on one."""
    found = [note.message for note in bb.compare_datasets(table).notes if note.code == "mixed_percent"]
    assert len(found) == (told is not None)
    assert told is None or told in found[0]


def test_profiles_are_drawn() -> None:
    found = bb.compare_datasets(APART, normalise=SCALES)
    axes = found.plot("profiles")
    lines = {line.get_label(): line.get_ydata() for line in axes.get_lines()}
    assert set(lines) == {"td3", "ddpg"}
    assert all(y[0] == 1.0 and y[-1] == 0.0 for y in lines.values())
    assert (np.asarray(lines["td3"]) >= np.asarray(lines["ddpg"]) - 1e-12).mean() > 0.95
    assert "Performance profiles" in found.to_html()
    with pytest.raises(bb.errors.InvalidInputError, match="performance profiles are of several runs"):
        bb.compare_datasets({"x": {"a": 1.0, "b": 2.0}, "y": {"a": 1.0, "b": 3.0}}).plot("profiles")
