"""Compare systems by cross-validation: fold-wise scores, or out-of-fold predictions of every item."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Alternative, FloatArray
from bestby.datasets import within
from bestby.datasets.fold_results import FoldComparison, Spread
from bestby.datasets.fold_source import Folds, Labels, of_items, of_scores, read
from bestby.datasets.results import Names
from bestby.datasets.within import Asked
from bestby.engine import testing
from bestby.engine.base import Drawing
from bestby.engine.interval import METHODS
from bestby.evaluation import Evaluation
from bestby.family import alpha_of, rejects, with_direction_notes
from bestby.inference import classical, crossvalidation, multiplicity
from bestby.inference.replicability import Replicability, replicability
from bestby.resampling import executing
from bestby.resampling.streams import seed_of
from bestby.results import Difference, Note, Provenance, TestResult, defined

__all__ = ["FoldComparison", "compare_folds"]

TESTS = ("auto", "corrected-t", "5x2cv-f", "5x2cv-t", "k-bonferroni")
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def compare_folds(
    data: Any,
    *,
    fold: str | None = None,
    repetition: str | None = None,
    systems: Sequence[str] | None = None,
    gold: str | None = None,
    metric: Any = None,
    greater_is_better: bool | None = None,
    ratio: float | None = None,
    required: int | str = "all",
    baseline: str | None = None,
    interval: str = "auto",
    level: float = 0.95,
    test: str = "auto",
    inside: str = "permutation",
    alternative: str = "two-sided",
    correction: str = "holm",
    n_resamples: int = 10_000,
    rng: int | np.random.Generator | None = 0,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
    executor: Executor | None = None,
) -> FoldComparison:
    """Compare systems that were trained and scored on the folds of one data set.

    Parameters
    ----------
    data : mapping, Evaluation or data frame
        Scores of folds: a mapping of system to an array of shape (K,) or (r, K) for r repetitions, or to a
        mapping of fold to score, which are joined by fold, or a frame with a row per fold. Out-of-fold
        predictions: an Evaluation whose strata are the folds, a mapping of repetition to such, or a frame
        with a row per item (and repetition).
    fold, repetition : str, optional
        Columns of a frame; "fold" and "repetition" by default.
    systems : list of str, optional
        The systems (columns of a frame) to compare; all by default.
    gold : str, optional
        The column of the gold in a frame with a row per item.
    metric : str, Metric or callable, optional
        What to compute of items; as for `compare`. For scores of folds, a name for them.
    greater_is_better : bool, optional
        The direction of scores of folds. By default that of the metric they are named after, or a guess from
        the name, which a note tells; without a name True. Items: the metric knows.
    ratio : float, optional
        Items tested over items trained on, in one fold. By default that of cross-validation: 1 / (K - 1),
        or from the sizes of the folds. Give it for random splits: 0.25 if a fifth is tested.
    required : int or "all"
        How many folds must have an effect for test "k-bonferroni" to reject.
    baseline : str, optional
        Compare every other system with this one only.
    interval, level, n_resamples, rng, n_jobs, progress, executor
        As for `compare`; `interval` is that of the pooled predictions of one repetition.
    test : {"auto", "corrected-t", "5x2cv-f", "5x2cv-t", "k-bonferroni"}
        The test of each pair; all that apply are in `tests`. "auto": the combined F test for two-sided
        questions to 5 repetitions of 2 folds, else the corrected resampled t test.
    inside : str
        The test inside a fold and on the pooled predictions of one repetition; as `test` of `compare`.
    alternative : {"two-sided", "greater", "less"}
        A against B on the scale of the scores.
    correction : {"holm", "bonferroni", "bh", "none"}
        Over the pairs.

    Returns
    -------
    FoldComparison
        Differences with corrected intervals and tests; with items also the effect inside each fold and the
        spread of conclusions over the repetitions.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If the test does not fit the data.

    References
    ----------
    .. [1] Nadeau and Bengio (2003), Inference for the Generalization Error, Machine Learning 52, 239-281.
    .. [2] Alpaydin (1999), Neural Computation 11, 1885-1892.
    .. [3] Dror, Baumer, Shlomov and Reichart (2018), The Hitchhiker's Guide, ACL, section 5.
    .. [4] Bestgen (2022), Please, Don't Forget the Difference and the Confidence Interval, LREC, Table 1.

    Examples
    --------
    >>> result = compare_folds({"old": [0.71, 0.69, 0.73, 0.70, 0.72], "new": [0.74, 0.73, 0.75, 0.71, 0.76]})
    >>> difference = result["new", "old"]
    >>> round(difference.estimate, 3), difference.test.name, round(difference.p_value, 3)
    (0.028, 'corrected-t', 0.033)
    """
    asked = Asked(
        checks.choice(interval, METHODS, "interval"),
        checks.choice(inside, testing.TESTS, "inside"),
        checks.probability(level, "level"),
        checks.choice(alternative, ALTERNATIVES, "alternative"),
    )
    checks.choice(test, TESTS, "test")
    checks.choice(correction, multiplicity.CORRECTIONS, "correction")
    drawing = Drawing(
        checks.positive_int(n_resamples, "n_resamples"),
        seed_of(rng),
        checks.positive_int(n_jobs, "n_jobs"),
        progress,
        executor=executing.checked(executor),
    )
    found = read(
        data, fold, repetition, None if systems is None else checks.valid_name_list(systems, "systems"), gold
    )
    if isinstance(data, Evaluation | Mapping):
        columns = {"fold": (fold, None), "repetition": (repetition, None), "gold": (gold, None)}
        checks.refuse_unused("data other than a data frame, because it names a column", **columns)
    if not isinstance(found, dict):
        checks.refuse_unused(
            "scores of folds, which hold no items to test or resample",
            interval=(interval, "auto"),
            inside=(inside, "permutation"),
            required=("all" if test == "k-bonferroni" else required, "all"),
        )
    if isinstance(found, dict):
        folds = of_items(found, metric, greater_is_better, drawing)
    else:
        folds = of_scores(found, metric, greater_is_better)
    share = _ratio(folds, ratio)
    order = _ordered(folds)
    pairs = within.pairs_of(order, folds.names, baseline, asked.alternative)
    inner, effects = _inner(folds, pairs, asked)
    needed = len(folds.labels) if required == "all" else checks.positive_int(required, "required")  # type: ignore[arg-type]
    tests = {pair: _tests(folds, pair, share, asked, effects.get(pair), needed) for pair in pairs}
    name = _chosen(test, folds, asked)
    differences = _differences(folds, pairs, tests, name, share, asked, correction)
    scores = folds.matrix[:, [folds.names.index(system) for system in order]]
    scores.flags.writeable = False
    return FoldComparison(
        metric=folds.metric,
        systems=order,
        folds=folds.labels,
        scores=scores,
        means=tuple(float(mean) for mean in scores.mean(axis=0)),
        ratio=share,
        differences=differences,
        tests=tests,
        effects=effects,
        within=inner,
        spread=tuple(_spread(pair, i, inner, asked.level) for i, pair in enumerate(pairs)) if inner else (),
        notes=(*folds.notes, *_notes(folds, ratio, share)),
        provenance=_provenance(
            folds,
            asked,
            {
                "test": name,
                "ratio": share,
                "required": needed,
                "correction": correction,
                "baseline": baseline,
            },
            drawing,
        ),
        level=asked.level,
        correction=correction,
        baseline=baseline,
    )


# -- numbers ---------------------------------------------------------------------------------------


def _ratio(folds: Folds, ratio: float | None) -> float:
    if ratio is not None:
        if not 0.0 < checks.number(ratio, "ratio") < math.inf:
            raise InvalidInputError(
                f"ratio must be a positive number, got {ratio}",
                hint="items tested over items trained on: 1/9 for 10-fold cross-validation",
            )
        return float(ratio)
    if folds.parts:
        sizes = [
            (part.n_items, folds.whole[again][1].n_items) for (again, _), (_, part) in folds.parts.items()
        ]
        if any(size == total for size, total in sizes):
            raise DesignError("a repetition with a single fold trains on nothing", hint="pass ratio=...")
        return math.fsum(size / (total - size) for size, total in sizes) / len(sizes)
    counts = folds.repetitions()
    if min(counts.values()) < 2:
        raise DesignError(
            "a repetition with a single fold is a random split, whose ratio must be told",
            hint="pass ratio=...: items tested over items trained on, 0.25 if a fifth is tested",
        )
    return math.fsum(1.0 / (count - 1) for count in counts.values()) / len(counts)


def _ordered(folds: Folds) -> tuple[str, ...]:
    sign = -1.0 if folds.metric.greater_is_better else 1.0
    mean = dict(zip(folds.names, folds.matrix.mean(axis=0).tolist(), strict=True))
    return tuple(sorted(folds.names, key=lambda name: (sign * mean[name], name)))


def _inner(
    folds: Folds, pairs: Sequence[Names], asked: Asked
) -> tuple[dict[str, tuple[Difference, ...]], dict[Names, Replicability]]:
    """Return the differences on the pooled predictions of each repetition, and the effects in the folds."""
    if not folds.parts:
        return {}, {}
    inner = {
        name: with_direction_notes(
            within.differences(makers, evaluation, pairs, asked), alpha_of(asked.level)
        )
        for name, (makers, evaluation) in folds.whole.items()
    }
    found = {
        label: within.p_values(makers, evaluation, pairs, asked)
        for label, (makers, evaluation) in folds.parts.items()
    }
    names = _names_of(tuple(found))
    alpha = alpha_of(asked.level)
    effects = {
        pair: replicability({names[label]: p[i] for label, p in found.items()}, alpha=alpha)
        for i, pair in enumerate(pairs)
    }
    return inner, effects


def _names_of(labels: Labels) -> dict[tuple[str, str], str]:
    """Return a name of its own for each fold: with its repetition, if there are several.

    Examples
    --------
    >>> _names_of((("1", "a"), ("1", "b"))), _names_of((("1", "a"), ("2", "a")))
    ({('1', 'a'): 'a', ('1', 'b'): 'b'}, {('1', 'a'): '1/a', ('2', 'a'): '2/a'})
    >>> _names_of((("1/2", "3"), ("1", "2/3")))
    {('1/2', '3'): "'1/2'/'3'", ('1', '2/3'): "'1'/'2/3'"}
    """
    if len({again for again, _ in labels}) == 1:
        return {label: label[1] for label in labels}
    joined = {(again, name): f"{again}/{name}" for again, name in labels}
    if len(set(joined.values())) == len(joined):
        return joined
    return {(again, name): f"{again!r}/{name!r}" for again, name in labels}


def _tests(
    folds: Folds,
    pair: Names,
    ratio: float,
    asked: Asked,
    effects: Replicability | None,
    required: int,
) -> tuple[TestResult, ...]:
    """Return every test that applies to a pair."""
    d = _paired(folds, pair)
    found = [crossvalidation.corrected_t(d, ratio, asked.alternative)]
    if folds.shape() == (5, 2):
        table = _by_repetition(folds, d)
        if asked.alternative == "two-sided":
            found.append(crossvalidation.five_by_two_f(table))
        found.append(crossvalidation.five_by_two_t(table, asked.alternative))
    if effects is not None:
        found.append(crossvalidation.k_bonferroni(effects.p_values, required, asked.alternative))
    return tuple(found)


def _paired(folds: Folds, pair: Names) -> FloatArray:
    """Return the differences of two systems on the folds."""
    a, b = (folds.matrix[:, folds.names.index(name)] for name in pair)
    return classical.paired_differences(a, b)


def _by_repetition(folds: Folds, d: FloatArray) -> FloatArray:
    names = list(folds.repetitions())
    rows = [
        [float(x) for x, (again, _) in zip(d, folds.labels, strict=True) if again == name] for name in names
    ]
    return np.array(rows)


def _chosen(test: str, folds: Folds, asked: Asked) -> str:
    if test == "auto":
        combined = folds.shape() == (5, 2) and asked.alternative == "two-sided"
        return "5x2cv-f" if combined else "corrected-t"
    if test.startswith("5x2cv") and folds.shape() != (5, 2):
        raise DesignError(
            f"test {test!r} needs 5 repetitions of 2 folds; there are"
            f" {' + '.join(str(n) for n in folds.repetitions().values())} folds",
            hint='test="corrected-t" takes any number of folds',
        )
    if test == "5x2cv-f" and asked.alternative != "two-sided":
        raise DesignError("the combined F test is two-sided", hint='test="5x2cv-t" has sides')
    if test == "k-bonferroni" and not folds.parts:
        raise DesignError(
            "test 'k-bonferroni' needs a p-value inside each fold, so predictions of its items",
            hint='test="corrected-t" needs scores of folds only',
        )
    return test


def _differences(
    folds: Folds,
    pairs: Sequence[Names],
    tests: Mapping[Names, tuple[TestResult, ...]],
    name: str,
    ratio: float,
    asked: Asked,
    correction: str,
) -> tuple[Difference, ...]:
    chosen = {pair: next(test for test in tests[pair] if test.name == name) for pair in pairs}
    adjusted = multiplicity.adjust([chosen[pair].p_value for pair in pairs], correction)
    mean = dict(zip(folds.names, folds.matrix.mean(axis=0).tolist(), strict=True))
    found = []
    for (a, b), p in zip(pairs, adjusted, strict=True):
        d = _paired(folds, (a, b))
        interval, notes = defined(crossvalidation.corrected_interval(d, ratio, asked.level))
        notes = tuple(dataclasses.replace(note, about=(folds.metric.name, a, b)) for note in notes)
        if np.ptp(d) == 0.0:
            notes += (
                Note("no_variance", "the difference is the same on all folds", (folds.metric.name, a, b)),
            )
        found.append(
            Difference(
                metric=folds.metric.name,
                a=a,
                b=b,
                estimate=float(d.mean()),
                score_a=mean[a],
                score_b=mean[b],
                interval=interval,
                level=asked.level,
                test=chosen[a, b],
                p_adjusted=float(p),
                greater_is_better=folds.metric.greater_is_better,
                n_items=len(folds.labels),
                n_differing=int((d != 0.0).sum()),
                notes=notes,
            )
        )
    return with_direction_notes(found, alpha_of(asked.level))


def _spread(pair: Names, position: int, inner: Mapping[str, tuple[Difference, ...]], level: float) -> Spread:
    found = [differences[position] for differences in inner.values()]

    def ends(values: Sequence[float]) -> tuple[float, float]:
        return (min(values), max(values)) if values else (math.nan, math.nan)

    return Spread(
        a=pair[0],
        b=pair[1],
        n_repetitions=len(found),
        n_significant=sum(rejects(d.p_value, alpha_of(level)) for d in found),
        p_value=ends([d.p_value for d in found]),
        low=ends([d.interval.low for d in found if d.interval is not None]),
        difference=ends([d.estimate for d in found]),
        high=ends([d.interval.high for d in found if d.interval is not None]),
    )


def _notes(folds: Folds, given: float | None, ratio: float) -> list[Note]:
    notes = []
    if given is None and not folds.parts:
        notes.append(
            Note(
                "ratio_assumed",
                f"each fold is taken to be tested once, after training on all others of its repetition:"
                f" items tested over items trained on = {ratio:.4g}",
            )
        )
    if folds.parts:
        notes.append(
            Note(
                "trained_models_given",
                "the tests inside a fold or a repetition take its trained models as given; what another"
                " training would change is in the differences between folds and repetitions only",
            )
        )
    return notes


def _provenance(folds: Folds, asked: Asked, more: Mapping[str, Any], drawing: Drawing) -> Provenance:
    """Return everything needed to make the numbers again; the test of `Asked` is the one inside a fold."""
    told = {("inside" if key == "test" else key): value for key, value in dataclasses.asdict(asked).items()}
    return within.provenance(
        {"metrics": [folds.metric.name], **told, **more},
        {
            "repetitions": len(folds.repetitions()),
            "folds": len(folds.labels),
            "systems": list(folds.names),
        },
        folds.data_hash,
        drawing,
    )
