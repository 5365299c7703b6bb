"""Comparisons of many systems: the same numbers as pair by pair, held in columns, shown in part."""

from __future__ import annotations

import base64
import csv
import dataclasses
import io
import json
import math
import pickle
import re
import zlib
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bestby import Evaluation, compare, compare_runs, load
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array
from bestby.comparisons.common import many_systems, one_metric
from bestby.inference import groups
from bestby.report.kinds import many_systems as shortened
from bestby.report.numbers import p_text
from bestby.report.writers.terminal import to_text
from bestby.results.comparison import Comparison, Difference
from bestby.results.pairs import Differences, Pairs, differences_on, examples, involving, notes_of

pytestmark = pytest.mark.long

N_SYSTEMS = 64
N_ITEMS = 300


def right(n_systems: int = N_SYSTEMS, n_items: int = N_ITEMS) -> dict[str, Array]:
    """Return systems of rising ability, two the same, two nearly, one always right and one never."""
    rng = np.random.Generator(np.random.PCG64(5))
    hard = rng.normal(size=n_items)
    able = np.sort(rng.normal(0.8, 0.7, size=n_systems - 4))
    scores = {
        f"s{i:02d}": (rng.random(n_items) < 1.0 / (1.0 + np.exp(-(a + 1.5 * hard)))).astype(int)
        for i, a in enumerate(able)
    }
    near = scores["s09"].copy()
    near[:3] = 1 - near[:3]
    more = {
        "copy": scores["s05"],
        "near": near,
        "always": np.ones(n_items, int),
        "never": np.zeros(n_items, int),
    }
    return {**scores, **more}


def predictions(n_systems: int = N_SYSTEMS) -> tuple[dict[str, list[str]], list[str]]:
    """Return predictions and a gold of which the systems of `right` are right."""
    gold = [("cat", "dog", "owl")[i % 3] for i in range(N_ITEMS)]
    wrong = {"cat": "dog", "dog": "owl", "owl": "cat"}
    return {
        name: [label if hit else wrong[label] for label, hit in zip(gold, hits, strict=True)]
        for name, hits in right(n_systems).items()
    }, gold


@cache
def many() -> Comparison:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one_metric, "MOST_HELD", 100)
        return compare(right())


@cache
def held() -> Comparison:
    """Return the same with every difference held."""
    return dataclasses.replace(many(), differences=tuple(many().differences))


KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "one-sided": {"alternative": "greater"},
    "better": {"alternative": "better", "level": 0.9},
    "baseline": {"baseline": "s10"},
    "mcnemar": {"test": "mcnemar"},
    "mid-p": {"test": "mcnemar-midp", "correction": "bh", "alternative": "less"},
    "margin": {"margin": 0.05},
    "auto": {"test": "auto", "interval": "tango", "correction": "none"},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gold", [False, True])
def test_the_numbers_are_those_of_pair_by_pair(
    kind: str, gold: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = dict(KINDS[kind])
    systems: Any = right(24)  # of 64, one pair at a time takes seconds
    if gold:
        systems, asked["gold"] = predictions(24)
    monkeypatch.setattr(one_metric, "MOST_HELD", 10)
    monkeypatch.setattr(many_systems, "FEW_PAIRS", 10)
    together = compare(systems, **asked)
    monkeypatch.setattr(many_systems, "FEW_PAIRS", 10**9)
    alone = compare(systems, **asked)
    assert isinstance(together.differences, Differences)
    assert isinstance(alone.differences, tuple)
    assert tuple(together.differences) == alone.differences
    assert together.systems == alone.systems
    assert together.omnibus == alone.omnibus
    assert together.notes == alone.notes
    assert together.provenance == alone.provenance


@pytest.mark.parametrize(
    "asked",
    [
        {"clusters": np.arange(N_ITEMS) // 3},
        {"strata": np.arange(N_ITEMS) % 2},
        {"interval": "normal"},
        {"test": "sign"},
        {"resample_size": 0.5, "n_resamples": 50},
    ],
    ids=["clusters", "strata", "interval", "test", "resample_size"],
)
def test_what_counts_do_not_tell_is_computed_pair_by_pair(
    asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many_systems, "FEW_PAIRS", 2)
    monkeypatch.setattr(one_metric, "MOST_HELD", 1)
    systems = dict(list(right().items())[:4])
    assert isinstance(compare(systems, **asked).differences, tuple)
    assert isinstance(compare(systems).differences, Differences)


def test_scores_other_than_0_and_1_are_computed_pair_by_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_systems, "FEW_PAIRS", 2)
    monkeypatch.setattr(one_metric, "MOST_HELD", 1)
    systems = dict(list(right().items())[:4])
    assert isinstance(compare(systems | {"half": np.full(N_ITEMS, 0.5)}).differences, tuple)


def test_several_metrics_share_one_sequence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_metric, "MOST_HELD", 10)
    monkeypatch.setattr(many_systems, "FEW_PAIRS", 2)
    systems, gold = predictions()
    few = {name: systems[name] for name in ("s00", "s20", "s40", "s50", "s59", "copy")}
    result = compare(few, gold=gold, metric=["f1_macro", "accuracy"], n_resamples=200)
    assert [d.metric for d in result] == ["f1_macro"] * 15 + ["accuracy"] * 15
    assert result.differences[20] == compare(few, gold=gold).differences[5]
    assert result["s00", "s59", "f1_macro"].metric == "f1_macro"
    assert result["s59", "s00", "accuracy"] == compare(few, gold=gold)["s59", "s00"]
    assert isinstance(differences_on(result.differences, "accuracy"), Pairs)
    assert len(differences_on(result.differences, "f1_macro")) == 15
    assert len(result.to_frame()) == len(result.to_csv().splitlines()) - 1 == 30
    assert json.loads(result.to_json()) == result.to_dict()


