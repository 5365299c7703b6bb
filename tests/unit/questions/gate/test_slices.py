"""A gate asks about every slice, as it asks about every task: each is a check, in one family."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.report.percent import in_percent

RNG = np.random.default_rng(11)
LANGUAGE = np.repeat(["de", "en", "ja"], [300, 200, 100])
LENGTH = RNG.permutation(600)
MAIN = (RNG.random(600) < 0.8).astype(int)
GOLD = np.ones(600, dtype=int)


def with_losses(where: str, losses: int) -> dict[str, Any]:
    """Return a candidate that loses so many items in one slice, and one gain and one loss in each."""
    new = MAIN.copy()
    for name in ("de", "en", "ja"):
        new[np.flatnonzero((name == LANGUAGE) & (MAIN == 0))[0]] = 1
        new[np.flatnonzero((name == LANGUAGE) & (MAIN == 1))[-1]] = 0
    new[np.flatnonzero((where == LANGUAGE) & (MAIN == 1))[:losses]] = 0
    return {"main": MAIN, "new": new}


def test_slices_are_in_the_order_of_the_numbers_in_their_names() -> None:
    names = np.repeat(["t10", "t9", "t1"], [300, 200, 100])
    result = bb.gate(with_losses("ja", 4), GOLD, by={"topic": names}, margin=0.1)
    assert [check.part for check in result] == [None, "topic=t1", "topic=t9", "topic=t10"]


def test_each_slice_is_a_check_beside_all_items() -> None:
    data = with_losses("ja", 4)
    result = bb.gate(data, GOLD, by={"language": LANGUAGE}, margin=0.1)
    assert [check.part for check in result] == [None, "language=de", "language=en", "language=ja"]
    assert [check.difference.n_items for check in result] == [600, 300, 200, 100]
    for check in result.checks[1:]:
        assert check.part is not None
        rows = check.part.removeprefix("language=") == LANGUAGE
        alone = bb.gate({name: values[rows] for name, values in data.items()}, GOLD[rows], margin=0.1)
        assert check.bound == alone.checks[0].bound
        assert check.outcome == alone.outcome
    assert result.n_worse == 7, "items flip on all items, not once more in each slice"


def test_with_a_margin_all_slices_must_pass() -> None:
    whole = bb.gate(with_losses("ja", 15), GOLD, margin=0.05)
    assert whole.outcome == "pass"
    result = bb.gate(with_losses("ja", 15), GOLD, by={"language": LANGUAGE}, margin=0.05)
    assert {check.part: check.outcome for check in result}["language=ja"] == "fail"
    assert result.outcome == "fail"
    message = " ".join(result.sentences)
    assert "new is worse than main in accuracy (language=ja) by more than the margin of 0.05" in message
    assert "needs no correction (intersection-union)" in " ".join(str(result).split())
    with pytest.raises(
        bb.errors.GateFailedError, match=r"Fail: new is worse than main in accuracy \(language=ja\)"
    ):
        result.check()
    assert result.with_margin(0.4).outcome == "pass"
    assert [check.part for check in result.with_margin(0.4)] == [check.part for check in result]


def test_one_of_several_slices_fails_by_a_bound_for_all_checks() -> None:
    data, by = with_losses("ja", 15), {"language": LANGUAGE}
    rule: dict[str, Any] = {"fail_test": "bound"}
    result = bb.gate(data, GOLD, by=by, margin=0.05, **rule)
    strict = bb.gate(data, GOLD, by=by, margin=0.05, level=1.0 - 0.05 / 4, **rule)
    for check, other in zip(result, strict, strict=True):
        assert check.fail_bound == pytest.approx(other.difference.equivalence_interval.high)
        assert check.fail_bound > check.difference.equivalence_interval.high
    ja = result.checks[3]
    high = ja.difference.equivalence_interval.high
    assert high < ja.fail_bound < -0.05
    between = -0.5 * (high + ja.fail_bound)  # the slice alone would fail, the slice among four does not
    alone = {name: values[LANGUAGE == "ja"] for name, values in data.items()}
    assert bb.gate(alone, GOLD[:100], margin=between, **rule).outcome == "fail"
    among = bb.gate(data, GOLD, by=by, margin=between, **rule)
    assert among.checks[3].outcome == "inconclusive"
    assert "its upper bound that holds for all 4 checks at once" in among.sentences[3]
    assert result.with_margin(between).checks[3].outcome == "inconclusive"
    assert [c.outcome for c in result.with_margin(between)] == [c.outcome for c in among]
    assert "fails if a bound that holds for all 4 at once shows a greater loss (Bonferroni)" in " ".join(
        str(among).split()
    )
    assert bb.load(among.to_json()).checks[3].fail_bound == among.checks[3].fail_bound
    shown = in_percent(among).checks[3]
    assert shown.fail_bound == pytest.approx(100.0 * among.checks[3].fail_bound)
    assert bb.gate(alone, GOLD[:100], margin=0.05, **rule).checks[0].fail_bound is None


@pytest.mark.parametrize(("margin", "checks"), [(0.11, 4), (0.2, 1)])
def test_how_many_more_items_decide_a_slice_counts_the_bound_that_decides(margin: float, checks: int) -> None:
    """A loss beyond the margin is shown by the bound of all four checks, a smaller one by its own."""
    ja = bb.gate(with_losses("ja", 15), GOLD, by={"language": LANGUAGE}, margin=margin).checks[3]
    assert ja.outcome == "inconclusive"
    loss, error = -ja.difference.estimate, ja.difference.standard_error
    assert (loss > margin) == (checks > 1)
    assert error is not None
    design = bb.planning.PairedScores(abs(loss - margin), 10.0 * error)  # of 100 items
    plan = bb.sample_size(design, 0.8, alternative="greater", n_comparisons=checks)
    assert ja.more == max(1, plan.n - 100)
    assert plan.n > 101


def test_the_bound_for_all_checks_takes_no_resamples_of_its_own() -> None:
    said = RNG.integers(0, 3, (2, 600)).astype(str)
    drawn: list[tuple[int, int]] = []

    def share(gold: Any, predictions: Any) -> float:
        return float((gold == predictions).mean())

    result = bb.gate(
        {"main": said[0], "new": said[1]}, said[0], metric=share, by={"language": LANGUAGE}, margin=0.1,
        n_resamples=100, resampling=bb.Resampling(progress=lambda done, of: drawn.append((done, of))),
    )  # fmt: skip
    assert [check.fail_bound is None for check in result] == [False] * 4
    sizes = {600, *np.unique(LANGUAGE, return_counts=True)[1].tolist()}
    assert {of // 4 for _, of in drawn} == {size + 100 for size in sizes}  # without each item, and resamples
    shares = [done / of for done, of in drawn]
    assert shares == sorted(shares)
    assert {0.25, 0.5, 0.75, 1.0} <= set(shares)


def test_the_seed_of_a_generator_gives_all_parts_again() -> None:
    def share(gold: Any, predictions: Any) -> float:
        return float(np.mean(gold == predictions)) ** 2 + float(np.mean(predictions == 1))

    def drawn(rng: int | np.random.Generator) -> bb.results.Gate:
        data, third = with_losses("ja", 4), np.arange(600) % 3
        return bb.gate(data, third % 2, metric=share, by={"third": third}, n_resamples=99, rng=rng)

    first = drawn(np.random.default_rng(1))
    assert drawn(first.provenance.seed).checks == first.checks


def test_the_bound_of_a_gain_follows_the_direction() -> None:
    loss = {name: 1.0 - values for name, values in with_losses("ja", 15).items()}
    asked: dict[str, Any] = {"by": {"language": LANGUAGE}, "margin": 0.05}
    lower_is_better = bb.ScoreMetric("mean", greater_is_better=False)
    exact = [
        [(check.outcome, check.fail_p, check.counted) for check in bb.gate(data, **asked, metric=metric)]
        for data, metric in ((with_losses("ja", 15), "mean"), (loss, lower_is_better))
    ]
    assert exact[0] == exact[1]
    asked["fail_test"] = "bound"
    score = bb.gate(with_losses("ja", 15), **asked, metric="mean")
    lower = bb.gate(loss, **asked, metric=lower_is_better)
    assert [check.outcome for check in lower] == [check.outcome for check in score]
    assert [check.fail_bound for check in lower] == pytest.approx([-check.fail_bound for check in score])


def test_without_a_margin_one_slice_is_an_alarm_after_holm() -> None:
    result = bb.gate(with_losses("ja", 12), GOLD, by={"language": LANGUAGE})
    raw = np.array([check.difference.p_value for check in result])
    order = np.argsort(raw)
    holm = np.minimum(np.maximum.accumulate(raw[order] * [4, 3, 2, 1]), 1.0)[np.argsort(order)]
    assert [check.difference.p_adjusted for check in result] == pytest.approx(holm.tolist())
    assert {check.threshold for check in result} == {0.05 / 4}
    assert {check.part: check.outcome for check in result}["language=ja"] == "fail"
    assert "corrected by Holm's method for 4 of them" in " ".join(str(result).split())
    two = bb.gate(with_losses("ja", 5), GOLD, by={"language": LANGUAGE})
    ja = two.checks[3]
    assert ja.difference.p_value is not None
    assert (ja.difference.p_value > 0.05 / 4, two.outcome) == (True, "pass")


def test_columns_are_those_of_compare_slices() -> None:
    data = with_losses("ja", 4)
    by = {"language": LANGUAGE, "length:2": LENGTH}
    names = ["length:2=0 to 299", "length:2=300 to 599"]
    result = bb.gate(data, GOLD, by=by, margin=0.1)
    assert [check.part for check in result][4:] == names
    crossed = bb.gate(data, GOLD, by=by, crossed=True, margin=0.1)
    slices = bb.compare_slices(data, GOLD, by=by, crossed=True)
    assert len(crossed) == 7
    assert [check.difference.estimate for check in crossed][1:] == pytest.approx(
        [one.difference.estimate if one.difference.a == "new" else -one.difference.estimate for one in slices]
    )
    frame = {**data, "gold": GOLD, "language": LANGUAGE}
    named = bb.gate(frame, "gold", by="language", margin=0.1)
    assert [check.part for check in named] == [check.part for check in result][:4]
    evaluation = bb.Evaluation.of(data, GOLD, slices={"language": LANGUAGE})
    held = bb.gate(evaluation, by=["language"], margin=0.1)
    assert held.checks == named.checks
    assert held.provenance.data_hash == named.provenance.data_hash
    assert held.provenance.data_hash != bb.gate(evaluation, margin=0.1).provenance.data_hash


def test_clusters_and_strata_go_into_the_slices() -> None:
    clusters = np.arange(600) // 5
    result = bb.gate(with_losses("ja", 4), GOLD, by={"language": LANGUAGE}, clusters=clusters, margin=0.2)
    assert [check.difference.n_clusters for check in result] == [120, 60, 40, 20]
    assert {check.unit for check in result} == {"clusters"}
    strata = np.tile(["x", "y"], 300)
    both = bb.gate(with_losses("ja", 4), GOLD, by={"language": LANGUAGE}, strata=strata, margin=0.2)
    assert both.checks[3].difference.n_items == 100


def test_a_slice_in_which_no_answer_is_right_is_no_error() -> None:
    gold = np.where(LANGUAGE == "ja", "rare", np.where(np.arange(600) % 2 == 0, "x", "y"))
    main = np.where(LANGUAGE == "ja", "x", gold)
    new = main.copy()
    new[0] = "y"
    result = bb.gate({"main": main, "new": new}, gold, by={"language": LANGUAGE}, margin=0.1)
    ja = result.checks[3]
    assert (ja.difference.score_a, ja.difference.score_b, ja.difference.n_differing) == (0.0, 0.0, 0)
    assert result.outcome == "pass"


def test_notes_say_which_slice_they_are_about() -> None:
    rng = np.random.default_rng(1)
    main, losses = rng.normal(size=120), rng.lognormal(0.0, 1.2, 120)
    half = np.repeat(["even", "skewed"], 60)
    new = np.where(half == "skewed", main - losses, main - 1.0 + 0.1 * rng.normal(size=120))
    result = bb.gate({"main": main, "new": new}, by={"half": half}, metric="mean", margin=3.0)
    notes = {check.part: {note.code for note in check.difference.notes} for check in result}
    assert "skewed_differences" in notes["half=skewed"]
    assert "skewed_differences" not in notes["half=even"]


def test_slices_that_are_left_out_are_noted() -> None:
    place = np.where(np.arange(600) < 3, "few", LANGUAGE)
    result = bb.gate(with_losses("en", 2), GOLD, by={"place": place}, min_items=10, margin=0.2)
    assert [check.part for check in result][1:] == ["place=de", "place=en", "place=ja"]
    assert "slices_left_out" in {note.code for note in result.notes}


def test_tasks_and_slices_are_both_checks() -> None:
    tasks = np.tile(["qa", "nli"], 300)
    whole = bb.Evaluation.of(with_losses("ja", 4), GOLD, slices={"language": LANGUAGE})
    evaluation = dataclasses.replace(whole, tasks=tasks, strata=tasks)
    result = bb.gate(evaluation, by="language", margin=0.2)
    assert [check.part for check in result] == ["qa", "nli", "language=de", "language=en", "language=ja"]
    pooled = bb.gate(evaluation, by="language", margin=0.2, pool=True)
    assert [check.part for check in pooled] == [None, "language=de", "language=en", "language=ja"]


def test_an_error_in_a_slice_names_it() -> None:
    rng = np.random.default_rng(5)
    gold = rng.normal(size=60)
    gold[40:] = 1.0
    systems = {name: gold + rng.normal(size=60) for name in ("main", "new")}
    part = np.repeat(["varying", "constant"], [40, 20])
    with pytest.raises((bb.errors.InvalidInputError, bb.errors.DesignError), match="part=constant: "):
        bb.gate(systems, gold, metric="pearson", by={"part": part}, margin=0.1)
