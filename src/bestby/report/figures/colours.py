"""The colours of figures.

Distinct in hue and in lightness, for colour-blind readers and for print (Okabe and Ito 2008); what a colour
says is also said by the shape of a mark. The HTML page replaces exactly these colours by those of its theme,
so each has one meaning.
"""

INK = "#1b1e23"
FAINT = "#6b7280"
ACCENT = "#0072b2"
BAND = "#dde5ec"
PAPER = "#fffffe"
WORSE = "#d55e00"
"""A system that is behind; the page leaves this colour as it is."""
