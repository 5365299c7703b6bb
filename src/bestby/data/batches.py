"""Scores of more items than memory holds: read in batches, again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from bestby._core.errors import DesignError
from bestby._core.mixing import Words as Words
from bestby._core.typing import FloatArray
from bestby.data.evaluation import Evaluation


@dataclass(frozen=True, eq=False)
class Batch:
    """Some of the items; `keys` are their keys, see `bestby.resampling.poisson.item_keys`."""

    keys: Words
    gold: FloatArray | None
    systems: Sequence[FloatArray]


@dataclass(frozen=True, eq=False, repr=False)
class Streamed(Evaluation):
    """An evaluation whose items are never all in memory; `batches` begins a new pass in the same order."""

    batches: Callable[[], Iterator[Batch]] = lambda: iter(())
    n: int = 0
    digest: str = ""

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self.n

    @property
    def countable(self) -> bool:
        """False: the rows differ."""
        return False

    def data_hash(self) -> str:
        """Return a hash of ids and values, whatever their order and division."""
        return self.digest

    def cells_hash(self) -> str:
        """Return `data_hash`, which knows no order."""
        return self.digest

    def with_systems(self, names: Sequence[str]) -> Streamed:
        """Return some of the systems, in the order asked for, whose columns are taken out of every batch."""
        chosen = super().with_systems(names)
        assert isinstance(chosen, Streamed)
        places = [self.names.index(name) for name in names]

        def picked() -> Iterator[Batch]:
            for batch in self.batches():
                yield replace(batch, systems=[batch.systems[place] for place in places])

        return replace(chosen, batches=picked)

    def unblocked(self, blocks: int | None) -> Streamed:
        """Return the evaluation itself; refuse blocks of consecutive items."""
        if blocks is not None:
            self.uncounted("a bootstrap of blocks")
        return self

    def uncounted(self, what: str) -> Evaluation:
        """Refuse what needs all items at once."""
        raise DesignError(
            f"{what} needs all items at once, but the table is read in batches",
            hint="read it whole: stream=False",
        )
