"""A basemap from a file of tiles (MBTiles), for maps without a network. Nothing in the file is executed."""

from __future__ import annotations

import base64
import math
import re
import sqlite3
import stat
import time
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from pygeodesign.errors import InputError

# Bytes of all tiles in a page, and of one tile; seconds for reading them.
MAX_BYTES = 12_000_000
MAX_TILE_BYTES = 1_000_000
# The least size that a tile counts as, so that a page does not have a million tiny ones.
LEAST_TILE_BYTES = 200
MAX_SECONDS = 20
MAX_ZOOM = 20
# The most letters of the credits.
MAX_CREDITS = 500
# The first bytes of a picture. The browser reads the rest; it runs nothing in a picture.
KINDS = ((b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg"))
# SQLite steps between two checks of the clock.
STEPS = 10_000
# The only SQLite actions for a file: reading. Views with recursion or functions could go on for ever.
ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ}


class TileFile(NamedTuple):
    """A file of raster tiles, as written by QGIS and GDAL (MBTiles 1.3)."""

    path: Path

    @classmethod
    def of(cls, given: Any) -> TileFile:
        """Checks the path, but opens nothing yet."""
        # A map that is kept reads it later.
        path = Path(given).expanduser().absolute()
        try:
            kind = path.stat().st_mode
        except OSError as error:
            raise InputError(f"the basemap {path} cannot be read: {error.strerror or error}") from error
        if not stat.S_ISREG(kind):
            raise InputError(f"the basemap {path} is not a file")
        return cls(path)

    def within(self, bounds: list[float]) -> Tiles:
        """The tiles of a region (west, south, east, north): as many levels as a page may have."""
        deadline = time.monotonic() + MAX_SECONDS
        try:
            database = sqlite3.connect(f"file:{quote(str(self.path))}?mode=ro&immutable=1", uri=True)
        except sqlite3.Error as error:
            raise self._bad(error) from error
        try:
            database.execute("PRAGMA trusted_schema = OFF")
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * MAX_TILE_BYTES)
            database.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in ALLOWED else sqlite3.SQLITE_DENY)
            database.set_progress_handler(lambda: time.monotonic() > deadline, STEPS)
            return self._read(database, bounds)
        except (sqlite3.Error, OverflowError) as error:
            if time.monotonic() > deadline:
                raise InputError(f"the basemap {self.path} was not read within {MAX_SECONDS} s") from error
            raise self._bad(error) from error
        finally:
            database.close()

    def _bad(self, error: Exception) -> InputError:
        return InputError(f"the basemap {self.path} is not a file of tiles (MBTiles): {error}")

    def _read(self, database: sqlite3.Connection, bounds: list[float]) -> Tiles:
        wanted = "SELECT name, value FROM metadata WHERE name IN ('format', 'attribution', 'name') LIMIT 10"
        rows = database.execute(wanted).fetchall()
        metadata = {str(name): str(value) for name, value in rows}
        if metadata.get("format") == "pbf":
            raise InputError(f"the basemap {self.path} has vector tiles; give one with pictures (PNG, JPEG or WebP)")
        tiles: dict[str, str] = {}
        zooms, size = [], 0
        for zoom in range(MAX_ZOOM + 1):
            level = self._level(database, zoom, bounds, MAX_BYTES - size)
            if level is None:
                break
            if level:
                zooms.append(zoom)
            size += sum(max(len(text) * 3 // 4, LEAST_TILE_BYTES) for text in level.values())
            tiles |= level
        if not zooms:
            west, south, east, north = bounds
            raise InputError(
                f"the basemap {self.path} has no tile from {west:.2f}, {south:.2f} to {east:.2f}, {north:.2f}, or its "
                f"first level there has more than {MAX_BYTES // 1_000_000} MB"
            )
        return Tiles(tiles, _credits(metadata), zooms[0], zooms[-1])

    def _level(self, database: sqlite3.Connection, zoom: int, bounds: list[float], left: int) -> dict[str, str] | None:
        """The tiles of a level; None if they take more than `left` bytes."""
        (first, top), (last, bottom) = _place(bounds[0], bounds[3], zoom), _place(bounds[2], bounds[1], zoom)
        highest = 2**zoom - 1
        # Rows are counted from the south in the file.
        found = database.execute(
            "SELECT tile_column, tile_row, tile_data FROM tiles "
            "WHERE zoom_level = ? AND tile_column BETWEEN ? AND ? AND tile_row BETWEEN ? AND ?",
            (zoom, first, last, highest - bottom, highest - top),
        )
        level: dict[str, str] = {}
        for column, row, data in found:
            place = f"{zoom}/{column}/{highest - row if isinstance(row, int) else row}"
            kind = _kind(data) if isinstance(data, bytes) and len(data) <= MAX_TILE_BYTES else None
            if kind is None:
                raise InputError(
                    f"the basemap {self.path} has a tile {place} that is not a PNG, JPEG or WebP of at most "
                    f"{MAX_TILE_BYTES // 1000} kB"
                )
            left -= max(len(data), LEAST_TILE_BYTES)
            if left < 0:
                return None
            level[place] = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
        return level


class Tiles(NamedTuple):
    """Tiles by their place (zoom/column/row from the north), as data URLs of their pictures."""

    tiles: dict[str, str]
    credits: str
    min_zoom: int
    max_zoom: int

    def as_data(self) -> dict[str, Any]:
        """The data for the page."""
        return {"tiles": self.tiles, "min_zoom": self.min_zoom, "max_zoom": self.max_zoom}


def _kind(data: bytes) -> str | None:
    for start, kind in KINDS:
        if data.startswith(start):
            return kind
    return "webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def _place(lon: float, lat: float, zoom: int) -> tuple[int, int]:
    """The column and the row, from the north, of the tile with a position, in Web Mercator."""
    across = 2**zoom
    sine = math.sin(math.radians(max(-85.05, min(85.05, lat))))
    x, y = lon / 360 + 0.5, 0.5 - math.log((1 + sine) / (1 - sine)) / (4 * math.pi)
    column, row = (max(0, min(across - 1, math.floor(part * across))) for part in (x, y))
    return column, row


def _credits(metadata: dict[str, str]) -> str:
    """The file's credits as plain text: they are HTML there."""
    text = metadata.get("attribution") or metadata.get("name") or ""
    plain = " ".join(unescape(re.sub("<[^<>]*>", " ", text)).split())
    return plain[:MAX_CREDITS]
