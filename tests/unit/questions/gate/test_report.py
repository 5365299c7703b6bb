"""What a gate says: in words, in tables, in a figure and as JUnit."""

from __future__ import annotations

from collections import Counter
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import bestby as bb
from bestby.questions.gate.report import LOOKS, NO_LOSS, TABLES
from bestby.report.document import describe

RNG = np.random.default_rng(4)
GOLD = RNG.integers(0, 3, 400)
MAIN, NEW = (np.where(RNG.random(400) < p, GOLD, (GOLD + 1) % 3) for p in (0.8, 0.74))
SYSTEMS = {"main": MAIN, "new": NEW}
METRICS = ["accuracy", "f1_macro", "matthews_corrcoef"]
MARGINS = {"accuracy": 0.001, "f1_macro": 0.06, "matthews_corrcoef": 0.5}


def several(**more: Any) -> bb.results.Gate:
    return bb.gate(SYSTEMS, GOLD, metric=METRICS, **more)


def words(text: str) -> str:
    return " ".join(text.split())


def test_checks_that_do_not_pass_have_their_sentence() -> None:
    result = several(margin=MARGINS)
    outcomes = [check.outcome for check in result]
    assert {"inconclusive", "pass"} <= set(outcomes)
    text = words(str(result))
    for check, sentence in zip(result, result.sentences, strict=True):
        assert (f"{check.outcome.capitalize()}: {words(sentence)}" in text) is (check.outcome != "pass")
    assert text.startswith(f"{result.outcome.capitalize()}: ")
    assert "intersection-union" in text
    assert "Holm" not in text
    alarms = words(str(several()))
    assert "corrected by Holm's method for 3 of them" in alarms
    assert "intersection-union" not in alarms
    assert "checks at once" not in alarms
    one = words(str(several(margin={METRICS[0]: MARGINS[METRICS[0]]})))
    assert "intersection-union" not in one
    assert (
        "It fails if an exact unconditional test of Tango's score at the level 0.05/3 shows a greater" in one
    )


def test_of_many_checks_those_that_do_not_pass_have_a_sentence() -> None:
    parts = np.repeat([f"p{i}" for i in range(10)], 40)
    result = bb.gate(SYSTEMS, GOLD, margin=0.12, by={"part": parts})
    text = words(str(result))
    open_ = [check for check in result if check.outcome == "inconclusive"]
    assert 2 < len(open_) <= 8
    for check, sentence in zip(result, result.sentences, strict=True):
        assert (words(sentence) in text) is (check in open_)
    with pytest.raises(bb.errors.GateFailedError) as caught:
        result.check()
    assert "table" not in str(caught.value)
    assert open_[0].name in str(caught.value)


@pytest.mark.parametrize("parts", [None, 2, 10])
def test_no_output_of_an_alarm_that_passes_says_pass_alone(parts: int | None) -> None:
    by = None if parts is None else {"part": np.arange(400) % parts}
    alarm = bb.gate({"main": NEW, "new": MAIN}, GOLD, by=by)
    assert alarm.outcome == "pass"
    legend = alarm.plot().figure.legends[0].get_texts()
    for text in (
        str(alarm), repr(alarm), alarm.to_markdown(), alarm.to_html(), alarm.to_latex(),
        alarm.to_junit(), str(alarm.to_dict()["message"]), legend[1].get_text(),
    ):  # fmt: skip
        assert NO_LOSS in words(text).replace("\\", "")
        assert "checks pass" not in text
    assert all(sentence.startswith(NO_LOSS) for sentence in alarm.sentences)
    assert "is no proof that there is none" in alarm.methods()
    assert NO_LOSS not in str(bb.gate(SYSTEMS, GOLD, margin=0.12, by=by))
    assert "loss it sees" in str(alarm)


