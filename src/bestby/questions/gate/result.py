"""What a gate returns: its outcome, the checks that made it, and the items that flipped."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from bestby._core import checks as _checks
from bestby._core.checks import margin_of
from bestby._core.errors import GateFailedError, InvalidInputError
from bestby._core.text import quoted, suggestion
from bestby.report.comparison import Difference
from bestby.report.reported import Drawn, Reported, shown_in
from bestby.results.base import Note, Provenance
from bestby.results.values import Interval, extent

Outcome = Literal["pass", "fail", "inconclusive"]

OUTCOMES: tuple[Outcome, ...] = ("fail", "inconclusive", "pass")
"""The outcomes, the one that decides first: a gate has the first of them that one of its checks has."""

OF_ANSWERS, OF_SCORES = ("newly wrong", "newly right"), ("worse", "better")
"""What the candidate makes of an item: of right and wrong answers, and of other scores."""


def outcome_by_margin(
    bounds: Interval | None,
    margin: float,
    greater_is_better: bool,
    fail_bound: float | None = None,
    fails: bool | None = None,
) -> Outcome:
    """Return the outcome of a check of non-inferiority from the two one-sided bounds of a difference.

    `bounds` are those of the candidate minus the baseline; None where the data give none. `fail_bound` is the
    bound of a gain that holds for several checks at once, in place of that end of `bounds`; `fails` is
    whether a test shows the loss, which decides in place of either.

    >>> bounds = Interval(-0.02, 0.01, 0.9, "t", True)
    >>> [outcome_by_margin(bounds, margin, True) for margin in (0.03, 0.01)]
    ['pass', 'inconclusive']
    >>> (
    ...     outcome_by_margin(bounds, 0.015, False),
    ...     outcome_by_margin(bounds.mirrored(), 0.005, True),
    ... )
    ('pass', 'inconclusive')
    """
    if bounds is None:
        return "inconclusive"
    low, high = (bounds.low, bounds.high) if greater_is_better else (-bounds.high, -bounds.low)
    if low > -margin:
        return "pass"
    if fails is not None:
        return "fail" if fails else "inconclusive"
    if fail_bound is not None:
        high = fail_bound if greater_is_better else -fail_bound
    return "fail" if high < -margin else "inconclusive"


@dataclass(frozen=True, slots=True)
class Flip:
    """An item on which one of the two systems is better than the other.

    Parameters
    ----------
    item : str
        Its id; its place, from 1, if items have no ids.
    change : {"newly wrong", "newly right", "worse", "better"}
        What the candidate makes of it. "worse" and "better" are of scores that are not all 0 or 1.
    baseline, candidate : str
        The prediction or the score of each.
    gold : str or None
        The gold; None if there is none.
    check : str
        The check most at risk in which it flipped.

    See Also
    --------
    Gate : Holds them.
    """

    item: str
    change: str
    baseline: str
    candidate: str
    gold: str | None = None
    check: str = ""


@dataclass(frozen=True, slots=True)
class GateCheck:
    """One question that a gate asks: one metric, on all items or on a part of them.

    Parameters
    ----------
    metric : str
        The metric.
    outcome : {"pass", "fail", "inconclusive"}
        With a margin: "pass" if the one-sided bound of the difference excludes a loss of the margin or more,
        "fail" if `fail_p` is at most `threshold` or, without a test, the bound on the other side, of several
        checks `fail_bound`, shows one, else "inconclusive".
        Without: "fail" if a one-sided test shows a loss, else "pass".
    difference : Difference
        The candidate minus the baseline. Each end of its ``equivalence_interval`` is a one-sided bound at the
        level of the gate.
    margin : float or None
        The smallest loss that matters; None for an alarm.
    part : str or None
        The slice or the task that is asked about; None for all items.
    smallest_p : float or None
        The smallest p-value that the test of an alarm could give on these items, if all that differ spoke
        against the candidate.
    threshold : float or None
        The p-value at which an alarm fails if no other does: one minus the level, divided by their number. Of
        a check with a margin that fails by a test, the same over the number of all checks.
    detectable : float or None
        The smallest true loss that an alarm finds with the power 0.8 on so many items that differ as these
        do; None where the data do not tell.
    more : int or None
        How many more items (clusters) an inconclusive check would take to be decided with the power 0.8, if
        the difference stays what it is; None where the data do not tell.
    unit : {"items", "clusters"}
        What `more` counts.
    fail_bound : float or None
        The bound on the side of a gain that holds for all checks of the gate at once (Bonferroni), by which
        this one fails; None of a single check, of one that fails by a test, or where the data give none.
    fail_p : float or None
        The p-value of the exact test of a loss of more than the margin, by which this check fails; None of an
        alarm, and where the bound decides.
    relative : bool
        Whether this is a budget of a cost: the difference is the candidate's cost over the baseline's, less
        1, and the margin is by which share it may be more.
    counted : tuple of int or None
        Of right and wrong answers to independent items: on how many only the candidate is wrong, on how many
        only it is right, and how many count. None of other scores, and where the bound decides.

    See Also
    --------
    Gate : Holds them.
    """

    metric: str
    outcome: Outcome
    difference: Difference
    margin: float | None = None
    part: str | None = None
    smallest_p: float | None = None
    threshold: float | None = None
    detectable: float | None = None
    more: int | None = None
    unit: str = "items"
    fail_bound: float | None = None
    fail_p: float | None = None
    counted: tuple[int, int, int] | None = None
    relative: bool = False

    @property
    def name(self) -> str:
        """The metric, and the part of the items if it is one."""
        return self.metric if self.part is None else f"{self.metric} ({self.part})"

    @property
    def loss(self) -> float:
        """How much worse the candidate is in the data; negative where it is better."""
        d = self.difference
        return -d.estimate if d.greater_is_better else d.estimate

    @property
    def n_units(self) -> int:
        """How many independent items, or clusters, it rests on."""
        return self.difference.n_clusters or self.difference.n_items

    @property
    def bound(self) -> float | None:
        """The one-sided bound on the side of a loss; None where the data give none."""
        bounds = self.difference.equivalence_interval
        if bounds is None:
            return None
        return bounds.low if self.difference.greater_is_better else bounds.high

    @property
    def could_fail(self) -> bool:
        """Whether an alarm could have failed on these items at all; True with a margin."""
        return self.smallest_p is None or self.threshold is None or self.smallest_p <= self.threshold


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Gate(Drawn, Reported):
    """Whether a candidate is good enough to take the place of a baseline.

    Parameters
    ----------
    outcome : {"pass", "fail", "inconclusive"}
        "fail" if a check fails, else "inconclusive" if one is, else "pass".
    baseline, candidate : str
        The two systems.
    checks : tuple of GateCheck
        One per metric, and per part of the items if there are some.
    flips : tuple of Flip
        The items on which one system is better than the other, at most 1000 of them: each under the check
        most at risk in which it flipped, those checks first, the worst item first. None for metrics that say
        nothing of single items.
    n_worse, n_better : int
        How many items became wrong or worse, and right or better, on the first metric.
    level : float
        The level of the one-sided bounds and, one minus it, of the tests.
    n_items, n_clusters : int
        Number of items, and of the clusters they lie in; 0 if they are independent.
    notes : tuple of Note
        What must be known about the data and the numbers.
    provenance : Provenance
        Settings, versions, seed and data hash.

    See Also
    --------
    bestby.gate : Makes it.
    bestby.load : Reads it back from JSON.
    """

    outcome: Outcome
    baseline: str
    candidate: str
    checks: tuple[GateCheck, ...]
    flips: tuple[Flip, ...]
    n_worse: int
    n_better: int
    level: float
    n_items: int
    n_clusters: int
    notes: tuple[Note, ...]
    provenance: Provenance

    kind: ClassVar[str] = "gate"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.gate import report

        return report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.gate.report import gate

        return gate

    @property
    def differences(self) -> tuple[Difference, ...]:
        """The difference of each check, but for budgets."""
        return tuple(check.difference for check in self.quality)

    @property
    def quality(self) -> tuple[GateCheck, ...]:
        """The checks that are no budgets."""
        return tuple(check for check in self.checks if not check.relative)

    @property
    def budgets(self) -> tuple[GateCheck, ...]:
        """The checks of costs."""
        return tuple(check for check in self.checks if check.relative)

    @property
    def extent(self) -> str:
        """How much was compared, in words."""
        return extent(self.n_items, self.n_clusters)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Each check in plain words."""
        from bestby.questions.gate import report

        return report.check_sentences(shown_in(self))

    def __iter__(self) -> Iterator[GateCheck]:
        return iter(self.checks)

    def __len__(self) -> int:
        return len(self.checks)

    def __bool__(self) -> bool:
        """Return True: a gate that failed is a result too; ask for its `outcome`, or call `check`."""
        return True

    def with_margin(self, margin: float | Mapping[str, float]) -> Gate:
        """Return the gate with other margins: bounds and counts are the same, and each outcome is read anew.

        Budgets stay as they are.

        Parameters
        ----------
        margin : float or mapping of str to float
            The smallest loss that matters, for all metrics or by metric.

        Raises
        ------
        InvalidInputError
            If a margin is not a positive number, or a metric has none.
        """
        asked = margins_of(margin, [check.metric for check in self.quality])
        margins = {metric: one for metric, one in asked.items() if one is not None}
        lacking = next((metric for metric in asked if metric not in margins), None)
        if lacking is not None:
            raise InvalidInputError(f"margin has none for {quoted(lacking)}", hint="give each metric one")
        # Results are below the comparisons, which decide and are asked by name.
        from bestby.questions.gate import compare

        checks: tuple[GateCheck, ...] = (
            *compare.with_margins(self.quality, margins, self.level, len(self.checks)),
            *self.budgets,
        )
        settings = {**self.provenance.settings, "margin": shown_margins(margins), "test": None}
        provenance = dataclasses.replace(self.provenance, settings=settings)
        return dataclasses.replace(self, outcome=outcome_of(checks), checks=checks, provenance=provenance)

    def check(
        self,
        margin: float | Mapping[str, float] | None = None,
        *,
        inconclusive: Literal["pass", "fail"] = "fail",
    ) -> None:
        """Raise an error with the words of the report unless the gate passes; for tests of your own.

        Parameters
        ----------
        margin : float or mapping of str to float, optional
            Other margins than those of the gate, which are then read from the same bounds.
        inconclusive : {"pass", "fail"}
            What to do if the data leave the question open.

        Raises
        ------
        GateFailedError
            If the gate fails or is inconclusive; it is an AssertionError, too.
        InvalidInputError
            If an argument cannot be used as given.

        Examples
        --------
        >>> import bestby as bb
        >>> result = bb.gate(
        ...     {"main": [1, 0] * 400, "new": [1, 0] * 400}, metric="mean", margin=0.01
        ... )
        >>> result.check()
        """
        from bestby.questions.gate import report

        _checks.choice(inconclusive, ("pass", "fail"), "inconclusive")
        result = self if margin is None else self.with_margin(margin)
        if result.outcome == "fail" or (result.outcome == "inconclusive" and inconclusive == "fail"):
            raise GateFailedError(report.message(result))

    def to_junit(self, path: Any = None) -> str:
        """Return JUnit XML with a test case per check; write it to `path` if given.

        A check that fails is a failure; one that is inconclusive is skipped, with its words.
        """
        from bestby.questions.gate import report
        from bestby.report.reported import written

        return written(report.to_junit(self), path)

    def to_comment(self, path: Any = None) -> str:
        """Return the body of a comment on a pull request, as Markdown; write it to `path` if given.

        Its first line is the outcome, as a badge says it; notes, methods and settings are folded.
        """
        from bestby.questions.gate import report
        from bestby.report.reported import shown_in, written

        return written(report.to_comment(shown_in(self)), path)


