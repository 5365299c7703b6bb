"""Errors as two lines on stderr and an exit status, never a traceback."""

from __future__ import annotations

import re
import shlex
import traceback
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import typer

from bestby._core import hints
from bestby._core.errors import BestbyError, InvalidInputError
from bestby._core.hints import meant, meant_of_compare
from bestby._core.text import quoted, shortened
from bestby.cli import interrupts, streams
from bestby.cli.options import CLICK_ERROR, spellings


class Status:
    """The exit status of the process."""

    INPUT: ClassVar[int] = 2
    INTERNAL: ClassVar[int] = 70
    INTERRUPTED: ClassVar[int] = 130
    PIPE: ClassVar[int] = 141

    def __init__(self) -> None:
        self.code = 0


@contextmanager
def reported() -> Iterator[Status]:
    """Run the block; report what goes wrong on stderr and keep the exit status."""
    status = Status()
    try:
        yield status
    except BestbyError as error:
        status.code = Status.INPUT
        _say(type(error).__name__, error.message, error.hint)
    except typer.Exit as stop:
        status.code = stop.exit_code
    except (KeyboardInterrupt, typer.Abort):
        status.code = Status.INTERRUPTED
    except (BrokenPipeError, SystemExit) as stop:
        if isinstance(stop, SystemExit) and not isinstance(stop.__context__, BrokenPipeError):
            raise
        status.code = Status.PIPE  # typer turns a closed pipe into an exit with 1
        streams.discard_stdout()
    except OSError as error:
        status.code = Status.INPUT
        if error.errno in streams.WRITING:  # of stdout, to which click prints the help
            streams.discard_stdout()
            refusal = streams.unwritable(error)
        else:
            refusal = _file_error(error)
        _say(type(refusal).__name__, refusal.message, refusal.hint)
    except CLICK_ERROR as error:
        status.code = Status.INPUT
        _say_usage(error)
    except Exception as error:  # a defect of bestby raises anything, and status 1 is a failed gate
        if interrupts.was_raised():
            status.code = Status.INTERRUPTED
            return
        status.code = Status.INTERNAL
        streams.flush()
        for line in traceback.format_exc().rstrip().split("\n"):
            streams.print_stderr(line)
        _say(
            "InternalError",
            f"{type(error).__name__}: {error}",
            "this is a defect of bestby: please report it with the lines above",
        )


def fail(context: Any, message: str, hint: str) -> None:
    """Raise the error of a wrong call, with what to call instead."""
    try:
        context.fail(message)
    except CLICK_ERROR as error:
        error.hint = hint  # type: ignore[attr-defined]
        raise


def _say_usage(error: Any) -> None:
    command = error.ctx.command_path if getattr(error, "ctx", None) else "bestby"
    message = _no_number(error) or error.format_message()
    name = getattr(error, "option_name", None)
    ours = None if name is None or command == "bestby" else _counterpart(error.ctx, name)
    if ours is not None:
        message = f"No such option: {name}; did you mean {ours}?"
    elif command == "bestby evaluate" and name is not None:
        spellings_of_compare = spellings(import_module("bestby.questions.items.command").Compare)
        other = (meant_of_compare(_argument(name)) or "").partition("=")[0]
        option = next(
            (names[0] for key, names in spellings_of_compare.items() if name in names or key == other), None
        )
        if option is not None:
            message = f"{option} belongs to bestby compare: bestby evaluate compares no systems"
    hint = f"{command} --help"
    if type(error).__name__ == "MissingParameter" and getattr(error.param, "help", None):
        hint = f"{error.param.opts[0]} {error.param.metavar}: {error.param.help}"
    if command == "bestby check" and name == "--gold":
        hint = "the gold is one of the files: bestby check ... gold=FILE"
    _say("UsageError", message, getattr(error, "hint", hint))


def _argument(option: str) -> str:
    return option.lstrip("-").replace("-", "_")


def _counterpart(context: Any, name: str) -> str | None:
    """Return the option, and its value, that an option of another tool stands for."""
    import bestby.vocabulary  # noqa: F401  # which says what other tools call our values

    named = {one.name: one for one in context.command.params if one.opts[0].startswith("-")}
    words = {key: [item.value for item in one.shell_complete(context, "")] for key, one in named.items()}
    ours = next((key for key in named if key == _argument(name)), None) or meant(_argument(name), None, words)
    options = {key: tuple(one.opts) for key, one in named.items()}
    return None if ours is None else options[ours][0] if ours in options else _settings(ours, options)


