"""Notes and errors speak of the folds and repetitions of a table, not of the strata they become."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bestby as bb


def table(**changes: Any) -> dict[str, Any]:
    """Two repetitions of three folds of 30 items, by two systems."""
    rng = np.random.default_rng(0)
    n = 120
    place = np.arange(n)
    columns = {
        "item": place % 30,
        "repetition": np.array(["r0", "r1"])[place // 30 % 2],
        "fold": np.array(["f0", "f1", "f2"])[(place + place // 30 % 2) % 3],
        "system": np.array(["a", "b"])[place // 60],
        "gold": place % 2,
        "prediction": np.where(rng.random(n) < 0.8, place % 2, 0),
    }
    return {name: column for name, column in (columns | changes).items() if column is not None}


def compared(**changes: Any) -> Any:
    pd = pytest.importorskip("pandas")
    return bb.compare_folds(pd.DataFrame(table(**changes)), metric="accuracy")


def read_as(result: Any) -> str:
    (message,) = [note.message for note in result.notes if note.code == "read_as"]
    assert "stratum" not in message
    return message


def test_the_columns_are_named() -> None:
    assert read_as(compared()).endswith("; fold: fold; repetition: repetition")
    assert read_as(compared(fold=None)).endswith("; item: item; repetition: repetition")


def test_an_item_in_two_folds() -> None:
    fold = table()["fold"]
    fold[0] = "f9"
    with pytest.raises(bb.errors.InvalidInputError) as error:
        compared(fold=fold)
    assert "the fold of item 'r0/0' is 'f9' here and 'f0' there" in str(error.value)


@pytest.mark.parametrize(("column", "named"), [("rep", "'rep'"), ("again", "...")])
def test_a_column_of_repetitions_that_is_not_called_so(column: str, named: str) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(table()).rename(columns={"repetition": column})
    with pytest.raises(bb.errors.InvalidInputError) as error:
        bb.compare_folds(frame, metric="accuracy")
    assert "the fold of item '0' is 'f0' here and 'f1' there" in str(error.value)
    assert error.value.hint.endswith(f"repetition={named}")
    result = bb.compare_folds(frame, metric="accuracy", repetition=column)  # what the hint proposes
    assert read_as(result).endswith(f"fold: fold; repetition: {column}")


def test_datasets_are_no_strata_either() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        table(repetition=None, fold=None, dataset=np.array(["d", "e"])[np.arange(120) // 30 % 2])
    )
    result = bb.compare_datasets(frame, metric="accuracy")
    assert read_as(result).endswith("; item: item; dataset: dataset")
