"""Every public function with arguments that it answers, few resamples among them."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

import bestby as bb

Call = tuple[Callable[..., Any], dict[str, Any]]


@cache
def labels() -> tuple[list[int], dict[str, list[int]]]:
    """Return the gold of 24 items, and the labels that two systems give them."""
    chance = random.Random(0)
    gold = [chance.randrange(2) for _ in range(24)]
    systems = {
        name: [label if chance.random() < right else 1 - label for label in gold]
        for name, right in (("a", 0.9), ("b", 0.6))
    }
    return gold, systems


@cache
def scores(n: int = 8) -> dict[str, list[float]]:
    """Return scores of two systems."""
    chance = random.Random(1)
    return {name: [round(chance.gauss(mean, 1), 3) for _ in range(n)] for name, mean in (("a", 9), ("b", 8))}


def judged() -> pd.DataFrame:
    """Return the scores of a judge for two systems, with human scores of some items."""
    chance = random.Random(2)
    rows = [
        {"item": item, "system": system, "judge": chance.random(), "human": [chance.random(), None][item > 8]}
        for item in range(24)
        for system in ("a", "b")
    ]
    return pd.DataFrame(rows)


def wins() -> pd.DataFrame:
    """Return judgements of pairs of three systems."""
    return pd.DataFrame({"a": list("xyz") * 8, "b": list("yzx") * 8, "winner": list("xyzyzx") * 4})


def cells() -> dict[str, list[list[float]]]:
    """Return scores of two systems under three prompts on four items."""
    chance = random.Random(3)
    return {name: [[chance.random() for _ in range(4)] for _ in range(3)] for name in "ab"}


def tables(folder: Path) -> dict[str, Path]:
    """Write a table of each kind into a folder."""
    gold, systems = labels()
    frames = {
        "wide": pd.DataFrame({"item": range(24), "gold": gold, **systems}),
        "runs": pd.DataFrame(scores()),
        "datasets": pd.DataFrame({"dataset": list("uvwxyz"), **scores(6)}),
        "judged": judged(),
        "wins": wins(),
        "folds": pd.DataFrame({"fold": range(4), **scores(4)}),
    }
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    (folder / "soft.txt").write_text("0.2 0.8\n0.5 0.5\n", encoding="utf-8")
    return {name: folder / f"{name}.csv" for name in frames}


def sound_calls(folder: Path) -> dict[str, Call]:
    """Return every function with arguments that it answers; files lie in the folder."""
    gold, systems = labels()
    items = {"data": systems, "gold": gold, "n_resamples": 99}
    files = tables(folder)
    design = bb.planning.PairedProportions(0.83, 0.80, agreement=0.9)
    split = bb.planning.RunsAndItems(0.02, item_sd=0.3, run_sd=0.01, rest_sd=0.1)
    judged_scores = bb.planning.JudgedScores(sd=0.3, correlation=0.7, n_items=500)
    board = bb.Board.create(folder / "board", files["wide"], title="t", metrics="accuracy", items="item")
    by_dataset = {name: {"a": x, "b": 1 - x} for name, x in zip("uvwxyz", scores()["a"], strict=False)}
    return {
        "compare": (bb.compare, items),
        "evaluate": (bb.evaluate, items),
        "compare_slices": (bb.compare_slices, {**items, "by": {"half": [0, 1] * 12}}),
        "frontier": (bb.frontier, {**items, "cost": {"a": 3.0, "b": 1.0}, "margin": 0.5}),
        "agreement": (bb.agreement, {"data": {"ann": gold, "ben": systems["a"], "cem": systems["b"]}}),
        "compare_attempts": (
            bb.compare_attempts,
            {"data": {"a": [(5, 1), (5, 3)] * 12, "b": [(5, 5), (6, 0)] * 12}},
        ),
        "gate": (bb.gate, {**items, "margin": 0.1}),
        "advise": (bb.advise, {"metric": "accuracy", "data": systems, "gold": gold}),
        "compare_runs": (bb.compare_runs, {"data": scores(), "n_resamples": 99}),
        "compare_datasets": (bb.compare_datasets, {"data": by_dataset}),
        "compare_facets": (bb.compare_facets, {"data": cells(), "facets": "prompt", "n_resamples": 99}),
        "compare_folds": (bb.compare_folds, {"data": scores(4), "n_resamples": 99}),
        "compare_published": (
            bb.compare_published,
            {"data": {"a": systems["a"]}, "gold": gold, "published": "75%"},
        ),
        "compare_judged": (bb.compare_judged, {"judge": judged(), "labels_drawn": "random"}),
        "compare_preferences": (bb.compare_preferences, {"data": wins(), "n_resamples": 99}),
        "Monitor": (bb.Monitor, {"systems": ["a", "b"], "bounds": (0, 1)}),
        "aso": (bb.aso, {**scores(), "n_resamples": 99}),
        "multi_aso": (bb.multi_aso, {"data": scores(), "n_resamples": 99}),
        "aso_tightness": (bb.aso_tightness, {"m_old": 5, "n_old": 5, "m_new": 10, "n_new": 10}),
        "normality": (bb.normality, {"values": scores()["a"], "n_resamples": 99}),
        "replicability": (bb.replicability, {"p_values": {"u": 0.01, "v": 0.2}}),
        "power": (bb.power, {"design": design, "n": 200}),
        "sample_size": (bb.sample_size, {"design": design}),
        "minimum_detectable": (bb.minimum_detectable, {"design": design, "n": 200}),
        "allocate": (bb.allocate, {"design": split, "budget": 30.0, "run_cost": 1.0, "item_cost": 0.1}),
        "plan_labels": (bb.plan_labels, {"design": judged_scores, "margin": 0.1}),
        "choose_items": (bb.choose_items, {"data": scores(12), "n": 5}),
        "FunctionMetric": (bb.FunctionMetric, {"function": len, "name": "own"}),
        "Evaluation.of": (bb.Evaluation.of, {"systems": systems, "gold": gold}),
        "Resampling": (bb.Resampling, {}),
        "Reading": (bb.Reading, {}),
        "Blocks": (bb.Blocks, {"size": 5}),
        "ScoreMetric": (bb.ScoreMetric, {"name": "COMET", "greater_is_better": True}),
        "PairedProportions": (
            bb.planning.PairedProportions,
            {"accuracy_a": 0.8, "accuracy_b": 0.7, "agreement": 0.8},
        ),
        "PairedScores": (bb.planning.PairedScores, {"difference": 0.1, "sd": 1.0}),
        "RunsAndItems": (
            bb.planning.RunsAndItems,
            {"difference": 0.1, "item_sd": 0.3, "run_sd": 0.1, "rest_sd": 0.1},
        ),
        "FacetedScores": (
            bb.planning.FacetedScores,
            {"difference": 0.1, "components": {"prompt": 0.01, "item": 0.1}, "levels": {"prompt": 4}},
        ),
        "JudgedScores": (bb.planning.JudgedScores, {"sd": 0.3, "correlation": 0.7}),
        "LiftedScores": (bb.planning.LiftedScores, {"scores": scores()["a"]}),
        "Pilot": (bb.planning.Pilot, {"evaluation": bb.Evaluation.of(systems, gold)}),
        "list_metrics": (bb.list_metrics, {}),
        "load": (bb.load, {"source": bb.compare(**items).to_json()}),
        "check": (bb.check, {"paths": files["wide"]}),
        "read": (bb.read, {"paths": files["wide"], "gold": "gold"}),
        "read_runs": (bb.read_runs, {"path": files["runs"]}),
        "read_datasets": (bb.read_datasets, {"path": files["datasets"]}),
        "read_folds": (bb.read_folds, {"path": files["folds"]}),
        "read_judged": (bb.read_judged, {"path": files["judged"]}),
        "read_preferences": (bb.read_preferences, {"paths": files["wins"]}),
        "read_labels": (bb.read_labels, {"path": folder / "soft.txt"}),
        "Board": (bb.Board, {"path": board.path}),
        "Study": (bb.Study, {"path": folder / "study"}),
    }


def parameters(function: Callable[..., Any]) -> Iterator[str]:
    """Yield the names of the parameters of a function or class."""
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            yield name
