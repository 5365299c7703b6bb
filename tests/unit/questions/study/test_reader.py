"""One run of a study from files: what is taken for what, one type for all, what is refused."""

# ruff: noqa: E501 - rows of tables

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bestby import Reading
from bestby.errors import InvalidInputError
from bestby.questions.study.source import Gold, read_run

Make = Callable[[str, str], Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return made


def gold_of(values: Any, ids: Any = None, classes: Any = None) -> Gold:
    values = np.array(values)
    return Gold(np.arange(len(values)) if ids is None else np.array(ids), values, classes)


def test_lines_with_ids(make: Make) -> None:
    found = read_run(
        make("p.txt", "1\n0\n1\n"), gold=make("g.txt", "1\n1\n0\n"), ids=make("i.txt", "7\n5\n6\n")
    )
    assert found == {
        "predictions": [1, 0, 1], "gold": [1, 1, 0], "ids": [7, 5, 6], "clusters": None, "reading": Reading()
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.csv", "item,prediction,score\nq2,y,0.1\nq1,x,0.2\n"),
        ("p.tsv", "id\tprediction\nq2\ty\nq1\tx\n"),
        ("p.jsonl", '{"id": "q2", "prediction": "y"}\n{"id": "q1", "prediction": "x"}\n'),
    ],
)
def test_tables_with_ids(make: Make, name: str, text: str) -> None:
    path = make(name, text)
    assert read_run(path) == {
        "predictions": ["y", "x"], "gold": None, "ids": ["q2", "q1"], "clusters": None, "reading": Reading()
    }  # fmt: skip
    gold = make("g.csv", "item,gold,doc\nq1,x,d1\nq2,x,d2\n")
    both = read_run(path, gold=gold, clusters="doc")
    assert both == {
        "predictions": ["x", "y"], "gold": ["x", "x"], "ids": ["q1", "q2"], "clusters": ["d1", "d2"],
        "reading": Reading(),
    }  # fmt: skip


def test_gold_as_a_column_beside_the_predictions(make: Make) -> None:
    path = make("p.csv", "prediction,truth\nx,y\ny,y\n")
    found = read_run(path, gold="truth")
    assert (found["predictions"], found["gold"], found["ids"]) == (["x", "y"], ["y", "y"], None)


def test_arrays_and_parquet(tmp_path: Path) -> None:
    import polars as pl

    np.save(tmp_path / "p.npy", np.array([1, 0]))
    np.save(tmp_path / "i.npy", np.array([7, 5]))
    found = read_run(tmp_path / "p.npy", ids=tmp_path / "i.npy")
    assert (found["predictions"], found["ids"]) == ([1, 0], [7, 5])
    pl.DataFrame({"id": [7, 5], "prediction": [1, 0]}).write_parquet(tmp_path / "p.parquet")
    assert read_run(tmp_path / "p.parquet") == found
    np.save(tmp_path / "s.npy", np.array([[0.25, 0.75], [1.0, 0.0]]))
    assert read_run(tmp_path / "s.npy")["predictions"] == [[0.25, 0.75], [1.0, 0.0]]


def test_soft_rows(make: Make) -> None:
    gold = make("g.csv", "id,y,x\n2,0.25,0.75\n1,1,0\n")
    path = make("p.csv", "id,x,y\n1,0.5,0.5\n2,0.1,0.9\n")
    found = read_run(path, gold=gold, classes=["x", "y"])
    assert found["gold"] == [[0.75, 0.25], [0.0, 1.0]]
    assert found["predictions"] == [[0.1, 0.9], [0.5, 0.5]]
    assert (found["ids"], found["reading"].classes) == ([2, 1], ["x", "y"])
    lines = make("p.txt", "0.2 0.6\n1 1\n")
    assert read_run(lines, normalise=True)["predictions"] == [pytest.approx([0.25, 0.75]), [0.5, 0.5]]
    bracketed = make("b.csv", "p[y],p[x]\n0.25,0.75\n1,0\n")
    assert read_run(bracketed)["reading"].classes == ["y", "x"]


