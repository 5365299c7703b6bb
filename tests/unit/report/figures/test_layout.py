"""In no figure a text overlaps another, leaves the figure or touches its edge, whatever the names."""

from __future__ import annotations

import functools
import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text
from tests.unit.report.conftest import ladder

import bestby as bb
from bestby.report.comparison import Comparison
from bestby.report.figures import texts as figures_texts
from bestby.report.figures.drawing import default_style
from bestby.vocabulary import allowed_names

NAMES = {
    "long": lambda i: f"meta-llama/Llama-3.1-8B-Instruct-finetuned-on-everything-checkpoint-{1000 * i}",
    "chinese": lambda i: f"中文大语言模型第{i}号",
    "one letter": lambda i: chr(65 + i),
    "wide": lambda i: f"WMWMWMWMWMWMWM{i}",
    "mixed": lambda i: [
        f"newstest2017.LIUM-NMT.{4900 + i}.en-de",
        f"a_prepositional_phrase_{i}",
        chr(97 + i),
    ][i % 3],
}
SIZES = (2, 3, 12, 30)
_SLACK = 1.5
"""Pixels, of 100 per inch, by which the boxes of letters may overlap: they are larger than what is seen."""


def names(style: str, size: int) -> list[str]:
    return [NAMES[style](i) for i in range(size)]


@functools.cache
def compared(style: str, size: int) -> Comparison:
    return ladder(names(style, size), margin=0.02)


@functools.cache
def of_runs(style: str, size: int) -> Any:
    rng = np.random.default_rng(size)
    runs = {name: rng.normal(0.8 - 0.004 * i, 0.01, 5) for i, name in enumerate(names(style, size))}
    return bb.compare_runs(runs, interval="t", test="t", n_resamples=99)


@functools.cache
def of_datasets(style: str, size: int) -> Any:
    rng = np.random.default_rng(size)
    table = {
        f"{style} {j}": {name: rng.normal(0.9 - 0.01 * i, 0.01) for i, name in enumerate(names(style, size))}
        for j in range(8)
    }
    return bb.compare_datasets(table, outer="dataset")


def shown(axes: Any) -> list[Any]:
    """Return the texts of a figure that are seen."""
    texts = [
        *axes.texts,
        *axes.figure.texts,
        axes.title,
        axes._left_title,
        axes.xaxis.label,
        axes.yaxis.label,
    ]
    for axis, ends in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        low, high = sorted(ends)
        ticks = [tick for tick in axis.get_major_ticks() if axes.axison and low <= tick.get_loc() <= high]
        texts += [label for tick in ticks for label in (tick.label1, tick.label2)]
    texts += [text for legend in axes.figure.legends for text in legend.get_texts()]
    return [text for text in texts if text.get_visible() and text.get_text().strip()]


def check(axes: Any) -> None:
    """Assert that the texts of a figure have room."""
    figure = axes.figure
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that no installed font has
        figure.draw_without_rendering()
        # The box of an annotation holds the place it is about, that of its text alone does not.
        renderer = figure.canvas.get_renderer()
        boxes = [(text.get_text(), Text.get_window_extent(text, renderer)) for text in shown(axes)]
    edge = figure.bbox
    for text, box in boxes:
        assert box.x0 >= edge.x0 + 2, text
        assert box.y0 >= edge.y0 + 2, text
        assert box.x1 <= edge.x1 - 2, text
        assert box.y1 <= edge.y1 - 2, text
    for (one, first), (two, second) in combinations(boxes, 2):
        across = min(first.x1, second.x1) - max(first.x0, second.x0)
        up = min(first.y1, second.y1) - max(first.y0, second.y0)
        assert across <= _SLACK or up <= _SLACK + 0.15 * min(first.height, second.height), (one, two)


