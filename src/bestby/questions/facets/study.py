"""What other numbers of levels would give: from components, which a few levels show only roughly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from bestby._core import checks
from bestby._core.cached import cached_property
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import FloatArray
from bestby.planning.base import check_not_negative
from bestby.questions.facets.components import degrees_of_freedom
from bestby.questions.facets.nesting import Nesting
from bestby.questions.facets.reference import MeanError, error_of_mean
from bestby.resampling.streams import block_generator

CALL = "call"
"""The cost of one cell: of running a system once on an item."""

MOST_DESIGNS = 5000
"""Designs that are tried to spend a budget, in some hundredths of a second."""

STARTS = 8
"""Designs from which levels are taken away to find the cheapest that reaches a target."""

MOST_LEVELS = 100
"""Levels of a facet up to which designs are tried, or ten times those of the data if these are more."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """The components of a mean on a design of so many levels, and draws of what they may truly be.

    `sizes` are the levels of each facet, of a nested one those in a level of what it lies in, shape (F,);
    `parts`, of shape (k,), the components times kappa, as estimated; `freedom` the degrees of freedom of the
    mean squares. `drawing` is the number of draws, and their seed.
    """

    nesting: Nesting
    sizes: FloatArray
    parts: FloatArray
    freedom: FloatArray
    drawing: tuple[int, int] = (10_000, 0)

    @cached_property
    def draws(self) -> FloatArray:
        """Generalised draws of the parts, shape (n_draws, k)."""
        n_draws, seed = self.drawing
        generator = block_generator(seed, "facets", 0)
        # Draws are made by rejection: the last digit of the shape, which machines round in ways of their own,
        # could change all that follow.
        shape = np.round(0.5 * self.freedom, 9)
        return self.parts_left_open(2.0 * generator.standard_gamma(shape, (n_draws, shape.size)))

    def parts_left_open(self, chi_squares: FloatArray) -> FloatArray:
        """Return what the parts may truly be, by chi-squares of shape (n, k); some are negative.

        A mean square times its degrees of freedom, over its expectation, is chi-squared, so that dividing
        what was observed by chi-squared over its df draws the expectation (Weerahandi 1993, J. Amer. Statist.
        Assoc. 88, 899-905). The parts are their differences.
        """
        within, tiny = self.nesting.within, np.finfo(np.float64).tiny
        squares = np.maximum(within @ self.parts, tiny) * self.freedom / np.maximum(chi_squares, tiny)
        return np.asarray(np.linalg.solve(within, squares.T).T, dtype=np.float64)

    def at(self, sizes: FloatArray, parts: FloatArray | None = None) -> FloatArray:
        """Return the parts on designs of other sizes, shape (..., k): as many cells are missing there."""
        parts = self.parts if parts is None else parts
        return parts * (self.nesting.levels_of(self.sizes) / self.nesting.levels_of(sizes))

    def error(self, sizes: FloatArray) -> MeanError:
        """Return the error of the mean on designs of other sizes, averaged as the mean itself is."""
        return error_of_mean(*self.averaged(sizes, np.maximum(self.at(sizes), 0.0)))

    def averaged(
        self, sizes: FloatArray, parts: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, Nesting]:
        """Return parts, degrees of freedom, levels and design of what the cells are averaged to."""
        levels, dropped = self.nesting.levels_of(sizes), self.nesting.averaged
        effects = self.nesting.rest.effects
        onto = np.array(
            [[effect - {*dropped} == one for one in effects] for effect in self.nesting.effects], dtype=float
        )
        places = [self.nesting.effects.index(effect) for effect in effects]
        balanced = degrees_of_freedom(self.nesting.effects, self.nesting.levels_of(self.sizes))
        as_now = self.freedom / np.maximum(balanced, 1e-9)
        freedom = degrees_of_freedom(effects, levels[..., places]) * np.minimum(1.0, as_now[places])
        return (parts * self.nesting.varies) @ onto, freedom, levels[..., places], self.nesting.rest

    def drawn_errors(self, sizes: FloatArray) -> FloatArray:
        """Return standard errors on a design for the draws of the parts, shape (n_draws,)."""
        return self.errors_of(self.at(sizes, self.draws))

    def errors_of(self, parts: FloatArray) -> FloatArray:
        """Return the standard errors of means by their parts, shape (n, k), some of which may be negative.

        The sum of the parts is cut at that of the finest effect, not each of them at 0, which would make the
        errors too large.
        """
        return np.asarray(np.sqrt(np.maximum(parts[:, self.nesting.varies].sum(axis=1), parts[:, -1])))


@dataclass(frozen=True)
class Prices:
    """What designs cost: each level of a facet, of a nested one all there are, and each cell."""

    nesting: Nesting
    of_level: Mapping[str, float]
    of_cell: float

    @classmethod
    def checked(cls, costs: Mapping[str, float], nesting: Nesting) -> Prices:
        """Return the costs by the names of facets, and of `CALL`."""
        checks.mapping(
            costs, "costs", "a facet to the cost of a level", 'costs={"prompt": 30, "call": 0.002}'
        )
        check_not_negative(**{f"the cost of {name}": cost for name, cost in costs.items()})
        known = [*nesting.facets, CALL]
        unknown = next((name for name in costs if name not in known), None)
        if unknown is not None or not any(costs.values()):
            wrong = (
                "nothing costs anything" if unknown is None else f"costs names {quoted(unknown)}, no facet"
            )
            raise InvalidInputError(wrong, hint=f"name what costs: {', '.join(known)}", argument="costs")
        price = {name: float(cost) for name, cost in costs.items()}
        return cls(nesting, price, price.pop(CALL, 0.0))

    def of(self, sizes: FloatArray) -> FloatArray:
        """Return the costs of designs of so many levels, sizes of shape (n, F)."""
        facets, parents = self.nesting.facets, self.nesting.parents
        price = self.of_cell * sizes.prod(axis=1)
        for facet, cost in self.of_level.items():
            inside = np.array([one == facet or one in parents[facet] for one in facets])
            price = price + cost * np.where(inside, sizes, 1.0).prod(axis=1)
        return np.asarray(price)


def designs_within(estimates: Estimates, prices: Prices, budget: float) -> FloatArray:
    """Return the sizes of designs that a budget pays for, shape (n, F).

    A grid of the levels of all random facets but the one with the most, which has as many as can be paid.
    """
    facets, fixed, now = estimates.nesting.facets, estimates.nesting.fixed, estimates.sizes
    random = [place for place, facet in enumerate(facets) if facet not in fixed]
    last = max(random, key=lambda place: (now[place], place))
    least, most = estimates.nesting.least, np.maximum(MOST_LEVELS, 10.0 * now)
    points = max(2, int(MOST_DESIGNS ** (1.0 / max(1, len(random) - 1))))
    grids = [
        np.unique(np.rint(np.geomspace(least[place], most[place], min(points, int(most[place])))))
        if place in random and place != last
        else np.array([now[place]])
        for place in range(len(facets))
    ]
    sizes = np.array([*product(*grids)])
    with_none, with_one = sizes.copy(), sizes.copy()
    with_none[:, last], with_one[:, last] = 0.0, 1.0
    start, step = prices.of(with_none), prices.of(with_one) - prices.of(with_none)
    paid = np.divide(budget - start, step, out=np.where(start <= budget, np.inf, 0.0), where=step > 0.0)
    sizes[:, last] = np.minimum(np.floor(paid * (1.0 + 1e-12)), most[last])
    return np.asarray(sizes[sizes[:, last] >= least[last]])


def best_design(
    estimates: Estimates, prices: Prices, budget: float, level: float, target: float | None
) -> FloatArray | None:
    """Return the sizes with the shortest interval that a budget pays for, None where it pays for none.

    With a target, half the length of an interval, those that reach it at the least cost, if any do.
    """

    def half(sizes: FloatArray) -> FloatArray:
        error = estimates.error(sizes)
        return np.asarray(np.sqrt(error.variance) * error.mixture.quantile(level))

    sizes = designs_within(estimates, prices, budget)
    if not len(sizes):
        return None
    lengths = half(sizes)
    best = np.asarray(sizes[np.lexsort((prices.of(sizes), lengths))[0]])
    if target is None or lengths.min() > target:
        return best
    # From each design that reaches the target, take away what costs most while it still does
    least = [best]
    for start in sizes[lengths <= target][:: max(1, int((lengths <= target).sum()) // STARTS)]:
        while True:
            fewer = start - np.maximum(np.floor(0.1 * start), 1.0) * one_each(estimates.nesting)
            fewer = fewer[(fewer >= np.minimum(estimates.nesting.least, start)).all(axis=1)]
            fewer = fewer[half(fewer) <= target] if len(fewer) else fewer
            if not len(fewer):
                break
            start = fewer[prices.of(fewer).argmin()]
        least.append(start)
    return np.asarray(min(least, key=lambda one: float(prices.of(one[None, :])[0])))


def one_each(nesting: Nesting) -> FloatArray:
    """Return one level of each random facet, a row each, shape (n, F)."""
    rows = np.eye(len(nesting.facets))
    return np.asarray(rows[[facet not in nesting.fixed for facet in nesting.facets]])
