"""Parsing: reading CoNLL-U, cutting blocks, counting."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import bestby as bb
from bestby._core.errors import InvalidInputError, MissingExtraError
from bestby.metrics import parsing
from bestby.metrics.parsing import Aligned, Block, Sentence, Word


def rows(*lines):
    """CoNLL-U of "id form upos head deprel" lines; an empty line ends a sentence."""
    out = []
    for line in lines:
        if line and not line.startswith("#"):
            number, form, upos, head, deprel = (*line.split(" "), "_", "_", "_")[:5]
            line = f"{number}\t{form}\t_\t{upos}\t_\t_\t{head}\t{deprel}\t_\t_"
        out.append(line)
    return "\n".join(out)


def flat(text):
    """A sentence per text, its words between spaces, all depending on the first."""
    forms, words, at = text.split(), [], 0
    for place, form in enumerate(forms):
        words.append(Word(form, at, at + len(form), False, min(place, 1), "dep" if place else "root", "X"))
        at += len(form)
    return Sentence("".join(forms), tuple(words))


def test_reading_leaves_out_comments_and_empty_nodes():
    text = rows(
        "# text = a b", "1 a N 0 root", "1.1 e N _ _", "2 b V 1 obj:x", "", "# nothing", "", "1 c N 0 root"
    )
    first, second = parsing.sentences(text)
    assert first.characters == "ab"
    assert [(word.form, word.head, word.deprel, word.upos) for word in first.words] == [
        ("a", 0, "root", "N"),
        ("b", 1, "obj:x", "V"),
    ]
    assert second.characters == "c"


def test_reading_of_multi_word_tokens():
    text = rows("1 x N 0 root", "2-3 ab", "2 a N 1 obj", "3 b N 1 obj", "4 y N 1 obj")
    [sentence] = parsing.sentences(text.replace("\n", "\r\n"))
    assert sentence.characters == "xaby"
    assert [(word.start, word.end, word.multiword) for word in sentence.words] == [
        (0, 1, False),
        (1, 3, True),
        (1, 3, True),
        (3, 4, False),
    ]


@pytest.mark.parametrize("form", ["10 000", "10  000", "10\N{NO-BREAK SPACE}000"])
def test_white_space_in_forms_does_not_count(form):
    line = f"1\t{form}\t_\tNUM\t_\t_\t0\troot\t_\t_"
    [sentence] = parsing.sentences(line)
    assert sentence.characters == "10000"
    assert sentence.words[0].head == 0


def test_nothing_to_read():
    assert parsing.sentences("") == []
    assert parsing.blocks([], []) == ((), ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\ta\tN", "f.conllu, line 1: a line of CoNLL-U must have 10 columns between tabs, got 3"),
        (
            rows("1 a N 0 root", "", "x b N 0 root"),
            "f.conllu, line 3: not CoNLL-U: Failed parsing field 'id'",
        ),
        (rows("1 a N zero root"), "line 1: not CoNLL-U: Failed parsing field 'head'"),
        (rows("1 a N " + "9" * 5000 + " root"), "line 1: not CoNLL-U"),
        (rows("1 a N _ root"), "line 1: the head must be 0 or one of the 1 words of the sentence, got _"),
        (rows("1 a N 0 root", "2 b N 3 dep"), "line 2: the head must be 0 or one of the 2 words of .* got 3"),
        (rows("1 a N 0 root", "3 b N 1 dep"), "line 2: words must be numbered .* got 3, expected 2"),
        (rows("1 a N 0 root", "1 b N 0 root"), "line 2: words must be numbered .* got 1, expected 2"),
        (rows("1 a N 0 root", "1-2 ab", "2 b N 1 dep"), "line 2: words must be .* got 1-2, expected 2"),
        (rows("1-3 ab", "1 a N 0 root", "2 b N 1 dep"), "line 1: words must be .* got 1-3, expected 1"),
        (
            rows("1-2 ab", "1 a N 0 root", "2-3 bc", "2 b N 1 x", "3 c N 1 x"),
            "line 3: .* got 2-3, expected 2",
        ),
        (rows("1  N 0 root"), "line 1: the word has no form"),
        (rows("1 a N 0 root", "2 b N 0 root"), "line 2: a sentence must have one root, got 2"),
        (rows("1 a N 2 x", "2 b N 1 x"), "line 1: the heads must form a tree, but word 1 is above itself"),
        (rows("1 a N 0 root", "2 b N 2 x"), "line 2: the heads must form a tree, but word 2 is above itself"),
    ],
)
def test_malformed_conllu(text, message):
    with pytest.raises(InvalidInputError, match=message):
        parsing.sentences(text, "f.conllu")


def test_reading_needs_conllu(monkeypatch):
    monkeypatch.setitem(sys.modules, "conllu", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bestby\[parsing\]'"):
        parsing.sentences(rows("1 a N 0 root"))


def test_blocks_are_cut_where_all_end_a_sentence():
    gold = [flat("a b"), flat("c"), flat("d e"), flat("f")]
    one = [flat("a b"), flat("c d"), flat("e"), flat("f")]
    two = [flat("a"), flat("b"), flat("c"), flat("d e"), flat("f")]
    made = parsing.blocks(gold, one, two)
    assert [[block.characters for block in side] for side in made] == [["ab", "cde", "f"]] * 3
    assert [len(block.sentences) for block in made[0]] == [1, 2, 1]
    assert [len(block.sentences) for block in made[2]] == [2, 2, 1]


@pytest.mark.parametrize(
    ("system", "message"),
    [
        (
            [flat("a b"), flat("C d")],
            "system 'x' .* in gold sentence 2, at character 3: 'abcd' in the gold, 'abCd'",
        ),
        (
            [flat("a b"), flat("c")],
            "in gold sentence 2, at character 4: 'abcd' in the gold, 'abc' in system 'x'",
        ),
        ([flat("a b"), flat("c d e")], "differ after the last gold sentence, at character 5"),
        ([], "in gold sentence 1, at character 1"),
    ],
)
def test_other_characters(system, message):
    gold = [flat("a b"), flat("c d")]
    with pytest.raises(InvalidInputError, match=message):
        parsing.blocks(gold, gold, system, names=["same", "x"])
    with pytest.raises(InvalidInputError, match="gold and system 2 must have the same characters"):
        parsing.blocks(gold, gold, system)


def test_empty_sentences():
    with pytest.raises(InvalidInputError, match="sentence 2 of the system 1 has none"):
        parsing.blocks([flat("a")], [flat("a"), flat("")])


def test_heads_across_sentences_of_a_block():
    block = Block((flat("a b"), flat("c d")))
    assert [word.head for word in block.words()] == [0, 1, 0, 3]
    assert [(word.start, word.end) for word in block.words()] == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert block.spans() == {(0, 2), (2, 4)}


@pytest.mark.parametrize(("part", "right"), [("uas", 2), ("las", 1), ("clas", 1), ("upos", 3), ("words", 4)])
def test_what_each_part_asks_for(part, right):
    def block(*words):
        return Block(
            (Sentence("abcd", tuple(Word(w, i, i + 1, False, *rest) for i, (w, *rest) in enumerate(words))),)
        )

    gold = block(("a", 0, "root", "X"), ("b", 1, "obj", "X"), ("c", 1, "obj", "X"), ("d", 1, "det", "X"))
    system = block(("a", 0, "root", "X"), ("b", 1, "nsubj", "X"), ("c", 4, "obj", "X"), ("d", 3, "det", "Y"))
    counts = Aligned(part, part).statistics([gold], [system])
    np.testing.assert_array_equal(counts, [[3, 3, right] if part == "clas" else [4, 4, right]])


def test_items_of_another_kind():
    block = Block((flat("a"),))
    with pytest.raises(InvalidInputError, match="item 1 of the predictions is a str"):
        Aligned("las", "las").statistics([block, block], [block, "a"])
    with pytest.raises(
        InvalidInputError, match="the characters of item 0 differ: 'a' in the gold, 'b' in the"
    ):
        Aligned("las", "las").statistics([block], [Block((flat("b"),))])


def test_blocks_make_arrays_of_objects():
    made = np.array(list(parsing.blocks([flat("a"), flat("b")])[0]), dtype=object)
    assert made.shape == (2,)
    np.testing.assert_array_equal(Aligned("uas", "uas").statistics(made, made), [[1, 1, 1]] * 2)


def test_sentence_means_score_each_sentence_by_itself():
    gold = parsing.sentences(
        rows("1 a N 0 root", "2 b N 1 obj", "", "1 c N 0 root", "2 d N 1 obj", "3 e N 1 x")
    )
    system = parsing.sentences(
        rows("1 a N 0 root", "2 b N 1 x", "", "1 c N 0 root", "2 d N 1 obj", "3 e N 2 x")
    )
    ours, theirs = parsing.blocks(gold, system)
    las, uas = parsing.SentenceMean("las_sentence", "las"), parsing.SentenceMean("uas_sentence", "uas")
    assert las.values(ours, theirs).tolist() == pytest.approx([1 / 2, 2 / 3])
    assert uas.values(ours, theirs).tolist() == pytest.approx([1.0, 2 / 3])


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign"])
def test_tests_that_need_a_number_per_item_take_sentence_means(test):
    root = Path(__file__).parents[3] / "examples" / "parsing"
    data = bb.read({name: root / f"{name}.conllu" for name in ("tree", "chain")}, gold=root / "gold.conllu")
    [difference] = bb.compare(data, metric="las_sentence", test=test).differences
    assert difference.test.name == test
    assert 0.0 <= difference.test.p_value <= 1.0


def test_score_of_many_totals_and_of_none():
    metric = Aligned("clas", "clas")
    totals = np.array([[[4.0, 6.0, 5.0], [0.0, 0.0, 0.0]]])
    np.testing.assert_array_equal(metric.score(totals), [[1.0, 0.0]])
    assert metric.undefined(totals[0, 0]) is None
    assert metric.undefined(totals[0, 1]) == "clas is 0/0 (there are no content words) and counts as 0"
