"""What the tests of the readers share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bestby._core.errors import BestbyError
from bestby.data.evaluation import Evaluation
from bestby.readers import read

Make = Callable[[str, "str | bytes"], Path]


def columns(evaluation: Evaluation) -> dict[str, list[Any]]:
    """Return gold and systems as lists."""
    gold = {} if evaluation.gold is None else {"gold": evaluation.gold.tolist()}
    return gold | {name: values.tolist() for name, values in evaluation.systems.items()}


def message(paths: Any, **arguments: Any) -> str:
    """Return the message of the error that reading ends with, the path of a single file as {}."""
    with pytest.raises(BestbyError) as caught:
        read(paths, **arguments)
    assert caught.value.hint is None or "\n" not in caught.value.hint
    return caught.value.message.replace(str(paths), "{}") if isinstance(paths, Path) else caught.value.message
