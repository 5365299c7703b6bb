"""The data of a comparison by preferences: judgements in files, tables, rows, as codes; and win rates."""

from __future__ import annotations

import dataclasses
import re
from collections import ChainMap, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from operator import itemgetter
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from bestby._core import arrays, checks
from bestby._core.arrays import is_table, objects
from bestby._core.cached import cached_property
from bestby._core.checks import NUMERAL
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.paths import readable_file
from bestby._core.text import counted, normal_form, quoted, visible, words_of
from bestby._core.typing import Array, FloatArray, IntArray, OnMissing
from bestby.data.alignment import chosen_names, two_groupings
from bestby.data.columns import HEAD, MISSING, Coded, Column, Missing, codes, complete, occurring
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.assemble import agreed
from bestby.data.reading import Reading, checked_reading
from bestby.data.roles import WINNER_WORDS, listed
from bestby.data.table import FrameColumns, Table, table_of, unreadable
from bestby.data.values import as_scores
from bestby.metrics.base import MeanMetric
from bestby.readers.archives import unpacking
from bestby.readers.files import read_table
from bestby.readers.formats.base import format_of, read_format
from bestby.readers.paths import by_system, check_arguments, default_names, missing_texts, named_paths
from bestby.results.base import Note


@unpacking
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

    Column a holds the system that was shown first. All other columns are kept, to be named when the systems
    are compared: who judged, prompts, lengths of answers. Annotations of alpaca_eval and verdicts of
    Arena-Hard and MT-bench are recognised, with their annotators or judges and, where these were logged, the
    lengths of the answers; what LMArena's tables hold in ``conv_metadata`` becomes columns.

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
    columns = {"a": a, "b": b, "winner": winner, "items": items, "clusters": clusters}
    check_arguments(paths, missing=missing, systems=systems, reading=how, **columns)
    files = by_system(named_paths(paths))
    form = format_of(files, None, texts=False) if all(name is None for name in columns.values()) else None
    if form is None:
        parts = [_judgements_in_file(*file, columns, missing_texts(missing)) for file in files.items()]
    else:
        # A judgement that failed is none; what was read says how many there are.
        read = read_format(form, files, on_missing="drop")
        parts = [_judgements_in_format(read, [*files.values()])]
    return _among(_joined(parts) if len(parts) > 1 else parts[0], systems, how.ignore)


def _judgements_in_file(
    name: str, path: Path, columns: Mapping[str, str | None], missing: Missing
) -> Preferences:
    if name not in (*default_names(path), path.parent.name):
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
    source = f"{paths[0].name} was" if len(paths) == 1 else "The files were"
    description = f"{source} read as {read.description}"
    table = Table(str(paths[0]), table_of(read.preferences).data, frozenset())
    return dataclasses.replace(preferences_of(table, {}), description=description, notes=read.notes)


# -- tables ----------------------------------------------------------------------------------------


A_WORDS, B_WORDS = ("a", "model_a"), ("b", "model_b")
"""Names of columns taken for the two systems when the user names none."""

TIES = ("tie", "draw", "tie (bothbad)", "both_bad")
"""What stands for a tie in the column of winners; the last two are those of Chatbot Arena."""

_UNGRADED = (0.0, 0.5, 1.0)

_WINNER_HINT = 'the winner is a system, "a" or "b", "tie", or a number from 0 (B) to 1 (A), or 1 (A) to 2 (B)'

_ROW_HINT = 'each judgement is (a, b, winner) or (item, a, b, winner), the winner a, b or "tie"'


