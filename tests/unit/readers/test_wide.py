"""Wide tables: every dialect gives the same evaluation; roles, values, missing cells."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from tests.unit.readers.helpers import Make, columns, message

from bestby._core.errors import InvalidInputError
from bestby.readers import read

PLAIN = "label,aen,bert\nx,x,y\ny,y,y\nx,y,x\n"
EXPECTED = {"gold": ["x", "y", "x"], "aen": ["x", "y", "y"], "bert": ["y", "y", "x"]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.csv", PLAIN),
        ("no_last_newline.csv", PLAIN.rstrip("\n")),
        ("crlf.csv", PLAIN.replace("\n", "\r\n")),
        ("bom.csv", "\ufeff" + PLAIN),
        ("bom_crlf.csv", "\ufeff" + PLAIN.replace("\n", "\r\n")),
        ("semicolon.csv", PLAIN.replace(",", ";")),
        ("pipe.csv", PLAIN.replace(",", "|")),
        ("tab.csv", PLAIN.replace(",", "\t")),
        ("table.tsv", PLAIN.replace(",", "\t")),
        ("no_suffix", PLAIN),
        ("quoted.csv", '"' + PLAIN.replace(",", '","').replace("\n", '"\n"')[:-1]),
        ("spaces.csv", PLAIN.replace(",", " , ")),
        ("blank_lines_at_the_end.csv", PLAIN + "\n\n"),
        ("packed.csv.gz", gzip.compress(PLAIN.encode(), mtime=0)),
        ("packed_but_not_called_so.csv", gzip.compress(PLAIN.encode(), mtime=0)),
        ("a[1]*?.csv", PLAIN),
    ],
)
def test_every_dialect_gives_the_same(make: Make, name: str, content: str | bytes) -> None:
    evaluation = read(make(name, content), gold="label")
    assert columns(evaluation) == EXPECTED


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.ndjson", "rows.json"])
def test_json_lines(make: Make, name: str) -> None:
    keys = ["label", "aen", "bert"]
    rows = [dict(zip(keys, line.split(","), strict=True)) for line in PLAIN.splitlines()[1:]]
    text = "\n".join(json.dumps(row) for row in rows)
    assert columns(read(make(name, text), gold="label")) == EXPECTED
    assert (
        columns(read(make("packed.jsonl.gz", gzip.compress(text.encode(), mtime=0)), gold="label"))
        == EXPECTED
    )
    assert columns(read(make("array.json", json.dumps(rows)), gold="label")) == EXPECTED


def test_parquet_and_zstd(tmp_path: Path, make: Make) -> None:
    import duckdb

    source = str(make("plain.csv", PLAIN))
    for name, how in (
        ("t.parquet", "(FORMAT parquet)"),
        ("t.csv.zst", "(FORMAT csv, COMPRESSION zstd, HEADER)"),
    ):
        target = str(tmp_path / name)
        duckdb.sql(f"COPY (SELECT * FROM read_csv('{source}', header=true)) TO '{target}' {how}")
        assert columns(read(target, gold="label")) == EXPECTED


def test_quotes_hold_delimiters_newlines_and_quotes(make: Make) -> None:
    path = make(
        "q.csv", 'gold,"a, the first",b\n"two\nlines","two\nlines","x,y"\n"say ""no""",n,"say ""no"""\n'
    )
    evaluation = read(path, gold="gold")
    assert evaluation.names == ("a, the first", "b")
    assert evaluation.systems["a, the first"].tolist() == ["two\nlines", "n"]
    assert evaluation.systems["b"].tolist() == ["x,y", 'say "no"']


def test_a_hash_starts_no_comment_and_the_first_row_is_an_item(make: Make) -> None:
    path = make("hash.csv", "gold,a,b\n#x,#x,y\ny,#x,y\n")
    assert read(path).systems["a"].tolist() == ["#x", "#x"]


def test_names_are_only_names(make: Make, tmp_path: Path) -> None:
    name = "a'); DROP TABLE x; --"
    path = make("it's; --.csv", f'label,"{name}","""b"""\nx,x,y\ny,y,y\n')
    assert read(path, gold="label").names == (name, '"b"')
    folder = tmp_path / "model=evil"
    folder.mkdir()
    inside = folder / "t.csv"
    inside.write_text(PLAIN, encoding="utf-8")
    assert read(inside, gold="label").names == ("aen", "bert")


