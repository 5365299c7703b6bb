"""Almost stochastic order in words, as a table and as a frame."""

from __future__ import annotations

import math
from typing import Any

from bestby._core import checks
from bestby._core.errors import MissingExtraError
from bestby._core.text import visible
from bestby.report.numbers import alpha, p_clause, percent
from bestby.results.ordering import StochasticOrder, StochasticOrders

VALUES = ("epsilon_min", "violation_ratio", "p_value", "dominant")


def order_sentence(order: StochasticOrder) -> str:
    """Return one order in plain words.

    Returns the violation ratio and its bound; the test, and so whether A is dominant.
    """
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
    """Return whether A is dominant, and if custom says otherwise, that it does."""
    rate = percent(float(f"{100.0 * alpha(order.level):.3g}") / 100.0)
    if order.dominant:
        return f"At {rate}, {order.a} is almost stochastically dominant."
    if any(note.code == "out_of_reach" for note in order.notes):
        reading = f"With so few runs, no scores can show dominance at {rate}."
    else:
        reading = f"At {rate}, {order.a} is not shown to be dominant."
    if not order.below_half:
        return reading
    return f"{reading} ε_min is below the customary 0.5, but so it is for one in five pairs of equal systems."


def to_frame(orders: StochasticOrders, value: str = "epsilon_min") -> Any:
    """Return one matrix with the names of the systems, row over column."""
    name = checks.choice(value, VALUES, "value")
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError("pandas", "frames") from error
    names = list(orders.systems)
    return pd.DataFrame(getattr(orders, name), index=names, columns=names)


def to_text(orders: StochasticOrders) -> str:
    """Return the bounds as a table, row over column, an asterisk where the row is dominant."""
    names, shown = orders.systems, [visible(name) for name in orders.systems]
    marks = [
        ["–" if a == b else f"{orders[a, b].epsilon_min:.3f}{'*' * orders[a, b].dominant}" for b in names]
        for a in names
    ]
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
