"""What `compare_datasets` and `compare_folds` share: the differences inside one evaluation at a time."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError, within
from bestby._core.text import quoted
from bestby._core.typing import Alternative, Array, FloatArray, IntArray
from bestby.comparisons import family, note_rules, one_pair, swap_notes
from bestby.comparisons.settings import CheckedSettings
from bestby.data.columns import codes
from bestby.data.evaluation import Evaluation, concatenated
from bestby.engine import prepare, significance_tests
from bestby.engine.base import Drawing, Pair
from bestby.engine.estimate import Estimates
from bestby.engine.text_statistics import Counting
from bestby.metrics.base import BaseMetric
from bestby.metrics.suitability import metric_of_parts, notes_of_parts
from bestby.report.comparison import Difference
from bestby.report.replicability import Names
from bestby.results.base import Note
from bestby.results.values import TestResult


@dataclass(frozen=True)
class Options(CheckedSettings):
    """How differences inside one evaluation are to be tested and bounded."""

    interval: str | None
    test: str | None
    level: float
    margin: float | None = None
    alternative: Alternative = "two-sided"
    correction: str = "holm"


def one_metric(
    metric: Any, parts: Mapping[str, Evaluation], what: str, greater_is_better: bool | None
) -> tuple[BaseMetric, list[Note]]:
    """Return the one metric asked for, or the default one, and the notes on all parts."""
    named = {f"{what} {name!r}": part for name, part in parts.items()}
    chosen, noted = metric_of_parts(metric, named, greater_is_better)
    return chosen, notes_of_parts(noted)


def intervals_on(
    evaluation: Evaluation,
    metric: BaseMetric,
    drawing: Drawing,
    where: str,
    counting: Counting | None = None,
) -> Estimates:
    """Return what makes intervals and tests for one metric; an error names the evaluation."""
    with within(where):
        (group,) = prepare.groups(evaluation, [metric], supports=prepare.ALL_GROUPINGS, counting=counting)
        estimates = Estimates(group, drawing)
        one_pair.check_defined(estimates.scores, metric, lambda s: f"system {quoted(evaluation.names[s])}")
    return estimates


def below_half_notes(
    estimates: Mapping[str, Estimates], what: str, names: Sequence[str], level: float
) -> list[Note]:
    """Return notes on areas under the ROC curve below that of chance, on each dataset or repetition."""
    return [
        note
        for name, one in estimates.items()
        for note in note_rules.below_half_notes(one, names, level, where=f"{what} {quoted(name)}: ")
    ]


def refuse_columns(data: Any, columns: Mapping[str, object]) -> None:
    """Refuse names of columns where the data have none."""
    if isinstance(data, Evaluation | Mapping):
        unused = {name: (column, None) for name, column in columns.items()}
        checks.refuse_unused("data other than a data frame, because it names a column", **unused)


def differences(
    estimates: Estimates,
    evaluation: Evaluation,
    pairs: Sequence[Names],
    options: Options,
    units: str = "",
) -> tuple[Difference, ...]:
    """Return A minus B with interval, verdict and test for each pair; p-values are not adjusted yet.

    `units` is what units are called that are no items or clusters.
    """
    names = evaluation.names
    positions = [(names.index(a), names.index(b)) for a, b in pairs]
    tests = _tests(estimates, positions, options)
    entries = []
    for pair in positions:
        bounds = one_pair.intervals(estimates.of(*pair), options.interval, options, units)
        test_of_pair = {pair: tests[pair]} if pair in tests else {}
        notes = swap_notes.exchange_notes(estimates.group, test_of_pair, names, options.test)
        bounds = bounds._replace(notes=(*bounds.notes, *notes))
        entries.append(one_pair.difference(estimates.of(*pair), evaluation, tests.get(pair), bounds, options))
    return tuple(entries)


def p_values(
    estimates: Estimates, evaluation: Evaluation, pairs: Sequence[Names], options: Options
) -> tuple[float, ...]:
    """Return the p-value of each pair, without intervals."""
    names = evaluation.names
    positions = [(names.index(a), names.index(b)) for a, b in pairs]
    tests = _tests(estimates, positions, options)
    return tuple(tests[position].p_value for position in positions)


def _tests(estimates: Estimates, pairs: Sequence[Pair], options: Options) -> dict[Pair, TestResult]:
    """Return the tests of the pairs; none if none was asked for."""
    if options.test is None:
        return {}
    return significance_tests.run(options.test, estimates, pairs, options.alternative)


def pairs_of(
    order: Sequence[str], names: Sequence[str], baseline: str | None, alternative: Alternative
) -> tuple[Names, ...]:
    """Return the pairs to compare: the better first, or as given where the question is one-sided."""
    places = [names.index(name) for name in order]
    base = None if baseline is None else names.index(baseline)
    pairs = family.pairs_to_compare(places, base, sided=alternative != "two-sided")
    return tuple((names[a], names[b]) for a, b in pairs)


def in_order(matrix: FloatArray, names: Sequence[str], order: Sequence[str]) -> FloatArray:
    """Return scores, a column per system, with the systems in another order; they cannot be changed."""
    ordered = matrix[:, [names.index(name) for name in order]]
    ordered.flags.writeable = False
    return ordered


def split(evaluation: Evaluation, what: str) -> dict[str, Evaluation]:
    """Return one evaluation per stratum, which is then no stratum any more."""
    if evaluation.strata is None:
        raise InvalidInputError(
            f"the evaluation does not say which {what} each item belongs to",
            hint=f"pass strata=... to Evaluation.of: the {what} of each item",
        )
    parts: dict[str, Evaluation] = {}
    for name in dict.fromkeys(evaluation.strata.tolist()):
        rows = evaluation.strata == name
        if int(rows.sum()) < 2:
            raise InvalidInputError(
                f"{what} {quoted(str(name))} has only {int(rows.sum())} item; at least 2 are needed",
                hint="with one item nothing can be said about the uncertainty",
            )
        parts[str(name)] = dataclasses.replace(evaluation, strata=None).with_rows(rows)
    return parts


def obstacle_to_pooling(parts: Mapping[str, Evaluation]) -> str | None:
    """Return why the items of several datasets cannot be put into one evaluation, in words.

    None if they can.
    """
    crossed = next((name for name, part in parts.items() if part.crossed is not None), None)
    if crossed is not None:
        return (
            f"the items of dataset {crossed!r} come in two crossed groupings, which pooled items cannot keep"
        )
    for system in ("", *next(iter(parts.values())).names):
        kinds = {_kind_of_values(part.systems[system] if system else part.gold) for part in parts.values()}
        if len(kinds) > 1:
            what = f"system {system!r}" if system else "the gold"
            return f"{what} holds {' in some datasets and '.join(sorted(kinds))} in others"
    classes = {None if part.classes is None else tuple(part.classes.tolist()) for part in parts.values()}
    return "the datasets do not have the same classes" if len(classes) > 1 else None


def _kind_of_values(values: Array | None) -> str:
    if values is None:
        return "nothing"
    if values.ndim == 2:
        return "rows of probabilities"
    return {"U": "text", "O": "texts or structures"}.get(values.dtype.kind, "numbers")


def pooled(parts: Mapping[str, Evaluation], systems: Sequence[str]) -> Evaluation:
    """Return all items in one evaluation whose strata are the parts, and their strata within them.

    Only of parts without an `obstacle_to_pooling`.
    """
    clustered = any(part.clusters is not None for part in parts.values())
    return dataclasses.replace(
        concatenated([*parts.values()], systems),
        clusters=_numbered({name: _units(part) for name, part in parts.items()}) if clustered else None,
        strata=_numbered(
            {name: np.zeros(p.n_items) if p.strata is None else p.strata for name, p in parts.items()}
        ),
    )


def derived_seed(seed: int, name: str) -> int:
    """Return a seed of its own for each name: the parts are drawn independently, in whatever order."""
    return int.from_bytes(hashlib.blake2b(f"{seed}|{name}".encode(), digest_size=7).digest(), "big")


def _numbered(groups: Mapping[str, Array]) -> IntArray:
    """Return one number per pair of a part and a group in it, one part after the other.

    The numbers follow the names of the parts, not their order: drawn results must not depend on that.
    """
    coded = {name: codes(values) for name, values in groups.items()}
    first, offsets = 0, {}
    for name in sorted(coded):
        offsets[name] = first
        first += coded[name][0].size
    return np.concatenate([code.astype(np.int64) + offsets[name] for name, (_, code) in coded.items()])


def _units(part: Evaluation) -> Array:
    return np.arange(part.n_items) if part.clusters is None else part.clusters
