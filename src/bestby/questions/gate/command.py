"""`bestby gate`: is the candidate good enough to merge? The answer is the exit status, too."""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from bestby._core.errors import InvalidInputError
from bestby._core.text import counted, path_text, quoted, shortened
from bestby.cli import option_groups, streams
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Count, Names, Number, Text
from bestby.cli.options import argument, flag, option, record, result_file
from bestby.questions.items import command as items_parameters
from bestby.questions.slices import command as slices_parameters
from bestby.vocabulary import allowed_names

if TYPE_CHECKING:
    from bestby.data.evaluation import Evaluation
    from bestby.results.base import Note

INCONCLUSIVE = ("pass", "fail")


@record
class Data(items_parameters.Data):
    baseline_file: Text = option(
        "FILE", "Baseline that --save has written; FILES are then the candidate.", file="read", common=True
    )
    settings: Text = option(
        "FILE",
        "Settings of the gate in TOML (default: bestby.toml, if it is there); none for no file.",
        "--settings",
        file="read",
        common=True,
    )

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `read`."""
        other_than_read = ("baseline_file", "settings")
        return {name: value for name, value in super().arguments().items() if name not in other_than_read}


@record
class Cut(slices_parameters.Cut):
    by: Names = option(
        "COLUMN[:BINS]",
        "Ask about each slice, too: a column, its numbers in so many bins (length:4); repeatable.",
        default=None,
    )


@record
class Statistics(option_groups.Direction, option_groups.Resamples):
    metric: Names = option_groups.metrics_or_scores()
    margin: Names = option(
        "SIZE|METRIC=SIZE", "Smallest loss that matters, in every metric or in one; repeatable.", common=True
    )
    at_most: Names = option(
        "COST=+N%",
        "Budget: by how much a cost of the items, a column, may be more than the baseline's; repeatable.",
        common=True,
    )
    fail_test: Text = option(
        "RULE",
        "By what a check with a margin fails: exact (the default; other scores than independent answers by a"
        " bound) or bound.",
        choices=allowed_names("fail_test", "gate"),
    )
    level: Number = option(
        "P", "Level of the one-sided bounds and of the tests (default: 0.95).", common=True
    )
    baseline: Text = option("NAME", "System that is the baseline (default: the first).", common=True)
    candidate: Text = option("NAME", "System that is the candidate (default: the other).", common=True)
    pool: bool = flag("If a log has several tasks, check all their items together, not each task.")
    blocks: Count = option("N", "Resample blocks of N successive items, for items of ordered text.")
    cache: Text = option("FOLDER", option_groups.CACHE_HELP)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the margins as numbers."""
        rest = super().arguments()
        if self.margin is not None:
            rest["margin"] = margins(self.margin)
        if self.at_most is not None:
            rest["at_most"] = increases(self.at_most)
        return rest


@record
class Output(option_groups.InPercent, option_groups.Tables):
    table: ClassVar[str | None] = "checks"
    csv: Text = result_file("Write the checks as CSV.")
    junit: Text = result_file("Write JUnit XML, a test case for each check.")
    comment: Text = result_file("Write Markdown for a comment on a pull request.")
    github: bool = flag(
        "Append Markdown to the summary of a GitHub step, and write its outputs.", common=True
    )
    inconclusive: Text = option(
        "STATUS",
        "Exit status of an inconclusive gate: that of pass or of fail (default: 3).",
        choices=INCONCLUSIVE,
    )
    save: Text = option(
        "FILE", "Store the system in FILES as a baseline, and compare nothing.", file="written"
    )


def margins(texts: list[str]) -> float | dict[str, float]:
    """Return one margin for all metrics, or those of metrics by name.

    >>> margins([".01"]), margins(["accuracy=.01", "wer=.02"])
    (0.01, {'accuracy': 0.01, 'wer': 0.02})
    """
    sizes: dict[str, float] = {}
    for one in texts:
        name, _, size = one.rpartition("=")
        if name.strip() in sizes:
            raise InvalidInputError(
                f"--margin is given twice for {name.strip() or 'all metrics'}", hint="give each metric one"
            )
        try:
            sizes[name.strip()] = float(size)
        except ValueError as error:
            raise InvalidInputError(
                f"--margin must be a number or METRIC=NUMBER, got {one!r}",
                hint="write it in the unit of the metric, as in --margin 0.01 or --margin accuracy=0.01",
            ) from error
    if "" not in sizes:
        return sizes
    if len(sizes) > 1:
        raise InvalidInputError(
            "--margin is given for all metrics and for single ones", hint="give each metric one by its name"
        )
    return sizes[""]


