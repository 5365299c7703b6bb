"""All commands, each loaded when it is called, and how one of them is run."""

from __future__ import annotations

import importlib
import inspect
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, ClassVar, TextIO

import typer
import typer.core
import typer.main

from bestby._core.errors import BestbyError, InvalidInputError
from bestby._core.paths import exists, user_path
from bestby._version import __version__
from bestby.cli import streams
from bestby.cli.errors import CLICK_ERROR, in_options, repeat_hint, reported
from bestby.cli.inputs import with_stdin
from bestby.cli.options import WIDEST, command, spellings, write_options, write_rows

__all__ = ["app", "run"]

# fmt: off
REGISTRY = {
    "check": ("bestby.questions.check.command", "Look at files: what they hold, which commands answer it, and what is off."),
    "compare": ("bestby.questions.items.command", "Compare systems on one test set: differences, intervals, tests."),
    "evaluate": ("bestby.questions.items.evaluate_command", "Give the scores of one system or several with their intervals; nothing is tested."),
    "gate": ("bestby.questions.gate.command", "Decide whether a candidate is good enough to take the place of a baseline."),
    "datasets": ("bestby.questions.datasets.command", "Compare systems over several datasets: on how many they differ, how they rank."),
    "slices": ("bestby.questions.slices.command", "Compare systems in every slice of a test set: by language, by length, by both."),
    "folds": ("bestby.questions.folds.command", "Compare systems by cross-validation: corrected tests, spread over repetitions."),
    "runs": ("bestby.questions.runs.command", "Compare systems by several runs (random seeds) of each."),
    "published": ("bestby.questions.published.command", "Compare a system with a published score whose predictions are not known."),
    "preferences": ("bestby.questions.preferences.command", "Compare systems by judgements of which of two was better."),
    "watch": ("bestby.questions.monitor.command", "Watch a log of scores as it grows, and say when enough is known to stop."),
    "judged": ("bestby.questions.judged.command", "Compare systems by the scores of a judge, corrected by a few human labels."),
    "metrics": ("bestby.cli.metrics", "List the metrics: name, whether higher or lower is better, what it measures."),
    "choose": ("bestby.questions.labels.command", "Draw the items that people are to label, with their probabilities of being drawn."),
    "plan": ("bestby.questions.planning.command", "Plan a study: its power, the size it needs, or the smallest difference it detects."),
    "advise": ("bestby.questions.advice.command", "Advise which test and which interval fit an experiment, and explain why."),
    "cite": ("bestby.cli.cite", "Print the works behind the methods as BibTeX, or how to report a result."),
    "study": ("bestby.questions.study.command", "Keep the runs of experiments in a directory, and compare them as it grows."),
    "board": ("bestby.boards.command", "Keep a shared task or a benchmark in a folder, and publish it as a static site."),
}
# fmt: on
"""Every command: its module, where a function has its name and a record its options; its line of help."""

COMMANDS = {name: line for name, (_, line) in REGISTRY.items()}

STUDY = {
    "add": "Add a run; it is on the disk when the command ends.",
    "run": "Compare every treatment with its baselines; without a baseline, every two conditions.",
    "list": "List the runs.",
    "remove": "Remove runs.",
    "import": "Add the experiments of an outcomes.json of BooStSa.",
    "export": "Write the study as an outcomes.json that BooStSa loads.",
}

BOARD = {
    "init": "Make a board from a gold.",
    "check": "Check predictions before they are submitted; the gold is not needed.",
    "submit": "Add a submission; it is on the disk when the command ends.",
    "withdraw": "Take a submission out of the tables; its line in the record stays.",
    "end": "End a phase, or take its end back.",
    "correct": "Give the board a corrected gold; the results by the old one stay beside the new ones.",
    "list": "List the submissions.",
    "publish": "Write the site of the board, all of it or nothing.",
    "verify": "Compute every published number anew, and compare the board with its record.",
    "import": "Make a board of the results of an existing leaderboard.",
    "export": "Write the predictions of the systems that are shown as one table.",
}


