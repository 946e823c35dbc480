"""The look of a system in every drawing: its colour, and a pattern for where colours are not enough."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from pygeodesign import _core

#: The colour of systems without one.
NO_COLOR = "#7a8288"
#: The side of the square that a pattern repeats, in units of `Pattern.path`.
PATTERN_SIZE = 16


class Pattern(NamedTuple):
    """Lines on top of a system's colour."""

    #: SVG path data, in a square of `PATTERN_SIZE`; empty for no pattern.
    path: str
    #: Matplotlib's hatch.
    hatch: str


# The service's pages read the same file.
PATTERNS = tuple(Pattern(**row) for row in json.loads(_core._web_file("map/patterns.json")))


def hex_color(text: Any) -> str | None:
    """A colour `#rrggbb` or `#rgb` as `#rrggbb`; None for any other string."""
    text = text.strip() if isinstance(text, str) else ""
    if re.fullmatch("#[0-9a-fA-F]{3}", text):
        return "#" + "".join(2 * digit for digit in text[1:])
    return text if re.fullmatch("#[0-9a-fA-F]{6}", text) else None


def luminance_of(parts: Sequence[float]) -> float:
    """The relative luminance of WCAG, from 0 (black) to 1 (white), for red, green and blue from 0 to 1."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def pattern_of(sysid: Any) -> Pattern:
    """The pattern of a system; consecutive ids have different ones."""
    return PATTERNS[int(sysid) % len(PATTERNS)]
