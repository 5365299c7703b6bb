"""`bestby advise`: which test and which interval, and why."""

from __future__ import annotations

from typing import Any

from bestby._core.errors import InvalidInputError
from bestby.advising.advise import advise as advise_on
from bestby.advising.reading import needs_items, reads_objects
from bestby.cli import outputs, streams
from bestby.cli.parameters.advise import Advise
from bestby.readers import read
from bestby.report.writers.files import write_text

_KINDS = {"binary": (True, True), "real": (True, False), "none": (False, False)}


def advise(values: Advise) -> None:
    """Read or describe the experiment, and print the advice."""
    data, experiment, target = values.data, values.experiment, values.output.json
    outputs.check(values.output, {"FILES": values.paths, "--gold": data.gold})
    described = {
        "--items": experiment.n_items,
        "--differing": experiment.n_differing,
        "--systems": experiment.n_systems,
        "--clustered": experiment.clustered or None,
        "--unpaired": experiment.unpaired or None,
        "--per-item": experiment.per_item,
    }
    only_with_files = {
        "--gold": data.gold,
        "--system": data.systems,
        "--ignore": data.ignore,
        "--item": data.item,
        "--cluster": data.cluster,
        "--stratum": data.stratum,
        "--system-column": data.system_column,
        "--value-column": data.value_column,
        "--missing-value": data.missing,
    }
    _refuse(described if values.paths else only_with_files, files=bool(values.paths))
    if experiment.per_item is not None and experiment.per_item not in _KINDS:
        raise InvalidInputError(f"--per-item is binary, real or none, got {experiment.per_item!r}")
    numbers: dict[str, Any] = {
        "n_runs": experiment.n_runs, "n_datasets": experiment.n_datasets, "n_folds": experiment.n_folds
    }  # fmt: skip
    metric = experiment.metric
    if values.paths:
        stream = False if needs_items(metric) else None
        numbers["data"] = read(values.paths, **data.arguments(), texts=reads_objects(metric), stream=stream)
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
    advice = advise_on(metric, **numbers)
    if target is not None and target != outputs.STDOUT:
        write_text(target, advice.to_json())
    streams.print_stdout(advice.to_json().rstrip("\n") if target == outputs.STDOUT else str(advice))


def _refuse(options: dict[str, Any], *, files: bool) -> None:
    given = ", ".join(name for name, value in options.items() if value is not None)
    if given and files:
        raise InvalidInputError(
            f"{given} cannot be given beside files", hint="the files show it themselves: leave it out"
        )
    if given:
        raise InvalidInputError(
            f"{given} needs files to read", hint="bestby advise FILES ..., as for bestby compare"
        )
