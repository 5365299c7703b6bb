"""`bestby preferences`: systems compared by judgements of which of two was better."""

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
    Html,
    Item,
    Jobs,
    Json,
    Latex,
    Level,
    Markdown,
    MissingValue,
    Plot,
    Resamples,
    Seed,
    System,
    _option,
)
from bestby.cli.progress import shown
from bestby.vocabulary import choices

_MODELS = {"bradley-terry": "half", "davidson": "davidson"}
_METHODS = ("auto", *_MODELS, "win-rate")

File = Annotated[str, typer.Argument(metavar="FILE", hidden=True)]
A = Annotated[str | None, _option("COLUMN", "The first system of each row, if not called a or model_a.")]
B = Annotated[str | None, _option("COLUMN", "The second system, if not called b or model_b.")]
Winner = Annotated[str | None, _option("COLUMN", "Which was preferred, if not called winner or preference.")]
Method = Annotated[str, _option("NAME", "bradley-terry, davidson, win-rate or auto.", shown=True)]
Scale = Annotated[str, _option("log|elo", "The scale of strengths.", shown=True)]
Prior = Annotated[float, _option("N", "Judgements, half of them won, added between all pairs.", shown=True)]
OnMissing = Annotated[str, _option("error|drop", "Win rates: items that a system lacks.", shown=True)]
Interval = Annotated[str, _option("METHOD", "Win rates: as for compare; strengths: percentile.", shown=True)]
Test = Annotated[
    str, _option("NAME", "Strengths: " + choices("test", "preferences") + "; else as compare.", shown=True)
]
Figure = Annotated[str, _option("KIND", "What --plot draws: scores or forest.", shown=True)]


def preferences(
    file: File,
    a: A = None,
    b: B = None,
    winner: Winner = None,
    item: Item = None,
    cluster: Cluster = None,
    system: System = None,
    baseline: Baseline = None,
    missing_value: MissingValue = None,
    method: Method = "auto",
    scale: Scale = "log",
    prior: Prior = 0.0,
    on_missing: OnMissing = "error",
    interval: Interval = "auto",
    level: Level = 0.95,
    test: Test = "auto",
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
    figure: Figure = "scores",
) -> None:
    """Compare systems by judgements of which of two was better.

    FILE is a table with a row per judgement: columns a and b (the two systems), winner, and item (what was
    judged; its judgements are resampled together unless --cluster names other groups). The winner is the
    name of a system, a or b, tie, or a number: from 0 (B) to 1 (A), or, if one is above 1, from 1 (A) to 2
    (B). Tables are CSV, TSV, JSON Lines or Parquet; annotations of alpaca_eval are recognised.

    The method bradley-terry estimates strengths, a tie being half a win for both; davidson gives ties a
    probability of their own; win-rate compares the mean preference for each system, item by item, which
    graded preferences need. auto is win-rate for graded preferences, else bradley-terry.

    \b
    Examples:
      bestby preferences judged.csv
      bestby preferences judged.csv --scale elo --html report.html
      bestby preferences arena.jsonl --item question_id --baseline old --method davidson
      bestby preferences annotations.json --method win-rate
    """  # noqa: D301 - \b keeps the lines of the examples apart
    from bestby._core import checks
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
    checks.choice(method, _METHODS, "method")
    checks.choice(on_missing, ("error", "drop"), "on_missing")
    from bestby.data.columns import MISSING
    from bestby.readers.preferences import read_preferences

    found = read_preferences(
        file,
        a=a,
        b=b,
        winner=winner,
        item=item,
        cluster=cluster,
        systems=system or None,
        missing=MISSING if missing_value is None else missing_value,
    )
    arguments: dict[str, Any] = {
        "baseline": baseline,
        "level": level,
        "alternative": alternative,
        "correction": correction,
        "n_resamples": resamples,
        "rng": seed,
        "n_jobs": jobs,
    }
    if method == "auto":
        method = "win-rate" if found.is_graded else "bradley-terry"
    run = _by_win_rate if method == "win-rate" else _by_strength
    asked = {"interval": interval, "test": test, "scale": scale, "prior": prior, "on_missing": on_missing}
    with shown() as progress:
        comparison = run(found, method, asked, {**arguments, "progress": progress})
    outputs.write(comparison, kind=figure)


def _by_strength(found: Any, method: str, asked: dict[str, Any], arguments: dict[str, Any]) -> Any:
    """Compare strengths."""
    from bestby.comparisons.preferences.comparing import compare_preferences

    if asked["interval"] not in ("auto", "percentile"):
        raise InvalidInputError(
            f"intervals of strengths are percentile intervals, got {asked['interval']!r}",
            hint="leave --interval out, or compare win rates: --method win-rate",
        )
    _refuse(method, asked, on_missing="error")
    arguments |= {"ties": _MODELS[method], **{name: asked[name] for name in ("scale", "prior", "test")}}
    return compare_preferences(found, **arguments)


def _by_win_rate(found: Any, method: str, asked: dict[str, Any], arguments: dict[str, Any]) -> Any:
    """Compare the win rates as scores of the items."""
    from bestby.comparisons.items import compare
    from bestby.readers.win_rates import win_rates

    _refuse(method, asked, scale="log", prior=0.0)
    arguments |= {
        "interval": asked["interval"],
        "test": "permutation" if asked["test"] == "auto" else asked["test"],
    }
    return compare(win_rates(found, asked["on_missing"]), **arguments)


def _refuse(method: str, asked: dict[str, Any], **unset: Any) -> None:
    """Refuse an option that the method has no use for."""
    for name, value in unset.items():
        if asked[name] != value:
            option = f"--{name.replace('_', '-')}"
            raise InvalidInputError(
                f"{option} has no effect on --method {method}", hint=f"leave {option} out"
            )
