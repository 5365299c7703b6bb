"""The report of a question of agreement: its sentences, its tables, and its paragraph for a paper."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from bestby.questions.agreement import figure
from bestby.questions.agreement.result import (
    Agreement,
    AgreementCoefficient,
    AnnotatorAgreement,
    AnnotatorPair,
)
from bestby.report import column
from bestby.report.column import Cell, Look
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows, shown_interval
from bestby.report.numbers import Rounding, percent, percent_of
from bestby.report.paper import clustered, named, with_works
from bestby.report.references import cite
from bestby.report.tables import Table
from bestby.report.words import listed

NO_PERCENT = "coefficients of agreement are no percentages"

NAMES = {
    "krippendorff_alpha": "Krippendorff's alpha",
    "krippendorff_alpha_ordinal": "Krippendorff's alpha of ranks",
    "krippendorff_alpha_interval": "Krippendorff's alpha of differences",
    "krippendorff_alpha_ratio": "Krippendorff's alpha of ratios",
    "fleiss_kappa": "Fleiss' kappa",
    "cohen_kappa": "Cohen's kappa",
    "cohen_kappa_linear": "Cohen's kappa, linear weights",
    "cohen_kappa_quadratic": "Cohen's kappa, quadratic weights",
    "ac1": "Gwet's AC1",
    "ac2_linear": "Gwet's AC2, linear weights",
    "ac2_quadratic": "Gwet's AC2, quadratic weights",
    "icc_1": "ICC(1): one score, annotators vary by item",
    "icc_a_1": "ICC(A,1): one score, absolute agreement",
    "icc_c_1": "ICC(C,1): one score, consistency",
    "icc_a_k": "ICC(A,k): mean of all scores, agreement",
}
"""What readers see of each coefficient."""

_SOURCES = {
    "krippendorff": "alpha",
    "fleiss": "fleiss",
    "cohen": "cohen",
    "ac1": "ac",
    "ac2": "ac",
    "icc": "icc",
}

MOST_ROWS = 10
"""Pairs and annotators that the short answer lists."""


def document(c: Agreement) -> Document:
    """Return the report: the coefficients, the annotators, their pairs and the labels."""
    caption = (
        "Coefficients, and kappas of each annotator against the others and of every two, with intervals."
    )
    return one_section(
        c,
        title=f"Agreement of {len(c.annotators)} annotators",
        subtitle=f"{c.extent}, {c.n_labels} labels, {percent(c.level)} intervals",
        methods=methods(c),
        short_methods="Intervals are for other items and the same annotators; see details.",
        name=c.scale,
        lead=headline(c),
        tables=tuple(filter(None, (_coefficients(c), _annotators(c), _pairs(c), _labels(c)))),
        pictures=(Picture("Agreement", caption, partial(figure.agreement, c)),),
    )


def _digits(c: Agreement) -> Rounding:
    return Rounding.for_scores([(one.value, one.interval) for one in c.coefficients])


def headline(c: Agreement) -> str:
    """Return what the first coefficient says, without words for how good that is."""
    alpha, digits = c.coefficients[0], _digits(c)
    shown = f"{NAMES[alpha.name]} is {digits.text(alpha.value)}"
    if alpha.interval is not None:
        shown += f" {digits.interval(alpha.interval)}"
    return " ".join([_meaning(c, alpha, shown), *_odd(c)])


def _meaning(c: Agreement, alpha: AgreementCoefficient, shown: str) -> str:
    both = f"{len(c.annotators)} annotators"
    if alpha.observed is None or alpha.expected is None:
        left = percent_of(1.0 - alpha.value)
        return (
            f"{shown} for {both}: two labels of an item disagree {left} as much as two labels of any items"
            " would, drawn at random."
        )
    gained = (
        f"{percent_of(alpha.value)} of the agreement that chance leaves open was reached"
        if alpha.value > 0.0
        else "no more than chance would give"
    )
    return (
        f"{both} agree on {percent_of(alpha.observed)} of pairs of labels, and labels given at random as"
        f" often would on {percent_of(alpha.expected)}: {shown}, {gained}."
    )


def _odd(c: Agreement) -> Iterator[str]:
    """Yield who lowers agreement for certain, and that coefficients tell two tales."""
    lowering = [
        one.annotator
        for one in c.annotators
        if one.difference_interval is not None and one.difference_interval.low > 0.0
    ]
    if lowering:
        yield f"Without {listed(lowering, 4)} the others agree better{' each' if len(lowering) > 1 else ''}."
    if c.paradox:
        yield f"AC1 is {_digits(c).text(c['ac1'].value)}: see the note on what counts as chance."


def _coefficients(c: Agreement) -> Table:
    columns = [
        column.name("coefficient", lambda one: NAMES[one.name]),
        *TABLES["coefficients"].shown(c, Look(_digits(c), c.level)),
    ]
    if all(one.observed is None for one in c.coefficients):
        columns = [one for one in columns if one.header not in (OBSERVED, EXPECTED)]
    return Table.of("Coefficients", columns, c.coefficients, part="coefficients", main=1, methods=methods(c))


def _annotators(c: Agreement) -> Table | None:
    if len(c.annotators) < 3:
        return None

    def stands_out(one: AnnotatorAgreement) -> bool:
        return one.difference_interval is not None and 0.0 not in one.difference_interval

    columns = TABLES["annotators"].shown(c, Look(_digits_of_kappas(c.annotators), c.level))
    if len({one.n_items for one in c.annotators}) == 1:
        columns[1] = dataclasses.replace(columns[1], details=True)
    footnote = f"'all without' is {NAMES[c.coefficients[0].name]} of the others."
    caption = "Each annotator against the others"
    table = Table.of(caption, columns, c.annotators, stands_out, part="annotators", main=6, footnote=footnote)
    return _shortened(table, sorted(c.annotators, key=_least_agreement), c.annotators)


def _pairs(c: Agreement) -> Table | None:
    if len(c.annotators) < 3 or not c.pairs:
        return None
    what = NAMES["cohen_kappa" if c.scale == "nominal" else "cohen_kappa_quadratic"]
    columns = TABLES["pairs"].shown(c, Look(_digits_of_kappas(c.pairs), c.level))
    table = Table.of(f"Pairs of annotators: {what}", columns, c.pairs, part="pairs", main=4)
    return _shortened(table, sorted(c.pairs, key=_least_agreement), c.pairs)


def _labels(c: Agreement) -> Table | None:
    if not c.labels:
        return None
    footnote = "'agreed on': if one annotator gives the label, how often another one does."
    table = Table.of(
        "Labels", TABLES["labels"].shown(c, Look()), c.labels, part="labels", main=3, footnote=footnote,
        details=not any(note.code in ("kappa_paradox", "rare_label") for note in c.notes),
    )  # fmt: skip
    return _shortened(table, sorted(c.labels, key=lambda one: -one.share), c.labels, left="most frequent")


def _digits_of_kappas(entries: Sequence[AnnotatorAgreement | AnnotatorPair]) -> Rounding:
    return Rounding.for_scores([(one.kappa, one.interval) for one in entries if one.kappa is not None])


def _least_agreement(one: AnnotatorAgreement | AnnotatorPair) -> float:
    return 2.0 if one.kappa is None else one.kappa


def _shortened(
    table: Table, order: Sequence[Any], entries: Sequence[Any], left: str = "with the least kappa"
) -> Table:
    """Return a table of which the short answer shows the first rows by an order of its entries."""
    if len(table.rows) <= MOST_ROWS:
        return table
    rows = tuple(table.rows[entries.index(one)] for one in order[:MOST_ROWS])
    footnote = f"{table.footnote} The {MOST_ROWS} of {len(table.rows)} {left}.".strip()
    return dataclasses.replace(table, short=dataclasses.replace(table, rows=rows, footnote=footnote))


def methods(c: Agreement) -> str:
    """Return how the numbers were computed."""
    text = (
        "Coefficients are one less observed over expected disagreement. Intervals are for other items and the"
        " same annotators: a value is in the interval if it is within Student's quantile times the standard"
        " error of items that have this value, mixed of these items and unanimous or random ones."
    )
    if len(c.annotators) > 2:
        text += " Changes by an annotator: by both intervals and their correlation."
    return text


OBSERVED, EXPECTED = "observed", "by chance"


def _share(share: float | None, _look: Look) -> Cell:
    return column.number_cell(column.THREE_DECIMALS, share)


LEVEL = Field("level", of_result=True)
ITEMS = Field("n_items", header="items", format=column.as_count)
KAPPA = (Field("kappa", header="kappa"), *shown_interval("interval"), LEVEL)

TABLES = {
    "coefficients": Rows(
        (
            Field("coefficient", "name"),
            Field("value", header="value"),
            *shown_interval("interval"),
            LEVEL,
            Field("interval", "interval.method"),
            Field("observed", header=OBSERVED, format=_share),
            Field("expected", header=EXPECTED, format=_share),
            ITEMS,
        ),
        attrgetter("coefficients"),
    ),
    "pairs": Rows(
        (
            Field("a", header="first", format=column.as_name),
            Field("b", header="second", format=column.as_name),
            ITEMS,
            Field("observed", header="agree", format=_share),
            Field("expected"),
            *KAPPA,
        ),
        attrgetter("pairs"),
    ),
    "annotators": Rows(
        (
            Field("annotator", header="annotator", format=column.as_name),
            ITEMS,
            Field("observed", header="agrees", format=_share),
            *KAPPA,
            Field("without", header="all without"),
            Field("difference", header="change"),
            *shown_interval("difference_interval", "difference_low", "difference_high"),
        ),
        attrgetter("annotators"),
    ),
    "labels": Rows(
        (
            Field("label", header="label", format=column.as_name),
            Field("share", header="share", format=_share),
            ITEMS,
            Field("specific", header="agreed on", format=_share),
        ),
        attrgetter("labels"),
    ),
}


def dictionary(c: Agreement) -> dict[str, Any]:
    """Return the coefficients, pairs, annotators and labels as dictionaries."""
    return {"scale": c.scale, "headline": headline(c)} | {name: rows.rows(c) for name, rows in TABLES.items()}


def sentences(c: Agreement) -> Iterator[str]:
    """Yield how agreement was measured."""
    names = named([one.annotator for one in c.annotators])
    kinds = dict.fromkeys(
        (NAMES[one.name].partition(":")[0] + cite("agreement", _SOURCES[one.name.partition("_")[0]]))
        for one in c.coefficients
    )
    yield (
        f"We measured the agreement of {len(c.annotators)} annotators{names} on {c.extent} with {c.n_labels}"
        f" labels by {listed(list(kinds), 12)}."
    )
    yield (
        f"{percent(c.level)} intervals, for other items and the same annotators, are by"
        f" {with_works('interval', 'mixture-score')}: as a score interval, each value is taken with the"
        " standard error of items that have this value."
    )
    if len(c.annotators) > 2:
        yield (
            f"Each annotator was compared with the others by the kappa of an isolated"
            f" rater{cite('agreement', 'isolated')}, and agreement without each annotator with that of all,"
            f" by the intervals of both and their correlation{cite('agreement', 'difference')}."
        )
    if c.paradox:
        yield (
            "As one label prevails, we report AC1 beside alpha, and the specific agreement on each"
            f" label{cite('agreement', 'specific')}."
        )
    if said := clustered(c):
        yield said
