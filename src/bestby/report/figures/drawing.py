"""What every figure is drawn with and written by, through matplotlib's objects and without pyplot."""

from __future__ import annotations

import contextlib
import io
import math
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bestby._core.errors import InvalidInputError
from bestby._core.text import path_text
from bestby.report.figures.fonts import columns, name, one_warning
from bestby.report.numbers import MINUS, Rounding, ends
from bestby.report.words import direction
from bestby.report.writers.files import write_bytes
from bestby.results.base import MetricInfo
from bestby.results.values import Interval

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
WORSE = "#d55e00"
"""A system that is behind; the page leaves this colour as it is."""

_WRAPPED, _BELOW = 100, -40  # letters of a line below the scale, and points from the scale down to it

GAP = 3 * "\N{NO-BREAK SPACE}"
"""Between parts of a line: SVG makes one of several plain spaces."""

_METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": "bestby"},
    ".svg": {"Date": None, "Creator": "bestby"},
    ".pdf": {"CreationDate": None, "Creator": "bestby", "Producer": None},
}


def new_axes(width: float, height: float) -> Axes:
    """Return the axes of a new figure, its size in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure.add_subplot()


def listing(texts: Sequence[str], row: float, beside: float = 1.15) -> Axes:
    """Return axes with room for labels on the left, a line of `row` inches each, and numbers on the right."""
    return new_axes(width=6.0 + 0.085 * columns(texts), height=row * len(texts) + beside)


def limits(
    axes: Axes,
    measured: Sequence[tuple[float, Interval | None]],
    reach: Sequence[float | None] = (),
    room: float = 0.06,
) -> None:
    """Let the axis hold every finite end, and a share of `room` more on both sides."""
    from matplotlib.ticker import MaxNLocator

    values = [v for estimate, i in measured for v in (estimate, *ends(i)) if math.isfinite(v)]
    values += [value for value in reach if value is not None]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    beyond = room * (high - low) or 0.05 * max(abs(high), 1.0)
    axes.set_xlim(low - beyond, high + beyond)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 2.5, 5, 10]))


def guides(axes: Axes, margin: float | None) -> None:
    """Draw the zero line and the band of the margin."""
    if margin is not None:
        axes.axvspan(-margin, margin, facecolor=BAND, edgecolor="none", zorder=0, gid="margin")
    axes.axvline(0.0, color=FAINT, linewidth=1.0, zorder=1, gid="zero")


def mark(axes: Axes, position: float, estimate: float, interval: Interval | None, *, filled: bool) -> None:
    """Draw an interval as a line, its estimate as a marker; an infinite end runs out of the picture."""
    left, right = axes.get_xlim()
    if interval is not None:
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


def number(
    axes: Axes,
    position: float,
    digits: Rounding,
    estimate: float,
    interval: Interval | None,
    mark: str = "",
) -> None:
    """Write an estimate, its interval and a mark to the right of the axes, on their line."""
    text = digits.text(estimate) + ("" if interval is None else f"{GAP}{digits.interval(interval)}")
    note(axes, position, f"{text} {mark}".rstrip())


def below(axes: Axes, text: str) -> None:
    """Write lines below the scale and its label, as wide as the figure."""
    if not text:
        return
    shown = "\n".join(textwrap.fill(line, _WRAPPED) for line in text.splitlines())
    label(axes, shown, (0.0, 0.0), (0, _BELOW), xycoords="axes fraction", va="top", fontsize=8)


def note(axes: Axes, position: float, text: str) -> None:
    """Write a text to the right of the axes."""
    label(axes, text, (1.0, position), (8, 0), xycoords=axes.get_yaxis_transform(), fontsize=9)


def label(axes: Axes, text: str, at: tuple[float, float], offset: tuple[float, float], **style: Any) -> None:
    """Write a text at a distance, in points, from a place."""
    style = {"ha": "left", "va": "center", "annotation_clip": False, **style}
    axes.annotate(text, at, xytext=offset, textcoords="offset points", color=INK, parse_math=False, **style)


def dots(axes: Axes, x: Sequence[float], y: Sequence[float], size: float, **style: Any) -> None:
    """Draw small dots beside a mark."""
    axes.plot(x, y, "o", color=FAINT, markersize=size, markeredgewidth=0.0, **style)


def title(axes: Axes, text: str, **style: Any) -> None:
    """Write the title over the left end of the axes."""
    axes.set_title(text, loc="left", color=INK, fontsize="medium", parse_math=False, **style)


def score_label(axes: Axes, metric: MetricInfo) -> None:
    """Name the metric below its scale."""
    axes.set_xlabel(f"{name(metric.name)} ({direction(metric)})", color=INK, parse_math=False)


def difference_label(axes: Axes, metric: MetricInfo, a: str = "A", b: str = "B") -> None:
    """Say below the scale of differences on which side which system is better."""
    left, right = (b, a) if metric.greater_is_better else (a, b)
    text = f"← {left} better{2 * GAP}{name(metric.name)}, {a} {MINUS} {b}{2 * GAP}{right} better →"
    axes.set_xlabel(text, color=INK, parse_math=False)


def labels(axes: Axes, texts: Sequence[str], bold: Sequence[bool]) -> None:
    """Label the lines from top to bottom, and take away what a forest does not need."""
    axes.set_ylim(len(texts) - 0.5, -0.5)
    axes.set_yticks(range(len(texts)), list(texts), parse_math=False)
    for label, strong in zip(axes.get_yticklabels(), bold, strict=True):
        label.set_color(INK)
        label.set_fontweight("bold" if strong else "normal")
    axes.tick_params(axis="y", length=0)
    bare(axes)


def bare(axes: Axes) -> None:
    """Keep of the frame only the scale below."""
    axes.tick_params(axis="x", color=FAINT, labelcolor=INK)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)


def save(picture: Figure | Axes, path: str | Path) -> None:
    """Write a figure as PNG, SVG or PDF; the same figure always gives the same bytes."""
    suffix = Path(path).suffix.lower()
    if suffix not in _METADATA:
        raise InvalidInputError(
            f"a figure is written as {', '.join(_METADATA)}, got {path_text(path)}",
            hint="change the suffix of the file",
        )
    write_bytes(path, render(picture, suffix))


def render(picture: Figure | Axes, suffix: str, *, outlines: bool = True, transparent: bool = False) -> bytes:
    """Return a figure as PNG, SVG or PDF without date; `outlines` draws the letters of SVG as shapes."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure: Any = picture
    while not isinstance(figure, Figure):
        figure = figure.figure
    buffer = io.BytesIO()
    with (
        mpl.rc_context({"svg.hashsalt": "bestby", "svg.fonttype": "path" if outlines else "none"}),
        one_warning(silent=not outlines),
    ):
        figure.savefig(
            buffer,
            format=suffix[1:],
            dpi=200,
            bbox_inches="tight",
            transparent=transparent,
            metadata=_METADATA[suffix],
        )
    return buffer.getvalue()


@contextlib.contextmanager
def default_style() -> Iterator[None]:
    """Draw in matplotlib's own style, whatever the user has set."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        yield
