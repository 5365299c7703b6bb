"""The predictions of a baseline in one file, with a hash of the gold they were made for.

The file is JSON with the fields of `FIELDS` and no others, but for `TRIALS` where the items have some.
Items, predictions and gold are checked when the predictions of a candidate are set beside it: both
must be of the same items with the same gold.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core import files
from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.text import path_text, quoted
from bestby._core.typing import Array
from bestby.data.alignment import in_common_spelling
from bestby.data.evaluation import Evaluation
from bestby.data.roles import listed

KIND, FORMAT = "bestby baseline", 1
FIELDS = ("kind", "format", "system", "items", "predictions", "gold", "checksum")
TRIALS = "trials"
_AGAIN = "write it again: bestby gate --save FILE PREDICTIONS"


def stored(evaluation: Evaluation) -> str:
    """Return the file of an evaluation of one system.

    Raises
    ------
    InvalidInputError
        If it has not one system, or its predictions are no labels, numbers or texts.
    """
    evaluation.uncounted("a stored baseline")
    name = _single_system(evaluation, "one system is stored as a baseline")
    if evaluation.missing.get(name) is not None:
        raise InvalidInputError(
            f"system {name!r} lacks predictions, and a baseline is stored whole",
            hint="leave out on_missing, and complete the predictions",
        )
    content = {
        "kind": KIND,
        "format": FORMAT,
        "system": name,
        "items": None if evaluation.items is None else [str(item) for item in evaluation.items.tolist()],
        "predictions": _plain(evaluation.systems[name], name),
        "gold": _hash_of_gold(evaluation),
    }
    if name in evaluation.trials:
        content[TRIALS] = evaluation.trials[name].tolist()
    return json.dumps({**content, "checksum": files.digest(content)}, ensure_ascii=False) + "\n"


def with_stored(path: str | Path, evaluation: Evaluation) -> Evaluation:
    """Return the stored baseline beside the one system of an evaluation, the baseline first.

    Raises
    ------
    InvalidInputError
        If the file is not a stored baseline or damaged, or it is of other items or another gold.
    """
    content = _content(path)
    evaluation.uncounted("a gate with a stored baseline")
    candidate = _single_system(evaluation, "with a stored baseline there is one candidate")
    shown = path_text(path)
    places = _in_order(content, evaluation, shown)
    predictions = [content["predictions"][place] for place in places]
    if content["gold"] != _hash_of_gold(evaluation):
        raise InvalidInputError(
            f"the gold of the candidate is not the gold that {shown} was made for",
            hint=f"compare on the same gold; if it was corrected, {_AGAIN}",
        )
    name = content["system"] if content["system"] != candidate else f"{content['system']} (stored)"
    both = Evaluation.of(
        {
            name: [*map(frozenset, predictions)] if evaluation.label_sets else predictions,
            candidate: evaluation.systems[candidate],
        },
        evaluation.gold,
        classes=evaluation.classes,
        objects=evaluation.systems[candidate].dtype.kind == "O" and not evaluation.label_sets,
        label_sets=evaluation.label_sets,
    )
    # The file does not hold what the values were called: they are of the same kind as those of the candidate.
    called = dict.fromkeys(both.names, evaluation.called.get(candidate, candidate))
    trials = {}  # as of systems of which one has none
    if TRIALS in content and candidate in evaluation.trials:
        trials = {name: np.array(content[TRIALS])[places], candidate: evaluation.trials[candidate]}
    return dataclasses.replace(
        evaluation, systems=both.systems, gold=both.gold, classes=both.classes, called=called, trials=trials
    )


def _single_system(evaluation: Evaluation, expected: str) -> str:
    """Return the name of the only system, or say that one is expected."""
    if len(evaluation.names) != 1:
        raise InvalidInputError(
            f"{expected}, got {len(evaluation.names)}: {listed(evaluation.names)}",
            hint="name it: --system NAME",
        )
    return evaluation.names[0]


def _content(path: str | Path) -> dict[str, Any]:
    """Return what the file holds, if it is one that `stored` has written."""
    shown = path_text(path)
    try:
        content = json.loads(readable_file(path).read_bytes().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(
            f"{shown} is not a stored baseline: it is not JSON",
            hint=f"give predictions before those of the candidate, without --baseline-file; or {_AGAIN}",
        ) from error
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise InvalidInputError(
            f"{shown} is not a stored baseline",
            hint=f"{_AGAIN}; predictions in other files are given as FILES",
        )
    if content.get("format") != FORMAT:
        raise InvalidInputError(
            f"{shown} is a baseline in format {quoted(content.get('format'))}, and this version of bestby"
            f" reads {FORMAT}",
            hint=_AGAIN,
        )
    checksum = content.pop("checksum", None)
    if set(content) - {TRIALS} | {"checksum"} != set(FIELDS) or checksum != files.digest(content):
        raise InvalidInputError(f"{shown} is damaged: its checksum is not that of what it holds", hint=_AGAIN)
    return content


def _in_order(content: dict[str, Any], evaluation: Evaluation, shown: str) -> list[int]:
    """Return the places of the stored predictions in the order of the items of the candidate."""
    predictions, ids = content["predictions"], content["items"]
    if (ids is None) != (evaluation.items is None):
        one, other = (shown, "the candidate") if ids is not None else ("the candidate", shown)
        raise InvalidInputError(
            f"{one} has item ids, {other} has none", hint="give ids in both, or in none: --item COLUMN"
        )
    if ids is None or evaluation.items is None:
        if len(predictions) != evaluation.n_items:
            raise InvalidInputError(
                f"{shown} has {len(predictions)} items, the candidate has {evaluation.n_items}",
                hint=f"compare on the same items, or {_AGAIN}",
            )
        return list(range(len(predictions)))
    place = {item: position for position, item in enumerate(ids)}
    wanted = [str(item) for item in evaluation.items.tolist()]
    place, respelled = in_common_spelling(place, dict.fromkeys(wanted))
    wanted = list(respelled)
    for name, missing in (
        (shown, [item for item in wanted if item not in place]),
        ("the candidate", sorted(place.keys() - {*wanted})),
    ):
        if missing:
            raise InvalidInputError(
                f"{shown} has {len(ids)} items and the candidate {len(wanted)}; {len(missing)} of them are"
                f" missing from {name}, the first being {quoted(missing[0])}",
                hint=f"compare on the same items, or {_AGAIN}",
            )
    return [place[item] for item in wanted]


def _plain(values: Array, name: str) -> list[Any]:
    plain = [sorted(one, key=str) if isinstance(one, frozenset) else one for one in values.tolist()]
    try:
        json.dumps(plain, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"the predictions of {name!r} are neither labels nor numbers nor texts: they cannot be stored",
            hint="keep their file, and give both: bestby gate BASELINE CANDIDATE",
        ) from error
    return plain


def _hash_of_gold(evaluation: Evaluation) -> str | None:
    """Return a hash of the gold by item, whatever the order of the items; None without gold."""
    if evaluation.gold is None:
        return None
    ids = range(evaluation.n_items) if evaluation.items is None else evaluation.items.tolist()
    pairs = sorted((str(item), _text(label)) for item, label in zip(ids, evaluation.gold, strict=True))
    return hashlib.blake2b(repr(pairs).encode(), digest_size=16).hexdigest()


def _text(label: Any) -> str:
    plain = label.tolist() if isinstance(label, np.ndarray | np.generic) else label
    return repr(sorted(plain, key=str) if isinstance(plain, frozenset) else plain)
