"""Notes on comparisons over several datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bestby.comparisons.common import per_dataset, swap_notes
from bestby.comparisons.common.family import shown_better
from bestby.comparisons.common.per_dataset import Options
from bestby.questions.datasets.source import DatasetScores
from bestby.results.base import Note
from bestby.results.by_pair import Names
from bestby.results.comparison import Difference
from bestby.results.replicability import Replicability

FEWEST_FOR_SHAPE = 11
"""Datasets below which nothing shows whether the differences are skewed."""

ASKS = {
    "wilcoxon": "the differences are symmetric about 0 (their pseudo-median is 0)",
    "sign": "each system wins on half of the datasets",
}
"""What tests over the datasets ask that is not about the mean."""


def notes_on(
    scores: DatasetScores,
    pairs: Sequence[Names],
    counts: Mapping[Names, Replicability],
    tests: Mapping[str, tuple[Difference, ...]],
    options: Options,
    across: str | None,
) -> list[Note]:
    """Return notes on what the tests over the datasets show, and on what the datasets do not agree on.

    `across` is the test over the datasets; None where nothing is tested.
    """
    n = len(scores.datasets)
    notes = [] if across is None else _notes_on_test(scores.metric.name, n, len(pairs), options, across)
    if across is None and options.interval is not None and n < FEWEST_FOR_SHAPE:
        notes.append(_few_datasets(n, "the interval of the mean holds"))
    obstacle = per_dataset.obstacle_to_pooling(scores.items) if scores.items else None
    if scores.items and scores.measure is None:
        obstacle = "the datasets have metrics of their own"
    if obstacle is not None:
        notes.append(Note("not_pooled", f"there is no difference on all items pooled (micro): {obstacle}"))
    if options.interval is not None and any(c.level != options.level for c in scores.compared.values()):
        notes.append(
            Note("levels_differ", "the intervals on the datasets have the level of their own comparisons")
        )
    for position, pair in enumerate(pairs):
        with_effect = counts[pair].found if pair in counts else ()
        ahead = {shown_better(tests[name][position], options.alpha) for name in with_effect} - {None}
        if len(ahead) > 1:
            notes.append(
                Note(
                    "both_directions",
                    "the datasets with a difference do not agree on which system is better",
                    (scores.metric.name, *pair),
                )
            )
    return notes


def _few_datasets(n: int, what: str) -> Note:
    text = f"{n} datasets do not show whether the differences between them are skewed: {what}"
    return Note("few_datasets", f"{text} if they are roughly symmetric")


def _notes_on_test(metric: str, n: int, n_pairs: int, options: Options, across: str) -> list[Note]:
    """Return notes on what the test of each pair over n datasets can show, and what it asks."""
    family = 1 if options.correction == "none" else n_pairs
    sides = 2.0 if options.alternative == "two-sided" else 1.0
    least = min(1.0, sides * 0.5**n * family)
    notes = []
    if across not in ("t", "hall") and least > options.alpha:
        limit = f"with {n} datasets and {family} comparisons" if family > 1 else f"with {n} datasets"
        limit += f" the p-value of the {across} test over datasets cannot be below {least:.2g} (corrected)"
        notes.append(Note("few_datasets", limit))
    elif n < FEWEST_FOR_SHAPE and across in swap_notes.TESTS_OF_MEANS:
        both = "" if options.interval is None else " and the interval of the mean"
        notes.append(_few_datasets(n, f"the {across} test{both} hold{'' if both else 's'}"))
    if across in ASKS:
        mean = "the estimate is" if options.interval is None else "the estimate and the interval are"
        text = (
            f"the {across} test over the datasets asks whether {ASKS[across]}, but {mean} of the mean"
            " difference: if differences are skewed the two may disagree, and a"
            ' small p-value is not evidence about the mean; across="t" tests the mean'
        )
        notes.append(Note("not_the_mean", text, (metric,)))
    return notes
