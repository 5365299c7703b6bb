"""What every figure is drawn with and written by, through matplotlib's objects and without pyplot."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bestby._core.errors import InvalidInputError
from bestby._core.text import grouped, path_text
from bestby.report.comparison import SystemScore
from bestby.report.figures.canvas import ACCENT, BAND, FAINT, FIXED_WIDTH, INK, PAPER, WORSE, Canvas
from bestby.report.figures.texts import BAR, GAP, name, one_warning, text_width
from bestby.report.numbers import MINUS, Rounding, alpha, ends, margin_text
from bestby.report.tables import letters_are_names
from bestby.report.words import computed, direction, is_one_comparison
from bestby.report.writers.files import write_bytes
from bestby.results.base import MetricInfo
from bestby.results.values import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ACCENT", "BAND", "FAINT", "GAP", "INK", "PAPER", "WORSE"]

ROW, DOTTED_ROW = 0.26, 0.42
"""Inches of a line of a list, and of one with dots beside its mark."""

_NUMBERS = 0.9
"""The size of numbers beside the axes, relative to that of labels."""

EDGE: dict[str, Any] = {"color": FAINT, "linewidth": 0.8, "linestyle": (0, (4, 2))}
"""The edges of the band of a margin: dashed, unlike the line of zero."""

_METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": "bestby"},
    ".svg": {"Date": None, "Creator": "bestby"},
    ".pdf": {"CreationDate": None, "Creator": "bestby", "Producer": None},
}


def limits(
    axes: Axes,
    measured: Sequence[tuple[float, Interval | None]],
    reach: Sequence[float | None] = (),
    room: float = 0.06,
    *,
    canvas: Canvas,
) -> None:
    """Let the axis hold every finite end, and a share of `room` more on both sides."""
    from matplotlib.ticker import MaxNLocator

    values = [v for estimate, i in measured for v in (estimate, *ends(i)) if math.isfinite(v)]
    values += [value for value in reach if value is not None]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    beyond = room * (high - low) or 0.05 * max(abs(high), 1.0)
    axes.set_xlim(low - beyond, high + beyond)
    bins = 3 if canvas.narrow else 5
    axes.xaxis.set_major_locator(MaxNLocator(nbins=bins, steps=[1, 2, 2.5, 5, 10]))


def guides(axes: Axes, margin: float | None) -> None:
    """Draw the zero line and the band of the margin, whose edges stand out where its colour does not."""
    if margin is not None:
        axes.axvspan(-margin, margin, facecolor=BAND, edgecolor="none", zorder=0, gid="margin")
        for side, edge in (("low", -margin), ("high", margin)):
            axes.axvline(edge, **EDGE, zorder=1, gid=f"margin-{side}")
    axes.axvline(0.0, color=FAINT, linewidth=1.0, zorder=1, gid="zero")


def mark(
    axes: Axes,
    position: float,
    estimate: float,
    interval: Interval | None,
    *,
    filled: bool,
    colour: str = ACCENT,
    shape: str = "o",
) -> None:
    """Draw an interval as a line, its estimate as a marker; an infinite end runs out of the picture."""
    left, right = axes.get_xlim()
    if interval is not None:
        reach = (max(interval.low, left), min(interval.high, right))
        axes.plot(reach, (position, position), color=colour, linewidth=1.8, solid_capstyle="butt", zorder=2)
        for end in (interval.low, interval.high):
            if math.isfinite(end):
                axes.plot(
                    end, position, marker="|", color=colour, markersize=7, markeredgewidth=1.8, zorder=2
                )
    axes.plot(estimate, position, zorder=3, **_marker(colour, shape, filled=filled))


def _marker(colour: str, shape: str, *, filled: bool) -> dict[str, Any]:
    return {
        "marker": shape,
        "markersize": 6.5,
        "markerfacecolor": colour if filled else PAPER,
        "markeredgecolor": colour,
        "markeredgewidth": 1.6,
        "linestyle": "none",
    }


def key(text: str, *, filled: bool, colour: str = ACCENT, shape: str = "o") -> Any:
    """Return the entry of a legend for a marker."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=text, **_marker(colour, shape, filled=filled))


def patch(text: str, colour: str, opacity: float = 1.0) -> Any:
    """Return the entry of a legend for an area."""
    from matplotlib.patches import Patch

    return Patch(facecolor=colour, edgecolor="none", alpha=opacity, label=text)


def margin_key(margin: float) -> Any:
    """Return the entry of a legend for the band of the margin, within its edges."""
    from matplotlib.patches import Patch

    style = {"linewidth": EDGE["linewidth"], "linestyle": EDGE["linestyle"]}
    text = f"within the margin, ±{margin_text(margin)}"
    return Patch(facecolor=BAND, edgecolor=EDGE["color"], label=text, **style)


