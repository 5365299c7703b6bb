"""`bestby folds`: systems compared by cross-validation."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bestby._core.errors import InvalidInputError
from bestby.cli.compare import (
    Alternative,
    Baseline,
    Cluster,
    Correction,
    Csv,
    CsvSafe,
    Higher,
    Html,
    Interval,
    Item,
    Jobs,
    Json,
    Latex,
    Level,
    Lower,
    Markdown,
    MissingValue,
    Plot,
    Resamples,
    Seed,
    System,
    SystemColumn,
    ValueColumn,
    _option,
    greater_is_better,
)
from bestby.cli.datasets import Gold, Metric
from bestby.cli.progress import shown
from bestby.vocabulary import choices

File = Annotated[str, typer.Argument(metavar="FILE", hidden=True)]
Fold = Annotated[str | None, _option("COLUMN", "The fold of each row, if not 'fold'.")]
Repetition = Annotated[str | None, _option("COLUMN", "The repetition of each row, if not 'repetition'.")]
Ratio = Annotated[float | None, _option("R", "Items tested over items trained on; 1/(K-1) by default.")]
Required = Annotated[str, _option("N|all", "Folds that must have an effect, for k-bonferroni.", shown=True)]
Test = Annotated[
    str,
    _option("NAME", choices("test", "folds") + ".", shown=True),
]
Inside = Annotated[str, _option("NAME", "The test inside a fold or repetition; see compare.", shown=True)]


def folds(
    file: File,
    fold: Fold = None,
    repetition: Repetition = None,
    gold: Gold = None,
    metric: Metric = None,
    system: System = None,
    baseline: Baseline = None,
    item: Item = None,
    cluster: Cluster = None,
    system_column: SystemColumn = None,
    value_column: ValueColumn = None,
    lower_is_better: Lower = False,
    higher_is_better: Higher = False,
    missing_value: MissingValue = None,
    ratio: Ratio = None,
    test: Test = "auto",
    required: Required = "all",
    inside: Inside = "permutation",
    interval: Interval = "auto",
    level: Level = 0.95,
    alternative: Alternative = "two-sided",
    correction: Correction = "holm",
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    jobs: Jobs = 1,
    json: Json = None,
    csv: Csv = None,
    csv_safe: CsvSafe = False,
    markdown: Markdown = None,
    latex: Latex = None,
    html: Html = None,
    plot: Plot = None,
) -> None:
    """Compare systems by cross-validation: corrected tests, spread over repetitions.

    FILE is a table with a row per fold (and repetition) and a column per system, or a table with a row per
    item (and repetition) that holds its fold, its gold and its out-of-fold predictions.

    The training sets of folds overlap, so an ordinary t test of the folds claims too much; the tests and
    intervals here are corrected for that: "auto" takes corrected-t, and conservative-t for random splits and
    for several repetitions of three or more folds. The 5x2cv tests call equal learners different too often
    where items are few. With items, it is also counted in how many folds there is an
    effect, and how far the conclusions of single repetitions lie apart.

    \b
    Examples:
      bestby folds scores_of_folds.csv
      bestby folds out_of_fold.csv --gold gold --repetition seed --metric f1_macro
      bestby folds splits.csv --ratio 0.25 --baseline old
    """  # noqa: D301 - \b keeps the lines of the examples apart
    from bestby.cli.outputs import Outputs

    outputs = Outputs.of(
        {"FILE": [file]},
        csv_safe=csv_safe,
        json=json,
        csv=csv,
        markdown=markdown,
        latex=latex,
        html=html,
        plot=plot,
    )
    if required != "all" and not required.isdigit():
        raise InvalidInputError(f"--required must be a whole number or all, got {required!r}")
    from bestby.comparisons.common.reading import of_objects
    from bestby.comparisons.folds.comparing import compare_folds
    from bestby.data.columns import MISSING
    from bestby.readers.datasets_and_folds import read_folds

    data: Any = read_folds(
        file,
        fold=fold,
        repetition=repetition,
        gold=gold,
        item=item,
        cluster=cluster,
        systems=system or None,
        system_column=system_column,
        value_column=value_column,
        missing=MISSING if missing_value is None else missing_value,
        texts=of_objects(metric),
    )
    options: dict[str, Any] = {
        "metric": metric,
        "greater_is_better": greater_is_better(lower_is_better, higher_is_better),
        "ratio": ratio,
        "required": required if required == "all" else int(required),
        "baseline": baseline,
        "interval": interval,
        "level": level,
        "test": test,
        "inside": inside,
        "alternative": alternative,
        "correction": correction,
        "n_resamples": resamples,
        "rng": seed,
        "n_jobs": jobs,
    }
    with shown() as progress:
        result = compare_folds(data, **options, progress=progress)
    outputs.write(result)
