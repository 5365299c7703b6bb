"""`compare_facets`: systems over prompts, seeds, judges and items, of which others could have been drawn."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import counted, percentage
from bestby._core.typing import Array, Correction, FloatArray, IntArray, OnMissing, Question, Rng
from bestby.comparisons import family, note_rules
from bestby.comparisons.provenance import made_by
from bestby.comparisons.settings import CheckedSettings, check_reach
from bestby.data.layouts.runs import Runs
from bestby.data.reading import Reading, checked_reading
from bestby.data.roles import listed
from bestby.data.table import backend_of
from bestby.engine.base import Drawing
from bestby.questions.facets import study as studying
from bestby.questions.facets.components import Averaging, Cells, Effect, Nesting, joint_levels, weights_of
from bestby.questions.facets.reference import MeanError, error_of_mean, many_levels
from bestby.questions.facets.result import (
    Facet,
    FacetComponent,
    FacetDifference,
    FacetsComparison,
    FacetScore,
    FacetStudy,
    sizes_of,
)
from bestby.questions.facets.source import Asked, FacetData, data_of
from bestby.report.pairs import IDENTICAL
from bestby.report.reported import with_backend
from bestby.resampling.settings import Resampling, combined_settings
from bestby.results.base import Note, notes_about
from bestby.results.values import Interval, TestResult, defined

METHOD = "mixture-t"
"""The interval and the test, by their name in the results."""

FEW_LEVELS = 5
"""Levels below which an interval is far longer than with ten: by a half or more with four prompts."""

RESTS_ON = 10
"""Levels below which nothing shows whether they are near normal, on which half of the variance may rest."""

SHORTER = 0.8
"""Part of the length below which the interval of runs is shown as a warning."""

UNEVEN = 0.1
"""How far apart shares of missing cells are before a note says so."""


@with_suggestions
def compare_facets(
    data: Mapping[str, Any] | Runs | Any,
    gold: Any = None,
    *,
    metric: Any = None,
    facets: str | Sequence[str] | None = None,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    items: str | None = None,
    nested: Mapping[str, Any] | str | Sequence[str] | None = None,
    fixed: str | Sequence[str] = (),
    unmatched: str | Sequence[str] = (),
    clusters: str | None = None,
    on_missing: OnMissing = "pairs",
    reading: Reading | None = None,
    weights: Literal["levels", "cells"] = "levels",
    study: Mapping[str, int] | Sequence[Mapping[str, int]] | None = None,
    correction: Correction = "holm",
    level: float = 0.95,
    alternative: Question = "two-sided",
    margin: float | None = None,
    rng: Rng = 0,
    n_resamples: int = 10_000,
    resampling: Resampling | None = None,
) -> FacetsComparison:
    """Compare systems over several facets at once: prompts, seeds, judges and items.

    What would other prompts, other seeds and other items like these give? Every facet is a sample of levels, or
    *fixed* if its levels are all that matter, and each brings a part of the uncertainty.

    Parameters
    ----------
    data : data frame, mapping of str to array_like, or Runs
        A long table with a row per cell: its system, its level of each facet, its item, and a score or
        prediction; or such a table with a column per system. A mapping of system to an array with an axis for
        each of `facets`, in their order, and one for the items last; NaN is a cell without a value. Or what
        `read_runs` returns, of logs with several epochs, say, whose runs are the one facet.
    gold : str, or array_like, shape (n,), optional
        The column of the gold, or, beside arrays, a label for each item; the values are then predictions.
    metric : str, Metric or callable, optional
        A metric that is a mean over items, as for `compare`; without gold a name for the scores.
    facets : str or sequence of str, optional
        The columns, or the axes, other than the items. By default the columns that are called prompt, template,
        seed, run, judge, epoch and the like.
    systems : str or list of str, optional
        The systems to compare (all by default), by name or by pattern, such as ``"gpt-*"``.
    baseline : str, optional
        Compare every other system with this one only; otherwise every pair.
    items : str, optional
        The column of the items ("item" or "id" by default), or what the last axis is called. There need be none.
    nested : mapping of str to str, or str, or list of str, optional
        Which facet lies in which: ``{"seed": "prompt"}`` or ``"seed in prompt"`` says that seed 1 of one prompt
        has nothing to do with seed 1 of another. It is found in the data where each seed has one prompt only.
    fixed : str or sequence of str
        The facets whose levels are all that matter. The answer is then about these, not about others.
    unmatched : str or sequence of str
        The facets of which level 3 of one system has nothing to do with level 3 of another, such as seeds of
        different models. They should lie in one that is matched, as seeds do in prompts.
    clusters : str, optional
        The column of groups of items, such as their documents, which then are a facet that items lie in.
    on_missing : {"pairs", "drop", "error"}
        Of cells that some systems lack. "pairs": every two are compared on the cells that both have. "drop":
        items that lack some cell are left out. "error": a missing cell is an error.
    reading : Reading, optional
        How a table is read: `ignore`, `system_column` and `value_column`.
    weights : {"levels", "cells"}
        Whether every level of a facet has the same weight in the mean, however many cells it has, or every cell.
    study : mapping of str to int, or list of such, optional
        Other numbers of levels, of which the report says how sure they would make the first difference. By
        default twice those of each sampled facet.
    correction : {"holm", "bonferroni", "bh", "none"}
        How p-values are corrected; the family is all pairs.
    level : float
        Nominal coverage; 1 - level is the level of the tests.
    alternative : {"two-sided", "greater", "less", "better"}
        As for `compare`.
    margin : float, optional
        The smallest difference that matters; turns on verdicts.
    rng, n_resamples, resampling
        The seed and the number of the generalised draws from which components have their intervals. No
        difference, no interval of one and no p-value depends on them.

    Returns
    -------
    FacetsComparison
        Scores and differences with intervals and tests, what each facet adds to their variance, and what other
        numbers of levels would give.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If a sampled facet has one level, two facets change together, nothing tells effects apart, or the metric
        is no mean over items.

    See Also
    --------
    compare_runs : One facet, the runs, and metrics that are no means.
    compare : One run of each system, item by item.
    compare_datasets : Datasets as a facet, each with its own difference.

    Notes
    -----
    Cells are averaged over fixed facets and over what lies in a sampled facet. Variance components follow from
    quadratic forms [1]_ [2]_, and the variance of the mean from these. Its error is referred to a mixture of two
    Student's t, one of what few levels bring and one of what goes on with the items, each with Satterthwaite's
    degrees of freedom [3]_, a relative of Cochran's approximation [4]_. With one facet this is Student's t test.
    Intervals of components are from generalised draws [5]_.

    It misleads where few levels carry most of the variance and are far from normal in one system: where one
    prompt in ten breaks one system, ten prompts mostly do not show it. No rule can allow for what was not seen;
    the note ``"rests_on_few"`` speaks wherever half of the variance rests on fewer than ten levels. Two levels
    give intervals that are very long and can still be too short (``"two_levels"``).

    References
    ----------
    .. [1] Henderson (1953), Estimation of variance and covariance components, Biometrics 9, 226-252.
    .. [2] Brennan (2001), Generalizability Theory, chapters 4 to 7.
    .. [3] Satterthwaite (1946), An approximate distribution of estimates of variance components, Biometrics
       Bull. 2, 110-114.
    .. [4] Cochran (1964), Approximate significance levels of the Behrens-Fisher test, Biometrics 20, 191-195.
    .. [5] Weerahandi (1993), Generalized confidence intervals, J. Amer. Statist. Assoc. 88, 899-905.

    Examples
    --------
    >>> import numpy as np
    >>> from bestby import compare_facets
    >>> prompt, item = np.indices((3, 8))
    >>> gain = np.array([0.05, 0.10, 0.21])[prompt] + np.linspace(-0.2, 0.2, 8)[item]
    >>> new = gain + 0.05 * (-1.0) ** (prompt + item)
    >>> result = compare_facets({"new": new, "old": np.zeros((3, 8))}, facets="prompt")
    >>> d = result["new", "old"]
    >>> round(d.estimate, 3), round(d.standard_error, 4), round(d.p_value, 3)
    (0.12, 0.0665, 0.164)
    >>> {one.effect: round(one.share, 2) for one in d.components}
    {'prompt': 0.47, 'item': 0.5, 'prompt x item': 0.04}
    """
    how = checked_reading(reading, "compare_facets", "ignore system_column value_column")
    resampling = combined_settings(
        resampling, n_resamples, rng, function="compare_facets", unused="resample_size rescale executor cache"
    )
    drawing = Drawing.of(resampling)
    settings = Settings.checked(
        "facets", on_missing=on_missing, weights=weights, level=level, alternative=alternative,
        correction=correction, margin=margin, baseline=baseline,
    )  # fmt: skip
    asked = Asked(facets, items, nested, fixed, unmatched, clusters, systems, how)
    found = _with_cells(data_of(data, gold, metric, asked), settings)
    check_reach(settings.margin, found.metric)
    result = _compared(found, settings.among(found.names), drawing, study)
    return with_backend(result, backend_of(data))


@dataclass(frozen=True)
class Settings(CheckedSettings):
    """The arguments of `compare_facets` that are not data; see there."""

    on_missing: str
    weights: str
    level: float
    alternative: Question
    correction: str
    margin: float | None
    baseline: str | None
    interval: str | None = METHOD
    test: str | None = METHOD


def _with_cells(data: FacetData, settings: Settings) -> FacetData:
    """Return the data without items that lack a cell, or refuse missing cells, where that was asked for."""
    if settings.on_missing == "pairs":
        return data
    facets = [
        facet for facet in data.nesting.facets if facet not in data.unmatched
    ]  # their numbers may differ
    cells = Averaging.over(data.codes, facets)
    there = np.isfinite(np.stack([cells.means(values) for values in data.values]))
    full = _n_combinations(data.nesting, facets, cells.codes)
    n_lacking = full * len(data.names) - int(there.sum())
    if n_lacking <= 0:
        return data
    if settings.on_missing == "error" or data.nesting.items is None:
        raise InvalidInputError(
            f"{n_lacking} of {full * len(data.names)} cells have no value",
            hint='on_missing="pairs" compares every two systems on the cells that both have',
            argument="on_missing",
        )
    item = data.nesting.items
    times = np.bincount(cells.codes[item], there.all(axis=0))
    keep = (times == times.max())[data.codes[item]]
    n_left_out = int((times < times.max()).sum())
    note = Note("items_dropped", f"{counted(n_left_out, 'item')} without a value in every cell left out")
    codes = {facet: joint_levels([code[keep]]) for facet, code in data.codes.items()}
    return dataclasses.replace(data, codes=codes, values=data.values[:, keep], notes=(*data.notes, note))


def _n_combinations(nesting: Nesting, facets: Sequence[str], codes: Mapping[str, IntArray]) -> int:
    """Return how many cells there would be if no level of a facet lacked one of another that it can have."""
    closed = [
        nesting.parents[one] | {one} for one in facets if not any(one in nesting.parents[f] for f in facets)
    ]
    shared = [one for one in facets if sum(one in group for group in closed) > 1]
    by = joint_levels([codes[one] for one in shared]) if shared else np.zeros_like(codes[facets[0]])
    count = np.ones(int(by.max()) + 1)
    for group in closed:
        inner = Averaging.over({**codes, "": by}, [*(one for one in facets if one in group), ""])
        levels = np.bincount(inner.codes[""])
        alike = not group.issuperset(shared)
        count *= (
            int(joint_levels([codes[one] for one in facets if one in group]).max()) + 1 if alike else levels
        )
    return int(count.sum())


# -- one difference, or one score ------------------------------------------------------------------


class _Designs:
    """The designs of sets of cells, each made once: all cells, and what they are averaged to."""

    def __init__(self, nesting: Nesting, codes: Mapping[str, IntArray], *, by_levels: bool) -> None:
        self.nesting, self.codes, self.by_levels = nesting, codes, by_levels
        self._whole: dict[bytes, Cells] = {}
        self._mean: dict[bytes, tuple[Averaging, Cells]] = {}

    def _cells(self, nesting: Nesting, codes: Mapping[str, IntArray]) -> Cells:
        cells = Cells(nesting, codes, weights_of(nesting, codes, by_levels=self.by_levels))
        cells.check_estimable()
        return cells

    def _codes(self, there: Array) -> dict[str, IntArray]:
        return {facet: joint_levels([code[there]]) for facet, code in self.codes.items()}

    def whole(self, there: Array) -> Cells:
        """Return the design of all cells that are there, shape (n,)."""
        key = np.packbits(there).tobytes()
        if key not in self._whole:
            self._whole[key] = self._cells(self.nesting, self._codes(there))
        return self._whole[key]

    def mean(self, there: Array) -> tuple[Averaging, Cells]:
        """Return to what the cells that are there are averaged, and the design of that."""
        key = np.packbits(there).tobytes()
        if key not in self._mean:
            rest = self.nesting.without(self.nesting.averaged)
            averaging = Averaging.over(self._codes(there), rest.facets)
            self._mean[key] = averaging, self._cells(rest, averaging.codes)
        return self._mean[key]


@dataclass(frozen=True, eq=False)
class _Mean:
    """The mean of cells and how sure it is; without an error and components where nothing varies."""

    value: float
    scale: float
    constant: bool
    design: Cells
    whole: Cells
    error: MeanError | None = None
    parts: FloatArray | None = None

    @property
    def freedom(self) -> tuple[tuple[float, float], ...]:
        """The shares and the degrees of freedom of the two Student's t."""
        if self.error is None:
            return ()
        share, (few, many) = float(self.error.mixture.share), self.error.mixture.freedom.tolist()
        return ((share, few), (1.0 - share, many))

    def interval(self, level: float, constant: str = "constant_difference") -> family.Bounds:
        """Return the interval of a level; None and a note where there is none."""
        half = 0.0 if self.error is None else self.error.half_length(level)
        made = Interval(self.value - half, self.value + half, level, METHOD, True)
        return defined(made, scale=self.scale, constant=constant)


