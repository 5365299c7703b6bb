"""How the scores of a study grow: with epochs, with training items, over time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import counted, quoted
from bestby.questions.study.result import ConditionScore, StudyComparison
from bestby.report.comparison import SystemScore
from bestby.report.figures.canvas import ACCENT, FAINT, INK, PAPER, SCREEN, Canvas, Sheet, figure
from bestby.report.figures.drawing import bare, key, label
from bestby.report.figures.systems import checked_kind, plot_systems
from bestby.report.figures.texts import name
from bestby.report.numbers import ends, percent
from bestby.report.tables import metric_info, systems_of
from bestby.report.words import computed, direction

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Place = float | datetime


@figure
def growth(
    c: StudyComparison, metric: str | None = None, by: Any = "epochs", *, canvas: Canvas = SCREEN
) -> Sheet:
    """Draw score and interval of every condition at its number of epochs, or at another number or date."""
    info = metric_info(c, metric)
    entries = systems_of(c, info)
    places = _places(entries, by)
    if len(set(places.values())) < 2:
        raise DesignError(
            f"a figure of growth needs two or more different places, got {len(set(places.values()))}",
            hint="by=PLACES gives each condition its number or date; or add runs with their epochs",
        )
    shown = sorted((entry for entry in entries if entry.system in places), key=lambda e: places[e.system])
    # The share of the room for a name: names stand beside their marks, in the axes
    axes, names = canvas.axes(), canvas.names([entry.system for entry in shown], 0.3)
    one_each = len({places[entry.system] for entry in shown}) == len(shown)
    if one_each:
        steps: list[Any] = [places[e.system] for e in shown]
        axes.plot(steps, [e.score for e in shown], color=FAINT, linewidth=1.0, zorder=1, gid="growth")
    for entry in shown:
        _point(axes, places[entry.system], entry, is_base=entry.system in _baselines(c))
        label(axes, names[entry.system], (places[entry.system], entry.score), (7, -8), fontsize="small")  # type: ignore[arg-type]
    _scale(axes, list(places.values()))
    axes.set_xlabel(by if isinstance(by, str) else "", color=INK)
    axes.set_ylabel(f"{name(info.name)} ({direction(info)})", color=INK, parse_math=False)
    left = len(entries) - len(shown)
    intervals = f" with {percent(c.level)} intervals" if computed(c, "interval") else ""
    keys = [key("baseline", filled=False), key("other conditions", filled=True)] if _baselines(c) else []
    foot = f"Not shown, as they have no place: {counted(left, 'condition')}." if left else ""
    return Sheet(axes, 2.7, 5.2, f"{name(info.name)}{intervals}, {c.extent}", keys, foot)


def _baselines(c: StudyComparison) -> tuple[str, ...]:
    return c.baselines or (() if c.baseline is None else (c.baseline,))


def _places(entries: Sequence[SystemScore], by: Any) -> dict[str, Place]:
    """Return the place of each condition that has one."""
    if isinstance(by, str):
        if by != "epochs":
            raise InvalidInputError(
                f"by must be 'epochs', or the number or the date of each condition, got {quoted(by)}",
                hint="by={'small': 1000, 'large': 5000}",
                argument="by",
            )
        epochs = {e.system: e.epochs for e in entries if isinstance(e, ConditionScore)}
        return {system: value for system, value in epochs.items() if value is not None}
    if not isinstance(by, Mapping):
        raise InvalidInputError(
            "by must be 'epochs', or a mapping of conditions to numbers or dates",
            hint="by={'small': 1000, 'large': 5000}",
            argument="by",
        )
    conditions = {entry.system for entry in entries}
    for system in by:
        if system not in conditions:
            raise InvalidInputError(
                f"by has {quoted(system)}, which is no condition of this result",
                hint=f"conditions: {', '.join(sorted(conditions))}",
                argument="by",
            )
    places = {system: _place(value) for system, value in by.items()}
    if len({isinstance(place, datetime) for place in places.values()}) > 1:
        raise InvalidInputError(
            "by has numbers and dates", hint="give all conditions the one or the other", argument="by"
        )
    return places


def _place(value: Any) -> Place:
    """Return a number, or a date, which may be text as `datetime.isoformat` writes it.

    >>> _place(3), _place("2026-01-31")
    (3.0, datetime.datetime(2026, 1, 31, 0, 0))
    """
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    with suppress(TypeError, ValueError):
        if isinstance(value, str):
            return datetime.fromisoformat(value).replace(tzinfo=None)
        if math.isfinite(number := float(value)):
            return number
    raise InvalidInputError(
        f"by must have a number or a date for each condition, got {quoted(value)}",
        hint="dates are written 2026-01-31",
        argument="by",
    )


def _point(axes: Axes, place: Any, entry: SystemScore, *, is_base: bool) -> None:
    """Draw a score and its interval upright."""
    low, high = ends(entry.interval)
    if entry.interval is not None:
        axes.plot((place, place), (low, high), color=ACCENT, linewidth=1.8, solid_capstyle="butt", zorder=2)
        style = {"marker": "_", "markersize": 7, "markeredgewidth": 1.8, "linestyle": "none"}
        axes.plot((place, place), (low, high), color=ACCENT, zorder=2, **style)  # type: ignore[arg-type]
    axes.plot(
        place,
        entry.score,
        marker="o",
        markersize=6.5,
        markerfacecolor=PAPER if is_base else ACCENT,
        markeredgecolor=ACCENT,
        markeredgewidth=1.6,
        linestyle="none",
        zorder=3,
        gid="score",
    )


def _scale(axes: Axes, places: Sequence[Place]) -> None:
    """Set up the scales: dates, numbers, or numbers far apart."""
    from matplotlib import dates
    from matplotlib.ticker import MaxNLocator

    axes.margins(x=0.12, y=0.12)
    if isinstance(places[0], datetime):
        locator: Any = dates.AutoDateLocator(maxticks=6)  # type: ignore[no-untyped-call]
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    # The largest place over the smallest from which the scale is logarithmic
    elif min(places) > 0 and max(places) / min(places) >= 30.0:  # type: ignore[operator]
        axes.set_xscale("log")
    elif all(isinstance(place, int | float) and float(place).is_integer() for place in places):
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10], integer=True))
    bare(axes)
    axes.grid(axis="y", color=FAINT, linewidth=0.4, alpha=0.5)
    axes.tick_params(axis="y", length=0, labelcolor=INK)


def study(c: StudyComparison, metric: str | None, kind: str, by: Any, canvas: Canvas) -> Axes:
    """Draw the comparison of a study; see `StudyComparison.plot`."""
    kind = checked_kind(kind, "study")
    if by is not None and kind != "growth":
        raise InvalidInputError(
            "by is for kind='growth'", hint="leave it out, or draw that kind", argument="by"
        )
    if kind == "growth":
        return growth(c, metric, "epochs" if by is None else by, canvas=canvas)
    return plot_systems(c, metric, kind, canvas)
