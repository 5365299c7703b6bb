"""What a board shows: which submissions, by which gold, when, and with which numbers."""

from __future__ import annotations

import contextlib
import dataclasses
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from tests.unit.boards.boards import ONE_TASK, START, SmallBoard, ids, small_board, two_labels, wrong_on

import bestby as bb
from bestby import BoardError
from bestby.boards.cache import opened
from bestby.boards.content import BoardContent, Entry, Table
from bestby.boards.contents import contents, gold_of, opened_cache
from bestby.boards.entries import as_of
from bestby.boards.events import Published, Withdrawn
from bestby.boards.gold import TaskGold
from bestby.boards.settings import parse

N = 200
GOLD = two_labels(N)
DAY = timedelta(days=1)


@pytest.fixture
def board(tmp_path: Path) -> SmallBoard:
    """Return an empty board of one task."""
    return small_board(tmp_path / "board", ONE_TASK, {"spam": {"id": ids(N), "gold": GOLD}})


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
    content = board.contents()
    assert standings(content) == {"a/x": second, "b/x": other}
    assert why(content) == {first: "replaced", other: "", second: ""}
    (row,) = (row for row in content.versions[0].phases[0].tables[0].standings if row.system == "a/x")
    assert row.n_submissions == 2


def test_after_a_withdrawal_the_one_before_is_shown_again(board: SmallBoard) -> None:
    first = board.submit("a/x", wrong_on(GOLD, 0.1, 1))
    second = board.submit("a/x", wrong_on(GOLD, 0.2, 2), paper="https://example.org/p")
    board.add(Withdrawn(second))
    content = board.contents()
    assert standings(content) == {"a/x": first}
    assert why(content) == {first: "", second: "withdrawn"}
    assert (content.entries[1].team, content.entries[1].paper) == ("a", "")


def test_a_hidden_withdrawal_leaves_no_name(board: SmallBoard) -> None:
    number = board.submit(
        "secret team/secret system", GOLD, run="secret run", code="https://example.org/secret"
    )
    board.submit("a/x", GOLD)
    board.add(Withdrawn(number, hidden=True, reason="secret reason"))
    content = board.contents()
    assert isinstance(content.entries[0], Entry)
    assert "secret" not in repr(content)


def test_the_first_run_stands_for_a_system(board: SmallBoard) -> None:
    one = board.submit("a/x", wrong_on(GOLD, 0.1, 1), run="s1")
    two = board.submit("a/x", wrong_on(GOLD, 0.1, 2), run="s2")
    assert standings(board.contents()) == {"a/x": one}
    again = board.submit("a/x", wrong_on(GOLD, 0.1, 3), run="s1")
    assert standings(board.contents()) == {"a/x": again}
    assert why(board.contents()) == {one: "replaced", two: "", again: ""}
    board.add(Withdrawn(again), Withdrawn(one))
    assert standings(board.contents()) == {"a/x": two}


def test_runs_of_two_systems_are_compared(board: SmallBoard) -> None:
    for seed in range(3):
        board.submit("a/x", wrong_on(GOLD, 0.1, seed), run=f"s{seed}")
        board.submit("b/x", wrong_on(GOLD, 0.3, 10 + seed), run=f"s{seed}")
    table = board.contents().versions[0].phases[0].tables[0]
    assert table.runs is not None
    assert {entry.system for entry in table.runs.systems} == {"a/x", "b/x"}
    assert table.runs["a/x", "b/x"].estimate > 0.1


def test_links_are_left_out_if_the_settings_say_so(tmp_path: Path) -> None:
    text = f"{ONE_TASK}\n[public]\nlinks = false\n"
    board = small_board(tmp_path / "board", text, {"spam": {"id": ids(N), "gold": GOLD}})
    board.submit("a/x", GOLD, paper="https://example.org/paper", code="https://example.org/code")
    assert "example.org" not in repr(board.contents())


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
    dev, test = parted.contents(datetime.fromisoformat("2026-03-01T00:00:00+00:00")).versions[0].phases
    assert (dev.tables[0].n_items, test.tables[0].n_items) == (int(public.sum()), int((~public).sum()))
    assert dev.tables[0].standings[0].score == right[public].mean()
    assert test.tables[0].standings[0].score == right[~public].mean()


def test_a_hidden_phase_shows_nothing_before_its_end(parted: SmallBoard) -> None:
    parted.submit("a/x", wrong_on(GOLD, 0.3, 1))
    number = parted.submit("a/x", wrong_on(GOLD, 0.3, 1), phase="test")
    content = parted.contents()
    phase = content.versions[0].phases[1]
    assert (phase.visible, phase.tables, phase.overall, phase.state) == (False, (), None, "open")
    assert why(content)[number] == "not yet"
    after = parted.contents(datetime.fromisoformat("2026-02-01T00:00:00+00:00"))
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
    assert parted.contents(end - DAY).record_head == lines[-1].hash


