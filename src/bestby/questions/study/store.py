"""The store of a study: one directory, one file per run.

::

    STUDY/study.json                    what the directory is
    STUDY/gold.json                     ids, gold, classes and clusters
    STUDY/runs/CONDITION/RUN.json       one file per run
    STUDY/cache/                        results; may be deleted at any time
    STUDY/looks/KEY.json                one file per set of runs that was compared
    STUDY/tmp/                          files being written; nobody reads them

Plain files rather than a database. DuckDB lets one process write at a time; SQLite lets several, but its
locks are not to be trusted on the network disks that training jobs share; git can merge neither, nor show
what changed in them. A Parquet file per run would be as safe as these files and smaller, but nobody could
read it without a program. With a text file per run, adding one is a single hard link: it needs no lock,
the run is there or it is not, no process can lose the run of another, and branches merge. The price is size
and time, which the number of items of an evaluation bears: docs/concepts/study-store.md has figures.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bestby._core import checks, files
from bestby._core.cache import Cache
from bestby._core.errors import InvalidInputError, StudyError
from bestby._core.text import natural, quoted
from bestby.questions.study import aligning, layout, names
from bestby.questions.study.checksummed import checksummed, read_checksummed
from bestby.questions.study.records import Entry, Gold, Run

_GOLD = ("classes", "ids", "gold", "clusters")
_RUN = ("gold_hash", "classes", "predictions")


@dataclass(frozen=True)
class Store:
    """The gold and the runs of a study, in a directory.

    Nothing is kept in memory: every call looks at the files, so any number of processes may add and read at
    the same time. What was added is on the disk when `add` returns; a process that is killed before then
    leaves no run, though it may leave the gold if it was the first to give it.
    """

    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))
        with files.reported(f"open the study {quoted(str(self.path))}"):
            is_file = self.path.exists() and not self.path.is_dir()
        if is_file:
            raise StudyError(f"a study is a directory, but {self.path} is a file", hint="name another path")

    def add(self, condition: str, *, replace: bool = False, **fields: Any) -> Run:
        """Add a run with the fields of an `Entry`; it is on the disk when this returns."""
        return self.put(Entry(condition, **fields), replace=replace)

    def put(self, entry: Entry, *, replace: bool = False) -> Run:
        """Add a run; it is on the disk when this returns."""
        entry = aligning.checked_entry(entry)
        with files.reported(f"add run {entry.run!r} of {entry.condition!r} to the study {self.path}"):
            known = layout.gold_file(self.path).exists()  # before it is looked at: it may come at any moment
            gold, run = self.check(entry, replace=replace)
            layout.begin(self.path)
            if not known and not self._first_gold(gold):
                gold, run = self.check(
                    entry, replace=replace
                )  # another process was first: it must be the same
            run = dataclasses.replace(run, added=datetime.now(UTC).isoformat(timespec="seconds"))
            data = checksummed("run", run.head, run.bulk, run.hash)
            target = layout.run_file(self.path, run.condition, run.run)
            files.folder(target.parent)
            if replace:
                files.replace(target, data, layout.scratch(self.path))
            elif not files.create(target, data, layout.scratch(self.path)):
                raise _taken(run.condition, run.run)
            return run

    def check(self, entry: Entry, *, replace: bool = False) -> tuple[Gold, Run]:
        """Return the gold and the run that `put` would store, or raise what it would; nothing is written."""
        condition = names.checked(entry.condition, "condition")
        run = names.checked(entry.run, "run")
        if not replace and run in self.runs(condition):
            raise _taken(condition, run)
        stored = self._gold()
        gold = self._settled(entry, stored)
        predictions, classes = aligning.aligned(
            gold,
            entry.predictions,
            f"run {run!r} of {condition!r}",
            ids=entry.ids,
            classes=entry.classes,
            normalise=entry.normalise,
        )
        # Runs may have come since the gold was looked for: they belong to the gold that is stored now.
        baseline, against = self._role(condition, run, entry, stored)
        return gold, Run(
            condition=condition,
            run=run,
            predictions=predictions,
            gold_hash=gold.hash,
            classes=classes,
            baseline=baseline,
            against=against,
            epochs=aligning.checked_epochs(entry.epochs),
            tags=aligning.checked_tags(entry.tags),
        )

    def conditions(self) -> tuple[str, ...]:
        """Return the names of the conditions that have runs; numbers in them are sorted as numbers."""
        with files.reported(f"read the study {self.path}"):
            layout.check(self.path)
            return tuple(sorted(layout.condition_names(self.path), key=natural))

    def runs(self, condition: str) -> tuple[str, ...]:
        """Return the names of the runs of a condition, sorted likewise; none if it has none."""
        condition = names.checked(condition, "condition")
        with files.reported(f"read the study {self.path}"):
            layout.check(self.path)
            return tuple(sorted(layout.run_names(self.path, condition), key=natural))

    def gold(self) -> Gold:
        """Return the gold."""
        gold = self._gold()
        if gold is None:
            raise InvalidInputError(
                f"the study {self.path} has no gold yet", hint="pass gold=... with its first run"
            )
        return gold

    def load(self, condition: str, run: str | int, *, gold: Gold | None = None) -> Run:
        """Return a run; `gold` is that of the study, if it was read already."""
        condition, run = names.checked(condition, "condition"), names.checked(run, "run")
        path = layout.run_file(self.path, condition, run)
        with files.reported(f"read {path}"):
            layout.check(self.path)
            try:
                found = Run.stored(read_checksummed(path, "run", _RUN))
            except FileNotFoundError:
                raise self._absent(condition, run) from None
        if (found.condition, found.run) != (condition, run):
            raise StudyError(
                f"{path} holds run {found.run!r} of {found.condition!r}: it was renamed or copied",
                hint="give the file its name back; to have the run under another name, add it again",
            )
        if found.gold_hash != (gold or self.gold()).hash:
            raise StudyError(
                f"{path} does not belong to the gold of this study",
                hint="it comes from another study: remove the file, and add its predictions with their ids",
            )
        return found

    def role(self, condition: str) -> tuple[bool, tuple[str, ...] | None]:
        """Return whether a condition is a baseline, and the baselines it is compared with (None for all)."""
        gold = self.gold()
        return role_of(condition, [self.load(condition, run, gold=gold) for run in self._known(condition)])

    def against(self, condition: str) -> tuple[str, ...]:
        """Return the baselines that a condition is compared with: none for a baseline."""
        baseline, against = self.role(condition)
        if baseline:
            return ()
        gold = self.gold()
        if against is None:
            return tuple(name for name in self.conditions() if self._first(name, gold).baseline)
        self.check_against(condition, against, gold)
        return against

    def check_against(self, condition: str, against: Sequence[str], gold: Gold) -> None:
        """Refuse what a condition is to be compared with, should one of these be no baseline."""
        for name in against:
            if not self.runs(name) or not self._first(name, gold).baseline:
                raise _no_baseline(condition, name)

    def remove(self, condition: str, run: str | int) -> None:
        """Remove a run. The gold stays, even if no run is left."""
        run = names.checked(run, "run")
        if run not in self.runs(condition):
            raise self._absent(condition, run)
        with files.reported(f"remove run {run!r} of {condition!r} from the study {self.path}"):
            files.remove(layout.run_file(self.path, names.checked(condition, "condition"), run))

    @property
    def cache(self) -> Cache:
        """Results of comparisons, as JSON."""
        return Cache("study", 8, self.path / "cache")

    def looked(self, runs: Mapping[str, Sequence[str]]) -> int:
        """Note that runs were compared, by the names of their conditions, and return how often any were.

        The same runs count once, however they are compared.
        """
        every = sorted(run for own in runs.values() for run in own)
        at = datetime.now(UTC).isoformat(timespec="seconds")
        return layout.looked(
            self.path, files.digest(every), {"conditions": sorted(runs), "runs": len(every), "at": at}
        )

    def n_looks(self) -> int:
        """Return how often runs were compared, each set of runs counted once."""
        with files.reported(f"read the study {self.path}"):
            layout.check(self.path)
            return layout.n_looks(self.path)

    def _gold(self) -> Gold | None:
        path = layout.gold_file(self.path)
        with files.reported(f"read {path}"):
            layout.check(self.path)
            try:
                return Gold.stored(read_checksummed(path, "gold", _GOLD))
            except FileNotFoundError:
                return None

    def _first_gold(self, gold: Gold) -> bool:
        """Write the gold; False if another process was quicker."""
        path = layout.gold_file(self.path)
        return files.create(path, checksummed("gold", {}, gold.bulk, gold.hash), layout.scratch(self.path))

    def _settled(self, entry: Entry, mine: Gold | None) -> Gold:
        """Return the gold of the study (`mine`), or that of the entry if the study has none."""
        labels = aligning.index_of_run(entry)
        if entry.gold is None and entry.clusters is not None:
            raise InvalidInputError("clusters belong to the gold", hint="pass gold=... with clusters=...")
        if mine is not None:
            aligning.check_index_of_run(mine, entry, labels)
        if entry.gold is None:
            return mine or self.gold()
        given = aligning.checked_gold(
            entry.gold,
            ids=entry.ids,
            classes=entry.classes,
            clusters=entry.clusters,
            normalise=entry.normalise,
            labels=labels,
        )
        if mine is None:
            return given
        with_ids = entry.ids is not None or isinstance(entry.gold, Mapping)
        try:
            aligning.check_same(mine, given, with_ids=with_ids)
        except InvalidInputError as error:
            if self.conditions():
                raise
            hint = f"no run was added yet: delete {layout.gold_file(self.path)} to begin with another gold"
            raise InvalidInputError(error.message, hint=hint) from error
        return mine

    def _role(
        self, condition: str, run: str, entry: Entry, gold: Gold | None
    ) -> tuple[bool, tuple[str, ...] | None]:
        """Return the role of a new run, which must be that of the other runs of its condition."""
        if (
            entry.baseline is not None
            and checks.flag(entry.baseline, "baseline")
            and entry.against is not None
        ):
            raise InvalidInputError(
                f"{condition!r} cannot both be a baseline and be compared against {quoted(entry.against)}",
                hint="leave out baseline or against",
            )
        against = aligning.checked_against(entry.against, condition)
        known = self.runs(condition)
        others = [name for name in known if name != run]
        earlier = self.load(condition, (others or known)[0], gold=gold) if known else None
        if entry.baseline is not None:
            baseline = checks.flag(entry.baseline, "baseline")
        else:
            baseline = against is None and earlier is not None and earlier.baseline
        if against is None and earlier is not None and not baseline:
            against = earlier.against
        if earlier is not None and others and (baseline, against) != (earlier.baseline, earlier.against):
            now = dataclasses.replace(earlier, baseline=baseline, against=against).role
            raise InvalidInputError(
                f"{condition!r} is {earlier.role} in run {earlier.run!r}, and would be {now} in run {run!r}",
                hint="a condition has one role: leave baseline and against out, or use another name",
            )
        for name in against or ():
            if self.runs(name) and not self._first(name, gold).baseline:
                raise _no_baseline(condition, name)
        return baseline, against

    def _first(self, condition: str, gold: Gold | None) -> Run:
        return self.load(condition, self._known(condition)[0], gold=gold)

    def _known(self, condition: str) -> tuple[str, ...]:
        known = self.runs(condition)
        if not known:
            raise InvalidInputError(
                f"the study {self.path} has no condition {condition!r}",
                hint=f"its conditions: {', '.join(self.conditions()) or 'none yet'}",
            )
        return known

    def _absent(self, condition: str, run: str) -> InvalidInputError:
        return InvalidInputError(
            f"the study {self.path} has no run {run!r} of {condition!r}",
            hint=f"its runs: {', '.join(self._known(condition))}",
        )


def _taken(condition: str, run: str) -> InvalidInputError:
    return InvalidInputError(
        f"run {run!r} of {condition!r} is already in the study",
        hint="pass replace=True to put this one in its place, or give it another name",
    )


def role_of(condition: str, runs: Sequence[Run]) -> tuple[bool, tuple[str, ...] | None]:
    """Return whether runs are of a baseline, and the baselines they are compared with (None for all)."""
    first, *others = runs
    for other in others:
        if (first.baseline, first.against) != (other.baseline, other.against):
            raise StudyError(
                f"the runs of {condition!r} disagree: it is {first.role} in run {first.run!r}"
                f" and {other.role} in run {other.run!r}",
                hint="add one of them again with replace=True and the role of the other",
            )
    return first.baseline, first.against


def _no_baseline(condition: str, name: str) -> InvalidInputError:
    return InvalidInputError(
        f"{condition!r} is to be compared with {name!r}, which is not a baseline of the study",
        hint=f"add {name!r} with baseline=True, or name another",
    )
