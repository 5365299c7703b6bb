"""Where units are so few that no swap of theirs has a small p-value: what decides then, and what is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bestby as bb
from bestby.inference import permutation


def by_language(n_clusters: int = 10, n_systems: int = 10) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(0)
    language = np.repeat(np.arange(n_clusters), 100)
    u = rng.random(language.size)
    rates = np.linspace(0.35, 0.8, n_systems)
    systems = {
        f"s{i}": ((0.3 * u + 0.7 * rng.random(language.size)) < p).astype(int) for i, p in enumerate(rates)
    }
    return systems, language


def codes(result: bb.results.Comparison) -> set[str]:
    return {note.code for note in result.notes}


def found(result: bb.results.Comparison) -> int:
    return sum(d.p_adjusted <= 0.05 for d in result.differences if d.p_adjusted is not None)


def test_ten_systems_on_ten_languages_are_told_apart() -> None:
    systems, language = by_language()
    result = bb.compare(systems, clusters=language)
    assert found(result) == 39
    assert "few_units_for_permutation" in codes(result)
    (note,) = [note for note in result.notes if note.code == "few_units_for_permutation"]
    assert note.message.startswith("swaps of 10 clusters cannot give a p-value below 0.002, 0.088 after")
    assert "detect a difference of" not in str(result)  # of a test that could find none
    swaps = bb.compare(systems, clusters=language, test="permutation")
    assert found(swaps) == 0
    assert "out_of_reach" in codes(swaps)
    assert "detect a difference of" not in str(swaps)


def test_above_the_least_p_value_of_swaps_nothing_changes() -> None:
    rng = np.random.default_rng(3)
    for n in (4, 6, 9, 30):
        for _ in range(10):
            x, y = rng.normal(0.3, 1.0, n), rng.normal(size=n)
            auto, swaps = (
                bb.compare({"a": x, "b": y}, test=test)["a", "b"] for test in ("auto", "permutation")
            )
            least = permutation.least_p(n, "two-sided")
            if swaps.p_value > least * 1.000001:
                assert auto.test == swaps.test
            else:
                hall = bb.compare({"a": x, "b": y}, test="hall")["a", "b"].p_value
                assert auto.p_value == pytest.approx(min(least, hall))


def test_units_that_do_not_differ_count_too() -> None:
    """Four discordant items of a thousand keep 2 / 2^4, which is far above 2 / 2^1000."""
    a, b = np.zeros(1000), np.zeros(1000)
    a[:4] = 1.0
    assert bb.compare({"a": a, "b": b})["a", "b"].p_value == 0.125
    assert bb.compare({"a": 0.5 * a, "b": b})["a", "b"].p_value == 0.125


def test_units_that_all_differ_by_the_same_keep_the_least_p_value() -> None:
    x = np.arange(5.0)
    result = bb.compare({"a": x + 1.0, "b": x})
    assert result["a", "b"].p_value == 0.0625
    assert "out_of_reach" in codes(result)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_tests_go_on_too(alternative: str) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=5)
    sign = 1.0 if alternative == "greater" else -1.0
    result = bb.compare({"a": x + sign * (3.0 + rng.random(5)), "b": x}, alternative=alternative)
    assert result["a", "b"].test.name == "hall"
    assert result["a", "b"].p_value < 2.0**-5


@pytest.mark.parametrize("metric", ["f1_macro", "rmse"])
def test_functions_of_sums_go_on_by_their_influence(metric: str) -> None:
    rng = np.random.default_rng(2)
    cluster = np.repeat(np.arange(6), 60)
    if metric == "rmse":
        gold = rng.normal(size=360)
        systems = {"a": gold + 0.5 * rng.normal(size=360), "b": gold + 1.5 * rng.normal(size=360)}
    else:
        gold = rng.integers(0, 3, 360)
        systems = {
            name: np.where(rng.random(360) < p, gold, rng.integers(0, 3, 360))
            for name, p in (("a", 0.9), ("b", 0.3))
        }
    result = bb.compare(systems, gold, metric=metric, clusters=cluster)
    assert result["a", "b"].test.name == "hall"
    assert result["a", "b"].p_value < 0.01


def test_paired_runs_follow_the_same_rule() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=5)
    systems = {"a": x + 2.0 + 0.1 * rng.random(5), "b": x, "c": x - 2.0 - 0.1 * rng.random(5)}
    result = bb.compare_runs(systems, paired=True)
    assert {d.test.name for d in result.differences} == {"hall"}
    assert "few_units_for_permutation" in codes(result)
    alone = bb.compare_runs({name: systems[name] for name in "ab"}, paired=True)
    assert alone["a", "b"].p_value == result["a", "b"].p_value  # whatever other systems there are
    swaps = bb.compare_runs(systems, paired=True, test="permutation")
    assert "out_of_reach" in codes(swaps)


def test_two_systems_judged_in_few_clusters_follow_it_too() -> None:
    rng = np.random.default_rng(6)
    rows = [("a", "b", "a" if rng.random() < 0.85 else "b") for _ in range(200)]
    prompt = np.repeat(np.arange(5), 40)
    result = bb.compare_preferences(rows, clusters=prompt)
    assert result["a", "b"].test.name == "hall"
    assert result["a", "b"].p_value < 0.01
    assert "few_units_for_permutation" in codes(result)
    swaps = bb.compare_preferences(rows, clusters=prompt, test="permutation")
    assert swaps["a", "b"].p_value == 0.0625
    assert "out_of_reach" in codes(swaps)


def test_a_sentence_below_the_headline_says_on_how_few_units_it_rests() -> None:
    rng = np.random.default_rng(5)
    cluster = np.repeat(np.arange(5), 20)
    base = rng.normal(size=100)
    text = str(bb.compare({"a": base + 2.0 + 0.1 * rng.normal(size=100), "b": base}, clusters=cluster))
    assert "This rests on 5 clusters" in text
    assert "have no swap with a p-value below 0.062" in " ".join(text.split())
    many = str(bb.compare({"a": base + 2.0 + 0.1 * rng.normal(size=100), "b": base}))
    assert "This rests on" not in many


def test_the_sentence_is_below_the_headline_of_runs_too() -> None:
    x = np.array([0.1, 0.4, 0.2, 0.35])
    better = {"a": np.array([0.6, 1.0, 0.6, 0.9]), "b": x}
    said = " ".join(str(bb.compare_runs(better, paired=True)).split())
    assert "This rests on 4 pairs of runs, which cannot show whether differences are skewed and have" in said
    assert "have no swap with a p-value below 0.12 (where all point the same way, Hall's t" in said
    said = " ".join(str(bb.compare_runs(better)).split())
    assert "This rests on 4 runs of a system, which cannot show whether they are skewed." in said
    assert "This rests on" not in str(bb.compare_runs({"a": x, "b": x}, paired=True))
    many = np.linspace(0.0, 1.0, 15)
    assert "This rests on" not in str(bb.compare_runs({"a": many + 0.1 * many**2, "b": many}))


def test_the_sentence_is_below_the_headline_of_gates_and_slices_too() -> None:
    rng = np.random.default_rng(8)
    cluster, base = np.repeat(np.arange(5), 8), rng.normal(size=40)
    systems = {"new": base - np.repeat([0.3, 0.35, 0.28, 0.5, 0.41], 8), "old": base}
    gate = bb.gate(systems, clusters=cluster, baseline="old", metric="mean")
    said = " ".join(str(gate).split())
    assert "This rests on 5 clusters, which cannot show whether differences are skewed and have no" in said
    assert "swap with a p-value below 0.031 (where all point the same way, Hall's t test decides)" in said
    with_margin = bb.gate(systems, clusters=cluster, baseline="old", metric="mean", margin=0.1)
    assert "This rests on 5 clusters" in " ".join(str(with_margin).split())
    parity = np.tile(["u", "v"], 20)
    sliced = bb.compare_slices(systems, by={"c": parity}, clusters=cluster)
    assert "This rests on 5 clusters" in " ".join(str(sliced).split())
    assert "few_units_for_permutation" in {note.code for note in sliced.notes}  # of all items
    many = bb.compare_slices(systems, by={"c": parity})
    assert "This rests on" not in str(many)


def test_of_intervals_that_hold_at_once_no_swap_is_spoken() -> None:
    """They decide, and not the swaps; and few items do not make those of means too short."""
    rng = np.random.default_rng(8)
    cluster, base = np.repeat(np.arange(5), 8), rng.normal(size=40)
    effect = np.array([0.3, 0.35, 0.28, 0.5, 0.41])
    systems = {"new": base + effect[cluster], "old": base}
    for test in ("auto", "permutation"):
        result = bb.compare(systems, clusters=cluster, correction="simultaneous", test=test)
        said = " ".join(str(result).split())
        assert "differs significantly" in said
        assert "This rests on 5 clusters, which cannot show whether differences are skewed." in said
        assert codes(result).isdisjoint({"out_of_reach", "few_units_for_permutation"})
    alone = {name: scores[:12] for name, scores in systems.items()} | {"other": rng.normal(size=12)}
    assert "few_items" not in codes(bb.compare(alone, correction="simultaneous"))


def test_blocks_are_the_units_of_text_and_take_a_margin() -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=60)
    found = bb.compare({"a": x + 0.3, "b": x - 0.1 * rng.random(60)}, clusters=bb.Blocks(5), margin=0.2)[
        "a", "b"
    ]
    assert (found.interval.method, found.verdict) == ("cr2", "better")
    loss = 0.1 * rng.random(60)
    gate = bb.gate(
        {"b": x, "a": x - loss}, baseline="b", candidate="a", metric="mean", clusters=bb.Blocks(5), margin=0.2
    )
    assert gate.outcome == "pass"
    text = " ".join(str(bb.compare({"a": x[:9] + rng.random(9), "b": x[:9]}, clusters=bb.Blocks(3))).split())
    assert "This rests on 3 blocks" in text
    assert "detect a difference of" not in text


def test_a_verdict_is_not_read_from_an_interval_that_too_few_units_carry() -> None:
    two = bb.compare({"a": np.array([0.5, 1.51]), "b": np.arange(2.0)}, margin=0.2)["a", "b"]
    few = bb.compare({"a": np.r_[np.zeros(36), np.full(4, 0.9)], "b": np.zeros(40)}, margin=0.01)["a", "b"]
    for found in (two, few):  # Hall's t tells nothing of two, and four of forty may be all or none
        assert found.verdict == "inconclusive"
        assert {"few_differing"} <= {note.code for note in found.notes}


@pytest.mark.parametrize("n", [3, 4, 5])
@pytest.mark.parametrize("clustered", [False, True])
def test_so_few_units_have_no_verdict(n: int, clustered: bool) -> None:
    """One in ten may be unlike the others, and is not among five in six of ten samples."""
    old, few = np.random.default_rng(n).normal(size=n), np.linspace(-0.02, 0.02, n)
    times = 4 if clustered else 1
    systems = {"new": np.repeat(old + few, times), "old": np.repeat(old, times)}
    clusters = np.arange(n * times) // times if clustered else None
    found = bb.compare(systems, metric="points", margin=0.1, clusters=clusters)
    assert found.differences[0].verdict == "inconclusive"


def test_a_cluster_that_holds_most_items_is_told() -> None:
    rng = np.random.default_rng(0)
    clusters = np.r_[np.zeros(200), np.arange(1, 6)]
    old = rng.normal(size=205)
    systems = {"new": old + 0.3 + rng.normal(size=205) * 0.2, "old": old}
    found = bb.compare(systems, metric="mean", clusters=clusters, margin=0.1, interval="normal")
    assert found.differences[0].verdict == "inconclusive"
    assert "few_effective" in {note.code for note in found.differences[0].notes}


def test_harmless_means_of_few_units_have_no_note_on_their_number() -> None:
    rng = np.random.default_rng(4)
    for n in (6, 8, 14):
        old = rng.normal(size=n)
        systems = {"new": old + rng.normal(1.0, 0.2, n), "old": old}
        clusters = np.repeat(np.arange(n), 4)
        by_item = bb.compare(systems, metric="points", margin=0.1)
        by_cluster = bb.compare(
            {k: np.repeat(v, 4) for k, v in systems.items()}, metric="points", clusters=clusters, margin=0.1
        )
        for found, quiet in ((by_item, {"few_effective", "few_differing"}), (by_cluster, {"few_differing"})):
            every = (*found.notes, *(note for one in found.differences for note in one.notes))
            assert not quiet & {note.code for note in every}
            if "few_effective" in {note.code for note in every}:
                continue  # of these clusters few carry the variance
            assert found.differences[0].verdict == "better"
            assert f"This rests on {n} " in " ".join(str(found).split())


@pytest.mark.parametrize(
    ("test", "code"), [("auto", "few_units_for_permutation"), ("permutation", "out_of_reach")]
)
def test_slices_and_studies_say_what_few_clusters_cannot_show(tmp_path: Path, test: str, code: str) -> None:
    rng = np.random.default_rng(5)
    gold, of = rng.integers(2, size=200), np.arange(200) // 20
    systems = {"good": gold, "poor": np.where(rng.random(200) < 0.6, gold, 1 - gold)}
    sliced = bb.compare_slices(systems, gold, by={"half": of // 5}, clusters=of, test=test)
    assert [[note.code for note in one.difference.notes].count(code) for one in sliced] == [1, 1]
    study = bb.Study(tmp_path / "study")
    first = of < 5
    for name, predictions in systems.items():
        study.add(name, run=0, predictions=predictions[first], gold=gold[first], clusters=of[first])
    (d,) = study.compare(test=test).differences
    assert [note.code for note in d.notes].count(code) == 1
    many = bb.compare_slices(systems, gold, by={"half": of // 5}, test=test)
    assert not any(note.code == code for one in many for note in one.difference.notes)


def test_slices_and_studies_say_where_skewed_items_decide(tmp_path: Path) -> None:
    gold, errors = np.zeros(40), np.random.default_rng(5).exponential(size=40)
    systems = {"a": errors, "b": np.full(40, errors.mean() + 0.33 * errors.std())}
    sliced = bb.compare_slices(systems, gold, by={"half": np.arange(40) % 2}, metric="mae")
    study = bb.Study(tmp_path / "study")
    for name, values in systems.items():
        study.add(name, run=0, predictions=values, gold=gold)
    told = [*(one.difference for one in sliced), *study.compare(metric="mae").differences]
    noted = [any(note.code == "skewed_differences" for note in one.notes) for one in told]
    assert noted == [one.p_adjusted is not None and one.p_adjusted <= 0.05 for one in told]
    assert noted == [False, True, True]


LOST = [-1.9337, -1.5487, 1.3476, -1.7335, -0.7147, -1.484, 0.0343, -1.0923, -0.5152]
"""Nine differences whose mean is below 0 by Student's t, and not if they may be skewed."""


