"""What a hint may propose: words of other libraries in ours, and only what can be given here."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

# -- what was meant ---------------------------------------------------------------------------------

_MEANT = {
    word: ours
    for ours, words in {
        "details": "class_shares verbose",
        "brief": "quiet",
        "rng": "seed random_state",
        "interval": "method",
        "metric": "metrics quality",
        "quality": "metric",
        "cost": "price prices",
        "at_most": "budget budgets",
        "covariates": "style",
        "level": "alpha confidence confidence_level",
        "n_jobs": "workers",
        "n_resamples": "bootstraps bootstrap_samples iterations n_boot n_bootstrap n_bootstraps n_iter"
        " n_iters n_iterations n_loops n_permutations n_samples n_trials num_iterations sampling",
        "greater_is_better": "lower_is_better",
        "items": "item item_column item_ids id_column ids",
        "clusters": "cluster",
        "strata": "stratum",
        "systems": "system",
    }.items()
    for word in words.split()
}
"""Keywords of other libraries and of the command line, and ours."""

COUNTERPARTS: dict[str, dict[str, str]] = {}
"""Of arguments, their values and what other libraries call these; `bestby.vocabulary` fills it."""

OF_COMPARE: dict[str, Collection[object]] = dict.fromkeys(
    ("alternative", "baseline", "correction", "level", "margin", "n_resamples", "rng", "test"), ()
)
"""What only `compare` does, with the values that are words, which `bestby.vocabulary` fills in."""


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
            ours = one if one in named[argument] else counterpart(str(one), argument, named[argument])
            if ours is not None:
                return f'{argument}="{ours}"'
    return other if other in named else None


def meant_of_compare(word: str, value: object = None) -> str | None:
    """Return what `compare` has, and functions beside it do not, in place of a keyword."""
    return word if word in OF_COMPARE else meant(word, value, OF_COMPARE)


def counterpart(value: str, argument: str, allowed: Collection[object]) -> str | None:
    """Return the value of an argument that other libraries call so; None if there is none.

    >>> import bestby.vocabulary
    >>> counterpart("t_test", "test", ["permutation", "t"]), counterpart("fdr", "test", ["permutation"])
    ('t', None)
    """
    word = re.sub("[ _]+", "-", value.strip().lower())
    others = COUNTERPARTS.get(argument, {})
    return next((ours for ours, words in others.items() if ours in allowed and word in words.split()), None)


# -- what can be followed ---------------------------------------------------------------------------

SETTING = re.compile(r"(?:^|(?<= )|(?<= \())([a-z_]+)=(?!path\b|[\w-]+\.[a-z])")
"""A setting, written as in Python. The file of a system, ``name=path`` or ``a=a.jsonl``, is none."""

SETTING_WITH_VALUE = re.compile(r"(?<![\w(])([a-z_]+)=(\[[^\]]*\]|\{[^}]*\}|\"[^\"]*\"|'[^']*'|[\w.]+)")
"""A setting that is written as in Python, outside a record, and its value."""

_RECORD = re.compile(r"\b(?:reading|resampling)=bestby\.\w+\(([^()]*)\)")
"""Settings in their record."""

_OPTION = re.compile(r"--[\w-]+ \S+")
"""An option as it is written on the command line, whose value may look like a setting."""

_EXPRESSION = re.compile(r"\b[a-z_]+=[{(]|\bnp\.|\bframe\[|\bbestby\.\w+\(|\b(?:compare|fit)\(")
"""What only Python can say: a mapping as the value of a setting, an array, or the call of a function."""

_ASIDE = re.compile(r" \([^()]*\)")

_BETWEEN = re.compile(r"(; (?:or )?|, or )")

_OPPOSED = re.compile(r"^(?:otherwise|if not,) ")


def without_records(hint: str) -> str:
    """Return a hint with the settings of records by themselves, as options and other functions have them.

    >>> without_records("name it: reading=bestby.Reading(value_column='acc')")
    "name it: value_column='acc'"
    """
    return _RECORD.sub(r"\1", hint)


def possible_hint(
    hint: str, arguments: Collection[str], taken: Collection[str], *, typed: bool = False
) -> str | None:
    """Return the parts of a hint that can be followed; None if there are none.

    A reader raises the same error for every function and command that reads with it, and not all of them have
    all its arguments; where a command is `typed`, nobody can write an expression of Python. A part goes that
    is one, or that sets one of the `arguments` which is none of those `taken` here.
    Parts are separated by semicolons or by "or"; what is in parentheses is a part as well.

    >>> possible_hint("choose them: systems=[...]; or name the column: system_column=...",
    ...          {"systems", "system_column"}, {"systems"})
    'choose them: systems=[...]'
    >>> possible_hint("name it: value_column=..., or correct this value (in files: stream=False)",
    ...          {"value_column", "stream"}, {})
    'correct this value'
    >>> possible_hint("read it whole: stream=False", {"stream"}, {})
    >>> possible_hint("pass by={name: values}, or by=[...]", {"by"}, {"by"}, typed=True)
    'by=[...]'
    """

    def can_be_followed(part: str) -> bool:
        if typed and _EXPRESSION.search(part):
            return False
        return all(name in taken or name not in arguments for name in SETTING.findall(_OPTION.sub("", part)))

    hint = _ASIDE.sub(lambda aside: aside[0] if can_be_followed(aside[0]) else "", hint)
    pieces = _BETWEEN.split(hint)
    parts = [
        (before, part)
        for before, part in zip(["", *pieces[1::2]], pieces[::2], strict=True)
        if can_be_followed(part)
    ]
    text = "".join(part if place == 0 else before + part for place, (before, part) in enumerate(parts))
    return (text if text.startswith(pieces[0]) else _OPPOSED.sub("", text)) or None
