"""Reports of pydantic-evals as JSON, as its ``EvaluationReportAdapter`` writes them.

A case is an item, and its repetitions are runs. Scores are those of the evaluators, their assertions (1 if
one holds) and the metrics that the task counted; a case whose task failed has none. The name of the report is
the system, and its dataset the dataset. The metadata of the cases are groupings.
"""

from __future__ import annotations

from bestby.readers.formats._logs import Fields, Harness, Scored, each, holding
from bestby.readers.formats.base import File
from bestby.readers.text import document, listing, word

recognises = holding(rb'\s*\{\s*"name"\s*:', "cases", "assertions", "task_duration")
_FIELDS = Fields(
    item=("source_case_name", "name"),
    scores=("scores", "assertions", "metrics"),
    content="inputs",
    groups=("metadata",),
    quantities=("task_duration", "metrics"),
)


def _scored(file: File) -> list[Scored]:
    report = document(file.path)
    rows = [row for key in ("cases", "failures") if key in report.data for row in listing(report, key)]
    system, dataset = (word(report.data.get(key)) for key in ("name", "dataset_name"))
    return _FIELDS.scored(file, rows, system=system, dataset=dataset)


read = Harness("reports of pydantic-evals", recognises=recognises, scored=each(_scored), items="cases").read
