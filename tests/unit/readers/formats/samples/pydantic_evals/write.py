"""Write the reports of pydantic-evals: two repetitions of each case, as its documentation serialises them."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Evaluator, EvaluatorContext
from pydantic_evals.reporting import EvaluationReportAdapter

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
from capitals import CAPITALS, SYSTEMS, answer, continent, keep  # noqa: E402


class Right(Evaluator):
    """Whether the answer is the capital, how much of it there is, and a label."""

    def evaluate(self, ctx: EvaluatorContext) -> Any:
        """Return an assertion, a score and a label."""
        share = len(ctx.output) / len(ctx.expected_output)
        is_right = ctx.output == ctx.expected_output
        return {"right": is_right, "share": share, "kind": "whole" if is_right else "part"}


cases = [
    Case(name=country, inputs=country, expected_output=capital, metadata={"topic": continent(country)})
    for country, capital in CAPITALS.items()
]
dataset = Dataset(name="capitals", cases=cases, evaluators=[Right()])
reported = {}
for system in SYSTEMS:
    asked: Counter[str] = Counter()

    def ask(country: str, system: str = system, asked: Counter[str] = asked) -> str:
        """Answer, in the run that comes next."""
        asked[country] += 1
        return answer(system, country, asked[country] - 1)

    report = dataset.evaluate_sync(ask, name=system, repeat=2, max_concurrency=1, progress=False)
    (FOLDER / f"{system}.json").write_bytes(EvaluationReportAdapter.dump_json(report))
    means = report.averages()
    reported[system] = {"share": means.scores["share"], "right": means.assertions}
keep(FOLDER, reported)