def test_unicode_names_and_labels(make: Make) -> None:
    evaluation = read(make("ü.csv", "étiquette,模型,модель\nß,ß,日本\n日本,ß,日本\n"), gold="étiquette")
    assert evaluation.names == ("模型", "модель")
    assert evaluation.systems["модель"].tolist() == ["日本", "日本"]


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["1", "2", "2", "1", "+1", "-3"], "i", [1, 2, 2, 1, 1, -3]),
        (["1", "2", "2.5", "1", "1e3", ".5"], "iif", [1, 2, 2.5, 1, 1000, 0.5]),
        (["True", "false", "TRUE", "true", "False", "True"], "b", [True, False, True, True, False, True]),
        (["01", "1", "1", "2", "3", "4"], "U", ["01", "1", "1", "2", "3", "4"]),
        (["00.5", "1", "1", "2", "3", "4"], "U", ["00.5", "1", "1", "2", "3", "4"]),
        (["1", "2", "x", "1", "1", "1"], "iiU", [1, 2, "x", 1, 1, "1"]),
        (["True", "1", "0", "1", "1", "1"], "U", ["True", "1", "0", "1", "1", "1"]),
        (["1_000", "1", "0", "1", "1", "1"], "U", ["1_000", "1", "0", "1", "1", "1"]),
        (["٣", "1", "0", "1", "1", "1"], "U", ["٣", "1", "0", "1", "1", "1"]),
        ([str(2**63), "1", "0", "1", "1", "1"], "uii", [2**63, 1, 0, 1, 1, 1]),
        ([str(2**64 + 1), "1", "0", "1", "1", "1"], "Uii", [str(2**64 + 1), 1, 0, "1", 1, 1]),
        ([str(2**63 - 1), "1", "0", "1", "1", "1"], "i", [2**63 - 1, 1, 0, 1, 1, 1]),
        (["None", "null", "x", "N/A", "-", "none"], "U", ["None", "null", "x", "N/A", "-", "none"]),
    ],
)
def test_a_column_is_of_numbers_if_all_its_values_and_the_gold_are(
    make: Make, cells: list[str], kind: str, values: list[object]
) -> None:
    rows = "".join(",".join(cells[i : i + 3]) + "\n" for i in (0, 3))
    evaluation = read(make("v.csv", "gold,a,b\n" + rows), gold="gold", systems=["a", "b"])
    assert evaluation.gold is not None
    read_back = [evaluation.gold, evaluation.systems["a"], evaluation.systems["b"]]
    assert [array.dtype.kind for array in read_back] == list(kind if len(kind) > 1 else kind * 3)
    rows_read = zip(*[array.tolist() for array in read_back], strict=True)
    assert [value for row in rows_read for value in row] == values


def test_the_type_does_not_depend_on_the_format(make: Make) -> None:
    expected = read(make("t.csv", "gold,a,b\n1,1,2\n2,2,2\n"))
    typed = read(make("t.jsonl", '{"gold":1,"a":1,"b":2}\n{"gold":2,"a":2,"b":2}\n'))
    mixed = read(make("m.jsonl", '{"gold":1,"a":"1","b":2.0}\n{"gold":2,"a":"2","b":2.0}\n'))
    assert columns(typed) == columns(expected) == columns(mixed)
    assert typed.systems["a"].dtype.kind == expected.systems["a"].dtype.kind == "i"