class TestTheTypeIsThatOfTheStudy:
    def test_labels(self, make: Make) -> None:
        path = make("p.txt", "1\n2\n")
        assert read_run(path)["predictions"] == [1, 2]
        assert read_run(path, study_gold=gold_of(["1", "x"]))["predictions"] == ["1", "2"]
        assert read_run(path, study_gold=gold_of([0.5, 1.5]))["predictions"] == [1, 2]
        assert read_run(make("p2.txt", "1.50\n2e1\n"), study_gold=gold_of(["1.50", "x"]))["predictions"] == [
            "1.50",
            "2e1",
        ]

    def test_text_against_numbers(self, make: Make) -> None:
        found = read_run(make("p.txt", "1.0\nunsure\n"), study_gold=gold_of([0, 1]))
        assert found["predictions"] == ["1", "unsure"]

    def test_ids(self, make: Make) -> None:
        path, ids = make("p.txt", "x\ny\n"), make("i.txt", "2\n10\n")
        assert read_run(path, ids=ids)["ids"] == [2, 10]
        assert read_run(path, ids=ids, study_gold=gold_of(["x", "y"], [10, 2]))["ids"] == [2, 10]
        assert read_run(path, ids=ids, study_gold=gold_of(["x", "y"], ["10", "2"]))["ids"] == ["2", "10"]
        assert read_run(path, ids=make("j.txt", "01\n1\n"))["ids"] == ["01", "1"]

    def test_classes(self, make: Make) -> None:
        path = make("p.csv", "1,0\n0.5,0.5\n1,0\n")
        known = gold_of(["0", "1"], classes=np.array(["0", "1"]))
        assert read_run(path, study_gold=known, classes=["1", "0"])["reading"].classes == ["1", "0"]
        known = gold_of([0, 1], classes=np.array([0, 1]))
        assert read_run(path, study_gold=known, classes=["1", "0"])["reading"].classes == [1, 0]

    def test_hard_labels_in_a_soft_study(self, make: Make) -> None:
        soft = gold_of([[0.5, 0.5], [1.0, 0.0]], classes=np.array(["1", "2"]))
        assert read_run(make("p.txt", "1\n2\n"), study_gold=soft)["predictions"] == ["1", "2"]


@pytest.mark.parametrize(
    ("files", "arguments", "message"),
    [
        ({"p.txt": "x\n\ny\n"}, {}, "line 2"),
        ({"p.txt": "x\nNA\ny\n"}, {}, "no prediction for 1 of 3 items; first: row 2"),
        ({"p.csv": "id,prediction\nq1,\nq2,x\n"}, {}, "no prediction for 1 of 2 items; first: row 1, item 'q1'"),
        ({"p.txt": "x\ny\n", "g.txt": "x\nNA\n"}, {"gold": "g.txt"}, "the gold is missing for 1 of 2"),
        ({"p.txt": "x\ny\n", "i.txt": "1\n1\n"}, {"ids": "i.txt"}, "item ids must be unique.*'1'"),
        ({"p.txt": "x\ny\n", "i.txt": "1\n"}, {"ids": "i.txt"}, "p.txt has 2 values, .*i.txt has 1 ids"),
        ({"p.csv": "id,prediction\n1,x\n1,y\n"}, {}, "item ids must be unique"),
        ({"p.csv": "id,prediction\n1,x\n2,y\n", "i.txt": "1\n2\n"}, {"ids": "i.txt"}, "and the file .*i.txt has ids too"),
        ({"p.csv": "id,prediction\n1,x\n2,y\n", "g.txt": "x\ny\n"}, {"gold": "g.txt"}, "p.csv has item ids, .*g.txt has none"),
        ({"p.csv": "id,prediction\n1,x\n2,y\n", "g.csv": "id,gold\n1,x\n3,y\n"}, {"gold": "g.csv"}, "share 1 of 2 item ids; 1 missing from .*p.csv, first: 3"),
        ({"p.csv": "id,prediction\n1,x\n2,y\n", "g.csv": "id,gold\n1,x\n"}, {"gold": "g.csv"}, "share 1 of 1 item ids; 1 extra in .*p.csv, first: 2"),
        ({"p.txt": "x\ny\n", "i.csv": "a,b\n1,2\n3,4\n"}, {"ids": "i.csv"}, "which column holds the ids"),
        ({"p.txt": "x\ny\n"}, {"gold": "none.txt"}, "no file 'none.txt'"),
    ],
)  # fmt: skip
def test_errors(
    make: Make,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    files: dict[str, str],
    arguments: dict[str, str],
    message: str,
) -> None:
    for name, text in files.items():
        make(name, text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInputError, match=message):
        read_run(next(iter(files)), **arguments)  # type: ignore[arg-type]


def test_na_as_a_label(make: Make) -> None:
    assert read_run(make("p.txt", "x\nNA\n"), missing=[""])["predictions"] == ["x", "NA"]


def test_lists_in_json_lines(make: Make) -> None:
    lines = [json.dumps({"id": i, "prediction": [0.5, 0.5]}) for i in (1, 2)]
    found = read_run(make("p.jsonl", "\n".join(lines) + "\n"))
    assert (found["predictions"], found["ids"]) == ([[0.5, 0.5]] * 2, [1, 2])
