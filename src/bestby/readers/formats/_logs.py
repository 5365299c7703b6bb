"""Logs of several systems, brought together: one evaluation, several datasets, several runs."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.errors import InvalidInputError, OtherQuestionError
from bestby._core.paths import readable_file
from bestby._core.text import visible
from bestby._core.typing import Array, IntArray, OnMissing
from bestby.data.columns import MISSING
from bestby.data.evaluation import Evaluation, concatenated
from bestby.data.roles import is_quantity, is_usage, listed
from bestby.data.table import Table, table_of
from bestby.metrics.base import BaseMetric
from bestby.metrics.registry import resolve
from bestby.metrics.regression import Mean
from bestby.readers.files import read_table
from bestby.readers.formats.base import File, Read, check_available, files_of, no_grouping
from bestby.readers.paths import datasets_of, named_apart
from bestby.readers.text import (
    CUT_OFF,
    Record,
    as_number,
    check_new,
    number,
    records,
    whole_number,
    word,
)
from bestby.results.base import Note

_VERSIONS = "the systems saw different versions of the data; evaluate them on the same version"

_OF_OBJECTS = {"bleu", "chrf", "ter", "perplexity", "bits_per_byte"}
"""Metrics of which an item has texts or two numbers."""

CLUSTER_WORDS = {
    *("article", "book", "cluster", "contest", "context", "conversation", "dialogue", "document"),
    *("group", "lang", "language", "page", "paragraph", "passage", "patient", "problem"),
    *("repo", "repository", "session", "speaker", "story", "template", "territory", "thread"),
    *("topic", "url", "user", "video"),
}
"""What a grouping of the items is called in the logs, also with ``_id``; no other is offered."""


@dataclass(frozen=True, eq=False)
class Log:
    """What one system did on one dataset, by the score that is compared.

    `samples` are those of the split that is compared. `runs` has by run the score of each item, NaN where it
    could not be computed, or its prediction beside the `gold`.
    """

    system: str
    dataset: str
    scored: Scored
    choice: Choice
    samples: Sequence[Sample]
    runs: Sequence[Mapping[str, Any]]
    gold: Mapping[str, Any]

    @property
    def source(self) -> str:
        """The file."""
        return self.scored.source

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """The score or prediction of each item; of several runs the mean, NaN if some run has none."""
        if len(self.runs) == 1:
            return self.runs[0]
        items = dict.fromkeys(item for run in self.runs for item in run)
        return {item: sum(run.get(item, math.nan) for run in self.runs) / len(self.runs) for item in items}

    def contents(self) -> dict[str, str]:
        """Return what tells whether two systems saw the same item."""
        return {one.item: one.content for one in self.samples if one.content is not None}

    def groups(self, name: str) -> dict[str, str]:
        """Return the group of each item in a grouping."""
        return {one.item: one.groups[name] for one in self.samples if name in one.groups}


def _setting(task: str, name: str) -> str:
    return f'value_column={{"{task}": "{name}"}}'


def _wanted(
    value_column: str | Mapping[str, str] | None, names: Mapping[str, Sequence[str]], choices: str
) -> dict[str, str | None]:
    """Return the name wanted for each task; the exact name of a task precedes a pattern.

    >>> tasks = {"gsm8k": ["exact_match"], "mmlu_law": ["acc"], "mmlu_art": ["acc"]}
    >>> _wanted("mmlu_*=acc", tasks, "")
    {'gsm8k': None, 'mmlu_law': 'acc', 'mmlu_art': 'acc'}
    """
    if isinstance(value_column, str):
        task, sign, name = value_column.rpartition("=")
        if not sign or any(value_column in own for own in names.values()):
            return dict.fromkeys(names, value_column)
        value_column = {task: name}
    wanted: dict[str, str | None] = dict.fromkeys(names)
    for key, name in sorted((value_column or {}).items(), key=lambda one: one[0] in names):
        matched = [key] if key in names else [task for task in names if fnmatchcase(task, key)]
        if not matched:
            example = next(_setting(task, own[0]) for task, own in names.items() if own)
            raise InvalidInputError(
                f"value_column names the task {key!r}, which these files do not hold",
                hint=choices
                if "=" not in key
                else f"{choices}; name one task in each, and repeat it: {example}",
                argument="value_column",
            )
        wanted |= dict.fromkeys(matched, name)
    return wanted


def _by_names(names: Mapping[str, Sequence[str]]) -> str:
    """Return tasks and the names of each, those with the same names together.

    >>> _by_names({"gsm8k": ["exact_match"], "law": ["acc", "acc_norm"], "art": ["acc", "acc_norm"]})
    'gsm8k: exact_match; law, art: acc, acc_norm'
    """
    alike: dict[str, list[str]] = {}
    for task, own in names.items():
        alike.setdefault(listed(own) or "none", []).append(task)
    return "; ".join(f"{listed(tasks, 6)}: {own}" for own, tasks in alike.items())


def gathered(logs: Sequence[Log], on_missing: OnMissing, cluster: str | None) -> Read:
    """Bring logs together by dataset and item; "drop" leaves out datasets that some system lacks, too."""
    by_dataset = _by_dataset(logs, on_missing)
    chosen = {name: group[0].choice for name, group in by_dataset.items()}
    taken = dict.fromkeys(name for log in logs for name in log.scored.quantities)
    beside = tuple(name for name in taken if name not in [one.metric_name for one in chosen.values()])
    description = f"; quantities: {listed(beside)}" if beside else ""
    description += f"; systems: {listed(list(dict.fromkeys(log.system for log in logs)))}"
    common, how = _common_metric(chosen)
    description += how
    if cluster is not None:
        description += f"; cluster: {cluster}"
    # Tasks may be the clusters of the items of all, unless the logs call a grouping so.
    by_task = cluster == "task" and len(by_dataset) > 1 and "task" not in _groupings(logs)
    within = None if by_task else cluster
    parts = {name: _evaluation(group, on_missing, within) for name, group in by_dataset.items()}
    left = len({log.dataset for log in logs}) - len(parts)
    if left:
        description += f"; {left} datasets were left out because some system has no log of them"
    if len(parts) > 1:
        description += f"; datasets: {listed(list(parts))}"
        if common is None:
            parts = {
                name: dataclasses.replace(part, suggested=chosen[name].metric) for name, part in parts.items()
            }
            return Read(description, datasets=parts, unpooled=_no_common_mean(chosen), quantities=beside)
        pooled = _pooled(parts)
        assert pooled.tasks is not None
        tasks = {} if by_task else {"task": pooled.tasks}
        pooled = dataclasses.replace(pooled, clusters=pooled.tasks) if by_task else pooled
        return Read(description, pooled, datasets=parts, metric=common, clusters=tasks, quantities=beside)
    (group,), (evaluation,) = by_dataset.values(), parts.values()
    runs = _runs(group, evaluation.items)
    falling = isinstance(common, BaseMetric) and not common.greater_is_better
    if runs is not None:
        numbers = ", ".join(f"{name}: {len(rows)}" for name, rows in runs.items())
        description += f"; the score of an item is its mean over the runs ({numbers})"
    return Read(
        description,
        evaluation,
        runs=runs,
        metric=common,
        greater_is_better=False if falling else None,
        clusters=_offered(group, evaluation.items, cluster),
        quantities=beside,
    )


def _common_metric(chosen: Mapping[str, Choice]) -> tuple[BaseMetric | str | None, str]:
    """Return the metric of the items of all tasks, and what a description says of it; None if there is none.

    Where tasks have metrics of their own, it is the mean of the scores, if all go in one direction. A metric
    that is given by its name is computed of all items of a task together, and has no scores of items.
    """
    metrics = [one.metric for one in chosen.values()]
    if all(one == metrics[0] for one in metrics):
        return metrics[0], ""
    names = _by_names({task: [one.metric_name] for task, one in chosen.items()})
    directions = {None if isinstance(one, str) else one.greater_is_better for one in metrics}
    if directions in ({True}, {False}):
        how = f"; each item has its task's own metric: {names}"
        return Mean("score", greater_is_better=directions == {True}), how
    return None, f"; each task has a metric of its own: {names}"


def _no_common_mean(chosen: Mapping[str, Choice]) -> OtherQuestionError:
    """Return the error for tasks whose metrics go in different directions, or have no scores of items."""
    tasks: dict[tuple[str, str], list[str]] = {}
    for task, one in chosen.items():
        metric = resolve(one.metric)
        kind = "is better the higher it is" if metric.greater_is_better else "is better the lower it is"
        kind = f"is one score of all its items, and {kind}" if isinstance(one.metric, str) else kind
        tasks.setdefault((metric.name, kind), []).append(task)
    told = ", ".join(
        f"{name} of {'task' if len(own) == 1 else 'tasks'} {listed([*map(repr, own)], 4)} {kind}"
        for (name, kind), own in tasks.items()
    )
    another = "give the files of the other tasks in place of their folder"
    several = next((task for task, one in chosen.items() if len(one.names) > 1), None)
    if several is not None:
        names = _by_names({task: one.names for task, one in chosen.items()})
        another = f"metrics by task: {names}; name another: {_setting(several, '...')}, or {another}"
    return OtherQuestionError(
        f"{told}: they have no common mean", "datasets", "bestby.read_datasets(...)", another
    )


def _by_dataset(logs: Sequence[Log], on_missing: OnMissing) -> dict[str, list[Log]]:
    """Return the logs of each dataset that has one of every system, in the order of these."""
    datasets: dict[str, dict[str, Log]] = {}
    for log in logs:
        other = datasets.setdefault(log.dataset, {}).setdefault(log.system, log)
        if other is not log:
            is_folder = Path(other.source).parent == Path(log.source).parent
            raise InvalidInputError(
                f"{other.source} and {log.source} are both logs of system {log.system!r} on"
                f" {log.dataset!r}" + (", in one folder" if is_folder else ""),
                hint="keep the one that counts in the folder, or give the files in its place: name=path"
                if is_folder
                else "give each system a name of its own: name=path",
            )
    names = list(dict.fromkeys(log.system for log in logs))
    for dataset, systems in datasets.items():
        absent = next((name for name in names if name not in systems), None)
        if absent is not None and on_missing != "drop":
            first = next(iter(systems.values()))
            raise InvalidInputError(
                f"system {absent!r} has no log of {dataset!r}; {first.source} is that of {first.system!r}",
                hint='pass on_missing="drop" to compare on the datasets that all systems have',
            )
    complete = {
        name: [systems[system] for system in names]
        for name, systems in datasets.items()
        if len(systems) == len(names)
    }
    if not complete:
        raise InvalidInputError(
            f"no dataset has logs of all systems ({listed(names)})",
            hint="each file was read as a different system; name the systems: name=path",
        )
    return complete


def _evaluation(logs: Sequence[Log], on_missing: OnMissing, cluster: str | None) -> Evaluation:
    _agreed(logs, Log.contents, "content", _VERSIONS)
    gold = _agreed(logs, lambda log: log.gold, "gold", _VERSIONS) or None
    for log in logs:
        lacking = [item for item, value in log.values.items() if value != value]
        if len(lacking) == len(log.values):
            raise InvalidInputError(
                f"{log.source}: no item has a score", hint="check that the evaluation was finished"
            )
        if lacking and on_missing == "error":
            first, more = visible(lacking[0]), f" and {len(lacking) - 1} more" if lacking[1:] else ""
            raise InvalidInputError(
                f"{visible(log.system)} has no score (NaN) for item {first}{more} in {log.source}",
                hint='pass on_missing="drop" to compare the items that all systems have a score for, or'
                ' on_missing="worst" to count it as the worst',
            )
    clusters = None
    if cluster is not None:
        clusters = _agreed(logs, lambda log: log.groups(cluster), cluster)
        if not clusters:
            raise no_grouping(cluster, _groupings(logs))
    values, objects = {log.system: log.values for log in logs}, logs[0].choice.metric in _OF_OBJECTS
    evaluation = Evaluation.of(values, gold, clusters=clusters, on_missing=on_missing, objects=objects)
    return dataclasses.replace(evaluation, trials=_trials(_runs(logs, evaluation.items) or {}))


def _agreed(
    logs: Sequence[Log], of_log: Callable[[Log], Mapping[str, Any]], what: str, hint: str | None = None
) -> dict[str, Any]:
    """Return what logs tell of their items; refuse items of which two tell different things."""
    agreed: dict[str, tuple[Any, str]] = {}
    for log in logs:
        for item, value in of_log(log).items():
            first, source = agreed.setdefault(item, (value, log.source))
            if first != value:
                raise InvalidInputError(
                    f"item {item!r} is not the same in {source} and in {log.source}: its {what} differs",
                    hint,
                )
    return {item: value for item, (value, _) in agreed.items()}


def _groupings(logs: Sequence[Log]) -> dict[str, None]:
    """Return the names of the groupings of the items, in order."""
    return {name: None for log in logs for sample in log.samples for name in sample.groups}


def _offered(logs: Sequence[Log], items: Array | None, used: str | None) -> dict[str, Array]:
    """Return the groupings with telling names that every item has and that put some items together."""
    ids = [] if items is None else items.tolist()
    offered = {}
    for name in _groupings(logs):
        if name == used or name.lower().rpartition(".")[2].removesuffix("_id") not in CLUSTER_WORDS:
            continue
        groups = {item: label for log in logs for item, label in log.groups(name).items()}
        if all(item in groups for item in ids):
            column = np.array([groups[item] for item in ids])
            if 1 < np.unique(column).size < column.size:
                offered[name] = column
    return offered


def _runs(logs: Sequence[Log], items: Array | None) -> dict[str, Array] | None:
    """Return the scores of the runs, shape (runs, items), if every system has several of each item."""
    if any(len(log.runs) < 2 for log in logs) or items is None:
        return None
    runs = {
        log.system: np.array([[run.get(item, math.nan) for item in items.tolist()] for run in log.runs])
        for log in logs
    }
    return None if any(np.isnan(scores).any() for scores in runs.values()) else runs


def _trials(runs: Mapping[str, Array]) -> dict[str, IntArray]:
    """Return how many runs of each item there are and how many are right, if all scores are 0 or 1."""
    if not all(np.isin(scores, (0.0, 1.0)).all() for scores in runs.values()):
        return {}
    return {
        name: np.column_stack([np.full(scores.shape[1], len(scores)), scores.sum(axis=0)]).astype(np.int64)
        for name, scores in runs.items()
    }


def _pooled(parts: Mapping[str, Evaluation]) -> Evaluation:
    """Return the items of all datasets as one, with the datasets as strata."""
    names = next(iter(parts.values())).names
    whole = list(parts.values())
    strata = np.repeat(np.array(list(parts)), [part.n_items for part in whole])

    def labels(columns: Mapping[str, Array | None]) -> list[str]:
        rows = ((name, column) for name, column in columns.items() if column is not None)
        return [f"{name}/{label}" for name, column in rows for label in column.tolist()]

    clusters = labels({name: part.clusters for name, part in parts.items()})
    notes = tuple(
        Note(note.code, f"{name}: {note.message}", note.about)
        for name, part in parts.items()
        for note in part.notes
    )
    return dataclasses.replace(
        concatenated(whole, names),
        items=np.array(labels({name: part.items for name, part in parts.items()})),
        clusters=np.array(clusters) if clusters else None,
        strata=strata,
        tasks=strata,
        notes=notes,
    )


@dataclass(frozen=True)
class Sample:
    """What one system did on one item in one run.

    `scores` are by name; None is a score that could not be computed. `content` tells whether two systems saw
    the same item, and `groups` has the group of the item by the name of the grouping. `quantities` are what
    the item took, by name: time, money, tokens. `split` is the part of the data that the item belongs to,
    where a file has several.
    """

    where: str
    item: str
    scores: Mapping[str, Any]
    run: int = 0
    content: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    quantities: Mapping[str, float] = field(default_factory=dict)
    split: str | None = None


_DEEPEST = 3
"""How deep in a record its quantities stand: the tokens of each model in the usage of a sample."""


def quantities_of(record: Mapping[str, Any]) -> dict[str, float]:
    """Return what a record of a log tells of time, money and tokens: its numbers under such names.

    Of several numbers of one name the outermost counts; those of several parts, such as models, are added.

    >>> quantities_of({"latencyMs": 80, "usage": {"a": {"all_tokens": 5}, "b": {"all_tokens": 7}}})
    {'latencyMs': 80.0, 'all_tokens': 12.0}
    >>> quantities_of({"tokenUsage": {"total": 12, "prompt": 9}, "cost": None})
    {'tokenUsage.total': 12.0, 'tokenUsage.prompt': 9.0}
    """
    found: dict[str, float] = {}
    level: list[tuple[str, Mapping[str, Any]]] = [("", record)]
    for _ in range(_DEEPEST):
        here: dict[str, float] = {}
        below: list[tuple[str, Mapping[str, Any]]] = []
        for owner, part in level:
            for key, value in part.items():
                if isinstance(value, Mapping):
                    below.append((str(key), value))
                    continue
                name = str(key) if is_quantity(str(key)) else f"{owner}.{key}" if is_usage(owner) else None
                size = None if isinstance(value, bool) else number(value)
                if name is not None and size is not None and size >= 0.0:
                    here[name] = here.get(name, 0.0) + size
        found |= {name: size for name, size in here.items() if name not in found}
        level = below
    return found


@dataclass(frozen=True)
class Fields:
    """Where the records of a tool hold what a system did on an item; dots lead into objects.

    The first key of `item` that a record has names its item, and `run` numbers its repetition; without it,
    records of one item are its runs, in order. Under each of `scores` stands a number, an object of them by
    name, or a list of objects with name and score. A record with an `error` has no score. Under `quantities`
    stand time, money and tokens; numbers there under other names are scores. With `aside` these may stand
    anywhere but under such keys.
    """

    item: Sequence[str]
    scores: Sequence[str]
    run: str | None = None
    content: str | None = None
    groups: Sequence[str] = ()
    quantities: Sequence[str] = ()
    aside: Sequence[str] | None = None
    error: str | None = None

    def reading(self, rows: Callable[[Path], Iterable[Record]]) -> Callable[[Sequence[File]], list[Scored]]:
        """Return what reads files of one system each, by what reads their records."""
        return each(lambda file: self.scored(file, rows(file.path)))

    def scored(self, file: File, rows: Iterable[Record], **more: Any) -> list[Scored]:
        """Return what a file holds of one system; `more` is what it tells beside (`Scored.of`)."""
        counts: Counter[str] = Counter()
        return [Scored.of(file, [self._sample(row, counts) for row in rows], **more)]

    def _sample(self, row: Record, counts: Counter[str]) -> Sample:
        item = next((name for key in self.item if (name := _text(_at(row, key))) is not None), None)
        if item is None:
            raise InvalidInputError(f"{row.where}: no {listed(list(self.item))}", hint=CUT_OFF)
        run = None if self.run is None else _at(row, self.run)
        if run is not None and whole_number(run) is None:
            hint = "export the results again; it numbers the repetitions of an item"
            raise InvalidInputError(f"{row.where}: {self.run} is {run!r:.40}, expected a whole number", hint)
        groups: dict[str, str] = {}
        for key in self.groups:
            part = _at(row, key)
            named = part if isinstance(part, dict) else {key.rpartition(".")[2]: part}
            groups |= Record(row.where, {key: named}).labels(key)
        failed = self.error is not None and bool(_at(row, self.error))
        scores = {} if failed else {name: size for key in self.scores for name, size in _scores(row, key)}
        taken = quantities_of({key: _at(row, key) for key in self.quantities})
        if self.aside is not None:
            taken = quantities_of({key: value for key, value in row.data.items() if key not in self.aside})
        content = None if self.content is None else _text(_at(row, self.content))
        counts[item] += 1
        return Sample(
            row.where,
            item,
            {name: size for name, size in scores.items() if name not in taken},
            counts[item] - 1 if run is None else run,
            content,
            groups,
            taken,
        )


def _at(row: Record, key: str) -> Any:
    """Return what stands under a key, or a path of keys; None if nothing does."""
    value: Any = row.data
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _text(value: Any) -> str | None:
    """Return a value as text that two files with it share; None if it is nothing."""
    if isinstance(value, dict | list):
        return json.dumps(value, sort_keys=True)
    return word(value)


def _scores(row: Record, key: str) -> Iterator[tuple[str, float | None]]:
    """Yield the scores under a key with their names, without values that are texts."""
    part = _at(row, key)
    if isinstance(part, dict):
        named = [*part.items()]
    elif isinstance(part, list):
        named = [(one.get("name"), one) for one in part if isinstance(one, dict)]
    else:
        named = [] if part is None else [(key.rpartition(".")[2], part)]
    seen: set[str] = set()
    for label, value in named:
        name = word(label)
        score = value.get("score", value.get("value")) if isinstance(value, dict) else value
        if name is not None and (score is None or number(score) is not None):
            if name in seen:
                hint = "give each score a name of its own"
                raise InvalidInputError(f"{row.where}: the score {name!r} is there twice", hint=hint)
            seen.add(name)
            yield name, number(score)


@dataclass(frozen=True)
class Scored:
    """The samples of one system on one dataset, which a file holds.

    `system` is the name that the file tells, and `other` the one to use where two files tell the same. A
    file that does not tell its `dataset` is about that of the others. `falling` are the scores of which
    lower values are better, `rising` those that show to be the contrary. `remarks` are what a description
    says of the file, by what it says of others. A tool whose samples are more than numbers by name has a
    class of its own.
    """

    source: str
    system: str | None
    other: str
    dataset: str | None
    samples: Sequence[Sample]
    falling: Collection[str] = ()
    rising: Collection[str] = ()
    remarks: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        file: File,
        samples: Sequence[Sample],
        system: str | None = None,
        dataset: str | None = None,
        *,
        is_one: bool = True,
        **more: Any,
    ) -> Self:
        """Return what a file holds, whose system is called as the user says before all.

        Of a file that is not about `is_one` system, what the user says is the beginning of their names.
        """
        own, other = file.name if file.explicit else system, file.name
        if not is_one:
            other = f"{file.name} {system}"
            own = other if file.named else system
        return cls(str(file.path), own, other, dataset, samples, **more)

    # The samples of a log are many: each of these is computed once.
    @cached_property
    def names(self) -> dict[str, None]:
        """The names of the scores that may be compared without being asked for, in order."""
        return {name: None for sample in self.samples for name in sample.scores}

    @cached_property
    def quantities(self) -> dict[str, None]:
        """The names of the quantities that are no scores, in order."""
        named = {name: None for sample in self.samples for name in sample.quantities}
        return {name: None for name in named if name not in self.names}

    @property
    def choices(self) -> dict[str, None]:
        """All that the samples can be compared by, by the names that are shown."""
        return {**self.names, **self.quantities}

    @cached_property
    def splits(self) -> dict[str, None]:
        """The splits that the samples are of."""
        return {sample.split: None for sample in self.samples if sample.split is not None}

    def has(self, name: str) -> bool:
        """Tell whether the samples can be compared by a score or quantity."""
        return name in self.choices

    def value(self, sample: Sample, name: str) -> tuple[Any, Any]:
        """Return the score or quantity of a sample, None if it has none; or a prediction and its gold."""
        return sample.scores[name] if name in sample.scores else sample.quantities.get(name), None


class Choice(NamedTuple):
    """What is compared on a dataset: a score, and the split if there are several.

    `shared` are the scores that all files have, and `scorers` those of them that are not beside others.
    `names` are all that it could be compared by. `metric` averages the score; one that is given by its name
    is computed of all items together.
    """

    name: str
    shared: Sequence[str]
    scorers: Sequence[str]
    split: str | None
    names: Sequence[str] = ()
    metric: BaseMetric | str = ""
    falling: Collection[str] = ()

    @property
    def metric_name(self) -> str:
        """The name of the metric."""
        return self.metric if isinstance(self.metric, str) else self.metric.name

    def takes(self, sample: Sample) -> bool:
        """Tell whether a sample is of the split that is compared."""
        return sample.split is None or sample.split == self.split


def falling_in(parts: Sequence[Scored]) -> frozenset[str]:
    """Return of what lower values are better: quantities, and scores of which the files tell it."""
    told = frozenset(name for one in parts for name in (*one.quantities, *one.falling))
    return told - {name for one in parts for name in one.rising}


def mean_score(parts: Sequence[Scored], name: str) -> BaseMetric | str:
    """Return the mean of a score."""
    return Mean(name, greater_is_better=name not in falling_in(parts))


@dataclass(frozen=True)
class Tool:
    """A tool whose files hold scores of items, and what it calls them.

    `files` is what they are called; `what` is its word for a score, `items` what a dataset is called that no
    file tells, and `split` its word for a part of the data, which may stand behind a score: ``f1,valid``.
    `main` are the scores that are compared by default, the first that there is, else the only one, or with
    `first` the first of several; `beside` are others that are no such. `hint` says what to do where a file
    has no score, and `metric` how one is averaged.
    """

    files: str
    main: Sequence[str] = ()
    beside: frozenset[str] = frozenset()
    first: bool = False
    what: str = "score"
    items: str = "items"
    split: str | None = None
    hint: str = "run the evaluation to its end, with scores"
    metric: Callable[[Sequence[Scored], str], BaseMetric | str] = mean_score

    def compared(
        self,
        scored: Sequence[Scored],
        wanted: str | Mapping[str, str] | None,
        on_missing: OnMissing,
        clusters: str | None,
    ) -> Read:
        """Bring the samples together by one score of each dataset, which `wanted` may name.

        Quantities, of which lower values are better, are compared only if wanted.
        """
        if (empty := next((one for one in scored if not one.samples), None)) is not None:
            hint = "run the evaluation to its end, with a log of every sample"
            raise InvalidInputError(f"{empty.source} has no {self.items}", hint)
        datasets = datasets_of([one.dataset for one in scored], self.items)
        apart = [(one.other, name, one.system) for one, name in zip(scored, datasets, strict=True)]
        systems = named_apart(apart, [one.source for one in scored])
        tasks: dict[str, list[Scored]] = {}
        for one, dataset in zip(scored, datasets, strict=True):
            tasks.setdefault(dataset, []).append(one)
        chosen = self._chosen_by_task(tasks, wanted)
        of_systems = zip(systems, datasets, scored, strict=True)
        logs = [log_of(one, system, dataset, chosen[dataset]) for system, dataset, one in of_systems]
        read = gathered(logs, on_missing, clusters)
        description = f"{self.files}; {self._description(scored, chosen)}{read.description}"
        of_items = all(isinstance(one.metric, BaseMetric) for one in chosen.values())
        cells = partial(cells_of, logs, chosen) if of_items else None
        return dataclasses.replace(read, description=description, cells=cells)

    def _chosen_by_task(
        self, tasks: Mapping[str, Sequence[Scored]], value_column: str | Mapping[str, str] | None
    ) -> dict[str, Choice]:
        """Return what is compared on each task; where there are several, hints list the names of each."""
        names = {
            task: [*dict.fromkeys(name for one in own for name in one.choices)] for task, own in tasks.items()
        }
        choices = f"{self.what}s by task: {_by_names(names)}"
        wanted = _wanted(value_column, names, choices)
        chosen: dict[str, Choice] = {}
        for task, parts in tasks.items():
            try:
                choice = self.chosen(parts, wanted[task])
            except InvalidInputError as error:
                is_split = str(error.hint).startswith(f"available {self.split}s")
                if len(tasks) > 1 and names[task] and not is_split:
                    error.hint = f"{choices}; name one: {_setting(task, names[task][0])}"
                raise
            metric, falling = self.metric(parts, choice.name), falling_in(parts)
            chosen[task] = choice._replace(names=names[task], metric=metric, falling=falling)
        return chosen

    def _description(self, scored: Sequence[Scored], chosen: Mapping[str, Choice]) -> str:
        names = dict.fromkeys(choice.name for choice in chosen.values())
        shared = dict.fromkeys(name for choice in chosen.values() for name in choice.shared)
        others = [name for name in shared if name not in names]
        description = f"{self.what}{'s' if len(names) > 1 else ''}: {listed([*names])}"
        description += f" (also in the files: {listed(others)})" if others else ""
        splits = dict.fromkeys(name for one in scored for name in one.splits)
        if len(splits) > 1:
            used = dict.fromkeys(str(choice.split) for choice in chosen.values())
            description += f"; {self.split}: {listed([*used])} of {listed([*splits])}"
        remarks: dict[str, list[str]] = {}
        for what, of_file in ((what, text) for one in scored for what, text in one.remarks.items()):
            remarks.setdefault(what, []).append(of_file)
        return description + "".join(
            f"; {what}: {listed([*dict.fromkeys(texts)])}" for what, texts in remarks.items()
        )

    def chosen(self, scored: Sequence[Scored], wanted: str | None) -> Choice:
        """Return what is compared on a dataset: the score wanted, else a main one, else the only one."""
        name, split = wanted, None
        if wanted is not None and self.split is not None:
            name, split = (part.strip() or None for part in wanted.partition(",")[::2])
        for one in scored:
            if not one.names and (name is None or not one.has(name)):
                raise InvalidInputError(f"{one.source}: no sample has a {self.what}", hint=self.hint)
            if name is not None and not one.has(name):
                check_available(name, one.choices, self.what, one.source)
            if split is not None:
                check_available(split, one.splits, str(self.split), one.source)
        first = scored[0]
        shared = [name for name in first.names if all(name in one.names for one in scored)]
        candidates = [name for name in shared if name not in self.beside] or shared
        only = candidates[0] if len(candidates) == 1 or (candidates and self.first) else None
        name = name or next((name for name in self.main if name in shared), only)
        if name is not None:
            return Choice(name, shared, candidates, split or self._shared_split(scored))
        own = dict.fromkeys(name for one in scored for name in one.names)
        if usable := shared or [name for name in own if all(one.has(name) for one in scored)]:
            raise InvalidInputError(
                f"{first.source}: which {self.what}? the files have: {listed(usable)}",
                hint="name it: value_column=...",
            )
        other = next(one for one in scored if not one.names.keys() >= first.names.keys())
        raise InvalidInputError(
            f"the files share no {self.what}: {listed([*first.names])} in {first.source},"
            f" {listed([*other.names])} in {other.source}",
            hint=f"score them with the same {self.what}",
        )

    def _shared_split(self, scored: Sequence[Scored]) -> str | None:
        """Return the split called test, else the first, of those that all files with splits have."""
        with_splits = [one for one in scored if one.splits]
        if not with_splits:
            return None
        shared = [name for name in with_splits[0].splits if all(name in one.splits for one in with_splits)]
        if not shared:
            each = "; ".join(f"{one.source}: {', '.join(one.splits)}" for one in with_splits)
            hint = f"run all systems on one {self.split}"
            raise InvalidInputError(f"the files share no {self.split} ({each})", hint)
        return "test" if "test" in shared else shared[0]


def each(scored: Callable[[File], Iterable[Scored]]) -> Callable[[Sequence[File]], list[Scored]]:
    """Return what reads several files one by one."""
    return lambda files: [one for file in files for one in scored(file)]


@dataclass(frozen=True)
class Harness(Tool):
    """A tool of which the files need nothing beside: what recognises one, and what the files hold."""

    recognises: Callable[[Path, bytes], bool] = field(kw_only=True)
    scored: Callable[[Sequence[File]], Iterable[Scored]] = field(kw_only=True)

    def read(
        self,
        paths: Mapping[str, Path],
        *,
        on_missing: OnMissing = "error",
        value_column: str | Mapping[str, str] | None = None,
        clusters: str | None = None,
    ) -> Read:
        """Read the files of two or more systems; `value_column` is a score, or that of each dataset."""
        scored = [*self.scored(files_of(paths, self.recognises))]
        return self.compared(scored, value_column, on_missing, clusters)


def cells_of(logs: Sequence[Log], chosen: Mapping[str, Choice], facets: Collection[str]) -> Table:
    """Return the samples of logs as a table, a row each, or one for each score if "scorer" is a facet.

    Items of several datasets are told apart, unless these are the facet "task". A mean over scores that are
    better when high and others that are better when low would say nothing.
    """
    shared = dict.fromkeys(name for choice in chosen.values() for name in choice.scorers)
    low = [name for name in shared if any(name in choice.falling for choice in chosen.values())]
    if "scorer" in facets and 0 < len(low) < len(shared):
        raise InvalidInputError(
            f"the scorers are {listed([*shared])}, and lower values are better of {listed(low)} only",
            hint="leave scorer out of the facets, and name one score: value_column=...",
        )
    several = len(chosen) > 1 and "task" not in facets
    run = "run" if "run" in facets else "epoch"
    rows = []
    for log in logs:
        names = log.choice.scorers if "scorer" in facets else [log.choice.name]
        for sample in log.samples:
            item = f"{log.dataset}/{sample.item}" if several else sample.item
            row = {**sample.groups, "system": log.system, "task": log.dataset, run: sample.run, "item": item}
            rows += [{**row, "scorer": name, "score": log.scored.value(sample, name)[0]} for name in names]
    return dataclasses.replace(table_of(rows), source="the logs")


def log_of(one: Scored, system: str, dataset: str, choice: Choice) -> Log:
    """Return the log of a system by one score; items and runs must be there once."""
    runs: dict[int, dict[str, Any]] = {}
    gold: dict[str, Any] = {}
    places: dict[Any, str] = {}
    several = len({sample.run for sample in one.samples}) > 1
    samples = [*filter(choice.takes, one.samples)]
    for sample in samples:
        what = f"item {sample.item!r}" + (f" of run {sample.run}" if several else "")
        check_new(places, (sample.run, sample.item), sample.where, what, "keep one record per item and run")
        value, right = one.value(sample, choice.name)
        if right is not None:
            gold[sample.item] = right
        if value is not None or right is None:
            runs.setdefault(sample.run, {})[sample.item] = math.nan if value is None else value
    return Log(system, dataset, one, choice, samples, [runs[run] for run in sorted(runs)], gold)


Recogniser = Callable[[Path, bytes], bool]


def holding(start: bytes, *keys: str | tuple[str, ...]) -> Recogniser:
    """Return what recognises a file by how it starts, a pattern, and keys of its JSON, or one of some."""
    pattern = re.compile(start)
    quoted = [[f'"{one}"'.encode() for one in ([key] if isinstance(key, str) else key)] for key in keys]
    return lambda _, head: (
        pattern.match(head) is not None and all(any(one in head for one in of_key) for of_key in quoted)
    )


def any_of(*recognisers: Recogniser) -> Recogniser:
    """Return what recognises a file in one of several layouts."""
    return lambda path, head: any(recognises(path, head) for recognises in recognisers)


def rows_of_table(path: Path, item: str, without: Collection[str] = ()) -> list[Record]:
    """Return the rows of a table; under "numbers" stand those of the columns that hold no others."""
    table = read_table(readable_file(path), frozenset(MISSING))
    table.require(item, "item")
    cells = {name: table.cells(name) for name in table.names}
    numbers = {
        name: [_number_in(cell) for cell in column] for name, column in cells.items() if name not in without
    }
    numbers = {
        name: column
        for name, column in numbers.items()
        if all(one is not None or not cell for one, cell in zip(column, cells[name], strict=True))
    }
    return [
        Record(
            f"{path}, row {row + 2}",
            {
                **{name: column[row] for name, column in cells.items()},
                "numbers": {name: column[row] for name, column in numbers.items()},
            },
        )
        for row in range(table.n_rows)
    ]


def _number_in(cell: str) -> float | None:
    """Return the number in a cell.

    >>> _number_in("True"), _number_in("0.5"), _number_in(""), _number_in("good")
    (1.0, 0.5, None, None)
    """
    return {"true": 1.0, "false": 0.0}.get(cell.lower(), as_number(cell))


def lines_in(path: Path) -> list[Record]:
    """Return the records of a file, of which there must be one."""
    rows = records(path)
    if not rows:
        raise InvalidInputError(f"{path} is empty", hint=CUT_OFF)
    return rows
