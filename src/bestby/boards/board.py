"""`Board`: a shared task or a living benchmark in a folder."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from bestby._core import checks
from bestby._core.checks import margin_of
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.paths import is_directory, possible_path, user_path
from bestby._core.text import path_text, quoted
from bestby._core.typing import OnMissing, Rng
from bestby.boards import making, publishing, record, submitting, transfer
from bestby.boards.folder import Folder
from bestby.boards.result import Publication, SubmissionCheck, SubmissionReceipt, Verification
from bestby.boards.settings import Settings, Task
from bestby.readers.archives import submissions
from bestby.readers.files import stem_of
from bestby.results.base import Note
from bestby.vocabulary import allowed_names

_NO_PATH = "name the folder of the board; Board.create(...) makes one"


class Board:
    r"""A shared task or a living benchmark in a folder: hidden gold, submissions, a record, a static site.

    Submissions are predictions; they are kept as they came. Every change is a line of the record, which is
    chained by hashes, and every published number can be computed anew from the gold and the submissions. Any
    number of processes may submit at the same time; one that is killed leaves the board as it was.

    Parameters
    ----------
    path : str or Path
        The folder.
    gold : str or Path, optional
        Where the folder of the gold lies; in the board by default, or where the environment variable
        ``BESTBY_BOARD_GOLD`` says. It need not be there to check and to submit.

    Raises
    ------
    InvalidInputError
        If the folder is no board.

    See Also
    --------
    Board.create : Make a board.
    Study : Keep the runs of one's own experiments.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> lines = [f"q{place},{'xy'[place % 2]}" for place in range(40)]
    >>> _ = (folder / "gold.csv").write_text("\n".join(["id,gold", *lines]))
    >>> board = Board.create(
    ...     folder / "board", folder / "gold.csv", title="Letters", metrics="accuracy"
    ... )
    >>> lines = [f"q{place},{'xyy'[place % 3]}" for place in range(40)]
    >>> _ = (folder / "mine.csv").write_text("\n".join(["id,prediction", *lines]))
    >>> print(board.check(folder / "mine.csv"))
    task: 40 items; y 26, x 14
    >>> receipt = board.submit(folder / "mine.csv", team="ours", system="first")
    >>> [(one.team, one.system, one.state) for one in board.submissions()]
    [('ours', 'first', 'in force')]
    """

    def __init__(self, path: str | Path, gold: str | Path | None = None) -> None:
        self._folder = Folder.existing(checks.valid_path(path, _NO_PATH), gold)
        self._folder.settings()  # refuses those that are not sound
        self.notes: tuple[Note, ...] = ()
        """How `from_results` read the results, and what it left out."""

    @classmethod
    @with_suggestions
    def create(
        cls,
        path: str | Path,
        gold: str | Path | Mapping[str, str | Path],
        *,
        title: str,
        metrics: str | Sequence[str],
        items: str | None = None,
        gold_column: str | None = None,
        clusters: str | Sequence[str] | None = None,
        strata: str | None = None,
        slices: str | Sequence[str] = (),
        margin: float | Mapping[str, float] | None = None,
        baseline: str | None = None,
        private_share: float | None = None,
        scores: bool = False,
        greater_is_better: bool | None = None,
        public_columns: str | Sequence[str] = (),
        gold_folder: str | Path | None = None,
        rng: Rng = None,
    ) -> Self:
        """Make a board from a gold: its settings, the public list of items, the hidden gold, the record.

        Everything but the gold can be changed later in ``board.toml``: phases with their dates, limits, what
        is public.

        Parameters
        ----------
        path : str or Path
            The folder to make.
        gold : str, Path or mapping
            A table with a row per item: its id, its gold, and columns of groups; a table per task by name if
            there are several. Of the gold, only the ids and `public_columns` become public.
        title : str
            What the pages are called.
        metrics : str or sequence of str
            Names of metrics; the first decides the ranks.
        items, gold_column : str, optional
            The columns of the ids and of the gold; found by their names by default.
        clusters, strata : str, optional
            Columns of groups that depend on each other, and of groups whose sizes are fixed.
        slices : str or sequence of str, optional
            Columns by which the scores are shown, too.
        margin : float or mapping of str to float, optional
            The smallest difference that matters, for all metrics or by metric.
        baseline : str, optional
            The system that all others are compared with, as "team/system".
        private_share : float, optional
            The share of the items that are kept for the last phase. The board then has two phases: in the
            first one systems are scored on the public part; in the second on the private part, with results
            that are shown when it has ended.
        scores : bool
            Whether what systems submit are scores of items; the gold then has ids and groups alone.
        greater_is_better : bool, optional
            The direction of such scores.
        public_columns : str or sequence of str, optional
            Columns of the gold that participants get beside the ids.
        gold_folder : str or Path, optional
            Where the gold is to lie; in the board by default, where ``.gitignore`` names it.
        rng : int, Generator or None
            The seed of the split. Whoever knows it and the gold of the clusters could repeat the split: the
            default draws a new one, and only the split is stored.

        Returns
        -------
        Board
            The board.

        Raises
        ------
        InvalidInputError
            If there is a board already, or the gold cannot be used as given.
        DesignError
            If `clusters` are two groupings that cross each other.
        BoardError
            If the files cannot be written.
        """
        folder = Folder.at(checks.valid_path(path, _NO_PATH), gold_folder)
        chosen = checks.valid_name_list(metrics, "metrics")
        task = Task(
            name="",
            metrics=chosen,
            clusters=_one_column(clusters),
            strata=strata,
            slices=checks.valid_name_list(slices, "slices"),
            margins=_margins(margin, chosen),
            scores=scores,
            greater_is_better=greater_is_better,
        )
        public = checks.valid_name_list(public_columns, "public_columns")
        wish = making.Wish(title, task, public, baseline, private_share)
        columns = making.Columns(items, gold_column)
        making.check_free(folder)
        read = {
            name: making.read_gold(path, columns, scores=scores)
            for name, path in golds_by_task(gold, making.TASK).items()
        }
        making.make(folder, read, wish, rng, record.now())
        return cls(path, gold_folder)

    @classmethod
    @with_suggestions
    def from_results(
        cls,
        path: str | Path,
        results: str | Path,
        *,
        title: str | None = None,
        metrics: str | Sequence[str] = (),
        gold: str | None = None,
        items: str | None = None,
        systems: str | Sequence[str] = (),
        ignore: str | Sequence[str] = (),
        clusters: str | Sequence[str] | None = None,
        strata: str | None = None,
        slices: str | Sequence[str] = (),
        systems_in_rows: bool = False,
        on_missing: OnMissing = "error",
        team: str = "imported",
        phase: str | None = None,
        margin: float | Mapping[str, float] | None = None,
        baseline: str | None = None,
        greater_is_better: bool | None = None,
        gold_folder: str | Path | None = None,
    ) -> Self:
        r"""Make a board of the results of an existing leaderboard, or add them to a board of the same items.

        Parameters
        ----------
        path : str or Path
            The folder; a board is made if it is none.
        results : str or Path
            A table with a row per item and a column per system, or a long one, as `read` takes them:
            predictions if there is a `gold`, otherwise scores of the items.
        title : str, optional
            What the pages are called; by default as the file.
        metrics : str or sequence of str, optional
            Names of metrics; "accuracy" by default. Without gold, the name of the scores.
        gold, items, clusters, strata : str, optional
            Columns of the gold, of the ids, and of groups of the items.
        systems, ignore : str or sequence of str, optional
            Columns that are systems, all others by default, and columns that are not.
        slices : str or sequence of str, optional
            Columns by which the scores are shown, too.
        systems_in_rows : bool
            The table has a row per system, whose name is in the first column, and a column per item; `gold`
            is then the name of a row.
        on_missing : {"error", "drop", "drop-systems"}
            What to do with items that some system lacks: refuse the table, leave them out, or leave out the
            systems that lack some.
        team : str
            The team of systems whose names do not say theirs, as "team/system" does.
        phase : str, optional
            The phase of a board that is there; the first one that is open by default.
        margin, baseline, greater_is_better, gold_folder
            As for `create`.

        Returns
        -------
        Board
            The board; the same results again add nothing to it.

        Raises
        ------
        InvalidInputError
            If the table cannot be used as given, or its items are not those of the board.

        See Also
        --------
        Board.export : The other direction.

        Examples
        --------
        >>> import tempfile
        >>> from bestby import Board
        >>> folder = Path(tempfile.mkdtemp())
        >>> rows = [f"q{place},{place % 2},{int(place % 5 > 0)}" for place in range(40)]
        >>> _ = (folder / "matrix.csv").write_text("\n".join(["id,lab/one,lab/two", *rows]))
        >>> Board.from_results(folder / "board", folder / "matrix.csv")
        <board 'matrix': 2 submissions>
        """
        place = Folder.at(checks.valid_path(path, _NO_PATH), gold_folder)
        named_metrics = checks.valid_name_list(metrics, "metrics") or (
            (transfer.SCORE,) if gold is None else ("accuracy",)
        )
        source = checks.valid_path(results, "name the file of the results")
        wish = making.Wish(
            title=title or stem_of(source) or "Results",
            task=Task(
                "",
                named_metrics,
                margins=_margins(margin, named_metrics),
                greater_is_better=greater_is_better,
            ),
            baseline=baseline,
        )
        table = transfer.Results(
            source,
            gold,
            items,
            checks.valid_name_list(systems, "systems"),
            checks.valid_name_list(ignore, "ignore"),
            _one_column(clusters),
            strata,
            checks.valid_name_list(slices, "slices"),
            in_rows=checks.flag(systems_in_rows, "systems_in_rows"),
            on_missing=checks.choice(on_missing, allowed_names("on_missing", "boards"), "on_missing"),
            team=team,
        )
        notes = transfer.import_results(place, table, wish, phase, record.now())
        board = cls(path, gold_folder)
        board.notes = notes
        return board

    @property
    def path(self) -> Path:
        """The folder."""
        return self._folder.path

    @property
    def settings(self) -> Settings:
        """The settings, as ``board.toml`` has them now."""
        return self._folder.settings()

    def __repr__(self) -> str:
        number = len(record.submissions(self._folder.lines()))
        return f"<board {self.settings.title!r}: {number} submissions>"

    def check(self, files: str | Path | Mapping[str, str | Path]) -> SubmissionCheck:
        """Check files as participants can at home: neither the gold nor the record is looked at.

        Parameters
        ----------
        files : str, Path or mapping
            A table (CSV, TSV, JSON, JSON Lines) with the columns id and prediction, or a text file with a
            prediction per line in the order of the items; by task if the board has several.

        Returns
        -------
        SubmissionCheck
            What was found in the files.

        Raises
        ------
        InvalidInputError
            If a file cannot be submitted; the message says why.
        """
        with submissions() as unpacked:
            return submitting.check_submission(self._folder, self.settings, unpacked.paths(files))

    @with_suggestions
    def submit(
        self,
        files: str | Path | Mapping[str, str | Path],
        *,
        team: str,
        system: str,
        run: str = "",
        phase: str | None = None,
        paper: str = "",
        code: str = "",
        costs: Mapping[str, float] | None = None,
    ) -> SubmissionReceipt:
        """Add a submission; it is on the disk when this returns.

        The newest submission of a run of a system takes the place of the older ones in the tables of its
        phase. The same submission twice in a row is stored once: the receipt of the first comes back, so
        that it does no harm to submit again after an error.

        Parameters
        ----------
        files : str, Path or mapping
            As `check` takes them. A submission may leave out tasks.
        team, system : str
            The names that are published.
        run : str, optional
            The name of a run (a random seed), if the system has several.
        phase : str, optional
            The phase; the first one that is open by default.
        paper, code : str, optional
            Addresses of pages, of http or https.
        costs : mapping of str to float, optional
            The price of the system by the name of the cost, of those that the settings list. A column of the
            files that is called as a cost has what each item costs.

        Returns
        -------
        SubmissionReceipt
            The number of its line in the record, its moment and the hashes of its files.

        Raises
        ------
        InvalidInputError
            If it cannot be submitted: a wrong file or name, no open phase, a limit; nothing was changed.
        BoardError
            If the files of the board were changed or cannot be written; nothing was changed.
        """
        request = record.Submitted(team, system, phase or "", {}, run, paper, code, costs or {})
        with submissions() as unpacked:
            return submitting.submit(self._folder, unpacked.paths(files), request, record.now())

    def withdraw(self, submission: int, *, hidden: bool = False, reason: str = "") -> SubmissionReceipt:
        """Take a submission out of the tables; its line in the record and its file stay.

        Parameters
        ----------
        submission : int
            Its number, as `submissions` and its receipt have it.
        hidden : bool
            Whether the pages leave out its name, too. The record keeps it.
        reason : str, optional
            Why; the record is as public as the folder.

        Returns
        -------
        SubmissionReceipt
            The submission, now withdrawn.

        Raises
        ------
        InvalidInputError
            If there is no such submission.
        """
        checks.flag(hidden, "hidden")
        number = submission if isinstance(submission, int) and not isinstance(submission, bool) else None
        if number is None:
            raise InvalidInputError(
                f"submission must be a number, got {quoted(submission)}",
                hint="submissions() shows the numbers",
            )
        return submitting.withdraw(self._folder, number, record.now(), hidden=hidden, reason=reason)

    def end(
        self, phase: str | None = None, *, early: bool = False, revoke: bool = False, reason: str = ""
    ) -> int:
        """End a phase: nothing is submitted to it any more, and the next publication shows what it hides.

        Only this ends a phase. The date in the settings says from when on nothing is submitted, by the clock
        of the machine that submits; a clock that is wrong shows no results. A phase that has ended stays as
        it is, so that a job may do this every night from the date on.

        Parameters
        ----------
        phase : str, optional
            The phase, if the board has several.
        early : bool
            End it before its date.
        revoke : bool
            Take its end back: its results are hidden again when the board is published next, and submissions
            are taken until its date. What was published was seen.
        reason : str, optional
            Why; the record is as public as the folder.

        Returns
        -------
        int
            The number of the line of the record that says so.

        Raises
        ------
        InvalidInputError
            If its date has not come, or there is no end to revoke.
        """
        return submitting.end(
            self._folder,
            phase,
            record.now(),
            early=checks.flag(early, "early"),
            revoke=checks.flag(revoke, "revoke"),
            reason=reason,
        )

    def correct(
        self,
        gold: str | Path | Mapping[str, str | Path],
        *,
        reason: str,
        items: str | None = None,
        gold_column: str | None = None,
    ) -> int:
        """Give the board a corrected gold, by which the tables are made from now on.

        The results by the older gold stay on the site beside the new ones. A corrected gold may leave items
        out, and it may bring new columns for clusters, strata and slices; columns that it does not have are
        taken over from the older one.

        Parameters
        ----------
        gold : str, Path or mapping
            The whole gold in the form that `create` takes; by task if there are several, of which some may
            be left out.
        reason : str
            What was corrected; the pages show it.
        items, gold_column : str, optional
            The columns of the ids and of the gold; found by their names by default.

        Returns
        -------
        int
            The number of the version.

        Raises
        ------
        InvalidInputError
            If it has items that the board does not have, or is the gold that the board has.
        BoardError
            If the gold of the board is not there or was changed.
        """
        settings = self.settings
        files = golds_by_task(gold, "" if isinstance(gold, Mapping) else settings.task().name)
        return making.correct(self._folder, files, making.Columns(items, gold_column), reason, record.now())

    def publish(self, site: str | Path) -> Publication:
        """Write the site of the board: static pages, and JSON and CSV of all tables.

        The new site takes the place of the old one in one step. Without a change of the board, the same site
        comes out.

        Parameters
        ----------
        site : str or Path
            The folder of the site: a new or an empty one, or the site of a board. It may lie in the board.

        Returns
        -------
        Publication
            How many files it has, and how many were changed.

        Raises
        ------
        InvalidInputError
            If the folder cannot be that of a site.
        BoardError
            If the gold is not there, files of the board were changed, or the site cannot be written; the
            site is then as it was. What went wrong in the computation is not shown, since it may tell of the
            gold.
        """
        place = checks.valid_path(site, "name the folder of the site")
        if said := self.settings.without_effect:
            warnings.warn(said, stacklevel=2)
        return publishing.publish(self._folder, place, record.now())

    def verify(self, site: str | Path | None = None) -> Verification:
        """Compare everything with the record: what was submitted, the gold, and every published number.

        The last published site is computed anew from gold and submissions, without the cache, and so is
        `site`, which is compared byte by byte. Nothing is written.

        Parameters
        ----------
        site : str or Path, optional
            The folder of a site that was published.

        Returns
        -------
        Verification
            What is not as it should be.

        Raises
        ------
        InvalidInputError
            If there is no such folder.
        BoardError
            If something went wrong in the computation, which may tell of the gold and is not shown.
        """
        place = None if site is None else checks.valid_path(site, "name the folder of the site")
        if place is not None and not is_directory(user_path(place)):
            raise InvalidInputError(
                f"there is no folder {path_text(place)}", hint="name the folder of a published site"
            )
        return publishing.verify(self._folder, place, record.now())

    def export(
        self, file: str | Path, *, task: str | None = None, phase: str | None = None, with_gold: bool = False
    ) -> int:
        """Write the predictions of the systems that are shown as one table, which `read` takes.

        A text that a spreadsheet would take for a formula (it begins with =, +, -, @, a tab or a carriage
        return, and is no number) gets an apostrophe in front, in predictions and gold alike.

        Parameters
        ----------
        file : str or Path
            The CSV file to write.
        task : str, optional
            The task, if the board has several.
        phase : str, optional
            The phase; by default the last one whose results are shown.
        with_gold : bool
            Write the gold and the groups of the items beside the predictions, of the items that the phase
            scores. Such a file is as secret as the gold.

        Returns
        -------
        int
            How many systems there are.

        Raises
        ------
        InvalidInputError
            If no system is shown.
        BoardError
            If the gold is not there, or files of the board were changed.
        """
        place = possible_path(checks.valid_path(file, "name the file to write"))
        gold_too = checks.flag(with_gold, "with_gold")
        return transfer.export(self._folder, place, task, phase, with_gold=gold_too)

    def submissions(self) -> tuple[SubmissionReceipt, ...]:
        """Return all submissions in the order in which they came, with what became of them.

        A warning says if the record is ahead of the clock.

        Returns
        -------
        tuple of SubmissionReceipt
            One per submission.

        Raises
        ------
        BoardError
            If the record was changed.
        """
        lines = self._folder.lines()
        if ahead := record.ahead(lines, record.now()):
            warnings.warn(ahead, stacklevel=2)
        return tuple(submitting.receipts(lines).values())


def _one_column(clusters: Any) -> str | None:
    """Return the column of the clusters; refuse two that cross each other."""
    if clusters is None or isinstance(clusters, str):
        return clusters
    raise DesignError(
        f"clusters must be the name of one column, got {quoted(clusters)}",
        hint="a board does not support crossed groupings: name the column with fewer groups",
        argument="clusters",
    )


def golds_by_task(gold: str | Path | Mapping[str, str | Path], only: str) -> dict[str, Path]:
    """Return the file of the gold by task; a single file is of the task `only`."""
    hint = 'gold="gold.csv", or a file per task'
    by_task = gold if isinstance(gold, Mapping) else {only: gold}
    if not by_task:
        raise InvalidInputError("a board needs a gold", hint=hint)
    return {task: checks.valid_path(path, hint) for task, path in by_task.items()}


def _margins(margin: float | Mapping[str, float] | None, metrics: Sequence[str]) -> dict[str, float]:
    if margin is None:
        return {}
    if isinstance(margin, Mapping):
        return {name: margin_of(size, f"margin of {name}") for name, size in margin.items()}
    return dict.fromkeys(metrics, margin_of(margin))