CASES = [
    *((style, size, "column") for style in NAMES for size in SIZES),  # the least room
    *(("long", size, width) for size in SIZES for width in (None, "page")),
]
SOME = [
    ("wide", 3, "column"),
    ("chinese", 3, "column"),
    ("mixed", 30, "column"),
    ("long", 12, "column"),
    ("long", 12, None),
]


def cases(least: int = 2) -> list[Any]:
    """Return the cases from some number of systems on; what other sizes show is left to `make check`."""
    few = [case if case in SOME else pytest.param(*case, marks=pytest.mark.check) for case in CASES]
    return [one for one, case in zip(few, CASES, strict=True) if case[1] >= least]


@pytest.mark.long
@pytest.mark.parametrize(("style", "size", "width"), cases())
@pytest.mark.parametrize("kind", [kind for kind in allowed_names("kind", "items") if kind != "auto"])
def test_of_systems(kind: Any, style: str, size: int, width: Any) -> None:
    if kind == "forest" and size >= 12:
        size = 8 if size == 12 else 6  # of 30 systems, 435 lines
    with default_style():
        axes = compared(style, size).plot(kind=kind, width=width)
        check(axes)
    if width is not None:
        assert axes.figure.get_figwidth() == pytest.approx({"column": 3.03, "page": 6.3}[width])
    assert axes.bbox.width > 40


@pytest.mark.parametrize("size", SIZES)
def test_the_marks_of_a_matrix_have_room_in_their_cells(size: int) -> None:
    axes = compared("mixed", size).plot(kind="matrix", width="column")
    cell = 72.0 / axes.figure.dpi * axes.get_window_extent().width / size
    sizes = [line.get_markersize() + line.get_markeredgewidth() for line in axes.lines]
    assert size == 2 or sizes
    assert all(1.5 < mark < 0.8 * cell for mark in sizes)


@pytest.mark.long
@pytest.mark.parametrize(("style", "size", "width"), cases(least=3))
def test_of_datasets_and_runs(style: str, size: int, width: Any) -> None:
    with default_style():
        for kind in ("ranks", "matrix", "forest"):
            check(of_datasets(style, size).plot(kind, width=width))
        for kind in ("scores", "order", "quantiles"):
            check(of_runs(style, min(size, 12)).plot(kind=kind, width=width))


@pytest.mark.long
@pytest.mark.parametrize("size", [3, 12, *(pytest.param(n, marks=pytest.mark.check) for n in (2, 30))])
def test_of_letters_that_no_font_has(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures_texts, "FAMILIES", ())
    with default_style():
        for kind in ("forest", "baseline", "systems", "matrix"):
            if size <= 12 or kind != "forest":
                check(compared("chinese", size).plot(kind=kind, width="column"))
        if size > 2:
            check(of_datasets("chinese", size).plot("ranks", width="column"))


@pytest.mark.long
@pytest.mark.parametrize("font", ["sans", pytest.param("serif", marks=pytest.mark.check)])
@pytest.mark.parametrize("width", [None, "column", pytest.param("page", marks=pytest.mark.check)])
def test_of_other_results(width: Any, font: Any) -> None:
    rng = np.random.default_rng(0)
    design = bb.planning.PairedProportions(0.83, 0.80, 0.9)
    results: list[Any] = [
        bb.power(design, n=1000),
        bb.sample_size(design, power=0.8),
        bb.allocate(bb.planning.RunsAndItems(0.02, 0.4, 0.01, 0.3), 100, run_cost=10, answer_cost=0.1),
        bb.normality(rng.normal(size=60), n_resamples=99),
        bb.replicability({f"dataset {i}": 10.0 ** (-i / 2) for i in range(7)}),
        bb.advise("f1_macro", n_items=800, n_systems=5),
        bb.aso(rng.normal(size=8), rng.normal(size=8), n_resamples=99),
        compared("long", 3).differences[0],
        compared("chinese", 3).differences[0],
    ]
    with default_style():
        for result in results:
            check(result.plot(width=width, font=font))
