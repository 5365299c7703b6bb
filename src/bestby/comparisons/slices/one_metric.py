"""The slices of one metric: their differences, simultaneous intervals, adjusted p-values, and tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri, stdtrit

from bestby._core.text import quoted
from bestby._core.typing import Alternative, FloatArray
from bestby.comparisons.common import family, few_units, note_rules, one_pair, simultaneous, swap_notes
from bestby.comparisons.common.expected import resamples
from bestby.comparisons.slices import testing
from bestby.comparisons.slices.parts import Part, Sharing, correlation, joint_of, makers_of, parts_of
from bestby.comparisons.slices.settings import Settings
from bestby.comparisons.slices.slicing import Slicing
from bestby.data.evaluation import Evaluation
from bestby.data.roles import listed
from bestby.engine import test_maker
from bestby.engine.base import Drawing, Pair
from bestby.engine.estimate import Estimates
from bestby.inference.joint import Joint
from bestby.metrics.base import BaseMetric
from bestby.planning.base import USUAL_POWER
from bestby.resampling.progress import counted
from bestby.results.base import Note
from bestby.results.comparison import Difference
from bestby.results.slices import Heterogeneity, SliceDifference
from bestby.results.values import TestResult
from bestby.vocabulary import long_name


@dataclass(frozen=True)
class MetricSlices:
    """What a comparison of slices says of one metric."""

    overall: tuple[Difference, ...]
    slices: tuple[SliceDifference, ...]
    heterogeneity: tuple[Heterogeneity, ...]
    notes: tuple[Note, ...]


def slices_on(
    evaluation: Evaluation,
    slicings: Sequence[Slicing],
    sharing: Sharing,
    metric: BaseMetric,
    settings: Settings,
    drawing: Drawing,
) -> MetricSlices:
    """Return the comparison of the systems on one metric, on all items and in every slice."""
    group = makers_of(evaluation, metric, drawing).group
    n_parts = 1 + sum(len(slicing.names) for slicing in slicings)
    expected = n_parts * resamples(group, drawing, settings.interval, settings.test, settings.baseline)
    with counted(drawing.progress, expected) as progress:
        drawing = replace(drawing, progress=progress)
        with closing(Estimates(group, drawing)) as whole:
            return _compared(whole, evaluation, slicings, sharing, metric, settings)


def _compared(
    whole: Estimates,
    evaluation: Evaluation,
    slicings: Sequence[Slicing],
    sharing: Sharing,
    metric: BaseMetric,
    settings: Settings,
) -> MetricSlices:
    """Return the same, from what makes the intervals on all items."""
    drawing = whole.drawing
    one_pair.check_defined(
        whole.scores, metric, lambda s: f"system {quoted(evaluation.names[s])} on these data"
    )
    alternative = settings.towards(metric.greater_is_better)
    base = None if settings.baseline is None else evaluation.names.index(settings.baseline)
    order = family.ranked(whole.scores, evaluation.names, metric.greater_is_better)
    pairs: list[Pair] = family.pairs(order, base, sided=alternative != "two-sided")
    overall, said = _overall(whole, pairs, evaluation, alternative, settings)
    parts, notes = parts_of(evaluation, slicings, metric, drawing)
    tests = [test_maker.run(settings.test, part.makers, pairs, alternative) for part in parts]
    together = correlation(parts, pairs, sharing)
    joint = joint_of(parts, len(parts) * len(pairs), together, drawing.seed)
    p_values = np.array([own[pair].p_value for pair in pairs for own in tests])
    adjusted = joint.stepped_down(p_values, alternative).tolist()
    at = 1.0 - joint.single_level(settings.alpha)
    noted = _notes_on_tests(parts, pairs, tests, np.array(adjusted), joint, alternative, settings)
    made: list[SliceDifference] = []
    found: list[Heterogeneity] = []
    methods: Counter[str] = Counter()
    small: list[Part] = []
    for p, pair in enumerate(pairs):
        first = p * len(parts)
        made_by_pair = [
            _difference(part, pair, own[pair], adjusted[first + s], at, settings, noted[first + s])
            for s, (part, own) in enumerate(zip(parts, tests, strict=True))
        ]
        differences = [d for d, _ in made_by_pair]
        methods.update(method for _, method in made_by_pair)
        small += [
            part
            for part, (_, method) in zip(parts, made_by_pair, strict=True)
            if part.makers.group.n_units < testing.FEWEST_UNITS and method != "tango"
        ]
        for number, slicing in enumerate(slicings):
            chosen = [s for s, part in enumerate(parts) if part.slicing == number]
            places = [first + s for s in chosen]
            between = None if together is None else together[np.ix_(places, places)]
            slices, tested = _slices_of_column(
                [parts[s] for s in chosen], pair, [differences[s] for s in chosen], between, at,
                alternative, spanned=sharing.spanned[number],
            )  # fmt: skip
            made += _in_order(slices, slicing)
            found += [] if tested.result is None else [tested.result]
            notes += tested.notes
    notes.append(_note(metric.name, methods, joint, at, settings))
    notes += _small(metric.name, small)
    pairs_noted = note_rules.sample_notes(whole.group, pairs, evaluation)
    below = note_rules.below_half_notes(whole, evaluation.names, settings.level, method=settings.interval)
    return MetricSlices(overall, tuple(made), tuple(found), (*said, *notes, *pairs_noted, *below))


def _overall(
    makers: Estimates,
    pairs: Sequence[Pair],
    evaluation: Evaluation,
    alternative: Alternative,
    settings: Settings,
) -> tuple[tuple[Difference, ...], list[Note]]:
    """Return the differences on all items, with p-values by Holm's procedure, and notes on tests."""
    tests = test_maker.run(settings.test, makers, pairs, alternative)
    made = []
    for pair in pairs:
        bounds = one_pair.intervals(makers.of(*pair), settings.interval, settings)
        made.append(one_pair.difference(makers.of(*pair), evaluation, tests[pair], bounds, settings))
    notes = few_units.notes_on_swaps(makers.group, made[0].metric, tests.values(), settings)
    names, alpha = evaluation.names, settings.alpha
    notes += swap_notes.exchangeability_notes(makers, tests, names, "holm", alpha)
    return tuple(family.adjusted(made, "holm")), notes


