"""`compare_facets`: identities, forms of data, notes, and what other numbers of levels would give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bestby as bb
from bestby.errors import DesignError, InvalidInputError
from bestby.report.percent import in_percent

BOTH = ("prompt", "seed")


def scores(
    seed: int = 0, size: tuple[int, ...] = (4, 3, 20), names: str = "ab", spread: float = 0.3
) -> dict[str, Any]:
    """Return scores of systems over prompts, seeds in prompts and items."""
    chance = np.random.default_rng(seed)
    items = chance.normal(size=size[-1])
    return {
        name: items
        + spread * chance.normal(size=(size[0], *[1] * (len(size) - 1)))
        + 0.2 * chance.normal(size=(*size[:-1], 1))
        + 0.5 * chance.normal(size=size)
        for name in names
    }


def long(data: dict[str, Any], *facets: str) -> pd.DataFrame:
    """Return arrays as a long table."""
    rows = [
        {"system": name, **dict(zip(facets, place, strict=True)), "score": value}
        for name, values in data.items()
        for place, value in np.ndenumerate(values)
    ]
    return pd.DataFrame(rows)


def codes(result: Any) -> set[str]:
    return {note.code for note in (*result.notes, *(note for d in result for note in d.notes))}


def facets(data: Any, names: Any = BOTH, **more: Any) -> Any:
    return bb.compare_facets(data, facets=names, n_resamples=199, **more)


# -- identities ------------------------------------------------------------------------------------


def test_one_facet_without_items_is_students_t() -> None:
    data = {name: values[:, 0, 0] for name, values in scores(size=(12, 1, 1)).items()}
    d = facets(data, "prompt")["a", "b"]
    expected = stats.ttest_rel(data["a"], data["b"])
    assert d.p_value == pytest.approx(expected.pvalue, rel=1e-12)
    interval = expected.confidence_interval()
    assert [d.interval.low, d.interval.high] == pytest.approx([interval.low, interval.high], rel=1e-12)


@given(seed=st.integers(0, 10**6), n_prompts=st.integers(2, 8))
def test_where_only_prompts_vary_it_is_the_t_of_their_means(seed: int, n_prompts: int) -> None:
    means = np.random.default_rng(seed).normal(size=n_prompts)
    data = {"a": np.repeat(means[:, None], 30, axis=1), "b": np.zeros((n_prompts, 30))}
    d = facets(data, "prompt")["a", "b"]
    assert d.p_value == pytest.approx(stats.ttest_1samp(means, 0.0).pvalue, rel=1e-9)


@given(seed=st.integers(0, 10**6))
def test_where_only_items_vary_it_is_the_t_of_items(seed: int) -> None:
    means = np.random.default_rng(seed).normal(size=15)
    data = {"a": np.repeat(means[None, :], 4, axis=0), "b": np.zeros((4, 15))}
    d = facets(data, "prompt")["a", "b"]
    assert d.p_value == pytest.approx(stats.ttest_1samp(means, 0.0).pvalue, rel=1e-9)


@given(seed=st.integers(0, 10**6), spread=st.sampled_from([0.0, 0.3, 2.0]))
def test_swapping_relabelling_and_scaling(seed: int, spread: float) -> None:
    data = scores(seed, spread=spread)
    d = facets(data, nested="seed in prompt")["a", "b"]
    swapped = facets({"a": data["b"], "b": data["a"]}, nested="seed in prompt")["b", "a"]
    assert (swapped.estimate, swapped.interval, swapped.p_value) == (d.estimate, d.interval, d.p_value)
    order = np.random.default_rng(seed).permutation(4)
    turned = facets({name: x[order][:, ::-1] for name, x in data.items()}, nested="seed in prompt")["a", "b"]
    assert turned.p_value == pytest.approx(d.p_value, rel=1e-9)
    assert turned.standard_error == pytest.approx(d.standard_error, rel=1e-9)
    larger = facets({name: 8.0 * x for name, x in data.items()}, nested="seed in prompt")["a", "b"]
    assert (larger.interval.low, larger.p_value) == (8.0 * d.interval.low, d.p_value)


@given(seed=st.integers(0, 10**6), shift=st.floats(-1, 1))
def test_a_small_p_value_and_an_interval_without_zero_go_together(seed: int, shift: float) -> None:
    data = scores(seed, size=(3, 2, 12))
    d = facets({"a": data["a"] + shift, "b": data["b"]}, nested="seed in prompt")["a", "b"]
    assert (d.p_value < 0.05) == (0.0 not in d.interval)


def test_a_fixed_crossed_facet_is_averaged_first() -> None:
    data = scores()
    fixed = facets(data, fixed="seed")["a", "b"]
    alone = facets({name: x.mean(axis=1) for name, x in data.items()}, "prompt")["a", "b"]
    assert fixed.p_value == pytest.approx(alone.p_value, rel=1e-12)
    both = facets(data, fixed=BOTH)["a", "b"]
    items = (data["a"] - data["b"]).mean(axis=(0, 1))
    assert both.p_value == pytest.approx(stats.ttest_1samp(items, 0.0).pvalue, rel=1e-9)


def test_seeds_in_prompts_give_the_interval_of_their_means() -> None:
    data = scores()
    nested = facets(data, nested="seed in prompt")["a", "b"]
    means = facets({name: x.mean(axis=1) for name, x in data.items()}, "prompt")["a", "b"]
    assert nested.interval.low == pytest.approx(means.interval.low, rel=1e-12)
    assert [one.effect for one in nested.components] == [
        "prompt", "item", "seed in prompt", "prompt x item", "seed in prompt x item",
    ]  # fmt: skip
    assert sum(one.share for one in nested.components) == pytest.approx(1.0)


def test_a_pair_alone_equals_its_cell_of_all() -> None:
    data = scores(names="abc")
    every, alone = facets(data), facets({name: data[name] for name in "ac"})
    assert every["a", "c"].p_value == alone["a", "c"].p_value
    assert every["a", "c"].components == alone["a", "c"].components
    assert every["a", "c"].p_adjusted >= every["a", "c"].p_value


def test_the_set_of_the_best_is_that_of_bonferronis_intervals() -> None:
    data = scores(size=(6, 3, 60), names="abc", spread=0.1)
    data = {name: x + shift for (name, x), shift in zip(data.items(), (0.9, 0.85, 0.0), strict=True)}
    found = facets(data, nested="seed in prompt")
    assert found.best is not None
    assert set(found.best.systems) == {"a", "b"}
    assert "may_be_best" in found.to_frame("scores").columns
    assert "The best system is one of" in str(found)
    assert facets(data, nested="seed in prompt", correction="none").best == found.best
    assert facets({name: data[name] for name in "ab"}, nested="seed in prompt").best is None
    assert facets(data, nested="seed in prompt", baseline="c").best is None
    lower = facets(data, nested="seed in prompt", metric="loss")
    assert lower.best.systems == ("c",)


# -- forms of data ---------------------------------------------------------------------------------


def test_a_long_and_a_wide_table_and_arrays_agree() -> None:
    data = scores()
    table = long(data, "prompt", "seed", "item")
    wide = table.pivot_table(index=["prompt", "seed", "item"], columns="system", values="score").reset_index()
    expected = facets(data, nested="seed in prompt")["a", "b"]
    for given_data in (table, table.sample(frac=1.0, random_state=0), wide):
        found = bb.compare_facets(given_data, nested="seed in prompt", n_resamples=199)["a", "b"]
        assert found.p_value == pytest.approx(expected.p_value, rel=1e-9)
        assert found.components[0].variance == pytest.approx(expected.components[0].variance, rel=1e-9)


def test_nesting_is_found_and_said() -> None:
    table = long(scores(), "prompt", "seed", "item")
    table["seed"] += 10 * table["prompt"]
    found = facets(table)
    assert "facets_nested" in codes(found)
    assert found.facets[1].within == ("prompt",)
    assert found["a", "b"].p_value == pytest.approx(
        facets(scores(), nested="seed in prompt")["a", "b"].p_value
    )


def test_predictions_and_means_of_any_metric() -> None:
    data, gold = scores(size=(3, 2, 20)), np.arange(20) % 2
    answers = {name: (x > 0).astype(int) for name, x in data.items()}
    right = {name: (x == gold).astype(float) for name, x in answers.items()}
    assert (
        facets(answers, gold=gold, metric="accuracy")["a", "b"].interval == facets(right)["a", "b"].interval
    )
    table = long(answers, *BOTH, "item").rename(columns={"score": "prediction"})
    named = facets(table.assign(gold=gold[table["item"]]))["a", "b"]  # a column called gold is the gold
    assert named.interval.low == pytest.approx(facets(right)["a", "b"].interval.low, rel=1e-12)
    squared = facets(data, gold=gold.astype(float), metric="mse")["a", "b"]
    assert squared.estimate == pytest.approx(
        np.mean((data["a"] - gold) ** 2) - np.mean((data["b"] - gold) ** 2)
    )
    assert not squared.greater_is_better


def test_runs_that_were_read_are_one_facet() -> None:
    chance = np.random.default_rng(0)
    items = {name: [chance.normal(size=20) for _ in range(4)] for name in "ab"}
    runs = bb.Runs(items, None, None, None, "logs")
    expected = facets({name: np.stack(x) for name, x in items.items()}, "run")["a", "b"]
    assert bb.compare_facets(runs, n_resamples=199)["a", "b"].interval == expected.interval


def test_unmatched_seeds_may_differ_in_number() -> None:
    data = scores()
    fewer = {"a": data["a"], "b": data["b"][:, :2]}
    found = facets(fewer, nested="seed in prompt", unmatched="seed")["a", "b"]
    means = facets({name: x.mean(axis=1) for name, x in fewer.items()}, "prompt")["a", "b"]
    assert found.interval.low == pytest.approx(means.interval.low, rel=1e-12)
    renamed = long(data, "prompt", "seed", "item")
    renamed["seed"] = renamed["seed"].astype(str) + renamed["system"]
    again = facets(renamed, nested="seed in prompt", unmatched="seed")["a", "b"]
    assert again.p_value == pytest.approx(facets(data, nested="seed in prompt")["a", "b"].p_value, rel=1e-9)
    alone = facets({name: x[:, 0] for name, x in data.items()}, "seed", unmatched="seed")
    assert "paired_by_number" in codes(alone)


def test_documents_are_a_facet_that_items_lie_in() -> None:
    table = long({name: x[:, 0] for name, x in scores(size=(4, 1, 24)).items()}, "prompt", "item")
    table["doc"] = table["item"] // 4
    found = facets(table, "prompt", clusters="doc")
    assert [facet.name for facet in found.facets] == ["prompt", "doc", "item"]
    assert "item in doc" in [one.effect for one in found["a", "b"].components]


def test_several_columns_make_the_id_of_an_item() -> None:
    table = long({name: x[:, 0] for name, x in scores(size=(4, 1, 24)).items()}, "prompt", "item")
    expected = facets(table, "prompt", items="item")["a", "b"]
    parts = table.assign(document=table["item"] // 4, sentence=table["item"] % 4).drop(columns="item")
    for data, items in ((table, ["item"]), (parts, ["document", "sentence"])):
        d = facets(data, "prompt", items=items)["a", "b"]
        assert (d.interval, d.p_value) == (expected.interval, expected.p_value)


def test_missing_cells() -> None:
    data = scores(size=(4, 3, 30))
    data["a"][0, :, :20] = np.nan
    data["b"][2, 1, 5] = np.nan
    found = facets(data, nested="seed in prompt")
    assert {"unbalanced", "missing_by_level"} <= codes(found)
    assert found["a", "b"].n_items == 30
    dropped = facets(data, nested="seed in prompt", on_missing="drop")
    assert dropped.n_items == 10
    assert "items_dropped" in codes(dropped)
    with pytest.raises(InvalidInputError, match="cells have no value"):
        facets(data, nested="seed in prompt", on_missing="error")
    by_cells = facets(data, nested="seed in prompt", weights="cells")["a", "b"]
    there = np.isfinite(data["a"] - data["b"])
    assert by_cells.estimate == pytest.approx(
        (data["a"] - data["b"]).mean(axis=1)[there.all(axis=1)].mean(), abs=0.05
    )


def test_sparse_cells_have_an_interval_but_no_components() -> None:
    lacks = np.random.default_rng(1).random((4, 2, 30)) < 0.85
    few = {name: np.where(lacks, np.nan, x) for name, x in scores(size=(4, 2, 30)).items()}
    sparse = facets(few, nested="seed in prompt")
    assert (sparse["a", "b"].components, "no_components" in codes(sparse)) == ((), True)
    assert 0.0 < sparse["a", "b"].p_value < 1.0
    assert str(sparse)
    with pytest.raises(InvalidInputError, match="no components"):
        sparse["a", "b"].study({"prompt": 8})
    with pytest.raises(InvalidInputError, match="no components"):
        sparse.allocate(budget=9, costs={"call": 1})


def test_several_values_in_a_cell_are_averaged() -> None:
    table = long(scores(), "prompt", "seed", "item")
    found = facets(table, "prompt")
    assert "cells_averaged" in codes(found)
    means = facets({name: x.mean(axis=1) for name, x in scores().items()}, "prompt")
    assert found["a", "b"].p_value == pytest.approx(means["a", "b"].p_value, rel=1e-9)


# -- what is said, and refused ---------------------------------------------------------------------


def test_a_copy_differs_in_nothing() -> None:
    data = scores()
    d = facets({"a": data["a"], "b": data["a"]})["a", "b"]
    assert (d.estimate, d.p_value, d.interval, d.components) == (0.0, 1.0, None, ())
    with pytest.raises(InvalidInputError, match="differ by the same in all cells"):
        facets({"a": data["a"] + 0.1, "b": data["a"]})


def test_notes_on_few_levels() -> None:
    strong = scores(size=(3, 2, 50), spread=2.0)
    found = facets(strong, nested="seed in prompt")
    assert {"few_levels", "rests_on_few", "runs_interval"} <= codes(found)
    assert "two_levels" in codes(facets({name: x[:2] for name, x in strong.items()}, nested="seed in prompt"))
    none = facets(scores(1, size=(24, 2, 50), spread=0.0), nested="seed in prompt")
    assert {"few_levels", "two_levels", "rests_on_few"}.isdisjoint(codes(none))


def test_the_question_comes_first() -> None:
    table = long(scores(), "prompt", "judge", "item")
    found = facets(table, ("prompt", "judge"), fixed="judge")
    assert found.question == "For other prompts and other items like these, the same judges:"
    text = str(found)
    assert text.startswith("For other prompts")
    assert len(text.splitlines()) <= 40
    order = ["Difference in", "The variance comes from", "Half the interval"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert bb.load(found.to_json()) == found


def test_one_level_is_refused_unless_it_is_fixed() -> None:
    table = long({name: x[:, :1] for name, x in scores().items()}, "prompt", "judge", "item")
    with pytest.raises(DesignError, match="judge has one level, '0'"):
        facets(table, ("prompt", "judge"))
    found = facets(table, ("prompt", "judge"), fixed="judge")
    assert found.question.endswith("the same judges:")
    means = facets({name: x[:, 0] for name, x in scores().items()}, "prompt")
    assert found["a", "b"].p_value == pytest.approx(means["a", "b"].p_value, rel=1e-9)


# -- other numbers of levels -----------------------------------------------------------------------


def test_a_study_of_the_levels_there_are_gives_the_interval_there_is() -> None:
    d = facets(scores(1, size=(4, 3, 40), spread=1.0), nested="seed in prompt")["a", "b"]
    assert min(one.part for one in d.components) >= 0.0
    now = d.study({"prompt": 4})
    assert now.standard_error == pytest.approx(d.standard_error, rel=1e-9)
    assert now.half_length == pytest.approx(0.5 * (d.interval.high - d.interval.low), rel=1e-9)
    assert now.half_length in now.half_length_interval
    more = [d.study({"prompt": size}).half_length for size in (4, 8, 16)]
    assert more == sorted(more, reverse=True)
    # Twice the prompts halve every part that twice the seeds do, and that of the prompts
    assert d.study({"prompt": 8}).standard_error <= d.study({"seed": 6}).standard_error
    for wrong in ({"judge": 3}, {"prompt": 1}, {"prompt": 2.5}, 3):
        with pytest.raises(InvalidInputError):
            d.study(wrong)


def test_a_budget_buys_what_it_pays_for() -> None:
    found = facets(scores(size=(4, 3, 40), spread=1.0), nested="seed in prompt")
    plan = found.allocate(budget=300.0, costs={"prompt": 10.0, "call": 0.01})
    assert plan.best.cost <= 300.0
    assert plan.best.half_length < plan.now.half_length
    assert [one.cost - plan.now.cost > 0 for one in plan.steps] == [True] * 3
    enough = found.allocate(
        budget=300.0, costs={"prompt": 10.0, "call": 0.01}, target=plan.best.half_length * 1.5
    )
    assert enough.reached
    assert enough.best.half_length <= plan.best.half_length * 1.5
    assert enough.best.cost < plan.best.cost
    assert "budget of 300" in str(plan)
    assert not found.allocate(budget=300.0, costs={"prompt": 10.0, "call": 0.01}, target=1e-6).reached
    for costs in ({}, {"judge": 1.0}, {"prompt": -1.0}):
        with pytest.raises(InvalidInputError):
            found.allocate(budget=300.0, costs=costs)
    with pytest.raises(InvalidInputError, match="does not pay"):
        found.allocate(budget=0.1, costs={"prompt": 10.0})


def test_a_target_near_what_there_is_costs_little_more() -> None:
    found = facets(scores(size=(4, 3, 40), spread=1.0), nested="seed in prompt")
    plan = found.allocate(budget=1e4, costs={"prompt": 1.0, "call": 0.01}, target=1e9)
    assert dict(plan.best.levels)["prompt"] <= 3.0
    near = found.allocate(budget=1e4, costs={"prompt": 1.0, "call": 0.01}, target=0.95 * plan.now.half_length)
    assert near.best.half_length <= 0.95 * near.now.half_length
    assert near.best.cost < 1.5 * near.now.cost


def test_in_percent() -> None:
    chance = np.random.default_rng(0)
    right = {name: chance.integers(0, 2, (4, 3, 30)) for name in "ab"}
    found = facets(right, nested="seed in prompt", metric="accuracy", gold=np.ones(30, int))
    shown = in_percent(found)
    assert shown.studies[0].half_length == pytest.approx(100.0 * found.studies[0].half_length)
    one, other = (c["a", "b"].study({"prompt": 8}) for c in (found, shown))
    assert other.half_length_interval.low == pytest.approx(100.0 * one.half_length_interval.low)
    assert shown["a", "b"].components[0].part == pytest.approx(1e4 * found["a", "b"].components[0].part)


@pytest.mark.parametrize("kind", ["auto", "shares", "study"])
def test_figures(kind: str) -> None:
    axes = facets(scores(names="abc"), nested="seed in prompt").plot(kind=kind)
    assert axes.get_xlabel()


# -- runs that are several facets ------------------------------------------------------------------


def test_runs_that_share_levels_are_noted() -> None:
    data = scores(size=(3, 2, 10))
    names = [f"p{p}-s{s}" for p in range(3) for s in range(2)]
    runs = {name: dict(zip(names, x.reshape(6, 10), strict=True)) for name, x in data.items()}
    assert "runs_share_levels" in {note.code for note in bb.compare_runs(runs, n_resamples=99).notes}
    table = long(data, "prompt", "seed", "item")
    table["run"] = "r" + (2 * table["prompt"] + table["seed"]).astype(str)
    assert "runs_share_levels" in {note.code for note in bb.compare_runs(table, n_resamples=99).notes}
    seeds = {name: dict(zip(["s0", "s1"], x[0], strict=True)) for name, x in data.items()}
    assert "runs_share_levels" not in {note.code for note in bb.compare_runs(seeds, n_resamples=99).notes}
    with pytest.raises(InvalidInputError, match="occurs 3 times") as caught:
        bb.compare_runs(table.drop(columns="run"), run="seed")
    assert "compare_facets" in str(caught.value)


def test_a_check_names_facets(tmp_path: Any) -> None:
    table = long(scores(size=(3, 2, 10)), "prompt", "seed", "item")
    table.to_csv(tmp_path / "runs.csv", index=False)
    found = bb.check(tmp_path / "runs.csv")
    assert any(one.command.startswith("bestby facets") for one in found.commands)
    assert "runs_share_levels" in {one.code for one in found.findings}
