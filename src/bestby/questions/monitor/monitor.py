"""`Monitor`: items come one by one, and at any moment it says what may be concluded."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import counted, quoted
from bestby._core.typing import BoolArray, FloatArray
from bestby.data.evaluation import Evaluation
from bestby.questions.monitor import planned_looks
from bestby.questions.monitor import settings as monitor_settings
from bestby.questions.monitor.confidence_sequences import asymptotic_radius
from bestby.questions.monitor.evidence import (
    Claim,
    Ends,
    Pairs,
    Sums,
    exact_ends,
    interval,
    overturned_by,
)
from bestby.questions.monitor.items import Collected, look_counts, order_note, reached
from bestby.questions.monitor.result import (
    Decision,
    MonitoredComparison,
    MonitoredDifference,
    MonitoredSystem,
    MonitorLook,
)
from bestby.questions.monitor.settings import FEW_FOR_ASYMPTOTICS, PROVISIONAL, Settings, checked_settings
from bestby.results.base import Note, provenance_of
from bestby.results.values import Interval
from bestby.vocabulary import FigureFont, FigureWidth, MonitorMethod, MonitorPopulation


@with_suggestions
class Monitor:
    """Compare systems while their items are being scored, and stop when enough is known.

    Every item of an evaluation costs a call of a model. A monitor takes the scores item by item and says at
    any moment what may be concluded. Its intervals are confidence sequences: with probability `level` they
    hold the true difference at every look, so one may look after each item and stop at any of them. An
    ordinary interval or test that is looked at again and again finds differences that are not there. The
    items must come in random order.

    Parameters
    ----------
    systems : sequence of str
        The names of the systems. The decision is about the first one.
    bounds : tuple of float or None
        The least and the greatest score that an item can have. None if there are none: then only the
        asymptotic sequence is available, which is not valid with few items, nor where losses are rarer and
        larger than any so far: `largest` helps.
    greater_is_better : bool
        The direction of the scores.
    n_items : int, optional
        The number of items of the benchmark, or how many can be paid for. Needed for ``population="bank"``.
    population : {"bank", "wider"}
        What the question is about. "bank": the mean over the `n_items` of this benchmark, of which the items
        are drawn without replacement; the interval closes to a point at the last one. "wider": the items are
        a sample of more. By default "bank" if `n_items` is given, else "wider".
    largest_cluster : int, optional
        The most items that any cluster has. Without it the largest so far takes its place, which makes the
        intervals approximate.
    method : str
        The confidence sequence. "betting" is the shortest for scores between bounds, valid from the first
        item on; "normal-mixture" needs sums alone and is much longer; "asymptotic" needs no bounds.
    level : float
        The level of all statements together: all looks, all pairs of systems.
    margin : float, optional
        The smallest difference that matters. With it systems can be shown to be equivalent.
    looks : int or sequence of int, optional
        Looks that are planned: so many, at equal distances up to `n_items`, or the numbers of items; items
        count at them only. Intervals are shorter, and approximate: a note says where in doubt. `method` is
        then "obrien-fleming", "pocock", "spending-obrien-fleming" ("auto") or "spending-pocock".
    largest : float, optional
        Of scores without bounds, the largest difference that two systems can have on one item. Without it the
        largest so far takes its place: it cannot allow for a loss that has not happened, and the result says
        with each decision how large a single one would overturn it.

    See Also
    --------
    compare : For a number of items that was fixed before.
    sample_size : How many items a comparison of a fixed size needs.

    Notes
    -----
    The capital of a bettor who stakes on a difference above m, in which m is the truth, is more than 1 /
    alpha at any time with probability alpha at most [1]_. The interval holds the differences against which
    nobody has won so much. For items without replacement the mean of those that are left is bet on [2]_. For
    scores of 0 and 1 the capital against no difference changes only at items on which the systems differ, as
    McNemar's test does. Several systems share the error, each pair alike.

    "better" means better by more than the margin, if there is one. "equivalent" follows from two one-sided
    statements. "futile" is said where no value of the present interval would lead to a decision with the
    items that are left; it adds no error.

    References
    ----------
    .. [1] Waudby-Smith & Ramdas (2024), Estimating means of bounded random variables by betting, J. R.
       Statist. Soc. B 86, 1-27.
    .. [2] Waudby-Smith & Ramdas (2020), Confidence sequences for sampling without replacement, NeurIPS 33.

    Examples
    --------
    >>> import bestby as bb
    >>> monitor = bb.Monitor(["new", "old"], bounds=(0, 1), n_items=2000)
    >>> for item in range(400):
    ...     _ = monitor.add(f"q{item * 7 % 400}", {"new": 1, "old": int(item % 5 > 0)})
    ...     if monitor.decision is not None:
    ...         break
    >>> monitor.decision, monitor.n_items
    ('better', 36)
    """

    def __init__(
        self,
        systems: Sequence[str],
        *,
        bounds: tuple[float, float] | None,
        greater_is_better: bool = True,
        n_items: int | None = None,
        population: MonitorPopulation | None = None,
        largest_cluster: int | None = None,
        method: MonitorMethod = "auto",
        level: float = 0.95,
        margin: float | None = None,
        looks: int | Sequence[int] | None = None,
        largest: float | None = None,
    ) -> None:
        usual: MonitorPopulation = "wider" if n_items is None else "bank"
        question = usual if population is None else population
        self._start(checked_settings(
            systems, bounds, greater_is_better, n_items, question, largest_cluster, method, level, margin,
            looks, largest,
        ))  # fmt: skip

    def _start(self, settings: Settings) -> None:
        names, others = settings.systems, range(1, len(settings.systems))
        self._settings = settings
        self._collected = Collected(settings)
        self._first = Pairs(settings, [(0, other) for other in others], hypotheses(settings))
        every = [(a, b) for a in range(len(names)) for b in range(a + 1, len(names))]
        self._every = Pairs(settings, every, (0.0,)) if len(names) > 2 else None
        self._state = State()
        self._looked = 0
        self._looks: list[int] = []
        self._journal: monitor_settings.Journal | None = None
        self._notes: list[Note] = []

    def __repr__(self) -> str:
        """Return one line: the systems and the number of items."""
        return f"<Monitor: {', '.join(self.systems)}; {counted(self.n_items, 'item')}>"

    # -- items -----------------------------------------------------------------------------------------

    def add(self, item: str | int, scores: Mapping[str, float], *, cluster: str | int | None = None) -> bool:
        """Add the scores of an item, and tell whether it is a new one.

        An item that was added before with the same scores changes nothing, so that a log may be read again
        from its start. Nothing is computed but the checks; `decision` and `interval` look at what was added.

        Parameters
        ----------
        item : str or int
            The id of the item.
        scores : mapping of str to float
            The score of each system. Those of systems that can no longer be first may be left out.
        cluster : str or int, optional
            The cluster of the item, such as its document. Clusters are counted whole: the items of one follow
            one another, and count when the next one begins, or after `close_cluster`.

        Raises
        ------
        InvalidInputError
            If the item was added before with another score; if a score is missing or out of bounds, or a
            cluster comes back; or if there are more items than announced. The monitor is as it was.
        """
        entry = self._collected.checked(item, scores, cluster, self.running)
        if entry is None:
            return False
        if self._journal is not None:
            self._journal.add(monitor_settings.item_line(self.systems, *entry))
        self._collected.put(entry)
        return True

    def close_cluster(self) -> None:
        """Count the last cluster, of which no more items come."""
        if self._collected.n_closed < len(self._collected):
            if self._journal is not None:
                self._journal.add({"close": True})
            self._collected.close()

    @property
    def n_items(self) -> int:
        """How many items were added so far."""
        return len(self._collected)

    @property
    def n_counted(self) -> int:
        """How many items the last look counted; without a look yet, 0."""
        return self._collected.ends[self._looked - 1] if self._looked else 0

    @property
    def items(self) -> tuple[str | int, ...]:
        """The ids of the items that were added, in their order."""
        return tuple(self._collected.items)

    @property
    def order(self) -> Note | None:
        """A note if the ids of the items or clusters tell that their order is not random, as it must be."""
        return order_note(self._collected.items, self._collected.clusters)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self._settings.systems

    @property
    def settings(self) -> dict[str, Any]:
        """What the monitor was asked for, by the names of its arguments; "auto" as what it stands for."""
        return self._settings.as_dict()

    @property
    def running(self) -> tuple[str, ...]:
        """The systems that can still be first, as of the last look; the others need no more calls."""
        return tuple(name for name in self.systems if name not in self._state.behind)

    # -- looks -----------------------------------------------------------------------------------------

    @property
    def decision(self) -> Decision | None:
        """What was decided of the first system, now or at an earlier look; None while it is open."""
        self._look()
        return self.decided

    @property
    def decided(self) -> Decision | None:
        """The decision of the looks so far; unlike `decision` this looks at nothing new."""
        return self._state.decision[0] if self._state.decision else None

    @property
    def interval(self) -> Interval | None:
        """The interval of the first system minus the second, valid at every look; None with too few items."""
        self._look()
        return _narrowed_interval(self._first, 0, partial(exact_ends, self._first, self._collected))

    @property
    def pairs(self) -> tuple[MonitoredDifference, ...]:
        """The first system against each other one, as of now; `result` says more and takes longer."""
        self._look()
        return _differences(
            self._first, self._collected, self._state, partial(exact_ends, self._first, self._collected)
        )

    def result(self) -> MonitoredComparison:
        """Return all that can be said at this moment, as a record that does not change any more."""
        self._look()
        return _record(self._collected, self._first, self._state, len(self._looks), self._notes)

    def plot(
        self, *, width: FigureWidth | float | None = None, font: FigureFont | None = None, ax: Any = None
    ) -> Any:
        """Draw how the difference of the first two systems developed; as `MonitoredComparison.plot`."""
        return self.result().plot(width=width, font=font, ax=ax)

    def _look(self) -> None:
        """Take the new units into account, by planned looks or at once, and decide what can be decided."""
        if self._settings.looks is None and len(self._collected.ends) > self._looked:
            self._look_once()
        while self._collected.reach_look():
            self._look_once()

    def _look_once(self) -> None:
        if self._journal is not None:
            self._journal.add({"look": len(self._collected.ends)})
        self._first.look(self._collected, self._looked)
        if self._every is not None:
            self._every.look(self._collected, self._looked)
        self._looked = len(self._collected.ends)
        self._looks.append(self._looked)
        self._decide()

    def _decide(self) -> None:
        names, n, state = self._settings.systems, self._collected.n_counted, self._state
        for place, other in enumerate(names[1:]):
            if other not in state.decisions:
                decision = pair_decision(self._first, place)
                if decision is not None:
                    state.decisions[other] = decision, n
        decisions = {other: state.decisions.get(other, (None,))[0] for other in names[1:]}
        drops: dict[str, str] = {}
        if self._every is not None:
            drops = new_drops(self._every, names, state.behind)
            state.behind |= drops
        decision = first_decision(names[0], decisions, state.behind)
        if decision is not None and state.decision is None:
            state.decision = decision, n
        if decision == "worse" and self._every is not None and names[0] not in state.behind:
            drops[names[0]] = next(other for other in names[1:] if decisions[other] == "worse")
            state.behind |= drops
        if drops and self._every is not None:
            state.dropped_at |= dict.fromkeys(drops, self._looked)
            places = [names.index(name) for name in drops]
            self._first.freeze(places)
            self._every.freeze(places)

    # -- files -----------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the monitor to a file, and from now on every item that is added, too.

        The file takes the place of what was there. After a crash, `Monitor.resume` continues from it.

        Parameters
        ----------
        path : str or Path
            Where to write it: JSON Lines, of which each item is a line.

        Raises
        ------
        BestbyError
            If the file cannot be written.
        """
        target = checks.valid_path(path, "monitor.save('monitor.jsonl')")
        self._journal = monitor_settings.Journal.written(target, self._settings, self._lines())

    def _lines(self) -> Iterator[dict[str, Any]]:
        """Yield what happened so far, in its order."""
        c, looks = self._collected, set(self._looks)
        n_units = 0
        for place, item in enumerate(c.items):
            yield monitor_settings.item_line(self.systems, item, c.scores[place].tolist(), c.clusters[place])
            if n_units < len(c.closed) and c.closed[n_units] == place + 1:
                n_units += 1
                if c.clustered:
                    yield {"close": True}
                if n_units in looks:
                    yield {"look": n_units}

    @classmethod
    def resume(cls, path: str | Path) -> Monitor:
        """Return a monitor as it was when its file was last written, which goes on writing to it.

        Parameters
        ----------
        path : str or Path
            A file that `save` has written.

        Raises
        ------
        InvalidInputError
            If it is not such a file, or if it was changed.

        Examples
        --------
        >>> import tempfile, bestby as bb
        >>> path = tempfile.mkdtemp() + "/monitor.jsonl"
        >>> monitor = bb.Monitor(["a", "b"], bounds=(0, 1))
        >>> monitor.save(path)
        >>> monitor.add("q1", {"a": 1, "b": 0})
        True
        >>> again = bb.Monitor.resume(path)
        >>> again.add("q1", {"a": 1, "b": 0}), again.n_items
        (False, 1)
        """
        monitor, size, torn = cls._restored(path)
        monitor._journal = monitor_settings.Journal.resumed(path, size, torn=torn)
        return monitor

    @classmethod
    def _restored(cls, path: str | Path) -> tuple[Monitor, int, bool]:
        """Return the monitor in a file, the size of its whole lines, and whether one is torn."""
        settings, lines, size, torn = monitor_settings.read_state(path)
        monitor = cls.__new__(cls)
        try:
            monitor._start(checked_settings(**settings))
            for line in lines:
                monitor._replay(line)
        except (TypeError, KeyError, AttributeError, InvalidInputError) as error:
            raise InvalidInputError(
                f"{quoted(str(path))} was changed since it was saved: {getattr(error, 'message', error)}",
                hint="resume a copy of the file as Monitor.save has written it",
            ) from error
        if torn:
            monitor._notes.append(TORN)
        return monitor, size, torn

    def _replay(self, line: dict[str, Any]) -> None:
        if "look" in line:
            self._look()
        elif "close" in line:
            self.close_cluster()
        else:
            self.add(line["item"], line["scores"], cluster=line.get("cluster"))

    def to_evaluation(self) -> Evaluation:
        """Return the items that were counted, for `compare`; its result then says that they were monitored.

        Systems that were dropped are left out, as they were not scored on all items.
        """
        self._look()
        c, n = self._collected, self._collected.n_counted
        columns = [place for place, name in enumerate(self._settings.systems) if name in self.running]
        return _evaluation(c, columns, n, self._state.decision)


