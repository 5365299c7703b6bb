"""Before the study: its power, the size it needs, the smallest difference it can detect."""

from __future__ import annotations

from bestby._core.lazy import door

TYPE_CHECKING = False

if TYPE_CHECKING:
    from bestby.planning.base import Design as Design
    from bestby.planning.base import PlanPoint as PlanPoint
    from bestby.planning.paired import PairedProportions as PairedProportions
    from bestby.planning.paired import PairedScores as PairedScores
    from bestby.questions.facets.faceted_scores import FacetedScores as FacetedScores
    from bestby.questions.labels.choose import choose_items as choose_items
    from bestby.questions.labels.judged_scores import JudgedScores as JudgedScores
    from bestby.questions.labels.plan import plan_labels as plan_labels
    from bestby.questions.labels.result import LabelAllocation as LabelAllocation
    from bestby.questions.labels.result import LabelPlan as LabelPlan
    from bestby.questions.planning.plan import allocate as allocate
    from bestby.questions.planning.plan import minimum_detectable as minimum_detectable
    from bestby.questions.planning.plan import power as power
    from bestby.questions.planning.plan import sample_size as sample_size
    from bestby.questions.planning.result import Allocation as Allocation
    from bestby.questions.planning.result import Plan as Plan
    from bestby.questions.planning.result import Split as Split
    from bestby.questions.planning.runs_items import RunsAndItems as RunsAndItems
    from bestby.questions.planning.simulated import LiftedScores as LiftedScores
    from bestby.questions.planning.simulated import Pilot as Pilot

__getattr__, __dir__, __all__ = door(
    "bestby.planning",
    {
        "planning.base": "Design PlanPoint",
        "planning.paired": "PairedProportions PairedScores",
        "questions.facets.faceted_scores": "FacetedScores",
        "questions.labels.choose": "choose_items",
        "questions.labels.judged_scores": "JudgedScores",
        "questions.labels.plan": "plan_labels",
        "questions.labels.result": "LabelAllocation LabelPlan",
        "questions.planning.plan": "allocate minimum_detectable power sample_size",
        "questions.planning.result": "Allocation Plan Split",
        "questions.planning.runs_items": "RunsAndItems",
        "questions.planning.simulated": "LiftedScores Pilot",
    },
)
