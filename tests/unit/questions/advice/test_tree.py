"""The decision tree: every branch is reached, nothing dangles, every metric gets advice."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.unit.questions.advice.cases import CASES, label_systems

import bestby as bb
from bestby._core.errors import InvalidInputError
from bestby.metrics import MeanMetric, list_metrics, resolve
from bestby.questions.advice.advise import KINDS_ELSEWHERE, advise, nature
from bestby.questions.advice.result import Case
from bestby.questions.advice.tree import (
    FEWEST_DIFFERING,
    FEWEST_RUNS,
    ROOT,
    TREE,
    Recommendation,
    drawn,
    walk,
)

# The metrics of Dror et al. (2018) and of its appendix (arXiv 1809.01448).
OF_THE_GUIDE = (
    *("exact match", "accuracy", "UAS", "LAS", "precision", "recall", "F1", "perplexity", "BLEU", "ROUGE"),
    *("METEOR", "PINC", "CIDEr", "MUC", "B-cubed", "CEAF", "BLANC", "Krippendorff alpha", "Fleiss kappa"),
    *("cohen_kappa", "pearson", "spearman", "kendall", "mse", "MRR"),
)
SPELT_OTHERWISE = ("nDCG@10", "ROUGE-L", "rougeLsum", "chrF++", "BLEU-4", "pass@1", "recall@5", "Exact-Match")


def _ends(case: Case) -> tuple[list[tuple[str, str]], Recommendation]:
    steps, end = walk(case)
    return [(step.question, step.answer) for step in steps], end


# -- the tree --------------------------------------------------------------------------------------


def test_nothing_dangles_and_no_question_is_left_over() -> None:
    targets = [answer.leads_to for question in TREE.values() for answer in question.answers.values()]
    named = {target for target in targets if isinstance(target, str)}
    assert named | {ROOT} == set(TREE)
    for question in TREE.values():
        assert len(question.answers) >= 2
        assert question.text.endswith("?")
        for answer in question.answers.values():
            assert answer.reason.endswith(".")
            assert answer.source


def test_no_question_leads_back() -> None:
    order = list(TREE)
    for name, question in TREE.items():
        for answer in question.answers.values():
            if isinstance(answer.leads_to, str):
                assert order.index(answer.leads_to) > order.index(name)


def test_every_answer_of_every_question_is_reached() -> None:
    every = {(question.text, key) for question in TREE.values() for key in question.answers}
    reached = {step for case in CASES for step in _ends(case)[0]}
    assert reached == every


def test_every_end_calls_what_there_is() -> None:
    ends = [
        answer.leads_to
        for question in TREE.values()
        for answer in question.answers.values()
        if isinstance(answer.leads_to, Recommendation)
    ]
    for end in ends:
        functions = re.findall(r"bestby\.(\w+)\(", end.call)
        assert functions
        assert set(functions) <= set(bb.__all__), end.call


def test_the_fewest_items_and_runs_are_where_five_percent_can_be_reached() -> None:
    from math import comb

    assert 2.0 ** (1 - FEWEST_DIFFERING) < 0.05 < 2.0 ** (2 - FEWEST_DIFFERING)
    n = FEWEST_RUNS
    assert 2 / comb(2 * n, n) < 0.05 < 2 / comb(2 * n - 2, n - 1)


@pytest.mark.parametrize(
    ("changes", "test"),
    [
        ({}, "permutation"),
        ({"clustered": True}, "permutation"),
        ({"paired": False}, "permutation of two samples and welch"),
        ({"paired": False, "mean_of_items": False, "binary": False}, "bootstrap of each system apart"),
        ({"n_runs": 5}, "permutation of two samples and welch, almost stochastic order"),
        ({"n_runs": 3}, "welch"),
        ({"n_runs": 3, "n_items": 100}, "t over items and runs"),
        ({"n_datasets": 6}, "t over the datasets"),
        ({"n_datasets": 6, "n_systems": 4}, "t over the datasets"),
        ({"n_datasets": 6, "n_items": 90}, "t over the items of all datasets; K-Bonferroni for on how many"),
        ({"n_datasets": 6, "n_runs": 5}, "t over the runs of all datasets; K-Bonferroni for on how many"),
        ({"n_folds": 10}, "corrected resampled t"),
        ({"n_folds": 10, "n_runs": 10}, "conservative corrected t"),
        ({"n_folds": 2, "n_runs": 5}, "corrected resampled t"),
    ],
)
def test_where_the_tree_ends(changes: dict[str, object], test: str) -> None:
    known_of_it: dict[str, object] = {"mean_of_items": True, "binary": True, **changes}
    assert walk(Case("m", **known_of_it))[1].test == test  # type: ignore[arg-type]


def test_what_compare_does_is_the_end_of_every_path_on_one_test_set() -> None:
    for case in CASES:
        if case.one_output and case.paired:
            assert walk(case)[1].test == ("wald" if case.crossed else "permutation")


def test_drawn_shows_every_question_and_answer() -> None:
    picture = drawn()
    for question in TREE.values():
        assert question.text in picture
        for key, answer in question.answers.items():
            assert f"─ {key} ──" in picture
            if isinstance(answer.leads_to, Recommendation):
                assert f"● {answer.leads_to.test}" in picture


def test_two_crossed_groupings_lead_to_what_compare_does() -> None:
    systems, gold = label_systems(120, (0.6, 0.9))
    both = [np.arange(120) // 10, np.arange(120) % 10]
    advice = advise(data=bb.Evaluation.of(systems, gold, clusters=both))
    done = bb.compare(systems, gold, clusters=both)["s0", "s1"]
    assert (advice.test, advice.interval) == (done.test.name, done.interval.method) == ("wald", "two-way")


# -- metrics ---------------------------------------------------------------------------------------


def test_every_measure_gets_advice() -> None:
    names = [row.name for row in list_metrics()]
    for name in (*names, *OF_THE_GUIDE, *SPELT_OTHERWISE, *KINDS_ELSEWHERE):
        advice = advise(name, n_items=300, n_differing=120)
        assert advice.test == "permutation", name
        assert advice.interval in ("tango", "abc", "bca", "hall"), name
        if not advice.case.mean_of_items:
            assert any("t, sign or Wilcoxon" in entry.what for entry in advice.wrong), name


def test_what_is_known_of_the_names_of_the_registry_is_what_the_metrics_are() -> None:
    assert nature("accuracy")[1:] == (True, True, True)
    assert nature("mean")[1:] == (True, False, True)
    assert nature("f1_macro")[1:] == (False, False, True)
    assert nature("spearman")[1:] == (False, False, False)
    for name in set(KINDS_ELSEWHERE) & {row.name for row in list_metrics()}:
        is_mean, _ = KINDS_ELSEWHERE[name]
        assert isinstance(resolve(name), MeanMetric) is is_mean, name


def test_a_measure_of_ones_own() -> None:
    with pytest.raises(InvalidInputError, match="there is no metric 'grace'") as caught:
        advise("grace")
    assert "mean_of_items" in (caught.value.hint or "")
    advice = advise("grace", mean_of_items=True, binary=True)
    assert (advice.case.mean_of_items, advice.case.binary) == (True, True)
    assert advise("grace", mean_of_items=False).case.of_sums is False
    with pytest.raises(InvalidInputError, match="cannot be 0 or 1"):
        advise("grace", mean_of_items=False, binary=True)


def test_a_function_must_be_described() -> None:
    def closeness(gold: object, predictions: object) -> float:
        return 0.0

    with pytest.raises(InvalidInputError, match="nothing is known of the metric 'closeness'"):
        advise(closeness)
    assert advise(closeness, mean_of_items=True).case.mean_of_items
