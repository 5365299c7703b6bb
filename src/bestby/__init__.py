"""Which system is best, by how much, and how sure: comparisons of machine-learning and NLP systems."""

from __future__ import annotations

from bestby._core.lazy import door
from bestby._version import __version__ as __version__

# Not from typing, whose import takes longer than all of this: until the command line looks after interrupts,
# Ctrl-C would show where Python is.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from bestby import errors as errors
    from bestby import metrics as metrics
    from bestby import planning as planning
    from bestby import results as results
    from bestby.boards.board import Board as Board
    from bestby.data.evaluation import Evaluation as Evaluation
    from bestby.data.layouts.judged import JudgedItems as JudgedItems
    from bestby.data.layouts.runs import Runs as Runs
    from bestby.data.reading import Blocks as Blocks
    from bestby.data.reading import Reading as Reading
    from bestby.data.soft import Annotations as Annotations
    from bestby.metrics.base import MeanMetric as MeanMetric
    from bestby.metrics.base import Metric as Metric
    from bestby.metrics.base import WeightDerivatives as WeightDerivatives
    from bestby.metrics.base import WeightedMetric as WeightedMetric
    from bestby.metrics.functions import FunctionMetric as FunctionMetric
    from bestby.metrics.functions import ScoreMetric as ScoreMetric
    from bestby.metrics.registry import list_metrics as list_metrics
    from bestby.questions.advice.advise import advise as advise
    from bestby.questions.agreement.compare import agreement as agreement
    from bestby.questions.attempts.compare import compare_attempts as compare_attempts
    from bestby.questions.check.check import check as check
    from bestby.questions.datasets.compare import compare_datasets as compare_datasets
    from bestby.questions.facets.compare import compare_facets as compare_facets
    from bestby.questions.folds.compare import compare_folds as compare_folds
    from bestby.questions.frontier.compare import frontier as frontier
    from bestby.questions.gate.compare import gate as gate
    from bestby.questions.items.compare import compare as compare
    from bestby.questions.items.evaluate import evaluate as evaluate
    from bestby.questions.judged.compare import compare_judged as compare_judged
    from bestby.questions.judged.source import JudgedLabels as JudgedLabels
    from bestby.questions.judged.source import read_judged as read_judged
    from bestby.questions.labels.choose import choose_items as choose_items
    from bestby.questions.labels.plan import plan_labels as plan_labels
    from bestby.questions.monitor.monitor import Monitor as Monitor
    from bestby.questions.order.normality import normality as normality
    from bestby.questions.order.ordering import aso as aso
    from bestby.questions.order.ordering import aso_tightness as aso_tightness
    from bestby.questions.order.ordering import multi_aso as multi_aso
    from bestby.questions.planning.plan import allocate as allocate
    from bestby.questions.planning.plan import minimum_detectable as minimum_detectable
    from bestby.questions.planning.plan import power as power
    from bestby.questions.planning.plan import sample_size as sample_size
    from bestby.questions.preferences.compare import compare_preferences as compare_preferences
    from bestby.questions.preferences.source import Preferences as Preferences
    from bestby.questions.preferences.source import read_preferences as read_preferences
    from bestby.questions.published.compare import compare_published as compare_published
    from bestby.questions.runs.compare import compare_runs as compare_runs
    from bestby.questions.slices.compare import compare_slices as compare_slices
    from bestby.questions.study.study import Study as Study
    from bestby.readers.files import read_labels as read_labels
    from bestby.readers.reading import read as read
    from bestby.readers.reading import read_datasets as read_datasets
    from bestby.readers.reading import read_folds as read_folds
    from bestby.readers.reading import read_runs as read_runs
    from bestby.report.loading import load as load
    from bestby.report.replicability import replicability as replicability
    from bestby.resampling.settings import Resampling as Resampling

# Names are fetched when first used, so that `bestby --help` does not wait for NumPy and SciPy.
__getattr__, __dir__, __all__ = door(
    "bestby",
    {
        "errors": "",
        "metrics": "",
        "results": "",
        "planning": "",
        "boards.board": "Board",
        "data.evaluation": "Evaluation",
        "data.layouts.judged": "JudgedItems",
        "data.layouts.runs": "Runs",
        "data.reading": "Blocks Reading",
        "data.soft": "Annotations",
        "metrics.base": "MeanMetric Metric WeightDerivatives WeightedMetric",
        "metrics.functions": "FunctionMetric ScoreMetric",
        "metrics.registry": "list_metrics",
        "questions.advice.advise": "advise",
        "questions.agreement.compare": "agreement",
        "questions.attempts.compare": "compare_attempts",
        "questions.check.check": "check",
        "questions.datasets.compare": "compare_datasets",
        "questions.facets.compare": "compare_facets",
        "questions.folds.compare": "compare_folds",
        "questions.frontier.compare": "frontier",
        "questions.gate.compare": "gate",
        "questions.items.compare": "compare",
        "questions.items.evaluate": "evaluate",
        "questions.judged.compare": "compare_judged",
        "questions.judged.source": "JudgedLabels read_judged",
        "questions.labels.choose": "choose_items",
        "questions.labels.plan": "plan_labels",
        "questions.monitor.monitor": "Monitor",
        "questions.order.normality": "normality",
        "questions.order.ordering": "aso aso_tightness multi_aso",
        "questions.planning.plan": "allocate minimum_detectable power sample_size",
        "questions.preferences.compare": "compare_preferences",
        "questions.preferences.source": "Preferences read_preferences",
        "questions.published.compare": "compare_published",
        "questions.runs.compare": "compare_runs",
        "questions.slices.compare": "compare_slices",
        "questions.study.study": "Study",
        "readers.files": "read_labels",
        "readers.reading": "read read_datasets read_folds read_runs",
        "report.loading": "load",
        "report.replicability": "replicability",
        "resampling.settings": "Resampling",
    },
)
