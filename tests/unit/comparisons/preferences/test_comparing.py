"""compare_preferences: what it takes, what it refuses, the laws, the tests and the notes."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from bestby import DesignError, InvalidInputError
from bestby.comparisons.preferences.comparing import compare_preferences
from bestby.inference.proportions import tango, wilson
from bestby.results.preferences import PreferenceComparison

NAMES = ("one", "two", "three", "four")
STRENGTH = dict(zip(NAMES, (0.9, 0.4, 0.0, -0.8), strict=True))


def judged(n_items: int, seed: int = 1) -> list[tuple[str, str, str, str]]:
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(n_items):
        own = dict(zip(NAMES, rng.normal(0.0, 0.7, 4), strict=True))
        for i, a in enumerate(NAMES):
            for b in NAMES[i + 1 :]:
                lead = STRENGTH[a] + own[a] - STRENGTH[b] - own[b] + rng.logistic()
                winner = "tie" if abs(lead) < 0.4 else a if lead > 0.0 else b
                rows.append((f"q{item}", a, b, winner))
    return rows


ROWS = judged(60)
PLAIN = [row[1:] for row in ROWS]
TWO = [("x", "y", "x")] * 15 + [("y", "x", "y")] * 6 + [("x", "y", "tie")] * 4


def codes(result: PreferenceComparison) -> set[str]:
    return {note.code for note in result.notes}


def numbers(result: PreferenceComparison) -> Any:
    document = result.to_dict()
    return document["systems"], document["differences"]


# -- what comes out --------------------------------------------------------------------------------


def test_strengths_ranks_and_win_rates() -> None:
    result = compare_preferences(ROWS, n_resamples=500)
    assert [entry.system for entry in result.systems] == list(NAMES)
    assert sum(entry.score for entry in result.systems) == pytest.approx(0.0, abs=1e-10)
    assert result.extent == "360 judgements in 60 clusters"
    first = result.systems[0]
    assert first.wins + first.ties + first.losses == 180
    assert first.win_rate == pytest.approx((first.wins + first.ties / 2) / 180)
    assert first.win_rate in first.win_rate_interval
    assert (first.rank_low, result.systems[-1].rank_high) == (1, 4)
    d = result["one", "four"]
    assert d.estimate == pytest.approx(first.score - result.systems[-1].score)
    assert d.probability == pytest.approx(1.0 / (1.0 + math.exp(-d.estimate)))
    assert (d.n_items, d.n_differing, d.wins + d.ties + d.losses) == (60, 60 - d.ties, 60)
    assert d.probability in d.probability_interval
    assert d.estimate in d.interval


def test_two_systems_are_their_win_rate() -> None:
    result = compare_preferences(TWO, n_resamples=2000)
    d = result["x", "y"]
    assert d.probability == pytest.approx(17 / 25, abs=1e-12)
    assert result.score("x").win_rate == pytest.approx(17 / 25)  # type: ignore[attr-defined]
    # Of 21 judgements that are no tie, 15 or more: binomial, both sides
    assert (d.test.name, d.exact) == ("permutation", True)
    assert d.p_value == pytest.approx(2 * sum(math.comb(21, k) for k in range(15, 22)) / 2**21)
    assert d.test.statistic == pytest.approx(9 / 25)


def test_the_elo_scale() -> None:
    plain = compare_preferences(ROWS, n_resamples=200)
    elo = compare_preferences(ROWS, n_resamples=200, scale="elo")
    unit = 400.0 / math.log(10.0)
    for a, b in zip(plain.systems, elo.systems, strict=True):
        assert b.score == pytest.approx(1000.0 + unit * a.score)
        assert b.interval.low == pytest.approx(1000.0 + unit * a.interval.low)
        assert (b.standard_error, b.robust_error) == pytest.approx(
            (unit * a.standard_error, unit * a.robust_error)
        )
    for d, e in zip(plain, elo, strict=True):
        assert e.estimate == pytest.approx(unit * d.estimate)
        assert (e.p_value, e.probability, e.probability_interval) == (
            d.p_value,
            d.probability,
            d.probability_interval,
        )
    assert elo.metrics[0].name == "elo"


def test_davidson_has_a_tie_parameter() -> None:
    halves, own = (compare_preferences(ROWS, ties=ties, n_resamples=500) for ties in ("half", "davidson"))
    assert (halves.tie_parameter, halves.tie_interval) == (0.0, None)
    assert own.tie_interval is not None
    assert own.tie_parameter in own.tie_interval
    assert "of equal strength tie with probability" in str(own)
    assert "ties_as_halves" in codes(halves)
    assert "ties_as_halves" not in codes(own)


def test_standard_errors_are_those_of_resamples() -> None:
    independent = [(a, b, w) for i, (_, a, b, w) in enumerate(judged(800)) if i % 7 == 0]
    result = compare_preferences(independent, ties="davidson", n_resamples=2000)
    for entry in result.systems:
        width = (entry.interval.high - entry.interval.low) / (2 * 1.96)
        assert entry.robust_error == pytest.approx(width, rel=0.12)
        assert entry.standard_error == pytest.approx(width, rel=0.12)


def test_clusters_widen_intervals_of_judgements_that_go_together() -> None:
    fourfold = [(f"q{i}", a, b, w) for i, (a, b, w) in enumerate(PLAIN[::3]) for _ in range(4)]
    clustered = compare_preferences(fourfold, n_resamples=500)
    alone = compare_preferences([row[1:] for row in fourfold], n_resamples=500)
    for entry in clustered.systems:
        other = alone.score(entry.system)
        ratio = (entry.interval.high - entry.interval.low) / (other.interval.high - other.interval.low)
        assert ratio == pytest.approx(2.0, rel=0.25)
        assert entry.robust_error == pytest.approx(2.0 * other.robust_error, rel=0.02)  # type: ignore[attr-defined]
        assert entry.standard_error == pytest.approx(other.standard_error)  # type: ignore[attr-defined]
    assert clustered["one", "two"].p_value > alone["one", "two"].p_value


@pytest.mark.parametrize("test", ["wald", "bootstrap", "permutation"])
def test_tests_agree_where_there_is_much_to_see(test: str) -> None:
    result = compare_preferences(ROWS, test=test, correction="none", n_resamples=999)
    assert {d.test.name for d in result} == {test}
    assert result["one", "four"].p_value <= 0.002
    assert result["two", "three"].p_value > 0.01


@pytest.mark.parametrize("test", ["wald", "bootstrap", "permutation"])
def test_one_sided(test: str) -> None:
    greater, less = (
        compare_preferences(ROWS, test=test, alternative=side, correction="none", n_resamples=999)
        for side in ("greater", "less")
    )
    assert [(d.a, d.b) for d in greater] == [
        (a, b) for i, a in enumerate(sorted(NAMES)) for b in sorted(NAMES)[i + 1 :]
    ]
    assert less["four", "one"].p_value < 0.01
    assert greater["four", "one"].p_value > 0.98
    for d, e in zip(greater, less, strict=True):
        assert 1.0 - 1e-9 <= d.p_value + e.p_value <= 1.2


def test_a_baseline() -> None:
    result = compare_preferences(ROWS, baseline="three", n_resamples=200)
    assert [(d.a, d.b) for d in result] == [("one", "three"), ("two", "three"), ("four", "three")]
    assert all(entry.group is None for entry in result.systems)


def test_mirrored() -> None:
    result = compare_preferences(ROWS, n_resamples=200)
    d, e = result["one", "four"], result["four", "one"]
    assert (e.estimate, e.probability, e.wins, e.losses) == (-d.estimate, 1 - d.probability, d.losses, d.wins)
    assert e.probability_interval.low == 1.0 - d.probability_interval.high
    assert d.sentence.startswith("one is preferred to four with probability 0.")
    assert e.sentence.startswith("one is preferred to four with probability 0.")


# -- laws ------------------------------------------------------------------------------------------


def test_a_copy_is_no_different() -> None:
    rows = [(a, b, w) for a, b, w in PLAIN if "four" not in (a, b)]
    renamed = [tuple("copy" if x == "one" else x for x in row) for row in rows]
    for test in ("wald", "bootstrap", "permutation"):
        both = [*rows, *renamed, ("one", "copy", "one"), ("one", "copy", "copy")]
        d = compare_preferences(both, test=test, n_resamples=200)["one", "copy"]
        assert (d.estimate, d.p_value, d.p_adjusted, d.better) == (0.0, 1.0, 1.0, None)
        assert 0.0 in d.interval


def test_copies_whose_strengths_differ_by_rounding_are_level() -> None:
    # The first and the last of five systems have the same record; their fitted strengths differ by 1e-16.
    wins = [[0, 6, 5, 3, 3], [1, 0, 1, 2, 1], [6, 8, 0, 5, 6], [6, 6, 5, 0, 6], [3, 6, 5, 3, 0]]
    pairs = [("abcde"[i], "abcde"[j]) for i in range(5) for j in range(5) for _ in range(wins[i][j])]
    rows = [(a, b, a) for a, b in pairs]
    for test in ("wald", "bootstrap"):
        d = compare_preferences(rows, test=test, n_resamples=200)["a", "e"]
        assert (d.estimate, d.p_value, d.better) == (0.0, 1.0, None)
    names = [entry.system for entry in compare_preferences(rows, n_resamples=50).systems]
    assert names.index("a") < names.index("e")


@pytest.mark.parametrize("rows", [ROWS, PLAIN], ids=["clusters", "judgements"])
def test_the_order_of_anything_does_not_matter(rows: Any) -> None:
    rng = np.random.default_rng(2)
    mixed = [rows[i] for i in rng.permutation(len(rows))]
    mixed = [(*row[:-3], row[-2], row[-3], row[-1]) if rng.random() < 0.5 else row for row in mixed]
    first, second = (compare_preferences(x, n_resamples=300) for x in (rows, mixed))
    assert first.signature == second.signature
    for d, e in zip(first, second, strict=True):
        assert d.estimate == pytest.approx(e.estimate, abs=1e-12)
        assert d.p_value == pytest.approx(e.p_value, rel=1e-9)
        assert d.interval.low == pytest.approx(e.interval.low, abs=1e-12)


def test_threads_change_no_bit_and_seeds_do() -> None:
    one, two = (compare_preferences(ROWS, test="bootstrap", n_resamples=300, n_jobs=jobs) for jobs in (1, 2))
    assert numbers(one) == numbers(two)
    assert numbers(one) != numbers(compare_preferences(ROWS, test="bootstrap", n_resamples=300, rng=1))


def test_the_state_of_numpy_is_left_alone() -> None:
    before = np.random.get_state()[1].tolist()  # type: ignore[index, union-attr]  # noqa: NPY002
    compare_preferences(ROWS, n_resamples=50, rng=None)
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index, union-attr]  # noqa: NPY002


def test_p_values_are_never_0() -> None:
    # Every cluster says the same, so that no resample varies: the signs of 8 clusters are all there is.
    rows = [(f"q{i}", "x", "y", w) for i in range(8) for w in ("x", "x", "y")]
    least = 2 * 0.5**8
    for test in ("wald", "bootstrap", "permutation"):
        d = compare_preferences(rows, test=test, n_resamples=999)["x", "y"]
        assert d.p_value == pytest.approx(least)
        assert d.probability == pytest.approx(2 / 3)


# -- what goes in ----------------------------------------------------------------------------------


def test_frames_mappings_and_tuples_are_the_same() -> None:
    import pandas as pd
    import polars as pl

    columns = dict(zip(("item", "a", "b", "winner"), zip(*ROWS, strict=True), strict=True))
    expected = numbers(compare_preferences(ROWS, n_resamples=100))
    assert numbers(compare_preferences(columns, n_resamples=100)) == expected
    assert numbers(compare_preferences(pd.DataFrame(columns), n_resamples=100)) == expected
    assert numbers(compare_preferences(pl.DataFrame(columns), n_resamples=100)) == expected
    renamed = pd.DataFrame(columns).rename(
        columns={"item": "prompt", "a": "model_a", "b": "model_b", "winner": "won"}
    )
    names = {"a": "model_a", "b": "model_b", "winner": "won"}
    assert numbers(compare_preferences(renamed, **names, items="prompt", n_resamples=100)) == expected  # type: ignore[arg-type]
    assert numbers(compare_preferences(renamed, **names, clusters="prompt", n_resamples=100)) == expected  # type: ignore[arg-type]
    prompts = [row[0] for row in ROWS]
    assert numbers(compare_preferences(PLAIN, clusters=prompts, n_resamples=100)) == expected


def test_the_winner_by_position_or_by_name() -> None:
    by_position = [(a, b, "a" if w == a else "b" if w == b else w) for a, b, w in PLAIN]
    assert numbers(compare_preferences(by_position, n_resamples=50)) == numbers(
        compare_preferences(PLAIN, n_resamples=50)
    )
    # A name goes before a position
    confusing = [("b", "a", "a")] * 10 + [("a", "b", "b")] * 3
    d = compare_preferences(confusing, n_resamples=50)["a", "b"]
    assert (d.wins, d.losses) == (10, 3)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "there are no judgements"),
        ("xyz", "data must be judgements, got str"),
        (3, "the judgements must be a one-dimensional sequence of values, got int"),
        ([("x", "y")], r"judgement 0 is \('x', 'y'\)"),
        ([("x", "y", "x"), ("q", "x", "y", "x")], r"judgement 1 is \('q', 'x', 'y', 'x'\)"),
        ([("x", "y", "x"), "xyx"], "judgement 1 is 'xyx'"),
        ([("x", "x", "x")], "judgement 0 is of 'x' against itself"),
        ([("x", "y", "z")], "the winner of judgement 0 must be 'x', 'y' or 'tie', got 'z'"),
        ([("x", "y", None)], "judgement 0 has no winner"),
        ([("x", math.nan, "x")], "judgement 0 has no b"),
        ([("", "y", "y")], "judgement 0 has no a"),
        ([(None, "x", "y", "y")], "judgement 0 has no cluster or item"),
        ([("q", "x", "y", "y"), ("q", "x", "y", "x")], "all judgements are in one cluster"),
        ({"a": ["x"], "b": ["y"]}, "no column is called winner or preference"),
    ],
)
def test_refused_data(rows: Any, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        compare_preferences(rows)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ties": "drop"}, "ties must be one of half, davidson, got 'drop'"),
        ({"scale": "glicko"}, "scale must be one of log, elo, got 'glicko'"),
        ({"test": "sign"}, "test must be one of auto, permutation, bootstrap, wald, got 'sign'"),
        ({"prior": -1}, "prior must be a number of judgements"),
        ({"level": 95}, "level must lie strictly between 0 and 1"),
        ({"baseline": "z"}, "baseline 'z' is not among the systems: x, y"),
        ({"clusters": ["q"]}, "clusters has 1 value, expected 25"),
        ({"clusters": "prompt"}, "clusters='prompt' names a column, but the judgements are not a data frame"),
        ({"n_resamples": 0}, "n_resamples must be a whole number of at least 1"),
    ],
)
def test_refused_settings(arguments: Any, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        compare_preferences(TWO, **arguments)


def test_strengths_without_a_finite_estimate() -> None:
    rows = [*PLAIN, *[("best", name, "best") for name in NAMES for _ in range(5)]]
    with pytest.raises(
        DesignError, match="no finite estimate: best never lost or tied against any of"
    ) as error:
        compare_preferences(rows)
    assert "prior=1" in str(error.value)
    result = compare_preferences(rows, prior=1.0, n_resamples=100)
    assert result.systems[0].system == "best"
    assert "prior" in codes(result)
    with pytest.raises(DesignError, match="all ties"):
        compare_preferences([("x", "y", "tie")] * 9, ties="davidson")


def test_systems_that_never_met() -> None:
    rows = [row for row in PLAIN if {"one", "two"} - {*row[:2]}]
    assert compare_preferences(rows, n_resamples=100)["one", "two"].n_items == 0
    assert (
        "never judged against each other" in compare_preferences(rows, n_resamples=99)["one", "two"].sentence
    )
    with pytest.raises(DesignError, match="one and two were never judged against each other"):
        compare_preferences(rows, n_resamples=100, test="permutation")


# -- notes and the report --------------------------------------------------------------------------


def test_notes() -> None:
    few = compare_preferences(ROWS[:90], n_resamples=300)
    assert "few_clusters" in codes(few)
    rare = [("x", "y", "x")] * 60 + [("x", "y", "y")]
    lost = compare_preferences(rare, test="bootstrap", n_resamples=300)
    (note,) = (note for note in lost.notes if note.code == "undefined_resamples")
    count = int(note.message.split(" on ")[1].split(" of ")[0])
    assert 60 < count < 160  # (60 / 61)^61, a third or so of 300
    assert "few_resamples" in codes(compare_preferences(ROWS, test="bootstrap", n_resamples=50))
    assert "few_resamples" not in codes(compare_preferences(ROWS, n_resamples=50))


def test_report() -> None:
    result = compare_preferences(ROWS, n_resamples=200)
    text = str(result)
    assert text.startswith("one has the highest strength")
    for part in (
        "win rate",
        "Probability that the first is preferred to the second",
        "wins–ties–losses",
        "Bradley and Terry's model",
        "judgements:360",
    ):
        assert part in text
    document = json.loads(result.to_json())
    assert (document["n_judgements"], document["n_clusters"], document["tie"]) == (360, 60, None)
    assert len(document["systems"]) == 4
    frame = result.to_frame()
    assert frame.shape[0] == 6
    assert frame["probability"].tolist() == [d.probability for d in result]
    assert "probability" in result.to_csv().splitlines()[0]
    assert "| first | second | probability |" in result.to_markdown()
    assert "\\toprule" in result.to_latex()
    page = result.to_html()
    assert page.count("<svg") == 2
    assert "Probability that the first is preferred to the second by the strengths" in page


@pytest.mark.parametrize("kind", ["scores", "forest"])
def test_figures(kind: str) -> None:
    axes = compare_preferences(ROWS, n_resamples=99).plot(kind=kind)
    assert "strength" in axes.get_title(loc="left")


def test_report_of_two_systems_and_of_davidson() -> None:
    result = compare_preferences(TWO, ties="davidson", n_resamples=99)
    assert json.loads(result.to_json())["tie"]["parameter"] == result.tie_parameter
    assert result.to_html().count("<svg") == 1
    assert "Davidson's model" in str(result)


# -- where one system wins all, or all is a tie ----------------------------------------------------


def ends(interval: Any) -> tuple[float, float]:
    return interval.low, interval.high


def test_a_win_in_every_judgement_is_no_certainty() -> None:
    result = compare_preferences([("x", "y", "x")] * 60, prior=1.0)
    d = result["x", "y"]
    assert ends(d.probability_interval) == pytest.approx(wilson(60.5, 61))
    assert ends(d.interval) == pytest.approx(tuple(math.log(p / (1.0 - p)) for p in wilson(60.5, 61)))
    assert ends(result.score("x").win_rate_interval) == pytest.approx(wilson(60, 60))  # type: ignore[attr-defined]
    assert "anything from" in d.sentence


def test_nothing_but_ties_is_no_certainty() -> None:
    result = compare_preferences([("x", "y", "tie")] * 60)
    d = result["x", "y"]
    reach = tango(0, 0, 60)[1] / 2.0
    assert ends(d.probability_interval) == pytest.approx((0.5 - reach, 0.5 + reach))
    assert ends(result.score("x").win_rate_interval) == pytest.approx((0.5 - reach, 0.5 + reach))  # type: ignore[attr-defined]
    assert 0.0 in d.interval
    assert d.interval.high > 0.1


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_two_systems_have_score_intervals(ties: str) -> None:
    result = compare_preferences([row for row in TWO if row[2] != "tie"], ties=ties)
    d, x = result["x", "y"], result.score("x")
    assert ends(d.probability_interval) == pytest.approx(wilson(15, 21))
    assert ends(x.interval) == pytest.approx(tuple(end / 2.0 for end in ends(d.interval)))
    with_ties = compare_preferences(TWO)["x", "y"]
    assert ends(with_ties.probability_interval) == pytest.approx(
        tuple((1.0 + end) / 2.0 for end in tango(15, 6, 25))
    )
    if ties == "davidson":  # no tie in 21 judgements
        assert result.tie_interval is not None
        assert result.tie_interval.low == 0.0
        share = result.tie_interval.high / (2.0 + result.tie_interval.high)
        assert share == pytest.approx(wilson(0, 21)[1])


def test_clusters_that_agree_count_as_one_judgement() -> None:
    for winner in ("x", "tie"):
        rows = [("x", "y", winner)] * 60
        clusters = np.repeat(np.arange(20), 3)
        d = compare_preferences(rows, clusters=clusters, prior=1.0)["x", "y"]
        alone = compare_preferences(rows, prior=1.0)["x", "y"]
        wide, narrow = d.probability_interval, alone.probability_interval
        assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)
        assert d.interval.low < alone.interval.low < alone.interval.high < d.interval.high


def test_three_judgements_in_a_circle_have_wide_intervals() -> None:
    result = compare_preferences([("a", "b", "a"), ("b", "c", "b"), ("c", "a", "c")])
    for d in result:
        assert d.probability_interval.high - d.probability_interval.low > 0.8
        assert ends(d.interval) == pytest.approx((-d.interval.high, d.interval.high))


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_clusters_in_which_wins_and_losses_balance_are_no_certainty(ties: str) -> None:
    judged = [(f"q{k // 2}", "a", "b", "ab"[k % 2]) for k in range(20)]
    found = compare_preferences(judged, ties=ties)
    single = compare_preferences([judgement[1:] for judgement in judged], ties=ties)
    for d, alone in ((found["a", "b"], single["a", "b"]), (found.systems[0], single.systems[0])):
        assert d.interval.low <= alone.interval.low < 0.0
        assert d.interval.high >= alone.interval.high > 0.0
    assert found.systems[0].win_rate_interval.low < 0.5 < found.systems[0].win_rate_interval.high
