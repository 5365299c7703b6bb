"""What the report of a comparison by several judges says of each of them by itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from bestby._core.text import visible
from bestby.questions.judged.judge_quality_result import JudgeWorth, mean_of_known
from bestby.questions.judged.result import JudgedComparison
from bestby.report import column
from bestby.report.column import Cell, Column
from bestby.report.fields import Rows, attributes
from bestby.report.numbers import DASH, MINUS
from bestby.report.tables import Table

TOGETHER = "all together"


@dataclass(frozen=True)
class _Row:
    """What a judge, or all of them, is worth for scores and for differences."""

    judge: str
    scores: Sequence[float | None]
    differences: Sequence[float | None]


def tables(c: JudgedComparison) -> Iterator[Table]:
    """Yield the table of what each judge is worth, if there are several."""
    if not c.worth:
        return
    rows = [_Row(one.judge, one.scores, one.differences) for one in _ordered(c)]
    together = ([e.extra_labels for e in entries] for entries in (c.systems, c.differences))
    rows.append(_Row(TOGETHER, *together))
    columns = (
        column.name("judge", attrgetter("judge")),
        Column("worth for scores", lambda r: _range(r.scores)),
        Column("worth for differences", lambda r: _range(r.differences)),
    )
    caption = "What each judge is worth by itself, in labels beside those there are: the least and the most"
    yield Table.of(caption, columns, rows, part="worth", main=1)


def remarks(c: JudgedComparison) -> Iterator[str]:
    """Yield which judge helps most."""
    if not c.worth or not c.differences:
        return
    best = _ordered(c)[0]
    value = best.mean_of_differences
    if value is None:
        return
    together = mean_of_known(d.extra_labels for d in c.differences) or 0.0
    if value < 0.5:
        yield "No judge by itself is worth a label for these differences."
        return
    yield (
        f"Of the judges {visible(best.judge)} helps most: by itself it is worth {value:.0f} labels for these"
        f" differences on average, and all judges together {together:.0f}."
    )


def rows(c: JudgedComparison) -> list[dict[str, Any]]:
    """Return one row per judge and system, then one per judge and difference."""
    found = []
    for one in c.worth:
        of_scores = zip(c.systems, one.scores, strict=True)
        found += [{"judge": one.judge, "a": s.system, "b": None, "extra_labels": x} for s, x in of_scores]
        of_pairs = zip(c.differences, one.differences, strict=True)
        found += [{"judge": one.judge, "a": d.a, "b": d.b, "extra_labels": x} for d, x in of_pairs]
    return found


def dictionary(c: JudgedComparison) -> dict[str, Any]:
    """Return it as lists and dictionaries."""
    return {"worth": rows(c)}


ROWS = Rows(attributes("judge", "a", "b", "extra_labels"), rows)


def _ordered(c: JudgedComparison) -> list[JudgeWorth]:
    """Return the judges by what they are worth for differences, the most helpful first."""

    def worth(one: JudgeWorth) -> float:
        mean = one.mean_of_differences
        return -math.inf if mean is None else mean

    return sorted(c.worth, key=worth, reverse=True)


def _range(values: Sequence[float | None]) -> Cell:
    known = [value for value in values if value is not None]
    if not known:
        return Cell(DASH, -math.inf)
    low, high = (f"{round(end)}".replace("-", MINUS) for end in (min(known), max(known)))
    return Cell(low if low == high else f"{low} to {high}", sum(known) / len(known))
