"""Metrics of translations against published numbers.

Sixteen systems of WMT 2017, English to German: counts, scores and texts from the test data of sacrebleu
2.6.0; p-values of MultEval (10,000 trials of approximate randomisation, against LIUM-NMT) as given in
``test/test_significance.py`` of mjpost/sacrebleu. TED talks, two systems: compare-mt (Neubig et al. 2019,
NAACL demonstrations), ``tests/test_scorers.py`` of neulab/compare-mt. Small cases: ``test/test_bleu.py``,
``test_chrf.py`` and ``test_ter.py`` of mjpost/sacrebleu.
"""

from __future__ import annotations

import csv
import gzip
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu

from bestby.engine.base import Drawing
from bestby.engine.statistics import Design, Rows, Statistics
from bestby.engine.sums import SumGroup
from bestby.metrics.translation import Bleu, Chrf, Ter

BASELINE = "newstest2017.LIUM-NMT.4900.en-de"
TRIALS = 10_000

MULTEVAL = {  # BLEU, TER
    "C-3MA.4959": (0.0001, 0.0001),
    "FBK.4870": (0.0218, 0.09569),
    "KIT.4950": (0.0410, 0.0002),
    "LMU-nmt-reranked.4934": (0.09029, 0.0001),
    "LMU-nmt-single.4893": (0.58494, 0.0054),
    "online-A.0": (0.0001, 0.0001),
    "online-B.0": (0.94111, 0.82242),
    "online-F.0": (0.0001, 0.0001),
    "online-G.0": (0.0001, 0.0001),
    "PROMT-Rule-based.4735": (0.0001, 0.0001),
    "RWTH-nmt-ensemble.4921": (0.0207, 0.07539),
    "SYSTRAN.4847": (0.59914, 0.0001),
    "TALP-UPC.4834": (0.0001, 0.0001),
    "uedin-nmt.4722": (0.0001, 0.0001),
    "xmu.4910": (0.71073, 0.0001),
}

DOGS = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
DOGS_GOLD = [
    ["The dog bit the man.", "The dog had bit the man."],
    ["It was not unexpected.", "No one was surprised."],
    ["The man bit him first.", "The man had bitten the dog."],
]


def score(metric: Any, gold: list[Any], translations: list[str]) -> float:
    return float(metric.score(metric.statistics(gold, translations).sum(axis=0)))


def lines(path: Path) -> np.ndarray:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return np.array([line.rstrip("\n") for line in file], dtype=object)


@pytest.fixture
def wmt17(shared_data: Callable[[str], Path]) -> Path:
    return shared_data("wmt17_en_de")


def counts(folder: Path) -> dict[str, np.ndarray]:
    with np.load(folder / "bleu_sufficient_stats.npz", allow_pickle=False) as file:
        return {name: file[name].astype(np.float64) for name in file}


def test_bleu_of_the_counts_of_sixteen_systems(wmt17: Path) -> None:
    with (wmt17 / "corpus_bleu.csv").open(encoding="utf-8", newline="") as file:
        published = {row["system"]: float(row["bleu_tok_none"]) for row in csv.DictReader(file)}
    rows = counts(wmt17)
    assert len(rows) == 16
    for name, value in published.items():
        assert float(Bleu().score(rows[name].sum(axis=0))) == pytest.approx(value, abs=5.1e-7)


@pytest.mark.parametrize("name", ["LIUM-NMT.4900", "LMU-nmt-single.4893", "online-B.0"])
def test_counts_of_the_texts_are_the_published_ones(wmt17: Path, name: str) -> None:
    gold = lines(wmt17 / "ref.txt.gz")
    translations = lines(wmt17 / f"newstest2017.{name}.en-de.txt.gz")
    rows = Bleu(tokenize="none").statistics(gold, translations)
    np.testing.assert_array_equal(rows, counts(wmt17)[f"newstest2017.{name}.en-de"])


def permutation(metric: Any, rows: list[np.ndarray]) -> list[Any]:
    """Test every system against the first one."""
    design = Design(len(rows[0]))
    systems = [Statistics.of(metric, s, Rows(one), design) for s, one in enumerate(rows)]
    group, drawing = SumGroup(metric, systems, design), Drawing(TRIALS, 0)
    samples = (group.sample(0, other) for other in range(1, len(rows)))
    return [sample.sampled_permutation("two-sided", drawing) for sample in samples]


def agree(p: float, published: float) -> bool:
    """Whether two Monte Carlo p-values are within four standard errors of their difference.

    Fifteen comparisons fail by chance once in a thousand; the seed is fixed.
    """
    middle = min(max(0.5 * (p + published), 1.0 / TRIALS), 0.5)
    return abs(p - published) <= 4.0 * math.sqrt(2.0 * middle * (1.0 - middle) / TRIALS)


