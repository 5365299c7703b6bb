"""What users give by mistake is read or refused, and what a hint proposes works."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.readers.helpers import Make

import bestby as bb
from bestby._core.errors import BestbyError, InvalidInputError
from bestby.cli.inputs import in_records

N = 60
_CHANCE = random.Random(1)
GOLD = [_CHANCE.choice("xyz") for _ in range(N)]
A = [gold if _CHANCE.random() < 0.8 else _CHANCE.choice("xyz") for gold in GOLD]
B = [gold if _CHANCE.random() < 0.5 else _CHANCE.choice("xyz") for gold in GOLD]
SCORES = {
    name: sum(label == gold for label, gold in zip(labels, GOLD, strict=True)) / N
    for name, labels in (("a", A), ("b", B))
}


def refused(paths: Any, **options: Any) -> InvalidInputError:
    """Return the error with which reading and comparing ends."""
    with pytest.raises(InvalidInputError) as caught:
        bb.compare(bb.read(paths, **options))
    return caught.value


def scores(paths: Any, **options: Any) -> list[float]:
    """Return the scores of what is read, by the metric that the files suggest."""
    result = bb.evaluate(bb.read(paths, **options))
    return [score.score for score in result.systems]


def proposed(error: BestbyError) -> dict[str, str]:
    """Return the settings that a hint names with their values."""
    return dict(re.findall(r"(\w+)='([^']+)'", str(error.hint).partition("; or")[0]))


def shuffled(labels: list[Any], seed: int) -> dict[str, Any]:
    """Return labels by id, in an order of their own."""
    order = list(range(N))
    random.Random(seed).shuffle(order)
    return {f"q{place}": labels[place] for place in order}


# JSON


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("kind", [str, lambda label: "xyz".index(label), lambda label: label == "x"])
def test_objects_of_labels_by_id_are_joined(
    make: Make, indent: int | None, kind: Callable[[str], Any]
) -> None:
    files = {
        name: make(f"{name}.json", json.dumps(shuffled([*map(kind, labels)], seed), indent=indent))
        for seed, (name, labels) in enumerate({"a": A, "b": B, "gold": GOLD}.items())
    }
    gold = files.pop("gold")
    right = [
        sum(kind(one) == kind(other) for one, other in zip(labels, GOLD, strict=True)) / N
        for labels in (A, B)
    ]
    assert scores(files, gold=gold) == pytest.approx(right)
    assert scores(files["a"], gold=gold) == pytest.approx(right[:1])
    table = make("gold.csv", "id,gold\n" + "".join(f"q{i},{kind(gold)}\n" for i, gold in enumerate(GOLD)))
    assert scores(files, gold=table) == pytest.approx(right)


def test_objects_of_numbers_by_id_are_scores(make: Make) -> None:
    numbers = [0.01 * place for place in range(N)]
    files = [make(f"{name}.json", json.dumps(shuffled(numbers, seed))) for seed, name in enumerate("ab")]
    read = bb.read(files)
    assert read.items is not None
    for values in read.systems.values():
        by_id = dict(zip(read.items.tolist(), values.tolist(), strict=True))
        assert by_id == {f"q{place}": value for place, value in enumerate(numbers)}


def test_texts_by_id_without_a_gold_ask_for_it(make: Make) -> None:
    error = refused([make(f"{name}.json", json.dumps(shuffled(A, 1))) for name in "ab"])
    assert error.message == "texts by id (labels, or answers to questions) need a gold file"


def test_answers_stay_answers_beside_a_dataset_of_questions(make: Make) -> None:
    questions = [{"id": f"q{i}", "answers": [{"text": f"the {label}"}]} for i, label in enumerate(GOLD)]
    gold = make("dev.json", json.dumps({"data": [{"paragraphs": [{"qas": questions}]}]}))
    read = bb.read({"a": make("a.json", json.dumps(shuffled(A, 1)))}, gold=gold)
    assert read.suggested == "qa_f1"


def test_objects_over_several_lines_are_rows(make: Make) -> None:
    rows = [{"gold": gold, "a": a, "b": b} for gold, a, b in zip(GOLD, A, B, strict=True)]
    path = make("rows.json", "\n".join(json.dumps(row, indent=2) for row in rows))
    assert scores(path) == pytest.approx([*SCORES.values()])


@pytest.mark.parametrize(
    ("content", "keys", "hint"),
    [
        ({"results": {"acc": 0.5}, "n": 3}, "results, n", "give rows"),
        ({"data": [{"gold": "x", "a": "x"}], "version": 1}, "data, version", "if 'data' holds the rows"),
        ({"gold": {"0": "x", "1": "y"}, "a": {"0": "x", "1": "y"}}, "gold, a", "to_json"),
    ],
)
def test_one_object_is_no_table(make: Make, content: Any, keys: str, hint: str) -> None:
    path = make("one.json", json.dumps(content, indent=2))
    error = refused(path)
    assert error.message == f"{path} is one JSON object, expected rows; its keys are: {keys}"
    assert hint in str(error.hint)


# Tables


@pytest.mark.parametrize("value", ["score", "correct", "acc", "graded"])
@pytest.mark.parametrize("item", ["example_id", "question_id", "input"])
def test_a_long_table_whose_ids_have_another_name(make: Make, item: str, value: str) -> None:
    lines = [f"model,{item},{value}"]
    for name, labels in (("a", A), ("b", B)):
        lines += [f"{name},Q{i},{int(labels[i] == GOLD[i])}" for i in range(N)]
    path = make("long.csv", "\n".join(lines))
    error = refused(path)
    assert f"model, {item}, {value}" in error.message
    named = proposed(error)
    assert named == {"items": item} | ({"value_column": value} if value == "graded" else {})
    assert scores(path, **in_records(bb.read, named)) == pytest.approx([*SCORES.values()])


@pytest.mark.parametrize("value", ["prediction", "answer"])
def test_ids_that_number_the_rows_of_a_long_table(make: Make, value: str) -> None:
    lines = [f"id,model,question,{value},gold"]
    for start, name, labels in ((0, "a", A), (N, "b", B)):
        lines += [f"{start + i},{name},Q{i},{labels[i]},{GOLD[i]}" for i in range(N)]
    path = make("long.csv", "\n".join(lines))
    error = refused(path)
    assert "'id' numbers the rows" in error.message
    assert scores(path, **in_records(bb.read, proposed(error))) == pytest.approx([*SCORES.values()])


def test_a_column_of_labels_beside_predictions(make: Make) -> None:
    files = {
        name: make(
            f"{name}.jsonl",
            "\n".join(
                json.dumps({"id": i, "text": f"t {i}", "label": GOLD[i], "prediction": labels[i]})
                for i in range(N)
            ),
        )
        for name, labels in (("a", A), ("b", B))
    }
    error = refused(files)
    assert "column 'label' looks like gold" in error.message
    assert "id, text, label, prediction" in error.message
    assert scores(files, **proposed(error)) == pytest.approx([*SCORES.values()])


def test_a_gold_among_the_systems(make: Make) -> None:
    files = [make(f"{name}.txt", "\n".join(labels)) for name, labels in (("a", A), ("b", B), ("gold", GOLD))]
    error = refused(files)
    assert error.message == "the file of system 'gold' looks like gold"
    assert scores(files[:2], **proposed(error)) == pytest.approx([*SCORES.values()])


def test_a_column_of_ids_with_another_name(make: Make) -> None:
    def table(name: str, labels: list[str]) -> Path:
        rows = "".join(f"{892 + i},{'xyz'.index(label)}\n" for i, label in enumerate(labels))
        return make(f"{name}.csv", f"PassengerId,Survived\n{rows}")

    files = {"a": table("a", A), "b": table("b", B)}
    gold = table("gold", GOLD)
    error = refused(files, gold=gold)
    assert "PassengerId, Survived" in error.message
    assert proposed(error) == {"items": "PassengerId"}
    assert scores(files, gold=gold, items="PassengerId") == pytest.approx([*SCORES.values()])


def test_a_first_line_that_is_a_row(make: Make) -> None:
    rows = "".join(f"q{i},{GOLD[i]},{A[i]},{B[i]}\n" for i in range(N))
    error = refused(make("headless.csv", rows))
    assert "line 1: it must name the columns, but looks like a row" in error.message
    assert "put a line with the names of the columns before it" in str(error.hint)
    assert scores(make("named.csv", f"item,gold,a,b\n{rows}")) == pytest.approx([*SCORES.values()])
    numbers = "".join(f"q{i},0.{i + 100},0.{i + 300}\n" for i in range(N))
    assert "looks like a row (q0, 0.100, 0.300)" in refused(make("scores.csv", numbers)).message
    files = {name: make(f"{name}.csv", "".join(f"q{i},{A[i]}\n" for i in range(N))) for name in "ab"}
    assert "if the first line is a row" in str(refused(files, gold=files["a"]).hint)


def test_systems_called_as_their_labels_beside_a_gold(make: Make) -> None:
    path = make(
        "table.csv", "gold,x,y\n" + "".join(f"{a},{b},{c}\n" for a, b, c in zip(GOLD, A, B, strict=True))
    )
    assert scores(path) == pytest.approx([*SCORES.values()])


@pytest.mark.parametrize("name", ["r.txt", "r.csv"])
@pytest.mark.parametrize("numbered", [True, False])
def test_columns_separated_by_blanks(make: Make, name: str, numbered: bool) -> None:
    lines = ['"gold" "a" "b"']
    lines += [(f'"{i + 1}" ' if numbered else "") + f'"{GOLD[i]}" "{A[i]}" "{B[i]}"' for i in range(N)]
    error = refused(make(name, "\n".join(lines)))
    assert "separated by blanks (gold, a, b)" in error.message
    assert ("names of rows" in error.message) == numbered
    commas = "\n".join(line.partition(" ")[2] if numbered and i else line for i, line in enumerate(lines))
    assert scores(make("commas.csv", commas.replace(" ", ","))) == pytest.approx([*SCORES.values()])


def test_row_names_of_r_in_a_table_of_tabs(make: Make) -> None:
    error = refused(make("r.tsv", "gold\ta\n1\tx\tx\n2\ty\tx\n"))
    assert "line 2: expected 2 columns, found 3" in error.message
    assert "row.names=FALSE" in str(error.hint)


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("r.yaml", "- model: a, b\n  rate: 1\n", "a YAML file"),
        ("r.yml", "model: a\n", "a YAML file"),
        ("r.txt", '<?xml version="1.0"?>\n<doc>a, b</doc>\n', "an XML file"),
        ("r.xml", "<doc>\n</doc>\n", "an XML file"),
        ("r.csv", "\n<!DOCTYPE html>\n<html>a, b</html>\n", "an HTML page"),
        ("r.pdf", "%PDF-1.7\n", "a PDF file"),
    ],
)
def test_documents_are_called_what_they_are(make: Make, name: str, content: str, what: str) -> None:
    path = make(name, content)
    for error in (refused(path), refused({"a": path, "b": path}, gold=path)):
        assert error.message == f"{path} is {what}, expected rows of values"


# Ends of lines


@pytest.mark.parametrize(
    "ends", [("\n", "\r\n"), ("\r\n", "\n"), ("\n", "\r"), ("\r", "\r"), ("\r\r\n", "\n")]
)
def test_lines_may_end_in_several_ways(make: Make, ends: tuple[str, str]) -> None:
    def text(lines: list[str]) -> bytes:
        return "".join(line + ends[i % 7 == 3] for i, line in enumerate(lines)).encode()

    rows = ["gold,a,b", *(f'{gold},"{a}",{b}' for gold, a, b in zip(GOLD, A, B, strict=True))]
    assert scores(make("table.csv", text(rows))) == pytest.approx([*SCORES.values()])
    files = {name: make(f"{name}.txt", text(labels)) for name, labels in (("a", A), ("b", B))}
    gold = make("gold.txt", text(GOLD))
    assert scores(files, gold=gold) == pytest.approx([*SCORES.values()])
    assert bb.read_labels(gold).tolist() == GOLD


def test_a_ragged_line_among_mixed_ends_is_refused_with_its_number(make: Make) -> None:
    assert (
        "line 3: expected 3 columns, found 2"
        in refused(make("t.csv", "gold,a,b\nx,x,y\r\ny,x\nx,x,x\n")).message
    )
    error = refused(make("q.csv", 'gold,a,b\nx,x,y\r\n"y"z,x,x\n'))
    assert "line 3: a quote is opened and not closed" in error.message


# Limits


def test_a_line_longer_than_the_csv_module_takes(make: Make) -> None:
    wide = "gold," + ",".join(f"system{i:06d}" for i in range(11_000))
    rows = "".join(
        f"{gold}," + ",".join("xyz"[(i + j) % 3] for i in range(11_000)) + "\n"
        for j, gold in enumerate(GOLD[:4])
    )
    path = make("wide.csv", f"{wide}\n{rows}")
    read = bb.read(path, gold="gold", systems=["system000000", "system000001"])
    assert read.systems["system000001"].tolist() == ["y", "z", "x", "y"]
    name = "b" * 140_000
    long = make("long.csv", f"gold,a,{name}\nx,x,y\ny,y,y\n")
    assert bb.read(long).names == ("a", name)
    for delimiter in ",\t;|":
        assert bb.read(make("d.csv", f"gold{delimiter}{name}\nx{delimiter}x\ny{delimiter}x\n")).names == (
            name,
        )


# Tags


def tags(lines: list[str]) -> str:
    """Return lines as sentences of six tokens."""
    return "\n".join(line + ("\n" if i % 6 == 5 else "") for i, line in enumerate(lines)) + "\n"


def test_parts_of_speech_are_labels_of_tokens(make: Make) -> None:
    names = dict(zip("xyz", ("NOUN", "VERB", "DET"), strict=True))
    path = make("pos.txt", tags([f"w{i} {names[GOLD[i]]} {names[A[i]]}" for i in range(N)]))
    read = bb.read(path)
    assert "columns of tags, but no B-/I- tags" in read.notes[0].message
    assert scores(path) == pytest.approx([SCORES["a"]])
    assert read.clusters is not None
    assert len(set(read.clusters.tolist())) == N / 6
    with pytest.raises(InvalidInputError) as caught:
        bb.evaluate(bb.read(path, texts=True), metric="span_f1")
    assert 'metric="accuracy"' in str(caught.value.hint)


@pytest.mark.parametrize("form", ["{}", "{}-PER", "PER-{}"])
def test_spans_of_one_type(make: Make, form: str) -> None:
    def tag(place: int, label: str) -> str:
        letter = {"x": "O", "y": "B", "z": "I"}[label]
        return letter if letter == "O" else form.format(letter)

    path = make("bio.txt", tags([f"w{i} {tag(i, GOLD[i])} {tag(i, A[i])}" for i in range(N)]))
    read = bb.read(path)
    assert read.suggested == "span_f1"
    prefixed = make(
        "b.txt",
        tags([f"w{i} {tag(i, GOLD[i])} {tag(i, A[i])}" for i in range(N)])
        .replace("PER-B", "B-PER")
        .replace("PER-I", "I-PER"),
    )
    assert scores(path) == pytest.approx(scores(prefixed))


@pytest.mark.parametrize("texts", [False, True])
def test_a_system_that_predicts_o_everywhere(make: Make, texts: bool) -> None:
    gold = make(
        "gold.txt", tags([f"w{i} {'B-PER' if label == 'x' else 'O'}" for i, label in enumerate(GOLD)])
    )
    some = make("a.txt", tags([f"w{i} {'B-PER' if label == 'x' else 'O'}" for i, label in enumerate(A)]))
    none = make("none.txt", tags([f"w{i} O" for i in range(N)]))
    assert scores([some, none], gold=gold, texts=texts)[1] == 0.0
    assert scores({"none": none}, gold=gold, texts=texts) == [0.0]
    both = make(
        "both.txt", tags([f"w{i} {'B-PER' if label == 'x' else 'O'} O" for i, label in enumerate(GOLD)])
    )
    assert scores(both, texts=texts) == [0.0]


def test_texts_of_two_words_are_no_tags(make: Make) -> None:
    lines = [
        "turn left",
        "turn right",
        "",
        "go left",
        "go right",
        "turn left",
        "go left",
        "stop left",
        "go right",
    ]
    path = make("a.txt", "\n".join(lines) + "\n")
    gold = make("gold.txt", "\n".join(lines) + "\n")
    assert bb.read({"a": path}, gold=gold, texts=True).n_items == len(lines)


# Runs


def run(rank: Callable[[int], int], score: Callable[[int], float], second: str = "Q0") -> str:
    """Return a run of ten documents for each of five topics."""
    return "".join(
        f"t{topic} {second} d{place} {rank(place)} {score(place)} run\n"
        for topic in range(5)
        for place in range(10)
    )


@pytest.fixture
def qrels(make: Make) -> Path:
    return make("qrels", "".join(f"t{t} 0 d{i} {int(i < 3)}\n" for t in range(5) for i in range(10)))


@pytest.mark.parametrize("second", ["0", "Q1", "EXP", "-"])
def test_the_second_column_of_a_run_is_of_no_matter(make: Make, qrels: Path, second: str) -> None:
    plain = make("plain.run", run(lambda i: i + 1, lambda i: 20.0 - i))
    other = make("other.run", run(lambda i: i + 1, lambda i: 20.0 - i, second))
    read = bb.read([plain, other], gold=qrels)
    result = bb.evaluate(read)
    assert result.score("plain").score == result.score("other").score == 1.0


@pytest.mark.parametrize(
    ("rank", "score", "code", "said"),
    [
        (lambda i: i + 1, lambda i: 20.0 - i, None, ""),
        (lambda i: i + 1, lambda i: 20.0 - i if i < 7 else 1.0, None, ""),
        (
            lambda i: i + 1,
            lambda i: float(i),
            "ranks_contradict_scores",
            "on 5 of 5 topics; the scores count",
        ),
        (lambda i: i + 1, lambda _: 1.0, "ranks_contradict_scores", "on 5 of 5 topics; the scores count"),
        (lambda _: 0, lambda _: 1.0, "equal_scores", "equal scores on 5 of 5 topics"),
        (lambda _: 0, lambda i: 20.0 - i, None, ""),
        (lambda i: 10 - i, lambda _: 1.0, "equal_scores", "equal scores on 5 of 5 topics"),
    ],
)
def test_ranks_that_contradict_the_scores_are_told(
    make: Make,
    qrels: Path,
    rank: Callable[[int], int],
    score: Callable[[int], float],
    code: str | None,
    said: str,
) -> None:
    read = bb.read({"a": make("a.run", run(rank, score))}, gold=qrels)
    notes = {
        note.code: note for note in read.notes if note.code in ("ranks_contradict_scores", "equal_scores")
    }
    assert [*notes] == ([] if code is None else [code])
    if code is not None:
        assert said in notes[code].message
        assert notes[code].about == ("a",)


def test_probabilities_with_a_decimal_comma_are_called_so(make: Make) -> None:
    rows = "".join(f"{i};{gold};0,{i + 1};0,{i + 5}\n" for i, gold in enumerate(GOLD[:40]))
    error = refused(make("t.csv", f"id;gold;a;b\n{rows}"), gold="gold")
    assert "column 'a' holds numbers with a decimal comma, such as '0,1', which are texts" in error.message


def test_the_column_of_right_answers_holds_the_values(make: Make) -> None:
    rows = "".join(f"{name},{i},{i % 9},{i % 2}\n" for name in "ab" for i in range(9))
    path = make("t.csv", f"system,item,tokens,correct\n{rows}")
    assert scores(path) == pytest.approx([4 / 9, 4 / 9])
    several = make("s.csv", f"system,item,f1,correct\n{rows}")
    error = refused(several)
    assert proposed(error)["value_column"] in ("f1", "correct")
    assert scores(several, reading=bb.Reading(value_column="correct")) == pytest.approx([4 / 9, 4 / 9])


def test_a_column_of_ids_that_no_file_has_is_refused(make: Make) -> None:
    files = {name: make(f"{name}.txt", "\n".join(labels)) for name, labels in (("a", A), ("b", B))}
    error = refused(files, gold=make("gold.txt", "\n".join(GOLD)), items="id")
    assert error.message == "no file has a column 'id' (named as item)"
    assert scores(files, gold=make("gold.txt", "\n".join(GOLD))) == pytest.approx([*SCORES.values()])


def test_judgements_of_pairs_go_to_the_question_of_preferences(make: Make) -> None:
    path = make("t.csv", "prompt,model_a,model_b,winner\np1,x,y,model_a\np2,y,x,tie\np3,x,y,model_b\n")
    assert refused(path).hint == "compare the systems by these: compare_preferences (bestby preferences)"


def test_references_are_called_refs_too(make: Make) -> None:
    paths = {name: make(f"{name}.txt", "\n".join(labels)) for name, labels in (("a", A), ("refs", GOLD))}
    assert "looks like gold" in refused([*paths.values()]).message