@dataclass(frozen=True, eq=False)
class Preferences:
    """Judgements of pairs of systems, and the tables that they were read from.

    Parameters
    ----------
    names : tuple of str
        The systems, in order.
    first, second : ndarray, shape (n,)
        The positions in `names` of the two systems of each judgement, in the order in which they were shown.
    values : ndarray, shape (n,)
        1 where the first was preferred, 0 where the second was, 0.5 for a tie; what lies between is a graded
        preference.
    items, clusters : Coded or None
        What was judged; what is to be resampled together, if that is not the item. Codes and distinct texts.
    tables, rows, used
        The tables, with all their columns; which of their rows these judgements are, shape (n,); the names of
        the columns that have a part in the above.
    description : str
        What was taken for what.
    notes : tuple of Note
        What else is to be said of the reading.
    """

    names: tuple[str, ...]
    first: Array
    second: Array
    values: FloatArray
    items: Coded | None
    clusters: Coded | None
    tables: tuple[Table, ...]
    rows: Array
    used: frozenset[str]
    description: str
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        judgements = counted(len(self.values), "judgement")
        return f"<{judgements} of {counted(len(self.names), 'system')}: {visible(listed(self.names))}>"

    @property
    def is_graded(self) -> bool:
        """Whether some preference is no win, no loss and no tie."""
        return not bool(np.isin(self.values, _UNGRADED).all())

    def outcomes(self) -> Array:
        """Return 2 where the first was preferred, 1 for a tie, 0 where the second was; refuse grades."""
        if self.is_graded:
            graded = f"the first: {float(self.values[~np.isin(self.values, _UNGRADED)][0]):g}"
            raise InvalidInputError(
                f"strengths are made of wins, losses and ties, but a preference is graded ({graded})",
                hint="compare the means of graded preferences: bestby preferences --method win-rate, or"
                " compare with them as the scores of items",
            )
        return (2.0 * self.values).astype(np.int8)

    def judgements(self) -> list[tuple[str, ...]]:
        """Return the judgements as `bestby.compare_preferences` takes them.

        Raises
        ------
        InvalidInputError
            If a preference is graded.
        """
        names = objects([*self.names])
        first, second, outcome = names[self.first], names[self.second], self.outcomes()
        won = np.where(outcome == 1, TIES[0], np.where(outcome == 2, first, second))
        columns = [first, second, won] if self.items is None else [self.items.values, first, second, won]
        return [*zip(*(column.tolist() for column in columns), strict=True)]

    @property
    def columns(self) -> list[str]:
        """The names of the columns that all tables have."""
        return [name for name in self.tables[0].names if all(name in table.data for table in self.tables)]

    @property
    def unused_columns(self) -> list[str]:
        """The names of those of them that have no part in the judgements."""
        return [name for name in self.columns if name not in self.used]

    def groups(self, name: str, role: str) -> Coded:
        """Return the groups that a column of the tables puts the judgements into."""
        parts = [_coded(table, table.require(name, role), role) for table in self.tables]
        return _in_one_spelling(parts, self.rows)

    def numbers(self, name: str) -> FloatArray:
        """Return the numbers in a column of the tables; the lengths of texts, in characters."""
        parts = [_numbers(table, table.require(name, "covariates")) for table in self.tables]
        return np.concatenate(parts)[self.rows]


def preferences_of(table: Table, columns: Mapping[str, str | None]) -> Preferences:
    """Return the judgements of a table; `columns` are those that the user named, by the argument."""
    table = _unfolded(dataclasses.replace(table, missing=table.missing | {""}))
    _check_pairs(table, columns)
    a = table.column_called(columns.get("a"), A_WORDS, "a")
    b = table.column_called(columns.get("b"), B_WORDS, "b")
    winner = table.column_called(columns.get("winner"), WINNER_WORDS, "winner")
    item = table.item_column(columns.get("items"))
    cluster = columns.get("clusters") or ("cluster" if "cluster" in table.data else None)
    names, first, second = _pairs([_coded(table, name, "system") for name in (a, b)])
    if (first == second).any():
        row = int(np.argmax(first == second))
        raise InvalidInputError(
            f"{table.source}: row {row + 1} is of {quoted(names[first[row]])} against itself",
            hint="a judgement is of two systems",
        )

    values = _values(table, _coded(table, winner, "winner"), names, first, second, (a, b))
    more = (("preferred", winner), ("item", item), ("cluster", cluster))
    items, clusters = (
        _in_one_spelling([_coded(table, table.require(name, role), role)]) if name else None
        for role, name in more[1:]
    )
    description = f"{Path(table.source).name} was read as judgements; systems: {a} and {b}"
    description += "".join(f"; {role}: {name}" for role, name in more if name)
    used = frozenset({a, b, winner, item or winner, cluster or winner})
    rows = np.arange(first.size, dtype=np.int32)
    return Preferences(names, first, second, values, items, clusters, (table,), rows, used, description)


def _check_pairs(table: Table, columns: Mapping[str, str | None]) -> None:
    """Say which columns may hold the two systems, where none is named and none is called so."""
    if columns.get("a") or columns.get("b") or any(word in table.data for word in A_WORDS + B_WORDS):
        return
    pairs = (
        (name, name[:-1] + other) for name in table.names for end, other in ("ab", "AB") if name.endswith(end)
    )
    a, b = next((pair for pair in pairs if pair[1] in table.data), ("", ""))
    if not a:
        return
    n_names = len(table.distinct(a) | table.distinct(b))
    if n_names > table.n_rows:
        raise InvalidInputError(
            f"{table.source}: no column names the two systems; {a!r} and {b!r} hold {n_names} texts",
            hint="add two columns, a and b, with the names of the systems that gave these",
        )
    raise InvalidInputError(
        f"{table.source}: no column is called a or model_a", hint=f"name the columns: a={a!r} and b={b!r}"
    )


