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

import contextlib
import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bestby._core import checks, files
from bestby._core.errors import InvalidInputError, StudyError
from bestby._core.files import Cache, digest
from bestby._core.text import natural, quoted
from bestby.questions.study import source
from bestby.questions.study.source import Entry, Gold, Run


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
        entry = source.checked_entry(entry)
        with files.reported(f"add run {entry.run!r} of {entry.condition!r} to the study {self.path}"):
            had_gold = gold_file(self.path).exists()  # before it is looked at: it may come at any moment
            gold, run = self.check(entry, replace=replace)
            begin_folder(self.path)
            if not had_gold and not self._first_gold(gold):
                gold, run = self.check(
                    entry, replace=replace
                )  # another process was first: it must be the same
            run = dataclasses.replace(run, added=datetime.now(UTC).isoformat(timespec="seconds"))
            data = checksummed("run", run.head, run.bulk, run.hash)
            target = run_file(self.path, run.condition, run.run)
            files.folder(target.parent)
            if replace:
                files.replace(target, data, scratch_folder(self.path))
            elif not files.create(target, data, scratch_folder(self.path)):
                raise _taken(run.condition, run.run)
            return run

    def check(self, entry: Entry, *, replace: bool = False) -> tuple[Gold, Run]:
        """Return the gold and the run that `put` would store, or raise what it would; nothing is written."""
        condition = source.checked_name(entry.condition, "condition")
        run = source.checked_name(entry.run, "run")
        if not replace and run in self.runs(condition):
            raise _taken(condition, run)
        stored = self._gold()
        gold = self._settled(entry, stored)
        predictions, classes = source.aligned(
            gold,
            entry.predictions,
            f"run {run!r} of {condition!r}",
            ids=entry.ids,
            classes=entry.reading.classes,
            normalise=entry.reading.normalise,
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
            epochs=source.checked_epochs(entry.epochs),
            tags=source.checked_tags(entry.tags),
        )

    def conditions(self) -> tuple[str, ...]:
        """Return the names of the conditions that have runs; numbers in them are sorted as numbers."""
        with files.reported(f"read the study {self.path}"):
            check_folder(self.path)
            return tuple(sorted(condition_names(self.path), key=natural))

    def runs(self, condition: str) -> tuple[str, ...]:
        """Return the names of the runs of a condition, sorted likewise; none if it has none."""
        condition = source.checked_name(condition, "condition")
        with files.reported(f"read the study {self.path}"):
            check_folder(self.path)
            return tuple(sorted(run_names(self.path, condition), key=natural))

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
        condition, run = source.checked_name(condition, "condition"), source.checked_name(run, "run")
        path = run_file(self.path, condition, run)
        with files.reported(f"read {path}"):
            check_folder(self.path)
            try:
                loaded = Run.stored(read_checksummed(path, "run", _RUN))
            except FileNotFoundError:
                raise self._absent(condition, run) from None
        if (loaded.condition, loaded.run) != (condition, run):
            raise StudyError(
                f"{path} holds run {loaded.run!r} of {loaded.condition!r}: it was renamed or copied",
                hint="give the file its name back; to have the run under another name, add it again",
            )
        if loaded.gold_hash != (gold or self.gold()).hash:
            raise StudyError(
                f"{path} does not belong to the gold of this study",
                hint="it comes from another study: remove the file, and add its predictions with their ids",
            )
        return loaded

    def role(self, condition: str) -> tuple[bool, tuple[str, ...] | None]:
        """Return whether a condition is a baseline, and the baselines it is compared with (None for all)."""
        gold = self.gold()
        return role_of(
            condition, [self.load(condition, run, gold=gold) for run in self._names_of_runs(condition)]
        )

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
        run = source.checked_name(run, "run")
        if run not in self.runs(condition):
            raise self._absent(condition, run)
        with files.reported(f"remove run {run!r} of {condition!r} from the study {self.path}"):
            files.remove(run_file(self.path, source.checked_name(condition, "condition"), run))

    @property
    def cache(self) -> Cache:
        """Results of comparisons, as JSON."""
        return Cache("study", 8, self.path / "cache")

    def looked(self, runs: Mapping[str, Sequence[str]]) -> int:
        """Note that runs were compared, by the names of their conditions, and return how often any were.

        The same runs count once, however they are compared.
        """
        every = sorted(run for hashes in runs.values() for run in hashes)
        at = datetime.now(UTC).isoformat(timespec="seconds")
        return add_look(
            self.path, files.digest(every), {"conditions": sorted(runs), "runs": len(every), "at": at}
        )

    def n_looks(self) -> int:
        """Return how often runs were compared, each set of runs counted once."""
        with files.reported(f"read the study {self.path}"):
            check_folder(self.path)
            return count_looks(self.path)

    def _gold(self) -> Gold | None:
        path = gold_file(self.path)
        with files.reported(f"read {path}"):
            check_folder(self.path)
            try:
                return Gold.stored(read_checksummed(path, "gold", _GOLD))
            except FileNotFoundError:
                return None

    def _first_gold(self, gold: Gold) -> bool:
        """Write the gold; False if another process was quicker."""
        path = gold_file(self.path)
        return files.create(path, checksummed("gold", {}, gold.bulk, gold.hash), scratch_folder(self.path))

    def _settled(self, entry: Entry, mine: Gold | None) -> Gold:
        """Return the gold of the study (`mine`), or that of the entry if the study has none."""
        labels = source.index_of_run(entry)
        if entry.gold is None and entry.clusters is not None:
            raise InvalidInputError("clusters belong to the gold", hint="pass gold=... with clusters=...")
        if mine is not None:
            source.check_index_of_run(mine, entry, labels)
        if entry.gold is None:
            return mine or self.gold()
        checked = source.checked_gold(
            entry.gold,
            ids=entry.ids,
            classes=entry.reading.classes,
            clusters=entry.clusters,
            normalise=entry.reading.normalise,
            labels=labels,
        )
        if mine is None:
            return checked
        with_ids = entry.ids is not None or isinstance(entry.gold, Mapping)
        try:
            source.check_same(mine, checked, with_ids=with_ids)
        except InvalidInputError as error:
            if self.conditions():
                raise
            hint = f"no run was added yet: delete {gold_file(self.path)} to begin with another gold"
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
        against = source.checked_against(entry.against, condition)
        names = self.runs(condition)
        others = [name for name in names if name != run]
        earlier = self.load(condition, (others or names)[0], gold=gold) if names else None
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
        return self.load(condition, self._names_of_runs(condition)[0], gold=gold)

    def _names_of_runs(self, condition: str) -> tuple[str, ...]:
        names = self.runs(condition)
        if not names:
            raise InvalidInputError(
                f"the study {self.path} has no condition {condition!r}",
                hint=f"its conditions: {', '.join(self.conditions()) or 'none yet'}",
            )
        return names

    def _absent(self, condition: str, run: str) -> InvalidInputError:
        return InvalidInputError(
            f"the study {self.path} has no run {run!r} of {condition!r}",
            hint=f"its runs: {', '.join(self._names_of_runs(condition))}",
        )


