"""The errors a user can meet; each says what must hold, what came, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bestby._core.text import one_line


class BestbyError(Exception):
    """Base of every error raised on purpose.

    Message and hint are one line each: line feeds become spaces, control characters are escaped.

    Parameters
    ----------
    message : str
        What must hold, what came, and where.
    hint : str, optional
        What to do about it; printed on a line of its own.
    argument : str, optional
        The argument that is wrong, if it is one; the command line shows it as its option.
    """

    def __init__(self, message: str, hint: str | None = None, argument: str | None = None) -> None:
        self.argument = argument
        self.message = one_line(message)
        self.hint = None if hint is None else one_line(hint)
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"


class InvalidInputError(BestbyError, ValueError):
    """The data or an argument cannot be used as given."""


class UnknownKeywordError(InvalidInputError, TypeError):
    """A function has no parameter of this name."""


class UnknownAttributeError(BestbyError, AttributeError):
    """A result has no attribute of this name."""


class WrongCallError(InvalidInputError, TypeError):
    """A function is called with too many arguments, with one of them twice, or without one that it needs."""


class MissingValueError(InvalidInputError):
    """A value is missing where there must be one."""


class OtherQuestionError(InvalidInputError):
    """The data are those of another comparison; the hint is the call of it, or what else to do.

    `question` is "runs", "facets", "datasets" or "folds", and `data` how the data are written in the call.
    """

    def __init__(self, message: str, question: str, data: str, otherwise: str | None = None) -> None:
        self.question, self.data, self.otherwise = question, data, otherwise
        super().__init__(message)
        self.propose(f"bestby.compare_{question}({data})")

    def propose(self, call: str) -> None:
        """Give another form of the call."""
        self.hint = call if self.otherwise is None else f"{call}; or {self.otherwise}"


class DesignError(BestbyError, ValueError):
    """The data can be read, but the comparison makes no sense with them."""


class StudyError(BestbyError):
    """The files of a study cannot be written, or have changed since they were written."""


class BoardError(BestbyError):
    """The files of a board cannot be written, or have changed since they were written."""


class GateFailedError(BestbyError, AssertionError):
    """A gate did not pass; the message says which checks, by how much, and how sure that is."""


class ExecutorError(BestbyError, RuntimeError):
    """An executor failed or accepts no work, so that its results are missing."""


class MissingExtraError(BestbyError, ImportError):
    """An optional dependency is needed and not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} is not installed", hint=f"pip install 'bestby[{extra}]'")


@contextmanager
def within(where: str | None) -> Iterator[None]:
    """Say of an error in which part of the data it arose, if the part has a name."""
    try:
        yield
    except BestbyError as error:
        if where:
            error.message = f"{where}: {error.message}"
            error.args = (error.message,)
        raise
