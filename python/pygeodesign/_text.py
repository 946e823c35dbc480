"""Amounts, units and names for readers. Data are metric; only what is shown is converted."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from pygeodesign._language import in_digits, t
from pygeodesign._options import options
from pygeodesign.errors import InputError

# Half of a surrogate pair, such as U+D800: a Python string can hold it alone, a file or a request cannot.
LONE_SURROGATE = re.compile("[\ud800-\udfff]")

# What a widget needs, for programs that cannot run it.
PLACES_OF_WIDGETS = "open the notebook in JupyterLab 4 or later, VS Code with Jupyter, or Colab."
NEEDS_OF_WIDGETS = f"To use it: pip install 'pygeodesign[notebook]', then {PLACES_OF_WIDGETS}"


def without_lone_surrogates(text: str) -> str:
    """The string with U+FFFD, the replacement character, in place of each lone surrogate."""
    return LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def short_number(number: float) -> str:
    """A number, such as hectares, with three significant digits: 1.25, 10.0, 1,250. A tiny number is not shown as 0."""
    if 0 < abs(number) < 0.001:
        return in_digits("< 0.001" if number > 0 else "> -0.001")
    return in_digits(f"{number:,.0f}" if abs(number) >= 99.95 or number == 0 else f"{number:#.3g}")


def listed(ids: list[int], most: int = 20) -> str:
    """Diagram ids for a message."""
    more = f" and {len(ids) - most:,} more" if len(ids) > most else ""
    return ", ".join(map(str, ids[:most])) + more


def counted(number: int, what: str) -> str:
    """A number of things, such as `3 diagrams`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def short_amount(amount: float) -> str:
    """An amount of money with three significant digits: 13.1 bn, 2.00 bn, 490 M, 26.0 k."""
    for size, unit in ((1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
        # An amount that would round to 1,000 of a unit is 1 of the next.
        if abs(amount) >= 0.9995 * size:
            return t(unit, amount=short_number(amount / size))
    return short_number(amount + 0)


def money(amount: float, currency: str) -> str:
    """An amount with its currency; `not known` if it is NaN."""
    return f"{short_amount(amount)} {currency}".rstrip() if amount == amount else t("not_known")


def of_currency(currency: str, before: str = ", ") -> str:
    """The currency after a heading of amounts; empty without one."""
    return f"{before}{currency}" if currency else ""


class Units(NamedTuple):
    """Units of area and length, and their number per hectare and per kilometre."""

    name: Literal["metric", "us"]
    area: str
    per_hectare: float
    length: str
    per_kilometre: float
    # For scale bars of less than one unit of length.
    short_length: str
    short_per_kilometre: float

    def area_text(self, hectares: float) -> str:
        return f"{short_number(hectares * self.per_hectare)} {self.area}"

    def length_text(self, kilometres: float) -> str:
        return f"{short_number(kilometres * self.per_kilometre)} {self.length}"

    def size_text(self, hectares: float, kilometres: float, pieces: float) -> str:
        """The size that a diagram is priced by: its area, else its length, else its points; empty if it is unknown."""
        if hectares > 0:
            return self.area_text(hectares)
        if kilometres > 0:
            return self.length_text(kilometres)
        return counted(int(pieces), "piece") if pieces > 0 else ""


METRIC = Units("metric", "ha", 1, "km", 1, "m", 1_000)
US = Units("us", "acres", 2.4710538147, "mi", 0.6213711922, "ft", 3_280.8398950)
UNITS: dict[str, Units] = {units.name: units for units in (METRIC, US)}


def units_named(name: str | None) -> Units:
    """The units of a call, or else of the options."""
    name = options.units if name is None else name
    if name not in UNITS:
        raise InputError(f'units must be "metric" (hectares, kilometres) or "us" (acres, miles), not {name!r}')
    units = UNITS[name]
    return units._replace(area=t(units.area), length=t(units.length))
