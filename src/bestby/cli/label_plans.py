"""`bestby plan --labels`: human labels beside a judge."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.text import quoted
from bestby._core.typing import FloatArray
from bestby.cli.options import given_options
from bestby.cli.parameters.plan import Plan
from bestby.data.columns import MISSING
from bestby.data.layouts.long import system_column_of
from bestby.data.roles import Roles
from bestby.data.table import Table
from bestby.data.values import as_scores
from bestby.planning.judged import JudgedScores
from bestby.planning.labels import plan_labels
from bestby.planning.spend import allocate
from bestby.readers.files import read_table

_ONLY = {
    "--half-width", "--margin", "--correlation", "--judged-items", "--pilot-labels", "--judge", "--human",
    "--judge-cost", "--label-cost",
}  # fmt: skip
"""Options that have no meaning without --labels."""

_SHARED = {
    "FILES", "--labels", "--n", "--power", "--budget", "--item-cost", "--max-items", "--sd",
    "--design-effect", "--item", "--system", "--system-column", "--missing-value", "--level",
    "--comparisons", "--json", "--csv", "--markdown", "--latex", "--html", "--plot", "--plot-width",
    "--plot-font",
}  # fmt: skip
"""Options of other plans that those of labels take, too."""

_OF_SYSTEM = re.compile(r"(judge|human)\[(.+)\]")


def check_options(values: Plan) -> None:
    """Refuse options of labels without --labels, and all others with it."""
    given, of_labels = given_options(values), values.question.labels
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
    given = given_options(values)
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
        given = given_options(values) & {"--sd", "--correlation", "--pilot-labels"}
        if given:
            raise InvalidInputError(
                f"{min(given)} and a pilot in a file say the same", hint="leave one of them out"
            )
        judge, human = _pilot(values)
        return JudgedScores.from_pilot(judge, human, n_items=assumed.n_items, design_effect=effect)
    if assumed.sd is None or assumed.correlation is None:
        raise InvalidInputError(
            "nothing is known of the judge and the human scores",
            hint="give --sd and --correlation, or a pilot in a file with both scores",
        )
    return JudgedScores(assumed.sd, assumed.correlation, assumed.n_items, effect, assumed.pilot_labels)


def _pilot(values: Plan) -> tuple[Any, Any]:
    """Return the scores of judge and humans in a file: of one system, or of two by their names."""
    data, paths = values.data, values.paths or []
    if len(paths) != 1:
        raise InvalidInputError(
            f"a pilot is one file, got {len(paths)}", hint="bestby plan --labels pilot.csv"
        )
    table = read_table(readable_file(paths[0]), frozenset({*(data.missing or MISSING), ""}))
    judges, humans = data.judge or _named(table, "judge"), data.human or _named(table, "human")
    long = data.system_column or system_column_of(table, Roles(), data.systems)
    if long is not None:
        return _of_long(values, table, long, judges, humans)
    chosen = data.systems
    if chosen and not (data.judge or data.human):
        judges, humans = ([f"{what}[{name}]" for name in chosen] for what in ("judge", "human"))
    if len(judges) != len(humans) or len(judges) not in (1, 2):
        raise InvalidInputError(
            f"a plan is for one system or for the difference of two, got {len(judges)} columns of the judge"
            f" and {len(humans)} of humans",
            hint="name them: --judge judge_a --judge judge_b --human human_a --human human_b",
        )
    if len(judges) == 1:
        return _scores(table, judges[0]), _scores(table, humans[0])
    judge, human = (
        {name: _scores(table, column) for name, column in zip("ab", columns, strict=True)}
        for columns in (judges, humans)
    )
    return judge, human


def _named(table: Table, what: str) -> list[str]:
    """Return the columns called judge or judge[a], ..."""
    found = [name for name in table.names if (match := _OF_SYSTEM.fullmatch(name)) and match[1] == what]
    return found or [name for name in table.names if name == what]


def _of_long(
    values: Plan, table: Table, column: str, judges: list[str], humans: list[str]
) -> tuple[Any, Any]:
    """Return the scores of two systems of a table with a row per item and system, joined by the item."""
    if len(judges) != 1 or len(humans) != 1:
        raise InvalidInputError(
            "a table with a row per item and system has one column of the judge and one of humans",
            hint="name them: --judge ... --human ...",
        )
    systems = np.array(table.texts(table.require(column, "system"), "system"))
    item = table.item_column(values.data.items[0] if values.data.items else None)
    known = list(dict.fromkeys(systems.tolist()))
    names = values.data.systems or known
    if len(names) not in (1, 2) or item is None or not {*names} <= {*known}:
        raise InvalidInputError(
            f"a plan is for one system or for the difference of two, got {quoted(names)}"
            if item is not None
            else "no column of item ids was found, by which the systems are joined",
            hint=f"choose two: --system {known[0]} --system {known[-1]}"
            if item is not None
            else "--item ...",
        )
    ids = np.array(table.texts(item, "item"))
    of_system = {name: dict(zip(ids[systems == name].tolist(), np.flatnonzero(systems == name).tolist(),
                                strict=True)) for name in names}  # fmt: skip
    shared = [one for one in of_system[names[0]] if all(one in rows for rows in of_system.values())]
    if not shared:
        raise InvalidInputError("the systems share no item", hint="name the item ids: --item ...")
    scores = _scores(table, judges[0]), _scores(table, humans[0])
    rows = {name: np.array([places[one] for one in shared]) for name, places in of_system.items()}
    if len(names) == 1:
        return scores[0][rows[names[0]]], scores[1][rows[names[0]]]
    judge, human = ({name: values[place] for name, place in rows.items()} for values in scores)
    return judge, human


def _scores(table: Table, name: str) -> FloatArray:
    """Return a column as numbers, NaN where there is none."""
    column = as_scores(table.column(table.require(name, "score")))
    if column.is_text:
        raise InvalidInputError(f"column {quoted(name)} holds texts, not scores", hint="name another column")
    return np.where(column.missing, np.nan, column.values.astype(np.float64))
