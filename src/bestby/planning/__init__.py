"""Before the study: its power, the size it needs, the smallest difference it can detect."""

from bestby.planning.base import Design
from bestby.planning.choose import choose_items
from bestby.planning.judged import JudgedScores
from bestby.planning.labels import plan_labels
from bestby.planning.lifted import LiftedScores
from bestby.planning.pilot import Pilot
from bestby.planning.proportions import PairedProportions
from bestby.planning.runs_items import RunsAndItems
from bestby.planning.scores import PairedScores
from bestby.planning.solve import minimum_detectable, power, sample_size
from bestby.planning.spend import allocate
from bestby.results.label_plans import LabelAllocation, LabelPlan
from bestby.results.plans import Allocation, Plan, PlanPoint, Split

__all__ = [
    "Allocation",
    "Design",
    "JudgedScores",
    "LabelAllocation",
    "LabelPlan",
    "LiftedScores",
    "PairedProportions",
    "PairedScores",
    "Pilot",
    "Plan",
    "PlanPoint",
    "RunsAndItems",
    "Split",
    "allocate",
    "choose_items",
    "minimum_detectable",
    "plan_labels",
    "power",
    "sample_size",
]
