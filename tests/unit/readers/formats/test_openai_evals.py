from __future__ import annotations

from pathlib import Path

from tests.unit.readers.formats.log_files import message, openai_evals, scores_of
from tests.unit.readers.helpers import Make

from bestby.readers.formats import openai_evals as form
from bestby.readers.formats.base import format_in


def _pair(make: Make, a: str, b: str) -> dict[str, Path]:
    return {"a": make("a.jsonl", a), "b": make("b.jsonl", b)}


def test_matches_are_the_accuracy_and_functions_the_systems(make: Make) -> None:
    paths = _pair(make, openai_evals([True, False]), openai_evals([True, True], model="llm"))
    assert all(format_in(path) is form for path in paths.values())
    found = form.read(paths)
    assert scores_of(found) == {"gpt": [0.0, 1.0], "llm": [1.0, 1.0]}
    assert found.evaluation.items.tolist() == ["riddles.test.1", "riddles.test.0"]
    assert found.description == "logs of OpenAI evals; score: accuracy; systems: gpt, llm"
    mine = {"mine": paths["a"], "b": paths["b"]}
    assert list(scores_of(form.read(mine))) == ["mine", "llm"]


def test_evals_are_datasets(make: Make) -> None:
    paths = {
        f"{model}-{name}": make(f"{model}-{name}.jsonl", openai_evals(scores, model=model, name=name))
        for model, scores in (("gpt", [True, False]), ("llm", [True, True]))
        for name in ("riddles", "jokes")
    }
    found = form.read(paths)
    assert set(found.datasets) == {"riddles", "jokes"}
    assert found.evaluation.strata.tolist() == ["riddles"] * 2 + ["jokes"] * 2


def test_metrics(make: Make) -> None:
    values = [{"score": 0.25, "why": "x", "tokens": 3}, {"score": 0.5, "tokens": 5}]
    paths = _pair(make, *(openai_evals([None, None], model=m, metrics=values) for m in ("gpt", "llm")))
    assert message(form, paths) == "a.jsonl: which score? the files have: score, tokens"
    assert scores_of(form.read(paths, value_column="score"))["gpt"] == [0.5, 0.25]


def test_a_sample_that_was_not_scored_is_missing(make: Make) -> None:
    paths = _pair(make, openai_evals([True, None, False]), openai_evals([True, True, True], model="llm"))
    assert "gpt has no score (NaN) for item riddles.test.1 in a.jsonl" in message(form, paths)
    assert scores_of(form.read(paths, on_missing="drop")) == {"gpt": [0.0, 1.0], "llm": [1.0, 1.0]}


def test_refusals(make: Make) -> None:
    good = openai_evals([True, False])
    assert message(form, _pair(make, good + "".join(good.splitlines(True)[-1:]), good)) == (
        "a.jsonl, line 7: the score of sample 'riddles.test.0' was already in line 6"
    )
    assert message(form, _pair(make, openai_evals([]), good)) == "a.jsonl has no samples"
    assert message(form, _pair(make, openai_evals([None, None]), good)) == "a.jsonl: no sample has a score"
    assert "a.jsonl, line 6: not JSON" in message(form, _pair(make, good[:-20], good))
    other = openai_evals([None, None], metrics=[{"bleu": 0.5}] * 2)
    assert message(form, _pair(make, good, other)).startswith(
        "the files share no score: accuracy in a.jsonl, bleu in "
    )
