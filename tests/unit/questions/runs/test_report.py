"""Reports and figures of runs."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from matplotlib.collections import PolyCollection

from bestby import ScoreMetric, compare_runs
from bestby.report.figures.drawing import render
from bestby.results import RunsComparison

RNG = np.random.default_rng(3)
RUNS = {
    name: RNG.normal(mean, 0.02, 6).tolist() for name, mean in (("old_1", 0.7), ("new", 0.76), ("mid", 0.72))
}
ITEM = RNG.normal(size=25)


@pytest.fixture(scope="module")
def scores() -> RunsComparison:
    return compare_runs(RUNS, metric="accuracy", margin=0.01)


@pytest.fixture(scope="module")
def items() -> RunsComparison:
    return compare_runs({name: ITEM + RNG.normal(m, 0.5, (4, 25)) for name, m in (("a", 0.4), ("b", 0.0))})


def test_one_p_value_is_not_shown_twice(scores: RunsComparison) -> None:
    assert "p (t)" in scores.details()
    assert "p (t)" not in compare_runs(RUNS, test="t").details()


def test_the_short_answer_has_systems_and_differences(scores: RunsComparison, items: RunsComparison) -> None:
    for result in (scores, items):
        text = str(result)
        assert len(text.splitlines()) <= 40
        assert all(words not in text for words in ("Probability that", "ε", "p (t)", "p (items fixed)", "∞"))
        assert "Difference" in text


def test_every_run_is_a_dot_inside_the_picture(scores: RunsComparison) -> None:
    axes = scores.plot()
    left, right = axes.get_xlim()
    for position, entry in enumerate(scores.systems):
        (dots,) = [line for line in axes.lines if line.get_gid() == f"runs-{position}"]
        assert sorted(dots.get_xdata()) == sorted(entry.runs)
        assert left < min(entry.runs)
        assert max(entry.runs) < right
        assert np.abs(np.asarray(dots.get_ydata()) - position).max() < 0.5
    assert len(axes.get_yticklabels()) == 3


def test_the_shaded_area_is_where_the_first_is_behind(scores: RunsComparison) -> None:
    result = compare_runs({"a": [1.0, 4.0], "b": [2.0, 3.0]})
    assert result["a", "b"].order.violation_ratio == pytest.approx(0.5)
    axes = result.plot(kind="quantiles", pair=("a", "b"))
    (area,) = [c for c in axes.collections if isinstance(c, PolyCollection)]
    corners = area.get_paths()[0].vertices
    assert (corners[:, 0].min(), corners[:, 0].max()) == (0.0, 0.5)
    assert (corners[:, 1].min(), corners[:, 1].max()) == (1.0, 2.0)
    lower = compare_runs(
        {"a": [1.0, 4.0], "b": [2.0, 3.0]}, metric=ScoreMetric("score", greater_is_better=False)
    )
    (area,) = [
        c for c in lower.plot(kind="quantiles", pair=("a", "b")).collections if isinstance(c, PolyCollection)
    ]
    assert area.get_paths()[0].vertices[:, 0].min() == 0.5
    clear = scores.plot(kind="quantiles", pair=("new", "old_1"))
    assert not clear.collections


def test_the_matrix_reads_row_over_column(scores: RunsComparison) -> None:
    axes = scores.plot(kind="order")
    names = [entry.system for entry in scores.systems]
    assert [label.get_text() for label in axes.get_yticklabels()] == names
    found = {(round(t.get_position()[1]), round(t.get_position()[0])): t.get_text() for t in axes.texts}
    assert len(found) == 6
    for (row, column), text in found.items():
        assert text == f"{scores.orders[names[row], names[column]].epsilon_min:.2f}"


@pytest.mark.parametrize("kind", ["scores", "forest", "quantiles", "order"])
def test_figures_are_the_same_bytes_and_take_axes(scores: RunsComparison, kind: str) -> None:
    from matplotlib.figure import Figure

    assert render(scores.plot(kind=kind), ".svg") == render(scores.plot(kind=kind), ".svg")
    axes = Figure().add_subplot()
    assert scores.plot(kind=kind, ax=axes) is axes


def test_identical_systems_can_be_shown() -> None:
    result = compare_runs({"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3], "c": [0.1, 0.2, 0.3]})
    assert "a, b and c share the highest score" in str(result)
    for kind in ("scores", "forest", "quantiles", "order"):
        render(result.plot(kind=kind), ".png")
    result.to_html()
    assert "have the same score; the data are compatible with" in result["a", "b"].sentence


def test_runs_too_few_for_dominance_are_explained() -> None:
    """3 and 3 runs cannot show dominance at 5 % over six comparisons; 6 and 6 at 10 % can."""
    few = compare_runs({name: runs[:3] for name, runs in RUNS.items()})
    assert "With so few runs, it cannot be as small" in " ".join(few.details().split())
    many = compare_runs({name: RUNS[name] for name in ("new", "mid")}, level=0.9)
    assert "With so few runs" not in " ".join(many.details().split())
    uneven = compare_runs({"few": [0.0, 5.0, 11.0, 4.0, 20.0], "many": list(range(12)), "x": list(range(12))})
    assert "too small where the system with fewer runs varies much more" in " ".join(uneven.details().split())
    assert "too small where" not in " ".join(few.details().split())


def test_the_p_values_of_both_directions_are_data(scores: RunsComparison) -> None:
    rows = list(csv.DictReader(io.StringIO(scores.to_csv())))
    for row, d in zip(rows, scores.differences, strict=True):
        assert float(row["order_p"]) == d.order.p_value
        assert float(row["order_p_reverse"]) == d.reverse_order.p_value
