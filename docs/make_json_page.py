"""Make reference/json.md: the keys in the JSON of every kind of result, from their schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from generated_pages import write_or_check
from make_columns_page import SENTENCE, SHARED_NAMES

PAGE = Path(__file__).resolve().parent / "reference" / "json.md"
SCHEMA = PAGE.with_name("result.schema.json")

BEGIN = """# JSON of results

<!-- docs/make_json_page.py writes this from result.schema.json, and that is written from results. -->

What `result.to_json()` and `--json` write, for other programs: the keys of every kind of result. They are
stable: in later versions a key stays and has the same type, and there may be more. Programs have to pass over
keys that they do not know.

A key without a type is a number, which is null if it is undefined or infinite. An optional key is there only
if it was computed or asked for: intervals, tests, the best of three or more systems. [Columns](columns.md)
say what the columns of tables show, and [the results](results.md) what the attributes mean; `bb.load` reads
`record` alone. [result.schema.json](result.schema.json) is a JSON Schema (draft 2020-12) of all this, made
from results of every kind.

"""

WORDS = {"integer": "integer", "string": "text", "boolean": "true or false", "number": ""}


def about(schema: dict[str, Any]) -> str:
    """Return the type of a key in words."""
    types = {*schema.get("type", ())}
    if "array" in types:
        items = schema.get("items", {})
        if "properties" in items:
            return f"list: {keys(items)}"
        return f"list of {about(items) or 'numbers'}" if items else "list"
    if "object" in types:
        return f"object: {keys(schema)}" if "properties" in schema else "object, its keys are names"
    if not types:
        return "null in all examples"
    words = " or ".join(filter(None, (WORDS[one] for one in sorted(types - {"null"}))))
    return f"{words} or null" if words and "null" in types else words


def keys(schema: dict[str, Any]) -> str:
    """Return the keys of an object with their types, those of all tables of its sort in a few words."""
    properties, begin = schema["properties"], []
    for what, usual in SHARED_NAMES.items():
        if usual <= properties.keys():
            begin = [SENTENCE[what].replace("(#", "(columns.md#")]
            properties = {name: part for name, part in properties.items() if name not in usual}
    return "; ".join([*begin, *(key(name, part, schema) for name, part in properties.items())])


def key(name: str, part: dict[str, Any], schema: dict[str, Any]) -> str:
    """Return a key with its type, and whether it is optional."""
    notes = [about(part), "" if name in schema["required"] else "optional"]
    shown = ", ".join(filter(None, notes))
    return f"`{name}`" + (f" ({shown})" if shown else "")


def section(kind: str, schema: dict[str, Any]) -> str:
    """Return the keys of one kind, one a line."""
    title = "Every result" if kind == "Result" else kind
    lines = [f"- {key(name, part, schema)}" for name, part in schema["properties"].items()]
    return "\n".join([f"## {title}", "", *lines, ""])


def page() -> str:
    """Return the whole page."""
    kinds = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    order = ["Result", *(kind for kind in kinds if kind != "Result")]
    return BEGIN + "\n".join(section(kind, kinds[kind]) for kind in order)


if __name__ == "__main__":
    write_or_check(PAGE, page())
