"""Shapely geometries as WKB."""

from __future__ import annotations

import warnings
from typing import Any

MEASURES_NOTE = "positions have measures (M), which are not heights and were left out"


def to_wkb(shapes: Any) -> Any:
    """The WKB of one or of many shapes; None for a missing one. Its reader leaves measures out."""
    import numpy as np
    import shapely

    # Before Shapely 2.1, and with a GEOS before 3.12, shapes have no measures.
    has_measures = hasattr(shapely, "has_m") and bool(np.any(shapely.has_m(shapes)))
    if has_measures:
        warnings.warn(MEASURES_NOTE, stacklevel=2)
    # 1: little-endian.
    return shapely.to_wkb(shapes, output_dimension=4 if has_measures else 3, byte_order=1, flavor="iso")