def test_roles_are_told_by_their_names_unless_systems_are_chosen(make: Make) -> None:
    path = make("r.csv", "id,gold,cluster,stratum,a,b\nq1,1,c,s,1,0\nq2,0,c,s,1,0\n")
    evaluation = read(path)
    assert evaluation.names == ("a", "b")
    assert [
        None if array is None else array.tolist()
        for array in (evaluation.gold, evaluation.items, evaluation.clusters, evaluation.strata)
    ] == [[1, 0], ["q1", "q2"], ["c", "c"], ["s", "s"]]
    assert evaluation.notes[0].code == "read_as"
    assert evaluation.notes[0].message == (
        "r.csv was read as a wide table; systems: a, b; gold: gold; item: id; cluster: cluster; stratum: stratum"
    )
    chosen = read(path, systems=["b", "a"])
    assert chosen.names == ("b", "a")
    assert chosen.gold is chosen.items is chosen.clusters is chosen.strata is None
    assert chosen.notes[0].message.endswith(
        "systems: b, a; no gold: per-item scores; not used, since the systems were named: gold, cluster, stratum"
    )
    named = read(path, systems=["b", "a"], gold="gold", clusters="cluster", strata="stratum")
    assert "not used" not in named.notes[0].message
    assert read(path, systems=["b", "gold"]).notes[0].message.endswith("were named: cluster, stratum")


@pytest.mark.parametrize("stream", [False, True])
def test_labels_beside_a_gold_that_is_not_named_are_no_scores(make: Make, stream: bool) -> None:
    path = make("r.csv", "id,gold,a,b\nq1,x,x,y\nq2,y,y,y\n")
    with pytest.raises(InvalidInputError) as caught:
        read(path, systems=["a", "b"], stream=stream)
    assert "holds text" in caught.value.message
    if not stream:
        assert caught.value.hint is not None
        assert caught.value.hint.startswith('name the column gold: gold="gold"; where systems are named')


@pytest.mark.parametrize("stream", [True, False])
def test_quantities_of_systems_are_no_systems(make: Make, stream: bool) -> None:
    path = make("t.csv", "id,bert,bert_usd,gpt-4,gpt-4 latency ms,seconds\n1,1,.5,0,80,3\n2,0,.25,1,90,4\n")
    found = read(path, stream=stream)
    assert found.names == ("bert", "gpt-4", "seconds")
    (note,) = [one.message for one in found.notes if one.code == "columns_left_out"]
    assert "bert_usd, gpt-4 latency ms" in note
    chosen = read(path, systems=["bert", "bert_usd"], stream=stream)
    assert chosen.names == ("bert", "bert_usd")
    assert "columns_left_out" not in [one.code for one in chosen.notes]


def test_roles_by_other_names(make: Make) -> None:
    path = make("r.csv", "doc,n,y,a,b\nd1,1,u,u,v\nd2,2,v,u,v\n")
    evaluation = read(path, gold="y", items="n", clusters="doc", strata="y")
    assert evaluation.names == ("a", "b")
    assert evaluation.clusters is not None
    assert evaluation.clusters.tolist() == ["d1", "d2"]
    assert evaluation.strata is not None
    assert evaluation.strata.tolist() == ["u", "v"]


MISSING = "item,gold,a,b\nq1,x,x,NA\nq2,y,,y\nq3,x,x,\nq4,y,x,y\n"


def test_a_missing_value_is_an_error_that_names_the_first(make: Make) -> None:
    assert message(make("m.csv", MISSING)) == (
        "{}: system 'a' has no value for 1 of 4 items; first: row 2, item 'q2'"
    )
    assert message(make("n.csv", MISSING), items="gold", systems=["b", "a"]) == (
        "{}: item ids must be unique, but 2 of 2 occur more than once; first: 'x' (2 times)"
    )
    assert message(make("o.csv", MISSING), systems=["b", "a"], gold="gold") == (
        "{}: system 'b' has no value for 2 of 4 items; first: row 1"
    )


def test_missing_dropped(make: Make) -> None:
    evaluation = read(make("m.csv", MISSING + "q5,y,y,y\n"), on_missing="drop")
    assert evaluation.items is not None
    assert evaluation.items.tolist() == ["q4", "q5"]
    assert [note.code for note in evaluation.notes] == ["read_as", "items_dropped"]


def test_missing_counted_as_worst(make: Make) -> None:
    evaluation = read(make("m.csv", MISSING), on_missing="worst")
    assert evaluation.n_items == 4
    assert evaluation.missing["a"].tolist() == [False, True, False, False]
    assert evaluation.missing["b"].tolist() == [True, False, True, False]
    assert [note.code for note in evaluation.notes] == ["read_as", "counted_as_worst", "counted_as_worst"]


