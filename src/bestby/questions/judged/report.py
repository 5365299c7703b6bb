"""The report of a comparison by a judge and a few human labels, its figure, and its paragraph for a paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from functools import partial
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from bestby._core import rounding
from bestby._core.errors import InvalidInputError
from bestby._core.text import grouped, visible
from bestby.questions.judged.result import (
    HUMAN_SCORE,
    CalibrationBin,
    Favour,
    JudgedComparison,
    JudgedDifference,
    JudgedScore,
    JudgeOfSystem,
    JudgeQuality,
    JudgeWorth,
    mean_of_known,
)
from bestby.report import column, data, words
from bestby.report.column import Cell, Column
from bestby.report.document import MOST_PAIRS, Document, Picture, forest_picture, one_section, subtitle
from bestby.report.fields import (
    DIFFERENCE,
    SCORE,
    TEST,
    Field,
    Rows,
    attributes,
    best_fields,
    inside,
    interval_ends,
    values,
)
from bestby.report.figures import drawing, forest
from bestby.report.figures.canvas import ACCENT, FAINT, INK, SCREEN, Canvas, Sheet, figure
from bestby.report.figures.systems import checked_kind, plot_systems
from bestby.report.figures.texts import name
from bestby.report.numbers import (
    DASH,
    MINUS,
    Rounding,
    alpha,
    difference_text,
    excludes_zero,
    p_clause,
    p_text,
    percent,
)
from bestby.report.paper import against, inference, named, set_of_best
from bestby.report.percent import unit_of
from bestby.report.references import cite
from bestby.report.tables import (
    Table,
    difference_rounding,
    differences_table,
    marks,
    pairs_matrix,
    systems_table,
    why_marked,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_METHOD = (
    "Scores: prediction-powered inference with tuning, one regression of the human scores on the judge's"
    " scores of all systems."
)

_BY_LABELS = (
    "Scores: by the human labels, corrected by those of the judge (prediction-powered inference with tuning,"
    " one set of coefficients for all systems and resamples)."
)

_BY_RATES = "Scores: the judge's shares, corrected by its error rates on a calibration set (Rogan-Gladen)."


def document(c: JudgedComparison) -> Document:
    """Return the report: corrected means, their differences, and what judge and labels say alone."""
    metric, digits = c.metrics[0], difference_rounding(c)
    by_rates = c.labels_drawn == "calibration"
    judge_scores = column.number(
        f"judge alone{unit_of(metric)}",
        Rounding.for_scores([(s.score, s.interval) for s in c.systems]),
        attrgetter("judge_score"),
    )
    judge_column = (judge_scores,) if by_rates else ()
    how = _BY_RATES if by_rates else _BY_LABELS if c.provenance.n_resamples else _METHOD
    score = "mean human score" if metric.name == HUMAN_SCORE else metric.name
    pictures: tuple[Picture, ...] = ()
    if 1 <= len(c.differences) <= MOST_PAIRS:
        pictures = (forest_picture(c, metric.name, len(c.differences), partial(forest.forest, c)),)
    return one_section(
        c,
        title=f"{len(c.systems)} systems compared by a judge and human labels",
        subtitle=subtitle(c, c.extent),
        methods=f"{how} {words.methods_sentence(c)}",
        name=metric.name,
        lead=f"{_contradictions(c)}{words.headline(c, metric)}",
        tables=(
            systems_table(c, metric, beside_score=judge_column, score=f"the corrected {score}", methods=how),
            differences_table(c, metric),
            *(() if by_rates else (_sources_of_scores(c), _sources_of_differences(c))),
            *_worth_tables(c),
            *_judge_tables(c),
        ),
        remarks=() if by_rates else (_worth_sentence(c), *_judge_remarks(c)),
        details=() if by_rates else tuple(_worth_remarks(c)),
        pictures=(*pictures, *_judge_pictures(c)),
        readings=tuple(words.difference_sentence(d, digits) for d in c.differences),
        pairs=partial(pairs_matrix, c, metric),
    )


def _contradictions(c: JudgedComparison) -> str:
    """Return in which pairs the judge and the labels disagree on the better score; nothing if in none."""
    pairs = c.contradicted
    if not pairs:
        return ""
    label = "the corrected scores say" if c.labels_drawn == "calibration" else "the labels say"
    sentences = []
    # Pairs that the first line names
    for d in pairs[:3]:
        labels = d.estimate if d.labels_estimate is None else d.labels_estimate
        first, second = (d.a, d.b) if (labels > 0.0) == c.metrics[0].greater_is_better else (d.b, d.a)
        by = [difference_text(abs(x)) for x in (d.judge_estimate, labels)]
        sentences.append(
            f"the judge says {second} (by {by[0]}), {label} {first} (by {by[1]}){_unless_shown(d)}"
        )
    more = len(pairs) - len(sentences)
    rest = f"; and so for {more} more of the {len(c.differences)} pairs" if more else ""
    text = "; ".join(sentences) + rest
    return f"{text[0].upper()}{text[1:]}. "


def _unless_shown(d: JudgedDifference) -> str:
    """Return that a reverse may be chance: neither the labels alone nor the corrected scores show more."""
    shown = d.significant or excludes_zero(d.labels_interval)
    return "" if shown else ", and the two cannot be told apart by either"


def _worth_sentence(c: JudgedComparison) -> str:
    """Return what the judge was worth, in labels, or all judges together."""
    who, are = ("the judge", "is") if c.n_judges == 1 else (f"the {c.n_judges} judges together", "are")
    worths = [d.extra_labels for d in c.differences if d.extra_labels is not None]
    if not worths:
        return f"What {who} {are} worth cannot be said, as an error is 0."
    least, most = min(worths), max(worths)
    shared = c.differences[0].n_labels if len(c.differences) == 1 else 0
    labels = shared or c.n_labelled
    if most < 0.5:
        return (
            f"For these differences {who} {are} worth nothing beside the {labels} labels: these alone are"
            " as precise."
        )
    if round(least) == round(most):
        return f"For these differences {who} {are} worth {most:.0f} more labels beside the {labels}."
    return (
        f"For these differences {who} {are} worth {max(least, 0.0):.0f} to {most:.0f} more labels beside the"
        f" {labels}."
    )


def _sources_of_scores(c: JudgedComparison) -> Table:
    """Return what judge and labels say by themselves of each system."""
    digits = Rounding.of([(s.labels_score or 0.0, s.labels_interval) for s in c.systems])
    columns = (
        column.name("system", attrgetter("system")),
        _judge(c, digits, attrgetter("judge_score")),
        column.number(f"labels alone{unit_of(c.metrics[0])}", digits, attrgetter("labels_score")),
        column.interval(c.level, digits, attrgetter("labels_interval")),
        column.count("labels", attrgetter("n_labels")),
        Column("tuning", lambda s: Cell(", ".join(map(_constant, s.tuning)), s.tuning[0])),
        Column("judge worth", lambda s: _worth(s.extra_labels)),
    )
    what = "means" if c.metrics[0].name == HUMAN_SCORE else "scores"
    caption = f"Judge and labels alone: {what}, tuning constants, and how many more labels the judge is worth"
    return Table.of(caption, columns, c.systems, part="sources", main=1, details=True)


def _sources_of_differences(c: JudgedComparison) -> Table:
    """Return what judge and labels say by themselves of each difference."""
    digits = Rounding.of([(d.labels_estimate or 0.0, d.labels_interval) for d in c.differences])
    sides = column.sides(c.differences)
    columns = (
        *sides.columns,
        _judge(c, digits, attrgetter("judge_estimate")),
        column.number(f"labels alone{unit_of(c.metrics[0])}", digits, attrgetter("labels_estimate")),
        column.interval(c.level, digits, attrgetter("labels_interval")),
        column.count("labels", attrgetter("n_labels")),
        Column("judge worth", lambda d: _worth(d.extra_labels)),
        marks(c.differences),
    )
    caption = (
        f"Judge and labels alone: differences, {sides.minus}, {percent(c.level)} intervals of the labels"
    )
    return Table.of(
        caption,
        columns,
        c.differences,
        words.stands_out,
        part="sources of differences",
        details=True,
        main=len(sides.columns),
        footnote=why_marked(c.differences, c),
    )


def _judge(c: JudgedComparison, digits: Rounding, value: Callable[[Any], float]) -> Column:
    """Return the column of the judge's own numbers, which may have another scale than the human ones."""
    if c.scale == "same":
        return column.number(f"judge alone{unit_of(c.metrics[0])}", digits, value)
    return Column("judge alone", lambda e: Cell(difference_text(value(e)), value(e)))


