"""Experiments of LangSmith, as ``results.to_pandas().to_csv(FILE, index=False)`` writes them.

Items are joined by the id of their example; rows of one example are repetitions. Scores are the feedback of
the evaluators, and quantities are columns beside it (``execution_time``). True and false count as 1 and 0; a
row without feedback has no score.
"""

from __future__ import annotations

from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby.data.columns import MISSING
from bestby.data.roles import is_quantity, listed
from bestby.readers.files import read_table
from bestby.readers.formats._logs import Fields, Harness, Scored, numbers_in
from bestby.readers.formats.base import File
from bestby.readers.text import Record, column_names

_FEEDBACK, _INPUTS, _EXAMPLE, _TIME = "feedback.", "inputs.", "example_id", "execution_time"
_FIELDS = Fields((_EXAMPLE,), ("feedback",), content="inputs", quantities=("quantities",))


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file is such a table, from the names of its columns."""
    return _is_experiment(column_names(head))


def _is_experiment(names: list[str]) -> bool:
    return {_EXAMPLE, _TIME} <= {*names} and any(name.startswith(_FEEDBACK) for name in names)


def _scored(file: File) -> list[Scored]:
    table = read_table(readable_file(file.path), frozenset(MISSING))
    if not _is_experiment(list(table.names)):
        raise InvalidInputError(
            f"{file.path} is not an experiment of LangSmith", hint=f"its columns are: {listed(table.names)}"
        )
    numbers = numbers_in(table)
    rows = []
    for row, example in enumerate(table.cells(_EXAMPLE)):
        record = {
            _EXAMPLE: example,
            "feedback": {
                name.removeprefix(_FEEDBACK): column[row]
                for name, column in numbers.items()
                if name.startswith(_FEEDBACK)
            },
            "inputs": [table.cells(name)[row] for name in table.names if name.startswith(_INPUTS)],
            "quantities": {name: column[row] for name, column in numbers.items() if is_quantity(name)},
        }
        rows.append(Record(f"{file.path}, row {row + 2}", record))
    return _FIELDS.scored(file, rows)


read = Harness(
    "experiments of LangSmith", recognises=recognises, scored=_scored, what="feedback", items="examples"
).read
