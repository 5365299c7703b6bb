"""Answers to questions and problems: exact match and token F1 of SQuAD, and pass@k."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import ArrayLike, FloatArray
from bestby.data.evaluation import Evaluation
from bestby.metrics import _items
from bestby.metrics.base import MeanMetric, Names, Patterns
from bestby.metrics.texts import item_references, item_texts
from bestby.results.base import Note

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_NEVER_GIVEN = "\0"
"""What stands for a missing answer: wrong also where the empty answer is right, as in SQuAD."""

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def normalised(answer: str) -> str:
    """Return an answer in lower case, without punctuation, English articles and superfluous white space.

    Punctuation is that of ASCII and goes without leaving a space: "U.S." is "us", but 1.5 is 15 too
    (Rajpurkar et al. 2016, SQuAD, EMNLP, 2383-2392, section 6.1).
    """
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_NO_PUNCTUATION)).split())


def _golds(gold: Any, name: str, form: Callable[[str], str] = normalised) -> list[list[str]]:
    """Return the golds of each item in the form compared; those without a character count only if all are."""
    every = ([form(text) for text in texts] for texts in item_references(gold, name, empty=True))
    return [[text for text in texts if text] or [""] for texts in every]


def _lost_notes(metric: str, evaluation: Evaluation) -> list[Note]:
    """Return a note on golds of which normalisation leaves nothing; refuse them if all are such."""
    if evaluation.gold is None:
        return []
    gold = item_references(evaluation.gold, metric, empty=True)
    lost = [texts for texts in gold if "".join(texts).strip() and not any(map(normalised, texts))]
    drops = "normalisation drops punctuation and English articles"
    if lost and len(lost) == len(gold):
        raise DesignError(
            f"{metric} has nothing to compare with: {drops}, and leaves nothing of any gold, such as"
            f" {quoted(lost[0][0], 40)}",
            hint='metric="em_strict" compares answers as they are',
        )
    message = (
        f"{drops}, and leaves nothing of the gold of {len(lost)} of {len(gold)} items, such as"
        f" {quoted(lost[0][0] if lost else '', 40)}: there {metric} counts every answer of which it leaves"
        ' nothing as right; metric="em_strict" compares answers as they are'
    )
    return [Note("no_token", message, (metric,))] if lost else []


@dataclass(frozen=True, repr=False)
class ExactMatch(MeanMetric):
    """The proportion of answers that equal one of their golds, after normalisation or, if `strict`, exactly.

    An item is a text; its gold is a text or a list of texts; no gold, or none but empty ones, means that the
    question has no answer, and the empty prediction is right. As in SQuAD 2.0 (Rajpurkar, Jia & Liang 2018,
    ACL, 784-789), golds of which normalisation leaves nothing are passed over where another one is left;
    SQuAD 1.1 (Rajpurkar et al. 2016, EMNLP, 2383-2392) differs only there. Numbers, formulas and brackets
    lose their meaning in normalisation: -3.6 becomes 36. Use `strict` for them, which ignores only white
    space at the ends.

    >>> ExactMatch().values([["the Alps", "Alps"], []], ["Alps!", "Rome"])
    array([1., 0.])
    >>> ExactMatch("em_strict", strict=True).values(["Alps", "3.6"], ["Alps!", " 3.6"])
    array([0., 1.])
    """

    name: str = "em"
    strict: bool = False
    reads = "objects"
    empty = _NEVER_GIVEN
    bounds = (0.0, 1.0)
    binary = True

    def reading_notes(self, evaluation: Evaluation) -> list[Note]:
        """Return a note on golds of which normalisation leaves nothing; refuse them if all are such."""
        return [] if self.strict else _lost_notes(self.name, evaluation)

    def values(self, gold: Any, predictions: Any) -> FloatArray:
        """Return 1 where the answer is among the golds."""
        answers = item_texts(predictions, self.name)
        form = str.strip if self.strict else normalised
        pairs = zip(_golds(gold, self.name, form), answers, strict=True)
        return np.array([float(form(answer) in golds) for golds, answer in pairs])


class AnswerF1(MeanMetric):
    """The mean F1 of the words that an answer shares with its gold, the best of several golds.

    An item and its gold are as for `ExactMatch`. Where the answer or the gold has no word left after
    normalisation, the value is 1 if neither has and else 0, as in SQuAD 2.0 (in SQuAD 1.1 always 0).

    >>> AnswerF1().values([["the high Alps", "Italy"], []], ["in the Alps", ""])
    array([0.5, 1. ])
    """

    name = "qa_f1"
    reads = "objects"
    empty = _NEVER_GIVEN
    bounds = (0.0, 1.0)

    def reading_notes(self, evaluation: Evaluation) -> list[Note]:
        """Return a note on golds of which normalisation leaves nothing; refuse them if all are such."""
        return _lost_notes(self.name, evaluation)

    def values(self, gold: Any, predictions: Any) -> FloatArray:
        """Return the F1 of each answer."""
        answers = item_texts(predictions, self.name)
        pairs = zip(_golds(gold, self.name), answers, strict=True)
        return np.array([_best_f1(golds, normalised(answer).split()) for golds, answer in pairs])


def _best_f1(golds: Sequence[str], answer: list[str]) -> float:
    return max(_f1(gold.split(), answer) for gold in golds)


def _f1(gold: list[str], answer: list[str]) -> float:
    if not gold or not answer:
        return float(gold == answer)
    shared = (Counter(gold) & Counter(answer)).total()
    return 2.0 * shared / (len(gold) + len(answer))


@dataclass(frozen=True, repr=False)
class PassAtK(MeanMetric):
    """The mean probability that one of `k` samples solves a problem, or every one, from n of which c do.

    An item is a pair (n, c) of whole numbers, with n at least k; n may differ between problems. Pairs of 0
    and 1 that are not all of one sample are taken for the answers of two samples, and refused. There is no
    gold. Of files with several runs of 0 or 1, such as the trials of tau-bench or the epochs of Inspect, the
    pairs are counted when they are read. The value of an item is the unbiased estimate 1 - C(n - c, k) / C(n,
    k) (Chen et al. 2021, Evaluating large language models trained on code, arXiv:2107.03374, equation 1).
    With `every`, called pass^k, it is that of all k being right, C(c, k) / C(n, k) (Yao et al. 2024,
    tau-bench, arXiv:2406.12045, section 5). Resampling problems allows for the samples as well, because the
    spread of the values between problems holds that within them, which `variance_within` returns.

    >>> PassAtK("pass@2", 2).values(None, [(4, 0), (4, 2), (4, 3)])
    array([0.        , 0.83333333, 1.        ])
    >>> PassAtK("pass^2", 2, every=True).values(None, [(4, 0), (4, 2), (4, 3)])
    array([0.        , 0.16666667, 0.5       ])
    """

    name: str = "pass@1"
    k: int = 1
    every: bool = False
    reads = "objects"
    reads_trials = True
    bounds = (0.0, 1.0)
    needs_gold: ClassVar[bool] = False

    def values(self, gold: Any, predictions: Any) -> FloatArray:  # noqa: ARG002
        """Return the estimate of each problem."""
        samples, right = self.counts(predictions)
        if self.every:  # k right ones are k that are not wrong
            return 1.0 - _each_once(_chance, samples, samples - right, self.k)
        return _each_once(_chance, samples, right, self.k)

    def variance_within(self, predictions: Any) -> FloatArray:
        """Return the variance of each value that comes from drawing samples; see `within_variance`."""
        samples, right = self.counts(predictions)
        return within_variance(samples, samples - right if self.every else right, self.k)

    def counts(self, predictions: Any) -> tuple[FloatArray, FloatArray]:
        """Return the samples of each problem and how many of them are right; refuse other pairs."""
        files = "; files need several runs (trials, epochs) of 0 or 1 of each item"
        rows = _items.pairs(predictions, self.name, "samples, right ones", files)
        samples, right = rows.T
        named = all(isinstance(pair, _items.NamedPair) for pair in predictions)
        if not named and rows.max() <= 1.0 and samples.min() < 1.0:
            raise InvalidInputError(
                f"{self.name} reads pairs (samples, right ones), but all are of 0 and 1, such as"
                f" {quoted(predictions[0])}: are they the answers of two samples?",
                hint="for two samples give (2, sum(pair)); for one sample of each item give its answer, 0 or"
                ' 1, and metric="mean"',
            )
        wrong = np.flatnonzero(~_possible(samples, right) | (samples < self.k))
        if wrong.size:
            n, c = rows[wrong[0]].tolist()
            raise InvalidInputError(
                f"{self.name} needs whole numbers 0 <= right <= samples, and samples >= {self.k},"
                f" but item {wrong[0]} has {c:g} right of {n:g} samples",
                hint="items are counted from 0; k can be no greater than the fewest samples of a problem",
            )
        return samples, right


def within_variance(samples: ArrayLike, right: ArrayLike, k: int) -> FloatArray:
    """Estimate the variance of pass@k of each problem that comes from drawing its samples.

    It is never negative, for k = 1 the usual c/n (1 - c/n) / (n - 1), and NaN where there are fewer than 2k
    samples, from which no unbiased estimate exists.
    """
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise InvalidInputError(f"k must be a positive whole number, got {k!r}")
    n, c = np.asarray(samples, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if n.ndim != 1 or n.shape != c.shape or not _possible(n, c).all():
        raise InvalidInputError(
            "samples and right must be columns of whole numbers of the same length, 0 <= right <= samples"
        )
    return _each_once(_variance, n, c, int(k))


def _possible(samples: FloatArray, right: FloatArray) -> Any:
    whole = (samples == np.floor(samples)) & (right == np.floor(right))
    return whole & (right >= 0) & (right <= samples)


def _each_once(
    function: Callable[[int, int, int], float], samples: FloatArray, right: FloatArray, k: int
) -> FloatArray:
    """Call the function once for each distinct pair."""
    # A pair as one complex number, which sorts by samples, then right ones: NumPy sorts rows far more slowly.
    distinct, place = np.unique(samples + 1j * right, return_inverse=True)
    values = np.array([function(int(pair.real), int(pair.imag), k) for pair in distinct.tolist()])
    return values[place.reshape(-1)]


def _chance(n: int, c: int, k: int) -> float:
    """Return 1 - C(n - c, k) / C(n, k), equation 1 of Chen et al. (2021)."""
    # In whole numbers, so that no product of many factors near 1 loses digits.
    ways = math.comb(n, k)
    return (ways - math.comb(n - c, k)) / ways


def _variance(n: int, c: int, k: int) -> float:
    # With f = n - c wrong samples, U = C(f, k) / C(n, k) is an unbiased estimate of the probability q^k that
    # k samples are all wrong, and C(f, 2k) / C(n, 2k) is one of q^2k. So U^2 - C(f, 2k) / C(n, 2k) is an
    # unbiased estimate of the variance of U, and of 1 - U (Hoeffding 1948, Ann. Math. Statist. 19, 293-325,
    # on U-statistics). Over one denominator in whole numbers, as the two terms are nearly equal for many
    # samples.
    if n < 2 * k:
        return math.nan
    one, two = math.comb(n, k), math.comb(n, 2 * k)
    return (math.comb(n - c, k) ** 2 * two - math.comb(n - c, 2 * k) * one**2) / (one**2 * two)


def _pass_at(name: str, k: str) -> PassAtK:
    separator = name.removesuffix(k)[-1]
    if not re.fullmatch(r"[1-9][0-9]{0,5}", k):
        raise InvalidInputError(
            f"pass{separator}k needs a positive whole number for k, got {name!r}",
            hint=f"pass{separator}1, pass{separator}10",
        )
    return PassAtK(name, int(k), every=separator == "^")


NAMES: Names = {
    "em": ("exact match of answers after normalisation, as in SQuAD", ExactMatch),
    "em_strict": (
        "exact match of answers, save white space at the ends",
        lambda name: ExactMatch(name, strict=True),
    ),
    "qa_f1": ("F1 of the words of answers, as in SQuAD", lambda _: AnswerF1()),
}

PATTERNS: Patterns = {
    "pass": ("chance that one of k samples is right, from (samples, right ones)", _pass_at),
    "pass^": ("chance that all of k samples are right, from (samples, right ones)", _pass_at),
}

PART_EXAMPLE = "1"

SUGGESTIONS = {
    "exact_match": "em",
    "pass": "pass@1",
    "pass_at_k": "pass@1",
    "squad_f1": "qa_f1",
    "token_f1": "qa_f1",
}
