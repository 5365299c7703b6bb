"""`bestby watch`: a growing log, a line at every look, and the decision as the exit status."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bestby._core.errors import InvalidInputError
from bestby._core.text import counted, quoted
from bestby.cli import option_groups, streams
from bestby.cli.option_groups import Count, Names, Number, Text
from bestby.cli.options import Group, argument, choice, flag, option, record
from bestby.vocabulary import allowed_names

if TYPE_CHECKING:
    from bestby.questions.monitor.monitor import Monitor
    from bestby.questions.monitor.result import MonitoredDifference
    from bestby.questions.monitor.source import Columns, GrowingLog


@record
class Data(Group):
    heading: ClassVar[str] = "Log"
    systems: Names = option(
        "NAME", "Watch this system; repeatable (default: all of the log).", "--system", common=True
    )
    ignore: Names = option("KEY", "Key of a line that is not a system; repeatable.")
    items: Text = option("KEY", "Key of the item id (default: item, id or item_id).", "--item", common=True)
    system_column: Text = option("KEY", "Key of the system in a line per system (default: system or model).")
    value_column: Text = option(
        "KEY", "Key of the score in a line per system (default: score or value); of a log its metric."
    )
    clusters: Text = option("KEY", "Key of the cluster (default: cluster, if there is one).", "--cluster")
    follow: bool = flag(
        "Wait for more lines at the end of the log, which need not be there yet.", common=True
    )
    patience: Number = option("SECONDS", "With --follow: end when nothing has come for so long.")
    state: Text = option("FILE", "Keep what was counted there, and go on from it.", common=True)


@record
class Statistics(option_groups.Direction):
    baseline: Text = option("NAME", "System that is the baseline (default: the first).", common=True)
    candidate: Text = option("NAME", "System that the decision is about (default: the other).", common=True)
    margin: Number = option(
        "SIZE", "Smallest difference that matters; without it nothing is equivalent.", common=True
    )
    bounds: tuple[float, float] | None = option(
        "LOW HIGH", "Least and greatest score (default: 0 1).", common=True
    )
    unbounded: bool = flag("Scores have no bounds; nothing is said of the first items then.")
    largest: Number = option("SIZE", "With --unbounded: the largest difference that one item can have.")
    n_items: Count = option(
        "N",
        "Items of the benchmark; with --population wider as many as can be paid for.",
        "--items",
        common=True,
    )
    population: Text = option(
        "bank|wider",
        "The question: the mean over these N items, or over items like them (default: bank with --items).",
        choices=allowed_names("population", "monitor"),
    )
    largest_cluster: Count = option("N", "The most items that a cluster has.")
    every: int = option(
        "N", "Look after every N items, unless --looks plans the looks.", default=50, common=True
    )
    looks: Text = option(
        "K|N,N,...", "Planned looks: K at equal distances up to --items, or after N items each."
    )
    method: str = choice(allowed_names("method", "monitor"), "Intervals.", default="auto")
    level: float = option("P", "Level of all looks together.", default=0.95)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of a monitor."""
        rest = super().arguments()
        if rest.pop("unbounded"):
            if self.bounds is not None:
                raise InvalidInputError(
                    "--bounds and --unbounded contradict each other", hint="give one of them"
                )
            rest["bounds"] = None
        elif self.bounds is not None and not -math.inf < self.bounds[0] < self.bounds[1] < math.inf:
            raise InvalidInputError(
                f"--bounds must be two rising numbers, got {self.bounds[0]:g} and {self.bounds[1]:g}",
                hint="--bounds 0 1, or --unbounded",
            )
        if self.largest is not None and not self.unbounded:
            raise InvalidInputError(
                "--largest is for scores without bounds, and these have bounds",
                hint="give --unbounded too, or leave out --largest",
            )
        if self.looks is not None:
            rest["looks"] = planned_looks(self.looks)
        names = ("baseline", "candidate", "every")
        return {"bounds": (0.0, 1.0), **{name: one for name, one in rest.items() if name not in names}}


