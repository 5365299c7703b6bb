"""`compare_published`: what a published score allows, by going through all that may be behind it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import bestby as bb
from bestby.cli import main
from bestby.inference import proportions
from bestby.questions.published import shares as published_shares
from bestby.questions.published.shares import rounded


def answers(right: int, n: int) -> tuple[dict[str, list[int]], list[int]]:
    gold = [i % 2 for i in range(n)]
    return {"mine": [label if i < right else 1 - label for i, label in enumerate(gold)]}, gold


def by_assumption(c: bb.results.PublishedComparison) -> dict[str, Any]:
    return {answer.assumption: answer for answer in c.answers}


@pytest.mark.parametrize("n", [7, 12])
def test_the_range_is_that_of_every_possible_publication(n: int) -> None:
    for right in range(n + 1):
        for text in ("0.5", "0.6", "0.92", "1.0"):
            score = rounded(text, "published")
            theirs = [k for k in range(n + 1) if abs(k / n - score.value) <= score.half + 1e-12]
            if not theirs:
                with pytest.raises(bb.errors.InvalidInputError, match="no number of right answers"):
                    bb.compare_published(*answers(right, n), published=text)
                continue
            p, low, high, differing = [], [], [], []
            for k in theirs:
                for both in range(max(0, right + k - n), min(right, k) + 1):
                    n10, n01 = right - both, k - both
                    p.append(stats.binomtest(n10, n10 + n01).pvalue if n10 + n01 else 1.0)
                    ends = proportions.tango(n10, n01, n)
                    low.append(ends[0])
                    high.append(ends[1])
                    differing.append(n10 + n01)
            found = bb.compare_published(*answers(right, n), published=text)
            few, many = (by_assumption(found)[f"{which} differing"] for which in ("fewest", "most"))
            assert (few.p_low, max(few.p_high, many.p_high)) == pytest.approx((min(p), max(p)))
            assert min(few.interval.low, many.interval.low) == pytest.approx(min(low))
            assert max(few.interval.high, many.interval.high) == pytest.approx(max(high))
            assert (few.n_differing[0], many.n_differing[1]) == (min(differing), max(differing))


@pytest.mark.parametrize(("right", "published"), [(190, "0.885"), (150, "70%"), (120, "0.66"), (100, "0.75")])
def test_the_limit_is_where_mcnemars_test_stops_rejecting(right: int, published: str) -> None:
    n = 200
    c = bb.compare_published(*answers(right, n), published=published)
    score = rounded(published, "published")
    limit = c.differing_limit
    assert limit is not None
    worst = 0.0
    for k in range(n + 1):
        if abs(k / n - score.value) <= score.half + 1e-12:
            gap = abs(right - k)
            least = limit if (limit - gap) % 2 == 0 else limit - 1
            worst = max(worst, stats.binomtest((least + gap) // 2, least).pvalue)
    assert worst <= 0.05


@pytest.mark.parametrize("right", [24, 45, 54, 60, 65, 80])
def test_the_limit_holds_for_every_count_that_a_coarse_score_allows(right: int) -> None:
    """0.5 of 120 items are 54 to 66 right answers; the nearest to those of the own system decides."""
    n, limits = 120, []
    for count in range(54, 67):
        gap, most = abs(right - count), min(right, n - count) + min(n - right, count)
        differing = np.arange(gap, most + 1, 2)
        p = 2.0 * stats.binom.sf((differing + gap) // 2 - 1, differing, 0.5)
        limits.append(int(differing[p <= 0.05].max(initial=0)))
    found = bb.compare_published(*answers(right, n), published="0.5")
    assert found.differing_limit == (min(limits) or None)


def test_other_items_are_compared_as_independent() -> None:
    c = bb.compare_published(*answers(90, 100), published="0.80", n_items=50)
    assert [answer.assumption for answer in c.answers] == ["other items"]
    assert c.differing_limit is None
    other = bb.compare_published(*answers(90, 100), published="0.80", same_items=False)
    assert [answer.assumption for answer in other.answers] == ["other items"]


def test_items_that_are_said_to_be_the_same_are_not_taken_for_others() -> None:
    settings = {"published": "0.80"}
    guessed = bb.compare_published(*answers(90, 100), **settings)
    said = bb.compare_published(*answers(90, 100), **settings, same_items=True)
    assert said.answers == guessed.answers[1:]
    assert guessed.answers[0].assumption == "other items"
    assert (said.decided, said.differing_limit) == (guessed.decided, guessed.differing_limit)
    text = str(said)
    assert "same items, most agreement" in text
    assert "other items" not in text + said.methods()
    assert "different" not in said.methods()


def test_the_last_digit_of_text_counts() -> None:
    few = bb.compare_published(*answers(90, 1000), published="0.1")
    many = bb.compare_published(*answers(90, 1000), published="0.100")
    assert (few.published_low, few.published_high) == (0.05, 0.15)
    assert (many.published_low, many.published_high) == (0.1, 0.1)


def test_runs_take_welchs_test_over_all_that_rounds_to_the_published_numbers() -> None:
    runs = np.array([0.81, 0.82, 0.805, 0.818])
    c = bb.compare_published({"mine": runs}, published="0.80", sd="0.010", n_runs=5, metric="accuracy")
    (answer,) = c.answers
    expected = [
        stats.ttest_ind_from_stats(runs.mean(), runs.std(ddof=1), 4, mean, sd, 5, equal_var=False).pvalue
        for mean in np.linspace(0.795, 0.805, 41)
        for sd in np.linspace(0.0095, 0.0105, 21)
    ]
    assert (answer.p_low, answer.p_high) == pytest.approx((min(expected), max(expected)))
    assert answer.test == "welch"
    assert c.metric.greater_is_better
    assert "This rests on 4 runs of mine and 5 of published, which cannot show" in " ".join(str(c).split())


def test_from_15_runs_on_the_skewness_of_those_that_are_known_is_allowed_for() -> None:
    """As `compare_runs` does; of published runs of no spread all is known."""
    runs = np.random.default_rng(0).exponential(size=20)
    c = bb.compare_published(runs, published="1.900", sd="0.0", n_runs=20, metric="score")
    (answer,) = c.answers
    own = bb.compare_runs({"mine": runs, "other": np.zeros(20)}, paired=True)["mine", "other"].interval
    assert own is not None
    assert c.interval.method == "hall"
    assert [c.interval.low, c.interval.high] == pytest.approx([own.low, own.high])
    assert (answer.test, answer.interval.method) == ("hall", "hall")
    assert answer.interval.high == pytest.approx(own.high - 1.9, abs=0.01)
    assert "This rests on" not in str(c)
    wide = bb.compare_published(runs, published="1.900", sd="0.3", n_runs=4, metric="score")
    assert (wide.interval.method, wide.answers[0].test) == ("hall", "hall")


def test_the_share_of_one_system_has_the_interval_of_evaluate() -> None:
    right = np.repeat([1, 0], [38, 2])
    ours = bb.compare_published({"mine": right}, published="90%").interval
    assert ours == bb.evaluate({"mine": right}).systems[0].interval


def test_the_command_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, runs = tmp_path / "p.csv", tmp_path / "runs.csv"
    table.write_text(
        "item,gold,new\n" + "".join(f"{i},{i % 2},{(i + (i >= 170)) % 2}\n" for i in range(200)),
        encoding="utf-8",
    )
    runs.write_text("run,new\n1,0.81\n2,0.83\n3,0.82\n", encoding="utf-8")
    out = tmp_path / "out.json"
    words = [
        "published",
        str(table),
        "--gold",
        "gold",
        "--score",
        "80%",
        "--name",
        "Smith",
        "--json",
        str(out),
    ]
    assert main(words) == 0
    systems, gold = answers(170, 200)
    expected = bb.compare_published({"new": systems["mine"]}, gold, published="80%", name="Smith")
    assert json.loads(out.read_text(encoding="utf-8"))["answers"] == expected.to_dict()["answers"]
    capsys.readouterr()
    assert main(["published", str(runs), "--score", "0.80", "--sd", "0.01", "--runs", "5"]) == 0
    assert "new has score 0.82" in capsys.readouterr().out
    assert main(["published", str(table), "--gold", "gold", "--score", "80.0"]) == 2
    error = capsys.readouterr().err
    assert error.splitlines() == [
        "InvalidInputError: accuracy lies between 0 and 1, and the published score is 80",
        "hint: write 80.0%",
    ]


@pytest.mark.parametrize("n", [7, 97, 1319, 1_000_003])
def test_a_computed_share_is_the_count_that_it_was_computed_from(n: int) -> None:
    for right in np.unique(np.linspace(0, n, 200).astype(int)).tolist():
        for share in (right / n, str(right / n), 1.0 - (n - right) / n):
            assert right in published_shares.counts_of(rounded(share, "published"), n)


def test_a_float_of_single_precision_has_the_digits_that_it_shows() -> None:
    assert rounded(np.float32(0.995), "published") == rounded("0.995", "published")


@pytest.mark.parametrize(("right", "n", "theirs"), [(3, 20, 20), (1, 10, 200), (0, 3, 40), (5, 5, 8)])
def test_the_range_for_other_items_is_that_of_every_count(right: int, n: int, theirs: int) -> None:
    for low in range(0, theirs, 3):
        counts = range(low, min(theirs, low + 9) + 1)
        found = published_shares.other_items(range(right, right + 1), n, counts, theirs, 0.95)
        p = [
            float(published_shares.proportions_tests(right, n, np.array([count]), theirs)[0][0])
            for count in counts
        ]
        intervals = [published_shares.proportions_interval(right, n, count, theirs) for count in counts]
        assert (found.p_low, found.p_high) == pytest.approx((min(p), max(p)))
        assert found.interval.low == min(one.low for one in intervals)
        assert found.interval.high == max(one.high for one in intervals)


def test_many_runs_of_ones_own_allow_for_their_skewness() -> None:
    runs = np.random.default_rng(2).exponential(size=20)
    given = {
        "published": "1.79",
        "sd": "0.12",
        "n_runs": 5,
        "metric": bb.ScoreMetric("score", greater_is_better=True),
    }
    many, few = (bb.compare_published({"mine": x}, **given) for x in (runs, runs[:14]))
    own = bb.compare_runs({"mine": runs, "other": runs[::-1]}, metric="points").systems[0].interval
    assert [many.interval.low, many.interval.high] == pytest.approx([own.low, own.high])
    (answer,), (plain,) = many.answers, few.answers
    welch, test = published_shares.welch(runs.mean(), runs.std(ddof=1), 20, 1.79, 0.12, 5)
    assert (answer.test, answer.interval.method, plain.test) == ("hall", "hall", "welch")
    assert answer.interval.high - many.estimate > 1.3 * (welch.high - many.estimate)
    assert answer.p_high > 2.0 * test.p_value
    assert "rests on 14 runs of mine" in str(few)
    assert "rests on" not in str(many)


def test_few_runs_say_what_skewness_may_explain() -> None:
    runs = [0.834, 0.837, 0.835, 0.836, 0.79, 0.8345, 0.8365, 0.8375]
    found = bb.compare_published({"mine": runs}, published="0.8120", sd="0.001", n_runs=8, metric="accuracy")
    assert found.decided == "always"
    assert "skewed_differences" in {note.code for note in found.notes}
    steady = [0.834, 0.837, 0.835, 0.836, 0.833, 0.8345, 0.8365, 0.8375]
    found = bb.compare_published(
        {"mine": steady}, published="0.8120", sd="0.001", n_runs=8, metric="accuracy"
    )
    assert {note.code for note in found.notes} == {"published_spread", "published_shape"}


def test_welch_covers_every_spread_that_rounds_to_the_published_one() -> None:
    runs = [0.81, 0.83, 0.8]
    found = bb.compare_published(runs, published="0.874", sd="0.0", n_runs=5).answers[0]
    mean, own = float(np.mean(runs)), float(np.std(runs, ddof=1))
    p = [
        published_shares.welch(mean, own, 3, other, sd, 5)[1].p_value
        for other in (0.8735, 0.874, 0.8745)
        for sd in np.linspace(0.0, 0.05, 65)
    ]
    assert found.p_low == pytest.approx(min(p))
    assert found.p_high == pytest.approx(max(p))
    assert min(p) < 0.2 * p[0]  # the ends of the spread alone do not show it


@pytest.mark.parametrize(
    ("data", "arguments", "message"),
    [
        ([0.81, 0.83], {"published": "87.4", "sd": "0.3", "metric": "accuracy"}, "lies between 0 and 1"),
        ([0.81, 0.83], {"published": "87.4%", "sd": "0.3"}, "standard deviation is 0.3"),
        ([81.0, 83.0], {"published": "87.4%", "sd": "0.3%"}, "the runs reach 83"),
    ],
)
def test_scores_of_runs_on_another_scale_are_refused(data: Any, arguments: Any, message: str) -> None:
    with pytest.raises(bb.errors.InvalidInputError, match=message):
        bb.compare_published(data, n_runs=5, **arguments)


@pytest.mark.parametrize(("name", "message"), [("", "name must be a text"), ("mine", "both called 'mine'")])
def test_the_published_score_has_a_name_of_its_own(name: str, message: str) -> None:
    with pytest.raises(bb.errors.InvalidInputError, match=message):
        bb.compare_published(*answers(5, 10), published="0.5", name=name)


@pytest.mark.parametrize("text", ["1e400", "1e-99999999999", "-1e-400", "inf", "0,87"])
def test_what_no_float_holds_is_no_score(text: str) -> None:
    with pytest.raises(bb.errors.InvalidInputError, match="published must be a number"):
        bb.compare_published(*answers(5, 10), published=text)
