"""The data of a comparison by preferences: judgements in files, tables, rows; matrices and win rates."""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bestby._core import arrays, checks
from bestby._core.arrays import is_table
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.paths import readable_file
from bestby._core.text import counted, normal_form, quoted, visible
from bestby._core.typing import Array, FloatArray, IntArray, OnMissing
from bestby.data.alignment import chosen_names, one_grouping
from bestby.data.columns import MISSING, Missing, column_of_texts
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.assemble import agreed
from bestby.data.reading import Reading, checked_reading
from bestby.data.roles import listed
from bestby.data.table import Table, table_of, unreadable
from bestby.metrics.base import MeanMetric
from bestby.questions.preferences.matrices import WinMatrices
from bestby.readers.files import read_table
from bestby.readers.formats.base import format_of, read_format
from bestby.readers.paths import by_system, check_arguments, default_names, missing_texts, named_paths
from bestby.results.base import Note


@with_suggestions
def read_preferences(
    paths: str | Path | Sequence[str | Path] | Mapping[str, str | Path],
    *,
    systems: str | Sequence[str] | None = None,
    items: str | None = None,
    a: str | None = None,
    b: str | None = None,
    winner: str | None = None,
    clusters: str | None = None,
    reading: Reading | None = None,
    missing: str | Iterable[str] = MISSING,
) -> Preferences:
    r"""Read judgements of which of two systems was better.

    Parameters
    ----------
    paths : path, sequence of paths or "name=path", or mapping of name to path
        CSV, TSV, JSON Lines or Parquet with a row per judgement, or annotations of a tool that is recognised,
        which may be a folder. The judgements of several files are put together; a name is that of the system
        that the annotations of a file are about.
    systems : str or sequence of str, optional
        Keep the judgements of these systems (all by default, without those to ignore) with each other, by
        name or pattern.
    items, a, b, winner, clusters : str, optional
        Columns: what was judged, the two systems, which was preferred, and what is to be resampled together.
        Those called a and b (or model_a, model_b), winner (or preference) and item (or id) are found.
    reading : Reading, optional
        How the data are read: `ignore`.
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
    how = checked_reading(reading, "read_preferences", "ignore")
    check_arguments(
        paths,
        missing=missing,
        a=a,
        b=b,
        winner=winner,
        items=items,
        clusters=clusters,
        systems=systems,
        reading=how,
    )
    files = by_system(named_paths(paths))
    columns = {"a": a, "b": b, "winner": winner, "item": items, "cluster": clusters}
    form = format_of(files, None, texts=False) if all(name is None for name in columns.values()) else None
    if form is not None:
        # A judgement that failed is none; what was read says how many there are.
        read = read_format(form, files, gold=(), clusters=None, on_missing="drop", options={})
        judged = _judgements_in_format(read, [*files.values()])
    else:
        judged = _joined(
            [_judgements_in_file(*file, columns, missing_texts(missing)) for file in files.items()]
        )
    return judgements_among(judged, systems, how.ignore)


def _judgements_in_file(
    name: str, path: Path, columns: Mapping[str, str | None], missing: Missing
) -> Preferences:
    if name not in default_names(path):
        raise InvalidInputError(
            f"{path} is a table of judgements, which name their systems, and was itself given a name:"
            f" {name!r}",
            hint="give the file without a name",
        )
    return preferences_of(read_table(readable_file(path), missing), columns)


def _judgements_in_format(read: Any, paths: Sequence[Path]) -> Preferences:
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


# -- tables ----------------------------------------------------------------------------------------


A_WORDS, B_WORDS, WINNER_WORDS = ("a", "model_a"), ("b", "model_b"), ("winner", "preference")
"""Names of columns taken for the two systems and the preferred one when the user names none."""

TIES = ("tie", "draw", "tie (bothbad)", "both_bad")
"""What stands for a tie in the column of winners; the last two are those of Chatbot Arena."""

_UNGRADED = (0.0, 0.5, 1.0)

_WINNER_HINT = 'the winner is a system, "a" or "b", "tie", or a number from 0 (B) to 1 (A), or 1 (A) to 2 (B)'


@dataclass(frozen=True, eq=False)
class Preferences:
    """Judgements of pairs of systems.

    Parameters
    ----------
    first, second : tuple of str
        The two systems of each judgement.
    values : ndarray, shape (n,)
        1 where the first was preferred, 0 where the second was, 0.5 for a tie; what lies between is a graded
        preference.
    items, clusters : tuple of str, or None
        What was judged; what is to be resampled together, if that is not the item.
    description : str
        What was taken for what.
    rates : Evaluation or None
        The win rates by item as the format of the file has them; made of the judgements if None.
    notes : tuple of Note
        What else is to be said of the reading.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    values: FloatArray
    items: tuple[str, ...] | None
    clusters: tuple[str, ...] | None
    description: str
    rates: Evaluation | None = None
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        judgements = counted(len(self.values), "judgement")
        return f"<{judgements} of {counted(len(self.names), 'system')}: {visible(listed(self.names))}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The systems, in the order in which they come up."""
        both = zip(self.first, self.second, strict=True)
        return tuple(dict.fromkeys(name for pair in both for name in pair))

    @property
    def is_graded(self) -> bool:
        """Whether some preference is no win, no loss and no tie."""
        return not bool(np.isin(self._all_values, _UNGRADED).all())

    @property
    def _all_values(self) -> FloatArray:
        if self.rates is None:
            return self.values
        return np.concatenate([*self.rates.systems.values()]).astype(np.float64)

    def winners(self) -> list[str]:
        """Return the name of the preferred system, or "tie", of each judgement; refuse graded preferences."""
        if self.is_graded:
            graded = f"the first: {float(self._all_values[~np.isin(self._all_values, _UNGRADED)][0]):g}"
            raise InvalidInputError(
                f"strengths are made of wins, losses and ties, but a preference is graded ({graded})",
                hint="compare the means of graded preferences: bestby preferences --method win-rate, or"
                " compare with them as the scores of items",
            )
        rows = zip(self.first, self.second, self.values.tolist(), strict=True)
        return [a if value == 1.0 else b if value == 0.0 else TIES[0] for a, b, value in rows]

    def judgements(self) -> list[tuple[str, ...]]:
        """Return the judgements as `bestby.compare_preferences` takes them.

        Raises
        ------
        InvalidInputError
            If a preference is graded.
        """
        judged = list(zip(self.first, self.second, self.winners(), strict=True))
        if self.items is None:
            return [*judged]
        return [(item, *row) for item, row in zip(self.items, judged, strict=True)]


