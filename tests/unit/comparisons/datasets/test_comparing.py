"""compare_datasets: every form of data, laws, notes, messages, reports."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from tests.unit.comparisons.examples import TABLE, cross_validated, items, scores, without_notes

from bestby import Evaluation, compare, compare_datasets, compare_folds, replicability
from bestby._core.errors import InvalidInputError
from bestby.comparisons.common import per_dataset
from bestby.engine.base import Drawing
from bestby.metrics import resolve
from bestby.report import data
from bestby.report.document import kind_of
from bestby.results.datasets import DatasetComparison


def frame_of(parts: dict[str, Evaluation]) -> pd.DataFrame:
    return pd.concat(
        [pd.DataFrame({"dataset": name, "gold": p.gold, **p.systems}) for name, p in parts.items()],
        ignore_index=True,
    )


def test_copies_are_noted_inside_a_dataset_as_compare_does() -> None:
    gold = np.repeat(["x", "y"], 20)
    copies = {name: Evaluation.of({"a": gold, "b": gold}, gold) for name in ("one", "two")}
    found = compare_datasets(copies)
    one = compare(copies["one"]).differences[0]
    assert [note.code for note in one.notes] == ["identical"]
    inside = [d for parts in found.within.values() for d in parts]
    assert [[(note.code, note.message) for note in d.notes] for d in inside] == [
        [(note.code, note.message) for note in one.notes]
    ] * 2


# -- forms of data ---------------------------------------------------------------------------------


def test_a_table_in_every_form() -> None:
    expected = without_notes(compare_datasets(TABLE))
    wide = pd.DataFrame([{"dataset": name, **row} for name, row in TABLE.items()])
    long = wide.melt("dataset", var_name="system", value_name="score")
    for frame in (wide, pl.from_pandas(wide), wide.rename(columns={"dataset": "task"})):
        assert without_notes(compare_datasets(frame)) == expected
    order = ["old", "new", "big"]
    assert without_notes(compare_datasets(long, systems=order)) == expected
    assert (
        without_notes(compare_datasets(wide.rename(columns={"dataset": "corpus"}), dataset="corpus"))
        == expected
    )


def test_items_in_every_form() -> None:
    parts = items()
    expected = without_notes(compare_datasets(parts, n_resamples=300))
    frame = frame_of(parts)
    assert without_notes(compare_datasets(frame, gold="gold", n_resamples=300)) == expected
    ids = frame.groupby("dataset").cumcount()  # are no system, and unique in each dataset only
    assert without_notes(compare_datasets(frame.assign(id=ids), gold="gold", n_resamples=300)) == expected
    strata = frame["dataset"].to_numpy()
    whole = Evaluation.of({"a": frame["a"], "b": frame["b"]}, frame["gold"], strata=strata)
    assert without_notes(compare_datasets(whole, n_resamples=300)) == expected


def test_results_of_compare() -> None:
    parts = items()
    expected = compare_datasets(parts)
    found = compare_datasets({name: compare(part) for name, part in parts.items()})
    assert found.replicability == expected.replicability
    assert found.differences == expected.differences
    assert {entry.average for entry in found.overall} == {"macro"}
    with pytest.raises(InvalidInputError, match="the comparison on dataset 'one' has no metric 'bleu'"):
        compare_datasets({name: compare(part) for name, part in parts.items()}, metric="bleu")
    noted = compare_datasets({name: compare(part, level=0.9) for name, part in parts.items()})
    assert "levels_differ" in {note.code for note in noted.notes}


def test_p_values_are_for_replicability() -> None:
    with pytest.raises(InvalidInputError, match=r"one number per dataset") as caught:
        compare_datasets({"news": 0.001, "talks": 0.4})
    assert "replicability counts" in str(caught.value.hint)


def test_systems_are_chosen() -> None:
    found = compare_datasets(TABLE, systems=["old", "big"])
    assert found.systems == ("big", "old")
    assert compare_datasets(items(names=("a", "b", "c")), systems=["c", "a"]).systems == ("a", "c")


# -- numbers ---------------------------------------------------------------------------------------


def test_lower_is_better() -> None:
    turned = {name: {s: 1.0 - x for s, x in row.items()} for name, row in TABLE.items()}
    up, down = compare_datasets(TABLE), compare_datasets(turned, greater_is_better=False)
    assert (up.systems, up.average_ranks) == (down.systems, down.average_ranks)
    assert up.wins("big", "old") == down.wins("big", "old") == (5, 0, 0)
    for a, b in (("big", "old"), ("new", "old")):
        assert up[a, b].p_value == down[a, b].p_value
        assert up[a, b].better == down[a, b].better == a
        assert down[a, b].estimate == pytest.approx(-up[a, b].estimate)


def test_ties_are_no_wins() -> None:
    result = compare_datasets(TABLE)
    assert result.wins("new", "old") == (3, 1, 1)
    assert result.wins("old", "new") == (1, 1, 3)


def test_a_pair_mirrored() -> None:
    result = compare_datasets(TABLE)
    one, other = result["big", "old"], result["old", "big"]
    assert one.estimate == -other.estimate
    assert one.p_value == other.p_value
    with pytest.raises(InvalidInputError, match="no difference"):
        result["old", "other"]


def test_the_order_of_datasets_and_systems_does_not_matter() -> None:
    parts = items(names=("a", "b", "c"))
    back = {
        name: Evaluation.of({s: parts[name].systems[s] for s in ("c", "b", "a")}, parts[name].gold)
        for name in reversed(parts)
    }
    one, other = compare_datasets(parts, n_resamples=300), compare_datasets(back, n_resamples=300)
    assert (one.systems, one.average_ranks) == (other.systems, other.average_ranks)
    for first, second in zip(one.overall, other.overall, strict=True):
        assert (first.a, first.b, first.average) == (second.a, second.b, second.average)
        assert first.estimate == pytest.approx(second.estimate)
        assert first.interval.low == pytest.approx(second.interval.low, abs=0.02)
    assert {d.p_value for d in one.within["two"]} == {d.p_value for d in other.within["two"]}


def test_a_pair_alone_is_its_cell_in_all() -> None:
    every = compare_datasets(TABLE, correction="none")
    alone = compare_datasets(TABLE, systems=["new", "big"], correction="none")
    one, other = every["big", "new"], alone["big", "new"]
    assert one.test == other.test
    assert (one.estimate, one.interval.low) == pytest.approx((other.estimate, other.interval.low))


def test_a_system_against_its_copy() -> None:
    parts = {
        name: Evaluation.of({"a": p.systems["a"], "copy": p.systems["a"]}, p.gold)
        for name, p in items().items()
    }
    result = compare_datasets(parts)
    (difference,) = result.differences
    assert (difference.estimate, difference.p_value) == (0.0, 1.0)
    assert difference.interval is None
    assert result.replicability["a", "copy"].k_fisher == 0
    assert all(entry.interval is None or 0.0 in entry.interval for entry in result.overall)
    str(result)


def test_inputs_are_not_modified_and_scores_cannot_be() -> None:
    before = json.dumps(TABLE)
    result = compare_datasets(TABLE)
    assert json.dumps(TABLE) == before
    with pytest.raises(ValueError, match="read-only"):
        result.scores[0, 0] = 1.0


def test_holm_runs_over_the_datasets_of_a_pair() -> None:
    result = compare_datasets(items(names=("a", "b", "c")))
    for (a, b), found in result.replicability.items():
        inside = [next(d for d in ds if (d.a, d.b) == (a, b)) for ds in result.within.values()]
        assert tuple(d.p_adjusted for d in inside) == found.p_adjusted
        assert tuple(d.p_value for d in inside) == found.p_values


def test_a_baseline() -> None:
    result = compare_datasets(TABLE, baseline="old")
    assert [(d.a, d.b) for d in result] == [("big", "old"), ("new", "old")]
    assert result.critical_difference is None
    assert all(r.p_nemenyi is None for r in result.ranking)
    with pytest.raises(InvalidInputError, match="baseline 'x' is not among the systems"):
        compare_datasets(TABLE, baseline="x")


def test_one_sided_pairs_stand_as_given() -> None:
    result = compare_datasets(items(names=("b", "a")), alternative="greater")
    assert [(d.a, d.b) for d in result] == [("b", "a")]
    assert result["b", "a"].test.alternative == "greater"


def test_across_and_correction() -> None:
    table = scores(12, 4)
    raw = compare_datasets(table, across="t", correction="none")
    holm = compare_datasets(table, across="t")
    assert [d.p_value for d in raw] == [d.p_adjusted for d in raw]
    assert all(h.p_adjusted >= r.p_value for h, r in zip(holm, raw, strict=True))
    assert {d.test.name for d in compare_datasets(table, across="sign")} == {"sign"}


def test_clusters_are_kept_apart_between_datasets() -> None:
    parts = {}
    generator = np.random.default_rng(0)
    for name in ("one", "two"):
        values = {s: np.repeat(generator.integers(0, 2, 30), 4) for s in ("a", "b")}
        parts[name] = Evaluation.of(values, clusters=np.repeat(np.arange(30), 4))
    result = compare_datasets(parts, n_resamples=500)
    micro = next(e for e in result.overall if (e.average, e.resampled) == ("micro", "items"))
    loose = compare_datasets({n: Evaluation.of(dict(p.systems)) for n, p in parts.items()}, n_resamples=500)
    other = next(e for e in loose.overall if (e.average, e.resampled) == ("micro", "items"))
    assert micro.interval.high - micro.interval.low > 1.5 * (other.interval.high - other.interval.low)


# -- notes and messages ----------------------------------------------------------------------------


def test_missing_scores_are_never_dropped_silently() -> None:
    table = {name: dict(row) for name, row in TABLE.items()}
    table["legal"]["new"] = float("nan")
    del table["bio"]["old"]
    with pytest.raises(InvalidInputError) as caught:
        compare_datasets(table)
    assert caught.value.message == (
        "2 of 15 scores are missing, on 2 of 5 datasets; first: 'new' on dataset 'legal'"
    )
    result = compare_datasets(table, on_missing="drop")
    assert result.datasets == ("news", "talks", "web")
    (note,) = [note for note in result.notes if note.code == "datasets_dropped"]
    assert "2 of 5 datasets were left out" in note.message
    assert "legal, bio (2 scores missing)" in note.message


def test_a_dataset_that_lacks_a_system() -> None:
    parts = items(names=("a", "b", "c"))
    parts["two"] = items()["two"]
    with pytest.raises(InvalidInputError, match="1 of 9 scores are missing"):
        compare_datasets(parts)
    assert compare_datasets(parts, on_missing="drop").datasets == ("one", "three")


def test_notes() -> None:
    def codes(result: DatasetComparison) -> set[str]:
        return {note.code for note in result.notes}

    assert "few_datasets" in codes(compare_datasets(TABLE))
    assert "few_datasets" not in codes(compare_datasets(scores(12, 2)))
    parts = items(n=200)
    swapped = Evaluation.of(
        {"a": parts["one"].systems["b"], "b": parts["one"].systems["a"]}, parts["one"].gold
    )
    assert "both_directions" in codes(compare_datasets({**parts, "one": swapped}))
    numbers = Evaluation.of({"a": [1, 0, 1], "b": [1, 1, 0]}, [1, 0, 0])
    assert "not_pooled" in codes(compare_datasets({**parts, "four": numbers}))


def why_not_pooled(parts: dict[str, Evaluation], **arguments: Any) -> str:
    result = compare_datasets(parts, n_resamples=99, **arguments)
    assert all(entry.average == "macro" for entry in result.overall)
    (note,) = [note for note in result.notes if note.code == "not_pooled"]
    return note.message


def test_the_note_says_why_nothing_is_pooled() -> None:
    parts = items()
    n = parts["one"].n_items
    numbers = Evaluation.of({"a": [1, 0, 1], "b": [1, 1, 0]}, [1, 0, 0])
    found = why_not_pooled({**parts, "four": numbers})
    assert found.endswith("the gold holds numbers in some datasets and text in others")
    ungolded = Evaluation.of({"a": [0.1, 0.2, 0.4], "b": [0.3, 0.1, 0.0]})
    golded = Evaluation.of({"a": [0.1, 0.2, 0.4], "b": [0.3, 0.1, 0.0]}, [1, 0, 0])
    found = why_not_pooled({"x": ungolded, "y": golded}, metric="mean")
    assert found.endswith("the gold holds nothing in some datasets and numbers in others")
    both = [np.arange(n) // 6, np.arange(n) % 6]
    crossed = Evaluation.of(parts["one"].systems, parts["one"].gold, clusters=both)
    found = why_not_pooled({**parts, "four": crossed}, test="wald")
    assert found.endswith("'four' come in two crossed groupings, which pooled items cannot keep")


def test_soft_labels_of_other_classes_are_not_pooled() -> None:
    rows = np.eye(3)[[0, 1, 2, 0, 1, 2]] * 0.7 + 0.1
    three = Evaluation.of({"a": rows, "b": rows[::-1]}, [0, 1, 2, 0, 1, 2])
    two = Evaluation.of({"a": [[0.5, 0.5]] * 6, "b": [[0.2, 0.8]] * 6}, [0, 1, 0, 1, 0, 1])
    found = why_not_pooled({"x": three, "y": two}, metric="cross_entropy")
    assert found.endswith("the datasets do not have the same classes")


def test_the_mean_over_datasets_with_two_crossed_groupings() -> None:
    """Its variance is that of a mean of independent estimates: the mean of theirs over their number."""
    rng = np.random.default_rng(5)
    parts = {}
    for name, (first, second) in {"x": (8, 10), "y": (12, 6)}.items():
        n = first * second
        both = [np.arange(n) // second, np.arange(n) % second]
        shift = rng.normal(size=first)[both[0]] + rng.normal(size=second)[both[1]]
        parts[name] = Evaluation.of({"a": shift + rng.normal(size=n), "b": rng.normal(size=n)}, clusters=both)
    parts["z"] = Evaluation.of({"a": rng.normal(size=50), "b": rng.normal(size=50)})
    result = compare_datasets(parts, metric="mean", test="wald", level=0.9)
    squares, fourths = 0.0, 0.0
    for part in parts.values():
        error = per_dataset.intervals_on(part, resolve("mean"), Drawing(9, 0), "").group.error(0, 0, 1)
        assert error is not None
        squares += (error.se / 3) ** 2
        fourths += (error.se / 3) ** 4 / error.df
    (entry,) = [e for e in result.overall if (e.average, e.resampled) == ("macro", "items")]
    reach = stats.t.ppf(0.95, squares**2 / fourths) * np.sqrt(squares)
    assert (entry.interval.low, entry.interval.high) == pytest.approx(
        (entry.estimate - reach, entry.estimate + reach), rel=1e-6
    )
    assert entry.interval.method == "two-way"
    assert entry.estimate == pytest.approx(np.mean([ds[0].estimate for ds in result.within.values()]))


def test_groups_of_datasets_whose_joined_names_are_alike_stay_apart() -> None:
    """Dataset "x" with a cluster "y/1" and dataset "x/y" with a cluster "1"."""
    groups = np.repeat(["1", "2", "3"], 10)

    def overall(names: tuple[str, str], prefixes: tuple[str, str], kind: str) -> list[float]:
        parts = {}
        for i, (name, prefix) in enumerate(zip(names, prefixes, strict=True)):
            drawn = np.random.default_rng(i)
            values = {s: drawn.normal(size=30) + drawn.normal(size=3).repeat(10) for s in ("a", "b")}
            parts[name] = Evaluation.of(values, **{kind: [f"{prefix}{group}" for group in groups]})
        result = compare_datasets(parts, metric="mean", n_resamples=99)
        micro = [entry.interval for entry in result.overall if entry.average == "micro"]
        return [end for interval in micro for end in (interval.low, interval.high)]

    for kind in ("clusters", "strata"):
        expected = overall(("p", "q"), ("y/", ""), kind)
        assert overall(("x", "x/y"), ("y/", ""), kind) == pytest.approx(expected)


def test_datasets_of_the_same_name_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="same name as text"):
        compare_datasets({1: {"a": 0.1, "b": 0.2}, "1": {"a": 0.3, "b": 0.2}, "2": {"a": 0.3, "b": 0.2}})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: compare_datasets([1, 2]),
            "data must be a mapping, a data frame, a list of records or an Evaluation, got list",
        ),
        (lambda: compare_datasets({}), "got none"),
        (
            lambda: compare_datasets({"x": TABLE["bio"], "y": 3}),
            "must all be tables of scores, all Evaluations",
        ),
        (lambda: compare_datasets({"x": TABLE["bio"]}), "at least 2 datasets with a score of every system"),
        (lambda: compare_datasets({"x": {"a": 1}, "y": {"a": 2}}), "at least 2 systems, got a"),
        (lambda: compare_datasets({"x": {"a": "?", "b": 1}, "y": {"a": 1, "b": 1}}), "is not a number: '?'"),
        (lambda: compare_datasets({"x": {"a": 1e999, "b": 1}}), "on dataset 'x' is infinite"),
        (lambda: compare_datasets(TABLE, systems=["old", "x"]), "no system 'x' in these data"),
        (lambda: compare_datasets(TABLE, metric=len), "a table of scores leaves nothing to compute"),
        (lambda: compare_datasets(TABLE, across="u"), "across must be one of permutation, sign, wilcoxon, t"),
        (lambda: compare_datasets(items(), metric=["accuracy"]), "one metric at a time"),
        (lambda: compare_datasets(items(), greater_is_better=False), "contradicts the metric accuracy"),
        (lambda: compare_datasets(pd.DataFrame({"a": [1], "b": [2]})), "no column is called dataset or task"),
        (
            lambda: compare_datasets(Evaluation.of({"a": [1, 0], "b": [0, 1]})),
            "does not say which dataset each item belongs to",
        ),
        (
            lambda: compare_datasets(
                pd.DataFrame({"dataset": ["x", "x"], "system": ["a", "a"], "score": [1, 2]})
            ),
            "system 'a' has more than one score on dataset 'x'",
        ),
    ],
)
def test_messages(call: Any, message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        call()
    assert message in caught.value.message


def test_an_error_inside_a_dataset_names_it() -> None:
    parts = items()
    parts["two"] = Evaluation.of({"a": ["1", "2"], "b": ["x", "y"]}, ["1", "2"])
    with pytest.raises(InvalidInputError, match=r"dataset '\w+': "):
        compare_datasets(parts, metric="rmse")


# -- reports ---------------------------------------------------------------------------------------

RESULTS = {
    "table": lambda: compare_datasets(TABLE),
    "two systems": lambda: compare_datasets(TABLE, systems=["old", "new"]),
    "items": lambda: compare_datasets(items(), n_resamples=200),
    "three systems with items": lambda: compare_datasets(items(names=("a", "b", "c")), n_resamples=200),
    "baseline": lambda: compare_datasets(TABLE, baseline="old", correction="none"),
    "p-values": lambda: replicability({"news": 0.001, "talks": 0.4}),
    "folds": lambda: compare_folds({"a": [0.7, 0.8, 0.9], "b": [0.6, 0.7, 0.75]}),
    "folds with items": lambda: compare_folds(cross_validated()),
    "awkward names": lambda: compare_datasets(
        {f"d_{i} & <b>|$x$": {"a_1|<": 0.5 + i / 9, "b%&\\": 0.4, "c": i / 7.0} for i in range(4)}
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", RESULTS)
def test_every_report_of_every_result(name: str) -> None:
    result: Any = RESULTS[name]()
    text = str(result)
    assert max(len(line) for line in text.splitlines() if not line.startswith("bestby:")) <= 100
    assert result.signature in text
    again: Any = RESULTS[name]()
    for form in ("to_markdown", "to_latex", "to_html", "_repr_html_"):
        made = getattr(result, form)()
        assert made.strip()
        assert made == getattr(again, form)()
    assert json.loads(result.to_json()) == result.to_dict()
    describing = kind_of(result)
    frame = result.to_frame()
    assert tuple(frame.columns) == describing.COLUMNS
    assert len(result.to_csv().splitlines()) == len(frame) + 1


def test_latex_captions_tell_the_methods_of_their_own_table() -> None:
    tables = {
        part.split(r"\caption{")[1].split(" ")[0]: part
        for part in compare_datasets(items(), n_resamples=200).to_latex().split(r"\end{table}")[:-1]
    }
    assert list(tables) == ["Systems", "Mean", "All", "Differences"]
    found = {
        name: {told for told in ("Over datasets:", "On each dataset:") if told in part}
        for name, part in tables.items()
    }
    assert found == {
        "Systems": set(),
        "Mean": {"Over datasets:"},
        "All": set(),
        "Differences": {"On each dataset:"},
    }
    assert "200 resamples, seed 0." in tables["All"]


def test_columns_are_those_of_differences_where_they_apply() -> None:
    from bestby.report.kinds import datasets, folds

    assert set(data.COLUMNS) < set(datasets.COLUMNS)
    assert set(data.COLUMNS) < set(folds.COLUMNS)
    frame = compare_datasets(items(), n_resamples=200).to_frame()
    assert list(frame["average"].dropna()) == ["macro", "macro", "micro", "micro"]
    assert list(frame["dataset"].dropna()) == ["one", "two", "three"]


def test_the_text_says_what_matters() -> None:
    text = str(compare_datasets(TABLE))
    assert "big has the best average rank, 1.20 of 3, over 5 datasets" in text
    assert "Systems over 5 datasets, by average rank (1 is best; score: higher is better)" in text
    assert "Over datasets: delta-method t intervals (95 %)" in text
    same = str(compare_datasets({f"d{i}": {"x": 0.75, "y": 0.5} for i in range(6)}))
    assert "Over datasets: no intervals of the mean difference." in " ".join(same.split())
    assert "Friedman test" in text
    assert "exact p = " in text
    assert "wins–ties–losses" in text
    found = str(compare_folds(cross_validated()))
    assert "Results from the pooled predictions of each repetition alone" in found
    assert "K-Bonferroni" in found


# -- which names are datasets ----------------------------------------------------------------------


def test_the_note_says_which_names_are_datasets_and_which_systems() -> None:
    by_system = {"old": {"sst": 0.7, "mr": 0.6, "x": 0.5}, "new": {"sst": 0.72, "mr": 0.66, "x": 0.58}}
    note = compare_datasets(by_system).notes[0]
    assert note.code == "read_as"
    assert "datasets: old, new; systems: sst, mr, x;" in note.message
    assert 'outer="system"' in note.message


def test_systems_outside() -> None:
    by_system = {"old": {"sst": 0.7, "mr": 0.6, "x": 0.5}, "new": {"sst": 0.72, "mr": 0.66, "x": 0.58}}
    by_dataset = {
        name: {system: row[name] for system, row in by_system.items()} for name in ("sst", "mr", "x")
    }
    found, expected = compare_datasets(by_system, outer="system"), compare_datasets(by_dataset)
    assert found.systems == ("new", "old")
    assert found.datasets == ("sst", "mr", "x")
    assert found["new", "old"] == expected["new", "old"]
    assert found.provenance.data_hash == expected.provenance.data_hash
    assert found.notes[0].message == "a table of scores; datasets: sst, mr, x; systems: old, new"


def test_systems_outside_with_a_score_missing() -> None:
    by_system = {"old": {"sst": 0.7, "mr": 0.6, "x": 0.5}, "new": {"sst": 0.72, "mr": 0.66}}
    with pytest.raises(InvalidInputError, match="'new' on dataset 'x'"):
        compare_datasets(by_system, outer="system")
    assert compare_datasets(by_system, outer="system", on_missing="drop").datasets == ("sst", "mr")


def test_outer_is_for_a_mapping_of_mappings() -> None:
    table = {"sst": {"old": 0.7, "new": 0.8}, "mr": {"old": 0.6, "new": 0.7}}
    with pytest.raises(InvalidInputError, match="outer must be one of dataset, system, got 'model'"):
        compare_datasets(table, outer="model")
    for other in (
        {"sst": 0.01, "mr": 0.2},
        {name: Evaluation.of({"a": [1, 0], "b": [0, 1]}) for name in "xy"},
    ):
        with pytest.raises(InvalidInputError, match="outer is for a mapping of mappings"):
            compare_datasets(other, outer="system")
    with pytest.raises(InvalidInputError, match="no system 'sst'") as caught:
        compare_datasets(table, systems=["sst", "mr"])
    assert 'outer="system"' in str(caught.value.hint)


def test_equal_differences_have_no_digits_of_rounding() -> None:
    for step in (0.0, 0.01, 1 / 3):
        table = {f"d{i}": {"a": 0.75 + step * i, "b": 0.65 + step * i} for i in range(6)}
        text = str(compare_datasets(table, outer="dataset", n_resamples=99))
        assert re.search(r"^ +0\.1000 ", text, re.MULTILINE)
        assert not re.search(r"\de[-\N{MINUS SIGN}]\d", text.split("Notes")[0])