def _constant(value: float) -> str:
    """Return a tuning constant with two decimals, 0 without a sign.

    >>> _constant(-0.004), _constant(-0.5)
    ('0.00', '−0.50')
    """
    text = f"{abs(value):.2f}"
    return text if value >= 0.0 or float(text) == 0.0 else f"{MINUS}{text}"


def _worth(extra: float | None) -> Cell:
    if extra is None:
        return Cell(DASH, float("-inf"))
    return Cell(f"{round(extra)} labels".replace("-", MINUS), extra)


# -- each of several judges by itself --------------------------------------------------------------


def _worth_tables(c: JudgedComparison) -> Iterator[Table]:
    """Yield the table of what each judge is worth, if there are several."""
    if not c.worth:
        return
    together = (tuple(e.extra_labels for e in entries) for entries in (c.systems, c.differences))
    rows = [*_ordered(c), JudgeWorth("all together", *together)]
    columns = (
        column.name("judge", attrgetter("judge")),
        Column("worth for scores", lambda r: _range_cell(r.scores)),
        Column("worth for differences", lambda r: _range_cell(r.differences)),
    )
    caption = "What each judge is worth by itself, in labels beside those there are: the least and the most"
    yield Table.of(caption, columns, rows, part="worth", main=1, details=True)


def _range_cell(values: Sequence[float | None]) -> Cell:
    worths = [value for value in values if value is not None]
    if not worths:
        return Cell(DASH, -math.inf)
    low, high = (f"{round(end)}".replace("-", MINUS) for end in (min(worths), max(worths)))
    return Cell(low if low == high else f"{low} to {high}", sum(worths) / len(worths))


