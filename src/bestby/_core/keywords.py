"""Public functions that say which keyword was meant, where they are given one that they do not have."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from bestby._core.checks import flag, text, whole
from bestby._core.errors import UnknownKeywordError
from bestby._core.paths import checked_path
from bestby._core.synonyms import meant, meant_of_compare

F = TypeVar("F", bound=Callable[..., Any])

_BESIDE_COMPARE = ("advise", "evaluate")
"""Functions that are asked for what only `compare` does."""

_SLICES_OF_JUDGED = (
    'bias_by="language" tells whether the judge errs differently on some languages; for the corrected scores'
    " of one of them give its rows alone"
)

_MOST_NAMES = 8

_PLAIN: dict[str, Callable[[Any, str], object]] = {
    "bool": flag,
    "bool | None": flag,
    "str": text,
    "str | None": text,
    "int": whole,
    "int | None": whole,
    "str | Path": checked_path,
    "str | Path | None": checked_path,
}
"""What checks an argument, by its annotation."""


def with_suggestions(function: F) -> F:
    """Return the function or class, which refuses what its signature does not have.

    An unknown keyword is answered with the one that was probably meant. Arguments that are annotated as a
    truth value, a whole number, a text or a path are checked here, once for all functions.
    """
    if isinstance(function, type):
        function.__init__ = with_suggestions(function.__init__)  # type: ignore[misc]
        return cast("F", function)
    names = _parameters(function)
    known = frozenset(names)
    takes_any = bool(function.__code__.co_flags & inspect.CO_VARKEYWORDS)
    kinds = {name: str(kind) for name, kind in function.__annotations__.items() if str(kind) in _PLAIN}

    @wraps(function)
    def called(*args: Any, **keywords: Any) -> Any:
        if not (takes_any or keywords.keys() <= known):
            word = next(word for word in keywords if word not in known)
            raise unknown_keyword(function, word, keywords[word])
        for name, value in (*zip(names, args, strict=False), *keywords.items()):
            if name in kinds and not (value is None and kinds[name].endswith("None")):
                _PLAIN[kinds[name]](value, name)
        return function(*args, **keywords)

    return cast("F", called)


def unknown_keyword(function: Callable[..., Any], word: str, value: object = None) -> UnknownKeywordError:
    """Return the error for a keyword that a function does not have, and the value that it was given."""
    named = [name for name in _parameters(function) if name != "self"]
    name = function.__qualname__.removesuffix(".__init__")
    other = meant(word, value, {one: _words(function, one) for one in named})
    close = [other] if other else difflib.get_close_matches(word, named, n=1, cutoff=0.7)
    question = f"; did you mean {close[0]}?" if close else ""
    more = f" and {len(named) - _MOST_NAMES} more" if len(named) > _MOST_NAMES else ""
    hint = f"it takes {', '.join(named[:_MOST_NAMES])}{more}: see help(bestby.{name})"
    other = meant_of_compare(word, value)
    if name in _BESIDE_COMPARE and other and not close:
        hint = f"compare takes {other}"
    elif name == "compare_judged" and word in ("by", "slices"):
        question, hint = "", _SLICES_OF_JUDGED
    elif close:
        hint = f"help(bestby.{name}) describes it"
    return UnknownKeywordError(f"{name}() has no parameter {word!r}{question}", hint, argument=word)


def _words(function: Callable[..., Any], parameter: str) -> tuple[object, ...]:
    """Return the words that a parameter takes, as its type lists them; none if it lists no words."""
    try:
        hints = [get_type_hints(function).get(parameter)]
    except NameError:  # a type that only type checkers import
        return ()
    words: list[object] = []
    for hint in hints:  # grows: the types of a union, and of the union of these
        if get_origin(hint) is Literal:
            words += get_args(hint)
        else:
            hints += get_args(hint)
    return tuple(words)


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