_GOLD = ("classes", "ids", "gold", "clusters")


_RUN = ("gold_hash", "classes", "predictions")


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


def _taken(condition: str, run: str) -> InvalidInputError:
    return InvalidInputError(
        f"run {run!r} of {condition!r} is already in the study",
        hint="pass replace=True to put this one in its place, or give it another name",
    )


def _no_baseline(condition: str, name: str) -> InvalidInputError:
    return InvalidInputError(
        f"{condition!r} is to be compared with {name!r}, which is not a baseline of the study",
        hint=f"add {name!r} with baseline=True, or name another",
    )


def gold_file(study: Path) -> Path:
    """Return the file of the gold."""
    return study / "gold.json"


def run_file(study: Path, condition: str, run: str) -> Path:
    """Return the file of a run.

    >>> run_file(Path("study"), "h1", "0").as_posix()
    'study/runs/h1/0.json'
    """
    return condition_folder(study, condition) / f"{source.file_name(run)}.json"


def condition_folder(study: Path, condition: str) -> Path:
    """Return the folder of the runs of a condition."""
    return study / "runs" / source.file_name(condition)


def scratch_folder(study: Path) -> Path:
    """Return the folder of files that are being written."""
    return study / "tmp"


def begin_folder(study: Path) -> None:
    """Make the directory of a study if it is not there, and remove what killed processes left."""
    check_folder(study)
    files.folder(scratch_folder(study))
    files.sweep(scratch_folder(study))
    if not (study / "study.json").exists():
        files.create(study / "study.json", f"{json.dumps(_ABOUT)}\n".encode(), scratch_folder(study))


def check_folder(study: Path) -> None:
    """Refuse a directory that is no study, or one of a version that this code does not know."""
    path = study / "study.json"
    try:
        content = json.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        _check_new(study)
        return
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("format") != _ABOUT["format"]:
        raise StudyError(
            f"{path} is damaged: it does not say that this is a study",
            hint=f"if it is one, let the file hold {json.dumps(_ABOUT)}",
        )
    if content.get("version") != STUDY_VERSION:
        raise StudyError(
            f"the study {study} is in version {content.get('version')!r} of its format; this bestby reads"
            f" version {STUDY_VERSION}",
            hint="upgrade bestby, or use the one that wrote the study",
        )


STUDY_VERSION = 1


_ABOUT = {"format": "bestby study", "version": STUDY_VERSION}


