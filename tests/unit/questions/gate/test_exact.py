"""A gate of right and wrong answers fails by the exact test, and says where its bound would not agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import bestby as bb
from bestby.cli import main
from bestby.questions.gate import unconditional


def lost(n: int, losses: int, gains: int = 0) -> dict[str, Any]:
    """Return scores of which the candidate loses so many and gains so many."""
    base, new = np.ones(n), np.ones(n)
    new[:losses] = 0.0
    base[n - gains :] = 0.0
    return {"base": base, "new": new}


def asked(data: dict[str, Any], margin: float = 0.01, **more: Any) -> bb.results.Gate:
    return bb.gate(data, metric="mean", margin=margin, **more)


@pytest.mark.parametrize(
    ("n", "margin", "bound", "exact"), [(300, 0.005, 5, 5), (300, 0.01, 6, 7), (600, 0.005, 6, 7)]
)
def test_how_many_losses_fail(n: int, margin: float, bound: int, exact: int) -> None:
    for rule, least in (("bound", bound), ("exact", exact)):
        failing = [k for k in range(3, 12) if asked(lost(n, k), margin, fail_test=rule).outcome == "fail"]
        assert failing == list(range(least, 12))
        size = 100.0 * binom.sf(least - 1, n, margin)
        assert (size <= 5.0) == (rule == "exact" or bound == exact)


def test_the_size_of_the_gate_is_exact_where_items_are_gained_too() -> None:
    n, margin, gains = 40, 0.05, 0.01
    size = 0.0
    for c in range(4):
        k = next(k for k in range(n) if asked(lost(n, k, c), margin).outcome == "fail")
        size += binom.pmf(c, n, gains) * binom.sf(k - 1, n - c, (gains + margin) / (1.0 - gains))
    assert 0.02 < size < 0.05


def test_the_check_has_the_counts_and_the_p_value_of_its_level() -> None:
    (check,) = asked(lost(300, 8, 2)).checks
    assert check.counted == (8, 2, 300)
    assert check.threshold == pytest.approx(0.05)
    assert check.fail_p == unconditional.p_value(8, 2, 300, 0.01, 0.05)
    assert check.fail_bound is None
    slices = asked(lost(300, 12), by={"x": np.repeat([0, 1, 2], 100)})
    assert [one.counted for one in slices] == [(12, 0, 300), (12, 0, 100), (0, 0, 100), (0, 0, 100)]
    for one in slices:
        assert one.threshold == pytest.approx(0.0125)
        assert one.counted is not None
        assert one.fail_p == unconditional.p_value(*one.counted, 0.01, 0.0125)
    strict = asked(lost(300, 8, 2), level=0.99).checks[0]
    assert strict.fail_p == unconditional.p_value(8, 2, 300, 0.01, 0.01)


def test_one_of_fifty_slices_can_fail() -> None:
    code = np.repeat(np.arange(50), 60)
    result = asked(lost(3000, 30), 0.02, by={"x": code})
    assert {check.part: check.outcome for check in result}["x=0"] == "fail"
    assert result.checks[1].fail_p is not None
    assert result.checks[1].fail_p < 0.001


def test_other_scores_clusters_and_strata_keep_the_bound() -> None:
    rng = np.random.default_rng(1)
    data = {
        "base": rng.permutation(np.repeat([1.0, 0.0], [295, 5])),
        "new": rng.permutation(np.repeat([1.0, 0.0], [260, 40])),
    }
    clusters = np.repeat(np.arange(60), 5)
    strata = np.tile([0, 1], 150)
    scores = {name: values + rng.normal(size=300) for name, values in data.items()}
    for result in (
        asked(data, clusters=clusters),
        asked(data, strata=strata),
        asked(scores, 0.01),
        asked(data, fail_test="bound"),
    ):
        (check,) = result.checks
        bounds = check.difference.equivalence_interval
        assert bounds is not None
        assert (check.fail_p, check.counted) == (None, None)
        assert (check.outcome == "fail") == (bounds.high < -0.01)


def test_a_share_of_some_items_is_of_these_items() -> None:
    gold = np.repeat([1, 0], [100, 200])
    new = gold.copy()
    new[:9] = 0
    result = bb.gate({"base": gold, "new": new}, gold, metric="recall[1]", margin=0.02)
    assert result.checks[0].counted == (9, 0, 100)
    assert result.checks[0].fail_p == unconditional.p_value(9, 0, 100, 0.02)


def test_other_margins_are_read_from_the_counts() -> None:
    for data in (lost(300, 6), lost(300, 14, 3), lost(300, 0)):
        first, alarm = asked(data), bb.gate(data, metric="mean")
        for margin in (0.005, 0.02, 0.1):
            fresh = asked(data, margin)
            for other in (first.with_margin(margin), alarm.with_margin(margin)):
                assert other.outcome == fresh.outcome
                assert (other.checks[0].fail_p, other.checks[0].threshold) == (
                    fresh.checks[0].fail_p, fresh.checks[0].threshold,
                )  # fmt: skip
        assert bb.load(first.to_json()) == first
        assert bb.load(first.to_json()).with_margin(0.005) == first.with_margin(0.005)


def test_where_bound_and_test_disagree_a_mark_says_so() -> None:
    text = " ".join(str(asked(lost(300, 6))).split())
    assert "† the bound and the exact test are computed in different ways and disagree" in text
    assert "exact test of a greater loss: p = 0.090" in text
    assert "†" not in str(asked(lost(300, 7)))
    assert "p = 0.045" in str(asked(lost(300, 7)))
    assert "†" not in str(asked(lost(300, 6), fail_test="bound"))
    family = str(asked(lost(300, 8), by={"x": np.repeat([0, 1, 2], 100)}))
    assert "* 1 of 4 checks: bound and test are of one check at a time" in " ".join(family.split())
    assert "of Tango's score at the level 0.05/4 shows a greater loss (Bonferroni)" in " ".join(
        family.split()
    )


def test_the_paragraph_cites_the_test() -> None:
    said = asked(lost(300, 8)).methods()
    assert "(Tango, 1998; Sidik, 2003; Berger and Boos, 1994) at the level 0.05 shows a greater loss." in said
    assert "Berger" not in asked(lost(300, 8), fail_test="bound").methods()
    assert "berger-boos-1994-values" in asked(lost(300, 8)).citations()


def test_the_command_and_the_file_of_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i},1,{int(i >= 6)}\n" for i in range(300))
    Path("s.csv").write_text("item,base,new\n" + rows, encoding="utf-8")
    command = ["gate", "s.csv", "--item", "item", "--metric", "mean", "--margin", ".01"]
    assert main([*command, "--json", "g.json"]) == 3
    check = json.loads(Path("g.json").read_text(encoding="utf-8"))["checks"][0]
    assert check["fail_p"] == pytest.approx(0.0902, abs=5e-5)
    assert main([*command, "--fail-test", "bound"]) == 1
    Path("bestby.toml").write_text('fail_test = "bound"\n', encoding="utf-8")
    assert main(command) == 1
    assert main([*command, "--fail-test", "exact"]) == 3
    capsys.readouterr()
    assert main([*command, "--fail-test", "tango"]) == 2
    assert "--fail-test must be one of exact, bound" in capsys.readouterr().err
    with pytest.raises(
        bb.errors.InvalidInputError, match="fail_test must be one of exact, bound, got 'tango'"
    ):
        asked(lost(300, 6), fail_test="tango")
