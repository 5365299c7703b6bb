"""An order of items that is not random is noticed, and a random one is not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.questions.monitor.order import order_note, rank_correlation


def noted_order(items: Iterable[tuple[Any, Any]]) -> str | None:
    """Return what a monitor notes of the order of items and their clusters, and what `order` does."""
    monitor = bb.Monitor(["a", "b"], bounds=(0, 1))
    for place, (item, cluster) in enumerate(items):
        monitor.add(item, {"a": place % 2, "b": 0}, cluster=cluster)
    notes = [note for note in monitor.result().notes if note.code.startswith("order_of")]
    assert notes == [note for note in [monitor.order] if note is not None]
    return notes[0].code if notes else None


def nearly(n: int) -> list[int]:
    """Return numbers as answers arrive that were asked for in order, eight at a time."""
    waits = np.random.default_rng(2).exponential(8.0, n)
    return np.argsort(np.arange(n) + waits).tolist()


SUBJECTS = ["biology", "maths", "art", "law"]  # in no order of their names
SHUFFLED = np.random.default_rng(1).permutation(60).tolist()


@pytest.mark.parametrize(
    ("items", "code"),
    [
        ([(f"q{i}", None) for i in range(30)], "order_of_ids"),
        ([(i, None) for i in range(30)], "order_of_ids"),
        ([(f"q{i}", None) for i in range(30)][::-1], "order_of_ids"),
        ([(f"q{i}", None) for i in nearly(200)], "order_of_ids"),
        ([(f"q{i}", None) for i in range(19)], None),
        ([(f"q{i}", None) for i in SHUFFLED], None),
        # The items of a document together, the documents in random order: without clusters, and with them.
        ([(f"doc{d}-q{i}", None) for d in SHUFFLED[:30] for i in (2, 1, 3)], "order_of_groups"),
        ([(f"doc{d}-q{i}", f"doc{d}") for d in SHUFFLED[:30] for i in (2, 1, 3)], None),
        # The documents in their order, told by the clusters or by the items that they begin with.
        ([((31 * d + i) * 7919 % 10007, d) for d in range(30) for i in range(3)], "order_of_ids"),
        ([(f"q{3 * d + i}", f"{d * 7919 % 10007}") for d in range(30) for i in range(3)], "order_of_ids"),
        ([(f"{one}/{i}", None) for one in SUBJECTS for i in SHUFFLED[:20]], "order_of_groups"),
        ([(f"{one[-1]}{i}", f"{one}/{i}") for one in SUBJECTS for i in SHUFFLED], "order_of_groups"),
        ([(f"{SUBJECTS[i % 4]}/{i}", None) for i in SHUFFLED], None),
    ],
)
def test_an_order_that_is_not_random_is_noticed(items: list[tuple[Any, Any]], code: str | None) -> None:
    assert noted_order(items) == code


def test_random_orders_are_not_noted() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = int(rng.integers(20, 60))
        names = [f"{SUBJECTS[i % 4]}/{i}" for i in rng.permutation(n).tolist()]
        assert order_note(names, [None] * n) is None
        hexadecimal = [bytes(one).hex() for one in rng.integers(0, 256, (n, 8)).tolist()]
        assert order_note(hexadecimal, [None] * n) is None


PARTS = ["a", "b", "ab", "a-", "A", "é", "/", "0", "1", "01", "9", "10", "٣", "²", "\n", " "]


def parts_of(name: str) -> list[tuple[str, int]]:
    """Return the texts and the numbers of which a name is made."""
    return [(words, int(digits or 0)) for words, digits in re.findall(r"(\D*)(\d*)", name)]


def test_numbers_in_ids_count_as_numbers() -> None:
    rng = np.random.default_rng(4)
    for _ in range(2000):
        names = ["".join(rng.choice(PARTS, rng.integers(1, 6))) for _ in range(8)]
        ranks = np.empty(8)
        ranks[sorted(range(8), key=[parts_of(name) for name in names].__getitem__)] = np.arange(8)
        gaps = ranks - np.arange(8)
        assert rank_correlation(names) == 1.0 - 6.0 * float(gaps @ gaps) / (8 * 63.0), names


def test_a_number_may_have_thousands_of_digits() -> None:
    assert noted_order((f"q{'9' * 4500}{i}", None) for i in range(30)) == "order_of_ids"
