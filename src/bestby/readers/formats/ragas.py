"""Results of ragas as tables, as ``result.to_pandas().to_csv(FILE, index=False)`` writes them.

Items are joined by their ``user_input``, and rows of one input are runs. Scores are the columns that are
numbers and that no sample of ragas has itself; an empty cell is no score.
"""

from __future__ import annotations

from pathlib import Path

from bestby.readers.formats._logs import Fields, Harness, rows_of_table
from bestby.readers.text import column_names

_INPUT = "user_input"
_EVALUATED = {"response", "retrieved_contexts", "retrieved_context_ids", "multi_responses", "reference"}
_OF_SAMPLES = _EVALUATED | {
    *(_INPUT, "reference_contexts", "reference_context_ids", "rubrics", "reference_tool_calls"),
    *("reference_topics", "persona_name", "query_style", "query_length"),
}


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file is such a table, from the names of its columns."""
    names = {*column_names(head)}
    return _INPUT in names and bool(names & _EVALUATED) and bool(names - _OF_SAMPLES)


read = Harness(
    "results of ragas",
    recognises=recognises,
    scored=Fields(item=(_INPUT,), scores=("numbers",), content="reference").reading(
        lambda path: rows_of_table(path, _INPUT, without=_OF_SAMPLES)
    ),
    what="metric",
    items="samples",
).read
