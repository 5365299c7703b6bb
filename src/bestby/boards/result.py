"""What the methods of a board return: checks, receipts, what was published and verified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bestby._core.text import counted


@dataclass(frozen=True, slots=True)
class SubmissionCheck:
    """That files can be submitted to a board: their ids and values are those that its tasks ask for.

    Parameters
    ----------
    n_items : mapping of str to int
        The items of each task that was checked.
    labels : mapping of str to mapping of str to int
        How often each label is predicted, by task; empty for numbers and texts.
    n_absent : mapping of str to int
        The items of each task without a prediction.
    costs : tuple of str
        The columns of the files that have what each item costs.

    See Also
    --------
    bestby.Board.check : Makes it, or raises an error that says what is wrong.
    """

    n_items: Mapping[str, int]
    labels: Mapping[str, Mapping[str, int]]
    n_absent: Mapping[str, int] = field(default_factory=dict)
    costs: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = []
        for task, number in self.n_items.items():
            counts = self.labels.get(task, {})
            shown = [f"{label} {count}" for label, count in list(counts.items())[:_MOST]]
            more = [f"and {len(counts) - _MOST} more labels"] if len(counts) > _MOST else []
            in_words = f"; {', '.join(shown + more)}" if counts else ""
            gone = self.n_absent.get(task)
            without = f", {gone} without a prediction" if gone else ""
            lines.append(f"{task}: {counted(number, 'item')}{without}{in_words}")
        return "\n".join([*lines, *([f"costs of each item: {', '.join(self.costs)}"] if self.costs else [])])


_MOST = 12


@dataclass(frozen=True, slots=True)
class SubmissionReceipt:
    """A submission as the record of a board has it.

    Parameters
    ----------
    number : int
        The number of its line in the record, by which it can be withdrawn.
    time : str
        When it was recorded, in UTC.
    team, system, run : str
        Its names; `run` is empty if the system has one run only.
    phase : str
        The phase it belongs to.
    files : mapping of str to str
        The SHA-256 of its predictions, by task.
    paper, code : str
        Links that its pages show; empty without.
    costs : mapping of str to float or None
        What the system costs, by the names of the costs; None where its files have a column of this name.
    state : {"in force", "replaced", "withdrawn"}
        Whether it stands in the tables of its phase.
    is_new : bool
        False if the same had been submitted before, so that nothing was added.

    See Also
    --------
    bestby.Board.submit, bestby.Board.submissions : Return them.
    """

    number: int
    time: str
    team: str
    system: str
    run: str
    phase: str
    files: Mapping[str, str]
    paper: str = ""
    code: str = ""
    costs: Mapping[str, float | None] = field(default_factory=dict)
    state: str = "in force"
    is_new: bool = True

    def __str__(self) -> str:
        run = f", run {self.run}" if self.run else ""
        return f"submission {self.number}: {self.team}/{self.system}{run}, phase {self.phase}, {self.time}"


@dataclass(frozen=True, slots=True)
class Publication:
    """A site that was published.

    Parameters
    ----------
    site : Path
        Its folder.
    as_of : str
        The moment that its pages describe, in UTC.
    n_files, n_changed : int
        The files of the site, and how many of them are new or were changed.

    See Also
    --------
    bestby.Board.publish : Makes it.
    """

    site: Path
    as_of: str
    n_files: int
    n_changed: int

    def __str__(self) -> str:
        return f"{self.site}: {counted(self.n_files, 'file')} as of {self.as_of}, {self.n_changed} changed"


@dataclass(frozen=True, slots=True)
class Verification:
    """What a verification of a board found.

    Parameters
    ----------
    findings : tuple of str
        What is not as it should be, a sentence each.
    n_lines, n_submissions, n_files : int
        How many lines of the record, submissions and files of the site were verified.
    remarks : tuple of str
        What is to be known and makes nothing unsound, such as a record that is ahead of the clock.

    See Also
    --------
    bestby.Board.verify : Makes it.
    """

    findings: tuple[str, ...]
    n_lines: int
    n_submissions: int
    n_files: int = 0
    remarks: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether everything is as it should be."""
        return not self.findings

    def __str__(self) -> str:
        lines, submissions = counted(self.n_lines, "line"), counted(self.n_submissions, "submission")
        seen = f"{lines}, {submissions}, {counted(self.n_files, 'file')} of the site"
        last = f"verified: {seen}" if self.sound else f"{counted(len(self.findings), 'finding')} in {seen}"
        return "\n".join([*self.findings, *self.remarks, last])
