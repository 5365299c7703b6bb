"""The page: self-contained, escaped, sortable, the same bytes every time."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest

from bestby import compare
from bestby.report.comparison import Comparison
from bestby.report.writers.html import to_fragment, to_html

VOID = {"meta", "br", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """Checks that elements nest, and keeps what the tests ask for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for key, value in attrs:
            if key == "id":
                self.ids.append(str(value))
            if key in ("href", "src", "xlink:href"):
                self.references.append(str(value))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.mark.long
def test_a_page_is_sound_and_self_contained(any_comparison: Comparison) -> None:
    text = to_html(any_comparison)
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert all(reference.startswith("#") for reference in page.references)
    assert {reference[1:] for reference in page.references} <= set(page.ids)
    assert set(re.findall(r"url\(#([^)]*)\)", text)) <= set(page.ids)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", text)
    assert "@import" not in text
    assert page.tags.count("svg") == len(any_comparison.metrics)
    assert page.tags.count("table") == 2 * len(any_comparison.metrics) + text.count(" rows)</summary>")
    assert any_comparison.signature in page.text


def test_the_same_comparison_gives_the_same_bytes(made: SimpleNamespace) -> None:
    before = to_html(made.two_metrics())
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "red", "svg.hashsalt": "other"}):
        assert to_html(made.two_metrics()) == before
    assert "dc:date" not in before


def test_the_users_style_is_left_alone(made: SimpleNamespace) -> None:
    with mpl.rc_context({"font.size": 20}):
        to_html(made.five())
        assert mpl.rcParams["font.size"] == 20


def test_names_are_escaped_everywhere(made: SimpleNamespace) -> None:
    c = made.roster["hostile names"]()
    for text in (to_html(c), to_fragment(c)):
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert Page(to_html(c)).tags.count("script") == 1
    assert "script" not in Page(to_fragment(c)).tags


def test_letters_no_font_has_are_no_warning(made: SimpleNamespace) -> None:
    assert "漢字" in to_html(made.ladder(["漢字", "b"]))


def test_tables_can_be_sorted_by_unrounded_values(made: SimpleNamespace) -> None:
    text = to_html(made.five())
    assert text.count('class="bb-table bb-sortable"') == 2
    assert f'data-key="{38 / 638!r}">0.060</td>' in text
    assert 'data-key="bert_spc">bert_spc</td>' in text
    for piece in ("aria-sort", 'createElement("button")', "dataset.key"):
        assert piece in text


def test_of_many_pairs_those_with_the_best_are_seen_and_all_stand_behind_a_click(
    made: SimpleNamespace,
) -> None:
    text = to_html(made.ladder([f"system-{i}" for i in range(12)]))
    seen, _, folded = text.partition("<details>")
    assert seen.count("<tr>") + seen.count("<tr ") == 1 + 12 + 1 + 11
    assert "(66 rows)</summary>" in folded
    assert folded.partition("</details>")[0].count('<td class="bb-name') == 2 * 66
    assert "--details" not in text
    assert "details::details-content" in text  # which opens them in print


def test_what_all_long_names_have_in_common_is_left_out_and_said(made: SimpleNamespace) -> None:
    names = [f"an-organisation-of-many/a-model-of-{size}-parameters" for size in (1, 2, 3)]
    text = to_html(made.ladder(names))
    assert ">…a-model-of-1…</td>" in text
    assert f'data-key="{names[0]}"' in text
    assert "Names of systems begin with &quot;an-organisation-of-many/&quot; and end with" in text


def test_what_is_undefined_or_infinite_sorts(made: SimpleNamespace) -> None:
    d = made.difference(estimate=float("nan"), low=float("-inf"), high=float("inf"))
    text = to_html(made.five(differences=(d,)))
    assert 'data-key="">–</td>' in text
    assert 'data-key="-Infinity">' in text


@pytest.mark.long
def test_every_difference_is_put_into_words(made: SimpleNamespace) -> None:
    said = to_html(made.five()).replace("\N{NO-BREAK SPACE}", " ")
    for d in made.five():
        assert f"{d.a} has a higher {d.metric} than {d.b} by" in said
    assert said.count("<li>") == 10
    assert "<summary>In words (105 differences)</summary>" in to_html(made.roster["many"]())


