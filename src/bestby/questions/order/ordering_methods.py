"""What the paragraph for a paper says of stochastic orders."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.questions.order.ordering_result import StochasticOrder, StochasticOrders
from bestby.report import summary
from bestby.report.numbers import percent
from bestby.report.paper.shared import named
from bestby.report.references import cite


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
        yield f"The bounds of the violation ratio were computed with {summary.resamples(orders)}"


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
