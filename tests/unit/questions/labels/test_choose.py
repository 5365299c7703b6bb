"""Items to label are drawn with the probabilities that stand beside them, and divided over strata."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bestby as bb
from bestby.cli import main
from bestby.questions.labels.choose import drawn_sizes, first_units

RNG = np.random.default_rng(20)
N = 48
IDS = [f"q{place:02}" for place in range(N)]
DOCS = [f"d{place // 3}" for place in range(N)]
SCORES = {"a": RNG.random(N).round(3), "b": RNG.random(N).round(3)}
DESIGNS: dict[str, dict[str, Any]] = {
    "random": {"n": 10},
    "score": {"n": 12, "stratify_by": "score"},
    "neyman": {"n": 15, "stratify_by": "disagreement", "n_bins": 3, "allocation": "neyman"},
    "strata": {"n": 11, "strata": ["x"] * 30 + ["y"] * 18},
    "clusters": {"n": 5, "clusters": DOCS},
    "clusters in strata": {"n": 6, "clusters": DOCS, "stratify_by": "score", "n_bins": 2},
}


def draw(seed: int = 0, **options: Any) -> bb.results.ChosenItems:
    return bb.choose_items(SCORES, items=IDS, rng=seed, **options)


def test_strata_are_in_the_order_of_the_numbers_in_their_names() -> None:
    drawn = draw(n=12, strata=["t10"] * 20 + ["t9"] * 16 + ["t1"] * 12)
    assert [(one.name, one.n_units) for one in drawn.strata] == [("t1", 12), ("t9", 16), ("t10", 20)]
    of_stratum = {one.name: one.probability for one in drawn.strata}
    assert all(one.probability == of_stratum[str(one.stratum)] for one in drawn)


@pytest.mark.parametrize("name", DESIGNS)
def test_items_are_drawn_as_often_as_their_probabilities_say(name: str) -> None:
    draws, options = 500, dict(DESIGNS[name])
    groups = {what: options.pop(what) for what in ("clusters", "strata") if what in options}
    evaluation = bb.Evaluation.of(SCORES, items=IDS, **groups)
    counts, expected = dict.fromkeys(IDS, 0), {}
    for seed in range(draws):
        for one in bb.choose_items(evaluation, rng=seed, **options):
            counts[str(one.item)] += 1
            expected[str(one.item)] = one.probability
    assert expected.keys() == {*IDS}
    p = np.array([expected[one] for one in IDS])
    shares = np.array([counts[one] / draws for one in IDS])
    assert (np.abs(shares - p) < 4.5 * np.sqrt(p * (1 - p) / draws)).all()
    units = 16 if "clusters" in name else N
    assert p.sum() * units / N == pytest.approx(DESIGNS[name]["n"])


@pytest.mark.parametrize("name", DESIGNS)
def test_sums_of_weights_are_the_number_of_items(name: str) -> None:
    chosen = draw(3, **DESIGNS[name])
    total = sum(1.0 / one.probability for one in chosen)
    assert total == pytest.approx(N)
    assert sum(one.n_chosen for one in chosen.strata) == DESIGNS[name]["n"]
    if chosen.stratify_by is not None:
        assert min(one.n_chosen for one in chosen.strata) >= 2


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("name", DESIGNS)
def test_the_order_of_the_rows_does_not_matter(name: str, *, shuffle: bool) -> None:
    options = dict(DESIGNS[name])
    frame = pd.DataFrame({"item": IDS, **SCORES})
    for column in ("clusters", "strata"):
        if column in options:
            frame[column] = options[column]
            options[column] = column
    first = bb.choose_items(frame, shuffle=shuffle, **options)
    second = bb.choose_items(frame.iloc[::-1].reset_index(drop=True), shuffle=shuffle, **options)
    assert {*first} == {*second}
    if shuffle:
        places = {one.item if one.cluster is None else one.cluster: None for one in first}
        assert [*places] == [*{one.item if one.cluster is None else one.cluster: None for one in second}]


def test_a_larger_draw_holds_the_smaller_one() -> None:
    assert {*draw(n=10).items} < {*draw(n=20).items}
    assert draw(n=10, shuffle=True).items == draw(shuffle=True).items[:10]


def test_all_items_in_random_order_keep_clusters_whole() -> None:
    chosen = draw(clusters=DOCS, shuffle=True)
    assert {*chosen.items} == {*IDS}
    assert set(chosen.probabilities) == {1.0}
    runs = [one.cluster for place, one in enumerate(chosen) if place % 3 == 0]
    assert len({*runs}) == 16
    assert all(one.cluster == runs[place // 3] for place, one in enumerate(chosen))
    assert chosen.items != tuple(IDS)
    assert draw(1, clusters=DOCS, shuffle=True).items != chosen.items


def test_neyman_draws_more_where_the_spread_is_larger() -> None:
    strata = ["x"] * 24 + ["y"] * 24
    chosen = draw(n=16, strata=strata, allocation="neyman", sds={"x": 3.0, "y": 1.0})
    assert [one.n_chosen for one in chosen.strata] == [12, 4]
    assert [one.sd for one in chosen.strata] == [3.0, 1.0]
    by_judge = draw(n=16, stratify_by="score", allocation="neyman")
    assert "spread_of_the_judge" in {note.code for note in by_judge.notes}
    assert "spread_of_the_judge" not in {note.code for note in chosen.notes}


def test_ids_alone_are_enough_for_a_random_draw() -> None:
    chosen = bb.choose_items(IDS, 10)
    assert chosen.items == draw(n=10).items
    assert bb.choose_items(range(5), 2).items == bb.choose_items([0, 1, 2, 3, 4], 2).items
    grouped = bb.choose_items(IDS, 4, clusters=DOCS)
    assert len(grouped) == 12
    assert all(one.probability == 0.25 for one in grouped)


def test_a_csv_holds_no_empty_columns() -> None:
    rows = list(csv.DictReader(io.StringIO(draw(n=4).to_csv())))
    assert [*rows[0]] == ["item", "probability"]
    chosen = draw(**DESIGNS["clusters in strata"])
    rows = list(csv.DictReader(io.StringIO(chosen.to_csv())))
    assert [*rows[0]] == ["item", "cluster", "stratum", "probability"]
    assert [row["item"] for row in rows] == [*chosen.items]
    assert [*chosen.to_frame("strata")["n_chosen"]] == [one.n_chosen for one in chosen.strata]


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    path = tmp_path / "judged.csv"
    pd.DataFrame({"item": IDS, "cluster": DOCS, **SCORES}).to_csv(path, index=False)
    return path


def test_the_command_draws_what_python_draws(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.read_csv(judged)
    options = ["--n", "6", "--stratify-by", "score", "--bins", "2", "--seed", "5", "--cluster", "cluster"]
    assert main(["judged", "choose", str(judged), *options, "--csv", "-"]) == 0
    expected = bb.choose_items(frame, 6, clusters="cluster", stratify_by="score", n_bins=2, rng=5)
    assert capsys.readouterr().out == expected.to_csv()
    assert main(["judged", "choose", str(judged), "--ids-only", "--shuffle", "--csv", "-"]) == 0
    ids = bb.choose_items(IDS, clusters=DOCS, shuffle=True)
    assert capsys.readouterr().out == ids.to_csv()


@pytest.mark.parametrize("by", ["score", "disagreement"])
def test_strata_of_verdicts_are_their_values_and_keep_half_of_their_share(by: str) -> None:
    rng = np.random.default_rng(1)
    judge = {name: (rng.random(1000) < 0.9).astype(int) for name in ("a", "b")}
    plain = bb.choose_items(judge, 60, stratify_by=by)
    assert [one.name for one in plain.strata] == (["0", "0.5", "1"] if by == "score" else ["0", "0.5"])
    neyman = bb.choose_items(judge, 60, stratify_by=by, allocation="neyman")
    for one in neyman.strata:
        assert one.n_chosen >= 0.5 * 60 * one.n_units / 1000
    grades = {"a": [*[5] * 700, *rng.integers(1, 5, 300)]}
    strata = bb.choose_items(grades, 60, stratify_by="score", allocation="neyman").strata
    assert all(one.n_chosen >= 0.03 * one.n_units for one in strata)


def test_a_value_of_one_item_is_no_stratum() -> None:
    rare = {"a": [1] * 40 + [0] * 19 + [2]}
    assert [one.name for one in bb.choose_items(rare, 12, stratify_by="score").strata] == ["0", "1 to 2"]


def test_a_draw_too_small_for_half_shares_is_proportional() -> None:
    sizes, sds = np.array([300, 20, 20, 20]), np.array([0.0, 1.0, 1.0, 1.0])
    assert drawn_sizes(sizes, 8, sds).tolist() == drawn_sizes(sizes, 8).tolist()
    assert drawn_sizes(sizes, 40, sds)[0] == 17  # half of 33.3


@pytest.mark.parametrize("seed", range(40))
def test_sizes_add_up_within_their_limits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 200, rng.integers(1, 12))
    least = int(np.minimum(sizes, 2).sum())
    n = int(rng.integers(least, sizes.sum() + 1))
    sds = rng.choice([0.0, 0.1, 1.0, 20.0], sizes.size) if seed % 2 else None
    found = drawn_sizes(sizes, n, sds)
    assert found.sum() == n
    assert (found <= sizes).all()
    assert (found >= np.minimum(sizes, 2)).all()


def test_proportional_sizes_differ_from_their_shares_by_less_than_one() -> None:
    sizes = np.array([311, 97, 592])
    assert (np.abs(drawn_sizes(sizes, 137) - 137 * sizes / 1000) < 1).all()


def test_neyman_has_the_least_variance_of_divisions_with_half_of_each_share() -> None:
    sizes, sds, n = np.array([40, 30, 30]), np.array([0.5, 1.0, 3.0]), 20

    def variance(numbers: np.ndarray) -> float:
        return float((sizes**2 * sds**2 / numbers).sum())

    every = [np.array([i, j, n - i - j]) for i in range(4, 15) for j in range(3, n - i - 2)]
    assert variance(drawn_sizes(sizes, n, sds)) == pytest.approx(min(map(variance, every)), rel=0.01)


def test_a_stratum_without_spread_takes_what_the_others_cannot_give() -> None:
    assert drawn_sizes(np.array([5, 50]), 30, np.array([1.0, 0.0])).tolist() == [5, 25]
    assert drawn_sizes(np.array([5, 50]), 30, np.array([0.0, 0.0])).tolist() == [3, 27]


def test_first_units_of_more_hold_those_of_fewer() -> None:
    order = np.random.default_rng(1).permutation(30)
    strata = np.arange(30) % 3
    small = first_units(order, strata, np.array([2, 3, 4]))
    large = first_units(order, strata, np.array([4, 3, 6]))
    assert {*small.tolist()} < {*large.tolist()}
    assert np.bincount(strata[large]).tolist() == [4, 3, 6]


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        (["--n", "8", "--stratify-by", "score", "--allocation", "neyman", "--sd", "x"], "--sd must be"),
        (["--n", "8", "--ids-only", "--ignore", "a"], "--ids-only reads no scores"),
    ],
)
def test_the_command_refuses_in_two_lines(
    judged: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], first: str
) -> None:
    assert main(["judged", "choose", str(judged), *arguments]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert first in lines[0]
    assert len(lines) <= 2
