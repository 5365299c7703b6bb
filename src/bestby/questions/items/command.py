"""`bestby compare`: systems in files, compared on one test set."""

from __future__ import annotations

from typing import Any, ClassVar

from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Count, Names, Text
from bestby.cli.options import argument, choice, flag, option, record, result_file
from bestby.vocabulary import allowed_names


@record
class Data(option_groups.AnyFormat):
    stream: bool | None = flag(
        "Aggregate identical rows instead of loading the table (default: automatic for large tables).",
        "--stream",
        "--no-stream",
        default=None,
    )
    annotators: Names = option(
        "A,B,...", "Gold of several annotators: their columns, or the column that names them."
    )

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the annotators separated."""
        return super().arguments() | {"annotators": option_groups.split_names(self.annotators)}


@record
class ComparedData(Data):
    on_missing: str = option_groups.on_missing_option("items")


@record
class Sampling(option_groups.ItemResamples):
    metric: Names = option_groups.metrics_or_scores()
    blocks: Count = option("N", "Resample blocks of N successive items, for items of ordered text.")
    resample_annotators: bool = flag("Resample the annotators of each item as well.")
    cache: Text = option("FOLDER", option_groups.CACHE_HELP)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with what annotators are as the word that Python takes."""
        rest = super().arguments()
        return {**rest, "annotators": "resample"} if rest.pop("resample_annotators") else rest


@record
class Statistics(option_groups.Direction, Sampling, option_groups.ItemFamily):
    baseline: Text = option_groups.baseline_option()
    focus: Text = option("NAME", "The rank of this system, named before you saw the scores, by itself.")
    simultaneous: bool = flag("Intervals, groups and verdicts that hold for all differences at once (max-T).")
    correction: str = choice(
        allowed_names("correction", "items"), "Correction for several comparisons.", default="holm"
    )


@record
class Output(option_groups.InPercent, option_groups.ComparisonTables):
    kind: str = option_groups.figure_kind("items")
    top: Count = option(
        "K",
        "Show the K best systems (default: 20 of more; in files and with --details all of up to 50).",
        shapes=(option_groups.TERMINAL, "markdown", "latex", "html", "plot"),
    )
    html_items: bool = flag(
        "List on the HTML page the items on which systems differ: this publishes gold and predictions.",
        "--items",
        shapes=("html",),
    )


@record
class Compare:
    """
    FILES are one wide table (a row per item, a column per system), one long table (columns system, item, and
    prediction or score), or one NAME=FILE per system: a value per line, .npy, or a table with an id column.
    Tables are CSV, TSV, JSON Lines or Parquet; one table may be a folder, a pattern in quotes, or - for the
    standard input. Columns called gold, item or id, cluster and stratum are taken for what their names say,
    unless --system is given.

    Soft labels are read from columns bert[neg], bert[pos], from columns of lists, from lines of several
    numbers, from .npy of shape (items, classes), and from the columns that --classes names; sets of labels
    for multi-label metrics from lists of labels, from all these with 0 and 1 in place of probabilities, and
    from texts with --label-separator. A single name after --annotators is a column that says who labelled, in
    a gold file with a row per item and annotator.

    Logs of evaluation tools (lm-evaluation-harness, Inspect, HELM, SWE-bench, alpaca_eval, promptfoo,
    DeepEval, OpenAI evals, tau-bench, MTEB, lighteval, LangSmith, Langfuse, pydantic-evals, Braintrust, Arize
    Phoenix, ragas, HumanEval, EvalPlus, BFCL), CoNLL-U, BIO columns, TREC runs, transcripts, segment scores
    of mt-metrics-eval and answers to SQuAD are recognised by their content, and suggest a metric. If the
    metric is one of texts, every line of a text is a segment.

    A table of runs, datasets or folds goes to the command for these, with the same options.

    The metric is accuracy, without gold the mean of the scores. The table is printed unless an output goes to
    - (the standard output). JSON and CSV hold every system and pair, whatever --top shows.

    \b
    Examples:
      bestby compare predictions.csv --gold label --metric f1_macro
      bestby compare predictions.csv --gold label --cluster doc --html report.html
      bestby compare 'preds/*.parquet' --gold label
      bestby compare systems.csv --gold gold.csv
      bestby compare aen=aen.txt bert=bert.txt --gold gold.txt --margin 0.01
      bestby compare scores.csv --system old --system new --json - | jq
      bestby compare latency.csv --metric seconds --lower-is-better
      bestby compare a=a.csv b=b.csv --gold gold.csv --classes neg,neu,pos
      bestby compare t.csv --gold g --metric subset_accuracy --label-separator '|'
      bestby compare old.txt new.txt --gold refs.txt --metric bleu --metric chrf
      bestby compare *.conllu --gold gold.conllu --metric las
    """

    paths: list[str] = argument("FILES", file="read")
    data: ComparedData
    statistics: Statistics
    output: Output


def compare(values: Compare, progress: Any) -> Any:
    """Read and compare."""
    from bestby.cli.inputs import read_evaluation
    from bestby.questions.items.compare import compare as compare_systems

    evaluation, statistics = read_evaluation(values)
    return compare_systems(evaluation, **in_records(compare_systems, statistics, progress=progress))


@record
class ScoresStatistics(option_groups.Direction, Sampling, option_groups.Intervals):
    level: float = option("P", "Level of the intervals.", default=0.95)


@record
class ScoresOutput(option_groups.InPercent, option_groups.Tables):
    table: ClassVar[str | None] = "scores"
    csv: Text = result_file("Write the scores as CSV.")


@record
class Evaluate:
    """
    FILES are as for 'bestby compare', but one system is enough: one wide or long table, or one file per
    system. The metric is accuracy, without gold the mean of the scores.

    \b
    Examples:
      bestby evaluate predictions.csv --gold label
      bestby evaluate bert=bert.txt --gold gold.txt --metric f1_macro
      bestby evaluate scores.csv --cluster document --json -
    """

    paths: list[str] = argument("FILES", file="read")
    data: Data
    statistics: ScoresStatistics
    output: ScoresOutput


def evaluate(values: Evaluate, progress: Any) -> Any:
    """Read and evaluate."""
    from bestby.cli.inputs import read_evaluation
    from bestby.questions.items.evaluate import evaluate as evaluate_systems

    evaluation, statistics = read_evaluation(values)
    return evaluate_systems(evaluation, **in_records(evaluate_systems, statistics, progress=progress))