def key_of_dots(text: str) -> Any:
    """Return the entry of a legend for small dots."""
    from matplotlib.lines import Line2D

    style = {"color": FAINT, "alpha": 0.65, "markeredgewidth": 0.0}
    return Line2D([], [], label=text, marker="o", markersize=4.5, linestyle="none", **style)  # type: ignore[arg-type]


def difference_keys(c: Any, margin: float | None, tested: str = "") -> list[Any]:
    """Return the legend of differences: what is filled and what is not, and the band of the margin."""
    keys = []
    if computed(c, "test"):
        keys = [key(tested or _significant(c), filled=True), key("not significant", filled=False)]
    elif computed(c, "interval"):
        keys = [key("interval without 0", filled=True), key("interval with 0", filled=False)]
    if margin is not None:
        keys.append(margin_key(margin))
    return keys


def _significant(c: Any) -> str:
    level = c.differences[0].level if c.differences else 0.95
    return f"significant: {p_tested(c)} ≤ {alpha(level):.6g}"


def p_tested(c: Any) -> str:
    """Return what the p-values are called that decide: those of a single pair have nothing to correct."""
    alone = c.correction == "none" or is_one_comparison(c)
    return "p" if alone else f"p ({c.correction})"


def numbers(
    axes: Axes,
    rows: Sequence[tuple[float, float, Interval | None, str]],
    digits: Rounding,
    canvas: Canvas,
) -> None:
    """Write estimates, intervals and marks to the right of the axes, on their lines, points below points."""
    size = _NUMBERS * canvas.size
    written = []
    for position, estimate, interval, sign in rows:
        both = digits.interval(interval).split(", ") if interval is not None else []
        parts = [digits.text(estimate), *(f"{part}{',' if i == 0 else ''}" for i, part in enumerate(both))]
        written.append((position, parts[:1] if canvas.narrow else parts, sign))
    right = size
    for place in range(max((len(parts) for _, parts, _ in written), default=0)):
        column = [(position, parts[place]) for position, parts, _ in written if place < len(parts)]
        split = [(position, text, _fraction(text)) for position, text in column]
        point = right + max(text_width(text.removesuffix(end), size) for _, text, end in split)
        for position, text, end in split:
            note(axes, position, text, canvas, point + text_width(end, size), ha="right")
        right = point + max(text_width(end, size) for *_, end in split) + size * (0.45 if place == 1 else 1.0)
    for position, _, sign in written:
        if sign:
            note(axes, position, sign, canvas, right)


def groups(entries: Sequence[SystemScore], canvas: Canvas) -> dict[str, str]:
    """Return the letters of the groups of each system, as "group a" if a system is called by such a letter.

    Long lists of numbers of groups have no place in a figure, nor many letters in a narrow one.
    """
    letters = {entry.system: entry.group if (entry.group or "").isalpha() else "" for entry in entries}
    word = "group " if letters_are_names(entries) else ""
    shown = {system: f"{word}{group}" if group else "" for system, group in letters.items()}
    # The longest list of groups that a narrow figure has room for
    if canvas.narrow and any(len(text) > len("group ab") for text in shown.values()):
        return dict.fromkeys(shown, "")
    return shown


def _fraction(text: str) -> str:
    """Return what follows the integer part of a number.

    >>> _fraction("[0.25,"), _fraction("12]")
    ('.25,', ']')
    """
    place = text.find(".")
    return text[place:] if place >= 0 else text[len(text.rstrip("],)")) :]


def note(axes: Axes, position: float, text: str, canvas: Canvas, at: float = 8.0, **style: Any) -> None:
    """Write a text to the right of the axes, at a distance in points."""
    place = {"xycoords": axes.get_yaxis_transform(), "fontsize": _NUMBERS * canvas.size, **style}
    place["va"] = "center_baseline"  # as the labels of a scale
    label(axes, text, (1.0, position), (at, 0), **place)


def label(axes: Axes, text: str, at: tuple[float, float], offset: tuple[float, float], **style: Any) -> None:
    """Write a text at a distance, in points, from a place."""
    style = {"ha": "left", "va": "center", "annotation_clip": False, **style}
    axes.annotate(text, at, xytext=offset, textcoords="offset points", color=INK, parse_math=False, **style)


def dots(axes: Axes, x: Sequence[float], y: Sequence[float], size: float, **style: Any) -> None:
    """Draw small dots beside a mark."""
    axes.plot(x, y, "o", color=FAINT, markersize=size, markeredgewidth=0.0, **style)


