"""Systems that lack items: pairs on the items both have, bounds, and items missing by difficulty."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import bestby as bb
from bestby.comparisons.incomplete import FEWEST_SHARED
from bestby.comparisons.item_effects import Effects, contrast
from bestby.errors import DesignError, InvalidInputError

N = 200


def data(seed: int = 0, labels: bool = False) -> tuple[dict[str, Any], Any]:
    """Return four systems of which two lack items, and the gold of labels."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, N)
    right = {name: rng.random(N) < share for name, share in zip("abcd", (0.85, 0.8, 0.7, 0.6), strict=True)}
    if labels:
        systems = {name: np.where(one, gold, (gold + 1) % 3).astype(object) for name, one in right.items()}
    else:
        systems = {name: one.astype(object) for name, one in right.items()}
    systems["b"][:80] = None
    systems["c"][60:90] = None
    return systems, gold if labels else None


@pytest.mark.parametrize("metric", [None, "f1_macro", "accuracy"])
@pytest.mark.parametrize("clustered", [False, True])
def test_a_pair_is_what_it_is_alone_on_the_items_both_have(metric: str | None, clustered: bool) -> None:
    systems, gold = data(labels=metric is not None)
    clusters = np.arange(N) // 5 if clustered else None
    result = bb.compare(systems, gold, metric=metric, clusters=clusters, on_missing="pairs")
    assert len(result) == 6
    for d in result:
        two = {name: systems[name] for name in (d.a, d.b)}
        alone = bb.compare(two, gold, metric=metric, clusters=clusters, on_missing="drop")[d.a, d.b]
        assert (alone.estimate, alone.interval, alone.p_value, alone.n_items) == (
            d.estimate,
            d.interval,
            d.p_value,
            d.n_items,
        )
        assert alone.standard_error == d.standard_error
    assert result.score("b").n_items == 120


def test_p_values_are_corrected_over_all_pairs_and_systems_stand_by_their_mean_differences() -> None:
    systems, _ = data()
    result = bb.compare(systems, on_missing="pairs")
    raw = np.array([d.p_value for d in result])
    order = np.argsort(raw, kind="stable")
    holm = np.minimum(np.maximum.accumulate(raw[order] * np.arange(6, 0, -1)), 1.0)
    assert_allclose(np.array([d.p_adjusted for d in result])[order], holm)
    for entry in result.systems:
        to_others = [result[entry.system, other].estimate for other in systems if other != entry.system]
        assert_allclose(entry.mean_difference, np.mean(to_others), atol=1e-12)
    means = [entry.mean_difference for entry in result.systems]
    assert means == sorted(means, reverse=True)


def test_complete_data_give_what_they_give_otherwise() -> None:
    rng = np.random.default_rng(3)
    systems = {name: rng.integers(0, 2, 60).tolist() for name in "abc"}
    assert bb.compare(systems, on_missing="pairs") == bb.compare(systems)


def test_a_newcomer_with_hard_items_is_ranked_by_the_items_both_have() -> None:
    rng = np.random.default_rng(5)
    hard = np.sort(rng.random(600))
    systems: dict[str, Any] = {f"s{i}": (rng.random(600) < hard).astype(float) for i in range(4)}
    newcomer = (rng.random(600) < np.minimum(hard + 0.15, 1.0)).astype(float)
    newcomer[200:] = np.nan
    result = bb.compare({**systems, "newcomer": newcomer}, on_missing="pairs")
    assert result.systems[0].system == "newcomer"
    assert result.score("newcomer").score < result.score("s0").score
    (told,) = (note for note in result.notes if note.code == "missing_by_difficulty")
    assert told.about == ("mean", "newcomer")
    assert "harder" in told.message
    assert "newcomer has a higher mean than the others" in str(result)
    assert "on those that both have (200 to 600 items)" in result.methods()


@pytest.mark.parametrize("on_missing", ["pairs", "bounds"])
def test_lower_is_better_mirrors_all(on_missing: Any) -> None:
    systems, _ = data()
    scores = {name: [None if v is None else float(v) for v in values] for name, values in systems.items()}
    losses = {name: [None if v is None else -v for v in values] for name, values in scores.items()}
    high = bb.compare(scores, metric=bb.ScoreMetric("gain", greater_is_better=True), on_missing=on_missing)
    low = bb.compare(losses, metric=bb.ScoreMetric("loss", greater_is_better=False), on_missing=on_missing)
    assert [e.system for e in high.systems] == [e.system for e in low.systems]
    assert_allclose([d.estimate for d in high], [-d.estimate for d in low], atol=1e-15)
    assert [e.may_be_best for e in high.systems] == [e.may_be_best for e in low.systems]
    assert_allclose([e.behind for e in high.systems], [e.behind for e in low.systems])  # type: ignore[arg-type]


