"""Reading of predictions and scores: wide tables, long tables, one file per system, other formats."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.arrays import is_frame
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import unknown_keyword, with_suggestions
from bestby._core.paths import is_file, readable_file
from bestby._core.typing import OnMissing
from bestby.data.alignment import chosen_names
from bestby.data.columns import MISSING
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.assemble import annotator_names
from bestby.data.layouts.items import evaluation_of, with_reading_note
from bestby.data.roles import Roles, TableOptions, listed
from bestby.data.table import Table
from bestby.readers import arguments
from bestby.readers.files import check_header, holds_values_only, read_table
from bestby.readers.formats.base import Format
from bestby.readers.joined_files import holds_systems, is_gold_beside, read_file_per_system, with_gold
from bestby.readers.large_tables import read_counted
from bestby.readers.multi_file import Pieces, pieces_of, single, whole_table
from bestby.readers.opening import TABLE, evaluation_of_format, format_of, formats_with, read_format
from bestby.readers.paths import by_system, named_paths, note_on_unread, without_gold
from bestby.results.base import Note
from bestby.vocabulary import allowed_names


@with_suggestions
def read(
    paths: str | Path | Sequence[str | Path] | Mapping[str, str | Path],
    *,
    gold: str | Path | Sequence[str | Path] | None = None,
    systems: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    items: str | Sequence[str] | None = None,
    system_column: str | None = None,
    value_column: str | Mapping[str, str] | None = None,
    clusters: str | Sequence[str] | None = None,
    strata: str | None = None,
    by: str | Sequence[str] | None = None,
    on_missing: OnMissing = "error",
    classes: str | Sequence[Any] | None = None,
    normalise: bool = False,
    annotators: str | Sequence[str] | None = None,
    missing: str | Iterable[str] = MISSING,
    texts: bool = False,
    label_sets: bool = False,
    label_separator: str | None = None,
    format: str | None = None,  # noqa: A002 - the word its users know
    stream: bool | None = None,
    **options: Any,
) -> Evaluation:
    r"""Read the predictions or per-item scores of one system or several from files.

    A *wide* table has a row per item and a column per system. A *long* table has a row per item and system,
    with columns called system (or model, method and the like, of texts that repeat), item (or id) and
    prediction or score; other names are given with `system_column`, `items` and `value_column`. With *one
    file per system*, each is text with a value per line, a NumPy array, a JSON object of item id to value,
    or a table; what has item ids is joined by them. CSV, TSV, JSON Lines and Parquet are read, plain or
    packed with gzip or zstd.

    The gold says how values are read: as numbers or booleans if all its values are such, and as text
    otherwise ("01" is text). A value of a system that is no number is a text by itself. White space around
    values is ignored, and the note ``"labels_merged"`` names spellings that count as one label. Columns
    called gold, item (or id), cluster and stratum play that part unless the systems are chosen; the note
    ``"read_as"`` says then which were not used.

    *Soft labels*, a distribution over classes per item, are recognised where they are: arrays of shape
    (items, classes); lines of two or more numbers; columns of lists (in CSV as text, ``[0.1, 0.9]``); in a
    wide table the columns ``bert[neg]``, ``bert[pos]`` as the system bert. A table with a column per class is
    one if `classes` names them. Hard and soft columns may stand side by side.

    *Sets of labels*, any number per item, are lists of labels (JSON Lines, Parquet, in CSV as text,
    ``['x', 'y']``), rows of 0 and 1 in every form of soft labels, or texts that `label_separator` cuts.

    *Logs and other formats* are recognised by what they hold: those of evaluation tools
    (lm-evaluation-harness, Inspect, HELM, SWE-bench, alpaca_eval, promptfoo, DeepEval, OpenAI evals,
    tau-bench, MTEB, lighteval, LangSmith, Langfuse), CoNLL-U, BIO columns, TREC runs and qrels, transcripts
    (.trn, .stm, .ctm), segment scores of mt-metrics-eval, answers to SQuAD. The note ``"read_as"`` says what
    was recognised.

    Parameters
    ----------
    paths : path, sequence of paths or "name=path", or mapping of name to path
        One table, or one file per system; a file without a name is called as the file is. One table may lie
        in several files: a pattern such as ``preds/*.parquet``, or a folder; folders called ``lang=de`` are a
        column ``lang`` of the rows below, if it is asked for.
    gold : str or path, or sequence of them, optional
        One table: the column of the gold, or a file of it, joined by item id (by line where neither has ids).
        One file per system: the file of the gold, or a column that all of them have. Without gold, the values
        are scores. Of texts there may be several references.
    systems, ignore : str or sequence of str, optional
        Which systems to read (all by default), and the columns of a table that are not systems, or systems
        of several files to leave out, by name or pattern (``"gpt-*"``).
    items, clusters, strata : str, optional
        The columns of item ids and of the groups of the items. Several columns may make an item id together:
        ``items=["task", "id"]``; a list of two clusters is two groupings that cross each other. If the gold
        is a file, the groups stand in it or in the files of the systems.
    system_column : str, optional
    value_column : str or mapping of str to str, optional
        Columns of a long table: the name of the system, and the prediction or score. `value_column` serves
        tables with one file per system too. Of the logs of a tool it is the metric, or a mapping of tasks, or
        patterns of them, to the metric of each: ``{"gsm8k": "exact_match", "mmlu_*": "acc"}``.
    by : str or sequence of str, optional
        Columns of the items by which `compare_slices` can slice them. One of them may be the gold, too.
    on_missing : {"error", "drop", "worst"}
        What to do with items that some system has no value for.
    classes : sequence of str, or "columns", optional
        The classes, in the order of the numbers of a row; in a table the names of their columns. "columns"
        means every column that plays no other part. Without names, classes are 0 to K - 1.
    normalise : bool
        Divide every soft row by its sum; otherwise it must sum to 1.
    annotators : str or sequence of str, optional
        The gold is the labels of several annotators: their columns, in the one table of all systems, or in
        the file of the gold; some labels may be missing. A single name is the column that says who labelled,
        in a gold file with a row per item and annotator.
    missing : str or iterable of str
        The texts that mean a missing value. Pass ``""`` if NA is a label.
    texts : bool
        The values are texts, also where they look like numbers, and a line of a plain file is one: for
        metrics of translations, transcripts or answers.
    label_sets : bool
        The values are sets of labels, as multi-label metrics read them, also where each item has one label or
        nothing else tells. Lists of labels and rows of 0 and 1 are recognised otherwise.
    label_separator : str, optional
        What separates the labels of an item in one cell or line, such as ``"|"``; a blank one is an item
        without labels, and not a missing value.
    format : str, optional
        The format, if it is not to be recognised: "table", "texts", or the name of another one.
    stream : bool, optional
        Whether the rows of one table of labels are counted by DuckDB in a bounded memory, and only the
        distinct ones kept. By default they are from 20 million values (rows times columns, or 4 bytes of
        text) on, if there are at most a million distinct ones. Counted tables have no clusters, and no
        metrics of ranks or functions of your own: these need every item, ``stream=False``. All else is the
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

    See Also
    --------
    compare : Compare the systems that were read.
    evaluate : Their scores, without a comparison.
    read_runs : Several runs of each system.
    read_datasets : Results on several datasets.
    read_folds : Results of cross-validation.

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
        paths, gold, missing=missing, classes=classes, items=items, clusters=clusters, strata=strata,
        systems=systems, ignore=ignore, system_column=system_column, value_column=value_column,
        annotators=annotators, format=format,
    )  # fmt: skip
    if systems is not None:
        systems = checks.valid_name_list(systems, "systems")
        _check_distinct(systems)
    golds = [] if gold is None else [gold] if isinstance(gold, str | Path) else list(gold)
    table_options = TableOptions.of(
        str(golds[0]) if golds else None,
        items,
        clusters,
        strata,
        annotators=annotator_names(annotators),
        slices=() if by is None else checks.valid_name_list(by, "by"),
        systems=systems,
        ignore=ignore,
        on_missing=on_missing,
        system_column=system_column,
        value_column=value_column,
        soft=arguments.soft(classes, normalise, texts, label_sets, label_separator),
        missing=arguments.missing_texts(missing),
    )
    return _read_files(paths, golds, format, table_options, options, stream)


def _read_files(
    paths: Any,
    golds: Sequence[str | Path],
    format: str | None,  # noqa: A002
    options: TableOptions,
    others: Mapping[str, Any],
    stream: bool | None,
) -> Evaluation:
    """Read files as what they are: of a format, one file per system, or one table."""
    pieces = pieces_of(paths) if format in (None, TABLE) else None
    files = without_gold(named_paths(paths) if pieces is None else Path(pieces.source), golds)
    form = (
        None
        if pieces is not None
        else format_of(by_system(files), format, texts=options.soft.texts, golds=golds)
    )
    table = None
    if form is None and not isinstance(files, Mapping) and (pieces is None or len(pieces.pieces) == 1):
        file = files if pieces is None else pieces.paths[0]
        is_one, table = _is_one_system(file, options)
        files = by_system(file) if is_one else files
    if stream and (form is not None or isinstance(files, Mapping)):
        raise DesignError(
            "only one wide table can be counted, and these are files of another kind",
            hint="leave stream=True out",
        )
    if form is not None:
        return _from_format(form, by_system(files), golds, options, others)
    _refuse_options(others)
    arguments.refuse_by_task(options.value_column)
    _check_one_gold(golds)
    if isinstance(files, Mapping):
        evaluation = _from_files(files, options)
    else:
        evaluation = _from_table(files, pieces, table, options, stream)
    unread = () if pieces is None else note_on_unread(pieces.others)
    return dataclasses.replace(evaluation, notes=(*evaluation.notes, *unread))


def _from_format(
    form: Format,
    files: Mapping[str, Path],
    golds: Sequence[str | Path],
    options: TableOptions,
    others: Mapping[str, Any],
) -> Evaluation:
    """Read the files of an evaluation tool or of another format."""
    roles = options.roles
    if options.item_columns:
        raise InvalidInputError(
            f"item ids of several columns ({listed(options.item_columns)}) are for tables",
            hint="these files have ids of their own: leave items out",
        )
    columns = {
        "items": roles.item,
        "strata": roles.stratum,
        "system_column": options.system_column,
        "value_column": options.value_column,
    }
    named = {**others, **{name: column for name, column in columns.items() if column is not None}}

    def with_clusters(clusters: str | None) -> Evaluation:
        content = read_format(
            form, files, gold=golds, clusters=clusters, on_missing=options.on_missing, options=named
        )
        return evaluation_of_format(content)

    evaluation = with_clusters(roles.cluster)
    if roles.crossed is not None:
        crossed = with_clusters(roles.crossed).clusters
        assert crossed is not None
        others = {n: g for n, g in evaluation.groupings.items() if not np.array_equal(g, crossed)}
        evaluation = dataclasses.replace(evaluation, crossed=crossed, groupings=others)
    if options.systems is None and not options.ignore:
        return evaluation
    return evaluation.with_systems(
        chosen_names(evaluation.names, options.systems, options.ignore, "the files")
    )


def _refuse_options(options: Mapping[str, Any]) -> None:
    """Refuse options of a format where tables are read."""
    for word in options:
        formats = formats_with(word)
        if not formats:
            raise unknown_keyword(read, word)
        raise InvalidInputError(
            f"a table takes no {word}",
            hint=f"leave it out: it is for files of the format {', '.join(formats)}",
        )


def _check_one_gold(golds: Sequence[str | Path]) -> None:
    if len(golds) > 1:
        for one in golds:
            if Path(one).name != str(one) or Path(one).suffix:  # no column is called so
                readable_file(one)
        raise InvalidInputError(
            f"a table has one gold, got {len(golds)}: {listed([str(one) for one in golds])}",
            hint="several golds are references for a metric of texts; labels of people are annotators=...",
        )


def _from_files(files: Mapping[str, str | Path], options: TableOptions) -> Evaluation:
    """Read one file per system."""
    if options.system_column is not None:
        raise InvalidInputError(
            "a system column belongs to a long table, but there is one file per system",
            hint="give one table, or leave the system column out",
        )
    names = chosen_names([*files], options.systems, options.ignore, "the files")
    options = dataclasses.replace(options, ignore=())
    evaluation, description = read_file_per_system({name: files[name] for name in names}, options)
    return with_reading_note(evaluation, f"The files were read as {description}", options.soft)


def _is_one_system(file: Path, options: TableOptions) -> tuple[bool, Table | None]:
    """Tell whether a file holds one system: values without a name, or a table whose gold is another file.

    Returns its table too, if it was read to tell.
    """
    if holds_values_only(readable_file(file), options.missing, options.soft):
        return True, None
    gold = options.roles.gold
    if gold is None or not is_file(gold):
        return False, None
    table = read_table(file, options.missing, blank=options.soft.blank)
    return is_gold_beside(table, options) and not holds_systems(table, options), table


def _from_table(
    file: Path, pieces: Pieces | None, table: Table | None, options: TableOptions, stream: bool | None
) -> Evaluation:
    """Read one table, which may lie in several files."""
    source = file.name if pieces is None else pieces.source
    parts = single(file) if pieces is None else pieces
    named = options.columns or options.soft.classes is not None or options.soft.every_column
    doubt = None if named or parts.form != "delimited" else check_header(parts.paths[0])
    evaluation = None
    if stream is not False and options.system_column is options.value_column is None:
        counted = read_counted(parts, options, stream)
        if counted is not None:
            evaluation = with_reading_note(counted[0], f"{source} was read as {counted[1]}", options.soft)
    elif stream:
        raise DesignError("a long table cannot be counted", hint="leave stream=True out")
    if evaluation is None:
        if pieces is not None:
            table = whole_table(pieces, options.missing, options.columns, blank=options.soft.blank)
        elif table is None:
            table = read_table(file, options.missing, blank=options.soft.blank)
        evaluation = _evaluation_of(table, options, source)
    notes = () if doubt is None else (Note("numbers_as_names", doubt),)
    return dataclasses.replace(evaluation, notes=(*evaluation.notes, *notes))


def _evaluation_of(table: Table, options: TableOptions, source: str) -> Evaluation:
    """Make an evaluation of a table that has its gold, or whose gold is another file."""
    if not is_gold_beside(table, options):
        _check_annotators(options.roles)
        return evaluation_of(table, options, source)
    table, options, joined = with_gold(table, options)
    evaluation = evaluation_of(table, options, source)
    read_as, *others = evaluation.notes
    read_as = dataclasses.replace(read_as, message=f"{read_as.message}; {joined}")
    return dataclasses.replace(evaluation, notes=(read_as, *others))


def _check_annotators(roles: Roles) -> None:
    """Refuse what makes no sense in one table of all systems and the gold."""
    if roles.annotators and roles.gold is not None:
        raise InvalidInputError(
            f"the gold is either column {roles.gold!r} or made of the labels of annotators"
            f" ({listed(roles.annotators)})",
            hint="leave one of the two out",
        )
    if len(roles.annotators) == 1:
        raise InvalidInputError(
            f"column {roles.annotators[0]!r} says who labelled, so it needs a row per item and annotator, in"
            " a file of the gold",
            hint="name at least two columns if each holds the labels of one annotator",
        )


def _check_distinct(systems: Sequence[str]) -> None:
    for name, times in Counter(systems).items():
        if times > 1:
            raise InvalidInputError(f"system {name!r} is named {times} times")
