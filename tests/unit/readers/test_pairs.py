"""Two numbers per item and system: recognised, read, refused."""

from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bestby as bb
from bestby._core.errors import BestbyError, InvalidInputError
from bestby.readers.formats.base import format_in, head_of
from bestby.readers.pairs import read, recognises

LONG = "system,item,logprob,tokens\na,d1,-2.5,3\na,d2,-1,2\nb,d2,-3,2\nb,d1,-4.5,3\n"
WIDE = "id,a.logprob,a.tokens,b.logprob,b.tokens\nd1,-2.5,3,-4.5,3\nd2,-1,2,-3,2\n"
A, B = [(-2.5, 3), (-1.0, 2)], [(-4.5, 3), (-3.0, 2)]


def written(folder: Path, text: str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("header", "known"),
    [
        ("system,item,logprob,tokens", True),
        ("system\titem\tlogprob\tbytes", True),
        ("id;logprob;tokens", True),
        ("logprob,tokens", True),
        ("text,logprob,tokens,bytes", True),
        ("system,problem,n,c,difficulty", True),
        ("item,n,c", True),
        ("item,samples,correct,cluster", True),
        ("id,gpt.n,gpt.c,llama.n,llama.c", True),
        ("id,gpt.n,gpt.c", False),  # one system
        ("id,gpt.n,llama.c", False),
        ("id,gold,n,c", False),  # two systems with these names
        ("id,a,b,c,n", False),
        ("item,system,score,n,c", False),  # scores, with their numbers beside
        ("item,a,b", False),
        ("", False),
        ('{"system": "a", "item": 1, "n": 10, "c": 3}', True),
        ('{"system": "a", "item": 1}', False),
        ('{"system": ', False),
        ("[1, 2]", False),
    ],
)
def test_recognised_by_the_names_of_columns(tmp_path: Path, header: str, known: bool) -> None:
    path = written(tmp_path, header + "\n", "f")
    assert recognises(path, head_of(path)) is known


def test_parquet(tmp_path: Path) -> None:
    import polars as pl

    path = tmp_path / "f.parquet"
    pl.DataFrame(
        {"system": ["a", "a", "b", "b"], "id": [1, 2, 1, 2], "n": [5] * 4, "c": [1, 2, 3, 4]}
    ).write_parquet(path)
    form = format_in(path)
    assert form is not None
    evaluation = form.read({"f": path}).evaluation
    assert evaluation is not None
    assert evaluation.systems["b"].tolist() == [(5, 3), (5, 4)]
    (tmp_path / "g.parquet").write_bytes(path.read_bytes()[:40])
    assert not recognises(tmp_path / "g.parquet", head_of(tmp_path / "g.parquet"))


