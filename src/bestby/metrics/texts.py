"""What metrics of texts share: what an item is, and statistics that may be counted elsewhere and stored."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import FloatArray, IntArray
from bestby._core.versions import versions
from bestby.data.evaluation import Evaluation
from bestby.metrics._items import required_gold
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
        return token_notes(evaluation, self.name)

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
        """Return the settings that the statistics depend on; None if they are unknown."""
        if not self.built_in or not dataclasses.is_dataclass(self):
            return None
        settings = {
            field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.compare
        }
        return f"{type(self).__module__}.{type(self).__qualname__} {settings!r}"


def item_texts(predictions: Iterable[Any], metric: str) -> list[str]:
    """Return the predictions, each of which must be a text."""
    listed = list(predictions)
    for place, text in enumerate(listed):
        if not isinstance(text, str):
            raise InvalidInputError(
                f"{metric} reads one text per item, but item {place} of the predictions is"
                f" {quoted(text, 60)}",
                hint="items are counted from 0; a system that said nothing has the empty text",
            )
    return listed


def item_references(gold: Iterable[Any] | None, metric: str, *, empty: bool = False) -> list[tuple[str, ...]]:
    """Return the references of each item: a text is one, a list or tuple of texts several."""
    out: list[tuple[str, ...]] = []
    for place, item in enumerate(required_gold(gold, metric, "gold texts")):
        several = (item,) if isinstance(item, str) else item
        fits = isinstance(several, (tuple, list)) and all(isinstance(text, str) for text in several)
        if not fits or not (empty or several):
            raise InvalidInputError(
                f"{metric} needs a text, or a list of texts, as the gold of an item, but that of item {place}"
                f" is {quoted(item, 60)}",
                hint="items are counted from 0",
            )
        out.append(tuple(several))
    return out


def token_notes(
    evaluation: Evaluation,
    metric: str,
    has_token: Callable[[str], object] = str.strip,
    *,
    what: str = "a token",
    why: str = "",
    instead: str = "",
) -> list[Note]:
    """Refuse references if no item has one with a token; return a note on the items that have none.

    `what` is called a token here, `why` says what the tokeniser drops, and `instead` which metrics drop less;
    without these it drops only white space.
    """
    if evaluation.gold is None:
        return []
    gold = item_references(evaluation.gold, metric, empty=True)
    lacking = sum(not any(map(has_token, several)) for several in gold)
    because = why and f": {why}"
    if lacking == len(gold):
        written = next((text for several in gold for text in several if text.strip()), None)
        if written is None:
            raise DesignError(
                f"every reference is empty: {metric} has nothing to compare with",
                hint="give the references their texts",
            )
        raise DesignError(
            f"no reference, such as {quoted(written, 40)}, has {what} for {metric}{because}", hint=instead
        )
    if not lacking:
        return []
    message = (
        f"{lacking} of {len(gold)} items have no reference with {what} for {metric}{because}; what is"
        f" predicted there matches nothing{instead and f'; {instead}'}"
    )
    return [Note("no_token", message, (metric,))]


def cache_parts(
    metric: TextMetric, gold: Any, systems: Sequence[Sequence[str]]
) -> list[tuple[Any, ...]] | None:
    """Return all that the statistics of each system depend on; None if that is unknown.

    That is the metric with its settings, the versions of the libraries it uses, and a hash of the references
    and the texts.
    """
    identity = metric.identity()
    if identity is None:
        return None
    used = versions((*metric.packages, *metric.libraries))
    references = item_references(gold, metric.name)
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
    # With the lengths in front: ["ab", "c"] and ["a", "bc"] must not be one.
    sizes = np.array([len(texts), *map(len, texts)], np.int64)
    return sizes.tobytes() + "".join(texts).encode("utf-8", "surrogatepass")
