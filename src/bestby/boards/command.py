"""`bestby board`: a shared task or a benchmark in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from bestby._core.text import counted
from bestby.cli import option_groups, streams
from bestby.cli.option_groups import Count, Names, Number, Text, metric_names
from bestby.cli.options import REQUIRED, Group, argument, flag, option, record

if TYPE_CHECKING:
    from bestby.boards.board import Board


@record
class PlaceOfBoard(Group):
    heading: ClassVar[str] = "Board"

    board: str = option("FOLDER", "Folder of the board", default=".")


@record
class Place(PlaceOfBoard):
    gold_folder: Text = option(
        "FOLDER", "Folder of the gold (default: gold in the board, or $BESTBY_BOARD_GOLD)."
    )


@record
class GoldColumns(Group):
    heading: ClassVar[str] = "Gold"

    items: Text = option("COLUMN", f"{option_groups.ITEM_HELP}.", "--item")
    gold_column: Text = option("COLUMN", "Column with the gold (default: gold, label, target and the like).")


@record
class GoldGroups(GoldColumns):
    clusters: Text = option_groups.cluster_option()
    strata: Text = option("COLUMN", "Column with the stratum of each item.", "--stratum")
    slices: Names = option("COLUMN", "Column by which scores are shown too; repeatable.", "--slice")
    public_columns: Names = option(
        "COLUMN", "Column that participants get beside the ids; repeatable.", "--public-column"
    )
    private_share: Number = option("SHARE", "Share of the items that are kept for a private last phase.")
    rng: Count = option(
        "N", "Seed of the split; to be kept secret (default: another one every time).", "--seed"
    )


@record
class Shown(Group):
    heading: ClassVar[str] = "Settings"

    title: str = option("TEXT", "What the pages are called.", default=REQUIRED)
    metrics: list[str] = option(
        "NAME",
        "Metric, see 'bestby metrics'; the first decides the ranks; repeatable.",
        "--metric",
        choices=metric_names,
        default=REQUIRED,
    )
    margin: Number = option("SIZE", "Smallest difference that matters.")
    baseline: Text = option("TEAM/SYSTEM", "System that all others are compared with.")
    scores: bool = flag("What systems submit are scores of items; the gold has ids and groups alone.")


@record
class BoardInit:
    """
    GOLD is a table with a row per item, or TASK=FILE for each of several tasks. Only the ids of the items
    become public. All other settings (phases with dates, limits, what is public) are in board.toml, which is
    written for you and can be edited at any time.

    \b
    Examples:
      bestby board init gold.csv --title T --metric f1_macro --cluster document
      bestby board init gold.csv --title T --metric accuracy --private-share 0.5
      bestby board init nli=nli.csv qa=qa.csv --title T --metric accuracy
    """

    golds: list[str] = argument(
        "GOLD", "Table with ids and gold; TASK=FILE if there are several tasks.", file="read"
    )
    place: Place
    gold: GoldGroups
    shown: Shown
    direction: option_groups.Direction


@record
class BoardCheck:
    """
    FILE is a table (CSV, TSV, JSON, JSON Lines) with the columns id and prediction, or a text file with a
    prediction per line in the order of items.csv. Participants run this at home: board.toml and items.csv are
    enough, and the site of a board offers both.

    \b
    Examples:
      bestby board check predictions.csv --board task
      bestby board check nli=nli.csv qa=qa.csv
    """

    files: list[str] = argument("FILE", "Predictions; TASK=FILE if there are several tasks.", file="read")
    place: PlaceOfBoard


@record
class SubmissionNames(Group):
    heading: ClassVar[str] = "Submission"

    team: str = option("NAME", "Name of the team.", default=REQUIRED)
    system: str = option("NAME", "Name of the system.", default=REQUIRED)
    run: str = option("NAME", "Run (a seed), if the system has several.", default="")
    phase: Text = option("NAME", "Phase (default: the first one that is open).")
    paper: str = option("URL", "Page of the paper, http or https.", default="")
    code: str = option("URL", "Page of the code, http or https.", default="")
    costs: Names = option(
        "NAME=PRICE", "What the system costs, of the costs of the board; repeatable.", "--cost"
    )

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the prices by the names of the costs."""
        from bestby.cli.costs import costs_by_option

        costs = costs_by_option(self.costs or [])
        return {**super().arguments(), "costs": {**costs.pop("price", {}), **costs}}