def _mean_of(design: Cells, whole: Cells, values: FloatArray, cells: FloatArray, scale: float) -> _Mean:
    """Return the mean of `values`, which `cells` were averaged to, on the scale of the scores."""
    mean = float(design.weights @ values)
    if rounding.is_nothing(float(np.ptp(values)), scale):
        return _Mean(mean, scale, True, design, whole)
    parts = design.components(values) * design.kappa
    error = error_of_mean(parts, design.freedom, design.effects, design.nesting, many_levels(design))
    if rounding.is_nothing(error.standard_error, scale):  # all that varies is fixed
        return _Mean(mean, scale, True, design, whole)
    return _Mean(mean, scale, False, design, whole, error, whole.components(cells) * whole.kappa)


class _Analysis:
    """The scores and differences of all systems of some data."""

    def __init__(self, data: FacetData, settings: Settings, drawing: Drawing) -> None:
        self.data, self.settings, self.drawing = data, settings, drawing
        by_levels = settings.weights == "levels"
        self.designs = _Designs(data.nesting, data.codes, by_levels=by_levels)
        # Unmatched levels are averaged before the difference, so that systems may have other numbers of them
        matched = data.nesting.without(data.unmatched)
        self.matching = Averaging.over(data.codes, matched.facets) if data.unmatched else None
        self.matched = self.designs
        if self.matching is not None:
            self.matched = _Designs(matched, self.matching.codes, by_levels=by_levels)

    def score(self, system: int) -> _Mean:
        """Return the score of a system."""
        values = self.data.values[system]
        there = np.isfinite(values)
        averaging, design = self.designs.mean(there)
        cells = values[there]
        return _mean_of(design, self.designs.whole(there), averaging.means(cells), cells, _size(cells))

    def pair(self, a: int, b: int) -> tuple[_Mean, tuple[float, float], FloatArray]:
        """Return the difference, the two scores on the cells that both have, and the difference in each."""
        both = self.data.values[[a, b]]
        paired = both if self.matching is None else np.stack([*map(self.matching.means, both)])
        there = np.isfinite(paired).all(axis=0)
        whole_there = np.isfinite(both).all(axis=0)
        if not there.any() or not whole_there.any():
            raise InvalidInputError(
                f"{self.data.names[a]} and {self.data.names[b]} have no cell in common",
                hint="are their levels and items spelled alike?",
            )
        averaging, design = self.matched.mean(there)
        values = rounding.difference(paired[0][there], paired[1][there])
        scores = [float(design.weights @ averaging.means(one[there])) for one in paired]
        cells = values if self.matching is None else rounding.difference(*both[:, whole_there])
        mean = _mean_of(
            design,
            self.designs.whole(whole_there),
            averaging.means(values),
            cells,
            _size(both[:, whole_there]),
        )
        return mean, (scores[0], scores[1]), cells

    def of_runs(self, mean: _Mean, cells: FloatArray) -> Interval | None:
        """Return the interval if each combination of levels were a run; None with one sampled facet."""
        nesting, codes = mean.whole.nesting, mean.whole.codes
        of_items = set() if nesting.items is None else {nesting.items, *nesting.parents[nesting.items]}
        merged = [facet for facet in nesting.facets if facet not in of_items]
        if mean.error is None or len({*merged} - nesting.fixed) < 2:
            return None
        rest = [facet for facet in nesting.facets if facet in of_items]
        runs = Nesting(
            ("run", *rest),
            {"run": frozenset(), **{facet: nesting.parents[facet] & of_items for facet in rest}},
            nesting.fixed & of_items,
            nesting.items,
        )  # fmt: skip
        run_codes = {"run": joint_levels([codes[facet] for facet in merged]), **{f: codes[f] for f in rest}}
        whole = Cells(runs, run_codes, mean.whole.weights)
        interval, _ = _mean_of(whole, whole, cells, cells, mean.scale).interval(self.settings.level)
        return interval

    def components(self, mean: _Mean) -> tuple[FacetComponent, ...]:
        """Return what each effect brings, with its interval."""
        if mean.parts is None:
            return ()
        whole, parts = mean.whole, mean.parts
        found = studying.Estimates(whole.nesting, np.array(sizes_in(whole)), parts, whole.freedom)
        draws = found.draws(self.drawing.n_resamples, self.drawing.seed) / whole.kappa
        tails = [0.5 * (1.0 - self.settings.level), 0.5 * (1.0 + self.settings.level)]
        ends = np.maximum(np.quantile(draws, tails, axis=0), 0.0)  # cut at 0 last
        varies = np.array([whole.nesting.varies(effect) for effect in whole.effects])
        brought = np.where(varies, np.maximum(parts, 0.0), 0.0)
        shares = brought / max(float(brought.sum()), np.finfo(np.float64).tiny)
        return tuple(
            FacetComponent(
                effect_name(effect, whole.nesting),
                tuple(facet for facet in whole.nesting.facets if facet in effect),
                max(0.0, float(parts[e] / whole.kappa[e])),
                Interval(float(ends[0, e]), float(ends[1, e]), self.settings.level, "generalised", False)
                if ends[1, e] > ends[0, e] else None,
                float(shares[e]), float(parts[e]), int(whole.levels[e]), float(whole.freedom[e]),
            )
            for e, effect in enumerate(whole.effects)
        )  # fmt: skip

    @property
    def draws(self) -> tuple[int, int]:
        """The number of draws, and their seed."""
        return self.drawing.n_resamples, self.drawing.seed


