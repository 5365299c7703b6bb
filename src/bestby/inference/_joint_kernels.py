"""The compiled kernel for the largest of very many differences; imported only for these."""

# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

from typing import Any

from bestby._core.compiled import compiled


@compiled
def largest(drawn: Any, a: Any, b: Any, scale: Any, out: Any) -> None:
    """Fill out (R,) with the largest absolute difference, times its scale, of each draw of scores (S, R)."""
    out[:] = 0.0
    for pair in range(a.size):
        first, second, s = drawn[a[pair]], drawn[b[pair]], scale[pair]
        for r in range(out.size):
            z = abs((first[r] - second[r]) * s)
            out[r] = z if z > out[r] else out[r]
