"""The options that several commands share, in groups: data, statistics, and where results go."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from bestby._core.errors import InvalidInputError
from bestby.cli.options import File, Group, choice, flag, option, record, result_file, set_options
from bestby.vocabulary import NONE, allowed_names, choices

Text = str | None
Names = list[str] | None
Number = float | None
Count = int | None


ITEM_HELP = "Column with item ids (default: item, id or item_id)"
CACHE_HELP = "Keep the counts of texts there, for later comparisons of the same texts."


def skippable(what: str, question: str = "items") -> tuple[str, ...]:
    """Return the names that --interval or --test takes, and "none" for nothing of the kind.

    >>> skippable("interval", "preferences")
    ('auto', 'none')
    """
    return (*allowed_names(what, question), NONE)


def metric_names() -> tuple[str, ...]:
    """Return the names of the metrics, for the completion of the shell only: this imports NumPy."""
    from bestby.metrics.registry import list_metrics

    return tuple(row.name for row in list_metrics())


def split_names(values: Names) -> Names:
    """Return the names of options that are repeated, or separated by commas, or both.

    >>> split_names(["neg, neu", "pos"])
    ['neg', 'neu', 'pos']
    """
    names = [name.strip() for one in values or () for name in one.split(",")]
    return [name for name in names if name] or None


def metrics_by_task(values: list[str]) -> str | dict[str, str]:
    """Return one column as it is, several as the metrics by task; one without a task is that of all others.

    >>> metrics_by_task(["score"]), metrics_by_task(["gsm8k=exact_match", "acc"])
    ('score', {'gsm8k': 'exact_match', '*': 'acc'})
    """
    if len(values) == 1:
        return values[0]
    metrics: dict[str, str] = {}
    for value in values:
        task, _, name = value.rpartition("=")
        if (task or "*") in metrics:
            raise InvalidInputError(
                f"--value-column names {metrics[task or '*']!r} and {name!r} for {task or 'all tasks'}",
                hint="name one column, or one metric for each task: --value-column TASK=METRIC",
            )
        metrics[task or "*"] = name
    return metrics


def labels_by_name(values: list[str]) -> dict[str, str]:
    """Return the labels of names, each given as NAME=TEXT.

    >>> labels_by_name(["f1_macro=Macro-F1", "org/chat=Chat"])
    {'f1_macro': 'Macro-F1', 'org/chat': 'Chat'}
    """
    labels: dict[str, str] = {}
    for value in values:
        name, sign, label = value.partition("=")
        if not sign or name in labels:
            wrong = "names no label" if not sign else f"gives {name!r} a second label"
            raise InvalidInputError(
                f"--label {wrong}: {value!r}", hint="give each name one: --label f1_macro=Macro-F1"
            )
        labels[name] = label
    return labels


def metrics_or_scores() -> Any:
    """Declare the option for the metrics, or for the name of scores that are read."""
    return option(
        "NAME",
        "Metric, see 'bestby metrics', or a name for the scores; repeatable.",
        choices=metric_names,
        common=True,
    )


def label_separator_option() -> Any:
    """Declare the option for what separates the labels of one item."""
    return option(
        "TEXT",
        "Multi-label data: what separates the labels of an item in a cell, such as '|'; blank is none.",
    )


def on_missing_option(question: str) -> Any:
    """Declare the option for what is done about items that a system lacks."""
    return choice(
        allowed_names("on_missing", question), "What to do if a system lacks items.", default="error"
    )


def cluster_option() -> Any:
    """Declare the option for the column of clusters."""
    return option("COLUMN", "Column with the cluster of each item, such as its document.", "--cluster")


def alternative_option(question: str) -> Any:
    """Declare the option for what the tests of a question ask."""
    return choice(
        allowed_names("alternative", question),
        "Alternative of the tests, for first - second.",
        default="two-sided",
    )


def level_option() -> Any:
    """Declare the option for the level of intervals and groups."""
    return option("P", "Level of the intervals and of the groups.", default=0.95)


def baseline_option() -> Any:
    """Declare the option for the one system that all others are compared with."""
    return option("NAME", "Compare every other system with this one only.", common=True)


def margin_option() -> Any:
    """Declare the option for the margin of verdicts."""
    return option(
        "SIZE", "Smallest difference that matters; gives verdicts (better, not worse, ...).", common=True
    )


# -- data --------------------------------------------------------------------------------------------


@record
class Rows(Group):
    """The rows of a table, which may have cells without a value."""

    heading: ClassVar[str] = "Data"
    missing: Names = option(
        "TEXT", "Cell without a value, instead of NA, NaN and nan; repeatable.", "--missing-value"
    )


@record
class Columns(Rows):
    """The items and the systems of a table, in columns of their own or in a long table."""

    items: Names = option(
        "COLUMN",
        f"{ITEM_HELP}; repeat it if ids are in several.",
        "--item",
        common=True,
    )
    systems: Names = option(
        "NAME", "Take this system, or those of a pattern; repeatable (default: all).", "--system", common=True
    )
    ignore: Names = option("NAME", "Column, or pattern of columns, that is not a system; repeatable.")
    system_column: Text = option(
        "COLUMN", "Column with the systems of a long table (default: detected by name)."
    )
    value_column: Names = option(
        "COLUMN",
        "Column with the predictions or scores (default: detected by name); of logs the metric, or"
        " TASK=METRIC; repeatable.",
    )

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with one column, or the metrics by task."""
        rest = super().arguments()
        if self.value_column is not None:
            rest["value_column"] = metrics_by_task(self.value_column)
        return rest


