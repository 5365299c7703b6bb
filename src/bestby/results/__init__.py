"""The records that users receive, and nothing else."""

from __future__ import annotations

from bestby._core.lazy import door

TYPE_CHECKING = False

if TYPE_CHECKING:
    from bestby.boards.result import Publication as Publication
    from bestby.boards.result import SubmissionCheck as SubmissionCheck
    from bestby.boards.result import SubmissionReceipt as SubmissionReceipt
    from bestby.boards.result import Verification as Verification
    from bestby.planning.base import PlanPoint as PlanPoint
    from bestby.questions.advice.result import Advice as Advice
    from bestby.questions.advice.result import Case as Case
    from bestby.questions.advice.result import Shape as Shape
    from bestby.questions.advice.result import Step as Step
    from bestby.questions.advice.result import Wrong as Wrong
    from bestby.questions.agreement.result import Agreement as Agreement
    from bestby.questions.agreement.result import AgreementCoefficient as AgreementCoefficient
    from bestby.questions.agreement.result import AnnotatorAgreement as AnnotatorAgreement
    from bestby.questions.agreement.result import AnnotatorPair as AnnotatorPair
    from bestby.questions.agreement.result import LabelAgreement as LabelAgreement
    from bestby.questions.attempts.result import AttemptsComparison as AttemptsComparison
    from bestby.questions.attempts.result import AttemptsCurve as AttemptsCurve
    from bestby.questions.attempts.result import AttemptsDifference as AttemptsDifference
    from bestby.questions.attempts.result import BetterAt as BetterAt
    from bestby.questions.check.result import CheckedColumn as CheckedColumn
    from bestby.questions.check.result import FileCheck as FileCheck
    from bestby.questions.check.result import Finding as Finding
    from bestby.questions.check.result import ReadyCommand as ReadyCommand
    from bestby.questions.check.result import Unchecked as Unchecked
    from bestby.questions.datasets.result import DatasetComparison as DatasetComparison
    from bestby.questions.datasets.result import MeanImprovement as MeanImprovement
    from bestby.questions.datasets.result import Overall as Overall
    from bestby.questions.datasets.result import RankDifference as RankDifference
    from bestby.questions.datasets.result import RunsOnDatasets as RunsOnDatasets
    from bestby.questions.datasets.result import RunsOverall as RunsOverall
    from bestby.questions.facets.result import Facet as Facet
    from bestby.questions.facets.result import FacetAllocation as FacetAllocation
    from bestby.questions.facets.result import FacetComponent as FacetComponent
    from bestby.questions.facets.result import FacetDifference as FacetDifference
    from bestby.questions.facets.result import FacetsComparison as FacetsComparison
    from bestby.questions.facets.result import FacetStudy as FacetStudy
    from bestby.questions.folds.result import FoldComparison as FoldComparison
    from bestby.questions.folds.result import PairTests as PairTests
    from bestby.questions.folds.result import Spread as Spread
    from bestby.questions.frontier.result import Frontier as Frontier
    from bestby.questions.frontier.result import FrontierSystem as FrontierSystem
    from bestby.questions.frontier.result import SystemCost as SystemCost
    from bestby.questions.gate.result import Flip as Flip
    from bestby.questions.gate.result import Gate as Gate
    from bestby.questions.gate.result import GateCheck as GateCheck
    from bestby.questions.judged.result import BiasEffect as BiasEffect
    from bestby.questions.judged.result import BiasLevel as BiasLevel
    from bestby.questions.judged.result import CalibrationBin as CalibrationBin
    from bestby.questions.judged.result import EqualBias as EqualBias
    from bestby.questions.judged.result import Favour as Favour
    from bestby.questions.judged.result import HumanAgreement as HumanAgreement
    from bestby.questions.judged.result import JudgedComparison as JudgedComparison
    from bestby.questions.judged.result import JudgedDifference as JudgedDifference
    from bestby.questions.judged.result import JudgedScore as JudgedScore
    from bestby.questions.judged.result import JudgeOfSystem as JudgeOfSystem
    from bestby.questions.judged.result import JudgeQuality as JudgeQuality
    from bestby.questions.judged.result import JudgeWorth as JudgeWorth
    from bestby.questions.labels.result import ChosenItem as ChosenItem
    from bestby.questions.labels.result import ChosenItems as ChosenItems
    from bestby.questions.labels.result import ChosenStratum as ChosenStratum
    from bestby.questions.labels.result import LabelAllocation as LabelAllocation
    from bestby.questions.labels.result import LabelPlan as LabelPlan
    from bestby.questions.labels.result import LabelPoint as LabelPoint
    from bestby.questions.labels.result import LabelSplit as LabelSplit
    from bestby.questions.monitor.result import MonitoredComparison as MonitoredComparison
    from bestby.questions.monitor.result import MonitoredDifference as MonitoredDifference
    from bestby.questions.monitor.result import MonitoredSystem as MonitoredSystem
    from bestby.questions.monitor.result import MonitorLook as MonitorLook
    from bestby.questions.order.result import Normality as Normality
    from bestby.questions.order.result import NormalityTest as NormalityTest
    from bestby.questions.order.result import StochasticOrder as StochasticOrder
    from bestby.questions.order.result import StochasticOrders as StochasticOrders
    from bestby.questions.planning.result import Allocation as Allocation
    from bestby.questions.planning.result import FacetedAllocation as FacetedAllocation
    from bestby.questions.planning.result import FacetedSplit as FacetedSplit
    from bestby.questions.planning.result import Plan as Plan
    from bestby.questions.planning.result import Split as Split
    from bestby.questions.planning.result import StoredDesign as StoredDesign
    from bestby.questions.preferences.result import Covariate as Covariate
    from bestby.questions.preferences.result import Cycle as Cycle
    from bestby.questions.preferences.result import FitTest as FitTest
    from bestby.questions.preferences.result import Influence as Influence
    from bestby.questions.preferences.result import OrderEffect as OrderEffect
    from bestby.questions.preferences.result import PlainScore as PlainScore
    from bestby.questions.preferences.result import PreferenceComparison as PreferenceComparison
    from bestby.questions.preferences.result import PreferenceDifference as PreferenceDifference
    from bestby.questions.preferences.result import PreferencePairs as PreferencePairs
    from bestby.questions.preferences.result import PreferenceScore as PreferenceScore
    from bestby.questions.published.result import PublishedAnswer as PublishedAnswer
    from bestby.questions.published.result import PublishedComparison as PublishedComparison
    from bestby.questions.published.result import PublishedPair as PublishedPair
    from bestby.questions.published.result import PublishedScore as PublishedScore
    from bestby.questions.published.result import PublishedScores as PublishedScores
    from bestby.questions.runs.result import RunsComparison as RunsComparison
    from bestby.questions.runs.result import RunsDifference as RunsDifference
    from bestby.questions.runs.result import Variance as Variance
    from bestby.questions.slices.result import Heterogeneity as Heterogeneity
    from bestby.questions.slices.result import SliceDifference as SliceDifference
    from bestby.questions.slices.result import SlicesComparison as SlicesComparison
    from bestby.questions.study.result import ConditionScore as ConditionScore
    from bestby.questions.study.result import StudyComparison as StudyComparison
    from bestby.questions.study.result import StudyDifference as StudyDifference
    from bestby.report.comparison import BestSet as BestSet
    from bestby.report.comparison import Comparison as Comparison
    from bestby.report.comparison import Difference as Difference
    from bestby.report.comparison import FocusRank as FocusRank
    from bestby.report.comparison import Leader as Leader
    from bestby.report.comparison import RunsScore as RunsScore
    from bestby.report.comparison import SystemScore as SystemScore
    from bestby.report.differing_items import Disagreement as Disagreement
    from bestby.report.differing_items import Disagreements as Disagreements
    from bestby.report.pairs import Differences as Differences
    from bestby.report.pairs import Pairs as Pairs
    from bestby.report.replicability import Counts as Counts
    from bestby.report.replicability import Replicability as Replicability
    from bestby.results.base import MetricInfo as MetricInfo
    from bestby.results.base import Note as Note
    from bestby.results.base import Provenance as Provenance
    from bestby.results.values import ClassShares as ClassShares
    from bestby.results.values import Friedman as Friedman
    from bestby.results.values import Interval as Interval
    from bestby.results.values import Omnibus as Omnibus
    from bestby.results.values import TestResult as TestResult