class _Group(typer.core.TyperGroup):
    """A group whose commands are made when they are looked up; `helps` are their names and lines of help."""

    words: ClassVar[tuple[str, ...]] = ()
    helps: ClassVar[Mapping[str, str]] = COMMANDS

    def list_commands(self, ctx: Any) -> list[str]:
        del ctx
        return list(self.helps)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        del ctx
        if cmd_name in _GROUPS and not self.words:
            return _GROUPS[cmd_name]
        self.commands.update(dict.fromkeys(self.helps))  # type: ignore[arg-type]  # names to suggest
        return _load((*self.words, cmd_name), self.helps[cmd_name]) if cmd_name in self.helps else None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and not self.words and args[0] not in self.helps and _is_file(args[0]):
            args = ["check", *args]
        # Who types `bestby` alone asks what there is: that is no error.
        return super().parse_args(ctx, args or ["--help"])

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_rows("Commands", list(self.helps.items()), formatter)
        write_options(self, ctx, formatter)


def _is_file(word: str) -> bool:
    """Tell whether a word names what is there, perhaps after the name of a system."""
    return any(exists(user_path(one)) for one in (word, word.partition("=")[2]) if one)


class _Study(_Group):
    words = ("study",)
    helps = STUDY


class _Board(_Group):
    words = ("board",)
    helps = BOARD


def record_of(words: tuple[str, ...]) -> type:
    """Return the record of the options of a command of some words, such as ``("study", "add")``."""
    module = importlib.import_module(REGISTRY[words[0]][0])
    record: type = getattr(module, "".join(word.title() for word in words))
    return record


def all_words() -> list[tuple[str, ...]]:
    """Return the words of every command."""
    single = [(name,) for name in COMMANDS if name not in _GROUPS]
    return [*single, *((name, word) for name, group in _GROUPS.items() for word in group.helps)]


def arguments_of_all() -> set[str]:
    """Return the arguments of Python that are options of any command."""
    return {name for words in all_words() for name in spellings(record_of(words))}


def _load(words: tuple[str, ...], help: str) -> Any:
    """Return the command of some words, such as ``("study", "add")``, without what it imports to run."""

    def call(values: Any) -> None:
        with _errors_in_options(words, values):
            run_command = getattr(importlib.import_module(REGISTRY[words[0]][0]), "_".join(words))
            with with_stdin(values) as complete:
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
        error.hint = repeat_hint(values, error) or error.hint
        named = " ".join(("bestby", *words))
        raise in_options(error, spellings(type(values)), named, arguments_of_all()) from error


def values_of(name: str, arguments: Sequence[str]) -> Any:
    """Return the record of a command with the values that are typed."""
    filled: list[Any] = []
    parser = command(name, "", record_of((name,)), filled.append)
    try:
        parser.main(args=[*arguments], prog_name=f"bestby {name}", standalone_mode=False)
    except CLICK_ERROR as error:
        raise InvalidInputError(str(error)) from error
    return filled[0]


def answer(name: str, values: Any) -> Any:
    """Return the result of a command, which prints and writes nothing.

    A command that ends with a status of its own has a function `answer` for this.
    """
    module = importlib.import_module(REGISTRY[name][0])
    with _errors_in_options((name,), values):
        return getattr(module, "answer", getattr(module, name))(values, None)


_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": WIDEST}

app = typer.Typer(
    name="bestby",
    cls=_Group,
    context_settings=_SETTINGS,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
_GROUPS = {
    "study": _Study(
        name="study",
        context_settings=_SETTINGS,
        rich_markup_mode=None,
        help=f"""{COMMANDS["study"]}

A study has one gold; its conditions are baselines or treatments, with one or more runs each.

\b
Examples:
  bestby study add s h0 --run 0 --predictions h0.txt --gold y.txt --baseline
  bestby study add s h1 --run 0 --predictions h1.txt --epochs 10
  bestby study run s --metric f1_macro --html report.html
""",
    ),
    "board": _Board(
        name="board",
        context_settings=_SETTINGS,
        rich_markup_mode=None,
        help=f"""{COMMANDS["board"]}

The gold of a board is hidden, its submissions are predictions, and every change is a line of its record.

\b
Examples:
  bestby board init gold.csv --board task --title "Our task" --metric f1_macro
  bestby board check predictions.csv --board task
  bestby board submit predictions.csv --board task --team ours --system bert
  bestby board publish site --board task
""",
    ),
}


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
      bestby metrics
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
