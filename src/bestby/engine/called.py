"""Metrics that are any function of gold and predictions, called on each resample."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, BoolArray, FloatArray
from bestby.engine.base import less
from bestby.engine.weighted import CALLED_AT_ONCE, ItemGroup, ItemSample
from bestby.inference import smoothness
from bestby.metrics.functions import FunctionMetric
from bestby.resampling import streams
from bestby.resampling.shared import Shared

_UNDEFINED = (ValueError, ArithmeticError, LookupError)
"""What a function raises where it has no value: no items of a class to divide by, or to look up."""


@dataclass(frozen=True, eq=False)
class CallGroup(ItemGroup):
    """Any function of gold and predictions, called on the items of each resample."""

    metric: FunctionMetric

    @cached_property
    def _full(self) -> FloatArray:
        return np.array([[self._called(self.gold, predictions) for predictions in self.systems]])

    def _called(self, gold: Array | None, predictions: Array) -> float:
        try:
            return self.metric(gold, predictions)
        except (TypeError, *_UNDEFINED) as error:
            if isinstance(error, InvalidInputError):
                raise
            raise InvalidInputError(
                f"metric {self.metric.name!r} failed on the full data: {error}",
                hint="it is called as function(gold, predictions) with two arrays",
            ) from error

    def _resampled(self, gold: Array | None, predictions: Array) -> float:
        """Return the score of a resample, NaN where the function has none (a class is absent, say)."""
        try:
            return self.metric(gold, predictions)
        except _UNDEFINED as error:
            if isinstance(error, InvalidInputError):
                raise
            return float("nan")

    def _score_weights(self, weights: Array) -> FloatArray:
        out = np.empty((weights.shape[0], self.n_systems))
        position = np.arange(weights.shape[1])
        with _QUIET:
            for r, row in enumerate(weights):
                drawn = np.repeat(position, row)
                gold = None if self.gold is None else self.gold[drawn]
                for s, predictions in enumerate(self.systems):
                    out[r, s] = self._resampled(gold, predictions[drawn])
        return out

    def _score_swapped(
        self,
        a: int,
        b: int,
        *,
        standardised: bool = False,  # noqa: ARG002
    ) -> Callable[[Array], FloatArray]:
        return partial(self._differences, a, b)

    def _differences(self, a: int, b: int, bits: Array) -> FloatArray:
        first, second = self.systems[a], self.systems[b]
        out = np.empty(bits.shape[0])
        with _QUIET:
            for r, swapped in enumerate(bits.astype(np.bool_)):
                row = swapped if first.ndim == 1 else swapped[:, None]
                score_a = self._resampled(self.gold, np.where(row, second, first))
                score_b = self._resampled(self.gold, np.where(row, first, second))
                out[r] = score_a - score_b
        return out

    def sample(self, a: int, b: int | None = None) -> CallSample:
        """Return the sample of the score of A, or of the difference A minus B."""
        return CallSample(self, a, b)

    @cached_property
    def left_out_together(self) -> tuple[FloatArray, BoolArray]:
        """The scores without sets of the groups that the jackknife leaves out, and the sets."""
        sets = smoothness.sets_of(self.n_left_out, streams.block_generator(0, "groups", 1))
        kept = (~sets[:, self._groups]).astype(np.int32)
        return self._score_weights(self._by_item(kept)), sets

    def _most(self) -> int:
        """Return fewer than for ranks: the calls take the time, and small blocks are shared out evenly."""
        return CALLED_AT_ONCE

    def _most_plain_work(self) -> int:
        """Return none: each draw is a call of a function of the user."""
        return 0


@dataclass(frozen=True, eq=False)
class CallSample(ItemSample):
    """One system or two of a function of a user, which may be any."""

    group: CallGroup

    @property
    def moves_in_steps(self) -> bool:
        """Whether the score or difference does, as that of a median; only functions of a user can."""
        together, sets = self.group.left_out_together
        together = less(together[:, self.systems].T)
        return smoothness.in_steps(self.estimate, self.left_out().values, together, sets)


@contextmanager
def _ignoring() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


_QUIET = Shared(_ignoring)
"""Keeps a function that warns from warning once per resample."""
