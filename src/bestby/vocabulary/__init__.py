"""Every test, interval, correction and other choice by name, and every code of a note: the only list of them.

A term says which arguments take it, as ``"question.argument"`` with a module of `bestby.comparisons` or
`bestby.planning` as the question, or an argument alone for all questions. This must stay quick to import.
"""

from bestby.vocabulary.figures import (
    FIGURES,
    DatasetFigure,
    FigureFont,
    FigureWidth,
    FoldFigure,
    ItemFigure,
    JudgedFigure,
    RunsFigure,
    StudyFigure,
)
from bestby.vocabulary.intervals import (
    INTERVALS,
    STANDARD_ERRORS,
    DatasetRunsInterval,
    ItemInterval,
    MonitorMethod,
    PreferenceInterval,
    RunsInterval,
    StudyInterval,
)
from bestby.vocabulary.lookup import (
    KINDS,
    NONE,
    SKIPPABLE,
    allowed_names,
    choices,
    long_name,
    needs,
    terms,
)
from bestby.vocabulary.notes import NOTES, NOTES_BY_SUBJECT
from bestby.vocabulary.questions import ALTERNATIVES, CORRECTIONS, STATISTICS, ItemCorrection
from bestby.vocabulary.settings import CHOOSING, SETTINGS, Draw, FailTest, MonitorPopulation, StratifyBy
from bestby.vocabulary.significance_tests import (
    HETEROGENEITY_TESTS,
    OMNIBUS_TESTS,
    TESTS,
    DatasetTest,
    FoldTest,
    ItemTest,
    LiftedTest,
    PreferenceTest,
    ProportionsTest,
    RunsTest,
    StudyTest,
)
from bestby.vocabulary.term import Term

__all__ = [
    "ALTERNATIVES",
    "CHOOSING",
    "CORRECTIONS",
    "FIGURES",
    "HETEROGENEITY_TESTS",
    "INTERVALS",
    "KINDS",
    "NONE",
    "NOTES",
    "NOTES_BY_SUBJECT",
    "OMNIBUS_TESTS",
    "SETTINGS",
    "SKIPPABLE",
    "STANDARD_ERRORS",
    "STATISTICS",
    "TESTS",
    "DatasetFigure",
    "DatasetRunsInterval",
    "DatasetTest",
    "Draw",
    "FailTest",
    "FigureFont",
    "FigureWidth",
    "FoldFigure",
    "FoldTest",
    "ItemCorrection",
    "ItemFigure",
    "ItemInterval",
    "ItemTest",
    "JudgedFigure",
    "LiftedTest",
    "MonitorMethod",
    "MonitorPopulation",
    "PreferenceInterval",
    "PreferenceTest",
    "ProportionsTest",
    "RunsFigure",
    "RunsInterval",
    "RunsTest",
    "StratifyBy",
    "StudyFigure",
    "StudyInterval",
    "StudyTest",
    "Term",
    "allowed_names",
    "choices",
    "long_name",
    "needs",
    "terms",
]
