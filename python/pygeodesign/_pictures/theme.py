"""Colours of paper and ink, light and dark."""

from __future__ import annotations

from typing import Any, NamedTuple

from matplotlib.colors import is_color_like, to_hex, to_rgb

from pygeodesign.errors import InputError

NO_COLOR = "#7a8288"


class Theme(NamedTuple):
    """The colours of a picture, except for those of the systems."""

    paper: str
    ink: str
    # Of what should not distract: grids, edges of bars, credits.
    faint: str
    quiet_ink: str
    land: str
    # Of an amount beyond its budget.
    over: str

    @property
    def is_dark(self) -> bool:
        return luminance(self.paper) < 0.2


LIGHT = Theme("#ffffff", "#2b2f33", "#c9ced3", "#5f676e", "#f4f2ed", "#b3261e")
DARK = Theme("#16191c", "#e9ecef", "#4b5359", "#a9b1b8", "#262b2f", "#ff8a80")
THEMES = {"light": LIGHT, "dark": DARK}


def theme_for(name: str | None, figure: Any) -> Theme:
    """The theme of this name, whose paper the figure gets; without a name the one that fits the figure's colour."""
    if name is None:
        paper = figure.get_facecolor()
        dark = paper[3] > 0 and luminance(paper) < 0.2
        return DARK._replace(paper=to_hex(paper)) if dark else LIGHT
    if name not in THEMES:
        raise InputError(f'theme is "light" or "dark", not {name!r}')
    figure.set_facecolor(THEMES[name].paper)
    return THEMES[name]


def color(text: Any) -> str:
    """A colour as the service has it, as `#rrggbb`; grey where it is none."""
    return str(to_hex(text)) if is_color_like(text) else NO_COLOR


def visible(hue: str, theme: Theme) -> str:
    """The same colour, lighter where it would hardly be seen on dark paper."""
    if not theme.is_dark:
        return hue
    ground, parts = luminance(theme.land), to_rgb(hue)
    while (luminance(parts) + 0.05) / (ground + 0.05) < 3:
        red, green, blue = (part + 0.1 * (1 - part) for part in parts)
        parts = (red, green, blue)
    return str(to_hex(parts))


def luminance(hue: Any) -> float:
    """From 0, black, to 1, white, as WCAG defines it."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(hue)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
