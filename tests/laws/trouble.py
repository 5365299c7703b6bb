"""What a comparison is refused for, and what it then says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bestby import BestbyError, compare

GOLD = ["x", "y", "x", "y"]
FINE = {"a": ["x", "y", "y", "y"], "b": ["x", "x", "x", "y"]}
SCORES = {"a": [0.1, 0.4, 0.3], "b": [0.2, 0.2, 0.2]}

Case = tuple[str, type[BestbyError], tuple[Any, Any], dict[str, Any], str]
"""A name, the kind of the error, the systems and the gold, the other arguments, and the message."""


def each(cases: Sequence[Case]) -> pytest.MarkDecorator:
    """Let a test run once for each case, under the name of the case."""
    return pytest.mark.parametrize("case", cases, ids=[case[0] for case in cases])


def check(case: Case) -> None:
    """Assert that a comparison is refused with the error and the message of a case."""
    _, kind, data, arguments, message = case
    with pytest.raises(BestbyError) as caught:
        compare(*data, **arguments)
    assert type(caught.value) is kind
    assert str(caught.value) == message
