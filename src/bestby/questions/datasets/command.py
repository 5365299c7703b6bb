"""`bestby datasets`: systems compared over several datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bestby._core.errors import InvalidInputError
from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Text
from bestby.cli.options import argument, choice, flag, option, record
from bestby.vocabulary import NONE, allowed_names

if TYPE_CHECKING:
    from bestby.report.replicability import Replicability


@record
class Data(option_groups.Table):
    dataset: Text = option(
        "COLUMN", "Column with the dataset of each row (default: dataset or task).", common=True
    )
    run: Text = option(
        "COLUMN", "Column with the run of each row of scores (default: run or seed).", common=True
    )
    on_missing: str = choice(
        allowed_names("on_missing", "datasets"),
        "What to do if a system lacks datasets or items.",
        default="error",
    )


def _either(what: str) -> tuple[str, ...]:
    """Return the names that items or runs on datasets take."""
    return tuple(
        dict.fromkeys((*allowed_names(what, "datasets"), *allowed_names(what, "dataset_runs"), NONE))
    )


@record
class Statistics(option_groups.ScoreFamily):
    statistic: str = choice(allowed_names("statistic"), "Statistic of the runs.", default="mean")
    normalise: Text = option(
        "FILE|minmax",
        "Bring scores to one scale: a table with columns dataset, low and high, or minmax.",
        file="read",
    )
    paired: bool = flag("Runs with the same seed belong together: differences are taken seed by seed.")
    interval: str = choice(_either("interval"), "Intervals.", default="auto")
    test: str = choice(_either("test"), "Test.", default="auto")
    datasets: str = choice(allowed_names("datasets"), "Whether the answer is about these.", default="auto")
    across: str = choice(allowed_names("across", "datasets"), "Test over the datasets.", default="auto")


@record
class Output(option_groups.InPercent, option_groups.ComparisonTables):
    kind: str = option_groups.figure_kind("datasets")


@record
class Datasets:
    """
    FILES is a table with a row per dataset and a column per system (or columns dataset, system, score), the
    same with a column run or seed and a row per run, a table with a row per item, or a table with columns
    dataset and p_value. Logs of evaluation tools with several tasks are recognised; there may be several.

    If rows are items or runs, every dataset has its own differences, intervals and tests (--test), and the
    datasets with a difference are counted. Over the datasets, --across tests each pair; three or more systems
    are ranked. The figure is the diagram of average ranks, for two systems the differences per dataset,
    without scores the p-values.

    \b
    Examples:
      bestby datasets scores.csv --plot ranks.svg
      bestby datasets predictions.csv --dataset task --gold gold
      bestby datasets runs.csv --run seed
      bestby datasets p_values.csv --level 0.95
    """

    paths: list[str] = argument("FILES", file="read")
    data: Data
    statistics: Statistics
    output: Output


_FOR_SCORES = (
    "--metric", "--lower-is-better", "--higher-is-better", "--baseline", "--interval", "--test", "--across",
    "--datasets",
    "--alternative", "--correction", "--margin", "--csv-scores", "--statistic", "--paired",
    "--normalise", "--plot-kind",
)  # fmt: skip


def datasets(values: Datasets, progress: Any) -> Any:
    """Read and compare."""
    from bestby.comparisons.reading import reading_of
    from bestby.questions.datasets.compare import compare_datasets
    from bestby.questions.datasets.source import MINMAX, read_ranges
    from bestby.readers.reading import read_datasets

    statistics: dict[str, Any] = values.statistics.arguments() | {"on_missing": values.data.on_missing}
    if statistics.get("normalise") not in (None, MINMAX):
        statistics["normalise"] = read_ranges(statistics["normalise"])
    reading = reading_of(values.statistics.metric)
    data: Any = read_datasets(values.paths, **in_records(read_datasets, values.data.arguments()), **reading)
    if isinstance(data, dict) and all(isinstance(value, float) for value in data.values()):
        return _count_of_effects(data, values)
    # Files say which column has the datasets.
    return compare_datasets(
        data, outer="dataset", **in_records(compare_datasets, statistics, progress=progress)
    )


def _count_of_effects(p_values: dict[str, float], values: Datasets) -> Replicability:
    """Count the datasets with an effect; refuse the options that are for scores and items."""
    from bestby._core import checks
    from bestby.cli.options import set_option_names
    from bestby.inference.multiplicity import alpha_at
    from bestby.report.replicability import replicability

    unused = [option for option in _FOR_SCORES if option in set_option_names(values)]
    if unused:
        raise InvalidInputError(f"{unused[0]} has no effect on p-values alone", hint="leave it out")
    level = checks.level(values.statistics.level)
    return replicability(p_values, alpha=alpha_at(level))
