"""A file per run of each system."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bestby as bb
from bestby._core.errors import InvalidInputError, OtherQuestionError
from bestby.data.roles import seed_of

N = 40
RNG = np.random.default_rng(0)
GOLD = RNG.integers(0, 3, N)
RUNS = {
    (name, run): np.where(RNG.random(N) < skill, GOLD, (GOLD + 1) % 3)
    for name, skill in (("bert", 0.7), ("roberta-2", 0.9))
    for run in "012"
}


def write(root: Path, form: str) -> list[Path]:
    """Write a file per run, in an order of its own, named by a pattern; return the paths."""
    paths = []
    for (name, run), predicted in RUNS.items():
        path = root / form.format(name=name, run=run)
        path.parent.mkdir(parents=True, exist_ok=True)
        order = RNG.permutation(N)
        pd.DataFrame({"id": order, "gold": GOLD[order], "prediction": predicted[order]}).to_csv(
            path, index=False
        )
        paths.append(path)
    return paths


def long_table(root: Path) -> Path:
    """Write all runs as one table."""
    rows = [
        {"system": name, "run": run, "item": i, "gold": GOLD[i], "prediction": predicted[i]}
        for (name, run), predicted in RUNS.items()
        for i in range(N)
    ]
    path = root / "runs_table.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    "form",
    ["{name}_seed{run}.csv", "{name}/seed{run}/predictions.csv", "{name}-{run}.csv", "seed{run}/{name}.csv"],
)
@pytest.mark.parametrize("paired", [False, True])
def test_files_are_read_as_one_table_is(tmp_path: Path, form: str, paired: bool) -> None:
    paths = write(tmp_path / "in", form)
    whole = bb.read_runs(long_table(tmp_path), paired=paired)
    expected = bb.compare_runs(whole, metric="accuracy", paired=paired)
    if not form.startswith("{name}-"):
        assert (
            bb.compare_runs(
                bb.read_runs(tmp_path / "in", gold="gold", paired=paired), metric="accuracy", paired=paired
            ).differences
            == expected.differences
        )
    found = bb.read_runs(paths, gold="gold", paired=paired)
    assert {name: len(runs) for name, runs in found.runs.items()} == {"bert": 3, "roberta-2": 3}
    assert bb.compare_runs(found, metric="accuracy", paired=paired).differences == expected.differences


def test_names_that_are_given_say_which_run(tmp_path: Path) -> None:
    paths = write(tmp_path, "x{name}{run}.csv")
    named = [f"{name}-{run}={path}" for (name, run), path in zip(RUNS, paths, strict=True)]
    assert {*bb.read_runs(named, gold="gold").runs} == {"bert", "roberta-2"}
    assert {*bb.read_runs(named, gold="gold", systems="bert").runs} == {"bert"}
    named[-1] = f"roberta-2-9={paths[-1]}"
    with pytest.raises(InvalidInputError, match="paired runs must be the same"):
        bb.read_runs(named, gold="gold", paired=True)
    with pytest.raises(InvalidInputError, match="run belongs to one table"):
        bb.read_runs(named, gold="gold", run="seed")
    named[-1] = f"last={paths[-1]}"
    with pytest.raises(InvalidInputError, match="whose name tells the run; 'last' does not"):
        bb.read_runs(named, gold="gold")


def test_compare_takes_no_seed_for_a_system(tmp_path: Path) -> None:
    paths = write(tmp_path, "{name}_seed{run}.csv")
    with pytest.raises(OtherQuestionError, match="several seeds of bert, roberta-2") as caught:
        bb.read(paths, gold="gold")
    assert str(caught.value.hint).startswith("bestby.compare_runs(bestby.read_runs(['")
    of_one = paths[:3]
    assert bb.read(of_one, gold="gold").names == ("bert_seed0", "bert_seed1", "bert_seed2")
    one_each = [paths[0], paths[3]]
    assert bb.read(one_each, gold="gold").names == ("bert_seed0", "roberta-2_seed0")
    given = {f"s{i}": path for i, path in enumerate(paths)}
    assert len(bb.read(given, gold="gold").names) == 6


@pytest.mark.parametrize("name", ["gpt-4", "seed", "seed1", "uw_run1", "bert-base-uncased", "llama_7b"])
def test_names_of_systems_are_no_seeds(name: str) -> None:
    assert seed_of(name) is None


def test_seeds_side_by_side_are_runs(tmp_path: Path) -> None:
    wide = pd.DataFrame({"item": range(N), "gold": GOLD})
    for (name, run), predicted in RUNS.items():
        wide[f"{name}_seed{run}"] = predicted
    expected = bb.compare_runs(bb.read_runs(long_table(tmp_path)), metric="accuracy")
    assert bb.compare_runs(wide, metric="accuracy").differences == expected.differences
    path = tmp_path / "wide.csv"
    wide.to_csv(path, index=False)
    assert bb.compare_runs(bb.read_runs(path), metric="accuracy").differences == expected.differences
    for read in (lambda: bb.compare(wide), lambda: bb.read(path)):
        with pytest.raises(OtherQuestionError, match="several seeds of bert, roberta-2"):
            read()
    named = bb.compare_runs(wide, metric="accuracy", systems=["bert", "roberta-2"])
    assert named.differences == expected.differences
    with pytest.raises(InvalidInputError, match="column 'text' is of no seed") as caught:
        bb.compare_runs(wide.assign(text="words"))
    assert "ignore='text'" in str(caught.value.hint)
    with pytest.raises(InvalidInputError, match="are both run 0 of bert"):
        bb.compare_runs(wide.assign(**{"bert-seed-0": GOLD}))
    two = ["bert_seed0", "bert_seed1"]
    assert bb.compare(wide, gold="gold", systems=two).differences
    with pytest.raises(InvalidInputError, match="'label' looks like gold"):
        bb.compare_runs(wide.rename(columns={"gold": "label"}))
