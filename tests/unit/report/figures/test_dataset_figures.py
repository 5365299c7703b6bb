"""Figures of datasets and folds: diagrams of ranks, matrices, forests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from tests.unit.comparisons.examples import TABLE, cross_validated, items, scores

from bestby import compare_datasets, compare_folds
from bestby._core.errors import DesignError
from bestby.questions.datasets import figure
from bestby.questions.folds.result import FoldComparison


def named(axes: Any, gid: str) -> list[Any]:
    return [line for line in axes.lines if line.get_gid() == gid]


@pytest.mark.parametrize("k", [3, 5, 15])
def test_the_diagram_of_ranks(k: int) -> None:
    result = compare_datasets(scores(20, k))
    axes = result.plot(cliques="nemenyi")
    texts = [(text.get_text(), text.xy) for text in axes.texts if hasattr(text, "xy")]
    for name, rank in zip(result.systems, result.average_ranks, strict=True):
        (place,) = (at for text, at in texts if text == name)
        assert (f"{rank:.2f}", place) in texts
    left, right = axes.get_xlim()
    assert left > k > 1 > right  # the best on the right
    for line in named(axes, "clique"):
        low, high = sorted(map(float, line.get_xdata()))
        inside = [r for r in result.average_ranks if low <= r <= high]
        assert len(inside) >= 2
        assert max(inside) - min(inside) < result.critical_difference  # type: ignore[operator]
    (critical,) = named(axes, "critical")
    assert np.ptp(critical.get_xdata()) == pytest.approx(result.critical_difference)


@pytest.mark.parametrize("cliques", ["nemenyi", "holm", "wilcoxon"])
def test_bars_join_every_pair_that_is_not_told_apart(cliques: str) -> None:
    result = compare_datasets(scores(12, 6, seed=8))
    different = figure._told_apart(result, cliques)
    bars = figure._bars(result, cliques)
    joined = {(i, j) for bar in bars for i in bar for j in bar if i < j}
    k = len(result.systems)
    assert joined == {(i, j) for i in range(k) for j in range(i + 1, k) if not different[i, j]}


def _words(axes: Any) -> str:
    return " ".join(" ".join(text.get_text().split()) for text in axes.figure.findobj(Text))


def test_the_line_below_the_diagram_says_what_dots_on_a_bar_mean() -> None:
    rng = np.random.default_rng(2)
    spreads, means = rng.choice([0.02, 0.3], 4), (0.0, 0.03, 0.06, 0.09)
    columns = {f"s{j}": means[j] + spreads[j] * rng.normal(size=10) for j in range(4)}
    dotted = compare_datasets(
        {name: dict(enumerate(map(float, values))) for name, values in columns.items()}, outer="system"
    )
    assert any(map(figure._gaps, figure._bars(dotted, "pairs")))
    assert "A bar with dots joins the systems at its dots only." in _words(dotted.plot("ranks"))
    assert "dots" not in _words(dotted.plot())
    assert "dots" not in _words(compare_datasets(scores(20, 3)).plot())


def test_labels_of_the_diagram_do_not_overlap() -> None:
    axes = compare_datasets(scores(20, 15)).plot()
    axes.figure.draw_without_rendering()
    labels = [t.get_window_extent() for t in axes.texts]
    for i, one in enumerate(labels):
        for other in labels[i + 1 :]:
            assert not one.overlaps(other) or one.height * 0.8 <= abs(one.y0 - other.y0)


def test_the_matrix_shows_every_pair_twice() -> None:
    result = compare_datasets(TABLE)
    axes = result.plot("matrix")
    assert len(axes.texts) == len(axes.patches) == 6
    corner = next(text for text in axes.texts if text.get_position() == (2, 0))
    assert corner.get_text().split("\n")[1] == "–".join(map(str, result.wins("big", "old")))


def test_the_forest_has_a_line_per_dataset_then_all_together() -> None:
    result = compare_datasets(items(), n_resamples=200)
    axes = result.plot()
    texts = [label.get_text() for label in axes.get_yticklabels()]
    assert sorted(texts[:3]) == ["one", "three", "two"]
    assert texts[3:] == [
        *("macro, datasets vary", "macro, items vary", "micro, items vary", "micro, datasets vary")
    ]
    table = compare_datasets(TABLE).plot("forest", pair=("old", "big"))
    assert len(table.get_yticklabels()) == 6
    assert "old better →\n" in table.get_xlabel()


def test_the_figure_of_folds_has_a_dot_per_fold() -> None:
    result = compare_folds(cross_validated())
    assert isinstance(result, FoldComparison)
    (dots,) = named(result.plot(), "folds")
    assert len(dots.get_xdata()) == 9
    assert result.plot(ax=Figure().add_subplot()).get_title(loc="left").startswith("Differences over 9 folds")


def test_a_diagram_needs_three_systems() -> None:
    with pytest.raises(DesignError, match="at least 3 systems"):
        compare_datasets(TABLE, systems=["old", "new"]).plot("ranks")


def test_independence_is_no_word_for_folds_of_several_repetitions() -> None:
    one = compare_folds(cross_validated(repetitions=1), metric="accuracy")
    several = compare_folds(cross_validated(repetitions=2), metric="accuracy")
    assert "if they are independent" in " ".join(one.details().split())
    assert "K-Bonferroni" in several.details()
    assert "if they are independent" not in " ".join(several.details().split())
