"""The systems in the files of a command, read for a comparison on one test set."""

from __future__ import annotations

import inspect
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby.comparisons.reading import needs_items, reading_of
from bestby.data.evaluation import Evaluation
from bestby.readers import read


def read_evaluation(values: Any, **more: Any) -> tuple[Evaluation, dict[str, Any]]:
    """Return the systems in the files, and the arguments that say what is computed of them.

    `more` are arguments of `read` that are no options.
    """
    data, statistics = values.data.arguments() | more, values.statistics.arguments()
    if "annotators" in statistics and data.get("annotators") is None:
        raise InvalidInputError(
            "--resample-annotators needs --annotators: the columns of their labels",
            hint="give both, or leave --resample-annotators out",
        )
    metric = statistics.get("metric")
    if metric is not None and len(metric) == 1:
        statistics["metric"] = metric = metric[0]
    if "blocks" in statistics or needs_items(metric) or values.output.arguments_of("html").get("items"):
        data.setdefault("stream", False)
    options = format_options(data.pop("format_options", None))
    return read(values.paths or [], **reading_of(metric), **{**data, **options}), statistics


_ARGUMENTS = {"item": "items", "cluster": "clusters", "stratum": "strata", "system": "systems"}
"""Options of the command line, and the arguments of Python that they are."""


def format_options(given: list[str] | None) -> dict[str, Any]:
    """Return options as they are given to a format.

    >>> format_options(["items=document", "case=true"])
    {'items': 'document', 'case': 'true'}
    """
    options: dict[str, Any] = {}
    for one in given or ():
        word, sign, value = one.partition("=")
        name = word.strip().replace("-", "_")
        if not sign or not name:
            raise InvalidInputError(f"expected NAME=VALUE after --option, got {one!r}")
        argument = _ARGUMENTS.get(name, name)
        if argument in inspect.signature(read).parameters and name != "items":  # a format has these, too
            raise InvalidInputError(
                f"--option is for options of the format, not for {word.strip()!r}",
                hint=f"it is given by itself: {argument}=...",
            )
        options[name] = value
    return options