def evaluation_in(path: str | Path) -> Evaluation:
    """Return the items in the file of a monitor, which is only read."""
    return Monitor._restored(path)[0].to_evaluation()


# -- decisions, from what was shown of each pair -------------------------------------------------------------


@dataclass(slots=True)
class State:
    """What was decided at the looks so far, each decision with the number of items that it was made at.

    `decisions` are those of the first system against each other one, `decision` is that against all. `behind`
    names a better system for each that can no longer be first; `dropped_at` is how many units had been
    counted then.
    """

    decisions: dict[str, tuple[Decision, int]] = field(default_factory=dict)
    decision: tuple[Decision, int] | None = None
    behind: dict[str, str] = field(default_factory=dict)
    dropped_at: dict[str, int] = field(default_factory=dict)


def hypotheses(settings: Settings) -> tuple[float, ...]:
    """Return the differences that decisions are about."""
    return (0.0,) if settings.margin is None else (-settings.margin, 0.0, settings.margin)


def pair_decision(pairs: Pairs, place: int) -> Decision | None:
    """Return what was decided of the first system of a pair against the second; None while it is open."""
    s, means = pairs.settings, pairs.means.tolist()
    conclusions: tuple[Decision, ...] = ("better", "worse", "equivalent")
    for decision in conclusions[: 2 if s.margin is None else 3]:
        if all(
            pairs.shown(side, means.index(mean), error)[place] for side, mean, error in claims(s, decision)
        ):
            return decision
    if not pairs.active[place]:
        return None
    if _complete(pairs):
        return _at_the_end(pairs, place)
    return "futile" if _hopeless(pairs, place) else None


