"""Units of two systems are counted by their kinds, as if there were no other systems."""

from __future__ import annotations

import weakref
from typing import Any
from unittest import mock

import numpy as np
import pytest

from bestby import compare
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.engine import responses as responses_module
from bestby.engine import sums as sums_module
from bestby.engine import table as table_module
from bestby.engine.base import Drawing
from bestby.engine.interval_maker import Intervals
from bestby.engine.responses import Part, Responses
from bestby.engine.sums import MOST_ALONE, SumGroup
from bestby.engine.targets import Target
from bestby.metrics.registry import resolve

N = 6000
RNG = np.random.default_rng(12)
GOLD = RNG.choice(list("pqrst"), N)
SYSTEMS = {
    name: np.where(RNG.random(N) < share, RNG.choice(list("pqrst"), N), GOLD)
    for name, share in zip("abcdefgh", np.linspace(0.5, 0.6, 8), strict=True)
}
STRATA = np.arange(N) % 3


def group(names: str = "abcdefgh", metric: str = "f1_macro", **more: Any) -> SumGroup:
    """Return the group of some systems on the rows of all of them."""
    chosen = {name: SYSTEMS[name] for name in names}
    ((made, _),) = prepare.groups(Evaluation.of(chosen, gold=GOLD, **more), [resolve(metric)])
    assert isinstance(made, SumGroup)
    return made


@pytest.mark.parametrize("strata", [None, STRATA])
def test_the_table_of_two_systems_is_the_one_that_sorting_gives(strata: Any) -> None:
    table = group(strata=strata).table
    columns = [table.columns[0][s] for s in (1, 4)]
    assert table.units.n_rows > MOST_ALONE
    assert table.few_kinds(columns)
    counted, _ = table.only(columns)
    with mock.patch.object(table_module, "FEW_COMBINATIONS", 0):
        assert not table.few_kinds(columns)
        whole, _ = table.only(columns)
    assert (counted.X == whole.X).all()
    assert (counted.units.counts == whole.units.counts).all()
    assert (counted.units.bounds == whole.units.bounds).all()
    assert (counted.sizes == whole.sizes).all()
    assert len(counted.X) <= 5**3 * (1 if strata is None else 3)


