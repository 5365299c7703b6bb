"""The door of the room: tells wide tables, long tables and one file per system apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.typing import OnMissing
from bestby.data.columns import MISSING
from bestby.data.evaluation import Evaluation
from bestby.data.frames import is_frame
from bestby.data.layouts.annotators import names_of
from bestby.data.layouts.long import is_long, read_long
from bestby.data.layouts.soft import Soft
from bestby.data.layouts.soft_tables import gathered
from bestby.data.layouts.wide import read_wide
from bestby.data.roles import Roles
from bestby.data.table import listed
from bestby.readers import arguments
from bestby.readers.counting import Asked, read_counted
from bestby.readers.file_per_system import read_several
from bestby.readers.files import read_table
from bestby.readers.multi_file import pieces_of, single, whole_table
from bestby.readers.naming import by_system, named_paths, without_gold
from bestby.readers.opening import TABLE, evaluation_of, format_of, read_format
from bestby.results.base import Note
from bestby.vocabulary import allowed_names


def read(
    paths: str | Path | Sequence[str | Path] | Mapping[str, str | Path],
    *,
    gold: str | Path | Sequence[str | Path] | None = None,
    item: str | None = None,
    cluster: str | Sequence[str] | None = None,
    stratum: str | None = None,
    systems: Sequence[str] | None = None,
    on_missing: OnMissing = "error",
    system_column: str | None = None,
    value_column: str | None = None,
    missing: str | Iterable[str] = MISSING,
    classes: str | Sequence[Any] | None = None,
    normalise: bool = False,
    annotators: str | Sequence[str] | None = None,
    texts: bool = False,
    format: str | None = None,  # noqa: A002 - the word its users know
    stream: bool | None = None,
    **options: Any,
) -> Evaluation:
    r"""Read the predictions or per-item scores of two or more systems from files.

    A *wide* table has a row per item and a column per system. A *long* table has a row per item and
    system, with columns called system (or model, method and the like, of texts that repeat), item (or id)
    and prediction or score; other names are given with `system_column`, `item` and `value_column`. With *one
    file per system*, each is text with a value per line, a NumPy array, or a table; tables with an item
    column are joined by it. CSV, TSV, JSON Lines and Parquet are read, plain or packed with gzip or zstd.

    The gold says how values are read: as numbers or booleans if all its values are such, and as text
    otherwise ("01" is text). A value of a system that is no number is a text by itself. White space around
    values is ignored, and the note ``"labels_merged"`` names spellings that count as one label. Columns
    called gold, item (or id), cluster and stratum play that part unless the systems are chosen.

    *Soft labels*, a distribution over classes per item, are recognised where they are: arrays of shape
    (items, classes); lines of two or more numbers; columns of lists (in CSV as text, ``[0.1, 0.9]``); in a
    wide table the columns ``bert[neg]``, ``bert[pos]`` as the system bert. A table with a column per class is
    one if `classes` names them. Hard and soft columns may stand side by side.

    *Logs and other formats* are recognised by what they hold: those of evaluation tools
    (lm-evaluation-harness, Inspect, HELM, SWE-bench, alpaca_eval), CoNLL-U, BIO columns, TREC runs and qrels,
    transcripts (.trn, .stm, .ctm), segment scores of mt-metrics-eval, answers to SQuAD. The note
    ``"read_as"`` says what was recognised.

    Parameters
    ----------
    paths : path, sequence of paths or "name=path", or mapping of name to path
        One table, or one file per system; a file without a name is called as the file is. One table may lie
        in several files: a pattern such as ``preds/*.parquet``, or a folder; folders called ``lang=de`` are a
        column ``lang`` of the rows below, if it is asked for.
    gold : str or path, or sequence of them, optional
        One table: the column of the gold. One file per system: the file of the gold, or a column that all
        of them have. Without gold, the values are scores. Of texts there may be several references.
    item, cluster, stratum : str, optional
        The columns of item ids and of the groups of the items; a list of two clusters is two groupings that
        cross each other. With one file per system, the groups
        stand in the file of the gold or in those of the systems.
    systems : sequence of str, optional
        Which systems to compare; all if not given.
    on_missing : {"error", "drop", "worst"}
        What to do with items that some system has no value for.
    system_column, value_column : str, optional
        Columns of a long table: the name of the system, and the prediction or score. `value_column` serves
        tables with one file per system too.
    missing : str or iterable of str
        The texts that mean a missing value. Pass ``""`` if NA is a label.
    classes : sequence of str, or "columns", optional
        The classes, in the order of the numbers of a row; in a table the names of their columns. "columns"
        means every column that plays no other part. Without names, classes are 0 to K - 1.
    normalise : bool
        Divide every soft row by its sum; otherwise it must sum to 1.
    annotators : str or sequence of str, optional
        The gold is the labels of several annotators: their columns, in the one table or in the file of the
        gold; some labels may be missing. A single name is the column that says who labelled, in a gold
        file with a row per item and annotator.
    texts : bool
        The values are texts, also where they look like numbers, and a line of a plain file is one: for
        measures of translations, transcripts or answers.
    format : str, optional
        The format, if it is not to be recognised: "table", "texts", or the name of another one.
    stream : bool, optional
        Whether the rows of one table of labels are counted by DuckDB in a bounded memory, and only the
        distinct ones kept. By default they are from 20 million values (rows times columns, or 4 bytes of
        text) on, if there are at most a million distinct ones. Counted tables have no clusters, and no
        measures of ranks or functions of your own: these need every item, ``stream=False``. All else is the
        same, to the bit.
    **options
        What a format takes beside; an error names what it does.

    Returns
    -------
    Evaluation
        The checked data; a note ``"read_as"`` tells what was taken for what.

    Raises
    ------
    InvalidInputError
        If a file cannot be read or what it holds does not fit together.
    DesignError
        If rows are to be counted (``stream=True``) that cannot be.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "labels.csv")
    ...     _ = path.write_text("label,aen,bert\nx,x,y\ny,y,y\n", encoding="utf-8")
    ...     evaluation = read(path, gold="label")
    >>> evaluation.names, evaluation.gold.tolist()
    (('aen', 'bert'), ['x', 'y'])
    >>> print(evaluation.notes[0].message)
    labels.csv was read as a wide table; systems: aen, bert; gold: label
    """
    if is_frame(paths):
        raise InvalidInputError(
            f"read takes files, got a data frame ({type(paths).__name__})",
            hint='pass the frame itself: bestby.compare(frame, gold="label")',
        )
    checks.choice(on_missing, allowed_names("on_missing", "readers"), "on_missing")
    arguments.check(
        paths, gold, missing=missing, classes=classes, item=item, cluster=cluster, stratum=stratum,
        systems=systems, system_column=system_column, value_column=value_column, annotators=annotators,
        format=format,
    )  # fmt: skip
    if cluster is not None and not isinstance(cluster, str):
        again: dict[str, Any] = {
            "gold": gold,
            "item": item,
            "stratum": stratum,
            "systems": systems,
            "on_missing": on_missing,
            "system_column": system_column,
            "value_column": value_column,
            "missing": missing,
            "classes": classes,
            "normalise": normalise,
            "annotators": annotators,
            "texts": texts,
            "format": format,
            "stream": stream,
            **options,
        }
        return _crossed([read(paths, cluster=one, **again) for one in _one_or_two(cluster)])
    empty = frozenset(text.strip() for text in ([missing] if isinstance(missing, str) else missing)) | {""}
    if systems is not None:
        _check_distinct(systems)
    pieces = pieces_of(paths) if format in (None, TABLE) else None
    files = named_paths(paths) if pieces is None else Path(pieces.source)
    golds = [] if gold is None else [gold] if isinstance(gold, str | Path) else list(gold)
    files = without_gold(files, golds)
    form = None if pieces is not None else format_of(by_system(files), format, texts=texts)
    if stream and (form is not None or isinstance(files, Mapping)):
        raise DesignError(
            "only one wide table can be counted, and these are files of another kind",
            hint="leave stream=True (--stream) out",
        )
    if form is not None:
        columns = {
            "item": item,
            "stratum": stratum,
            "system_column": system_column,
            "value_column": value_column,
        }
        found = read_format(
            form,
            by_system(files),
            gold=golds,
            cluster=cluster,
            on_missing=on_missing,
            options={**options, **{name: column for name, column in columns.items() if column is not None}},
        )
        evaluation = evaluation_of(found)
        return evaluation if systems is None else _only(evaluation, systems)
    if options:
        raise InvalidInputError(f"a table takes no {next(iter(options))}")
    if len(golds) > 1:
        for one in golds:
            if Path(one).name != str(one) or Path(one).suffix:  # no column is called so
                readable_file(one)
        raise InvalidInputError(
            f"a table has one gold, got {len(golds)}: {listed([str(one) for one in golds])}",
            hint="several golds are references for a measure of texts; labels of people are annotators=...",
        )
    soft = dataclasses.replace(Soft.of(classes, normalise), texts=texts)
    roles = Roles(str(golds[0]) if golds else None, item, cluster, stratum, names_of(annotators))
    if isinstance(files, Mapping):
        if system_column is not None:
            raise InvalidInputError(
                "a system column belongs to a long table, but there is one file per system",
                hint="give one table, or leave the system column out",
            )
        chosen = _chosen(files, systems)
        evaluation, told = read_several(
            chosen, roles, on_missing, value_column=value_column, missing=empty, soft=soft
        )
        return _noted(evaluation, f"The files were read as {told}", soft)
    _check_annotators(roles)
    kept = {*(systems or ()), *(name for _, name in roles.named()), system_column, value_column}
    source = files.name if pieces is None else pieces.source
    pieces = single(files) if pieces is None and stream is not False else pieces
    if pieces is not None and stream is not False and system_column is None and value_column is None:
        asked = Asked(roles, systems, on_missing, empty, soft, frozenset(kept))
        counted = read_counted(pieces, asked, stream)
        if counted is not None:
            return _noted(counted[0], f"{source} was read as {counted[1]}", soft)
    elif stream:
        raise DesignError("a long table cannot be counted", hint="leave stream=True (--stream) out")
    whole = read_table(readable_file(files), empty) if pieces is None else whole_table(pieces, empty, kept)
    table = gathered(whole, soft, kept, item)
    if system_column is not None or value_column is not None or is_long(table, roles, systems, soft):
        evaluation, told = read_long(
            table,
            roles,
            systems,
            on_missing,
            system_column=system_column,
            value_column=value_column,
            soft=soft,
        )
    else:
        evaluation, told = read_wide(table, roles, systems, on_missing, soft)
    return _noted(evaluation, f"{source} was read as {told}", soft)


def _only(evaluation: Evaluation, systems: Sequence[str]) -> Evaluation:
    for name in systems:
        if name not in evaluation.systems:
            raise InvalidInputError(
                f"the files have no system {name!r}", hint=f"systems: {', '.join(evaluation.names)}"
            )
    return dataclasses.replace(
        evaluation,
        systems={name: evaluation.systems[name] for name in systems},
        missing={name: mask for name, mask in evaluation.missing.items() if name in systems},
    )


def _one_or_two(clusters: Sequence[str]) -> Sequence[str]:
    if not 1 <= len(clusters) <= 2 or len(set(clusters)) < len(clusters):
        raise InvalidInputError(
            f"clusters are one grouping of the items, or two that cross each other, got {listed(clusters)}",
            hint="name one column, or two",
        )
    return clusters


def _crossed(readings: Sequence[Evaluation]) -> Evaluation:
    """Return the first reading, with the clusters of the second as the grouping that crosses its own."""
    first, *others = readings
    if not others:
        return first
    crossed = others[0].clusters
    groupings = {
        name: groups
        for name, groups in first.groupings.items()
        if crossed is None or not np.array_equal(groups, crossed)
    }
    return dataclasses.replace(first, crossed=crossed, groupings=groupings)


def _check_annotators(roles: Roles) -> None:
    """Refuse what makes no sense in one table of all systems."""
    if roles.annotators and roles.gold is not None:
        raise InvalidInputError(
            f"the gold is either column {roles.gold!r} or made of the labels of annotators"
            f" ({listed(roles.annotators)})",
            hint="leave one of the two out",
        )
    if len(roles.annotators) == 1:
        raise InvalidInputError(
            f"column {roles.annotators[0]!r} says who labelled, so it needs a row per item and annotator, in"
            " a gold file beside one file per system",
            hint="name at least two columns if each holds the labels of one annotator",
        )


def _check_distinct(systems: Sequence[str]) -> None:
    if isinstance(systems, str):
        raise InvalidInputError(
            f"systems must be a list of names, got {systems!r}", hint=f"pass [{systems!r}, ...]"
        )
    for name in systems:
        if list(systems).count(name) > 1:
            raise InvalidInputError(f"system {name!r} was asked for {list(systems).count(name)} times")


def _chosen(files: Mapping[str, str | Path], systems: Sequence[str] | None) -> dict[str, str | Path]:
    for name in systems or ():
        if name not in files:
            raise InvalidInputError(
                f"no file was given for system {name!r}", hint=f"given: {', '.join(files)}"
            )
    return dict(files) if systems is None else {name: files[name] for name in systems}


def _noted(evaluation: Evaluation, told: str, soft: Soft) -> Evaluation:
    values = {**evaluation.systems, **({} if evaluation.gold is None else {"gold": evaluation.gold})}
    rows = [name for name, column in values.items() if column.ndim == 2]
    if not rows:
        checks.refuse_unused(
            "hard labels and scores: only soft labels are normalised", normalise=(soft.normalise, False)
        )
    if rows and evaluation.classes is not None:
        told += f"; distributions over the classes {listed([str(name) for name in evaluation.classes])}"
        told += f": {listed(rows)}" + ("; every row divided by its sum" if soft.normalise else "")
    return dataclasses.replace(evaluation, notes=(Note("read_as", told), *evaluation.notes))
