from __future__ import annotations

import pytest

from bestby.cli.errors import _as_options


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (
            'let only blank cells be missing: missing=""',
            "let only blank cells be missing: --missing-value ''",
        ),
        ("choose the columns: systems=[...]", "choose the columns: --system ..."),
        ("at least n_resamples=20_000", "at least --resamples 20_000"),
        ("name it: item=...; its columns are: a, b", "name it: --item ...; its columns are: a, b"),
        ("result['a', 'b'] and a = 3", "result['a', 'b'] and a = 3"),
    ],
)
def test_arguments_become_options(hint: str, expected: str) -> None:
    assert _as_options(hint) == expected
