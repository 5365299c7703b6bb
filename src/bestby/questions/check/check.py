"""`check`: what files hold, which questions they answer, and what may be off."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestby._core.arrays import is_frame
from bestby._core.errors import BestbyError, InvalidInputError, OtherQuestionError
from bestby._core.keywords import with_suggestions
from bestby._core.paths import is_directory
from bestby._core.text import words_of
from bestby.data.columns import Column
from bestby.data.roles import (
    ANNOTATOR_WORDS,
    ITEM_WORDS,
    RUN_WORDS,
    facet_columns,
    gold_names,
    is_quantity,
    listed,
    of_several_seeds,
    quantities_of_others,
)
from bestby.data.table import SYSTEM_WORDS, Table
from bestby.data.values import as_scores
from bestby.questions.check.asking import (
    ADVISE,
    AGREEMENT,
    ATTEMPTS,
    COMPARE,
    EVALUATE,
    FACETS,
    FRONTIER,
    GATE,
    OF_JUDGES,
    OF_REPEATS,
    PLAN,
    SLICES,
    Asked,
    Question,
    ask,
    system_names,
)
from bestby.questions.check.content import PARTS, Content, tables_in
from bestby.questions.check.oddities import MOST_SLICES, oddities
from bestby.questions.check.result import CheckedColumn, FileCheck, ReadyCommand
from bestby.readers.archives import submissions
from bestby.readers.paths import check_arguments, files_in, named_paths
from bestby.readers.run_files import are_of_seeds
from bestby.results.base import provenance_of

OF_DATASETS = ("benchmark", "corpus", "test_set", "testset")
"""Names of columns of datasets that readers do not take for such by themselves."""

MOST_RUNS = 50
"""Rows without ids up to which each may be a run."""


@with_suggestions
def check(paths: str | Path | Sequence[str | Path] | Mapping[str, str | Path]) -> FileCheck:
    r"""Look at files before a question is chosen.

    Parameters
    ----------
    paths : path, sequence of paths or "name=path", or mapping of name to path
        The files, as for `read`, or a folder of them; one may hold the gold, called so or "gold=path".

    Returns
    -------
    FileCheck
        What was recognised, the questions that the files answer as commands that work, what may be off, and
        which checks could not be made.

    Raises
    ------
    InvalidInputError
        If a file cannot be read.

    See Also
    --------
    read : Reads the files for a comparison.
    advise : Which test and interval fit.

    Notes
    -----
    Every command that is listed was tried. What is tested, items answered backwards, a drift over the order
    of the items, the order of two answers, is reported with a probability of at most 5 % if nothing is off:
    the kinds are corrected together by Holm's method, and the items by Bonferroni's.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "labels.csv")
    ...     _ = path.write_text(
    ...         "id,label,aen,bert\n1,x,x,y\n2,y,y,y\n3,x,x,x\n", encoding="utf-8"
    ...     )
    ...     found = check(path)
    >>> [one.command.replace(str(path), path.name) for one in found.commands][0]
    'bestby compare labels.csv --gold label'
    """
    if is_frame(paths):
        raise InvalidInputError(
            f"check takes files, got a data frame ({type(paths).__name__})",
            hint="write the frame to a file without its index, and name the file",
        )
    check_arguments(paths)
    files, tables, lacking, asked, refused = _answered(_typed(paths))
    test_set = next((one for one in asked if one.question in (COMPARE, EVALUATE)), None)
    evaluation = None if test_set is None else test_set.evaluation
    content = Content(tables, tuple(asked), evaluation, lacking)
    if test_set is not None:
        asked += _with_groups(content, test_set)
        content = Content(tables, tuple(asked), evaluation, lacking)
    by = _names_datasets(tables, ("dataset", "task", *OF_DATASETS), "--by")
    if by and any(one.question.command == "datasets" for one in asked):
        with suppress(BestbyError):
            asked.append(ask(SLICES, files, by))
    findings, unchecked = oddities(content, _judgements(asked))
    settings = {"question": "check", "files": [Path(file).name for file in files]}
    n_items = 0 if evaluation is None else evaluation.n_items
    commands = tuple(ReadyCommand(one.question.text, one.typed) for one in asked)
    return FileCheck(
        files=tuple(files),
        read_as=_read_as(asked),
        systems=() if evaluation is None else evaluation.names,
        n_items=n_items,
        columns=_columns(content),
        commands=commands,
        findings=findings,
        unchecked=unchecked,
        refusal=() if asked or refused is None else (refused.message, refused.hint or ""),
        provenance=provenance_of(settings, {"items": n_items}, (commands, findings)),
    )


def _answered(
    files: list[str],
) -> tuple[list[str], tuple[Table, ...], str, list[Asked], BestbyError | None]:
    """Return files, their tables or what these lack, the questions that they answer, or why they answer none.

    A folder is one table or log if it can be, else the files in it are one per system.
    """
    folder = Path(files[0])
    inside = _data_in(folder) if len(files) == 1 and is_directory(folder) else []
    if len(inside) == 1:
        return _answered(inside)
    try:
        with submissions() as unpacked:
            tables, lacking = tables_in([unpacked.typed(file) for file in files])
            tables = tuple(replace(one, source=unpacked.by_archive(one.source)) for one in tables)
    except BestbyError:
        if len(inside) < 2:
            raise
        return _of_files(inside)
    asked, refused = questions_answered(files, tables)
    if not asked and len(inside) > 1:
        with suppress(BestbyError):  # some of the files are none of systems
            within = _of_files(inside)
            return within if within[3] else (files, tables, lacking, asked, within[4])
    return files, tables, lacking, asked, refused


def _of_files(inside: list[str]) -> tuple[list[str], tuple[Table, ...], str, list[Asked], BestbyError | None]:
    """Return what the files of a folder answer together; if they answer nothing, the hint is to take one."""
    files, tables, lacking, asked, refused = _answered(inside)
    if refused is not None and not asked:
        refused.hint = f"look at the files one by one, such as `{shlex.join(['bestby', 'check', inside[0]])}`"
    return files, tables, lacking, asked, refused


NO_DATA = frozenset((
    ".cfg", ".html", ".ini", ".ipynb", ".log", ".md", ".pdf", ".png", ".py", ".rst", ".sh", ".svg", ".toml",
    ".yaml", ".yml",
))  # fmt: skip
"""Endings of files that lie beside data, such as the script that made them."""


def _data_in(folder: Path) -> list[str]:
    """Return the files of a folder that may hold data."""
    files = (file for file in files_in(folder) if not file.name.upper().startswith(("LICENSE", "README")))
    return [str(file) for file in files if file.suffix.lower() not in NO_DATA]


def _typed(paths: Any) -> list[str]:
    """Return the files as they are typed."""
    if isinstance(paths, Mapping):
        return [f"{name}={path}" for name, path in paths.items()]
    return [str(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]


def questions_answered(
    files: Sequence[str], tables: Sequence[Table], *, advise: bool = True
) -> tuple[list[Asked], BestbyError | None]:
    """Return the questions that files answer, and why systems cannot be compared if they cannot.

    `advise` says whether the question for advice is among them, which may ask what is answered itself.
    """
    asked: list[Asked] = []
    refused: dict[str, BestbyError] = {}

    def tried(question: Question, options: Sequence[str] = (), of: Sequence[str] = files) -> Asked | None:
        try:
            found = ask(question, of, options)
        except BestbyError as error:
            refused.setdefault(question.command, error)
            return None
        asked.append(found)
        return found

    names = [name for table in tables for name in table.names]
    if _are_of_annotators(names) and tried(AGREEMENT):
        return asked, None
    judged = [tried(question) for question in OF_JUDGES]
    for question in OF_REPEATS:
        if question.command != "runs" or _may_be_runs(tables) or are_of_seeds(files):
            tried(question, _names_datasets(tables, OF_DATASETS) if question.command == "datasets" else ())
    if len(facet_columns(names)) > 1:
        tried(FACETS)
    if not any(judged):
        gold, rest = _gold_among(files)
        compared = (tried(COMPARE, gold, rest) if gold else None) or tried(COMPARE)
        if compared is None:
            (tried(EVALUATE, gold, rest) if gold else None) or tried(EVALUATE)
            return asked, _refusal(refused, tables)
        options, rest = compared.options, compared.files
        if _are_of_attempts(compared):
            tried(ATTEMPTS, options, rest)
        if len(compared.result.systems) == 2:
            tried(GATE, options, rest) or tried(GATE, [*options, "--metric", "mean"], rest)
            tried(PLAN, options, rest)
        of_systems = quantities_of_others(names)
        costs = [of_systems.get(name, name) for name in names if is_quantity(name)]
        if compared.evaluation is not None:
            costs += compared.evaluation.quantities
        any(tried(FRONTIER, [*options, "--cost", cost], rest) for cost in costs)
        if advise:
            tried(ADVISE, options, rest)
    return asked, _refusal(refused, tables)


def _are_of_annotators(names: Sequence[str]) -> bool:
    """Tell whether tables hold the labels of annotators: in a column that names these, or in one of each."""
    words = {name.lower() for name in names}
    if not words.isdisjoint(SYSTEM_WORDS):
        return False
    stems = [one[0].rstrip("0123456789") for one in map(words_of, names) if one]
    each = [
        stem for stem in stems if len(stem) > 2 and any(word.startswith(stem) for word in ANNOTATOR_WORDS)
    ]
    return not words.isdisjoint(ANNOTATOR_WORDS) or (len(each) > 1 and not gold_names(names))


def _refusal(refused: Mapping[str, BestbyError], tables: Sequence[Table]) -> BestbyError | None:
    """Return why the command that the data are for cannot compare the systems."""
    names = {name.lower() for table in tables for name in table.names}
    error = refused.get("preferences") if names & {*PARTS["winner"]} else None
    error = error or (refused.get("runs") if _have_runs(tables) else None) or refused.get("compare")
    return refused.get(error.question, error) if isinstance(error, OtherQuestionError) else error


def _are_of_attempts(compared: Asked) -> bool:
    """Tell whether systems answered each item several times, rightly or wrongly: pairs, or logs of trials."""
    trials = compared.evaluation is not None and bool(compared.evaluation.trials)
    return trials or compared.result.metrics[0].name == "pass@1"


def _gold_among(files: Sequence[str]) -> tuple[list[str], Sequence[str]]:
    """Return the option that names the file of the gold, if one is called so, and the other files."""
    named = named_paths([*files])
    if not isinstance(named, Mapping) or len(named) == 1:
        return [], files
    gold = next((name for name in named if gold_names([name])), None)
    if gold is None:
        return [], files
    rest = [file for file, name in zip(files, named, strict=True) if name != gold]
    return ["--gold", str(named[gold])], rest


def _names_datasets(tables: Sequence[Table], words: Sequence[str], option: str = "--dataset") -> list[str]:
    """Return an option with the column of the datasets, if one is called by one of these words."""
    names = tables[0].names if tables else ()
    return next(([option, name] for name in names if name.lower() in words), [])


def _have_runs(tables: Sequence[Table]) -> bool:
    return any(name.lower() in RUN_WORDS for table in tables for name in table.names)


def _may_be_runs(tables: Sequence[Table]) -> bool:
    """Tell whether rows may be runs: of logs, of a table with their column, of a short one without ids."""
    names = {name.lower() for table in tables for name in table.names}
    short = all(table.n_rows <= MOST_RUNS for table in tables) and names.isdisjoint(ITEM_WORDS)
    return not tables or _have_runs(tables) or bool(of_several_seeds(names)) or short


def _with_groups(content: Content, compared: Asked) -> list[Asked]:
    """Return the question about slices for the first columns that answer it."""
    found: list[Asked] = []
    for name in [name for name, sizes in content.groups.items() if sizes.size <= MOST_SLICES]:
        pairs = zip(compared.options[::2], compared.options[1::2], strict=True)
        rest = [word for pair in pairs if pair != ("--ignore", name) for word in pair]
        try:
            found.append(ask(SLICES, compared.files, [*rest, "--by", name]))
        except BestbyError:
            continue
        if len(found) == 2:
            break
    return found


def _judgements(asked: Sequence[Asked]) -> Any:
    """Return the judgements, if the files hold some."""
    from bestby.questions.preferences.source import read_preferences

    one = next((one for one in asked if one.question.command == "preferences"), None)
    return None if one is None else read_preferences(one.values.paths, **one.values.data.arguments())


def _read_as(asked: Sequence[Asked]) -> str:
    """Return what an answer says of how the files were read, or which systems the first one is about."""
    notes = (note for one in asked for note in getattr(one.result, "notes", ()))
    systems = listed(system_names(asked[0].result)) if asked else ""
    return next((note.message for note in notes if note.code == "read_as"), systems and f"systems: {systems}")


def _columns(content: Content) -> tuple[CheckedColumn, ...]:
    seen: dict[str, CheckedColumn] = {}
    for table in content.tables:
        for name in table.names:
            column = table.column(name)
            n_missing = int(column.missing.sum())
            distinct = table.distinct(name) if not column.is_items else {*table.cells(name)} - {""}
            part = content.part(name)
            if not part:
                part = "groups" if name in content.groups else "input" if name in content.inputs else ""
            if name not in seen:
                seen[name] = CheckedColumn(
                    name, part, _values(column), len(distinct), n_missing, table.n_rows
                )
    return tuple(seen.values())


def _values(column: Column) -> str:
    """Return what the values of a column are."""
    if column.is_soft:
        return "distributions"
    if column.is_items:
        return "lists"
    read = as_scores(column)
    values = read.values[~read.missing]
    if read.is_text or not values.size:
        return "texts"
    if not (values == values.round()).all():
        return "numbers"
    return "0 and 1" if set(values.tolist()) <= {0, 1} else "whole numbers"
