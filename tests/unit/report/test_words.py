"""Sentences: the size first, in the right direction, and what the data leave open."""

from __future__ import annotations

import dataclasses
import math
import re
from types import SimpleNamespace

import pytest

import bestby as bb
from bestby.report import words
from bestby.report.comparison import Comparison
from bestby.report.tables import systems_table
from bestby.report.words import difference_sentence
from bestby.results.base import Note
from bestby.results.values import Interval


def first(text: str) -> str:
    """Return the first sentence; the test follows in the second."""
    return text.split(". ")[0] + "."


def test_the_sentence_of_the_published_example(made: SimpleNamespace) -> None:
    assert difference_sentence(made.five()["aen_bert", "memnet"]) == (
        "aen_bert has a higher accuracy than memnet by 0.060; the data are compatible with differences from"
        " 0.024 to 0.094. They differ significantly (paired permutation test: p = 0.0013)."
    )


def test_what_is_not_significant_cannot_be_told_apart(made: SimpleNamespace) -> None:
    d = made.five()["aen_bert", "bert_spc"]
    assert d.sentence.startswith(
        "aen_bert has a higher accuracy than bert_spc by 0.011; the data are compatible with differences from"
        " −0.025 to 0.044. They cannot be told apart (paired permutation test: "
    )
    assert (d.significant, d.winner) == (False, None)


@pytest.mark.parametrize("name", ["five", "lower is better", "margin"])
def test_the_other_way_round_the_signs_turn(made: SimpleNamespace, name: str) -> None:
    for d in made.roster[name]():
        mirrored = d.mirrored()
        text = f"{d.b} has a {{}} {d.metric} than {d.a} by"
        assert mirrored.sentence.startswith(text.format("higher" if d.estimate < 0.0 else "lower"))
        assert (mirrored.significant, mirrored.winner) == (d.significant, d.winner)


def test_signs_are_those_of_the_metric(made: SimpleNamespace) -> None:
    d = made.difference("x", "y", -0.05, low=-0.09, high=-0.01, greater_is_better=False, metric="wer")
    assert first(d.sentence) == (
        "x has a lower wer than y by 0.050 (lower is better);"
        " the data are compatible with differences from −0.090 to −0.010."
    )


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.0, 0.07, "differences from 0.000 to 0.070"),
        (-0.0002, 0.07, "differences from −0.0002 to 0.070"),
        (0.02, math.inf, "differences of 0.020 or more"),
        (-math.inf, 0.09, "differences of 0.090 or less"),
    ],
)
def test_ranges(made: SimpleNamespace, low: float, high: float, said: str) -> None:
    d = made.difference(estimate=0.06, low=low, high=high)
    assert (
        first(d.sentence) == f"a has a higher accuracy than b by 0.060; the data are compatible with {said}."
    )


def test_an_interval_without_ends_allows_for_any_difference(made: SimpleNamespace) -> None:
    d = made.difference(estimate=0.06, low=-math.inf, high=math.inf)
    assert first(d.sentence).endswith("; the data are compatible with any difference.")


def test_level_systems(made: SimpleNamespace) -> None:
    d = made.difference(estimate=0.0, low=-0.02, high=0.03)
    assert first(d.sentence) == (
        "a and b have the same accuracy; the data are compatible with differences from −0.020 to 0.030."
    )
    for code in ("constant_difference", "identical_ranks", "undefined_interval"):
        d = made.difference(estimate=0.0, low=-0.1, high=0.1, n_differing=0, p_value=1.0)
        none = dataclasses.replace(d, interval=None, notes=(Note(code, "none"),))
        assert none.sentence == (
            "a and b have the same accuracy: no item sets them apart; how sure that is cannot be said from"
            " these data. They cannot be told apart (paired permutation test: p > 0.99)."
        )


