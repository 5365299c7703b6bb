"""Whom a judge favours is said only by a test of that; where judge and labels differ is said first."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.questions.judged.result import JudgedComparison


def verdicts(
    seed: int = 0,
    *,
    n: int = 1000,
    shares: tuple[float, ...] = (0.55, 0.45),
    more: float = 0.0,
    **settings: Any,
) -> JudgedComparison:
    """A judge with sensitivity .9 and specificity .7 that is blind, or gives less to all but the last."""
    rng = np.random.default_rng(seed)
    k = len(shares)
    human = (rng.random((n, k)) < shares).astype(float)
    chance = np.where(human == 1.0, 0.9, 0.3) - more * (np.arange(k) < k - 1)
    judge = (rng.random((n, k)) < chance).astype(float)
    human[rng.permutation(n)[n // 5 :]] = np.nan
    return bb.compare_judged(
        dict(zip("ABC", judge.T, strict=False)), dict(zip("ABC", human.T, strict=False)),
        **{"labels_drawn": "random", **settings},
    )  # fmt: skip


def said(result: Any) -> str:
    return " ".join(str(result).split())


@pytest.mark.check
def test_a_blind_judge_favours_nobody() -> None:
    """The judge's error differs nearly always, as the systems do: that is what is said."""
    texts = [said(verdicts(seed, shares=(0.8, 0.4))) for seed in range(20)]
    assert sum("favours" in text for text in texts) <= 3
    errors = "The error of the judge differs between the systems (p"
    assert sum(errors in text and "so its scores alone do not rank them." in text for text in texts) > 10
    assert all("treat the systems alike" not in text for text in texts)
    assert (
        "The judge treats the systems alike as far as these labels tell: where the humans score answers alike"
        in texts[0]
    )


def test_a_judge_that_favours_one_is_named_with_its_errors() -> None:
    result = verdicts(more=0.25)
    (sensitivity, specificity) = result.judges[0].favour
    assert [one.label for one in (sensitivity, specificity)] == [1.0, 0.0]
    assert {(one.highest, one.lowest) for one in (sensitivity, specificity)} == {("B", "A")}
    of = {s.system: s for s in result.judges[0].systems}
    assert sensitivity.difference == pytest.approx(of["B"].sensitivity - of["A"].sensitivity)
    assert specificity.difference == pytest.approx(of["A"].specificity - of["B"].specificity)
    shown = f"The judge favours B over A: its sensitivity is {of['B'].sensitivity:.3f} for B and"
    assert shown in said(result)
    assert "p (holm)" in said(result)


def test_lower_scores_of_penalties_are_the_favour() -> None:
    text = said(verdicts(more=0.25, metric=bb.ScoreMetric("penalty", greater_is_better=False)))
    assert "The judge favours A over B" in text


def test_scores_are_compared_at_equal_human_scores() -> None:
    rng = np.random.default_rng(2)
    human = np.array([0.0, 1.0]) + rng.normal(size=(600, 1)) + rng.normal(size=(600, 2))
    judge = 0.2 + 0.5 * human + 0.4 * rng.normal(size=(600, 2)) + [0.4, 0.0]
    labels = np.where((np.arange(600) < 150)[:, None], human, np.nan)

    def compared(judge: np.ndarray, **settings: Any) -> JudgedComparison:
        return bb.compare_judged(
            dict(zip("ab", judge.T, strict=True)), dict(zip("ab", labels.T, strict=True)),
            labels_drawn="random", **settings,
        )  # fmt: skip

    (found,) = compared(judge, scale="same").judges[0].favour
    assert (found.label, found.highest, found.lowest) == (None, "a", "b")
    text = said(compared(judge, scale="same"))
    assert f"The judge favours a over b: at equal human scores it gives a {found.difference:.4g} more" in text
    other = compared(20.0 * judge, scale="different")
    assert other.judges[0].equal_bias is None
    assert other.judges[0].favour[0].p_value == pytest.approx(found.p_value)
    text = said(other)
    assert "The judge treats a and b differently: at equal human scores it gives a" in text
    assert "favours" not in text


def test_what_is_not_tested_is_noted() -> None:
    rng = np.random.default_rng(0)
    human = (rng.random((500, 2)) < 0.5).astype(float)
    judge = np.where(human == 1.0, rng.random((500, 2)) < 0.8, 0.0)
    labels = np.where((np.arange(500) < 100)[:, None], human, np.nan)

    def noted(judge: np.ndarray) -> list[str]:
        both = (dict(zip("ab", scores.T, strict=True)) for scores in (judge, labels))
        result = bb.compare_judged(*both, labels_drawn="random")
        return [note.message for note in result.notes if note.code == "favour_untested"]

    (one,) = noted(judge)
    assert "among answers that the humans give 0 is not tested" in one
    assert "favours" not in one
    (both,) = noted(np.where(np.isnan(labels), judge, labels))
    assert "the humans give 1 or the humans give 0 is not tested" in both
    assert noted((rng.random((500, 2)) < 0.5).astype(float)) == []


def reversed_judge(**settings: Any) -> JudgedComparison:
    return verdicts(1, shares=(0.65, 0.45), more=0.4, **settings)


def test_the_reverse_of_judge_and_labels_is_the_first_line() -> None:
    result = reversed_judge()
    (d,) = result.differences
    assert d.judge_estimate < 0.0 < d.labels_estimate
    assert result.contradicted == (d,)
    first = f"The judge says B (by {-d.judge_estimate:.4g}), the labels say A (by {d.labels_estimate:.4g})."
    for text in (said(result), " ".join(result.to_markdown().strip("*").split())):
        assert text.startswith(first)
    assert first in " ".join(result.to_html().split())
    assert bb.load(result.to_json()).contradicted == bb.load(result.to_json()).differences
    assert verdicts(shares=(0.9, 0.3)).contradicted == ()


