"""Laws 1 to 4, 7 and 8 for metrics that read texts, lists, sets, rankings and parses.

Each metric goes through one design in turn: the engine knows no more of it than its sums.
"""

from __future__ import annotations

import copy
import functools
import importlib.util
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tests.laws.roster import DESIGNS, LEVEL, RESAMPLES, Entry
from tests.laws.test_02_mirror import check_ends, check_estimate, check_p
from tests.laws.test_03_order import alike

from bestby import Resampling, compare
from bestby.metrics.base import MeanMetric
from bestby.metrics.parsing import Block, Sentence, Word
from bestby.metrics.registry import list_metrics, resolve
from bestby.report.comparison import better_by_score
from bestby.results import Comparison

N = 24
SHARES = {"a": 0.15, "b": 0.3, "c": 0.45}
"""How much of what is right a system gets wrong."""

Make = Callable[[np.random.Generator], tuple[list[Any] | None, dict[str, list[Any]]]]
WORDS = ["the", "cat", "sat", "on", "a", "mat", "while", "two", "dogs", "ran", "home", "and", "slept", "well"]


def spoilt(words: list[str], share: float, rng: np.random.Generator, others: list[str]) -> list[str]:
    """Return the words with some replaced, doubled or left out."""
    out = []
    for word in words:
        luck = rng.random()
        if luck > share:
            out.append(word)
        elif luck > 0.4 * share:
            out.append(str(rng.choice(others)))
        elif luck > 0.2 * share:
            out += [word, word]
    return out


def texts(rng: np.random.Generator) -> tuple[list[Any], dict[str, list[Any]]]:
    """A text per item, and one reference or two."""
    gold = [[str(w) for w in rng.choice(WORDS, rng.integers(4, 9))] for _ in range(N)]
    systems = {
        name: [" ".join(spoilt(words, share, rng, WORDS)) for words in gold] for name, share in SHARES.items()
    }
    return [" ".join(words) for words in gold], systems


def answers(rng: np.random.Generator) -> tuple[list[Any], dict[str, list[Any]]]:
    """Short answers, with several right ones."""
    gold = [[f"{w} {v}", str(w)] for w, v in rng.choice(WORDS, (N, 2))]
    systems = {
        name: [" ".join(spoilt(rights[rng.integers(2)].split(), share, rng, WORDS)) for rights in gold]
        for name, share in SHARES.items()
    }
    return gold, systems


def likelihoods(rng: np.random.Generator) -> tuple[None, dict[str, list[Any]]]:
    """Log-probability and length of each text."""
    lengths = rng.integers(5, 40, N)
    hard = rng.normal(2.0, 0.5, N)
    return None, {
        name: [
            (-float(abs(h + share + rng.normal(0.0, 0.2)) * n), int(n))
            for h, n in zip(hard, lengths, strict=True)
        ]
        for name, share in SHARES.items()
    }


def samples(rng: np.random.Generator) -> tuple[None, dict[str, list[Any]]]:
    """Samples of each problem, and how many of them are right."""
    easy = rng.random(N)
    return None, {
        name: [(10, int(rng.binomial(10, e * (1.0 - share)))) for e in easy] for name, share in SHARES.items()
    }


def parses(rng: np.random.Generator) -> tuple[list[Any], dict[str, list[Any]]]:
    """Two sentences per item; systems do not always cut words and sentences as the gold does."""
    sizes = rng.integers(2, 6, (N, 2)).tolist()
    gold = [
        Block(tuple(_tree(size, 0.0, 2 * i + k, rng) for k, size in enumerate(two)))
        for i, two in enumerate(sizes)
    ]
    systems: dict[str, list[Any]] = {}
    for name, share in SHARES.items():
        systems[name] = []
        for i, two in enumerate(sizes):
            first, second = (_tree(size, share, 2 * i + k, rng) for k, size in enumerate(two))
            joined = rng.random() < share
            systems[name].append(Block((_joined(first, second),) if joined else (first, second)))
    return gold, systems


