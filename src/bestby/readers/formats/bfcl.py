"""Scores of the Berkeley Function-Calling Leaderboard (``*_score.json``): counts, then the items that failed.

A category is a dataset. The items that a model solved are in no list: those that no model failed are as many
as the counts say, without their ids, and solved by all. So all models of a comparison must be given at once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby.readers.formats._logs import Harness, Sample, Scored, holding, lines_in
from bestby.readers.formats.base import File
from bestby.readers.paths import datasets_of
from bestby.readers.text import CUT_OFF, Record, check_new, whole_number, word

recognises = holding(rb'\s*\{\s*"accuracy"\s*:', "correct_count", "total_count")
SIBLINGS = ("*_result.json", "data_*.csv")

_NAME = re.compile(r"BFCL_v\d+_(?P<category>.+)_score\.jsonl?")
_GROUPS = {"live", "non_live", "multi_turn", "agentic", "format_sensitivity", "memory", "web_search"} | {
    *("kv", "vector", "rec_sum")
}
"""The folders of categories in that of a model."""


def _scored(files: Sequence[File]) -> Iterator[Scored]:
    """Yield what files hold, whose models are called as their folders or as the failed items say."""
    rows = [_checked(file.path) for file in files]
    told = [_told(rows_of, "test_category") for rows_of in rows]
    named = [match["category"] if (match := _NAME.fullmatch(file.path.name)) else None for file in files]
    datasets = datasets_of([a or b for a, b in zip(named, told, strict=True)], "items")
    failed: dict[str, dict[str, None]] = {}
    for dataset, (_, *of_file) in zip(datasets, rows, strict=True):
        failed.setdefault(dataset, {}).update(dict.fromkeys(row.name("id") for row in of_file))
    _check_totals(files, datasets, rows, failed)
    for file, dataset, of_file in zip(files, datasets, rows, strict=True):
        yield Scored.of(file, _samples(of_file, [*failed[dataset]]), _model(file, of_file), dataset)


def _checked(path: Path) -> list[Record]:
    """Return the counts and the failed items of a file, which must fit together."""
    counts, *failed = lines_in(path)
    total, correct = (whole_number(counts.need(key)) for key in ("total_count", "correct_count"))
    places: dict[str, str] = {}
    for row in failed:
        check_new(places, row.name("id"), row.where, f"item {row.name('id')!r}", "keep one record per item")
    if total is None or correct is None or total != correct + len(failed) or not total:
        raise InvalidInputError(
            f"{counts.where}: of {total} items {correct} are correct, but {len(failed)} failed",
            hint=CUT_OFF,
        )
    return [counts, *failed]


def _check_totals(
    files: Sequence[File],
    datasets: Sequence[str],
    rows: Sequence[Sequence[Record]],
    failed: Mapping[str, Collection[str]],
) -> None:
    """Refuse models that were evaluated on other items: other numbers of them, or more ids than items."""
    first: dict[str, tuple[File, int]] = {}
    for file, dataset, (counts, *_) in zip(files, datasets, rows, strict=True):
        other, total = first.setdefault(dataset, (file, counts.data["total_count"]))
        if total != counts.data["total_count"]:
            raise InvalidInputError(
                f"{file.path} is about {counts.data['total_count']} items of {dataset}, {other.path} about"
                f" {total}",
                hint="evaluate all models on the same items",
            )
        if len(failed[dataset]) > total:
            raise InvalidInputError(
                f"the models failed {len(failed[dataset])} items of {dataset}, and {file.path} is about"
                f" {total}: their ids are not of the same items",
                hint="evaluate all models with the same version of BFCL",
            )


def _samples(rows: Sequence[Record], failed_by_some: Sequence[str]) -> list[Sample]:
    counts, *failed = rows
    own = {row.name("id") for row in failed}
    solved = range(1, counts.data["total_count"] - len(failed_by_some) + 1)
    samples = [Sample(counts.where, item, {"correct": float(item not in own)}) for item in failed_by_some]
    return samples + [Sample(counts.where, f"solved by all {k}", {"correct": 1.0}) for k in solved]


def _model(file: File, rows: Sequence[Record]) -> str | None:
    """Return the model as the folders say that the leaderboard writes, else as the items say."""
    above = next((folder.name for folder in file.path.parents if folder.name not in _GROUPS), "")
    return (above if file.path.parent.name in _GROUPS else None) or _told(rows, "model_name")


def _told(rows: Sequence[Record], key: str) -> str | None:
    return next((text for row in rows[1:] if (text := word(row.data.get(key))) is not None), None)


read = Harness("scores of BFCL", recognises=recognises, scored=_scored, main=("correct",)).read
