"""Results as LaTeX tables in the style of booktabs."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted, suggestion, unbroken, visible
from bestby.report.column import Cell
from bestby.report.document import Document, Overview, Score, Section, describe
from bestby.report.names import pieces
from bestby.report.tables import Table

_MOST_ROWS = 40  # what fits a page; a table of booktabs does not break
_LONG_NAME = 24  # from which a column of names has a width of its own
_NOT_IN_LABELS = re.compile(r"[%{}\\#~^&$]")
_SPACES = re.compile(r"[^\S\xa0]+")
_POWER = re.compile(r"(<?)(\d+(?:\.\d+)?)e(-?\d+)")
_OPENING = re.compile(r'(?<![^\s(\[])"(?=\w)')  # a quotation mark at the beginning of a word
_FOLDED = "p"
_RAGGED = r"\raggedright"
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$",
    "|": r"\textbar{}", '"': "''", "\N{MINUS SIGN}": r"$-$", "\N{EN DASH}": "--", "\N{EM DASH}": "---",
    "\N{INFINITY}": r"$\infty$", "\N{MULTIPLICATION SIGN}": r"$\times$", "\N{PLUS-MINUS SIGN}": r"$\pm$",
    "\N{MICRO SIGN}": r"$\mu$", "\N{SUPERSCRIPT TWO}": r"$^{2}$", "\N{RIGHTWARDS ARROW}": r"$\rightarrow$",
    "\N{LEFT SINGLE QUOTATION MARK}": "`", "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": "``", "\N{RIGHT DOUBLE QUOTATION MARK}": "''",
    "\N{HORIZONTAL ELLIPSIS}": r"\dots{}", "\N{NO-BREAK SPACE}": "~", "ß": r"\ss{}", "ø": r"\o{}",
    "Ø": r"\O{}", "æ": r"\ae{}", "Æ": r"\AE{}", "œ": r"\oe{}", "Œ": r"\OE{}", "ł": r"\l{}", "Ł": r"\L{}",
    "ı": r"\i{}", "†": r"\dag{}", "‡": r"\ddag{}", "§": r"\S{}", "¶": r"\P{}", "‖": r"$\|$",
    "≤": r"$\le$", "≥": r"$\ge$",
}  # fmt: skip
_ACCENTS = {
    0x300: "`", 0x301: "'", 0x302: "^", 0x303: "~", 0x304: "=", 0x306: "u", 0x307: ".", 0x308: '"',
    0x30A: "r", 0x30B: "H", 0x30C: "v", 0x323: "d", 0x327: "c", 0x331: "b",
}  # fmt: skip
_GREEK = {
    letter: rf"$\{unicodedata.name(letter).rsplit(' ', 1)[1].lower()}$" for letter in "αβγδεζηθικμνξπρστυφψω"
} | {"λ": r"$\lambda$", "Δ": r"$\Delta$", "Σ": r"$\Sigma$", "Ω": r"$\Omega$"}
_GREEK_WORD = re.compile("([\u0370-\u03ff\u1f00-\u1fff]+)")

_COLUMN, _TEXT, _PAGE = 62, 98, 112
"""Letters of 7 pt in a line: of one column of two, of a page of text, of a page where `wide` is asked for."""

_MOST_LINES = 46  # of the tables that stand below one another on a page
_MOST_IN_LIST = 6  # systems whose pairs are a list; those of more are a matrix
_WIDE = (
    "% wider than one column of a page of two: set over both (table*), which changes nothing in a page of one"
)
_FITTED = (
    r"\resizebox{\ifdim\width>\linewidth"
    r"\ifdim.875\width>\linewidth.875\width\else\linewidth\fi\else\width\fi}{!}{%"
)
"""Scales a table of 8 pt down to the line, but to no less than 7 pt."""

Write = Callable[["Layout"], str]


@dataclasses.dataclass(frozen=True, slots=True)
class Layout:
    """How tables are set; see `Reported.to_latex`."""

    wide: bool = False
    label: str = ""
    caption: str = ""
    digits: int | None = None

    def __post_init__(self) -> None:
        if wrong := _NOT_IN_LABELS.search(self.label):
            raise InvalidInputError(
                f"label must not hold {quoted(wrong[0])}, which LaTeX does not take in a label,"
                f" got {quoted(self.label)}",
                hint="use letters, digits and - _ : .",
                argument="label",
            )
        if self.digits is not None and (type(self.digits) is not int or not 0 <= self.digits <= 20):
            raise InvalidInputError(
                f"digits must be a whole number from 0 to 20, got {quoted(self.digits)}", argument="digits"
            )


def to_latex(
    c: Any,
    top: int | None = None,
    *,
    parts: Sequence[str] | None = None,
    layout: Layout = Layout(),
) -> str:
    """Return a result as LaTeX tables in the style of booktabs; several metrics share one of scores."""
    parts = None if parts is None else checks.valid_name_list(parts, "parts")
    document = describe(c, top)
    chosen = _chosen(list(_parts(document)), parts)
    if layout.caption and len(chosen) > 1:
        raise InvalidInputError(
            f"a caption is for one table, and there are {len(chosen)}",
            hint=f'choose one, such as parts=["{chosen[0][0]}"]',
        )
    body = [write(_numbered(layout, place)) for place, (_, write) in enumerate(chosen)]
    comments = ["% needs \\usepackage{booktabs,graphicx}"]
    foreign = sorted({letter for part in body for letter in part if ord(letter) > 127})
    if foreign:
        comments.append(f"% needs XeLaTeX or LuaLaTeX with a font that has: {' '.join(foreign)}")
    comments.append("% " + " ".join(visible(document.signature).split()))
    return "\n".join(comments) + "\n\n" + "\n\n".join(body) + "\n"


def _parts(document: Document) -> Iterator[tuple[str, Write, bool]]:
    """Yield the parts of a report, in its order: what writes each, and whether it is written unasked."""
    of_two, overview = document.by_metric, document.overview
    if of_two is not None:
        yield "metrics", partial(_table, of_two), True
    if overview is not None:
        yield "scores", partial(_overview, overview), of_two is None
    for section in document.sections:
        as_matrix = _is_matrix(section)
        for table in section.tables[overview is not None :]:
            replaced = table.part == "differences" and (as_matrix or of_two is not None)
            yield table.part, partial(_table, table), not replaced
        if section.pairs is not None:
            yield "pairs", partial(_matrix, section.pairs), as_matrix


def _is_matrix(section: Section) -> bool:
    """Return whether differences are written as a matrix: every two of more than a few were compared."""
    if section.pairs is not None:
        with suppress(InvalidInputError):
            return len(section.pairs().rows) > _MOST_IN_LIST
    return False


def _matrix(pairs: Callable[[], Table], layout: Layout) -> str:
    return _table(pairs(), layout)


def _chosen(found: Sequence[tuple[str, Write, bool]], parts: Sequence[str] | None) -> list[tuple[str, Write]]:
    """Return what writes the parts that are asked for, in the order of the report."""
    if parts is None:
        return [(part, write) for part, write, unasked in found if unasked]
    names = list(dict.fromkeys(part for part, _, _ in found))
    for part in parts:
        if part not in names:
            raise InvalidInputError(
                f"parts must be among {', '.join(names)}, got {quoted(part)}{suggestion(str(part), names)}",
                argument="parts",
            )
    if not parts:
        raise InvalidInputError("parts is empty: there is nothing to write", argument="parts")
    return [(part, write) for part, write, _ in found if part in parts]


def _numbered(layout: Layout, place: int) -> Layout:
    """Return the layout of one of several tables: each has a label of its own, the first the one given."""
    more = f"-{place + 1}" if layout.label and place else ""
    return dataclasses.replace(layout, label=layout.label + more)


def escape(text: str) -> str:
    """Return text that LaTeX sets as it is, with commands for accents and Greek letters.

    A Greek word in which a letter has no command is left to a font that has all of them.
    """
    letters = unicodedata.normalize("NFC", " ".join(_words(visible(text))))
    letters = _OPENING.sub("\N{LEFT DOUBLE QUOTATION MARK}", letters)
    unjoined = re.sub("-(?=-)", "-\0", letters)  # two hyphens are not a dash
    parts = _GREEK_WORD.split(unjoined)
    written = [
        part if place % 2 and not _GREEK.keys() >= set(part) else "".join(map(_letter, part))
        for place, part in enumerate(parts)
    ]
    return "".join(written).replace("\0", "{}")


def _letter(letter: str) -> str:
    command = _SPECIAL.get(letter) or _GREEK.get(letter)
    if command or letter.isascii():
        return command or letter
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if len(marks) != 1 or not base.isascii() or ord(marks[0]) not in _ACCENTS:
        return letter
    stem = {"i": r"\i", "j": r"\j"}.get(base, base) if ord(marks[0]) < 0x323 else base
    return f"\\{_ACCENTS[ord(marks[0])]}{{{stem}}}"


def prose(text: str) -> str:
    r"""Return escaped text whose long words, such as names of systems, may be broken after their signs.

    >>> prose("of bert_base_uncased, 95 % intervals")
    'of bert\\_\\allowbreak{}base\\_\\allowbreak{}uncased, 95~\\% intervals'
    """
    # A longer word of a caption may be broken after its signs
    pieces_of_words = (pieces(word) if len(word) > 16 else [word] for word in _words(unbroken(text)))
    return " ".join(r"\allowbreak{}".join(map(escape, parts)) for parts in pieces_of_words)


def _words(text: str) -> list[str]:
    """Return the parts of a text between spaces at which a line may break."""
    return [word for word in _SPACES.split(text) if word]


def _overview(overview: Overview, layout: Layout) -> str:
    """Return the scores on all metrics; of several metrics and few systems with the intervals below them."""
    rows = []
    # Systems whose intervals may stand below their scores, which takes two lines of each
    below = len(overview.metrics) > 1 and len(overview.rows) <= 20
    long = any(len(name) > _LONG_NAME for name, _ in overview.rows)
    shown = _name if long else escape
    for name, scores in overview.rows:
        numbers, intervals = ([write(score, layout) for score in scores] for write in (_score, _interval))
        if below:
            rows.append([shown(name), *numbers])
            rows += [["", *intervals]] if any(intervals) else []
        else:
            cells = (" ".join(filter(None, both)) for both in zip(numbers, intervals, strict=True))
            rows.append([shown(name), *cells])
    columns = [
        _Column("System", _FOLDED if long else "l", True),
        *(_Column(escape(name), "l") for name in overview.metrics),
    ]
    return _environment(prose(overview.caption), columns, rows, layout, prose(overview.footnote))


def _score(score: Score | None, layout: Layout) -> str:
    if score is None:
        return ""
    number = escape(score.number.shown(layout.digits))
    text = rf"\textbf{{{number}}}" if score.best else number
    return text + rf"\textsuperscript{{{escape(score.group)}}}" if score.group else text


def _interval(score: Score | None, layout: Layout) -> str:
    if score is None or score.interval is None:
        return ""
    return rf"{{\footnotesize {escape(score.interval.shown(layout.digits))}}}"


@dataclasses.dataclass(frozen=True, slots=True)
class _Column:
    """A column: its header, its kind for `tabular`, and whether it names the rows."""

    header: str
    kind: str
    names: bool = False


def _table(table: Table, layout: Layout) -> str:
    shown = [row.cells for row in table.rows[:_MOST_ROWS]]
    folded = [
        column.name and any(len(cells[place].text) > _LONG_NAME for cells in shown)
        for place, column in enumerate(table.columns)
    ]
    rows = [
        [
            _name(cell.text) if long else _number(cell, layout)
            for cell, long in zip(cells, folded, strict=True)
        ]
        for cells in shown
    ]
    stop = "" if table.caption.endswith("?") else "."
    caption = f"{prose(table.caption)}{stop} {prose(table.methods)}".rstrip()
    if len(table.rows) > _MOST_ROWS:
        caption += f" The first {_MOST_ROWS} of {len(table.rows)} rows."
    columns = [
        _Column(escape(column.header), "r" if column.numeric else _FOLDED if long else "l", column.name)
        for column, long in zip(table.columns, folded, strict=True)
    ]
    footnote = "\\par\n".join(map(prose, table.footnote.splitlines()))
    return _environment(caption, columns, rows, layout, footnote)


def _name(text: str) -> str:
    return f"{_RAGGED} {prose(text)}"


def _number(cell: Cell, layout: Layout) -> str:
    """Return a cell, powers of ten in it as one writes them in a paper."""
    text = cell.shown(layout.digits)
    if cell.strong:
        return rf"\textbf{{{escape(text)}}}"
    if not isinstance(cell.key, float):
        return escape(text)
    before, *powers = _POWER.split(text)
    written = escape(before)
    for sign, size, exponent, after in zip(*(powers[place::4] for place in range(4)), strict=True):
        written += rf"${sign}{size}\times10^{{{exponent}}}$" + escape(after)
    return written


def _line(cells: list[str]) -> str:
    # A line that begins with a bracket or a star would be read as an argument of the \\ before it.
    # In a ragged paragraph \\ ends a line of the paragraph, not the row.
    end = r" \tabularnewline" if cells[-1].startswith(_RAGGED) else r" \\"
    return " & ".join(f"{{}}{cell}" if cell.startswith(("[", "*")) else cell for cell in cells) + end


def _widths(columns: Sequence[_Column], rows: Sequence[Sequence[str]], limit: int) -> list[int]:
    """Return about how many letters wide each column is, folded ones as wide as the line lets them."""
    cells = ([column.header, *(row[place] for row in rows)] for place, column in enumerate(columns))
    plain = ([re.sub(r"\\[A-Za-z]+|[\\{}$]", "", cell).strip() for cell in column] for column in cells)
    widths = [max(map(len, column)) for column in plain]
    folded = [place for place, column in enumerate(columns) if column.kind == _FOLDED]
    left = limit - sum(width + 2 for place, width in enumerate(widths) if place not in folded)
    for place in folded:
        widths[place] = min(widths[place], max(left // len(folded) - 2, limit // 6))
    return widths


def _blocks(columns: Sequence[_Column], widths: Sequence[int], limit: int) -> list[list[int]]:
    """Return which columns stand in each of the tables that fit a line; the names stand in all of them.

    >>> names, number = _Column("system", "l", True), _Column("1", "r")
    >>> _blocks([names, number, number, number], [10, 8, 8, 8], 32)
    [[0, 1], [0, 2, 3]]
    """
    names = [place for place, column in enumerate(columns) if column.names]
    others = [place for place in range(len(columns)) if place not in names]
    for n_blocks in range(1, len(others)):
        parts = [
            others[n * len(others) // n_blocks : (n + 1) * len(others) // n_blocks] for n in range(n_blocks)
        ]
        blocks = [sorted([*names, *part]) for part in parts]
        if all(sum(widths[place] + 2 for place in block) - 2 <= limit for block in blocks):
            return blocks
    return [sorted([*names, place]) for place in others] or [names]


def _environment(
    caption: str, columns: Sequence[_Column], rows: list[list[str]], layout: Layout, footnote: str = ""
) -> str:
    """Return a table in letters of 8 pt, or 7 pt where it fits so; of a wider one the columns are parted.

    A table that is wider than a narrow column stands over both, as `wide` asks for.
    """
    for limit in (_PAGE,) if layout.wide else (_COLUMN, _TEXT):
        widths = _widths(columns, rows, limit)
        blocks = _blocks(columns, widths, limit)
        if len(blocks) == 1:
            break
    wide = layout.wide or limit > _COLUMN
    kinds = [
        rf"p{{{width / limit:.2f}\linewidth}}" if column.kind == _FOLDED else column.kind
        for column, width in zip(columns, widths, strict=True)
    ]
    tabulars = [_tabular(columns, kinds, rows, block) for block in blocks]
    comments = [_WIDE] if wide and not layout.wide else []
    if len(blocks) > 1:
        comments.append(
            f"% the columns are parted in {len(blocks)}: in one line they would need letters below 7 pt"
        )
    if len(blocks) * (len(rows) + 2) <= _MOST_LINES:
        tabulars = ["\n\\par\\medskip\n".join(tabulars)]
    floats = []
    for place, tabular in enumerate(tabulars, 1):
        more = f" Part {place} of {len(tabulars)}." if len(tabulars) > 1 else ""
        label = layout.label and (layout.label if place == 1 else f"{layout.label}-part{place}")
        floats.append(_float(f"{layout.caption or caption}{more}", label, tabular, footnote, wide=wide))
    return "\n".join([*comments, "\n\n".join(floats)])


def _tabular(
    columns: Sequence[_Column], kinds: Sequence[str], rows: Sequence[Sequence[str]], block: Sequence[int]
) -> str:
    """Return the table of some of the columns."""
    lines = [
        rf"\begin{{tabular}}{{@{{}}{''.join(kinds[place] for place in block)}@{{}}}}",
        r"\toprule",
        _line([columns[place].header for place in block]),
        r"\midrule",
        *(_line([row[place] for place in block]) for row in rows),
        r"\bottomrule",
        r"\end{tabular}}",
    ]
    return "\n".join([_FITTED, *lines])


def _float(caption: str, label: str, tabular: str, footnote: str, *, wide: bool) -> str:
    kind = "table*" if wide else "table"
    below = rf"\par\smallskip\begin{{minipage}}{{\linewidth}}\footnotesize {footnote}\end{{minipage}}"
    parts = [
        rf"\begin{{{kind}}}[t]",
        r"\centering\emergencystretch=3em",
        r"\setlength{\abovecaptionskip}{0pt}\setlength{\belowcaptionskip}{6pt}",
        rf"\caption{{{caption}}}",
        *([rf"\label{{{label}}}"] if label else []),
        r"\fontsize{8}{9.6}\selectfont\setlength{\tabcolsep}{3pt}",
        tabular,
        *([below] if footnote else []),
        rf"\end{{{kind}}}",
    ]
    return "\n".join(parts)
