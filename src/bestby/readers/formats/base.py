"""The formats of tools: what each gives, which one files are in, and how they become an evaluation."""

from __future__ import annotations

import codecs
import dataclasses
import gzip
import inspect
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.paths import is_directory, is_file, readable, readable_file, user_path
from bestby._core.text import suggestion
from bestby._core.typing import Array, OnMissing
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.runs import Cells
from bestby.data.roles import listed
from bestby.metrics.base import BaseMetric
from bestby.readers.archives import unpacking
from bestby.readers.database import lines
from bestby.readers.files import kind_of
from bestby.readers.paths import (
    GivenName,
    by_system,
    default_names,
    files_in,
    left_out,
    named_paths,
    note_on_unread,
)
from bestby.readers.text import HEAD, MOST_LINES
from bestby.results.base import Note

FORMATS: tuple[str, ...] = (
    *("lm_eval", "inspect_logs", "helm", "swe_bench", "alpaca_eval", "judged_pairs", "promptfoo"),
    *("deepeval", "openai_evals", "tau_bench", "mteb", "lighteval", "langsmith", "langfuse"),
    *("pydantic_evals", "braintrust", "phoenix", "human_eval", "bfcl", "ragas", "monitor_files"),
    *("pairs", "cv_results", "experiment_csv", "squad", "transcripts", "trec", "conllu_files"),
    *("mt_metrics_eval", "bio"),
)
"""The modules that read a format, in the order in which they are asked.

Plain texts (`texts`) are not among them: nothing in a line tells a segment of text from a label.
"""

ELSEWHERE = {"monitor_files": "bestby.questions.monitor.settings", "pairs": "bestby.readers.pairs"}
"""The modules of formats that are no files of tools: what one question writes and reads, and tables."""

DIRECTORY_FORMATS = FORMATS[: FORMATS.index("pairs")]
"""Those whose tools write a directory of files, which may be given as a whole."""


@dataclass(frozen=True, eq=False)
class Read:
    """What was read: systems on items, on several datasets, or several runs of them.

    `description` fits after "was read as" (note ``"read_as"``). Beside `runs`, the score of an item of
    `evaluation` is its mean over the runs; beside `datasets`, it has their items pooled, with the datasets as
    strata; where their metrics have no common mean, `unpooled` says so in place of it, and each suggests its
    own. `metric` is what the format suggests (for a score per run, the name of the score);
    `greater_is_better` is the direction of the scores of the runs. `preferences` are columns of judgements.
    `clusters` are the groupings not used, `quantities` what else the items took, by the names it is asked by.
    `cells` returns every sample, as `Runs.cells` does.
    """

    description: str
    evaluation: Evaluation | None = None
    runs: Mapping[str, Any] | None = None
    datasets: Mapping[str, Evaluation] | None = None
    preferences: Mapping[str, Sequence[Any]] | None = None
    metric: str | BaseMetric | None = None
    greater_is_better: bool | None = None
    clusters: Mapping[str, Array] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    unpooled: InvalidInputError | None = None
    quantities: tuple[str, ...] = ()
    cells: Cells | None = None

    @property
    def n_items(self) -> int:
        """The number of items; 0 without an evaluation."""
        return 0 if self.evaluation is None else self.evaluation.n_items


class Format(Protocol):
    """What a module of this package must have to be a format."""

    def recognises(self, path: Path, head: bytes) -> bool:
        """Tell whether a file is in this format, from its first bytes before its name; never raises."""

    @property
    def read(self) -> Callable[..., Read]:
        """Read files by the names of their systems; `read_format` gives what a format takes by keyword."""


@dataclass(frozen=True)
class File:
    """One file of a system: its path, the name of the system, and whether the user gave that name.

    A directory gives its files its name, too; `explicit` says that the user wrote the name.
    """

    path: Path
    name: str
    named: bool
    explicit: bool = False


def head_of(path: Path, size: int = HEAD) -> bytes:
    """Return the first bytes of what a file holds, unpacked, without a byte order mark; b"" if unreadable."""
    if not is_file(path):  # to open a pipe would wait for its writer
        return b""
    try:
        with path.open("rb") as stream:
            start = stream.read(4)
        if start == b"\x28\xb5\x2f\xfd":
            head = "\n".join(lines(path, "zstd", MOST_LINES)).encode()[:size]
        else:
            with gzip.open(path, "rb") if start[:2] == b"\x1f\x8b" else path.open("rb") as stream:
                head = stream.read(size)
    except (InvalidInputError, OSError, EOFError, ValueError, zlib.error):
        return b""
    return head.removeprefix(codecs.BOM_UTF8)


def format_called(name: str) -> Format:
    """Return the module of a format."""
    return cast(Format, import_module(ELSEWHERE.get(name, f"bestby.readers.formats.{name}")))


def format_in(path: str | Path) -> Format | None:
    """Return the format that a file is in, or the files of a directory are; None if in none of these."""
    place = Path(path)
    if not is_directory(place):
        return _first(place, FORMATS)
    return next((form for file in files_in(place) if (form := _first(file, DIRECTORY_FORMATS))), None)