def _size(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0.0))


def sizes_in(cells: Cells) -> list[float]:
    """Return the levels of every facet: of one that lies in others, in each of their levels on average."""
    sizes = []
    for facet in cells.nesting.facets:
        parents = cells.nesting.parents[facet]
        outer = int(cells.levels[cells.effects.index(parents)]) if parents else 1
        sizes.append(int(cells.levels[cells.effects.index(parents | {facet})]) / outer)
    return sizes


def facets_of(cells: Cells) -> tuple[Facet, ...]:
    """Return the facets of cells as records."""
    nesting = cells.nesting
    return tuple(
        Facet(
            facet, size, tuple(one for one in nesting.facets if one in nesting.parents[facet]),
            facet in nesting.fixed, facet == nesting.items,
        )
        for facet, size in zip(nesting.facets, sizes_in(cells), strict=True)
    )  # fmt: skip


def effect_name(effect: Effect, nesting: Nesting) -> str:
    """Return the name of an effect: ``"seed in prompt x item"``."""
    inner = [
        one for one in nesting.facets if one in effect and not any(one in nesting.parents[f] for f in effect)
    ]
    parts = []
    for facet in inner:
        outer = [one for one in nesting.facets if one in nesting.parents[facet]]
        parts.append(" in ".join([facet, *outer[::-1]]))
    return " x ".join(parts)


