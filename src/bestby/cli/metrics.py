"""`bestby metrics`: the names that --metric takes."""

from __future__ import annotations

from bestby.cli import streams


def metrics() -> None:
    """List the metrics: name, whether higher or lower is better, what it measures.

    LABEL stands for one of the labels in your data, as in f1[spam].
    """
    from bestby.metrics.registry import list_metrics

    rows = [
        (row.name, "higher" if row.greater_is_better else "lower", row.description) for row in list_metrics()
    ]
    rows.insert(0, ("metric", "better", "measures"))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for name, better, description in rows:
        streams.print_stdout(f"{name:<{widths[0]}}  {better:<{widths[1]}}  {description}".rstrip())
