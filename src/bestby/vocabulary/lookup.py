"""Look terms up: by argument, by kind and name."""

from __future__ import annotations

from functools import cache
from typing import Any

from bestby._core import hints
from bestby.vocabulary.figures import FIGURES
from bestby.vocabulary.intervals import INTERVALS, STANDARD_ERRORS
from bestby.vocabulary.questions import ALTERNATIVES, CORRECTIONS, STATISTICS
from bestby.vocabulary.settings import CHOOSING, SETTINGS
from bestby.vocabulary.significance_tests import HETEROGENEITY_TESTS, OMNIBUS_TESTS, TESTS
from bestby.vocabulary.term import Term

SKIPPABLE = tuple(
    f"{question}.{argument}"
    for question in ("items", "runs", "datasets", "dataset_runs", "folds", "preferences", "study")
    for argument in ("interval", "test")
)
"""The arguments for which None means that nothing of the kind is computed."""

NONE = "none"
"""What the command line writes for this None."""

KINDS = {
    "test": TESTS,
    "interval": INTERVALS,
    "correction": CORRECTIONS,
    "alternative": ALTERNATIVES,
    "statistic": STATISTICS,
    "omnibus": OMNIBUS_TESTS,
    "heterogeneity": HETEROGENEITY_TESTS,
    "standard error": STANDARD_ERRORS,
    "setting": SETTINGS,
    "figure": FIGURES,
    "choosing": CHOOSING,
}


def terms(argument: str, question: str = "") -> tuple[Term, ...]:
    """Return the terms that an argument takes, such as the `test` of a comparison of "items"."""
    wanted = {argument, f"{question}.{argument}"}
    return tuple(term for kind in KINDS.values() for term in kind if wanted.intersection(term.arguments))


@cache
def allowed_names(argument: str, question: str = "") -> tuple[Any, ...]:
    """Return the names that an argument takes; `bestby._core.typing` and the modules of terms have types.

    >>> allowed_names("across", "datasets")
    ('auto', 'permutation', 'sign', 'wilcoxon', 't', 'hall')
    """
    return tuple(term.name for term in terms(argument, question))


@cache
def needs(kind: str, name: str) -> tuple[str, ...]:
    """Return what a term requires of the data; nothing for a name that no term has.

    >>> needs("interval", "two-way")
    ('units', 'crossed')
    """
    return next((term.needs for term in KINDS[kind] if term.name == name), ())


def choices(argument: str, question: str = "") -> str:
    """Return the names that an argument takes as a help text lists them.

    >>> choices("correction")
    'holm, bonferroni, bh or none'
    """
    *most, last = allowed_names(argument, question)
    return f"{', '.join(most)} or {last}"


def long_name(kind: str, name: str) -> str:
    """Return what reports call a term; a name that no term has stays as it is.

    >>> long_name("test", "wald")
    'Wald test with robust standard errors'
    """
    return next((term.long_name for term in KINDS[kind] if term.name == name), name)


for _argument in ("test", "interval", "correction", "alternative"):
    hints.COUNTERPARTS[_argument] = {term.name: term.also for term in KINDS[_argument] if term.arguments}
hints.OF_COMPARE |= {name: allowed_names(name, "items") for name in hints.OF_COMPARE}
