"""`bestby preferences`: systems compared by judgements of which of two was better."""

from __future__ import annotations

import dataclasses
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Names, Text
from bestby.cli.options import argument, choice, option, record
from bestby.vocabulary import allowed_names, choices


@record
class Data(option_groups.Rows):
    items: Text = option(
        "COLUMN", "Column with item ids (default: item, id or item_id).", "--item", common=True
    )
    a: Text = option("COLUMN", "Column with the first system (default: a or model_a).", common=True)
    b: Text = option("COLUMN", "Column with the second system (default: b or model_b).", common=True)
    winner: Text = option(
        "COLUMN", "Column that says which was better (default: winner or preference).", common=True
    )
    systems: Names = option(
        "NAME", "Compare this system; repeatable (default: all).", "--system", common=True
    )
    clusters: Text = option_groups.cluster_option()


@record
class Statistics(option_groups.Family):
    method: str = choice(("auto", "bradley-terry", "davidson", "win-rate"), "Method.", default="auto")
    scale: str = choice(allowed_names("scale", "preferences"), "Scale of the strengths.", default="log")
    prior: float = option(
        "N", "Judgements, half of them won, that are added between every two systems.", default=0
    )
    on_missing: str = choice(
        allowed_names("on_missing", "preferences"),
        "Win rates: what to do if a system lacks items.",
        default="error",
    )
    baseline: Text = option_groups.baseline_option()
    interval: str = option(
        "METHOD",
        "Win rates: as for compare. Strengths have score intervals. Or none.",
        choices=option_groups.skippable("interval"),
        default="auto",
    )
    test: str = option(
        "NAME",
        f"Strengths: {choices('test', 'preferences')}. Win rates: as for compare. Or none.",
        choices=option_groups.skippable("test"),
        default="auto",
    )


@record
class Output(option_groups.InPercent, option_groups.ComparisonTables):
    kind: str = option_groups.figure_kind("preferences")


@record
class Preferences:
    """
    FILES are tables with a row per judgement: columns a and b (the two systems), winner, and item (what was
    judged; its judgements are resampled together unless --cluster names other groups). The winner is the
    name of a system, a or b, tie, or a number: from 0 (b) to 1 (a), or, if one is above 1, from 1 (a) to 2
    (b). Tables are CSV, TSV, JSON Lines or Parquet; annotations of alpaca_eval are recognised, one file per
    model, with or without those of the reference itself. The judgements of several files are put together.

    The method bradley-terry estimates strengths, and a tie is half a win for both; davidson gives ties a
    probability of their own; win-rate compares the mean preference for each system, item by item, which
    graded preferences need. auto is win-rate for graded preferences, else bradley-terry. Only win rates can
    be shown in percent: strengths have no scale from 0 to 1.

    \b
    Examples:
      bestby preferences judged.csv
      bestby preferences judged.csv --scale elo --html report.html
      bestby preferences arena.jsonl --item question_id --method davidson
      bestby preferences results/*/annotations.json --method win-rate
    """

    paths: list[str] = argument("FILES", file="read")
    data: Data
    statistics: Statistics
    output: Output


_MODELS = {"bradley-terry": "half", "davidson": "davidson"}
_METHODS = ("auto", *_MODELS, "win-rate")


def preferences(values: Preferences, progress: Any) -> Any:
    """Read and compare."""
    from bestby._core import checks
    from bestby.questions.preferences.source import read_preferences

    statistics = values.statistics
    checks.choice(statistics.method, _METHODS, "method")
    checks.choice(statistics.on_missing, ("error", "drop"), "on_missing")
    judgements = read_preferences(values.paths, **in_records(read_preferences, values.data.arguments()))
    if statistics.method == "auto":
        method = "win-rate" if judgements.is_graded else "bradley-terry"
        statistics = dataclasses.replace(statistics, method=method)
    run = _by_win_rate if statistics.method == "win-rate" else _by_strength
    return run(judgements, statistics, progress)


def _by_strength(judgements: Any, statistics: Statistics, progress: Any) -> Any:
    """Compare strengths."""
    from bestby.questions.preferences.compare import compare_preferences

    if statistics.interval not in option_groups.skippable("interval", "preferences"):
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
    return compare_preferences(judgements, **in_records(compare_preferences, arguments, progress=progress))


def _by_win_rate(judgements: Any, statistics: Statistics, progress: Any) -> Any:
    """Compare the win rates as scores of the items."""
    from bestby.questions.items.compare import compare
    from bestby.questions.preferences.source import win_rates

    _refuse(statistics, scale="log", prior=0.0)
    arguments = statistics.arguments()
    for name in ("method", "scale", "prior", "on_missing"):
        del arguments[name]
    evaluation = win_rates(judgements, statistics.on_missing)  # type: ignore[arg-type]  # checked above
    return compare(evaluation, **in_records(compare, arguments, progress=progress))


def _refuse(statistics: Statistics, **unset: Any) -> None:
    """Refuse an option that the method has no use for."""
    for name, value in unset.items():
        if getattr(statistics, name) != value:
            option = f"--{name.replace('_', '-')}"
            raise InvalidInputError(
                f"{option} has no effect on --method {statistics.method}", hint=f"leave {option} out"
            )
