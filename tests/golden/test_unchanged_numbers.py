"""The numbers and columns of results of every kind are equal to those in `data/unchanged_numbers.json`.

After an intended change, `python -m tests.golden.make_unchanged_numbers NAME` writes the new numbers of a
case; the change belongs into the changelog.
"""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
import scipy
from tests.golden.make_json_schema import merged, missed, opened, schemas_of, stored
from tests.golden.make_unchanged_numbers import CASES, FILE
from tests.golden.numbers_of_results import FirstRows, extract

import bestby as bb

EXPECTED = json.loads(FILE.read_text(encoding="utf-8"))
KINDS = stored()
RELATIVE = 1e-9
ROUNDING = 1e-13
"""A stored number below this is 0 but for rounding."""

NEEDED_SCIPY = {"sample_size_of_scores": ((1, 15), (2,)), "normality": ((1,), (1, 18))}
"""From which SciPy on, and before which: earlier ones compute the noncentral t distribution to fewer digits,
and from 1.18 on Shapiro and Wilk's W has other digits from the tenth on, and its p-value from the ninth."""


def changes(expected: Any, actual: Any, where: str = "") -> list[str]:
    """Return where two results differ; additional fields are no difference."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        missing = [f"{where}.{key} is missing" for key in expected if key not in actual]
        return missing + [
            line
            for key, value in expected.items()
            if key in actual
            for line in changes(value, actual[key], f"{where}.{key}")
        ]
    if isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            return [f"{where}: {expected} is now {actual}"]
        pairs = enumerate(zip(expected, actual, strict=True))
        return [line for place, pair in pairs for line in changes(*pair, f"{where}[{place}]")]
    if equal(expected, actual):
        return []
    return [f"{where}: {expected!r} is now {actual!r}"]


def equal(expected: Any, actual: Any) -> bool:
    """Return whether two plain values are equal: numbers to 1e-9 of themselves."""
    kinds = (int, float)
    if isinstance(expected, bool) or isinstance(actual, bool) or not isinstance(expected, kinds):
        return type(expected) is type(actual) and bool(expected == actual)
    if not isinstance(actual, kinds):
        return False
    floor = RELATIVE if expected == 0 else 1e-12 if abs(expected) < ROUNDING else 0.0
    return math.isclose(expected, actual, rel_tol=RELATIVE, abs_tol=floor)


def test_every_case_is_in_the_file() -> None:
    assert list(EXPECTED) == list(CASES)


def test_every_kind_of_result_is_in_the_file() -> None:
    kinds = {case["kind"] for case in EXPECTED.values() if "kind" in case}
    assert kinds == {name for name in bb.results.__all__ if hasattr(getattr(bb.results, name), "to_json")}


@pytest.mark.parametrize("name", CASES)
def test_unchanged(name: str) -> None:
    first, end = NEEDED_SCIPY.get(name, ((), (math.inf,)))
    if not first <= tuple(int(part) for part in scipy.__version__.split(".")[:2]) < end:
        pytest.skip(f"{name} needs SciPy from {first} on and before {end}")
    result = CASES[name]()
    actual = json.loads(json.dumps(extract(result)))
    found = changes(EXPECTED[name], actual)
    assert not found, f"{len(found)} numbers of {name!r} have changed:\n" + "\n".join(found[:20])
    if not isinstance(result, dict):
        schemas = schemas_of(result.result if isinstance(result, FirstRows) else result)
        assert not [line for kind in schemas for line in missed(KINDS[kind], schemas[kind], kind)]
        other = [kind for kind in schemas if opened(merged(KINDS[kind], schemas[kind])) != KINDS[kind]]
        assert not other, "new keys: run python -m tests.golden.make_json_schema, and docs/make_json_page.py"


def test_a_change_is_seen_and_an_addition_is_not() -> None:
    expected = {"p": 0.25, "zero": 0.0, "name": "t", "rows": [1, None], "exact": True}
    assert changes(expected, expected | {"more": 1}) == []
    assert changes(expected, expected | {"p": 0.25 * (1 + 1e-10)}) == []
    assert changes(expected, expected | {"zero": -1e-12}) == []
    for change in (
        {"p": 0.25 * (1 + 1e-8)},
        {"p": "nan"},
        {"zero": 1e-8},
        {"name": "z"},
        {"rows": [1]},
        {"rows": [1, 0]},
        {"exact": 1},
    ):
        assert len(changes(expected, expected | change)) == 1
    assert changes(expected, {key: value for key, value in expected.items() if key != "p"}) == [
        ".p is missing"
    ]
