"""The coordinate reference system of incoming geometries, and its transformation to WGS 84.

One rule for files, frames and GeoJSON: degrees or metres with a place on the Earth are reprojected, everything
else is refused with advice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from pygeodesign._reading.limits import check_crs_size
from pygeodesign._reading.rows import RefusedError

# Converts pairs of numbers to positions in WGS 84, both as bytes of 64-bit floats.
Transform = Callable[[bytes], bytes]

# A CRS as `EPSG:4326` or as well-known text; any other form is a recipe for PROJ.
CODE_OR_WKT = re.compile(r"[A-Za-z0-9]+:\w+$|[A-Za-z_]+\[")
# Transformation grids named by a path; grids without one are looked up in PROJ's own folder.
GRID_AT_A_PATH = re.compile(
    r"""(grids=[^ "]*|PARAMETERFILE\[[^]]*|"value": "[^"]*)[/\\]|\+init=""",
    re.IGNORECASE,
)
# Names of a CRS in GeoJSON, OGC and GML: the authority and, at the end, the code.
NAME = re.compile(r"(?:.*[:/])?(EPSG|ESRI|IGNF|OGC|CRS)[:/](?:[\w.]*[:/])?(\w+)$", re.IGNORECASE)


def transform_from(described: Any, label: str) -> Transform | None:
    """The transformation from a file's CRS, a string or PROJJSON; None if it is WGS 84 already."""
    if described is None or described == "":
        raise RefusedError(
            f"{label} has no CRS, so its coordinates cannot be placed; read it with geopandas.read_file, and "
            "set it with .set_crs(…)"
        )
    text = described if isinstance(described, str) else json.dumps(described)
    check_crs_size(label, text)
    is_known_form = not isinstance(described, str) or CODE_OR_WKT.match(text)
    if not is_known_form or GRID_AT_A_PATH.search(text):
        raise RefusedError(f"{label} has a CRS that leads to other files; save it in a CRS of the EPSG registry")
    if text in ("EPSG:4326", "OGC:CRS84"):
        return None
    import pyproj

    try:
        crs = pyproj.CRS.from_user_input(described)
    except pyproj.exceptions.CRSError as problem:
        raise RefusedError(
            f"{label} is in {text[:80]!r}, not in WGS 84; reproject it first, for example with GeoPandas: {problem}"
        ) from problem
    return transform(crs, label)


def transform_from_name(name: str, label: str) -> Transform | None:
    """The same from the `crs` member of GeoJSON."""
    found = NAME.match(name)
    if found is None:
        raise RefusedError(
            f"{label} is in {name[:80]!r}, not in WGS 84; reproject it first, for example with GeoPandas"
        )
    return transform_from(f"{found[1].upper()}:{found[2]}", label)


def transform(crs: Any, label: str) -> Transform | None:
    """The transformation from a CRS of pyproj; None if it is WGS 84 already."""
    if crs.to_epsg() == 4326:
        return None
    # Site plans and drawings have their own CRS, and undefined ones only a name.
    if not (crs.is_geographic or crs.is_projected) or crs.name.lower().startswith(("undefined", "unknown", "unnamed")):
        raise RefusedError(
            f"{label} has the CRS {crs.name!r} ({crs.type_name}), which has no place on the Earth; {_remedy()}"
        )
    import numpy as np
    import pyproj

    try:
        transformer = pyproj.Transformer.from_crs(crs, 4326, always_xy=True)
    except pyproj.exceptions.ProjError as problem:
        raise RefusedError(
            f"{label} has the CRS {crs.name!r}, which PROJ cannot reproject: {problem}; {_remedy()}"
        ) from problem

    def to_wgs84(positions: bytes) -> bytes:
        x, y = np.frombuffer(positions).reshape(-1, 2).T
        return np.column_stack(transformer.transform(x, y)).tobytes()

    return to_wgs84


def _remedy() -> str:
    return (
        "if you know where it is, read it with geopandas.read_file, say so with .set_crs(…, allow_override=True), and "
        "pass the frame"
    )
