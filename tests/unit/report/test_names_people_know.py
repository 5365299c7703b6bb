"""Names of other libraries that results lack lead to what they have."""

from __future__ import annotations

import copy
import pickle

import pytest

import bestby as bb
from bestby._core.errors import UnknownAttributeError

RESULT = bb.compare({"a": [1, 0, 1, 1], "b": [0, 0, 1, 1]})


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("p", "to_frame"),
        ("ci", "to_frame"),
        ("to_df", "to_frame"),
        ("summary", "details"),
        ("save", "to_json"),
    ],
)
def test_results_name_what_they_have(name: str, hint: str) -> None:
    with pytest.raises(UnknownAttributeError, match=f"has no attribute '{name}'") as caught:
        getattr(RESULT, name)
    assert hint in str(caught.value.hint)
    assert not hasattr(RESULT, name)


@pytest.mark.parametrize(("name", "hint"), [("p", "p_value"), ("pvalue", "p_value"), ("ci", "interval")])
def test_differences_name_what_they_have(name: str, hint: str) -> None:
    with pytest.raises(UnknownAttributeError) as caught:
        getattr(RESULT.differences[0], name)
    assert hint in str(caught.value.hint)
    assert hasattr(RESULT.differences[0], hint)


def test_copies_are_as_they_were() -> None:
    for again in (copy.copy(RESULT), copy.deepcopy(RESULT), pickle.loads(pickle.dumps(RESULT))):
        assert again == RESULT
    with pytest.raises(UnknownAttributeError) as caught:
        _ = RESULT.nothing
    assert caught.value.hint is None