def score_label(axes: Axes, metric: MetricInfo) -> None:
    """Name the metric below its scale."""
    axes.set_xlabel(f"{name(metric.name)} ({direction(metric)})", color=INK, parse_math=False)


def sides(a: str, b: str, *, greater_is_better: bool) -> str:
    """Return on which side of 0 which system is better."""
    left, right = (b, a) if greater_is_better else (a, b)
    return f"← {left} better{BAR}{right} better →"


def difference_label(axes: Axes, metric: MetricInfo, a: str = "first", b: str = "second") -> None:
    """Say below the scale of differences on which side which system is better."""
    text = f"{sides(a, b, greater_is_better=metric.greater_is_better)}\n{name(metric.name)}, {a} {MINUS} {b}"
    axes.set_xlabel(text, color=INK, parse_math=False)


def labels(axes: Axes, texts: Sequence[str], bold: Sequence[bool]) -> None:
    """Label the lines from top to bottom, and take away what a forest does not need."""
    axes.set_ylim(len(texts) - 0.5, -0.5)
    axes.set_yticks(range(len(texts)), list(texts), parse_math=False)
    for one, strong in zip(axes.get_yticklabels(), bold, strict=True):
        one.set_color(INK)
        one.set_fontweight("bold" if strong else "normal")
    axes.tick_params(axis="y", length=0)
    bare(axes)


def bare(axes: Axes) -> None:
    """Keep of the frame only the scale below."""
    axes.tick_params(axis="x", color=FAINT, labelcolor=INK)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)


def left_scale(axes: Axes) -> None:
    """Keep of the frame only the scales below and on the left."""
    bare(axes)
    axes.spines["left"].set_visible(True)
    axes.spines["left"].set_color(FAINT)
    axes.tick_params(axis="y", color=FAINT, labelcolor=INK)


def save(picture: Figure | Axes, path: str | Path) -> None:
    """Write a figure as PNG, SVG or PDF; the same figure always gives the same bytes."""
    suffix = Path(path).suffix.lower()
    if suffix not in _METADATA:
        raise InvalidInputError(
            f"a figure is written as {', '.join(_METADATA)}, got {path_text(path)}",
            hint="change the suffix of the file",
        )
    write_bytes(path, render(picture, suffix))


def render(picture: Figure | Axes, suffix: str, *, transparent: bool = False, dpi: int = 200) -> bytes:
    """Return a figure as PNG, SVG or PDF without date; the letters of SVG and PDF stay letters.

    A figure whose width was given has exactly this width.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure: Any = picture
    while not isinstance(figure, Figure):
        figure = figure.figure
    buffer = io.BytesIO()
    settings: Any = {"svg.hashsalt": "bestby", "svg.fonttype": "none", "pdf.fonttype": 42}
    with mpl.rc_context(settings), one_warning(silent=suffix == ".svg"):  # its reader may have other fonts
        figure.savefig(
            buffer,
            format=suffix[1:],
            dpi=dpi,
            bbox_inches=None if figure.get_gid() == FIXED_WIDTH else "tight",
            transparent=transparent,
            metadata=_METADATA[suffix],
        )
    content = buffer.getvalue()
    # A reader without this font, which comes with matplotlib, has others of the same look.
    serif = b"'STIXGeneral'", b"'STIXGeneral', 'STIX Two Text', 'Times New Roman', Times, serif"
    return content.replace(*serif) if suffix == ".svg" else content


@contextlib.contextmanager
def default_style() -> Iterator[None]:
    """Draw in matplotlib's own style, whatever the user has set."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        yield


LINE_COLOURS = (ACCENT, "#a87900", "#009e73", "#cc79a7", WORSE, "#8367b8")
"""The colours of Okabe and Ito 2008, without the two that are too light for thin lines on white."""

LINE_STYLES = ("-", "--", "-.", ":")


def line_look(place: int) -> tuple[str, str]:
    """Return the colour of the line of a system and, for print without colour, its dashes."""
    again, hue = divmod(place, len(LINE_COLOURS))
    return LINE_COLOURS[hue], LINE_STYLES[(hue + again) % len(LINE_STYLES)]


def plain_ticks(axes: Axes, sizes: list[int]) -> None:
    """Label a logarithmic axis with plain numbers, and room on both sides."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    low, high = min(sizes), max(sizes)
    marks = [m * 10**e for e in range(9) for m in (1, 2, 5) if low <= m * 10**e <= high] or [low]
    axes.xaxis.set_major_locator(FixedLocator(marks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: grouped(round(value))))
    axes.set_xlim(low / 1.05, high * 1.05)