def _difference(
    part: Part,
    pair: Pair,
    test: TestResult,
    p_adjusted: float,
    at: float,
    settings: Settings,
    notes: list[Note],
) -> tuple[Difference, str]:
    """Return the difference in one slice, its interval at the level of all slices, and the method of that."""
    estimate = part.makers.of(*pair)
    own = simultaneous.one_of_family(estimate, settings.interval, settings.level, at)
    bounds = one_pair.Bounds(own.interval, None, (*own.notes, *notes))
    error = one_pair.standard_error(estimate, own.single or own.interval)
    made = one_pair.difference(estimate, part.evaluation, test, bounds, settings, p_adjusted, error)
    return made, own.method


def _notes_on_tests(
    parts: Sequence[Part],
    pairs: Sequence[Pair],
    tests: Sequence[Mapping[Pair, TestResult]],
    adjusted: FloatArray,
    joint: Joint,
    alternative: Alternative,
    settings: Settings,
) -> list[list[Note]]:
    """Return notes on the test of each pair in each slice: swaps that cannot decide, and skewed units."""
    every = [(pair, part, own[pair]) for pair in pairs for part, own in zip(parts, tests, strict=True)]
    rejected = family.rejects(adjusted, settings.alpha)
    allowing = [
        swap_notes.p_allowing(part.makers, pair, test, one)
        for (pair, part, test), one in zip(every, rejected, strict=True)
    ]
    again = joint.stepped_down(np.array(allowing), alternative)
    made = []
    for place, (pair, part, test) in enumerate(every):
        group, (a, b) = part.makers.group, pair
        names, own = part.evaluation.names, slice(place, place + 1)
        metric, units = group.metric.name, "clusters" if group.clustered else "items"
        made.append(
            [
                *few_units.notes_on_swaps(group, metric, [test], settings, len(every)),
                *few_units.note_on_skewness(
                    metric, [(names[a], names[b])], adjusted[own], again[own], settings.alpha, units
                ),
            ]
        )
    return made


