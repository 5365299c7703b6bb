"""The report of tests of normality."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import attrgetter
from typing import Any

from bestby._core.text import percentage
from bestby.questions.order import figure
from bestby.questions.order.result import Normality
from bestby.report import data
from bestby.report.column import Cell, Look, as_name, written
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows
from bestby.report.numbers import p_text
from bestby.report.references import cite
from bestby.report.tables import Table
from bestby.report.words import listed

TABLES = {
    "tests": Rows(
        (
            Field("name", header="test", format=as_name),
            Field("statistic", header="statistic", format=written(".4f")),
            Field("p_value", header="p", format=lambda p, _look: Cell(p_text(p), p)),
            Field("error"),
        ),
        attrgetter("tests"),
    )
}


def document(n: Normality) -> Document:
    """Return the report of tests of normality: the moments, and a table of the tests."""
    caption = "Points outside the band are unusual for a normal distribution; ties are steps."
    return one_section(
        n,
        title=f"How far {n.n} values are from a normal distribution",
        subtitle=f"{n.n} values",
        methods="P-values of the Anderson-Darling and Lilliefors statistics: simulated normal samples.",
        name="normality",
        lead=f"{_described(n)}.",
        tables=(tests_table(n, f"Tests of normality of {n.n} values"),),
        pictures=(Picture("Values against normal quantiles", caption, partial(figure.normality, n)),),
    )


def tests_table(n: Normality, caption: str) -> Table:
    """Return the table of the tests."""
    return Table.of(caption, TABLES["tests"].shown(n, Look()), n.tests, main=1)


def _described(n: Normality) -> str:
    return (
        f"{n.n} values: mean {n.mean:.4g}, standard deviation {n.std:.4g}, skewness"
        f" {n.skewness:.2f}, excess kurtosis {n.kurtosis:.2f}, {percentage(n.tied)} tied"
    )


def text(n: Normality) -> str:
    """Return moments, tests and notes as lines of text."""
    lines = [_described(n)]
    lines += [f"  {t.name:16}  {t.statistic:7.4f}  p = {t.p_value:.2g}" for t in n.tests]
    return "\n".join([*lines, *(f"  Note: {note.message}" for note in n.notes)])


def dictionary(n: Normality) -> dict[str, Any]:
    """Return moments, tests and notes as dictionaries and lists."""
    names = ("n", "mean", "std", "skewness", "kurtosis", "tied")
    return {
        **{name: getattr(n, name) for name in names},
        "tests": TABLES["tests"].rows(n),
        "notes": data.notes_as_dicts(n.notes),
    }


def sentences(n: Normality) -> Iterator[str]:
    """Yield how normality was tested."""
    tests = listed([test.name.title() for test in n.tests])
    yield (
        f"We described the distribution of {n.n} values by its moments and by tests of normality ({tests})"
        f"{cite('analysis', 'normality')}. No other test was chosen by their outcome."
    )
