"""What `bestby advise` takes."""

from __future__ import annotations

from typing import ClassVar

from bestby.cli.options import Group, argument, flag, option, record
from bestby.cli.parameters import groups, outputs
from bestby.cli.parameters.groups import Count, Names, Text


@record
class Experiment(Group):
    heading: ClassVar[str] = "Experiment"
    metric: Text = option("NAME", "Metric, see 'bestby metrics'.", choices=groups.metric_names)
    per_item: Text = option(
        "binary|real|none",
        "For a metric of your own: its number per item, if it is a mean over items.",
        choices=("binary", "real", "none"),
    )
    n_items: Count = option("N", "Items of the test set, of each dataset.", "--items")
    n_differing: Count = option("N", "Items (or clusters) on which the systems differ.", "--differing")
    n_systems: Count = option("N", "Number of systems (default: 2).", "--systems")
    n_runs: int = option("N", "Runs of each system; with folds, repetitions.", "--runs", default=1)
    n_datasets: int = option("N", "Number of datasets.", "--datasets", default=1)
    n_folds: int = option("N", "Folds of a cross-validation.", "--folds", default=0)
    clustered: bool = flag("Items come in documents, speakers or templates.")
    unpaired: bool = flag("The systems were evaluated on different items.")


@record
class Advise:
    """
    Describe the experiment, or give the FILES of 'bestby compare': the numbers of items, of differing items
    and of systems, the clusters and the kind of the scores are then read from the files. If the scores are
    real numbers per item, it is also tested how far their differences are from normal.

    \b
    Examples:
      bestby advise --metric f1_macro --items 200 --systems 5
      bestby advise --metric bleu --runs 5
      bestby advise predictions.csv --gold label --cluster document
    """

    paths: Names = argument("FILES", default=None, file="read")
    experiment: Experiment
    data: groups.Items
    output: outputs.Json