def preferences_of(table: Table, columns: Mapping[str, str | None]) -> Preferences:
    """Return the judgements of a table; `columns` holds the columns that the user named, by role."""
    a = table.column_called(columns["a"], A_WORDS, "a")
    b = table.column_called(columns["b"], B_WORDS, "b")
    winner = table.column_called(columns["winner"], WINNER_WORDS, "winner")
    item = table.item_column(columns["item"])
    cluster = columns["cluster"] or ("cluster" if "cluster" in table.data else None)
    if cluster is not None:
        table.require(cluster, "cluster")
    first, second, won, named = in_one_spelling(
        table.texts(a, "system"), table.texts(b, "system"), table.texts(winner, "winner"), (a, b)
    )
    for row, (x, y) in enumerate(zip(first, second, strict=True), start=1):
        if x == y:
            raise InvalidInputError(
                f"{table.source}: row {row} is of {x!r} against itself", hint="a judgement is of two systems"
            )
    description = f"{Path(table.source).name} was read as judgements; systems: {a} and {b}"
    more = (("preferred", winner), ("item", item), ("cluster", cluster))
    description += "".join(f"; {role}: {name}" for role, name in more if name)
    return Preferences(
        first,
        second,
        judged_values(table.source, won, first, second, named),
        None if item is None else tuple(table.texts(item, "item")),
        None if cluster is None else tuple(table.texts(cluster, "cluster")),
        description,
    )


def in_one_spelling(*columns: Sequence[str]) -> list[tuple[str, ...]]:
    r"""Return names with one spelling, the first, for those that look alike.

    >>> in_one_spelling(["caf\xe9", "x"], ["x", "cafe\u0301"])[1] == ("x", "caf\xe9")
    True
    """
    spelling: dict[str, str] = {}
    return [tuple(spelling.setdefault(normal_form(name), name) for name in names) for names in columns]


