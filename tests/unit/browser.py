"""Pages in a real browser, for the tests of reports and boards."""

from __future__ import annotations

import html
import importlib.util
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

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


needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
needs_axe = pytest.mark.skipif(
    axe() is None, reason="axe-core is in no installed package, and BESTBY_AXE is not set"
)


def opened(page: str, folder: Path, *options: str) -> str:
    """Return a page as a browser has it after its scripts ran."""
    assert BROWSER is not None
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'user'}"]
    command += ["--virtual-time-budget=20000", *options, "--dump-dom"]
    done = subprocess.run([*command, f"file://{path}"], capture_output=True, timeout=120, check=True)
    return done.stdout.decode("utf-8")


def violations(page: str, folder: Path, scheme: str) -> list[dict[str, Any]]:
    """Return what axe-core finds wrong with a page on a narrow screen, in "light" or "dark"."""
    source = axe()
    assert source is not None
    script = source.read_text(encoding="utf-8").replace("</script", "<\\/script")
    page = page.replace("</body>", f"<script>{script}</script>\n<script>{RUN}</script>\n</body>")
    dark = f"--blink-settings=preferredColorScheme={int(scheme == 'light')}"
    shown = opened(page, folder, "--window-size=400,900", dark)
    found = re.search(r'<pre id="found">(.*?)</pre>', shown, re.DOTALL)
    assert found is not None, "axe-core did not end"
    listed: list[dict[str, Any]] = json.loads(html.unescape(found[1]))
    return listed
