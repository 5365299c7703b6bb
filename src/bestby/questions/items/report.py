"""The report of a comparison on one test set."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any

from bestby._core.text import counted, grouped
from bestby.questions.items.many_systems_report import embedded
from bestby.report import column, data, disagreements, words
from bestby.report.column import Cell, Column, Look, interval_cell, number_cell
from bestby.report.comparison import Comparison, Difference
from bestby.report.differing_items import (
    Disagreement,
    Disagreements,
    effect_text,
    items_sentence,
    shown_value,
)
from bestby.report.document import (
    Document,
    Overview,
    Picture,
    Score,
    Search,
    Section,
    best_systems,
    forest_picture,
    several_sections,
    subtitle,
)
from bestby.report.fields import DIFFERENCE, N_ITEMS, SCORE, Field, Rows, best_fields
from bestby.report.fields import named as named_fields
from bestby.report.figures import forest, systems
from bestby.report.next_step import leading, next_step
from bestby.report.numbers import DASH, percent
from bestby.report.pairs import examples
from bestby.report.paper import (
    against,
    clustered,
    drawn,
    inference,
    intervals_of_scores,
    measured,
    named,
    set_of_best,
)
from bestby.report.references import cite
from bestby.report.tables import (
    BEST,
    CLASS_SHARE,
    Table,
    class_rows,
    difference_rounding,
    differences_of,
    differences_table,
    footnote_on_letters,
    margin_clause,
    marks,
    pairs_matrix,
    score_rounding,
    shares_table,
    systems_of,
    systems_table,
    verdicts,
    why_marked,
    with_first_rows,
)
from bestby.results.base import MetricInfo
from bestby.results.values import ClassShares
from bestby.vocabulary import long_name


def document(c: Comparison, top: int | None = None, *, items: bool = False) -> Document:
    """Return the report of a comparison; `top` and `items` as for `describe`."""
    n_systems = len({entry.system for entry in c.systems})
    view = best_systems(c, top) if c.differences else None
    most = BEST if top is None else top
    sections = tuple(_section(c, metric, view, most) for metric in c.metrics)
    if items:
        sections = tuple(
            dataclasses.replace(section, items=_items(c, metric, view))
            for section, metric in zip(sections, c.metrics, strict=True)
        )
    report = several_sections(
        c,
        title=_title(c, n_systems),
        subtitle=subtitle(c, c.extent),
        sections=sections,
        methods=words.methods_sentence(c),
    )
    overview, shown = _overview(c, view), c if view is None else view
    by_metric = _by_metric(c) if n_systems == 2 and c.differences else None
    joint: tuple[Table, ...] = ()
    if len(c.metrics) > 1:
        joint = _joint(c, shown, overview, most) if by_metric is None else (by_metric,)
    return dataclasses.replace(
        report,
        overview=overview,
        by_metric=by_metric,
        classes=shares_table(_shown_shares(c, view)),
        joint=joint,
    )


def _shown_shares(c: Comparison, view: Comparison | None) -> tuple[ClassShares, ...]:
    """Return the shares of the gold and of the systems that are shown."""
    shown = {None, *(entry.system for entry in (c if view is None else view).systems)}
    return tuple(entry for entry in c.classes if entry.system in shown)


def _title(c: Comparison, n_systems: int) -> str:
    metrics = words.listed([metric.name for metric in c.metrics], 3)
    if not c.differences:
        return f"{counted(n_systems, 'system')} evaluated by {metrics}"
    return f"{n_systems} systems compared by {metrics}"


def _section(c: Comparison, metric: MetricInfo, view: Comparison | None, most: int) -> Section:
    """Return the section of one metric; of many systems with those of `view` only."""
    shown = c if view is None else view
    differences = differences_of(shown, metric)
    digits = difference_rounding(shown, metric)
    omnibus = words.omnibus_sentence(c, metric)
    n_items, mean_difference = _of_incomplete(shown, metric)
    section = Section(
        name=metric.name,
        lead=words.headline(c, metric),
        next_step=partial(next_step, c, metric),
        tables=(
            systems_table(
                shown,
                metric,
                beside_score=(n_items,),
                beside_interval=(mean_difference,),
                most=most,
                grouped=view is None,
            ),
            *([differences_table(shown, metric, _items_of_pairs(c), most=most)] if differences else []),
        ),
        details=() if omnibus is None else (omnibus,),
        pictures=_pictures(c, metric, view),
        readings=tuple(words.difference_sentence(d, digits) for d in differences),
        pairs=partial(pairs_matrix, c, metric, shown) if _every_pair(c, metric) else None,
    )
    return section if view is None else _of_best(section, c, metric, view, differences)


def _of_incomplete(c: Comparison, metric: MetricInfo) -> tuple[Column, Column]:
    """Return the columns of scores where systems lack items: of how many, and what orders them."""
    entries = systems_of(c, metric)
    return (
        Column(
            "items",
            lambda e: Cell(grouped(e.n_items or 0), float(e.n_items or 0)),
            applies=any(entry.n_items is not None for entry in entries),
        ),
        column.number(
            "mean difference",
            difference_rounding(c, metric),
            attrgetter("mean_difference"),
            applies=any(entry.mean_difference is not None for entry in entries),
        ),
    )


def _items_of_pairs(c: Comparison) -> Column:
    """Return the column of how many items two systems both have, where some lack items."""
    return Column("items", lambda d: Cell(grouped(d.n_items), float(d.n_items)), applies=c.in_pairs)


def _items(c: Comparison, metric: MetricInfo, view: Comparison | None) -> tuple[Table, ...]:
    """Return the items on which the pairs differ that the report shows."""
    differences = differences_of(c if view is None else view, metric)
    return tables_of_items(c, metric, [(d.a, d.b) for d in differences])


MOST_PAIRS = 30
"""Pairs whose items a page lists."""


def tables_of_items(
    c: Comparison, metric: MetricInfo, shown_pairs: Sequence[tuple[str, str]]
) -> tuple[Table, ...]:
    """Return per pair the items with the largest effects, as many of those won as of those lost if there are.

    The leading pair comes first.
    """
    first = leading(c, metric)
    pairs = sorted(shown_pairs, key=lambda pair: first is None or pair != (first.a, first.b))[:MOST_PAIRS]
    # Items that a page lists per metric, over all pairs
    most = 300 // max(1, len(pairs))
    return tuple(_item_table(c.disagreements(a, b, metric.name), most) for a, b in pairs)


def _item_table(differing: Disagreements, most: int) -> Table:
    rows = best_of_both(differing, most)
    some = "" if len(rows) == len(differing) else f"; the {len(rows)} with the largest effects"
    table = Table.of(
        f"{items_sentence(differing).removesuffix('.')}{some}", _item_columns(differing, rows), rows, main=0
    )
    return dataclasses.replace(table, main=len(table.columns) - 1)


def best_of_both(differing: Disagreements, most: int) -> list[Disagreement]:
    """Return the items with the largest effects, half of them won and half lost while there are such."""
    if len(differing) <= most:
        return list(differing)
    lost = min(len(differing.lost), max(most // 2, most - len(differing.won)))
    chosen = {id(row) for row in (*differing.lost[:lost], *differing.won[: most - lost])}
    chosen |= {id(row) for row in [one for one in differing if one.winner is None][: most - len(chosen)]}
    return [row for row in differing if id(row) in chosen]


def _item_columns(differing: Disagreements, rows: Sequence[Disagreement]) -> list[Column]:
    def written(header: str, name: str, *, applies: bool = True) -> Column:
        return Column(
            header, lambda row: _words(getattr(row, name)), numeric=False, name=True, applies=applies
        )

    scored = any(row.score_a is not None for row in rows)
    return [
        written("item", "item"),
        column.text("for", attrgetter("winner")),
        written("gold", "gold", applies=any(row.gold is not None for row in rows)),
        written(differing.a, "prediction_a"),
        written(differing.b, "prediction_b"),
        written("cluster", "cluster", applies=any(row.cluster is not None for row in rows)),
        Column(f"score of {differing.a}", lambda row: _number(row.score_a), applies=scored),
        Column(f"score of {differing.b}", lambda row: _number(row.score_b), applies=scored),
        Column("effect", lambda row: _number(row.effect)),
    ]


def _words(value: Any) -> Cell:
    return Cell(shown_value(value), shown_value(value))


def _number(value: float | None) -> Cell:
    number = math.nan if value is None else value
    return Cell(effect_text(number), number)


def _pictures(c: Comparison, metric: MetricInfo, view: Comparison | None) -> tuple[Picture, ...]:
    """Return the figure of one metric: every pair, or a line per system if the pairs are too many for it.

    Of many systems it shows those of `view`, and how each stands to all systems.
    """
    shown = c if view is None else view
    n_pairs = len(differences_of(shown, metric))
    if n_pairs == 0:
        draw = partial(systems.scores, c, metric.name)
        return (Picture(f"Scores in {metric.name}", _scores_caption(c), draw),)
    if systems.usual(shown, metric.name) == "systems":
        n_shown = len(systems_of(shown, metric))
        label = f"Scores of {n_shown} systems in {metric.name}"
        too_many = grouped(len(differences_of(c, metric)))
        caption = f"A line per system: {too_many} differences are too many for one figure."
        draw = partial(systems.systems, c, metric.name, None if view is None else n_shown)
        return (Picture(label, caption, draw),)
    return (forest_picture(c, metric.name, n_pairs, partial(forest.forest, shown, metric.name)),)


def _scores_caption(c: Comparison) -> str:
    return "Scores with their intervals." if words.computed(c, "interval") else "Scores."


def _of_best(
    section: Section, c: Comparison, metric: MetricInfo, view: Comparison, differences: Sequence[Difference]
) -> Section:
    """Return a section that says that it shows only the best systems, and lets all be searched."""
    which = _which(c, metric, len(systems_of(view, metric)))
    pictures = (
        dataclasses.replace(
            picture,
            label=f"{picture.label}: {which}",
            caption=f"{which[0].upper()}{which[1:]} systems. {picture.caption}",
        )
        for picture in section.pictures
    )
    first = _captioned(section.tables[0], which)
    footnote = f"{first.footnote} {_not_shown(c, metric, view)}".lstrip()
    return dataclasses.replace(
        section,
        tables=(
            dataclasses.replace(first, footnote=footnote),
            *_parts(view, metric, differences),
        ),
        pictures=tuple(pictures),
        search=Search(
            systems=partial(systems_table, c, metric, grouped=False),
            pairs=partial(embedded, c, metric, difference_rounding(view, metric)),
            differences=partial(differences_table, c, metric),
        ),
    )


def _which(c: Comparison, metric: MetricInfo, n_shown: int) -> str:
    return f"the {n_shown} best of {len(systems_of(c, metric))}"


def _not_shown(c: Comparison, metric: MetricInfo, view: Comparison) -> str:
    return (
        f"{len(systems_of(view, metric))} of {len(systems_of(c, metric))} systems are shown; all of them, and"
        f" all {len(differences_of(c, metric))} differences, are in the JSON and the CSV, and the HTML page"
        " can be searched for each."
    )


def _parts(view: Comparison, metric: MetricInfo, differences: Sequence[Difference]) -> list[Table]:
    """Return the table of the best system and each other one, and that of neighbours."""
    if view.baseline is not None:
        return [differences_table(view, metric, most=len(differences))] if differences else []
    first = systems_of(view, metric)[0].system
    tables = []
    for caption, with_first in (("the best system and each other one", True), ("neighbours in rank", False)):
        part = tuple(d for d in differences if (first in (d.a, d.b)) == with_first)
        if part:
            table = differences_table(dataclasses.replace(view, differences=part), metric, most=len(part))
            tables.append(dataclasses.replace(_captioned(table, caption), details=not with_first))
    return tables


def _captioned(table: Table, more: str) -> Table:
    short = None if table.short is None else _captioned(table.short, more)
    return dataclasses.replace(table, caption=f"{table.caption}: {more}", short=short)


def _overview(c: Comparison, view: Comparison | None) -> Overview:
    """Return a row per system, in the order of the first metric, and a column per metric."""
    if view is not None:
        omitted = " ".join(_not_shown(c, metric, view) for metric in c.metrics)
        overview = _overview(view, None)
        return dataclasses.replace(overview, caption=f"{overview.caption} {omitted}")
    scores: dict[tuple[str, str], Score] = {}
    for metric in c.metrics:
        digits, entries = score_rounding(c, metric), systems_of(c, metric)
        for entry in entries:
            best = words.stands_level(entry, entries[0])
            number = number_cell(digits, entry.score)
            interval = interval_cell(digits, entry.interval) if words.computed(c, "interval") else None
            scores[metric.name, entry.system] = Score(number, interval, entry.group or "", best)
    rows = tuple(
        (
            f"{entry.system}{' (baseline)' * (entry.system == c.baseline)}",
            tuple(scores.get((metric.name, entry.system)) for metric in c.metrics),
        )
        for entry in systems_of(c, c.metrics[0])
    )
    intervals = f" with {percent(c.level)} intervals" if words.computed(c, "interval") else ""
    caption = f"Scores over {c.extent}{intervals}, {'the first' if c.in_pairs else 'best'} in bold"
    caption += f" ({words.directions(c.metrics)})."
    if c.in_pairs:
        caption += " Each score is on the items of its system; these stand in the order of their mean"
        caption += " differences on the items both have."
    groups = [entry.group for entry in c.systems if entry.group]
    if groups:
        label = "number" if any(group[:1].isdigit() for group in groups) else "letter"
        caption += f" Systems that share a raised {label} cannot be told apart."
    return Overview(
        caption,
        tuple(metric.name for metric in c.metrics),
        rows,
        footnote_on_letters(c.systems),
    )


_ROWS_OF_BOTH = 15
"""Rows up to which the short answer shows both scores and differences on all metrics: those of 5 systems."""


def _joint(c: Comparison, shown: Comparison, overview: Overview, most: int) -> tuple[Table, ...]:
    """Return the scores and the differences on all metrics, each in one table, of the systems that are shown.

    Where both are long, the short answer shows one: with a baseline the differences, else the scores.
    """
    pairs = differences_of(shown, c.metrics[0])
    scores = with_first_rows(_scores_by_metric(c, overview), most).in_short()
    if len(pairs) == 0:
        return scores
    differences = _differences_by_metric(c, pairs, most)
    if len(pairs) + len(overview.rows) <= _ROWS_OF_BOTH:
        return (*scores, differences)
    return scores if c.baseline is None else (differences,)


def _scores_by_metric(c: Comparison, overview: Overview) -> Table:
    """Return a row per system, in the order of the first metric, and columns per metric."""
    n_systems = len(systems_of(c, c.metrics[0]))
    all_shown = len(overview.rows) == n_systems
    have_groups = all_shown and any(entry.group for entry in c.systems)
    columns = [column.name("system", itemgetter(0))]
    for place, metric in enumerate(overview.metrics):
        level = column.interval_header(c.level)
        columns += [
            _of_score(metric, place, lambda score: dataclasses.replace(score.number, strong=score.best)),
            _of_score(level, place, attrgetter("interval"), applies=_has_room_for_intervals(c)),
            _of_score("group", place, lambda s: Cell(s.group, s.group), numeric=False, applies=have_groups),
        ]
    caption = f"Systems by {words.listed(list(overview.metrics))} ({words.directions(c.metrics)}), {c.extent}"
    caption += "" if all_shown else f": {_which(c, c.metrics[0], len(overview.rows))}"
    return Table.of(caption, columns, overview.rows, part="scores", main=0, footnote=overview.footnote)


def _of_score(header: str, place: int, part: Callable[[Score], Cell | None], **more: bool) -> Column:
    """Return a column of a part of the scores on one metric."""

    def cell(row: tuple[str, tuple[Score | None, ...]]) -> Cell:
        score = row[1][place]
        return (None if score is None else part(score)) or Cell(DASH, DASH)

    return Column(header, cell, **more)


def _has_room_for_intervals(c: Comparison) -> bool:
    """Return whether a table of all metrics shows the intervals that were computed."""
    return words.computed(c, "interval") and len(c.metrics) <= 2


def _differences_by_metric(c: Comparison, pairs: Sequence[Difference], most: int) -> Table:
    """Return a row per pair of systems, as the first metric has them, and columns per metric."""
    first = pairs[:most]
    rows = [(d, *(c[d.a, d.b, metric.name] for metric in c.metrics[1:])) for d in first]
    sides, fields = column.sides(first), named_fields(DIFFERENCE)
    corrected = c.correction != "none" and len(sides.columns) > 0  # a single pair has nothing to correct
    p_value = fields["p_adjusted" if corrected else "p_value"]
    columns = [column.part(one, itemgetter(0)) for one in sides.columns]
    for place, metric in enumerate(c.metrics):
        look = Look(difference_rounding(c, metric), c.level, c.correction)
        mine = [row[place] for row in rows]
        shown = (
            dataclasses.replace(fields["difference"], header=metric.name).column(look),
            fields["interval"].column(look, applies=_has_room_for_intervals(c) and c.margin is None),
            p_value.column(look, applies=p_value.applies(c)),
            verdicts(mine),
            marks(mine),
        )
        columns += [column.part(one, itemgetter(place)) for one in shown]
    names = words.listed([metric.name for metric in c.metrics])
    some = f": the first {len(first)} of {len(pairs)}" if len(first) < len(pairs) else ""
    return Table.of(
        f"Differences in {names}, {sides.minus}{margin_clause(c, sides)}{some}",
        columns,
        rows,
        part="differences",
        main=0,
        footnote=disagreements.short_line(disagreements.kinds(d) for row in rows for d in row),
    )


def _by_metric(c: Comparison) -> Table:
    """Return two systems on all metrics: a row per metric, with both scores and their difference."""
    first = c.differences[0]
    differences = [d if d.a == first.a else d.mirrored() for d in c.differences]
    scores = {metric.name: score_rounding(c, metric) for metric in c.metrics}
    looks = {metric.name: Look(difference_rounding(c, metric), c.level) for metric in c.metrics}

    def difference_column(name: str) -> Column:
        field = named_fields(DIFFERENCE)[name]
        header = field.column(looks[first.metric]).header
        return Column(header, lambda d: field.column(looks[d.metric]).cell(d), applies=field.applies(c))

    columns = (
        column.name("metric", lambda d: f"{d.metric}{'' if d.greater_is_better else ' (lower is better)'}"),
        Column(first.a, lambda d: number_cell(scores[d.metric], d.score_a)),
        Column(first.b, lambda d: number_cell(scores[d.metric], d.score_b)),
        *map(difference_column, ("difference", "interval", "p_value")),
        verdicts(differences),
        marks(differences),
    )
    sides = column.sides(differences)
    of_both = f"Scores of {first.a} and {first.b} over {c.extent}, and their differences"
    return Table.of(
        f"{of_both}, {sides.minus}{margin_clause(c, sides)}",
        columns,
        differences,
        words.stands_out,
        part="metrics",
        main=3,
        methods=words.methods_sentence(dataclasses.replace(c, systems=())),
        footnote=why_marked(differences, c),
    )


def _every_pair(c: Comparison, metric: MetricInfo) -> bool:
    """Return whether there are differences, and none of two systems that share too few items is left out."""
    n_systems, n_pairs = len(systems_of(c, metric)), len(differences_of(c, metric))
    return n_pairs > 0 and (not c.in_pairs or n_pairs == math.comb(n_systems, 2))


def _differences(c: Comparison) -> tuple[Field, ...]:
    return (*DIFFERENCE, *N_ITEMS) if c.in_pairs else DIFFERENCE


def _scores(c: Comparison) -> tuple[Field, ...]:
    more = (*N_ITEMS, Field("mean_difference")) if c.in_pairs else ()
    return (*SCORE, *more, *best_fields(c))


TABLES = {
    "differences": Rows(_differences, attrgetter("differences")),
    "scores": Rows(_scores, attrgetter("systems")),
    "classes": Rows(CLASS_SHARE, class_rows),
}


def dictionary(c: Comparison) -> dict[str, Any]:
    """Return the comparison as dictionaries and lists."""
    return {
        "n_items": c.n_items,
        "systems": TABLES["scores"].rows(c),
        "differences": TABLES["differences"].rows(c),
        "omnibus": [dataclasses.asdict(test) for test in c.omnibus],
        **data.on_the_best(c),
        **({"classes": class_rows(c)} if c.classes else {}),
    }


def _on_the_best(c: Comparison) -> Iterator[str]:
    """Yield how the set of the best, the score of the leader and the rank of one system were found."""
    yield set_of_best(c, together=True)
    if c.leaders:
        every = "all systems with the same items" if c.in_pairs else "all systems"
        what = "The score" if c.baseline is None else "The difference from the baseline"
        yield (
            f"{what} of the first system is also given without the luck of the choice"
            f"{cite('analysis', 'leader')}: the mean of the systems that two thirds of the items"
            " choose, on the other third. Its interval ends towards worse scores at the level at which the"
            f" ends of {every} hold at once, and on the other side at the farthest end of {every}."
        )
    if c.focus:
        source = cite("analysis", "rank of one")
        yield f"The rank of {c.focus[0].system} is by step-down tests of its own differences{source}."


def sentences(c: Comparison) -> Iterator[str]:
    """Yield how systems were compared, or evaluated, on one test set."""
    names = list(dict.fromkeys(entry.system for entry in c.systems))
    metrics = words.listed([measured(metric.name) for metric in c.metrics])
    did = "compared" if len(c.differences) else "evaluated"
    many = f"{len(names)} systems{named(names)}" if len(names) > 1 else names[0]
    same = "the same " if len(names) > 1 else ""
    on = f"{same}{c.extent}"
    if c.in_pairs:
        on = f"{c.extent}, every two on those that both have ({words.extent_of_pairs(c)})"
    yield f"We {did} {many} by {metrics} on {on}{against(c.baseline)}."
    if c.in_bounds:
        yield "Intervals and tests hold whether missing results are the worst or the best."
    yield clustered(c)
    if c.classes and c.classes[0].counts is None:
        yield f"The labels are soft: distributions over the classes{cite('analysis', 'soft labels')}."
    if not len(c.differences):
        if any(entry.interval is not None for entry in c.systems):
            scores = intervals_of_scores(c.systems)
            yield f"We report every score with its {percent(c.level)} confidence interval: {scores}."
            yield drawn(c, (), *(entry.interval for entry in c.systems))
        yield from _on_the_best(c)
        return
    yield from inference(c, c.differences, systems=c.systems)
    for test in sorted({one.name for one in c.omnibus}):
        which = f"{long_name('omnibus', test)} test{cite('omnibus', test)}"
        yield f"We also tested the hypothesis that all systems are equal: {which}."
    yield from _on_the_best(c)
    yield drawn(c, [d for d, _ in examples(c.differences)], *(entry.interval for entry in c.systems))
