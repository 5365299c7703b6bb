"""Write `llms.txt`, the list of pages for language models, from the home page; `--check` only compares.

The form is that of llmstxt.org: a title, a summary, and a list of links for each section.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PATH = DOCS / "llms.txt"
TITLE = re.compile(r"# (.+)\n\n((?:.+\n)+)")
SECTION = re.compile(r"^##+ (.+)\n\n((?:- (?:.+\n)(?:  .+\n)*)+)", re.MULTILINE)
LINK = re.compile(r"\]\(([\w/.-]+?)\.md")


def listing(index: str) -> str:
    """Return the list for a home page in Markdown: its sections that are lists, with whole links."""
    pyproject = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    site = pyproject["project"]["urls"]["Documentation"]
    title = TITLE.match(index)
    if title is None:
        raise ValueError("the home page has to begin with a title and a paragraph")
    parts = [f"# {title[1]}\n", f"> {' '.join(title[2].split())}\n"]
    for name, items in SECTION.findall(index):
        links = LINK.sub(rf"]({site}\1.html", items.replace("\n  ", " "))
        parts.append(f"## {name}\n\n{links}")
    return "\n".join(parts)


if __name__ == "__main__":
    from generated_pages import write_or_check

    write_or_check(PATH, listing((DOCS / "index.md").read_text(encoding="utf-8")))
