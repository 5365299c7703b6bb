"""The errors that users catch."""

from bestby._core.errors import (
    BestbyError,
    BoardError,
    DesignError,
    ExecutorError,
    GateFailedError,
    InvalidInputError,
    MissingExtraError,
    StudyError,
)

__all__ = [
    "BestbyError",
    "BoardError",
    "DesignError",
    "ExecutorError",
    "GateFailedError",
    "InvalidInputError",
    "MissingExtraError",
    "StudyError",
]
