"""`Monitor`: items come one by one, and at any moment it says what may be concluded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import counted, quoted
from bestby.data.evaluation import Evaluation
from bestby.questions.monitor import deciding, reporting, saving
from bestby.questions.monitor.collected import Collected
from bestby.questions.monitor.order import order_note
from bestby.questions.monitor.result import Decision, MonitoredComparison, MonitoredDifference
from bestby.questions.monitor.sequences import Pairs
from bestby.questions.monitor.settings import Settings, checked_settings
from bestby.questions.monitor.tracking import Tracker
from bestby.results.base import Note
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
        self._first = Pairs(settings, [(0, other) for other in others], deciding.hypotheses(settings))
        self._tracker = Tracker(self._first, self._collected)
        every = [(a, b) for a in range(len(names)) for b in range(a + 1, len(names))]
        self._every = Pairs(settings, every, (0.0,)) if len(names) > 2 else None
        self._decisions: dict[str, tuple[Decision, int]] = {}
        self._decision: tuple[Decision, int] | None = None
        self._behind: dict[str, str] = {}
        self._running = names
        self._dropped_at: dict[str, int] = {}
        self._looked = 0
        self._looks: list[int] = []
        self._journal: saving.Journal | None = None
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
            self._journal.add(saving.item_line(self.systems, *entry))
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
        return self._running

    # -- looks -----------------------------------------------------------------------------------------

    @property
    def decision(self) -> Decision | None:
        """What was decided of the first system, now or at an earlier look; None while it is open."""
        self._look()
        return self.decided

    @property
    def decided(self) -> Decision | None:
        """The decision of the looks so far; unlike `decision` this looks at nothing new."""
        return self._decision[0] if self._decision else None

    @property
    def interval(self) -> Interval | None:
        """The interval of the first system minus the second, valid at every look; None with too few items."""
        self._look()
        return reporting.interval_of(self._first, 0, self._tracker.ends)

    @property
    def pairs(self) -> tuple[MonitoredDifference, ...]:
        """The first system against each other one, as of now; `result` says more and takes longer."""
        self._look()
        return reporting.differences(self._first, self._collected, self._state(), self._tracker.ends)

    def result(self) -> MonitoredComparison:
        """Return all that can be said at this moment, as a record that does not change any more."""
        self._look()
        return reporting.result(self._collected, self._first, self._state(), len(self._looks), self._notes)

    def _state(self) -> reporting.State:
        return reporting.State(self._decisions, self._decision, self._behind, self._dropped_at)

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
        names, n = self._settings.systems, self._collected.n_counted
        for place, other in enumerate(names[1:]):
            if other not in self._decisions:
                made = deciding.pair_decision(self._first, place)
                if made is not None:
                    self._decisions[other] = made, n
        drops: dict[str, str] = {}
        if self._every is not None:
            drops = deciding.new_drops(self._every, names, self._behind)
            self._behind |= drops
        decisions = {other: self._decisions.get(other, (None,))[0] for other in names[1:]}
        made = deciding.first_decision(names[0], decisions, self._behind)
        if made is not None and self._decision is None:
            self._decision = made, n
        if made == "worse" and self._every is not None and names[0] not in self._behind:
            drops[names[0]] = next(other for other in names[1:] if decisions[other] == "worse")
            self._behind |= drops
        if drops and self._every is not None:
            self._running = tuple(name for name in names if name not in self._behind)
            self._dropped_at |= dict.fromkeys(drops, self._looked)
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
        self._journal = saving.Journal.written(target, self._settings, self._lines())

    def _lines(self) -> Iterator[dict[str, Any]]:
        """Yield what happened so far, in its order."""
        c, looks = self._collected, set(self._looks)
        n_units = 0
        for place, item in enumerate(c.items):
            yield saving.item_line(self.systems, item, c.scores[place].tolist(), c.clusters[place])
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
        monitor._journal = saving.Journal.resumed(path, size, torn=torn)
        return monitor

    @classmethod
    def _restored(cls, path: str | Path) -> tuple[Monitor, int, bool]:
        """Return the monitor in a file, the size of its whole lines, and whether one is torn."""
        settings, lines, size, torn = saving.read(path)
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
            monitor._notes.append(reporting.TORN)
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
        kept = [place for place, name in enumerate(self._settings.systems) if name in self.running]
        return reporting.evaluation(c, kept, n, self._decision)


def evaluation_in(path: str | Path) -> Evaluation:
    """Return the items in the file of a monitor, which is only read."""
    return Monitor._restored(path)[0].to_evaluation()
