"""Arrow tables without null geometries."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as compute


def with_geometry(table: Any) -> Any:
    """The rows that have a geometry, in a column that says so."""
    table = table.filter(compute.is_valid(table["geometry"]))
    at = table.schema.get_field_index("geometry")
    return table.cast(table.schema.set(at, table.schema.field(at).with_nullable(False)))