def _joined(parts: Sequence[Preferences]) -> Preferences:
    """Return the judgements of several tables as one; all of them have items and clusters, or none."""
    if len(parts) == 1:
        return parts[0]
    for what in ("items", "clusters"):
        have = [getattr(part, what) is not None for part in parts]
        if any(have) and not all(have):
            raise InvalidInputError(
                f"some tables of judgements have {what}, and some have none",
                hint=f"give all of them a column of {what}, or none",
            )

    def whole(what: str) -> tuple[str, ...]:
        return tuple(one for part in parts for one in getattr(part, what))

    first, second = in_one_spelling(whole("first"), whole("second"))
    return Preferences(
        first,
        second,
        np.concatenate([part.values for part in parts]),
        None if parts[0].items is None else whole("items"),
        None if parts[0].clusters is None else whole("clusters"),
        "; ".join(part.description for part in parts),
    )


def judged_values(
    source: str, winners: Sequence[str], first: Sequence[str], second: Sequence[str], columns: Sequence[str]
) -> FloatArray:
    """Return 1 per judgement that the first system won, 0 for the second, what lies between for numbers."""
    if TIES[0] in {*first, *second}:
        raise InvalidInputError(
            f"{source}: a system is called {TIES[0]!r}, which means that neither was better",
            hint="give it another name",
        )
    values = np.full(len(winners), np.nan)
    for row, (won, a, b) in enumerate(zip(winners, first, second, strict=True)):
        # The name of a system goes before that of a column: "a" may be the system in column b.
        words = {columns[0]: 1.0, columns[1]: 0.0, "a": 1.0, "b": 0.0, **dict.fromkeys(TIES, 0.5)}
        values[row] = {**words, b: 0.0, a: 1.0}.get(won, np.nan)
    numbers = np.flatnonzero(np.isnan(values))
    if numbers.size:
        values[numbers] = _graded(source, winners, numbers, first, second)
    return values


def _graded(
    source: str, winners: Sequence[str], rows: Array, first: Sequence[str], second: Sequence[str]
) -> FloatArray:
    numbers = np.full(rows.size, np.nan)
    for place, row in enumerate(rows.tolist()):
        with contextlib.suppress(ValueError):
            numbers[place] = float(winners[row])
        if not 0.0 <= numbers[place] <= 2.0:
            raise InvalidInputError(
                f"{source}: the winner of row {row + 1}, {first[row]!r} against {second[row]!r}, must be one"
                f" of them, 'tie' or a number, got {winners[row]!r}",
                hint=_WINNER_HINT,
            )
    if numbers.max() <= 1.0:
        return numbers
    if numbers.min() < 1.0:
        low, high = rows[int(numbers.argmin())], rows[int(numbers.argmax())]
        raise InvalidInputError(
            f"{source}: preferences are numbers from 0 to 1 or from 1 to 2, but row {low + 1} has"
            f" {winners[low]} and row {high + 1} has {winners[high]}",
            hint=_WINNER_HINT + "; write ties as 1.5",
        )
    return np.asarray(2.0 - numbers)


