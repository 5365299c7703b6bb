"""Write the results of Braintrust's `Eval` without its server: `as_json` of what it returns."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from braintrust import Eval

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
from capitals import CAPITALS, SYSTEMS, answer, continent, keep  # noqa: E402


def right(output: str, expected: str) -> dict[str, object]:
    """Score an answer."""
    return {"name": "right", "score": float(output == expected)}


def share(output: str, expected: str) -> float:
    """Score how much of the capital is there."""
    return len(output) / len(expected)


def asked(system: str) -> Callable[[str, Any], str]:
    """Return the task that asks a system."""
    return lambda country, hooks: answer(system, country, hooks.trial_index)


reported = {}
for system in SYSTEMS:
    result = Eval(
        "capitals",
        experiment_name=system,
        data=[
            {"input": country, "expected": capital, "metadata": {"topic": continent(country)}}
            for country, capital in CAPITALS.items()
        ],
        task=asked(system),
        scores=[right, share],
        trial_count=2,
        no_send_logs=True,
    )
    (FOLDER / f"{system}.json").write_text(result.as_json() + "\n", encoding="utf-8")
    reported[system] = {name: one.score for name, one in result.summary.scores.items()}
keep(FOLDER, reported)