def _tree(size: int, share: float, seed: int, rng: np.random.Generator) -> Sentence:
    right = np.random.default_rng(seed)
    heads, relations, tags = (
        right.choice(values, size) for values in (size + 1, ["nsubj", "det"], ["NOUN", "VERB"])
    )
    heads = np.where(rng.random(size) < share, rng.integers(0, size + 1, size), heads)
    relations = np.where(rng.random(size) < share, "root", relations)
    tags = np.where(rng.random(size) < share, "ADV", tags)
    cuts = [0, *(i for i in range(1, size) if rng.random() > 0.3 * share), size]
    words = [
        Word(
            "ab" * (stop - start),
            2 * start,
            2 * stop,
            False,
            min(int(heads[start]), len(cuts) - 1),
            str(relations[start]),
            str(tags[start]),
        )
        for start, stop in itertools.pairwise(cuts)
    ]
    return Sentence("ab" * size, tuple(words))


def _joined(first: Sentence, second: Sentence) -> Sentence:
    letters, before = len(first.characters), len(first.words)
    moved = (
        word._replace(
            start=word.start + letters, end=word.end + letters, head=word.head and word.head + before
        )
        for word in second.words
    )
    return Sentence(first.characters + second.characters, (*first.words, *moved))


def tags(rng: np.random.Generator) -> tuple[list[Any], dict[str, list[Any]]]:
    """Spans of two types, as tags that begin and go on."""

    def tagged(kinds: list[str]) -> list[str]:
        return [tag for kind in kinds for tag in (["O"] if kind == "O" else [f"B-{kind}", f"I-{kind}"])]

    kinds = ["O", "O", "PER", "LOC"]
    gold = [[str(k) for k in rng.choice(kinds, rng.integers(3, 7))] for _ in range(N)]

    def guessed(row: list[str], share: float) -> list[str]:
        # Types are exchanged, and spans missed or made up of as many tokens.
        out = []
        for kind in row:
            wrong = rng.random() < share
            if kind == "O":
                out += ["O"]
            elif wrong and rng.random() < 0.5:
                out += ["O", "O"]
            else:
                other = {"PER": "LOC", "LOC": "PER"}[kind] if wrong else kind
                out += [f"B-{other}", f"I-{other}"]
        return out

    systems = {name: [guessed(row, share) for row in gold] for name, share in SHARES.items()}
    return [tagged(row) for row in gold], systems


def sets(rng: np.random.Generator) -> tuple[list[Any], dict[str, list[Any]]]:
    """Any number of labels per item."""
    labels = ["red", "green", "blue", "black"]
    gold = [{label for label in labels if rng.random() < 0.4} for _ in range(N)]
    return gold, {
        name: [{label for label in labels if (label in row) != (rng.random() < share / 2)} for row in gold]
        for name, share in SHARES.items()
    }


def rankings(rng: np.random.Generator) -> tuple[list[Any], dict[str, list[Any]]]:
    """Relevance of documents by topic, and scores of them."""
    documents = [f"d{i}" for i in range(15)]
    gold = [{d: int(rng.choice([0, 0, 0, 1, 2])) for d in documents} for _ in range(N)]
    return gold, {
        name: [{d: r + float(rng.normal(0.0, 8.0 * share)) for d, r in row.items()} for row in gold]
        for name, share in SHARES.items()
    }


def ratings(rng: np.random.Generator) -> tuple[None, dict[str, list[Any]]]:
    """Labels of three annotators per item, under instructions of which some are clearer."""
    return None, {
        name: [
            tuple(int(r) if rng.random() > share else int(rng.integers(1, 5)) for _ in range(3))
            for r in rng.integers(1, 5, N)
        ]
        for name, share in SHARES.items()
    }


