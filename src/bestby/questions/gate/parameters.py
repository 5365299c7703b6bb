"""What `bestby gate` takes."""

from __future__ import annotations

from typing import Any, ClassVar

from bestby._core.errors import InvalidInputError
from bestby.cli.options import argument, flag, option, record, result_file
from bestby.cli.parameters import groups, outputs
from bestby.cli.parameters.groups import Count, Names, Number, Text
from bestby.questions.items import parameters as items_parameters
from bestby.questions.slices import command as slices_parameters
from bestby.vocabulary import allowed_names

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
class Statistics(groups.Direction, groups.Resamples):
    metric: Names = groups.metrics_or_scores()
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
    cache: Text = option("FOLDER", groups.CACHE_HELP)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the margins as numbers."""
        rest = super().arguments()
        return rest if self.margin is None else {**rest, "margin": margins(self.margin)}


@record
class Output(outputs.InPercent, outputs.Tables):
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
