"""CoNLL-U: the parses of several systems and the annotated text, which may be cut into words differently."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from bestby.data.roles import listed
from bestby.metrics.parsing import Block, blocks, sentences
from bestby.readers.files import lines_of
from bestby.readers.formats.base import Items, need_gold, of_items
from bestby.readers.text import first_lines

_ID = re.compile(r"\d+(-\d+|\.\d+)?")
_NEW_DOCUMENT = re.compile(r"#\s*newdoc\b(\s+id\s*=\s*(?P<id>.*\S))?")


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether all lines but comments have ten columns, separated by tabs, the first a word number."""
    rows = [line.split("\t") for line in first_lines(head) if line.strip() and line[0] != "#"]
    return bool(rows) and all(len(row) == 10 and _ID.fullmatch(row[0]) for row in rows)


@of_items
def read(paths: Mapping[str, Path], *, gold: Path | None = None) -> Items:
    """Read parses of the same text, which may differ in where words and sentences begin.

    The items are blocks: the sentences between two places where the gold and all systems end a sentence. The
    documents, which begin with ``# newdoc`` in the gold, may be the `clusters`; two documents count as one if
    some system ends no sentence between them. Every system must have the whole text. See
    https://universaldependencies.org/format.html.
    """
    annotated = need_gold(gold, "parses")
    lines = lines_of(annotated)
    ours = sentences("\n".join(lines), str(annotated))
    theirs = [sentences("\n".join(lines_of(path)), str(path)) for path in paths.values()]
    whole, *parts = blocks(ours, *theirs, names=list(paths))
    documents = _per_block(whole, _documents(lines))
    groups = {"document": documents} if len(set(documents)) > 1 else {}
    systems = dict(zip(paths, parts, strict=True))
    description = (
        f"CoNLL-U: {listed(list(paths))}; gold: {annotated}; {len(ours)} sentences in {len(whole)} blocks"
        " between places where all end a sentence"
    )
    return Items(description, systems, whole, groups, "las")


def _documents(lines: Sequence[str]) -> list[str]:
    """Return the document of each sentence: its id, or its number."""
    documents: list[str] = []
    name, number, within = "document 0", 0, False
    for line in lines:
        begun = _NEW_DOCUMENT.match(line)
        if begun:
            number += 1
            name = begun["id"] or f"document {number}"
        elif not line.strip():
            within = False
        elif line[0] != "#" and not within:
            within = True
            documents.append(name)
    return documents


def _per_block(whole: Sequence[Block], documents: Sequence[str]) -> list[str]:
    """Return the document of each block; documents that share a block are one, called as the first."""
    called: dict[str, str] = {}
    labels = []
    start = 0
    for block in whole:
        end = start + len(block.sentences)
        first = called.setdefault(documents[start], documents[start])
        called.update(dict.fromkeys(documents[start:end], first))
        labels.append(first)
        start = end
    return labels
