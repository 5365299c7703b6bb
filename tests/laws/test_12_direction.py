"""Law 12: the direction of a rejection is that of the test, and everything that is said follows it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.laws.roster import TESTS, Entry, applies, by_key, cases, each, make

import bestby as bb
from bestby.inference.multiplicity import alpha_at, rejects
from bestby.report import words
from bestby.report.comparison import better_by_score, better_by_test, winner_at
from bestby.report.comparison import opposed as speaks_against
from bestby.results import Comparison, Difference

_MIRROR = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
OPPOSED = "test_opposes_score"


def check_difference(d: Difference, level: float) -> None:
    """What one difference says of a rejection does not contradict itself, nor its mirror image."""
    alpha, back = alpha_at(level), d.mirrored()
    assert (d.significant, d.winner, better_by_score(d)) == (
        back.significant,
        back.winner,
        better_by_score(back),
    )
    assert winner_at(d, alpha) == winner_at(back, alpha) == d.winner
    noted = OPPOSED in {note.code for note in d.notes}
    rejected = rejects(d.p_adjusted, alpha)
    assert d.significant == rejected
    assert noted == (rejected and speaks_against(d))
    if not rejected:
        assert d.winner is None
    elif d.test.direction is not None:
        assert d.winner in (better_by_test(d), None)
        assert level <= 0.5 or (d.winner is None) == speaks_against(d)
        if d.test.alternative != "two-sided" and level > 0.5:
            assert d.test.direction == d.test.alternative
    said = "They differ significantly (" if rejected else "They cannot be told apart ("
    assert said in d.sentence
    if speaks_against(d) and rejected:
        assert f"; the test speaks for {better_by_test(d)}, which has the worse score." in d.sentence


def check_family(c: Comparison) -> None:
    """Ranks, groups, headline and JSON say what the tests of the family show."""
    written = json.loads(c.to_json())["differences"]
    for metric in c.metrics:
        mine = [(d, row) for d, row in zip(c, written, strict=True) if d.metric == metric.name]
        shown = {(d.a, d.b): d.winner for d, _ in mine}
        entries = [entry for entry in c.systems if entry.metric == metric.name]
        for entry in entries:
            beaten = sum(
                entry.system in pair and winner not in (None, entry.system) for pair, winner in shown.items()
            )
            beats = sum(winner == entry.system for winner in shown.values())
            assert (entry.rank_low, entry.rank_high) == (1 + beaten, len(entries) - beats)
        group = {entry.system: entry.group for entry in entries}
        for d, row in mine:
            check_difference(d, c.level)
            assert (row["significant"], row["winner"]) == (d.significant, d.winner)
            if group[d.a] is not None and group[d.b] is not None:
                apart = not set(str(group[d.a])) & set(str(group[d.b]))
                assert apart == (shown[d.a, d.b] is not None)
        check_headline(c, words.headline(c, metric), [d for d, _ in mine], [e.system for e in entries])


def check_headline(c: Comparison, text: str, differences: list[Difference], order: list[str]) -> None:
    if "share the" in text:
        return
    for d in differences:
        first = order[0] if c.baseline is None else c.baseline
        if first not in (d.a, d.b):
            continue
        winner = d.winner
        if c.baseline is None:
            everyone = ", and differs significantly from" in text
            assert not everyone or winner == first
        elif len(differences) == 1:
            higher = (winner != first) == d.greater_is_better
            said = f"differs significantly from it, with a {'higher' if higher else 'lower'} {d.metric}."
            if winner is not None and d.estimate == 0.0:
                assert "has the same" in text
                assert f"speaks for {first if winner == first else 'the former'}." in text
            else:
                assert (winner is not None) == text.endswith(said)


@pytest.mark.parametrize(("entry", "design"), cases(designs=("plain",)))
def test_tests_ranks_and_words_agree(entry: Entry, design: str) -> None:
    data = make(entry, design, seed=31, n=40, systems=3)
    for test in TESTS:
        if not applies(entry, design, test=test):
            continue
        c = data.compare(entry, test=test, correction="none")
        check_family(c)
        turned = data.only(*list(data.systems)[::-1]).compare(entry, test=test, correction="none")
        for d in c if c.differences[0].test.n_resamples == 0 else ():
            other = turned[d.b, d.a, d.metric]
            assert (better_by_test(other), other.winner) == (better_by_test(d), d.winner)


@pytest.mark.parametrize("entry", each())
def test_the_one_sided_test_in_that_direction_has_the_smaller_p(entry: Entry) -> None:
    data = make(entry, "plain", seed=32, n=40, systems=2)
    for test in TESTS:
        if not applies(entry, "plain", test=test):
            continue
        d = data.compare(entry, test=test).differences[0]
        if not rejects(d.p_value, 0.1) or d.test.direction is None:
            continue
        p = {}
        for alternative in ("greater", "less"):
            c = data.compare(entry, test=test, alternative=alternative)
            check_family(c)
            p[alternative] = c.differences[0].p_value
        asked = d.test.direction if (d.a, d.b) == ("a", "b") else _MIRROR[d.test.direction]
        assert p[asked] < p[_MIRROR[asked]]


# -- data on which the test and the score point in opposite directions -------------------------------


def opposed(greater: bool = True) -> dict[str, Any]:
    """Return systems of which a wins 20 of 21 items by 1 and b one item by 40; level: by 20."""
    a, b = np.zeros(41), np.zeros(41)
    a[:20], b[20] = 1.0, 40.0
    return {"a": a, "b": b} if greater else {"a": -a, "b": -b}


@pytest.mark.parametrize("greater", [True, False])
@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
@pytest.mark.parametrize("settings", [{}, {"baseline": "b"}, {"alternative": "better"}, {"margin": 0.1}])
def test_no_rank_follows_from_a_test_that_opposes_the_score(
    greater: bool, test: str, settings: dict[str, Any]
) -> None:
    metric = "mean" if greater else "mean_loss"
    c = bb.compare(opposed(greater), metric=metric, test=test, n_resamples=199, **settings)
    (d,) = c.differences
    assert (better_by_test(d), better_by_score(d), d.significant, d.winner) == ("a", "b", True, None)
    assert d.p_adjusted < 0.001
    assert {(entry.rank_low, entry.rank_high) for entry in c.systems} == {(1, 2)}
    assert {entry.group for entry in c.systems} <= {"a", None}
    check_family(c)
    assert c.to_markdown().count("**") == 4  # the headline and the best score, but no difference
    said = words.headline(c, c.metrics[0])
    assert "is significant, but speaks for a over it" in said or "which speaks against the scores" in said


def test_level_scores_leave_the_direction_to_the_test() -> None:
    systems = opposed()
    systems["b"][20] = 20.0
    c = bb.compare(systems, test="sign", baseline="b")
    assert (better_by_score(c.differences[0]), c.differences[0].winner) == (None, "a")
    said = words.headline(c, c.metrics[0])
    assert said.endswith(
        ": a has the same mean, while the sign test is significant and speaks for the former."
    )
    turned = bb.compare(systems, test="sign", baseline="a")
    said = words.headline(turned, turned.metrics[0])
    assert said.endswith(": b has the same mean, while the sign test is significant and speaks for a.")
    both = bb.compare(systems, test="sign")
    assert words.headline(both, both.metrics[0]).endswith(
        "; the sign test is significant and speaks for a over b."
    )
    assert "; the test speaks for a." in both.differences[0].sentence
    check_family(both)


def test_a_baseline_that_a_one_sided_test_does_not_tell_apart() -> None:
    data = make(by_key("accuracy"), "plain", seed=33, systems=3)
    for metric, entry in (("accuracy", by_key("accuracy")), ("mse", by_key("mse"))):
        data = make(entry, "plain", seed=33, systems=3)
        c = data.compare(entry, baseline="a", alternative="better")
        said = words.headline(c, c.metrics[0])
        assert "b and c cannot be told apart from it (one-sided test)." in said, metric
        assert "one_sided" in {note.code for note in c.notes}
    every = data.compare(by_key("mse"), alternative="better")
    assert "group (one-sided)" in every.to_markdown()


# -- the other kinds of comparison -------------------------------------------------------------------


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_runs_datasets_folds_and_preferences(alternative: str) -> None:
    rng = np.random.default_rng(5)
    scores = {name: rng.normal(mean, 0.04, 8) for name, mean in zip("abc", (0.80, 0.76, 0.70), strict=True)}
    for test in ("permutation", "t", "brunner-munzel", "bootstrap"):
        check_family(bb.compare_runs(scores, test=test, alternative=alternative, n_resamples=199))
    table = {f"d{i}": {name: float(x[i]) for name, x in scores.items()} for i in range(8)}
    for across in ("wilcoxon", "sign", "t", "permutation"):
        for d in bb.compare_datasets(table, across=across, alternative=alternative):
            check_difference(d, 0.95)
    for d in bb.compare_folds({name: x[:5] for name, x in scores.items()}, alternative=alternative):
        check_difference(d, 0.95)
    names = [("a", "b"), ("b", "c"), ("a", "c")]
    judged = [(a, b, a if rng.random() < 0.8 else b) for a, b in names * 20]
    for test in ("permutation", "wald"):
        c = bb.compare_preferences(judged, test=test, alternative=alternative, n_resamples=199)
        check_family(c)


def test_runs_and_datasets_where_the_test_opposes_the_mean() -> None:
    a, b = [0.7 + i / 1000 for i in range(20)], [0.6 + i / 1000 for i in range(19)] + [9.0]
    c = bb.compare_runs({"a": a, "b": b}, test="brunner-munzel", n_resamples=199)
    assert (better_by_test(c.differences[0]), c.differences[0].winner) == ("a", None)
    check_family(c)
    table = {f"d{i}": {"a": x, "b": y} for i, (x, y) in enumerate(zip(a, b, strict=True))}
    result = bb.compare_datasets(table, across="sign")
    assert (better_by_test(result.differences[0]), result.differences[0].winner) == ("a", None)
    check_difference(result.differences[0], 0.95)
    assert OPPOSED in result.to_markdown() or "worse score" in result.to_markdown()


def test_a_test_of_squares_has_no_direction_of_its_own() -> None:
    rng = np.random.default_rng(6)
    scores = {"a": rng.normal(0.8, 0.01, (5, 2)), "b": rng.normal(0.7, 0.01, (5, 2))}
    (d,) = bb.compare_folds(scores, test="5x2cv-f").differences
    assert d.test.direction is None
    assert d.winner == "a" == d.mirrored().winner
    assert d.mirrored().test.statistic == d.test.statistic


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "permutation"])
def test_a_study(tmp_path: Any, test: str) -> None:
    rng = np.random.default_rng(7)
    gold = rng.normal(size=60)
    study = bb.Study(tmp_path / "study")
    for name, noise in (("a", 0.3), ("b", 0.6), ("c", 0.6)):
        wild = np.zeros(60)
        wild[:2] = 40.0 if name == "a" else 0.0  # mostly the best, and far off twice
        study.add(
            name, run=0, predictions=gold + rng.normal(0.0, noise, 60) + wild, gold=gold, baseline=name == "c"
        )
    c = study.compare(metric="mse", test=test, n_resamples=199)
    check_family(c)
    marks = {d.a: d.winner for d in c if d.significant}
    rows = [line.split("\t") for line in c.to_results_tsv().splitlines()[1:]]
    for row in rows[1:]:
        better = marks.get(row[0])
        assert row[4].strip("*") == ("" if better in (None, row[0]) else "!")
        assert bool(row[4]) == (better is not None)
    if test != "permutation":
        assert better_by_test(c["a", "c"]) == "a" != better_by_score(c["a", "c"])


def _long(*axes: str, column: str) -> list[dict[str, Any]]:
    """A long table of scores of two systems under the name of a column; those of a are 0.5 higher."""
    rng = np.random.default_rng(8)
    cells: list[tuple[int, ...]] = list(np.ndindex(*(6,) * len(axes)))
    return [
        {"system": name, **dict(zip(axes, cell, strict=True)), column: shift + rng.uniform(0.1, 0.2)}
        for name, shift in (("a", 0.5), ("b", 0.0))
        for cell in cells
    ]


COLUMNS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "compare": (bb.compare, ("item",)),
    "evaluate": (bb.evaluate, ("item",)),
    "compare_runs": (bb.compare_runs, ("seed",)),
    "compare_runs of items": (bb.compare_runs, ("seed", "item")),
    "compare_datasets": (bb.compare_datasets, ("dataset",)),
    "compare_folds": (bb.compare_folds, ("fold",)),
    "compare_facets": (bb.compare_facets, ("prompt", "item")),
}
"""Questions that read scores from a long table, and the columns beside that of the systems."""


@pytest.mark.parametrize("column", ["wer", "error_rate", "val_loss", "accuracy", "neg_log_loss"])
@pytest.mark.parametrize("question", COLUMNS)
def test_a_column_of_scores_brings_its_direction_along(question: str, column: str) -> None:
    function, axes = COLUMNS[question]
    lower = column in ("wer", "error_rate", "val_loss")
    table, named = _long(*axes, column=column), bb.Reading(value_column=column)
    result = function(pd.DataFrame(table), reading=named)
    metric = result.metrics[0] if hasattr(result, "metrics") else result.metric
    assert metric.greater_is_better is not lower
    assert metric.name == column or not lower
    if question != "evaluate":
        assert result.differences[0].winner == ("b" if lower else "a")


@pytest.mark.parametrize(("column", "first"), [("wer", "b"), ("accuracy", "a")])
def test_a_quality_that_is_a_column_brings_its_direction_along(column: str, first: str) -> None:
    table = pd.DataFrame([{**row, "usd": 1.0} for row in _long("item", column=column)])
    result = bb.frontier(table, quality=column, cost="usd")
    assert (result.metric.name, result.metric.greater_is_better) == (column, first == "a")
    assert result.systems[0].system == first