def test_long_wide_and_one_file_per_system(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,logprob,tokens\nd1,-2.5,3\nd2,-1,2\n")
    (tmp_path / "b.csv").write_text("id,logprob,tokens\nd2,-3,2\nd1,-4.5,3\n")
    several = {"a": tmp_path / "a.csv", "b": tmp_path / "b.csv"}
    for paths, form in (
        ({"t": written(tmp_path, LONG)}, "a long table (column system)"),
        ({"t": written(tmp_path, WIDE, "wide.csv")}, "a wide table"),
        (several, "one table per system"),
    ):
        found = read(paths)
        assert found.description == f"pairs of numbers (logprob, tokens), {form}; systems: a, b"
        assert found.metric == "perplexity"
        assert found.evaluation is not None
        assert found.evaluation.items.tolist() == ["d1", "d2"]
        assert (found.evaluation.systems["a"].tolist(), found.evaluation.systems["b"].tolist()) == (A, B)
        assert found.evaluation.notes == ()


def test_without_ids_the_order_counts(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n,c\n10,3\n10,4\n")
    (tmp_path / "b.csv").write_text("n,c\n10,5\n5,0\n")
    found = read({"a": tmp_path / "a.csv", "b": tmp_path / "b.csv"})
    assert found.metric == "pass@1"
    assert found.evaluation is not None
    assert found.evaluation.systems["b"].tolist() == [(10, 5), (5, 0)]


def test_through_the_door(tmp_path: Path) -> None:
    """The scores are those of the pairs themselves; the file suggests the metric."""
    result = bb.compare(bb.read(written(tmp_path, LONG)), n_resamples=50)
    assert [metric.name for metric in result.metrics] == ["perplexity"]
    scores = {entry.system: entry.score for entry in result.systems}
    assert scores == pytest.approx({"a": math.exp(3.5 / 5), "b": math.exp(7.5 / 5)}, rel=1e-12)
    assert "pairs of numbers (logprob, tokens)" in result.notes[0].message


def test_columns_called_otherwise(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "model,doc,ll,len,topic\n" + "".join(f"{m},d{i},-{i},5,t{i // 2}\n" for m in "ab" for i in range(4)),
    )
    evaluation = bb.read(
        path,
        format="pairs",
        reading=bb.Reading(system_column="model", value_column="ll, len"),
        items="doc",
        clusters="topic",
    )
    assert evaluation.systems["b"].tolist() == [(-i, 5) for i in range(4)]
    assert evaluation.clusters.tolist() == ["t0", "t0", "t1", "t1"]
    assert evaluation.suggested is None


def test_two_lengths_ask_which(tmp_path: Path) -> None:
    path = written(
        tmp_path, LONG.replace("tokens", "bytes,tokens").replace(",3\n", ",12,3\n").replace(",2\n", ",9,2\n")
    )
    with pytest.raises(InvalidInputError, match=r"several pairs .* \(logprob, tokens; logprob, bytes\)"):
        bb.read(path)
    evaluation = bb.read(path, reading=bb.Reading(value_column="logprob,bytes"))
    assert evaluation.suggested == "bits_per_byte"
    assert evaluation.systems["a"].tolist() == [(-2.5, 12), (-1.0, 9)]


def test_tokens_that_differ_are_noted(tmp_path: Path) -> None:
    other = written(tmp_path, LONG.replace("-4.5,3", "-4.5,4"))
    assert [note.code for note in read({"t": other}).evaluation.notes] == ["tokens_differ"]  # type: ignore[union-attr]
    of_bytes = written(tmp_path, LONG.replace("-4.5,3", "-4.5,4").replace("tokens", "bytes"))
    assert read({"t": of_bytes}).evaluation.notes == ()  # type: ignore[union-attr]


def test_missing_values(tmp_path: Path) -> None:
    path = written(tmp_path, LONG + "a,d3,-1,2\nb,d3,,2\na,d4,-1,2\nb,d4,-2,2\n")
    with pytest.raises(
        InvalidInputError, match="system 'b' has no value for 1 of 4 items; first: row 3, item 'd3'"
    ):
        read({"t": path})
    kept = read({"t": path}, on_missing="drop").evaluation
    assert kept is not None
    assert kept.items.tolist() == ["d1", "d2", "d4"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (LONG + "a,d1,-1,2\n", {}, "item ids of system 'a' must be unique.* 'd1' \\(2 times\\)"),
        (LONG.replace("-4.5", "much"), {}, "column 'logprob' must hold numbers, got 'much'"),
        (LONG.replace("system", "who"), {}, "there is no column 'system'"),
        (LONG.replace("item", "doc"), {}, "a long table needs a column of item ids"),
        (LONG.replace("tokens", "length"), {}, "no known pair of columns"),
        (
            LONG,
            {"value_column": "logprob"},
            "expected two column names separated by a comma, got 'logprob'",
        ),
        (LONG, {"value_column": "logprob,logprob"}, "expected two column names"),
        (
            LONG,
            {"value_column": "logprob,bytes"},
            "has no column 'bytes' \\(named as value_column\\)",
        ),
        ("id,logprob,tokens,cluster\n", {}, "a header but no rows"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        read({"t": written(tmp_path, text)}, **options)  # type: ignore[arg-type]


def test_files_that_do_not_fit_together(tmp_path: Path) -> None:
    a = written(tmp_path, "id,n,c,cluster\n1,5,1,x\n2,5,1,y\n", "a.csv")
    with pytest.raises(InvalidInputError, match=r"a.csv has item ids, .*b.csv has none"):
        read({"a": a, "b": written(tmp_path, "n,c\n5,1\n5,1\n", "b.csv")})
    with pytest.raises(InvalidInputError, match="the cluster of item '2' is 'y' here and 'x' there"):
        read({"a": a, "b": written(tmp_path, "id,n,c,cluster\n1,5,1,x\n2,5,1,x\n", "b.csv")})
    rows = "n,c,cluster\n5,1,x\n5,1,{}\n"
    with pytest.raises(InvalidInputError, match="the cluster of item '2' is 'a' here and 'b' there"):
        read({k: written(tmp_path, rows.format(k), f"{k}.csv") for k in "ab"})


_CELLS = st.sampled_from(
    ["a", "b", "d1", "", "-1", "3", "1e999", "nan", "[1]", "true", '"', "9" * 400, "x" * 5000]
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    whole = draw(
        st.sampled_from(
            [
                LONG,
                WIDE,
                "\n".join(json.dumps({"system": s, "id": i, "n": 5, "c": i}) for s in "ab" for i in (1, 2)),
            ]
        )
    )
    if draw(st.booleans()):
        header, *_ = whole.split("\n")
        rows = draw(
            st.lists(
                st.lists(_CELLS, min_size=header.count(",") + 1, max_size=header.count(",") + 1), max_size=5
            )
        )
        return "\n".join([header, *(",".join(row) for row in rows)]).encode()
    data = whole.encode()
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
    return data[:start] + draw(st.binary(max_size=6)) + data[draw(st.sampled_from([start, end])) :]


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=files(), name=st.sampled_from(["f.csv", "f.jsonl", "f.parquet", "f"]))
def test_a_result_or_an_error_of_ours(tmp_path: Path, data: bytes, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    recognises(path, head_of(path))
    for paths in ({"t": path}, {"a": path, "b": path}):
        with contextlib.suppress(BestbyError):
            assert read(paths, on_missing="drop").evaluation is not None


def test_runs_of_pairs_are_no_question_of_runs(tmp_path: Path) -> None:
    rows = "".join(f"{system},q1,{run},10,{run}\n" for system in "ab" for run in (0, 1))
    path = written(tmp_path, f"system,item,run,n,c\n{rows}")
    for reader in (bb.read, bb.read_runs):
        with pytest.raises(InvalidInputError, match="pairs of numbers have no runs"):
            reader(path)