def test_of_a_ladder_only_improvements_are_shown(tmp_path: Path) -> None:
    text = f'{ONE_TASK}\n[[phase]]\nname = "dev"\npart = "all"\nladder = true\n'
    gold = ["spam", "ham", "spam", "spam", "spam", "ham"]  # 1 0 1 1 1 0
    board = small_board(tmp_path / "board", text, {"spam": {"id": ids(6), "gold": gold}})
    words = {"0": "ham", "1": "spam"}
    numbers = [
        board.submit("a/x", [words[digit] for digit in digits]) for digits in ("000000", "100000", "101000")
    ]
    losses = []
    for number in numbers:
        lines = board.folder.lines()[: number + 1]
        shown = contents(
            board.folder, board.settings, lines, gold_of(board.folder, board.settings), board.now
        )
        losses.append(1.0 - shown.versions[0].phases[0].tables[0].standings[0].score)
    assert [round(loss, 4) for loss in losses] == [0.6667, 0.6667, 0.3333]
    assert why(board.contents()) == dict(zip(numbers, ("replaced", "no improvement", ""), strict=True))


# -- numbers ---------------------------------------------------------------------------------------


def filled(board: SmallBoard, shares: tuple[float, ...] = (0.05, 0.1, 0.3, 0.32)) -> dict[str, list[str]]:
    """Submit systems of several abilities."""
    systems = {f"t{place}/s": wrong_on(GOLD, share, place) for place, share in enumerate(shares)}
    for key, values in systems.items():
        board.submit(key, values)
    return systems


def test_the_numbers_are_those_of_compare(board: SmallBoard) -> None:
    systems = filled(board)
    board.settings = parse(
        board.folder.text().replace('["accuracy"]', '["f1_macro", "accuracy"]')
        + "margins = {accuracy = 0.02}\n", "board.toml"
    )  # fmt: skip
    board.settings = dataclasses.replace(board.settings, baseline="t2/s")
    for table in board.contents().versions[0].phases[0].tables:
        margin = {"accuracy": 0.02}.get(table.metric.name)
        known = bb.compare(systems, gold=GOLD, metric=table.metric.name, simultaneous=True, margin=margin)
        assert [row.system for row in table.standings] == [entry.system for entry in known.systems]
        best = known.systems[0].system
        for row, entry in zip(table.standings, known.systems, strict=True):
            assert (row.score, row.interval, row.group) == (entry.score, entry.interval, entry.group)
            assert (row.rank_low, row.rank_high) == (entry.rank_low, entry.rank_high)
            for to, other in ((row.to_best, best), (row.to_baseline, "t2/s")):
                assert (to is None) == (row.system == other)
                if to is not None:
                    d = known[row.system, other]
                    found = (to.other, to.estimate, to.interval, to.p_adjusted, to.verdict)
                    assert found == (other, d.estimate, d.interval, d.p_adjusted, d.verdict)
        ranks = [(entry.rank_low, entry.rank_high) for entry in known.systems]
        shown = sum(a[1] < b[0] for i, a in enumerate(ranks) for b in ranks[i + 1 :])
        assert table.n_pairs == 6
        assert table.n_established >= shown > 0
        assert table.detectable is not None
        assert f"detect a difference of {float(f'{table.detectable:.2g}'):g}" in table.next_step
        assert (table.margin, table.baseline) == (margin, "t2/s")


def by_f1(board: SmallBoard, more: str = "") -> tuple[Table, list[str]]:
    """Return the table of a board by macro-F1, and the tests that were asked for."""
    text = board.folder.text().replace('["accuracy"]', '["f1_macro"]') + more
    board.settings = parse(text, "board.toml")
    with mock.patch("bestby.boards.tables.compare", wraps=bb.compare) as compared:
        table = board.contents().versions[0].phases[0].tables[0]
    return table, [call.kwargs.get("test", "permutation") for call in compared.call_args_list]


def test_swaps_are_drawn_only_where_their_p_values_are_shown(board: SmallBoard) -> None:
    systems = filled(board)
    table, tests = by_f1(board)
    known = bb.compare(systems, gold=GOLD, metric="f1_macro", simultaneous=True)
    assert tests == ["wald"]
    assert "Wald" in table.methods
    for row in table.standings[1:]:
        assert row.to_best is not None
        d = known[row.system, row.to_best.other]
        assert (row.to_best.interval, row.to_best.p_adjusted) == (d.interval, d.p_adjusted)
    table, tests = by_f1(board, "[public]\npairs = true\n")
    assert tests == ["permutation"]
    assert table.comparison is not None
    assert table.comparison.differences == known.differences


