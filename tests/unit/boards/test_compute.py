"""What a board shows: which submissions, by which gold, and when."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from tests.unit.boards.small_boards import GOLD, ONE_TASK, START, N, SmallBoard, ids, small_board, wrong_on

from bestby.boards.content import BoardContent, Entry
from bestby.boards.gold import TaskGold
from bestby.boards.record import PhaseEnded, Published, Withdrawn, as_of

DAY = timedelta(days=1)


def standings(content: BoardContent, phase: int = 0, version: int = 0) -> dict[str, int]:
    """Return the submissions of the first table of a phase by system."""
    tables = content.versions[version].phases[phase].tables
    return {row.system: row.submission for row in tables[0].standings} if tables else {}


def why(content: BoardContent) -> dict[int, str]:
    """Return why submissions are not shown."""
    return {entry.submission: entry.why_not for entry in content.entries}


# -- which submissions -----------------------------------------------------------------------------


def test_the_newest_submission_of_a_system_is_shown(board: SmallBoard) -> None:
    first = board.submit("a/x", wrong_on(GOLD, 0.1, 1))
    other = board.submit("b/x", wrong_on(GOLD, 0.2, 2))
    second = board.submit("a/x", wrong_on(GOLD, 0.3, 3))
    content = board.content()
    assert standings(content) == {"a/x": second, "b/x": other}
    assert why(content) == {first: "replaced", other: "", second: ""}
    (row,) = (row for row in content.versions[0].phases[0].tables[0].standings if row.system == "a/x")
    assert row.n_submissions == 2


def test_after_a_withdrawal_the_one_before_is_shown_again(board: SmallBoard) -> None:
    first = board.submit("a/x", wrong_on(GOLD, 0.1, 1))
    second = board.submit("a/x", wrong_on(GOLD, 0.2, 2), paper="https://example.org/p")
    board.add(Withdrawn(second))
    content = board.content()
    assert standings(content) == {"a/x": first}
    assert why(content) == {first: "", second: "withdrawn"}
    assert (content.entries[1].team, content.entries[1].paper) == ("a", "")


def test_a_hidden_withdrawal_leaves_no_name(board: SmallBoard) -> None:
    number = board.submit(
        "secret team/secret system", GOLD, run="secret run", code="https://example.org/secret"
    )
    board.submit("a/x", GOLD)
    board.add(Withdrawn(number, hidden=True, reason="secret reason"))
    content = board.content()
    assert isinstance(content.entries[0], Entry)
    assert "secret" not in repr(content)


def test_the_first_run_stands_for_a_system(board: SmallBoard) -> None:
    one = board.submit("a/x", wrong_on(GOLD, 0.1, 1), run="s1")
    two = board.submit("a/x", wrong_on(GOLD, 0.1, 2), run="s2")
    assert standings(board.content()) == {"a/x": one}
    again = board.submit("a/x", wrong_on(GOLD, 0.1, 3), run="s1")
    assert standings(board.content()) == {"a/x": again}
    assert why(board.content()) == {one: "replaced", two: "", again: ""}
    board.add(Withdrawn(again), Withdrawn(one))
    assert standings(board.content()) == {"a/x": two}


def test_runs_of_two_systems_are_compared(board: SmallBoard) -> None:
    for seed in range(3):
        board.submit("a/x", wrong_on(GOLD, 0.1, seed), run=f"s{seed}")
        board.submit("b/x", wrong_on(GOLD, 0.3, 10 + seed), run=f"s{seed}")
    table = board.content().versions[0].phases[0].tables[0]
    assert table.runs is not None
    assert {entry.system for entry in table.runs.systems} == {"a/x", "b/x"}
    assert table.runs["a/x", "b/x"].estimate > 0.1


def test_links_are_left_out_if_the_settings_say_so(tmp_path: Path) -> None:
    text = f"{ONE_TASK}\n[public]\nlinks = false\n"
    board = small_board(tmp_path / "board", text, {"spam": {"id": ids(N), "gold": GOLD}})
    board.submit("a/x", GOLD, paper="https://example.org/paper", code="https://example.org/code")
    assert "example.org" not in repr(board.content())


# -- phases ----------------------------------------------------------------------------------------

TWO_PHASES = f"""{ONE_TASK}
[[phase]]
name = "dev"
part = "public"
[[phase]]
name = "test"
part = "private"
show = "after"
end = 2026-02-01
"""
PART = ["public" if place % 3 else "private" for place in range(N)]


@pytest.fixture
def parted(tmp_path: Path) -> SmallBoard:
    """Return a board with a public phase and one that is hidden until February."""
    columns = {"id": ids(N), "gold": GOLD, "part": PART}
    return small_board(tmp_path / "parted", TWO_PHASES, {"spam": columns})


def test_a_phase_is_scored_on_its_part(parted: SmallBoard) -> None:
    values = wrong_on(GOLD, 0.3, 1)
    parted.submit("a/x", values)
    parted.submit("a/x", values, phase="test")
    right = np.array([one == other for one, other in zip(values, GOLD, strict=True)])
    public = np.array(PART) == "public"
    parted.add(PhaseEnded("test"))
    dev, test = parted.content().versions[0].phases
    assert (dev.tables[0].n_items, test.tables[0].n_items) == (int(public.sum()), int((~public).sum()))
    assert dev.tables[0].standings[0].score == right[public].mean()
    assert test.tables[0].standings[0].score == right[~public].mean()


def test_a_hidden_phase_shows_nothing_before_its_end(parted: SmallBoard) -> None:
    parted.submit("a/x", wrong_on(GOLD, 0.3, 1))
    number = parted.submit("a/x", wrong_on(GOLD, 0.3, 1), phase="test")
    content = parted.content()
    phase = content.versions[0].phases[1]
    assert (phase.visible, phase.tables, phase.overall, phase.state) == (False, (), None, "open")
    assert why(content)[number] == "not yet"
    late = parted.content(datetime.fromisoformat("2026-03-01T00:00:00+00:00"))
    assert late.versions == content.versions  # the clock ends nothing
    parted.add(PhaseEnded("test"))
    after = parted.content()
    assert (after.versions[0].phases[1].visible, after.versions[0].phases[1].state) == (True, "over")
    assert standings(after, 1) == {"a/x": number}


def test_as_of_moves_with_events_and_ends_of_phases_only(parted: SmallBoard) -> None:
    parted.submit("a/x", GOLD)
    lines, settings = parted.folder.lines(), parted.settings
    last = lines[-1].time
    end = datetime.fromisoformat("2026-02-01T00:00:00+00:00")
    assert as_of(lines, settings, last) == as_of(lines, settings, end - DAY) == last
    assert as_of(lines, settings, end) == as_of(lines, settings, end + DAY) == end
    assert as_of(lines, settings, START - DAY) == last  # a clock that went back
    parted.now = end - DAY
    parted.add(Published("0" * 64, "", 0))
    assert as_of(parted.folder.lines(), settings, end - DAY) == last
    assert parted.content(end - DAY).record_head == lines[-1].hash


# -- versions of the gold --------------------------------------------------------------------------


def test_older_results_stay_beside_those_of_a_corrected_gold(board: SmallBoard) -> None:
    first = board.submit("a/x", wrong_on(GOLD, 0.2, 1))
    before = board.content().versions[0].phases
    corrected = wrong_on(GOLD, 0.5, 9)
    board.correct("half was wrong", {"spam": TaskGold({"id": ids(N)[:150], "gold": corrected[:150]})})
    second = board.submit("b/x", corrected)
    content = board.content()
    assert [one.version for one in content.versions] == [2, 1]
    assert content.versions[0].reason == "half was wrong"
    assert standings(content, version=0) == {"b/x": second, "a/x": first}
    assert content.versions[0].phases[0].tables[0].n_items == 150
    assert content.versions[0].phases[0].tables[0].standings[0].score == 1.0
    assert content.versions[1].phases == before
    assert set(why(content)) == {first, second}
