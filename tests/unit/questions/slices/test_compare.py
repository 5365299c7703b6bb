"""`compare_slices`: every slice as `compare` has it, and what holds for all of them at once."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.unit.questions.slices.examples import compared, drawn

import bestby as bb
from bestby.cli import main
from bestby.data.evaluation import Evaluation
from bestby.engine.base import Drawing
from bestby.metrics import resolve
from bestby.questions.slices import source
from bestby.questions.slices.source import columns_of, slicings


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "matthews_corrcoef", "recall[1]"])
def test_a_slice_has_the_numbers_of_its_items_alone(metric: str) -> None:
    data = drawn()
    result = compared(data, {"language": data["language"]}, metric=metric)
    for one in result:
        rows = data["language"] == one.slice
        alone = bb.compare({s: data[s][rows] for s in ("new", "old")}, data["gold"][rows], metric=metric)
        d = alone["new", "old"]
        mine = one.difference
        assert (mine.estimate, mine.p_value, mine.n_items) == (d.estimate, d.p_value, int(rows.sum()))
        assert mine.standard_error == d.standard_error
        assert mine.interval is not None
        assert d.interval is not None
        assert mine.interval.low <= d.interval.low < d.interval.high <= mine.interval.high
        assert (mine.p_adjusted or 0.0) >= (mine.p_value or 1.0)
    whole = bb.compare({s: data[s] for s in ("new", "old")}, data["gold"], metric=metric)["new", "old"]
    assert result.overall[0].estimate == whole.estimate
    assert result.overall[0].interval == whole.interval


@pytest.mark.parametrize(
    ("metric", "kind"),
    [("pearson", "numbers"), ("spearman", "numbers"), ("mse", "numbers"), ("roc_auc", "scores")],
)
@pytest.mark.parametrize("clustered", [False, True])
def test_metrics_of_numbers(metric: str, kind: str, clustered: bool) -> None:
    rng = np.random.default_rng(5)
    n = 300
    gold = rng.normal(size=n) if kind == "numbers" else rng.integers(0, 2, n)
    logit = gold + rng.normal(size=(2, n)) * np.array([[0.5], [1.5]])
    values = logit if kind == "numbers" else 1.0 / (1.0 + np.exp(-logit))
    options = {"clusters": rng.integers(0, 60, n)} if clustered else {}
    result = bb.compare_slices(
        {"a": values[0], "b": values[1]},
        gold,
        by={"x": rng.integers(0, 3, n), "y:2": rng.normal(size=n)},
        metric=metric,
        n_resamples=499,
        **options,
    )
    assert len(result) == 5
    assert all(one.difference.interval is not None and one.detectable is not None for one in result)
    assert [h.column for h in result.heterogeneity] == ["x", "y:2"]
    assert all(0.0 <= h.p_value <= 1.0 for h in result.heterogeneity)
    assert {h.test for h in result.heterogeneity} == ({"hotelling"} if clustered else {"welch-q"})


def test_a_function_and_texts_have_slices_too() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 120)
    systems = {
        name: np.where(rng.random(120) < share, gold, 1 - gold) for name, share in (("a", 0.9), ("b", 0.6))
    }
    by = {"x": np.arange(120) % 3}

    def hits(gold: Any, predictions: Any) -> float:
        return float((np.asarray(gold) == np.asarray(predictions)).mean())

    called = bb.compare_slices(systems, gold, by=by, metric=hits, n_resamples=199)
    built = bb.compare_slices(systems, gold, by=by, metric="accuracy")
    assert [one.difference.estimate for one in called] == pytest.approx(
        [one.difference.estimate for one in built]
    )
    texts = [f"the cat number {i} sat on the mat" for i in range(60)]
    noisy = [text.replace("sat", "stood") if i % 2 else text for i, text in enumerate(texts)]
    bleu = bb.compare_slices(
        {"a": texts, "b": noisy}, texts, by={"x": np.arange(60) % 3}, metric="bleu", n_resamples=99
    )
    assert all(one.difference.score_a == pytest.approx(100.0) for one in bleu)


def test_correlations_are_those_of_the_shared_items() -> None:
    data = drawn(2000)
    evaluation = Evaluation.of(
        {"new": data["new"], "old": data["old"]},
        data["gold"],
        slices={"language": data["language"], "length": data["length"]},
    )
    cut, _ = slicings(evaluation, columns_of(["language", "length:2"]), 1, crossed=False)
    metric = resolve("accuracy")
    plain = source.without_slices(evaluation)
    made, _ = source.parts_of(plain, cut, metric, Drawing(99, 0))
    together = source.correlation(made, [(0, 1)], source.Sharing.of(plain, cut))
    assert together is not None
    difference = (data["new"] == data["gold"]).astype(float) - (data["old"] == data["gold"])
    columns = []
    for part in made:
        centred = np.zeros(2000)
        own = difference[part.rows]
        centred[part.rows] = (own - own.mean()) / own.size
        columns.append(centred / np.linalg.norm(centred))
    matrix = np.array(columns)
    assert together == pytest.approx(matrix @ matrix.T, abs=1e-12)
    assert together[0, 1] == 0.0
    assert together[0, 4] > 0.3


def test_clusters_that_span_slices_are_told_by_their_sums() -> None:
    rng = np.random.default_rng(2)
    clusters, slices = np.repeat(np.arange(60), 6), np.tile(np.arange(3), 120)
    effect = rng.normal(size=60)[clusters] + 0.3 * rng.normal(size=360)
    result = bb.compare_slices(
        {"a": effect, "b": np.zeros(360)}, by={"x": slices}, clusters=clusters, n_resamples=99
    )
    (tested,) = result.heterogeneity
    means = np.array([[effect[(clusters == c) & (slices == s)].mean() for s in range(3)] for c in range(60)])
    contrasts = means[:, :2] - means[:, 2:]
    t2 = 60 * contrasts.mean(0) @ np.linalg.solve(np.cov(contrasts.T), contrasts.mean(0))
    assert tested.test == "hotelling"
    assert tested.q == pytest.approx(t2, rel=1e-6)
    assert tested.sign_p is None
    nested = bb.compare_slices(
        {"a": effect, "b": np.zeros(360)}, by={"x": clusters % 3}, clusters=clusters, n_resamples=99
    )
    assert nested.heterogeneity[0].test == "welch-q"
    assert nested.heterogeneity[0].sign_p is not None
    few = bb.compare_slices(
        {"a": effect[:30], "b": np.zeros(30)}, by={"x": slices[:30]}, clusters=clusters[:30], n_resamples=99
    )
    assert few.heterogeneity == ()
    assert any(note.code == "heterogeneity" for note in few.notes)
    assert all(one.shrunken is None for one in few)


def test_the_level_is_that_of_all_slices() -> None:
    data = drawn(4000)
    result = compared(data, {"language": data["language"]})
    (told,) = [note.message for note in result.notes if note.code == "slices"]
    sidak = 100.0 * 0.95**0.25
    level = float(told.split("at the level ")[1].split(" %")[0])
    assert level == pytest.approx(sidak, abs=0.12)
    p = np.sort([one.difference.p_value for one in result])
    adjusted = np.sort([one.difference.p_adjusted for one in result])
    holm = np.minimum(1.0, np.maximum.accumulate(p * np.arange(4, 0, -1)))
    assert (adjusted <= holm + 1e-12).all()


def test_a_slice_where_nothing_differs_is_not_known_without_error() -> None:
    gold = [0, 1] * 60
    same = gold[:40]
    a, b = same + [0] * 80, same + gold[40:]
    result = bb.compare_slices({"a": a, "b": b}, gold, by={"x": ["s"] * 40 + ["t"] * 40 + ["u"] * 40})
    one = result["s"]
    assert one.difference.standard_error == 0.0
    assert (one.detectable or 0.0) > 0.0
    assert result.heterogeneity[0].test == "permutation-q"
    identical = bb.compare_slices({"a": gold, "b": gold}, gold, by={"x": [0, 1, 1] * 40})
    assert identical.heterogeneity == ()
    assert "they differ significantly in no slice" in identical.sentence


def test_what_a_slice_could_have_shown() -> None:
    rng = np.random.default_rng(9)
    code = np.repeat(np.arange(4), [6, 50, 100, 400])
    draws = []
    for _ in range(40):
        gold = np.ones(code.size, dtype=int)
        a, b = (rng.random(code.size) < share for share in (0.85, 0.75))
        systems = {"a": a.astype(int), "b": b.astype(int)}
        draws.append(bb.compare_slices(systems, gold, by={"x": code}, n_resamples=99))
    assert all(one["0"].detectable is None for one in draws)
    needed = {name: float(np.mean([one[name].detectable for one in draws])) for name in ("1", "2", "3")}
    assert needed["1"] > needed["2"] > needed["3"]
    found = 0
    for _ in range(400):
        a, b = (rng.random(400) < share for share in (0.8 + needed["3"] / 2, 0.8 - needed["3"] / 2))
        won, gone = int((a & ~b).sum()), int((b & ~a).sum())
        found += stats.binomtest(won, max(1, won + gone)).pvalue <= 1.0 - 0.95**0.25
    assert found / 400 == pytest.approx(0.8, abs=0.08)
    rare = bb.compare_slices(
        {"a": np.r_[np.zeros(599), 1], "b": np.zeros(600)}, by={"x": np.repeat([0, 1, 2], 200)}
    )
    assert min(one.detectable or 0.0 for one in rare) > 7 / 200


def test_several_metrics_pairs_and_a_baseline() -> None:
    data = drawn()
    systems = {name: data[name] for name in ("new", "old")} | {"other": np.roll(data["new"], 3)}
    by = {"language": data["language"]}
    result = bb.compare_slices(systems, data["gold"], by=by, metric=["accuracy", "f1_macro"])
    assert len(result.overall) == 6
    assert len(result) == 24
    assert len(result.heterogeneity) == 6
    page = result.to_html()
    for d in result.overall:
        assert f"{d.metric}: {d.a} and {d.b}" in page
    based = bb.compare_slices(systems, data["gold"], by=by, baseline="old")
    assert {(d.a, d.b) for d in based.overall} == {("new", "old"), ("other", "old")}
    found = based.find("ja", metric="accuracy", a="other")
    assert (found.difference.a, found.slice) == ("other", "ja")
    with pytest.raises(bb.errors.InvalidInputError, match="there is no slice 'jaa'; did you mean 'ja'"):
        based["jaa"]


def test_the_sentence_says_only_what_is_shown() -> None:
    data = drawn(6000)
    result = compared(data, {"language": data["language"]})
    assert result.sentence == (
        "new has a significantly higher accuracy than old on all items; the score of new is significantly"
        " higher in de, en and fr and significantly lower in ja."
    )
    assert "change their sign" in str(result)
    lower = bb.compare_slices(
        {name: (data[name] != data["gold"]).astype(float) for name in ("new", "old")},
        by={"language": data["language"]},
        metric=bb.ScoreMetric("errors", greater_is_better=False),
    )
    assert (
        "a significantly lower errors than old on all items; the score of new is significantly lower in de"
        in (lower.sentence)
    )
    sided = compared(data, {"language": data["language"]}, alternative="less")
    assert sided["ja"].significant
    assert not sided["de"].significant


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = drawn()
    path, out, page = tmp_path / "p.csv", tmp_path / "out.json", tmp_path / "page.html"
    pd.DataFrame(data)[["gold", "new", "old", "language", "length"]].to_csv(path, index=False)
    command = ["slices", str(path), "--gold", "gold", "--by", "language"]
    both = [*command, "--by", "length:2"]
    assert main([*both, "--json", str(out), "--html", str(page), "--plot", str(tmp_path / "f.png")]) == 0
    expected = compared(data, {"language": data["language"], "length:2": data["length"]})
    shown = json.loads(out.read_text(encoding="utf-8"))
    assert shown["slices"] == json.loads(expected.to_json())["slices"]
    assert "Forest plot of new" in page.read_text(encoding="utf-8")
    capsys.readouterr()
    assert main([*both, "--crossed", "--csv", "-"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 9
    for arguments, said in (
        (["--by", "langauge"], "did you mean 'language'"),
        (["--by", "language", "--by", "language"], "named more than once"),
        (["--by", "language", "--min-items", "0"], "--min-items must be"),
    ):
        assert main(["slices", str(path), "--gold", "gold", *arguments]) == 2
        error = capsys.readouterr().err.splitlines()
        assert len(error) == 2
        assert said in error[0]


def test_a_log_offers_its_groupings() -> None:
    data = drawn()
    evaluation = Evaluation.of({"new": data["new"], "old": data["old"]}, data["gold"])
    evaluation = dataclasses.replace(evaluation, groupings={"language": data["language"]})
    assert len(bb.compare_slices(evaluation, by="language")) == 4
    with pytest.raises(bb.errors.InvalidInputError) as caught:
        bb.compare_slices(evaluation, by="langauge")
    assert "did you mean 'language'?" in caught.value.message


def test_slices_with_the_same_effects_in_every_cluster_are_not_tested() -> None:
    clusters, slices = np.repeat(np.arange(40), 3), np.tile(np.arange(3), 40)
    effect = np.random.default_rng(3).normal(size=(40, 3))
    effect[:, 1] = effect[:, 0]
    scores = {"a": effect.ravel(), "b": np.zeros(120)}
    result = bb.compare_slices(scores, by={"x": slices}, clusters=clusters, n_resamples=99)
    assert result.heterogeneity == ()
    assert any(note.code == "heterogeneity" for note in result.notes)


@pytest.mark.parametrize(("k", "noted"), [(3, True), (9, True), (10, False)])
def test_shrunken_differences_of_few_slices_are_noted(k: int, noted: bool) -> None:
    rng = np.random.default_rng(k)
    scores = {name: rng.normal(size=20 * k) for name in "ab"}
    result = bb.compare_slices(scores, by={"part": np.arange(20 * k) % k})
    told = [note.message for note in result.notes if note.code == "few_slices"]
    assert bool(told) is noted
    if noted:
        assert f"rest on the spread of {k} slices" in told[0]
        tau = result.heterogeneity[0].tau
        assert ("estimated as 0, so that all of them are the mean" in told[0]) is (tau == 0.0)


def test_the_short_answer_has_a_line_for_each_pair_and_the_details_a_section() -> None:
    rng = np.random.default_rng(7)
    gold, slices = rng.integers(0, 2, 400), np.tile(["x", "y", "z", "w"], 100)
    right = {f"s{i}": 0.6 + 0.03 * i for i in range(12)}
    systems = {name: np.where(rng.random(400) < p, gold, 1 - gold) for name, p in right.items()}
    result = bb.compare_slices(systems, gold, by={"part": slices}, n_resamples=499)
    lines = str(result).splitlines()
    assert len(lines) <= 45
    assert any(line.startswith("All pairs") and line.endswith("the first 11 of 66") for line in lines)
    last = next(line for line in lines if line.startswith("s11") and " s0 " in line)
    better = [one.slice for one in result.of(result.overall[10]) if one.winner == "s11"]
    assert result.overall[10].b == "s0"
    assert all(one in last for one in better)
    assert result.details().count("Difference in accuracy") == 66
    assert "All pairs" not in str(
        bb.compare_slices({n: systems[n] for n in ("s0", "s9")}, gold, by={"p": slices})
    )
