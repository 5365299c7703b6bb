"""Plain text with a segment per line: translations, summaries, transcripts, beside one or more references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby.data.roles import listed
from bestby.readers.files import lines_of
from bestby.readers.formats.base import Items, of_items
from bestby.readers.formats.mt_metrics_eval import documents_of


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Return False: nothing in a line tells a segment of text from a label."""
    return False


@of_items
def read(
    paths: Mapping[str, Path], *, gold: Path | Sequence[Path] | None = None, documents: Path | None = None
) -> Items:
    """Read one file per system and one or more of references; line n of each is segment n.

    Blank lines are segments: a system that said nothing has the empty text.
    """
    golds = [] if gold is None else [gold] if isinstance(gold, Path) else list(gold)
    if not golds:
        raise InvalidInputError(
            "texts with a segment per line need a file of references", hint="name it: gold=..."
        )
    references = [lines_of(path) for path in golds]
    systems = {name: lines_of(path) for name, path in paths.items()}
    for path, lines in zip([*golds, *paths.values()], [*references, *systems.values()], strict=True):
        if len(lines) != len(references[0]):
            raise InvalidInputError(
                f"{path} has {len(lines)} lines, {golds[0]} has {len(references[0])}",
                hint="line n of every file must be segment n; a blank line stands for an empty segment",
            )
    groups = {} if documents is None else documents_of(documents, len(references[0]))
    right: Sequence[Any] = references[0]
    if len(references) > 1:  # blank ones are no references
        segments = zip(*references, strict=True)
        right = [tuple(text for text in texts if text.strip()) or ("",) for texts in segments]
    names = f"{listed(list(paths))}; references: {listed(list(map(str, golds)))}"
    return Items(f"text with a segment per line: {names}", systems, right, groups, "bleu")
