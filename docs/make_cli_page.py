"""Put the help pages into docs/reference/cli.md, below its marker; `--check` only says if they are there."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

from bestby.cli import main
from bestby.cli.commands import BOARD

PAGE = Path(__file__).resolve().parent / "reference" / "cli.md"
MARKER = "<!-- From here on docs/make_cli_page.py writes: change the help texts, then run it. -->\n"
WIDTH = "100"
COMMANDS = {
    "bestby": [],
    "bestby advise": ["advise"],
    "bestby check": ["check"],
    "bestby choose": ["choose"],
    "bestby cite": ["cite"],
    "bestby compare": ["compare"],
    "bestby evaluate": ["evaluate"],
    "bestby gate": ["gate"],
    "bestby datasets": ["datasets"],
    "bestby folds": ["folds"],
    "bestby judged": ["judged"],
    "bestby metrics": ["metrics"],
    "bestby plan": ["plan"],
    "bestby preferences": ["preferences"],
    "bestby published": ["published"],
    "bestby runs": ["runs"],
    "bestby slices": ["slices"],
    "bestby watch": ["watch"],
    "bestby study": ["study"],
    "bestby study add": ["study", "add"],
    "bestby study run": ["study", "run"],
    "bestby study list": ["study", "list"],
    "bestby study remove": ["study", "remove"],
    "bestby study import": ["study", "import"],
    "bestby study export": ["study", "export"],
    "bestby board": ["board"],
    **{f"bestby board {name}": ["board", name] for name in BOARD},
}


def page(text: str) -> str:
    """Return the page with everything below the marker made anew."""
    os.environ["COLUMNS"] = WIDTH  # help wraps to the terminal
    parts = [text.partition(MARKER)[0] + MARKER]
    for title, arguments in COMMANDS.items():
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            main([*arguments, "--help"])
        parts.append(f"## {title}\n\n```text\n{stream.getvalue().strip()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    from generated_pages import write_or_check

    write_or_check(PAGE, page(PAGE.read_text(encoding="utf-8")))
