"""The report of almost stochastic order, of two systems or of several."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from bestby._core.text import visible
from bestby.questions.order import figure as figures
from bestby.questions.order.result import StochasticOrder, StochasticOrders
from bestby.report import words
from bestby.report.column import Look, as_name, as_p_value
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows, attributes
from bestby.report.numbers import alpha, p_clause, percent
from bestby.report.paper import named
from bestby.report.references import cite
from bestby.report.tables import Table
from bestby.report.words import listed

MOST_SQUARES = 25
"""Systems up to which the matrix is drawn in a report."""


def order_sentence(order: StochasticOrder) -> str:
    """Return one order in plain words: violation ratio, bound, test, and whether the first is dominant."""
    a, b = order.a, order.b
    if math.isnan(order.violation_ratio):
        return visible(f"{a} and {b} have the same scores at every quantile: neither is better.")
    ratio = (
        f"{a} over {b}: violation ratio {order.violation_ratio:.3g}, at most {order.epsilon_min:.3g} at"
        f" {percent(round(order.level, 6))} confidence ({order.n_a} and {order.n_b} runs)."
    )
    test = "exact permutation test" if order.test.exact else "permutation test"
    error = f" ± {order.test.error:.1g}" if order.test.error > 0.0 else ""
    p = p_clause(order.p_value, alpha(order.level))
    return visible(f"{ratio} One-sided {test}: {p}{error}. {_reading(order)}")


def _reading(order: StochasticOrder) -> str:
    """Return whether the first is dominant, and if custom says otherwise, that it does."""
    rate = percent(float(f"{100.0 * alpha(order.level):.3g}") / 100.0)
    if order.dominant:
        return f"At {rate}, {order.a} is almost stochastically dominant."
    if any(note.code == "out_of_reach" for note in order.notes):
        reading = f"With so few runs, no scores can show dominance at {rate}."
    else:
        reading = f"At {rate}, the dominance of {order.a} is not significant."
    if not order.below_half:
        return reading
    return f"{reading} ε_min is below the customary 0.5, but so it is for one in five pairs of equal systems."


def _bound(order: StochasticOrder) -> str:
    """Return the bound, with an asterisk if the first is dominant; a dash where it is undefined."""
    bound = "–" if math.isnan(order.epsilon_min) else f"{order.epsilon_min:.3f}"
    return bound + "*" * order.dominant


def text(orders: StochasticOrder | StochasticOrders) -> str:
    """Return the sentence of an order; of several the bounds, an asterisk where the row is dominant."""
    if isinstance(orders, StochasticOrder):
        return order_sentence(orders)
    names, shown = orders.systems, [visible(name) for name in orders.systems]
    marks = [["–" if a == b else _bound(orders[a, b]) for b in names] for a in names]
    rows = [["", *shown], *([a, *cells] for a, cells in zip(shown, marks, strict=True))]
    widths = [max(len(row[i]) for row in rows) for i in range(len(names) + 1)]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *(c.ljust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    ]
    level = percent(round(orders[names[0], names[1]].level, 6))
    lines.append("")
    rate = float(f"{alpha(orders[names[0], names[1]].level):.3g}")
    lines.append(
        f"Upper {level} bounds of the violation ratio, row over column; * permutation test p ≤ {rate:g}."
    )
    lines += [f"note: {visible(note.message)}" for note in orders.notes]
    return "\n".join(line.rstrip() for line in lines)


def document(orders: StochasticOrder | StochasticOrders) -> Document:
    """Return the report: a table of the orders, and for several systems the matrix."""
    each = _each(orders)
    level = percent(round(each[0].level, 6))
    lead, pictures = each[0].sentence, []
    if isinstance(orders, StochasticOrder):
        caption = f"0: {orders.a} is better at every quantile;"
        caption += " the line ends at the upper bound of the violation ratio."
        pictures.append(Picture("Violation ratio", caption, partial(figures.order, orders)))
    else:
        dominant = [f"{order.a} over {order.b}" for order in each if order.dominant]
        lead = f"Almost stochastically dominant: {listed(dominant, 6) if dominant else 'no system'}."
        if len(orders.systems) <= MOST_SQUARES:
            caption = "Row over column: the smaller, the more nearly the row is better at every quantile."
            draw = partial(figures.orders, orders)
            pictures.append(Picture("Matrix of almost stochastic order", caption, draw))
    return one_section(
        orders,
        title="Almost stochastic order",
        subtitle=f"{len({order.a for order in each} | {order.b for order in each})} systems, {level} bounds",
        methods=f"ε_min: upper {level} bound of the violation ratio, bootstrap; one-sided permutation tests.",
        name="order",
        lead=lead,
        tables=(_table(each, level),),
        pictures=tuple(pictures),
    )


def _each(orders: StochasticOrder | StochasticOrders) -> tuple[StochasticOrder, ...]:
    return (orders,) if isinstance(orders, StochasticOrder) else tuple(orders)


def _table(each: Sequence[StochasticOrder], level: str) -> Table:
    columns = TABLES["orders"].shown(each, Look(level=each[0].level))
    caption = f"Almost stochastic order; ε_min: upper {level} bound"
    return Table.of(caption, columns, each, attrgetter("dominant"), part="order")


TABLES = {
    "orders": Rows(
        (
            Field("a", header="system", format=as_name),
            Field("b", header="over", format=as_name),
            Field("violation_ratio", header="violation ratio"),
            Field("standard_error"),
            Field("epsilon_min", header="ε_min"),
            Field("level"),
            Field("p_value", header="p", format=as_p_value),
            *attributes("dominant", "n_a", "n_b"),
        ),
        _each,
    ),
}


def dictionary(orders: StochasticOrder | StochasticOrders) -> dict[str, Any]:
    """Return the orders as dictionaries and lists."""
    rows = TABLES["orders"].rows(orders)
    return {"orders": rows} if isinstance(orders, StochasticOrders) else rows[0]


def sentences(orders: StochasticOrder | StochasticOrders) -> Iterator[str]:
    """Yield how stochastic order was measured."""
    if isinstance(orders, StochasticOrders):
        first = next(iter(orders))
        counts = sorted({n for order in orders for n in (order.n_a, order.n_b)})
        systems = f"{len(orders.systems)} systems{named(orders.systems)}"
        yield f"We compared the runs of {systems}, {_range(counts)} each."
    else:
        first = orders
        yield f"We compared {first.n_a} runs of {first.a} with {first.n_b} runs of {first.b}."
    provenance = orders.provenance
    yield orders_measured(first, 1 if provenance is None else provenance.settings["comparisons"])
    if provenance is not None:
        yield f"The bounds of the violation ratio were computed with {words.resamples(orders)}"


def _range(counts: list[int]) -> str:
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def orders_measured(order: StochasticOrder, comparisons: int) -> str:
    """Return how orders were bounded and tested, each at the level that `comparisons` share."""
    exact = "exact" if order.test.exact else "Monte Carlo"
    test = f"one-sided two-sample permutation test{cite('test', 'permutation-2')}, {exact}"
    bound = f"the upper {100.0 * order.level:.4g} % bound of the violation ratio"
    if comparisons > 1:
        whole = percent(1.0 - comparisons * (1.0 - order.level))
        source = cite("correction", "bonferroni")
        every = "both" if comparisons == 2 else f"all {comparisons}"
        bound += f" ({whole} for {every} bounds together by Bonferroni's correction{source})"
    return (
        f"We measured how nearly one system is better at every quantile by almost stochastic order"
        f"{cite('analysis', 'stochastic order')}: {bound}. Dominance was tested by the {test}."
    )
