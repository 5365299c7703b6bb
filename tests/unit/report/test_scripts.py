"""The scripts of a page, run on the page itself: what is searched, looked up and sorted."""

from __future__ import annotations

import base64
import csv
import io
import json
import zlib
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from bestby import compare
from bestby.report.comparison import Comparison, better_by_test
from bestby.report.disagreements import Kind, kinds
from bestby.report.numbers import Rounding, alpha, p_text
from bestby.results.values import Interval

pytestmark = pytest.mark.long

quickjs = pytest.importorskip("quickjs", reason="quickjs-ng, of the dependency group test, runs the scripts")

BROWSER = Path(__file__).with_name("page.js").read_text(encoding="utf-8")
N_SYSTEMS = 12


class Tree(HTMLParser):
    """A page as lists: name, attributes, what is inside."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[list[Any]] = [["document", {}, []]]
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in ("meta", "input"):
            self.open.append(self.open[-1][2][-1])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1][2].append([tag, dict(attrs), []])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        self.open[-1][2].append(data)


def inflated(packed: str) -> str:
    """Return what a browser unpacks, in base64."""
    return base64.b64encode(zlib.decompress(base64.b64decode(packed))).decode("ascii")


class Page:
    """A page whose scripts have run."""

    def __init__(self, page: str, fragment: str = "") -> None:
        self.context = quickjs.Context()
        self.context.eval(BROWSER)
        self.context.add_callable("inflate", inflated)
        self.ask("open", Tree(page).open[0], fragment)

    def ask(self, function: str, *arguments: object) -> Any:
        written = ",".join(map(json.dumps, arguments))
        answer = json.loads(self.context.eval(f"JSON.stringify({function}({written}) ?? null)"))
        while self.context.execute_pending_job():  # what waits for unpacked columns
            pass
        return answer

    def look_up(self, a: str, b: str = "") -> list[list[str]]:
        """Return the rows of the answer."""
        self.ask("type", ".bb-a", a)
        self.ask("type", ".bb-b", b)
        rows: list[list[str]] = self.ask("rows", ".bb-answer")
        return rows


def scores() -> dict[str, Any]:
    """Return systems of rising ability in no order, two of them the same."""
    rng = np.random.Generator(np.random.PCG64(3))
    able = rng.permutation(np.linspace(0.3, 0.8, N_SYSTEMS - 1))
    systems = {f"system {i}": (rng.random(150) < p).astype(int) for i, p in enumerate(able)}
    return {**systems, "a <copy> & more": systems["system 4"]}


def rows_of(c: Comparison) -> dict[tuple[str, str], dict[str, str]]:
    return {(row["a"], row["b"]): row for row in csv.DictReader(io.StringIO(c.to_csv()))}


def told(c: Comparison, row: dict[str, str], sign: int, decimals: int) -> list[str]:
    """Return a row of the CSV, or its mirror, as the page writes it."""
    digits = Rounding(decimals, () if c.margin is None else (-c.margin, c.margin))
    ends = sorted(sign * float(row[end]) for end in ("low", "high"))
    interval = digits.interval(Interval(ends[0], ends[1], c.level, "", True))
    p, adjusted = float(row["p_value"]), float(row["p_adjusted"])
    names = [row["a"], row["b"]][::sign]
    numbers = [digits.text(sign * float(row["difference"])), interval]
    p_values = [p_text(p, alpha(c.level)), p_text(adjusted, alpha(c.level))]
    found = kinds(c[row["a"], row["b"]])
    mark = "".join(f" {kind.value}" for kind in found if kind is not Kind.LEVEL and kind is not Kind.SMALL)
    return [*names, *numbers, *p_values, row["n_differing"], ("yes" if adjusted <= 0.05 else "no") + mark]


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_a_pair_has_the_numbers_of_the_csv(alternative: str) -> None:
    c = compare(scores(), alternative=alternative)
    page = Page(c.to_html(top=3))
    decimals = page.ask("JSON.parse", page.ask("text", ".bb-pairs")[0])["digits"]["difference"]
    for (a, b), row in rows_of(c).items():
        as_held, mirrored = (told(c, row, sign, decimals) for sign in (1, -1))
        assert page.look_up(a, b) == [as_held]
        # A one-sided p-value is that of one direction: the pair is shown in it, however it is asked for.
        assert page.look_up(b, a) == [mirrored if alternative == "two-sided" else as_held]


def test_the_page_shows_on_which_side_of_the_margin_an_interval_ends() -> None:
    plain = compare(scores())
    ends = sorted({abs(end) for d in plain for end in (d.interval.low, d.interval.high)})
    digits = Rounding.of([(d.estimate, d.interval) for d in plain])
    finer = 0
    for end in ends[1::60]:
        c = compare(scores(), margin=float(digits.text(end)))  # a margin to which some end is rounded
        page = Page(c.to_html(top=3))
        decimals = page.ask("JSON.parse", page.ask("text", ".bb-pairs")[0])["digits"]["difference"]
        for (a, b), row in rows_of(c).items():
            shown = told(c, row, 1, decimals)
            assert page.look_up(a, b) == [shown]
            finer += shown[3] != digits.interval(c[a, b].interval)
    assert finer > 0


def test_a_difference_close_to_0_is_a_power_of_ten_as_in_the_table() -> None:
    values = scores()
    first = next(iter(values))
    nearly = np.array(values[first], dtype=np.float64)
    nearly[:2] += np.array([1.0, -0.999]) * 0.05
    c = compare({**values, "nearly": nearly})
    page = Page(c.to_html(top=3))
    decimals = page.ask("JSON.parse", page.ask("text", ".bb-pairs")[0])["digits"]["difference"]
    a, b = next(pair for pair in rows_of(c) if {*pair} == {first, "nearly"})
    shown = told(c, rows_of(c)[a, b], 1, decimals)
    assert "e-" in shown[2]
    assert page.look_up(a, b) == [shown]


@pytest.mark.parametrize(("alternative", "kind"), [("two-sided", Kind.FAMILY), ("greater", Kind.SIDED)])
def test_a_pair_whose_parts_disagree_is_marked_and_explained(alternative: str, kind: Kind) -> None:
    c = compare(scores(), alternative=alternative)
    page = Page(c.to_html(top=3))
    marked = [d for d in c if kind in kinds(d)]
    assert marked
    agreeing = next(d for d in c if not kinds(d))
    for d, explained in ((marked[0], True), (agreeing, False)):
        ((*_, significant),) = page.look_up(d.a, d.b)
        (answer,) = page.ask("text", ".bb-answer")
        assert (kind.value in significant) == explained
        assert (f"{kind.value} the " in answer) == explained


def test_a_pair_that_only_the_test_tells_apart() -> None:
    systems = scores()
    first = max(systems, key=lambda name: systems[name].mean())
    systems["often"] = systems[first] + 0.001
    systems["often"][0] = -30.0
    c = compare(systems, test="sign", n_resamples=99)
    page = Page(c.to_html(top=3))
    assert better_by_test(c[first, "often"]) == "often"
    assert page.look_up(first, "often")[0][-1] == "by the test only"
    shown = [d.winner for d in c if "often" in (d.a, d.b)]
    page.look_up("often")
    (answer,) = page.ask("text", ".bb-answer")
    assert 0 < shown.count("often") < sum(d.p_adjusted <= 0.05 for d in c if "often" in (d.a, d.b))
    assert f" 0 are significantly better, {shown.count('often')} significantly worse" in answer


def test_one_name_gives_its_neighbours_in_rank() -> None:
    for alternative in ("two-sided", "greater"):
        c = compare(scores(), alternative=alternative)
        page = Page(c.to_html(top=3))
        best, others = c.systems[0], [entry.system for entry in c.systems[1:]]
        rows = page.look_up(best.system)
        assert [next(name for name in row[:2] if name != best.system) for row in rows] == others[:10]
        for row in rows:
            assert [row] == page.look_up(*row[:2])
            assert alternative == "two-sided" or tuple(row[:2]) in rows_of(c)
        worse = sum(best.system in (d.a, d.b) and d.p_adjusted <= 0.05 for d in c)
        page.look_up(best.system)
        (answer,) = page.ask("text", ".bb-answer")
        assert f" 0 are significantly better, {worse} significantly worse" in answer


def test_a_link_to_a_pair_opens_it() -> None:
    fragment = f"#a={quote('a <copy> & more')}&b={quote('system 4')}"
    page = Page(compare(scores()).to_html(top=3), fragment)
    shown = page.ask("rows", ".bb-answer")
    assert shown[0][:2] == ["a <copy> & more", "system 4"]
    assert shown == page.look_up("a <copy> & more", "system 4")


def test_unknown_names_are_said_to_be_so() -> None:
    page = Page(compare(scores()).to_html(top=3))
    for a, b, unknown in (("nobody", "", "nobody"), ("system 1", "no", "no"), ("x", "y", "x, y")):
        page.ask("type", ".bb-a", a)
        page.ask("type", ".bb-b", b)
        assert page.ask("text", ".bb-answer") == [f"No system {unknown}."]


def test_systems_are_found_by_a_part_of_their_name() -> None:
    c = compare(scores())
    page = Page(c.to_html(top=3))
    for part in ("", "1", "SYSTEM 1", " <copy> ", "nobody"):
        page.ask("type", ".bb-find", part)
        found = [entry.system for entry in c.systems if part.strip().lower() in entry.system]
        assert [row[1] for row in page.ask("rows", ".bb-search")] == found
        assert page.ask("text", ".bb-found") == [f"{len(found)} of {N_SYSTEMS}" if part else ""]


def test_tables_are_sorted_by_numbers_and_by_names() -> None:
    c = compare(scores())
    page = Page(c.to_html())
    ranked = [entry.system for entry in c.systems]

    def shown(header: str) -> list[str]:
        page.ask("click", header)
        return [row[1] for row in page.ask("rows", ".bb-sortable")]

    assert shown("system") == sorted(ranked)
    assert shown("system") == sorted(ranked, reverse=True)
    assert shown("rank") == ranked
    assert shown("rank") == ranked[::-1]
    by_score = {entry.system: entry.score for entry in c.systems}
    assert [by_score[name] for name in shown("mean")] == sorted(by_score.values())


def test_numbers_are_not_sorted_as_texts_and_what_is_undefined_comes_last() -> None:
    keys = ["2.0", "", "10.0", "-Infinity", "1e-05"]
    rows = "".join(f'<tr><td class="bb-num" data-key="{key}">{key}</td></tr>' for key in keys)
    head = '<thead><tr><th class="bb-num">p</th></tr></thead>'
    script = (resources.files("bestby.report") / "assets" / "sort.js").read_text(encoding="utf-8")
    page = Page(f'<table class="bb-sortable">{head}<tbody>{rows}</tbody></table><script>{script}</script>')
    for expected in (["-Infinity", "1e-05", "2.0", "10.0", ""], ["10.0", "2.0", "1e-05", "-Infinity", ""]):
        page.ask("click", "p")
        assert page.ask("rows", ".bb-sortable") == [[key] for key in expected]


def test_neighbours_can_be_those_that_are_told_apart() -> None:
    c = compare(scores())
    page = Page(c.to_html(top=3))
    middle = c.systems[6].system
    told = {d.b if d.a == middle else d.a for d in c if middle in (d.a, d.b) and d.winner}
    assert 0 < len(told) < N_SYSTEMS - 1
    page.look_up(middle)
    page.ask("choose", ".bb-told", True)
    rows = page.ask("rows", ".bb-answer")
    assert {next(name for name in row[:2] if name != middle) for row in rows} == told
    assert {row[-1] for row in rows} == {"yes"}


def test_those_that_may_be_the_best_are_shown_alone() -> None:
    c = compare(scores())
    page = Page(c.to_html(top=3))
    assert c.best is not None
    assert 1 < len(c.best.systems) < N_SYSTEMS
    page.ask("choose", ".bb-best", True)
    shown = [row[1] for row in page.ask("rows", ".bb-search")]
    assert shown == list(c.best.systems)
    assert page.ask("text", ".bb-found") == [f"{len(shown)} of {N_SYSTEMS}"]


def test_a_long_table_of_differences_is_filtered_by_significance() -> None:
    c = compare(scores())
    page = Page(c.to_html())
    assert len(page.ask("rows", ".bb-tested")) == len(c)
    page.ask("choose", ".bb-filter", True)
    assert len(page.ask("rows", ".bb-tested")) == sum(d.p_adjusted <= 0.05 for d in c)


def test_items_are_chosen_by_pair_and_winner_and_searched() -> None:
    rng = np.random.Generator(np.random.PCG64(4))
    gold = rng.integers(0, 3, 60)
    systems = {
        name: np.where(rng.random(60) < p, gold, 2) for name, p in (("a", 0.9), ("b", 0.6), ("c", 0.5))
    }
    c = compare(systems, gold, items=[f"item {i}" for i in range(60)])
    page = Page(c.to_html(items=True))
    assert page.ask("shown", ".bb-items .bb-scroll") == 1
    found = c.disagreements(c.systems[0].system, c.systems[1].system)
    table = ".bb-items"
    assert len(page.ask("rows", table)) == len(found)
    page.ask("choose", ".bb-winner", "won by the second", 2)
    assert [row[0] for row in page.ask("rows", table)] == [row.item for row in found if row.winner == found.b]
    page.ask("choose", ".bb-winner", "all", 0)
    page.ask("type", ".bb-items .bb-find", found[0].item)
    assert found[0].item in [row[0] for row in page.ask("rows", table)]
    page.ask("choose", ".bb-pair", 1)
    assert page.ask("shown", ".bb-items .bb-scroll") == 1
