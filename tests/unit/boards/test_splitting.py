"""The split of a gold: about the share, by clusters, in every stratum, repeated by its seed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from bestby.boards.gold import TaskGold, split
from bestby.errors import InvalidInputError


def gold_of(n: int, labels: str = "xxxy", size: int = 1) -> TaskGold:
    """Return a gold in clusters of a size, whose labels follow a pattern."""
    return TaskGold(
        {
            "id": [f"q{place}" for place in range(n)],
            "gold": [labels[place % len(labels)] for place in range(n)],
            "author": [f"a{place // size}" for place in range(n)],
            "domain": ["news" if place < n // 4 else "web" for place in range(n)],
        }
    )


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(5))
def test_every_label_has_its_share(share: float, seed: int) -> None:
    gold = split(gold_of(400), share, seed)
    private = Counter(
        label
        for label, part in zip(gold.labels or (), gold.columns["part"], strict=True)
        if part == "private"
    )
    assert abs(private["x"] - share * 300) <= 1
    assert abs(private["y"] - share * 100) <= 1


@pytest.mark.parametrize("seed", range(5))
def test_strata_take_the_place_of_labels(seed: int) -> None:
    gold = split(gold_of(400), 0.25, seed, strata="domain")
    private = Counter(np.array(gold.columns["domain"])[gold.in_part("private")].tolist())
    assert abs(private["news"] - 25) <= 1
    assert abs(private["web"] - 75) <= 1


@pytest.mark.parametrize("seed", range(5))
def test_clusters_stay_whole(seed: int) -> None:
    gold = split(gold_of(400, size=7), 0.5, seed, clusters="author")
    parts: dict[str, set[str]] = {}
    for author, part in zip(gold.columns["author"], gold.columns["part"], strict=True):
        parts.setdefault(author, set()).add(part)
    assert {len(own) for own in parts.values()} == {1}
    assert abs(int(gold.in_part("private").sum()) - 200) <= 7


def test_the_seed_repeats_the_split_and_another_makes_another() -> None:
    first, again, other = (split(gold_of(100), 0.5, seed).columns["part"] for seed in (1, 1, 2))
    assert first == again != other


def test_without_a_seed_every_split_is_another() -> None:
    assert split(gold_of(100), 0.5, None).columns["part"] != split(gold_of(100), 0.5, None).columns["part"]


def test_every_item_is_private_as_often() -> None:
    n, rounds = 20, 2000
    counts = sum(split(gold_of(n, "xy"), 0.3, seed).in_part("private").astype(int) for seed in range(rounds))
    # A binomial with p = 0.3: 5 standard errors would be exceeded by chance once in 10^5 runs of 20 items.
    assert np.abs(counts / rounds - 0.3).max() < 5.0 * np.sqrt(0.21 / rounds)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, float("nan"), 2.0])
def test_a_share_must_be_one(share: float) -> None:
    with pytest.raises(InvalidInputError, match="private_share must be above 0 and below 1"):
        split(gold_of(10), share, 0)


def test_a_part_without_items_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="one of the two parts has no item"):
        split(gold_of(10, size=10), 0.5, 0, clusters="author")