def _no_number(error: Any) -> str | None:
    """Return what is wrong with a value that is no number; pydantic, which typer asks, does not show it."""
    details = getattr(error.__cause__, "errors", None)
    first = details()[0] if callable(details) else {"type": ""}
    wanted = {"float_parsing": "a number", "int_parsing": "a whole number"}.get(first["type"])
    if wanted is None:
        return None
    what = f"each of {error.param.metavar}" if error.param.nargs > 1 else "it"
    return f"Invalid value for '{error.param.opts[0]}': {what} must be {wanted}, got {quoted(first['input'])}"


def _say(kind: str, message: str, hint: str | None) -> None:
    streams.flush()
    streams.print_stderr(f"{kind}: {message}")
    if hint is not None:
        streams.print_stderr(f"hint: {hint}")


def _file_error(error: OSError) -> InvalidInputError:
    """Return an error of the file system as a sentence and a hint."""
    where = "a file" if error.filename is None else repr(error.filename)
    reason = error.strerror or str(error)
    return InvalidInputError(
        f"cannot read or write {shortened(where)}: {reason}",
        hint="check its name, its permissions and the space left on its disk",
    )


SPELLINGS = {
    "accuracy_a": ("--accuracy",),
    "accuracy_b": ("--accuracy",),
    "greater_is_better": ("--higher-is-better", "--lower-is-better"),
    "mean_of_items": ("--per-item real", "--per-item none"),
    "parts": ("--latex-part",),
    "digits": ("--latex-digits",),
    'ties="half"': ("--method bradley-terry",),
}
"""Arguments of Python, or settings, that are part of an option: what is written for them (or for True), and
for False."""

_MAPPED = re.compile(r'\b([a-z_]+)=\{"([^"]+)": (?:"([^"]+)"|(\.\.\.))\}')
"""A setting of one value by name, written as in Python."""

_LISTED = re.compile(r"\b([a-z_]+)=\[([\w\"]+(?:, [\w\"]+)+)\]")
"""A setting of several values, written as in Python."""

_NAMED = re.compile(r"\b([a-z_]+)=(\"[^\"]*\[[^\"]*\"|\" \"|\"\\\\t\"|'[^']* [^']*')")
"""A setting that needs its quotes where it is typed: of a name with a label, a blank or a tab."""

FORMAT_OPTIONS = ("case", "documents", "duplicates", "items")
"""Arguments that only some formats of files take: values of ``--option`` where a command has it."""


def in_options(
    error: BestbyError,
    options: Mapping[str, tuple[str, ...]],
    command: str,
    arguments: Collection[str] = (),
) -> BestbyError:
    """Return an error with the arguments of Python written as options of a command.

    A message may begin with the name of its argument; messages and hints write a setting as Python does, such
    as ``on_missing="drop"``. Both are recognised by the names of the arguments that the command has. What a
    hint says of others of `arguments`, those of any command, is left out: this command does not have them.
    """
    formats = FORMAT_OPTIONS if "format_options" in options else ()
    as_written = {names[0].removeprefix("--").replace("-", "_"): names for names in options.values()}
    options_of_formats = {name: (f"--option {name}=",) for name in formats}
    written = {name for names in options.values() for name in names}
    parts = {
        name: names for name, names in SPELLINGS.items() if any(one.split()[0] in written for one in names)
    }
    options = {**parts, **options_of_formats, **as_written, **options}
    message, argument, hint = error.message, error.argument, error.hint
    if argument is not None and argument in options and message.startswith(f"{argument} "):
        message = options[argument][0].rstrip("=") + message.removeprefix(argument)
    error.message = _settings(message, options)
    if hint is not None:
        hint = _MAPPED.sub(lambda match: _by_name(match, options), hints.without_records(hint))
        names = {*arguments, *_names(SPELLINGS), *FORMAT_OPTIONS}
        hint = hints.possible_hint(hint, names, _names(options), typed=True)
    error.hint = f"{command} --help" if hint is None else _settings(hint, options)
    return error


def _by_name(match: re.Match[str], options: Mapping[str, tuple[str, ...]]) -> str:
    """Write a setting of a value by name as an option that takes NAME=VALUE."""
    name, key, value = match[1], match[2], match[3] or match[4]
    return f"{options[name][0]} {shlex.quote(f'{key}={value}')}" if name in options else match[0]


