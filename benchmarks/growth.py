"""How the time of `bestby.compare` grows: with items, resamples, systems and metrics; a figure of it.

Run by run.py; `python benchmarks/run.py --part growth` makes the figure alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import data
from benchmarks.worker import repeated, timed

FIGURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "growth.png"
SERIES = {
    "accuracy": ("accuracy", "cells, exact"),
    "f1_macro": ("macro-F1 of 3 classes", "cells"),
    "pearson": ("Pearson", "blocks of weights"),
    "roc_auc": ("ROC-AUC", "ranks"),
}
"""Title and way through the engine of each metric."""

AXES = {
    "n": ("items n", (100, 1_000, 10_000, 100_000, 1_000_000)),
    "B": ("resamples B", (100, 1_000, 10_000, 100_000)),
    "systems": ("systems", (2, 4, 8, 16, 32, 64)),
    "metrics": ("metrics", (1, 2, 4, 8)),
}
"""What grows, and through what values; else n = 1000, B = 1000 (10 000 for cells), two systems,
one metric."""

METRICS = {
    "hard": (
        "f1_macro",
        "matthews_corrcoef",
        "precision_macro",
        "recall_macro",
        "f1_weighted",
        "balanced_accuracy",
        "accuracy",
        "cohen_kappa",
    ),
    "real": ("pearson", "r2", "rmse", "mae"),
}
MOST_SECONDS = 20.0
"""A point that would take longer is left out, and those after it."""


def _given(metric: str, n: int, systems: int) -> tuple[dict[str, Any], Any]:
    if metric in ("accuracy", "f1_macro"):
        gold, *predictions = data.labels(n, 3, systems)
    else:
        rng = np.random.default_rng(n)
        gold = rng.normal(size=n)
        predictions = [gold + (0.8 + 0.01 * (s % 10)) * rng.normal(size=n) for s in range(systems)]
        if metric == "roc_auc":
            gold = (gold > 0.5).astype(np.int64)
    return {f"s{i}": x for i, x in enumerate(predictions)}, gold


def points(quick: bool) -> Iterator[tuple[str, str, int, Callable[[], Any]]]:
    """Yield series, axis, value and the call."""
    from bestby import compare

    for metric in SERIES:
        base = {"n": 1_000, "B": 10_000 if metric in ("accuracy", "f1_macro") else 1_000, "systems": 2}
        for axis, (_, values) in AXES.items():
            if axis == "metrics" and metric not in ("f1_macro", "pearson"):
                continue
            for value in values[:3] if quick else values:
                at = {**base, axis: value} if axis != "metrics" else base
                systems, gold = _given(metric, at["n"], at["systems"])
                chosen: Any = metric
                if axis == "metrics":
                    kind = METRICS["hard" if metric == "f1_macro" else "real"]
                    if value > len(kind):
                        continue
                    chosen = list(kind[:value])
                method = "percentile" if metric == "roc_auc" else "bca"
                asked = {"metric": chosen, "interval": method, "test": "bootstrap", "n_resamples": at["B"]}
                yield metric, axis, value, lambda s=systems, g=gold, a=asked: compare(s, g, **a)


def rows(quick: bool) -> list[dict[str, Any]]:
    """Return the CPU milliseconds of each point."""
    out: list[dict[str, Any]] = []
    slow: set[tuple[str, str]] = set()
    for metric, axis, value, call in points(quick):
        if (metric, axis) in slow:
            continue
        timed(call)  # imports
        seconds, _ = timed(call)
        if seconds < 1.0:
            seconds, _ = repeated(call, 0.05)
        if seconds > MOST_SECONDS / 10:
            slow.add((metric, axis))
        out.append({"axis": axis, "measure": metric, "value": value, "milliseconds": f"{1e3 * seconds:.4g}"})
        print(*out[-1].values(), file=sys.stderr)
    return out


def draw(found: list[dict[str, Any]], out: Path = FIGURE) -> None:
    """Draw a panel per axis, both axes logarithmic."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 6.4), layout="constrained")
    panels = figure.subplots(2, 2, sharey=True)
    for panel, (axis, (title, _)) in zip(panels.flat, AXES.items(), strict=True):
        for (measure, (name, way)), mark in zip(SERIES.items(), "osD^", strict=True):
            mine = [row for row in found if (row["axis"], row["measure"]) == (axis, measure)]
            if mine:
                x = [float(row["value"]) for row in mine]
                y = [float(row["milliseconds"]) for row in mine]
                label = name if axis == "metrics" else f"{name} ({way})"
                panel.plot(
                    x, y, marker=mark, markersize=5, linewidth=1.4, label=label, color=COLOURS[measure]
                )
        panel.set(xscale="log", yscale="log", xlabel=title)
        panel.grid(alpha=0.25, which="major")
        if axis in ("systems", "metrics"):
            panel.set_xscale("log", base=2)
            ticks = AXES[axis][1]
            panel.set_xticks(ticks, [str(value) for value in ticks])
        panel.spines[["top", "right"]].set_visible(False)
    for panel in panels[:, 0]:
        panel.set_ylabel("CPU time of a call, ms")
    panels[0, 0].legend(frameon=False, fontsize=8)
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, dpi=150, metadata={"Software": None})


COLOURS = {"accuracy": "#0072B2", "f1_macro": "#D55E00", "pearson": "#009E73", "roc_auc": "#8C6BB1"}
