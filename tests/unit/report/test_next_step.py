"""What to do next: the numbers of the sentence below the headline are those of a plan."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.planning.base import Design, Question, checked_question, least_effect, least_size
from bestby.report.next_step import MOST_EXACT, design_of, next_step
from bestby.report.percent import in_percent

N = 400


def labels(*able: float, n: int = N, seed: int = 1) -> tuple[dict[str, Any], Any]:
    rng = np.random.Generator(np.random.PCG64(seed))
    gold = rng.integers(0, 3, n)
    return {
        f"s{i}": np.where(rng.random(n) < p, gold, rng.integers(0, 3, n)) for i, p in enumerate(able)
    }, gold


def said(c: bb.results.Comparison) -> str:
    return next_step(c, c.metrics[0])


def numbers(text: str) -> tuple[int, int, float, int | None]:
    """Return the items that differ, all, the difference detected, and the items that another would take."""
    found = re.search(
        r"differ on ([\d,]+) of ([\d,]+) items\. [\d,]+ items detect a difference of ([\d.]+)", text
    )
    assert found is not None, text
    taken = re.search(r"would take (?:about )?([\d,]+) items\.$", text)
    whole = [int(number.replace(",", "")) for number in (found[1], found[2], *([taken[1]] if taken else []))]
    return whole[0], whole[1], float(found[3]), whole[2] if taken else None


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro"])
@pytest.mark.parametrize("able", [(0.8, 0.75), (0.8, 0.75, 0.5)])
def test_the_numbers_are_those_of_a_plan(metric: str, able: tuple[float, ...]) -> None:
    systems, gold = labels(*able)
    c = bb.compare(systems, gold, metric=metric, n_resamples=99)
    d = next(iter(c)) if next(iter(c)).estimate > 0 else next(iter(c)).mirrored()
    if metric == "accuracy":
        design: Any = bb.planning.PairedProportions(
            d.score_a, d.score_b, 1 - d.n_differing / N, pilot_items=N
        )
    else:
        design = bb.planning.PairedScores(d.estimate, d.standard_error * N**0.5, pilot_df=N - 1)
    asked: dict[str, Any] = {"n_comparisons": len(c), "curve": ()}
    detected = bb.minimum_detectable(design, N, **asked).difference
    differing, items, shown, taken = numbers(said(c))
    assert (differing, items) == (d.n_differing, N)
    assert shown == float(f"{detected:.2g}")
    if d.estimate < detected:
        size = bb.sample_size(design, **asked).n
        assert taken == (size if size <= MOST_EXACT else pytest.approx(size, rel=0.01))
    level = " at the level 0.05 / 3, Bonferroni's for the first of 3 comparisons;"
    assert (level in said(c)) == (len(c) == 3)
    assert ("with power 0.8 (paired t-test)" in said(c)) == (metric != "accuracy")


def test_a_margin_is_what_is_planned_for() -> None:
    systems, gold = labels(0.8, 0.75)
    d = bb.compare(systems, gold, n_resamples=99)["s0", "s1"]
    text = said(bb.compare(systems, gold, margin=0.04, n_resamples=99))
    design = bb.planning.PairedProportions(d.score_b + 0.04, d.score_b, 1 - d.n_differing / N, pilot_items=N)
    assert numbers(text)[3] == bb.sample_size(design, curve=()).n
    assert "; the margin of 0.04 would take " in text


def test_enough_items_are_said_to_be_enough() -> None:
    systems, gold = labels(0.9, 0.3)
    text = said(bb.compare(systems, gold, n_resamples=99))
    assert re.search(r"; they are enough for the 0\.\d+ seen here\.$", text)


def test_with_a_baseline_the_best_other_system_is_meant() -> None:
    systems, gold = labels(0.5, 0.9, 0.6)
    text = said(bb.compare(systems, gold, baseline="s0", n_resamples=99))
    assert text.startswith("s1 and the baseline s0 differ on ")
    assert "at the level 0.05 / 2" in text


@pytest.mark.parametrize(
    ("test", "named"),
    [
        ("permutation", ""),
        ("mcnemar", ""),
        ("sign", ""),
        ("mcnemar-midp", ""),
        ("t", " (McNemar's exact test)"),
    ],
)
def test_the_power_is_that_of_the_test_or_says_of_which(test: str, named: str) -> None:
    systems, gold = labels(0.8, 0.75)
    right = {name: (x == gold).astype(int) for name, x in systems.items()}
    c = bb.compare(right, test=test, n_resamples=99)
    assert f"with power 0.8{named};" in said(c)
    design = design_of(c.differences[0])
    assert isinstance(design, bb.planning.PairedProportions)
    assert design.test == ("mcnemar-midp" if test == "mcnemar-midp" else "mcnemar")


def test_one_sided_tests_detect_less_with_more_power() -> None:
    systems, gold = labels(0.8, 0.75)
    two, one = (
        numbers(said(bb.compare(systems, gold, alternative=side, n_resamples=99)))[2]
        for side in ("two-sided", "greater")
    )
    assert one < two


def test_of_clusters_the_size_is_that_of_all_items() -> None:
    systems, gold = labels(0.8, 0.75)
    clusters = [i // 4 for i in range(N)]
    c = bb.compare(systems, gold, metric="f1_macro", clusters=clusters, n_resamples=99)
    d = c["s0", "s1"]
    design = bb.planning.PairedScores(d.estimate, d.standard_error * N**0.5, cluster_size=4.0, pilot_df=99.0)
    assert numbers(said(c))[3] == bb.sample_size(design, curve=()).n


@pytest.mark.parametrize("alike", [1, 4])
def test_clusters_of_answers_are_read_as_those_of_a_pilot(alike: int) -> None:
    systems, gold = labels(0.8, 0.75, n=N // alike)
    systems, gold = {name: np.repeat(x, alike) for name, x in systems.items()}, np.repeat(gold, alike)
    clusters = [i // 4 for i in range(N)]
    right = [systems[name] == gold for name in ("s0", "s1")]
    design = bb.planning.PairedScores.from_pilot(*(x.astype(int) for x in right), clusters=clusters)
    text = said(bb.compare(systems, gold, clusters=clusters, n_resamples=99))
    detected = bb.minimum_detectable(design, N, curve=()).difference
    assert numbers(text)[2] == pytest.approx(abs(detected), rel=0.04)


def test_where_the_size_does_not_tell_the_error_only_the_items_are_counted() -> None:
    systems, gold = labels(0.8, 0.75)
    crossed = [[f"t{i // 20}" for i in range(N)], [f"l{i % 20}" for i in range(N)]]
    for more in ({"test": None}, {"interval": None, "metric": "f1_macro"}, {"clusters": crossed}):
        text = said(bb.compare(systems, gold, n_resamples=99, **more))
        assert re.fullmatch(r"s0 and s1 differ on \d+ of 400 items\.", text)
    same = bb.compare({"a": gold, "b": gold}, gold, n_resamples=99)
    assert said(same) == "a and b differ on 0 of 400 items."


def test_a_recall_is_no_share_of_all_items() -> None:
    systems, gold = labels(0.8, 0.7)
    d = bb.compare(systems, gold, metric="recall[1]", n_resamples=99)["s0", "s1"]
    assert d.interval.method == "tango"
    assert isinstance(design_of(d), bb.planning.PairedScores)


@pytest.mark.parametrize("percent", [False, True])
def test_no_difference_is_named_that_the_metric_cannot_have(percent: bool) -> None:
    right = {"a": [1, 0, 1, 1, 1, 0], "b": [0, 1, 0, 0, 1, 1]}
    c = bb.compare(right, [1] * 6, n_resamples=99)
    text = said(in_percent(c) if percent else c)
    assert "detect a difference of" not in text
    assert "6 items are too few to detect any possible difference with power 0.8 (paired t-test); the" in text
    assert text.endswith("seen here would take 390 items.")
    # The same scores, of a scale without ends, may be further apart.
    without = bb.compare({name: [float(x) for x in row] for name, row in right.items()}, n_resamples=99)
    assert "6 items detect a difference of " in said(without)


def test_it_stands_below_the_headline_and_is_loaded_with_it() -> None:
    systems, gold = labels(0.8, 0.75)
    c = bb.compare(systems, gold, n_resamples=99)
    lines = " ".join(str(c).split())
    assert f"cannot be told apart from it. {said(c)} Systems by accuracy" in lines
    assert f'<p class="bb-next">{said(c)}</p>' in c.to_html()
    assert said(bb.load(c.to_json())) == said(c)
    assert said(bb.evaluate(systems, gold)) == ""


DESIGNS = [
    (bb.planning.PairedProportions(0.82, 0.80, 0.7, pilot_items=1000), 1000, 1),
    (bb.planning.PairedProportions(0.83, 0.81, 0.88, pilot_items=1000), 1000, 10),
    (bb.planning.PairedProportions(0.80, 0.70, 0.8, pilot_items=100), 100, 1),
    (bb.planning.PairedScores(0.01, 0.55, pilot_df=999.0), 1000, 3),
    (bb.planning.PairedScores(-3.0, 20.0, pilot_df=19.0, cluster_size=5.0), 100, 1),
]


@pytest.mark.parametrize(("design", "n", "family"), DESIGNS)
def test_the_search_finds_what_halving_finds(design: Design, n: int, family: int) -> None:
    question: Question = checked_question(0.95, "two-sided", family)

    def reached(size: int, effect: float | None = None) -> bool:
        tried = design if effect is None else design.with_effect(effect)
        return float(tried.powers(np.array([size]), question)[0][0]) >= 0.8

    # The greatest effect there can be, or one beyond all that are asked for, is detected.
    limit = design.reach("two-sided")
    low, high = 0.0, limit if math.isfinite(limit) else math.copysign(20.0, limit)
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if reached(n, middle) else (middle, high)
    assert least_effect(design, n, 0.8, question) == pytest.approx(high, rel=1e-9)
    size, shown = least_size(design, 0.8, question)
    assert reached(size)
    assert not reached(size - 1)
    assert shown[size].power == bb.power(design, size, n_comparisons=family, curve=()).power
    for start in (max(2, size // 3), size, 3 * size):
        assert least_size(design, 0.8, question, start)[0] == size


def test_of_several_metrics_the_items_that_differ_are_those_of_each() -> None:
    systems, gold = labels(0.8, 0.5)
    c = bb.compare(systems, gold, metric=["accuracy", "f1_macro"], n_resamples=99)
    counts = {}
    for metric in c.metrics:
        found = re.match(rf"s0 and s1 differ in {metric.name} on (\d+) of 400 items\.", next_step(c, metric))
        assert found is not None
        counts[metric.name] = int(found[1])
    assert counts["accuracy"] < counts["f1_macro"]
    assert " in accuracy on " in next_step(in_percent(c), in_percent(c).metrics[0])
