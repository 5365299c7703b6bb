"""Errors as two lines on stderr and an exit status, never a traceback."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import typer

from bestby._core.errors import BestbyError, InvalidInputError
from bestby._core.text import shortened
from bestby.cli import streams

# Typer brings its own copy of click or uses the installed one, depending on its version; the class of all
# its errors is a base of one that it always exports.
_CLICK_ERROR: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


_HELP = "bestby COMMAND --help tells what each option takes"
"""For errors that say all there is to say: bad input is two lines always."""


class Status:
    """The exit status of the process.

    `code`: 0 until something happens.
    """

    INPUT: ClassVar[int] = 2
    INTERRUPTED: ClassVar[int] = 130
    PIPE: ClassVar[int] = 1

    def __init__(self) -> None:
        self.code = 0


@contextmanager
def reported(options: Callable[[], Collection[str]]) -> Iterator[Status]:
    """Run what is inside; report what goes wrong on stderr and keep the exit status.

    `options` tells the options of the command that runs; only asked if something goes wrong.
    """
    status = Status()
    try:
        yield status
    except BestbyError as error:
        status.code = Status.INPUT
        _say(type(error).__name__, _named(error.message, options()), _as_options(error.hint or _HELP))
    except typer.Exit as stop:
        status.code = stop.exit_code
    except (KeyboardInterrupt, typer.Abort):
        status.code = Status.INTERRUPTED
    except BrokenPipeError:
        status.code = Status.PIPE
        streams.discard_stdout()
    except OSError as error:
        status.code = Status.INPUT
        if error.errno in streams.WRITING:  # of stdout, to which click prints the help
            streams.discard_stdout()
            refusal = streams.unwritable(error)
        else:
            refusal = _of_file(error)
        _say(type(refusal).__name__, refusal.message, refusal.hint)
    except _CLICK_ERROR as error:
        status.code = Status.INPUT
        _say_usage(error)


def _say_usage(error: Any) -> None:
    if type(error).__name__ == "NoArgsIsHelpError":  # its message is the whole help page
        for line in error.format_message().split("\n"):
            streams.print_stderr(line)
        return
    command = error.ctx.command_path if getattr(error, "ctx", None) else "bestby"
    _say("UsageError", error.format_message(), f"{command} --help")


def _say(kind: str, message: str, hint: str | None) -> None:
    streams.flush()
    streams.print_stderr(f"{kind}: {message}")
    if hint is not None:
        streams.print_stderr(f"hint: {hint}")


def _of_file(error: OSError) -> InvalidInputError:
    """Return an error of the file system as a sentence and a hint."""
    where = "a file" if error.filename is None else repr(error.filename)
    reason = error.strerror or str(error)
    return InvalidInputError(
        f"cannot read or write {shortened(where)}: {reason}",
        hint="check its name, its permissions and the space left on its disk",
    )


_OPTIONS = {
    "accuracy_a": "--accuracy",
    "accuracy_b": "--accuracy",
    "kind": "--figure",
    "missing": "--missing-value",
    "options": "--option",
    "paths": "FILES",
    "rng": "--seed",
    "systems": "--system",
    "texts": "--metric",
}
"""Options that are not called as the argument of Python, apart from `n_jobs` and such: ``--jobs``."""

_DATA = ("gold", "ids", "predictions", "systems")
"""Arguments whose name, in a message, means what was read and not the option."""

PHRASES = {
    "a non-negative integer, a numpy.random.Generator or None": "a whole number of at least 0",
    "gold=Annotations.of(labels), one list of labels per item": "--annotators: the columns of their labels",
    "use PairedProportions or PairedScores": "give --accuracy and --agreement, or --difference and --sd",
    "around accuracy_b at": "around the second of --accuracy at",
    "give item_sd": "give --item-sd",
    "n_differing is at most n_items": "--differing is at most --items",
    "resample_size is a": "--resample-size is a",
    "mean_of_items=True": "--per-item real",
    "(mean_of_items)": "(--per-item)",
}
"""What has another wording on the command line."""


def option_of(argument: str) -> str:
    """Return the option that an argument of Python is on the command line.

    >>> option_of("on_missing"), option_of("n_jobs"), option_of("rng")
    ('--on-missing', '--jobs', '--seed')
    """
    return _OPTIONS.get(argument) or "--" + argument.removeprefix("n_").replace("_", "-")


def _reworded(text: str) -> str:
    for phrase, wording in PHRASES.items():
        text = text.replace(phrase, wording)
    return text


def _named(message: str, options: Collection[str]) -> str:
    """Write the Python argument that a message begins with as the option, if the command has it."""
    argument, must, rest = _reworded(message).partition(" must ")
    named = argument not in _DATA and option_of(argument) in options
    return (option_of(argument) if named else argument) + must + rest


def _as_options(hint: str) -> str:
    """Write Python arguments in a hint as options of the command line."""

    def option(match: re.Match[str]) -> str:
        name, value, refusal = match[1], match[2].strip('"[]'), match[3]
        if refusal is not None:
            return refusal
        if value in ("True", "False"):
            return option_of(name if value == "True" else f"no_{name}")
        return f"{option_of(name)} {value or repr('')}"

    argument = r'\b([a-z_]+)=(\.\.\.|\[\.\.\.\]|"[^"]*"|[\d_.]*\d|True\b|False\b)'
    return re.sub(argument + r"(?: \((--[a-z-]+)\))?", option, _reworded(hint))
