"""`bestby published`: a system in a file beside a score that somebody published."""

from __future__ import annotations

from typing import Any

from bestby.advising.reading import reads_objects
from bestby.cli.parameters.published import Published
from bestby.comparisons.published.comparing import compare_published
from bestby.readers.reading import read
from bestby.readers.runs import read_runs


def published(values: Published, progress: Any) -> Any:
    """Read and compare."""
    del progress  # nothing is drawn
    given = {**values.score.arguments(), **values.statistics.arguments()}
    data = values.data.arguments()
    if values.score.n_runs is None and values.score.sd is None:
        source: Any = read(values.paths, **data, texts=reads_objects(values.statistics.metric))
    else:
        del data["on_missing"]
        source = read_runs(values.paths, **data)
    return compare_published(source, **given)
