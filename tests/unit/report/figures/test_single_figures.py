"""Figures of samples, p-values, single orders and advice: what is drawn are the numbers of the result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from scipy import stats

import bestby as bb
from bestby.report.figures import drawing


def named(axes: Any, gid: str) -> list[Any]:
    return [artist for artist in axes.get_children() if artist.get_gid() == gid]


def circles(axes: Any) -> list[Any]:
    return [line for line in axes.lines if line.get_marker() == "o"]


def filled(line: Any) -> bool:
    return to_hex(line.get_markerfacecolor()) == drawing.ACCENT


def test_values_stand_over_normal_quantiles() -> None:
    sample = np.random.default_rng(3).normal(5.0, 2.0, 40)
    result = bb.normality(sample, n_resamples=99)
    axes = result.plot()
    (values,), (line,) = named(axes, "values"), named(axes, "normal")
    assert values.get_ydata().tolist() == sorted(sample)
    medians = [stats.norm.ppf(stats.beta.ppf(0.5, i, 41 - i)) for i in range(1, 41)]
    assert values.get_xdata() == pytest.approx(medians)
    assert line.get_ydata() == pytest.approx(result.mean + result.std * line.get_xdata())


@pytest.mark.parametrize("n", [5, 12, 200, 201])
def test_the_band_holds_nineteen_of_twenty_values_of_each_rank(n: int) -> None:
    (band,) = named(bb.normality(np.random.default_rng(0).normal(size=n), n_resamples=9).plot(), "band")
    vertices = band.get_paths()[0].vertices
    result = bb.normality(np.random.default_rng(0).normal(size=n), n_resamples=9)
    drawn = (vertices[:, 1] - result.mean) / result.std
    samples = np.sort(np.random.default_rng(1).normal(size=(20_000, n)), axis=1)
    samples = (samples - samples.mean(axis=1, keepdims=True)) / samples.std(axis=1, ddof=1, keepdims=True)
    low, high = np.quantile(samples, (0.025, 0.975), axis=0)
    for limit in (*low, *high):
        assert np.abs(drawn - limit).min() < 0.06


def test_of_many_values_both_tails_are_drawn() -> None:
    sample = np.random.default_rng(3).exponential(size=5000)
    result = bb.normality(sample, n_resamples=9)
    (values,) = named(result.plot(), "values")
    shown, ordered = values.get_ydata(), np.sort(sample)
    assert 150 <= len(shown) <= 200
    assert shown[:25].tolist() == ordered[:25].tolist()
    assert shown[-25:].tolist() == ordered[-25:].tolist()
    assert all(ordered[rank - 1] == value for rank, value in result.order_statistics)
    assert "5000 values" in result.plot().get_title(loc="left")


def test_p_values_before_and_after_correction() -> None:
    result = bb.replicability({"x": 0.001, "y": 0.03, "z": 0.0, "w": 1.0})
    axes = result.plot()
    raw = [float(line.get_xdata()[0]) for line in named(axes, "raw")]
    assert raw == [0.001, 0.03, 1e-16, 1.0]
    assert [float(line.get_xdata()[0]) for line in circles(axes)] == [
        max(p, 1e-16) for p in result.p_adjusted
    ]
    assert [filled(line) for line in circles(axes)] == [name in result.found for name in result.datasets]
    assert 0 < len(result.found) < 4
    (level,) = named(axes, "level")
    assert level.get_xdata()[0] == result.alpha
    assert [label.get_text() for label in axes.get_yticklabels()] == list(result.datasets)


def test_the_violation_ratio_and_its_bound() -> None:
    result = bb.aso([0.81, 0.84, 0.79, 0.86, 0.82], [0.79, 0.80, 0.82, 0.81, 0.80], n_resamples=99)
    axes = result.plot()
    (point,) = circles(axes)
    assert point.get_xdata()[0] == result.violation_ratio
    assert filled(point) is result.dominant
    ends = [
        line.get_xdata() for line in axes.lines if line.get_linewidth() == 1.8 and len(line.get_xdata()) == 2
    ]
    assert [tuple(x) for x in ends] == [(axes.get_xlim()[0], result.epsilon_min)]
    caps = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "|"]
    assert caps == [result.epsilon_min]  # the bound is one-sided
    same = bb.aso([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], n_resamples=99).plot()
    assert circles(same) == []
    assert "neither" in same.get_title(loc="left")


def test_a_matrix_without_a_frame_says_so() -> None:
    rng = np.random.default_rng(0)
    clear = bb.multi_aso(
        {"a": [1.0 + i for i in range(8)], "b": [20.0 + i for i in range(8)]}, n_resamples=99
    )
    assert clear.dominant.any()
    (legend,) = clear.plot().figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["the row is almost stochastically dominant"]
    many = bb.multi_aso({f"s{i}": rng.normal(size=3) for i in range(5)}, n_resamples=99)
    assert not many.dominant.any()
    (foot,) = (text.get_text().replace("\n", " ") for text in many.plot().figure.texts)
    assert foot.startswith("No dominance is significant: no p-value is 0.0025 or less. With so few runs, no")
    more = bb.multi_aso({f"s{i}": [j + 0.1 * i for j in range(12)] for i in range(2)}, n_resamples=999)
    assert not more.dominant.any()
    (foot,) = (text.get_text() for text in more.plot().figure.texts)
    assert "With so few runs" not in foot


def test_a_matrix_without_numbers_says_what_its_shades_mean() -> None:
    rng = np.random.default_rng(0)
    titles = [
        bb.multi_aso({f"s{i}": rng.normal(size=3) for i in range(size)}, n_resamples=9).plot().figure.axes[0]
        for size in (3, 14)
    ]
    assert [axes.get_title(loc="left").replace("\n", " ") for axes in titles] == [
        "Upper bound of the violation (ε_min), row over column",
        "Upper bound of the violation (ε_min), row over column, from dark (0) to light (1)",
    ]


def test_the_picture_of_values_tells_the_tests() -> None:
    rng = np.random.default_rng(3)
    skewed = bb.normality(rng.exponential(size=60), n_resamples=99).plot().get_title(loc="left")
    assert skewed.startswith("3 of 3 tests reject normality at 5 %\np: Shapiro-Wilk ")
    few = bb.normality([1.0, 2.0, 4.0, 4.5, 7.0], n_resamples=99).plot().get_title(loc="left")
    assert few.startswith("No departure from normality is shown at 5 % by so few values\n")


def test_the_path_has_every_question_and_ends_at_the_recommendation() -> None:
    advice = bb.advise("f1_macro", n_items=800, n_systems=5)
    axes = advice.plot()
    texts = [text.get_text().replace("\n", " ") for text in axes.texts]
    assert texts[::2] == [*(step.question for step in advice.path), "Recommendation"]
    assert texts[1:-1:2] == [step.answer.capitalize() for step in advice.path]
    assert (advice.test, advice.interval, advice.correction) == ("permutation", "abc", "holm")
    assert texts[-1] == "Test: paired permutation test. Interval: ABC (approximate BCa). Correction: Holm."
    assert axes.get_title(loc="left") == "Which test and interval for f1_macro"
    for repeated in ({"n_runs": 5}, {"n_datasets": 4}, {"n_folds": 10}):
        assert bb.advise(**repeated).plot().get_title(loc="left") == "Which test and interval"
    assert [filled(line) for line in circles(axes)] == [False] * len(advice.path) + [True]


@pytest.mark.parametrize("name", ["normality", "replicability", "order", "advice"])
def test_figures_are_drawn_on_the_axes_that_are_passed(name: str) -> None:
    from matplotlib.figure import Figure

    axes: Axes = Figure().add_subplot()
    result: Any = {
        "normality": lambda: bb.normality([1.0, 2.0, 4.0], n_resamples=9),
        "replicability": lambda: bb.replicability({"x": 0.01, "y": 0.2}),
        "order": lambda: bb.aso([1.0, 2.0, 3.0], [0.0, 1.0, 2.0], n_resamples=9),
        "advice": lambda: bb.advise("accuracy", n_items=100),
    }[name]()
    assert result.plot(ax=axes) is axes


def test_the_label_of_a_low_power_stays_above_the_axis() -> None:
    result = bb.allocate(bb.planning.RunsAndItems(0.02, 0.4, 0.01, 0.3), 100, run_cost=10, answer_cost=0.1)
    assert result.best.power < 0.2
    axes = result.plot()
    axes.figure.draw_without_rendering()
    label = next(text for text in axes.texts if "items" in text.get_text())
    box = label.get_window_extent().transformed(axes.transData.inverted())
    assert box.y0 > 0.0
    assert box.x0 > axes.get_xlim()[0]