def outcome_of(checks: tuple[GateCheck, ...]) -> Outcome:
    """Return the outcome of a gate from those of its checks.

    All checks with a margin must pass, which needs no correction (intersection-union). That one of them fails
    is corrected before, as are the p-values of those without a margin.
    """
    outcomes = {check.outcome for check in checks}
    return next(outcome for outcome in OUTCOMES if outcome in outcomes)


def by_risk(checks: Iterable[GateCheck]) -> list[GateCheck]:
    """Return the checks by outcome, then parts of the items before all of them, then by the loss they show.

    That is the loss beyond the margin (beyond 0 without one) over its standard error.
    """

    def risk(check: GateCheck) -> tuple[int, bool, float]:
        beyond = check.loss - (check.margin or 0.0)
        error = check.difference.standard_error or math.inf
        return OUTCOMES.index(check.outcome), check.part is None, -beyond / error

    return sorted(checks, key=risk)


def margins_of(margin: Any, metrics: list[str]) -> dict[str, float | None]:
    """Return the margin of each metric, None where it has none.

    >>> margins_of({"wer": 0.02}, ["accuracy", "wer"])
    {'accuracy': None, 'wer': 0.02}
    """
    if not isinstance(margin, Mapping):
        return dict.fromkeys(metrics, None if margin is None else margin_of(margin))
    for name in margin:
        if name not in metrics:
            raise InvalidInputError(
                f"margin names {quoted(name)}, which is not compared{suggestion(str(name), metrics)}",
                hint=f"the metrics are: {', '.join(metrics)}",
                argument="margin",
            )
    by_metric = {name: margin_of(value, f"margin of {name}") for name, value in margin.items()}
    return {name: by_metric.get(name) for name in metrics}


def shown_margins(margins: Mapping[str, float | None]) -> list[str] | None:
    """Return the margins as they stand in the provenance; None if there are none."""
    return [f"{name}={value:.15g}" for name, value in margins.items() if value is not None] or None
