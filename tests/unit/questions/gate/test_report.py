"""What a gate says: in words, in tables, in a figure and as JUnit."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import bestby as bb
from bestby.questions.gate.report import TABLES

RNG = np.random.default_rng(4)
GOLD = RNG.integers(0, 3, 400)
MAIN, NEW = (np.where(RNG.random(400) < p, GOLD, (GOLD + 1) % 3) for p in (0.8, 0.74))
SYSTEMS = {"main": MAIN, "new": NEW}
METRICS = ["accuracy", "f1_macro", "matthews_corrcoef"]
MARGINS = {"accuracy": 0.001, "f1_macro": 0.06, "matthews_corrcoef": 0.5}


def several(**more: Any) -> bb.Gate:
    return bb.gate(SYSTEMS, GOLD, metric=METRICS, **more)


def words(text: str) -> str:
    return " ".join(text.split())


def test_every_check_has_its_sentence() -> None:
    result = several(margin=MARGINS)
    outcomes = [check.outcome for check in result]
    assert {"inconclusive", "pass"} <= set(outcomes)
    text = words(str(result))
    for check, sentence in zip(result, result.sentences, strict=True):
        assert f"{check.name}, {check.outcome}: {words(sentence)}" in text
    assert text.startswith(f"{result.outcome.capitalize()}: ")
    assert "intersection-union" in text
    assert "Holm" not in text
    alarms = words(str(several()))
    assert "corrected by Holm's method for 3 of them" in alarms
    assert "intersection-union" not in alarms
    assert "checks at once" not in alarms
    one = words(str(several(margin={METRICS[0]: MARGINS[METRICS[0]]})))
    assert "intersection-union" not in one
    assert "Such a check fails if an exact test at the level 0.05/3 (Bonferroni) shows a greater loss" in one


def test_of_many_checks_those_that_do_not_pass_have_a_sentence() -> None:
    parts = np.repeat([f"p{i}" for i in range(10)], 40)
    result = bb.gate(SYSTEMS, GOLD, margin=0.12, by={"part": parts})
    text = words(str(result))
    passed, open_ = ([c for c in result if c.outcome == outcome] for outcome in ("pass", "inconclusive"))
    assert len(passed) > 2
    assert 2 < len(open_) <= 8
    for check, sentence in zip(result, result.sentences, strict=True):
        assert (words(sentence) in text) is (check in open_)
    assert f"The table has the numbers of the other {len(passed)} checks." in text
    with pytest.raises(bb.GateFailedError) as caught:
        result.check()
    assert "table" not in str(caught.value)
    assert open_[0].name in str(caught.value)


def test_many_alarms_that_pass_are_no_proof() -> None:
    parts = np.repeat([f"p{i}" for i in range(10)], 40)
    turned = bb.gate({"main": NEW, "new": MAIN}, GOLD, by={"part": parts})
    text = words(str(turned))
    assert turned.outcome == "pass"
    assert "Passing without a margin does not show that new is as good;" in text
    assert 'is as good; "loss it sees" is the loss that each sees with power 0.8.' in text
    assert "Passing without" not in str(bb.gate(SYSTEMS, GOLD, margin=0.12, by={"part": parts}))


def test_a_pass_of_an_alarm_is_no_proof() -> None:
    turned = bb.gate({"main": NEW, "new": MAIN}, GOLD)
    (sentence,) = turned.sentences
    assert turned.outcome == "pass"
    assert "is not shown to be worse than" in sentence
    assert "That does not show that it is as good: with power 0.8 this check sees a loss of" in sentence


def test_lower_is_better_is_said() -> None:
    gold = np.zeros(60)
    scores = {"main": RNG.normal(1.0, 0.1, 60), "new": RNG.normal(1.4, 0.1, 60)}
    result = bb.gate(scores, gold, metric="mae", margin=0.1)
    assert result.outcome == "fail"
    assert "new is worse than main in mae (lower is better) by more than the margin of 0.1" in str(result)


def test_tables_of_rows() -> None:
    result = several(margin={"accuracy": 0.02})
    frame = result.to_frame()
    assert list(frame.columns) == [column.name for column in TABLES["checks"].columns(result)]
    assert frame["metric"].tolist() == METRICS
    assert frame["low"].tolist() == [d.equivalence_interval.low for d in result.differences]  # type: ignore[union-attr]
    flips = result.to_frame("flips")
    assert list(flips.columns) == ["item", "change", "gold", "baseline", "candidate"]
    assert len(flips) == result.n_worse + result.n_better
    assert (flips["change"] == "newly wrong").tolist() == [True] * result.n_worse + [False] * result.n_better


def test_junit_has_a_test_case_for_each_check() -> None:
    result = several(margin=MARGINS)
    root = ET.fromstring(result.to_junit())
    suite = root.find("testsuite")
    assert suite is not None
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == METRICS
    tags = {"pass": "system-out", "fail": "failure", "inconclusive": "skipped"}
    for case, check, sentence in zip(cases, result, result.sentences, strict=True):
        (only,) = list(case)
        assert only.tag == tags[check.outcome]
        assert sentence in (only.get("message"), only.text)
    outcomes = [check.outcome for check in result]
    assert suite.get("tests") == "3"
    assert suite.get("failures") == str(outcomes.count("fail"))
    assert suite.get("skipped") == str(outcomes.count("inconclusive"))


def test_junit_of_names_that_xml_cannot_hold() -> None:
    result = bb.gate({"a<b>&\x01": MAIN, 'c"\x1b': NEW}, GOLD)
    root = ET.fromstring(result.to_junit())
    assert {one.get("value") for one in root.iter("property")} >= {"a<b>&\\x01", 'c"\\x1b'}


def test_the_figure_draws_each_check_between_its_bounds() -> None:
    result = several(margin=0.02)
    axes = result.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        f"{check.metric}: {check.outcome}" for check in result
    ]
    drawn = sorted(round(float(x), 6) for line in axes.lines for x in line.get_xdata())
    for check in result:
        bounds = check.difference.equivalence_interval
        assert bounds is not None
        assert {round(bounds.low, 6), round(bounds.high, 6)} <= set(drawn)


def test_markdown_leads_with_the_outcome() -> None:
    text = several(margin=MARGINS).to_markdown()
    assert text.startswith("**")
    assert "| metric | outcome | main | new | difference | 90 % interval | margin |" in text
    assert "newly wrong" in text


@pytest.mark.parametrize("form", ["to_html", "to_latex"])
def test_other_forms_hold_the_outcome(form: str) -> None:
    assert "matthews" in getattr(several(margin=MARGINS), form)()


def test_the_figure_says_on_which_side_the_candidate_is_better() -> None:
    loss = np.linspace(1.0, 2.0, 20)
    for greater_is_better, said in ((True, "← old better"), (False, "← new better")):
        g = bb.gate(
            {"old": loss, "new": loss + 0.5},
            metric=bb.ScoreMetric("mean", greater_is_better=greater_is_better),
            margin=0.1,
        )
        assert g.plot().get_xlabel().startswith(said)