def test_rows_are_items_where_no_ids_are(make: Make) -> None:
    evaluation = read(make("m.csv", "gold,a,b,c\n1,1,2,1\n2,NA,1,1\n1,1,1,1\n"), on_missing="drop")
    assert columns(evaluation) == {"gold": [1, 1], "a": [1, 1], "b": [2, 1], "c": [1, 1]}
    assert evaluation.systems["a"].dtype.kind == "i"


def test_na_can_be_a_label(make: Make) -> None:
    path = make("m.csv", "gold,a,b\nNA,NA,x\nx,NA,x\n")
    assert "the gold is missing for 1 of 2 items; first: row 1" in message(path)
    assert read(path, missing="").systems["a"].tolist() == ["NA", "NA"]
    with pytest.raises(InvalidInputError, match="system 'b' has no value"):
        read(path, missing=["", "x"], gold="a", systems=["b", "gold"])


def test_json_null_and_lacking_keys_are_missing(make: Make) -> None:
    path = make(
        "m.jsonl",
        '{"gold":1,"a":1,"b":2}\n{"gold":2,"a":null,"b":2}\n{"gold":2,"a":NaN}\n{"gold":2,"a":1,"b":1}\n',
    )
    evaluation = read(path, on_missing="worst")
    assert evaluation.missing["a"].tolist() == [False, True, True, False]
    assert evaluation.missing["b"].tolist() == [False, False, True, False]


@pytest.mark.parametrize(
    ("arguments", "content", "expected"),
    [
        ({"gold": "nope"}, PLAIN, "{} has no column 'nope' (named as gold)"),
        ({"gold": "nope.csv"}, PLAIN, "{} has no column 'nope.csv', and there is no file of that name"),
        ({"gold": "label", "clusters": "nope"}, PLAIN, "{} has no column 'nope' (named as clusters)"),
        ({"gold": "label", "systems": ["aen", "nope"]}, PLAIN, "{} has no column 'nope' (named as system)"),
        ({"gold": "label", "systems": ["aen", "label"]}, PLAIN, "{}: column 'label' cannot be gold and system at once"),
        ({"gold": "label", "systems": ["aen", "aen"]}, PLAIN, "system 'aen' is named 2 times"),
        ({"gold": "label", "on_missing": "ignore"}, PLAIN, "on_missing must be one of error, drop, worst, drop-systems, pairs, bounds, got 'ignore'"),
        ({"gold": "label"}, "label\nx\ny\n", "{}: there is no column of a system (gold: label)"),
        ({"gold": "label"}, "label,a,a\nx,x,y\n", "{}: column name 'a' occurs 2 times"),
        ({"gold": "label"}, "label,a,\nx,x,y\n", "{}: column 3 of 3 has no name"),
        ({"gold": "label"}, "label,a,b\n", "{} has a header but no rows"),
        ({"gold": "label"}, "", "{} is empty"),
        ({"gold": "label"}, "\nlabel,a,b\nx,x,x\n", "{}, line 1: blank, expected the names of the columns"),
        ({"gold": "label"}, 'label,"a\nb",b\nx,x,x\n', "{}, line 1: unterminated quote in the names of the columns"),
        ({"gold": "label"}, "label,a,b\nx,x,y\ny,y\n", "{}, line 3: expected 3 columns, found 2"),
        ({"gold": "label"}, "label,a,b\nx,x,y\ny,y,y,y\n", "{}, line 3: expected 3 columns, found 4"),
        ({"gold": "label"}, 'label,a,b\nx,x,y\ny,"y,y\n', "{}, line 3: a quote is opened and not closed"),
        ({"gold": "label"}, "label,a,b\nx,x,é\n".encode("latin-1"), "{}, line 2: not UTF-8 text"),
        ({"gold": "label"}, PLAIN.encode("utf-16"), "{}, line 1: not UTF-8 text"),
        ({"gold": "label"}, "label,a,b\nx,x\0,x\ny,y,y\n", "{}: column 'a' holds a NUL character in row 1"),
        ({"gold": "label"}, gzip.compress(PLAIN.encode(), mtime=0)[:30], None),
        ({"gold": "label"}, b"PK\x03\x04 and so on", "{} is a zip archive that is cut off or damaged"),
        ({"gold": "label"}, b"PAR1 and so on", None),
        ({"gold": "label"}, bytes(range(256)) * 40, None),
        ({"gold": "label", "items": "aen"}, "label,aen,a,b\nx,,x,y\ny,y,y,y\n", "{}: item column 'aen' has no value in 1 of 2 rows; first: row 1"),
        ({"gold": "label"}, "label,text,a,b\nx,one,x,y\ny,two,y,y\n", "{}: column 'text' shares no value with the gold; is it a system?"),
        ({}, "label,a,b\n1,1,0\n0,0,0\n", "{}: column 'label' looks like gold"),
        ({}, "id,Y_True,a,b\n1,1,1,0\n2,0,0,0\n", "{}: column 'Y_True' looks like gold"),
        ({}, "seed,a,b\n1,0.5,0.25\n2,0.25,1\n", "{}: column 'seed' looks like the number of a run"),
        ({}, "gold,Run,a,b\n1,1,1,0\n0,2,0,0\n", "{}: column 'Run' looks like the number of a run"),
        ({}, "a,b\nx,y\ny,y\n", "without gold, systems must be per-item scores, but 'a' holds text: 'x' at position 0"),
        ({}, "a,b\n0.5,1\n2,abc\n", "without gold, systems must be per-item scores, but 'b' holds text: 'abc' at position 1"),
        ({}, "a,b\n0.5,1_000\nx,2\n", "without gold, systems must be per-item scores, but 'a' holds text: 'x' at position 1"),
        ({}, "a,b\n1,inf\n1,2\n", "system 'b' must be finite, got inf at position 0 (1 of 2 values)"),
    ],
)  # fmt: skip
def test_errors(make: Make, arguments: dict[str, object], content: str | bytes, expected: str | None) -> None:
    told = message(make("bad.csv", content), **arguments)
    if expected is not None:
        assert told == expected


