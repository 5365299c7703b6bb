"""Variance components of crossed and nested facets, from balanced data or not, by one way.

Every facet has levels, such as ten prompts. A *cell* is a combination of levels that has a value, an *effect*
a set of facets that is closed: with a nested facet it has those that this lies in. Of the prompts p, seeds s
in prompts and items i the effects are p, ps, i, pi and psi, the last of which is the finest and has a level
per cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.errors import DesignError
from bestby._core.typing import FloatArray, IntArray
from bestby.questions.facets.nesting import Effect, Nesting, joint_levels, one_of_each


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a design: the level of every facet in each, shape (n,), and what follows from these alone.

    `weights` of shape (n,), which add up to 1, make the mean. What is of each effect has shape (k,); `kappa`
    is 1 over the number of levels where these weigh the same.
    """

    nesting: Nesting
    codes: Mapping[str, IntArray]
    weights: FloatArray

    @cached_property
    def _level_of(self) -> Mapping[Effect, IntArray]:
        finest = self.nesting.effects[-1]
        found = {finest: np.arange(self.n)}
        for effect in self.nesting.effects[:-1]:
            found[effect] = joint_levels([self.codes[one] for one in self.nesting.facets if one in effect])
        return found

    @cached_property
    def _sizes(self) -> Mapping[Effect, IntArray]:
        return {effect: np.bincount(level) for effect, level in self._level_of.items()}

    @cached_property
    def levels(self) -> IntArray:
        """The number of levels of each effect."""
        return np.array([self._sizes[effect].size for effect in self.nesting.effects])

    @cached_property
    def kappa(self) -> FloatArray:
        """By what the component of each effect is multiplied in the variance of the mean."""
        weights = [np.bincount(self._level_of[effect], self.weights) for effect in self.nesting.effects]
        return np.array([weight @ weight for weight in weights])

    @cached_property
    def freedom(self) -> FloatArray:
        """The degrees of freedom of the mean square of each effect."""
        free = degrees_of_freedom(self.nesting.effects, self.levels)
        return np.asarray(free * np.minimum(1.0, 1.0 / (self.kappa * self.levels)))

    @property
    def n(self) -> int:
        """The number of cells."""
        return self.weights.size

    @cached_property
    def _expected(self) -> FloatArray:
        """By how much each component adds to the sum of squares of each effect, shape (k, k).

        These are the C[e, f] - C[mu, f] of Henderson's first method (1953): C[e, f] is the sum over the joint
        levels of e and f of n_lm^2 / n_l.
        """
        finest, k = self.nesting.effects[-1], len(self.nesting.effects)
        expected = np.empty((k, k))
        for row, e in enumerate(self.nesting.effects):
            for column, f in enumerate(self.nesting.effects):
                both = e | f
                if both == e:
                    expected[row, column] = self.n
                elif both == finest:  # a cell each
                    expected[row, column] = self.levels[row]
                else:
                    outer = one_of_each(self._level_of[both], self._level_of[e])
                    expected[row, column] = (self._sizes[both] ** 2 / self._sizes[e][outer]).sum()
        mean = np.array([float(self._sizes[f] @ self._sizes[f]) / self.n for f in self.nesting.effects])
        return np.asarray(expected - mean)

    def components(self, values: FloatArray) -> FloatArray:
        """Return the variance component of each effect, shape (k,), some of which may be negative.

        Quadratic forms set equal to their expectations: the analysis of variance where the design is
        balanced, and its analogue where it is not (Henderson 1953; Brennan 2001, chapter 7).
        """
        centred = values - values.mean()
        sums = [np.bincount(self._level_of[effect], centred) for effect in self.nesting.effects]
        squares = np.array(
            [
                (total**2 / self._sizes[effect]).sum()
                for effect, total in zip(self.nesting.effects, sums, strict=True)
            ]
        )
        solved: FloatArray = np.linalg.solve(self._expected, squares)
        return solved

    @property
    def estimable(self) -> bool:
        """Whether every effect has degrees of freedom of its own, which missing cells can take away."""
        return bool((self.freedom > 0.0).all())

    def check_estimable(self) -> None:
        """Refuse a design in which two effects cannot be told apart."""
        if self.estimable:
            return
        effect = self.nesting.effects[int((self.freedom <= 0.0).argmax())]
        what = " and ".join(facet for facet in self.nesting.facets if facet in effect)
        raise DesignError(
            f"nothing tells {what} apart from what it is crossed with: there are too few cells for that",
            hint="leave a facet out, or say which lies in which: nested=...",
        )


