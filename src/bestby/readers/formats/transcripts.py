"""Transcripts of speech in formats of NIST: .trn with utterance ids, .stm and .ctm with times.

In a reference, alternatives are written ``{ um / uh / @ }``; all its readings count.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal, TypeAlias

from bestby._core.errors import InvalidInputError
from bestby.data.roles import listed
from bestby.metrics.alternatives import Slot, n_readings, references, slots
from bestby.readers.files import numbered, rows_of
from bestby.readers.formats.base import Items, head_of, need_gold, of_items
from bestby.readers.text import HEAD, as_number, check_new, first_lines, number_of


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether all lines end with an utterance id in brackets, or are words with their times."""
    return _form(head) in ("trn", "ctm")


_WSJ = re.compile(r"[0-9a-z]{3}[a-z][0-9a-z]{4}", re.IGNORECASE)
"""Ids of the Wall Street Journal, such as 4t0c0201, which begin with the speaker."""


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


@of_items
def read(paths: Mapping[str, Path], *, gold: Path | None = None, case: bool = False) -> Items:
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
            hint=f".trn: WORDS (UTTERANCE); .stm: {_STM}",
        )
    for path in paths.values():
        if forms[path] != form:
            raise InvalidInputError(
                f"{path} must be a .{form} file, as {reference} is a .{forms[reference]} file",
                hint=f".trn: WORDS (UTTERANCE); .ctm: {_CTM}",
            )
    fold: Callable[[str], str] = str if case else str.lower
    gather = _utterance_data if form == "trn" else _segment_data
    places, systems, groups = gather(reference, paths, fold)
    golds = {
        item: references(slots, [words[item] for words in systems.values() if item in words])
        for item, slots in places.items()
    }
    texts = {name: {item: " ".join(own) for item, own in words.items()} for name, words in systems.items()}
    several = sum(n_readings(slots) > 1 for slots in places.values())
    description = (
        f"transcripts (.{form}): {listed(list(paths))}; reference: {reference};"
        f" {len(golds)} {'utterances' if form == 'trn' else 'segments'}"
        + (f", {several} with alternatives" if several else "")
        + ("" if case else "; upper and lower case are equal")
    )
    return Items(description, texts, golds, groups, "wer")


_Gathered = tuple[dict[str, list[Slot]], dict[str, dict[str, tuple[str, ...]]], dict[str, dict[str, str]]]
"""Per item the places of its reference; per system and item its words; per grouping and item its label."""


def _utterance_data(reference: Path, paths: Mapping[str, Path], fold: Callable[[str], str]) -> _Gathered:
    spoken = _utterances(reference, fold)
    places = {item: slots(words, where) for item, (where, words) in spoken.items()}
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
    places: dict[str, str] = {}
    for where, line in numbered(path, COMMENT):
        parts = _utterance(line)
        if parts is None:
            raise InvalidInputError(
                f"{where}: no utterance id in brackets at the end", hint="a line is WORDS (UTTERANCE)"
            )
        item = fold(parts[1])
        check_new(places, item, where, f"utterance {item!r}", "keep one line per utterance")
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
    places = {item: slots(segment.words or (), segment.where) for item, segment in scored.items()}
    systems = {name: heard(words_of(path, fold), segments, path) for name, path in paths.items()}
    groups = {
        "speaker": {item: segment.speaker for item, segment in scored.items()},
        "recording": {item: segment.channel[0] for item, segment in scored.items()},
    }
    return places, systems, {name: group for name, group in groups.items() if len({*group.values()}) > 1}


Channel: TypeAlias = tuple[str, str]
"""Recording and channel."""


@dataclass(frozen=True)
class Segment:
    """A segment of the reference: where, when and who, and its words; None where nothing is scored."""

    channel: Channel
    speaker: str
    start: float
    end: float
    words: tuple[str, ...] | None
    where: str

    @property
    def name(self) -> str:
        """The id of the item."""
        return f"{' '.join(self.channel)} {self.start}-{self.end} {self.speaker}"


COMMENT = ";;"
"""How a line begins that says nothing."""

_LABEL = re.compile(r"<[^<>\s]*>")

