"""`FacetedScores`: a design whose power is that of the test of `compare_facets`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.errors import DesignError, InvalidInputError
from bestby.planning import FacetedScores, PairedScores

VARIANCES = {"prompt": 0.0004, "item": 0.04, "prompt x item": 0.05}
DESIGN = FacetedScores(0.03, VARIANCES, levels={"prompt": 6})
NESTED = {"prompt": 0.0004, "seed in prompt": 0.0002, "item": 0.05, "seed in prompt x item": 0.1}


def drawn(rng: np.random.Generator, prompts: int, seeds: int, items: int, difference: float) -> Any:
    """Return a comparison of two systems whose difference has the components `NESTED`."""
    sd = {name: math.sqrt(variance) for name, variance in NESTED.items()}
    d = difference + sd["prompt"] * rng.normal(size=(prompts, 1, 1)) + sd["item"] * rng.normal(size=items)
    d = d + sd["seed in prompt"] * rng.normal(size=(prompts, seeds, 1))
    d = d + sd["seed in prompt x item"] * rng.normal(size=(prompts, seeds, items))
    return bb.compare_facets(
        {"a": d, "b": np.zeros(d.shape)}, facets=("prompt", "seed"), nested="seed in prompt", n_resamples=99
    )


# -- the power that is said is the power had ---------------------------------------------------------


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_where_one_facet_varies_it_is_the_t_test_of_its_levels(alternative: str) -> None:
    for facet, n in (("item", 40), ("prompt", 4)):
        design = FacetedScores(0.3, {facet: 0.36}, levels={facet: n})
        ours = bb.power(design, n, alternative=alternative, curve=()).power  # type: ignore[arg-type]
        theirs = bb.power(PairedScores(0.3, 0.6), n, alternative=alternative, curve=()).power  # type: ignore[arg-type]
        assert ours == pytest.approx(theirs, abs=2e-3)
    beside = FacetedScores(0.3, {"prompt": 0.36, "item": 0.0}, levels={"prompt": 5})
    assert bb.power(beside, 200, curve=()).power == pytest.approx(
        bb.power(PairedScores(0.3, 0.6), 5, curve=()).power, abs=2e-3
    )


def test_fixed_facets_are_averaged_and_vary_nothing() -> None:
    variances = {"judge": 9.0, "item": 0.04, "judge x item": 0.06}
    fixed = FacetedScores(0.05, variances, levels={"judge": 3}, fixed="judge")  # type: ignore[arg-type]
    plain = PairedScores(0.05, math.sqrt(0.04 + 0.06 / 3))
    assert bb.power(fixed, 120, curve=()).power == pytest.approx(
        bb.power(plain, 120, curve=()).power, abs=2e-3
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("sizes", "difference"), [((3, 2, 40), 0.15), ((6, 3, 50), 0.1), ((4, 2, 200), 0.05)]
)
def test_studies_have_the_power_that_is_said(sizes: tuple[int, int, int], difference: float) -> None:
    prompts, seeds, items = sizes
    design = FacetedScores(difference, NESTED, levels={"prompt": prompts, "seed": seeds})
    rng = np.random.default_rng(items)
    found = [drawn(rng, *sizes, difference)["a", "b"].p_value <= 0.05 for _ in range(500)]
    power = bb.power(design, items, curve=()).power
    assert np.mean(found) == pytest.approx(power, abs=4.0 * math.sqrt(power * (1.0 - power) / 500))


# -- the questions of planning -----------------------------------------------------------------------


def test_the_questions_agree() -> None:
    size = bb.sample_size(DESIGN, 0.7, curve=())
    assert size.power >= 0.7 > bb.power(DESIGN, size.n - 1, curve=()).power
    smallest = bb.minimum_detectable(DESIGN, size.n, 0.7, curve=())
    assert smallest.difference == pytest.approx(0.03, rel=1e-2)
    assert bb.power(DESIGN.with_effect(-0.03), 500).power == pytest.approx(bb.power(DESIGN, 500).power)


def test_n_may_count_another_facet() -> None:
    by_prompts = FacetedScores(0.03, VARIANCES, levels={"item": 500}, counted="prompt")
    plan = bb.power(by_prompts, 6)
    assert (plan.unit, plan.power) == ("prompts", bb.power(DESIGN, 500).power)
    with pytest.raises(DesignError, match="is not reached") as caught:
        bb.sample_size(FacetedScores(0.01, VARIANCES, levels={"prompt": 3}))
    assert "items cannot make up" in str(caught.value)


def test_a_pilot_leaves_the_components_open() -> None:
    pilot = drawn(np.random.default_rng(0), 4, 2, 80, 0.05)
    design = FacetedScores.from_pilot(pilot, levels={"prompt": 8})
    assert design == FacetedScores.from_pilot(pilot["a", "b"], levels={"prompt": 8})
    assert (design.levels, design.size) == ({"prompt": 8, "seed": 2, "item": 80}, 80)
    parts = [one.part for one in pilot["a", "b"].components]
    assert design.estimates.parts == pytest.approx(parts, rel=1e-12)
    assert design.estimates.freedom.tolist() == [one.freedom for one in pilot["a", "b"].components]
    # What other numbers of levels give is what `.study` says
    study = pilot["a", "b"].study({"prompt": 8})
    assert design.estimates.error(design.sizes()).standard_error == pytest.approx(study.standard_error)
    plan = bb.power(design, 300)
    assert plan.power_as_estimated == bb.power(design.taken_as_true(), 300).power
    assert "uncertain_pilot" in {note.code for note in plan.notes}
    assert "3 (prompt)" in plan.design.doubt_words


@pytest.mark.parametrize("name", ["grid x size", "level in game", "a/b"])
def test_names_of_facets_stay_whole(name: str) -> None:
    d = np.random.default_rng(1).normal(0.1, 1.0, (5, 60))
    powers = [
        bb.power(FacetedScores.from_pilot(pilot, levels={facet: 8}), 60).power
        for facet in ("prompt", name)
        for pilot in [bb.compare_facets({"a": d, "b": np.zeros(d.shape)}, facets=facet)]
    ]
    assert powers[0] == powers[1]


def test_seeds_in_prompts_may_be_one_each() -> None:
    one = FacetedScores(0.05, NESTED, levels={"prompt": 8, "seed": 1})
    variances = {"prompt": 0.0006, "item": 0.05, "prompt x item": 0.1}
    alone = FacetedScores(0.05, variances, levels={"prompt": 8})
    assert bb.power(one, 60, curve=()).power == pytest.approx(bb.power(alone, 60, curve=()).power)
    answer = bb.allocate(one, 200, costs={"prompt": 1.0, "call": 0.02})
    assert dict(answer.best.levels)["seed"] == 1
    with pytest.raises(InvalidInputError, match="one seed cannot show"):
        FacetedScores(0.05, NESTED, levels={"prompt": 8, "seed": 1}, fixed="prompt")  # type: ignore[arg-type]


def test_a_published_study_leaves_its_components_open() -> None:
    published = FacetedScores(0.03, VARIANCES, {"prompt": 6}, pilot_levels={"prompt": 5, "item": 100})
    assert bb.power(published, 500).power < bb.power(DESIGN, 500).power
    assert bb.power(published.taken_as_true(), 500).power == bb.power(DESIGN, 500).power
    assert published.estimates.freedom.tolist() == [4.0, 99.0, 396.0]


def test_a_plan_is_read_back() -> None:
    pilot = drawn(np.random.default_rng(1), 3, 2, 40, 0.05)
    for design in (DESIGN, FacetedScores.from_pilot(pilot)):
        plan = bb.power(design, 90, curve=(60, 90))
        again = bb.load(plan.to_json())
        assert again == plan
        assert bb.power(again.design, 90, curve=()).power == plan.power


# -- a budget ----------------------------------------------------------------------------------------

COSTS = {"prompt": 20.0, "call": 0.02}


def test_the_best_levels_for_a_budget() -> None:
    answer = bb.allocate(DESIGN, 500, costs=COSTS)
    assert answer.best.power == max(split.power for split in answer.splits)
    for split in answer.splits:
        prompts, items = (number for _, number in split.levels)
        assert split.cost == pytest.approx(20 * prompts + 0.02 * prompts * items)
        assert split.cost <= 500.0
        alone = FacetedScores(0.03, VARIANCES, levels={"prompt": prompts})
        assert split.power == pytest.approx(bb.power(alone, items, curve=()).power)
    assert bb.load(answer.to_json()) == answer
    assert answer.to_csv().startswith("design,cost,standard_error,power")
    assert "prompts × " in str(answer)
    assert answer.plot().get_xlabel() == "prompts"


def test_the_cheapest_levels_with_a_power() -> None:
    answer = bb.allocate(DESIGN, power=0.8, costs=COSTS)
    assert answer.best.power == pytest.approx(0.8, abs=0.005)
    assert answer.best.power >= 0.8
    assert bb.allocate(DESIGN, 0.98 * answer.budget, costs=COSTS).best.power < 0.8
    assert "the cheapest way to detect" in str(answer)
    pilot = FacetedScores.from_pilot(drawn(np.random.default_rng(2), 5, 2, 60, 0.0), difference=0.06)
    doubted = bb.allocate(pilot, power=0.8, costs=COSTS)
    assert doubted.best.power >= 0.8
    known = bb.power(doubted.design.taken_as_true(), doubted.design.size, curve=())
    assert doubted.power_as_estimated == known.power


# -- what makes no sense -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"levels": {}}, "levels has no number for prompt"),
        ({"levels": {"prompt": 6, "judge": 2}}, "no facet 'judge' here"),
        ({"levels": {"prompt": 1}}, "one prompt cannot show"),
        ({"levels": 3}, "levels must be a mapping"),
        ({"components": {"prompt": -1.0}}, "the component of prompt must be 0 or a positive number"),
        ({"components": {"prompt": 0.0}}, "without any variation"),
        ({"components": {}}, "without any variation"),
        ({"components": {"prompt in prompt": 1.0}}, "would lie in itself"),
        ({"components": {"prompt x item": 1.0, "item x prompt": 1.0}}, "are of the same effect"),
        ({"components": 3}, "components must be a mapping"),
        ({"fixed": "judge"}, "no facet 'judge'"),
        ({"fixed": ("prompt", "item")}, "all facets are fixed"),
        ({"fixed": "prompt", "counted": "prompt"}, "prompt is fixed"),
        ({"difference": math.nan}, "difference must be finite"),
        ({"pilot_levels": {"prompt": 4}}, "a pilot needs two levels of each facet"),
        ({"pilot_levels": {"prompt": 4, "item": 1}}, "a pilot needs two levels of each facet"),
        ({"pilot_levels": {"judge": 4}}, "no facet 'judge'"),
        ({"pilot_levels": {"prompt": 4, "item": 9}, "pilot_df": {"item": "x"}}, "pilot_df must be a number"),
    ],
)  # fmt: skip
def test_refusals(more: dict[str, Any], message: str) -> None:
    fields = {"difference": 0.03, "components": VARIANCES, "levels": {"prompt": 6}, **more}
    with pytest.raises((InvalidInputError, DesignError)) as caught:
        FacetedScores(**fields)
    assert message in caught.value.message


def test_refusals_of_plans() -> None:
    with pytest.raises(InvalidInputError, match="a pilot is what compare_facets returns"):
        FacetedScores.from_pilot({"prompt": 3})  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="no size of its own"):
        bb.power(DESIGN)
    for options in ({}, {"power": 0.8}):
        with pytest.raises(InvalidInputError):
            bb.allocate(DESIGN, 500 if options else None, costs=COSTS, **options)
    with pytest.raises(InvalidInputError, match="nothing costs anything"):
        bb.allocate(DESIGN, 500)  # type: ignore[call-overload]
    with pytest.raises(InvalidInputError, match="no effect on facets"):
        bb.allocate(DESIGN, 500, costs=COSTS, run_cost=3.0)  # type: ignore[call-overload]
    with pytest.raises(DesignError, match="does not pay"):
        bb.allocate(DESIGN, 1.0, costs=COSTS)
    with pytest.raises(DesignError, match="no design that was tried"):
        bb.allocate(DESIGN.with_effect(1e-4), power=0.8, costs=COSTS)
