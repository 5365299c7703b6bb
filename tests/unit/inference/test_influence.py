"""ABC intervals agree with published ones and with BCa of many resamples, and say where they break down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from bestby import compare
from bestby._core.typing import FloatArray
from bestby.engine.interval_choice import choose_interval, reservation
from bestby.errors import DesignError
from bestby.inference.influence import Expansion, Path, abc, abc_p_value, in_steps, random_sets

LEVEL = 0.95
SPATIAL = [
    48,
    36,
    20,
    29,
    42,
    42,
    20,
    42,
    22,
    41,
    45,
    14,
    6,
    0,
    33,
    28,
    34,
    4,
    32,
    24,
    47,
    41,
    24,
    26,
    30,
    41,
]
"""The first column of the spatial test data of Efron & Tibshirani 1993, Table 14.1."""


def of_mean(values: Any, level: float = LEVEL, **more: Any) -> Any:
    """Return the ABC interval of a mean."""
    x = np.asarray(values, dtype=float)
    given = {
        "first": (x - x.mean()) / x.size,
        "counts": np.ones(x.size, dtype=np.int64),
        "curvature": 0.0,
        "along": lambda change: lambda multiples: x.mean() + multiples * (change @ x) / x.size,
        "scale": np.abs(x).max(),
        "bounds": (-np.inf, np.inf),
    } | more
    first, counts, curvature, along = (given[name] for name in ("first", "counts", "curvature", "along"))
    expansion = Expansion.from_derivatives(first, counts, curvature, lambda change: Path(along(change)))
    return abc(expansion, level, scale=given["scale"], bounds=given["bounds"])


def test_published_interval_of_a_variance() -> None:
    """116.7 to 260.9 in Efron & Tibshirani 1993, Table 14.2; z0 to first order is .2 and .35 lower."""
    x = np.array(SPATIAL, dtype=float)
    n, d = x.size, x - x.mean()
    variance = float((d**2).mean())
    expansion = Expansion.from_derivatives(
        (d**2 - variance) / n,
        np.ones(n, dtype=np.int64),
        float((-2.0 * (d / n) ** 2).sum()),
        lambda change: Path(
            lambda multiples: variance + multiples * (change @ d**2) / n - (multiples * (change @ d) / n) ** 2
        ),
    )
    found = abc(expansion, 0.9, scale=variance)
    assert variance == pytest.approx(171.5, abs=0.05)
    assert found == pytest.approx((116.7, 260.9), abs=0.4)


# -- beside BCa of many resamples --------------------------------------------------------------------


def bca(score: Any, rows: Any, counts: Any, resamples: int = 200_000) -> tuple[float, float]:
    """Return the BCa interval of a function of sums, ties counted half, in plain code."""
    n = int(counts.sum())
    drawn = np.sort(score(np.random.default_rng(1).multinomial(n, counts / n, size=resamples) @ rows))
    here, left_out = score(counts @ rows), score(counts @ rows - rows)
    u = counts @ left_out / n - left_out
    a = counts @ u**3 / (6.0 * (counts @ u**2) ** 1.5)
    below, up_to = np.searchsorted(drawn, here - 1e-12), np.searchsorted(drawn, here + 1e-12)
    z0 = ndtri((below + up_to) / (2.0 * resamples))
    w = z0 + ndtri(np.array([0.5 * (1 - LEVEL), 0.5 * (1 + LEVEL)]))
    low, high = np.quantile(drawn, ndtr(z0 + w / (1.0 - a * w)))
    return float(low), float(high)


def f1_macro(totals: Any) -> Any:
    """Return macro-F1 of A less that of B, from the counts of 8 cells: gold x A right x B right."""
    gold, a, b = (np.arange(8)[:, None] >> np.arange(3)).T & 1
    scores = []
    for right in (a, b):
        predicted = np.where(right == 1, gold, 1 - gold)
        f1 = [
            2.0 * totals[..., (gold == k) & (right == 1)].sum(-1)
            / (totals[..., gold == k].sum(-1) + totals[..., predicted == k].sum(-1))
            for k in (0, 1)
        ]  # fmt: skip
        scores.append((f1[0] + f1[1]) / 2.0)
    return scores[0] - scores[1]


def test_f1_macro_is_within_2_percent_of_the_length() -> None:
    counts = np.array([20, 25, 60, 50, 70, 20, 25, 330])
    right = [(np.arange(8) >> bit) & 1 for bit in range(3)]
    gold, a, b = (np.repeat(column, counts) for column in right)
    systems = {"a": np.where(a == 1, gold, 1 - gold), "b": np.where(b == 1, gold, 1 - gold)}
    found = compare(systems, gold, metric="f1_macro", interval="abc", level=LEVEL)["a", "b"].interval
    low, high = bca(f1_macro, np.eye(8), counts)
    assert (found.method, found.exact) == ("abc", True)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.02 * (high - low))


def correlation(totals: Any) -> Any:
    """Return Pearson's correlation of A less that of B, from sums of a, b, y, their squares and products."""
    a, b, y, aa, bb, yy, ay, by, n = np.moveaxis(totals, -1, 0)
    return (n * ay - a * y) / np.sqrt((n * aa - a * a) * (n * yy - y * y)) - (n * by - b * y) / np.sqrt(
        (n * bb - b * b) * (n * yy - y * y)
    )


