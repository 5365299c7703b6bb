"""Which system is best, by how much, and how sure: comparisons of machine-learning and NLP systems."""

from __future__ import annotations

from bestby._core.lazy import door
from bestby._version import __version__ as __version__

# Not from typing, whose import takes longer than all of this: until the command line looks after interrupts,
# Ctrl-C would show where Python is.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from bestby._core.errors import BestbyError as BestbyError
    from bestby._core.errors import BoardError as BoardError
    from bestby._core.errors import DesignError as DesignError
    from bestby._core.errors import ExecutorError as ExecutorError
    from bestby._core.errors import GateFailedError as GateFailedError
    from bestby._core.errors import InvalidInputError as InvalidInputError
    from bestby._core.errors import MissingExtraError as MissingExtraError
    from bestby._core.errors import StudyError as StudyError
    from bestby.advising.advise import advise as advise
    from bestby.boards.board import Board as Board
    from bestby.comparisons.datasets.comparing import compare_datasets as compare_datasets
    from bestby.comparisons.folds.comparing import compare_folds as compare_folds
    from bestby.comparisons.gate.gating import gate as gate
    from bestby.comparisons.items import compare as compare
    from bestby.comparisons.judged.comparing import compare_judged as compare_judged
    from bestby.comparisons.monitor.monitor import Monitor as Monitor
    from bestby.comparisons.preferences.comparing import compare_preferences as compare_preferences
    from bestby.comparisons.published.comparing import compare_published as compare_published
    from bestby.comparisons.runs.comparing import compare_runs as compare_runs
    from bestby.comparisons.scores import evaluate as evaluate
    from bestby.comparisons.slices.comparing import compare_slices as compare_slices
    from bestby.comparisons.study.study import Study as Study
    from bestby.data.annotations import Annotations as Annotations
    from bestby.data.evaluation import Evaluation as Evaluation
    from bestby.data.layouts.judged import JudgedItems as JudgedItems
    from bestby.data.layouts.judged_labels import JudgedLabels as JudgedLabels
    from bestby.data.layouts.preferences import Preferences as Preferences
    from bestby.data.layouts.runs import Runs as Runs
    from bestby.inference.normality import normality as normality
    from bestby.inference.ordering import aso as aso
    from bestby.inference.ordering import aso_tightness as aso_tightness
    from bestby.inference.ordering import multi_aso as multi_aso
    from bestby.inference.replicability import replicability as replicability
    from bestby.metrics.base import MeanMetric as MeanMetric
    from bestby.metrics.base import Metric as Metric
    from bestby.metrics.base import WeightedMetric as WeightedMetric
    from bestby.metrics.derivatives import WeightDerivatives as WeightDerivatives
    from bestby.metrics.functions import FunctionMetric as FunctionMetric
    from bestby.metrics.registry import list_metrics as list_metrics
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
    from bestby.readers.datasets_and_folds import read_datasets as read_datasets
    from bestby.readers.datasets_and_folds import read_folds as read_folds
    from bestby.readers.judged import read_judged as read_judged
    from bestby.readers.labels import read_labels as read_labels
    from bestby.readers.preferences import read_preferences as read_preferences
    from bestby.readers.reading import read as read
    from bestby.readers.runs import read_runs as read_runs
    from bestby.resampling.settings import Resampling as Resampling
    from bestby.results.advice import Advice as Advice
    from bestby.results.base import Note as Note
    from bestby.results.base import Provenance as Provenance
    from bestby.results.chosen import ChosenItem as ChosenItem
    from bestby.results.chosen import ChosenItems as ChosenItems
    from bestby.results.chosen import ChosenStratum as ChosenStratum
    from bestby.results.comparison import Comparison as Comparison
    from bestby.results.comparison import Difference as Difference
    from bestby.results.comparison import SystemScore as SystemScore
    from bestby.results.datasets import DatasetComparison as DatasetComparison
    from bestby.results.folds import FoldComparison as FoldComparison
    from bestby.results.gate import Flip as Flip
    from bestby.results.gate import Gate as Gate
    from bestby.results.gate import GateCheck as GateCheck
    from bestby.results.judged import JudgedComparison as JudgedComparison
    from bestby.results.judged import JudgedDifference as JudgedDifference
    from bestby.results.judged import JudgedScore as JudgedScore
    from bestby.results.label_plans import LabelAllocation as LabelAllocation
    from bestby.results.label_plans import LabelPlan as LabelPlan
    from bestby.results.loading import load as load
    from bestby.results.monitored import MonitoredComparison as MonitoredComparison
    from bestby.results.monitored import MonitoredDifference as MonitoredDifference
    from bestby.results.monitored import MonitoredSystem as MonitoredSystem
    from bestby.results.monitored import MonitorLook as MonitorLook
    from bestby.results.normality import Normality as Normality
    from bestby.results.ordering import StochasticOrder as StochasticOrder
    from bestby.results.ordering import StochasticOrders as StochasticOrders
    from bestby.results.plans import Allocation as Allocation
    from bestby.results.plans import Plan as Plan
    from bestby.results.preferences import PreferenceComparison as PreferenceComparison
    from bestby.results.preferences import PreferenceDifference as PreferenceDifference
    from bestby.results.preferences import PreferenceScore as PreferenceScore
    from bestby.results.published import PublishedComparison as PublishedComparison
    from bestby.results.replicability import Replicability as Replicability
    from bestby.results.runs import RunsComparison as RunsComparison
    from bestby.results.runs import RunsDifference as RunsDifference
    from bestby.results.runs import Variance as Variance
    from bestby.results.runs_score import RunsScore as RunsScore
    from bestby.results.slices import SliceDifference as SliceDifference
    from bestby.results.slices import SlicesComparison as SlicesComparison
    from bestby.results.study import StudyComparison as StudyComparison
    from bestby.results.values import Interval as Interval
    from bestby.results.values import TestResult as TestResult

