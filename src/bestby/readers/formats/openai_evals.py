"""Logs of OpenAI evals: what was run, then an event per line, some of which say how a sample was scored.

The events ``match`` and ``metrics`` score their sample: the first as accuracy (the default), the second by
the numbers in it. Evals are datasets. The tokens of the events ``sampling`` are quantities, of all answers on
a sample together: those of a model that grades it count, too.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from bestby.readers.formats._logs import Harness, Sample, Scored, each, holding, lines_in, quantities_of
from bestby.readers.formats.base import File
from bestby.readers.text import check_new, number, numbers, word

recognises = holding(rb'\s*\{\s*"spec"\s*:\s*\{', "completion_fns", "eval_name")
_SCORED = ("match", "metrics")


def _scored(file: File) -> list[Scored]:
    rows = lines_in(file.path)
    spec = rows[0].part("spec")
    functions = spec.get("completion_fns")
    model = word(functions[0]) if isinstance(functions, list) and functions else None
    places: dict[Any, str] = {}
    samples: dict[str, dict[str, float | None]] = {}
    taken: dict[str, Counter[str]] = {}
    for row in rows:
        kind = row.data.get("type")
        item = word(row.data.get("sample_id"))
        if item is None:
            continue
        scores, data = samples.setdefault(item, {}), row.part("data")
        if kind == "sampling":
            taken.setdefault(item, Counter()).update(quantities_of(data))
        if kind not in _SCORED:
            continue
        hint = "the log holds more than one run, or scores a sample several times: keep one"
        check_new(places, (str(kind), item), row.where, f"the score of sample {item!r}", hint)
        scores |= {"accuracy": number(data.get("correct"))} if kind == "match" else numbers(data)
    where = str(file.path)
    listed = [Sample(where, item, scores, quantities=taken.get(item, {})) for item, scores in samples.items()]
    return [Scored.of(file, listed, model, dataset=word(spec.get("eval_name")))]


read = Harness(
    "logs of OpenAI evals", recognises=recognises, scored=each(_scored), main=("accuracy",), items="samples"
).read
