"""Over several tasks: mean differences, rank sets, and in how many tasks an effect holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.unit.boards.small_boards import SmallBoard, ids, small_board, two_labels, wrong_on

import bestby as bb
from bestby.boards.content import Overall

TASKS = ("one", "two", "three")
TEXT = 'title = "Three"\nbaseline = "c/s"\n' + "".join(
    f'[[task]]\nname = "{name}"\nmetrics = ["accuracy"]\nlabels = ["ham", "spam"]\n' for name in TASKS
)
SIZES = {"one": 200, "two": 400, "three": 150}
GOLDS = {name: two_labels(size, place) for place, (name, size) in enumerate(SIZES.items())}
SHARES = {"a/s": 0.05, "b/s": 0.08, "c/s": 0.3, "d/s": 0.3}


@pytest.fixture
def board(tmp_path: Path) -> SmallBoard:
    """Return a board of three tasks with four systems; a fifth one leaves out a task."""
    golds = {name: {"id": ids(SIZES[name]), "gold": gold} for name, gold in GOLDS.items()}
    board = small_board(tmp_path / "board", TEXT, golds)
    for place, (key, share) in enumerate(SHARES.items()):
        board.submit(
            key, {name: wrong_on(gold, share, 10 * place + len(gold)) for name, gold in GOLDS.items()}
        )
    board.submit("e/part", {name: GOLDS[name] for name in TASKS[:2]})
    return board


def overall_of(board: SmallBoard) -> Overall:
    """Return the table over the tasks."""
    found = board.content().versions[0].phases[0].overall
    assert found is not None
    return found


def right(name: str, key: str) -> np.ndarray:
    """Return where a system is right in a task."""
    place = list(SHARES).index(key)
    values = wrong_on(GOLDS[name], SHARES[key], 10 * place + len(GOLDS[name]))
    return np.array([one == gold for one, gold in zip(values, GOLDS[name], strict=True)], dtype=float)


def evaluations() -> dict[str, bb.Evaluation]:
    """Return where systems are right, by task."""
    return {name: bb.Evaluation.of({key: right(name, key) for key in SHARES}) for name in TASKS}


def test_means_and_standard_errors_are_those_of_the_tasks(board: SmallBoard) -> None:
    found = overall_of(board)
    assert found.tasks == TASKS
    assert found.left_out == ("e/part",)
    means = {key: np.mean([right(name, key).mean() for name in TASKS]) for key in SHARES}
    assert {row.system: row.mean for row in found.standings} == pytest.approx(means)
    order = sorted(means, key=lambda key: -means[key])
    assert [row.system for row in found.standings] == order
    for row in found.standings[1:]:
        gaps = [right(name, row.system) - right(name, order[0]) for name in TASKS]
        error = np.sqrt(sum(gap.var(ddof=1) / gap.size for gap in gaps)) / 3
        assert row.to_best is not None
        assert row.to_best.interval is not None
        assert row.to_best.estimate == pytest.approx(np.mean([gap.mean() for gap in gaps]))
        half = row.to_best.interval.high - row.to_best.estimate
        assert row.to_best.estimate - row.to_best.interval.low == pytest.approx(half)
        assert 2.2 < half / error < 2.7  # between the range of four systems and Bonferroni's of six pairs


def test_ranks_agree_with_intervals(board: SmallBoard) -> None:
    found = overall_of(board)
    ranks = {row.system: (row.rank_low, row.rank_high) for row in found.standings}
    assert ranks == {"a/s": (1, 2), "b/s": (1, 2), "c/s": (3, 4), "d/s": (3, 4)}
    for row in found.standings[1:]:
        assert row.to_best is not None
        assert row.to_best.interval is not None
        assert row.to_best.p_adjusted is not None
        assert (row.to_best.p_adjusted <= 0.05) == (0.0 not in row.to_best.interval) == (row.rank_low > 1)


def test_the_baseline_is_compared_too(board: SmallBoard) -> None:
    by_name = {row.system: row for row in overall_of(board).standings}
    assert by_name["c/s"].to_baseline is None
    gap = by_name["a/s"].to_baseline
    back = by_name["c/s"].to_best
    assert gap is not None
    assert back is not None
    assert (gap.other, back.other) == ("c/s", "a/s")
    assert gap.estimate == -back.estimate


def test_tasks_in_which_an_effect_holds_are_counted_as_compare_datasets_does(board: SmallBoard) -> None:
    found = overall_of(board)
    known = bb.compare_datasets(evaluations())
    best = found.standings[0].system
    for row in found.standings[1:]:
        assert row.n_worse == len(known.replicability[row.system, best].found)
        assert row.n_better == 0
    assert found.standings[0].n_better == found.standings[0].n_worse == 0
    assert found.standings[-1].n_worse == 3


def test_intervals_hold_the_macro_difference_of_compare_datasets(board: SmallBoard) -> None:
    """Its percentile intervals are of each pair by itself, and so the shorter ones."""
    found = overall_of(board)
    known = bb.compare_datasets(evaluations(), n_resamples=2000)
    best = found.standings[0].system
    macro = [one for one in known.overall if (one.average, one.resampled) == ("macro", "items")]
    for row in found.standings[1:]:
        (one,) = (one for one in macro if {one.a, one.b} == {row.system, best})
        assert row.to_best is not None
        assert row.to_best.interval is not None
        assert one.interval is not None
        single = one.interval if one.a == row.system else one.interval.mirrored()
        assert row.to_best.interval.low < single.low < single.high < row.to_best.interval.high


def test_copies_have_no_interval_and_share_their_ranks(tmp_path: Path) -> None:
    golds = {name: {"id": ids(SIZES[name]), "gold": gold} for name, gold in GOLDS.items()}
    board = small_board(tmp_path / "board", TEXT, golds)
    for key in ("a/s", "b/copy"):
        board.submit(key, {name: wrong_on(gold, 0.1, 3) for name, gold in GOLDS.items()})
    board.submit("c/s", {name: wrong_on(gold, 0.4, 4) for name, gold in GOLDS.items()})
    found = overall_of(board)
    copy = found.standings[1]
    assert (copy.system, copy.rank_low, copy.rank_high) == ("b/copy", 1, 2)
    assert copy.to_best is not None
    assert (copy.to_best.estimate, copy.to_best.interval, copy.to_best.p_adjusted) == (0.0, None, 1.0)


def test_metrics_of_different_directions_have_no_mean(tmp_path: Path) -> None:
    text = (
        'title = "T"\n[[task]]\nname = "a"\nmetrics = ["mse"]\n[[task]]\nname = "b"\nmetrics = ["pearson"]\n'
    )
    values = np.random.default_rng(1).normal(size=50)
    board = small_board(tmp_path / "board", text, {name: {"id": ids(50), "gold": values} for name in "ab"})
    for seed in (1, 2):
        board.submit(f"t{seed}/s", dict.fromkeys("ab", values + np.random.default_rng(seed).normal(size=50)))
    phase = board.content().versions[0].phases[0]
    assert len(phase.tables) == 2
    assert phase.overall is None