def rows_among(pairs: Sequence[tuple[str, str]], systems: Any, ignore: Any) -> tuple[list[str], list[int]]:
    """Return the chosen systems, and the positions of the pairs of which both are chosen."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    chosen = chosen_names(names, systems, ignore, "the judgements")
    rows = [row for row, (a, b) in enumerate(pairs) if a in chosen and b in chosen]
    if not rows:
        raise InvalidInputError(f"{listed(chosen) or 'no systems'} were never judged against each other")
    return chosen, rows


def judgements_among(judged: Preferences, systems: Any, ignore: Any) -> Preferences:
    """Return the judgements of some systems, by name or pattern, with each other."""
    if systems is None and ignore is None:
        return judged
    systems, rows = rows_among([*zip(judged.first, judged.second, strict=True)], systems, ignore)
    columns = {"first": judged.first, "second": judged.second}
    columns |= {"items": judged.items or (), "clusters": judged.clusters or ()}
    chosen: dict[str, Any] = {what: tuple(one[row] for row in rows) for what, one in columns.items() if one}
    rates = judged.rates
    if rates is not None:
        scores = {name: values for name, values in rates.systems.items() if name in systems}
        if len(scores) < 2:
            raise InvalidInputError(
                f"there are win rates of {listed(rates.names)}, but {len(scores)} of these were chosen",
                hint="choose at least two of them",
            )
        rates = dataclasses.replace(rates, systems=scores)
    return dataclasses.replace(judged, values=judged.values[rows], rates=rates, **chosen)


# -- whatever the user has -------------------------------------------------------------------------


_POSITIONS = {"a": 1.0, "b": 0.0}

_ROW_HINT = 'each judgement is (a, b, winner) or (item, a, b, winner), the winner a, b or "tie"'


def data_of(data: Any, clusters: Any, columns: Columns) -> Data:
    """Return checked judgements; if nothing else was given, the items are the clusters.

    >>> data = data_of([("q1", "x", "y", "y"), ("q2", "y", "x", "tie")], None, Columns())
    >>> data.names, data.judged.values, data.judged.clusters
    (('x', 'y'), array([0. , 0.5]), array([0, 1]))
    """
    clusters = one_grouping(clusters, "a comparison of judgements")
    notes: tuple[Note, ...] = ()
    if isinstance(data, Preferences):
        judged, clusters_named = _selected(data, clusters, columns)
        a, b, winner, items = judged.first, judged.second, judged.winners(), judged.items
        notes = (Note("read_as", judged.description), *judged.notes)
    elif isinstance(data, Mapping) or is_table(data):
        judged, clusters_named = _judgements_in_frame(data, clusters, columns)
        a, b, winner, items = judged.first, judged.second, judged.winners(), judged.items
        notes = (Note("read_as", judged.description),)
    elif isinstance(data, str | PathLike):
        raise unreadable(data, "judgements", "", "compare_preferences(bestby.read_preferences({}))")
    else:
        a, b, winner, items, clusters_named = _judgements_in_rows(data, clusters, columns)
    arrays.check_labels({"a": a, "b": b, "winner": winner, "items": items, "clusters": clusters_named})
    first, second, won = in_one_spelling(_texts(a, "a"), _texts(b, "b"), _texts(winner, "winner"))
    if not len(first) == len(second) == len(won):
        raise InvalidInputError(
            f"there are {len(first)} values of a, {len(second)} of b and {len(won)} of winner",
            hint="every judgement has one of each",
        )
    if not first:
        raise InvalidInputError("there are no judgements", hint=_ROW_HINT)
    for place, (x, y) in enumerate(zip(first, second, strict=True)):
        if x == y:
            raise InvalidInputError(f"judgement {place} is of {quoted(x)} against itself", hint=_ROW_HINT)
    names = tuple(sorted({*first, *second}))
    code = {name: position for position, name in enumerate(names)}
    values = _outcomes(won, first, second)
    group = clusters_named if clusters_named is not None else items
    return Data(
        names,
        WinMatrices(
            len(names),
            np.array([code[x] for x in first]),
            np.array([code[y] for y in second]),
            values,
            None if group is None else _codes(group, len(first)),
        ),
        notes,
    )


@dataclass(frozen=True, eq=False)
class Data:
    """Judgements and the names of the systems."""

    names: tuple[str, ...]
    judged: WinMatrices
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Columns:
    """The names of the columns of a frame; which systems' judgements are used."""

    a: str = "a"
    b: str = "b"
    winner: str = "winner"
    items: str | None = None
    systems: str | Sequence[str] | None = None
    ignore: str | Sequence[str] | None = None


def _judgements_in_rows(data: Any, clusters: Any, columns: Columns) -> tuple[Any, Any, Any, Any, Any]:
    """Return a, b, winner, items and clusters as columns."""
    if isinstance(clusters, str):
        raise InvalidInputError(
            f"clusters={quoted(clusters)} names a column, but the judgements are not a data frame",
            hint="pass one cluster per judgement",
        )
    checks.refuse_unused(
        "tuples, which have no named columns",
        a=(columns.a, "a"),
        b=(columns.b, "b"),
        winner=(columns.winner, "winner"),
        items=(columns.items, None),
    )
    rows = _rows(data)
    if rows and (columns.systems is not None or columns.ignore is not None):
        pairs = list(
            zip(
                *in_one_spelling(*(_texts([row[place] for row in rows], "system") for place in (-3, -2))),
                strict=True,
            )
        )
        _, chosen = rows_among(pairs, columns.systems, columns.ignore)
        clusters = _in_rows(clusters, chosen, len(rows))
        rows = [rows[row] for row in chosen]
    fields = list(zip(*rows, strict=True)) if rows else [(), (), ()]
    return *fields[-3:], (fields[0] if len(fields) == 4 else None), clusters


