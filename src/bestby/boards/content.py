"""What the pages of a board show, as plain records: made from gold and submissions, drawn by the site.

All scores and differences are on the scale of the metric. Nothing here holds an item, a label or a score that
the settings keep private: what is not in these records cannot be published.
"""

from __future__ import annotations

from dataclasses import dataclass

from bestby.boards.settings import Phase, Settings
from bestby.questions.frontier.result import Frontier
from bestby.questions.runs.result import RunsComparison
from bestby.questions.slices.result import SlicesComparison
from bestby.report.comparison import Comparison
from bestby.results.base import MetricInfo
from bestby.results.values import Interval, extent


@dataclass(frozen=True, slots=True)
class Gap:
    """The difference of a system minus another one, with an interval that holds for all of the table at once.

    `p_adjusted` is that of the pair among all pairs of the table; `winner` is the system with the better
    score if the two differ significantly.
    """

    other: str
    estimate: float
    interval: Interval | None
    p_adjusted: float | None
    verdict: str | None
    significant: bool | None = None
    winner: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of a table: a system ("team/system"), its score and its set of ranks.

    `to_best` is None for the best system itself, `to_baseline` without a baseline. `submission` is the number
    of the line of the record that its predictions are from, `n_submissions` how often the team submitted it.
    `may_be_best`, `behind` and `n_items` are as for a `SystemScore`.
    """

    system: str
    submission: int
    n_submissions: int
    score: float
    interval: Interval | None
    rank_low: int
    rank_high: int
    group: str | None
    to_best: Gap | None
    to_baseline: Gap | None
    may_be_best: bool | None = None
    behind: float | None = None
    n_items: int | None = None

    @property
    def could_be_first(self) -> bool:
        """Whether nothing shows that another system is better."""
        return self.rank_low == 1 if self.may_be_best is None else self.may_be_best


@dataclass(frozen=True, slots=True)
class Best:
    """The best score, and what it would probably be without the luck of having been chosen among many.

    `optimism` is by how much the score of a winner exceeds its true score on average, by `method`; `interval`
    is that of its true score, and allows for the choice.
    """

    system: str
    score: float
    corrected: float
    optimism: float
    method: str
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The systems of a phase by one metric of one task, the best first.

    `n_established` of `n_pairs` pairs are significant after correction. `detectable` is the smallest
    difference that the items can show of the leading two with power 0.8, None if not known; `next_step` says
    so in words. `comparison` is there if the settings publish the differences of all pairs.
    """

    task: str
    metric: MetricInfo
    phase: str
    n_items: int
    n_clusters: int
    level: float
    baseline: str | None
    margin: float | None
    standings: tuple[Standing, ...]
    n_established: int
    n_pairs: int
    detectable: float | None
    next_step: str
    best: Best | None
    notes: tuple[str, ...]
    methods: str
    signature: str
    slices: SlicesComparison | None = None
    runs: RunsComparison | None = None
    comparison: Comparison | None = None
    frontier: Frontier | None = None

    @property
    def in_pairs(self) -> bool:
        """Whether systems lack items, so that every two are compared on those that both have."""
        return any(one.n_items is not None for one in self.standings)

    @property
    def extent(self) -> str:
        """What it rests on, in words."""
        return extent(self.n_items, self.n_clusters)


@dataclass(frozen=True, slots=True)
class OverallStanding:
    """A system over all tasks: its mean score, its set of ranks, the mean difference to the best system.

    `n_better` and `n_worse` are the numbers of tasks in which it is established that it is better or worse
    than the best system, corrected for the number of tasks. `may_be_best` and `behind` are as for `Standing`.
    """

    system: str
    mean: float
    rank_low: int
    rank_high: int
    to_best: Gap | None
    to_baseline: Gap | None
    n_better: int
    n_worse: int
    may_be_best: bool | None = None
    behind: float | None = None

    @property
    def could_be_first(self) -> bool:
        """Whether nothing shows that another system is better."""
        return self.rank_low == 1 if self.may_be_best is None else self.may_be_best


@dataclass(frozen=True, slots=True)
class Overall:
    """The systems of a phase that have predictions for every task, by the first metric of each task."""

    phase: str
    tasks: tuple[str, ...]
    standings: tuple[OverallStanding, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class ItemsAgainst:
    """The ids of the items on which a system and another one, the best or the baseline, differ."""

    system: str
    task: str
    metric: str
    against: str
    won: tuple[str, ...]
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A submission as the site lists it.

    `shown` is whether the tables of its phase show it, `why_not` otherwise says why: "replaced", "withdrawn",
    "not yet" (before the end of the phase) or "no phase" (the settings have no such phase any more). A hidden
    name is empty.
    """

    submission: int
    time: str
    team: str
    system: str
    run: str
    phase: str
    paper: str
    code: str
    shown: bool
    why_not: str


@dataclass(frozen=True, slots=True)
class PhaseContent:
    """The tables of a phase: one per task and metric, and over the tasks if there are several.

    Of its `settings`, which are public, the end may be another: that of the line by which it ended.
    `state` is "coming", "open" or "over". A phase that is not `visible` has no tables. `items` is empty
    unless the settings publish them.
    """

    settings: Phase
    end: str | None
    state: str
    visible: bool
    tables: tuple[Table, ...]
    overall: Overall | None
    items: tuple[ItemsAgainst, ...] = ()

    @property
    def name(self) -> str:
        """Its name."""
        return self.settings.name


@dataclass(frozen=True, slots=True)
class VersionContent:
    """The results by one version of the gold; `reason` says why it was corrected."""

    version: int
    since: str
    reason: str
    phases: tuple[PhaseContent, ...]


@dataclass(frozen=True, slots=True)
class BoardContent:
    """Everything that a site shows; the first of `versions` is the one in force.

    `record_head` is the hash of the last line of the record that is no publication, so that publishing again
    changes nothing.
    """

    settings: Settings
    as_of: str
    record_head: str
    versions: tuple[VersionContent, ...]
    entries: tuple[Entry, ...]