# -- the sequence ----------------------------------------------------------------------------------


def test_it_is_the_sequence_of_its_differences() -> None:
    differences, expected = many().differences, held().differences
    assert len(differences) == len(expected) == len(many()) == N_SYSTEMS * (N_SYSTEMS - 1) // 2
    assert differences[0] == expected[0]
    assert differences[-1] == expected[-1]
    assert differences[7:12] == expected[7:12]
    assert differences[::-500] == expected[::-500]
    assert expected[3] in differences
    assert list(many()) == list(expected)
    with pytest.raises(IndexError):
        differences[len(expected)]


def test_it_is_equal_to_what_holds_the_same() -> None:
    differences, expected = many().differences, held().differences
    assert differences == expected
    assert hash(differences) == hash(expected)
    part = differences_on(differences, "mean")
    assert isinstance(part, Pairs)
    changed = part.p_value.copy()
    changed[3] /= 2.0
    other = Differences((dataclasses.replace(part, p_value=changed),))
    assert differences != other
    assert differences != expected[1:]
    assert differences != "differences"
    assert Differences((expected,)) == differences


def test_it_is_pickled_and_cannot_be_changed() -> None:
    again = pickle.loads(pickle.dumps(many()))
    assert again.differences == many().differences
    assert again["s20", "s30"] == many()["s20", "s30"]
    part = many().differences.parts[0]  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="read-only"):
        part.low[0] = 0.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        part.level = 0.5


def test_pairs_are_found_in_both_directions() -> None:
    for d in held().differences[::97]:
        assert many()[d.a, d.b] == d
        assert many()[d.b, d.a] == d.mirrored()
        assert many()[d.a, d.b, "mean"] == d
    with pytest.raises(InvalidInputError, match="no difference between 's01' and 'nobody'"):
        many()["s01", "nobody"]
    with pytest.raises(InvalidInputError, match="no difference"):
        many()["s01", "s01"]


def test_parts_of_it_are_found_without_the_rest() -> None:
    expected = [d for d in held().differences if "s20" in (d.a, d.b)]
    assert list(involving(many().differences, "mean", "s20")) == expected
    assert involving(many().differences, "mean", "nobody") == ()
    assert list(differences_on(many().differences, "mean")) == list(held().differences)
    assert differences_on(many().differences, "accuracy") == ()
    assert notes_of(many().differences) == notes_of(held().differences)
    assert ("mean", "copy", "s05") in [note.about for note in notes_of(many().differences)]
    kinds = examples(many().differences)
    assert sum(times for _, times in kinds) == len(many())
    assert {d.test.method: times for d, times in kinds} == {
        method: sum(d.test.method == method for d in held()) for method in ("enumeration", "binomial")
    }


# -- groups ----------------------------------------------------------------------------------------


def members(label: str) -> set[int]:
    ends = [[int(end) for end in run.split("-")] for run in label.split(", ")]
    return {number for run in ends for number in range(run[0], run[-1] + 1)}


