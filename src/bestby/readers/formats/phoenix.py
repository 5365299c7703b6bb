"""Experiments of Arize Phoenix as JSON, as its server gives them for download.

An example is an item, and its repetitions are runs. Scores are the annotations that are numbers; a run that
ended in an error has none. The file does not tell its experiment, which is called as the file is.
"""

from __future__ import annotations

from bestby.readers.formats._logs import Fields, Harness, Scored, holding
from bestby.readers.formats.base import File
from bestby.readers.text import records

recognises = holding(rb'\s*\[\s*\{\s*"example_id"\s*:', "repetition_number", "annotations")
_FIELDS = Fields(
    item=("example_id",),
    scores=("annotations",),
    run="repetition_number",
    content="input",
    quantities=("latency_ms", "prompt_token_count", "completion_token_count"),
    error="error",
)


def _scored(file: File) -> list[Scored]:
    return _FIELDS.scored(file, records(file.path))


read = Harness(
    "experiments of Phoenix", recognises=recognises, scored=_scored, what="annotation", items="examples"
).read
