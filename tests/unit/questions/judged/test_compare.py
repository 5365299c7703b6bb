"""`compare_judged`: forms of the data, and how the numbers hang together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.unit.questions.judged.examples import CHOSEN, HUMAN, JUDGE, RATES, TRUTH, compared, verdicts

import bestby as bb
from bestby.report.percent import in_percent


def numbers(found: bb.results.JudgedComparison) -> list[float]:
    return [x for d in found for x in (d.estimate, d.interval.low, d.interval.high, d.p_value)]


def test_every_form_of_the_data_gives_the_same_numbers() -> None:
    expected = numbers(compared())
    ids = [f"q{i}" for i in range(200)]
    keyed = {name: dict(zip(ids, values, strict=True)) for name, values in JUDGE.items()}
    few = {
        name: {one: value for one, value in zip(ids, values, strict=True) if not np.isnan(value)}
        for name, values in HUMAN.items()
    }
    listed = {name: [None if np.isnan(x) else int(x) for x in values] for name, values in HUMAN.items()}
    long = pd.concat(
        pd.DataFrame({"item": ids, "system": name, "judge": JUDGE[name], "human": HUMAN[name]})
        for name in JUDGE
    )
    wide = pd.DataFrame(
        {"item": ids}
        | {f"judge[{name}]": values for name, values in JUDGE.items()}
        | {f"human[{name}]": values for name, values in HUMAN.items()}
    )
    for found in (
        compared(keyed, few),
        compared(JUDGE, listed),
        compared(long, None),
        compared(long.sample(frac=1.0, random_state=1), None),
        compared(wide, None),
        compared(wide.to_dict("records"), None),
    ):
        assert numbers(found) == pytest.approx(expected, rel=1e-9)


def test_groups_and_probabilities_as_columns_and_by_ids() -> None:
    groups, chances = np.arange(200) // 4, np.where(np.arange(200) % 2, 0.2, 0.4)
    expected = numbers(compared(clusters=groups, labels_drawn=chances))
    frame = pd.DataFrame(
        {"item": np.arange(200), "doc": groups, "p": chances}
        | {f"judge[{name}]": values for name, values in JUDGE.items()}
        | {f"human[{name}]": values for name, values in HUMAN.items()}
    )
    assert numbers(compared(frame, None, clusters="doc", labels_drawn="p")) == pytest.approx(expected)
    long = pd.concat(
        pd.DataFrame(
            {"item": np.arange(200), "system": name, "judge": JUDGE[name], "human": HUMAN[name], "p": chances,
             "doc": groups}
        ) for name in JUDGE
    )  # fmt: skip
    assert numbers(compared(long, None, clusters="doc", labels_drawn="p")) == pytest.approx(expected)
    assert numbers(compared(clusters=groups)) != pytest.approx(numbers(compared()))
    by_system = dict.fromkeys(JUDGE, chances)
    assert numbers(compared(clusters=groups, labels_drawn=by_system)) == pytest.approx(expected)


def test_each_difference_is_that_of_the_scores() -> None:
    found = compared(correction="simultaneous")
    for d in found:
        assert d.estimate == d.score_a - d.score_b == found.score(d.a).score - found.score(d.b).score
        assert d.interval.method == "max-t"
        single = compared()[d.a, d.b].interval
        assert d.interval.low < single.low < single.high < d.interval.high
    assert compared(correction="step-down")["a", "b"].p_adjusted <= compared()["a", "b"].p_adjusted


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_simultaneous_intervals_and_p_values_agree_in_every_order(alternative: str) -> None:
    found = compared(correction="simultaneous", margin=0.3, alternative=alternative)
    turned = compared(
        dict(reversed(JUDGE.items())), correction="simultaneous", margin=0.3, alternative=alternative
    )
    for d in found:
        outside = d.interval.low > 0.0 or d.interval.high < 0.0
        towards = alternative == "two-sided" or (d.estimate > 0.0) == (alternative == "greater")
        assert (d.p_adjusted <= 0.05) == (outside and towards)
        assert d.interval.low < d.equivalence_interval.low < d.equivalence_interval.high < d.interval.high
        assert turned[d.a, d.b].interval.low == pytest.approx(d.interval.low, rel=1e-9)
    assert found.provenance.settings["correction"] == "simultaneous"


def test_the_interval_and_the_test_agree() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        right = {name: (rng.random(300) < chance).astype(float) for name, chance in (("a", 0.7), ("b", 0.6))}
        judge = {name: np.where(rng.random(300) < 0.85, x, 1 - x) for name, x in right.items()}
        human = {name: np.where(np.arange(300) < 80, x, np.nan) for name, x in right.items()}
        d = compared(judge, human)["a", "b"]
        assert d.interval.method == d.test.name == "powered-score"
        assert (d.p_value <= 0.05) == (0.0 not in d.interval)


def test_without_help_from_the_judge_shares_have_score_intervals_of_the_labels() -> None:
    right = {"a": [1, 1, 1, 0, 1] * 10, "b": [1, 0, 1, 1, 0] * 10}
    human = {name: [*values, *[None] * 50] for name, values in right.items()}
    judge = {name: [0, 1] * 50 for name in right}
    d = compared(judge, human)["a", "b"]
    alone = bb.compare(right, interval="tango")["a", "b"]
    assert d.labels_estimate == pytest.approx(alone.estimate)
    # Student's t in place of the normal quantile, and n - 1 in place of n: a little longer.
    assert d.labels_interval.low == pytest.approx(alone.interval.low, abs=0.01)
    assert d.labels_interval.high == pytest.approx(alone.interval.high, abs=0.01)


def test_where_nothing_varies_a_note_says_why_there_is_no_interval() -> None:
    same = {name: np.where(CHOSEN, 3.0, np.nan) for name in JUDGE}
    found = compared(JUDGE, same)
    assert found["a", "b"].interval is None
    assert [note.code for note in found["a", "b"].notes] == ["constant_difference"]
    assert [note.code for note in found.notes].count("constant_scores") == 3
    assert str(found)
    right = {name: np.where(CHOSEN, 1.0, np.nan) for name in JUDGE}
    interval = compared(JUDGE, right).score("a").interval
    assert interval.low < interval.high == 1.0


def test_equal_labels_do_not_differ_by_rounding() -> None:
    rng = np.random.default_rng(1)
    fewer = CHOSEN & (np.arange(200) < 150)
    for second, chances in ((0.3, "random"), (0.3, rng.uniform(0.1, 0.9, 200)), (0.1 + 0.2, "random")):
        human = {"a": np.where(CHOSEN, 0.3, np.nan), "b": np.where(fewer, second, np.nan)}
        found = compared({"a": JUDGE["a"], "b": JUDGE["b"]}, human, labels_drawn=chances)
        d = found["a", "b"]
        assert (d.estimate, d.labels_estimate, d.standard_error, d.n_differing) == (0.0, 0.0, 0.0, 0)
        assert d.p_value == 1.0
        assert (d.interval, d.extra_labels, found.score("a").extra_labels) == (None, None, None)


def test_a_handful_of_labels_leaves_the_judge_out() -> None:
    few = {name: np.where(np.arange(200) < 9, values, np.nan) for name, values in TRUTH.items()}
    found = compared(JUDGE, few)
    assert all(one.tuning == (0.0,) and one.score == one.labels_score for one in found.systems)
    assert "few_labels" in [note.code for note in found.notes]


def test_several_judges_and_humans() -> None:
    rng = np.random.default_rng(8)
    other = {name: np.column_stack([JUDGE[name], TRUTH[name] + rng.normal(size=200)]) for name in JUDGE}
    two = {name: np.column_stack([HUMAN[name], HUMAN[name] + 1.0]) for name in HUMAN}
    for values in two.values():
        values[np.flatnonzero(CHOSEN)[:20], 1] = np.nan
    found = compared(other, two)
    assert found.n_judges == 2
    assert all(len(one.tuning) == 2 for one in found.systems)
    assert found["a", "b"].standard_error < compared()["a", "b"].standard_error
    assert compared().worth == ()
    mean = np.nanmean(two["a"][CHOSEN], axis=1).mean()
    assert found.score("a").labels_score == pytest.approx(mean)


def test_the_judge_that_helps_most_is_named() -> None:
    rng = np.random.default_rng(9)
    frame = pd.concat(
        pd.DataFrame(
            {"item": np.arange(200), "system": name, "human": HUMAN[name],
             "judge_good": TRUTH[name] + 0.5 * rng.normal(size=200), "judge_noise": rng.normal(size=200),
             "judge_fair": TRUTH[name] + 2.0 * rng.normal(size=200)}
        ) for name in JUDGE
    )  # fmt: skip
    found = compared(frame, None)
    worth = {one.judge: one for one in found.worth}
    assert list(worth) == ["good", "noise", "fair"]
    assert (
        worth["good"].mean_of_differences
        > worth["fair"].mean_of_differences
        > worth["noise"].mean_of_differences
    )
    alone = frame.drop(columns=["judge_good", "judge_noise"]).rename(columns={"judge_fair": "judge"})
    single = compared(alone, None)
    expected = [single[d.a, d.b].extra_labels for d in found]
    assert worth["fair"].differences == pytest.approx(expected, rel=1e-9)
    expected = [single.score(s.system).extra_labels for s in found.systems]
    assert worth["fair"].scores == pytest.approx(expected, rel=1e-9)
    text = " ".join(found.details().split())
    assert (
        f"Of the judges good helps most: by itself it is worth {worth['good'].mean_of_differences:.0f}"
        in text
    )
    assert "What each judge is worth by itself" in text
    assert "For these differences the 3 judges together are worth" in text
    rows = found.to_frame("worth")
    assert list(rows.columns) == ["judge", "a", "b", "extra_labels"]
    assert len(rows) == 3 * (3 + 3)
    assert bb.load(found.to_json()) == found
    noise = frame.drop(columns=["judge_good", "judge_fair"]).assign(judge_other=rng.normal(size=600))
    assert "No judge by itself is worth a label for these differences" in " ".join(
        compared(noise, None).details().split()
    )


def test_systems_may_have_other_items_labelled() -> None:
    human = {name: values.copy() for name, values in HUMAN.items()}
    human["a"][np.flatnonzero(CHOSEN)[:20]] = np.nan
    found = compared(JUDGE, human)
    assert found["a", "b"].n_labels == 40
    assert (found.score("a").n_labels, found.score("b").n_labels) == (40, 60)
    assert found["a", "b"].standard_error > compared()["a", "b"].standard_error


def test_labels_chosen_by_their_outcome_mislead_and_the_result_says_on_what_it_rests() -> None:
    found = compared()
    assert [note.code for note in found.notes] == ["labels_drawn"]
    assert "drawn at random from all items" in found.notes[0].message
    least = np.argsort(TRUTH["a"])[:60]
    doubtful = np.isin(np.arange(200), least)
    human = {name: np.where(doubtful, values, np.nan) for name, values in TRUTH.items()}
    biased = compared(JUDGE, human).score("a")
    assert TRUTH["a"].mean() not in biased.interval


def test_shares_in_percent_and_a_judge_on_another_scale() -> None:
    right = {name: np.where(CHOSEN, TRUTH[name] > 3, np.nan) for name in TRUTH}
    for judge, factor in ((JUDGE, 1.0), ({name: JUDGE[name] > 3 for name in JUDGE}, 100.0)):
        found = compared(judge, right)
        shown = in_percent(found)
        one, other = found.systems[0], shown.systems[0]
        assert found.scale == ("different" if factor == 1.0 else "same")
        assert other.labels_score == 100.0 * one.labels_score
        assert other.labels_interval.low == 100.0 * one.labels_interval.low
        assert other.judge_score == factor * one.judge_score
        assert "human score (%)" in found.table(percent=True)
    with pytest.raises(bb.errors.InvalidInputError, match="cannot show percent"):
        compared().table(percent=True)


def test_error_rates_of_a_calibration_set() -> None:
    judge = {"a": verdicts(400, 1000), "b": verdicts(520, 1000)}
    found = bb.compare_judged(judge, calibration=RATES, margin=0.05)
    a, d = found.score("a"), found["b", "a"]
    assert a.score == pytest.approx(1 / 6)
    assert (a.interval.low, a.interval.high) == pytest.approx((0.0564, 0.2627), abs=5e-5)  # Lee et al. 2025
    assert a.interval.method == "rogan-gladen"
    assert d.estimate == found.score("b").score - a.score == pytest.approx(0.12 / 0.6)
    assert (a.labels_score, d.labels_estimate, found.labels_drawn) == (None, None, "calibration")
    own = bb.compare_judged(judge, calibration={"a": RATES, "b": RATES})["b", "a"]
    assert own.standard_error > d.standard_error  # errors of the rates do not cancel
    assert bb.load(found.to_json()) == found
    assert "calibration set" in str(found)
    assert "Rogan" in found.methods()
    assert found.table(percent=True)
    assert found.to_frame("scores").shape[0] == 2


@pytest.mark.check
def test_error_rates_cover_the_difference_and_keep_the_level() -> None:
    rng = np.random.default_rng(12)
    held, rejected = [], []
    for _ in range(400):
        true = {name: rng.random(600) < share for name, share in (("a", 0.6), ("b", 0.45), ("c", 0.45))}
        judge = {name: np.where(rng.random(600) < np.where(x, 0.9, 0.75), x, ~x) for name, x in true.items()}
        human = rng.random(150) < 0.5
        judged = np.where(rng.random(150) < np.where(human, 0.9, 0.75), human, ~human)
        found = bb.compare_judged(judge, calibration=(judged, human), correction="none")
        held.append(0.15 in found["a", "b"].interval)
        rejected.append(found["b", "c"].p_value <= 0.05)
    assert 0.92 < np.mean(held) < 0.98  # outside by chance in less than 1 %
    assert np.mean(rejected) < 0.085


def test_scores_in_a_very_small_unit_have_the_same_p_values() -> None:
    tiny = compared(
        {name: 1e-120 * one for name, one in JUDGE.items()}, {n: 1e-120 * x for n, x in HUMAN.items()}
    )
    for d in compared():
        other = tiny[d.a, d.b]
        assert (1e120 * other.estimate, other.p_value) == pytest.approx((d.estimate, d.p_value), rel=1e-6)


def test_a_judge_that_is_far_off_on_few_answers_has_a_note() -> None:
    assert "few_answers_off" not in {note.code for note in compared(scale="same").notes}
    off = {**JUDGE, "b": np.where(np.arange(200) % 19 == 0, 40.0, JUDGE["b"])}
    for scale, told in (("same", "of b: its bias and"), ("different", "of b: its correlation with")):
        notes = {note.code: note.message for note in compared(off, scale=scale).notes}
        assert told in notes["few_answers_off"]
    two = {name: np.stack([JUDGE[name], off[name]], axis=1) for name in JUDGE}
    messages = [note.message for note in compared(two, scale="same").notes if note.code == "few_answers_off"]
    assert [one.split(" is far")[0] for one in messages] == ["judge 2"]
