"""A test function of the user's own in plans."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bestby as bb

SCORES = [0.71, 0.74, 0.69, 0.75, 0.73, 0.70, 0.72, 0.74]


def welch(a, b):
    """Return the p-value of Welch's t-test by SciPy."""
    return stats.ttest_ind(a, b, equal_var=False).pvalue


def pilot(**settings):
    rng = np.random.default_rng(3)
    hard = rng.normal(size=60)
    scores = {"new": hard + rng.normal(0.4, 1, 60), "old": hard + rng.normal(0, 1, 60)}
    return bb.planning.Pilot(bb.Evaluation.of(scores), **settings)


def test_a_function_gives_the_power_of_the_test_it_is():
    own, named = (
        bb.power(bb.planning.LiftedScores(SCORES, lift=1.03, test=test), n_simulations=300)
        for test in (welch, "welch")
    )
    assert own.power_as_estimated == pytest.approx(named.power_as_estimated, abs=1e-12)
    assert "the function welch" in str(own)


def test_a_function_in_a_pilot():
    def paired(a, b):
        return stats.ttest_rel(a, b).pvalue

    own, named = (bb.power(pilot(test=test), n_simulations=100, curve=()) for test in (paired, "t"))
    assert own.power == named.power


def test_a_plan_with_a_function_is_stored_without_it():
    plan = bb.power(bb.planning.LiftedScores(SCORES, lift=1.03, test=welch), n_simulations=100)
    loaded = bb.load(plan.to_json())
    assert loaded.power == plan.power
    assert loaded.design.test_words == "the function welch"


@pytest.mark.parametrize(
    ("test", "told"),
    [
        (lambda *_: (0.1, 0.2), "must return a p-value, got"),
        (lambda *_: 1.5, "between 0 and 1, got 1.5"),
        (lambda *_: "small", "must return a p-value, got 'small'"),
    ],
)
def test_what_is_no_p_value_is_refused(test, told):
    with pytest.raises(bb.errors.InvalidInputError, match=told):
        bb.power(bb.planning.LiftedScores(SCORES, test=test), n_simulations=10)


def test_nan_convinces_nobody():
    assert bb.power(bb.planning.LiftedScores(SCORES, test=lambda *_: np.nan), n_simulations=20).power == 0.0


def test_a_function_needs_a_mean_over_items():
    gold = np.array([0, 1] * 20)
    evaluation = bb.Evaluation.of({"a": gold, "b": 1 - gold}, gold)
    with pytest.raises(bb.errors.DesignError, match="f1_macro is no mean over items"):
        bb.planning.Pilot(evaluation, metric="f1_macro", test=welch)
