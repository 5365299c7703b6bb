"""Write what EvalPlus says of two solutions of each problem: its `evaluate`, on problems of our own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
from capitals import CAPITALS, SYSTEMS, answer, keep  # noqa: E402


def _code(returned: str) -> str:
    return f"def capital(n):\n    return {returned}\n"


def main() -> None:
    """Evaluate both systems; the base tests ask for the first letter, the others for all."""
    reported = {}
    with tempfile.TemporaryDirectory() as root:
        problems = [
            {
                "task_id": f"HumanEval/{i}",
                "prompt": "def capital(n):\n",
                "entry_point": "capital",
                "canonical_solution": f"    return {capital!r}[:n]\n",
                "base_input": [[1]],
                "plus_input": [[3], [20]],
                "atol": 0,
                "contract": "",
                "test": "",
            }
            for i, capital in enumerate(CAPITALS.values())
        ]
        Path(root, "problems.jsonl").write_text("\n".join(map(json.dumps, problems)), encoding="utf-8")
        os.environ["HUMANEVAL_OVERRIDE_PATH"] = f"{root}/problems.jsonl"
        os.environ["XDG_CACHE_HOME"] = root
        from evalplus.evaluate import evaluate

        for system in SYSTEMS:
            rows = [
                {"task_id": f"HumanEval/{i}", "solution": _code(f"{answer(system, country, run)!r}[:n]")}
                for run in range(2)
                for i, country in enumerate(CAPITALS)
            ]
            samples = Path(root, f"{system}.jsonl")
            samples.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                evaluate("humaneval", str(samples), parallel=1)
            base, plus = re.findall(r"pass@1:\s*([\d.]+)", said.getvalue())
            reported[system] = {"base": float(base), "plus": float(plus)}
            text = Path(root, f"{system}_eval_results.json").read_text(encoding="utf-8")
            (FOLDER / f"{system}.json").write_text(text, encoding="utf-8")
    keep(FOLDER, reported)


if __name__ == "__main__":
    main()
