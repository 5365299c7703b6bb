"""Options that are declared as fields of records, and the commands that typer makes of these records."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, TypeVar, dataclass_transform, get_type_hints

import typer
import typer.core
import typer.main

from bestby._core.errors import InvalidInputError

T = TypeVar("T")

# Typer brings its own copy of click or uses the installed one, depending on its version; the class of all
# its errors is a base of one that it always exports.
CLICK_ERROR: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)

WIDEST = 100
"""Columns that a help page fills at most; in a narrower terminal it fills the terminal."""

_WIDEST_CHOICES = 22
"""Columns that the choices of an option fill at most beside its name."""


REQUIRED: Any = MISSING
"""The default of an option that must be given."""

File: TypeAlias = Literal["read", "result", "written"]
"""Whether a file that an option names is read, or a form of the result or something else is written to it."""

COMMON = "Options"
"""The heading of the options that most calls need; those of other headings stand below a line."""

FIRST = ("run", "gold", "metric", "items", "systems", "baseline", "margin")
"""The options that come first under their heading, in this order."""


@dataclass(frozen=True)
class _Declared:
    """What is declared of a field: the name of its value (None for a flag), its help and its names.

    `file` says what happens to the file that the value names, if it does, and `shapes` are the forms of the
    result that the value is an argument of. What is `common` comes first on the help page.
    """

    metavar: str | None
    help: str
    names: tuple[str, ...] = ()
    choices: tuple[str, ...] | Callable[[], tuple[str, ...]] = ()
    is_argument: bool = False
    file: File | None = None
    shapes: tuple[str, ...] = ()
    common: bool = False


def option(
    metavar: str,
    help: str,
    *names: str,
    choices: tuple[str, ...] | Callable[[], tuple[str, ...]] = (),
    default: Any = None,
    file: File | None = None,
    shapes: tuple[str, ...] = (),
    common: bool = False,
) -> Any:
    """Declare an option with a value, called as its field if it has no names; the shell completes choices."""
    declared = _Declared(metavar, help, names, choices, file=file, shapes=shapes, common=common)
    return field(default=default, metadata={"declared": declared})


def choice(
    choices: tuple[str, ...], help: str, *names: str, default: str, shapes: tuple[str, ...] = ()
) -> Any:
    """Declare an option that takes one of several words; its help lists those that do not fit beside it."""
    forms = [_braced(choices), _braced((*choices[:2], "...")), _braced((choices[0], "..."))]
    metavar = next(one for one in forms if len(one) <= _WIDEST_CHOICES)
    more = "" if metavar == forms[0] else f": {', '.join(choices[:-1])} or {choices[-1]}"
    text = f"{help.removesuffix('.')}{more}."
    return option(metavar, text, *names, choices=choices, default=default, shapes=shapes)


def _braced(choices: tuple[str, ...]) -> str:
    return "{" + ",".join(choices) + "}"


def result_file(help: str, *, common: bool = False) -> Any:
    """Declare an option that names a file, or - for the standard output, where a form of the result goes."""
    return option("FILE|-", help, file="result", common=common)


def flag(
    help: str, *names: str, default: bool | None = False, shapes: tuple[str, ...] = (), common: bool = False
) -> Any:
    """Declare an option without a value."""
    declared = _Declared(None, help, names, shapes=shapes, common=common)
    return field(default=default, metadata={"declared": declared})


def argument(metavar: str, help: str = "", default: Any = MISSING, file: File | None = None) -> Any:
    """Declare a value without an option; if it has no help, the text of the page explains it."""
    declared = _Declared(metavar, help, is_argument=True, file=file)
    return field(default=default, metadata={"declared": declared})


@dataclass_transform(
    frozen_default=True,
    kw_only_default=True,
    field_specifiers=(option, choice, result_file, flag, argument),
)
def record(cls: type[T]) -> type[T]:
    """Make a frozen dataclass of the options of a group, or of the groups of a command."""
    return dataclass(frozen=True, kw_only=True)(cls)


@record
class Group:
    """Options under one heading. Fields are called as the arguments of Python that they become."""

    heading: ClassVar[str] = COMMON

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of Python; those that were not given are left to their defaults there."""
        return {name: value for name, value in vars(self).items() if value is not None}


class _Field(NamedTuple):
    name: str
    kind: Any
    declared: _Declared
    default: Any
    heading: str


def command(name: str, help: str, record: type, run: Callable[[Any], None]) -> Any:
    """Return the command that fills a record with what was given and runs a function with it."""

    def callback(**values: Any) -> None:
        run(_filled(record, {key: None if value == [] else value for key, value in values.items()}))

    signature = [
        inspect.Parameter(
            one.name, inspect.Parameter.KEYWORD_ONLY, default=_parameter(one), annotation=one.kind
        )
        for one in _fields(record)
    ]
    callback.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    callback.__annotations__ = {}
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    text = f"{help}\n\n{inspect.cleandoc(record.__doc__ or '')}"
    app.command(name, cls=_Command, help=text, context_settings={"max_content_width": WIDEST})(callback)
    return typer.main.get_command(app)


def spellings(record: type) -> dict[str, tuple[str, ...]]:
    """Return how each argument of Python is written on the command line: the names of its option."""
    return {one.name: _names(one) for one in _fields(record)}


