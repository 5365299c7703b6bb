"""When notes on several runs of each system are given, and what they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bestby.comparisons.common import note_rules
from bestby.engine.runs import FEW_FOR_MEDIANS
from bestby.inference import locations
from bestby.questions.runs.result import RunsDifference
from bestby.questions.runs.settings import Settings
from bestby.questions.runs.source import Data
from bestby.results.base import Note


def few_runs_note(data: Sequence[Data], settings: Settings) -> Iterator[Note]:
    """Yield a note where the system with the fewest runs has too few to tell how much they vary.

    `data` are the runs of each dataset. There is no note where neither intervals nor tests were asked for.
    """
    statistic = settings.statistic
    fewest = min(x.size for one in data for x in one.estimator.scores)
    kept = locations.n_kept(fewest, statistic)
    if settings.bare or kept >= (FEW_FOR_MEDIANS if statistic == "median" else locations.FEW_RUNS):
        return
    of_these = "" if kept == fewest else f", of which trimming leaves {kept}"
    yield Note(
        "few_runs",
        f"a system has only {fewest} runs{of_these}: how much its runs vary is hardly known, so t"
        " intervals are long; if they vary more than those of a system with more runs, tests can reject"
        " too often",
    )


def notes_on_scores(data: Data, differences: Sequence[RunsDifference], settings: Settings) -> list[Note]:
    """Return notes on systems whose runs do not vary, and on runs far from the others of their system."""
    scores = dict(zip(data.names, (x.tolist() for x in data.estimator.scores), strict=True))
    notes = note_rules.constant_run_notes(data.metric.name, scores)
    if settings.statistic != "mean":
        return notes
    uneven = {
        name
        for d in differences
        # Without intervals there is no advice on them.
        if settings.interval is None or any(note.code == "unequal_spread" for note in d.notes)
        for name in (d.a, d.b)
    }
    return notes + note_rules.run_notes(data.metric.name, scores, uneven)