def test_columns_that_look_like_gold_or_runs_can_be_chosen(make: Make) -> None:
    path = make("t.csv", "label,seed,a\n1,1,0\n0,2,0\n")
    assert read(path, systems=["label", "seed"]).names == ("label", "seed")
    assert read(path, systems=["seed", "a"], gold="label").names == ("seed", "a")


def test_the_hint_of_a_column_of_other_things_says_what_it_may_be(make: Make) -> None:
    for texts, named in ((("one", "one"), True), (("one", "two"), False)):
        path = make("t.csv", "gold,net,a,b\nx,{},x,y\ny,{},y,y\n".format(*texts))
        with pytest.raises(InvalidInputError, match="column 'net' shares no value") as caught:
            read(path)
        assert ("system_column=..." in str(caught.value.hint)) == named


def test_the_index_of_a_frame_is_left_out(make: Make) -> None:
    rows = ["1,1,0", "0,0,1", "1,0,0"]
    plain = read(make("plain.csv", "gold,a,b\n" + "\n".join(rows)))
    for name, first in (("pandas.csv", 0), ("r.csv", 1)):
        lines = [f"{first + i},{row}" for i, row in enumerate(rows)]
        indexed = read(make(name, ",gold,a,b\n" + "\n".join(lines)))
        assert indexed.names == plain.names
        assert indexed.items is None
    for header, rows_start, known in (
        (",gold,a,b", 7, True),
        ("gold,a,,b", 0, False),
        (",gold,,b", 0, False),
    ):
        content = f"{header}\n{rows_start},1,1,0\n{rows_start + 2},0,0,1\n"
        with pytest.raises(InvalidInputError, match="has no name") as caught:
            read(make("t.csv", content))
        assert ("call it item" in str(caught.value.hint)) == known
    folder = plain_folder(make, "parts", ["one.csv", "two.csv"])
    (folder / "one.csv").write_text(",gold,a,b\n0,1,1,0\n1,0,0,1\n")
    (folder / "two.csv").write_text(",gold,a,b\n2,1,0,0\n3,0,1,1\n")
    assert read(folder).n_items == 4


def plain_folder(make: Make, name: str, files: list[str]) -> Path:
    """Return a folder in which each file holds the predictions and the gold of the same two items."""
    folder = make("beside.txt", "").parent / name
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("id,gold,pred\n0,x,x\n1,y,x\n")
    return folder


