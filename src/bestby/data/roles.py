"""What the user says of a table: the parts that columns play, what their names tell, how values are read."""

from __future__ import annotations

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import takewhile
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from bestby._core import arrays, checks, rounding
from bestby._core.errors import InvalidInputError
from bestby._core.text import normal_form, quoted, suggestion, words_of
from bestby._core.typing import Array, OnMissing
from bestby.data.columns import Missing
from bestby.data.reading import AS_FOUND, Reading
from bestby.results.base import Note

T = TypeVar("T")

ITEM_WORDS = ("item", "id", "item_id")
"""Names of columns taken for item ids when the user names none."""

SAMPLE_WORDS = ("sample", "sample_id", "attempt", "attempt_id", "trial", "trial_id", "completion_id")
"""Names of columns that number the answers of a system to one item."""

VALUE_WORDS = ("prediction", "score")
"""Names of columns taken for the values of a long table, or of the file of one system."""

GOLD_WORDS = ("gold", "label", "target", "reference", "y_true")
"""Names of columns that hold the gold."""

_OF_GOLD = {
    *("gold", "golden", "truth", "true", "label", "labels", "target", "targets", "reference", "references"),
    *("expected", "qrels", "ref", "refs"),
}
_BESIDE_GOLD = {"ground", "y", "answer", "answers", "output", "class", "correct", "value"}
"""Words of names of the gold, and words beside these, as in ``ground_truth`` and ``expected_answer``."""

HIGHER_SCORES = frozenset({
    "acc", "accuracy", "precision", "recall", "f1", "f2", "fscore", "fbeta", "auc", "auroc", "auprc", "roc",
    "ap", "map", "mrr", "ndcg", "bleu", "chrf", "rouge", "rouge1", "rouge2", "meteor", "comet", "bertscore",
    "bleurt", "score", "scores", "kappa", "mcc", "correlation", "pearson", "spearman", "kendall", "r2",
    "reward", "rewards", "elbo", "em", "iou", "dice", "miou", "psnr", "ssim", "success", "winrate", "elo",
    "rating", "ratings", "correct", "correctness", "pass", "passed", "solved", "resolved", "grade", "grades",
    "points", "match", "quality",
})  # fmt: skip
"""Words that names of scores are made of of which higher ones are better."""

LOWER_SCORES = frozenset({
    "loss", "losses", "logloss", "error", "errors", "err", "perplexity", "ppl", "bpb", "bpc", "bpw", "nll",
    "mse", "rmse", "msle", "rmsle", "mae", "mape", "smape", "wape", "wer", "cer", "ter", "mer", "der", "eer",
    "fid", "kid", "brier", "ece", "mce", "ace", "crossentropy", "xent", "divergence", "kl", "kld", "jsd",
    "emd", "wasserstein", "crps", "deviance", "fpr", "fnr", "hter", "toxicity", "hallucination",
    "hallucinations",
})  # fmt: skip
"""Words that names of scores are made of of which lower ones are better."""

_SCORES = HIGHER_SCORES | LOWER_SCORES
_FRACTIONS = frozenset({
    "map", "ap", "ace", "dice", "der", "ter", "mer", "kid", "fid", "roc", "comet", "meteor", "rouge", "kl",
    "divergence", "correlation", "crossentropy", "xent", "wasserstein",
})  # fmt: skip
"""Those of scores that are hardly ever all whole, which systems and files may be called for other reasons."""

_SHARES = frozenset({"precision", "loss", "losses", "match", "pass"})
"""Those of scores whose whole values are 0 and 1, and of other names as well: ``second_pass``."""

_PREDICTED = frozenset({"pred", "preds", "predicted", "prediction", "predictions", "ypred", "yhat"})
"""Words that say anywhere in a name that its values are predictions: ``y_pred``, ``pred_a``."""

_LABELS = frozenset({"label", "labels", "class", "classes", "output", "outputs", "answer", "answers", "hat"})
"""Words that say so at the end of a name only: a system may be called ``label_smoothing``."""

_AVERAGES = frozenset({"average", "averages", "avg", "mean", "overall", "total"})
_QUANTITIES = frozenset(
    {
        *("cost", "costs", "price", "usd", "eur", "dollars", "latency", "runtime", "duration", "time"),
        *("seconds", "secs", "ms", "millis", "minutes", "tokens", "memory", "mb", "gb", "flops", "params"),
        *("parameters", "operations"),
    }
)
"""Words at the end of a name that say that its values are quantities of a system, and no scores of one."""

