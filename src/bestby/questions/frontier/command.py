"""`bestby frontier`: quality beside cost, and which systems may be worth theirs."""

from __future__ import annotations

from typing import Any, ClassVar

from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Names, Number, Text
from bestby.cli.options import argument, option, record, result_file
from bestby.questions.items import command as items_parameters


@record
class Statistics(option_groups.Direction, option_groups.Resamples):
    quality: Text = option(
        "NAME",
        "Quality: a metric, see 'bestby metrics', or the column (of logs the score) that holds it.",
        choices=option_groups.metric_names,
        common=True,
    )
    cost: Names = option(
        "COLUMN|NAME=PRICE",
        "Cost: a column with a number per item, latency_ms@0.95 for a quantile of it; or the price of a"
        " system; repeatable.",
        common=True,
    )
    margin: Number = option(
        "SIZE", "How far behind the best a system may be; names the cheapest of those.", common=True
    )
    level: float = option("P", "Level of the frontier and of the intervals.", default=0.95)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the quality as the metric that readers ask for."""
        rest = super().arguments()
        return rest if self.quality is None else {**rest, "metric": [rest.pop("quality")]}


@record
class Output(option_groups.Tables):
    table: ClassVar[str | None] = "systems"
    csv: Text = result_file("Write the systems as CSV.")


@record
class Frontier:
    """
    FILES are as for 'bestby compare'. A cost is a column of a long table, or in a wide one a column for each
    system whose name has that of the system and that of the cost (bert_latency_ms); of logs it is one of
    their numbers, such as latency, tokens or cost, which 'bestby check' lists.

    \b
    Examples:
      bestby frontier runs.csv --quality score --cost usd --margin 0.02
      bestby frontier runs.csv --quality score --cost usd --cost latency_ms@0.95
      bestby frontier preds.csv --gold label --cost large=3 --cost small=0.5
    """

    paths: list[str] = argument("FILES", file="read")
    data: items_parameters.Data
    statistics: Statistics
    output: Output


def frontier(values: Frontier, progress: Any) -> Any:
    """Read quality and costs, and compare."""
    from bestby._core.errors import InvalidInputError
    from bestby.cli.costs import costs_by_option, read_with_costs
    from bestby.comparisons.costs import statistic_of
    from bestby.questions.frontier.compare import frontier as compare

    costs = costs_by_option(values.statistics.cost or [])
    if not costs:
        raise InvalidInputError(
            "no cost was given",
            hint="name a column, --cost latency_ms, or prices, --cost large=3 --cost small=.5",
        )
    columns = {name: statistic_of(name)[0] for name, given in costs.items() if isinstance(given, str)}
    evaluation, statistics, read = read_with_costs(values, values.statistics.quality, [*columns.values()])
    costs |= {name: read(column) for name, column in columns.items()}
    arguments = in_records(compare, {**statistics, "cost": costs}, progress=progress)
    arguments |= {"quality": arguments.pop("metric", None), "on_missing": values.data.on_missing}
    return compare(evaluation, **arguments)
