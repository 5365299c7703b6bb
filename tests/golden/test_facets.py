"""Variance components as published by Brennan (2001), and the intervals that they give here.

Data sets 1 to 4 and the unbalanced one of Generalizability Theory, as the tests of GeneralizIT (MIT) reprint
them. Standard errors are by the
book's formula; the intervals are those of a calculation made apart from this package.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.unit.questions.facets.designs import averaged, cells, error

from bestby.questions.facets.components import Cells
from bestby.questions.facets.reference import error_of_mean
from bestby.questions.facets.study import Estimates

Shared = Callable[[str], Path]


def read(
    shared_data: Shared, file: str, *facets: str, items: str = "person", **within: str
) -> tuple[Cells, np.ndarray]:
    table = pd.read_csv(shared_data("gtheory") / file).dropna()
    codes = {facet: pd.factorize(table[facet])[0] for facet in facets}
    return cells(codes, items, **within), table.score.to_numpy(float)


def by_name(design: Cells, values: np.ndarray) -> dict[str, float]:
    names = ["".join(facet[0] for facet in sorted(effect)) for effect in design.nesting.effects]
    return dict(zip(names, design.components(values).round(4), strict=True))


def test_persons_by_items(shared_data: Shared) -> None:
    table = pd.read_csv(shared_data("gtheory") / "brennan_1.csv").melt("person", value_name="score")
    codes = {"item": pd.factorize(table.variable)[0], "person": table.person.to_numpy() - 1}
    design, values = cells(codes, "person"), table.score.to_numpy(float)
    assert by_name(design, values) == {"i": 0.0754, "p": 0.0574, "ip": 0.1269}
    found = error(design, values)
    assert found.standard_error == pytest.approx(0.11438, abs=5e-6)
    half = found.half_length(0.95)
    assert [0.5583333 - half, 0.5583333 + half] == pytest.approx([0.30298, 0.81369], abs=5e-6)
    # The decision study: dependability with 5, 10, 15 and 20 items
    person, item, both = 0.0574, 0.0754, 0.1269
    for size, phi in zip((5, 10, 15, 20), (0.586, 0.739, 0.810, 0.850), strict=True):
        assert person / (person + (item + both) / size) == pytest.approx(phi, abs=2e-3)


def test_persons_by_items_by_occasions(shared_data: Shared) -> None:
    design, values = read(shared_data, "brennan_3.csv", "item", "occasion", "person")
    assert by_name(design, values) == {
        "p": 0.5528, "i": 0.4417, "o": 0.0074, "ip": 0.5750, "op": 0.1009, "io": 0.1565, "iop": 0.9352,
    }  # fmt: skip
    found = error(design, values)
    assert found.standard_error == pytest.approx(0.46912, abs=5e-6)
    assert float(found.mixture.quantile(0.95)) == pytest.approx(2.6381, abs=5e-5)
    half = found.half_length(0.95)
    assert [values.mean() - half, values.mean() + half] == pytest.approx([4.0374, 6.5126], abs=5e-5)
    parts = design.components(values) * design.kappa
    estimates = Estimates(design.nesting, np.array([4.0, 2.0, 10.0]), parts, design.freedom)
    for sizes, expected in (((8, 2, 10), 0.37689), ((4, 4, 10), 0.44729)):
        assert estimates.error(np.array(sizes, float)).standard_error == pytest.approx(expected, abs=5e-6)


def test_items_in_persons(shared_data: Shared) -> None:
    table = pd.read_csv(shared_data("gtheory") / "brennan_3.csv")
    item = pd.factorize(table.person * 1000 + table.item * 10 + table.occasion)[0]
    design = cells({"person": pd.factorize(table.person)[0], "item": item}, "item", item="person")
    assert design.components(table.score.to_numpy(float)) == pytest.approx([0.6108, 2.0250], abs=5e-5)


def test_raters_in_tasks_are_averaged_for_the_interval(shared_data: Shared) -> None:
    design, values = read(shared_data, "brennan_4.csv", "task", "rater", "person", rater="task")
    assert by_name(design, values) == {"p": 0.4731, "t": 0.3252, "rt": 0.6475, "pt": 0.5596, "prt": 2.3802}
    found = error(*averaged(design, values))
    assert found.standard_error == pytest.approx(0.49814, abs=5e-6)
    assert [float(found.mixture.share), *found.mixture.freedom] == pytest.approx([0.8093, 2.0, 9.0], abs=2e-4)
    half = found.half_length(0.95)
    assert [4.75 - half, 4.75 + half] == pytest.approx([2.8245, 6.6755], abs=5e-5)
    # Where no component is negative, what is averaged out has the same variance as what is kept
    parts = design.components(values) * design.kappa
    kept = error_of_mean(parts, design.freedom, design.levels, design.nesting)
    assert kept.standard_error == pytest.approx(found.standard_error, rel=1e-12)


def test_unbalanced_and_missing_cells(shared_data: Shared) -> None:
    design, values = read(shared_data, "brennan_unbalanced.csv", "group", "item", "person", item="group")
    assert by_name(design, values) == {"p": 1.2014, "g": 2.9161, "gi": 0.2946, "gp": 0.9914, "gip": 0.8429}
    design, values = read(shared_data, "missing.csv", "item", "person")
    assert by_name(design, values) == {"p": 0.0473, "i": 0.0117, "ip": 0.1840}
