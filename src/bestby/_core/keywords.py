"""Public functions that say which keyword was meant, where they are given one that they do not have."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection
from functools import wraps
from typing import Any, TypeVar, cast

from bestby._core.errors import UnknownKeywordError

F = TypeVar("F", bound=Callable[..., Any])

_MEANT = {
    "seed": "rng",
    "random_state": "rng",
    "metrics": "metric",
    "alpha": "level",
    "confidence": "level",
    "workers": "n_jobs",
    "bootstraps": "n_resamples",
    "lower_is_better": "greater_is_better",
}
"""Keywords of other libraries and of the command line, and ours."""


def with_suggestions(function: F) -> F:
    """Return the function; an unknown keyword is answered with the one that was probably meant."""
    code = function.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @wraps(function)
    def called(*args: Any, **keywords: Any) -> Any:
        if not keywords.keys() <= set(known):
            raise _unknown(function.__name__, next(word for word in keywords if word not in known), known)
        return function(*args, **keywords)

    return cast("F", called)


def _unknown(function: str, word: str, known: Collection[str]) -> UnknownKeywordError:
    named = [name for name in known if name != "self"]
    meant = _MEANT.get(word)
    close = [meant] if meant in named else difflib.get_close_matches(word, named, n=1, cutoff=0.7)
    question = f"; did you mean {close[0]}?" if close else ""
    hint = f"{function} takes {', '.join(named)}"
    return UnknownKeywordError(f"{function}() has no parameter {word!r}{question}", hint=hint)
