"""The figures of a comparison over datasets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import BoolArray
from bestby.inference import groups
from bestby.inference.multiplicity import rejects
from bestby.questions.datasets import overall_runs
from bestby.questions.datasets.result import DatasetComparison, RunsOnDatasets
from bestby.report import disagreements
from bestby.report.comparison import Difference
from bestby.report.figures import drawing
from bestby.report.figures.canvas import ACCENT, FAINT, INK, SCREEN, Canvas, Sheet, figure
from bestby.report.figures.drawing import LINE_COLOURS, ROW, bare, label, limits, line_look, p_tested
from bestby.report.figures.forest import Line, draw_lines, shown
from bestby.report.figures.matrix import (
    DATASET_CELL,
    SMALL,
    effects,
    frame,
    keys_of_rows,
    largest_effect,
    marked_cell,
    shade,
    side_of_cells,
)
from bestby.report.figures.systems import checked_kind
from bestby.report.figures.texts import name, text_width
from bestby.report.numbers import DASH, MINUS, Rounding, alpha, p_text, percent
from bestby.report.tables import difference_rounding
from bestby.report.words import computed, corrected, direction, name_of_test

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.questions.datasets.result import Overall


def datasets(
    c: DatasetComparison,
    kind: str = "auto",
    cliques: str = "pairs",
    pair: tuple[str, str] | None = None,
    canvas: Canvas = SCREEN,
) -> Axes:
    """Draw one of the figures over datasets; see `DatasetComparison.plot`."""
    kind = checked_kind(kind, "datasets")
    checks.choice(cliques, CLIQUES, "cliques")
    if kind == "auto":
        kind = (
            "forest"
            if len(c.systems) == 2
            else "ranks"
            if cliques != "pairs" or has_plain_bars(c)
            else "matrix"
        )
    if kind == "forest":
        return forest(c, pair, canvas=canvas)
    if kind == "profiles":
        return profiles(c, canvas=canvas)
    return dataset_matrix(c, canvas=canvas) if kind == "matrix" else ranks(c, cliques, canvas=canvas)


@figure
def forest(c: DatasetComparison, pair: tuple[str, str] | None = None, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the difference of one pair, by default the first, on every dataset and on all together."""
    whole = c.differences[0] if pair is None else c[pair]
    entries = [e for e in c.overall if (e.a, e.b) == (whole.a, whole.b)]
    marks = disagreements.overall_marks(c)
    overall = [_overall_line(c, entry, marks[entry], rule=place == 0) for place, entry in enumerate(entries)]
    if not overall:  # the pair was asked for the other way round
        label = f"macro, {c.varying} vary" if computed(c, "interval") else "macro"
        mark = disagreements.text(disagreements.kinds(whole))
        fields = {"bold": True, "rule": True, "mark": mark}
        overall = [Line(label, whole.estimate, whole.interval, shown(whole), **fields)]  # type: ignore[arg-type]
    inner = _on_datasets(c, whole, canvas.names(c.datasets))
    lines = [*sorted((line for line, *_ in inner), key=lambda line: -(line.estimate or 0.0)), *overall]
    measured = [line for line in lines if line.interval or not computed(c, "interval")]
    digits = Rounding.of([(line.estimate or 0.0, line.interval) for line in measured])
    marked = [(d, kinds) for _, d, kinds in inner if d is not None]
    why = (
        disagreements.line(marked, c),
        disagreements.why_overall([marks[entry] for entry in entries], c.varying),
    )
    intervals = f" with {percent(c.level)} intervals" if computed(c, "interval") else ""
    sheet = draw_lines(
        lines,
        digits,
        c.margin,
        canvas,
        title=f"Differences on {len(c.datasets)} datasets{intervals}",
        foot="\n".join(filter(None, why)),
        keys=drawing.difference_keys(c, c.margin, "significant"),
    )
    names = canvas.names((whole.a, whole.b))
    drawing.difference_label(sheet.axes, c.metric, names[whole.a], names[whole.b])
    return sheet


Marked = tuple[Line, Difference | None, disagreements.Kinds]
"""A line, its difference and why parts of this disagree."""


def _overall_line(c: DatasetComparison, entry: Overall, kinds: disagreements.Kinds, *, rule: bool) -> Line:
    """Return the line of a difference over all datasets together."""
    return Line(
        f"{entry.average}, {entry.resampled} vary" if entry.resampled else entry.average,
        entry.estimate,
        entry.interval,
        filled=disagreements.overall_shown(c, entry),
        bold=True,
        rule=rule,
        mark=disagreements.text(kinds),
    )


