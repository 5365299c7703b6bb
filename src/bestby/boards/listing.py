"""The submissions of a board with what became of each: as the record tells, and as a ladder decides."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import datetime

from bestby.boards import gold as golds
from bestby.boards.cache import Cache
from bestby.boards.content_maker import chosen_by, gold_of
from bestby.boards.entries import as_of
from bestby.boards.folder import Folder, gold_in_force
from bestby.boards.secrets import sealed
from bestby.boards.submission_reader import SubmissionReader
from bestby.boards.submitting import UNDECIDED, receipts
from bestby.results.boards import SubmissionReceipt


def listed(folder: Folder, now: datetime) -> Mapping[int, SubmissionReceipt]:
    """Return all submissions by the numbers of their lines.

    What a ladder shows depends on the gold: where it is not there, and before the end of a phase whose
    results are shown then, this stays undecided.
    """
    lines, settings = folder.lines(), folder.settings()
    found = receipts(lines, settings)
    if not any(one.state == UNDECIDED for one in found.values()):
        return found
    gold = gold_in_force(lines)
    if not golds.is_there(folder, gold.version):
        return found
    with sealed("list the submissions"):
        by_task = gold_of(folder, settings)(gold)
        moment = as_of(lines, settings, now)
        entries = chosen_by(SubmissionReader(folder, settings, Cache()), lines, by_task, moment).entries
    decided = {
        one.submission: "in force" if one.shown else one.why_not
        for one in entries
        if one.why_not != "not yet" and found[one.submission].state == UNDECIDED
    }
    return found | {
        number: dataclasses.replace(found[number], state=state) for number, state in decided.items()
    }
