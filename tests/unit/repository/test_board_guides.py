"""The commands and settings of the guides on boards work, one after the other."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from benchmarks import boosting
from tools import pages

from bestby.boards.settings import parse

GUIDES = Path(__file__).resolve().parents[3] / "docs" / "guides"
ORGANISERS, PARTICIPANTS = GUIDES / "board-organisers.md", GUIDES / "board-participants.md"

pytestmark = [
    pytest.mark.skipif(not ORGANISERS.is_file(), reason="docs/ is not beside the tests"),
    pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell"),
]


def blocks(path: Path, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the files that the guides speak of."""
    place = tmp_path_factory.mktemp("guides")
    items = [f"q{number}" for number in range(120)]
    gold = {item: ("verb", "noun", "noun")[number // 2 % 3] for number, item in enumerate(items)}
    corrected = gold | {"q1": "verb", "q2": "verb"}

    def write(name: str, header: str, rows: list[str]) -> None:
        (place / name).write_text("\n".join([header, *rows, ""]), encoding="utf-8")

    for name, labels in (("gold", gold), ("gold2", corrected)):
        rows = [f"{item},{label},t{number // 4}" for number, (item, label) in enumerate(labels.items())]
        write(f"{name}.csv", "id,gold,territory", rows)
    write("majority.csv", "id,prediction", [f"{item},noun" for item in items])
    write(
        "predictions.csv",
        "id,prediction",
        [f"{item},{'noun' if n % 7 == 0 else gold[item]}" for n, item in enumerate(items)],
    )
    rows = [f"{item},{n % 2},{int(n % 3 > 0)},{int(n % 5 > 0)}" for n, item in enumerate(items)]
    write("matrix.csv", "item,one,two,three", rows)
    commands = place / "bin"
    commands.mkdir()
    (commands / "bestby").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bestby "$@"\n', encoding="utf-8")
    (commands / "bestby").chmod(0o755)
    return place


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=env,
        check=False,
        capture_output=True,
        text=True,
    )


def test_the_commands_of_both_guides_run(folder: Path) -> None:
    *one_board, other_board = blocks(ORGANISERS, "sh")
    for script in ("\n".join(one_board), other_board):
        done = run(folder, script)
        assert done.returncode == 0, done.stderr
    assert (folder / "site" / "index.html").is_file()
    assert (folder / "old-site" / "index.html").is_file()
    shutil.copytree(folder / "site" / "kit", folder / "kit")
    done = run(folder, "\n".join(blocks(PARTICIPANTS, "sh")))
    assert done.returncode == 0, done.stderr


def test_the_phases_of_the_guide_are_settings(folder: Path) -> None:
    (phases,) = blocks(ORGANISERS, "toml")
    task = 'title = "T"\n[[task]]\nname = "task"\nmetrics = ["accuracy"]\n'
    public, private = parse(task + phases, "board.toml").phases
    assert public.open_at(datetime(2030, 2, 1, tzinfo=UTC))
    assert private.open_at(datetime(2030, 3, 2, tzinfo=UTC))
    assert private.show == "after"


def test_the_attack_is_that_of_the_benchmark() -> None:
    assert pages.between(ORGANISERS, "boosting") == boosting.table(), "python -m benchmarks.boosting"


def test_a_random_walk_climbs_by_points_on_the_items_of_the_board_alone() -> None:
    rows = [row.split("|")[2:-1] for row in boosting.table().splitlines()[2:]]
    scores = [[float(cell.removesuffix(" % ").strip()) for cell in row] for row in rows]
    assert len(scores) == 5
    for *shown, elsewhere in scores:
        assert shown == sorted(shown)
        assert shown[-1] > 54.0
        assert abs(elsewhere - 50.0) < 1.0
    assert max(row[-2] for row in scores) == scores[-1][-2]  # the adaptive one


def test_the_attack_climbs_on_a_real_vector_of_labels_as_it_does_by_counts() -> None:
    rng, final = np.random.default_rng(1), []
    for _ in range(20):
        right = rng.random(boosting.N) < 0.5
        for _ in range(99):
            changed = right.copy()
            changed[rng.choice(boosting.N, 50, replace=False)] ^= True
            right = max(right, changed, key=np.sum)
        final.append(right.mean())
    counted = [boosting.attack(np.random.default_rng(turn), 50, 100)[0, -1] for turn in range(20)]
    assert abs(np.mean(final) - np.mean(counted)) < 0.004  # three standard errors are 0.003
