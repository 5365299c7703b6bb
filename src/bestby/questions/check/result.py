"""What `check` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from bestby.report.reported import Drawn, Reported
from bestby.results.base import Note, Provenance


@dataclass(frozen=True, slots=True)
class CheckedColumn:
    """A column of the files.

    Parameters
    ----------
    name, part : str
        Its name, and the part that it plays, such as "item ids" or "gold"; empty if none is known.
    values : str
        What its values are: "0 and 1", "whole numbers", "numbers", "texts", "lists" or "distributions".
    n_distinct, n_missing, n_rows : int
        How many distinct values it has, how many rows have none, and how many rows there are.

    See Also
    --------
    FileCheck : Holds one per column.
    """

    name: str
    part: str
    values: str
    n_distinct: int
    n_missing: int
    n_rows: int


@dataclass(frozen=True, slots=True)
class ReadyCommand:
    """A question that the files answer, and the command that asks it.

    Parameters
    ----------
    question : str
        The question in words.
    command : str
        The whole command as it is typed.

    See Also
    --------
    FileCheck : Holds one per question.
    """

    question: str
    command: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in the files that may be off.

    Parameters
    ----------
    code : str
        A short, stable name, such as "same_inputs".
    message : str
        What was found, and what it means.
    p_value : float or None
        Of a finding that is a test: its p-value, corrected for all tests of the check. None for what was
        counted.

    See Also
    --------
    FileCheck : Holds what was found.
    """

    code: str
    message: str
    p_value: float | None = None


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A check that could not be made.

    Parameters
    ----------
    what, lacking : str
        What was to be checked, and what it takes that the files do not have.

    See Also
    --------
    FileCheck : Holds the checks that could not be made.
    """

    what: str
    lacking: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FileCheck(Drawn, Reported):
    """What files hold, which questions they answer, and what may be off.

    Parameters
    ----------
    files : tuple of str
        The files, as they were given.
    read_as : str
        What was taken for what; empty if no question about them can be answered.
    systems : tuple of str
        The systems on the test set; empty if the files hold no single one.
    n_items : int
        The items of the test set; 0 if there is none.
    columns : tuple of CheckedColumn
        The columns of tables, each once.
    commands : tuple of ReadyCommand
        The questions that the files answer, each with a command that works.
    findings : tuple of Finding
        What may be off.
    unchecked : tuple of Unchecked
        The checks that could not be made, and for lack of what.
    refusal : tuple of str
        If no question can be answered: why systems cannot be compared, and what to do.
    provenance : Provenance
        The files and the version of the package.

    See Also
    --------
    bestby.check : Makes it.
    """

    files: tuple[str, ...]
    read_as: str
    systems: tuple[str, ...]
    n_items: int
    columns: tuple[CheckedColumn, ...]
    commands: tuple[ReadyCommand, ...]
    findings: tuple[Finding, ...]
    unchecked: tuple[Unchecked, ...]
    refusal: tuple[str, ...]
    provenance: Provenance

    kind: ClassVar[str] = "check"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.check import report

        return report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.check.report import draw

        return draw

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was found, as notes."""
        return tuple(Note(one.code, one.message) for one in self.findings)
