from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.readers.formats.log_files import alpaca, message, scores_of
from tests.unit.readers.helpers import Make

from bestby import compare, compare_preferences
from bestby.errors import InvalidInputError
from bestby.readers.formats import alpaca_eval as form
from bestby.readers.formats.base import format_in


def _files(make: Make, **content: Any) -> dict[str, Path]:
    return {name: make(f"{name}.json", json.dumps(rows)) for name, rows in content.items()}


def test_win_rates_of_two_generators(make: Make) -> None:
    found = form.read(_files(make, annotations=alpaca([1, 2, 1.5, 2, 1.75])))
    assert scores_of(found) == {"ref": [1.0, 0.0, 0.5, 0.0, 0.25], "m": [0.0, 1.0, 0.5, 1.0, 0.75]}
    assert found.metric.name == "win_rate"
    rows = [*zip(*(found.preferences[name] for name in ("item", "a", "b", "winner")), strict=True)]
    assert rows[0] == ("1: do 0", "ref", "m", 1.0)
    assert [row[3] for row in rows] == [1.0, 0.0, 0.5, 0.0, 0.25]
    assert len(found.preferences["length_a"]) == len(found.preferences["length_b"]) == 5
    result = compare(found.evaluation, metric=found.metric)
    assert {one.system: one.score for one in result.systems} == pytest.approx({"ref": 0.35, "m": 0.65})
    with pytest.raises(InvalidInputError, match="a preference is graded"):
        compare_preferences(found.preferences)


def test_models_judged_against_one_reference_are_compared_by_instruction(make: Make) -> None:
    paths = _files(make, one=alpaca([1, 2, 2], second="x"), two=alpaca([2, 2, 1][::-1], second="y")[::-1])
    found = form.read(paths)
    # The second file is in another order, and the instructions still meet.
    assert scores_of(found) == {"x": [0.0, 1.0, 1.0], "y": [0.0, 1.0, 1.0]}
    assert "win rates against ref of: x, y" in found.description
    assert list(scores_of(form.read({"A": paths["one"], "B": paths["two"]}))) == ["A", "B"]


def test_one_model_under_the_same_name_in_two_files(make: Make) -> None:
    found = form.read(_files(make, first=alpaca([1, 2]), second=alpaca([2, 2])))
    assert scores_of(found) == {"first": [0.0, 1.0], "second": [1.0, 1.0]}


def test_a_tournament_has_judgements_only(make: Make) -> None:
    rows = alpaca([1, 2], "a", "b") + alpaca([1, 1], "b", "c") + alpaca([2, 2], "a", "c")
    found = form.read(_files(make, annotations=rows))
    assert found.evaluation is None
    assert len(found.preferences["item"]) == 6
    assert found.description == "annotations of AlpacaEval; judgements of: a, b, c"


def test_failed_annotations_are_missing(make: Make) -> None:
    paths = _files(make, one=alpaca([1, None, 2], second="x"), two=alpaca([1, 2, 2], second="y"))
    assert "1 extra in 'y'" in message(form, paths)
    found = form.read(paths, on_missing="drop")
    assert scores_of(found) == {"x": [0.0, 1.0], "y": [0.0, 1.0]}
    assert "1 of 6 without a preference" in found.description


def test_malformed_annotations(make: Make) -> None:
    rows = alpaca([1, 2])
    assert message(form, _files(make, a=[*rows, rows[0]])) == (
        "a.json, entry 3: the judgement of ref and m on this instruction was already in entry 1"
    )
    assert message(form, _files(make, a=alpaca([1, 3]))) == (
        "a.json, entry 2: the preference is 3, expected a number from 1 to 2 (1.5: a tie)"
    )
    assert message(form, _files(make, a=alpaca([1, 2], "m", "m"))) == (
        "a.json, entry 1: 'm' was judged against itself"
    )
    assert (
        message(form, _files(make, a=[{"generator_1": "a"}]))
        == "a.json, entry 1: no 'generator_2' in this record"
    )


def test_an_instruction_again_with_other_outputs_is_another_item(make: Make) -> None:
    rows = alpaca([1, 2])
    again = {**rows[0], "output_2": "z", "preference": 2}
    found = form.read(_files(make, a=[*rows, again]))
    assert found.evaluation.items.tolist() == ["1: do 0", "2: do 1", "1: do 0 (2)"]


def test_zero_is_the_tie_of_the_first_versions(make: Make) -> None:
    assert scores_of(form.read(_files(make, a=alpaca([0, 1]))))["m"] == [0.5, 0.0]


def test_recognised(make: Make) -> None:
    assert format_in(make("x.json", json.dumps(alpaca([1]), indent=1))) is form


def test_annotations_of_the_reference_against_itself_are_left_out(make: Make) -> None:
    one, two, own = (alpaca([1, 2, 2], second=name) for name in ("x", "y", "ref"))
    found = form.read(_files(make, one=one, two=two, ref=own))
    assert scores_of(found) == {"x": [0.0, 1.0, 1.0], "y": [0.0, 1.0, 1.0]}
    assert "; 3 annotations of a generator against itself were left out; " in found.description
    assert scores_of(form.read(_files(make, one=one + two + own))) == scores_of(found)
