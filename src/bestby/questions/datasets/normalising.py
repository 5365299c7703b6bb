"""The scores of all datasets on one scale, and notes where their scales are far apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import BoolArray, FloatArray
from bestby.data.roles import listed
from bestby.engine.runs import RunScores
from bestby.metrics.suitability import FAR_APART, system_scales
from bestby.questions.datasets.source import DatasetScores
from bestby.questions.runs.source import Data
from bestby.results.base import Note

Ranges = Mapping[str, tuple[float, float]]
"""Per dataset the scores that become 0 and 1."""

MINMAX = "minmax"

_ONE_SCALE = (1.0, 100.0)  # shares and percentages have one scale, however small some of them are

_AS_PERCENT = (30.0, 300.0)
"""How many times as large as the others a score is that is probably a percentage among shares."""


def on_one_scale(scores: DatasetScores, normalise: Any) -> DatasetScores:
    """Return scores on the scale asked for, with a note on it, or on scales that are far apart."""
    if scores.items or scores.compared:
        return scores
    values = {
        name: np.concatenate(scores.runs[name].estimator.scores) if scores.runs else row
        for name, row in zip(scores.datasets, scores.matrix, strict=True)
    }
    ranges = ranges_of(normalise, values)
    notes = scale_notes(values, normalise)
    if not notes:
        notes = system_scales(dict(zip(scores.names, scores.matrix.T, strict=True)))
    scores = dataclasses.replace(scores, notes=(*scores.notes, *notes))
    if ranges is None:
        return scores
    scores = dataclasses.replace(scores, ranges=ranges, from_data=isinstance(normalise, str))
    if not scores.runs:
        rows = [normalised(row, ranges[n]) for n, row in zip(scores.datasets, scores.matrix, strict=True)]
        return dataclasses.replace(scores, matrix=np.array(rows))
    runs = {name: _rescaled(data, ranges[name]) for name, data in scores.runs.items()}
    matrix = np.array(
        [[one.estimator.estimate(s) for s in range(len(scores.names))] for one in runs.values()]
    )
    return dataclasses.replace(scores, matrix=matrix, runs=runs)


def _rescaled(data: Data, limits: tuple[float, float]) -> Data:
    runs = data.estimator
    assert isinstance(runs, RunScores)  # runs of items were refused
    scores = [normalised(x, limits) for x in runs.scores]
    return dataclasses.replace(
        data, estimator=RunScores(scores, runs.names, runs.statistic, runs.paired, runs.drawing)
    )


def ranges_of(normalise: Any, scores: Mapping[str, FloatArray]) -> Ranges | None:
    """Return what becomes 0 and 1 on each dataset, given or from all scores; None if nothing does."""
    if normalise is None:
        return None
    if isinstance(normalise, str):
        checks.choice(normalise, (MINMAX,), "normalise")
        return {name: _range(name, (float(x.min()), float(x.max()))) for name, x in scores.items()}
    if not isinstance(normalise, Mapping):
        raise InvalidInputError(
            f'normalise must be "minmax" or a mapping of dataset to (low, high), got {quoted(normalise)}',
            hint='normalise={"news": (0.2, 0.9), ...}: the scores that become 0 and 1',
            argument="normalise",
        )
    ranges = {checks.name_text(name, "dataset"): value for name, value in normalise.items()}
    absent = [name for name in scores if name not in ranges]
    if absent:
        raise InvalidInputError(
            f"normalise has no range for {len(absent)} of {len(scores)} datasets: {listed(absent)}",
            hint="give the scores that become 0 and 1 on each dataset, such as those of chance and of people",
            argument="normalise",
        )
    return {name: _range(name, ranges[name]) for name in scores}


def _range(name: str, value: Any) -> tuple[float, float]:
    what = f"the range of dataset {quoted(name)}"
    if not isinstance(value, tuple | list | np.ndarray) or len(value) != 2:
        raise InvalidInputError(
            f"{what} must be two numbers, got {quoted(value)}",
            hint="give (low, high): the scores that become 0 and 1",
        )
    low, high = (checks.number(one, what) for one in value)
    if not np.isfinite(low) or not np.isfinite(high) or low >= high:
        raise InvalidInputError(
            f"{what} must go from a lower to a higher score, got {low:g} to {high:g}",
            hint="leave out the dataset if all scores on it are the same"
            if low == high
            else "the first number becomes 0, the second 1; the direction of the scores stays as it is",
        )
    return low, high


def normalised(x: FloatArray, limits: tuple[float, float]) -> FloatArray:
    """Return scores on the scale on which the limits are 0 and 1.

    >>> normalised(np.array([2.0, 5.0]), (2.0, 4.0))
    array([0. , 1.5])
    """
    return np.asarray((x - limits[0]) / (limits[1] - limits[0]))


def scale_notes(scores: Mapping[str, FloatArray], normalise: Any) -> list[Note]:
    """Return the note on how scores were normalised, or on scales that are far apart."""
    if isinstance(normalise, str):
        message = (
            "the scores are normalised: 0 and 1 are the lowest and the highest score of any system on each"
            " dataset; intervals take these as known, and another system can change them"
        )
        return [Note("normalised", message)]
    if normalise is not None:
        return [Note("normalised", "the scores are normalised by the given ranges, to 0 and 1")]
    if mixed := _mixed(scores):
        return [mixed]
    sizes = {name: float(np.median(np.abs(x))) for name, x in scores.items()}
    least, most = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    everything = np.concatenate(list(scores.values()))
    if sizes[most] < FAR_APART * sizes[least] or sizes[most] == 0.0:
        return []
    if everything.min() >= 0.0 and any(everything.max() <= top for top in _ONE_SCALE):
        return []
    message = (
        f"the scores have sizes from {sizes[least]:.3g} on {least} to {sizes[most]:.3g} on {most}: means over"
        " the datasets are made by those with large scores; normalise=... brings them to one scale"
    )
    return [Note("scales_differ", message)]


def _mixed(scores: Mapping[str, FloatArray]) -> Note | None:
    """Return the note on percentages among shares, or shares among percentages; None without any.

    A score is one if it is about a hundred times as large, or as small, as the scores of the other kind on
    its dataset, or on all if it has none there. Scores of 0 and 1 may be either.
    """
    everything = np.concatenate(list(scores.values()))
    if everything.min() < 0.0 or everything.max() > _ONE_SCALE[1]:
        return None
    shares, percentages = everything[_are_shares(everything)], everything[everything > 1.0]
    if not shares.size or not percentages.size:
        return None
    few_large = percentages.size < shares.size
    odd: list[tuple[str, float]] = []
    for name, x in scores.items():
        small, large = x[_are_shares(x)], x[x > 1.0]
        usual, unusual = (small, large) if few_large else (large, small)
        typical = float(np.median(usual if usual.size else shares if few_large else percentages))
        for value in unusual.tolist():
            ratio = value / typical if few_large else typical / value
            odd += [(name, value)] * (_AS_PERCENT[0] <= ratio <= _AS_PERCENT[1])
    if not odd:
        return None
    one, many = ("a percentage", "shares") if few_large else ("a share", "percentages")
    if len(odd) > 1:
        one = one.removeprefix("a ") + "s"
    are = "one score looks like" if len(odd) == 1 else f"{len(odd)} scores look like"
    message = (
        f"{are} {one} among {many}: {odd[0][1]:.4g} on {odd[0][0]}"
        f"{', among others' * (len(odd) > 1)}. If so, every mean over the datasets is wrong: give all scores"
        " as shares, or all in percent"
    )
    return Note("mixed_percent", message)


def _are_shares(x: FloatArray) -> BoolArray:
    return (x > 0.0) & (x < 1.0)


def read_ranges(path: str | Path) -> dict[str, tuple[float, float]]:
    """Return the scores that become 0 and 1 on each dataset: columns dataset (or task), low and high."""
    from bestby.data.columns import MISSING
    from bestby.data.layouts.datasets import DATASET_WORDS
    from bestby.data.values import as_scores
    from bestby.readers.formats.base import one_table

    table = one_table(path, "the ranges of the datasets", MISSING)
    names = table.texts(table.column_called(None, DATASET_WORDS, "dataset"), "dataset")
    ends = []
    for word in ("low", "high"):
        column = as_scores(table.column(table.require(word, word)))
        if column.is_text or column.missing.any():
            raise InvalidInputError(
                f"{table.source}: column {word!r} must hold a number in every row",
                hint="give the scores that become 0 (low) and 1 (high) on each dataset",
            )
        ends.append(column.values.tolist())
    ranges: dict[str, tuple[float, float]] = {}
    for name, low, high in zip(names, *ends, strict=True):
        if name in ranges:
            raise InvalidInputError(
                f"{table.source}: dataset {quoted(name)} occurs more than once", hint="give it one range"
            )
        ranges[name] = (float(low), float(high))
    return ranges
