"""Notes on systems that could not change places, blocks that are too short, tests of something else."""

from __future__ import annotations

import numpy as np
import pytest

from bestby import Blocks, Evaluation, compare, compare_datasets
from bestby._core.errors import InvalidInputError
from bestby.inference import clusters, exchangeability
from bestby.inference.intervals import Moments
from bestby.results.base import Note

Codes = set[str]


def codes(notes: tuple[Note, ...]) -> Codes:
    return {note.code for note in notes}


def share_noted(draw, code: str, times: int = 15, **options) -> float:
    """Return in how many of some data sets the comparison carries a note."""
    rng = np.random.default_rng(8)
    found = 0
    for _ in range(times):
        d = draw(rng)
        result = compare({"a": d, "b": np.zeros(d.size)}, interval="normal", n_resamples=99, **options)
        found += code in codes(result.notes)
    return found / times


# -- skewed differences ----------------------------------------------------------------------------


@pytest.mark.parametrize("test", ["permutation", "t", "wald"])
def test_a_rejection_that_skewness_may_explain_is_noted_and_no_other(test: str) -> None:
    """Of exponential differences with mean 0, false rejections lie on the side of the short tail."""
    rng = np.random.default_rng(8)
    noted = {False: 0, True: 0}
    rejected = {False: 0, True: 0}
    for _ in range(250):
        d = rng.exponential(size=25)
        for shown in (False, True):
            systems = {"a": d - (0.2 if shown else 1.0), "b": np.zeros(25)}
            result = compare(systems, interval=None, test=test, n_resamples=999)
            found = "skewed_differences" in codes(result.notes)
            assert not found or result["a", "b"].p_value <= 0.05
            rejected[shown] += result["a", "b"].p_value <= 0.05
            noted[shown] += found
    assert rejected[False] - noted[False] <= 0.05 * 250 + 2 * np.sqrt(0.05 * 0.95 * 250)
    assert noted[False] >= 0.3 * rejected[False] > 0
    assert noted[True] <= 0.05 * rejected[True]


def test_symmetric_differences_are_hardly_ever_noted() -> None:
    for draw in (
        lambda rng: rng.normal(size=30),
        lambda rng: rng.standard_t(3, 30),
        lambda rng: rng.lognormal(size=30) - rng.lognormal(size=30),
        lambda rng: (rng.integers(1, 6, 30) - rng.integers(1, 6, 30)).astype(float),
    ):
        rng, once = np.random.default_rng(8), np.ones(30, dtype=np.int64)
        assert np.mean([exchangeability.skewed(draw(rng), once) for _ in range(400)]) <= 0.12


def test_right_and_wrong_with_mean_0_is_symmetric_and_never_noted() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 200)
    systems = {
        "a": np.where(rng.random(200) < 0.95, gold, 1 - gold),
        "b": np.where(rng.random(200) < 0.7, gold, 1 - gold),
    }
    assert not codes(compare(systems, gold).notes) & {"skewed_differences", "effect_of_size"}


def skewed(n: int, shift: float) -> np.ndarray:
    """Return quantiles of an exponential distribution that has the mean -shift: nearly all are below 0."""
    return -np.log((np.arange(n) + 0.5) / n) - 1.0 - shift


def test_one_note_for_all_pairs_and_none_for_tests_that_ask_otherwise() -> None:
    systems = {"a": skewed(30, 0.4), "b": skewed(30, 0.4)[::-1] + 0.001, "z": np.zeros(30)}
    noted = [note for note in compare(systems, correction="none").notes if note.code == "skewed_differences"]
    assert len(noted) == 1
    assert "(and of 1 other pair)" in noted[0].message  # the third does not reject
    assert noted[0].message.startswith("the adjusted p-value of ")
    assert noted[0].about == ("mean",)
    assert "skewed_differences" not in codes(compare(systems, test="wilcoxon").notes)
    assert "skewed_differences" not in codes(compare(systems, test="hall").notes)


