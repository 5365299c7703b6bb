"""Experiments of Arize Phoenix as JSON, as its server gives them for download.

An example is an item, and its repetitions are runs. Scores are the annotations that are numbers; a run that
ended in an error has none. The file does not tell its experiment, which is called as the file is.
"""

from __future__ import annotations

from bestby.readers.formats._logs import Fields, Harness, Scored, holding, system_of
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
    samples = _FIELDS.samples(records(file.path))
    return [Scored(str(file.path), system_of(file, None), file.name, "examples", samples)]


read = Harness("experiments of Phoenix", recognises, _scored, what="annotation").read