def claims(s: Settings, decision: Decision) -> tuple[Claim, ...]:
    """Return what must be shown of a difference for a decision about it."""
    margin = s.margin or 0.0
    if decision == "equivalent":
        return (0, -margin, s.alpha), (1, margin, s.alpha)
    above = (decision == "better") == s.greater_is_better
    return ((0, margin, s.alpha / 2.0) if above else (1, -margin, s.alpha / 2.0),)


def _complete(pairs: Pairs) -> bool:
    """Return whether all items were counted, or those of the last planned look."""
    looks = pairs.settings.looks
    return round(pairs.sums.s) == pairs.settings.n_items or (looks is not None and pairs.sums.s >= looks[-1])


def _at_the_end(pairs: Pairs, place: int) -> Decision:
    """Return the decision when no item is left; of a benchmark the difference itself is known then."""
    s, estimate = pairs.settings, float(pairs.sums.mean[place])
    if s.population == "wider" or round(pairs.sums.s) != s.n_items:
        return "futile"
    margin = s.margin or 0.0
    if abs(estimate) <= margin or rounding.level(abs(estimate), margin, max(abs(estimate), margin, 1e-9)):
        return "futile" if s.margin is None else "equivalent"
    return "better" if (estimate > 0.0) == s.greater_is_better else "worse"


