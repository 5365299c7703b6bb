"""The constructors of `Board`: from a gold, from results that exist, from the folder of a board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.margins import margin_of
from bestby._core.text import quoted
from bestby._core.typing import Rng
from bestby.boards import clock, importing, making
from bestby.boards.folder import Folder
from bestby.boards.settings import Settings, Task
from bestby.readers.files import stem_of
from bestby.results.base import Note

_NO_PATH = "name the folder of the board; Board.create(...) makes one"


class BoardConstructors:
    """A board in a folder, its settings, and the ways to make one."""

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
        columns, by_task = making.Columns(items, gold_column), golds_by_task(gold, making.TASK)
        making.make_from_files(folder, by_task, columns, wish, rng, clock.now())
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
        on_missing: Literal["error", "drop"] = "error",
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
        on_missing : {"error", "drop"}
            What to do with items that some system lacks.
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
        own = checks.valid_name_list(metrics, "metrics") or (
            (importing.SCORE,) if gold is None else ("accuracy",)
        )
        source = checks.valid_path(results, "name the file of the results")
        wish = making.Wish(
            title=title or stem_of(source) or "Results",
            task=Task("", own, margins=_margins(margin, own), greater_is_better=greater_is_better),
            baseline=baseline,
        )
        table = importing.Results(
            source,
            gold,
            items,
            checks.valid_name_list(systems, "systems"),
            checks.valid_name_list(ignore, "ignore"),
            _one_column(clusters),
            strata,
            checks.valid_name_list(slices, "slices"),
            in_rows=checks.flag(systems_in_rows, "systems_in_rows"),
            on_missing=on_missing,
            team=team,
        )
        notes = importing.import_results(place, table, wish, phase, clock.now())
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
