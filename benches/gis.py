"""Pages and filters of OGC API – Features over 100 000 diagrams, compared with GDAL on a GeoPackage of the same."""

import json
import tempfile
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

import geopandas as gpd
import numpy as np
import pyogrio
import shapely

import synthetic
from harness import Row, sized, timed_row, timings
from pygeodesign import Sandbox
from served import PROJECT, Service, served

DIAGRAMS = sized(100_000, 300)
PAGE = 100
# One diagram in a hundred.
TITLE = "Diagram 42"
LIMITS = {"project_diagrams": DIAGRAMS + 1_000, "project_bytes": 10**9, "user_bytes": 10**9}


def gis_rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        database, package = Path(name, "gis.sqlite"), Path(name, "gis.gpkg")
        frame = diagrams()
        with Sandbox(database, limits=LIMITS) as sandbox:
            sandbox.project().add_diagrams(1, frame, title="title", outside="allow", duplicates="skip", progress=False)
        frame.to_file(package, layer="diagrams")
        with served("--db", database) as service:
            yield from rows(service, package)


def diagrams() -> gpd.GeoDataFrame:
    """Small lots in rows, next to the demo's study area."""
    columns = int(DIAGRAMS**0.5) + 1
    number = np.arange(DIAGRAMS)
    width, height = (synthetic.EAST - synthetic.WEST) / columns, (synthetic.NORTH - synthetic.SOUTH) / columns
    west, south = synthetic.WEST - 1 + number % columns * width, synthetic.SOUTH + number // columns * height
    lots = shapely.box(west, south, west + 0.8 * width, south + 0.8 * height)
    return gpd.GeoDataFrame({"title": [f"Diagram {row % 100}" for row in number]}, geometry=lots, crs=4326)


def rows(service: Service, package: Path) -> Iterator[Row]:
    connection = HTTPConnection(service.address)
    box = (-75.16, 40.56, -75.15, 40.57)
    bbox = ",".join(map(str, box))

    def features(query: str) -> Any:
        path = f"/ogc/collections/{PROJECT}.diagrams/items?f=json&limit={PAGE}&{query}"
        connection.request("GET", path, headers={"Authorization": f"Bearer {service.token}"})
        response = connection.getresponse()
        content = json.loads(response.read())
        assert response.status == 200, content
        return content["features"]

    of_title = quote(f"description='{TITLE}'")
    questions: dict[str, tuple[str, dict[str, Any]]] = {
        "a page": ("", {"max_features": PAGE}),
        "a page in the middle": (f"offset={DIAGRAMS // 2}", {"skip_features": DIAGRAMS // 2, "max_features": PAGE}),
        "a filter by title": (f"filter={of_title}", {"where": f"title = '{TITLE}'", "max_features": PAGE}),
        "a filter by place": (f"bbox={bbox}", {"bbox": box, "max_features": PAGE}),
    }
    for what, (query, asked) in questions.items():

        def by_gdal(asked: dict[str, Any] = asked) -> Any:
            return json.loads(pyogrio.read_dataframe(package, **asked).to_json())["features"]

        def by_service(query: str = query) -> Any:
            return features(query)

        # For any rectangle, the service also returns diagrams without a geometry, as the standard demands.
        answered = by_service()
        nowhere = sum(not feature["geometry"] for feature in answered) if "bbox" in asked else 0
        assert len(answered) == min(PAGE, len(by_gdal()) + nowhere)
        taken = timings({"ours": by_service, "theirs": by_gdal})
        label = f"{what} of OGC over {DIAGRAMS:,} diagrams".replace(",", " ")
        yield timed_row(label, "pyogrio, a GeoPackage", taken["ours"], taken["theirs"], None)


if __name__ == "__main__":
    for row in gis_rows():
        print(f"{row.what} | {row.beside} | {row.ours} | {row.theirs} | {row.ratio:.2f} | {row.reached}", flush=True)
