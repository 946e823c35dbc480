"""Pieces of the report: figures, links to diagrams, and pictures."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import pandas as pd
from matplotlib import pyplot

from pygeodesign._html import Markup, swatch
from pygeodesign._pictures.style import color

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pygeodesign._text import Units

UNKNOWN = "not known"


@dataclass(frozen=True)
class Figures:
    """Figures as the reader wants them: units, and the name of the currency, which may be empty."""

    units: Units
    currency: str

    def area(self, hectares: Any) -> str:
        return UNKNOWN if pd.isna(hectares) else f"{float(hectares) * self.units.per_hectare:,.1f}"

    def length(self, kilometres: Any) -> str:
        return UNKNOWN if pd.isna(kilometres) else f"{float(kilometres) * self.units.per_kilometre:,.1f}"

    def money(self, amount: Any) -> str:
        # No sum of money is minus zero.
        return UNKNOWN if pd.isna(amount) else f"{round(float(amount)) + 0:,}"

    def full_money(self, amount: Any) -> str:
        return f"{self.money(amount)} {self.currency}".rstrip()

    @property
    def money_unit(self) -> str:
        """What follows a heading of amounts."""
        return f" ({self.currency})" if self.currency else ""


def links(ids: Iterable[Any]) -> Markup:
    """The ids of diagrams, each a link to its row."""
    known = [int(number) for number in ids]
    return Markup(", ".join(f'<a href="#d{number}">{number}</a>' for number in known) or "none")


def hue(system_color: Any, name: Any) -> Markup:
    """The name of a system behind its colour."""
    return swatch(color(system_color), name)


def over(text: str, is_over: bool) -> str:
    return Markup(f'<span class="over">{escape(text)}</span>') if is_over else text


def picture(draw: Callable[..., Axes], alt: str, *, as_map: bool = False) -> str:
    """What `draw(theme=…)` draws, light for paper and light screens, dark for dark ones.

    Maps have too many corners for a picture of lines and become pixels.
    """
    light, dark = (_data(draw(theme=theme), as_map) for theme in ("light", "dark"))
    return (
        f'<figure><picture><source media="screen and (prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img src="{light}" alt="{escape(alt)}"></picture></figure>'
    )


def _data(axes: Axes, as_map: bool) -> str:
    figure: Any = axes.get_figure(root=True)
    kind = "png" if as_map else "svg"
    file = io.BytesIO()
    try:
        # The same project gives the same page: no date, and names of parts that do not change.
        with mpl.rc_context({"svg.hashsalt": "pygeodesign", "svg.fonttype": "path"}):
            figure.savefig(file, format=kind, dpi=160, metadata=None if as_map else {"Date": None})
    finally:
        pyplot.close(figure)
    media = "image/png" if as_map else "image/svg+xml"
    return f"data:{media};base64,{base64.b64encode(file.getvalue()).decode()}"
