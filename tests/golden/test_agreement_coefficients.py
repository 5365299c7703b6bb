"""Published coefficients of agreement, and those of other libraries: AC1, intraclass correlations, kappas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bestby as bb

# Shrout & Fleiss (1979), Intraclass correlations, Table 2: four judges rate six targets. Table 4 has the
# coefficients .17, .29, .71 and .62.
JUDGES = {
    "first": [9, 6, 8, 7, 10, 6],
    "second": [2, 1, 4, 1, 5, 2],
    "third": [5, 3, 6, 2, 6, 4],
    "fourth": [8, 2, 8, 6, 9, 7],
}

# Two raters who agree on 118 of 125 items, all of them positive: high agreement and a kappa below 0. What is
# expected by chance is 2 * .972 * .028 for AC1 (Gwet 2008, eq. 8), and .984 * .96 + .016 * .04 for kappa.
PARADOX = {"a": [1] * 118 + [1] * 5 + [0] * 2, "b": [1] * 118 + [0] * 5 + [1] * 2}

# Krippendorff (2011), section C: nominal .743, ordinal .815, interval .849, ratio .797.
OBSERVERS = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""


def observers() -> dict[str, list[int | None]]:
    rows = [line.split() for line in OBSERVERS.strip().splitlines()]
    return {f"o{k}": [None if one == "." else int(one) for one in row] for k, row in enumerate(rows)}


def values(result: Any) -> dict[str, float]:
    return {one.name: one.value for one in result}


def test_shrout_and_fleiss() -> None:
    found = values(bb.agreement(JUDGES, scale="interval"))
    published = {"icc_1": 0.17, "icc_a_1": 0.29, "icc_c_1": 0.71, "icc_a_k": 0.62}
    assert {name: round(found[name], 2) for name in published} == published


def test_the_paradox_of_gwet() -> None:
    result = bb.agreement(PARADOX)
    found = values(result)
    by_chance = {"cohen_kappa": 0.984 * 0.96 + 0.016 * 0.04, "ac1": 2 * 0.972 * 0.028}
    for name, expected in by_chance.items():
        assert found[name] == pytest.approx((118 / 125 - expected) / (1 - expected), abs=1e-12)
        assert result[name].expected == pytest.approx(expected, abs=1e-12)
    assert result.paradox


def test_gwet_by_his_own_package() -> None:
    """The overview of the R package irrCAC (Gwet) prints .8493305, .7964094 and .7972585 for two raters."""
    counts = {("e", "e"): 13, ("a", "a"): 20, ("a", "n"): 7, ("n", "a"): 4, ("n", "n"): 56}
    pairs = [pair for pair, times in counts.items() for _ in range(times)]
    found = values(bb.agreement({"one": [a for a, _ in pairs], "other": [b for _, b in pairs]}))
    printed = {"ac1": 0.8493305, "cohen_kappa": 0.7964094, "krippendorff_alpha": 0.7972585}
    assert {name: round(found[name], 7) for name in printed} == printed
    # Four raters of twelve items, of which some labels are missing (`cac.raw4raters`)
    assert round(values(bb.agreement(observers()))["ac1"], 5) == 0.77544


@pytest.mark.parametrize(
    ("scale", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorff(scale: Any, published: float) -> None:
    first = bb.agreement(observers(), scale=scale).coefficients[0]
    assert round(first.value, 3) == published
    assert first.n_items == 11  # one of the twelve has a single label


def random_labels(n: int, k: int, seed: int) -> dict[str, np.ndarray[Any, Any]]:
    chance = np.random.default_rng(seed)
    truth = chance.integers(0, k, n)
    kept = chance.random((3, n)) < 0.7
    return {
        name: np.where(own, truth, chance.integers(0, k, n)) for name, own in zip("abc", kept, strict=True)
    }


def test_fleiss_and_cohen_are_those_of_statsmodels() -> None:
    raters = pytest.importorskip("statsmodels.stats.inter_rater", reason="statsmodels is not installed")
    labels = random_labels(90, 4, 1)
    counts, _ = raters.aggregate_raters(np.stack(list(labels.values()), axis=1))
    named = bb.agreement(labels)
    assert named["fleiss_kappa"].value == pytest.approx(raters.fleiss_kappa(counts), rel=1e-12)
    two = {name: labels[name] for name in "ab"}
    table, _ = raters.to_table(np.stack(list(two.values()), axis=1))
    assert bb.agreement(two)["cohen_kappa"].value == pytest.approx(
        raters.cohens_kappa(table).kappa, rel=1e-12
    )
    ranked = bb.agreement(two, scale="ordinal")
    for ending in ("linear", "quadratic"):
        expected = raters.cohens_kappa(table, wt=ending).kappa
        assert ranked[f"cohen_kappa_{ending}"].value == pytest.approx(expected, rel=1e-12)


def test_kappas_of_pairs_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    labels = random_labels(80, 3, 2)
    for pair in bb.agreement(labels).pairs:
        expected = metrics.cohen_kappa_score(labels[pair.a], labels[pair.b])
        assert pair.kappa == pytest.approx(expected, rel=1e-12)
    for pair in bb.agreement(labels, scale="ordinal").pairs:
        expected = metrics.cohen_kappa_score(labels[pair.a], labels[pair.b], weights="quadratic")
        assert pair.kappa == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_is_that_of_krippendorff(scale: Any) -> None:
    library = pytest.importorskip("krippendorff", reason="the library krippendorff is not installed")
    labels = {name: x.astype(float) for name, x in random_labels(70, 5, 3).items()}
    labels["b"][::7] = np.nan
    expected = library.alpha(np.stack(list(labels.values())), level_of_measurement=scale)
    assert bb.agreement(labels, scale=scale).coefficients[0].value == pytest.approx(expected, rel=1e-12)
