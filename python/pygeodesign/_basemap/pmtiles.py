"""Writes tiles as one file (PMTiles 3): a header, directories, metadata and tiles."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

# A place: zoom, column, row from the north.
Place = tuple[int, int, int]

HEADER_BYTES = 127
# Readers ask for the header and the first directory at once.
START_BYTES = 16_384
LEAF_ENTRIES = 4096
GZIP, VECTORS = 2, 1


class Entry(NamedTuple):
    """Consecutive tiles with the same content, or a directory if `run` is 0."""

    first: int
    run: int
    length: int
    start: int


def as_pmtiles(tiles: Mapping[Place, bytes], bounds: tuple[float, float, float, float], about: dict[str, Any]) -> bytes:
    """The file with these vector tiles, which are not compressed yet."""
    entries, data = _packed(tiles)
    root, leaves = _directories(entries)
    metadata = gzip.compress(json.dumps(about).encode())
    zooms = [zoom for zoom, _, _ in tiles]
    middle = ((bounds[0] + bounds[2]) / 2, (bounds[1] + bounds[3]) / 2)
    start, sections = HEADER_BYTES, []
    for section in (root, metadata, leaves, data):
        sections += [start, len(section)]
        start += len(section)
    header = struct.pack(
        "<7sB11Q6B4iB2i",
        *(b"PMTiles", 3, *sections, len(tiles), len(entries), len({entry.start for entry in entries})),
        *(True, GZIP, GZIP, VECTORS, min(zooms), max(zooms)),
        *_degrees(bounds),
        *(min(zooms), *_degrees(middle)),
    )
    return b"".join([header, root, metadata, leaves, data])


def _degrees(values: Iterable[float]) -> list[int]:
    return [round(value * 1e7) for value in values]


def _packed(tiles: Mapping[Place, bytes]) -> tuple[list[Entry], bytes]:
    """The entries of tiles in their order, and their contents, each once."""
    entries: list[Entry] = []
    data = bytearray()
    known: dict[bytes, tuple[int, int]] = {}
    for number, content in sorted((number_of(place), content) for place, content in tiles.items()):
        if content not in known:
            packed = gzip.compress(content, mtime=0)
            known[content] = (len(packed), len(data))
            data += packed
        length, start = known[content]
        last = entries[-1] if entries else None
        if last and (last.first + last.run, last.start) == (number, start):
            entries[-1] = last._replace(run=last.run + 1)
        else:
            entries.append(Entry(number, 1, length, start))
    return entries, bytes(data)


def _directories(entries: list[Entry]) -> tuple[bytes, bytes]:
    """The first directory and, if that would be too long, those to which it leads."""
    root, leaves = _directory(entries), b""
    if HEADER_BYTES + len(root) <= START_BYTES:
        return root, leaves
    heads = []
    for begin in range(0, len(entries), LEAF_ENTRIES):
        leaf = _directory(entries[begin : begin + LEAF_ENTRIES])
        heads.append(Entry(entries[begin].first, 0, len(leaf), len(leaves)))
        leaves += leaf
    return _directory(heads), leaves


def _directory(entries: list[Entry]) -> bytes:
    """The number of entries, then each member of all entries. 0 as a start would mean: after the last one."""
    firsts, runs, lengths, starts = zip(*entries, strict=True)
    steps = [first - last for first, last in zip(firsts, (0, *firsts), strict=False)]
    numbers = [len(entries), *steps, *runs, *lengths, *(start + 1 for start in starts)]
    return gzip.compress(b"".join(map(_varint, numbers)), mtime=0)


def _varint(number: int) -> bytes:
    """Seven bits in each byte, the lowest first."""
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def number_of(place: Place) -> int:
    """The number of a tile: those of smaller zooms come first, then its place on the Hilbert curve of its zoom."""
    zoom, x, y = place
    number = ((1 << 2 * zoom) - 1) // 3
    for level in reversed(range(zoom)):
        side = 1 << level
        is_right, is_below = x & side > 0, y & side > 0
        number += side * side * (3 * is_right ^ is_below)
        if not is_below:
            if is_right:
                x, y = x ^ (side - 1), y ^ (side - 1)
            x, y = y, x
    return number
