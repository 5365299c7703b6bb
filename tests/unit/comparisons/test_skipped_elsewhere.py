"""Without intervals or tests a comparison has the rest as it was, and reports leave out what is not there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.inference import samples
from bestby.questions.runs import differences as runs_differences

RNG = np.random.default_rng(16)
NAMES = ("a", "b", "c")


def answers(n: int) -> dict[str, Any]:
    return {name: (RNG.random(n) < 0.5 + 0.15 * s).astype(int) for s, name in enumerate(NAMES)}


RUNS = {name: (RNG.normal(size=6) + s).tolist() for s, name in enumerate(NAMES)}
RUNS_OF_ITEMS = {name: (RNG.random((4, 40)) < 0.5 + 0.15 * s).astype(int) for s, name in enumerate(NAMES)}
TABLE = {f"d{i}": {name: float(RNG.normal()) for name in NAMES} for i in range(6)}
DATASETS = {f"d{i}": bb.Evaluation.of(answers(40)) for i in range(4)}
FOLDS = {name: RNG.normal(size=(2, 5)) for name in NAMES}
OUT_OF_FOLD = {f"r{i}": bb.Evaluation.of(answers(40), strata=np.repeat(np.arange(4), 10)) for i in range(3)}
JUDGED = [(a, b, w) for a, b in ("ab", "ba", "bc", "ca", "ac") for w in (a, b, a, b, b, "tie")]

GOLD = RNG.integers(0, 3, 90)
LABELS = {
    name: np.where(RNG.random(90) < share, GOLD, RNG.integers(0, 3, 90))
    for name, share in (("a", 0.9), ("b", 0.6), ("c", 0.2))
}
MANY = {f"s{i}": (RNG.random(60) < 0.5).astype(int) for i in range(102)}
COMPARED: dict[str, Callable[..., Any]] = {
    "items": lambda **options: bb.compare(LABELS, GOLD, metric="f1_macro", n_resamples=99, **options),
    "many": lambda **options: bb.compare(MANY, **options),
    "runs": lambda **options: bb.compare_runs(RUNS, n_resamples=99, **options),
    "runs of items": lambda **options: bb.compare_runs(RUNS_OF_ITEMS, n_resamples=99, **options),
    "datasets": lambda **options: bb.compare_datasets(TABLE, outer="dataset", n_resamples=99, **options),
    "datasets of items": lambda **options: bb.compare_datasets(DATASETS, n_resamples=99, **options),
    "folds": lambda **options: bb.compare_folds(FOLDS, n_resamples=99, **options),
    "folds of items": lambda **options: bb.compare_folds(OUT_OF_FOLD, n_resamples=99, **options),
    "preferences": lambda **options: bb.compare_preferences(
        JUDGED, ties="davidson", n_resamples=99, **options
    ),
}
SKIPS: dict[str, dict[str, Any]] = {
    "interval": {"interval": None},
    "test": {"test": None},
    "both": {"interval": None, "test": None},
}
OF_INTERVALS = {
    "low", "high", "interval", "standard_error", "standard_error_method", "verdict", "improvement_low",
    "effect_high", "probability_low", "win_rate_high", "robust_error",
}  # fmt: skip
OF_TESTS = {
    "p_value", "p_adjusted", "test", "exact", "significant", "winner", "rank_low", "rank_high", "group",
    "p_welch", "epsilon_min", "order_p",
}  # fmt: skip


def refuse(*_: Any, **__: Any) -> Any:
    raise AssertionError("nobody asked for this")


def all_differences(result: Any) -> list[Any]:
    return [*result, *(d for made in getattr(result, "within", {}).values() for d in made)]


@pytest.mark.parametrize("kind", COMPARED)
def test_the_rest_is_the_same(kind: str) -> None:
    everything = COMPARED[kind]()
    tested, bounded, bare = (COMPARED[kind](**SKIPS[name]) for name in SKIPS)
    rows = zip(*(all_differences(one) for one in (everything, tested, bounded, bare)), strict=True)
    for whole, by_test, by_interval, nothing in rows:
        assert (by_test.test, by_test.p_adjusted) == (whole.test, whole.p_adjusted)
        assert (by_interval.interval, by_interval.standard_error) == (whole.interval, whole.standard_error)
        for one in (by_test, nothing):
            assert (one.interval, one.standard_error, one.standard_error_method) == (None, None, None)
        for one in (by_interval, nothing):
            assert (one.test, one.p_value, one.p_adjusted, one.significant, one.winner) == (None,) * 5
        for one in (by_test, by_interval, nothing):
            assert (one.estimate, one.n_differing, one.a) == (whole.estimate, whole.n_differing, whole.a)
    assert [one.correction for one in (tested, bounded, bare)] == ["holm", "none", "none"]
    assert {note.code for note in bare.notes} <= {"read_as", "ties_as_halves"}


@pytest.mark.parametrize("kind", COMPARED)
@pytest.mark.parametrize("name", SKIPS)
def test_reports_leave_it_out(kind: str, name: str) -> None:
    result = COMPARED[kind](**SKIPS[name])
    left_out = (OF_INTERVALS if "interval" in SKIPS[name] else set()) | (
        OF_TESTS if "test" in SKIPS[name] else set()
    )
    text = result.to_json()
    assert bb.load(text) == result
    document = json.loads(text)
    for rows in (document["differences"], document["systems"]):
        assert left_out.isdisjoint(rows[0])
    assert name != "both" or "resampled" not in document["differences"][0]
    for what in ("differences", "scores"):
        columns = list(result.to_frame(what).columns)
        assert left_out.isdisjoint(columns)
        assert result.to_csv(what=what).splitlines()[0].split(",") == columns
    printed = [str(result), result.to_markdown(), result.to_latex()]
    for page in [*printed, *(one for d in result for one in (str(d), str(d.mirrored())))]:
        assert re.search(r"\b(None|nan)\b", page) is None
        assert "cannot be said" not in page
    for page in printed[: 2 if kind == "many" else 3]:  # the LaTeX of many systems is a matrix
        words = " ".join(page.split())
        assert ("No intervals were computed" in words) == ("interval" in SKIPS[name])
        assert ("nothing was tested" in words) == ("test" in SKIPS[name])
    if name == "both":
        assert "interval " not in printed[0].split("No intervals")[0]


@pytest.mark.parametrize("kind", COMPARED)
def test_pages_and_figures_leave_it_out(kind: str) -> None:
    import matplotlib.pyplot as plt

    figures = {
        "runs": ("scores", "forest", "quantiles"),
        "datasets": ("ranks", "matrix", "forest"),
        "preferences": ("scores", "forest"),
    }.get(kind.split()[0], ())
    for name, options in SKIPS.items():
        result = COMPARED[kind](**options)
        page = result.to_html()
        assert ("95 % interval" in page) == (name == "test")
        drawn = [result.plot(), *(result.plot(kind=figure) for figure in figures)]
        for axes in drawn:
            texts = " ".join([axes.get_title("left"), axes.get_xlabel(), *(t.get_text() for t in axes.texts)])
            assert name == "test" or "interval" not in texts
            assert "p=" not in texts or name == "interval"
            assert "None" not in texts
        plt.close("all")


def test_what_belongs_to_each_is_none() -> None:
    d = COMPARED["runs"](interval=None)["c", "a"]
    assert (d.improvement_interval, d.effect_interval) == (None, None)
    assert (
        d.improvement == samples.improvement(np.array(RUNS["c"]), np.array(RUNS["a"]), 0.95, paired=False)[0]
    )
    assert (
        d.effect_size
        == runs_differences.effect_size(np.array(RUNS["c"]), np.array(RUNS["a"]), 0.95, paired=False)[0]
    )
    assert d.order.epsilon_min == COMPARED["runs"]()["c", "a"].order.epsilon_min
    untested = COMPARED["runs of items"](test=None)
    assert (untested.orders, untested["a", "b"].order, untested["a", "b"].p_welch) == (None, None, None)
    assert untested.variances == COMPARED["runs of items"]().variances
    assert COMPARED["runs of items"](interval=None).variances == ()
    datasets = COMPARED["datasets of items"](interval=None)
    varying = [(e.average, e.resampled) for e in datasets.overall[:3]]
    assert varying == [("macro", "datasets"), ("macro", "items"), ("micro", None)]
    frame = datasets.to_frame().query("dataset.isna() and average == 'macro'")
    assert not frame.duplicated(["a", "b", "resampled"]).any()
    bare = COMPARED["datasets of items"](interval=None, test=None)
    assert [(e.average, e.resampled) for e in bare.overall[:2]] == [("macro", None), ("micro", None)]
    whole = {(e.a, e.b, e.average): e.estimate for e in COMPARED["datasets of items"]().overall}
    assert {(e.a, e.b, e.average): e.estimate for e in datasets.overall} == whole
    untested = COMPARED["datasets of items"](test=None)
    assert (untested.friedman, untested.ranking, untested.critical_difference) == (None, (), None)
    assert len(untested.replicability) == 0
    folds = COMPARED["folds of items"](test=None)
    assert (len(folds.tests), len(folds.effects), folds.spread[0].p_value) == (0, 0, None)
    with pytest.raises(bb.errors.InvalidInputError, match="it was made with test=None"):
        folds.tests["a", "b"]
    assert COMPARED["folds of items"](interval=None).spread[0].low is None
    strengths = COMPARED["preferences"](interval=None)
    assert strengths.tie_interval is None
    assert strengths.tie_parameter == COMPARED["preferences"]().tie_parameter
    assert {s.robust_error for s in strengths.systems} == {s.win_rate_interval for s in strengths.systems}
    by_error = COMPARED["preferences"](interval=None, test="wald")["a", "b"]
    assert by_error.p_value == COMPARED["preferences"](test="wald")["a", "b"].p_value
    with pytest.raises(bb.errors.InvalidInputError, match="no stochastic orders: it was made with test=None"):
        COMPARED["runs"](test=None).plot(kind="order")


def test_a_margin_needs_no_test() -> None:
    for kind, compared in COMPARED.items():
        whole, bounded = compared(margin=0.01), compared(margin=0.01, test=None)
        verdicts = [d.verdict for d in all_differences(bounded)]
        assert verdicts == [d.verdict for d in all_differences(whole)], kind


def test_comparisons_of_datasets_that_were_made_without_tests() -> None:
    made = {name: bb.compare(part, test=None) for name, part in DATASETS.items()}
    with pytest.raises(
        bb.errors.InvalidInputError, match="the comparison on dataset 'd0' was made with test=None"
    ):
        bb.compare_datasets(made)
    result = bb.compare_datasets(made, test=None)
    assert (
        result.within["d0"][0].interval
        == made["d0"][result.within["d0"][0].a, result.within["d0"][0].b].interval
    )
    tested = {name: bb.compare(part) for name, part in DATASETS.items()}
    bare = bb.compare_datasets(tested, interval=None, test=None)
    assert {(d.test, d.interval, d.standard_error) for d in all_differences(bare)} == {(None, None, None)}


@pytest.mark.parametrize("across", ["t", "wilcoxon", "sign", "permutation", None])
def test_the_same_difference_on_all_datasets_has_no_interval(across: str | None) -> None:
    table = {f"d{i}": {"a": 0.5 + i / 10, "b": 0.4 + i / 10} for i in range(5)}
    options = {"test": None} if across is None else {"across": across}
    d = bb.compare_datasets(table, **options)["a", "b"]
    (note,) = (note for note in d.notes if note.code == "constant_difference")
    assert (d.interval, d.standard_error) == (None, 0.0)
    assert ("the p-value comes from the signs alone" in note.message) == (across == "t")
    assert across is None or d.p_value == 0.0625


TEXTS = ["the cat sat on the mat", "a dog ran", "birds sing in the morning", "it rains today"] * 3
SAID = {"a": TEXTS[1:] + TEXTS[:1], "b": [text.replace("the", "a") for text in TEXTS], "c": TEXTS[::-1]}


def test_counts_of_texts_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bestby.metrics.translation import Bleu

    study = bb.Study(tmp_path / "study")
    for name, texts in SAID.items():
        study.add(condition=name, run="0", predictions=texts, gold=TEXTS)
    parts = {"d0": bb.Evaluation.of(SAID, TEXTS), "d1": bb.Evaluation.of(SAID, TEXTS[::-1])}
    folds = bb.Evaluation.of(SAID, TEXTS, strata=[0, 1, 2, 3] * 3)
    runs_of_texts = {"x": [SAID["a"], SAID["b"]], "y": [SAID["c"], TEXTS]}
    options: dict[str, Any] = {"metric": "bleu", "n_resamples": 99}
    compared: dict[str, Callable[..., Any]] = {
        "datasets": lambda **more: bb.compare_datasets(parts, **options, **more),
        "folds": lambda **more: bb.compare_folds(folds, **options, **more),
        "runs": lambda **more: bb.compare_runs(runs_of_texts, TEXTS, **options, **more),
        "study": lambda **more: study.compare(metric=Bleu(), n_resamples=99, **more),
    }
    for kind, made in compared.items():
        without, kept = made(), made(resampling=bb.Resampling(cache=tmp_path / kind))
        assert (tmp_path / kind).is_dir()
        assert without == kept == made(resampling=bb.Resampling(n_jobs=2))
        with monkeypatch.context() as patch:
            patch.setattr(Bleu, "statistics_of_texts", refuse)
            with pytest.raises(AssertionError, match="nobody asked"):
                made()
            assert made(resampling=bb.Resampling(cache=tmp_path / kind)) == kept