FAMILIES: dict[str, tuple[Make, tuple[str, ...]]] = {
    "translation": (texts, ("bleu", "chrf", "ter")),
    "speech": (texts, ("wer", "cer", "mer", "wil", "wip")),
    "summaries": (texts, ("rouge",)),
    "meteor": (texts, ("meteor",)),
    "answers": (answers, ("em", "qa_f1")),
    "language": (likelihoods, ("perplexity", "bits_per")),
    "samples": (samples, ("pass@", "pass^")),
    "parsing": (
        parses,
        ("uas", "las", "clas", "upos", "words", "sentences", "uas_sentence", "las_sentence"),
    ),
    "spans": (tags, ("span_", "tag_accuracy")),
    "multilabel": (sets, ("multilabel_", "subset_accuracy")),
    "retrieval": (rankings, ("ndcg", "map", "mrr", "p@", "r@")),
    "agreement": (ratings, ("krippendorff", "fleiss")),
}


def family_of(name: str) -> str:
    """Return the family whose beginning of a name is the longest that fits."""
    fits = [
        (len(start), family)
        for family, (_, starts) in FAMILIES.items()
        for start in starts
        if name.startswith(start)
    ]
    return max(fits)[1]


@dataclass(frozen=True)
class Case:
    """A metric on the data of its family, in one design."""

    name: str
    design: str

    @functools.cached_property
    def entry(self) -> Entry:
        metric = resolve(self.name)
        return Entry(
            self.name,
            self.name,
            "objects",
            mean=isinstance(metric, MeanMetric),
            lower=not metric.greater_is_better,
        )

    def data(self, seed: int) -> tuple[list[Any] | None, dict[str, list[Any]], dict[str, Any]]:
        """Return gold, systems and groups."""
        rng = np.random.default_rng([seed, DESIGNS.index(self.design)])
        gold, systems = FAMILIES[family_of(self.name)][0](rng)
        groups: dict[str, Any] = {}
        if self.design in ("clusters", "both"):
            groups["clusters"] = np.arange(N) // 2
        if self.design in ("strata", "both"):
            groups["strata"] = np.arange(N) // 2 % 2
        return gold, systems, groups

    def compare(self, systems: Any, gold: Any, **settings: Any) -> Comparison:
        """Compare with the settings of the roster, unless told otherwise."""
        given: dict[str, Any] = {"metric": self.name, "level": LEVEL, "n_resamples": RESAMPLES}
        return compare(systems, gold, **(given | settings))


NAMES = [
    row.name.replace("[LABEL]", "[PER]")
    for row in list_metrics()
    if resolve(row.name.replace("[LABEL]", "[PER]")).reads == "objects"
]


@functools.cache
def has_wordnet() -> bool:
    """Return whether nltk and its WordNet are here, which METEOR looks synonyms up in."""
    if importlib.util.find_spec("nltk") is None:
        return False
    import nltk.data

    for place in ("corpora/wordnet", "corpora/wordnet.zip"):
        try:
            nltk.data.find(place)
        except LookupError:
            continue
        return True
    return False


FIRST = {family_of(name): name for name in reversed(NAMES)}


TRIED = {(name, DESIGNS[i % len(DESIGNS)]) for i, name in enumerate(NAMES) if name in FIRST.values()}
"""What `make test` tries: a metric of each family, in one design."""


def case(name: str, design: str) -> Any:
    """Return a metric in a design."""
    marks = [] if (name, design) in TRIED else [pytest.mark.check]
    if name.startswith("meteor"):
        marks.append(pytest.mark.skipif(not has_wordnet(), reason="nltk's WordNet is not installed"))
    return pytest.param(Case(name, design), id=f"{name}-{design}", marks=marks)


CASES = [case(name, DESIGNS[i % len(DESIGNS)]) for i, name in enumerate(NAMES)]
# Each family once in every design.
EVERY = [case(name, design) for name in FIRST.values() for design in DESIGNS]


