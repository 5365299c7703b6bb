"""The agreement of annotators beyond chance, where one label is rare."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np

from bestby import evaluate
from bestby._core.errors import BestbyError
from bestby.engine.interval_methods import FEW_RARE
from bestby.questions.agreement.coefficients import Gwet, alpha_of, kappa_of
from bestby.questions.agreement.interval import Items, Measured, difference
from calibration.statements import Outcome, Statements, What, holds

TITLE = "Agreement of annotators"
TEXT = """
Krippendorff's alpha of three annotators and two labels: a share of the items is of the rare kind, on which an
annotator gives the rare label with .85, and with .005 or .05 on the others. `coverage` of the interval of the
default, by Hall's t on Fisher's scale with the standard error of the jackknife, beside the percentile
bootstrap. *noted*: `rare_label`, which says that fewer than ten items have the rare label, or
`few_effective`. Where all annotators agree on all items there is no interval.

*Common correlation*: what the question of agreement says of three annotators whose labels have this alpha by
a beta-binomial model. Its intervals take each value with the standard error of items that have this value,
mixed of those at hand and of unanimous or random ones. Student's t with the jackknife, on the scale of alpha,
on Fisher's and on that of log(1 - alpha), covers too little where a label is rare, and Fieller's interval is
much longer. `kappa` is of a pair; *without one* is the change by leaving out an annotator who is like the
others.
"""

_NOTES = {"rare_label", "few_effective"}

LEVEL = 0.95
OF_QUESTION = {name: What("coverage", name, True) for name in ("alpha", "AC1", "kappa", "without one")}


def cells() -> Iterator[Statements]:
    """Yield shares of the rare kind by the number of items."""
    for rare, wrong in ((0.06, 0.005), (0.06, 0.05), (0.2, 0.05), (0.5, 0.05)):
        for n in (30, 50, 100, 200, 400):
            told = f"{100 * rare:g} % rare, {100 * wrong:g} % wrong"
            yield Statements("agreement", told, str(n), n, partial(_one, rare, wrong, n), 400)
    for share, alpha in itertools.product((0.5, 0.2, 0.06, 0.02), (0.2, 0.8)):
        for n in (30, 100):
            told = f"common correlation {alpha:g}, {100 * share:g} % rare"
            yield Statements("agreement", told, str(n), n, partial(_asked, share, alpha, n), 200)


def _asked(share: float, alpha: float, n: int, rng: np.random.Generator, seed: int) -> dict[What, Outcome]:
    """Count the intervals of the question of agreement, of labels by a beta-binomial model."""
    del seed
    spread = (1.0 - alpha) / alpha
    given = rng.beta(share * spread, (1.0 - share) * spread, n)
    items = Items.of((rng.random((n, 3)) < given[:, None]).astype(np.int64), None)
    labels = ("no", "yes")
    if np.unique(items.kinds).size < 2 or np.unique(items.kinds[:, 1:]).size < 2:  # a single label
        return dict.fromkeys(OF_QUESTION.values(), Outcome(None))
    every, rest = Measured(alpha_of(items.kinds, labels, "nominal"), items), items.columns([1, 2])
    without = Measured(alpha_of(rest.kinds, labels, "nominal"), rest)
    codes = items.kinds[items.place]
    rare = int((codes != np.argmax(np.bincount(codes.ravel()))).any(axis=1).sum())
    differing = 2.0 * share * (1.0 - share)
    found = {
        "alpha": (every.interval(LEVEL), alpha),
        "AC1": (
            Measured(Gwet("ac1", np.eye(2)), items).interval(LEVEL),
            1.0 - (1.0 - alpha) * differing / (1.0 - differing),
        ),
        "kappa": (Measured(kappa_of(labels, "nominal"), rest).interval(LEVEL), alpha),
        "without one": (difference(without, every, LEVEL)[1], 0.0),
    }
    noted = rare < FEW_RARE
    return {
        OF_QUESTION[name]: Outcome(None if interval is None else holds(interval, truth), noted)
        for name, (interval, truth) in found.items()
    }


def true(rare: float, wrong: float) -> float:
    """Return the agreement of very many items."""
    share = 0.85 * rare + wrong * (1.0 - rare)
    differing = 2.0 * (0.85 * 0.15 * rare + wrong * (1.0 - wrong) * (1.0 - rare))
    return 1.0 - differing / (2.0 * share * (1.0 - share))


def _one(rare: float, wrong: float, n: int, rng: np.random.Generator, seed: int) -> dict[What, Outcome]:
    given = np.where(rng.random(n) < rare, 0.85, wrong)
    rows = [tuple(row) for row in (rng.random((n, 3)) < given[:, None]).astype(int).tolist()]
    found: dict[What, Outcome] = {}
    for method in ("auto", "percentile"):
        what = What("coverage", method, method == "auto")
        try:
            result = evaluate(
                {"a": rows}, metric="krippendorff_alpha", interval=method, n_resamples=499, rng=seed
            )
        except BestbyError:  # a single label
            found[what] = Outcome(None)
            continue
        interval = result.systems[0].interval
        noted = bool(_NOTES & {note.code for note in result.notes})
        found[what] = Outcome(None if interval is None else holds(interval, true(rare, wrong)), noted)
    return found
