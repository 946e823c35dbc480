"""How a report shows figures, designs, diagrams and pictures."""

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

from pygeodesign._html import Column, Markup, swatch
from pygeodesign._pictures.style import color
from pygeodesign._text import NO_CURRENCY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pygeodesign._planning import Questions
    from pygeodesign._text import Units

# The most rows of a table of the worst.
WORST = 20
UNKNOWN = "not known"


@dataclass(frozen=True)
class Figures:
    """Figures as the reader wants them: units, the name of the currency, which may be empty, and of which diagrams.

    `scope` is what questions about diagrams take, `scopes` each design of it, or the project.
    """

    units: Units
    currency: str
    scope: str
    scopes: tuple[str, ...]

    def area(self, hectares: Any) -> str:
        return UNKNOWN if pd.isna(hectares) else f"{float(hectares) * self.units.per_hectare:,.1f}"

    def length(self, kilometres: Any) -> str:
        return UNKNOWN if pd.isna(kilometres) else f"{float(kilometres) * self.units.per_kilometre:,.1f}"

    def money(self, amount: Any) -> str:
        # No sum of money is minus zero.
        return UNKNOWN if pd.isna(amount) else f"{round(float(amount)) + 0:,}"

    def full_money(self, amount: Any) -> str:
        return f"{self.money(amount)} {self.currency or NO_CURRENCY}"

    @property
    def money_unit(self) -> str:
        """What follows a heading of amounts."""
        return f" ({self.currency or NO_CURRENCY.strip('()')})"

    @property
    def summed(self) -> Column:
        """Hectares of which land that two diagrams cover counts twice."""
        return Column(f"Area, summed ({self.units.area})")

    @property
    def land(self) -> Column:
        return Column(f"Land, each place once ({self.units.area})")


def name_of(scope: str) -> str:
    """A design, or what stands for it."""
    return "All diagrams of the project" if scope == "project" else scope


def ids_of(compared: Questions, scope: str, sysid: int | None = None) -> list[int]:
    """The ids of the diagrams of a design, or of the project, of one system or all."""
    rows: Any = compared.diagrams if scope == "project" else compared.diagrams.loc[compared.designs[scope]]
    return sorted(rows.index if sysid is None else rows.index[rows["sysid"] == sysid])


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


def title_of(text: Any) -> str:
    return "without a title" if pd.isna(text) or not str(text) else str(text)
