"""Experiments of Arize Phoenix as JSON, as its server gives them for download.

An example is an item, and its repetitions are runs. Scores are the annotations that are numbers; a run that
ended in an error has none. The file does not tell its experiment, which is called as the file is.
"""

from __future__ import annotations

from bestby.readers.formats._logs import Fields, Harness, holding
from bestby.readers.text import records

recognises = holding(rb'\s*\[\s*\{\s*"example_id"\s*:', "repetition_number", "annotations")
read = Harness(
    "experiments of Phoenix",
    recognises=recognises,
    scored=Fields(
        item=("example_id",),
        scores=("annotations",),
        run="repetition_number",
        content="input",
        quantities=("latency_ms", "prompt_token_count", "completion_token_count"),
        error="error",
    ).reading(records),
    what="annotation",
    items="examples",
).read