# -- the comparison --------------------------------------------------------------------------------


def _compared(data: FacetData, settings: Settings, drawing: Drawing, study: Any) -> FacetsComparison:
    analysis = _Analysis(data, settings, drawing)
    greater = data.metric.greater_is_better
    means = [analysis.score(s) for s in range(len(data.names))]
    order, pairs = family.order_and_pairs(
        np.array([mean.value for mean in means]), data.names, greater, settings.baseline, settings.alternative
    )
    unadjusted = [_difference(analysis, a, b) for a, b in pairs]
    differences = family.with_direction_notes(
        family.adjusted(unadjusted, settings.correction), settings.alpha
    )
    lettered = settings.baseline is None
    names = [data.names[s] for s in order]
    standings = family.standings(names, differences, settings.alpha, lettered=lettered)
    scores, notes = [], list(note_rules.group_notes(data.metric.name, standings[2], lettered=lettered))
    for position, s in enumerate(order):
        mean = means[s]
        interval, interval_notes = mean.interval(settings.level, "constant_scores")
        notes += notes_about(interval_notes, data.metric.name, names[position])
        scores.append(
            FacetScore(
                metric=data.metric.name, system=names[position], score=mean.value, interval=interval,
                **family.standing(standings, position),
                standard_error=None if mean.error is None else mean.error.standard_error,
                standard_error_method=None if mean.error is None else "components",
                facets=facets_of(mean.whole), freedom=mean.freedom, components=analysis.components(mean),
                draws=analysis.draws, level=settings.level,
            )
        )  # fmt: skip
    shown = differences[0]
    single = tuple(Facet(facet, 1.0, (), True) for facet in data.single)
    return FacetsComparison(
        metrics=(data.metric,),
        systems=tuple(scores),
        differences=differences,
        omnibus=(),
        notes=(
            *data.notes,
            *notes,
            *_notes_on_design(analysis, shown),
            *note_rules.direction_notes(data.metric.name, greater, settings.alternative),
        ),
        provenance=made_by(
            drawing,
            {"metrics": [data.metric.name], "greater_is_better": greater, **settings.by_name()},
            {"systems": list(data.names), **{facet.name: facet.levels for facet in shown.facets}},
            data.data_hash,
        ),
        n_items=shown.n_items,
        level=settings.level,
        correction=settings.corrected_by,
        margin=settings.margin,
        baseline=settings.baseline,
        facets=(*single, *shown.facets),
        studies=_studies(shown, study),
        weights=settings.weights,
    )


