"""How near are the compiled dense kernels to what the machine can do at all?

Beside each kernel stands the bare random stream that feeds it (the same words made and folded together,
nothing looked up) and, for the machine, how fast memory is read and copied, and numbers are sorted. Run by
run.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.worker import repeated

ROOT = Path(__file__).resolve().parents[1]

ITEMS = (1_000, 10_000, 1_000_000)
DRAWS = 20_000_000
"""Draws per measurement: resamples times items."""

WIDE_VECTORS = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL X86_V4"
"""What NumPy calls the parts of AVX-512, with which its sort takes longer on some processors."""

_SORT = """
import numpy as np
from benchmarks.worker import repeated
numbers = np.random.default_rng(0).normal(size={size})
print(repeated(lambda: np.sort(numbers), {at_least})[0])
"""


Taken = Callable[[Callable[[], Any]], float]
"""How many seconds a call takes."""


def rows(quick: bool) -> list[dict[str, Any]]:
    """Return what is done, of how many items, nanoseconds per draw, and times the bare stream."""

    def taken(call: Callable[[], Any]) -> float:
        call()
        return repeated(call, 0.02 if quick else 0.3)[0]

    stream, out = _bare_stream(), []
    for n in ITEMS[:2] if quick else ITEMS:
        out += _draw_rows(n, max(4, (DRAWS // 10 if quick else DRAWS) // n), stream, taken)
    memory = _memory_rows(4_000_000 if quick else 40_000_000, taken)
    return [*out, *memory, *_sort_rows(ITEMS[-1], 0.1 if quick else 1.0)]


def _bare_stream() -> Callable[[Any, int], Any]:
    """Return a compiled function that makes random words, and folds them together so that they are made."""
    from numba import njit

    from bestby.resampling import _kernels

    mix, golden = _kernels._mix, _kernels._GOLDEN

    @njit(nogil=True)
    def stream(keys: Any, words: int) -> Any:
        folded = np.uint64(0)
        for r in range(keys.size):
            base = keys[r]
            for p in range(words):
                folded ^= mix(base + np.uint64(p) * golden)
        return folded

    return stream  # type: ignore[no-any-return]


def _row(what: str, n: int | str, nanoseconds: float, bare: float | None = None) -> dict[str, Any]:
    times = "" if bare is None else f"{nanoseconds / bare:.3g}"
    told = {"what": what, "n": n, "ns": f"{nanoseconds:.3g}", "bare_ns": f"{bare:.3g}" if bare else ""}
    return {**told, "times": times}


def _draw_rows(
    n: int, size: int, stream: Callable[[Any, int], Any], taken: Taken
) -> Iterator[dict[str, Any]]:
    """Yield the rows of `size` resamples of n items."""
    from bestby.resampling import _kernels, streams, weights

    keys = streams.replicate_keys(streams.stream_key(0, "bootstrap"), 0, size)
    bounds, draws = np.array([0, n]), np.array([n])
    offsets = weights.word_offsets(draws)
    each = 1e9 / (size * n)
    bare = taken(lambda: stream(keys, n // 2)) * each
    yield _row("random stream alone, two draws per word", n, bare)
    rng = np.random.default_rng(0)
    for k in (1, 3):
        X, sums = np.asfortranarray(rng.normal(size=(n, k))), np.empty((size, k))
        call = partial(_kernels.bootstrap_sums, X, keys, bounds, draws, offsets, sums)
        yield _row(f"bootstrap, sums of {k} column{'s' * (k > 1)}", n, taken(call) * each, bare)
    block = max(1, min(size, (1 << 19) // n))
    each_of_block = 1e9 / (block * n)
    W = np.empty((block, n))
    alone = taken(partial(_kernels.bootstrap_weights, keys[:block], bounds, draws, offsets, W))
    yield _row("bootstrap, weights of a block", n, alone * each_of_block, bare)
    for k in (10, 50):
        X = rng.normal(size=(n, k))
        yield _row(
            f"weights times {k} columns", n, (alone + taken(partial(np.matmul, W, X))) * each_of_block, bare
        )
    swapped = taken(lambda: stream(keys, (n + 63) // 64)) * each
    yield _row("random stream alone, 64 swaps per word", n, swapped)
    D, sums = np.ascontiguousarray(rng.normal(size=(n, 1))), np.empty((size, 1))
    yield _row(
        "swaps, sums of 1 column", n, taken(partial(_kernels.swap_sums, D, keys, sums)) * each, swapped
    )


def _memory_rows(size: int, taken: Taken) -> Iterator[dict[str, Any]]:
    """Yield how fast numbers are read and copied."""
    numbers = np.ones(size)
    other = np.empty_like(numbers)
    for what, call in (("read", numbers.sum), ("copied", partial(np.copyto, other, numbers))):
        yield _row(f"memory {what}, per number of 8 bytes", "", taken(call) * 1e9 / size)


def _sort_rows(size: int, at_least: float) -> Iterator[dict[str, Any]]:
    """Yield how long NumPy sorts real numbers, as it comes and with narrower vector registers."""
    for what, more in (("", {}), (", without AVX-512", {"NPY_DISABLE_CPU_FEATURES": WIDE_VECTORS})):
        told = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", _SORT.format(size=size, at_least=at_least)],
            cwd=ROOT,
            env=os.environ | more,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        yield _row(f"real numbers sorted by NumPy{what}, per number", size, float(told) * 1e9 / size)