_OF_SETTINGS = frozenset({"start", "end", "created", "max", "min"})
"""Words with which names of limits and points in time begin."""

_STATISTICS = frozenset(
    {"std", "sd", "stdev", "stderr", "se", "var", "variance", "median", "min", "max", "rank", "ranks"}
)
"""Words of rows beside those of the mean: they are no rows that it is the mean of."""

_BESIDE_AVERAGES = frozenset({"macro", "score", "arithmetic", "unweighted", "all"})

_COUNTERS = ("id", "idx", "index")
"""Words at the end of a name that say nothing, as single letters and numbers do: ``label_id``, ``pred_2``."""

_BESIDE_SCORES = frozenset({"is", "exact", "macro", "micro", "weighted", "log", "cross", "rate", "strict"})
"""Words that a name of scores has beside those of scores, as ``is_correct`` and ``f1_macro``."""

NEEDS_GOLD = 'pass gold=... to compare predictions; if they are scores, name a metric: metric="mean"'
"""What to do with values of which nothing says that they are scores."""

_LEFT_OUT = "columns_left_out"
"""The code of the note on columns beside the scores of one system."""

RUN_WORDS = ("run", "seed")
"""Names of columns that hold the number of a run."""

REPETITION_WORDS = ("repetition", "repeat", "rep", "round", *RUN_WORDS)
"""Names of columns that hold the number of a repetition of a cross-validation."""

ANNOTATOR_WORDS = ("annotator", "annotator_id", "rater", "coder", "worker", "worker_id")
"""Names of columns that say who labelled."""

FACET_WORDS = ("prompt", "template", "judge", "rater", "epoch", "sample", "training_set", *REPETITION_WORDS)
"""Names of columns that hold a facet: what a score would be another with, though the system is the same."""

WINNER_WORDS = ("winner", "preference")
"""Names of columns that say which of two systems a judge prefers."""

DATASET_WORDS = ("dataset", "task")
"""Names of columns that hold the name of a dataset."""


@dataclass(frozen=True)
class Roles:
    """Names of the columns that are not systems; a single one of `annotators` says who labelled.

    A column of `slices` may play another part, too.
    """

    gold: str | None = None
    item: str | None = None
    cluster: str | None = None
    stratum: str | None = None
    annotators: tuple[str, ...] = ()
    crossed: str | None = None
    slices: tuple[str, ...] = ()

    def named(self) -> list[tuple[str, str]]:
        """Return role and name of those that are there."""
        pairs = (
            ("gold", self.gold),
            ("item", self.item),
            ("cluster", self.cluster),
            ("crossed", self.crossed),
            ("stratum", self.stratum),
        )
        several = [("annotator", name) for name in self.annotators] + [
            ("slice", name) for name in self.slices
        ]
        return [(role, name) for role, name in pairs if name is not None] + several

    def without(self, names: Iterable[str], *others: str | None) -> list[str]:
        """Return the names of columns that play no part, nor are among the others."""
        taken = {*others, *(name for _, name in self.named())}
        return [name for name in names if name not in taken]

    def description(self) -> str:
        """Return the roles as words."""
        of_several = ("annotator", "crossed", "slice")
        words = [f"{role}: {name}" for role, name in self.named() if role not in of_several]
        if self.crossed is not None:
            place = words.index(f"cluster: {self.cluster}")
            words[place] += f" and {self.crossed}"
        words += [f"slices: {', '.join(self.slices)}"] if self.slices else []
        if self.annotators:
            shown = f"annotators: {', '.join(self.annotators)}"
            return "; ".join([shown, *words])
        return "; ".join(words if self.gold is not None else ["no gold: per-item scores", *words])


def recognised(roles: Roles, names: Collection[str]) -> Roles:
    """Return the roles with those filled in that the columns' own names tell."""
    taken = {name for role, name in roles.named() if role != "slice"}

    def column_for(name: str | None, *words: str) -> str | None:
        return name or next((word for word in words if word in names and word not in taken), None)

    def group_for(name: str | None, word: str) -> str | None:
        return name if word in roles.slices else column_for(name, word)

    return dataclasses.replace(
        roles,
        gold=column_for(roles.gold, "gold"),
        item=column_for(roles.item, *ITEM_WORDS),
        cluster=group_for(roles.cluster, "cluster"),
        stratum=group_for(roles.stratum, "stratum"),
    )


