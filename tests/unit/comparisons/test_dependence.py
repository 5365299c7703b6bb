"""What a comparison says about clusters, crossed groupings and blocks."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bestby import Blocks, ScoreMetric, compare
from bestby._core.errors import DesignError, InvalidInputError
from bestby.data.evaluation import Evaluation
from bestby.inference.skewness import FROM_UNITS
from bestby.results import Comparison

N = 300
RNG = np.random.default_rng(0)
GOLD = RNG.integers(0, 2, N)
EASY = np.repeat(RNG.random(30), 10)
A = np.where(RNG.random(N) < 0.4 + 0.6 * EASY, GOLD, 1 - GOLD)
B = np.where(np.repeat(RNG.random(30), 10) < 0.8, GOLD, 1 - GOLD)
DOCUMENTS = np.repeat(np.arange(30), 10)
LANGUAGES = np.arange(N) % 10


def run(**arguments: Any) -> Comparison:
    return compare({"a": A, "b": B}, GOLD, n_resamples=199, **arguments)


def messages(result: Comparison, code: str) -> list[str]:
    return [note.message for note in result.notes if note.code == code]


def test_clusters_tell_the_design_effect() -> None:
    (told,) = messages(run(clusters=DOCUMENTS), "design_effect")
    values = (A == GOLD) * 1.0 - (B == GOLD)
    items = values.std(ddof=1) / np.sqrt(N)
    together = values.reshape(30, 10).mean(axis=1).std(ddof=1) / np.sqrt(30)
    assert told == (
        f"standard error of the difference {together:.3f} with clusters, {items:.4f} as if the items were"
        f" independent: design effect {(together / items) ** 2:.2f}"
    )


def test_groupings_that_are_not_used_say_what_they_would_do() -> None:
    evaluation = dataclasses.replace(
        Evaluation.of({"a": A, "b": B}, GOLD),
        groupings={"document": DOCUMENTS, "all": np.zeros(N), "each": np.arange(N), "language": LANGUAGES},
    )
    result = compare(evaluation, metric=["accuracy", "f1_macro"], n_resamples=199)
    told = [note for note in result.notes if note.code == "clusters_ignored"]
    assert [note.about for note in told] == [("accuracy",)] * 2 + [("f1_macro",)] * 2
    (used,) = messages(run(clusters=DOCUMENTS), "design_effect")
    assert told[
        0
    ].message == "items are treated as independent, but the data have groups of items: " + used.replace(
        "with clusters", "with the 30 groups of 'document' as clusters"
    )
    again = compare(dataclasses.replace(evaluation, clusters=DOCUMENTS), n_resamples=199)
    assert not messages(again, "clusters_ignored")
    assert again["a", "b"].test == run(clusters=DOCUMENTS)["a", "b"].test


@pytest.mark.parametrize("groups", [2, 4, 5])
def test_too_few_groups_that_are_not_used_say_nothing(groups: int) -> None:
    evaluation = Evaluation.of({"a": A, "b": B}, GOLD)
    evaluation = dataclasses.replace(evaluation, groupings={"kind": np.arange(N) % groups})
    told = messages(compare(evaluation, n_resamples=199), "clusters_ignored")
    assert [f"the {groups} groups of 'kind'" in message for message in told] == [True] * (groups >= 5)


def test_several_pairs_share_a_note() -> None:
    result = compare({"a": A, "b": B, "c": GOLD}, GOLD, clusters=DOCUMENTS, n_resamples=199)
    (told,) = messages(result, "design_effect")
    assert told.startswith("standard errors of the differences 0.0")
    assert " to " in told


def test_systems_that_do_not_differ_have_no_design_effect() -> None:
    assert not messages(compare({"a": A, "b": A}, GOLD, clusters=DOCUMENTS), "design_effect")


SCORES = np.random.default_rng(1).random(N)
NUMBERS = SCORES + np.random.default_rng(2).normal(size=N)


@pytest.mark.parametrize(
    ("systems", "gold", "metric"),
    [
        ({"a": SCORES + 0.1, "b": SCORES}, None, "points"),
        ({"a": 1e-12 * SCORES + 1e-12 / 3.0, "b": 1e-12 * SCORES}, None, "points"),
        ({"a": np.full(N, 0.3), "b": np.full(N, 0.1)}, None, "points"),
        ({"a": 2.0 * NUMBERS + 1.0, "b": NUMBERS}, SCORES, "pearson"),
    ],
)
@pytest.mark.parametrize("how", ["clusters", "blocks", "groupings"])
def test_rounding_has_no_design_effect(systems: dict[str, Any], gold: Any, metric: str, how: str) -> None:
    given: dict[str, Any] = {"clusters": DOCUMENTS} if how == "clusters" else {}
    evaluation = Evaluation.of(systems, gold, **given)
    if how == "groupings":
        evaluation = dataclasses.replace(evaluation, groupings={"document": DOCUMENTS})
    blocks = {"clusters": Blocks(5)} if how == "blocks" else {}
    compared = metric if gold is not None else ScoreMetric(metric, greater_is_better=True)
    result = compare(evaluation, metric=compared, n_resamples=99, **blocks)
    assert {"design_effect", "clusters_ignored", "short_blocks"}.isdisjoint(one.code for one in result.notes)


def test_clusters_without_differences_of_their_own_have_an_error_of_nothing() -> None:
    within = np.tile(np.linspace(-0.1, 0.1, 10), 30)
    scores = {"a": SCORES + within, "b": SCORES}
    result = compare(
        scores, clusters=DOCUMENTS, metric=ScoreMetric("points", greater_is_better=True), n_resamples=99
    )
    (told,) = messages(result, "design_effect")
    assert told.startswith("standard error of the difference 0 with clusters, 0.00")
    assert told.endswith("design effect 0")


@pytest.mark.parametrize(
    ("clusters", "told"),
    [
        (
            np.arange(N) % 12,
            "there are only 12 clusters, fewer than 30: bootstrap intervals are too short; intervals by",
        ),
        (
            np.minimum(np.arange(N), 20),
            "there are only 21 clusters, fewer than 30, one of which holds 93 % of",
        ),
        (np.minimum(np.arange(N), 150), "one of the 151 clusters holds 50 % of the items: bootstrap"),
        (np.arange(N) // 7, "there are only 43 clusters: bootstrap intervals tend to be too short below 50"),
    ],
)
def test_few_or_unequal_clusters_are_told(clusters: np.ndarray, told: str) -> None:
    result = run(clusters=clusters)
    (message,) = messages(result, "few_clusters")
    assert message.startswith(told)
    n_clusters = np.unique(clusters).size
    assert result["a", "b"].interval.method == ("hall" if n_clusters >= FROM_UNITS else "cr2")


def test_many_equal_clusters_are_not() -> None:
    result = run(clusters=np.arange(N) // 2)
    assert not messages(result, "few_clusters")
    assert result["a", "b"].interval.method == "hall"


# -- two crossed groupings -------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [[DOCUMENTS, LANGUAGES], {"d": DOCUMENTS, "l": LANGUAGES}])
def test_two_crossed_groupings(given: Any) -> None:
    result = run(clusters=given, metric=["accuracy", "f1_macro"])
    for metric in ("accuracy", "f1_macro"):
        d = result["a", "b", metric]
        assert (d.interval.method, d.test.name) == ("two-way", "wald")
        assert d.interval.low < d.estimate < d.interval.high
    assert "a permutation test cannot keep two crossed groupings" in messages(result, "two_way")[0]
    assert "with both groupings" in messages(result, "design_effect")[0]
    assert result.provenance.data["clusters"] == 30
    assert result.provenance.data["crossed"] == 10
    assert result.provenance.data_hash != run(clusters=DOCUMENTS).provenance.data_hash


def test_crossed_groupings_by_id_and_in_frames() -> None:
    keys = [f"q{i}" for i in range(N)]
    expected = run(clusters=[DOCUMENTS, LANGUAGES])["a", "b"]

    def keyed(values: Any) -> dict[str, Any]:
        return dict(zip(keys, values.tolist(), strict=True))

    by_id = compare(
        {"a": keyed(A), "b": keyed(B)}, keyed(GOLD), clusters=[keyed(DOCUMENTS), keyed(LANGUAGES)]
    )
    frame = pd.DataFrame({"a": A, "b": B, "gold": GOLD, "doc": DOCUMENTS, "lang": LANGUAGES})
    in_frame = compare(frame, gold="gold", clusters=["doc", "lang"])
    for found in (by_id["a", "b"], in_frame["a", "b"]):
        assert (found.interval, found.test) == (expected.interval, expected.test)
    with pytest.raises(InvalidInputError, match="one grouping of the items, or two"):
        compare(frame, gold="gold", clusters=["doc", "lang", "a"])


def test_omnibus_is_left_out_for_crossed_groupings() -> None:
    systems = {"a": A, "b": B, "c": GOLD}
    assert compare(systems, GOLD, clusters=DOCUMENTS, n_resamples=99).omnibus
    assert not compare(systems, GOLD, clusters=[DOCUMENTS, LANGUAGES], n_resamples=99).omnibus


# -- blocks ----------------------------------------------------------------------------------------------


def test_blocks_of_ordered_text() -> None:
    result = run(clusters=Blocks(10))
    d = result["a", "b"]
    assert d.interval.method == "cr2"
    assert d.test == run(clusters=DOCUMENTS)["a", "b"].test
    (told,) = messages(result, "design_effect")
    assert "with blocks of 10, " in told
    assert "with blocks twice as long" in told
    assert result.provenance.settings["blocks"] == 10
    assert "blocks" not in run().provenance.settings


def test_blocks_of_ranks_are_drawn() -> None:
    result = run(clusters=Blocks(10), metric="roc_auc", interval="basic")
    assert result["a", "b"].interval.method == "basic"


def test_blocks_within_strata() -> None:
    strata = np.repeat([0, 1], [100, 200])
    assert run(clusters=Blocks(10), strata=strata)["a", "b"].interval.method == "cr2"
    with pytest.raises(DesignError, match="in every stratum, got 100"):
        run(clusters=Blocks(51), strata=strata)


# -- effects that go with the size of clusters -----------------------------------------------------------


def test_effects_that_go_with_sizes_have_a_longer_interval_that_agrees_with_the_test_and_notes() -> None:
    rng = np.random.default_rng(3)
    sizes = np.maximum(1, np.round(10 * rng.lognormal(0.0, 1.5, 100))).astype(int)
    cluster = np.repeat(np.arange(100), sizes)
    noise, own = rng.normal(size=cluster.size), 0.5 * rng.normal(size=100)
    found = {}
    for name, slope in (("with size", 0.3), ("of its own", 0.0)):
        d = (slope * np.log(sizes) + own)[cluster] + noise
        systems = {"a": d, "b": np.zeros(d.size)}
        found[name] = compare(systems, clusters=cluster, test="wald", interval="cr2", n_resamples=199)
        pair = found[name]["a", "b"]
        level = 1.0 - pair.test.p_value
        for step, excludes in ((-1e-6, True), (1e-6, False)):
            again = compare(systems, clusters=cluster, interval="cr2", level=level + step, n_resamples=199)
            assert (0.0 not in again["a", "b"].interval) is excludes
    pair = found["with size"]["a", "b"]
    above = (pair.interval.high - pair.estimate) / pair.standard_error
    below = (pair.estimate - pair.interval.low) / pair.standard_error
    assert max(above, below) > 3.0
    assert min(above, below) > 1.96
    assert above != pytest.approx(below)
    (told,) = messages(found["with size"], "effect_of_size")
    assert 'The cr2 interval and test="wald" correct most of this' in told
    pair = found["of its own"]["a", "b"]
    assert pair.interval.high - pair.estimate == pytest.approx(pair.estimate - pair.interval.low)
    assert not messages(found["of its own"], "effect_of_size")
