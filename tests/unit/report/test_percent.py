"""Percent: what is multiplied, what is refused, and that every way to show a result knows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby._core.errors import DesignError, InvalidInputError
from bestby.report.percent import in_percent

RNG = np.random.default_rng(0)
RIGHT = {name: (RNG.random(200) < able).astype(int) for name, able in (("x", 0.8), ("y", 0.7), ("z", 0.6))}
RUNS = {"new": [0.81, 0.84, 0.83, 0.86, 0.82], "old": [0.79, 0.80, 0.78, 0.81, 0.80]}
DATASETS = {f"d{i}": {"p": 0.7 + 0.01 * i, "q": 0.68 + 0.012 * i, "r": 0.6} for i in range(8)}
GOLD = RNG.integers(0, 3, 200)


def judged(**more: Any) -> Any:
    rng = np.random.default_rng(1)
    human = {name: (rng.random(200) < able).astype(float) for name, able in (("x", 0.8), ("y", 0.6))}
    judge = {name: np.where(rng.random(200) < 0.2, 1.0 - x, x) for name, x in human.items()}
    labels = {name: np.where(np.arange(200) < 80, x, np.nan) for name, x in human.items()}
    columns = {"length": rng.random(200), "topic": np.array(["law", "news"] * 100)}
    return bb.compare_judged(judge, labels, labels_drawn="random", bias_by=columns, **more)


def study(path: Path) -> Any:
    store = bb.Study(path)
    for name, wrong in (("c", 0.3), ("d", 0.2)):
        for run in range(2):
            predicted = np.where(RNG.random(200) < wrong, (GOLD + 1) % 3, GOLD)
            store.add(name, predictions=predicted, gold=GOLD, run=run)
    return store.compare(metric="accuracy", margin=0.05, n_resamples=199)


RESULTS = {
    "items": lambda _: bb.compare(RIGHT, margin=0.05),
    "many": lambda _: bb.compare({f"s{i}": RNG.integers(0, 2, 80) for i in range(70)}),
    "runs": lambda _: bb.compare_runs(RUNS),
    "runs of items": lambda _: bb.compare_runs({k: [v, v[::-1], v] for k, v in RIGHT.items()}),
    "datasets": lambda _: bb.compare_datasets(DATASETS, outer="dataset", margin=0.02),
    "runs on datasets": lambda _: bb.compare_datasets(
        {f"d{i}": {k: [0.9 * x - 0.01 * i for x in v] for k, v in RUNS.items()} for i in range(4)},
        normalise={f"d{i}": (0, 1) for i in range(4)},
        statistic="iqm",
        margin=0.02,
    ),
    "folds": lambda _: bb.compare_folds({k: v * 2 for k, v in RUNS.items()}, margin=0.02),
    "repetitions": lambda _: bb.compare_folds(
        {
            str(i): bb.Evaluation.of(
                {k: np.roll(v, i * i) for k, v in RIGHT.items()}, strata=np.arange(200) % 5
            )
            for i in range(4)
        }
    ),
    "study": study,
    "judged": lambda _: judged(margin=0.05),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_every_way_to_show_a_result_knows_percent(kind: str, tmp_path: Path) -> None:
    result = RESULTS[kind](tmp_path / "study")
    shown = in_percent(result)
    assert [d.metric for d in shown.differences] == [f"{d.metric} (%)" for d in result.differences]
    assert [d.sentence for d in shown.differences] != [d.sentence for d in result.differences]
    assert shown.margin == (None if result.margin is None else pytest.approx(100 * result.margin))
    for way in ("table", "to_markdown", "to_latex", "to_html"):
        assert "%)" in getattr(result, way)(percent=True)
    assert str(result) == result.table()  # asking for percent changes no result
    shown.plot()


SCORES = {
    "score", "mean", "sd", "min", "max", "optimality_gap", "difference", "score_a", "score_b", "margin",
    "low", "high", "equivalence_low", "equivalence_high", "standard_error",
    "judge_score", "judge_estimate", "labels_score", "labels_estimate", "labels_low", "labels_high",
    "bias", "bias_low", "bias_high", "sensitivity", "sensitivity_low", "sensitivity_high",
    "specificity", "specificity_low", "specificity_high",
    "judge_low", "judge_high", "judge_mean", "human_mean", "human_low", "human_high", "behind", "corrected",
}  # fmt: skip
UNCHANGED = {"ranges", "replicability", "ranking", "improvements", "provenance"}


def numbers(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], float]]:
    """Return the numbers in a document and where they stand, lists without places."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield from numbers(value, (*path, key))
    elif isinstance(part, list):
        for value in part:
            yield from numbers(value, path)
    elif isinstance(part, int | float) and not isinstance(part, bool):
        yield path, part


