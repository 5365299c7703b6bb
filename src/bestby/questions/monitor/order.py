"""Whether the order in which items came may have been random, told from their ids."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bestby.results.base import Note

_NUMBER = re.compile(r"\d+")
_LAST_NUMBER = re.compile(r"\d+\D*$")

_FEW = 20
"""Units below which an order tells nothing."""

_SIGMAS = 4.3
"""Standard deviations beyond which an order is not random: by chance once in 50,000 logs."""

Identifier = str | int


def order_note(items: Sequence[Identifier], clusters: Sequence[Identifier | None]) -> Note | None:
    """Return a note if items, or the clusters that they are in, came in an order that is not random.

    Two things tell: that the units come in the order of their ids, forwards or backwards, on the whole if not
    one by one; and that units whose ids begin alike, such as those of one subject, come together. The units
    are the clusters if there are any.
    """
    if clusters and clusters[0] is not None:
        starts = [place for place, one in enumerate(clusters) if not place or one != clusters[place - 1]]
        groups = [cluster for place in starts if (cluster := clusters[place]) is not None]
        return _note_of_units("clusters", groups) or _note_of_units(
            "clusters", [items[place] for place in starts]
        )
    return _note_of_units("items", items)


def _note_of_units(what: str, ids: Sequence[Identifier]) -> Note | None:
    """Return a note if units with these ids are not in random order."""
    n = len(ids)
    if n < _FEW:
        return None
    names = [str(one) for one in ids]
    correlation = rank_correlation(names)
    if abs(correlation) * math.sqrt(n - 1.0) > _SIGMAS:
        way = "" if correlation > 0.0 else "reverse "
        return Note(
            "order_of_ids",
            f"the {n} {what} came in the {way}order of their ids (rank correlation {correlation:.2f}): the"
            f" intervals hold only if the order is random, so shuffle the {what} before they are scored",
        )
    stretches, expected, deviation = stretches_of([_stem(name) for name in names])
    if expected - stretches > _SIGMAS * deviation:
        own = "" if what == "clusters" else ", or give the cluster of each item"
        return Note(
            "order_of_groups",
            f"{what} whose ids begin alike came together ({stretches} stretches, and about {expected:.0f} in"
            f" random order): the intervals hold only if the order is random, so shuffle the {what} before"
            f" they are scored{own}",
        )
    return None


def rank_correlation(names: Sequence[str]) -> float:
    """Return Spearman's correlation of the places of names with their order, numbers in them as numbers.

    In random order its standard deviation is 1 / sqrt(n - 1).

    >>> rank_correlation(["q1", "q2", "q10", "q11"]), rank_correlation(["b", "a"])
    (1.0, -1.0)
    """
    n = len(names)
    keys = [_natural(name) for name in names]
    ranks = np.empty(n)
    ranks[sorted(range(n), key=keys.__getitem__)] = np.arange(n)
    gaps = ranks - np.arange(n)
    return 1.0 - 6.0 * float(gaps @ gaps) / (n * (n * n - 1.0))


def stretches_of(groups: Sequence[str]) -> tuple[int, float, float]:
    """Return the number of stretches of one group, and its mean and standard deviation in random order.

    Barton & David (1957), Multiple runs, Biometrika 44, 168-178.

    >>> stretches, mean, deviation = stretches_of("aaabbbccc")
    >>> stretches, mean, round(deviation, 2)
    (3, 7.0, 1.22)
    """
    n = len(groups)
    stretches = 1 + sum(one != two for one, two in pairwise(groups))
    sizes = np.array(list(Counter(groups).values()), dtype=np.float64)
    squares, cubes = float(sizes @ sizes), float((sizes**3).sum())
    mean = (n * (n + 1.0) - squares) / n
    variance = (squares * (squares + n * (n + 1.0)) - 2.0 * n * cubes - n**3) / (n * n * (n - 1.0))
    return stretches, mean, math.sqrt(max(variance, 0.0))


def _natural(name: str) -> str:
    """Return what a name is sorted by, so that q9 comes before q10, and q as q0 does.

    Before each number stands how long it is: texts are compared faster than lists of their parts.

    >>> sorted(["q10", "q9", "q9a", "r1", "q-1"], key=_natural)
    ['q9', 'q9a', 'q10', 'q-1', 'r1']
    """
    return _NUMBER.sub(_with_length, name if name[-1:].isdecimal() else name + "0")


def _with_length(number: re.Match[str]) -> str:
    """Return a number without zeros before it, after its length; both are below any letter."""
    digits = number[0]
    if not digits.isascii():
        digits = "".join(str(int(one)) for one in digits)
    digits = digits.lstrip("0")
    return f"\0{chr(len(digits))}{digits}"


def _stem(name: str) -> str:
    """Return an id without its last number and what follows that.

    >>> _stem("anatomy/17"), _stem("doc3-q5b"), _stem("17")
    ('anatomy/', 'doc3-q', '')
    """
    return _LAST_NUMBER.sub("", name)