def _hopeless(pairs: Pairs, place: int) -> bool:
    """Return whether no decision can be expected from the items that are left.

    Whatever value of the present interval the truth has, the interval at the last item would not decide. The
    lengths are those of the asymptotic sequence, the shortest, or of the last planned look. This rule only
    stops, and adds no error.
    """
    s, sums = pairs.settings, pairs.sums
    # The number of units below which nothing is called futile
    few = FEW_FOR_ASYMPTOTICS if s.bounds is None and s.looks is None else 30
    if s.population == "bank" or s.n_items is None or sums.n_units < few:
        return False
    n, last = sums.n_units, sums.n_units * s.n_items / sums.s
    spread = float(planned_looks.spread(s, n, sums.deviation)[place])
    estimate, margin = float(sums.mean[place]), s.margin or 0.0
    reach, final = (spread * one for one in _lengths(pairs, s.alpha, last))
    _, final_tost = (spread * one for one in _lengths(pairs, 2.0 * s.alpha, last))
    nearest = min(max(0.0, estimate - reach), estimate + reach)
    for truth in (estimate - reach, estimate + reach, nearest):
        end = (n * estimate + (last - n) * truth) / last
        if abs(end) - final > margin or (s.margin is not None and abs(end) + final_tost < margin):
            return False
    return True


