"""A score or difference is computed of its systems alone: neither others nor which is first has a say."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from bestby import BestbyError, Evaluation, compare, evaluate
from bestby._core import chunks
from bestby.engine import prepare, statistics, sums
from bestby.engine.base import Drawing
from bestby.engine.statistics import Design, Rows, Statistics
from bestby.engine.sums import SumGroup, SumSample
from bestby.inference import lattice
from bestby.metrics.base import MeanMetric, Metric
from bestby.metrics.registry import resolve
from bestby.vocabulary import allowed_names

N = 150
RNG = np.random.default_rng(151)
NAMES = "abcde"
GOLD = RNG.choice(list("pqr"), N)
LABELS = {
    name: np.where(RNG.random(N) < 0.3 + 0.02 * i, RNG.choice(list("pqr"), N), GOLD).astype(object)
    for i, name in enumerate(NAMES)
}
NUMBER = RNG.normal(size=N)
NUMBERS = {name: NUMBER + RNG.normal(0.05 * i, 0.8, N) for i, name in enumerate(NAMES)}
WORDS = RNG.choice(["the", "cat", "sat", "on", "a", "mat"], (N, 6))
TEXTS = {
    name: [" ".join(row) for row in np.where(RNG.random((N, 6)) < 0.3 + 0.03 * i, "dog", WORDS)]
    for i, name in enumerate(NAMES)
}


@dataclass(frozen=True, repr=False)
class Cost(MeanMetric):
    """The mean cost of errors, which is 0, 1, 3 or 7."""

    name: str = "cost"
    bounds = (0.0, 10.0)
    reads = "labels"

    def values(self, gold: Any, predictions: Any) -> Any:
        """Return the cost of each item."""
        return np.where(gold == predictions, 0.0, np.array([1.0, 3.0, 7.0])[gold])


@dataclass(frozen=True)
class Data:
    """Systems, gold and a metric."""

    systems: dict[str, Any]
    gold: Any
    metric: Any

    def group(self, names: str = NAMES, **parts: Any) -> SumGroup:
        """Return the group of some systems."""
        chosen = Evaluation.of({name: self.systems[name] for name in names}, self.gold, **parts)
        (found,) = prepare.groups(chosen, [resolve(self.metric)])
        assert isinstance(found, SumGroup)
        return found

    def compare(self, names: str = NAMES, **asked: Any) -> Any:
        """Compare some systems."""
        asked = {"n_resamples": 199, "metric": self.metric, **asked}
        return compare({name: self.systems[name] for name in names}, self.gold, **asked)


KINDS = {
    "accuracy": Data(LABELS, GOLD, "accuracy"),
    "macro-F1": Data(LABELS, GOLD, "f1_macro"),
    "recall": Data(LABELS, GOLD, "recall[p]"),
    "own costs": Data(LABELS, GOLD, Cost()),
    "mean": Data(NUMBERS, None, "mean"),
    "RMSE": Data(NUMBERS, NUMBER, "rmse"),
    "correlation": Data(NUMBERS, NUMBER, "pearson"),
    "texts": Data(TEXTS, [" ".join(row) for row in WORDS], "bleu"),
}
CLUSTERS = np.arange(N) // 4
DESIGNS: dict[str, dict[str, Any]] = {
    "plain": {},
    "clusters": {"clusters": CLUSTERS},
    "strata": {"strata": np.arange(N) % 2},
    "both": {"clusters": CLUSTERS, "strata": CLUSTERS % 2},
}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
every_design = pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
DRAWING = Drawing(99, 3)


def by_formula(group: SumGroup, a: int, b: int | None) -> dict[str, Any]:
    """Return all numbers that formulas give of a score or difference."""
    sample = group.sample(a, b)
    error, curve = sample.error, sample.expansion
    found = {
        "standard error": sample.standard_error,
        "CR2": [error.se, error.df],
        "expansion": [curve.error, curve.acceleration, curve.curvature, curve.largest, curve.n_effective],
        "path": curve.along(np.array([-2.0, -1.0, 0.0, 1.0, 2.0])),
        "effective units": sample.effective_units,
        "equal units": sample.equal_units,
    }
    if b is not None:
        found |= {"differing": sample.differing, "same ranks": sample.same_ranks}
        found["test"] = sample.permutation("two-sided", DRAWING)
    return found


def by_units(group: SumGroup, a: int, b: int | None) -> dict[str, Any]:
    """Return what each unit says of a score or difference."""
    sample = group.sample(a, b)
    influences, plain, shares = sample.influences, sample.contributions, sample.shares
    return {
        "influence": influences.values,
        "units": [influences.sizes, influences.counts],
        "strata": influences.bounds,
        "items": sample.item_influence,
        "without": sample.left_out().values,
        "contributions": None if plain is None else [plain.values, plain.counts],
        "shares": None if shares is None else [shares.values, shares.counts],
    }


def by_draws(group: SumGroup, a: int, b: int | None) -> dict[str, Any]:
    """Return what resamples say of a score or difference."""
    sample = group.sample(a, b)
    found: dict[str, Any] = {
        "resamples": sample.bootstrap(DRAWING),
        "smaller": sample.bootstrap(Drawing(49, 3, resample_size=0.5)),
        "pivots": sample.pivots(DRAWING),
    }
    if b is not None:
        found["swaps"] = sample.sampled_permutation("greater", DRAWING)
    return found


def assert_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Compare to the bit."""
    assert one.keys() == other.keys()
    for name, first in one.items():
        second = other[name]
        if isinstance(first, list | np.ndarray):
            for x, y in zip(first, second, strict=True):
                np.testing.assert_array_equal(x, y, err_msg=name)
        else:
            np.testing.assert_equal(first, second, err_msg=name)


