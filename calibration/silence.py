"""What defaults miss without a note: how often, by method, and the cells in which that is too often."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from calibration import statements
from calibration.files import Row

NOMINAL = 0.05
TWICE = 2.0 * NOMINAL
QUIET = 0.1
"""The share of data sets without a note from which the share missed among them counts."""

DRAWN = "drawn "
"""What the names of populations with parameters from a random generator begin with."""

TOGETHER = {
    "all differences within simultaneous intervals": "coverage",
    "none rejected after Holm's correction": "rejected",
    "none rejected by step-down": "rejected",
}


class Case(NamedTuple):
    """What a default misses in one cell.

    `missed` is the share of data sets in which an interval misses, a true hypothesis is rejected or a verdict
    is wrong, and no note says so; `quiet` that of data sets without a note.
    """

    part: str
    kind: str
    method: str
    population: str
    n: str
    missed: float
    quiet: float
    datasets: int

    @property
    def among_quiet(self) -> float | None:
        """The share missed among the data sets without a note; None where they are too few to count."""
        return self.missed / self.quiet if self.quiet >= QUIET else None

    @property
    def too_often(self) -> bool:
        """Whether more than the nominal share and two standard errors is missed without a note."""
        reach = statements.ERRORS * statements.error(NOMINAL, self.datasets)
        return self.missed > NOMINAL + reach

    @property
    def misleading(self) -> bool:
        """Whether more than twice the nominal share of the data sets without a note is missed."""
        return self.among_quiet is not None and self.among_quiet > TWICE


def cases(found: Mapping[str, Sequence[Row]], factors: Mapping[str, str]) -> list[Case]:
    """Return what was counted of all defaults; `factors` are the names of the factors of the grid."""
    return [
        *_of_intervals(found["intervals"], factors),
        *_of_tests(found["tests"], factors),
        *_of_families(found["families"]),
        *_of_statements(found["statements"]),
    ]


def _words(row: Row) -> str:
    agreement = f"agree on {100 * float(row['agreement']):.0f} %" if row["agreement"] else ""
    return ", ".join(filter(None, (row["measure"], row["design"], row["systems"], agreement)))


def _of_intervals(rows: Sequence[Row], factors: Mapping[str, str]) -> Iterator[Case]:
    for row in rows:
        if row["method"] != "auto":
            continue
        quiet = 1.0 - float(row["noted"])
        missed = quiet * (1.0 - float(row["coverage_unnoted"] or 1.0))
        method = row["chosen"].split(" ")[0] or "auto"  # the one chosen most often
        part = factors[row["family"]]
        yield Case(part, "coverage", method, _words(row), row["n"], missed, quiet, int(row["datasets"]))


def _of_tests(rows: Sequence[Row], factors: Mapping[str, str]) -> Iterator[Case]:
    """Yield the tests of systems that are alike, whose notes are not stored: as if there were none."""
    for row in rows:
        if row["test"] == "auto" and row["systems"] == "alike":
            words = ", ".join(filter(None, (_words(row), row["alternative"].replace("two-sided", ""))))
            missed = float(row["rejected"])
            part = factors[row["family"]]
            yield Case(part, "rejected", "auto", words, row["n"], missed, 1.0, int(row["datasets"]))


def _of_families(rows: Sequence[Row]) -> Iterator[Case]:
    """Yield what is to hold of all pairs of several systems; notes are not stored."""
    for row in rows:
        kind = TOGETHER.get(row["what"])
        if kind is not None:
            words = f"{row['measure']}, {row['systems']} systems"
            missed = 1.0 - float(row["share"])
            yield Case(
                "several systems", kind, row["what"], words, row["n"], missed, 1.0, int(row["datasets"])
            )


def _of_statements(rows: Sequence[Row]) -> Iterator[Case]:
    for row in rows:
        if row["default"] and row["kind"] in statements.NOMINAL:
            missed, quiet = statements.unnoted(row), 1.0 - float(row["noted"])
            names = (row["subject"], row["kind"], row["method"], row["population"], row["n"])
            yield Case(*names, missed, quiet, int(row["datasets"]))


# -- tables ------------------------------------------------------------------------------------------


def by_method(found: Sequence[Case]) -> str:
    """Return how many fixed cells of each method miss too often without a note, and the most of any."""
    groups: dict[tuple[str, str, str], list[Case]] = {}
    for case in found:
        if not case.population.startswith(DRAWN):
            groups.setdefault((case.part, case.kind, case.method), []).append(case)
    body = []
    for names, part in groups.items():
        counts = (len(part), sum(c.too_often for c in part), sum(c.misleading for c in part))
        among = [c.among_quiet for c in part if c.among_quiet is not None]
        most = (_percent(max(c.missed for c in part)), _percent(max(among)) if among else "–")
        body.append((*names, *map(str, counts), *most))
    header = ("part", "counted", "method", "cells", "too often", "misleading", "missed, not noted")
    return _table((*header, "missed where none"), body, 3)


def exceptions(found: Sequence[Case]) -> str:
    """Return the fixed cells that miss too often without a note, or where none is."""
    there = [c for c in found if not c.population.startswith(DRAWN) and (c.too_often or c.misleading)]
    body = [
        (
            *(c.part, c.kind, c.method, c.population, c.n),
            f"{_percent(c.missed)}{' *' * c.too_often}",
            "–" if c.among_quiet is None else f"{_percent(c.among_quiet)}{' *' * c.misleading}",
            f"{100 * (1.0 - c.quiet):.0f} %",
            str(c.datasets),
        )
        for c in there
    ]
    header = ("part", "counted", "method", "population", "n", "missed, not noted", "missed where none")
    return _table((*header, "noted", "data sets"), body, 4)


def drawn(found: Sequence[Case]) -> str:
    """Return in a sentence how many of the cells drawn at random miss too often, and the worst of them."""
    there = [c for c in found if c.population.startswith(DRAWN)]
    beyond = sum(c.too_often for c in there)
    worst = max(there, key=lambda c: c.missed)
    share, most = _percent(beyond / len(there)), _percent(worst.missed)
    return (
        f"Of {len(there)} shares in cells drawn at random, {beyond} lie beyond the bound ({share} %). Of the"
        f" worst, {most} % are missed and not noted: {worst.kind}, {worst.population}, n = {worst.n}."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _table(header: Sequence[str], body: Sequence[Sequence[str]], words: int) -> str:
    rule = "|" + "---|" * words + "--:|" * (len(header) - words)
    return "\n".join(f"| {' | '.join(line)} |" if line else rule for line in (header, (), *body))
