"""Make reference/columns.md: the columns of every table of every result, from where they are declared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from generated_pages import write_or_check

import bestby.results
from bestby.report.document import kind_of
from bestby.report.fields import DIFFERENCE, INTERVAL, SCORE, TEST, Field, Rows

PAGE = Path(__file__).resolve().parent / "reference" / "columns.md"

BEGIN = """# Columns of frames, CSV and JSON

<!-- docs/make_columns_page.py writes this from bestby/report. -->

`result.to_frame("scores")` and `result.to_csv(what="scores")` return the table of that name; without a name
they return the first of those listed here. The rows in `to_json` have the same names. A column holds the
attribute of a record that is called as it, or the one in brackets; [the results](results.md) say what each
attribute means. A column that needs intervals is not there with `interval=None`, one that needs tests not
with `test=None`.

"""

SHARED = {"differences": DIFFERENCE, "scores": SCORE}
SHARED_NAMES = {what: {one.name for one in columns} for what, columns in SHARED.items()}
TITLES = {"differences": "Every table of differences", "scores": "Every table of scores"}
SENTENCE = {
    "differences": "the [columns of every table of differences](#every-table-of-differences)",
    "scores": "the [columns of every table of scores](#every-table-of-scores)",
}


def table(columns: tuple[Field, ...]) -> str:
    """Return columns as a Markdown table."""
    rows = ["| column | shows | needs |", "|---|---|---|"]
    rows += [f"| `{one.name}` | {shows(one)} | {needs(one)} |" for one in columns]
    return "\n".join(rows) + "\n"


def shows(column: Field) -> str:
    """Return the attribute that a column shows, or in words what it is."""
    path = column.path or column.name
    if callable(path):
        return (path.__doc__ or "").removeprefix("Return ").rstrip(".")
    parts = path.split(".")
    if parts[0].isdigit() or (parts[0] == "difference" and len(parts) > 1):
        del parts[0]  # what stands around the record
    shown = "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in parts).removeprefix(".")
    of_result = " of the result" if column.of_result and shown != column.name else ""
    return f"`{shown or column.name}`{of_result}"


def needs(column: Field) -> str:
    """Return what must have been computed for a column to be there."""
    words = {(): "", INTERVAL: "intervals", TEST: "tests"}
    return words.get(column.needs, "intervals or tests")


def in_line(column: Field) -> str:
    """Return a column as part of a list."""
    about = [what for what in (shows(column), needs(column) and f"needs {needs(column)}") if what]
    if about[0] == f"`{column.name}`":
        del about[0]
    return f"`{column.name}`" + (f" ({'; '.join(about)})" if about else "")


def line(name: str, columns: tuple[Field, ...]) -> str:
    """Return a table with its columns, those of all tables of its sort in a few words."""
    begin = ""
    for what, usual in SHARED_NAMES.items():
        if usual <= {one.name for one in columns}:
            begin = SENTENCE[what]
            columns = tuple(one for one in columns if one.name not in usual)
    listed = ", ".join(map(in_line, columns))
    return f"- **`{name}`**: {' and '.join(part for part in (begin, listed) if part)}"


def section(kind: type) -> str:
    """Return the tables of one class of results."""
    tables: dict[str, Rows] = kind_of(kind).TABLES
    lines = []
    for name, rows in tables.items():
        fields = rows.fields
        lines.append(line(name, fields(AnyResult(kind)) if callable(fields) else fields))
    return "\n".join([f"## {kind.__name__}", "", *lines, ""])


class AnyResult:
    """Stands for a result of a class that has everything a table may depend on."""

    def __init__(self, kind: type) -> None:
        self.kind = kind

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return self.kind

    def __getattr__(self, name: str) -> Any:
        return 1


def page() -> str:
    """Return the whole page."""
    kinds = [getattr(bestby.results, name) for name in sorted(bestby.results.__all__)]
    shared = [f"## {TITLES[name]}\n\n{table(columns)}" for name, columns in SHARED.items()]
    sections = [section(kind) for kind in kinds if hasattr(kind, "_report")]
    return BEGIN + "\n".join([*shared, *sections])


if __name__ == "__main__":
    write_or_check(PAGE, page())
