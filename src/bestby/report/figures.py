"""Figures: forest plots of differences, single intervals, scores.

Everything is drawn through matplotlib's objects; pyplot, its windows and its global state are not touched.
"""

from __future__ import annotations

import contextlib
import io
import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bestby._core.errors import InvalidInputError
from bestby.report.numbers import MINUS, Rounding, percent
from bestby.report.tables import (
    difference_rounding,
    differences_of,
    score_rounding,
    systems_of,
)
from bestby.report.words import direction, significant
from bestby.report.write import write_bytes
from bestby.results import Comparison, Difference, Interval, MetricInfo, SystemScore

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Distinct in hue and in lightness, for colour-blind readers and for print (Okabe and Ito 2008). The HTML
# page replaces exactly these colours by those of its theme, so each has one meaning.
INK = "#1b1e23"
FAINT = "#6b7280"
ACCENT = "#0072b2"
BAND = "#dde5ec"
PAPER = "#fffffe"

_ROW = 0.26  # inches
_GAP = 3 * "\N{NO-BREAK SPACE}"  # SVG makes one of several plain spaces
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": "bestby"},
    ".svg": {"Date": None, "Creator": "bestby"},
    ".pdf": {"CreationDate": None, "Creator": "bestby", "Producer": None},
}


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the forest: a header if it has no difference."""

    label: str
    difference: Difference | None


def forest(c: Comparison, metric: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the differences of one metric with their intervals, one line per pair.

    Systems stand in the order of their ranks with score and letters, below each the pairs it leads; the zero
    line and, with a margin, its band run through all of them. A filled marker is a difference whose adjusted
    p-value is below 1 − level.

    Parameters
    ----------
    c : Comparison
        The comparison.
    metric : str, optional
        One of its metrics; the first by default.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure whose height grows with the number of pairs.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; the figure is its ``figure``.

    Raises
    ------
    InvalidInputError
        If the comparison has no such metric.

    References
    ----------
    .. [1] Bestgen (2022), Please, Don't Forget the Difference and the Confidence Interval when Seeking for
       the State-of-the-Art Status, LREC, Figure 2.
    """
    chosen = _metric(c, metric)
    lines = _lines(c, chosen)
    digits = difference_rounding(c, chosen)
    longest = max((len(line.label) for line in lines), default=0)
    axes = ax if ax is not None else _axes(width=4.6 + 0.085 * longest + 1.4, height=_ROW * len(lines) + 1.15)
    shown = [line.difference for line in lines if line.difference is not None]
    _limits(axes, [(d.estimate, d.interval) for d in shown], reach=(0.0, c.margin, _minus(c.margin)))
    _guides(axes, c.margin)
    for position, line in enumerate(lines):
        if line.difference is not None:
            d = line.difference
            _mark(axes, position, d.estimate, d.interval, filled=significant(d))
            _number(axes, position, f"{digits.text(d.estimate)}{_GAP}{digits.interval(d.interval)}")
        elif position:
            axes.axhline(position - 0.5, color=FAINT, linewidth=0.4, alpha=0.5, zorder=0)
    _labels(axes, lines)
    axes.set_xlabel(_axis_label(chosen), color=INK, parse_math=False)
    title = f"{chosen.name}: differences with {percent(c.level)} intervals, {c.n_items} items"
    axes.set_title(title, loc="left", color=INK, fontsize="medium", parse_math=False)
    return axes


def interval(difference: Difference, ax: Axes | None = None) -> Axes:
    """Draw one difference with its interval on a line.

    Parameters
    ----------
    difference : Difference
        The difference.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; the figure is its ``figure``.

    References
    ----------
    .. [1] Bestgen (2022), Please, Don't Forget the Difference and the Confidence Interval when Seeking for
       the State-of-the-Art Status, LREC, Figure 1.
    """
    d = difference
    axes = ax if ax is not None else _axes(width=6.0, height=1.75)
    digits = Rounding.of([(d.estimate, d.interval)])
    _limits(axes, [(d.estimate, d.interval)], reach=(0.0, d.margin, _minus(d.margin)), room=0.15)
    _guides(axes, d.margin)
    _mark(axes, 0, d.estimate, d.interval, filled=significant(d))
    # Estimate above, ends below: the three never meet, however short the interval.
    for value, side, up in (
        (d.interval.low, "right", -1),
        (d.interval.high, "left", -1),
        (d.estimate, "center", 1),
    ):
        if math.isfinite(value):
            axes.annotate(
                digits.text(value),
                (value, 0),
                xytext=(0, 9 * up),
                textcoords="offset points",
                ha=side,
                va="bottom" if up > 0 else "top",
                color=INK,
                fontweight="bold" if up > 0 else "normal",
                fontsize="small",
            )
    axes.set_ylim(1.0, -1.0)
    axes.set_yticks([])
    _bare(axes)
    info = MetricInfo(d.metric, d.greater_is_better, (-math.inf, math.inf))
    axes.set_xlabel(_axis_label(info, d.a, d.b), color=INK, parse_math=False)
    title = f"{d.a} {MINUS} {d.b}: {percent(d.interval.level)} interval, {d.n_items} items"
    axes.set_title(title, loc="left", color=INK, fontsize="medium", parse_math=False)
    return axes


