"""The options of a command as the records in which Python has what belongs together."""

from __future__ import annotations

from typing import Any

from bestby._core.errors import InvalidInputError


def in_records(arguments: dict[str, Any], progress: Any = None) -> dict[str, Any]:
    """Return the arguments of a question, in which records stand for what options say one by one."""
    from bestby._core.keywords import MOVED
    from bestby.data.blocks import Blocks
    from bestby.metrics.score_metric import ScoreMetric
    from bestby.resampling.settings import Resampling

    moved = {name: arguments[name] for name in MOVED if name in arguments}
    rest = {name: value for name, value in arguments.items() if name not in moved}
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
                f"--correction {rest['correction']} would be ignored: --simultaneous reads adjusted p-values from"
                " the intervals",
                hint="leave out one of the two",
            )
        rest["correction"] = "simultaneous"
    return rest | {"resampling": Resampling(**moved, progress=progress)}
