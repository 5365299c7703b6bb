"""Write a file of every kind of result, a baseline, states of monitors and a study, with version 0.2.0.

`python make_files.py FOLDER` runs in an environment with that version and no other:

- `released/` is written by the release: `pip install git+file:///path/to/bestby@4812f8b6`;
- `unreleased/` by commit 556161af, which called itself 0.2.0 too. It knows judges, labels and monitors, its
  studies keep looks, and its gates and plans of scores have a field more.

Boards of this version are in `tests/unit/boards/boards_0_2_0`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import bestby as bb

N = 40
RNG = np.random.default_rng(2)
NAMES = np.array(["neg", "neu", "pos"])
GOLD = NAMES[RNG.integers(0, 3, N)]
LABELS = {
    name: np.where(RNG.random(N) < wrong, NAMES[RNG.integers(0, 3, N)], GOLD)
    for name, wrong in (("a", 0.1), ("b", 0.4), ("c", 0.6))
}
TWO = {name: LABELS[name] for name in "ab"}
GROUPS = np.array([f"g{place // 4}" for place in range(N)])
KIND = np.where(np.arange(N) % 2, "long", "short")
RUNS = {name: np.round(RNG.normal(mean, 0.02, 5), 3).tolist() for name, mean in (("a", 0.8), ("b", 0.77))}
RUNS_OF_ITEMS = {name: RNG.normal(mean, 1.0, (3, 20)).round(2) for name, mean in (("a", 0.3), ("b", 0.0))}
DATASETS = {
    f"d{row}": {
        name: round(float(RNG.normal(mean, 0.04)), 3)
        for name, mean in zip("abc", (0.8, 0.7, 0.7), strict=True)
    }
    for row in range(6)
}
JUDGEMENTS = [
    (f"q{place}", *pair, str(RNG.choice([*pair, "tie"], p=[0.5, 0.3, 0.2])))
    for place in range(20)
    for pair in (("x", "y"), ("x", "z"), ("y", "z"))
]
TRUTH = RNG.normal(size=(N, 1)) + RNG.normal(size=(N, 2)) + [0.5, 0.0]
LABELLED = np.where((np.arange(N) % 2 == 0)[:, None], TRUTH, np.nan).round(2)
FEW = {"n_resamples": 199}

RELEASED: dict[str, Callable[[], Any]] = {
    "comparison": lambda: bb.compare(LABELS, GOLD, metric=["accuracy", "f1_macro"], margin=0.3, **FEW),
    "comparison_of_scores": lambda: bb.compare(
        {name: TRUTH[:, place].round(2) for place, name in enumerate("ab")},
        clusters=GROUPS,
        metric=bb.ScoreMetric("score", greater_is_better=False),
        correction="simultaneous",
        **FEW,
    ),
    "comparison_of_many": lambda: bb.compare(
        {f"s{place}": (np.arange(N) * (place + 3) % 10 < 5 + place // 2).astype(int) for place in range(7)},
        margin=0.3,
    ),
    "evaluation": lambda: bb.evaluate(LABELS, GOLD, metric=["accuracy", "recall[pos]"], **FEW),
    "runs": lambda: bb.compare_runs(RUNS, margin=0.05, **FEW),
    "runs_of_items": lambda: bb.compare_runs(RUNS_OF_ITEMS, **FEW),
    "datasets": lambda: bb.compare_datasets(DATASETS, outer="dataset", **FEW),
    "datasets_of_items": lambda: bb.compare_datasets(
        {name: bb.Evaluation(TWO, GOLD, items=np.arange(N)) for name in ("d1", "d2")}, margin=0.3, **FEW
    ),
    "dataset_runs": lambda: bb.compare_datasets(
        {
            f"d{row}": {
                name: np.round(RNG.normal(mean, 0.02, 4), 3) for name, mean in (("a", 0.8), ("b", 0.7))
            }
            for row in range(3)
        },
        outer="dataset",
        **FEW,
    ),
    "folds": lambda: bb.compare_folds(
        {name: np.round(RNG.normal(mean, 0.02, (5, 2)), 3) for name, mean in (("a", 0.8), ("b", 0.7))},
        test="5x2cv-f",
    ),
    "folds_of_items": lambda: bb.compare_folds(
        bb.Evaluation(TWO, GOLD, strata=np.arange(N) % 4), test="k-bonferroni", required=1, **FEW
    ),
    "slices": lambda: bb.compare_slices(TWO, GOLD, by={"kind": KIND}, **FEW),
    "gate": lambda: bb.gate(TWO, GOLD, metric=["accuracy", "f1_macro"], margin=0.2, **FEW),
    "gate_alarm": lambda: bb.gate(TWO, GOLD, clusters=GROUPS, **FEW),
    "published": lambda: bb.compare_published({"a": LABELS["a"]}, GOLD, published="70%", name="paper"),
    "preferences": lambda: bb.compare_preferences(JUDGEMENTS, margin=0.1, **FEW),
    "preferences_davidson": lambda: bb.compare_preferences(JUDGEMENTS, ties="davidson", scale="elo", **FEW),
    "study": lambda: study(Path(sys.argv[1]) / "study").compare(metric="accuracy", margin=0.3, **FEW),
    "plan": lambda: bb.power(bb.planning.PairedProportions(0.8, 0.7, 0.85), 200),
    "plan_of_scores": lambda: bb.sample_size(bb.planning.PairedScores(0.02, 0.2, 1.5, pilot_df=40), 0.9),
    "plan_of_runs": lambda: bb.minimum_detectable(
        bb.planning.RunsAndItems(0.05, 0.4, 0.01, 0.3, runs=4), 200
    ),
    "plan_of_lifted_runs": lambda: bb.power(
        bb.planning.LiftedScores(RUNS["a"], lift=1.05), 5, n_simulations=50, n_resamples=49, curve=[5]
    ),
    "plan_from_a_pilot": lambda: bb.power(
        bb.planning.Pilot(bb.Evaluation(TWO, GOLD), "f1_macro"),
        60,
        n_simulations=50,
        n_resamples=49,
        curve=[60],
    ),
    "allocation": lambda: bb.allocate(
        bb.planning.RunsAndItems(0.02, 0.4, 0.01, 0.3), 100, run_cost=10, answer_cost=0.1
    ),
    "advice": lambda: bb.advise("accuracy", n_items=100, n_differing=5),
    "aso": lambda: bb.aso(RUNS["a"], RUNS["b"], **FEW),
    "multi_aso": lambda: bb.multi_aso({**RUNS, "c": [0.7, 0.71, 0.72, 0.75, 0.76]}, **FEW),
    "normality": lambda: bb.normality(RNG.exponential(size=20).round(2), **FEW),
    "replicability": lambda: bb.replicability({"x": 0.01, "y": 0.2, "z": 0.001}, alpha=0.05),
}
"""Results by name, each computed when it is written."""

UNRELEASED: dict[str, Callable[[], Any]] = {
    "judged": lambda: bb.compare_judged(
        dict(zip("ab", (TRUTH + 0.5 * RNG.normal(size=TRUTH.shape)).T.round(2), strict=True)),
        dict(zip("ab", LABELLED.T, strict=True)),
        labels_drawn="random",
        margin=1.0,
        bias_by={"kind": KIND},
    ),
    "judged_by_two": lambda: bb.compare_judged(
        {
            name: np.stack([column + sd * RNG.normal(size=N) for sd in (0.3, 1.5)], axis=1).round(2)
            for name, column in zip("ab", TRUTH.T, strict=True)
        },
        dict(zip("ab", LABELLED.T, strict=True)),
        labels_drawn="random",
    ),
    "judged_calibrated": lambda: bb.compare_judged(
        {"a": [1] * 30 + [0] * 10, "b": [1] * 18 + [0] * 22},
        calibration=([1] * 50 + [0] * 50, [1] * 45 + [0] * 52 + [1] * 3),
    ),
    "judged_labels": lambda: bb.compare_judged(
        LABELS["a"],
        [label if place % 2 else None for place, label in enumerate(GOLD.tolist())],
        predictions={name: LABELS[name] for name in "bc"},
        metric="f1_macro",
        labels_drawn="random",
        **FEW,
    ),
    "monitored": lambda: monitor().result(),
    "label_plan": lambda: bb.plan_labels(bb.planning.JudgedScores(1.0, 0.8, 500), half_width=0.2),
    "label_allocation": lambda: bb.allocate(
        bb.planning.JudgedScores(1.0, 0.8), 100, judge_cost=0.01, label_cost=0.5, max_items=2000
    ),
    "chosen": lambda: bb.choose_items([f"q{place}" for place in range(N)], 6, strata=KIND),
    **{name: RELEASED[name] for name in ("gate", "gate_alarm", "plan_of_scores", "study")},
}


def monitor() -> Any:
    """Return a monitor of 60 items."""
    filled = bb.Monitor(["new", "old"], bounds=(0, 1), n_items=100, margin=0.1)
    for line in log():
        filled.add(line["item"], {name: line[name] for name in ("new", "old")})
    return filled


def monitor_without_bounds() -> Any:
    """Return a monitor of three systems in clusters, whose third is far behind."""
    rng = np.random.default_rng(4)
    filled = bb.Monitor(["a", "b", "c"], bounds=None)
    for item in rng.permutation(200).tolist():
        scores = rng.normal([0.1, 0.0, -1.0]).round(2).tolist()
        filled.add(item, dict(zip("abc", scores, strict=True)), cluster=f"g{item}")
    filled.close_cluster()
    return filled


def log() -> list[dict[str, Any]]:
    """Return the lines of a log of answers, in random order."""
    rng = np.random.default_rng(3)
    return [
        {"item": f"q{item}", "new": int(rng.random() < 0.6), "old": int(rng.random() < 0.5)}
        for item in rng.permutation(60).tolist()
    ]


def study(path: Path) -> Any:
    """Return a study of three runs of two conditions."""
    started = bb.Study(path)
    started.add("old", run=0, predictions=LABELS["b"], gold=GOLD, baseline=True, epochs=3)
    started.add("new", run=0, predictions=LABELS["a"], epochs=3)
    started.add("new", run=1, predictions=LABELS["c"], epochs=4)
    return started


def bestby(*words: str | Path) -> None:
    """Run a command; the exit status of some is a decision."""
    subprocess.run([Path(sys.executable).with_name("bestby"), *words], check=False)


def table(path: Path, columns: dict[str, Any]) -> Path:
    """Write columns as CSV."""
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join(",".join(map(str, row)) for row in [tuple(columns), *rows]) + "\n")
    return path


def main(folder: Path) -> None:
    """Write all files."""
    assert bb.__version__ == "0.2.0", bb.__version__
    folder.mkdir()
    released = not hasattr(bb, "Monitor")
    for name, result in (RELEASED if released else UNRELEASED).items():
        result().to_json(folder / f"{name}.json")
    if released:
        items = [f"q{place}" for place in range(N)]
        gold = table(folder / "gold.csv", {"id": items, "gold": GOLD})
        old = table(folder / "old.csv", {"id": items, "old": LABELS["a"]})
        table(folder / "new.csv", {"id": items, "new": LABELS["b"]})
        bestby("gate", old, "--gold", gold, "--save", folder / "baseline.json")
        return
    monitor().save(folder / "monitor.jsonl")
    monitor_without_bounds().save(folder / "monitor_without_bounds.jsonl")
    lines = folder / "log.jsonl"
    lines.write_text("".join(json.dumps(line) + "\n" for line in log()))
    bestby("watch", lines, "--state", folder / "watch.jsonl")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