def increases(texts: list[str]) -> dict[str, str]:
    """Return the budgets by the names of their costs.

    >>> increases(["latency_ms=+10%", "usd=-5%"])
    {'latency_ms': '+10%', 'usd': '-5%'}
    """
    budgets: dict[str, str] = {}
    for one in texts:
        name, sign, size = one.rpartition("=")
        if not sign or not name or name in budgets:
            raise InvalidInputError(
                f"--at-most must be one COST=+N% for each cost, got {one!r}", hint="--at-most latency_ms=+10%"
            )
        budgets[name] = size
    return budgets


@record
class Gate:
    """
    FILES are a baseline and a candidate as 'bestby compare' reads them: one file per system, the baseline
    first, or one table that holds both. With --margin the gate passes if the data exclude, at the level, a
    loss of the margin or more, fails if they show a loss of more than the margin, and is inconclusive
    otherwise; all metrics must pass. Without a margin it is an alarm, not a proof: it fails if a one-sided
    test shows a loss, corrected for several metrics by Holm's method, and else says that none is detected.

    The exit status is 0 if the gate passes, 1 if it fails, 3 if it is inconclusive; 2 for wrong use and files
    that cannot be read, 70 for an internal error, 141 for a closed pipe.

    A file bestby.toml in the current folder may hold files, baseline_file, baseline, candidate, gold, items,
    metrics, margins, at_most, fail_test, clusters, strata, by, crossed, min_items, pool, level, inconclusive
    and format; options of the command line override it, a note says what it set, and --settings none leaves
    it unread.

    Without gold the values must be scores: --metric names them (--metric mean), or their column does
    (score, correct, accuracy).

    If a log has several tasks, each task is a check for each metric, unless --pool is given. With --by each
    slice is one, beside all items.

    \b
    Examples:
      bestby gate main.csv new.csv --gold gold.csv --margin 0.01
      bestby gate preds.csv --gold label --baseline old --candidate new
      bestby gate main.csv new.csv --metric accuracy --metric wer --margin wer=.02
      bestby gate preds.csv --gold label --by language --by length:4 --margin .05
      bestby gate runs.csv --metric score --margin 0.02 --at-most latency_ms=+10%
      bestby gate --save main.bestby.json main.csv --gold gold.csv
      bestby gate --baseline-file main.bestby.json new.csv --gold gold.csv
      bestby gate old.csv new.csv --gold gold.csv --github --junit gate.xml
      bestby gate logs/main logs/new --margin 0.02
    """

    paths: Names = argument("FILES", default=None, file="read")
    data: Data
    cut: Cut
    statistics: Statistics
    output: Output


STATUS = {"pass": 0, "fail": 1, "inconclusive": 3}
"""The exit status of each outcome."""


def gate(values: Gate) -> None:
    """Decide, write what was asked for, and end with the status of the outcome; or store a baseline."""
    import typer

    from bestby._core import checks
    from bestby.cli.outputs import write_result
    from bestby.questions.gate import github

    values, notes = with_settings(values)
    output = values.output
    if output.inconclusive is not None:
        checks.choice(output.inconclusive, INCONCLUSIVE, "inconclusive")
    if not values.paths:
        raise InvalidInputError(
            "no file was given", hint="give a baseline and a candidate: bestby gate main.csv new.csv"
        )
    if output.save is not None:
        _save(values, output.save)
        return
    places = github.places() if output.github else None
    result = write_result(partial(_gate, notes), values)
    status = STATUS[result.outcome]
    if result.outcome == "inconclusive" and output.inconclusive is not None:
        status = STATUS[output.inconclusive]
    if places is not None:
        github.report(output.labelled(result), status, places, percent=output.percent)
    raise typer.Exit(status)


def answer(values: Gate, progress: Any) -> Any:
    """Return the gate, without its exit status and its files."""
    values, notes = with_settings(values)
    return _gate(notes, values, progress)


def _gate(notes: tuple[Note, ...], values: Gate, progress: Any) -> Any:
    from bestby.questions.gate.compare import gate as gate_systems
    from bestby.questions.gate.stored_baseline import with_stored
    from bestby.questions.slices.source import without_bins

    cut = values.cut.arguments()
    columns = {} if "by" not in cut else {"by": without_bins(cut["by"])}
    chosen, costs = _two_systems_only(values), values.statistics.at_most
    if costs:
        evaluation, statistics = _read_with_costs(chosen, **columns)
    else:
        evaluation, statistics = _read(chosen, **columns)
    if values.data.baseline_file is not None:
        evaluation = with_stored(values.data.baseline_file, evaluation)
    elif len(evaluation.names) == 1:
        raise InvalidInputError(
            f"a gate needs a baseline and a candidate, got one system: {evaluation.names[0]}",
            hint="give two files, a table of both, or with --baseline-file one that --save wrote",
        )
    result = gate_systems(evaluation, **cut, **in_records(gate_systems, statistics, progress=progress))
    return dataclasses.replace(result, notes=(*notes, *result.notes))


