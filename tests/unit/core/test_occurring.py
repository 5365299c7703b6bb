"""Small whole numbers are found where a pass over all of them finds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby._core import occurring


@pytest.mark.parametrize("size", [1, 3, 64, 65, 256])
@pytest.mark.parametrize("n", [0, 1, 5, 6, 300])
@pytest.mark.parametrize("kind", ["u1", "i2", "u4", "i8"])
def test_each_number_is_found_where_it_is_first(
    size: int, n: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(occurring, "_HEAD", 5)
    monkeypatch.setattr(occurring, "_BLOCK", 7)
    every = np.random.default_rng(n).integers(0, size, 2 * n).astype(kind)
    for codes in (every[:n], every[::2], every[::-1][:n]):
        expected: list[Any] = [codes.tolist().index(code) if code in codes else -1 for code in range(size)]
        assert occurring.occurring(codes, size).tolist() == [place >= 0 for place in expected]
        if kind == "u1":
            assert occurring.first_places(codes, size) == expected
