"""The sequence of BooStSa's guide on its own example: feed, save, load, feed more, run, results.tsv.

The header is that of the file which boostsa 0.2.13 writes for this example. The accuracies of both runs
together are those it prints (runs have one size, so the mean over runs is that of the runs glued together).
The scores of h0.0 and h1.0 are those of its documentation.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

from bestby import Study
from bestby.readers.files import read_labels

METRICS = ["f1_macro", "accuracy", "precision_macro", "recall_macro"]
BOOSTSA = "\tmean_epochs\tf1\td_f1\ts_f1\tstd_f1\tacc\td_acc\ts_acc\tprec\td_prec\ts_prec\trec\td_rec\ts_rec"


def feed(study: Study, folder: Path, run: str) -> None:
    files = {
        what: read_labels(folder / run / f"{file}.txt")
        for what, file in (("predictions", "preds"), ("gold", "targs"), ("ids", "idxs"))
    }
    study.add(run[:2], run=run, **files, epochs=10, baseline=run.startswith("h0"))


def results(study: Study) -> dict[str, dict[str, str]]:
    text = study.compare(metric=METRICS).to_results_tsv()
    return {row[""]: row for row in csv.DictReader(io.StringIO(text), delimiter="\t")}


def test_feed_save_load_feed_more_run(shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    folder = shared_data("boostsa_example")
    first = Study(tmp_path / "first")
    for run in ("h0.0", "h1.0"):
        feed(first, folder, run)
    rows = results(first)
    assert set(BOOSTSA.split("\t")) <= set(rows["h0"])
    scores = ("f1", "acc", "prec", "rec")
    assert [rows["h0"][name] for name in scores] == ["0.6776", "0.6900", "0.6994", "0.6796"]
    assert [rows["h1"][name] for name in scores] == ["0.7407", "0.7410", "0.7410", "0.7422"]
    assert [rows["h1"][f"d_{name}"] for name in scores] == ["0.0631", "0.0510", "0.0416", "0.0626"]
    assert [rows["h0"][f"d_{name}"] for name in scores] == [""] * 4
    assert {row["mean_epochs"] for row in rows.values()} == {"10.0"}

    first.export_outcomes(tmp_path / "outcomes.json")
    study = Study(tmp_path / "second")
    study.import_outcomes(tmp_path / "outcomes.json")
    assert results(study) == rows
    for run in ("h0.1", "h1.1", "h2.0", "h2.1"):
        feed(study, folder, run)
    rows = results(study)
    assert list(rows) == ["h0", "h1", "h2"]
    assert [row["acc"] for row in rows.values()] == ["0.7080", "0.7355", "0.7155"]
    assert [row["d_acc"] for row in rows.values()] == ["", "0.0275", "0.0075"]
    assert study.compare(metric=METRICS).n_computed == 0
