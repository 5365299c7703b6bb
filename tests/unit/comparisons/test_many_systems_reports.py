"""Reports of many systems: in text a part of them, on a page all."""

from __future__ import annotations

import base64
import json
import re
import zlib
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.unit.comparisons.many import held, many, right

from bestby import compare, compare_runs
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array
from bestby.comparisons import one_metric
from bestby.questions.items import many_systems_report as shortened
from bestby.report.numbers import p_text
from bestby.report.writers.terminal import to_text

pytestmark = pytest.mark.long


def test_of_more_than_50_systems_20_are_shown() -> None:
    text = to_text(many(), details=True)
    assert "300 items: the 20 best of 64" in text
    assert "20 of 64 systems are shown; all of them, and all 2016 differences" in " ".join(text.split())
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
    assert f"{top} of 64 systems are shown" in text
    assert text.count("\n| ") == 2 + top + (0 if top == 1 else 2 + top - 1) + (0 if top < 3 else 2 + top - 2)
    assert f"{many().systems[top - 1].system} |" in text.replace("*", "")
    assert f"| {many().systems[top].system} |" not in text.replace("*", "")


def test_all_are_shown_if_asked_for() -> None:
    text = many().to_markdown(top=64)
    assert "are shown" not in text
    assert text.count("\n| ") == 4 + 64 + 64 * 63 // 2


def test_numbers_of_the_few_shown_are_those_of_all() -> None:
    text = to_text(many(), 3)
    third = many().systems[2]
    line = next(line for line in text.splitlines() if f" {third.system} " in line and "[" in line)
    assert line.split()[0] == f"{third.rank_low}–{third.rank_high}" or third.rank_low == third.rank_high
    assert "•" not in line  # it is not among those that may be the best
    assert "the best system has a dot" in " ".join(text.split())


def test_a_baseline_is_compared_with_the_best() -> None:
    result = compare(right(), baseline="s10")
    text = to_text(result)
    assert "20 of 64 systems are shown; all of them, and all 63 differences" in " ".join(text.split())
    assert "neighbours" not in text
    page = result.to_html()
    assert "application/json" not in page
    assert "Differences in mean, system − s10" in page
    assert page.count("<td") > 63 * 4


def test_latex_and_figures_show_the_best() -> None:
    text = many().to_latex(top=4)
    assert "4 of 64 systems are shown" in text
    assert "s05" not in text
    axes = many().plot(top=4, kind="forest")
    assert "4 of 64 systems" in axes.get_title(loc="left")
    assert len(axes.get_yticklabels()) == 4 + 5
    assert len(many().plot(kind="forest").get_yticklabels()) == 20 + 37
    assert len(many().plot().get_yticklabels()) == 20


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


def test_a_comparison_of_runs_shows_everything() -> None:
    runs = compare_runs({"a": [0.1, 0.2, 0.4], "b": [0.3, 0.5, 0.6]})
    with pytest.raises(InvalidInputError, match="top is for comparisons on one test set"):
        runs.to_markdown(top=2)
