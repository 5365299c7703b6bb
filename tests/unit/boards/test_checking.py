"""What participants can check at home: every wrong file is refused with what is wrong and what to do."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.unit.boards.examples import (
    board_in,
    edit,
    folder_of,
    gold_labels,
    ids,
    predictions_file,
    state,
    write_table,
)

from bestby.boards.board import Board
from bestby.boards.submitting import by_task
from bestby.errors import InvalidInputError


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    """Return a board, whose gold is not there: nothing of it is needed."""
    folder = tmp_path_factory.mktemp("checking")
    made = board_in(folder)
    (folder / "secret").rename(folder / "elsewhere")
    (made.path / "record.jsonl").rename(folder / "record.jsonl")
    return made


def test_a_sound_file_is_counted(board: Board, tmp_path: Path) -> None:
    found = board.check(predictions_file(tmp_path))
    assert found.n_items == {"task": 60}
    assert sum(found.labels["task"].values()) == 60
    assert str(found).startswith("task: 60 items; ")


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json", ".txt"])
def test_every_form_of_text_can_be_submitted(board: Board, tmp_path: Path, suffix: str) -> None:
    rows = list(zip(ids(), gold_labels(), strict=True))
    json_lines = [f'{{"id": "{item}", "prediction": "{label}"}}' for item, label in rows]
    text = {
        ".csv": "id,prediction\n" + "".join(f"{item},{label}\n" for item, label in reversed(rows)),
        ".tsv": "id\tprediction\n" + "".join(f"{item}\t{label}\n" for item, label in rows),
        ".jsonl": "\n".join(json_lines),
        ".json": f"[{', '.join(json_lines)}]",
        ".txt": "".join(f"{label}\n" for _, label in rows),
    }[suffix]
    path = tmp_path / f"mine{suffix}"
    path.write_text(text)
    counts = {label: gold_labels().count(label) for label in "xyz"}
    assert board.check(path).labels["task"] == counts


def wrong(change: str) -> tuple[list[str], list[str]]:
    """Return ids and predictions of which something is wrong."""
    items, labels = ids(), gold_labels()
    if change == "other items":
        items[3] = "p3"
    elif change == "missing items":
        items, labels = items[:-2], labels[:-2]
    elif change == "more items":
        items, labels = [*items, "more"], [*labels, "x"]
    elif change == "twice":
        items, labels = [*items, "q5"], [*labels, "x"]
    elif change == "label":
        labels[7] = "w"
    elif change == "blank":
        labels[7] = ""
    return items, labels


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ("other items", ["'p3'"]),
        ("missing items", ["2 of 60", "'q58'"]),
        ("more items", ["'more'"]),
        ("twice", ["'q5'"]),
        ("label", ["'w'", "'q7'"]),
        ("blank", ["1", "'q7'"]),
    ],
)
def test_a_wrong_table_is_refused(board: Board, tmp_path: Path, change: str, parts: list[str]) -> None:
    items, labels = wrong(change)
    path = write_table(tmp_path / "mine.csv", {"id": items, "prediction": labels})
    before = state(board.path)
    with pytest.raises(InvalidInputError) as caught:
        board.check(path)
    assert all(part in caught.value.message for part in parts), caught.value.message
    assert caught.value.hint
    assert state(board.path) == before


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("mine.xlsx", b"PK\x03\x04", "does not end in"),
        ("mine", b"x\n", "does not end in"),
        ("mine.csv", gzip.compress(b"id,prediction\nq0,x\n", mtime=0), "is not the text that its name says"),
        ("mine.csv", b"PAR1xxxxPAR1", "is not the text that its name says"),
        ("mine.txt", b"\x93NUMPY", "is not the text that its name says"),
        ("mine.csv", b"PK\x03\x04xxxx", "zip archive"),
        ("mine.csv", b"", "is empty"),
        ("mine.csv", b"id,prediction\n", "no rows"),
        ("mine.csv", b"id,prediction\nq0,\xff\xfe\n", "UTF-8"),
        ("mine.csv", b"id,first,second\nq0,x,x\n", "which column"),
        ("mine.jsonl", b'{"id": "q0", "prediction": ["x"]}\n', "is not a label of the task"),
        ("mine.jsonl", b"[1, 2\n", "mine.jsonl"),
        ("mine.txt", b"x\ny\n", "2 predictions for 60 items"),
    ],
)
def test_a_file_of_another_kind_is_refused(
    board: Board, tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InvalidInputError, match=message) as caught:
        board.check(path)
    assert caught.value.hint


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    board = board_in(tmp_path)
    edit(board, 'title = "Letters"', 'title = "Letters"\nmost_megabytes = 0.0001')
    with pytest.raises(InvalidInputError, match=r"is too large: 0.0 MB; the board takes 0.0001 MB at most"):
        board.check(predictions_file(tmp_path))


@pytest.mark.parametrize("path", ["no such file.csv", "."])
def test_what_is_no_file_is_refused(board: Board, path: str) -> None:
    with pytest.raises(InvalidInputError):
        board.check(path)


def test_numbers_must_be_finite(tmp_path: Path) -> None:
    board = board_in(tmp_path, metrics="mean", scores=True)
    path = write_table(tmp_path / "mine.csv", {"id": ids(), "score": ["0.5"] * 60})
    assert board.check(path).labels == {"task": {}}
    for value in ("1e76", "-1e300"):
        write_table(path, {"id": ids(), "score": ["0.5"] * 59 + [value]})
        with pytest.raises(InvalidInputError, match="must be at most 1e"):
            board.check(path)
    for value in ("x", "inf", "nan"):
        write_table(path, {"id": ids(), "score": ["0.5"] * 59 + [value]})
        with pytest.raises(InvalidInputError, match="'q59'"):
            board.check(path)


def test_several_tasks_take_a_file_each(tmp_path: Path) -> None:
    gold = write_table(tmp_path / "gold.csv", {"id": ids(), "gold": gold_labels()})
    board = Board.create(tmp_path / "board", {"first": gold, "second": gold}, title="Two", metrics="accuracy")
    mine = predictions_file(tmp_path)
    assert board.check({"second": mine}).n_items == {"second": 60}
    assert list(by_task({"second": mine, "first": mine}, board.settings)) == ["first", "second"]
    for files, message in (
        (mine, "2 tasks, got one file"),
        ({"third": mine}, "no task 'third'"),
        ({}, "needs a file"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            board.check(files)  # type: ignore[arg-type]
    assert folder_of(board).items("second", board.settings) == tuple(ids())
