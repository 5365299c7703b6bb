"""The records that users receive, and nothing else."""

from __future__ import annotations

from bestby._core.lazy import door

TYPE_CHECKING = False

if TYPE_CHECKING:
    from bestby.planning.base import PlanPoint as PlanPoint
    from bestby.results.advice import Advice as Advice
    from bestby.results.advice import Case as Case
    from bestby.results.advice import Shape as Shape
    from bestby.results.advice import Step as Step
    from bestby.results.advice import Wrong as Wrong
    from bestby.results.base import MetricInfo as MetricInfo
    from bestby.results.base import Note as Note
    from bestby.results.base import Provenance as Provenance
    from bestby.results.boards import Publication as Publication
    from bestby.results.boards import SubmissionCheck as SubmissionCheck
    from bestby.results.boards import SubmissionReceipt as SubmissionReceipt
    from bestby.results.boards import Verification as Verification
    from bestby.results.by_pair import Counts as Counts
    from bestby.results.by_pair import PairTests as PairTests
    from bestby.results.chosen import ChosenItem as ChosenItem
    from bestby.results.chosen import ChosenItems as ChosenItems
    from bestby.results.chosen import ChosenStratum as ChosenStratum
    from bestby.results.comparison import Comparison as Comparison
    from bestby.results.comparison import Difference as Difference
    from bestby.results.comparison import SystemScore as SystemScore
    from bestby.results.dataset_runs import MeanImprovement as MeanImprovement
    from bestby.results.dataset_runs import RunsOnDatasets as RunsOnDatasets
    from bestby.results.dataset_runs import RunsOverall as RunsOverall
    from bestby.results.datasets import DatasetComparison as DatasetComparison
    from bestby.results.datasets import Overall as Overall
    from bestby.results.datasets import RankDifference as RankDifference
    from bestby.results.disagreements import Disagreement as Disagreement
    from bestby.results.disagreements import Disagreements as Disagreements
    from bestby.results.folds import FoldComparison as FoldComparison
    from bestby.results.folds import Spread as Spread
    from bestby.results.gate import Flip as Flip
    from bestby.results.gate import Gate as Gate
    from bestby.results.gate import GateCheck as GateCheck
    from bestby.results.judge_quality import BiasEffect as BiasEffect
    from bestby.results.judge_quality import BiasLevel as BiasLevel
    from bestby.results.judge_quality import CalibrationBin as CalibrationBin
    from bestby.results.judge_quality import EqualBias as EqualBias
    from bestby.results.judge_quality import Favour as Favour
    from bestby.results.judge_quality import HumanAgreement as HumanAgreement
    from bestby.results.judge_quality import JudgeOfSystem as JudgeOfSystem
    from bestby.results.judge_quality import JudgeQuality as JudgeQuality
    from bestby.results.judge_quality import JudgeWorth as JudgeWorth
    from bestby.results.judged import JudgedComparison as JudgedComparison
    from bestby.results.judged import JudgedDifference as JudgedDifference
    from bestby.results.judged import JudgedScore as JudgedScore
    from bestby.results.label_plans import LabelAllocation as LabelAllocation
    from bestby.results.label_plans import LabelPlan as LabelPlan
    from bestby.results.label_plans import LabelPoint as LabelPoint
    from bestby.results.label_plans import LabelSplit as LabelSplit
    from bestby.results.monitored import MonitoredComparison as MonitoredComparison
    from bestby.results.monitored import MonitoredDifference as MonitoredDifference
    from bestby.results.monitored import MonitoredSystem as MonitoredSystem
    from bestby.results.monitored import MonitorLook as MonitorLook
    from bestby.results.normality import Normality as Normality
    from bestby.results.normality import NormalityTest as NormalityTest
    from bestby.results.ordering import StochasticOrder as StochasticOrder
    from bestby.results.ordering import StochasticOrders as StochasticOrders
    from bestby.results.pairs import Differences as Differences
    from bestby.results.pairs import Pairs as Pairs
    from bestby.results.plans import Allocation as Allocation
    from bestby.results.plans import Plan as Plan
    from bestby.results.plans import Split as Split
    from bestby.results.plans import StoredDesign as StoredDesign
    from bestby.results.preferences import PreferenceComparison as PreferenceComparison
    from bestby.results.preferences import PreferenceDifference as PreferenceDifference
    from bestby.results.preferences import PreferenceScore as PreferenceScore
    from bestby.results.published import PublishedAnswer as PublishedAnswer
    from bestby.results.published import PublishedComparison as PublishedComparison
    from bestby.results.replicability import Replicability as Replicability
    from bestby.results.runs import RunsComparison as RunsComparison
    from bestby.results.runs import RunsDifference as RunsDifference
    from bestby.results.runs import Variance as Variance
    from bestby.results.runs_score import RunsScore as RunsScore
    from bestby.results.slices import Heterogeneity as Heterogeneity
    from bestby.results.slices import SliceDifference as SliceDifference
    from bestby.results.slices import SlicesComparison as SlicesComparison
    from bestby.results.study import ConditionScore as ConditionScore
    from bestby.results.study import StudyComparison as StudyComparison
    from bestby.results.study import StudyDifference as StudyDifference
    from bestby.results.values import ClassShares as ClassShares
    from bestby.results.values import Friedman as Friedman
    from bestby.results.values import Interval as Interval
    from bestby.results.values import Omnibus as Omnibus
    from bestby.results.values import TestResult as TestResult

__getattr__, __dir__, __all__ = door(
    "bestby.results",
    {
        "planning.base": "PlanPoint",
        "results.advice": "Advice Case Shape Step Wrong",
        "results.base": "MetricInfo Note Provenance",
        "results.boards": "Publication SubmissionCheck SubmissionReceipt Verification",
        "results.by_pair": "Counts PairTests",
        "results.chosen": "ChosenItem ChosenItems ChosenStratum",
        "results.comparison": "Comparison Difference SystemScore",
        "results.dataset_runs": "MeanImprovement RunsOnDatasets RunsOverall",
        "results.datasets": "DatasetComparison Overall RankDifference",
        "results.disagreements": "Disagreement Disagreements",
        "results.folds": "FoldComparison Spread",
        "results.gate": "Flip Gate GateCheck",
        "results.judge_quality": (
            "BiasEffect BiasLevel CalibrationBin EqualBias Favour HumanAgreement JudgeOfSystem"
            " JudgeQuality JudgeWorth"
        ),
        "results.judged": "JudgedComparison JudgedDifference JudgedScore",
        "results.label_plans": "LabelAllocation LabelPlan LabelPoint LabelSplit",
        "results.monitored": "MonitoredComparison MonitoredDifference MonitoredSystem MonitorLook",
        "results.normality": "Normality NormalityTest",
        "results.ordering": "StochasticOrder StochasticOrders",
        "results.pairs": "Differences Pairs",
        "results.plans": "Allocation Plan Split StoredDesign",
        "results.preferences": "PreferenceComparison PreferenceDifference PreferenceScore",
        "results.published": "PublishedAnswer PublishedComparison",
        "results.replicability": "Replicability",
        "results.runs": "RunsComparison RunsDifference Variance",
        "results.runs_score": "RunsScore",
        "results.slices": "Heterogeneity SliceDifference SlicesComparison",
        "results.study": "ConditionScore StudyComparison StudyDifference",
        "results.values": "ClassShares Friedman Interval Omnibus TestResult",
    },
)
