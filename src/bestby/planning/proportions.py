"""Right and wrong answers of two systems on the same items."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import betaincinv

from bestby._core import arrays, checks, rounding
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.margins import margin_of
from bestby._core.typing import Alternative, ArrayLike, FloatArray, IntArray
from bestby.inference.power import mcnemar_power
from bestby.planning import doubt
from bestby.planning.base import Design, Question
from bestby.planning.scores import PairedScores
from bestby.results.base import Note
from bestby.vocabulary import ProportionsTest, allowed_names, long_name


@with_suggestions
@dataclass(frozen=True)
class PairedProportions(Design):
    """Two systems that are right or wrong on the same independent items: McNemar's test.

    Parameters
    ----------
    accuracy_a, accuracy_b : float
        The assumed accuracies.
    agreement : float
        The share of items on which both are right or both are wrong.
    test : {"mcnemar", "mcnemar-midp"}
        The exact test, which for accuracy is also the permutation test of `compare`; or its mid-p version.
    pilot_items : int or None
        Items of the pilot that the agreement was measured on: the power is averaged over the agreements which
        they leave open, at the difference assumed. None: the agreement is known.

    Raises
    ------
    DesignError
        If no two systems have these accuracies and this agreement.

    See Also
    --------
    power : The power of a study of this design.
    sample_size : The size that has the power wanted.
    Pilot : From the data of a pilot study, on any metric.

    Notes
    -----
    If x of the n items of a pilot differ, the true share of such items has the Beta distribution with the
    parameters x + 1 and n - x + 1 (all shares being equally likely before), cut off at the difference.

    References
    ----------
    .. [1] Duffy (1984), Asymptotic and exact power for the McNemar test, Biometrics 40, 1005-1015.
    .. [2] Card, Henderson, Khandelwal, Jia, Mahowald & Jurafsky (2020), With little power comes great
       responsibility, EMNLP, section 3 (agreement, and what it was in published comparisons).

    Examples
    --------
    >>> from bestby import power
    >>> round(power(PairedProportions(0.83, 0.80, agreement=0.9), 1000).power, 3)
    0.835
    """

    accuracy_a: float
    accuracy_b: float
    agreement: float
    test: ProportionsTest = "mcnemar"
    pilot_items: int | None = None

    name: ClassVar[str] = "paired proportions"
    too_small: ClassVar[str] = "plan for a larger difference, a higher agreement or a lower power"

    def __post_init__(self) -> None:
        checks.choice(self.test, allowed_names("test", "proportions"), "test")
        if self.pilot_items is not None:
            checks.positive_int(self.pilot_items, "pilot_items")
        for what in ("accuracy_a", "accuracy_b", "agreement"):
            value = checks.amount(getattr(self, what), what)
            if not 0.0 <= value <= 1.0:
                raise InvalidInputError(
                    f"{what} must lie in [0, 1], got {value}", hint="0.9 means 90 %", argument=what
                )
        a, b = self.accuracy_a, self.accuracy_b
        low, high = 1.0 - min(a + b, 2.0 - a - b), 1.0 - abs(a - b)
        if self.pilot_items is not None:  # an estimate may lie above what the difference allows
            high = 1.0
        slack = rounding.level_width(1.0)  # 1 - 0.9 and 0.83 - 0.73 are the same number
        if not low - slack <= self.agreement <= high + slack:
            least, most = math.ceil(low * 1e4 - 1e-6) / 1e4, math.floor(high * 1e4 + 1e-6) / 1e4
            raise DesignError(
                f"accuracies of {a:g} and {b:g} are impossible with an agreement of {self.agreement:g}",
                hint=f"it lies between {least:g} and {most:g}: the share of items on which both are"
                " right or both are wrong",
            )

    @classmethod
    def from_pilot(cls, right_a: ArrayLike, right_b: ArrayLike, *, test: ProportionsTest = "mcnemar") -> Self:
        """Return the design with the accuracies and the agreement of a pilot.

        Parameters
        ----------
        right_a, right_b : array_like, shape (n,), or mapping of item to value
            1 where the system was right on the item, 0 where it was wrong.
        test : str
            As above.

        Returns
        -------
        PairedProportions
            With the shares observed.

        Raises
        ------
        InvalidInputError
            If the lengths differ or a value is neither 0 nor 1.

        Examples
        --------
        >>> PairedProportions.from_pilot([1, 1, 0, 1], [1, 0, 0, 1])
        PairedProportions(accuracy_a=0.75, accuracy_b=0.5, agreement=0.75, test='mcnemar', pilot_items=4)
        """
        both = arrays.joined_by_key({"right_a": right_a, "right_b": right_b}, "items")
        a = checks.column(both["right_a"], "right_a")
        b = checks.column(both["right_b"], "right_b", a.size)
        for values, what in ((a, "right_a"), (b, "right_b")):
            if a.size == 0 or not np.isin(values, (0, 1)).all():
                raise InvalidInputError(
                    f"{what} must hold only 0 and 1", hint="PairedScores.from_pilot takes scores of any kind"
                )
        return cls(float(a.mean()), float(b.mean()), float((a == b).mean()), test, a.size)

    @property
    def true_difference(self) -> float:
        """Accuracy of A minus accuracy of B."""
        return self.accuracy_a - self.accuracy_b

    def slack(self, n: int) -> int:
        """Return a stretch that holds several jumps of the critical value, whose distance grows like √n."""
        if self.pilot_items is not None:  # the average over agreements is smooth
            return 0
        return min(64 + 8 * math.isqrt(n), 512)

    def reach(self, alternative: Alternative) -> float:
        """Return the largest difference there can be with this agreement and this accuracy of B.

        The agreement of a pilot is an estimate, which the true difference may contradict.
        """
        differing, b = 1.0 - self.agreement, self.accuracy_b
        room = min(2.0 * b, 2.0 - 2.0 * b)
        if differing > room + rounding.level_width(1.0):
            raise DesignError(
                f"two systems of accuracy {b:g} agree on at least {1.0 - room:g} of the items,"
                f" but the agreement is {self.agreement:g}",
                hint="the difference is varied at this agreement: give a higher agreement",
            )
        down = alternative == "less" or (alternative == "two-sided" and self.true_difference < 0.0)
        accuracies = b if down else 1.0 - b
        most = min(accuracies if self.pilot_items is not None else differing, 2.0 * accuracies - differing)
        return -max(most, 0.0) if down else max(most, 0.0)

    def with_effect(self, effect: float) -> Self:
        """Return the design with another accuracy of A, the accuracy of B and the agreement kept."""
        accuracy_a = min(max(self.accuracy_b + effect, 0.0), 1.0)
        return dataclasses.replace(self, accuracy_a=accuracy_a)

    def with_margin(self, margin: float) -> PairedScores:
        """Return the design that shows on which side of a margin the difference lies, by paired t-tests.

        McNemar's test knows no difference but 0. Where the systems differ on few items, the t-tests are
        only approximate. A margin of 1 or more, which no difference of accuracies exceeds, is refused.

        >>> PairedProportions(0.84, 0.80, agreement=0.9).with_margin(0.02).margin
        0.02
        """
        if margin_of(margin) >= 1.0:
            raise InvalidInputError(
                f"margin is {margin:g}, and no difference of accuracies is larger than 1",
                hint="0.01 is one percentage point",
                argument="margin",
            )
        differing = 1.0 - self.agreement
        df = None
        if self.pilot_items is not None:  # of a variance that is known from the items that differ
            df = 2.0 * differing * self.pilot_items / (1.0 - differing) if differing < 1.0 else None
        spread = math.sqrt(max(differing - self.true_difference**2, 0.0))
        return PairedScores(self.true_difference, spread, pilot_df=df, margin=margin)

    def taken_as_true(self) -> Self:
        """Return the design whose agreement is that of the pilot."""
        most = 1.0 - abs(self.true_difference)
        return dataclasses.replace(self, agreement=min(self.agreement, most), pilot_items=None)

    @property
    def doubt_words(self) -> str:
        """The agreement, and how well it is known."""
        if self.pilot_items is None:
            return ""
        return f"the agreement of the pilot, estimated from {self.pilot_items} items"

    def powers(self, n: IntArray, question: Question) -> tuple[FloatArray, FloatArray]:
        """Return the unconditional power at each n: exactly, or averaged over the agreements left open."""
        differing = 1.0 - self.agreement
        if self.pilot_items is None:
            return self._powers(n, differing, question), np.zeros(n.size)
        found = differing * self.pilot_items
        u, weights = doubt.gauss_legendre()
        shares = betaincinv(found + 1.0, self.pilot_items - found + 1.0, u)
        given = np.column_stack([self._powers(n, share, question) for share in shares.tolist()])
        return given @ weights, np.zeros(n.size)

    def _powers(self, n: IntArray, differing: float, question: Question) -> FloatArray:
        """Return the power at each n for a share of differing items."""
        most = max(differing, abs(self.true_difference))
        arguments = (most, self.true_difference, question.alpha, question.alternative)
        mid = self.test == "mcnemar-midp"
        if n.size and int(n.max()) - int(n.min()) < 1024:  # neighbours share one table of the sign test
            return mcnemar_power(n, *arguments, mid=mid)
        return np.concatenate([mcnemar_power(n[i : i + 1], *arguments, mid=mid) for i in range(n.size)])

    @property
    def test_words(self) -> str:
        """The test."""
        return long_name("test", self.test)

    @property
    def assumed_words(self) -> str:
        """The assumptions."""
        items = "items" if self.pilot_items is None else f"{self.pilot_items} items of a pilot"
        return (
            f"accuracies of {self.accuracy_a:.4g} and {self.accuracy_b:.4g},"
            f" both right or both wrong on {self.agreement:.4g} of the {items}"
        )

    def settings(self) -> dict[str, Any]:
        """Return the assumptions by name."""
        return dataclasses.asdict(self)

    def notes(self, n: int, question: Question) -> tuple[Note, ...]:  # noqa: ARG002
        """Warn of an agreement that was measured on few items, or where few items differ."""
        if self.pilot_items is None:
            return ()
        differing = round((1.0 - self.agreement) * self.pilot_items)
        if 2 * differing >= doubt.FEW_DF:  # twice the count: what a variance known from it has
            return ()
        low, high = betaincinv(differing + 1.0, self.pilot_items - differing + 1.0, [0.1, 0.9])
        return (
            Note(
                "uncertain_pilot",
                f"the systems differ on {differing} of the {self.pilot_items} items of the pilot: the"
                f" true share may well lie between {low:.2g} and {high:.2g} (80 % interval). The power is"
                f" averaged over this uncertainty; that of one study can be far lower or higher",
            ),
        )