def test_pearson_is_within_2_percent_of_the_length() -> None:
    rng = np.random.default_rng(5)
    y = rng.normal(size=120)
    a, b = y + rng.normal(0.0, 0.7, 120), y + rng.normal(0.0, 1.0, 120)
    rows = np.column_stack([a, b, y, a * a, b * b, y * y, a * y, b * y, np.ones(120)])
    found = compare({"a": a, "b": b}, y, metric="pearson", interval="abc", level=LEVEL)["a", "b"].interval
    low, high = bca(correlation, rows, np.ones(120, dtype=np.int64), resamples=50_000)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.02 * (high - low))


def lattice(seed: int, n: int, measure: str) -> tuple[Any, Any]:
    """Return gold and two systems of three classes that agree on two thirds of the items."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, n)
    a, b = (np.where(rng.random(n) < right, gold, rng.integers(0, 3, n)) for right in (0.8, 0.7))
    systems = {"a": a, "b": np.where(rng.random(n) < 0.5, a, b)}
    return ({name: values + 0.0 for name, values in systems.items()} if measure == "rmse" else systems), gold


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["f1_macro", "matthews_corrcoef", "balanced_accuracy", "rmse"])
@pytest.mark.parametrize("n", [400, 1500])
def test_a_million_resamples_are_within_2_percent_of_the_length(measure: str, n: int) -> None:
    """Of scores on a lattice too: BCa counts ties half."""
    systems, gold = lattice(n, n, measure)
    given: dict[str, Any] = {"metric": measure, "test": None}
    found = compare(systems, gold, interval="abc", **given)
    drawn = compare(systems, gold, interval="bca", n_resamples=1_000_000, **given)
    for one, other in zip([*found, *found.systems], [*drawn, *drawn.systems], strict=True):
        assert (one.interval.method, other.interval.method) == ("abc", "bca")
        low, high = other.interval.low, other.interval.high
        assert (one.interval.low, one.interval.high) == pytest.approx((low, high), abs=0.02 * (high - low))


# -- units -------------------------------------------------------------------------------------------


def test_multiplicities_are_units() -> None:
    x = np.array([1.0, 2.0, 7.0])
    counts = np.array([3, 2, 1])
    every = np.repeat(x, counts)
    once = of_mean(
        every,
        first=(x - every.mean()) / 6,
        counts=counts,
        along=lambda change: lambda multiples: every.mean() + multiples * ((counts * change) @ x) / 6,
    )
    assert once == pytest.approx(of_mean(every), rel=1e-12)


def test_a_mean_in_strata_has_the_skewness_within_them() -> None:
    rng = np.random.default_rng(2)
    x, strata = rng.exponential(size=90), np.arange(90) % 3
    x += 10.0 * strata
    found = compare({"a": x, "b": np.zeros(90)}, interval="abc", strata=strata)["a", "b"].interval
    within = x - np.array([x[strata == s].mean() for s in range(3)])[strata]
    u = within / 90
    s, a = np.sqrt((u**2).sum()), (u**3).sum() / 6 / (u**2).sum() ** 1.5
    ends = [x.mean() + s * (a + z) / (1 - a * (a + z)) ** 2 for z in (ndtri(0.025), ndtri(0.975))]
    assert (found.low, found.high) == pytest.approx(ends, rel=1e-9)


def test_clusters_are_units() -> None:
    """The mean over clusters of unequal sizes is a ratio of two sums over clusters."""
    rng = np.random.default_rng(3)
    x, clusters = rng.exponential(size=400), np.sort(rng.integers(0, 60, 400))
    rows = np.column_stack([np.bincount(clusters, x), np.bincount(clusters)])
    found = compare({"a": x, "b": np.zeros(400)}, interval="abc", clusters=clusters)["a", "b"].interval
    low, high = bca(lambda t: t[..., 0] / t[..., 1], rows, np.ones(len(rows), dtype=np.int64), 50_000)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.02 * (high - low))


# -- where it breaks down ----------------------------------------------------------------------------


def test_what_never_varies_has_an_interval_of_one_point() -> None:
    assert of_mean([0.3] * 5) == (0.3, 0.3)


@pytest.mark.parametrize(
    "more",
    [
        {"curvature": np.nan},
        {"first": np.r_[10.0, np.full(11, -10.0 / 11)], "level": 0.999999},  # the acceleration turns it round
        {"along": lambda _: lambda multiples: np.where(multiples > 0.5, np.nan, multiples)},
        {"along": lambda _: lambda multiples: np.sin(1.5 * multiples)},
        {"bounds": (-1.0, 5.0)},
        {"curvature": -12.0},  # a bias so large that both ends lie above the score
        {"curvature": 12.0},
    ],
)
def test_none_where_it_breaks_down(more: dict[str, Any]) -> None:
    values = np.arange(12.0) % 5 * 2.0
    assert of_mean(values) is not None
    assert of_mean(values, **more) is None


def test_a_comparison_falls_back_and_says_so() -> None:
    gold = np.arange(30) % 2
    a, b = gold.copy(), gold.copy()
    a[:1] = 1 - a[:1]
    b[:4] = 1 - b[:4]
    result = compare({"a": a, "b": b}, gold, metric="f1_macro", interval="abc", n_resamples=500)
    assert result["a", "b"].interval.method == "abc"
    assert {s.system: s.interval.method for s in result.systems} == {"a": "bca", "b": "abc"}
    assert "abc_undefined" in {note.code for note in result.notes}


def test_functions_have_no_derivatives() -> None:
    def median_error(gold: Any, predictions: Any) -> float:
        return float(np.median(np.abs(gold - predictions)))

    x = np.arange(20.0)
    with pytest.raises(DesignError, match="has no delta-method standard error"):
        compare({"a": x, "b": x + 1.0}, x**2, metric=median_error, interval="abc")


def test_an_interval_that_would_not_hold_the_score_is_not_given() -> None:
    def along(multiples: FloatArray) -> FloatArray:
        """Return what rises from end to end, and lies above both at the score itself."""
        return np.where(np.abs(multiples) <= 0.05, 2.0, 0.0) + multiples

    assert abc(Expansion(1.0, 0.0, 0.0, 1.0, Path(lambda multiples: multiples)), 0.95, scale=1.0) is not None
    assert abc(Expansion(1.0, 0.0, 0.2, 1.0, Path(along)), 0.95, scale=1.0) is None


def test_what_varies_to_second_order_alone_has_no_interval() -> None:
    found = [
        abc(Expansion(0.0, 0.0, curvature, 0.0, Path(lambda multiples: multiples + 0.5)), 0.95, scale=1.0)
        for curvature in (0.0, 0.1)
    ]
    assert found == [(0.5, 0.5), None]


def test_a_difference_that_no_weight_of_a_cluster_changes_is_constant() -> None:
    """Steps along it once found a slope in their rounding."""
    both = {"a": [1, 0, 0, 0], "b": [1, 3, 0, 0]}
    result = compare(both, [1, 1, 0, 0], metric="f1_macro", clusters=[1, 0, 0, 0], interval="abc", test=None)
    difference = result["b", "a"]
    assert difference.interval is None
    assert "constant_difference" in {note.code for note in difference.notes}


def test_a_standard_error_of_rounding_alone_gives_no_ends_out_of_order() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        gold, a, b = (rng.integers(0, 3, 6) for _ in range(3))
        strata = rng.integers(0, 2, 6)
        if np.unique(gold).size > 1:
            both = {"a": a, "b": b}
            result = compare(
                both, gold, metric="balanced_accuracy", interval="abc", test=None, n_resamples=50
            )
            difference = result["a", "b"]
            if difference.interval is not None:
                assert difference.interval.low <= difference.estimate <= difference.interval.high
            far = compare({"a": a + 1e12, "b": b + 1e12}, gold, metric="rmse", strata=strata, interval="abc",
                          test=None, n_resamples=50)["a", "b"]  # fmt: skip
            assert far.interval is None or far.interval.low < far.interval.high


@pytest.mark.parametrize("method", ["normal", "abc"])
def test_the_standard_error_of_ranks_is_that_of_the_interval(method: str) -> None:
    rng = np.random.default_rng(3)
    gold = rng.normal(size=80)
    both = {"a": gold + rng.normal(size=80), "b": gold + rng.normal(size=80)}
    difference = compare(both, gold, metric="spearman", interval=method, test=None)["a", "b"]
    assert difference.standard_error_method == "formula"
    drawn = compare(both, gold, metric="spearman", interval="percentile", test=None, n_resamples=4000)[
        "a", "b"
    ]
    assert difference.standard_error == pytest.approx(drawn.standard_error, rel=0.1)
    if method == "normal":
        half = (difference.interval.high - difference.interval.low) / 2
        assert half / difference.standard_error == pytest.approx(1.990, abs=0.001)  # Student's t of 79


def expansion_of(values: np.ndarray, curvature: float = 0.0) -> Expansion:
    """Return that of a mean, or of one whose second derivatives sum to a curvature."""
    return Expansion.from_derivatives(
        (values - values.mean()) / values.size,
        np.ones(values.size, dtype=np.int64),
        curvature,
        lambda change: Path(lambda multiples: values.mean() + multiples * (change @ values) / values.size),
    )


@pytest.mark.parametrize("shift", [-0.3, -0.1, -0.02, 0.02, 0.1, 0.3])
@pytest.mark.parametrize("curvature", [0.0, 0.05, -0.05])
def test_the_p_value_is_that_of_the_interval_that_ends_at_0(shift: float, curvature: float) -> None:
    x = np.random.default_rng(5).exponential(size=60) - 1.0
    x += shift - x.mean()
    made, side = expansion_of(x, curvature), float(np.sign(shift))
    p = abc_p_value(made, side, 1e-12, scale=1.0)
    if p is None:  # 0 lies on the other side of the bias
        assert side * made.bias[1] < 0.0
        assert abs(shift) < 0.1
        return
    low, high = abc(made, 1.0 - p, scale=1.0, holding=False)
    assert (low if side > 0.0 else high) == pytest.approx(0.0, abs=1e-9)
    wider, narrower = (abc(made, 1.0 - times * p, scale=1.0, holding=False) for times in (0.9, 1.1))
    assert wider[0] <= 0.0 <= wider[1]
    assert not narrower[0] <= 0.0 <= narrower[1]


def test_a_normal_score_has_the_p_value_of_its_quantile() -> None:
    x = np.array([-1.0, 1.0] * 200) + 0.1
    assert abc_p_value(expansion_of(x), 1.0, 1e-12, scale=1.0) == pytest.approx(2.0 * ndtr(-2.0), rel=1e-9)


def test_no_p_value_where_the_interval_breaks_down() -> None:
    far = np.array([-1.0, 1.0] * 200) + 1.0  # 20 standard errors from 0
    assert abc_p_value(expansion_of(far), 1.0, 1e-12, scale=1.0) is None
    near = np.array([-1.0, 1.0] * 200) + 0.1
    assert abc_p_value(expansion_of(near), 1.0, 1e-12, scale=1.0, bounds=(0.05, 1.0)) is None


def test_an_interval_near_level_0_need_not_hold_a_biased_score() -> None:
    made = expansion_of(np.array([-1.0, 1.0] * 200) + 0.1, curvature=0.05)
    assert abc(made, 1e-6, scale=1.0) is None
    assert abc(made, 1e-6, scale=1.0, holding=False)[1] < 0.1
    assert abc(made, 0.95, scale=1.0) == abc(made, 0.95, scale=1.0, holding=False)


def median_error(gold: Any, x: Any) -> float:
    return float(np.median(np.abs(gold - x)))


def late_error(gold: Any, x: Any) -> float:
    return float(np.quantile(np.abs(gold - x), 0.9))


def pearson(gold: Any, x: Any) -> float:
    return float(np.corrcoef(gold, x)[0, 1])


def root_error(gold: Any, x: Any) -> float:
    return float(np.sqrt(np.square(gold - x).mean()))


def right(gold: Any, x: Any) -> float:
    return float(np.mean((gold > 0) == (x > 0)))


def f1(gold: Any, x: Any) -> float:
    both = np.count_nonzero(gold > 0) + np.count_nonzero(x > 0)
    return 2.0 * np.count_nonzero((gold > 0) & (x > 0)) / both


def data(n: int, seed: int = 0) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    gold, a, b = rng.normal(size=(3, n))
    return {"a": gold + 0.6 * a, "b": gold + 0.8 * b}, gold


@pytest.mark.parametrize("n", [50, 300])
@pytest.mark.parametrize(
    ("function", "steps"),
    [
        (median_error, True),
        (late_error, True),
        (pearson, False),
        (root_error, False),
        (right, False),
        (f1, False),
    ],
)
def test_only_quantiles_get_the_percentile_interval(
    function: Callable[[Any, Any], float], steps: bool, n: int
) -> None:
    systems, gold = data(n)
    difference = compare(systems, gold, metric=function, n_resamples=60, test="wald")["a", "b"]
    assert (difference.interval.method == "percentile") is steps
    codes = {note.code for note in difference.notes}
    assert ("moves_in_steps" in codes) is (steps and n < 100)


def test_bca_of_a_quantile_is_noted_and_percentile_named() -> None:
    systems, gold = data(60)
    difference = compare(systems, gold, metric=median_error, interval="bca", n_resamples=60, test="wald")[
        "a", "b"
    ]
    (note,) = (note for note in difference.notes if note.code == "moves_in_steps")
    assert "the BCa bootstrap interval is probably too short, and percentile is better" in note.message


def test_more_than_a_thousand_items_are_left_out_in_groups() -> None:
    systems, gold = data(1500)
    for function, method in ((median_error, "percentile"), (root_error, "bca")):
        difference = compare(systems, gold, metric=function, n_resamples=20, test="bootstrap")["a", "b"]
        assert difference.interval.method == method


def test_what_is_undefined_or_never_moves_does_not_move_in_steps() -> None:
    sets = random_sets(20, np.random.default_rng(0))
    assert (sets.sum(axis=1) == 4).all()
    left_out, together = np.full(20, 0.5), np.full(sets.shape[0], 0.5)
    assert not in_steps(0.5, left_out, together, sets)
    left_out[3] = np.nan
    assert not in_steps(0.5, left_out, together, sets)


def test_the_choice_and_the_reservation() -> None:
    given: dict[str, Any] = {
        "proportion": False,
        "difference": True,
        "plain_mean": False,
        "stratified": False,
    }
    assert choose_interval(n_differing=500, n_effective=400.0, steps=True, **given).method == "percentile"
    assert choose_interval(n_differing=500, n_effective=400.0, **given).method == "bca"
    few = choose_interval(n_differing=20, few_clusters=True, robust=True, steps=True, **given)
    assert few.method == "cr2"
    assert reservation("percentile", difference=True, n_differing=100, n_effective=4.0, steps=True) is None
    note = reservation("percentile", difference=True, n_differing=99, n_effective=40.0, steps=True)
    assert note is not None
    assert note.code == "moves_in_steps"
