"""`bestby metrics`: the names that --metric takes."""

from __future__ import annotations

import shutil
import textwrap

from bestby._core.errors import InvalidInputError
from bestby.cli import streams
from bestby.cli.option_groups import Names
from bestby.cli.options import argument, record


@record
class Metrics:
    """
    WORDS, if any, choose the metrics whose name, family or description holds them all. LABEL stands for one
    of the labels in your data, as in f1[spam].

    \b
    Examples:
      bestby metrics
      bestby metrics bleu
      bestby metrics f1 class
    """

    words: Names = argument("WORDS", default=None)


_FAMILIES = {
    "classification": "Classification",
    "chance": "Classification",
    "multilabel": "Multi-label classification",
    "ranking": "Ranking by scores",
    "soft": "Probabilities and soft labels",
    "calibration": "Probabilities and soft labels",
    "regression": "Numbers",
    "correlation": "Correlation",
    "agreement": "Agreement with annotators",
    "tagging": "Tags and spans",
    "spans": "Tags and spans",
    "parsing": "Parsing",
    "bleu": "Translation",
    "translation": "Translation",
    "summarisation": "Summarisation",
    "answers": "Answers and code",
    "language": "Language models",
    "recognition": "Speech recognition",
    "retrieval": "Retrieval",
}
"""The headings of the families of metrics, in the order of the list."""


def metrics(values: Metrics) -> None:
    """Print the metrics that hold all words, under the headings of their families."""
    from bestby.metrics.registry import MetricRow, list_metrics

    words = [word.lower() for word in values.words or ()]
    families: dict[str, list[MetricRow]] = {heading: [] for heading in _FAMILIES.values()}
    for row in list_metrics():
        heading = _FAMILIES[row.family]
        text = f"{row.name} {heading} {row.description}".lower()
        if all(word in text for word in words):
            families[heading].append(row)
    rows = [row for family in families.values() for row in family]
    if not rows:
        raise InvalidInputError(
            f"no metric matches {' '.join(words)!r}", hint="'bestby metrics' without a word lists them all"
        )
    width = max(len(row.name) for row in rows)
    indent = " " * (width + 12)
    # Whole lines in a pipe, where they are searched
    columns = max(shutil.get_terminal_size((10_000, 0)).columns, len(indent) + 20)
    paragraphs = []
    for heading, family in families.items():
        lines = []
        for row in family:
            better = "higher" if row.greater_is_better else "lower"
            line = f"  {row.name:<{width}}  {better:<6}  {row.description}"
            lines += textwrap.wrap(line, columns, subsequent_indent=indent, break_on_hyphens=False)
        paragraphs += ["\n".join([heading, *lines])] if family else []
    streams.print_stdout("\n\n".join(paragraphs))
