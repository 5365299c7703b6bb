"""The names of all metrics, collected from the modules that define them."""

from __future__ import annotations

from bestby.metrics import (
    agreement,
    answers,
    calibration,
    chance,
    classification,
    correlation,
    language,
    multilabel,
    parsing,
    ranking,
    recognition,
    regression,
    retrieval,
    soft,
    soft_classes,
    soft_entropy,
    soft_ordered,
    spans,
    summarisation,
    tagging,
    translation,
)
from bestby.metrics.base import Names, Patterns

FAMILIES = (
    regression,
    classification,
    chance,
    ranking,
    correlation,
    soft,
    calibration,
    soft_entropy,
    soft_classes,
    soft_ordered,
    translation,
    summarisation,
    answers,
    language,
    recognition,
    parsing,
    tagging,
    spans,
    multilabel,
    retrieval,
    agreement,
)

NAMES: Names = {}
"""The metrics whose whole name is fixed."""

WITH_LABEL: Patterns = {}
"""The metrics of one label, as ``f1[LABEL]``."""

PATTERNS: Patterns = {}
"""The metrics with a part behind an ``@``, as ``ece@10``; the ``^`` of ``pass^10`` belongs to the name."""

PART_EXAMPLES: dict[str, str] = {}
"""What stands behind the ``@`` in the list of metrics."""

SUGGESTIONS: dict[str, str] = {}
"""Other names of metrics, which a message about an unknown name turns into a suggestion."""

for _family in FAMILIES:
    NAMES |= _family.NAMES
    WITH_LABEL |= getattr(_family, "WITH_LABEL", {})
    PATTERNS |= getattr(_family, "PATTERNS", {})
    PART_EXAMPLES |= dict.fromkeys(getattr(_family, "PATTERNS", {}), getattr(_family, "PART_EXAMPLE", "10"))
    SUGGESTIONS |= getattr(_family, "SUGGESTIONS", {})

SPELLINGS = retrieval.ALIASES
"""Other spellings that stand for a name: those of a reference library."""
