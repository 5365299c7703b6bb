"""`bestby preferences`: systems compared by judgements of which of two was better."""

from __future__ import annotations

from typing import Any

from bestby._core.errors import InvalidInputError
from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Names, Text
from bestby.cli.options import Group, argument, choice, option, record, set_options
from bestby.vocabulary import allowed_names, choices

MODELS = {"bradley-terry": "half", "davidson": "davidson"}
"""What methods by strengths do about ties."""

METHODS = ("auto", *MODELS, "win-rate")
ORDERS = {"auto": "auto", "yes": True, "no": False}


@record
class Data(option_groups.Rows):
    items: Text = option("COLUMN", f"{option_groups.ITEM_HELP}.", "--item", common=True)
    a: Text = option("COLUMN", "Column with the first system (default: a or model_a).", common=True)
    b: Text = option("COLUMN", "Column with the second system (default: b or model_b).", common=True)
    winner: Text = option(
        "COLUMN", "Column that says which was better (default: winner or preference).", common=True
    )
    systems: Names = option(
        "NAME", "Compare this system; repeatable (default: all).", "--system", common=True
    )
    clusters: Names = option(
        "COLUMN", "Column with what belongs together, such as prompts or voters; up to two.", "--cluster"
    )


@record
class Model(Group):
    heading = "Statistics"

    order: str = choice((*ORDERS,), "Whether an effect of being shown first is in the model.", default="auto")
    voter: Text = option("COLUMN", "Column with who judged, to find voters who decide the result.")
    covariates: Names = option(
        "COLUMNS",
        "What strengths are to be had without: len for len_a and len_b, or len_a,len_b; repeatable.",
        "--style",
    )
    prior: str = choice(("none", "jeffreys"), "Prior of the strengths.", default="none")
    voter_weights: str = choice(
        allowed_names("voter_weights", "preferences"), "How judgements of busy voters count.", default="votes"
    )

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the order and the prior as Python has them."""
        prior = None if self.prior == "none" else self.prior
        return super().arguments() | {"order": ORDERS[self.order], "prior": prior}


@record
class Statistics(option_groups.Family):
    method: str = choice(METHODS, "Method.", default="auto")
    scale: str = choice(allowed_names("scale", "preferences"), "Scale of the strengths.", default="log")
    on_missing: str = choice(
        allowed_names("on_missing", "preferences"),
        "Win rates: what to do if a system lacks items.",
        default="error",
    )
    baseline: Text = option_groups.baseline_option()
    interval: str = option(
        "METHOD",
        "Win rates: as for compare. Or none.",
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
    (b). Column a holds what was shown first. Tables are CSV, TSV, JSON Lines or Parquet, those of LMArena
    among them; annotations of alpaca_eval (one file per model, with or without those of the reference itself)
    and verdicts of Arena-Hard and MT-bench are recognised. The judgements of several files are put together.

    The method bradley-terry estimates strengths, and a tie is half a win for both; davidson gives ties a
    probability of their own; win-rate compares the mean preference for each system, item by item, which
    graded preferences need. auto is win-rate for graded preferences, else bradley-terry. Only win rates can
    be shown in percent: strengths have no scale from 0 to 1.

    \b
    Examples:
      bestby preferences judged.csv
      bestby preferences judged.csv --scale elo --html report.html
      bestby preferences arena.jsonl --cluster prompt --cluster judge --style len
      bestby preferences arena.jsonl --item question_id --method davidson
      bestby preferences results/*/annotations.json --method win-rate
    """

    paths: list[str] = argument("FILES", file="read")
    data: Data
    model: Model
    statistics: Statistics
    output: Output


def preferences(values: Preferences, progress: Any) -> Any:
    """Read and compare."""
    from bestby._core import checks
    from bestby.questions.preferences.source import read_preferences

    statistics, data = values.statistics, values.data.arguments()
    method = checks.choice(statistics.method, METHODS, "method")
    checks.choice(statistics.on_missing, ("error", "drop"), "on_missing")
    checks.choice(values.model.order, (*ORDERS,), "order")
    groups = data.pop("clusters", [])
    data["clusters"] = groups[0] if len(groups) == 1 else None
    judgements = read_preferences(values.paths, **in_records(read_preferences, data))
    if method == "auto":
        method = "win-rate" if judgements.is_graded else "bradley-terry"
    unused = {"on_missing"} if method in MODELS else {"scale", *vars(values.model)}
    for one in set_options(values):
        if one.name in unused:
            raise InvalidInputError(
                f"{one.option} has no effect on --method {method}", hint=f"leave {one.option} out"
            )
    arguments = statistics.arguments()
    del arguments["method"], arguments["on_missing"]
    if method in MODELS:
        return _by_strength(judgements, arguments | values.model.arguments(), groups, method, progress)
    if len(groups) > 1:
        raise InvalidInputError(
            "win rates are compared by one column of clusters", hint="leave one --cluster out"
        )
    return _by_win_rate(judgements, arguments, statistics.on_missing, progress)


def _by_strength(
    judgements: Any, arguments: dict[str, Any], groups: list[str], method: str, progress: Any
) -> Any:
    """Compare strengths."""
    from bestby.questions.preferences.compare import compare_preferences

    if arguments["interval"] not in ("auto", None):
        raise InvalidInputError(
            f"strengths have intervals of one kind, got {arguments['interval']!r}",
            hint="leave --interval out, or compare win rates: --method win-rate",
        )
    arguments |= {"clusters": groups or None, "ties": MODELS[method]}
    if arguments["alternative"] == "better":  # the stronger is the better one
        arguments["alternative"] = "greater"
    return compare_preferences(judgements, **in_records(compare_preferences, arguments, progress=progress))


def _by_win_rate(judgements: Any, arguments: dict[str, Any], on_missing: str, progress: Any) -> Any:
    """Compare the win rates as scores of the items."""
    from bestby.questions.items.compare import compare
    from bestby.questions.preferences.source import win_rates

    del arguments["scale"]
    evaluation = win_rates(judgements, on_missing)  # type: ignore[arg-type]  # checked above
    return compare(evaluation, **in_records(compare, arguments, progress=progress))
