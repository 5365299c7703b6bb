"""Two systems over several facets, as the design of a study: power from their variance components."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import ndtr

from bestby._core import checks
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import percentage, plural, quoted
from bestby._core.typing import FloatArray, IntArray
from bestby.data.roles import listed
from bestby.planning.base import (
    FEW_DF,
    PlannedDifference,
    Question,
    check_not_negative,
    cube_points,
    mean_square,
    mean_squares,
)
from bestby.questions.facets.components import degrees_of_freedom
from bestby.questions.facets.nesting import Effect, Nesting, nesting_by
from bestby.questions.facets.reference import error_of_mean
from bestby.questions.facets.result import FacetDifference, FacetsComparison, facets_of, sizes_of
from bestby.questions.facets.study import Estimates
from bestby.results.base import Note

_POINTS = 1024
"""Points of the integral over mean squares, which give powers to about 0.001."""

_OPEN = 10_000
"""The number of levels of the facet that n counts where it is open."""


@with_suggestions
@dataclass(frozen=True)
class FacetedScores(PlannedDifference):
    """Two systems over several facets: prompts, seeds, judges and items, compared by `compare_facets`.

    Parameters
    ----------
    difference : float
        The assumed mean difference, A minus B.
    components : mapping of str to float
        The variance of the difference that each effect brings, by its name in the results of
        `compare_facets`: ``"prompt"``, ``"item"``, ``"prompt x item"``, ``"seed in prompt"``. An effect that
        is not named brings nothing.
    levels : mapping of str to int
        The number of levels of each facet in the study; of one that lies in another, in each level of that.
    fixed : str or sequence of str
        The facets whose levels are all that matter.
    items : str
        The facet of the items, if there is one of this name.
    counted : str, optional
        The facet whose levels the size n of a study counts: the items by default, or else the last facet.
    pilot_levels : mapping of str to float, optional
        The levels of the facets of a pilot: the power is averaged over the components that these leave open.
        None: the components are known.
    pilot_df : mapping of str to float, optional
        The degrees of freedom of the mean squares of effects of the pilot, where these are not those of a
        pilot without missing cells.

    Raises
    ------
    InvalidInputError
        If a component is negative and from no pilot, all are 0, or names do not fit together.
    DesignError
        If all facets are fixed.

    See Also
    --------
    bestby.compare_facets : Measures the components on a pilot, and tests the difference of the study.
    bestby.allocate : The best numbers of levels for a budget, or the cheapest that have a power.
    RunsAndItems : One facet beside the items, the runs, with standard deviations.

    Notes
    -----
    For normal effects and no missing cells, the mean squares are independent multiples of chi-squares [1]_,
    and the test depends on the scores through them and the difference alone. Power is an integral over them,
    taken over points that fill the unit cube evenly, of the chance that the test of `compare_facets` rejects.

    With a pilot, each point has components of its own: each mean square of the pilot is divided by a
    chi-square over its degrees of freedom, as for the intervals of `FacetDifference.study` [2]_.

    References
    ----------
    .. [1] Searle, Casella & McCulloch (1992), Variance Components, section 4.
    .. [2] Weerahandi (1993), Generalized confidence intervals, J. Amer. Statist. Assoc. 88, 899-905.
    .. [3] Brennan (2001), Generalizability Theory, chapters 4 and 5 (decision studies).

    Examples
    --------
    >>> from bestby import minimum_detectable, power
    >>> design = FacetedScores(
    ...     difference=0.03,
    ...     components={"prompt": 0.0003, "item": 0.04, "prompt x item": 0.05},
    ...     levels={"prompt": 6},
    ... )
    >>> round(power(design, 500).power, 2)
    0.61
    >>> round(minimum_detectable(design, 500).difference, 3)
    0.037
    """

    difference: float
    components: Mapping[str, float]
    levels: Mapping[str, int]
    fixed: tuple[str, ...] = ()
    items: str = "item"
    counted: str | None = None
    pilot_levels: Mapping[str, float] | None = None
    pilot_df: Mapping[str, float] | None = None

    name: ClassVar[str] = "facets"
    test_words: ClassVar[str] = "the t-mixture test over facets"

    def __post_init__(self) -> None:
        self._check_difference()
        checks.mapping(self.components, "components", "an effect to its variance", '{"prompt": 0.0004}')
        for what in ("levels", "pilot_levels", "pilot_df"):
            given = getattr(self, what)
            if given is not None or what == "levels":
                checks.mapping(given, what, "a facet to a number", '{"prompt": 6}')
        object.__setattr__(self, "fixed", checks.valid_name_list(self.fixed, "fixed"))
        variances = {f"the component of {name}": variance for name, variance in self.components.items()}
        if self.pilot_levels is None:
            check_not_negative(**variances)
        if not any(checks.amount(variance, what) > 0.0 for what, variance in variances.items()):
            raise InvalidInputError(
                "without any variation there is nothing to plan",
                hint="give the variance of each effect, such as 0.0004 of prompt and 0.05 of item",
                argument="components",
            )
        nesting = self.nesting
        if len(dict(self._variances)) < len(self.components):
            raise InvalidInputError(
                "two components are of the same effect", hint="name each once", argument="components"
            )
        for name in (*self.fixed, self._counted, *(self.pilot_levels or {})):
            if name not in nesting.facets:
                raise InvalidInputError(f"no facet {quoted(name)}", hint=f"facets: {listed(nesting.facets)}")
        if self._counted in self.fixed:
            raise DesignError(
                f"{self._counted} is fixed, so a study has no other number of its levels",
                hint="counted=... names the facet whose levels are planned",
                argument="counted",
            )
        lacking = [facet for facet in nesting.facets if facet not in {*self.levels, self._counted}]
        if lacking:
            raise InvalidInputError(
                f"levels has no number for {lacking[0]}",
                hint=f"say how many {plural(lacking[0])} there will be",
                argument="levels",
            )
        sizes_of(self.levels, nesting, np.ones(len(nesting.facets)))
        if self.pilot_levels is not None and not (self.estimates.freedom > 0.0).all():
            raise InvalidInputError(
                "a pilot needs two levels of each facet to show how much these vary",
                hint="leave out pilot_levels and pilot_df; from_pilot sets them",
                argument="pilot_levels",
            )

    @classmethod
    def from_pilot(
        cls,
        pilot: FacetsComparison | FacetDifference,
        *,
        levels: Mapping[str, int] | None = None,
        difference: float | None = None,
        counted: str | None = None,
    ) -> Self:
        """Return the design with the variance components of a pilot.

        Parameters
        ----------
        pilot : FacetsComparison or FacetDifference
            What `compare_facets` returned, whose first difference counts, or one of its differences.
        levels : mapping of str to int, optional
            The numbers of levels to plan with, where they are not those of the pilot.
        difference : float, optional
            The difference to plan for; that of the pilot by default.
        counted : str, optional
            The facet whose levels n counts.

        Returns
        -------
        FacetedScores
            With the components as they were estimated, of which some may be below 0 and count as 0.

        Raises
        ------
        InvalidInputError
            If the pilot is no such result, or has no components.

        Examples
        --------
        >>> import numpy as np
        >>> from bestby import compare_facets
        >>> p, i = np.indices((4, 20))
        >>> new = 0.05 * p + 0.02 * ((p * 7 + i * 3) % 5)
        >>> pilot = compare_facets({"new": new, "old": np.zeros((4, 20))}, facets="prompt")
        >>> FacetedScores.from_pilot(pilot, levels={"prompt": 8}).levels
        {'prompt': 8, 'item': 20}
        """
        d = pilot.differences[0] if isinstance(pilot, FacetsComparison) else pilot
        if not isinstance(d, FacetDifference):
            raise InvalidInputError(
                f"a pilot is what compare_facets returns, got {type(pilot).__name__}",
                hint='from_pilot(bestby.compare_facets(..., facets=("prompt", "seed")))',
                argument="pilot",
            )
        estimates = d.estimates
        number = estimates.nesting.levels_of(estimates.sizes)
        now = np.maximum(estimates.nesting.least, np.rint(estimates.sizes)).astype(int).tolist()
        return cls(
            d.estimate if difference is None else difference,
            {one.effect: one.part * float(n) for one, n in zip(d.components, number, strict=True)},
            dict(zip(estimates.nesting.facets, now, strict=True))
            | dict(checks.mapping(levels or {}, "levels", "a facet to a number", '{"prompt": 6}')),
            tuple(facet.name for facet in d.facets if facet.fixed),
            estimates.nesting.items or "item",
            counted,
            {facet.name: facet.levels for facet in d.facets},
            {one.effect: one.freedom for one in d.components},
        )

    # -- facets and their sizes ------------------------------------------------------------------------------

    @cached_property
    def nesting(self) -> Nesting:
        """The facets that the effects name, and which lies in which."""
        parents: dict[str, set[str]] = {}
        for effect in self.components:
            for facet, *outer in self._terms(checks.name_text(effect, "component")):
                for one in (facet, *outer):
                    parents.setdefault(one, set())
                parents[facet].update(outer)
        nesting = nesting_by(parents, self.fixed, self.items if self.items in parents else None)
        if not nesting.random:
            raise DesignError("all facets are fixed", hint="leave out those of which others may be drawn")
        return nesting

    def _terms(self, effect: str) -> list[list[str]]:
        """Return the terms of an effect: a facet and those in which it lies; the known names stay whole."""
        names = {*map(str, (*self.levels, *(self.pilot_levels or {}), *self.fixed, self.items))}
        whole = sorted((name for name in names if " x " in name or " in " in name), key=len, reverse=True)
        for place, name in enumerate(whole):
            effect = effect.replace(name, f"\0{place}")
        parts = [term.split(" in ") for term in effect.split(" x ")]
        return [[whole[int(one[1:])] if one[:1] == "\0" else one for one in term] for term in parts]

    @property
    def _variances(self) -> Iterator[tuple[Effect, float]]:
        for text, variance in self.components.items():
            named = {facet for term in self._terms(text) for facet in term}
            whole = named.union(*(self.nesting.parents[facet] for facet in named))
            yield frozenset(whole), float(variance)

    @property
    def _counted(self) -> str:
        return self.counted or self.nesting.random[-1]

    def sizes(self, n: int | None = None) -> FloatArray:
        """Return the levels of the facets in a study of size n."""
        levels = {self._counted: _OPEN, **self.levels} | ({} if n is None else {self._counted: n})
        return np.array([levels[facet] for facet in self.nesting.facets], dtype=np.float64)

    @cached_property
    def estimates(self) -> Estimates:
        """The components as what other numbers of levels are computed from."""
        nesting, given, sizes, known = self.nesting, dict(self._variances), self.sizes(), self.pilot_df or {}
        if self.pilot_levels is not None:
            of_pilot = [self.pilot_levels.get(facet, 0.0) for facet in nesting.facets]
            sizes = np.array([checks.amount(one, "pilot_levels") for one in of_pilot])
        levels = nesting.levels_of(sizes)
        freedom = degrees_of_freedom(nesting.effects, levels)
        for (effect, _), name in zip(self._variances, self.components, strict=True):
            if name in known:
                freedom[nesting.effects.index(effect)] = checks.amount(known[name], "pilot_df")
        parts = np.array([given.get(effect, 0.0) for effect in nesting.effects]) / np.maximum(levels, 1.0)
        return Estimates(nesting, sizes, parts, freedom)

    # -- power -----------------------------------------------------------------------------------------------

    @property
    def unit(self) -> str:
        """Levels of the facet that n counts."""
        return plural(self._counted)

    @property
    def size(self) -> int | None:
        """The number of levels that the facet has in `levels`."""
        return self.levels.get(self._counted)

    @property
    def too_small(self) -> str:
        """What to do if no n is enough."""
        return f"{self.unit} cannot make up for the other facets: plan with more levels of these"

    def powers(self, n: IntArray, question: Question) -> tuple[FloatArray, FloatArray]:
        """Return the power at each number of levels of the facet that n counts."""
        return np.array([self.power_at(self.sizes(one), question) for one in n.tolist()]), np.zeros(n.size)

    def power_at(self, sizes: FloatArray, question: Question) -> float:
        """Return the power with so many levels of each facet, shape (F,).

        The difference is normal and the mean squares are independent multiples of chi-squares, of which the
        test makes its variance and reference distribution. Given them, the chance that it rejects is normal.
        """
        estimates, known = self.estimates, self.pilot_levels is None
        n_averaged = len(estimates.nesting.rest.effects)
        u = cube_points(_POINTS, n_averaged + (0 if known else len(estimates.nesting.effects)))
        if known:
            parts = estimates.at(sizes)[None, :]
        else:
            pairs = zip(u[n_averaged:], estimates.freedom.tolist(), strict=True)
            of_pilot = np.column_stack([df * mean_square(points, df) for points, df in pairs])
            parts = estimates.at(sizes, estimates.parts_left_open(of_pilot))
        averaged, freedom, levels, rest = estimates.averaged(sizes, parts)
        # A mean square holds at least what single cells bring by chance
        expected = averaged @ rest.within.T
        expected = np.maximum(expected, np.maximum(expected[:, -1:], 0.0))
        ratios = [mean_square(points, df) for points, df in zip(u, freedom.tolist(), strict=False)]
        seen = np.asarray(np.linalg.solve(rest.within, (expected * np.column_stack(ratios)).T).T, np.float64)
        test = error_of_mean(seen, freedom, levels, rest)
        critical = test.mixture.quantile(1.0 - 2.0 * question.tail) * np.sqrt(test.variance)
        error = estimates.errors_of(parts)
        signs = {"two-sided": (1.0, -1.0), "greater": (1.0,), "less": (-1.0,)}[question.alternative]
        return sum(float(ndtr((sign * self.difference - critical) / error).mean()) for sign in signs)

    def detectable(self, sizes: FloatArray, question: Question, wanted: float) -> FloatArray:
        """Return about which differences designs detect, sizes of shape (n, F), by components as estimated.

        What a difference exceeds with the power wanted, if the error is as large as is expected.
        """
        error = self.estimates.error(sizes)
        beyond, above = 1.0 - 2.0 * question.tail, max(2.0 * wanted - 1.0, 0.0)
        reach = error.mixture.quantile(beyond) + error.mixture.quantile(above)
        return np.asarray(np.sqrt(error.variance) * reach)

    def taken_as_true(self) -> Self:
        """Return the design whose components are those of the pilot."""
        variances = {name: max(float(one), 0.0) for name, one in self.components.items()}
        return dataclasses.replace(self, components=variances, pilot_levels=None, pilot_df=None)

    # -- words -----------------------------------------------------------------------------------------------

    @property
    def doubt_words(self) -> str:
        """The components, and how well they are known."""
        if self.pilot_levels is None:
            return ""
        pairs = zip(self.estimates.nesting.effects, self.estimates.freedom.tolist(), strict=True)
        degrees = [f"{df:.3g} ({min(effect)})" for effect, df in pairs if len(effect) == 1]
        return f"the variances of the pilot, estimated with {listed(degrees)} degrees of freedom"

    @property
    def assumed_words(self) -> str:
        """The assumptions."""
        from bestby.questions.facets.report import extent

        variances = [f"{name} {max(float(one), 0.0):.3g}" for name, one in self.components.items()]
        facets = facets_of(self.nesting, self.sizes().tolist())
        others = [facet for facet in facets if facet.name != self._counted]
        with_others = f"; {extent(others)}" if others else ""
        return (
            f"a mean difference of {self.difference:.4g}, whose variance components are"
            f" {listed(variances)}{with_others}"
        )

    def settings(self) -> dict[str, Any]:
        """Return the assumptions by name."""
        return dataclasses.asdict(self)

    def notes(self, n: int, question: Question) -> tuple[Note, ...]:  # noqa: ARG002
        """Tell of few pilot data, what share of the variance each effect has, and which were negative."""
        estimates, sizes = self.estimates, self.sizes(n)
        names = {effect: name for (effect, _), name in zip(self._variances, self.components, strict=True)}
        parts = np.maximum(estimates.at(sizes), 0.0)
        brought = {
            names[effect]: float(part)
            for effect, part in zip(estimates.nesting.effects, parts * estimates.nesting.varies, strict=True)
            if part > 0.0
        }
        total = sum(brought.values())
        largest = sorted(brought, key=brought.__getitem__, reverse=True)
        shares = listed([f"{name} {percentage(brought[name] / total)}" for name in largest])
        notes = [Note("shares", f"with {n} {self.unit}, the variance of the difference comes from {shares}")]
        if self.pilot_levels is None:
            return tuple(notes)
        low, high = np.quantile(estimates.drawn_errors(sizes), [0.1, 0.9]) / np.sqrt(total)
        if high >= mean_squares(FEW_DF, np.array(0.1)) ** -0.5:
            message = (
                f"the true standard error of this study may well be {low:.2g} to {high:.2g} times as large"
                " as the pilot makes expect (80 % interval). The power is averaged over this uncertainty;"
                " that of this study may be far lower"
            )
            notes.append(Note("uncertain_pilot", message))
        negative = [name for name, one in self.components.items() if one < 0.0]
        if negative:
            message = (
                f"the pilot's estimates of {listed(negative)} were negative; the average allows for larger"
            )
            notes.append(Note("counted_as_zero", f"{message} values"))
        return tuple(notes)