__getattr__, __dir__, __all__ = door(
    "bestby.results",
    {
        "boards.result": "Publication SubmissionCheck SubmissionReceipt Verification",
        "planning.base": "PlanPoint",
        "questions.advice.result": "Advice Case Shape Step Wrong",
        "questions.agreement.result": (
            "Agreement AgreementCoefficient AnnotatorAgreement AnnotatorPair LabelAgreement"
        ),
        "questions.attempts.result": "AttemptsComparison AttemptsCurve AttemptsDifference BetterAt",
        "questions.check.result": "CheckedColumn FileCheck Finding ReadyCommand Unchecked",
        "questions.datasets.result": (
            "DatasetComparison MeanImprovement Overall RankDifference RunsOnDatasets RunsOverall"
        ),
        "questions.facets.result": (
            "Facet FacetAllocation FacetComponent FacetDifference FacetsComparison FacetStudy"
        ),
        "questions.folds.result": "FoldComparison PairTests Spread",
        "questions.frontier.result": "Frontier FrontierSystem SystemCost",
        "questions.gate.result": "Flip Gate GateCheck",
        "questions.judged.result": (
            "BiasEffect BiasLevel CalibrationBin EqualBias Favour HumanAgreement"
            " JudgedComparison JudgedDifference JudgedScore JudgeOfSystem JudgeQuality"
            " JudgeWorth"
        ),
        "questions.labels.result": (
            "ChosenItem ChosenItems ChosenStratum LabelAllocation LabelPlan LabelPoint LabelSplit"
        ),
        "questions.monitor.result": "MonitoredComparison MonitoredDifference MonitoredSystem MonitorLook",
        "questions.order.result": "Normality NormalityTest StochasticOrder StochasticOrders",
        "questions.planning.result": "Allocation FacetedAllocation FacetedSplit Plan Split StoredDesign",
        "questions.preferences.result": (
            "Covariate Cycle FitTest Influence OrderEffect PlainScore PreferenceComparison"
            " PreferenceDifference PreferencePairs PreferenceScore"
        ),
        "questions.published.result": "PublishedAnswer PublishedComparison PublishedPair PublishedScore"
        " PublishedScores",
        "questions.runs.result": "RunsComparison RunsDifference Variance",
        "questions.slices.result": "Heterogeneity SliceDifference SlicesComparison",
        "questions.study.result": "ConditionScore StudyComparison StudyDifference",
        "report.comparison": "BestSet Comparison Difference FocusRank Leader RunsScore SystemScore",
        "report.differing_items": "Disagreement Disagreements",
        "report.pairs": "Differences Pairs",
        "report.replicability": "Counts Replicability",
        "results.base": "MetricInfo Note Provenance",
        "results.values": "ClassShares Friedman Interval Omnibus TestResult",
    },
)
