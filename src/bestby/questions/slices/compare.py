"""`compare_slices`: where two systems differ significantly, and where they cannot be told apart."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby._core.typing import Alternative, FloatArray, OnMissing, Question, Rng
from bestby.comparisons import family, note_rules, one_pair, simultaneous, swap_notes
from bestby.comparisons.one_metric import resamples
from bestby.comparisons.provenance import evaluation_provenance
from bestby.comparisons.reading import Arguments, check_two_systems, evaluation_of
from bestby.comparisons.settings import CheckedSettings
from bestby.data.evaluation import Evaluation
from bestby.data.reading import Reading, checked_reading
from bestby.data.roles import listed
from bestby.engine import significance_tests
from bestby.engine.base import Drawing, Pair
from bestby.engine.estimate import Estimates
from bestby.inference import multiplicity
from bestby.inference.multiplicity import Joint
from bestby.metrics.base import BaseMetric
from bestby.metrics.suitability import chosen_metrics
from bestby.planning.base import USUAL_POWER
from bestby.questions.slices import heterogeneity as slice_tests
from bestby.questions.slices.result import Heterogeneity, SliceDifference, SlicesComparison
from bestby.questions.slices.source import (
    SUPPORTED,
    Part,
    Sharing,
    Slicing,
    columns_of,
    correlation,
    estimates_of,
    hash_with_slices,
    joint_of,
    parts_of,
    settings_of,
    slicings,
    with_columns,
    without_bins,
    without_slices,
)
from bestby.report.comparison import Difference
from bestby.report.reported import with_backend
from bestby.resampling.progress import counted_stages, in_turn
from bestby.resampling.settings import Resampling, combined_settings
from bestby.results.base import MetricInfo, Note
from bestby.results.values import TestResult
from bestby.vocabulary import ItemInterval, ItemTest, long_name


@dataclass(frozen=True)
class Settings(CheckedSettings):
    """The arguments of `compare_slices` that are not data; see there."""

    interval: str
    level: float
    test: str
    alternative: Question
    correction: str
    baseline: str | None
    margin: float | None = None

    def __post_init__(self) -> None:
        for what, value in (("interval", self.interval), ("test", self.test)):
            if value is None:
                raise InvalidInputError(
                    f"every slice has an interval and a test, got {what}=None",
                    hint=f"leave {what} out",
                    argument=what,
                )
        super().__post_init__()

    def by_name(self) -> dict[str, Any]:
        """Return the settings as they are in the provenance; slices have no margin."""
        named = super().by_name()
        del named["margin"]
        return named


MOST_COMPARISONS = 2000
"""Differences of a metric at most: slices times pairs."""


@with_suggestions
def compare_slices(
    data: Mapping[str, Any] | Evaluation | Any,
    gold: Any = None,
    *,
    metric: Any = None,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    items: Any = None,
    clusters: Any = None,
    strata: Any = None,
    by: Any,
    crossed: bool = False,
    min_items: int = 1,
    on_missing: OnMissing = "error",
    reading: Reading | None = None,
    interval: ItemInterval = "auto",
    test: ItemTest = "auto",
    level: float = 0.95,
    alternative: Question = "two-sided",
    rng: Rng = 0,
    n_resamples: int = 10_000,
    resampling: Resampling | None = None,
) -> SlicesComparison:
    """Compare systems in every slice of a test set: by language, by length, by both.

    In each slice the systems are compared as `compare` would on its items alone. The intervals hold for all
    slices at once, and p-values are adjusted for their number. A test says whether the difference depends on
    the slice at all; another whether A is better in some slices and B in others. Effects that are shrunken
    towards the mean of all slices say how much of what was seen in a slice to expect again.

    Parameters
    ----------
    data : mapping of str to array_like, shape (n,), or Evaluation, or data frame, or list of dict
        Predictions or per-item scores of two or more systems, as for `compare`.
    gold : array_like, shape (n,), or mapping, or str, optional
        The gold, as for `compare`.
    metric, systems
        As for `compare`. A metric that is an average over classes is one over the classes of a slice there.
    baseline : str, optional
        Compare every other system with this one only; otherwise every pair.
    items, clusters, strata
        As for `compare`; one grouping into clusters, which may span slices.
    by : str, list of str, or mapping of str to array_like, shape (n,)
        The columns to slice by: names of columns of `data` (of a data frame, keys of a mapping, groupings of
        an Evaluation), or their values. ``"length:4"`` cuts the numbers of column ``length`` at their
        quartiles. Several columns are sliced one after the other, and each item is in a slice of each.
    crossed : bool
        Cross the columns instead: a slice for every combination of their values that occurs.
    min_items : int
        Leave out slices of fewer items, or of fewer clusters if there are clusters.
    on_missing
        As for `compare`, which alone takes "pairs" and "bounds".
    reading : Reading, optional
        As for `compare`, but for `annotators`.
    interval, test, level, alternative
        As for `compare`; every slice has both an interval and a test.
    rng, n_resamples, resampling
        As for `compare`.

    Returns
    -------
    SlicesComparison
        The differences on all items and in every slice, the tests of heterogeneity, and notes.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given: an unknown column, one with a different value for
        every item, or a slice of one item.
    DesignError
        If the metric has a value in fewer than two slices, or there are too many differences.

    See Also
    --------
    compare : Compare systems on all items.
    compare_datasets : Compare systems on several test sets, which were collected each by itself.

    Notes
    -----
    *Intervals and p-values.* The differences in all slices are taken as jointly normal, with the
    correlations that follow from what each item (or cluster) adds to each of them; they are independent if
    slices share no unit. The p-values are adjusted by the step-down procedure of the largest statistics
    [1]_, which is never larger than Holm's, and each interval is made at the level at which all of them
    hold; of means, so far out, it allows for skewness however few the items are. As a step-down procedure
    finds more than its first step, an interval may hold 0 though the adjusted p-value is at most 1 - level.
    Bonferroni's bound and Holm's are used where too few units tell the correlations. The family is all slices
    and pairs of one metric.

    *Heterogeneity.* Cochran's Q [2]_ of the differences in the slices of a column. Its p-value is Welch's
    [4]_; if in some slice all items differ by the same, it is from permutations of the items among the
    slices, studentised [3]_. If clusters span slices, it is Hotelling's, by the covariance of the slices.
    The test of Gail and Simon [5]_ for opposite signs needs independent slices, and takes their differences
    as normal. With several columns, these tests are not corrected for the number of columns.

    *Shrunken effects* are those of DerSimonian and Laird's model [6]_, with the spread of the true effects
    that explains Q. With few slices that spread is known badly, and it is often 0: then all of them are the
    mean; below ten slices the note ``"few_slices"`` says how often. They suit slices of which none is known
    beforehand to be special.

    *Small slices.* In slices of fewer than ten items neither intervals nor tests that rest on a standard
    error hold their level; the note ``"small_slices"`` names them. Score intervals of right and wrong answers
    do.

    References
    ----------
    .. [1] Romano & Wolf (2005), Exact and approximate stepdown methods for multiple hypothesis testing, J.
       Amer. Statist. Assoc. 100, 94-108.
    .. [2] Cochran (1954), The combination of estimates from different experiments, Biometrics 10, 101-129.
    .. [3] Pauly, Brunner & Konietschke (2015), Asymptotic permutation tests in general factorial designs, J.
       R. Statist. Soc. B 77, 461-473.
    .. [4] Welch (1951), On the comparison of several mean values: an alternative approach, Biometrika 38,
       330-336.
    .. [5] Gail & Simon (1985), Testing for qualitative interactions between treatment effects and patient
       subsets, Biometrics 41, 361-372.
    .. [6] DerSimonian & Laird (1986), Meta-analysis in clinical trials, Controlled Clin. Trials 7, 177-188.

    Examples
    --------
    >>> from bestby import compare_slices
    >>> gold = [0, 1] * 60
    >>> language = ["de"] * 60 + ["ja"] * 60
    >>> old = [0, 0] * 30 + [0, 1] * 30
    >>> new = [0, 1] * 30 + [0, 0] * 15 + [0, 1] * 15
    >>> result = compare_slices(
    ...     {"new": new, "old": old}, gold, by={"language": language}
    ... )
    >>> [(one.slice, one.difference.estimate, one.winner) for one in result]
    [('de', 0.5, 'new'), ('ja', -0.25, 'old')]
    >>> print(result.sentence)
    new has a significantly higher accuracy than old on all items; the score of new is significantly higher in
    de and significantly lower in ja.
    """
    how = checked_reading(reading, "compare_slices", "ignore system_column value_column classes normalise")
    columns = columns_of(by)
    crossed, least = checks.flag(crossed, "crossed"), checks.positive_int(min_items, "min_items")
    resampling = combined_settings(
        resampling, n_resamples, rng, function="compare_slices", unused="executor cache resample_size rescale"
    )
    settings = Settings.checked(
        "items", interval=interval, level=level, test=test, alternative=alternative, correction="step-down",
        baseline=baseline,
    )  # fmt: skip
    arguments = Arguments(
        gold=gold, systems=systems, items=items, clusters=clusters, strata=strata, on_missing=on_missing,
        reading=how, by=without_bins(by),
    )  # fmt: skip
    evaluation = with_columns(evaluation_of(data, arguments, metric), data, arguments.by).uncounted(
        "compare_slices"
    )
    evaluation.require_support("compare_slices", SUPPORTED)
    check_two_systems(evaluation)
    settings = settings.among(evaluation.names)
    metrics, evaluation = chosen_metrics(metric, evaluation)
    cut, notes = slicings(evaluation, columns, least, crossed=crossed)
    _check_size(cut, len(evaluation.names), settings)
    plain = without_slices(evaluation)
    drawing = Drawing.of(resampling)
    sharing = Sharing.of(plain, cut)
    parts = []
    for place, one in enumerate(metrics):
        drawing_of_metric = dataclasses.replace(
            drawing, progress=in_turn(drawing.progress, place, len(metrics))
        )
        parts.append(slices_on(plain, cut, sharing, one, settings, drawing_of_metric))
    named = {**settings_of(columns, least, crossed=crossed), **settings.by_name()}
    provenance = evaluation_provenance(plain, metrics, named, drawing)
    data_hash = hash_with_slices(plain.data_hash(), evaluation, columns)
    result = SlicesComparison(
        metrics=tuple(MetricInfo(one.name, one.greater_is_better, one.bounds) for one in metrics),
        overall=tuple(d for part in parts for d in part.overall),
        slices=tuple(one for part in parts for one in part.slices),
        heterogeneity=tuple(one for part in parts for one in part.heterogeneity),
        columns=tuple(one.column for one in cut),
        n_items=plain.n_items,
        n_clusters=plain.n_clusters,
        level=settings.level,
        baseline=settings.baseline,
        notes=(
            *note_rules.on_intervals(
                note_rules.evaluation_notes(plain, metrics, settings),
                (
                    d.interval
                    for part in parts
                    for d in (*part.overall, *(one.difference for one in part.slices))
                ),
                metrics,
            ),
            *notes,
            *(note for part in parts for note in part.notes),
        ),
        provenance=dataclasses.replace(provenance, data_hash=data_hash),
    )
    return with_backend(result, evaluation.frame_backend)


def _check_size(cut: Sequence[Slicing], n_systems: int, settings: Settings) -> None:
    pairs = n_systems * (n_systems - 1) // 2 if settings.baseline is None else n_systems - 1
    n_slices = sum(len(one.names) for one in cut)
    if pairs * n_slices > MOST_COMPARISONS:
        raise DesignError(
            f"{n_slices} slices of {pairs} pairs of systems are {pairs * n_slices} differences,"
            f" more than {MOST_COMPARISONS}",
            hint="name two systems or a baseline, or columns with fewer values; numbers are cut into bins by"
            " column:4",
        )


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
    group = estimates_of(evaluation, metric, drawing).group
    n_parts = 1 + sum(len(slicing.names) for slicing in slicings)
    expected = n_parts * resamples(group, drawing, settings.interval, settings.test, settings.baseline)
    with counted_stages(drawing.progress, expected) as progress:
        drawing = replace(drawing, progress=progress)
        return _compared(Estimates(group, drawing), evaluation, slicings, sharing, metric, settings)


def _compared(
    whole: Estimates,
    evaluation: Evaluation,
    slicings: Sequence[Slicing],
    sharing: Sharing,
    metric: BaseMetric,
    settings: Settings,
) -> MetricSlices:
    """Return the comparison of the systems in every slice, from the estimates on all items."""
    drawing = whole.drawing
    one_pair.check_defined(
        whole.scores, metric, lambda s: f"system {quoted(evaluation.names[s])} on these data"
    )
    alternative = settings.towards(metric.greater_is_better)
    _, pairs = family.order_and_pairs(
        whole.scores, evaluation.names, metric.greater_is_better, settings.baseline, settings.alternative
    )
    overall, said = _overall(whole, pairs, evaluation, alternative, settings)
    parts, notes = parts_of(evaluation, slicings, metric, drawing)
    tests = [significance_tests.run(settings.test, part.estimates, pairs, alternative) for part in parts]
    together = correlation(parts, pairs, sharing)
    joint = joint_of(parts, len(parts) * len(pairs), together, drawing.seed)
    p_values = np.array([tests_in_slice[pair].p_value for pair in pairs for tests_in_slice in tests])
    adjusted = joint.stepped_down(p_values, alternative).tolist()
    at = 1.0 - joint.single_level(settings.alpha)
    noted = _notes_on_tests(parts, pairs, tests, np.array(adjusted), joint, alternative, settings)
    compared_slices: list[SliceDifference] = []
    heterogeneity: list[Heterogeneity] = []
    methods: Counter[str] = Counter()
    small: list[Part] = []
    for p, pair in enumerate(pairs):
        first = p * len(parts)
        with_methods = [
            _difference(part, pair, tests_in_slice[pair], adjusted[first + s], at, settings, noted[first + s])
            for s, (part, tests_in_slice) in enumerate(zip(parts, tests, strict=True))
        ]
        differences = [d for d, _ in with_methods]
        methods.update(method for _, method in with_methods)
        small += [
            part
            for part, (_, method) in zip(parts, with_methods, strict=True)
            if part.estimates.group.n_units < slice_tests.FEWEST_UNITS and method != "tango"
        ]
        for number, slicing in enumerate(slicings):
            chosen = [s for s, part in enumerate(parts) if part.slicing == number]
            places = [first + s for s in chosen]
            between = None if together is None else together[np.ix_(places, places)]
            slices, tested = _slices_of_column(
                [parts[s] for s in chosen], pair, [differences[s] for s in chosen], between, at,
                alternative, spanned=sharing.spanned[number],
            )  # fmt: skip
            compared_slices += _in_order(slices, slicing)
            heterogeneity += [] if tested.result is None else [tested.result]
            notes += tested.notes
    notes.append(_note(metric.name, methods, joint, at, settings))
    notes += _small(metric.name, small)
    pairs_noted = note_rules.sample_notes(whole.group, pairs, evaluation)
    below = note_rules.below_half_notes(whole, evaluation.names, settings.level, method=settings.interval)
    return MetricSlices(
        overall, tuple(compared_slices), tuple(heterogeneity), (*said, *notes, *pairs_noted, *below)
    )


def _overall(
    estimates: Estimates,
    pairs: Sequence[Pair],
    evaluation: Evaluation,
    alternative: Alternative,
    settings: Settings,
) -> tuple[tuple[Difference, ...], list[Note]]:
    """Return the differences on all items, with p-values by Holm's procedure, and notes on tests."""
    tests = significance_tests.run(settings.test, estimates, pairs, alternative)
    differences = []
    for pair in pairs:
        bounds = one_pair.intervals(estimates.of(*pair), settings.interval, settings)
        differences.append(
            one_pair.difference(estimates.of(*pair), evaluation, tests[pair], bounds, settings)
        )
    notes = swap_notes.notes_on_swaps(estimates.group, differences[0].metric, tests.values(), settings)
    names, alpha = evaluation.names, settings.alpha
    notes += swap_notes.exchangeability_notes(estimates, tests, names, "holm", alpha)
    return tuple(family.adjusted(differences, "holm")), notes


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
    estimate = part.estimates.of(*pair)
    bounds_at_once = simultaneous.one_of_family(estimate, settings.interval, settings.level, at)
    bounds = one_pair.Bounds(bounds_at_once.interval, None, (*bounds_at_once.notes, *notes))
    error = one_pair.standard_error(estimate, bounds_at_once.single or bounds_at_once.interval)
    difference = one_pair.difference(estimate, part.evaluation, test, bounds, settings, p_adjusted, error)
    return difference, bounds_at_once.method


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
    every = [
        (pair, part, tests_in_slice[pair])
        for pair in pairs
        for part, tests_in_slice in zip(parts, tests, strict=True)
    ]
    rejected = multiplicity.rejects(adjusted, settings.alpha)
    allowing = [
        swap_notes.p_allowing(part.estimates, pair, test, one)
        for (pair, part, test), one in zip(every, rejected, strict=True)
    ]
    again = joint.stepped_down(np.array(allowing), alternative)
    notes = []
    for place, (pair, part, test) in enumerate(every):
        group, (a, b) = part.estimates.group, pair
        names, one = part.evaluation.names, slice(place, place + 1)  # of one pair in one slice
        metric, units = group.metric.name, "clusters" if group.clustered else "items"
        notes.append(
            [
                *swap_notes.notes_on_swaps(group, metric, [test], settings, len(every)),
                *swap_notes.note_on_skewness(
                    metric, [(names[a], names[b])], adjusted[one], again[one], settings.alpha, units
                ),
            ]
        )
    return notes


