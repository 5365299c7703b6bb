"""The numbers of a board's tables are those of `compare`, and agree with one another."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from tests.unit.boards.small_boards import GOLD, ONE_TASK, N, SmallBoard, filled, ids, small_board, wrong_on

import bestby as bb
from bestby.boards.content import Table
from bestby.boards.settings import parse

# -- numbers ---------------------------------------------------------------------------------------


def test_the_numbers_are_those_of_compare(board: SmallBoard) -> None:
    systems = filled(board)
    board.settings = parse(
        board.folder.text().replace('["accuracy"]', '["f1_macro", "accuracy"]')
        + "margins = {accuracy = 0.02}\n", "board.toml"
    )  # fmt: skip
    board.settings = dataclasses.replace(board.settings, baseline="t2/s")
    for table in board.content().versions[0].phases[0].tables:
        margin = {"accuracy": 0.02}.get(table.metric.name)
        known = bb.compare(
            systems, gold=GOLD, metric=table.metric.name, correction="simultaneous", margin=margin
        )
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
    with mock.patch("bestby.boards.compute.compare", wraps=bb.compare) as compared:
        table = board.content().versions[0].phases[0].tables[0]
    return table, [call.kwargs.get("test", "permutation") for call in compared.call_args_list]


def test_swaps_are_drawn_only_where_their_p_values_are_shown(board: SmallBoard) -> None:
    systems = filled(board)
    table, tests = by_f1(board)
    known = bb.compare(systems, gold=GOLD, metric="f1_macro", correction="simultaneous")
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
    with mock.patch("bestby.engine.sums.SumSample.error", None):
        _, tests = by_f1(board)
    assert tests == ["wald", "permutation"]


def test_ranks_and_intervals_never_disagree(board: SmallBoard) -> None:
    filled(board, (0.05, 0.07, 0.1, 0.12, 0.2, 0.25, 0.3))
    table = board.content().versions[0].phases[0].tables[0]
    for row in table.standings:
        if row.to_best is not None and row.to_best.interval is not None:
            excluded = 0.0 not in row.to_best.interval
            assert excluded == (row.to_best.p_adjusted is not None and row.to_best.p_adjusted <= 0.05)
            assert row.could_be_first <= (not excluded)


def test_one_system_has_a_score_and_no_rank_to_share(board: SmallBoard) -> None:
    board.submit("a/x", wrong_on(GOLD, 0.1, 1))
    table = board.content().versions[0].phases[0].tables[0]
    (row,) = table.standings
    assert (row.rank_low, row.rank_high, row.to_best) == (1, 1, None)
    assert row.interval is not None
    assert (table.n_pairs, table.detectable, table.best) == (0, None, None)


def test_slices_are_of_the_best_and_the_baseline(tmp_path: Path) -> None:
    text = ONE_TASK.replace('title = "Spam"', 'title = "Spam"\nbaseline = "t3/s"') + 'slices = ["lang"]\n'
    columns = {"id": ids(N), "gold": GOLD, "lang": ["de", "en"] * (N // 2)}
    board = small_board(tmp_path / "board", text, {"spam": columns})
    filled(board, (0.05, 0.1, 0.15, 0.3, 0.4))
    table = board.content().versions[0].phases[0].tables[0]
    assert table.slices is not None
    assert {(d.a, d.b) for d in table.slices.overall} == {(f"t{place}/s", "t3/s") for place in range(3)}
    assert not any("independent" in note for note in table.notes), "slices are no clusters"


def test_a_note_on_one_system_names_it(tmp_path: Path) -> None:
    columns = {"id": ids(N), "gold": GOLD, "document": [f"d{place // 5}" for place in range(N)]}
    board = small_board(tmp_path / "board", ONE_TASK + 'clusters = "document"\n', {"spam": columns})
    filled(board, (0.05, 0.3))
    board.submit("t9/perfect", GOLD)
    table = board.content().versions[0].phases[0].tables[0]
    (note,) = (note for note in table.notes if "the score is the same" in note)
    assert note.endswith("(t9/perfect)")


def test_a_system_without_a_score_keeps_nobody_from_the_table(tmp_path: Path) -> None:
    text = 'title = "N"\n[[task]]\nname = "n"\nmetrics = ["pearson"]\n'
    gold = np.random.default_rng(1).normal(size=N)
    board = small_board(tmp_path / "board", text, {"n": {"id": ids(N), "gold": gold}})
    board.submit("a/x", gold + 1.0)
    board.submit("b/x", gold[::-1])
    board.submit("c/constant", np.ones(N))
    table = board.content().versions[0].phases[0].tables[0]
    assert [row.system for row in table.standings] == ["a/x", "b/x"]
    assert "c/constant is left out: pearson is not defined for its predictions" in table.notes


def test_items_won_and_lost(tmp_path: Path) -> None:
    text = f"{ONE_TASK}\n[public]\nitems = true\n"
    board = small_board(tmp_path / "board", text, {"spam": {"id": ids(N), "gold": GOLD}})
    systems = filled(board)
    phase = board.content().versions[0].phases[0]
    order = [row.system for row in phase.tables[0].standings]
    assert [one.system for one in phase.items] == order[1:]
    for one in phase.items:
        mine, best = systems[one.system], systems[order[0]]
        won = [i for i, m, b, g in zip(ids(N), mine, best, GOLD, strict=True) if m == g != b]
        lost = [i for i, m, b, g in zip(ids(N), mine, best, GOLD, strict=True) if b == g != m]
        assert (one.against, list(one.won), list(one.lost)) == (order[0], won, lost)


def test_pairs_and_items_are_shown_only_if_the_settings_say_so(board: SmallBoard) -> None:
    filled(board)
    (phase,) = board.content().versions[0].phases
    assert (phase.tables[0].comparison, phase.items) == (None, ())


# -- the cache -------------------------------------------------------------------------------------


def test_a_table_of_content_is_equal_to_itself(board: SmallBoard) -> None:
    filled(board)
    one, other = (board.content().versions[0].phases[0].tables[0] for _ in range(2))
    assert isinstance(one, Table)
    assert one == other


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [
        ((190, 10), {"a", "b"}),
        ((150, 48, 2), None),
        ((100, 60, 38, 2), {"a", "b"}),
        ((100, 88, 6, 6), {"a", "b"}),
    ],
)
def test_small_slices_are_withheld_and_cannot_be_computed_from_the_others(
    tmp_path: Path, sizes: tuple[int, ...], shown: set[str] | None
) -> None:
    text = ONE_TASK + 'slices = ["lang", "half"]\n'
    lang = [name for name, size in zip("abcd", sizes, strict=False) for _ in range(size)]
    half = ["x", "y"] * (N // 2)
    board = small_board(
        tmp_path / "b", text, {"spam": {"id": ids(N), "gold": GOLD, "lang": lang, "half": half}}
    )
    filled(board)
    found = board.content().versions[0].phases[0].tables[0].slices
    assert found is not None
    by_column: dict[str, set[str]] = {}
    for one in found.slices:
        by_column.setdefault(one.column, set()).add(one.slice)
    assert by_column == {"half": {"x", "y"}} | ({"lang": shown} if shown else {})
    board.settings = parse(text + "[public]\nsmallest_slice = 2\n", "board.toml")
    found = board.content().versions[0].phases[0].tables[0].slices
    assert found is not None
    assert {one.slice for one in found.slices if one.column == "lang"} == set("abcd"[: len(sizes)])
