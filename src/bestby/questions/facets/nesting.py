"""Which facets a design has, and which of them lie in which: as the user says, and as the data show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.data.roles import listed
from bestby.results.base import Note

Effect = frozenset[str]


@dataclass(frozen=True)
class Nesting:
    """The facets of a design: which are fixed, and in which others each lies.

    `facets` are the names, outer facets before those that lie in them, and the items last; `parents` all
    facets that a facet lies in; `fixed` those whose levels are all that matter; `items` is the facet whose
    levels count the same whatever they lie in.
    """

    facets: tuple[str, ...]
    parents: Mapping[str, frozenset[str]]
    fixed: frozenset[str]
    items: str | None

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """All effects, those of few facets first, and the finest last."""
        return tuple(
            effect
            for size in range(1, len(self.facets) + 1)
            for effect in map(frozenset, combinations(self.facets, size))
            if all(self.parents[facet] <= effect for facet in effect)
        )

    @cached_property
    def within(self) -> BoolArray:
        """Which effects are part of which, themselves too, shape (k, k): whether e <= f."""
        return np.array([[e <= f for f in self.effects] for e in self.effects], dtype=np.bool_)

    def levels_of(self, sizes: FloatArray) -> FloatArray:
        """Return the levels of every effect by those of the facets, sizes of shape (..., F).

        The size of a facet that lies in others is the number of its levels in each of theirs.
        """
        member = np.array([[facet in effect for facet in self.facets] for effect in self.effects])
        return np.asarray(np.where(member, sizes[..., None, :], 1.0).prod(axis=-1))

    @property
    def random(self) -> list[str]:
        """The facets of which the levels are a sample."""
        return [facet for facet in self.facets if facet not in self.fixed]

    @cached_property
    def varies(self) -> BoolArray:
        """Which effects would be others with other levels: those that hold a random facet, shape (k,)."""
        return np.array([not effect <= self.fixed for effect in self.effects], dtype=np.bool_)

    @property
    def averaged(self) -> list[str]:
        """The facets over which cells are averaged before the mean is judged.

        The mean square of a random facet holds the variance of what is nested in it, so that seeds in prompts
        need no term of their own; items in documents stay, as there are few documents and they differ in
        size. A fixed facet drops out unless a random one lies in it.
        """
        return [
            facet
            for facet in self.facets
            if (facet in self.fixed and not any(facet in self.parents[one] for one in self.random))
            or (facet != self.items and self.parents[facet] - self.fixed)
        ]

    @cached_property
    def least(self) -> IntArray:
        """The least levels of each facet, shape (F,): one of what is averaged over, or fixed."""
        return np.array([1 if facet in {*self.averaged, *self.fixed} else 2 for facet in self.facets])

    @cached_property
    def rest(self) -> Nesting:
        """The design of what cells are averaged to before the mean is judged."""
        return self.without(self.averaged)

    def without(self, facets: Iterable[str]) -> Nesting:
        """Return the design that is left when cells are averaged over facets."""
        rest = tuple(facet for facet in self.facets if facet not in {*facets})
        parents = {facet: self.parents[facet] & {*rest} for facet in rest}
        items = self.items if self.items in rest else None
        return Nesting(rest, parents, self.fixed & {*rest}, items)


def joint_levels(codes: Sequence[IntArray]) -> IntArray:
    """Return the levels of several facets together as numbers from 0, without those that no cell has.

    >>> joint_levels([np.array([0, 0, 2, 2]), np.array([1, 1, 0, 1])]).tolist()
    [0, 0, 1, 2]
    """
    joint = _numbered(codes[0])
    for inner in codes[1:]:
        joint = _numbered(joint * (int(inner.max()) + 1) + inner)
    return joint


def _numbered(codes: IntArray) -> IntArray:
    size = int(codes.max()) + 1
    if size > 8 * codes.size:  # so many that sorting is cheaper than a place for each
        return np.unique(codes, return_inverse=True)[1].reshape(-1)
    there = np.zeros(size, dtype=np.bool_)
    there[codes] = True
    if there.all():
        return codes
    numbers: IntArray = (np.cumsum(there) - 1)[codes]
    return numbers


def one_of_each(inner: IntArray, outer: IntArray) -> IntArray:
    """Return the outer level that each inner one lies in; of several the last.

    >>> one_of_each(np.array([0, 1, 1, 2]), np.array([5, 5, 5, 6])).tolist()
    [5, 5, 6]
    """
    found = np.empty(int(inner.max()) + 1, dtype=np.int64)
    found[inner] = outer
    return found


def pairs_named(nested: Any) -> list[tuple[str, str]]:
    """Return what the user says lies in what: a mapping, or texts such as "seed in prompt"."""
    if isinstance(nested, Mapping):
        inner_of = {checks.name_text(inner, "facet"): outer for inner, outer in nested.items()}
        named = {inner: checks.valid_name_list(outer, "nested") for inner, outer in inner_of.items()}
        return [(inner, outer) for inner, outers in named.items() for outer in outers]
    pairs = []
    for text in () if nested is None else checks.valid_name_list(nested, "nested"):
        inner, word, outer = text.partition(" in ")
        if not word:
            raise InvalidInputError(
                f"nested says which facet lies in which, got {quoted(text)}",
                hint="nested='seed in prompt'",
                argument="nested",
            )
        pairs.append((inner.strip(), outer.strip()))
    return pairs


def nesting_of(
    codes: Mapping[str, IntArray],
    pairs: Sequence[tuple[str, str]],
    fixed: Iterable[str],
    items: str | None,
) -> tuple[Nesting, tuple[Note, ...]]:
    """Return the design of facets by their levels in each row, and a note on what the data show of it.

    `pairs` say of facets in which other they lie.
    """
    items = items if items in codes else None  # a single fixed item is no facet
    parents = {facet: {outer for inner, outer in pairs if inner == facet} for facet in codes}
    sizes = {facet: np.count_nonzero(np.bincount(code)) for facet, code in codes.items()}
    found = []
    for inner, outer in permutations(codes, 2):
        if outer in parents[inner] or not 1 < sizes[outer] <= sizes[inner]:
            continue
        if int(joint_levels([codes[inner], codes[outer]]).max()) + 1 > sizes[inner]:
            continue
        if sizes[outer] == sizes[inner]:
            raise DesignError(
                f"{inner} and {outer} change together: every {inner} has one {outer}, and the reverse",
                hint=f"leave one of the two out of the facets: {inner}, or {outer}",
                argument="facets",
            )
        parents[inner].add(outer)
        found.append(f"{inner} in {outer}")
    text = f"found in the data: {listed(found)}, as no level of the former is seen in two of the latter"
    notes = (Note("facets_nested", text),) if found else ()
    return nesting_by(parents, fixed, items), notes


def nesting_by(parents: Mapping[str, Iterable[str]], fixed: Iterable[str], items: str | None) -> Nesting:
    """Return the design of facets by those that each is said to lie in, which may lie in others."""
    within = {facet: frozenset(outer) for facet, outer in parents.items()}
    for _ in parents:  # what lies in a seed lies in its prompt
        within = {facet: outer.union(*map(within.__getitem__, outer)) for facet, outer in within.items()}
    circle = next((facet for facet, outer in within.items() if facet in outer), None)
    if circle is not None:
        raise InvalidInputError(
            f"{quoted(circle)} would lie in itself",
            hint="say for each facet in which it lies",
            argument="nested",
        )
    return Nesting(_outer_first(within, items), within, frozenset(fixed), items)


def _outer_first(parents: Mapping[str, frozenset[str]], items: str | None) -> tuple[str, ...]:
    """Return the facets, each as soon as possible after those it lies in, but the items last."""
    order: list[str] = []

    def turn(facet: str) -> tuple[bool, int]:
        late = facet == items or items in parents[facet]
        return late, -max((order.index(outer) for outer in parents[facet]), default=-1)

    while len(order) < len(parents):
        ready = [facet for facet in parents if facet not in order and parents[facet] <= {*order}]
        order.append(min(ready, key=turn))
    return tuple(order)


def check_levels(nesting: Nesting, levels: Mapping[str, Sequence[str]]) -> None:
    """Refuse a design in which nothing is sampled, or a sampled facet has one level."""
    if not nesting.random:
        raise DesignError(
            "all facets are fixed, so nothing would be otherwise another time",
            hint="leave those out of fixed of which other levels could have been drawn",
            argument="fixed",
        )
    for facet in nesting.random:
        if len(levels[facet]) == 1:
            raise DesignError(
                f"{facet} has one level, {quoted(levels[facet][0])}, which cannot show how much they differ",
                hint=f'declare it fixed, fixed=("{facet}",), for an answer about this one, or leave it out',
                argument="facets",
            )