def test_pairs_that_share_too_few_items_are_named_and_left_out() -> None:
    rng = np.random.default_rng(1)
    systems = {name: rng.integers(0, 2, 100).astype(object) for name in "abcd"}
    systems["b"][: 100 - FEWEST_SHARED] = None
    systems["c"][FEWEST_SHARED:] = None
    systems["d"][5:] = None
    result = bb.compare(systems, on_missing="pairs")
    assert [entry.system for entry in result.systems if entry.system == "d"] == []
    of_system, of_pair = (note.message for note in result.notes if note.code == "few_shared")
    assert of_system.startswith("d is left out")
    assert "b and c" in of_pair
    assert {frozenset((d.a, d.b)) for d in result} == {frozenset("ab"), frozenset("ac")}
    assert "b and c" in str(result) or "few" in str(result)
    result.to_html()


def test_a_baseline_meets_every_other_system_once() -> None:
    systems, _ = data()
    for on_missing in ("pairs", "bounds"):
        for baseline in "ab":
            result = bb.compare(systems, on_missing=on_missing, baseline=baseline, alternative="better")
            assert sorted(d.a for d in result) == sorted(set("abcd") - {baseline})
            assert {d.b for d in result} == {baseline}


@pytest.mark.parametrize("baseline", ["a", "b"])
def test_a_one_sided_question_to_bounds_is_that_of_each_end(baseline: str) -> None:
    systems, _ = data()
    filled = {
        value: {name: [value if v is None else float(v) for v in values] for name, values in systems.items()}
        for value in (0.0, 1.0)
    }
    result = bb.compare(systems, on_missing="bounds", baseline=baseline, alternative="better")
    for d in result:
        for value, other in ((0.0, 1.0), (1.0, 0.0)):
            two = {d.a: filled[value][d.a], baseline: filled[other][baseline]}
            end = bb.compare(two, baseline=baseline, alternative="better")[d.a, d.b]
            assert d.p_value >= end.p_value  # type: ignore[operator]


def test_the_rank_of_one_is_from_its_own_differences() -> None:
    rng = np.random.default_rng(3)
    shares = np.linspace(0.9, 0.3, 8)
    systems: dict[str, Any] = {f"s{i}": (rng.random(300) < p).astype(float) for i, p in enumerate(shares)}
    whole = bb.compare(systems, focus="s3").focus
    systems["s7"][200:] = np.nan
    for on_missing in ("pairs", "bounds"):
        result = bb.compare(systems, on_missing=on_missing, focus="s3")
        entry, (found,) = result.score("s3"), result.focus
        assert entry.rank_low <= found.rank_low <= 4 <= found.rank_high <= entry.rank_high  # type: ignore[operator]
    assert bb.compare(systems, on_missing="pairs", focus="s3").focus == whole  # s7 is far behind in any case
    systems["s7"][FEWEST_SHARED:] = np.nan
    systems["s3"][:10] = np.nan
    (apart,) = bb.compare(systems, on_missing="pairs", focus="s3").focus
    assert apart.rank_high == whole[0].rank_high + 1  # s7 is not compared with it
    systems["s7"][5:] = np.nan
    with pytest.raises(InvalidInputError, match="no system and s7 have 15 items in common"):
        bb.compare(systems, on_missing="pairs", focus="s7")


def test_the_leader_has_its_score_where_all_that_could_be_first_have_its_items() -> None:
    rng = np.random.default_rng(4)
    systems: dict[str, Any] = {
        f"s{i}": (rng.random(300) < p).astype(float) for i, p in enumerate((0.85, 0.8, 0.78, 0.5))
    }
    whole = bb.compare(systems).leader
    assert whole is not None
    newcomer = np.where(np.arange(300) < 270, 0.0, np.nan)
    assert bb.compare({**systems, "newcomer": newcomer}, on_missing="pairs").leader == whole
    for lacking in (
        np.where(np.isnan(newcomer), np.nan, systems["s0"]),
        np.where(rng.random(300) < 0.1, np.nan, 1.0),
    ):
        result = bb.compare({**systems, "newcomer": lacking}, on_missing="pairs")
        assert result.score("newcomer").rank_low == 1
        assert result.leader is None