@pytest.mark.parametrize("seed", range(5))
def test_systems_share_a_number_if_and_only_if_they_are_not_told_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    place = np.sort(rng.normal(size=150))
    different = np.triu(np.abs(np.subtract.outer(place, place)) > rng.uniform(0.08, 0.1, (150, 150)), 1)
    different |= different.T
    labels = groups.labels(different)
    assert labels is not None
    assert labels[0].startswith("1")
    numbers = [members(label) for label in labels]
    for i in range(150):
        for j in range(i):
            assert bool(numbers[i] & numbers[j]) == (not different[i, j]), (labels[i], labels[j])


def test_few_groups_have_letters() -> None:
    different = np.abs(np.subtract.outer(range(27), range(27))) > 1
    assert groups.labels(different) == groups.letters(different)
    wider = np.abs(np.subtract.outer(range(28), range(28))) > 1
    assert groups.labels(wider)[:3] == ("1", "1-2", "2-3")  # type: ignore[index]


def test_more_groups_than_systems_are_left_out() -> None:
    half = np.arange(60) < 30
    different = (half[:, None] == half) & ~np.eye(60, dtype=bool)  # alike only across the halves: 900 groups
    assert groups.labels(different) is None


def test_a_note_says_that_groups_are_numbered() -> None:
    steps = {f"s{i:03d}": (np.arange(4000) < 30 * i).astype(int) for i in range(70)}
    result = compare(steps)
    assert result.systems[0].group == "1"
    assert "numbered_groups" in [note.code for note in result.notes]
    few = compare(dict(list(steps.items())[:20]))
    assert few.systems[0].group == "a"
    assert "numbered_groups" not in [note.code for note in few.notes]


def test_runs_say_that_groups_are_numbered() -> None:
    noise = np.random.default_rng(0).normal(0.0, 0.5, (40, 6))
    runs = {f"s{i:02d}": (3.0 * i + row).tolist() for i, row in enumerate(noise)}
    result = compare_runs(runs, test="t", correction="none")
    assert result.systems[-1].group == "40"
    assert "numbered_groups" in [note.code for note in result.notes]


# -- as data ---------------------------------------------------------------------------------------


def test_data_are_those_of_differences_held() -> None:
    assert many().to_csv() == held().to_csv()
    assert many().to_csv(spreadsheet_safe=True) == held().to_csv(spreadsheet_safe=True)
    for one in ({**many().to_dict(), "record": None}, json.loads(many().to_json()) | {"record": None}):
        assert one == {**held().to_dict(), "record": None}
    loaded = load(many().to_json())
    assert loaded == many()
    assert loaded.differences == held().differences
    pd.testing.assert_frame_equal(many().to_frame(), held().to_frame())


