"""Errors as two lines on stderr and an exit status, never a traceback."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import typer

from bestby._core.errors import BestbyError

# Typer brings its own copy of click or uses the installed one, depending on its version; the class of all
# its errors is a base of one that it always exports.
_CLICK_ERROR: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


_HELP = "bestby COMMAND --help tells what each option takes"
"""For errors that say all there is to say: bad input is two lines always."""


class Status:
    """The exit status of the process.

    Attributes
    ----------
    code : int
        0 until something happens.
    """

    INPUT: ClassVar[int] = 2
    INTERRUPTED: ClassVar[int] = 130
    PIPE: ClassVar[int] = 1

    def __init__(self) -> None:
        self.code = 0


@contextmanager
def reported() -> Iterator[Status]:
    """Run what is inside; report what goes wrong on stderr and keep the exit status."""
    status = Status()
    try:
        yield status
    except BestbyError as error:
        status.code = Status.INPUT
        _say(type(error).__name__, error.message, error.hint or _HELP)
    except typer.Exit as stop:
        status.code = stop.exit_code
    except (KeyboardInterrupt, typer.Abort):
        status.code = Status.INTERRUPTED
    except BrokenPipeError:
        status.code = Status.PIPE
    except OSError as error:  # a full disk under stdout, for example
        status.code = Status.INPUT
        _say("OSError", str(error), None)
    except _CLICK_ERROR as error:
        status.code = Status.INPUT
        _say_usage(error)


def _say_usage(error: Any) -> None:
    if type(error).__name__ == "NoArgsIsHelpError":  # its message is the whole help page
        typer.echo(error.format_message(), err=True)
        return
    command = error.ctx.command_path if getattr(error, "ctx", None) else "bestby"
    _say("UsageError", error.format_message(), f"{command} --help")


def _say(kind: str, message: str, hint: str | None) -> None:
    sys.stdout.flush()
    typer.echo(f"{kind}: {_one_line(message)}", err=True)
    if hint is not None:
        typer.echo(f"hint: {_as_options(_one_line(hint))}", err=True)


def _one_line(text: str) -> str:
    return " ".join(part.strip() for part in text.splitlines())


_OPTIONS = {
    "missing": "--missing-value",
    "n_jobs": "--jobs",
    "n_resamples": "--resamples",
    "rng": "--seed",
    "systems": "--system",
}


def _as_options(hint: str) -> str:
    """Write Python arguments in a hint as options of the command line.

    Examples
    --------
    >>> _as_options('pass on_missing="drop" to compare the shared items only')
    'pass --on-missing drop to compare the shared items only'
    >>> _as_options("pass gold=... to compare predictions")
    'pass --gold ... to compare predictions'
    >>> _as_options("pass replace=True to put this one in its place")
    'pass --replace to put this one in its place'
    """

    def option(match: re.Match[str]) -> str:
        name, value = match[1], match[2].strip('"[]')
        if value == "True":
            return f"--{name.replace('_', '-')}"
        return f"{_OPTIONS.get(name, '--' + name.replace('_', '-'))} {value or repr('')}"

    return re.sub(r'\b([a-z_]+)=(\.\.\.|\[\.\.\.\]|"[^"]*"|[\d_.]*\d|True\b(?! \(--))', option, hint)