@record
class Table(Columns):
    """A table, as datasets, folds and runs read it."""

    gold: Text = option("COLUMN", "Column with the gold; without it the values are scores.", common=True)
    clusters: Text = cluster_option()
    label_separator: Text = label_separator_option()


@record
class Items(Columns):
    """The items of one test set, as compare, plan and advise read them."""

    gold: Names = option(
        "COLUMN|FILE",
        "Gold; without it the values are scores. Repeatable for references.",
        file="read",
        common=True,
    )
    clusters: Names = option(
        "COLUMN", "Column with the cluster of each item; twice for two that cross.", "--cluster"
    )
    strata: Text = option("COLUMN", "Column with the stratum of each item.", "--stratum")
    on_missing: str = on_missing_option("same_items")
    label_separator: Text = label_separator_option()


@record
class SoftLabels(Group):
    """Distributions over classes in place of labels."""

    classes: Names = option(
        "A,B,...",
        "Soft labels or sets of labels: the classes in order, or their columns; 'columns' takes all other"
        " columns.",
    )
    normalise: bool = flag("Divide every row of soft labels by its sum.")

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the names separated."""
        names = split_names(self.classes)
        classes = {} if names is None else {"classes": "columns" if names == ["columns"] else names}
        return {**super().arguments(), **classes}


@record
class AnyFormat(SoftLabels, Items):
    """The items of one test set in files of any format, with labels of any kind."""

    format: Text = option(
        "NAME", "Format of the files: table, texts or a format by name (default: recognised)."
    )
    format_options: Names = option("NAME=VALUE", "Set an option of the format; repeatable.", "--option")


# -- statistics --------------------------------------------------------------------------------------


@record
class Intervals(Group):
    """The intervals of scores and differences."""

    heading: ClassVar[str] = "Statistics"
    interval: str = choice(skippable("interval"), "Intervals.", default="auto")
    level: float = level_option()

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with None where no intervals are to be computed."""
        return _with_none(super().arguments(), "interval")


