"""How near are the compiled dense kernels to what the machine can do at all?

Beside each kernel stands the bare random stream that feeds it (the same words made and folded together,
nothing looked up) and, for the machine, how fast memory is read and copied. Run by run.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from benchmarks.worker import repeated

ITEMS = (1_000, 10_000, 1_000_000)
DRAWS = 20_000_000
"""Draws per measurement: resamples times items."""


def rows(quick: bool) -> list[dict[str, Any]]:
    """Return what is done, of how many items, nanoseconds per draw, and times the bare stream."""
    from numba import njit

    from bestby.resampling import _kernels, streams, weights

    mix, golden = _kernels._mix, _kernels._GOLDEN

    @njit(nogil=True)
    def stream(keys: Any, words: int) -> Any:
        folded = np.uint64(0)
        for r in range(keys.size):
            base = keys[r]
            for p in range(words):
                folded ^= mix(base + np.uint64(p) * golden)
        return folded

    out: list[dict[str, Any]] = []

    def say(what: str, n: int | str, nanoseconds: float, bare: float | None) -> None:
        times = "" if bare is None else f"{nanoseconds / bare:.3g}"
        told = {"what": what, "n": n, "ns": f"{nanoseconds:.3g}", "bare_ns": f"{bare:.3g}" if bare else ""}
        out.append({**told, "times": times})

    def taken(call: Callable[[], Any]) -> float:
        call()
        return repeated(call, 0.02 if quick else 0.3)[0]

    for n in ITEMS[:2] if quick else ITEMS:
        size = max(4, (DRAWS // 10 if quick else DRAWS) // n)
        keys = streams.replicate_keys(streams.stream_key(0, "bootstrap"), 0, size)
        bounds, draws = np.array([0, n]), np.array([n])
        offsets = weights.word_offsets(draws)
        each = 1e9 / (size * n)
        bare = taken(lambda k=keys, w=n // 2: stream(k, w)) * each
        say("random stream alone, two draws per word", n, bare, None)
        rng = np.random.default_rng(0)
        for k in (1, 3):
            X, sums = np.asfortranarray(rng.normal(size=(n, k))), np.empty((size, k))
            call = lambda X=X, o=sums, a=(keys, bounds, draws, offsets): _kernels.bootstrap_sums(X, *a, o)  # noqa: E731
            say(f"bootstrap, sums of {k} column{'s' * (k > 1)}", n, taken(call) * each, bare)
        block = max(1, min(size, (1 << 19) // n))
        part = keys[:block]
        each_of_block = 1e9 / (block * n)
        W = np.empty((block, n))
        alone = taken(
            lambda k=part, b=bounds, d=draws, o=offsets, W=W: _kernels.bootstrap_weights(k, b, d, o, W)
        )
        say("bootstrap, weights of a block", n, alone * each_of_block, bare)
        for k in (10, 50):
            X = rng.normal(size=(n, k))
            product = taken(lambda W=W, X=X: W @ X)
            say(f"weights times {k} columns", n, (alone + product) * each_of_block, bare)
        swapped = taken(lambda k=keys, w=(n + 63) // 64: stream(k, w)) * each
        say("random stream alone, 64 swaps per word", n, swapped, None)
        D, sums = np.ascontiguousarray(rng.normal(size=(n, 1))), np.empty((size, 1))
        call = lambda D=D, k=keys, o=sums: _kernels.swap_sums(D, k, o)  # noqa: E731
        say("swaps, sums of 1 column", n, taken(call) * each, swapped)
    numbers = np.ones(4_000_000 if quick else 40_000_000)
    other = np.empty_like(numbers)
    say("memory read, per number of 8 bytes", "", taken(numbers.sum) * 1e9 / numbers.size, None)
    say(
        "memory copied, per number of 8 bytes",
        "",
        taken(lambda: np.copyto(other, numbers)) * 1e9 / numbers.size,
        None,
    )
    return out