def factor(path: tuple[str, ...]) -> float:
    """Return what a number is multiplied by: scores by 100, variances by its square, all others by 1."""
    if path[0] == "variances" and path[-1] in ("items", "runs", "rest"):
        return 1e4
    if path[0] == "variances":
        return 100.0 if path[-1].startswith("error") else 1.0
    if UNCHANGED & {*path}:
        return 1.0
    of_scores = "scores" in path or path == ("systems", "runs")
    name = path[-1].removesuffix("_min").removesuffix("_max")  # the ends of the spread over repetitions
    return 100.0 if of_scores or name in SCORES else 1.0


@pytest.mark.parametrize("kind", RESULTS)
def test_each_number_has_its_scale(kind: str, tmp_path: Path) -> None:
    result = RESULTS[kind](tmp_path / "study")
    plain, shown = (
        [*numbers({key: part for key, part in one.to_dict().items() if key != "record"})]
        for one in (result, in_percent(result))
    )
    paths = [path for path, _ in plain]
    assert paths == [path for path, _ in shown]
    factors = [factor(path) for path in paths]
    assert {1.0, 100.0} <= {*factors}
    before, after = (np.array([number for _, number in part]) for part in (plain, shown))
    wrong = ~np.isclose(after, before * factors, rtol=1e-12, atol=0.0, equal_nan=True)
    assert {path for path, one in zip(paths, wrong, strict=True) if one} == set()


def test_no_table_on_a_judge_mixes_shares_and_percent() -> None:
    c = judged()
    text = c.details(percent=True)
    for name in (
        "judge alone",
        "labels alone",
        "bias",
        "sensitivity",
        "specificity",
        "judge's score",
        "human",
    ):
        assert f"{name} (%)" in text, name
    (first, *_), (shown, *_) = c.judges[0].systems, in_percent(c).judges[0].systems
    assert (shown.pearson, shown.kappa) == (first.pearson, first.kappa)
    assert c.judges[0].equal_bias == in_percent(c).judges[0].equal_bias
    axes = c.plot(kind="judge", percent=True)
    assert axes.get_xlabel() == "share of the judge's verdicts that are right (%)"
    assert axes.get_xlim() == pytest.approx([100 * end for end in c.plot(kind="judge").get_xlim()])


def test_a_judge_on_another_scale_is_not_in_percent() -> None:
    rng = np.random.default_rng(2)
    human = rng.random((200, 2)).round(1)
    judge = {name: 100.0 * human[:, i] + rng.normal(0.0, 9.0, 200) for i, name in enumerate("xy")}
    labels = {name: np.where(np.arange(200) < 80, human[:, i], np.nan) for i, name in enumerate("xy")}
    c = bb.compare_judged(judge, labels, labels_drawn="random", scale="different")
    shown = in_percent(c)
    assert shown.score("x").judge_score == c.score("x").judge_score
    assert shown.score("x").labels_score == pytest.approx(100 * c.score("x").labels_score)
    (bin_, *_), (other, *_) = c.judges[0].calibration, shown.judges[0].calibration
    assert (other.low, other.judge, other.human) == (bin_.low, bin_.judge, pytest.approx(100 * bin_.human))
    assert c.plot(kind="judge", percent=True).get_xlabel() == "score of the judge"
    table = c.details(percent=True)
    assert "labels alone (%)" in table
    assert "judge alone (%)" not in table


