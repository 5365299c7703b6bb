"""The same work done by other tools, each called the way its own documentation shows.

A rival's work has two parts: `draw(B)` makes B resamples, in a time linear in B; `finish`
takes what was drawn, does the rest (the jackknife of a BCa interval) and gives the answer. Only the first
may be cut short and scaled up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
TAILS = (0.025, 0.975)


@dataclass(frozen=True, eq=False)
class Rival:
    """Another tool on one job.

    Parameters
    ----------
    name : str
        The tool, and how it was called where there is a choice.
    draw : callable
        ``draw(B)`` makes B resamples.
    finish : callable
        From what `draw` returned to the answer: the ends of an interval, or a p-value.
    held : int
        Numbers of eight bytes the tool holds at once per resample.
    note : str
        In what the work differs from the job's.
    """

    name: str
    draw: Callable[[int], Any]
    finish: Callable[[Any], Any]
    held: int
    note: str = ""


def same(drawn: Any) -> Any:
    return drawn


# -- BootCI ----------------------------------------------------------------------------------------


def bootci(
    a: Array, b: Array, gold: Array, function: Callable[[Array, Array], float], *, how: str, method: str
) -> Rival:
    from BootCI.paired_bootstrap_interval import Bootstrap

    def draw(size: int) -> Any:
        np.random.seed(1)  # noqa: NPY002  BootCI draws from NumPy's global generator
        made = Bootstrap(a, b, gold, stat=function, n_iter=size)
        made.get_distribution()
        return made

    def finish(made: Any) -> Any:
        # "sampling" is BootCI's word for the quantiles of the replicates.
        return tuple(
            made.get_confidence_interval(0.05, {"bca": "bias_corrected", "percentile": "sampling"}[method])
        )

    note = "" if method == "bca" else "percentile"
    return Rival(f"BootCI, {how}", draw, finish, gold.size, note)


def bootci_test(
    a: Array, b: Array, gold: Array, function: Callable[[Array, Array], float], *, how: str
) -> Rival:
    from BootCI.Fisher_Pitman_paired_test import fpreptest

    def draw(size: int) -> float:
        np.random.seed(1)  # noqa: NPY002  BootCI draws from NumPy's global generator
        return float(fpreptest(a, b, gold, function, n_iter=size))

    return Rival(f"BootCI, {how}", draw, same, 1)


# -- SciPy -----------------------------------------------------------------------------------------

SCIPY_NUMBERS = 2_000_000
"""Numbers in a batch: SciPy's `batch`, without which it holds n x B of them."""


def scipy_bootstrap(
    data: tuple[Array, ...], function: Callable[..., Any], *, how: str, method: str, vectorized: bool = True
) -> Rival:
    from scipy import stats

    n = data[0].size
    settings = {
        "vectorized": vectorized,
        "paired": len(data) > 1,
        "batch": max(1, SCIPY_NUMBERS // n),
        "confidence_level": 0.95,
    }

    def draw(size: int) -> Any:
        return stats.bootstrap(data, function, n_resamples=size, method="percentile", rng=1, **settings)

    def finish(drawn: Any) -> Any:
        found = drawn
        if method == "bca":
            found = stats.bootstrap(
                data, function, n_resamples=0, bootstrap_result=drawn, method="BCa", rng=1, **settings
            )
        return tuple(found.confidence_interval)

    note = "" if method == "bca" else "percentile"
    return Rival(f"scipy.stats.bootstrap, {how}", draw, finish, 1, note)


def scipy_test(
    a: Array, b: Array, function: Callable[..., Any], *, how: str, vectorized: bool = True
) -> Rival:
    from scipy import stats

    def draw(size: int) -> float:
        return float(
            stats.permutation_test(
                (a, b),
                function,
                permutation_type="samples",
                n_resamples=size,
                vectorized=vectorized,
                batch=max(1, min(size, SCIPY_NUMBERS // a.size)),  # it draws whole batches
                rng=1,
            ).pvalue
        )

    return Rival(f"scipy.stats.permutation_test, {how}", draw, same, 1)


# -- arch ------------------------------------------------------------------------------------------


def arch(data: tuple[Array, ...], function: Callable[..., float], *, how: str, method: str) -> Rival:
    from arch.bootstrap import IIDBootstrap

    def draw(size: int) -> Any:
        made = IIDBootstrap(*data, seed=1)
        made.conf_int(function, reps=size, method="percentile", size=0.95)
        return made, size

    def finish(drawn: Any) -> Any:
        made, size = drawn
        ends = made.conf_int(function, reps=size, method=method, size=0.95, reuse=True)
        return float(ends[0, 0]), float(ends[1, 0])

    return Rival(f"arch IIDBootstrap, {how}", draw, finish, 1, "" if method == "bca" else "percentile")


# -- sacrebleu -------------------------------------------------------------------------------------


def segment_sums(
    statistics: tuple[Array, ...], score: Callable[[Array], float], pairs: list[tuple[int, int]] | None = None
) -> Rival:
    """Resample in sacrebleu's manner: a B x n matrix of indices, float32 sums, a score per resample."""
    held = [rows.astype(np.float32) for rows in statistics]
    pairs = pairs or [(0, 1)]
    observed = [score(rows.sum(0)) for rows in held]
    n, k = held[0].shape

    def draw(size: int) -> list[Array]:
        chosen = np.random.default_rng(1).choice(n, size=(size, n), replace=True)
        return [np.array([score(sample.sum(0)) for sample in rows[chosen]]) for rows in held]

    def finish(scores: list[Array]) -> Any:
        for a, b in pairs:
            apart = np.abs(scores[a] - scores[b])
            hits = np.count_nonzero(apart - apart.mean() > abs(observed[a] - observed[b]))
            _p = (hits + 1) / (apart.size + 1)
        a, b = pairs[0]
        return tuple(np.quantile(scores[a] - scores[b], TAILS))

    return Rival("sacrebleu-style sums", draw, finish, n * (1 + k), "percentile and bootstrap test")


def sacrebleu_test(systems: dict[str, list[str]], references: list[str]) -> Rival:
    """sacrebleu's own paired bootstrap test of BLEU, extraction of the n-grams included."""
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    def draw(size: int) -> float:
        test = PairedTest(
            list(systems.items()), {"BLEU": BLEU()}, [references], test_type="bs", n_samples=size
        )
        return float(test()[1]["BLEU"][1].p_value)

    return Rival(
        "sacrebleu.significance.PairedTest",
        draw,
        same,
        11 * len(references),
        "most of both is counting n-grams",
    )
