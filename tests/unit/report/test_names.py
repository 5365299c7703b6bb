"""Names of systems in narrow tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestby.report.names import Common, broken, common

NAMES = st.lists(st.text("ab_-./ 漢", min_size=1, max_size=20), min_size=1, max_size=6, unique=True)


@pytest.mark.parametrize(
    ("names", "start", "end"),
    [
        (["run/a", "run/b"], "run/", ""),
        (["a.en-de", "b.en-de"], "", ".en-de"),
        (["runs_a1", "runs_a2"], "runs_", ""),  # up to a sign, not in mid-word
        (["abcdefg1", "abcdefg2"], "", ""),
        (["中文模型甲号", "中文模型乙号"], "中文模型", ""),  # whose words have no signs between them
        (["org/Llama-3.1-70B-Chat", "org/Llama-3.1-8B-Chat"], "org/", "-Chat"),  # the family stays
        (["checkpoint-1-of-all", "checkpoint-2-of-all"], "", "-of-all"),
        (["x_a", "x_b"], "", ""),  # too short to be worth a line
        (["same/x", "same/x"], "", ""),
        (["same/", "same/x"], "", ""),
    ],
)
def test_what_names_have_in_common(names: list[str], start: str, end: str) -> None:
    assert common(names) == Common(start, end)


@given(NAMES)
def test_shortened_names_stay_different_and_can_be_put_together_again(names: list[str]) -> None:
    shared = common(names)
    short = [shared.without(name) for name in names]
    assert len(set(short)) == len(names)
    for name, one in zip(names, short, strict=True):
        middle = one.removeprefix("…" if shared.start else "").removesuffix("…" if shared.end else "")
        assert shared.start + middle + shared.end == name
        assert middle


@given(st.text("ab_-./漢", min_size=1, max_size=60), st.integers(8, 30))
def test_broken_names_lose_nothing_and_fit(name: str, width: int) -> None:
    lines = broken(name, width, len)
    assert "".join(lines) == name
    assert all(0 < len(line) <= width for line in lines)
