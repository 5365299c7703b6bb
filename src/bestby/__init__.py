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
    from bestby.boards.board import Board as Board
    from bestby.data.blocks import Blocks as Blocks
    from bestby.data.evaluation import Evaluation as Evaluation
    from bestby.data.layouts.judged import JudgedItems as JudgedItems
    from bestby.data.layouts.runs import Runs as Runs
    from bestby.data.reading import Reading as Reading
    from bestby.data.soft import Annotations as Annotations
    from bestby.metrics.base import MeanMetric as MeanMetric
    from bestby.metrics.base import Metric as Metric
    from bestby.metrics.base import WeightDerivatives as WeightDerivatives
    from bestby.metrics.base import WeightedMetric as WeightedMetric
    from bestby.metrics.functions import FunctionMetric as FunctionMetric
    from bestby.metrics.registry import list_metrics as list_metrics
    from bestby.metrics.score_metric import ScoreMetric as ScoreMetric
    from bestby.planning.paired import PairedProportions as PairedProportions
    from bestby.planning.paired import PairedScores as PairedScores
    from bestby.questions.advice.advise import advise as advise
    from bestby.questions.advice.result import Advice as Advice
    from bestby.questions.check.check import check as check
    from bestby.questions.check.result import FileCheck as FileCheck
    from bestby.questions.datasets.compare import compare_datasets as compare_datasets
    from bestby.questions.datasets.result import DatasetComparison as DatasetComparison
    from bestby.questions.folds.compare import compare_folds as compare_folds
    from bestby.questions.folds.result import FoldComparison as FoldComparison
    from bestby.questions.gate.compare import gate as gate
    from bestby.questions.gate.result import Flip as Flip
    from bestby.questions.gate.result import Gate as Gate
    from bestby.questions.gate.result import GateCheck as GateCheck
    from bestby.questions.items.compare import compare as compare
    from bestby.questions.items.evaluate import evaluate as evaluate
    from bestby.questions.judged.compare import compare_judged as compare_judged
    from bestby.questions.judged.result import JudgedComparison as JudgedComparison
    from bestby.questions.judged.result import JudgedDifference as JudgedDifference
    from bestby.questions.judged.result import JudgedScore as JudgedScore
    from bestby.questions.judged.source import JudgedLabels as JudgedLabels
    from bestby.questions.judged.source import read_judged as read_judged
    from bestby.questions.labels.choose import choose_items as choose_items
    from bestby.questions.labels.judged_scores import JudgedScores as JudgedScores
    from bestby.questions.labels.plan import plan_labels as plan_labels
    from bestby.questions.labels.result import ChosenItem as ChosenItem
    from bestby.questions.labels.result import ChosenItems as ChosenItems
    from bestby.questions.labels.result import ChosenStratum as ChosenStratum
    from bestby.questions.labels.result import LabelAllocation as LabelAllocation
    from bestby.questions.labels.result import LabelPlan as LabelPlan
    from bestby.questions.monitor.monitor import Monitor as Monitor
    from bestby.questions.monitor.result import MonitoredComparison as MonitoredComparison
    from bestby.questions.monitor.result import MonitoredDifference as MonitoredDifference
    from bestby.questions.monitor.result import MonitoredSystem as MonitoredSystem
    from bestby.questions.monitor.result import MonitorLook as MonitorLook
    from bestby.questions.order.normality import normality as normality
    from bestby.questions.order.ordering import aso as aso
    from bestby.questions.order.ordering import aso_tightness as aso_tightness
    from bestby.questions.order.ordering import multi_aso as multi_aso
    from bestby.questions.order.result import Normality as Normality
    from bestby.questions.order.result import StochasticOrder as StochasticOrder
    from bestby.questions.order.result import StochasticOrders as StochasticOrders
    from bestby.questions.planning.plan import allocate as allocate
    from bestby.questions.planning.plan import minimum_detectable as minimum_detectable
    from bestby.questions.planning.plan import power as power
    from bestby.questions.planning.plan import sample_size as sample_size
    from bestby.questions.planning.result import Allocation as Allocation
    from bestby.questions.planning.result import Plan as Plan
    from bestby.questions.planning.runs_items import RunsAndItems as RunsAndItems
    from bestby.questions.planning.simulated import LiftedScores as LiftedScores
    from bestby.questions.planning.simulated import Pilot as Pilot
    from bestby.questions.preferences.compare import compare_preferences as compare_preferences
    from bestby.questions.preferences.result import PreferenceComparison as PreferenceComparison
    from bestby.questions.preferences.result import PreferenceDifference as PreferenceDifference
    from bestby.questions.preferences.result import PreferenceScore as PreferenceScore
    from bestby.questions.preferences.source import Preferences as Preferences
    from bestby.questions.preferences.source import read_preferences as read_preferences
    from bestby.questions.published.compare import compare_published as compare_published
    from bestby.questions.published.result import PublishedComparison as PublishedComparison
    from bestby.questions.published.result import PublishedScores as PublishedScores
    from bestby.questions.runs.compare import compare_runs as compare_runs
    from bestby.questions.runs.result import RunsComparison as RunsComparison
    from bestby.questions.runs.result import RunsDifference as RunsDifference
    from bestby.questions.runs.result import Variance as Variance
    from bestby.questions.slices.compare import compare_slices as compare_slices
    from bestby.questions.slices.result import SliceDifference as SliceDifference
    from bestby.questions.slices.result import SlicesComparison as SlicesComparison
    from bestby.questions.study.result import StudyComparison as StudyComparison
    from bestby.questions.study.study import Study as Study
    from bestby.readers.files import read_labels as read_labels
    from bestby.readers.reading import read as read
    from bestby.readers.reading import read_datasets as read_datasets
    from bestby.readers.reading import read_folds as read_folds
    from bestby.readers.reading import read_runs as read_runs
    from bestby.report.comparison import Comparison as Comparison
    from bestby.report.comparison import Difference as Difference
    from bestby.report.comparison import RunsScore as RunsScore
    from bestby.report.comparison import SystemScore as SystemScore
    from bestby.report.loading import load as load
    from bestby.report.replicability import Replicability as Replicability
    from bestby.report.replicability import replicability as replicability
    from bestby.resampling.settings import Resampling as Resampling
    from bestby.results.base import Note as Note
    from bestby.results.base import Provenance as Provenance
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
        "boards.board": "Board",
        "data.annotations": "Annotations",
        "data.blocks": "Blocks",
        "data.evaluation": "Evaluation",
        "data.layouts.judged": "JudgedItems",
        "data.layouts.runs": "Runs",
        "data.reading": "Reading",
        "data.soft": "Annotations",
        "metrics.base": "MeanMetric Metric WeightDerivatives WeightedMetric",
        "metrics.functions": "FunctionMetric",
        "metrics.registry": "list_metrics",
        "metrics.score_metric": "ScoreMetric",
        "planning.paired": "PairedProportions PairedScores",
        "questions.advice.advise": "advise",
        "questions.advice.result": "Advice",
        "questions.check.check": "check",
        "questions.check.result": "FileCheck",
        "questions.datasets.compare": "compare_datasets",
        "questions.datasets.result": "DatasetComparison",
        "questions.folds.compare": "compare_folds",
        "questions.folds.result": "FoldComparison",
        "questions.gate.compare": "gate",
        "questions.gate.result": "Flip Gate GateCheck",
        "questions.items.compare": "compare",
        "questions.items.evaluate": "evaluate",
        "questions.judged.compare": "compare_judged",
        "questions.judged.result": "JudgedComparison JudgedDifference JudgedScore",
        "questions.judged.source": "JudgedLabels read_judged",
        "questions.labels.choose": "choose_items",
        "questions.labels.judged_scores": "JudgedScores",
        "questions.labels.plan": "plan_labels",
        "questions.labels.result": "ChosenItem ChosenItems ChosenStratum LabelAllocation LabelPlan",
        "questions.monitor.monitor": "Monitor",
        "questions.monitor.result": "MonitoredComparison MonitoredDifference MonitoredSystem MonitorLook",
        "questions.order.normality": "normality",
        "questions.order.ordering": "aso aso_tightness multi_aso",
        "questions.order.result": "Normality StochasticOrder StochasticOrders",
        "questions.planning.plan": "allocate minimum_detectable power sample_size",
        "questions.planning.result": "Allocation Plan",
        "questions.planning.runs_items": "RunsAndItems",
        "questions.planning.simulated": "LiftedScores Pilot",
        "questions.preferences.compare": "compare_preferences",
        "questions.preferences.result": "PreferenceComparison PreferenceDifference PreferenceScore",
        "questions.preferences.source": "Preferences read_preferences",
        "questions.published.compare": "compare_published",
        "questions.published.result": "PublishedComparison PublishedScores",
        "questions.runs.compare": "compare_runs",
        "questions.runs.result": "RunsComparison RunsDifference Variance",
        "questions.slices.compare": "compare_slices",
        "questions.slices.result": "SliceDifference SlicesComparison",
        "questions.study.result": "StudyComparison",
        "questions.study.study": "Study",
        "readers.files": "read_labels",
        "readers.reading": "read read_datasets read_folds read_runs",
        "report.comparison": "Comparison Difference RunsScore SystemScore",
        "report.loading": "load",
        "report.replicability": "replicability Replicability",
        "resampling.settings": "Resampling",
        "results.base": "Note Provenance",
        "results.values": "Interval TestResult",
    },
)
