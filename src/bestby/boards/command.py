"""`bestby board`: a shared task or a benchmark in a folder."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from bestby._core.text import counted
from bestby.boards.board import Board
from bestby.boards.parameters import (
    BoardCheck,
    BoardCorrect,
    BoardEnd,
    BoardExport,
    BoardImport,
    BoardInit,
    BoardList,
    BoardPublish,
    BoardSubmit,
    BoardVerify,
    BoardWithdraw,
    Place,
)
from bestby.cli import streams
from bestby.readers.naming import named_paths


def board_init(values: BoardInit) -> None:
    """Make a board and say what to do next."""
    board = Board.create(
        values.place.board,
        named_paths(values.golds),
        gold_folder=values.place.gold_folder,
        **values.gold.arguments(),
        **values.shown.arguments(),
        **values.direction.arguments(),
    )
    tasks = counted(len(board.settings.tasks), "task")
    streams.print_stderr(
        f"made the board {board.path} with {tasks}; edit board.toml there for dates and limits"
    )
    for phase in board.settings.phases:
        if phase.show == "after":
            streams.print_stderr(
                f"the results of the phase {phase.name} are shown after 'bestby board end {phase.name}'"
            )


def board_check(values: BoardCheck) -> None:
    """Say what was found in the files."""
    streams.print_stdout(str(Board(values.place.board).check(named_paths(values.files))))


def board_submit(values: BoardSubmit) -> None:
    """Add a submission, print its number, and say what it is."""
    receipt = _board(values.place).submit(named_paths(values.files), **values.names.arguments())
    streams.print_stdout(str(receipt.number))
    streams.print_stderr(str(receipt) if receipt.is_new else f"{receipt}; it was there already")


def board_withdraw(values: BoardWithdraw) -> None:
    """Withdraw a submission and say so."""
    receipt = _board(values.place).withdraw(values.submission, hidden=values.hidden, reason=values.reason)
    streams.print_stderr(f"withdrew {receipt}")


def board_end(values: BoardEnd) -> None:
    """End a phase or revoke its end, and say so."""
    number = _board(values.place).end(
        values.phase, early=values.early, revoke=values.revoke, reason=values.reason
    )
    streams.print_stderr(
        f"line {number + 1} of the record says so; publish the board to show or to hide the results"
    )


def board_correct(values: BoardCorrect) -> None:
    """Give the board a corrected gold and say so."""
    version = _board(values.place).correct(
        named_paths(values.golds), reason=values.reason, **values.gold.arguments()
    )
    streams.print_stderr(f"version {version} of the gold is in force; publish the board to show its results")


def board_list(values: BoardList) -> None:
    """Print a line per submission."""
    submissions = _board(values.place).submissions()
    rows = [("number", "time", "team", "system", "run", "phase", "state")]
    rows += [
        (str(one.number), one.time, one.team, one.system, one.run, one.phase, one.state)
        for one in submissions
    ]
    if submissions:
        streams.print_stdout(_in_columns(rows))
    streams.print_stderr(counted(len(submissions), "submission"))


def board_publish(values: BoardPublish) -> None:
    """Write the site and say where it is."""
    made = _board(values.place).publish(values.site)
    streams.print_stderr(f"published {made}; open {made.site / 'index.html'}")


def board_verify(values: BoardVerify) -> None:
    """Print what is wrong, and end with status 1 if anything is."""
    found = _board(values.place).verify(values.site)
    streams.print_stdout(str(found))
    if not found.sound:
        raise typer.Exit(1)


def board_import(values: BoardImport) -> None:
    """Make a board of results, publish it if asked to, and say what was done."""
    board = Board.from_results(
        values.place.board,
        values.results,
        gold_folder=values.place.gold_folder,
        **values.table.arguments(),
        **values.shown.arguments(),
        **values.direction.arguments(),
    )
    for note in board.notes:
        streams.print_stderr(f"note: {note.message}")
    streams.print_stderr(f"{board.path}: {counted(len(board.submissions()), 'submission')}")
    if values.publish is not None:
        made = board.publish(values.publish)
        streams.print_stderr(f"published {made}; open {made.site / 'index.html'}")


def board_export(values: BoardExport) -> None:
    """Write the table and say how many systems it has."""
    number = _board(values.place).export(
        values.file, task=values.task, phase=values.phase, with_gold=values.with_gold
    )
    streams.print_stderr(f"wrote {counted(number, 'system')} to {values.file}")


def _board(place: Place) -> Board:
    return Board(place.board, place.gold_folder)


def _in_columns(rows: Sequence[Sequence[str]]) -> str:
    from rich.cells import cell_len, set_cell_size

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    padded = (
        "  ".join(set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    return "\n".join(padded)
