"""Exact match, token F1 and pass@k: tables of cases."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bestby import compare
from bestby._core.errors import InvalidInputError
from bestby.metrics import resolve
from bestby.metrics.answers import NAMES, PATTERNS, AnswerF1, ExactMatch, PassAtK, normalised, within_variance


@pytest.mark.parametrize(
    ("answer", "form"),
    [
        ("The Beatles", "beatles"),
        ("  a\tthe  an ", ""),
        ("theatre", "theatre"),
        ("U.S.", "us"),
        ("well-known", "wellknown"),
        ("A.", ""),
        ("“quoted”", "“quoted”"),  # punctuation beyond ASCII stays
        ("ÉCOLE", "école"),
        ("", ""),
    ],
)
def test_normalisation(answer, form):
    assert normalised(answer) == form


CASES = [
    # golds, answer, em, em_strict, qa_f1
    ("Denver Broncos", "denver broncos", 1, 0, 1.0),
    (["Denver Broncos", "Broncos"], "The Broncos", 1, 0, 1.0),
    ("a b c d", "c d e f", 0, 0, 4 / 7),  # "a" is an article: two of three and of four words
    ("x x y", "x z", 0, 0, 2 / 5),
    (["x y", "x z w"], "x w", 0, 0, 0.8),
    ([], "", 1, 1, 1.0),
    ([], "the", 1, 0, 1.0),
    ([], "x", 0, 0, 0.0),
    ("", "x", 0, 0, 0.0),
    ("x", "", 0, 0, 0.0),
    (["the", "cat"], "a", 0, 0, 0.0),  # a gold that normalises to nothing is passed over beside another
    ("3.6", "36", 1, 0, 1.0),
    ("3.6", " 3.6\n", 1, 1, 1.0),
]


@pytest.mark.parametrize(("golds", "answer", "em", "strict", "f1"), CASES)
def test_cases(golds, answer, em, strict, f1):
    assert ExactMatch().values([golds], [answer]) == [em]
    assert NAMES["em_strict"][1]("em_strict").values([golds], [answer]) == [strict]
    assert AnswerF1().values([golds], [answer]) == pytest.approx(f1, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_answer_is_wrong_even_where_there_is_none(name):
    """As the official scripts of SQuAD have it; the empty text is right there."""
    gold = {"q1": ["x"], "q2": [], "q3": ["y"]}
    systems = {"a": {"q1": "x", "q2": "", "q3": "y"}, "b": {"q3": "y"}}
    result = compare(systems, gold, metric=name, on_missing="worst", n_resamples=50)
    assert {entry.system: entry.score for entry in result.systems} == pytest.approx({"a": 1.0, "b": 1 / 3})


def test_pass_at_k_by_name():
    metric = PATTERNS["pass"][1]("pass@10", "10")
    assert (metric.name, metric.k, metric.needs_gold, metric.reads) == ("pass@10", 10, False, "objects")
    assert (metric.greater_is_better, metric.bounds, metric.binary) == (True, (0.0, 1.0), False)
    np.testing.assert_array_equal(metric.values(None, [(10, 0), (10, 1), (20, 20)]), [0.0, 1.0, 1.0])


def test_many_samples_lose_no_digits():
    """1 - C(n - 1, k)/C(n, k) is k/n; floats would overflow, sums of logarithms lose digits."""
    assert PassAtK("pass@100", 100).values(None, [(100_000, 1)])[0] == pytest.approx(1e-3, rel=1e-14)


def test_no_variance_from_too_few_samples():
    np.testing.assert_array_equal(np.isnan(within_variance([9, 10], [3, 3], 5)), [True, False])


@pytest.mark.parametrize(
    ("n", "c", "k", "message"),
    [
        ([3], [4], 1, "0 <= right <= samples"),
        ([3.5], [1], 1, "whole numbers"),
        ([3, 3], [1], 1, "of the same length"),
        ([3], [1], 0, "k must be a positive whole number, got 0"),
        ([3], [1], True, "k must be a positive whole number, got True"),
        ([3], [1], 1.0, "k must be a positive whole number, got 1.0"),
    ],
)
def test_variance_of_what_is_no_count(n, c, k, message):
    with pytest.raises(InvalidInputError, match=message):
        within_variance(n, c, k)


@pytest.mark.parametrize(("n", "c", "k"), [(4, 0, 2), (4, 3, 2), (5, 5, 3), (6, 2, 1), (5, 2, 3)])
def test_pass_hat_k_is_the_share_of_draws_that_are_all_right(n: int, c: int, k: int) -> None:
    draws = list(itertools.combinations([True] * c + [False] * (n - c), k))
    metric = PATTERNS["pass^"][1](f"pass^{k}", str(k))
    assert metric.values(None, [(n, c)])[0] == pytest.approx(sum(map(all, draws)) / len(draws))
    at = PATTERNS["pass"][1](f"pass@{k}", str(k))
    assert at.values(None, [(n, c)])[0] == pytest.approx(sum(map(any, draws)) / len(draws))
    assert metric.variance_within([(n, c)]) == pytest.approx(at.variance_within([(n, n - c)]), nan_ok=True)


def test_pass_hat_k_by_name() -> None:
    assert (resolve("pass^3").name, resolve("pass^3").k, resolve("pass^3").every) == ("pass^3", 3, True)
    with pytest.raises(InvalidInputError, match=r"pass\^k needs a positive whole number for k"):
        resolve("pass^0")
    with pytest.raises(InvalidInputError, match=r"there is no metric 'ece\^3'"):
        resolve("ece^3")
