"""Speech cut by time: the segments of a reference (.stm), and which words of a system lie in each (.ctm)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

from bestby._core.errors import InvalidInputError
from bestby.readers.formats._lines import lines_of, number_of

COMMENT = ";;"
"""How a line begins that says nothing."""

_LABEL = re.compile(r"<[^<>\s]*>")
_OUT_OF_BOUNDS = "IGNORE_TIME_SEGMENT_IN_SCORING"

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


def numbered(path: Path) -> Iterator[tuple[str, str]]:
    """Yield file and line, and the line, for all but comments and blank ones."""
    for number, line in enumerate(lines_of(path), start=1):
        if line.strip() and not line.startswith(COMMENT):
            yield f"{path}, line {number}", line


def segments_of(path: Path, fold: Callable[[str], str]) -> list[Segment]:
    """Return the segments of a reference, by recording, channel and time; `fold` may be `str.lower`."""
    named: dict[str, Segment] = {}
    for where, line in numbered(path):
        cells = line.split(None, 5)
        if len(cells) < 5:
            raise InvalidInputError(
                f"{where}: got {len(cells)} columns, expected at least 5",
                hint="a line is RECORDING CHANNEL SPEAKER START END [<LABELS>] WORDS",
            )
        start, end = (number_of(cell, where, "a time") for cell in cells[3:5])
        if end < start:
            raise InvalidInputError(f"{where}: the segment ends at {end:g}, before it starts at {start:g}")
        words = cells[5].split() if len(cells) > 5 else []
        words = words[1:] if words and _LABEL.fullmatch(words[0]) else words
        # A backslash takes the meaning off a semicolon, which parts a word from its tags in .ctm.
        spoken = tuple(fold(word.replace("\\;", ";")) for word in words)
        channel, scored = (fold(cells[0]), fold(cells[1])), words != [_OUT_OF_BOUNDS]
        segment = Segment(channel, fold(cells[2]), start, end, spoken if scored else None, where)
        if segment.name in named:
            raise InvalidInputError(
                f"{where}: the segment {segment.name} occurs twice, first at {named[segment.name].where}",
                hint="keep one line per segment",
            )
        named[segment.name] = segment
    return sorted(named.values(), key=lambda segment: (segment.channel, segment.start, segment.end))


def words_of(path: Path, fold: Callable[[str], str]) -> dict[Channel, list[tuple[float, str]]]:
    """Return the words that a system recognised, with the time of their middle, in order."""
    recognised: dict[Channel, list[tuple[float, str]]] = {}
    for where, line in numbered(path):
        cells = line.split()
        if len(cells) not in (5, 6):
            raise InvalidInputError(
                f"{where}: got {len(cells)} columns, expected 5 or 6",
                hint="a line is RECORDING CHANNEL START DURATION WORD [CONFIDENCE]",
            )
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
