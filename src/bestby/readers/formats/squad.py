"""SQuAD: a dataset of questions with answers, and a predictions file of question id to answer."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.typing import OnMissing
from bestby.data.roles import listed
from bestby.readers.files import kind_of
from bestby.readers.formats.base import Read, assembled, head_of, need_gold
from bestby.readers.text import TEXT, is_values_by_id, parsed, unpacked


def recognises(path: Path, head: bytes) -> bool:
    """Tell whether a file is one JSON object of texts, as predictions are: question id to answer."""
    return is_values_by_id(path, head, TEXT)


def is_dataset(path: Path) -> bool:
    """Tell whether a gold is a dataset of questions; the texts of predictions are labels if it is not."""
    return re.search(rb'"(version|data|paragraphs|qas)"\s*:', head_of(path)) is not None


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
    on_missing: OnMissing = "error",
    clusters: str | None = None,
) -> Read:
    """Read the answers of several systems to the questions of a dataset like SQuAD 1.1 or 2.0.

    A file of predictions is a JSON object of question id to answer. The gold is the dataset (Rajpurkar et al.
    2016, 2018); a question with ``"is_impossible": true`` has no answer. `clusters` may be "article" or
    "paragraph". With `on_missing` "worst" an unanswered question scores 0, as in the official scripts.
    """
    dataset = need_gold(gold, "texts by id (labels, or answers to questions)")
    golds, articles, paragraphs = _questions(dataset)
    systems = {name: _answers(path) for name, path in paths.items()}
    groups = {"article": articles, "paragraph": paragraphs}
    description = f"answers to the {len(golds)} questions of {dataset} (SQuAD): {listed(list(paths))}"
    return assembled(systems, golds, groups, clusters, on_missing, metric="qa_f1", description=description)


def _answers(path: Path) -> dict[str, str]:
    answers = _json(path)
    if not isinstance(answers, dict) or not answers:
        raise InvalidInputError(
            f"{path}: expected one JSON object of question id to answer, got {_short(answers)}",
            hint='predictions of SQuAD look like {"56be4db0acb8001400a502ec": "Denver Broncos", ...}',
        )
    for key, answer in answers.items():
        if not isinstance(answer, str):
            raise InvalidInputError(
                f"{path}: the answer to question {_short(key)} must be a text, got {_short(answer)}",
                hint="an empty text means that there is no answer",
            )
    return answers


def _questions(path: Path) -> tuple[dict[str, tuple[str, ...]], dict[str, str], dict[str, str]]:
    """Return the right answers of every question, its article and its paragraph."""
    golds: dict[str, tuple[str, ...]] = {}
    articles: dict[str, str] = {}
    paragraphs: dict[str, str] = {}
    whole = _json(path)
    for a, article in enumerate(_list(whole, "data", str(path))):
        at_article = f"{path}: data[{a}]"
        for p, paragraph in enumerate(_list(article, "paragraphs", at_article)):
            at_paragraph = f"{at_article}.paragraphs[{p}]"
            for q, question in enumerate(_list(paragraph, "qas", at_paragraph)):
                where = f"{at_paragraph}.qas[{q}]"
                key = _text(question, "id", where)
                if key in golds:
                    raise InvalidInputError(
                        f"{where}: question {key!r} occurs twice",
                        hint="every question needs an id of its own",
                    )
                golds[key] = tuple(_right(question, where))
                # Titles may be shared or missing: articles and paragraphs are numbered.
                articles[key], paragraphs[key] = f"article {a + 1}", f"article {a + 1}, paragraph {p + 1}"
    if not golds:
        raise InvalidInputError(f"{path} holds no question", hint="give the dataset, not predictions")
    return golds, articles, paragraphs


def _right(question: Any, where: str) -> Iterator[str]:
    if question.get("is_impossible") is True:
        return
    for place, answer in enumerate(_list(question, "answers", where)):
        yield _text(answer, "text", f"{where}.answers[{place}]")


def _value(record: Any, key: str, where: str, kind: type, expected: str) -> Any:
    value = record.get(key) if isinstance(record, dict) else None
    if not isinstance(value, kind):
        raise InvalidInputError(
            f"{where} must have {key!r}, {expected}, got {_short(value)}",
            hint="the gold is a dataset in the form of SQuAD: data, paragraphs, qas, answers",
        )
    return value


_list = functools.partial(_value, kind=list, expected="a list")
_text = functools.partial(_value, kind=str, expected="a text")


def _json(path: Path) -> Any:
    text = unpacked(path, kind_of(readable_file(path)).compression)
    return parsed(text, str(path))


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
