"""What may be off in files: each finding where it is, and none where it is not."""

from __future__ import annotations

import itertools
import json
import random
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.data.evaluation import Evaluation
from bestby.data.table import table_of
from bestby.questions.check.content import Content
from bestby.questions.check.oddities import (
    PValues,
    backward_items,
    can_reject,
    drift,
    first_shown,
    rank_sum_p,
    significant,
)
from bestby.questions.preferences.source import Preferences, preferences_of

Rows = list[dict[str, Any]]


def checked(folder: Path, rows: Rows, name: str = "t.csv") -> bb.results.FileCheck:
    """Return the check of rows that are written to a file."""
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return bb.check(path)


def messages(found: bb.results.FileCheck, code: str) -> list[str]:
    """Return what was found under a code."""
    return [one.message for one in found.findings if one.code == code]


def answers(n: int = 60, seed: int = 0, **more: Any) -> Rows:
    """Return right and wrong answers of two systems, with further columns."""
    chance = random.Random(seed)
    return [
        {"id": i, "label": "x", "a": chance.choice("xy"), "b": chance.choice("xxy")}
        | {name: make(i) for name, make in more.items()}
        for i in range(n)
    ]


def test_nothing_is_off(tmp_path: Path) -> None:
    found = checked(tmp_path, answers(text=lambda i: f"text {i}"))
    assert found.findings == ()
    assert [one.what for one in found.unchecked] == ["items answered backwards"]


def test_items_that_are_the_same_twice(tmp_path: Path) -> None:
    found = checked(tmp_path, answers(text=lambda i: f"text {max(i, 3)}"))
    (message,) = messages(found, "same_inputs")
    assert message.startswith("3 items of 60 have the same text as an earlier one")


def test_few_texts_with_gaps_are_not_what_was_asked(tmp_path: Path) -> None:
    found = checked(tmp_path, answers(remark=lambda i: ["", "hard", "easy"][i % 3]))
    assert messages(found, "same_inputs") == []


def test_labels_that_only_their_spelling_makes_wrong(tmp_path: Path) -> None:
    rows = [
        {**row, "label": "xy"[i % 2], "b": "x" if i < 9 else row["b"].upper()}
        for i, row in enumerate(answers())
    ]
    (message,) = messages(checked(tmp_path, rows), "label_spelling")
    assert message.startswith("b predicts labels that differ from those of the gold only in case or spaces")


@pytest.mark.parametrize(("times", "questions"), [("attempt", {"compare", "attempts"}), ("hour", set())])
def test_scores_of_several_systems_are_not_taken_for_those_of_one(
    tmp_path: Path, times: str, questions: set[str]
) -> None:
    rows = [
        {"system": name, "problem": f"p{i}", times: k, "correct": (i + k) % 2}
        for name in "ab" for i in range(9) for k in range(4)
    ]  # fmt: skip
    asked = checked(tmp_path, rows).commands
    assert questions <= {one.command.split()[1] for one in asked}
    assert all("--item problem" in one.command for one in asked)
    assert bool(asked) is bool(questions)


def test_groups_that_are_not_used(tmp_path: Path) -> None:
    found = checked(tmp_path, answers(topic=lambda i: "abc"[i % 3], doc=lambda i: f"d{i // 2}"))
    by, cluster = messages(found, "unused_group")
    assert "'topic' has 3 values for 60 items" in by
    assert "--by topic" in by
    assert "--cluster doc" in cluster
    assert any("--by topic" in one.command for one in found.commands)


def test_one_annotator_with_a_large_share(tmp_path: Path) -> None:
    found = checked(tmp_path, answers(annotator=lambda i: "pqr"[max(0, i - 57)]))
    (message,) = messages(found, "large_share")
    assert message == "97 % of the rows are from one annotator: 'p'"
    even = checked(tmp_path, answers(annotator=lambda i: "pqr"[i % 3]))
    assert messages(even, "large_share") == []


def test_few_clusters(tmp_path: Path) -> None:
    found = checked(tmp_path, answers(cluster=lambda i: f"c{i % 5}"))
    assert messages(found, "few_clusters") == ["5 clusters are few: intervals rest on how much these vary"]


def test_quantities_are_no_systems(tmp_path: Path) -> None:
    rows: Rows = [{"item": i, "a": i % 2, "b": i % 3 % 2, "latency_ms": 100 + i} for i in range(60)]
    found = checked(tmp_path, rows)
    assert found.systems == ("a", "b")
    assert found.commands[0].command.endswith("--ignore latency_ms")
    assert "as well: latency_ms (" in messages(found, "other_quantities")[0]


