"""Pages in a real browser, checked by axe-core: what keyboards and screen readers need, in light and dark."""

from __future__ import annotations

import html
import importlib.util
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bestby import compare
from bestby.results.comparison import Comparison

pytestmark = pytest.mark.long

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
AXE_IN = ("axe_playwright_python", "axe_core_python")
"""Packages that carry the one file of axe-core; or the environment variable BESTBY_AXE is its path."""

RUN = """
axe.run(document, {resultTypes: ["violations"]}).then((found) => {
  const shown = document.createElement("pre");
  shown.id = "found";
  shown.textContent = JSON.stringify(found.violations.map(({id, impact, nodes}) =>
    ({id, impact, nodes: nodes.map((node) => node.html.slice(0, 200))})));
  document.body.append(shown);
});
"""


def axe() -> Path | None:
    """Return the path of axe-core."""
    if "BESTBY_AXE" in os.environ:
        return Path(os.environ["BESTBY_AXE"])
    for package in AXE_IN:
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            found = sorted(Path(folder).rglob("axe.min.js"))
            if found:
                return found[0]
    return None


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


def opened(page: str, folder: Path, *options: str) -> str:
    """Return a page as a browser has it after its scripts ran."""
    assert BROWSER is not None
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'user'}"]
    command += ["--virtual-time-budget=20000", *options, "--dump-dom"]
    done = subprocess.run([*command, f"file://{path}"], capture_output=True, timeout=120, check=True)
    return done.stdout.decode("utf-8")


needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")


@needs_browser
@pytest.mark.skipif(axe() is None, reason="axe-core is in no installed package, and BESTBY_AXE is not set")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("make", [three, many, long])
def test_axe_finds_nothing(make: Callable[[], str], scheme: str, tmp_path: Path) -> None:
    source = axe()
    assert source is not None
    script = source.read_text(encoding="utf-8").replace("</script", "<\\/script")
    page = make().replace("</body>", f"<script>{script}</script>\n<script>{RUN}</script>\n</body>")
    dark = f"--blink-settings=preferredColorScheme={int(scheme == 'light')}"
    shown = opened(page, tmp_path, "--window-size=400,900", dark)
    found = re.search(r'<pre id="found">(.*?)</pre>', shown, re.DOTALL)
    assert found is not None, "axe-core did not end"
    assert json.loads(html.unescape(found[1])) == []


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
        (page,) = [page for page in pages if caption in page]
        below = page[page.index(caption) :].splitlines()
        assert len([line for line in below if re.search(r"model-\d+ .*\d\.\d+", line)]) > 0, caption
    differences = [page for page in pages if len(re.findall(r"model-\d+ +model-\d+ ", page)) > 3]
    assert len(differences) > 1
    assert all("p (holm)" in page for page in differences)