def planned_looks(text: str) -> int | list[int]:
    """Return a number of looks, or the numbers of items of each.

    >>> planned_looks("3"), planned_looks("500,1000")
    (3, [500, 1000])
    """
    try:
        counts = [int(one) for one in text.split(",")]
    except ValueError as error:
        raise InvalidInputError(
            f"--looks must be a number of looks, or numbers of items, got {text!r}",
            hint="--looks 3, or --looks 500,1000,1500",
        ) from error
    return counts if "," in text else counts[0]


@record
class Output(option_groups.Labelled, option_groups.Output):
    """The files that are written, with names as readers are to see them."""


@record
class Watch:
    """
    FILES are one log that holds all systems, or one NAME=FILE per system: JSON Lines of scores, samples of
    lm-evaluation-harness, logs of Inspect and of other tools. A line is {"item": "q1", "a": 1, "b": 0} or
    {"item": "q1", "system": "a", "score": 1}, and may have a "cluster", whose items follow one another.

    A line is printed at every look. The intervals hold at all looks at once, so it is right to stop at any of
    them; the command stops at the first decision. Items are counted in the order in which they begin in the
    log, which must be random. Lines that were read must stay as they are.

    The exit status is 0 if the candidate is better or equivalent, 1 if it is worse, 3 if the log ends
    undecided or the items that are left cannot decide it; 2 for wrong use and logs that cannot be read, 130
    after Ctrl-C. With --state, the same command goes on where it was stopped, however it was.

    \b
    Examples:
      bestby watch scores.jsonl --margin 0.02 --items 2000
      bestby watch scores.jsonl --follow --margin 0.02 --state watch.state
      bestby watch main=main.jsonl new=new.jsonl --follow --patience 600
      bestby watch scores.jsonl --candidate new --baseline main --population wider
      bestby watch scores.jsonl --items 1500 --looks 3 --state watch.state
      bestby watch times.jsonl --unbounded --lower-is-better --html report.html
    """

    paths: list[str] = argument("FILES")
    data: Data
    statistics: Statistics
    output: Output


STATUS = {"better": 0, "equivalent": 0, "worse": 1, "futile": 3, None: 3}
"""The exit status of each decision."""


def watch(values: Watch) -> None:
    """Watch, write what was asked for, and end with the status of the decision."""
    import typer

    from bestby.cli.outputs import write_result

    say = streams.print_stderr if "-" in values.output.targets().values() else streams.print_stdout

    def command(values: Watch, progress: Any) -> Any:
        del progress  # every look is a line already
        return _watched(values, say)

    result = write_result(command, values)
    raise typer.Exit(STATUS[result.decision])


def _watched(values: Watch, say: Callable[[str], None]) -> Any:
    from bestby._core import checks
    from bestby._core.paths import exists, user_path
    from bestby.questions.monitor.monitor import Monitor
    from bestby.questions.monitor.source import GrowingLog

    data, statistics = values.data, values.statistics
    every = checks.positive_int(statistics.every, "every")
    if data.patience is not None and not data.follow:
        raise InvalidInputError(
            "--patience needs --follow: without it the log is read once",
            hint="give --follow too, or leave it out",
        )
    Monitor(["candidate", "baseline"], **statistics.arguments())  # what is wrong is said before it waits
    state = None if data.state is None else user_path(data.state)
    resumed = None if state is None or not exists(state) else Monitor.resume(state)
    log, looks = GrowingLog(values.paths, _columns(data, statistics)), _Looks(say)
    monitor: Monitor | None = None
    for final in _readings(data, log):
        log.read(final=final, absent=data.follow)
        monitor = monitor or _begun(statistics, log, state, resumed, final=final)
        if monitor is None:
            continue
        _check_systems(log, monitor)
        _count(log, monitor, every, looks)
        if monitor.decided is not None:
            break
        if final:
            _end(log, monitor)
    assert monitor is not None
    log.check()
    looks.show(monitor)
    return monitor.result()


