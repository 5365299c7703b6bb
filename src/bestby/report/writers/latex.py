"""Results as LaTeX tables in the style of booktabs."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted, suggestion, unbroken, visible
from bestby.report.column import Cell
from bestby.report.document import Overview, Score, describe
from bestby.report.names import pieces
from bestby.report.tables import Table

_MOST_ROWS = 40  # what fits a page; a table of booktabs does not break
_LONG_NAME = 24  # from which a column of names has a width of its own
_NOT_IN_LABELS = re.compile(r"[%{}\\#~^&$]")
_SPACES = re.compile(r"[^\S\xa0]+")
_POWER = re.compile(r"(<?)(\d+(?:\.\d+)?)e(-?\d+)")
_OPENING = re.compile(r'(?<![^\s(\[])"(?=\w)')  # a quotation mark at the beginning of a word
_FOLDED = r"p{0.3\linewidth}"
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

_SMALL = (
    "% in one column of a page of two this table is set small: over both columns by wide=True (--latex-wide)"
)

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
        if self.digits is None:
            return
        if isinstance(self.digits, bool) or not isinstance(self.digits, int) or not 0 <= self.digits <= 20:
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
    overview = document.overview
    tables_by_part = [] if overview is None else [("scores", partial(_overview, overview))]
    for section in document.sections:
        tables = section.tables[overview is not None :]
        tables_by_part += [(table.part, partial(_table, table)) for table in tables]
        if section.pairs is not None and parts is not None and "pairs" in parts:
            tables_by_part.append(("pairs", partial(_table, section.pairs())))
    chosen = _chosen(tables_by_part, parts, [section.pairs is not None for section in document.sections])
    if layout.caption and len(chosen) > 1:
        raise InvalidInputError(
            f"a caption is for one table, and there are {len(chosen)}",
            hint=f'choose one, such as parts=["{tables_by_part[0][0]}"]',
        )
    body = [write(_numbered(layout, place)) for place, write in enumerate(chosen)]
    comments = ["% needs \\usepackage{booktabs,graphicx}"]
    foreign = sorted({letter for part in body for letter in part if ord(letter) > 127})
    if foreign:
        comments.append(f"% needs XeLaTeX or LuaLaTeX with a font that has: {' '.join(foreign)}")
    comments.append("% " + " ".join(visible(document.signature).split()))
    return "\n".join(comments) + "\n\n" + "\n\n".join(body) + "\n"


def _chosen(
    tables_by_part: Sequence[tuple[str, Write]], parts: Sequence[str] | None, pairs: list[bool]
) -> list[Write]:
    """Return what writes the parts that are asked for, in the order of the report."""
    if parts is None:
        return [write for _, write in tables_by_part]
    wanted = (parts,) if isinstance(parts, str) else tuple(parts)
    names = [*dict.fromkeys(part for part, _ in tables_by_part), *(["pairs"] if any(pairs) else [])]
    for part in wanted:
        if part not in names:
            raise InvalidInputError(
                f"parts must be among {', '.join(dict.fromkeys(names))}, got {quoted(part)}"
                f"{suggestion(str(part), names)}",
                argument="parts",
            )
    if not wanted:
        raise InvalidInputError("parts is empty: there is nothing to write", argument="parts")
    return [write for part, write in tables_by_part if part in wanted]


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
    words = _words(unbroken(text))
    # A longer word of a caption may be broken after its signs
    return " ".join(_breakable(word) if len(word) > 16 else escape(word) for word in words)


def _words(text: str) -> list[str]:
    """Return the parts of a text between spaces at which a line may break."""
    return [word for word in _SPACES.split(text) if word]


def _breakable(word: str) -> str:
    return r"\allowbreak{}".join(map(escape, pieces(word)))


def _overview(overview: Overview, layout: Layout) -> str:
    """Return the scores on all metrics; of several metrics and few systems with the intervals below them."""
    lines = [_line(["System", *map(escape, overview.metrics)]), r"\midrule"]
    # Systems whose intervals may stand below their scores, which takes two lines of each
    below = len(overview.metrics) > 1 and len(overview.rows) <= 20
    long = any(len(name) > _LONG_NAME for name, _ in overview.rows)
    shown = _name if long else escape
    for name, scores in overview.rows:
        intervals = ["" if score is None else _interval(score, layout) for score in scores]
        numbers = ["" if score is None else _score(score, layout) for score in scores]
        if below:
            lines.append(_line([shown(name), *numbers]))
            lines += [_line(["", *intervals])] if any(intervals) else []
        else:
            cells = (" ".join(filter(None, both)) for both in zip(numbers, intervals, strict=True))
            lines.append(_line([shown(name), *cells]))
    kinds = (_FOLDED if long else "l") + "l" * len(overview.metrics)
    return _environment(prose(overview.caption), kinds, lines, layout, prose(overview.footnote))


def _score(score: Score, layout: Layout) -> str:
    number = escape(score.number.shown(layout.digits))
    text = rf"\textbf{{{number}}}" if score.best else number
    return text + rf"\textsuperscript{{{escape(score.group)}}}" if score.group else text


def _interval(score: Score, layout: Layout) -> str:
    if score.interval is None:
        return ""
    return rf"{{\footnotesize {escape(score.interval.shown(layout.digits))}}}"


def _table(table: Table, layout: Layout) -> str:
    lines = [_line([escape(column.header) for column in table.columns]), r"\midrule"]
    folded = [_is_folded(table, place) for place in range(len(table.columns))]
    for row in table.rows[:_MOST_ROWS]:
        cells = zip(row.cells, folded, strict=True)
        lines.append(_line([_name(cell.text) if long else _number(cell, layout) for cell, long in cells]))
    stop = "" if table.caption.endswith("?") else "."
    caption = f"{prose(table.caption)}{stop} {prose(table.methods)}".rstrip()
    if len(table.rows) > _MOST_ROWS:
        caption += f" The first {_MOST_ROWS} of {len(table.rows)} differences."
    kinds = (
        "r" if column.numeric else _FOLDED if long else "l"
        for column, long in zip(table.columns, folded, strict=True)
    )
    footnote = "\\par\n".join(map(prose, table.footnote.splitlines()))
    return _environment(caption, "".join(kinds), lines, layout, footnote)


def _is_folded(table: Table, place: int) -> bool:
    """Return whether a column of names is so wide that its cells become paragraphs."""
    cells = (row.cells[place].text for row in table.rows[:_MOST_ROWS])
    return table.columns[place].name and max(map(len, cells), default=0) > _LONG_NAME


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


def _across(lines: list[str]) -> int:
    r"""Return about how many letters wide a table is, by the widest cell of each column.

    >>> _across([r"System & accuracy \\", r"\midrule", r"a\_1 & \textbf{0.861}\textsuperscript{ab} \\"])
    16
    """
    rows = [re.sub(r" \\(\\|tabularnewline)$", "", line).split(" & ") for line in lines if " & " in line]
    plain = [[re.sub(r"\\[A-Za-z]+|[\\{}$]", "", cell).strip() for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*plain, strict=True)]
    return sum(widths) + 2 * (len(widths) - 1)


def _environment(caption: str, align: str, lines: list[str], layout: Layout, footnote: str = "") -> str:
    """Return a table; one that is wider than the column, or with `wide` the page, is scaled down to it."""
    kind = "table*" if layout.wide else "table"
    below = rf"\par\smallskip\begin{{minipage}}{{\linewidth}}\footnotesize {footnote}\end{{minipage}}"
    # Letters of a row, of 3.8 pt; the column of a page of two sets more at less than 3/4
    parts = [
        *([_SMALL] if not layout.wide and _across(lines) > 80 else []),
        rf"\begin{{{kind}}}[t]",
        r"\centering\emergencystretch=3em",
        r"\setlength{\abovecaptionskip}{0pt}\setlength{\belowcaptionskip}{6pt}",
        rf"\caption{{{layout.caption or caption}}}",
        *([rf"\label{{{layout.label}}}"] if layout.label else []),
        r"\footnotesize\setlength{\tabcolsep}{3pt}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{@{{}}{align}@{{}}}}",
        r"\toprule",
        *lines,
        r"\bottomrule",
        r"\end{tabular}}",
        *([below] if footnote else []),
        rf"\end{{{kind}}}",
    ]
    return "\n".join(parts)
