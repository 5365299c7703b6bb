"""Public functions that say which keyword was meant, where they are given one that they do not have."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from bestby._core.errors import UnknownKeywordError

F = TypeVar("F", bound=Callable[..., Any])

_MEANT = {
    "seed": "rng",
    "random_state": "rng",
    "method": "interval",
    "metrics": "metric",
    "alpha": "level",
    "confidence": "level",
    "confidence_level": "level",
    "workers": "n_jobs",
    "bootstraps": "n_resamples",
    "bootstrap_samples": "n_resamples",
    "iterations": "n_resamples",
    "n_boot": "n_resamples",
    "n_bootstrap": "n_resamples",
    "n_bootstraps": "n_resamples",
    "n_iter": "n_resamples",
    "n_iters": "n_resamples",
    "n_iterations": "n_resamples",
    "n_loops": "n_resamples",
    "n_permutations": "n_resamples",
    "n_samples": "n_resamples",
    "n_trials": "n_resamples",
    "num_iterations": "n_resamples",
    "sampling": "n_resamples",
    "lower_is_better": "greater_is_better",
    "item": "items",
    "cluster": "clusters",
    "stratum": "strata",
    "system": "systems",
}
"""Keywords of other libraries and of the command line, and ours."""

COUNTERPARTS: dict[str, dict[str, str]] = {}
"""Of arguments, their values and what other libraries call these; `bestby.vocabulary` fills it."""

OF_COMPARE: dict[str, Collection[object]] = dict.fromkeys(
    ("alternative", "baseline", "correction", "level", "margin", "n_resamples", "rng", "test"), ()
)
"""What only `compare` does, with the values that are words, which `bestby.vocabulary` fills in."""

_BESIDE_COMPARE = ("advise", "evaluate")
"""Functions that are asked for what only `compare` does."""

_MOST_NAMES = 8


def with_suggestions(function: F) -> F:
    """Return the function or class; an unknown keyword is answered with the one that was probably meant."""
    if isinstance(function, type):
        function.__init__ = with_suggestions(function.__init__)  # type: ignore[misc]
        return cast("F", function)
    known = frozenset(_parameters(function))

    @wraps(function)
    def called(*args: Any, **keywords: Any) -> Any:
        if not keywords.keys() <= known:
            word = next(word for word in keywords if word not in known)
            raise unknown_keyword(function, word, keywords[word])
        return function(*args, **keywords)

    return cast("F", called)


def counterpart(value: str, argument: str, allowed: Collection[object]) -> str | None:
    """Return the value of an argument that other libraries call so; None if there is none.

    >>> import bestby.vocabulary
    >>> counterpart("t_test", "test", ["permutation", "t"]), counterpart("fdr", "test", ["permutation"])
    ('t', None)
    """
    word = re.sub("[ _]+", "-", value.strip().lower())
    others = COUNTERPARTS.get(argument, {})
    return next((ours for ours, words in others.items() if ours in allowed and word in words.split()), None)


def meant(word: str, value: object, named: Mapping[str, Collection[object]]) -> str | None:
    """Return the argument that a keyword of another library stands for, or ours and its value.

    `named` are the arguments that can be given, each with its values, or with none if these are not words.

    >>> import bestby.vocabulary
    >>> meant("n_loops", 1000, {"n_resamples": ()}), meant("use_chi2", True, {"test": ["mcnemar"]})
    ('n_resamples', 'test="mcnemar"')
    >>> meant("method", "bias_corrected", {"interval": ["bca"]}), meant("sign", True, {"test": ["sign"]})
    ('interval="bca"', 'test="sign"')
    """
    other, plain = _MEANT.get(word), word.removeprefix("use_")
    by_value = isinstance(value, str) and other in (None, "interval", "n_resamples")
    if other in named and not by_value:
        return other
    for one in (value, plain) if by_value else (plain,):
        for argument in [name for name in COUNTERPARTS if name in named]:
            known = one if one in named[argument] else counterpart(str(one), argument, named[argument])
            if known is not None:
                return f'{argument}="{known}"'
    return other if other in named else None


def meant_of_compare(word: str, value: object = None) -> str | None:
    """Return what `compare` has, and functions beside it do not, in place of a keyword."""
    return word if word in OF_COMPARE else meant(word, value, OF_COMPARE)


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
