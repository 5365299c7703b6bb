"""Checking submissions and adding them to a board, withdrawing them, and ending a phase."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core import files as whole_files
from bestby._core.errors import BoardError, InvalidInputError
from bestby._core.paths import readable_file, user_path
from bestby._core.text import counted, path_text, quoted
from bestby.boards import gold
from bestby.boards.folder import Folder, file_of
from bestby.boards.predictions import absent, columns_of_costs, predictions
from bestby.boards.record import (
    Event,
    Line,
    PhaseEnded,
    SettingsSet,
    Submitted,
    Withdrawn,
    ended,
    gold_in_force,
    settings_text,
    submissions,
    withdrawals,
)
from bestby.boards.result import SubmissionCheck, SubmissionReceipt
from bestby.boards.settings import (
    Phase,
    Settings,
    check_visible,
    checked_link,
    checked_name,
    checked_text,
    look_alike,
    stamp,
)
from bestby.comparisons.costs import statistic_of
from bestby.readers.files import kind_of

Files = str | Path | Mapping[str, str | Path]
"""The file of a submission, or its files by task."""


def submit(folder: Folder, files: Files, request: Submitted, now: datetime) -> SubmissionReceipt:
    """Check a submission and add it to the board; it is on the disk when this returns.

    `request` is the event without its files; without a phase, it is for the first that is open. The same
    submission again, with no other of its system in between, adds nothing: the first is returned.
    """
    request = dataclasses.replace(
        request,
        team=checked_name(request.team, "team"),
        system=checked_name(request.system, "system"),
        run=checked_name(request.run, "run") if request.run else "",
        paper=checked_link(request.paper, visible=True),
        code=checked_link(request.code, visible=True),
    )
    with folder.locked():
        lines = folder.lines()
        settings = checked_settings(folder, lines)
        contents, measured = _checked_contents(folder, settings, by_task(files, settings))
        over = ended(lines)
        phase = settings.phase(request.phase) if request.phase else settings.phase_at(now, over)
        event = dataclasses.replace(
            request,
            phase=phase.name if phase else "",
            files={task: file_of(data, suffix) for task, (data, suffix) in contents.items()},
            costs=_checked_costs(request.costs, measured, settings),
        )
        repeated = _repeated(lines, event)
        if repeated is not None:
            return dataclasses.replace(receipts(lines)[repeated], is_new=False)
        _check_spelling(lines, event)
        if phase is None or phase.name in over or not phase.open_at(now):
            raise _not_open(phase, over, settings, now)
        _check_limits(lines, event, phase, now)
        lines = _with_submission(folder, lines, event, contents, now)
    return receipts(lines)[lines[-1].number]


def checked_settings(folder: Folder, lines: Sequence[Line]) -> Settings:
    """Return the settings; files of the board that are not those of the record are refused.

    The gold need not be there.
    """
    gold.check(folder, lines)
    settings = folder.settings()
    folder.check_items(settings, gold_in_force(lines))
    return settings


def by_task(files: Files, settings: Settings) -> dict[str, Path]:
    """Return the files of a submission by task, in the order of the tasks; one file is of the only task."""
    if not isinstance(files, Mapping):
        file = checks.valid_path(files, "name the file of the predictions")
        if len(settings.tasks) > 1:
            names = ", ".join(task.name for task in settings.tasks)
            raise InvalidInputError(
                f"the board has {len(settings.tasks)} tasks, got one file without the name of its task",
                hint=f'give files by task, of {names}: {{"{settings.tasks[0].name}": "{files}"}}',
            )
        return {settings.tasks[0].name: file}
    if not files:
        raise InvalidInputError("a submission needs a file", hint="give the file of a task at least")
    named = {settings.task(str(name)).name: path for name, path in files.items()}
    hint = "name a file for each task"
    return {
        task.name: checks.valid_path(named[task.name], hint) for task in settings.tasks if task.name in named
    }


def _checked_contents(
    folder: Folder, settings: Settings, files: Mapping[str, Path]
) -> tuple[dict[str, tuple[bytes, str]], tuple[str, ...]]:
    """Return the bytes and the ending of each file, which can be submitted, and the costs that they have."""
    contents = {}
    for task, path in files.items():
        file = checked_file(path, settings)
        _check_place(folder, file)
        with whole_files.reported(f"read {path_text(file)}", BoardError):
            data = file.read_bytes()
            contents[task] = (data, file.suffix.lower())
    checked = check_submission(folder, settings, files)
    for task, path in files.items():
        with whole_files.reported(f"read {path_text(path)}", BoardError):
            if user_path(path).read_bytes() != contents[task][0]:
                raise InvalidInputError(
                    f"{path_text(path)} was changed while it was read",
                    hint="submit it again when it is written",
                )
    return contents, checked.costs


def _checked_costs(
    prices: Mapping[str, Any], measured: Sequence[str], settings: Settings
) -> dict[str, float | None]:
    """Return the costs of a submission: prices, and None for those that its files have for each item."""
    known = ", ".join(settings.costs) or "none"
    for name, price in prices.items():
        if name not in settings.costs or statistic_of(name)[1] is not None:
            raise InvalidInputError(
                f"the board takes no price {quoted(name)}",
                hint=f"its costs: {known}; a quantile is of costs of each item",
            )
        if not 0.0 <= checks.number(price, "a cost") < math.inf:
            raise InvalidInputError(
                f"a price must be 0 or more, got {price!r}", hint=f'costs={{"{name}": 3.0}}'
            )
        checks.check_bounded(np.array([float(price)]), "prices")
        checks.check_not_tiny(np.array([float(price)]), "prices")
    return {**dict.fromkeys(measured), **{name: float(price) for name, price in prices.items()}}


def checked_file(path: str | Path, settings: Settings) -> Path:
    """Return the path of a file that is a submission by its name, size and first bytes."""
    file = readable_file(path)
    if file.suffix.lower() not in SUFFIXES:
        raise InvalidInputError(
            f"{path_text(file)} does not end in {', '.join(SUFFIXES)}",
            hint="submit a table with the columns id and prediction, such as predictions.csv",
        )
    size = file.stat().st_size
    if size > settings.most_megabytes * MEGABYTE:
        raise InvalidInputError(
            f"{path_text(file)} is too large: {size / MEGABYTE:.1f} MB; the board takes"
            f" {settings.most_megabytes:g} MB at most",
            hint="submit the ids and the predictions alone",
        )
    kind = kind_of(file)
    if kind.compression != "none" or kind.form in ("parquet", "npy"):
        raise InvalidInputError(
            f"{path_text(file)} is not the text that its name says", hint="submit it unpacked, as CSV"
        )
    return file


SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".txt")
"""The endings that a submission may have."""

MEGABYTE = 1_000_000


def _check_place(folder: Folder, file: Path) -> None:
    """Refuse files of the gold, which a symbolic link may lead to: what is submitted becomes public."""
    if folder.gold_folder.resolve() in file.resolve().parents:
        raise InvalidInputError(
            f"{path_text(file)} lies in the folder of the gold, and submissions are as public as the board",
            hint="submit a file of predictions",
        )


def check_submission(folder: Folder, settings: Settings, files: Files) -> SubmissionCheck:
    """Check files by what everybody may know: nothing here looks at the gold or at the record."""
    n_items: dict[str, int] = {}
    n_absent: dict[str, int] = {}
    labels: dict[str, dict[str, int]] = {}
    costs = list(settings.cost_columns)
    for name, path in by_task(files, settings).items():
        task, items = settings.task(name), folder.items(name, settings)
        file = checked_file(path, settings)
        try:
            predicted = predictions(file, task, items)
        except InvalidInputError as error:
            if "which column" in error.message:
                error.hint = "call the column of the predictions prediction, and that of the ids id"
            raise
        gone = absent(predicted)
        predicted = predicted[~gone]
        if predicted.dtype.kind == "f":
            # What no metric can add up must not keep the others from their tables.
            checks.check_bounded(predicted, f"{file}: predictions")
            checks.check_not_tiny(predicted, f"{file}: predictions")
        costs = columns_of_costs(file, task, items, costs)
        n_items[name], n_absent[name] = len(items), int(gone.sum())
        counts = Counter(predicted.tolist()) if task.labels else Counter()
        labels[name] = {task.labels[place]: count for place, count in counts.most_common()}
    return SubmissionCheck(n_items, labels, n_absent, tuple(costs))


def _repeated(lines: Sequence[Line], event: Submitted) -> int | None:
    """Return the number of the newest submission of the same system and run if it is the same.

    Without a phase, any is meant: none is open now.
    """
    earlier = [
        (number, one)
        for number, one in submissions(lines)
        if (one.key, one.run) == (event.key, event.run) and event.phase in ("", one.phase)
    ]
    if not earlier:
        return None
    number, newest = earlier[-1]
    same = dataclasses.replace(event, phase=newest.phase) == newest
    return number if same and number not in withdrawals(lines) else None


_IN_RECEIPTS = ("team", "system", "run", "phase", "paper", "code", "costs")


def receipts(lines: Sequence[Line]) -> dict[int, SubmissionReceipt]:
    """Return all submissions of a record by the numbers of their lines, with what became of them."""
    withdrawn = withdrawals(lines)
    submitted = dict(submissions(lines))
    newest = {(one.key, one.run, one.phase): n for n, one in submitted.items() if n not in withdrawn}
    by_number = {}
    for number, one in submitted.items():
        state = "in force" if newest.get((one.key, one.run, one.phase)) == number else "replaced"
        by_number[number] = SubmissionReceipt(
            number=number,
            time=stamp(lines[number].time),
            files={task: file.sha256 for task, file in one.files.items()},
            state="withdrawn" if number in withdrawn else state,
            **{name: getattr(one, name) for name in _IN_RECEIPTS},
        )
    return by_number


def _check_spelling(lines: Sequence[Line], event: Submitted) -> None:
    """Refuse new names that a reader cannot see whole, or tell from those on the board.

    A name that is on the board already is taken as it is, so that its team can go on.
    """
    everything = [one for _, one in submissions(lines)]
    by_team = [one for one in everything if one.team == event.team]
    by_system = [one for one in by_team if one.system == event.system]
    for what, new, earlier in (
        ("team", event.team, {one.team for one in everything}),
        ("system", event.system, {one.system for one in by_team}),
        ("run", event.run, {one.run for one in by_system}),
    ):
        if not new or new in earlier:
            continue
        check_visible(new, what)
        old = look_alike(new, sorted(earlier))
        if old is not None:
            raise InvalidInputError(
                f"the {what} {quoted(new)} is too like {quoted(old)}, which is on the board",
                hint=f"write {quoted(old)} if it is the same, or give another name",
            )


def _not_open(
    phase: Phase | None, over: Mapping[str, Line], settings: Settings, now: datetime
) -> InvalidInputError:
    """Return the error for a phase that is not open, by the record or by its dates and this clock."""
    hint = _phases(settings)
    if phase is None:
        return InvalidInputError(f"no phase of the board is open ({stamp(now)})", hint=hint)
    name = quoted(phase.name)
    if phase.name in over:
        number = over[phase.name].number + 1
        return InvalidInputError(f"phase {name} has ended: line {number} of the record says so", hint=hint)
    begun = phase.start is None or now >= phase.start
    return InvalidInputError(
        f"phase {name} {'has ended' if begun else 'has not begun'}: it is {stamp(now)} by the clock of this"
        " machine",
        hint=hint,
    )


def _phases(settings: Settings) -> str:
    """Return when the phases of a board are."""
    shown = []
    for phase in settings.phases:
        start = f" from {stamp(phase.start)}" if phase.start else ""
        end = f" until {stamp(phase.end)}" if phase.end else ""
        shown.append(f"{phase.name}{start}{end}")
    return f"its phases: {', '.join(shown)}"


def _check_limits(lines: Sequence[Line], event: Submitted, phase: Phase, now: datetime) -> None:
    """Refuse a submission of a team that has submitted too often."""
    times = [
        line.time
        for line in lines
        if isinstance(line.event, Submitted)
        and (line.event.team, line.event.phase) == (event.team, event.phase)
    ]
    today = sum(time.date() == now.date() for time in times)
    if phase.per_team is not None and len(times) >= phase.per_team:
        raise InvalidInputError(
            f"team {quoted(event.team)} has submitted {counted(len(times), 'time')} in phase"
            f" {quoted(phase.name)}, which is its limit",
            hint="withdrawn submissions count; ask the organisers if you need another one",
        )
    if phase.per_day is not None and today >= phase.per_day:
        raise InvalidInputError(
            f"team {quoted(event.team)} has submitted {counted(today, 'time')} today in phase"
            f" {quoted(phase.name)}, which is its limit",
            hint="submit again after midnight UTC",
        )


def _with_submission(
    folder: Folder,
    lines: Sequence[Line],
    event: Submitted,
    contents: Mapping[str, tuple[bytes, str]],
    now: datetime,
) -> tuple[Line, ...]:
    """Store the files of a submission, then its line; if the line cannot be written, no file is left."""
    new = [path for path in map(folder.submission_file, event.files.values()) if not path.exists()]
    try:
        for data, suffix in contents.values():
            folder.store(data, suffix)
        return folder.append(lines, [*changed_settings(folder, lines), event], now)
    except BoardError:
        if folder.lines() == lines:
            for path in new:
                path.unlink(missing_ok=True)
        raise


def changed_settings(folder: Folder, lines: Sequence[Line]) -> list[Event]:
    """Return the event of settings that are not those of the record; none if they are."""
    text = folder.text()
    return [] if settings_text(lines) == text else [SettingsSet(text)]


def withdraw(folder: Folder, number: int, now: datetime, *, hidden: bool, reason: str) -> SubmissionReceipt:
    """Withdraw a submission; its line stays, and its name on the pages too unless it is to be hidden."""
    reason = checked_text(reason)
    with folder.locked():
        lines = folder.lines()
        checked_settings(folder, lines)
        submitted = receipts(lines)
        if number not in submitted:
            raise InvalidInputError(
                f"the board has no submission {number}",
                hint="`bestby board list` shows the numbers" if submitted else "nothing was submitted yet",
            )
        event = Withdrawn(number, hidden, reason)
        before = withdrawals(lines).get(number)
        if before is None or before.hidden != hidden:
            lines = folder.append(lines, [*changed_settings(folder, lines), event], now)
    return receipts(lines)[number]


def end(folder: Folder, phase: str | None, now: datetime, *, early: bool, revoke: bool, reason: str) -> int:
    """End a phase or revoke its end, which no clock does; return the number of the line that says so.

    A phase that has ended stays so without another line, so that a job may do it every night.
    """
    reason = checked_text(reason)
    with folder.locked():
        lines = folder.lines()
        settings = checked_settings(folder, lines)
        one = settings.phase(phase)
        ending = ended(lines).get(one.name)
        if revoke and ending is None:
            raise InvalidInputError(
                f"phase {quoted(one.name)} has not ended, so that there is nothing to revoke",
                hint="`bestby board end` without revoke=True ends it",
            )
        if ending is not None and not revoke:
            return ending.number
        if one.end is not None and now < one.end and not (early or revoke):
            raise InvalidInputError(
                f"phase {quoted(one.name)} ends on {stamp(one.end)}, and it is {stamp(now)}",
                hint="do it after this date, change the date in board.toml, or pass early=True",
            )
        event = PhaseEnded(one.name, revoke, reason)
        return folder.append(lines, [*changed_settings(folder, lines), event], now)[-1].number