def _on_datasets(c: DatasetComparison, pair: Difference, names: Mapping[str, str]) -> list[Marked]:
    """Return a line per dataset, filled where Holm's procedure names it, its difference and its marks."""
    if not c.within:
        a, b = (c.systems.index(system) for system in (pair.a, pair.b))
        gaps = (c.scores[:, a] - c.scores[:, b]).tolist()
        return [(Line(names[one], gap), None, ()) for one, gap in zip(c.datasets, gaps, strict=True)]
    counted = c.replicability.of.get((pair.a, pair.b)) or c.replicability.of.get((pair.b, pair.a))
    named = () if counted is None else counted.found
    lines: list[Marked] = []
    for dataset, differences in c.within.items():
        d = next(d for d in differences if {d.a, d.b} == {pair.a, pair.b})
        d = d if d.a == pair.a else d.mirrored()
        kinds = disagreements.kinds(d, told_apart=dataset in named)
        mark = disagreements.text(kinds)
        lines.append((Line(names[dataset], d.estimate, d.interval, dataset in named, mark=mark), d, kinds))
    return lines


@figure
def dataset_matrix(c: DatasetComparison, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw every pair, row minus column: mean difference, wins, ties and losses, adjusted p."""
    names = canvas.names(c.systems)
    title = f"{name(c.metric.name)}, row {MINUS} column, mean over {len(c.datasets)} datasets"
    if side_of_cells(list(names.values()), canvas, DATASET_CELL[0], SMALL) == SMALL:
        return effects(c, c.metric, c.systems, list(c.differences), canvas, title)
    axes, digits = canvas.axes(), difference_rounding(c)
    largest = largest_effect(c.differences)
    across, up = DATASET_CELL
    for d in c.differences:
        for one in (d, d.mirrored()):
            at = (c.systems.index(one.b), c.systems.index(one.a))
            shade(axes, at, one, c.metric, largest)
            wins = DASH.join(str(count) for count in c.wins(one.a, one.b))
            p = "" if one.p_adjusted is None else f"\n{_p_of(one.p_adjusted, c.level)}"
            weight = "bold" if one.significant else "normal"
            text = f"{digits.text(one.estimate)}\n{wins}{p}"
            marked_cell(axes, at, text, canvas, color=INK, fontweight=weight, linespacing=1.25)
    frame(axes, [names[system] for system in c.systems], canvas, across)
    tested = f", {p_tested(c)}, bold if significant" if computed(c, "test") else ""
    foot = f"Mean difference; wins{DASH}ties{DASH}losses over {len(c.datasets)} datasets{tested}."
    size = len(c.systems)
    return Sheet(axes, up * size, across * size, title, keys_of_rows(), foot, square=True)


def _p_of(p_value: float, level: float) -> str:
    """Return a p-value as short as it can be.

    >>> _p_of(0.031, 0.95), _p_of(0.0, 0.95)
    ('p=0.031', 'p<1e-15')
    """
    text = p_text(p_value, alpha(level))
    return f"p{text}" if text[:1] in "<>" else f"p={text}"


CLIQUES = ("pairs", "nemenyi", "holm", "wilcoxon")


@figure
def ranks(c: DatasetComparison, cliques: str = "pairs", *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the critical-difference diagram, as Demsar (2006), JMLR 7, 1-30, Figure 1a.

    By default bars join the systems that the tests of the differences, in the table, do not tell apart.
    """
    k = len(c.systems)
    if k < 3:
        raise DesignError(
            "a diagram of ranks needs at least 3 systems", hint='plot("forest") shows the datasets of a pair'
        )
    c = _by_rank(c)
    # The share of the room for a name: names stand on both sides
    axes, names, bars = canvas.axes(), canvas.names(c.systems, 0.55), _bars(c, cliques)
    left = k - k // 2  # the worse half is labelled on the left, outermost first
    top = 0.3 + _BAR * len(bars)
    depth, over = top + ROW * (left - 0.5), 0.75 if _shows_critical(c, cliques) else 0.4
    beyond = 0.02 * (k - 1)
    axes.set_xlim(k + beyond, 1.0 - beyond)
    axes.set_ylim(depth, -over)
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)
    _rank_scale(axes, k, canvas)
    widest = max(text_width(f"{rank:.2f}", canvas.size) for rank in c.average_ranks)
    for position, (system, rank) in enumerate(zip(c.systems, c.average_ranks, strict=True)):
        best_half = position < k // 2
        y = top + ROW * (position if best_half else k - 1 - position)
        end = 1.0 - beyond if best_half else k + beyond
        axes.plot((rank, rank, end), (0, y, y), color=FAINT, linewidth=0.9, zorder=1)
        _label(axes, (end, y), names[system], f"{rank:.2f}", widest, canvas, right=best_half)
    for position, members in enumerate(bars):
        _bar(axes, [c.average_ranks[i] for i in members], 0.16 + _BAR * position, k, _gaps(members))
    if _shows_critical(c, cliques):
        _critical(c, axes, canvas)
    joined = bars_join(c, cliques) if c.baseline is None else "no bars, since not every pair was tested"
    return Sheet(
        axes,
        height=depth + over,
        width=4.6,
        title=f"Average ranks on {len(c.datasets)} datasets ({name(c.metric.name)}, {direction(c.metric)})",
        foot=f"{joined[0].upper()}{joined[1:]}.{_DOTS * any(map(_gaps, bars))}",
    )


