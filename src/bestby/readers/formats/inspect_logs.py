"""Logs of Inspect: a zip archive (.eval) or a JSON document with the scores of every sample and epoch."""

from __future__ import annotations

import dataclasses
import io
import os
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestby._core.cached import cached_property
from bestby._core.errors import InvalidInputError, MissingExtraError
from bestby._core.typing import OnMissing
from bestby.data.roles import listed
from bestby.data.table import Table
from bestby.metrics.regression import Mean
from bestby.readers.database import UNPACKED_VARIABLE, most_unpacked
from bestby.readers.formats._logs import (
    Sample,
    Scored,
    cells_of,
    chosen_by_task,
    gathered,
    in_words,
    log_of,
    named_apart,
    quantities_of,
    system_of,
)
from bestby.readers.formats.base import File, Read, check_available, files_of, refuse_gold
from bestby.readers.text import Record, beginning, document, kind, number, parsed, whole_number, word

_HEADER, _START, _SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
_PARTS = re.compile(r"_journal/summaries/(\d+)\.json")
_SAMPLES = re.compile(r"samples/.+\.json")

SIBLINGS = ("eval-set.json", "listing.json", "logs.json")

# What the letters and words of scores count as: correct, incorrect, partial, no answer.
_VALUES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


@dataclass(frozen=True, eq=False)
class _Opened:
    """One log: its header, and the samples of all epochs."""

    file: File
    header: Record
    samples: list[Record]

    @cached_property
    def scores(self) -> list[dict[str, Any]]:
        """The values of each sample by scorer."""
        return [_scores(sample) for sample in self.samples]

    @cached_property
    def quantities(self) -> list[dict[str, float]]:
        """What each sample took: its time, and the tokens of all its models."""
        aside = ("input", "choices", "target", "metadata", "store", "output", "scores", "attachments")
        return [
            quantities_of({key: value for key, value in sample.data.items() if key not in aside})
            for sample in self.samples
        ]

    @property
    def model(self) -> str | None:
        return word(self.header.part("eval").get("model"))

    @property
    def task(self) -> str:
        return word(self.header.part("eval").get("task")) or "task"


def recognises(path: Path, head: bytes) -> bool:
    """Tell whether a file is a log: an archive with its header, or a document that begins with its status."""
    if head.startswith(b"PK\x03\x04"):
        return is_archive_with(path, _HEADER, _START)
    keys = (b'"status"', b'"eval"', b'"task"', b'"model"')
    return re.match(rb'\s*\{\s*"(version|status|eval)"\s*:', head) is not None and all(
        key in head for key in keys
    )


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
    on_missing: OnMissing = "error",
    value_column: str | Mapping[str, str] | None = None,
    clusters: str | None = None,
) -> Read:
    """Read the logs of two or more models, with Inspect's own reader where it is installed.

    Scores count as in Inspect (`_VALUES`, `_WORDS`). Epochs are runs, and the fields of the metadata are
    groupings of the samples. `value_column` is the scorer, or that of each task, by default the first;
    ``scorer/key`` where it gives several values.
    """
    refuse_gold(gold, "the logs of Inspect hold their scores and need no gold")
    logs = [_opened(file) for file in files_of(paths, recognises)]
    names = named_apart(
        [(log.file.name, log.task, system_of(log.file, log.model)) for log in logs],
        [log.file.path for log in logs],
    )
    chosen = chosen_by_task(logs, [log.task for log in logs], _names, _scorer, value_column, "scorer")
    read_in = [
        log_of(_scored(log, name, [scorer]), name, scorer)
        for log, name in zip(logs, names, strict=True)
        for scorer, _ in [chosen[log.task]]
    ]
    known = list(dict.fromkeys(name for _, shared in chosen.values() for name in shared))
    scorers = {task: scorer for task, (scorer, _) in chosen.items()}
    others = f" (available: {listed(known)})" if len(known) > len({*scorers.values()}) else ""
    description = f"logs of Inspect; {in_words('scorer', scorers.values())}{others}"
    unfinished = [str(log.file.path) for log in logs if log.header.data.get("status") != "success"]
    if unfinished:
        description += f"; not finished: {listed(unfinished)}"
    taken = {name: None for log in logs for one in log.quantities for name in one}
    means = {task: Mean(name, greater_is_better=name not in taken) for task, name in scorers.items()}
    read = gathered(read_in, means, description, on_missing=on_missing, cluster=clusters, quantities=taken)

    def cells(facets: Collection[str]) -> Table:
        scored = [
            (name, _scored(log, name, shared if "scorer" in facets else [scorer]))
            for log, name in zip(logs, names, strict=True)
            for scorer, shared in [chosen[log.task]]
        ]
        return cells_of(scored, chosen, facets)

    return dataclasses.replace(read, cells=cells)