def _first(file: Path, names: Sequence[str]) -> Format | None:
    """Return the first of some formats that a file is in."""
    for place, head in enumerate(_heads(file)):
        for name in DIRECTORY_FORMATS if place else names:  # only these keep keys behind long texts
            form = format_called(name)
            if form.recognises(file, head):
                return form
    return None


def _heads(file: Path) -> Iterator[bytes]:
    """Yield the first bytes of a file, then more of them if it is JSON that goes on."""
    head = head_of(file)
    yield head
    if len(head) >= HEAD - len(codecs.BOM_UTF8) and head.lstrip()[:1] in (b"{", b"["):
        # How many bytes of JSON are looked at where the texts of one record may fill the first ones
        yield head_of(file, 1 << 22)


def _is_in(recognises: Callable[[Path, bytes], bool], file: Path) -> bool:
    return any(recognises(file, head) for head in _heads(file))


def files_of(paths: Mapping[str, Path], recognises: Callable[[Path, bytes], bool]) -> list[File]:
    """Return the files under each name; of a directory those in the format.

    A name of a directory always tells its files apart, also where the user did not give it.
    """
    files = []
    for name, path in paths.items():
        is_folder = is_directory(path)
        is_explicit = isinstance(name, GivenName) or name not in default_names(path)
        chosen = [path]
        if is_folder:
            chosen = [one for one in files_in(path) if _is_in(recognises, one)]
        if not chosen:
            raise InvalidInputError(f"{path} holds no file in this format", hint="name the files themselves")
        files += [
            File(readable_file(one), str(name), is_folder or is_explicit, is_explicit) for one in chosen
        ]
    if not files:
        raise InvalidInputError("no file was given", hint="give one file per system: name=path")
    return files


def unread_in(path: Path, form: Format | None = None) -> list[Path]:
    """Return the files of data in a directory that are not in a format, but for those that belong beside it.

    None of them may be damaged: it could have been in the format.
    """
    if not is_directory(path):
        return []
    there = files_in(path)
    logs = {file for file in there if form is not None and _is_in(form.recognises, file)}
    return left_out([file for file in there if file not in logs], logs, getattr(form, "SIBLINGS", ()))


def check_available(name: str, known: Iterable[str], what: str, where: object) -> None:
    """Refuse the name of something that a file does not hold."""
    if name not in known:
        available = listed(list(known)) or "none"
        raise InvalidInputError(f"{where}: no {what} {name!r}", hint=f"available {what}s: {available}")


def need_gold(gold: Path | None, what: str) -> Path:
    """Return the file of the gold, or ask for it."""
    if gold is None:
        raise InvalidInputError(f"{what} need a gold file", hint="name it: gold=...")
    return gold


def no_grouping(name: str, known: Iterable[str]) -> InvalidInputError:
    """Return the error for a grouping of the items that files do not have."""
    groupings = listed([*dict.fromkeys(known)])
    hint = f"groupings in these files: {groupings}" if groupings else "these files have no groupings"
    return InvalidInputError(f"there is no grouping {name!r} of the items", hint)


@dataclass(frozen=True, eq=False)
class Items:
    """Items of systems and their gold, as `Evaluation.of` takes them, with what a `Read` says of them.

    `groups` has by the name of a grouping the group of each item, by its id or in their order. `cluster` is
    the grouping that is used unless another one is named.
    """

    description: str
    systems: Mapping[str, Any]
    gold: Any
    groups: Mapping[str, Any]
    metric: str
    notes: tuple[Note, ...] = ()
    objects: bool = True
    cluster: str | None = None

    def evaluated(self, on_missing: OnMissing, cluster: str | None) -> Read:
        """Return the evaluation, with the notes after its own, and the groupings that it does not use."""
        if cluster is not None and cluster not in self.groups:
            raise no_grouping(cluster, self.groups)
        used = cluster or self.cluster
        evaluation = Evaluation.of(
            self.systems,
            self.gold,
            clusters=None if used is None else self.groups[used],
            on_missing=on_missing,
            objects=self.objects,
        )
        ids = [] if evaluation.items is None else evaluation.items.tolist()
        clusters = {
            name: np.asarray([group[item] for item in ids] if isinstance(group, Mapping) else list(group))
            for name, group in self.groups.items()
            if name != used
        }
        evaluation = dataclasses.replace(evaluation, notes=(*evaluation.notes, *self.notes))
        return Read(self.description, evaluation, metric=self.metric, clusters=clusters)