@pytest.mark.parametrize("kind", ["items", "clusters", "runs"])
def test_without_a_test_the_interval_says_what_skewness_may_explain(kind: str) -> None:
    lost, old = np.array(LOST), np.random.default_rng(0).normal(size=9)

    def notes(shift: np.ndarray, test: str | None) -> list[str]:
        systems = {"new": old + shift, "old": old}
        if kind == "runs":
            found = bb.compare_runs(systems, metric="points", paired=True, test=test)
        elif kind == "items":
            found = bb.compare(systems, metric="points", test=test)
        else:
            several = {name: np.repeat(values, 2) for name, values in systems.items()}
            found = bb.compare(several, metric="points", clusters=np.arange(18) // 2, test=test)
        every = (*found.notes, *found.differences[0].notes)
        told = [note.message for note in every if note.code == "skewed_differences"]
        headline = " ".join(str(found).split("\n\n")[0].split())
        assert ("weakly shown" in headline) == bool(told)
        return told

    (told,) = notes(lost, None)
    unit = "pairs of runs" if kind == "runs" else kind
    assert told.startswith(f"the interval by Hall's t, which allows for skewed {unit}, holds 0")
    assert not any("interval" in one for one in notes(lost, "auto"))  # its p-value says it, if it rejects
    assert not notes(lost - 1.0, None)  # both exclude 0
    assert not notes(lost + 1.0, None)  # both hold it


def test_scores_of_few_items_say_on_how_many_they_rest() -> None:
    scores = np.random.default_rng(0).exponential(size=20)
    assert "This rests on 12 items" in str(bb.evaluate({"a": scores[:12]}, metric="points"))
    assert "This rests on" not in str(bb.evaluate({"a": scores}, metric="points"))
    assert "This rests on" not in str(bb.evaluate({"a": [1] * 8 + [0] * 4}, metric="points"))
