"""What the report of a comparison by a judge says of the judge itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, fields
from functools import partial
from operator import itemgetter
from typing import Any

from bestby._core import rounding
from bestby.questions.judged.figure import judge as draw
from bestby.questions.judged.judge_quality_result import CalibrationBin, Favour, JudgeOfSystem, JudgeQuality
from bestby.questions.judged.result import JudgedComparison
from bestby.report import column
from bestby.report.column import Cell, Column
from bestby.report.document import Picture
from bestby.report.fields import TEST, Field, Rows, attributes, inside, interval_ends
from bestby.report.numbers import (
    DASH,
    MINUS,
    Rounding,
    alpha,
    difference_text,
    p_clause,
    p_text,
    percent,
)
from bestby.report.percent import unit_of
from bestby.report.tables import Table


def tables(c: JudgedComparison) -> Iterator[Table]:
    """Yield the tables on the judges that have something to say."""
    of_systems = [(j.judge, s) for j in c.judges for s in j.systems]
    if not of_systems:  # the labels are of other items: a calibration set
        return
    yield _agreement(c, of_systems)
    if any(s.sensitivity is not None or s.specificity is not None for _, s in of_systems):
        yield _shares(c, of_systems)
    yield _calibration(c)
    if any(j.effects for j in c.judges):
        yield _effects(c)


def pictures(c: JudgedComparison) -> Iterator[Picture]:
    """Yield the figure of humans against each judge."""
    caption = "Each point is the mean human score of labelled items to which the judge gave about that score."
    for j in c.judges:
        yield Picture(f"Human scores by those of {_judge_name(c, j)}", caption, partial(draw, c, j.judge))


def remarks(c: JudgedComparison) -> Iterator[str]:
    """Yield whether a judge favours a system, whether its error differs, and how far humans agree."""
    level = alpha(c.level)
    for j in c.judges:
        yield from _favour(c, j, level)
        if j.equal_bias is None:
            continue
        p = p_clause(j.equal_bias.p_value, level)
        who = _judge_name(c, j)
        if rounding.at_most(j.equal_bias.p_value, level):
            yield (
                f"The error of {who} differs between the systems ({p}), so its scores alone do not rank them."
            )
        else:
            yield f"No difference in the bias of {who} between the systems is shown ({p})."
    if c.humans is not None:
        reliable = c.humans.reliability
        ceiling = "" if reliable is None else (
            f": their reliability is {reliable:.2f}, so that no judge can be expected to correlate with the"
            f" labels by more than {reliable**0.5:.2f}"
        )  # fmt: skip
        yield f"{c.humans.n_labels} labels are means of several humans{ceiling}."


def _favour(c: JudgedComparison, j: JudgeQuality, level: float) -> Iterator[str]:
    """Yield whom a judge favours: a system to which it gives more where the humans score answers alike."""
    who = _judge_name(c, j)
    name = "p (holm)" if len(j.favour) > 1 else "p"
    shown = [one for one in j.favour if rounding.at_most(one.p_adjusted, level)]
    if j.favour and not shown:
        p = p_clause(min(one.p_adjusted for one in j.favour), level, name)
        yield (
            f"{who[0].upper()}{who[1:]} is not shown to favour a system: where the humans score answers"
            f" alike, no difference between its scores of the systems is significant ({p})."
        )
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in shown:
        up, down = one.highest, one.lowest
        reason = f"{_given(c, j, one)} ({p_clause(one.p_adjusted, level, name)})"
        reasons.setdefault((up, down) if c.metrics[0].greater_is_better else (down, up), []).append(reason)
    for (up, down), why in reasons.items():
        # On another scale nothing says whether a greater score of the judge is a better one.
        favours = f"favours {up} over {down}" if c.scale == "same" else f"treats {up} and {down} differently"
        yield f"{who[0].upper()}{who[1:]} {favours}: {', and '.join(why)}."


def _given(c: JudgedComparison, j: JudgeQuality, one: Favour) -> str:
    """Return what the judge gives to the answers of two systems that the humans score alike."""
    if one.label is None:
        return f"at equal human scores it gives {one.highest} {difference_text(one.difference)} more"
    rate = "sensitivity" if one.label == 1.0 else "specificity"
    of = {s.system: s for s in j.systems}
    digits = _digits([(j.judge, s) for s in j.systems], rate)
    high, low = (digits.text(getattr(of[name], rate)) for name in (one.highest, one.lowest))
    return f"its {rate}{_unit(c)} is {high} for {one.highest} and {low} for {one.lowest}"


def _judge_name(c: JudgedComparison, j: JudgeQuality) -> str:
    return "the judge" if len(c.judges) == 1 else f"judge {j.judge}"


def _unit(c: JudgedComparison) -> str:
    """Return what follows the names of numbers on the human scale."""
    return unit_of(c.metrics[0])


def _judge(c: JudgedComparison) -> Column:
    return column.text("judge", itemgetter(0), applies=len(c.judges) > 1)


def _digits(entries: Iterable[tuple[Any, JudgeOfSystem]], name: str) -> Rounding:
    """Return how to round one of the numbers that have intervals."""
    pairs = [(getattr(s, name), getattr(s, f"{name}_interval")) for _, s in entries]
    return Rounding.of([pair for pair in pairs if pair[0] is not None])


def _field(name: str) -> Callable[[Any], Any]:
    return lambda entry: getattr(entry[1], name)


def _agreement(c: JudgedComparison, entries: list[tuple[str, JudgeOfSystem]]) -> Table:
    bias, correlation = _digits(entries, "bias"), _digits(entries, "pearson")
    same = c.scale == "same"
    columns = (
        _judge(c),
        column.name("system", _field("system")),
        column.count("labels", _field("n_labels")),
        column.number(f"bias{_unit(c)}", bias, _field("bias"), applies=same),
        column.interval(c.level, bias, _field("bias_interval"), applies=same),
        column.number("Pearson", correlation, _field("pearson")),
        column.interval(c.level, correlation, _field("pearson_interval")),
        column.number("Spearman", correlation, _field("spearman")),
    )
    minus = ": bias is judge minus human" if same else ""
    return Table.of(f"The judge against the humans{minus}", columns, entries, part="judge", main=2)


def _shares(c: JudgedComparison, entries: list[tuple[str, JudgeOfSystem]]) -> Table:
    columns = [_judge(c), column.name("system", _field("system"))]
    for name in ("sensitivity", "specificity"):
        digits = _digits(entries, name)
        columns += [
            column.number(f"{name}{_unit(c)}", digits, _field(name)),
            column.interval(c.level, digits, _field(f"{name}_interval")),
        ]
    columns.append(column.number("kappa", _digits(entries, "pearson"), _field("kappa")))
    caption = "The judge on items that the humans gave 1 (sensitivity) and 0 (specificity),"
    caption += f" {percent(c.level)} intervals"
    return Table.of(caption, tuple(columns), entries, part="judge's errors", main=2)


def _calibration(c: JudgedComparison) -> Table:
    entries = [(j.judge, one) for j in c.judges for one in j.calibration]
    digits = Rounding.of([(one.human, one.interval) for _, one in entries])
    of_judge = _unit(c) if c.scale == "same" else ""
    columns = (
        _judge(c),
        Column(f"judge's score{of_judge}", lambda e: Cell(_range(e[1]), e[1].low)),
        column.count("labels", _field("n_labels")),
        column.number(f"judge{of_judge}", digits, _field("judge")),
        column.number(f"human{_unit(c)}", digits, _field("human")),
        column.interval(c.level, digits, _field("interval")),
    )
    return Table.of(
        "Mean human score by the judge's score, all systems together", columns, entries, part="calibration"
    )


def _range(one: CalibrationBin) -> str:
    low, high = (f"{x:.3g}".replace("-", MINUS) for x in (one.low, one.high))
    return low if one.low == one.high else f"{low} to {high}"


def _effects(c: JudgedComparison) -> Table:
    entries = list(_effect_rows(c))
    level = alpha(c.level)

    def digits(e: dict[str, Any]) -> Rounding:
        """Units differ from column to column, and so do the decimals."""
        same = [one for one in entries if one["column"] == e["column"] and one["bias"] is not None]
        return Rounding.of([(one["bias"], one["interval"]) for one in same])

    def p_value(e: dict[str, Any]) -> Cell:
        p = e["p_value"]
        if e["again"] or p is None:
            return Cell("" if e["again"] else DASH, 2.0)
        return Cell(p_text(p, level), p)

    columns = (
        column.text("judge", itemgetter("judge"), applies=len(c.judges) > 1),
        column.name("column", itemgetter("column")),
        column.text("value", lambda e: e["value"] or "per unit"),
        Column(f"bias{_unit(c)}", lambda e: column.number_cell(digits(e), e["bias"])),
        Column(f"{percent(c.level)} interval", lambda e: column.interval_cell(digits(e), e["interval"])),
        Column("p", p_value),
    )
    caption = (
        "What the judge's bias goes with, inside the systems: how much it rises per unit of a number, or its"
        " mean for a value; p-values are not corrected for the number of columns"
    )
    return Table.of(
        caption,
        columns,
        entries,
        lambda e: e["p_value"] is not None and rounding.at_most(e["p_value"], level),
        part="bias",
        main=2,
    )


def _effect_rows(c: JudgedComparison) -> Iterator[dict[str, Any]]:
    """Yield a row per column of numbers, and per value of other columns."""
    for j in c.judges:
        for one in j.effects:
            shared = {"judge": j.judge, "column": one.column, "p_value": one.p_value}
            if not one.levels:
                yield {**shared, "value": None, "bias": one.slope, "interval": one.interval,
                       "n_labels": None, "again": False}  # fmt: skip
            for place, of in enumerate(one.levels):
                yield {**shared, "value": of.value, "bias": of.bias, "interval": of.interval,
                       "n_labels": of.n_labels, "again": place > 0}  # fmt: skip


# -- rows --------------------------------------------------------------------------------------------


def _ends(name: str) -> tuple[Field, Field]:
    return interval_ends(f"{name}_interval", f"{name}_low", f"{name}_high", needs=())


def _by_judge(part: str) -> Callable[[JudgedComparison], Iterator[tuple[str, Any]]]:
    """Return what yields the entries of a part of the report on judges, each after the name of its judge."""
    return lambda c: ((j.judge, one) for j in c.judges for one in getattr(j, part))


TABLES = {
    "judges": Rows(
        (
            Field("judge", "0"),
            *inside(
                "1",
                (
                    *attributes("system", "n_labels", "bias"),
                    *_ends("bias"),
                    Field("pearson"),
                    *_ends("pearson"),
                    *attributes("spearman", "sensitivity"),
                    *_ends("sensitivity"),
                    Field("specificity"),
                    *_ends("specificity"),
                    Field("kappa"),
                ),
            ),
        ),
        _by_judge("systems"),
    ),
    "calibration": Rows(
        (
            Field("judge", "0"),
            Field("judge_low", "1.low"),
            Field("judge_high", "1.high"),
            Field("judge_mean", "1.judge"),
            Field("human_mean", "1.human"),
            Field("human_low", "1.interval.low", absent=math.nan),
            Field("human_high", "1.interval.high", absent=math.nan),
            Field("n_labels", "1.n_labels"),
        ),
        _by_judge("calibration"),
    ),
    "bias": Rows(
        (
            *attributes("judge", "column", "value", "bias"),
            *interval_ends("interval"),
            Field("n_labels"),
            Field("p_value", needs=TEST),
        ),
        _effect_rows,
    ),
    "favour": Rows(
        (
            Field("judge", "0"),
            *inside(
                "1",
                (
                    Field(one.name, needs=TEST if one.name in ("p_value", "p_adjusted") else ())
                    for one in fields(Favour)
                ),
            ),
        ),
        _by_judge("favour"),
    ),
}


def dictionary(c: JudgedComparison) -> dict[str, Any]:
    """Return the report on the judges as dictionaries and lists."""
    return {
        "judges": [
            {"judge": j.judge, "equal_bias": None if j.equal_bias is None else asdict(j.equal_bias)}
            for j in c.judges
        ],
        "favour": TABLES["favour"].rows(c),
        "judge_by_system": TABLES["judges"].rows(c),
        "calibration": TABLES["calibration"].rows(c),
        "bias": TABLES["bias"].rows(c),
        "humans": None if c.humans is None else asdict(c.humans),
    }