def _read(values: Gate, **columns: Any) -> tuple[Evaluation, dict[str, Any]]:
    """Return the systems and the arguments; one whose column says nothing is called as its file is."""
    from bestby.cli.inputs import read_evaluation
    from bestby.data.roles import VALUE_WORDS
    from bestby.readers.files import stem_of

    evaluation, statistics = read_evaluation(values, **columns)
    (first, *_), paths = evaluation.names, values.paths or []
    if len(evaluation.names) == 1 and first in VALUE_WORDS and len(paths) == 1 and "=" not in paths[0]:
        systems = {stem_of(paths[0]): evaluation.systems[first]}
        missing = {stem_of(paths[0]): mask for mask in evaluation.missing.values()}
        called = {stem_of(paths[0]): first}
        evaluation = dataclasses.replace(evaluation, systems=systems, missing=missing, called=called)
    return evaluation, statistics


def _read_with_costs(values: Gate, **columns: Any) -> tuple[Evaluation, dict[str, Any]]:
    """Return the systems and the arguments, with the columns of the budgets."""
    from bestby.cli.costs import read_with_costs
    from bestby.comparisons.costs import statistic_of

    if values.data.baseline_file is not None:
        raise _stores_no_costs()
    metrics = values.statistics.metric or []
    names = {name: statistic_of(name)[0] for name in increases(values.statistics.at_most or [])}
    single = metrics[0] if len(metrics) == 1 else None
    evaluation, statistics, read = read_with_costs(values, single, [*names.values()], **columns)
    return evaluation, {**statistics, "cost": {name: read(column) for name, column in names.items()}}


def _stores_no_costs() -> InvalidInputError:
    return InvalidInputError(
        "a stored baseline holds no costs", hint="give the files of both systems, or leave out --at-most"
    )


def _two_systems_only(values: Gate) -> Gate:
    """Return the values of which a table is asked for the two systems alone, if both are named."""
    data, statistics = values.data, values.statistics
    names = [name for name in (statistics.baseline, statistics.candidate) if name is not None]
    if len(names) < 2 or data.systems is not None or data.baseline_file is not None:
        return values
    return dataclasses.replace(values, data=dataclasses.replace(data, systems=names))


def _save(values: Gate, path: str) -> None:
    """Store the one system of the files."""
    from bestby.cli.outputs import check_outputs
    from bestby.questions.gate.stored_baseline import stored
    from bestby.report.writers.files import place_of, write_text

    if values.output.targets() or values.output.github or values.data.baseline_file is not None:
        raise InvalidInputError(
            "--save stores a baseline and compares nothing, so nothing else can be written",
            hint="leave out the other outputs and --baseline-file, or --save",
        )
    if values.statistics.at_most:
        raise _stores_no_costs()
    check_outputs(values)
    with place_of(path):
        evaluation, _ = _read(values)
        text = stored(evaluation)
    write_text(path, text)
    items = counted(evaluation.n_items, "item")
    streams.print_stderr(f"stored the predictions of {evaluation.names[0]!r} on {items} in {path!r}")


# -- the file of settings --------------------------------------------------------------------------


_FILE = "bestby.toml"
"""The file that is read where none is named."""

_NO_FILE = "none"
"""What is named where none is to be read; a file of that name is ./none."""


class _Key(NamedTuple):
    """Where a key goes: a group of the command (None for the files), a field, and what it must be."""

    group: str | None
    field: str
    kind: str


_KEYS = {
    "files": _Key(None, "paths", "texts"),
    "baseline_file": _Key("data", "baseline_file", "text"),
    "gold": _Key("data", "gold", "texts"),
    "items": _Key("data", "items", "texts"),
    "clusters": _Key("data", "clusters", "texts"),
    "strata": _Key("data", "strata", "text"),
    "format": _Key("data", "format", "text"),
    "metrics": _Key("statistics", "metric", "metrics"),
    "margins": _Key("statistics", "margin", "margins"),
    "at_most": _Key("statistics", "at_most", "budgets"),
    "fail_test": _Key("statistics", "fail_test", "text"),
    "by": _Key("cut", "by", "texts"),
    "crossed": _Key("cut", "crossed", "flag"),
    "min_items": _Key("cut", "min_items", "count"),
    "pool": _Key("statistics", "pool", "flag"),
    "level": _Key("statistics", "level", "number"),
    "baseline": _Key("statistics", "baseline", "text"),
    "candidate": _Key("statistics", "candidate", "text"),
    "inconclusive": _Key("output", "inconclusive", "text"),
}
"""The keys of the file, and the fields that they fill."""

