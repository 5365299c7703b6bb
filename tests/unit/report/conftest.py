"""Comparisons made by hand: the report room is tested without computing anything."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import pytest

from bestby.report.comparison import Comparison, Difference, SystemScore
from bestby.results.base import MetricInfo, Note, Provenance
from bestby.results.values import Interval, Omnibus, TestResult

# Bestgen (2022), Figure 2, SemEval-2014 laptop reviews: correct answers among 638, published BCa ends
# (Table 1 of the program's output), exact permutation p-values near the published Monte Carlo ones.
CORRECT = {"aen_bert": 498, "bert_spc": 491, "memnet": 460, "atae_lstm": 452, "td_lstm": 436}
PAIRS = {
    ("aen_bert", "bert_spc"): (-0.0251, 0.0439, 0.5774, 125),
    ("aen_bert", "memnet"): (0.0235, 0.0940, 0.0013, 134),
    ("aen_bert", "atae_lstm"): (0.0329, 0.1082, 0.0003, 156),
    ("aen_bert", "td_lstm"): (0.0580, 0.1332, 0.0001, 154),
    ("bert_spc", "memnet"): (0.0125, 0.0831, 0.0103, 135),
    ("bert_spc", "atae_lstm"): (0.0251, 0.0940, 0.0013, 129),
    ("bert_spc", "td_lstm"): (0.0455, 0.1238, 0.0001, 161),
    ("memnet", "atae_lstm"): (-0.0204, 0.0423, 0.5027, 106),
    ("memnet", "td_lstm"): (0.0016, 0.0705, 0.0402, 126),
    ("atae_lstm", "td_lstm"): (-0.0110, 0.0596, 0.2032, 138),
}
LETTERS = {"aen_bert": "a", "bert_spc": "a", "memnet": "b", "atae_lstm": "bc", "td_lstm": "c"}
RANKS = {"aen_bert": (1, 2), "bert_spc": (1, 2), "memnet": (3, 4), "atae_lstm": (3, 5), "td_lstm": (4, 5)}
N_ITEMS = 638


def provenance(**settings: Any) -> Provenance:
    return Provenance(
        version="0.1.0",
        versions={"python": "3.11.7", "numpy": "2.4.6", "scipy": "1.17.1"},
        seed=0,
        n_resamples=10_000,
        settings={"metrics": ["accuracy"], "interval": "bca", "level": 0.95, "margin": None} | settings,
        data={"n_items": N_ITEMS, "clusters": None, "systems": 5},
        data_hash="0123456789abcdef",
    )


def difference(a: str = "a", b: str = "b", estimate: float = 0.06, **changes: Any) -> Difference:
    """Return a difference with a plausible rest."""
    low, high = changes.pop("low", estimate - 0.035), changes.pop("high", estimate + 0.035)
    p_value = changes.pop("p_value", 0.0013)
    alternative = changes.pop("alternative", "two-sided")
    exact = changes.pop("exact", True)
    fields: dict[str, Any] = {
        "metric": "accuracy",
        "score_a": 0.72 + estimate,
        "score_b": 0.72,
        "p_adjusted": p_value,
        "greater_is_better": True,
        "n_items": N_ITEMS,
        "n_differing": 134,
    }
    return Difference(
        a=a,
        b=b,
        estimate=estimate,
        interval=Interval(low, high, 0.95, "bca", False),
        test=TestResult(
            "permutation",
            p_value,
            alternative,
            exact,
            "convolution" if exact else "monte carlo",
            n_resamples=0 if exact else 10_000,
            statistic=estimate,
        ),
        **(fields | changes),
    )


def five(metric: str = "accuracy", notes: tuple[Note, ...] = (), **changes: Any) -> Comparison:
    """Return the comparison of Bestgen's Figure 2."""
    systems = tuple(
        SystemScore(
            metric,
            name,
            correct / N_ITEMS,
            Interval(correct / N_ITEMS - 0.034, correct / N_ITEMS + 0.031, 0.95, "wilson", True),
            *RANKS[name],
            LETTERS[name],
        )
        for name, correct in CORRECT.items()
    )
    differences = tuple(
        difference(
            a,
            b,
            (CORRECT[a] - CORRECT[b]) / N_ITEMS,
            low=PAIRS[a, b][0],
            high=PAIRS[a, b][1],
            p_value=PAIRS[a, b][2],
            n_differing=PAIRS[a, b][3],
            metric=metric,
            score_a=CORRECT[a] / N_ITEMS,
            score_b=CORRECT[b] / N_ITEMS,
            notes=notes,
        )
        for a, b in combinations(CORRECT, 2)
    )
    fields: dict[str, Any] = {
        "metrics": (MetricInfo(metric, True, (0.0, 1.0)),),
        "systems": systems,
        "differences": differences,
        "omnibus": (Omnibus(metric, "cochran_q", 43.21, 4, 9.4e-9),),
        "notes": (),
        "provenance": provenance(metrics=[metric]),
        "n_items": N_ITEMS,
        "level": 0.95,
        "correction": "none",
    }
    return Comparison(**(fields | changes))


