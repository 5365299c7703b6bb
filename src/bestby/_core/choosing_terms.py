"""The names that `choose_items` takes; `bestby.vocabulary` lists them with all others."""

from __future__ import annotations

from typing import Literal, TypeAlias

from bestby._core.terms import Term

StratifyBy: TypeAlias = Literal["score", "disagreement"]
Draw: TypeAlias = Literal["proportional", "neyman"]

CHOOSING = (
    Term("score", "score", "The judge's mean score over the systems.", ("choose.stratify_by",)),
    Term(
        "disagreement",
        "disagreement",
        "The standard deviation of the judge's scores between the systems.",
        ("choose.stratify_by",),
    ),
    Term("proportional", "proportional", "Each stratum gives its share of the draw.", ("choose.allocation",)),
    Term("neyman", "Neyman's", "Strata that vary more give more.", ("choose.allocation",)),
)
