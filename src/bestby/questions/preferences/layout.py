"""Tables of judgements: which of two systems was preferred, one row per judgement."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.text import counted, normal_form, visible
from bestby._core.typing import Array, FloatArray
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.options import chosen_names
from bestby.data.roles import listed
from bestby.data.table import Table
from bestby.results.base import Note

A_WORDS, B_WORDS, WINNER_WORDS = ("a", "model_a"), ("b", "model_b"), ("winner", "preference")
"""Names of columns taken for the two systems and the preferred one when the user names none."""

TIES = ("tie", "draw", "tie (bothbad)", "both_bad")
"""What stands for a tie in the column of winners; the last two are those of Chatbot Arena."""

_PLAIN = (0.0, 0.5, 1.0)
_HINT = 'the winner is a system, "a" or "b", "tie", or a number from 0 (B) to 1 (A), or 1 (A) to 2 (B)'


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
        return not bool(np.isin(self._all_values, _PLAIN).all())

    @property
    def _all_values(self) -> FloatArray:
        if self.rates is None:
            return self.values
        return np.concatenate([*self.rates.systems.values()]).astype(np.float64)

    def winners(self) -> list[str]:
        """Return the name of the preferred system, or "tie", of each judgement; refuse graded preferences."""
        if self.is_graded:
            graded = f"the first: {float(self._all_values[~np.isin(self._all_values, _PLAIN)][0]):g}"
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


def joined(parts: Sequence[Preferences]) -> Preferences:
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
                hint=_HINT,
            )
    if numbers.max() <= 1.0:
        return numbers
    if numbers.min() < 1.0:
        low, high = rows[int(numbers.argmin())], rows[int(numbers.argmax())]
        raise InvalidInputError(
            f"{source}: preferences are numbers from 0 to 1 or from 1 to 2, but row {low + 1} has"
            f" {winners[low]} and row {high + 1} has {winners[high]}",
            hint=_HINT + "; write ties as 1.5",
        )
    return np.asarray(2.0 - numbers)


def rows_among(pairs: Sequence[tuple[str, str]], systems: Any, ignore: Any) -> tuple[list[str], list[int]]:
    """Return the chosen systems, and the positions of the pairs of which both are chosen."""
    known = list(dict.fromkeys(name for pair in pairs for name in pair))
    chosen = chosen_names(known, systems, ignore, "the judgements")
    rows = [row for row, (a, b) in enumerate(pairs) if a in chosen and b in chosen]
    if not rows:
        raise InvalidInputError(f"{listed(chosen) or 'no systems'} were never judged against each other")
    return chosen, rows


def among(judged: Preferences, systems: Any, ignore: Any) -> Preferences:
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
