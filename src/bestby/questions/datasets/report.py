"""The report of a comparison over several datasets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bestby._core.text import grouped
from bestby.comparisons import family
from bestby.inference import groups
from bestby.inference.multiplicity import rejects
from bestby.questions.datasets import figure
from bestby.questions.datasets.result import DatasetComparison, Overall, RunsOnDatasets
from bestby.questions.runs.differences import ASO_RESAMPLES
from bestby.questions.runs.report import differences_of_runs
from bestby.questions.runs.result import RunsDifference
from bestby.report import column, data, replicability, words
from bestby.report.column import Cell, Column, Look
from bestby.report.disagreements import (
    Kind,
    Kinds,
    answers,
    beside,
    kinds,
    line,
    overall_marks,
    overall_shown,
    said,
    why_overall,
)
from bestby.report.disagreements import words as said_in_words
from bestby.report.document import Document, Picture, all_within, differences_with, one_section, subtitle
from bestby.report.fields import (
    DIFFERENCE,
    INTERVAL,
    TEST,
    Field,
    Rows,
    attributes,
    best_fields,
    by_name,
    inside,
    values,
)
from bestby.report.numbers import DASH, MINUS, Rounding, alpha, p_clause, percent, ranks_text
from bestby.report.paper import (
    against,
    drawn,
    inference,
    measured,
    named,
    score_of_runs,
    set_of_best,
    source_of_test,
    with_works,
    within,
)
from bestby.report.references import cite
from bestby.report.tables import (
    BEST,
    Table,
    columns_on_the_best,
    difference_columns,
    difference_rounding,
    footnote_on_best,
    marked_by,
    pairs_matrix,
    pairs_table,
    verdicts,
    with_first_rows,
)
from bestby.report.words import computed, listed
from bestby.vocabulary import long_name

if TYPE_CHECKING:
    from bestby.questions.datasets.result import MeanImprovement, RankDifference
    from bestby.report.comparison import Difference


MOST_COLUMNS = 8
"""Systems up to which the table of scores has a column for each; more stand in rows."""

MOST_DATASETS = 12
"""Datasets of which the short answer shows all; of more it shows some."""


def document(c: DatasetComparison) -> Document:
    """Return the report: the scores on every dataset, the differences of every two systems, and details."""
    n = len(c.datasets)
    many = len(c.systems) > MOST_COLUMNS
    tables = [*([_systems(c)] if many else []), _scores(c, details=many), _differences(c)]
    tables += [] if c.runs is None else [_run_systems(c, c.runs)]
    tables += [_overall(c)] if len(c.overall) > len(c.differences) else []
    tables += [] if c.runs is None else [_improvements(c, c.runs)]
    tables += [_ranks(c)] if c.ranking else []
    tables += [_within(c)] if c.within else []
    runs = [] if c.runs is None else [_extent(c.runs)]
    of_runs = (_methods_over_runs(c), _methods_of_chance(c), _methods_of_run_columns(c))
    methods = (_methods_over(c), _methods_within(c), *of_runs, _methods_overall(c))
    return one_section(
        c,
        title=f"{len(c.systems)} systems compared by {c.metric.name} on {n} datasets",
        subtitle=subtitle(c, ", ".join([f"{n} datasets", *runs]), words.direction(c.metric)),
        methods=" ".join(filter(None, methods)),
        short_methods=_methods_over(c),
        name=c.metric.name,
        lead=f"{_headline(c)} {_other_answer(c)}".rstrip(),
        tables=tuple(tables),
        details=tuple(_remarks(c)),
        pictures=tuple(_pictures(c)),
        readings=tuple(words.difference_sentence(d) for d in c.differences),
        pairs=partial(pairs_matrix, c, c.metric) if _every_pair(c) else None,
    )


def _every_pair(c: DatasetComparison) -> bool:
    """Return whether no two systems were left out that share too few datasets."""
    return not c.with_gaps or len(c.differences) == math.comb(len(c.systems), 2)


def _headline(c: DatasetComparison) -> str:
    n, first, values = len(c.datasets), c.systems[0], c.means if c.fixed else c.average_ranks
    ties = [name for name, value in zip(c.systems, values, strict=True) if words.are_level(value, values[0])]
    over = f"over {n} datasets"
    if c.with_gaps:
        n, over = min(d.n_items for d in c.differences), f"by pairs on the datasets that both have of {n}"
    best = f"average rank, {values[0]:.2f} of {len(c.systems)}, {over}"
    if c.fixed:
        mean = _score_rounding(c).text(values[0])
        best = f"{words.averaged(c.metric.name)}, {mean}, over these {n} datasets"
    if len(ties) > 1:
        may_be_best = words.best_sentence(c.best, difference_rounding(c), first, None)
        return f"{words.listed(ties)} share the best {best}.{may_be_best}"
    text = f"{first} has the best {best}"
    others = differences_with(c, first)
    if not others:
        return text + "."
    behind = c.behind[0] if c.behind else None
    may_be_best = words.best_sentence(c.best, difference_rounding(c), first, behind)
    may_be_best = may_be_best or words.surely_best(others, c.best)
    clause = words.best_clause(first, others, c.best)
    if c.baseline in others and len(c.systems) > 2:
        clause = clause.replace("from the other", f"from the baseline {c.baseline}")
    test = next(iter(others.values())).test
    named = f" ({words.name_of_test(test.name)})" if test is not None and clause.startswith(";") else ""
    across = c.provenance.settings.get("across")
    few = "" if c.fixed else words.few_units_text(n, "datasets", c.differences, c.notes, across)
    return f"{text}{clause}{named}.{may_be_best}{few}"


def _other_answer(c: DatasetComparison) -> str:
    """Return what the tests of the other question say of the best system, in one sentence; "" without."""
    first, n = c.systems[0], len(c.datasets)
    others = {
        name: replace(d, interval=e.interval, test=e.test, p_adjusted=e.p_adjusted)
        for name, d in differences_with(c, first).items()
        for e in c.overall
        if (e.a, e.b, e.average) == (d.a, d.b, "macro") and e.resampled != c.varying and e.test is not None
    }
    if not others:
        return ""
    tests = {words.name_of_test(d.test.name) for d in others.values() if d.test is not None}
    how = f"{listed(sorted(tests))}{f' over {n} datasets' if c.fixed else ''}"
    where = "For other datasets like these" if c.fixed else "For these very datasets"
    open_ = [name for name, d in others.items() if not d.significant]
    if len(c.systems) == 2:
        (d,) = others.values()
        verb = "cannot be told apart" if open_ else "differ significantly"
        p = p_clause(cast(float, d.p_adjusted), alpha(c.level))
        return f"{where}: {d.a} and {d.b} {verb} ({how}, {p})."
    if not open_:
        all_ = "all others" if len(others) > 1 else listed(list(others))
        return f"{where}: {first} differs significantly from {all_} ({how})."
    which = "no other system can" if len(open_) == len(others) > 1 else f"{listed(open_)} cannot"
    return f"{where}: {which} be told apart from {first} ({how})."


def _remarks(c: DatasetComparison) -> Iterator[str]:
    if c.friedman is not None:
        f, threshold = c.friedman, alpha(c.level)
        text = f"Friedman test that all systems are equal: {f.statistic:.2f} on {f.df} df,"
        text += f" {p_clause(f.p_value, threshold)}; "
        if math.isinf(f.f):
            text += "all datasets rank the systems alike, so that Iman and Davenport's F is infinite,"
        else:
            text += f"Iman and Davenport: F = {f.f:.2f} on {f.df} and {f.df_within} df,"
        text += f" {p_clause(f.p_f, threshold)}"
        yield text + ("." if f.p_exact is None else f"; exact {p_clause(f.p_exact, threshold)}.")
    if c.critical_difference is not None:
        yield f"Critical difference of average ranks (Nemenyi): {c.critical_difference:.2f}."
    # A sentence each for so few pairs; the table has all
    if len(c.replicability) <= 6:
        for (a, b), counted in c.replicability.items():
            yield f"{a} against {b}: {replicability.sentence(counted, 'datasets')}"


def _methods_over(c: DatasetComparison) -> str:
    """Return how the differences over the datasets were computed."""
    intervals, tests = words.intervals_and_tests(c.differences)
    how = f"{intervals} intervals ({percent(c.level)})"
    if all(d.interval is None for d in c.differences):
        how = "no intervals"
    return words.methods_of(
        c,
        f"Over {'these ' * c.fixed}datasets: {how} of the mean difference",
        f"Test over {'these ' * c.fixed}datasets: {tests}{words.corrected(c)}",
    )


def _methods_within(c: DatasetComparison) -> str:
    """Return how the differences on each dataset were computed; nothing if there are none."""
    if not c.within:
        return ""
    how = words.made_by(c, *words.intervals_and_tests_within(c.within))
    holm = "; Holm's correction over the datasets of a pair" if words.computed(c, "test") else ""
    return f"On each dataset: {how}{holm}." if how else ""


def _methods_overall(c: DatasetComparison) -> str:
    resampled = any(entry.interval is not None and not entry.interval.exact for entry in c.overall)
    return words.resamples(c) if resampled else ""


def _methods_over_runs(c: DatasetComparison) -> str:
    """Return how differences were bounded and tested over the runs of all datasets; nothing without runs."""
    over = [entry for entry in c.overall if entry.resampled == "runs"]
    methods = [entry.interval.method for entry in over if entry.interval is not None]
    intervals = ", ".join(dict.fromkeys(map(words.name_of_interval, methods)))
    tests = ", ".join(dict.fromkeys(words.how_tested(e.test) for e in over if e.test is not None))
    parts = "; ".join(filter(None, (intervals and f"{intervals} intervals", tests)))
    return f"Over the runs of all datasets: {parts}." if c.runs is not None and parts else ""


def _methods_of_chance(c: DatasetComparison) -> str:
    """Return how the intervals of the mean probabilities were made; nothing without runs."""
    improvements = () if c.runs is None else c.runs.improvements
    bounds = sorted({one.interval.method for one in improvements if one.interval is not None})
    named = ", ".join(map(words.name_of_interval, bounds))
    return f"Intervals of the probability over the datasets: {named}." if named else ""


def _methods_of_run_columns(c: DatasetComparison) -> str:
    """Return what the columns mean that runs add to the differences on each dataset."""
    if c.runs is None:
        return ""
    sides = column.sides(c.differences)
    text = f"Probability: how often a run of {sides.one} is above one of {sides.other}."
    if not words.computed(c, "test"):
        return text
    return (
        f"{text} ε: upper {100.0 * _orders_level(c):.4g} % bound of how far {sides.one} (reversed:"
        f" {sides.other}) is from being better at every quantile; the level is corrected for"
        f" {_orders_family(c)} ({_orders_resamples(c)})."
    )


def _orders_level(c: DatasetComparison) -> float:
    """Return the level of the bounds of the stochastic orders."""
    first = cast(RunsDifference, next(iter(c.within.values()))[0])
    return 0.0 if first.order is None else first.order.level


def _orders_resamples(c: DatasetComparison) -> str:
    """Return the number of the resamples that bound the stochastic orders, and their seed."""
    return f"{grouped(min(ASO_RESAMPLES, c.provenance.n_resamples))} resamples, seed {c.provenance.seed}"


def _orders_family(c: DatasetComparison) -> str:
    """Return over what the level of the stochastic orders is divided, in words."""
    return "the datasets" if c.correction == "none" else "the datasets, pairs and directions"


def _score_rounding(c: DatasetComparison) -> Rounding:
    return difference_rounding(c).at_least_for(c.means)


def _systems(c: DatasetComparison) -> Table:
    """Return the systems with their means, the best first, and the ranks that the tests leave open."""
    digits, name, standings = _score_rounding(c), c.metric.name, _standings(c)
    order = {system: place for place, system in enumerate(c.systems)}
    columns = (
        Column("rank", lambda e: _rank(standings, order[e[0]]), applies=standings is not None),
        column.name("system", itemgetter(0), (c.baseline,)),
        column.number(words.averaged(name), digits, itemgetter(1)),
        column.number("average rank", Rounding(2), itemgetter(2), applies=not c.fixed),
        Column("datasets", lambda e: Cell(str(e[3]), float(e[3])), applies=c.with_gaps),
        column.text("group", lambda e: _letters(standings, order[e[0]]), applies=_lettered(c)),
        *(column.part(one, lambda e: order[e[0]]) for one in columns_on_the_best(c, digits)),
    )
    caption = f"Systems over {len(c.datasets)} datasets ({name}: {words.direction(c.metric)})"
    entries = list(zip(c.systems, c.means, c.average_ranks, _n_datasets(c), strict=True))
    values = c.means if c.fixed else c.average_ranks
    best = {name for name, x in zip(c.systems, values, strict=True) if words.are_level(x, values[0])}
    main = 1 if standings is None else 2
    table = Table.of(
        caption,
        columns,
        entries,
        lambda e: e[0] in best,
        part="systems",
        main=main,
        footnote=_on_best(c),
    )
    return with_first_rows(table, BEST)


def _n_datasets(c: DatasetComparison) -> list[int]:
    """Return on how many datasets each system has a score."""
    n: list[int] = (~np.isnan(c.scores)).sum(axis=0).tolist()
    return n


def _lettered(c: DatasetComparison) -> bool:
    """Return whether every pair of three systems or more was tested, so that there are letters."""
    return len(c.systems) > 2 and c.baseline is None and words.computed(c, "test")


def _standings(c: DatasetComparison) -> family.Standings | None:
    """Return the ranks that the tests over the datasets leave open, and the letters; None without tests."""
    if not words.computed(c, "test") or not c.differences:
        return None
    return family.standings(c.systems, c.differences, alpha(c.level), lettered=_lettered(c))


def _rank(standings: family.Standings | None, place: int) -> Cell:
    entry = family.standing(standings, place)
    return _open_ranks(entry["rank_low"], entry["rank_high"])


def _open_ranks(low: int | None, high: int | None) -> Cell:
    return Cell(ranks_text(low, high), float(low or 0))


def _letters(standings: family.Standings | None, place: int) -> str:
    return family.standing(standings, place)["group"] or ""


def _on_best(c: DatasetComparison) -> str:
    standings = _standings(c)
    letters = [_letters(standings, place) for place in range(len(c.systems))]
    return footnote_on_best(c.level, letters, c.systems, c.best)


_TWO, _THREE = Rounding(2), Rounding(3)


def _run_systems(c: DatasetComparison, runs: RunsOnDatasets) -> Table:
    """Return the table of the systems over the runs on all datasets."""
    tested, bounded = words.computed(c, "test"), words.computed(c, "interval")
    gaps = any(entry.optimality_gap is not None for entry in runs.systems)

    digits = _score_rounding(c)
    columns = (
        Column("rank", lambda entry: _open_ranks(entry.rank_low, entry.rank_high), applies=tested),
        column.name("system", attrgetter("system"), (c.baseline,)),
        column.number(c.metric.name, digits, attrgetter("score")),
        column.interval(c.level, digits, attrgetter("interval"), applies=bounded),
        column.number("optimality gap", _THREE, attrgetter("optimality_gap"), applies=gaps),
        column.interval(c.level, _THREE, attrgetter("gap_interval"), applies=gaps and bounded),
    )
    return Table.of(
        f"Systems over the runs on all datasets, by the {_score_name(runs)} ({words.direction(c.metric)});"
        " the interval allows for other runs on these datasets",
        columns,
        runs.systems,
        lambda entry: words.are_level(entry.score, runs.systems[0].score),
        part="runs",
        details=True,
        main=2 if tested else 1,
    )


def _score_name(runs: RunsOnDatasets) -> str:
    """Return what the score of a system over all datasets is, in words."""
    if runs.statistic == "mean":
        return "mean over the datasets of the mean of the runs"
    return f"{long_name('statistic', runs.statistic)} of the runs of all datasets together"


def _extent(runs: RunsOnDatasets) -> str:
    """Return how many runs there are, in words.

    >>> from bestby.results import RunsOnDatasets
    >>> _extent(RunsOnDatasets("mean", False, {"x": {"a": (1.0, 2.0), "b": (1.0, 2.0, 3.0)}}, (), ()))
    '2 to 3 runs of each system on each'
    """
    low, high = runs.n_runs
    many = f"{low}" if low == high else f"{low} to {high}"
    return f"{many} runs of each system on each{', paired' if runs.paired else ''}"


def _differences(c: DatasetComparison) -> Table:
    def significant_on(d: Difference) -> Cell:
        r = c.replicability[d.a, d.b]
        return Cell(f"{r.k_bonferroni} of {len(r.datasets)}", float(r.k_bonferroni))

    columns = (
        column.count(f"wins{DASH}ties{DASH}losses", lambda d: c.wins(d.a, d.b)),
        Column("significant on", significant_on, applies=bool(c.replicability)),
    )
    caption = f"{words.mean_differences(c.metric.name)} over {'these' if c.fixed else 'the'} datasets"
    table = pairs_table(c, caption, columns, _with_resamples(c, _methods_over(c), c.differences))
    line = _shown_by_all_only(c)
    whole, short = (
        one and replace(one, footnote=f"{one.footnote}\n{line}".strip()) for one in (table, table.short)
    )
    return replace(whole or table, short=short) if line else table


def _shown_by_all_only(c: DatasetComparison) -> str:
    """Return the line on means that differ where no single dataset does; "" where there are none."""
    n = sum(
        words.stands_out(d) and not c.replicability[d.a, d.b].k_bonferroni
        for d in c.differences
        if c.replicability
    )
    which = f"{n} of {len(c.differences)} pairs: the" if len(c.differences) > 1 else "The"
    line = f"{which} mean differs significantly; no single dataset shows it after correction."
    return line if n else ""


def _with_resamples(c: DatasetComparison, methods: str, differences: Iterable[Difference]) -> str:
    return f"{methods} {words.resamples(c)}" if words.resampled(differences) else methods


def _overall(c: DatasetComparison) -> Table:
    digits = Rounding.of([(entry.estimate, entry.interval) for entry in c.overall])
    bounded = words.computed(c, "interval")
    answer = "interval" if bounded else "test" if words.computed(c, "test") else ""
    marks = overall_marks(c)
    sides = column.sides(c.overall)
    columns = (
        *sides.columns,
        column.number(column.DIFFERENCE_HEADER, digits, attrgetter("estimate")),
        column.interval(c.level, digits, attrgetter("interval"), applies=bounded),
        column.text("average", attrgetter("average")),
        column.text("varying", lambda entry: entry.resampled or "", applies=bool(answer)),
        *_test_columns(c),
        verdicts(c.overall),
        marked_by(marks.__getitem__, applies=any(marks.values())),
    )
    pooled = "items pooled" if c.runs is None else "runs together"
    inner = "items" if c.runs is None else "runs"
    caption = f"All datasets together, {sides.minus}: macro (mean of the datasets)"
    caption += f" and micro (all {pooled})" if any(entry.average == "micro" for entry in c.overall) else ""
    if answer:
        caption += f". The {answer} allows for other {inner} (varying: {inner}) or other datasets (varying:"
        caption += " datasets)"
    return Table.of(
        caption,
        columns,
        c.overall,
        lambda e: overall_shown(c, e),
        part="overall",
        details=True,
        main=len(sides.columns),
        methods=" ".join(filter(None, (_methods_over_runs(c), _methods_overall(c)))),
        footnote=why_overall(marks.values(), c.varying),
    )


def _test_columns(c: DatasetComparison) -> tuple[Column, ...]:
    """Return the columns of the tests that let the runs vary; a dash where others do."""
    applies = any(entry.test is not None for entry in c.overall)
    corrected = applies and c.correction != "none" and not words.is_one_comparison(c)
    raw, adjusted = (partial(_p, what) for what in ("test.p_value", "p_adjusted"))
    return (
        column.p_value("p", raw, c.level, applies=applies),
        column.p_value(f"p ({c.correction})", adjusted, c.level, applies=corrected),
    )


def _p(what: str, entry: Any) -> float:
    value = entry.test and attrgetter(what)(entry)
    return float("nan") if value is None else float(value)


def _improvements(c: DatasetComparison, runs: RunsOnDatasets) -> Table:
    """Return the table of the probabilities that a run of the first is above one of the second."""
    bounded, sides = words.computed(c, "interval"), column.sides(runs.improvements)

    def kinds(one: MeanImprovement) -> Kinds:
        return () if one.interval is None else beside(c[one.a, one.b], _excludes_one_half(one))

    marked = sum(bool(kinds(one)) for one in runs.improvements)
    columns = (
        *sides.columns,
        column.number("probability", _TWO, attrgetter("estimate")),
        column.interval(c.level, _TWO, attrgetter("interval"), applies=bounded),
        marked_by(kinds, applies=marked > 0),
    )
    reason = (
        "the probability asks how often a run of one is above a run of the other on these datasets, and its"
        " interval is for one pair at a time. The headline follows the test of the mean difference."
    )
    return Table.of(
        f"Probability that a run of {sides.one} is above one of {sides.other} on the same dataset, on average"
        " over the datasets",
        columns,
        runs.improvements,
        _excludes_one_half,
        part="probability",
        details=True,
        main=len(sides.columns),
        methods=_methods_of_chance(c),
        footnote=said(Kind.QUESTION, marked, len(runs.improvements), reason),
    )


def _excludes_one_half(one: MeanImprovement) -> bool:
    """Return whether the interval of a probability says which system is more often above the other."""
    return one.interval is not None and 0.5 not in one.interval


def _ranks(c: DatasetComparison) -> Table:
    nemenyi, threshold = c.critical_difference is not None, alpha(c.level)

    def kinds(r: RankDifference) -> Kinds:
        shown = [rejects(p, threshold) for p in (r.p_nemenyi, r.p_holm) if p is not None]
        return next(filter(None, (beside(c[r.a, r.b], one) for one in shown)), ())

    marked = sum(bool(kinds(r)) for r in c.ranking)
    reason = (
        "the tests of average ranks, which depend on the other systems too, disagree with the test of the"
        " mean difference. The headline and the diagram of ranks follow the test of the mean difference."
    )
    sides = column.sides(c.ranking)
    columns = (
        *sides.columns,
        column.number(column.DIFFERENCE_HEADER, Rounding(2), attrgetter("estimate")),
        column.p_value("p (Nemenyi)", attrgetter("p_nemenyi"), c.level, applies=nemenyi),
        column.p_value("p (holm)", attrgetter("p_holm"), c.level),
        marked_by(kinds, applies=marked > 0),
    )
    return Table.of(
        f"Post-hoc tests of the average ranks, {sides.minus}",
        columns,
        c.ranking,
        attrgetter("significant"),
        part="ranks",
        details=True,
        main=len(sides.columns),
        footnote=said(Kind.QUESTION, marked, len(c.ranking), reason),
    )


def _within(c: DatasetComparison) -> Table:
    """Return every dataset of every pair."""
    sides = column.sides(c.differences)
    inner = all_within(c)
    digits = Rounding.of([(d.estimate, d.interval) for d in inner])
    shown = difference_columns(c, sides, Look(digits, c.level, "holm"))
    columns = [*shown, *_run_columns(c), verdicts(inner)]
    entries = [
        (name, differences[place], _datasets_with_difference(c, pair))
        for place, pair in enumerate(c.differences)
        for name, differences in c.within.items()
    ]

    def kinds_of(entry: tuple[str, Difference, tuple[str, ...]]) -> Kinds:
        return kinds(entry[1], told_apart=entry[0] in entry[2])

    marked = [(entry[1], kinds_of(entry)) for entry in entries]
    run_columns = _methods_of_run_columns(c)
    columns = [column.part(one, itemgetter(1)) for one in columns]
    columns.append(marked_by(kinds_of, applies=any(reasons for _, reasons in marked)))
    return Table.of(
        f"Differences on each dataset, {sides.minus}",
        (column.name("dataset", itemgetter(0)), *columns),
        entries,
        lambda e: e[0] in e[2],
        part="datasets",
        details=True,
        main=1 + len(sides.columns),
        methods=" ".join(filter(None, (_with_resamples(c, _methods_within(c), inner), run_columns))),
        footnote=line(marked, c),
    )


def _run_columns(c: DatasetComparison) -> tuple[Column, ...]:
    """Return the columns that runs add to the differences on each dataset."""
    if c.runs is None:
        return ()
    ordered = words.computed(c, "test")
    return (
        column.number("probability", _TWO, attrgetter("improvement")),
        column.number("ε", _TWO, attrgetter("order.epsilon_min"), applies=ordered),
        column.number("ε reversed", _TWO, attrgetter("reverse_order.epsilon_min"), applies=ordered),
    )


def _datasets_with_difference(c: DatasetComparison, pair: Difference) -> tuple[str, ...]:
    """Return the datasets on which a pair of systems differs significantly."""
    return c.replicability[pair.a, pair.b].found if c.replicability else ()


def _scores(c: DatasetComparison, *, details: bool) -> Table:
    """Return the scores on every dataset, their means, and where the tests leave the systems."""
    digits, standings, better = _score_rounding(c), _standings(c), c.metric.greater_is_better
    lettered = _lettered(c) and len(c.systems) <= MOST_COLUMNS

    def score_cells(
        values: Sequence[float], groups: Sequence[str] | None, *, alike: bool = True
    ) -> list[Cell]:
        best = (np.nanmax if better else np.nanmin)(values) if alike else math.nan
        letters = [f" {group}" for group in groups] if lettered and groups else [""] * len(values)
        return [
            replace(column.number_cell(digits, x).followed_by(letter), strong=words.are_level(x, best))
            for x, letter in zip(values, letters, strict=True)
        ]

    entries = [
        (name, score_cells(row, _groups_on(c, name)))
        for name, row in zip(c.datasets, c.scores.tolist(), strict=True)
    ]
    letters = None if standings is None else standings[2]
    below = [("mean", score_cells(c.means, letters, alike=not c.with_gaps))]
    if not c.fixed:
        below.append(("average rank", [Cell(f"{rank:.2f}", rank) for rank in c.average_ranks]))
    if c.with_gaps:
        below.append(("datasets", [Cell(str(n), float(n)) for n in _n_datasets(c)]))
    if standings is not None:
        below.append(("rank", [_rank(standings, place) for place in range(len(c.systems))]))
    on_the_best = [] if details else columns_on_the_best(c, digits)  # of many systems they have a row each
    below += [(one.header, list(map(one.cell, range(len(c.systems))))) for one in on_the_best]
    named = [f"{name} (baseline)" if name == c.baseline else name for name in c.systems]
    of_systems = (Column(name, itemgetter(place)) for place, name in enumerate(named))
    columns = [column.part(one, itemgetter(1)) for one in of_systems]
    called = "Scores" if c.metric.name == "mean" else c.metric.name
    what = f"{called} on each dataset ({words.direction(c.metric)})"
    footnote = "Systems that share a letter in a row cannot be told apart there." if lettered else ""
    footnote = f"{footnote} {_on_best(c) if on_the_best else ''}".strip()
    table = Table.of(
        what, (column.name("dataset", itemgetter(0)), *columns), [*entries, *below], part="scores", main=0,
        footnote=footnote, details=details,
    )  # fmt: skip
    if len(entries) <= MOST_DATASETS:
        return table
    spread = np.nanmax(c.scores, axis=1) - np.nanmin(c.scores, axis=1)
    shown = set(np.argsort(-spread, kind="stable")[: MOST_DATASETS - 2].tolist())
    rows = tuple(row for place, row in enumerate(table.rows) if place >= len(entries) or place in shown)
    caption = f"{what}: the {len(shown)} of {len(entries)} where the systems differ most"
    line = f"The last rows are of all {len(entries)} datasets."
    short = replace(table, caption=caption, rows=rows, footnote=f"{footnote} {line}".strip())
    return replace(table, short=short)


def _groups_on(c: DatasetComparison, dataset: str) -> tuple[str, ...] | None:
    """Return the letters of the systems on one dataset, by the tests there; None without tests."""
    if not c.replicability or not _lettered(c):
        return None
    place = {name: position for position, name in enumerate(c.systems)}
    differ = np.zeros((len(place), len(place)), dtype=np.bool_)
    for (a, b), counted in c.replicability.items():
        if dataset in counted.found:
            differ[place[a], place[b]] = differ[place[b], place[a]] = True
    return groups.labels(differ)


def _pictures(c: DatasetComparison) -> Iterator[Picture]:
    # A figure of more systems cannot be read
    if len(c.systems) > 20:
        return
    if c.runs is not None and c.ranges is not None:
        caption = (
            "The share of the runs that are better than each normalised score; every dataset counts alike."
        )
        yield Picture("Performance profiles", caption, partial(figure.datasets, c, "profiles"))
    if len(c.systems) == 2:
        d = c.differences[0]
        filled = "A filled marker is a dataset on which Holm's procedure finds a difference."
        caption = filled if c.replicability else ""
        label = f"Differences {d.a} minus {d.b} on each dataset"
        yield Picture(label, caption, partial(figure.datasets, c, "forest"))
        return
    if figure.has_plain_bars(c):
        joined = words.computed(c, "test") and c.baseline is None
        caption = f"Average ranks; {figure.bars_join(c)}." if joined else "Average ranks."
        yield Picture("Diagram of average ranks", caption, partial(figure.datasets, c, "ranks"))
    tested = ", p-value after correction (bold: significant)" if words.computed(c, "test") else ""
    caption = (
        f"Row {MINUS} column: mean difference, wins{DASH}ties{DASH}losses over the datasets{tested}."
        " Blue: the row is better."
    )
    if not _every_pair(c):
        return
    yield Picture("Matrix of the pairs", caption, partial(figure.datasets, c, "matrix"))


def dictionary(c: DatasetComparison) -> dict[str, Any]:
    """Return the comparison as dictionaries and lists."""
    return {
        "metric": c.metric.name,
        "greater_is_better": c.metric.greater_is_better,
        "systems": [
            {"system": name, "average_rank": rank, "mean": mean}
            for name, rank, mean in zip(c.systems, c.average_ranks, c.means, strict=True)
        ],
        "scores": {
            name: {s: None if math.isnan(x) else float(x) for s, x in zip(c.systems, row, strict=True)}
            for name, row in zip(c.datasets, c.scores, strict=True)
        },
        "differences": TABLES["differences"].rows(c),
        "replicability": replicability.by_pair(c.replicability),
        "friedman": None if c.friedman is None else asdict(c.friedman),
        "ranking": [
            {**asdict(one), "significant": one.significant, "winner": one.winner} for one in c.ranking
        ],
        "critical_difference": c.critical_difference,
        **data.on_the_best(c),
        **({} if c.ranges is None else {"ranges": c.ranges}),
        **({} if c.runs is None else {"runs": asdict(c.runs) | {"differences": TABLES["runs"].rows(c)}}),
    }


def _over_and_within(c: DatasetComparison) -> Iterator[dict[str, Any]]:
    """Yield the rows of every pair over all datasets, then those on each dataset."""
    marks = overall_marks(c)
    for d in c.differences:
        wins, ties, losses = c.wins(d.a, d.b)
        whole = {"dataset": None, "average": "macro", "resampled": c.varying}
        yield whole | values(DIFFERENCE, d) | {"wins": wins, "ties": ties, "losses": losses}
        for entry in c.overall:
            if (entry.a, entry.b) != (d.a, d.b) or answers(c, entry):
                continue
            row = values(_OVERALL, entry) | {"metric": c.metric.name}
            yield _EMPTY | row | {"disagreement": said_in_words(marks[entry])}
    varying = {"resampled": "items" if c.runs is None else "runs"}
    for name, differences in c.within.items():
        for pair, d in zip(c.differences, differences, strict=True):
            mark = kinds(d, told_apart=name in _datasets_with_difference(c, pair))
            row = {"dataset": name, **varying} | values(DIFFERENCE, d)
            yield _EMPTY | row | {"disagreement": said_in_words(mark)}


_COLUMNS = (
    *attributes("dataset", "average"),
    Field("resampled", needs=(*INTERVAL, *TEST)),
    *by_name(DIFFERENCE),
    *attributes("wins", "ties", "losses"),
)

_EMPTY = dict.fromkeys(column.name for column in _COLUMNS)

_OVERALL = (
    *attributes("average", "resampled"),
    *(column for column in DIFFERENCE if hasattr(Overall, str(column.path or column.name).split(".")[0])),
)
"""What a difference on all datasets together has of the columns."""


def _score_rows(c: DatasetComparison) -> list[dict[str, Any]]:
    """Return one row per system over the datasets, and one per dataset and system."""
    places = [(name,) for name in c.datasets]
    return data.scores_by_place(c, ("dataset",), places, average_rank=c.average_ranks)


def _run_rows(c: DatasetComparison) -> Iterator[dict[str, Any]]:
    """Yield the differences between the runs on each dataset; none without runs."""
    if c.runs is not None:
        for name, differences in c.within.items():
            yield from ({"dataset": name, "difference": d} for d in differences)


TABLES = {
    "differences": Rows(_COLUMNS, _over_and_within),
    "scores": Rows(
        lambda c: (*attributes("dataset", "system", "score", "average_rank"), *best_fields(c)), _score_rows
    ),
    "runs": Rows((Field("dataset"), *inside("difference", differences_of_runs(with_items=False))), _run_rows),
}


def _shared(c: DatasetComparison) -> str:
    """Return on how many datasets every two systems were compared, where some lack scores."""
    if not c.with_gaps:
        return ""
    sizes = sorted({d.n_items for d in c.differences})
    span = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    return f", every two on those on which both have a score ({span})"


def sentences(c: DatasetComparison) -> Iterator[str]:
    """Yield how systems were compared over datasets."""
    runs = "" if c.runs is None else f", {_extent(c.runs)}"
    yield (
        f"We compared {len(c.systems)} systems{named(c.systems)} by {measured(c.metric.name)} on"
        f" {len(c.datasets)} datasets{named(c.datasets)}{runs}{_shared(c)}{against(c.baseline)}."
    )
    if c.ranges is not None:
        yield _normalised(c.ranges)
    if c.runs is not None:
        one, over_all = score_of_runs(c.runs.statistic), _score_name(c.runs)
        yield f"The score of a system on a dataset is {one}; over all datasets it is the {over_all}."
    yield from inference(c, c.differences, over=" of the means over the datasets")
    yield set_of_best(c)
    inner = all_within(c)
    yield from within(c, "on each dataset", by_place=True)
    if c.runs is not None:
        yield from _sentences_on_runs(c, c.runs)
    if c.replicability:
        holm = cite("correction", "holm")
        yield (
            f"We counted the datasets on which there is a difference by partial conjunction tests"
            f"{cite('analysis', 'replicability')}, and named them by Holm's procedure{holm}."
        )
    if c.friedman is not None:
        source = cite("omnibus", "friedman")
        yield f"We ranked the systems by their average ranks and tested these by Friedman's test{source}."
    if c.ranking:
        nemenyi = "Nemenyi's test and by " if c.ranking[0].p_nemenyi is not None else ""
        source = cite("analysis", "ranks")
        yield (
            f"We compared average ranks in pairs by {nemenyi}a normal approximation with Holm's correction"
            f"{source}."
        )
    ordered = c.runs is not None and computed(c, "test")
    intervals = (entry.interval for entry in c.overall)
    yield drawn(c, [*c.differences, *inner], *intervals, beside_orders=ordered)


def _normalised(ranges: Mapping[str, tuple[float, float]]) -> str:
    """Return what the scores that become 0 and 1 are, if the datasets are not too many."""
    pairs = [f"{low:.6g} and {high:.6g} on {name}" for name, (low, high) in ranges.items()]
    return f"We normalised the scores on each dataset: two of them become 0 and 1{named(pairs)}."


def _sentences_on_runs(c: DatasetComparison, runs: RunsOnDatasets) -> Iterator[str]:
    """Yield what lets the runs vary on these very datasets: intervals, tests, chances and orders."""
    over = [entry for entry in c.overall if entry.resampled == "runs"]
    methods = dict.fromkeys(entry.interval.method for entry in over if entry.interval is not None)
    tests = dict.fromkeys(
        words.how_tested(entry.test, source_of_test) for entry in over if entry.test is not None
    )
    if methods:
        yield f"Intervals ({percent(c.level)}) over the runs of all datasets: {_interval_names(methods)}."
    if tests:
        yield f"Tests over the runs of all datasets: {listed(list(tests))}."
    if any(entry.optimality_gap is not None for entry in runs.systems):
        yield (
            "The optimality gap of a system is how far its runs are below 1 on average"
            f"{cite('analysis', 'optimality gap')}."
        )
    bounds = dict.fromkeys(one.interval.method for one in runs.improvements if one.interval is not None)
    if runs.improvements:
        source = cite("analysis", "improvement over datasets")
        yield (
            "We report how often a run of one system is above a run of the other, on average over the"
            f" datasets{source}{f': {_interval_names(bounds)}' if bounds else ''}."
        )
    if computed(c, "test"):
        yield (
            "We measured how nearly one system is better at every quantile of its runs on a dataset by almost"
            f" stochastic order{cite('analysis', 'stochastic order')}: the upper"
            f" {100.0 * _orders_level(c):.4g} % bound of the violation ratio, whose level is corrected for"
            f" {_orders_family(c)}. Its bounds were resampled: {_orders_resamples(c)}."
        )


def _interval_names(methods: dict[str, None]) -> str:
    """Return the names of intervals with their works."""
    return ", ".join(with_works("interval", one) for one in methods)
