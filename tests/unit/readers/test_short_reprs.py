"""What readers return prints as one line, whatever it holds."""

from __future__ import annotations

from pathlib import Path

import bestby as bb


def written(folder: Path, text: str) -> Path:
    path = folder / "table.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_runs(tmp_path: Path) -> None:
    rows = [f"{system},{seed},{seed / 10}" for system in ("a", "b") for seed in range(3)]
    read = bb.read_runs(written(tmp_path, "\n".join(["system,seed,score", *rows])))
    assert repr(read) == "<runs of 2 systems: a (3), b (3)>"


def test_judged_scores_and_labels(tmp_path: Path) -> None:
    rows = [f"{item},{system},1,0" for item in range(50) for system in "ab"]
    read = bb.read_judged(written(tmp_path, "\n".join(["item,system,judge,human", *rows])))
    assert repr(read) == "<2 systems scored by 1 judge and humans: a, b>"
    rows = [f"{item},x,y,x,y" for item in range(50)]
    labels = bb.read_judged(
        written(tmp_path, "\n".join(["item,judge,human,prediction[a],prediction[b]", *rows]))
    )
    assert repr(labels) == repr(read)


def test_preferences(tmp_path: Path) -> None:
    rows = [f"{item},a,b,{'ab'[item % 2]}" for item in range(50)]
    read = bb.read_preferences(written(tmp_path, "\n".join(["item,model_a,model_b,winner", *rows])))
    assert repr(read) == "<50 judgements of 2 systems: a, b>"
