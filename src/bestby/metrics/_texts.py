"""Metrics of texts whose statistics may be counted elsewhere and stored: their settings, and a hash."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from bestby._core.typing import FloatArray, IntArray
from bestby._core.versions import versions
from bestby.data.evaluation import Evaluation
from bestby.metrics import _items
from bestby.metrics.base import Metric
from bestby.results.base import Note


class TextMetric(Metric):
    """A metric of texts, the statistics of an item being made from its text and its references alone.

    So equal texts of several systems are counted once, in any process, and the counts can be kept.

    Attributes
    ----------
    seconds : float
        How long a text takes, roughly.
    libraries : tuple of str
        More libraries than `packages` that may change the statistics, by the names under which they are
        installed.
    """

    reads = "objects"
    seconds: ClassVar[float] = 1e-3
    libraries: ClassVar[tuple[str, ...]] = ()

    def statistics_of_texts(self, gold: Any, segments: IntArray, texts: Sequence[str]) -> FloatArray:
        """Return the statistics of texts, each that of an item; items may repeat and have any order.

        `gold` has shape (n,), `segments` the position of the item of each text.
        """
        return self.statistics(gold[segments], texts)

    def reading_notes(self, evaluation: Evaluation) -> list[Note]:
        """Return a note on references without a token; refuse them if all are."""
        return _items.token_notes(evaluation, self.name)

    def signature(self, gold: Any) -> str | None:  # noqa: ARG002
        """Return how the library that the metric follows writes down its settings, also those of the gold.

        None if there is no such line. It is a note of each result.
        """
        return None

    @property
    def built_in(self) -> bool:
        """Whether bestby brings the class: a class of the user's own may do anything in any method."""
        return type(self).__module__.partition(".")[0] == "bestby"

    def identity(self) -> str | None:
        """Return the settings that the statistics depend on; None if they cannot be told."""
        if not self.built_in or not dataclasses.is_dataclass(self):
            return None
        settings = {
            field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.compare
        }
        return f"{type(self).__module__}.{type(self).__qualname__} {settings!r}"


def cache_parts(
    metric: TextMetric, gold: Any, systems: Sequence[Sequence[str]]
) -> list[tuple[Any, ...]] | None:
    """Return all that the statistics of each system depend on; None if that cannot be told.

    That is the metric with its settings, the versions of the libraries it uses, and a hash of the references
    and the texts.
    """
    identity = metric.identity()
    if identity is None:
        return None
    used = versions((*metric.packages, *metric.libraries))
    references = _items.references(gold, metric.name)
    common = hashlib.blake2b(np.array([len(several) for several in references], np.int64).tobytes())
    common.update(_content([text for several in references for text in several]))
    out = []
    for texts in systems:
        one = common.copy()
        one.update(_content(texts))
        out.append((used, identity, one.hexdigest()))
    return out


def _content(texts: Sequence[str]) -> bytes:
    """Return bytes that no other list of texts has."""
    sizes = np.array([len(texts), *map(len, texts)], np.int64)
    return sizes.tobytes() + "".join(texts).encode("utf-8", "surrogatepass")