def matching(
    patterns: Sequence[str], names: Sequence[str], unknown: Callable[[str], InvalidInputError]
) -> list[str]:
    """Return the names asked for, in this order; what is no name is a pattern with ``*``, ``?`` or ``[ab]``.

    Names that look alike in Unicode match.

    >>> matching(["b", "gpt-*"], ["a", "b", "gpt-1", "gpt-2"], InvalidInputError)
    ['b', 'gpt-1', 'gpt-2']
    """
    chosen: dict[str, None] = {}
    for pattern in patterns:
        form = normal_form(pattern)
        matches = (
            [name for name in names if name == pattern]
            or [name for name in names if normal_form(name) == form]
            or [name for name in names if fnmatchcase(normal_form(name), form)]
        )
        if not matches:
            raise unknown(pattern)
        chosen.update(dict.fromkeys(matches))
    return list(chosen)


def unknown_system(
    source: str | None, known: Sequence[str], column: str | None = None, argument: str = "systems"
) -> Callable[[str], InvalidInputError]:
    """Return what makes the error for a system that the data do not have."""
    where = f" in column {column!r}" if column is not None else " in these data" if source is None else ""
    return lambda name: InvalidInputError(
        f"{'' if source is None else f'{source}: '}no system {quoted(name)}{where}{suggestion(name, known)}",
        hint=f"systems: {listed(known)}",
        argument=argument,
    )


def are_scores(name: str) -> bool | None:
    """Return whether a name says of values that they are scores; False: that they are predictions.

    The last word that is known decides; what is predicted is no score, though it may be a rating.

    >>> [are_scores(name) for name in ("bert_acc", "y_pred", "predicted_rating", "answer_correct", "bert")]
    [True, False, False, True, None]
    """
    word = _telling(name)
    return None if word is None else word in _SCORES


def are_surely_scores(name: str, values: Array) -> bool:
    """Return whether a name says so of these values; whole numbers may be classes of a system that it names.

    >>> [are_surely_scores("a_map", np.array(values)) for values in ([0.5, 1.0], [1, 0], [7, 2])]
    [True, False, False]
    >>> [are_surely_scores("is_match", np.array(values)) for values in ([0.5, 1.0], [1, 0], [7, 2])]
    [True, True, False]
    """
    word = _telling(name)
    if word not in _FRACTIONS | _SHARES or values.dtype.kind not in "biuf":
        return word in _SCORES
    whole = values == np.round(values)
    return not (whole.all() if word in _FRACTIONS else np.isin(values, (0, 1), invert=True)[whole].any())


def _telling(name: str) -> str | None:
    """Return the last word of a name that tells scores or predictions, as it stands among these words."""
    words = words_of(name)
    while len(words) > 1 and (len(words[-1]) == 1 or words[-1].isdigit() or words[-1] in _COUNTERS):
        words.pop()
    if words[:1] == ["predicted"]:
        return words[0]
    for word in reversed(words):
        stem = word.rstrip("0123456789")
        if word in _SCORES or stem in _SCORES:
            return word if word in _SCORES else stem
        if stem in _PREDICTED or (stem in _LABELS and word == words[-1]):
            return stem
    return None


def quantities(names: Collection[str]) -> list[str]:
    """Return the names among others that say of values that they are what something takes or costs.

    >>> quantities(["base_acc", "seconds", "cost_usd"]), quantities(["seconds", "cost"])
    (['seconds', 'cost_usd'], [])
    """
    measured = [name for name in names if is_quantity(name)]
    return measured if len(measured) < len(names) else []


def is_quantity(name: str) -> bool:
    """Return whether a name says of values that they are what something takes or costs.

    >>> is_quantity("latencyMs"), is_quantity("cost_usd"), is_quantity("accuracy"), is_quantity("max_tokens")
    (True, True, False, False)
    """
    words = words_of(name)
    if not words or words[0] in _OF_SETTINGS:
        return False
    return words[-1] in _QUANTITIES or words[-2:] == ["token", "count"]


def quantities_of_others(names: Collection[str]) -> dict[str, str]:
    """Return the names of quantities that begin with the name of what these are of, and what follows it.

    >>> quantities_of_others(["bert", "bert_latency_ms", "gpt-4", "gpt4Cost", "gpt-4 cost", "seconds"])
    {'bert_latency_ms': 'latency_ms', 'gpt-4 cost': 'cost'}
    """
    owners = {tuple(words_of(name)) for name in names if not is_quantity(name)}
    found = {}
    for name in filter(is_quantity, names):
        words = tuple(words_of(name))
        rest = next((words[n:] for n in range(len(words) - 1, 0, -1) if words[:n] in owners), ())
        if rest:
            found[name] = "_".join(rest)
    return found


