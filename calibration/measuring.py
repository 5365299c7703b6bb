"""One cell: data sets drawn, intervals and tests made, and all of it stored."""

from __future__ import annotations

import inspect
import math
import time
import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from bestby._core.errors import BestbyError, DesignError
from bestby.engine import interval_choice, interval_methods, prepare, significance_tests
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimate, Estimates, Situation
from bestby.inference import multiplicity
from bestby.metrics import resolve
from calibration import CACHE, families, files, runs, statements
from calibration.families import Family
from calibration.files import Arrays
from calibration.grid import Cell
from calibration.runs import Runs
from calibration.statements import Statements

LEVEL = 0.95
FEATURES = tuple(Situation.__annotations__)
"""What the rule of "auto" looks at, stored so that the rule can be applied again without a new run."""

AnyCell = Cell | Runs | Family | Statements


def run(cell: Cell) -> Arrays:
    """Return the ends of the intervals (D, M, 2), the p-values (D, T) and the features (D, F)."""
    warnings.filterwarnings("ignore", category=RuntimeWarning)  # undefined resamples are counted, not shown
    start = time.process_time()
    seed = zlib.crc32(cell.key.encode())
    rng = np.random.default_rng(seed)
    known: dict[bytes, tuple[Any, ...] | None] = {}
    found: list[tuple[Any, ...]] = []
    undefined = 0
    while len(found) < cell.datasets:
        evaluation = cell.population.draw(rng, cell.n)
        # Tables of counts come round again, and with them all that follows.
        arrays = (*evaluation.systems.values(), evaluation.gold, evaluation.clusters)
        content = b"|".join(np.asarray(x).tobytes() for x in arrays if x is not None)
        if content not in known:
            known[content] = one(cell, evaluation, seed + len(found), len(found))
        result = known[content]
        if result is None:
            undefined += 1
            if undefined > 100 * cell.datasets:
                raise RuntimeError(f"the metric is hardly ever defined: {cell.key}")
            continue
        found.append(result)
    ends, p, features = (np.array(column) for column in zip(*found, strict=True))
    seconds = time.process_time() - start
    return {
        "ends": ends,
        "p": p,
        "features": features,
        "undefined": np.array(undefined),
        "seconds": np.array(seconds),
    }


def one(cell: Cell, evaluation: Any, seed: int, number: int) -> tuple[Any, ...] | None:
    """Return what is made of one data set; None if a score is undefined on it."""
    try:
        (group,) = prepare.groups(evaluation, [resolve(cell.metric)])
        estimates = Estimates(group, Drawing(cell.resamples, seed, resample_size=cell.resample_size))
        if not np.isfinite(estimates.scores).all():
            return None
    except BestbyError:
        return None
    pair = estimates.of(0, 1)
    estimate = estimates.of(0) if cell.systems == "one" else pair
    situation: dict[str, Any] = dict(estimate.situation())
    made = {*cell.methods}
    if cell.only:
        made = {*cell.only, interval_choice.choose_interval(**situation).method}
    if number >= cell.studentized:
        made -= {"studentized"}
    ends = [_ends(estimate, m) if m in made else (math.nan, math.nan) for m in cell.methods]
    asked = [(test, side) for side in cell.alternatives for test in cell.tests]
    p = [_p_value(pair, test, side) if number < cell.tested else math.nan for test, side in asked]
    return ends, p, [math.nan if situation[name] is None else float(situation[name]) for name in FEATURES]


def _ends(estimate: Estimate, method: str) -> tuple[float, float]:
    try:
        interval, _ = interval_methods.interval(estimate, method, LEVEL)
    except DesignError:
        return math.nan, math.nan
    return (math.nan, math.nan) if interval is None else (interval.low, interval.high)


def _p_value(pair: Estimate, test: str, side: Any) -> float:
    try:
        return significance_tests.result(test, pair, side).p_value
    except DesignError:
        return math.nan


def situations(features: Any) -> list[Situation]:
    """Return the situations of the rule from stored features (D, F)."""
    kinds = get_type_hints(Situation)

    def value(name: str, number: float) -> Any:
        if kinds[name] is bool:
            return bool(number)
        if math.isnan(number):
            return None
        return int(number) if kinds[name] is int else number

    return [
        Situation(**{name: value(name, x) for name, x in zip(FEATURES, row, strict=True)})  # type: ignore[typeddict-item]
        for row in features.tolist()
    ]


def path_of(cell: AnyCell, cache: Path = CACHE) -> Path:
    """Return where a cell is stored; what it is made of is in the name."""
    content: Sequence[object] = (cell,)
    if isinstance(cell, Family):  # keeps what "auto" came to, not what it looks at: made anew with the rule
        content = (cell, inspect.getsource(interval_choice), inspect.getsource(multiplicity))
    if isinstance(cell, Statements):
        content = (cell.key, cell.datasets)
    if isinstance(cell, Cell):
        content = (
            cell.key,
            cell.methods,
            cell.tests,
            cell.alternatives,
            cell.datasets,
            cell.resamples,
            cell.resample_size,
            cell.tested,
            *cell.only,
        )
    return cache / f"{zlib.crc32(repr(content).encode()):08x}.npz"


def made(cell: AnyCell) -> Arrays:
    """Return a cell made now."""
    if isinstance(cell, Runs):
        return runs.run(cell)
    if isinstance(cell, Statements):
        return statements.run(cell)
    return families.run(cell) if isinstance(cell, Family) else run(cell)


def stored(cell: AnyCell, cache: Path = CACHE) -> Arrays:
    """Return a cell, made now or earlier."""
    return files.kept(path_of(cell, cache), lambda: made(cell))
