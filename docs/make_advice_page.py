"""Put the decision tree into docs/guides/advice.md, between markers; `--check` only says if it is there."""

from __future__ import annotations

import textwrap
from pathlib import Path

from bestby.questions.advice.tree import TREE, drawn

PAGE = Path(__file__).resolve().parent / "guides" / "advice.md"
BEGIN = "<!-- From here docs/make_advice_page.py writes: change questions/advice/tree.py, then run it. -->\n"
END = "<!-- Up to here. -->\n"


def page(text: str) -> str:
    """Return the page with everything between the markers made anew."""
    head, _, rest = text.partition(BEGIN)
    return head + BEGIN + "\n" + generated() + "\n" + END + rest.partition(END)[2]


def generated() -> str:
    """Return the tree and the table of its reasons as Markdown."""
    numbers = {name: number for number, name in enumerate(TREE, 1)}
    parts = [f"```text\n{_narrow(drawn())}\n```\n"]
    for name, question in TREE.items():
        parts.append(f"### {numbers[name]}. {question.text}\n")
        parts.append("| answer | because | leads to |\n|---|---|---|")
        for key, answer in question.answers.items():
            end = answer.leads_to
            if isinstance(end, str):
                to = f"question {numbers[end]}"
            else:
                to = f"**{end.test}**; interval: {end.interval}; {_as_code(end.call)}"
            parts.append(f"| {key} | {answer.reason} ({answer.source}) | {to} |")
        parts.append("")
    return "\n".join(parts)


def _narrow(tree: str) -> str:
    """Return the tree with at most 80 columns; what an answer leads to goes on below its beginning."""
    lines = []
    for line in tree.splitlines():
        stem, dot, _ = line.partition("● ")
        before = stem[: stem.find("─") - 1] + ("│" if "├" in stem else " ")
        indent = before.ljust(len(stem + dot))
        lines += textwrap.wrap(line, 80, subsequent_indent=indent) if dot else [line]
    return "\n".join(lines)


def _as_code(call: str) -> str:
    return "; ".join(f"`{part}`" if "bestby" in part else part for part in call.split("; "))


if __name__ == "__main__":
    from generated_pages import write_or_check

    write_or_check(PAGE, page(PAGE.read_text(encoding="utf-8")))
