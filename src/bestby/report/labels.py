"""Names of systems, metrics and datasets as readers see them; data keep the names that came in."""

from __future__ import annotations

import dataclasses
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted, shortened, suggestion
from bestby.report.percent import NAMED
from bestby.results.base import MetricInfo, Note
from bestby.vocabulary.notes import NOTES

_FIELDS = frozenset(
    (
        "a", "about", "annotator", "b", "baseline", "baselines", "behind", "candidate", "column", "columns",
        "cost", "costs", "datasets", "dominated_by", "found", "helped", "highest", "judge", "lowest",
        "metric", "metrics", "names", "part", "published", "slice", "system", "systems",
    )
)  # fmt: skip
"""The fields of results that hold names of what was compared."""

_WITHOUT = ("Advice", "Flip", "Provenance")
"""Records in which such fields, or the keys of mappings, hold something else."""


class Label(str):
    """A name as it is shown, which knows the name that it stands for."""

    __slots__ = ("name",)

    name: str


def checked(result: Any, labels: Mapping[str, str]) -> dict[str, str]:
    """Return labels if each is of a name in the result, and no two names are shown alike."""
    if not isinstance(labels, Mapping):
        raise InvalidInputError(
            f"labels must be a dictionary of names and what is shown for them, got {quoted(labels)}",
            hint='{"f1_macro": "Macro-F1"}',
            argument="labels",
        )
    names: dict[str, str] = {}
    _renamed(result, lambda name: names.setdefault(name, name), lambda note: note.message)
    shown: dict[str, str] = {}
    for name in names | dict.fromkeys(labels):
        if name not in names:
            raise InvalidInputError(
                f"labels has {quoted(name)}, which is no name in this result{suggestion(str(name), names)}",
                hint=f"names: {shortened(', '.join(names))}" if names else "leave out labels",
                argument="labels",
            )
        label = checks.check_text(checks.text(labels.get(name, name), "a label"), "a label")
        if not label.strip() or label in shown:
            other = f"{quoted(shown[label])} and {quoted(name)} alike" if label in shown else quoted(name)
            raise InvalidInputError(
                f"labels shows {other} as {quoted(label)}",
                hint="give each name a label of its own",
                argument="labels",
            )
        shown[label] = name
    return dict(labels)


def applied(result: Any, labels: Mapping[str, str]) -> Any:
    """Return a result in which names are replaced by labels, also those of metrics in percent."""
    called: dict[str, Label] = {}
    for name, shown in labels.items():
        for unit in ("", NAMED):
            label = called[name + unit] = Label(shown + unit)
            label.name = name
    changes: dict[str, Any] = {"_labels": None}
    if (items := getattr(result, "_items", None)) is not None:
        changes["_items"] = items.called(called)
    changed = _renamed(result, lambda name: called.get(name, name), _in_sentences(labels))
    return dataclasses.replace(changed, **changes)


def _in_sentences(labels: Mapping[str, str]) -> Callable[[Note], str]:
    """Return what replaces names in notes.

    A name that could be a word of English must be quoted, or be no word of notes where the note is about it.
    """
    words = {*re.findall(r"\w+", " ".join(NOTES.values()).lower())}

    def said(note: Note) -> str:
        patterns = [
            rf"'{re.escape(name)}'"
            if name.isalpha() and name.islower() and (name in words or name not in note.about)
            else rf"(?<!\w){re.escape(name)}(?!\w)"
            for name in sorted(labels, key=len, reverse=True)
        ]
        return re.sub("|".join(patterns) or r"(?!)", shown, note.message)

    def shown(match: re.Match[str]) -> str:
        return labels[match[0]] if match[0] in labels else f"'{labels[match[0][1:-1]]}'"

    return said


def _renamed(
    value: Any, called: Callable[[str], str], said: Callable[[Note], str], *, names: bool = False
) -> Any:
    """Return a value with its names as they are called; `names` says that its texts are names."""
    if isinstance(value, str):
        return called(value) if names else value
    if isinstance(value, tuple):
        parts = tuple(_renamed(part, called, said, names=names) for part in value)
        return value if all(map(operator.is_, parts, value)) else parts
    if isinstance(value, Mapping) and not dataclasses.is_dataclass(value):
        return {
            _renamed(key, called, said, names=True): _renamed(one, called, said) for key, one in value.items()
        }
    if not dataclasses.is_dataclass(value) or type(value).__name__ in _WITHOUT:
        return value
    named = _FIELDS | {"name"} if isinstance(value, MetricInfo) else _FIELDS
    changes = {
        field.name: new
        for field in dataclasses.fields(value)
        if field.init and not field.name.startswith("_")
        if (old := getattr(value, field.name)) is not None
        if (new := _renamed(old, called, said, names=field.name in named)) is not old
    }
    if isinstance(value, Note):
        changes["message"] = said(value)
    return dataclasses.replace(value, **changes) if changes else value  # type: ignore[type-var]
