"""JSON texts: one way to read them, with the place of what is wrong."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted

CUT_OFF = "the file is damaged or cut off: copy it again"

_DECODER = json.JSONDecoder()


def once(where: str) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    """Return what makes an object of its pairs for `parsed`, and refuses one that has a key twice."""

    def record_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) < len(pairs):
            (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
            raise InvalidInputError(
                f"{where}: the key {quoted(twice)} occurs twice in one object", hint="keep one of the two"
            )
        return record

    return record_of


def parsed(
    text: str | bytes,
    where: str,
    line: int | None = None,
    *,
    pairs_hook: Callable[..., Any] | None = None,
    hint: str = CUT_OFF,
) -> Any:
    """Return the value of a JSON text, which may be one line of a file."""
    if pairs_hook is None:
        with contextlib.suppress(ValueError, RecursionError):  # which are told below
            # `json.loads` guesses the encoding of bytes first, which takes as long again as a short line.
            letters = text if isinstance(text, str) else text.decode()
            value, end = _DECODER.raw_decode(letters)
            if end == len(letters):
                return value
    place = where if line is None else f"{where}, line {line}"
    try:
        return json.loads(text, object_pairs_hook=pairs_hook)
    except json.JSONDecodeError as error:
        message = f"{where}, line {line or error.lineno}: not JSON: {error.msg} (character {error.colno})"
        raise InvalidInputError(message, hint=hint) from error
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{where}: not UTF-8 text", hint="save the file as UTF-8") from error
    except InvalidInputError:
        raise
    except (RecursionError, ValueError) as error:  # nested too deeply; an integer of thousands of digits
        raise InvalidInputError(f"{place}: not JSON that can be read: {error}", hint=hint) from error
