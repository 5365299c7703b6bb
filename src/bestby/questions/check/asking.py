"""Which commands the files answer: each is asked quickly, and what its error says of columns is followed."""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bestby._core.cached import cached_property
from bestby._core.errors import BestbyError, InvalidInputError
from bestby.cli.commands import answer, values_of
from bestby.data.evaluation import Evaluation
from bestby.data.roles import REPETITION_WORDS, quantities

MOST_WORDS = 40
"""Words of options up to which the hints of errors are followed."""

FOLLOWED = (
    "--gold", "--item", "--value-column", "--system-column", "--run", "--dataset", "--fold", "--repetition",
    "--ignore", "--on-missing", "--metric", "--a", "--b",
)  # fmt: skip
"""The options of hints that say only how the files are to be read, and by which metric."""

OF_ROWS = {
    *REPETITION_WORDS,
    *("system", "dataset", "task", "fold", "judge", "human", "winner", "cluster", "stratum"),
}
"""Columns that say what a row is of: no hint to leave one out is followed, and none is a system."""

TEXT_METRIC = "chrf"
"""The metric by which texts are compared: it reads short and long ones, of any language."""

_SETTING = re.compile(r"(--[\w-]+) ('[^']*'|\"[^\"]*\"|[^\s,;:]+)")
_ALTERNATIVES = re.compile(r"; (?:or )?|, or ")


class Question(NamedTuple):
    """A question of files: its text, its command, what is always typed, and what makes the answer quick."""

    text: str
    command: str
    typed: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its command."""
        return tuple(self.command.split())


_PLAIN = ("--interval", "none", "--test", "none")
_FEW = ("--resamples", "99")

COMPARE = Question("Which system is best on one test set?", "compare", quick=_PLAIN)
EVALUATE = Question("How good is the system?", "evaluate", quick=("--interval", "none"))
OF_REPEATS = (
    Question("Which is best over several runs?", "runs", quick=_PLAIN),
    Question("Which is best over several datasets?", "datasets", quick=_PLAIN),
    Question("Which is best in cross-validation?", "folds", quick=("--test", "none")),
)
FACETS = Question("Which is best for other prompts, seeds and items like these?", "facets", quick=_FEW)
OF_JUDGES = (
    Question("Which answers do judges prefer?", "preferences", quick=_PLAIN),
    Question(
        "Which is best by a judge and human labels, if chance chose the labelled items?",
        "judged compare",
        ("--labels-drawn", "random"),
        _FEW,
    ),
)
AGREEMENT = Question("How far do the annotators agree?", "agreement")
GATE = Question("May the second system take the place of the first?", "gate", ("--margin", "0.01"), _FEW)
FRONTIER = Question("Which systems may be worth their cost?", "frontier", quick=_FEW)
ATTEMPTS = Question("Which is better if k answers to each item are drawn, for every k?", "attempts")
SLICES = Question("Where does one system do better?", "slices", quick=_FEW)
PLAN = Question("How many items would show the difference?", "plan", ("--power", "0.8", "--formula"))
ADVISE = Question("Which test and interval fit, and why?", "advise")


@dataclass(frozen=True)
class Asked:
    """A question that files answer: what is typed, the values of the command, and its quick answer."""

    question: Question
    files: tuple[str, ...]
    options: tuple[str, ...]
    values: Any
    result: Any

    @property
    def typed(self) -> str:
        """The command as it is typed."""
        return shlex.join(["bestby", *self.question.words, *self.files, *self.options])

    def option(self, name: str) -> list[str]:
        """Return the values that an option has."""
        pairs = zip(self.options, self.options[1:], strict=False)
        return [value for option, value in pairs if option == name]

    @cached_property
    def evaluation(self) -> Evaluation | None:
        """The systems that a question about one test set was asked of."""
        from bestby.cli.inputs import read_evaluation

        try:
            return read_evaluation(self.values)[0]
        except BestbyError:  # what only the command may read
            return None

    def predicts_texts(self, name: str) -> bool:
        """Return whether what is called so are predictions that are texts, and no quantities."""
        systems = {} if self.evaluation is None else self.evaluation.systems
        return name in systems and isinstance(systems[name][0], str)


def ask(question: Question, files: Sequence[str], options: Sequence[str] = ()) -> Asked:
    """Ask a question, with what the hints of its errors say of columns, until it is answered.

    Raises the last error where that leads to no answer, with the options that led to it.
    """
    files, options = list(files), [*question.typed, *options]
    n_typed = len(options)
    while True:
        try:
            return _asked(question, files, options)
        except BestbyError as error:
            found = _proposed(error.hint or "")
            again = any(one in options and one != "--ignore" for one, _ in found)
            if not found or again or len(options) >= MOST_WORDS:
                followed = shlex.join(options[n_typed:])
                error.message = f"with {followed}: {error.message}" if followed else error.message
                error.hint = (error.hint or "").replace(f" {shlex.join(question.quick)}", "")
                raise
            for option, value in found:
                options += [option, value]
                if option == "--gold" and value in files:
                    files.remove(value)


def _asked(question: Question, files: Sequence[str], options: Sequence[str]) -> Asked:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = values_of(question.words, [*files, *options])
        result = answer(question.words, values_of(question.words, [*files, *options, *question.quick]))
    asked = Asked(question, tuple(files), tuple(options), values, result)
    names = system_names(result)
    odd = [name for name in names if name.lower() in OF_ROWS]
    if odd or (odd := [name for name in quantities(names) if not asked.predicts_texts(name)]):
        raise InvalidInputError(
            f"column {odd[0]!r} is no system", f"leave it out: --ignore {shlex.quote(odd[0])}"
        )
    return asked


def system_names(result: Any) -> list[str]:
    """Return the systems that a result is about."""
    return [str(getattr(one, "system", one)) for one in getattr(result, "systems", ())]


def _proposed(hint: str) -> list[tuple[str, str]]:
    """Return the options with values that the first part of a hint proposes which may be followed.

    >>> _proposed("name the columns: --item input and --value-column score; or leave it out: --ignore model")
    [('--item', 'input'), ('--value-column', 'score')]
    >>> _proposed("name it: --gold ..., or leave this column out: --ignore seed")
    []
    """
    for part in _ALTERNATIVES.split(hint):
        settings = [(option, shlex.split(value)[0]) for option, value in _SETTING.findall(part)]
        if settings and all(_may_be_followed(*one) for one in settings):
            return settings
    return []


def _may_be_followed(option: str, value: str) -> bool:
    is_said = "..." not in value
    return option in FOLLOWED and is_said and not (option == "--ignore" and value.lower() in OF_ROWS)
