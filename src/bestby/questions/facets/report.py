"""The report of a comparison over facets, the columns of its data, and its paragraph for a paper."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any

from bestby._core.text import grouped, percentage, plural
from bestby.questions.facets import figure
from bestby.questions.facets.result import (
    Facet,
    FacetAllocation,
    FacetDifference,
    FacetsComparison,
    FacetStudy,
)
from bestby.report import column, words
from bestby.report.column import Cell, Look
from bestby.report.document import (
    MOST_PAIRS,
    Document,
    Picture,
    Section,
    forest_picture,
    several_sections,
    subtitle,
)
from bestby.report.fields import (
    DIFFERENCE,
    SCORE,
    Field,
    Rows,
    attributes,
    best_fields,
    inside,
    interval_ends,
    shown_interval,
)
from bestby.report.figures import forest
from bestby.report.numbers import MINUS, Rounding, amount
from bestby.report.paper import against, inference, measured, named, set_of_best
from bestby.report.references import cite
from bestby.report.tables import (
    Table,
    difference_rounding,
    differences_table,
    pairs_matrix,
    systems_table,
)

DETAIL_NOTES = ("read_as", "facet_pooled", "negative_component", "unbalanced")
"""Notes that the short answer leaves out."""

MOST_SHARES = 4
"""Effects whose shares a sentence names."""


def document(c: FacetsComparison) -> Document:
    """Return the report: question, scores, differences, where they are uncertain, and other designs."""
    metric, first = c.metrics[0], c.differences[0]
    studies, allocation = studies_sentence(c), allocation_sentence(c)
    # Other designs are part of the answer where they were asked for
    asked = (studies if "study" in c.provenance.settings else "", allocation)
    remarks = (shares_sentence(first, alone=len(c.differences) == 1), studies, allocation)
    section = Section(
        name=metric.name,
        lead=f"{c.question} {words.headline(c, metric)}",
        tables=(
            systems_table(c, metric),
            differences_table(c, metric),
            *([_components(c)] if any(d.components for d in c.differences) else []),
            *([_studies(c)] if c.studies else []),
        ),
        remarks=tuple(filter(None, remarks)),
        answers=tuple(filter(None, asked)),
        pictures=tuple(_pictures(c)),
        readings=tuple(words.difference_sentence(d) for d in c.differences),
        pairs=partial(pairs_matrix, c, metric),
    )
    return several_sections(
        c,
        f"{len(c.systems)} systems compared by {metric.name} over {words.listed(_plurals(c.facets))}",
        subtitle(c, c.extent),
        [section],
        f"{words.methods_sentence(c)} {_METHODS}",
        words.methods_sentence(c),
        DETAIL_NOTES,
    )


_METHODS = (
    "Variance components: quadratic forms (ANOVA where balanced). Their intervals and those of other designs:"
    " generalised draws."
)


def question(facets: Sequence[Facet]) -> str:
    """Return what the answer is about, in words: which facets would be others, and which the same.

    >>> question([Facet("judge", 1, (), True), Facet("prompt", 5, (), False), Facet("item", 99, (), False)])
    'For other prompts and other items like these, the same judges:'
    """
    others = [f"other {name}" for name in _plurals(one for one in facets if not one.fixed)]
    same = _plurals(one for one in facets if one.fixed)
    text = f"For {words.listed(others)} like these"
    return f"{text}, the same {words.listed(same)}:" if same else f"{text}:"


def _plurals(facets: Iterable[Facet]) -> list[str]:
    return [plural(one.name) for one in facets]


def extent(facets: Sequence[Facet]) -> str:
    """Return the numbers of levels in words.

    >>> extent([Facet("prompt", 3, (), False), Facet("seed", 5, ("prompt",), False)])
    '3 prompts × 5 seeds in each'
    """
    return " × ".join(
        f"{grouped(int(one.levels)) if one.levels == int(one.levels) else format(one.levels, '.3g')}"
        f" {plural(one.name, one.levels)}{' in each' * bool(one.within)}"
        for one in facets
    )


def shares_sentence(d: FacetDifference, *, alone: bool = True) -> str:
    """Return where the uncertainty of a difference comes from, largest first; "" where nothing varies."""
    shares = sorted((one for one in d.components if one.share > 0.005), key=lambda one: -one.share)
    if not shares:
        return ""
    shown = [f"{one.effect} {percentage(one.share)}" for one in shares[:MOST_SHARES]]
    rest = sum(one.share for one in shares[MOST_SHARES:])
    shown += [f"rest {percentage(rest)}"] if rest > 0.005 else []
    of = "" if alone else f" of {d.a} {MINUS} {d.b}"
    return f"The variance{of} comes from: {', '.join(shown)}."


def studies_sentence(c: FacetsComparison) -> str:
    """Return how sure the first difference would be with other numbers of levels."""
    if not c.studies:
        return ""
    d, digits = c.differences[0], difference_rounding(c)
    now = (
        f"± {digits.size(0.5 * (d.interval.high - d.interval.low))}"
        if d.interval is not None
        else "undefined"
    )
    shown = [f"{_changed(one, d.facets)}: ± {_with_range(one, digits)}" for one in c.studies]
    return f"Half the interval of {d.a} {MINUS} {d.b} is {now}. With {'; '.join(shown)}."


def allocation_sentence(c: FacetsComparison) -> str:
    """Return how to spend a budget; "" where nobody asked."""
    a, digits = c.allocation, difference_rounding(c)
    if a is None:
        return ""
    aim = "the best numbers of levels are"
    if a.target is not None:
        size = digits.size(a.target)
        aim = (
            f"the cheapest numbers of levels that reach ± {size} are"
            if a.reached
            else (f"± {size} is out of reach, and {aim}")
        )
    facet, more = _bought(a, a.steps[0])
    return (
        f"For {a.a} {MINUS} {a.b} and a budget of {amount(a.budget)}, {aim} {_sizes(a.best.levels)}:"
        f" ± {_with_range(a.best, digits)}, cost {amount(a.best.cost or 0.0)}. What there is costs"
        f" {amount(a.now.cost or 0.0)}; one more {facet} brings most for its cost:"
        f" ± {digits.size(a.steps[0].half_length)}, for {more} more."
    )


def _bought(a: FacetAllocation, step: FacetStudy) -> tuple[str, str]:
    """Return of which facet a step buys a level, and for how much."""
    (facet,) = (name for name, size in step.levels if size != dict(a.now.levels)[name])
    return facet, amount((step.cost or 0.0) - (a.now.cost or 0.0))


def _sizes(levels: Iterable[tuple[str, float]]) -> str:
    return " × ".join(f"{size:g} {plural(name, size)}" for name, size in levels)


def _with_range(one: FacetStudy, digits: Rounding) -> str:
    return f"{digits.size(one.half_length)} {digits.interval(one.half_length_interval)}"


def _changed(one: FacetStudy, facets: Sequence[Facet]) -> str:
    """Return the numbers of a design that are not those of the data, or all of them."""
    now = {facet.name: facet.levels for facet in facets}
    return _sizes([(name, size) for name, size in one.levels if size != now[name]] or one.levels)


def study_text(one: FacetStudy) -> str:
    """Return a design on one line."""
    digits = Rounding.of([(one.half_length, one.half_length_interval)])
    cost = "" if one.cost is None else f", cost {amount(one.cost)}"
    low, high = one.standard_error_interval.low, one.standard_error_interval.high
    error = f"standard error {one.standard_error:.3g} [{low:.2g}, {high:.2g}]"
    return f"{_sizes(one.levels)}: {error}, half the interval {_with_range(one, digits)}{cost}"


def allocation_text(a: FacetAllocation) -> str:
    """Return how to spend a budget, in some lines."""
    head = f"For {a.a} {MINUS} {a.b} and a budget of {amount(a.budget)}"
    head += "" if a.target is None else f", target ± {a.target:g}{'' if a.reached else ' (out of reach)'}"
    lines = [f"{head}:", f"  best: {a.best}", f"  now:  {a.now}"]
    for one in a.steps:
        facet, more = _bought(a, one)
        lines.append(f"  one more {facet}: half the interval {one.half_length:.4g}, for {more} more")
    return "\n".join(lines)


def _components(c: FacetsComparison) -> Table:
    """Return the components of each difference."""
    sides, table = column.sides(c.differences), TABLES["components"]
    look = Look(Rounding(5), c.level)
    return Table.of(
        f"Where the variance of the differences comes from, {sides.minus}",
        (*(column.part(one, itemgetter(0)) for one in sides.columns), *table.shown(c, look)),
        [*table.entries(c)],
        part="components",
        main=len(sides.columns) + 1,
        details=True,
    )


def _studies(c: FacetsComparison) -> Table:
    """Return how sure the first difference would be."""
    columns = TABLES["studies"].shown(c, Look(Rounding(4), c.level))
    d = c.differences[0]
    caption = f"How sure {d.a} {MINUS} {d.b} would be with other numbers of levels"
    return Table.of(caption, columns, c.studies, part="studies", main=1, details=True)


def _pictures(c: FacetsComparison) -> Iterator[Picture]:
    name = c.metrics[0].name
    if len(c.differences) <= MOST_PAIRS:
        yield forest_picture(c, name, len(c.differences), partial(forest.forest, c))
        if any(d.components for d in c.differences):
            caption = "A bar is the variance of a difference, its parts what each effect brings."
            yield Picture("Where the uncertainty comes from", caption, partial(figure.shares, c))
    if c.differences[0].components:
        caption = "Half the interval by the number of levels of one facet, the others as they are."
        caption += " The band is the interval of the first line."
        yield Picture("What more levels would give", caption, partial(figure.study, c))


def _design(one: FacetStudy) -> str:
    """Return the numbers of levels of all facets."""
    return " x ".join(f"{size:g} {name}" for name, size in one.levels)


def _share(share: float, _look: Look) -> Cell:
    return Cell(percentage(share), share)


TABLES = {
    "differences": Rows(
        (*DIFFERENCE, *interval_ends("runs_interval", "runs_low", "runs_high", absent=None)),
        attrgetter("differences"),
    ),
    "scores": Rows(lambda c: (*SCORE, *best_fields(c)), attrgetter("systems")),
    "components": Rows(
        (
            Field("a", "0.a"),
            Field("b", "0.b"),
            *inside(
                "1",
                (
                    Field("effect", header="effect", format=column.as_word),
                    Field("share", header="share of the variance", format=_share),
                    Field("variance", header="component"),
                    *shown_interval("interval"),
                    Field("levels", header="levels", format=column.as_count),
                    Field("freedom", header="df", format=column.written(".1f")),
                ),
            ),
        ),
        lambda c: [(d, one) for d in c.differences for one in d.components],
    ),
    "studies": Rows(
        (
            Field("design", _design, header="design", format=column.as_name),
            Field("standard_error", header="standard error"),
            *shown_interval("standard_error_interval", "standard_error_low", "standard_error_high"),
            Field("half_length", header="half the interval"),
            *shown_interval("half_length_interval", "half_length_low", "half_length_high"),
        ),
        attrgetter("studies"),
    ),
}


def dictionary(c: FacetsComparison) -> dict[str, Any]:
    """Return the comparison as dictionaries and lists."""
    return {
        "question": c.question,
        "facets": [Rows(attributes("name", "levels", "within", "fixed"), lambda _: c.facets).rows(c)][0],
        "systems": TABLES["scores"].rows(c),
        "differences": [
            row | {"freedom": d.freedom}
            for row, d in zip(TABLES["differences"].rows(c), c.differences, strict=True)
        ],
        "components": TABLES["components"].rows(c),
        "studies": TABLES["studies"].rows(c),
        "allocation": c.allocation and dataclasses.asdict(c.allocation),
    }


def sentences(c: FacetsComparison) -> Iterator[str]:
    """Yield how systems were compared over facets."""
    names = [entry.system for entry in c.systems]
    metric = measured(c.metrics[0].name)
    yield f"We compared {len(names)} systems{named(names)} by {metric} over {c.extent}{against(c.baseline)}."
    fixed = _plurals(one for one in c.facets if one.fixed)
    sampled = _plurals(one for one in c.facets if not one.fixed)
    same = f", and the {words.listed(fixed)} as the ones that matter" if fixed else ""
    yield f"We took the {words.listed(sampled)} as samples of others like them{same}."
    weights = "level of a facet" if c.weights == "levels" else "cell"
    source = cite("facets", "components")
    yield f"Every {weights} has the same weight; variance components follow from quadratic forms{source}."
    yield from inference(c, c.differences, systems=c.systems)
    yield from set_of_best(c)
    if any(d.components for d in c.differences):
        yield (
            f"Intervals of the components are from {grouped(c.provenance.n_resamples)} generalised"
            f" draws{cite('facets', 'draws')}, seed {c.provenance.seed}."
        )
