"""Names, labels and ids that are no valid Unicode are refused where they enter, wherever that is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bestby as bb

BAD = "\ud800a"
GOLD = ["x", "y"] * 6
LESS = ["x"] * 12
CALLS: dict[str, Callable[[Path], Any]] = {
    "system": lambda _: bb.compare({BAD: GOLD, "b": LESS}, GOLD),
    "gold": lambda _: bb.compare({"a": GOLD, "b": LESS}, [BAD, *GOLD[1:]]),
    "prediction": lambda _: bb.compare({"a": GOLD, "b": [BAD, *LESS[1:]]}, GOLD),
    "item": lambda _: bb.compare(
        {"a": {BAD: "x", "q": "y"}, "b": {BAD: "x", "q": "x"}}, {BAD: "x", "q": "y"}
    ),
    "cluster": lambda _: bb.compare({"a": GOLD, "b": LESS}, GOLD, clusters=[BAD, *GOLD[1:]]),
    "label of a metric": lambda _: bb.compare({"a": GOLD, "b": LESS}, GOLD, metric=f"f1[{BAD}]"),
    "name of a metric": lambda _: bb.compare(
        {"a": GOLD, "b": LESS}, GOLD, metric=bb.FunctionMetric(lambda *_: 0.5, name=BAD)
    ),
    "run": lambda _: bb.compare_runs({BAD: [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.4]}),
    "name of scores": lambda _: bb.compare_runs({"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.4]}, metric=BAD),
    "dataset": lambda _: bb.compare_datasets({BAD: {"a": 0.1, "b": 0.2}, "t": {"a": 0.1, "b": 0.2}}),
    "system of datasets": lambda _: bb.compare_datasets(
        {"s": {BAD: 0.1, "b": 0.2}, "t": {BAD: 0.1, "b": 0.2}}
    ),
    "system of folds": lambda _: bb.compare_folds({BAD: [0.1, 0.2, 0.4], "b": [0.1, 0.2, 0.3]}),
    "judged": lambda _: bb.compare_preferences([(BAD, "b", BAD)] * 5),
    "stochastic order": lambda _: bb.multi_aso({BAD: [0.1, 0.2, 0.4], "b": [0.1, 0.2, 0.3]}),
    "p-value": lambda _: bb.replicability({BAD: 0.1, "b": 0.2}),
    "condition": lambda folder: bb.Study(folder / "s").add(BAD, run=0, predictions=GOLD, gold=GOLD),
    "gold of a study": lambda folder: bb.Study(folder / "s").add(
        "h", run=0, predictions=GOLD, gold=[BAD] * 12
    ),
}


@pytest.mark.parametrize("where", CALLS)
def test_half_characters(where: str, tmp_path: Path) -> None:
    with pytest.raises(bb.errors.InvalidInputError, match=r"\\ud800a"):
        CALLS[where](tmp_path)


def test_the_message() -> None:
    with pytest.raises(bb.errors.InvalidInputError) as caught:
        CALLS["prediction"](Path())
    assert str(caught.value).splitlines() == [
        "system 'b', position 0, must be valid Unicode text, got '\\ud800a'",
        "hint: '\\ud800' is half of a character: decode the text with its own encoding, or rename it",
    ]


def test_whole_characters_beyond_the_first_plane_are_welcome() -> None:
    result = bb.compare({"😀": ["😀", "x"] * 5, "b": ["x"] * 10}, ["😀", "x"] * 5)
    assert result.systems[0].system == "😀"
    assert "😀" in result.to_html()
    assert "😀" in result.to_json()
