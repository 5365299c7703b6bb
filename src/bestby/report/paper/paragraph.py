"""How to report a result: a paragraph for a paper, with the works that it rests on."""

from __future__ import annotations

from typing import Any

from bestby._core.lazy import module_by_name
from bestby._version import __version__
from bestby.report.references import SOFTWARE, Style, bibtex, cited, rendered
from bestby.report.words import listed
from bestby.results.base import Provenance

PARAGRAPHS = {
    "advice": "bestby.report.paper.advice",
    "allocation": "bestby.report.paper.allocation",
    "chosen": "bestby.report.paper.chosen",
    "comparison": "bestby.report.paper.comparison",
    "datasets": "bestby.report.paper.datasets",
    "folds": "bestby.report.paper.folds",
    "gate": "bestby.report.paper.gate",
    "judged": "bestby.report.paper.judged",
    "label_allocation": "bestby.report.paper.label_allocation",
    "label_plan": "bestby.report.paper.label_plan",
    "monitored": "bestby.report.paper.monitored",
    "normality": "bestby.report.paper.normality",
    "ordering": "bestby.report.paper.ordering",
    "plan": "bestby.report.paper.plan",
    "preferences": "bestby.report.paper.preferences",
    "published": "bestby.report.paper.published",
    "replicability": "bestby.report.paper.replicability",
    "runs": "bestby.report.paper.runs",
    "slices": "bestby.report.paper.slices",
    "study": "bestby.report.paper.study",
}
"""The module that says how each kind of result is reported in a paper."""

_LIBRARIES = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy"}


def paragraph(result: Any, style: Style = "text") -> str:
    """Return what was compared and how, in the first person plural, with the works that it rests on."""
    return rendered(_written(result), style)


def citations(result: Any) -> str:
    """Return the works that the paragraph cites as BibTeX, in its order."""
    return bibtex(cited(_written(result)), _version(result.provenance))


def _written(result: Any) -> str:
    kind = module_by_name(PARAGRAPHS[result.described_by])
    return " ".join(filter(None, (*kind.sentences(result), _software(result.provenance))))


def _version(provenance: Provenance | None) -> str:
    return __version__ if provenance is None else provenance.version


def _software(provenance: Provenance | None) -> str:
    known = {} if provenance is None else {name.lower(): v for name, v in provenance.versions.items()}
    others = [f"{shown} {known[name]}" for name, shown in _LIBRARIES.items() if name in known]
    text = f"All numbers were computed with bestby {_version(provenance)} [@{SOFTWARE}]"
    return f"{text}, with {listed(others)}." if others else f"{text}."
