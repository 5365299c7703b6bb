"""Verdicts of Arena-Hard and MT-bench: both orders of each pair, the judge, the category, the lengths."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bestby import read, read_preferences
from bestby.errors import InvalidInputError
from bestby.questions.preferences.source import data_of


def prompt(a: str, b: str) -> str:
    """Return the prompt of a judge of Arena-Hard."""
    return "<|User Prompt|>\nWhy?\n\n" + "\n\n".join(
        f"<|The Start of Assistant {side}'s Answer|>\n{answer}\n<|The End of Assistant {side}'s Answer|>"
        for side, answer in (("A", a), ("B", b))
    )


def arena_hard(model: str, scores: Sequence[Any], judge: str = "gpt-4", **more: Any) -> dict[str, Any]:
    """Return a record of Arena-Hard, of which the first game shows the baseline first."""
    games = [
        {"user_prompt": prompt(*answers), "judgment": "[[...]]", "score": score}
        for score, answers in zip(scores, (("base", "a longer one"), ("a longer one", "base")), strict=True)
    ]
    return {"question_id": "q1", "model": model, "judge": judge, "games": games, **more}


def mt_bench(question: int, winners: Sequence[str], turn: int = 1) -> dict[str, Any]:
    """Return a record of the file ``gpt-4_pair.jsonl``, of which the second game shows the second first."""
    return {
        "question_id": question,
        "model_1": "alpaca",
        "model_2": "vicuna",
        "g1_winner": winners[0],
        "g2_winner": winners[1],
        "judge": ["gpt-4", "pair-v2"],
        "g1_user_prompt": prompt("one", "other").replace("<|", "[").replace("|>", "]"),
        "g1_judgment": "[[A]]",
        "g2_user_prompt": prompt("other", "one").replace("<|", "[").replace("|>", "]"),
        "g2_judgment": "[[A]]",
        "turn": turn,
        "tstamp": 1686283421.9,
    }


def written(path: Path, records: Sequence[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path


def test_games_of_arena_hard_keep_their_order(tmp_path: Path) -> None:
    folder = tmp_path / "model_judgment" / "gpt-4"
    written(folder / "m.jsonl", [arena_hard("m", ["A>>B", "[[A=B]]"])])
    written(folder / "n.jsonl", [arena_hard("n", ["B>A", None])])
    found = read_preferences(folder)
    assert found.judgements() == [
        ("q1", "baseline", "m", "baseline"),
        ("q1", "m", "baseline", "tie"),
        ("q1", "baseline", "n", "n"),
    ]
    assert "verdicts of Arena-Hard: baseline, m, n; 1 of 4 without a verdict" in found.description
    judged = data_of(found, np.arange(3), covariates=["length"])
    assert judged.covariates[:, 0].tolist() == [-8.0, 8.0, -8.0]
    assert judged.unused == ()


def test_the_second_version_names_the_baseline_and_categories(tmp_path: Path) -> None:
    more = {"uid": "u7", "category": "hard_prompt", "baseline": "o3-mini"}
    rows = [arena_hard("m", ["A<B", "A<<B"], judge, **more) for judge in ("gpt-4.1", "gemini")]
    found = read_preferences(written(tmp_path / "m.jsonl", rows))
    assert found.judgements()[:2] == [("u7", "o3-mini", "m", "m"), ("u7", "m", "o3-mini", "o3-mini")]
    assert {"judge", "category"} <= {*found.columns}
    assert found.groups("judge", "voter").distinct.tolist() == ["gemini", "gpt-4.1"]
    judged = data_of(found, np.arange(4), voter="judge")
    assert judged.voter is not None
    assert (judged.voter.names, judged.voter.codes.tolist()) == (["gemini", "gpt-4.1"], [1, 1, 0, 0])


def test_games_of_mt_bench_keep_their_order(tmp_path: Path) -> None:
    rows = [mt_bench(81, ["model_1", "tie"]), mt_bench(82, ["error", "model_2"], turn=2)]
    found = read_preferences(written(tmp_path / "gpt-4_pair.jsonl", rows))
    assert found.judgements() == [
        ("81", "alpaca", "vicuna", "alpaca"),
        ("81", "vicuna", "alpaca", "tie"),
        ("82", "vicuna", "alpaca", "vicuna"),
    ]
    assert found.groups("judge", "voter").distinct.tolist() == ["gpt-4, pair-v2"]
    judged = data_of(found, covariates="length")
    assert judged.covariates[:, 0].tolist() == [-2.0, 2.0, 2.0]
    assert judged.unused == ()
    assert [note.code for note in data_of(found).unused] == ["unused_style"]
    assert judged.clusters["item"].codes.tolist() == [0, 0, 1]


def test_what_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "m.jsonl", [arena_hard("m", [None, "error"])])
    with pytest.raises(InvalidInputError, match="none of 2 games has a verdict"):
        read_preferences(path)
    with pytest.raises(InvalidInputError, match="expected a name"):
        read_preferences(written(tmp_path / "n.jsonl", [arena_hard("", ["A>B", "A>B"])]))
    path = written(tmp_path / "o.jsonl", [arena_hard("m", ["A>B", "A>B"])])
    with pytest.raises(InvalidInputError, match="no items to compare the systems on") as caught:
        read(path)
    assert "bestby preferences" in str(caught.value)