def test_a_difference_without_a_standard_error_is_tested_by_swaps(board: SmallBoard) -> None:
    filled(board)
    with mock.patch("bestby.engine.sums.SumGroup.error", return_value=None):
        _, tests = by_f1(board)
    assert tests == ["wald", "permutation"]


def test_ranks_and_intervals_never_disagree(board: SmallBoard) -> None:
    filled(board, (0.05, 0.07, 0.1, 0.12, 0.2, 0.25, 0.3))
    table = board.contents().versions[0].phases[0].tables[0]
    for row in table.standings:
        if row.to_best is not None and row.to_best.interval is not None:
            excluded = 0.0 not in row.to_best.interval
            assert excluded == (row.to_best.p_adjusted is not None and row.to_best.p_adjusted <= 0.05)
            assert row.could_be_first <= (not excluded)


def test_one_system_has_a_score_and_no_rank_to_share(board: SmallBoard) -> None:
    board.submit("a/x", wrong_on(GOLD, 0.1, 1))
    table = board.contents().versions[0].phases[0].tables[0]
    (row,) = table.standings
    assert (row.rank_low, row.rank_high, row.to_best) == (1, 1, None)
    assert row.interval is not None
    assert (table.n_pairs, table.detectable, table.best) == (0, None, None)


def test_slices_are_of_the_best_and_the_baseline(tmp_path: Path) -> None:
    text = ONE_TASK.replace('title = "Spam"', 'title = "Spam"\nbaseline = "t3/s"') + 'slices = ["lang"]\n'
    columns = {"id": ids(N), "gold": GOLD, "lang": ["de", "en"] * (N // 2)}
    board = small_board(tmp_path / "board", text, {"spam": columns})
    filled(board, (0.05, 0.1, 0.15, 0.3, 0.4))
    table = board.contents().versions[0].phases[0].tables[0]
    assert table.slices is not None
    assert {(d.a, d.b) for d in table.slices.overall} == {(f"t{place}/s", "t3/s") for place in range(3)}
    assert not any("independent" in note for note in table.notes), "slices are no clusters"


def test_a_note_on_one_system_names_it(tmp_path: Path) -> None:
    columns = {"id": ids(N), "gold": GOLD, "document": [f"d{place // 5}" for place in range(N)]}
    board = small_board(tmp_path / "board", ONE_TASK + 'clusters = "document"\n', {"spam": columns})
    filled(board, (0.05, 0.3))
    board.submit("t9/perfect", GOLD)
    table = board.contents().versions[0].phases[0].tables[0]
    (note,) = (note for note in table.notes if "the score is the same" in note)
    assert note.endswith("(t9/perfect)")


def test_a_system_without_a_score_keeps_nobody_from_the_table(tmp_path: Path) -> None:
    text = 'title = "N"\n[[task]]\nname = "n"\nmetrics = ["pearson"]\n'
    gold = np.random.default_rng(1).normal(size=N)
    board = small_board(tmp_path / "board", text, {"n": {"id": ids(N), "gold": gold}})
    board.submit("a/x", gold + 1.0)
    board.submit("b/x", gold[::-1])
    board.submit("c/constant", np.ones(N))
    table = board.contents().versions[0].phases[0].tables[0]
    assert [row.system for row in table.standings] == ["a/x", "b/x"]
    assert "c/constant is left out: pearson is not defined for its predictions" in table.notes


def test_items_won_and_lost(tmp_path: Path) -> None:
    text = f"{ONE_TASK}\n[public]\nitems = true\n"
    board = small_board(tmp_path / "board", text, {"spam": {"id": ids(N), "gold": GOLD}})
    systems = filled(board)
    phase = board.contents().versions[0].phases[0]
    order = [row.system for row in phase.tables[0].standings]
    assert [one.system for one in phase.items] == order[1:]
    for one in phase.items:
        mine, best = systems[one.system], systems[order[0]]
        won = [i for i, m, b, g in zip(ids(N), mine, best, GOLD, strict=True) if m == g != b]
        lost = [i for i, m, b, g in zip(ids(N), mine, best, GOLD, strict=True) if b == g != m]
        assert (one.against, list(one.won), list(one.lost)) == (order[0], won, lost)


def test_pairs_and_items_are_shown_only_if_the_settings_say_so(board: SmallBoard) -> None:
    filled(board)
    (phase,) = board.contents().versions[0].phases
    assert (phase.tables[0].comparison, phase.items) == (None, ())


# -- versions of the gold --------------------------------------------------------------------------


def test_older_results_stay_beside_those_of_a_corrected_gold(board: SmallBoard) -> None:
    first = board.submit("a/x", wrong_on(GOLD, 0.2, 1))
    before = board.contents().versions[0].phases
    corrected = wrong_on(GOLD, 0.5, 9)
    board.correct("half was wrong", {"spam": TaskGold({"id": ids(N)[:150], "gold": corrected[:150]})})
    second = board.submit("b/x", corrected)
    content = board.contents()
    assert [one.version for one in content.versions] == [2, 1]
    assert content.versions[0].reason == "half was wrong"
    assert standings(content, version=0) == {"b/x": second, "a/x": first}
    assert content.versions[0].phases[0].tables[0].n_items == 150
    assert content.versions[0].phases[0].tables[0].standings[0].score == 1.0
    assert content.versions[1].phases == before
    assert set(why(content)) == {first, second}


def test_a_changed_gold_or_submission_is_refused(board: SmallBoard) -> None:
    board.submit("a/x", GOLD)
    (path,) = board.folder.submissions.iterdir()
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b"ham", b"mah", 1))
    with pytest.raises(BoardError, match="was changed: its bytes are not those that were submitted"):
        board.contents()


