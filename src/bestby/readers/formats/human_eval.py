"""Results of HumanEval and EvalPlus: what tests said of the programs that were written for each problem.

Several programs for a problem are its runs, so that ``pass@k`` can be computed of them. HumanEval writes a
line per program (``passed``); EvalPlus one object, with the tests of the benchmark (``base``) and these with
its own (``plus``, the default). The file does not tell its system, which is called as the file is.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bestby.readers.formats._logs import Fields, Harness, any_of, holding
from bestby.readers.formats.base import head_of
from bestby.readers.text import Record, document, listing, records

_is_of_human_eval = holding(rb'\s*\{\s*"\w+"\s*:', "task_id", "completion", "result", "passed")
_is_of_evalplus = holding(rb'\s*\{\s*"\w+"\s*:', "eval", "solution", "base_status", "plus_status")
recognises = any_of(_is_of_human_eval, _is_of_evalplus)
_FIELDS = Fields(item=("task_id",), scores=("passed", "base", "plus"))


def _programs(path: Path) -> Iterator[Record]:
    """Yield the programs of a file, those of EvalPlus with what their tests said as scores."""
    if not _is_of_evalplus(path, head_of(path)):
        yield from records(path)
        return
    whole = document(path)
    problems = Record(whole.where, whole.part("eval"))
    for row in (row for task in problems.data for row in listing(problems, task)):
        base, plus = (row.data.get(f"{tests}_status") for tests in ("base", "plus"))
        scores = {"base": base == "pass"}
        if plus is not None:  # the tests of EvalPlus may be left out
            scores["plus"] = base == plus == "pass"
        yield Record(row.where, {"task_id": row.need("task_id"), **scores})


read = Harness(
    "results of tests of programs",
    recognises=recognises,
    scored=_FIELDS.reading(_programs),
    main=("plus",),
    items="problems",
).read
