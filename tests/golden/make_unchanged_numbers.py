"""Comparisons of every kind whose numbers must not change, and the script that writes them to a file.

`python -m tests.golden.make_unchanged_numbers` writes the whole file; with names of cases, only these.
The file has no texts, signatures or versions, because they may change. The test ignores fields that are
not in the file, so that results may get more fields; the columns of tables are all there, in their order.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from tests.golden.example_systems import N, groups, labels, numbers, ranked, scores, soft
from tests.golden.numbers_of_results import FirstRows, extract

import bestby as bb

FILE = Path(__file__).parent / "data" / "unchanged_numbers.json"

CASES: dict[str, Callable[[], Any]] = {}
"""The cases by name; each is a function that returns a result."""

# -- data ------------------------------------------------------------------------------------------


def median_error(gold: Any, predictions: Any) -> float:
    """Median absolute error, as a function of a user."""
    return float(np.median(np.abs(predictions - gold)))


# -- one test set ----------------------------------------------------------------------------------


def case(function: Callable[[], Any]) -> Callable[[], Any]:
    """Register a function as a case under its own name."""
    CASES[function.__name__] = function
    return function


def _compare(name: str, data: Callable[[], Any], **settings: Any) -> None:
    """Register a comparison as a case."""

    def run() -> Any:
        made = data()
        systems, gold = made if isinstance(made, tuple) else (made, None)
        return bb.compare(systems, gold, **({"n_resamples": 499} | settings))

    CASES[name] = run


_compare("accuracy", labels, margin=0.1)
_compare(
    "accuracy_of_two_sided_families",
    lambda: labels(4),
    correction="bh",
    test="mcnemar-midp",
    interval="tango",
)
_compare("accuracy_percentile_bootstrap", labels, interval="percentile", test="bootstrap", rng=7)
_compare("accuracy_basic_mcnemar", labels, interval="basic", test="mcnemar", correction="bonferroni")
_compare("accuracy_clusters", labels, clusters=groups(), margin=0.2, alternative="better")
_compare("accuracy_auto_test", labels, test="auto", level=0.9)
_compare("several_metrics", labels, metric=["f1_macro", "matthews_corrcoef", "recall[pos]"], baseline="c")
_compare("f1_macro_bca_one_sided", labels, metric="f1_macro", interval="bca", alternative="greater")
_compare("f1_macro_blocks", labels, metric="f1_macro", clusters=bb.Blocks(5))
_compare(
    "balanced_accuracy_strata", labels, metric="balanced_accuracy", strata=groups(2), interval="percentile"
)
_compare("kappa_normal_interval", labels, metric="cohen_kappa", interval="normal", correction="none")
_compare("simultaneous", lambda: labels(4), correction="simultaneous", metric="f1_micro")
_compare("pearson", numbers, metric="pearson", test="permutation-standardised")
_compare("spearman", numbers, metric="spearman", interval="percentile")
_compare("rmse_wald_less", numbers, metric="rmse", test="wald", alternative="less")
_compare("a_function", lambda: numbers(2), metric=median_error, interval="basic", n_resamples=199)
_compare("roc_auc", ranked, metric="roc_auc")
_compare("average_precision_clusters", ranked, metric="average_precision", clusters=groups())
_compare("item_scores_t", scores, test="t", interval="studentized", margin=0.3)
_compare("item_scores_wilcoxon", scores, test="wilcoxon", interval="bca", correction="bh")
_compare("item_scores_sign", scores, test="sign", interval="basic", alternative="greater")
_compare("item_scores_clusters_cr2", scores, clusters=groups(8), interval="cr2", test="wald")
_compare("item_scores_crossed", scores, clusters=[groups(8), groups(9, 6)], interval="two-way", test="wald")
_compare(
    "item_scores_part_of_the_items",
    scores,
    resampling=bb.Resampling(resample_size=0.5),
    interval="percentile",
    test="bootstrap",
)
_compare(
    "loss_of_many_systems",
    lambda: scores(4),
    metric="mean_loss",
    alternative="better",
    correction="simultaneous",
)
_compare(
    "soft_labels", soft, metric=["cross_entropy", "soft_f1_macro", "entropy_correlation", "js_divergence"]
)


@case
def evaluation() -> Any:
    """Scores of single systems, with the shares of the classes."""
    return bb.evaluate(*labels(), metric=["accuracy", "f1_macro"], clusters=groups(), n_resamples=499)


@case
def slices() -> Any:
    """Slices by two columns, and whether the difference depends on them."""
    by = {"group": groups(3), "half": np.arange(N) % 2}
    return bb.compare_slices(*labels(2), by=by, metric=["accuracy", "f1_macro"], n_resamples=499)


@case
def slices_crossed() -> Any:
    """Slices by two columns at once, with clusters."""
    by = {"half": np.arange(N) // 30, "third": np.arange(N) % 3}
    return bb.compare_slices(scores(), by=by, crossed=True, clusters=groups(), n_resamples=499)


@case
def frontier() -> Any:
    """Quality beside a price and a cost of each item, with clusters, and the bounds behind the best."""
    systems, gold = labels()
    chance = np.random.default_rng(8)
    time = {name: chance.lognormal(place, 0.5, N) for place, name in enumerate(systems)}
    costs = {"price": {name: float(place + 1) for place, name in enumerate(systems)}, "time": time}
    return bb.frontier(systems, gold, cost=costs, clusters=groups(), margin=0.3, n_resamples=499)


@case
def agreement() -> Any:
    """Labels of three annotators, some missing, with clusters."""
    systems, _ = labels()
    given = {
        name: np.where(np.arange(N) % 7 == place, None, x) for place, (name, x) in enumerate(systems.items())
    }
    return bb.agreement(given, clusters=groups())


@case
def agreement_of_scores() -> Any:
    """Scores of annotators: alpha of differences and intraclass correlations."""
    return bb.agreement(scores(), scale="interval")


@case
def gate_with_budgets() -> Any:
    """A margin of the quality, and budgets of a mean and a quantile."""
    systems, gold = labels(2)
    chance = np.random.default_rng(9)
    time = {name: chance.lognormal(place / 20, 0.5, N) for place, name in enumerate(systems)}
    budgets = {"time": "+20%", "time@0.9": "+60%"}
    return bb.gate(
        systems, gold, margin=0.3, at_most=budgets, cost=dict.fromkeys(budgets, time), n_resamples=499
    )


@case
def facets() -> Any:
    """Seeds in prompts, a fixed judge and items in documents, with missing cells and unmatched seeds."""
    chance = np.random.default_rng(10)
    rows = [
        {
            "system": name,
            "prompt": prompt,
            "seed": seed,
            "judge": judge,
            "item": item,
            "doc": item // 3,
            "score": score,
        }
        for name in "abc"
        for prompt in range(3)
        for seed in range(2 + (name == "c"))
        for judge in range(2)
        for item in range(12)
        if (score := round(chance.normal(0.1 * prompt * (name == "a"), 1.0), 2)) < 1.6
    ]
    return bb.compare_facets(
        rows, facets=("prompt", "seed", "judge"), nested="seed in prompt", fixed="judge", unmatched="seed",
        clusters="doc", margin=0.5, study={"prompt": 6, "seed": 4}, n_resamples=499,
    )  # fmt: skip


CASES["facets_of_labels"] = lambda: bb.compare_facets(
    {name: np.stack([values, np.roll(values, 5), values]) for name, values in labels(2)[0].items()},
    labels(2)[1], metric="accuracy", facets="prompt", alternative="better", n_resamples=499,
)  # fmt: skip


@case
def attempts() -> Any:
    """Curves of pass@k and their difference: so few samples that no covariance is nearly singular."""
    chance = np.random.default_rng(11)
    solved = {"a": chance.binomial(3, chance.beta(1.0, 2.0, N)), "b": chance.binomial(3, 0.4, N)}
    pairs = {name: np.stack([np.full(N, 3), right], axis=1) for name, right in solved.items()}
    return bb.compare_attempts(pairs, clusters=groups())


CASES["frontier_of_quantiles"] = lambda: bb.frontier(
    scores(), cost={"time@0.9": {name: np.abs(x) for name, x in scores().items()}}
)


CASES["disagreements"] = lambda: {
    "rows": bb.compare(*labels(2), n_resamples=499)
    .disagreements("a", "b")
    .to_frame(backend="pyarrow")
    .to_pylist()
}
CASES["published"] = lambda: bb.compare_published({"a": labels()[0]["a"]}, labels()[1], published="70.0%")
CASES["published_of_the_same_items"] = lambda: bb.compare_published(
    {"a": labels()[0]["a"]}, labels()[1], published="75.0%", n_items=N, same_items=True
)
CASES["published_mean_of_runs"] = lambda: bb.compare_published(
    {"a": [0.81, 0.79, 0.83, 0.8]}, published="0.775", sd="0.012", n_runs=5
)
CASES["published_shares"] = lambda: bb.compare_published(
    scores={"a": "88.3%", "b": "85.9%", "c": "0.85"}, n_items=[1000, 1000, 872]
)
CASES["published_means"] = lambda: bb.compare_published(
    scores={"a": "0.883±0.004", "b": "0.876±0.003"}, n_runs=5, spread="sd"
)


@case
def a_look_at_files() -> Any:
    """Predictions of two systems with gold, and a column of groups."""
    made, gold = labels(2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        rows = zip(range(N), gold, made["a"], made["b"], groups(3), strict=True)
        lines = ["id,gold,a,b,domain", *(",".join(map(str, row)) for row in rows)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        found = bb.check(path)
    commands = tuple(
        replace(one, command=one.command.replace(str(path), path.name)) for one in found.commands
    )
    return replace(found, files=(path.name,), commands=commands)


@case
def many_systems() -> Any:
    """More systems than are compared one by one."""
    right = np.random.default_rng(8).random((70, N)) < np.linspace(0.55, 0.85, 70)[:, None]
    systems = {f"s{place}": row for place, row in enumerate(right.astype(int))}
    return FirstRows(bb.compare(systems, margin=0.2), 12)


@case
def missing_items_dropped() -> Any:
    """Systems with holes."""
    made, gold = labels(2)
    made["b"] = [None if place % 9 == 0 else label for place, label in enumerate(made["b"])]
    return bb.compare(made, gold, on_missing="drop", n_resamples=499)


def _with_holes() -> tuple[Any, Any]:
    """Return four systems of which two lack items, one of them many."""
    made, gold = labels(4)
    made["b"] = [None if place % 9 == 0 else label for place, label in enumerate(made["b"])]
    made["c"] = [None if place % 3 else label for place, label in enumerate(made["c"])]
    return made, gold


_compare(
    "missing_items_in_pairs", _with_holes, on_missing="pairs", metric=["accuracy", "f1_macro"], margin=0.1
)
_compare("missing_items_within_bounds", _with_holes, on_missing="bounds")


@case
def gaps_in_a_table_of_datasets() -> Any:
    """A system without scores on some datasets."""
    rng = np.random.default_rng(11)
    table = {f"d{i}": dict(zip("abc", rng.random(3).round(3).tolist(), strict=True)) for i in range(9)}
    del table["d2"]["b"], table["d5"]["b"], table["d7"]["c"]
    return bb.compare_datasets(table, on_missing="pairs")


@case
def annotators_drawn_again() -> Any:
    """Gold of several annotators."""
    made, gold = labels(2)
    rng = np.random.default_rng(9)
    names = np.array(["neg", "neu", "pos"])
    judged = [[g if rng.random() < 0.8 else str(rng.choice(names)) for _ in range(4)] for g in gold]
    return bb.compare(
        made,
        np.array(judged),
        metric="soft_accuracy",
        reading=bb.Reading(classes=names, annotators="resample"),
        n_resamples=199,
    )


@case
def a_streamed_file() -> Any:
    """A streamed file, of which identical rows are counted."""
    made, gold = labels(2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        rows = (",".join(row) for row in zip(gold, made["a"], made["b"], strict=True))
        path.write_text("\n".join(["gold,a,b", *rows]) + "\n", encoding="utf-8")
        return bb.compare(bb.read(path, stream=True), metric=["accuracy", "f1_macro"], n_resamples=499)


@case
def translations() -> Any:
    """BLEU and chrF of short sentences."""
    words = np.array(["the", "cat", "dog", "sat", "ran", "on", "a", "mat", "here", "now"])
    rng = np.random.default_rng(10)
    gold = [" ".join(words[rng.integers(0, 10, 8)]) for _ in range(30)]

    def spoiled(share: float) -> list[str]:
        return [
            " ".join(str(rng.choice(words)) if rng.random() < share else word for word in line.split())
            for line in gold
        ]

    return bb.compare({"a": spoiled(0.2), "b": spoiled(0.4)}, gold, metric=["bleu", "chrf"], n_resamples=199)


def _of_files(name: str, folder: str, gold: str, files: list[str], **settings: Any) -> None:
    """Register a comparison of files of the examples as a case."""
    root = Path(__file__).parents[2] / "examples" / folder

    def run() -> Any:
        data = bb.read([root / file for file in files], gold=root / gold, on_missing="worst")
        return bb.compare(data, **({"n_resamples": 199} | settings))

    CASES[name] = run


_of_files("parses", "parsing", "gold.conllu", ["chain.conllu", "tree.conllu"], metric=["las", "uas", "clas"])
_of_files("rankings", "retrieval", "qrels.txt", ["tfidf_13.run", "fourgrams.run"], metric=["ndcg@10", "map"])
_of_files("transcripts", "handwriting", "reference.trn", ["knn.trn", "svm.trn"], metric=["wer", "cer"])


@case
def spans() -> Any:
    """Named entities in a table of tokens."""
    rng = np.random.default_rng(17)
    entities = [["B-PER", "I-PER", "O"], ["B-LOC", "O", "O"], ["O", "B-ORG", "I-ORG"]]
    blank = ["O", "O", "O"]
    gold = [entities[place] for place in rng.integers(0, 3, 40)]
    lists = {
        name: [tags if rng.random() > share else blank for tags in gold]
        for name, share in (("a", 0.1), ("b", 0.3))
    }
    lists["b"][3] = ["B-LOC", "I-LOC", "O"]
    metrics = ["span_f1", "span_f1_macro", "span_precision[PER]"]
    return bb.compare(lists, gold, metric=metrics, n_resamples=199)


# -- runs ------------------------------------------------------------------------------------------


def _of_runs(n: int = 7, systems: int = 3, seed: int = 11) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        name: np.round(rng.normal(0.8 - 0.02 * place, 0.015 + 0.005 * place, n), 4)
        for place, name in enumerate("abcd"[:systems])
    }


def _runs(name: str, data: Callable[[], Any], **settings: Any) -> None:
    CASES[name] = lambda: bb.compare_runs(data(), **({"n_resamples": 499} | settings))


def _runs_and_items() -> dict[str, Any]:
    rng = np.random.default_rng(12)
    easy = rng.normal(size=30)
    return {
        "a": easy + rng.normal(0.3, 0.1, (4, 1)) + rng.normal(0.0, 0.5, (4, 30)),
        "b": easy + rng.normal(0.0, 0.1, (3, 1)) + rng.normal(0.0, 0.5, (3, 30)),
    }


_runs("runs_means", _of_runs, margin=0.02)
_runs("runs_welch_t", _of_runs, interval="t", test="t", alternative="better", correction="bonferroni")
_runs("runs_medians", _of_runs, statistic="median", baseline="c")
_runs("runs_iqm", _of_runs, statistic="iqm", interval="bca", test="permutation")
_runs("runs_trimmed_means", _of_runs, statistic="trimmed_mean", test="bootstrap", interval="percentile")
_runs("runs_paired", _of_runs, paired=True, alternative="greater", correction="bh")
_runs(
    "runs_brunner_munzel", lambda: _of_runs(6), test="brunner-munzel", interval="basic", metric="error_rate"
)
_runs("runs_with_items", _runs_and_items)
_runs(
    "runs_with_items_in_clusters", _runs_and_items, clusters=groups()[:30], test="bootstrap", interval="basic"
)


@case
def runs_of_predictions() -> Any:
    """Predictions of several runs."""
    made, gold = labels(4)
    return bb.compare_runs(
        {"new": [made["a"], made["b"]], "old": [made["c"], made["d"]]},
        gold=gold,
        metric="f1_macro",
        n_resamples=199,
    )


# -- datasets, folds, preferences, study -----------------------------------------------------------


def _table(n: int = 9, systems: int = 3) -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(13)
    return {
        f"d{row}": {
            name: round(float(rng.normal(0.7 - 0.03 * i, 0.05)), 4) for i, name in enumerate("abc"[:systems])
        }
        for row in range(n)
    }


for _across in ("t", "wilcoxon", "sign", "permutation"):
    CASES[f"datasets_{_across}"] = lambda across=_across: bb.compare_datasets(
        _table(), across=across, n_resamples=499, outer="dataset"
    )


@case
def datasets_of_items() -> Any:
    """Three test sets with items."""
    made = {}
    for place in range(3):
        systems, gold = labels(2, seed=20 + place)
        made[f"d{place}"] = bb.Evaluation(
            {name: np.array(values) for name, values in systems.items()}, np.array(gold)
        )
    return bb.compare_datasets(made, metric="f1_macro", n_resamples=199)


@case
def datasets_of_runs() -> Any:
    """Three datasets with several runs of each system."""
    made = {f"d{place}": _of_runs(5, seed=30 + place) for place in range(3)}
    return bb.compare_datasets(made, outer="dataset", margin=0.02, n_resamples=499)


def _folds(name: str, n: tuple[int, ...], **settings: Any) -> None:
    def run() -> Any:
        rng = np.random.default_rng(14)
        table = {name: np.round(rng.normal(0.8 - 0.02 * i, 0.02, n), 4) for i, name in enumerate("abc")}
        return bb.compare_folds(table, **settings)

    CASES[name] = run


_folds("folds_auto", (9,))
_folds("folds_repeated", (5, 4), test="conservative-t", correction="bonferroni")
_folds("folds_random_splits", (8,), test="corrected-t", ratio=0.25, alternative="greater", baseline="c")
_folds("folds_5x2_f", (5, 2), test="5x2cv-f")
_folds("folds_5x2_t", (5, 2), test="5x2cv-t", correction="none")


@case
def folds_of_items() -> Any:
    """Predictions of the items of the folds."""
    systems, gold = labels(2)
    folds = np.array([f"f{place % 4}" for place in range(N)])
    data = bb.Evaluation(
        {name: np.array(values) for name, values in systems.items()}, np.array(gold), strata=folds
    )
    return bb.compare_folds(data, test="k-bonferroni", required=2, n_resamples=199)


def _judgements(systems: str = "xyz", n: int = 90) -> list[tuple[str, str, str, str]]:
    rng = np.random.default_rng(15)
    made = []
    for place in range(n):
        a, b = sorted(rng.choice(list(systems), 2, replace=False).tolist())
        made.append((f"q{place // 3}", a, b, str(rng.choice([a, b, "tie"], p=[0.5, 0.3, 0.2]))))
    return made


def _preferences(name: str, data: Callable[[], Any], **settings: Any) -> None:
    CASES[name] = lambda: bb.compare_preferences(data(), **({"n_resamples": 499} | settings))


_preferences("preferences", _judgements)
_preferences("preferences_of_two", lambda: [row[1:] for row in _judgements("xy", 40)])
_preferences("preferences_davidson", _judgements, ties="davidson", scale="elo", baseline="x")
_preferences("preferences_prior", _judgements, prior="jeffreys", alternative="greater", correction="bh")


def _judged(name: str, *, right: bool = False, **settings: Any) -> None:
    def compared() -> Any:
        rng = np.random.default_rng(20)
        truth = rng.normal(size=(120, 1)) + rng.normal(size=(120, 3)) + [0.3, 0.0, 0.0]
        judge = truth + 0.6 * rng.normal(size=truth.shape)
        human = (truth > 0.0).astype(float) if right else truth
        human = np.where((np.arange(120) % 2 == 0)[:, None], human, np.nan)
        scores, labels = (dict(zip("xyz", values.T, strict=True)) for values in (judge, human))
        return bb.compare_judged(scores, labels, **({"labels_drawn": "random"} | settings))

    CASES[name] = compared


def _judged_labels(name: str, metric: str, **settings: Any) -> None:
    def compared() -> Any:
        systems, gold = labels(3)
        rng = np.random.default_rng(21)
        judge = np.where(rng.random(len(gold)) < 0.8, gold, rng.choice(sorted(set(gold)), len(gold)))
        human = [value if place % 3 == 0 else None for place, value in enumerate(gold)]
        given = {"labels_drawn": "random", "n_resamples": 999} | settings
        return bb.compare_judged(judge, human, predictions=systems, metric=metric, **given)

    CASES[name] = compared


_judged("judged", margin=0.1)
_judged_labels("judged_f1", "f1_macro", margin=0.1)
_judged_labels("judged_mcc", "matthews_corrcoef", correction="simultaneous", n_resamples=500)
_judged("judged_shares", right=True, correction="simultaneous")
_judged("judged_clusters", clusters=np.arange(120) // 6, strata=np.arange(120) // 60, correction="step-down")
_judged("judged_probabilities", labels_drawn=np.linspace(0.3, 0.7, 120), baseline="z", alternative="better")


_judged("judged_bias", bias_by={"place": np.arange(120) % 10, "half": np.arange(120) % 2})


@case
def judged_by_two() -> Any:
    """Two judges, of whom each is worth something."""
    rng = np.random.default_rng(23)
    truth = rng.normal([[0.5], [0.0]], 1.0, (2, 80))
    judge = {
        name: np.stack([one + sd * rng.normal(size=80) for sd in (0.3, 1.5)], axis=1)
        for name, one in zip("ab", truth, strict=True)
    }
    human = np.where(np.arange(80) % 2, truth, np.nan)
    return bb.compare_judged(judge, dict(zip("ab", human, strict=True)), labels_drawn="random")


@case
def judged_calibrated() -> Any:
    """Verdicts of a judge, corrected by its error rates on other items."""
    judge = {"a": [1] * 40 + [0] * 20, "b": [1] * 30 + [0] * 30, "c": [1] * 10 + [0] * 50}
    return bb.compare_judged(judge, calibration=([1] * 50 + [0] * 50, [1] * 45 + [0] * 50 + [1] * 5))


def _study(**settings: Any) -> Any:
    systems, gold = labels(4)
    with tempfile.TemporaryDirectory() as folder:
        study = bb.Study(Path(folder) / "s")
        study.add("h0", run=0, predictions=systems["d"], gold=gold, baseline=True, epochs=3)
        study.add("h1", run=0, predictions=systems["a"], epochs=4)
        study.add("h1", run=1, predictions=systems["b"], epochs=5)
        study.add("h2", run=0, predictions=systems["c"])
        return study.compare(n_resamples=499, **settings)


CASES["study"] = lambda: _study(metric=["accuracy", "f1_macro"], margin=0.1)
CASES["study_single_runs"] = lambda: _study(
    metric="accuracy", conditions=["h0", "h2"], test="mcnemar", interval="tango"
)

# -- the rest --------------------------------------------------------------------------------------


CASES["replicability"] = lambda: bb.replicability({"x": 0.01, "y": 0.2, "z": 0.001, "w": 0.04}, alpha=0.05)


@case
def normality() -> Any:
    """Three tests of one sample."""
    return bb.normality(np.round(np.random.default_rng(16).exponential(size=40), 2), n_resamples=499)


CASES["gate"] = lambda: bb.gate(*labels(2), clusters=groups(), metric=["accuracy", "f1_macro"], margin=0.15)
CASES["gate_of_slices"] = lambda: bb.gate(*labels(2), by={"group": groups(3)}, margin=0.25)
CASES["gate_alarm"] = lambda: bb.gate(*labels(2), metric=["accuracy", "f1_macro", "matthews_corrcoef"])
CASES["gate_of_errors"] = lambda: bb.gate(*numbers(2), metric=["mae", "rmse"], margin={"mae": 0.3})
CASES["aso"] = lambda: bb.aso(_of_runs()["a"], _of_runs()["b"], n_resamples=499, level=0.9)
CASES["multi_aso"] = lambda: bb.multi_aso(_of_runs(), n_resamples=499, greater_is_better=False)
CASES["aso_tightness"] = lambda: {"value": bb.aso_tightness(5, 5, 10, 8)}
CASES["advice_accuracy"] = lambda: bb.advise("accuracy", n_items=100, n_differing=5)
CASES["advice_f1_clusters"] = lambda: bb.advise("f1_macro", n_items=400, n_systems=4, clustered=True)
CASES["advice_runs"] = lambda: bb.advise("mean", n_runs=5)
CASES["advice_datasets"] = lambda: bb.advise("accuracy", n_datasets=12, n_systems=3)
CASES["advice_folds"] = lambda: bb.advise("rmse", n_folds=10)


@case
def advice_for_data() -> Any:
    """Advice that looks at the data."""
    systems = scores(2)
    return bb.advise("mean", data=bb.Evaluation(systems))


CASES["power_of_accuracies"] = lambda: bb.power(
    bb.planning.PairedProportions(0.8, 0.76, 0.85), 500, n_comparisons=3
)
CASES["sample_size_of_scores"] = lambda: bb.sample_size(
    bb.planning.PairedScores(0.02, 0.2, 1.5, pilot_df=40), 0.9
)
CASES["minimum_detectable"] = lambda: bb.minimum_detectable(
    bb.planning.PairedProportions(0.8, 0.76, 0.85), 800
)
CASES["sample_size_of_runs_and_items"] = lambda: bb.sample_size(
    bb.planning.RunsAndItems(0.05, 0.4, 0.01, 0.3, runs=4), 0.8, alternative="greater"
)
CASES["allocate"] = lambda: bb.allocate(
    bb.planning.RunsAndItems(0.02, 0.4, 0.01, 0.3), 100, run_cost=10, answer_cost=0.1
)

_FACETED = bb.planning.FacetedScores(
    0.07, {"prompt": 0.001, "item": 0.1, "seed in prompt": 0.0004, "seed in prompt x item": 0.2},
    {"prompt": 5, "seed": 2},
)  # fmt: skip
CASES["sample_size_of_facets"] = lambda: bb.sample_size(_FACETED, 0.8)
CASES["allocate_facets"] = lambda: bb.allocate(_FACETED, 300, costs={"prompt": 9.0, "call": 0.01})
CASES["least_budget_of_facets"] = lambda: bb.allocate(_FACETED, power=0.7, costs={"prompt": 9, "call": 0.01})


@case
def power_from_a_pilot_of_facets() -> Any:
    """A plan whose components are those of a pilot."""
    design = bb.planning.FacetedScores.from_pilot(facets(), levels={"prompt": 8}, difference=0.2)
    return bb.minimum_detectable(design, 60)


CASES["label_plan"] = lambda: bb.plan_labels(bb.planning.JudgedScores(1.0, 0.8, 500), half_width=0.2)
CASES["label_plan_of_a_margin"] = lambda: bb.plan_labels(
    bb.planning.JudgedScores(1.0, 0.8, 2000, pilot_labels=30), margin=0.2, power=0.9
)
CASES["label_allocation"] = lambda: bb.allocate(
    bb.planning.JudgedScores(1.0, 0.8), 100, judge_cost=0.01, label_cost=0.5, max_items=2000
)
CASES["chosen"] = lambda: bb.choose_items([f"q{place}" for place in range(N)], 9, strata=groups(3), rng=4)


@case
def power_of_lifted_scores() -> Any:
    """A simulated plan of two samples of runs."""
    design = bb.planning.LiftedScores(_of_runs()["a"], lift=1.02)
    return bb.power(design, 8, n_simulations=100, n_resamples=99, curve=[8])


@case
def power_from_a_pilot() -> Any:
    """A simulated plan from a pilot."""
    systems, gold = labels(2)
    pilot = bb.planning.Pilot(
        bb.Evaluation({n: np.array(v) for n, v in systems.items()}, np.array(gold)), "f1_macro"
    )
    return bb.power(pilot, 100, n_simulations=100, n_resamples=99, curve=[100])


@case
def a_monitor() -> Any:
    """A benchmark that is scored item by item, with a margin."""
    scores = np.random.default_rng(21).random((90, 2)) < (0.9, 0.5)
    monitor = bb.Monitor(["a", "b"], bounds=(0, 1), n_items=120, margin=0.1)
    for item, (a, b) in enumerate(scores.astype(int).tolist()):
        monitor.add(item * 7 % 90, {"a": a, "b": b})
        if monitor.decision is not None:
            break
    return monitor.result()


@case
def a_monitor_of_planned_looks() -> Any:
    """A benchmark that is looked at three times."""
    scores = np.random.default_rng(24).normal([0.6, 0.0], 1.0, (90, 2))
    monitor = bb.Monitor(["a", "b"], bounds=None, n_items=90, looks=3)
    for item, (a, b) in enumerate(scores.tolist()):
        monitor.add(item * 7 % 90, {"a": a, "b": b})
        if monitor.decision is not None:
            break
    return monitor.result()


@case
def a_monitor_of_clusters() -> Any:
    """Three systems without bounds of their scores, in clusters; one of them is dropped."""
    rng = np.random.default_rng(22)
    monitor = bb.Monitor(["a", "b", "c"], bounds=None)
    for cluster in range(400):
        shift = rng.normal([0.6, 0.5, -0.2])
        for item in range(1 + cluster % 3):
            row = np.round(shift + rng.normal(size=3), 3).tolist()
            monitor.add(f"{cluster * 7 % 400}.{item}", dict(zip("abc", row, strict=True)), cluster=cluster)
        if cluster == 350:
            assert monitor.decision is None
    monitor.close_cluster()
    return monitor.result()


# -- the numbers of a result -----------------------------------------------------------------------


def main(names: list[str]) -> None:
    """Write the results of all cases, or of the named ones only."""
    known = json.loads(FILE.read_text(encoding="utf-8")) if names else {}
    made = {
        name: extract(run()) if not names or name in names else known[name] for name, run in CASES.items()
    }
    lines = (f"{json.dumps(name)}: {json.dumps(made[name], allow_nan=False)}" for name in CASES)
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
