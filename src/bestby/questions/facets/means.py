"""The score of a system, or the difference of two, over cells: averaged, with its error and components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.errors import InvalidInputError
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.comparisons import family
from bestby.questions.facets.components import Averaging, Cells, weights_of
from bestby.questions.facets.nesting import Effect, Nesting, joint_levels
from bestby.questions.facets.reference import MeanError, error_of_mean
from bestby.questions.facets.result import Facet, FacetComponent
from bestby.questions.facets.source import FacetData
from bestby.questions.facets.study import Estimates
from bestby.results.values import Interval, defined

METHOD = "mixture-t"
"""The interval and the test, by their name in the results."""


@dataclass(frozen=True, eq=False)
class Mean:
    """The mean of the cells of a design and how sure it is; without an error where nothing varies.

    `scale` is the size of the scores, to which rounding is relative.
    """

    value: float
    scale: float
    design: Cells
    error: MeanError | None

    @classmethod
    def of(cls, design: Cells, values: FloatArray, scale: float) -> Mean:
        """Return the mean of a value per cell."""
        value = float(design.weights @ values)
        if rounding.is_nothing(float(np.ptp(values)), scale):
            return cls(value, scale, design, None)
        parts = design.components(values) * design.kappa
        error = error_of_mean(parts, design.freedom, design.levels, design.nesting)
        only_fixed_vary = rounding.is_nothing(error.standard_error, scale)
        return cls(value, scale, design, None if only_fixed_vary else error)

    @property
    def freedom(self) -> tuple[tuple[float, float], ...]:
        """The shares and the degrees of freedom of the two Student's t."""
        if self.error is None:
            return ()
        share, (few, many) = float(self.error.mixture.share), self.error.mixture.freedom.tolist()
        return ((share, few), (1.0 - share, many))

    def interval_at(self, level: float, constant: str = "constant_difference") -> family.Bounds:
        """Return the interval of a level; None and a note where there is none."""
        half = 0.0 if self.error is None else self.error.half_length(level)
        made = Interval(self.value - half, self.value + half, level, METHOD, True)
        return defined(made, scale=self.scale, constant=constant)


@dataclass(frozen=True, eq=False)
class Design:
    """Cells that have a value, and the designs that follow from them, each made when it is asked for."""

    nesting: Nesting
    codes: Mapping[str, IntArray]
    by_levels: bool

    @cached_property
    def whole(self) -> Cells:
        """The design of all cells."""
        return self._cells(self.nesting, self.codes)

    @cached_property
    def averaging(self) -> Averaging:
        """To what the cells are averaged before their mean is judged."""
        return Averaging.over(self.codes, self.nesting.rest.facets)

    @cached_property
    def averaged(self) -> Cells:
        """The design of what the cells are averaged to."""
        cells = self._cells(self.nesting.rest, self.averaging.codes)
        cells.check_estimable()
        return cells

    @cached_property
    def as_runs(self) -> Cells | None:
        """The design if each combination of levels were a run; None where that is no other, or too sparse."""
        nesting = self.nesting
        of_items = set() if nesting.items is None else {nesting.items, *nesting.parents[nesting.items]}
        merged = [facet for facet in nesting.facets if facet not in of_items]
        if len({*merged} - nesting.fixed) < 2:
            return None
        rest = nesting.without(merged)
        runs = Nesting(("run", *rest.facets), {"run": frozenset(), **rest.parents}, rest.fixed, rest.items)
        run = joint_levels([self.codes[facet] for facet in merged])
        codes = {"run": run, **{facet: self.codes[facet] for facet in rest.facets}}
        cells = Cells(runs, codes, self.whole.weights)
        return cells if cells.estimable else None

    def _cells(self, nesting: Nesting, codes: Mapping[str, IntArray]) -> Cells:
        return Cells(nesting, codes, weights_of(nesting, codes, by_levels=self.by_levels))


@dataclass(frozen=True, eq=False)
class Pair:
    """The difference of two systems, their scores on the cells that both have, and that of each cell."""

    mean: Mean
    scores: tuple[float, float]
    design: Design
    cells: FloatArray

    def interval_of_runs(self, level: float) -> Interval | None:
        """Return the interval if each combination of levels were a run of its own."""
        if self.mean.error is None or self.design.as_runs is None:
            return None
        return Mean.of(self.design.as_runs, self.cells, self.mean.scale).interval_at(level)[0]


