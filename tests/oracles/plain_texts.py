"""Metrics of texts in plain loops, from their papers; no package code, none of the libraries behind it."""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Sequence
from fractions import Fraction


def edit_distance(spoken: Sequence[str], heard: Sequence[str]) -> int:
    """Levenshtein's distance by the table of all prefixes."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(spoken, 1):
        last, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            last, row[j] = row[j], min(last + (word != other), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def word_error_rate(references: Sequence[str], texts: Sequence[str]) -> float:
    pairs = [(reference.split(), text.split()) for reference, text in zip(references, texts, strict=True)]
    return sum(edit_distance(*pair) for pair in pairs) / sum(len(reference) for reference, _ in pairs)


def squad_words(answer: str) -> list[str]:
    letters = "".join(letter for letter in answer.lower() if letter not in string.punctuation)
    return [word for word in letters.split() if word not in ("a", "an", "the")]


def squad_golds(golds: Sequence[str]) -> list[list[str]]:
    return [words for words in map(squad_words, golds) if words] or [[]]


def squad_em(golds: Sequence[str], answer: str) -> float:
    return float(squad_words(answer) in squad_golds(golds))


def squad_f1(golds: Sequence[str], answer: str) -> float:
    return max(word_f1(gold, squad_words(answer)) for gold in squad_golds(golds))


def word_f1(gold: list[str], answer: list[str]) -> float:
    if not gold and not answer:
        return 1.0
    left, shared = list(gold), 0
    for word in answer:
        if word in left:
            left.remove(word)
            shared += 1
    if not shared:
        return 0.0
    precision, recall = shared / len(answer), shared / len(gold)
    return 2 * precision * recall / (precision + recall)


def pass_at_k(samples: int, right: int, k: int) -> Fraction:
    """The part of all sets of k samples that hold a right one."""
    sets = list(itertools.combinations(range(samples), k))
    return Fraction(sum(any(sample < right for sample in drawn) for drawn in sets), len(sets))


def binomial(n: int, c: int, p: Fraction) -> Fraction:
    return math.comb(n, c) * p**c * (1 - p) ** (n - c)


def rouge_n(reference: str, text: str, n: int) -> float:
    """F-measure of ROUGE-N (Lin 2004, equation 1, with precision beside recall)."""
    sides = [
        [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
        for words in (reference.split(), text.split())
    ]
    return word_f1(*sides) if all(sides) else 0.0  # type: ignore[arg-type]


def rouge_l(reference: str, text: str) -> float:
    """F-measure of ROUGE-L (Lin 2004, equations 2 to 4 with beta 1), by trying every subsequence."""
    spoken, heard = reference.split(), text.split()
    for length in range(len(heard), 0, -1):
        for places in itertools.combinations(range(len(heard)), length):
            if _is_subsequence([heard[place] for place in places], spoken):
                return 2 * length / (len(spoken) + len(heard))
    return 0.0


def _is_subsequence(part: Sequence[str], whole: Sequence[str]) -> bool:
    rest = iter(whole)
    return all(word in rest for word in part)


def meteor(matches: int, chunks: int, predicted: int, expected: int) -> float:
    """Banerjee and Lavie (2005), section 2.2: 10 P R / (R + 9 P), less a half of (chunks / matches) cubed."""
    if not matches:
        return 0.0
    precision, recall = matches / predicted, matches / expected
    mean = 10 * precision * recall / (recall + 9 * precision)
    return mean * (1 - 0.5 * (chunks / matches) ** 3)
