"""One table of several systems whose gold is a file of its own."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from tests.unit.readers.helpers import Make, columns, message

import bestby as bb
from bestby.errors import InvalidInputError
from bestby.readers import read

EXPECTED = {"gold": ["x", "y", "x"], "a": ["x", "x", "y"], "b": ["x", "y", "y"]}


@pytest.fixture
def gold(make: Make) -> Path:
    """Return a gold file in another order, with groups."""
    return make("gold.csv", "id,label,cluster,lang\n3,x,d2,en\n1,x,d1,de\n2,y,d1,en\n")


@pytest.fixture
def wide(make: Make) -> Path:
    return make("wide.csv", "id,a,b\n1,x,x\n2,x,y\n3,y,y\n")


def test_a_wide_table_is_joined_by_item_id(wide: Path, gold: Path) -> None:
    evaluation = read(wide, gold=gold, by="lang")
    assert columns(evaluation) == EXPECTED
    assert evaluation.items is not None
    assert evaluation.items.tolist() == ["1", "2", "3"]
    assert evaluation.clusters is not None
    assert evaluation.clusters.tolist() == ["d1", "d1", "d2"]
    assert evaluation.groupings["lang"].tolist() == ["de", "en", "en"]
    assert evaluation.notes[0].message == (
        f"wide.csv was read as a wide table; systems: a, b; gold: {gold}; item: id; cluster: cluster;"
        " slices: lang; joined by item id"
    )


def test_systems_may_be_chosen_or_left_out(wide: Path, gold: Path) -> None:
    chosen = read(wide, gold=gold, systems="b")
    assert columns(chosen) == columns(read(wide, gold=gold, reading=bb.Reading(ignore="a")))
    assert columns(chosen) == {name: EXPECTED[name] for name in ("gold", "b")}


def test_without_ids_rows_are_joined_by_line(make: Make) -> None:
    wide, gold = make("wide.csv", "a,b\nx,x\nx,y\ny,y\n"), make("gold.txt", "x\ny\nx\n")
    assert columns(read(wide, gold=gold)) == EXPECTED
    gold = make("gold.txt", "x\ny\n")
    assert message(wide, gold=gold) == f"{{}} has 3 rows, {gold} has 2"


def test_a_long_table(make: Make, gold: Path) -> None:
    text = "id,model,prediction\n1,a,x\n2,a,x\n3,a,y\n1,b,x\n2,b,y\n3,b,y\n"
    assert columns(read(make("long.csv", text), gold=gold)) == EXPECTED
    answers = make("answers.csv", text.replace("prediction", "answer"))
    assert columns(read(answers, gold=gold, reading=bb.Reading(value_column="answer"))) == EXPECTED


def test_a_table_in_several_files(make: Make, gold: Path) -> None:
    first = make("p1.csv", "id,a,b\n1,x,x\n2,x,y\n")
    make("p2.csv", "id,a,b\n3,y,y\n")
    assert columns(read(str(first.with_name("p*.csv")), gold=gold)) == EXPECTED


def test_numbers_are_compared_as_numbers(make: Make) -> None:
    gold = make("gold.csv", "id,gold\n2,0.5\n1,2.0\n")
    evaluation = read(make("wide.csv", "id,a,b\n1,2,1.5\n2,0.50,1\n"), gold=gold)
    assert columns(evaluation) == {"gold": [2.0, 0.5], "a": [2.0, 0.5], "b": [1.5, 1.0]}


def test_items_that_one_of_the_files_lacks(make: Make, wide: Path, gold: Path) -> None:
    short = make("short.csv", "id,a,b\n1,x,x\n3,y,y\n")
    assert message(short, gold=gold) == f"{{}} has no row for 1 item of {gold}; first: '2'"
    evaluation = read(short, gold=gold, on_missing="drop")
    assert columns(evaluation) == {"gold": ["x", "x"], "a": ["x", "y"], "b": ["x", "y"]}
    assert "1 item of" in evaluation.notes[0].message
    assert "left out" in evaluation.notes[0].message
    few = make("few.csv", "id,gold\n1,x\n2,y\n")
    assert message(wide, gold=few) == f"{few} has no gold for 1 item of {{}}; first: '3'"


def test_ids_in_one_of_the_files_only(make: Make, wide: Path, gold: Path) -> None:
    text = make("gold.txt", "x\ny\nx\n")
    with pytest.raises(InvalidInputError) as refused:
        read(wide, gold=text)
    assert refused.value.message == f"{wide} has item ids, {text} has none"
    assert str(refused.value.hint).startswith("give it a column called item or id")
    nameless = make("nr.csv", "Nr,a,b\nk1,x,x\nk2,x,y\nk3,y,y\n")
    keyed = make("keyed.csv", "id,gold\nk3,x\nk1,x\nk2,y\n")
    assert message(nameless, gold=keyed) == f"{keyed} has item ids, {{}} has none"
    assert columns(read(nameless, gold=keyed, items="Nr")) == EXPECTED


def test_ids_that_occur_twice(make: Make, wide: Path) -> None:
    twice = make("twice.csv", "id,gold\n1,x\n2,y\n3,x\n3,y\n")
    assert message(wide, gold=twice).startswith(f"{twice}: item ids must be unique")


def test_a_column_of_something_else_is_refused(make: Make, gold: Path) -> None:
    table = make("t.csv", "id,text,a\n1,good,x\n2,bad,y\n3,so so,y\n")
    assert message(table, gold=gold) == "{}: column 'text' shares no value with the gold; is it a system?"


def test_groups_that_are_named_leave_no_other_group_among_the_systems(make: Make) -> None:
    gold = make("numbers.csv", "id,gold,cluster,lang\n1,1,7,en\n2,1,7,de\n3,2,8,en\n")
    evaluation = read(make("wide.csv", "id,a,b\n1,1,2\n2,1,1\n3,2,2\n"), gold=gold, clusters="lang")
    assert evaluation.names == ("a", "b")
    assert evaluation.clusters is not None
    assert evaluation.clusters.tolist() == ["en", "de", "en"]


def test_items_are_sliced_by_the_gold(make: Make, wide: Path) -> None:
    gold = make("keyed.csv", "id,gold,lang\n3,x,en\n1,x,de\n2,y,en\n")
    evaluation = read(wide, gold=gold, by="gold")
    assert columns(evaluation) == EXPECTED
    assert evaluation.groupings["gold"].tolist() == ["x", "y", "x"]


def test_groups_in_both_files_must_agree(make: Make, gold: Path) -> None:
    rows = "1,{},x,x\n2,d1,x,y\n3,d2,y,y\n"
    evaluation = read(make("same.csv", "id,cluster,a,b\n" + rows.format("d1")), gold=gold)
    assert columns(evaluation) == EXPECTED
    differ = make("differ.csv", "id,cluster,a,b\n" + rows.format("d9"))
    assert "'1'" in message(differ, gold=gold)


@pytest.mark.parametrize("word", ["gold", "Label"])
def test_a_second_gold_is_no_system(make: Make, gold: Path, word: str) -> None:
    table = make("two.csv", f"id,{word},a,b\n1,x,x,x\n2,y,x,y\n3,x,y,y\n")
    assert message(table, gold=gold) == f"{{}}: column '{word}' looks like gold"
    assert columns(read(table, gold=gold, reading=bb.Reading(ignore=word))) == EXPECTED
    assert columns(read(table, gold=gold, systems=["a", "b"])) == EXPECTED


def test_a_group_that_no_file_has(wide: Path, gold: Path) -> None:
    assert message(wide, gold=gold, clusters="dok") == "no file has a column 'dok' (named as cluster)"


def test_a_frame_with_a_file_of_gold_is_told_what_to_do(wide: Path, gold: Path) -> None:
    with pytest.raises(InvalidInputError) as refused:
        bb.compare(pd.read_csv(wide), gold=str(gold))
    assert refused.value.message == f"the data frame has no column {str(gold)!r}, which is a file"
    assert "bestby.read(table, gold=file)" in str(refused.value.hint)


ANNOTATED = {"q1": ("x,y", "x,x,y"), "q2": ("y,y", "y,y,"), "q3": ("x,x", "x,y,x"), "q4": ("y,x", "y,x,y")}
"""The answers of two systems, and the labels of three annotators, one of which is missing."""

TABLES = {
    "wide": ["id,aen,bert", *(f"{item},{answers}" for item, (answers, _) in ANNOTATED.items())],
    "long": [
        "id,system,prediction",
        *(f"{item},aen,{answers[0]}\n{item},bert,{answers[2]}" for item, (answers, _) in ANNOTATED.items()),
    ],
}
GOLDS = {
    "n1,n2,n3": ["id,n1,n2,n3", *(f"{item},{labels}" for item, (_, labels) in [*ANNOTATED.items()][::-1])],
    "who": [
        "id,who,label",
        *(
            f"{item},n{place},{label}"
            for item, (_, labels) in [*ANNOTATED.items()][::-1]
            for place, label in enumerate(labels.split(","))
            if label
        ),
    ],
}


@pytest.mark.parametrize("annotators", GOLDS)
@pytest.mark.parametrize("layout", TABLES)
def test_labels_of_annotators_beside_a_table(make: Make, annotators: str, layout: str) -> None:
    whole = [f"{item},{answers},{labels}" for item, (answers, labels) in ANNOTATED.items()]
    one = read(
        make("one.csv", "\n".join(["id,aen,bert,n1,n2,n3", *whole])),
        reading=bb.Reading(annotators=["n1", "n2", "n3"]),
    )
    table = make("table.csv", "\n".join(TABLES[layout]))
    gold = make("gold.csv", "\n".join(GOLDS[annotators]))
    beside = read(table, gold=gold, reading=bb.Reading(annotators=annotators.split(",")))
    expected, found = (bb.compare(data, metric="soft_accuracy", n_resamples=99) for data in (one, beside))
    assert found.systems == expected.systems
    assert list(found.differences) == list(expected.differences)
    assert "annotators: " in found.notes[0].message
    assert found.notes[0].message.endswith("joined by item id")


def test_labels_of_annotators_beside_a_table_without_ids_are_joined_by_line(make: Make) -> None:
    table, gold = make("t.csv", "aen,bert\nx,y\ny,y\n"), make("gold.csv", "n1,n2\nx,y\ny,y\n")
    evaluation = read(table, gold=gold, reading=bb.Reading(annotators=["n1", "n2"]))
    assert evaluation.gold is not None
    assert evaluation.gold.tolist() == [[0.5, 0.5], [0.0, 1.0]]


def test_annotators_that_are_nowhere_are_named(make: Make) -> None:
    table, gold = make("t.csv", "aen,bert\nx,y\ny,y\n"), make("gold.csv", "n1,n2\nx,y\ny,y\n")
    assert "no column 'n3'" in message(table, gold=gold, reading=bb.Reading(annotators=["n1", "n3"]))
    with pytest.raises(InvalidInputError) as caught:
        read(table, gold=gold)
    assert (
        caught.value.hint
        == "call it gold; columns of several annotators are reading=bestby.Reading(annotators=[...])"
    )
