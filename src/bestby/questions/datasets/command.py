"""`bestby datasets`: systems compared over several datasets."""

from __future__ import annotations

from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby.advising.reading import reading_of
from bestby.cli.options import set_option_names
from bestby.comparisons.common.family import alpha_of
from bestby.inference.replicability import replicability
from bestby.questions.datasets.compare import compare_datasets
from bestby.questions.datasets.normalising import MINMAX
from bestby.questions.datasets.parameters import Datasets
from bestby.questions.datasets.ranges import read_ranges
from bestby.readers.datasets_and_folds import read_datasets
from bestby.results.replicability import Replicability

_FOR_SCORES = (
    "--metric", "--lower-is-better", "--higher-is-better", "--baseline", "--interval", "--test", "--across",
    "--alternative", "--correction", "--margin", "--csv-scores", "--statistic", "--paired",
    "--normalise", "--plot-kind",
)  # fmt: skip


def datasets(values: Datasets, progress: Any) -> Any:
    """Read and compare."""
    statistics: dict[str, Any] = values.statistics.arguments() | {"on_missing": values.data.on_missing}
    if statistics.get("normalise") not in (None, MINMAX):
        statistics["normalise"] = read_ranges(statistics["normalise"])
    reading = reading_of(values.statistics.metric)
    data: Any = read_datasets(values.paths, **values.data.arguments(), **reading)
    if isinstance(data, dict) and all(isinstance(value, float) for value in data.values()):
        return _count_of_effects(data, values)
    # Files say which column has the datasets.
    return compare_datasets(data, outer="dataset", **statistics, progress=progress)


def _count_of_effects(p_values: dict[str, float], values: Datasets) -> Replicability:
    """Count the datasets with an effect; refuse the options that are for scores and items."""
    unused = [option for option in _FOR_SCORES if option in set_option_names(values)]
    if unused:
        raise InvalidInputError(f"{unused[0]} has no effect on p-values alone", hint="leave it out")
    level = checks.probability(values.statistics.level, "level")
    return replicability(p_values, alpha=alpha_of(level))
