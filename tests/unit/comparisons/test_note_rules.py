"""Notes on what was read: numbers that are texts."""

from __future__ import annotations

from pathlib import Path

import pytest

import bestby as bb

NUMBERS = ["0,5", "0,75", "1", "-2,0"] * 10
OTHERS = ["0,5", "0,7", "1", "-2,0"] * 10


def codes(result: bb.Result) -> set[str]:
    return {note.code for note in result.notes}


def test_decimal_commas_of_the_gold_are_noted() -> None:
    result = bb.compare({"a": NUMBERS, "b": OTHERS}, gold=NUMBERS)
    note = next(note for note in result.notes if note.code == "decimal_commas")
    assert note.message == (
        "gold such as '-2,0' is text, which counts as a label (accuracy); if these are numbers, write them"
        " with a decimal point, and choose a metric of numbers, such as mse"
    )


def test_they_are_noted_in_a_file_of_a_spreadsheet(tmp_path: Path) -> None:
    rows = "".join(f"{gold};{gold};{other}\r\n" for gold, other in zip(NUMBERS, OTHERS, strict=True))
    path = tmp_path / "excel.csv"
    path.write_bytes(b"\xef\xbb\xbf" + f"gold;a;b\r\n{rows}".encode())
    assert "decimal_commas" in codes(bb.compare(bb.read(path)))
    assert "decimal_commas" in codes(bb.compare(bb.read(path, stream=True)))


@pytest.mark.parametrize(
    ("gold", "metric"),
    [
        (["0,5", "a"] * 20, "accuracy"),
        (["1", "2"] * 20, "accuracy"),
        ([0.5, 0.75] * 20, "mse"),
        (["0,5", "0,75"] * 20, "em"),
        (["1,2,3", "0,5"] * 20, "accuracy"),
    ],
)
def test_other_labels_and_metrics_of_texts_are_not(gold: list[object], metric: str) -> None:
    wrong = [*gold[1:], gold[0]]
    result = bb.compare({"a": gold, "b": wrong}, gold=gold, metric=metric)
    assert "decimal_commas" not in codes(result)