def _names(options: Mapping[str, Any]) -> set[str]:
    """Return the arguments of Python that options, or settings, are of."""
    return {name.partition("=")[0] for name in options}


def repeat_hint(values: Any, error: BestbyError) -> str | None:
    """Return what to do about ``--system a,b``, which may be a name, and about ``--system a b``."""
    systems: list[str] = getattr(getattr(values, "data", None), "systems", None) or []
    if not systems:
        return None
    names = [name.strip() for one in systems for name in one.split(",")]
    strays = [one for one in (getattr(values, "paths", None) or [])[1:] if not Path(one).suffix]
    if error.argument != "systems":
        names = [*systems, *(one for one in strays if not Path(one).exists() and "=" not in one)]
    if len(names) == len(systems):
        return None
    return f"repeat the option: {' '.join(f'--system {name}' for name in names)}"


def _settings(text: str, options: Mapping[str, tuple[str, ...]]) -> str:
    """Write the settings in a text as options.

    >>> options = {"on_missing": ("--on-missing",), "stream": ("--stream", "--no-stream"),
    ...            "items": ("--option items=",)}
    >>> _settings('pass on_missing="drop", or read it whole (stream=False)', options)
    'pass --on-missing drop, or read it whole (--no-stream)'
    >>> _settings("items=document", options)
    '--option items=document'
    >>> options = {"margin": ("--margin",), "interval": ("--interval",)}
    >>> _settings("leave out margin, or interval=None", options)
    'leave out --margin, or --interval none'
    >>> _settings("leave out interval=None, or draw another kind", options)
    'leave out --interval none, or draw another kind'
    >>> _settings("give one file per system: name=path", {"name": ("--name",)})
    'give one file per system: name=path'
    >>> options = {"clusters": ("--cluster",), "paired": ("--paired",), "interval": ("--interval",)}
    >>> _settings("clusters=[templates, languages], or pass paired=False", options)
    '--cluster templates --cluster languages, or leave out --paired'
    >>> _settings('interval="basic" or "percentile"', options)
    '--interval basic or percentile'
    >>> _settings('pass label_separator="|"', {"label_separator": ("--label-separator",)})
    "pass --label-separator '|'"
    >>> _settings('name one: metric="f1[not hate]"', {"metric": ("--metric",)})
    'name one: --metric "f1[not hate]"'
    >>> _settings("name one: phase='public'", {"phase": ("PHASE",)})
    'name one: public'
    """
    text = re.sub(r"(?<=leave out )\w+\b(?!=)", lambda match: options.get(match[0], match)[0], text)
    text = _NAMED.sub(lambda match: _quoted(match, options), text)
    text = _LISTED.sub(lambda match: _repeated(match, options), text)
    text = " ".join(_setting(word, options) for word in text.split(" "))
    text = text.replace("pass without --", "leave out --")
    return re.sub(r"(?<=\w) or \"([\w-]+)\"", r" or \1", text) if "--" in text else text


def _quoted(match: re.Match[str], options: Mapping[str, tuple[str, ...]]) -> str:
    return f"{options[match[1]][0]} {match[2]}" if match[1] in options else match[0]


def _repeated(match: re.Match[str], options: Mapping[str, tuple[str, ...]]) -> str:
    """Write a setting of several values as an option that is repeated."""
    if match[1] not in options:
        return match[0]
    return " ".join(f"{options[match[1]][0]} {one.strip(chr(34))}" for one in match[2].split(", "))


def _setting(word: str, options: Mapping[str, tuple[str, ...]]) -> str:
    bare = word.lstrip("(")
    if "=" in bare and bare in options:
        return word.replace(bare, options[bare][0])
    name, _, value = bare.partition("=")
    if name not in options or not hints.SETTING.match(bare):
        return word
    rest = value.rstrip(",;:)")
    flags = {"True": options[name][0], "False": options[name][-1], "None": f"{options[name][0]} none"}
    if rest == "False" and len(options[name]) == 1:
        flags["False"] = f"without {options[name][0]}"
    typed = shlex.quote(rest.strip("[]" + chr(34) + chr(39)))
    space = "" if options[name][0].endswith("=") else " "
    is_argument = not options[name][0].startswith("-") and typed != "..."  # its value stands by itself
    shown = flags.get(rest) or (typed if is_argument else f"{options[name][0]}{space}{typed}")
    return word[: len(word) - len(bare)] + shown + value[len(rest) :]
