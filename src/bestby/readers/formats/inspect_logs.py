"""Logs of Inspect: a zip archive (.eval) or a JSON document with the scores of every sample and epoch.

They are read with Inspect's own reader where it is installed. Scores count as in Inspect (`_VALUES`,
`_WORDS`). Epochs are runs, and the fields of the metadata are groupings of the samples. The scorer is by
default the first; one of several values of a scorer is called ``scorer/key``.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby.readers.archives import is_archive_with, member_of_archive, most_bytes, opened_archive
from bestby.readers.formats._logs import Harness, Sample, Scored, each, holding, quantities_of
from bestby.readers.formats.base import File
from bestby.readers.text import (
    Record,
    as_number,
    beginning,
    document,
    kind,
    number,
    parsed,
    whole_number,
    word,
)

_HEADER, _START, _SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
_PARTS = re.compile(r"_journal/summaries/(\d+)\.json")
_SAMPLES = re.compile(r"samples/.+\.json")

SIBLINGS = ("eval-set.json", "listing.json", "logs.json")

# What the letters and words of scores count as: correct, incorrect, partial, no answer.
_VALUES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


# What samples hold beside what they took.
_ASIDE = {"input", "choices", "target", "metadata", "store", "output", "scores", "attachments"}

_is_document = holding(rb'\s*\{\s*"(version|status|eval)"\s*:', "status", "eval", "task", "model")


def recognises(path: Path, head: bytes) -> bool:
    """Tell whether a file is a log: an archive with its header, or a document that begins with its status."""
    if head.startswith(b"PK\x03\x04"):
        return is_archive_with(path, _HEADER, _START)
    return _is_document(path, head)


class _Log(Scored):
    """A log, whose scores are kept as they are written until one of them is asked for."""

    def has(self, name: str) -> bool:
        """Tell whether there is a score, or one by the scorer that gives several elsewhere."""
        return name in self.choices or _single(name) in self.names

    def value(self, sample: Sample, name: str) -> tuple[float | None, None]:
        """Return a score as a number; None if the sample was not scored, or has none by this scorer."""
        scorer = _single(name) or name  # which may have one value here, and several elsewhere
        written = sample.scores.get(name, sample.scores.get(scorer, sample.quantities.get(name)))
        return _value(sample.where, name, written), None


def _scored(file: File) -> list[Scored]:
    read = read_with_inspect(file.path)
    header, listing = (Record(str(file.path), read[0]), read[1]) if read else _read_without_inspect(file.path)
    samples = []
    for place, sample in enumerate(listing, 1):
        where = f"{file.path}, sample {place}"
        if not isinstance(sample, dict):
            raise InvalidInputError(f"{where}: expected a JSON object, got {kind(sample)}")
        samples.append(_sample(Record(where, sample)))
    model, task = (word(header.part("eval").get(key)) for key in ("model", "task"))
    remarks = {} if header.data.get("status") == "success" else {"not finished": str(file.path)}
    return [_Log.of(file, samples, model, task, remarks=remarks)]


def _sample(row: Record) -> Sample:
    item, epoch = row.name("id"), whole_number(row.data.get("epoch", 1))
    if epoch is None:
        raise InvalidInputError(
            f"{row.where}: expected the number of an epoch, got {row.data['epoch']!r:.40}",
            hint="give the log as Inspect wrote it",
        )
    taken = quantities_of({key: value for key, value in row.data.items() if key not in _ASIDE})
    start, groups = beginning(row.data.get("input")), row.labels("metadata")
    return Sample(row.where, item, _scores(row), epoch, start, groups, taken)


def read_with_inspect(path: Path) -> tuple[dict[str, Any], list[Any]] | None:
    """Return the header and the samples of a log as Inspect itself reads them, which knows all versions.

    Where it is not installed or refuses a log, our own reading says what is wrong, or reads it all the same.
    """
    try:
        from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
    except ImportError:
        return None
    if zipfile.is_zipfile(path):  # a document is as large as its file
        with opened_archive(path) as archive:
            sizes = [one.file_size for one in archive.infolist() if not one.filename.startswith("samples/")]
        if sum(sizes) > most_bytes():
            return None
    try:
        header = read_eval_log(str(path), header_only=True).model_dump(mode="json")
        summaries = [one.model_dump(mode="json") for one in read_eval_log_sample_summaries(str(path))]
    except Exception:  # a damaged log may raise anything there: our own reading says what is wrong with it
        return None
    return (header, summaries) if summaries else None


def _read_without_inspect(path: Path) -> tuple[Record, list[Any]]:
    with path.open("rb") as stream:
        if stream.read(4) == b"PK\x03\x04":
            return _unzipped(path)
    header = document(path)
    listing = header.data.get("samples")
    return header, listing if isinstance(listing, list) else []


def _unzipped(path: Path) -> tuple[Record, list[Any]]:
    """Return the header and the summaries of the samples, or where there are none the samples themselves."""
    with opened_archive(path) as archive:
        names = archive.namelist()

        def load(name: str) -> Any:
            return parsed(member_of_archive(archive, path, name), f"{path}, {name}")

        head = load(_HEADER if _HEADER in names else _START)
        if not isinstance(head, dict):
            raise InvalidInputError(f"{path}: expected a JSON object as the header, got {kind(head)}")
        if _SUMMARIES in names:
            chosen = [_SUMMARIES]
        else:  # an evaluation that was cut short has its summaries in pieces
            pieces = {int(match[1]): name for name in names if (match := _PARTS.fullmatch(name))}
            chosen = [pieces[number] for number in sorted(pieces)]
        chosen = chosen or sorted(filter(_SAMPLES.fullmatch, names))
        parts = [load(name) for name in chosen]
        listing = [one for part in parts for one in (part if isinstance(part, list) else [part])]
    return Record(str(path), head), listing


def _scores(sample: Record) -> dict[str, Any]:
    """Return the values of a sample by scorer, and by scorer/key where one gives several."""
    scores = sample.part("scores")
    if not scores and isinstance(sample.data.get("score"), dict):  # the first version of the logs
        scores = {"score": sample.data["score"]}
    values: dict[str, Any] = {}
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):
            values.update({f"{scorer}/{key}": one for key, one in value.items()})
        else:
            values[str(scorer)] = value
    return values


def _single(name: str) -> str | None:
    """Return the scorer of one of its values.

    >>> _single("match/acc"), _single("match")
    ('match', None)
    """
    return name.rpartition("/")[0] or None


def _value(where: str, scorer: str, value: Any) -> float | None:
    """Return a score as a number, None if the sample was not scored."""
    if value is None or value != value:
        return None
    score = number(value)
    if score is None and isinstance(value, str):
        score = _VALUES.get(value, _WORDS.get(value.strip().lower(), as_number(value)))
    if score is None:
        raise InvalidInputError(
            f"{where}: the score by {scorer} is {value!r:.60}, expected a number or C, I, P, N",
            hint="choose another scorer: value_column=...",
        )
    return score


read = Harness(
    "logs of Inspect", recognises=recognises, scored=each(_scored), first=True, what="scorer", items="samples"
).read
