"""Files of the formats that tools write: recognised by what they hold, read, and brought to an evaluation."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.paths import is_file, readable, readable_file, user_path
from bestby._core.text import suggestion
from bestby._core.typing import OnMissing
from bestby.data.evaluation import Evaluation
from bestby.data.roles import Soft, listed
from bestby.data.table import Table
from bestby.readers.arguments import missing_texts
from bestby.readers.files import kind_of, read_table
from bestby.readers.formats.base import FORMATS, Format, Read, format_called, head_of, recognised, unread_in
from bestby.readers.paths import by_system, named_paths, note_on_unread
from bestby.results.base import Note

TABLE = "table"
"""The format of what is no other: tables and values."""

TEXTS = "texts"


def format_of(
    paths: Mapping[str, Path], name: str | None, *, texts: bool, golds: Sequence[str | Path] = ()
) -> Format | None:
    """Return the format of the files, None for tables and plain values; `texts`: text files hold segments.

    What the files leave open the gold tells, and so do the other files.
    """
    if name is not None:
        if name not in (*FORMATS, TEXTS, TABLE):
            raise InvalidInputError(
                f"there is no format {name!r}", hint=f"formats: {', '.join((TABLE, TEXTS, *FORMATS))}"
            )
        return None if name == TABLE else format_called(name)
    formats = {readable(path): recognised(path) for path in paths.values()}
    beside = [path for path in map(user_path, golds) if is_file(path)]
    formats = _with_others(formats, beside, texts=texts)
    trec: Any = format_called("trec")
    if unsure := [path for path, form in formats.items() if _name(form) in (TABLE, "transcripts")]:
        trec.check_columns(unsure, beside)
    kinds = list(formats.values())
    if any(kind is not kinds[0] for kind in kinds):
        for path in (path for path, kind in formats.items() if kind is None):
            unread_in(path)  # what is damaged there is why it is in no format
        shown = ", ".join(f"{path}: {_name(kind)}" for path, kind in list(formats.items())[:4])
        raise InvalidInputError(f"the files are in different formats ({shown})", hint=_other_files(formats))
    if kinds[0] is None and texts and all(is_file(p) and kind_of(p).form == "text" for p in paths.values()):
        return format_called(TEXTS)
    return kinds[0]


def _with_others(
    formats: Mapping[Path, Format | None], golds: Sequence[Path], *, texts: bool
) -> dict[Path, Format | None]:
    """Return the formats of files, of which some are told by the gold or the other files only."""
    squad: Any = format_called("squad")
    bio: Any = format_called("bio")
    if golds and not squad.is_dataset(golds[0]):
        formats = {path: None if form is squad else form for path, form in formats.items()}
    if None not in formats.values():
        return dict(formats)
    among_tags = bio in (*formats.values(), *map(recognised, golds))
    if (
        texts and golds and not among_tags
    ):  # segments and their references, which may be as long as each other
        return dict(formats)
    return {
        path: bio if form is None and bio.holds_tags(head_of(path), among_tags=among_tags) else form
        for path, form in formats.items()
    }


def formats_with(option: str) -> list[str]:
    """Return the names of the formats that take an option."""
    return [name for name in FORMATS if option in inspect.signature(format_called(name).read).parameters]


def _other_files(formats: Mapping[Path, Format | None]) -> str:
    """Return what to do about files of different formats: which to leave out, if most are in one."""
    kinds = list(formats.values())
    most = max(kinds, key=kinds.count)
    others = [str(path) for path, kind in formats.items() if kind is not most]
    if len(others) < len(kinds) - len(others):
        return f"leave {listed(others, 3)} out, or say which format it is: format=..."
    return "give files of one format, or say which it is: format=..."


def _name(form: Format | None) -> str:
    return TABLE if form is None else str(getattr(form, "__name__", "")).rpartition(".")[2]


def read_format(
    form: Format,
    paths: Mapping[str, Path],
    *,
    gold: Sequence[str | Path],
    clusters: str | None,
    on_missing: OnMissing,
    options: Mapping[str, Any],
) -> Read:
    """Read files of one format; `options` that the format does not know are an error."""
    known = {
        name: parameter
        for name, parameter in inspect.signature(form.read).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    values: dict[str, Any] = {"on_missing": on_missing, **options}
    if clusters is not None and "clusters" in known:
        values["clusters"] = clusters
    if gold:
        values["gold"] = user_path(gold[0]) if len(gold) == 1 else [user_path(one) for one in gold]
    unknown = [name for name in values if name not in known]
    if unknown:
        more = sorted(set(known) - {"gold", "on_missing"})
        known_here = [*known, "systems", "ignore"]
        raise InvalidInputError(
            f"files of the format {_name(form)} take no {unknown[0]}{suggestion(unknown[0], known_here)}",
            hint=f"they take {', '.join(more)}" if more else "leave it out",
        )
    if isinstance(values.get("value_column"), Mapping) and "Mapping" not in str(
        known["value_column"].annotation
    ):
        raise InvalidInputError(
            f"files of the format {_name(form)} have one task, and value_column names scores by task",
            hint="name one score: value_column=...",
            argument="value_column",
        )
    if len(gold) > 1 and "Sequence" not in str(known["gold"].annotation):
        raise InvalidInputError(f"files of the format {_name(form)} have one gold, got {len(gold)}")
    typed = {
        name: _typed(name, value, str(known[name].annotation)) if name in options else value
        for name, value in values.items()
    }
    unread = note_on_unread([file for path in paths.values() for file in unread_in(path, form)])
    content: Read = form.read(paths, **typed)
    content = dataclasses.replace(content, notes=(*unread, *content.notes))
    if clusters is None or "clusters" in known:
        return content
    if clusters not in content.clusters or content.evaluation is None:
        offered = ", ".join(content.clusters) or "none"
        raise InvalidInputError(
            f"these files have no grouping {clusters!r}", hint=f"groupings of their items: {offered}"
        )
    others = {name: groups for name, groups in content.clusters.items() if name != clusters}
    evaluation = dataclasses.replace(content.evaluation, clusters=content.clusters[clusters])
    return dataclasses.replace(content, evaluation=evaluation, clusters=others)


def _typed(name: str, value: Any, annotation: str) -> Any:
    """Return an option that came as text as what the format takes it for.

    >>> _typed("case", "true", "bool"), _typed("documents", "docs.tsv", "str | None")
    (True, 'docs.tsv')
    """
    if not isinstance(value, str):
        return value
    if "Path" in annotation:
        return user_path(value)
    if annotation.startswith("bool"):
        if value.lower() not in ("true", "false"):
            raise InvalidInputError(f"{name} must be true or false, got {value!r}", argument=name)
        return value.lower() == "true"
    if annotation.startswith(("int", "float")):
        try:
            return int(value) if annotation.startswith("int") else float(value)
        except ValueError as error:
            raise InvalidInputError(f"{name} must be a number, got {value!r}", argument=name) from error
    return value


def log_of(
    paths: str | Path | Sequence[str | Path] | Mapping[str, str | Path],
    on_missing: OnMissing = "error",
    *,
    clusters: str | None = None,
    **options: Any,
) -> Read | None:
    """Read files in a format that `format_of` recognises, with its options; None if they are tables."""
    files = by_system(named_paths(paths))
    form = format_of(files, None, texts=False)
    if form is None:
        return None
    named = {name: value for name, value in options.items() if value is not None}
    return read_format(form, files, gold=(), clusters=clusters, on_missing=on_missing, options=named)


def one_table(
    path: str | Path | Sequence[str | Path] | Mapping[str, str | Path],
    what: str,
    missing: str | Iterable[str],
    soft: Soft = Soft(),  # noqa: B008 - frozen
) -> Table:
    """Read the one table that must hold something."""
    paths = (
        [path] if isinstance(path, str | Path) else [*path.values()] if isinstance(path, Mapping) else path
    )
    if len(paths) != 1:
        raise InvalidInputError(f"{what} must be in one table, got {len(paths)} files")
    return read_table(readable_file(paths[0]), missing_texts(missing), blank=soft.blank)


def evaluation_of_format(content: Read) -> Evaluation:
    """Return the evaluation of what was read, with what the format suggests and offers."""
    if content.unpooled is not None:
        raise content.unpooled
    if content.evaluation is None:
        other = "bestby preferences" if content.preferences is not None else "bestby runs"
        raise InvalidInputError(
            f"the files were read as {content.description}: there are no items to compare the systems on",
            hint=f"use `{other}`",
        )
    read_as = Note("read_as", f"the files were read as {content.description}")
    return dataclasses.replace(
        content.evaluation,
        notes=(read_as, *content.notes, *content.evaluation.notes),
        groupings=dict(content.clusters),
        suggested=content.metric,
        called=dict.fromkeys(content.evaluation.names, "score"),  # without gold a tool logs nothing else
    )
