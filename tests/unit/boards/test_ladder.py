"""A ladder is replayed from the record: a sequence per team, by the metric of the board."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bestby.boards.events import File, Submitted
from bestby.boards.ladder import improvement_of, shown_by_ladder
from bestby.data.evaluation import Evaluation
from bestby.inference.clusters import cr2
from bestby.inference.ladder import Improvement
from bestby.metrics import resolve

GOLD = list("101110")
RNG = np.random.default_rng(22)


def submitted(team: str, system: str, *tasks: str) -> Submitted:
    return Submitted(team, system, "dev", {task: File("0" * 64) for task in tasks or ("t",)})


def test_the_example_of_the_paper() -> None:
    systems = {"0": list("000000"), "1": list("100000"), "2": list("101000")}
    evaluation = Evaluation.of(systems, GOLD)
    metric = resolve("accuracy")
    shown = shown_by_ladder(
        [(n, submitted("team", f"system {n}")) for n in range(3)],
        lambda new, last: improvement_of(evaluation, metric, str(new), str(last)),
    )
    assert shown == {0, 2}


def test_a_team_has_one_sequence_and_teams_do_not_meet() -> None:
    scores = {3: 0.5, 4: 0.7, 6: 0.4, 7: 0.71, 9: 0.52, 11: 0.9}
    teams = {3: "a", 4: "b", 6: "a", 7: "b", 9: "a", 11: "b"}
    submissions = [(number, submitted(team, f"s{number}")) for number, team in teams.items()]
    shown = shown_by_ladder(submissions, lambda new, last: Improvement(scores[new] - scores[last], 0.015))
    assert shown == {3, 4, 9, 11}


def test_submissions_of_other_tasks_are_sequences_of_their_own() -> None:
    submissions = [
        (1, submitted("a", "s", "x")),
        (2, submitted("a", "s", "x", "y")),
        (3, submitted("a", "s", "x")),
    ]
    assert shown_by_ladder(submissions, lambda *_: Improvement(0.0, 0.0)) == {1, 2}


def test_an_accuracy_has_the_standard_error_of_its_paired_difference() -> None:
    gold = RNG.integers(0, 3, 200)
    new, last = (np.where(RNG.random(200) < p, gold, 3) for p in (0.8, 0.7))
    found = improvement_of(
        Evaluation.of({"new": new, "last": last}, gold), resolve("accuracy"), "new", "last"
    )
    gains = (new == gold).astype(float) - (last == gold)
    assert found.estimate == pytest.approx(gains.mean(), abs=1e-15)
    assert found.error == pytest.approx(gains.std(ddof=1) / math.sqrt(200), rel=1e-12)


def test_lower_is_better_where_the_metric_says_so() -> None:
    gold = RNG.normal(size=50)
    evaluation = Evaluation.of({"near": gold + 0.1, "far": gold + 1.0 + 0.1 * RNG.normal(size=50)}, gold)
    metric = resolve("mse")
    assert improvement_of(evaluation, metric, "near", "far").shown
    assert not improvement_of(evaluation, metric, "far", "near").shown


def test_clusters_make_the_standard_error_larger_than_items_would() -> None:
    clusters = np.repeat(np.arange(20), 10)
    gains = np.repeat(RNG.integers(0, 2, 20), 10).astype(float)
    evaluation = Evaluation.of({"new": gains, "last": np.zeros(200)}, clusters=clusters)
    found = improvement_of(evaluation, resolve("mean"), "new", "last")
    sums = np.bincount(clusters, weights=(gains - gains.mean()) / 200)
    assert found.error == pytest.approx(cr2(sums, np.full(20, 10.0)).se, rel=1e-12)
    alone = improvement_of(
        Evaluation.of({"new": gains, "last": np.zeros(200)}), resolve("mean"), "new", "last"
    )
    assert found.error > 2.0 * alone.error


@pytest.mark.parametrize("name", ["f1_macro", "matthews_corrcoef", "spearman", "kendall", "pearson"])
def test_metrics_that_are_no_means_have_the_standard_error_of_a_bootstrap(name: str) -> None:
    gold = RNG.integers(0, 3, 400)
    new, last = (np.where(RNG.random(400) < p, gold, RNG.integers(0, 3, 400)) for p in (0.8, 0.6))
    evaluation, metric = Evaluation.of({"new": new, "last": last}, gold), resolve(name)
    found = improvement_of(evaluation, metric, "new", "last")
    drawn = []
    for _ in range(120):
        chosen = RNG.integers(0, 400, 400)
        resample = Evaluation.of({"new": new[chosen], "last": last[chosen]}, gold[chosen])
        drawn.append(improvement_of(resample, metric, "new", "last").estimate)
    assert found.error == pytest.approx(np.std(drawn), rel=0.2)


def test_a_metric_without_a_formula_has_the_standard_error_of_the_jackknife() -> None:
    values = RNG.normal(size=60)
    evaluation = Evaluation.of({"new": values, "last": np.zeros(60)}, np.zeros(60))
    mean = resolve(lambda gold, predictions: float(np.mean(predictions - gold)))
    found = improvement_of(evaluation, mean, "new", "last")
    assert found.error == pytest.approx(values.std(ddof=1) / math.sqrt(60), rel=1e-9)
