"""The command line: one module per command; parse, call, print."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
import typer.main

from bestby._version import __version__
from bestby.cli.advise import advise
from bestby.cli.compare import compare
from bestby.cli.datasets import datasets
from bestby.cli.errors import reported
from bestby.cli.folds import folds
from bestby.cli.interrupts import after_imports
from bestby.cli.metrics import metrics
from bestby.cli.plan import plan
from bestby.cli.preferences import preferences
from bestby.cli.runs import runs
from bestby.cli.study import study

__all__ = ["app", "main"]

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
        typer.echo(f"bestby {__version__}")
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


def main(arguments: Sequence[str] | None = None) -> int:
    r"""Run the command line and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments; those of the process by default.

    Returns
    -------
    int
        0; 2 for bad input or bad usage; 130 when interrupted; 1 when the reader of the output has gone.
    """
    given = None if arguments is None else list(arguments)
    with reported(lambda: _options(sys.argv[1:] if given is None else given)) as status, after_imports():
        code = app(args=given, prog_name="bestby", standalone_mode=False)
        status.code = code if isinstance(code, int) else 0
        sys.stdout.flush()
    if status.code == status.PIPE:
        # What is left in the buffer has nowhere to go; without this the interpreter complains as it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status.code


def _options(given: Sequence[str]) -> set[str]:
    """Return the options of the command that the arguments name.

    Examples
    --------
    >>> "--jobs" in _options(["study", "run", "s"]), "--jobs" in _options(["study", "add", "s"])
    (True, False)
    """
    command: Any = typer.main.get_command(app)
    for word in given:
        command = getattr(command, "commands", {}).get(word, command)
    return {name for parameter in command.params for name in parameter.opts}