@pytest.mark.parametrize("limit", [0, table_module.FEW_COMBINATIONS])
@pytest.mark.parametrize("strata", [None, STRATA])
@pytest.mark.parametrize("clusters", [None, np.arange(N) // 2])
def test_units_know_their_row_in_the_table_of_a_system(strata: Any, clusters: Any, limit: int) -> None:
    table = group("abc", strata=None if clusters is not None else strata, clusters=clusters).table
    columns = table.columns[0][1]
    with mock.patch.object(table_module, "FEW_COMBINATIONS", limit):
        own, rows = table.alone(columns)
        (same, first), known = table.only([columns]), table.rows_alone(columns)
    assert (own.X == same.X).all()
    assert (own.constants == same.constants).all()
    assert (own.sizes == same.sizes).all()
    assert (own.units.counts == same.units.counts).all()
    assert own.units.bounds.tolist() == same.units.bounds.tolist()
    assert (own.rows(own.columns[0][0])[rows] == table.rows(columns)).all()
    assert (np.bincount(rows, table.units.counts) == own.units.counts).all()
    assert rows[first].tolist() == list(range(own.units.n_rows))
    assert known.tolist() == rows.tolist()


@pytest.mark.parametrize("strata", [None, STRATA])
def test_known_kinds_make_the_table_of_a_system_that_sorting_makes(strata: Any) -> None:
    sorts, counts = group(strata=strata).table, group(strata=strata).table
    columns = sorts.columns[0][3]
    assert counts.few_kinds([columns])
    with mock.patch.object(table_module, "distinct_rows", side_effect=AssertionError):
        of_counts, rows_of_counts = counts.alone(columns)
    with mock.patch.object(table_module, "FEW_COMBINATIONS", 0):
        of_sorts, rows_of_sorts = sorts.alone(columns)
    assert (of_counts.X == of_sorts.X).all()
    assert (of_counts.units.counts == of_sorts.units.counts).all()
    assert of_counts.units.bounds.tolist() == of_sorts.units.bounds.tolist()
    assert (of_counts.sizes == of_sorts.sizes).all()
    assert rows_of_counts.tolist() == rows_of_sorts.tolist()


@pytest.mark.parametrize("metric", ["f1_macro", "matthews_corrcoef", "f1_weighted"])
@pytest.mark.parametrize("interval", ["auto", "normal", "cr2"])
def test_beside_many_systems_a_pair_is_what_it_is_alone(metric: str, interval: str) -> None:
    """To the bit, with more joint rows than any table of two systems has."""
    how: dict[str, Any] = {"metric": metric, "interval": interval, "n_resamples": 299}
    assert group(metric=metric).units.n_rows > MOST_ALONE
    everything = compare(SYSTEMS, GOLD, **how)
    for a, b in ("ab", "cg", "dh"):
        (alone,) = compare({a: SYSTEMS[a], b: SYSTEMS[b]}, GOLD, **how)
        twin = everything[alone.a, alone.b]
        assert (twin.interval, twin.standard_error, twin.test) == (
            alone.interval,
            alone.standard_error,
            alone.test,
        )
        assert twin.n_differing == alone.n_differing


def test_other_ways_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the joint rows of all systems, and of the kinds of two."""
    made = group()
    pairs = [(0, 0, 1), (0, 5, 2)]
    drawing = Drawing(999, 0)
    counted = made.permutation(pairs, "two-sided", drawing)
    effective = [made.effective_units(*pair) for pair in pairs]
    differing = [made.differing(pair) for pair in pairs]
    monkeypatch.setattr(SumGroup, "_of_kinds", lambda *_: None)
    plain = group()
    assert plain.permutation(pairs, "two-sided", drawing) == counted
    assert [plain.differing(pair) for pair in pairs] == differing
    makers = Intervals(plain, drawing)
    assert effective == pytest.approx([makers.effective_units(Target(*pair)) for pair in pairs], rel=1e-9)


def test_clusters_and_numbers_are_not_looked_through() -> None:
    clustered = group(clusters=np.arange(N) // 2)
    assert not clustered.table.few_kinds([clustered.table.columns[0][0]])
    x = RNG.normal(size=N)
    numbers = {name: x + RNG.normal(size=N) for name in "abc"}
    ((made, _),) = prepare.groups(Evaluation.of(numbers, gold=x), [resolve("rmse")])
    with mock.patch.object(table_module.Table, "_kinds", side_effect=AssertionError):
        assert made.alone(0, 0, 1)[0] is made


@pytest.mark.parametrize("at_once", [1, 1 << 17])
def test_scores_without_a_unit_are_those_of_the_jackknife(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(responses_module, "STACKED", at_once)
    made = group("abc")
    scores = made.jackknife(0).scores[:, 0]
    for system in range(3):
        assert made._part(0, system).left_out() == pytest.approx(scores[:, system], rel=1e-13)


def test_few_groups_and_expansions_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums_module, "MOST_HELD", 20_000)
    monkeypatch.setattr(sums_module, "MOST_EXPANDED", 1)
    made = group()
    known = [made.expansion(0, a, b).error for a in range(4) for b in range(a)]
    assert len(made._alone) <= 20_000 // 500
    fresh = group()
    assert known == [fresh.expansion(0, a, b).error for a in range(4) for b in range(a)]
    (own, _) = made.alone(0, 0, 1)
    own.expansion(0, 0)
    own.expansion(0, 1)
    assert len(own._expansions) == 1


def test_an_expansion_that_is_kept_holds_no_rows() -> None:
    made, held = group(), []
    part = Responses.part

    def watched(own: Responses, metric: int, system: int) -> Part:
        found = part(own, metric, system)
        held.append(weakref.ref(found))
        return found

    with mock.patch.object(Responses, "part", watched):
        kept = made.expansion(0, 0, 1)
    assert made.expansion(0, 0, 1) is kept
    assert [ref() for ref in held] == [None, None]


def test_a_family_by_formula_draws_no_resample() -> None:
    """The p-values of its intervals asked for resamples whose answer was not used."""
    with mock.patch.object(SumGroup, "bootstrap", side_effect=AssertionError("resamples")):
        result = compare(SYSTEMS, GOLD, metric="f1_macro", simultaneous=True, test="wald")
    assert {d.interval.method for d in result} == {"max-t"}
    assert min(d.p_adjusted for d in result) < 1e-6


def test_the_table_of_a_pair_is_made_once_where_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interval of a pair and its standard error follow each other."""
    monkeypatch.setattr(sums_module, "MOST_HELD", 500)
    gold = np.random.default_rng(0).normal(size=60)
    systems = {name: gold + np.random.default_rng(place).normal(size=60) for place, name in enumerate("abcd")}
    with mock.patch.object(
        table_module.Table, "only", autospec=True, side_effect=table_module.Table.only
    ) as only:
        compare(systems, gold, metric="rmse", n_resamples=100)
    assert only.call_count == 6
