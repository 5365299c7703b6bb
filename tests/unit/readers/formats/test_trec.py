"""TREC runs and relevance judgements."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.readers.helpers import Make

from bestby import Reading, compare, read
from bestby._core.errors import InvalidInputError
from bestby.metrics.retrieval import Retrieval
from bestby.readers.formats import trec

QRELS = "t1 0 d1 2\nt1 0 d2 0\nt2 0 d1 1\nt3 0 d9 1\n"
RUN = "t1 Q0 d1 1 9.5 x\nt1 Q0 d2 2 9.25 x\n\nt2\tQ0\td3\t1\t1e1\tx\nt2 Q0 d1 2 5 x\nt3 Q0 d9 1 -1 x\n"
SHORT = "t1 Q0 d2 1 9.5 y\nt1 Q0 d1 2 9.25 y\nt2 Q0 d1 1 3 y\n"


def scores(found: trec.Read, measure: Retrieval) -> dict[str, float]:
    assert found.evaluation is not None
    return {score.system: score.score for score in compare(found.evaluation, metric=measure).systems}


def test_topics_are_items(make: Make) -> None:
    found = trec.read({"a": make("a", RUN), "b": make("b", RUN.replace("9.5", "9"))}, gold=make("q", QRELS))
    assert found.evaluation is not None
    assert found.evaluation.gold is not None
    assert found.evaluation.items is not None
    assert found.evaluation.items.tolist() == ["t1", "t2", "t3"]
    assert found.evaluation.gold.tolist() == [{"d1": 2, "d2": 0}, {"d1": 1}, {"d9": 1}]
    assert found.evaluation.systems["a"].tolist() == [
        {"d1": 9.5, "d2": 9.25},
        {"d3": 10, "d1": 5},
        {"d9": -1},
    ]
    assert found.description.startswith("TREC runs: a, b; judgements of 3 topics: ")
    assert found.metric == "ndcg@10"
    # the order is that of the scores: in b, d2 comes before d1
    assert scores(found, Retrieval("mrr")) == pytest.approx(
        {"a": (1 + 0.5 + 1) / 3, "b": (0.5 + 0.5 + 1) / 3}
    )


def test_a_topic_that_a_run_lacks(make: Make) -> None:
    paths, gold = {"a": make("a", RUN), "b": make("b", SHORT)}, make("q", QRELS)
    with pytest.raises(InvalidInputError, match="1 missing from 'b', first: 't3'"):
        trec.read(paths, gold=gold)
    found = trec.read(paths, gold=gold, on_missing="worst")
    assert scores(found, Retrieval("mrr")) == pytest.approx({"a": 2.5 / 3, "b": 1.5 / 3})
    found = trec.read(paths, gold=gold, on_missing="drop")
    assert scores(found, Retrieval("mrr")) == pytest.approx({"a": 1.5 / 2, "b": 1.5 / 2})


def test_topics_that_nobody_judged_are_left_out(make: Make) -> None:
    more = make("a", RUN + "t8 Q0 d1 1 1 x\nt9 Q0 d1 1 1 x\n")
    found = trec.read({"a": more, "b": make("b", RUN)}, gold=make("q", QRELS))
    assert found.evaluation is not None
    assert found.evaluation.n_items == 3
    [note] = found.evaluation.notes
    assert note.message == "2 of 5 topics of 'a' were left out because nobody judged them: t8, t9"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a", "t1 Q0 d1 1 9.5\n", "line 1: expected 6 columns, TOPIC Q0 DOCUMENT RANK SCORE TAG, got 5"),
        ("a", RUN + "t1 Q0 d2 3 1 x\n", "line 7: document 'd2' occurs twice for topic 't1'"),
        ("a", "t1 Q0 d1 1 high x\n", "line 1: the score must be a finite number, got 'high'"),
        ("a", "t7 Q0 d1 1 1 x\n", "no topic in common; their first ones are 't7' and 't1'"),
        ("a", "\n\n", "has no lines of the form TOPIC Q0"),
        ("q", "t1 0 d1\n", "line 1: expected 4 columns"),
        ("q", "t1 0 d1 one\n", "line 1: the relevance must be a finite number"),
        ("q", QRELS + "t1 0 d1 1\n", "line 5: document 'd1' occurs twice"),
    ],
)
def test_malformed_files(make: Make, name: str, content: str, message: str) -> None:
    files = {"q": QRELS, "a": RUN, name: content}
    with pytest.raises(InvalidInputError, match=message):
        trec.read({"a": make("a", files["a"]), "b": make("b", RUN)}, gold=make("q", files["q"]))


def test_judgements_are_asked_for(make: Make) -> None:
    with pytest.raises(InvalidInputError, match="runs need a gold file"):
        trec.read({"a": make("a", RUN), "b": make("b", SHORT)})


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (RUN, True),
        (QRELS, False),
        ("talk A 1 1 one 0.5\n", False),
        ("t1 Q0 d1 first 1 x\n", False),
        ("", False),
    ],
)
def test_recognition(content: str, expected: bool) -> None:
    assert trec.recognises(Path("file"), content.encode()) is expected


DOUBLED = "t1 Q0 d1 1 2.0 x\nt1 Q0 d2 2 9.0 x\nt1 Q0 d1 3 5.0 x\nt2 Q0 d1 1 1.0 x\n"


@pytest.mark.parametrize(("duplicates", "score"), [("first", 2.0), ("last", 5.0), ("max", 5.0)])
def test_documents_that_stand_twice_can_be_read(make: Make, duplicates: str, score: float) -> None:
    paths = {"a": make("a.run", DOUBLED), "b": make("b.run", DOUBLED.replace("5.0", "1.0"))}
    gold = make("qrels", "t1 0 d1 1\nt2 0 d1 1\n")
    with pytest.raises(InvalidInputError, match="occurs twice") as error:
        trec.read(paths, gold=gold)
    assert str(error.value.hint).endswith('duplicates="max"')
    found = trec.read(paths, gold=gold, duplicates=duplicates)
    assert found.evaluation is not None
    assert found.evaluation.systems["a"][0] == {"d1": score, "d2": 9.0}
    assert found.evaluation.systems["b"][0]["d1"] == {"first": 2.0, "last": 1.0, "max": 2.0}[duplicates]
    (note,) = [note for note in found.evaluation.notes if note.about == ("a",)][:1]
    assert note.code == "repeated_documents"
    assert "1 lines of " in note.message
    with pytest.raises(InvalidInputError, match="duplicates must be one of"):
        trec.read(paths, gold=gold, duplicates="mean")


def ranking(form: str, *, n: int = 4) -> str:
    """Return a ranking of the documents of two topics; `form` names what stands in each line."""
    lines = []
    for topic in ("t1", "t2"):
        for rank in range(1, n + 1):
            parts = {"topic": topic, "doc": f"{topic}d{(rank * 3) % 7}", "rank": rank, "score": 9 / rank}
            lines.append(form.format(**parts))
    return "\n".join(lines) + "\n"


def judgements(form: str, header: str = "") -> str:
    """Return judgements of the same documents."""
    lines = [form.format(topic=t, doc=f"{t}d{d}", grade=d % 3) for t in ("t1", "t2") for d in range(7)]
    return header + "\n".join(lines) + "\n"


FOUR = judgements("{topic} 0 {doc} {grade}")
THREE = judgements("{topic}\t{doc}\t{grade}")
BEIR = judgements("{topic}\t{doc}\t{grade}", "query-id\tcorpus-id\tscore\n")
RANKINGS = {
    "no Q0": "{topic} {doc} {rank} {score} tag",
    "no tag": "{topic} Q0 {doc} {rank} {score}",
    "no Q0, tabs": "{topic}\t{doc}\t{rank}\t{score}\ttag",
    "neither": "{topic} {doc} {rank} {score}",
    "MS MARCO": "{topic}\t{doc}\t{rank}",
    "commas": "{topic},Q0,{doc},{rank},{score},tag",
}


@pytest.mark.parametrize("form", RANKINGS)
@pytest.mark.parametrize("gold", [FOUR, THREE, BEIR, None])
@pytest.mark.parametrize("name", ["txt", "tsv", "csv", "run"])
def test_a_ranking_without_all_columns_is_called_one(
    make: Make, form: str, gold: str | None, name: str
) -> None:
    paths = {system: make(f"{system}.{name}", ranking(RANKINGS[form])) for system in "ab"}
    judged = None if gold is None else make("gold.tsv", gold)
    with pytest.raises(InvalidInputError, match="looks like a ranking of documents") as error:
        read(paths, gold=judged)
    assert error.value.message.endswith("are not those of a run: TOPIC Q0 DOCUMENT RANK SCORE TAG")
    assert error.value.hint is not None
    assert "where there is no score, the rank with a minus" in error.value.hint
    assert 'format="trec"' in error.value.hint
    for system in "ab":  # as the hint says
        make(f"{system}.{name}", ranking("{topic} Q0 {doc} {rank} -{rank} any"))
    found = read(paths, gold=make("gold.tsv", FOUR), format="trec")
    assert (found.n_items, found.suggested) == (2, "ndcg@10")


@pytest.mark.parametrize("gold", [FOUR, THREE, BEIR])
@pytest.mark.parametrize("name", ["txt", "tsv"])
def test_judgements_of_files_that_are_no_runs_are_called_so(make: Make, gold: str, name: str) -> None:
    paths = {system: make(f"{system}.{name}", ranking("{topic}\t{doc}\t{score}")) for system in "ab"}
    with pytest.raises(InvalidInputError, match="looks like judgements of documents") as error:
        read(paths, gold=make("gold.tsv", gold))
    assert error.value.hint is not None
    assert "of judgements TOPIC 0 DOCUMENT RELEVANCE" in error.value.hint


def test_runs_with_judgements_of_three_columns_ask_for_the_fourth(make: Make) -> None:
    paths = {system: make(system, ranking("{topic} Q0 {doc} {rank} {score} x")) for system in "ab"}
    for gold in (THREE, BEIR):
        with pytest.raises(InvalidInputError, match="expected 4 columns, TOPIC 0 DOCUMENT") as error:
            read(paths, gold=make("gold.tsv", gold))
        assert error.value.hint is not None
        assert "of judgements TOPIC 0 DOCUMENT RELEVANCE" in error.value.hint
    assert read(paths, gold=make("gold.tsv", FOUR)).n_items == 2


def test_a_run_that_lacks_columns_beside_a_whole_one_is_named(make: Make) -> None:
    whole, lacking = (
        make("a", ranking("{topic} Q0 {doc} {rank} {score} x")),
        make("b", ranking(RANKINGS["no Q0"])),
    )
    for more in ({}, {"format": "trec"}):
        with pytest.raises(
            InvalidInputError, match=r"/b(, line 1: expected 6| looks like a ranking)"
        ) as error:
            read({"a": whole, "b": lacking}, gold=make("gold", FOUR), **more)
        assert "TOPIC Q0 DOCUMENT RANK SCORE TAG" in str(error.value.hint)


def test_other_files_are_no_rankings(make: Make) -> None:
    table = "".join(f"d{d},d{d}i{i},{i},1\n" for d in range(3) for i in range(1, 5))
    assert read(make("t.csv", "doc,item,a,b\n" + table), items="item", clusters="doc").n_items == 12
    gold = "cluster\titem\tgold\n" + "".join(f"c{i // 4}\ti{i}\t{i % 3}\n" for i in range(12))
    predicted = {s: make(f"{s}.tsv", gold.replace("gold", "prediction")) for s in "ab"}
    found = read(predicted, gold=make("gold.tsv", gold), items="item", clusters="cluster")
    assert found.n_items == 12
    rows = make("rows.txt", "0 1 0\n1 0 0\n0 0 1\n1 1 0\n")
    assert (
        read(
            {"a": rows, "b": rows}, gold=rows, reading=Reading(classes=["x", "y", "z"]), label_sets=True
        ).n_items
        == 4
    )
