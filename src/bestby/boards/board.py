"""The door of the room: a board that is made, filled, published and verified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby._core.typing import Rng
from bestby.boards import checking, making, publishing, submitting, verifying
from bestby.boards.folder import Folder
from bestby.boards.settings import Settings
from bestby.results.boards import Publication, SubmissionCheck, SubmissionReceipt, Verification

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
    >>> board = Board.create(folder / "board", folder / "gold.csv", title="Letters", metrics="accuracy")
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
        self._folder.settings()

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
        clusters: str | None = None,
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
    ) -> Board:
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
            first one systems are scored on the public part, with a ladder; in the second on the private
            part, with results that are shown when it has ended.
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
        BoardError
            If the files cannot be written.
        """
        folder = Folder.at(checks.valid_path(path, _NO_PATH), gold_folder)
        wish = making.Wish(
            title=title,
            metrics=_names(metrics),
            columns=making.Columns(items, gold_column),
            clusters=clusters,
            strata=strata,
            slices=_names(slices),
            public_columns=_names(public_columns),
            margins=_margins(margin, _names(metrics)),
            baseline=baseline,
            private_share=private_share,
            scores=scores,
            greater_is_better=greater_is_better,
        )
        making.make(folder, _by_task(gold), wish, rng, _now())
        return cls(path, gold_folder)

    @property
    def path(self) -> Path:
        """The folder."""
        return self._folder.path

    @property
    def settings(self) -> Settings:
        """The settings, as ``board.toml`` has them now."""
        return self._folder.settings()

    def __repr__(self) -> str:
        return f"<board {self.settings.title!r}: {len(self.submissions())} submissions>"

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
        return submitting.submit(self._folder, request, _now())

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
        return submitting.withdraw(self._folder, number, _now(), hidden=hidden, reason=reason)

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
        given = {settings.task().name: gold} if isinstance(gold, str | Path) else dict(gold)
        return making.correct(self._folder, given, making.Columns(items, gold_column), reason, _now())

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
        return publishing.publish(
            self._folder, checks.valid_path(site, "name the folder of the site"), _now()
        )

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
        BoardError
            If something went wrong in the computation, which may tell of the gold and is not shown.
        """
        place = None if site is None else checks.valid_path(site, "name the folder of the site")
        return verifying.verify(self._folder, place)

    def submissions(self) -> tuple[SubmissionReceipt, ...]:
        """Return all submissions in the order in which they came, with what became of them."""
        return tuple(submitting.receipts(self._folder.lines()).values())


def _now() -> datetime:
    return datetime.now(UTC)


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _by_task(gold: str | Path | Mapping[str, str | Path]) -> dict[str, str | Path]:
    if isinstance(gold, str | Path):
        return {making.TASK: gold}
    if not gold:
        raise InvalidInputError("a board needs a gold", hint='gold="gold.csv", or a file per task')
    return dict(gold)


def _margins(margin: float | Mapping[str, float] | None, metrics: Sequence[str]) -> dict[str, float]:
    if margin is None:
        return {}
    if isinstance(margin, Mapping):
        return dict(margin)
    return dict.fromkeys(metrics, margin)
