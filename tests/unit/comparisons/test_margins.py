"""Verdicts over datasets, folds and preferences follow from two intervals, as those of `compare` do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import bestby as bb
from bestby.results import Interval

TABLE = {f"d{i}": {"old": 0.70 + 0.01 * i, "new": 0.71 + 0.01 * i + 0.002 * (i % 3)} for i in range(8)}
FOLDS = {name: [row[name] for row in TABLE.values()] for name in ("old", "new")}
JUDGED = [("new", "old", "new")] * 70 + [("new", "old", "old")] * 40 + [("new", "old", "tie")] * 10


def datasets(**settings: Any) -> bb.Difference:
    return bb.compare_datasets(TABLE, outer="dataset", **settings)["new", "old"]


def folds(**settings: Any) -> bb.Difference:
    return bb.compare_folds(FOLDS, **settings)["new", "old"]


def preferences(**settings: Any) -> bb.Difference:
    return bb.compare_preferences(JUDGED, n_resamples=999, **settings)["new", "old"]


def ends(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    return interval.low, interval.high


@pytest.mark.parametrize("compared", [datasets, folds, preferences])
def test_the_verdict_follows_from_the_intervals(compared: Any) -> None:
    plain, at_90 = compared(), compared(level=0.9)
    assert (plain.verdict, plain.margin, plain.equivalence_interval) == (None, None, None)
    low, high = ends(plain.interval)
    inner = ends(at_90.interval)
    assert low < inner[0] < inner[1] < high
    for margin, verdict in (
        (0.9 * low, "better"),
        (0.5 * (low + inner[1]), "inconclusive"),
        (0.5 * (inner[1] + high), "equivalent"),  # two one-sided tests need the 90 % interval only
        (2.0 * high, "equivalent"),
    ):
        d = compared(margin=margin)
        assert (d.verdict, d.margin) == (verdict, margin)
        assert ends(d.equivalence_interval) == pytest.approx(inner, rel=1e-12)
        assert ends(d.interval) == (low, high)
        assert d.mirrored().verdict == {"better": "worse"}.get(verdict, verdict)


def test_the_interval_of_equivalence_over_datasets_is_students() -> None:
    d = np.array([row["new"] - row["old"] for row in TABLE.values()])
    expected = stats.t.interval(0.9, d.size - 1, d.mean(), stats.sem(d))
    found = datasets(margin=0.05, interval="normal").equivalence_interval
    assert ends(found) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("compared", [datasets, folds])
def test_lower_may_be_better(compared: Any) -> None:
    assert compared(margin=0.005, greater_is_better=True).verdict == "better"
    assert compared(margin=0.005, greater_is_better=False).verdict == "worse"


def test_items_have_verdicts_on_each_dataset() -> None:
    gold = ["x", "y"] * 40
    part = bb.Evaluation.of({"a": gold, "b": ["x"] * 80}, gold)
    result = bb.compare_datasets({"p": part, "q": part}, margin=0.1)
    assert {d.verdict for differences in result.within.values() for d in differences} == {"better"}


def test_a_difference_that_no_interval_bounds_is_inconclusive() -> None:
    same = {f"d{i}": {"a": 0.7, "b": 0.6} for i in range(4)}
    d = bb.compare_datasets(same, outer="dataset", margin=0.5)["a", "b"]
    assert (d.interval, d.verdict, d.equivalence_interval) == (None, "inconclusive", None)
    d = bb.compare_folds({"a": [0.7] * 5, "b": [0.6] * 5}, margin=0.5)["a", "b"]
    assert (d.interval, d.verdict, d.equivalence_interval) == (None, "inconclusive", None)


def test_few_judgements_leave_the_verdict_open() -> None:
    judged = [("a", "b", "a")] * 6 + [("a", "b", "b")] * 2
    assert bb.compare_preferences(judged, margin=1.0)["a", "b"].verdict == "not worse"  # 6 of 8 are for it
    ties = [("a", "b", "tie")] * 20
    assert bb.compare_preferences(ties, margin=0.1)["a", "b"].verdict == "inconclusive"
    assert bb.compare_preferences(ties * 20, margin=0.1)["a", "b"].verdict == "equivalent"


def test_a_prior_would_make_systems_equivalent() -> None:
    with pytest.raises(bb.DesignError, match="margin and prior do not go together"):
        preferences(margin=0.5, prior=100.0)


@pytest.mark.parametrize("margin", [0.0, -1.0, float("nan"), "x"])
@pytest.mark.parametrize("compared", [datasets, folds, preferences])
def test_margins_are_checked(compared: Any, margin: Any) -> None:
    with pytest.raises(bb.InvalidInputError, match="margin must be"):
        compared(margin=margin)


def test_reports_and_files_have_the_verdict() -> None:
    for result in (
        bb.compare_datasets(TABLE, outer="dataset", margin=0.03),
        bb.compare_folds(FOLDS, margin=0.03),
        bb.compare_preferences(JUDGED, margin=2.0, n_resamples=99),
    ):
        assert "  verdict" in str(result)
        assert "equivalent" in str(result)
        assert "lies inside the margin" in result.to_markdown()
        assert result.to_frame()["verdict"][0] == "equivalent"
        assert "margin" in result.signature
        loaded = bb.load(result.to_json())
        assert loaded == result
        assert loaded.margin == result.margin


def evaluations(crossed: bool = False) -> dict[str, bb.Evaluation]:
    rng = np.random.default_rng(5)
    parts = {}
    for place in range(3):
        gold = rng.integers(0, 2, 120)
        systems = {name: gold ^ (rng.random(120) < share) for name, share in (("a", 0.1), ("b", 0.13))}
        clusters = [np.arange(120) // 10, np.arange(120) % 10] if crossed else None
        parts[f"d{place}"] = bb.Evaluation.of(systems, gold, clusters=clusters)
    return parts


@pytest.mark.parametrize("crossed", [False, True])
def test_every_difference_over_all_datasets_has_a_verdict(crossed: bool) -> None:
    settings: dict[str, Any] = {"metric": "accuracy", "n_resamples": 199}
    settings |= {"test": "wald"} if crossed else {}
    parts = evaluations(crossed)
    plain = bb.compare_datasets(parts, **settings).overall
    at_90 = bb.compare_datasets(parts, level=0.9, **settings).overall
    assert {(e.average, e.resampled) for e in plain} >= {("macro", "datasets"), ("macro", "items")}
    assert all((e.verdict, e.equivalence_interval) == (None, None) for e in plain)
    for one, inner in zip(plain, at_90, strict=True):
        low, high = ends(one.interval)
        for margin, verdict in (
            (0.5 * low if low > 0 else -0.5 * high, "better" if low > 0 else "worse"),
            (2.0 * max(abs(low), abs(high)), "equivalent"),
        ):
            if margin <= 0.0:  # the interval holds 0: no margin makes this difference better or worse
                continue
            judged = bb.compare_datasets(parts, margin=margin, **settings)
            (found,) = [e for e in judged.overall if (e.average, e.resampled) == (one.average, one.resampled)]
            assert found.verdict == verdict
            assert ends(found.interval) == pytest.approx((low, high), rel=1e-12)
            # No shorter than the 90 % interval, as it allows for items that were not seen.
            wide, seen = ends(found.equivalence_interval), ends(inner.interval)
            assert wide[0] <= seen[0] + 1e-12
            assert seen[1] - 1e-12 <= wide[1]


def test_tables_over_datasets_show_the_verdicts() -> None:
    result = bb.compare_datasets(evaluations(), metric="accuracy", margin=0.02, n_resamples=199)
    frame = result.to_frame()
    assert frame["verdict"].notna().all()
    assert frame["equivalence_low"].notna().all()
    tables = result.to_markdown().split("Differences on each dataset")
    assert len(tables) == 2
    assert all("| verdict" in part for part in (tables[0].split("All datasets together")[1], tables[1]))
    plain = bb.compare_datasets(evaluations(), metric="accuracy", n_resamples=199)
    assert "| verdict" not in plain.to_markdown()
    assert bb.load(result.to_json()) == result
