"""Submissions that leave out items, and submissions that say what their systems cost."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.boards.examples import edit, folder_of, ids, write_table

import bestby as bb
from bestby import Board
from bestby.boards.compute import board_content
from bestby.boards.content import BoardContent, Table
from bestby.boards.gold import read
from bestby.boards.record import gold_versions, now
from bestby.errors import InvalidInputError

N = 240
RNG = np.random.default_rng(8)
GOLD = RNG.choice(["x", "y", "z"], N)
HARD = RNG.random(N)
EASY = HARD < 0.5
OTHER = {"x": "y", "y": "z", "z": "x"}


def predicted(share: float) -> np.ndarray:
    """Return predictions that are wrong on the hardest items first, and by chance."""
    wrong = 0.7 * HARD + 0.3 * RNG.random(N) > share
    return np.array([OTHER[label] if bad else label for label, bad in zip(GOLD, wrong, strict=True)])


SYSTEMS = {"a/large": predicted(0.8), "a/small": predicted(0.75), "b/old": predicted(0.5)}
NEWCOMER = predicted(0.7)
TASK = "[[task]]\n"


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """Return a board whose submissions need a third of the items and may say what they cost."""
    kind = ["short" if place % 3 else "long" for place in range(N)]
    gold = write_table(tmp_path / "gold.csv", {"id": ids(N), "gold": GOLD.tolist(), "kind": kind})
    made = Board.create(
        tmp_path / "board", gold, title="T", metrics=["accuracy", "f1_macro"], slices="kind", baseline="b/old"
    )
    edit(made, 'title = "T"\n', 'title = "T"\ncosts = ["usd", "ms@0.9"]\n')
    edit(made, "[[phase]]", "coverage = 0.3\n\n[[phase]]")
    return made


def send(
    board: Board, name: str, values: np.ndarray, rows: Any = None, **more: Any
) -> bb.results.SubmissionReceipt:
    """Submit the predictions of a system for some of the items, with further columns of `more`."""
    rows = np.arange(N) if rows is None else np.flatnonzero(rows)
    costs, run = more.pop("costs", None), more.pop("run", "")
    columns = {"id": ids(N), "prediction": values, **more}
    chosen = {key: [str(column[row]) for row in rows] for key, column in columns.items()}
    team, _, system = name.partition("/")
    file = write_table(folder_of(board).path.parent / "sent.csv", chosen)
    return board.submit(file, team=team, system=system, run=run, costs=costs)


def content(board: Board) -> BoardContent:
    """Return what the site of a board shows."""
    folder = folder_of(board)
    return board_content(folder, board.settings, folder.lines(), now())


def tables(board: Board) -> Mapping[str, Table]:
    """Return the tables of the last phase by metric."""
    return {one.metric.name: one for one in content(board).versions[0].phases[-1].tables}


def site(board: Board) -> Mapping[str, str]:
    """Publish and verify a board, and return the files of its site."""
    path = board.path / "site"
    board.publish(path)
    assert str(board.verify(path)).startswith("verified: ")
    return {
        one.relative_to(path).as_posix(): one.read_text() for one in path.rglob("*.[hcj]*") if one.is_file()
    }


def rows_of(text: str) -> list[dict[str, str]]:
    """Return the rows of a CSV table."""
    return list(csv.DictReader(io.StringIO(text)))


# -- items that are left out -------------------------------------------------------------------------


def test_items_are_left_out_where_the_settings_say_so(board: Board, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="180 of 240 items have no prediction, such as 'q60'") as told:
        send(board, "a/few", NEWCOMER, np.arange(N) < 60)
    assert told.value.hint == "give a prediction for at least 30 % of the items of the public list"
    send(board, "a/enough", NEWCOMER, np.arange(N) < 72)
    check = board.check(tmp_path / "sent.csv")
    assert (check.n_items, check.n_absent) == ({"task": 240}, {"task": 168})
    assert str(check).startswith("task: 240 items, 168 without a prediction; ")
    edit(board, "coverage = 0.3\n", "")
    with pytest.raises(InvalidInputError, match="168 of 240 items have no prediction"):
        board.check(tmp_path / "sent.csv")


def test_so_many_items_as_the_share_says_are_enough(tmp_path: Path) -> None:
    """In floats 0.07 times 100 is more than 7."""
    gold = write_table(tmp_path / "gold.csv", {"id": ids(100), "gold": GOLD[:100].tolist()})
    made = Board.create(tmp_path / "board", gold, title="T", metrics="accuracy")
    edit(made, TASK, f"{TASK}coverage = 0.07\n")
    for n in (7, 6):
        write_table(tmp_path / f"{n}.csv", {"id": ids(100)[:n], "prediction": GOLD[:n].tolist()})
    assert made.check(tmp_path / "7.csv").n_absent == {"task": 93}
    with pytest.raises(InvalidInputError, match="94 of 100 items have no prediction"):
        made.check(tmp_path / "6.csv")


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro"])
def test_a_table_with_gaps_is_that_of_compare_in_pairs(board: Board, metric: str) -> None:
    for name, values in SYSTEMS.items():
        send(board, name, values)
    send(board, "c/new", NEWCOMER, EASY)
    found = tables(board)[metric]
    systems: dict[str, Any] = {
        name: dict(zip(ids(N), values, strict=True)) for name, values in SYSTEMS.items()
    }
    systems["c/new"] = {item: label for item, label, has in zip(ids(N), NEWCOMER, EASY, strict=True) if has}
    gold = dict(zip(ids(N), GOLD, strict=True))
    known = bb.compare(systems, gold, metric=metric, on_missing="pairs", correction="holm")
    for row, entry in zip(found.standings, known.systems, strict=True):
        assert (row.system, row.score, row.interval, row.n_items) == (
            entry.system, entry.score, entry.interval, entry.n_items,
        )  # fmt: skip
        assert (row.rank_low, row.rank_high, row.group) == (entry.rank_low, entry.rank_high, entry.group)
        assert (row.may_be_best, row.behind) == (entry.may_be_best, entry.behind)
        for gap in (row.to_best, row.to_baseline):
            if gap is not None:
                d = known[row.system, gap.other]
                assert (gap.estimate, gap.interval, gap.p_adjusted) == (d.estimate, d.interval, d.p_adjusted)


def test_the_page_says_on_how_many_items_and_that_they_are_easy(board: Board) -> None:
    for name, values in SYSTEMS.items():
        send(board, name, values)
    whole = site(board)
    (path,) = (path for path in whole if path.startswith("tables/all-task-accuracy"))
    assert ">items<" not in whole["index.html"]
    assert "Intervals of differences hold for the whole table at once" in whole[path]
    send(board, "c/new", NEWCOMER, EASY)
    files = site(board)
    n = EASY.sum()
    assert f'<td class="bb-num" data-key="{n}">{n}</td>' in files[path]
    assert "the items that c/new has are easier for the other systems than those it lacks" in files[path]
    assert "If results are missing because they failed, this is not valid<" in files[path]
    assert "on_missing" not in re.sub("<code.*?</code>", "", files[path], flags=re.DOTALL)
    assert (
        "Differences are on the items that both systems have, and intervals hold one by one." in files[path]
    )
    page = next(text for name, text in files.items() if name.startswith("systems/c-new"))
    assert re.search(r"Difference to the best, a/large: .*?, 95.% interval", page)
    rows = rows_of(files[path.replace("tables", "data").replace("html", "csv")])
    assert {row["system"]: row["n_items"] for row in rows}["c/new"] == str(n)
    assert "task: predictions for 30\N{NO-BREAK SPACE}% of the items are enough" in files["participate.html"]


def test_a_system_with_gaps_is_in_no_slices_and_no_lists_of_items(board: Board) -> None:
    edit(board, "[[phase]]", "[public]\nitems = true\npairs = true\n\n[[phase]]")
    send(board, "c/best", GOLD, EASY)
    for name, values in SYSTEMS.items():
        send(board, name, values)
    found = content(board).versions[0].phases[0]
    slices = found.tables[0].slices
    assert slices is not None
    assert "c/best" not in {d.a for d in slices.differences} | {d.b for d in slices.differences}
    assert "c/best" not in {name for one in found.items for name in (one.system, one.against)}
    assert {one.system for one in found.items} >= {"a/small", "b/old"}
    site(board)


@pytest.mark.parametrize("n_full", [1, 2])
def test_a_newcomer_that_cannot_be_compared_keeps_nobody_from_the_tables(board: Board, n_full: int) -> None:
    edit(board, "coverage = 0.3", "coverage = 0.01")
    for name, values in list(SYSTEMS.items())[:n_full]:
        send(board, name, values)
    send(board, "c/three", NEWCOMER, np.arange(N) < 3)
    send(board, "c/twelve", NEWCOMER, np.arange(N) < 12)
    found = tables(board)["accuracy"]
    assert {row.system for row in found.standings} == set(list(SYSTEMS)[:n_full])
    said = " ".join(found.notes)
    assert "c/three is left out: it has too few of the items" in said
    assert "c/twelve is left out: " in said
    site(board)


def test_systems_that_have_no_items_in_common_are_not_compared(board: Board) -> None:
    send(board, "a/large", SYSTEMS["a/large"])
    send(board, "c/first", NEWCOMER, np.arange(N) < 120)
    send(board, "c/last", NEWCOMER, np.arange(N) >= 120)
    edit(board, "[[phase]]", "[public]\npairs = true\n\n[[phase]]")
    found = tables(board)["accuracy"]
    assert len(found.standings) == 3
    assert any("c/first and c/last" in note for note in found.notes)
    site(board)


def test_a_run_without_items_of_a_part_keeps_nobody_from_the_tables(tmp_path: Path) -> None:
    gold = write_table(tmp_path / "gold.csv", {"id": ids(N), "gold": GOLD.tolist()})
    made = Board.create(tmp_path / "board", gold, title="T", metrics="accuracy", private_share=0.5, rng=1)
    edit(made, TASK, f"{TASK}coverage = 0.1\n")
    edit(made, 'part = "public"\n', 'part = "public"\nshow = "after"\n')
    (_, event), *_ = gold_versions(folder_of(made).lines())
    of_task = read(folder_of(made), event, made.settings.tasks)["task"]
    private = {of_task.ids[row] for row in np.flatnonzero(of_task.in_part("private"))}
    for name, values in SYSTEMS.items():
        for run in ("1", "2"):
            left = np.isin(ids(N), [*private]) if (name, run) == ("b/old", "2") else None
            send(made, name, values if run == "1" else np.roll(values, 1), left, run=run)
    made.end("public", early=True)
    found = content(made).versions[0].phases[0].tables[0]
    assert {row.system for row in found.standings} == {*SYSTEMS}
    assert found.runs is not None
    assert {one.system for one in found.runs.systems} == {"a/large", "a/small"}


def test_numbers_and_texts_are_left_out_too(tmp_path: Path) -> None:
    for metric, values in (
        ("mae", [f"{one:.3f}" for one in HARD]),
        ("em", [f"answer {one:.3f}" for one in HARD]),
    ):
        gold = write_table(tmp_path / "gold.csv", {"id": ids(N), "gold": values})
        made = Board.create(tmp_path / metric, gold, title="T", metrics=metric)
        edit(made, "[[phase]]", "coverage = 0.5\n\n[[phase]]")
        send(made, "a/one", np.array(values))
        send(made, "b/two", np.roll(values, 1), EASY)
        assert {row.n_items for row in tables(made)[metric].standings} == {N, int(EASY.sum())}
        made.export(tmp_path / "all.csv")
        rows = rows_of((tmp_path / "all.csv").read_text())
        assert [row["b/two"] != "" for row in rows] == EASY.tolist()


def test_labels_that_are_left_out_are_empty_in_an_export(board: Board, tmp_path: Path) -> None:
    send(board, "c/new", NEWCOMER, EASY)
    board.export(tmp_path / "all.csv")
    rows = rows_of((tmp_path / "all.csv").read_text())
    expected = [label if has else "" for label, has in zip(NEWCOMER, EASY, strict=True)]
    assert [row["c/new"] for row in rows] == expected


def test_over_tasks_a_system_with_gaps_is_left_out(tmp_path: Path) -> None:
    golds = {}
    for task in ("one", "two"):
        golds[task] = write_table(tmp_path / f"{task}.csv", {"id": ids(N), "gold": GOLD.tolist()})
    made = Board.create(tmp_path / "board", golds, title="T", metrics="accuracy")
    text = (made.path / "board.toml").read_text()
    edit(made, text, text.replace(TASK, f"{TASK}coverage = 0.5\n"))
    for name, values in {**SYSTEMS, "c/new": NEWCOMER}.items():
        rows = EASY if name == "c/new" else np.ones(N, dtype=bool)
        file = write_table(
            tmp_path / "sent.csv",
            {"id": np.array(ids(N))[rows].tolist(), "prediction": values[rows].tolist()},
        )
        team, _, system = name.partition("/")
        made.submit({"one": file, "two": file}, team=team, system=system)
    found = content(made).versions[0].phases[0]
    assert found.overall is not None
    assert found.overall.left_out == ("c/new",)
    assert len(found.tables[0].standings) == 4


def test_the_numbers_of_items_do_not_tell_the_parts(tmp_path: Path) -> None:
    gold = write_table(tmp_path / "gold.csv", {"id": ids(N), "gold": GOLD.tolist()})
    made = Board.create(tmp_path / "board", gold, title="T", metrics="accuracy", private_share=0.5, rng=1)
    edit(made, TASK, f"{TASK}coverage = 0.5\n")
    with pytest.raises(InvalidInputError, match="would tell which items the phase 'public' scores"):
        send(made, "a/one", GOLD)
    edit(made, 'part = "public"\n', 'part = "public"\nshow = "after"\n')
    send(made, "a/one", GOLD, EASY)


# -- costs -------------------------------------------------------------------------------------------


MS = {
    name: np.round(scale * np.exp(0.3 * RNG.normal(size=N)), 3)
    for name, scale in zip(SYSTEMS, (9, 3, 8), strict=True)
}
USD = {"a/large": 3.0, "a/small": 0.5, "b/old": 0.8}


def priced(board: Board) -> None:
    """Submit three systems with a price and the latency of each item."""
    for name, values in SYSTEMS.items():
        send(board, name, values, ms=MS[name], costs={"usd": USD[name]})


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro"])
def test_the_frontier_of_a_table_is_that_of_frontier(board: Board, metric: str) -> None:
    priced(board)
    found = tables(board)[metric].frontier
    known = bb.frontier(SYSTEMS, GOLD, quality=metric, cost={"usd": USD, "ms@0.9": MS})
    assert found is not None
    assert found.costs == known.costs
    assert [one.system for one in found if not one.may_be_on_frontier] == ["b/old"]
    for one, other in zip(found, known, strict=True):
        assert (one.system, one.score, one.interval) == (other.system, other.score, other.interval)
        assert (one.may_be_on_frontier, one.dominated_by) == (other.may_be_on_frontier, other.dominated_by)
        assert one.p_adjusted == pytest.approx(other.p_adjusted, rel=5e-3)
        for cost, whole in zip(one.costs, other.costs, strict=True):
            assert (cost.value, cost.per_success) == (whole.value, whole.per_success)
            assert (cost.interval is None) == (whole.interval is None) == (cost.cost == "usd")
            if cost.interval is not None and whole.interval is not None:
                assert cost.interval.low == pytest.approx(whole.interval.low, rel=5e-3)


def test_costs_are_kept_in_the_record_and_checked_at_home(board: Board, tmp_path: Path) -> None:
    receipt = send(board, "a/large", GOLD, ms=MS["a/large"], costs={"usd": 3})
    assert receipt.costs == {"ms": None, "usd": 3.0}
    assert Board(board.path).submissions()[0].costs == receipt.costs
    assert str(board.check(tmp_path / "sent.csv")).endswith("\ncosts of each item: ms")
    again = send(board, "a/large", GOLD, ms=MS["a/large"], costs={"usd": 3})
    assert not again.is_new
    assert send(board, "a/large", GOLD, ms=MS["a/large"], costs={"usd": 4}).is_new


@pytest.mark.parametrize(
    ("costs", "ms", "told"),
    [
        ({"eur": 3.0}, MS["b/old"], "the board takes no price 'eur'"),
        ({"ms@0.9": 3.0}, MS["b/old"], "the board takes no price 'ms@0.9'"),
        ({"usd": -1.0}, MS["b/old"], "a price must be 0 or more, got -1.0"),
        ({"usd": math.nan}, MS["b/old"], "cost"),
        ({"usd": 1e200}, MS["b/old"], "prices must be at most 1e\\+75 in size, got 1e\\+200"),
        ({"usd": 1e-200}, MS["b/old"], "prices must not all be smaller than 1e-75"),
        ({}, MS["b/old"] * 1e200, "ms must be at most 1e\\+75 in size"),
        ({}, MS["b/old"] * 1e-200, "ms must not all be smaller than 1e-75"),
        ({}, -MS["b/old"], "ms is below 0 for an item"),
        ({}, np.array(["soon"] * N), "'soon' .* is not a finite number"),
    ],
)
def test_what_is_no_cost_is_refused(board: Board, costs: dict[str, float], ms: np.ndarray, told: str) -> None:
    with pytest.raises(InvalidInputError, match=told):
        send(board, "a/large", GOLD, ms=ms, costs=costs)
    assert board.submissions() == ()


def test_another_quantile_of_the_costs_is_a_matter_of_the_settings(board: Board) -> None:
    priced(board)
    edit(board, '"ms@0.9"', '"ms", "ms@median"')
    found = tables(board)["accuracy"].frontier
    assert found is not None
    for one in found:
        values = MS[one.system]
        assert [cost.value for cost in one.costs[1:]] == pytest.approx([values.mean(), np.median(values)])


def test_prices_and_costs_of_items_of_one_kind_go_together(board: Board) -> None:
    edit(board, ', "ms@0.9"', "")
    for name, values in SYSTEMS.items():
        if name == "a/small":
            send(board, name, values, usd=MS[name])
        else:
            send(board, name, values, costs={"usd": USD[name]})
    found = tables(board)["accuracy"].frontier
    assert found is not None
    assert {one.system: one.costs[0].value for one in found} == pytest.approx(
        {**USD, "a/small": MS["a/small"].mean()}
    )


def test_the_pages_show_the_frontier(board: Board) -> None:
    priced(board)
    send(board, "c/free", NEWCOMER)
    files = site(board)
    (path,) = (path for path in files if path.startswith("tables/all-task-accuracy"))
    assert files[path].count("<svg xmlns") == 2
    assert "style=" not in files[path].replace("<style>", "")
    assert "the frontier is without c/free, of which costs or items are missing" in files[path]
    assert "b/old is significantly worse and no cheaper than a/small" in files["index.html"]
    data = path.replace("tables", "data").removesuffix(".html")
    rows = rows_of(files[f"{data}-frontier.csv"])
    assert {row["system"]: row["may_be_on_frontier"] for row in rows}["b/old"] == "false"
    costs = rows_of(files[f"{data}-costs.csv"])
    assert {row["system"]: float(row["value"]) for row in costs if row["cost"] == "usd"} == USD
    assert "costs of each item, in columns of the file: usd, ms</li>" in files["participate.html"]
    assert "<li>usd: a price will do</li>" in files["participate.html"]


def test_costs_do_not_tell_the_gold(board: Board) -> None:
    """Costs of powers of two would hold in one standard error whether each of fifty items is right."""
    codes = np.ones(N)
    codes[:50] = 2.0 ** np.arange(50)
    for name, values in SYSTEMS.items():
        send(board, name, values, ms=codes, usd=codes)
    found = tables(board)["accuracy"].frontier
    assert found is not None
    numbers = [end for one in found for cost in one.costs for end in (cost.interval.low, cost.interval.high)]  # type: ignore[union-attr]
    assert all(float(f"{number:.3g}") == number for number in [*numbers, *(one.p_adjusted for one in found)])
    assert all(cost.per_success_interval is None for one in found for cost in one.costs)


def test_costs_do_not_tell_the_parts(tmp_path: Path) -> None:
    gold = write_table(tmp_path / "gold.csv", {"id": ids(N), "gold": GOLD.tolist()})
    made = Board.create(tmp_path / "board", gold, title="T", metrics="accuracy", private_share=0.5, rng=1)
    edit(made, 'title = "T"\n', 'title = "T"\ncosts = ["usd"]\n')
    for name, values in SYSTEMS.items():
        send(made, name, values, usd=MS[name])
    public = content(made).versions[0].phases[0].tables[0]
    assert public.frontier is None
    assert "no frontier: costs of items would tell which items this phase scores" in public.notes
    for name, values in SYSTEMS.items():
        send(made, name, values, costs={"usd": USD[name]})
    send(made, "c/spoil", NEWCOMER, usd=MS["a/large"])
    public = content(made).versions[0].phases[0].tables[0]
    assert public.frontier is not None
    assert {one.system for one in public.frontier} == {*SYSTEMS}
    said = "the frontier is without c/spoil, whose costs of items would tell which items this phase scores"
    assert said in public.notes