def test_normal_scores_of_ten_systems_that_are_alike_are_not_noted() -> None:
    rng, found = np.random.default_rng(10), 0
    for _ in range(20):
        systems = {f"s{i}": rng.normal(size=20) for i in range(10)}
        found += "skewed_differences" in codes(compare(systems, test="t", interval=None).notes)
    assert found <= 1


def test_functions_of_sums_are_noted_too() -> None:
    """Two systems with the same RMSE, of which one makes few large errors: swaps reject 21 % at 120 items."""
    rng, rejected, noted = np.random.default_rng(4), 0, 0
    for _ in range(120):
        large = rng.random(120) < 0.05
        a = np.where(large, 4.0 * rng.normal(size=120), 0.45 * rng.normal(size=120))
        b = rng.normal(size=120)
        systems = {"a": a, "b": b}
        result = compare(systems, np.zeros(120), metric="rmse", interval=None, n_resamples=500)
        rejected += result["a", "b"].p_value <= 0.05
        noted += bool({"skewed_differences", "few_effective"} & codes(result.notes))
    assert rejected > 0.12 * 120
    assert rejected - noted <= 0.05 * 120 + 2 * np.sqrt(0.05 * 0.95 * 120)


def test_skewness_does_not_depend_on_the_unit_the_side_or_how_items_are_counted() -> None:
    d = np.random.default_rng(2).lognormal(0.0, 1.5, 30)
    once = np.ones(30, dtype=np.int64)
    for factor in (1e-12, -1.0, 1e12):
        assert exchangeability.skewed(factor * d, once)
    values, counts = np.array([-1.0, 0.0, 2.0, 9.0]), np.array([30, 70, 3, 4])
    spread = np.repeat(values, counts)
    assert exchangeability.skewed(values, counts)
    assert exchangeability.skewed(spread, np.ones(spread.size, dtype=np.int64))
    assert not exchangeability.skewed(np.zeros(9), np.ones(9, dtype=np.int64))
    assert not exchangeability.skewed(np.full(9, 0.1), np.ones(9, dtype=np.int64))
    for values in (d, np.append(d, 0.0), np.random.default_rng(3).normal(size=30)):  # moments known already
        once = np.ones(values.size, dtype=np.int64)
        known = exchangeability.skewed(values, once, 1, Moments.of(values, once))
        assert known == exchangeability.skewed(values, once)


# -- clusters --------------------------------------------------------------------------------------


def clustered(rng: np.random.Generator, effect: float) -> tuple[np.ndarray, np.ndarray]:
    sizes = np.where(rng.random(40) < 0.15, 50, 5)
    cluster = np.repeat(np.arange(40), sizes)
    means = effect * np.where(sizes > 5, 0.4, -0.6) + 0.3 * rng.normal(size=40)
    return means[cluster] + rng.normal(size=cluster.size), cluster


@pytest.mark.parametrize(("effect", "least", "most"), [(1.0, 0.7, 1.0), (0.0, 0.0, 0.15)])
def test_an_effect_that_goes_with_the_size_of_clusters_is_noted(
    effect: float, least: float, most: float
) -> None:
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(15):
        d, cluster = clustered(rng, effect)
        result = compare({"a": d, "b": np.zeros(d.size)}, clusters=cluster, n_resamples=99, interval="cr2")
        found += "effect_of_size" in codes(result.notes)
    assert least <= found / 15 <= most


def test_clusters_of_nearly_equal_size_are_not() -> None:
    sizes, once = np.r_[np.full(20, 5.0), np.full(20, 6.0)], np.ones(40, dtype=np.int64)
    assert not exchangeability.follows_size(sizes, sizes, once)


# -- blocks ----------------------------------------------------------------------------------------


def autoregressive(rng: np.random.Generator, n: int, correlation: float) -> np.ndarray:
    out = np.empty(n)
    last = rng.normal()
    for i in range(n):
        out[i] = last = correlation * last + np.sqrt(1.0 - correlation**2) * rng.normal()
    return out


