"""How the data are read, what scales mean, and how items are chosen for human labels."""

from __future__ import annotations

from typing import Literal, TypeAlias

from bestby.vocabulary.term import Term

MonitorPopulation: TypeAlias = Literal["bank", "wider"]
StratifyBy: TypeAlias = Literal["score", "disagreement"]
Draw: TypeAlias = Literal["proportional", "neyman"]
DatasetQuestion: TypeAlias = Literal["auto", "fixed", "random"]
FailTest: TypeAlias = Literal["exact", "bound"]

# fmt: off
SETTINGS = (
    Term("bank", "this benchmark", "The mean over the items there are.", ("monitor.population",)),
    Term("wider", "items like these", "The items are a sample of more.", ("monitor.population",)),
    Term("error", "error", "Refuse data in which a system lacks an item.", ("on_missing",)),
    Term("drop", "drop", "Leave such items out for all systems.", ("on_missing",)),
    Term(
        "worst", "worst", "Count them as wrong.",
        ("same_items.on_missing", "items.on_missing", "datasets.on_missing")
    ),
    Term(
        "drop-systems", "drop systems", "Leave out the systems that lack some.",
        ("same_items.on_missing", "items.on_missing", "boards.on_missing")
    ),
    Term(
        "pairs", "pairs", "Compare every two systems on the items that both have.",
        ("items.on_missing", "datasets.on_missing", "facets.on_missing")
    ),
    Term("bounds", "bounds", "Say what holds whether they are wrong or right.", ("items.on_missing",)),
    Term(
        "fixed", "fixed", "The annotators, or the datasets, are those there are.", ("annotators", "datasets")
    ),
    Term("resample", "resample", "Draw the annotators of each item again too.", ("annotators",)),
    Term("levels", "levels", "Every level of a facet has the same weight.", ("facets.weights",)),
    Term("cells", "cells", "Every cell has the same weight.", ("facets.weights",)),
    Term("half", "Bradley-Terry", "A tie is half a win for both.", ("ties",)),
    Term("davidson", "Davidson", "Ties have a probability of their own.", ("ties",)),
    Term("jeffreys", "Jeffreys", "Strengths of systems that won all are finite.", ("preferences.prior",)),
    Term("votes", "votes", "Every judgement counts the same.", ("preferences.voter_weights",)),
    Term(
        "shrunk", "shrunk by voter", "Judgements of busy voters count less, as far as voters differ.",
        ("preferences.voter_weights",)
    ),
    Term("log", "logarithms", "Strengths as logarithms with the mean 0.", ("preferences.scale",)),
    Term("elo", "Elo points", "400 points are odds of ten to one.", ("preferences.scale",)),
    Term("same", "same scale", "The judge scores as humans do.", ("judged.scale",)),
    Term("different", "different scales", "The judge scores otherwise.", ("judged.scale",)),
    Term("nominal", "names", "Labels differ or do not.", ("agreement.scale",)),
    Term("ordinal", "ranks", "Labels have an order, and no distances.", ("agreement.scale",)),
    Term("interval", "numbers by differences", "Labels are numbers with any origin.", ("agreement.scale",)),
    Term("ratio", "numbers by ratios", "Labels are numbers of at least 0.", ("agreement.scale",)),
    Term("dataset", "dataset", "The outer keys of a mapping are datasets.", ("outer",)),
    Term("system", "system", "The outer keys of a mapping are systems.", ("outer",)),
    Term("auto", "auto", "Fixed where datasets have items or several runs, else random.", ("datasets",)),
    Term("random", "random", "The datasets are a sample of others like them.", ("datasets",)),
    Term("factor", "factor", "Multiply the scores.", ("by",)),
    Term("offset", "offset", "Add to the scores.", ("by",)),
    Term(
        "exact", "exact unconditional test", "Independent answers fail by it, other scores by a bound.",
        ("gate.fail_test",),
    ),
    Term("bound", "one-sided bound", "A check fails by its bound, as in version 0.2.0.", ("gate.fail_test",)),
    Term("sd", "the standard deviation between runs", "That of single runs.", ("published.spread",)),
    Term("se", "the standard error of the mean", "That of the mean of the runs.", ("published.spread",)),
    Term("ci95", "half the 95 % interval by Student's t", "From the mean to an end.", ("published.spread",)),
    Term("ci95-normal", "1.96 standard errors", "Half the normal interval.", ("published.spread",)),
)
# fmt: on

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
