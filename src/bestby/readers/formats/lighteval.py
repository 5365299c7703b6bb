"""Details of lighteval: a Parquet file per model and task, with a row per item and its scores.

Items are joined by the id of their document. The model is the folder of the details (``details/MODEL/DATE``),
unless the user names it. The file of results beside the details tells the metrics of which lower values are
better.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bestby._core.paths import is_file
from bestby.readers.database import connection, literal
from bestby.readers.formats._logs import Fields, Harness, Scored, each
from bestby.readers.formats.base import File
from bestby.readers.tables import types_in_head
from bestby.readers.text import Record, document

SIBLINGS = ("results_*.json",)

_COLUMNS = {"doc", "metric", "model_response"}
_FIELDS = Fields(item=("doc.id",), scores=("metric",), content="doc.query")


def recognises(path: Path, head: bytes) -> bool:
    """Tell whether a file is a table of details, from the names and types of its columns."""
    return {name for name, kind in types_in_head(path, head).items() if kind.startswith("STRUCT")} >= _COLUMNS


def _scored(file: File) -> Iterator[Scored]:
    """Yield what a file holds of each task."""
    with connection(file.path) as database:
        # without the answers, which may be large
        query = "SELECT doc, metric FROM read_parquet(?)"
        rows = database.execute(query, [literal(file.path)]).fetchall()
    by_task: dict[str | None, list[Record]] = {}
    for place, (doc, metric) in enumerate(rows, 1):
        where = f"{file.path}, row {place}"
        task = Record(where, doc).name("task_name").rsplit("|", 1)[0]
        by_task.setdefault(task, []).append(Record(where, {"doc": doc, "metric": metric}))
    model, falling = _model(file.path), _falling(file.path)
    for name, records in (by_task or {None: []}).items():
        yield from _FIELDS.scored(file, records, system=model, dataset=name, falling=falling)


def _model(path: Path) -> str | None:
    """Return the model whose details a file holds, from the folders that it lies in.

    >>> _model(Path("out/details/org/small/2026-01-01T00-00-00.000000/details_qa|0_2026.parquet"))
    'org/small'
    """
    folders = path.parts[:-2]
    if "details" not in folders:
        return None
    last = len(folders) - 1 - folders[::-1].index("details")
    return "/".join(folders[last + 1 :]) or None


def _falling(path: Path) -> frozenset[str]:
    """Return the metrics of which lower values are better, as the file of results tells."""
    model = _model(path)
    if model is None:
        return frozenset()
    root = path.parents[3 + model.count("/")]
    results = root / "results" / model / f"results_{path.parent.name}.json"
    if not is_file(results):
        return frozenset()
    tasks = Record(str(results), document(results).part("config_tasks"))
    falling: set[str] = set()
    for one in (one for task in tasks.data for one in tasks.part(task).get("metrics") or ()):
        if not isinstance(one, dict):
            continue
        names, rising = one.get("metric_name"), one.get("higher_is_better")
        for name in names if isinstance(names, list) else [names]:
            better = rising.get(name) if isinstance(rising, dict) else rising
            if isinstance(name, str) and better is False:
                falling.add(name)
    return frozenset(falling)


read = Harness("details of lighteval", recognises=recognises, scored=each(_scored), what="metric").read
