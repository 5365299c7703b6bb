"""Files of judgements: which of two systems was preferred."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.paths import readable_file
from bestby.data.columns import MISSING, Missing
from bestby.questions.preferences.layout import Preferences, among, joined, judged_values, preferences_of
from bestby.readers import arguments
from bestby.readers.files import read_table
from bestby.readers.opening import format_of, read_format
from bestby.readers.paths import by_system, default_names, named_paths


@with_suggestions
def read_preferences(
    paths: str | Path | Sequence[str | Path] | Mapping[str, str | Path],
    *,
    systems: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    items: str | None = None,
    a: str | None = None,
    b: str | None = None,
    winner: str | None = None,
    clusters: str | None = None,
    missing: str | Iterable[str] = MISSING,
) -> Preferences:
    r"""Read judgements of which of two systems was better.

    Parameters
    ----------
    paths : path, sequence of paths or "name=path", or mapping of name to path
        CSV, TSV, JSON Lines or Parquet with a row per judgement, or annotations of a tool that is recognised,
        which may be a folder. The judgements of several files are put together; a name is that of the system
        that the annotations of a file are about.
    systems, ignore : str or sequence of str, optional
        Keep the judgements of these systems (all by default, without those to ignore) with each other, by
        name or pattern.
    items, a, b, winner, clusters : str, optional
        Columns: what was judged, the two systems, which was preferred, and what is to be resampled together.
        Those called a and b (or model_a, model_b), winner (or preference) and item (or id) are found.
    missing : str or iterable of str
        The texts that mean a missing value; there can be none.

    Returns
    -------
    Preferences
        The judgements.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, a column is missing, or a winner is neither of the two.

    See Also
    --------
    compare_preferences : Compare the systems by the judgements.
    read : Scores or predictions of each system.

    Notes
    -----
    The winner is the name of a system, the name of one of the two columns ("a", "model_b"), "tie", or a
    number: from 1 (A) to 2 (B), as alpaca_eval writes it, if there is a number above 1, else from 0 (B) to 1
    (A). 1 is a preference for A on both.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "judged.csv")
    ...     _ = path.write_text("item,a,b,winner\nq1,old,new,new\nq2,new,old,tie\n", encoding="utf-8")
    ...     judged = read_preferences(path)
    >>> judged.judgements()
    [('q1', 'old', 'new', 'new'), ('q2', 'new', 'old', 'tie')]
    """
    arguments.check(
        paths,
        missing=missing,
        a=a,
        b=b,
        winner=winner,
        items=items,
        clusters=clusters,
        systems=systems,
        ignore=ignore,
    )
    files = by_system(named_paths(paths))
    columns = {"a": a, "b": b, "winner": winner, "item": items, "cluster": clusters}
    form = format_of(files, None, texts=False) if all(name is None for name in columns.values()) else None
    if form is not None:
        # A judgement that failed is none; what was read says how many there are.
        read = read_format(form, files, gold=(), clusters=None, on_missing="drop", options={})
        judged = _from_format(read, [*files.values()])
    else:
        judged = joined(
            [_from_table(*file, columns, arguments.missing_texts(missing)) for file in files.items()]
        )
    return among(judged, systems, ignore)


def _from_table(name: str, path: Path, columns: Mapping[str, str | None], missing: Missing) -> Preferences:
    if name not in default_names(path):
        raise InvalidInputError(
            f"{path} is a table of judgements, which name their systems, and was itself given a name:"
            f" {name!r}",
            hint="give the file without a name",
        )
    return preferences_of(read_table(readable_file(path), missing), columns)


def _from_format(read: Any, paths: Sequence[Path]) -> Preferences:
    if read.preferences is None:
        raise InvalidInputError(
            f"{paths[0]} was read as {read.description}: there are no preferences in it",
            hint="preferences are rows with two systems and which of them was better",
        )
    items, first, second, winners = (tuple(column) for column in zip(*read.preferences, strict=True))
    values = judged_values(str(paths[0]), winners, first, second, ("a", "b"))
    source = f"{paths[0].name} was" if len(paths) == 1 else "The files were"
    return Preferences(
        first,
        second,
        values,
        items,
        None,
        f"{source} read as {read.description}",
        read.evaluation,
        read.notes,
    )
