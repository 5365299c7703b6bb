"""Verdicts of a judge model on two answers, each pair shown in both orders: Arena-Hard and MT-bench."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bestby._core.errors import InvalidInputError
from bestby._core.text import counted
from bestby.data.roles import listed
from bestby.readers.formats._logs import any_of, holding
from bestby.readers.formats.base import Read, files_of
from bestby.readers.text import Record, listing, records, word

recognises = any_of(
    holding(rb"\s*(\[\s*)?\{", "games", "judge", "model"),
    holding(rb"\s*(\[\s*)?\{", "g1_winner", "g2_winner", "model_1", "model_2"),
)
SIBLINGS = ("question.jsonl", "gpt-4_single.jsonl")

_ANSWER = re.compile(
    r"The Start of Assistant ([AB])'s [^\n]*\n(.*?)\n?[<\[|]*The End of Assistant \1's", re.DOTALL
)
"""An answer within the prompt of the judge."""


def read(paths: Mapping[str, Path]) -> Read:
    """Read verdicts: a judgement for each of the two orders in which a pair was shown.

    "Much better" is a win like any other. Where the prompts of the judge were logged, the lengths of the
    answers are those in them, in characters.
    """
    files = files_of(paths, recognises)
    rows = [row for file in files for row in records(file.path)]
    games = [game for row in rows for game in (_arena_hard if "games" in row.data else _mt_bench)(row)]
    there = [game for game in games if game.winner is not None]
    if not there:
        raise InvalidInputError(f"{files[0].path}: none of {counted(len(games), 'game')} has a verdict")
    columns = columns_of(there)
    tool = "MT-bench" if "g1_winner" in rows[0].data else "Arena-Hard"
    description = f"verdicts of {tool}: {listed([*dict.fromkeys([*columns['a'], *columns['b']])])}"
    if len(there) < len(games):
        description += f"; {len(games) - len(there)} of {len(games)} without a verdict"
    return Read(description, preferences=columns, metric="win_rate")


def columns_of(judged: Sequence[Any]) -> dict[str, list[Any]]:
    """Return judgements (named tuples of one kind) as columns, of those that none of them lacks."""
    columns = {name: [getattr(one, name) for one in judged] for name in judged[0]._fields}
    return {name: values for name, values in columns.items() if None not in values}


class _Game(NamedTuple):
    """Two answers in the order in which they were shown, and the verdict on them."""

    item: str
    a: str
    b: str
    winner: str | None
    judge: str | None
    category: str | None = None
    turn: str | None = None
    length_a: int | None = None
    length_b: int | None = None


def _arena_hard(row: Record) -> Iterator[_Game]:
    """Yield the games of a record: the baseline stands first, then the model."""
    item = row.name("uid" if "uid" in row.data else "question_id")
    model, baseline = row.name("model"), word(row.data.get("baseline")) or "baseline"
    for place, game in enumerate(listing(row, "games")):
        a, b = (baseline, model) if place % 2 == 0 else (model, baseline)
        said = re.fullmatch(r"\s*\[*([AB])(=|>{1,2}|<{1,2})([AB])\]*\s*", str(game.data.get("score")))
        winner = None
        if said is not None:
            winner = "tie" if said[2] == "=" else said[1 if said[2][0] == ">" else 3].lower()
        lengths = _lengths(game.data.get("user_prompt", game.data.get("prompt")))
        yield _Game(item, a, b, winner, row.name("judge"), word(row.data.get("category")), None, *lengths)


def _mt_bench(row: Record) -> Iterator[_Game]:
    """Yield both games of a record, of which the second showed the second model first."""
    one, other = row.name("model_1"), row.name("model_2")
    judge = row.data.get("judge")
    judge = ", ".join(map(str, judge)) if isinstance(judge, list) else word(judge)
    for game, (a, b) in (("g1", (one, other)), ("g2", (other, one))):
        names = {"model_1": one, "model_2": other, "tie": "tie"}
        winner = names.get(str(row.data.get(f"{game}_winner")))  # "error" is none
        lengths = _lengths(row.data.get(f"{game}_user_prompt"))
        turn = word(row.data.get("turn"))
        yield _Game(row.name("question_id"), a, b, winner, judge, None, turn, *lengths)


def _lengths(prompt: Any) -> tuple[int | None, int | None]:
    r"""Return the lengths of both answers in a prompt of the judge, in characters; None without them.

    >>> _lengths("<|The Start of Assistant A's Answer|>\nYes.\n<|The End of Assistant A's Answer|>")
    (4, None)
    """
    if isinstance(prompt, list):  # messages of a conversation
        prompt = "\n".join(str(one.get("content")) if isinstance(one, dict) else str(one) for one in prompt)
    found = {side: len(answer) for side, answer in _ANSWER.findall(prompt)} if isinstance(prompt, str) else {}
    return found.get("A"), found.get("B")