def _unfolded(table: Table) -> Table:
    """Return a table of judgements with columns for what logs of arenas keep in other forms.

    These are numbers of tokens and marks, which LMArena keeps in one object, and the winner, for which some
    of its tables have a column per outcome.
    """
    made: dict[str, Any] = {}
    if "conv_metadata" in table.data:
        rows = [{} if row is None else row for row in _cells(table, "conv_metadata")]
        made = dict(table_of(rows).data) if is_table(rows) else {}
    outcomes = [f"winner_{one}" for one in ("model_a", "model_b", "tie")]
    if "winner" not in table.data and all(name in table.data for name in outcomes):
        won, _, tied = (as_scores(table.column(name)).values.astype(np.float64) for name in outcomes)
        made["winner"] = won + 0.5 * tied
    return dataclasses.replace(table, data=ChainMap(made, table.data)) if made else table  # type: ignore[arg-type]  # to be read only


def _cells(table: Table, name: str, most: int | None = None) -> list[Any]:
    """Return the first values of a column, or all, as they are, None where there is none."""
    raw = table.raw(name)
    cells: list[Any] = (raw.values if isinstance(raw, Column) else raw)[:most].tolist()
    return cells


def _coded(table: Table, name: str, role: str) -> Coded:
    """Return a column of names or groups as codes of its texts; only the distinct ones are looked at."""
    coded = _codes_of(table, name, role)
    texts = coded.distinct.tolist()
    if {*map(type, texts)} == {str}:
        texts = [*map(str.strip, texts)]  # quicker than all that a column may be
    if {*map(type, texts)} != {str} or table.missing.intersection(texts) or "\0" in "".join(texts):
        try:
            texts = dataclasses.replace(table, data={name: coded.distinct}).texts(name, role)
        except InvalidInputError:
            table.texts(name, role)  # says the number of the row, too
            raise
    checks.check_text("".join(texts), f"{table.source}: {role}")
    return Coded(objects(texts), coded.codes)


def _codes_of(table: Table, name: str, role: str) -> Coded:
    """Return the values of a column as codes: of numbers in order, of others as they come up."""
    if isinstance(table.data, FrameColumns) and (coded := table.data.coded(name)) is not None:
        return coded
    raw = table.data[name]
    if isinstance(raw, np.ndarray) and raw.dtype.kind in "biuf" and not np.ma.is_masked(raw):
        return Coded(*codes(np.ma.getdata(raw)))
    if isinstance(raw, Coded):
        return raw
    cells = _cells(table, name)
    place: dict[Any, int] = defaultdict(count().__next__)
    try:
        places = np.fromiter(map(place.__getitem__, cells), np.int32, len(cells))
    except TypeError:  # a list, say, which has no hash
        row = next(row for row, cell in enumerate(cells) if not isinstance(cell, Hashable))
        raise InvalidInputError(
            f"{table.source}: the {role} of row {row + 1} must be a name, got {quoted(cells[row])}",
            hint=_ROW_HINT,
        ) from None
    return Coded(objects([*place]), places)


def _in_one_spelling(parts: Sequence[Coded], rows: Any = slice(None), shape: Any = -1) -> Coded:
    r"""Return texts one after the other, some rows of them, with one spelling for those that look alike.

    The distinct ones stand in order, and each occurs. The codes have a shape, of which the last axis is rows.

    >>> found = _in_one_spelling([Coded(objects(["caf\xe9", "x"]), np.array([0, 1])),
    ...                           Coded(objects(["cafe\u0301"]), np.array([0]))])
    >>> found.codes.tolist()
    [0, 1, 0]
    """
    texts = [*chain.from_iterable(part.distinct.tolist() for part in parts)]
    forms = texts if all(map(str.isascii, texts)) else [*map(normal_form, texts)]
    order = np.array(sorted(range(len(forms)), key=forms.__getitem__), dtype=np.int32)
    ranked = objects(forms)[order]
    is_new = np.append(True, ranked[1:] != ranked[:-1])  # of each form the first spelling
    place = np.empty(order.size, dtype=np.int32)
    place[order] = np.cumsum(is_new) - 1
    distinct = objects(texts)[order[is_new]]
    places = np.split(place, np.cumsum([part.distinct.size for part in parts[:-1]]))
    every = [own[part.codes] for own, part in zip(places, parts, strict=True)]
    codes = (np.concatenate(every) if len(every) > 1 else every[0]).reshape(shape)[..., rows]
    if isinstance(rows, slice):  # all of them
        return Coded(distinct, codes)
    there = occurring(codes, distinct.size)
    return Coded(distinct[there], (np.cumsum(there, dtype=np.int32) - 1)[codes])


def _pairs(both: Sequence[Coded], rows: Any = slice(None)) -> tuple[tuple[str, ...], Array, Array]:
    """Return the systems that occur, in order, and the first and the second of each judgement."""
    systems = _in_one_spelling(both, rows, (2, -1))
    return (tuple(systems.distinct.tolist()), *systems.codes)


