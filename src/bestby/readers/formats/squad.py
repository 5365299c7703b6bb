"""SQuAD: a dataset of questions with answers, and a predictions file of question id to answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby.data.roles import listed
from bestby.readers.formats.base import Items, head_of, need_gold, of_items
from bestby.readers.text import KEEP_ONE, TEXT, Record, check_new, document, is_values_by_id, listing


def recognises(path: Path, head: bytes) -> bool:
    """Tell whether a file is one JSON object of texts, as predictions are: question id to answer."""
    return is_values_by_id(path, head, TEXT)


def is_dataset(path: Path) -> bool:
    """Tell whether a gold is a dataset of questions; the texts of predictions are labels if it is not."""
    return re.search(rb'"(version|data|paragraphs|qas)"\s*:', head_of(path)) is not None


@of_items
def read(paths: Mapping[str, Path], *, gold: Path | None = None) -> Items:
    """Read the answers of several systems to the questions of a dataset like SQuAD 1.1 or 2.0.

    A file of predictions is a JSON object of question id to answer. The gold is the dataset (Rajpurkar et al.
    2016, 2018); a question with ``"is_impossible": true`` has no answer. `clusters` may be "article" or
    "paragraph". With `on_missing` "worst" an unanswered question scores 0, as in the official scripts.
    """
    dataset = need_gold(gold, "texts by id (labels, or answers to questions)")
    golds, articles, paragraphs = _questions(dataset)
    answers = {name: document(path) for name, path in paths.items()}
    systems = {name: {key: _text(record, key) for key in record.data} for name, record in answers.items()}
    groups = {"article": articles, "paragraph": paragraphs}
    description = f"answers to the {len(golds)} questions of {dataset} (SQuAD): {listed(list(paths))}"
    return Items(description, systems, golds, groups, "qa_f1")


def _questions(path: Path) -> tuple[dict[str, tuple[str, ...]], dict[str, str], dict[str, str]]:
    """Return the right answers of every question, its article and its paragraph."""
    golds: dict[str, tuple[str, ...]] = {}
    articles: dict[str, str] = {}
    paragraphs: dict[str, str] = {}
    places: dict[str, str] = {}
    for a, article in enumerate(listing(document(path), "data"), 1):
        for p, paragraph in enumerate(listing(article, "paragraphs"), 1):
            for question in listing(paragraph, "qas"):
                key = _text(question, "id")
                check_new(places, key, question.where, f"question {key!r}", KEEP_ONE)
                right = [] if question.data.get("is_impossible") is True else listing(question, "answers")
                golds[key] = tuple(_text(answer, "text") for answer in right)
                # Titles may be shared or missing: articles and paragraphs are numbered.
                articles[key], paragraphs[key] = f"article {a}", f"article {a}, paragraph {p}"
    if not golds:
        raise InvalidInputError(f"{path} holds no question", hint="give the dataset, not predictions")
    return golds, articles, paragraphs


def _text(record: Record, key: str) -> str:
    text = record.need(key)
    if not isinstance(text, str):
        raise InvalidInputError(
            f"{record.where}: {key!r} must be a text, got {text!r:.60}",
            hint="an empty text means that there is no answer",
        )
    return text
