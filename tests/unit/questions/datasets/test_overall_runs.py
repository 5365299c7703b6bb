"""Several runs of each system on each of several datasets, as one comparison."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bestby as bb
from bestby.inference import samples
from bestby.inference.samples import improvement, mean_over_strata
from bestby.questions.datasets import overall_runs

LEVELS = {"news": 0.70, "talks": 0.60, "legal": 0.50, "bio": 0.40}
EFFECTS = {"big": 0.06, "new": 0.03, "old": 0.0}


def drawn(seed: int = 0, n_runs: int = 6) -> dict[str, dict[str, list[float]]]:
    """Return runs that vary by 0.02, by dataset and system."""
    rng = np.random.default_rng(seed)
    return {
        dataset: {s: (level + e + 0.02 * rng.normal(size=n_runs)).tolist() for s, e in EFFECTS.items()}
        for dataset, level in LEVELS.items()
    }


DATA = drawn()


@pytest.fixture(scope="module")
def result() -> bb.results.DatasetComparison:
    return bb.compare_datasets(DATA)


def test_each_dataset_is_what_compare_runs_gives(result: bb.results.DatasetComparison) -> None:
    for name, row in DATA.items():
        alone = bb.compare_runs(row)
        for d in result.within[name]:
            one = alone[d.a, d.b]
            assert (d.estimate, d.interval, d.test) == (one.estimate, one.interval, one.test)
            assert (d.improvement, d.improvement_interval) == (one.improvement, one.improvement_interval)
            assert d.order.violation_ratio == one.order.violation_ratio
            assert d.order.level == pytest.approx(1.0 - 0.05 / (2 * 3 * len(DATA)))


def test_the_datasets_with_a_difference_are_counted(result: bb.results.DatasetComparison) -> None:
    for a, b in (("big", "old"), ("new", "old")):
        inside = {name: next(d for d in made if (d.a, d.b) == (a, b)) for name, made in result.within.items()}
        counted = bb.replicability({name: d.p_value for name, d in inside.items()})
        assert result.replicability[a, b].found == counted.found
        assert tuple(d.p_adjusted for d in inside.values()) == counted.p_adjusted
    assert result.replicability["big", "old"].k_bonferroni == 4


def test_the_mean_difference_for_other_runs_adds_the_variances(result: bb.results.DatasetComparison) -> None:
    entry = next(e for e in result.overall if (e.a, e.b, e.resampled) == ("big", "old", "runs"))
    pairs = [(np.array(row["big"]), np.array(row["old"])) for row in DATA.values()]
    parts = [x.var(ddof=1) / x.size for pair in pairs for x in pair]
    error = math.sqrt(sum(parts)) / len(DATA)
    freedom = sum(parts) ** 2 / sum(v**2 / 5 for v in parts)
    estimate = float(np.mean([x.mean() - y.mean() for x, y in pairs]))
    half = stats.t.ppf(0.975, freedom) * error
    assert entry.estimate == pytest.approx(estimate)
    assert entry.standard_error == pytest.approx(error)
    assert (entry.interval.low, entry.interval.high) == pytest.approx((estimate - half, estimate + half))
    assert entry.p_value == pytest.approx(2 * stats.t.sf(estimate / error, freedom))
    assert entry.p_adjusted == pytest.approx(3 * entry.p_value)  # the smallest of three


def test_the_ranks_left_open_follow_these_tests() -> None:
    clear = bb.compare_datasets(DATA)
    assert [(e.system, e.rank_low, e.rank_high) for e in clear.runs.systems] == [
        ("big", 1, 1),
        ("new", 2, 2),
        ("old", 3, 3),
    ]
    alike = {name: {"a": row["new"], "b": row["old"][::-1], "c": row["old"]} for name, row in DATA.items()}
    ranks = {e.system: (e.rank_low, e.rank_high) for e in bb.compare_datasets(alike).runs.systems}
    assert ranks == {"a": (1, 1), "b": (2, 3), "c": (2, 3)}


def test_lower_is_better() -> None:
    turned = bb.compare_datasets(DATA, metric="error_rate")
    assert [e.system for e in turned.runs.systems] == ["old", "new", "big"]
    assert [(e.rank_low, e.rank_high) for e in turned.runs.systems] == [(1, 1), (2, 2), (3, 3)]


def test_the_probability_of_improvement_is_the_mean_over_the_datasets(
    result: bb.results.DatasetComparison,
) -> None:
    for place, one in enumerate(result.runs.improvements):
        inside = [made[place] for made in result.within.values()]
        assert one.estimate == pytest.approx(np.mean([d.improvement for d in inside]))
        assert one.interval.low < one.estimate
        assert one.interval.method == "newcombe"


@pytest.mark.parametrize("paired", [False, True])
def test_of_one_dataset_it_is_the_probability_on_it(paired: bool) -> None:
    a, b = (np.array(DATA["news"][s]) for s in ("new", "old"))
    p, interval = mean_over_strata([(a, b)], 0.95, paired=paired)
    one, other = improvement(a, b, 0.95, paired=paired)
    assert p == one
    assert (interval.low, interval.high) == pytest.approx((other.low, other.high), abs=1e-12)


def test_an_average_of_certain_wins_has_an_interval() -> None:
    wins = (np.array([2.0, 3.0, 4.0]), np.array([0.0, 1.0, 0.5]))
    intervals = [mean_over_strata([wins] * n, 0.95, paired=False)[1] for n in (1, 4, 16)]
    assert all(interval.high == 1.0 for interval in intervals)
    assert 0.3 < intervals[0].low < intervals[1].low < intervals[2].low < 0.99


def long_frame() -> pd.DataFrame:
    rows = [
        (s, d, run, score)
        for d, row in DATA.items()
        for s, scores in row.items()
        for run, score in enumerate(scores)
    ]
    return pd.DataFrame(rows, columns=["model", "dataset", "seed", "score"])


def wide_frame() -> pd.DataFrame:
    return long_frame().pivot(index=["dataset", "seed"], columns="model", values="score").reset_index()


FORMS: dict[str, Callable[[], Any]] = {
    "systems outside": lambda: bb.compare_datasets(
        {s: {d: DATA[d][s] for d in DATA} for s in EFFECTS}, outer="system"
    ),
    "named runs": lambda: bb.compare_datasets(
        {d: {s: dict(enumerate(scores)) for s, scores in row.items()} for d, row in DATA.items()}
    ),
    "arrays": lambda: bb.compare_datasets(
        {d: {s: np.array(scores) for s, scores in row.items()} for d, row in DATA.items()}
    ),
    "long frame": lambda: bb.compare_datasets(long_frame()),
    "wide frame": lambda: bb.compare_datasets(wide_frame()),
    "records": lambda: bb.compare_datasets(long_frame().to_dict("records")),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same(form: str, result: bb.results.DatasetComparison) -> None:
    found = FORMS[form]()
    assert found.provenance.data_hash == result.provenance.data_hash
    assert found.runs.systems == result.runs.systems
    for d in result.differences:
        assert found[d.a, d.b] == d
    counts = {pair: sorted(counted.found) for pair, counted in found.replicability.items()}
    assert counts == {pair: sorted(counted.found) for pair, counted in result.replicability.items()}


def test_arrays_without_names_are_numbered(result: bb.results.DatasetComparison) -> None:
    cube = np.array([[DATA[d][s] for d in DATA] for s in EFFECTS])
    for found in (bb.compare_datasets(cube), bb.compare_datasets(cube.tolist())):
        assert found.datasets == ("1", "2", "3", "4")
        assert found.systems == ("1", "2", "3")
        assert found["1", "3"].estimate == pytest.approx(result["big", "old"].estimate)
    turned = bb.compare_datasets({d: cube[:, i] for i, d in enumerate(DATA)}, outer="dataset")
    assert turned.systems == ("1", "2", "3")
    assert turned["1", "3"] == bb.compare_datasets(cube)["1", "3"]
    named = bb.compare_datasets(dict(zip(EFFECTS, cube, strict=True)))
    assert named.systems == result.systems
    assert named["big", "old"].interval == result["big", "old"].interval


@pytest.mark.parametrize("suffix", ["long", "wide"])
def test_files(tmp_path: Path, suffix: str, result: bb.results.DatasetComparison) -> None:
    path = tmp_path / "runs.csv"
    frame = long_frame() if suffix == "long" else wide_frame()
    frame.rename(columns={"seed": "trial"}).to_csv(path, index=False)
    read = bb.read_datasets(path, run="trial")
    assert read["news"]["old"] == {str(run): score for run, score in enumerate(DATA["news"]["old"])}
    assert bb.compare_datasets(read).runs.systems == result.runs.systems


def test_fewer_runs_are_empty_cells(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    frame = wide_frame()
    frame.loc[(frame["dataset"] == "bio") & (frame["seed"] > 3), "old"] = math.nan
    frame.to_csv(path, index=False)
    found = bb.compare_datasets(bb.read_datasets(path))
    assert len(found.runs.scores["bio"]["old"]) == 4
    assert found.runs.n_runs == (4, 6)
    assert found.provenance.data["runs"][0] in ([6, 6, 4], [6, 4, 6], [4, 6, 6])


def test_paired_runs_are_joined_by_their_names() -> None:
    names = [f"s{run}" for run in range(6)]
    data = {d: {s: dict(zip(names, row[s], strict=True)) for s in row} for d, row in DATA.items()}
    turned = {d: {s: dict(reversed(runs.items())) if s == "old" else runs for s, runs in row.items()}
              for d, row in data.items()}  # fmt: skip
    plain, joined = (bb.compare_datasets(one, paired=True) for one in (data, turned))
    assert joined.overall == plain.overall
    assert plain.within["news"][0].test.name in ("permutation", "t")
    with pytest.raises(
        bb.errors.InvalidInputError, match="dataset 'news': the runs of 'new' and the runs of 'big'"
    ):
        bb.compare_datasets({**data, "news": {**data["news"], "new": {"s0": 0.1, "s9": 0.2}}}, paired=True)


def test_other_statistics_and_percentiles() -> None:
    for statistic, location in (("median", np.median), ("iqm", lambda x: stats.trim_mean(x, 0.25))):
        found = bb.compare_datasets(DATA, statistic=statistic)
        one = float(np.mean([location(row["big"]) - location(row["old"]) for row in DATA.values()]))
        assert found["big", "old"].estimate == pytest.approx(one)
    drawn = bb.compare_datasets(DATA, interval="percentile")
    entry = next(e for e in drawn.overall if (e.a, e.b, e.resampled) == ("big", "old", "runs"))
    assert entry.interval.method == "percentile"
    assert entry.interval.low < entry.estimate < entry.interval.high


def test_a_margin_gives_verdicts() -> None:
    found = bb.compare_datasets(DATA, margin=0.01)
    verdicts = {(e.a, e.b): e.verdict for e in found.overall if e.resampled == "runs"}
    assert verdicts["big", "old"] == "better"


@pytest.mark.parametrize("skipped", [{"interval": None}, {"test": None}, {"interval": None, "test": None}])
def test_what_is_not_asked_for_is_not_there(skipped: dict[str, None]) -> None:
    found = bb.compare_datasets(DATA, **skipped)
    runs = [e for e in found.overall if e.resampled == "runs"]
    assert len(runs) == (0 if len(skipped) == 2 else 3)
    assert all((e.interval is None) == ("interval" in skipped) for e in (*runs, *found.runs.improvements))
    assert all((e.test is None) == ("test" in skipped) for e in runs)
    assert all((e.rank_low is None) == ("test" in skipped) for e in found.runs.systems)
    assert all((d.order is None) == ("test" in skipped) for made in found.within.values() for d in made)
    assert bb.load(found.to_json()) == found
    assert str(found)


def test_runs_that_do_not_vary_are_noted() -> None:
    same = {name: {s: [runs[0]] * 3 for s, runs in row.items()} for name, row in DATA.items()}
    found = bb.compare_datasets(same)
    codes = [note.code for note in found.notes]
    (told,) = [note.message for note in found.notes if note.code == "constant_runs"]
    assert told.endswith("(the first of 12 such notes, on 4 datasets)")
    assert codes.count("constant_difference") == 3
    assert all(e.interval is None for e in found.overall if e.resampled == "runs")


def test_one_run_everywhere_is_a_table_of_scores() -> None:
    single = {name: {s: runs[:1] for s, runs in row.items()} for name, row in DATA.items()}
    found = bb.compare_datasets(single)
    assert found.runs is None
    assert {note.code for note in found.notes} >= {"single_runs", "read_as"}
    table = {name: {s: runs[0] for s, runs in row.items()} for name, row in DATA.items()}
    assert found.differences == bb.compare_datasets(table).differences


SINGLE = {**DATA, "bio": {**DATA["bio"], "old": [0.4]}}


def test_datasets_with_a_single_run_are_dropped_on_request() -> None:
    found = bb.compare_datasets(SINGLE, on_missing="drop")
    assert found.datasets == ("news", "talks", "legal")
    assert "datasets_dropped" in {note.code for note in found.notes}


def test_one_sided_questions_and_a_baseline() -> None:
    found = bb.compare_datasets(DATA, alternative="better", baseline="old")
    runs = [e for e in found.overall if e.resampled == "runs"]
    assert {(e.a, e.b) for e in runs} == {("big", "old"), ("new", "old")}
    assert all(e.test.alternative == "greater" for e in runs)
    against = bb.compare_datasets(DATA, alternative="less", baseline="old")
    assert all(e.p_value > 0.9 for e in against.overall if e.resampled == "runs")
    assert all((e.rank_low, e.rank_high) == (1, 3) for e in against.runs.systems)


RNG = np.random.default_rng(5)
EQUAL = [RNG.normal(size=5) for _ in range(4)]
UNEQUAL = [RNG.normal(size=n) for n in (3, 6, 4)]


@pytest.mark.parametrize("statistic", ["mean", "median", "trimmed_mean", "iqm"])
def test_with_equal_numbers_of_runs_it_is_the_location_of_all(statistic: str) -> None:
    together = np.concatenate(EQUAL)
    found = overall_runs.pooled_location(together[None], overall_runs.weights_of(EQUAL), statistic)
    assert found == pytest.approx(float(samples.location(together, statistic)), rel=1e-12)


@pytest.mark.parametrize("statistic", ["mean", "iqm", "median"])
def test_repeating_the_runs_of_a_stratum_changes_little(statistic: str) -> None:
    """Twice the runs of one stratum, each of half the weight, are the same distribution."""
    doubled = [np.repeat(x, 2) for x in EQUAL]
    mixed = [doubled[0], *EQUAL[1:]]
    one = overall_runs.pooled_location(np.concatenate(mixed)[None], overall_runs.weights_of(mixed), "mean")
    assert one == pytest.approx(np.concatenate(EQUAL).mean())
    kept = [overall_runs.pooled_location(np.concatenate(x)[None], overall_runs.weights_of(x), statistic)[0]
            for x in (EQUAL, doubled)]  # fmt: skip
    assert kept[0] == pytest.approx(kept[1], abs=0.15)


def test_the_weighted_trimmed_mean_by_a_plain_loop() -> None:
    values, weights = np.concatenate(UNEQUAL), overall_runs.weights_of(UNEQUAL)
    cut, total, mass, used = overall_runs.cut_of(values.size, "iqm"), 0.0, 0.0, 0.0
    for i in np.argsort(values):
        start, mass = mass, mass + weights[i]
        inside = max(0.0, min(mass, 1.0 - cut) - max(start, cut))
        total, used = total + inside * values[i], used + inside
    assert used == pytest.approx(1.0 - 2.0 * cut)
    assert overall_runs.pooled_location(values[None], weights, "iqm")[0] == pytest.approx(total / used)


def test_the_error_of_a_mean_is_that_of_its_strata() -> None:
    error, freedom = overall_runs.pooled_error(UNEQUAL, None, "mean", paired=False)
    parts = [x.var(ddof=1) / x.size for x in UNEQUAL]
    assert error == pytest.approx(np.sqrt(sum(parts)) / 3)
    assert freedom == pytest.approx(
        sum(parts) ** 2 / sum(v**2 / (x.size - 1) for v, x in zip(parts, UNEQUAL, strict=True))
    )


def test_of_one_stratum_the_error_is_nearly_yuens() -> None:
    x = RNG.normal(size=200)
    error, _ = overall_runs.pooled_error([x], None, "iqm", paired=False)
    square, _ = samples.squared_error(x, "iqm") or (np.nan, 0)
    assert error == pytest.approx(np.sqrt(square), rel=0.02)


def test_pairs_that_differ_by_a_constant_have_no_error() -> None:
    shifted = [x + 1.0 for x in EQUAL]
    assert overall_runs.pooled_error(shifted, EQUAL, "iqm", paired=True)[0] == pytest.approx(0.0, abs=1e-12)
    assert overall_runs.pooled_error(shifted, EQUAL, "iqm", paired=False)[0] > 0.1


def test_the_error_is_the_spread_of_other_runs() -> None:
    rng = np.random.default_rng(8)
    draws = [[rng.normal(mu, 1.0, 20) for mu in (0.0, 0.5, 1.0)] for _ in range(400)]
    weights = overall_runs.weights_of(draws[0])
    spread = np.std([overall_runs.pooled_location(np.concatenate(x)[None], weights, "iqm")[0] for x in draws])
    errors = [overall_runs.pooled_error(x, None, "iqm", paired=False)[0] for x in draws]
    assert np.mean(errors) == pytest.approx(spread, rel=0.1)


def test_profiles() -> None:
    at = np.array([-10.0, 0.0, 10.0])
    share, error = overall_runs.profile(UNEQUAL, at, greater_is_better=True)
    assert share[[0, 2]].tolist() == [1.0, 0.0]
    assert share[1] == pytest.approx(np.mean([(x > 0).mean() for x in UNEQUAL]))
    assert error[[0, 2]].tolist() == [0.0, 0.0]
    lower, _ = overall_runs.profile(UNEQUAL, at, greater_is_better=False)
    assert (share + lower).tolist() == pytest.approx([1.0, 1.0, 1.0])


def test_the_middle_half_leaves_out_whole_runs() -> None:
    x = np.arange(13.0) ** 2
    found = overall_runs.pooled_location(x[None], np.full(13, 1 / 13), "iqm")[0]
    assert found == pytest.approx(stats.trim_mean(x, 0.25))


def test_runs_of_several_datasets_are_sent_here() -> None:
    for function in (bb.compare_runs, bb.multi_aso):
        with pytest.raises(bb.errors.InvalidInputError, match="the runs are of 4 datasets") as caught:
            function(long_frame())
        assert "bestby datasets" in str(caught.value.hint)
