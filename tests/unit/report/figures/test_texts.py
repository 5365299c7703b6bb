"""Where the lines of a figure break, and how its numbers and sides are written."""

from __future__ import annotations

import numpy as np

import bestby as bb
from bestby.report.figures.texts import BAR, text_width, wrapped


def test_a_number_stays_with_the_word_behind_it() -> None:
    text = "accuracy: differences with 95 % intervals, 300 items"
    width = text_width("accuracy: differences with 95 % intervals, 300", 10.0)
    assert wrapped(text, width + 1.0, 10.0).splitlines() == [
        "accuracy: differences with 95 % intervals,",
        "300 items",
    ]
    width = text_width("accuracy: differences with 95", 10.0)
    assert wrapped(text, width + 1.0, 10.0).splitlines()[0] == "accuracy: differences with"


def test_a_line_with_a_bar_breaks_there_first() -> None:
    text = f"← bert better{BAR}roberta better →"
    assert wrapped(text, text_width(text, 10.0) + 1.0, 10.0) == text
    assert wrapped(text, text_width(text, 10.0) - 1.0, 10.0) == "← bert better\nroberta better →"


def test_a_figure_of_one_difference_names_both_sides() -> None:
    systems = {"bert": [1, 1, 1, 0] * 10, "roberta": [1, 0, 1, 0] * 10}
    result = bb.compare(systems, interval="normal")
    label = result.plot(kind="baseline").get_xlabel()
    assert "roberta better" in label
    assert "system" not in label
    third = bb.compare({**systems, "xlm": [0, 0, 1, 0] * 10}, interval="normal")
    assert "system better" in third.plot(kind="baseline").get_xlabel()


def test_counts_on_a_scale_are_written_as_elsewhere() -> None:
    axes = bb.power(bb.planning.PairedProportions(0.83, 0.80, agreement=0.9), 5000).plot()
    shown = [axes.xaxis.get_major_formatter()(value) for value in (500, 1000, 20_000)]
    assert shown == ["500", "1000", "20,000"]
    assert np.isin([1000, 10_000], axes.xaxis.get_major_locator()()).all()
