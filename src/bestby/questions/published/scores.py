"""Published scores of several systems, and nothing else: what they allow to be said of every two."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from scipy.special import ndtri, stdtrit

from bestby._core import checks
from bestby._core.errors import InvalidInputError, within
from bestby._core.text import quoted
from bestby.inference import multiplicity
from bestby.questions.published import shares
from bestby.questions.published.result import PublishedAnswer, PublishedPair, PublishedScore, PublishedScores
from bestby.questions.published.shares import Rounded, check_bounds, rounded
from bestby.results.base import Note, provenance_of
from bestby.vocabulary import allowed_names

_BETWEEN = re.compile(r"\s*(?:±|\+/-|\+-|\\pm)\s*")

UNPUBLISHED = Note(
    "unpublished_predictions",
    "the predictions behind the published scores are not known: how often two systems agree can only be"
    " bounded by their scores",
)


class _Entry(NamedTuple):
    """A published score: its name, its text, its value, its spread, and of how many items or runs it is."""

    system: str
    text: str
    value: Rounded
    spread: Rounded | None
    n: int


def compare_scores(
    scores: Any,
    n_items: Any,
    n_runs: Any,
    spread: Any,
    same_items: bool | None,
    metric: str,
    level: float,
) -> PublishedScores:
    """Return what the scores of several systems allow to be said of every two, corrected by Holm's method."""
    of_runs = n_runs is not None or spread is not None
    if of_runs == (n_items is not None):
        raise InvalidInputError(
            "published scores need either the number of items, of shares of right answers, or the number of"
            " runs and what their spread is",
            hint="n_items=872 for shares, or n_runs=5 and spread='sd' for means",
            argument="n_items",
        )
    entries = _entries(scores, n_runs if of_runs else n_items, "n_runs" if of_runs else "n_items")
    answers: list[tuple[PublishedAnswer, ...]]
    if of_runs:
        ends = [(one.value.low, one.value.high) for one in entries]
        scaled = zip(entries, _scales(entries, spread), strict=True)
        answers = [(_of_runs(a, b, level),) for a, b in combinations(scaled, 2)]
    else:  # the shares of whole numbers of right answers
        counts = [_counts(entry) for entry in entries]
        ends = [(count[0] / one.n, count[-1] / one.n) for one, count in zip(entries, counts, strict=True)]
        sides = zip(entries, counts, strict=True)
        answers = [_of_items(a, b, same_items, level) for a, b in combinations(sides, 2)]
    alpha = 1.0 - level
    low = multiplicity.adjust([min(one.p_low for one in each) for each in answers], "holm").tolist()
    high = multiplicity.adjust([max(one.p_high for one in each) for each in answers], "holm").tolist()
    # Pairs that are significant whatever is not known leave the others a larger share of the level
    share = alpha / max(1, len(answers) - sum(p <= alpha for p in high))
    compared = []
    places = combinations(range(len(entries)), 2)
    for (i, j), each, p_low, p_high in zip(places, answers, low, high, strict=True):
        (a, b), limit = (entries[i], entries[j]), None
        if each[0].n_differing is not None:
            limit = shares.differing_limit(counts[i], counts[j], a.n, share)
        estimate = a.value.value - b.value.value
        compared.append(PublishedPair(a.system, b.system, estimate, each, (p_low, p_high), limit, level))
    unit = "runs" if of_runs else "items"
    settings = {"scores": [f"{one.system}={one.text}" for one in entries], "spread": spread, "level": level}
    return PublishedScores(
        metric=metric,
        scores=tuple(
            PublishedScore(one.system, one.text, one.value.value, *between, one.n, unit)
            for one, between in zip(entries, ends, strict=True)
        ),
        pairs=tuple(compared),
        spread=spread,
        level=level,
        notes=(UNPUBLISHED,) if any(pair.n_differing is not None for pair in compared) else (),
        provenance=provenance_of(settings, {unit: [one.n for one in entries]}, [*map(str, entries)]),
    )


def _entries(scores: Any, sizes: Any, argument: str) -> list[_Entry]:
    """Return the scores with their names and sizes, one size for all or one for each."""
    scores = checks.mapping(scores, "scores", "system to score", 'scores={"A": "88.3%", "B": "87.6%"}')
    if len(scores) < 2:
        raise InvalidInputError(
            f"at least two published scores are compared, got {len(scores)}",
            hint="name the other one too, or give the predictions of your own system",
            argument="scores",
        )
    names = checks.valid_names(scores, "system")
    if isinstance(sizes, Mapping):
        sizes = [sizes.get(name) for name in scores]
    several = list(sizes) if isinstance(sizes, Sequence) and not isinstance(sizes, str) else [sizes]
    if len(several) == 1:
        several *= len(names)
    if len(several) != len(names):
        raise InvalidInputError(
            f"{argument} has {len(several)} numbers for {len(names)} scores",
            hint="give one number for all scores, or one for each",
            argument=argument,
        )
    counts = [checks.positive_int(size, argument) for size in several]
    return [_entry(name, value, n) for name, value, n in zip(names, scores.values(), counts, strict=True)]