def _lengths(pairs: Pairs, alpha: float, last: float) -> tuple[float, float]:
    """Return the half-lengths of the intervals now and at the end, in standard deviations of a unit."""
    s, n = pairs.settings, pairs.sums.n_units
    if s.looks is None:
        return asymptotic_radius(n, alpha, n), asymptotic_radius(last, alpha, last)
    here, there = planned_looks.multiples(s, n, alpha, pairs.counts)
    return here / math.sqrt(n), there / math.sqrt(last)


def first_decision(
    first: str, decisions: Mapping[str, Decision | None], behind: Mapping[str, str]
) -> Decision | None:
    """Return the decision of the first system against all others, from those of its pairs.

    `behind` names of each system that can no longer be first one that is better. What is decided against the
    better one holds against it, too; if that is the first system, the first is at least as good.
    """

    def against(other: str) -> Decision | None:
        if decisions[other] is not None or other not in behind:
            return decisions[other]
        return "equivalent" if behind[other] == first else against(behind[other])

    pairwise = [against(other) for other in decisions]
    if "worse" in pairwise:
        return "worse"
    if None in pairwise:
        return None
    if all(one == "better" for one in pairwise):
        return "better"
    return "futile" if "futile" in pairwise else "equivalent"


def new_drops(pairs: Pairs, systems: Sequence[str], behind: Mapping[str, str]) -> dict[str, str]:
    """Return the systems that are now significantly worse than another one, and that one.

    The first system is never dropped by this: the decision is about it. `pairs` are all pairs of systems,
    with 0 as their only hypothesis.
    """
    s = pairs.settings
    above, below = (pairs.shown(side, 0, s.alpha / 2.0) for side in (0, 1))
    mean = pairs.sums.mean
    drops: dict[str, str] = {}
    for (a, b), up, down, ahead in zip(pairs.pairs, above, below, mean, strict=True):
        if not (up or down) or systems[a] in behind or systems[b] in behind:
            continue
        # By the means of this look, so that no circle arises where the evidence of several looks disagrees.
        better, worse = (a, b) if (ahead > 0.0) == s.greater_is_better else (b, a)
        if worse != 0 and systems[worse] not in drops:
            drops[systems[worse]] = systems[better]
    return drops


# -- the record of one moment --------------------------------------------------------------------------------


EndsFinder = Callable[[int, float], Ends]
"""Finds the interval of a pair, by its place, at a level alpha, whatever earlier looks have shown."""