# -- the cache -------------------------------------------------------------------------------------


def test_the_cache_changes_no_number(board: SmallBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(board)
    known = board.contents()
    with opened_cache(board.folder, board.folder.lines()) as cache:
        assert board.contents(cache=cache) == known
    monkeypatch.setattr("bestby.boards.contents.predictions", None)  # nothing is read again
    with opened_cache(board.folder, board.folder.lines()) as cache:
        assert board.contents(cache=cache) == known


@pytest.mark.parametrize("damage", [b"", b"SQLite format 3\0" + b"x" * 5000, b"text"])
def test_a_damaged_cache_is_made_anew(board: SmallBoard, damage: bytes) -> None:
    filled(board)
    known = board.contents()
    for _ in range(2):
        with opened_cache(board.folder, board.folder.lines()) as cache:
            assert board.contents(cache=cache) == known
        board.folder.cache.write_bytes(damage)


def test_values_of_a_cache_with_another_secret_are_not_used(board: SmallBoard) -> None:
    """Whoever sends a cache along with a submission does not know the secret."""
    filled(board)
    with opened(board.folder.cache, b"guess") as cache:
        key = cache.key("some", "parts")
        cache.keep(key, np.arange(3))
    with opened_cache(board.folder, board.folder.lines()) as cache:
        assert cache.key("some", "parts") != key
        assert cache.find(key) is None


def test_changed_values_of_a_cache_are_not_used(board: SmallBoard) -> None:
    filled(board)
    known = board.contents()
    with opened_cache(board.folder, board.folder.lines()) as cache:
        board.contents(cache=cache)
    with contextlib.closing(sqlite3.connect(board.folder.cache)) as database:
        rows = database.execute("SELECT key, data FROM arrays").fetchall()
        database.executemany(
            "UPDATE arrays SET data = ? WHERE key = ?", [(one[::-1], key) for key, one in rows]
        )
        database.commit()
    assert rows
    with opened_cache(board.folder, board.folder.lines()) as cache:
        assert board.contents(cache=cache) == known


def test_a_cache_keeps_arrays(tmp_path: Path) -> None:
    kept = {
        "codes": np.arange(4, dtype=np.int16),
        "numbers": np.array([0.1, np.pi, np.nan]),
        "right": np.array([0.0, 1.0, -7.0]),
        "large": np.array([0.0, 1e9]),
        "minus": np.array([-0.0, 1.0]),
        "texts": np.array(["ä", "", "x\n"], dtype=object),
    }
    with opened(tmp_path / "cache", b"s") as cache:
        for key, values in kept.items():
            cache.keep(key, values)
    with opened(tmp_path / "cache", b"s") as cache:
        for key, values in kept.items():
            found = cache.find(key)
            assert found is not None
            assert found.dtype == values.dtype
            assert list(map(repr, found.tolist())) == list(map(repr, values.tolist()))
        assert cache.find("none") is None


def test_a_table_of_content_is_equal_to_itself(board: SmallBoard) -> None:
    filled(board)
    one, other = (board.contents().versions[0].phases[0].tables[0] for _ in range(2))
    assert isinstance(one, Table)
    assert one == other
