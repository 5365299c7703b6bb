"""Reading of predictions and scores: wide tables, long tables, one file per system, other formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.arrays import is_frame
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import unknown_keyword, with_suggestions
from bestby._core.paths import is_file, readable_file
from bestby._core.typing import FloatArray, OnMissing
from bestby.data.alignment import chosen_names
from bestby.data.columns import MISSING
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.assemble import annotator_names
from bestby.data.layouts.datasets import Cells, FoldScores, Named, RunCells, datasets_of, folds_of
from bestby.data.layouts.items import evaluation_of, with_reading_note
from bestby.data.layouts.runs import Runs, run_of, runs_by_name, runs_of
from bestby.data.reading import Reading, checked_reading
from bestby.data.roles import Roles, TableOptions, listed
from bestby.data.table import Table
from bestby.readers import paths as readers_paths
from bestby.readers.archives import unpacking
from bestby.readers.files import check_header, holds_values_only, read_table
from bestby.readers.formats.base import (
    TABLE,
    Format,
    Read,
    evaluation_of_format,
    format_of,
    formats_with,
    read_format,
    read_log,
)
from bestby.readers.formats.cv_results import with_folds
from bestby.readers.joined_files import (
    Pieces,
    holds_systems,
    is_gold_another_file,
    pieces_of,
    read_file_per_system,
    single,
    whole_table,
    with_gold,
)
from bestby.readers.large_tables import read_counted
from bestby.readers.one_table import one_table
from bestby.readers.paths import by_system, named_paths, note_on_unread, without_gold
from bestby.readers.run_files import check_no_seeds, files_of_runs
from bestby.results.base import Note
from bestby.vocabulary import allowed_names


@unpacking
@with_suggestions
def read(
    paths: str | Path | Sequence[str | Path] | Mapping[str, str | Path],
    *,
    gold: str | Path | Sequence[str | Path] | None = None,
    systems: str | Sequence[str] | None = None,
    items: str | Sequence[str] | None = None,
    clusters: str | Sequence[str] | None = None,
    strata: str | None = None,
    by: str | Sequence[str] | None = None,
    on_missing: OnMissing = "error",
    reading: Reading | None = None,
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
    prediction or score; other names are given with `reading` and `items`. With *one
    file per system*, each is text with a value per line, a NumPy array, a JSON object of item id to value,
    or a table; what has item ids is joined by them. CSV, TSV, JSON Lines and Parquet are read, plain or
    packed with gzip or zstd; a zip archive is read as the file or the folder that was packed into it.

    The gold says how values are read: as numbers or booleans if all its values are such, and as text
    otherwise ("01" is text). A value of a system that is no number is a text by itself. White space around
    values is ignored, and the note ``"labels_merged"`` names spellings that count as one label. Columns
    called gold, item (or id), cluster and stratum play that part unless the systems are chosen; the note
    ``"read_as"`` says then which were not used.

    *Soft labels*, a distribution over classes per item, are recognised where they are: arrays of shape
    (items, classes); lines of two or more numbers; columns of lists (in CSV as text, ``[0.1, 0.9]``); in a
    wide table the columns ``bert[neg]``, ``bert[pos]`` as the system bert. A table with a column per class is
    one if ``Reading(classes=[...])`` names them. Hard and soft columns may stand side by side.

    *Sets of labels*, any number per item, are lists of labels (JSON Lines, Parquet, in CSV as text,
    ``['x', 'y']``), rows of 0 and 1 in every form of soft labels, or texts that `label_separator` cuts.

    *Logs and other formats* are recognised by what they hold: those of evaluation tools
    (lm-evaluation-harness, Inspect, HELM, SWE-bench, alpaca_eval, promptfoo, DeepEval, OpenAI evals,
    tau-bench, MTEB, lighteval, LangSmith, Langfuse, pydantic-evals, Braintrust, Arize Phoenix, ragas,
    HumanEval, EvalPlus, BFCL), CoNLL-U, BIO columns, TREC runs and qrels, transcripts (.trn, .stm, .ctm),
    segment scores of mt-metrics-eval, answers to SQuAD. The note ``"read_as"`` says what was recognised.

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
    systems : str or sequence of str, optional
        Which systems to read (all by default), by name or pattern (``"gpt-*"``).
    items, clusters, strata : str, optional
        The columns of item ids and of the groups of the items. Several columns may make an item id together:
        ``items=["task", "id"]``; a list of two clusters is two groupings that cross each other. If the gold
        is a file, the groups stand in it or in the files of the systems.
    by : str or sequence of str, optional
        Columns of the items by which `compare_slices` can slice them. One of them may be the gold, too.
    on_missing : {"error", "drop", "worst", "drop-systems", "pairs", "bounds"}
        What to do with items that some system has no value for, as for `compare`.
    reading : Reading, optional
        How the data are read: columns that are no systems, the columns of a long table, classes and rows of
        soft labels, labels of several annotators.
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
    how = checked_reading(reading, "read")
    if is_frame(paths):
        raise InvalidInputError(
            f"read takes files, got a data frame ({type(paths).__name__})",
            hint='pass the frame itself: bestby.compare(frame, gold="label")',
        )
    checks.choice(on_missing, allowed_names("on_missing", "items"), "on_missing")
    readers_paths.check_arguments(
        paths, gold, missing=missing, items=items, clusters=clusters, strata=strata, systems=systems,
        reading=how, format=format,
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
        annotators=annotator_names(how.annotators),
        slices=() if by is None else checks.valid_name_list(by, "by"),
        systems=systems,
        reading=how,
        on_missing=on_missing,
        soft=readers_paths.soft_options(how.classes, how.normalise, texts, label_sets, label_separator),
        missing=readers_paths.missing_texts(missing),
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
    readers_paths.refuse_by_task(options.value_column)
    _check_one_gold(golds)
    if isinstance(files, Mapping):
        evaluation = _from_files(files, options)
    else:
        evaluation = _from_table(files, pieces, table, options, stream)
    unread = () if pieces is None else note_on_unread(pieces.others)
    return replace(evaluation, notes=(*evaluation.notes, *unread))


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

    def with_clusters(clusters: str | None) -> Evaluation:
        content = read_format(
            form,
            files,
            golds,
            on_missing=options.on_missing,
            **others,
            items=roles.item,
            strata=roles.stratum,
            system_column=options.system_column,
            value_column=options.value_column,
            clusters=clusters,
        )
        return evaluation_of_format(content)

    evaluation = with_clusters(roles.cluster)
    if roles.crossed is not None:
        crossed = with_clusters(roles.crossed).clusters
        assert crossed is not None
        others = {n: g for n, g in evaluation.groupings.items() if not np.array_equal(g, crossed)}
        evaluation = replace(evaluation, crossed=crossed, groupings=others)
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
    if options.systems is None:
        check_no_seeds(files)
    names = chosen_names([*files], options.systems, options.ignore, "the files")
    options = replace(options, ignore=())
    evaluation, description = read_file_per_system({name: files[name] for name in names}, options)
    return with_reading_note(evaluation, f"the files were read as {description}", options.soft)


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
    return is_gold_another_file(table, options) and not holds_systems(table, options), table


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
    return replace(evaluation, notes=(*evaluation.notes, *notes))


def _evaluation_of(table: Table, options: TableOptions, source: str) -> Evaluation:
    """Make an evaluation of a table that has its gold, or whose gold is another file."""
    if not is_gold_another_file(table, options):
        _check_annotators(options.roles)
        return evaluation_of(table, options, source)
    table, options, joined = with_gold(table, options)
    evaluation = evaluation_of(table, options, source)
    read_as, *others = evaluation.notes
    read_as = replace(read_as, message=f"{read_as.message}; {joined}")
    return replace(evaluation, notes=(read_as, *others))


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


@with_suggestions
def read_runs(
    path: str | Path | Sequence[str | Path],
    *,
    gold: str | None = None,
    systems: str | Sequence[str] | None = None,
    items: str | Sequence[str] | None = None,
    dataset: str | None = None,
    datasets: str | Sequence[str] | None = None,
    run: str | None = None,
    clusters: str | None = None,
    reading: Reading | None = None,
    paired: bool = False,
    missing: str | Iterable[str] = MISSING,
    texts: bool = False,
    label_sets: bool = False,
    label_separator: str | None = None,
) -> Runs:
    r"""Read the runs of two or more systems from one table.

    A *wide* table has a column per system and a row per run; a *long* table has a column system (or
    model, method and the like), a column run (or seed), and one of scores. With a column of
    items, there is a row per run and item, of scores or, if there is a gold, of predictions. With a column
    of datasets, the runs of one dataset are read; `read_datasets` reads those of several. Several files, or a
    folder of them, hold the items of one run each, whose names end in the number of the run:
    ``bert_seed1.csv``, ``bert/seed1/predictions.csv``, or a name that you give, ``bert-1=path``. A table of
    items may have a column per system and seed, such as ``bert_seed1``.

    Parameters
    ----------
    path : str or Path, or sequence of them
        CSV, TSV, JSON Lines or Parquet; or the logs of a tool that knows of runs (Inspect, exports of MLflow
        and Weights & Biases), which are recognised by what they hold and may be several.
    gold, items, dataset, run, clusters : str, optional
        Columns; those called gold, item (or id), cluster, run (or seed) and dataset are found by their names.
        The gold may be a file that is joined by item id, too, and that of texts several answers per item.
    datasets : str or sequence of str, optional
        The dataset to keep, where there is a column of datasets.
    systems : str or sequence of str, optional
        The systems (all by default), by name or pattern (``"gpt-*"``).
    reading : Reading, optional
        How the data are read: `ignore`, `system_column` and `value_column`.
    paired : bool
        Whether runs of one id belong together: they are then brought into one order.
    missing : str or iterable of str
        The texts that mean a missing value; in a wide table, a system with fewer runs has such cells.
    texts : bool
        Whether predictions and gold are texts, which metrics of texts read, also where they look like
        numbers.
    label_sets, label_separator
        As for `bestby.read`.

    Returns
    -------
    Runs
        The arguments of `compare_runs`.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or what it holds does not fit together.

    See Also
    --------
    compare_runs : Compare the systems by their runs.
    read_datasets : Runs on several datasets.
    read : One run of each system.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "runs.csv")
    ...     _ = path.write_text("seed,old,new\n0,0.1,0.3\n1,0.2,\n", encoding="utf-8")
    ...     data = read_runs(path)
    >>> data.runs["old"].tolist(), data.runs["new"].tolist()
    ([0.1, 0.2], [0.3])
    """
    how = checked_reading(reading, "read_runs", "ignore system_column value_column")
    columns: dict[str, Any] = {"items": items, "clusters": clusters, "systems": systems, "reading": how}
    readers_paths.check_arguments(
        path, gold, missing=missing, run=run, dataset=dataset, datasets=datasets, **columns
    )
    soft = readers_paths.soft_options(texts=texts, label_sets=label_sets, label_separator=label_separator)
    paths = [path] if isinstance(path, str | Path) else list(path)
    log = read_log(paths, clusters=clusters, value_column=how.value_column, system_column=how.system_column)
    if log is not None:
        if log.runs is None:
            raise InvalidInputError(
                f"the files were read as {log.description}: they hold one run of each system",
                hint="compare the systems item by item: bestby compare",
            )
        return runs_of_log(log, systems, how.ignore)
    readers_paths.refuse_by_task(how.value_column)
    if files := files_of_runs(paths):
        for file in files:
            run_of(file)  # which refuses the names of other files before these are read
        for name, column in (("run", run), ("dataset", dataset), ("datasets", datasets)):
            if column is not None:
                raise InvalidInputError(f"{name} belongs to one table of all runs", hint=f"leave {name} out")
        whole = read(
            files,
            gold=gold,
            items=items,
            clusters=clusters,
            reading=replace(how, ignore=None),
            missing=missing,
            texts=texts,
            label_sets=label_sets,
            label_separator=label_separator,
        )
        return runs_by_name(whole, systems, how.ignore, paired=paired)
    table = one_table(paths, "the runs of all systems", missing, soft)
    options = TableOptions.of(gold, soft=soft, **columns)
    joined = ""
    if is_gold_another_file(table, options):
        table, options, how_joined = with_gold(table, options)
        joined = f"; {how_joined}"
    found = runs_of(table, options, run=run, dataset=dataset, datasets=datasets, paired=paired)
    return replace(found, description=f"{found.description}{joined}")


def runs_of_log(
    log: Read, systems: str | Sequence[str] | None = None, ignore: str | Sequence[str] | None = None
) -> Runs:
    """Return the runs in logs, of which there may be none, and their samples."""
    found = log.runs or {}
    clusters = None if log.evaluation is None else log.evaluation.clusters
    # Scores of items are computed already.
    is_name = isinstance(log.metric, str) and all(np.ndim(values) == 1 for values in found.values())
    metric = str(log.metric) if is_name else None
    runs = {name: found[name] for name in chosen_names([*found], systems, ignore, "the files")}
    return Runs(
        runs, None, clusters, metric, log.description, log.greater_is_better, log.notes, cells=log.cells
    )


@with_suggestions
def read_datasets(
    path: str | Path | Sequence[str | Path],
    *,
    gold: str | None = None,
    systems: str | Sequence[str] | None = None,
    items: str | Sequence[str] | None = None,
    dataset: str | None = None,
    run: str | None = None,
    clusters: str | None = None,
    on_missing: OnMissing = "error",
    reading: Reading | None = None,
    missing: str | Iterable[str] = MISSING,
    texts: bool = False,
    label_sets: bool = False,
    label_separator: str | None = None,
) -> Mapping[str, float] | Cells | RunCells | Mapping[str, Evaluation] | Evaluation:
    r"""Read results on several datasets from one file, for `bestby.compare_datasets`.

    A table of *scores* has a row per dataset and a column per system, or columns dataset, system and score.
    With a column run (or seed) too, there is a row per run, and each system has several runs on each dataset;
    a cell without a value is a run that the system does not have. A table of *items* has a row per item
    (dataset names occur more than once), wide or long as for `bestby.read`. A table of *p-values* has columns
    dataset and p_value.

    Parameters
    ----------
    path : path, or sequence of paths
        CSV, TSV, JSON Lines or Parquet, plain or packed; or the logs of an evaluation tool with several
        tasks, which may be several files.
    dataset : str, optional
        The column of the datasets; "dataset" or "task" by default.
    run : str, optional
        The column of the runs of a table of scores; "run" or "seed" by default.
    gold, systems, items, clusters, missing, texts
        As for `bestby.read`.
    label_sets, label_separator
        As for `bestby.read`. Item ids need be unique within a dataset only.
    on_missing : {"error", "drop", "worst", "pairs"}
        For items that some system lacks, which "pairs" is not for. Missing scores of a table are left to
        `compare_datasets`.
    reading : Reading, optional
        How the data are read: `ignore`, `system_column` and `value_column`.

    Returns
    -------
    mapping or Evaluation
        P-values, scores, runs (a mapping of dataset to system to run to score), evaluations by dataset, or
        items whose strata are the datasets.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or what it holds does not fit together.

    See Also
    --------
    compare_datasets : Compare the systems over the datasets.
    read : One test set.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "scores.csv")
    ...     _ = path.write_text(
    ...         "dataset,old,new\nnews,0.5,0.75\ntalks,0.25,NA\n", encoding="utf-8"
    ...     )
    ...     read_datasets(path)
    {'news': {'old': 0.5, 'new': 0.75}, 'talks': {'old': 0.25}}
    """
    how = checked_reading(reading, "read_datasets", "ignore system_column value_column")
    columns: dict[str, Any] = {"items": items, "clusters": clusters, "systems": systems, "reading": how}
    readers_paths.check_arguments(path, gold, missing=missing, dataset=dataset, run=run, **columns)
    soft = readers_paths.soft_options(texts=texts, label_sets=label_sets, label_separator=label_separator)
    on_missing = checks.choice(on_missing, allowed_names("on_missing", "datasets"), "on_missing")
    log = read_log(path, on_missing, clusters=clusters, value_column=how.value_column)
    if log is not None:
        return _datasets_of_log(log, systems, how.ignore)
    readers_paths.refuse_by_task(how.value_column)
    options = TableOptions.of(gold, on_missing=on_missing, soft=soft, **columns)
    table = one_table(path, "the results on all datasets", missing, soft)
    return datasets_of(table, dataset, options, run)


def _datasets_of_log(
    log: Read, systems: str | Sequence[str] | None, ignore: str | Sequence[str] | None
) -> Mapping[str, Evaluation]:
    if log.datasets is None:
        raise InvalidInputError(
            f"the files were read as {log.description}: they hold one dataset",
            hint="compare the systems on it: bestby compare",
        )
    note = Note("read_as", f"the files were read as {log.description}")
    known = dict.fromkeys(name for part in log.datasets.values() for name in part.names)
    chosen = chosen_names([*known], systems, ignore, "the files")
    return {
        name: replace(
            part.with_systems([system for system in chosen if system in part.systems]),
            suggested=part.suggested if log.metric is None else log.metric,
            notes=(note, *log.notes, *part.notes),
        )
        for name, part in log.datasets.items()
    }


@with_suggestions
def read_folds(
    path: str | Path | Sequence[str | Path],
    *,
    gold: str | None = None,
    systems: str | Sequence[str] | None = None,
    items: str | Sequence[str] | None = None,
    fold: str | None = None,
    repetition: str | None = None,
    clusters: str | None = None,
    reading: Reading | None = None,
    missing: str | Iterable[str] = MISSING,
    texts: bool = False,
    label_sets: bool = False,
    label_separator: str | None = None,
) -> Mapping[str, FloatArray] | Mapping[str, Evaluation]:
    r"""Read results of cross-validation from one file, for `bestby.compare_folds`.

    A table of *scores* has a row per fold (and repetition) and a column per system. A table of *items* has a
    row per item and repetition with its out-of-fold predictions and its fold, wide or long; without a column
    of folds the repetitions have none. The ``cv_results_`` of a search by scikit-learn, written as CSV, have
    a row per setting, which is a system; `value_column` of the reading is their score.

    Parameters
    ----------
    path : path
        CSV, TSV, JSON Lines or Parquet, plain or packed.
    fold, repetition : str, optional
        Their columns; "fold" and "repetition" (if there is one) by default.
    gold, systems, items, clusters, missing, texts
        As for `bestby.read`.
    reading : Reading, optional
        How the data are read: `ignore`, `system_column` and `value_column`.
    label_sets, label_separator
        As for `bestby.read`. Item ids need be unique within a repetition only.

    Returns
    -------
    mapping
        Scores of shape (repetitions, folds) per system, or an Evaluation per repetition whose strata are the
        folds, if these are known.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or what it holds does not fit together.

    See Also
    --------
    compare_folds : Compare the systems by cross-validation.
    read : One test set.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "folds.csv")
    ...     _ = path.write_text(
    ...         "fold,old,new\n1,0.5,0.75\n2,0.25,0.5\n", encoding="utf-8"
    ...     )
    ...     read_folds(path)["new"]
    array([[0.75, 0.5 ]])
    """
    how = checked_reading(reading, "read_folds", "ignore system_column value_column")
    columns: dict[str, Any] = {"items": items, "clusters": clusters, "systems": systems, "reading": how}
    readers_paths.check_arguments(path, gold, missing=missing, fold=fold, repetition=repetition, **columns)
    soft = readers_paths.soft_options(texts=texts, label_sets=label_sets, label_separator=label_separator)
    table = one_table(path, "the results on all folds", missing, soft)
    if (settings := with_folds(table, how.value_column)) is not table:
        table = settings
        columns["reading"] = replace(how, value_column=None)
    folds = folds_of(table, fold, repetition, TableOptions.of(gold, soft=soft, **columns))
    if not isinstance(folds, FoldScores):
        return folds
    rows: dict[str, list[int]] = {}
    for row, (name, _) in enumerate(folds.labels):
        rows.setdefault(name, []).append(row)
    sizes = {name: len(places) for name, places in rows.items()}
    if len(set(sizes.values())) > 1:
        raise InvalidInputError(
            f"{table.source}: repetitions have different numbers of folds:"
            f" {', '.join(f'{name}: {size}' for name, size in list(sizes.items())[:6])}",
            hint="every repetition needs a score of every fold",
        )
    order = np.array(list(rows.values()))
    by_system = zip(folds.names, folds.matrix.T, strict=True)
    return Named({name: scores[order] for name, scores in by_system}, folds.metric)