class Analysis:
    """The scores and differences of all systems of some data."""

    def __init__(self, data: FacetData, *, by_levels: bool) -> None:
        self.data, self.by_levels = data, by_levels
        # Unmatched levels are averaged before the difference, so that systems may have other numbers of them
        self.matched = data.nesting.without(data.unmatched)
        self.matching = Averaging.over(data.codes, self.matched.facets) if data.unmatched else None
        self._designs: dict[bytes, Design] = {}

    def design(self, nesting: Nesting, codes: Mapping[str, IntArray], there: BoolArray) -> Design:
        """Return the design of the cells that are there, shape (n,), which most systems have in common."""
        key = bytes([nesting is self.matched]) + np.packbits(there).tobytes()
        if key not in self._designs:
            chosen = {facet: joint_levels([code[there]]) for facet, code in codes.items()}
            self._designs[key] = Design(nesting, chosen, self.by_levels)
        return self._designs[key]

    def score(self, system: int) -> Mean:
        """Return the score of a system."""
        values = self.data.values[system]
        there = np.isfinite(values)
        design = self.design(self.data.nesting, self.data.codes, there)
        return Mean.of(design.averaged, design.averaging.means(values[there]), _size(values[there]))

    def pair(self, a: int, b: int) -> Pair:
        """Return the difference of two systems."""
        both = self.data.values[[a, b]]
        there: BoolArray = np.asarray(np.isfinite(both).all(axis=0))
        if not there.any():
            raise InvalidInputError(
                f"{self.data.names[a]} and {self.data.names[b]} have no cell in common",
                hint="are their levels and items spelled alike?",
            )
        cells, size = rounding.difference(both[0, there], both[1, there]), _size(both[:, there])
        design = matched = self.design(self.data.nesting, self.data.codes, there)
        if self.matching is not None:
            both = np.stack([self.matching.means(one) for one in both])
            there = np.asarray(np.isfinite(both).all(axis=0))
            matched = self.design(self.matched, self.matching.codes, there)
        differences = rounding.difference(both[0, there], both[1, there])
        mean = Mean.of(matched.averaged, matched.averaging.means(differences), size)
        score_a, score_b = (
            float(matched.averaged.weights @ matched.averaging.means(one[there])) for one in both
        )
        return Pair(mean, (score_a, score_b), design, cells)


def _size(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0.0))


def components_of(pair: Pair, level: float, drawing: tuple[int, int]) -> tuple[FacetComponent, ...]:
    """Return what each effect brings to the variance of a difference; nothing where that cannot be told."""
    whole = pair.design.whole
    if pair.mean.error is None or not whole.estimable:
        return ()
    parts = whole.components(pair.cells) * whole.kappa
    found = Estimates(whole.nesting, np.array(sizes_in(whole)), parts, whole.freedom, drawing)
    tails = [0.5 * (1.0 - level), 0.5 * (1.0 + level)]
    drawn = np.quantile(found.draws / whole.kappa, tails, axis=0)
    low, high = np.maximum(drawn, 0.0).tolist()  # cut at 0 last
    brought = np.where(whole.nesting.varies, np.maximum(parts, 0.0), 0.0)
    shares = brought / max(float(brought.sum()), np.finfo(np.float64).tiny)
    return tuple(
        FacetComponent(
            effect=effect_name(effect, whole.nesting),
            facets=tuple(facet for facet in whole.nesting.facets if facet in effect),
            variance=max(0.0, float(parts[e] / whole.kappa[e])),
            interval=Interval(low[e], high[e], level, "generalised", False) if high[e] > low[e] else None,
            share=float(shares[e]),
            part=float(parts[e]),
            levels=int(whole.levels[e]),
            freedom=float(whole.freedom[e]),
        )
        for e, effect in enumerate(whole.nesting.effects)
    )


def sizes_in(cells: Cells) -> list[float]:
    """Return the levels of every facet: of one that lies in others, in each of their levels on average."""
    count = dict(zip(cells.nesting.effects, cells.levels.tolist(), strict=True)) | {frozenset(): 1}
    parents = cells.nesting.parents
    return [count[parents[facet] | {facet}] / count[parents[facet]] for facet in cells.nesting.facets]


def effect_name(effect: Effect, nesting: Nesting) -> str:
    """Return the name of an effect: ``"seed in prompt x item"``."""
    outer = {one for facet in effect for one in nesting.parents[facet]}
    inner = [facet for facet in nesting.facets if facet in effect - outer]
    return " x ".join(
        " in ".join([facet, *(one for one in reversed(nesting.facets) if one in nesting.parents[facet])])
        for facet in inner
    )


def design_text(facets: Sequence[Facet]) -> str:
    """Return the facets in short: ``"3 prompt x 5 seed in prompt x 200 item"``, fixed ones in brackets."""
    texts = (f"{one.levels:g} {' in '.join([one.name, *one.within[::-1]])}" for one in facets)
    return " x ".join(f"({text})" if one.fixed else text for one, text in zip(facets, texts, strict=True))
