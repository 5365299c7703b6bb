"""Pages in a real browser, checked by axe-core: what keyboards and screen readers need, in light and dark."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.browser import BROWSER, needs_axe, needs_browser, opened, violations

from bestby import compare
from bestby.report.comparison import Comparison

pytestmark = pytest.mark.long


def systems(n_systems: int, n_items: int = 120) -> tuple[dict[str, Any], Any]:
    rng = np.random.Generator(np.random.PCG64(5))
    gold = rng.choice(["neg", "neu", "pos"], n_items)
    able = np.linspace(0.9, 0.3, n_systems)
    return {f"model-{i}": np.where(rng.random(n_items) < p, gold, "neu") for i, p in enumerate(able)}, gold


def three() -> str:
    return compared(3, metric=["accuracy", "f1_macro"]).to_html(items=True)


def many() -> str:
    return compared(8).to_html(top=3)


def long() -> str:
    return compared(9).to_html()


def compared(n_systems: int, **more: Any) -> Comparison:
    data, gold = systems(n_systems)
    return compare(data, gold, n_resamples=99, **more)


@needs_browser
@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("make", [three, many, long])
def test_axe_finds_nothing(make: Callable[[], str], scheme: str, tmp_path: Path) -> None:
    assert violations(make(), tmp_path, scheme) == []


@needs_browser
def test_a_pair_is_looked_up_in_a_page_from_the_disk(tmp_path: Path) -> None:
    c = compared(8)
    first, second = (entry.system for entry in c.systems[:2])
    asked = f"""<script>
    const fields = [...document.querySelectorAll(".bb-a, .bb-b")];
    fields[0].value = "{first}";
    fields[1].value = "{second}";
    fields[1].dispatchEvent(new Event("input"));
    </script>"""
    shown = opened(c.to_html(top=3).replace("</body>", asked + "</body>"), tmp_path)
    answer = shown[shown.index('class="bb-answer"') :]
    assert f"{c[first, second].n_differing}</td>" in answer[: answer.index("</table>")]


@needs_browser
def test_the_order_of_the_focus_is_that_of_the_page(tmp_path: Path) -> None:
    listed = """<script>
    const can = [...document.querySelectorAll("a, button, input, select, summary, [tabindex]")];
    document.title = can.map((one) => one.tabIndex).join();
    document.querySelector("th button").focus();
    document.activeElement.click();
    </script>"""
    shown = opened(three().replace("</body>", listed + "</body>"), tmp_path)
    title = re.search(r"<title>([^<]*)</title>", shown)
    assert title is not None
    assert set(title[1].split(",")) == {"0"}, "an element is taken out of its order, or cannot be reached"
    assert 'aria-sort="ascending"' in shown


def printed(page: str, folder: Path) -> list[str]:
    """Return the text of every page of a printed report."""
    assert BROWSER is not None
    source, target = folder / "page.html", folder / "page.pdf"
    source.write_text(page, encoding="utf-8")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'user'}"]
    command += ["--no-pdf-header-footer", f"--print-to-pdf={target}", f"file://{source}"]
    subprocess.run(command, capture_output=True, timeout=120, check=True)
    done = subprocess.run(["pdftotext", "-layout", str(target), "-"], capture_output=True, check=True)
    return done.stdout.decode("utf-8").split("\f")[:-1]


@needs_browser
@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="no pdftotext (poppler) is installed")
def test_captions_are_printed_with_their_tables_and_heads_on_every_page(tmp_path: Path) -> None:
    pages = printed(compared(14).to_html(), tmp_path)
    for caption in ("Systems by accuracy", "Differences in accuracy"):
        for page in (page for page in pages if caption in page):
            below = page[page.rindex(caption) :].splitlines()
            assert len([line for line in below if re.search(r"model-\d+ .*\d\.\d+", line)]) > 0, caption
    differences = [page for page in pages if len(re.findall(r"model-\d+ +model-\d+ ", page)) > 3]
    assert len(differences) > 1
    assert all("p (holm)" in page for page in differences)
