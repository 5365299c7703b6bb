"""Figures as SVG in the colours of the page that shows them, light or dark."""

from __future__ import annotations

import re
from importlib import resources
from typing import Any

from bestby.report.figures import drawing

COLOURS = ("ink", "faint", "accent", "band", "paper")


def themed(axes: Any) -> str:
    """Return a figure as SVG; its colours are those of the HTML reports, whose style says what they are."""
    text = drawing.render(axes, ".svg", transparent=True).decode("utf-8")
    for name in COLOURS:
        text = text.replace(f": {getattr(drawing, name.upper())}", f": var(--{name})")
    page = resources.files("bestby.report").joinpath("assets", "page.css").read_text(encoding="utf-8")
    light, dark = (
        "; ".join(re.findall(rf"--(?:{'|'.join(COLOURS)}): #\w+", rule))
        for rule in re.findall(r":root \{(.*?)\}", page)[:2]
    )
    text = text.replace(": #000000", ": var(--ink)")
    style = f"svg {{ {light}; background: var(--paper) }} text {{ fill: var(--ink) }}"
    style += f" @media (prefers-color-scheme: dark) {{ svg {{ {dark} }} }}"
    return re.sub(r"(<svg\b[^>]*>)", rf"\1\n <style>{style}</style>", _short(text), count=1)


def _short(text: str) -> str:
    """Return an SVG without head and metadata, one line for each of its artists, to 0.01 pt."""
    text = re.sub(r"(?s)^.*?(?=<svg\b)|\s*<metadata>.*?</metadata>", "", text)
    text = re.sub(r'\bd="[^"]*"', lambda path: " ".join(path[0].split()), text)
    text = re.sub(r"\n {4,}|\n {3}(?=</)", " ", text)
    return re.sub(r"<[^>]*>", lambda tag: re.sub(r"\d+\.\d{3,}", _rounded, tag[0]), text)


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
