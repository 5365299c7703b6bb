"""Parsing against the CoNLL 2018 shared task's evaluation script, and published CoNLL 2017 scores.

The counts of the small texts were made once with conll18_ud_eval.py, version 1.2 (25 June 2018), by Straka
and Popel; the script is not part of the project. Scores of the parsers: CoNLL 2017, Upper Sorbian.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bestby.metrics import parsing

PARTS = ("uas", "las", "clas", "upos", "words", "sentences")


def conllu(*sentences: str) -> str:
    """Write CoNLL-U from rows "id form upos head deprel", and "id form" for multi-word tokens."""
    text = ""
    for sentence in sentences:
        for row in sentence.strip().split("\n"):
            number, form, upos, head, deprel = (*row.split(), "_", "_", "_")[:5]
            text += f"{number}\t{form}\t_\t{upos}\t_\t_\t{head}\t{deprel}\t_\t_\n"
        text += "\n"
    return text


# gold, system, and per part what the gold has, what the system has, and what is right
CASES = {
    "a contraction that is not split": (
        ["1-2 zum\n1 zu ADP 3 case\n2 dem DET 3 det\n3 Haus NOUN 0 root"],
        ["1 zum ADP 2 case\n2 Haus NOUN 0 root"],
        [(3, 2, 1), (3, 2, 1), (1, 1, 1), (3, 2, 1), (3, 2, 1), (1, 1, 1)],
    ),
    "one that is split in other ways": (
        ["1-2 Vámonos\n1 Vamos V 0 root\n2 nOs P 1 obj\n3-4 al\n3 a A 5 case\n4 el D 5 det\n5 mar N 1 obl"],
        [
            (
                "1-3 Vámonos\n1 vamo V 0 root\n2 NOS P 1 obj\n3 s X 1 dep"
                "\n4-5 al\n4 a A 6 case\n5 el D 6 case\n6 mar N 1 nmod"
            )
        ],
        [(5, 6, 2), (5, 6, 1), (3, 4, 0), (5, 6, 4), (5, 6, 4), (1, 1, 1)],
    ),
    "tokens that overlap": (
        ["1-2 ab\n1 x N 0 root\n2 y N 1 obj\n3-4 cd\n3 z N 1 obl\n4 y V 3 aux"],
        ["1 a N 0 root\n2-3 bc\n2 y N 1 obj\n3 z N 1 obl\n4 d V 3 aux"],
        [(4, 4, 0), (4, 4, 0), (3, 3, 0), (4, 4, 2), (4, 4, 2), (1, 1, 1)],
    ),
    "a word that sticks out of a token": (
        ["1 bb N 0 root"],
        ["1-1 b\n1 BB N 0 root\n2 b N 1 dep"],
        [(1, 2, 1), (1, 2, 1), (1, 2, 1), (1, 2, 1), (1, 2, 1), (1, 1, 1)],
    ),
    "a word before a token, in both": (
        ["1 ba N 0 root\n2 aa N 1 obj"],
        ["1 baa N 0 root\n2-2 a\n2 Aa N 1 obj"],
        [(2, 2, 0), (2, 2, 0), (2, 2, 0), (2, 2, 0), (2, 2, 0), (1, 1, 1)],
    ),
    "a word before a token, in the system": (
        ["1 b N 0 root", "1-1 a\n1 Ba N 0 root"],
        ["1 ba N 0 root"],
        [(2, 1, 0), (2, 1, 0), (2, 1, 0), (2, 1, 0), (2, 1, 0), (2, 1, 0)],
    ),
    "subtypes and a relation that is none": (
        ["1 a N 0 root\n2 b N 1 nmod:poss\n3 c N 1 aux:pass\n4 d N 1 strange\n5 e N 1 punct\n6 f N 3 obj"],
        ["1 a N 0 root\n2 b N 1 nmod\n3 c V 1 aux\n4 d N 1 strange\n5 e N 1 punct\n6 f N 3 obj:x"],
        [(6, 6, 6), (6, 6, 6), (3, 3, 3), (6, 6, 5), (6, 6, 6), (1, 1, 1)],
    ),
    "sentences that are cut elsewhere": (
        ["1 a N 0 root\n2 b N 1 obj", "1 c N 0 root\n2 d N 1 det", "1 e N 0 root"],
        ["1 a N 0 root", "1 b N 0 root\n2 c N 1 dep\n3 d N 2 det", "1 e N 0 root"],
        [(5, 5, 3), (5, 5, 3), (4, 4, 2), (5, 5, 5), (5, 5, 5), (3, 3, 1)],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_counts_of_the_script(case: str) -> None:
    gold, system, expected = CASES[case]
    ours, theirs = parsing.blocks(
        parsing.sentences(conllu(*gold), "gold"), parsing.sentences(conllu(*system), "system")
    )
    found = [parsing.Aligned(part, part).statistics(ours, theirs).sum(axis=0) for part in PARTS]
    np.testing.assert_array_equal(found, expected)


PUBLISHED = {
    "Stanford": (67.83, 60.01, 99.84, 90.69),
    "C2L2": (69.45, 61.70, 99.84, 90.69),
    "IMS": (68.98, 61.67, 99.84, 90.69),
    "HIT-SCIR": (66.64, 59.27, 99.84, 90.69),
    "UDPipe-1.1-baseline": (61.70, 53.83, 99.84, 90.69),
    "Uppsala": (54.33, 45.63, 99.28, 91.65),
}
CLAS = {  # content words of the gold, of the system, and right: by the script
    "Stanford": (6728, 6660, 3770),
    "C2L2": (6728, 6606, 3731),
    "IMS": (6728, 6577, 3722),
    "HIT-SCIR": (6728, 6643, 3588),
    "UDPipe-1.1-baseline": (6728, 6599, 3150),
    "Uppsala": (6728, 6817, 2506),
}


def test_upper_sorbian(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("conll17_hsb")

    def read(name: str) -> list[parsing.Sentence]:
        with gzip.open(folder / f"{name}.conllu.gz", "rt", encoding="utf-8", newline="") as file:
            return parsing.sentences(file.read(), name)

    gold, *systems = parsing.blocks(read("gold"), *map(read, PUBLISHED), names=tuple(PUBLISHED))
    with (folder / "block_sufficient_stats.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert len(gold) == len(table) == 599
    for (name, scores), system in zip(PUBLISHED.items(), systems, strict=True):
        for part, score in zip(("uas", "las", "words", "sentences"), scores, strict=True):
            metric = parsing.Aligned(part, part)
            rows = metric.statistics(gold, system)
            assert round(100.0 * float(metric.score(rows.sum(axis=0))), 2) == score
            if part in {"uas", "las"}:
                columns = ("gold_words", f"{name}_sys_words", f"{name}_{part}")
                counted = [[float(row[column]) for column in columns] for row in table]
                np.testing.assert_array_equal(rows, counted)
        clas = parsing.Aligned("clas", "clas").statistics(gold, system).sum(axis=0)
        np.testing.assert_array_equal(clas, CLAS[name])
