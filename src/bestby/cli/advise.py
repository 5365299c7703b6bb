"""`bestby advise`: which test and which interval, and why."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bestby._core.errors import InvalidInputError
from bestby.cli import streams
from bestby.cli.compare import Cluster, Gold, Item, OnMissing, Stratum, System, SystemColumn, ValueColumn

_KINDS = {"binary": (True, True), "real": (True, False), "none": (False, False)}


def _option(metavar: str, text: str, shown: bool = False) -> Any:
    return typer.Option(metavar=metavar, help=text, show_default=shown)


Files = Annotated[list[str] | None, typer.Argument(metavar="FILES", hidden=True)]
Metric = Annotated[str | None, _option("NAME", "The measure; also bleu, rouge, uas, perplexity and such.")]
PerItem = Annotated[
    str | None, _option("binary|real|none", "Of a measure of your own: its number per item, if it is a mean.")
]
Items = Annotated[int | None, _option("N", "Items of the test set, of each dataset.")]
Differing = Annotated[int | None, _option("N", "Items (or clusters) on which the systems differ.")]
Systems = Annotated[int | None, _option("N", "Systems; 2 if not said.")]
Runs = Annotated[int, _option("N", "Runs of each system; with folds, repetitions.", shown=True)]
Datasets = Annotated[int, _option("N", "Datasets.", shown=True)]
Folds = Annotated[int, _option("N", "Folds of a cross-validation.", shown=True)]
Clustered = Annotated[bool, typer.Option("--clustered", help="Items come in documents, speakers, templates.")]
Unpaired = Annotated[bool, typer.Option("--unpaired", help="The systems were evaluated on different items.")]
Json = Annotated[str | None, _option("FILE|-", "Write the advice as JSON.")]


def advise(
    files: Files = None,
    metric: Metric = None,
    per_item: PerItem = None,
    items: Items = None,
    differing: Differing = None,
    systems: Systems = None,
    runs: Runs = 1,
    datasets: Datasets = 1,
    folds: Folds = 0,
    clustered: Clustered = False,
    unpaired: Unpaired = False,
    gold: Gold = None,
    system: System = None,
    item: Item = None,
    cluster: Cluster = None,
    stratum: Stratum = None,
    system_column: SystemColumn = None,
    value_column: ValueColumn = None,
    on_missing: OnMissing = "error",
    json: Json = None,
) -> None:
    """Say which test and which interval fit, the way there, and what would be wrong.

    Describe the experiment, or give the FILES of 'bestby compare': the numbers of items, of differing items
    and of systems, clusters and the kind of the scores are then read off them, and if the scores are real
    numbers per item, how far their differences are from normal.

    \b
    Examples:
      bestby advise --metric f1_macro --items 200 --systems 5
      bestby advise --metric bleu --runs 5
      bestby advise predictions.csv --gold label --cluster document
    """  # noqa: D301 - \b keeps the lines of the examples apart
    from bestby.cli.outputs import Outputs

    target = Outputs.of({"FILES": files, "--gold": gold}, json=json).targets.get("json")
    described = {
        "--items": items,
        "--differing": differing,
        "--systems": systems,
        "--clustered": clustered or None,
        "--unpaired": unpaired or None,
        "--per-item": per_item,
    }
    only_with_files = {
        "--gold": gold,
        "--system": system,
        "--item": item,
        "--cluster": cluster,
        "--stratum": stratum,
        "--system-column": system_column,
        "--value-column": value_column,
    }
    _refuse(described if files else only_with_files, bool(files))
    if per_item is not None and per_item not in _KINDS:
        raise InvalidInputError(f"--per-item is binary, real or none, got {per_item!r}")
    from bestby.advising.advise import advise as run

    given: dict[str, Any] = {"n_runs": runs, "n_datasets": datasets, "n_folds": folds}
    if files:
        from bestby import readers
        from bestby.comparisons.common.reading import needs_items, of_objects

        given["data"] = readers.read(
            files,
            gold=gold,
            item=item,
            cluster=cluster,
            stratum=stratum,
            systems=system or None,
            on_missing=on_missing,  # type: ignore[arg-type]  # checked by read
            system_column=system_column,
            value_column=value_column,
            texts=of_objects(metric),
            stream=False if needs_items(metric) else None,
        )
    else:
        is_mean, is_binary = (None, None) if per_item is None else _KINDS[per_item]
        given.update(
            n_items=items,
            n_differing=differing,
            n_systems=2 if systems is None else systems,
            clustered=clustered,
            paired=not unpaired,
            mean_of_items=is_mean,
            binary=is_binary,
        )
    advice = run(metric, **given)
    if target is not None and target != "-":
        from bestby.report.writers.files import write_text

        write_text(target, advice.to_json())
    streams.print_stdout(advice.to_json().rstrip("\n") if target == "-" else str(advice))


def _refuse(options: dict[str, Any], files: bool) -> None:
    given = [name for name, value in options.items() if value not in (None, [], ())]
    if given and files:
        raise InvalidInputError(
            f"{', '.join(given)} cannot be given beside files", hint="files show it themselves: leave it out"
        )
    if given:
        raise InvalidInputError(
            f"{', '.join(given)} needs files to read", hint="bestby advise FILES ..., as for bestby compare"
        )
