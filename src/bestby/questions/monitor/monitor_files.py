"""Files of a `bestby.Monitor`, which hold the scores of its systems on the items that came so far."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby._core.typing import OnMissing
from bestby.questions.monitor.saving import KIND
from bestby.readers.formats.base import Read, files_of, refuse_gold

_START = re.compile(rb'\s*\{\s*"kind"\s*:\s*"%s"' % KIND.encode())


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file begins with the settings of a monitor."""
    return _START.match(head) is not None


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
    on_missing: OnMissing = "error",  # noqa: ARG001
) -> Read:
    """Read the items of one monitor; a note says that they were looked at as they came."""
    refuse_gold(gold, "the file of a monitor holds scores and needs no gold")
    files = files_of(paths, recognises)
    if len(files) > 1:
        raise InvalidInputError(
            f"{len(files)} files of monitors were given", hint="a comparison reads one of them at a time"
        )
    from bestby.questions.monitor.monitor import evaluation_in  # every file is asked whether it is one

    evaluation = evaluation_in(files[0].path)
    return Read("items of a monitor", evaluation, metric="mean")
