"""What may be off in files: what is counted, and what is tested with one correction for all tests."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from bestby._core import special
from bestby._core.text import counted, percentage, quoted, words_of
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.data.roles import facet_columns, is_quantity, listed, shared_levels_note
from bestby.inference.classical import doubled_ranks
from bestby.inference.clusters import FEW_CLUSTERS, LARGEST_SHARE
from bestby.inference.multiplicity import holm, rejects
from bestby.questions.check.asking import TEXT_METRIC
from bestby.questions.check.content import Content
from bestby.questions.check.result import Finding, Unchecked

ALPHA = 0.05
"""The probability that anything is reported of data without order, bias and items answered backwards."""

MOST_SLICES = 20
"""Groups up to which systems are compared in each."""

LEVEL_SHARE = 0.75
"""Share of the items that do not tell the systems apart from which it is said."""

FEWEST_IN_ORDER = 30
"""Items from which a drift over their order is tested."""

MOST_SYSTEMS = 100
"""Systems of which the exact test of an item makes use."""

_SEEN_AS = {"read_as", "counted"}
"""Codes of notes on data that are no findings."""

_OF_LABELS = {"no_shared_label", "label_spelling", "label_precision", "decimal_commas", "texts_as_labels"}
"""Codes of notes of an answer that are findings: what counts as wrong for how it is written."""

PEOPLE = frozenset({"annotator", "rater", "worker", "labeller", "author", "user", "speaker", "source"})
"""Words of names of columns that say who or what a row is from."""


class PValues(NamedTuple):
    """The p-values of one kind of check, and what is said of those that are small."""

    code: str
    p_values: FloatArray
    said: Callable[[BoolArray], str]


Found = Finding | Unchecked | PValues


def oddities(content: Content, judgements: Any = None) -> tuple[tuple[Finding, ...], tuple[Unchecked, ...]]:
    """Return what may be off, and what could not be checked."""
    checks = (
        gold_or_system, duplicate_ids, unequal_ids, missing_values, same_inputs, unused_groups, large_shares,
        few_clusters, level_items, backward_items, drift, other_quantities, several_facets, texts,
        notes_of_reading,
    )  # fmt: skip
    found = [one for check in checks for one in check(content)]
    if judgements is not None:
        found += first_shown(judgements)
    findings = [one for one in found if isinstance(one, Finding)]
    tests = [one for one in found if isinstance(one, PValues)]
    return (*findings, *significant(tests)), tuple(one for one in found if isinstance(one, Unchecked))


def significant(tests: Sequence[PValues]) -> list[Finding]:
    """Return the tests that reject after Holm's correction of the kinds, each by Bonferroni among its own.

    >>> one = PValues("x", np.array([0.001, 0.2]), lambda which: f"{which.sum()} found")
    >>> [finding.message for finding in significant([one, PValues("y", np.array([0.04]), str)])]
    ['1 found', '[ True]']
    """
    if not tests:
        return []
    least = np.array([min(1.0, one.p_values.size * float(one.p_values.min())) for one in tests])
    adjusted = holm(least)
    return [
        # The factor of a kind is at least that of Holm's step for it
        Finding(
            one.code,
            one.said(rejects(one.p_values * one.p_values.size * (p / raw if raw else 1.0), ALPHA)),
            float(p),
        )
        for one, raw, p in zip(tests, least, adjusted, strict=True)
        if rejects(float(p), ALPHA)
    ]


# -- counted -----------------------------------------------------------------------------------------


def gold_or_system(content: Content) -> Iterator[Found]:
    """Yield what was taken for the gold by a name that a reference system may have as well."""
    names = {name for table in content.tables for name in table.names}
    golds = dict.fromkeys(PurePath(gold).stem for asked in content.asked for gold in asked.option("--gold"))
    for gold in golds:
        if gold in names and gold.lower() in ("ref", "refs"):
            yield Finding(
                "gold_or_system",
                f"{quoted(gold)} was taken for the gold by its name: if it is a system, give compare the"
                " names of the systems (--system) and the gold (--gold)",
            )


def duplicate_ids(content: Content) -> Iterator[Found]:
    """Yield the item ids that occur several times where they may not."""
    if not content.tables:
        yield Unchecked("columns", content.lacking)
        return
    if content.item is None:
        yield Unchecked("item ids", "a column of ids")
        return
    if content.repeats_items or any(one.question.command == "runs" for one in content.asked):
        return
    for table in content.tables:
        if content.item not in table.data:
            continue
        ids = table.cells(content.item)
        keys = ids if content.systems is None else [*zip(table.cells(content.systems), ids, strict=True)]
        often = [key for key, times in Counter(keys).items() if times > 1]
        if often:
            first = often[0] if isinstance(often[0], str) else " of ".join(often[0][::-1])
            yield Finding(
                "duplicate_ids",
                f"{counted(len(often), 'item id')} of {table.source} occur more than once, such as {first}",
            )


def several_facets(content: Content) -> Iterator[Found]:
    """Yield columns of several facets where runs are compared that share their levels."""
    facets = facet_columns(name for table in content.tables for name in table.names)
    runs = any(one.question.command == "runs" for one in content.asked)
    if len(facets) > 1 and not runs:  # the answer for runs has this note itself
        note = shared_levels_note(facets)
        yield Finding(note.code, note.message)


def unequal_ids(content: Content) -> Iterator[Found]:
    """Yield which systems lack items that others have."""
    item, tables = content.item, content.tables
    if item is None or content.repeats_items or any(item not in table.data for table in tables):
        return
    by_system: dict[str, set[str]] = {table.source: {*table.cells(item)} for table in tables}
    if content.systems is not None:
        by_system = {}
        rows = zip(tables[0].cells(content.systems), tables[0].cells(item), strict=True)
        for system, one in rows:
            by_system.setdefault(system, set()).add(one)
    every = set().union(*by_system.values())
    for system, ids in by_system.items():
        lacking = sorted(every - ids)
        if lacking:
            yield Finding(
                "unequal_ids", f"{system} lacks {len(lacking)} of {len(every)} item ids, such as {lacking[0]}"
            )


def missing_values(content: Content) -> Iterator[Found]:
    """Yield which columns that play a part have rows without a value."""
    for table in content.tables:
        for name in table.names:
            part, n = content.part(name), int(table.column(name).missing.sum())
            if n and part and part != "human":
                where = f" of {table.source}" if len(content.tables) > 1 else ""
                yield Finding(
                    "missing_values",
                    f"column {quoted(name)}{where} ({part}) has no value in {n} of {table.n_rows} rows",
                )


def same_inputs(content: Content) -> Iterator[Found]:
    """Yield how many items have the same texts as an earlier one."""
    table, names = content.items, content.inputs
    if table is None or not names:
        yield Unchecked("items that are the same twice", "a column with the text of each item")
        return
    rows = [*zip(*(table.cells(name) for name in names), strict=True)]
    n = sum(any(row) for row in rows) - len({row for row in rows if any(row)})
    if n:
        they = "has" if n == 1 else "have"
        yield Finding(
            "same_inputs",
            f"{counted(n, 'item')} of {len(rows)} {they} the same {listed(names, 3)} as an earlier one: such"
            " items count twice",
        )


def unused_groups(content: Content) -> Iterator[Found]:
    """Yield the columns that group the items and that no question uses yet."""
    if content.evaluation is None:
        return
    for name, sizes in content.groups.items():
        groups = f"column {quoted(name)} has {sizes.size} values for {int(sizes.sum())} items"
        if sizes.size <= MOST_SLICES:
            what = f"compare the systems in each by `bestby slices ... --by {name}`"
        else:
            what = f"if the items of one value are alike, say so: --cluster {name}"
        yield Finding("unused_group", f"{groups}; {what}")


def large_shares(content: Content) -> Iterator[Found]:
    """Yield the people or sources that a large share of the rows is from."""
    for one, name in [(table, name) for table in content.tables[:1] for name in table.names]:
        if PEOPLE.isdisjoint(words_of(name)) or one.column(name).is_soft:
            continue
        times = Counter(cell for cell in one.cells(name) if cell)
        first, n = times.most_common(1)[0] if times else ("", 0)
        share = n / max(times.total(), 1)
        if len(times) > 1 and share > max(LARGEST_SHARE, 2.0 / len(times)):
            yield Finding(
                "large_share", f"{percentage(share)} of the rows are from one {name}: {quoted(first)}"
            )


def few_clusters(content: Content) -> Iterator[Found]:
    """Yield that the clusters in use are few."""
    clusters = None if content.evaluation is None else content.evaluation.clusters
    if clusters is not None and (n := np.unique(clusters).size) < FEW_CLUSTERS:
        yield Finding("few_clusters", f"{n} clusters are few: intervals rest on how much these vary")


def level_items(content: Content) -> Iterator[Found]:
    """Yield how many items all systems have right, or none."""
    scores = _right_or_wrong(content)
    if content.scores is None:
        yield Unchecked("items by their scores (all or none right, backwards, drift)", "a score of each item")
        return
    if scores is None:
        yield Unchecked("items that all systems or none have right, or backwards", "right or wrong answers")
    if scores is None or len(scores) < 2:
        return
    right = scores.sum(axis=0)
    n_all, n_none = int((right == len(scores)).sum()), int((right == 0.0).sum())
    if n_all + n_none >= LEVEL_SHARE * right.size:
        yield Finding(
            "level_items",
            f"all systems are right on {n_all} and all wrong on {n_none} of {right.size} items: only the"
            f" other {right.size - n_all - n_none} tell them apart",
        )


def other_quantities(content: Content) -> Iterator[Found]:
    """Yield the columns of times, costs and the like that no command sets beside the quality yet."""
    if content.evaluation is None:  # runs and datasets have no such question
        return
    columns = dict.fromkeys(name for table in content.tables for name in table.names)
    costs = {cost for asked in content.asked for cost in asked.option("--cost")}
    names = [name for name in columns if is_quantity(name) and content.part(name) != "system"]
    if rest := [name for name in names if name not in costs]:
        yield Finding(
            "other_quantities",
            f"columns of times, costs or lengths can be set beside the quality as well: {listed(rest)}"
            " (bestby frontier, --cost)",
        )


def texts(content: Content) -> Iterator[Found]:
    """Yield which metrics read texts."""
    if content.holds_texts:
        yield Finding(
            "texts_as_labels",
            f"the gold and the predictions are texts: {TEXT_METRIC}, bleu and rougeL compare texts, em and"
            " qa_f1 short answers; accuracy would count all but the same letters as wrong",
        )


def notes_of_reading(content: Content) -> Iterator[Found]:
    """Yield what the reader noted."""
    notes = () if content.evaluation is None else content.evaluation.notes
    answered = [note for one in content.asked[:1] for note in one.result.notes if note.code in _OF_LABELS]
    for note in dict.fromkeys((*notes, *answered)):
        if note.code not in _SEEN_AS:
            yield Finding(note.code, note.message)


# -- tested ------------------------------------------------------------------------------------------


def _right_or_wrong(content: Content) -> FloatArray | None:
    """Return 1 and 0 for each system and item; None where scores are others."""
    scores = content.scores
    return scores if scores is not None and bool(np.isin(scores, (0.0, 1.0)).all()) else None


def backward_items(content: Content) -> Iterator[Found]:
    """Test of each item whether systems that do well on the others do worse on it.

    The p-value is that of the rank sum of the systems that have it right, among all choices of as many, exact
    where ranks are tied. Items of which no p-value can be small enough are left out (Tarone 1990, Biometrics
    46, 515-522).
    """
    scores = _right_or_wrong(content)
    if scores is None:
        return
    scores = scores[:MOST_SYSTEMS]
    k, right = len(scores), scores.sum(axis=0).astype(np.int64)
    least = np.array([1.0 / math.comb(k, m) for m in range(k + 1)])[right]
    tested = np.flatnonzero(can_reject(least, ALPHA / 3.0))
    if not tested.size:
        enough = next(n for n in range(2, 1000) if right.size / math.comb(n, n // 2) <= ALPHA / 3.0)
        yield Unchecked(
            "items answered backwards", f"about {enough} systems for {right.size} items; there are {k}"
        )
        return
    totals = scores.sum(axis=1)
    p_values = np.array([rank_sum_p(totals - scores[:, item], scores[:, item] > 0.0) for item in tested])

    def said(which: BoolArray) -> str:
        names = [content.item_name(item) for item in tested[which].tolist()]
        are = "is" if len(names) == 1 else "are"
        return (
            f"{counted(len(names), 'item')} {are} answered backwards: systems that do well on the other items"
            f" do worse on {listed(names, 5)} (a wrong label? tested as if the systems were independent)"
        )

    yield PValues("backward_items", p_values, said)


def can_reject(least: FloatArray, alpha: float) -> BoolArray:
    """Return which tests can reject among those that can, by the least p-value of each.

    >>> can_reject(np.array([0.5, 0.001, 0.002, 0.02]), 0.05)
    array([False,  True,  True, False])
    """
    ordered = np.sort(least)
    for n in range(1, least.size + 1):
        if np.searchsorted(ordered, alpha / n, side="right") <= n:
            return least <= alpha / n
    return np.zeros(least.size, dtype=np.bool_)


def rank_sum_p(values: FloatArray, chosen: BoolArray) -> float:
    """Return the probability that as many values, drawn at random, have ranks of so small a sum.

    >>> rank_sum_p(np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, True, False, False])) == 1 / 6
    True
    """
    ranks = doubled_ranks(values)
    n, m, observed = ranks.size, int(chosen.sum()), int(ranks[chosen].sum())
    spread = math.sqrt(m * (n - m) / n * float(ranks.var(ddof=1)))
    # What is not small need not be known
    if spread == 0.0 or observed > m * ranks.mean() - spread:
        return 1.0
    ways = np.zeros((m + 1, observed + 1))
    ways[0, 0] = 1.0
    for rank in ranks.tolist():
        if rank <= observed:
            ways[1:, rank:] += ways[:-1, : observed + 1 - rank].copy()
    return float(ways[m].sum() / math.comb(n, m))


def drift(content: Content) -> Iterator[Found]:
    """Test whether the mean score of the items rises or falls over their order (Spearman's correlation)."""
    scores = content.scores
    if scores is None or (content.evaluation is not None and content.evaluation.tasks is not None):
        return  # items of several tasks stand one task after the other
    if scores.shape[1] < FEWEST_IN_ORDER:
        yield Unchecked("a drift over the order of the items", f"{FEWEST_IN_ORDER} items")
        return
    means = scores.mean(axis=0)
    ranks = doubled_ranks(means).astype(np.float64)
    ranks -= ranks.mean()
    places = np.arange(means.size) - (means.size - 1) / 2.0
    spread = math.sqrt(float(ranks @ ranks) * float(places @ places))
    if spread == 0.0:
        return
    z = float(ranks @ places) / spread * math.sqrt(means.size - 1)
    half = means.size // 2
    first, last = float(means[:half].mean()), float(means[-half:].mean())
    message = (
        f"scores drift over the order of the items: {first:.3g} in the first half, {last:.3g} in the second;"
        " shuffle them before taking a part"
    )
    yield PValues("drift", np.array([2.0 * float(special.ndtr(-abs(z)))]), lambda _: message)


def first_shown(judgements: Any) -> Iterator[Found]:
    """Test whether the answer that stands first is preferred, whichever of the two systems it is from.

    Of each two systems the wins of one are compared between the two orders, their numbers being given, so
    that a better system is no effect of the order; a pair of systems is judged once per item. The probability
    of so many wins of the first is exact: the sum of one hypergeometric number per pair.
    """
    what = "an effect of the order of the two answers"
    wins: dict[tuple[int, int], IntArray] = {}
    seen = set()
    values = judgements.values.tolist()
    items = range(len(values)) if judgements.items is None else judgements.items.codes.tolist()
    shown = judgements.first.tolist(), judgements.second.tolist()
    for item, a, b, value in zip(items, *shown, values, strict=True):
        pair = (min(a, b), max(a, b))
        if value not in (0.0, 1.0) or (item, pair) in seen:
            continue
        seen.add((item, pair))
        # Rows: which of the two stands first; columns: which of the two won
        won = pair[0] if (value == 1.0) == (a == pair[0]) else pair[1]
        wins.setdefault(pair, np.zeros((2, 2), dtype=np.int64))[int(a != pair[0]), int(won != pair[0])] += 1
    tables = [table for table in wins.values() if table.sum(axis=0).all() and table.sum(axis=1).all()]
    if not tables:
        yield Unchecked(what, "judgements of two systems in both orders")
        return
    ways, observed = np.ones(1), 0
    for table in tables:
        (n_first, n_second), n_won = table.sum(axis=1).tolist(), int(table[:, 0].sum())
        ways = np.convolve(ways, _hypergeometric(int(n_first), int(n_second), n_won))
        observed += int(table[0, 0])
    p = min(1.0, 2.0 * min(float(ways[: observed + 1].sum()), float(ways[observed:].sum())))
    n = sum(int(table.sum()) for table in tables)
    share = sum(int(table[0, 0] + table[1, 1]) for table in tables) / n
    message = (
        f"the answer that stands first won {percentage(share)} of {n} judgements: an effect of the order"
    )
    yield PValues("first_shown", np.array([p]), lambda _: message)


def _hypergeometric(n_first: int, n_second: int, n_drawn: int) -> FloatArray:
    """Return the probabilities that 0, 1, ... of the drawn are from the first kind.

    >>> _hypergeometric(1, 1, 1)
    array([0.5, 0.5])
    """
    x = np.arange(n_drawn + 1)
    y = n_drawn - x
    possible = (x <= n_first) & (y <= n_second)
    logs = sum(special.gammaln(one + 1.0) for one in (x, y))
    logs += special.gammaln(np.maximum(n_first - x, 0) + 1.0) + special.gammaln(
        np.maximum(n_second - y, 0) + 1.0
    )
    logs = np.where(possible, -logs, -np.inf)
    weights = np.exp(logs - logs.max())
    probabilities: FloatArray = weights / weights.sum()
    return probabilities
