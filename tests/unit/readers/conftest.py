from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.readers.helpers import Make

collect_ignore_glob = ["formats/samples/*"]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that writes a file and returns its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write