# -- other systems -------------------------------------------------------------------------------------------


@every_kind
@every_design
def test_beside_others_a_pair_and_a_system_are_what_they_are_alone(
    kind: Data, design: dict[str, Any]
) -> None:
    everything = kind.group(**design)
    for names in ("ab", "db", "c"):
        alone = kind.group(names, **design)
        positions = [NAMES.index(name) for name in names]
        here, there = (positions[0], positions[1] if len(names) == 2 else None), (0, len(names) == 2 or None)
        for facts in (by_formula, by_units, by_draws):
            assert_same(facts(everything, *here), facts(alone, there[0], there[1] and 1))


@pytest.mark.parametrize(
    "design",
    [
        {"on_missing": "worst"},
        {"on_missing": "worst", "strata": np.arange(N) % 2},
        {"on_missing": "worst", "clusters": CLUSTERS},
    ],
    ids=["plain", "strata", "clusters"],
)
@pytest.mark.parametrize("metric", ["f1_macro", "accuracy", Cost()], ids=str)
def test_so_they_are_where_predictions_are_missing(metric: Any, design: dict[str, Any]) -> None:
    systems = {**LABELS, "c": np.where(np.arange(N) % 9 == 0, None, LABELS["c"])}
    data = Data(systems, GOLD, metric)
    everything, alone = data.group(**design), data.group("ac", **design)
    for facts in (by_formula, by_units, by_draws):
        assert_same(facts(everything, 0, 2), facts(alone, 0, 1))


@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("metric", ["f1_macro", "accuracy"])
def test_counted_rows_give_what_the_items_give(metric: str, stratified: bool) -> None:
    strata = np.arange(N) % 2 if stratified else np.zeros(N, dtype=np.int64)
    rows = Counter(zip(strata.tolist(), GOLD, *LABELS.values(), strict=True))
    of_stratum, gold, *predicted = zip(*rows, strict=True)
    counted = Data(dict(zip(NAMES, predicted, strict=True)), gold, metric).group(
        counts=list(rows.values()), strata=of_stratum if stratified else None
    )
    items = Data(LABELS, GOLD, metric).group(strata=strata if stratified else None)
    for a, b in ((0, 1), (4, 2), (3, None)):
        for facts in (by_formula, by_units, by_draws):
            one, other = facts(counted, a, b), facts(items, a, b)
            assert_same({**one, "items": None}, {**other, "items": None})


