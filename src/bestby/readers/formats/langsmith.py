"""Experiments of LangSmith as tables: a row per example and repetition, with the feedback of evaluators."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.typing import OnMissing
from bestby.data.columns import MISSING
from bestby.data.roles import is_quantity, listed
from bestby.readers.files import read_table
from bestby.readers.formats._logs import Sample, Scored, compared
from bestby.readers.formats.base import File, Read, files_of, refuse_gold
from bestby.readers.text import as_number, beginning, column_names

_FEEDBACK, _INPUTS, _EXAMPLE, _TIME = "feedback.", "inputs.", "example_id", "execution_time"
_TRUTHS = {"true": 1.0, "false": 0.0}


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file is such a table, from the names of its columns."""
    return _is_experiment(column_names(head))


def _is_experiment(names: list[str]) -> bool:
    return {_EXAMPLE, _TIME} <= {*names} and any(name.startswith(_FEEDBACK) for name in names)


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
    on_missing: OnMissing = "error",
    value_column: str | Mapping[str, str] | None = None,
    clusters: str | None = None,
) -> Read:
    """Read two or more experiments, as ``results.to_pandas().to_csv(FILE, index=False)`` writes them.

    Items are joined by the id of their example; rows of one example are repetitions. `value_column` is the
    key of the feedback, by default the only one that all files have, or a quantity (``execution_time``).
    True and false count as 1 and 0; a row without feedback has no score.
    """
    refuse_gold(gold, "experiments of LangSmith hold their scores and need no gold")
    scored = [_scored(file) for file in files_of(paths, recognises)]
    return compared(
        scored,
        "experiments of LangSmith",
        wanted=value_column,
        what="feedback",
        on_missing=on_missing,
        clusters=clusters,
    )


def _scored(file: File) -> Scored:
    table = read_table(readable_file(file.path), frozenset(MISSING))
    if not _is_experiment(list(table.names)):
        raise InvalidInputError(
            f"{file.path} is not an experiment of LangSmith", hint=f"its columns are: {listed(table.names)}"
        )
    feedback = {
        name.removeprefix(_FEEDBACK): _scores(table.cells(name))
        for name in table.names
        if name.startswith(_FEEDBACK)
    }
    numbers = {name: _scores(table.cells(name)) for name in table.names if is_quantity(name)}
    quantities = {name: column for name, column in numbers.items() if column is not None}
    inputs = [table.cells(name) for name in table.names if name.startswith(_INPUTS)]
    runs: dict[str, int] = {}
    samples = []
    for row, example in enumerate(table.cells(_EXAMPLE)):
        where = f"{file.path}, row {row + 2}"
        if not example:
            raise InvalidInputError(
                f"{where}: no example_id", hint="write the table anew from the experiment"
            )
        run = runs[example] = runs.get(example, -1) + 1
        scores = {name: column[row] for name, column in feedback.items() if column is not None}
        content = beginning("\n".join(texts[row] for texts in inputs)) if inputs else None
        taken = {name: value for name, column in quantities.items() if (value := column[row]) is not None}
        samples.append(Sample(where, example, scores, run, content, quantities=taken))
    return Scored(str(file.path), file.system(None), file.name, "examples", samples)


def _scores(texts: list[str]) -> list[float | None] | None:
    """Return the scores of a column, None where there is none; None for a column of other texts.

    >>> _scores(["True", "", "0.5"]), _scores(["good", "1"])
    ([1.0, None, 0.5], None)
    """
    scores = [_TRUTHS.get(text.lower(), as_number(text)) if text else None for text in texts]
    return None if any(score is None and text for score, text in zip(scores, texts, strict=True)) else scores
