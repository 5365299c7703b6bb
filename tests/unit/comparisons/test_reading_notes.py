"""What is to be said of how data were read arrives in every result that is made of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.cli import main

N = 80
GOLD = np.where(np.arange(N) % 3 == 0, "1,5", "2")
SYSTEMS = {"a": GOLD[::-1].copy(), "b": np.roll(GOLD, 1)}
HALF = np.arange(N) % 2
WHOLE = bb.Evaluation.of(SYSTEMS, GOLD)
FEW: dict[str, Any] = {"n_resamples": 99}


def _study(folder: Path) -> Any:
    study = bb.Study(folder / "study")
    for name, values in SYSTEMS.items():
        study.add(name, run=0, predictions=values, gold=GOLD)
    return study.compare(**FEW)


def _judged(_: Path) -> Any:
    human = [gold if place < 40 else None for place, gold in enumerate(GOLD.tolist())]
    return bb.compare_judged(
        GOLD.tolist(), human, predictions=SYSTEMS, metric="accuracy", labels_drawn="random"
    )


RESULTS: dict[str, Callable[[Path], Any]] = {
    "compare": lambda _: bb.compare(SYSTEMS, GOLD, **FEW),
    "evaluate": lambda _: bb.evaluate(SYSTEMS, GOLD),
    "frontier": lambda _: bb.frontier(SYSTEMS, GOLD, cost=dict.fromkeys(SYSTEMS, 1.0)),
    "gate": lambda _: bb.gate(SYSTEMS, GOLD, margin=0.5, **FEW),
    "gate by slices": lambda _: bb.gate(SYSTEMS, GOLD, margin=0.5, by={"half": HALF}, **FEW),
    "slices": lambda _: bb.compare_slices(SYSTEMS, GOLD, by={"half": HALF}, **FEW),
    "runs": lambda _: bb.compare_runs({name: [x, np.roll(x, 2)] for name, x in SYSTEMS.items()}, GOLD),
    "datasets": lambda _: bb.compare_datasets({"x": WHOLE, "y": WHOLE}, **FEW),
    "folds": lambda _: bb.compare_folds({"1": bb.Evaluation.of(SYSTEMS, GOLD, strata=HALF)}),
    "study": _study,
    "judged": _judged,
    "published": lambda _: bb.compare_published({"a": SYSTEMS["a"]}, GOLD, published="60.0%", name="P"),
    "advise": lambda _: bb.advise(data=SYSTEMS, gold=GOLD),
    "pilot": lambda _: bb.power(bb.planning.Pilot(WHOLE), 40, n_simulations=20, curve=(), **FEW),
}


@pytest.mark.parametrize("way", RESULTS)
def test_labels_that_look_like_numbers_are_said_by_every_result(way: str, tmp_path: Path) -> None:
    codes = [note.code for note in RESULTS[way](tmp_path).notes]
    assert codes.count("decimal_commas") == 1


def test_a_note_on_one_dataset_names_it() -> None:
    other = bb.Evaluation.of({"a": HALF, "b": 1 - HALF}, HALF)
    notes = bb.compare_datasets({"x": WHOLE, "y": other}, **FEW).notes
    (message,) = [note.message for note in notes if note.code == "decimal_commas"]
    assert message.startswith("dataset 'x': gold such as '1,5' is text")


def test_how_runs_were_read_is_said_beside_a_published_score(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    rows = [f"{seed},{0.7 + seed / 100},{10 * seed}" for seed in range(1, 6)]
    path.write_text("\n".join(["seed,accuracy,latency_ms", *rows]))
    runs = bb.read_runs(path)
    result = bb.compare_published(runs, published="0.70", sd="0.02", n_runs=5, name="P")
    assert runs.notes
    assert result.notes[: len(runs.notes)] == runs.notes
    assert "latency_ms" in " ".join(note.message for note in result.notes)


def test_what_an_import_left_out_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.csv"
    path.write_text("\n".join(["id,gold,a,b", *(f"q{i},x,{'x' if i % 3 else ''},x" for i in range(20))]))
    board = bb.Board.from_results(tmp_path / "board", path, gold="gold", on_missing="drop")
    assert "7 of 20 items" in " ".join(note.message for note in board.notes)
    assert bb.Board(tmp_path / "board").notes == ()
    arguments = ["board", "import", str(path), "--board", str(tmp_path / "other"), "--gold", "gold"]
    main([*arguments, "--on-missing", "drop"])
    assert "7 of 20 items" in capsys.readouterr().err


@pytest.mark.parametrize("way", ["runs", "datasets"])
def test_the_direction_of_a_metric_is_its_own_and_that_of_scores_is_taken(way: str) -> None:
    def compared(systems: dict[str, Any], gold: Any, **more: Any) -> Any:
        if way == "runs":
            return bb.compare_runs({name: [x, np.roll(x, 2)] for name, x in systems.items()}, gold, **more)
        part = bb.Evaluation.of(systems, gold)
        return bb.compare_datasets({"x": part, "y": part}, **more, **FEW)

    with pytest.raises(
        bb.errors.InvalidInputError, match="greater_is_better=False contradicts the metric accuracy"
    ):
        compared(SYSTEMS, GOLD, metric=bb.ScoreMetric("accuracy", greater_is_better=False))
    scores = {"a": np.arange(N) % 5 + 1.0, "b": np.arange(N) % 7 + 2.0}
    result = compared(scores, None, metric=bb.ScoreMetric("COMET", greater_is_better=False))
    info = result.metrics[0] if way == "runs" else result.metric
    assert (info.name, info.greater_is_better) == ("COMET", False)
