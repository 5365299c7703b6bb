"""The door of the room: boards are made, opened and corrected; what cannot be used is refused."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.boards.examples import (
    board_in,
    edit,
    folder_of,
    gold_file,
    gold_labels,
    ids,
    predictions_file,
    state,
    write_table,
)

from bestby.boards import gold as golds
from bestby.boards.board import Board
from bestby.boards.record import GoldSet, SettingsSet, gold_in_force
from bestby.boards.settings import Phase, Settings, Task, parse, text_of
from bestby.errors import BestbyError, BoardError, InvalidInputError


def test_a_new_board_has_settings_items_gold_and_a_record(tmp_path: Path) -> None:
    board = board_in(tmp_path, clusters="author", slices="length", margin=0.02, baseline="we/base")
    assert {path.name for path in board.path.iterdir()} == {
        ".gitattributes", ".gitignore", "board.toml", "items.csv", "lock.sqlite", "record.jsonl",
        "submissions", "tmp",
    }  # fmt: skip
    task = board.settings.task()
    assert (task.metrics, task.labels) == (("accuracy",), ("x", "y", "z"))
    assert (task.clusters, task.slices, task.margins) == ("author", ("length",), {"accuracy": 0.02})
    assert board.settings.baseline == "we/base"
    assert [type(line.event) for line in folder_of(board).lines()] == [SettingsSet, GoldSet]
    assert (board.path / "items.csv").read_text().split() == ["id", *ids()]
    assert repr(board) == "<board 'Letters': 0 submissions>"


@pytest.mark.long
def test_git_keeps_what_is_public_to_the_byte(tmp_path: Path) -> None:
    board = board_in(tmp_path, gold_folder=None)
    file = predictions_file(tmp_path)
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    board.submit(file, team="ours", system="first")
    board.publish(tmp_path / "site")

    def git(*words: str) -> str:
        config = ("-c", "core.autocrlf=input", "-c", "user.name=n", "-c", "user.email=e@example.org")
        done = subprocess.run(
            ["git", *config, *words], cwd=board.path, capture_output=True, text=True, check=True
        )
        return done.stdout

    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "-m", "A board")
    stored = git("ls-files").splitlines()
    assert not [path for path in stored if path.startswith(("gold", "lock", "tmp"))]
    before = state(board.path)
    for path in stored:
        (board.path / path).unlink()
    git("checkout", "--quiet", ".")
    after = state(board.path)
    assert all(after[path] == before[path] for path in stored)
    assert board.verify(tmp_path / "site").sound


def test_public_columns_are_given_to_participants(tmp_path: Path) -> None:
    board = board_in(tmp_path, public_columns=["length"])
    assert (board.path / "items.csv").read_text().splitlines()[:2] == ["id,length", "q0,long"]


def test_a_private_share_makes_two_phases_and_a_split(tmp_path: Path) -> None:
    board = board_in(tmp_path, private_share=0.5, clusters="author", rng=3)
    public, private = board.settings.phases
    assert (public.part, private.part, private.show) == ("public", "private", "after")
    folder = folder_of(board)
    gold = golds.read(folder, gold_in_force(folder.lines()), board.settings.tasks)["task"]
    assert Counter(gold.columns["part"])["private"] == pytest.approx(30, abs=4)


def test_settings_come_back_from_their_text() -> None:
    settings = Settings(
        title='A "title" \\ of ü\tand 😀',
        tasks=(
            Task("a b", ("f1[x y]",), labels=("x", "y\n"), margins={"f1[x y]": 1e-05}),
            Task("t", ("mean",), scores=True, greater_is_better=False, slices=("s", "t")),
        ),
        phases=(Phase("dev", part="public", per_day=3), Phase("test", show="after")),
        url="https://example.org",
        level=0.9,
    )  # fmt: skip
    text = text_of(settings)
    assert parse(text, "board.toml") == settings
    assert parse(text_of(parse(text, "")), "") == settings


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metrics": "acuracy"}, "acuracy"),
        ({"metrics": []}, "needs a metric"),
        ({"metrics": 5}, "metrics must be"),
        ({"private_share": "half"}, "private_share must be"),
        ({"metrics": "cross_entropy"}, "takes a probability per class"),
        ({"clusters": "autor"}, "no column 'autor'; did you mean 'author'"),
        ({"slices": ["length", "size"]}, "no column 'size'"),
        ({"items": "item"}, "no column 'item'"),
        ({"gold_column": "lable"}, "no column 'lable'"),
        ({"baseline": "ours"}, "is not a team and a system"),
        ({"private_share": 1.5}, "private_share must be above 0"),
        ({"title": "\u202e"}, "hidden characters"),
        ({"margin": -1.0}, "margin must be a positive number"),
        ({"public_columns": ["length", "gold"]}, "'gold' cannot be public"),
    ],
)
def test_a_board_that_cannot_be_made_leaves_nothing(
    tmp_path: Path, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        board_in(tmp_path, **arguments)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gold.csv"]


def test_a_gold_of_sets_is_refused_and_scores_are_taken(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    for labels, own in ((["x", "y"], "holds lists or objects"), ("x|y", "reads a set of labels per item")):
        lines = [json.dumps({"id": place, "labels": labels}) for place in range(20)]
        gold.write_text("\n".join(lines), encoding="utf-8")
        settings = {"title": "T", "metrics": "multilabel_f1_micro", "gold_column": "labels"}
        with pytest.raises(InvalidInputError, match=f"{own}, and a board takes one value per item") as caught:
            Board.create(tmp_path / "board", gold, **settings)
        assert 'scores=True and metrics="score"' in str(caught.value.hint)
    ids = gold_file(tmp_path)
    assert Board.create(tmp_path / "board", ids, title="T", scores=True, metrics="score").path.exists()


def test_answers_to_items_are_not_published_as_labels(tmp_path: Path) -> None:
    gold = gold_file(tmp_path, labels=[f"answer {place % 31}" for place in range(60)])
    with pytest.raises(InvalidInputError, match="would tell the answers"):
        Board.create(tmp_path / "board", gold, title="T", metrics="accuracy")
    assert not (tmp_path / "board").exists()
    board = Board.create(tmp_path / "board", gold, title="T", metrics="em")
    assert "answer" not in (board.path / "board.toml").read_text()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"id": ["a", "a"], "gold": ["x", "y"]}, "the item 'a' twice"),
        ({"name": ["a", "b"], "gold": ["x", "y"]}, "no column of item ids"),
        ({"id": ["a", "b"], "score": ["x", "y"]}, "no column is called gold"),
        ({"id": ["a", "b"], "gold": ["x", ""]}, "has no value in 1 of 2 rows"),
        ({"id": ["a", "b"], "gold": ["x", "y"], "part": ["1", "2"]}, "'part' has a name that boards use"),
    ],
)
def test_a_gold_that_cannot_be_used_is_refused(tmp_path: Path, columns: Any, message: str) -> None:
    gold = write_table(tmp_path / "gold.csv", columns)
    with pytest.raises(InvalidInputError, match=message):
        Board.create(tmp_path / "board", gold, title="T", metrics="accuracy")
    assert not (tmp_path / "board").exists()


@pytest.mark.parametrize(
    ("metrics", "gold"),
    [
        (["accuracy", "mse"], ["x", "y"] * 10),
        (["mse"], ["1", "two"] * 10),
        (["pearson"], ["1"] * 20),
        (["roc_auc"], ["1"] * 20),
        (["f1[w]"], ["x", "y"] * 10),
        (["mse"], ["1e300", "1"] * 10),
    ],
)
def test_metrics_that_cannot_score_the_gold_itself_are_refused(
    tmp_path: Path, metrics: list[str], gold: list[str]
) -> None:
    path = write_table(tmp_path / "gold.csv", {"id": ids(20), "gold": gold})
    with pytest.raises(InvalidInputError):
        Board.create(tmp_path / "board", path, title="T", metrics=metrics)
    assert not (tmp_path / "board").exists()


@pytest.mark.parametrize(
    ("metrics", "gold", "mine"),
    [
        (["mse", "spearman"], ["1", "2.5", "3", "-1"] * 5, ["1", "2", "3", "4"] * 5),
        (["accuracy", "mse"], ["1", "2", "3", "4"] * 5, ["1", "2", "2", "4"] * 5),
        (["roc_auc", "average_precision"], ["no", "yes"] * 10, ["0.1", "0.5", "0.9", "1"] * 5),
        (["bleu", "chrf"], ["a b c d e", "f g h i j"] * 10, ["a b c d", "f g h"] * 10),
        (["em", "qa_f1"], ["Paris", "Rome"] * 10, ["Paris", "paris"] * 10),
    ],
    ids=lambda value: " ".join(value[:2]),
)
def test_boards_of_every_kind_are_published(
    tmp_path: Path, metrics: list[str], gold: list[str], mine: list[str]
) -> None:
    path = write_table(tmp_path / "gold.csv", {"id": ids(20), "gold": gold})
    board = Board.create(tmp_path / "board", path, title="T", metrics=metrics)
    for team, values in (("a", mine), ("b", mine[::-1])):
        board.submit(
            write_table(tmp_path / "p.csv", {"id": ids(20), "prediction": values}), team=team, system="s"
        )
    board.publish(tmp_path / "site")
    assert board.verify(tmp_path / "site").sound
    tables = [*(tmp_path / "site" / "tables").glob("*.html")]
    assert len(tables) == len(metrics)


@pytest.mark.parametrize("names", [("a", "A"), ("straße", "STRASSE")])
def test_tasks_that_some_file_systems_cannot_tell_apart_are_refused(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    gold = gold_file(tmp_path)
    with pytest.raises(InvalidInputError, match="differ in capital letters alone") as error:
        Board.create(tmp_path / "board", dict.fromkeys(names, gold), title="T", metrics="accuracy")
    assert error.value.hint == "rename one of them"
    assert not (tmp_path / "board").exists()


def test_a_board_is_not_made_twice(tmp_path: Path) -> None:
    board = board_in(tmp_path)
    before = state(tmp_path)
    with pytest.raises(InvalidInputError, match="is a board already"):
        board_in(tmp_path)
    (board.path / "board.toml").rename(tmp_path / "away.toml")
    with pytest.raises(InvalidInputError, match="beside the record"):
        board_in(tmp_path)
    (tmp_path / "away.toml").rename(board.path / "board.toml")
    assert state(tmp_path) == before


def test_the_gold_of_another_board_is_not_written_over(tmp_path: Path) -> None:
    board_in(tmp_path)
    before = state(tmp_path / "secret")
    with pytest.raises(InvalidInputError, match="is there, but no board"):
        Board.create(
            tmp_path / "other",
            gold_file(tmp_path),
            title="T",
            metrics="accuracy",
            gold_folder=tmp_path / "secret",
        )
    assert state(tmp_path / "secret") == before


@pytest.mark.parametrize("path", ["nothing", "file"])
def test_what_is_no_board_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InvalidInputError, match="is not a board"):
        Board(tmp_path / path)


# -- corrections -----------------------------------------------------------------------------------


def corrected(folder: Path, **changes: list[str]) -> Path:
    """Write the gold with the label of an item corrected."""
    labels = gold_labels()
    labels[5] = "z" if labels[5] != "z" else "x"
    return write_table(folder / "corrected.csv", {"id": ids(), "gold": labels, **changes})


def test_a_corrected_gold_is_a_version_beside_the_old_one(tmp_path: Path) -> None:
    board = board_in(tmp_path, private_share=0.5, rng=1)
    folder, tasks = folder_of(board), board.settings.tasks
    old = gold_in_force(folder.lines())
    assert board.correct(corrected(tmp_path), reason="a typo") == 2
    new = gold_in_force(folder.lines())
    assert (new.version, new.reason, new.items) == (2, "a typo", old.items)
    before, after = (golds.read(folder, one, tasks)["task"] for one in (old, new))
    assert before.columns["part"] == after.columns["part"]
    assert sum(a != b for a, b in zip(before.labels or (), after.labels or (), strict=True)) == 1


def test_a_corrected_gold_may_leave_items_out(tmp_path: Path) -> None:
    board = board_in(tmp_path, private_share=0.5, rng=1)
    gold = write_table(tmp_path / "new.csv", {"id": ids()[1:], "gold": gold_labels()[1:]})
    board.correct(gold, reason="the first item was broken")
    assert board.submit(predictions_file(tmp_path), team="t", system="s").is_new
    everything = write_table(tmp_path / "more.csv", {"id": ids(), "gold": gold_labels()})
    with pytest.raises(InvalidInputError, match="the gold before it left out: 'q0'"):
        board.correct(everything, reason="it is not")


def test_columns_that_a_corrected_gold_lacks_are_taken_over(tmp_path: Path) -> None:
    board = board_in(tmp_path, clusters="author")
    board.correct(corrected(tmp_path, length=["middle"] * 60), reason="lengths")
    folder = folder_of(board)
    new = golds.read(folder, gold_in_force(folder.lines()), board.settings.tasks)["task"]
    assert list(new.columns["author"]) == [f"a{place // 4}" for place in range(60)]
    assert set(new.columns["length"]) == {"middle"}


@pytest.mark.parametrize("wrong", ["same", "label", "items", "reason", "changed", "gone", "task"])
def test_a_correction_that_cannot_be_made_changes_nothing(tmp_path: Path, wrong: str) -> None:
    board = board_in(tmp_path)
    gold: Any = corrected(tmp_path)
    kept = tmp_path / "secret" / "1" / "task.csv"
    if wrong == "same":
        gold = tmp_path / "gold.csv"
    elif wrong == "items":
        gold = write_table(tmp_path / "new.csv", {"id": ["p0", *ids()[1:]], "gold": gold_labels()})
    elif wrong == "label":
        gold = write_table(tmp_path / "new.csv", {"id": ids(), "gold": ["w", *gold_labels()[1:]]})
    elif wrong == "changed":
        kept.write_text(kept.read_text().replace("q1,", "q01,"))
    elif wrong == "gone":
        kept.parent.rename(tmp_path / "away")
    elif wrong == "task":
        gold = {"other": gold}
    before = state(tmp_path)
    message = {
        "same": "is the gold that the board has",
        "items": "1 item that the public list does not have; first: 'p0'",
        "reason": "needs a reason",
        "label": "has labels that board.toml does not list",
        "changed": "version 1 of the gold was changed",
        "gone": "version 1 of the gold is not in",
        "task": "no task 'other'",
    }[wrong]
    with pytest.raises((InvalidInputError, BoardError), match=re.escape(message)):
        board.correct(gold, reason=" " if wrong == "reason" else "a typo")
    assert state(tmp_path) == before


def test_settings_are_read_anew(tmp_path: Path) -> None:
    board = board_in(tmp_path)
    edit(board, "Letters", "Signs")
    assert board.settings.title == "Signs"


@pytest.mark.parametrize(
    "place", ["a" * 300, "a\0b", "a/" + "b" * 5000, 3, b"x"], ids=["long", "nul", "deep", "number", "bytes"]
)
def test_what_is_no_path_is_refused_with_a_hint(tmp_path: Path, place: Any) -> None:
    made = board_in(tmp_path)
    made.submit(predictions_file(tmp_path), team="ours", system="first")
    gold = gold_file(tmp_path)
    calls: list[Callable[[], object]] = [
        lambda: Board(place),
        lambda: Board(made.path, gold=place),
        lambda: Board.create(place, gold, title="T", metrics="accuracy"),
        lambda: Board.create(tmp_path / "new", gold, title="T", metrics="accuracy", gold_folder=place),
        lambda: Board.from_results(place, gold),
        lambda: made.publish(place),
        lambda: made.export(place),
        lambda: made.verify(place),
        lambda: made.check(place),
        lambda: made.submit(place, team="ours", system="second"),
        lambda: made.correct(place, reason="x"),
    ]
    for call in calls:
        with pytest.raises(BestbyError) as caught:
            call()
        assert caught.value.hint
