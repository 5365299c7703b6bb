"""One order of names from many records that each hold some of them."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from itertools import pairwise


def merged_order(records: Iterable[Iterable[str]], places: Mapping[str, int] | None = None) -> list[str]:
    """Return all names in the order in which the records list them, whichever record lacks one.

    A one-sided question about pairs of systems stands in this order, which therefore must not change with the
    record that happens to come first. A name that a record lacks is placed by its neighbours in the others.
    Where fewer than nine of ten records agree on two neighbours, or none holds both, the alphabet decides.
    """
    distinct = Counter(tuple(record) for record in records)
    names = {name for record in distinct for name in record}
    times: Counter[tuple[str, str]] = Counter()
    for record, count in distinct.items():
        for pair in pairwise(record):
            times[pair] += count
    after: dict[str, list[str]] = {name: [] for name in names}
    waiting = dict.fromkeys(names, 0)
    for (first, second), count in times.items():
        # Nine of ten records must agree
        if count >= 0.9 * (count + times.get((second, first), 0)):
            after[first].append(second)
            waiting[second] += 1
    if places is None or any((second, first) in times for first, second in times):
        places = dict.fromkeys(names, 0)
    rank = {name: (places[name], name) for name in names}
    ready = [rank[name] for name in names if waiting[name] == 0]
    heapq.heapify(ready)
    ordered: dict[str, None] = {}
    while len(ordered) < len(names):
        if not ready:  # the records contradict each other in a circle: the first of the rest breaks it
            ready = [min(rank[name] for name in names if name not in ordered)]
        _, name = heapq.heappop(ready)
        if name in ordered:
            continue
        ordered[name] = None
        for follower in after[name]:
            waiting[follower] -= 1
            if waiting[follower] == 0 and follower not in ordered:
                heapq.heappush(ready, rank[follower])
    return list(ordered)


def order_in_groups(names: Iterable[str], groups: Iterable[Hashable]) -> list[str]:
    """Return the names in a long table in the order in which its groups of rows (items) list them."""
    members: dict[Hashable, dict[str, None]] = {}
    places: dict[str, int] = {}
    for name, group in zip(names, groups, strict=True):
        members.setdefault(group, {}).setdefault(name)
        places.setdefault(name, len(places))
    return merged_order(members.values(), places)