def _worth_remarks(c: JudgedComparison) -> Iterator[str]:
    """Yield which judge helps most."""
    if not c.worth or not c.differences:
        return
    best = _ordered(c)[0]
    value = best.mean_of_differences
    if value is None:
        return
    together = mean_of_known(d.extra_labels for d in c.differences) or 0.0
    if value < 0.5:
        yield "No judge by itself is worth a label for these differences."
        return
    yield (
        f"Of the judges {visible(best.judge)} helps most: by itself it is worth {value:.0f} labels for these"
        f" differences on average, and all judges together {together:.0f}."
    )


def _ordered(c: JudgedComparison) -> list[JudgeWorth]:
    """Return the judges by what they are worth for differences, the most helpful first."""

    def worth(one: JudgeWorth) -> float:
        mean = one.mean_of_differences
        return -math.inf if mean is None else mean

    return sorted(c.worth, key=worth, reverse=True)


# -- what the labels tell of the judge -------------------------------------------------------------


def _judge_tables(c: JudgedComparison) -> Iterator[Table]:
    """Yield the tables on the judges that have something to say."""
    rows = [(j.judge, s) for j in c.judges for s in j.systems]
    if not rows:  # the labels are of other items: a calibration set
        return
    yield _agreement(c, rows)
    if any(s.sensitivity is not None or s.specificity is not None for _, s in rows):
        yield _shares(c, rows)
    yield _calibration(c)
    if any(j.effects for j in c.judges):
        yield _effects(c)


def _agreement(c: JudgedComparison, entries: list[tuple[str, JudgeOfSystem]]) -> Table:
    bias, correlation = _digits(entries, "bias"), _digits(entries, "pearson")
    same = c.scale == "same"
    columns = (
        _judge_column(c),
        column.name("system", _field("system")),
        column.count("labels", _field("n_labels")),
        column.number(f"bias{_unit(c)}", bias, _field("bias"), applies=same),
        column.interval(c.level, bias, _field("bias_interval"), applies=same),
        column.number("Pearson", correlation, _field("pearson")),
        column.interval(c.level, correlation, _field("pearson_interval")),
        column.number("Spearman", correlation, _field("spearman")),
    )
    minus = ": bias is judge minus human" if same else ""
    return Table.of(
        f"The judge against the humans{minus}", columns, entries, part="judge", main=2, details=True
    )