def _joined(parts: Sequence[Preferences], kept: Any = slice(None)) -> Preferences:
    """Return judgements of several tables as one, or some; all of them have items and clusters, or none."""

    def grouping(what: str) -> Coded | None:
        groups = [one for part in parts if (one := getattr(part, what)) is not None]
        if len(groups) not in (0, len(parts)):
            raise InvalidInputError(
                f"some tables of judgements have {what}, and some have none",
                hint=f"give all of them a column of {what}, or none",
            )
        return _in_one_spelling(groups, kept) if groups else None

    systems = [objects([*part.names]) for part in parts]
    shown = [part.first for part in parts] + [part.second for part in parts]
    names, first, second = _pairs([*map(Coded, systems * 2, shown)], kept)
    starts = np.cumsum([0, *(sum(table.n_rows for table in part.tables) for part in parts[:-1])])
    rows = np.concatenate([part.rows + start for part, start in zip(parts, starts, strict=True)])
    values = np.concatenate([part.values for part in parts])[kept]
    tables = tuple(table for part in parts for table in part.tables)
    used = frozenset().union(*(part.used for part in parts))
    description, notes = "; ".join(part.description for part in parts), parts[0].notes
    groups = grouping("items"), grouping("clusters")
    return Preferences(names, first, second, values, *groups, tables, rows[kept], used, description, notes)


def _values(
    table: Table, won: Coded, names: Sequence[str], first: Array, second: Array, columns: Sequence[str]
) -> FloatArray:
    """Return 1 per judgement that the first system won, 0 for the second, what lies between for numbers.

    Numbers are from 0 (B) to 1 (A), or, if one is above 1, from 1 (A) to 2 (B).
    """
    place = {normal_form(name): code for code, name in enumerate(names)}
    if TIES[0] in place:
        raise InvalidInputError(
            f"{table.source}: a system is called {TIES[0]!r}, which means that neither was better",
            hint="give it another name",
        )
    # The name of a system goes before that of a column: "a" may be the system in column b.
    words = dict.fromkeys((columns[0], *A_WORDS), 1.0) | dict.fromkeys((columns[1], *B_WORDS), 0.0)
    words |= dict.fromkeys(TIES, 0.5)
    forms = [*map(normal_form, won.distinct.tolist())]
    winner = np.array([place.get(form, -1) for form in forms], dtype=np.int32)[won.codes]
    values = np.array([words.get(form, words.get(form.lower(), np.nan)) for form in forms])[won.codes]
    values[winner == second] = 0.0
    values[winner == first] = 1.0
    rows = np.flatnonzero(np.isnan(values))
    numerals = np.array([float(form) if NUMERAL.fullmatch(form) else np.nan for form in forms])
    numbers = numerals[won.codes[rows]]
    odd = rows[~((numbers >= 0.0) & (numbers <= 2.0))]
    if odd.size:
        row = int(odd[0])
        raise InvalidInputError(
            f"{table.source}: the winner of row {row + 1}, {quoted(names[first[row]])} against"
            f" {quoted(names[second[row]])}, must be one of them, 'tie' or a number, got"
            f" {quoted(won.values[row])}",
            hint=_WINNER_HINT,
        )
    if numbers.max(initial=0.0) > 1.0:
        if numbers.min() < 1.0:
            low, high = rows[int(numbers.argmin())], rows[int(numbers.argmax())]
            raise InvalidInputError(
                f"{table.source}: preferences are numbers from 0 to 1 or from 1 to 2, but row {low + 1} has"
                f" {won.values[low]} and row {high + 1} has {won.values[high]}",
                hint=_WINNER_HINT + "; write ties as 1.5",
            )
        numbers = 2.0 - numbers
    values[rows] = numbers
    return values


def _among(judged: Preferences, systems: Any, ignore: Any) -> Preferences:
    """Return the judgements of some systems, by name or pattern, with each other."""
    if systems is None and ignore is None:
        return judged
    chosen = chosen_names(judged.names, systems, ignore, "the judgements")
    every = objects([*judged.names])
    is_chosen = np.isin(every, objects(chosen))
    kept = np.flatnonzero(is_chosen[judged.first] & is_chosen[judged.second])
    if not kept.size:
        raise InvalidInputError(
            f"no judgement compares two of the systems that are left: {listed(chosen) or 'none'}",
            hint="name two systems or more that were judged against each other",
            argument="systems",
        )
    return _joined([judged], kept)


# -- covariates ------------------------------------------------------------------------------------


_STYLE = frozenset({
    "len", "length", "lengths", "token", "tokens", "char", "chars", "characters", "word", "words", "markdown",
    "header", "headers", "list", "lists", "bold", "answer", "response", "output", "completion",
    "conversation",
})  # fmt: skip
"""Words in the names of columns, one per answer, that tell of its style, or are the answer itself."""

