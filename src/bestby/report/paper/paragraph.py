"""How to report a result: a paragraph for a paper, with the works that it rests on."""

from __future__ import annotations

from typing import Any

from bestby._core.lazy import module_by_name
from bestby._version import __version__
from bestby.report.references import SOFTWARE, Style, bibtex, cited, rendered
from bestby.report.words import listed
from bestby.results.base import Provenance

PARAGRAPHS = {
    "advice": "bestby.questions.advice.methods",
    "allocation": "bestby.questions.planning.allocation_methods",
    "chosen": "bestby.questions.labels.chosen_methods",
    "comparison": "bestby.questions.items.methods",
    "datasets": "bestby.questions.datasets.methods",
    "folds": "bestby.questions.folds.report",
    "gate": "bestby.questions.gate.methods",
    "judged": "bestby.questions.judged.methods",
    "label_allocation": "bestby.questions.labels.label_allocation_methods",
    "label_plan": "bestby.questions.labels.label_plan_methods",
    "monitored": "bestby.questions.monitor.methods",
    "normality": "bestby.questions.order.normality_methods",
    "ordering": "bestby.questions.order.ordering_methods",
    "plan": "bestby.questions.planning.methods",
    "preferences": "bestby.questions.preferences.methods",
    "published": "bestby.questions.published.report",
    "replicability": "bestby.report.paper.replicability",
    "runs": "bestby.questions.runs.methods",
    "slices": "bestby.questions.slices.report",
    "study": "bestby.questions.study.methods",
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
