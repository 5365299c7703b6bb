"""Results that are there already become a board, and a board becomes a table again."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy as np
import pytest
from tests.unit.boards.examples import folder_of, gold_labels, ids, state, write_table

import bestby as bb
from bestby import Board
from bestby.boards.compute import board_content
from bestby.errors import BoardError, InvalidInputError
from bestby.readers.files import read_table

RNG = np.random.default_rng(4)
NAMES = ("lab/one", "lab/two", "three", "four: large")
KEYS = ("lab/one", "lab/two", "imported/three", "imported/four- large")


def predicted(n: int = 60) -> dict[str, list[str]]:
    """Return the predictions of four systems; the last one predicts a label that the gold does not have."""
    found = {
        name: [label if RNG.random() < 0.5 + 0.1 * place else "x" for label in gold_labels(n)]
        for place, name in enumerate(NAMES)
    }
    found[NAMES[-1]][0] = "none of these"
    return found


def answers(path: Path, systems: Mapping[str, Sequence[str]]) -> Path:
    """Write a table of gold, groups and systems."""
    groups = {"doc": [f"d{place // 3}" for place in range(60)], "lang": ["de", "en", "fr"] * 20}
    return write_table(path / "answers.csv", {"id": ids(), "label": gold_labels(), **groups, **systems})


def table_of(board: Board) -> Any:
    """Return the first table of the last phase of a board."""
    folder = folder_of(board)
    settings = folder.settings()
    lines = folder.lines()
    made = board_content(folder, settings, lines, lines[-1].time)
    return made.versions[0].phases[-1].tables[0]


def test_predictions_and_gold_become_a_board_with_the_scores_of_compare(tmp_path: Path) -> None:
    systems = predicted()
    path = answers(tmp_path, systems)
    board = Board.from_results(
        tmp_path / "board", path, gold="label", clusters="doc", slices="lang", metrics="f1_macro"
    )
    assert repr(board) == "<board 'answers': 4 submissions>"
    task = board.settings.task()
    assert (task.clusters, task.slices, task.metrics) == ("cluster", ("lang",), ("f1_macro",))
    assert task.labels == ("none of these", "x", "y", "z")
    table = table_of(board)
    known = bb.compare(
        dict(zip(KEYS, systems.values(), strict=True)), gold=gold_labels(), metric="f1_macro",
        clusters=[f"d{place // 3}" for place in range(60)],
    )  # fmt: skip
    assert {row.system: row.score for row in table.standings} == {s.system: s.score for s in known.systems}
    assert {part.column for part in table.slices.slices} == {"lang"}


def test_no_file_of_an_imported_board_but_the_gold_has_the_gold(tmp_path: Path) -> None:
    secret = [f"secret-{label}" for label in gold_labels()]
    table = {"id": ids(), "gold": secret, "a": ["secret-x"] * 60, "b": ["secret-y"] * 60}
    path = write_table(tmp_path / "answers.csv", table)
    Board.from_results(tmp_path / "board", path, gold="gold", gold_folder=tmp_path / "hidden")
    (matrix,) = (tmp_path / "board" / "submissions").iterdir()
    assert matrix.read_text().startswith("id,imported/a,imported/b\n")
    assert b"secret-z" in state(tmp_path / "hidden")["1/task.csv"]
    left = {name: data for name, data in state(tmp_path / "board").items() if name != "board.toml"}
    assert not any(b"secret-z" in data.split(b'"text"')[0] for data in left.values())


def scores() -> dict[str, list[str]]:
    """Return scores of items."""
    return {name: [f"{score:.3f}" for score in RNG.random(60) + 0.1 * i] for i, name in enumerate(NAMES)}


def test_scores_of_items_are_a_board_without_gold(tmp_path: Path) -> None:
    given = scores()
    path = write_table(tmp_path / "matrix.csv", {"id": ids(), **given})
    board = Board.from_results(tmp_path / "board", path, metrics="COMET", team="mt")
    assert (board.settings.task().scores, board.settings.task().greater_is_better) == (True, True)
    table = table_of(board)
    assert table.metric.name == "COMET"
    means = {row.system: row.score for row in table.standings}
    assert means["mt/three"] == pytest.approx(np.mean([float(one) for one in given["three"]]))
    lower = Board.from_results(tmp_path / "lower", path, metrics="cost", greater_is_better=False)
    assert table_of(lower).standings[-1].system == table.standings[0].system.replace("mt", "imported")


def test_a_row_per_system_is_the_same_board(tmp_path: Path) -> None:
    given = scores()
    wide = write_table(tmp_path / "wide.csv", {"id": ids(), **given})
    turned = {"system": list(given)} | {
        item: [values[place] for values in given.values()] for place, item in enumerate(ids())
    }
    rows = write_table(tmp_path / "rows.csv", turned)
    one = Board.from_results(tmp_path / "one", wide, title="T")
    other = Board.from_results(tmp_path / "other", rows, title="T", systems_in_rows=True)
    assert table_of(one).standings == table_of(other).standings
    assert (one.path / "items.csv").read_bytes() == (other.path / "items.csv").read_bytes()


def test_a_table_is_read_once_and_nothing_hidden_is_written_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.TemporaryDirectory", in_board := mock.Mock(wraps=TemporaryDirectory))
    turned = {"system": [*NAMES, "gold"]} | {
        item: [*(values[place] for values in predicted().values()), gold_labels()[place]]
        for place, item in enumerate(ids())
    }
    path = write_table(tmp_path / "rows.csv", turned)
    with mock.patch("bestby.boards.transfer.read_table", wraps=read_table) as read:
        board = Board.from_results(tmp_path / "board", path, gold="gold", systems_in_rows=True)
    assert read.call_count == 1
    assert [call.kwargs.get("dir") for call in in_board.call_args_list] == [board.path / "tmp"]
    assert [row.system for row in table_of(board).standings][-1] == KEYS[0]


def test_a_long_table_is_read(tmp_path: Path) -> None:
    given = scores()
    rows = [(item, name, values[place]) for name, values in given.items() for place, item in enumerate(ids())]
    columns = dict(zip(("id", "system", "score"), map(list, zip(*rows, strict=True)), strict=True))
    board = Board.from_results(tmp_path / "board", write_table(tmp_path / "long.csv", columns))
    assert sorted(row.system for row in table_of(board).standings) == sorted(KEYS)


def test_results_are_added_to_a_board_once(tmp_path: Path) -> None:
    given = scores()
    path = write_table(tmp_path / "matrix.csv", {"id": ids(), **given})
    Board.from_results(tmp_path / "board", path)
    before = state(tmp_path / "board")
    assert len(Board.from_results(tmp_path / "board", path).submissions()) == 4
    assert state(tmp_path / "board") == before
    more = write_table(tmp_path / "more.csv", {"id": ids()[::-1], "five": given["three"]})
    assert len(Board.from_results(tmp_path / "board", more).submissions()) == 5
    means = {row.system: row.score for row in table_of(Board(tmp_path / "board")).standings}
    assert means["imported/five"] == means["imported/three"]


def test_imported_boards_verify(tmp_path: Path) -> None:
    board = Board.from_results(
        tmp_path / "board", answers(tmp_path, predicted()), gold="label", ignore=["doc", "lang"]
    )
    board.publish(tmp_path / "site")
    assert board.verify(tmp_path / "site").sound


REFUSED: dict[str, tuple[dict[str, Sequence[str]], dict[str, Any], str]] = {
    "another item": ({"id": [*ids()[:-1], "new"], "a": ["1"] * 60}, {}, "the task has no item for 1 id"),
    "an item less": ({"id": ids()[:-1], "a": ["1"] * 59, "b": ["1"] * 59}, {}, "1 of 60 items have no pred"),
    "a text": ({"id": ids(), "a": ["x"] * 60, "b": ["1"] * 60}, {}, "systems must be per-item scores"),
    "an unknown phase": ({"id": ids(), "a": ["1"] * 60, "b": ["1"] * 60}, {"phase": "last"}, "has no phase"),
    "the same name": ({"id": ids(), "a:b": ["1"] * 60, "a;b": ["1"] * 60}, {}, "would both be called"),
    "no number per item": ({"id": ids(), "a": ["1"] * 59 + [""], "b": ["1"] * 60}, {}, "missing"),
}


@pytest.mark.parametrize(("columns", "arguments", "told"), REFUSED.values(), ids=REFUSED)
def test_results_that_do_not_fit_leave_the_board_as_it_was(
    tmp_path: Path, columns: dict[str, Sequence[str]], arguments: dict[str, Any], told: str
) -> None:
    Board.from_results(tmp_path / "board", write_table(tmp_path / "matrix.csv", {"id": ids(), **scores()}))
    before = state(tmp_path / "board")
    path = write_table(tmp_path / "other.csv", columns)
    with pytest.raises(InvalidInputError, match=told) as error:
        Board.from_results(tmp_path / "board", path, **arguments)
    assert "/tmp/tmp" not in error.value.message
    assert state(tmp_path / "board") == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"gold": "nothing"}, "no column 'nothing'"),
        ({"metrics": "accuracy"}, "accuracy"),
        ({"systems_in_rows": True, "gold": "none"}, "has no row 'none'"),
        ({"baseline": "none"}, "'none' is not a team and a system"),
        ({"metric": "accuracy"}, "metrics"),
    ],
)
def test_what_cannot_be_a_board_makes_none(tmp_path: Path, arguments: dict[str, Any], told: str) -> None:
    path = write_table(tmp_path / "matrix.csv", {"id": ids(), **scores()})
    with pytest.raises(bb.errors.BestbyError) as error:
        Board.from_results(tmp_path / "board", path, **arguments)
    assert told in str(error.value)
    assert not (tmp_path / "board" / "board.toml").exists()


def test_a_hint_names_no_argument_that_an_import_lacks(tmp_path: Path) -> None:
    names = ["bert", "aen"] * 30
    path = write_table(
        tmp_path / "t.csv", {"id": ids(), "gold": gold_labels(), **predicted(), "model": names}
    )
    with pytest.raises(InvalidInputError, match="'model' shares no value") as error:
        Board.from_results(tmp_path / "board", path, gold="gold")
    columns = "leave it out: ignore='model'; or choose the columns of the systems: systems=[...]"
    assert error.value.hint == columns


def test_a_system_that_lacks_items_is_left_out_or_takes_them_from_all_and_nothing_stands_in(
    tmp_path: Path,
) -> None:
    path = write_table(tmp_path / "t.csv", {"id": ids(), **scores(), "new": ["1"] * 20 + [""] * 40})
    with pytest.raises(InvalidInputError, match="no value for 40 of 60 items") as error:
        Board.from_results(tmp_path / "board", path)
    assert error.value.hint is not None
    assert error.value.hint.endswith('to leave out these items, or "drop-systems" the systems')
    for on_missing in ("worst", "pairs", "bounds"):
        with pytest.raises(InvalidInputError, match="on_missing must be one of error, drop, drop-systems"):
            Board.from_results(tmp_path / "board", path, on_missing=on_missing)
    board = Board.from_results(tmp_path / "board", path, on_missing="drop-systems")
    assert [note.code for note in board.notes] == ["read_as", "systems_dropped"]
    shown = [row.system for row in table_of(board).standings]
    assert len(shown) == len(scores())
    assert "imported/new" not in shown


# -- export ----------------------------------------------------------------------------------------


def test_an_exported_table_gives_the_scores_of_the_board(tmp_path: Path) -> None:
    board = Board.from_results(
        tmp_path / "board", answers(tmp_path, predicted()), gold="label", clusters="doc", ignore="lang"
    )
    assert board.export(tmp_path / "all.csv", with_gold=True) == 4
    known = bb.compare(bb.read(tmp_path / "all.csv", gold="gold", clusters="cluster", items="id"))
    table = table_of(board)
    assert {s.system: s.score for s in known.systems} == {row.system: row.score for row in table.standings}
    board.export(tmp_path / "public.csv")
    with (tmp_path / "public.csv").open() as stream:
        assert next(csv.reader(stream)) == ["id", *KEYS]


def test_an_exported_table_can_be_imported_again(tmp_path: Path) -> None:
    board = Board.from_results(tmp_path / "board", write_table(tmp_path / "m.csv", {"id": ids(), **scores()}))
    board.export(tmp_path / "all.csv")
    again = Board.from_results(tmp_path / "again", tmp_path / "all.csv")
    assert table_of(again).standings == table_of(board).standings


def test_a_board_that_shows_nothing_is_not_exported(tmp_path: Path) -> None:
    board = Board.from_results(tmp_path / "board", write_table(tmp_path / "m.csv", {"id": ids(), **scores()}))
    for receipt in board.submissions():
        board.withdraw(receipt.number)
    with pytest.raises(InvalidInputError, match="the board shows no system"):
        board.export(tmp_path / "all.csv")
    assert not (tmp_path / "all.csv").exists()


def test_a_margin_is_that_of_the_scores(tmp_path: Path) -> None:
    path = answers(tmp_path, predicted())
    board = Board.from_results(tmp_path / "board", path, gold="label", ignore=["doc", "lang"], margin=0.05)
    assert board.settings.task().margins == {"accuracy": 0.05}


def test_a_changed_list_of_items_is_neither_exported_nor_added_to(tmp_path: Path) -> None:
    path = answers(tmp_path, predicted())
    board = Board.from_results(tmp_path / "board", path, gold="label", ignore=["doc", "lang"])
    items = board.path / "items.csv"
    items.write_bytes(items.read_bytes().replace(b"q1\n", b"q01\n"))
    with pytest.raises(BoardError, match="is not the list of items"):
        board.export(tmp_path / "all.csv")
    with pytest.raises(BoardError, match="is not the list of items"):
        Board.from_results(board.path, path, gold="label", ignore=["doc", "lang"])
