"""Published numbers: replicability, ranks over datasets, corrected tests of folds, BIG-Bench Hard."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bestby import compare_datasets, read_datasets, replicability
from bestby.questions.datasets import ranking
from bestby.questions.folds import crossvalidation
from bestby.report.comparison import Difference

# Demsar (2006), Table 6: AUC of four variants of C4.5 on 14 data sets. On "voting" the table prints 0.975
# twice, ranked 2 and 3 on unrounded numbers: the first is given a further digit here.
VARIANTS = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
AUC = np.array(
    [
        *[(0.763, 0.768, 0.771, 0.798), (0.599, 0.591, 0.590, 0.569), (0.954, 0.971, 0.968, 0.967)],
        *[(0.628, 0.661, 0.654, 0.657), (0.882, 0.888, 0.886, 0.898), (0.936, 0.931, 0.916, 0.931)],
        *[(0.661, 0.668, 0.609, 0.685), (0.583, 0.583, 0.563, 0.625), (0.775, 0.838, 0.866, 0.875)],
        *[(1.000, 1.000, 1.000, 1.000), (0.940, 0.962, 0.965, 0.962), (0.619, 0.666, 0.614, 0.669)],
        *[(0.972, 0.981, 0.9751, 0.975), (0.957, 0.978, 0.946, 0.970)],
    ]
)


def test_replicability_dror_2017() -> None:
    # Dror, Baumer, Bogomolov and Reichart (2017), the example of their published program
    result = replicability([0.168, 0.297, 0.357, 0.019, 0.218, 0.001], alpha=0.05)
    assert (result.k_bonferroni, result.k_fisher, result.found) == (1, 2, ("6",))


def test_average_ranks_demsar_2006() -> None:
    assert ranking.average_ranks(AUC).round(3).tolist() == [3.143, 2.0, 2.893, 1.964]


def test_friedman_demsar_2006() -> None:
    # Section 3.2.2 prints 9.28 and F = 3.69, without the correction for ties that `friedman` makes; its
    # 12 N / (k (k + 1)) (sum R^2 - k (k + 1)^2 / 4) of our ranks gives both.
    average = ranking.average_ranks(AUC)
    chi = 12 * 14 / (4 * 5) * float((average**2).sum() - 4 * 5**2 / 4)
    assert chi == pytest.approx(9.28, abs=5e-3)
    assert 13 * chi / (14 * 3 - chi) == pytest.approx(3.69, abs=5e-3)
    corrected = ranking.friedman(AUC)
    assert corrected.statistic > chi
    assert (corrected.df, corrected.df_within) == (3, 39)
    assert corrected.f > 2.85  # the critical value that the paper gives for F(3, 39)


@pytest.mark.parametrize(
    ("k", "q05", "q10"),
    [
        *[(2, 1.960, 1.645), (3, 2.343, 2.052), (4, 2.569, 2.291), (5, 2.728, 2.459), (6, 2.850, 2.589)],
        *[(7, 2.949, 2.693), (8, 3.031, 2.780), (9, 3.102, 2.855), (10, 3.164, 2.920)],
    ],
)
def test_critical_values_demsar_2006(k: int, q05: float, q10: float) -> None:
    # Table 5(a); the last digit is cut off or rounded there
    scale = ranking.rank_scale(k, 30)
    assert ranking.critical_difference(k, 30, 0.05) / scale == pytest.approx(q05, abs=1e-3)
    assert ranking.critical_difference(k, 30, 0.10) / scale == pytest.approx(q10, abs=1e-3)


def test_nemenyi_and_holm_demsar_2006() -> None:
    # Section 3.2.2: CD = 1.25 at 0.05 and 1.12 at 0.10; against C4.5: z = 2.416, 2.342, 0.512 with
    # p = 0.016, 0.019, 0.607, of which Holm's procedure rejects the first two
    assert ranking.critical_difference(4, 14, 0.05) == pytest.approx(1.25, abs=5e-3)
    assert ranking.critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=5e-3)
    p = ranking.holm_ranks(ranking.average_ranks(AUC), 14, baseline=0)[0]
    assert p[3] == pytest.approx(3 * 0.016, abs=2e-3)
    assert p[2] == pytest.approx(0.607, abs=3e-3)
    assert (p[[1, 3]] < 0.05).all()


def test_the_whole_example_of_demsar_2006() -> None:
    table = {f"data {i}": dict(zip(VARIANTS, row.tolist(), strict=True)) for i, row in enumerate(AUC)}
    result = compare_datasets(table, metric="AUC", level=0.90)
    apart = {(r.a, r.b) for r in result.ranking if r.p_nemenyi is not None and r.p_nemenyi < 0.1}
    # "at p = 0.10 ... C4.5 performs significantly worse than C4.5+m and C4.5+m+cf"
    assert apart == {("C4.5+m+cf", "C4.5"), ("C4.5+m", "C4.5")}
    assert result.critical_difference == pytest.approx(1.12, abs=5e-3)


def test_wilcoxon_demsar_2006() -> None:
    # Section 3.1.3, Table 2: C4.5+m is better than C4.5 at 0.05 (there T = 12 with two differences of zero
    # split; here they are left out)
    table = {str(i): {"C4.5": row[0], "C4.5+m": row[1]} for i, row in enumerate(AUC.tolist())}
    difference = compare_datasets(table, across="wilcoxon")["C4.5+m", "C4.5"]
    assert difference.test.name == "wilcoxon"
    assert difference.p_value < 0.05


def test_corrected_t_of_scikit_learn() -> None:
    # scikit-learn, "Statistical comparison of models using grid search": rbf against linear,
    # t = 0.750, one-sided p = 0.227, from 10 repetitions of 10 folds
    pytest.importorskip("sklearn")
    from sklearn.datasets import make_moons
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
    from sklearn.svm import SVC

    x, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    rbf, linear = (
        cross_val_score(SVC(kernel=kernel, random_state=0), x, y, scoring="roc_auc", cv=folds)
        for kernel in ("rbf", "linear")
    )
    test = crossvalidation.corrected_t(rbf - linear, ratio=1 / 9, alternative="greater")
    assert test.statistic == pytest.approx(0.750, abs=5e-4)
    assert test.p_value == pytest.approx(0.227, abs=5e-4)


def test_big_bench_hard(shared_data: Callable[[str], Path]) -> None:
    """Suzgun et al. (2022): 27 tasks, Codex answering directly and by chain of thought; all 54 accuracies."""
    folder = shared_data("bbh_codex")
    published = json.loads((folder / "published_eval_metrics.json").read_text(encoding="utf-8"))
    systems = ["direct_correct", "cot_correct"]
    data = read_datasets(folder / "bbh_direct_vs_cot.csv", dataset="task", items="item", systems=systems)
    result = compare_datasets(data)
    assert set(result.datasets) == set(published)
    for name, row in zip(result.datasets, result.scores, strict=True):
        direct, cot = (float(row[result.systems.index(system)]) for system in systems)
        assert (100 * direct, 100 * cot) == pytest.approx([entry["accuracy"] for entry in published[name]])
    counts = result.replicability["cot_correct", "direct_correct"]
    assert (len(counts.found), counts.k_bonferroni, counts.k_fisher) == (16, 16, 20)
    whole: Difference = result["cot_correct", "direct_correct"]
    assert (whole.n_items, round(whole.estimate, 4)) == (27, 0.2095)
    assert result.wins("cot_correct", "direct_correct") == (21, 0, 6)
