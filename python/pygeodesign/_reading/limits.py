"""Limits on reading a file, and the errors for files beyond them."""

from __future__ import annotations

from pygeodesign._reading.rows import RefusedError

MAX_BYTES = 256 * 1024 * 1024
MAX_FEATURES = 1_000_000
# Readers take long for each column, however few rows there are.
MAX_COLUMNS = 4_096
# Attributes as JSON, and geometries as WKB.
MAX_UNPACKED_BYTES = 512 * 1024 * 1024
# A file unpacks to at most this many times its bytes, or to this many bytes.
MAX_RATIO = 100
UNPACKED_ANYWAY = 64 * 1024 * 1024
# The text of a CRS, which usually has some thousand characters.
MAX_CRS_CHARACTERS = 256 * 1024
# CPU seconds: a minimum, and enough for a slow processor to read the bytes.
MIN_SECONDS = 3
BYTES_PER_SECOND = 8 * 1024 * 1024


def allowed_seconds(size: int) -> float:
    """CPU seconds allowed for reading a file of this size."""
    return MIN_SECONDS + size / BYTES_PER_SECOND


def check_features(label: str, features: int) -> None:
    if features > MAX_FEATURES:
        raise RefusedError(f"{label} has {features:,} features; at most {MAX_FEATURES:,} are read. Split it")


def check_columns(label: str, columns: int) -> None:
    if columns > MAX_COLUMNS:
        raise RefusedError(f"{label} has {columns:,} columns; at most {MAX_COLUMNS:,} are read. Leave some out")


def check_unpacked(label: str, size: int, unpacked: int) -> None:
    limit = min(MAX_UNPACKED_BYTES, max(UNPACKED_ANYWAY, MAX_RATIO * size))
    if unpacked > limit:
        raise RefusedError(f"{label} unpacks to more than {limit:,} bytes, the most for a file of its size. Split it")


def check_crs_size(label: str, crs: str | bytes | None) -> None:
    if len(crs or b"") > MAX_CRS_CHARACTERS:
        raise RefusedError(
            f"{label} has a CRS of {len(crs or b''):,} characters; at most {MAX_CRS_CHARACTERS:,} are read. Save it in "
            "a CRS of the EPSG registry"
        )
