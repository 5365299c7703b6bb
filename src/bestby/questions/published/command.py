"""`bestby published`: a system in a file beside a score that somebody published."""

from __future__ import annotations

from typing import Any

from bestby._core.errors import InvalidInputError
from bestby.advising.reading import reading_of
from bestby.questions.published.compare import compare_published
from bestby.questions.published.parameters import Published
from bestby.questions.published.runs import check_complete
from bestby.readers.reading import read
from bestby.readers.runs import read_runs


def published(values: Published, progress: Any) -> Any:
    """Read and compare."""
    del progress  # nothing is drawn
    given = {**values.score.arguments(), **values.statistics.arguments()}
    data = values.data.arguments()
    if values.score.n_runs is None and values.score.sd is None:
        return compare_published(read(values.paths, **data, **reading_of(values.statistics.metric)), **given)
    check_complete(values.score.sd, values.score.n_runs)
    if values.data.gold is not None:
        raise InvalidInputError(
            "runs are compared by their scores, which have no gold",
            hint="leave out --gold, or --sd and --n-runs to compare items",
        )
    del data["on_missing"]
    return compare_published(read_runs(values.paths, **data), **given)
