"""What other libraries call our arguments and their values."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

_MEANT = {
    "seed": "rng",
    "random_state": "rng",
    "method": "interval",
    "metrics": "metric",
    "alpha": "level",
    "confidence": "level",
    "confidence_level": "level",
    "workers": "n_jobs",
    "bootstraps": "n_resamples",
    "bootstrap_samples": "n_resamples",
    "iterations": "n_resamples",
    "n_boot": "n_resamples",
    "n_bootstrap": "n_resamples",
    "n_bootstraps": "n_resamples",
    "n_iter": "n_resamples",
    "n_iters": "n_resamples",
    "n_iterations": "n_resamples",
    "n_loops": "n_resamples",
    "n_permutations": "n_resamples",
    "n_samples": "n_resamples",
    "n_trials": "n_resamples",
    "num_iterations": "n_resamples",
    "sampling": "n_resamples",
    "lower_is_better": "greater_is_better",
    "item": "items",
    "cluster": "clusters",
    "stratum": "strata",
    "system": "systems",
}
"""Keywords of other libraries and of the command line, and ours."""

COUNTERPARTS: dict[str, dict[str, str]] = {}
"""Of arguments, their values and what other libraries call these; `bestby.vocabulary` fills it."""

OF_COMPARE: dict[str, Collection[object]] = dict.fromkeys(
    ("alternative", "baseline", "correction", "level", "margin", "n_resamples", "rng", "test"), ()
)
"""What only `compare` does, with the values that are words, which `bestby.vocabulary` fills in."""


def counterpart(value: str, argument: str, allowed: Collection[object]) -> str | None:
    """Return the value of an argument that other libraries call so; None if there is none.

    >>> import bestby.vocabulary
    >>> counterpart("t_test", "test", ["permutation", "t"]), counterpart("fdr", "test", ["permutation"])
    ('t', None)
    """
    word = re.sub("[ _]+", "-", value.strip().lower())
    others = COUNTERPARTS.get(argument, {})
    return next((ours for ours, words in others.items() if ours in allowed and word in words.split()), None)


def meant(word: str, value: object, named: Mapping[str, Collection[object]]) -> str | None:
    """Return the argument that a keyword of another library stands for, or ours and its value.

    `named` are the arguments that can be given, each with its values, or with none if these are not words.

    >>> import bestby.vocabulary
    >>> meant("n_loops", 1000, {"n_resamples": ()}), meant("use_chi2", True, {"test": ["mcnemar"]})
    ('n_resamples', 'test="mcnemar"')
    >>> meant("method", "bias_corrected", {"interval": ["bca"]}), meant("sign", True, {"test": ["sign"]})
    ('interval="bca"', 'test="sign"')
    """
    other, plain = _MEANT.get(word), word.removeprefix("use_")
    by_value = isinstance(value, str) and other in (None, "interval", "n_resamples")
    if other in named and not by_value:
        return other
    for one in (value, plain) if by_value else (plain,):
        for argument in [name for name in COUNTERPARTS if name in named]:
            known = one if one in named[argument] else counterpart(str(one), argument, named[argument])
            if known is not None:
                return f'{argument}="{known}"'
    return other if other in named else None


def meant_of_compare(word: str, value: object = None) -> str | None:
    """Return what `compare` has, and functions beside it do not, in place of a keyword."""
    return word if word in OF_COMPARE else meant(word, value, OF_COMPARE)
