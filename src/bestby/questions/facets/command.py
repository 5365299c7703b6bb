"""`bestby facets`: systems over prompts, seeds, judges and items."""

from __future__ import annotations

from typing import Any

from bestby._core.errors import InvalidInputError
from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Names, Number, Text
from bestby.cli.options import argument, choice, option, record
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
        return rest if self.study is None else {**rest, "study": [*map(_design, self.study)]}


def _design(text: str) -> dict[str, int]:
    """Return the numbers of levels of a design.

    >>> _design("prompt=6, seed=5")
    {'prompt': 6, 'seed': 5}
    """
    design = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        if not number.strip().isdigit():
            raise InvalidInputError(
                f"--study must be facets with numbers of levels, got {text!r}", hint="--study prompt=6,seed=5"
            )
        design[name.strip()] = int(number)
    return design


@record
class Output(option_groups.InPercent, option_groups.ComparisonTables):
    kind: str = option_groups.figure_kind("facets")


@record
class Facets:
    """
    FILES is a long table with a row per cell: system, item, a column for each facet (prompt, seed, judge),
    and a score, or a prediction if there is a gold; or such a table with a column per system. Of logs of
    tools that ran everything several times, the runs are the facet.

    Every facet is a sample, so that the answer is about other prompts and seeds like these, unless it is
    --fixed.

    \b
    Examples:
      bestby facets runs.csv --facets prompt,seed --nested "seed in prompt"
      bestby facets runs.jsonl --fixed judge --study prompt=10
      bestby facets answers.csv --gold gold --facets prompt --html out.html
    """

    paths: list[str] = argument("FILES", file="read")
    data: Data
    statistics: Statistics
    output: Output


def facets(values: Facets, progress: Any) -> Any:
    """Read and compare."""
    from bestby.questions.facets.compare import compare_facets
    from bestby.questions.facets.source import read_facets

    data = values.data.arguments()
    table = read_facets(values.paths, data.pop("missing", None), data.get("value_column"))
    return compare_facets(
        table, **in_records(compare_facets, {**data, **values.statistics.arguments()}, progress=progress)
    )
