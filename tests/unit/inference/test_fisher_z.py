"""The interval of the agreement of annotators, and its note where a label is rare."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bestby as bb
from bestby.inference import skewness
from bestby.inference.clusters import StandardError
from bestby.inference.intervals import Moments

Rows = list[tuple[int, ...]]


def labelled(rng: np.random.Generator, n: int, rare: float, raters: int = 3) -> Rows:
    """Return labels of annotators who find three of four items of the rare kind, and 2 % of the others."""
    found = np.where(rng.random(n) < rare, 0.75, 0.02)
    return [tuple(row) for row in (rng.random((n, raters)) < found[:, None]).astype(int).tolist()]


def true(rare: float) -> float:
    """Return the agreement beyond chance of such annotators."""
    share = 0.75 * rare + 0.02 * (1.0 - rare)
    differing = rare * 2.0 * 0.75 * 0.25 + (1.0 - rare) * 2.0 * 0.02 * 0.98
    return 1.0 - differing / (2.0 * share * (1.0 - share))


@pytest.mark.parametrize("metric", ["krippendorff_alpha", "fleiss_kappa", "krippendorff_alpha_ordinal"])
def test_the_interval_is_that_of_the_jackknife_in_z(metric: str) -> None:
    rows = labelled(np.random.default_rng(1), 60, 0.4)
    result = bb.evaluate({"a": rows}, metric=metric)
    (one,) = result.systems
    left = [
        bb.evaluate({"a": rows[:i] + rows[i + 1 :]}, metric=metric, interval=None).systems[0].score
        for i in range(60)
    ]
    units = Moments.of(-59.0 * np.arctanh(left), np.ones(60, dtype=np.int64))
    assert units is not None
    error = skewness.robust(StandardError(units.error_of_mean, 59.0), units, skewness.FOR_INTERVALS)
    expected = np.tanh(skewness.interval(math.atanh(one.score), error, 0.95))
    assert one.interval is not None
    assert one.interval.method == "fisher-z"
    assert (one.interval.low, one.interval.high) == pytest.approx(tuple(expected))
    assert "Fisher, 1921" in result.methods()


@pytest.mark.parametrize(("n", "rare"), [(30, 0.5), (30, 0.06), (100, 0.06), (200, 0.06)])
def test_few_misses_go_without_a_note(n: int, rare: float) -> None:
    rng, sets, quiet = np.random.default_rng(n), 80, []
    for _ in range(sets):
        rows = labelled(rng, n, rare)
        if len({label for row in rows for label in row}) < 2:
            continue
        result = bb.evaluate({"a": rows}, metric="krippendorff_alpha", n_resamples=99)
        interval, codes = result.systems[0].interval, {note.code for note in result.notes}
        missed = interval is not None and true(rare) not in interval
        quiet.append(missed and not codes & {"rare_label", "few_effective"})
    assert np.mean(quiet) <= 0.05 + 2.0 * math.sqrt(0.05 * 0.95 / sets)


def test_a_rare_label_is_noted() -> None:
    rows = [(0, 0, 0)] * 40 + [(1, 1, 0)] * 3 + [(1, 1, 1)] * 4
    (note,) = [n for n in bb.evaluate({"a": rows}, metric="fleiss_kappa").notes if n.code == "rare_label"]
    assert note.message.startswith("only 7 items have another label than the commonest")
    more = bb.evaluate({"a": [*rows, *[(1, 1, 1)] * 3]}, metric="fleiss_kappa")
    assert "rare_label" not in {note.code for note in more.notes}
    clusters = [place // 3 for place in range(48)]
    of_clusters = bb.evaluate({"a": [*rows, (1, 1, 1)]}, metric="fleiss_kappa", clusters=clusters)
    assert "clusters have another label" in str([note.message for note in of_clusters.notes])


def test_perfect_agreement_has_no_interval() -> None:
    result = bb.evaluate({"a": [(0, 0)] * 30 + [(1, 1)] * 20}, metric="krippendorff_alpha")
    assert result.systems[0].interval is None
    assert "constant_scores" in {note.code for note in result.notes}


def test_numbers_clusters_and_other_methods() -> None:
    rng = np.random.default_rng(2)
    rows = [tuple(row) for row in (rng.normal(size=(50, 1)) + 0.5 * rng.normal(size=(50, 3))).tolist()]
    (one,) = bb.evaluate({"a": rows}, metric="krippendorff_alpha_interval").systems
    assert one.interval is not None
    assert one.interval.method == "fisher-z"
    clustered = bb.evaluate(
        {"a": rows}, metric="krippendorff_alpha_interval", clusters=[place // 5 for place in range(50)]
    ).systems[0]
    assert clustered.interval is not None
    assert clustered.interval.method == "fisher-z"
    (named,) = bb.evaluate({"a": rows}, metric="krippendorff_alpha_interval", interval="percentile").systems
    assert named.interval is not None
    assert named.interval.method == "percentile"