_OURS = {"study.json", "gold.json", "runs", "cache", "looks", "tmp"}


def _check_new(study: Path) -> None:
    present = {entry.name for entry in _visible(study)}
    # Listed first and looked for again: another process may be making the study at this moment.
    if present & {"gold.json", "runs"} and not (study / "study.json").exists():
        raise StudyError(
            f"{study} has the files of a study, but no study.json",
            hint=f"if it is one, let study.json hold {json.dumps(_ABOUT)}",
        )
    if present - _OURS:
        raise StudyError(
            f"{study} is not a study: it holds other things, such as {min(present - _OURS)!r}",
            hint="name a directory that is a study, is empty, or is not there yet",
        )


def condition_names(study: Path) -> list[str]:
    """Return the names of the conditions that have runs."""
    folders = [path for path in _visible(study / "runs") if path.is_dir()]
    return [_named_by(folder, folder.name) for folder in folders if any(_run_files(folder))]


def run_names(study: Path, condition: str) -> list[str]:
    """Return the names of the runs of a condition."""
    return [_named_by(path, path.stem) for path in _run_files(condition_folder(study, condition))]


def _run_files(folder: Path) -> Iterator[Path]:
    return (path for path in _visible(folder) if path.suffix == ".json")


def _named_by(path: Path, stem: str) -> str:
    name = source.name_of_file(stem)
    if name is None:
        raise StudyError(
            f"{path} has a name that a study never gives",
            hint="it may be a copy: move it out of the study",
        )
    return name


def _visible(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if not path.name.startswith(".")]
    except FileNotFoundError:
        return []


def add_look(study: Path, key: str, value: dict[str, Any]) -> int:
    """Note that the test set was looked at, once for each key, and return how often it was.

    If nothing can be written, this time counts all the same.
    """
    looks = _looks(study)
    if key not in looks:
        target = study / "looks" / f"{key}.json"
        with contextlib.suppress(OSError):
            files.folder(scratch_folder(study))
            files.folder(target.parent)
            files.replace(target, f"{json.dumps(value)}\n".encode(), scratch_folder(study))
    return len(looks | {key})


def count_looks(study: Path) -> int:
    """Return how often the test set was looked at."""
    return len(_looks(study))


def _looks(study: Path) -> set[str]:
    """Return the keys of the looks so far."""
    return {path.stem for path in _visible(study / "looks") if path.suffix == ".json"}


def checksummed(kind: str, head: Mapping[str, Any], bulk: Mapping[str, Any], bulk_hash: str) -> bytes:
    """Return the content of a file, with one line per element of the long lists in `bulk`.

    The hash of `bulk` stands before it and a checksum of the rest at the end: one pass reads both.
    """
    top = {"format": f"bestby {kind}", "version": FILE_VERSION, **head, "hash": bulk_hash}
    line = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    fields = [f"{line(key)}: {line(value)}" for key, value in top.items()]
    for key, value in bulk.items():
        if isinstance(value, list):
            fields.append(f"{line(key)}: [\n" + ",\n".join(map(line, value)) + "\n]")
        else:
            fields.append(f"{line(key)}: {line(value)}")
    fields.append(f'"checksum": "{digest(top)}"')
    text = "{\n" + ",\n".join(fields) + "\n}\n"
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            f"labels, ids and tags must be valid Unicode text, got {text[error.start : error.end]!r}",
        ) from error


FILE_VERSION = 1


def read_checksummed(path: Path, kind: str, bulk: tuple[str, ...]) -> dict[str, Any]:
    """Return what a file that `checksummed` wrote holds; refuse one that was changed since."""
    try:
        content = json.loads(path.read_bytes().decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON
        raise StudyError(f"{path} is damaged or cut off: {error}", hint=_RESTORE) from error
    if not isinstance(content, dict) or content.get("format") != f"bestby {kind}":
        raise StudyError(f"{path} is not the {kind} of a study, or is damaged", hint=_RESTORE)
    if content.get("version") != FILE_VERSION:
        raise StudyError(
            f"{path} is in version {content.get('version')!r} of its format; this bestby reads version"
            f" {FILE_VERSION}",
            hint="upgrade bestby, or use the one that wrote the study",
        )
    top = {key: value for key, value in content.items() if key not in bulk and key != "checksum"}
    if set(bulk) - set(content) or content.get("checksum") != digest(top):
        raise StudyError(f"{path} was changed since it was written: its checksum differs", hint=_RESTORE)
    if content.get("hash") != digest({key: content[key] for key in bulk}):
        raise StudyError(
            f"{path} was changed since it was written: the hash of its values differs", hint=_RESTORE
        )
    return content


_RESTORE = "restore it (from git or a backup), or remove the file and add its content again"


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is not a number")
