"""What BooStSa (Fornaciari et al. 2022) reads and writes: its ``outcomes.json``.

``outcomes.json`` holds, for each control condition, its experiments and its treatments::

    {"h0": {"exp_idxs": ["h0.0", "h0.1"],               names of the experiments
            "preds":    [[[0], [1], …], …],             per experiment: a row per item
            "targs":    [[[0], [1], …], …],
            "idxs":     [[[212], [600], …], …],         item ids
            "epochs":   [10, 10],                       one per experiment, or none
            "h1": {"h1": {the same five lists},         the treatments of h0
                   "h2": {…}}}}

A row has one number for a hard label and K numbers for a soft one. Every experiment carries its own gold and
ids, which a study has once.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core import checks, files
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.typing import Array
from bestby.data import soft
from bestby.data.columns import complete
from bestby.data.soft import soft_or_hard
from bestby.data.values import label_codes, read_together
from bestby.questions.study.source import Entry, Gold, Run
from bestby.questions.study.store import Store


def read_outcomes(path: str | Path) -> tuple[Entry, ...]:
    """Return the runs of an ``outcomes.json``: controls are baselines, treatments against their controls."""
    file = checks.valid_path(path, "name a file outcomes.json")
    blocks = _blocks(file)
    controls = {
        name: [block.control for block in blocks if block.condition == name and block.control is not None]
        for name in dict.fromkeys(block.condition for block in blocks)
    }
    by_condition: dict[str, dict[str, Entry]] = {}
    for block in blocks:
        above = controls[block.condition]
        if block.control is None and above:
            raise DesignError(
                f"{file}: {block.condition!r} is both a control and a treatment of {above[0]!r}",
                hint="a condition of a study has one role: give it two names in the file",
            )
        experiments_here = _experiments(file, block, above)
        if not _same(by_condition.setdefault(block.condition, experiments_here), experiments_here):
            raise DesignError(
                f"{file}: {block.condition!r} has other experiments under {block.control!r}"
                f" than under {above[0]!r}",
                hint="they are two conditions: give them two names in the file",
            )
    entries = tuple(entry for experiments in by_condition.values() for entry in experiments.values())
    if not entries:
        raise InvalidInputError(f"{file} holds no experiment")
    _check_one_gold(file, entries)
    return entries


_LISTS = ("exp_idxs", "preds", "targs", "idxs", "epochs")


@dataclass(frozen=True)
class _Block:
    """The experiments of one condition under one control."""

    condition: str
    control: str | None
    content: Mapping[str, Any]


def _blocks(path: Path) -> list[_Block]:
    data = readable_file(path).read_bytes()
    try:
        content = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"{path} is not JSON: {error}", hint="check that the file is complete"
        ) from error
    blocks: list[_Block] = []
    for control, controls_lists in _conditions(path, content):
        blocks.append(_Block(control, None, controls_lists))
        treatments = controls_lists.get("h1", {})
        blocks += [_Block(name, control, lists) for name, lists in _conditions(path, treatments)]
    return blocks


def _conditions(path: Path, content: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not isinstance(content, dict):
        raise _no_outcomes(path, "expected an object of conditions")
    for name, lists in content.items():
        if not isinstance(lists, dict) or not all(isinstance(lists.get(key), list) for key in _LISTS):
            raise _no_outcomes(path, f"condition {name!r} lacks some of the lists {', '.join(_LISTS)}")
        if len({len(lists[key]) for key in _LISTS[:-1]}) > 1:
            raise _no_outcomes(path, f"the lists of condition {name!r} have different lengths")
        yield name, lists


def _no_outcomes(path: Path, reason: str) -> InvalidInputError:
    return InvalidInputError(
        f"{path} is not an outcomes.json of BooStSa: {reason}",
        hint="Bootstrap.data2json writes one, and Bootstrap.run does unless save_outcomes=False",
    )


def _experiments(path: Path, block: _Block, controls: list[str]) -> dict[str, Entry]:
    """Return the experiments of a block by their names."""
    lists = block.content
    n = len(lists["exp_idxs"])
    epochs = lists["epochs"] or [None] * n
    if len(epochs) != n:
        raise InvalidInputError(
            f"{path}: {block.condition!r} has {n} experiments and {len(epochs)} numbers of epochs",
            hint="give one number of epochs per experiment, or none",
        )
    experiments: dict[str, Entry] = {}
    for position, exp_idx in enumerate(lists["exp_idxs"]):
        name = str(position if exp_idx is None else exp_idx)  # feed() takes experiments without exp_idx
        if name in experiments:
            raise InvalidInputError(
                f"{path}: {block.condition!r} has two experiments named {name!r}",
                hint="give every experiment of a condition its own name in exp_idxs",
            )
        what = f"{path}, experiment {name!r} of {block.condition!r}"
        preds, targs, idxs = (
            soft_or_hard(_matrix(lists[key][position], f"{what}: {key}"), f"{what}: {key}")
            for key in ("preds", "targs", "idxs")
        )
        if not len(preds) == len(targs) == len(idxs):
            raise _no_outcomes(path, f"preds, targs and idxs of {name!r} have different lengths")
        experiments[name] = Entry(
            condition=block.condition,
            run=name,
            predictions=preds,
            gold=targs,
            ids=idxs,
            baseline=block.control is None,
            against=controls or None,
            epochs=epochs[position],
        )
    return experiments


def _matrix(rows: Any, what: str) -> Array:
    try:
        return np.asarray(rows)
    except ValueError as error:
        raise InvalidInputError(f"{what} must have as many numbers in every row") from error


def _same(some: Mapping[str, Entry], others: Mapping[str, Entry]) -> bool:
    return some.keys() == others.keys() and all(
        np.array_equal(getattr(some[name], part), getattr(others[name], part))
        for name in some
        for part in ("predictions", "gold", "ids")
    )


def _check_one_gold(path: Path, entries: tuple[Entry, ...]) -> None:
    """Refuse experiments of other items, or with another gold, than the first."""
    first = entries[0]
    gold = dict(zip(first.ids.tolist(), first.gold.tolist(), strict=True))  # type: ignore[union-attr]
    for entry in entries[1:]:
        theirs = dict(zip(entry.ids.tolist(), entry.gold.tolist(), strict=True))  # type: ignore[union-attr]
        if theirs == gold:
            continue
        pair = f"{entry.run!r} of {entry.condition!r} and {first.run!r} of {first.condition!r}"
        if theirs.keys() != gold.keys():
            disagreement = f"share {len(theirs.keys() & gold.keys())} of {len(gold)} items"
        else:
            item = next(item for item in gold if gold[item] != theirs[item])
            disagreement = f"have the targets {theirs[item]!r} and {gold[item]!r} for item {item!r}"
        raise DesignError(
            f"{path}: {pair} {disagreement}; a study has one gold",
            hint="folds are not runs: make a study of each, or compare them with compare_folds",
        )


def import_outcomes(store: Store, path: str | Path, *, replace: bool = False) -> tuple[Run, ...]:
    """Add the experiments of an ``outcomes.json`` to a study.

    All are checked before the first is added, so a file with an error in it changes nothing. They are then
    added one by one: a process that is killed leaves those that were added so far, each whole, and
    importing again with ``replace=True`` adds the rest.
    """
    entries = tuple(_in_its_role(store, entry) for entry in read_outcomes(path))
    for entry in entries:
        store.check(entry, replace=replace)
    return tuple(store.put(entry, replace=replace) for entry in entries)


def _in_its_role(store: Store, entry: Entry) -> Entry:
    """Leave out what the study says in other words: a treatment against all, of which the file lists each."""
    if (
        entry.against
        and store.runs(entry.condition)
        and set(store.against(entry.condition)) == set(entry.against)
    ):
        return dataclasses.replace(entry, against=None)
    return entry


def write_outcomes(store: Store, path: str | Path) -> tuple[Any, ...] | None:
    """Write a study as an ``outcomes.json`` that BooStSa loads.

    BooStSa knows numbers only: labels that are not whole numbers are written as their position among the
    sorted labels, ids as the position of the item; beside soft labels, hard ones as rows that are certain.
    Epochs are written if all runs of a condition have them; tags and clusters have no place there. Returns
    the label of each number, or the class of each column; None if labels are written as they are.
    """
    gold = store.gold()
    runs = {
        name: [store.load(name, run, gold=gold) for run in store.runs(name)] for name in store.conditions()
    }
    if not runs:
        raise InvalidInputError(f"the study {store.path} has no runs to write")
    gold, runs = _as_compared(gold, runs)
    everything = [run for several in runs.values() for run in several]
    labels = _numbering(gold, everything)
    any_soft = any(values.ndim == 2 for values in (gold.values, *(run.predictions for run in everything)))
    content: dict[str, Any] = {
        name: {**_lists(gold, several, labels, any_soft), "h1": {}}
        for name, several in runs.items()
        if several[0].baseline
    }
    for name, several in runs.items():
        rivals = store.against(name)
        if not rivals and name not in content:
            raise DesignError(
                f"{name!r} has no baseline in the study, but outcomes.json lists every treatment under its"
                f" baseline",
                hint="add the runs of a baseline with baseline=True",
            )
        for rival in rivals:
            content[rival]["h1"][name] = _lists(gold, several, labels, any_soft)
    target = checks.valid_path(path, "name a file outcomes.json")
    with files.reported(f"write {target}"):
        files.replace(target, (json.dumps(content) + "\n").encode(), target.parent)
    return None if labels is None else tuple(labels.tolist())


def _as_compared(gold: Gold, runs: dict[str, list[Run]]) -> tuple[Gold, dict[str, list[Run]]]:
    """Return hard labels as they are compared: 1.0 and "1" are one label."""
    everything = [run for several in runs.values() for run in several]
    if gold.values.ndim == 2 or any(run.predictions.ndim == 2 for run in everything):
        return gold, runs
    columns = {str(place): complete(run.predictions) for place, run in enumerate(everything)}
    labels, read, _ = read_together(complete(gold.values), columns, strings=True)
    assert labels is not None
    labels_by_code, positions = label_codes([labels.values, *(column.values for column in read.values())])
    values = iter([labels_by_code[position] for position in positions])
    return dataclasses.replace(gold, values=next(values)), {
        name: [dataclasses.replace(run, predictions=next(values)) for run in several]
        for name, several in runs.items()
    }


def _numbering(gold: Gold, runs: list[Run]) -> Array | None:
    """Return the labels in the order of their numbers, None if they are numbers or nothing needs one."""
    if gold.values.ndim == 2 or any(run.predictions.ndim == 2 for run in runs):
        return (
            gold.classes
            if gold.classes is not None
            else next(r.classes for r in runs if r.classes is not None)
        )
    columns = [gold.values, *(run.predictions for run in runs)]
    if all(column.dtype.kind in "iu" for column in columns):
        return None
    return np.unique(np.concatenate(columns))


def _lists(gold: Gold, runs: list[Run], labels: Array | None, any_soft: bool) -> dict[str, Any]:
    ids = gold.ids if gold.ids.dtype.kind in "iu" else np.arange(gold.n_items)
    epochs = [run.epochs for run in runs]
    return {
        "exp_idxs": [run.run for run in runs],
        "preds": [_rows(run.predictions, labels, any_soft) for run in runs],
        "targs": [_rows(gold.values, labels, any_soft)] * len(runs),
        "idxs": [ids.reshape(-1, 1).tolist()] * len(runs),
        "epochs": [] if None in epochs else epochs,
    }


def _rows(values: Array, labels: Array | None, any_soft: bool) -> list[list[Any]]:
    """Return one row per item: one number, or one per class."""
    if values.ndim == 1 and labels is not None:
        places = soft.positions(values, labels, "the study")
        values = soft.one_hot(places, labels.size) if any_soft else places
    rows: list[list[Any]] = (values.reshape(-1, 1) if values.ndim == 1 else values).tolist()
    return rows
