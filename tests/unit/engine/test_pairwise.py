"""Pairs that are counted alone give what the table of all systems gives, by any interval and test."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from bestby import Evaluation, InvalidInputError, compare, evaluate
from bestby._core.errors import DesignError
from bestby.engine import pairwise, prepare
from bestby.engine.base import Drawing
from bestby.engine.pairwise import Labels, PairGroup, intervals_of
from bestby.engine.sums import TableGroup
from bestby.metrics.base import MeanMetric, Metric
from bestby.metrics.registry import resolve

RNG = np.random.default_rng(151)
N = 400
GOLD = RNG.choice(list("pqr"), N)
SYSTEMS = {
    name: np.where(RNG.random(N) < 0.3, RNG.choice(list("pqr"), N), GOLD).astype(object) for name in "abcd"
}
SYSTEMS["d"][::50] = "s"  # a label that the gold does not have
WITHOUT_OWN_LABEL = {**SYSTEMS, "d": np.where(SYSTEMS["d"] == "s", "r", SYSTEMS["d"])}
METRICS = ["f1_macro", "matthews_corrcoef"]


def group(**parts: Any) -> Any:
    """Return the group of the metrics, by pairs where these have fewer cells."""
    evaluation = Evaluation.of(SYSTEMS, gold=GOLD, **parts)
    return prepare.groups(evaluation, [resolve(name) for name in METRICS], by_pairs=True)[0][0]


def count_alone(patch: pytest.MonkeyPatch, *, always: bool) -> None:
    """Count the pairs of three systems or more always alone, or never."""
    patch.setattr(Labels, "better_by_pairs", property(lambda self: always and len(self.systems) > 2))


@pytest.fixture
def by_pairs(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Count all pairs alone."""
    count_alone(monkeypatch, always=True)
    return monkeypatch


@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_cells_are_counted(stratified: bool, missing: bool, weighted: bool, monkeypatch: Any) -> None:
    monkeypatch.setattr(pairwise, "AT_ONCE", 70)
    rng = np.random.default_rng(3)
    for n_labels in (2, 5, 40):  # keys of 8, 16 and 32 bits
        gold, *systems = rng.integers(0, n_labels, (4, 300)).astype(np.int8)
        if missing:
            systems[2][::9] = -1
        strata = rng.integers(0, 3, 300) if stratified else None
        counts = rng.integers(1, 9, 300) if weighted else None
        labels = Labels(gold, systems, n_labels, strata, counts)
        for chosen in ((0,), (2,), (0, 2)):
            rows = np.column_stack(
                [np.zeros(300, int) if strata is None else strata, gold, *(systems[s] for s in chosen)]
            )
            expected: Counter[tuple[int, ...]] = Counter()
            for row, count in zip(rows.tolist(), np.ones(300) if counts is None else counts, strict=True):
                expected[tuple(row)] += int(count)
            cells, found = labels.cells(chosen)
            assert dict(zip(map(tuple, cells.tolist()), found.tolist(), strict=True)) == expected


def test_pairs_are_counted_alone_where_they_have_fewer_cells() -> None:
    def better(n: int, n_systems: int, n_labels: int, strata: Any = None) -> bool:
        codes = np.zeros(n, dtype=np.int8)
        return Labels(codes, [codes] * n_systems, n_labels, strata, None).better_by_pairs

    assert better(28 * 27, 8, 3)
    assert not better(28 * 27 - 1, 8, 3)
    assert not better(100_000, 3, 2)  # all systems together have no more than 2**4 cells
    assert not better(100_000, 2, 20)
    assert not better(28 * 27, 8, 3, np.arange(28 * 27) % 2)