_STM = "RECORDING CHANNEL SPEAKER START END [<LABELS>] WORDS"
_CTM = "RECORDING CHANNEL START DURATION WORD [CONFIDENCE]"
_OUT_OF_BOUNDS = "IGNORE_TIME_SEGMENT_IN_SCORING"


def segments_of(path: Path, fold: Callable[[str], str]) -> list[Segment]:
    """Return the segments of a reference, by recording, channel and time; `fold` may be `str.lower`."""
    segments: list[Segment] = []
    places: dict[str, str] = {}
    for where, line in numbered(path, COMMENT):
        cells = line.split(None, 5)
        if len(cells) < 5:
            raise InvalidInputError(f"{where}: expected at least 5 columns, {_STM}, got {len(cells)}")
        start, end = (number_of(cell, where, "a time") for cell in cells[3:5])
        if end < start:
            raise InvalidInputError(f"{where}: the segment ends at {end:g}, before it starts at {start:g}")
        words = cells[5].split() if len(cells) > 5 else []
        words = words[1:] if words and _LABEL.fullmatch(words[0]) else words
        # A backslash takes the meaning off a semicolon, which parts a word from its tags in .ctm.
        spoken = tuple(fold(word.replace("\\;", ";")) for word in words)
        channel, scored = (fold(cells[0]), fold(cells[1])), words != [_OUT_OF_BOUNDS]
        segment = Segment(channel, fold(cells[2]), start, end, spoken if scored else None, where)
        check_new(places, segment.name, where, f"the segment {segment.name}", "keep one line per segment")
        segments.append(segment)
    return sorted(segments, key=lambda segment: (segment.channel, segment.start, segment.end))


def words_of(path: Path, fold: Callable[[str], str]) -> dict[Channel, list[tuple[float, str]]]:
    """Return the words that a system recognised, with the time of their middle, in order."""
    recognised: dict[Channel, list[tuple[float, str]]] = {}
    for where, cells in rows_of(path, [5, 6], _CTM, COMMENT):
        if cells[4].startswith("<ALT"):
            raise InvalidInputError(
                f"{where}: the output of a system must be words, got alternatives ({cells[4]})",
                hint="keep one of the alternatives",
            )
        start, duration = (number_of(cell, where, "a time") for cell in cells[2:4])
        word = re.split(r"(?<!\\);", cells[4])[0].replace("\\;", ";")
        channel = fold(cells[0]), fold(cells[1])
        recognised.setdefault(channel, []).append((start + duration / 2, fold(word)))
    return {channel: sorted(words, key=lambda word: word[0]) for channel, words in recognised.items()}


def heard(
    words: Mapping[Channel, Sequence[tuple[float, str]]], segments: Sequence[Segment], path: Path
) -> dict[str, tuple[str, ...]]:
    """Return the words of each segment; nothing for segments of recordings that the system lacks.

    A segment has the words whose middle lies before its end and that no earlier segment has; the last one
    also those after it. Words within ignored segments are left out (NIST, sclite).
    """
    spoken: dict[str, tuple[str, ...]] = {}
    known = {segment.channel for segment in segments}
    unknown = [channel for channel in words if channel not in known]
    if unknown:
        raise InvalidInputError(
            f"{path} has words of recording {unknown[0][0]!r}, channel {unknown[0][1]!r}, for which the"
            f" reference has no segment",
            hint="leave its words out, or add an ignored segment to the reference",
        )
    recordings = {channel[0] for channel in words}
    for channel, group in groupby(segments, key=lambda segment: segment.channel):
        rest = deque(words.get(channel, ()))
        own: list[str] = []
        last = None
        for segment in group:
            while rest and rest[0][0] < segment.end:
                middle, word = rest.popleft()
                if segment.words is not None or middle < segment.start:
                    own.append(word)
            if segment.words is None:
                continue  # words before it, which no segment holds, are left to the next one
            if channel[0] in recordings:
                last, spoken[segment.name] = segment.name, tuple(own)
            own = []
        if last is not None:
            spoken[last] += (*own, *(word for _, word in rest))
    return spoken
