"""Put the help pages into docs/reference/cli.md, below its marker; `--check` only says if they are there."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

from bestby.cli import main
from bestby.cli.commands import all_words

PAGE = Path(__file__).resolve().parent / "reference" / "cli.md"
MARKER = "<!-- From here on docs/make_cli_page.py writes: change the help texts, then run it. -->\n"
WIDTH = "80"
PAGES = [()]
for words in all_words():
    PAGES += [page for page in (words[:-1], words) if page not in PAGES]


def page(text: str) -> str:
    """Return the page with everything below the marker made anew."""
    os.environ["COLUMNS"] = WIDTH  # help wraps to the terminal
    parts = [text.partition(MARKER)[0] + MARKER]
    for words in PAGES:
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            main([*words, "--help"])
        parts.append(f"## {' '.join(('bestby', *words))}\n\n```text\n{stream.getvalue().strip()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    from generated_pages import write_or_check

    write_or_check(PAGE, page(PAGE.read_text(encoding="utf-8")))
