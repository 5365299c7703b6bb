"""How the time of `bestby.compare` grows: with items, resamples, systems and metrics; a figure of it.

Run by run.py; `python benchmarks/run.py --part growth` makes the figure alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import data
from benchmarks.page import EVERY
from benchmarks.worker import repeated, timed

ROOT = Path(__file__).resolve().parents[1]
FIGURE = ROOT / "docs" / "images" / "growth.svg"
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
MILLION = (10_000, 100_000, 1_000_000)
"""Items of two systems that every metric of arrays compares by its defaults."""

OF_ARRAYS: dict[str, tuple[str, ...]] = {
    "labels": (
        "accuracy", "balanced_accuracy", "precision_micro", "precision_macro", "precision_weighted",
        "recall_micro", "recall_macro", "recall_weighted", "f1_micro", "f1_macro", "f1_weighted",
        "matthews_corrcoef", "cohen_kappa", "precision[1]", "recall[1]", "f1[1]",
    ),
    "sets of labels": (
        "multilabel_f1_micro", "multilabel_f1_macro", "multilabel_f1_samples", "subset_accuracy",
    ),
    "numbers": ("mse", "rmse", "mae", "r2", "pearson", "spearman", "kendall"),
    "scores": ("mean", "mean_loss"),
    "binary": ("roc_auc", "average_precision"),
    "probabilities": ("log_loss", "ece"),
    "distributions": (
        "cross_entropy", "kl_divergence", "kl_divergence_reverse", "js_divergence", "js_divergence_bits",
        "js_distance", "brier", "soft_accuracy", "entropy_similarity", "entropy_correlation",
        "soft_precision_macro", "soft_recall_macro", "soft_f1_macro", "ordinal_mae", "emd",
        "soft_precision[1]", "soft_recall[1]", "soft_f1[1]",
    ),
    "sums": ("perplexity", "bits_per_byte", "bits_per_token"),
    "samples": ("pass@1", "pass^1"),
}  # fmt: skip
"""Built-in metrics by what they read."""

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


def _arrays(kind: str, n: int) -> tuple[dict[str, Any], Any]:
    """Return two systems and the gold that a kind of metrics reads."""
    rng = np.random.default_rng(n)
    if kind == "labels":
        gold, *predictions = data.labels(n, 3)
    elif kind == "sets of labels":
        gold = (rng.random((n, 4)) < 0.4).astype(np.int8)
        predictions = [np.where(rng.random((n, 4)) < 0.8, gold, 1 - gold) for _ in "ab"]
    elif kind == "distributions":
        gold, *predictions = rng.dirichlet(np.ones(3), (3, n))
    elif kind == "sums":
        tokens = rng.integers(5, 60, n)
        gold, predictions = None, [np.column_stack([-2.0 * tokens * rng.random(n), tokens]) for _ in "ab"]
    elif kind == "samples":
        gold = None
        predictions = [np.column_stack([np.full(n, 8), rng.binomial(8, rng.random(n))]) for _ in "ab"]
    else:
        target, *predictions = data.numbers(n)
        gold = None if kind == "scores" else target if kind == "numbers" else (target > 0.5).astype(np.int64)
        if kind == "probabilities":
            predictions = [1.0 / (1.0 + np.exp(0.5 - x)) for x in predictions]
    return dict(zip("ab", predictions, strict=True)), gold


def of_every_metric(quick: bool) -> Iterator[dict[str, Any]]:
    """Yield the CPU milliseconds of each metric at each number of items."""
    from bestby import compare

    slow: set[str] = set()
    for n in MILLION[:1] if quick else MILLION:
        for kind, metrics in OF_ARRAYS.items():
            systems, gold = _arrays(kind, n)
            for metric in metrics:
                if metric in slow:
                    continue
                call = partial(compare, systems, gold, metric=metric)
                if n == MILLION[0]:
                    call()  # imports
                seconds, _ = timed(call)
                if seconds < 0.1:
                    seconds, _ = repeated(call, 0.05)
                if seconds > MOST_SECONDS / 10:
                    slow.add(metric)
                yield {"axis": EVERY, "measure": metric, "value": n, "milliseconds": f"{1e3 * seconds:.4g}"}


def rows(quick: bool) -> list[dict[str, Any]]:
    """Return the CPU milliseconds of each point."""
    out: list[dict[str, Any]] = []
    for row in of_every_metric(quick):
        out.append(row)
        print(*row.values(), file=sys.stderr)
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
    """Draw a panel per axis, both axes logarithmic, and one of every metric."""
    from matplotlib.figure import Figure

    sys.path.insert(0, str(ROOT / "docs"))
    from themed_figure import themed

    figure = Figure(figsize=(14, 6.4), layout="constrained")
    panels = figure.subplot_mosaic([["n", "B", EVERY], ["systems", "metrics", EVERY]], sharey=True)
    for axis, (title, _) in AXES.items():
        panel = panels[axis]
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
    every = panels[EVERY]
    points: dict[str, list[tuple[float, float]]] = {}
    for row in found:
        if row["axis"] == EVERY:
            points.setdefault(row["measure"], []).append((float(row["value"]), float(row["milliseconds"])))
    for measure, mine in points.items():
        every.plot(*zip(*mine, strict=True), linewidth=0.9, color=COLOURS.get(measure, "0.6"))
    n = np.array(MILLION, dtype=float)
    every.plot(n, n * np.log(n) / 1e3, linestyle="--", color="black", label="n log n")
    every.set(
        xscale="log", yscale="log", xlabel="items n, two systems, every metric of arrays by its defaults"
    )
    every.grid(alpha=0.25, which="major")
    every.legend(frameon=False, fontsize=8)
    every.tick_params(labelleft=True)
    for panel in panels.values():
        panel.spines[["top", "right"]].set_visible(False)
    for axis in ("n", "systems"):
        panels[axis].set_ylabel("CPU time of a call, ms")
    panels["n"].legend(frameon=False, fontsize=8)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(themed(figure), encoding="utf-8")


COLOURS = {"accuracy": "#0072B2", "f1_macro": "#D55E00", "pearson": "#009E73", "roc_auc": "#8C6BB1"}
