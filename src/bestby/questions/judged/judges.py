"""The report on the judges, from the labelled items."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.arrays import listed as listed_values
from bestby._core.arrays import objects
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array
from bestby.data.columns import column_of_texts, texts_of_dates
from bestby.data.layouts.judged import JudgedItems
from bestby.data.roles import listed
from bestby.data.values import as_scores
from bestby.questions.judged import judge_quality
from bestby.questions.judged.drawing import Drawn
from bestby.questions.judged.judge_pairs import Pairs, carried_by_few
from bestby.questions.judged.judge_quality_result import HumanAgreement, JudgeQuality
from bestby.questions.judged.source import item_text, side
from bestby.results.base import Note

ORDER = "order"
"""The name of the order of the items, where no column has it."""

_DATE = re.compile(r"\d{4}-\d\d")
"""How a date begins: a year alone is a number."""


def judges_of(
    scores: JudgedItems, labelled: Drawn, bias_by: Any, level: float, *, same: bool, greater: bool
) -> tuple[tuple[JudgeQuality, ...], tuple[Note, ...]]:
    """Return what the labels tell of every judge, and on which judges that rests on few answers."""
    if bias_by is not None and not same:
        raise InvalidInputError(
            "bias_by needs judge and humans on the same scale, as the bias is the judge's score minus the"
            " human one",
            hint='leave it out, or bring both to one scale and say scale="same"',
            argument="bias_by",
        )
    data = labelled.data
    item, system = np.nonzero(data.known)
    columns = [
        (name, _values(scores, name, values, item, system)) for name, values in _columns(scores, bias_by)
    ]
    plain = labelled.n_clusters == 0 and labelled.n_strata == 1 and not data.weighted
    found, notes = [], []
    for place, name in enumerate(scores.judges):
        judge, human = data.judge[item, system, place], data.human[item, system]
        pairs = Pairs(
            judge, human, data.weights[item, system], system, data.clusters[item], data.strata[item],
            scores.names, plain, judge_quality.binary(judge, human),
        )  # fmt: skip
        quality = judge_quality.quality(name, pairs, columns, level, same=same, greater=greater)
        found.append(quality)
        each = (pairs.part(system == s) for s in range(len(scores.names)))
        few = [one for one, own in zip(scores.names, each, strict=True) if carried_by_few(own)]
        who = name if len(scores.judges) > 1 else "the judge"
        notes += [_few_answers_off(who, few, same=same)] if few else []
        notes += _favour_untested(who, quality, binary=pairs.binary)
    return tuple(found), tuple(notes)


def _few_answers_off(judge: str, systems: list[str], *, same: bool) -> Note:
    """Return a note on a judge whose errors rest on few answers."""
    what = "its bias and its correlation with the humans" if same else "its correlation with the humans"
    are = "are" if same else "is"
    return Note(
        "few_answers_off",
        f"{judge} is far off on a few of the labelled answers of {listed(systems, 3)}: {what} {are} hardly"
        " known there, and intervals of the report on the judge may be much too short",
    )


def _favour_untested(judge: str, quality: JudgeQuality, *, binary: bool) -> list[Note]:
    """Return a note if favour is not tested, or not among answers of one human label."""
    tested = {one.label for one in quality.favour}
    untested = [f"the humans give {label:g}" for label in (1.0, 0.0) if label not in tested]
    if not binary:
        what, takes = "items with the same human score", "more labels, or scores of the judge that vary more"
        untested = [] if tested else ["any"]
    else:
        what = f"answers that {' or '.join(untested)}"
        takes = (
            "labels of such answers of every system, and at least"
            f" {judge_quality.LEAST_APART} verdicts of either kind on them by the judge, not alike for all"
            " systems"
        )
    return [
        Note(
            "favour_untested",
            f"whether {judge} scores the systems alike among {what} is not tested: that takes {takes}",
        )
    ] if untested else []  # fmt: skip


def humans_of(scores: JudgedItems) -> HumanAgreement | None:
    """Return how far several humans agree; None if no item has several."""
    item, system = np.nonzero(scores.n_humans > 0)
    return judge_quality.agreement(
        scores.human_variance[item, system], scores.n_humans[item, system], scores.human[item, system], system
    )


def _columns(scores: JudgedItems, bias_by: Any) -> list[tuple[str, Any]]:
    """Return the columns that were named, with what holds their values."""
    if bias_by is None:
        return []
    if isinstance(bias_by, Mapping):
        checks.valid_names(bias_by, "columns")
        return list(bias_by.items())
    names = checks.valid_name_list(bias_by, "bias_by")
    order = np.arange(len(scores.human))
    return [(name, order if name == ORDER and name not in scores.columns else name) for name in names]


def _values(scores: JudgedItems, name: str, given: Any, item: Array, system: Array) -> Array:
    """Return the values of a column for the labelled pairs: numbers, or texts."""
    if isinstance(given, Mapping) and set(given) == set(scores.names):
        given = [side(scores, given[one], "bias_by") for one in scores.names]
        values = np.stack([objects(listed_values(one, f"bias_by: {quoted(name)}")) for one in given], axis=1)
    else:
        values = side(scores, given, "bias_by")
        if not (isinstance(values, np.ndarray) and values.ndim):
            values = objects(listed_values(values, f"bias_by: {quoted(name)}"))
    if values.shape not in (scores.human.shape, scores.human.shape[:1]):
        raise InvalidInputError(
            f"bias_by: {quoted(name)} must have a value per item, {len(scores.human)}, got {len(values)}",
            hint="give one per item, or per item and system",
            argument="bias_by",
        )
    chosen = values[item, system] if values.ndim > 1 else values[item]
    missing = np.array([checks.missing(one) for one in chosen.tolist()], dtype=np.bool_)
    if missing.any():
        first = item_text(scores, int(item[int(np.flatnonzero(missing)[0])]))
        raise InvalidInputError(
            f"bias_by: {quoted(name)} has no value for item {first}, which has a human label",
            hint="fill it in, or leave the column out",
            argument="bias_by",
        )
    found = _numbers_or_texts(chosen)
    if found.dtype.kind == "f" and not np.isfinite(found).all():
        first = item_text(scores, int(item[int(np.flatnonzero(~np.isfinite(found))[0])]))
        raise InvalidInputError(
            f"bias_by: {quoted(name)} is infinite for item {first}, so that the bias has no slope by it",
            hint="give a finite number, or leave the column out",
            argument="bias_by",
        )
    return found


def _numbers_or_texts(values: Array) -> Array:
    """Return numbers where all values are numbers, as in a file; days where all are dates; else texts.

    >>> _numbers_or_texts(np.array(["0", "2"])), _numbers_or_texts(np.array(["2024-01-31", "2024-02-01"]))
    (array([0., 2.]), array([0., 1.]))
    >>> _numbers_or_texts(np.array(["01", "02"]))
    array(['01', '02'], dtype='<U2')
    """
    dates = values.dtype.kind == "M"
    found = values if dates else np.array(values.tolist())
    if found.dtype.kind not in "fiub":
        spelt = texts_of_dates(values) if dates else [str(one) for one in values.tolist()]
        found = as_scores(column_of_texts(spelt)).values
    if found.dtype.kind in "fiub":
        return found.astype(np.float64)
    texts = found.astype(str)
    if not all(_DATE.match(one) for one in texts.tolist()):
        return texts
    try:
        times = texts.astype("datetime64[us]")
    except ValueError:
        return texts
    days: Array = (times - times.min()) / np.timedelta64(1, "D")
    return days