def test_a_reverse_that_may_be_chance_is_said_to_be_so() -> None:
    shown = 0
    for seed in range(40):
        result = verdicts(seed, n=500, shares=(0.5, 0.5))
        for d in result.contradicted:
            chance = d.p_value > 0.05 and 0.0 in d.labels_interval
            shown += not chance
            assert chance == ("), and the two cannot be told apart by either. " in said(result))
    assert shown <= 4
    assert "told apart by either" not in said(reversed_judge())


def test_pairs_of_several_systems_that_are_reversed_are_counted() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random((900, 4)) < [0.8, 0.7, 0.6, 0.5]
    judge = {f"s{i}": (truth[:, 3 - i] * 1.0) for i in range(4)}
    human = {f"s{i}": np.where(np.arange(900) < 300, truth[:, i], np.nan) for i in range(4)}
    result = bb.compare_judged(judge, human, labels_drawn="random")
    assert len(result.contradicted) == 6
    assert "; and so for 3 more of the 6 pairs. " in said(result)
    assert said(result).startswith("The judge says s3 (by ")


def test_the_reverse_by_error_rates_and_by_penalties() -> None:
    rng = np.random.default_rng(3)
    judge = {"A": (rng.random(800) < 0.5) * 1.0, "B": (rng.random(800) < 0.6) * 1.0}
    truth = (rng.random(400) < 0.5) * 1.0
    strict = np.where(truth == 1.0, rng.random(400) < 0.6, rng.random(400) < 0.05) * 1.0
    lenient = np.where(truth == 1.0, rng.random(400) < 0.9, rng.random(400) < 0.4) * 1.0
    by_rates = bb.compare_judged(judge, calibration={"A": (strict, truth), "B": (lenient, truth)})
    assert said(by_rates).startswith("The judge says B (by ")
    assert ", the corrected scores say A (by " in said(by_rates)
    text = said(reversed_judge(metric=bb.ScoreMetric("penalty", greater_is_better=False)))
    assert text.startswith("The judge says A (by ")


def test_a_judge_on_another_scale_contradicts_by_its_correlation() -> None:
    rng = np.random.default_rng(1)
    human = np.array([0.3, 0.0]) + rng.normal(size=(500, 2))
    labels = np.where((np.arange(500) < 200)[:, None], human, np.nan)

    def contradicted(judge: np.ndarray) -> int:
        both = (dict(zip("ab", x.T, strict=True)) for x in (judge, labels))
        result = bb.compare_judged(*both, labels_drawn="random", scale="different")
        return len(result.contradicted)

    noise = 0.1 * rng.normal(size=(500, 2))
    assert contradicted(10.0 * (human + noise)) == 0
    assert contradicted(-10.0 * (human + noise)) == 0
    assert contradicted(10.0 * (human + noise) - [10.0, 0.0]) == 1
    assert contradicted(-10.0 * (human + noise) + [10.0, 0.0]) == 1
    assert contradicted(10.0 * (human + noise) * [1.0, -1.0]) == 0  # neither way is the better one


def test_favour_in_every_output() -> None:
    result = verdicts(more=0.25)
    again = bb.load(result.to_json())
    assert again == result
    assert again.judges[0].favour == result.judges[0].favour
    rows = result.to_dict()["favour"]
    assert [(row["judge"], row["label"], row["highest"]) for row in rows] == [
        ("judge", 1.0, "B"),
        ("judge", 0.0, "B"),
    ]
    table = result.to_frame("favour")
    assert table["p_adjusted"].tolist() == [one.p_adjusted for one in result.judges[0].favour]
    shown = said_in_percent(result)
    assert "its sensitivity (%) is" in shown


def said_in_percent(result: JudgedComparison) -> str:
    return " ".join(result.to_markdown(percent=True).split())


def test_files_of_version_0_2_0_are_read() -> None:
    """It wrote whom the bias helps as `favoured`, and no tests of favour."""
    result = verdicts()
    document = json.loads(result.to_json())
    for judge in document["record"]["judges"]:
        del judge["favour"]
        judge["equal_bias"]["favoured"] = judge["equal_bias"].pop("helped")
    old = bb.load(document)
    assert old.judges[0].equal_bias == result.judges[0].equal_bias
    assert old.judges[0].favour == ()
    assert "favour" not in said(old)


def test_slices_of_judged_scores_have_a_hint_that_works() -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"item": np.repeat(np.arange(200), 2), "system": ["a", "b"] * 200})
    frame["judge"] = rng.integers(0, 2, 400)
    frame["human"] = np.where(frame["item"] < 80, rng.integers(0, 2, 400), np.nan)
    frame["language"] = np.where(frame["item"] % 2, "de", "en")
    for word in ("by", "slices"):
        with pytest.raises(TypeError) as error:
            bb.compare_judged(frame, labels_drawn="random", **{word: "language"})
        assert 'bias_by="language" tells whether' in error.value.hint
        assert "give its rows alone" in error.value.hint
    whole = bb.compare_judged(frame, labels_drawn="random", bias_by="language")
    assert whole.judges[0].effects[0].column == "language"
    parts = {name: bb.compare_judged(part, labels_drawn="random") for name, part in frame.groupby("language")}
    assert {name: part.n_items for name, part in parts.items()} == {"de": 100, "en": 100}
