"""From a path to a table or a plain list of values: the name and the first bytes say what a file is."""

from __future__ import annotations

import codecs
import csv
import re
import sys
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.paths import readable_file
from bestby._core.typing import Array
from bestby.data.columns import Column, Missing, column_of
from bestby.data.layouts.soft import (
    column_of_lines,
    column_of_matrix,
    column_of_rows,
    is_number,
    items_of_lines,
)
from bestby.data.roles import Soft, listed
from bestby.data.soft import soft_or_hard
from bestby.data.table import Table, headless_hint
from bestby.readers.database import compression_of, lines, size_of, unpacked_pieces
from bestby.readers.tables import by_item, header_of, read_delimited, read_json, read_parquet
from bestby.readers.text import (
    CUT_OFF,
    HEAD,
    VALUE,
    VALUE_OR_LIST,
    csv_rows,
    cut,
    is_values_by_id,
    unpacked,
    value_lines,
)

_PACKED = {".gz": "gzip", ".zst": "zstd"}
_TABLES = {".csv": "delimited", ".tsv": "delimited", ".tab": "delimited"}
_JSON = {".jsonl", ".ndjson", ".json"}
_DOCUMENTS = {
    "an XML file": (b"<?xml",),
    "an HTML page": (b"<!doctype html", b"<html"),
    "a YAML file": (b"%yaml",),
    "a PDF file": (b"%pdf-",),
    "a spreadsheet of Excel 97": (b"\xd0\xcf\x11\xe0",),
}
"""What is no table, and how it begins, in lower case."""
_ENDINGS = {".xml": "an XML file", ".html": "an HTML page", ".yaml": "a YAML file", ".yml": "a YAML file"}
_HEAD = 64
_HEADERS = {"prediction", "predictions", "pred", "score", "scores", "gold", "label", "value"}


@dataclass(frozen=True)
class Kind:
    """What a file is; `form` says how its content is written, "text" if nothing tells."""

    form: str
    compression: str


def stem_of(path: str | Path) -> str:
    """Return how a file or a directory is called without its ending and that of its packing.

    >>> stem_of("runs/bert.csv"), stem_of("UDPipe-1.1.conllu.gz"), stem_of("ted.sys1.eng.gz"), stem_of(".x")
    ('bert', 'UDPipe-1.1', 'ted.sys1', '.x')
    """
    name = Path(path)
    if name.name in ("", ".."):
        name = name.resolve()
    if name.suffix.lower() in _PACKED and name.stem:
        name = Path(name.stem)
    ending = name.suffix[1:]
    return name.stem if ending and not ending[0].isdigit() else name.name


def kind_of(path: Path) -> Kind:
    """Tell what a file is from its first bytes, then from its name."""
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    if head.startswith(b"PAR1"):
        return Kind("parquet", "none")
    if head.startswith(b"\x93NUMPY"):
        return Kind("npy", "none")
    if head.startswith(b"PK\x03\x04"):
        if not zipfile.is_zipfile(path):
            raise InvalidInputError(
                f"{path} is a zip archive that is cut off or damaged", hint="copy it again"
            )
        raise InvalidInputError(
            f"{path} is a zip archive or a spreadsheet", hint="save it as CSV (UTF-8), or unpack it"
        )
    start = head.removeprefix(codecs.BOM_UTF8).lstrip().lower()
    document = next((what for what, begins in _DOCUMENTS.items() if start.startswith(begins)), None)
    document = document or _ENDINGS.get(path.suffix.lower())
    if document is not None:
        raise InvalidInputError(
            f"{path} is {document}, expected rows of values",
            hint="write its rows as a table, with a line per item: CSV, TSV, JSON Lines or Parquet",
        )
    compression = compression_of(path)
    if compression != "none":
        size_of(path, compression)  # it is sound, and no longer than the limit
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    for name, form in ((".parquet", "Parquet"), (".npy", "NumPy")):
        if suffix == name:
            raise InvalidInputError(
                f"{path} is not a {form} file, though its name says so"
                + (" (it is packed)" if compression != "none" else ""),
                hint="give a file that was written as such, unpacked",
            )
    return Kind("json" if suffix in _JSON else _TABLES.get(suffix, "text"), compression)


def lines_of(path: Path) -> list[str]:
    """Return all lines of a file, blank ones too; a last newline ends the last line and begins none."""
    text = unpacked(path, kind_of(readable_file(path)).compression)
    # A carriage return ends a line only where nothing else does: inside a line it belongs to a text, as may a
    # form feed or U+2028, so not splitlines.
    lines = text.split("\n" if "\n" in text else "\r")
    if not lines[-1]:
        lines.pop()
    if not lines:
        raise InvalidInputError(f"{path} is empty", hint="check that the tool that wrote it has finished")
    return lines


