"""The files of a command: the standard input as a file, and the systems of one test set."""

from __future__ import annotations

import dataclasses
import gzip
import inspect
import io
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bestby._core.errors import BestbyError, InvalidInputError

if TYPE_CHECKING:
    from bestby.data.evaluation import Evaluation

STDIN = "-"
_GZIP = b"\x1f\x8b"


@contextmanager
def with_stdin(values: Any) -> Iterator[Any]:
    """Give the values of a command, with a file that holds the standard input in place of a path -."""
    name = "path" if hasattr(values, "path") else "paths"
    paths = getattr(values, name, None)
    if paths is None or STDIN not in ([paths] if isinstance(paths, str) else paths):
        yield values
        return
    if paths not in (STDIN, [STDIN]):
        raise InvalidInputError(
            "- is the standard input, which holds one table: it is read alone", hint="name files, or only -"
        )
    with tempfile.TemporaryDirectory(prefix="bestby-") as folder:
        content = sys.stdin.buffer.read()
        if not content.strip():
            raise InvalidInputError(
                "the standard input is empty", hint="pipe a table into it, or name a file"
            )
        file = Path(folder, f"stdin{_ending(content)}")
        file.write_bytes(content)
        try:
            yield dataclasses.replace(values, **{name: str(file) if paths == STDIN else [str(file)]})
        except BestbyError as error:
            error.message = error.message.replace(str(file), "stdin")
            raise


def _ending(content: bytes) -> str:
    r"""Return the ending of a file with this content; Parquet and what is packed are told by their bytes.

    >>> _ending(b"a,b\n"), _ending(b'{"a": 1}\n'), _ending(gzip.compress(b'[{"a": 1}]'))
    ('.csv', '.jsonl', '.json')
    """
    if content.startswith(_GZIP):
        with gzip.open(io.BytesIO(content)) as stream:
            content = stream.read(1 << 10)
    start = content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    return {b"{": ".jsonl", b"[": ".json"}.get(start, ".csv")


def read_evaluation(values: Any, **more: Any) -> tuple[Evaluation, dict[str, Any]]:
    """Return the systems in the files, and the arguments that say what is computed of them.

    `more` are arguments of `read` that are no options.
    """
    from bestby.comparisons.reading import needs_items, reading_of
    from bestby.metrics.directions import mean_called
    from bestby.readers import read

    data, statistics = values.data.arguments() | more, values.statistics.arguments()
    if "annotators" in statistics and data.get("annotators") is None:
        raise InvalidInputError(
            "--resample-annotators needs --annotators: the columns of their labels",
            hint="give both, or leave --resample-annotators out",
        )
    metric = statistics.get("metric")
    if metric is not None and len(metric) == 1:
        statistics["metric"] = metric = metric[0]
        if metric == data.get("value_column") and data.get("gold") is None:
            statistics["metric"] = metric = mean_called(metric)
    if "blocks" in statistics or needs_items(metric) or values.output.arguments_of("html").get("items"):
        data.setdefault("stream", False)
    options = format_options(data.pop("format_options", None))
    return read(values.paths or [], **reading_of(metric), **in_records(read, {**data, **options})), statistics


_ARGUMENTS = {"item": "items", "cluster": "clusters", "stratum": "strata", "system": "systems"}
"""Options of the command line, and the arguments of Python that they are."""


def format_options(texts: list[str] | None) -> dict[str, Any]:
    """Return options as they are given to a format.

    >>> format_options(["items=document", "case=true"])
    {'items': 'document', 'case': 'true'}
    """
    from bestby._core.keywords import MOVED
    from bestby.readers import read

    taken = {*inspect.signature(read).parameters, *MOVED}
    options: dict[str, Any] = {}
    for one in texts or ():
        word, sign, value = one.partition("=")
        name = word.strip().replace("-", "_")
        if not sign or not name:
            raise InvalidInputError(f"expected NAME=VALUE after --option, got {one!r}")
        argument = _ARGUMENTS.get(name, name)
        if argument in taken and name != "items":  # a format has these, too
            raise InvalidInputError(
                f"--option is for options of the format, not for {word.strip()!r}",
                hint=f"it is given by itself: {argument}=...",
            )
        options[name] = value
    return options


def columns_of_table(paths: Sequence[str]) -> Sequence[str] | None:
    """Return the columns of the one table that a command reads; None of logs and of a file per system."""
    from bestby._core.paths import is_file
    from bestby.data.columns import MISSING
    from bestby.readers.formats.base import format_in
    from bestby.readers.one_table import one_table

    if len(paths) != 1 or not is_file(paths[0]) or format_in(paths[0]) is not None:
        return None
    return one_table(paths[0], "the systems", MISSING).names


def in_records(function: Callable[..., Any], arguments: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the arguments of a function, in which records stand for what options say one by one."""
    from bestby._core.keywords import MOVED
    from bestby.data.reading import Blocks, Reading
    from bestby.metrics.functions import ScoreMetric
    from bestby.resampling.settings import Resampling

    rest = {**arguments, **more}
    parameters = inspect.signature(function).parameters
    moved = {name: rest.pop(name) for name in MOVED if name in rest and name not in parameters}
    greater, blocks = moved.pop("greater_is_better", None), moved.pop("blocks", None)
    if greater is not None:
        metric = rest.get("metric") or "score"
        directed = [ScoreMetric(name, greater) for name in ([metric] if isinstance(metric, str) else metric)]
        rest["metric"] = directed[0] if isinstance(metric, str) else directed
    if blocks is not None:
        rest["clusters"] = Blocks(blocks)
    if moved.pop("simultaneous", False):
        if rest["correction"] != "holm":
            raise InvalidInputError(
                f"--correction {rest['correction']} would be ignored: --simultaneous reads adjusted p-values"
                " from the intervals",
                hint="leave out one of the two",
            )
        rest["correction"] = "simultaneous"
    for home, record in (("resampling", Resampling), ("reading", Reading)):
        settings = {name: value for name, value in moved.items() if MOVED[name].startswith(home)}
        if settings:
            rest[home] = record(**settings)
    return rest
