"""Pieces of the page: escaped text, figures, links to diagrams, tables and pictures."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import pandas as pd
from matplotlib import pyplot

from pygeodesign._pictures.theme import color

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pygeodesign._pictures.units import Units

UNKNOWN = "not known"


class Markup(str):
    """Text that is HTML already; every other text is escaped."""

    __slots__ = ()


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and `text`, `ids` or no class for figures."""

    heading: str
    kind: str = ""


def html(value: Any) -> str:
    """The value as HTML."""
    return value if isinstance(value, Markup) else escape(str(value))


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
    return Markup(f'<i class="hue" style="background:{color(system_color)}"></i>{escape(str(name))}')


def over(text: str, is_over: bool) -> str:
    return Markup(f'<span class="over">{escape(text)}</span>') if is_over else text


def paragraph(text: Any) -> str:
    return f"<p>{html(text)}</p>"


def table(
    caption: str, columns: Sequence[Column], rows: Iterable[Sequence[Any]], row_ids: Sequence[str] | None = None
) -> str:
    """A table whose first column names the rows."""
    head = "".join(f'<th scope="col"{_kind(column.kind)}>{html(column.heading)}</th>' for column in columns)
    body = []
    for place, row in enumerate(rows):
        first, *others = zip(columns, row, strict=True)
        cells = "".join(f"<td{_kind(column.kind)}>{html(cell)}</td>" for column, cell in others)
        anchor = f' id="{row_ids[place]}"' if row_ids else ""
        body.append(f'<tr{anchor}><th scope="row"{_kind(first[0].kind)}>{html(first[1])}</th>{cells}</tr>')
    return (
        f'<div class="wide"><table><caption>{html(caption)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _kind(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


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