def numbered(path: Path, comment: str | None = None) -> Iterator[tuple[str, str]]:
    """Yield file and line, and the line, for all but comments and blank ones."""
    for number, line in enumerate(lines_of(path), start=1):
        if line.strip() and (comment is None or not line.startswith(comment)):
            yield f"{path}, line {number}", line


def rows_of(
    path: Path, widths: Sequence[int], form: str, comment: str | None = None, hint: str = CUT_OFF
) -> Iterator[tuple[str, list[str]]]:
    """Yield file and line, and the cells of the line, of which there must be one of some numbers."""
    lines = [*numbered(path, comment)]
    if not lines:
        raise InvalidInputError(f"{path} has no lines of the form {form}", hint)
    for where, line in lines:
        cells = line.split()
        if len(cells) not in widths:
            raise InvalidInputError(
                f"{where}: expected {' or '.join(map(str, widths))} columns, {form}, got {len(cells)}", hint
            )
        yield where, cells


def read_table(path: Path, missing: Missing, *, part: bool = False, blank: bool = False) -> Table:
    """Read a file that must hold a table; delimited text, if its name does not say otherwise.

    With `blank`, blank cells of delimited text are values, and so are last rows of such.
    """
    kind = kind_of(path)
    if kind.form == "npy":
        raise InvalidInputError(
            f"{path} holds one array, expected a table with a column per system",
            hint="give one file per system: name=path other=path",
        )
    if kind.form == "parquet":
        return read_parquet(path, missing)
    if kind.form == "json":
        return read_json(path, kind.compression, missing, part=part)
    return read_delimited(path, kind.compression, missing, part=part, blank=blank)


def read_values(path: Path, name: str, missing: Missing, soft: Soft | None = None) -> Table | Column:
    """Read the file of one system or of the gold: a table, values in order, or rows of probabilities."""
    kind, blank = kind_of(path), soft is not None and soft.blank
    if kind.form == "npy":
        array = _npy(path)
        if soft is not None and array.ndim == 2:
            return column_of_matrix(array, str(path), "row {}".format, soft.classes, soft)
        return column_of(_flat(path, array), str(path), missing)
    if kind.form == "text":
        return _lines_column(path, value_lines(path, kind.compression, blank=blank), missing, soft)
    if kind.form == "delimited":
        names, delimiter = header_of(path, kind.compression)
        if len(names) == 1:
            return _lines_column(
                path, _single(path, kind.compression, name, missing, blank=blank), missing, soft
            )
        if soft is not None and len(names) > 1 and _is_headless(path, names, soft):
            lines = value_lines(path, kind.compression).tolist()
            rows = list(csv_rows(lines, delimiter))
            return column_of_rows(rows, str(path), "line {}".format, soft.classes, soft, missing)
    if kind.form == "json" and _is_by_id(path, kind, soft):
        return by_item(read_json(path, kind.compression, missing, part=True))  # one object, which is no row
    return read_table(path, missing, blank=blank)


def _is_by_id(path: Path, kind: Kind, soft: Soft | None) -> bool:
    head = next(unpacked_pieces(path, kind.compression), b"")[:HEAD]
    return is_values_by_id(path, head, VALUE_OR_LIST if soft is not None and soft.label_sets else VALUE)


def holds_values_only(path: Path, missing: Missing, soft: Soft | None = None) -> bool:
    """Tell whether a file is one column whose first line is a value, not a name.

    An array is such a file, and so is a JSON object of values by item id.
    """
    kind = kind_of(path)
    if kind.form == "json":
        return _is_by_id(path, kind, soft)
    if kind.form not in ("text", "delimited"):
        return kind.form == "npy"
    word = _only_name(path, kind)
    return word is not None and (is_number(word) or word in missing)


def check_header(path: Path) -> str | None:
    """Refuse decimal numbers as names of columns; return a doubt about whole numbers, which may be seeds."""
    compression = kind_of(path).compression
    names, delimiter = header_of(path, compression)
    if not all(map(is_number, names)):
        # The first lines show how a table is cut
        rows = cut("\n".join(lines(path, compression, 100)))
        _check_names(path, names, [*csv_rows(rows[1:], delimiter)], [*csv_rows(rows, " ")])
        return None
    if len(names) == 1 or any("." in name or float(name) % 1 for name in names):
        raise InvalidInputError(
            f"{path}, line 1: it must name the columns, but it holds numbers only ({listed(names)})",
            hint="the first line looks like data: put a line with the names of the systems before it;"
            " if these are names, say so: systems=[...]",
        )
    return (
        f"the first line of {path.name} holds whole numbers only ({listed(names)}); they were read as the"
        " names of the systems: if it is data, the first item is not counted; put a line with names before it"
    )


