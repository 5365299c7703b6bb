"""Law 2: swapping A and B negates the difference, mirrors the interval, keeps a two-sided p."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.roster import FROM_COUNTS, INTERVALS, TESTS, Entry, applies, by_key, cases, each, make

from bestby.results import Difference
from bestby.vocabulary import needs

_MIRROR = {"two-sided": "two-sided", "greater": "less", "less": "greater"}


def integral(entry: Entry) -> bool:
    """Whether all sums are sums of whole numbers, so that exact results keep every bit."""
    return entry.kind == "labels"


def close(one: float, other: float, entry: Entry, scale: float) -> bool:
    return one == other if integral(entry) else abs(one - other) <= 1e-12 * scale


def check_estimate(d: Difference, back: Difference, entry: Entry) -> None:
    assert d.estimate != 0.0
    for one, other in ((d.estimate, -back.estimate), (d.score_a, back.score_b), (d.score_b, back.score_a)):
        assert close(one, other, entry, max(abs(d.score_a), abs(d.score_b)))


def check_p(d: Difference, back: Difference, entry: Entry) -> None:
    assert d.exact == back.exact
    drawn = {"monte carlo", "importance sampling"}  # nine hits, or ten
    assert d.test.method == back.test.method or {d.test.method, back.test.method} == drawn
    if d.test.n_resamples == 0:
        if d.test.name == "wald":  # its gradient may be numerical
            assert math.isclose(d.p_value, back.p_value, rel_tol=1e-9, abs_tol=1e-12)
        elif integral(entry) and d.test.name != "bootstrap" and entry.mean:
            assert d.p_value == back.p_value
        else:  # sums of probabilities, taken in another order
            assert math.isclose(d.p_value, back.p_value, rel_tol=1e-11, abs_tol=1e-15)
    else:  # two independent estimates: six standard errors of their difference
        assert abs(d.p_value - back.p_value) <= 6.0 * math.hypot(d.test.error, back.test.error) + 0.01


def check_ends(d: Difference, back: Difference, entry: Entry) -> None:
    one, other = d.interval, back.interval.mirrored()
    assert one.method == other.method
    width = one.high - one.low
    if one.exact:
        for end, twin in ((one.low, other.low), (one.high, other.high)):
            if one.method not in FROM_COUNTS:
                # Derivatives may be numerical, and rounding of the order of the sums is in them.
                assert abs(end - twin) <= 1e-9 * max(width, 1e-12)
            else:
                assert close(end, twin, entry, max(abs(one.low), abs(one.high), 1e-300))
    else:
        # Each end has a Monte Carlo standard error near 0.12 widths / sqrt(RESAMPLES / 10) at 199 draws.
        assert abs(one.low - other.low) <= 0.6 * width + 1e-12
        assert abs(one.high - other.high) <= 0.6 * width + 1e-12


@pytest.mark.parametrize(("entry", "design"), cases())
def test_intervals_are_mirrored(entry: Entry, design: str) -> None:
    data = make(entry, design, seed=11, systems=2)
    for interval in INTERVALS:
        if applies(entry, design, interval=interval):
            d = data.compare(entry, interval=interval, test="bootstrap")["a", "b"]
            back = data.only("b", "a").compare(entry, interval=interval, test="bootstrap")["b", "a"]
            check_estimate(d, back, entry)
            check_ends(d, back, entry)


@pytest.mark.parametrize(("entry", "design"), cases())
def test_p_values_are_kept(entry: Entry, design: str) -> None:
    data = make(entry, design, seed=12, systems=2)
    for test in TESTS:
        if applies(entry, design, test=test):
            for alternative, mirror in _MIRROR.items():
                # One-sided pairs stand in the order given: indexing the other way round is not used here.
                asked = {"test": test, "interval": None}
                forth = data.compare(entry, alternative=alternative, **asked).differences[0]
                back = data.only("b", "a").compare(entry, alternative=mirror, **asked).differences[0]
                if alternative == "two-sided":  # two-sided pairs stand in the order of their ranks
                    assert (forth.a, forth.b) == (back.a, back.b)
                    back = back.mirrored()
                assert (forth.a, forth.b) == (back.b, back.a)
                check_estimate(forth, back, entry)
                check_p(forth, back, entry)


@pytest.mark.parametrize("entry", each())
def test_the_two_tails_point_opposite_ways(entry: Entry) -> None:
    """A is better by construction; "greater" asks about the metric's own scale, so it flips for errors."""
    data = make(entry, "plain", seed=13, n=120, systems=4).only("a", "d")
    for test in TESTS:
        if applies(entry, "plain", test=test):
            d = {
                alternative: data.compare(
                    entry, test=test, alternative=alternative, interval=None
                ).differences[0]
                for alternative in ("greater", "less")
            }
            ahead, behind = ("less", "greater") if entry.lower else ("greater", "less")
            assert (d[ahead].winner, d[behind].winner) == ("a", None)
            assert d[ahead].p_value < 0.05 < 0.8 < d[behind].p_value
            if d[ahead].exact and test == "permutation":  # the two tails share the observed value
                assert d[ahead].p_value + d[behind].p_value >= 1.0 - 1e-9


def test_indexing_the_other_way_round_mirrors_everything() -> None:
    entry = by_key("mse")
    result = make(entry, "plain", seed=14).compare(entry, margin=0.05)
    d, back = result["a", "d"], result["d", "a"]
    assert back.estimate == -d.estimate
    assert (back.interval.low, back.interval.high) == (-d.interval.high, -d.interval.low)
    assert back.p_value == d.p_value
    assert back.p_adjusted == d.p_adjusted
    assert (d.verdict, back.verdict) == ("better", "worse")
    assert (d.winner, back.winner) == ("a", "a")
    assert back.mirrored() == d


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=40),
    st.sampled_from([i for i in INTERVALS[1:] if not {"answers", "one stratum"} & {*needs("interval", i)}]),
)
def test_means_of_whole_numbers_mirror_to_the_bit(pairs: list[tuple[int, int]], interval: str) -> None:
    from bestby import compare

    one, other = zip(*pairs, strict=True)
    kinds = {"interval": interval, "alternative": "greater", "correction": "none"}
    d = compare({"a": one, "b": other}, **kinds).differences[0]
    kinds["alternative"] = "less"
    back = compare({"b": other, "a": one}, **kinds).differences[0]
    assert (d.a, d.b, back.a, back.b) == ("a", "b", "b", "a")
    assert d.estimate == -back.estimate
    assert d.p_value == back.p_value
    if d.interval is None:  # the same difference everywhere
        assert back.interval is None
    elif interval not in FROM_COUNTS:  # sums of squares in another order
        assert d.interval.low == pytest.approx(-back.interval.high, rel=1e-13, abs=1e-14)
    else:
        assert (d.interval.low, d.interval.high) == (-back.interval.high, -back.interval.low)
