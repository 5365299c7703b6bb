"""The options of a command as the records in which Python has what belongs together."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from bestby._core.errors import InvalidInputError


def in_records(function: Callable[..., Any], arguments: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the arguments of a function, in which records stand for what options say one by one."""
    from bestby._core.keywords import MOVED
    from bestby.data.reading import Blocks, Reading
    from bestby.metrics.score_metric import ScoreMetric
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
