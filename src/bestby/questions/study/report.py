"""The report of the comparison of a study, and how its scores grow: with epochs, training items, time."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import counted, quoted
from bestby.inference.multiplicity import rejects
from bestby.questions.items import report
from bestby.questions.items.report import sentences
from bestby.questions.study.result import ConditionScore, StudyComparison
from bestby.report import column, words
from bestby.report.column import Column
from bestby.report.comparison import Difference, SystemScore, better_by_score, winner_at
from bestby.report.document import Document
from bestby.report.fields import DIFFERENCE, N_RUNS, SCORE, Rows, attributes
from bestby.report.figures.canvas import ACCENT, FAINT, INK, PAPER, SCREEN, Canvas, Sheet, figure
from bestby.report.figures.drawing import bare, key, label
from bestby.report.figures.systems import checked_kind, plot_systems
from bestby.report.figures.texts import name
from bestby.report.numbers import ends, excludes_zero, percent
from bestby.report.tables import (
    Table,
    differences_table,
    metric_info,
    score_rounding,
    systems_of,
    systems_table,
)
from bestby.report.words import computed, direction, listed
from bestby.report.writers.csv import lines
from bestby.results.base import MetricInfo

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def document(c: StudyComparison) -> Document:
    """Return the report of a study: that of a comparison, with the conditions and their runs."""
    plain = report.document(c)
    n_conditions = len({entry.system for entry in c.systems})
    baselines = f", against the baselines {', '.join(c.baselines)}" if len(c.baselines) > 1 else ""
    return dataclasses.replace(
        plain,
        title=f"{n_conditions} conditions compared by {listed([metric.name for metric in c.metrics], 3)}",
        subtitle=plain.subtitle + baselines,
        sections=tuple(
            dataclasses.replace(
                section, lead=_lead(c, metric), tables=(_conditions(c, metric), differences_table(c, metric))
            )
            for metric, section in zip(c.metrics, plain.sections, strict=True)
        ),
        overview=None,
        by_metric=None,
    )


def _lead(c: StudyComparison, metric: MetricInfo) -> str:
    """Return the headline; with several baselines one for each."""
    if len(c.baselines) < 2:
        return words.headline(c, metric)
    views = [
        dataclasses.replace(
            c, baseline=base, differences=tuple(d for d in c.differences if base in (d.a, d.b))
        )
        for base in c.baselines
    ]
    return " ".join(words.headline(view, metric) for view in views if view.differences)


def _conditions(c: StudyComparison, metric: MetricInfo) -> Table:
    """Return the table of conditions: that of systems, with the runs and how they vary."""
    columns: tuple[Column, ...] = (
        column.number("sd of runs", score_rounding(c, metric), attrgetter("sd")),
        column.count("runs", attrgetter("n_runs")),
    )
    if all(entry.n_runs == 1 for entry in c.systems if entry.metric == metric.name):
        columns = ()
    return systems_table(c, metric, beside_score=columns, kind="condition", baselines=c.baselines)


TABLES = {
    "differences": Rows((*DIFFERENCE, *N_RUNS), attrgetter("differences")),
    "scores": Rows((*SCORE, *attributes("n_runs", "sd", "epochs")), attrgetter("systems")),
    "classes": report.TABLES["classes"],
}


def dictionary(c: StudyComparison) -> dict[str, Any]:
    """Return the comparison as dictionaries and lists."""
    plain = report.dictionary(c)
    systems = [
        row | {"runs": entry.runs} for row, entry in zip(TABLES["scores"].rows(c), c.systems, strict=True)
    ]
    differences = TABLES["differences"].rows(c)
    return {**plain, "baselines": list(c.baselines), "systems": systems, "differences": differences}


def results_tsv(c: StudyComparison) -> str:
    """Return the table that BooStSa 0.2.13 writes: per baseline its row, then those of its treatments."""
    if not c.baselines:
        raise DesignError(
            "a results.tsv has rows of baselines and treatments, but here every two conditions were compared",
            hint="name a baseline: baseline=...",
        )
    names = [_COLUMNS_OF_BOOSTSA.get(metric.name, metric.name) for metric in c.metrics]
    rows = [["", "mean_epochs", *(part + name for name in names for part in ("", "d_", "s_", "std_"))]]
    conditions = list(c.provenance.data["conditions"])
    for base in c.baselines:
        treatments = dict.fromkeys(d.a for d in c.differences if d.b == base)
        if treatments:
            rows += [_tsv_row(c, name, base) for name in (base, *sorted(treatments, key=conditions.index))]
    return lines(rows, "\t")


_COLUMNS_OF_BOOSTSA = {
    "f1_macro": "f1",
    "accuracy": "acc",
    "precision_macro": "prec",
    "recall_macro": "rec",
    "js_distance": "jsd",
    "cross_entropy": "ce",
    "entropy_similarity": "sim",
    "entropy_correlation": "cor",
}
"""What the columns of its ``results.tsv`` are called; other metrics keep their names."""


def _tsv_row(c: StudyComparison, name: str, base: str) -> list[str]:
    scores = [entry for entry in c.systems if entry.system == name]
    epochs = scores[0].epochs
    cells = [name, "" if epochs is None else repr(float(epochs))]
    for entry in scores:
        difference = mark = ""
        if name != base:
            d = c[name, base, entry.metric]
            difference, mark = _decimals(d.estimate), _mark(d)
        cells += [_decimals(entry.score), difference, mark, _decimals(entry.sd)]
    return cells


def _decimals(value: float) -> str:
    return "" if math.isnan(value) else f"{round(value, 4) + 0.0:.4f}"  # + 0.0: no minus before a zero


def _mark(d: Difference) -> str:
    """Return the stars of a treatment that is better than its baseline; "!" if it is worse."""
    better = winner_at(d, 0.05)
    if better is None:
        # A one-sided test never finds a treatment to be worse; the interval, always two-sided, can.
        one_sided = d.test is not None and d.test.alternative != "two-sided"
        return "!" if one_sided and better_by_score(d) == d.b and excludes_zero(d.interval) else ""
    if better != d.a:
        return "!"
    return "**" if d.p_adjusted is not None and rejects(d.p_adjusted, 0.01) else "*"


__all__ = ["sentences"]


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
    return Sheet(axes, 2.7, 5.2, f"Scores{intervals}, {c.extent}", keys, foot)


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
        ticks = sorted({float(place) for place in places})  # type: ignore[arg-type]
        # A number at each place, where there is room for it
        if min(b - a for a, b in pairwise(ticks)) >= (ticks[-1] - ticks[0]) / 12.0:
            axes.set_xticks(ticks)
        else:
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