def test_blocks_shorter_than_the_dependence_are_noted_with_a_length_that_would_do() -> None:
    d = autoregressive(np.random.default_rng(4), 2000, 0.8)
    systems = {"a": d, "b": np.zeros(2000)}
    (note,) = [n for n in compare(systems, clusters=Blocks(20)).notes if n.code == "short_blocks"]
    assert "over more than blocks of 20" in note.message
    needed = int(note.message.rpartition("Use blocks of ")[2].split(",")[0])
    assert 50 < needed < 150
    assert "short_blocks" not in codes(compare(systems, clusters=Blocks(needed)).notes)


@pytest.mark.parametrize("length", [5, 25])
def test_blocks_of_independent_items_are_not(length: int) -> None:
    assert (
        share_noted(lambda rng: rng.normal(size=300), "short_blocks", times=10, clusters=Blocks(length))
        == 0.0
    )


def documents(rng: np.random.Generator, number: int, size: int) -> np.ndarray:
    return np.repeat(rng.normal(size=number), size) + rng.normal(size=number * size)


def test_blocks_that_are_documents_are_not_too_short() -> None:
    def draw(rng: np.random.Generator) -> np.ndarray:
        return documents(rng, 50, 10)

    assert share_noted(draw, "short_blocks", times=12, clusters=Blocks(10)) <= 0.1
    assert (
        share_noted(draw, "short_blocks", times=12, clusters=Blocks(5)) >= 0.6
    )  # each holds half a document


