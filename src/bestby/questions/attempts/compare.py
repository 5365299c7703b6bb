"""`compare_attempts`: pass@k or pass^k of systems for every k, with bands that hold for all k at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np

from bestby._core import checks
from bestby._core.errors import within
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby._core.typing import FloatArray, OnMissing, Rng
from bestby.comparisons import note_rules
from bestby.comparisons.provenance import evaluation_provenance
from bestby.comparisons.reading import Arguments, evaluation_of
from bestby.data.evaluation import Evaluation
from bestby.data.reading import Reading, checked_reading
from bestby.data.roles import listed
from bestby.engine.base import Drawing
from bestby.inference.multiplicity import DRAWS, alpha_at
from bestby.metrics.answers import PassAtK
from bestby.metrics.suitability import chosen_metrics
from bestby.questions.attempts.bands import Curves, band, difference_band
from bestby.questions.attempts.result import AttemptsComparison, AttemptsCurve, AttemptsDifference
from bestby.report.reported import with_backend
from bestby.resampling.settings import combined_settings
from bestby.results.base import MetricInfo, Note

FEW_SOLVED = 10
"""Items or clusters below which a 95 % band of their curve may hold with less than 93 % (`calibration`)."""


@with_suggestions
def compare_attempts(
    data: Mapping[str, Any] | Evaluation | Any,
    *,
    metric: Literal["pass@k", "pass^k"] = "pass@k",
    systems: str | Sequence[str] | None = None,
    items: Any = None,
    clusters: Any = None,
    strata: Any = None,
    on_missing: OnMissing = "error",
    reading: Reading | None = None,
    level: float = 0.95,
    rng: Rng = 0,
) -> AttemptsComparison:
    """Compare systems for every number of attempts: pass@k or pass^k for all k, each with a band.

    A system may be better with one attempt and worse with many. The band of a curve holds for all k at once,
    and so does that of a difference, so that k may be chosen after the data were seen.

    Parameters
    ----------
    data : mapping of str to list of pairs or to mapping, or Evaluation
        Per system one pair (samples, right ones) for each item, as for ``metric="pass@1"`` of `compare`, in a
        list of length n or by item id; or what `read` returns of tables of pairs, and of long tables and logs
        of tools with several samples of 0 or 1 of each item, which are counted. One system is enough.
    metric : {"pass@k", "pass^k"}
        The chance that at least one of k attempts is right, or that all of them are. Higher is better.
    systems, items, clusters, strata
        As for `compare`; two crossed groupings are refused.
    on_missing
        As for `compare`, without "pairs" and "bounds"; with "worst" a missing item counts as never solved.
    reading
        As for `compare`.
    level : float
        The level of each band.
    rng : int, SeedSequence, Generator or None
        The seed of the draws that tell how the scores vary together.

    Returns
    -------
    AttemptsComparison
        The curves from k = 1 to the fewest samples that a system has of an item, their differences, where
        they are significant and cross, notes and provenance.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If the items come in two crossed groupings.

    See Also
    --------
    compare : The differences at one k, such as ``metric="pass@10"``, with p-values.
    compare_runs : How many items change from run to run.

    Notes
    -----
    Both metrics are estimated without bias from n samples of an item of which c are right [1]_, [2]_, for all
    k from the same samples. The means over items vary together over k as the items (or clusters) do; the
    largest deviation over all k follows from draws with these correlations [3]_, and is passed by Student's
    t as rarely. At every k the band of a system is Wilson's interval of as many right or wrong answers as
    have the variance of the mean, of which one more item that is always right and one that never is may leave
    fewer: without these, nothing in the data would show that pass@k of other items can be less than 1 where
    all of few items are solved. As curves of pass@k never fall, and those of pass^k never rise, each end is
    drawn in where that at another k tells more. The bands of differences add both intervals in squares, with
    the correlation of the systems [4]_, and hold for all pairs of systems at once, too.

    The bands are for other items with other samples of them. They mislead where few items are ever solved or
    ever failed (note ``"few_effective"``), and below 15 items, where a rare kind of item has hardly a chance
    to be among them; below 15 Bonferroni's bound takes the place of the correlations.

    References
    ----------
    .. [1] Chen et al. (2021), Evaluating large language models trained on code, arXiv:2107.03374, equation 1.
    .. [2] Yao et al. (2024), tau-bench, arXiv:2406.12045, section 5.
    .. [3] Hothorn, Bretz & Westfall (2008), Simultaneous inference in general parametric models, Biometrical
       J. 50, 346-363.
    .. [4] Zou & Donner (2008), Construction of confidence limits about effect measures, Statist. Med. 27,
       1693-1702, equation 5.

    Examples
    --------
    >>> steady = [(20, 20)] * 20 + [(20, 0)] * 20
    >>> bold = [(20, 3)] * 40
    >>> result = compare_attempts({"steady": steady, "bold": bold})
    >>> difference = result.difference("steady", "bold")
    >>> [tuple(one) for one in difference.ranges], difference.crossings
    ([('steady', 1, 2), ('bold', 6, 20)], ((2, 6),))
    """
    how = checked_reading(reading, "compare_attempts")
    kind = checks.choice(metric, ("pass@k", "pass^k"), "metric")
    of_one = PassAtK(kind, every=kind == "pass^k")
    alpha = alpha_at(checks.level(level))
    drawing = Drawing.of(combined_settings(None, DRAWS, rng))
    arguments = Arguments(
        systems=systems, items=items, clusters=clusters, strata=strata, on_missing=on_missing, reading=how
    )
    evaluation = evaluation_of(data, arguments, of_one)
    (_,), evaluation = chosen_metrics(of_one, evaluation)
    evaluation.uncounted("compare_attempts").require_support("compare_attempts", ("clusters", "strata"))
    names = sorted(evaluation.names)  # draws do not depend on the order in which they were given
    pairs = [_pairs(of_one, evaluation, name) for name in names]
    largest = int(min(one[:, 0].min() for one in pairs))
    # Each curve by itself, so that no other system can change it
    curves = [
        _curve(Curves.of([one], evaluation, largest, every=of_one.every), name, alpha, drawing.seed, of_one)
        for name, one in zip(names, pairs, strict=True)
    ]
    order = sorted(range(len(names)), key=lambda s: (-sum(curves[s].scores), names[s]))
    joint = Curves.of(pairs, evaluation, largest, every=of_one.every)
    result = AttemptsComparison(
        metric=MetricInfo(kind, True, of_one.bounds),
        curves=tuple(curves[s] for s in order),
        pairs=tuple(_differences(joint, order, names, alpha, drawing.seed)),
        level=level,
        fewest=largest,
        most=int(max(one[:, 0].max() for one in pairs)),
        n_items=evaluation.n_items,
        n_clusters=evaluation.n_clusters,
        notes=tuple(_notes(evaluation, kind, names, pairs)),
        provenance=evaluation_provenance(evaluation, [of_one], {"level": level}, drawing),
    )
    return with_backend(result, evaluation.frame_backend)


def _pairs(metric: PassAtK, evaluation: Evaluation, name: str) -> FloatArray:
    """Return the pairs (samples, right) of a system, shape (n, 2)."""
    with within(f"system {quoted(name)}"):
        pairs = np.column_stack(metric.counts(evaluation.values_of(name, trials=True)))
    if name in evaluation.missing:
        pairs[evaluation.missing[name]] = pairs[:, 0].max(), 0.0  # never solved, and not the fewest samples
    return pairs


def _curve(curves: Curves, name: str, alpha: float, seed: int, metric: PassAtK) -> AttemptsCurve:
    """Return the curve of one system with its band."""
    ends = [one[:, 0] for one in curves.ends(curves.point([(0, 0)], alpha, seed))]
    low, high = band(*ends, rising=not metric.every)
    return AttemptsCurve(name, _numbers(curves.moments[0][:, 0]), _numbers(low), _numbers(high))


def _differences(
    curves: Curves, order: Sequence[int], names: Sequence[str], alpha: float, seed: int
) -> Iterator[AttemptsDifference]:
    """Yield the difference of every two systems."""
    if len(order) < 2:
        return
    point = curves.point([*combinations(range(len(order)), 2)], alpha, seed)
    for a, b in combinations(order, 2):
        difference = curves.moments[0][:, a] - curves.moments[0][:, b]
        ends = difference_band(curves, a, b, point)
        yield AttemptsDifference(names[a], names[b], _numbers(difference), *map(_numbers, ends))


def _numbers(values: FloatArray) -> tuple[float, ...]:
    return tuple(values.tolist())


def _notes(
    evaluation: Evaluation, metric: str, names: Sequence[str], pairs: Sequence[FloatArray]
) -> Iterator[Note]:
    """Yield notes on the data, and where so few items are ever solved, or ever failed, that bands mislead."""
    yield from evaluation.notes
    # Wilson's intervals hold for few items
    yield from (note for note in note_rules.data_notes(evaluation) if note.code != "few_items")
    units = np.arange(evaluation.n_rows) if evaluation.clusters is None else evaluation.clusters
    for what, column in (("solved", 0), ("failed", 1)):
        few = []
        for name, one in zip(names, pairs, strict=True):
            found = (one[:, 1] if column == 0 else one[:, 0] - one[:, 1]) > 0.0
            if (n := np.unique(units[found]).size) < FEW_SOLVED:
                few.append(f"{name} ({n})")
        if few:
            kind = "items" if evaluation.clusters is None else "clusters with items that"
            message = (
                f"fewer than {FEW_SOLVED} {kind} are ever {what} by {listed(few, 4)}: what is rare here may"
                f" be frequent among others, and the bands of {metric} may be too narrow"
            )
            yield Note("few_effective", message, (metric,))
