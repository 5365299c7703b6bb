"""The JSON of every kind of result fits the schema that programs rely on, whose keys stay.

`test_unchanged_numbers` asks this of every golden case.
"""

from __future__ import annotations

import copy
import json
import runpy
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.golden.make_json_schema import (
    EARLIER,
    FILE,
    RESULT,
    Schema,
    in_parts,
    merged,
    missed,
    opened,
    results,
    schemas_of,
    stored,
    text_of,
)

import bestby as bb

DOCUMENT = json.loads(FILE.read_text(encoding="utf-8"))
DOCS = FILE.parents[1]


def test_every_kind_of_result_has_a_schema() -> None:
    Draft202012Validator.check_schema(DOCUMENT)
    kinds = {name for name in bb.results.__all__ if hasattr(getattr(bb.results, name), "to_json")}
    assert stored().keys() == {*kinds, RESULT}
    assert FILE.read_text(encoding="utf-8") == text_of(stored())


@pytest.mark.parametrize("path", EARLIER, ids=lambda path: path.stem)
def test_what_an_earlier_version_wrote_fits_when_it_is_written_again(path: Path) -> None:
    result = bb.load(path)
    Draft202012Validator(DOCUMENT).validate(json.loads(result.to_json()))
    assert lacking(stored(), schemas_of(result)) == []


def test_what_has_no_tests_or_no_intervals_fits() -> None:
    for result in in_parts():
        Draft202012Validator(DOCUMENT).validate(json.loads(result.to_json()))
        assert lacking(stored(), schemas_of(result)) == []


WITH_OPTIONAL_KEYS = (
    "facets", "facets_of_labels", "missing_items_in_pairs", "judged", "runs_welch_t", "folds_auto",
    "preferences_prior", "datasets_of_runs", "study_single_runs",
)  # fmt: skip
"""Golden cases that have the optional keys which no part alone and no earlier file has."""


@pytest.fixture(scope="module")
def of_many() -> dict[str, Schema]:
    """Return the schemas of so many results that each optional key is in one."""
    kinds: dict[str, Schema] = {}
    for result in results(WITH_OPTIONAL_KEYS):
        for kind, schema in schemas_of(result).items():
            kinds[kind] = merged(kinds.get(kind, {}), schema)
    return kinds


def test_no_optional_key_is_gone(of_many: dict[str, Schema]) -> None:
    kinds = stored()
    assert [line for kind in of_many for line in missed(kinds[kind], of_many[kind], kind, "properties")] == []


@pytest.mark.parametrize("key", ["low", "p_value", "p_adjusted", "significant", "winner", "verdict"])
def test_an_optional_key_that_no_result_has_is_seen(of_many: dict[str, Schema], key: str) -> None:
    now = copy.deepcopy(of_many["Comparison"])
    del now["properties"]["differences"]["items"]["properties"][key]
    gone = missed(stored()["Comparison"], now, "Comparison", "properties")
    assert gone == [f"Comparison.differences[].{key} is gone"]
    assert missed(stored()["Comparison"], now, "Comparison") == []


def lacking(kinds: dict[str, Schema], found: dict[str, Schema]) -> list[str]:
    """Return the schemas that would change with a result: it has other keys or types."""
    return [kind for kind, schema in found.items() if opened(merged(kinds[kind], schema)) != kinds[kind]]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"difference": ', '"gap": '),
        ('"significant": true', '"significant": "yes"'),
        ('"notes": ', '"remarks": '),
    ],
)
def test_a_key_that_is_gone_or_has_another_type_is_seen(before: str, after: str) -> None:
    text = bb.compare({"new": [1] * 20, "old": [0, 1] * 10}).to_json()
    validator = Draft202012Validator(DOCUMENT)
    assert validator.is_valid(json.loads(text))
    assert before in text
    assert not validator.is_valid(json.loads(text.replace(before, after)))
    assert validator.is_valid(json.loads(text.replace(before, f'"new key": 1, {before}')))


def test_the_page_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    page = runpy.run_path(str(DOCS / "make_json_page.py"))["page"]()
    assert (DOCS / "reference" / "json.md").read_text(encoding="utf-8") == page, (
        "run python docs/make_json_page.py"
    )
