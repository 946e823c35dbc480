"""Attributes as JSON: the documented string for each type that JSON does not have."""

from __future__ import annotations

import base64
import datetime
import decimal
import math
from collections.abc import Mapping
from typing import Any


def plain(value: Any) -> Any:
    """The value as in JSON.

    Days are `2030-05-01`, date-times `2030-05-01T10:00:00` with their zone, if any (`+02:00`), times `10:00:00`,
    durations seconds, bytes Base64, infinity `Infinity` or `-Infinity`. Missing values, including NaN, are None.
    Integers keep all digits; lists become arrays, and structs and maps objects.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value).replace("inf", "Infinity")
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        # Maps of Arrow are lists of pairs.
        is_map = bool(value) and all(isinstance(item, tuple) and len(item) == 2 for item in value)
        return plain(dict(value)) if is_map else [plain(item) for item in value]
    # NaT of pandas is an instance of datetime.
    if str(value) in ("NaT", "<NA>"):
        return None
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, decimal.Decimal):
        return plain(int(value) if value == value.to_integral_value() else float(value)) if value.is_finite() else None
    if type(value).__module__ == "numpy":
        return plain(_from_numpy(value))
    return str(value)


def _from_numpy(value: Any) -> Any:
    """Numbers and arrays of NumPy as Python's; times, which it counts in nanoseconds, as strings."""
    if value.dtype.kind in "mM" and not value.shape:
        return str(value) if value.dtype.kind == "M" else value.astype("timedelta64[ms]").item()
    return value.tolist() if value.dtype.kind not in "mM" else [_from_numpy(item) for item in value]