def _opened(file: File) -> _Opened:
    read = read_with_inspect(file.path)
    header, listing = (Record(str(file.path), read[0]), read[1]) if read else _read_without_inspect(file.path)
    samples = []
    for place, sample in enumerate(listing, 1):
        where = f"{file.path}, sample {place}"
        if not isinstance(sample, dict):
            raise InvalidInputError(f"{where}: expected a JSON object, got {kind(sample)}")
        samples.append(Record(where, sample))
    if not samples:
        raise InvalidInputError(
            f"{file.path} has no samples", hint="run the evaluation with log_samples on, and to its end"
        )
    return _Opened(file, header, samples)


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
        if chosen:
            listing: list[Any] = []
            for name in chosen:
                piece = load(name)
                listing += piece if isinstance(piece, list) else [piece]
        else:
            listing = [load(name) for name in sorted(names) if _SAMPLES.fullmatch(name)]
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


def _names(log: _Opened) -> dict[str, None]:
    return {name: None for values in log.scores for name in values}


def _scorer(logs: Sequence[_Opened], wanted: str | None) -> tuple[str, list[str]]:
    """Return the scorer to use for the logs of a task, and all that they share.

    Where a scorer gives one value in some logs and several in others, ``scorer/key`` is the one value, too.
    """
    listings = [_names(log) for log in logs]
    for log, names in zip(logs, listings, strict=True):
        if not names:
            raise InvalidInputError(f"{log.file.path}: no sample has a score", hint="score the log first")
        taken = {name for one in log.quantities for name in one}
        if wanted is not None and _single(wanted) not in names and wanted not in taken:
            check_available(wanted, names, "scorer", log.file.path)
    first = listings[0]
    shared = [name for name in first if all(name in names for names in listings)]
    if wanted is not None or shared:
        return wanted or shared[0], shared
    for log, names in zip(logs, listings, strict=True):
        scorer = next(
            (_single(name) for name in names if any(_single(name) in one for one in listings)), None
        )
        if scorer is not None:
            values = [name for name in names if _single(name) == scorer]
            keys = listed([name.removeprefix(f"{scorer}/") for name in values])
            raise InvalidInputError(
                f"{log.file.path}: scorer {scorer} has values {keys}: name one",
                hint=f'value_column="{values[0]}"; of a log in which the scorer has one value, that is taken',
            )
    other = next(names for names in listings if not {*names} & {*first})
    raise InvalidInputError(
        f"{logs[0].file.path} and the others share no scorer: {listed([*first])} against {listed([*other])}",
        hint="score the logs with the same scorer",
    )


def _single(name: str) -> str | None:
    """Return the scorer of one of its values.

    >>> _single("match/acc"), _single("match")
    ('match', None)
    """
    return name.rpartition("/")[0] or None


def _scored(log: _Opened, name: str, scorers: Sequence[str]) -> Scored:
    """Return what scorers said of each sample."""
    samples = []
    for sample, values, taken in zip(log.samples, log.scores, log.quantities, strict=True):
        item, epoch = _id_and_epoch(sample)
        scores = {
            scorer: _value(
                sample, scorer, values.get(scorer, values.get(_single(scorer) or scorer, taken.get(scorer)))
            )
            for scorer in scorers
        }
        start, groups = beginning(sample.data.get("input")), sample.labels("metadata")
        samples.append(Sample(sample.where, item, scores, epoch, start, groups))
    return Scored(str(log.file.path), None, name, log.task, samples)


