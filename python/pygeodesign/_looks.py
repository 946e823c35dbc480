"""How a system looks wherever it is drawn: its colour, and a pattern that tells it apart where colours do not."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from pygeodesign import _core

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


# Pages of the service read the same file.
PATTERNS = tuple(Pattern(**row) for row in json.loads(_core._web_file("map/patterns.json")))


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
