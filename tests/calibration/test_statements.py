"""Cells of statements: what is counted, and whether the default holds its range."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from calibration.statements import Outcome, Statements, What

from calibration import measuring, silence, statements, subjects

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


@pytest.mark.parametrize("name", subjects.modules())
def test_every_subject_makes_its_statements(name: str) -> None:
    """What it calls of the package is there, in its first cell and in one in the middle."""
    cells = list(subjects.modules()[name].cells())
    for one in (cells[0], cells[len(cells) // 2]):
        outcomes = one.one(np.random.default_rng(1), 1)
        assert all(what.kind in ("coverage", "rejected", "wrong", "power", "bias") for what in outcomes)


def test_what_is_missed_without_a_note_is_counted_by_method() -> None:
    """One cell in which too much is missed, one in which the few data sets without a note mislead."""

    def row(population: str, share: str, noted: str) -> dict[str, str]:
        told = {"share_unnoted": share, "noted": noted, "datasets": "1000", "default": "holds"}
        return told | {
            "subject": "some",
            "population": population,
            "n": "30",
            "kind": "coverage",
            "method": "t",
        }

    rows = [row("calm", "0.95", "0.000"), row("loud", "0.93", "0.000"), row("split", "0.85", "0.700")]
    rows += [row("drawn one", "0.80", "0.000"), row("drawn two", "0.95", "0.000")]
    found = silence.cases({"intervals": [], "tests": [], "families": [], "statements": rows}, {})
    assert [case.population for case in found if case.too_often] == ["loud", "drawn one"]
    assert [case.population for case in found if case.misleading] == ["split", "drawn one"]
    assert "| some | coverage | t | 3 | 1 | 1 | 7.0 | 15.0 |" in silence.by_method(found)
    exceptions = silence.exceptions(found)
    assert "| some | coverage | t | loud | 30 | 7.0 * | 7.0 | 0 % | 1000 |" in exceptions
    assert "| some | coverage | t | split | 30 | 4.5 | 15.0 * | 70 % | 1000 |" in exceptions
    assert "calm" not in exceptions
    assert "drawn" not in exceptions
    assert silence.drawn(found).startswith("Of 2 shares in cells drawn at random, 1 lie beyond the bound")
