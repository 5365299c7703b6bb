"""The report of a comparison over several datasets."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from bestby.report import data, summary, words
from bestby.report.document import Document, Picture, Section
from bestby.report.kinds.comparison import settings
from bestby.report.numbers import DASH, MINUS, Rounding, alpha, ends, excludes_zero, p_clause, p_text, percent
from bestby.report.tables import Cell, Column, Row, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.comparison import Difference
    from bestby.results.datasets import DatasetComparison, Overall
    from bestby.results.replicability import Replicability

__all__ = ["COLUMNS", "counts", "dictionary", "document", "pairs_table", "rows"]

COLUMNS = ("dataset", "average", "resampled", *data.COLUMNS, "wins", "ties", "losses")
_MOST_SENTENCES = 6  # pairs whose datasets are listed in words
_MOST_DRAWN = 20  # systems in a figure


def document(c: DatasetComparison) -> Document:
    """Return the report of a comparison over several datasets.

    It shows average ranks, differences over the datasets, on how many datasets there is one, micro and macro,
    the tests of the ranks, every dataset.
    """
    n = len(c.datasets)
    direction = words.direction(c.metric)
    subtitle = f"{n} datasets, {percent(c.level)} intervals, {direction}"
    if c.baseline is not None:
        subtitle += f", against the baseline {c.baseline}"
    tables = [_systems(c), _differences(c)]
    if len(c.overall) > len(c.differences):
        tables.append(_overall(c))
    if c.ranking:
        tables.append(_ranks(c))
    tables.append(_inside(c) if c.within else _scores(c))
    section = Section(
        name=c.metric.name,
        lead=_headline(c),
        tables=tuple(tables),
        remarks=tuple(_remarks(c)),
        pictures=tuple(_pictures(c)),
        readings=tuple(words.difference_sentence(d) for d in c.differences),
    )
    return Document(
        title=f"{len(c.systems)} systems compared by {c.metric.name} on {n} datasets",
        subtitle=subtitle,
        sections=(section,),
        notes=tuple(summary.lines_of(_notes(c))),
        methods=_methods(c),
        settings=settings(c.provenance),
        signature=c.signature,
        version=c.provenance.version,
    )


# -- words -----------------------------------------------------------------------------------------


def _headline(c: DatasetComparison) -> str:
    first, rank = c.systems[0], c.average_ranks[0]
    ties = [name for name, value in zip(c.systems, c.average_ranks, strict=True) if value == rank]
    n = len(c.datasets)
    if len(ties) > 1:
        return f"{words.listed(ties)} share the best average rank, {rank:.2f}, over {n} datasets."
    text = f"{first} has the best average rank, {rank:.2f} of {len(c.systems)}, over {n} datasets"
    mine = {(d.b if d.a == first else d.a): d for d in c.differences if first in (d.a, d.b)}
    if not mine:
        return text + "."
    test = words.name_of_test(next(iter(mine.values())).test.name)
    in_order = {name: mine[name] for name in c.systems if name in mine}
    clause = words.best_clause(first, in_order)
    return f"{text}{clause} ({test})." if clause.startswith(";") else f"{text}{clause}."


def _remarks(c: DatasetComparison) -> list[str]:
    found = []
    if c.friedman is not None:
        f = c.friedman
        threshold = alpha(c.level)
        text = f"All systems alike? Friedman test: {f.statistic:.2f} on {f.df} df,"
        text += f" {p_clause(f.p_value, threshold)}; Iman and Davenport: F = {f.f:.2f} on {f.df} and"
        text += f" {f.df_within} df, {p_clause(f.p_f, threshold)}"
        exact = "" if f.p_exact is None else f"; exact {p_clause(f.p_exact, threshold)}"
        found.append(f"{text}{exact}.")
    if c.critical_difference is not None:
        found.append(f"Critical difference of average ranks (Nemenyi): {c.critical_difference:.2f}.")
    named = len(c.replicability) <= _MOST_SENTENCES
    for (a, b), found_on in c.replicability.items() if named else ():
        found.append(f"{a} against {b}: {replicability_sentence(found_on, 'datasets')}")
    return found


def replicability_sentence(r: Replicability, what: str, *, may_be_independent: bool = True) -> str:
    """Return on how many datasets (or folds) there is a difference, and on which.

    `may_be_independent` says whether they can be, so that K-Fisher is worth a word: folds of several
    repetitions share items.
    """
    n, k = len(r.datasets), r.k_bonferroni
    text = f"a difference on at least {k} of {n} {what}" if k else f"no difference shown on any of {n} {what}"
    text += " (K-Bonferroni, any dependence)"
    text += f"; on at least {r.k_fisher} if they are independent (K-Fisher)." if may_be_independent else "."
    below = sum(p <= r.alpha for p in r.p_values)
    text += f" Uncorrected, {below} of the p-values are at most {r.alpha:.6g}."
    return text + (f" By name (Holm): {words.listed(r.found, 12)}." if r.found else "")


def _methods(c: DatasetComparison) -> str:
    return " ".join(filter(None, (_methods_over(c), _methods_inside(c), _methods_overall(c))))


def _methods_overall(c: DatasetComparison) -> str:
    return _resamples(
        c, drawn=any(entry.interval is not None and not entry.interval.exact for entry in c.overall)
    )


def _resamples(c: DatasetComparison, *, drawn: bool) -> str:
    """Return how many resamples were drawn; nothing if none were."""
    return f"{c.provenance.n_resamples} resamples, seed {c.provenance.seed}." if drawn else ""


def _methods_over(c: DatasetComparison) -> str:
    """Return how the differences over the datasets were had."""
    over = summary.counted(summary.how_tested(d) for d in c.differences)
    intervals = summary.counted(summary.names_of_intervals(d.interval for d in c.differences))
    correction = "no correction" if c.correction == "none" else f"correction: {c.correction}"
    return (
        f"Over datasets: {intervals} intervals ({percent(c.level)}) of the mean difference; {over};"
        f" {correction}."
    )


def _methods_inside(c: DatasetComparison) -> str:
    """Return how the differences on each dataset were had; nothing if there are none."""
    inner = [d for found in c.within.values() for d in found]
    if not inner:
        return ""
    used = summary.counted(summary.how_tested(d) for d in inner)
    bounds = summary.counted(summary.names_of_intervals(d.interval for d in inner))
    return f"On each dataset: {bounds} intervals; {used}; Holm's correction over the datasets of a pair."


def _notes(c: DatasetComparison) -> list[Any]:
    inner = (note for found in c.within.values() for d in found for note in d.notes)
    return [*c.notes, *(note for d in c.differences for note in d.notes), *inner]


# -- tables ----------------------------------------------------------------------------------------


def _systems(c: DatasetComparison) -> Table:
    digits = Rounding.of([(d.estimate, d.interval) for d in c.differences])
    rows = [
        Row(
            (Cell(f"{rank:.2f}", rank), _named(c, name), Cell(digits.text(mean), mean)),
            rank == c.average_ranks[0],
        )
        for name, rank, mean in zip(c.systems, c.average_ranks, c.means, strict=True)
    ]
    columns = (
        Column("average rank", True),
        Column("system", False, name=True),
        Column(words.averaged(c.metric.name), True),
    )
    way = f"1 is best; {c.metric.name}: {words.direction(c.metric)}"
    caption = f"Systems over {len(c.datasets)} datasets, by average rank ({way})"
    return Table(caption, columns, tuple(rows))


def _named(c: DatasetComparison, name: str) -> Cell:
    return Cell(f"{name} (baseline)" if name == c.baseline else name, name)


def _differences(c: DatasetComparison) -> Table:
    extra = [Column(f"wins{DASH}ties{DASH}losses", True)]
    extra += [Column("differ on", True)] if c.replicability else []

    def cells(d: Difference) -> list[Cell]:
        found = c.wins(d.a, d.b)
        more = [Cell(DASH.join(map(str, found)), float(found[0]))]
        if c.replicability:
            r = c.replicability[d.a, d.b]
            more.append(Cell(f"{r.k_bonferroni} of {len(r.datasets)}", float(r.k_bonferroni)))
        return more

    rows = tuple((d, tuple(cells(d))) for d in c.differences)
    caption = f"{words.mean_differences(c.metric.name)} over the datasets, A {MINUS} B"
    methods = f"{_methods_over(c)} {_resamples(c, drawn=summary.drawn(c.differences))}".rstrip()
    return pairs_table(caption, rows, tuple(extra), c.correction, methods)


def pairs_table(
    caption: str,
    found: tuple[tuple[Difference, tuple[Cell, ...]], ...],
    extra: tuple[Column, ...],
    correction: str,
    methods: str,
) -> Table:
    """Return differences with intervals and p-values, and further columns."""
    digits = Rounding.of([(d.estimate, d.interval) for d, _ in found])
    corrected = correction != "none"
    columns = [Column("A", False, name=True), Column("B", False, name=True), Column(f"A {MINUS} B", True)]
    level = percent(found[0][0].level) if found else ""
    columns += [Column(f"{level} interval".strip(), True), Column("p", True)]
    columns += [Column(f"p ({correction})", True)] if corrected else []
    rows = []
    for d, more in found:
        cells = [Cell(d.a, d.a), Cell(d.b, d.b), *numbers(d, digits)]
        cells += [_p(d.p_adjusted, d.level)] if corrected else []
        rows.append(Row((*cells, *more), words.stands_out(d)))
    return Table(caption, (*columns, *extra), tuple(rows), methods=methods)


def numbers(d: Difference, digits: Rounding) -> list[Cell]:
    """Return the cells of a difference: the difference, its interval, its p-value."""
    return [
        Cell(digits.text(d.estimate), float(d.estimate)),
        Cell(digits.interval(d.interval), float(ends(d.interval)[0])),
        _p(d.p_value, d.level),
    ]


def _p(value: float, level: float) -> Cell:
    return Cell(p_text(value, alpha(level)), float(value))


def _overall(c: DatasetComparison) -> Table:
    digits = Rounding.of([(entry.estimate, entry.interval) for entry in c.overall])
    columns = (
        Column("A", False, name=True),
        Column("B", False, name=True),
        Column(f"A {MINUS} B", True),
        Column(f"{percent(c.level)} interval", True),
        Column("average", False),
        Column("varying", False),
    )
    rows = [Row(_overall_cells(entry, digits), excludes_zero(entry.interval)) for entry in c.overall]
    caption = (
        "All datasets together: macro (mean of the datasets) and micro (all items pooled); varying: the items"
        " inside the datasets, or the choice of the datasets"
    )
    return Table(caption, columns, tuple(rows), methods=_methods_overall(c))


def _overall_cells(entry: Overall, digits: Rounding) -> tuple[Cell, ...]:
    return (
        Cell(entry.a, entry.a),
        Cell(entry.b, entry.b),
        Cell(digits.text(entry.estimate), entry.estimate),
        Cell(digits.interval(entry.interval), ends(entry.interval)[0]),
        Cell(entry.average, entry.average),
        Cell(entry.resampled, entry.resampled),
    )


def _ranks(c: DatasetComparison) -> Table:
    columns = [Column("A", False, name=True), Column("B", False, name=True)]
    columns.append(Column(f"average rank, A {MINUS} B", True))
    nemenyi = c.critical_difference is not None
    columns += [Column("p (Nemenyi)", True)] if nemenyi else []
    columns.append(Column("p (holm)", True))
    rows = []
    for r in c.ranking:
        cells = [Cell(r.a, r.a), Cell(r.b, r.b), Cell(Rounding(2).text(r.estimate), r.estimate)]
        cells += [_p(r.p_nemenyi, c.level)] if r.p_nemenyi is not None else []
        cells.append(_p(r.p_holm, c.level))
        decisive = r.p_holm if r.p_nemenyi is None else r.p_nemenyi
        rows.append(Row(tuple(cells), decisive <= alpha(c.level)))
    return Table("Post-hoc tests of the average ranks", tuple(columns), tuple(rows))


def _inside(c: DatasetComparison) -> Table:
    """Return every dataset of every pair; with one pair, A and B stand in the caption only."""
    single = len(c.differences) == 1
    columns = [Column("dataset", False, name=True)]
    columns += [] if single else [Column("A", False, name=True), Column("B", False, name=True)]
    columns += [
        Column(f"A {MINUS} B", True),
        Column(f"{percent(c.level)} interval", True),
        Column("p", True),
        Column("p (holm)", True),
    ]
    digits = Rounding.of([(d.estimate, d.interval) for found in c.within.values() for d in found])
    rows = []
    for i, pair in enumerate(c.differences):
        named = c.replicability[pair.a, pair.b].found
        for name, found in c.within.items():
            d = found[i]
            cells = [Cell(name, name)]
            cells += [] if single else [Cell(d.a, d.a), Cell(d.b, d.b)]
            cells += [*numbers(d, digits), _p(d.p_adjusted, c.level)]
            rows.append(Row(tuple(cells), name in named))
    pair_text = f" ({c.differences[0].a} {MINUS} {c.differences[0].b})" if single else ""
    caption = f"Differences on each dataset, A {MINUS} B{pair_text}"
    main = 1 if single else 3
    drawn = any(map(summary.drawn, c.within.values()))
    methods = f"{_methods_inside(c)} {_resamples(c, drawn=drawn)}".rstrip()
    return Table(caption, tuple(columns), tuple(rows), main, methods)


def _scores(c: DatasetComparison) -> Table:
    digits = Rounding.of([(d.estimate, d.interval) for d in c.differences])
    columns = (Column("dataset", False, name=True), *(Column(name, True) for name in c.systems))
    rows = [
        Row((Cell(name, name), *(Cell(digits.text(float(x)), float(x)) for x in row)), False)
        for name, row in zip(c.datasets, c.scores, strict=True)
    ]
    return Table(f"{c.metric.name} on each dataset", columns, tuple(rows), main=1)


# -- figures ---------------------------------------------------------------------------------------


def _pictures(c: DatasetComparison) -> list[Picture]:
    if len(c.systems) > _MOST_DRAWN:
        return []
    if len(c.systems) == 2:
        a, b = c.differences[0].a, c.differences[0].b
        told = "A line per dataset, then all together; filled: Holm's procedure names the dataset."
        return [Picture(f"Differences {a} minus {b} on each dataset", told, partial(_drawn, c, "forest"))]
    told = "Average ranks; a bar joins systems that Nemenyi's test does not tell apart."
    if c.baseline is not None:
        told = "Average ranks."
    return [
        Picture("Diagram of average ranks", told, partial(_drawn, c, "ranks")),
        Picture(
            "Matrix of the pairs",
            f"Row {MINUS} column: mean difference, wins{DASH}ties{DASH}losses over the datasets, p-value"
            " after correction (bold: significant). Blue: the row is better.",
            partial(_drawn, c, "matrix"),
        ),
    ]


def _drawn(c: DatasetComparison, kind: str) -> Axes:
    from bestby.report.figures import datasets

    return datasets.plot(c, kind)


# -- data ------------------------------------------------------------------------------------------


def dictionary(c: DatasetComparison) -> dict[str, Any]:
    """Return the comparison as dictionaries and lists."""
    return {
        "signature": c.signature,
        "metric": c.metric.name,
        "greater_is_better": c.metric.greater_is_better,
        "systems": [
            {"system": name, "average_rank": rank, "mean": mean}
            for name, rank, mean in zip(c.systems, c.average_ranks, c.means, strict=True)
        ],
        "scores": {
            name: dict(zip(c.systems, map(float, row), strict=True))
            for name, row in zip(c.datasets, c.scores, strict=True)
        },
        "differences": rows(c),
        "replicability": [{"a": a, "b": b, **counts(r)} for (a, b), r in c.replicability.items()],
        "friedman": None if c.friedman is None else asdict(c.friedman),
        "ranking": [asdict(entry) for entry in c.ranking],
        "critical_difference": c.critical_difference,
        "notes": data.noted(_notes(c)),
        "provenance": data.made_by(c.provenance),
    }


def counts(r: Replicability) -> dict[str, Any]:
    """Return the counts of datasets with an effect as a dictionary."""
    return {
        "alpha": r.alpha,
        "k_bonferroni": r.k_bonferroni,
        "k_fisher": r.k_fisher,
        "found": list(r.found),
        "p_values": dict(zip(r.datasets, r.p_values, strict=True)),
        "p_adjusted": dict(zip(r.datasets, r.p_adjusted, strict=True)),
        "bonferroni": list(r.bonferroni),
        "fisher": list(r.fisher),
    }


def rows(c: DatasetComparison) -> list[dict[str, Any]]:
    """Return one row per pair and dataset, and per pair over all, with the columns `COLUMNS`."""
    found = []
    for d in c.differences:
        wins, ties, losses = c.wins(d.a, d.b)
        whole = {"dataset": None, "average": "macro", "resampled": "datasets"}
        found.append({**whole, **data.row(d), "wins": wins, "ties": ties, "losses": losses})
        others = [entry for entry in c.overall if (entry.a, entry.b) == (d.a, d.b)]
        found += [_overall_row(c, e) for e in others if (e.average, e.resampled) != ("macro", "datasets")]
    inside = {"average": None, "resampled": "items", "wins": None, "ties": None, "losses": None}
    found += [
        {**dict.fromkeys(COLUMNS), **inside, "dataset": name, **data.row(d)}
        for name, differences in c.within.items()
        for d in differences
    ]
    return found


def _overall_row(c: DatasetComparison, entry: Overall) -> dict[str, Any]:
    return {
        **dict.fromkeys(COLUMNS),
        "average": entry.average,
        "resampled": entry.resampled,
        "metric": c.metric.name,
        "a": entry.a,
        "b": entry.b,
        "difference": entry.estimate,
        "low": ends(entry.interval)[0],
        "high": ends(entry.interval)[1],
        "level": c.level,
        "interval": None if entry.interval is None else entry.interval.method,
        "standard_error": entry.standard_error,
        "standard_error_method": entry.standard_error_method,
    }