def _record(
    collected: Collected, first: Pairs, state: State, n_looks: int, notes: Sequence[Note]
) -> MonitoredComparison:
    """Return the record of a monitor."""
    s, c = collected.settings, collected
    n_units, n = len(c.ends), c.n_counted
    find_ends = cache(partial(exact_ends, first, c))
    digest = hashlib.blake2b(c.scores.tobytes() + repr(c.items).encode(), digest_size=8).hexdigest()
    settings = {key: value for key, value in s.as_dict().items() if key != "systems"}
    extent = {"items": n, "clusters": n_units if c.clustered else 0, "systems": list(s.systems)}
    pairs = _differences(first, c, state, find_ends)
    return MonitoredComparison(
        systems=tuple(_system(c, place, name, state) for place, name in enumerate(s.systems)),
        pairs=pairs,
        path=tuple(_path(first, c)),
        decision=None if state.decision is None else state.decision[0],
        decided_at=None if state.decision is None else state.decision[1],
        n_items=n,
        n_clusters=n_units if c.clustered else 0,
        n_looks=n_looks,
        n_available=s.n_items,
        looks=s.looks,
        population=s.population,
        method=s.method,
        bounds=s.bounds,
        greater_is_better=s.greater_is_better,
        level=s.level,
        margin=s.margin,
        notes=(*notes, *_notes(c, first), *_contradictions(first, find_ends), *_provisional(pairs)),
        provenance=provenance_of(settings, extent, data_hash=digest),
        largest=s.largest,
    )


def _system(c: Collected, place: int, name: str, state: State) -> MonitoredSystem:
    n_units = state.dropped_at.get(name, len(c.ends))
    n = c.ends[n_units - 1] if n_units else 0
    score = float(c.scores[:n, place].mean()) if n else math.nan
    return MonitoredSystem(name, score, n, state.behind.get(name))


def _differences(
    first: Pairs, c: Collected, state: State, find_ends: EndsFinder
) -> tuple[MonitoredDifference, ...]:
    """Return the first system against each other one."""
    return tuple(_difference(first, place, c, state, find_ends) for place in range(len(first.pairs)))


def _difference(
    first: Pairs, place: int, c: Collected, state: State, find_ends: EndsFinder
) -> MonitoredDifference:
    s, (a, b) = c.settings, first.pairs[place]
    n_units = int(first.n_units[place])
    n = c.ends[n_units - 1] if n_units else 0
    gaps = c.scores[:n, a] - c.scores[:n, b]
    ahead = gaps if s.greater_is_better else -gaps
    decision, at = state.decisions.get(s.systems[b], (None, None))
    size, largest = (
        (None, 0.0) if decision is None or at is None else _overturned_by(first, place, c, decision, at)
    )
    return MonitoredDifference(
        a=s.systems[a],
        b=s.systems[b],
        estimate=float(gaps.mean()) if n else math.nan,
        interval=_narrowed_interval(first, place, find_ends),
        equivalence_interval=None
        if s.margin is None
        else _narrowed_interval(first, place, find_ends, one_sided=True),
        n_items=n,
        n_clusters=n_units if c.clustered else 0,
        p_value=_p_value(first, place),
        wins=int((ahead > 0.0).sum()),
        losses=int((ahead < 0.0).sum()),
        decision=decision,
        decided_at=at,
        overturned_by=size,
        provisional=size is not None and s.largest is None and size < PROVISIONAL * largest,
        greater_is_better=s.greater_is_better,
    )


def _narrowed_interval(
    pairs: Pairs, place: int, find_ends: EndsFinder, *, one_sided: bool = False
) -> Interval | None:
    """Return the interval of a pair without what earlier looks have excluded; None if it has no end."""
    s = pairs.settings
    alpha = (2.0 if one_sided else 1.0) * s.alpha
    low, high = find_ends(place, alpha)
    for which, mean in enumerate(pairs.means.tolist()):
        if low < mean <= high and pairs.shown(0, which, alpha / 2.0)[place]:
            low = mean
        if low <= mean < high and pairs.shown(1, which, alpha / 2.0)[place]:
            high = mean
    if math.isinf(low) or math.isinf(high):
        return None
    return Interval(low, high, 1.0 - alpha, s.method, s.method != "asymptotic")


def _overturned_by(
    first: Pairs, place: int, c: Collected, decision: Decision, at: int
) -> tuple[float | None, float]:
    """Return which single difference would overturn a decision, and the largest deviation so far.

    Any look may show it, as the intervals of all looks hold at once: that of the decision, or the present.
    """
    s, n_units = c.settings, int(first.n_units[place])
    looks = {bisect_left(c.ends, at) + 1, n_units}
    whole = s.n_population is not None and c.n_counted == s.n_population
    if s.bounds is not None or decision == "futile" or whole:
        return None, 0.0
    units = [c.pair(*first.pairs[place], one) for one in sorted(looks)]
    sums, statements = [Sums.of(one) for one in units], claims(s, decision)
    sizes = [
        overturned_by(one, s, statements, look_counts(s, part)) for one, part in zip(sums, units, strict=True)
    ]
    return max(sizes), float(sums[-1].largest[0])