@record
class Tests(Group):
    """The tests of the differences between systems."""

    test: str = choice(skippable("test"), "Test.", default="auto")
    alternative: str = alternative_option("items")
    correction: str = choice(
        allowed_names("correction"), "Correction for several comparisons.", default="holm"
    )

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with None where no tests are to be run."""
        return _with_none(super().arguments(), "test")


def _with_none(arguments: dict[str, Any], name: str) -> dict[str, Any]:
    """Return arguments in which None stands for the interval or the test "none".

    >>> _with_none({"interval": "none", "correction": "none"}, "interval")
    {'interval': None, 'correction': 'none'}
    """
    return {**arguments, name: None} if arguments.get(name) == NONE else arguments


@record
class Resamples(Group):
    """How resamples are drawn."""

    heading: ClassVar[str] = "Statistics"
    n_resamples: int = option("N", "Number of resamples, where any are drawn.", "--resamples", default=10_000)
    rng: int = option("N", "Seed of the resamples.", "--seed", default=0)
    n_jobs: int = option(
        "N", "Number of threads, -1 for all processors; no result depends on it.", "--jobs", default=1
    )


@record
class Direction(Group):
    """Whether higher or lower scores are better, for scores that bestby does not compute itself."""

    heading: ClassVar[str] = "Statistics"
    lower_is_better: bool = flag("Lower scores are better, for scores of your own (default: by the name).")
    higher_is_better: bool = flag("Higher scores are better, for scores of your own (default: by the name).")

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the direction as one of them."""
        if self.lower_is_better and self.higher_is_better:
            raise InvalidInputError(
                "--lower-is-better and --higher-is-better contradict each other", hint="give one of them"
            )
        rest = super().arguments()
        higher, lower = rest.pop("higher_is_better"), rest.pop("lower_is_better")
        return {**rest, "greater_is_better": higher} if higher or lower else rest


@record
class Family(Resamples, Tests, Intervals):
    """Intervals and tests of the differences between systems, and how resamples are drawn."""

    margin: Number = margin_option()


@record
class ScoreFamily(Direction, Family):
    """A family of differences in tables that may hold scores, which have a name and a direction."""

    metric: Text = option(
        "NAME", "Metric, see 'bestby metrics'; or a name for the scores.", choices=metric_names, common=True
    )
    baseline: Text = baseline_option()
    cache: Text = option("FOLDER", CACHE_HELP)


