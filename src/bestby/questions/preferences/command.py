"""`bestby preferences`: systems compared by judgements of which of two was better."""

from __future__ import annotations

import dataclasses
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby.cli.parameters import groups
from bestby.questions.items.compare import compare
from bestby.questions.preferences.compare import compare_preferences
from bestby.questions.preferences.parameters import Preferences, Statistics
from bestby.questions.preferences.reader import read_preferences
from bestby.questions.preferences.win_rates import win_rates

_MODELS = {"bradley-terry": "half", "davidson": "davidson"}
_METHODS = ("auto", *_MODELS, "win-rate")


def preferences(values: Preferences, progress: Any) -> Any:
    """Read and compare."""
    statistics = values.statistics
    checks.choice(statistics.method, _METHODS, "method")
    checks.choice(statistics.on_missing, ("error", "drop"), "on_missing")
    judgements = read_preferences(values.paths, **values.data.arguments())
    if statistics.method == "auto":
        method = "win-rate" if judgements.is_graded else "bradley-terry"
        statistics = dataclasses.replace(statistics, method=method)
    run = _by_win_rate if statistics.method == "win-rate" else _by_strength
    return run(judgements, statistics, progress)


def _by_strength(judgements: Any, statistics: Statistics, progress: Any) -> Any:
    """Compare strengths."""
    if statistics.interval not in groups.skippable("interval", "preferences"):
        raise InvalidInputError(
            f"intervals of strengths are score intervals, got {statistics.interval!r}",
            hint="leave --interval out, or compare win rates: --method win-rate",
        )
    _refuse(statistics, on_missing="error")
    arguments = statistics.arguments()
    for name in ("method", "on_missing"):
        del arguments[name]
    if statistics.alternative == "better":  # the stronger is the better one
        arguments["alternative"] = "greater"
    arguments["ties"] = _MODELS[statistics.method]
    return compare_preferences(judgements, **arguments, progress=progress)


def _by_win_rate(judgements: Any, statistics: Statistics, progress: Any) -> Any:
    """Compare the win rates as scores of the items."""
    _refuse(statistics, scale="log", prior=0.0)
    arguments = statistics.arguments()
    for name in ("method", "scale", "prior", "on_missing"):
        del arguments[name]
    evaluation = win_rates(judgements, statistics.on_missing)  # type: ignore[arg-type]  # checked above
    return compare(evaluation, **arguments, progress=progress)


def _refuse(statistics: Statistics, **unset: Any) -> None:
    """Refuse an option that the method has no use for."""
    for name, value in unset.items():
        if getattr(statistics, name) != value:
            option = f"--{name.replace('_', '-')}"
            raise InvalidInputError(
                f"{option} has no effect on --method {statistics.method}", hint=f"leave {option} out"
            )