def _p_value(first: Pairs, place: int) -> float | None:
    if first.settings.method != "betting":
        return None
    zero = int(np.flatnonzero(first.means == 0.0)[0])
    share = first.settings.alpha / (1.0 - first.settings.level)
    return min(1.0, 2.0 * math.exp(-float(first.peak[:, zero, place].max())) / share)


def _path(first: Pairs, c: Collected) -> Iterator[MonitorLook]:
    """Yield how the first pair developed, at numbers of units in geometric steps."""
    n_units = int(first.n_units[0])
    if not n_units:
        return
    units, s = c.pair(*first.pairs[0], n_units), c.settings
    for n in _steps(c, n_units):
        part = units.part(0, n)
        total = float((part.values[:, 0] * part.sizes).sum())
        size = int(part.sizes.sum())
        # An end to 1e-4 is enough for a line in a figure
        yield MonitorLook(size, total / size, *interval(part, s, s.alpha, 1e-4))


def _steps(c: Collected, n_units: int) -> list[int]:
    """Return numbers of units for a path: in geometric steps, or those at the planned looks."""
    if c.settings.looks is None:
        # How many looks the path of a figure has
        steps = np.geomspace(min(5, n_units), n_units, 40)
        return sorted({round(step) for step in steps.tolist()})
    counts = reached(c.settings.looks, c.ends[:n_units])
    return [bisect_left(c.ends, count) + 1 for count in counts]


# -- what must be known to read it ---------------------------------------------------------------------------


TORN = Note(
    "torn_line",
    "the last line of the file was cut off, as by a crash, and left out: its item was not counted and can be"
    " added again",
)


def _notes(c: Collected, first: Pairs) -> Iterator[Note]:
    s = c.settings
    order = order_note(c.items, c.clusters)
    if order is not None:
        yield order
    sums = _sums(c, first) if s.bounds is None and s.largest is None else []
    if s.method == "asymptotic":
        yield _asymptotic(s, sums)
    if s.file_format == 1 and s.bounds is None:
        yield Note(
            "begun_before",
            "this monitor was begun by version 0.2.0 and goes on by its rules, whose intervals of scores"
            " without bounds are too short where losses are rare and large; a new monitor with the same items"
            " allows for them",
        )
    if c.clustered and (s.largest_cluster is None or s.method != "betting"):
        yield Note(
            "approximate_clusters",
            "the size of the largest cluster was not given, so that the interval is only approximate"
            if s.method == "betting"
            else "clusters are counted by their totals, with an interval that is only approximate",
        )
    if any(one.constant[0] for one in sums):
        yield Note(
            "constant_differences",
            "two systems differ by the same amount on all items, which does not show how far differences can"
            " vary: there is no interval of them; give the largest difference that is possible (largest=...)",
        )
    if s.looks is not None:
        means, _ = c.units(0, len(c.ends), range(len(s.systems)))
        yield from _look_notes(s, means, c.ends, len(c))
    elif len(c) > c.n_counted:
        yield Note(
            "open_cluster",
            f"{len(c) - c.n_counted} items of the last cluster are not counted yet: they are when the next"
            " one begins, or after close_cluster()",
        )


def _sums(c: Collected, first: Pairs) -> list[Sums]:
    """Return the sums of each pair over the units that were counted of it."""
    counted = zip(first.pairs, first.n_units.tolist(), strict=True)
    return [Sums.of(c.pair(*pair, n_units)) for pair, n_units in counted if n_units]


def _asymptotic(s: Settings, sums: Sequence[Sums]) -> Note:
    """Return what must be known of a sequence for scores without bounds; the sums are of its differences."""
    needed = float(FEW_FOR_ASYMPTOTICS)
    if s.file_format > 1:
        needed = max([needed, *(float(one.units_needed[0]) for one in sums)])
    rare = (
        f"it allows for differences of up to {s.largest_difference:g}"
        if s.largest_difference is not None
        else "it cannot allow for losses that are rarer and larger than any so far: give the largest"
        " difference that is possible (largest=...)"
    )
    return Note(
        "asymptotic_sequence",
        "the asymptotic interval is only valid with many items: of the first"
        f" {math.ceil(needed)} nothing is concluded; {rare}",
    )