def test_bounds_hold_at_both_ends() -> None:
    systems, gold = data(labels=True)
    result = bb.compare(systems, gold, metric="accuracy", on_missing="bounds")
    wrong = {name: [-1 if v is None else v for v in values] for name, values in systems.items()}
    right = {
        name: [g if v is None else v for v, g in zip(values, gold, strict=True)]
        for name, values in systems.items()
    }
    for d in result:
        low = bb.compare({d.a: wrong[d.a], d.b: right[d.b]}, gold, metric="accuracy")[d.a, d.b]
        high = bb.compare({d.a: right[d.a], d.b: wrong[d.b]}, gold, metric="accuracy")[d.a, d.b]
        assert d.interval is not None
        assert low.interval is not None
        assert high.interval is not None
        assert (d.interval.low, d.interval.high) == (low.interval.low, high.interval.high)
        expected = max(low.p_value, high.p_value) if low.estimate * high.estimate > 0.0 else 1.0
        assert d.p_value == expected
        assert low.estimate <= d.estimate <= high.estimate
    assert result.score("b").interval.low < result.score("b").score
    assert [note.code for note in result.notes] == ["bounds"]
    assert "detect a difference" not in str(result)
    assert bb.load(result.to_json()) == result


def test_bounds_are_of_metrics_to_which_a_missing_prediction_has_a_worst_value() -> None:
    systems, gold = data(labels=True)
    with pytest.raises(DesignError, match="no worst and no best value for f1_macro"):
        bb.compare(systems, gold, metric="f1_macro", on_missing="bounds")


