"""Small MBTiles files in one colour, in the form that QGIS and GDAL write."""

import sqlite3
import struct
import zlib
from pathlib import Path


def png(red: int, green: int, blue: int, side: int = 256) -> bytes:
    """A picture of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    rows = (b"\x00" + bytes((red, green, blue)) * side) * side
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def write_mbtiles(path: Path, tiles: dict[tuple[int, int, int], bytes], **metadata: str) -> Path:
    """A file of tiles by zoom, column and row from the north."""
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
    database.execute("CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
    database.execute("CREATE UNIQUE INDEX tile ON tiles (zoom_level, tile_column, tile_row)")
    database.executemany("INSERT INTO metadata VALUES (?, ?)", metadata.items())
    rows = [(zoom, column, 2**zoom - 1 - row, data) for (zoom, column, row), data in tiles.items()]
    database.executemany("INSERT INTO tiles VALUES (?, ?, ?, ?)", rows)
    database.commit()
    database.close()
    return path
