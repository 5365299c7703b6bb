"""The same work done by other tools, each called the way its own documentation shows.

A rival's work has two parts: `draw(B)` makes B resamples, in a time linear in B; `finish`
takes what was drawn, does the rest (the jackknife of a BCa interval) and gives the answer. Only the first
may be cut short and scaled up. A tool is imported when its rival is made, in the process that times it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from benchmarks.measures import Measure
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Rival:
    """Another tool on one job.

    Parameters
    ----------
    how : str
        What was called, and with which metric.
    draw : callable
        ``draw(B)`` makes B resamples.
    finish : callable
        From what `draw` returned to the answer: the ends of an interval, or a p-value.
    held : int
        Numbers of eight bytes the tool holds at once per resample.
    note : str
        In what the work differs from the job's.
    resamples : bool
        Whether there are resamples, so that `draw` may be asked for fewer.
    """

    how: str
    draw: Callable[[int], Any]
    finish: Callable[[Any], Any] = lambda drawn: drawn
    held: int = 1
    note: str = ""
    resamples: bool = True


def _percentile(method: str) -> str:
    return "" if method == "bca" else "percentile"


# -- BootCI ----------------------------------------------------------------------------------------


def bootci(a: Array, b: Array, gold: Array, measure: Measure, how: str, method: str) -> Rival:
    from BootCI.paired_bootstrap_interval import Bootstrap

    def draw(size: int) -> Any:
        np.random.seed(1)  # noqa: NPY002  BootCI draws from NumPy's global generator
        made = Bootstrap(a, b, gold, stat=measure, n_iter=size)
        made.get_distribution()
        return made

    def finish(made: Any) -> Any:
        # "sampling" is BootCI's word for the quantiles of the replicates.
        called = {"bca": "bias_corrected", "percentile": "sampling"}[method]
        return tuple(made.get_confidence_interval(0.05, called))

    return Rival(f"Bootstrap, {how}", draw, finish, gold.size, _percentile(method))


def bootci_test(a: Array, b: Array, gold: Array, measure: Measure, how: str) -> Rival:
    from BootCI.Fisher_Pitman_paired_test import fpreptest

    def draw(size: int) -> float:
        np.random.seed(1)  # noqa: NPY002  BootCI draws from NumPy's global generator
        return float(fpreptest(a, b, gold, measure, n_iter=size))

    return Rival(f"fpreptest, {how}", draw)


# -- SciPy -----------------------------------------------------------------------------------------

SCIPY_NUMBERS = 2_000_000
"""Numbers in a batch: SciPy's `batch`, without which it holds n x B of them."""


