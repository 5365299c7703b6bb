"""The report of a comparison by a judge and a few human labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any

from bestby._core.text import grouped
from bestby.questions.judged import judge_quality_report, judge_worth_report
from bestby.questions.judged.result import HUMAN_SCORE, JudgedComparison, JudgedDifference, JudgedScore
from bestby.report import column, scaffold, summary, words
from bestby.report.column import Cell, Column
from bestby.report.document import Document, Picture
from bestby.report.fields import DIFFERENCE, SCORE, Field, Rows, attributes, interval_ends
from bestby.report.figures import forest
from bestby.report.numbers import DASH, MINUS, Rounding, difference_text, excludes_zero, percent
from bestby.report.paper.shared import against, inference, intervals_of_scores, named
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

_OF_LABELS = (
    *interval_ends("labels_interval", "labels_low", "labels_high", needs=()),
    *attributes("n_labels", "extra_labels"),
)

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
    judge_alone = f"judge alone{unit_of(metric)}"
    alone = column.number(judge_alone, Rounding.of([(s.score, s.interval) for s in c.systems]), _judged)
    beside = (alone,) if by_rates else ()
    of_labels = metric.name != HUMAN_SCORE
    how = _BY_RATES if by_rates else _BY_LABELS if c.provenance.n_resamples else _METHOD
    score = f"the corrected {metric.name}" if of_labels else "the corrected mean human score"
    pictures: tuple[Picture, ...] = ()
    if 1 <= len(c.differences) <= scaffold.MOST_PAIRS:
        pictures = (scaffold.forest_picture(c, metric.name, len(c.differences), partial(forest.forest, c)),)
    return scaffold.one_section(
        c,
        title=f"{len(c.systems)} systems compared by a judge and human labels",
        subtitle=scaffold.subtitle(c, c.extent),
        methods=f"{how} {summary.methods_sentence(c)}",
        name=metric.name,
        lead=f"{_contradictions(c)}{summary.headline(c, metric)}",
        tables=(
            systems_table(c, metric, beside_score=beside, score=score, methods=how),
            differences_table(c, metric),
            *(() if by_rates else (_sources_of_scores(c), _sources_of_differences(c))),
            *judge_worth_report.tables(c),
            *judge_quality_report.tables(c),
        ),
        remarks=()
        if by_rates
        else (worth(c), *judge_worth_report.remarks(c), *judge_quality_report.remarks(c)),
        pictures=(*pictures, *judge_quality_report.pictures(c)),
        readings=tuple(words.difference_sentence(d, digits) for d in c.differences),
        pairs=partial(pairs_matrix, c, metric),
    )


def _contradictions(c: JudgedComparison) -> str:
    """Return in which pairs the judge and the labels put different systems ahead; nothing if in none."""
    pairs = c.contradicted
    if not pairs:
        return ""
    label = "the corrected scores say" if c.labels_drawn == "calibration" else "the labels say"
    said = []
    # Pairs that the first line names
    for d in pairs[:3]:
        labels = d.estimate if d.labels_estimate is None else d.labels_estimate
        first, second = (d.a, d.b) if (labels > 0.0) == c.metrics[0].greater_is_better else (d.b, d.a)
        by = [difference_text(abs(x)) for x in (d.judge_estimate, labels)]
        said.append(f"the judge says {second} (by {by[0]}), {label} {first} (by {by[1]}){_unless_shown(d)}")
    more = len(pairs) - len(said)
    rest = f"; and so for {more} more of the {len(c.differences)} pairs" if more else ""
    text = "; ".join(said) + rest
    return f"{text[0].upper()}{text[1:]}. "


def _unless_shown(d: JudgedDifference) -> str:
    """Return that a reverse may be chance: neither the labels alone nor the corrected scores show more."""
    shown = words.significant(d) or excludes_zero(d.labels_interval)
    return "" if shown else ", and neither is shown to be better"


def _judged(entry: JudgedScore) -> float:
    return entry.judge_score


def worth(c: JudgedComparison) -> str:
    """Return what the judge was worth, in labels, or all judges together."""
    who, are = ("the judge", "is") if c.n_judges == 1 else (f"the {c.n_judges} judges together", "are")
    known = [d.extra_labels for d in c.differences if d.extra_labels is not None]
    if not known:
        return f"What {who} {are} worth cannot be said, as an error is 0."
    least, most = min(known), max(known)
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
    own = Rounding.of([(s.labels_score or 0.0, s.labels_interval) for s in c.systems])
    columns = (
        column.name("system", attrgetter("system")),
        _judge(c, own, attrgetter("judge_score")),
        column.number(f"labels alone{unit_of(c.metrics[0])}", own, attrgetter("labels_score")),
        column.interval(c.level, own, attrgetter("labels_interval")),
        column.count("labels", attrgetter("n_labels")),
        Column("tuning", lambda s: Cell(", ".join(map(_constant, s.tuning)), s.tuning[0])),
        Column("judge worth", lambda s: _worth(s.extra_labels)),
    )
    what = "means" if c.metrics[0].name == HUMAN_SCORE else "scores"
    caption = f"Judge and labels alone: {what}, tuning constants, and how many more labels the judge is worth"
    return Table.of(caption, columns, c.systems, part="sources", main=1)


def _sources_of_differences(c: JudgedComparison) -> Table:
    """Return what judge and labels say by themselves of each difference."""
    own = Rounding.of([(d.labels_estimate or 0.0, d.labels_interval) for d in c.differences])
    sides = column.sides(c.differences)
    columns = (
        *sides.columns,
        _judge(c, own, attrgetter("judge_estimate")),
        column.number(f"labels alone{unit_of(c.metrics[0])}", own, attrgetter("labels_estimate")),
        column.interval(c.level, own, attrgetter("labels_interval")),
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


def _tuning(s: JudgedScore) -> float | str:
    """Return the tuning constant, several joined by spaces."""
    return s.tuning[0] if len(s.tuning) == 1 else " ".join(f"{x!r}" for x in s.tuning)


TABLES = {
    "differences": Rows(
        (*DIFFERENCE, *attributes("judge_estimate", "labels_estimate"), *_OF_LABELS),
        attrgetter("differences"),
    ),
    "scores": Rows(
        (*SCORE, *attributes("judge_score", "labels_score"), *_OF_LABELS, Field("tuning", _tuning)),
        attrgetter("systems"),
    ),
    "worth": judge_worth_report.ROWS,
    **judge_quality_report.TABLES,
}


def dictionary(c: JudgedComparison) -> dict[str, Any]:
    """Return the comparison as dictionaries and lists."""
    return {
        "n_items": c.n_items,
        "n_labelled": c.n_labelled,
        "n_judges": c.n_judges,
        "n_clusters": c.n_clusters or None,
        "n_strata": c.n_strata,
        "labels_drawn": c.labels_drawn,
        "scale": c.scale,
        "systems": TABLES["scores"].rows(c),
        "differences": TABLES["differences"].rows(c),
        **judge_worth_report.dictionary(c),
        **judge_quality_report.dictionary(c),
    }


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
    yield from inference(c, c.differences, scores=intervals_of_scores(c.systems))


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
