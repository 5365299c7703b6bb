"""From stored cells to rows: coverage, misses and lengths, rejections, and the criterion."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bestby.comparisons import dependence, note_rules
from bestby.engine import interval_choice
from bestby.inference.samples import FEW_RUNS
from calibration import families, measuring
from calibration.files import Arrays, Row
from calibration.grid import Cell
from calibration.runs import Runs

ALPHA = 0.05
LOWEST, HIGHEST, LOWEST_AT_20 = 0.94, 0.97, 0.93
MOST_REJECTED = 0.055
ERRORS = 2.0
"""Standard errors by which a cell must be outside the limits to count as outside."""

SLACK = 1e-9
INTERVALS = (
    "family", "measure", "design", "systems", "agreement", "n", "differing", "effective", "method",
    "coverage", "se", "miss_below", "miss_above", "mean_length", "chosen", "noted", "coverage_unnoted",
    "datasets", "resamples",
)  # fmt: skip
TESTS = (
    "family", "measure", "design", "systems", "agreement", "n", "test", "alternative", "rejected", "se",
    "datasets", "resamples",
)  # fmt: skip
FAMILIES = ("measure", "systems", "n", "what", "share", "se", "datasets", "resamples")


def error(share: float, size: int) -> float:
    """Return the standard error of a share, no less than that of half a data set in all."""
    return math.sqrt(max(share * (1.0 - share), 0.25 / size) / size)


# -- intervals ---------------------------------------------------------------------------------------


def interval_rows(cell: Cell | Runs, data: Arrays) -> Iterator[Row]:
    """Yield a row per interval method and, where there is a rule, one for "auto"."""
    ends = data["ends"]
    varied = np.ones(cell.datasets, dtype=bool)
    if isinstance(cell, Cell):  # systems that do not differ have no interval, whatever the method
        varied = data["features"][:, measuring.FEATURES.index("n_differing")] > 0
    asked = (cell.only if isinstance(cell, Cell) else ()) or (*cell.methods, "auto")
    for j, method in enumerate(cell.methods):
        if method not in asked:
            continue
        there = np.isfinite(ends[:, j]).all(axis=1)
        # A method that does not apply has no row; one made of the first data sets only has those.
        tried = cell.studentized if isinstance(cell, Cell) and method == "studentized" else cell.datasets
        if there[:tried][varied[:tried]].mean() >= 0.99:
            yield _interval(cell, data, method, ends[:, j], there, np.zeros(cell.datasets, dtype=bool))
    if isinstance(cell, Cell) and cell.ruled and "auto" in asked:
        yield _automatic(cell, data)


def _automatic(cell: Cell, data: Arrays) -> Row:
    situations = measuring.situations(data["features"])
    chosen = [interval_choice.choose_interval(**situation).method for situation in situations]
    missing = set(chosen) - set(cell.methods)
    if missing:
        raise RuntimeError(f"auto chose what was not made: {missing} in {cell.key}")
    picked = data["ends"][np.arange(cell.datasets), [cell.methods.index(method) for method in chosen]]
    noted = np.array([is_noted(*pair) for pair in zip(chosen, situations, strict=True)])
    there = np.isfinite(picked).all(axis=1)
    row = _interval(cell, data, "auto", picked, there, noted)
    row["chosen"] = shares(chosen)
    return row


def shares(chosen: Sequence[str]) -> str:
    """Return how often each method was chosen, the commonest first."""
    names, counts = np.unique(chosen, return_counts=True)
    by_count = sorted(zip(counts.tolist(), names.tolist(), strict=True), reverse=True)
    return "; ".join(f"{name} {100 * count / len(chosen):.0f} %" for count, name in by_count)


def is_noted(method: str, situation: Any) -> bool:
    """Tell whether the result of such a data set carries a note on its interval."""
    if situation["difference"] and situation["n_differing"] == 0:
        return True  # "identical"
    if situation["few_clusters"]:
        return True  # "few_clusters"
    used = ("difference", "n_differing", "n_effective", "ranks", "steps")
    asked = {name: situation[name] for name in used}
    asked["plain_mean"] = situation["plain_mean"] or situation["mean"]
    return interval_choice.reservation(method, **asked) is not None


def _interval(cell: Cell | Runs, data: Arrays, method: str, ends: Any, there: Any, noted: Any) -> Row:
    low, high = ends[there].T
    below, above = cell.truth < low - SLACK, cell.truth > high + SLACK
    coverage = 1.0 - float(np.mean(below | above))
    noted = noted | _small(cell)
    if isinstance(cell, Runs):
        noted = noted | (data["features"][:, 0] > 0)
    quiet = ~noted[there]
    held = float(np.mean(~(below | above)[quiet])) if quiet.any() else math.nan
    differing, effective = _features(cell, data)
    return {
        **_named(cell),
        "differing": differing,
        "effective": effective,
        "method": method,
        "coverage": f"{coverage:.4f}",
        "se": f"{error(coverage, low.size):.4f}",
        "miss_below": f"{np.mean(below):.4f}",
        "miss_above": f"{np.mean(above):.4f}",
        "mean_length": f"{np.mean(high - low):.4g}",
        "chosen": "",
        "noted": f"{np.mean(noted[there]):.3f}" if method == "auto" else "",
        "coverage_unnoted": f"{held:.4f}" if method == "auto" and not math.isnan(held) else "",
        "datasets": str(low.size),
        "resamples": str(cell.resamples),
    }


def _small(cell: Cell | Runs) -> bool:
    """Tell whether all data sets of a cell carry a note on their size."""
    if isinstance(cell, Runs):
        return cell.n < FEW_RUNS
    if cell.family == "clusters":
        return cell.n < dependence.ENOUGH_FOR_BOOTSTRAP
    drawn = cell.n if cell.resample_size is None else cell.n * cell.resample_size
    return cell.n < note_rules.FEW_ITEMS or drawn < min(cell.n, note_rules.FEW_DRAWN)


def _features(cell: Cell | Runs, data: Arrays) -> tuple[str, str]:
    if isinstance(cell, Runs):
        return "", ""
    found = (data["features"][:, measuring.FEATURES.index(name)] for name in ("n_differing", "n_effective"))
    differing, effective = (float(np.nanmedian(column)) for column in found)
    return f"{differing:.0f}", f"{effective:.1f}"


def _named(cell: Cell | Runs) -> Row:
    agreement = "" if math.isnan(cell.agreement) else f"{cell.agreement:g}"
    return {
        "family": cell.family,
        "measure": cell.measure,
        "design": cell.design,
        "systems": cell.systems,
        "agreement": agreement,
        "n": str(cell.n),
    }


# -- tests -------------------------------------------------------------------------------------------


def test_rows(cell: Cell | Runs, data: Arrays) -> Iterator[Row]:
    """Yield a row per test and alternative, and one for "auto"."""
    names = [(test, side) for side in cell.alternatives for test in cell.tests]
    for column, (test, side) in enumerate(names):
        p = data["p"][: cell.tested, column]
        p = p[np.isfinite(p)]
        if p.size < 0.99 * min(cell.tested, cell.datasets):
            continue
        row = _rejections(cell, test, side, p)
        yield row
        if isinstance(cell, Cell) and test == "permutation":
            yield {**row, "test": "auto"}


def _rejections(cell: Cell | Runs, test: str, side: str, p: Any) -> Row:
    rate = float(np.mean(p <= ALPHA + 1e-12))
    return {
        **_named(cell),
        "test": test,
        "alternative": side,
        "rejected": f"{rate:.4f}",
        "se": f"{error(rate, p.size):.4f}",
        "datasets": str(p.size),
        "resamples": str(cell.resamples),
    }


def family_rows(cell: families.Family, data: Arrays) -> Iterator[Row]:
    """Yield a row per statement about a whole family."""
    for column, what in enumerate(families.COLUMNS):
        held = data["held"][:, column]
        if np.isnan(held).any():  # no pairs of the kind
            continue
        share = float(held.mean())
        yield {
            "measure": cell.measure,
            "systems": str(cell.systems),
            "n": str(cell.n),
            "what": what,
            "share": f"{share:.4f}",
            "se": f"{math.sqrt(max(float(held.var()), 0.25 / held.size) / held.size):.4f}",
            "datasets": str(cell.datasets),
            "resamples": str(cell.resamples),
        }


# -- the criterion -----------------------------------------------------------------------------------


def verdict(row: Row) -> str:
    """Return "holds", or in which way an interval of "auto" does not: "short" or "long".

    Coverage must be between 94 and 97 %, 93 % at 20 items, or within two standard errors of that.
    """
    coverage, reach = float(row["coverage"]), ERRORS * float(row["se"])
    least = LOWEST_AT_20 if int(row["n"]) <= 20 else LOWEST
    if coverage < least - reach:
        return "short"
    return "long" if coverage > HIGHEST + reach else "holds"


def keeps_level(row: Row) -> bool:
    """Tell whether a test of alike systems rejects at most 5.5 % at 5 %, or within two standard errors."""
    return float(row["rejected"]) <= MOST_REJECTED + ERRORS * float(row["se"])
