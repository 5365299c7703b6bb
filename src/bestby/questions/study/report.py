"""The report of the comparison of a study."""

from __future__ import annotations

import dataclasses
import math
from operator import attrgetter
from typing import Any

from bestby._core.errors import DesignError
from bestby.inference.multiplicity import rejects
from bestby.questions.items import report
from bestby.questions.items.report import sentences
from bestby.questions.study.result import StudyComparison
from bestby.report import column, words
from bestby.report.column import Column
from bestby.report.comparison import Difference, shown_better
from bestby.report.document import Document
from bestby.report.fields import DIFFERENCE, N_RUNS, SCORE, Rows, attributes
from bestby.report.numbers import excludes_zero
from bestby.report.percent import changes
from bestby.report.tables import Table, differences_table, score_rounding, systems_table
from bestby.report.words import listed
from bestby.report.writers.csv import lines
from bestby.results.base import MetricInfo


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
    better = shown_better(d, 0.05)
    if better is None:
        # A one-sided test never shows a treatment to be worse; the interval, always two-sided, can.
        one_sided = d.test is not None and d.test.alternative != "two-sided"
        return "!" if one_sided and d.ahead == d.b and excludes_zero(d.interval) else ""
    if better != d.a:
        return "!"
    return "**" if d.p_adjusted is not None and rejects(d.p_adjusted, 0.01) else "*"


__all__ = ["sentences"]

changes_in_percent = changes
"""What changes where scores are shown in percent."""
