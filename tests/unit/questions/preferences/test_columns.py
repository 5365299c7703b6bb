"""Tables of judgements: which columns, which winners, which numbers; and win rates made of them."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bestby import Preferences, compare, compare_preferences, read_preferences
from bestby._core.errors import BestbyError, InvalidInputError
from bestby.data.table import table_of
from bestby.questions.preferences.source import WinRate, preferences_of, win_rates

ROWS = [("q1", "x", "y", "x"), ("q1", "z", "x", "tie"), ("q2", "x", "y", "y"), ("q2", "x", "z", "x")]


def written(folder: Path, text: str, name: str = "judged.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def table(folder: Path, winners: list[str], header: str = "item,a,b,winner", systems: str = "x,y") -> Path:
    rows = "".join(f"q{i},{systems},{won}\n" for i, won in enumerate(winners))
    return written(folder, f"{header}\n{rows}")


# -- what is read ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_tables_of_every_kind(tmp_path: Path, kind: str) -> None:
    names = ("item", "a", "b", "winner")
    path = tmp_path / f"judged.{kind}"
    if kind == "parquet":
        import polars as pl

        pl.DataFrame(ROWS, schema=list(names), orient="row").write_parquet(path)
    elif kind == "jsonl":
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in ROWS]
        path.write_text("\n".join(lines), encoding="utf-8")
    else:
        mark = "\t" if kind == "tsv" else ","
        path.write_text("\n".join(mark.join(row) for row in [names, *ROWS]), encoding="utf-8")
    found = read_preferences(path)
    assert found.judgements() == ROWS
    assert found.names == ("x", "y", "z")
    assert (
        found.description
        == f"{path.name} was read as judgements; systems: a and b; preferred: winner; item: item"
    )


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_cluster_that_is_missing_among_numbers_is_named(tmp_path: Path, kind: str) -> None:
    import polars as pl

    rows = pl.DataFrame({"a": ["x"] * 3, "b": ["y"] * 3, "winner": ["x"] * 3, "voter": [7, None, 8]})
    path = tmp_path / f"judged.{kind}"
    getattr(rows, f"write_{kind}")(path)
    with pytest.raises(InvalidInputError, match="has no value in 1 of 3 rows; first: row 2"):
        read_preferences(path, clusters="voter")


def test_columns_by_name(tmp_path: Path) -> None:
    path = written(tmp_path, "left,right,best,prompt,topic\nx,y,right,p1,t1\ny,x,left,p2,t1\nx,y,x,p3,t2\n")
    found = read_preferences(path, a="left", b="right", winner="best", items="prompt", clusters="topic")
    assert found.judgements() == [("p1", "x", "y", "y"), ("p2", "y", "x", "y"), ("p3", "x", "y", "x")]
    assert found.clusters is not None
    assert found.clusters.values.tolist() == ["t1", "t1", "t2"]
    assert "item: prompt; cluster: topic" in found.description


def test_the_columns_and_ties_of_chatbot_arena(tmp_path: Path) -> None:
    winners = ("model_a", "model_b", "tie", "tie (bothbad)", "both_bad")
    rows = [
        json.dumps({"question_id": i, "model_a": "x", "model_b": "y", "winner": w})
        for i, w in enumerate(winners)
    ]
    found = read_preferences(written(tmp_path, "\n".join(rows), "arena.jsonl"), items="question_id")
    assert found.values.tolist() == [1.0, 0.0, 0.5, 0.5, 0.5]
    assert found.items is not None
    assert found.items.values.tolist() == ["0", "1", "2", "3", "4"]


def test_the_name_of_a_system_goes_before_that_of_a_column(tmp_path: Path) -> None:
    """As in compare_preferences: the system a stands in column b."""
    found = read_preferences(table(tmp_path, ["a", "b"], systems="b,a"))
    assert found.values.tolist() == [0.0, 1.0]
    assert compare_preferences(found.judgements() * 5, n_resamples=50)["b", "a"].wins == 5


def test_no_items(tmp_path: Path) -> None:
    found = read_preferences(written(tmp_path, "a,b,winner\nx,y,x\ny,x,tie\n"))
    assert found.judgements() == [("x", "y", "x"), ("y", "x", "tie")]


@pytest.mark.parametrize(
    ("winners", "values"),
    [
        (["1", "0", "0.5"], [1.0, 0.0, 0.5]),
        (["1", "2", "1.5"], [1.0, 0.0, 0.5]),  # alpaca_eval: 2 is the second
        (["1", "1"], [1.0, 1.0]),  # the first, on either scale
        (["0.25", "1.0"], [0.25, 1.0]),
        (["1.25", "1.0"], [0.75, 1.0]),
        (["x", "tie", "0.1", "y"], [1.0, 0.5, 0.1, 0.0]),
        (["A", "Model_B", "Tie"], [1.0, 0.0, 0.5]),
    ],
)
def test_numbers(tmp_path: Path, winners: list[str], values: list[float]) -> None:
    found = read_preferences(table(tmp_path, winners))
    assert found.values.tolist() == values
    assert found.is_graded == (not {*values} <= {0.0, 0.5, 1.0})


def test_graded_preferences_are_no_wins(tmp_path: Path) -> None:
    found = read_preferences(table(tmp_path, ["x", "0.8"]))
    with pytest.raises(InvalidInputError, match=r"a preference is graded \(the first: 0.8\)") as caught:
        found.judgements()
    assert "bestby preferences --method win-rate" in str(caught.value.hint)


def test_chosen_systems(tmp_path: Path) -> None:
    path = written(tmp_path, "item,a,b,winner\n" + "".join(",".join(row) + "\n" for row in ROWS))
    found = read_preferences(path, systems=["x", "z"])
    assert found.judgements() == [ROWS[1], ROWS[3]]
    with pytest.raises(InvalidInputError, match="the judgements: no system 'w'"):
        read_preferences(path, systems=["x", "w"])
    with pytest.raises(InvalidInputError, match="no judgement compares two of the systems that are left: y"):
        read_preferences(path, systems="y")
    with pytest.raises(
        InvalidInputError, match="no judgement compares two of the systems that are left: y, z"
    ):
        read_preferences(path, systems=["y", "z"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\nx,y\n", r"no column is called winner or preference"),
        ("first,b,winner\nx,y,x\n", r"no column is called a or model_a"),
        ("a,b,winner\nx,x,x\n", "row 1 is of 'x' against itself"),
        ("a,b,winner\nx,y,x\nx,y,z\n", "winner of row 2, 'x' against 'y', must be one of them.* got 'z'"),
        ("a,b,winner\nx,y,2.5\n", "got '2.5'"),
        ("a,b,winner\nx,y,-1\n", "got '-1'"),
        ("a,b,winner\nx,y,inf\n", "got 'inf'"),
        ("a,b,winner\nx,y,\nx,y,x\n", "winner column 'winner' has no value in 1 of 2 rows; first: row 1"),
        ("a,b,winner\n,y,x\nx,y,x\n", "system column 'a' has no value"),
        ("a,b,winner\ntie,y,tie\n", "a system is called 'tie'"),
        ("a,b,winner\nx,y,0\nx,y,2\nx,y,1\n", "from 0 to 1 or from 1 to 2, but row 1 has 0 and row 2 has 2"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        read_preferences(written(tmp_path, text))


# -- annotations of alpaca_eval --------------------------------------------------------------------


def annotations(folder: Path, preferences: list[float]) -> Path:
    rows = [
        {"instruction": f"i{i}", "generator_1": "ref", "generator_2": "new", "preference": p}
        for i, p in enumerate(preferences)
    ]
    return written(folder, json.dumps(rows), "annotations.json")


def test_wins_in_annotations(tmp_path: Path) -> None:
    found = read_preferences(annotations(tmp_path, [1.0, 2.0, 2.0, 1.5]))
    assert [row[3] for row in found.judgements()] == ["ref", "new", "new", "tie"]
    assert found.description.startswith("annotations.json was read as annotations of AlpacaEval")


def test_graded_annotations_keep_their_grades(tmp_path: Path) -> None:
    found = read_preferences(annotations(tmp_path, [1.2, 1.9, 2.0]), systems=["ref", "new"])
    assert found.is_graded
    rates = win_rates(found)
    assert rates.systems["new"].tolist() == pytest.approx([0.2, 0.9, 1.0])
    assert rates.systems["ref"].tolist() == pytest.approx([0.8, 0.1, 0.0])
    with pytest.raises(InvalidInputError, match="a preference is graded"):
        found.judgements()


def test_the_common_opponent_of_annotations_stands_at_one_half(tmp_path: Path) -> None:
    rows = [
        {"instruction": f"i{i}", "generator_1": "ref", "generator_2": name, "preference": p}
        for i in range(3)
        for name, p in (("new", 1.75), ("old", 1.5))
    ]
    rates = win_rates(read_preferences(written(tmp_path, json.dumps(rows), "annotations.json")))
    assert {name: set(scores.tolist()) for name, scores in rates.systems.items()} == {
        "new": {0.75},
        "old": {0.5},
        "ref": {0.5},
    }


def test_annotations_of_several_models_and_of_the_reference_itself(tmp_path: Path) -> None:
    paths = []
    for name, preferences in (("new", [2.0, 1.0]), ("old", [1.0, 1.0]), ("ref", [1.5, 1.5])):
        (tmp_path / name).mkdir()
        path = annotations(tmp_path / name, preferences)
        path.write_text(path.read_text(encoding="utf-8").replace('"new"', f'"{name}"'), encoding="utf-8")
        paths.append(path)
    found = read_preferences(paths)
    assert found.names == ("new", "old", "ref")
    assert [row[1:] for row in found.judgements()] == [
        ("ref", "new", "new"),
        ("ref", "new", "ref"),
        ("ref", "old", "ref"),
        ("ref", "old", "ref"),
    ]
    assert found.judgements()[0][0] == found.judgements()[2][0]  # the same instruction
    assert "2 annotations of a generator against itself were left out" in found.description
    assert found.description.startswith("The files were read as annotations of AlpacaEval")
    assert win_rates(found).systems["new"].tolist() == [1.0, 0.0]
    named = read_preferences({"mine": paths[0], "theirs": paths[1]})
    assert named.names == ("mine", "ref", "theirs")
    assert read_preferences(tmp_path).names == found.names
    table = written(tmp_path, "a,b,winner\nx,y,x\n")
    with pytest.raises(InvalidInputError, match="the files are in different formats"):
        read_preferences([*paths, table])


def test_several_tables_are_put_together(tmp_path: Path) -> None:
    one = written(tmp_path, "item,a,b,winner\nq1,x,y,x\n", "one.csv")
    two = written(tmp_path, "item,model_a,model_b,winner\nq1,y,z,2\nq2,y,z,1\n", "two.csv")
    assert read_preferences([one, two]).judgements() == [
        ("q1", "x", "y", "x"),
        ("q1", "y", "z", "z"),
        ("q2", "y", "z", "y"),
    ]
    bare = written(tmp_path, "a,b,winner\nx,y,x\n", "bare.csv")
    with pytest.raises(InvalidInputError, match="some tables of judgements have items, and some have none"):
        read_preferences([one, bare])
    with pytest.raises(InvalidInputError, match="was itself given a name: 'mine'"):
        read_preferences({"mine": one})


def test_failed_annotations_are_left_out(tmp_path: Path) -> None:
    path = annotations(tmp_path, [1.0, 2.0, 2.0])
    path.write_text(path.read_text(encoding="utf-8").replace("1.0", "null"), encoding="utf-8")
    found = read_preferences(path)
    assert len(found.judgements()) == 2
    assert "1 of 3 without a preference" in found.description
    assert win_rates(found).n_items == 2


def test_a_format_without_preferences(tmp_path: Path) -> None:
    path = written(tmp_path, "system,item,n,c\nx,1,5,2\nx,2,5,1\ny,1,5,3\ny,2,5,1\n")
    with pytest.raises(
        InvalidInputError, match=r"read as pairs of numbers .*: there are no preferences in it"
    ):
        read_preferences(path)


# -- win rates -------------------------------------------------------------------------------------


def judged(*rows: tuple[str, str, str, float]) -> Preferences:
    columns = zip(*rows, strict=True)
    return preferences_of(table_of(dict(zip(("item", "a", "b", "winner"), columns, strict=True))), {})


def test_two_systems_mirror_each_other() -> None:
    rates = win_rates(judged(("q1", "x", "y", 1.0), ("q2", "y", "x", 0.25), ("q3", "x", "y", 0.5)))
    assert rates.systems["x"].tolist() == [1.0, 0.75, 0.5]
    assert rates.systems["y"].tolist() == [0.0, 0.25, 0.5]
    assert [note.code for note in rates.notes] == ["read_as"]
    result = compare(rates, n_resamples=100)
    assert result.metrics[0].name == "win_rate"
    assert result["x", "y"].estimate == pytest.approx(0.5)  # 2 x 0.75 - 1


def test_a_common_opponent_stands_at_one_half() -> None:
    rows = [(f"q{i}", *pair) for i in range(3) for pair in (("m", "ref", 1.0), ("ref", "n", 0.75))]
    rates = win_rates(judged(*rows))
    assert {name: set(scores.tolist()) for name, scores in rates.systems.items()} == {
        "m": {1.0},
        "n": {0.25},
        "ref": {0.5},
    }
    assert rates.notes[0].message.endswith("item: item; win rates are those against ref")


def test_all_against_all_is_the_mean_over_opponents_and_judges() -> None:
    rows = [("q1", "x", "y", 1.0), ("q1", "y", "z", 0.5), ("q1", "z", "x", 0.0)]
    rows += [("q2", "x", "y", 0.0), ("q2", "y", "z", 1.0), ("q2", "z", "x", 0.5)]
    rates = win_rates(judged(*rows))
    assert rates.systems["x"].tolist() == [1.0, 0.25]
    assert rates.systems["y"].tolist() == [0.25, 1.0]
    assert rates.systems["z"].tolist() == [0.25, 0.25]
    assert [note.code for note in rates.notes] == ["read_as"]
    again = win_rates(judged(*rows, ("q2", "x", "y", 1.0)))  # a second judge of the pair
    assert again.systems["x"].tolist() == pytest.approx([1.0, 0.5])
    assert [note.code for note in again.notes] == ["read_as", "uneven_pairs"]


def test_the_win_rate_is_that_of_compare_preferences() -> None:
    rng = np.random.default_rng(3)
    rows = [
        (f"q{i}", a, b, float(rng.choice([0.0, 0.5, 1.0])))
        for i in range(40)
        for a, b in (("x", "y"), ("y", "z"), ("z", "x"))
    ]
    found = judged(*rows)
    strengths = compare_preferences(found.judgements(), n_resamples=50)
    expected = {entry.system: entry.win_rate for entry in strengths.systems}
    result = compare(win_rates(found), n_resamples=50)
    assert {entry.system: entry.score for entry in result.systems} == pytest.approx(expected, abs=1e-12)


def test_items_that_a_system_lacks() -> None:
    found = judged(("q1", "x", "y", 1.0), ("q1", "y", "z", 1.0), ("q2", "x", "y", 1.0), ("q2", "z", "y", 1.0),
                   ("q3", "x", "y", 0.0))  # fmt: skip
    with pytest.raises(InvalidInputError, match="q3"):
        win_rates(found)
    assert win_rates(found, "drop").n_items == 2


def test_three_systems_need_items() -> None:
    found = preferences_of(table_of({"a": ["x", "y"], "b": ["y", "z"], "winner": ["a", "a"]}), {})
    with pytest.raises(InvalidInputError, match="compared item by item, but there are no items"):
        win_rates(found)


def test_clusters_of_items() -> None:
    columns = {"item": ["q1", "q2", "q3"], "a": ["x"] * 3, "b": ["y"] * 3, "winner": [1, 0, 1]}
    rates = win_rates(preferences_of(table_of({**columns, "cluster": ["d", "d", "e"]}), {}))
    assert rates.clusters is not None
    assert rates.clusters.tolist() == ["d", "d", "e"]
    other = preferences_of(table_of({**columns, "item": ["q1"] * 3, "cluster": ["d", "e", "e"]}), {})
    with pytest.raises(InvalidInputError, match="the cluster of item 'q1' is 'd' here and 'e' there"):
        win_rates(other)


def test_what_the_metric_tells_about_itself() -> None:
    metric = WinRate()
    assert (metric.name, metric.bounds, metric.needs_gold, metric.greater_is_better) == (
        "win_rate",
        (0.0, 1.0),
        False,
        True,
    )


# -- whatever the bytes ----------------------------------------------------------------------------

_WHOLE = "item,a,b,winner,cluster\n" + "".join(f'q{i},x,y,"{"xy"[i % 2]}",c{i % 3}\n' for i in range(8))
_CELLS = st.sampled_from(
    ["x", "y", "z", "a", "b", "tie", "", "1", "0.5", "2", "nan", "1e999", '"', "q" * 5000, "\0"]
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    if draw(st.booleans()):
        rows = draw(st.lists(st.lists(_CELLS, min_size=4, max_size=5), max_size=6))
        return "\n".join(["item,a,b,winner", *(",".join(row) for row in rows)]).encode()
    data = _WHOLE.encode()
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
    return data[:start] + draw(st.binary(max_size=6)) + data[draw(st.sampled_from([start, end])) :]


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=files(), name=st.sampled_from(["f.csv", "f.jsonl", "f.tsv", "f"]))
def test_a_result_or_an_error_of_ours(tmp_path: Path, data: bytes, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    try:
        found = read_preferences(path)
    except BestbyError:
        return
    n = len(found.values)
    assert n > 0
    assert (len(found.first), len(found.second)) == (n, n)
    with contextlib.suppress(BestbyError):  # of graded preferences
        assert len(found.judgements()) == n
    with contextlib.suppress(BestbyError):  # of judgements without items
        assert win_rates(found, "drop").n_items <= n
