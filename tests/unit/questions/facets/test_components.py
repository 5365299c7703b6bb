"""Variance components and the error of means: a set of numbers, plain loops, and the ways to break down."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from tests.unit.questions.facets.designs import cells, error

from bestby.errors import DesignError
from bestby.questions.facets.components import n_combinations


def test_one_set_of_numbers_without_chance() -> None:
    p, i = np.indices((3, 8)).reshape(2, -1)
    values = np.array([0.05, 0.10, 0.21])[p] + np.linspace(-0.2, 0.2, 8)[i] + 0.05 * (-1.0) ** (p + i)
    design = cells({"prompt": p, "item": i}, "item")
    assert design.components(values) == pytest.approx([0.0062238, 0.0175510, 0.0038095], abs=5e-8)
    found = error(design, values)
    assert found.standard_error == pytest.approx(0.0665373, abs=5e-8)
    assert float(found.mixture.share) == pytest.approx(0.50446, abs=5e-6)
    assert found.mixture.freedom == pytest.approx([2.0, 7.0])
    assert float(found.mixture.quantile(0.95)) == pytest.approx(3.215338, abs=5e-7)
    assert found.p_value(values.mean(), "two-sided") == pytest.approx(0.164131, abs=5e-7)


def test_coefficients_are_those_of_plain_loops() -> None:
    chance = np.random.default_rng(0)
    codes = dict(zip("psi", np.indices((3, 2, 5)).reshape(3, -1), strict=True))
    keep = chance.random(30) < 0.8
    codes = {name: code[keep] for name, code in codes.items()}
    design, values = cells(codes, "i", s="p"), chance.normal(size=int(keep.sum()))
    n = values.size
    keys = {
        effect: [tuple(codes[f][row] for f in sorted(effect)) for row in range(n)]
        for effect in design.nesting.effects
    }
    expected, squares = np.zeros((5, 5)), np.zeros(5)
    for row, e in enumerate(design.nesting.effects):
        for level in set(keys[e]):
            inside = [place for place in range(n) if keys[e][place] == level]
            squares[row] += len(inside) * (values[inside].mean() - values.mean()) ** 2
        for column, f in enumerate(design.nesting.effects):
            for level, other in product(set(keys[e]), set(keys[f])):
                together = sum(keys[e][place] == level and keys[f][place] == other for place in range(n))
                expected[row, column] += together**2 / keys[e].count(level)
            expected[row, column] -= sum(keys[f].count(other) ** 2 for other in set(keys[f])) / n
    # the sum of squares about the mean is that of the means less that of the mean
    assert design.components(values) == pytest.approx(np.linalg.solve(expected, squares))


def test_weights_are_equal_among_the_levels_of_each_facet() -> None:
    p, s, i = np.array([[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 2, 0]]).T
    design = cells({"p": p, "s": s, "i": i}, "i", s="p")
    assert design.weights == pytest.approx([0.25, 0.125, 0.125, 0.5])
    assert design.kappa[0] == pytest.approx(0.5)


def test_the_number_of_cells_there_could_be() -> None:
    p, s, i = (code.reshape(-1) for code in np.indices((2, 3, 4)))
    crossed, seeds = cells({"p": p, "s": s, "i": i}, "i"), cells({"p": p, "s": s + 3 * p, "i": i}, "i", s="p")
    for design in (crossed, seeds):
        codes = {facet: code[1:] for facet, code in design.codes.items()}
        assert n_combinations(design.nesting, list("psi"), codes) == 24
    own = cells({"p": p, "s": s + 3 * p, "i": i + 4 * p}, "i", s="p", i="p")
    assert n_combinations(own.nesting, list("psi"), own.codes) == 24


def test_what_cannot_be_told_apart_is_refused() -> None:
    p = np.array([0, 1, 2, 0, 1, 2])
    design = cells({"p": p, "i": np.array([0, 1, 2, 3, 4, 5])}, "i")
    with pytest.raises(DesignError, match="nothing tells p and i apart"):
        design.check_estimable()
