"""A piece of work for bestby and its rivals, and what its data are made into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.rivals import Rival

Rivals = dict[str, Callable[[], Rival]]


@dataclass(frozen=True, eq=False)
class Work:
    """What a job's data are made into.

    Parameters
    ----------
    ours : callable
        Calls bestby and returns its answer: the ends of an interval, or a p-value.
    rivals : dict
        What makes each rival, by tool.
    """

    ours: Callable[[], Any]
    rivals: Rivals


@dataclass(frozen=True, eq=False)
class Job:
    """One piece of work.

    Parameters
    ----------
    name : str
        What is asked, and of how many items.
    make : callable
        Draws the data.
    tools : list of str
        The rivals that have the job.
    n_resamples : int
        B, for those that resample.
    asked : int
        How many times the time of bestby a seed tool should take.
    quick : bool
        Whether `--quick` does it.
    at_most : float, optional
        The CPU seconds that bestby may take.
    """

    name: str
    make: Callable[[], Work]
    tools: list[str]
    n_resamples: int = 10_000
    asked: int = 100
    quick: bool = False
    at_most: float | None = None
