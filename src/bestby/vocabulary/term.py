"""What the vocabulary says of a name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """A name that an argument takes or a result has.

    `long_name` is what reports write within a sentence, `help` one line about it. `needs` is what an interval
    of items requires: "answers" (0/1 values of single items without strata), "sums" (a function of sums),
    "formula" (a function of sums, or derivatives by the weights of the items), "one stratum", "units" (all of
    them, as they are: no smaller resamples and no resampled annotators), "no blocks" (of ordered text),
    "crossed" (two crossed groupings, which the others refuse). `also` are the words that other
    libraries have for it, apart by blanks: a message proposes the name in their place.
    """

    name: str
    long_name: str
    help: str
    arguments: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    also: str = ""
