"""Write generated tables into the pages, between <!-- NAME --> and <!-- /NAME -->."""

from __future__ import annotations

from pathlib import Path


def write(page: Path, name: str, table: str) -> None:
    """Replace what stands between the markers `name` of a page."""
    text = page.read_text(encoding="utf-8")
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"{page} has no markers {begin} and {end}")
    page.write_text(f"{before}{begin}\n\n{table.strip()}\n\n{end}{after}", encoding="utf-8")


def between(page: Path, name: str) -> str:
    """Return what stands between the markers `name` of a page, without the empty lines around it."""
    text = page.read_text(encoding="utf-8")
    _, found, rest = text.partition(f"<!-- {name} -->")
    inside, closed, _ = rest.partition(f"<!-- /{name} -->")
    if not (found and closed):
        raise ValueError(f"{page} has no markers of {name}")
    return inside.strip()