def test_too_many_pairs_are_not_drawn(made: SimpleNamespace) -> None:
    text = to_html(made.ladder([f"s{i:02d}" for i in range(17)]))
    assert "136 differences are too many for one figure" in text
    assert text.count("<svg") == 1


def test_the_figure_of_the_best_of_many_shows_how_each_stands_to_all(made: SimpleNamespace) -> None:
    text = to_html(made.ladder([f"s{i:02d}" for i in range(60)], lettered=False))
    assert "The 20 best of 60 systems. A line per system: 1770 differences are too many" in text
    svg = text[text.index("<svg") : text.index("</svg>")]
    assert "20 of 60 systems" in svg
    assert "another has a significantly better score" in svg
    assert svg.count("stroke: #d55e00") > 0, "no mark of a system that is behind"


def test_light_dark_and_print(made: SimpleNamespace) -> None:
    text = to_html(made.five())
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    svg = text[text.index("<svg") : text.index("</svg>")]
    assert not re.search(r": #(?!none)[0-9a-f]{6}", svg), "a colour of the figure that no theme can change"
    assert 'role="img"' in svg


def test_on_a_narrow_screen_figures_and_tables_scroll(made: SimpleNamespace) -> None:
    text = to_html(made.five())
    size = re.search(r"<svg[^>]* style=\"max-width: (\d+)px; min-width: (\d+)px\"", text)
    assert size is not None
    assert int(size[2]) == pytest.approx(0.75 * int(size[1]), abs=1)
    assert text.count('<div class="bb-scroll') == text.count("<table")
    assert text.count('<div class="bb-figure" tabindex="0" role="region"') == text.count("<svg")
    assert "no-repeat local" in text, "nothing shows that a table goes on"


def test_no_line_of_text_breaks_before_a_percent_sign(any_comparison: Comparison) -> None:
    kept_whole = r"<(style|script|svg|th|dd)\b.*?</\1>"  # drawn, or never broken by the style; settings
    whole = to_html(any_comparison)
    assert "95\N{NO-BREAK SPACE}%" in whole
    for page in (whole, to_fragment(any_comparison)):
        shown = re.sub(rf"{kept_whole}|<[^>]*>", "", page, flags=re.DOTALL)
        assert re.findall(r"\d %", shown) == []


def test_names_are_broken_after_signs_only(made: SimpleNamespace) -> None:
    long = "an-organisation/a.very_long-name-of-a-model-v12"
    text = to_html(made.ladder(["short-name", long]))
    assert '<td class="bb-name" data-key="short-name">short-name</td>' in text
    broken = long.replace("-", "-<wbr>").replace("/", "/<wbr>").replace(".", ".<wbr>").replace("_", "_<wbr>")
    assert f'data-key="{long}">{broken}</td>' in text


@pytest.mark.long
def test_the_page_of_a_thousand_systems_is_small_and_shows_which_may_be_the_best() -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    able, hard = np.linspace(0.9, 0.4, 1000), rng.random(300) - 0.5
    c = compare({f"model_{i}": (rng.random(300) < p - 0.3 * hard).astype(int) for i, p in enumerate(able)})
    text = to_html(c)
    assert len(text.encode()) < 5e6
    assert "best?</th>" in text
    assert ">group</th>" not in text
    table = text[text.index("bb-tall") : text.index("</table>")]
    assert table.count("<tr") == 1001
    assert c.best is not None
    assert table.count(">•</td>") == len(c.best.systems) < 1000


def test_a_fragment_styles_only_itself(any_comparison: Comparison) -> None:
    text = to_fragment(any_comparison)
    Page(text)
    style = text[text.index("<style>") + 7 : text.index("</style>")]
    for rule in re.findall(r"([^{}]+)\{", style):
        assert all(part.strip().startswith(".bestby") for part in rule.split(","))
    assert any_comparison._repr_html_() == text
