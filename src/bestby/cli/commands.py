"""All commands, each loaded when it is called, and how one of them is run."""

from __future__ import annotations

import importlib
import inspect
import shlex
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
import typer.core
import typer.main

from bestby._core.errors import BestbyError, InvalidInputError, OtherQuestionError
from bestby._core.paths import exists, user_path
from bestby._version import __version__
from bestby.cli import streams
from bestby.cli.errors import fail, in_options, repeat_hint, reported
from bestby.cli.inputs import with_stdin
from bestby.cli.options import CLICK_ERROR, WIDEST, command, set_options, spellings, write_options, write_rows

__all__ = ["app", "run"]

# fmt: off
REGISTRY = {
    "check": ("bestby.questions.check.command", "Look at files: what they hold, which commands answer it, and what is off."),
    "compare": ("bestby.questions.items.command", "Compare systems on one test set: differences, intervals, tests."),
    "evaluate": ("bestby.questions.items.command", "Give the scores of one system or several with their intervals; nothing is tested."),
    "gate": ("bestby.questions.gate.command", "Decide whether a candidate is good enough to take the place of a baseline."),
    "frontier": ("bestby.questions.frontier.command", "Find the systems that may be worth their cost: quality beside money, time or tokens."),
    "attempts": ("bestby.questions.attempts.command", "Compare systems for every number of attempts: pass@k or pass^k over all k."),
    "datasets": ("bestby.questions.datasets.command", "Compare systems over several datasets: on how many they differ, how they rank."),
    "slices": ("bestby.questions.slices.command", "Compare systems in every slice of a test set: by language, by length, by both."),
    "folds": ("bestby.questions.folds.command", "Compare systems by cross-validation: corrected tests, spread over repetitions."),
    "runs": ("bestby.questions.runs.command", "Compare systems by several runs (random seeds) of each."),
    "facets": ("bestby.questions.facets.command", "Compare systems over prompts, seeds, judges and items, of which others could be drawn."),
    "published": ("bestby.questions.published.command", "Compare a system with a published score whose predictions are not known."),
    "preferences": ("bestby.questions.preferences.command", "Compare systems by judgements of which of two was better."),
    "judged plan": ("bestby.questions.planning.judged_command", "Plan the number of human labels beside a judge, or of both for a budget."),
    "judged choose": ("bestby.questions.labels.command", "Draw the items that people are to label, with their probabilities of being drawn."),
    "judged compare": ("bestby.questions.judged.command", "Compare systems by the scores of a judge, corrected by a few human labels."),
    "agreement": ("bestby.questions.agreement.command", "Measure how far annotators agree: all coefficients, every two, without each of them."),
    "watch": ("bestby.questions.monitor.command", "Watch a log of scores as it grows, and say when enough is known to stop."),
    "plan": ("bestby.questions.planning.command", "Plan a study: its power, the size it needs, or the smallest difference it detects."),
    "advise": ("bestby.questions.advice.command", "Advise which test and which interval fit an experiment, and explain why."),
    "metrics": ("bestby.cli.metrics", "List the metrics: name, whether higher or lower is better, what it measures."),
    "cite": ("bestby.cli.cite", "Print the works behind the methods as BibTeX, or how to report a result."),
    "skill": ("bestby.cli.skill", "Print what an agent must know to use bestby, as a SKILL.md."),
    "study add": ("bestby.questions.study.command", "Add a run; it is on the disk when the command ends."),
    "study run": ("bestby.questions.study.command", "Compare every treatment with its baselines; without a baseline, every two conditions."),
    "study list": ("bestby.questions.study.command", "List the runs."),
    "study remove": ("bestby.questions.study.command", "Remove runs."),
    "study import": ("bestby.questions.study.command", "Add the experiments of an outcomes.json of BooStSa."),
    "study export": ("bestby.questions.study.command", "Write the study as an outcomes.json that BooStSa loads."),
    "board init": ("bestby.boards.command", "Make a board from a gold."),
    "board check": ("bestby.boards.command", "Check predictions before they are submitted; the gold is not needed."),
    "board submit": ("bestby.boards.command", "Add a submission; it is on the disk when the command ends."),
    "board withdraw": ("bestby.boards.command", "Take a submission out of the tables; its line in the record stays."),
    "board end": ("bestby.boards.command", "End a phase, or take its end back."),
    "board correct": ("bestby.boards.command", "Give the board a corrected gold; the results by the old one stay beside the new ones."),
    "board list": ("bestby.boards.command", "List the submissions."),
    "board publish": ("bestby.boards.command", "Write the site of the board, all of it or nothing."),
    "board verify": ("bestby.boards.command", "Compute every published number anew, and compare the board with its record."),
    "board import": ("bestby.boards.command", "Make a board of the results of an existing leaderboard."),
    "board export": ("bestby.boards.command", "Write the predictions of the systems that are shown as one table."),
}
# fmt: on
"""Every command: its module, where a function has its name and a record its options; its line of help."""


