"""Draw the diagram "which function for which question"; `--check` only says if it is current."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).resolve().parent / "images" / "questions.svg"
START = "What do you have?"


class Answer(NamedTuple):
    """A question, and the function and the command that answer it."""

    question: str
    function: str
    command: str

    def names(self) -> tuple[tuple[str, str], ...]:
        """Return the names of the function and the command, each with its class."""
        return (f"bb.{self.function}", "function"), (self.command, "command")


TREE: dict[str, tuple[Answer, ...]] = {
    "answers or scores per item": (
        Answer("how good is one system?", "evaluate", "bestby evaluate"),
        Answer("which system is best?", "compare", "bestby compare"),
        Answer("… and in which slices?", "compare_slices", "bestby slices"),
        Answer("… if each ran several times?", "compare_runs", "bestby runs"),
        Answer("… for other prompts and seeds?", "compare_facets", "bestby facets"),
        Answer("… by a judge and few labels?", "compare_judged", "bestby judged compare"),
        Answer("may it replace the old one?", "gate", "bestby gate"),
        Answer("… if k answers are drawn?", "compare_attempts", "bestby attempts"),
        Answer("which may be worth its cost?", "frontier", "bestby frontier"),
        Answer("better than a published score?", "compare_published", "bestby published"),
    ),
    "a score per run (seed)": (
        Answer("which is better on average?", "compare_runs", "bestby runs"),
        Answer("is one better at every quantile?", "multi_aso", "bestby runs"),
        Answer("… over several datasets?", "compare_datasets", "bestby datasets"),
    ),
    "a score per dataset": (
        Answer("which is better over datasets?", "compare_datasets", "bestby datasets"),
        Answer("on how many, and on which?", "replicability", "bestby datasets"),
    ),
    "a score per fold": (Answer("which system is best?", "compare_folds", "bestby folds"),),
    "labels of several annotators": (Answer("how far do they agree?", "agreement", "bestby agreement"),),
    "judgements of pairs": (
        Answer("whose answers are preferred?", "compare_preferences", "bestby preferences"),
    ),
    "results that still come in": (
        Answer("what do they show so far?", "Study", "bestby study"),
        Answer("is enough known to stop?", "Monitor", "bestby watch"),
    ),
    "no data yet": (
        Answer("how many items or runs?", "sample_size", "bestby plan"),
        Answer("which items to label?", "choose_items", "bestby judged choose"),
        Answer("which test, and why?", "advise", "bestby advise"),
    ),
}

ROW, GAP, TOP = 44, 14, 12
COLUMNS = ((0, 150), (178, 222), (428, 240), (696, 214))
"""Left edge and width of the start, of what there is, of the questions and of the answers."""
STYLE = """<style>
  text { font: 14px system-ui, sans-serif; fill: #1c1f24; dominant-baseline: central }
  .function { font: 600 14px ui-monospace, monospace }
  .command { font: 12px ui-monospace, monospace; fill: #4a5058 }
  rect { fill: #f4f6f9; stroke: #8a93a0; rx: 6 }
  .answer { fill: #e3eefb; stroke: #3a6ea5 }
  path { fill: none; stroke: #8a93a0; stroke-width: 1.4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e8eaed } .command { fill: #b8bec7 }
    rect { fill: #23272e; stroke: #7a8491 } .answer { fill: #16304d; stroke: #79a9dd }
  }
</style>"""


def box(column: int, y: float, *lines: tuple[str, str], kind: str = "") -> str:
    """Return a box about a height, with lines of text, each with its class."""
    left, width = COLUMNS[column]
    height = ROW - 8
    edges = f'x="{left + 1}" y="{y - height / 2:g}" width="{width}" height="{height}"'
    parts = [f'<rect class="{kind}" {edges}/>']
    for i, (text, name) in enumerate(lines):
        at = y + (i - (len(lines) - 1) / 2) * 16
        parts.append(f'<text class="{name}" x="{left + 11}" y="{at:g}">{escape(text)}</text>')
    return "\n".join(parts)


def line(column: int, start: float, end: float) -> str:
    """Return a curve from a box to one in the next column."""
    left = sum(COLUMNS[column]) + 1
    right = COLUMNS[column + 1][0] + 1
    middle = (left + right) / 2
    return f'<path d="M{left} {start:g} C{middle:g} {start:g} {middle:g} {end:g} {right} {end:g}"/>'


def diagram() -> str:
    """Return the diagram as SVG."""
    parts: list[str] = []
    middles: list[float] = []
    y = TOP + ROW / 2
    for given, answers in TREE.items():
        heights = [y + i * ROW for i in range(len(answers))]
        middles.append((heights[0] + heights[-1]) / 2)
        parts.append(box(1, middles[-1], (given, "")))
        for answer, height in zip(answers, heights, strict=True):
            parts += [
                line(1, middles[-1], height),
                box(2, height, (answer.question, "")),
                line(2, height, height),
                box(3, height, *answer.names(), kind="answer"),
            ]
        y = heights[-1] + ROW + GAP
    start = (middles[0] + middles[-1]) / 2
    parts += [line(0, start, middle) for middle in middles]
    parts.append(box(0, start, (START, "")))
    width, height = sum(COLUMNS[-1]) + 2, y - ROW / 2 - GAP + TOP
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" width="{width}"'
    title = "<title>Which function for which question</title>"
    return "\n".join([f'{head} role="img">', title, STYLE, *parts, "</svg>\n"])


if __name__ == "__main__":
    from generated_pages import write_or_check

    write_or_check(PATH, diagram())
