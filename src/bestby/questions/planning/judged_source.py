"""What the options and files of `bestby judged plan` describe: human labels beside a judge."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, FloatArray
from bestby.cli.options import set_option_names
from bestby.data.alignment import chosen_names
from bestby.data.columns import MISSING
from bestby.data.layouts.items import system_column_of
from bestby.data.layouts.judged import HUMAN, JUDGE, JudgedColumns, JudgedItems, judged_of, numbers
from bestby.data.roles import Roles, listed
from bestby.data.table import Table
from bestby.questions.labels.judged_scores import JudgedScores
from bestby.questions.labels.plan import plan_labels
from bestby.questions.planning.judged_command import JudgedPlan
from bestby.questions.planning.plan import allocate
from bestby.readers.one_table import one_table


def label_plan(values: JudgedPlan) -> Any:
    """Return the number of labels, or the best use of a budget."""
    question, statistics = values.question, values.statistics
    named = set_option_names(values)
    asked: list[str] = [one for one in ("--budget", "--n", "--half-width", "--margin") if one in named]
    if "--budget" in named and "--power" in named:
        asked.append("--power")
    if len(asked) > 1:
        raise InvalidInputError(f"{asked[1]} does not go with {asked[0]}", hint="leave one of them out")
    design = _judged_scores(values)
    common: dict[str, Any] = {"level": statistics.level, "n_comparisons": statistics.n_comparisons}
    if question.budget is None:
        wanted: dict[str, Any] = {
            "half_width": question.half_width,
            "margin": question.margin,
            "power": question.power,
        }
        return plan_labels(design, question.n, **wanted, **common)
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


def _judged_scores(values: JudgedPlan) -> JudgedScores:
    assumed, effect = values.assumptions, values.assumptions.design_effect or 1.0
    if values.path is not None:
        assumptions = {"--sd", "--correlation", "--pilot-labels", "--n-strata", "--judge-errors"}
        named = set_option_names(values) & assumptions
        if named:
            raise InvalidInputError(
                f"{min(named)} and a pilot in a file say the same", hint="leave one of them out"
            )
        judge, human, strata = _label_pilot(values)
        return JudgedScores.from_pilot(
            judge, human, strata=strata, n_items=assumed.n_items, design_effect=effect
        )
    of_pilot = min(set_option_names(values.data), default=None)
    if of_pilot is not None:
        raise InvalidInputError(
            f"{of_pilot} is about a pilot, and there is none",
            hint="give a file"
            + ("" if of_pilot != "--stratum" else ", or --n-strata with the spread inside the strata"),
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


def _label_pilot(values: JudgedPlan) -> tuple[Any, Any, Any]:
    """Return the scores of judge and humans in a file, of one system or of two by their names, and strata."""
    data = values.data
    table = one_table([values.path or ""], "a pilot", data.missing or MISSING)
    system = data.system_column or system_column_of(table, Roles(), data.systems)
    if system is None and not data.systems and (data.judge or data.human or JUDGE in table.data):
        judges = data.judge or [name for name in table.names if name == JUDGE]
        humans = data.human or [name for name in table.names if name == HUMAN]
        strata = None if data.strata is None else table.texts(table.require(data.strata, "strata"), "strata")
        return *_scores_in_columns(table, judges, humans), strata
    named = JudgedColumns(tuple(data.judge or ()), tuple(data.human or ()), data.items, system)
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
    scored = ~np.isnan(judge).any(axis=0) | ~np.isnan(human).any(axis=0)
    if not scored.any():
        raise InvalidInputError("the systems share no item", hint="name the item ids: --item ...")
    pair = _one_or_two([*judge[:, scored]], [*human[:, scored]])
    return *pair, None if stratum is None else _strata(scores, stratum, at[0])[scored]


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
