"""The reports of `compare_datasets`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.comparisons.examples import TABLE, cross_validated, items

from bestby import compare_datasets, compare_folds, replicability
from bestby.report.document import kind_of

RESULTS = {
    "table": lambda: compare_datasets(TABLE),
    "two systems": lambda: compare_datasets(TABLE, systems=["old", "new"]),
    "items": lambda: compare_datasets(items(), n_resamples=200),
    "three systems with items": lambda: compare_datasets(items(names=("a", "b", "c")), n_resamples=200),
    "baseline": lambda: compare_datasets(TABLE, baseline="old", correction="none"),
    "p-values": lambda: replicability({"news": 0.001, "talks": 0.4}),
    "folds": lambda: compare_folds({"a": [0.7, 0.8, 0.9], "b": [0.6, 0.7, 0.75]}),
    "folds with items": lambda: compare_folds(cross_validated()),
    "awkward names": lambda: compare_datasets(
        {f"d_{i} & <b>|$x$": {"a_1|<": 0.5 + i / 9, "b%&\\": 0.4, "c": i / 7.0} for i in range(4)}
    ),
}


@pytest.mark.check
@pytest.mark.parametrize("name", RESULTS)
def test_every_report_of_every_result(name: str) -> None:
    result: Any = RESULTS[name]()
    text = result.details()
    assert len(str(result)) <= len(text)
    assert max(len(line) for line in text.splitlines() if not line.startswith("bestby:")) <= 100
    assert result.signature in text
    again: Any = RESULTS[name]()
    for form in ("to_markdown", "to_latex", "to_html", "_repr_html_"):
        made = getattr(result, form)()
        assert made.strip()
        assert made == getattr(again, form)()
    assert json.loads(result.to_json()) == result.to_dict()
    describing = kind_of(result)
    frame = result.to_frame()
    assert list(frame.columns) == [
        column.name for column in next(iter(describing.TABLES.values())).columns(result)
    ]
    assert len(result.to_csv().splitlines()) == len(frame) + 1


def test_columns_are_those_of_differences_where_they_apply() -> None:
    frame = compare_datasets(items(), n_resamples=200).to_frame()
    assert list(frame["average"].dropna()) == ["macro", "macro", "micro", "micro"]
    assert list(frame["dataset"].dropna()) == ["one", "two", "three"]