def _difference(analysis: _Analysis, a: int, b: int) -> FacetDifference:
    data, settings = analysis.data, analysis.settings
    name_a, name_b, greater = data.names[a], data.names[b], data.metric.greater_is_better
    mean, (score_a, score_b), cells = analysis.pair(a, b)
    alternative = settings.towards(greater)
    notes: tuple[Note, ...] = ()
    interval = tost = None
    facets = facets_of(mean.whole)
    if mean.error is not None:
        bounds = partial(mean.interval)
        interval, tost, notes = family.with_equivalence(bounds, settings.level, settings.margin)
        statistic = mean.value / mean.error.standard_error
        p = mean.error.p_value(mean.value, alternative)
    elif rounding.is_nothing(abs(mean.value), mean.scale):
        notes, statistic, p = (Note("identical", IDENTICAL),), 0.0, 1.0
    else:
        raise InvalidInputError(
            f"{name_a} and {name_b} differ by the same in all cells, so nothing shows how the difference would vary",
            hint="are the values scores of single cells, or means that were repeated?",
        )
    item = mean.whole.nesting.items or many_levels(mean.whole)
    code, differs = mean.whole.codes[item], np.abs(cells) > rounding.noise_width(mean.scale)
    runs_interval = analysis.of_runs(mean, cells)
    d = FacetDifference(
        metric=data.metric.name, a=name_a, b=name_b, estimate=mean.value, score_a=score_a, score_b=score_b,
        interval=interval, level=settings.level,
        test=TestResult(METHOD, p, alternative, True, "asymptotic", statistic=statistic), p_adjusted=p,
        greater_is_better=greater, n_items=int(code.max()) + 1, n_differing=np.unique(code[differs]).size,
        standard_error=None if mean.error is None else mean.error.standard_error,
        standard_error_method=None if mean.error is None else "components",
        facets=facets, freedom=mean.freedom, components=analysis.components(mean), draws=analysis.draws,
        runs_interval=runs_interval,
    )  # fmt: skip
    notes = notes_about((*notes, *_notes_on_pair(mean, d)), data.metric.name, name_a, name_b)
    return family.with_verdict(dataclasses.replace(d, notes=notes), tost, settings.margin)


