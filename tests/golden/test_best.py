"""Published sets of the best and ranks, and constants of multiple comparisons with the best."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

from bestby._core.typing import BoolArray
from bestby.inference import best, groups
from bestby.inference.multiplicity import Joint, Spread

DUNNETT = {
    2: 1.6449, 3: 1.9163, 4: 2.0621, 6: 2.2338, 10: 2.4170, 12: 2.4764, 50: 2.8770, 200: 3.2010,
}  # fmt: skip
"""Points of Dunnett's one-sided comparisons of k - 1 independent means of known equal variance with one."""


@pytest.mark.parametrize("k", DUNNETT)
def test_constants_of_dunnett(k: int) -> None:
    found = best.points(Spread.normal(np.eye(k), np.inf), k, 0.05, 0)
    # 20,000 draws, of 200 systems 4,000: 4 standard errors of a 95 % quantile are 0.06, and 0.13
    np.testing.assert_allclose(found, DUNNETT[k], atol=0.13 if k == 200 else 0.06)
    assert found.mean() == pytest.approx(DUNNETT[k], abs=0.02)


@pytest.mark.parametrize("k", [3, 12, 50])
def test_the_point_of_the_leader_of_independent_systems(k: int) -> None:
    spread = Spread(np.eye(k), 0.0, 1e9, np.eye(k))
    assert best.leader_point(spread, k, 0.025, 0) == pytest.approx(norm.ppf(0.975 ** (1 / k)), abs=0.04)


class TestMathematicsInPisa2018:
    """Mean scores of 37 countries: sets and ranks in the vignette of csranks (Wilhelm & Mogstad)."""

    @pytest.fixture
    def countries(self, shared_data: Callable[[str], Path]) -> pd.DataFrame:
        return pd.read_csv(shared_data("pisa2018") / "maths.csv")

    def first_five(self, countries: pd.DataFrame, level: float) -> set[str]:
        """Return the countries that may be among the five best: by one-sided tests of all ordered pairs."""
        scores, k = countries.score.to_numpy(), len(countries)
        a, b = (~np.eye(k, dtype=np.bool_)).nonzero()
        spread = Spread.normal(np.diag(countries.se**2), np.inf)
        p = norm.sf((scores[a] - scores[b]) / np.sqrt(spread.variances(a, b)))
        adjusted = Joint.of(spread, a, b, 0).stepped_down(p, "greater")
        better: BoolArray = np.zeros((k, k), dtype=np.bool_)
        better[a, b] = adjusted <= 1.0 - level
        return set(countries.country[groups.rank_intervals(better)[0] <= 5])

    def test_the_five_best(self, countries: pd.DataFrame) -> None:
        published = {
            "Belgium", "Canada", "Denmark", "Estonia", "Finland", "Japan", "Korea", "Netherlands", "Poland",
            "Slovenia", "Sweden", "Switzerland",
        }  # fmt: skip
        assert self.first_five(countries, 0.95) == published
        assert self.first_five(countries, 0.90) == published - {"Sweden"}

    def test_the_set_of_the_best_lies_among_them(self, countries: pd.DataFrame) -> None:
        spread = Spread.normal(np.diag(countries.se**2), np.inf)
        found = best.by_t(countries.score.to_numpy(), spread, np.inf, 0.05, 0)
        assert set(countries.country[found.kept]) == {"Estonia", "Japan", "Korea", "Netherlands"}

    def test_the_rank_of_one_country(self, countries: pd.DataFrame) -> None:
        scores, k = countries.score.to_numpy(), len(countries)
        one = int((countries.country == "United Kingdom").to_numpy().argmax())
        others = np.delete(np.arange(k), one)
        spread = Spread.normal(np.diag(countries.se**2), np.inf)
        d = scores[one] - scores[others]
        p = 2.0 * norm.sf(np.abs(d) / np.sqrt(spread.variances(np.full(k - 1, one), others)))
        low, high = best.rank_of_one(Joint.of(spread, np.full(k - 1, one), others, 0), d, p, 0.05)
        assert (low, high) == (8, 23)


class TestTwelveClassifiersOfDigits:
    """Right and wrong answers of twelve classifiers: the set of the best that honestboard finds."""

    @pytest.fixture
    def right(self, shared_data: Callable[[str], Path]) -> pd.DataFrame:
        return pd.read_csv(shared_data("digits12") / "scores.csv", index_col="item")

    def test_the_set_and_how_far_each_is_behind(self, right: pd.DataFrame) -> None:
        found = best.by_t(right.mean().to_numpy(), self.spread(right), 899.0, 0.05, 0)
        behind = dict(zip(right.columns, found.behind.tolist(), strict=True))
        assert set(right.columns[found.kept]) == {"svc", "knn15", "gnb"}
        # By other draws, whose points differ by 0.015
        expected = {"svc": 0.0094, "knn15": 0.0474, "gnb": 0.0573}
        assert {name: behind[name] for name in expected} == pytest.approx(expected, abs=6e-4)

    def test_the_score_of_the_leader(self, right: pd.DataFrame) -> None:
        spread, scores = self.spread(right), right.mean()
        corrected = best.optimism(scores.to_numpy(), ((right - scores) / len(right)).to_numpy())
        assert corrected is not None
        assert corrected.corrected == pytest.approx(0.7928, abs=2e-4)
        assert spread.of_scores is not None
        np.testing.assert_allclose(spread.of_scores, right.cov().to_numpy() / len(right), rtol=1e-9)
        point, error = best.leader_point(spread, 12, 0.025, 0), right.svc.std() / len(right) ** 0.5
        low = right.svc.mean() - t.isf(norm.sf(point), 899) * error
        assert low == pytest.approx(0.7558, abs=8e-4)

    def spread(self, right: pd.DataFrame) -> Spread:
        n = len(right)
        influence = ((right - right.mean()) / n).to_numpy()
        found = Spread.from_influence(influence, np.ones(n), np.ones(n, dtype=np.int64), np.array([0, n]))
        assert found is not None
        return found
