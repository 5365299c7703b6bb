"""Files of mt-metrics-eval: scores of segments (.seg.score) and the documents of the segments (.docs)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import fmean

from bestby._core.errors import InvalidInputError
from bestby._core.paths import is_file
from bestby._core.typing import OnMissing
from bestby.data.roles import listed
from bestby.readers.files import lines_of, rows_of
from bestby.readers.formats.base import Items, Read
from bestby.readers.text import as_number, first_lines, number_of
from bestby.results.base import Note

_NONE = "None"


def recognises(path: Path, head: bytes) -> bool:
    """Tell whether a file has lines of a name and a score, in a block of several lines per name."""
    rows = [line.split() for line in first_lines(head)]
    if len(rows) < 2 or any(len(row) != 2 or as_number(row[0]) is not None for row in rows):
        return False
    if any(as_number(row[1]) is None and row[1] != _NONE for row in rows):
        return False
    names = [row[0] for row in rows]
    blocks = 1 + sum(a != b for a, b in pairwise(names))
    distinct = len(set(names))
    # A table of a score per system (.sys.score) has every name once.
    return blocks == distinct < len(names) and (distinct > 1 or path.name.endswith(".seg.score"))


def read(
    paths: Mapping[str, Path],
    *,
    on_missing: OnMissing = "error",
    documents: Path | None = None,
    clusters: str | None = None,
    items: str = "segment",
) -> Read:
    """Read the scores that one metric, or human raters, gave the segments of several systems.

    `paths` is one file with a line ``SYSTEM SCORE`` per segment, in a block per system. `documents` is the
    ``.docs`` file, of lines ``DOMAIN DOCUMENT``, by default where mt-metrics-eval has it. `items` is what is
    compared: segments, or documents, whose score is the mean over those of their segments that have one.
    """
    if len(paths) != 1:
        raise InvalidInputError(
            f"one .seg.score file holds the scores of all systems, got {listed([*map(str, paths.values())])}",
            hint="compare by one metric at a time",
        )
    [path] = paths.values()
    if items not in ("segment", "document"):
        raise InvalidInputError(
            f"items must be segment or document, got {items!r}", hint="items=document", argument="items"
        )
    scores, n_segments = _scores(path)
    docs = documents or _beside(path)
    groups = {} if docs is None else documents_of(docs, n_segments)
    keyed = {name: {str(k): label for k, label in enumerate(group, 1)} for name, group in groups.items()}
    names, by_document = listed(list(scores)), items == "document"
    notes = _gaps(scores, n_segments) if by_document else ()
    if by_document:
        if docs is None:
            raise InvalidInputError(
                f"{path}: the documents of the segments are not known",
                hint="name the file that lists them: documents=FILE",
            )
        scores, keyed = _of_documents(scores, keyed)
    found = Items(names, scores, None, keyed, "mean", notes, objects=False)
    read = found.evaluated(on_missing, clusters)
    if by_document:
        return replace(
            read, description=f"mean scores of {read.n_items} documents (mt-metrics-eval): {names}"
        )
    description = f"scores of {n_segments} segments (mt-metrics-eval): {names}"
    n_missing = n_segments - read.n_items
    if n_missing:
        description += f"; {n_missing} segments have no score"
    return replace(read, description=description + ("" if docs is None else f"; documents: {docs}"))


def _of_documents(
    scores: Mapping[str, Mapping[str, float]], groups: Mapping[str, Mapping[str, str]]
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, str]]]:
    """Return the mean score of each document, by system, over the segments that have one; and its groups.

    Documents of one name in several domains are one, as in the clusters.
    """
    document_of = groups["document"]
    segments: dict[str, dict[str, list[float]]] = {name: {} for name in scores}
    for name, values in scores.items():
        for segment, value in values.items():
            segments[name].setdefault(document_of[segment], []).append(value)
    means = {name: {one: fmean(own) for one, own in of.items()} for name, of in segments.items()}
    outer = {name: group for name, group in groups.items() if name != "document"}
    return means, {
        name: {document_of[one]: label for one, label in group.items()} for name, group in outer.items()
    }


def _gaps(scores: Mapping[str, Mapping[str, float]], n_segments: int) -> tuple[Note, ...]:
    """Return a note on the segments that have no score, if there are any."""
    gaps = {name: n_segments - len(values) for name, values in scores.items() if len(values) < n_segments}
    message = (
        "the score of a document is the mean over those of its segments that have a score, which differ"
        f" between systems; segments without a score (of {n_segments}):"
        f" {', '.join(f'{name} {n}' for name, n in gaps.items())}"
    )
    return (Note("segments_without_score", message, tuple(gaps)),) if gaps else ()


def documents_of(path: Path, n_segments: int) -> dict[str, list[str]]:
    """Return the document and, if there are several, the domain of each segment, from a ``.docs`` file."""
    rows = [line.split() for line in lines_of(path)]
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]) or len(row) not in (1, 2):
            raise InvalidInputError(
                f"{path}, line {number}: expected DOMAIN DOCUMENT, got {len(row)} columns",
                hint="documents of segments are written one per line, as mt-metrics-eval has them",
            )
    if len(rows) != n_segments:
        raise InvalidInputError(
            f"{path} names the documents of {len(rows)} segments, but there are {n_segments}",
            hint="line n must be the document of segment n",
        )
    groups = {"document": [row[-1] for row in rows]}
    domains = [row[0] for row in rows]
    return groups if len(rows[0]) == 1 or len(set(domains)) == 1 else {**groups, "domain": domains}


def _scores(path: Path) -> tuple[dict[str, dict[str, float]], int]:
    """Return the scores by system and number of the segment, and how many segments there are."""
    scores: dict[str, dict[str, float]] = {}
    lengths: dict[str, int] = {}
    for where, (name, score) in rows_of(path, [2], "SYSTEM SCORE"):
        lengths[name] = lengths.get(name, 0) + 1
        values = scores.setdefault(name, {})
        if score != _NONE:
            values[str(lengths[name])] = number_of(score, where, "the score")
    first = next(iter(lengths))
    for name, length in lengths.items():
        if length != lengths[first]:
            raise InvalidInputError(
                f"{path}: {first} has {lengths[first]} segments, {name} has {length}",
                hint="every system needs a line per segment, in order; None stands for no score",
            )
    return scores, lengths[first]


def _beside(path: Path) -> Path | None:
    """Return the documents where mt-metrics-eval has them, if they are there."""
    folder = path.absolute().parent
    places = (
        folder.parent.parent / "documents" / f"{folder.name}.docs",
        folder.parent / "documents" / f"{path.name.split('.')[0]}.docs",
    )
    return next(filter(is_file, places), None)
