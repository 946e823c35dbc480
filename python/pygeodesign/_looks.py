"""How a system looks wherever it is drawn: its colour, and a pattern that tells it apart where colours do not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

#: Of what has no colour.
NO_COLOR = "#7a8288"
#: The side of the square that a pattern repeats, in units of `Pattern.path`.
PATTERN_SIZE = 16


class Pattern(NamedTuple):
    """Lines that lie on the colour of a system."""

    #: As the data of an SVG path, in a square of `PATTERN_SIZE`; empty for none.
    path: str
    #: As Matplotlib's hatch.
    hatch: str


PATTERNS = (
    Pattern("", ""),
    Pattern("M-3,3 3,-3M0,16 16,0M13,19 19,13", "////"),
    Pattern("M0,4H16M0,12H16", "----"),
    Pattern("M-3,13 3,19M0,0 16,16M13,-3 19,3", "\\\\\\\\"),
    Pattern("M4,0V16M12,0V16", "||||"),
    Pattern("M3,4a1,1 0 1,0 2,0a1,1 0 1,0 -2,0M11,12a1,1 0 1,0 2,0a1,1 0 1,0 -2,0", "..."),
    Pattern("M0,8H16M8,0V16", "+++"),
    Pattern("M0,0 16,16M0,16 16,0", "xxx"),
    Pattern("M0,4 4,0 12,8 16,4M0,12 4,8 12,16 16,12", "oo"),
    Pattern("M4,8a4,4 0 1,0 8,0a4,4 0 1,0 -8,0", "OO"),
    Pattern("M8,2V14M2,8H14", "**"),
    Pattern("M0,0H16M0,8H16M4,0V8M12,8V16", "/-"),
)


def hex_color(text: Any) -> str | None:
    """A colour that is written as `#rrggbb` or `#rgb`, as the former; None for any other text."""
    text = text.strip() if isinstance(text, str) else ""
    if re.fullmatch("#[0-9a-fA-F]{3}", text):
        return "#" + "".join(2 * digit for digit in text[1:])
    return text if re.fullmatch("#[0-9a-fA-F]{6}", text) else None


def luminance_of(parts: Sequence[float]) -> float:
    """From 0, black, to 1, white, of red, green and blue from 0 to 1, as WCAG defines it."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def pattern_of(sysid: Any) -> Pattern:
    """The pattern of a system; ids that follow each other have different ones."""
    return PATTERNS[int(sysid) % len(PATTERNS)]
