"""The page to try bestby on: its numbers and words are those of Python, in QuickJS and in a browser."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.browser import needs_axe, needs_browser, opened, violations

import bestby as bb
from bestby.report.document import describe

pytestmark = pytest.mark.long

PAGE = (Path(__file__).parents[3] / "docs" / "try.html").read_text(encoding="utf-8")
FORMULAS = re.search(r'<script id="formulas">(.*?)</script>', PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def formulas() -> Any:
    """Return a function that calls a function of the page."""
    quickjs = pytest.importorskip(
        "quickjs", reason="quickjs-ng, of the dependency group test, runs the scripts"
    )
    assert FORMULAS is not None
    context = quickjs.Context()
    context.eval(FORMULAS[1])

    def call(function: str, *arguments: Any) -> Any:
        return json.loads(context.eval(f"JSON.stringify({function}(...{json.dumps(arguments)}))"))

    return call


def scores_and_sizes() -> list[tuple[list[str], list[int], bool]]:
    """Return pairs of published scores with their items: near, far, at the edges; few digits, many."""
    rng = np.random.default_rng(0)
    cases = [
        (["88.3%", "86.0%"], [872, 872], False), (["88.3%", "86.0%"], [872, 872], True),
        (["0.883", "0.860"], [872, 1000], False), (["100%", "99.0%"], [500, 500], False),
        (["0%", "0.2%"], [500, 500], True), (["1.0", "0.0"], [3, 3], False), (["1", "0.9"], [10, 10], True),
        (["0.5", "0.5"], [40, 40], False), (["50%", "50%"], [4, 2], False),
        (["99.9%", "100%"], [1000, 20], False),
        (["0.8734", "0.8733"], [10_000, 10_000], False), (["87%", "85%"], [100_000, 100_000], False),
    ]  # fmt: skip
    for n in (7, 30, 160, 999, 5000):
        for _ in range(6):
            m = n if rng.random() < 0.6 else int(rng.integers(5, 2 * n))
            shares = np.clip(rng.choice([0.02, 0.5, 0.8, 0.97]) + rng.normal(size=2) / np.sqrt(n), 0, 1)
            right = [round(share * size) / size for share, size in zip(shares, (n, m), strict=True)]
            digits = rng.integers(3, 6)
            cases.append(([f"{share:.{digits}f}" for share in right], [n, m], bool(rng.random() < 0.3)))
    return cases


@pytest.mark.parametrize(("texts", "sizes", "others"), scores_and_sizes())
def test_published_scores_have_the_numbers_and_words_of_python(
    formulas: Any, texts: list[str], sizes: list[int], others: bool
) -> None:
    found = formulas("published", texts, [str(size) for size in sizes], others)
    scores = dict(zip("AB", texts, strict=True))
    result = bb.compare_published(scores=scores, n_items=sizes, same_items=False if others else None)
    (pair,) = result.pairs
    numbers = found["numbers"]
    assert numbers["estimate"] == pytest.approx(pair.estimate, abs=1e-15)
    assert numbers["interval"] == pytest.approx([pair.interval.low, pair.interval.high], abs=1e-12)
    assert numbers["p"] == pytest.approx([pair.p_low, pair.p_high], rel=1e-9, abs=1e-300)
    assert numbers.get("differing") == (None if pair.n_differing is None else list(pair.n_differing))
    assert numbers["limit"] == pair.differing_limit
    assert found["words"] == [result.to_dict()["headline"]]
    shown = [
        cell.text for table in describe(result).sections[0].tables for row in table.rows for cell in row.cells
    ]
    rows = dict(found["rows"])
    may_be = [rows[f"{name} may be"].removesuffix(f" of {n}") for name, n in zip("AB", sizes, strict=True)]
    assert {*may_be, rows["Difference, A − B"], rows["95 % interval"], rows["p"]} <= {*shown}


@pytest.mark.parametrize("both", [0, 3, 40, 2000])
@pytest.mark.parametrize("none", [1, 90])
def test_four_counts_have_the_numbers_and_words_of_python(formulas: Any, both: int, none: int) -> None:
    for only_a in (0, 1, 4, 5, 6, 30, 700):
        for only_b in (0, 2, 6, 9, 17, 620):
            counts = (both, only_a, only_b, none)
            if sum(counts) < 2:
                continue
            found = formulas("counts", [str(one) for one in counts])
            d = compared(*counts)["A", "B"]
            assert d.test.exact
            assert d.interval.method == "tango"
            assert found["numbers"]["estimate"] == pytest.approx(d.estimate, abs=1e-15)
            assert found["numbers"]["interval"] == pytest.approx([d.interval.low, d.interval.high], abs=1e-12)
            assert found["numbers"]["p"] == pytest.approx([d.p_value] * 2, rel=1e-9)
            assert " ".join(found["words"]) == d.sentence


def compared(*counts: int) -> Any:
    """Return the comparison of two systems of which so many items have both right, only A, only B, none."""
    gold = np.arange(sum(counts)) % 2
    right = {"A": np.repeat([1, 1, 0, 0], counts), "B": np.repeat([1, 0, 1, 0], counts)}
    return bb.compare(
        {name: np.where(one, gold, 1 - gold) for name, one in right.items()}, gold, metric="accuracy"
    )


@pytest.mark.parametrize(
    ("texts", "sizes", "said"),
    [
        (["88.3", "86.0%"], ["872", "872"], "88.3 is above 1: is it 88.3%?"),
        (["88,3%", "86.0%"], ["872", "872"], "88,3% is no score: write it as 0.883 or 88.3%."),
        (["", "86.0%"], ["872", "872"], "An empty field is no score: write it as 0.883 or 88.3%."),
        (["0.8831", "0.5"], ["100", "100"], "No number of right answers out of 100 rounds to 0.8831"),
        (["0.88", "0.5"], ["0", "100"], "Items of A: write a whole number from 1 to 100000."),
        (["0.88", "0.5"], ["10", "2e3"], "Items of B: write a whole number from 1 to 100000."),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(formulas: Any, texts: list[str], sizes: list[str], said: str) -> None:
    quickjs = pytest.importorskip("quickjs")
    with pytest.raises(quickjs.JSException, match=re.escape(said)):
        formulas("published", texts, sizes, False)


def answered(page: str) -> list[str]:
    """Return the text of the answers of a page."""
    found = re.findall(r"<output[^>]*>(.*?)</output>", page, re.DOTALL)
    return [html.unescape(re.sub(r"<[^>]+>", " ", one)) for one in found]


def asked(values: dict[str, str]) -> str:
    """Return the page after somebody wrote values into it and pressed its buttons."""
    script = f"""<script>
    for (const [id, value] of Object.entries({json.dumps(values)})) document.getElementById(id).value = value;
    for (const button of document.querySelectorAll("button")) button.click();
    </script>"""
    return PAGE.replace("</body>", f"{script}</body>")


@needs_browser
def test_a_browser_answers(tmp_path: Path) -> None:
    values = {"score-a": "0.8830", "score-b": "79.1%", "only-a": "90", "both": "760", "none": "-3"}
    first, second = answered(opened(asked(values | {"none": "12"}), tmp_path))
    headline = bb.compare_published(scores={"A": "0.8830", "B": "79.1%"}, n_items=872).to_dict()["headline"]
    assert headline in first
    assert compared(760, 90, 50, 12)["A", "B"].sentence in second
    assert "None right: write a whole number" in answered(opened(asked(values), tmp_path))[1]


@needs_browser
def test_a_browser_has_the_numbers_and_words_of_every_formula(formulas: Any, tmp_path: Path) -> None:
    """QuickJS, which is held to Python above, is held to where the page is used."""
    calls: list[list[Any]] = [
        ["published", texts, [str(size) for size in sizes], others]
        for texts, sizes, others in scores_and_sizes()
    ]
    calls += [["counts", [*map(str, (40, a, b, 9))]] for a in (0, 4, 6, 30, 700) for b in (0, 2, 17, 620)]
    script = f"""<script>
    const formulas = {{published, counts}}, calls = {json.dumps(calls)};
    document.body.textContent = JSON.stringify(calls.map(([name, ...given]) => formulas[name](...given)));
    </script>"""
    shown = opened(PAGE.replace("</body>", f"{script}</body>"), tmp_path)
    body = re.search(r"<body>(.*?)</body>", shown, re.DOTALL)
    assert body is not None
    for call, found in zip(calls, json.loads(html.unescape(body[1])), strict=True):
        expected = formulas(*call)
        numbers, those = found.pop("numbers"), expected.pop("numbers")
        assert found == expected
        assert numbers.keys() == those.keys()
        for name in ("estimate", "interval", "p"):
            assert numbers[name] == pytest.approx(those[name], rel=1e-9, abs=1e-300), (call, name)


@needs_browser
@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(scheme: str, tmp_path: Path) -> None:
    assert violations(PAGE, tmp_path, scheme) == []


@needs_browser
@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_is_wider_than_the_screen_and_everything_is_reached_by_keyboard(
    width: int, tmp_path: Path
) -> None:
    script = """<script>
    const can = [...document.querySelectorAll("a, button, input")];
    const fits = document.documentElement.scrollWidth <= innerWidth;
    document.title = [fits, ...can.map((one) => one.tabIndex)].join();
    </script>"""
    shown = opened(PAGE.replace("</body>", f"{script}</body>"), tmp_path, f"--window-size={width},900")
    title = re.search(r"<title>([^<]*)</title>", shown)
    assert title is not None
    assert set(title[1].split(",")) == {"true", "0"}
