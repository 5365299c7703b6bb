"""The settings of resampling, which every function that resamples takes: checked in one place."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby._core.typing import Rng
from bestby.resampling import executing, streams


@with_suggestions
@dataclass(frozen=True)
class Resampling:
    """How to resample: what every function that resamples takes as ``resampling=``.

    The settings that are often needed are keywords of these functions too. A keyword at its default leaves
    the setting to the record, even where it is written out: ``rng=0`` beside a record with another seed has
    no effect. A keyword with another value is used where the record has its default; where both have values
    of their own and these differ, it is an error.

    Parameters
    ----------
    n_resamples : int, optional
        Resamples, where any are drawn; by default as many as the function draws without being told.
    rng : int, numpy.random.Generator or None
        The seed; None for fresh entropy, which is recorded.
    n_jobs : int
        Threads, -1 for as many as the machine lets this process use; the numbers are the same for any.
    executor : Executor, optional
        What runs long jobs in place of threads: any ``concurrent.futures.Executor``, or a
        ``dask.distributed.Client``. The numbers are the same for any.
    resample_size : float or int, optional
        Draw so many of the items (clusters) for each bootstrap resample, as a fraction or a number; all by
        default.
    rescale : bool
        Multiply the deviations of smaller resamples by the root of their share.
    progress : callable, optional
        Called with the number of resamples done and their number.

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
    executor: Executor | None = None
    resample_size: float | None = None
    rescale: bool = True
    progress: Callable[[int, int], None] | None = None

    def __post_init__(self) -> None:
        if self.n_resamples is not None:
            checks.positive_int(self.n_resamples, "n_resamples")
        streams.check_rng(self.rng)
        executing.n_threads(self.n_jobs)
        object.__setattr__(self, "executor", executing.checked(self.executor))
        resample_size(self.resample_size)
        if self.progress is not None and not callable(self.progress):
            raise InvalidInputError(
                f"progress must be a function, got {quoted(self.progress)}",
                hint="give a function of two numbers, the resamples done and all of them, such as print",
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
    default: int = 10_000,
    *,
    function: str = "this function",
    **keywords: Any,
) -> Resampling:
    """Return the settings that the record and the keywords of a function make together.

    `default` is the number of resamples of the function. Settings that are not among the keywords have no
    effect on it and are refused.
    """
    checks.positive_int(n_resamples, "n_resamples")
    if record is None:
        return Resampling(n_resamples, **keywords)
    if not isinstance(record, Resampling):
        raise InvalidInputError(
            f"resampling must be a Resampling, got {quoted(record)}",
            hint="resampling=bestby.Resampling(n_resamples=2000, rng=1)",
            argument="resampling",
        )
    merged: dict[str, Any] = {}
    for entry in fields(Resampling):
        name, own = entry.name, getattr(record, entry.name)
        keyword: Any = n_resamples if name == "n_resamples" else keywords.get(name, entry.default)
        usual: Any = default if name == "n_resamples" else entry.default
        if name != "n_resamples" and name not in keywords:
            checks.refuse_unused(function, **{f"resampling.{name}": (own, usual)})
        # Python does not tell a default from the same value written out, so that either leaves the record its
        # say.
        set_here, set_there = keyword is not usual and keyword != usual, own is not entry.default
        if set_here and set_there and own != keyword and own != entry.default:
            raise InvalidInputError(
                f"{name}={quoted(keyword)} contradicts resampling, which has {name}={quoted(own)}",
                hint="give it once: in the record or as a keyword",
                argument=name,
            )
        merged[name] = keyword if set_here or own is None else own
    return replace(record, **merged)


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
