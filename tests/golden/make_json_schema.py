"""The JSON of every kind of result as a JSON Schema, and the script that writes it.

`python -m tests.golden.make_json_schema` adds the keys that results have and the schema lacks. It refuses if
a key that readers rely on is gone or has another type; `--anew` writes the schema from nothing.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tests.golden.example_systems import N, labels
from tests.golden.make_unchanged_numbers import CASES
from tests.golden.numbers_of_results import FirstRows

import bestby as bb
from bestby.report.document import kind_of

FILE = Path(__file__).parents[2] / "docs" / "reference" / "result.schema.json"
FOLDER = Path(__file__).parent / "files_of_0_2_0"
EARLIER = sorted(path for path in FOLDER.glob("*/*.json") if path.name != "baseline.json")
"""Results in files of an earlier version: what is loaded is written as any result."""

TYPES = {
    bool: ["boolean"],
    int: ["integer"],
    float: ["null", "number"],  # null if it is undefined or infinite
    str: ["string"],
    type(None): ["null"],
}

BY_NAME = {"settings", "data", "versions", "design", "scores", "p_values", "p_adjusted"}
"""What holds objects whose keys are names from the data, or settings, beside columns that are declared."""

COMMON = ("kind", "format", "signature", "notes", "provenance", "record")
"""The keys that the JSON of every result has."""

RESULT = "Result"
"""The name of the schema of these keys."""

Schema = dict[str, Any]


@cache
def declared_as_null(kind: type) -> frozenset[str]:
    """Return the fields and properties of a class of records that may be None."""
    found = set()
    for base in kind.__mro__:
        hints = dict(vars(base).get("__annotations__", {}))
        getters = {name: one.fget for name, one in vars(base).items() if isinstance(one, property)}
        hints |= {name: getter.__annotations__.get("return", "") for name, getter in getters.items()}
        found |= {name for name, hint in hints.items() if "None" in str(hint)}
    return frozenset(found)


class Declared(NamedTuple):
    """What is declared of a result: its tables, each with the columns that are always there and those that
    need intervals or tests, and the names of what may be None in its records."""

    tables: dict[str, tuple[set[str], set[str]]]
    nullable: frozenset[str]

    @classmethod
    def of(cls, result: Any, record: str) -> Declared:
        """Return what is declared of a result with such a record in JSON."""
        tables = {}
        for name, rows in kind_of(result).TABLES.items():
            fields = rows.fields(result) if callable(rows.fields) else rows.fields
            always, needy = (
                {one.name for one in fields if bool(one.needs) is needs} for needs in (False, True)
            )
            tables[name] = (always, needy)
        names = set(re.findall(r'"class": "(\w+)"', record)) & {*bb.results.__all__}
        return cls(tables, frozenset().union(*(declared_as_null(getattr(bb.results, one)) for one in names)))


NOTHING = Declared({}, frozenset())


def schema_of(value: Any, declared: Declared, name: str = "") -> Schema:
    """Return the schema of one value; all keys are required but columns that need intervals or tests."""
    if isinstance(value, list):
        items: Schema = {}
        for item in value:
            items = merged(items, schema_of(item, declared, name))
        return {"type": ["array"], **({"items": items} if items else {})}
    if not isinstance(value, dict):
        return {"type": TYPES[type(value)]}
    if name in BY_NAME:
        columns = set.union(*declared.tables.get(name, (set(),)))
        value = {key: item for key, item in value.items() if key in columns}
        if not value:
            return {"type": ["object"]}
    optional = {
        column for always, needy in declared.tables.values() if always <= value.keys() for column in needy
    }
    return {
        "type": ["object"],
        "required": sorted(value.keys() - optional),
        "properties": {
            key: merged(
                schema_of(item, declared, key),
                {"type": ["null"]} if key in declared.nullable and not isinstance(item, list) else {},
            )
            for key, item in value.items()
        },
    }


def merged(one: Schema, other: Schema) -> Schema:
    """Return the schema of whatever fits one of two; a key is required if both require it."""
    if not one or not other:
        return one or other
    types = {*one["type"], *other["type"]}
    found: Schema = {"type": sorted(types - {"integer"} if "number" in types else types)}
    parts = [part for part in (one, other) if "properties" in part]
    if parts:
        found["required"] = sorted(set.intersection(*({*part["required"]} for part in parts)))
        found["properties"] = {}
        for part in parts:
            for name, schema in part["properties"].items():
                found["properties"][name] = merged(found["properties"].get(name, {}), schema)
    if "items" in one or "items" in other:
        found["items"] = merged(one.get("items", {}), other.get("items", {}))
    return found


def schemas_of(result: Any) -> dict[str, Schema]:
    """Return the schemas of what a result writes: of the keys that all have, and of those of its kind."""
    document = json.loads(result.to_json())
    record = json.dumps(document.pop("record"))  # bb.load reads it, and the tests of loading are about it
    common = {key: document.pop(key) for key in COMMON if key in document}
    declared = Declared.of(result, record)
    found = {RESULT: schema_of(common, NOTHING), common["kind"]: schema_of(document, declared)}
    found[RESULT]["required"] = sorted(COMMON)
    found[RESULT]["properties"]["record"] = {"type": ["object"]}
    return found


def in_parts() -> Iterator[Any]:
    """Yield results for which tests or intervals were not asked: what has none is absent or null."""
    chance = np.random.default_rng(1)
    runs = {f"d{i}": {name: chance.random(5) for name in "abc"} for i in range(3)}
    predicted, gold = labels(3)
    systems = {name: np.array(values) for name, values in predicted.items()}
    folds = bb.Evaluation(systems, np.array(gold), strata=np.array([f"f{place % 4}" for place in range(N)]))
    pairs = [("a", "b", "a"), ("b", "c", "c"), ("a", "c", "tie"), ("b", "a", "a")] * 9
    judged = [(f"q{place}", *pair) for place, pair in enumerate(pairs)]
    for settings in ({"test": None}, {"interval": None}):
        yield bb.compare(systems, gold, **settings)
        yield bb.compare_runs(runs["d0"], **settings)
        yield bb.compare_datasets(runs, **settings)
        yield bb.compare_folds(folds, **settings)
        yield bb.compare_preferences(judged, **settings)


def results(cases: Iterable[str] = CASES) -> Iterator[Any]:
    """Yield the results of golden cases, of parts alone, and those in files of an earlier version."""
    for name in cases:
        made = CASES[name]()
        made = made.result if isinstance(made, FirstRows) else made
        if not isinstance(made, dict):
            yield made
    yield from in_parts()
    yield from map(bb.load, EARLIER)


def stored() -> dict[str, Schema]:
    """Return the schema of each kind of result from the file."""
    kinds: dict[str, Schema] = json.loads(FILE.read_text(encoding="utf-8"))["$defs"]
    return kinds


def opened(schema: Schema) -> Schema:
    """Return a schema that allows anything where no result had more than null."""
    if schema.get("type") == ["null"]:
        return {}
    found = dict(schema)
    if "properties" in schema:
        found["properties"] = {name: opened(part) for name, part in schema["properties"].items()}
    if "items" in schema:
        found["items"] = opened(schema["items"])
    return found


def missed(before: Schema, now: Schema, where: str, keys: str = "required") -> list[str]:
    """Return what readers would miss: keys that are gone, and types that are new.

    One result has all keys that are required, and of many one or another has each of the "properties".

    >>> before = {"type": ["object"], "required": ["n"], "properties": {"n": {"type": ["integer"]}}}
    >>> missed(before, schema_of({"n": "many", "more": 1}, NOTHING), "Plan")
    ['Plan.n is now string, and was integer']
    >>> missed(before, schema_of({"more": 1}, NOTHING), "Plan")
    ['Plan.n is gone']
    """
    if not before:
        return []
    found = []
    if merged({"type": before["type"]}, {"type": now["type"]})["type"] != before["type"]:
        found.append(f"{where} is now {', '.join(now['type'])}, and was {', '.join(before['type'])}")
    if "properties" in now and "properties" in before:
        absent = {*before[keys]} - now["properties"].keys()
        found += [f"{where}.{name} is gone" for name in sorted(absent)]
    for name, part in now.get("properties", {}).items():
        found += missed(before.get("properties", {}).get(name, {}), part, f"{where}.{name}", keys)
    return found + missed(before.get("items", {}), now.get("items", {"type": []}), f"{where}[]", keys)


def text_of(kinds: dict[str, Schema]) -> str:
    """Return the file: types and lists of keys on one line each."""
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A result of bestby",
        "$ref": f"#/$defs/{RESULT}",
        "oneOf": [
            {"properties": {"kind": {"const": kind}}, "$ref": f"#/$defs/{kind}"}
            for kind in sorted(kinds)
            if kind != RESULT
        ],
        "$defs": {kind: opened(kinds[kind]) for kind in sorted(kinds)},
    }
    text = json.dumps(document, indent=1)
    for flat in (r"\[[^][{}]*\]", r"\{[^{}]*\}"):
        text = re.sub(flat, lambda found: re.sub(r"\n *", " ", found[0]), text)
    return text + "\n"


def main() -> None:
    """Write the schema."""
    before = {} if "--anew" in sys.argv[1:] else stored()
    now, problems = {}, []
    for result in results():
        for kind, found in schemas_of(result).items():
            problems += missed(before.get(kind, {}), found, kind)
            now[kind] = merged(now.get(kind, {}), found)
    nothing: Schema = {"type": ["object"], "properties": {}}
    for kind, schema in before.items():
        problems += missed(schema, now.get(kind, nothing), kind, "properties")
    kinds = {kind: merged(before.get(kind, {}), found) for kind, found in now.items()}
    if problems:
        sys.exit("\n".join(dict.fromkeys(problems)))
    FILE.write_text(text_of(kinds), encoding="utf-8")


if __name__ == "__main__":
    main()
