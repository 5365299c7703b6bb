"""`bestby watch`: a growing log, a line at every look, and the decision as the exit status."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.paths import exists, user_path
from bestby._core.text import counted, quoted
from bestby.cli import streams
from bestby.cli.outputs import write_result
from bestby.questions.monitor.growing_log import GrowingLog
from bestby.questions.monitor.growing_sources import Columns
from bestby.questions.monitor.monitor import Monitor
from bestby.questions.monitor.parameters import Data, Statistics, Watch
from bestby.questions.monitor.result import MonitoredDifference, rests_on_provisional

STATUS = {"better": 0, "equivalent": 0, "worse": 1, "futile": 3, None: 3}
"""The exit status of each decision."""


def watch(values: Watch) -> None:
    """Watch, write what was asked for, and end with the status of the decision."""
    say = streams.print_stderr if "-" in values.output.targets().values() else streams.print_stdout

    def command(values: Watch, progress: Any) -> Any:
        del progress  # every look is a line already
        return _watched(values, say)

    result = write_result(command, values)
    raise typer.Exit(STATUS[result.decision])


def _watched(values: Watch, say: Callable[[str], None]) -> Any:
    data, statistics = values.data, values.statistics
    every = checks.positive_int(statistics.every, "every")
    if data.patience is not None and not data.follow:
        raise InvalidInputError(
            "--patience needs --follow: without it the log is read once",
            hint="give --follow too, or leave it out",
        )
    Monitor(["candidate", "baseline"], **statistics.arguments())  # what is wrong is said before it waits
    state = None if data.state is None else user_path(data.state)
    known = None if state is None or not exists(state) else Monitor.resume(state)
    log, looks = GrowingLog(values.paths, _columns(data, statistics)), _Looks(say)
    monitor: Monitor | None = None
    for final in _readings(data, log):
        log.read(final=final, absent=data.follow)
        monitor = monitor or _begun(statistics, log, state, known, final=final)
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
                streams.print_stderr(f"warning: {order.message} (bestby choose --shuffle)")
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
    known = set(monitor.items)
    other = next((item for item in log.waiting if item not in known), None)
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
    statistics: Statistics, log: GrowingLog, state: Path | None, known: Monitor | None, *, final: bool
) -> Monitor | None:
    """Return a new monitor, or the one that the state held; None while the log names too few systems."""
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
    if known is None:
        monitor.save(state)
        return monitor
    _check_same(known, monitor, state)
    _check_counted(log, known)
    return known


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


def _check_same(known: Monitor, asked: Monitor, state: Path) -> None:
    """Refuse a state that was made with other options."""
    old, new = known.settings, asked.settings
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