def _slices_of_column(
    parts: Sequence[Part],
    pair: Pair,
    differences: Sequence[Difference],
    together: FloatArray | None,
    at: float,
    alternative: Alternative,
    *,
    spanned: bool,
) -> tuple[list[SliceDifference], testing.Tested]:
    """Return the slices of one column and one pair, and the test whether the difference depends on them."""
    tested = testing.tested(parts, pair, differences, together, spanned)
    made = []
    for s, (part, d) in enumerate(zip(parts, differences, strict=True)):
        error = None if tested.errors is None else float(tested.errors[s])
        shrunken = None if tested.shrunken is None else float(tested.shrunken[s])
        detectable = None if error is None else _detectable(part, pair, error, 1.0 - at, alternative)
        notes = tuple(replace(note, about=(*note.about, part.name)) for note in d.notes)
        made.append(SliceDifference(part.column, part.name, replace(d, notes=notes), detectable, shrunken))
    return made, tested


def _in_order(slices: Sequence[SliceDifference], slicing: Slicing) -> list[SliceDifference]:
    """Return slices in the order for readers; those in which a metric has no value are not among them."""
    place = {name: number for number, name in enumerate(slicing.ordered)}
    return sorted(slices, key=lambda one: place[one.slice])


def _detectable(part: Part, pair: Pair, error: float, alpha: float, alternative: Alternative) -> float | None:
    """Return the smallest difference that a test at alpha finds with power 0.8; None if it finds none.

    (t of alpha + z of the power) times the standard error (Bloom 1995, Evaluation Review 19, 547-556). A test
    by swaps of n units cannot have a p-value below 2 to the power -n, doubled if it is two-sided. Where items
    are right or wrong, a difference of d has at least the variance d (1 - d), all in favour of one system:
    this bounds it where the systems hardly differ, whose standard error is known badly.
    """
    group = part.makers.group
    tail = 0.5 * alpha if alternative == "two-sided" else alpha
    if 0.5**group.n_units > tail:
        return None
    multiple = -float(stdtrit(testing.freedom(part, pair), tail)) + float(ndtri(USUAL_POWER))
    found = multiple * error
    if part.makers.of(*pair).situation(jackknife=False)["proportion"]:
        found = max(found, multiple**2 / (group.n_units + multiple**2))
    low, high = group.metric.bounds
    return found if found <= high - low else None


def _small(metric: str, small: Sequence[Part]) -> list[Note]:
    """Return a note on slices of too few items (clusters) for anything that rests on a standard error.

    Score intervals of answers hold however few there are; `small` are the slices without them.
    """
    if not small:
        return []
    what = "clusters" if small[0].makers.group.clustered else "items"
    names = list(dict.fromkeys(quoted(part.name) for part in small))
    told = (
        f"fewer than {testing.FEWEST_UNITS} {what} in {listed(names, 5)}: with so few, intervals and the"
        " test whether the difference depends on the slice do not hold their level; leave such slices out, or"
        " merge some of them"
    )
    return [Note("small_slices", told, (metric,))]


def _note(metric: str, methods: Counter[str], joint: Joint, at: float, settings: Settings) -> Note:
    """Return the note on how intervals and adjusted p-values were made."""
    told = simultaneous.held_at_once("slices", "the slices vary", joint, settings.level, at, methods)
    by = "Holm's procedure" if joint.bonferroni else f"the {long_name('correction', 'step-down')}"
    told += f". Adjusted p-values are by {by}, which may find a difference whose interval holds 0"
    return Note("slices", told, (metric,))
