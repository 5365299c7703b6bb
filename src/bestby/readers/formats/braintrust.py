"""Results of Braintrust's ``Eval`` as JSON, as ``as_json()`` of what it returns writes them.

An input is an item, and its trials are runs; a trial that ended in an error has no score. The metadata of
the inputs are groupings. Without a server the file does not tell the name of its system, which is called as
the file is.
"""

from __future__ import annotations

from bestby.readers.formats._logs import Fields, Harness, holding
from bestby.readers.text import document, listing

recognises = holding(rb'\s*\{\s*"summary"\s*:', "project_name", "results", "scores")
_FIELDS = Fields(item=("input",), scores=("scores",), content="expected", groups=("metadata",), error="error")
read = Harness(
    "results of Braintrust",
    recognises=recognises,
    scored=_FIELDS.reading(lambda path: listing(document(path), "results")),
    items="inputs",
).read
