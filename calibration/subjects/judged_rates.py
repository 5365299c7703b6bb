"""Shares corrected by a judge's error rates on a calibration set: coverage of intervals, error of tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

import bestby as bb
from calibration.statements import Outcome, Statements, What, holds

TITLE = "Judges with error rates from a calibration set"

TEXT = """
Three systems, of which the second and third are equally good: .6, .5 and .5 of the items are right, or .95,
.9 and .9. A judge with specificity .75 and sensitivity .9 gives verdicts on 400 or 2000 items, and its error
rates are estimated from other items, of which half are right; *own* has such items for every system. *Score*
is the interval of the first system, *difference* that of the first and second, *equal systems* the test of
the second and third. *Clusters*: ten items of a cluster are alike in what is right and in how the judge errs,
in the items that are compared, in the calibration set or in both. *Strata*: the judge's specificity is .6 in
one half of the items and .9 in the other, which differ in how many are right, and the calibration set says
which half an item is of.
"""

_SHARES = {"half right": (0.6, 0.5, 0.5), "most right": (0.95, 0.9, 0.9)}
_NAMES = ("a", "b", "c")
_SPECIFICITY, _SENSITIVITY = 0.75, 0.9
_ALIKE = 0.3
"""The correlation of the latent scores of two items of a cluster."""


def cells() -> Iterator[Statements]:
    """Yield populations by the size of the calibration set."""
    for kind in _SHARES:
        for n_items in (400, 2000):
            for n in (50, 200):
                for own in (False, True):
                    one = partial(_one, kind=kind, n_items=n_items, n=n, own=own)
                    name = f"{kind}{', own' if own else ''}, {n_items} items"
                    yield Statements("judged_rates", name, str(n), n, one, 300)
    for way in ("items", "calibration", "both"):
        one = partial(_one, kind="half right", n_items=1000, n=200, own=False, clustered=way)
        yield Statements("judged_rates", f"clusters: {way}, half right, 1000 items", "200", 20, one, 300)
    for n in (200, 800):
        one = partial(_one, kind="half right", n_items=1000, n=n, own=False, stratified=True)
        yield Statements("judged_rates", "strata, half right, 1000 items", str(n), n, one, 300)


def _latent(rng: np.random.Generator, n: int, *, clustered: bool) -> np.ndarray:
    """Return normal numbers, those of ten items in a row alike with clusters."""
    own = rng.standard_normal(n)
    if not clustered:
        return own
    shared = rng.standard_normal(n // 10)[np.arange(n) // 10]
    return np.sqrt(_ALIKE) * shared + np.sqrt(1.0 - _ALIKE) * own


def _verdicts(
    rng: np.random.Generator, right: np.ndarray, specificity: np.ndarray | float, *, clustered: bool
) -> np.ndarray:
    """Return what the judge says of items that are right or not."""
    agrees = norm.cdf(_latent(rng, right.size, clustered=clustered))
    correct = agrees < np.where(right, _SENSITIVITY, specificity)
    return np.where(correct, right, ~right)


def _one(
    rng: np.random.Generator,
    _seed: int,
    kind: str,
    n_items: int,
    n: int,
    own: bool,
    clustered: str = "",
    stratified: bool = False,
) -> Mapping[What, Outcome]:
    true = _SHARES[kind]
    in_items, in_set = clustered in ("items", "both"), clustered in ("calibration", "both")
    half, half_of_set = np.arange(n_items) * 2 // n_items, np.arange(n) * 2 // n
    specificity = np.where(half, 0.9, 0.6) if stratified else _SPECIFICITY
    shift = np.where(half, 0.2, -0.2) if stratified else 0.0
    judge = {}
    for name, share in zip(_NAMES, true, strict=True):
        right = norm.cdf(_latent(rng, n_items, clustered=in_items)) < share + shift
        judge[name] = _verdicts(rng, right, specificity, clustered=in_items).astype(int)
    groups: dict[str, Any] = {}
    if in_items:
        groups["clusters"] = np.arange(n_items) // 10
    if stratified:
        groups["strata"] = half
    of_set = np.where(half_of_set, 0.9, 0.6) if stratified else _SPECIFICITY
    tables = []
    for name in _NAMES if own else ("",):
        human = norm.cdf(_latent(rng, n, clustered=in_set)) < 0.5
        table = pd.DataFrame(
            {"item": np.arange(n), "judge": _verdicts(rng, human, of_set, clustered=in_set).astype(int),
             "human": human.astype(int)}
            | ({"system": name} if own else {})
            | ({"cluster": np.arange(n) // 10} if in_set else {})
            | ({"stratum": half_of_set} if stratified else {})
        )  # fmt: skip
        tables.append(table)
    try:
        found = bb.compare_judged(judge, calibration=pd.concat(tables), correction="none", **groups)
    except bb.errors.DesignError:  # a judge that is no better than chance on a small calibration set
        return {}
    score, difference = found.score("a"), found["a", "b"]
    return {
        What("coverage", "score", True): Outcome(holds(score.interval, true[0])),
        What("coverage", "difference", True): Outcome(holds(difference.interval, true[0] - true[1])),
        What("rejected", "equal systems", True): Outcome(found["b", "c"].p_value <= 0.05),
    }