def test_boundaries_are_looked_at_within_strata_and_only_if_there_are_some() -> None:
    rng = np.random.default_rng(12)
    d = autoregressive(rng, 600, 0.8)
    strata, blocks = np.arange(600) % 2, np.arange(600) // 2 // 10
    mixed = np.empty(600)
    mixed[0::2], mixed[1::2] = d[:300], d[300:]
    assert clusters.crosses(mixed, blocks + 30 * strata, strata)
    assert not clusters.crosses(d[:60], np.arange(60) // 20)
    assert not clusters.crosses(np.zeros(60), np.arange(60) // 5)


def test_no_distance_reaches_from_one_stratum_into_another() -> None:
    rng = np.random.default_rng(5)
    strata = np.repeat([0, 1], 300)
    apart = rng.normal(size=600) + np.where(strata == 1, 50.0, 0.0)
    assert clusters.dependence(apart, strata).correlations.size == 1
    assert clusters.dependence(apart).share(10) < 0.5
    assert clusters.dependence(np.zeros(20)).share(5) == 1.0


# -- datasets --------------------------------------------------------------------------------------


def table(d: np.ndarray) -> dict[str, dict[str, float]]:
    return {f"data {i}": {"a": float(x), "b": 0.0} for i, x in enumerate(d)}


def test_the_default_over_datasets_tests_the_mean_that_is_estimated() -> None:
    """Of 30 samples of 30 skewed differences with mean 0, Wilcoxon's test finds more."""
    rng = np.random.default_rng(6)
    rejected = dict.fromkeys(("t", "wilcoxon"), 0)
    for _ in range(30):
        d = table(rng.exponential(size=30) - 1.0)
        rejected["t"] += compare_datasets(d, interval="normal")["a", "b"].p_value <= 0.05
        rejected["wilcoxon"] += (
            compare_datasets(d, interval="normal", across="wilcoxon")["a", "b"].p_value <= 0.05
        )
    assert rejected["t"] <= 5
    assert rejected["wilcoxon"] > rejected["t"]


def test_over_datasets_test_and_interval_agree() -> None:
    rng = np.random.default_rng(7)
    for n in (3, 6, 12):
        for _ in range(8):
            found = compare_datasets(table(rng.normal(0.6, 1.0, n)), interval="normal")["a", "b"]
            assert (found.p_value <= 0.05) == (0.0 not in found.interval)


@pytest.mark.parametrize("across", ["wilcoxon", "sign"])
def test_a_test_over_datasets_that_is_not_of_the_mean_says_what_it_tests(across: str) -> None:
    result = compare_datasets(table(np.arange(1.0, 11.0)), across=across)
    (note,) = [note for note in result.notes if note.code == "not_the_mean"]
    assert exchangeability.FEWEST <= 10
    assert {"wilcoxon": "symmetric about 0", "sign": "half of the datasets"}[across] in note.message
    assert "not_the_mean" not in codes(compare_datasets(table(np.arange(1.0, 11.0))).notes)


def test_skewed_differences_over_datasets_are_noted_and_few_datasets_show_no_shape() -> None:
    d = skewed(30, 0.4)
    found = compare_datasets(table(d), across="permutation").notes
    (note,) = [note for note in found if note.code == "skewed_differences"]
    assert "allows for skewed datasets" in note.message
    assert "skewed_differences" not in codes(compare_datasets(table(d)).notes)  # whose test allows for it
    assert note.about == ("score", "b", "a")
    assert "few_datasets" in codes(compare_datasets(table(d[::6])).notes)
    assert "few_datasets" not in codes(compare_datasets(table(d)).notes)


def test_the_interval_of_t_needs_no_number_of_datasets() -> None:
    rng = np.random.default_rng(13)
    for n in (3, 8, 12, 20):
        for _ in range(3):
            found = compare_datasets(table(rng.normal(size=n)))["a", "b"]
            assert found.interval.method == ("hall" if n >= 15 else "normal")
            assert found.test.name == ("hall" if n >= 15 else "t")
            assert not codes(found.notes) & {"few_effective", "few_differing"}
    few = compare_datasets(table(np.r_[np.zeros(10), 1.0, 3.0]))["a", "b"]
    assert "few_differing" in codes(few.notes)


@pytest.mark.parametrize("interval", ["auto", "bca"])
def test_a_difference_that_is_the_same_on_all_datasets_has_no_interval(interval: str) -> None:
    scores = {"x": {"a": 0.5, "b": 0.3}, "y": {"a": 0.6, "b": 0.4}, "z": {"a": 0.7, "b": 0.5}}
    result = compare_datasets(scores, interval=interval)
    found = result["a", "b"]
    assert (found.p_value, found.interval, found.standard_error) == (0.25, None, 0.0)
    assert [(note.code, note.about) for note in found.notes] == [("constant_difference", ("score", "a", "b"))]
    assert result.overall[0].interval is None
    assert "undefined_interval" not in codes(result.notes)
    assert "the signs alone" in result.to_json()
    assert "the signs alone" in str(result)
    same = compare_datasets({name: {"a": 0.3, "b": 0.3} for name in "xyz"})["a", "b"]
    assert (same.p_value, same.interval) == (1.0, None)
    assert "constant_difference" in codes(same.notes)


def test_replicability_does_not_depend_on_the_order_of_the_names() -> None:
    rng = np.random.default_rng(9)
    frames = {}
    for name in ("x", "y", "z"):
        gold = rng.integers(0, 2, 80)
        frames[name] = {
            "gold": gold,
            "a": np.where(rng.random(80) < 0.9, gold, 1 - gold),
            "b": np.where(rng.random(80) < 0.6, gold, 1 - gold),
        }
    for order in ("ab", "ba"):
        parts = {k: Evaluation.of({s: v[s] for s in order}, v["gold"]) for k, v in frames.items()}
        counts = compare_datasets(parts).replicability
        assert counts["a", "b"] == counts["b", "a"]
        assert ("b", "a") in counts
        assert list(counts) == [("a", "b")]
        asked = compare_datasets(parts, alternative="greater").replicability
        assert asked[order[0], order[1]].k_bonferroni == (3 if order == "ab" else 0)
        assert asked.get((order[1], order[0])) is None
        with pytest.raises(InvalidInputError, match=f"whether the score of '{order[0]}' is greater"):
            asked[order[1], order[0]]
        with pytest.raises(InvalidInputError, match="no counts of"):
            counts["a", "c"]