def of_items(items_of: Callable[..., Items]) -> Callable[..., Read]:
    """Return what reads files as an evaluation, by what reads them as items."""

    @wraps(items_of)
    def read(
        paths: Mapping[str, Path],
        *,
        on_missing: OnMissing = "error",
        clusters: str | None = None,
        **options: Any,
    ) -> Read:
        return items_of(paths, **options).evaluated(on_missing, clusters)

    # `read_format` asks the signature which options there are: those of the format, and these two.
    own = inspect.signature(items_of)
    _, *shared, _ = inspect.signature(read, follow_wrapped=False).parameters.values()
    vars(read)["__signature__"] = own.replace(parameters=[*own.parameters.values(), *shared])
    return read


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
    formats = {readable(path): format_in(path) for path in paths.values()}
    beside = [path for path in map(user_path, golds) if is_file(path)]
    formats = _with_others(formats, beside, texts=texts)
    trec: Any = format_called("trec")
    if unsure := [path for path, form in formats.items() if _format_name(form) in (TABLE, "transcripts")]:
        trec.check_columns(unsure, beside)
    kinds = list(formats.values())
    if any(kind is not kinds[0] for kind in kinds):
        for path in (path for path, kind in formats.items() if kind is None):
            unread_in(path)  # what is damaged there is why it is in no format
        shown = ", ".join(f"{path}: {_format_name(kind)}" for path, kind in list(formats.items())[:4])
        raise InvalidInputError(
            f"the files are in different formats ({shown})", hint=_which_to_leave_out(formats)
        )
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
    among_tags = bio in (*formats.values(), *map(format_in, golds))
    # Segments and their references may be as long as each other.
    if texts and golds and not among_tags:
        return dict(formats)
    return {
        path: bio if form is None and bio.holds_tags(head_of(path), among_tags=among_tags) else form
        for path, form in formats.items()
    }


def formats_with(option: str) -> list[str]:
    """Return the names of the formats that take an option."""
    return [name for name in FORMATS if option in inspect.signature(format_called(name).read).parameters]


def _which_to_leave_out(formats: Mapping[Path, Format | None]) -> str:
    """Return what to do about files of different formats: which to leave out, if most are in one."""
    kinds = list(formats.values())
    most = max(kinds, key=kinds.count)
    others = [str(path) for path, kind in formats.items() if kind is not most]
    if len(others) < len(kinds) - len(others):
        return f"leave {listed(others, 3)} out, or say which format it is: format=..."
    return "give files of one format, or say which it is: format=..."


def _format_name(form: Format | None) -> str:
    return TABLE if form is None else str(getattr(form, "__name__", "")).rpartition(".")[2]


def read_format(
    form: Format,
    paths: Mapping[str, Path],
    gold: Sequence[str | Path] = (),
    /,
    *,
    on_missing: OnMissing = "error",
    **options: Any,
) -> Read:
    """Read files of one format; `options` that it does not know are an error, unless they are None."""
    parameters = inspect.signature(form.read).parameters.values()
    known = {one.name: str(one.annotation) for one in parameters if one.kind is one.KEYWORD_ONLY}
    values = {name: value for name, value in options.items() if value is not None}
    if gold:
        values["gold"] = user_path(gold[0]) if len(gold) == 1 else [user_path(one) for one in gold]
    files = f"files of the format {_format_name(form)}"
    unknown = next((name for name in values if name not in known), None)
    if unknown is not None:
        more = sorted({*known} - {"gold", "on_missing"})
        raise InvalidInputError(
            f"{files} take no {unknown}{suggestion(unknown, [*known, 'systems', 'ignore'])}",
            hint="leave it out" + (f"; they take {', '.join(more)}" if more else ""),
        )
    if isinstance(values.get("value_column"), Mapping) and "Mapping" not in known["value_column"]:
        raise InvalidInputError(
            f"{files} have one task, and value_column names scores by task",
            hint="name one score: value_column=...",
            argument="value_column",
        )
    if len(gold) > 1 and "Sequence" not in known["gold"]:
        raise InvalidInputError(f"{files} have one gold, got {len(gold)}")
    values = {name: _typed_option(name, value, known[name]) for name, value in values.items()}
    if "on_missing" in known:
        values["on_missing"] = on_missing
    unread = note_on_unread([file for path in paths.values() for file in unread_in(path, form)])
    content: Read = form.read(paths, **values)
    return dataclasses.replace(content, notes=(*unread, *content.notes))


def _typed_option(name: str, value: Any, annotation: str) -> Any:
    """Return an option that came as text as what the format takes it for.

    >>> _typed_option("case", "true", "bool"), _typed_option("documents", "docs.tsv", "str | None")
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
    return value


@unpacking
def read_log(
    paths: str | Path | Sequence[str | Path] | Mapping[str, str | Path],
    on_missing: OnMissing = "error",
    **options: Any,
) -> Read | None:
    """Read files in a format that `format_of` recognises, with its options; None if they are tables."""
    files = by_system(named_paths(paths))
    form = format_of(files, None, texts=False)
    if form is None:
        return None
    return read_format(form, files, on_missing=on_missing, **options)


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
    notes = [Note("read_as", f"the files were read as {content.description}"), *content.notes]
    if content.datasets is not None and len(content.datasets) > 1:
        what = f"the items of {len(content.datasets)} datasets count as one test set here, in which a dataset"
        other = "compare_datasets (bestby datasets) weighs every dataset alike and shows each"
        notes.append(Note("datasets_as_one", f"{what} with more items counts more; {other}"))
    return dataclasses.replace(
        content.evaluation,
        notes=(*notes, *content.evaluation.notes),
        groupings=dict(content.clusters),
        suggested=content.metric,
        quantities=content.quantities,
        called=dict.fromkeys(content.evaluation.names, "score"),  # without gold a tool logs nothing else
    )
