"""Files of judgements: which of two systems was preferred."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.paths import readable_file
from bestby._core.text import quoted
from bestby.data.columns import MISSING
from bestby.data.layouts.preferences import Preferences, among, judged_values, preferences_of
from bestby.readers import arguments
from bestby.readers.files import read_table, stem_of
from bestby.readers.formats.base import recognised


@with_suggestions
def read_preferences(
    path: str | Path,
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
    path : str or Path
        CSV, TSV, JSON Lines or Parquet with a row per judgement, or annotations of a tool that is recognised.
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
        path,
        missing=missing,
        a=a,
        b=b,
        winner=winner,
        items=items,
        clusters=clusters,
        systems=systems,
        ignore=ignore,
    )
    if not isinstance(path, str | Path):
        raise InvalidInputError(f"judgements stand in one table, got {quoted(path)}", hint="name one file")
    place = readable_file(path)
    columns = {"a": a, "b": b, "winner": winner, "item": items, "cluster": clusters}
    if all(name is None for name in columns.values()) and (form := recognised(place)) is not None:
        # A judgement that failed is none; what was read says how many there are.
        judged = _from_format(form.read({stem_of(place): place}, on_missing="drop"), place)
    else:
        judged = preferences_of(read_table(place, arguments.missing_texts(missing)), columns)
    return among(judged, systems, ignore)


def _from_format(read: Any, path: Path) -> Preferences:
    if read.preferences is None:
        raise InvalidInputError(
            f"{path} was read as {read.description}: there are no preferences in it",
            hint="preferences are rows with two systems and which of them was better",
        )
    items, first, second, winners = (tuple(column) for column in zip(*read.preferences, strict=True))
    values = judged_values(str(path), winners, first, second, ("a", "b"))
    description = f"{path.name} was read as {read.description}"
    return Preferences(first, second, values, items, None, description, read.evaluation)
