"""`bestby judged plan`: how many human labels beside a judge, or how many of both for a budget."""

from __future__ import annotations

from typing import Any, ClassVar

from bestby.cli import option_groups
from bestby.cli.option_groups import Count, Names, Number, Text
from bestby.cli.options import Group, argument, option, record, result_file


@record
class Question(Group):
    heading: ClassVar[str] = "Question"
    n: Count = option("N", "Number of human labels.", common=True)
    half_width: Number = option("W", "Half the length of the interval wanted.", common=True)
    margin: Number = option(
        "SIZE", "Smallest difference that matters, to be detected with --power.", common=True
    )
    power: Number = option("P", "Power wanted with --margin (default: 0.8).", common=True)
    budget: Number = option("COST", "Find the best number of items and labels for this budget.", common=True)


@record
class Costs(Group):
    heading: ClassVar[str] = "Budget"
    item_cost: Number = option("COST", "Cost of one more item (default: 0).")
    judge_cost: Number = option("COST", "Cost of the judge's calls on one item (default: 0).")
    label_cost: Number = option("COST", "Cost of the human labels of one item.")
    max_items: Count = option("N", "Largest possible number of items.")


@record
class Assumptions(Group):
    heading: ClassVar[str] = "Assumptions"
    sd: Number = option("SD", "Standard deviation of the human scores, or of their differences.", common=True)
    correlation: Number = option("R", "Correlation of the human scores with the judge's.", common=True)
    n_items: Count = option("N", "Number of items that the judge scores.", "--judged-items", common=True)
    design_effect: Number = option("F", "Factor by which clusters multiply the variance (default: 1).")
    pilot_labels: Count = option("N", "Labels by which --sd and --correlation were estimated.")
    n_strata: Count = option("N", "Number of strata, inside which --sd and --correlation are meant.")
    error_share: Number = option(
        "SHARE",
        "Share of the items on which the judge is wrong (default: as of scores 0 and 1).",
        "--judge-errors",
    )


@record
class Data(option_groups.Rows):
    judge: Names = option("COLUMN", "Column of the judge's scores; twice for two systems.")
    human: Names = option("COLUMN", "Column of the human scores, with gaps; twice for two.")
    items: Text = option("COLUMN", f"{option_groups.ITEM_HELP}.", "--item")
    systems: Names = option("NAME", "Plan for this system; twice, A then B.", "--system")
    system_column: Text = option("COLUMN", "Column with the systems of a long table (default: by its name).")
    strata: Text = option("COLUMN", "Column with the stratum of each item.", "--stratum")


@record
class Statistics(Group):
    heading: ClassVar[str] = "Statistics"
    level: float = option_groups.level_option()
    n_comparisons: int = option(
        "N", "Number of comparisons that 1 - level is divided by.", "--comparisons", default=1
    )


@record
class Output(option_groups.Output):
    csv: Text = result_file("Write the table as CSV.")
    plot: Text = result_file("Draw the plan as .png, .svg or .pdf; - writes SVG.", common=True)


@record
class JudgedPlan:
    """
    With --half-width, or with --margin and --power, the answer is the number of human labels; with --n it is
    what so many labels give; with --budget the number of items and of labels. Give --sd and --correlation, or
    a pilot in FILE: a table with columns item, system, judge and human, or judge[a], human[a], judge[b] and
    human[b].

    \b
    Examples:
      bestby judged plan pilot.csv --judged-items 5000 --half-width .02
      bestby judged plan --sd .5 --correlation .8 --judged-items 5000 --margin .04
      bestby judged plan --sd .5 --correlation .8 --budget 500 --label-cost 1
    """

    path: Text = argument("FILE", default=None, file="read")
    question: Question
    assumptions: Assumptions
    costs: Costs
    data: Data
    statistics: Statistics
    output: Output


def judged_plan(values: JudgedPlan, progress: Any) -> Any:
    """Read and plan."""
    from bestby.questions.planning.judged_source import label_plan

    del progress  # a plan takes no time
    return label_plan(values)