def scores(c: Comparison, metric: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the score of every system on one metric with its interval.

    Parameters
    ----------
    c : Comparison
        The comparison.
    metric : str, optional
        One of its metrics; the first by default.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; the figure is its ``figure``.

    Raises
    ------
    InvalidInputError
        If the comparison has no such metric.
    """
    chosen = _metric(c, metric)
    entries = systems_of(c, chosen)
    digits = score_rounding(c, chosen)
    lines = [_Line(_GAP.join(filter(None, (entry.system, entry.group))), None) for entry in entries]
    longest = max((len(line.label) for line in lines), default=0)
    axes = ax if ax is not None else _axes(width=4.6 + 0.085 * longest + 1.4, height=_ROW * len(lines) + 1.15)
    _limits(axes, [(entry.score, entry.interval) for entry in entries])
    for position, entry in enumerate(entries):
        _mark(axes, position, entry.score, entry.interval, filled=True)
        _number(axes, position, f"{digits.text(entry.score)}{_GAP}{digits.interval(entry.interval)}")
    _labels(axes, lines, bold=False)
    axes.set_xlabel(f"{chosen.name} ({direction(chosen)})", color=INK, parse_math=False)
    title = f"{chosen.name} with {percent(c.level)} intervals, {c.n_items} items"
    axes.set_title(title, loc="left", color=INK, fontsize="medium", parse_math=False)
    return axes


def save(drawn: Figure | Axes, path: str | Path) -> None:
    """Write a figure as PNG, SVG or PDF; the same figure always gives the same bytes.

    Parameters
    ----------
    drawn : matplotlib Figure or Axes
        What to write; of axes, the figure they are in.
    path : str or Path
        The file; its suffix decides the format.

    Raises
    ------
    InvalidInputError
        If the suffix is another, or the file cannot be written.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _METADATA:
        raise InvalidInputError(
            f"a figure is written as {', '.join(_METADATA)}, got {str(path)!r}",
            hint="change the suffix of the file",
        )
    write_bytes(path, render(drawn, suffix))


@contextlib.contextmanager
def default_style() -> Iterator[None]:
    """Draw in matplotlib's own style, whatever the user has set, and silently where a font lacks a letter."""
    import matplotlib as mpl

    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def render(drawn: Figure | Axes, suffix: str, *, outlines: bool = True, transparent: bool = False) -> bytes:
    """Return a figure as the bytes of a PNG, SVG or PDF file.

    Parameters
    ----------
    drawn : matplotlib Figure or Axes
        What to render.
    suffix : {".png", ".svg", ".pdf"}
        The format.
    outlines : bool
        In SVG: letters as outlines, the same everywhere; else as text, which can be selected and searched.
    transparent : bool
        Leave the background to the page.

    Returns
    -------
    bytes
        Without date, and with identifiers that depend on nothing but the figure.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure: Any = drawn
    while not isinstance(figure, Figure):
        figure = figure.figure
    buffer = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "bestby", "svg.fonttype": "path" if outlines else "none"}):
        figure.savefig(
            buffer,
            format=suffix[1:],
            dpi=200,
            bbox_inches="tight",
            transparent=transparent,
            metadata=_METADATA[suffix],
        )
    return buffer.getvalue()


def _metric(c: Comparison, name: str | None) -> MetricInfo:
    for metric in c.metrics:
        if name is None or metric.name == name:
            return metric
    raise InvalidInputError(
        f"no metric {name!r} in this comparison",
        hint=f"metrics: {', '.join(metric.name for metric in c.metrics)}",
    )


def _lines(c: Comparison, metric: MetricInfo) -> list[_Line]:
    """Return headers and pairs from top to bottom."""
    entries = systems_of(c, metric)
    digits = score_rounding(c, metric)
    written = {entry.system: digits.text(entry.score) for entry in entries}
    differences = differences_of(c, metric)
    if c.baseline is not None:
        base = _GAP.join((c.baseline, written.get(c.baseline, ""), "baseline"))
        return [
            _Line(base, None),
            *(_Line(f"{d.a} ({written[d.a]}) {MINUS} {d.b}", d) for d in differences),
        ]
    lines: list[_Line] = []
    for entry in entries:
        lines.append(_Line(_header(entry, digits), None))
        lines += [_Line(f"{d.a} {MINUS} {d.b}", d) for d in differences if d.a == entry.system]
    return lines


def _header(entry: SystemScore, digits: Rounding) -> str:
    return _GAP.join(part for part in (entry.system, digits.text(entry.score), entry.group) if part)


def _minus(value: float | None) -> float | None:
    return None if value is None else -value


def _axes(width: float, height: float) -> Axes:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure.add_subplot()


def _limits(
    axes: Axes,
    measured: Sequence[tuple[float, Interval]],
    reach: Sequence[float | None] = (),
    room: float = 0.06,
) -> None:
    """Let the axis hold every finite end, and a share of `room` more on both sides."""
    from matplotlib.ticker import MaxNLocator

    values = [v for estimate, i in measured for v in (estimate, i.low, i.high) if math.isfinite(v)]
    values += [value for value in reach if value is not None]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    beyond = room * (high - low) or 0.05 * max(abs(high), 1.0)
    axes.set_xlim(low - beyond, high + beyond)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))


def _guides(axes: Axes, margin: float | None) -> None:
    if margin is not None:
        axes.axvspan(-margin, margin, facecolor=BAND, edgecolor="none", zorder=0, gid="margin")
    axes.axvline(0.0, color=FAINT, linewidth=1.0, zorder=1, gid="zero")


def _mark(axes: Axes, position: float, estimate: float, interval: Interval, *, filled: bool) -> None:
    """Draw an interval as a line, its estimate as a marker; an infinite end runs out of the picture."""
    left, right = axes.get_xlim()
    if not (math.isnan(interval.low) or math.isnan(interval.high)):
        ends = (max(interval.low, left), min(interval.high, right))
        axes.plot(ends, (position, position), color=ACCENT, linewidth=1.8, solid_capstyle="butt", zorder=2)
        for end in (interval.low, interval.high):
            if math.isfinite(end):
                axes.plot(
                    end, position, marker="|", color=ACCENT, markersize=7, markeredgewidth=1.8, zorder=2
                )
    axes.plot(
        estimate,
        position,
        marker="o",
        markersize=6.5,
        markerfacecolor=ACCENT if filled else PAPER,
        markeredgecolor=ACCENT,
        markeredgewidth=1.6,
        linestyle="none",
        zorder=3,
    )


def _number(axes: Axes, position: float, text: str) -> None:
    """Write numbers to the right of the axes, on their line."""
    axes.annotate(
        text,
        (1.0, position),
        xycoords=axes.get_yaxis_transform(),
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
        ha="left",
        color=INK,
        fontsize=9,
        annotation_clip=False,
        parse_math=False,
    )


def _labels(axes: Axes, lines: Sequence[_Line], *, bold: bool = True) -> None:
    """Label the lines, headers bold, and take away what a forest does not need."""
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.set_yticks(range(len(lines)), [line.label for line in lines], parse_math=False)
    for label, line in zip(axes.get_yticklabels(), lines, strict=True):
        label.set_color(INK)
        if line.difference is None and bold:
            label.set_fontweight("bold")
    axes.tick_params(axis="y", length=0)
    _bare(axes)


def _bare(axes: Axes) -> None:
    """Keep of the frame only the scale below."""
    axes.tick_params(axis="x", color=FAINT, labelcolor=INK)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)


def _axis_label(metric: MetricInfo, a: str = "A", b: str = "B") -> str:
    left, right = (b, a) if metric.greater_is_better else (a, b)
    return f"← {left} better{2 * _GAP}{metric.name}, {a} {MINUS} {b}{2 * _GAP}{right} better →"
