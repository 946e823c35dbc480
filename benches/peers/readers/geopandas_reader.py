"""GeoPandas' own ways to read GeoJSON."""

from typing import Any


def features_of(diagrams: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [feature for diagram in diagrams for feature in diagram["geojson"]["features"]]


def frame_from_features(diagrams: list[dict[str, Any]]) -> Any:
    from geopandas import GeoDataFrame

    return GeoDataFrame.from_features(features_of(diagrams), crs="EPSG:4326")