_VOTERS = frozenset({"voter", "annotator", "rater", "judge", "user", "worker", "evaluator"})

_PROMPTS = frozenset({"prompt", "question", "instruction", "problem", "query", "document"})

_SIDE = re.compile(r"(?:^|(?<=[^a-z0-9]))(?:a|1)(?=[^a-z0-9]|$)")
"""What says in the name of a column that it is of the first answer: ``len_a``, ``sum_assistant_a_tokens``."""


def paired(columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return pairs of columns of the first and the second answer, by what their names have in common.

    >>> paired(["len_a", "len_b", "a_bold", "b_bold", "n_1"])
    {'len': ('len_a', 'len_b'), 'bold': ('a_bold', 'b_bold')}
    """
    found = {}
    for name in columns:
        for side in _SIDE.finditer(name):
            other = name[: side.start()] + {"a": "b", "1": "2"}[side[0]] + name[side.end() :]
            stem = re.sub(r"[_.\- ]+", "_", name[: side.start()] + name[side.end() :]).strip("_")
            if other in columns and stem:
                found[stem] = (name, other)
    return found


def _numbers(table: Table, name: str) -> FloatArray:
    """Return a column as numbers: those it holds, or the lengths in characters of its texts."""
    raw = table.data[name]
    kinds = {*map(type, raw[:HEAD])} if isinstance(raw, np.ndarray) else set()
    if any(issubclass(kind, list | Mapping | np.ndarray) for kind in kinds):
        return np.array([np.nan if one is None else _amount(one) for one in _cells(table, name)])
    column = table.column(name)
    read = as_scores(column)
    numbers = [len(text or "") for text in column.values.tolist()] if read.is_text else read.values
    return np.where(column.missing, np.nan, np.asarray(numbers, dtype=np.float64))


def _amount(value: Any) -> float:
    """Return how long an answer is that is a conversation, in characters; or the sum of several counts.

    >>> _amount([{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}])
    8.0
    >>> _amount({"h1": 2, "h2": 3})
    5.0
    """
    if isinstance(value, Mapping):
        if "content" in value:
            return 0.0 if value.get("role") == "user" else _amount(value["content"])
        return sum(_amount(one) for one in value.values())
    if isinstance(value, list | np.ndarray):
        return sum(_amount(one) for one in value)
    return float(len(value)) if isinstance(value, str) else float(value or 0.0)


def _covariates(judged: Preferences, given: Any, n: int, kept: Any) -> dict[str, FloatArray]:
    """Return the values of the first answer less those of the second, by the name of the covariate."""
    if given is None:
        return {}
    if isinstance(given, Mapping) or not isinstance(given, str | list | tuple):
        values = given if isinstance(given, Mapping) else _columns_of(given)
        tables = {name: _beside(one, name, "covariates", n) for name, one in values.items()}
        found = {name: _numbers(table, name)[kept] for name, table in tables.items()}
    else:
        entries = [given] if isinstance(given, str) else given
        found = dict(_covariate(judged, entry) for entry in entries)
    for name, differences in found.items():
        odd = np.flatnonzero(~np.isfinite(differences))
        if odd.size:
            raise InvalidInputError(
                f"the covariate {quoted(name)} has no value in {odd.size} of {judged.rows.size} judgements;"
                f" first: row {int(judged.rows[odd[0]]) + 1}",
                hint="leave these judgements out, or the covariate",
                argument="covariates",
            )
    return found


def _columns_of(values: Any) -> dict[str, Any]:
    """Return the columns of an array or frame of differences by name."""
    if arrays.is_frame(values):
        return dict(table_of(values).data)
    array = checks.as_array(values, "covariates")
    if array.ndim not in (1, 2):
        raise InvalidInputError(
            f"covariates must be names of columns or values per judgement, got {quoted(values)}",
            hint='covariates=["len"] takes the columns len_a and len_b',
            argument="covariates",
        )
    several = {f"covariate {place}": column for place, column in enumerate(array.T, start=1)}
    return several if array.ndim == 2 else {"covariate": array}


def _covariate(judged: Preferences, entry: Any) -> tuple[str, FloatArray]:
    """Return the name and the differences of one covariate: two columns, their common name, or one column."""
    free, names = judged.unused_columns, entry
    pairs = paired(free)
    if isinstance(entry, str) and entry not in free:
        names = pairs.get(entry) or tuple(part.strip() for part in entry.split(","))
    if isinstance(names, str) and not any(names in pair for pair in pairs.values()):
        return names, judged.numbers(names)
    if not (isinstance(names, list | tuple) and len(names) == 2 and all(isinstance(x, str) for x in names)):
        known = listed(sorted(pairs) or free)
        raise InvalidInputError(
            f"no covariate {quoted(entry)}: it is not the name of two columns, one per answer",
            hint=f"name the two columns, or what they have in common; there are {known}",
            argument="covariates",
        )
    called = next((stem for stem, pair in pairs.items() if pair == tuple(names)), f"{names[0]} - {names[1]}")
    return called, judged.numbers(names[0]) - judged.numbers(names[1])


# -- what a model is fitted to ---------------------------------------------------------------------


class Members(NamedTuple):
    """Judgements of some clusters, those of one after those of another, and how many each has, shape (G,)."""

    places: IntArray
    sizes: IntArray

    @property
    def clusters(self) -> IntArray:
        """The number of the cluster of each judgement among these."""
        return np.repeat(np.arange(self.sizes.size), self.sizes)

    def sums(self, values: Iterable[FloatArray]) -> FloatArray:
        """Return the sums by cluster of several values of judgements, (G, k)."""
        G, of_each = self.sizes.size, self.clusters
        return np.column_stack([np.empty((G, 0)), *(np.bincount(of_each, x, G) for x in values)])

    def sparse_sums(self, values: Sequence[FloatArray], columns: Sequence[IntArray], width: int) -> Any:
        """Return values in their columns of a sparse row per cluster, (G, width), equal columns apart."""
        from scipy.sparse import csr_array

        entries = (np.column_stack(both).ravel() for both in (values, columns))
        starts = len(values) * np.append(0, np.cumsum(self.sizes))
        return csr_array((*entries, starts), shape=(self.sizes.size, width))


@dataclass(frozen=True, eq=False)
class Clusters:
    """Clusters of judgements: `codes` from 0, shape (n,), each of which occurs, and their names."""

    codes: IntArray
    names: Sequence[str] = ()

    @property
    def n(self) -> int:
        """The number of clusters."""
        return self.sizes.size

    @cached_property
    def sizes(self) -> IntArray:
        """How many judgements each has, shape (G,)."""
        return np.bincount(self.codes)

    @cached_property
    def _ends(self) -> IntArray:
        """How many judgements each and those before it have, shape (G,)."""
        return np.cumsum(self.sizes)

    @cached_property
    def _order(self) -> IntArray:
        """The judgements, those of one cluster after those of another, shape (n,)."""
        return _sorted(self.codes)

    def members(self, chosen: IntArray) -> Members:
        """Return the judgements of some clusters."""
        sizes = self.sizes[chosen]
        starts = np.repeat(self._ends[chosen] - np.cumsum(sizes), sizes)
        return Members(self._order[starts + np.arange(starts.size)], sizes)

    def blocks(self, chosen: IntArray) -> Iterator[Members]:
        """Yield what `members` returns, a part of the clusters at a time."""
        block = np.cumsum(self.sizes[chosen]) >> 17  # judgements, of some megabytes
        for part in np.split(chosen, np.flatnonzero(np.diff(block)) + 1):
            yield self.members(part)

    def crossed(self, other: Clusters) -> Clusters:
        """Return the clusters of judgements that are in the same cluster of this grouping and the other."""
        order = other._order[_sorted(self.codes[other._order])]
        differs = np.diff(self.codes[order]) | np.diff(other.codes[order])
        codes = np.empty_like(order)
        codes[order] = np.cumsum(np.append(0, differs != 0))
        return Clusters(codes)


def _sorted(codes: IntArray) -> IntArray:
    """Return the order of codes by counting them, which takes a tenth of the time of sorting a million."""
    from scipy.sparse import coo_array

    place = codes, np.arange(codes.size, dtype=np.int32)
    return np.asarray(coo_array((np.ones(codes.size, dtype=np.bool_), place)).tocsr().indices)


@dataclass(frozen=True, eq=False)
class Judgements:
    """Which of two systems was preferred, judgement by judgement, as the codes that a model is fitted to.

    `systems` are the names, sorted; `first` and `second`, of shape (n,), the positions in them of the system
    that was shown first and of the other; `outcome`, of shape (n,), is 2 where the first was preferred, 1 for
    a tie, 0 where the second was. `clusters` are those of at most two groupings, by name; without any, each
    judgement is its own. The `covariates`, of shape (n, p), are those of the first less those of the second.
    `weights`, of shape (n,), are 1 if None. `unused` are notes on columns that are in no part of a model.
    """

    systems: tuple[str, ...]
    first: Array
    second: Array
    outcome: Array
    clusters: Mapping[str, Clusters]
    voter: Clusters | None
    covariates: FloatArray
    covariate_names: tuple[str, ...] = ()
    weights: FloatArray | None = None
    notes: tuple[Note, ...] = ()
    unused: tuple[Note, ...] = ()

    @property
    def n(self) -> int:
        """The number of judgements."""
        return int(self.first.size)


# -- whatever the user has -------------------------------------------------------------------------


def data_of(
    data: Any,
    clusters: Any = None,
    *,
    voter: Any = None,
    covariates: Any = None,
    systems: Any = None,
    ignore: Any = None,
    **columns: str | None,
) -> Judgements:
    """Return checked judgements; if nothing else was given, the items are the clusters.

    `columns` are those of a frame by their roles: a, b, winner and items.

    >>> data = data_of([("q1", "x", "y", "y"), ("q2", "y", "x", "tie")])
    >>> data.systems, data.first.tolist(), data.outcome.tolist(), data.clusters["item"].codes.tolist()
    (('x', 'y'), [0, 1], [0, 1], [0, 1])
    """
    read = data if isinstance(data, Preferences) else _preferences(data, clusters, columns)
    judged = _among(read, systems, ignore)
    n, kept = len(read.values), slice(None) if judged is read else np.searchsorted(read.rows, judged.rows)
    groups = _groupings(judged, clusters, "cluster", n, kept)
    if not groups:
        name, coded = ("item", judged.items) if judged.clusters is None else ("cluster", judged.clusters)
        groups = {} if coded is None else {name: Clusters(coded.codes, coded.distinct.tolist())}
    if len(groups) > 2:
        raise InvalidInputError(
            f"clusters are at most two groupings, got {listed([*groups])}",
            hint="give the two whose judgements are most alike, such as prompts and voters",
            argument="clusters",
        )
    if any(one.n == 1 for one in groups.values()):
        raise InvalidInputError(
            "all judgements are in one cluster: nothing can be said about the uncertainty",
            hint="clusters are groups such as prompts; at least 2 are needed",
        )
    voters = _groupings(judged, voter, "voter", n, kept)
    voters = voters or {name: one for name, one in groups.items() if _is_called(name, _VOTERS)}
    values = _covariates(judged, covariates, n, kept)
    differences = np.column_stack([*values.values()]) if values else np.empty((len(judged.values), 0))
    notes = (*([Note("read_as", judged.description)] if judged.description else []), *judged.notes)
    return Judgements(
        judged.names, judged.first, judged.second, judged.outcomes(), groups,
        next(iter(voters.values()), None), differences, tuple(values), notes=notes,
        unused=tuple(_unused(judged, groups, values)),
    )  # fmt: skip


def _unused(judged: Preferences, groups: Collection[str], covariates: Collection[str]) -> Iterator[Note]:
    """Yield notes on columns that look like voters, prompts or style, and are in no part of the model."""
    free = [name for name in judged.unused_columns if name not in groups]

    def on_groupings(code: str, words: Collection[str], what: str, one: str) -> Iterator[Note]:
        columns = {name: _cells(judged.tables[0], name, HEAD) for name in free if _is_called(name, words)}
        names = [name for name, cells in columns.items() if 1 < len({*map(str, cells)}) < len(cells)]
        are, them = ("is no cluster", "it") if len(names) == 1 else ("are no clusters", "them")
        if names:
            message = (
                f"{listed(names)} may say {what}, and {are}: judgements of one {one} are alike, which makes"
                f" intervals too short; name {them}: clusters=... (--cluster)"
            )
            yield Note(code, message)

    yield from on_groupings("unused_voters", _VOTERS, "who judged", "voter")
    yield from on_groupings("unused_prompts", _PROMPTS, "what was judged", "prompt")
    stems = [stem for stem in paired(judged.unused_columns) if stem not in covariates]
    if style := [stem for stem in stems if {*words_of(stem)} & _STYLE]:
        message = (
            f"{listed(style)} may tell of the style of answers, and is not used: covariates=... (--style)"
            " shows how strengths change with it taken into account"
        )
        yield Note("unused_style", message)


def _is_called(name: str, words: Collection[str]) -> bool:
    """Tell whether a column is called by one of the words, as ``user_id`` is by one of voters."""
    own = {*words_of(name)} - {"id", "name", "hash"}
    return len(own) == 1 and own <= {*words}


def _preferences(data: Any, clusters: Any, columns: Mapping[str, str | None]) -> Preferences:
    """Return the judgements in a frame, records, a mapping of columns, or tuples."""
    if isinstance(data, str | PathLike):
        raise unreadable(data, "judgements", "", "compare_preferences(bestby.read_preferences({}))")
    # The default is a column of that name, or one that is called in another usual way.
    named = {name: column for name, column in columns.items() if checks.valid_name(column, name) != name}
    named |= {"items": columns.get("items")}
    if not (isinstance(data, Mapping) or is_table(data)):
        table = _table_of_rows(data)
        return dataclasses.replace(preferences_of(table, named), description="")
    labelled = data if isinstance(data, Mapping) else {}
    if hasattr(data, "iloc") and data.shape[1]:  # the index may contradict that of the clusters
        labelled = {"the judgements": data.iloc[:, 0]}
    arrays.check_labels({**labelled, "clusters": None if isinstance(clusters, str) else clusters})
    return preferences_of(table_of(data), named)


def _table_of_rows(data: Any) -> Table:
    """Return tuples (a, b, winner) or (item, a, b, winner) as a table."""
    rows = arrays.listed(data, "the judgements")
    if not rows:
        raise InvalidInputError("there are no judgements", hint=_ROW_HINT)
    if {*map(type, rows)} - {tuple, list} or {*map(len, rows)} not in ({3}, {4}):
        for place, row in enumerate(rows, start=1):
            fits = isinstance(row, Sequence) or (isinstance(row, np.ndarray) and row.ndim == 1)
            if not fits or isinstance(row, str) or len(row) not in (3, 4) or len(row) != len(rows[0]):
                raise InvalidInputError(f"judgement {place} is {quoted(row)}", hint=_ROW_HINT)
    names = ("item", "a", "b", "winner")[-len(rows[0]) :]
    columns = {name: [*map(itemgetter(place), rows)] for place, name in enumerate(names)}
    return dataclasses.replace(table_of(columns), source="the judgements")


def _groupings(judged: Preferences, given: Any, role: str, n: int, kept: Any) -> dict[str, Clusters]:
    """Return the groupings that the user names, or gives beside the judgements, by name."""
    first, second = two_groupings(given)
    if given is None:
        return {}
    names = [given] if isinstance(given, str) else given if isinstance(given, list | tuple) else []
    if isinstance(given, str) or (names and all(one in judged.columns for one in map(str, names))):
        found = {name: judged.groups(name, role) for name in names}
    else:
        if not isinstance(given, Mapping):
            given = {role: first} if second is None else {f"{role} 1": first, f"{role} 2": second}
        argument = {"cluster": "clusters"}.get(role, role)
        tables = {str(name): _beside(values, str(name), argument, n) for name, values in given.items()}
        found = {name: _in_one_spelling([_coded(table, name, role)], kept) for name, table in tables.items()}
    return {name: Clusters(one.codes, one.distinct.tolist()) for name, one in found.items()}


def _beside(values: Any, name: str, argument: str, n: int) -> Table:
    """Return values that lie beside the judgements, and were given as an argument, as a table."""
    table = dataclasses.replace(table_of({name: values}), source=argument, missing=frozenset({""}))
    if table.n_rows != n:
        raise InvalidInputError(
            f"{argument} has {counted(table.n_rows, 'value')}, expected {n}", hint="pass one per judgement"
        )
    return table


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
    S, n = len(judged.names), len(judged.values)
    if S > 2 and judged.items is None:
        raise InvalidInputError(
            f"win rates of {S} systems are compared item by item, but there are no items",
            hint="name the column: items=...",
        )
    items = judged.items or Coded(objects([f"row {row + 1}" for row in range(n)]), np.arange(n))
    # The items that each system has, by the first row of each
    shown = np.concatenate([judged.first, judged.second]).astype(np.int64)
    cell = shown * items.distinct.size + np.tile(items.codes, 2)
    times = np.bincount(cell, minlength=S * items.distinct.size).reshape(S, -1)
    won = np.bincount(cell, np.concatenate([judged.values, 1.0 - judged.values]), times.size)
    shares = won.reshape(S, -1) / np.maximum(times, 1)
    notes = [Note("read_as", judged.description), *judged.notes]
    opponents = np.flatnonzero(np.bincount(shown) == n)
    met = np.bincount(judged.first * np.int64(S) + judged.second, minlength=S * S).reshape(S, S)
    times_met = (met + met.T)[np.triu_indices(S, 1)]
    if S > 2 and opponents.size:  # every judgement is with this system
        shares[opponents] = 0.5
        against = f"{judged.description}; win rates are those against {judged.names[opponents[0]]}"
        notes[0] = Note("read_as", against)
    elif (times_met != times_met[0]).any():
        message = (
            "not all pairs of systems were judged equally often: win rates depend on whom a system met,"
            " strengths (Bradley and Terry's model) do not"
        )
        notes.append(Note("uneven_pairs", message))
    scores = {
        name: dict(zip(items.distinct[has > 0].tolist(), row[has > 0].tolist(), strict=True))
        for name, row, has in zip(judged.names, shares, times, strict=True)
    }
    clusters = judged.clusters and agreed(
        "the judgements", "cluster", items.values.tolist(), complete(judged.clusters)
    )
    evaluation = Evaluation.of(scores, clusters=clusters or None, on_missing=on_missing)
    return dataclasses.replace(evaluation, notes=(*notes, *evaluation.notes), suggested=WinRate())
