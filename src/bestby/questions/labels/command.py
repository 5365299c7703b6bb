"""`bestby judged choose`: a random draw of the items to label."""

from __future__ import annotations

from typing import Any, ClassVar

from bestby._core.errors import InvalidInputError
from bestby.cli import option_groups
from bestby.cli.inputs import columns_of_table, in_records
from bestby.cli.option_groups import Count, Names, Text
from bestby.cli.options import Group, argument, choice, flag, option, record, result_file
from bestby.vocabulary import allowed_names

JUDGE = "judge"
"""The column of the judge's scores in a table with a row per item and system."""


@record
class Data(option_groups.Columns):
    clusters: Text = option("COLUMN", "Column with the cluster of each item, drawn as a whole.", "--cluster")
    strata: Text = option("COLUMN", "Column with the stratum of each item.", "--stratum")
    ids_only: bool = flag("FILE is a table of items without scores.")


@record
class Draw(Group):
    heading: ClassVar[str] = "Draw"
    n: Count = option("N", "Number of items (or clusters) to draw.", common=True)
    shuffle: bool = flag("Write the items in random order; without --n all of them.", common=True)
    stratify_by: Text = option(
        "WHAT",
        "Make strata from the judge: score or disagreement.",
        choices=allowed_names("stratify_by", "choose"),
        common=True,
    )
    n_bins: int = option("N", "Number of quantile bins for --stratify-by.", "--bins", default=4)
    allocation: str = choice(
        allowed_names("allocation", "choose"), "How strata share the draw.", default="proportional"
    )
    sds: Names = option(
        "STRATUM=SD", "Standard deviation in a stratum, for --allocation neyman; repeatable.", "--sd"
    )
    rng: int = option("N", "Seed of the draw.", "--seed", default=0, common=True)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the standard deviations by stratum."""
        rest = super().arguments()
        return rest if self.sds is None else {**rest, "sds": dict(map(_deviation, self.sds))}


def _deviation(text: str) -> tuple[str, float]:
    """Return the name of a stratum and its standard deviation.

    >>> _deviation("0.2 to 0.4=0.13")
    ('0.2 to 0.4', 0.13)
    """
    name, _, number = text.rpartition("=")
    try:
        return name, float(number)
    except ValueError as error:
        raise InvalidInputError(
            f"--sd must be a stratum and its standard deviation, got {text!r}", hint="--sd news=0.3"
        ) from error


@record
class Output(option_groups.Output):
    csv: Text = result_file("Write the ids of the items with their probabilities as CSV.")
    plot: Text = result_file("Draw the share of each stratum as .png, .svg or .pdf; - writes SVG.")


@record
class JudgedChoose:
    """
    FILES hold the scores of a judge as 'bestby compare' reads scores, or with --ids-only a table of items.
    In a table with the columns item, system and judge, as 'bestby judged compare' reads it, the column of the
    judge is used; of several judges name one: --value-column. The result lists the items to label with the
    probability of each to be drawn; label all of them, and give the probabilities when you compare. --cluster
    draws whole clusters; leave it out to draw single items.

    \b
    Examples:
      bestby judged choose scores.csv --n 100 --csv to_label.csv
      bestby judged choose judged.csv --n 100 --csv -
      bestby judged choose s.csv --n 100 --stratify-by score --allocation neyman
      bestby judged choose items.csv --ids-only --shuffle --csv order.csv
    """

    paths: list[str] = argument("FILES", file="read")
    data: Data
    draw: Draw
    output: Output


_OF_SCORES = {
    "systems": "--system",
    "ignore": "--ignore",
    "system_column": "--system-column",
    "value_column": "--value-column",
}


def judged_choose(values: JudgedChoose, progress: Any) -> Any:
    """Read and draw."""
    from bestby.questions.labels.choose import choose_items
    from bestby.readers.reading import read

    del progress  # a draw takes no time
    data, draw = values.data.arguments(), values.draw.arguments()
    if data.pop("ids_only"):
        ids, groups = _ids(values)
        return choose_items(ids, **groups, **draw)
    if values.data.value_column is None and {JUDGE, "system"} <= {*(columns_of_table(values.paths) or ())}:
        data["value_column"] = JUDGE
    return choose_items(read(values.paths, stream=False, **in_records(read, data)), **draw)


def _ids(values: JudgedChoose) -> tuple[Any, dict[str, Any]]:
    """Return the ids of a table without scores, and its clusters and strata."""
    import numpy as np

    from bestby.data.columns import MISSING
    from bestby.data.roles import ITEM_WORDS
    from bestby.readers.one_table import one_table

    data = values.data
    score_option = next((option for name, option in _OF_SCORES.items() if getattr(data, name)), None)
    if score_option is not None:
        raise InvalidInputError(
            f"--ids-only reads no scores, and {score_option} is about scores", hint="leave one out"
        )
    table = one_table(values.paths, "the ids of the items", data.missing or MISSING)
    if data.items:
        table, item = table.with_joined_ids(data.items, ()) if len(data.items) > 1 else (table, data.items[0])
    else:
        item = table.column_called(None, ITEM_WORDS, "items")
    columns = {
        "clusters": (data.clusters, "cluster"),
        "strata": (data.strata, "stratum"),
    }
    groups = {
        what: np.array(table.texts(table.require(column or word, word), word))
        for what, (column, word) in columns.items()
        if column is not None or word in table.data
    }
    return np.array(table.texts(table.require(item, "item"), "item")), groups