@record
class BoardSubmit:
    """
    The newest submission of a system takes the place of the older ones in the tables. The same file twice in
    a row is stored once, so it does no harm to submit again after an error. The number of the submission goes
    to stdout.

    \b
    Examples:
      bestby board submit predictions.csv --board task --team ours --system bert
      bestby board submit p.csv --team ours --system bert --run seed2 --phase test
      bestby board submit p.csv --team ours --system bert --cost usd=3
    """

    files: list[str] = argument("FILE", "Predictions; TASK=FILE if there are several tasks.", file="read")
    names: SubmissionNames
    place: Place


@record
class BoardWithdraw:
    """The submission is no longer in the tables; its line in the record and its file stay."""

    submission: int = argument("NUMBER", "Number of the submission, see 'bestby board list'.")
    hidden: bool = flag("Leave its name out of the pages, too.")
    reason: str = option("TEXT", "Why; the record is as public as the folder.", default="")
    place: Place


@record
class BoardEnd:
    """
    The record gets a line that the phase is over: nothing is submitted to it any more, and the next
    publication shows results that it hides. Without --early this is refused before the date in board.toml; a
    phase that has ended stays so, so that a job may do it every night from the date on.

    \b
    Examples:
      bestby board end private --board task
      bestby board end private --revoke --reason "the clock was wrong"
    """

    phase: Text = argument("PHASE", "Phase (default: the only one).", default=None)
    early: bool = flag("End it before its date.")
    revoke: bool = flag("Take the end back: results are hidden again, and submissions taken until the date.")
    reason: str = option("TEXT", "Why; the record is as public as the folder.", default="")
    place: Place


@record
class BoardCorrect:
    """
    GOLD is the whole gold, corrected; it may leave items out. The tables are made by it from now on, and the
    results by the old gold stay on the site.

    \b
    Example:
      bestby board correct gold2.csv --reason "17 labels were wrong"
    """

    golds: list[str] = argument(
        "GOLD", "Table with ids and gold; TASK=FILE if there are several tasks.", file="read"
    )
    reason: str = option("TEXT", "What was corrected; the pages show it.", default=REQUIRED)
    gold: GoldColumns
    place: Place


@record
class BoardList:
    """The columns are number, time (UTC), team, system, run, phase, and what became of the submission."""

    place: Place


@record
class BoardPublish:
    """
    The site works from the disk and on every web server. Without a change of the board, the same site comes
    out, byte by byte. If the settings changed, the record says so first.

    \b
    Example:
      bestby board publish site --board task
    """

    site: str = argument("SITE", "Folder of the site: a new or an empty one, or the site of a board.")
    place: Place


@record
class BoardVerify:
    """
    What is not as it should be is printed, a line each; the exit status is then 1. The record, the
    submissions, the gold and the last published site are verified; SITE is compared byte by byte.

    \b
    Example:
      bestby board verify site --board task
    """

    site: Text = argument("SITE", "Folder of a site that was published.", default=None)
    place: Place


@record
class ResultColumns(Group):
    heading: ClassVar[str] = "Results"

    gold: Text = option("COLUMN", "Column with the gold (default: none, the results are scores of items).")
    items: Text = option("COLUMN", f"{option_groups.ITEM_HELP}.", "--item")
    systems: Names = option("NAME", "System, by name or pattern (default: all); repeatable.", "--system")
    ignore: Names = option("COLUMN", "Column that is no system, by name or pattern; repeatable.")
    clusters: Text = option("COLUMN", "Column with the cluster of each item.", "--cluster")
    strata: Text = option("COLUMN", "Column with the stratum of each item.", "--stratum")
    slices: Names = option("COLUMN", "Column by which scores are shown too; repeatable.", "--slice")
    systems_in_rows: bool = flag("A row per system, named in the first column, and a column per item.")
    on_missing: str = option_groups.on_missing_option("boards")
    team: str = option("NAME", 'Team of systems that are not named "team/system".', default="imported")
    phase: Text = option("NAME", "Phase of a board that is there (default: the first one that is open).")


