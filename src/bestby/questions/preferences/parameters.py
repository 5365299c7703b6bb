"""What `bestby preferences` takes."""

from __future__ import annotations

from bestby.cli.options import argument, choice, option, record
from bestby.cli.parameters import groups, outputs
from bestby.cli.parameters.groups import Names, Text
from bestby.vocabulary import allowed_names, choices


@record
class Data(groups.Rows):
    items: Text = option("COLUMN", "Column with item ids (default: item, id or item_id).", "--item")
    a: Text = option("COLUMN", "Column with the first system (default: a or model_a).")
    b: Text = option("COLUMN", "Column with the second system (default: b or model_b).")
    winner: Text = option("COLUMN", "Column that says which was better (default: winner or preference).")
    systems: Names = option("NAME", "Compare this system; repeatable (default: all).", "--system")
    clusters: Text = option(
        "COLUMN", "Column with the cluster of each item, such as its document.", "--cluster"
    )


@record
class Statistics(groups.Family):
    method: str = choice(
        "NAME", ("auto", "bradley-terry", "davidson", "win-rate"), "Method: ", default="auto"
    )
    scale: str = choice(
        "SCALE", allowed_names("scale", "preferences"), "Scale of the strengths: ", default="log"
    )
    prior: float = option(
        "N", "Judgements, half of them won, that are added between every two systems.", default=0
    )
    on_missing: str = choice(
        "RULE",
        allowed_names("on_missing", "preferences"),
        "Win rates: what to do if a system lacks items: ",
        default="error",
    )
    baseline: Text = option("NAME", "Compare every other system with this one only.")
    interval: str = option(
        "METHOD",
        "Win rates: as for compare. Strengths have score intervals. Or none.",
        choices=groups.skippable("interval"),
        default="auto",
    )
    test: str = option(
        "NAME",
        f"Strengths: {choices('test', 'preferences')}. Win rates: as for compare. Or none.",
        choices=groups.skippable("test"),
        default="auto",
    )


@record
class Output(outputs.InPercent, outputs.ComparisonTables):
    kind: str = outputs.figure_kind("preferences")


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
