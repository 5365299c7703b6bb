"""The differences of many systems, held in columns: a sequence of records, groups and data."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from tests.unit.comparisons.many import N_SYSTEMS, held, many, right

from bestby import compare, compare_runs, load
from bestby._core.errors import InvalidInputError
from bestby.comparisons import one_metric
from bestby.inference import groups
from bestby.report.comparison import Difference
from bestby.report.pairs import Differences, Pairs, differences_on, examples, involving, notes_of

pytestmark = pytest.mark.long


# -- the sequence ----------------------------------------------------------------------------------


def test_it_is_the_sequence_of_its_differences() -> None:
    differences, expected = many().differences, held().differences
    assert len(differences) == len(expected) == len(many()) == N_SYSTEMS * (N_SYSTEMS - 1) // 2
    assert differences[0] == expected[0]
    assert differences[-1] == expected[-1]
    assert differences[7:12] == expected[7:12]
    assert differences[::-500] == expected[::-500]
    assert expected[3] in differences
    assert list(many()) == list(expected)
    with pytest.raises(IndexError):
        differences[len(expected)]


def test_it_is_equal_to_what_holds_the_same() -> None:
    differences, expected = many().differences, held().differences
    assert differences == expected
    assert hash(differences) == hash(expected)
    part = differences_on(differences, "mean")
    assert isinstance(part, Pairs)
    changed = part.p_value.copy()
    changed[3] /= 2.0
    other = Differences((dataclasses.replace(part, p_value=changed),))
    assert differences != other
    assert differences != expected[1:]
    assert differences != "differences"
    assert Differences((expected,)) == differences


def test_it_is_pickled_and_cannot_be_changed() -> None:
    again = pickle.loads(pickle.dumps(many()))
    assert again.differences == many().differences
    assert again["s20", "s30"] == many()["s20", "s30"]
    part = many().differences.parts[0]  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="read-only"):
        part.low[0] = 0.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        part.level = 0.5


def test_pairs_are_found_in_both_directions() -> None:
    for d in held().differences[::97]:
        assert many()[d.a, d.b] == d
        assert many()[d.b, d.a] == d.mirrored()
        assert many()[d.a, d.b, "mean"] == d
    with pytest.raises(InvalidInputError, match="no difference between 's01' and 'nobody'"):
        many()["s01", "nobody"]
    with pytest.raises(InvalidInputError, match="no difference"):
        many()["s01", "s01"]


def test_parts_of_it_are_found_without_the_rest() -> None:
    expected = [d for d in held().differences if "s20" in (d.a, d.b)]
    assert list(involving(many().differences, "mean", "s20")) == expected
    assert involving(many().differences, "mean", "nobody") == ()
    assert list(differences_on(many().differences, "mean")) == list(held().differences)
    assert differences_on(many().differences, "accuracy") == ()
    assert notes_of(many().differences) == notes_of(held().differences)
    assert ("mean", "copy", "s05") in [note.about for note in notes_of(many().differences)]
    kinds = examples(many().differences)
    assert sum(times for _, times in kinds) == len(many())
    assert {d.test.method: times for d, times in kinds} == {
        method: sum(d.test.method == method for d in held()) for method in ("enumeration", "binomial")
    }


# -- groups ----------------------------------------------------------------------------------------


def members(label: str) -> set[int]:
    ends = [[int(end) for end in run.split("-")] for run in label.split(", ")]
    return {number for run in ends for number in range(run[0], run[-1] + 1)}


@pytest.mark.parametrize("seed", range(5))
def test_systems_share_a_number_if_and_only_if_they_are_not_told_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    place = np.sort(rng.normal(size=150))
    different = np.triu(np.abs(np.subtract.outer(place, place)) > rng.uniform(0.08, 0.1, (150, 150)), 1)
    different |= different.T
    labels = groups.labels(different)
    assert labels is not None
    assert labels[0].startswith("1")
    numbers = [members(label) for label in labels]
    for i in range(150):
        for j in range(i):
            assert bool(numbers[i] & numbers[j]) == (not different[i, j]), (labels[i], labels[j])


def test_few_groups_have_letters() -> None:
    different = np.abs(np.subtract.outer(range(27), range(27))) > 1
    assert groups.labels(different) == groups.letters(different)
    wider = np.abs(np.subtract.outer(range(28), range(28))) > 1
    assert groups.labels(wider)[:3] == ("1", "1-2", "2-3")  # type: ignore[index]


def test_more_groups_than_systems_are_left_out() -> None:
    half = np.arange(60) < 30
    different = (half[:, None] == half) & ~np.eye(60, dtype=bool)  # alike only across the halves: 900 groups
    assert groups.labels(different) is None


def test_a_note_says_that_groups_are_numbered() -> None:
    steps = {f"s{i:03d}": (np.arange(4000) < 30 * i).astype(int) for i in range(70)}
    result = compare(steps)
    assert result.systems[0].group == "1"
    assert "numbered_groups" in [note.code for note in result.notes]
    few = compare(dict(list(steps.items())[:20]))
    assert few.systems[0].group == "a"
    assert "numbered_groups" not in [note.code for note in few.notes]


def test_runs_say_that_groups_are_numbered() -> None:
    noise = np.random.default_rng(0).normal(0.0, 0.5, (40, 6))
    runs = {f"s{i:02d}": (3.0 * i + row).tolist() for i, row in enumerate(noise)}
    result = compare_runs(runs, test="t", correction="none")
    assert result.systems[-1].group == "40"
    assert "numbered_groups" in [note.code for note in result.notes]


# -- as data ---------------------------------------------------------------------------------------


def test_data_are_those_of_differences_held() -> None:
    assert many().to_csv() == held().to_csv()
    assert many().to_csv(spreadsheet_safe=True) == held().to_csv(spreadsheet_safe=True)
    for one in ({**many().to_dict(), "record": None}, json.loads(many().to_json()) | {"record": None}):
        assert one == {**held().to_dict(), "record": None}
    loaded = load(many().to_json())
    assert loaded == many()
    assert loaded.differences == held().differences
    pd.testing.assert_frame_equal(many().to_frame(), held().to_frame())


def test_names_that_a_table_must_quote_are_quoted_in_columns_too(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["=1+1", 'say "a", b', "two\nlines", "plain"]
    scores = {name: (np.arange(200) % (3 + i) == 0).astype(int) for i, name in enumerate(names)}
    plain, safe = (compare(scores).to_csv(spreadsheet_safe=flag) for flag in (False, True))
    assert "'=1+1" in safe
    monkeypatch.setattr(one_metric, "MOST_HELD", 1)
    assert [compare(scores).to_csv(spreadsheet_safe=flag) for flag in (False, True)] == [plain, safe]
    assert len(list(csv.DictReader(io.StringIO(plain)))) == 6


def test_a_signature_does_not_list_a_hundred_names() -> None:
    assert "systems:s00,s01,...,never(64)|" in many().signature
    few = compare(dict(list(right().items())[:50]))
    assert "systems:s00,s01,s02," in few.signature


# -- reports ---------------------------------------------------------------------------------------


def test_a_difference_is_a_plain_record() -> None:
    d = many().differences[5]
    assert type(d) is Difference
    assert isinstance(d.estimate, float)
    assert isinstance(d.n_differing, int)
    assert d.mirrored().mirrored() == d
