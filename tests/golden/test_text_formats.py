"""Published numbers from the files they were published with, through the readers and `compare`.

Translations: sacrebleu 2.6.0 (WMT 2017, English to German; p-values of MultEval in its
``test/test_significance.py``) and compare-mt (``tests/test_scorers.py`` of neulab/compare-mt). Parses: CoNLL
2017, Upper Sorbian. Speech: the tests of NIST's SCTK, ``src/sclite/testdata/base``, test1.sys and test3a.pra.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bestby import compare
from bestby.data.evaluation import Evaluation
from bestby.metrics.parsing import Aligned
from bestby.metrics.recognition import WordErrorRate, edit_counts
from bestby.metrics.translation import Bleu, Ter
from bestby.readers.formats import conllu_files, texts, transcripts

Data = Callable[[str], Path]

BASELINE = "LIUM-NMT.4900"
MULTEVAL = {"LMU-nmt-single.4893": (0.58494, 0.0054), "online-B.0": (0.94111, 0.82242)}
BLEU = {BASELINE: 21.609768, "LMU-nmt-single.4893": 21.491670, "online-B.0": 21.591139}

UAS_LAS = {
    "Stanford": (67.83, 60.01),
    "C2L2": (69.45, 61.70),
    "IMS": (68.98, 61.67),
    "HIT-SCIR": (66.64, 59.27),
    "UDPipe-1.1-baseline": (61.70, 53.83),
    "Uppsala": (54.33, 45.63),
}

# Errors and words of the references by segment, of test3a.pra; channels in the order of the files.
SEGMENTS = {
    "2347-a": (
        [4, 6, 17, 2, 21, 5, 0, 7, 9, 13, 6, 6, 6, 6, 7, 13],
        [7, 19, 0, 6, 21, 17, 0, 21, 21, 19, 21, 21, 21, 17, 17, 22],
    ),
    "2347-b": (
        [9, 3, 7, 7, 13, 17, 8, 10, 6, 9, 18, 23, 14, 6, 24, 34, 18, 15, 14, 23],
        [14, 15, 17, 21, 28, 33, 37, 33, 33, 31, 40, 41, 37, 13, 41, 41, 37, 37, 37, 51],
    ),
    "3129-a": ([24, 26, 41, 29, 48], [35, 37, 41, 39, 36]),
    "3129-b": (
        [9, 15, 17, 12, 22, 23, 20, 23, 22, 20, 21, 18, 16, 23, 18, 12, 15],
        [28, 29, 35, 27, 43, 33, 37, 38, 37, 37, 39, 41, 33, 42, 37, 33, 28],
    ),
}
# In three places the released lvc_hyp.ctm has other words than the alignments of test3a.pra show: "yeah" has
# become "and we yeah", "there is" "there was", and "at home" "it home", cut off by the end of a segment.
OTHER_WORDS = {("2347-b", 7), ("2347-b", 8), ("3129-a", 0)}


@pytest.fixture
def wmt17(shared_data: Data) -> Evaluation:
    folder = shared_data("wmt17_en_de")
    paths = {name: folder / f"newstest2017.{name}.en-de.txt.gz" for name in BLEU}
    found = texts.read(paths, gold=folder / "ref.txt.gz").evaluation
    assert found is not None
    assert found.n_items == 3004
    return found


def test_bleu_of_wmt17_and_its_p_values(wmt17: Evaluation) -> None:
    result = compare(wmt17, metric=Bleu(tokenize="none"), baseline=BASELINE)
    scores = {score.system: score.score for score in result.systems}
    assert scores == pytest.approx(BLEU, abs=5e-7)
    for difference in result.differences:
        p_value = MULTEVAL[difference.a][0]
        # Two Monte Carlo errors of 10,000 trials each: beyond 4 of theirs once in 16,000 runs.
        assert abs(difference.p_value - p_value) < 4 * np.sqrt(2 * p_value * (1 - p_value) / 10_000)


@pytest.mark.slow
def test_ter_of_wmt17_and_its_p_values(wmt17: Evaluation) -> None:
    result = compare(wmt17, metric=Ter(), baseline=BASELINE)
    for difference in result.differences:
        p_value = MULTEVAL[difference.a][1]
        assert abs(difference.p_value - p_value) < 4 * np.sqrt(2 * p_value * (1 - p_value) / 10_000)


def test_bleu_of_compare_mt(shared_data: Data) -> None:
    """22.44 and 24.04 as published; their p-value is given nowhere."""
    folder = shared_data("compare_mt")
    paths = {name: folder / f"ted.{name}.eng.gz" for name in ("sys1", "sys2")}
    found = texts.read(paths, gold=folder / "ted.ref.eng.gz").evaluation
    assert found is not None
    assert found.n_items == 2445
    result = compare(found, metric=Bleu(tokenize="none"), n_resamples=100)
    scores = {score.system: round(score.score, 2) for score in result.systems}
    assert scores == {"sys1": 22.44, "sys2": 24.04}


def test_attachment_scores_of_conll17(shared_data: Data) -> None:
    folder = shared_data("conll17_hsb")
    paths = {name: folder / f"{name}.conllu.gz" for name in UAS_LAS}
    found = conllu_files.read(paths, gold=folder / "gold.conllu.gz")
    assert found.evaluation is not None
    assert found.evaluation.n_items == 599
    assert found.clusters == {}
    metrics = [Aligned("uas", "uas"), Aligned("las", "las")]
    result = compare(found.evaluation, metric=metrics, n_resamples=100)
    for place, metric in enumerate(("uas", "las")):
        scores = {s.system: round(100 * s.score, 2) for s in result.systems if s.metric == metric}
        assert scores == {name: values[place] for name, values in UAS_LAS.items()}


def test_word_error_rate_of_utterances(shared_data: Data) -> None:
    """SCTK test1.sys: 1406 words, word error rate 12.0 %, 74.5 % of the utterances with an error."""
    folder = shared_data("sctk_asr")
    heard, spoken = (folder / f"csrnab.{side}.trn" for side in ("hyp", "ref"))
    found = transcripts.read({"sclite": heard, "again": heard}, gold=spoken, clusters="speaker")
    assert found.evaluation is not None
    assert found.evaluation.clusters is not None
    assert sorted(set(found.evaluation.clusters.tolist())) == ["4t0", "4t1", "4t2"]
    result = compare(found.evaluation, metric=WordErrorRate(), n_resamples=100)
    assert {round(score.score, 4) for score in result.systems} == {0.1202}
    counts = edit_counts(found.evaluation.gold, found.evaluation.systems["sclite"])  # type: ignore[arg-type]
    assert counts[:, :3].sum() == 1406
    assert round(100 * np.mean(counts[:, 1:].sum(axis=1) > 0), 1) == 74.5


def test_errors_of_segments_cut_by_time(shared_data: Data) -> None:
    folder = shared_data("sctk_asr")
    heard = folder / "lvc_hyp.ctm"
    found = transcripts.read({"sclite": heard, "again": heard}, gold=folder / "lvc_refe.stm")
    assert found.evaluation is not None
    counts = edit_counts(found.evaluation.gold, found.evaluation.systems["sclite"])  # type: ignore[arg-type]
    places = [(who, place) for who, (errors, _) in SEGMENTS.items() for place in range(len(errors))]
    assert found.clusters["speaker"].tolist() == [who for who, _ in places]
    for row, (who, place) in zip(counts, places, strict=True):
        if (who, place) not in OTHER_WORDS:
            assert row[1:].sum() == SEGMENTS[who][0][place], (who, place)
    # Of readings with as many errors sclite may choose one with fewer words.
    errors, words = (sum(sum(table[column]) for table in SEGMENTS.values()) for column in (0, 1))
    assert (words, round(100 * errors / words, 1)) == (1672, 52.6)  # as test3a.lur has it
    assert words <= counts[:, :3].sum() <= words + 5
    assert counts[:, 1:].sum() == errors + 1 + 1 + 2  # one, one and two more in the places of other words
