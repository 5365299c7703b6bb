"""The note on other samples of the same items: its numbers, and where there is none."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from bestby import compare
from bestby.metrics.answers import PassAtK
from bestby.metrics.base import MeanMetric
from bestby.metrics.regression import Mean
from bestby.results.base import Note

N = 10
RNG = np.random.default_rng(5)
CHANCES = RNG.beta(0.6, 0.6, 80)
SYSTEMS = {
    name: [(n, int(c)) for c in RNG.binomial(n, CHANCES**power)]
    for name, power, n in (("a", 1.0, N), ("b", 1.4, N), ("c", 0.7, 4))
}


def note_of(
    systems: dict[str, list[tuple[int, int]]], metric: object = "pass@1", **options: object
) -> Note | None:
    result = compare(systems, metric=metric, n_resamples=100, **options)  # type: ignore[arg-type]
    return next((note for note in result.notes if note.code == "within_items"), None)


def numbers(note: Note | None) -> list[float]:
    assert note is not None
    return [float(x) for x in re.findall(r"\d\.\d+", note.message)]


def test_both_standard_errors_of_a_difference() -> None:
    """By hand: the spread of the differences, and p(1 - p)/(N - 1) summed over both systems."""
    rates = {name: np.array([c / n for n, c in SYSTEMS[name]]) for name in "ab"}
    new = np.std(rates["a"] - rates["b"], ddof=1) / math.sqrt(80)
    same = math.sqrt(sum(float((p * (1 - p) / (N - 1)).sum()) for p in rates.values())) / 80
    note = note_of({name: SYSTEMS[name] for name in "ab"})
    assert numbers(note) == [float(f"{new:.2g}"), float(f"{same:.2g}")]
    assert note is not None
    assert note.about == ("pass@1",)
    assert "for other items with other samples of each" in note.message


def test_of_several_pairs_the_least_and_the_greatest() -> None:
    pairs = [numbers(note_of({name: SYSTEMS[name] for name in pair})) for pair in ("ab", "ac", "bc")]
    low_new, high_new, low_same, high_same = numbers(note_of(SYSTEMS))
    assert (low_new, high_new) == (min(p[0] for p in pairs), max(p[0] for p in pairs))
    assert (low_same, high_same) == (min(p[1] for p in pairs), max(p[1] for p in pairs))


def test_clusters_count_for_other_items_only() -> None:
    two = {name: SYSTEMS[name] for name in "ab"}
    clusters = np.argsort(np.argsort([c for _, c in SYSTEMS["a"]])) // 8  # alike in a cluster
    plain, clustered = numbers(note_of(two)), numbers(note_of(two, clusters=clusters))
    assert clustered[0] != plain[0]
    assert clustered[1] == plain[1]


def test_too_few_samples_are_named() -> None:
    systems = {**SYSTEMS, "greedy": [(1, int(c > 5)) for _, c in SYSTEMS["a"]]}
    note = note_of(systems)
    assert note is not None
    assert note.message.endswith(
        "some items have too few samples to show what other samples would change: greedy"
    )
    assert len(numbers(note)) == 4
    of_four = note_of(SYSTEMS, "pass@4")
    assert of_four is not None
    assert of_four.message.endswith(": c")
    of_six = note_of({name: SYSTEMS[name] for name in "ab"}, "pass@6")
    assert of_six is not None
    assert of_six.message == "some items have too few samples to show what other samples would change: a, b"


def test_no_note_where_items_are_no_samples() -> None:
    scores = {"a": [0.1, 0.5, 0.7] * 10, "b": [0.2, 0.4, 0.9] * 10}
    assert note_of(scores, None) is None  # type: ignore[arg-type]
    assert Mean().variance_within(np.array([1.0, 2.0])) is None


def test_any_mean_can_tell() -> None:
    """A score that is the mean of m judgements of the item, with their number and spread."""

    class Judged(MeanMetric):
        name = "judged"
        reads = "objects"
        needs_gold = False

        def values(self, gold: object, predictions: np.ndarray) -> np.ndarray:  # noqa: ARG002
            return np.array([mean for mean, _, _ in predictions])

        def variance_within(self, predictions: np.ndarray) -> np.ndarray:
            return np.array([variance / m for _, variance, m in predictions])

    systems = {"a": [(3.0, 0.5, 4), (4.0, 0.5, 4)] * 20, "b": [(2.0, 0.5, 4), (5.0, 0.5, 4)] * 20}
    assert numbers(note_of(systems, Judged()))[1] == pytest.approx(math.sqrt(2 * 0.125 / 40), abs=0.0005)  # type: ignore[arg-type]


def test_a_system_that_is_always_right_has_no_spread() -> None:
    systems = {"a": [(N, N)] * 40, "b": [(N, 0), (N, N)] * 20}
    assert numbers(note_of(systems))[:1] != []
    note = note_of(systems)
    assert note is not None
    assert "and 0 for other samples of these items alone" in note.message
    np.testing.assert_array_equal(PassAtK().variance_within(systems["b"]), np.zeros(40))
