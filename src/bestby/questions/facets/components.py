"""Variance components of crossed and nested facets, from balanced data or not, by one way.

Every facet has levels, such as ten prompts. A *cell* is a combination of levels that has a value, an *effect*
a set of facets that is closed: with a nested facet it has those that this lies in. Of the prompts p, seeds s
in prompts and items i the effects are p, ps, i, pi and psi, the last of which is the finest and has a level
per cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bestby._core.errors import DesignError
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.questions.facets.nesting import Effect, Nesting, joint_levels


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a design: the level of every facet in each, shape (n,), and what follows from these alone.

    `weights` of shape (n,), which add up to 1, make the mean. Of each effect, shape (k,): the number of
    `levels`; `kappa`, by which its component is multiplied in the variance of the mean, 1 over the levels
    where these weigh the same; and the degrees of `freedom` of its mean square.
    """

    nesting: Nesting
    codes: Mapping[str, IntArray]
    weights: FloatArray
    effects: tuple[Effect, ...] = field(init=False)
    levels: IntArray = field(init=False)
    kappa: FloatArray = field(init=False)
    freedom: FloatArray = field(init=False)
    _level_of: Mapping[Effect, IntArray] = field(init=False)
    _sizes: Mapping[Effect, IntArray] = field(init=False)
    _expected: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        effects, n = tuple(self.nesting.effects), self.weights.size
        level_of: dict[Effect, IntArray] = {effects[-1]: np.arange(n)}
        for effect in effects[:-1]:
            codes = [self.codes[facet] for facet in self.nesting.facets if facet in effect]
            level_of[effect] = joint_levels(codes)
        sizes = {effect: np.bincount(level_of[effect]) for effect in effects}
        levels = np.array([sizes[effect].size for effect in effects])
        weights = [np.bincount(level_of[effect], self.weights) for effect in effects]
        kappa = np.array([weight @ weight for weight in weights])
        found = {
            "effects": effects, "levels": levels, "kappa": kappa, "_level_of": level_of, "_sizes": sizes,
            "freedom": degrees_of_freedom(effects, levels) * np.minimum(1.0, 1.0 / (kappa * levels)),
        }  # fmt: skip
        for name, value in found.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_expected", self._coefficients())

    @property
    def n(self) -> int:
        """The number of cells."""
        return self.weights.size

    def _coefficients(self) -> FloatArray:
        """Return by how much each component adds to the sum of squares of each effect, shape (k, k).

        These are the C[e, f] - C[mu, f] of Henderson's first method (1953): C[e, f] is the sum over the joint
        levels of e and f of n_lm^2 / n_l.
        """
        finest, k = self.effects[-1], len(self.effects)
        expected = np.empty((k, k))
        for row, e in enumerate(self.effects):
            for column, f in enumerate(self.effects):
                both = e | f
                if both == e:
                    expected[row, column] = self.n
                elif both == finest:  # a cell each
                    expected[row, column] = self.levels[row]
                else:
                    outer = np.empty(self._sizes[both].size, dtype=np.int64)
                    outer[self._level_of[both]] = self._level_of[e]
                    expected[row, column] = (self._sizes[both] ** 2 / self._sizes[e][outer]).sum()
        mean = np.array([float(self._sizes[f] @ self._sizes[f]) / self.n for f in self.effects])
        return np.asarray(expected - mean)

    def components(self, values: FloatArray) -> FloatArray:
        """Return the variance component of each effect, shape (k,), some of which may be negative.

        Quadratic forms set equal to their expectations: the analysis of variance where the design is
        balanced, and its analogue where it is not (Henderson 1953; Brennan 2001, chapter 7).
        """
        centred = values - values.mean()
        sums = [np.bincount(self._level_of[effect], centred) for effect in self.effects]
        squares = np.array(
            [(total**2 / self._sizes[effect]).sum() for effect, total in zip(self.effects, sums, strict=True)]
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
        effect = self.effects[int((self.freedom <= 0.0).argmax())]
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


def above(effects: Sequence[Effect]) -> BoolArray:
    """Return which effects hold each other one and more, shape (k, k): whether e < f."""
    return np.array([[e < f for f in effects] for e in effects], dtype=np.bool_)


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
        weights /= _inner_levels(outer, inner)[outer]
        outer = inner
    weights /= np.bincount(outer)[outer]
    return np.asarray(weights / weights.sum())


def _inner_levels(outer: IntArray, inner: IntArray) -> Array:
    """Return how many inner levels each outer one has."""
    of = np.empty(int(inner.max()) + 1, dtype=np.int64)
    of[inner] = outer
    return np.bincount(of)


@dataclass(frozen=True, eq=False)
class Averaging:
    """The cells that others are averaged to, and to which of them each of those belongs, shape (n,)."""

    codes: Mapping[str, IntArray]
    place: IntArray

    @classmethod
    def over(cls, codes: Mapping[str, IntArray], facets: Sequence[str]) -> Averaging:
        """Return the cells of these facets, of those that have others too."""
        place = joint_levels([codes[facet] for facet in facets])
        one = np.empty(int(place.max()) + 1, dtype=np.int64)
        one[place] = np.arange(place.size)
        return cls({facet: codes[facet][one] for facet in facets}, place)

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