def _judgements_in_frame(data: Any, clusters: Any, columns: Columns) -> tuple[Preferences, Any]:
    """Return the judgements of a frame, of records or of a mapping of columns, and the clusters."""
    labelled = data if isinstance(data, Mapping) else {}
    if hasattr(data, "iloc") and data.shape[1]:  # the index may contradict that of the clusters
        labelled = {"the judgements": data.iloc[:, 0]}
    arrays.check_labels({**labelled, "clusters": None if isinstance(clusters, str) else clusters})
    columns_named = {
        # The default is a column of that name, or one that is called in another usual way.
        role: None if checks.valid_name(name, role) == role else name
        for role, name in (("a", columns.a), ("b", columns.b), ("winner", columns.winner))
    }
    cluster = clusters if isinstance(clusters, str) else None
    judged = preferences_of(table_of(data), {**columns_named, "item": columns.items, "cluster": cluster})
    return _selected(judged, None if cluster is not None else clusters, columns)


def _selected(judged: Preferences, clusters: Any, columns: Columns) -> tuple[Preferences, Any]:
    """Return the judgements of the chosen systems, and their clusters, which may lie beside them."""
    chosen = judgements_among(judged, columns.systems, columns.ignore)
    if clusters is None or chosen is judged:
        return chosen, chosen.clusters if clusters is None else clusters
    pairs = list(zip(judged.first, judged.second, strict=True))
    _, rows = rows_among(pairs, columns.systems, columns.ignore)
    return chosen, _in_rows(clusters, rows, len(pairs))


def _in_rows(clusters: Any, rows: Sequence[int], n: int) -> list[Any] | None:
    """Return the clusters of some of the `n` judgements."""
    if clusters is None:
        return None
    listed = _one_per_judgement(clusters, n)
    return [listed[row] for row in rows]


def _rows(data: Any) -> list[Sequence[Any]]:
    rows = arrays.listed(data, "the judgements")
    for place, row in enumerate(rows):
        listed = isinstance(row, Sequence) or (isinstance(row, np.ndarray) and row.ndim == 1)
        fits = listed and not isinstance(row, str) and len(row) in (3, 4)
        if not fits or len(row) != len(rows[0]):
            raise InvalidInputError(f"judgement {place} is {quoted(row)}", hint=_ROW_HINT)
    return rows


def _texts(values: Any, what: str) -> list[str]:
    listed = arrays.listed(values, what)
    for place, value in enumerate(listed):
        if checks.missing(value) or (isinstance(value, str) and value == ""):
            raise InvalidInputError(f"judgement {place} has no {what}", hint=_ROW_HINT)
        is_text = isinstance(value, str | bytes)
        if getattr(value, "shape", None) or (isinstance(value, Collection) and not is_text):
            raise InvalidInputError(
                f"the {what} of judgement {place} must be a name, got {quoted(value)}", hint=_ROW_HINT
            )
        checks.check_text(checks.name_text(value, what), f"{what} of judgement {place}")
    return [str(value) for value in listed]


def _outcomes(winner: Sequence[str], first: Sequence[str], second: Sequence[str]) -> FloatArray:
    """Return 1, 0.5 or 0 per judgement; a name of one of the two goes before the positions "a" and "b"."""
    values = np.empty(len(first))
    for place, (won, a, b) in enumerate(zip(winner, first, second, strict=True)):
        value = {**_POSITIONS, TIES[0]: 0.5, b: 0.0, a: 1.0}.get(won)
        if value is None:
            raise InvalidInputError(
                f"the winner of judgement {place} must be {quoted(a)}, {quoted(b)} or 'tie',"
                f" got {quoted(won)}",
                hint=_ROW_HINT,
            )
        values[place] = value
    return values


def _one_per_judgement(clusters: Any, n: int) -> list[Any]:
    listed = arrays.listed(clusters, "clusters")
    if len(listed) != n:
        raise InvalidInputError(
            f"clusters has {counted(len(listed), 'value')}, expected {n}", hint="pass one per judgement"
        )
    return listed


def _codes(groups: Any, n: int) -> Array:
    labels = [*map(normal_form, _texts(_one_per_judgement(groups, n), "cluster or item"))]
    code: Array = np.unique(np.array(labels, dtype=np.str_), return_inverse=True)[1].reshape(-1)
    if code.max() == 0:
        raise InvalidInputError(
            "all judgements are in one cluster: nothing can be said about the uncertainty",
            hint="clusters are groups such as prompts; at least 2 are needed",
        )
    return code


# -- judgements as win rates, a score per system and item ------------------------------------------


