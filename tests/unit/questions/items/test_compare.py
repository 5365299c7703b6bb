"""`compare`: notes, missing items, verdicts, families."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.unit.comparisons.two_systems import GOLD, A, B, codes

from bestby import FunctionMetric, compare
from bestby.comparisons.family import verdict as _verdict
from bestby.comparisons.family import verdicts
from bestby.errors import InvalidInputError
from bestby.report.comparison import MIRRORED_VERDICTS
from bestby.report.document import describe, in_short
from bestby.report.pairs import VERDICTS
from bestby.results import Interval

# -- notes -----------------------------------------------------------------------------------------


def test_few_resamples_says_when_draws_decide() -> None:
    rng = np.random.default_rng(0)
    gold = rng.normal(size=60)
    far = {name: gold + (3.0 if name == "d" else 1.0) * rng.normal(size=60) for name in "abcd"}
    settings = {"metric": "rmse", "test": "bootstrap", "n_resamples": 118}
    (note,) = (n for n in compare(far, gold, **settings).notes if n.code == "few_resamples")
    assert note.message == (
        "chance in the resamples decides 3 of 6 comparisons: fewer than 10 of 118 resamples were as extreme"
        " as the data, and with more the corrected p-value could be 0.05 or less; use n_resamples=1190"
    )
    assert note.about == ("rmse",)
    # 6 / 120 is 0.05, 6 / 119 is more.
    assert "few_resamples" not in codes(compare(far, gold, **settings | {"n_resamples": 119}))
    for more in ({"correction": "none"}, {"baseline": "a"}, {"level": 0.9}):
        assert "few_resamples" not in codes(compare(far, gold, **settings | more))
    assert "few_resamples" in codes(compare(far, gold, **settings | {"level": 0.99, "n_resamples": 598}))


def test_few_resamples_of_pairs_that_are_alike_are_enough() -> None:
    """The p-values are far above the level: more resamples change nothing."""
    rng = np.random.default_rng(0)
    gold = rng.normal(size=60)
    alike = {name: gold + rng.normal(size=60) for name in "abcd"}
    assert "few_resamples" not in codes(
        compare(alike, gold, metric="rmse", test="bootstrap", n_resamples=118)
    )


def test_exact_tests_need_no_resamples() -> None:
    assert "few_resamples" not in codes(compare({"a": A, "b": B}, GOLD, n_resamples=1))


def test_few_clusters_and_few_items() -> None:
    result = compare({"a": A, "b": B}, GOLD, clusters=np.arange(40) % 5)
    note, *constant, stuck, effect = result.notes  # every cluster has the same answers
    assert (stuck.code, stuck.about) == ("out_of_reach", ("accuracy",))
    assert [(n.code, n.about[1]) for n in constant] == [("constant_scores", "a"), ("constant_scores", "b")]
    assert (note.code, note.about) == ("few_clusters", ())
    assert note.message.startswith("there are only 5 clusters, fewer than 30")
    assert (effect.code, effect.about) == ("design_effect", ("accuracy",))
    result = compare({"a": A[:8], "b": B[:8]}, GOLD[:8])
    assert [n.message for n in result.notes] == [
        "only one effective unit: the Wilson score and mid-P interval is probably too short"
    ]
    assert not codes(compare({"a": A, "b": B}, GOLD))
    assert codes(compare({"a": A, "b": B}, GOLD, clusters=np.arange(40) // 2)) == [
        "few_clusters",
        "design_effect",
    ]


def test_what_is_0_by_convention_is_told() -> None:
    never = ["x"] * 40
    result = compare({"a": A, "b": never}, GOLD, metric="precision_macro", n_resamples=50)
    (note,) = (n for n in result.notes if n.code == "counted_as_zero")
    assert note.message == ("precision of 'y' is 0/0 (never predicted) and counts as 0 in precision_macro")
    assert note.about == ("precision_macro",)


@pytest.mark.parametrize(("alternative", "word"), [("greater", "worse"), ("less", "better")])
def test_one_sided_tests_of_errors_say_what_they_ask(alternative: str, word: str) -> None:
    result = compare({"a": [1.0] * 30, "b": [2.0] * 30}, metric="mean_loss", alternative=alternative)
    (note,) = (n for n in result.notes if n.code == "direction")
    assert note.message == (
        f"lower is better for mean_loss: alternative {alternative!r} asks whether the first of two"
        f" systems is {word}"
    )
    assert "direction" not in codes(compare({"a": [1.0] * 30, "b": [2.0] * 30}, alternative=alternative))


# -- missing items ---------------------------------------------------------------------------------


def test_missing_items_are_dropped_with_a_note() -> None:
    gold = {f"q{i}": label for i, label in enumerate(GOLD)}
    a = {key: label for key, label in zip(gold, A, strict=True) if key != "q3"}
    b = dict(zip(gold, B, strict=True)) | {"q99": "x"}
    result = compare({"a": a, "b": b}, gold, on_missing="drop")
    assert result.n_items == 39
    (note,) = (n for n in result.notes if n.code == "items_dropped")
    assert note.message == ("2 of 41 items were dropped because not all systems (and the gold) have them")


def test_missing_predictions_count_as_wrong() -> None:
    gold = {f"q{i}": label for i, label in enumerate(GOLD)}
    a = {key: label for key, label in zip(gold, gold.values(), strict=True) if key not in ("q0", "q1")}
    result = compare({"a": a, "b": dict(gold)}, gold, metric=["accuracy", "f1_macro"], on_missing="worst")
    assert result.score("a", "accuracy").score == 38 / 40
    # Two of forty are missed, one of each class: recall 19/20, precision 1.
    assert result.score("a", "f1_macro").score == pytest.approx(2 * 0.95 / 1.95)
    (note,) = (n for n in result.notes if n.code == "counted_as_worst")
    assert note.message == ("2 of 40 predictions of 'a' are missing and count as wrong (as the worst score)")


def test_missing_scores_count_as_the_worst_observed() -> None:
    a, b = {f"q{i}": float(i) for i in range(10)}, {f"q{i}": 2.0 + i for i in range(9)}
    higher = compare({"a": a, "b": b}, on_missing="worst")
    assert higher.score("b").score == pytest.approx((sum(range(2, 11)) + 0.0) / 10)
    lower = compare({"a": a, "b": b}, metric="mean_loss", on_missing="worst")
    assert lower.score("b").score == pytest.approx((sum(range(2, 11)) + 10.0) / 10)


def test_the_report_says_that_items_lie_in_clusters() -> None:
    rng = np.random.default_rng(0)
    systems = {name: rng.integers(0, 2, 60) for name in "abc"}
    result = compare(systems, rng.integers(0, 2, 60), clusters=np.arange(60) // 3, n_resamples=200)
    assert result.extent == result["b", "a"].extent == "60 items in 20 clusters"
    lines = str(result).splitlines()
    assert "over 60 items in 20 clusters" in lines[0]
    assert "Systems by accuracy (higher is better), 60 items in 20 clusters" in lines
    assert "Scores over 60 items in 20 clusters" in result.to_latex()


# -- verdicts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("interval", "tost", "verdict"),
    [
        ((0.11, 0.3), (0.12, 0.28), "better"),
        ((0.1, 0.3), (0.12, 0.28), "inconclusive"),
        ((-0.3, -0.11), (-0.28, -0.12), "worse"),
        ((-0.11, 0.05), (-0.09, 0.04), "equivalent"),
        ((-0.05, 0.11), (-0.04, 0.1), "not worse"),
        ((-0.11, 0.11), (-0.1, 0.1), "inconclusive"),
        ((-0.11, 0.12), (-0.09, 0.11), "not worse"),
        ((-0.12, 0.11), (-0.11, 0.09), "not better"),
        ((0.0, 0.3), (0.02, 0.28), "not worse"),
        ((0.01, 0.3), (0.02, 0.28), "inconclusive"),
        ((-0.3, -0.01), (-0.28, -0.02), "inconclusive"),
        ((-0.5, 0.5), (-0.4, 0.4), "inconclusive"),
        ((0.01, 0.09), (0.02, 0.08), "equivalent"),
    ],
)
def test_verdicts(interval: tuple[float, float], tost: tuple[float, float], verdict: str) -> None:
    wide, narrow = (Interval(*ends, 0.95, "x", True) for ends in (interval, tost))
    assert _verdict(wide, narrow, 0.1, True) == verdict
    flipped = MIRRORED_VERDICTS.get(verdict, verdict)
    assert _verdict(wide, narrow, 0.1, False) == flipped
    assert _verdict(wide.mirrored(), narrow.mirrored(), 0.1, True) == flipped
    assert _verdict(wide.mirrored(), narrow.mirrored(), 0.1, False) == verdict
    codes = [
        verdicts(*(np.array([end]) for one in (wide, narrow) for end in (one.low, one.high)), 0.1, better)
        for better in (True, False)
    ]
    assert [VERDICTS[int(code[0])] for code in codes] == [verdict, flipped]
    assert _verdict(wide, narrow, 0.1, True, doubted=True) == "inconclusive"
    assert _verdict(wide, narrow, None, True) is None


def test_equivalence_is_two_one_sided_tests() -> None:
    """The interval of level 2 level - 1 lies within the margin where that of level does not."""
    d = np.random.default_rng(1).normal(0.0, 1.0, 400)
    x = {"a": d, "b": np.zeros(400)}
    wide = compare(x, interval="normal")["a", "b"].interval
    narrow = compare(x, interval="normal", level=0.9)["a", "b"].interval
    between = (max(-wide.low, wide.high) + max(-narrow.low, narrow.high)) / 2
    for margin, verdict in ((between, "equivalent"), (0.9 * max(-narrow.low, narrow.high), "not better")):
        d_ = compare(x, interval="normal", margin=margin)["a", "b"]
        assert (d_.verdict, d_.margin) == (verdict, margin)


# -- families, order, omnibus ----------------------------------------------------------------------


def test_one_sided_pairs_stand_in_the_order_given() -> None:
    systems = {"low": [0.0, 1.0, 0.5], "high": [5.0, 7.0, 6.0], "middle": [3.0, 2.0, 4.0]}
    pairs = [(d.a, d.b) for d in compare(systems, alternative="greater")]
    assert pairs == [("low", "high"), ("low", "middle"), ("high", "middle")]
    pairs = [(d.a, d.b) for d in compare(systems)]
    assert pairs == [("high", "middle"), ("high", "low"), ("middle", "low")]


def test_a_baseline_makes_a_family_without_letters() -> None:
    result = compare({"a": A, "b": B, "c": GOLD}, GOLD, baseline="b")
    assert [(d.a, d.b) for d in result] == [("c", "b"), ("a", "b")]
    assert result.baseline == "b"
    assert {s.group for s in result.systems} == {None}
    assert len(result) == 2


def test_omnibus_tests_go_by_the_kind_of_data() -> None:
    three = {"a": A, "b": B, "c": GOLD}
    (q,) = compare(three, GOLD).omnibus
    right = np.array([[p == g for p, g in zip(values, GOLD, strict=True)] for values in three.values()]).T
    t, rows = right.sum(axis=0), right.sum(axis=1)
    expected = 2 * (3 * (t**2).sum() - t.sum() ** 2) / (3 * rows.sum() - (rows**2).sum())
    assert (q.name, q.df) == ("cochran_q", 2)
    assert q.statistic == pytest.approx(expected)
    assert not compare({"a": A, "b": B}, GOLD).omnibus
    assert not compare(three, GOLD, metric="f1_macro", n_resamples=50).omnibus
    clustered = compare(three, GOLD, clusters=np.arange(40) // 2).omnibus
    assert [o.name for o in clustered] == ["friedman"]
    rng = np.random.default_rng(0)
    assert [o.name for o in compare({n: rng.normal(size=30) for n in "abc"}).omnibus] == ["friedman"]


# -- signature -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "looked_up",
    [
        lambda g, p: np.bincount(g[p == g]).tolist()[1] / g.size,  # IndexError
        lambda g, p: {int(label): float((p[g == label] == label).mean()) for label in g}[1],  # KeyError
        lambda g, p: 1.0 / int(g.sum()) + float((p == g).mean()),  # ZeroDivisionError
    ],
    ids=["index", "key", "zero"],
)
def test_a_function_without_a_value_on_some_resamples(looked_up: Any) -> None:
    gold = np.array([1] * 3 + [0] * 37)
    a, b = gold.copy(), gold.copy()
    b[5:12] = 1
    found = compare({"a": a, "b": b}, gold, metric=FunctionMetric(looked_up, name="f"), n_resamples=200)
    (note,) = {n.message for n in found["a", "b"].notes if n.code == "undefined_resamples"}
    assert "of 200 resamples" in note
    with pytest.raises(InvalidInputError, match="metric 'f' failed on the full data"):
        compare({"a": a[5:], "b": b[5:]}, gold[5:], metric=FunctionMetric(looked_up, name="f"))


# -- what is printed -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_systems", "options", "rows"),
    [
        (3, {}, [3, 3]),
        (12, {}, [12]),  # 66 differences are in the details
        (6, {"baseline": "s0", "margin": 0.05}, [6, 5]),
        (12, {"baseline": "s0", "margin": 0.05}, [11]),  # with a baseline, the differences
    ],
)
def test_several_metrics_share_their_tables(n_systems: int, options: dict[str, Any], rows: list[int]) -> None:
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 3, 200)
    systems = {f"s{i}": np.where(rng.random(200) < 0.4 + 0.04 * i, gold, 3 - gold) for i in range(n_systems)}
    result = compare(systems, gold, metric=["accuracy", "f1_macro"], **options)
    tables = [table for section in in_short(describe(result)).sections for table in section.tables]
    assert [len(table.rows) for table in tables] == rows
    assert len(str(result).splitlines()) <= 45
    first = result.differences[0]
    table, (row, *_) = tables[-1], tables[-1].rows
    shown = dict(zip([column.header for column in table.columns], row.cells, strict=True))
    for metric in result.metrics:
        shown_there = shown[metric.name].key
        if table.part == "scores":
            (entry,) = (e for e in result.systems if (e.system, e.metric) == (row.cells[0].key, metric.name))
            assert shown_there == entry.score
        else:
            assert shown_there == result[first.a, first.b, metric.name].estimate


def test_two_systems_by_several_metrics_are_a_line_per_metric() -> None:
    result = compare({"a": A, "b": B}, GOLD, metric=["accuracy", "f1_macro"])
    (table,) = (table for section in in_short(describe(result)).sections for table in section.tables)
    assert [row.cells[0].text for row in table.rows] == ["accuracy", "f1_macro"]
    assert "Systems by accuracy" in result.details()
