"""Results for pairs of systems, looked up by the names of the two."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.report.replicability import Replicability
from bestby.results.values import TestResult

Names = tuple[str, str]


V = TypeVar("V")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ByPair(Mapping[Names, V]):
    """Results for pairs of systems, looked up by the two names in either order.

    It is equal to any mapping with the same items.

    Parameters
    ----------
    of : mapping of (str, str) to object
        Per pair as it was tested.
    """

    of: Mapping[Names, V]

    what: ClassVar[str]
    """What is looked up, for messages."""
    needs: ClassVar[str] = ""
    """Why a comparison may hold none at all."""
    hint: ClassVar[str] = ""
    """What to do about that."""

    def __getitem__(self, key: Names) -> V:
        if key in self.of:
            return self.of[key]
        reverse = key[::-1] if isinstance(key, tuple) else key
        if reverse in self.of:
            return self._mirrored(reverse)
        if not self.of:
            raise InvalidInputError(f"this comparison has no {self.what}: {self.needs}", hint=self.hint)
        raise InvalidInputError(
            f"no {self.what} of {quoted(key)} in this comparison",
            hint="pairs: " + ", ".join(quoted(pair) for pair in list(self.of)[:12]),
        )

    @abstractmethod
    def _mirrored(self, key: Names) -> V:
        """Return the result for a pair, its systems exchanged."""

    def __contains__(self, key: object) -> bool:
        return key in self.of or (isinstance(key, tuple) and key[::-1] in self.of)

    def get(self, key: Names, default: Any = None) -> Any:
        """Return the result for a pair, or a default if there is none in this order."""
        return self[key] if key in self else default  # noqa: SIM401 - this is what `get` is

    def __iter__(self) -> Iterator[Names]:
        return iter(self.of)

    def __len__(self) -> int:
        return len(self.of)

    def __repr__(self) -> str:
        return repr(dict(self.of))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Counts(ByPair[Replicability]):
    """On how many datasets or folds two systems differ, by the names of the two.

    Parameters
    ----------
    of : mapping of (str, str) to Replicability
        Per pair as it was tested.
    alternative : {"two-sided", "greater", "less"}
        Of the tests. Counts of differences in either direction are the same for (A, B) and (B, A). Those of
        one-sided tests are of one direction, and belong to the pair in the order in which it was tested.

    See Also
    --------
    DatasetComparison : Holds them as `replicability`.
    FoldComparison : Holds them as `effects`.
    """

    alternative: str = "two-sided"

    what: ClassVar[str] = "counts"
    needs: ClassVar[str] = "scores without items or runs have none, nor has a comparison without tests"
    hint: ClassVar[str] = "give the predictions or scores of the items, and a test"

    def _mirrored(self, key: Names) -> Replicability:
        if self.alternative == "two-sided":
            return self.of[key]
        raise InvalidInputError(
            f"the one-sided tests asked whether the score of {quoted(key[0])} is {self.alternative}"
            f" than that of {quoted(key[1])}: there is no count for the other direction",
            hint=f"look up {quoted(key)}, or give the systems in the other order",
        )

    def __contains__(self, key: object) -> bool:
        return key in self.of or (self.alternative == "two-sided" and ByPair.__contains__(self, key))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PairTests(ByPair[tuple[TestResult, ...]]):
    """The tests of two systems, by the names of the two; in the other order the tests are mirrored.

    See Also
    --------
    FoldComparison : Holds them as `tests`.

    Examples
    --------
    >>> from bestby.results import TestResult
    >>> one = TestResult("t", 0.25, "greater", False, "asymptotic", statistic=1.5)
    >>> tests = PairTests({("a", "b"): (one,)})
    >>> [(test.alternative, test.statistic) for test in tests["b", "a"]]
    [('less', -1.5)]
    """

    what: ClassVar[str] = "tests"
    needs: ClassVar[str] = "it was made with test=None"
    hint: ClassVar[str] = "leave out test=None"

    def _mirrored(self, key: Names) -> tuple[TestResult, ...]:
        return tuple(test.mirrored() for test in self.of[key])
