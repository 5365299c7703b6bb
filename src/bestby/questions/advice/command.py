"""`bestby advise`: which test and which interval, and why."""

from __future__ import annotations

from typing import Any, ClassVar

from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Count, Items, Names, Text
from bestby.cli.options import Group, argument, flag, option, record, spellings


@record
class Experiment(Group):
    heading: ClassVar[str] = "Experiment"
    metric: Text = option("NAME", "Metric, see 'bestby metrics'.", choices=option_groups.metric_names)
    per_item: Text = option(
        "binary|real|none",
        "For a metric of your own: its number per item, if it is a mean over items.",
        choices=("binary", "real", "none"),
    )
    n_items: Count = option("N", "Items of the test set, of each dataset.", "--items")
    n_differing: Count = option("N", "Items (or clusters) on which the systems differ.", "--differing")
    n_systems: Count = option("N", "Number of systems (default: 2).", "--systems")
    n_runs: int = option("N", "Runs of each system; with folds, repetitions.", "--runs", default=1)
    n_datasets: int = option("N", "Number of datasets.", "--datasets", default=1)
    n_folds: int = option("N", "Folds of a cross-validation.", "--folds", default=0)
    clustered: bool = flag("Items come in documents, speakers or templates.")
    unpaired: bool = flag("The systems were evaluated on different items.")


@record
class Advise:
    """
    Describe the experiment, or give its FILES, of one test set, of runs, datasets or folds: the numbers of
    items, of differing items, of systems and of what is repeated, the clusters and the kind of the scores are
    then read from the files. If the scores are real numbers per item, it is also tested how far their
    differences are from normal.

    \b
    Examples:
      bestby advise --metric f1_macro --items 200 --systems 5
      bestby advise --metric bleu --runs 5
      bestby advise predictions.csv --gold label --cluster document
    """

    paths: Names = argument("FILES", default=None, file="read")
    experiment: Experiment
    data: Items
    output: option_groups.Json


_SHOWN_BY_FILES = ("--items", "--differing", "--systems", "--clustered", "--unpaired", "--per-item")
_FOR_FILES = tuple(names[0] for names in spellings(Items).values())
_KINDS = {"binary": (True, True), "real": (True, False), "none": (False, False)}


def advise(values: Advise, progress: Any) -> Any:
    """Read or describe the experiment, and return the advice."""
    from bestby._core.errors import InvalidInputError
    from bestby.questions.advice.advise import advise as advise_on

    del progress  # nothing is resampled for long
    experiment = values.experiment
    _refuse(values)
    if experiment.per_item is not None and experiment.per_item not in _KINDS:
        raise InvalidInputError(f"--per-item is binary, real or none, got {experiment.per_item!r}")
    numbers: dict[str, Any] = {
        "n_runs": experiment.n_runs, "n_datasets": experiment.n_datasets, "n_folds": experiment.n_folds
    }  # fmt: skip
    metric = experiment.metric
    if values.paths:
        numbers |= _seen(values)
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


def _seen(values: Advise) -> dict[str, Any]:
    """Return the test set in the files; if they are read without options and hold none, what they repeat."""
    from bestby._core.errors import BestbyError
    from bestby.cli.options import set_option_names
    from bestby.comparisons.reading import needs_items, reading_of
    from bestby.readers import read

    metric = values.experiment.metric
    stream = False if needs_items(metric) else None
    paths = values.paths or []
    try:
        data = in_records(read, values.data.arguments())
        return {"data": read(paths, **data, **reading_of(metric), stream=stream)}
    except BestbyError:
        if not set_option_names(values).isdisjoint(_FOR_FILES):
            raise
        repeated = _repeated(paths)
        if repeated is None:
            raise
        return repeated


def _repeated(paths: list[str]) -> dict[str, Any] | None:
    """Return what `bestby check` recognises in files; None if no question can be asked of them."""
    from bestby._core.errors import InvalidInputError
    from bestby.questions.check.asking import system_names
    from bestby.questions.check.check import questions_answered
    from bestby.questions.check.content import tables_in

    asked, _ = questions_answered(paths, tables_in(paths)[0], advise=False)
    if not asked:
        return None
    result, command = asked[0].result, asked[0].question.command
    if command in ("compare", "evaluate"):
        return {"data": asked[0].evaluation}
    if command in ("judged compare", "preferences"):
        raise InvalidInputError(
            "the files hold judgements, and advice is about predictions and scores",
            hint=f"ask the question itself: {asked[0].typed}",
        )
    numbers: dict[str, Any] = {"n_systems": len(system_names(result)) or 2}
    if command == "runs":
        return {**numbers, "n_runs": min(len(one.runs) for one in result.systems)}
    if command == "datasets":
        data = {} if result.kind != "datasets" else result.provenance.data
        numbers["n_items"] = data.get("items")
        numbers["n_runs"] = min((n for row in data.get("runs", ()) for n in row), default=1)
        return {**numbers, "n_datasets": len(result.datasets)}
    repetitions, folds = (len(set(one)) for one in zip(*result.folds, strict=True))
    return {**numbers, "n_folds": folds, "n_runs": repetitions}


def _refuse(values: Advise) -> None:
    """Refuse options that describe what files show, or that say how to read files where there are none."""
    from bestby._core.errors import InvalidInputError
    from bestby.cli.options import set_option_names

    options = set_option_names(values)
    names = _SHOWN_BY_FILES if values.paths else _FOR_FILES
    refused = ", ".join(name for name in names if name in options)
    if refused and values.paths:
        raise InvalidInputError(
            f"{refused} cannot be given beside files", hint="the files show it themselves: leave it out"
        )
    if refused:
        raise InvalidInputError(
            f"{refused} needs files to read", hint="bestby advise FILES ..., as for bestby compare"
        )