def test_checks_with_and_without_a_margin_are_said_in_one_sentence() -> None:
    turned = {"main": NEW, "new": MAIN}
    mixed = bb.gate(turned, GOLD, metric=METRICS, margin={"accuracy": 0.02})
    (headline, *_) = str(mixed).split("\n\n")
    assert words(headline) == f"Pass: 1 of 3 checks pass with a margin; {NO_LOSS} in 2 of 3 checks."
    assert [row.cells[1].text for row in describe(mixed).sections[0].tables[0].rows] == [
        "pass", "no loss detected", "no loss detected",
    ]  # fmt: skip


def test_items_are_listed_by_check_those_at_risk_and_the_worst_first() -> None:
    part = np.repeat(["even", "lost"], [100, 100])
    main = np.tile([0.5, 0.7], 100)
    change = np.zeros(200)
    change[[3, 5, 7, 9, 11]], change[[4, 6, 8]] = [-0.1, -0.2, -0.3, -0.15, -0.05], 0.3
    change[100:140] = -np.linspace(0.1, 0.4, 40)
    result = bb.gate({"main": main, "new": main + change}, metric="mean", by={"part": part}, margin=0.05)
    assert [check.outcome for check in result] == ["inconclusive", "pass", "fail"]
    flips = result.flips
    assert len({flip.item for flip in flips}) == len(flips) == result.n_worse + result.n_better == 48
    assert [flip.check for flip in flips] == ["mean (part=lost)"] * 40 + ["mean"] * 8
    assert [flip.item for flip in flips[:3]] == ["140", "139", "138"]
    assert [flip.item for flip in flips[40:45]] == ["8", "6", "10", "4", "12"]
    (_, table) = describe(result).sections[0].tables
    assert [row.cells[1].text for row in table.rows] == ["140", "139", "138", "8", "6", "10"]
    assert "up to 3 of each check, those at risk first" in table.caption


def test_a_result_holds_some_flips_of_each_check() -> None:
    n = 3000
    data = {"main": np.ones(n), "new": np.zeros(n)}
    result = bb.gate(data, metric="mean", by={"third": np.arange(n) % 3}, margin=0.1)
    assert Counter(flip.check for flip in result.flips) == {f"mean (third={k})": 333 for k in range(3)}
    assert result.n_worse == n


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
    assert list(flips.columns) == ["check", "item", "change", "gold", "baseline", "candidate"]
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


def test_the_outcomes_have_marks_of_their_own_in_the_figure() -> None:
    looks = [(shape, filled) for _, shape, filled in LOOKS.values()]
    assert len(set(looks)) == len(LOOKS) == 4
    by = {"half": np.repeat(["a", "b"], 200)}
    worse = np.where(np.arange(400) < 60, 3, MAIN)
    result = bb.gate({"main": MAIN, "new": worse}, GOLD, metric=METRICS[:2], margin=0.12, by=by)
    assert {check.outcome for check in result} == {"pass", "fail", "inconclusive"}
    axes = result.plot()
    marks = {check.outcome: set[tuple[str, str]]() for check in result}
    estimates = [line for line in axes.lines if line.get_marker() in {shape for shape, _ in looks}]
    for check, line in zip(result, estimates, strict=True):
        marks[check.outcome].add((line.get_marker(), line.get_markerfacecolor()))
    assert all(len(one) == 1 for one in marks.values())
    assert len({next(iter(one)) for one in marks.values()}) == 3
    texts = [text.get_text() for text in axes.figure.legends[0].get_texts()]
    assert texts[:3] == ["pass", "fail", "inconclusive"]


def test_the_figure_says_on_which_side_the_candidate_is_better() -> None:
    loss = np.linspace(1.0, 2.0, 20)
    for greater_is_better, said in ((True, "← old better"), (False, "← new better")):
        g = bb.gate(
            {"old": loss, "new": loss + 0.5},
            metric=bb.ScoreMetric("mean", greater_is_better=greater_is_better),
            margin=0.1,
        )
        assert g.plot().get_xlabel().startswith(said)
