"""How far a job is that resamples in several stages: the bootstrap, each test, scores without each unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]


@contextmanager
def counted_stages(progress: Progress | None, expected: int) -> Iterator[Progress | None]:
    """Give what stages tell how far they are, to tell `progress` of all of them; None for None.

    `expected` is how many resamples the stages have together. The share that is done never falls, and is
    whole at the end and not before.
    """
    if progress is None:
        yield None
        return
    stages = _Stages(progress, expected)
    yield stages
    stages.finish()


def in_turn(progress: Progress | None, place: int, jobs: int) -> Progress | None:
    """Return what one of several jobs tells, one after the other, to tell `progress` of all of them."""
    return None if progress is None else lambda done, of: progress(place * of + done, jobs * of)


def extra_stage(progress: Progress | None) -> Progress | None:
    """Return what a stage tells how far it is that was not among the expected ones."""
    return progress.besides() if isinstance(progress, _Stages) else progress


class _Stages:
    def __init__(self, tell: Progress, expected: int) -> None:
        self._tell, self._expected = tell, expected
        self._done = 0  # by the stages that are over
        self._last_told = (0, 1)

    def __call__(self, done: int, of: int) -> None:
        now, total = self._done + done, max(self._expected, self._done + of)
        if done >= of:
            self._done += of
        if now < total and now * self._last_told[1] >= self._last_told[0] * total:
            self._last_told = (now, total)
            self._tell(now, total)

    def besides(self) -> Progress:
        began = False

        def stage(done: int, of: int) -> None:
            nonlocal began
            self._expected += 0 if began else of
            began = True
            self(done, of)

        return stage

    def finish(self) -> None:
        whole = max(1, self._done)
        self._tell(whole, whole)
