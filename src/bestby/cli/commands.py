"""All commands, and how one of them is run."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any, TextIO

import typer
import typer.main

from bestby._version import __version__
from bestby.cli import streams
from bestby.cli.advise import advise
from bestby.cli.compare import compare
from bestby.cli.datasets import datasets
from bestby.cli.errors import reported
from bestby.cli.evaluate import evaluate
from bestby.cli.folds import folds
from bestby.cli.metrics import metrics
from bestby.cli.plan import plan
from bestby.cli.preferences import preferences
from bestby.cli.runs import runs
from bestby.cli.study import study

__all__ = ["app", "run"]

# Help is plain text of one width: quick, and the same in a terminal, a pipe and the documentation.
app = typer.Typer(
    name="bestby",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "terminal_width": 100},
)
app.command()(compare)
app.command()(evaluate)
app.command()(datasets)
app.command()(folds)
app.command()(runs)
app.command()(preferences)
app.command()(metrics)
app.command()(plan)
app.command()(advise)
app.add_typer(study, name="study")


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
    given = None if arguments is None else list(arguments)
    streams.open_closed()
    with (
        reported(lambda: _options(sys.argv[1:] if given is None else given)) as status,
        warnings.catch_warnings(),
    ):
        warnings.showwarning = _warned
        code = app(args=given, prog_name="bestby", standalone_mode=False)
        status.code = code if isinstance(code, int) else 0
        sys.stdout.flush()
    return status.code


def _warned(
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


def _options(given: Sequence[str]) -> set[str]:
    """Return the options of the command that the arguments name.

    >>> "--jobs" in _options(["study", "run", "s"]), "--jobs" in _options(["study", "add", "s"])
    (True, False)
    """
    command: Any = typer.main.get_command(app)
    for word in given:
        command = getattr(command, "commands", {}).get(word, command)
    return {name for parameter in command.params for name in parameter.opts}
