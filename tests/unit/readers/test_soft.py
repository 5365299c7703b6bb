"""Soft labels in files: every form that holds the same distributions is read as the same evaluation."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.readers.helpers import Make

from bestby import Reading
from bestby.data.evaluation import Evaluation
from bestby.readers import read

CLASSES = ["neg", "neu", "pos"]
IDS = ["q1", "q2", "q3"]
A = [[0.1, 0.2, 0.7], [0.5, 0.25, 0.25], [1.0, 0.0, 0.0]]
B = [[0.25, 0.5, 0.25], [0.0, 0.0, 1.0], [0.125, 0.125, 0.75]]
GOLD = [[0.0, 0.0, 1.0], [0.5, 0.5, 0.0], [0.25, 0.5, 0.25]]
HARD = ["pos", "neg", "neu"]
ONE = {"a": A, "b": B, "gold": GOLD}


def check_distributions(evaluation: Evaluation, classes: list[Any] = CLASSES, **hard: list[Any]) -> None:
    """Assert that the evaluation holds the distributions above, but for what is hard."""
    assert evaluation.classes is not None
    assert evaluation.classes.tolist() == classes
    for name, values in {**evaluation.systems, "gold": evaluation.gold}.items():
        assert values is not None
        assert values.tolist() == hard.get(name, ONE[name]), name


def lines(rows: list[list[float]], by: str = " ") -> str:
    return "".join(by.join(map(str, row)) + "\n" for row in rows)


def with_header(rows: list[list[float]], by: str = ",", ids: bool = True) -> str:
    header = by.join([*(["item"] if ids else []), *CLASSES])
    cells = [by.join([*([one] if ids else []), *map(str, row)]) for one, row in zip(IDS, rows, strict=True)]
    return "\n".join([header, *cells]) + "\n"


def records(name: str, rows: list[list[float]]) -> str:
    return "".join(json.dumps({"id": one, name: row}) + "\n" for one, row in zip(IDS, rows, strict=True))


def bracketed(rows: list[list[float]], left: str = "[", by: str = ", ") -> str:
    cells = [by.join(map(str, row)) for row in rows]
    return "item,prediction\n" + "".join(f'{one},"[{cell}]"\n' for one, cell in zip(IDS, cells, strict=True))


TEXTS: list[tuple[str, Callable[[list[list[float]]], str | bytes], bool]] = [
    # name, content, whether the file names the classes by itself
    ("txt", lines, False),
    ("pred", lambda rows: lines(rows, "\t"), False),
    ("txt", lambda rows: lines(rows, ","), False),
    ("txt", lambda rows: lines(rows, ", "), False),
    ("txt", lambda rows: "".join(f"{row}\n" for row in rows), False),
    ("txt.gz", lambda rows: gzip.compress(lines(rows).encode(), mtime=0), False),
    ("csv", lambda rows: lines(rows, ","), False),
    ("csv", lambda rows: lines(rows, ";"), False),
    ("csv", lines, False),
    ("tsv", lambda rows: lines(rows, "\t"), False),
    ("csv", lambda rows: with_header(rows, ids=False), True),
    ("tsv", lambda rows: with_header(rows, "\t", ids=False), True),
]


@pytest.mark.parametrize(("suffix", "content", "named"), TEXTS)
def test_one_file_per_system_joined_by_line(
    make: Make, suffix: str, content: Callable[[list[list[float]]], str | bytes], named: bool
) -> None:
    paths = {name: make(f"{name}.{suffix}", content(rows)) for name, rows in ONE.items()}
    gold = paths.pop("gold")
    evaluation = read(paths, gold=gold, reading=Reading(classes=CLASSES))
    check_distributions(evaluation)
    assert evaluation.items is None
    assert evaluation.notes[0].message == (
        f"the files were read as one file per system, joined by line: a, b; gold: {gold};"
        " distributions over the classes neg, neu, pos: a, b, gold"
    )
    if named:
        check_distributions(read(paths, gold=gold, reading=Reading(classes="columns")))
    else:
        check_distributions(read(paths, gold=gold), [0, 1, 2])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_arrays(tmp_path: Path, make: Make, dtype: type) -> None:
    np.save(tmp_path / "a.npy", np.array(B, dtype=dtype))
    np.save(tmp_path / "b.npy", np.asfortranarray(np.array(B, dtype=dtype)))
    evaluation = read({"a": tmp_path / "a.npy", "b": tmp_path / "b.npy"}, gold=make("g.txt", lines(GOLD)))
    check_distributions(evaluation, [0, 1, 2], a=B)
    assert evaluation.systems["a"].dtype == np.float64


def _parquet(path: Path, columns: dict[str, Any]) -> Path:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize("fixed", [False, True])
def test_parquet(tmp_path: Path, make: Make, fixed: bool) -> None:
    pa = pytest.importorskip("pyarrow")
    kind = pa.list_(pa.float64(), 3) if fixed else pa.list_(pa.float64())
    a = _parquet(tmp_path / "a.parquet", {"id": IDS, "p": pa.array(A, kind)})
    b = _parquet(tmp_path / "b.parquet", {"id": IDS, **dict(zip(CLASSES, np.transpose(B), strict=True))})
    check_distributions(
        read({"a": a, "b": b}, gold=make("g.csv", with_header(GOLD)), reading=Reading(classes=CLASSES))
    )
    wide = _parquet(tmp_path / "wide.parquet", {name: pa.array(rows, kind) for name, rows in ONE.items()})
    check_distributions(read(wide), [0, 1, 2])


def test_tables_with_ids_are_joined_by_them(make: Make) -> None:
    a = make("a.csv", with_header(A))
    header, *rows = with_header(B, "\t").splitlines()
    b = make("b.tsv", "\n".join([header, *reversed(rows)]) + "\n")
    evaluation = read(
        {"a": a, "b": b}, gold=make("g.jsonl", records("gold", GOLD)), reading=Reading(classes=CLASSES)
    )
    check_distributions(evaluation)
    assert evaluation.items is not None
    assert evaluation.items.tolist() == IDS


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", records("prediction", A)),
        ("a.jsonl", records("p", A)),
        ("a.csv", bracketed(A)),
        ("a.csv", bracketed(A, by=" ")),
        ("a.csv", with_header(A)),
        ("a.csv", "item,prediction,score,neg,neu,pos\n" + "".join(f"{i},x,1,{r[0]},{r[1]},{r[2]}\n" for i, r in zip(IDS, A, strict=True))),
        ("a.csv", "pos,item,neg,neu\n" + "".join(f"{r[2]},{i},{r[0]},{r[1]}\n" for i, r in zip(IDS, A, strict=True))),
        ("a.csv", "item,p[pos],p[neg],p[neu]\n" + "".join(f"{i},{r[2]},{r[0]},{r[1]}\n" for i, r in zip(IDS, A, strict=True))),
        ("a.jsonl", "".join(json.dumps({"id": i, **dict(zip(CLASSES, r, strict=True))}) + "\n" for i, r in zip(IDS, A, strict=True))),
        ("a.json", json.dumps([{"id": i, "text": "so", "p": r} for i, r in zip(IDS, A, strict=True)])),
    ],
)  # fmt: skip
def test_forms_of_one_table(make: Make, name: str, content: str) -> None:
    check_distributions(
        read(
            {"a": make(name, content), "b": make("b.csv", with_header(B))},
            gold=make("g.csv", with_header(GOLD)),
            reading=Reading(classes=CLASSES),
        )
    )


def _wide(soft: list[str], hard: dict[str, list[str]]) -> str:
    header = [f"{name}[{one}]" for name in soft for one in CLASSES]
    columns = [[row[k] for row in ONE[name]] for name in soft for k in range(3)]
    table = zip(*columns, *hard.values(), strict=True)
    return ",".join([*header, *hard]) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in table)


def test_a_wide_table_tells_its_distributions_by_itself(make: Make) -> None:
    evaluation = read(make("wide.csv", _wide(["a", "gold", "b"], {"id": IDS, "cluster": ["u", "u", "v"]})))
    check_distributions(evaluation)
    assert evaluation.clusters is not None
    assert evaluation.notes[0].message == (
        "wide.csv was read as a wide table; systems: a, b; gold: gold; item: id; cluster: cluster;"
        " distributions over the classes neg, neu, pos: a, b, gold"
    )


def test_the_order_of_the_classes_is_that_asked_for(make: Make) -> None:
    path = make("wide.csv", _wide(["a", "b", "gold"], {}))
    evaluation = read(path, reading=Reading(classes=["pos", "neg", "neu"]))
    check_distributions(
        evaluation,
        ["pos", "neg", "neu"],
        **{name: [[row[2], row[0], row[1]] for row in rows] for name, rows in ONE.items()},
    )


def test_each_system_may_have_its_own_order_of_columns(make: Make) -> None:
    head = "a[neg],a[pos],b[pos],b[neg],gold\n"
    evaluation = read(make("wide.csv", head + "0.25,0.75,0.5,0.5,pos\n1,0,0.125,0.875,neg\n"))
    assert evaluation.systems["b"].tolist() == [[0.5, 0.5], [0.875, 0.125]]
    first = make("1.csv", "neg,pos\n0.25,0.75\n1,0\n")
    second = make("2.csv", "pos,neg\n0.5,0.5\n0.125,0.875\n")
    again = read(
        {"a": first, "b": second}, gold=make("g.txt", "pos\nneg\n"), reading=Reading(classes="columns")
    )
    assert again.systems["b"].tolist() == evaluation.systems["b"].tolist()
    assert again.data_hash() == evaluation.data_hash()


def test_hard_gold_beside_soft_systems_and_the_reverse(make: Make) -> None:
    check_distributions(read(make("1.csv", _wide(["a", "b"], {"label": HARD})), gold="label"), gold=HARD)
    check_distributions(read(make("2.csv", _wide(["gold", "a"], {"b": HARD}))), b=HARD)
    check_distributions(
        read(make("3.csv", _wide(["gold"], {"a": HARD, "b": HARD[::-1]}))), a=HARD, b=HARD[::-1]
    )
    files = {
        "a": make("a.csv", with_header(A)),
        "b": make("b.csv", "id,prediction\nq3,neu\nq1,pos\nq2,neg\n"),
    }
    check_distributions(
        read(
            files, gold=make("g.csv", "id,label\nq1,pos\nq2,neg\nq3,neu\n"), reading=Reading(classes=CLASSES)
        ),
        b=HARD,
        gold=HARD,
    )
    check_distributions(
        read({"a": make("a.txt", lines(A)), "b": make("b.txt", "2\n0\n1\n")}, gold=make("g.txt", "2\n0\n1\n")),
        [0, 1, 2], b=[2, 0, 1], gold=[2, 0, 1],
    )  # fmt: skip


@pytest.mark.parametrize(("one", "two", "classes"), [("1", "2", [1, 2]), ("01", "2", ["01", "2"])])
def test_names_of_classes_are_numbers_if_all_are(make: Make, one: str, two: str, classes: list[Any]) -> None:
    evaluation = read(make("w.csv", f"a[{one}],a[{two}],b,gold\n0.5,0.5,{one},{two}\n0,1,{two},{two}\n"))
    assert evaluation.classes is not None
    assert (evaluation.classes.tolist(), evaluation.systems["b"].tolist()) == (classes, classes)


@pytest.mark.parametrize("form", ["columns", "every column", "list", "text list", "named", "brackets"])
def test_a_long_table(make: Make, form: str) -> None:
    rows = [
        (one, name, row, gold) for name in "ab" for one, row, gold in zip(IDS, ONE[name], HARD, strict=True)
    ]
    arguments: dict[str, Any] = {}
    if form in ("columns", "every column"):
        path = make(
            "l.csv",
            "item,system,neg,neu,pos,gold\n"
            + "".join(f"{i},{s},{r[0]},{r[1]},{r[2]},{g}\n" for i, s, r, g in rows),
        )
        arguments = {"reading": Reading(classes=CLASSES if form == "columns" else "columns")}
    elif form == "brackets":
        path = make(
            "l.csv",
            "item,system,p[neg],p[neu],p[pos],gold\n"
            + "".join(f"{i},{s},{r[0]},{r[1]},{r[2]},{g}\n" for i, s, r, g in rows),
        )
    elif form == "text list":
        path = make(
            "l.csv", "item,system,prediction,gold\n" + "".join(f'{i},{s},"{r}",{g}\n' for i, s, r, g in rows)
        )
        arguments = {"reading": Reading(classes=CLASSES)}
    else:
        keys = ("id", "by", "probs", "gold") if form == "named" else ("item", "system", "p", "gold")
        path = make("l.jsonl", "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows))
        arguments = {"reading": Reading(classes=CLASSES)}
        if form == "named":
            arguments = {"reading": Reading(system_column="by", value_column="probs", classes=CLASSES)}
    evaluation = read(path, **arguments)
    check_distributions(evaluation, gold=HARD)
    assert "a long table; systems: a, b" in evaluation.notes[0].message


def test_soft_gold_of_a_long_table_must_agree(make: Make) -> None:
    head = "item,system,prediction,gold[x],gold[y]\n"
    evaluation = read(make("l.csv", head + "1,a,x,0.5,0.5\n2,a,y,1,0\n1,b,y,0.5,0.5\n2,b,x,1,0\n"))
    assert evaluation.gold is not None
    assert evaluation.gold.tolist() == [[0.5, 0.5], [1.0, 0.0]]


def test_gold_that_the_files_of_the_systems_share(make: Make) -> None:
    def file(name: str, order: list[int]) -> Path:
        rows = [{"id": IDS[i], "prediction": ONE[name][i], "gold": GOLD[i]} for i in order]
        return make(f"{name}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))

    check_distributions(
        read(
            {"a": file("a", [0, 1, 2]), "b": file("b", [2, 0, 1])},
            gold="gold",
            reading=Reading(classes=CLASSES),
        )
    )


def test_rows_are_divided_by_their_sums_on_request(make: Make) -> None:
    files = {"a": make("a.txt", "1 3\n2 2\n"), "b": make("b.csv", "x,y\n10,30\n0.1,0.1\n")}
    evaluation = read(
        files, gold=make("g.txt", "y\nx\n"), reading=Reading(classes=["x", "y"], normalise=True)
    )
    assert evaluation.systems["a"].tolist() == evaluation.systems["b"].tolist() == [[0.25, 0.75], [0.5, 0.5]]
    assert evaluation.notes[0].message.endswith("over the classes x, y: a, b; every row divided by its sum")


@pytest.mark.parametrize("blank", ["NA", "NA NA", "nan, nan"])
def test_a_prediction_that_is_missing(make: Make, blank: str) -> None:
    files = {
        "a": make("a.txt", f"0.5 0.5\n{blank}\n1 0\n0 1\n"),
        "b": make("b.csv", "0,1.0\n0.25,0.75\n1,0\n0,1\n"),
    }
    gold = make("g.txt", "1\n0\n0\n1\n")
    evaluation = read(files, gold=gold, on_missing="drop")
    assert evaluation.systems["b"].tolist() == [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    evaluation = read(files, gold=gold, on_missing="worst")
    assert evaluation.missing["a"].tolist() == [False, True, False, False]


def test_missing_rows_of_tables(make: Make) -> None:
    wide = "id,a[x],a[y],b,gold\n1,NA,,x,x\n2,0.5,0.5,y,y\n3,1,0,x,y\n"
    evaluation = read(make("w.csv", wide), on_missing="drop")
    assert evaluation.items is not None
    assert evaluation.items.tolist() == ["2", "3"]
    listed = '{"id":1,"a":null,"b":[0,1],"gold":[0.5,0.5]}\n{"id":2,"a":[1,0],"b":[0,1],"gold":[0.5,0.5]}\n'
    evaluation = read(make("w.jsonl", listed), on_missing="worst")
    assert evaluation.missing["a"].tolist() == [True, False]


def test_columns_that_are_asked_for_by_name_stay_hard(make: Make) -> None:
    path = make("w.csv", "m[1],m[2],gold\n1,2,1\n2,2,2\n1,1,2\n")
    evaluation = read(path, gold="gold", systems=["m[1]", "m[2]"])
    assert evaluation.classes is None
    assert evaluation.systems["m[1]"].tolist() == [1, 2, 1]


@pytest.mark.parametrize(
    "labels", [("x", "y"), ("[x]", "[y]"), ("new york", "paris"), ("a,b", "c,d"), ('["x"]', '["y"]')]
)
def test_labels_that_are_no_numbers_stay_labels(make: Make, labels: tuple[str, str]) -> None:
    text = "\n".join([*labels, labels[1]]) + "\n"
    evaluation = read({"a": make("a.txt", text), "b": make("b.txt", text)}, gold=make("g.txt", text))
    assert evaluation.classes is None
    assert evaluation.systems["a"].tolist() == [*labels, labels[1]]
    quoted = [label.replace('"', '""') for label in labels]
    path = make("w.csv", "m[1],m[2],gold\n" + "".join(f'"{one}","{one}","{one}"\n' for one in quoted))
    assert read(path).names == ("m[1]", "m[2]")


def test_whole_numbers_may_be_the_names_of_columns(make: Make) -> None:
    files = {
        "a": make("a.csv", "1,2,3\n0.5,0.25,0.25\n1,0,0\n"),
        "b": make("b.csv", "3,2,1\n0.5,0.25,0.25\n1,0,0\n"),
    }
    evaluation = read(files, gold=make("g.txt", "1\n3\n"), reading=Reading(classes="columns"))
    assert evaluation.classes is not None
    assert evaluation.classes.tolist() == [1, 2, 3]
    assert evaluation.systems["b"].tolist() == [[0.25, 0.25, 0.5], [0.0, 0.0, 1.0]]
    two = {"a": make("a.csv", "0,1\n0.5,0.5\n1,0\n"), "b": make("b.txt", "0.5 0.5\n1 0\n")}
    assert read(two, gold=make("g.txt", "1\n0\n"), reading=Reading(classes=["0", "1"])).systems[
        "a"
    ].tolist() == [
        [0.5, 0.5],
        [1.0, 0.0],
    ]


def test_classes_of_hard_labels(make: Make) -> None:
    path = make("w.csv", "a,b,gold\n1,2,1\n2,2,2\n")
    evaluation = read(path, reading=Reading(classes=[1, 2, 3]))
    assert evaluation.classes is not None
    assert evaluation.classes.tolist() == [1, 2, 3]
    assert evaluation.systems["a"].tolist() == [1, 2]
    assert read(path, reading=Reading(classes="columns")).classes is None