def _by_rank(c: DatasetComparison) -> DatasetComparison:
    """Return the comparison with its systems in the order of their average ranks."""
    order = sorted(range(len(c.systems)), key=c.average_ranks.__getitem__)
    return replace(
        c,
        systems=tuple(c.systems[s] for s in order),
        means=tuple(c.means[s] for s in order),
        average_ranks=tuple(c.average_ranks[s] for s in order),
        scores=c.scores[:, order],
    )


_BAR = 0.22
"""Inches of a bar, with what is free below it."""


def _label(
    axes: Axes, at: tuple[float, float], name: str, rank: str, widest: float, canvas: Canvas, *, right: bool
) -> None:
    """Write a rank and a name beside a line; ranks stand below each other."""
    beyond = 4 + widest + 0.9 * canvas.size
    style: dict[str, Any] = {"fontsize": canvas.size, "va": "center_baseline"}
    label(axes, rank, at, (4 + widest if right else -4, 0), ha="right", **style)
    label(axes, name, at, (beyond if right else -beyond, 0), ha="left" if right else "right", **style)


def _rank_scale(axes: Axes, k: int, canvas: Canvas) -> None:
    """Draw the scale of ranks from the worst to 1, with so few numbers that they do not touch."""
    axes.plot((1, k), (0, 0), color=INK, linewidth=1.2, solid_capstyle="butt")
    every = 10 if canvas.narrow else 5
    # Ranks up to which each has a number on the scale; of more every fifth has
    step = 1 if k <= (6 if canvas.narrow else 12) else every * max(1, round(k / 60))
    numbered = [1, *(rank for rank in range(step, k + 1, step) if rank > 1)]
    for rank in numbered:
        axes.text(rank, -0.12, str(rank), ha="center", va="bottom", color=INK, fontsize=canvas.size)
    between = 0.5 if step == 1 else 1
    for tick in np.arange(1, k + 0.25, between).tolist():
        height = -0.09 if tick in numbered else -0.05
        axes.plot((tick, tick), (0, height), color=INK, linewidth=1.0)


def bars_join(c: DatasetComparison, cliques: str = "pairs") -> str:
    """Return which systems the bars of the diagram join, and by which test."""
    if cliques in ("pairs", "wilcoxon"):
        names = dict.fromkeys(name_of_test(d.test.name) for d in c.differences if d.test is not None)
        correction = corrected(c).removeprefix("; ")
        test = f"the {' or '.join(names)}{f' ({correction})' * bool(correction)}"
    elif cliques == "nemenyi":
        test = "Nemenyi's test of average ranks"
    else:
        test = "the test of average ranks with Holm's correction"
    return f"a bar joins systems that {test} does not tell apart"


def _bars(c: DatasetComparison, cliques: str) -> list[tuple[int, ...]]:
    """Return the groups of systems that the tests do not tell apart, of two or more."""
    if c.baseline is not None:
        return []  # not every pair was tested
    return [group for group in groups.cliques(_told_apart(c, cliques)) if len(group) > 1]


def _told_apart(c: DatasetComparison, cliques: str) -> BoolArray:
    place = {system: i for i, system in enumerate(c.systems)}
    different = np.zeros((len(place), len(place)), dtype=np.bool_)
    threshold = alpha(c.level)
    if cliques in ("pairs", "wilcoxon"):
        shown = [(d.a, d.b, d.winner is not None) for d in c.differences]
    else:
        p_values = (
            (r.a, r.b, r.p_holm if cliques == "holm" or r.p_nemenyi is None else r.p_nemenyi)
            for r in c.ranking
        )
        shown = [(a, b, rejects(p, threshold)) for a, b, p in p_values]
    for a, b, one in shown:
        i, j = place[a], place[b]
        different[i, j] = different[j, i] = one
    return different


