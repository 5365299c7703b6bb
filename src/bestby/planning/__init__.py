"""Before the study: its power, the size it needs, the smallest difference it can detect."""

from __future__ import annotations

from bestby._core.lazy import door

TYPE_CHECKING = False

if TYPE_CHECKING:
    from bestby.planning.base import Design as Design
    from bestby.planning.base import PlanPoint as PlanPoint
    from bestby.planning.choose import choose_items as choose_items
    from bestby.planning.judged import JudgedScores as JudgedScores
    from bestby.planning.labels import plan_labels as plan_labels
    from bestby.planning.lifted import LiftedScores as LiftedScores
    from bestby.planning.pilot import Pilot as Pilot
    from bestby.planning.proportions import PairedProportions as PairedProportions
    from bestby.planning.runs_items import RunsAndItems as RunsAndItems
    from bestby.planning.scores import PairedScores as PairedScores
    from bestby.planning.solve import minimum_detectable as minimum_detectable
    from bestby.planning.solve import power as power
    from bestby.planning.solve import sample_size as sample_size
    from bestby.planning.spend import allocate as allocate
    from bestby.results.label_plans import LabelAllocation as LabelAllocation
    from bestby.results.label_plans import LabelPlan as LabelPlan
    from bestby.results.plans import Allocation as Allocation
    from bestby.results.plans import Plan as Plan
    from bestby.results.plans import Split as Split

__getattr__, __dir__, __all__ = door(
    "bestby.planning",
    {
        "planning.base": "Design PlanPoint",
        "planning.choose": "choose_items",
        "planning.judged": "JudgedScores",
        "planning.labels": "plan_labels",
        "planning.lifted": "LiftedScores",
        "planning.pilot": "Pilot",
        "planning.proportions": "PairedProportions",
        "planning.runs_items": "RunsAndItems",
        "planning.scores": "PairedScores",
        "planning.solve": "minimum_detectable power sample_size",
        "planning.spend": "allocate",
        "results.label_plans": "LabelAllocation LabelPlan",
        "results.plans": "Allocation Plan Split",
    },
)
