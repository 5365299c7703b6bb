"""Public functions that say what was meant, where they are called with arguments that they do not have."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from bestby._core.checks import flag, single, text
from bestby._core.errors import BestbyError, UnknownAttributeError, UnknownKeywordError, WrongCallError
from bestby._core.hints import SETTING_WITH_VALUE, meant, meant_of_compare
from bestby._core.paths import checked_path
from bestby._core.text import counted, quoted

F = TypeVar("F", bound=Callable[..., Any])

_RECORDS = {
    "resampling=bestby.Resampling": "n_jobs progress executor cache resample_size rescale",
    "reading=bestby.Reading": "ignore system_column value_column classes normalise annotators",
}

MOVED = {
    **{name: f"{record}({name}={{}})" for record, names in _RECORDS.items() for name in names.split()},
    "greater_is_better": 'metric=bestby.ScoreMetric("score", greater_is_better={})',
    "lower_is_better": 'metric=bestby.ScoreMetric("score", greater_is_better=False)',
    "blocks": "clusters=bestby.Blocks({})",
    "simultaneous": 'correction="simultaneous"',
}
"""Keywords of earlier versions, and where each is given now, if a function has that: {} is the value."""

_BESIDE_COMPARE = ("advise", "evaluate")
"""Functions that are asked for what only `compare` does."""

_SLICES_OF_JUDGED = (
    'bias_by="language" tells whether the judge errs differently on some languages; for the corrected scores'
    " of one of them give its rows alone"
)

_MOST_NAMES = 8
"""Parameters that a hint lists: a line of them."""

_OTHER_NAMES = 'result.labelled({"f1_macro": "Macro-F1"}) is the result with other names in all that is shown'

_UNNAMED = ("self", "cls")

_PLAIN: dict[str, Callable[[Any, str], object]] = {
    kind + none: check
    for kind, check in (("bool", flag), ("str", text), ("int", single), ("str | Path", checked_path))
    for none in ("", " | None")
}
"""What checks an argument, by its annotation."""


def with_suggestions(function: F) -> F:
    """Return the function or class, which refuses what its signature does not have.

    An unknown keyword is answered with the one that was probably meant, too many arguments by position and
    missing ones with how the function is called. Arguments that are annotated as a truth value, a
    number, a text or a path are checked here, once for all functions.
    """
    if isinstance(function, type):
        function.__init__ = with_suggestions(function.__init__)  # type: ignore[misc]
        return cast("F", function)
    names = _parameters(function)
    allowed = frozenset(names)
    moved = _moved(names)
    takes_any = bool(function.__code__.co_flags & inspect.CO_VARKEYWORDS)
    by_position, required = _by_position(function), _required(function)
    kinds = {name: str(kind) for name, kind in function.__annotations__.items() if str(kind) in _PLAIN}

    @wraps(function)
    def called(*args: Any, **keywords: Any) -> Any:
        for word in keywords:
            if word in moved or not (takes_any or word in allowed):
                raise unknown_keyword(function, word, keywords[word])
        placed = by_position[: len(args)]
        if len(args) > len(by_position) or any(name in keywords for name in placed):
            raise _too_many(function, args, keywords)
        if any(name not in keywords and name not in placed for name in required):
            raise _too_few(function, placed, keywords)
        for name, value in (*zip(names, args, strict=False), *keywords.items()):
            if name in kinds and not (value is None and kinds[name].endswith("None")):
                _PLAIN[kinds[name]](value, name)
        try:
            return function(*args, **keywords)
        except BestbyError as error:
            error.hint = error.hint and _as_called(error.hint, moved)
            raise

    return cast("F", called)


class Renamed:
    """A record that answers a name that it had once with the one that it has now."""

    __slots__ = ()

    _renamed: ClassVar[Mapping[str, str]] = {}
    """What a name has become, as a hint says it."""

    if not TYPE_CHECKING:  # which would take any name

        def __getattr__(self, name: str) -> Any:
            message = f"a {type(self).__name__} has no attribute {name!r}"
            raise UnknownAttributeError(message, self._renamed.get(name))


def unknown_keyword(function: Callable[..., Any], word: str, value: object = None) -> UnknownKeywordError:
    """Return the error for a keyword that a function does not have, and the value that it was given."""
    function = inspect.unwrap(function)
    named = [name for name in _parameters(function) if name not in _UNNAMED]
    name = _name(function)
    moved, words = _moved(named), {one: _words(function, one) for one in named}
    if "simultaneous" not in words.get("correction", ()):
        moved.pop("simultaneous", None)
    words |= dict.fromkeys(moved, ())
    other = word if word in moved else meant(word, value, words)
    close = [other] if other else difflib.get_close_matches(word, [*moved, *named], n=1, cutoff=0.7)
    if close and close[0] in moved:
        place = moved[close[0]].format(quoted(value) if isinstance(value, int | float | str) else "...")
        message = f"{name}() has no parameter {word!r}: it is given in {place.partition('=')[0]}"
        return UnknownKeywordError(message, place, argument=word)
    if word == "labels":
        return UnknownKeywordError(f"{name}() has no parameter 'labels'", _OTHER_NAMES, argument=word)
    question = f"; did you mean {close[0]}?" if close else ""
    more = f" and {len(named) - _MOST_NAMES} more" if len(named) > _MOST_NAMES else ""
    hint = f"it takes {', '.join(named[:_MOST_NAMES])}{more}: see help(bestby.{name})"
    other = meant_of_compare(word, value)
    if name in _BESIDE_COMPARE and other and not close:
        hint = f"compare takes {other}"
    elif name == "compare_judged" and word in ("by", "slices"):
        question, hint = "", _SLICES_OF_JUDGED
    elif word == "alpha" and close == ["level"]:
        hint = f"level={1 - value:g} is 1 - alpha" if isinstance(value, float) else "level is 1 - alpha"
    elif close:
        hint = f"help(bestby.{name}) describes it"
    return UnknownKeywordError(f"{name}() has no parameter {word!r}{question}", hint, argument=word)


def _too_many(
    function: Callable[..., Any], args: tuple[Any, ...], keywords: Mapping[str, Any]
) -> WrongCallError:
    """Return the error for more arguments by position than there are, or one that is a keyword as well."""
    by_position = [name for name in _by_position(function) if name not in _UNNAMED]
    placed = args[len(_by_position(function)) - len(by_position) :]
    name = _name(function)
    twice = next((one for one in by_position[: len(placed)] if one in keywords), None)
    if twice is not None:
        return WrongCallError(
            f"{name}() has {twice} twice: by position, and as {twice}=...", "leave one out", argument=twice
        )
    named = [one for one in _parameters(function) if one not in _by_position(function)]
    needed = [one for one in named if one in _required(function)]
    hint = f"see help(bestby.{name})"
    if named:
        hint = f"name the others: {', '.join(f'{one}=...' for one in needed or named[:1])}"
    if by_position[:2] == ["data", "gold"]:
        hint = f'all systems are one mapping: {name}({{"a": ..., "b": ...}}, gold); {hint}'
    takes = f"{counted(len(by_position), 'argument')} by position ({', '.join(by_position)})"
    return WrongCallError(
        f"{name}() takes {takes if by_position else 'no arguments by position'}, got {len(placed)}", hint
    )


def _too_few(
    function: Callable[..., Any], placed: Sequence[str], keywords: Mapping[str, Any]
) -> WrongCallError:
    """Return the error for arguments that a function needs and was not called with."""
    absent = [one for one in _required(function) if one not in keywords and one not in placed]
    name = _name(function)
    more = [f"{one}=..." for one in _required(function) if one not in _UNNAMED]
    return WrongCallError(
        f"{name}() needs {' and '.join(absent)}",
        f"call it as {name}({', '.join(more)}); help(bestby.{name}) describes it",
        argument=absent[0],
    )


def _moved(names: Sequence[str]) -> dict[str, str]:
    """Return the keywords that functions with these parameters do not have any more, and where they are."""
    return {
        word: place for word, place in MOVED.items() if word not in names and place.partition("=")[0] in names
    }


def _as_called(hint: str, moved: Mapping[str, str]) -> str:
    """Return a hint with the settings that have moved in their records.

    >>> _as_called("name both: system_column=... and value_column='acc'", MOVED)
    "name both: reading=bestby.Reading(system_column=..., value_column='acc')"
    """
    hint = SETTING_WITH_VALUE.sub(
        lambda one: moved[one[1]].format(one[2]) if one[1] in moved else one[0], hint
    )
    return hint.replace(") and reading=bestby.Reading(", ", ")


def _name(function: Callable[..., Any]) -> str:
    return function.__qualname__.removesuffix(".__init__")


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


def _by_position(function: Callable[..., Any]) -> tuple[str, ...]:
    return function.__code__.co_varnames[: function.__code__.co_argcount]


def _required(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the parameters without a default."""
    by_position, optional = _by_position(function), {*(function.__kwdefaults__ or ())}
    optional |= {*by_position[len(by_position) - len(function.__defaults__ or ()) :]}
    return tuple(name for name in _parameters(function) if name not in optional)
