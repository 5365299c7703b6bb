"""Rows whose interval, p-values, verdict and group disagree are marked, and one line says why, everywhere."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.comparisons.examples import cross_validated, scores
from tests.unit.report.contradictions import check, contradictory, marked_rows, tables, texts_of

import bestby as bb
from bestby.comparisons import one_metric
from bestby.inference.multiplicity import alpha_at
from bestby.questions.datasets import figure
from bestby.report.disagreements import Kind, clause, codes, kinds, words, words_of_pairs
from bestby.report.document import describe
from bestby.report.tables import MARK
from bestby.results import Difference, Interval, TestResult


def difference(
    low: float = 0.01,
    high: float = 0.11,
    *,
    p: float = 0.01,
    adjusted: float | None = None,
    test: str = "permutation",
    alternative: Any = "two-sided",
    statistic: float | None = None,
    verdict: str | None = None,
    margin: float | None = None,
    greater_is_better: bool = True,
) -> Difference:
    middle = (low + high) / 2.0
    made = TestResult(
        test, p, alternative, True, "enumeration", statistic=middle if statistic is None else statistic
    )
    return Difference(
        "accuracy", "a", "b", middle, 0.7 + middle, 0.7, Interval(low, high, 0.95, "tango", True), made,
        p if adjusted is None else adjusted, greater_is_better, 100, 20, verdict=verdict, margin=margin,
        equivalence_interval=Interval(low + 0.01, high - 0.01, 0.9, "tango", True),
    )  # fmt: skip


CASES = {
    "all agree": (difference(), ()),
    "all agree that nothing is shown": (difference(-0.05, 0.05, p=0.9), ()),
    "corrected": (difference(p=0.01, adjusted=0.1), (Kind.FAMILY,)),
    "corrected, judged": (difference(p=0.01, adjusted=0.1, verdict="better", margin=0.005), (Kind.FAMILY,)),
    "raw p above alpha": (difference(p=0.057), (Kind.TEST,)),
    "interval holds 0": (difference(-0.01, 0.11, p=0.04), (Kind.TEST,)),
    "one-sided, interval holds 0": (difference(-0.01, 0.11, p=0.03, alternative="greater"), (Kind.SIDED,)),
    "one-sided, other side": (difference(p=0.99, alternative="less"), (Kind.SIDED,)),
    "one-sided, corrected": (difference(p=0.01, adjusted=0.1, alternative="greater"), (Kind.FAMILY,)),
    "ranks, holds 0": (difference(-0.01, 0.11, p=0.03, test="wilcoxon"), (Kind.QUESTION,)),
    "signs, excludes 0": (difference(p=0.3, test="sign"), (Kind.QUESTION,)),
    "opposed": (difference(p=0.01, test="sign", statistic=-3.0), (Kind.OPPOSED,)),
    "opposed, one-sided": (
        difference(p=0.01, test="sign", statistic=-3.0, alternative="less"), (Kind.OPPOSED,)
    ),
    "small": (difference(0.01, 0.02, verdict="equivalent", margin=0.05), (Kind.SMALL,)),
    "level": (difference(-0.06, 0.02, p=0.4, verdict="equivalent", margin=0.055), (Kind.LEVEL,)),
    "level, not worse": (difference(-0.06, 0.2, p=0.4, verdict="not worse", margin=0.055), (Kind.LEVEL,)),
    "not worse": (difference(-0.05, 0.2, p=0.4, verdict="not worse", margin=0.055), ()),
    "level, lower is better": (
        difference(-0.2, 0.06, p=0.4, verdict="not worse", margin=0.055, greater_is_better=False),
        (Kind.LEVEL,),
    ),
    "not worse, lower is better": (
        difference(-0.2, 0.05, p=0.4, verdict="not worse", margin=0.055, greater_is_better=False), ()
    ),
    "two at once": (
        difference(0.001, 0.06, p=0.01, adjusted=0.1, verdict="equivalent", margin=0.055),
        (Kind.FAMILY, Kind.LEVEL),
    ),
    "no test": (dataclasses.replace(difference(), test=None, p_adjusted=None), ()),
    "no interval": (dataclasses.replace(difference(p=0.3), interval=None), ()),
    "inconclusive": (difference(0.01, 0.2, verdict="inconclusive", margin=0.055), ()),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_kind_of_disagreement(case: str) -> None:
    d, expected = CASES[case]
    assert kinds(d) == expected
    assert kinds(d.mirrored()) == expected
    said = clause(d)
    # What the other sentences of a difference say anyway: which system a test favours, which interval it is.
    assert bool(said) == bool(set(expected) - {Kind.OPPOSED, Kind.LEVEL})
    assert said in d.sentence


def test_the_standing_can_be_another_than_that_of_the_adjusted_p() -> None:
    assert kinds(difference(p=0.01), told_apart=False) == (Kind.FAMILY,)
    assert kinds(difference(-0.01, 0.11, p=0.3), told_apart=True) == (Kind.TEST,)
    assert kinds(difference(p=0.01), told_apart=True) == ()


# -- every kind of comparison ----------------------------------------------------------------------


def right(n_systems: int, step: float, n: int = 400) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    base = rng.random(n)
    return {
        f"a system with a long name {i}": (0.7 * base + 0.3 * rng.random(n) < 0.5 + step * i).astype(float)
        for i in range(n_systems)
    }


def numbers(n_systems: int, step: float, n: int = 150) -> dict[str, Any]:
    rng = np.random.default_rng(6)
    base = rng.normal(size=n)
    return {f"s{i}": base + step * i + 0.6 * rng.standard_t(3, n) for i in range(n_systems)}


def many_runs(n_systems: int = 12) -> dict[str, list[float]]:
    rng = np.random.default_rng(3)
    return {f"m{i}": (0.8 + 0.004 * i + rng.normal(0.0, 0.012, 6)).tolist() for i in range(n_systems)}


def judged() -> list[tuple[str, str, str]]:
    rng = np.random.default_rng(8)
    names = [f"m{i}" for i in range(7)]
    out = []
    for i, a in enumerate(names):
        for j, b in enumerate(names[:i]):
            p = 1.0 / (1.0 + np.exp(-0.16 * (i - j)))
            out += [(a, b, a if rng.random() < p else b) for _ in range(45)]
    return out


def folded() -> dict[str, list[float]]:
    rng = np.random.default_rng(2)
    return {f"s{i}": (0.7 + 0.012 * i + rng.normal(0.0, 0.014, 10)).tolist() for i in range(6)}


def study(path: Path) -> Any:
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 3, 240)
    store = bb.Study(path)
    for i in range(5):
        for run in range(2):
            wrong = rng.random(gold.size) > 0.6 + 0.05 * i
            store.add(f"c{i}", predictions=np.where(wrong, (gold + 1) % 3, gold), gold=gold, run=run)
    return store.compare(metric=["accuracy", "f1_macro"], margin=0.05, n_resamples=299)


COMPARED = {
    "items": lambda _: bb.compare(right(6, 0.02)),
    "items, margin": lambda _: bb.compare(right(6, 0.02), margin=0.03),
    "items, 12 systems": lambda _: bb.compare(right(12, 0.013), margin=0.02),
    "items, baseline": lambda _: bb.compare(right(8, 0.008), baseline="a system with a long name 0"),
    "items, one-sided": lambda _: bb.compare(right(6, 0.03), alternative="greater"),
    "items, signs": lambda _: bb.compare(numbers(5, 0.1), test="sign"),
    "items, ranks": lambda _: bb.compare(numbers(6, 0.06), test="wilcoxon", margin=0.2),
    "items, ranks, lower is better": lambda _: bb.compare(
        {name: abs(x) for name, x in numbers(6, 0.12).items()}, gold=np.zeros(150), metric="mse",
        test="wilcoxon", margin=0.4,
    ),
    "items, not corrected": lambda _: bb.compare(numbers(6, 0.06), correction="none", test="permutation"),
    "runs": lambda _: bb.compare_runs(many_runs(8), margin=0.01),
    "runs, ranks": lambda _: bb.compare_runs(many_runs(6), test="brunner-munzel"),
    "datasets": lambda _: bb.compare_datasets(scores(12, 6), margin=0.01),
    "datasets, ranks": lambda _: bb.compare_datasets(scores(12, 6), across="wilcoxon"),
    "folds": lambda _: bb.compare_folds(folded(), margin=0.01, ratio=0.1),
    "preferences": lambda _: bb.compare_preferences(judged(), margin=0.2, n_resamples=999),
    "study": study,
}  # fmt: skip
AGREEING = {"items, not corrected"}  # so near each other are its intervals and tests


@pytest.mark.long
@pytest.mark.parametrize("kind", COMPARED)
def test_every_contradiction_is_marked_and_explained(kind: str, tmp_path: Path) -> None:
    result = COMPARED[kind](tmp_path / "study")
    assert check(result) > 0 or kind in AGREEING


def test_rows_without_a_contradiction_have_no_mark() -> None:
    c = bb.compare(right(6, 0.02), margin=0.03)
    groups = {entry.system: entry.group for entry in c.systems}
    table = describe(c).sections[0].tables[1]
    assert {row[:2] for row in marked_rows(table)} == {
        (d.a, d.b) for d in c.differences if contradictory(d, groups)
    }
    alone = bb.compare(right(2, 0.3))
    assert not list(tables(alone))
    assert MARK not in str(alone)


def test_codes_of_many_pairs_are_those_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_metric, "MOST_HELD", 100)  # so that these pairs are held in columns
    able = np.random.default_rng(0).random((24, 200)) < np.linspace(0.5, 0.8, 24)[:, None]
    for alternative in ("two-sided", "greater"):
        c = bb.compare({f"s{i}": row.astype(int) for i, row in enumerate(able)}, alternative=alternative)
        (columns,) = c.differences.parts  # type: ignore[attr-defined]
        found = codes(columns, alpha_at(c.level))
        assert found.tolist() == codes(list(columns), alpha_at(c.level)).tolist()
        assert found.any()


# -- diagrams of ranks -----------------------------------------------------------------------------


def test_the_bars_of_a_diagram_say_what_the_table_says() -> None:
    rng = np.random.default_rng(1)
    table = {f"d{i}": {f"m{j}": 0.7 + 0.02 * j + 0.012 * rng.normal() for j in range(6)} for i in range(12)}
    c = bb.compare_datasets(table, outer="dataset", across="wilcoxon")
    bars = [{c.systems[i] for i in bar} for bar in figure._bars(c, "pairs")]
    for d in c.differences:
        joined = any({d.a, d.b} <= bar for bar in bars)
        assert joined == (d.winner is None)
    by_nemenyi = [{c.systems[i] for i in bar} for bar in figure._bars(c, "nemenyi")]
    assert bars != by_nemenyi  # so the default can contradict the table
    axes = c.plot("ranks")
    assert "Wilcoxon signed-rank test (correction: holm)" in texts_of(axes)[-1]
    assert not any("CD" in text for text in texts_of(axes))
    assert "Nemenyi" in texts_of(c.plot(cliques="nemenyi"))[-1]
    post_hoc = next(table for table in describe(c).sections[0].tables if "Post-hoc" in table.caption)
    disagreeing = {
        (r.a, r.b)
        for r in c.ranking
        if any((p <= 0.05) != (c[r.a, r.b].winner is not None) for p in (r.p_nemenyi, r.p_holm))
    }
    assert {row[:2] for row in marked_rows(post_hoc)} == disagreeing
    assert disagreeing


def test_all_tests_of_folds_are_marked_where_they_part_from_the_one_that_decides() -> None:
    c = bb.compare_folds(cross_validated(), metric="accuracy")
    table = next(table for table in describe(c).sections[0].tables if "All tests" in table.caption)
    (d,) = c.differences
    shown = d.winner is not None
    parted = [test for test in c.tests[d.a, d.b] if (test.p_value <= 0.05) != shown]
    assert len(marked_rows(table)) == len(parted)


# -- in data ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("margin", [None, 0.02, 0.05])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("lower_is_better", [False, True])
def test_the_column_says_what_the_marks_do(margin: Any, alternative: Any, lower_is_better: bool) -> None:
    rng = np.random.default_rng(11)
    ability = rng.random(400)
    systems = {
        f"s{i}": (0.8 * ability + 0.2 * rng.random(400) < 0.5 + 0.012 * i).astype(int) for i in range(8)
    }
    result = bb.compare(
        systems,
        margin=margin,
        alternative=alternative,
        metric=bb.ScoreMetric("score", greater_is_better=not lower_is_better),
    )
    expected = [words(kinds(d)) for d in result]
    assert expected.count(None) < len(expected)
    assert [row["disagreement"] for row in result.to_dict()["differences"]] == expected
    assert result.to_frame(backend="pyarrow")["disagreement"].to_pylist() == expected


def test_the_column_of_very_many_pairs_is_that_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_metric, "MOST_HELD", 100)  # so that these pairs are held in columns
    rng = np.random.default_rng(12)
    ability = rng.random(300)
    systems = {
        f"s{i}": (0.8 * ability + 0.2 * rng.random(300) < 0.4 + 0.008 * i).astype(int) for i in range(24)
    }
    for margin in (None, 0.03, 0.1):
        result = bb.compare(systems, margin=margin, correction="bh")
        (pairs,) = result.differences.parts  # type: ignore[attr-defined]
        found = words_of_pairs(pairs)
        assert found == [words(kinds(d)) for d in result]
        assert len(set(found)) > 1


def test_rows_of_datasets_and_folds_have_the_column() -> None:
    for result in (bb.compare_datasets(scores(8, 3)), bb.compare_folds(cross_validated())):
        rows = result.to_dict()["differences"]
        assert rows
        assert all("disagreement" in row for row in rows)
        assert not any("disagreement" in row for row in _bare(result))


def _bare(result: Any) -> list[dict[str, Any]]:
    settings = {"interval": None, "test": None}
    made = bb.compare_datasets(scores(8, 3), **settings)
    if isinstance(result, bb.results.FoldComparison):
        made = bb.compare_folds(cross_validated(), **settings)  # type: ignore[assignment]
    rows: list[dict[str, Any]] = made.to_dict()["differences"]
    return rows
