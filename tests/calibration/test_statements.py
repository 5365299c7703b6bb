"""Cells of statements: what is counted, and whether the default holds its range."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from calibration.statements import Outcome, Statements, What

from calibration import measuring, statements, subjects

COVERS, REJECTS = What("coverage", "auto", default=True), What("rejected", "t")


def cell(share: float, units: int = 30, noted: bool = False) -> Statements:
    """Return a cell in which the interval covers that share of 100 data sets, in turn."""
    turn = iter(range(100))

    def one(rng: np.random.Generator, seed: int) -> dict[What, Outcome]:
        number = next(turn)
        found = {COVERS: Outcome(number < 100 * share, noted)}
        return found | {REJECTS: Outcome(False)} if number % 2 else found

    return Statements("some", "a population", "30", units, one, datasets=100)


@pytest.mark.parametrize(
    ("share", "units", "verdict"),
    [(0.95, 30, "holds"), (0.87, 30, "short"), (0.87, 20, "holds"), (0.85, 20, "short"), (1.0, 30, "long")],
)
def test_the_coverage_of_a_default_is_judged(share: float, units: int, verdict: str) -> None:
    row, _ = statements.rows(cell(share, units), statements.run(cell(share, units)))
    assert (row["share"], row["default"], row["datasets"]) == (f"{share:.4f}", verdict, "100")


@pytest.mark.parametrize(
    ("mean", "verdict"), [(0.0, "holds"), (-0.45, "holds"), (-0.7, "biased"), (0.4, "biased")]
)
def test_a_bias_is_judged_by_its_own_spread(mean: float, verdict: str) -> None:
    turn = iter(range(100))

    def one(rng: np.random.Generator, seed: int) -> dict[What, Outcome]:
        return {What("bias", "estimate", default=True): Outcome(mean + (1.0 if next(turn) % 2 else -1.0))}

    biased = Statements("some", "a population", "30", 30, one, datasets=100)
    (row,) = statements.rows(biased, statements.run(biased))
    assert (row["share"], row["se"], row["default"]) == (f"{mean:.4f}", "0.1000", verdict)


def test_statements_that_were_not_made_do_not_count(tmp_path: Path) -> None:
    _, rejected = statements.rows(cell(0.95), measuring.stored(cell(0.95), tmp_path))
    assert (rejected["share"], rejected["datasets"], rejected["default"]) == ("0.0000", "50", "")


def test_a_note_is_counted_beside_the_share_without_it() -> None:
    row = next(statements.rows(cell(0.5, noted=True), statements.run(cell(0.5, noted=True))))
    assert (row["noted"], row["share_unnoted"]) == ("1.000", "")
    assert "| some | coverage | 1 | 0 | 1 | 0 | 0 | 50.0 | 50.0 |" in statements.criterion([row])


def test_every_subject_has_cells_of_its_own_name() -> None:
    for name, module in subjects.modules().items():
        cells = list(module.cells())
        assert module.TITLE
        assert module.TEXT.strip()
        assert cells
        assert {one.subject for one in cells} == {name}
        assert len({one.key for one in cells}) == len(cells)