def _shares(c: JudgedComparison, entries: list[tuple[str, JudgeOfSystem]]) -> Table:
    columns = [_judge_column(c), column.name("system", _field("system"))]
    for rate in ("sensitivity", "specificity"):
        digits = _digits(entries, rate)
        columns += [
            column.number(f"{rate}{_unit(c)}", digits, _field(rate)),
            column.interval(c.level, digits, _field(f"{rate}_interval")),
        ]
    columns.append(column.number("kappa", _digits(entries, "pearson"), _field("kappa")))
    caption = "The judge on items that the humans gave 1 (sensitivity) and 0 (specificity),"
    caption += f" {percent(c.level)} intervals"
    return Table.of(caption, tuple(columns), entries, part="judge's errors", main=2, details=True)


def _calibration(c: JudgedComparison) -> Table:
    entries = [(j.judge, one) for j in c.judges for one in j.calibration]
    digits = Rounding.of([(one.human, one.interval) for _, one in entries])
    unit = _unit(c) if c.scale == "same" else ""
    columns = (
        _judge_column(c),
        Column(f"judge's score{unit}", lambda e: Cell(_bin_text(e[1]), e[1].low)),
        column.count("labels", _field("n_labels")),
        column.number(f"judge{unit}", digits, _field("judge")),
        column.number(f"human{_unit(c)}", digits, _field("human")),
        column.interval(c.level, digits, _field("interval")),
    )
    return Table.of(
        "Mean human score by the judge's score, all systems together",
        columns,
        entries,
        part="calibration",
        details=True,
    )


def _bin_text(one: CalibrationBin) -> str:
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
        details=True,
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


def _judge_pictures(c: JudgedComparison) -> Iterator[Picture]:
    """Yield the figure of humans against each judge."""
    caption = "Each point is the mean human score of labelled items to which the judge gave about that score."
    for j in c.judges:
        if _gives_verdicts(j):
            caption = "Each line is the share of a judge's verdicts that the humans share, with its interval."
        yield Picture(f"Human scores by those of {_judge_name(c, j)}", caption, partial(judge, c, j.judge))


def _judge_remarks(c: JudgedComparison) -> Iterator[str]:
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
            yield f"The bias of {who} does not differ significantly between the systems ({p})."
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
            f"{who[0].upper()}{who[1:]} treats the systems alike as far as these labels tell: where the"
            f" humans score answers alike, no difference between its scores is significant ({p})."
        )
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in shown:
        up, down = one.highest, one.lowest
        reason = f"{_where_judged(c, j, one)} ({p_clause(one.p_adjusted, level, name)})"
        reasons.setdefault((up, down) if c.metrics[0].greater_is_better else (down, up), []).append(reason)
    for (up, down), why in reasons.items():
        # On another scale nothing says whether a greater score of the judge is a better one.
        favours = f"favours {up} over {down}" if c.scale == "same" else f"treats {up} and {down} differently"
        yield f"{who[0].upper()}{who[1:]} {favours}: {', and '.join(why)}."


def _where_judged(c: JudgedComparison, j: JudgeQuality, one: Favour) -> str:
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


def _judge_column(c: JudgedComparison) -> Column:
    return column.text("judge", itemgetter(0), applies=len(c.judges) > 1)


def _digits(entries: Iterable[tuple[Any, JudgeOfSystem]], name: str) -> Rounding:
    """Return how to round one of the numbers that have intervals."""
    pairs = [(getattr(s, name), getattr(s, f"{name}_interval")) for _, s in entries]
    return Rounding.of([pair for pair in pairs if pair[0] is not None])


def _field(name: str) -> Callable[[Any], Any]:
    return lambda entry: getattr(entry[1], name)


# -- rows and dictionaries -------------------------------------------------------------------------


_OF_LABELS = (
    *interval_ends("labels_interval", "labels_low", "labels_high", needs=()),
    *attributes("n_labels", "extra_labels"),
)


def _tuning(s: JudgedScore) -> float | str:
    """Return the tuning constant, several joined by spaces."""
    return s.tuning[0] if len(s.tuning) == 1 else " ".join(f"{x!r}" for x in s.tuning)