def _studies(d: FacetDifference, study: Any) -> tuple[FacetStudy, ...]:
    """Return what other numbers of levels would give: those asked for, or twice those of each sampled facet."""
    if study is not None:
        asked = [study] if isinstance(study, Mapping) else [*study]
    else:
        asked = [{one.name: max(2, round(2 * one.levels))} for one in d.facets if not one.fixed]
    sizes = [sizes_of(levels, d.facets, np.array([one.levels for one in d.facets])) for levels in asked]
    if not d.components or not sizes:
        return ()
    estimates = d.estimates
    return d.at(estimates, np.array(sizes), estimates.draws(*d.draws))


# -- notes -----------------------------------------------------------------------------------------


def _notes_on_pair(mean: _Mean, d: FacetDifference) -> Iterator[Note]:
    """Yield what does not hold of a difference, or what it rests on."""
    if mean.error is None or mean.parts is None:
        return
    design, many = mean.design, many_levels(mean.design)
    few = {
        e: int(design.levels[e]) for e, effect in enumerate(design.effects) if effect == {*effect} - {many}
    }
    single = {next(iter(design.effects[e])): size for e, size in few.items() if len(design.effects[e]) == 1}
    sampled = {facet: size for facet, size in single.items() if facet not in design.nesting.fixed}
    share = float(mean.error.mixture.share)
    if sampled and share > 0.5 and min(sampled.values()) < RESTS_ON:
        facet, size = min(sampled.items(), key=lambda one: one[1])
        yield Note(
            "rests_on_few",
            f"{percentage(share)} of the variance rests on {counted(size, facet)}: the interval is as good as these"
            " are near normal in both systems, and as they are a fair sample",
        )
    pooled = [
        facet for facet in sampled
        if mean.error.clear[design.effects.index(frozenset({facet}))] < 0.5
    ]  # fmt: skip
    if pooled:
        yield Note(
            "facet_pooled",
            f"{listed(pooled)}: no larger than chance between single cells would make it, so its variance is"
            " pooled with that of its interactions, and the degrees of freedom with it",
        )
    negative = [one.effect for one in d.components if one.part < 0.0]
    if negative:
        yield Note("negative_component", f"estimates below 0 were set to 0: {listed(negative)}")
    if d.interval is not None and d.runs_interval is not None:
        length = d.runs_interval.high - d.runs_interval.low
        if length < SHORTER * (d.interval.high - d.interval.low):
            yield Note(
                "runs_interval",
                f"with every combination as a run of its own the interval would be"
                f" {d.runs_interval.low:.4g} to {d.runs_interval.high:.4g}, which is too short: the runs share levels",
            )