class Judged:
    """Compare systems by a judge and a few human labels: plan, choose, compare.

    \b
    Examples:
      bestby judged plan --sd .5 --correlation .8 --judged-items 5000 --margin .04
      bestby judged choose scores.csv --n 100 --csv to_label.csv
      bestby judged compare judged.csv --labels-drawn random
    """  # noqa: D301 - \b keeps the lines of the examples apart


class Study:
    """Keep the runs of experiments in a directory, and compare them as it grows.

    A study has one gold; its conditions are baselines or treatments, with one or more runs each.

    \b
    Examples:
      bestby study add s h0 --run 0 --predictions h0.txt --gold y.txt --baseline
      bestby study add s h1 --run 0 --predictions h1.txt --epochs 10
      bestby study run s --metric f1_macro --html report.html
    """  # noqa: D301 - \b keeps the lines of the examples apart


class Board:
    """Keep a shared task or a benchmark in a folder, and publish it as a static site.

    The gold of a board is hidden, its submissions are predictions, and every change is a line of its record.

    \b
    Examples:
      bestby board init gold.csv --board task --title "Our task" --metric f1_macro
      bestby board check predictions.csv --board task
      bestby board submit predictions.csv --board task --team ours --system bert
      bestby board publish site --board task
    """  # noqa: D301 - \b keeps the lines of the examples apart


GROUPS = {group.__name__.lower(): inspect.cleandoc(str(group.__doc__)) for group in (Judged, Study, Board)}
"""The help of the commands that have commands of their own; its first line stands beside their names."""


class _Group(typer.core.TyperGroup):
    """A group whose commands are made when they are looked up."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words that a call of its commands begins with, beside the name of the program."""
        return (str(self.name),) if self.name in GROUPS else ()

    @property
    def helps(self) -> dict[str, str]:
        """The names of its commands with their lines of help."""
        every = {tuple(key.split()): line for key, (_, line) in REGISTRY.items()}
        if self.words:
            return {name[1]: line for name, line in every.items() if name[:-1] == self.words}
        return {name: GROUPS[name].partition("\n")[0] if name in GROUPS else every[(name,)] for name in _TOP}

    def list_commands(self, ctx: Any) -> list[str]:
        del ctx
        return list(self.helps)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        del ctx
        if cmd_name in GROUPS and not self.words:
            return _Group(
                name=cmd_name, context_settings=_SETTINGS, rich_markup_mode=None, help=GROUPS[cmd_name]
            )
        self.commands.update(dict.fromkeys(self.helps))  # type: ignore[arg-type]  # names to suggest
        return _load((*self.words, cmd_name), self.helps[cmd_name]) if cmd_name in self.helps else None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not self.words:
            if args[:1] == ["help"]:
                args = [*args[1:], "--help"]
            if (renamed := _renamed(args)) is not None:
                fail(ctx, *renamed)
            if args and args[0] not in self.helps and _is_file(args[0]):
                args = ["check", *args]
        # Who types `bestby` alone asks what there is: that is no error.
        return super().parse_args(ctx, args or ["--help"])

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_rows("Commands", list(self.helps.items()), formatter)
        write_options(self, ctx, formatter)


_TOP = tuple(dict.fromkeys(key.split()[0] for key in REGISTRY))


def _is_file(word: str) -> bool:
    """Tell whether a word names what is there, perhaps after the name of a system, or ends as a file does."""
    return (bool(Path(word).suffix) and word[0] != "-") or any(
        exists(user_path(one)) for one in (word, word.partition("=")[2]) if one
    )


def _renamed(arguments: list[str]) -> tuple[str, str] | None:
    """Return what a call of a command of old is called now, and the call with its new name."""
    command, first, *_ = [*arguments, "", ""]
    rest = [one for one in arguments[1:] if command != "plan" or one != "--labels"]
    if command == "choose":
        old, new = "choose", "judged choose"
    elif command == "plan" and rest != arguments[1:]:
        old, new = "plan --labels", "judged plan"
    elif command == "judged" and first not in _HELP and (first.startswith("-") or Path(first).suffix):
        old, new = "judged FILE", "judged compare"
    else:
        return None
    return f"'bestby {old}' is called 'bestby {new}' now", shlex.join(["bestby", *new.split(), *rest])


def record_of(words: tuple[str, ...]) -> type:
    """Return the record of the options of a command of some words, such as ``("study", "add")``."""
    module = importlib.import_module(REGISTRY[" ".join(words)][0])
    record: type = getattr(module, "".join(word.title() for word in words))
    return record


def all_words() -> list[tuple[str, ...]]:
    """Return the words of every command."""
    return [tuple(key.split()) for key in REGISTRY]


def arguments_of_all() -> set[str]:
    """Return the arguments of Python that are options of any command."""
    return {name for words in all_words() for name in spellings(record_of(words))}


