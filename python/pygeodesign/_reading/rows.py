"""What a reader of a format returns: rows, and reasons where there are none."""

from __future__ import annotations

from typing import Any, NamedTuple


class Reason(NamedTuple):
    """Why a row or a whole file cannot be taken."""

    what: str
    remedy: str
    #: Counted from 0; None for the whole file.
    row: int | None = None
    layer: str | None = None
    field: str | None = None

    def __str__(self) -> str:
        return f"{f'{self.field!r}: ' if self.field else ''}{self.what}; {self.remedy}"


class RefusedError(Exception):
    """The user can do something about it; the text says what."""

    def __init__(self, text: str, layers: list[str] | None = None) -> None:
        super().__init__(text)
        # The layers of a file with several, of which none was named.
        self.layers = layers


class Rows(NamedTuple):
    """The rows of a layer as a library gives them."""

    layer: str | None
    #: As text or PROJJSON; None where the file does not say it.
    crs: Any
    #: As WKB in that CRS, with None or a reason where there is none.
    geometries: list[bytes | Reason | None]
    #: Values of Python, of any type, or reasons.
    attributes: list[dict[str, Any]]
    #: The columns with times, as texts of ISO 8601.
    times: list[str]
