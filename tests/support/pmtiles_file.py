"""Small PMTiles files, as other programs write them: with directories of directories, and with runs."""

import gzip
import json
import struct
from collections.abc import Callable, Mapping
from pathlib import Path

# The numbers of a few tiles on the curve, by zoom, column and row from the north.
NUMBERS = {(0, 0, 0): 0, (1, 0, 0): 1, (1, 0, 1): 2, (1, 1, 1): 3, (1, 1, 0): 4, (2, 0, 0): 5, (2, 1, 0): 6}
KINDS = {"mvt": 1, "png": 2, "jpeg": 3, "webp": 4, "avif": 5}
Place = tuple[int, int, int]


def varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number % 128 | 128]) + varint(number // 128)


def directory(rows: list[tuple[int, int, int, int]]) -> bytes:
    """Entries of number, run, length and start. A start of 0 says that the tile follows the last one."""
    numbers, last, end = [len(rows)], 0, 0
    starts: list[int] = []
    for number, _, length, start in rows:
        numbers.append(number - last)
        starts.append(0 if start == end and starts else start + 1)
        last, end = number, start + length
    numbers += [run for _, run, _, _ in rows] + [length for _, _, length, _ in rows] + starts
    return b"".join(map(varint, numbers))


def write_pmtiles(
    path: Path,
    tiles: dict[Place, bytes],
    kind: str = "png",
    *,
    packing: int = 2,
    tile_packing: int = 1,
    runs: dict[Place, int] | None = None,
    has_leaves: bool = False,
    metadata: bytes | Mapping[str, object] | None = None,
    zooms: tuple[int, int] = (0, 2),
) -> Path:
    pack: Callable[[bytes], bytes] = gzip.compress if packing == 2 else bytes
    rows, data = [], b""
    for place, content in sorted(tiles.items(), key=lambda tile: NUMBERS[tile[0]]):
        rows.append((NUMBERS[place], (runs or {}).get(place, 1), len(content), len(data)))
        data += content
    leaves = b""
    if has_leaves:
        heads = []
        for row in rows:
            leaf = pack(directory([row]))
            heads.append((row[0], 0, len(leaf), len(leaves)))
            leaves += leaf
        rows = heads
    about = metadata if isinstance(metadata, bytes) else json.dumps(metadata or {}).encode()
    parts = [pack(directory(rows)), pack(about), leaves, data]
    header, start = [], 127
    for part in parts:
        header += [start, len(part)]
        start += len(part)
    bounds = [round(degrees * 1e7) for degrees in (-74.26, 40.49, -74.05, 40.65)]
    fixed = (0, 0, 0, 1, packing, tile_packing, KINDS.get(kind, 0), *zooms, *bounds, 0, 0, 0)
    path.write_bytes(struct.pack("<7sB11Q6B4iB2i", b"PMTiles", 3, *header, *fixed) + b"".join(parts))
    return path
