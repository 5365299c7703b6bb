"""Badges are pictures of the width of their text, whatever the text is."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from bestby.boards.site.building import badge


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("Task", "rank 1–3 of 12"),
        ("北京", "第一"),
        ('a<b>"&', "x"),
        ("", ""),
        ("w" * 200, "i" * 200),
        ("e\u0301", "\u202e"),
    ],
)
def test_a_badge_is_well_formed(label: str, message: str) -> None:
    root = ET.fromstring(badge(label, message))
    width = float(root.attrib["width"])
    texts = [one for one in root.iter() if one.tag.endswith("}text")]
    assert len(texts) == 2
    assert all("\u202e" not in (one.text or "") for one in texts)
    assert sum(float(one.attrib["textLength"]) for one in texts) + 24 == width
    for one in texts:
        half = float(one.attrib["textLength"]) / 2
        assert 0 < float(one.attrib["x"]) - half < float(one.attrib["x"]) + half < width


def test_it_says_what_it_was_told() -> None:
    root = ET.fromstring(badge("Sentiment", "rank 2 of 5"))
    assert root.attrib["aria-label"] == "Sentiment: rank 2 of 5"
