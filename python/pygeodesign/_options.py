"""Settings for a notebook: the theme, units and currency of everything that it shows."""

from __future__ import annotations

from pygeodesign.errors import InputError

# Not from `typing`, whose import takes longer than the rest of the package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal


class Options:
    """Defaults of `theme=`, `units=` and `currency=`, for all charts, maps, cards, pages and workbooks of this process.

    An argument of a call takes precedence. Data (frames, GeoJSON, Arrow tables, CSV) are never converted.

    Attributes:
        theme: `"light"` or `"dark"`. Default: None, which matches the figure of a chart, and is light for maps.
        units: `"metric"` (hectares, kilometres; the default) or `"us"` (acres, miles).
        currency: The currency of projects without their own, such as `"USD"`. Default: `""`; pages then end with a
            note.

    Raises:
        InputError: The theme or the units are unknown, or the currency is not a string.

    Examples:
        >>> import pygeodesign
        >>> pygeodesign.options.currency = "USD"
        >>> pygeodesign.options.units = "us"
        >>> pygeodesign.options
        <Options: theme=None, units='us', currency='USD'>
        >>> pygeodesign.options.reset()
        >>> pygeodesign.options
        <Options: theme=None, units='metric', currency=''>
    """

    __slots__ = ("__weakref__", "_currency", "_theme", "_units")

    def __init__(self) -> None:
        """Creates the only instance, `pygeodesign.options`."""
        self.reset()

    @property
    def theme(self) -> Literal["light", "dark"] | None:
        """The theme: `"light"`, `"dark"` or None."""
        return self._theme

    @theme.setter
    def theme(self, theme: Literal["light", "dark"] | None) -> None:
        if theme not in ("light", "dark", None):
            raise InputError(f'theme must be "light", "dark" or None, not {theme!r}')
        self._theme: Literal["light", "dark"] | None = theme

    @property
    def units(self) -> Literal["metric", "us"]:
        """The units: `"metric"` or `"us"`."""
        return self._units

    @units.setter
    def units(self, units: Literal["metric", "us"]) -> None:
        if units not in ("metric", "us"):
            raise InputError(f'units must be "metric" (hectares, kilometres) or "us" (acres, miles), not {units!r}')
        self._units: Literal["metric", "us"] = units

    @property
    def currency(self) -> str:
        """The currency, such as `"USD"`; empty if none was given."""
        return self._currency

    @currency.setter
    def currency(self, currency: str) -> None:
        self._currency = _text(currency)

    def reset(self) -> None:
        """Resets all options to their defaults.

        Examples:
            >>> from pygeodesign import options
            >>> options.reset()
        """
        self._theme, self._units, self._currency = None, "metric", ""

    def __repr__(self) -> str:
        """The current options."""
        return f"<Options: theme={self.theme!r}, units={self.units!r}, currency={self.currency!r}>"


#: The options of this process.
options = Options()


def currency_of(given: str | None, of_project: str | None = None) -> str:
    """The currency of a call, or else of the project, or else of the options."""
    return of_project or options.currency if given is None else _text(given)


def _text(currency: str) -> str:
    if not isinstance(currency, str):
        raise InputError(f'currency must be a string such as "USD", not {currency!r}')
    return currency
