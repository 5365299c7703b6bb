"""What keeps the gold out of messages: whatever reads it runs in here."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from bestby._core.errors import BoardError

SHOW_VARIABLE = "BESTBY_BOARD_SHOW_ERRORS"
"""The environment variable by which an organiser sees what went wrong, where nobody else reads it."""


@contextmanager
def sealed(doing: str) -> Iterator[None]:
    """Turn every error inside into one that says what was being done and nothing else; hide warnings.

    The errors of boards pass, as their texts quote nothing of the gold and of submissions, but not what they
    arose from.
    """
    if os.environ.get(SHOW_VARIABLE):
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except BoardError as error:
            raise error from None  # without the error that it arose from, whose text is not known
        except Exception as error:  # an error of any kind may quote the gold, and logs are often public
            raise BoardError(
                f"cannot {doing}: {type(error).__name__}; its text may tell of the gold and is not shown",
                hint=f"set {SHOW_VARIABLE}=1 and do it again where nobody else reads the output",
            ) from None
