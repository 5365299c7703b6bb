"""`bestby folds`: systems compared by cross-validation."""

from __future__ import annotations

from typing import Any

from bestby._core.errors import InvalidInputError
from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Number, Text
from bestby.cli.options import argument, choice, option, record
from bestby.vocabulary import allowed_names


@record
class Data(option_groups.Table):
    fold: Text = option("COLUMN", "Column with the fold of each row (default: fold).", common=True)
    repetition: Text = option(
        "COLUMN", "Column with the repetition of each row (default: repetition).", common=True
    )


@record
class Statistics(option_groups.ScoreFamily):
    test: str = choice(option_groups.skippable("test", "folds"), "Test.", default="auto")
    ratio: Number = option("R", "Items tested divided by items trained on (default: 1/(K-1) for K folds).")
    required: str = option("N|all", "Folds that must have an effect, for k-bonferroni.", default="all")
    inside: str = option(
        "NAME",
        "Test within a fold or repetition, as --test of compare.",
        choices=allowed_names("inside", "folds"),
        default="auto",
    )

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the number of folds as a number."""
        if self.required != "all" and not self.required.isdigit():
            raise InvalidInputError(f"--required must be a whole number or all, got {self.required!r}")
        required = self.required if self.required == "all" else int(self.required)
        return {**super().arguments(), "required": required}


@record
class Output(option_groups.InPercent, option_groups.ComparisonTables):
    kind: str = option_groups.figure_kind("folds")


@record
class Folds:
    """
    FILE is a table with a row per fold (and repetition) and a column per system, or a table with a row per
    item (and repetition) that holds its fold, its gold and its out-of-fold predictions. Without the folds,
    the repetitions are compared one by one.

    The training sets of folds overlap, so an ordinary t test of the folds rejects too often; the tests and
    intervals here are corrected for that. "auto" is corrected-t, but conservative-t for random splits and for
    several repetitions of three or more folds. If there are few items, the 5x2cv tests find differences
    between equal learners too often. If rows are items, the folds with an effect are counted, and the
    conclusions of single repetitions are compared.

    \b
    Examples:
      bestby folds scores_of_folds.csv
      bestby folds out_of_fold.csv --gold gold --repetition seed --metric f1_macro
      bestby folds splits.csv --ratio 0.25 --baseline old
    """

    path: str = argument("FILE", file="read")
    data: Data
    statistics: Statistics
    output: Output


def folds(values: Folds, progress: Any) -> Any:
    """Read and compare."""
    from bestby.comparisons.reading import reading_of
    from bestby.questions.folds.compare import compare_folds
    from bestby.readers.reading import read_folds

    reading = reading_of(values.statistics.metric)
    data: Any = read_folds(values.path, **in_records(read_folds, values.data.arguments()), **reading)
    return compare_folds(data, **in_records(compare_folds, values.statistics.arguments(), progress=progress))