def _check_names(
    path: Path, names: Sequence[str], rows: Sequence[list[str]], by_blanks: Sequence[list[str]]
) -> None:
    """Refuse a first line that is a row, and one column that blanks part into several, as R writes them."""
    widths = {len(row) for row in by_blanks[1:] if row}
    n = len(by_blanks[0])
    if len(names) == 1 and n > 1 and widths and widths <= {n, n + 1} and len(widths) == 1:
        raise InvalidInputError(
            f"{path}: the columns are separated by blanks ({listed(by_blanks[0])})"
            + (", with names of rows before them" if widths == {n + 1} else ""),
            hint="separate them by commas; in R: write.csv(frame, path, row.names=FALSE)",
        )
    stripped = [name.strip() for name in names]
    values = [{row[i].strip() for row in rows if len(row) > i} for i in range(len(names))]
    for name, column in zip(stripped, values, strict=True):
        if "." in name and is_number(name) and all(map(is_number, column)):  # as 0.341 above 0.87
            column.add(name)
    hint = headless_hint(stripped, values)
    if hint is not None:
        raise InvalidInputError(
            f"{path}, line 1: it must name the columns, but looks like a row ({listed(stripped)})", hint=hint
        )


def _lines_column(path: Path, lines: Array, missing: Missing, soft: Soft | None) -> Column:
    if soft is not None and soft.label_sets:
        return items_of_lines(lines.tolist(), soft, missing)
    column = None if soft is None else column_of_lines(lines.tolist(), str(path), soft, missing)
    return column_of(lines, str(path), missing) if column is None else column


def _is_headless(path: Path, names: Sequence[str], soft: Soft) -> bool:
    """Tell whether the first line is a distribution already; whole numbers that do not sum to 1 are names."""
    if not all(map(is_number, names)):
        return False
    if soft.classes is not None and {name.strip() for name in names} == {*soft.classes}:
        return False
    numbers = [float(name) for name in names]
    if any(number % 1 for number in numbers) or len(set(names)) < len(names):
        return True
    if sum(numbers) == 1.0 and min(numbers) >= 0.0:
        if any("." in name for name in names):
            return True
        raise InvalidInputError(
            f"{path}, line 1: is {listed(names)} a distribution or the names of the classes?",
            hint="if names, say so: classes=[...]; if not, let the name of the file end in .txt",
        )
    return False


def _npy(path: Path) -> Array:
    try:
        with warnings.catch_warnings():  # of headers that Python 2 wrote, which are read all the same
            warnings.simplefilter("ignore")
            array: Array = _text_checked(np.load(path, allow_pickle=False))
    except Exception as error:  # a header is parsed as Python: a damaged one may raise anything
        reason = (str(error) or "truncated").splitlines()[0]
        raise InvalidInputError(
            f"{path}: cannot be read as a NumPy array: {reason}",
            hint="save labels as strings or numbers with numpy.save, not as Python objects",
        ) from error
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    return array


