"""Predictions are read from a submission in the order of the items; what does not fit is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.boards.small_boards import ids

from bestby.boards.gold import TaskGold
from bestby.boards.predictions import Hidden, Labels, form_of, predictions, predictions_of_systems
from bestby.boards.settings import Task
from bestby.errors import BoardError, InvalidInputError

LABELS = Task("t", ("accuracy",), labels=("no", "yes", "NA"))
NUMBERS = Task("t", ("mse",))
TEXTS = Task("t", ("bleu",))
SCORES = Task("t", ("COMET",), scores=True)
ITEMS = ids(4)


def write(path: Path, text: str, name: str = "p.csv") -> Path:
    """Write a file of predictions."""
    (path / name).write_text(text, encoding="utf-8")
    return path / name


def test_the_form_follows_from_labels_and_metrics() -> None:
    assert [form_of(task) for task in (LABELS, NUMBERS, TEXTS, SCORES)] == [
        "labels",
        "numbers",
        "texts",
        "numbers",
    ]


def test_numbers_and_texts(tmp_path: Path) -> None:
    path = write(tmp_path, "id,prediction\nitem-0,1\nitem-1,-2.5\nitem-2,1e3\nitem-3,0\n")
    assert predictions(path, NUMBERS, ITEMS).tolist() == [1.0, -2.5, 1000.0, 0.0]
    path = write(tmp_path, 'id,prediction\nitem-0,NA\nitem-1,"a, b"\nitem-2,01\nitem-3,x\n')
    assert predictions(path, TEXTS, ITEMS).tolist() == ["NA", "a, b", "01", "x"]


def test_a_label_may_be_spelled_as_a_number(tmp_path: Path) -> None:
    task = Task("t", ("accuracy",), labels=("0", "1", "10"))
    path = write(tmp_path, "id,prediction\nitem-0,1.0\nitem-1,0\nitem-2,10\nitem-3,1\n")
    assert predictions(path, task, ITEMS).tolist() == [1, 0, 2, 1]


REFUSED: dict[str, tuple[Task, str, str]] = {
    "another label": (
        LABELS,
        "id,prediction\nitem-0,Yes!\nitem-1,no\nitem-2,no\nitem-3,no\n",
        "'Yes!' is not a label",
    ),
    "an item less": (
        LABELS,
        "id,prediction\nitem-0,no\nitem-1,no\nitem-2,no\n",
        "1 of 4 items have no pred.*item-3",
    ),
    "another item": (
        LABELS,
        "id,prediction\nitem-0,no\nitem-1,no\nitem-2,no\nq,no\n",
        "the task has no item for 1 id, such as 'q'",
    ),
    "twice": (LABELS, "id,prediction\nitem-0,no\nitem-0,no\nitem-2,no\nitem-3,no\n", "'item-0' has several"),
    "nothing": (
        LABELS,
        "id,prediction\nitem-0,\nitem-1,no\nitem-2,no\nitem-3,no\n",
        "1 missing prediction",
    ),
    "a text": (
        NUMBERS,
        "id,prediction\nitem-0,x\nitem-1,1\nitem-2,2\nitem-3,3\n",
        "'x' .* is not a finite number",
    ),
    "infinite": (
        NUMBERS,
        "id,prediction\nitem-0,inf\nitem-1,1\nitem-2,2\nitem-3,3\n",
        "is not a finite number",
    ),
    "too many lines": (LABELS, "prediction\nyes\nno\nno\nno\nno\n", "5 predictions for 4 items"),
    "distributions": (
        NUMBERS,
        "id,prediction\n" + "".join(f'item-{i},"[0.5, 0.5]"\n' for i in range(4)),
        "several numbers per item",
    ),
}


@pytest.mark.parametrize(("task", "text", "told"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused(tmp_path: Path, task: Task, text: str, told: str) -> None:
    with pytest.raises(InvalidInputError, match=told) as error:
        predictions(write(tmp_path, text), task, ITEMS)
    assert error.value.hint


def test_systems_of_one_table_are_read_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, "id,a,b\nitem-3,1,8\nitem-2,2,7\nitem-1,3,6\nitem-0,4,5\n")
    found = predictions_of_systems(path, SCORES, ITEMS, ["b", "a"])
    assert {name: values.tolist() for name, values in found.items()} == {"b": [5, 6, 7, 8], "a": [4, 3, 2, 1]}


# -- the gold --------------------------------------------------------------------------------------


def hidden(task: Task, columns: dict[str, list[str]], part: str = "all") -> Hidden:
    """Return the items of a part of a gold of four items."""
    return Hidden.of(task, TaskGold({"id": ITEMS, **columns}), ITEMS, part)


def test_an_evaluation_of_labels_is_that_of_the_same_labels_given_whole() -> None:
    gold = ["yes", "no", "no", "yes"]
    found = hidden(LABELS, {"gold": gold}).evaluation(
        {"a": np.array([1, 0, 0, 2]), "b": np.array([0, 0, 1, 1])}
    )
    assert found.gold is not None
    assert found.gold.tolist() == gold
    assert {name: values.tolist() for name, values in found.systems.items()} == {
        "a": ["yes", "no", "no", "NA"],
        "b": ["no", "no", "yes", "yes"],
    }
    for name in ("a", "b", ""):
        distinct, codes = found.codes_of(name)
        values = found.gold if name == "" else found.systems[name]
        assert distinct.tolist() == sorted(set(values.tolist()))
        assert distinct[codes].tolist() == values.tolist()


def test_labels_that_are_numbers_are_numbers() -> None:
    labels = Labels(("10", "2", "1"))
    assert labels.values.tolist() == [10, 2, 1]
    assert labels.coded(labels.codes(["2", "10", "2"])).values.tolist() == [2, 10, 2]


def test_a_part_has_its_items_alone() -> None:
    part = ["public", "private", "private", "public"]
    found = hidden(LABELS, {"gold": ["yes", "no", "no", "yes"], "part": part}, "private")
    assert found.items.tolist() == ITEMS[1:3]
    assert found.evaluation({"a": np.array([1, 0, 2, 1])}).systems["a"].tolist() == ["no", "NA"]


@pytest.mark.parametrize(
    ("task", "columns", "part", "told"),
    [
        (LABELS, {"gold": ["yes", "no", "secret", "no"]}, "all", "is not what board.toml says of it"),
        (LABELS, {"gold": ["yes", "no", "no", "no"]}, "private", "the gold is not split"),
        (
            LABELS,
            {"gold": ["yes", "no", "no", "no"], "part": ["public"] * 3 + ["private"]},
            "private",
            "has 1 items",
        ),
        (
            Task("t", ("accuracy",), labels=("yes", "no"), clusters="doc"),
            {"gold": ["yes"] * 4},
            "all",
            "no column 'doc'",
        ),
    ],
)
def test_a_gold_that_does_not_fit_the_settings_is_told_without_quoting_it(
    task: Task, columns: Any, part: str, told: str
) -> None:
    with pytest.raises(BoardError, match=told) as error:
        hidden(task, columns, part)
    assert "secret" not in str(error.value)
