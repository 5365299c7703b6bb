"""Compare systems by cross-validation: fold-wise scores, or out-of-fold predictions of every item."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Alternative, Array, FloatArray
from bestby.datasets import within
from bestby.datasets.fold_results import FoldComparison, Spread
from bestby.datasets.results import Names
from bestby.datasets.within import Asked
from bestby.engine import testing
from bestby.engine.base import Drawing
from bestby.engine.interval import METHODS
from bestby.evaluation import Evaluation
from bestby.frames import evaluation_from_frame, is_frame
from bestby.inference import crossvalidation, multiplicity
from bestby.inference.replicability import Replicability, replicability
from bestby.resampling.streams import seed_of
from bestby.results import Difference, MetricInfo, Note, TestResult

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
) -> FoldComparison:
    """Compare systems that were trained and scored on the folds of one data set.

    Parameters
    ----------
    data : mapping, Evaluation or data frame
        Scores of folds: a mapping of system to an array of shape (K,) or (r, K) for r repetitions, or a
        frame with a row per fold. Out-of-fold predictions: an Evaluation whose strata are the folds, a
        mapping of repetition to such, or a frame with a row per item (and repetition).
    fold, repetition : str, optional
        Columns of a frame; "fold" and "repetition" by default.
    systems : list of str, optional
        The systems (columns of a frame) to compare; all by default.
    gold : str, optional
        The column of the gold in a frame with a row per item.
    metric : str, Metric or callable, optional
        What to compute of items; as for `compare`. For scores of folds, a name for them.
    greater_is_better : bool, optional
        The direction of scores of folds; True by default. Items: the metric knows.
    ratio : float, optional
        Items tested over items trained on, in one fold. By default that of cross-validation: 1 / (K - 1),
        or from the sizes of the folds. Give it for random splits: 0.25 if a fifth is tested.
    required : int or "all"
        How many folds must have an effect for test "k-bonferroni" to reject.
    baseline : str, optional
        Compare every other system with this one only.
    interval, level, n_resamples, rng, n_jobs, progress
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
    )
    read = _read(data, fold, repetition, None if systems is None else tuple(systems), gold)
    if isinstance(read, dict):
        folds = _of_items(read, metric, greater_is_better, drawing)
    else:
        folds = _of_scores(read, metric, greater_is_better)
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
        provenance=within.provenance(
            {
                "metrics": [folds.metric.name],
                **{
                    ("inside" if key == "test" else key): value
                    for key, value in dataclasses.asdict(asked).items()
                },
                "test": name,
                "ratio": share,
                "required": needed,
                "correction": correction,
                "baseline": baseline,
            },
            {
                "repetitions": len({label for label, _ in folds.labels}),
                "folds": len(folds.labels),
                "systems": list(folds.names),
            },
            folds.data_hash,
            drawing,
        ),
        level=asked.level,
        correction=correction,
        baseline=baseline,
    )


# -- what came -------------------------------------------------------------------------------------

Labels = tuple[tuple[str, str], ...]
"""Repetition and fold."""


@dataclasses.dataclass(frozen=True)
class _Scores:
    names: tuple[str, ...]
    labels: Labels
    matrix: FloatArray


@dataclasses.dataclass(frozen=True)
class _Folds:
    """Scores per fold, and what lies behind them."""

    metric: MetricInfo
    names: tuple[str, ...]
    labels: Labels
    matrix: FloatArray
    parts: Mapping[tuple[str, str], tuple[Any, Evaluation]]
    whole: Mapping[str, tuple[Any, Evaluation]]
    data_hash: str
    notes: tuple[Note, ...]

    def shape(self) -> tuple[int, int] | None:
        """Return the numbers of repetitions and of folds in each; None if they differ."""
        sizes = list(self.repetitions().values())
        return (len(sizes), sizes[0]) if len(set(sizes)) == 1 else None

    def repetitions(self) -> dict[str, int]:
        """Return the number of folds of each repetition."""
        counts: dict[str, int] = {}
        for name, _ in self.labels:
            counts[name] = counts.get(name, 0) + 1
        return counts


def _read(
    data: Any, fold: str | None, repetition: str | None, systems: tuple[str, ...] | None, gold: str | None
) -> _Scores | dict[str, Evaluation]:
    if isinstance(data, Evaluation):
        return {"1": _selected(data, systems)}
    if not isinstance(data, Mapping) and is_frame(data):
        return _from_frame(data, fold, repetition, systems, gold)
    if not isinstance(data, Mapping) or not data:
        raise InvalidInputError(
            f"data must be a mapping, a frame or an Evaluation, got {type(data).__name__}",
            hint='compare_folds({"old": scores_of_folds, "new": scores_of_folds})',
        )
    if all(isinstance(value, Evaluation) for value in data.values()):
        return {str(name): _selected(value, systems) for name, value in data.items()}
    names = tuple(str(name) for name in data) if systems is None else systems
    unknown = next((name for name in names if name not in data), None)
    if unknown is not None:
        raise InvalidInputError(f"no system {unknown!r} in these data", hint=f"systems: {', '.join(data)}")
    arrays = [_fold_scores(data[name], name) for name in names]
    for name, array in zip(names, arrays, strict=True):
        if array.shape != arrays[0].shape:
            raise InvalidInputError(
                f"systems must have a score for every fold: {names[0]!r} has shape {arrays[0].shape},"
                f" {name!r} {array.shape}",
            )
    r, k = arrays[0].shape
    labels = tuple((str(i + 1), str(j + 1)) for i in range(r) for j in range(k))
    return _Scores(names, labels, np.column_stack([array.reshape(-1) for array in arrays]))


