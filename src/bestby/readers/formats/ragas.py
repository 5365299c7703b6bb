"""Results of ragas as tables, as ``result.to_pandas().to_csv(FILE, index=False)`` writes them.

Items are joined by their ``user_input``, and rows of one input are runs. Scores are the columns that are
numbers and that no sample of ragas has itself; an empty cell is no score.
"""

from __future__ import annotations

from pathlib import Path

from bestby._core.paths import readable_file
from bestby.data.columns import MISSING
from bestby.readers.files import read_table
from bestby.readers.formats._logs import Fields, Harness, Scored, numbers_in
from bestby.readers.formats.base import File
from bestby.readers.text import Record, column_names

_INPUT = "user_input"
_EVALUATED = {"response", "retrieved_contexts", "retrieved_context_ids", "multi_responses", "reference"}
_OF_SAMPLES = _EVALUATED | {
    *(_INPUT, "reference_contexts", "reference_context_ids", "rubrics", "reference_tool_calls"),
    *("reference_topics", "persona_name", "query_style", "query_length"),
}
_FIELDS = Fields(item=(_INPUT,), scores=("scores",), content="reference")


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file is such a table, from the names of its columns."""
    names = {*column_names(head)}
    return _INPUT in names and bool(names & _EVALUATED) and bool(names - _OF_SAMPLES)


def _scored(file: File) -> list[Scored]:
    table = read_table(readable_file(file.path), frozenset(MISSING))
    numbers = {name: column for name, column in numbers_in(table).items() if name not in _OF_SAMPLES}
    rows = [
        Record(
            f"{file.path}, row {row + 2}",
            {
                **{name: table.cells(name)[row] for name in (_INPUT, "reference") if name in table.names},
                "scores": {name: column[row] for name, column in numbers.items()},
            },
        )
        for row in range(table.n_rows)
    ]
    return _FIELDS.scored(file, rows)


read = Harness("results of ragas", recognises=recognises, scored=_scored, what="metric", items="samples").read
