"""Cells whose data sets give statements that are true or false: an interval covers, a test rejects."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from bestby.results.values import Interval
from calibration.files import Arrays, Row

Kind = Literal["coverage", "rejected", "wrong", "power", "bias"]
"""Coverage of a 95 % interval; share of true hypotheses rejected at 5 %; share of false verdicts; achieved
power of a plan that promises .80; by how many standard errors an estimate is too high on average."""

COLUMNS = (
    "subject", "population", "n", "kind", "method", "default", "share", "se", "noted", "share_unnoted",
    "datasets",
)  # fmt: skip
LOWEST, LOWEST_AT_20, HIGHEST = 0.94, 0.93, 0.97
MOST_REJECTED = 0.055
LEAST_POWER = 0.78
LOWEST_BIAS, HIGHEST_BIAS = -0.4, 0.1
ERRORS = 2.0
"""Standard errors by which a share must be outside its range to count as outside."""

NOTED = 0.5
"""Share of the data sets with a note from which a cell counts as noted."""


class What(NamedTuple):
    """A kind of statement and the method that makes it; `default`: what the package does unless told."""

    kind: Kind
    method: str
    default: bool = False


class Outcome(NamedTuple):
    """Whether the statement is true of a data set (None: not made), and whether a note warns of it.

    Of a bias: how far the estimate is from the truth, in standard errors.
    """

    true: bool | float | None
    noted: bool = False


def holds(interval: Interval | None, true: float) -> bool:
    """Return whether an interval holds the truth; none excludes nothing."""
    return interval is None or true in interval


@dataclass(frozen=True)
class Statements:
    """A population of data sets, and the statements that are counted on them.

    Parameters
    ----------
    subject : str
        The table of the page; a module of `calibration.subjects`.
    population : str
        Where the data sets come from, in words.
    n : str
        The size, in words: "30", "3 v 10".
    units : int
        The size as the criterion needs it: 93 % coverage is enough up to 20 units.
    one : callable
        Draws a data set from a generator and a seed, and returns the outcome of every statement.
    datasets : int
        How many data sets.
    """

    subject: str
    population: str
    n: str
    units: int
    one: Callable[[np.random.Generator, int], Mapping[What, Outcome]]
    datasets: int = 1000

    @property
    def family(self) -> str:
        """The subject, by which cells are chosen on the command line."""
        return self.subject

    @property
    def key(self) -> str:
        """The name of the cell, which seeds it."""
        return f"{self.subject}|{self.population}|{self.n}"


def run(cell: Statements) -> Arrays:
    """Return what was stated (M, 3) and whether it is true and noted (D, M); not stated: nan."""
    seed = zlib.crc32(cell.key.encode())
    rng = np.random.default_rng(seed)
    found = [cell.one(rng, seed + i) for i in range(cell.datasets)]
    names = list(dict.fromkeys(what for outcomes in found for what in outcomes))
    nothing = Outcome(None)
    outcomes = [[one.get(what, nothing) for what in names] for one in found]
    true = [[math.nan if x.true is None else float(x.true) for x in row] for row in outcomes]
    noted = [[x.noted for x in row] for row in outcomes]
    return {
        "what": np.array([[what.kind, what.method, str(what.default)] for what in names]),
        "true": np.array(true),
        "noted": np.array(noted),
    }


def rows(cell: Statements, data: Arrays) -> Iterator[Row]:
    """Yield a row per statement."""
    for j, (kind, method, default) in enumerate(data["what"].tolist()):
        made = ~np.isnan(data["true"][:, j])
        true, noted = data["true"][made, j], data["noted"][made, j]
        if not true.size:
            continue
        share = float(true.mean())
        se = float(true.std() / math.sqrt(true.size)) if kind == "bias" else error(share, true.size)
        quiet = true[~noted]
        yield {
            "subject": cell.subject,
            "population": cell.population,
            "n": cell.n,
            "kind": kind,
            "method": method,
            "default": _verdict(kind, share, ERRORS * se, cell.units) if default == "True" else "",
            "share": f"{share:.4f}",
            "se": f"{se:.4f}",
            "noted": f"{noted.mean():.3f}",
            "share_unnoted": f"{quiet.mean():.4f}" if quiet.size else "",
            "datasets": str(true.size),
        }


def error(share: float, size: int) -> float:
    """Return the standard error of a share, no less than that of half a data set in all."""
    return math.sqrt(max(share * (1.0 - share), 0.25 / size) / size)


def _verdict(kind: str, share: float, reach: float, units: int) -> str:
    """Return "holds", or how a default does not: "short" or "long" intervals, "liberal", "underpowered".

    `reach` is how far chance may move the share.
    """
    if kind == "bias":
        return "holds" if LOWEST_BIAS - reach <= share <= HIGHEST_BIAS + reach else "biased"
    if kind == "power":
        return "holds" if share >= LEAST_POWER - reach else "underpowered"
    if kind != "coverage":
        return "holds" if share <= MOST_REJECTED + reach else "liberal"
    if share < (LOWEST_AT_20 if units <= 20 else LOWEST) - reach:
        return "short"
    return "long" if share > HIGHEST + reach else "holds"


NOMINAL = {"coverage": 0.05, "rejected": 0.05, "wrong": 0.05}
"""The share of misses that is allowed, by the kind of statement."""


def unnoted(row: Row) -> float:
    """Return in which share of the data sets a statement misses, and no note warns of it."""
    quiet = 1.0 - float(row["noted"])
    if quiet == 0.0 or not row["share_unnoted"]:
        return 0.0
    share = float(row["share_unnoted"])
    return quiet * (1.0 - share if row["kind"] == "coverage" else share)


def beyond(row: Row) -> bool:
    """Return whether more is missed without a note than the nominal share and two standard errors."""
    nominal = NOMINAL.get(row["kind"])
    if nominal is None or not row["default"]:
        return False
    return unnoted(row) > nominal + ERRORS * error(nominal, int(row["datasets"]))


# -- tables ------------------------------------------------------------------------------------------


def keys(row: Row) -> tuple[str, str, str]:
    """Return what names the cell of a row."""
    return row["subject"], row["population"], row["n"]


def table(found: list[Row], subject: str) -> str:
    """Return the shares of a subject in percent: a line per cell and kind, a column per method."""
    part = [row for row in found if row["subject"] == subject]
    names = list(dict.fromkeys(row["method"] for row in part))
    cells: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in part:
        cells.setdefault((row["population"], row["n"], row["kind"]), {})[row["method"]] = row
    header = ("population", "n", "counted", *names, "default", "noted", "missed, not noted")
    body = []
    for cell, by_method in cells.items():
        judged = [row for row in by_method.values() if row["default"]]
        body.append(
            (
                *cell,
                *(f"{100 * float(by_method[m]['share']):.1f}" if m in by_method else "–" for m in names),
                "; ".join(row["default"] for row in judged) or "–",
                "; ".join(f"{100 * float(row['noted']):.0f} %" for row in judged) or "–",
                "; ".join(f"{100 * unnoted(row):.1f}" for row in judged if row["kind"] in NOMINAL) or "–",
            )
        )
    rule = "|---|--:|---|" + "--:|" * len(names) + "---|--:|--:|"
    return "\n".join([f"| {' | '.join(header)} |", rule, *(f"| {' | '.join(line)} |" for line in body)])


def criterion(found: list[Row]) -> str:
    """Return how many cells of the defaults hold, by subject and kind."""
    header = (
        "subject",
        "counted",
        "cells",
        "hold",
        "outside, noted",
        "outside, not noted",
        "missed without a note",
        "lowest",
        "highest",
    )
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in found:
        if row["default"]:
            groups.setdefault((row["subject"], row["kind"]), []).append(row)
    body = []
    for (subject, kind), part in groups.items():
        outside = [row for row in part if row["default"] != "holds"]
        told = sum(float(row["noted"]) >= NOTED for row in outside)
        shares = [100 * float(row["share"]) for row in part]
        counts = (len(part), len(part) - len(outside), told, len(outside) - told, sum(map(beyond, part)))
        body.append((subject, kind, *map(str, counts), f"{min(shares):.1f}", f"{max(shares):.1f}"))
    rule = "|---|---|" + "--:|" * (len(header) - 2)
    return "\n".join([f"| {' | '.join(header)} |", rule, *(f"| {' | '.join(line)} |" for line in body)])
