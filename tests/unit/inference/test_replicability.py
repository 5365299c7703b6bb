"""Replicability: counts, lists, edges, messages."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestby._core.errors import InvalidInputError
from bestby.inference.multiplicity import holm
from bestby.report.replicability import partial_conjunctions, replicability

P_VALUES = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12)


def test_a_mapping_keeps_its_names_and_a_list_is_numbered() -> None:
    named = replicability({"news": 0.001, "talks": 0.4})
    assert (named.datasets, named.found, named.k_bonferroni) == (("news", "talks"), ("news",), 1)
    assert replicability([0.4, 0.001]).found == ("2",)


@given(P_VALUES)
def test_claims_are_monotone_and_fisher_claims_at_least_as_much_nowhere_undefined(p: list[float]) -> None:
    for kind in ("bonferroni", "fisher"):
        claims = partial_conjunctions(p, kind)
        assert (np.diff(claims) >= 0.0).all()
        assert ((claims >= 0.0) & (claims <= 1.0)).all()


@given(P_VALUES, st.floats(0.001, 0.5))
def test_the_count_by_bonferroni_is_the_length_of_holms_list(p: list[float], alpha: float) -> None:
    result = replicability(p, alpha=alpha)
    assert result.k_bonferroni == len(result.found)
    np.testing.assert_array_equal(np.sort(holm(p)), partial_conjunctions(p, "bonferroni"))


def test_without_monotony_fisher_would_skip_a_claim() -> None:
    # Alone, "at least 3" has a smaller p-value than "at least 2" here; the count stops before.
    p = [0.0001, 0.6, 0.6, 0.6]
    claims = partial_conjunctions(p, "fisher")
    assert claims[1] <= claims[2] <= claims[3]
    assert replicability(p).k_fisher == 1


def test_a_claim_at_alpha_itself_is_made() -> None:
    assert replicability([0.05]).k_bonferroni == 1
    assert replicability([0.025, 0.05]).k_bonferroni == 2


def test_p_values_of_0_and_1() -> None:
    result = replicability([0.0, 0.0, 1.0])
    assert (result.k_bonferroni, result.k_fisher) == (2, 2)
    assert result.fisher[0] == 0.0
    assert replicability([1.0, 1.0]).fisher == (1.0, 1.0)


def test_printed() -> None:
    text = " ".join(str(replicability({"news": 0.001, "talks": 0.4})).split())
    assert "A significant difference on at least 1 of 2 datasets (K-Bonferroni, any dependence)" in text
    assert "Datasets with a difference by Holm's procedure: news." in text
    assert "No significant difference on any of 1 datasets" in str(replicability([0.4]))


@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([], "at least one p-value is needed, got none"),
        ([0.5, 1.5], "p_values must lie in [0, 1], got 1.5 at position 1"),
        ([0.5, float("nan")], "p_values must lie in [0, 1], got nan at position 1"),
    ],
)
def test_bad_p_values(p: list[float], message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        replicability(p)
    assert caught.value.message == message


def test_bad_alpha_and_combination() -> None:
    with pytest.raises(InvalidInputError, match="alpha must lie strictly between 0 and 1"):
        replicability([0.5], alpha=5)
    with pytest.raises(InvalidInputError, match="combination must be one of bonferroni, fisher"):
        partial_conjunctions([0.5], "stouffer")


def test_a_claim_by_fisher_at_alpha_itself_is_made() -> None:
    p = [0.01, 0.2, 0.04, 0.6]
    claims = replicability(p).fisher
    assert [replicability(p, alpha=claims[u]).k_fisher for u in range(4)] == [1, 2, 3, 4]


def test_fisher_of_tiny_p_values_is_tiny_and_not_0() -> None:
    """Their product is 1e-400, which no double can be."""
    claims = partial_conjunctions([1e-200, 1e-200, 0.5], "fisher")
    assert claims[0] == sys.float_info.min
    assert claims[2] == pytest.approx(0.5)
    assert partial_conjunctions([0.0, 1e-200], "fisher").tolist() == [
        0.0,
        pytest.approx(1e-200, rel=1e-10, abs=0.0),
    ]
