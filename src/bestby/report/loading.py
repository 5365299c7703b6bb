"""Results as plain data that give back an equal result, and the way back.

A record becomes a dictionary of its fields, with the name of its class under ``"class"``, which cannot be the
name of a field. What JSON does not know becomes such a dictionary, too: mappings, lists (those of JSON stand
for tuples), arrays, and numbers that are infinite or NaN.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core.errors import BestbyError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.paths import readable_file
from bestby._core.text import path_text, quoted

FORMAT = 1
"""The version of what `encoded` returns; to be raised when a later version cannot read it."""

DESIGNS = {
    "FacetedScores", "JudgedScores", "LiftedScores", "PairedScores", "RunsAndItems", "PairedProportions",
}  # fmt: skip
"""The designs of plans that are made again from their fields."""

RENAMED = {"EqualBias": {"favoured": "helped"}}
"""Fields that version 0.2.0 wrote under other names."""


@with_suggestions
def load(source: str | Path | Mapping[str, Any]) -> Any:
    """Read a result that was written with `to_json`.

    The result is equal to the one that was written, and shows the same report and tables. No number is
    computed again.

    Parameters
    ----------
    source : str, Path or dict
        The path of a JSON file, the JSON itself, or what `to_dict` returned.

    Returns
    -------
    Comparison, RunsComparison, DatasetComparison, Plan, ...
        A result of the class that was written. Only the file says which that is, so type checkers see Any.

    Raises
    ------
    InvalidInputError
        If there is no such file, it is not a result of bestby, it was written by a later version with another
        format, or it is damaged.

    See Also
    --------
    compare : Make a result; `to_json` writes it.

    Notes
    -----
    A plan whose design holds a pilot has a `StoredDesign` afterwards, which knows all assumptions and cannot
    compute the power at other sizes.

    Examples
    --------
    >>> import bestby as bb
    >>> result = bb.compare({"new": [1, 1, 0, 1, 1, 1], "old": [1, 0, 0, 1, 0, 1]})
    >>> bb.load(result.to_json()) == result
    True
    """
    document = _document(source)
    kind, version, record = (document.get(key) for key in ("kind", "format", "record"))
    if not isinstance(kind, str) or not isinstance(record, dict):
        raise InvalidInputError(
            "this JSON is not a result of bestby: it has no 'kind' or no 'record'",
            hint="load what to_json() or --json has written; earlier versions wrote no 'record'",
        )
    if version != FORMAT:
        raise InvalidInputError(
            f"the result is written in format {quoted(version)}, and this version of bestby reads {FORMAT}",
            hint="update bestby, or load it with the version that has written it",
        )
    if record.get("class") != kind:
        raise InvalidInputError(
            f"the kind of this result is {quoted(kind)}, but its record is a {quoted(record.get('class'))}",
            hint="write the file again with to_json()",
        )
    try:
        return decoded(record)
    except (BestbyError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InvalidInputError(
            f"the record of this {kind} is damaged: {_damage(error)}",
            hint="write the file again with to_json()",
        ) from error


def _damage(error: Exception) -> str:
    """Return what is wrong with a record; of an error of Python's own only its kind is known."""
    if isinstance(error, BestbyError):
        return error.message
    if isinstance(error, KeyError):
        return f"it has no {quoted(error.args[0])} where one was written"
    return "a value in it is not of the form that was written"


def _document(source: str | Path | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(source, Mapping):
        return source
    if not isinstance(source, str | Path):
        raise InvalidInputError(
            f"a result is loaded from a path, JSON text or a dictionary, got {type(source).__name__}",
            hint="load('result.json')",
        )
    stripped = source.strip() if isinstance(source, str) else ""
    is_json = stripped.startswith("{") or (stripped.startswith("[") and stripped.endswith("]"))
    text = str(source) if is_json else None
    try:
        if text is None:
            text = readable_file(source).read_text(encoding="utf-8-sig")
        document = json.loads(text)
    except ValueError as error:
        if isinstance(error, BestbyError):
            raise
        what = "the text" if is_json else path_text(source)
        raise InvalidInputError(
            f"{what} is not JSON, or it is cut off: {error}", hint="load what to_json() or --json has written"
        ) from error
    return document if isinstance(document, dict) else {}


def encoded(value: Any) -> Any:
    """Return a value as dictionaries, lists, texts, finite numbers, booleans and None."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        plain = float(value)
        return plain if math.isfinite(plain) else {"class": "float", "value": repr(plain)}
    if isinstance(value, tuple):
        return [encoded(item) for item in value]
    own_test = callable(getattr(value, "test", None))  # a function, which no file holds
    if hasattr(value, "assumed_words") and (own_test or type(value).__name__ not in DESIGNS):
        value = _class_of("StoredDesign").of(value)
    if is_dataclass(value) and not isinstance(value, type):
        stored = {
            field.name: encoded(getattr(value, field.name))
            for field in fields(value)
            if field.init
            and not field.name.startswith("_")  # private ones are of this session, not the result
        }
        return {"class": type(value).__name__, **stored}
    if isinstance(value, Mapping):
        return {"class": "dict", "items": [[encoded(key), encoded(item)] for key, item in value.items()]}
    if isinstance(value, list):
        return {"class": "list", "items": [encoded(item) for item in value]}
    if isinstance(value, np.generic):
        return encoded(value.item())
    if hasattr(value, "__array__"):
        return _encoded_array(np.asarray(value))
    return str(value)


def _encoded_array(values: np.ndarray[Any, Any]) -> dict[str, Any]:
    flat = values.ravel()
    finite = flat.dtype.kind != "f" or bool(np.isfinite(flat).all())
    if not finite and np.isnan(flat).all():
        flat = flat[:1]  # what was not computed, such as the p-values of thousands of pairs, is written once
    items = flat.tolist() if finite else [encoded(item) for item in flat.tolist()]
    return {"class": "array", "dtype": values.dtype.str, "shape": list(values.shape), "items": items}


def decoded(value: Any, records: Mapping[str, type] | None = None) -> Any:
    """Return what `encoded` was given; `records` are classes by their names, beside those of results."""
    if isinstance(value, list):
        return tuple(decoded(item, records) for item in value)
    if not isinstance(value, dict):
        return value
    name = value["class"]
    if name == "float":
        return float(value["value"])
    if name == "dict":
        return {decoded(key, records): decoded(item, records) for key, item in value["items"]}
    if name == "list":
        return [decoded(item, records) for item in value["items"]]
    if name == "array":
        array = np.array(decoded(value["items"]), dtype=value["dtype"])
        if array.size == 1:
            array = np.repeat(array, math.prod(value["shape"]))
        array = array.reshape(value["shape"])
        array.flags.writeable = False
        return array
    now = RENAMED.get(name, {})
    stored: dict[str, Any] = {
        now.get(key, str(key)): decoded(item, records) for key, item in value.items() if key != "class"
    }
    kind: Any = records[name] if records and name in records else _class_of(name)
    parameters = signature(kind).parameters
    unknown = [field for field in stored if field not in parameters]
    absent = [one.name for one in parameters.values() if one.default is one.empty and one.name not in stored]
    if unknown or absent:
        what = "has an unknown field" if unknown else "lacks the field"
        raise InvalidInputError(f"a {name} in it {what} {quoted((unknown or absent)[0])}")
    return kind(**stored)


def _class_of(name: str) -> Any:
    from bestby import planning, results

    if name in DESIGNS:
        return getattr(planning, name)
    if name not in results.__all__:
        raise InvalidInputError(f"there is no class of results {quoted(name)}")
    return getattr(results, name)
