"""One file per system: text, arrays and tables; joined by line or by id."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from tests.unit.readers.helpers import Make, columns, message

import bestby as bb
from bestby._core.errors import InvalidInputError
from bestby.readers import read

EXPECTED = {"gold": ["x", "y", "x"], "a": ["x", "x", "x"], "b": ["y", "y", "y"]}


def named(**paths: Path) -> list[str]:
    return [f"{name}={path}" for name, path in paths.items()]


@pytest.fixture
def gold(make: Make) -> Path:
    return make("gold.txt", "x\ny\nx\n")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "x\nx\nx\n"),
        ("a.txt", "x\nx\nx"),
        ("a.txt", "x\nx\nx\n\n\n"),
        ("a.txt", "\ufeffx\r\nx\r\nx\r\n"),
        ("a.txt", " x\t\nx \nx\n"),
        ("a.pred", "x\nx\nx\n"),
        ("a", "x\nx\nx\n"),
        ("a.txt.gz", gzip.compress(b"x\nx\nx\n", mtime=0)),
        ("a.csv", "x\nx\nx\n"),
        ("a.csv", "prediction\nx\nx\nx\n"),
        ("a.csv", '"a"\n"x"\n"x"\n"x"\n'),
        ("a.csv.gz", gzip.compress(b"a\nx\nx\nx\n", mtime=0)),
        ("a.jsonl", '{"prediction":"x"}\n{"prediction":"x"}\n{"prediction":"x"}\n'),
    ],
)
def test_a_value_per_line(make: Make, gold: Path, name: str, content: str | bytes) -> None:
    evaluation = read(named(a=make(name, content), b=make("b.txt", "y\ny\ny\n")), gold=gold)
    assert columns(evaluation) == EXPECTED
    assert evaluation.items is None
    assert evaluation.notes[0].message.startswith(
        "the files were read as one file per system, joined by line"
    )


def test_nothing_in_a_line_of_text_is_special(make: Make) -> None:
    lines = ['a "b', "c,d\te;f", "#g", "h\u2028i\x0cj", "name=k", "01"]
    text = "\n".join(lines) + "\n"
    evaluation = read({"one": make("one.txt", text), "two": make("two.txt", text)}, gold=make("g.txt", text))
    assert evaluation.systems["one"].tolist() == lines


def test_arrays(make: Make, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([0.5, 1.0, 0.0], dtype=np.float32))
    np.save(tmp_path / "b.npy", np.array([[1], [0], [1]]))
    evaluation = read(named(a=tmp_path / "a.npy", b=tmp_path / "b.npy"))
    assert columns(evaluation) == {"a": [0.5, 1.0, 0.0], "b": [1, 0, 1]}


def test_arrays_and_text_meet(make: Make, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([1, 2, 2]))
    np.save(tmp_path / "b.npy", np.array(["1", "2", "1"]))
    evaluation = read(named(a=tmp_path / "a.npy", b=tmp_path / "b.npy"), gold=make("g.txt", "1\n2\n1\n"))
    assert columns(evaluation) == {"gold": [1, 2, 1], "a": [1, 2, 2], "b": [1, 2, 1]}


def test_tables_are_joined_by_id(make: Make) -> None:
    a = make("a.csv", "id,answer\nq1,x\nq2,x\nq3,x\n")
    b = make(
        "b.jsonl",
        '{"id":"q3","prediction":"y"}\n{"id":"q1","prediction":"y"}\n{"id":"q2","prediction":"y"}\n',
    )
    gold = make("g.tsv", "cluster\tid\tlabel\nc2\tq3\tx\nc1\tq1\tx\nc1\tq2\ty\n")
    evaluation = read(named(a=a, b=b), gold=gold)
    assert evaluation.items is not None
    assert evaluation.clusters is not None
    assert evaluation.items.tolist() == ["q3", "q1", "q2"]
    assert columns(evaluation) == {"gold": ["x", "x", "y"], "a": ["x"] * 3, "b": ["y"] * 3}
    assert evaluation.clusters.tolist() == ["c2", "c1", "c1"]
    assert "joined by item id" in evaluation.notes[0].message


def test_the_gold_and_the_groups_can_stand_in_the_files_of_the_systems(make: Make) -> None:
    a = make("a.csv", "id,prediction,label,doc\n1,x,x,d1\n2,x,y,d1\n")
    b = make("b.csv", "id,prediction,label,doc\n2,y,y,d1\n1,y,x,d1\n")
    evaluation = read(named(a=a, b=b), gold="label", clusters="doc")
    assert columns(evaluation) == {"gold": ["x", "y"], "a": ["x", "x"], "b": ["y", "y"]}
    c = make("c.csv", "id,prediction,label,doc\n2,y,z,d1\n1,y,x,d1\n")
    assert message(named(a=a, c=c), gold="label") == (
        "the files of the systems: the gold of item '2' is 'y' here and 'z' there"
    )
    d = make("d.csv", "id,prediction,label,doc\n2,y,y,d1\n1,y,x,d2\n")
    assert message(named(a=a, d=d), gold="label", clusters="doc") == (
        "the files: the cluster of item '1' is 'd1' here and 'd2' there"
    )


def test_a_file_of_one_system_beside_the_gold(make: Make, gold: Path) -> None:
    for path in (
        make("a.txt", "x\nx\ny\n"),
        make("b.csv", "x\nx\ny\n"),
        make("c.csv", "prediction\nx\nx\ny\n"),
    ):
        evaluation = read(path, gold=gold)
        assert columns(evaluation) == {"gold": ["x", "y", "x"], path.stem: ["x", "x", "y"]}


def test_one_file_with_a_value_per_line_has_no_header(make: Make) -> None:
    lines = "0.71\n0.62\n0.9\n0.5\n"
    for name, content in (("sc.txt", lines), ("sc.csv", lines), ("na.csv", f"NA\n{lines}")):
        evaluation = read(make(name, content), on_missing="drop")
        assert columns(evaluation) == {name[:2]: [0.71, 0.62, 0.9, 0.5]}
    assert columns(read(str(make("pattern.txt", lines).with_name("pat*.txt")))) == {
        "pattern": [0.71, 0.62, 0.9, 0.5]
    }
    for name in ("named.txt", "named.csv"):
        assert columns(read(make(name, f"bert\n{lines}"))) == {"bert": [0.71, 0.62, 0.9, 0.5]}


def test_packed_values_have_no_header_either(make: Make) -> None:
    zstd = pytest.importorskip("zstandard")
    packed = make("sc.csv.zst", zstd.compress(b"0.71\n0.62\n"))
    assert columns(read(packed)) == columns(read(named(sc=packed))) == {"sc": [0.71, 0.62]}


def test_a_header_of_numbers(make: Make) -> None:
    path = make("a.csv", "0.1,0.2\n0.3,0.5\n0.4,0.5\n")
    assert message(path) == "{}, line 1: it must name the columns, but it holds numbers only (0.1, 0.2)"
    assert read(path, systems=["0.1", "0.2"]).names == ("0.1", "0.2")
    seeds = read(make("seeds.csv", "1,2\n0,1\n1,1\n"))
    assert seeds.names == ("1", "2")
    assert [note.code for note in seeds.notes] == ["read_as", "numbers_as_names"]
    assert "the first item is not counted" in seeds.notes[1].message


def test_of_two_golds_the_one_that_is_not_there_is_named(make: Make, gold: Path) -> None:
    files = named(a=make("a.txt", "x\nx\ny\n"), b=make("b.txt", "y\ny\ny\n"))
    absent = str(gold.with_name("none.txt"))
    assert message(files, gold=[gold, absent]) == f"no file {absent!r}"
    assert message(files, gold=[gold, gold]) == f"a table has one gold, got 2: {gold}, {gold}"


def test_a_gold_that_is_neither_a_file_nor_a_column_is_searched_in_both(make: Make) -> None:
    files = named(
        a=make("a.csv", "id,label,prediction\n1,x,x\n"), b=make("b.csv", "id,label,prediction\n1,x,y\n")
    )
    with pytest.raises(InvalidInputError, match=r"no file 'lable', .* did you mean 'label'") as refused:
        read(files, gold="lable")
    assert str(refused.value.hint).endswith("a.csv are: id, label, prediction")
    with pytest.raises(InvalidInputError) as refused:
        bb.compare([file.partition("=")[2] for file in files])
    assert "bestby.read([" in str(refused.value.hint)


def test_no_column_beside_the_gold_is_a_second_grouping_by_its_name(make: Make) -> None:
    gold = make("g.csv", "item,gold,crossed\n1,x,u\n2,y,v\n3,x,u\n")
    files = named(a=make("a.csv", "item,prediction\n1,x\n2,x\n3,x\n"))
    assert read(files, gold=gold).crossed is None


def test_clusters_beside_the_gold_without_ids(make: Make) -> None:
    gold = make("g.csv", "gold,doc\nx,d1\ny,d2\nx,d1\n")
    evaluation = read(
        named(a=make("a.txt", "x\nx\nx\n"), b=make("b.txt", "y\ny\ny\n")), gold=gold, clusters="doc"
    )
    assert evaluation.clusters is not None
    assert evaluation.clusters.tolist() == ["d1", "d2", "d1"]
    assert columns(evaluation) == EXPECTED


def test_names_of_systems(make: Make, gold: Path) -> None:
    odd = make("x=1.txt", "x\ny\nx\n")
    assert read([str(odd), f"b={odd}"], gold=gold).names == ("x=1", "b")
    assert read([odd, make("two.txt.gz", gzip.compress(b"x\nx\nx\n", mtime=0))], gold=gold).names == (
        "x=1",
        "two",
    )
    assert read({"p": odd, "q": odd, "r": odd}, gold=gold, systems=["r", "p"]).names == ("r", "p")
    assert message({"p": odd, "q": odd}, systems=["p", "z"]) == "the files: no system 'z'"
    assert message([f"a={odd}", f"a={gold}"]).startswith("two files are called 'a'")
    assert message(["=x", "b=y"]) == "expected name=path, got '=x'"
    assert message([]) == "no file was given"
    assert read([f"a={gold}"], gold=gold).names == ("a",)
    assert message([f"a={odd}", "b=no/such.txt"]) == "no file 'no/such.txt'"
    assert message([f"a={odd}", f"b={odd}"], gold="nope") == "no file 'nope'"
    assert message([f"a={odd}", f"b={odd}"], reading=bb.Reading(system_column="s")).startswith(
        "a system column belongs to"
    )


def test_a_blank_line_is_named(make: Make, gold: Path) -> None:
    a = make("a.txt", "x\n\nx\n")
    assert message(named(a=a, b=gold), gold=gold) == (
        f"{a}, line 2: blank; a file with a value per line must have one on every line"
    )


def test_lengths_must_match_whatever_on_missing_says(make: Make, gold: Path) -> None:
    a = make("a.txt", "x\nNA\n")
    told = "systems must have one value per item: 'a' has 2, 'b' has 3"
    assert message(named(a=a, b=gold), gold=gold, on_missing="drop") == told


def test_a_missing_line(make: Make, gold: Path) -> None:
    files = named(a=make("a.txt", "x\nNA\nx\n"), b=make("b.txt", "y\ny\ny\n"))
    assert "system 'a' has no value for 1 of 3 items; first: row 2" in message(files, gold=gold)
    assert columns(read(files, gold=gold, on_missing="drop")) == {
        "gold": ["x", "x"], "a": ["x", "x"], "b": ["y", "y"],
    }  # fmt: skip


def test_missing_and_doubled_ids(make: Make) -> None:
    a = make("a.csv", "id,p\n1,x\n2,x\n3,x\n")
    b = make("b.csv", "id,p\n1,y\n3,y\n")
    gold = make("g.csv", "id,gold\n1,x\n2,y\n3,y\n")
    assert message(named(a=a, b=b), gold=gold) == (
        "system 'b' and the gold share 2 of 3 item ids; 1 missing from 'b', first: '2'"
    )
    assert read(named(a=a, b=b), gold=gold, on_missing="drop").n_items == 2
    assert read(named(a=a, b=b), gold=gold, on_missing="worst").missing["b"].tolist() == [False, True, False]
    c = make("c.csv", "id,p\n1,y\n2,y\n2,y\n")
    assert message(named(a=a, c=c), gold=gold) == (
        f"{c}: item ids must be unique, but 1 of 2 occur more than once; first: '2' (2 times)"
    )
    d = make("d.csv", "id,p\n1,y\n2,NA\n3,y\n")
    assert message(named(a=a, d=d), gold=gold) == (
        f"{d}: system 'd' has no value for 1 of 3 items; first: row 2, item '2'"
    )
    e = make("e.txt", "x\ny\nx\n")
    assert message(named(a=a, e=e), gold=gold) == f"{a} has item ids, {e} has none"
    f = make("f.csv", "id,gold\n1,x\n2,\n3,y\n")
    assert (
        message(named(a=a, b=a), gold=f)
        == f"{f}: the gold is missing for 1 of 3 items; first: row 2, item '2'"
    )


def test_a_table_whose_values_cannot_be_told(make: Make, gold: Path) -> None:
    a = make("a.csv", "id,one,two\n1,x,y\n2,x,y\n")
    assert (
        message(named(a=a, b=a), gold=a)
        == f"{a}: which column holds the predictions or scores? its columns are: id, one, two"
    )
    assert message(named(a=a, b=a), gold=a, reading=bb.Reading(value_column="one")) == (
        f"{a}: which column holds the gold? its columns are: id, one, two"
    )
    evaluation = read(named(a=a, b=a), gold="two", reading=bb.Reading(value_column="one"))
    assert columns(evaluation) == {"gold": ["y", "y"], "a": ["x", "x"], "b": ["x", "x"]}
    assert message(named(a=gold, b=gold), gold=gold, clusters="doc") == (
        "no file has a column 'doc' (named as cluster)"
    )


def test_a_header_that_could_be_a_value_is_asked_about(make: Make) -> None:
    a = make("a.csv", "y_hat\nx\ny\nx\ny\nx\ny\n")
    assert message(named(a=a, b=a), gold=a) == (
        f"{a}, line 1: 'y_hat' occurs on no other line: is it the name of the column or a value?"
    )
    numbers = make("n.csv", "y_hat\n1\n0\n1\n")
    assert columns(read(named(a=numbers, b=numbers))) == {"a": [1, 0, 1], "b": [1, 0, 1]}


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", "", "{} is empty"),
        ("a.txt", "\n\n", "{} is empty"),
        ("a.txt", "x\ncaf\u00e9\n".encode("latin-1"), "{}, line 2: not UTF-8 text"),
        ("a.txt", "x\0\ny\n", "{} holds a NUL character in row 1"),
        ("a.txt.gz", gzip.compress(b"x\nx\nx\n", mtime=0)[:15], "{}: cannot be unpacked: "),
        ("a.txt", b"\x28\xb5\x2f\xfd\x00", "{}"),
        ("a.npy", b"\x93NUMPY\x01\x00v\x00", "{}: cannot be read as a NumPy array: "),
        ("a.npy", b"x\ny\n", "{} is not a NumPy file, though its name says so"),
        ("a.parquet", b"x\ny\n", "{} is not a Parquet file, though its name says so"),
    ],
)
def test_errors(make: Make, name: str, content: str | bytes, expected: str) -> None:
    path = make(name, content)
    assert message(named(a=path, b=path)).replace(str(path), "{}").startswith(expected)


def test_arrays_that_are_no_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.zeros((3, 2, 2)))
    assert message(named(a=path, b=path)) == (
        f"{path}: expected one value per item, got an array of shape (3, 2, 2)"
    )
    np.save(path, np.array([{}, {}], dtype=object), allow_pickle=True)
    assert "cannot be read as a NumPy array" in message(named(a=path, b=path))
    np.save(path, np.array([1j, 2j]))
    assert message(named(a=path, b=path)) == f"{path} holds values of type complex128"
    np.save(path, np.array([0.5, 0.25]))
    assert columns(read(path)) == {"a": [0.5, 0.25]}


def test_published_boostsa(shared_data) -> None:
    # Accuracies of h0.0 and h1.0 as in the README of the data.
    folder = shared_data("boostsa_example")
    files = {name: folder / name / "preds.txt" for name in ("h0.0", "h1.0")}
    evaluation = read(files, gold=folder / "h0.0" / "targs.txt")
    right = [float((evaluation.systems[name] == evaluation.gold).mean()) for name in files]
    assert right == pytest.approx([0.690, 0.741], abs=1e-12)


@pytest.mark.parametrize("word", ["NA", '""', "nan"])
def test_a_missing_value_on_the_first_line_is_not_a_header(make: Make, word: str) -> None:
    first, second = make("a.csv", f"{word}\n0.5\n1\n"), make("b.csv", "0.1\n0.3\n0.4\n")
    assert "system 'a' has no value for 1 of 3 items" in message({"a": first, "b": second})
    assert read({"a": first, "b": second}, on_missing="drop").n_items == 2


@pytest.mark.parametrize("word", ["label", "Value", "score"])
def test_a_first_line_that_may_be_a_header_is_never_silently_left_out(make: Make, word: str) -> None:
    first = make("a.csv", f"{word}\nother\n{word}\nother\nother\n")
    second = make("b.csv", f"{word}\nother\nother\nother\nother\n")
    assert f"line 1: '{word}' occurs on other lines too" in message({"a": first, "b": second})
    named = make("c.csv", f"{word}\nyes\nother\nother\nother\n")
    evaluation = read({"b": second, "c": named}, gold=make("gold.txt", "other\n" * 4))
    assert evaluation.n_items == 4
    told = evaluation.notes[0].message
    assert f"the first line is the name of the column in b.csv ({word}), c.csv ({word})" in told
    plain = make("b.txt", second.read_text()), make("c.txt", named.read_text())
    assert read([*plain], gold=make("gold.txt", f"{word}\n" + "other\n" * 4)).n_items == 5


def test_an_array_of_records_is_refused(make: Make) -> None:
    path = make("a.npy", "")
    np.save(path, np.array([(1, 2.0), (3, 4.0)], dtype="i4,f8"))
    assert message(named(a=path, b=make("b.txt", "1\n2\n"))).startswith(f"{path} holds values of type [")


def test_items_sliced_by_the_gold_keep_it_as_gold(make: Make) -> None:
    gold = make("labels.csv", "id,gold,lang\n1,x,en\n2,y,de\n3,x,en\n")
    files = {"a": make("a.csv", "id,a\n1,x\n2,x\n3,x\n"), "b": make("b.csv", "id,b\n1,y\n2,y\n3,y\n")}
    evaluation = read(files, gold=gold, by="gold")
    assert columns(evaluation) == EXPECTED
    assert evaluation.groupings["gold"].tolist() == EXPECTED["gold"]
    other = make("languages.csv", "id,label,target\n1,x,en\n2,y,de\n3,x,en\n")
    assert columns(read(files, gold=other, by="target")) == EXPECTED


@pytest.mark.parametrize("labels", [["cat", "dog"], ["0", "1"]])
def test_gold_in_each_of_several_large_files(labels: list[str], tmp_path: Path) -> None:
    """Columns of so many values are held as codes, those of each file by themselves."""
    n = 5000
    for name, shift in (("old", 0), ("new", 1)):
        rows = [f"q{i},{labels[i % 2]},{labels[(i + (i % 7 == shift)) % 2]}" for i in range(n)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,gold,prediction", *rows]), encoding="utf-8")
    data = bb.read({name: tmp_path / f"{name}.csv" for name in ("old", "new")}, gold="gold")
    assert bb.compare(data, metric="accuracy").n_items == n
    (tmp_path / "new.csv").write_text(
        (tmp_path / "new.csv").read_text(encoding="utf-8").replace(f"q9,{labels[1]}", f"q9,{labels[0]}"),
        encoding="utf-8",
    )
    with pytest.raises(bb.errors.InvalidInputError, match="gold"):
        bb.read({name: tmp_path / f"{name}.csv" for name in ("old", "new")}, gold="gold")