def without_quantities(names: Sequence[str]) -> list[str]:
    """Return the names but for those of quantities of others."""
    quantities = quantities_of_others(names)
    return [name for name in names if name not in quantities]


def is_usage(name: str) -> bool:
    """Return whether a name is that of quantities which stand below it under other names.

    >>> is_usage("tokenUsage"), is_usage("output")
    (True, False)
    """
    return is_quantity(name) or words_of(name)[-1:] == ["usage"]


def called_predictions(names: Collection[str]) -> list[str]:
    """Return the names that say of values that they are predictions; all, if what they begin with says so.

    >>> called_predictions(["bert", "y_pred"]), called_predictions(["answer_bert", "answer_t5"])
    (['y_pred'], ['answer_bert', 'answer_t5'])
    """
    places = zip(*map(words_of, names), strict=False)
    shared = " ".join(words[0] for words in takewhile(lambda words: len({*words}) == 1, places))
    return [name for name in names if False in (are_scores(name), are_scores(shared))]


def check_no_predictions(called: Mapping[str, str]) -> None:
    """Refuse values without gold that are called as predictions are; `called` has their names by system."""
    words = called_predictions([*called.values()])
    name = next((system for system, word in called.items() if word in words), None)
    if name is None:
        return
    word = called[name]
    what = f"the values of {quoted(name)} are called {quoted(word)}" if word != name else f"{quoted(name)}"
    raise InvalidInputError(
        f"without gold, systems must be per-item scores, but {what}"
        f"{'' if word != name else ' is called as predictions are'}",
        hint=NEEDS_GOLD,
    )


def score_column(names: Sequence[str]) -> str | None:
    """Return the column that holds the scores of the one system that a table is of: the first called so.

    >>> score_column(["latency_ms", "is_correct", "cost"]), score_column(["score_a", "score_b"])
    ('is_correct', None)
    """
    scores = score_columns(names)
    return next((name for name in scores if name.lower() == "score"), scores[0] if scores else None)


def score_columns(names: Iterable[str]) -> list[str]:
    """Return the columns that hold nothing but scores, by their names."""
    return [name for name in names if _are_only_scores(name)]


