"""AlpacaEval: no pair of systems is decided by the number of resamples.

The annotations are those of github.com/tatsu-lab/alpaca_eval, files
``results/MODEL/weighted_alpaca_eval_gpt4_turbo/annotations.json``. Put at least those of the models below at
``$BESTBY_SHARED_DATA/alpaca_eval/MODEL/annotations.json``.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bestby import compare
from bestby.readers.formats import alpaca_eval

DATA = Path(os.environ.get("BESTBY_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
MODELS = ("NullModel", "alpaca-7b", "falcon-7b-instruct", "minotaur-13b", "text_davinci_003")
FILES = {name: DATA / "alpaca_eval" / name / "annotations.json" for name in MODELS}

pytestmark = pytest.mark.skipif(
    not all(path.is_file() for path in FILES.values()),
    reason="BESTBY_SHARED_DATA/alpaca_eval has no annotations of AlpacaEval",
)


def test_pairs_that_had_the_least_p_of_draws_are_exact() -> None:
    """They had 1e-4 of 10 000 draws, which Holm's correction of 1596 pairs made 0.06."""
    found = alpaca_eval.read(FILES, on_missing="drop").evaluation
    assert found is not None
    result = compare(found, metric="mean", interval="normal")
    for a, b, low, high in (
        ("falcon-7b-instruct", "minotaur-13b", 1e-8, 1e-6),
        ("NullModel", "alpaca-7b", 1e-240, 1e-210),
        ("NullModel", "text_davinci_003", 1e-240, 1e-210),
    ):
        d = result[a, b]
        assert (d.test.exact, d.test.method) == (True, "characteristic function")
        assert low < d.p_value < high
        assert 1596 * d.p_value < 0.01