def test_several_humans_vary_in_squares_of_percent() -> None:
    rng = np.random.default_rng(3)
    human = {name: (rng.random((120, 2)) < 0.6).astype(float) for name in "xy"}
    for labels in human.values():
        labels[60:] = np.nan
    c = bb.compare_judged({name: rng.random(120) for name in "xy"}, human, labels_drawn="random")
    assert in_percent(c).humans.variance == pytest.approx(1e4 * c.humans.variance)
    assert in_percent(c).humans.reliability == c.humans.reliability


def test_metrics_on_another_scale_stay() -> None:
    texts = ["a cat sat on the mat", "the dog ran"] * 10
    systems = {"s": texts, "t": ["a cat sat on a mat", "a dog ran"] * 10}
    both = bb.compare(systems, gold=texts, metric=["em", "bleu"], n_resamples=99)
    shown = in_percent(both)
    assert [metric.name for metric in shown.metrics] == ["em (%)", "bleu"]
    assert shown.score("s", "bleu") == both.score("s", "bleu")
    with pytest.raises(InvalidInputError, match="'bleu' has a scale from 0 to 100 already"):
        bb.compare(systems, gold=texts, metric="bleu", n_resamples=99).table(percent=True)
    with pytest.raises(InvalidInputError, match="the margin is for all metrics"):
        in_percent(bb.compare(systems, gold=texts, metric=["em", "bleu"], margin=0.1, n_resamples=99))


def test_what_is_no_share_is_refused() -> None:
    numbers = {name: RNG.normal(3.0, 1.0, 50) for name in "ab"}
    with pytest.raises(InvalidInputError, match="not bounded by 0 and 1, nor by -1 and 1"):
        bb.compare(numbers).to_markdown(percent=True)
    with pytest.raises(InvalidInputError, match="a Plan has no scores of systems"):
        bb.power(bb.planning.PairedScores(0.5, 1.0), 34).to_latex(percent=True)
    judged = [("x", "y", "x")] * 30 + [("y", "x", "y")] * 10
    with pytest.raises(InvalidInputError, match="strengths have no scale from 0 to 1"):
        bb.compare_preferences(judged, n_resamples=99).table(percent=True)


def test_slices() -> None:
    halves = {"half": ["1st"] * 100 + ["2nd"] * 100}
    systems = {"x": GOLD, "y": np.roll(GOLD, 1)}
    c = bb.compare_slices(systems, GOLD, by=halves, metric=["accuracy", "cohen_kappa"], n_resamples=99)
    shown = in_percent(c)
    assert [metric.name for metric in shown.metrics] == ["accuracy (%)", "cohen_kappa (%)"]
    for one, other in zip(c.slices, shown.slices, strict=True):
        assert other.difference.estimate == pytest.approx(100 * one.difference.estimate)
        assert other.shrunken == (None if one.shrunken is None else pytest.approx(100 * one.shrunken))
        assert other.detectable == (None if one.detectable is None else pytest.approx(100 * one.detectable))
    for test, same in zip(c.heterogeneity, shown.heterogeneity, strict=True):
        assert (same.mean, same.tau, same.q) == pytest.approx((100 * test.mean, 100 * test.tau, test.q))
    assert "Does the difference depend on the slice?" in c.details(percent=True)
    assert "(%)" in c.plot("accuracy", percent=True).get_xlabel()


