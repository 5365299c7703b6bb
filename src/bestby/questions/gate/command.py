"""`bestby gate`: is the candidate good enough to merge? The answer is the exit status, too."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from bestby._core.errors import InvalidInputError
from bestby.cli import option_groups, output_options
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
        "FILE", "Baseline that --save has written; FILES are then the candidate.", file="read"
    )
    settings: Text = option(
        "FILE",
        "Settings of the gate in TOML (default: bestby.toml, if it is there); none for no file.",
        "--settings",
        file="read",
    )

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `read`."""
        own = ("baseline_file", "settings")
        return {name: value for name, value in super().arguments().items() if name not in own}


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
        "SIZE|METRIC=SIZE", "Smallest loss that matters, in every metric or in one; repeatable."
    )
    fail_test: Text = option(
        "RULE",
        "By what a check with a margin fails: exact (the default; other scores than independent answers by a"
        " bound) or bound.",
        choices=allowed_names("fail_test", "gate"),
    )
    level: Number = option("P", "Level of the one-sided bounds and of the tests (default: 0.95).")
    baseline: Text = option("NAME", "System that is the baseline (default: the first).")
    candidate: Text = option("NAME", "System that is the candidate (default: the other).")
    pool: bool = flag("If a log has several tasks, check all their items together, not each task.")
    blocks: Count = option("N", "Resample blocks of N successive items, for items of ordered text.")
    cache: Text = option("FOLDER", option_groups.CACHE_HELP)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the margins as numbers."""
        rest = super().arguments()
        return rest if self.margin is None else {**rest, "margin": margins(self.margin)}


@record
class Output(output_options.InPercent, output_options.Tables):
    table: ClassVar[str | None] = "checks"
    csv: Text = result_file("Write the checks as CSV.")
    junit: Text = result_file("Write JUnit XML, a test case for each check.")
    github: bool = flag("Append Markdown to the summary of a GitHub step, and write its outputs.")
    inconclusive: Text = option(
        "STATUS",
        "Exit status of an inconclusive gate: that of pass or of fail (default: 3).",
        choices=INCONCLUSIVE,
    )
    save: Text = option(
        "FILE", "Store the system in FILES as a baseline, and compare nothing.", file="written"
    )


def margins(given: list[str]) -> float | dict[str, float]:
    """Return one margin for all metrics, or those of metrics by name.

    >>> margins([".01"]), margins(["accuracy=.01", "wer=.02"])
    (0.01, {'accuracy': 0.01, 'wer': 0.02})
    """
    found: dict[str, float] = {}
    for one in given:
        name, _, size = one.rpartition("=")
        if name.strip() in found:
            raise InvalidInputError(
                f"--margin is given twice for {name.strip() or 'all metrics'}", hint="give each metric one"
            )
        try:
            found[name.strip()] = float(size)
        except ValueError as error:
            raise InvalidInputError(
                f"--margin must be a number or METRIC=NUMBER, got {one!r}", hint="--margin accuracy=0.01"
            ) from error
    if "" not in found:
        return found
    if len(found) > 1:
        raise InvalidInputError(
            "--margin is given for all metrics and for single ones", hint="give each metric one by its name"
        )
    return found[""]


@record
class Gate:
    """
    FILES are a baseline and a candidate as 'bestby compare' reads them: one file per system, the baseline
    first, or one table that holds both. With --margin the gate passes if the data exclude, at the level, a
    loss of the margin or more, fails if they show a loss of more than the margin, and is inconclusive
    otherwise; all metrics must pass. Without a margin it is an alarm: it fails if a one-sided test shows a
    loss, corrected for several metrics by Holm's method. A pass does not show then that there is no loss.

    The exit status is 0 if the gate passes, 1 if it fails, 3 if it is inconclusive; 2 for wrong use and files
    that cannot be read, 70 for an internal error, 141 for a closed pipe.

    A file bestby.toml in the current folder may hold files, baseline_file, baseline, candidate, gold, items,
    metrics, margins, fail_test, clusters, strata, by, crossed, min_items, pool, level, inconclusive and
    format; options of the command line override it, a note says what it set, and --settings none leaves it
    unread.

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
    from bestby._core.errors import InvalidInputError
    from bestby.cli.outputs import write_result
    from bestby.questions.gate import github
    from bestby.questions.gate.settings_file import with_settings

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
        github.report(result, status, places, percent=output.percent)
    raise typer.Exit(status)


def _gate(notes: tuple[Note, ...], values: Gate, progress: Any) -> Any:
    from bestby._core.errors import InvalidInputError
    from bestby.questions.gate.compare import gate as gate_systems
    from bestby.questions.gate.stored_baseline import with_stored
    from bestby.questions.slices.source import without_bins

    cut = values.cut.arguments()
    columns = {} if "by" not in cut else {"by": without_bins(cut["by"])}
    evaluation, statistics = _read(_two_systems_only(values), **columns)
    if values.data.baseline_file is not None:
        evaluation = with_stored(values.data.baseline_file, evaluation)
    elif len(evaluation.names) == 1:
        raise InvalidInputError(
            f"a gate needs a baseline and a candidate, got one system: {evaluation.names[0]}",
            hint="give two files, a table of both, or --baseline-file",
        )
    result = gate_systems(evaluation, **cut, **statistics, progress=progress)
    return dataclasses.replace(result, notes=(*notes, *result.notes))


def _read(values: Gate, **columns: Any) -> tuple[Evaluation, dict[str, Any]]:
    """Return the systems and the arguments; one whose column says nothing is called as its file is."""
    from bestby.cli.evaluations import read_evaluation
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


def _two_systems_only(values: Gate) -> Gate:
    """Return the values of which a table is asked for the two systems alone, if both are named."""
    data, statistics = values.data, values.statistics
    names = [name for name in (statistics.baseline, statistics.candidate) if name is not None]
    if len(names) < 2 or data.systems is not None or data.baseline_file is not None:
        return values
    return dataclasses.replace(values, data=dataclasses.replace(data, systems=names))


def _save(values: Gate, path: str) -> None:
    """Store the one system of the files."""
    from bestby._core.errors import InvalidInputError
    from bestby._core.text import counted
    from bestby.cli import streams
    from bestby.cli.outputs import check_outputs
    from bestby.questions.gate.stored_baseline import stored
    from bestby.report.writers.files import place_of, write_text

    if values.output.targets() or values.output.github or values.data.baseline_file is not None:
        raise InvalidInputError(
            "--save stores a baseline and compares nothing, so nothing else can be written",
            hint="leave out the other outputs and --baseline-file, or --save",
        )
    check_outputs(values)
    with place_of(path):
        evaluation, _ = _read(values)
        text = stored(evaluation)
    write_text(path, text)
    items = counted(evaluation.n_items, "item")
    streams.print_stderr(f"stored the predictions of {evaluation.names[0]!r} on {items} in {path!r}")
