"""`bestby plan`: power, sample size, smallest detectable difference, and how to spend a budget."""

from __future__ import annotations

from typing import Any, ClassVar

from bestby.cli import option_groups
from bestby.cli.option_groups import Count, Names, Number, Text
from bestby.cli.options import Group, argument, choice, flag, option, record, result_file
from bestby.questions.facets.command import by_facet
from bestby.vocabulary import allowed_names

TESTS = tuple(
    dict.fromkeys(
        name for design in ("proportions", "lifted", "pilot") for name in allowed_names("test", design)
    )
)


@record
class Question(Group):
    heading: ClassVar[str] = "Question"
    n: Count = option("N", "Size of the study: items, clusters or runs.", common=True)
    power: Number = option("P", "Power wanted (default: 0.8 if --n is not given either).", common=True)
    budget: Number = option(
        "COST", "Find the best use of this budget, with --item-sd, runs in FILE, or --cost.", common=True
    )
    margin: Number = option(
        "SIZE",
        "Smallest difference that matters: plan to show that the difference is beyond it, or within it"
        " (equivalence).",
        common=True,
    )


@record
class Costs(Group):
    heading: ClassVar[str] = "Budget"
    run_cost: Number = option("COST", "Cost of one more run of both systems (default: 0).")
    item_cost: Number = option("COST", "Cost of one more item: its annotation (default: 0).")
    answer_cost: Number = option("COST", "Cost of the answers of one run to one item (default: 0).")
    max_items: Count = option("N", "Largest possible number of items.")
    max_runs: Count = option("N", "Largest possible number of runs.")
    cost: Names = option(
        "FACET=COST,...",
        "Of facets: cost of a level, or of an answer of both systems (call=.002); without --budget the"
        " cheapest levels with the power are found; repeatable.",
    )

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with the costs by facet."""
        rest = super().arguments()
        if self.cost is not None:
            rest["costs"] = by_facet(",".join(rest.pop("cost")), "--cost prompt=30,call=.002")
        return rest


@record
class Assumptions(Group):
    heading: ClassVar[str] = "Assumptions"
    accuracy: tuple[float, float] | None = option(
        "A B", "Accuracies of two systems on the same items.", common=True
    )
    agreement: Number = option(
        "P", "Share of the items that both systems have right or both have wrong.", common=True
    )
    difference: Number = option("D", "True difference to plan for, first - second.", common=True)
    sd: Number = option("SD", "Standard deviation of the differences of items.", common=True)
    design_effect: Number = option(
        "F", "With --sd: factor by which clusters multiply the variance (default: 1)."
    )
    cluster_size: Number = option("M", "With --sd: mean number of items per cluster (default: 1).")
    pilot_df: Number = option("DF", "With --sd: degrees of freedom with which it was estimated.")
    pilot_items: Count = option("N", "With --agreement: number of items on which it was measured.")
    taken_as_true: bool = flag("Treat the values of the pilot as true; do not average over its uncertainty.")
    lift: Number = option("F", "Multiply the scores of one system (FILE, a row per run) by F.")
    offset: Number = option("D", "Add D to the scores of one system.")
    runs: Count = option("R", "Runs of each system, all on the same items.")
    paired_runs: bool = flag("Run r of A and run r of B share a seed, a split or the like.")
    item_sd: Number = option("SD", "With --runs: standard deviation of the difference between items.")
    run_sd: Number = option(
        "SD", "With --runs: standard deviation of the difference between runs (default: 0)."
    )
    rest_sd: Number = option("SD", "With --runs: standard deviation of the rest (default: 0).")
    component: Names = option(
        "EFFECT=VARIANCE,...", "Variance of the difference by facet: 'prompt x item=.05'; repeatable."
    )
    levels: Names = option("FACET=N,...", "Numbers of levels of the facets in the study; repeatable.")
    fixed: Names = option("FACET,...", "With --component: facets whose levels are all that matter.")
    counted: Text = option("FACET", "Facet whose levels --n counts (default: the items).")


@record
class Data(option_groups.Items):
    systems: Names = option("NAME", "Plan for this system; twice, A then B.", "--system")
    metric: Text = option(
        "NAME", "Metric, see 'bestby metrics'.", choices=option_groups.metric_names, common=True
    )
    run: Text = option("COLUMN", "Column with the run or seed of each row (default: detected by name).")
    formula: bool = flag("Compute from the agreement or the spread of a pilot; do not simulate.")


@record
class Statistics(Group):
    heading: ClassVar[str] = "Statistics"
    test: Text = option("NAME", "Test, where there is a choice; they are listed above.", choices=TESTS)
    level: float = option("P", "1 - level is the level of the test.", default=0.95)
    alternative: str = choice(
        allowed_names("alternative"),
        "Alternative of the test, for first - second.",
        default="two-sided",
    )
    n_comparisons: int = option(
        "N", "Number of comparisons that 1 - level is divided by.", "--comparisons", default=1
    )
    n_simulations: Count = option(
        "N", "Number of simulated studies (default: 5000 of runs, 1000 of FILES).", "--simulations"
    )
    n_resamples: int = option(
        "N", "Resamples of the test in every simulated study.", "--resamples", default=999
    )
    rng: int = option("N", "Seed of the simulation.", "--seed", default=0)


@record
class Output(option_groups.Output):
    csv: Text = result_file("Write the table as CSV.")
    plot: Text = result_file("Draw the power by size as .png, .svg or .pdf; - writes SVG.")


@record
class Plan:
    """
    With --n the answer is the power, with --power the size, with both the smallest difference. The
    assumptions are one of: --accuracy and --agreement; --difference and --sd; --lift or --offset of the runs
    in FILE; --runs, --difference and --item-sd (and --run-sd, --rest-sd), or --runs and a FILE of runs and
    items; --component and --levels, or the JSON of a pilot that 'bestby facets' wrote, for several facets; or
    a pilot in FILES as 'bestby compare' reads them, whose items are resampled. If --difference is
    given, the difference of a pilot is shrunk to it. The power is averaged over the uncertainty of the spread
    and the agreement of a pilot. Human labels beside a judge are planned by 'bestby judged plan'.

    \b
    Tests, the first is the default:
      --accuracy        mcnemar, mcnemar-midp
      --lift, --offset  permutation, bootstrap, welch, mann-whitney
      pilot             auto and the others of compare

    \b
    Examples:
      bestby plan --accuracy .83 .80 --agreement .9 --power .8
      bestby plan --accuracy .80 .80 --agreement .9 --n 1000 --power .8
      bestby plan --accuracy .80 .80 --agreement .9 --margin .02 --power .8
      bestby plan pilot.csv --gold label --metric f1_macro --n 2000
      bestby plan --runs 5 --difference .02 --item-sd .3 --run-sd .01
      bestby plan pilot.json --levels prompt=6,seed=5 --n 500 --power .8
      bestby plan pilot.json --difference .01 --cost prompt=30,call=.002
    """

    paths: Names = argument("FILES", default=None, file="read")
    question: Question
    assumptions: Assumptions
    costs: Costs
    data: Data
    statistics: Statistics
    output: Output


def plan(values: Plan, progress: Any) -> Any:
    """Read and plan."""
    from bestby.planning.base import USUAL_POWER
    from bestby.questions.planning.plan import allocate, minimum_detectable, power, sample_size
    from bestby.questions.planning.source import described_design
    from bestby.resampling.settings import Resampling

    question, statistics = values.question, values.statistics
    design = described_design(values)
    common: dict[str, Any] = {
        "level": statistics.level,
        "alternative": statistics.alternative,
        "n_comparisons": statistics.n_comparisons,
    }
    simulated: dict[str, Any] = {
        "n_simulations": statistics.n_simulations,
        "n_resamples": statistics.n_resamples,
        "rng": statistics.rng,
        "resampling": Resampling(progress=progress),
    }
    costs = values.costs.arguments()
    if question.budget is not None:
        return allocate(design, question.budget, **costs, **common)
    if costs:
        return allocate(design, power=question.power or USUAL_POWER, **costs, **common)
    if question.n is None:
        wanted = USUAL_POWER if question.power is None else question.power
        return sample_size(design, wanted, **common, **simulated)
    if question.power is None:
        return power(design, question.n, **common, **simulated)
    return minimum_detectable(design, question.n, question.power, **common, **simulated)
