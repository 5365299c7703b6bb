"""The decorator of the kernels."""

from __future__ import annotations

import pytest


def test_kernels_compile_where_nothing_can_be_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    from bestby._core.compiled import compiled

    compile_ = numba.njit
    compile_(lambda x: x)(1)  # the first time, numba imports modules of its own that are compiled too

    def njit(**options: bool) -> object:
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return compile_(**options)

    monkeypatch.setattr(numba, "njit", njit)
    assert compiled(lambda x: x + 1)(1) == 2
