"""`bestby published`: a system in a file beside a score that somebody published."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Names, Text
from bestby.cli.options import Group, argument, flag, option, record, result_file
from bestby.vocabulary import allowed_names


@record
class Data(option_groups.Columns):
    gold: Names = option(
        "COLUMN|FILE",
        "Gold; without it the values are scores. Repeatable for references.",
        file="read",
        common=True,
    )
    on_missing: str = option(
        "RULE", "What to do if items lack a value: error, drop or worst.", default="error"
    )
    label_separator: Text = option_groups.label_separator_option()


@record
class Score(Group):
    heading: ClassVar[str] = "Published score"
    published: Names = option(
        "[NAME=]SCORE",
        "A score as it was published, such as 87.4% or 0.883+-0.004; without FILES two or more.",
        "--score",
        common=True,
    )
    table: Text = option(
        "FILE",
        "CSV of published scores in place of FILES: columns system and score (or model and accuracy);"
        " items, or runs and spread.",
        file="read",
        common=True,
    )
    name: Text = option("TEXT", "Name of the published system beside FILES, such as 'Smith 2020'.")
    n_items: list[int] | None = option(
        "N",
        "Number of items behind the score (default: as many as in FILES), or one for each.",
        "--items",
        common=True,
    )
    same_items: bool | None = flag(
        "Whether the published score is of the items of FILES (default: both answers if it is of as many).",
        "--same-items",
        "--other-items",
        default=None,
        common=True,
    )
    sd: Text = option(
        "SD", "Standard deviation between the published runs; FILES then hold runs, too.", common=True
    )
    spread: Text = option(
        "NAME",
        "What follows +- in the scores: sd, se, ci95 or ci95-normal; it is never guessed.",
        choices=allowed_names("spread", "published"),
        common=True,
    )
    n_runs: list[int] | None = option(
        "N", "Number of published runs, or one for each.", "--runs", common=True
    )


@record
class Statistics(option_groups.Direction):
    metric: Text = option(
        "NAME", "Metric, see 'bestby metrics'.", choices=option_groups.metric_names, common=True
    )
    level: float = option("P", "Level of the intervals.", default=0.95)


@record
class Output(option_groups.InPercent, option_groups.Tables):
    csv: Text = result_file("Write the answers under each assumption as CSV.")


@record
class Published:
    """
    FILES hold the predictions or 0/1 scores of one system, or with --runs the scores of its runs, in any form
    that 'bestby evaluate' or 'bestby runs' reads; --system chooses one of several. The metric is a share of
    right answers, such as accuracy. Without FILES, published scores are compared with each other.

    \b
    Examples:
      bestby published --score 88.3% --score 87.6% --items 872
      bestby published --score .883+-.004 --score .876+-.003 --spread sd --runs 5
      bestby published --table paper.csv
      bestby published p.csv --gold label --score 87.4% --name 'Smith 2020'
      bestby published p.csv --gold label --score 0.874 --items 1821
      bestby published seeds.csv --score 0.874 --sd 0.004 --runs 5
    """

    paths: Names = argument("FILES", default=None, file="read")
    data: Data
    score: Score
    statistics: Statistics
    output: Output


def published(values: Published, progress: Any) -> Any:
    """Read and compare."""
    from bestby._core.errors import InvalidInputError
    from bestby.comparisons.reading import reading_of
    from bestby.questions.published.compare import check_complete, compare_published
    from bestby.readers.reading import read, read_runs

    del progress  # nothing is drawn
    arguments = {**values.score.arguments(), **values.statistics.arguments()}
    table, data = arguments.pop("table", None), values.data.arguments()
    if not values.paths:
        if table is None:
            arguments["scores"] = _named(arguments.pop("published", []))
        else:
            arguments |= scores_of_table(table)
        return compare_published(**in_records(compare_published, arguments))
    scores = arguments.get("published", [])
    typed = [path for path in values.paths if re.match(r"[\d.]+ ?%?$", path)]
    if typed and not scores:
        raise InvalidInputError(
            f"{typed[0]!r} is taken for a file", hint=f"published scores are options: --score {typed[0]}"
        )
    if not scores and table is None:
        raise InvalidInputError(
            "no published score was given",
            hint=f"name it, as in --score 88.3%; if {values.paths[0]} holds published scores: --table"
            f" {values.paths[0]}",
        )
    if table is not None or len(scores) != 1:
        raise InvalidInputError(
            "FILES are compared with one published score",
            hint="give one --score beside FILES; leave out FILES to compare published scores with each other",
        )
    arguments["published"] = scores[0]
    for size in ("n_items", "n_runs"):
        if size in arguments:
            (number, *more) = arguments[size]
            arguments[size] = number
            if more:
                raise InvalidInputError(
                    f"{size} is one number beside FILES", hint="give it once", argument=size
                )
    source: Any
    if values.score.n_runs is None and values.score.sd is None:
        source = read(values.paths, **in_records(read, data), **reading_of(values.statistics.metric))
    else:
        check_complete(values.score.sd, arguments.get("n_runs"))
        if values.data.gold is not None:
            raise InvalidInputError(
                "runs are compared by their scores, which have no gold",
                hint="leave out --gold, or --sd and --runs to compare items",
            )
        del data["on_missing"]
        source = read_runs(values.paths, **in_records(read_runs, data))
    return compare_published(source, **in_records(compare_published, arguments))


def _named(texts: list[str]) -> dict[str, str]:
    """Return published scores by name; those without one are called A, B and so on.

    >>> _named(["88.3%", "bert=0.876"])
    {'A': '88.3%', 'bert': '0.876'}
    """
    from bestby._core.errors import InvalidInputError

    if len(texts) < 2:
        raise InvalidInputError(
            "without FILES, at least two published scores are compared",
            hint="give two: bestby published --score 88.3% --score 87.6% --items 872",
        )
    scores: dict[str, str] = {}
    for place, text in enumerate(texts):
        name, _, score = text.rpartition("=")
        scores.setdefault(name or (chr(65 + place) if place < 26 else f"score {place + 1}"), score)
    if len(scores) < len(texts):
        raise InvalidInputError(
            "two published scores have one name", hint="give each its own: --score NAME=SCORE"
        )
    return scores


def scores_of_table(path: str) -> dict[str, Any]:
    """Return the arguments that a table of published scores holds."""
    from bestby._core.errors import InvalidInputError
    from bestby._core.text import path_text, quoted
    from bestby.readers.one_table import one_table

    table, shown = one_table(path, "published scores", ()), path_text(path)
    columns = {_part(name): table.cells(name) for name in table.names}
    is_one_each = len(columns) == len(table.names) and {"system", "score"} <= columns.keys()
    if not is_one_each or not columns.keys() <= {"system", "score", "spread", "runs", "items"}:
        raise InvalidInputError(
            f"{shown} has the columns {', '.join(map(quoted, table.names))}",
            hint="its columns are system and score, and items, or runs and spread",
        )
    cells = (row for row in zip(*columns.values(), strict=True) if any(row))
    rows = [dict(zip(columns, row, strict=True)) for row in cells]
    names = [row["system"] for row in rows]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidInputError(f"{shown} has {quoted(twice)} twice", hint="give each system one row")
    spreads = (filter(None, (row["score"], row.get("spread", ""))) for row in rows)
    scores = ("±".join(parts).replace(",", ".") for parts in spreads)  # of a decimal comma, as in 87,4
    arguments: dict[str, Any] = {"scores": dict(zip(names, scores, strict=True))}
    for column in [name for name in ("items", "runs") if name in columns]:
        lacking = next((row["system"] for row in rows if not row[column].isdecimal()), None)
        if lacking is not None:
            raise InvalidInputError(
                f"{shown}: {quoted(lacking)} has no whole number in the column {column!r}",
                hint="write one in each row, or leave out the column",
            )
        arguments[f"n_{column}"] = [int(row[column]) for row in rows]
    return arguments


def _part(name: str) -> str:
    """Return what a column of published scores holds: of another name, the systems or their accuracy."""
    from bestby.data.table import SYSTEM_WORDS

    word = name.lower()
    return "system" if word in SYSTEM_WORDS else "score" if word in ("accuracy", "acc") else word
