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

# Gwet (2008), section 2: two raters and 125 items, of which 118 are positive to both and none is negative to
# both: kappa -.0234, AC1 .9408.
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
    assert found["cohen_kappa"] == pytest.approx(-0.0234, abs=5e-5)
    assert found["ac1"] == pytest.approx(0.9408, abs=5e-5)
    assert result.paradox
    assert result["ac1"].expected == pytest.approx(2 * 0.972 * 0.028, abs=1e-12)


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
