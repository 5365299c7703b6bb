"""What a comparison over facets returns: differences, what makes them uncertain, and what to buy next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import plural, quoted
from bestby._core.typing import FloatArray
from bestby.planning.base import check_not_negative
from bestby.questions.facets import study as studying
from bestby.questions.facets.nesting import Nesting
from bestby.report.comparison import Comparison, Difference
from bestby.report.reported import SCORE, SQUARE, canvas_of, shown_metric
from bestby.results.values import Interval
from bestby.vocabulary import FacetFigure, FigureFont, FigureWidth


@dataclass(frozen=True, slots=True)
class Facet:
    """A facet of a comparison: prompts, seeds, judges, items.

    Parameters
    ----------
    name : str
        Its column or axis.
    levels : float
        How many levels there are; of a facet that lies in another one, in each level of that, on average.
    within : tuple of str
        The facets that it lies in: each of its levels is seen in one level of these.
    fixed : bool
        Whether its levels are all that matter. Otherwise they are a sample of others like them.
    items : bool
        Whether it is that of the items.

    See Also
    --------
    FacetsComparison : Holds them as `facets`.
    """

    name: str
    levels: float
    within: tuple[str, ...]
    fixed: bool
    items: bool = False


@dataclass(frozen=True, slots=True)
class FacetComponent:
    """What one effect of facets adds to the variance of a difference, or of a score.

    Parameters
    ----------
    effect : str
        Its name, such as ``"prompt"``, ``"seed in prompt"`` or ``"prompt x item"``.
    facets : tuple of str
        The facets that it is of.
    variance : float
        The variance component: of the effects of single levels. It is 0 where its estimate is negative.
    interval : Interval or None
        Its interval from generalised draws, the upper end of which is far off for few levels.
    share : float
        The part of the variance of the difference that it brings; 0 of effects of fixed facets alone, which
        do not change.
    part : float
        The estimate of that part as it is, which may be negative, in squared units.
    levels : int
        How many levels it has in these data.
    freedom : float
        The degrees of freedom of its mean square.

    See Also
    --------
    FacetDifference : Holds them as `components`.
    """

    _scales: ClassVar[Mapping[str, float]] = {"variance": SQUARE, "interval": SQUARE, "part": SQUARE}

    effect: str
    facets: tuple[str, ...]
    variance: float
    interval: Interval | None
    share: float
    part: float
    levels: int
    freedom: float


@dataclass(frozen=True, slots=True)
class FacetStudy:
    """How sure a difference would be with other numbers of levels.

    Parameters
    ----------
    levels : tuple of (str, float)
        The number of levels of each facet; of one that lies in another, in each level of that.
    standard_error, half_length : float
        The standard error, and half the length of the interval at the level of the comparison.
    standard_error_interval, half_length_interval : Interval
        What these may be, as a few levels show the components only roughly.
    cost : float or None
        What it costs; None where no costs were given.

    See Also
    --------
    FacetDifference.study : Makes it.
    FacetAllocation : Holds some.
    """

    _scales: ClassVar[Mapping[str, float]] = dict.fromkeys(
        ("standard_error", "half_length", "standard_error_interval", "half_length_interval"), SCORE
    )

    levels: tuple[tuple[str, float], ...]
    standard_error: float
    standard_error_interval: Interval
    half_length: float
    half_length_interval: Interval
    cost: float | None = None

    def __str__(self) -> str:
        """Return it on one line."""
        from bestby.questions.facets import report

        return report.study_text(self)


@dataclass(frozen=True, slots=True)
class FacetAllocation:
    """How to spend a budget on levels of facets.

    Parameters
    ----------
    a, b : str
        The systems whose difference it is for.
    best : FacetStudy
        The numbers of levels with the shortest interval that the budget pays for; with a target, the cheapest
        that reach it.
    now : FacetStudy
        The numbers that these data have.
    steps : tuple of FacetStudy
        From these data, one more level of each facet: the one that shortens the interval most for what it
        costs is the first.
    budget : float
        What may be spent.
    target : float or None
        Half the length of the interval that is wanted.
    reached : bool
        Whether the best reaches the target; True without one.

    See Also
    --------
    FacetsComparison.allocate : Makes it.
    """

    _scales: ClassVar[Mapping[str, float]] = {"target": SCORE}

    a: str
    b: str
    best: FacetStudy
    now: FacetStudy
    steps: tuple[FacetStudy, ...]
    budget: float
    target: float | None = None
    reached: bool = True

    def __str__(self) -> str:
        """Return it in some lines."""
        from bestby.questions.facets import report

        return report.allocation_text(self)


def facets_of(nesting: Nesting, sizes: Sequence[float]) -> tuple[Facet, ...]:
    """Return the facets of a design as records."""
    return tuple(
        Facet(
            facet, size, tuple(one for one in nesting.facets if one in nesting.parents[facet]),
            facet in nesting.fixed, facet == nesting.items,
        )
        for facet, size in zip(nesting.facets, sizes, strict=True)
    )  # fmt: skip


def sizes_of(levels: Mapping[str, int], nesting: Nesting, now: FloatArray) -> FloatArray:
    """Return the sizes of a design that the user gives by name."""
    checks.mapping(levels, "levels", "a facet to a number of levels", '{"prompt": 6}')
    sizes = now.copy()
    for name, number in levels.items():
        if name not in nesting.facets:
            raise InvalidInputError(
                f"no facet {quoted(name)} here", hint=f"facets: {', '.join(nesting.facets)}"
            )
        size = checks.positive_int(number, f"the number of {plural(name)}")
        if size < nesting.least[nesting.facets.index(name)]:
            raise InvalidInputError(
                f"one {name} cannot show how much {plural(name)} vary", hint="give 2 or more"
            )
        sizes[nesting.facets.index(name)] = size
    return sizes


@dataclass(frozen=True, slots=True, repr=False)
class FacetDifference(Difference):
    """The difference A minus B over facets, how sure it is, and where its uncertainty comes from.

    Parameters
    ----------
    n_items, n_differing : int
        Number of items (of levels of the largest facet where there are none), and of those on which some
        cells differ.
    facets : tuple of Facet
        The facets of the cells that both systems have, the items last.
    freedom : tuple of (float, float)
        The two Student's t whose mixture is the reference distribution: the share and the degrees of freedom
        of each, first that of what few levels bring, then that of what goes on with the items. Empty where
        nothing varies.
    components : tuple of FacetComponent
        What each effect brings; empty where nothing varies.
    draws : tuple of (int, int)
        The number of generalised draws, and their seed.
    runs_interval : Interval or None
        The interval of the same data if every combination of levels were a run of its own, which is too short
        where there are several sampled facets beside the items. None with one.

    See Also
    --------
    FacetsComparison : Holds one per pair.
    Difference : What all differences have.
    """

    facets: tuple[Facet, ...] = field(kw_only=True)
    freedom: tuple[tuple[float, float], ...] = field(kw_only=True)
    components: tuple[FacetComponent, ...] = field(kw_only=True)
    draws: tuple[int, int] = field(kw_only=True)
    runs_interval: Interval | None = field(default=None, kw_only=True)

    @property
    def nesting(self) -> Nesting:
        """The facets, and which lies in which."""
        parents = {facet.name: frozenset(facet.within) for facet in self.facets}
        fixed = frozenset(facet.name for facet in self.facets if facet.fixed)
        items = next((facet.name for facet in self.facets if facet.items), None)
        return Nesting(tuple(parents), parents, fixed, items)

    @property
    def estimates(self) -> studying.Estimates:
        """The components as what other designs are computed from."""
        if not self.components:
            raise InvalidInputError(
                f"{self.a} minus {self.b} has no components: nothing varies, or too many cells are missing",
                hint="give more cells, or fewer facets",
            )
        return studying.Estimates(
            self.nesting,
            np.array([facet.levels for facet in self.facets], dtype=np.float64),
            np.array([one.part for one in self.components]),
            np.array([one.freedom for one in self.components]),
            self.draws,
        )

    def study(self, levels: Mapping[str, int]) -> FacetStudy:
        """Return how sure this would be with other numbers of levels.

        Parameters
        ----------
        levels : mapping of str to int
            The new number of levels of each facet that changes; of a facet that lies in another, in each
            level of that.

        Returns
        -------
        FacetStudy
            The standard error and half the length of the interval, each with its own interval.

        Raises
        ------
        InvalidInputError
            If there is no such facet, or a number is none of at least 2.

        Examples
        --------
        >>> import numpy as np
        >>> from bestby import compare_facets
        >>> p, i = np.indices((4, 20))
        >>> new = 0.05 * p + 0.02 * ((p * 7 + i * 3) % 5)
        >>> result = compare_facets({"new": new, "old": np.zeros((4, 20))}, facets="prompt")
        >>> now, more = result["new", "old"], result["new", "old"].study({"prompt": 8})
        >>> more.standard_error < now.standard_error, more.levels
        (True, (('prompt', 8.0), ('item', 20.0)))
        """
        estimates = self.estimates
        sizes = sizes_of(levels, estimates.nesting, estimates.sizes)
        return self.at(estimates, sizes[None, :])[0]

    def at(
        self, estimates: studying.Estimates, sizes: FloatArray, costs: Sequence[float | None] = ()
    ) -> tuple[FacetStudy, ...]:
        """Return how sure this would be on designs of other sizes, shape (n, F)."""
        error = estimates.error(sizes)
        quantiles, errors = error.mixture.quantile(self.level), np.sqrt(error.variance)
        tails = [0.5 * (1.0 - self.level), 0.5 * (1.0 + self.level)]
        studies = []
        for size, c, se, cost in zip(sizes, quantiles, errors, costs or [None] * len(sizes), strict=True):
            low, high = np.quantile(estimates.drawn_errors(size), tails).tolist()
            interval = Interval(low, high, self.level, "generalised", False)
            longer = Interval(float(c) * low, float(c) * high, self.level, "generalised", False)
            named = zip((facet.name for facet in self.facets), map(float, size), strict=True)
            studies.append(FacetStudy(tuple(named), float(se), interval, float(c * se), longer, cost))
        return tuple(studies)

    def _mirrored_fields(self) -> dict[str, Any]:
        return {
            # not super(): a class with slots is made twice, and super() knows the first
            **Difference._mirrored_fields(self),
            "runs_interval": self.runs_interval and self.runs_interval.mirrored(),
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FacetsComparison(Comparison):
    """The result of `compare_facets`: scores, differences, and what other levels would give.

    Parameters
    ----------
    metrics, systems, differences
        One metric, `SystemScore`, `FacetDifference`.
    facets : tuple of Facet
        The facets of all cells, the items last. Fixed facets of one level are among them.
    studies : tuple of FacetStudy
        What other numbers of levels would give for the first difference.
    weights : str
        Whether all levels of a facet count the same, or all cells.
    allocation : FacetAllocation or None
        How to spend a budget, which the command line asks for (``--budget``); see `allocate`.

    See Also
    --------
    bestby.compare_facets : Makes it.
    bestby.load : Reads it back from JSON.
    """

    differences: tuple[FacetDifference, ...]
    facets: tuple[Facet, ...] = field(kw_only=True)
    studies: tuple[FacetStudy, ...] = field(kw_only=True)
    weights: str = field(kw_only=True)
    allocation: FacetAllocation | None = field(default=None, kw_only=True)

    kind: ClassVar[str] = "facets"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.facets import report

        return report

    @property
    def extent(self) -> str:
        """What was compared, in words."""
        text: str = self._report().extent(self.facets)
        return text

    @property
    def question(self) -> str:
        """What the answer is about, in words: which facets would be others, and which the same."""
        text: str = self._report().question(self.facets)
        return text

    def allocate(
        self,
        *,
        budget: float,
        costs: Mapping[str, float],
        target: float | None = None,
        pair: tuple[str, str] | None = None,
    ) -> FacetAllocation:
        """Return how to spend a budget on levels of the facets.

        Parameters
        ----------
        budget : float
            What may be spent.
        costs : mapping of str to float
            What a level of a facet costs, by its name: a prompt that is written, an item that is labelled; of
            a facet that lies in others each level there. ``"call"`` is the cost of one cell, for both
            systems. What is not named costs nothing.
        target : float, optional
            Half the length of the interval that is enough: the cheapest design with it is returned.
        pair : tuple of str, optional
            The two systems whose difference is meant; the first difference by default.

        Returns
        -------
        FacetAllocation
            The best numbers of levels, and the next best thing to buy.

        Raises
        ------
        InvalidInputError
            If nothing costs anything, a cost has no facet, or the budget does not pay for two levels of each.

        Notes
        -----
        Components of few levels are known roughly, as the intervals of the answer say; no design has more
        than a hundred levels of a facet, or ten times those of the data.

        Examples
        --------
        >>> import numpy as np
        >>> from bestby import compare_facets
        >>> p, i = np.indices((4, 20))
        >>> new = 0.05 * p + 0.02 * ((p * 7 + i * 3) % 5)
        >>> result = compare_facets({"new": new, "old": np.zeros((4, 20))}, facets="prompt")
        >>> dict(result.allocate(budget=100, costs={"prompt": 5, "call": 0.1}).best.levels)
        {'prompt': 18.0, 'item': 5.0}
        """
        d = self.differences[0] if pair is None else self[pair]
        assert isinstance(d, FacetDifference)
        check_not_negative(budget=budget, target=0.0 if target is None else target)
        estimates = d.estimates
        prices = studying.Prices.checked(costs, estimates.nesting)
        best = studying.best_design(estimates, prices, budget, d.level, target)
        if best is None:
            raise InvalidInputError(
                f"a budget of {budget:g} does not pay for two levels of each facet",
                hint="give a larger budget, or smaller costs",
                argument="budget",
            )
        more = estimates.sizes + studying.one_each(estimates.nesting)
        shown = np.vstack([best, estimates.sizes, more])
        studies = d.at(estimates, shown, prices.of(shown).tolist())
        now = studies[1]

        def gain(one: FacetStudy) -> float:
            return (now.half_length - one.half_length) / max((one.cost or 0.0) - (now.cost or 0.0), 1e-12)

        return FacetAllocation(
            d.a, d.b, studies[0], now, tuple(sorted(studies[2:], key=gain, reverse=True)), float(budget),
            None if target is None else float(target), target is None or studies[0].half_length <= target,
        )  # fmt: skip

    @with_suggestions
    def plot(  # type: ignore[override]
        self,
        metric: str | None = None,
        *,
        kind: FacetFigure = "auto",
        width: FigureWidth | float | None = None,
        font: FigureFont | None = None,
        percent: bool = False,
        ax: Any = None,
    ) -> Any:
        """Draw the comparison; return the matplotlib Axes.

        Parameters
        ----------
        metric : str, optional
            The metric; there is one.
        kind : {"auto", "forest", "systems", "scores", "baseline", "matrix", "shares", "study"}
            "shares": which part of the variance of each difference comes from which facets. "study": half the
            length of the interval of the first difference by the number of levels of each facet. The others
            as for `Comparison.plot`.
        width, font, percent, ax
            As for `Comparison.plot`.
        """
        from bestby.questions.facets import figure

        canvas = canvas_of(ax, width, font)
        shown, metric = shown_metric(self, metric, percent)
        return figure.facets(shown, metric, kind, canvas)