@pytest.mark.long
def test_counts_of_all_texts_by_13a_are_those_of_sacrebleu(wmt17: Path) -> None:
    gold = lines(wmt17 / "ref.txt.gz")
    texts = [lines(path) for path in sorted(wmt17.glob("newstest2017.*.txt.gz"))]
    metric = Bleu().fit(gold, texts, None)
    assert len(texts) == 3
    for translations in texts:
        expected = sacrebleu.BLEU()._extract_corpus_statistics(list(translations), [list(gold)])
        np.testing.assert_array_equal(metric.statistics(gold, translations), expected)


def test_p_values_of_bleu_agree_with_those_of_multeval(wmt17: Path) -> None:
    rows = counts(wmt17)
    names = [f"newstest2017.{name}.en-de" for name in MULTEVAL]
    tests = permutation(Bleu(), [rows[name] for name in (BASELINE, *names)])
    for (name, (published, _)), test in zip(MULTEVAL.items(), tests, strict=True):
        assert agree(test.p_value, published), (name, test.p_value, published)


@pytest.mark.slow  # sacrebleu takes 5 s per system
def test_p_values_of_ter_agree_with_those_of_multeval(wmt17: Path) -> None:
    gold = lines(wmt17 / "ref.txt.gz")
    names = ("LMU-nmt-single.4893", "online-B.0")
    texts = [lines(wmt17 / f"newstest2017.{name}.en-de.txt.gz") for name in ("LIUM-NMT.4900", *names)]
    metric = Ter().fit(gold, texts, None)
    tests = permutation(metric, [metric.statistics(gold, text) for text in texts])
    for name, test in zip(names, tests, strict=True):
        assert agree(test.p_value, MULTEVAL[name][1]), (name, test.p_value)


@pytest.mark.parametrize(("system", "bleu"), [("sys1", 22.4364), ("sys2", 24.04)])
def test_bleu_of_ted_talks(shared_data: Callable[[str], Path], system: str, bleu: float) -> None:
    folder = shared_data("compare_mt")
    gold, translations = lines(folder / "ted.ref.eng.gz"), lines(folder / f"ted.{system}.eng.gz")
    places = len(str(bleu).split(".")[1])
    assert round(score(Bleu("bleu@none", "none"), gold, translations), places) == bleu


@pytest.mark.parametrize(
    ("options", "published"),
    [({}, 48.530827), ({"tokenize": "none"}, 49.1919566), ({"tokenize": "intl"}, 43.91623493)],
)
def test_bleu_with_two_references(options: dict[str, Any], published: float) -> None:
    assert score(Bleu(**options), DOGS_GOLD, DOGS) == pytest.approx(published, abs=1e-6)


def test_bleu_of_counts() -> None:
    totals = np.array([11, 11, 9, 7, 5, 3, 10, 8, 6, 4], dtype=np.float64)
    assert float(Bleu().score(totals)) == pytest.approx(83.75922397, abs=1e-8)


@pytest.mark.parametrize(
    ("translations", "gold", "published"),
    [
        (["a"], ["a"], 100.0),
        ([""], ["reference"], 0.0),
        (["a b c"], ["abc"], 100.0),
        (["a", "b"], ["a", "c"], 50.0),
        (["aa"], ["ab"], 25.0),
    ],
)
def test_chrf_of_short_texts(translations: list[str], gold: list[str], published: float) -> None:
    assert score(Chrf(beta=3), gold, translations) == pytest.approx(published, abs=1e-4)


def test_chrf_with_white_space() -> None:
    translation = "Die Beziehung zwischen Obama und Netanjahu ist nicht gerade freundlich."
    gold = "Das Verhältnis zwischen Obama und Netanyahu ist nicht gerade freundschaftlich."
    published = 67.3481606
    assert score(Chrf(beta=3, whitespace=True), [gold], [translation]) == pytest.approx(published, abs=1e-6)


@pytest.mark.parametrize(
    ("translations", "gold", "published"),
    [
        (["aaaa bbbb cccc dddd"], ["aaaa bbbb cccc dddd"], 0.0),
        (["dddd eeee ffff"], ["aaaa bbbb cccc"], 100.0),
        ([""], ["a"], 100.0),
        (["d e f g h a b c"], ["a b c d e f g h"], 12.5),
    ],
)
def test_ter(translations: list[str], gold: list[str], published: float) -> None:
    assert score(Ter(), gold, translations) == pytest.approx(published, abs=1e-3)
