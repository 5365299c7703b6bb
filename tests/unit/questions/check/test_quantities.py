"""Quantities beside scores: which commands set them side by side."""

from __future__ import annotations

import json
import pathlib

import pytest
from tests.unit.readers.formats.log_files import promptfoo

import bestby as bb

WIDE = "gold,bert,t5,bert_latency_ms,t5_latency_ms\n" + "1,1,0,.25,.5\n0,0,1,.75,.125\n" * 10
LONG = "system,item,score,usd\n" + "".join(f"{s},{i},{i % 2},{i + 1}.5\n" for s in "ab" for i in range(20))


@pytest.mark.parametrize(("text", "cost"), [(WIDE, "latency_ms"), (LONG, "usd")])
def test_a_table_with_costs_is_compared_and_its_frontier_proposed(
    tmp_path: pathlib.Path, text: str, cost: str
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    commands = [one.command for one in bb.check(path).commands]
    assert any(one.startswith("bestby compare") for one in commands)
    assert [one for one in commands if one.startswith("bestby frontier") and one.endswith(f"--cost {cost}")]


def test_the_frontier_of_logs_that_hold_quantities_is_proposed(tmp_path: pathlib.Path) -> None:
    log = promptfoo({"gpt": [1, 0, 1, 1] * 5, "mini": [0, 1, 1, 0] * 5})
    for place, row in enumerate(log["results"]["results"]):
        row |= {"latencyMs": 50 + place, "cost": None}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log), encoding="utf-8")
    commands = [one.command for one in bb.check(path).commands]
    assert f"bestby frontier {path} --cost latencyMs" in commands