@pytest.mark.parametrize("strata", [None, np.arange(N) % 2])
def test_scores_and_errors_are_those_of_the_table_of_all(strata: Any, by_pairs: pytest.MonkeyPatch) -> None:
    pairs = group(strata=strata)
    count_alone(by_pairs, always=False)
    table = group(strata=strata)
    assert type(pairs) is PairGroup
    assert type(table) is TableGroup
    assert (pairs.scores() == table.scores()).all()
    assert (pairs.n_systems, pairs.n_units, pairs.n_strata) == (table.n_systems, N, table.n_strata)
    assert (pairs.units.sizes == table.units.sizes).all()
    for m in range(2):
        for a, b in ((0, 1), (3, 1), (2, None)):
            assert pairs.standard_error(m, a, b) == pytest.approx(table.standard_error(m, a, b), rel=1e-9)
            one, other = pairs.error(m, a, b), table.error(m, a, b)
            assert (one.se, one.df) == pytest.approx((other.se, other.df), rel=1e-6)
        assert pairs.differing((m, 3, 1)) == table.differing((m, 3, 1))
        assert (pairs.totals(m, 3) == table.totals(m, 3)).all()


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"interval": "studentized", "alternative": "greater"},
        {"interval": "percentile", "test": "bootstrap"},
        {"interval": "normal", "test": "wald", "margin": 0.02},
        {"interval": "basic", "resample_size": 0.5, "baseline": "b"},
        {"strata": np.arange(N) % 2, "test": "auto"},
    ],
    ids=["auto", "studentized", "bootstrap", "wald", "m out of n", "strata"],
)
def test_a_pair_alone_is_the_same_to_the_bit(how: dict[str, Any], by_pairs: pytest.MonkeyPatch) -> None:
    systems = WITHOUT_OWN_LABEL
    everything = compare(systems, GOLD, metric=METRICS, n_resamples=199, **how)
    by_pairs.undo()
    for a, b in ("ab", "bd"):
        alone = compare({a: systems[a], b: systems[b]}, GOLD, metric=METRICS, n_resamples=199, **how)
        for metric in METRICS:
            one, other = everything[a, b, metric], alone[a, b, metric]
            assert (one.estimate, one.interval, one.test) == (other.estimate, other.interval, other.test)
            assert (one.standard_error, one.n_differing) == (other.standard_error, other.n_differing)
            assert one.verdict == other.verdict
            assert [note.code for note in one.notes] == [note.code for note in other.notes]


def test_missing_predictions_and_counted_rows(by_pairs: pytest.MonkeyPatch) -> None:
    systems = {**WITHOUT_OWN_LABEL, "c": np.where(np.arange(N) % 9 == 0, None, SYSTEMS["c"])}
    how: dict[str, Any] = {"metric": METRICS, "n_resamples": 199}
    everything = compare(systems, GOLD, on_missing="worst", **how)
    by_pairs.undo()
    alone = compare({name: systems[name] for name in "ac"}, GOLD, on_missing="worst", **how)
    assert everything["a", "c", "f1_macro"].interval == alone["a", "c", "f1_macro"].interval
    count_alone(by_pairs, always=True)
    rows = Counter(zip(GOLD, *(SYSTEMS[name] for name in "abcd"), strict=True))
    gold, *predicted = zip(*rows, strict=True)
    counted = Evaluation.of(dict(zip("abcd", predicted, strict=True)), gold, counts=list(rows.values()))
    assert compare(counted, **how).to_dict() == compare(SYSTEMS, GOLD, **how).to_dict()


def test_pairs_tell_how_all_systems_vary_together(by_pairs: pytest.MonkeyPatch) -> None:
    """The covariance is that of the influences of all systems; its noise is taken from the pairs."""
    how: dict[str, Any] = {"metric": "f1_macro", "interval": "normal", "simultaneous": True}
    pairs = compare(SYSTEMS, GOLD, **how)
    spread = group().spread(0)
    by_pairs.undo()
    table = compare(SYSTEMS, GOLD, **how)
    joint = prepare.groups(Evaluation.of(SYSTEMS, GOLD), [resolve("f1_macro")])[0][0]
    expected = joint.spread(0)
    assert spread.covariance == pytest.approx(expected.covariance, rel=1e-6, abs=1e-12)
    assert spread.noise == pytest.approx(expected.noise, rel=0.5)
    for one, other in zip(pairs, table, strict=True):
        assert one.interval.low == pytest.approx(other.interval.low, abs=1e-3)
        assert one.p_adjusted == pytest.approx(other.p_adjusted, abs=0.02)


def test_pairs_have_no_common_resamples(by_pairs: pytest.MonkeyPatch) -> None:
    made = group()
    for refused in (lambda: made.bootstrap(Drawing(9, 0)), lambda: made.jackknife(0)):
        with pytest.raises(DesignError, match="no common resamples"):
            refused()


def test_scores_alone_are_those_of_the_comparison(by_pairs: pytest.MonkeyPatch) -> None:
    how: dict[str, Any] = {"metric": METRICS, "n_resamples": 199}
    compared, scored = compare(SYSTEMS, GOLD, **how), evaluate(SYSTEMS, GOLD, **how)
    others = evaluate(WITHOUT_OWN_LABEL, GOLD, **how)
    by_pairs.undo()
    for score in scored.systems:
        assert compared.score(score.system, score.metric).interval == score.interval
        if score.system != "d":  # which has a label of its own, and so one more term in each sum
            one = evaluate({score.system: SYSTEMS[score.system]}, GOLD, **how).score(
                score.system, score.metric
            )
            assert one.interval == others.score(score.system, score.metric).interval
            ends = (one.interval.low, one.interval.high)
            assert (score.interval.low, score.interval.high) == pytest.approx(ends, rel=1e-11)


