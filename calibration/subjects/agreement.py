"""The agreement of annotators beyond chance, where one label is rare."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from bestby import evaluate
from bestby._core.errors import BestbyError
from calibration.statements import Outcome, Statements, What, holds

TITLE = "Agreement of annotators"
TEXT = """
Krippendorff's alpha of three annotators and two labels: a share of the items is of the rare kind, on which an
annotator gives the rare label with .85, and with .005 or .05 on the others. `coverage` of the interval of the
default, by Hall's t on Fisher's scale with the standard error of the jackknife, beside the percentile
bootstrap. *noted*: `rare_label`, which says that fewer than ten items have the rare label, or
`few_effective`. Where all annotators agree on all items there is no interval.
"""

_NOTES = {"rare_label", "few_effective"}


def cells() -> Iterator[Statements]:
    """Yield shares of the rare kind by the number of items."""
    for rare, wrong in ((0.06, 0.005), (0.06, 0.05), (0.2, 0.05), (0.5, 0.05)):
        for n in (30, 50, 100, 200, 400):
            told = f"{100 * rare:g} % rare, {100 * wrong:g} % wrong"
            yield Statements("agreement", told, str(n), n, partial(_one, rare, wrong, n), 400)


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
