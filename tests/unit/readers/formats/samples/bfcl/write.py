"""Write scores of the Berkeley Function-Calling Leaderboard by its own evaluation, of two toy models.

Run ``pip install --no-deps bfcl-eval`` with ``tree-sitter==0.21.3 tree-sitter-java==0.21.0
tree-sitter-javascript==0.21.4 tqdm python-dotenv filelock numpy overrides``, then ``python write.py``. The
clients of models, which evaluating asks nothing of, may be absent.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

HERE = Path(__file__).parent
N_ITEMS = 12
WRONG = {"toy-1": {1, 4, 5, 9}, "toy-2": {1, 5, 11}}
"""The places of the items that each model fails: it leaves its call out, or calls where it should not."""


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules of clients, in place of those that are not installed."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:  # noqa: ARG002
        known = name.split(".")[0] in self.names
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if known else None

    def create_module(self, spec: Any) -> ModuleType:
        module = MagicMock()
        module.__path__, module.__spec__, module.__name__ = [], spec, spec.name
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it is."""


def evaluation() -> Any:
    absent = Absent()
    sys.meta_path.append(absent)
    while True:
        try:
            return importlib.import_module("bfcl_eval.eval_checker.eval_runner")
        except ModuleNotFoundError as error:
            name = str(error.name).split(".")[0]
            if name in absent.names | {"bfcl_eval"}:
                raise
            absent.names.add(name)
            for module in [module for module in sys.modules if module.startswith("bfcl_eval")]:
                del sys.modules[module]


class Handler:
    """Takes what a toy model wrote for a call as Python, as that of models that are prompted."""

    def decode_ast(self, result: str, language: Any, has_tool_call_tag: bool) -> Any:
        from bfcl_eval.model_handler.utils import default_decode_ast_prompting

        return default_decode_ast_prompting(result, language, has_tool_call_tag)


def call(truth: dict[str, Any]) -> str:
    """Return the call that is right."""
    ((name, arguments),) = truth.items()
    given = {key: values[0] for key, values in arguments.items() if values[0] != ""}
    return f"[{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})]"


def main() -> None:
    runner = evaluation()
    reported: dict[str, dict[str, float]] = {}
    for model, wrong in WRONG.items():
        runner.MODEL_CONFIG_MAPPING[model] = SimpleNamespace(underscore_to_dot=False)
        prompts = runner.load_dataset_entry("simple_python", include_prereq=False)[:N_ITEMS]
        truths = runner.load_ground_truth_entry("simple_python")[:N_ITEMS]
        results = [
            {"id": one["id"], "result": "" if place in wrong else call(truth["ground_truth"][0])}
            for place, (one, truth) in enumerate(zip(prompts, truths, strict=True))
        ]
        arguments = (Handler(), results, prompts, truths, "simple_python", model, HERE)
        simple, _ = runner.ast_file_runner(*arguments)
        prompts = runner.load_dataset_entry("irrelevance", include_prereq=False)[:N_ITEMS]
        results = [
            {"id": one["id"], "result": "[f(x=1)]" if place in wrong - {1} else "I cannot."}
            for place, one in enumerate(prompts)
        ]
        irrelevant, _ = runner.relevance_file_runner(Handler(), results, prompts, model, "irrelevance", HERE)
        reported[model] = {"simple_python": simple, "irrelevance": irrelevant}
    (HERE / "reported.json").write_text(json.dumps(reported, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
