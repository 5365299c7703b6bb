"""The parts that columns play: gold, item, cluster, stratum."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby.readers.table import Table


@dataclass(frozen=True)
class Roles:
    """Names of the columns that are no systems.

    Parameters
    ----------
    gold, item, cluster, stratum : str or None
        The column that plays the part, if there is one.
    annotators : tuple of str
        The columns of the annotators whose labels are the gold; a single one says who labelled.
    """

    gold: str | None = None
    item: str | None = None
    cluster: str | None = None
    stratum: str | None = None
    annotators: tuple[str, ...] = ()

    def named(self) -> list[tuple[str, str]]:
        """Return role and name of those that are there."""
        pairs = (
            ("gold", self.gold),
            ("item", self.item),
            ("cluster", self.cluster),
            ("stratum", self.stratum),
        )
        annotators = [("annotator", name) for name in self.annotators]
        return [(role, name) for role, name in pairs if name is not None] + annotators

    def told(self) -> str:
        """Return the roles as words.

        Examples
        --------
        >>> Roles(gold="label").told()
        'gold: label'
        >>> Roles().told()
        'no gold: per-item scores'
        >>> Roles(annotators=("ann1", "ann2")).told()
        'annotators: ann1, ann2'
        """
        words = [f"{role}: {name}" for role, name in self.named() if role != "annotator"]
        if self.annotators:
            told = f"annotators: {', '.join(self.annotators)}"
            return "; ".join([told, *words])
        return "; ".join(words if self.gold is not None else ["no gold: per-item scores", *words])


def check_there(table: Table, roles: Roles) -> None:
    """Refuse roles of columns that the table does not have."""
    if roles.gold is not None and roles.gold not in table.data and Path(roles.gold).is_file():
        raise InvalidInputError(
            f"one file of predictions only, {table.source}, beside the gold in {roles.gold!r}: a comparison"
            " needs two or more",
            hint="give a file for each system, or one table with a column of the gold and one per system",
        )
    for role, name in roles.named():
        table.require(name, role)