def _text_checked(array: Array) -> Array:
    """Return an array with its bytes as text; text of code points that are none is damaged."""
    if array.dtype.kind == "S":
        return array.astype(np.str_)
    if array.dtype.kind == "U" and array.dtype.itemsize and array.size:
        codes = np.ascontiguousarray(array).view(np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
        if int(codes.max()) > sys.maxunicode:
            raise ValueError("it holds text of characters that do not exist")
    return array


def _flat(path: Path, array: Array) -> Array:
    if array.ndim != 1:
        raise InvalidInputError(
            f"{path}: expected one value per item, got an array of shape {array.shape}",
            hint="save one label or score per item, or an array of shape (items, classes) of probabilities",
        )
    return array


def _single(path: Path, compression: str, name: str, missing: Missing, *, blank: bool) -> Array:
    """Read a table of one column; its first line is a header if it names the content or is the only text.

    A word for a missing value is not a header.
    """
    lines = value_lines(path, compression, blank=blank)
    cells = [_unquoted(line.strip()) for line in lines.tolist()]
    lines[:] = cells
    first, *others = cells
    distinct = set(others)
    if _is_header_word(first, name):
        if first in distinct:
            raise InvalidInputError(
                f"{path}, line 1: {first!r} occurs on other lines too: is it the name of the column or a"
                " value?",
                hint="a header: rename it to 'predictions'; no header: give the file the ending .txt",
            )
        return lines[1:]
    if first in missing:
        return lines
    if others and not is_number(first) and all(is_number(other) for other in others):
        return lines[1:]
    if (
        first not in distinct
        and len(others) >= 4
        and len(distinct) <= len(others) // 2
        and not is_number(first)
    ):
        raise InvalidInputError(
            f"{path}, line 1: {first!r} occurs on no other line: is it the name of the column or a value?",
            hint=f"a header: rename it to 'prediction' or {name!r}; no header: give the file the ending .txt",
        )
    return lines


def _is_header_word(first: str, name: str) -> bool:
    return first.lower() in _HEADERS or first == name


def header_word(path: Path, name: str) -> str | None:
    """Return the first line of a table of one column, if its word lets it be the name of the column."""
    kind = kind_of(path)
    word = _only_name(path, kind) if kind.form == "delimited" else None
    return word if word is not None and _is_header_word(word, name) else None


def _only_name(path: Path, kind: Kind) -> str | None:
    """Return the first line of a table of one column; None if it has several."""
    names, _ = header_of(path, kind.compression)
    return names[0].strip() if len(names) == 1 else None


def _unquoted(cell: str) -> str:
    quoted = len(cell) > 1 and cell[0] == cell[-1] == '"'
    return cell[1:-1].replace('""', '"').strip() if quoted else cell


_INTEGER = re.compile(r"[+-]?(0|[1-9]\d{0,17})", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(0|[1-9]\d*)\.\d+", re.ASCII)


@with_suggestions
def read_labels(path: str | Path) -> Array:
    r"""Read a file with a label, an id or a row of probabilities per line.

    For tables with a header, and for the formats of other tools, use `read`.

    Parameters
    ----------
    path : str or Path
        A file ``.txt``, ``.csv`` or ``.tsv`` without a header, with a line per item: one value (a number, or
        any text) for a hard label, K numbers between commas or tabs for a soft one; or a file ``.npy``.

    Returns
    -------
    ndarray, shape (n,) or (n, K)
        The labels, or the probabilities of K classes.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, a line is blank or has another number of values than the first.

    See Also
    --------
    read : Read tables and the files of other tools.
    Study.add : Add the labels of a run to a study.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp(), "gold.txt")
    >>> _ = file.write_text("1\n0\n1\n")
    >>> read_labels(file)
    array([1, 0, 1])
    """
    file = readable_file(path)
    try:
        if file.suffix.lower() == ".npy":
            array: Array = np.load(file, allow_pickle=False)
        else:
            cells = _cells(file.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, EOFError, csv.Error) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error) or "cut off"
        raise InvalidInputError(f"{file} cannot be read: {reason}") from error
    if file.suffix.lower() == ".npy":
        return soft_or_hard(array, str(file))
    _check_cells(file, cells)
    if len(cells[0]) == 1:
        return _hard([row[0] for row in cells])
    return soft_or_hard(_numbers(file, cells), str(file))


def _cells(text: str) -> list[list[str]]:
    """Cut text into lines and lines into cells."""
    lines = cut(text.rstrip("\r\n"))
    delimiter = "\t" if "\t" in lines[0] else ","
    return [[cell.strip() for cell in row] for row in csv_rows(lines, delimiter, strict=True)]


def _check_cells(file: Path, cells: list[list[str]]) -> None:
    """Refuse a line that is blank, or has not as many cells as the first."""
    for number, row in enumerate(cells, start=1):
        if not row or "" in row:
            raise InvalidInputError(
                f"{file}, line {number}: {'a value is missing' if any(row) else 'blank'}",
                hint="one line per item: one label, or a number for each class",
            )
        if len(row) != len(cells[0]):
            raise InvalidInputError(
                f"{file}, line {number}: {len(row)} values, where line 1 has {len(cells[0])}",
                hint="one line per item: one label, or a number for each class",
            )


def _hard(values: list[str]) -> Array:
    """Return numbers if all are, anything else as text."""
    # A leading zero is not a number: "01" is a code, and "01" and "1" must stay apart.
    if all(_INTEGER.fullmatch(value) for value in values):
        return np.array([int(value) for value in values])
    if all(_INTEGER.fullmatch(value) or _DECIMAL.fullmatch(value) for value in values):
        return np.array([float(value) for value in values])
    return np.array(values)


def _numbers(file: Path, cells: list[list[str]]) -> Array:
    out = np.empty((len(cells), len(cells[0])))
    for number, row in enumerate(cells, start=1):
        try:
            out[number - 1] = [float(cell) for cell in row]
        except ValueError as error:
            raise InvalidInputError(
                f"{file}, line {number}: {error}",
                hint="a soft label is a number for each class; the file must have no header",
            ) from error
    return out
