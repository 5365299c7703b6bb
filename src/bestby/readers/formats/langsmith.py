"""Experiments of LangSmith, as ``results.to_pandas().to_csv(FILE, index=False)`` writes them.

Items are joined by the id of their example; rows of one example are repetitions. Scores are the feedback of
the evaluators, and quantities are columns beside it (``execution_time``). True and false count as 1 and 0; a
row without feedback has no score.
"""

from __future__ import annotations

from pathlib import Path

from bestby.data.roles import is_quantity
from bestby.readers.formats._logs import Fields, Harness, Scored, each, rows_of_table
from bestby.readers.formats.base import File
from bestby.readers.text import column_names

_FEEDBACK, _INPUTS, _EXAMPLE, _TIME = "feedback.", "inputs.", "example_id", "execution_time"
_FIELDS = Fields((_EXAMPLE,), ("scores",), content="inputs", quantities=("quantities",))


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file is such a table, from the names of its columns."""
    names = column_names(head)
    return {_EXAMPLE, _TIME} <= {*names} and any(name.startswith(_FEEDBACK) for name in names)


def _scored(file: File) -> list[Scored]:
    rows = rows_of_table(file.path, _EXAMPLE)
    for row in rows:
        row.data["inputs"] = [cell for name, cell in row.data.items() if name.startswith(_INPUTS)]
        numbers = row.part("numbers")
        feedback = {name: score for name, score in numbers.items() if name.startswith(_FEEDBACK)}
        row.data["scores"] = {name.removeprefix(_FEEDBACK): score for name, score in feedback.items()}
        row.data["quantities"] = {name: size for name, size in numbers.items() if is_quantity(name)}
    return _FIELDS.scored(file, rows)


read = Harness(
    "experiments of LangSmith", recognises=recognises, scored=each(_scored), what="feedback", items="examples"
).read
