"""The same as costs_by_pygeodesign.py with requests and GeoPandas, and with PROJ, by which GeoPandas measures.

python costs_by_requests.py URL TOKEN PROJECT CALLS
"""

import sys
import time
from typing import Any

import requests
from geopandas import GeoDataFrame
from pyproj import Geod

WGS84 = Geod(ellps="WGS84")

url, token, project, calls = sys.argv[1:]
session = requests.Session()
session.headers["Authorization"] = f"Token {token}"


def get(path: str) -> Any:
    response = session.get(f"{url}projects/{project}/{path}")
    response.raise_for_status()
    return response.json()


def cost_of(diagram: dict[str, Any], hectares: float, kilometres: float, rate: float) -> float:
    extent = hectares or kilometres
    own: float = diagram["cost_override"]
    if own and diagram["cost_override_type"] == "total":
        return own
    if diagram["type"] == "policy":
        return 0
    return (own or rate) * extent


def costs() -> list[tuple[str, float]]:
    systems = [get(f"systems/{system['id']}/") for system in get("systems/")]
    diagrams = get("diagrams/all/")
    features = [
        {"geometry": feature["geometry"], "properties": {"diagram": diagram["id"]}}
        for diagram in diagrams
        for feature in diagram["geojson"]["features"]
    ]
    frame = GeoDataFrame.from_features(features, crs="EPSG:4326")
    areal = frame.geom_type.isin(["Polygon", "MultiPolygon"])
    measured = [abs(WGS84.geometry_area_perimeter(shape)[0]) / 1e4 for shape in frame.geometry[areal]]
    frame.loc[areal, "hectares"] = measured
    frame.loc[~areal, "kilometres"] = [WGS84.geometry_length(shape) / 1e3 for shape in frame.geometry[~areal]]
    sums = frame.groupby("diagram")[["hectares", "kilometres"]].sum()
    extents = {row.Index: (row.hectares, row.kilometres) for row in sums.itertuples()}
    total = {system["id"]: 0.0 for system in systems}
    rates = {system["id"]: system["cost"] for system in systems}
    for diagram in diagrams:
        # Without a geometry, these are the service's figures.
        hectares, kilometres = extents.get(diagram["id"], (diagram["area"] / 1e4, diagram["length"]))
        system = diagram["sysid"]
        total[system] += cost_of(diagram, hectares, kilometres, rates[system])
    return [(system["name"], total[system["id"]]) for system in systems]


for _ in range(int(calls)):
    start = time.perf_counter()
    for name, cost in costs():
        print(name, cost, sep="\t")
    print(time.perf_counter() - start, file=sys.stderr)