def test_what_is_undefined_is_said_to_be(made: SimpleNamespace) -> None:
    assert (
        first(made.difference(estimate=math.nan).sentence) == "The difference between a and b is undefined."
    )
    d = dataclasses.replace(made.difference(), interval=None, notes=(Note("undefined_interval", "none"),))
    assert "how sure that is cannot be said" in d.sentence
    assert "; " not in dataclasses.replace(d, notes=()).sentence  # no interval was asked for


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("better", "a is better than b by more than the margin of 0.02."),
        ("worse", "a is worse than b by more than the margin of 0.02."),
        ("equivalent", "They are equivalent within the margin of 0.02."),
        (
            "inconclusive",
            "Inconclusive: the data leave open whether the difference reaches the margin of 0.02.",
        ),
        (
            "not worse",
            (
                "a is not worse than b by as much as the margin of 0.02."
                " The data leave open whether it is better by more."
            ),
        ),
        (
            "not better",
            (
                "a is not better than b by as much as the margin of 0.02."
                " The data leave open whether it is worse by more."
            ),
        ),
    ],
)
def test_verdicts(made: SimpleNamespace, verdict: str, said: str) -> None:
    assert made.difference(verdict=verdict, margin=0.02).sentence.endswith(said)


@pytest.mark.parametrize(
    ("verdict", "greater_is_better", "where"),
    [
        ("not worse", True, "above −0.02"),
        ("not worse", False, "below 0.02"),
        ("not better", True, "below 0.02"),
        ("not better", False, "above −0.02"),
    ],
)
def test_a_one_sided_verdict_names_the_interval_it_rests_on(
    made: SimpleNamespace, verdict: str, greater_is_better: bool, where: str
) -> None:
    sign = 1 if where.startswith("above") else -1
    ends = sorted((sign * -0.01, sign * 0.06))
    d = made.difference(verdict=verdict, margin=0.02, greater_is_better=greater_is_better)
    d = dataclasses.replace(d, equivalence_interval=Interval(*ends, 0.9, "t", True))
    shown = f"the 90 % interval of a − b, [{ends[0]:.3f}, {ends[1]:.3f}], lies {where}.".replace("-", "−")
    assert shown in d.sentence


def headline(c: Comparison, index: int = 0) -> str:
    return words.headline(c, c.metrics[index])


def test_headlines_of_every_pair(made: SimpleNamespace) -> None:
    assert headline(made.five()) == (
        "aen_bert has the highest accuracy, 0.781, over 638 items; bert_spc cannot be told apart from it."
    )
    clear = made.ladder(["x", "y", "z"], step=0.05)
    assert headline(clear) == (
        "x has the highest accuracy, 0.500, over 638 items, and differs significantly from all others."
    )
    assert headline(made.ladder(["x", "y"], step=0.05)).endswith("differs significantly from the other.")
    assert headline(made.roster["lower is better"]()).startswith("x has the lowest wer, 0.500,")


@pytest.mark.parametrize(("margin", "shown"), [(0.12345678, "0.12345678"), (0.1 + 0.2, "0.3")])
def test_a_margin_is_printed_with_all_of_its_digits(made: SimpleNamespace, margin: float, shown: str) -> None:
    c = made.ladder(["x", "y"], margin=margin)
    for text in (c.to_markdown(), c.to_html(), made.difference(verdict="better", margin=margin).sentence):
        assert re.search(rf"margin (of )?{shown}(?!\d)", text)


def test_scores_that_differ_by_rounding_alone_are_shared(made: SimpleNamespace) -> None:
    apart = made.ladder(["x", "y", "z"])
    x, y, z = apart.systems
    level = dataclasses.replace(apart, systems=(x, dataclasses.replace(y, score=x.score - 1e-15), z))
    assert x.score != level.systems[1].score
    assert headline(level).startswith("x and y share the highest accuracy, ")
    assert [row.strong for row in systems_table(level, level.metrics[0]).rows] == [True, True, False]


def test_a_single_best_system_that_pairs_leave_open_is_explained() -> None:
    runs = {
        "ours": [0.814, 0.818, 0.806, 0.816, 0.8135],
        "b": [0.806, 0.7995, 0.8065, 0.7925, 0.8067],
        "c": [0.797, 0.816, 0.800, 0.801, 0.7975],
    }
    text = " ".join(str(bb.compare_runs(runs)).split())
    assert "c and b cannot be told apart from it." in text
    assert "fewer than all pairs, only ours may be the best (95 %)." in text
    assert "Dots are of comparisons with the best alone, letters of all pairs" in text
    apart = bb.compare_runs({**runs, "ours": [one + 0.1 for one in runs["ours"]]})
    assert "best alone" not in str(apart)
