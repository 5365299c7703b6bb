"""Shared fixtures: where the published data live, and a seeded generator."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from tests.checked import CHECKED, LONG

# Hypothesis repeats the same examples in every run: a failure is never a matter of luck.
# `make check` tries a hundred of a property, where the property does not say how many; `make test` fewer.
settings.register_profile("whole", deadline=None, derandomize=True, print_blob=False)
settings.register_profile("some", settings.get_profile("whole"), max_examples=15)
settings.register_profile("few", settings.get_profile("whole"), max_examples=10)
settings.load_profile("some")

# The tests write thousands of files; to wait for the disk after each shows nothing while the machine is up.
# Commands that tests start do wait, and tests of what happens when it fails put functions of their own here.
os.fsync = os.fstat  # which refuses the same handles

_ROOT = Path(__file__).resolve().parents[1]


@pytest.hookimpl(tryfirst=True)  # before pytest looks at the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that `make test` or `make quick` leaves out."""
    for item in items:
        if item.path.is_relative_to(_ROOT):
            place = item.path.relative_to(_ROOT).as_posix()
            for mark, names in (("check", CHECKED), ("long", LONG)):
                if f"{place}::{item.name}".startswith(names):
                    item.add_marker(mark)


def pytest_collection_finish() -> None:
    """Let collections of garbage be few, and none of them look at what was imported."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)


def pytest_unconfigure() -> None:
    """Let the interpreter free at its end what was imported: DuckDB reports whatever it cannot free."""
    gc.unfreeze()


@pytest.fixture
def shared_data() -> Callable[[str], Path]:
    """Return a function that finds a folder of published data, or skips the test."""

    def find(name: str) -> Path:
        base = Path(os.environ.get("BESTBY_SHARED_DATA", _ROOT.parent / "shared" / "data"))
        folder = base / name
        if not folder.is_dir():
            pytest.skip(f"published data {name!r} not found in {base}; set BESTBY_SHARED_DATA")
        return folder

    return find


@pytest.fixture
def generator() -> np.random.Generator:
    """Return a generator with a fixed seed."""
    return np.random.default_rng(20221)
