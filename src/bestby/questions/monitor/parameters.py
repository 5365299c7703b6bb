"""What `bestby watch` takes."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from bestby._core.errors import InvalidInputError
from bestby.cli.options import Group, argument, choice, flag, option, record
from bestby.cli.parameters import groups, outputs
from bestby.cli.parameters.groups import Count, Names, Number, Text
from bestby.vocabulary import allowed_names


@record
class Data(Group):
    heading: ClassVar[str] = "Log"
    systems: Names = option("NAME", "Watch this system; repeatable (default: all of the log).", "--system")
    ignore: Names = option("KEY", "Key of a line that is not a system; repeatable.")
    items: Text = option("KEY", "Key of the item id (default: item, id or item_id).", "--item")
    system_column: Text = option("KEY", "Key of the system in a line per system (default: system or model).")
    value_column: Text = option(
        "KEY", "Key of the score in a line per system (default: score or value); of a log its metric."
    )
    clusters: Text = option("KEY", "Key of the cluster (default: cluster, if there is one).", "--cluster")
    follow: bool = flag("Wait for more lines at the end of the log, which need not be there yet.")
    patience: Number = option("SECONDS", "With --follow: end when nothing has come for so long.")
    state: Text = option("FILE", "Keep what was counted there, and go on from it.")


@record
class Statistics(groups.Direction):
    baseline: Text = option("NAME", "System that is the baseline (default: the first).")
    candidate: Text = option("NAME", "System that the decision is about (default: the other).")
    margin: Number = option("SIZE", "Smallest difference that matters; without it nothing is equivalent.")
    bounds: tuple[float, float] | None = option("LOW HIGH", "Least and greatest score (default: 0 1).")
    unbounded: bool = flag("Scores have no bounds; nothing is said of the first items then.")
    largest: Number = option("SIZE", "With --unbounded: the largest difference that one item can have.")
    n_items: Count = option(
        "N", "Items of the benchmark; with --population wider as many as can be paid for.", "--items"
    )
    population: Text = option(
        "bank|wider",
        "The question: the mean over these N items, or over items like them (default: bank with --items).",
        choices=allowed_names("population", "monitor"),
    )
    largest_cluster: Count = option("N", "The most items that a cluster has.")
    every: int = option("N", "Look after every N items, unless --looks plans the looks.", default=50)
    looks: Text = option(
        "K|N,N,...", "Planned looks: K at equal distances up to --items, or after N items each."
    )
    method: str = choice("NAME", allowed_names("method", "monitor"), "Intervals: ", default="auto")
    level: float = option("P", "Level of all looks together.", default=0.95)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of a monitor."""
        rest = super().arguments()
        if rest.pop("unbounded"):
            if self.bounds is not None:
                raise InvalidInputError(
                    "--bounds and --unbounded contradict each other", hint="give one of them"
                )
            rest["bounds"] = None
        elif self.bounds is not None and not -math.inf < self.bounds[0] < self.bounds[1] < math.inf:
            raise InvalidInputError(
                f"--bounds must be two rising numbers, got {self.bounds[0]:g} and {self.bounds[1]:g}",
                hint="--bounds 0 1, or --unbounded",
            )
        if self.largest is not None and not self.unbounded:
            raise InvalidInputError(
                "--largest is for scores without bounds, and these have bounds",
                hint="give --unbounded too, or leave out --largest",
            )
        if self.looks is not None:
            rest["looks"] = planned_looks(self.looks)
        names = ("baseline", "candidate", "every")
        return {"bounds": (0.0, 1.0), **{name: one for name, one in rest.items() if name not in names}}


def planned_looks(text: str) -> int | list[int]:
    """Return a number of looks, or the numbers of items of each.

    >>> planned_looks("3"), planned_looks("500,1000")
    (3, [500, 1000])
    """
    try:
        counts = [int(one) for one in text.split(",")]
    except ValueError as error:
        raise InvalidInputError(
            f"--looks must be a number of looks, or numbers of items, got {text!r}",
            hint="--looks 3, or --looks 500,1000,1500",
        ) from error
    return counts if "," in text else counts[0]


@record
class Watch:
    """
    FILES are one log that holds all systems, or one NAME=FILE per system: JSON Lines of scores, samples of
    lm-evaluation-harness, logs of Inspect and of other tools. A line is {"item": "q1", "a": 1, "b": 0} or
    {"item": "q1", "system": "a", "score": 1}, and may have a "cluster", whose items follow one another.

    A line is printed at every look. The intervals hold at all looks at once, so it is right to stop at any of
    them; the command stops at the first decision. Items are counted in the order in which they begin in the
    log, which must be random. Lines that were read must stay as they are.

    The exit status is 0 if the candidate is better or equivalent, 1 if it is worse, 3 if the log ends
    undecided or the items that are left cannot decide it; 2 for wrong use and logs that cannot be read, 130
    after Ctrl-C. With --state, the same command goes on where it was stopped, however it was.

    \b
    Examples:
      bestby watch scores.jsonl --margin 0.02 --items 2000
      bestby watch scores.jsonl --follow --margin 0.02 --state watch.state
      bestby watch main=main.jsonl new=new.jsonl --follow --patience 600
      bestby watch scores.jsonl --candidate new --baseline main --population wider
      bestby watch scores.jsonl --items 1500 --looks 3 --state watch.state
      bestby watch times.jsonl --unbounded --lower-is-better --html report.html
    """

    paths: list[str] = argument("FILES")
    data: Data
    statistics: Statistics
    output: outputs.Output
