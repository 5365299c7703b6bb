"""The tables that gates are made of."""

from __future__ import annotations

from pathlib import Path

N = 200


def write_labels(path: Path, column: str, values: list[str], first: int = 0) -> None:
    lines = [f"item,{column}", *(f"q{place + first},{value}" for place, value in enumerate(values))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


GOLD = ("--gold", "gold.csv")
