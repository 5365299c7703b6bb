"""Samples that a tool scored: which of their scores is compared, and the logs that this makes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.typing import OnMissing
from bestby.data.roles import listed
from bestby.metrics.regression import Mean
from bestby.readers.formats._documents import check_new
from bestby.readers.formats._logs import (
    Log,
    chosen_by_task,
    gathered,
    in_words,
    mean_of_runs,
    named_apart,
    names_by_task,
)
from bestby.readers.formats.base import Read, check_available


@dataclass(frozen=True)
class Sample:
    """What one system did on one item in one run.

    `scores` are by name; None is a score that could not be computed. `content` tells whether two systems saw
    the same item, and `groups` has the group of the item by the name of the grouping.
    """

    where: str
    item: str
    scores: Mapping[str, float | None]
    run: int = 0
    content: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Scored:
    """The samples of one system on one dataset, which a file holds.

    `system` is the name that the file tells, and `other` the one to use where two files tell the same.
    """

    source: str
    system: str | None
    other: str
    dataset: str
    samples: Sequence[Sample]

    @property
    def names(self) -> dict[str, None]:
        """The names of the scores, in order."""
        return {name: None for sample in self.samples for name in sample.scores}


def compared(
    scored: Sequence[Scored],
    tool: str,
    *,
    wanted: str | Mapping[str, str] | None,
    main: str | None = None,
    aside: frozenset[str] = frozenset(),
    falling: frozenset[str] = frozenset(),
    what: str = "score",
    on_missing: OnMissing,
    clusters: str | None = None,
) -> Read:
    """Bring the samples together by one score: the one wanted, else `main`, else the only one that all have.

    Each dataset has its own, which `wanted` may name, too. Those that are `aside` are compared only if
    wanted. `falling` are the scores of which lower values are better; `what` is the tool's word for a score.
    """
    systems = named_apart(
        [(one.other, one.dataset, one.system) for one in scored], [one.source for one in scored]
    )

    def choose(ours: Sequence[Scored], name: str | None) -> tuple[str, list[str]]:
        return _chosen(ours, name, main, aside, what)

    datasets = [one.dataset for one in scored]
    chosen = chosen_by_task(scored, datasets, lambda one: one.names, choose, wanted, what)
    logs = [log_of(one, system, chosen[one.dataset][0]) for one, system in zip(scored, systems, strict=True)]
    names = {dataset: name for dataset, (name, _) in chosen.items()}
    known = dict.fromkeys(name for _, shared in chosen.values() for name in shared)
    others = [name for name in known if name not in names.values()]
    description = f"{tool}; {in_words(what, names.values())}"
    description += f" (also in the files: {listed(others)})" if others else ""
    means = {dataset: Mean(name, greater_is_better=name not in falling) for dataset, name in names.items()}
    names_of = names_by_task(scored, datasets, lambda one: one.names)
    return gathered(logs, means, description, on_missing=on_missing, cluster=clusters, names=names_of)


def _chosen(
    scored: Sequence[Scored], wanted: str | None, main: str | None, aside: frozenset[str], what: str
) -> tuple[str, list[str]]:
    """Return the score of a dataset, and all that its files share."""
    own = [[name for name in one.names if wanted is not None or name not in aside] for one in scored]
    for one, names in zip(scored, own, strict=True):
        if not names:
            raise InvalidInputError(
                f"{one.source}: no sample has a {what}", hint="run the evaluation to its end, with scores"
            )
        if wanted is not None:
            check_available(wanted, one.names, what, one.source)
    first = scored[0]
    shared = [name for name in first.names if all(name in one.names for one in scored)]
    candidates = [name for name in shared if name in own[0]]
    only = candidates[0] if len(candidates) == 1 else None
    name = wanted or (main if main in shared else only)
    if name is not None:
        return name, shared
    if candidates:
        raise InvalidInputError(
            f"{first.source}: which {what}? the files have: {listed(shared)}",
            hint="name it: value_column=...",
        )
    place = next(place for place, names in enumerate(own) if not set(names) >= set(own[0]))
    raise InvalidInputError(
        f"the files share no {what}: {listed(own[0])} in {first.source},"
        f" {listed(own[place])} in {scored[place].source}",
        hint=f"score them with the same {what}",
    )


def log_of(one: Scored, system: str, name: str) -> Log:
    """Return the log of a system by one score; items and runs must be there once."""
    runs: dict[int, dict[str, float]] = {}
    groups: dict[str, dict[str, str]] = {}
    contents: dict[str, str] = {}
    places: dict[Any, str] = {}
    several = len({sample.run for sample in one.samples}) > 1
    for sample in one.samples:
        what = f"item {sample.item!r}" + (f" of run {sample.run}" if several else "")
        check_new(places, (sample.run, sample.item), sample.where, what, "keep one record per item and run")
        values = runs.setdefault(sample.run, {})
        value = sample.scores.get(name)
        values[sample.item] = math.nan if value is None else value
        if sample.content is not None:
            contents[sample.item] = sample.content
        for key, label in sample.groups.items():
            groups.setdefault(key, {})[sample.item] = label
    ordered = tuple(runs[run] for run in sorted(runs))
    return Log(system, one.dataset, one.source, mean_of_runs(ordered), None, ordered, groups, contents)
