"""JSON, CSV and frames: exact keys, exact bits."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from bestby._core.errors import MissingExtraError
from bestby.report.data import to_csv, to_dict, to_frame
from bestby.results.values import Interval


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


def test_csv_has_no_typographic_signs(made: SimpleNamespace) -> None:
    text = to_csv(made.five())
    assert "-0.0251" in text
    assert text.isascii()
    assert text.count("\n") == 11


def test_without_pandas_the_error_says_what_to_install(
    made: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError) as caught:
        to_frame(made.five())
    assert str(caught.value) == "pandas is not installed\nhint: pip install 'bestby[frames]'"
