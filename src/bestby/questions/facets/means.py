"""The score of a system, or the difference of two, over cells: averaged, with its error and components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.comparisons import family
from bestby.engine.base import Drawing
from bestby.questions.facets import study as studying
from bestby.questions.facets.components import Averaging, Cells, Effect, Nesting, joint_levels, weights_of
from bestby.questions.facets.reference import MeanError, error_of_mean
from bestby.questions.facets.result import Facet, FacetComponent
from bestby.questions.facets.source import FacetData
from bestby.results.values import Interval, defined

METHOD = "mixture-t"
"""The interval and the test, by their name in the results."""


class Designs:
    """The designs of sets of cells, each made once: all cells, and what they are averaged to."""

    def __init__(self, nesting: Nesting, codes: Mapping[str, IntArray], *, by_levels: bool) -> None:
        self.nesting, self.codes, self.by_levels = nesting, codes, by_levels
        self._whole: dict[bytes, Cells] = {}
        self._mean: dict[bytes, tuple[Averaging, Cells]] = {}

    def _cells(self, nesting: Nesting, codes: Mapping[str, IntArray]) -> Cells:
        return Cells(nesting, codes, weights_of(nesting, codes, by_levels=self.by_levels))

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
            self._mean[key][1].check_estimable()
        return self._mean[key]


@dataclass(frozen=True, eq=False)
class Mean:
    """The mean of cells and how sure it is; without an error and components where nothing varies."""

    value: float
    scale: float
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

    def interval_at(self, level: float, constant: str = "constant_difference") -> family.Bounds:
        """Return the interval of a level; None and a note where there is none."""
        half = 0.0 if self.error is None else self.error.half_length(level)
        made = Interval(self.value - half, self.value + half, level, METHOD, True)
        return defined(made, scale=self.scale, constant=constant)


def mean_of(
    design: Cells,
    whole: Cells,
    averaging: Averaging | None,
    values: FloatArray,
    scale: float,
    cells: FloatArray | None = None,
) -> Mean:
    """Return the mean of values, which are averaged to a design, on the scale of the scores.

    `cells` are the values of the whole design, if these are others.
    """
    averaged = values if averaging is None else averaging.means(values)
    mean = float(design.weights @ averaged)
    if rounding.is_nothing(float(np.ptp(averaged)), scale):
        return Mean(mean, scale, design, whole)
    parts = design.components(averaged) * design.kappa
    error = error_of_mean(parts, design.freedom, design.levels, design.nesting)
    if rounding.is_nothing(error.standard_error, scale):  # all that varies is fixed
        return Mean(mean, scale, design, whole)
    of_whole = values if cells is None else cells
    return Mean(
        mean, scale, design, whole, error,
        whole.components(of_whole) * whole.kappa if whole.estimable else None,
    )  # fmt: skip


class Analysis:
    """The scores and differences of all systems of some data."""

    def __init__(self, data: FacetData, drawing: Drawing, level: float, *, by_levels: bool) -> None:
        self.data, self.drawing, self.level = data, drawing, level
        self.designs = Designs(data.nesting, data.codes, by_levels=by_levels)
        # Unmatched levels are averaged before the difference, so that systems may have other numbers of them
        matched = data.nesting.without(data.unmatched)
        self.matching = Averaging.over(data.codes, matched.facets) if data.unmatched else None
        self.matched = self.designs
        if self.matching is not None:
            self.matched = Designs(matched, self.matching.codes, by_levels=by_levels)

    def score(self, system: int) -> Mean:
        """Return the score of a system."""
        values = self.data.values[system]
        there = np.isfinite(values)
        averaging, design = self.designs.mean(there)
        return mean_of(design, self.designs.whole(there), averaging, values[there], _size(values[there]))

    def pair(self, a: int, b: int) -> tuple[Mean, tuple[float, float], FloatArray]:
        """Return the difference, the two scores on the cells that both have, and the difference in each."""
        both = self.data.values[[a, b]]
        there: Array = np.asarray(np.isfinite(both).all(axis=0))
        if not there.any():
            raise InvalidInputError(
                f"{self.data.names[a]} and {self.data.names[b]} have no cell in common",
                hint="are their levels and items spelled alike?",
            )
        cells = rounding.difference(both[0, there], both[1, there])
        whole, size = self.designs.whole(there), _size(both[:, there])
        paired, matched = both[:, there], cells
        if self.matching is not None:
            both = np.stack([self.matching.means(one) for one in both])
            there = np.asarray(np.isfinite(both).all(axis=0))
            paired, matched = both[:, there], rounding.difference(both[0, there], both[1, there])
        averaging, design = self.matched.mean(there)
        score_a, score_b = (float(design.weights @ averaging.means(one)) for one in paired)
        return mean_of(design, whole, averaging, matched, size, cells), (score_a, score_b), cells

    def interval_of_runs(self, mean: Mean, cells: FloatArray) -> Interval | None:
        """Return the interval if each combination of levels were a run; None with one sampled facet."""
        nesting, codes = mean.whole.nesting, mean.whole.codes
        of_items = set() if nesting.items is None else {nesting.items, *nesting.parents[nesting.items]}
        merged = [facet for facet in nesting.facets if facet not in of_items]
        if mean.error is None or len({*merged} - nesting.fixed) < 2:
            return None
        rest = nesting.without(merged)
        runs = Nesting(("run", *rest.facets), {"run": frozenset(), **rest.parents}, rest.fixed, rest.items)
        run = joint_levels([codes[facet] for facet in merged])
        whole = Cells(
            runs, {"run": run, **{facet: codes[facet] for facet in rest.facets}}, mean.whole.weights
        )
        return (
            mean_of(whole, whole, None, cells, mean.scale).interval_at(self.level)[0]
            if whole.estimable
            else None
        )

    def components(self, mean: Mean) -> tuple[FacetComponent, ...]:
        """Return what each effect brings, with its interval."""
        if mean.parts is None:
            return ()
        whole, parts = mean.whole, mean.parts
        found = studying.Estimates(whole.nesting, np.array(sizes_in(whole)), parts, whole.freedom)
        draws = found.draws(self.drawing.n_resamples, self.drawing.seed) / whole.kappa
        tails = [0.5 * (1.0 - self.level), 0.5 * (1.0 + self.level)]
        ends = np.maximum(np.quantile(draws, tails, axis=0), 0.0)  # cut at 0 last
        varies = np.array([whole.nesting.varies(effect) for effect in whole.effects])
        brought = np.where(varies, np.maximum(parts, 0.0), 0.0)
        shares = brought / max(float(brought.sum()), np.finfo(np.float64).tiny)
        return tuple(
            FacetComponent(
                effect_name(effect, whole.nesting),
                tuple(facet for facet in whole.nesting.facets if facet in effect),
                max(0.0, float(parts[e] / whole.kappa[e])),
                Interval(float(ends[0, e]), float(ends[1, e]), self.level, "generalised", False)
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


def design_text(facets: Sequence[Facet]) -> str:
    """Return the facets in short: ``"3 prompt x 5 seed in prompt x 200 item"``, fixed ones in brackets."""
    texts = (f"{one.levels:g} {' in '.join([one.name, *one.within[::-1]])}" for one in facets)
    return " x ".join(f"({text})" if one.fixed else text for one, text in zip(facets, texts, strict=True))