def averages(rows: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Return which rows of a table of scores are called as the mean of the others is, and are that mean.

    >>> averages({"qa": {"a": 0.5, "b": 0.7}, "nli": {"a": 0.8, "b": 0.9}, "Avg.": {"a": 0.65, "b": 0.8}})
    ['Avg.']
    """
    named = [name for name in rows if is_average(name)]
    others = [row for name, row in rows.items() if name not in named and not _is_statistic(name)]
    if not named or len(others) < 2:
        return []
    of = transposed({str(place): row for place, row in enumerate(others)})
    return [
        name
        for name in named
        if rows[name]
        and all(
            column in of and rounding.is_mean(value, [*of[column].values()])
            for column, value in rows[name].items()
        )
    ]


def _is_statistic(name: str) -> bool:
    """Tell whether a row is called as a statistic of the others, such as their spread."""
    return bool(words := set(words_of(name))) and words <= _STATISTICS


def is_average(name: str) -> bool:
    """Tell whether a row is called as the mean of the others is."""
    lowered = name.lower()
    if not any(word in lowered for word in _AVERAGES):  # as mostly
        return False
    words = set(words_of(name))
    return bool(words & _AVERAGES) and words <= _AVERAGES | _BESIDE_AVERAGES


def average_note(what: str, name: str) -> Note:
    """Return the note on a row or a system that was left out, as it is the mean of the others."""
    return Note(
        "average_left_out",
        f"{what} {quoted(name)} is the mean of the others, so it was left out; to keep it, call it otherwise,"
        f" such as {quoted(f'{name} of these')}",
    )


def transposed(rows: Mapping[str, Mapping[str, T]]) -> dict[str, dict[str, T]]:
    """Return a table with its rows as columns."""
    columns = dict.fromkeys(column for row in rows.values() for column in row)
    return {column: {name: row[column] for name, row in rows.items() if column in row} for column in columns}


def facet_columns(names: Iterable[str]) -> list[str]:
    """Return the columns that are called as facets are, also by a number: ``prompt``, ``seed_id``.

    >>> facet_columns(["system", "Prompt_ID", "seed", "item", "prompt_length"])
    ['Prompt_ID', 'seed']
    """
    return [
        name
        for name in names
        if "_".join(word for word in words_of(name) if word not in _COUNTERS) in FACET_WORDS
    ]


class SeedOf(NamedTuple):
    """The system and the seed that a name tells."""

    system: str
    seed: str


_SEED_LAST = re.compile(r"(?P<system>.+?)[^a-z0-9]*seed[^a-z0-9]*(?P<seed>\d+)", re.IGNORECASE)
_SEED_FIRST = re.compile(r"seed[^a-z0-9]*(?P<seed>\d+)[^a-z0-9]+(?P<system>.+)", re.IGNORECASE)


def seed_of(name: str) -> SeedOf | None:
    """Return the system and the seed in the name of a file or a column; None if it names no seed.

    >>> seed_of("bert_seed0"), seed_of("seed-12/bert"), seed_of("gpt-4")
    (SeedOf(system='bert', seed='0'), SeedOf(system='bert', seed='12'), None)
    """
    match = _SEED_LAST.fullmatch(name) or _SEED_FIRST.fullmatch(name)
    return None if match is None else SeedOf(match["system"], match["seed"])


def of_several_seeds(names: Iterable[str]) -> dict[str, list[str]]:
    """Return names that are seeds of several systems, by the system; none if each system has one.

    >>> of_several_seeds(["bert_seed0", "bert_seed1", "gpt_seed0", "gold"])
    {'bert': ['bert_seed0', 'bert_seed1'], 'gpt': ['gpt_seed0']}
    >>> of_several_seeds(["bert_seed0", "bert_seed1", "gpt"])
    {}
    """
    found: dict[str, list[str]] = {}
    for name in names:
        if (one := seed_of(name)) is not None:
            found.setdefault(one.system, []).append(name)
    several = len(found) > 1 and any(len(of_one) > 1 for of_one in found.values())
    return found if several else {}


def shares_levels(names: Iterable[str]) -> bool:
    """Tell whether names of runs are all combinations of levels of several facets.

    >>> shares_levels(["p1-s1", "p1-s2", "p2-s1", "p2-s2"]), shares_levels(["seed-1", "seed-2", "seed-3"])
    (True, False)
    """
    distinct = {*names}
    parts = [re.split(r"[^A-Za-z0-9]+", name) for name in distinct]
    if not parts or len({*map(len, parts)}) > 1:
        return False
    levels = [len({*column}) for column in zip(*parts, strict=True)]
    return sum(size > 1 for size in levels) > 1 and math.prod(levels) == len(distinct)


def shared_levels_note(facets: Sequence[str] = ()) -> Note:
    """Return the note on runs that share the levels of several facets, named by columns if these show it."""
    seen = f"columns {listed(facets)}" if facets else "names of runs"
    return Note(
        "runs_share_levels",
        f"the {seen} show more than one facet, as prompts beside seeds: runs that share a level are not"
        " independent, and their intervals too short then; compare_facets (bestby facets) allows for it",
    )


def left_out_notes(systems: Collection[str], others: Sequence[str]) -> Iterator[Note]:
    """Yield the notes on columns of a wide table that were not read: quantities, and those of one system."""
    of_systems = quantities_of_others([*systems, *others])
    quantities, rest = ([one for one in others if (one in of_systems) == is_one] for is_one in (True, False))
    as_systems = "if they are systems, name them all: systems=[...] (--system)"
    if quantities:
        message = f"these columns hold quantities of systems, and were left out: {listed(quantities)}"
        yield Note(_LEFT_OUT, f"{message}; {as_systems}")
    if rest:
        yield Note(
            _LEFT_OUT,
            f"column {quoted(next(iter(systems)))} holds the scores of one system, so these columns were left"
            f" out: {listed(rest)} (quantities of one system?); {as_systems}",
        )


def with_left_out(hint: str, notes: Iterable[Note]) -> str:
    """Return a hint for a comparison of one system, after what notes say of columns that were left out."""
    return "; ".join([*(note.message for note in notes if note.code == _LEFT_OUT), hint])


def _are_only_scores(name: str) -> bool:
    words = {word for word in words_of(name) if not ("@" in name and word.isdigit())}
    return bool(words & _SCORES) and words <= _SCORES | _BESIDE_SCORES


def gold_names(names: Iterable[str]) -> list[str]:
    """Return the names that say of a column or a file that it is the gold, the usual ones first.

    >>> gold_names(["ground_truth", "text", "Label", "label_smoothing"])
    ['Label', 'ground_truth']
    """
    words = {name: set(words_of(name)) for name in names}
    called = [name for name, of in words.items() if of & _OF_GOLD and of <= _OF_GOLD | _BESIDE_GOLD]
    usual = [name for word in GOLD_WORDS for name in words if name.lower() == word]
    return [*dict.fromkeys([*usual, *called])]


def check_no_gold(source: str, names: Sequence[str]) -> None:
    """Refuse a column that is called as a gold is: without gold it would pass for the scores of a system."""
    for name in gold_names(names):
        raise InvalidInputError(
            f"{source}: column {quoted(name)} looks like gold",
            hint=f"gold={name!r} if it is, or name the systems: systems=[...], or leave it out: ignore=[...]",
        )


def check_no_item(source: str, names: Sequence[str]) -> None:
    """Refuse a column that is called as item ids are but for its spelling, such as ``ID`` or ``Item id``."""
    for name in names:
        if name.lower().replace(" ", "_") in ITEM_WORDS:
            raise InvalidInputError(
                f"{source}: column {quoted(name)} looks like item ids", hint=_no_system(name)
            )


_STEP_WORDS = ("step", "global_step", "iteration", "iter", "epoch")


def check_no_step(source: str, names: Sequence[str]) -> None:
    """Refuse a column of the steps of training: the points of one curve are neither items nor runs."""
    for name in names:
        if name.lower() in _STEP_WORDS:
            raise InvalidInputError(
                f"{source}: column {quoted(name)} looks like the steps of a training curve, whose points are"
                " neither items nor runs",
                hint="take one value of each run, such as the last, and compare several runs of each system:"
                " compare_runs (bestby runs); or name the systems: systems=[...]",
            )


def _no_system(name: str) -> str:
    return (
        f"item ids are items={name!r}; or leave it out: ignore={name!r}, or name the systems: systems=[...]"
    )


def counts_rows(source: str, name: str) -> InvalidInputError:
    """Return the error for a column that holds the numbers of the rows: it would pass for a system."""
    return InvalidInputError(
        f"{source}: column {quoted(name)} counts the rows; is it a system?", hint=_no_system(name)
    )


def check_no_repetition(source: str, names: Iterable[str]) -> None:
    """Refuse a column that is called as repetitions are: its numbers would pass for scores of the folds."""
    for name in names:
        if name.lower() in REPETITION_WORDS:
            raise InvalidInputError(
                f"{source}: column {quoted(name)} looks like the number of a repetition",
                hint=f"repetition={name!r} if it is, or name the systems: systems=[...], or leave it out:"
                " ignore=[...]",
            )


def shares_nothing(source: str, name: str, hint: str) -> InvalidInputError:
    """Return the error for a column of something else, such as sentences: it would pass for a bad system."""
    message = f"{source}: column {quoted(name)} shares no value with the gold; is it a system?"
    return InvalidInputError(message, hint=hint)


def describe_wide(names: Sequence[str], roles: Roles) -> str:
    """Return what was taken for what in a wide table.

    >>> describe_wide(["aen", "bert"], Roles(gold="label"))
    'a wide table; systems: aen, bert; gold: label'
    """
    return f"a wide table; {systems_read(names)}; {roles.description()}"


def listed(names: Sequence[str], limit: int = 12) -> str:
    """Return names for a message, not too many of them."""
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def systems_read(names: Sequence[str]) -> str:
    """Return which systems were read; of more than a line holds, how many."""
    return f"systems: {listed(names)}" if len(names) <= 6 else f"{len(names)} systems"


EVERY_COLUMN = "columns"
"""What stands in place of the names of the classes when every column without another part is one."""


@dataclass(frozen=True)
class Soft:
    """How the user wants soft labels to be read.

    `every_column`: columns without another role are the classes. `texts`, `objects`: values stay as they are.
    `label_sets`: every item has any number of labels, in texts separated by `label_separator`.
    """

    classes: tuple[str, ...] | None = None
    every_column: bool = False
    normalise: bool = False
    texts: bool = False
    objects: bool = False
    label_sets: bool = False
    label_separator: str | None = None

    @property
    def as_given(self) -> bool:
        """Whether the values are neither labels nor numbers."""
        return self.texts or self.objects or self.label_sets

    @property
    def blank(self) -> bool:
        """Whether a blank cell is a value: a set without any label."""
        return self.label_separator is not None

    @classmethod
    def of(cls, classes: str | Sequence[Any] | None, normalise: bool) -> Soft:
        """Check what the user asks for.

        >>> Soft.of(["no", "yes"], False).classes, Soft.of("columns", False).every_column
        (('no', 'yes'), True)
        """
        if classes is None or (isinstance(classes, str) and classes == EVERY_COLUMN):
            return cls(None, classes is not None, normalise)
        if isinstance(classes, str):
            raise InvalidInputError(
                f"classes must be a list of names, or {EVERY_COLUMN!r} for every column that plays no other"
                f" part, got {classes!r}",
                hint="name the classes in the order you want: classes=[...]",
            )
        names = tuple(
            normal_form(checks.name_text(name, "class").strip()) for name in arrays.listed(classes, "classes")
        )
        if len(names) < 2:
            raise InvalidInputError(
                f"there must be at least 2 classes, got {len(names)}",
                hint="one probability per class is needed, for two classes too",
            )
        for name, count in Counter(names).items():
            if count > 1 or not name:
                raise InvalidInputError(
                    f"class {name!r} is named {count} times" if name else "a class has no name",
                    hint="give every class a name of its own",
                )
        return cls(names, False, normalise)


@dataclass(frozen=True)
class TableOptions:
    """What the user says about a table of items; `item_columns` make an item id together."""

    roles: Roles = field(default_factory=Roles)
    item_columns: tuple[str, ...] = ()
    systems: Sequence[str] | None = None
    ignore: Sequence[str] = ()
    on_missing: OnMissing = "error"
    system_column: str | None = None
    value_column: str | None = None
    soft: Soft = field(default_factory=Soft)
    missing: Missing = frozenset()

    @classmethod
    def of(
        cls,
        gold: str | None = None,
        items: Any = None,
        clusters: Any = None,
        strata: str | None = None,
        *,
        annotators: tuple[str, ...] = (),
        slices: tuple[str, ...] = (),
        systems: Any = None,
        reading: Reading = AS_FOUND,
        **others: Any,
    ) -> TableOptions:
        """Return what the user says, checked; ids of several columns and crossed clusters are taken apart."""
        item, item_columns = item_ids(items)
        cluster, crossed = groupings(clusters)
        for name, what in ((gold, "gold"), (strata, "strata")):
            checks.valid_name(name, what)
        return cls(
            Roles(gold, item, cluster, strata, annotators, crossed, slices),
            item_columns,
            None if systems is None else checks.valid_name_list(systems, "systems"),
            () if reading.ignore is None else checks.valid_name_list(reading.ignore, "ignore"),
            system_column=reading.system_column,
            value_column=cast("str | None", reading.value_column),  # tables have none by task
            **others,
        )

    @property
    def columns(self) -> frozenset[str]:
        """The names of columns that the user gave."""
        named = {name for _, name in self.roles.named()} | {*self.item_columns, *(self.systems or ())}
        return frozenset(named | {name for name in (self.system_column, self.value_column) if name})


def item_ids(items: str | Sequence[str] | None) -> tuple[str | None, tuple[str, ...]]:
    """Return the column of item ids, or those that make an id together."""
    if items is None or isinstance(items, str):
        return checks.valid_name(items, "items"), ()
    columns = checks.valid_name_list(items, "items")
    if not columns:
        raise InvalidInputError(
            "items is an empty list", hint="name the columns of the item ids", argument="items"
        )
    return (columns[0], ()) if len(columns) == 1 else (None, columns)


def groupings(clusters: str | Sequence[str] | None) -> tuple[str | None, str | None]:
    """Return the columns of one grouping of the items, or of two crossed ones."""
    if clusters is None or isinstance(clusters, str):
        return checks.valid_name(clusters, "clusters"), None
    names = checks.valid_name_list(clusters, "clusters")
    if not 1 <= len(names) <= 2 or len(set(names)) < len(names):
        raise InvalidInputError(
            f"clusters are one grouping of the items, or two that cross each other, got {listed(names)}",
            hint="name one column, or two",
            argument="clusters",
        )
    return names[0], names[1] if len(names) == 2 else None