def test_what_needs_all_systems_on_the_same_items_is_refused_with_a_way_out() -> None:
    systems, _ = data()
    for arguments in ({"correction": "simultaneous"}, {"correction": "step-down"}, {"alternative": "better"}):
        with pytest.raises(DesignError, match=r"on the same items|one-sided"):
            bb.compare(systems, on_missing="pairs", **arguments)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="15 items in common"):
        bb.compare({"a": [1, 0, None, 1], "b": [1, None, 0, 1]}, on_missing="pairs")
    apart = {
        name: [1 if (i + s) % 3 else 0 if i // 50 == s // 2 else None for i in range(100)]
        for s, name in enumerate("abcd")
    }
    apart = {
        name: [v if i // 50 == "abcd".index(name) // 2 else None for i, v in enumerate(values)]
        for name, values in apart.items()
    }
    with pytest.raises(DesignError, match="fall into groups"):
        bb.compare(apart, on_missing="pairs")


def test_systems_that_lack_items_can_be_left_out() -> None:
    systems, _ = data()
    result = bb.compare(systems, on_missing="drop-systems")
    assert {entry.system for entry in result.systems} == {"a", "d"}
    assert result.n_items == N
    (note,) = (note for note in result.notes if note.code == "systems_dropped")
    assert "b (120), c (170)" in note.message
    table = bb.compare(pd.DataFrame(systems).astype(float), on_missing="drop-systems")
    assert [one.code for one in table.notes] == ["read_as", "systems_dropped"]
    keyed = {
        name: {f"i{i}": v for i, v in enumerate(values) if v is not None} for name, values in systems.items()
    }
    assert [d.estimate for d in bb.compare(keyed, on_missing="drop-systems")] == [d.estimate for d in result]
    with pytest.raises(InvalidInputError, match="no system has all"):
        bb.compare({"a": [1, None, 1], "b": [None, 1, 0]}, on_missing="drop-systems")


def test_whole_groups_that_are_missing_are_said_unless_they_are_clusters() -> None:
    rng = np.random.default_rng(2)
    task = np.repeat([f"t{i}" for i in range(10)], 20)
    systems = {name: rng.integers(0, 2, 200).astype(object) for name in "abc"}
    systems["c"][:101] = None
    evaluation = bb.Evaluation.of(systems, slices={"task": task}, on_missing="pairs")
    (note,) = (one for one in bb.compare(evaluation).notes if one.code == "whole_groups_missing")
    assert "5 of 10 groups by task" in note.message
    clustered = dataclasses.replace(evaluation, clusters=task)
    assert all(one.code != "whole_groups_missing" for one in bb.compare(clustered).notes)


def test_the_items_of_a_pair_are_those_both_have() -> None:
    systems, _ = data()
    result = bb.compare(systems, on_missing="pairs")
    differing = result.disagreements("a", "b")
    assert differing.n_items == 120
    assert all(row.item >= 80 for row in differing)


def test_contrast_is_welchs_t() -> None:
    from scipy.stats import ttest_ind

    rng = np.random.default_rng(0)
    values, chosen = rng.normal(size=40), np.arange(40) < 15
    found = contrast(values, chosen)
    assert found is not None
    assert_allclose(found.t, ttest_ind(values[chosen], values[~chosen], equal_var=False).statistic)
    counts = np.full(40, 3)
    repeated = contrast(np.repeat(values, 3), np.repeat(chosen, 3))
    assert repeated is not None
    assert_allclose(contrast(values, chosen, counts=counts).t, repeated.t)  # type: ignore[union-attr]
    by_units = contrast(np.repeat(values, 3), np.repeat(chosen, 3), np.repeat(np.arange(40), 3))
    assert by_units is not None
    assert abs(by_units.t / found.t - 1.0) < 0.05


def test_the_set_of_the_best_has_a_newcomer_and_copies_of_the_best() -> None:
    rng = np.random.default_rng(7)
    hard = rng.random(900)
    systems: dict[str, Any] = {
        f"s{i}": (rng.random(900) < hard + more).astype(float) for i, more in enumerate((0.3, 0.3, 0.1, 0.0))
    }
    systems["copy"] = systems["s0"].copy()
    systems["newcomer"] = np.where(hard < 0.3, (rng.random(900) < hard + 0.3).astype(float), np.nan)
    result = bb.compare(systems, on_missing="pairs")
    kept = {entry.system for entry in result.systems if entry.may_be_best}
    assert kept == {"s0", "s1", "copy", "newcomer"}
    behind = {entry.system: entry.behind for entry in result.systems}
    assert behind["s3"] > result["s0", "s3"].estimate
    assert behind["s3"] < 0.5
    reverse = bb.compare(dict(reversed(systems.items())), on_missing="pairs")
    assert {entry.system: entry.behind for entry in reverse.systems} == behind
    bounds = bb.compare(systems, on_missing="bounds")
    assert bounds.score("newcomer").may_be_best
    assert bounds.score("s3").behind >= bounds["newcomer", "s3"].interval.high  # type: ignore[union-attr]


def test_the_set_of_the_best_is_that_of_complete_data_where_nothing_is_missing() -> None:
    from bestby.comparisons.best import set_of_best_of_pairs
    from bestby.data.evaluation import Evaluation
    from bestby.engine import prepare
    from bestby.engine.base import Drawing
    from bestby.engine.estimate import Estimates
    from bestby.inference import best
    from bestby.metrics import resolve
    from bestby.resampling.settings import Resampling

    rng = np.random.default_rng(1)
    values = rng.normal(size=(400, 5)) + rng.normal(size=(400, 1)) + np.array([0.3, 0.28, 0.25, 0.1, 0.0])
    evaluation = Evaluation.of({f"s{i}": column for i, column in enumerate(values.T)})
    (group,) = prepare.groups(evaluation, [resolve("mean")])
    estimates = Estimates(group, Drawing.of(Resampling(n_resamples=99)))
    effects = Effects(evaluation)
    effects.add(estimates, evaluation.names, np.ones(400, dtype=np.bool_))
    result = bb.compare(evaluation, test="wald")
    found = set_of_best_of_pairs(evaluation.names, [(d, d) for d in result], effects, 0.05, seed=0)
    assert found is not None
    assert group.spread is not None
    whole = best.by_t(estimates.scores, group.spread, 399, 0.05, seed=0)
    assert found.kept.tolist() == whole.kept.tolist()
    assert_allclose(found.behind, whole.behind, atol=0.01)  # other draws of the same family


def test_counted_rows_give_what_the_items_give(tmp_path: Path) -> None:
    systems, gold = data(labels=True)
    lines = ["gold,a,b,c,d"]
    lines += [
        ",".join("" if value is None else f"x{value}" for value in row)
        for row in zip(gold, *systems.values(), strict=True)
    ]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines))
    for on_missing, metric in (("pairs", "f1_macro"), ("bounds", "accuracy")):
        counted, whole = (
            bb.compare(bb.read(path, on_missing=on_missing, stream=stream), metric=metric)
            for stream in (True, False)
        )
        for one, other in zip(counted.systems, whole.systems, strict=True):
            assert_allclose(one.behind, other.behind, rtol=1e-5)  # sums in single precision
            assert dataclasses.replace(one, behind=None) == dataclasses.replace(other, behind=None)
        assert [d.p_adjusted for d in counted] == [d.p_adjusted for d in whole]
