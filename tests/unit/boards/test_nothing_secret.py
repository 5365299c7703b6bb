"""Nothing that is published tells of the gold, of hidden results, or of what other teams predicted."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime, timedelta
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from tests.unit.boards.examples import NOW, edit, ids, write_table

from bestby import Board
from bestby.boards.board import Board as Door

N = 60
RNG = np.random.default_rng(12)
END = "2026-07-01T00:00:00Z"
AFTER = datetime.fromisoformat(END) + timedelta(days=1)


def decimals(scale: float = 1.0) -> list[str]:
    """Return numbers of nine digits, which occur nowhere by chance."""
    return [f"{one:.9f}" for one in scale * RNG.normal(size=N) + 20.0]


GOLD = decimals()
OURS = [f"{float(one) + 0.3 * RNG.normal():.9f}" for one in GOLD]
BETTER = [f"{float(one) + 0.01 * RNG.normal():.9f}" for one in GOLD]
NO_BETTER = [f"{float(one) + 0.3001 * RNG.normal():.9f}" for one in GOLD]


def at(moment: datetime) -> mock._patch[mock.MagicMock]:
    """Set the clock of boards."""
    return mock.patch("bestby.boards.record.now", return_value=moment)


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """Return a board with a public phase, and a private one that is hidden until its end."""
    groups = {
        "doc": [f"secretdoc{place // 2}" for place in range(N)],
        "kind": ["kindA", "kindB", "kindC"] * (N // 3),
    }
    gold = write_table(tmp_path / "gold.csv", {"id": ids(N), "gold": GOLD, **groups})
    with at(NOW):
        made = Door.create(
            tmp_path / "board", gold, title="T", metrics=["mse", "pearson"], clusters="doc", slices="kind",
            private_share=0.5, rng=5, baseline="them/first",
        )  # fmt: skip
    edit(made, 'show = "after"', f'show = "after"\nstart = 2026-01-01\nend = {END}')
    with at(NOW):
        for team, values in (("us", OURS), ("them", BETTER), ("us", NO_BETTER)):
            path = write_table(tmp_path / "p.csv", {"id": ids(N), "prediction": values})
            made.submit(path, team=team, system="first")
            made.submit(path, team=team, system="first", phase="private")
    return made


def published(board: Board, site: Path, moment: datetime) -> str:
    """Publish a board and return all texts of its site and of the public files of its folder."""
    with at(moment):
        board.publish(site)
    public = [board.path / name for name in ("record.jsonl", "board.toml", "items.csv")]
    parts = []
    for path in [*public, *(one for one in site.rglob("*") if one.is_file())]:
        data = path.read_bytes()
        parts.append(data)
        if path.suffix == ".zip":
            with zipfile.ZipFile(io.BytesIO(data)) as packed:
                parts += [packed.read(name) for name in packed.namelist()]
    return b"\n".join(parts).decode("utf-8", "replace")


def score(board: Board, values: list[str], part: str) -> float:
    """Return the mean squared error of predictions on a part of the gold."""
    table = (board.path / "gold" / "1" / "task.csv").read_text().splitlines()
    column = table[0].split(",").index("part")
    inside = np.array([line.split(",")[column] == part for line in table[1:]])
    errors = np.array([(float(a) - float(b)) ** 2 for a, b in zip(values, GOLD, strict=True)])
    return float(errors[inside].mean())


def traces(number: float) -> list[str]:
    """Return how a number would be seen in a page or a table of data."""
    return [f"{number:.7f}"[:-1], f"{number:.5f}"[:-1]]


def test_neither_the_gold_nor_predictions_are_published(board: Board, tmp_path: Path) -> None:
    for moment in (NOW, AFTER):
        text = published(board, tmp_path / "site", moment)
        for secret in (*GOLD, *OURS, *BETTER, *NO_BETTER):
            assert secret not in text
            assert secret.rstrip("0") not in text
        assert "secretdoc" not in text
        for path in (board.path / "gold" / "1").iterdir():
            assert path.read_text().strip() not in text


def test_hidden_scores_are_published_when_their_phase_has_ended(board: Board, tmp_path: Path) -> None:
    hidden = [score(board, values, "private") for values in (NO_BETTER, BETTER)]
    before = published(board, tmp_path / "site", NOW)
    late = published(board, tmp_path / "site", AFTER)
    with at(AFTER):
        board.end("private")
    after = published(board, tmp_path / "site", AFTER)
    for number in hidden:
        assert not any(trace in before for trace in traces(number))
        assert not any(trace in late for trace in traces(number))
        assert any(trace in after for trace in traces(number))


def test_the_parts_are_not_published(board: Board, tmp_path: Path) -> None:
    """Which items are private would tell on which ones a submission has to be good."""
    text = published(board, tmp_path / "site", NOW)
    table = (board.path / "gold" / "1" / "task.csv").read_text().splitlines()
    column = table[0].split(",").index("part")
    for part in ("public", "private"):
        own = [line.split(",")[0] for line in table[1:] if line.split(",")[column] == part]
        assert "\n".join(own) not in text
        assert ",".join(own) not in text


def test_no_hash_of_the_data_is_published(board: Board, tmp_path: Path) -> None:
    """With all predictions at hand, a gold of few items could be guessed until the hash fits."""
    text = published(board, tmp_path / "site", AFTER)
    assert "data:hidden" in text
    assert '"data_hash": "hidden"' in text or "data_hash" not in text