def test_quantities_of_runs_are_set_beside_no_quality(tmp_path: Path) -> None:
    rows: Rows = [{"model": m, "seed": i, "acc": i % 3, "seconds": i + 0.5} for i in range(6) for m in "ab"]
    found = checked(tmp_path, rows)
    assert [one.command.split()[1] for one in found.commands] == ["runs"]
    assert messages(found, "other_quantities") == []


def test_a_reference_may_be_a_system(tmp_path: Path) -> None:
    rows: Rows = [{"item": i, "ref": "xy"[i % 2], "a": "xy"[i % 3 % 2], "b": "x"} for i in range(60)]
    (message,) = messages(checked(tmp_path, rows), "gold_or_system")
    assert message.startswith("'ref' was taken for the gold by its name")
    usual: Rows = [{**row, "gold": row["ref"]} for row in rows]
    assert messages(checked(tmp_path, usual), "gold_or_system") == []


def test_lists_of_several_right_answers(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    rows = [{"item": i, "gold": ["x", "yz"[i % 2]], "a": ["x"], "b": ["yz"[i % 3 % 2]]} for i in range(60)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    found = bb.check(path)
    assert [(one.name, one.values, one.n_distinct) for one in found.columns][1:3] == [
        ("gold", "lists", 2),
        ("a", "lists", 1),
    ]
    assert "choose a metric that reads such: multilabel_f1_micro" in " ".join(str(found).split())


def test_texts_are_compared_as_texts(tmp_path: Path) -> None:
    texts = [f"the {n} of {m}" for n in ("owl", "hare", "elk", "fox") for m in ("old", "new", "late")]
    for name, end in (("memory", "wood"), ("words", "wod"), ("references", "woods")):
        (tmp_path / f"{name}.txt").write_text("".join(f"{text} {end}\n" for text in texts), encoding="utf-8")
    found = bb.check(sorted(map(str, tmp_path.iterdir())))
    assert [found.systems, [one.part for one in found.columns]] == [
        ("memory", "words"), ["system", "gold", "system"],
    ]  # fmt: skip
    commands = [shlex.split(one.command) for one in found.commands]
    assert commands
    assert all(words[-2:] == ["--metric", "chrf"] and "--ignore" not in words for words in commands)
    codes = {one.code for one in found.findings}
    assert "texts_as_labels" in codes
    assert codes.isdisjoint({"no_shared_label", "level_items", "other_quantities"})


def test_answers_over_datasets_tell_the_systems(tmp_path: Path) -> None:
    def row(i: int) -> dict[str, object]:
        return {"item": i, "task": "pqr"[i % 3], "gold": "xyz"[i % 3 - i % 2], "a": "xyz"[i % 3], "b": "x"}

    found = checked(tmp_path, [row(i) for i in range(60)])
    assert {one.name for one in found.columns if one.part == "system"} == {"a", "b"}
    assert [one.command.split()[1] for one in found.commands] == ["datasets", "slices"]
    assert messages(found, "unused_group") == []


def test_items_that_tell_nothing_apart(tmp_path: Path) -> None:
    rows = [{"item": i, "a": int(i < 30), "b": int(i < 30 or i > 55)} for i in range(60)]
    (message,) = messages(checked(tmp_path, rows), "level_items")
    assert message.startswith("all systems are right on 30 and all wrong on 26 of 60 items: only the other 4")


def test_ids_that_occur_twice_or_are_unequal(tmp_path: Path) -> None:
    rows = answers()
    found = checked(tmp_path, [*rows, rows[7]])
    assert messages(found, "duplicate_ids")[0].endswith("occur more than once, such as 7")
    assert found.commands == ()
    assert "must be unique" in found.refusal[0]
    long = [{"system": s, "item": i, "score": i % 2} for s in "ab" for i in range(60) if (s, i) != ("b", 9)]
    found = checked(tmp_path, long)
    assert messages(found, "unequal_ids") == ["b lacks 1 of 60 item ids, such as 9"]
    assert "--on-missing drop" in found.commands[0].command


def test_a_drift_over_the_order(tmp_path: Path) -> None:
    chance = random.Random(1)
    rows = [{"item": i, **{s: int(chance.random() < 0.2 + 0.6 * i / 200) for s in "ab"}} for i in range(200)]
    found = checked(tmp_path, rows)
    assert messages(found, "drift")[0].startswith("scores drift over the order of the items")
    chance.shuffle(rows)
    assert messages(checked(tmp_path, rows), "drift") == []


def test_an_item_answered_backwards(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    ability = np.linspace(0.1, 0.9, 24)
    right = (rng.random((24, 200)) < ability[:, None]).astype(int)
    right[:, 5] = ability < 0.5
    rows: Rows = [{"item": f"q{i}", **{f"s{k}": right[k, i] for k in range(24)}} for i in range(200)]
    (message,) = messages(checked(tmp_path, rows), "backward_items")
    assert message.startswith("1 item is answered backwards")
    assert "q5" in message


def judged(rows: Sequence[tuple[str, str, float]]) -> Preferences:
    """Return judgements of different items."""
    first, second, values = zip(*rows, strict=True)
    columns = {"item": range(len(rows)), "a": first, "b": second, "winner": values}
    return preferences_of(table_of(columns), {})


def test_an_effect_of_the_order_of_two_answers() -> None:
    chance = random.Random(3)
    pairs = [chance.sample("xy", 2) for _ in range(300)]
    by_place = judged([(a, b, float(chance.random() < 0.75)) for a, b in pairs])
    (finding,) = significant([one for one in first_shown(by_place) if isinstance(one, PValues)])
    assert finding.message.startswith("the answer that stands first won 7")
    better = judged([(a, b, float((a == "x") == (chance.random() < 0.8))) for a, b in pairs])
    assert significant([one for one in first_shown(better) if isinstance(one, PValues)]) == []
    (unmade,) = first_shown(judged([("x", "y", 1.0), ("x", "y", 0.0)]))
    assert not isinstance(unmade, PValues)


def test_the_p_value_of_the_order_agrees_with_the_hypergeometric_distribution() -> None:
    from scipy.stats import hypergeom

    rows = [("x", "y", 1.0)] * 9 + [("x", "y", 0.0)] * 3 + [("y", "x", 1.0)] * 6 + [("y", "x", 0.0)] * 4
    (tests,) = first_shown(judged(rows))
    assert isinstance(tests, PValues)
    # x won 9 times standing first and 4 times standing second, of 12 and 10
    law = hypergeom(22, 12, 13)
    expected = 2 * min(law.cdf(9), law.sf(8))
    assert tests.p_values[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_the_rank_sum_is_that_of_all_choices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, m = rng.integers(0, 4, 9).astype(float), int(rng.integers(1, 8))
    order = np.argsort(values + rng.random(9) / 9)
    chosen = np.zeros(9, dtype=bool)
    chosen[order[:m]] = True
    ranks = np.array([2 * (values < v).sum() + (values == v).sum() + 1 for v in values])
    sums = np.array([ranks[list(one)].sum() for one in itertools.combinations(range(9), m)])
    expected = float((sums <= ranks[chosen].sum()).mean())
    small = expected < 0.2  # what is not need not be known
    assert rank_sum_p(values, chosen) == pytest.approx(expected if small else 1.0, rel=1e-12)
    assert rank_sum_p(-values, chosen) == 1.0


def test_items_that_can_reject() -> None:
    least = np.array([0.04, 0.02, 0.02, 0.9])
    assert can_reject(least, 0.05).tolist() == [False, True, True, False]
    assert not can_reject(np.array([0.5, 0.5]), 0.05).any()


def clean(rng: np.random.Generator) -> Mapping[str, np.ndarray[Any, Any]]:
    """Return answers of 20 systems of different ability, where nothing is off."""
    ability, easy = rng.normal(0, 1, 20), rng.normal(0, 1, 80)
    right = rng.random((20, 80)) < 1 / (1 + np.exp(-(ability[:, None] + easy)))
    return {f"s{k}": row.astype(int) for k, row in enumerate(right)}


def test_of_clean_data_alarms_are_as_rare_as_the_level_says() -> None:
    """Of 200 files 5 % would be 10; more than 19 are seen with probability 0.0027 if it is 5 %."""
    rng, alarms = np.random.default_rng(4), 0
    for _ in range(200):
        content = Content((), (), Evaluation.of(clean(rng)))
        pairs = [rng.permutation(["x", "y", "z"])[:2].tolist() for _ in range(60)]
        judgements = judged([(a, b, float(rng.random() < 0.5)) for a, b in pairs])
        found = [*backward_items(content), *drift(content), *first_shown(judgements)]
        alarms += bool(significant([one for one in found if isinstance(one, PValues)]))
    assert 0 < alarms <= 19
