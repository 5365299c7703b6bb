"""Results as LaTeX tables in the style of booktabs."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from bestby._core.text import visible
from bestby.report.column import Cell
from bestby.report.document import Overview, Score, describe
from bestby.report.tables import Table

_MOST_ROWS = 40  # what fits a page; a table of booktabs does not break
_MANY_COLUMNS = 8  # too many for the width of a page in the size of the others
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
}  # fmt: skip
_ACCENTS = {
    0x300: "`", 0x301: "'", 0x302: "^", 0x303: "~", 0x304: "=", 0x306: "u", 0x307: ".", 0x308: '"',
    0x30A: "r", 0x30B: "H", 0x30C: "v", 0x323: "d", 0x327: "c", 0x331: "b",
}  # fmt: skip
_GREEK = {
    letter: rf"$\{unicodedata.name(letter).rsplit(' ', 1)[1].lower()}$" for letter in "αβγδεζηθικμνξπρστυφψω"
} | {"λ": r"$\lambda$", "Δ": r"$\Delta$", "Σ": r"$\Sigma$", "Ω": r"$\Omega$"}


def to_latex(c: Any, top: int | None = None) -> str:
    """Return a result as LaTeX tables in the style of booktabs; several metrics share one of scores."""
    document = describe(c, top)
    overview = document.overview
    body = [] if overview is None else [_overview(overview)]
    for section in document.sections:
        body += [_table(table) for table in section.tables[overview is not None :]]
    comments = ["% needs \\usepackage{booktabs}"]
    foreign = sorted({letter for part in body for letter in part if ord(letter) > 127})
    if foreign:
        comments.append(f"% needs XeLaTeX or LuaLaTeX with a font that has: {' '.join(foreign)}")
    comments.append("% " + " ".join(visible(document.signature).split()))
    return "\n".join(comments) + "\n\n" + "\n\n".join(body) + "\n"


def escape(text: str) -> str:
    """Return text that LaTeX sets as it is, with commands for accents and Greek letters."""
    letters = unicodedata.normalize("NFC", " ".join(visible(text).split()))
    unjoined = re.sub("-(?=-)", "-\0", letters)  # two hyphens are not a dash
    return "".join(_letter(letter) for letter in unjoined).replace("\0", "{}")


def _letter(letter: str) -> str:
    known = _SPECIAL.get(letter) or _GREEK.get(letter)
    if known or letter.isascii():
        return known or letter
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if len(marks) != 1 or not base.isascii() or ord(marks[0]) not in _ACCENTS:
        return letter
    stem = {"i": r"\i", "j": r"\j"}.get(base, base) if ord(marks[0]) < 0x323 else base
    return f"\\{_ACCENTS[ord(marks[0])]}{{{stem}}}"


def _overview(overview: Overview) -> str:
    lines = [_line(["System", *map(escape, overview.metrics)]), r"\midrule"]
    lines += [_line([escape(name), *map(_score, scores)]) for name, scores in overview.rows]
    return _environment(escape(overview.caption), "l" * (1 + len(overview.metrics)), lines)


def _score(score: Score | None) -> str:
    if score is None:
        return ""
    text = rf"\textbf{{{escape(score.text)}}}" if score.best else escape(score.text)
    if score.group:
        text += rf"\textsuperscript{{{escape(score.group)}}}"
    return rf"{text} {{\footnotesize {escape(score.interval)}}}" if score.interval else text


def _table(table: Table) -> str:
    headers = [escape(column.header) for column in table.columns]
    lines = [_line(headers), r"\midrule"]
    lines += [_line([_number(cell) for cell in row.cells]) for row in table.rows[:_MOST_ROWS]]
    caption = f"{escape(table.caption)}. {escape(table.methods)}".rstrip()
    if len(table.rows) > _MOST_ROWS:
        caption += f" The first {_MOST_ROWS} of {len(table.rows)} differences."
    align = "".join("r" if column.numeric else "l" for column in table.columns)
    return _environment(caption, align, lines, "\\par\n".join(map(escape, table.footnote.splitlines())))


def _number(cell: Cell) -> str:
    """Return a cell, a power of ten in it as one writes it in a paper."""
    power = re.fullmatch(r"(<?)(\d)e-(\d+)", cell.text) if isinstance(cell.key, float) else None
    return rf"${power[1]}{power[2]}\times10^{{-{power[3]}}}$" if power else escape(cell.text)


def _line(cells: list[str]) -> str:
    # A line that begins with a bracket or a star would be read as an argument of the \\ before it.
    return " & ".join(f"{{}}{cell}" if cell.startswith(("[", "*")) else cell for cell in cells) + r" \\"


def _environment(caption: str, align: str, lines: list[str], footnote: str = "") -> str:
    size, gap = (r"\footnotesize", "3pt") if len(align) >= _MANY_COLUMNS else (r"\small", "4pt")
    parts = [
        r"\begin{table}[t]",
        r"\centering",
        r"\setlength{\abovecaptionskip}{0pt}\setlength{\belowcaptionskip}{6pt}",
        rf"\caption{{{caption}}}",
        rf"{size}\setlength{{\tabcolsep}}{{{gap}}}",
        rf"\begin{{tabular}}{{@{{}}{align}@{{}}}}",
        r"\toprule",
        *lines,
        r"\bottomrule",
        r"\end{tabular}",
        *(
            [rf"\par\smallskip\begin{{minipage}}{{\linewidth}}\footnotesize {footnote}\end{{minipage}}"]
            if footnote
            else []
        ),
        r"\end{table}",
    ]
    return "\n".join(parts)