def _notes_on_design(analysis: _Analysis, d: FacetDifference) -> Iterator[Note]:
    """Yield what the numbers of levels, and missing cells, mean for all differences."""
    estimates = d.estimates
    dropped, many = estimates.nesting.averaged, max(d.facets, key=lambda one: (one.levels, one.items)).name
    for facet in d.facets:
        if facet.fixed or facet.name in dropped or facet.name == many or facet.levels >= FEW_LEVELS:
            continue
        number = f"{facet.levels:g} {facet.name}s"
        if facet.levels <= 2.0:
            yield Note(
                "two_levels",
                f"{number} can hardly show how much {facet.name}s vary: intervals are very long, and still too short"
                " now and then",
            )
        elif d.components:
            more = np.array([10.0 if one.name == facet.name else one.levels for one in d.facets])
            now, then = (estimates.error(sizes) for sizes in (estimates.sizes, more))
            times = now.half_length(d.level) / then.half_length(d.level)
            text = f"of {number}, the interval is about {times:.2g} times as long as with 10"
            yield Note("few_levels", text)
    data = analysis.data
    facets = [facet for facet in data.nesting.facets if facet not in data.unmatched]
    cells = Averaging.over(data.codes, facets)
    there = np.isfinite(np.stack([cells.means(values) for values in data.values])).mean(axis=0)
    full = _n_combinations(data.nesting, facets, cells.codes)
    lacking = 1.0 - float(there.sum()) / full
    if lacking > 0.0:
        text = f"{percentage(lacking, 1)} of the cells have no value"
        weights = (
            "every level of a facet has the same weight"
            if analysis.settings.weights == "levels"
            else "every cell has the same weight"
        )
        yield Note("unbalanced", f"{text}: {weights}, and variances are those of unbalanced data")
    for facet in facets if lacking > 0.0 else ():
        if (
            facet == data.nesting.items
            or data.nesting.parents[facet]
            or facet in data.nesting.parents.get(data.nesting.items or "", ())
        ):
            continue
        each = np.bincount(cells.codes[facet], there)
        shares = 1.0 - each / max(each.max(), 1.0)
        if float(np.ptp(shares)) > UNEVEN:
            worst = int(shares.argmax())
            name = data.levels[facet][worst] if len(data.levels[facet]) > worst else str(worst + 1)
            yield Note(
                "missing_by_level",
                f"{facet} {name} lacks {percentage(float(shares[worst]))} of the cells that the fullest {facet} has:"
                " if values are missing where a system fails, its score is too good",
            )
