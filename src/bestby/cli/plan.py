"""`bestby plan`: power, sample size, smallest detectable difference, and how to spend a budget."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bestby._core.errors import InvalidInputError
from bestby.cli.compare import (
    Alternative,
    Cluster,
    Gold,
    Html,
    Item,
    Json,
    Latex,
    Markdown,
    MissingValue,
    OnMissing,
    Stratum,
    SystemColumn,
    ValueColumn,
)
from bestby.cli.progress import shown
from bestby.cli.runs import Run

if TYPE_CHECKING:
    from bestby.planning.base import Design
    from bestby.planning.runs_items import RunsAndItems


def _option(metavar: str, text: str, shown: bool = False) -> Any:
    return typer.Option(metavar=metavar, help=text, show_default=shown)


Files = Annotated[list[str] | None, typer.Argument(metavar="FILES", hidden=True)]
N = Annotated[int | None, _option("N", "Size of the study: items, clusters or runs.")]
Power = Annotated[float | None, _option("P", "Power wanted; 0.8 if neither it nor --n is given.")]
Accuracy = Annotated[
    tuple[float, float] | None, _option("A B", "Accuracies of two systems on the same items.")
]
Agreement = Annotated[float | None, _option("P", "Share of items both have right or both have wrong.")]
Difference = Annotated[float | None, _option("D", "True difference A - B to plan for.")]
Sd = Annotated[float | None, _option("SD", "Standard deviation of the differences of items.")]
Effect = Annotated[float, _option("F", "With --sd: factor of the variance due to clusters.", shown=True)]
Size = Annotated[float, _option("M", "With --sd: mean items per cluster.", shown=True)]
PilotDf = Annotated[float | None, _option("DF", "With --sd: degrees of freedom it was estimated with.")]
PilotItems = Annotated[int | None, _option("N", "With --agreement: items it was measured on.")]
AsTrue = Annotated[
    bool, typer.Option("--taken-as-true", help="Do not average over what the pilot leaves open.")
]
Lift = Annotated[float | None, _option("F", "Scores of one system (FILE, a row per run), times F.")]
Offset = Annotated[float | None, _option("D", "The same, plus D.")]
Runs = Annotated[int | None, _option("R", "Runs of each system, all on the same items.")]
Paired = Annotated[
    bool, typer.Option("--paired-runs", help="Run r of A and run r of B share seed, split or the like.")
]
ItemSd = Annotated[float | None, _option("SD", "With --runs: of the difference, between items.")]
RunSd = Annotated[float, _option("SD", "With --runs: of the difference, between runs.", shown=True)]
RestSd = Annotated[float, _option("SD", "With --runs: of what is left.", shown=True)]
Budget = Annotated[float | None, _option("COST", "With --item-sd or runs in FILE: spend this best.")]
RunCost = Annotated[float, _option("COST", "Of one more run of both systems.", shown=True)]
ItemCost = Annotated[float, _option("COST", "Of one more item: its annotation.", shown=True)]
AnswerCost = Annotated[float, _option("COST", "Of the answers of one run to one item.", shown=True)]
MaxItems = Annotated[int | None, _option("N", "The most items there can be.")]
MaxRuns = Annotated[int | None, _option("N", "The most runs there can be.")]
System = Annotated[list[str] | None, _option("NAME", "FILES: this system; twice, A then B.")]
Metric = Annotated[str | None, _option("NAME", "FILES: the measure; see 'bestby metrics'.")]
Formula = Annotated[
    bool, typer.Option("--formula", help="FILES: compute from agreement or spread, do not simulate.")
]
Test = Annotated[str | None, _option("NAME", "The test, where there is a choice; see below.")]
Comparisons = Annotated[int, _option("N", "Comparisons that 1 - level is divided over.", shown=True)]
Simulations = Annotated[int | None, _option("N", "Studies simulated; 5000 of runs, 1000 of FILES.")]
Resamples = Annotated[int, _option("N", "Resamples of the test in each of them.", shown=True)]
Level = Annotated[float, _option("P", "1 - level is the level of the test.", shown=True)]
Seed = Annotated[int, _option("N", "Seed of the simulation.", shown=True)]
Plot = Annotated[str | None, _option("FILE|-", "Draw power against size: .png, .svg, .pdf; - is SVG.")]
Csv = Annotated[str | None, _option("FILE|-", "Write the table as CSV.")]


_PILOT, _FORMULA, _RUNS = "a pilot in FILES", "--formula", "runs in FILES"
_LIFTED = ("--lift", "--offset")
_BUDGET, _NO_BUDGET = "--budget", "a plan without --budget"
_GOES_WITH = {
    "--agreement": ("--accuracy",),
    "--difference": ("--sd", "--item-sd", _PILOT, _FORMULA, _RUNS),
    "--design-effect": ("--sd",),
    "--cluster-size": ("--sd",),
    "--pilot-df": ("--sd",),
    "--pilot-items": ("--accuracy",),
    "--taken-as-true": (*_LIFTED, _PILOT, _FORMULA, _RUNS),
    "--run-sd": ("--item-sd",),
    "--rest-sd": ("--item-sd",),
    "--runs": ("--item-sd", _RUNS),
    "--paired-runs": ("--item-sd", _RUNS),
    "--formula": (_FORMULA,),
    "--metric": (_PILOT, _FORMULA),
    "--gold": (_PILOT, _FORMULA, _RUNS),
    "--item": (_PILOT, _FORMULA, _RUNS),
    "--cluster": (_PILOT, _FORMULA),
    "--stratum": (_PILOT,),
    "--on-missing": (_PILOT, _FORMULA),
    "--run": (*_LIFTED, _RUNS),
    "--system": (*_LIFTED, _PILOT, _FORMULA, _RUNS),
    "--system-column": (*_LIFTED, _PILOT, _FORMULA, _RUNS),
    "--value-column": (*_LIFTED, _PILOT, _FORMULA, _RUNS),
    "--missing-value": (*_LIFTED, _PILOT, _FORMULA, _RUNS),
    "--simulations": (*_LIFTED, _PILOT),
    "--resamples": (*_LIFTED, _PILOT),
    "--n": (_NO_BUDGET,),
    "--power": (_NO_BUDGET,),
    "--run-cost": (_BUDGET,),
    "--item-cost": (_BUDGET,),
    "--answer-cost": (_BUDGET,),
    "--max-items": (_BUDGET,),
    "--max-runs": (_BUDGET,),
}
"""The designs and questions that each option belongs to, if not to all."""


@dataclass(frozen=True)
class _Assumed:
    """What was said about the design."""

    files: list[str]
    accuracy: tuple[float, float] | None
    agreement: float | None
    difference: float | None
    sd: float | None
    design_effect: float
    cluster_size: float
    pilot_df: float | None
    pilot_items: int | None
    lift: float | None
    offset: float | None
    runs: int | None
    paired_runs: bool
    item_sd: float | None
    run_sd: float
    rest_sd: float
    budget: float | None
    metric: str | None
    systems: list[str]
    formula: bool
    test: str | None
    run: str | None
    reading: dict[str, Any]


def plan(
    context: typer.Context,
    files: Files = None,
    n: N = None,
    power: Power = None,
    accuracy: Accuracy = None,
    agreement: Agreement = None,
    difference: Difference = None,
    sd: Sd = None,
    design_effect: Effect = 1.0,
    cluster_size: Size = 1.0,
    pilot_df: PilotDf = None,
    pilot_items: PilotItems = None,
    taken_as_true: AsTrue = False,
    lift: Lift = None,
    offset: Offset = None,
    runs: Runs = None,
    paired_runs: Paired = False,
    item_sd: ItemSd = None,
    run_sd: RunSd = 0.0,
    rest_sd: RestSd = 0.0,
    budget: Budget = None,
    run_cost: RunCost = 0.0,
    item_cost: ItemCost = 0.0,
    answer_cost: AnswerCost = 0.0,
    max_items: MaxItems = None,
    max_runs: MaxRuns = None,
    gold: Gold = None,
    metric: Metric = None,
    system: System = None,
    item: Item = None,
    run: Run = None,
    cluster: Cluster = None,
    stratum: Stratum = None,
    system_column: SystemColumn = None,
    value_column: ValueColumn = None,
    on_missing: OnMissing = "error",
    missing_value: MissingValue = None,
    formula: Formula = False,
    test: Test = None,
    level: Level = 0.95,
    alternative: Alternative = "two-sided",
    comparisons: Comparisons = 1,
    simulations: Simulations = None,
    resamples: Resamples = 999,
    seed: Seed = 0,
    json: Json = None,
    csv: Csv = None,
    markdown: Markdown = None,
    latex: Latex = None,
    html: Html = None,
    plot: Plot = None,
) -> None:
    """Plan a study: its power, the size it needs, or the smallest difference it detects.

    With --n the answer is the power, with --power the size, with both the smallest difference. What is
    assumed is one of: --accuracy and --agreement; --difference and --sd; --lift or --offset of the runs in
    FILE; --runs, --difference and --item-sd (and --run-sd, --rest-sd), or --runs and a FILE of runs and
    items; or a pilot in FILES as 'bestby compare' reads them, whose items are drawn again and again. With
    --difference, the difference of a pilot is shrunk to it. The spread and the agreement of a pilot are not
    taken for the truth: the power is averaged over what the pilot leaves open.

    \b
    Tests, the first being the default:
      --accuracy          mcnemar, mcnemar-midp
      --lift, --offset    permutation, bootstrap, welch, mann-whitney
      pilot               permutation and all others of 'bestby compare'

    \b
    Examples:
      bestby plan --accuracy .83 .80 --agreement .9 --power .8
      bestby plan --accuracy .80 .80 --agreement .9 --n 1000 --power .8
      bestby plan pilot.csv --gold label --metric f1_macro --n 2000
      bestby plan --difference .02 --item-sd .3 --run-sd .01 --budget 1000 --run-cost 50 --item-cost .1
    """  # noqa: D301 - \b keeps the lines of the examples apart
    from bestby.cli.outputs import Outputs

    outputs = Outputs.of(
        {"FILES": files, "--gold": gold},
        json=json, csv=csv, markdown=markdown, latex=latex, html=html, plot=plot,
    )  # fmt: skip
    from bestby.data.columns import MISSING

    reading = {
        "gold": gold,
        "item": item,
        "cluster": cluster,
        "stratum": stratum,
        "system_column": system_column,
        "value_column": value_column,
        "on_missing": on_missing,
        "missing": MISSING if missing_value is None else missing_value,
    }
    assumed = _Assumed(
        files or [], accuracy, agreement, difference, sd, design_effect, cluster_size, pilot_df,
        pilot_items, lift, offset, runs, paired_runs, item_sd, run_sd, rest_sd, budget, metric,
        system or [], formula, test, run, reading,
    )  # fmt: skip
    asked = {"level": level, "alternative": alternative, "n_comparisons": comparisons}
    simulated = {"n_simulations": simulations, "n_resamples": resamples, "rng": seed}
    import bestby.planning as planning

    kind = _kind(assumed)
    _refuse_others(_given(context), (kind, _NO_BUDGET if budget is None else _BUDGET))
    design = _MAKERS[kind](assumed)
    if taken_as_true:
        design = design.taken_as_true()
    with shown() as progress:
        result: Any
        if budget is not None:
            spending = {"run_cost": run_cost, "item_cost": item_cost, "answer_cost": answer_cost}
            limits = {"max_items": max_items, "max_runs": max_runs}
            result = planning.allocate(design, budget, **spending, **limits, **asked)  # type: ignore[arg-type]
        elif n is None:
            wanted = 0.8 if power is None else power
            result = planning.sample_size(design, wanted, **asked, **simulated, progress=progress)  # type: ignore[arg-type]
        elif power is None:
            result = planning.power(design, n, **asked, **simulated, progress=progress)  # type: ignore[arg-type]
        else:
            result = planning.minimum_detectable(design, n, power, **asked, **simulated, progress=progress)  # type: ignore[arg-type]
    outputs.write(result)


def _given(context: typer.Context) -> set[str]:
    """Return the options that stand on the command line."""
    sources = ((option, context.get_parameter_source(option.name or "")) for option in context.command.params)
    return {
        name
        for option, source in sources
        if source is not None and source.name == "COMMANDLINE"
        for name in option.opts
    }


def _refuse_others(given: set[str], chosen: tuple[str, str]) -> None:
    """Refuse an option that the design, or the question, has no use for."""
    design, question = chosen
    for option, designs in _GOES_WITH.items():
        if option in given and not {*designs} & {*chosen}:
            raise InvalidInputError(
                f"{option} does not go with {question if {*designs} <= {_BUDGET, _NO_BUDGET} else design}",
                hint=f"leave one out; {option} is for {', '.join(designs)}",
            )


def _kind(given: _Assumed) -> str:
    """Return the one design that the options describe."""
    kinds = {
        "--accuracy": given.accuracy is not None,
        "--sd": given.sd is not None,
        "--lift": given.lift is not None,
        "--offset": given.offset is not None,
        "--item-sd": given.item_sd is not None,
    }
    named = [option for option, is_given in kinds.items() if is_given]
    if len(named) > 1:
        raise InvalidInputError(
            f"{' and '.join(named)} describe different designs", hint="'bestby plan --help' lists them"
        )
    if given.budget is not None and named not in ([], ["--item-sd"]):
        raise InvalidInputError(
            f"--budget is spent on runs and items, not with {named[0]}", hint="give --item-sd and --run-sd"
        )
    if not named and not given.files:
        raise InvalidInputError(
            "nothing is known about the study",
            hint="give --accuracy and --agreement, --difference and --sd, or a pilot in a file",
        )
    if given.files and named and named[0] not in _LIFTED:
        raise InvalidInputError(
            f"a file and {named[0]} describe different designs", hint=f"leave out {named[0]}, or the file"
        )
    of_runs = given.runs is not None or given.budget is not None
    kind = named[0] if named else _RUNS if of_runs else _FORMULA if given.formula else _PILOT
    if kind in ("--sd", "--item-sd", _RUNS):
        _refuse_test(given)
    return kind


def _refuse_test(given: _Assumed) -> None:
    if given.test is not None:
        raise InvalidInputError("--test: this design is decided by a t-test", hint="leave out --test")


def _proportions(given: _Assumed) -> Design:
    from bestby.planning.proportions import PairedProportions

    if given.accuracy is None or given.agreement is None:
        raise InvalidInputError(
            "--accuracy needs --agreement: the share of items both have right or both have wrong",
            hint="--agreement 0.9, or measure it on a pilot: bestby plan pilot.csv --gold label --formula",
        )
    return PairedProportions(
        *given.accuracy, given.agreement, given.test or "mcnemar", pilot_items=given.pilot_items
    )


def _scores(given: _Assumed) -> Design:
    from bestby.planning.scores import PairedScores

    return PairedScores(
        _difference(given),
        float(given.sd or 0.0),
        given.design_effect,
        given.cluster_size,
        pilot_df=given.pilot_df,
    )


def _runs_and_items(given: _Assumed) -> RunsAndItems:
    from bestby.planning.runs_items import RunsAndItems

    return RunsAndItems(
        _difference(given),
        float(given.item_sd or 0.0),
        given.run_sd,
        given.rest_sd,
        runs=5 if given.runs is None else given.runs,
        paired_runs=given.paired_runs,
    )


def _difference(given: _Assumed) -> float:
    # Only the smallest detectable difference can do without; the other questions then say what is missing.
    return 0.0 if given.difference is None else given.difference


def _lifted(given: _Assumed) -> Design:
    from bestby.planning.lifted import LiftedScores

    by = "factor" if given.lift is not None else "offset"
    lift = given.lift if given.lift is not None else float(given.offset or 0.0)
    return LiftedScores(_scores_of_runs(given), lift, by, given.test or "permutation")


def _scores_of_runs(given: _Assumed) -> Any:
    """Return the scores of one system: a value per line, a column of a wide table, or rows of a long one."""
    from bestby._core.paths import readable_file
    from bestby.data.layouts.long import system_column_of
    from bestby.data.roles import ITEM_WORDS, RUN_WORDS, Roles
    from bestby.data.table import Table
    from bestby.data.values import as_scores
    from bestby.readers.files import read_values

    path = _one_file(given)
    name = given.systems[0] if len(given.systems) == 1 else None
    found = read_values(readable_file(path), name or "score", frozenset({*given.reading["missing"], ""}))
    if isinstance(found, Table):
        named = given.reading["system_column"] or system_column_of(found, Roles(), given.systems)
        if named is not None:
            runs = _runs_of(given, None).runs
            return runs[_only(name, list(runs))]
        others = {*RUN_WORDS, *ITEM_WORDS, "gold", "cluster", "stratum", given.run}
        found = found.column(_only(name, [column for column in found.names if column not in others]))
    numbers = as_scores(found)
    return numbers.values[~numbers.missing]


def _only(name: str | None, names: list[str]) -> str:
    if name in names or (name is None and len(names) == 1):
        return name or names[0]
    raise InvalidInputError(
        f"the scores of one system are lifted, got {name or len(names)} of: {', '.join(names)}",
        hint=f"--system {names[0]}" if names else "a column of scores is needed",
    )


def _one_file(given: _Assumed) -> str:
    if len(given.files) != 1:
        raise InvalidInputError(
            f"runs are read from one file, got {len(given.files)}", hint="bestby plan runs.csv --lift 1.05"
        )
    return given.files[0]


def _runs_in_file(given: _Assumed) -> RunsAndItems:
    import numpy as np

    from bestby.planning.runs_items import RunsAndItems

    found = _runs_of(given, given.systems or None)
    a, b = _two(given, list(found.runs))
    values = [np.asarray(found.runs[name]) for name in (a, b)]
    if found.gold is not None:
        values = [(rows == found.gold).astype(np.float64) for rows in values]
    return RunsAndItems.from_pilot(
        *values, runs=given.runs, paired_runs=given.paired_runs, difference=given.difference
    )


def _runs_of(given: _Assumed, systems: list[str] | None) -> Any:
    from bestby.readers.runs import read_runs

    reading = {key: value for key, value in given.reading.items() if key not in ("stratum", "on_missing")}
    golds = reading.pop("gold") or [None]
    if len(golds) > 1:
        raise InvalidInputError(
            f"runs have one column of the gold, got {len(golds)}", hint="name one: --gold ..."
        )
    return read_runs(
        _one_file(given), gold=golds[0], run=given.run, systems=systems, paired=given.paired_runs, **reading
    )


def _two(given: _Assumed, names: list[str]) -> tuple[str, str]:
    chosen = given.systems or names
    if len(chosen) != 2:
        raise InvalidInputError(
            f"a plan is about two systems, got {len(chosen)}: {', '.join(chosen)}",
            hint=f"--system {names[0]} --system {names[-1]}",
        )
    return chosen[0], chosen[1]


def _pilot(given: _Assumed) -> Design:
    from bestby import readers
    from bestby.comparisons.common.reading import of_objects
    from bestby.metrics.suitability import chosen_metric
    from bestby.planning.pilot import Pilot
    from bestby.planning.proportions import PairedProportions
    from bestby.planning.scores import PairedScores

    evaluation = readers.read(
        given.files,
        systems=given.systems or None,
        texts=of_objects(given.metric),
        stream=False,
        **given.reading,
    )
    a, b = _two(given, list(evaluation.names))
    if not given.formula:
        pilot = Pilot(evaluation, given.metric, a, b, given.test or "permutation")
        return pilot if given.difference is None else pilot.assuming(given.difference)
    pair = dataclasses.replace(evaluation, systems={name: evaluation.systems[name] for name in (a, b)})
    chosen_metric(given.metric, {"": pair})  # refuses probabilities and numbers, which no formula is for
    if given.metric not in (None, "accuracy", "mean") or evaluation.missing:
        raise InvalidInputError(
            f"there is no formula for {given.metric or 'missing predictions'}: only for accuracy and means",
            hint="leave out --formula: the pilot is then simulated",
        )
    instead = "leave out --formula: the pilot is then simulated"
    evaluation.require_support("the formula for a pilot", ["clusters"], instead)
    x, y = evaluation.systems[a], evaluation.systems[b]
    if evaluation.gold is not None:
        x, y = x == evaluation.gold, y == evaluation.gold
        if evaluation.clusters is None:
            design = PairedProportions.from_pilot(x, y, test=given.test or "mcnemar")
            wanted = given.difference
            return design if wanted is None else design.with_effect(wanted)
    _refuse_test(given)
    return PairedScores.from_pilot(
        1.0 * x, 1.0 * y, clusters=evaluation.clusters, difference=given.difference
    )


_MAKERS = {
    "--accuracy": _proportions,
    "--sd": _scores,
    "--lift": _lifted,
    "--offset": _lifted,
    "--item-sd": _runs_and_items,
    _RUNS: _runs_in_file,
    _FORMULA: _pilot,
    _PILOT: _pilot,
}
