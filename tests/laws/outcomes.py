"""What an error must be, and numbers of every size."""

from __future__ import annotations

import math

from hypothesis import strategies as st

import bestby as bb

numbers = st.one_of(
    st.integers(-2, 3),
    st.sampled_from([0.0, -0.0, 0.5, 1.0, 1e-320, 1e308, -1e308, math.nan, math.inf, -math.inf]),
    st.floats(width=16),
    st.sampled_from([2**63, -(2**63), 2**64, 10**400]),
)


def check_error(error: bb.errors.BestbyError) -> None:
    """Check that an error says what and how in a short line each."""
    for part in (error.message, "-" if error.hint is None else error.hint):
        assert part.strip()
        assert len(part.splitlines()) == 1, part
        assert len(part) < 800, part
