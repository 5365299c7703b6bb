"""`bestby judged compare`: systems by the scores of a judge, corrected by a few human labels."""

from __future__ import annotations

from typing import Any, ClassVar

from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Names, Number, Text
from bestby.cli.options import Group, argument, choice, flag, option, record, result_file
from bestby.vocabulary import allowed_names


@record
class Data(option_groups.Rows):
    judge: Names = option(
        "COLUMN",
        "Column with a judge's scores in a long table; repeatable (default: judge, or judge_...).",
        common=True,
    )
    human: Names = option(
        "COLUMN",
        "Column with human scores in a long table; repeatable (default: human, or human_...).",
        common=True,
    )
    items: Text = option("COLUMN", f"{option_groups.ITEM_HELP}.", "--item")
    system_column: Text = option("COLUMN", "Column with the systems of a long table (default: by its name).")


@record
class Design(Group):
    heading: ClassVar[str] = "Labels"
    labels_drawn: Text = option(
        "random|stratified|COLUMN",
        "How the labelled items were chosen: at random, at random in each stratum, or with the probabilities"
        " in a column. Required.",
        common=True,
    )
    calibration: Text = option(
        "FILE",
        "Verdicts 0 and 1 of judge and humans for other items: the error rates that correct the judge's"
        " verdicts in the first file.",
        file="read",
    )
    systems: Names = option(
        "NAME", "Take this system, or those of a pattern; repeatable.", "--system", common=True
    )
    ignore: Names = option("NAME", "System, or pattern of systems, to leave out; repeatable.")
    clusters: Text = option_groups.cluster_option()
    strata: Text = option("COLUMN", "Column with the stratum of each item.", "--stratum")
    bias_by: Names = option(
        "COLUMN", "Column that the judge's bias may go with, or 'order' for the order of items; repeatable."
    )
    scale: Text = option(
        "SCALE",
        "Whether judge and humans have one scale: same or different (default: by their ranges).",
        choices=allowed_names("scale", "judged"),
    )


@record
class Statistics(option_groups.Resamples):
    metric: Text = option(
        "NAME",
        "Metric of the columns prediction[a], ..., see 'bestby metrics'.",
        choices=option_groups.metric_names,
        common=True,
    )
    lower_is_better: bool = flag("Lower human scores are better, such as penalties.")
    baseline: Text = option_groups.baseline_option()
    level: float = option_groups.level_option()
    simultaneous: bool = flag("Intervals, groups and verdicts that hold for all differences at once (max-T).")
    alternative: str = option_groups.alternative_option("judged")
    correction: str = choice(
        allowed_names("correction", "judged"),
        "Correction for several comparisons.",
        default="holm",
    )
    margin: Number = option_groups.margin_option()

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the direction as one of them."""
        rest = super().arguments()
        lower = rest.pop("lower_is_better")
        return {**rest, "greater_is_better": False if lower else None}


@record
class Output(option_groups.InPercent, option_groups.ComparisonTables):
    kind: str = option_groups.figure_kind("judged")
    csv_judges: Text = result_file("Write how far the judge agrees with the humans, by system, as CSV.")


@record
class JudgedCompare:
    """
    FILE is a table with a judge's scores of all items and human scores of some. It has a row per item and
    system: columns item, system, judge and human; or a row per item: judge[a], human[a], judge[b], ... for
    systems a, b, .... Cells of human scores are empty where there is none. Several judges are columns
    judge_x, judge_y; several humans are columns human_1, human_2, or rows of their own. Columns called
    cluster and stratum are used as such.

    With --calibration it holds verdicts of the judge only, and a second file those of judge and humans for
    other items: columns item, system, judge and human; or judge[a], human[a], ...; or judge and human, for
    all systems alike. The judge's shares are corrected by its error rates there. Clusters and strata are in
    columns of the same names in both files.

    Or it holds labels and predictions, a row per item: judge, human (the right label, for some items) and
    prediction[a], prediction[b], ... for systems a, b, .... These are compared by a --metric, such as
    f1_macro.

    The mean human scores of all items are estimated from both: the judge's scores of all items, corrected by
    the labels. That holds only if chance chose the labelled items, which --labels-drawn says; items that were
    chosen because they looked doubtful bias the result.

    \b
    Examples:
      bestby judged compare judged.csv --labels-drawn random
      bestby judged compare judged.csv --labels-drawn stratified --stratum domain
      bestby judged compare judged.csv --labels-drawn probability --bias-by length
      bestby judged compare mt.tsv --judge chrf --human mqm --labels-drawn random
      bestby judged compare verdicts.csv --calibration checked.csv
      bestby judged compare labels.csv --metric f1_macro --labels-drawn random
    """

    path: str = argument("FILE", file="read")
    data: Data
    design: Design
    statistics: Statistics
    output: Output


def judged_compare(values: JudgedCompare, progress: Any) -> Any:
    """Read and compare."""
    from bestby.questions.judged.compare import compare_judged
    from bestby.questions.judged.source import read_calibration, read_judged

    columns = values.data.arguments()
    arguments = {**values.design.arguments(), **values.statistics.arguments()}
    if values.design.calibration is None:
        scores = read_judged(values.path, **in_records(read_judged, columns))
    else:
        scores = read_judged(values.path, **in_records(read_judged, columns, human=False))
        arguments["calibration"] = read_calibration(values.design.calibration, **columns)
    return compare_judged(scores, **in_records(compare_judged, arguments, progress=progress))