def degrees_of_freedom(effects: Sequence[Effect], levels: FloatArray | IntArray) -> FloatArray:
    """Return the degrees of freedom of effects: their levels less those of the effects within, and the mean.

    `levels` has shape (..., k), and so has the result.

    >>> p, i = frozenset("p"), frozenset("i")
    >>> degrees_of_freedom([p, i, p | i], np.array([3, 8, 24])).tolist()
    [2.0, 7.0, 14.0]
    """
    freedom = np.asarray(levels, dtype=np.float64) - 1.0
    for place, effect in enumerate(effects):
        for within in range(place):
            if effects[within] < effect:
                freedom[..., place] -= freedom[..., within]
    return freedom


def weights_of(nesting: Nesting, codes: Mapping[str, IntArray], *, by_levels: bool) -> FloatArray:
    """Return the weights of cells: the same for all, or for all levels of a facet.

    Where levels count the same, each prompt has the same part of the mean, each seed in it the same of that,
    and each item that was answered there the same of that.
    """
    n = next(iter(codes.values())).size
    if not by_levels:
        return np.full(n, 1.0 / n)
    of_items = set() if nesting.items is None else {nesting.items, *nesting.parents[nesting.items]}
    order = sorted((f for f in nesting.facets if f not in of_items), key=lambda f: f not in nesting.fixed)
    weights, outer = np.ones(n), np.zeros(n, dtype=np.int64)
    for facet in order:
        inner = joint_levels([outer, codes[facet]])
        weights /= np.bincount(one_of_each(inner, outer))[outer]
        outer = inner
    weights /= np.bincount(outer)[outer]
    return np.asarray(weights / weights.sum())


@dataclass(frozen=True, eq=False)
class Averaging:
    """The cells that others are averaged to, and to which of them each of those belongs, shape (n,)."""

    codes: Mapping[str, IntArray]
    place: IntArray

    @classmethod
    def over(cls, codes: Mapping[str, IntArray], facets: Sequence[str]) -> Averaging:
        """Return the cells of these facets, of those that have others too."""
        place = joint_levels([codes[facet] for facet in facets])
        return cls({facet: one_of_each(place, codes[facet]) for facet in facets}, place)

    def means(self, values: FloatArray) -> FloatArray:
        """Return the means of the values that there are, NaN in cells where there is none."""
        there = np.isfinite(values)
        size = int(self.place.max()) + 1
        times = np.bincount(self.place, there, size)
        total = np.bincount(self.place, np.where(there, values, 0.0), size)
        return np.asarray(np.divide(total, times, out=np.full(size, np.nan), where=times > 0.0))


def n_combinations(nesting: Nesting, facets: Sequence[str], codes: Mapping[str, IntArray]) -> int:
    """Return how many cells there would be if no level of a facet lacked one of another that it can have."""
    outer = frozenset().union(*(nesting.parents[facet] for facet in facets))
    closed = [nesting.parents[facet] | {facet} for facet in facets if facet not in outer]
    shared = [one for one in facets if sum(one in group for group in closed) > 1]
    by = joint_levels([codes[one] for one in shared]) if shared else np.zeros_like(codes[facets[0]])
    count = np.ones(int(by.max()) + 1)
    for group in closed:
        own = [facet for facet in facets if facet in group]
        if group.issuperset(shared):
            count *= np.bincount(Averaging.over({**codes, "": by}, [*own, ""]).codes[""])
        else:  # the same wherever it is combined with them
            count *= int(joint_levels([codes[facet] for facet in own]).max()) + 1
    return int(count.sum())