@record
class ItemResamples(Resamples):
    """Several metrics of items, and resamples that may be smaller than the test set."""

    metric: Names = option(
        "NAME", "Metric, see 'bestby metrics'; repeatable.", choices=metric_names, common=True
    )
    resample_size: Text = option("SIZE", "Items per resample: a share of all (0.2) or a number (200).")
    no_rescale: bool = flag("Do not rescale: the interval is that of a test set of that size.")

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the size as a number."""
        rest = super().arguments()
        rescale = not rest.pop("no_rescale")
        if self.resample_size is not None:
            return {**rest, "resample_size": _size(self.resample_size), "rescale": rescale}
        if not rescale:
            raise InvalidInputError(
                "--no-rescale has no effect without --resample-size: nothing is rescaled then",
                hint="leave --no-rescale out, or give --resample-size too",
            )
        return rest


@record
class ItemFamily(ItemResamples, Tests, Intervals):
    """The intervals and tests of the differences between systems over items."""

    margin: Number = margin_option()


def _size(text: str) -> float | int:
    """Return a share of the items (with a dot) or a number of them.

    >>> _size("0.2"), _size("200")
    (0.2, 200)
    """
    try:
        return float(text) if "." in text else int(text)
    except ValueError as error:
        raise InvalidInputError(
            f"--resample-size must be a share of the items or a number of them, got {text!r}",
            hint="0.2 is a fifth of the items, 200 are 200 of them",
        ) from error


TERMINAL = "terminal"
"""The form of the result that is printed where no other goes to the standard output."""


def figure_kind(question: str) -> Any:
    """Declare the option for the kind of figure of results of such a question."""
    return choice(
        allowed_names("kind", question),
        "What --plot draws.",
        "--plot-kind",
        default="auto",
        shapes=("plot",),
    )


@record
class Printed(Group):
    """How much of the result is printed, where that is not the short answer."""

    heading: ClassVar[str] = "Output"
    brief: bool = flag("Print the headline and one table.", shapes=(TERMINAL,), common=True)
    details: bool = flag("Print the whole report.", shapes=(TERMINAL,))


@record
class Json(Group):
    """Results for programs; - is the standard output."""

    heading: ClassVar[str] = "Output"
    table: ClassVar[str | None] = None  # that --csv writes, if not the first of the result
    json: Text = result_file("Write everything as JSON.", common=True)

    def written(self, *kinds: File) -> dict[str, str]:
        """Return the files, or - for the standard output, by the field that names them."""
        # As text, so that messages show what is not expanded as it was given.
        return {one.name: os.path.expanduser(one.value) for one in set_options(self) if one.file in kinds}  # noqa: PTH111

    def targets(self) -> dict[str, str]:
        """Return where the result goes: a file, or - for the standard output, by form."""
        return self.written("result")

    def arguments_of(self, form: str) -> dict[str, Any]:
        """Return the arguments that were given of a form of the result: `to_latex` takes those of latex.

        An option of one form may have the name of the form before that of its argument: latex_label.
        """
        shaping = [one for one in set_options(self) if form in one.shapes]
        return {one.name.removeprefix(f"{form}_"): one.value for one in shaping}

    def for_people(self, result: Any) -> Any:
        """Return the result as tables and figures show it."""
        return result


@record
class Output(Json, Printed):
    """How much is printed, and the files that are written."""

    csv: Text = result_file("Write the differences as CSV.")
    markdown: Text = result_file("Write the tables as Markdown.")
    latex: Text = result_file("Write the tables as LaTeX (booktabs).")
    html: Text = result_file("Write one HTML page with tables and figures.", common=True)
    plot: Text = result_file("Draw the (first) figure as .png, .svg or .pdf; - writes SVG.", common=True)
    width: Text = option(
        "WIDTH",
        f"Width of the figure in a paper: {choices('width', 'figure')}, or inches (default: what it needs).",
        "--plot-width",
        choices=allowed_names("width", "figure"),
        shapes=("plot",),
    )
    font: Text = option(
        "FONT",
        f"Letters of the figure: {choices('font', 'figure')}.",
        "--plot-font",
        choices=allowed_names("font", "figure"),
        shapes=("plot",),
    )


@record
class Tables(Output):
    """All files, with how numbers are shown, and with CSV that is safe to open in a spreadsheet."""

    latex_parts: Names = option(
        "NAME",
        "Tables to write as LaTeX: scores, differences, pairs (a matrix), ...; repeatable.",
        "--latex-part",
        shapes=("latex",),
    )
    latex_wide: bool = flag("Set all LaTeX tables over both columns of the page (table*).", shapes=("latex",))
    latex_label: Text = option("NAME", "Label of the (first) LaTeX table.", shapes=("latex",))
    latex_caption: Text = option("LATEX", "Caption of the LaTeX table, if there is one.", shapes=("latex",))
    latex_digits: Count = option(
        "N", "Decimals of scores and differences in LaTeX tables.", shapes=("latex",)
    )
    spreadsheet_safe: bool = flag(
        "CSV for spreadsheets: put ' before texts that look like formulas.",
        "--csv-safe",
        shapes=("csv", "csv_scores", "csv_judges", "csv_differences"),
    )


@record
class Labelled(Group):
    """Names of systems, metrics and datasets as readers are to see them."""

    heading: ClassVar[str] = "Output"
    labels: Names = option(
        "NAME=TEXT",
        "Show a system, metric or dataset under another name everywhere but in JSON and CSV; repeatable.",
        "--label",
    )

    def labelled(self, result: Any) -> Any:
        """Return the result with its labels, if there are some."""
        return result if self.labels is None else result.labelled(labels_by_name(self.labels))

    def for_people(self, result: Any) -> Any:
        """Return the result as tables and figures show it, with labels."""
        return self.labelled(result)


@record
class InPercent(Labelled):
    """Scores of systems in percent, and names as readers are to see them."""

    percent: bool = flag("Show scores in percent everywhere but in JSON and CSV.")

    def for_people(self, result: Any) -> Any:
        """Return the result as tables and figures show it, in percent if that was asked for."""
        from bestby.report.percent import in_percent  # the help of a command needs no reports

        labelled = self.labelled(result)
        return in_percent(labelled) if self.percent else labelled


@record
class ComparisonTables(Tables):
    """Tables of the differences, and of the scores beside them."""

    csv_scores: Text = result_file("Write the scores of the systems as CSV.")
