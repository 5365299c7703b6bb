"""Whatever names hold, nothing that a person reads acts on a terminal, turns the text or hides in it."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestby as bb
from bestby._core.text import one_line, safe_json, visible
from bestby.report.fields import DIFFERENCE
from bestby.report.figures import drawing, forest
from bestby.report.figures import systems as figures_systems
from bestby.report.writers import html as page
from bestby.results import Comparison

HIDDEN = [
    *map(chr, (0, 1, 7, 8, 9, 10, 11, 12, 13, 0x1B, 0x1C, 0x1F, 0x7F, 0x80, 0x85, 0x9B, 0x9D, 0xAD)),
    *map(chr, (0x61C, 0x200B, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2060, 0x2070))),
    *map(chr, (0xFEFF, 0xFFF9, 0xFFFE, 0xFFFF)),
]
NAMES = [
    *(f"a{place}{character}z" for place, character in enumerate(HIDDEN)),  # names that look alike are refused
    "\x1b[31mred\x1b]0;title\x07", "\r", "\n\n", "\t", "-x\r=y", " ", "'", '"', "a,b", 'a"b,\n',
    "<script>alert(1)</script>", "</script>", "&amp;", "$x^2$", "\\input{x}", "a|b", "[x](y)", "=1+1", "@SUM",
    "中文", "name" * 200,
]  # fmt: skip


def acting(text: str) -> set[str]:
    """Return the characters of a text that should not be there."""
    kinds = ("Cc", "Cs", "Zl", "Zp")
    return {c for c in text if (unicodedata.category(c) in kinds or c in HIDDEN) and c != "\n"}


def compared(names: list[str]) -> Comparison:
    gold = np.arange(40) % 3
    systems = {name: np.where(np.arange(40) % (i + 2) < 2, gold, 0) for i, name in enumerate(names)}
    return bb.compare(systems, gold, baseline=names[0], n_resamples=50)


@pytest.fixture(scope="module")
def result() -> Comparison:
    return compared(NAMES[::2])


@pytest.mark.parametrize("write", [
    str, repr, Comparison.to_markdown, Comparison.to_latex, Comparison.to_html, page.to_fragment,
    Comparison.to_json, lambda c: "\n".join(map(str, c)), lambda c: repr(c.to_dict()),
], ids=["str", "repr", "markdown", "latex", "html", "fragment", "json", "sentences", "dict"])  # fmt: skip
def test_nothing_acts(write: object, result: Comparison) -> None:
    assert acting(write(result)) == set()  # type: ignore[operator]


def test_every_name_is_shown(result: Comparison) -> None:
    shown = html.unescape(result.to_html())
    for entry in result.systems:
        assert visible(entry.system) in shown


def test_a_page_that_is_searched_finds_the_names_that_it_shows() -> None:
    gold = np.arange(30) % 2
    systems = {f"s\x1b{i}\u202e": np.where(np.arange(30) % 30 < i % 29, gold, 0) for i in range(52)}
    text = bb.compare(systems, gold, n_resamples=50).to_html()
    assert acting(text) == set()
    (pairs,) = re.findall(r'class="bb-pairs">(.*?)</script>', text)
    assert set(json.loads(pairs)["systems"]) == {visible(name) for name in systems}


def test_data_keep_the_names(result: Comparison) -> None:
    names = {entry.system for entry in result.systems}
    assert {entry["system"] for entry in json.loads(result.to_json())["systems"]} == names
    rows = list(csv.reader(io.StringIO(result.to_csv(), newline="")))
    assert {len(row) for row in rows} == {len(DIFFERENCE)}
    assert {row[1] for row in rows[1:]} | {row[2] for row in rows[1:]} == names
    assert set(result.to_frame()["a"]) | set(result.to_frame()["b"]) == names


def test_figures(result: Comparison) -> None:
    few = compared([*NAMES[:12], "name" * 800])
    for axes in (few.plot(), figures_systems.scores(few), forest.interval(few.differences[3])):
        with drawing.default_style():
            text = drawing.render(axes, ".svg").decode()
        assert acting(text) == set()
        assert "x00z" in text or "x01z" in text
        assert "name" * 30 not in text


@pytest.mark.parametrize("name", NAMES)
def test_errors(name: str) -> None:
    with pytest.raises(bb.errors.InvalidInputError) as caught:
        bb.compare({name: [1, 0], f"{name}2": [1]}, [1, 1])
    assert acting(str(caught.value)) == set()
    assert len(str(caught.value).splitlines()) <= 2
    with pytest.raises(bb.errors.InvalidInputError) as caught:
        bb.read(f"no such file {name[:100]}", gold="gold")
    assert acting(str(caught.value)) == set()


def test_an_array_in_a_message_is_on_one_line() -> None:
    with pytest.raises(bb.errors.InvalidInputError) as caught:
        bb.compare({"a": [1, 0], "b": [1, 1]}, [1, 1], level=np.arange(300.0).reshape(100, 3))  # type: ignore[arg-type]
    assert "\n" not in str(caught.value).split("\nhint: ")[0]


@given(st.text(st.characters(exclude_categories=[])))
def test_what_is_visible(text: str) -> None:
    shown = visible(text)
    assert acting(shown) == set()
    assert "\n" not in shown
    assert visible(shown) == shown
    assert shown.encode().decode() == shown
    if not acting(text) and "\n" not in text:
        assert shown == text
    assert "\n" not in one_line(text)


@given(
    st.recursive(st.text() | st.integers() | st.none(), lambda s: st.lists(s) | st.dictionaries(st.text(), s))
)
def test_json_means_the_same(value: object) -> None:
    document = safe_json(json.dumps(value, ensure_ascii=False, indent=2))
    assert json.loads(document) == value
    assert acting(document) == set()
    assert document.encode().decode() == document
