"""`pygeodesign basemap`: vector tiles of an area, from an extract of OpenStreetMap. GDAL cuts each layer."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pygeodesign._basemap.osm import Box, Layer, layers_of
from pygeodesign._basemap.pmtiles import Place, as_pmtiles
from pygeodesign._core import _need, _write_whole
from pygeodesign._reading.table import read_file
from pygeodesign.errors import InputError

CREDITS = "© OpenStreetMap contributors"
# Of the longer side of an area: a map shows what is around it, too.
MARGIN = 0.5


def cut_basemap(extract: Path, area: Path | None, output: Path) -> None:
    """Writes the tiles of the rectangle around an area or, without one, of the complete extract."""
    _need("geopandas", "pyogrio", "shapely")
    if output.suffix.lower() != ".pmtiles":
        raise InputError(f"{output}: a basemap is a file of tiles, such as {output.with_suffix('.pmtiles').name}")
    for file in (extract, *([area] if area else [])):
        if not file.exists():
            raise InputError(f"{file} cannot be read: there is no such file")
    _about(extract)
    box = _bounds_of(extract) if area is None else _around(area)
    layers = layers_of(extract, box)
    if {layer.name for layer in layers} <= {"earth"}:
        west, south, east, north = box
        raise InputError(
            f"the extract {extract} has nothing from {west:.2f}, {south:.2f} to {east:.2f}, {north:.2f}: take the "
            "extract of a region around the area"
        )
    tiles: dict[Place, bytes] = defaultdict(bytes)
    for layer in layers:
        for place, content in _tiles_of(layer, box):
            # Layers follow each other in a tile.
            tiles[place] += content
    fields = {layer.name: _fields(layer) for layer in layers}
    about = {
        "name": output.stem,
        "attribution": CREDITS,
        "vector_layers": [{"id": name, "fields": found} for name, found in fields.items()],
    }
    _write_whole(output, as_pmtiles(tiles, box, about))


def _fields(layer: Layer) -> dict[str, str]:
    types = layer.features.drop(columns="geometry").dtypes
    return {name: "Number" if kind.kind in "if" else "String" for name, kind in types.items()}


def _bounds_of(extract: Path) -> Box:
    """The bounds that an extract states or, without them, those of its points."""
    west, south, east, north = map(float, _about(extract, force_total_bounds=True)["total_bounds"])
    return west, south, east, north


def _about(extract: Path, **wanted: bool) -> Any:
    import pyogrio

    problem = "GDAL reads it as something else"
    try:
        told = pyogrio.read_info(extract, layer="points", **wanted)
    except (pyogrio.errors.DataSourceError, pyogrio.errors.DataLayerError) as error:
        told, problem = {}, str(error)
    if told.get("driver") != "OSM":
        raise InputError(f"{extract} is not an extract of OpenStreetMap (.osm.pbf or .osm): {problem}")
    return told


def _around(area: Path) -> Box:
    """The rectangle around the features of a file, and more on each side."""
    west, south, east, north = map(float, read_file(area, None).frame().total_bounds)
    more = MARGIN * max(east - west, north - south)
    return west - more, south - more, east + more, north + more


def _tiles_of(layer: Layer, box: Box) -> list[tuple[Place, bytes]]:
    import pyogrio

    features = layer.features.assign(geometry=layer.features.clip_by_rect(*box))
    options = {"FORMAT": "MBTILES", "COMPRESS": "NO", "MINZOOM": str(layer.first), "MAXZOOM": str(layer.last)}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "layer.mbtiles"
        shown = features[~features.is_empty]
        pyogrio.write_dataframe(shown, file, layer=layer.name, driver="MVT", dataset_options=options)
        with closing(sqlite3.connect(file)) as database:
            rows = database.execute("SELECT zoom_level, tile_column, tile_row, tile_data FROM tiles")
            # Rows are counted from the south there.
            return [((zoom, column, 2**zoom - 1 - row), content) for zoom, column, row, content in rows]
