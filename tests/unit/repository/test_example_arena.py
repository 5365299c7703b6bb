"""The example of an arena can be made again, and shows what the guide says of it."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bestby as bb

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "arena"
TRUTH = ("amber", "birch", "cedar", "dune", "elm", "fern")

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="examples/ is not beside the tests")


def test_data_can_be_made_again(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "make_data.py", tmp_path)
    subprocess.run([sys.executable, tmp_path / "make_data.py"], check=True)
    assert (tmp_path / "battles.csv").read_bytes() == (FOLDER / "battles.csv").read_bytes()


def test_order_and_style_decide_who_is_first() -> None:
    judged = bb.read_preferences(FOLDER / "battles.csv")
    clusters = ["prompt", "voter"]
    first = [
        bb.compare_preferences(judged, clusters=clusters, **how).systems[0].system
        for how in ({"order": False}, {}, {"covariates": ["words"]})
    ]
    assert first == ["cedar", "elm", "amber"]
    result = bb.compare_preferences(judged, clusters=clusters, covariates=["words"])
    for one, other in itertools.pairwise(TRUTH):
        interval = result[one, other].interval
        assert interval is not None
        assert 0.2 in interval
    assert result.order.p_value < 1e-6
