"""How to report a result: a paragraph for a paper, with the works that it rests on."""

from __future__ import annotations

from typing import Any

from bestby._version import __version__
from bestby.report.document import kind_of
from bestby.report.references import SOFTWARE, Style, bibtex, cited, rendered
from bestby.report.words import listed
from bestby.results.base import Provenance

_LIBRARIES = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy"}


def paragraph(result: Any, style: Style = "text") -> str:
    """Return what was compared and how, in the first person plural, with the works that it rests on."""
    return rendered(_written(result), style)


def citations(result: Any) -> str:
    """Return the works that the paragraph cites as BibTeX, in its order."""
    return bibtex(cited(_written(result)), _version(result.provenance))


def _written(result: Any) -> str:
    return " ".join(filter(None, (*kind_of(result).sentences(result), _software(result.provenance))))


def _version(provenance: Provenance | None) -> str:
    return __version__ if provenance is None else provenance.version


def _software(provenance: Provenance | None) -> str:
    known = {} if provenance is None else {name.lower(): v for name, v in provenance.versions.items()}
    others = [f"{shown} {known[name]}" for name, shown in _LIBRARIES.items() if name in known]
    text = f"All numbers were computed with bestby {_version(provenance)} [@{SOFTWARE}]"
    return f"{text}, with {listed(others)}." if others else f"{text}."
