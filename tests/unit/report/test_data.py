"""JSON, CSV and frames: exact keys, exact bits."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from bestby._core.errors import MissingExtraError
from bestby.report.comparison import Comparison
from bestby.report.data import to_csv, to_dict, to_frame
from bestby.results.values import Interval

DIFFERENCE_KEYS = [
    "metric", "a", "b", "difference", "score_a", "score_b", "low", "high", "level", "interval", "p_value",
    "p_adjusted", "test", "exact", "n_differing", "verdict", "significant", "winner", "equivalence_low",
    "equivalence_high", "standard_error", "standard_error_method", "disagreement",
]  # fmt: skip


def test_shape_of_the_json(any_comparison: Comparison) -> None:
    document = json.loads(any_comparison.to_json())
    assert list(document) == [
        "kind", "format", "signature", "n_items", "systems", "differences", "omnibus", "notes", "provenance",
        "record",
    ]  # fmt: skip
    assert {tuple(entry) for entry in document["systems"]} == {
        (
            "metric", "system", "score", "low", "high", "level", "interval", "rank_low", "rank_high",
            "group", "standard_error", "standard_error_method",
        )
    }  # fmt: skip
    assert {tuple(entry) for entry in document["differences"]} == {tuple(DIFFERENCE_KEYS)}
    assert len(document["differences"]) == len(any_comparison)
    assert list(document["provenance"]) == [
        "version", "versions", "seed", "n_resamples", "settings", "data", "data_hash", "blas",
    ]  # fmt: skip


def test_what_json_does_not_know_is_null_and_numpy_is_plain(made: SimpleNamespace) -> None:
    d = made.difference(estimate=np.float64(0.25), p_value=np.float64(0.5), n_differing=np.int64(3))
    d = dataclasses.replace(d, interval=Interval(math.nan, math.inf, 0.95, "bca", False))
    provenance = made.provenance(flag=np.bool_(True), values=np.array([1.5, np.nan]), pair=("x", 2))
    document = to_dict(made.five(differences=(d,), provenance=provenance))
    row = document["differences"][0]
    assert (row["low"], row["high"]) == (None, None)
    assert [type(row[key]) for key in ("difference", "p_value", "n_differing")] == [float, float, int]
    settings = document["provenance"]["settings"]
    assert (settings["flag"], settings["values"], settings["pair"]) == (True, [1.5, None], ["x", 2])
    json.dumps(document, allow_nan=False)


def test_csv_gives_the_floats_back_to_the_last_bit(any_comparison: Comparison) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(any_comparison))))
    assert list(rows[0]) == DIFFERENCE_KEYS
    assert len(rows) == len(any_comparison)
    for row, d in zip(rows, any_comparison, strict=True):
        assert (row["metric"], row["a"], row["b"]) == (d.metric, d.a, d.b)
        read = [float(row[key]) for key in ("difference", "low", "high", "p_value", "p_adjusted")]
        assert read == [d.estimate, d.interval.low, d.interval.high, d.p_value, d.p_adjusted]
        assert row["exact"] == ("true" if d.exact else "false")
        assert row["verdict"] == (d.verdict or "")


def test_csv_has_no_typographic_signs(made: SimpleNamespace) -> None:
    text = to_csv(made.five())
    assert "-0.0251" in text
    assert text.isascii()
    assert text.count("\n") == 11


def test_frame_has_the_columns_of_differences(made: SimpleNamespace) -> None:
    frame = to_frame(made.two_metrics())
    assert list(frame.columns) == DIFFERENCE_KEYS
    assert frame.shape == (20, 23)
    assert frame["difference"].tolist()[1] == 38 / 638
    assert str(frame["p_value"].dtype) == "float64"
    alone = made.five(differences=())
    assert list(to_frame(alone, "differences").columns) == DIFFERENCE_KEYS
    assert to_frame(alone)["system"].tolist() == [entry.system for entry in alone.systems]


def test_without_pandas_the_error_says_what_to_install(
    made: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError) as caught:
        to_frame(made.five())
    assert str(caught.value) == "pandas is not installed\nhint: pip install 'bestby[frames]'"
