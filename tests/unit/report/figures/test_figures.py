"""Figures: the right marks at the right places, the same bytes every time."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from tests.unit.report.conftest import ladder

from bestby import Study, compare
from bestby._core.errors import InvalidInputError
from bestby.report.comparison import Comparison
from bestby.report.figures import drawing, forest, matrix
from bestby.report.figures import systems as figures_systems


def markers(axes: Any) -> list[Any]:
    return [line for line in axes.lines if line.get_marker() == "o"]


def labels(axes: Any) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


def test_forest_has_a_line_per_pair_and_a_header_per_system(made: SimpleNamespace) -> None:
    c = made.five()
    axes = forest.forest(c)
    assert [label.replace("\N{NO-BREAK SPACE}", " ") for label in labels(axes)[:6]] == [
        "aen_bert   0.781   a",
        "− bert_spc",
        "− memnet",
        "− atae_lstm",
        "− td_lstm",
        "bert_spc   0.770   a",
    ]
    assert labels(axes)[-1].startswith("td_lstm")
    assert [float(point.get_xdata()[0]) for point in markers(axes)] == [d.estimate for d in c]
    ends = [line.get_xdata() for line in axes.lines if line.get_gid() is None and len(line.get_xdata()) == 2]
    drawn = [tuple(map(float, x)) for x in ends if tuple(x) != (0, 1)]  # (0, 1): the rules between groups
    assert drawn == [(d.interval.low, d.interval.high) for d in c]


def test_filled_is_significant(made: SimpleNamespace) -> None:
    c = made.five()
    filled = [to_hex(point.get_markerfacecolor()) == drawing.ACCENT for point in markers(forest.forest(c))]
    assert filled == [d.p_adjusted < 0.05 for d in c]
    assert 0 < sum(filled) < len(filled)


def test_zero_line_and_margin(made: SimpleNamespace) -> None:
    def named(axes: Any) -> dict[str, Any]:
        return {artist.get_gid(): artist for artist in axes.get_children() if artist.get_gid()}

    assert set(named(forest.forest(made.five()))) == {"zero"}
    found = named(forest.forest(made.roster["margin"]()))
    assert set(found) == {"zero", "margin", "margin-low", "margin-high"}
    box = found["margin"].get_extents().transformed(found["margin"].axes.transData.inverted())
    assert (box.x0, box.x1) == pytest.approx((-0.03, 0.03))
    assert [found[f"margin-{side}"].get_xdata()[0] for side in ("low", "high")] == [-0.03, 0.03]


def test_the_axis_says_which_side_is_better(made: SimpleNamespace) -> None:
    up = forest.forest(made.five()).get_xlabel()
    down = forest.forest(made.roster["lower is better"]()).get_xlabel()
    assert up.replace("\N{NO-BREAK SPACE}", " ") == (
        "← second better   |   first better →\naccuracy, first − second"
    )
    assert down.replace("\N{NO-BREAK SPACE}", " ").startswith("← first better   |   second better →")


def test_the_axis_has_the_names_of_the_systems_where_it_can(made: SimpleNamespace) -> None:
    for picture in (made.ladder(["b", "a"]).plot(), made.ladder(["b", "a"])["b", "a"].plot()):
        assert (
            picture.get_xlabel().replace("\N{NO-BREAK SPACE}", " ").startswith("← a better   |   b better →")
        )
    against = forest.forest(made.roster["baseline"]()).get_xlabel()
    assert against.replace("\N{NO-BREAK SPACE}", " ").startswith("← base better   |   system better →")


def test_against_a_baseline_it_is_the_only_header(made: SimpleNamespace) -> None:
    axes = forest.forest(made.roster["baseline"]())
    assert labels(axes)[0].endswith("baseline")
    assert labels(axes)[1:] == ["new (0.500)", "old (0.480)"]


@pytest.mark.long
def test_no_text_overlaps_or_is_cut_off(any_comparison: Comparison) -> None:
    axes = forest.forest(any_comparison)
    figure = axes.figure
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
    for above, below in pairwise(boxes):
        assert above.y0 >= below.y0 + 0.8 * below.height
    texts = [*axes.get_yticklabels(), *axes.texts, axes.title, axes.xaxis.label]
    width = figure.bbox.width
    assert all(t.get_window_extent().x0 >= -1 and t.get_window_extent().x1 <= width + 1 for t in texts[:-2])
    ticks = [t.get_window_extent() for t in axes.get_xticklabels() if t.get_text()]
    inside = [box for box in ticks if axes.bbox.x0 - 20 <= box.x0 <= axes.bbox.x1]
    assert all(left.x1 < right.x0 for left, right in pairwise(inside))


def test_infinite_and_undefined_ends_are_drawn_as_far_as_they_go(
    made: SimpleNamespace, tmp_path: Path
) -> None:
    axes = forest.interval(made.difference(low=-np.inf, high=0.1))
    why = "The interval and the test are computed in different ways and disagree here."
    assert [text.get_text() for text in axes.texts] == ["0.100", "0.060"]
    assert [text.get_text() for text in axes.figure.texts] == [why]
    line = next(line for line in axes.lines if len(line.get_xdata()) == 2 and line.get_gid() is None)
    assert line.get_xdata()[0] == axes.get_xlim()[0]
    drawing.save(
        forest.interval(made.difference(estimate=np.nan, low=np.nan, high=np.nan)), tmp_path / "x.png"
    )
    assert (tmp_path / "x.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["bert", "gpt"], ["a", "b"]),
        (["b", "gpt"], ["group a", "group b"]),
        (["gpt", "A"], ["group a", "group b"]),
    ],
)
def test_the_letter_of_a_group_is_told_from_a_system_of_that_name(names: list[str], shown: list[str]) -> None:
    c = ladder(names)
    written = [text.get_text() for text in figures_systems.scores(c).texts]
    assert [text for text in written if text.removeprefix("group ") in ("a", "b")] == shown
    heads = [text.split(drawing.GAP)[-1] for text in labels(forest.forest(ladder([*names, "t5"])))]
    assert [head for head in heads if head.removeprefix("group ") in ("a", "b")] == shown


@pytest.mark.long
@pytest.mark.parametrize(("suffix", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_files_are_what_they_say_and_reproducible(
    made: SimpleNamespace, tmp_path: Path, suffix: str, magic: bytes
) -> None:
    one, two = tmp_path / f"one{suffix}", tmp_path / f"two{suffix.upper()}"
    drawing.save(forest.forest(made.five()), one)
    drawing.save(forest.forest(made.five()).figure, two)
    assert one.read_bytes().startswith(magic)
    assert one.read_bytes() == two.read_bytes()


def test_pyplot_is_never_imported(tmp_path: Path) -> None:
    code = (
        "import sys; from matplotlib.figure import Figure;"
        "from bestby.report.figures import drawing, forest; from bestby.report.writers import html;"
        "from bestby.results import *;"
        "i = Interval(0.0, 1.0, 0.95, 'bca', False);"
        "t = TestResult('permutation', 0.5, 'two-sided', True, 'x');"
        "d = Difference('m', 'a', 'b', 0.5, 1.0, 0.5, i, t, 0.5, True, 9, 3);"
        "drawing.save(forest.interval(d), sys.argv[1]);"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "x.png")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_of_one_pair_the_legend_names_no_correction(made: SimpleNamespace) -> None:
    def legend(systems: list[str]) -> str:
        figure = made.ladder(systems).plot(kind="forest").figure
        return str([text.get_text() for one in figure.legends for text in one.get_texts()])

    assert "significant: p ≤ 0.05" in legend(["a", "b"])
    assert "significant: p (holm) ≤ 0.05" in legend(["a", "b", "c"])


def test_the_legend_has_no_marks_that_are_not_drawn() -> None:
    c = ladder(["a", "b", "c", "d"])
    both = {"no other has a significantly better score", "another has a significantly better score"}

    def legend(axes: Any) -> set[str]:
        return {text.get_text() for one in axes.figure.legends for text in one.get_texts()}

    assert legend(figures_systems.systems(c)) == both
    assert legend(figures_systems.systems(c, top=1)) == {"no other has a significantly better score"}
    stay = (dataclasses.replace(one, may_be_best=one.system != "d") for one in c.systems)
    with_set = dataclasses.replace(c, systems=tuple(stay))
    assert legend(figures_systems.systems(with_set)) == {"may be the best", "is shown not to be the best"}


@pytest.mark.parametrize("greater_is_better", [True, False])
def test_the_matrix_colours_a_difference_of_zero_grey(greater_is_better: bool) -> None:
    gold = ["x", "y"] * 10
    equal = gold[:15] + ["?"] * 5
    c = compare({"one": equal, "copy": equal, "worse": ["?"] * 20}, gold, n_resamples=99)
    metric = dataclasses.replace(c.metrics[0], greater_is_better=greater_is_better)
    axes = matrix.comparison(dataclasses.replace(c, metrics=(metric,)))
    colours = {
        text.get_text().removeprefix(drawing.MINUS): to_hex(box.get_facecolor())
        for text, box in zip(axes.texts, axes.patches, strict=True)
    }
    assert colours.pop("0.00") == drawing.FAINT
    assert drawing.FAINT not in colours.values()


def test_epochs_are_numbered_where_systems_stand(tmp_path: Path) -> None:
    gold = ["x", "y"] * 10
    study = Study(tmp_path / "study")
    for epochs in (1, 2, 4):
        answers = gold[: 8 + 2 * epochs] + ["?"] * (12 - 2 * epochs)
        study.add(f"after {epochs}", run=0, predictions=answers, gold=gold, epochs=epochs)
    axes = study.compare(n_resamples=99).plot(kind="growth")
    axes.figure.canvas.draw()
    shown = [label.get_text() for label in axes.get_xticklabels()]
    assert shown == ["1", "2", "4"]


def test_metric_is_chosen_by_name(made: SimpleNamespace) -> None:
    assert "f1[a_b]" in forest.forest(made.two_metrics(), "f1[a_b]").get_xlabel()
    with pytest.raises(InvalidInputError) as caught:
        forest.forest(made.five(), "bleu")
    assert str(caught.value) == "no metric 'bleu' in this comparison\nhint: metrics: accuracy"
