"""Law 6: adjusted p-values belong to their pair, keep the order of the raw ones, and only ever grow."""

from __future__ import annotations

import itertools

import pytest
from tests.laws.roster import Data, Entry, by_key, each, four_systems, make

from bestby.inference.multiplicity import adjust
from bestby.vocabulary import allowed_names


@pytest.mark.parametrize("correction", allowed_names("correction"))
@pytest.mark.parametrize("entry", each())
def test_adjusted_p_values_are_aligned_monotone_and_no_smaller(entry: Entry, correction: str) -> None:
    if (entry.key == "callable" or entry.kind.startswith("soft")) and correction != "holm":
        pytest.skip("the correction does not see the metric; one is enough for the slow and the many")
    data, result = four_systems(entry, "plain")
    if correction != "holm":  # the default
        result = data.compare(entry, correction=correction)
    raw = [d.p_value for d in result]
    assert [d.p_adjusted for d in result] == adjust(raw, correction).tolist()
    in_order = sorted(result, key=lambda d: d.p_value)
    assert all(one.p_adjusted <= other.p_adjusted for one, other in itertools.pairwise(in_order))
    assert all(d.p_value <= d.p_adjusted <= 1.0 for d in result)
    if correction == "bonferroni":
        assert all(d.p_adjusted == min(6.0 * d.p_value, 1.0) for d in result)


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
@pytest.mark.parametrize("key", ["accuracy", "mean", "f1[LABEL]", "mae"])
def test_more_systems_never_make_a_pair_easier_to_reject(key: str, correction: str) -> None:
    entry = by_key(key)
    data = make(entry, "plain", seed=52, whole=True)
    before: dict[tuple[str, str], float] = {}
    for names in ("ab", "abc", "abcd"):
        result = data.only(*names).compare(entry, correction=correction)
        now = {(a, b): result[a, b].p_adjusted for a in names for b in names if a < b}
        assert all(now[pair] >= p * (1.0 - 1e-12) for pair, p in before.items())
        before = now


def test_letters_and_ranks_follow_from_the_adjusted_p_values() -> None:
    entry = by_key("accuracy")
    for correction in allowed_names("correction"):
        result = make(entry, "plain", seed=53, n=300).compare(entry, correction=correction, level=0.95)
        group = {s.system: set(s.group or "") for s in result.systems}
        significant = {(d.a, d.b): d.p_adjusted < 0.05 for d in result}
        assert any(significant.values())
        assert not all(significant.values())
        for (a, b), different in significant.items():
            assert bool(group[a] & group[b]) is not different
        for s in result.systems:
            above = sum(differ and b == s.system for (a, b), differ in significant.items())
            below = sum(differ and a == s.system for (a, b), differ in significant.items())
            assert (s.rank_low, s.rank_high) == (1 + above, 4 - below)


def test_a_second_metric_does_not_change_the_family() -> None:
    data = make(by_key("accuracy"), "plain", seed=54)
    one = data.compare(by_key("accuracy"))
    both = data.compare(by_key("accuracy"), metric=["accuracy", "recall_macro"])
    assert [d.p_adjusted for d in one] == [d.p_adjusted for d in both if d.metric == "accuracy"]


def test_simultaneous_intervals_widen_with_the_family() -> None:
    entry = by_key("mean")
    data = make(entry, "plain", seed=55)

    def width(part: Data) -> float:
        interval = part.compare(entry, correction="simultaneous", n_resamples=4000)["a", "b"].interval
        assert interval.method == "max-t"
        return interval.high - interval.low

    assert width(data.only("a", "b")) < width(data.only("a", "b", "c")) < width(data)
