"""Arrow tables, also without null geometries."""

from __future__ import annotations

from typing import Any

import pyarrow
import pyarrow.compute as compute

from pygeodesign._core import FeatureCollection


def table_of(collection: FeatureCollection, geometry: str) -> Any:
    """A collection's table, with all rows or only those whose `geometry` is `"present"`."""
    table = pyarrow.table(collection)
    return with_geometry(table) if geometry == "present" else table


def with_geometry(table: Any) -> Any:
    """The rows that have a geometry, in a column declared not nullable."""
    table = table.filter(compute.is_valid(table["geometry"]))
    at = table.schema.get_field_index("geometry")
    return table.cast(table.schema.set(at, table.schema.field(at).with_nullable(False)))
