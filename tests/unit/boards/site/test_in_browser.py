"""The pages of a board in a browser: contrast, keyboard, sorting and filtering under their policy."""

from __future__ import annotations

import dataclasses
import re
from functools import cache
from pathlib import Path

import pytest
from tests.unit.boards.site import contents
from tests.unit.browser import needs_axe, needs_browser, opened, violations

from bestby.boards.site.building import render

pytestmark = [pytest.mark.long, needs_browser]


@cache
def site(name: str) -> dict[str, bytes]:
    content = contents.empty()
    if name == "rich":
        content = contents.rich()
        unbroken = dataclasses.replace(content.entries[0], submission=77, team=80 * "m", system=80 * "W")
        content = dataclasses.replace(content, entries=(*content.entries, unbroken))
    return render(content, {"board.toml": b'title = "Sentiment"\n'})


def page(path: str, name: str = "rich") -> str:
    """Return the first page whose path begins so, without its policy, so that tests can add scripts."""
    (data, *_) = [
        data for each, data in site(name).items() if each.startswith(path) and each.endswith("html")
    ]
    return re.sub(r"<meta http-equiv=.*?>", "", data.decode())


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "path", ["index", "tables/dev-sent", "systems/beta", "submissions", "participate", "embed.html"]
)
def test_axe_finds_nothing(path: str, scheme: str, tmp_path: Path) -> None:
    assert violations(page(path), tmp_path, scheme) == []


@needs_axe
def test_axe_finds_nothing_on_an_empty_board(tmp_path: Path) -> None:
    assert violations(page("index", "empty"), tmp_path, "dark") == []


def test_scripts_run_under_the_policy_of_the_page(tmp_path: Path) -> None:
    (data,) = [data for path, data in site("rich").items() if path.startswith("tables/dev-sent")]
    assert b"Content-Security-Policy" in data
    shown = opened(data.decode(), tmp_path)
    assert 'aria-sort="none"' in shown
    assert '<p class="bb-fields">' in shown, "the fields appear once the script runs"
    other = opened(data.decode().replace("</body>", "<script>document.title = 1;</script></body>"), tmp_path)
    assert "<title>1</title>" not in other


def test_systems_are_found_and_sorted(tmp_path: Path) -> None:
    asked = """<script>
    const find = document.querySelector(".bb-find"), first = document.querySelector(".bb-first");
    const shown = () => [...document.querySelector("tbody").rows].filter((row) => !row.hidden)
      .map((row) => row.cells[1].dataset.key).join("|");
    const told = [];
    const set = (text, only) => {
      find.value = text;
      first.checked = only;
      find.dispatchEvent(new Event("input"));
      told.push(shown());
    };
    set("ÜNÏ", false);
    set("", true);
    set("", false);
    const score = document.querySelectorAll("th button")[3];
    score.focus();
    document.activeElement.click();
    told.push(shown());
    document.title = told.join("#");
    </script>"""
    shown = opened(page("tables/dev-sent").replace("</body>", asked + "</body>"), tmp_path)
    title = re.search(r"<title>([^<]*)</title>", shown)
    assert title is not None
    found, could, every, ascending = (part.split("|") for part in title[1].split("#"))
    (table, _) = contents.rich().versions[0].phases[0].tables
    order = [one.system for one in table.standings]
    assert found == ["beta/Ünïcode"]
    assert could == [one.system for one in table.standings if one.could_be_first]
    assert every == order
    scores = {one.system: one.score for one in table.standings}
    assert [scores[name] for name in ascending] == sorted(scores.values())


@pytest.mark.parametrize(
    "path", ["index", "tables/dev-sent", "systems/epsilon", "submissions", "participate"]
)
def test_no_page_is_wider_than_a_narrow_screen(path: str, tmp_path: Path) -> None:
    told = "<script>document.title = `${document.documentElement.scrollWidth}/${innerWidth}`;</script>"
    framed = page(path).replace("</body>", told + "</body>")
    shown = opened(framed, tmp_path, "--window-size=400,900")
    width = re.search(r"<title>(\d+)/(\d+)</title>", shown)
    assert width is not None
    assert int(width[1]) <= int(width[2])


def test_everything_is_reached_by_the_keyboard(tmp_path: Path) -> None:
    told = """<script>
    const can = [...document.querySelectorAll("a, button, input, summary, [tabindex]")];
    document.title = can.map((one) => one.tabIndex).join();
    </script>"""
    shown = opened(page("systems/beta").replace("</body>", told + "</body>"), tmp_path)
    title = re.search(r"<title>([^<]*)</title>", shown)
    assert title is not None
    assert set(title[1].split(",")) == {"0"}