def _entry(name: str, value: Any, n: int) -> _Entry:
    text = "±".join(map(str, value)) if isinstance(value, tuple) else value
    text = text if isinstance(text, str) else repr(text)
    score, *rest = _BETWEEN.split(text.strip())
    if len(rest) > 1:
        raise InvalidInputError(
            f"the score of {quoted(name)} must be a number or a number with its spread, got {quoted(text)}",
            hint="write it as 88.3% or 0.883±0.004",
            argument="scores",
        )
    if not rest:
        return _Entry(name, text.strip(), rounded(score, f"the score of {name}"), None, n)
    spread = rest[0]
    if spread.endswith("%") and not score.endswith("%"):
        score += "%"  # 88.3±0.4 % is 88.3 % and 0.4 %
    value, width = rounded(score, f"the score of {name}"), rounded(spread, f"the spread of {name}")
    if score.endswith("%") != spread.endswith("%") or width.value < 0.0:
        raise InvalidInputError(
            f"the score of {quoted(name)} is {score}, and its spread is {spread}",
            hint="write both in percent, or none, and a spread of at least 0",
            argument="scores",
        )
    return _Entry(name, text.strip(), value, width, n)


def _counts(entry: _Entry) -> range:
    if entry.spread is not None:
        raise InvalidInputError(
            f"the score of {quoted(entry.system)} has a spread, and n_items is of shares of right answers",
            hint="leave out the spread, or pass n_runs and spread in place of n_items",
            argument="n_items",
        )
    with within(entry.system):
        check_bounds(entry.value, "a share of right answers", (0.0, 1.0))
        return shares.counts_of(entry.value, entry.n)


def _of_items(
    one: tuple[_Entry, range], other: tuple[_Entry, range], same_items: bool | None, level: float
) -> tuple[PublishedAnswer, ...]:
    (a, ours), (b, theirs) = one, other
    if not shares.are_same(a.n, b.n, same_items, "leave out same_items"):
        return (shares.other_items(ours, a.n, theirs, b.n, level),)
    return tuple(shares.same_items(ours, theirs, a.n, level, most=most) for most in (False, True))


def _scales(entries: Sequence[_Entry], spread: Any) -> list[float]:
    """Return how many standard errors one unit of the spread of each score is."""
    for entry in entries:
        if entry.spread is None:
            raise InvalidInputError(
                f"the score of {quoted(entry.system)} has no spread",
                hint="write it as 0.883±0.004, or pass n_items of shares of right answers",
                argument="scores",
            )
        shares.check_several(entry.n)
    spreads = allowed_names("spread", "published")
    if spread is None:
        raise InvalidInputError(
            "what the numbers after ± are is not known, and nothing is guessed",
            hint=f"name it: spread='sd', or one of {', '.join(spreads)}",
            argument="spread",
        )
    if spread == "range":
        raise InvalidInputError(
            "a range of runs has no standard error",
            hint="give the standard deviation or the standard error of the runs, spread='sd'",
            argument="spread",
        )
    checks.choice(spread, spreads, "spread")
    if spread == "sd":
        return [1.0 / math.sqrt(entry.n) for entry in entries]
    if spread == "ci95":
        return [1.0 / float(stdtrit(entry.n - 1, 0.975)) for entry in entries]
    return [1.0 if spread == "se" else 1.0 / float(ndtri(0.975))] * len(entries)


def _of_runs(a: tuple[_Entry, float], b: tuple[_Entry, float], level: float) -> PublishedAnswer:
    """Return Welch's answer for two means of runs; a scale times the root of n makes a spread one of runs."""
    (one, scale1), (other, scale2) = a, b
    assert one.spread is not None
    assert other.spread is not None
    if not one.spread.high + other.spread.high > 0.0 or not one.spread.value + other.spread.value > 0.0:
        raise InvalidInputError(
            f"neither {quoted(one.system)} nor {quoted(other.system)} varies between runs",
            hint="give spreads above 0",
            argument="scores",
        )
    ours = one.value, scale1 * math.sqrt(one.n), one.n
    theirs = other.value, scale2 * math.sqrt(other.n), other.n
    return shares.welch_of_rounded(ours, theirs, (one.spread, other.spread), level)
