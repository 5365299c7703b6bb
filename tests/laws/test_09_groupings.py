"""Law 9 for groups of items: no analysis ignores clusters, two crossed groupings or strata in silence.

Each analysis is run without groups and with groups of each kind. The groups must change its numbers (two
crossed groupings also against either of the two alone), or it must refuse them, or say in a note what it
leaves out.
"""

from __future__ import annotations

import inspect

import pytest
from tests.laws.groupings import GROUPS, ROSTER

import bestby as bb
from bestby._core.errors import DesignError

CASES = [(name, kind) for name, (_, _, expected) in ROSTER.items() for kind in expected]


@pytest.mark.parametrize(("name", "kind"), CASES, ids=[f"{name}: {kind}" for name, kind in CASES])
def test_groups_of_items_are_never_ignored(name: str, kind: str) -> None:
    _, run, table = ROSTER[name]
    expected = table[kind]
    if expected == "refused":
        with pytest.raises(DesignError) as caught:
            run(**GROUPS[kind])
        assert caught.value.hint
        return
    numbers, codes = run(**GROUPS[kind])
    for other in ("none", "clusters", "second alone") if kind == "crossed" else ("none",):
        assert numbers != run(**GROUPS[other])[0], other
    if expected != "changes":
        assert expected in codes


READERS = {
    "JudgedItems",
    "JudgedLabels",
    "read",
    "read_datasets",
    "read_folds",
    "read_preferences",
    "read_runs",
}
"""They put groups into the data, which the analyses then take."""

METRICS = ("FunctionMetric", "MeanMetric", "Metric", "WeightedMetric")
RECORDS = {"Evaluation", "Preferences", "Runs"} | {f"{name}.reading_notes" for name in METRICS}


def test_every_public_analysis_that_takes_groups_is_on_the_roster() -> None:
    named = {"clusters", "strata"}
    found = set()
    public = {name: getattr(room, name) for room in (bb, bb.planning) for name in room.__all__}
    for name, value in public.items():
        members = {name: value}
        if inspect.isclass(value):
            members |= {f"{name}.{key}": getattr(value, key) for key in dir(value) if not key.startswith("_")}
        for path, one in members.items():
            if not callable(one):
                continue
            try:
                parameters = inspect.signature(one).parameters
            except (TypeError, ValueError):  # it has none that Python knows of
                continue
            if any(key in named or "Evaluation" in str(p.annotation) for key, p in parameters.items()):
                found.add(path)
    takes_any = {"compare_datasets", "compare_folds"}  # their data may be an Evaluation: Any in the signature
    assert (found | takes_any) - READERS - RECORDS == {path for path, _, _ in ROSTER.values()}
