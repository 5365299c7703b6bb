"""The site of a board: what its pages say, where their links lead, and that no text becomes markup."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable
from functools import partial
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree as ET

import pytest
from tests.unit.boards.site import contents

from bestby.boards.content import BoardContent, Gap
from bestby.boards.settings import Phase
from bestby.boards.site.building import render
from bestby.results.values import Interval

KIT = {"board.toml": b'title = "Sentiment"\n', "items/a.csv": b"id\n1\n"}
EVIL = """</script><script>alert(1)</script>"'><img src=x onerror=alert(1)><a href='javascript:alert(1)'>"""


class Reader(HTMLParser):
    """The elements of a page, and its texts."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


BOARDS: dict[str, Callable[[], BoardContent]] = {
    "empty": contents.empty,
    "one": partial(contents.simple, 1),
    "two": partial(contents.simple, 2),
    "thirty": partial(contents.simple, 30),
    "rich": contents.rich,
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.check) if name in ("two", "thirty") else name for name in BOARDS],
)
def test_every_link_leads_to_a_file_of_the_site(name: str) -> None:
    files = render(BOARDS[name](), KIT)
    reached = set()
    for path, data in files.items():
        if not path.endswith(".html"):
            continue
        for tag, attributes in Reader(data).elements:
            assert tag not in ("link", "img", "iframe", "object"), "a page fetches nothing"
            href = attributes.get("href") or ""
            assert "src" not in attributes
            if href and not href.startswith("https://"):
                target = resolved(path, href)
                assert target in files, f"{path} links to {href}"
                reached.add(target)
    pages_of_it = {path for path in files if path.endswith(".html") and "embed" not in path}
    assert pages_of_it - reached <= {"index.html"}, "every page can be reached"
    listed = json.loads(files["data/board.json"])["tables"]
    assert all(one in files for table in listed for one in (table["page"], *table["files"]))


def resolved(path: str, href: str) -> str:
    parts = list(PurePosixPath(path).parent.parts)
    for part in href.split("/"):
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


@pytest.mark.parametrize("name", BOARDS)
def test_the_manifest_lists_every_file_with_its_hash(name: str) -> None:
    content = BOARDS[name]()
    files = render(content, KIT)
    manifest = json.loads(files.pop("manifest.json"))
    assert {path: one["sha256"] for path, one in manifest["files"].items()} == {
        path: hashlib.sha256(data).hexdigest() for path, data in files.items()
    }
    assert (manifest["as_of"], manifest["record"]) == (content.as_of, content.record_head)


def test_the_same_content_gives_the_same_bytes() -> None:
    assert render(contents.rich(), KIT) == render(contents.rich(), KIT)


def test_no_system_has_been_submitted() -> None:
    files = render(contents.empty())
    text = Reader(files["index.html"]).text
    assert "No system has results yet." in text
    assert "The results of this phase are published after its end, 2026-11-30 10:00 UTC." in text
    assert "No system has results yet." in Reader(files["embed.html"]).text
    assert "Nothing has been submitted yet." in Reader(files["submissions.html"]).text
    assert b"no results yet" in files["badge.svg"]
    assert not [path for path in files if path.startswith(("systems/", "tables/", "kit"))]


def test_a_phase_that_cannot_be_seen_is_nowhere() -> None:
    shown = contents.simple(5).versions[0].phases[0]
    secret = dataclasses.replace(shown, settings=Phase("final"), visible=False)
    files = render(contents.board(shown, secret))
    alone = render(contents.board(shown, dataclasses.replace(secret, tables=(), items=())))
    assert files == alone
    undated = render(contents.board(shown, dataclasses.replace(secret, end=None)))["participate.html"]
    assert b"after its end, which has no date yet" in undated
    every = b"".join(render(contents.board(secret)).values())
    assert not [one for one in shown.tables[0].standings if one.system.encode() in every]


def test_the_index_says_who_could_be_first() -> None:
    content = contents.simple(30)
    (table,) = content.versions[0].phases[0].tables
    could = [one.system for one in table.standings if one.could_be_first]
    assert 1 < len(could) < 30
    index = Reader(render(content)["index.html"])
    assert (
        f"{len(could)} of 30 systems could be first: {', '.join(could[:-1])} and {could[-1]}." in index.text
    )
    strong = [attributes for tag, attributes in index.elements if tag == "tr" and attributes.get("class")]
    assert len(strong) == len(could)
    assert f"{table.n_established} of {table.n_pairs} pairs of systems" in index.text
    assert table.next_step in index.text
    assert "without that it is" in index.text


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        ([(1, 1), (2, 3), (2, 3)], "t/s0 is first: the tests show every other system to be worse."),
        ([(1, 3), (1, 3), (1, 3)], "Nothing shows yet which of the 3 systems is first."),
        ([(1, 2), (1, 2), (3, 3)], "2 of 3 systems could be first: t/s0 and t/s1."),
        ([(1, 1)], "t/s0 is the only system."),
    ],
)
def test_the_lead_of_a_table(ranks: list[tuple[int, int]], said: str) -> None:
    standings = tuple(contents.bare_standing(f"t/s{i}", low, high) for i, (low, high) in enumerate(ranks))
    files = render(contents.board(contents.phase("dev", contents.bare_table(standings))))
    assert said in Reader(files["index.html"]).text


def test_no_text_becomes_markup() -> None:
    for path, data in render(contents.with_markup(EVIL), KIT).items():
        assert re.fullmatch(r"[\w./-]+", path, re.ASCII), path
        if path.endswith(".html"):
            check_elements(data)
        elif path.endswith(".svg"):
            tags = {one.tag.rpartition("}")[2] for one in ET.fromstring(data).iter()}
            assert tags == {"svg", "title", "clipPath", "rect", "g", "text"}
        elif path.endswith(".json"):
            json.loads(data)


def check_elements(page: bytes) -> None:
    """Check that a page has but its own script, and links of two kinds only."""
    elements = Reader(page).elements
    assert [tag for tag, _ in elements].count("script") == 1
    assert not {tag for tag, _ in elements} & {"img", "iframe", "object", "form"}
    for _, attributes in elements:
        assert not [name for name in attributes if name.startswith("on")]
        href = attributes.get("href") or ""
        assert not href or re.match(r"https?://|[\w./-]+\.(html|csv|json|zip|toml)$", href), href


def test_the_policy_of_a_page_allows_its_own_script_only() -> None:
    page = render(contents.simple(2))["index.html"].decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    assert "unsafe" not in policy
    assert policy.startswith("default-src &#39;none&#39;; style-src &#39;sha256-")


def test_csv_and_json_have_the_numbers_of_the_content() -> None:
    (one,) = contents.simple(5).versions[0].phases[0].tables
    files = render(contents.simple(5))
    (path,) = [path for path in files if path.startswith("data/dev-") and path.endswith(".csv")]
    rows = list(csv.DictReader(io.StringIO(files[path].decode())))
    document = json.loads(files[path.replace(".csv", ".json")])
    for each, row, read in zip(one.standings, rows, document["rows"], strict=True):
        assert (row["system"], float(row["score"])) == (each.system, each.score)
        assert (read["rank_low"], read["rank_high"]) == (each.rank_low, each.rank_high)
        assert read["best_difference"] == (None if each.to_best is None else each.to_best.estimate)
        if each.to_baseline is not None:
            assert each.to_baseline.interval is not None
            assert float(row["baseline_low"]) == each.to_baseline.interval.low
            assert float(row["baseline_p_adjusted"]) == each.to_baseline.p_adjusted
    assert document["n_pairs"] == 10


def test_the_documentation_names_every_file_and_column() -> None:
    text = (Path(__file__).parents[4] / "docs/reference/board.md").read_text(encoding="utf-8")
    files = render(contents.rich(), KIT)
    for path in files:
        folder, slash, _ = path.removeprefix("version-1/").partition("/")
        assert f"`{folder if not slash else folder + '/'}" in text, path
    for path in (path for path in files if path.startswith("data/") and path.endswith(".csv")):
        if not re.search("-(slices|runs|pairs).csv|submissions", path):
            columns = files[path].decode().splitlines()[0].split(",")
            assert [name for name in columns if f"`{name}`" not in text] == []


@pytest.mark.check
@pytest.mark.parametrize("count", [12, pytest.param(110, marks=pytest.mark.long)])
def test_the_pairs_are_published_on_request_only(count: int) -> None:
    c = contents.compared(count)
    without = contents.board(contents.phase("dev", contents.table(c)))
    assert not [path for path in render(without) if "-pairs" in path]
    files = render(contents.board(contents.phase("dev", contents.table(c, pairs=True))))
    (path,) = [path for path in files if path.endswith("-pairs.csv")]
    rows = list(csv.DictReader(io.StringIO(files[path].decode())))
    assert {(row["a"], row["b"], float(row["difference"])) for row in rows} == {
        (d.a, d.b, d.estimate) for d in c.differences
    }
    document = json.loads(files[path.replace(".csv", ".json")])
    names = document["systems"]
    pairs = zip(document["a"], document["b"], document["p_adjusted"], strict=True)
    assert [(names[a], names[b], p) for a, b, p in pairs] == [
        (row["a"], row["b"], float(row["p_adjusted"])) for row in rows
    ]
    best = c.systems[0].system
    page = next(data for name, data in files.items() if f"<h1><bdi>{best.split('/')[1]}" in data.decode())
    listed = re.findall(r'<td class="bb-name[^"]*" data-key="([^"]+)"', page.decode())
    assert len([name for name in listed if name != best]) == min(count - 1, 20)


def test_pages_change_with_what_they_show_alone() -> None:
    before = contents.simple(30)
    later = dataclasses.replace(before, as_of="2026-11-24T10:00:00Z")
    entry = dataclasses.replace(before.entries[-2], submission=99)
    more = dataclasses.replace(before, entries=(*before.entries, entry))
    made = render(before, KIT)

    def changed(after: BoardContent) -> set[str]:
        remade = render(after, KIT)
        return {path for path in made | remade if made.get(path) != remade.get(path)}

    assert changed(later) == {"manifest.json", "index.html", "data/board.json"}
    after = changed(more)
    systems = {path for path in after if path.startswith("systems/")}
    assert len(systems) == 1
    listed = {"submissions.html", "data/submissions.csv", "data/submissions.json"}
    assert after - systems == {"manifest.json", *listed}


def test_the_kit_is_there_as_files_and_in_one() -> None:
    files = render(contents.rich(), KIT)
    with zipfile.ZipFile(io.BytesIO(files["kit.zip"])) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            f"kit/{name}": data for name, data in KIT.items()
        }
    assert {path: data for path, data in files.items() if path.startswith("kit/")} == {
        f"kit/{name}": data for name, data in KIT.items()
    }


def test_older_results_stay_beside_those_in_force() -> None:
    files = render(contents.rich())
    index = Reader(files["index.html"]).text
    assert "eleven labels of the annotators were wrong" in index
    older = Reader(files["version-1/index.html"])
    assert "version 1 of the gold, which was corrected later" in older.text
    assert [path for path in files if path.startswith("version-1/tables/")]
    page = next(data for path, data in files.items() if path.startswith("systems/alpha"))
    assert "By version 1 of the gold" in Reader(page).text


def test_the_last_phase_with_results_comes_first() -> None:
    (early, *_), (late, *_) = (
        [contents.phase(name, contents.table(contents.compared(count), phase=name))]
        for name, count in (("dev", 5), ("test", 3))
    )
    to_come = contents.phase("next")
    files = render(contents.board(early, late, to_come))
    index = Reader(files["index.html"])
    headings = re.findall(r"<h2>(.*?)</h2>", files["index.html"].decode())
    assert headings == ["test: accuracy", "All tables", "Phases"]
    assert index.text.index("test: accuracy:") < index.text.index("dev: accuracy:")
    badges = {path: data for path, data in files.items() if path.startswith("badges/")}
    first = next(data for path, data in badges.items() if path.startswith("badges/alpha"))
    last = next(data for path, data in badges.items() if path.startswith("badges/epsilon"))
    assert b"of 3 (test)" in first
    assert b"of 5 (dev)" in last


def test_items_won_and_lost_are_listed() -> None:
    page = next(data for path, data in render(contents.rich()).items() if path.startswith("systems/beta"))
    text = Reader(page).text
    assert "2 won, 3 lost" in text
    assert "q17, q4" in text


def test_the_table_over_all_tasks_says_how_to_read_it() -> None:
    files = render(contents.rich())
    page = next(data for path, data in files.items() if path.startswith("tables/") and b"all-tasks" in data)
    assert b"Bold differences are significant after correction. The mean is over the tasks" in page


def test_a_table_names_the_run_that_its_numbers_are_of() -> None:
    content = contents.simple(2)
    assert b"Where a run is named" not in render(content)["index.html"]
    best = content.versions[0].phases[0].tables[0].standings[0].submission
    entries = tuple(
        dataclasses.replace(one, run="seed0" if one.submission == best else one.run)
        for one in content.entries
    )
    named = dataclasses.replace(content, entries=entries)
    said = " ".join(Reader(render(named)["index.html"]).text.split())
    assert said.count("run seed0") == 1
    assert "Where a run is named, the numbers are of this run alone." in said


@pytest.mark.parametrize("name", ["two", "rich"])
def test_no_line_of_text_breaks_before_a_percent_sign(name: str) -> None:
    kept_whole = rb"<(style|script|th)\b.*?</\1>"  # the style breaks no header of a table
    texts = [
        Reader(re.sub(kept_whole, b"", data, flags=re.DOTALL)).text
        for path, data in render(BOARDS[name](), KIT).items()
        if path.endswith(".html")
    ]
    assert [found for text in texts for found in re.findall(r"\d %", text)] == []
    assert any("95\N{NO-BREAK SPACE}%" in text for text in texts)


def test_a_name_that_is_hidden_is_a_dash() -> None:
    files = render(contents.simple(5))
    assert "9999" in files["submissions.html"].decode()
    assert len([path for path in files if path.startswith("systems/")]) == 5


@pytest.mark.check
def test_a_thousand_systems_take_seconds() -> None:
    import time

    names = contents.names(1000)
    gap = Gap(names[0], -0.1, Interval(-0.2, -0.05, 0.95, "max-t", True), 0.01, None)
    standings = tuple(
        contents.bare_standing(name, 1 + place // 2, 1000, gap) for place, name in enumerate(names)
    )
    content = contents.board(
        contents.phase("dev", contents.bare_table(standings, baseline=names[-1])), systems=names
    )
    before = time.process_time()
    files = render(content)
    assert time.process_time() - before < 5.0
    assert len([path for path in files if path.startswith("systems/")]) == 1000
