"""Other tools on the data sets of some cells of the grid, run as installed packages apart from bestby.

    python -m calibration.rivals [--python PYTHON] [--datasets 200]

The tools are scipy.stats.bootstrap, BootCI, stambo, evalstats, deepsig and sacrebleu, in the environment that
`make bench` makes (build/rivals). What a tool says of a cell is stored and not asked again. Seeded; half an
hour on one core, most of it for deepsig's stochastic order. Writes results/rivals.csv. Without the
environment the stored rows stay as they are.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bestby.data.evaluation import Evaluation
from bestby.engine import prepare, significance_tests
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.metrics import resolve
from bestby.questions.order.ordering import aso
from calibration import CACHE, RESULTS, ROOT, counting, files, null_texts
from calibration.grid import Cell, grid
from calibration.rivals_worker import RESAMPLES
from calibration.runs import DRAWS, Runs

PYTHON = ROOT / "build" / "rivals" / "bin" / "python"
OUT = RESULTS / "rivals.csv"
CELLS = (
    ("accuracy", "alike", 0.9, 50),
    ("accuracy", "alike", 0.98, 200),
    ("accuracy", "apart", 0.8, 200),
    ("macro-F1", "alike", 0.9, 50),
    ("skewed mean", "alike", 0.5, 20),
    ("skewed mean", "alike", 0.9, 200),
)
"""Metric, systems, agreement and number of items: cells of the base design."""

TOOLS = ("scipy", "BootCI", "stambo", "evalstats", "deepsig")
PER_ITEM = ("evalstats", "deepsig")
"""Tools that know means of scores per item only."""

TEXTS = (50,)
"""Segments of the cells of BLEU, for sacrebleu and bestby."""

RUNS = (5, 20)
"""Runs of the cells of normal scores, alike, for deepsig and bestby."""

COLUMNS = (
    "tool", "measure", "systems", "agreement", "n", "what", "kind", "share", "se", "miss_below", "miss_above",
    "mean_length", "failed", "datasets",
)  # fmt: skip
Found = dict[str, Any]


def cells() -> list[Cell]:
    """Return the cells of the grid that the tools are asked about."""
    base = {(c.measure, c.systems, c.agreement, c.n): c for c in grid() if c.family == "base"}
    return [base[key] for key in CELLS]


def asked(python: Path, tool: str, measure: str, data: str) -> list[Found]:
    """Return what a tool says of every data set."""
    worker = Path(__file__).with_name("rivals_worker.py")
    made = subprocess.run([python, worker, tool, measure, data], capture_output=True, check=False)
    if made.returncode:
        raise RuntimeError(f"{tool} on {measure}: {made.stderr.decode()[-2000:]}")
    return [json.loads(line) for line in made.stdout.decode().splitlines()]


def answers(python: Path, tool: str, cell: Cell, datasets: int) -> list[Found]:
    """Return what a tool says of the first data sets of a cell, asked now or earlier."""
    path = CACHE / f"{tool}-{zlib.crc32(f'{cell.key}|{datasets}'.encode()):08x}.json"
    if not path.exists():
        rng = np.random.default_rng(zlib.crc32(cell.key.encode()))
        sets = [cell.population.draw(rng, cell.n) for _ in range(datasets)]
        blank = np.zeros(cell.n)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "data.npz"
            np.savez(
                file,
                a=[one.systems["a"] for one in sets],
                b=[one.systems["b"] for one in sets],
                gold=[blank if one.gold is None else one.gold for one in sets],
            )
            found = asked(python, tool, cell.measure, str(file))
        _store(path, found)
    result: list[Found] = json.loads(path.read_text(encoding="utf-8"))
    return result


def orders_found(python: Path, tool: str, cell: Runs, datasets: int) -> list[Found]:
    """Return what a tool says of the runs of two systems, asked now or earlier."""
    path = CACHE / f"{tool}-{zlib.crc32(f'{cell.key}|{datasets}'.encode()):08x}.json"
    if not path.exists():
        rng, draw = np.random.default_rng(zlib.crc32(cell.key.encode())), DRAWS[cell.design]
        sets = [(draw(rng, cell.n), draw(rng, cell.n)) for _ in range(datasets)]
        if tool == "bestby":
            _store(path, [_our_order(*one) for one in sets])
            return orders_found(python, tool, cell, datasets)
        a, b = (np.array(columns) for columns in zip(*sets, strict=True))
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "data.npz"
            np.savez(file, a=a, b=b, gold=np.zeros_like(a))
            _store(path, asked(python, tool, cell.measure, str(file)))
    result: list[Found] = json.loads(path.read_text(encoding="utf-8"))
    return result


def _our_order(a: Any, b: Any) -> Found:
    return {"p, permutation, one-sided": aso(a, b).p_value}


def texts(python: Path, tool: str, n: int, datasets: int) -> list[Found]:
    """Return the p-values of tests of BLEU on data sets of alike systems, made now or earlier."""
    path = CACHE / f"{tool}-texts-{n}-{datasets}.json"
    if not path.exists():
        seed = zlib.crc32(f"texts|{n}".encode())
        if tool == "bestby":
            _store(path, _ours(seed, datasets, n))
        else:
            _store(path, asked(python, tool, "BLEU", f"{seed},{datasets},{n}"))
    result: list[Found] = json.loads(path.read_text(encoding="utf-8"))
    return result


def _ours(seed: int, datasets: int, n: int) -> list[Found]:
    rng = np.random.default_rng(seed)
    out: list[Found] = []
    for i in range(datasets):
        references, a, b = null_texts.draw(rng, n)
        evaluation = Evaluation.of({"a": a, "b": b}, references)
        (group,) = prepare.groups(evaluation, [resolve("bleu")])
        estimate = Estimates(group, Drawing(RESAMPLES, seed + i)).of(0, 1)
        out.append(
            {
                f"p, {name}": significance_tests.result(name, estimate, "two-sided").p_value
                for name in ("bootstrap", "permutation")
            }
        )
    return out


def _store(path: Path, found: list[Found]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(found), encoding="utf-8")
    part.rename(path)


def rows_of(tool: str, named: files.Row, truth: float, found: Sequence[Found]) -> list[files.Row]:
    """Return a row per interval (coverage) and test (share rejected) of a tool on a cell."""
    names = list(dict.fromkeys(name for one in found for name in one if name != "failed"))
    rows = []
    for name in names:
        values = np.array([one[name] for one in found if name in one], dtype=np.float64)
        defined = np.isfinite(values) if values.ndim == 1 else np.isfinite(values).all(axis=1)
        values = values[defined]
        row = {"tool": tool, **named, "what": name.removeprefix("p, ")}
        if name.startswith("p, "):
            share = float(np.mean(values <= counting.ALPHA + 1e-12))
            row |= {"kind": "rejected", "miss_below": "", "miss_above": "", "mean_length": ""}
        else:
            low, high = values.T
            below = float(np.mean(truth < low - counting.SLACK))
            above = float(np.mean(truth > high + counting.SLACK))
            share = 1.0 - below - above
            row |= {"kind": "coverage", "miss_below": f"{below:.4f}", "miss_above": f"{above:.4f}"}
            row["mean_length"] = f"{np.mean(high - low):.4g}"
        row |= {
            "share": f"{share:.4f}",
            "se": f"{counting.error(share, len(values)):.4f}",
            "failed": str(len(found) - len(values)),
            "datasets": str(len(values)),
        }
        rows.append(row)
    return rows


def measured(python: Path, datasets: int) -> list[files.Row]:
    """Return the rows of all tools."""
    rows: list[files.Row] = []
    for cell in cells():
        named = {
            "measure": cell.measure,
            "systems": cell.systems,
            "agreement": f"{cell.agreement:g}",
            "n": str(cell.n),
        }
        for tool in TOOLS:
            if tool in PER_ITEM and cell.measure == "macro-F1":
                continue
            rows += rows_of(tool, named, cell.truth, answers(python, tool, cell, datasets))
            sys.stderr.write(f"{tool}, {cell.key}\n")
    for n in RUNS:
        alike = Runs("normal", "alike", n)
        named = {"measure": alike.measure, "systems": "alike", "agreement": "", "n": str(n)}
        for tool in ("deepsig", "bestby"):
            rows += rows_of(tool, named, 0.0, orders_found(python, tool, alike, datasets))
            sys.stderr.write(f"{tool}, {alike.key}\n")
    for n in TEXTS:
        named = {"measure": "BLEU", "systems": "alike", "agreement": "", "n": str(n)}
        for tool in ("sacrebleu", "bestby"):
            rows += rows_of(tool, named, math.nan, texts(python, tool, n, 3 * datasets))
            sys.stderr.write(f"{tool}, BLEU, {n} segments\n")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", type=Path, default=PYTHON, help="has the tools [build/rivals/bin/python]")
    parser.add_argument("--datasets", type=int, default=200, help="per cell; three times as many of texts")
    arguments = parser.parse_args()
    if not arguments.python.exists():
        sys.stderr.write(f"{arguments.python} is not there: `make bench` makes it; rows stay as they are\n")
        return
    files.write(OUT, COLUMNS, measured(arguments.python, arguments.datasets))


if __name__ == "__main__":
    main()