def answers(asked: list[dict[str, Any]], run: Callable[[dict[str, Any]], Any]) -> Iterator[tuple[Any, Any]]:
    """Yield what was asked and the answer, where methods apply."""
    for one in asked:
        try:
            yield one, run(one)
        except BestbyError as error:
            yield one, str(error)


ASKED: list[dict[str, Any]] = [
    *({"interval": name, "test": None} for name in allowed_names("interval", "items")),
    *({"test": name, "interval": None} for name in allowed_names("test", "items")),
    {"interval": "percentile", "test": "bootstrap", "resample_size": 0.5},
    {"interval": "normal", "test": "wald", "margin": 0.1, "alternative": "greater"},
]


@every_kind
def test_by_every_interval_and_test(kind: Data) -> None:
    n_answers = 0
    everything = answers(ASKED, lambda asked: kind.compare("abcd", correction="none", **asked))
    for (asked, one), (_, other) in zip(
        everything, answers(ASKED, lambda asked: kind.compare("bd", correction="none", **asked)), strict=True
    ):
        if isinstance(other, str):
            assert one == other
            continue
        n_answers += 1
        for name in ("estimate", "interval", "standard_error", "test", "n_differing", "verdict"):
            assert getattr(one["b", "d"], name) == getattr(other["b", "d"], name), (asked, name)
        codes = [[note.code for note in found["b", "d"].notes] for found in (one, other)]
        assert codes[0] == codes[1]
        for name in "bd":
            assert one.score(name).interval == other.score(name).interval
    assert n_answers >= 15


@every_kind
def test_scores_without_a_comparison_are_those_of_it(kind: Data) -> None:
    compared = kind.compare()
    for name in NAMES:
        (one,) = evaluate({name: kind.systems[name]}, kind.gold, metric=kind.metric, n_resamples=199).systems
        assert (one.score, one.interval) == (compared.score(name).score, compared.score(name).interval)


# -- A and B -------------------------------------------------------------------------------------------------


@every_kind
@every_design
def test_b_and_a_mirror_a_and_b(kind: Data, design: dict[str, Any]) -> None:
    group = kind.group("ac", **design)
    one, other = by_units(group, 0, 1), by_units(group, 1, 0)
    for name in ("influence", "items", "without"):
        assert_same({name: one[name]}, {name: -other[name]})
    assert_same({"units": one["units"]}, {"units": other["units"]})
    one, other = by_draws(group, 0, 1), by_draws(group, 1, 0)
    assert one["resamples"] == pytest.approx(other["resamples"][:, ::-1], rel=1e-12)
    if one["pivots"] is not None:
        assert one["pivots"] == pytest.approx(
            -other["pivots"], rel=1e-8, abs=1e-10
        )  # of columns side by side
    one, other = by_formula(group, 0, 1), by_formula(group, 1, 0)
    for name in ("standard error", "CR2", "effective units", "equal units", "differing"):
        assert_same({name: one[name]}, {name: other[name]})
    assert_same({"path": one["path"]}, {"path": -other["path"][::-1]})  # the step has the other sign, too
    assert one["test"].p_value == other["test"].p_value
    assert one["test"].statistic == -other["test"].statistic


# -- the order of the items ----------------------------------------------------------------------------------


def shuffled(kind: Data, design: dict[str, Any]) -> tuple[Data, dict[str, Any]]:
    """Return the same items in another order."""
    order = np.random.default_rng(2).permutation(N)
    gold = None if kind.gold is None else np.asarray(kind.gold)[order]
    systems = {name: np.asarray(values, dtype=object)[order] for name, values in kind.systems.items()}
    if not isinstance(systems["a"][0], str):
        systems = {name: values.astype(float) for name, values in systems.items()}
    return Data(systems, gold, kind.metric), {name: groups[order] for name, groups in design.items()}