def _verdict(lead: float, margin: float) -> str:
    low, high = lead - 0.015, lead + 0.015
    if low > margin or high < -margin:
        return "better" if low > margin else "worse"
    return "equivalent" if low > -margin and high < margin else "inconclusive"


def ladder(
    names: list[str],
    *,
    metric: str = "accuracy",
    greater_is_better: bool = True,
    step: float = 0.01,
    margin: float | None = None,
    lettered: bool = True,
    correction: str = "holm",
    baseline: str | None = None,
) -> Comparison:
    """Return systems `step` apart, the first the best, with every pair or each against the baseline."""
    way = 1.0 if greater_is_better else -1.0
    score = {name: 0.5 - way * step * rank for rank, name in enumerate(names)}
    systems = tuple(
        SystemScore(
            metric,
            name,
            score[name],
            Interval(score[name] - 0.02, score[name] + 0.02, 0.95, "percentile", False),
            rank,
            rank,
            chr(ord("a") + rank - 1) if lettered and baseline is None else None,
        )
        for rank, name in enumerate(names, 1)
    )
    pairs = (
        list(combinations(names, 2))
        if baseline is None
        else [(name, baseline) for name in names if name != baseline]
    )
    made = []
    for a, b in pairs:
        estimate = score[a] - score[b]
        p_value = 0.3 if abs(estimate) < 0.015 else 2e-7
        made.append(
            difference(
                a,
                b,
                estimate,
                low=estimate - 0.015,
                high=estimate + 0.015,
                p_value=p_value,
                p_adjusted=min(1.0, p_value * len(pairs)),
                exact=False,
                metric=metric,
                greater_is_better=greater_is_better,
                score_a=score[a],
                score_b=score[b],
                verdict=None if margin is None else _verdict(way * estimate, margin),
                margin=margin,
            )
        )
    return Comparison(
        (MetricInfo(metric, greater_is_better, (0.0, 1.0)),),
        systems,
        tuple(made),
        (),
        (),
        provenance(metrics=[metric], baseline=baseline, margin=margin),
        N_ITEMS,
        0.95,
        correction,
        margin,
        baseline,
    )


HOSTILE = ["a_b & 100%", "<script>alert(1)</script>", r"c|d#$e^{f}~\g", "naïve–β 'x' \"y\" --z"]


def two_metrics() -> Comparison:
    first, second = five(), ladder(list(CORRECT), metric="f1[a_b]", correction="none")
    return five(
        metrics=first.metrics + second.metrics,
        systems=first.systems + second.systems,
        differences=first.differences + second.differences,
    )


ROSTER: dict[str, Callable[[], Comparison]] = {
    "five": five,
    "lower is better": lambda: ladder(["x", "y", "z"], metric="wer", greater_is_better=False),
    "margin": lambda: ladder(["x", "y", "z", "w"], margin=0.03),
    "hostile names": lambda: ladder(HOSTILE, metric="f1[<&_|>]"),
    "two metrics": two_metrics,
    "baseline": lambda: ladder(["new", "base", "old"], baseline="base"),
    "many": lambda: ladder([f"system_{i:02d}" for i in range(15)]),
    "notes": lambda: five(notes=(Note("few_resamples", "Too few resamples.", ("accuracy", "x", "y")),)),
}


@pytest.fixture(params=list(ROSTER))
def any_comparison(request: pytest.FixtureRequest) -> Comparison:
    return ROSTER[request.param]()


@pytest.fixture
def made() -> SimpleNamespace:
    """The estimates above, for tests that need one comparison in particular."""
    return SimpleNamespace(
        difference=difference,
        five=five,
        ladder=ladder,
        two_metrics=two_metrics,
        provenance=provenance,
        roster=ROSTER,
        hostile=HOSTILE,
    )
