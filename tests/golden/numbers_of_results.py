"""What must not change of a result: estimates, intervals, p-values, codes of notes and columns of tables."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import bestby as bb

IGNORED = frozenset(
    {"signature", "provenance", "message", "notes", "about", "sentence", "unit", "asked", "design", "record"}
    | {"headline", "question", "read_as", "refusal"}
)
"""Fields in the JSON of a result that are texts or repeat the input. The codes of notes are stored apart."""


class FirstRows:
    """A result of which only the first differences and scores are stored."""

    def __init__(self, result: Any, number: int) -> None:
        self.result = result
        self.number = number


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it, without the ignored fields; NaN and infinity as strings."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items() if key not in IGNORED}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def attributes(record: Any, *names: str) -> dict[str, Any]:
    """Return attributes of a record; nothing if there is no record."""
    return {} if record is None else {name: plain(getattr(record, name)) for name in names}


def codes(notes: Any) -> list[str]:
    """Return the codes of notes, sorted."""
    return sorted(note.code for note in notes)


def difference(d: Any) -> dict[str, Any]:
    """Return the fields of a difference."""
    return {
        **attributes(d, "metric", "a", "b", "estimate", "score_a", "score_b", "p_value", "p_adjusted"),
        **attributes(d, "n_items", "n_differing", "n_clusters", "verdict", "significant", "winner"),
        **attributes(d, "level", "standard_error", "standard_error_method", "greater_is_better"),
        "interval": interval(d.interval),
        "equivalence": interval(d.equivalence_interval),
        "test": significance(d.test),
        "notes": codes(d.notes),
    }


def interval(record: Any) -> dict[str, Any]:
    """Return the fields of an interval."""
    return attributes(record, "low", "high", "level", "method", "exact")


def significance(record: Any) -> dict[str, Any]:
    """Return the fields of a test."""
    names = ("name", "p_value", "alternative", "exact", "method", "error", "n_resamples", "statistic")
    return attributes(record, *names)


def order(record: Any) -> dict[str, Any]:
    """Return the fields of an almost stochastic order."""
    names = ("a", "b", "violation_ratio", "standard_error", "epsilon_min", "level", "n_a", "n_b", "p_value")
    return {
        **attributes(record, *names, "dominant"),
        "test": significance(record.test),
        "notes": codes(record.notes),
    }


def table_names(result: Any) -> list[str]:
    """Return the names of the tables of a result, as the error about an unknown one lists them."""
    with pytest.raises(bb.InvalidInputError) as error:
        result.to_frame("none of them")
    listed = re.search("what must be one of (.*), got", str(error.value))
    assert listed, error.value
    return listed[1].split(", ")


def tables(result: Any) -> dict[str, Any]:
    """Return the columns of every table, and the first row without its texts."""
    frames = {name: result.to_frame(name, backend="pyarrow") for name in table_names(result)}
    return {
        name: {"columns": frame.column_names, "first": [without_texts(row) for row in frame[:1].to_pylist()]}
        for name, frame in frames.items()
    }


def without_texts(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a row that are no texts."""
    return {name: plain(value) for name, value in row.items() if not isinstance(value, str)}


def extract(result: Any) -> dict[str, Any]:
    """Return the numbers of a result, by kind of result."""
    if isinstance(result, FirstRows):
        found = extract(result.result)
        for rows in (found["json"]["systems"], found["json"]["differences"], found["differences"]):
            del rows[result.number :]
        return found
    if isinstance(result, dict):
        return plain(result)
    document = json.loads(result.to_json())
    notes = sorted(note["code"] for note in document["notes"])
    return {
        "kind": document["kind"],
        **numbers(result, document),
        "notes": notes,
        "tables": tables(result),
    }


def numbers(result: Any, document: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers of a result by kind of result; `document` is its JSON."""
    if isinstance(result, bb.StochasticOrder):
        return order(result)
    if isinstance(result, bb.StochasticOrders):
        return {
            "systems": list(result.systems),
            "orders": [order(result.orders[key]) for key in sorted(result.orders)],
            "matrices": attributes(result, "violation_ratio", "epsilon_min", "p_value"),
        }
    if isinstance(result, bb.Normality):
        return {
            **attributes(result, "n", "mean", "std", "skewness", "kurtosis", "tied"),
            "tests": [attributes(one, "name", "statistic", "p_value", "error") for one in result.tests],
        }
    if isinstance(result, bb.Advice):
        return {
            **attributes(result, "test", "interval", "correction"),
            "steps": len(result.path),
            "wrong": len(result.wrong),
        }
    found = {"json": plain(document)}
    if hasattr(result, "differences"):
        found["differences"] = [difference(d) for d in result.differences]
        found["seed"] = result.provenance.seed
    if isinstance(result, bb.RunsComparison):
        found["orders"] = [order(result.orders.orders[key]) for key in sorted(result.orders.orders)]
    return found
