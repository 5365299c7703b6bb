"""The statistics of texts: each text is counted once, by processes where that pays, and kept."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.files import Cache
from bestby._core.paths import user_path
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.engine.base import Drawing
from bestby.metrics import texts as metrics_texts
from bestby.metrics.texts import TextMetric
from bestby.resampling import executing
from bestby.resampling.progress import Progress

WORTH_PROCESSES = 4.0
"""Seconds of counting from which other processes are started, each of which takes most of one to begin."""

TOLD_EVERY = 0.2
"""Seconds of counting after which it is told how far it is."""

_WORKER = "from bestby.engine.text_statistics import work; work()"


_NO_CACHE = Cache("texts", 2)


@dataclass(frozen=True)
class Counting:
    """Where the statistics of texts are counted and kept; no number depends on it.

    They are counted by tasks of `executor`, else by `n_jobs` processes, where that pays, and kept in `cache`.
    `progress` is called with the number of texts counted here, and of all.
    """

    n_jobs: int = 1
    executor: Executor | None = None
    cache: Cache = _NO_CACHE
    progress: Progress | None = None

    @classmethod
    def of(cls, drawing: Drawing) -> Counting:
        """Return counting by as many jobs as make resamples, kept in their folder, which is checked."""
        return cls(drawing.n_jobs, drawing.executor, replace(_NO_CACHE, folder=cache_folder(drawing.cache)))


def cache_folder(path: str | os.PathLike[str] | None) -> Path | None:
    """Return the folder of a cache, made if it is not there; None for None."""
    if path is None:
        return None
    folder = user_path(os.fspath(path))
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise InvalidInputError(
            f"cache={str(path)!r} cannot be made a folder: {getattr(error, 'strerror', None) or error}",
            hint="name a folder, or one that can be made",
            argument="cache",
        ) from error
    return folder


@dataclass(frozen=True, eq=False)
class _Texts:
    """Texts to be counted: `segments` has the position of the item of each in the gold."""

    metric: TextMetric
    gold: Array
    segments: IntArray
    texts: list[str]

    def counted(self) -> FloatArray:
        """Return the statistics of the texts."""
        return np.asarray(
            self.metric.statistics_of_texts(self.gold, self.segments, self.texts), dtype=np.float64
        )

    def parts(self, n_parts: int) -> list[tuple[IntArray, _Texts]]:
        """Return the texts of successive items together, with their positions among all."""
        ends = np.linspace(0, len(self.gold), n_parts + 1).astype(np.int64)
        out = []
        for first, stop in pairwise(ends.tolist()):
            places = np.flatnonzero((self.segments >= first) & (self.segments < stop))
            texts = [self.texts[place] for place in places.tolist()]
            part = _Texts(self.metric, self.gold[first:stop], self.segments[places] - first, texts)
            out.append((places, part))
        return out


def statistics(
    metric: TextMetric, gold: Array, systems: Sequence[Sequence[str]], counting: Counting
) -> list[FloatArray]:
    """Return the statistics of the texts of each system, shape (n, k), from the cache where it has them."""
    cache = counting.cache
    parts = None if cache.folder is None else metrics_texts.cache_parts(metric, gold, systems)
    if parts is None:
        return _counted(metric, gold, systems, counting)
    keys = [cache.key(*system_parts) for system_parts in parts]
    stored = {place: cache.read(key) for place, key in enumerate(keys)}
    absent = [place for place, data in stored.items() if data is None]
    rows = {
        place: np.frombuffer(data, "<f8").astype(np.float64).reshape(len(gold), -1)
        for place, data in stored.items()
        if data is not None
    }
    if absent:
        counted = _counted(metric, gold, [systems[place] for place in absent], counting)
        for place, new_rows in zip(absent, counted, strict=True):
            rows[place] = new_rows
            cache.write(keys[place], new_rows.astype("<f8").tobytes())
    return [rows[place] for place in range(len(systems))]


def _counted(
    metric: TextMetric, gold: Array, systems: Sequence[Sequence[str]], counting: Counting
) -> list[FloatArray]:
    """Count the texts of each system, equal ones of one item once."""
    texts = list(chain.from_iterable(systems))
    first, places = _distinct(texts, len(gold))
    every = _Texts(metric, gold, first % len(gold), [texts[place] for place in first.tolist()])
    workers = counting.n_jobs if counting.executor is None else executing.n_workers(counting.executor)
    workers = min(workers, len(gold))
    seconds = metric.seconds * first.size
    if workers < 2 or seconds < WORTH_PROCESSES:
        n_parts = 1 if counting.progress is None else min(len(gold), 1 + int(seconds / TOLD_EVERY))
        parts = every.parts(n_parts)
        part_rows = _in_turn([part for _, part in parts], counting.progress, first.size)
    else:
        parts = every.parts(workers)
        part_rows = _by_workers([part for _, part in parts], counting.executor)
    rows = np.empty((first.size, part_rows[0].shape[1]))
    for (at, _), part in zip(parts, part_rows, strict=True):
        rows[at] = part
    return [rows[at] for at in places.reshape(len(systems), -1)]


def _distinct(texts: Sequence[str], n_items: int) -> tuple[IntArray, IntArray]:
    """Return where each distinct text of an item occurs first, and which of these each text is.

    The texts of the items follow each other, system by system.
    """
    numbers: dict[str, int] = {}
    number = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
    item = np.arange(len(texts)) % n_items
    _, first, which = np.unique(number * n_items + item, return_index=True, return_inverse=True)
    return first, which


def _in_turn(parts: Sequence[_Texts], progress: Progress | None, n_texts: int) -> list[FloatArray]:
    """Return the statistics of each part, counted here."""
    rows: list[FloatArray] = []
    done = 0
    for part in parts:
        rows.append(part.counted())
        done += len(part.texts)
        if progress is not None:
            progress(done, n_texts)
    return rows


def _by_workers(parts: Sequence[_Texts], executor: Executor | None) -> list[FloatArray]:
    """Return the statistics of each part, counted by tasks of the executor or by a process each."""
    if executor is not None:
        with executing.clear_errors(executor):
            futures = [executor.submit(_Texts.counted, part) for part in parts]
            return [future.result() for future in futures]
    with ThreadPoolExecutor(len(parts)) as waiting:
        results = list(waiting.map(_in_a_process, parts))
    return [part.counted() if rows is None else rows for part, rows in zip(parts, results, strict=True)]


def _in_a_process(part: _Texts) -> FloatArray | None:
    """Return the statistics of a part from a new process; None if there is none, or it fails.

    A process of `multiprocessing` would run the user's script again unless that guards against it.
    """
    if part.metric.identity() is None:  # it may hold functions, or come from that script
        return None
    try:
        done = subprocess.run(
            [sys.executable, "-c", _WORKER],
            input=pickle.dumps(part),
            capture_output=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            check=True,
        )
        rows: FloatArray = pickle.loads(done.stdout)
    except (OSError, ValueError, EOFError, pickle.PickleError, subprocess.CalledProcessError):
        return None
    return rows


def work() -> None:
    """Count the texts that come on the standard input, in a process of `_in_a_process`."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # a library may print
    pickle.dump(pickle.load(sys.stdin.buffer).counted(), out)
