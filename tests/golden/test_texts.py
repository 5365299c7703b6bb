"""Published numbers: NIST's scoring of speech, worked examples, accuracies of released predictions."""

from __future__ import annotations

import csv
import json
import math
import re
from collections import defaultdict
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from bestby.metrics.answers import ExactMatch, PassAtK
from bestby.metrics.language import Perplexity
from bestby.metrics.recognition import WordErrorRate, edit_counts
from bestby.metrics.summarisation import Meteor, MeteorSettings, Rouge


def utterances(path):
    """Read lines of a .trn file: words, then the id in brackets."""
    matched = (
        re.fullmatch(r"(.*) \((\S+)\)", line) for line in path.read_text().splitlines() if line.strip()
    )
    return {match[2].lower(): match[1].lower() for match in matched}


def spelled_out(text):
    """Return every reading of a reference with ``{ one / other }``, where @ is silence."""
    parts = re.split(r"\{ (.*?) \}", text)
    choices = [part.split(" / ") if place % 2 else [part] for place, part in enumerate(parts)]
    return [" ".join(words).replace("@", " ") for words in product(*choices)]


@pytest.fixture
def csrnab(shared_data):
    """51 utterances of 3 speakers from the tests of NIST's SCTK, and sclite's counts of them."""
    folder = shared_data("sctk_asr")
    references, heard = (utterances(folder / f"csrnab.{side}.trn") for side in ("ref", "hyp"))
    with (folder / "csrnab_per_utterance.csv").open() as file:
        rows = {row["utt"]: [int(row[k]) for k in "CSDI"] for row in csv.DictReader(file)}
    gold = [spelled_out(references[utterance]) for utterance in rows]
    return gold, [heard[utterance] for utterance in rows], np.array(list(rows.values()), dtype=float)


def test_sclite(csrnab):
    """SCTK base/test1.sys: 1406 words, word error rate 12.0 %, 74.5 % of the utterances with an error."""
    gold, heard, published = csrnab
    counts = edit_counts(gold, heard)
    assert counts[:, :3].sum() == 1406
    assert float(WordErrorRate().score(WordErrorRate().statistics(gold, heard).sum(axis=0))) == pytest.approx(
        0.120199, abs=5e-7
    )
    assert round(100 * np.mean(counts[:, 1:].sum(axis=1) > 0), 1) == 74.5
    # Errors and words agree everywhere; sclite makes another alignment of as many errors of one utterance.
    np.testing.assert_array_equal(counts[:, 1:].sum(axis=1), published[:, 1:].sum(axis=1))
    np.testing.assert_array_equal(counts[:, :3].sum(axis=1), published[:, :3].sum(axis=1))
    single = np.array([len(readings) == 1 for readings in gold])
    assert single.sum() == 45
    np.testing.assert_array_equal(counts[single], published[single])
    assert (counts != published).any(axis=1).sum() == 1


def test_lin_2004():
    """ROUGE: section 3.1, police and gunman; section 3.2, two lines against one."""
    reference = "police killed the gunman"
    texts = ["police kill the gunman", "the gunman kill police", "the gunman police killed"]
    np.testing.assert_allclose(Rouge("rougeL").values([reference] * 3, texts), [3 / 4, 2 / 4, 2 / 4])
    np.testing.assert_allclose(Rouge("rouge2").values([reference] * 2, texts[:2]), [1 / 3, 1 / 3])
    union = Rouge("rougeLsum").values(["w1 w2 w3 w4 w5"], ["w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5"])
    recall, precision = 4 / 5, 4 / 10
    np.testing.assert_allclose(union, [2 * recall * precision / (recall + precision)])


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ("on the mat sat the cat", 0.5),
        ("the cat sat on the mat", 0.9977),
        ("the cat was sat on the mat", 0.9654),
    ],
)
def test_meteor_of_the_cat(text, published):
    """The examples of Wikipedia's article on METEOR that nltk's how-to reproduces; they need no synonyms."""
    metric = Meteor(settings=MeteorSettings(str.split, SimpleNamespace(synsets=lambda _: [])))
    assert metric.values(["the cat sat on the mat"], [text])[0] == pytest.approx(published, abs=5e-5)


def test_perplexity_of_digits():
    """Jurafsky and Martin, Speech and Language Processing, on perplexity: ten equal digits have 10."""
    metric = Perplexity()
    rows = metric.statistics(None, [(n * math.log(0.1), n) for n in (3, 5, 11)])
    assert metric.score(rows.sum(axis=0)) == pytest.approx(10.0, rel=1e-12)


@pytest.mark.parametrize(
    ("system", "accuracy"),
    [
        ("6b_finetuning", 0.216831),
        ("6b_verification", 0.390447),
        ("175b_finetuning", 0.347233),
        ("175b_verification", 0.562547),
    ],
)
def test_gsm8k(shared_data, system, accuracy):
    """Cobbe et al. (2021): final answers, right or wrong as released with the predictions.

    Commas between thousands go with the punctuation, as they should. So do signs and decimal points, as they
    should not: of answers with one, only the strict comparison is used.
    """
    with (shared_data("gsm8k2021") / "gsm8k_4systems.csv").open() as file:
        rows = list(csv.DictReader(file))
    gold, answers = [row["gold"] for row in rows], [row[f"{system}_pred"] for row in rows]
    plain = ExactMatch().values(gold, answers)
    strict = ExactMatch("em_strict", strict=True).values(gold, answers)
    values = np.where([re.search(r"[-.]", answer) is not None for answer in answers], strict, plain)
    np.testing.assert_array_equal(values, [float(row[f"{system}_correct"]) for row in rows])
    assert values.mean() == pytest.approx(accuracy, abs=5e-7)


def test_big_bench_hard(shared_data):
    """Suzgun et al. (2022), code-davinci-002: the accuracies in the authors' repository, exact match."""
    folder = shared_data("bbh_codex")
    published = json.loads((folder / "published_eval_metrics.json").read_text())
    tasks = defaultdict(list)
    with (folder / "bbh_direct_vs_cot.csv").open() as file:
        for row in csv.DictReader(file):
            tasks[row["task"]].append(row)
    del tasks["word_sorting"]  # whose long answers are cut in the data
    assert len(tasks) == 26
    metric = ExactMatch("em_strict", strict=True)
    for task, rows in tasks.items():
        for kind, reported in zip(("direct", "cot"), published[task], strict=True):
            values = metric.values([row["gold"] for row in rows], [row[f"{kind}_pred"] for row in rows])
            assert 100 * values.mean() == pytest.approx(reported["accuracy"], abs=1e-9), (task, kind)


def test_live_code_bench(shared_data):
    """LiveCodeBench, self-repair: pass@1 in per cent of 10 samples (or 1); the leaderboard shows the mean."""
    with (shared_data("lcb_selfrepair") / "pass_at_1_percent.csv").open() as file:
        rows = list(csv.DictReader(file))
    models = list(rows[0])[4:]
    assert (len(rows), len(models)) == (713, 17)
    for model in models:
        per_cent = np.array([int(row[model]) for row in rows])
        n = 1 if "(N=1)" in model else 10
        metric = PassAtK()
        scores = metric.statistics(None, [(n, right) for right in per_cent * n // 100])
        assert metric.score(scores.sum(axis=0)) == pytest.approx(per_cent.mean() / 100, abs=1e-12)
