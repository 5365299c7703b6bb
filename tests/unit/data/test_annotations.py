"""A gold made of the labels of several annotators: counts, missing labels, classes, resamples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby import Annotations, Evaluation, Reading, compare
from bestby.errors import DesignError, InvalidInputError

ROWS = [["no", "yes", "yes"], ["no", "no", "no"], ["yes", "yes", "no"]]
COUNTS = [[1, 2], [3, 0], [1, 2]]
SOFT = [[0.3, 0.7], [0.9, 0.1], [0.4, 0.6]]


# -- counting ----------------------------------------------------------------------------------------


def test_labels_are_counted_item_by_item() -> None:
    made = Annotations.of(ROWS)
    assert made.classes.tolist() == ["no", "yes"]
    assert made.counts.tolist() == COUNTS
    assert made.distribution().tolist() == [[1 / 3, 2 / 3], [1.0, 0.0], [1 / 3, 2 / 3]]
    assert (made.items, made.named) == (None, False)


@pytest.mark.parametrize("nothing", [None, "", float("nan"), np.float32("nan"), np.nan])
def test_a_missing_label_is_an_annotator_fewer(nothing: Any) -> None:
    made = Annotations.of([["a", nothing, "b"], [nothing, "b", nothing]])
    assert made.counts.tolist() == [[1, 1], [0, 1]]


def test_missing_labels_of_pandas() -> None:
    import pandas as pd

    made = Annotations.of([["a", pd.NA], [pd.NaT, "b"], [None, "b"]])
    assert made.counts.tolist() == [[1, 0], [0, 1], [0, 1]]


def kinds() -> dict[str, Any]:
    import pandas as pd
    import polars as pl

    ragged = [["a"], ["a", "b"], ["b", "a"]]
    holes = [["a", None], ["a", "b"], ["b", "a"]]
    filled = np.empty(3, dtype=object)
    filled[:] = [list(row) for row in ragged]
    return {
        "ragged lists": ragged,
        "tuples": [tuple(row) for row in holes],
        "a generator": (row for row in ragged),
        "rows that are columns": [pd.Series(row, dtype=object) for row in holes],
        "an array of objects": np.array(holes, dtype=object),
        "an array of lists": filled,
        "a column of lists": pd.Series(ragged),
        "text with holes": np.array([["a", ""], ["a", "b"], ["b", "a"]]),
        "pandas": pd.DataFrame(holes, columns=["r1", "r2"]),
        "polars": pl.DataFrame({"r1": ["a", "a", "b"], "r2": [None, "b", "a"]}),
    }


@pytest.mark.parametrize("kind", kinds())
def test_labels_of_every_container_give_the_same_counts(kind: str) -> None:
    made = Annotations.of(kinds()[kind])
    assert made.classes.tolist() == ["a", "b"]
    assert made.counts.tolist() == [[1, 0], [1, 1], [1, 1]]


@pytest.mark.parametrize("wrap", ["array", "pandas", "polars", "lists"])
def test_whole_numbers_stay_whole_where_one_is_missing(wrap: str) -> None:
    import pandas as pd
    import polars as pl

    holes = [[1, 2], [2, None], [None, 1]]
    made = {
        "array": lambda: np.array(holes, dtype=float),
        "pandas": lambda: pd.DataFrame(holes, columns=["r1", "r2"]),
        "polars": lambda: pl.DataFrame({"r1": [1, 2, None], "r2": [2, None, 1]}),
        "lists": lambda: holes,
    }[wrap]()
    found = Annotations.of(made)
    assert [str(name) for name in found.classes] == ["1", "2"]
    assert found.counts.tolist() == [[1, 1], [0, 1], [1, 0]]


def test_halves_are_labels_as_any() -> None:
    assert Annotations.of([[3.5, 4.0], [4.0, 4.0]]).classes.tolist() == [3.5, 4.0]


def test_classes_keep_their_order_and_those_that_never_occur() -> None:
    made = Annotations.of(ROWS, classes=["yes", "maybe", "no"])
    assert made.counts.tolist() == [[2, 0, 1], [0, 0, 3], [2, 0, 1]]
    assert made.named
    more = made.ordered(np.array(["no", "never", "maybe", "yes"]))
    assert more.counts.tolist() == [[1, 0, 0, 2], [3, 0, 0, 0], [1, 0, 0, 2]]
    assert more.named


# -- as the gold of an evaluation --------------------------------------------------------------------


def test_the_gold_is_their_distribution_and_the_labels_are_kept() -> None:
    made = Evaluation.of({"a": SOFT, "b": ["no", "no", "yes"]}, Annotations.of(ROWS))
    assert made.gold is not None
    assert made.annotations is not None
    assert made.gold.tolist() == [[1 / 3, 2 / 3], [1.0, 0.0], [1 / 3, 2 / 3]]
    assert made.annotations.counts.tolist() == COUNTS
    assert made.classes is not None
    assert made.classes.tolist() == ["no", "yes"]


def test_labels_with_ids_are_aligned_with_the_systems() -> None:
    gold = Annotations.of({f"q{i}": row for i, row in enumerate(ROWS)})
    systems = {"a": {"q2": "yes", "q0": "yes", "q1": "no"}, "b": {"q1": "no", "q2": "no", "q0": "no"}}
    made = Evaluation.of(systems, gold)
    assert made.items is not None
    assert made.annotations is not None
    by_id = dict(zip(made.items.tolist(), made.annotations.counts.tolist(), strict=True))
    assert by_id == {"q0": [1, 2], "q1": [3, 0], "q2": [1, 2]}


def test_annotated_items_that_a_system_lacks_are_dropped_or_wrong() -> None:
    gold = Annotations.of({f"q{i}": row for i, row in enumerate(ROWS)})
    systems = {"a": {"q2": "yes", "q1": "no"}, "b": {"q0": "yes", "q1": "no", "q2": "yes"}}
    dropped = Evaluation.of(systems, gold, on_missing="drop")
    assert dropped.annotations is not None
    assert dropped.annotations.counts.tolist() == [[3, 0], [1, 2]]
    assert [note.code for note in dropped.notes] == ["items_dropped"]
    result = compare(systems, gold, metric="accuracy", on_missing="worst")
    assert (result.score("a").score, result.score("b").score) == (pytest.approx(2 / 3), 1.0)
    with pytest.raises(DesignError, match="no worst value for metrics of soft labels"):
        compare(systems, gold, metric="brier", on_missing="worst")


def test_annotated_items_that_no_system_has_leave_too_few() -> None:
    gold = Annotations.of({f"q{i}": row for i, row in enumerate(ROWS)})
    with pytest.raises(InvalidInputError, match="at least 2 items, got 0"):
        Evaluation.of({"a": {"q7": "no"}, "b": {"q8": "no"}}, gold, on_missing="drop")


def test_columns_nobody_named_are_assumed_to_be_the_sorted_labels() -> None:
    (note,) = Evaluation.of({"a": SOFT, "b": ["no", "no", "yes"]}, Annotations.of(ROWS)).notes
    assert (note.code, note.about) == ("classes_assumed", ("a",))
    assert note.message == (
        "the columns of a are taken for the annotators' labels in sorted order (no, yes):"
        " pass classes=[...] to say which they are"
    )
    result = compare({"a": SOFT, "b": SOFT}, ROWS, reading=Reading(annotators="fixed"), metric="brier")
    assert [n.about for n in result.notes if n.code == "classes_assumed"] == [("a", "b")]


@pytest.mark.parametrize("how", ["evaluation", "annotations", "compare", "hard", "numbered"])
def test_columns_that_are_named_are_not_assumed(how: str) -> None:
    systems: dict[str, Any] = {"a": SOFT, "b": SOFT[::-1]}
    names = ["no", "yes"]
    if how == "evaluation":
        made = Evaluation.of(systems, Annotations.of(ROWS), classes=names).notes
    elif how == "annotations":
        made = Evaluation.of(systems, Annotations.of(ROWS, names)).notes
    elif how == "compare":
        made = compare(
            systems, ROWS, reading=Reading(classes=names, annotators="fixed"), metric="brier"
        ).notes
    elif how == "hard":
        made = Evaluation.of({"a": [*names, "no"], "b": ["no"] * 3}, Annotations.of(ROWS)).notes
    else:
        numbers = [[int(label == "yes") for label in row] for row in ROWS]
        made = Evaluation.of(systems, Annotations.of(numbers)).notes
    assert "classes_assumed" not in [note.code for note in made]


def test_classes_named_otherwise_turn_the_columns() -> None:
    forth = compare(
        {"a": SOFT, "b": ["no", "no", "yes"]}, ROWS, reading=Reading(annotators="fixed"), metric="brier"
    )
    turned = [row[::-1] for row in SOFT]
    back = compare(
        {"a": turned, "b": ["no", "no", "yes"]},
        ROWS,
        reading=Reading(classes=["yes", "no"], annotators="fixed"),
        metric="brier",
    )
    assert back.score("a").score == pytest.approx(forth.score("a").score, rel=1e-12)


def test_other_annotations_with_the_same_shares_are_other_data() -> None:
    systems: dict[str, Any] = {"a": ["no", "no", "yes"], "b": ["yes", "no", "yes"]}
    twice = [row * 2 for row in ROWS]
    hashes = {
        Evaluation.of(systems, gold).data_hash()
        for gold in (
            Annotations.of(ROWS),
            Annotations.of(twice),
            Annotations.of(ROWS, ["yes", "no"]),
            Annotations.of(ROWS, ["no", "yes", "maybe"]),
            Annotations.of(ROWS[::-1]),
        )
    }
    assert len(hashes) == 4  # ROWS backwards is ROWS
    soft = Evaluation.of(systems, Annotations.of(ROWS).distribution(), classes=["no", "yes"])
    assert soft.data_hash() not in hashes


# -- resamples ---------------------------------------------------------------------------------------


def test_annotators_are_drawn_as_multinomials() -> None:
    """Variance of a count: A p (1 - p), times 1 - 1/V as V versions share their labels.

    2000 items and 20 versions: 5.5 standard errors of a variance of near-normal counts, about 2.8 %.
    """
    made = Annotations.of([["a"] * 3 + ["b"] * 7] * 2000)
    drawn = made.resampled(20, 0)[:, :, 0]
    found = float(((drawn - 3.0) ** 2).mean())
    # Drawn without replacement from 20 copies of ten labels: the hypergeometric variance.
    expected = 10 * 0.3 * 0.7 * (200 - 10) / (200 - 1)
    assert found == pytest.approx(expected, rel=5.5 * np.sqrt(2 / 2000 / 19))


def test_inputs_stay_as_they_are() -> None:
    rows = [list(row) for row in ROWS]
    array = np.array(ROWS)
    array.flags.writeable = False
    gold = Annotations.of(rows)
    before = gold.counts.copy()
    compare(
        {"a": SOFT, "b": SOFT[::-1]},
        gold,
        reading=Reading(annotators="resample"),
        metric="brier",
        n_resamples=50,
    )
    compare(
        {"a": SOFT, "b": SOFT[::-1]},
        array,
        reading=Reading(annotators="resample"),
        metric="brier",
        n_resamples=50,
    )
    assert rows == ROWS
    assert (gold.counts == before).all()
