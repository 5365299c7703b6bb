"""The settings of a comparison over several datasets, and those that a form of the data has no use for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bestby._core import checks
from bestby.comparisons.common import per_dataset
from bestby.comparisons.common.per_dataset import Options
from bestby.questions.datasets.source import Source, check_outer, refuse_p_values
from bestby.questions.runs.settings import Settings


def refuse_forms(data: Any, outer: str | None, columns: Mapping[str, Any]) -> None:
    """Refuse p-values, and names of keys or columns that this form of the data does not have."""
    check_outer(data, outer)
    refuse_p_values(data)
    per_dataset.refuse_columns(data, columns)


def _refuse_unused(
    source: Source, *, interval: str | None, test: str | None, statistic: str, paired: bool, **_: Any
) -> None:
    """Refuse options of runs where there are none, and of items where there are scores."""
    checks.refuse_unused(
        "data without several runs on each dataset", statistic=(statistic, "mean"), paired=(paired, False)
    )
    if source.items is not None:
        return
    if test != "permutation":
        checks.refuse_unused(
            "scores or comparisons of datasets, which hold no items to test", test=(test or "auto", "auto")
        )
    if interval == "tango":
        where = "mean differences over datasets, which are not proportions"
        checks.refuse_unused(where, interval=(interval, "auto"))


def settings_of(source: Source, across: str, normalise: Any, **asked: Any) -> tuple[Options, Settings | None]:
    """Return the settings of all differences, and those of runs if there are any, checked."""
    shared = {name: value for name, value in asked.items() if name not in ("statistic", "paired", "baseline")}
    if asked["test"] is None:
        checks.refuse_unused("a comparison without tests (test=None)", across=(across, "auto"))
    if source.runs is not None:
        return Options.checked("dataset_runs", **shared), Settings.checked("dataset_runs", **asked)
    if source.table is None:
        where = "items, and comparisons of items, whose metric has a scale"
        checks.refuse_unused(where, normalise=(normalise, None))
    options = Options.checked("datasets", **shared)
    _refuse_unused(source, **asked)
    return options, None
