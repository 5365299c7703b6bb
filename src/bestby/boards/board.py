"""The door of the room: a board that is made, filled, published and verified."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.paths import is_directory, possible_path, user_path
from bestby._core.text import path_text, quoted
from bestby.boards import (
    checking,
    clock,
    entries,
    exporting,
    making,
    publishing,
    record,
    submitting,
    verifying,
)
from bestby.boards.constructors import BoardConstructors, golds_by_task
from bestby.boards.result import Publication, SubmissionCheck, SubmissionReceipt, Verification


class Board(BoardConstructors):
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
    >>> board = Board.create(folder / "board", folder / "gold.csv", title="Letters", metrics="accuracy")
    >>> lines = [f"q{place},{'xyy'[place % 3]}" for place in range(40)]
    >>> _ = (folder / "mine.csv").write_text("\n".join(["id,prediction", *lines]))
    >>> print(board.check(folder / "mine.csv"))
    task: 40 items; y 26, x 14
    >>> receipt = board.submit(folder / "mine.csv", team="ours", system="first")
    >>> [(one.team, one.system, one.state) for one in board.submissions()]
    [('ours', 'first', 'in force')]
    """

    def __repr__(self) -> str:
        number = len(entries.submissions(self._folder.lines()))
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
        return checking.check(self._folder, self.settings, files)

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
        request = submitting.Request(
            files, team=team, system=system, run=run, phase=phase, paper=paper, code=code
        )
        return submitting.submit(self._folder, request, clock.now())

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
        return submitting.withdraw(self._folder, number, clock.now(), hidden=hidden, reason=reason)

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
            clock.now(),
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
        given = golds_by_task(gold, "" if isinstance(gold, Mapping) else settings.task().name)
        return making.correct(self._folder, given, making.Columns(items, gold_column), reason, clock.now())

    def publish(self, site: str | Path) -> Publication:
        """Write the site of the board: static pages, and JSON and CSV of all tables.

        The new site takes the place of the old one in one step; pages that show the same are not written
        again. Without a change of the board, the same site comes out.

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
        return publishing.publish(self._folder, place, clock.now())

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
        return verifying.verify(self._folder, place, clock.now())

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
        return exporting.export(self._folder, place, task, phase, with_gold=gold_too)

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
        if ahead := record.ahead(lines, clock.now()):
            warnings.warn(ahead, stacklevel=2)
        return tuple(submitting.receipts(lines).values())