@every_kind
@every_design
def test_items_in_another_order_are_the_same_units(kind: Data, design: dict[str, Any]) -> None:
    """To the bit, but for what is summed in the order of the items: numbers of clusters, standard scores."""
    exact = kind.metric != "pearson" and ("clusters" not in design or kind.metric not in ("mean", "rmse"))
    other, moved = shuffled(kind, design)
    one, two = kind.group("ab", **design), other.group("ab", **moved)
    for facts in (by_formula, by_units, by_draws) if exact else (by_formula,):
        first, second = facts(one, 0, 1), facts(two, 0, 1)
        if exact:
            assert_same({**first, "items": None}, {**second, "items": None})
        else:
            assert_near(first, second)


def assert_near(one: Any, other: Any) -> None:
    """Compare up to rounding, and p-values up to chance."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one:
            assert_near(one[name], other[name])
    elif isinstance(one, list | tuple | np.ndarray):
        for x, y in zip(one, other, strict=True):
            assert_near(x, y)
    elif hasattr(one, "p_value"):
        assert one.p_value == pytest.approx(other.p_value, rel=1e-9, abs=6.0 * (one.error + other.error))
        assert one.statistic == pytest.approx(other.statistic, rel=1e-9, abs=1e-12)
    elif isinstance(one, float | np.floating):
        assert one == pytest.approx(other, rel=1e-7, abs=1e-10)
    else:
        assert one == other


# -- very many single items, which stay in their order -------------------------------------------------------


def in_order(patch: pytest.MonkeyPatch) -> None:
    """Take any number of single items for very many."""
    patch.setattr(statistics, "IN_ORDER_FROM", 0)
    patch.setattr(statistics, "_SAMPLED_ROWS", 64)
    for name, size in (("MANY", 1 << 9), ("MOST_VALUES", 1 << 8)):
        patch.setattr(lattice, name, size)  # values are many, too


@pytest.mark.parametrize("kind", ["mean", "RMSE", "correlation"])
def test_formulas_give_the_same_in_the_order_of_the_items(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = KINDS[kind].group()
    with monkeypatch.context() as patch:
        in_order(patch)
        made = KINDS[kind].group()
    assert [one.place is None for one in made.statistics] == [True] * len(NAMES)
    for a, b in ((0, 1), (3, 1), (2, None)):
        assert_near(by_formula(made, a, b), by_formula(plain, a, b))
        one, other = by_units(made, a, b), by_units(plain, a, b)
        for name in ("influence", "without"):
            if other["units"][1].size == N:
                assert np.sort(one[name]) == pytest.approx(np.sort(other[name]), rel=1e-7, abs=1e-10)
        assert one["items"] == pytest.approx(other["items"], rel=1e-7, abs=1e-10)
        drawn = [np.std(group.sample(a, b).bootstrap(Drawing(999, 3)), axis=0) for group in (made, plain)]
        assert drawn[0] == pytest.approx(drawn[1], rel=0.15)
    spread = [group.spread for group in (made, plain)]
    assert spread[0] is not None
    assert spread[1] is not None
    assert spread[0].covariance == pytest.approx(spread[1].covariance, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("values", ["real", "heavy", "copies", "few differ", "one rounded"])
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"interval": "normal", "test": "t"},
        {"interval": "cr2", "test": "wald"},
        {"interval": "percentile", "test": "bootstrap"},
        {"simultaneous": True, "margin": 0.01},
        {"test": "wilcoxon", "alternative": "greater"},
        {"test": "sign", "interval": "bca"},
    ],
    ids=str,
)
def test_a_comparison_of_means_says_the_same_in_the_order_of_the_items(
    values: str, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    a, b, c = rng.normal(size=(3, 900)) + np.array([[0.1], [0.0], [0.05]])
    systems = {
        "real": (a, b, c),
        "heavy": tuple(rng.standard_t(3, (3, 900))),
        "copies": (a, a.copy(), c),
        "few differ": (a, np.where(np.arange(900) < 30, b, a), c),
        "one rounded": (a, b, np.round(c)),
    }[values]
    data = Data(dict(zip("abc", systems, strict=True)), None, "mean")
    found = []
    for patched in (False, True):
        with monkeypatch.context() as patch:
            if patched:
                in_order(patch)
            result = json.loads(data.compare("abc", **asked).to_json())
        found.append({name: result[name] for name in ("systems", "differences", "omnibus", "notes")})
    assert_near(*found)


# -- how units of several systems are counted ----------------------------------------------------------------


def systems_of(columns: list[np.ndarray], design: Design) -> list[Statistics]:
    """Return the statistics of systems with one number per item."""
    rows = (Rows(np.column_stack([column, np.ones(column.size)])) for column in columns)
    return [Statistics.of(resolve("mean"), s, one, design) for s, one in enumerate(rows)]  # type: ignore[arg-type]


WAYS: dict[str, tuple[int, ...]] = {
    "few rows": (3, 4),
    "few rows of several": (3, 4, 2, 5),
    "many rows": (90, 80),
    "one row and 256": (1, 256),
    "one tells all units apart": (3, 0),
    "the first tells all units apart": (0, 3, 4),
}
"""How many numbers the systems have; 0 for as many as there are items."""


@pytest.mark.parametrize("sizes", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("design", ["plain", "strata", "counts", "clusters"])
def test_distinct_units_of_several_systems_are_counted(
    sizes: tuple[int, ...], design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    n, rng = 300, np.random.default_rng(sum(sizes))
    monkeypatch.setattr(chunks, "CHUNK", 500)
    columns = [np.arange(n) % size if size else rng.permutation(n) for size in sizes]
    columns = [rng.permutation(column).astype(float) + 400.0 * s for s, column in enumerate(columns)]
    of = {
        "plain": Design(n),
        "strata": Design(n, strata=np.arange(n) % 3),
        "counts": Design(n, counts=1 + np.arange(n) % 4),
        "clusters": Design(n, clusters=np.arange(n) // 2),
    }[design]
    systems = systems_of(columns, of)
    sample = SumSample.of(systems, of)
    values = np.stack([rows[:, 0] for rows in sample.rows()], axis=1)
    strata = np.repeat(np.arange(sample.units.bounds.size - 1), np.diff(sample.units.bounds))
    found = Counter(
        dict(
            zip(
                map(tuple, np.column_stack([strata, values]).tolist()),
                sample.units.counts.tolist(),
                strict=True,
            )
        )
    )
    stratum = np.zeros(n) if of.strata is None else of.strata
    expected: Counter[tuple[float, ...]] = Counter()
    if of.clusters is None:
        for i, count in enumerate(of.item_counts.tolist()):
            expected[stratum[i], *(column[i] for column in columns)] += count
    else:
        for cluster in range(of.n_units):
            expected[0.0, *(column[of.clusters == cluster].sum() for column in columns)] += 1
    assert found == expected
    assert sample.units.n_rows == len(expected)
    back = SumSample.of(systems[::-1], of)
    assert_same(
        {"rows": sample.rows(), "counts": sample.units.counts, "strata": sample.units.bounds},
        {"rows": back.rows()[::-1], "counts": back.units.counts, "strata": back.units.bounds},
    )


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("at_once", [True, False])
def test_differing_items_and_units_are_those_a_loop_counts(clusters: bool, at_once: bool) -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2 if at_once else 40, (3, 40, 2)).astype(float)
    rows[1, :10] = rows[0, :10]
    rows[2] = rows[0]
    of = np.arange(40) // 4
    design = Design(40, clusters=of if clusters else None)
    metric: Any = resolve("rmse")
    systems = [Statistics.of(metric, s, Rows(one), design) for s, one in enumerate(rows)]
    for a, b in ((0, 1), (1, 2), (0, 2)):
        items = sum(bool((x != y).any()) for x, y in zip(rows[a], rows[b], strict=True))
        units = items
        if clusters:
            units = sum(bool((rows[a, of == c].sum(0) != rows[b, of == c].sum(0)).any()) for c in range(10))
        assert SumSample.of([systems[a], systems[b]], design).differing == (items, units)


def test_few_samples_are_held_and_made_again_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "MOST_HELD", 3 * N)
    group = KINDS["mean"].group()
    first = group.sample(0, 1)
    assert group.sample(0, 1) is first
    for a in range(5):
        group.sample(a)
    assert len(group._samples) < 5
    again = group.sample(0, 1)
    assert again is not first
    assert_same(
        {"rows": first.rows(), "resamples": first.bootstrap(DRAWING)},
        {"rows": again.rows(), "resamples": again.bootstrap(DRAWING)},
    )
    monkeypatch.setattr(sums, "MOST_HELD", 1)
    group = KINDS["mean"].group()
    assert group.sample(2, 3) is group.sample(2, 3)  # one is held whatever its size


# -- all systems together ------------------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("design", [{}, {"clusters": CLUSTERS}], ids=["plain", "clusters"])
def test_common_resamples_of_all_systems_vary_as_those_of_each_pair(
    kind: Data, design: dict[str, Any]
) -> None:
    group = kind.group(**design)
    drawn = group.bootstrap(Drawing(1999, 3))
    assert drawn.shape == (1999, len(NAMES))
    for a, b in ((0, 1), (4, 2)):
        of_pair = group.sample(a, b).bootstrap(Drawing(1999, 3))
        apart = [np.std(one[:, 0] - one[:, 1]) for one in (drawn[:, [a, b]], of_pair)]
        assert apart[0] == pytest.approx(apart[1], rel=0.1)


@pytest.mark.parametrize("kind", ["macro-F1", "mean", "RMSE"])
def test_scores_of_all_systems_without_a_unit_are_those_of_the_totals_less_its_rows(kind: str) -> None:
    group = KINDS[kind].group(clusters=CLUSTERS)
    found, sample = group.jackknife(), group.together
    for system, rows in enumerate(sample.rows()):
        total = group.statistics[system].total
        expected = [float(group.metric.score(total - row)) for row in rows]
        assert found.scores[:, system] == pytest.approx(expected, rel=1e-12)
    means = group.unit_means
    assert (means is None) == (kind != "mean")
    if means is not None:
        sizes = sample.sizes * sample.units.counts
        assert sizes @ means[0] / sizes.sum() == pytest.approx(group.scores, rel=1e-12)


def test_simultaneous_intervals_agree_with_the_adjusted_p_values() -> None:
    result = KINDS["macro-F1"].compare(simultaneous=True)
    for d in result.differences:
        assert (d.p_adjusted <= 0.05) == (0.0 not in d.interval)
        assert d.interval.method == "max-t"


def test_a_family_by_formula_draws_no_resample(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise AssertionError("resamples")

    monkeypatch.setattr(SumSample, "bootstrap", refuse)
    result = KINDS["macro-F1"].compare(simultaneous=True, test="wald")
    assert {d.interval.method for d in result} == {"max-t"}


# -- metrics of users ----------------------------------------------------------------------------------------


class Wide(Metric):
    """Variance of the errors over that of the gold, with spare columns for some systems."""

    name = "wide"
    bounds = (0.0, np.inf)

    def statistics(self, gold: Any, predictions: Any) -> Any:
        error = predictions - gold
        spare = [np.arange(gold.size) * (1.0 + i) for i in range(round(float(predictions[0])) % 3)]
        return np.column_stack([np.ones(gold.size), error, error**2, gold**2, *spare])

    def score(self, totals: Any) -> Any:
        n, first, second, gold = (totals[..., i] for i in range(4))
        return (second - first**2 / n) / gold


def test_systems_may_have_statistics_of_different_width() -> None:
    systems = {name: values.copy() for name, values in NUMBERS.items()}
    for i, values in enumerate(systems.values()):
        values[0] = float(i)  # decides how many spare columns there are
    data = Data(systems, NUMBER, Wide())
    everything = data.group()
    assert {one.X.shape[1] for one in everything.statistics} == {4, 5, 6}
    assert np.isfinite(everything.bootstrap(DRAWING)).all()
    for facts in (by_formula, by_units, by_draws):
        assert_same(facts(everything, 0, 3), facts(data.group("ad"), 0, 1))  # as wide as each other