def scipy_bootstrap(
    data: tuple[Array, ...], function: Callable[..., Any], how: str, method: str, vectorized: bool = True
) -> Rival:
    from scipy import stats

    n = data[0].size
    settings: dict[str, Any] = {
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

    return Rival(f"bootstrap, {how}", draw, finish, note=_percentile(method))


def scipy_test(
    a: Array, b: Array, function: Callable[..., Any], how: str, alternative: str = "two-sided"
) -> Rival:
    from scipy import stats

    def draw(size: int) -> float:
        return float(
            stats.permutation_test(
                (a, b),
                function,
                permutation_type="samples",
                n_resamples=size,
                vectorized=True,
                alternative=alternative,
                batch=max(1, min(size, SCIPY_NUMBERS // a.size)),  # it draws whole batches
                rng=1,
            ).pvalue
        )

    return Rival(f"permutation_test, {how}", draw)


def scipy_mcnemar(a: Array, b: Array, gold: Array) -> Rival:
    from scipy import stats

    def draw(_size: int) -> float:
        right_a, right_b = a == gold, b == gold
        only_a = int((right_a & ~right_b).sum())
        only_b = int((right_b & ~right_a).sum())
        return float(stats.binomtest(only_a, only_a + only_b).pvalue)

    note = "exact binomial test of the discordant items alone"
    return Rival("binomtest", draw, note=note, resamples=False)


# -- arch, resample --------------------------------------------------------------------------------


def arch(data: tuple[Array, ...], function: Callable[..., float], how: str, method: str) -> Rival:
    from arch.bootstrap import IIDBootstrap

    def draw(size: int) -> Any:
        made = IIDBootstrap(*data, seed=1)
        made.conf_int(function, reps=size, method="percentile", size=0.95)
        return made, size

    def finish(drawn: Any) -> Any:
        made, size = drawn
        ends = made.conf_int(function, reps=size, method=method, size=0.95, reuse=True)
        return float(ends[0, 0]), float(ends[1, 0])

    return Rival(f"IIDBootstrap, {how}", draw, finish, note=_percentile(method))


def resample(data: tuple[Array, ...], function: Callable[..., float], how: str, method: str) -> Rival:
    from resample.bootstrap import confidence_interval

    def draw(size: int) -> Any:
        return confidence_interval(function, *data, size=size, ci_method=method, random_state=1)

    return Rival(f"confidence_interval, {how}", draw, held=data[0].size, note=_percentile(method))


# -- stambo, MLstatkit, evalstats ------------------------------------------------------------------


def stambo(systems: list[Array], gold: Array, measure: Measure | str, how: str) -> Rival:
    """A named metric of stambo, or a function of predictions and gold."""
    import stambo as tool

    metric: Any = measure
    if not isinstance(measure, str):
        metric = tool.metrics.Metric(lambda true, predictions: measure(predictions, true))

    def draw(size: int) -> Any:
        asked: dict[str, Any] = {"metrics": (metric,), "n_bootstrap": size, "seed": 1, "silent": True}
        if len(systems) > 2:
            found = next(iter(tool.compare_models_pairwise(gold, tuple(systems), **asked).values()))["0 / 1"]
            low, high = found["ci_es"]
        else:  # its differences are the second minus the first
            low, high = next(iter(tool.compare_models(gold, *systems, **asked).values()))[2:4]
        return -float(high), -float(low)

    call = "compare_models" if len(systems) == 2 else "compare_models_pairwise"
    return Rival(f"{call}, {how}", draw, held=len(gold), note="percentile and bootstrap test")


def mlstatkit_test(a: Array, b: Array, gold: Array, metric: str) -> Rival:
    from MLstatkit import Permutation_test

    def draw(size: int) -> float:
        return float(Permutation_test(gold, a, b, metric, n_bootstraps=size)[2])

    return Rival(f"Permutation_test, {metric}", draw)


def evalstats(scores: dict[str, Array], method: str) -> Rival:
    """A comparison of per-item scores, all pairs, from the long table it asks for."""
    import evalstats as tool
    import pandas as pd

    n = next(iter(scores.values())).size
    frame = pd.DataFrame(
        {
            "model": np.repeat(list(scores), n),
            "item": np.tile(np.arange(n), len(scores)),
            "score": np.concatenate([np.asarray(x, dtype=np.float64) for x in scores.values()]),
        }
    )

    def draw(size: int) -> Any:
        found = tool.compare(tool.load_from(frame), factors="model", method=method, n_bootstrap=size)
        pair = found.to_dict()["pairwise"][0]
        return float(pair["ci_low"]), float(pair["ci_high"])

    return Rival(f'compare, method="{method}"', draw, held=2 * n)


def evalstats_tango(scores: dict[str, Array]) -> Rival:
    """Its way for 0/1 scores, which takes no resamples for the pair."""
    made = evalstats(scores, "tango")
    note = "Tango interval and McNemar mid-p"
    return Rival(made.how, lambda _size: made.draw(1_000), note=note, resamples=False)


# -- sacrebleu -------------------------------------------------------------------------------------


def sacrebleu(systems: dict[str, list[str]], references: list[str], test: str) -> Rival:
    """sacrebleu's paired test of BLEU of the first system against the others, "bs" or "ar"."""
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    def draw(size: int) -> float:
        made = PairedTest(
            list(systems.items()), {"BLEU": BLEU()}, [references], test_type=test, n_samples=size
        )
        return float(made()[1]["BLEU"][1].p_value)

    return Rival(f"PairedTest, {test}", draw, held=6 * len(references))


# -- deepsig ---------------------------------------------------------------------------------------


def deepsig(name: str, *data: Any, counted: str = "num_bootstrap_iterations", **more: Any) -> Rival:
    """One of deepsig's functions; `counted` is its word for B."""
    import deepsig as tool

    def draw(size: int) -> float:
        found = getattr(tool, name)(*data, seed=0, **more, **{counted: size})
        return float(found[-1, 0] if np.ndim(found) else found)  # the last system against the first

    return Rival(name, draw)


def deepsig_by_dataset(a: Sequence[Array], b: Sequence[Array]) -> Rival:
    """One `aso` per dataset, corrected for their number: scenario 2 of its README."""
    more = {"num_comparisons": len(a), "show_progress": False}
    parts = [deepsig("aso", *pair, **more) for pair in zip(a, b, strict=True)]
    return Rival("aso per dataset", lambda size: [part.draw(size) for part in parts], lambda drawn: drawn[0])


# -- strengths from judgements ---------------------------------------------------------------------


def choix(judged: dict[str, Array]) -> Rival:
    """Strengths alone, from pairs of winner and loser; the difference of the first two systems."""
    import choix as tool

    names, both = np.unique([judged["model_a"], judged["model_b"]], return_inverse=True)
    first, second = both.reshape(2, -1)
    won = judged["winner"] == "model_a"
    pairs = list(
        zip(np.where(won, first, second).tolist(), np.where(won, second, first).tolist(), strict=True)
    )

    def draw(_: int) -> float:
        found = tool.ilsr_pairwise(names.size, pairs)
        return float(found[0] - found[1])

    return Rival("ilsr_pairwise", draw, note="strengths alone, without intervals or order", resamples=False)


def arena_rank(judged: dict[str, Array]) -> Rival:
    """Ratings with intervals, as its README makes them; those of the first system, on its scale."""
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    frame = pd.DataFrame({name: judged[name] for name in ("model_a", "model_b", "winner")})

    def draw(_: int) -> tuple[float, float]:
        dataset = PairDataset.from_pandas(frame)
        found = BradleyTerry(n_competitors=len(dataset.competitors)).compute_ratings_and_cis(dataset)
        place = list(found["competitors"]).index("model-000")
        return float(found["rating_lower"][place]), float(found["rating_upper"][place])

    return Rival(
        "BradleyTerry", draw, note="ratings of systems, without differences or order", resamples=False
    )


# -- BooStSa ---------------------------------------------------------------------------------------

BOOSTSA_SIZE = 0.2
"""The share of the items that BooStSa draws (at most a half)."""


def boostsa(gold: Array, a: Array, b: Array) -> Rival:
    from benchmarks.boostsa_worker import tested

    def draw(size: int) -> float:
        np.random.seed(1)  # noqa: NPY002  BooStSa draws from NumPy's global generator
        return next(iter(tested(gold, a, b, size, BOOSTSA_SIZE)[1].values()))

    return Rival("Bootstrap.test", draw, note="four metrics; a fifth of the items is drawn")


# -- all pairs by tools that know two systems ------------------------------------------------------


def all_pairs(systems: int, make: Callable[[int, int], tuple[Rival, ...]]) -> Rival:
    """Every pair, one after the other: its interval and its test."""
    parts = [make(i, j) for i, j in combinations(range(systems), 2)]

    def draw(size: int) -> Any:
        return [[rival.draw(size) for rival in rivals] for rivals in parts]

    def finish(drawn: Any) -> Any:
        answers = [rivals[0].finish(found[0]) for rivals, found in zip(parts, drawn, strict=True)]
        return answers[0]

    held = sum(max(rival.held for rival in rivals) for rivals in parts)
    return Rival(" and ".join(rival.how for rival in parts[0]) + ", pair by pair", draw, finish, held)
