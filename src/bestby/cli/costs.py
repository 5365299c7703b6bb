"""Costs of each item in the files of a command, read beside the quality."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bestby._core.errors import InvalidInputError

if TYPE_CHECKING:
    from bestby.comparisons.costs import ReadColumn
    from bestby.data.evaluation import Evaluation

_OF_QUALITY = (
    "gold",
    "annotators",
    "classes",
    "normalise",
    "label_separator",
    "value_column",
    "format_options",
)
"""Arguments of `read` that say how predictions are read."""


def read_with_costs(
    values: Any, metric: str | None, costs: Sequence[str], **more: Any
) -> tuple[Evaluation, dict[str, Any], ReadColumn]:
    """Return the quality in the files of a command, its other arguments, and what reads a column of costs.

    `costs` are the columns that are costs. Without gold, a metric that is a column of a long table or a score
    of logs chooses it.
    """
    from bestby.cli.inputs import columns_of_table, format_options, in_records, read_evaluation
    from bestby.comparisons.costs import in_wide, item_column, missing_costs, renamed, systems_by_column
    from bestby.readers import read

    columns = columns_of_table(values.paths or [])
    if costs:
        more["stream"] = False
    is_long = columns is None or any(cost in columns for cost in costs)
    named = values.data.value_column is None and values.data.gold is None and costs and is_long
    if named and metric not in (None, "mean") and (columns is None or metric in columns):
        more["value_column"] = metric
    beside = [] if is_long else [one for cost in costs for one in systems_by_column(columns or [], cost)]
    if beside and values.data.systems is None:
        more["ignore"] = [*(values.data.ignore or []), *beside]
    evaluation, statistics = read_evaluation(values, **more)
    if evaluation.suggested is not None and "value_column" in more:
        statistics.pop("metric")  # the scores of logs know their direction

    def read_column(name: str) -> Evaluation:
        data = {key: one for key, one in values.data.arguments().items() if key not in _OF_QUALITY}
        data |= {"stream": False, **format_options(values.data.format_options)}
        data |= {"on_missing": missing_costs(values.data.on_missing)}
        if columns is None or name in columns:
            if columns is not None and "gold" in columns:  # long tables bring it along unasked
                data["ignore"] = [*(values.data.ignore or []), "gold"]
            return read(values.paths, **in_records(read, {**data, "value_column": name}))
        own = in_wide(columns, evaluation.names, name)
        data = {key: one for key, one in data.items() if key != "ignore"}
        if values.data.systems is None:
            data["items"] = item_column(data.get("items"), columns)
        return renamed(read(values.paths, **in_records(read, {**data, "systems": [*own.values()]})), own)

    return evaluation, statistics, read_column


def costs_by_option(texts: Sequence[str]) -> dict[str, Any]:
    """Return the costs that --cost gives: columns by their names, and prices, each SYSTEM=NUMBER, as one.

    >>> costs_by_option(["latency_ms", "large=3", "small=.5"])
    {'latency_ms': 'latency_ms', 'price': {'large': 3.0, 'small': 0.5}}
    """
    costs: dict[str, Any] = {}
    for text in texts:
        name, sign, number = text.rpartition("=")
        if not sign:
            costs[text] = text
            continue
        try:
            price = float(number)
        except ValueError as error:
            raise InvalidInputError(
                f"--cost must be a column or SYSTEM=PRICE, got {text!r}",
                hint="--cost latency_ms, or --cost bert=0.5",
            ) from error
        prices = costs.setdefault("price", {})
        if name in prices:
            raise InvalidInputError(f"--cost is given twice for {name!r}", hint="give each system one price")
        prices[name] = price
    return costs
