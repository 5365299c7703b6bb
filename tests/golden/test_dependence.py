"""Published numbers and other people's code for dependent items."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bestby import compare
from bestby.inference import clusters


def test_the_two_way_error_of_groups_of_equal_size_is_that_of_statsmodels() -> None:
    from statsmodels.regression.linear_model import OLS
    from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

    rng = np.random.default_rng(0)
    first, second = np.repeat(np.arange(8), 24), np.tile(np.arange(6), 32)
    values = rng.normal(size=192) + rng.normal(size=8)[first] + rng.normal(size=6)[second]
    fitted = OLS(values, np.ones(192)).fit()
    expected = float(cov_cluster_2groups(fitted, first, second)[0].squeeze())
    influence = (values - values.mean()) / 192
    assert clusters.two_way(influence, first, second).se ** 2 == pytest.approx(expected, rel=1e-9)


def hans(folder: Path) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    with gzip.open(folder / "hans_4systems.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = ("bert", "decomp_attn", "esim", "spinn")
    systems = {name: np.array(["e" if row[name] == "e" else "x" for row in rows]) for name in names}
    return systems, np.array([row["gold"] for row in rows]), np.array([row["subcase"] for row in rows])


def test_hans_has_thirty_templates_not_thirty_thousand_sentences(shared_data: Callable[[str], Path]) -> None:
    """McCoy, Pavlick & Linzen 2019: 30 templates of 1000 sentences each, which are all but copies."""
    systems, gold, subcases = hans(shared_data("hans"))
    pair = {name: systems[name] for name in ("bert", "spinn")}
    result = compare(pair, gold, clusters=subcases)
    (told,) = (note.message for note in result.notes if note.code == "design_effect")
    itemwise, together = (
        np.std(x, ddof=1) / np.sqrt(x.size)
        for right in [(pair["bert"] == gold) * 1.0 - (pair["spinn"] == gold)]
        for x in (right, np.array([right[subcases == name].mean() for name in np.unique(subcases)]))
    )
    assert (f"{itemwise:.4f}", f"{together:.4f}") == ("0.0019", "0.0220")
    assert told == (
        "standard error of the difference 0.0220 with clusters, 0.00194 as if the items were independent:"
        " design effect 129"
    )
    assert result["bert", "spinn"].interval.method == "hall"
    assert 0.0 in result["bert", "spinn"].interval
    assert 0.0 not in compare(pair, gold)["bert", "spinn"].interval