class WinRate(MeanMetric):
    """How often a system was preferred, a tie counting half."""

    name = "win_rate"
    bounds = (0.0, 1.0)
    needs_gold: ClassVar[bool] = False

    def values(self, gold: Any, predictions: Array) -> FloatArray:  # noqa: ARG002
        """Return the preferences as they are."""
        return np.asarray(predictions, dtype=np.float64)


def win_rates(judged: Preferences, on_missing: OnMissing = "error") -> Evaluation:
    """Return the share that each system won of every item, to be compared as scores.

    If more than two systems were judged, all against the same one, that one has one half.
    """
    opponent = _common_opponent(judged)
    if judged.rates is not None:
        notes = (Note("read_as", judged.description), *judged.notes, *judged.rates.notes)
        systems = dict(judged.rates.systems)
        if opponent is not None:
            systems[opponent] = np.full(judged.rates.n_items, 0.5)
        return dataclasses.replace(judged.rates, systems=systems, notes=notes, suggested=WinRate())
    if len(judged.names) > 2 and judged.items is None:
        raise InvalidInputError(
            f"win rates of {len(judged.names)} systems are compared item by item, but there are no items",
            hint="name the column: items=...",
        )
    items = judged.items or tuple(f"row {row + 1}" for row in range(len(judged.first)))
    shares: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for a, b, value, item in zip(judged.first, judged.second, judged.values.tolist(), items, strict=True):
        shares[a][item].append(value)
        shares[b][item].append(1.0 - value)
    scores = {name: {key: float(np.mean(v)) for key, v in shares[name].items()} for name in judged.names}
    description = judged.description
    if opponent is not None:
        scores[opponent] = dict.fromkeys(scores[opponent], 0.5)
        description += f"; win rates are those against {opponent}"
    clusters = judged.clusters and agreed(
        "the judgements", "cluster", items, column_of_texts([*judged.clusters])
    )
    evaluation = Evaluation.of(scores, clusters=clusters or None, on_missing=on_missing)
    return dataclasses.replace(
        evaluation,
        notes=(Note("read_as", description), *_note_on_uneven_pairs(judged, opponent), *evaluation.notes),
        suggested=WinRate(),
    )


def _common_opponent(judged: Preferences) -> str | None:
    """Return the one system that every judgement is with, if there are more than two."""
    if len(judged.names) == 2:
        return None
    shared = set.intersection(*({a, b} for a, b in zip(judged.first, judged.second, strict=True)))
    return next(iter(shared), None)


def _note_on_uneven_pairs(judged: Preferences, opponent: str | None) -> tuple[Note, ...]:
    pairs = Counter(frozenset(pair) for pair in zip(judged.first, judged.second, strict=True))
    n = len(judged.names)
    if opponent is not None or (len(pairs) == n * (n - 1) // 2 and len(set(pairs.values())) == 1):
        return ()
    message = (
        "not all pairs of systems were judged equally often: win rates depend on whom a system met, strengths"
        " (Bradley and Terry's model) do not"
    )
    return (Note("uneven_pairs", message),)


# -- judgements as codes ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Judgements:
    """Which of two systems was preferred, judgement by judgement, as the codes that a model is fitted to.

    `systems` are the names, sorted; `first` and `second`, of shape (n,), the positions in them of the system
    that was shown first and of the other; `outcome`, of shape (n,), is 2 where the first was preferred, 1 for
    a tie, 0 where the second was. `clusters` are codes from 0 by the name of the grouping, of which there are
    at most two; without any, each judgement is its own. `voter` are codes into the names `voters`. The
    `covariates`, of shape (n, p), are those of the first less those of the second. `style_columns` and
    `voter_columns` look like covariates and voters, and are not used.
    """

    systems: tuple[str, ...]
    first: IntArray
    second: IntArray
    outcome: IntArray
    clusters: Mapping[str, IntArray] = field(default_factory=dict)
    voter: IntArray | None = None
    voters: tuple[str, ...] = ()
    covariates: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    covariate_names: tuple[str, ...] = ()
    style_columns: tuple[str, ...] = ()
    voter_columns: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def n(self) -> int:
        """The number of judgements."""
        return int(self.first.size)


def judgements_of(data):  # ADAPTER
    w = data.judged
    cl = {} if w.clusters is None else {"item": np.asarray(w.clusters, dtype=np.int32)}
    return Judgements(data.names, w.first.astype(np.int32), w.second.astype(np.int32), np.round(2*w.values).astype(np.int8), cl, covariates=np.empty((w.n, 0)), notes=data.notes)