def test_names_that_a_table_must_quote_are_quoted_in_columns_too(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["=1+1", 'say "a", b', "two\nlines", "plain"]
    scores = {name: (np.arange(200) % (3 + i) == 0).astype(int) for i, name in enumerate(names)}
    plain, safe = (compare(scores).to_csv(spreadsheet_safe=flag) for flag in (False, True))
    assert "'=1+1" in safe
    monkeypatch.setattr(one_metric, "MOST_HELD", 1)
    assert [compare(scores).to_csv(spreadsheet_safe=flag) for flag in (False, True)] == [plain, safe]
    assert len(list(csv.DictReader(io.StringIO(plain)))) == 6


def test_a_signature_does_not_list_a_hundred_names() -> None:
    assert "systems:s00,s01,...,never(64)|" in many().signature
    few = compare(dict(list(right().items())[:50]))
    assert "systems:s00,s01,s02," in few.signature


# -- reports ---------------------------------------------------------------------------------------


def test_a_notebook_shows_the_best_too() -> None:
    fragment = many()._repr_html_()
    assert "20 of 64 systems and 37 of 2016 differences are shown" in fragment
    assert "<script" not in fragment
    assert len(fragment) < 40_000


def test_of_more_than_50_systems_20_are_shown() -> None:
    text = to_text(many())
    assert "300 items: the 20 best of 64" in text
    assert "20 of 64 systems and 37 of 2016 differences are shown" in " ".join(text.split())
    ranked = [entry.system for entry in many().systems]
    rows = [line.split() for line in text.splitlines()]
    assert [row[1] for row in rows if len(row) > 4 and row[1] in ranked and row[0] not in ranked] == ranked[
        :20
    ]
    start = next(place for place, row in enumerate(rows) if row[:2] == ["system", "difference"])
    assert [row[0] for row in rows[start + 2 : start + 21]] == ranked[1:20]
    pairs = [tuple(row[:2]) for row in rows if len(row) > 5 and set(row[:2]) <= set(ranked)]
    assert pairs == [*pairwise(ranked[1:20])]


def test_few_systems_are_all_shown() -> None:
    fifty = compare(dict(list(right().items())[:50]))
    text = fifty.to_markdown()
    assert "are shown" not in text
    assert text.count("\n| ") > 50 * 49 // 2
    assert 'class="bb-search"' not in fifty.to_html()


@pytest.mark.parametrize("top", [1, 2, 5, 63])
def test_as_many_are_shown_as_asked_for(top: int) -> None:
    text = many().to_markdown(top=top)
    told = 0 if top == 1 else 2 * top - 3
    assert f"{top} of 64 systems and {told} of 2016 differences are shown" in text
    assert f"{many().systems[top - 1].system} |" in text.replace("*", "")
    assert f"| {many().systems[top].system} |" not in text.replace("*", "")


def test_all_are_shown_if_asked_for() -> None:
    text = many().to_markdown(top=64)
    assert "are shown" not in text
    assert text.count("\n| ") == 4 + 64 + 64 * 63 // 2


def test_top_must_be_a_number_of_systems() -> None:
    with pytest.raises(InvalidInputError, match="top"):
        many().to_markdown(top=0)


def test_numbers_of_the_few_shown_are_those_of_all() -> None:
    text = to_text(many(), 3)
    third = many().systems[2]
    line = next(line for line in text.splitlines() if f" {third.system} " in line and "[" in line)
    assert line.split()[0] == f"{third.rank_low}–{third.rank_high}" or third.rank_low == third.rank_high
    assert line.split()[-1] == "–"  # it is not in the best group


def test_a_baseline_is_compared_with_the_best() -> None:
    result = compare(right(), baseline="s10")
    text = to_text(result)
    assert "20 of 64 systems and 20 of 63 differences are shown" in " ".join(text.split())
    assert "neighbours" not in text
    page = result.to_html()
    assert "application/json" not in page
    assert "Differences in mean, system − s10" in page
    assert page.count("<td") > 63 * 4


def test_latex_and_figures_show_the_best() -> None:
    text = many().to_latex(top=4)
    assert "4 of 64 systems and 5 of 2016 differences are shown" in text
    assert "s05" not in text
    axes = many().plot(top=4, kind="forest")
    assert "4 of 64 systems" in axes.get_title(loc="left")
    assert len(axes.get_yticklabels()) == 4 + 5
    assert len(many().plot(kind="forest").get_yticklabels()) == 20 + 37
    assert len(many().plot().get_yticklabels()) == 20


def test_a_comparison_of_runs_shows_everything() -> None:
    runs = compare_runs({"a": [0.1, 0.2, 0.4], "b": [0.3, 0.5, 0.6]})
    with pytest.raises(InvalidInputError, match="top is for comparisons on one test set"):
        runs.to_markdown(top=2)


def column(data: dict[str, Any], name: str) -> Array:
    """Return a column of whole numbers as the page unpacks it: the low bytes of all come first."""
    packed = data["columns"][name]
    planes = np.frombuffer(zlib.decompress(base64.b64decode(packed["data"])), dtype=np.uint8)
    planes = planes.reshape(packed["size"], -1).astype(np.int64)
    return packed["start"] + sum(plane << (8 * place) for place, plane in enumerate(planes))


def embedded(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" class="bb-pairs">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_a_page_holds_every_system_and_pair(alternative: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_metric, "MOST_HELD", 100)
    result = compare(right(), alternative=alternative)
    text = result.to_html()
    assert all(f'data-key="{entry.system}"' in text for entry in result.systems)
    data = embedded(text)
    names = [entry.system for entry in result.systems]
    assert data["systems"] == names
    columns = {name: column(data, name) for name in ("low", "width", "p", "adjusted", "differing", "flags")}
    unit, texts, size = 10.0 ** -data["digits"]["difference"], data["p_texts"], len(names)
    for i in range(0, size, 7):
        for j in range(i + 1, size, 5):
            d, at = result[names[i], names[j]], i * size - i * (i + 1) // 2 + j - i - 1
            low, high = columns["low"][at] * unit, (columns["low"][at] + columns["width"][at]) * unit
            assert (low, high) == pytest.approx((d.interval.low, d.interval.high), abs=0.500001 * unit)
            assert texts[columns["p"][at]] == p_text(d.p_value, 0.05)
            assert texts[columns["adjusted"][at]] == p_text(d.p_adjusted, 0.05)
            assert columns["differing"][at] == d.n_differing
            assert columns["flags"][at] & 1 == (d.p_adjusted <= 0.05)
            assert columns["flags"][at] >> 1 & 1 == (d.test.alternative != alternative)
            assert data["scores"][i] - data["scores"][j] == pytest.approx(d.estimate, abs=1e-15)


def test_a_page_holds_the_same_of_differences_held() -> None:
    assert embedded(many().to_html()) == embedded(held().to_html())


def test_a_page_holds_the_pairs_of_the_best_thousand_only(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = embedded(many().to_html())
    monkeypatch.setattr(shortened, "MOST_SEARCHED", 30)
    text = many().to_html()
    data = embedded(text)
    assert "Look up a pair of the 30 best systems" in text
    assert data["systems"] == everything["systems"][:30]
    low, whole = column(data, "low"), column(everything, "low")
    assert low.size == 30 * 29 // 2
    assert low[-1] == whole[28 * 64 - 28 * 29 // 2]  # both have the same last decimal
    assert all(f'data-key="{entry.system}"' in text for entry in many().systems)


def test_names_cannot_break_out_of_a_page() -> None:
    systems = {f"</script><b>{name}": values for name, values in right().items()}
    text = compare(systems).to_html()
    assert "</script><b>" not in text
    assert embedded(text)["systems"][0].startswith("</script><b>")


def test_a_difference_is_a_plain_record() -> None:
    d = many().differences[5]
    assert type(d) is Difference
    assert isinstance(d.estimate, float)
    assert isinstance(d.n_differing, int)
    assert d.mirrored().mirrored() == d


def test_more_items_than_32_bits_count_are_compared_pair_by_pair() -> None:
    """Tables that are counted have no limit; the keys of all pairs at once would overflow."""
    rows = {f"s{i}": [1.0 if j == i else 0.0 for j in range(7)] + [1.0] for i in range(6)}
    counts = np.array([10**9 + i * 10**5 for i in range(7)] + [4 * 10**9])
    found = compare(Evaluation.of(rows, counts=counts), metric="mean")
    n = int(counts.sum())
    for d in found.differences:
        gap = float(counts[int(d.a[1])] - counts[int(d.b[1])])
        differing = float(counts[int(d.a[1])] + counts[int(d.b[1])])
        assert d.estimate == pytest.approx(gap / n)
        assert d.p_value == pytest.approx(math.erfc((abs(gap) - 1) / math.sqrt(2 * differing)), rel=1e-5)
        half = 1.959964 * math.sqrt(differing) / n
        assert (d.interval.low, d.interval.high) == pytest.approx((gap / n - half, gap / n + half), rel=1e-3)


SIMULTANEOUS: dict[str, dict[str, Any]] = {
    "two-sided": {},
    "margin": {"margin": 0.02},
    "better": {"alternative": "better"},
    "less": {"alternative": "less", "margin": 0.05},
    "baseline": {"baseline": "s05"},
    "without a test": {"test": None},
    "half": {"level": 0.5, "margin": 0.05},
}


@pytest.mark.parametrize("arguments", SIMULTANEOUS.values(), ids=SIMULTANEOUS)
def test_simultaneous_intervals_of_many_are_those_pair_by_pair(
    arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = {name: right()[name] for name in ("s05", "s09", "s20", "s50", "copy", "near", "always", "never")}
    more = {f"t{i}": np.roll(scores["s20"], i) for i in range(4)}
    one_by_one = compare(scores | more, simultaneous=True, **arguments)
    monkeypatch.setattr(many_systems, "ALONE", 0)
    at_once = compare(scores | more, simultaneous=True, **arguments)
    assert at_once.systems == one_by_one.systems
    assert at_once.notes == one_by_one.notes
    for found, known in zip(at_once.differences, one_by_one.differences, strict=True):
        # The p-value at which an interval ends at 0 is sought there, to ten digits of the normal quantile.
        assert found.p_adjusted == (
            None if known.p_adjusted is None else pytest.approx(known.p_adjusted, 1e-6)
        )
        assert dataclasses.replace(found, p_adjusted=known.p_adjusted) == known


def test_of_many_with_simultaneous_intervals_columns_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_metric, "MOST_HELD", 100)
    result = compare(right(), simultaneous=True)
    assert len(result.differences) == 2016
    assert isinstance(result.differences, Differences)
    first = result.differences[0]
    assert first.interval is not None
    assert first.interval.method == "max-t"
    assert result.correction == "max-t"
    assert load(json.loads(json.dumps(result.to_dict()))) == result
