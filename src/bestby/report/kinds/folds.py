"""The report of a comparison by cross-validation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from bestby.comparisons.common.family import rejects
from bestby.report import data, summary, words
from bestby.report.document import Document, Picture, Section
from bestby.report.kinds.comparison import settings
from bestby.report.kinds.datasets import counts, pairs_table, replicability_sentence
from bestby.report.numbers import MINUS, Rounding, alpha, p_text, percent
from bestby.report.tables import Cell, Column, Row, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.folds import FoldComparison, Spread

__all__ = ["COLUMNS", "dictionary", "document", "rows"]

COLUMNS = ("repetition", *data.COLUMNS)
_MOST_SENTENCES = 6  # pairs whose folds are listed in words
_MOST_DRAWN = 60  # pairs in a figure
_REASONS = {
    "corrected-t": ", chosen because its correction is enough for one repetition, halves and few splits",
    "conservative-t": ", chosen because several splits of the same items have training items in common",
}


def document(c: FoldComparison) -> Document:
    """Return the report of a comparison by cross-validation.

    It shows systems, differences with corrected intervals, all tests, the spread over the repetitions.
    """
    design = _design(c)
    tables = [_systems(c), _differences(c), _tests(c)]
    tables += [_spread(c)] if c.spread else []
    drawn = 0 < len(c.differences) <= _MOST_DRAWN
    section = Section(
        name=c.metric.name,
        lead=_headline(c),
        tables=tuple(tables),
        remarks=tuple(_remarks(c)),
        pictures=(_picture(c),) if drawn else (),
        readings=tuple(words.difference_sentence(d) for d in c.differences),
    )
    against = "" if c.baseline is None else f", against the baseline {c.baseline}"
    return Document(
        title=f"{len(c.systems)} systems compared by {c.metric.name}, cross-validated",
        subtitle=f"{design}, {percent(c.level)} intervals, {words.direction(c.metric)}{against}",
        sections=(section,),
        notes=tuple(summary.lines_of(_notes(c))),
        methods=_methods(c),
        settings=settings(c.provenance),
        signature=c.signature,
        version=c.provenance.version,
    )


def _design(c: FoldComparison) -> str:
    repetitions = dict.fromkeys(label for label, _ in c.folds)
    if len(repetitions) == 1:
        return f"{len(c.folds)} folds"
    return f"{len(c.folds)} folds in {len(repetitions)} repetitions"


def _headline(c: FoldComparison) -> str:
    first, mean = c.systems[0], c.means[0]
    best = "highest" if c.metric.greater_is_better else "lowest"
    digits = Rounding.of([(d.estimate, d.interval) for d in c.differences])
    text = f"{first} has the {best} {words.averaged(c.metric.name)}, {digits.text(mean)}, over {_design(c)}"
    mine = {(d.b if d.a == first else d.a): d for d in c.differences if first in (d.a, d.b)}
    if not mine:
        return text + "."
    return f"{text}{words.best_clause(first, {name: mine[name] for name in c.systems if name in mine})}."


def _remarks(c: FoldComparison) -> list[str]:
    if len(c.effects) > _MOST_SENTENCES:
        return []
    once = len({repetition for repetition, _ in c.folds}) == 1
    return [
        f"{a} against {b}: {replicability_sentence(found, 'folds', may_be_independent=once)}"
        for (a, b), found in c.effects.items()
    ]


def _methods(c: FoldComparison) -> str:
    return f"{_methods_over(c)} {_methods_inside(c)}".rstrip()


def _methods_over(c: FoldComparison) -> str:
    """Return how the differences over the folds were had."""
    test = summary.counted(summary.how_tested(d) for d in c.differences)
    correction = "no correction" if c.correction == "none" else f"correction: {c.correction}"
    bounds = summary.counted(summary.names_of_intervals(d.interval for d in c.differences)) or "none"
    return (
        f"Intervals ({percent(c.level)}): {bounds}, items tested over items trained on ="
        f" {c.ratio:.4g}. Test: {test}{_why(c)}; {correction}."
    )


def _why(c: FoldComparison) -> str:
    """Return why the test was taken, if the package chose it."""
    if c.provenance.settings["test_choice"] != "auto":
        return ""
    return _REASONS[c.provenance.settings["test"]]


def _methods_inside(c: FoldComparison) -> str:
    """Return how the differences in one repetition were had; nothing if there are none."""
    inner = [d for found in c.within.values() for d in found]
    if not inner:
        return ""
    used = summary.counted(summary.how_tested(d) for d in inner)
    bounds = summary.counted(summary.names_of_intervals(d.interval for d in inner))
    text = f"In one repetition: {bounds} intervals; {used}."
    if summary.drawn(inner):
        text += f" {c.provenance.n_resamples} resamples, seed {c.provenance.seed}."
    return text


def _notes(c: FoldComparison) -> list[Any]:
    inner = (note for found in c.within.values() for d in found for note in d.notes)
    return [*c.notes, *(note for d in c.differences for note in d.notes), *inner]


# -- tables ----------------------------------------------------------------------------------------


def _systems(c: FoldComparison) -> Table:
    digits = Rounding.of([(d.estimate, d.interval) for d in c.differences])
    columns = (
        Column("rank", True),
        Column("system", False, name=True),
        Column(words.averaged(c.metric.name), True),
        Column("least", True),
        Column("greatest", True),
    )
    rows = []
    for position, (name, mean) in enumerate(zip(c.systems, c.means, strict=True)):
        column = c.scores[:, position]
        shown = f"{name} (baseline)" if name == c.baseline else name
        ends = [Cell(digits.text(float(end)), float(end)) for end in (column.min(), column.max())]
        cells = (
            Cell(str(position + 1), float(position)),
            Cell(shown, name),
            Cell(digits.text(mean), mean),
            *ends,
        )
        rows.append(Row(cells, mean == c.means[0]))
    caption = f"Systems over {_design(c)} ({words.direction(c.metric)})"
    return Table(caption, columns, tuple(rows))


def _differences(c: FoldComparison) -> Table:
    def won(a: str, b: str) -> Cell:
        d = c.scores[:, c.systems.index(a)] - c.scores[:, c.systems.index(b)]
        ahead = int(((d > 0.0) if c.metric.greater_is_better else (d < 0.0)).sum())
        return Cell(f"{ahead} of {d.size}", float(ahead))

    rows = tuple((d, (won(d.a, d.b),)) for d in c.differences)
    caption = f"{words.mean_differences(c.metric.name)} over the folds, A {MINUS} B"
    return pairs_table(caption, rows, (Column("A better on", True),), c.correction, _methods_over(c))


def _tests(c: FoldComparison) -> Table:
    columns = (
        Column("A", False, name=True),
        Column("B", False, name=True),
        Column("p", True),
        Column("test", False),
        Column("statistic", True),
    )
    rows = []
    for (a, b), tests in c.tests.items():
        for test in tests:
            p = p_text(test.p_value, alpha(c.level))
            cells = (
                Cell(a, a),
                Cell(b, b),
                Cell(p, test.p_value),
                Cell(words.name_of_test(test.name), test.name),
                Cell(Rounding(2).text(test.statistic), test.statistic),
            )
            rows.append(Row(cells, rejects(test.p_value, alpha(c.level))))
    return Table("All tests that apply, not corrected for the number of pairs", columns, tuple(rows))


def _spread(c: FoldComparison) -> Table:
    digits = Rounding.of([(d.estimate, d.interval) for found in c.within.values() for d in found])
    columns = (
        Column("A", False, name=True),
        Column("B", False, name=True),
        Column("significant", True),
        Column("p", True),
        Column("low", True),
        Column(f"A {MINUS} B", True),
        Column("high", True),
    )
    rows = []
    for s in c.spread:
        p = " to ".join(p_text(end, alpha(c.level)) for end in s.p_value)
        spans = [
            Cell(" to ".join(digits.text(end) for end in ends), ends[0])
            for ends in (s.low, s.difference, s.high)
        ]
        cells = (
            Cell(s.a, s.a),
            Cell(s.b, s.b),
            Cell(f"{s.n_significant} of {s.n_repetitions}", float(s.n_significant)),
            Cell(p, s.p_value[0]),
            *spans,
        )
        rows.append(Row(cells, s.n_significant == s.n_repetitions))
    caption = (
        "Spread of the conclusions from the pooled predictions of one repetition: least to greatest p,"
        " lower end, difference, upper end"
    )
    return Table(caption, columns, tuple(rows), main=5, methods=_methods_inside(c))


def _picture(c: FoldComparison) -> Picture:
    told = "A dot per fold; the line is the corrected interval, filled where the test finds a difference."
    return Picture(f"Forest plot of {len(c.differences)} differences over folds", told, partial(_drawn, c))


def _drawn(c: FoldComparison) -> Axes:
    from bestby.report.figures import folds

    return folds.forest(c)


# -- data ------------------------------------------------------------------------------------------


def dictionary(c: FoldComparison) -> dict[str, Any]:
    """Return the comparison as dictionaries and lists."""
    return {
        "signature": c.signature,
        "metric": c.metric.name,
        "greater_is_better": c.metric.greater_is_better,
        "ratio": c.ratio,
        "systems": [{"system": name, "mean": mean} for name, mean in zip(c.systems, c.means, strict=True)],
        "scores": [
            {"repetition": again, "fold": fold, **dict(zip(c.systems, map(float, row), strict=True))}
            for (again, fold), row in zip(c.folds, c.scores, strict=True)
        ],
        "differences": rows(c),
        "tests": [
            {"a": a, "b": b, "test": t.name, "statistic": t.statistic, "p_value": t.p_value}
            for (a, b), tests in c.tests.items()
            for t in tests
        ],
        "folds_with_effect": [{"a": a, "b": b, **counts(r)} for (a, b), r in c.effects.items()],
        "spread": [_spread_row(s) for s in c.spread],
        "notes": data.noted(_notes(c)),
        "provenance": data.made_by(c.provenance),
    }


def _spread_row(s: Spread) -> dict[str, Any]:
    row: dict[str, Any] = {"a": s.a, "b": s.b, "repetitions": s.n_repetitions, "significant": s.n_significant}
    for name in ("p_value", "low", "difference", "high"):
        row[f"{name}_min"], row[f"{name}_max"] = getattr(s, name)
    return row


def rows(c: FoldComparison) -> list[dict[str, Any]]:
    """Return one row per pair over all folds, and one per pair and repetition, with the columns `COLUMNS`."""
    found = [{"repetition": None, **data.row(d)} for d in c.differences]
    found += [
        {"repetition": name, **data.row(d)} for name, differences in c.within.items() for d in differences
    ]
    return found
