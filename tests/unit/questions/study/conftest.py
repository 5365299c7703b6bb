"""A study of runs, made anew for each test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.unit.questions.study.conditions import GOLD, Make
from tests.unit.questions.study.stored import SHORT_GOLD, SHORT_IDS

from bestby import Study
from bestby.questions.study.store import Store


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that makes a study of runs; the first condition is a baseline."""

    def made(
        runs: dict[str, list[Any]],
        *,
        gold: Any = GOLD,
        baselines: tuple[str, ...] = ("h0", "s0"),
        **extra: Any,
    ) -> Study:
        study = Study(tmp_path / f"study{len(list(tmp_path.iterdir()))}")
        for name, several in runs.items():
            for run, predictions in enumerate(several):
                study.add(
                    name,
                    run=run,
                    predictions=predictions,
                    gold=gold,
                    baseline=name in baselines,
                    **extra,
                )
        return study

    return made


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A study with a baseline of one run."""
    made = Store(tmp_path / "study")
    made.add("h0", run=0, predictions=["x", "x", "x", "y"], gold=SHORT_GOLD, ids=SHORT_IDS, baseline=True)
    return made
