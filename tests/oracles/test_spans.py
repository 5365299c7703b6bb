"""Parsing and spans against plain loops, on the full set and on resamples."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.oracles import plain_spans

from bestby.metrics import parsing, spans

TYPES = ("PER", "LOC", "ORG")


def cut(characters: str, rng: random.Random) -> list[list[plain_spans.Row]]:
    """Cut characters into sentences and words at random, with random trees."""
    text, at = [], 0
    while at < len(characters):
        sentence, end = characters[at : at + rng.randint(1, 8)], 0
        forms = []
        while end < len(sentence):
            forms.append(sentence[end : end + rng.choice([1, 1, 2])])
            end += len(forms[-1])
        heads = [0, *(rng.randint(1, place) for place in range(1, len(forms)))]
        text.append([(form, head, rng.choice("abc")) for form, head in zip(forms, heads, strict=True)])
        at += len(sentence)
    return text


def sentences(text: list[list[plain_spans.Row]]) -> list[parsing.Sentence]:
    made = []
    for sentence in text:
        words, at = [], 0
        for form, head, relation in sentence:
            words.append(parsing.Word(form, at, at + len(form), False, head, relation, "X"))
            at += len(form)
        made.append(parsing.Sentence("".join(form for form, _, _ in sentence), tuple(words)))
    return made


@pytest.mark.parametrize("seed", range(20))
def test_attachment_of_a_text(seed: int) -> None:
    rng = random.Random(seed)
    characters = "".join(rng.choice("xyz") for _ in range(60))
    gold, system = cut(characters, rng), cut(characters, rng)
    ours, theirs = parsing.blocks(sentences(gold), sentences(system))
    for part, labelled in (("uas", False), ("las", True)):
        metric = parsing.Aligned(part, part)
        score = metric.score(metric.statistics(ours, theirs).sum(axis=0))
        assert float(score) == pytest.approx(plain_spans.attachment(gold, system, labelled), abs=1e-12)


def tags(rng: random.Random, length: int) -> list[str]:
    """Well-formed BIO tags at random."""
    out = ["O"]
    while len(out) <= length:
        inside = [f"I-{out[-1][2:]}"] * 3 if out[-1] != "O" else []
        out.append(rng.choice(["O", "O", *(f"B-{one}" for one in TYPES), *inside]))
    return out[1:]


@pytest.mark.parametrize("name", ["span_f1", "span_f1_macro", "span_f1_strict", "span_f1@IOB2"])
def test_spans_of_tags_and_of_json(name: str, generator: np.random.Generator) -> None:
    rng = random.Random(7)
    gold = [["B-PER", "I-PER", "B-LOC", "O"], *(tags(rng, rng.randint(0, 9)) for _ in range(40))]
    predictions = [item if rng.random() < 0.5 else tags(rng, len(item)) for item in gold]
    sets = [[plain_spans.bio(item) for item in side] for side in (gold, predictions)]
    given = [[[(start, end, one) for one, start, end in item] for item in side] for side in sets]
    oracle = plain_spans.span_f1_macro if "macro" in name else plain_spans.span_f1
    metric = spans.PATTERNS["span_f1"][1](name, "IOB2") if "@" in name else spans.NAMES[name][1](name)
    for a, b in ((gold, predictions), given):
        fitted = metric.fit(a, [b], None)
        rows = fitted.statistics(a, b)
        for _ in range(10):
            drawn = generator.integers(0, len(gold), len(gold))
            expected = oracle([sets[0][i] for i in drawn], [sets[1][i] for i in drawn])
            assert float(fitted.score(rows[drawn].sum(axis=0))) == pytest.approx(expected, abs=1e-12)