def _worth_rows(c: JudgedComparison) -> list[dict[str, Any]]:
    """Return one row per judge and system, then one per judge and difference."""
    rows = []
    for one in c.worth:
        by_system = zip(c.systems, one.scores, strict=True)
        rows += [{"judge": one.judge, "a": s.system, "b": None, "extra_labels": x} for s, x in by_system]
        by_pair = zip(c.differences, one.differences, strict=True)
        rows += [{"judge": one.judge, "a": d.a, "b": d.b, "extra_labels": x} for d, x in by_pair]
    return rows


def _ends(name: str) -> tuple[Field, Field]:
    return interval_ends(f"{name}_interval", f"{name}_low", f"{name}_high", needs=())


def _by_judge(part: str) -> Callable[[JudgedComparison], Iterator[tuple[str, Any]]]:
    """Return what yields the entries of a part of the report on judges, each after the name of its judge."""
    return lambda c: ((j.judge, one) for j in c.judges for one in getattr(j, part))


TABLES = {
    "differences": Rows(
        (*DIFFERENCE, *attributes("judge_estimate", "labels_estimate"), *_OF_LABELS),
        attrgetter("differences"),
    ),
    "scores": Rows(
        lambda c: (
            *SCORE,
            *attributes("judge_score", "labels_score"),
            *_OF_LABELS,
            Field("tuning", _tuning),
            *best_fields(c),
        ),
        attrgetter("systems"),
    ),
    "worth": Rows(attributes("judge", "a", "b", "extra_labels"), _worth_rows),
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
    """Return the comparison as dictionaries and lists."""
    rows = {name: table.rows(c) for name, table in TABLES.items()}
    return {
        **values(attributes("n_items", "n_labelled", "n_judges"), c),
        "n_clusters": c.n_clusters or None,
        **values(attributes("n_strata", "labels_drawn", "scale"), c),
        "systems": rows["scores"],
        **data.on_the_best(c),
        "differences": rows["differences"],
        "worth": rows["worth"],
        "judges": [{"judge": j.judge, "equal_bias": j.equal_bias and asdict(j.equal_bias)} for j in c.judges],
        "favour": rows["favour"],
        "judge_by_system": rows["judges"],
        "calibration": rows["calibration"],
        "bias": rows["bias"],
        "humans": c.humans and asdict(c.humans),
    }


# -- the paragraph for a paper ---------------------------------------------------------------------


_LABELS = {
    "random": ("drawn at random", "judge"),
    "stratified": ("drawn at random inside strata", "judge in strata"),
    "probabilities": ("drawn with known probabilities", "judge and probabilities"),
}
"""How labelled items were drawn, in words, and the analysis that follows."""


def sentences(c: JudgedComparison) -> Iterator[str]:
    """Yield how systems were compared by a judge and a few labels."""
    names = [entry.system for entry in c.systems]
    judges = "a judge" if c.n_judges == 1 else f"{c.n_judges} judges"
    what = "scores" if c.metrics[0].name == HUMAN_SCORE else "labels"
    yield (
        f"We compared {len(names)} systems{named(names)} by the {what} of {judges} for"
        f" {grouped(c.n_items)} items, and by human {what} of {_labelled_items(c)}{against(c.baseline)}."
    )
    yield _method(c)
    yield from inference(c, c.differences, systems=c.systems)
    yield set_of_best(c)


def _method(c: JudgedComparison) -> str:
    """Return how the scores of all items were estimated."""
    if c.labels_drawn == "calibration":
        return (
            "The judge's shares were corrected by its specificity and sensitivity on a calibration set with"
            f" human verdicts{cite('analysis', 'judge by error rates')}."
        )
    how, work = _LABELS[c.labels_drawn]
    metric = c.metrics[0].name
    if c.provenance.n_resamples:
        return (
            f"The labelled items were {how}. The {metric} by the human labels was corrected by that of the"
            " judge's labels (prediction-powered inference with tuning, one set of coefficients for all"
            f" systems{cite('analysis', 'judge and labels')})."
        )
    scores = "mean human scores" if metric == HUMAN_SCORE else f"{metric} scores"
    return (
        f"The labelled items were {how}. The {scores} of all items were estimated by"
        " prediction-powered inference with tuning, in one regression for all systems"
        f"{cite('analysis', work)}."
    )


def _labelled_items(c: JudgedComparison) -> str:
    others = c.labels_drawn == "calibration"
    return f"{c.n_labelled} others" if others else f"{c.n_labelled} of them"


@figure
def judge(c: JudgedComparison, judge: str | None = None, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the mean human score by the score of a judge, the first by default; of verdicts the rates."""
    one = next(j for j in c.judges if judge in (None, j.judge))
    if _gives_verdicts(one):
        return _rates(c, one, canvas)
    axes = canvas.axes()
    x, y = [b.judge for b in one.calibration], [b.human for b in one.calibration]
    for b in one.calibration:
        if b.interval is not None:
            axes.plot([b.judge] * 2, [b.interval.low, b.interval.high], color=ACCENT, linewidth=1.4, zorder=2)
        axes.plot([b.low, b.high], [b.human] * 2, color=ACCENT, linewidth=0.8, alpha=0.5, zorder=1)
    axes.plot(x, y, "o", color=ACCENT, markersize=5.0, zorder=3, gid="calibration")
    legend = ""
    if c.scale == "same":
        ends = [min(*axes.get_xlim(), *axes.get_ylim()), max(*axes.get_xlim(), *axes.get_ylim())]
        axes.plot(ends, ends, color=FAINT, linewidth=1.0, linestyle=(0, (4, 3)), zorder=0, gid="equal")
        axes.set_xlim(*ends)
        axes.set_ylim(*ends)
        legend = "; on the dashed line both agree"
    drawing.left_scale(axes)
    called = "the judge" if len(c.judges) == 1 else name(one.judge)
    unit = unit_of(c.metrics[0])
    axes.set_xlabel(f"score of {called}{unit if c.scale == 'same' else ''}", color=INK, parse_math=False)
    axes.set_ylabel(f"mean human score{unit}", color=INK)
    n = sum(b.n_labels for b in one.calibration)
    title = f"What humans say where {called} gives a score\n{n} labels, {percent(c.level)} intervals{legend}"
    return Sheet(axes, 3.2, 4.6, title)


def _gives_verdicts(j: JudgeQuality) -> bool:
    return any(s.sensitivity is not None or s.specificity is not None for s in j.systems)


def _rates(c: JudgedComparison, j: JudgeQuality, canvas: Canvas) -> Sheet:
    """Draw how often a judge says 1 where humans do, and 0 where they do, a line per system."""
    axes, names = canvas.axes(), canvas.names(s.system for s in j.systems)
    rows = [
        (f"{rate}, {names[s.system]}", value, getattr(s, f"{rate}_interval"))
        for rate in ("sensitivity", "specificity")
        for s in j.systems
        if (value := getattr(s, rate)) is not None
    ]
    measured = [(value, interval) for _, value, interval in rows]
    drawing.limits(axes, measured, canvas=canvas)
    for position, (value, interval) in enumerate(measured):
        drawing.mark(axes, position, value, interval, filled=True)
    numbers = [(float(position), *one, "") for position, one in enumerate(measured)]
    drawing.numbers(axes, numbers, Rounding.of(measured), canvas)
    drawing.labels(axes, [label for label, *_ in rows], [False] * len(rows))
    called = "the judge" if len(c.judges) == 1 else name(j.judge)
    axes.set_xlabel(f"share of {called}'s verdicts that are right{_unit(c)}", color=INK, parse_math=False)
    title = f"Where humans say 1 (sensitivity) and 0 (specificity), {percent(c.level)} intervals"
    return Sheet(axes, drawing.ROW * len(rows), title=title)


def judged(c: JudgedComparison, metric: str | None, kind: str, canvas: Canvas) -> Axes:
    """Draw corrected scores, differences or the judge; see `JudgedComparison.plot`."""
    kind = checked_kind(kind, "judged")
    if kind != "judge":
        return plot_systems(c, metric, kind, canvas)
    if not c.judges:
        raise InvalidInputError(
            "kind='judge' draws human scores by those of the judge, and no item has both here",
            hint="draw another kind, such as 'forest'",
            argument="kind",
        )
    return judge(c, canvas=canvas)