def test_a_gate_has_a_scale_for_each_check() -> None:
    g = bb.gate({"x": GOLD, "y": np.roll(GOLD, 1)}, GOLD, baseline="y", metric=["accuracy", "mae"],
                margin={"accuracy": 0.02, "mae": 0.5}, n_resamples=99)  # fmt: skip
    (accuracy, mae), (shown, same) = g.checks, in_percent(g).checks
    assert (shown.name, shown.margin, shown.outcome) == ("accuracy (%)", pytest.approx(2.0), accuracy.outcome)
    assert shown.bound == pytest.approx(100 * accuracy.bound)
    assert same is mae  # it has no upper bound
    assert [row.margin for row in in_percent(g).checks] == [pytest.approx(2.0), 0.5]
    g.plot(percent=True)
    with pytest.raises(InvalidInputError, match="'mae' is not bounded"):
        in_percent(
            bb.gate({"x": GOLD, "y": np.roll(GOLD, 1)}, GOLD, baseline="y", metric="mae", n_resamples=99)
        )


@pytest.mark.parametrize(("published", "shown"), [("0.930", "93.0"), ("93.5%", "93.5"), (0.93, "93")])
def test_a_published_score_keeps_its_digits(published: Any, shown: str) -> None:
    c = bb.compare_published(np.where(RNG.random(200) < 0.1, -1, GOLD), GOLD, published=published)
    other = in_percent(c)
    assert other.estimate == pytest.approx(100 * c.estimate)
    assert other.decided == c.decided
    for one, two in zip(c.answers, other.answers, strict=True):
        assert (two.interval.low, two.p_low) == pytest.approx((100 * one.interval.low, one.p_low))
    table, plain = c.table(percent=True), c.table()
    assert f"published {shown}:" in " ".join(table.split())
    assert f"published score {shown} over" in other.methods()
    counts = re.findall(r"\d+(?: to \d+)? right", plain)
    assert counts
    assert counts == re.findall(r"\d+(?: to \d+)? right", table)  # items, not percent
    c.plot(percent=True)


def test_figures_are_in_percent() -> None:
    gold = [0, 1] * 30
    systems = {"a": gold[:50] + [0] * 10, "b": gold[:30] + [1] * 30}
    both = bb.compare(systems, gold=gold, metric=["f1_macro", "accuracy"], n_resamples=99)
    axes = both.plot("accuracy", percent=True)
    assert "accuracy (%)" in axes.get_xlabel()
    assert axes.get_xlim()[1] > 1.0 > both.plot("accuracy").get_xlim()[1]
    runs = bb.compare_runs({"a": [0.8, 0.9, 0.7], "b": [0.5, 0.6, 0.4]}, metric="accuracy", n_resamples=99)
    folds = bb.compare_folds({"a": [0.8, 0.9, 0.7], "b": [0.5, 0.6, 0.4]}, metric="accuracy")
    for result in (runs, folds):
        assert "accuracy (%)" in result.plot(percent=True).get_xlabel()


def test_a_result_in_percent_has_its_items() -> None:
    c = bb.compare({"x": GOLD, "y": np.roll(GOLD, 1)}, GOLD, metric="accuracy")
    plain = c.disagreements("x", "y")
    shown = in_percent(c).disagreements("x", "y")
    assert shown.metric == "accuracy (%)"
    assert [row.item for row in shown] == [row.item for row in plain]
    assert [row.effect for row in shown] == pytest.approx([100 * row.effect for row in plain])
    page = c.to_html(percent=True, items=True)
    assert f"x and y differ on {len(plain)} of 200 items in accuracy (%); x won {len(plain)}" in page
    with pytest.raises(DesignError, match="not at hand"):
        in_percent(bb.load(c.to_json())).disagreements("x", "y")


def test_graded_scores_of_a_judge_are_drawn_in_percent() -> None:
    human = np.random.default_rng(2).random((200, 2)).round(1)
    judge = {name: (0.9 * human[:, i]).round(2) for i, name in enumerate("xy")}
    labels = {name: np.where(np.arange(200) < 80, human[:, i], np.nan) for i, name in enumerate("xy")}
    c = bb.compare_judged(judge, labels, labels_drawn="random")
    axes = c.plot(kind="judge", percent=True)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("score of the judge (%)", "mean human score (%)")
    assert axes.get_xlim() == pytest.approx([100 * end for end in c.plot(kind="judge").get_xlim()])