_DOTS = " A bar with dots joins the systems at its dots only."


def has_plain_bars(c: DatasetComparison) -> bool:
    """Tell whether no bar of the diagram passes over a system that it does not join."""
    return not any(map(_gaps, _bars(_by_rank(c), "pairs")))


def _gaps(members: tuple[int, ...]) -> bool:
    return members[-1] - members[0] >= len(members)


def _bar(axes: Axes, at: list[float], y: float, k: int, dotted: bool) -> None:
    """Draw a bar over a group; dots mark its members where a bar passes over others."""
    low, high = min(at) - 0.012 * k, max(at) + 0.012 * k
    axes.plot((low, high), (y, y), color=ACCENT, linewidth=4.0, solid_capstyle="butt", zorder=2, gid="clique")
    if dotted:
        axes.plot(at, [y] * len(at), marker="o", markersize=6.5, color=ACCENT, linestyle="none", zorder=3)


def _shows_critical(c: DatasetComparison, cliques: str) -> bool:
    """Tell whether the critical difference is drawn: it belongs to Nemenyi's test, and fits the axis."""
    cd = c.critical_difference
    return cliques == "nemenyi" and cd is not None and cd <= len(c.systems) - 1


def _critical(c: DatasetComparison, axes: Axes, canvas: Canvas) -> None:
    k, cd, y = len(c.systems), c.critical_difference or 0.0, -0.58
    axes.plot((k, k - cd), (y, y), color=INK, linewidth=1.2, gid="critical")
    for end in (k, k - cd):
        axes.plot((end, end), (y - 0.05, y + 0.05), color=INK, linewidth=1.2)
    label(axes, f"CD = {cd:.2f}", (k - cd, y), (6, 0), fontsize=0.9 * canvas.size)


@figure
def profiles(c: DatasetComparison, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the share of the runs of each system that are better than each score, with pointwise bands.

    Every dataset counts alike (Agarwal et al. 2021, section 4.2). Of many systems the bands are left out.
    """
    if c.runs is None:
        raise InvalidInputError(
            "performance profiles are of several runs on each dataset, and this comparison has none",
            hint="draw another kind",
            argument="kind",
        )
    axes = canvas.axes()
    values = [run for row in c.runs.scores.values() for runs in row.values() for run in runs]
    limits(axes, [(value, None) for value in values], room=0.03, canvas=canvas)
    banded = len(c.systems) <= _MOST_BANDS
    keys = _profile_lines(axes, c, c.runs, canvas, banded=banded)
    axes.set_ylim(0.0, 1.02)
    axes.set_yticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.grid(axis="y", color=FAINT, linewidth=0.4, alpha=0.5)
    bare(axes)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    scale = f"{name(c.metric.name)}, normalised" if c.ranges is not None else name(c.metric.name)
    axes.set_xlabel(f"{scale}: τ", color=INK, parse_math=False)
    sign = ">" if c.metric.greater_is_better else "<"
    axes.set_ylabel(f"share of the runs {sign} τ", color=INK)
    title = f"Performance profiles over {len(c.datasets)} datasets"
    title += f", pointwise {percent(c.level)} bands" if banded else ""
    return Sheet(axes, 3.0, 5.2, title, keys)


_MOST_BANDS = len(LINE_COLOURS)


def _profile_lines(
    axes: Any, c: DatasetComparison, runs: RunsOnDatasets, canvas: Canvas, *, banded: bool
) -> list[Any]:
    """Draw the profile of each system, the best first; return the lines."""
    names, z = canvas.names(c.systems), float(ndtri(0.5 * (1.0 + c.level)))
    low, high = axes.get_xlim()
    # Points through which a profile looks smooth
    at, lines = np.linspace(low, high, 400), []
    for place, entry in enumerate(runs.systems):
        colour, style = line_look(place)
        samples = [np.asarray(row[entry.system]) for row in runs.scores.values()]
        share, error = overall_runs.profile(samples, at, greater_is_better=c.metric.greater_is_better)
        if banded:
            ends = np.clip((share - z * error, share + z * error), 0.0, 1.0)
            axes.fill_between(at, *ends, color=colour, alpha=0.15, linewidth=0, gid="band")
        lines += axes.plot(
            at, share, color=colour, linestyle=style, linewidth=1.8, drawstyle="steps-mid",
            label=names[entry.system], gid="profile",
        )  # fmt: skip
    return lines
