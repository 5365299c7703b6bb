"""`bestby advise`: which test and which interval, and why."""

from __future__ import annotations

from typing import Any

from bestby._core.errors import InvalidInputError
from bestby.advising.reading import needs_items, reading_of
from bestby.cli.options import set_option_names, spellings
from bestby.cli.parameters.groups import Items
from bestby.questions.advice.advise import advise as advise_on
from bestby.questions.advice.parameters import Advise
from bestby.readers import read

_SHOWN_BY_FILES = ("--items", "--differing", "--systems", "--clustered", "--unpaired", "--per-item")
_FOR_FILES = tuple(names[0] for names in spellings(Items).values())
_KINDS = {"binary": (True, True), "real": (True, False), "none": (False, False)}


def advise(values: Advise, progress: Any) -> Any:
    """Read or describe the experiment, and return the advice."""
    del progress  # nothing is resampled for long
    data, experiment = values.data, values.experiment
    _refuse(values)
    if experiment.per_item is not None and experiment.per_item not in _KINDS:
        raise InvalidInputError(f"--per-item is binary, real or none, got {experiment.per_item!r}")
    numbers: dict[str, Any] = {
        "n_runs": experiment.n_runs, "n_datasets": experiment.n_datasets, "n_folds": experiment.n_folds
    }  # fmt: skip
    metric = experiment.metric
    if values.paths:
        stream = False if needs_items(metric) else None
        numbers["data"] = read(values.paths, **data.arguments(), **reading_of(metric), stream=stream)
    else:
        is_mean, is_binary = _KINDS.get(experiment.per_item or "", (None, None))
        numbers.update(
            n_items=experiment.n_items,
            n_differing=experiment.n_differing,
            n_systems=2 if experiment.n_systems is None else experiment.n_systems,
            clustered=experiment.clustered,
            paired=not experiment.unpaired,
            mean_of_items=is_mean,
            binary=is_binary,
        )
    return advise_on(metric, **numbers)


def _refuse(values: Advise) -> None:
    """Refuse options that describe what files show, or that say how to read files where there are none."""
    given = set_option_names(values)
    names = _SHOWN_BY_FILES if values.paths else _FOR_FILES
    refused = ", ".join(name for name in names if name in given)
    if refused and values.paths:
        raise InvalidInputError(
            f"{refused} cannot be given beside files", hint="the files show it themselves: leave it out"
        )
    if refused:
        raise InvalidInputError(
            f"{refused} needs files to read", hint="bestby advise FILES ..., as for bestby compare"
        )
