"""Badges: small pictures for read-me files that say how a board or a system stands."""

from __future__ import annotations

import unicodedata
from xml.sax.saxutils import escape

from bestby._core.text import visible

_HEIGHT = 20
_LETTER = 11
_MOST = 60
_WIDTHS = (("ijl.,:;'|!()[] ft-/", 0.4), ("mwMW@%", 0.95), ("ABCDEFGHKNOPQRSTUVXYZ", 0.72))
_ORDINARY = 0.63
"""Widths of letters in parts of their size, about those of Verdana, whichever fonts are installed here."""


def badge(label: str, message: str) -> bytes:
    """Return a badge as SVG: a label on the left and what it says on the right."""
    texts = [_cut(label), _cut(message)]
    inner = [_width(text) for text in texts]
    # 6 pixels are free on either side of a text
    left, right = (width + 12 for width in inner)
    whole = left + right
    title = escape(": ".join(texts), {'"': "&quot;"})
    words = "\n".join(
        f'<text x="{x:g}" y="14" textLength="{width}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        for x, width, text in zip((left / 2, left + right / 2), inner, texts, strict=True)
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{_HEIGHT}" role="img" aria-label="{title}">
<title>{title}</title>
<clipPath id="r"><rect width="{whole}" height="{_HEIGHT}" rx="3"/></clipPath>
<g clip-path="url(#r)">
<rect width="{left}" height="{_HEIGHT}" fill="#3d444d"/>
<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="#00598c"/>
</g>
<g fill="#ffffff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="{_LETTER}">
{words}
</g>
</svg>
""".encode()  # noqa: E501 - one line of the picture


def _cut(text: str) -> str:
    text = visible(text)
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"


def _width(text: str) -> int:
    return round(_LETTER * sum(map(_letter, text))) or 1


def _letter(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return next((width for letters, width in _WIDTHS if letter in letters), _ORDINARY)
