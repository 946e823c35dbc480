"""Numbers as callers give them."""

from __future__ import annotations

import math
import operator
from typing import Any

from pygeodesign.errors import InputError


def finite(name: str, value: Any, wanted: str, low: float = -math.inf) -> float:
    """The value as a float that is finite and at least `low`; an error says what is wanted."""
    try:
        number = math.nan if isinstance(value, (str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number >= low):
        raise InputError(f"{name} is {value!r}: {wanted}")
    return number


def whole(name: str, value: Any, wanted: str, low: float = -math.inf) -> int:
    """The value as an int that is at least `low`; an error says what is wanted."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or number < low:
        raise InputError(f"{name} is {value!r}: {wanted}")
    return number
