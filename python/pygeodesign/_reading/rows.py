"""The results of a format's reader: rows, and reasons for missing ones."""

from __future__ import annotations

from typing import Any, NamedTuple


class Reason(NamedTuple):
    """The reason why a row or a complete file cannot be read."""

    what: str
    remedy: str
    #: Counted from 0; None for the complete file.
    row: int | None = None
    layer: str | None = None
    field: str | None = None

    def __str__(self) -> str:
        return f"{f'{self.field!r}: ' if self.field else ''}{self.what}; {self.remedy}"


class RefusedError(Exception):
    """An error that the user can fix; the message says how."""

    def __init__(self, text: str, layers: list[str] | None = None) -> None:
        super().__init__(text)
        # The layers of a file with several, if none was named.
        self.layers = layers


class Rows(NamedTuple):
    """The rows of a layer, in the types of the library."""

    layer: str | None
    #: A string or PROJJSON; None if the file does not say it.
    crs: Any
    #: WKB in that CRS, None if there is no geometry, or a reason if it cannot be read.
    geometries: list[bytes | Reason | None]
    #: Python values of any type, or reasons.
    attributes: list[dict[str, Any]]
    #: The columns with times, as ISO 8601 strings.
    times: list[str]