def _look_notes(settings: Settings, means: FloatArray, ends: Sequence[int], n_items: int) -> Iterator[Note]:
    """Yield what must be known of planned looks.

    `means` (units, systems) are the scores that count, `ends` the numbers of items at the end of each unit,
    `n_items` is the number of items that were added.
    """
    assert settings.looks is not None
    counts = reached(settings.looks, ends)
    if counts:
        first = bisect_left(ends, counts[0]) + 1
        gaps = means[:first, :1] - means[:first, 1:]
        if doubtful(gaps).any():
            differing = int((gaps != 0.0).sum(axis=0).min())
            yield Note(
                "early_look",
                f"the first look had {first} units, of which {differing} differ: the intervals take means for"
                " normal, which is in doubt there; plan the first look later, or none (intervals by betting"
                " hold from the first item on)",
            )
    counted = counts[-1] if counts else 0
    if n_items > counted:
        ahead = next((count for count in settings.looks if count > counted), None)
        later = "no look is left" if ahead is None else f"the next look is at {ahead} items"
        waiting = n_items - counted
        are = "item is" if waiting == 1 else "items are"
        yield Note("between_looks", f"{waiting} {are} not counted yet: {later}")


FIRST_LOOK_UNITS, FIRST_LOOK_DIFFERING = 50, 20
"""Below these numbers at a look the normal approximation is in doubt."""


def doubtful(gaps: FloatArray) -> BoolArray:
    """Return of the differences of units up to the first look, (n, P), whether means may not be normal.

    That is so with few units, with few that differ, and below 25 times the squared skewness (Cochran 1977,
    Sampling Techniques, equation 2.15).
    """
    n = gaps.shape[0]
    centred = gaps - gaps.mean(axis=0)
    spread = np.sqrt((centred**2).mean(axis=0))
    skewness = (centred**3).mean(axis=0) / np.where(spread > 0.0, spread, 1.0) ** 3
    few = ((gaps != 0.0).sum(axis=0) < FIRST_LOOK_DIFFERING) | (n < FIRST_LOOK_UNITS)
    doubt: BoolArray = few | (n < 25.0 * skewness**2)
    return doubt


def _provisional(pairs: Sequence[MonitoredDifference]) -> Iterator[Note]:
    """Yield a note for each decision that one item might overturn."""
    for one in pairs:
        if one.provisional:
            yield Note(
                "provisional_decision",
                f"{one.a} and {one.b}: {one.decision!r} is provisional: an item that differs from the mean by"
                f" {one.overturned_by:.3g} would overturn it, which is less than {PROVISIONAL:g} times the"
                " largest deviation so far; go on, or give the largest difference that is possible"
                " (largest=...)",
            )


def _contradictions(first: Pairs, find_ends: EndsFinder) -> Iterator[Note]:
    """Yield a note for each pair whose interval contradicts what an earlier look has shown."""
    s = first.settings
    for place, (a, b) in enumerate(first.pairs):
        low, high = find_ends(place, s.alpha)
        if any(
            (first.shown(0, which, s.alpha / 2.0)[place] and high < mean)
            or (first.shown(1, which, s.alpha / 2.0)[place] and low > mean)
            for which, mean in enumerate(first.means.tolist())
        ):
            yield Note(
                "contradicting_looks",
                f"the interval of {s.systems[a]} and {s.systems[b]} contradicts an earlier look, which is"
                " nearly impossible if the items come in random order: the later items are unlike the first",
            )


# -- the items, for `compare` --------------------------------------------------------------------------------


def _evaluation(
    c: Collected, columns: Sequence[int], n: int, decision: tuple[Decision, int] | None
) -> Evaluation:
    """Return the items that were counted, with a note that they were looked at before."""
    s = c.settings
    evaluation = Evaluation.of(
        {s.systems[place]: c.scores[:n, place].copy() for place in columns},
        items=c.items[:n],
        clusters=c.clusters[:n] if c.clustered else None,
    )
    what = (
        "a monitor looked at these items as they came"
        if decision is None
        else f"a monitor stopped at {decision[1]} of these items because of what they showed ({decision[0]})"
    )
    note = Note(
        "monitored",
        f"{what}: intervals and tests for a fixed number of items are too optimistic here; report those of"
        " the monitor",
    )
    return dataclasses.replace(evaluation, notes=(*evaluation.notes, note))
