"""The settings of resampling, which every function that resamples takes: checked in one place."""

from __future__ import annotations

import os
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.paths import checked_path, is_url
from bestby._core.text import quoted
from bestby._core.typing import Rng
from bestby.resampling import executing, streams
from bestby.resampling.progress import Progress


@with_suggestions
@dataclass(frozen=True)
class Resampling:
    """How to resample: what every function that resamples takes as ``resampling=``.

    `n_resamples` and `rng` are keywords of these functions too. At its default, such a keyword leaves the
    setting to the record, even where it is written out: ``rng=0`` beside a record with another seed has no
    effect. Where both have values of their own and these differ, it is an error.

    Parameters
    ----------
    n_resamples : int, optional
        Resamples, where any are drawn; by default as many as the function draws without being told.
    rng : int, numpy.random.Generator or None
        The seed; None for fresh entropy, which is recorded.
    n_jobs : int
        Threads, and processes for counting texts where that takes long; -1 for as many as the machine lets
        this process use. The numbers are the same for any.
    progress : bool or callable, optional
        True draws a line on stderr that says how far the work is, once it has taken a second, on a terminal
        or in a notebook. A function is called with the number of resamples done and their number: those of
        the bootstrap and of the tests, and the scores without each item or group. The share that is done
        never falls, and ends at 1.
    executor : Executor, optional
        What runs long jobs in place of threads: any ``concurrent.futures.Executor``, or a
        ``dask.distributed.Client``. The numbers are the same for any.
    cache : str or path, optional
        A folder in which the counts that metrics of texts make are kept, so that texts are not counted again
        with the same metric, references and versions. The numbers are the same with it and without.
    resample_size : float or int, optional
        Draw so many of the items (clusters) for each bootstrap resample, as a fraction or a number: m out of
        n. All by default.
    rescale : bool
        Multiply the deviations of such resamples by the root of m / n, as the score of all n items varies so
        much less. Without it, p-values and intervals are those of an experiment of m items.

    Raises
    ------
    InvalidInputError
        If a setting cannot be used as given.

    See Also
    --------
    bestby.compare : What each setting means for a comparison.

    Examples
    --------
    >>> import bestby as bb
    >>> quick = bb.Resampling(n_resamples=500, rng=7)
    >>> scores = {"new": [3.0, 5.0, 4.0, 6.0], "old": [2.0, 5.0, 3.0, 4.0]}
    >>> bb.compare(scores, resampling=quick).provenance.seed
    7
    """

    n_resamples: int | None = None
    rng: Rng = 0
    n_jobs: int = 1
    progress: Progress | bool | None = None
    executor: Executor | None = None
    cache: str | PathLike[str] | None = None
    resample_size: float | None = None
    rescale: bool = True

    def __post_init__(self) -> None:
        if self.n_resamples is not None:
            checks.positive_int(self.n_resamples, "n_resamples")
        streams.check_rng(self.rng)
        executing.n_threads(self.n_jobs)
        object.__setattr__(self, "executor", executing.checked(self.executor))
        resample_size(self.resample_size)
        if self.cache is not None and (
            not os.fspath(checked_path(self.cache, "cache")) or is_url(os.fspath(self.cache))
        ):
            raise InvalidInputError(
                f"cache must be the path of a folder, got {quoted(self.cache)}",
                hint="cache='counts'",
                argument="cache",
            )
        if not (self.progress is None or isinstance(self.progress, bool) or callable(self.progress)):
            raise InvalidInputError(
                f"progress must be True, False or a function, got {quoted(self.progress)}",
                hint="True draws a line; a function takes two numbers, the resamples done and all of them",
                argument="progress",
            )
        if not checks.flag(self.rescale, "rescale") and self.resample_size is None:
            raise InvalidInputError(
                "rescale=False has no effect without resample_size: resamples as large as the data are never"
                " rescaled",
                hint="leave rescale out, or give resample_size too",
                argument="rescale",
            )


def combined_settings(
    record: Resampling | None,
    n_resamples: int,
    rng: Rng,
    default: int = 10_000,
    *,
    function: str = "",
    unused: str = "",
) -> Resampling:
    """Return the settings of a record together with the two that are keywords of a function as well.

    `default` is the number of resamples of the function. Settings that it does not use are refused.
    """
    checks.positive_int(n_resamples, "n_resamples")
    if record is None:
        return Resampling(n_resamples, rng)
    if not isinstance(record, Resampling):
        raise InvalidInputError(
            f"resampling must be a Resampling, got {quoted(record)}",
            hint="resampling=bestby.Resampling(n_resamples=2000, rng=1)",
            argument="resampling",
        )
    for name in unused.split():
        setting = (getattr(record, name), getattr(Resampling, name))
        checks.refuse_unused(function, **{f"resampling.{name}": setting})
    return replace(
        record,
        n_resamples=_setting("n_resamples", n_resamples, default, record.n_resamples, None),
        rng=_setting("rng", rng, 0, record.rng, 0),
    )


def _setting(name: str, keyword: Any, usual: Any, own: Any, unset: Any) -> Any:
    """Return a keyword, or what a record has in place of it where the keyword is at its default.

    Python does not tell a default from the same value written out, so that either leaves the record its say.
    """
    if own is unset or own == unset:
        return keyword
    if keyword is own or keyword in (usual, own):
        return own
    raise InvalidInputError(
        f"{name}={quoted(keyword)} contradicts resampling, which has {name}={quoted(own)}",
        hint="give it once: in the record or as a keyword",
        argument=name,
    )


def resample_size(size: float | None) -> float | None:
    """Return the size of a resample: a whole number of units, or a fraction of them; None for all.

    >>> resample_size(0.2), resample_size(200), resample_size(1.0)
    (0.2, 200, None)
    """
    if size is None:
        return None
    if isinstance(size, int | np.integer) and not isinstance(size, bool) and size >= 2:
        return int(size)
    if isinstance(size, float | np.floating) and 0.0 < size <= 1.0:
        return None if size == 1.0 else float(size)
    raise InvalidInputError(
        f"resample_size must be a fraction up to 1 or a whole number of at least 2, got {quoted(size)}",
        hint="0.2 draws a fifth of the items for each resample, 200 draws 200",
        argument="resample_size",
    )
