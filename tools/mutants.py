"""How many changes of the code the tests noticed, per module: a table of what `make mutants` left.

Usage: ``python tools/mutants.py build/mutants/tree/mutants``; ``--survivors`` lists those that survived.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

KINDS = {
    0: "survived",
    1: "killed",
    3: "killed",
    24: "timed out",
    -24: "timed out",
    36: "timed out",
    33: "no test",
}
"""Exit codes that mutmut keeps: 1 and 3 are those of a failing pytest."""


def counted(folder: Path) -> dict[str, Counter[str]]:
    """Return per module how many mutants ended how; only modules with one that was tried."""
    found: dict[str, Counter[str]] = {}
    for path in sorted(folder.rglob("*.py.meta")):
        codes = json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"].values()
        kinds = Counter("not run" if code is None else KINDS.get(code, "killed") for code in codes)
        if kinds.total() > kinds["not run"]:
            found["/".join(path.parts[-2:]).removesuffix(".py.meta")] = kinds
    return found


def main(arguments: list[str]) -> None:
    """Print the table, or the names of the survivors."""
    folder = Path(next(word for word in arguments if not word.startswith("-")))
    if "--survivors" in arguments:
        for path in sorted(folder.rglob("*.py.meta")):
            codes = json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
            print("\n".join(name for name, code in codes.items() if code == 0))
        return
    columns = ("killed", "timed out", "survived", "no test", "not run")
    print("| module | mutants |", " | ".join(columns), "|")
    print("|---" * (len(columns) + 2) + "|")
    for module, kinds in counted(folder).items():
        print(f"| {module} | {kinds.total()} |", " | ".join(str(kinds[column]) for column in columns), "|")


if __name__ == "__main__":
    main(sys.argv[1:])
