"""Names of systems, metrics and datasets as readers see them; data keep the names that came in."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted, shortened, suggestion
from bestby.report.percent import NAMED
from bestby.results.base import MetricInfo, Note, Provenance
from bestby.results.values import Interval, TestResult

_FIELDS = frozenset(
    (
        "a", "b", "baseline", "baselines", "behind", "candidate", "column", "columns", "datasets", "found",
        "helped", "highest", "judge", "lowest", "metric", "metrics", "names", "part", "published", "slice",
        "system", "systems",
    )
)  # fmt: skip
"""The fields of results that hold names of what was compared."""

_WITHOUT = ("Flip", "Advice")
"""Records in which such fields hold something else."""


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
    names = _names(result)
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
    said = _in_sentences(labels)
    changed = _renamed(result, lambda name: called.get(name, name), said)
    items = getattr(result, "_items", None)
    fields: dict[str, Any] = {} if items is None else {"_items": items.called(called)}
    return dataclasses.replace(changed, _labels=None, **fields)


def _names(result: Any) -> dict[str, None]:
    """Return the names in a result, in its order."""
    names: dict[str, None] = {}

    def seen(name: str) -> str:
        names[name] = None
        return name

    _renamed(result, seen, lambda text: text)
    return names


def _in_sentences(labels: Mapping[str, str]) -> Callable[[str], str]:
    """Return what replaces names in sentences, where one that could be a word of English must be quoted."""
    patterns = [
        rf"'{re.escape(name)}'" if name.isalpha() and name.islower() else rf"(?<!\w){re.escape(name)}(?!\w)"
        for name in sorted(labels, key=len, reverse=True)
    ]
    pattern = re.compile("|".join(patterns) or r"(?!)")

    def shown(match: re.Match[str]) -> str:
        return labels[match[0]] if match[0] in labels else f"'{labels[match[0][1:-1]]}'"

    return lambda text: pattern.sub(shown, text)


def _renamed(
    value: Any, called: Callable[[str], str], said: Callable[[str], str], *, names: bool = False
) -> Any:
    """Return a value with its names as they are called; `names` says that its texts are names."""
    if isinstance(value, str):
        return called(value) if names else value
    if isinstance(value, tuple):
        parts = tuple(_renamed(part, called, said, names=names) for part in value)
        return value if all(map(_is, parts, value)) else parts
    if isinstance(value, Note):
        about = tuple(map(called, value.about))
        return dataclasses.replace(value, message=said(value.message), about=about)
    if isinstance(value, MetricInfo):
        return dataclasses.replace(value, name=called(value.name))
    if isinstance(value, Interval | TestResult | Provenance) or type(value).__name__ in _WITHOUT:
        return value
    if dataclasses.is_dataclass(value):
        changes = {
            field.name: new
            for field in dataclasses.fields(value)
            if field.init and not field.name.startswith("_")
            if (old := getattr(value, field.name)) is not None
            if (new := _renamed(old, called, said, names=field.name in _FIELDS)) is not old
        }
        return dataclasses.replace(value, **changes) if changes else value  # type: ignore[type-var]
    if isinstance(value, Mapping):
        return {
            _renamed(key, called, said, names=True): _renamed(one, called, said) for key, one in value.items()
        }
    return value


def _is(one: Any, other: Any) -> bool:
    return one is other
