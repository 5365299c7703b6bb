"""The example of a judge can be made again, and its simulation prints what the guide shows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import bestby as bb

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "examples" / "judged"


def test_data_can_be_made_again(tmp_path: Path) -> None:
    for name in ("judged", "langid"):
        (tmp_path / name).mkdir()
    shutil.copy(FOLDER / "make_data.py", tmp_path / "judged")
    shutil.copy(FOLDER.parent / "langid" / "predictions.csv", tmp_path / "langid")
    subprocess.run([sys.executable, tmp_path / "judged" / "make_data.py"], check=True)
    assert (tmp_path / "judged" / "judged.csv").read_bytes() == (FOLDER / "judged.csv").read_bytes()


def test_the_judge_is_found_to_favour_one() -> None:
    result = bb.compare_judged(
        bb.read_judged(FOLDER / "judged.csv"), labels_drawn="random", clusters="territory"
    )
    truth = {"nb_12": 0.410, "knn_3": 0.322}
    for name, score in truth.items():
        interval = result.score(name).interval
        assert interval is not None
        assert score in interval
        assert result.score(name).judge_score > score
    equal = result.judges[0].equal_bias
    assert equal is not None
    assert equal.helped == "nb_12"
    assert equal.p_value < 0.01
    sensitivity, specificity = result.judges[0].favour
    assert sensitivity.p_adjusted > 0.1
    assert specificity.highest == "nb_12"
    assert specificity.p_adjusted < 0.01


def test_the_guide_shows_what_the_simulation_prints() -> None:
    done = subprocess.run(
        [sys.executable, FOLDER / "chosen_by_outcome.py"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(FOLDER)])},
        capture_output=True,
        text=True,
        check=True,
    )
    guide = (ROOT / "docs" / "guides" / "judged.md").read_text(encoding="utf-8")
    assert f"```text\n{done.stdout.strip()}\n```" in guide