class _Looks:
    """The lines that are printed, each once."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._last = say, ""
        self._order_at = 0

    def show(self, monitor: Monitor) -> None:
        """Look, and print what is known, unless the last line says so."""
        line = _line(monitor)
        self._warn_of_order(monitor)
        if line != self._last:
            self._say(line)
        self._last = line

    def _warn_of_order(self, monitor: Monitor) -> None:
        """Say once that the order is not random; looked at whenever there are twice as many items."""
        if monitor.n_items >= 2 * self._order_at:
            self._order_at = monitor.n_items
            if (order := monitor.order) is not None:
                streams.print_stderr(f"warning: {order.message} (bestby judged choose --shuffle)")
                self._order_at = sys.maxsize


def _readings(data: Data, log: GrowingLog) -> Iterator[bool]:
    """Yield whether this reading of the log is the last one, each time that the log is to be read."""
    grown, size = time.monotonic(), -1
    while data.follow:
        start = time.monotonic()
        yield False
        took = time.monotonic() - start
        if log.size != size:
            grown, size = time.monotonic(), log.size
        if data.patience is not None and time.monotonic() - grown >= data.patience:
            break
        # Seconds between two looks at the files
        time.sleep(max(0.5, took))  # so that reading a long log takes half of the time at most
    yield True


def _count(log: GrowingLog, monitor: Monitor, every: int, looks: _Looks) -> None:
    """Add the items that are complete, and look at them when it is time, until it is decided."""
    planned, last = monitor.settings["looks"] is not None, monitor.settings["n_items"]
    items = log.complete(lambda: monitor.running)
    while monitor.decided is None and (one := next(items, None)) is not None:
        item, scores, cluster = one
        new, n_items = monitor.add(item, scores, cluster=cluster), monitor.n_items
        if not new or not (planned or n_items % every == 0 or n_items == last):
            continue
        if n_items == last and monitor.settings["population"] == "bank":
            _check_whole(log, monitor)
        before = monitor.n_counted
        _ = monitor.decision
        if monitor.n_counted > before:
            looks.show(monitor)


def _check_whole(log: GrowingLog, monitor: Monitor) -> None:
    """Refuse a log with more items than the benchmark, whose mean would pass for known."""
    counted = set(monitor.items)
    other = next((item for item in log.waiting if item not in counted), None)
    if other is not None:
        raise InvalidInputError(
            f"the log has item {quoted(other)} besides the {monitor.n_items} items of the benchmark",
            hint="give --items all that the benchmark has, or what can be paid for with --population wider",
        )


def _end(log: GrowingLog, monitor: Monitor) -> None:
    """Count the last cluster, and say what of the log was not counted."""
    lacking = log.lacking(monitor.running)
    if lacking is not None:
        item, system = lacking
        raise InvalidInputError(
            f"system {quoted(system)} has no score on item {quoted(item)}, for which"
            f" {counted(len(log.waiting) - 1, 'later item')} of the log wait; {monitor.n_items} were counted",
            hint="let it answer, or log the score that no answer counts as, and call the command again",
        )
    if log.waiting:
        lack = "lacks a score and was" if len(log.waiting) == 1 else "lack a score and were"
        streams.print_stderr(
            f"warning: {counted(len(log.waiting), 'item')} of the log {lack} not counted:"
            f" {', '.join(map(quoted, log.waiting[:3]))}"
        )
    monitor.close_cluster()


def _line(monitor: Monitor) -> str:
    """Return what is known at a look."""
    from bestby.questions.monitor.result import rests_on_provisional

    running = len(monitor.running)
    left = "" if len(monitor.systems) == 2 else f"; {running} of {len(monitor.systems)} systems can be first"
    decision, differences = monitor.decision, monitor.pairs
    pairs = "; ".join(map(_pair, differences))
    doubt = " (provisional)" if rests_on_provisional(decision, differences) else ""
    return f"{counted(monitor.n_counted, 'item')}: {pairs}{left}; {decision or 'open'}{doubt}"


def _pair(one: MonitoredDifference) -> str:
    if not one.n_items:
        return f"{one.a} - {one.b}: nothing is counted yet"
    ends = "" if one.interval is None else f" [{one.interval.low:+.4f}, {one.interval.high:+.4f}]"
    return f"{one.a} - {one.b} {one.estimate:+.4f}{ends}"


# -- the monitor -------------------------------------------------------------------------------------


def _columns(data: Data, statistics: Statistics) -> Columns:
    from bestby.questions.monitor.source import Columns

    named = tuple(data.systems or ())
    pair = tuple(name for name in (statistics.baseline, statistics.candidate) if name is not None)
    if len(pair) == 2 and pair[0] == pair[1]:
        raise InvalidInputError(f"{quoted(pair[0])} is both baseline and candidate", hint="name two systems")
    if not named and len(pair) == 2:
        named = pair
    return Columns(
        data.items, data.clusters, data.system_column, data.value_column, named, tuple(data.ignore or ())
    )


def _begun(
    statistics: Statistics, log: GrowingLog, state: Path | None, resumed: Monitor | None, *, final: bool
) -> Monitor | None:
    """Return a new monitor, or the one that the state held; None while the log names too few systems."""
    from bestby.questions.monitor.monitor import Monitor

    if len(log.systems) < 2 or not len(log):
        if not final:
            return None
        if not len(log):
            raise InvalidInputError("the log is empty: no item has a score", hint="wait for more: --follow")
        raise InvalidInputError(
            f"the log has scores of one system: {next(iter(log.systems))}",
            hint="a line for each system, or name a file for each: a=a.jsonl b=b.jsonl",
        )
    settings = statistics.arguments()
    if log.greater_is_better is not None:
        settings = {"greater_is_better": log.greater_is_better, **settings}
    monitor = Monitor(_ordered(list(log.systems), statistics), **settings)
    if state is None:
        return monitor
    if resumed is None:
        monitor.save(state)
        return monitor
    _check_same(resumed, monitor, state)
    _check_counted(log, resumed)
    return resumed


def _ordered(names: list[str], statistics: Statistics) -> list[str]:
    """Return the candidate and those that it is compared with; by default the second, as for a gate."""
    baseline, candidate = statistics.baseline, statistics.candidate
    for what, name in (("baseline", baseline), ("candidate", candidate)):
        if name is not None and name not in names:
            raise InvalidInputError(
                f"{what} {quoted(name)} is not in the log", hint=f"systems: {', '.join(names)}", argument=what
            )
    if candidate is None and len(names) > 2:
        raise InvalidInputError(
            f"the log has {len(names)} systems: {', '.join(names)}",
            hint="say which the decision is about: --candidate NAME",
        )
    if candidate is None:
        candidate = next(name for name in names[::-1] if name != baseline)
    return [candidate, *(name for name in names if name != candidate)]


def _check_same(resumed: Monitor, asked: Monitor, state: Path) -> None:
    """Refuse a state that was made with other options."""
    old, new = resumed.settings, asked.settings
    for name, value in new.items():
        if old.get(name) != value:
            raise InvalidInputError(
                f"{quoted(str(state))} was made with {name} {old.get(name)}, and the command says {value}",
                hint="repeat the options it was made with, or name another --state",
            )


def _check_counted(log: GrowingLog, monitor: Monitor) -> None:
    """Refuse a log that lacks an item that the state has counted."""
    lost = next((item for item in monitor.items if str(item) not in log), None)
    if lost is not None:
        raise InvalidInputError(
            f"the log does not hold item {quoted(lost)}, which was counted before",
            hint="the state belongs to another log, or the log was written anew: name another --state",
        )


def _check_systems(log: GrowingLog, monitor: Monitor) -> None:
    """Refuse a log with systems that were not there at first."""
    stranger = next((name for name in log.systems if name not in monitor.systems), None)
    if stranger is not None:
        names = " ".join(f"--system {name}" for name in monitor.systems)
        raise InvalidInputError(
            f"system {quoted(stranger)} was not in the log at first", hint=f"name them: {names}"
        )