class SetOption(NamedTuple):
    """An option or an argument that is set: its field, how it is written, its value, what it is for."""

    name: str
    option: str
    value: Any
    file: File | None
    shapes: tuple[str, ...]


def set_options(values: Any) -> list[SetOption]:
    """Return what is set of a group, or of all groups of a command: whatever is not its default."""
    record: type = type(values)
    groups = [group for group in vars(values).values() if isinstance(group, Group)]
    held = {name: value for group in (values, *groups) for name, value in vars(group).items()}
    return [
        SetOption(one.name, _names(one)[0], held[one.name], one.declared.file, one.declared.shapes)
        for one in _fields(record)
        if held[one.name] != one.default
    ]


def set_option_names(values: Any) -> set[str]:
    """Return the options whose values are not their defaults."""
    return {one.option for one in set_options(values)}


@functools.cache
def _fields(record: type) -> tuple[_Field, ...]:
    collected: list[_Field] = []
    hints = get_type_hints(record)
    for one in fields(record):
        kind = hints[one.name]
        if is_dataclass(kind):
            collected += _fields(kind)  # type: ignore[arg-type]  # a class, not an instance
        else:
            default = ... if one.default is MISSING else one.default
            heading = getattr(record, "heading", "")
            collected.append(_Field(one.name, kind, one.metadata["declared"], default, heading))
    return tuple(collected)


def _filled(record: type, values: Mapping[str, Any]) -> Any:
    kinds = get_type_hints(record)
    names = [one.name for one in fields(record)]
    groups = {name: _filled(kinds[name], values) for name in names if is_dataclass(kinds[name])}
    return record(**{name: groups[name] if name in groups else values[name] for name in names})


def _names(field: _Field) -> tuple[str, ...]:
    if field.declared.is_argument:
        return (str(field.declared.metavar),)
    return field.declared.names or (f"--{field.name.replace('_', '-')}",)


def _parameter(field: _Field) -> Any:
    """Return what typer makes an option or an argument of."""
    declared, choices = field.declared, field.declared.choices
    if declared.is_argument:
        text, hidden = declared.help or None, not declared.help
        return typer.Argument(field.default, metavar=declared.metavar, help=text, hidden=hidden)

    def complete(incomplete: str) -> list[str]:
        return [one for one in (choices() if callable(choices) else choices) if one.startswith(incomplete)]

    return typer.Option(
        field.default,
        "/".join(_names(field)),
        metavar=declared.metavar,
        help=_with_default(declared, field.default),
        show_default=False,
        autocompletion=complete if choices else None,
        rich_help_panel=COMMON if declared.common else field.heading,
    )


def _with_default(declared: _Declared, default: Any) -> str:
    """Return the help of an option with its default, which for a flag is not to set it."""
    if declared.metavar is None or default in (None, "", ...):
        return declared.help
    return f"{declared.help.removesuffix('.')} (default: {default})."


def write_options(command: Any, context: Any, formatter: Any) -> None:
    """Write the common options, then below a line the others under their headings, in plain text."""
    sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], COMMON: []}
    ranks = {name: rank for rank, name in enumerate(reversed(FIRST), start=1)}
    for parameter in sorted(command.get_params(context), key=lambda one: -ranks.get(one.name, 0)):
        if parameter.param_type_name == "argument":
            if not parameter.hidden:
                sections["Arguments"].append((parameter.metavar, parameter.help))
        elif (row := parameter.get_help_record(context)) is not None:
            sections.setdefault(getattr(parameter, "rich_help_panel", None) or COMMON, []).append(row)
    for heading, rows in sections.items():
        if rows:
            write_rows(heading, rows, formatter)
        if heading == COMMON and len(sections) > 2:
            formatter.write(f"\n{'-' * formatter.width}\n")


def write_rows(heading: str, rows: list[tuple[str, str]], formatter: Any) -> None:
    """Write names and their explanations in two columns; no option breaks at a hyphen."""
    first = max(len(name) for name, _ in rows) + 4
    with formatter.section(heading):
        for name, text in rows:
            lines = textwrap.wrap(text, formatter.width - first, break_on_hyphens=False)
            formatter.write(f"  {name:<{first - 2}}" + f"\n{'':<{first}}".join(lines) + "\n")


class _Command(typer.core.TyperCommand):
    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_options(self, ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            if not ctx.resilient_parsing:
                self._check_single(ctx, args)
            return super().parse_args(ctx, args)
        except CLICK_ERROR as error:
            if getattr(error, "ctx", ctx) is None:  # click forgets whose option lacks its value
                error.ctx = ctx  # type: ignore[attr-defined]
            raise

    def _check_single(self, ctx: Any, args: list[str]) -> None:
        """Refuse an option that can be given once and is given again: the first value would be ignored.

        A flag may be repeated, but not with its opposite.
        """
        _, _, options = self.make_parser(ctx).parse_args(args=[*args])
        for option in options:
            times = options.count(option)
            if times > 1 and getattr(option, "is_flag", False):
                yes, no = (
                    next((name for name in names if name in args), None)
                    for names in (option.opts, option.secondary_opts)
                )
                if yes and no:
                    message = f"{yes} and {no} contradict each other"
                    raise InvalidInputError(message, hint="give one of them")
            elif times > 1 and not getattr(option, "multiple", True):
                ctx.fail(f"Option '{option.opts[0]}' can be given once, and is given {times} times")
