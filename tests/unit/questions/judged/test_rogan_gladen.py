"""Error rates of a judge from a calibration set, and shares corrected for them."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bestby as bb
from bestby.errors import DesignError
from bestby.inference.proportions import two_sided_quantile
from bestby.questions.judged.rogan_gladen import (
    ErrorRates,
    Part,
    calibrated,
    corrected_share,
    interval_of_parts,
)
from bestby.questions.judged.source import verdicts_of

Z = two_sided_quantile(0.95)


def interval(ones: int, n: int, rates: ErrorRates) -> tuple[float, float]:
    """Return the 95 % interval of a share whose error rates are the same for all items."""
    return interval_of_parts([Part(1.0, ones, n, rates)], Z)


def test_the_published_example() -> None:
    rates = ErrorRates(140, 200, 180, 200)
    assert corrected_share(400, 1000, rates) == pytest.approx(1 / 6)
    assert interval(400, 1000, rates) == pytest.approx((0.0564, 0.2627), abs=5e-5)  # Lee et al. 2025


def test_it_covers() -> None:
    rng = np.random.default_rng(3)
    held = []
    for _ in range(1000):
        ones = rng.binomial(500, 0.3 * 0.85 + 0.7 * 0.2)
        rates = ErrorRates(int(rng.binomial(80, 0.8)), 80, int(rng.binomial(60, 0.85)), 60)
        low, high = interval(int(ones), 500, rates)
        held.append(low <= 0.3 <= high)
    assert 0.93 < np.mean(held) < 0.975  # outside by chance in about 1 %


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        (ErrorRates(0, 0, 9, 10), "all of one kind"),
        (ErrorRates(5, 10, 5, 10), "no better than chance"),
    ],
)
def test_what_it_refuses(rates: ErrorRates, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        corrected_share(3, 10, rates)


@pytest.mark.parametrize("ones", [0, 5, 99, 100])
def test_intervals_stay_inside_the_bounds_and_shares_need_not(ones: int) -> None:
    rates = ErrorRates(80, 100, 90, 100)
    assert corrected_share(ones, 100, rates) == pytest.approx((ones / 100 - 0.2) / 0.7)
    low, high = interval(ones, 100, rates)
    assert 0.0 <= low <= high <= 1.0


def test_design_effects_and_parts() -> None:
    rates = ErrorRates(80, 100, 90, 100)
    plain = Part(1.0, 400, 1000, rates)
    fewer = Part(1.0, 400, 1000, rates, items_effect=4.0, rates_effect=2.0)
    halved = Part(1.0, 100, 250, ErrorRates(40, 50, 45, 50))
    assert interval_of_parts([fewer], 1.96) == pytest.approx(interval_of_parts([halved], 1.96))
    wide, narrow = (high - low for low, high in (interval_of_parts([one], 1.96) for one in (fewer, plain)))
    assert wide > 1.3 * narrow
    low, high = interval_of_parts([Part(0.5, 400, 1000, rates), Part(0.5, 400, 1000, rates)], 1.96)
    assert high - low == pytest.approx(narrow / 2**0.5, rel=1e-6)


RNG = np.random.default_rng(7)
N, M = 400, 200


def judged(human: np.ndarray, specificity: Any = 0.75) -> np.ndarray:
    agrees = RNG.random(human.size) < np.where(human == 1, 0.9, specificity)
    return np.where(agrees, human, 1 - human)


HALF = np.arange(N) % 2
JUDGE = {name: judged((RNG.random(N) < share).astype(int)) for name, share in (("a", 0.7), ("b", 0.5))}
HUMAN = (RNG.random(M) < 0.5).astype(int)
SET = pd.DataFrame({"judge": judged(HUMAN, np.where(np.arange(M) % 2, 0.9, 0.6)), "human": HUMAN})
PAIR = (SET["judge"], SET["human"])


def compared(calibration: Any = PAIR, judge: Any = JUDGE, **options: Any) -> bb.results.JudgedComparison:
    return bb.compare_judged(judge, calibration=calibration, **options)


def numbers(found: bb.results.JudgedComparison) -> list[float]:
    ends = [x for s in found.systems for x in (s.score, s.interval.low, s.interval.high)]
    return [*ends, *(x for d in found for x in (d.estimate, d.interval.low, d.interval.high, d.p_value))]


def rogan_gladen(verdicts: Any, judge: Any, human: Any) -> float:
    judge, human = np.asarray(judge), np.asarray(human)
    specificity, sensitivity = 1.0 - judge[human == 0].mean(), judge[human == 1].mean()
    return float((np.mean(verdicts) + specificity - 1.0) / (specificity + sensitivity - 1.0))


def test_tables_of_the_set_and_of_the_verdicts_give_the_same_numbers(tmp_path: Any) -> None:
    expected = numbers(compared())
    own = pd.concat(SET.assign(item=np.arange(M), system=name) for name in JUDGE)
    wide = pd.DataFrame({f"{role}[{name}]": SET[role] for role in ("judge", "human") for name in JUDGE})
    verdicts = pd.DataFrame({f"judge[{name}]": values for name, values in JUDGE.items()})
    path = tmp_path / "verdicts.csv"
    verdicts.to_csv(path, index=False)
    for found in (
        compared(SET),
        compared(SET.to_dict("records")),
        compared(SET, verdicts),
        compared(SET, bb.read_judged(path, human=False)),
    ):
        assert numbers(found) == pytest.approx(expected, abs=1e-12)
    pairs = numbers(compared(dict.fromkeys(JUDGE, PAIR)))
    assert pairs != pytest.approx(expected)  # rates of one's own do not cancel in a difference
    assert numbers(compared(own)) == pytest.approx(pairs, abs=1e-12)
    assert numbers(compared(wide)) == pytest.approx(pairs, abs=1e-12)


def test_clusters_of_single_items_change_hardly_anything_and_copies_are_one_item() -> None:
    plain = compared()
    single = compared(SET.assign(cluster=np.arange(M)), clusters=np.arange(N))
    assert [s.score for s in single.systems] == [s.score for s in plain.systems]
    for one, other in zip(single.systems, plain.systems, strict=True):
        assert one.standard_error == pytest.approx(other.standard_error, rel=0.01)
        assert one.interval.low == pytest.approx(other.interval.low, abs=0.005)
    twice = compared(
        pd.concat([SET, SET]).assign(cluster=np.tile(np.arange(M), 2)),
        {name: np.repeat(values, 2) for name, values in JUDGE.items()},
        clusters=np.repeat(np.arange(N), 2),
    )
    for one, other in zip(twice, single, strict=True):
        assert one.estimate == pytest.approx(other.estimate, abs=1e-12)
        assert one.standard_error == pytest.approx(other.standard_error, rel=0.01)
        assert one.interval.high == pytest.approx(other.interval.high, abs=0.01)
    copies = compared(pd.concat([SET, SET]))
    assert copies["a", "b"].standard_error < plain["a", "b"].standard_error


def test_strata_have_error_rates_of_their_own() -> None:
    halves = SET.assign(stratum=np.arange(M) % 2)
    found = compared(halves, strata=HALF)
    for name, verdicts in JUDGE.items():
        by_hand = [
            rogan_gladen(verdicts[half == HALF], part["judge"], part["human"])
            for half, part in halves.groupby("stratum")
        ]
        assert found.score(name).score == pytest.approx(np.mean(by_hand))
    assert found.n_strata == 2
    assert found.score("a").score != pytest.approx(compared().score("a").score, abs=1e-4)
    pooled = compared(strata=HALF)
    assert pooled.score("a").score == pytest.approx(compared().score("a").score)
    assert pooled.score("a").interval != compared().score("a").interval
    verdicts = pd.DataFrame({f"judge[{name}]": v for name, v in JUDGE.items()} | {"lang": HALF})
    named = compared(SET.assign(lang=np.arange(M) % 2), verdicts, strata="lang")
    assert numbers(named) == pytest.approx(numbers(found), abs=1e-12)


def test_the_error_is_that_of_the_linear_parts() -> None:
    """The delta method by hand, with clusters of equal size in both sets, for which CR2 is G / (G - 1)."""
    table = SET.assign(cluster=np.arange(M) // 10)
    groups = np.arange(N) // 8
    found = calibrated(verdicts_of(JUDGE, None, None), table, groups)
    error = found.error(np.array([1.0, 0.0]))
    rates = found.sets[0].rates(0)
    slope = rates.specificity + rates.sensitivity - 1.0
    sums = np.bincount(groups, weights=(JUDGE["a"] - JUDGE["a"].mean()) / N / slope)
    items = float((sums**2).sum() * 50 / 49)
    share = float(found.scores[0])
    right = np.where(SET["human"] == 1, SET["judge"], 1 - SET["judge"])
    added = np.where(
        SET["human"] == 1,
        -share / slope * (right - rates.sensitivity) / rates.ones,
        (1 - share) / slope * (right - rates.specificity) / rates.zeros,
    )
    sums = np.bincount(np.arange(M) // 10, weights=added)
    of_rates = float((sums**2).sum() * 20 / 19)
    assert error.se == pytest.approx(math.sqrt(items + of_rates), rel=0.02)  # one verdict more smoothes rates
    assert error.df == pytest.approx((items + of_rates) ** 2 / (items**2 / 49 + of_rates**2 / 19), rel=0.05)
    assert math.isinf(calibrated(verdicts_of(JUDGE, None, None), PAIR).error(np.array([1.0, 0.0])).df)


def test_shares_beyond_the_bounds_keep_their_difference() -> None:
    judge = {"a": [1] * 97 + [0] * 3, "b": [1] * 92 + [0] * 8}
    found = compared(([0] * 15 + [1] * 5 + [1] * 17 + [0] * 3, [0] * 20 + [1] * 20), judge)
    d = found["a", "b"]
    assert found.score("a").score > 1.0
    assert found.score("a").interval.high == 1.0
    assert d.estimate == pytest.approx(0.05 / (0.75 + 0.85 - 1.0))
    assert d.estimate in d.interval
    assert "outside_bounds" in [note.code for note in found.notes]


def test_items_that_are_unlike_the_set_have_no_interval() -> None:
    judge = {"a": [1] * 2 + [0] * 98, "b": [1] * 60 + [0] * 40}
    found = compared(([0] * 80 + [1] * 20 + [1] * 90 + [0] * 10, [0] * 100 + [1] * 100), judge)
    assert found.score("a").interval is None
    assert found.score("b").interval is not None
    (note,) = (note for note in found.notes if note.code == "unlike_calibration")
    assert note.about == ("human score", "a")
    assert str(found)
    assert bb.load(found.to_json()) == found


def test_what_rests_on_little_is_told() -> None:
    codes = {note.code: note.message for note in compared(clusters=np.arange(N) // 8).notes}
    assert "taken to be independent" in codes["calibration_items"]
    codes = {note.code: note.message for note in compared(SET.assign(cluster=np.arange(M) // 40)).notes}
    assert "has 5 clusters" in codes["few_calibration_clusters"]
    assert [note.code for note in compared().notes] == ["error_rates"]
    found = compared(SET.assign(cluster=np.arange(M) // 10), clusters=np.arange(N) // 8)
    assert found.n_clusters == 50
    assert bb.load(found.to_json()) == found
    assert found.provenance.data_hash != compared().provenance.data_hash


BOTH = pd.DataFrame(
    {f"judge[{name}]": v for name, v in JUDGE.items()} | {f"human[{name}]": v for name, v in JUDGE.items()}
)


@pytest.mark.parametrize(
    ("calibration", "options", "message"),
    [
        (SET.assign(stratum=0), {}, "has strata, and the items of the comparison have none"),
        (SET.assign(stratum=0), {"strata": HALF}, "right and wrong items of stratum"),
        (SET.assign(cluster=[None, *range(M - 1)]), {}, "of the calibration set lacks values"),
        (SET.assign(stratum=np.arange(M) % 2, cluster=np.arange(M) // 10), {"strata": HALF}, "several strata"),
        (SET.assign(judge=2), {}, "needs a verdict, 0 or 1"),
        (SET.drop(columns="human"), {}, "has no column 'human'"),
        (SET.assign(system="a", item=np.arange(M)), {}, "calibration lacks system 'b'"),
        (SET.rename(columns={"judge": "judge_x"}).assign(judge_y=1), {}, "has one judge, got 2"),
        (PAIR, {"clusters": [HALF, HALF]}, "two crossed"),
        (PAIR, {"clusters": HALF, "strata": np.arange(N) % 3}, "a cluster lies in several strata"),
        (PAIR, {"judge": BOTH}, "the items of the judge have human labels themselves"),
        (PAIR, {"labels_drawn": np.full(N, 0.5)}, "has no effect on a calibration set"),
        (PAIR, {"metric": "f1_macro"}, "has no effect on a calibration set"),
        (PAIR, {"scale": "different"}, "has no effect on a calibration set"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused(calibration: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((bb.errors.InvalidInputError, bb.errors.DesignError), match=message):
        compared(calibration, **options)


def test_a_table_says_how_it_was_read(tmp_path: Any) -> None:
    from bestby.questions.judged.source import read_calibration

    path = tmp_path / "checked.csv"
    SET.to_csv(path, index=False)
    table = read_calibration(path)
    messages = [note.message for note in compared(table).notes if note.code == "read_as"]
    assert messages == ["checked.csv was read as a calibration set; judge: judge; human: human"]
    assert not [n for n in compared(dataclasses.replace(table, description="")).notes if n.code == "read_as"]
