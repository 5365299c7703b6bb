"""compare_runs: tests, intervals and notes on one pair say the same thing, in any unit and direction."""

from __future__ import annotations

import numpy as np
import pytest

from bestby import ScoreMetric, compare_runs
from bestby.inference import samples
from bestby.results import RunsDifference
from bestby.vocabulary import allowed_names

LONG = [1.27, 0.23, 0.27, 0.15, 1.41, 2.23, 1.62, 1.23, 0.08, 1.24, 0.43]
LONGER = [0.47, 1.36, 3.59, 1.65, 5.25, 12.92, 1.65, 0.96, 1.63, 6.36, 1.65]
UP = [-0.481, -1.735, -0.492, 2.164, -1.239]
DOWN = [0.466, -0.213, 1.172, 3.91, -0.305]


def of_pair(a: object, b: object, **settings: object) -> RunsDifference:
    return compare_runs({"a": a, "b": b}, **settings)["a", "b"]  # type: ignore[arg-type]


def test_the_test_of_medians_inverts_their_interval() -> None:
    d = of_pair(LONG, LONGER, statistic="median")
    assert d.interval is not None
    assert d.interval.high < 0.0
    assert 0.0 < d.p_value <= 0.05
    greater, less = (
        of_pair(LONG, LONGER, statistic="median", alternative=side).p_value for side in ("greater", "less")
    )
    assert d.p_value == 2.0 * less
    assert greater > 0.9


@pytest.mark.parametrize("paired", [False, True])
def test_no_difference_of_medians_has_the_p_value_1(paired: bool) -> None:
    d = of_pair(LONG, LONG[3:] + LONG[:3], statistic="median", paired=paired)
    assert (d.estimate, d.p_value) == (0.0, 1.0)


def test_paired_medians_are_alike_in_either_direction() -> None:
    there = of_pair(UP, DOWN, paired=True, statistic="median")
    back = of_pair(
        [-x for x in UP],
        [-x for x in DOWN],
        paired=True,
        statistic="median",
        metric=ScoreMetric("score", greater_is_better=False),
    )
    assert there.p_value == back.p_value
    assert there.interval is not None
    assert back.interval is not None
    assert there.interval.low == -back.interval.high


@pytest.mark.parametrize("n", [4, 5, 8])
def test_pairs_that_differ_by_the_same_have_no_standard_error(n: int) -> None:
    x = np.random.default_rng(n).normal(size=n)
    for shift in (0.0, 0.3):
        assert samples.difference_error(x, x + shift, "median", paired=True) == (0.0, n - 1.0)


@pytest.mark.parametrize("statistic", allowed_names("statistic"))
@pytest.mark.parametrize(("n", "p"), [(3, 2 / 20), (8, 2 / 12870)])
def test_runs_that_do_not_vary_have_no_interval(statistic: str, n: int, p: float) -> None:
    d = of_pair([1.0] * n, [2.0] * n, statistic=statistic, margin=0.5)
    assert (d.interval, d.equivalence_interval, d.verdict) == (None, None, "inconclusive")
    assert "constant_difference" in {note.code for note in d.notes}
    assert d.p_value == pytest.approx(p)
    same = of_pair([1.0] * n, [1.0] * n, statistic=statistic, margin=0.5)
    assert (same.interval, same.verdict) == (None, "inconclusive")


GOOD, FAILED = [0.83, 0.84, 0.85, 0.86, 0.84], [0.79, 0.80, 0.78, 0.81, 0.30]


def notes_of(a: object, b: object, **settings: object) -> dict[str, str]:
    result = compare_runs({"a": a, "b": b}, **settings)  # type: ignore[arg-type]
    every = (*result.notes, *(note for d in result for note in d.notes))
    return {note.code: note.message for note in every}


def test_a_run_that_failed_has_one_note_on_the_interval() -> None:
    notes = notes_of(GOOD, FAILED)
    assert "unequal_spread" not in notes
    assert "cover more than they say" in notes["outlying_run"]
    wider = [0.79, 0.89, 0.69, 0.84, 0.74, 0.66, 0.92, -2.0]
    notes = notes_of([*GOOD, 0.85, 0.83, 0.84], wider)
    assert "too short" in notes["unequal_spread"]
    assert notes["outlying_run"].endswith("check whether it failed")


def test_medians_are_advised_from_eight_runs() -> None:
    rng = np.random.default_rng(1)
    for n in (7, 8):
        narrow = rng.normal(size=n)
        assert ('"median"' in notes_of(narrow, 9.0 * narrow[::-1])["unequal_spread"]) is (n == 8)
        assert ("a median" in notes_of(narrow, [*narrow[:-1], 1e3])["outlying_run"]) is (n == 8)


def test_trimming_leaves_out_what_it_trims_from_the_note_on_spreads() -> None:
    x = np.arange(10.0)
    assert "unequal_spread" not in notes_of(x, [*x[:-1], 200.0], statistic="trimmed_mean")
    message = notes_of(x, 5.0 * x, statistic="iqm")["unequal_spread"]
    assert "test of trimmed means" in message


@pytest.mark.parametrize(("n", "noted"), [(5, False), (7, True), (9, True), (10, False)])
def test_medians_of_few_runs_that_vary_more_have_a_note(n: int, noted: bool) -> None:
    x, y = np.linspace(-1.0, 1.0, 30), 5.0 * np.linspace(-1.0, 1.0, n)
    assert ("unequal_spread" in notes_of(x, y, statistic="median")) is noted
    assert "unequal_spread" not in notes_of(5.0 * x, y / 5.0, statistic="median")


def test_the_t_test_for_few_medians_is_no_column_beside_the_bootstrap() -> None:
    result = compare_runs({"a": LONG, "b": LONGER}, statistic="median")
    assert "p (t)" not in result.to_markdown()
    assert "p (t)" in compare_runs({"a": LONG, "b": LONGER[:9]}, test="permutation").to_markdown()