def test_notes_of_a_metric_are_those_of_the_table_of_all(by_pairs: pytest.MonkeyPatch) -> None:
    gold = np.where(np.arange(N) < 3, "t", GOLD)  # nobody predicts t
    how: dict[str, Any] = {"metric": "precision_macro", "n_resamples": 199, "interval": "normal"}
    pairs = compare(SYSTEMS, gold, **how)
    by_pairs.undo()
    assert compare(SYSTEMS, gold, **how).notes == pairs.notes
    assert {"counted_as_zero", "caution"} <= {note.code for note in pairs.notes}


def test_few_groups_are_kept(by_pairs: pytest.MonkeyPatch) -> None:
    pairs = group()
    by_pairs.setattr(pairwise, "MOST_KEPT", 2)
    by_pairs.setattr(pairwise, "MOST_NUMBERS", 0)
    from bestby.engine.base import Drawing
    from bestby.engine.targets import Target

    intervals = intervals_of(pairs, Drawing(99, 0))
    first = intervals.interval(Target(0, 3, 1), "bca", 0.95)
    for a in range(4):
        intervals.interval(Target(0, a), "percentile", 0.95)
    assert len(pairs._alone) <= 2
    assert intervals.interval(Target(0, 3, 1), "bca", 0.95) == first


@dataclass(frozen=True, repr=False)
class Short(Metric):
    """A metric with too few rows, which also adds up codes."""

    name: str = "short"
    bounds = (0.0, 10.0)
    reads = "labels"

    def fit(self, gold: Any, systems: Any, labels: Any) -> Any:
        """Check that codes can be multiplied."""
        assert int((gold * 10_000).max()) == 10_000 * (labels.size - 2)
        assert all(values.dtype == np.int64 for values in systems)
        return self

    def statistics(self, gold: Any, predictions: Any) -> Any:  # noqa: ARG002
        """Return a row less than there should be."""
        return np.ones((predictions.size - 1, 2))

    def score(self, totals: Any) -> Any:
        """Return the first total."""
        return totals[..., 0]


@pytest.mark.usefixtures("by_pairs")
def test_metrics_of_users_get_ordinary_integers_and_errors_that_name_the_system() -> None:
    with pytest.raises(InvalidInputError, match=r"must return statistics of shape .* for system 'a'"):
        compare(SYSTEMS, GOLD, metric=Short())


def test_groups_of_items_are_not_counted_by_pairs(by_pairs: pytest.MonkeyPatch) -> None:
    assert type(group(clusters=np.arange(N) // 4)) is TableGroup
    assert type(group()) is PairGroup
    found = prepare.groups(Evaluation.of(SYSTEMS, gold=GOLD), [resolve("f1_macro")])
    assert type(found[0][0]) is TableGroup
    mixed = prepare.groups(
        Evaluation.of(SYSTEMS, gold=GOLD), [resolve("accuracy"), resolve("f1_macro")], by_pairs=True
    )
    assert [(type(one), positions) for one, positions in mixed] == [(PairGroup, [1]), (TableGroup, [0])]


@dataclass(frozen=True, repr=False)
class Cost(MeanMetric):
    """The mean cost of errors, which is 0, 1, 3 or 7."""

    name: str = "cost"
    bounds = (0.0, 10.0)
    reads = "labels"

    def values(self, gold: Any, predictions: Any) -> Any:
        """Return the cost of each item."""
        return np.where(gold == predictions, 0.0, np.array([1.0, 3.0, 3.0, 7.0])[gold])


@pytest.mark.parametrize("metric", ["accuracy", ["f1_micro", "accuracy"], Cost(), [Cost(), "accuracy"]])
@pytest.mark.parametrize("parts", [{}, {"strata": np.arange(N) % 3}], ids=["plain", "strata"])
def test_means_of_many_systems_are_counted_by_their_values(
    metric: Any, parts: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = {**SYSTEMS, "c": np.where(np.arange(N) % 9 == 0, None, SYSTEMS["c"])}
    for systems in (SYSTEMS, missing):
        evaluation = Evaluation.of(systems, GOLD, on_missing="worst", **parts)
        found = []
        for many in (0, 1 << 60):
            monkeypatch.setattr(prepare, "MANY", many)
            found.append(compare(evaluation, metric=metric, n_resamples=199, interval="bca").to_dict())
        assert found[0] == found[1]


def test_simultaneous_intervals_of_pairs_from_their_own_cells() -> None:
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 4, 3000)
    systems = {s: np.where(rng.random(3000) < 0.8, gold, rng.integers(0, 4, 3000)) for s in "abc"}
    settings: dict[str, Any] = {"metric": "f1_macro", "simultaneous": True, "n_resamples": 200}
    alone = compare(systems, gold, **settings)
    for d in alone.differences:
        assert (d.p_adjusted <= 0.05) == (0.0 not in d.interval)
        assert d.interval.method == "max-t"
