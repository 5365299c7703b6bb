"""Long names in narrow tables: without what they have in common, else broken where their parts meet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from unicodedata import east_asian_width

from bestby._core.text import visible
from bestby.report.column import FIRST, SECOND, SYSTEM, Cell
from bestby.report.tables import Table

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_SEPARATORS = "-\N{EN DASH}_./: "
SHORT_NAME = 8  # the least width of a column of names
GAP = 2  # between two columns of a table
_LEAST_SAVED = 4  # characters, so that the line that explains the ellipsis is worth its place


@dataclass(frozen=True, slots=True)
class Common:
    """What names begin with and what they end with, which a table leaves out."""

    start: str = ""
    end: str = ""

    def without(self, name: str) -> str:
        """Return a name without them, an ellipsis in their place; another name as it is.

        >>> Common("wmt17/", ".en-de").without("wmt17/LIUM.en-de")
        '…LIUM…'
        """
        if not name.startswith(self.start) or not name.endswith(self.end):
            return name
        middle = name[len(self.start) : len(name) - len(self.end)]
        return f"{ELLIPSIS if self.start else ''}{middle}{ELLIPSIS if self.end else ''}"

    def explained(self, what: str) -> str:
        """Return a line that says what was left out of the names of some things, or nothing.

        >>> Common("wmt17/", ".en-de").explained("system")
        'Names of systems begin with "wmt17/" and end with ".en-de", which is left out here.'
        """
        parts = [f'begin with "{self.start}"'] if self.start else []
        parts += [f'end with "{self.end}"'] if self.end else []
        return f"Names of {what}s {' and '.join(parts)}, which is left out here." if parts else ""


def common(names: Iterable[str]) -> Common:
    """Return what all names begin and end with, up to where their parts meet.

    >>> common(["wmt17/LIUM.en-de", "wmt17/LMU.en-de"])
    Common(start='wmt17/', end='.en-de')
    >>> common(["aen", "bert"]), common(["run/", "run/x"])
    (Common(start='', end=''), Common(start='', end=''))
    """
    different = sorted(set(names))
    if len(different) < 2:
        return Common()
    start = _whole_parts(_beginning(different))
    start = start if len(start) >= _LEAST_SAVED else ""
    end = _whole_parts(_beginning([name[len(start) :][::-1] for name in different]))[::-1]
    end = end if len(end) >= _LEAST_SAVED else ""
    middles = (name[len(start) : len(name) - len(end)] for name in different)
    return Common(start, end) if all(re.search(r"[^\W_]", name) for name in middles) else Common()


def _beginning(names: Sequence[str]) -> str:
    """Return the letters that all names begin with."""
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in alike)


def _whole_parts(text: str) -> str:
    """Return the beginning of a text up to its last sign that separates parts, or is East Asian."""
    ends = (place for place, sign in enumerate(text, 1) if sign in _SEPARATORS or _stands_alone(sign))
    return text[: max(ends, default=0)]


def _stands_alone(sign: str) -> bool:
    """Tell whether a sign is East Asian: between such signs a name may be parted anywhere."""
    return east_asian_width(sign) == "W"


def pieces(name: str) -> list[str]:
    """Return the pieces of a name between which a line may end: each ends with the signs that follow it.

    >>> pieces("newstest2017.LIUM-NMT")
    ['newstest2017.', 'LIUM-', 'NMT']
    """
    signs = re.escape(_SEPARATORS)
    return re.findall(rf"[^{signs}]*[{signs}]+|[^{signs}]+", name)


def broken(name: str, width: int, length: Callable[[str], int]) -> list[str]:
    """Return a name as lines of a width, broken after its signs, and in mid-word only where a word is wider.

    >>> broken("newstest2017.LIUM-NMT.4900", 14, len)
    ['newstest2017.', 'LIUM-NMT.4900']
    """
    lines = [""]
    for piece in pieces(name):
        if lines[-1] and length(lines[-1]) + length(piece.rstrip()) > width:
            lines.append("")
        for letter in [piece] if length(lines[-1]) + length(piece.rstrip()) <= width else piece:
            if length(lines[-1]) + length(letter.rstrip()) > width:
                lines.append("")
            lines[-1] += letter
    return [line.rstrip() for line in lines]


def without_common(table: Table, width: int) -> tuple[Table, list[str]]:
    """Return a table that is too wide without what its names have in common, and lines that say so."""
    lines = []
    for what, places in name_columns(table).items() if width_of(table) > width else ():
        shared = common(str(row.cells[place].key) for row in table.rows for place in places)
        lines += [shared.explained(what)]
        table = renamed(table, places, partial(_shortened, shared))
    return table, [line for line in lines if line]


def _shortened(shared: Common, cell: Cell) -> str:
    name = str(cell.key)
    return cell.text.replace(name, shared.without(name), 1)


def name_columns(table: Table) -> dict[str, list[int]]:
    """Return the places of the columns of names, by what they name."""
    places: dict[str, list[int]] = {}
    for place, column in enumerate(table.columns):
        if column.name:
            what = SYSTEM if column.header in (FIRST, SECOND) else column.header
            places.setdefault(what, []).append(place)
    return places


def renamed(table: Table, places: Sequence[int], name: Callable[[Cell], str]) -> Table:
    """Return a table with other texts in some columns."""
    rows = (
        replace(
            row,
            cells=tuple(
                replace(cell, text=name(cell)) if place in places else cell
                for place, cell in enumerate(row.cells)
            ),
        )
        for row in table.rows
    )
    return replace(table, rows=tuple(rows))


def width_of(table: Table) -> int:
    """Return how many letters of a terminal a table is wide."""
    return sum(longest(table, place) + GAP for place in range(len(table.columns))) - GAP


def longest(table: Table, place: int) -> int:
    """Return the width of a column: that of its longest line, names having a least one."""
    from rich.cells import cell_len

    column = table.columns[place]
    texts = column.header, *(row.cells[place].text for row in table.rows)
    longest = max(cell_len(visible(line)) for text in texts for line in text.split("\n"))
    return max(longest, SHORT_NAME) if column.name else longest
