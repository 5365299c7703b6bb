"""The differences on the items of each dataset, and on how many datasets there is one."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.comparisons.common import per_dataset
from bestby.comparisons.common.family import alpha_of, with_direction_notes
from bestby.comparisons.common.per_dataset import Options
from bestby.inference.replicability import replicability
from bestby.questions.datasets.source import DatasetScores
from bestby.results.by_pair import Names
from bestby.results.comparison import Difference
from bestby.results.replicability import Replicability


def differences_within(
    scores: DatasetScores, pairs: Sequence[Names], options: Options
) -> dict[str, tuple[Difference, ...]]:
    """Return the differences on the items of each dataset, or those of the comparisons that were given."""
    if scores.compared:
        return {
            name: tuple(_without_unrequested(comparison[a, b, scores.metric.name], options) for a, b in pairs)
            for name, comparison in scores.compared.items()
        }
    return {
        name: per_dataset.differences(makers, scores.items[name], pairs, options)
        for name, makers in scores.makers.items()
    }


def _without_unrequested(d: Difference, options: Options) -> Difference:
    """Return a difference of a comparison that was given, without what was not asked for here."""
    if options.test is None:
        d = dataclasses.replace(d, test=None, p_adjusted=None)
    if options.interval is None:
        d = dataclasses.replace(
            d, interval=None, equivalence_interval=None, verdict=None, margin=None, standard_error=None,
            standard_error_method=None,
        )  # fmt: skip
    return d


def counts_of(
    tests: Mapping[str, tuple[Difference, ...]], pairs: Sequence[Names], options: Options
) -> dict[Names, Replicability]:
    """Return per pair on how many datasets there is a difference; nothing without tests."""
    if not tests or options.test is None:
        return {}
    untested = next((name for name, made in tests.items() if any(d.test is None for d in made)), None)
    if untested is not None:
        raise InvalidInputError(
            f"the comparison on dataset {quoted(untested)} was made with test=None, so it has no p-values to"
            " count",
            hint="pass test=None here too, or make that comparison with a test",
        )
    return {
        pair: replicability({name: made[i].p_value for name, made in tests.items()}, alpha=options.alpha)
        for i, pair in enumerate(pairs)
    }


def adjusted_within(
    tests: Mapping[str, tuple[Difference, ...]], counts: Mapping[Names, Replicability], level: float
) -> dict[str, tuple[Difference, ...]]:
    """Return the differences inside the datasets with Holm's p-values over the datasets."""
    holm = {}
    for position, (name, made) in enumerate(tests.items()):
        if counts:
            by_holm = [counts[d.a, d.b].p_adjusted[position] for d in made]
            corrected = [dataclasses.replace(d, p_adjusted=p) for d, p in zip(made, by_holm, strict=True)]
            made = with_direction_notes(corrected, alpha_of(level))
        holm[name] = tuple(
            dataclasses.replace(
                d, notes=tuple(dataclasses.replace(note, about=(name, *note.about)) for note in d.notes)
            )
            for d in made
        )
    return holm
