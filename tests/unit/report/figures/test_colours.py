"""The colours of figures and of the page: contrast after WCAG 2.2, in grey, and to colour-blind readers."""

from __future__ import annotations

import importlib.resources
import re
from itertools import combinations

import numpy as np
import pytest

from bestby.report.figures import drawing
from bestby.report.figures.systems import _LOOKS

TEXT, MARK = 4.5, 3.0
"""The least contrast of text (success criterion 1.4.3) and of what has to be seen in a figure (1.4.11)."""

BLIND = {
    "protan": ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0)),
    "deutan": ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0)),
}
"""What is left of linear red, green and blue (Viénot et al. 1999, Color Res. Appl. 24, 243-252)."""

CSS = importlib.resources.files("bestby.report").joinpath("assets", "page.css").read_text(encoding="utf-8")
ROOTS = re.findall(r":root \{.*?\}", CSS)  # on a screen in light and in dark, then in print
LIGHT, DARK, PRINT = (dict(re.findall(r"--(\w+): (#\w{6})", line)) for line in ROOTS)
FIGURE = {name.lower(): getattr(drawing, name) for name in ("INK", "FAINT", "ACCENT", "BAND", "PAPER")}


def linear(colour: str) -> np.ndarray:
    """Return the linear red, green and blue of a colour."""
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: str, two: str) -> float:
    """Return the contrast ratio of WCAG."""
    low, high = sorted(float(linear(colour) @ (0.2126, 0.7152, 0.0722)) for colour in (one, two))
    return (high + 0.05) / (low + 0.05)


def lab(light: np.ndarray) -> np.ndarray:
    """Return CIE L*a*b* of linear red, green and blue, for the white of a screen (D65)."""
    to_xyz = np.array([(0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)])
    ratio = to_xyz @ np.clip(light, 0.0, 1.0) / to_xyz.sum(axis=1)
    x, y, z = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_black_and_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert lab(linear("#ffffff")) == pytest.approx([100.0, 0.0, 0.0], abs=0.05)


@pytest.mark.parametrize("theme", [FIGURE, LIGHT, DARK, PRINT], ids=["figure", "light", "dark", "print"])
def test_what_is_written_and_drawn_stands_out(theme: dict[str, str]) -> None:
    grounds = [theme["paper"], *([theme["card"]] if "card" in theme else [])]
    for ground in grounds:
        assert min(contrast(theme[name], ground) for name in ("ink", "faint", "accent")) >= TEXT
        assert contrast(drawing.WORSE, ground) >= MARK
    # Marks and the line of zero on the band of a margin.
    seen = (theme["ink"], theme["faint"], theme["accent"], drawing.WORSE)
    assert min(contrast(colour, theme["band"]) for colour in seen) >= MARK
    # The band itself does not stand out from the paper: its edges do, on both sides.
    edge = theme[next(name for name, colour in FIGURE.items() if colour == drawing.EDGE["color"])]
    assert min(contrast(edge, theme[ground]) for ground in ("band", "paper")) >= MARK


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_lines_stand_out_and_no_two_are_alike(theme: dict[str, str]) -> None:
    colours = [theme["accent"] if colour == drawing.ACCENT else colour for colour in drawing.LINE_COLOURS]
    assert min(contrast(colour, theme["paper"]) for colour in colours) >= MARK
    for (i, one), (j, two) in combinations(enumerate(colours), 2):
        if i % len(drawing.LINE_STYLES) == j % len(drawing.LINE_STYLES):  # else dashes tell them apart
            for left in (np.eye(3), *map(np.array, BLIND.values())):
                apart = lab(left @ linear(one)) - lab(left @ linear(two))
                assert np.linalg.norm(apart) > 20.0, (one, two)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_better_and_worse_differ_in_grey_and_to_the_colour_blind(theme: dict[str, str]) -> None:
    better, worse = linear(theme["accent"]), linear(drawing.WORSE)
    assert abs(lab(better)[0] - lab(worse)[0]) > 8.0  # of 100 from black to white
    for left in map(np.array, BLIND.values()):
        assert np.linalg.norm(lab(left @ better) - lab(left @ worse)) > 60.0


def test_marks_of_different_colours_differ_in_shape_or_filling_too() -> None:
    plain = {"filled": False, "colour": drawing.ACCENT, "shape": "o"}
    looks = [{**plain, **look} for look in _LOOKS.values()]
    for one, two in combinations(looks, 2):
        if one["colour"] != two["colour"]:
            assert (one["filled"], one["shape"]) != (two["filled"], two["shape"])