def _selected(evaluation: Evaluation, systems: tuple[str, ...] | None) -> Evaluation:
    return evaluation if systems is None else within.only(evaluation, systems)


def _fold_scores(values: Any, name: str) -> FloatArray:
    array = checks.as_array(values, f"system {name!r}")
    if array.dtype.kind not in "biuf" or array.ndim not in (1, 2) or array.size == 0:
        raise InvalidInputError(
            f"scores of system {name!r} must be numbers of shape (folds,) or (repetitions, folds),"
            f" got {array.dtype} of shape {array.shape}",
            hint="give an Evaluation with strata=folds to compare predictions",
        )
    return np.atleast_2d(array.astype(np.float64))


def _from_frame(
    frame: Any, fold: str | None, repetition: str | None, systems: tuple[str, ...] | None, gold: str | None
) -> _Scores | dict[str, Evaluation]:
    names = [str(name) for name in (frame.column_names if hasattr(frame, "column_names") else frame.columns)]
    by = fold or "fold"
    again = repetition or ("repetition" if "repetition" in names else None)
    for name, role in ((by, "fold"), (again, "repetition")):
        if name is not None and name not in names:
            raise InvalidInputError(
                f"the frame has no column {name!r} of the {role}s",
                hint=f"name it: {role}=...; its columns are: {', '.join(names[:12])}",
            )
    folds = [str(value) for value in checks.column(frame[by], f"column {by!r}")]
    rounds = ["1"] * len(folds) if again is None else [str(v) for v in checks.column(frame[again], again)]
    labels = list(zip(rounds, folds, strict=True))
    others = [name for name in names if name not in (by, again, gold)]
    columns = tuple(others) if systems is None else systems
    if gold is None and len(set(labels)) == len(labels):
        matrix = np.column_stack([_fold_scores(frame[name], name)[0] for name in columns])
        return _Scores(columns, tuple(labels), matrix)
    whole = evaluation_from_frame(frame, gold=gold, stratum=by, systems=columns)
    return by_repetition(whole, np.array(rounds))


def by_repetition(whole: Evaluation, repetitions: Array) -> dict[str, Evaluation]:
    """Return one evaluation per repetition, the folds being its strata."""
    return {
        str(name): within.taken(whole, repetitions == name) for name in dict.fromkeys(repetitions.tolist())
    }


def _of_scores(read: _Scores, metric: Any, greater_is_better: bool | None) -> _Folds:
    if metric is not None and not isinstance(metric, str):
        raise InvalidInputError("scores of folds leave nothing to compute: metric must be a name for them")
    _check_size(read.names, read.labels)
    bad = np.argwhere(~np.isfinite(read.matrix))
    if bad.size:
        row, system = bad[0]
        raise InvalidInputError(
            f"system {read.names[system]!r} has no score on fold {read.labels[row][1]!r} of repetition"
            f" {read.labels[row][0]!r}",
            hint="folds cannot be left out one by one: the tests count on all of them",
        )
    info = MetricInfo(metric or "score", greater_is_better is not False, (-math.inf, math.inf))
    hashes = {f"{label}": repr(row.tolist()) for label, row in zip(read.labels, read.matrix, strict=True)}
    hashes["names"] = repr(read.names)
    return _Folds(info, read.names, read.labels, read.matrix, {}, {}, within.hash_of(hashes), ())


def _of_items(
    parts: Mapping[str, Evaluation],
    metric: Any,
    greater_is_better: bool | None,
    drawing: Drawing,
) -> _Folds:
    measure = within.one_metric(metric, parts.values())
    if greater_is_better is not None and greater_is_better != measure.greater_is_better:
        raise InvalidInputError(
            f"greater_is_better={greater_is_better} contradicts the metric {measure.name}"
        )
    names = next(iter(parts.values())).names
    whole, folds = {}, {}
    for again, evaluation in parts.items():
        if set(evaluation.names) != set(names):
            raise InvalidInputError(
                f"every repetition must have the same systems: {', '.join(names)};"
                f" repetition {again!r} has {', '.join(evaluation.names)}"
            )
        same = within.only(evaluation, names)
        for name, part in within.split(same, "fold").items():
            where = f"repetition {again!r}, fold {name!r}"
            folds[again, name] = (within.makers_of(part, measure, drawing, where), part)
        plain = dataclasses.replace(same, strata=None)
        whole[again] = (within.makers_of(plain, measure, drawing, f"repetition {again!r}"), plain)
    _check_size(names, tuple(folds))
    fitted = next(iter(whole.values()))[0].group.metrics[0]
    return _Folds(
        metric=MetricInfo(fitted.name, fitted.greater_is_better, fitted.bounds),
        names=names,
        labels=tuple(folds),
        matrix=np.array([makers.scores[0] for makers, _ in folds.values()]),
        parts=folds,
        whole=whole,
        data_hash=within.hash_of({name: part.data_hash() for name, part in parts.items()}),
        notes=tuple(dict.fromkeys(note for part in parts.values() for note in part.notes)),
    )