def _slices_of_column(
    parts: Sequence[Part],
    pair: Pair,
    differences: Sequence[Difference],
    together: FloatArray | None,
    at: float,
    alternative: Alternative,
    *,
    spanned: bool,
) -> tuple[list[SliceDifference], slice_tests.Tested]:
    """Return the slices of one column and one pair, and the test whether the difference depends on them."""
    tested = slice_tests.tested(parts, pair, differences, together, spanned)
    slices = []
    for s, (part, d) in enumerate(zip(parts, differences, strict=True)):
        error = None if tested.errors is None else float(tested.errors[s])
        shrunken = None if tested.shrunken is None else float(tested.shrunken[s])
        detectable = None if error is None else _detectable(part, pair, error, 1.0 - at, alternative)
        notes = tuple(replace(note, about=(*note.about, part.name)) for note in d.notes)
        slices.append(SliceDifference(part.column, part.name, replace(d, notes=notes), detectable, shrunken))
    return slices, tested


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
    group = part.estimates.group
    tail = 0.5 * alpha if alternative == "two-sided" else alpha
    if 0.5**group.n_units > tail:
        return None
    multiple = -float(stdtrit(slice_tests.freedom(part, pair), tail)) + float(ndtri(USUAL_POWER))
    smallest = multiple * error
    if part.estimates.of(*pair).situation(jackknife=False)["proportion"]:
        smallest = max(smallest, multiple**2 / (group.n_units + multiple**2))
    low, high = group.metric.bounds
    return smallest if smallest <= high - low else None


def _small(metric: str, small: Sequence[Part]) -> list[Note]:
    """Return a note on slices of too few items (clusters) for anything that rests on a standard error.

    Score intervals of answers hold however few there are; `small` are the slices without them.
    """
    if not small:
        return []
    what = "clusters" if small[0].estimates.group.clustered else "items"
    names = list(dict.fromkeys(quoted(part.name) for part in small))
    message = (
        f"fewer than {slice_tests.FEWEST_UNITS} {what} in {listed(names, 5)}: with so few, intervals and the"
        " test whether the difference depends on the slice do not hold their level; leave such slices out, or"
        " merge some of them"
    )
    return [Note("small_slices", message, (metric,))]


def _note(metric: str, methods: Counter[str], joint: Joint, at: float, settings: Settings) -> Note:
    """Return the note on how intervals and adjusted p-values were made."""
    message = simultaneous.held_at_once("slices", "the slices vary", joint, settings.level, at, methods)
    by = "Holm's procedure" if joint.bonferroni else f"the {long_name('correction', 'step-down')}"
    message += f". Adjusted p-values are by {by}, which may find a difference whose interval holds 0"
    return Note("slices", message, (metric,))