@record
class ShownResults(Group):
    heading: ClassVar[str] = "Settings"

    title: Text = option("TEXT", "What the pages are called (default: as the file).")
    metrics: Names = option(
        "NAME",
        "Metric, see 'bestby metrics' (default: accuracy), or a name for the scores; repeatable.",
        "--metric",
        choices=metric_names,
    )
    margin: Number = option("SIZE", "Smallest difference that matters.")
    baseline: Text = option("TEAM/SYSTEM", "System that all others are compared with.")


@record
class BoardImport:
    """
    RESULTS is a table with a row per item and a column per system: predictions if there is a gold, otherwise
    the score of each item. A board is made of it, or it is added to a board of the same items.

    \b
    Examples:
      bestby board import matrix.csv --board ours --publish site
      bestby board import answers.csv --gold label --metric f1_macro --title Ours
      bestby board import matrix.csv --systems-in-rows
    """

    results: str = argument("RESULTS", "Table of systems and items.", file="read")
    place: Place
    table: ResultColumns
    shown: ShownResults
    direction: option_groups.Direction
    publish: Text = option("SITE", "Publish the board in this folder.")


@record
class BoardExport:
    """
    FILE becomes a CSV table with a row per item and a column per system, which 'bestby compare' reads. Texts
    that a spreadsheet would take for formulas get an apostrophe in front, in predictions and gold alike.

    \b
    Example:
      bestby board export all.csv --board task --with-gold
    """

    file: str = argument("FILE", "File to write.")
    task: Text = option("NAME", "Task, if the board has several.")
    phase: Text = option("NAME", "Phase (default: the last one whose results are shown).")
    with_gold: bool = flag("Write gold and groups too; such a file is as secret as the gold.")
    place: Place


def board_init(values: BoardInit) -> None:
    """Make a board and say what to do next."""
    from bestby.boards.board import Board
    from bestby.readers.paths import named_paths

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
    from bestby.boards.board import Board
    from bestby.readers.paths import named_paths

    streams.print_stdout(str(Board(values.place.board).check(named_paths(values.files))))


def board_submit(values: BoardSubmit) -> None:
    """Add a submission, print its number, and say what it is."""
    from bestby.readers.paths import named_paths

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
    from bestby.readers.paths import named_paths

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
    publication = _board(values.place).publish(values.site)
    streams.print_stderr(f"published {publication}; open {publication.site / 'index.html'}")


def board_verify(values: BoardVerify) -> None:
    """Print what is wrong, and end with status 1 if anything is."""
    import typer

    verification = _board(values.place).verify(values.site)
    streams.print_stdout(str(verification))
    if not verification.sound:
        raise typer.Exit(1)


def board_import(values: BoardImport) -> None:
    """Make a board of results, publish it if asked to, and say what was done."""
    from bestby.boards.board import Board

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
        publication = board.publish(values.publish)
        streams.print_stderr(f"published {publication}; open {publication.site / 'index.html'}")


def board_export(values: BoardExport) -> None:
    """Write the table and say how many systems it has."""
    number = _board(values.place).export(
        values.file, task=values.task, phase=values.phase, with_gold=values.with_gold
    )
    streams.print_stderr(f"wrote {counted(number, 'system')} to {values.file}")


def _board(place: Place) -> Board:
    from bestby.boards.board import Board

    return Board(place.board, place.gold_folder)


def _in_columns(rows: Sequence[Sequence[str]]) -> str:
    from rich.cells import cell_len, set_cell_size

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    padded = (
        "  ".join(set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    return "\n".join(padded)