def test_every_measure_has_a_family_and_every_family_a_measure() -> None:
    assert {family_of(name) for name in NAMES} == set(FAMILIES)


@pytest.mark.parametrize("case", CASES)
def test_a_copy_does_not_differ(case: Case) -> None:
    gold, systems, groups = case.data(1)
    for settings in ({}, {"interval": "percentile", "test": "bootstrap"}):
        twins = {"a": systems["b"], "copy": copy.deepcopy(systems["b"])}
        (d,) = case.compare(twins, gold, **groups, **settings)
        assert (d.estimate, d.p_value, d.n_differing, d.winner) == (0.0, 1.0, 0, None)
        assert d.interval is None or d.interval.low < 0.0 < d.interval.high
        assert "identical" in [note.code for note in d.notes]


@pytest.mark.parametrize("case", CASES)
def test_swapped_systems_mirror_the_difference(case: Case) -> None:
    """A gets half as much wrong as C at most; the tail in which that lies depends on the metric."""
    gold, systems, groups = case.data(2)
    pair = {name: systems[name] for name in "ac"}
    turned = {name: systems[name] for name in "ca"}
    for settings in ({}, {"interval": "percentile", "test": "bootstrap"}):
        d = case.compare(pair, gold, **groups, **settings)["a", "c"]
        back = case.compare(turned, gold, **groups, **settings)["c", "a"]
        check_estimate(d, back, case.entry)
        check_ends(d, back, case.entry)
        check_p(d, back, case.entry)
    (d,) = case.compare(pair, gold, **groups, alternative="better")
    tail = "less" if case.entry.lower else "greater"
    (back,) = case.compare(turned, gold, **groups, alternative="less" if tail == "greater" else "greater")
    assert (d.a, d.b, better_by_score(d), d.test.alternative) == ("a", "c", "a", tail)
    assert (back.a, back.b) == ("c", "a")
    check_p(d, back, case.entry)
    assert d.p_value < 0.5


@pytest.mark.parametrize("case", CASES)
def test_items_and_systems_in_another_order_give_the_same_result(case: Case) -> None:
    gold, systems, groups = case.data(4)
    before = copy.deepcopy((gold, systems))
    order = np.random.default_rng(0).permutation(N)
    one = case.compare(systems, gold, **groups)
    assert (gold, systems) == before  # law 8
    moved = {name: [values[i] for i in order] for name, values in systems.items()}
    other = case.compare(
        {name: moved[name] for name in "cab"},
        None if gold is None else [gold[i] for i in order],
        **{name: values[order] for name, values in groups.items()},
    )
    assert [s.system for s in one.systems] == [s.system for s in other.systems]
    for d in one:
        alike(d, other[d.a, d.b], 0.6)


@pytest.mark.parametrize("case", CASES)
def test_a_pair_alone_equals_its_cell(case: Case) -> None:
    gold, systems, groups = case.data(5)
    everything = case.compare(systems, gold, **groups)
    for a, b in ("ab", "ac"):
        d = case.compare({name: systems[name] for name in (a, b)}, gold, **groups)[a, b]
        alike(everything[a, b], d, 0.6)
        assert d.p_adjusted == d.p_value


@pytest.mark.parametrize("case", EVERY)
def test_same_data_and_seed_same_bits_for_any_number_of_threads(case: Case) -> None:
    gold, systems, groups = case.data(6)
    for settings, size in (({}, None), ({"interval": "basic", "test": "bootstrap"}, 0.5)):
        one = case.compare(
            systems, gold, **groups, **settings, resampling=Resampling(resample_size=size)
        ).to_dict()
        twin = copy.deepcopy((gold, systems))
        assert (
            case.compare(
                twin[1], twin[0], **groups, **settings, resampling=Resampling(n_jobs=3, resample_size=size)
            ).to_dict()
            == one
        )
        assert case.compare(systems, gold, **groups, **settings, rng=1).to_dict() != one
