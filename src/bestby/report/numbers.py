"""Numbers for readers: rounded by their intervals, never to a fixed number of digits."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from statistics import median

from bestby._core import rounding
from bestby.inference.multiplicity import alpha_at, rejects
from bestby.results.values import Interval

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"
INFINITY = "\N{INFINITY}"
MOST_DECIMALS = 8  # beyond it, powers of ten read better than a row of zeros
_MOST_MORE = 2  # decimals more than its column has, likewise
_MOST_DIGITS = 8  # of the largest number of a column, however short its interval
_ALL_DECIMALS = 330  # where even the smallest number shows its sign, a number is written out
_SMALL, _LARGE = 1e-3, 1e15  # powers of ten are for numbers below, if they need many decimals, and above


def alpha(level: float) -> float:
    """Return 1 − level without the noise of the subtraction."""
    return alpha_at(level)


def percent(level: float) -> str:
    """Return a level as a percentage."""
    return f"{100.0 * level:.6g} %"


def percent_of(share: float) -> str:
    """Return a share as a whole percentage, which is 0 or 100 for none and all only.

    >>> percent_of(0.0), percent_of(0.001), percent_of(0.445), percent_of(0.999)
    ('0 %', '<1 %', '44 %', '>99 %')
    """
    if 0.0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 < share < 1.0 else f"{100.0 * share:.0f} %"


def margin_text(margin: float) -> str:
    """Return a margin with all of its digits, but without the noise of binary fractions.

    >>> margin_text(0.1 + 0.2), margin_text(0.12345678), margin_text(2.0)
    ('0.3', '0.12345678', '2')
    """
    return f"{margin:.15g}"


def amount(value: float) -> str:
    """Return a cost with four digits, as costs differ by orders of magnitude; more if it is larger.

    >>> amount(35520.0), amount(853.38), amount(0.0031284), amount(3.0), amount(0.0)
    ('35520', '853.4', '0.003128', '3', '0')
    """
    if value == 0.0 or not math.isfinite(value):
        return f"{value:g}"
    text = f"{value:.{max(0, 3 - math.floor(math.log10(value)))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def ends(interval: Interval | None) -> tuple[float, float]:
    """Return both ends of an interval, NaN where it is undefined."""
    return (math.nan, math.nan) if interval is None else (interval.low, interval.high)


def excludes_zero(interval: Interval | None) -> bool:
    """Return whether there is an interval, and 0 is outside it."""
    return interval is not None and 0.0 not in interval


def half_width(estimate: float, interval: Interval | None) -> float:
    """Return half the width of an interval, or the distance of its only end; NaN if there is none."""
    low, high = ends(interval)
    if math.isfinite(low) and math.isfinite(high):
        return (high - low) / 2.0
    return next((abs(end - estimate) for end in (low, high) if math.isfinite(end)), math.nan)


def ranks_text(low: int | None, high: int | None) -> str:
    """Return the ranks that tests leave open.

    >>> ranks_text(1, 1), ranks_text(2, 3)
    ('1', '2–3')
    """
    return f"{low}" if low == high else f"{low}{DASH}{high}"


@dataclass(frozen=True, slots=True)
class Rounding:
    """How many decimals the numbers of one column get.

    A number that would be rounded across 0, or across a mark, gets as many more decimals as it takes to see
    its side: an interval that excludes 0 is printed as one that does. Very small numbers that take more than
    eight decimals, or more than two beyond `decimals`, are powers of ten. `marks` are numbers whose side must
    show, beside 0: the margin on both sides.
    """

    decimals: int
    marks: tuple[float, ...] = ()
    measured: bool = field(default=False, repr=False, compare=False)
    """Whether the decimals follow from intervals, so that a writer may be asked for others."""

    @classmethod
    def of(cls, measured: Iterable[tuple[float, Interval | None]], *margins: float | None) -> Rounding:
        """Return the rounding that shows the second significant digit of half the width of the intervals.

        All numbers of a column get the same decimals: those of the shortest interval, but no more than one
        above those of the median, lest one odd row litter all others with digits; and no more than show eight
        digits of the largest number, as intervals can be mere rounding. `margins` are the smallest
        differences that matter: a number must show on which side of them it lies.

        >>> Rounding.of([(0.06, Interval(0.0235, 0.094, 0.95, "bca", False))])
        Rounding(decimals=3, marks=())
        >>> Rounding.of([(0.75, Interval(0.75 - 1e-9, 0.75 + 1e-9, 0.95, "t", True))]).text(0.75)
        '0.75000000'
        """
        rows = list(measured)
        marks = tuple(dict.fromkeys(sign * one for one in margins if one is not None for sign in (-1.0, 1.0)))
        numbers = [abs(x) for estimate, interval in rows for x in (estimate, *ends(interval))]
        largest = max((x for x in numbers if math.isfinite(x)), default=0.0)
        halves = [half_width(estimate, interval) for estimate, interval in rows]
        # Intervals this short, relative to the numbers, are those of rounding
        usable = [half for half in halves if math.isfinite(half) and half > 6e-10 * largest]
        if usable:
            most = _MOST_DIGITS - 1 - math.floor(math.log10(largest))
            by_width = min(_decimals(min(usable)), _decimals(median(usable)) + 1)
            return cls(max(0, min(by_width, most)), marks, measured=True)
        sizes = [abs(estimate) for estimate, _ in rows if math.isfinite(estimate) and estimate != 0.0]
        # Without intervals: four digits.
        return cls(_decimals(max(sizes) / 100.0) if sizes else 3, marks, measured=True)

    @classmethod
    def for_scores(cls, measured: Iterable[tuple[float, Interval | None]]) -> Rounding:
        """Return the rounding of scores: three digits or three decimals of their median at the least.

        Readers compare them with what another tool says of the same system.

        >>> wide = Interval(0.2, 0.7, 0.95, "wilson", True)
        >>> Rounding.for_scores([(0.4546, wide)]).text(0.4546), Rounding.of([(0.4546, wide)]).text(0.4546)
        ('0.455', '0.45')
        """
        rows = list(measured)
        return cls.of(rows).at_least_for(score for score, _ in rows)

    def at_least_for(self, scores: Iterable[float]) -> Rounding:
        """Return the rounding of scores whose differences have this one.

        >>> Rounding(2).at_least_for([0.4546, 0.45]), Rounding(4).at_least_for([45.46, 45.0])
        (Rounding(decimals=3, marks=()), Rounding(decimals=4, marks=()))
        """
        sizes = [abs(score) for score in scores if math.isfinite(score)]
        middle = median(sizes) if sizes else 0.0
        least = 0 if middle == 0.0 else max(0, min(3, 2 - math.floor(math.log10(middle))))
        return self.with_decimals(max(self.decimals, least))

    def with_decimals(self, decimals: int) -> Rounding:
        """Return the rounding with another number of decimals.

        >>> Rounding(3).with_decimals(1).text(0.8125)
        '0.8'
        """
        return replace(self, decimals=decimals)

    def text(self, value: float) -> str:
        """Return the number, a real minus sign before it if it is negative; a dash for NaN."""
        return self._written(value, self._needed(value))

    def size(self, value: float) -> str:
        """Return the absolute value; 0 without decimals.

        >>> Rounding(3).size(-0.0251), Rounding(3).size(0.0002), Rounding(3).size(0.0)
        ('0.025', '0.0002', '0')
        """
        return "0" if value == 0.0 else self.text(abs(value))

    def interval(self, interval: Interval | None) -> str:
        """Return both ends in brackets, round ones where infinite; a dash for None.

        Both have equal decimals, unless one is so close to 0 or a mark that it needs many.

        >>> Rounding(3).interval(Interval(-0.0002, 0.146, 0.95, "t", True))
        '[−0.0002, 0.1460]'
        >>> Rounding(3).interval(Interval(-0.000002, 0.146, 0.95, "t", True))
        '[−2e-6, 0.146]'
        """
        if interval is None:
            return DASH
        needed = [self._needed(end) for end in (interval.low, interval.high)]
        most = min(MOST_DECIMALS, self.decimals + _MOST_MORE)
        shared = max((decimals for decimals in needed if decimals <= most), default=0)
        low, high = (
            self._written(end, max(shared, decimals))
            for end, decimals in zip((interval.low, interval.high), needed, strict=True)
        )
        left = "(" if math.isinf(interval.low) else "["
        right = ")" if math.isinf(interval.high) else "]"
        return f"{left}{low}, {high}{right}"

    def _needed(self, value: float) -> int:
        """Return the decimals that show on which side of 0 and of the marks a number lies."""
        if not math.isfinite(value):
            return self.decimals
        decimals = self.decimals
        while decimals < _ALL_DECIMALS and not self._shows_sides(value, decimals):
            decimals += 1
        return decimals

    def _shows_sides(self, value: float, decimals: int) -> bool:
        shown = float(_plain_text(value, decimals, decimals - self.decimals))
        # A number that only rounding separates from a mark lies on it: 0.8 - 0.5 on the margin 0.3.
        true = next(
            (mark for mark in self.marks if rounding.level(value, mark, max(abs(value), abs(mark)))), value
        )
        return all(
            (shown > mark) - (shown < mark) == (true > mark) - (true < mark) for mark in (0.0, *self.marks)
        )

    def _written(self, value: float, decimals: int) -> str:
        if math.isnan(value):
            return DASH
        if math.isinf(value):
            return INFINITY if value > 0 else MINUS + INFINITY
        text = _plain_text(value, decimals, decimals - self.decimals)
        return text.replace("-", MINUS, 1) if text.startswith("-") else text


def _plain_text(value: float, decimals: int, more: int) -> str:
    """Return a number with some decimals; `more` is how many of them were added to show a side."""
    if value == 0.0:
        return f"{0.0:.{decimals}f}" if decimals <= MOST_DECIMALS else "0"
    size = abs(value)
    if decimals >= _ALL_DECIMALS:
        return repr(value)
    if size >= _LARGE:
        return _power_of_ten(value, 5 + more)
    if (decimals <= MOST_DECIMALS and more <= _MOST_MORE) or size >= _SMALL:
        text = f"{value:.{decimals}f}"
        return text.removeprefix("-") if float(text) == 0.0 else text
    return _power_of_ten(value, max(0, math.floor(math.log10(size)) + decimals))


def _power_of_ten(value: float, digits: int) -> str:
    """Return a number as mantissa and exponent, with some digits after the point.

    >>> _power_of_ten(-3.21e-11, 1)
    '-3.2e-11'
    """
    mantissa, exponent = f"{value:.{min(digits, 17)}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def _decimals(width: float) -> int:
    """Return the decimals that show the second significant digit of `width`."""
    return max(0, 1 - math.floor(math.log10(width) + 1e-9))  # 0.1 less its last bits is 0.1


def p_text(p_value: float, threshold: float | None = None) -> str:
    """Return a p-value with about two digits, more to show its side of `threshold`."""
    if math.isnan(p_value):
        return DASH
    if p_value < 1e-15:
        return "<1e-15"
    if p_value < 1e-4:
        return _power_of_ten(p_value, 0)
    decimals = min(4, 1 - math.floor(math.log10(p_value)))
    if threshold is None:
        return _p_fixed(p_value, decimals)
    # At most four decimals are added to a p-value to show its side of the level
    for added in range(5):
        text = f"{p_value:.{decimals + added}f}"
        if rejects(float(text), threshold) == rejects(p_value, threshold):
            return _p_fixed(p_value, decimals + added)
    return f">{threshold:.6g}" if p_value > threshold else f"{threshold:.6g}"


def _p_fixed(p_value: float, decimals: int) -> str:
    text = f"{p_value:.{decimals}f}"
    return ">0.99" if float(text) == 1.0 else text


def p_clause(p_value: float, threshold: float | None = None, name: str = "p") -> str:
    """Return a p-value with its sign of relation."""
    text = p_text(p_value, threshold)
    return f"{name} {text[0]} {text[1:]}" if text[0] in "<>" else f"{name} = {text}"


def difference_text(value: float) -> str:
    """Return a difference with four digits and real minus signs.

    >>> difference_text(-0.02), difference_text(-1e-5)
    ('−0.02', '−1e−05')
    """
    return f"{value:.4g}".replace("-", MINUS)


def power_text(power: float, error: float = 0.0) -> str:
    """Return a power with three decimals, and its Monte Carlo error if it has one.

    >>> power_text(0.8), power_text(0.9999), power_text(0.8, 0.004), power_text(math.nan)
    ('0.800', '>0.999', '0.800 ± 0.004', '–')
    """
    if math.isnan(power):
        return DASH
    text = ">0.999" if 0.9995 <= power < 1.0 else f"{power:.3f}"
    return f"{text} ± {error:.1g}" if error > 0.0 else text
