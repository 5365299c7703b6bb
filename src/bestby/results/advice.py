"""What `advise` returns."""

from __future__ import annotations

import html
import json
import textwrap
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bestby._core.text import safe_json, visible
from bestby.results.base import report_module
from bestby.results.normality import Normality

_WIDTH = 100


_NORMALITY = (
    "description only: the advice does not depend on it, since a test chosen by a test of normality has"
    " another"
    " error rate than it has by itself [Rochon et al. 2012]"
)


@dataclass(frozen=True, slots=True)
class Wrong:
    """What would be wrong in a case.

    Parameters
    ----------
    what, why, source : str
        The mistake, the reason, and who showed it (empty for plain arithmetic).
    """

    what: str
    why: str
    source: str = ""

    def __str__(self) -> str:
        return f"{self.what}: {self.why}" + (f" [{self.source}]" if self.source else "")


@dataclass(frozen=True, slots=True)
class Shape:
    """How far the differences of two systems, item by item, are from normal.

    Parameters
    ----------
    a, b : str
        The systems; the differences are A minus B.
    normality : Normality
        Moments and tests.
    """

    a: str
    b: str
    normality: Normality


@dataclass(frozen=True, slots=True, repr=False)
class Advice:
    """The recommended test and interval, the way there, and what would be wrong.

    Parameters
    ----------
    test, interval, call : str
        The recommendation.
    interval_reason : str
        Why this interval.
    correction : str
        How p-values of several comparisons are corrected: ``"holm"``, ``"none"`` for a single one, or
        ``"part of the test"``.
    path : tuple of Step
        The questions on the way with their answers, reasons and sources.
    wrong : tuple of Wrong
        What would be wrong here, and why.
    case : Case
        What the advice was given on.
    shapes : tuple of Shape
        Normality of the differences, where data with real numbers per item were given.
    """

    test: str
    interval: str
    call: str
    interval_reason: str
    correction: str
    path: tuple[Step, ...]
    wrong: tuple[Wrong, ...]
    case: Case
    shapes: tuple[Shape, ...] = ()

    def __str__(self) -> str:
        lines = _filled("test:      ", self.test)
        lines += _filled("interval:  ", f"{self.interval} ({self.interval_reason})")
        lines += _filled("correct:   ", self.correction)
        lines += _filled("do:        ", self.call)
        lines += ["", "why"]
        for number, step in enumerate(self.path, 1):
            text = f"{step.question} {step.answer.capitalize()}. {step.reason} [{step.source}]"
            lines += _filled(f"{number:>2}. ", text)
        if self.wrong:
            lines += ["", "what would be wrong"]
            lines += [line for wrong in self.wrong for line in _filled("  - ", str(wrong))]
        if self.shapes:
            lines += ["", *_filled("", f"normality of the differences ({_NORMALITY})")]
            for shape in self.shapes:
                lines.append(f"{shape.a} - {shape.b}")
                lines += [f"  {line}" for line in str(shape.normality).splitlines()]
        return "\n".join(map(visible, lines))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = [
            ("test", self.test),
            ("interval", f"{self.interval} ({self.interval_reason})"),
            ("correct", self.correction),
            ("do", self.call),
        ]
        parts = [
            "<table>",
            *(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in rows),
            "</table>",
        ]
        parts += ["<p><b>why</b></p>", "<ol>"]
        for step in self.path:
            parts.append(
                f"<li>{escape(step.question)} <b>{escape(step.answer)}</b>. {escape(step.reason)}"
                f" <small>{escape(step.source)}</small></li>"
            )
        parts.append("</ol>")
        if self.wrong:
            parts += ["<p><b>what would be wrong</b></p>", "<ul>"]
            parts += [f"<li>{escape(str(wrong))}</li>" for wrong in self.wrong]
            parts.append("</ul>")
        if self.shapes:
            parts.append(f"<p><b>normality of the differences</b> ({escape(_NORMALITY)})</p>")
            for shape in self.shapes:
                head = escape(f"{shape.a} - {shape.b}")
                parts.append(f"<pre>{head}\n{html.escape(str(shape.normality))}</pre>")
        return "<div>\n" + "\n".join(parts) + "\n</div>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain dictionaries, lists, strings and numbers."""
        return {
            "test": self.test,
            "interval": self.interval,
            "interval_reason": self.interval_reason,
            "correction": self.correction,
            "call": self.call,
            "path": [asdict(step) for step in self.path],
            "wrong": [asdict(wrong) for wrong in self.wrong],
            "case": asdict(self.case),
            "normality": [{"a": shape.a, "b": shape.b, **shape.normality.to_dict()} for shape in self.shapes],
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the advice as JSON; write it to `path` if given."""
        text = safe_json(json.dumps(self.to_dict(), indent=2, ensure_ascii=False)) + "\n"
        if path is not None:
            write = report_module("writers.files")  # by name: the report room lies above
            write.write_text(path, text)
        return text


def escape(text: str) -> str:
    """Return text as a notebook shows it."""
    return html.escape(visible(text))


def _filled(head: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False
    )


@dataclass(frozen=True, slots=True)
class Case:
    """What is known about a comparison before it is made.

    Parameters
    ----------
    metric : str
        The measure.
    mean_of_items : bool
        Whether the score is the mean of one number per item.
    binary : bool
        Whether that number is 0 or 1.
    of_sums : bool
        Whether the score is a function of sums over items; ranks are not.
    n_items : int or None
        Items of the test set; None if only scores of whole test sets are known.
    n_differing : int or None
        Items (with clusters: clusters) on which the systems differ.
    n_systems : int
        Systems.
    n_runs : int
        Runs (seeds) of each system; with folds, repetitions of the cross-validation.
    n_datasets : int
        Datasets.
    n_folds : int
        Folds of a cross-validation; 0 if there is none.
    clustered : bool
        Whether items come in documents, speakers, templates.
    paired : bool
        Whether all systems were evaluated on the same items.
    crossed : bool
        Whether a second grouping of the items crosses the clusters.
    """

    metric: str
    mean_of_items: bool
    binary: bool
    of_sums: bool = True
    n_items: int | None = None
    n_differing: int | None = None
    n_systems: int = 2
    n_runs: int = 1
    n_datasets: int = 1
    n_folds: int = 0
    clustered: bool = False
    paired: bool = True
    crossed: bool = False

    @property
    def one_output(self) -> bool:
        """Whether there is one test set and one output of each system: the items are the sample."""
        return self.n_folds == 0 and self.n_datasets == 1 and self.n_runs == 1

    @property
    def most_differing(self) -> int | None:
        """The most items that can differ, as far as that is known."""
        return self.n_items if self.n_differing is None else self.n_differing


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path.

    Parameters
    ----------
    question, answer, reason, source : str
        What was asked, what the case answers, why that matters, who showed it.
    """

    question: str
    answer: str
    reason: str
    source: str