def _load(words: tuple[str, ...], help: str) -> Any:
    """Return the command of some words, such as ``("study", "add")``, without what it imports to run."""

    def call(values: Any) -> None:
        with _errors_in_options(words, values):
            run_command = _function(words)
            with with_stdin(values) as complete, _forwarded(words, values, complete):
                if "progress" not in inspect.signature(run_command).parameters:
                    run_command(complete)
                else:
                    importlib.import_module("bestby.cli.outputs").write_result(run_command, complete)

    return command(words[-1], help, record_of(words), call)


@contextmanager
def _errors_in_options(words: tuple[str, ...], values: Any) -> Iterator[None]:
    """Write the arguments of Python that an error names as options of a command."""
    try:
        yield
    except BestbyError as error:
        if isinstance(error, OtherQuestionError):
            error.propose(shlex.join(["bestby", *_call_of(error.question, values)[0]]))
        error.hint = repeat_hint(values, error) or error.hint
        named = " ".join(("bestby", *words))
        raise in_options(error, spellings(type(values)), named, arguments_of_all()) from error


def _function(words: tuple[str, ...]) -> Any:
    """Return the function of a command, loaded with its module."""
    return getattr(importlib.import_module(REGISTRY[" ".join(words)][0]), "_".join(words))


def values_of(words: tuple[str, ...], arguments: Sequence[str]) -> Any:
    """Return the record of a command with the values that are typed."""
    filled: list[Any] = []
    parser = command(words[-1], "", record_of(words), filled.append)
    try:
        parser.main(args=[*arguments], prog_name=" ".join(("bestby", *words)), standalone_mode=False)
    except CLICK_ERROR as error:
        raise InvalidInputError(str(error)) from error
    return filled[0]


def answer(words: tuple[str, ...], values: Any) -> Any:
    """Return the result of a command, which prints and writes nothing.

    A command that ends with a status of its own has a function `answer` for this.
    """
    function = _function(words)
    with _errors_in_options(words, values):
        return getattr(importlib.import_module(function.__module__), "answer", function)(values, None)


@contextmanager
def _forwarded(words: tuple[str, ...], values: Any, complete: Any) -> Iterator[None]:
    """Run the command that the data of `bestby compare` are for, such as that of runs, and say so."""
    try:
        yield
    except OtherQuestionError as error:
        if words != ("compare",):
            raise
        call, unknown = _call_of(error.question, values)
        if unknown:
            hints = [f"leave {unknown[0]} out", *([] if error.otherwise is None else [error.otherwise])]
            raise InvalidInputError(
                f"{error.message}, and bestby {error.question} has no {unknown[0]}", hint="; or ".join(hints)
            ) from error
        message = error.message if values is complete else error.message.replace(complete.paths[0], "stdin")
        streams.print_stderr(f"{message}, so this is the answer of: {shlex.join(['bestby', *call])}")
        app(args=_call_of(error.question, complete)[0], prog_name="bestby", standalone_mode=False)


def _call_of(name: str, values: Any) -> tuple[list[str], list[str]]:
    """Return the call of a command with what is set for another, and the options that it does not have."""
    known = {option for options in spellings(record_of((name,))).values() for option in options}
    call, unknown = [name], []
    for one in set_options(values):
        several = [] if one.value is True else one.value if isinstance(one.value, list) else [one.value]
        if not one.option.startswith("-"):
            call += map(str, several)
        elif one.option not in known:
            unknown.append(one.option)
        else:
            call += [word for value in several for word in (one.option, str(value))] or [one.option]
    return call, unknown


_HELP = ["-h", "--help"]
_SETTINGS = {"help_option_names": _HELP, "max_content_width": WIDEST}

app = typer.Typer(
    name="bestby",
    cls=_Group,
    context_settings=_SETTINGS,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        streams.print_stdout(f"bestby {__version__}")
        raise typer.Exit


@app.callback()
def bestby(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Which system is best, by how much, and how sure.

    \b
    Examples:
      bestby compare predictions.csv --gold label
      bestby compare aen=aen.txt bert=bert.txt --gold gold.txt --metric f1_macro
      bestby help compare
    """  # noqa: D301 - \b keeps the lines of the examples apart


def run(arguments: Sequence[str] | None = None) -> int:
    """Do what `bestby.cli.main` does, interrupts apart."""
    words = None if arguments is None else list(arguments)
    streams.open_closed()
    with reported() as status, warnings.catch_warnings():
        warnings.showwarning = _show_warning
        code = app(args=words, prog_name="bestby", standalone_mode=False)
        status.code = code if isinstance(code, int) else 0
        sys.stdout.flush()
    return status.code


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning of a library as one line, without the place in the code that it comes from."""
    del category, filename, lineno, file, line
    streams.print_stderr(f"warning: {message}")
