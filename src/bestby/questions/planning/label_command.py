"""`bestby plan --labels`: human labels beside a judge."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, FloatArray
from bestby.cli.options import set_option_names
from bestby.data.columns import MISSING
from bestby.data.layouts.judged import HUMAN, JUDGE, JudgedColumns, JudgedItems, judged_of, numbers
from bestby.data.layouts.long import system_column_of
from bestby.data.layouts.options import chosen_names
from bestby.data.roles import Roles, listed
from bestby.data.table import Table
from bestby.questions.labels.judged_scores import JudgedScores
from bestby.questions.labels.plan import plan_labels
from bestby.questions.planning.command import Plan
from bestby.questions.planning.spend import allocate
from bestby.readers.opening import one_table

_ONLY = {
    "--half-width", "--correlation", "--judged-items", "--pilot-labels", "--n-strata", "--judge", "--human",
    "--judge-cost", "--label-cost", "--judge-errors",
}  # fmt: skip
"""Options that have no meaning without --labels."""

_SHARED = {
    "FILES", "--labels", "--n", "--margin", "--power", "--budget", "--item-cost", "--max-items", "--sd",
    "--design-effect", "--item", "--system", "--system-column", "--stratum", "--missing-value", "--level",
    "--comparisons", "--json", "--csv", "--markdown", "--latex", "--html", "--plot", "--plot-width",
    "--plot-font",
}  # fmt: skip
"""Options of other plans that those of labels take, too."""


def check_options(values: Plan) -> None:
    """Refuse options of labels without --labels, and all others with it."""
    given, of_labels = set_option_names(values), values.question.labels
    wrong = min(given - _ONLY - _SHARED if of_labels else given & _ONLY, default=None)
    if wrong is not None:
        raise InvalidInputError(
            f"{wrong} does not go with {'' if of_labels else 'a plan without '}--labels",
            hint=f"leave {wrong} out" if of_labels else "give --labels too",
        )


def label_plan(values: Plan) -> Any:
    """Return the number of labels, or the best use of a budget."""
    question, statistics = values.question, values.statistics
    design = _design(values)
    common: dict[str, Any] = {"level": statistics.level, "n_comparisons": statistics.n_comparisons}
    if question.budget is None:
        asked: dict[str, Any] = {
            "half_width": question.half_width,
            "margin": question.margin,
            "power": question.power,
        }
        return plan_labels(design, question.n, **asked, **common)
    given = set_option_names(values)
    other = next((one for one in ("--n", "--half-width", "--margin", "--power") if one in given), None)
    if other is not None:
        raise InvalidInputError(f"{other} does not go with --budget", hint="leave one of them out")
    costs = values.costs
    return allocate(
        design,
        question.budget,
        item_cost=costs.item_cost or 0.0,
        judge_cost=costs.judge_cost or 0.0,
        label_cost=costs.label_cost or 0.0,
        max_items=costs.max_items,
        **common,
    )


def _design(values: Plan) -> JudgedScores:
    assumed, effect = values.assumptions, values.assumptions.design_effect or 1.0
    if values.paths:
        of_numbers = {"--sd", "--correlation", "--pilot-labels", "--n-strata", "--judge-errors"}
        given = set_option_names(values) & of_numbers
        if given:
            raise InvalidInputError(
                f"{min(given)} and a pilot in a file say the same", hint="leave one of them out"
            )
        judge, human, strata = _pilot(values)
        return JudgedScores.from_pilot(
            judge, human, strata=strata, n_items=assumed.n_items, design_effect=effect
        )
    if values.data.strata is not None:
        raise InvalidInputError(
            "--stratum names a column of a pilot, and there is none",
            hint="give a file, or --n-strata with the spread inside the strata",
        )
    if assumed.sd is None or assumed.correlation is None:
        raise InvalidInputError(
            "nothing is known of the judge and the human scores",
            hint="give --sd and --correlation, or a pilot in a file with both scores",
        )
    return JudgedScores(
        assumed.sd,
        assumed.correlation,
        assumed.n_items,
        effect,
        assumed.pilot_labels,
        assumed.n_strata or 1,
        assumed.error_share,
    )


def _pilot(values: Plan) -> tuple[Any, Any, Any]:
    """Return the scores of judge and humans in a file, of one system or of two by their names, and strata."""
    data = values.data
    table = one_table(values.paths or [], "a pilot", data.missing or MISSING)
    system = data.system_column or system_column_of(table, Roles(), data.systems)
    if system is None and not data.systems and (data.judge or data.human or JUDGE in table.data):
        judges = data.judge or [name for name in table.names if name == JUDGE]
        humans = data.human or [name for name in table.names if name == HUMAN]
        strata = None if data.strata is None else table.texts(table.require(data.strata, "strata"), "strata")
        return *_scores_in_columns(table, judges, humans), strata
    item = data.items[0] if data.items else None
    named = JudgedColumns(tuple(data.judge or ()), tuple(data.human or ()), item, system)
    return _scores_of_systems(judged_of(table, named), data.systems, data.strata)


def _scores_in_columns(table: Table, judges: list[str], humans: list[str]) -> tuple[Any, Any]:
    """Return the scores of one or two systems in columns that may be called anything."""
    if len(judges) != len(humans) or len(judges) not in (1, 2):
        raise InvalidInputError(
            f"a plan is for one system or for the difference of two, got {len(judges)} columns of the judge"
            f" and {len(humans)} of humans",
            hint="name them: --judge judge_a --judge judge_b --human human_a --human human_b",
        )
    judge, human = (
        [numbers(table, table.require(name, "score")) for name in names] for names in (judges, humans)
    )
    return _one_or_two(judge, human)


def _scores_of_systems(
    scores: JudgedItems, systems: list[str] | None, stratum: str | None
) -> tuple[Any, Any, Any]:
    """Return the scores of the systems asked for, of the items that the judge scored for all of them."""
    names = chosen_names(scores.names, systems, None, "the pilot")
    if len(names) not in (1, 2):
        raise InvalidInputError(
            f"a plan is for one system or for the difference of two, got {listed(names)}",
            hint=f"choose two: --system {names[0]} --system {names[-1]}",
        )
    if len(scores.judges) > 1:
        raise InvalidInputError(
            f"a pilot has one judge, got {listed(scores.judges)}", hint="name its column: --judge ..."
        )
    at = [scores.names.index(name) for name in names]
    judge, human = scores.judge[:, at, 0].T, scores.human[:, at].T
    # An item that has all labels and lacks a score of the judge stays: the pilot refuses it.
    kept = ~np.isnan(judge).any(axis=0) | ~np.isnan(human).any(axis=0)
    if not kept.any():
        raise InvalidInputError("the systems share no item", hint="name the item ids: --item ...")
    pair = _one_or_two([*judge[:, kept]], [*human[:, kept]])
    return *pair, None if stratum is None else _strata(scores, stratum, at[0])[kept]


def _strata(scores: JudgedItems, name: str, place: int) -> Array:
    """Return the stratum of each item, where a system has a row for it."""
    if name not in scores.columns:
        raise InvalidInputError(
            f"no column {quoted(name)} for the strata", hint=f"columns: {listed([*scores.columns])}"
        )
    values = scores.columns[name]
    return values if values.ndim == 1 else values[:, place]


def _one_or_two(judge: list[FloatArray], human: list[FloatArray]) -> tuple[Any, Any]:
    """Return the scores as `JudgedScores.from_pilot` takes them."""
    return (judge[0], human[0]) if len(judge) == 1 else (dict(enumerate(judge)), dict(enumerate(human)))
