"""`compare_preferences`: the forms of judgements it takes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.unit.questions.preferences.examples import PLAIN, ROWS, numbers

from bestby import compare_preferences, read_preferences
from bestby.errors import DesignError, InvalidInputError
from bestby.questions.preferences.source import data_of


def test_frames_mappings_and_tuples_are_the_same() -> None:
    import pandas as pd
    import polars as pl

    columns = dict(zip(("item", "a", "b", "winner"), zip(*ROWS, strict=True), strict=True))
    expected = numbers(compare_preferences(ROWS, n_resamples=100))
    assert numbers(compare_preferences(columns, n_resamples=100)) == expected
    assert numbers(compare_preferences(pd.DataFrame(columns), n_resamples=100)) == expected
    assert numbers(compare_preferences(pl.DataFrame(columns), n_resamples=100)) == expected
    renamed = pd.DataFrame(columns).rename(
        columns={"item": "prompt", "a": "model_a", "b": "model_b", "winner": "won"}
    )
    names = {"a": "model_a", "b": "model_b", "winner": "won"}
    assert numbers(compare_preferences(renamed, **names, items="prompt", n_resamples=100)) == expected  # type: ignore[arg-type]
    assert numbers(compare_preferences(renamed, **names, clusters="prompt", n_resamples=100)) == expected  # type: ignore[arg-type]
    prompts = [row[0] for row in ROWS]
    assert numbers(compare_preferences(PLAIN, clusters=prompts, n_resamples=100)) == expected


def test_the_winner_by_position_or_by_name() -> None:
    by_position = [(a, b, "a" if w == a else "b" if w == b else w) for a, b, w in PLAIN]
    assert numbers(compare_preferences(by_position, n_resamples=50)) == numbers(
        compare_preferences(PLAIN, n_resamples=50)
    )
    # A name goes before a position
    confusing = [("b", "a", "a")] * 10 + [("a", "b", "b")] * 3
    d = compare_preferences(confusing, n_resamples=50)["a", "b"]
    assert (d.wins, d.losses) == (10, 3)


def test_what_is_refused() -> None:
    with pytest.raises(InvalidInputError, match='prior must be "jeffreys" or None, got 1') as error:
        compare_preferences(PLAIN, prior=1.0)  # type: ignore[arg-type]  # as version 0.2.0 took it
    assert 'prior="jeffreys"' in str(error.value)
    with pytest.raises(DesignError, match="all ties"):
        compare_preferences([("x", "y", "tie")] * 9, ties="davidson")
    with pytest.raises(InvalidInputError, match="order must be"):
        compare_preferences(PLAIN, order="yes")  # type: ignore[arg-type]
    with pytest.raises(DesignError, match="no order effect, which is in the model"):
        compare_preferences([*PLAIN, *((b, a, w) for a, b, w in PLAIN)], test="permutation")
    with pytest.raises(InvalidInputError, match="there are no voters"):
        compare_preferences(PLAIN, voter_weights="shrunk")


def test_systems_that_never_met() -> None:
    rows = [row for row in PLAIN if {"one", "two"} - {*row[:2]}]
    assert compare_preferences(rows, n_resamples=100)["one", "two"].n_items == 0
    assert (
        "never judged against each other" in compare_preferences(rows, n_resamples=99)["one", "two"].sentence
    )
    with pytest.raises(DesignError, match="one and two were never judged against each other"):
        compare_preferences(rows, n_resamples=100, test="permutation")


# -- logs of arenas ---------------------------------------------------------------------------------

TURN = [{"role": "user", "content": "Why?"}]


def arena(n: int = 12) -> list[dict[str, object]]:
    """Return records as LMArena publishes them, the winner being the longer answer."""
    return [
        {
            "question_id": f"q{i}",
            "model_a": "xyz"[i % 3],
            "model_b": "xyz"[(i + 1) % 3],
            "winner": ("model_a", "model_b", "tie (bothbad)")[i % 3],
            "judge": f"arena_user_{i % 4}",
            "conversation_a": [*TURN, {"role": "assistant", "content": "o" * i}],
            "conversation_b": [*TURN, {"role": "assistant", "content": "oo"}],
            "turn": 1,
            "language": ("English", "German")[i % 2],
            "conv_metadata": {
                "sum_assistant_a_tokens": 10 * i,
                "sum_assistant_b_tokens": 7,
                "header_count_a": {"h1": i, "h2": 1},
                "header_count_b": {"h1": 0, "h2": 0},
            },
        }
        for i in range(n)
    ]


def test_logs_of_lmarena_keep_order_voters_language_and_lengths(tmp_path: Path) -> None:
    import pandas as pd
    import polars as pl

    (tmp_path / "arena.json").write_text(json.dumps(arena()), encoding="utf-8")
    (tmp_path / "arena.jsonl").write_text("\n".join(map(json.dumps, arena())), encoding="utf-8")
    pl.DataFrame(arena()).write_parquet(tmp_path / "arena.parquet")
    files = [read_preferences(tmp_path / f"arena.{kind}") for kind in ("json", "jsonl", "parquet")]
    names = ["conversation", "sum_assistant_tokens", "header_count"]
    for data in (arena(), pd.DataFrame(arena()), pl.DataFrame(arena()), *files):
        judged = data_of(data, ["question_id", "judge"], covariates=names)
        assert [judged.systems[s] for s in judged.first[:4]] == ["x", "y", "z", "x"]
        assert judged.outcome[:4].tolist() == [2, 0, 1, 2]
        assert judged.clusters["judge"].codes.tolist() == [0, 1, 2, 3] * 3
        assert judged.voter is judged.clusters["judge"]
        assert judged.covariate_names == tuple(names)
        assert judged.covariates[3].tolist() == [1.0, 23.0, 4.0]
        assert judged.unused == ()
        voters, style = data_of(data, "language").unused
        assert voters.message.startswith("judge may say who judged")
        assert all(name in style.message for name in names)


def test_a_column_per_outcome() -> None:
    columns = {
        "model_a": ["x", "y", "x"],
        "model_b": ["y", "x", "y"],
        "winner_model_a": [1, 0, 0],
        "winner_model_b": [0, 1, 0],
        "winner_tie": [0, 0, 1],
    }
    assert data_of(columns).outcome.tolist() == [2, 0, 1]


# -- what judgements are read as --------------------------------------------------------------------


def test_covariates_of_every_form() -> None:
    columns = dict(zip(("item", "a", "b", "winner"), zip(*ROWS, strict=True), strict=True))
    n = len(ROWS)
    columns |= {"len_a": range(n), "len_b": [1] * n, "d": range(-1, n - 1)}
    difference = np.arange(n) - 1.0
    for covariates in (
        ["len"],
        "len",
        [("len_a", "len_b")],
        "len_a,len_b",
        "d",
        {"d": difference},
        difference,
    ):
        judged = data_of(columns, covariates=covariates)
        assert np.array_equal(judged.covariates[:, 0], difference)
    both = data_of(PLAIN, covariates=np.column_stack([difference, difference**2]))
    assert both.covariate_names == ("covariate 1", "covariate 2")
    chosen = data_of(columns, covariates=difference, systems=["one", "two"])
    assert chosen.covariates[:2, 0].tolist() == [-1.0, 5.0]
    texts = {**columns, "answer_a": ["xx"] * n, "answer_b": ["x"] * n}
    assert set(data_of(texts, covariates=["answer"]).covariates[:, 0]) == {1.0}


@pytest.mark.parametrize(
    ("covariates", "message"),
    [
        ("size", "no covariate 'size': it is not the name of two columns, one per answer"),
        ("len_a", "no covariate 'len_a': it is not the name of two columns"),
        ("winner", "no covariate 'winner'"),
        (["len_a,size"], "has no column 'size'"),
        ([("len_a",)], "no covariate"),
        (np.ones(3), "covariates has 3 values, expected 360"),
        ("text", "covariate 'text' has no value in 1 of 360 judgements; first: row 1"),
        ({"d": [np.nan] + [1.0] * 359}, "covariate 'd' has no value in 1 of 360 judgements; first: row 1"),
    ],
)
def test_covariates_that_are_refused(covariates: object, message: str) -> None:
    columns = dict(zip(("item", "a", "b", "winner"), zip(*ROWS, strict=True), strict=True))
    columns |= {"len_a": [1] * len(ROWS), "len_b": [1] * len(ROWS)}
    columns |= {"text_a": ["yes"] * len(ROWS), "text_b": [None] + ["no"] * (len(ROWS) - 1)}
    with pytest.raises(InvalidInputError, match=message):
        data_of(columns, covariates=covariates)


def test_groupings_of_every_form() -> None:
    columns = dict(zip(("item", "a", "b", "winner"), zip(*ROWS, strict=True), strict=True))
    n = len(ROWS)
    voters = [f"v{i % 7}" for i in range(n)]
    columns["user_id"] = voters
    both = data_of(columns, ["item", "user_id"])
    assert [*both.clusters] == ["item", "user_id"]
    assert both.clusters["user_id"].codes[:8].tolist() == [0, 1, 2, 3, 4, 5, 6, 0]
    assert both.voter is both.clusters["user_id"]
    assert both.voter.names == [f"v{i}" for i in range(7)]
    for clusters in ({"p": columns["item"], "v": voters}, [columns["item"], voters]):
        beside = data_of(PLAIN, clusters, voter=voters)
        assert [one.codes.tolist() for one in beside.clusters.values()] == [
            one.codes.tolist() for one in both.clusters.values()
        ]
        assert beside.voter is not None
        assert beside.voter.codes.tolist() == both.clusters["user_id"].codes.tolist()
    assert [note.code for note in data_of(columns).unused] == ["unused_voters"]
    with pytest.raises(InvalidInputError, match="clusters are at most two groupings, got item, user_id, a"):
        data_of(columns, ["item", "user_id", "a"])
    assert data_of({**columns, "user_id": ["v"] * n}).unused == ()


def test_codes_do_not_depend_on_the_form_or_the_length() -> None:
    """Columns are coded by their library where they are long, and as Python has them where they are short."""
    import pandas as pd
    import polars as pl

    rng = np.random.default_rng(1)
    n = 5000
    columns = {
        "item": [f"q{i}" for i in rng.integers(0, 4000, n)],
        "a": [f"s{i}" for i in rng.integers(0, 5, n)],
        "b": [f"t{i}" for i in rng.integers(0, 5, n)],
        "winner": rng.choice(["a", "b", "tie"], n).tolist(),
    }
    frames = [pd.DataFrame(columns), pl.DataFrame(columns), pl.DataFrame(columns).to_arrow()]
    frames += [pd.DataFrame(columns).astype("category"), pl.DataFrame(columns).to_dicts()]
    rows = [*zip(*columns.values(), strict=True)]
    arrays = {name: np.array(values) for name, values in columns.items()}
    expected = data_of(rows)
    names = sorted({*columns["item"]})
    assert [names[code] for code in expected.clusters["item"].codes] == columns["item"]
    assert [expected.systems[s] for s in expected.first] == columns["a"]
    assert [expected.systems[s] for s in expected.second] == columns["b"]
    for data in (*frames, columns, arrays):
        judged = data_of(data)
        assert judged.systems == expected.systems
        for one in ("first", "second", "outcome"):
            assert np.array_equal(getattr(judged, one), getattr(expected, one))
        assert np.array_equal(judged.clusters["item"].codes, expected.clusters["item"].codes)
    whole = {**columns, "a": rng.integers(0, 5, n), "b": rng.integers(5, 9, n)}
    assert data_of(whole).systems == tuple("012345678")
