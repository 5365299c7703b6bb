"""`bestby facets`: systems over prompts, seeds, judges and items."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from bestby._core.errors import InvalidInputError
from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Names, Number, Text
from bestby.cli.options import Group, argument, choice, option, record
from bestby.vocabulary import allowed_names


@record
class Data(option_groups.Columns):
    gold: Text = option("COLUMN", "Column with the gold; without it the values are scores.", common=True)
    clusters: Text = option_groups.cluster_option()
    facets: Names = option(
        "COLUMN,...",
        "Columns of the facets beside the items (default: those called prompt, seed, ...).",
        common=True,
    )
    nested: Names = option(
        "'X in Y'", "Facet X lies in Y: seed 1 of two prompts is not the same; repeatable.", common=True
    )
    fixed: Names = option("COLUMN,...", "Facets whose levels are all that matter.", common=True)
    unmatched: Names = option("COLUMN,...", "Facets whose levels differ between systems.")
    on_missing: str = choice(
        allowed_names("on_missing", "facets"), "What to do if a cell has no value.", default="pairs"
    )

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the names separated."""
        rest = super().arguments()
        for name in ("facets", "fixed", "unmatched"):
            names = option_groups.split_names(rest.get(name))
            rest |= {name: names} if names else {}
        return rest


@record
class Statistics(option_groups.Direction, option_groups.Resamples):
    metric: Text = option(
        "NAME",
        "Metric, a mean over items or a function of sums; or a name for the scores.",
        choices=option_groups.metric_names,
        common=True,
    )
    baseline: Text = option_groups.baseline_option()
    weights: str = choice(
        allowed_names("weights", "facets"), "What has the same weight in the mean.", default="levels"
    )
    study: Names = option(
        "FACET=N,...",
        "Say how sure other numbers of levels would make the first difference; repeatable.",
        common=True,
    )
    alternative: str = option_groups.alternative_option("facets")
    correction: str = choice(
        allowed_names("correction"), "Correction for several comparisons.", default="holm"
    )
    level: float = option_groups.level_option()
    margin: Number = option_groups.margin_option()

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the designs as mappings."""
        rest = super().arguments()
        if self.study is not None:
            rest["study"] = [by_facet(text, "--study prompt=6,seed=5") for text in self.study]
        return rest


@record
class Budget(Group):
    heading: ClassVar[str] = "Budget"
    budget: Number = option(
        "COST", "Say which numbers of levels are best for this budget, with --cost.", common=True
    )
    cost: Names = option(
        "FACET=COST,...",
        "What a level of a facet costs, or an answer of both systems: call=.002; repeatable.",
        common=True,
    )
    target: Number = option("SIZE", "Half an interval that is enough: the cheapest numbers are named.")

    def allocation(self) -> dict[str, Any] | None:
        """Return the arguments of `allocate`; None where nobody asked for it."""
        if not self.arguments():
            return None
        if self.budget is None or self.cost is None:
            raise InvalidInputError(
                "--budget and --cost go together", hint="--budget 500 --cost prompt=30,call=.002"
            )
        costs = by_facet(",".join(self.cost), "--cost prompt=30,call=.002")
        return {"budget": self.budget, "costs": costs, "target": self.target}


def by_facet(text: str, example: str) -> dict[str, Any]:
    """Return numbers by facet; those of levels are whole.

    >>> by_facet("prompt=30, call=.002", "--cost prompt=30")
    {'prompt': 30.0, 'call': 0.002}
    """
    option, _, _ = example.partition(" ")
    number = int if option in ("--study", "--levels") else float
    try:
        pairs = [part.split("=") for part in text.split(",")]
        found = {name.strip(): number(size) for name, size in pairs}
        if len(found) < len(pairs):
            raise ValueError("a facet has two numbers")
    except ValueError:
        raise InvalidInputError(
            f"{option} must be facets with numbers, each facet once, got {text!r}", hint=example
        ) from None
    return found


@record
class Output(option_groups.InPercent, option_groups.ComparisonTables):
    kind: str = option_groups.figure_kind("facets")


@record
class Facets:
    """
    FILES is a long table with a row per cell: system, item, a column for each facet (prompt, seed, judge),
    and a score, or a prediction if there is a gold; or such a table with a column per system. Of logs of
    evaluation tools each sample is a cell, with its epoch, task, metadata and scorer as facets.

    Every facet is a sample, so that the answer is about other prompts and seeds like these, unless it is
    --fixed.

    \b
    Examples:
      bestby facets runs.csv --facets prompt,seed --nested "seed in prompt"
      bestby facets runs.jsonl --fixed judge --study prompt=10
      bestby facets answers.csv --gold gold --facets prompt --html out.html
      bestby facets answers.csv --budget 500 --cost prompt=30,call=.002
      bestby facets a.eval b.eval --facets epoch,scorer --fixed scorer
    """

    paths: list[str] = argument("FILES", file="read")
    data: Data
    statistics: Statistics
    budget: Budget
    output: Output


def facets(values: Facets, progress: Any) -> Any:
    """Read and compare."""
    from bestby.questions.facets.compare import compare_facets
    from bestby.questions.facets.source import read_facets

    data, allocation = values.data.arguments(), values.budget.allocation()
    table = read_facets(values.paths, data.pop("missing", None), data.get("value_column"))
    arguments = {**data, **values.statistics.arguments()}
    result = compare_facets(table, **in_records(compare_facets, arguments, progress=progress))
    if allocation is None:
        return result
    return dataclasses.replace(result, allocation=result.allocate(**allocation))