def _check_size(names: Sequence[str], labels: Labels) -> None:
    if len(names) < 2:
        raise InvalidInputError(f"a comparison needs at least 2 systems, got {', '.join(names) or 'none'}")
    if len(labels) < 2:
        raise InvalidInputError(
            f"at least 2 folds are needed, got {len(labels)}", hint="for one test set use compare"
        )


# -- numbers ---------------------------------------------------------------------------------------


def _ratio(folds: _Folds, ratio: float | None) -> float:
    if ratio is not None:
        if not 0.0 < ratio < math.inf:
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


def _ordered(folds: _Folds) -> tuple[str, ...]:
    sign = -1.0 if folds.metric.greater_is_better else 1.0
    mean = dict(zip(folds.names, folds.matrix.mean(axis=0).tolist(), strict=True))
    return tuple(sorted(folds.names, key=lambda name: (sign * mean[name], name)))


def _inner(
    folds: _Folds, pairs: Sequence[Names], asked: Asked
) -> tuple[dict[str, tuple[Difference, ...]], dict[Names, Replicability]]:
    """Return the differences on the pooled predictions of each repetition, and the effects in the folds."""
    if not folds.parts:
        return {}, {}
    inner = {
        name: within.differences(makers, evaluation, pairs, asked)
        for name, (makers, evaluation) in folds.whole.items()
    }
    found = {
        label: within.p_values(makers, evaluation, pairs, asked)
        for label, (makers, evaluation) in folds.parts.items()
    }
    single = len(folds.whole) == 1
    alpha = round(1.0 - asked.level, 12)
    effects = {
        pair: replicability(
            {(name if single else f"{again}/{name}"): p[i] for (again, name), p in found.items()}, alpha=alpha
        )
        for i, pair in enumerate(pairs)
    }
    return inner, effects


def _tests(
    folds: _Folds,
    pair: Names,
    ratio: float,
    asked: Asked,
    effects: Replicability | None,
    required: int,
) -> tuple[TestResult, ...]:
    """Return every test that applies to a pair."""
    a, b = (folds.names.index(name) for name in pair)
    d = folds.matrix[:, a] - folds.matrix[:, b]
    found = [crossvalidation.corrected_t(d, ratio, asked.alternative)]
    if folds.shape() == (5, 2):
        table = _by_repetition(folds, d)
        if asked.alternative == "two-sided":
            found.append(crossvalidation.five_by_two_f(table))
        found.append(crossvalidation.five_by_two_t(table, asked.alternative))
    if effects is not None:
        found.append(crossvalidation.k_bonferroni(effects.p_values, required, asked.alternative))
    return tuple(found)


def _by_repetition(folds: _Folds, d: FloatArray) -> FloatArray:
    names = list(folds.repetitions())
    rows = [
        [float(x) for x, (again, _) in zip(d, folds.labels, strict=True) if again == name] for name in names
    ]
    return np.array(rows)


def _chosen(test: str, folds: _Folds, asked: Asked) -> str:
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
    folds: _Folds,
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
        d = folds.matrix[:, folds.names.index(a)] - folds.matrix[:, folds.names.index(b)]
        notes: tuple[Note, ...] = ()
        if np.ptp(d) == 0.0:
            notes = (
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
                interval=crossvalidation.corrected_interval(d, ratio, asked.level),
                test=chosen[a, b],
                p_adjusted=float(p),
                greater_is_better=folds.metric.greater_is_better,
                n_items=len(folds.labels),
                n_differing=int((d != 0.0).sum()),
                notes=notes,
            )
        )
    return tuple(found)


def _spread(pair: Names, position: int, inner: Mapping[str, tuple[Difference, ...]], level: float) -> Spread:
    found = [differences[position] for differences in inner.values()]

    def ends(values: Sequence[float]) -> tuple[float, float]:
        return min(values), max(values)

    return Spread(
        a=pair[0],
        b=pair[1],
        n_repetitions=len(found),
        n_significant=sum(d.p_value < 1.0 - level for d in found),
        p_value=ends([d.p_value for d in found]),
        low=ends([d.interval.low for d in found]),
        difference=ends([d.estimate for d in found]),
        high=ends([d.interval.high for d in found]),
    )


def _notes(folds: _Folds, given: float | None, ratio: float) -> list[Note]:
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
