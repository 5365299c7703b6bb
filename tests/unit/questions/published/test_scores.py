"""Published scores alone: the ranges are those of everything that may be behind them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import bestby as bb
from bestby.cli import main
from bestby.inference import multiplicity, proportions
from bestby.questions.published.command import scores_of_table
from bestby.questions.published.shares import counts_of, rounded


def pair_of(a: str, b: str, **more: Any) -> Any:
    (pair,) = bb.compare_published(scores={"A": a, "B": b}, **more).pairs
    return pair


@pytest.mark.parametrize("n", [7, 12, 30])
def test_the_range_is_that_of_every_count_and_every_agreement(n: int) -> None:
    for a, b in itertools.product(("0.5", "60%", "0.92", "1.0"), ("0.4", "57%", "0.9")):
        try:
            ours, theirs = (counts_of(rounded(text, "score"), n) for text in (a, b))
        except bb.errors.InvalidInputError:
            continue
        p, low, high, at_most = [], [], [], {}
        for one, other in itertools.product(ours, theirs):
            for both in range(max(0, one + other - n), min(one, other) + 1):
                n10, n01 = one - both, other - both
                p.append(stats.binomtest(n10, n10 + n01).pvalue if n10 + n01 else 1.0)
                ends = proportions.tango(n10, n01, n)
                low.append(ends[0])
                high.append(ends[1])
                at_most[n10 + n01] = max(at_most.get(n10 + n01, 0.0), p[-1])
        pair = pair_of(a, b, n_items=n)
        assert (pair.p_low, pair.p_high) == pytest.approx((min(p), max(p)))
        assert (pair.interval.low, pair.interval.high) == pytest.approx((min(low), max(high)))
        assert pair.n_differing == (min(at_most), max(at_most))
        assert pair.decided == ("always" if max(p) <= 0.05 else "depends" if min(p) <= 0.05 else "never")
        if pair.decided == "depends" and pair.differing_limit is not None:
            assert all(worst <= 0.05 for count, worst in at_most.items() if count <= pair.differing_limit)
            beyond = [
                worst
                for count, worst in at_most.items()
                if count in (pair.differing_limit + 1, pair.differing_limit + 2)
            ]
            assert max(beyond) > 0.05


def test_the_three_verdicts_are_said_in_words() -> None:
    def words(a: str, b: str, n: int) -> str:
        return " ".join(str(bb.compare_published(scores={"A": a, "B": b}, n_items=n)).split())

    assert (
        "A (88.3%) and B (60.0%) on the same 1000 items: they differ significantly whatever the overlap"
        in words("88.3%", "60.0%", 1000)
    )
    assert "cannot be told apart whatever the overlap" in words("88.3%", "88.3%", 1000)
    pair = pair_of("88.3%", "86.0%", n_items=872)
    text = words("88.3%", "86.0%", 872)
    assert (
        f"depends on the overlap. They do if they disagree on at most {pair.differing_limit} of 872" in text
    )


def test_other_test_sets_are_independent_samples() -> None:
    pair = pair_of("90%", "80%", n_items=[100, 50])
    tables = [[90, 10], [40, 10]]
    chi2 = stats.chi2_contingency(tables, correction=False)[0] * 149 / 150
    assert (pair.p_low, pair.p_high) == pytest.approx([stats.chi2.sf(chi2, 1)] * 2)
    assert [answer.test for answer in pair.answers] == ["chi-squared"]
    assert pair.answers[0].interval.method == "newcombe-difference"
    assert pair_of("90%", "80%", n_items=100, same_items=False).answers[0].assumption == "other items"
    with pytest.raises(bb.errors.InvalidInputError, match="100 items cannot be the same as 50"):
        pair_of("90%", "80%", n_items=[100, 50], same_items=True)


def test_the_range_of_other_items_is_that_of_every_two_counts() -> None:
    pair = pair_of("0.9", "0.8", n_items=[40, 60])
    p = []
    for one, other in itertools.product(range(34, 39), range(45, 52)):
        assert 0.85 <= one / 40 <= 0.95
        chi2 = stats.chi2_contingency([[one, 40 - one], [other, 60 - other]], correction=False)[0] * 99 / 100
        p.append(stats.chi2.sf(chi2, 1))
    assert (pair.p_low, pair.p_high) == pytest.approx((min(p), max(p)))


@pytest.mark.parametrize("spread", ["sd", "se", "ci95", "ci95-normal"])
def test_welch_of_means_and_spreads_is_welch_of_the_runs(spread: str) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.88, 0.004, 5), rng.normal(0.875, 0.003, 7)
    units = {
        "sd": lambda x: x.std(ddof=1),
        "se": stats.sem,
        "ci95": lambda x: stats.sem(x) * stats.t.ppf(0.975, x.size - 1),
        "ci95-normal": lambda x: stats.sem(x) * stats.norm.ppf(0.975),
    }
    scores = {name: (float(x.mean()), float(units[spread](x))) for name, x in (("a", a), ("b", b))}
    (pair,) = bb.compare_published(scores=scores, spread=spread, n_runs=[5, 7]).pairs
    test = stats.ttest_ind(a, b, equal_var=False)
    assert (pair.p_low, pair.p_high) == pytest.approx([test.pvalue] * 2)
    assert (pair.interval.low, pair.interval.high) == pytest.approx(tuple(test.confidence_interval()))


def test_welch_covers_every_mean_and_spread_that_rounds_to_the_printed_ones() -> None:
    pair = pair_of("0.883±0.004", "0.876+-0.003", spread="sd", n_runs=5)
    rng = np.random.default_rng(0)
    draws = rng.uniform(-1, 1, (4000, 4)) * 0.0005
    p = stats.ttest_ind_from_stats(
        0.883 + draws[:, 0],
        0.004 + draws[:, 1],
        5,
        0.876 + draws[:, 2],
        0.003 + draws[:, 3],
        5,
        equal_var=False,
    ).pvalue
    assert pair.p_low <= p.min() < 1.6 * pair.p_low
    assert 0.7 * pair.p_high < p.max() <= pair.p_high


@pytest.mark.parametrize(
    "text", ["88.3±0.4%", "88.3% +- 0.4%", "88.3 +/- 0.4 %", "0.883 ± 0.004", r"0.883\pm0.004"]
)
def test_spellings_of_a_mean_and_its_spread(text: str) -> None:
    pair = pair_of(text, "0.876±0.003", spread="sd", n_runs=5)
    assert pair.answers == pair_of("0.883±0.004", "0.876±0.003", spread="sd", n_runs=5).answers


def test_a_table_with_decimal_commas(tmp_path: Path) -> None:
    path = tmp_path / "paper.csv"
    path.write_text("system;score;spread;runs\nmine;87,4;0,5;5\nother;85,0;1,1;5\n", encoding="utf-8")
    assert scores_of_table(str(path))["scores"] == {"mine": "87.4±0.5", "other": "85.0±1.1"}


def test_a_table_of_models_and_their_accuracy(tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text("Model,accuracy\nbert,88.3%\nroberta,87.6%\n", encoding="utf-8")
    assert scores_of_table(str(path)) == {"scores": {"bert": "88.3%", "roberta": "87.6%"}}
    path.write_text("Model,accuracy,score\nbert,88.3%,1\n", encoding="utf-8")
    with pytest.raises(bb.errors.InvalidInputError, match="has the columns 'Model', 'accuracy', 'score'"):
        scores_of_table(str(path))


def test_all_pairs_of_a_table_are_corrected_by_holm(tmp_path: Path) -> None:
    path = tmp_path / "paper.csv"
    path.write_text(
        "System;Score;items\nbert;88.3%;872\nroberta;0.800;872\nxlnet;70.1%;872\n", encoding="utf-8"
    )
    arguments = scores_of_table(str(path))
    assert arguments == {
        "scores": {"bert": "88.3%", "roberta": "0.800", "xlnet": "70.1%"}, "n_items": [872] * 3,
    }  # fmt: skip
    result = bb.compare_published(**arguments)
    assert [(pair.a, pair.b) for pair in result.pairs] == [
        ("bert", "roberta"),
        ("bert", "xlnet"),
        ("roberta", "xlnet"),
    ]
    for place, end in enumerate(("p_low", "p_high")):
        raw = [getattr(pair, end) for pair in result.pairs]
        assert [pair.p_adjusted[place] for pair in result.pairs] == pytest.approx(
            multiplicity.adjust(raw, "holm").tolist()
        )
    assert "3 differences of published scores (Holm's correction): " in str(result)


def test_the_limit_of_a_pair_among_several_holds_after_the_correction() -> None:
    result = bb.compare_published(scores={"a": "88.3%", "b": "85.9%", "c": "85.0%"}, n_items=1000)
    for pair in result.pairs:
        if pair.differing_limit is not None:
            gap = round(1000 * abs(pair.estimate))
            n01 = (pair.differing_limit - gap) // 2
            assert stats.binomtest(n01, gap + 2 * n01).pvalue <= 0.05 / 3


def test_the_command_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["published", "--score", "88.3%", "--score", "87.6%", "--items", "872"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("A (88.3%) and B (87.6%) on the same 872 items: whether they differ significantly")
    words = ["--score", "x=0.883+-0.004", "--score", "y=0.876+-0.003", "--runs", "5"]
    assert main(["published", *words]) == 2
    assert "--spread sd" in capsys.readouterr().err
    assert main(["published", *words, "--spread", "sd", "--json", "-"]) == 0
    result = bb.load(capsys.readouterr().out)
    assert [one.system for one in result.scores] == ["x", "y"]
    assert result == bb.load(result.to_json())
    assert (
        main(["published", "--score", "88.3%", "--score", "87.6%", "--items", "872", "--items", "1000"]) == 0
    )
    assert "on 872 items and 1000 items: they cannot be told apart (chi-squared" in " ".join(
        capsys.readouterr().out.split()
    )
    assert main(["published", "--score", "88.3%"]) == 2
    assert "at least two published scores" in capsys.readouterr().err
    path = tmp_path / "paper.csv"
    path.write_text("system,value\na,1\n", encoding="utf-8")
    assert main(["published", "--table", str(path)]) == 2
    assert "its columns are system and score" in capsys.readouterr().err