# Names are fetched when first used, so that `bestby --help` does not wait for NumPy and SciPy.
__getattr__, __dir__, __all__ = door(
    "bestby",
    {
        "metrics": "",
        "results": "",
        "_core.errors": (
            "BestbyError BoardError DesignError ExecutorError GateFailedError"
            " InvalidInputError MissingExtraError StudyError"
        ),
        "advising.advise": "advise",
        "boards.board": "Board",
        "comparisons.datasets.comparing": "compare_datasets",
        "comparisons.folds.comparing": "compare_folds",
        "comparisons.gate.gating": "gate",
        "comparisons.items": "compare",
        "comparisons.judged.comparing": "compare_judged",
        "comparisons.monitor.monitor": "Monitor",
        "comparisons.preferences.comparing": "compare_preferences",
        "comparisons.published.comparing": "compare_published",
        "comparisons.runs.comparing": "compare_runs",
        "comparisons.scores": "evaluate",
        "comparisons.slices.comparing": "compare_slices",
        "comparisons.study.study": "Study",
        "data.annotations": "Annotations",
        "data.evaluation": "Evaluation",
        "data.layouts.judged": "JudgedItems",
        "data.layouts.judged_labels": "JudgedLabels",
        "data.layouts.preferences": "Preferences",
        "data.layouts.runs": "Runs",
        "inference.normality": "normality",
        "inference.ordering": "aso aso_tightness multi_aso",
        "inference.replicability": "replicability",
        "metrics.base": "MeanMetric Metric WeightedMetric",
        "metrics.derivatives": "WeightDerivatives",
        "metrics.functions": "FunctionMetric",
        "metrics.registry": "list_metrics",
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
        "readers.datasets_and_folds": "read_datasets read_folds",
        "readers.judged": "read_judged",
        "readers.labels": "read_labels",
        "readers.preferences": "read_preferences",
        "readers.reading": "read",
        "readers.runs": "read_runs",
        "resampling.settings": "Resampling",
        "results.advice": "Advice",
        "results.base": "Note Provenance",
        "results.chosen": "ChosenItem ChosenItems ChosenStratum",
        "results.comparison": "Comparison Difference SystemScore",
        "results.datasets": "DatasetComparison",
        "results.folds": "FoldComparison",
        "results.gate": "Flip Gate GateCheck",
        "results.judged": "JudgedComparison JudgedDifference JudgedScore",
        "results.label_plans": "LabelAllocation LabelPlan",
        "results.loading": "load",
        "results.monitored": "MonitoredComparison MonitoredDifference MonitoredSystem MonitorLook",
        "results.normality": "Normality",
        "results.ordering": "StochasticOrder StochasticOrders",
        "results.plans": "Allocation Plan",
        "results.preferences": "PreferenceComparison PreferenceDifference PreferenceScore",
        "results.published": "PublishedComparison",
        "results.replicability": "Replicability",
        "results.runs": "RunsComparison RunsDifference Variance",
        "results.runs_score": "RunsScore",
        "results.slices": "SliceDifference SlicesComparison",
        "results.study": "StudyComparison",
        "results.values": "Interval TestResult",
    },
)
