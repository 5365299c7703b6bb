"""The design that the options and files of `bestby plan` describe."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.options import set_option_names
from bestby.comparisons.reading import reading_of, reads_objects
from bestby.data.columns import MISSING
from bestby.data.layouts.items import system_column_of
from bestby.data.roles import ITEM_WORDS, RUN_WORDS, Roles
from bestby.data.table import Table
from bestby.data.values import as_scores
from bestby.metrics.suitability import chosen_metric
from bestby.planning.base import Design
from bestby.planning.paired import PairedProportions, PairedScores
from bestby.questions.facets.command import by_facet
from bestby.questions.facets.faceted_scores import FacetedScores
from bestby.questions.facets.result import FacetsComparison
from bestby.questions.planning.command import Assumptions, Plan
from bestby.questions.planning.runs_items import RunsAndItems
from bestby.questions.planning.simulated import LiftedScores, Pilot
from bestby.readers import read
from bestby.readers.files import read_values
from bestby.readers.reading import read_runs
from bestby.report.loading import load

_PILOT, _FORMULA, _RUNS = "a pilot in FILES", "--formula", "runs in FILES"
_LIFTED = ("--lift", "--offset")
_BUDGET, _NO_BUDGET = "--budget", "a plan without --budget"
_FILES = (_PILOT, _FORMULA, _RUNS)
_FACETS = "the JSON of 'bestby facets'"
_CHEAPEST = "a plan with --cost and without --budget"

_GOES_WITH = {
    "--agreement": ("--accuracy",),
    "--difference": ("--sd", "--item-sd", "--component", _FACETS, *_FILES),
    "--design-effect": ("--sd",),
    "--cluster-size": ("--sd",),
    "--pilot-df": ("--sd",),
    "--pilot-items": ("--accuracy",),
    "--taken-as-true": (*_LIFTED, _FACETS, *_FILES),
    "--run-sd": ("--item-sd",),
    "--rest-sd": ("--item-sd",),
    "--runs": ("--item-sd", _RUNS),
    "--paired-runs": ("--item-sd", _RUNS),
    "--levels": ("--component", _FACETS),
    "--fixed": ("--component",),
    "--counted": ("--component", _FACETS),
    "--cost": ("--component", _FACETS),
    "--formula": (_FORMULA,),
    "--metric": (_PILOT, _FORMULA),
    "--gold": _FILES,
    "--item": _FILES,
    "--cluster": (_PILOT, _FORMULA),
    "--stratum": (_PILOT,),
    "--on-missing": (_PILOT, _FORMULA),
    "--run": (*_LIFTED, _RUNS),
    "--system": (*_LIFTED, _FACETS, *_FILES),
    "--ignore": _FILES,
    "--system-column": (*_LIFTED, *_FILES),
    "--value-column": (*_LIFTED, *_FILES),
    "--missing-value": (*_LIFTED, *_FILES),
    "--margin": ("--accuracy", "--sd", _FORMULA),
    "--simulations": (*_LIFTED, _PILOT),
    "--resamples": (*_LIFTED, _PILOT),
    "--n": (_NO_BUDGET,),
    "--power": (_NO_BUDGET, _CHEAPEST),
    "--run-cost": (_BUDGET,),
    "--item-cost": (_BUDGET,),
    "--answer-cost": (_BUDGET,),
    "--max-items": (_BUDGET,),
    "--max-runs": (_BUDGET,),
}
"""The designs and questions that each option belongs to, if not to all."""


def described_design(values: Plan) -> Any:
    """Return the design that the options describe; refuse the options that it has no use for."""
    kind = _kind(values)
    questions = {_BUDGET, _NO_BUDGET, _CHEAPEST}
    question = _NO_BUDGET if values.costs.cost is None else _CHEAPEST
    question = question if values.question.budget is None else _BUDGET
    options = set_option_names(values)
    for option, designs in _GOES_WITH.items():
        if option in options and not {*designs} & {kind, question}:
            raise InvalidInputError(
                f"{option} does not go with {question if {*designs} <= questions else kind}",
                hint=f"leave one out; {option} is for {', '.join(designs)}",
            )
    design = _DESIGNS[kind](values)
    return design.taken_as_true() if values.assumptions.taken_as_true else design


def _kind(values: Plan) -> str:
    """Return the one design that the options describe."""
    assumed = values.assumptions
    kinds = {
        "--accuracy": assumed.accuracy,
        "--sd": assumed.sd,
        "--lift": assumed.lift,
        "--offset": assumed.offset,
        "--item-sd": assumed.item_sd,
        "--component": assumed.component,
    }
    named = [option for option, value in kinds.items() if value is not None]
    budget = values.question.budget
    if len(named) > 1:
        raise InvalidInputError(
            f"{' and '.join(named)} describe different designs", hint="'bestby plan --help' lists them"
        )
    if budget is not None and named not in ([], ["--item-sd"], ["--component"]):
        raise InvalidInputError(
            f"--budget is spent on runs and items, not with {named[0]}", hint="give --item-sd and --run-sd"
        )
    if not named and not values.paths:
        raise InvalidInputError(
            "nothing is known about the study",
            hint="give --accuracy and --agreement, --difference and --sd, or a pilot in a file",
        )
    if values.paths and named and named[0] not in _LIFTED:
        raise InvalidInputError(
            f"a file and {named[0]} describe different designs", hint=f"leave out {named[0]}, or the file"
        )
    has_runs = assumed.runs is not None or budget is not None
    kind = named[0] if named else _RUNS if has_runs else _FORMULA if values.data.formula else _PILOT
    if not named and _facets_in_file(values) is not None:
        kind = _FACETS
    if kind in ("--sd", "--item-sd", "--component", _RUNS, _FACETS):
        _refuse_test(values)
    return kind


def _refuse_test(values: Plan) -> None:
    if values.statistics.test is not None:
        raise InvalidInputError("--test: this design is decided by a t-test", hint="leave out --test")


def _proportions(values: Plan) -> Design:
    assumed = values.assumptions
    if assumed.accuracy is None or assumed.agreement is None:
        raise InvalidInputError(
            "--accuracy needs --agreement: the share of items both have right or both have wrong",
            hint="--agreement 0.9, or measure it on a pilot: bestby plan pilot.csv --gold label --formula",
        )
    test: Any = values.statistics.test or "mcnemar"  # the record checks the name
    design = PairedProportions(*assumed.accuracy, assumed.agreement, test, pilot_items=assumed.pilot_items)
    if values.question.margin is None:
        return design
    _refuse_test(values)
    return design.with_margin(values.question.margin)


def _scores(values: Plan) -> Design:
    assumed = values.assumptions
    assumptions = _assumptions(assumed, "design_effect", "cluster_size", "pilot_df")
    return PairedScores(
        _difference(values), float(assumed.sd or 0.0), margin=values.question.margin, **assumptions
    )


def _runs_and_items(values: Plan) -> RunsAndItems:
    assumed = values.assumptions
    sds = (assumed.item_sd or 0.0, assumed.run_sd or 0.0, assumed.rest_sd or 0.0)
    return RunsAndItems(_difference(values), *sds, **_assumptions(assumed, "runs", "paired_runs"))


def _facets_in_file(values: Plan) -> FacetsComparison | None:
    """Return the comparison over facets that a JSON file holds, if it holds one."""
    paths = values.paths or []
    if len(paths) != 1 or not paths[0].endswith(".json"):
        return None
    try:
        result = load(readable_file(paths[0]))
    except InvalidInputError:  # data in JSON
        return None
    return result if isinstance(result, FacetsComparison) else None


def _of_facets(values: Plan) -> FacetedScores:
    assumed = values.assumptions
    sizes = by_facet(",".join(assumed.levels), "--levels prompt=6,seed=5") if assumed.levels else {}
    pilot = _facets_in_file(values)
    if pilot is None:
        components = by_facet(",".join(assumed.component or []), "--component 'prompt=.01,prompt x item=.3'")
        fixed = tuple(option_groups.split_names(assumed.fixed) or ())
        return FacetedScores(_difference(values), components, sizes, fixed, counted=assumed.counted)
    pair: Any = pilot[_two(values.data.systems)] if values.data.systems else pilot
    return FacetedScores.from_pilot(
        pair, levels=sizes, difference=assumed.difference, counted=assumed.counted
    )


def _assumptions(assumed: Assumptions, *names: str) -> dict[str, Any]:
    return {name: value for name, value in assumed.arguments().items() if name in names}


def _difference(values: Plan) -> float:
    # Only the smallest detectable difference can do without; the other questions then say what is missing.
    return values.assumptions.difference or 0.0


def _lifted(values: Plan) -> Design:
    assumed = values.assumptions
    test: Any = values.statistics.test or "permutation"
    if assumed.lift is not None:
        return LiftedScores(_scores_of_runs(values), assumed.lift, "factor", test)
    return LiftedScores(_scores_of_runs(values), float(assumed.offset or 0.0), "offset", test)


def _scores_of_runs(values: Plan) -> Any:
    """Return the scores of one system: a value per line, a column of a wide table, or rows of a long one."""
    path, systems = _one_file(values), values.data.systems or []
    missing = values.data.missing or MISSING
    name = systems[0] if len(systems) == 1 else None
    column = read_values(readable_file(path), name or "score", frozenset({*missing, ""}))
    if isinstance(column, Table):
        named = values.data.system_column or system_column_of(column, Roles(), systems)
        if named is not None:
            runs = _runs_of(values, None).runs
            return runs[_only(name, list(runs))]
        others = {*RUN_WORDS, *ITEM_WORDS, "gold", "cluster", "stratum", values.data.run}
        column = column.column(_only(name, [one for one in column.names if one not in others]))
    numbers = as_scores(column)
    return numbers.values[~numbers.missing]


def _only(name: str | None, names: list[str]) -> str:
    if name in names or (name is None and len(names) == 1):
        return name or names[0]
    raise InvalidInputError(
        f"the scores of one system are lifted, got {name or len(names)} of: {', '.join(names)}",
        hint=f"--system {names[0]}" if names else "a column of scores is needed",
    )


def _one_file(values: Plan) -> str:
    paths = values.paths or []
    if len(paths) != 1:
        raise InvalidInputError(
            f"runs are read from one file, got {len(paths)}", hint="bestby plan runs.csv --lift 1.05"
        )
    return paths[0]


def _runs_in_file(values: Plan) -> RunsAndItems:
    table = _runs_of(values, values.data.systems)
    shared = next((note for note in table.notes if note.code == "runs_share_levels"), None)
    if shared is not None and values.data.run is None:
        raise InvalidInputError(
            shared.message,
            hint=f"bestby facets {_one_file(values)} --json pilot.json, then bestby plan pilot.json; if the"
            " runs of one column are independent, name it: --run ...",
        )
    a, b = _two(list(table.runs))
    rows = [np.asarray(table.runs[name]) for name in (a, b)]
    if table.gold is not None:
        rows = [(one == table.gold).astype(np.float64) for one in rows]
    assumed = values.assumptions
    return RunsAndItems.from_pilot(
        *rows, runs=assumed.runs, paired_runs=assumed.paired_runs, difference=assumed.difference
    )


def _runs_of(values: Plan, systems: list[str] | None) -> Any:
    reading = _reading(values)
    for name in ("strata", "on_missing", "systems"):
        reading.pop(name, None)
    golds = reading.pop("gold", [None])
    if len(golds) > 1:
        raise InvalidInputError(
            f"runs have one column of the gold, got {len(golds)}", hint="name one: --gold ..."
        )
    paired = values.assumptions.paired_runs
    return read_runs(
        _one_file(values),
        gold=golds[0],
        run=values.data.run,
        systems=systems,
        paired=paired,
        **in_records(read_runs, reading),
    )


def _reading(values: Plan) -> dict[str, Any]:
    """Return the arguments of the readers."""
    return {
        name: value
        for name, value in values.data.arguments().items()
        if name not in ("run", "metric", "formula")
    }


def _two(names: list[str]) -> tuple[str, str]:
    if len(names) != 2:
        raise InvalidInputError(
            f"a plan is about two systems, got {len(names)}: {', '.join(names)}",
            hint=f"--system {names[0]} --system {names[-1]}",
        )
    return names[0], names[1]


def _pilot(values: Plan) -> Design:
    metric = values.data.metric
    test: Any = values.statistics.test
    difference = values.assumptions.difference
    evaluation = read(
        values.paths or [], **reading_of(metric), stream=False, **in_records(read, _reading(values))
    )
    a, b = _two(list(evaluation.names))
    if not values.data.formula:
        pilot = Pilot(evaluation, metric, a, b, test or "auto")
        return pilot if difference is None else pilot.assuming(difference)
    pair = dataclasses.replace(evaluation, systems={name: evaluation.systems[name] for name in (a, b)})
    chosen_metric(metric, pair)  # refuses probabilities and numbers, which no formula is for
    instead = "leave out --formula: the pilot is then simulated"
    suggested = evaluation.suggested if reads_objects(evaluation.suggested) else None
    if metric not in (None, "accuracy", "mean") or suggested or evaluation.missing:
        what = metric or suggested or "missing predictions"
        raise InvalidInputError(f"there is no formula for {what}: only for accuracy and means", instead)
    evaluation.require_support("the formula for a pilot", ["clusters"], instead)
    x, y = evaluation.systems[a], evaluation.systems[b]
    if evaluation.gold is not None:
        x, y = x == evaluation.gold, y == evaluation.gold
        if evaluation.clusters is None and values.question.margin is None:
            design = PairedProportions.from_pilot(x, y, test=test or "mcnemar")
            return design if difference is None else design.with_effect(difference)
    _refuse_test(values)
    scores = PairedScores.from_pilot(1.0 * x, 1.0 * y, clusters=evaluation.clusters, difference=difference)
    return dataclasses.replace(scores, margin=values.question.margin)


_DESIGNS = {
    "--accuracy": _proportions,
    "--sd": _scores,
    "--lift": _lifted,
    "--offset": _lifted,
    "--item-sd": _runs_and_items,
    "--component": _of_facets,
    _FACETS: _of_facets,
    _RUNS: _runs_in_file,
    _FORMULA: _pilot,
    _PILOT: _pilot,
}