def _id_and_epoch(sample: Record) -> tuple[str, int]:
    item = word(sample.need("id"))
    epoch = whole_number(sample.data.get("epoch", 1))
    if item is None or epoch is None:
        raise InvalidInputError(
            f"{sample.where}: expected an id and the number of an epoch, got {sample.data['id']!r:.40} and"
            f" {sample.data.get('epoch', 1)!r:.40}"
        )
    return item, epoch


def _value(sample: Record, scorer: str, value: Any) -> float | None:
    """Return a score as a number, None if the sample was not scored."""
    if value is None or value != value:
        return None
    score = number(value)
    if score is None and isinstance(value, str):
        score = _VALUES.get(value, _WORDS.get(value.strip().lower()))
        if score is None and re.fullmatch(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?\s*", value):
            score = number(float(value))
    if score is None:
        raise InvalidInputError(
            f"{sample.where}: the score by {scorer} is {value!r:.60}, expected a number or C, I, P, N",
            hint="choose another scorer: value_column=...",
        )
    return score


MOST_BYTES = 1 << 28
"""How large a member may be, unpacked."""

_ZSTD = 93  # the method of zip archives that zipfile knows from Python 3.14 on
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_ARCHIVE_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    RuntimeError,  # encrypted, or packed by a method that zipfile does not know
    ValueError,
    struct.error,
    UnicodeError,
)


def is_archive_with(path: Path, *members: str) -> bool:
    """Tell whether a file is a zip archive that has one of these members."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except _ARCHIVE_DAMAGE:
        return False
    return any(member in names for member in members)


@contextmanager
def opened_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive, and turn what is wrong with it into our error."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except InvalidInputError:
        raise
    except _ARCHIVE_DAMAGE as error:
        raise InvalidInputError(
            f"{path}: cannot be unpacked: {error}", hint="the file is damaged or cut off: copy it again"
        ) from error


def most_bytes() -> int:
    """Return how many bytes a member may have, unpacked: `MOST_BYTES`, or what the user sets."""
    return most_unpacked() if os.environ.get(UNPACKED_VARIABLE, "").strip() else MOST_BYTES


def member_of_archive(archive: zipfile.ZipFile, path: Path, name: str) -> bytes:
    """Return what a member of an archive holds."""
    try:
        info = archive.getinfo(name)  # a list of all names for each of them takes time that is quadratic
    except KeyError:
        raise InvalidInputError(
            f"{path}: there is no {name} in the archive",
            hint="the log is damaged, or was cut off: copy it again",
        ) from None
    most = most_bytes()
    if info.file_size > most:
        raise InvalidInputError(
            f"{path}: {name} has {info.file_size} bytes, more than the {most} that are read",
            hint="write the log again without images and attachments, or raise the limit: set the environment"
            f" variable {UNPACKED_VARIABLE}=8G",
        )
    if info.compress_type == _ZSTD and sys.version_info < (3, 14):
        data = _unpacked_zstd(_packed_member(path, info, most), most)
        if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
            raise zipfile.BadZipFile(f"the checksum of {name} does not match")
        return data
    with archive.open(info) as stream:
        data = stream.read(most + 1)
    if len(data) != info.file_size:
        raise zipfile.BadZipFile(f"{name} has a size other than the archive states")
    return data


def _packed_member(path: Path, info: zipfile.ZipInfo, most: int) -> bytes:
    """Return the packed bytes of a member: they follow its local header, whose name and extra field vary."""
    with path.open("rb") as stream:
        stream.seek(info.header_offset)
        magic, name, extra = _LOCAL_HEADER.unpack(stream.read(_LOCAL_HEADER.size))
        if magic != b"PK\x03\x04" or info.flag_bits & 1:
            raise zipfile.BadZipFile(f"{info.filename} has no header that can be read, or is encrypted")
        stream.seek(name + extra, io.SEEK_CUR)
        return stream.read(min(info.compress_size, most))


def _unpacked_zstd(data: bytes, most: int) -> bytes:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError("zstandard, which unpacks these logs,", "logs") from error
    try:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True) as stream:
            unpacked = bytearray()
            while chunk := stream.read(1 << 20):
                unpacked += chunk
                if len(unpacked) > most:
                    break
            return bytes(unpacked)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from error
