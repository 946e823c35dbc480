"""Formats figures, designs and diagrams for a report."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd

from pygeodesign._html import Column, Markup, swatch
from pygeodesign._language import number, t
from pygeodesign._looks import NO_COLOR, hex_color
from pygeodesign._text import money, short_amount, short_number

if TYPE_CHECKING:
    from pygeodesign._planning.compared import Compared
    from pygeodesign._text import Units

# The most rows of a table of the worst cases.
WORST = 20
# Less than this outside the study area would be 0.0 in a table.
SHOWN_HA = 0.05


@dataclass(frozen=True)
class Figures:
    """Formats of figures: units, the currency's name, which may be empty, and the diagrams they are about.

    `scope` is the argument for questions about diagrams, `scopes` each of its designs, or the project. `inside` is true
    if only land inside the study area counts.
    """

    units: Units
    currency: str
    scope: str
    scopes: tuple[str, ...]
    inside: bool = False

    def area(self, hectares: Any, outside: float = 0.0) -> str:
        """An area, and the land outside the study area."""
        if pd.isna(hectares):
            return t("not_known")
        area = number(float(hectares) * self.units.per_hectare, 1)
        return self.with_outside(area, self.area(outside)) if outside >= SHOWN_HA else area

    def with_outside(self, area: str, outside: str) -> str:
        """The text of an area, and of the land outside, which is a part of it or does not count."""
        return t("area_not_counted" if self.inside else "area_outside", area=area, outside=outside)

    def length(self, kilometres: Any) -> str:
        return t("not_known") if pd.isna(kilometres) else number(float(kilometres) * self.units.per_kilometre, 1)

    def pieces(self, count: Any) -> str:
        return t("not_known") if pd.isna(count) else number(int(count))

    def money(self, amount: Any) -> str:
        # Not minus zero.
        return t("not_known") if pd.isna(amount) else number(round(float(amount)) + 0)

    def full_money(self, amount: Any) -> str:
        return f"{self.money(amount)} {self.currency}".rstrip()

    def read_area(self, hectares: Any) -> str:
        """Rounded for reading; the exact figure is in the appendix."""
        return (
            t("not_known")
            if pd.isna(hectares)
            else f"{short_number(float(hectares) * self.units.per_hectare)} {self.units.area}"
        )

    def read_money(self, amount: Any) -> str:
        return t("not_known") if pd.isna(amount) else money(float(amount), self.currency)

    def read_amount(self, amount: Any) -> str:
        """The same for a currency that is named elsewhere."""
        return t("not_known") if pd.isna(amount) else short_amount(float(amount))

    @property
    def money_unit(self) -> str:
        """The unit after a heading of amounts."""
        return f" ({self.currency})" if self.currency else ""

    @property
    def summed(self) -> Column:
        """Hectares; land that two diagrams cover counts twice."""
        return self.area_column("area_summed")

    @property
    def land(self) -> Column:
        return self.area_column("land_once")

    def area_column(self, heading: str) -> Column:
        """A column of areas; its heading says if only land inside the study area counts."""
        text = t(heading, unit=self.units.area)
        return Column(t("inside_study_area", heading=text) if self.inside else text)


def name_of(scope: str) -> str:
    """A design, or the name for all diagrams."""
    return t("all_diagrams_of_project") if scope == "project" else scope


def ids_of(compared: Compared, scope: str, sysid: int | None = None) -> list[int]:
    """The ids of the diagrams of a design or the project, for one system or all."""
    rows: Any = compared.diagrams if scope == "project" else compared.diagrams.loc[compared.designs[scope]]
    return sorted(rows.index if sysid is None else rows.index[rows["sysid"] == sysid])


def links(ids: Iterable[Any]) -> Markup:
    """Diagram ids, each a link to its row."""
    known = [int(diagram) for diagram in ids]
    return Markup(", ".join(f'<a href="#d{diagram}">{diagram}</a>' for diagram in known) or t("none"))


def hue(compared: Compared, sysid: Any, name: Any) -> Markup:
    """A system's name after its colour."""
    return swatch(hue_of(compared.systems, sysid), name)


def hue_of(systems: pd.DataFrame, sysid: Any) -> str:
    """A system's colour as `#rrggbb`; grey if it has none. Matplotlib knows the names of colours."""
    known = systems["color"].get(sysid)
    color = hex_color(known)
    if color is None and isinstance(known, str) and known.strip().isalpha():
        with contextlib.suppress(ImportError):
            from matplotlib.colors import is_color_like, to_hex

            color = str(to_hex(known.strip())) if is_color_like(known.strip()) else None
    return color or NO_COLOR


def anchored(anchor: str, text: str) -> str:
    """The target of links to an anchor."""
    return f'<div id="{anchor}">{text}</div>'


def over(text: str, is_over: bool) -> str:
    return Markup(f'<span class="over">{escape(text)}</span>') if is_over else text


def title_of(text: Any) -> str:
    return t("without_title") if pd.isna(text) or not str(text) else str(text)


def of_design(row: Any) -> list[str]:
    """The design of a row, if it has one."""
    return [row.design] if hasattr(row, "design") else []