_PATHS = ("files", "baseline_file", "gold")
_WANTED = {
    "text": 'a text, such as "label"',
    "texts": "a text or a list of texts",
    "metrics": 'a text or a list of texts, such as ["accuracy", "f1_macro"]',
    "budgets": 'a text or a list of texts, such as ["latency_ms=+10%"]',
    "flag": "true or false",
    "count": "a whole number, such as 10",
    "number": "a number, such as 0.95",
    "margins": "a number, or a table of numbers by metric, such as {accuracy = 0.01}",
}


def with_settings(values: Gate) -> tuple[Gate, tuple[Note, ...]]:
    """Return the values of a command, those that were not given from the file of settings if there is one.

    Whoever brings the file decides by it, such as a pull request: a note says what it set.
    """
    from bestby._core.paths import is_file, user_path
    from bestby.results.base import Note

    named = values.data.settings
    path = user_path(_FILE if named is None else named)
    if named == _NO_FILE or (named is None and not is_file(path)):
        return values, ()
    taken: list[str] = []
    for key, value in _settings_in(path).items():
        group, field, _ = _KEYS[key]
        if values.output.save is not None and key == "baseline_file":
            continue  # what is stored is what the file names, from now on
        owner: Any = values if group is None else getattr(values, group)
        if getattr(owner, field) is None or getattr(owner, field) is False:
            shown = " ".join(value) if isinstance(value, list) else str(value)
            taken.append(key if key in _PATHS else f"{key} = {shortened(shown)}")
            owner = dataclasses.replace(owner, **{field: value})
            changed: dict[str, Any] = {} if group is None else {group: owner}
            values = owner if group is None else dataclasses.replace(values, **changed)
    message = f"settings of {path}: {', '.join(taken)}"
    return values, (Note("settings_file", message),) if taken else ()


def _settings_in(path: Path) -> dict[str, Any]:
    """Return the settings as the command line would give them; refuse unknown keys and other types."""
    import tomllib

    from bestby._core.paths import readable_file

    shown = path_text(path)
    try:
        content = tomllib.loads(readable_file(path).read_bytes().decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{shown} is not TOML: {error}", hint="https://toml.io shows how") from error
    unknown = [f"{key!r}{_meant(key)}" for key in content if key not in _KEYS]
    if unknown:
        raise InvalidInputError(
            f"{shown} has unknown keys: {', '.join(unknown)}", hint=f"the keys are: {', '.join(_KEYS)}"
        )
    settings = {key: _value(key, value, shown) for key, value in content.items()}
    for key in _PATHS:
        if key in settings:
            settings[key] = _from_here(path, settings[key])
    return settings


def _meant(key: str) -> str:
    """Return the key that was probably meant, in brackets; nothing if none is similar.

    >>> _meant("metric"), _meant("xyz")
    (' (metrics?)', '')
    """
    from difflib import get_close_matches

    close = get_close_matches(key.lower(), _KEYS, n=1)
    return f" ({close[0]}?)" if close else ""


def _value(key: str, value: Any, shown: str) -> Any:
    kind = _KEYS[key].kind
    if kind == "text" and isinstance(value, str):
        return value
    if kind in ("texts", "metrics", "budgets"):
        texts = [value] if isinstance(value, str) else value
        if isinstance(texts, list) and texts and all(isinstance(one, str) for one in texts):
            return texts
    if kind == "flag" and isinstance(value, bool):
        return value
    if kind == "count" and isinstance(value, int) and not isinstance(value, bool):
        return value
    if kind == "number" and _is_number(value):
        return float(value)
    if kind == "margins":
        if _is_number(value):
            return [repr(value)]
        if isinstance(value, dict) and value and all(map(_is_number, value.values())):
            return [f"{name}={size!r}" for name, size in value.items()]
    raise InvalidInputError(
        f"{shown}: {key!r} must be {_WANTED[kind]}, got {quoted(value)}", hint="correct it in the file"
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _from_here(path: Path, value: Any) -> Any:
    """Return paths as they are from here: they are relative to the folder of the file, names stay names."""
    from bestby._core.paths import is_file

    if isinstance(value, list):
        return [_from_here(path, one) for one in value]
    name, sign, file = value.rpartition("=")
    moved = path.parent / file
    return f"{name}{sign}{moved}" if is_file(moved) else value
