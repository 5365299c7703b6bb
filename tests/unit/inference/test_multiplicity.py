"""Corrections: law 6, agreement with statsmodels, and what is refused."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from bestby._core.errors import InvalidInputError
from bestby.inference import multiplicity
from bestby.vocabulary import allowed_names

PEERS = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh"}
ALL = list(allowed_names("correction"))
FAMILY_WISE = ["holm", "bonferroni"]

probability = st.one_of(
    st.floats(0.0, 1.0, allow_subnormal=False), st.sampled_from([0.0, 0.01, 0.05, 1 / 3, 0.5, 1.0])
)
families = st.lists(probability, min_size=1, max_size=12)


@pytest.mark.parametrize("correction", ALL)
@given(raw=families)
def test_adjusted_lie_between_raw_and_one(correction: str, raw: list[float]) -> None:
    adjusted = multiplicity.adjust(raw, correction)
    assert adjusted.shape == (len(raw),)
    assert (adjusted >= np.array(raw)).all()
    assert (adjusted <= 1.0).all()


@pytest.mark.parametrize("correction", ALL)
@given(raw=families)
def test_adjusted_are_monotone_in_the_raw_ones(correction: str, raw: list[float]) -> None:
    adjusted = multiplicity.adjust(raw, correction)
    order = np.argsort(raw, kind="stable")
    assert (np.diff(adjusted[order]) >= 0.0).all()
    for value in set(raw):
        assert len({a for a, p in zip(adjusted, raw, strict=True) if p == value}) == 1


@pytest.mark.parametrize("correction", ALL)
@given(raw=families, data=st.data())
def test_adjusted_stay_with_their_comparison(correction: str, raw: list[float], data: st.DataObject) -> None:
    order = np.array(data.draw(st.permutations(range(len(raw)))))
    shuffled = multiplicity.adjust(np.array(raw)[order], correction)
    np.testing.assert_array_equal(shuffled, multiplicity.adjust(raw, correction)[order])


@pytest.mark.parametrize("correction", FAMILY_WISE)
@given(raw=families, further=probability)
def test_one_more_comparison_makes_nothing_easier(correction: str, raw: list[float], further: float) -> None:
    before = multiplicity.adjust(raw, correction)
    after = multiplicity.adjust([*raw, further], correction)[:-1]
    assert (after >= before).all()


def test_false_discovery_rate_may_loosen_with_a_further_discovery() -> None:
    assert multiplicity.adjust([0.04, 0.5], "bh")[0] == 0.08
    assert multiplicity.adjust([0.04, 0.5, 0.001], "bh")[0] == pytest.approx(0.06)


@pytest.fixture(scope="module")
def _no_garbage() -> Iterator[None]:
    """Keep statsmodels from collecting garbage at every call of Holm's, which takes a tenth of a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "collect", lambda: 0)
        yield


@pytest.mark.usefixtures("_no_garbage")
@pytest.mark.parametrize("correction", PEERS)
@given(raw=families)
def test_against_statsmodels(correction: str, raw: list[float]) -> None:
    expected = multipletests(raw, method=PEERS[correction])[1]
    np.testing.assert_allclose(multiplicity.adjust(raw, correction), expected, rtol=1e-13, atol=1e-300)


@given(raw=families)
def test_holm_is_never_weaker_than_bonferroni(raw: list[float]) -> None:
    assert (multiplicity.holm(raw) <= multiplicity.bonferroni(raw)).all()


@pytest.mark.parametrize("correction", ALL)
def test_inputs_are_not_modified_nor_shared(correction: str) -> None:
    raw = np.array([0.5, 0.01, 0.02])
    adjusted = multiplicity.adjust(raw, correction)
    adjusted[:] = 7.0
    np.testing.assert_array_equal(raw, [0.5, 0.01, 0.02])


@pytest.mark.parametrize("correction", ALL)
def test_families_of_one_and_none(correction: str) -> None:
    np.testing.assert_array_equal(multiplicity.adjust([0.03], correction), [0.03])
    assert multiplicity.adjust(np.array([]), correction).shape == (0,)


@pytest.mark.parametrize("correction", ALL)
@pytest.mark.parametrize("bad", [float("nan"), -0.1, 1.5])
def test_values_that_are_no_probabilities(correction: str, bad: float) -> None:
    with pytest.raises(InvalidInputError, match=r"p_values must lie in \[0, 1\], got .* at position 1"):
        multiplicity.adjust([0.5, bad], correction)


def test_unknown_correction() -> None:
    with pytest.raises(
        InvalidInputError, match="correction must be one of holm, bonferroni, bh, none, got 'fdr'"
    ):
        multiplicity.adjust([0.5], "fdr")