def test_folders_may_hold_the_table_of_one_system_each(make: Make) -> None:
    folder = plain_folder(make, "runs", ["bert/predictions.csv", "roberta/predictions.csv"])
    both = read([folder / "bert", folder / "roberta"], gold="gold")
    assert both.names == ("bert", "roberta")
    assert both.n_items == 2
    with pytest.raises(InvalidInputError, match="occur more than once") as caught:
        read(folder)
    assert "bert/predictions.csv" in str(caught.value.hint)
    with pytest.raises(InvalidInputError, match="is a folder with 2 tables") as caught:
        read({"a": folder, "b": folder / "bert"}, gold="gold")
    assert "roberta/predictions.csv" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"gold":1,"a":1,"b":2}\n{bad}\n', "{}, line 2: not JSON: "),
        ('{"gold":1,"a":1,"a":2}\n', "{}, line 1: the key 'a' occurs twice in one object"),
        ("1\n2\n", "{}, line 1: expected a JSON object, got 1"),
        ("", "{} is empty"),
        ("{}\n{}\n", "{} has no columns"),
        ('{"gold":1,"a":1,"b":[2]}\n', "{}: column 'b' holds nested values, first in row 1"),
        ('{"gold":1,"a":{"x":1},"b":2}\n', "{}: column 'a' holds nested values, first in row 1"),
    ],
)
def test_json_errors(make: Make, content: str, expected: str) -> None:
    assert expected in message(make("bad.jsonl", content))


def test_the_hint_of_a_key_that_occurs_twice_is_one_for_a_line(make: Make) -> None:
    with pytest.raises(InvalidInputError) as caught:
        read(make("bad.jsonl", '{"gold":1,"a":1,"a":2}\n'))
    assert caught.value.hint == "keep one of the two"


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    assert message(tmp_path / "none.csv") == "no file '{}'"
    assert message({"a": tmp_path}).startswith(f"{tmp_path} is a folder that holds no table")
    for address in ("https://example.com/a.csv", "s3://bucket/a.csv", "a\0b.csv", "*.csv", ""):
        with pytest.raises(InvalidInputError, match=r"no file|is a directory"):
            read(address)


def test_a_file_that_may_not_be_read(make: Make) -> None:
    path = make("secret.csv", PLAIN)
    path.chmod(0)
    try:
        path.read_bytes()
    except PermissionError:
        assert message(path) == "'{}' cannot be read: Permission denied"
    else:
        pytest.skip("this user may read everything")


def test_published_gsm8k(shared_data) -> None:
    # Accuracies as in the README of the data.
    path = shared_data("gsm8k2021") / "gsm8k_4systems.csv"
    names = [f"{size}_{kind}_correct" for size in ("6b", "175b") for kind in ("finetuning", "verification")]
    evaluation = read(path, items="item", systems=names)
    means = [float(evaluation.systems[name].mean()) for name in names]
    assert means == pytest.approx([0.216831, 0.390447, 0.347233, 0.562547], abs=5e-7)


def test_published_hans(shared_data) -> None:
    path = shared_data("hans") / "hans_4systems.csv.gz"
    evaluation = read(
        path,
        gold="gold",
        clusters="subcase",
        strata="heuristic",
        systems=["bert", "decomp_attn", "esim", "spinn"],
    )
    assert evaluation.n_items == 30_000
    assert evaluation.clusters is not None
    assert np.unique(evaluation.clusters).size == 30


@pytest.mark.parametrize("columns", ["task,item,a,b", "task,item,system,score"])
def test_ids_that_are_unique_beside_another_column_name_it(make: Make, columns: str) -> None:
    wide = columns.endswith("b")
    rows = [
        (t, i, *([i % 2, 1] if wide else [s, i % 2])) for t in "xyz" for i in range(4) for s in "ab"[wide:]
    ]
    path = make("t.csv", "\n".join([columns, *(",".join(map(str, row)) for row in rows)]))
    with pytest.raises(InvalidInputError, match="item ids") as caught:
        read(path, by="task")
    assert str(caught.value.hint).endswith('by task and item together, so name both: items=["task", "item"]')
    assert read(path, items=["task", "item"], by="task").n_items == 12
