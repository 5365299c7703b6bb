"""Transcripts of speech in NIST's formats: .trn with utterance ids, .stm and .ctm with times."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from bestby._core.errors import InvalidInputError
from bestby._core.typing import OnMissing
from bestby.data.table import listed
from bestby.readers.formats import _alternations
from bestby.readers.formats._lines import as_number, assembled, first_lines, need_gold
from bestby.readers.formats._segments import COMMENT, heard, numbered, segments_of, words_of
from bestby.readers.formats.base import HEAD, Read, head_of

_WSJ = re.compile(r"[0-9a-z]{3}[a-z][0-9a-z]{4}", re.IGNORECASE)
"""Ids of the Wall Street Journal, such as 4t0c0201, which begin with the speaker."""


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether all lines end with an utterance id in brackets, or are words with their times."""
    return _form(head) in ("trn", "ctm")


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
    on_missing: OnMissing = "error",
    clusters: str | None = None,
    case: bool = False,
) -> Read:
    """Read what several systems recognised, and the reference transcripts, as NIST's sclite does.

    References may have alternatives, ``{ um / uh / @ }``; a system is compared with the reading nearest to
    its output. Upper and lower case are equal unless `case` is set. With .trn files an item is an utterance,
    with a reference in .stm and systems in .ctm a segment of the reference. `clusters` may be "speaker" or,
    with .stm, "recording".
    """
    reference = need_gold(gold, "transcripts")
    forms = {path: _form(head_of(path)) for path in (reference, *paths.values())}
    form = "trn" if forms[reference] == "trn" else "ctm"
    if forms[reference] not in ("trn", "stm"):
        raise InvalidInputError(
            f"{reference} must be a reference transcript in .trn or .stm",
            hint=".trn: WORDS (UTTERANCE); .stm: RECORDING CHANNEL SPEAKER START END [<LABELS>] WORDS",
        )
    for path in paths.values():
        if forms[path] != form:
            raise InvalidInputError(
                f"{path} must be a .{form} file, as {reference} is a .{forms[reference]} file",
                hint=".trn: WORDS (UTTERANCE); .ctm: RECORDING CHANNEL START DURATION WORD [CONFIDENCE]",
            )
    fold: Callable[[str], str] = str if case else str.lower
    gather = _utterance_data if form == "trn" else _segment_data
    places, systems, groups = gather(reference, paths, fold)
    golds = {
        item: _alternations.references(slots, [words[item] for words in systems.values() if item in words])
        for item, slots in places.items()
    }
    texts = {
        name: {item: " ".join(words) for item, words in heard.items()} for name, heard in systems.items()
    }
    several = sum(_alternations.count(slots) > 1 for slots in places.values())
    description = (
        f"transcripts (.{form}): {listed(list(paths))}; reference: {reference};"
        f" {len(golds)} {'utterances' if form == 'trn' else 'segments'}"
        + (f", {several} with alternatives" if several else "")
        + ("" if case else "; upper and lower case are equal")
    )
    return assembled(texts, golds, groups, clusters, on_missing, metric="wer", description=description)


_Gathered = tuple[
    dict[str, list[_alternations.Slot]], dict[str, dict[str, tuple[str, ...]]], dict[str, dict[str, str]]
]
"""Per item the places of its reference; per system and item its words; per grouping and item its label."""


def _form(head: bytes) -> Literal["trn", "stm", "ctm"] | None:
    """Tell a format from the first lines; comments and blank lines tell nothing."""
    lines = [line for line in first_lines(head[:HEAD]) if line.strip() and not line.startswith(COMMENT)]
    if not lines:
        return None
    if len(lines) > 1 and None not in map(_utterance, lines):
        return "trn"
    rows = [line.split(None, 6) for line in lines]
    times = [cell for row in rows for cell in row[2:4] if cell != "*"]
    is_timed = all(len(row) in (5, 6) for row in rows) and None not in map(as_number, times)
    if is_timed and any(as_number(row[4]) is None for row in rows):
        return "ctm"
    return "stm" if all(len(row) >= 5 and None not in map(as_number, row[3:5]) for row in rows) else None


def _utterance_data(reference: Path, paths: Mapping[str, Path], fold: Callable[[str], str]) -> _Gathered:
    spoken = _utterances(reference, fold)
    places = {item: _alternations.slots(words, where) for item, (where, words) in spoken.items()}
    systems = {}
    for name, path in paths.items():
        heard = _utterances(path, fold)
        for where, words in heard.values():
            if "{" in words:
                raise InvalidInputError(
                    f"{where}: the output of a system must be words, got alternatives in braces",
                    hint="keep one of the alternatives",
                )
        systems[name] = {item: words for item, (_, words) in heard.items()}
    speakers = _speakers(list(places))
    return places, systems, {} if speakers is None else {"speaker": speakers}


def _utterances(path: Path, fold: Callable[[str], str]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return where each utterance stands, and its words."""
    utterances: dict[str, tuple[str, tuple[str, ...]]] = {}
    for where, line in numbered(path):
        parts = _utterance(line)
        if parts is None:
            raise InvalidInputError(
                f"{where}: no utterance id in brackets at the end", hint="a line is WORDS (UTTERANCE)"
            )
        item = fold(parts[1])
        if item in utterances:
            raise InvalidInputError(
                f"{where}: utterance {item!r} occurs twice, first at {utterances[item][0]}",
                hint="keep one line per utterance",
            )
        utterances[item] = where, tuple(fold(parts[0]).split())
    return utterances


def _utterance(line: str) -> tuple[str, str] | None:
    """Cut a line into words and utterance id; None if it does not end with one in brackets.

    >>> _utterance("so (they say) (cmh_sa01)")
    ('so (they say) ', 'cmh_sa01')
    """
    words, opened, rest = line.rstrip().rpartition("(")
    item = rest[:-1]
    return (words, item) if opened and rest.endswith(")") and len(item.split()) == 1 else None


def _speakers(items: Sequence[str]) -> dict[str, str] | None:
    """Return the speaker of each utterance, which ids have before the first - or _, if they have one."""
    if all(_WSJ.fullmatch(item) for item in items):
        return {item: item[:3] for item in items}
    speakers = {item: re.split("[-_]", item, maxsplit=1)[0] for item in items}
    known = all(speaker and speaker != item for item, speaker in speakers.items())
    return speakers if known and 1 < len(set(speakers.values())) < len(items) else None


def _segment_data(reference: Path, paths: Mapping[str, Path], fold: Callable[[str], str]) -> _Gathered:
    segments = segments_of(reference, fold)
    scored = {segment.name: segment for segment in segments if segment.words is not None}
    places = {
        item: _alternations.slots(segment.words or (), segment.where) for item, segment in scored.items()
    }
    systems = {name: heard(words_of(path, fold), segments, path) for name, path in paths.items()}
    groups = {
        "speaker": {item: segment.speaker for item, segment in scored.items()},
        "recording": {item: segment.channel[0] for item, segment in scored.items()},
    }
    return places, systems, {name: group for name, group in groups.items() if len({*group.values()}) > 1}
