"""`CostReport.to_geopandas()`: one row per diagram, with all its shapes, its fields and its cost."""

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import shapely

from builders import Json, diagram, feature, line, square
from fake_service import FakeService
from pygeodesign import CostReport, Project

SYSTEM = {"id": 1, "name": "Water", "color": "#0000ff", "tag": "WAT", "cost": 100, "budget": 0}
LAND, OTHER_LAND, WAY = square(0, 0, 0.01), square(1, 0, 0.01), line([2, 0], [2.1, 0])


def report_of(*diagrams: Json) -> CostReport:
    below = {"systems/": [SYSTEM], "systems/1/": SYSTEM, "diagrams/all/": list(diagrams)}
    with FakeService(below) as service:
        return service.project().costs()


def point(longitude: float, latitude: float) -> Json:
    return {"type": "Point", "coordinates": [longitude, latitude]}


def several(*geometries: Json) -> Json:
    return {"type": "GeometryCollection", "geometries": list(geometries)}


def test_every_diagram_is_one_row_so_that_its_cost_is_summed_once(project: Project) -> None:
    report = project.costs()
    frame = report.to_geopandas()
    assert frame["diagramid"].tolist() == [row["diagramid"] for row in report.diagrams]
    assert frame["cost"].sum() == pytest.approx(report.total, rel=1e-12)
    assert frame.groupby("sysname")["cost"].sum().to_dict() == pytest.approx(
        {row["name"]: row["cost"] for row in report.systems}, rel=1e-12
    )
    assert frame.crs == "EPSG:4326"


def test_a_row_has_the_shapes_of_all_features(project: Project) -> None:
    features, frame = project.diagrams().to_geopandas(), project.costs().to_geopandas()
    assert features["diagramid"].duplicated().any() and frame.geometry.isna().any()
    for diagramid, geometry in zip(frame["diagramid"], frame.geometry, strict=True):
        shapes = features.loc[features["diagramid"] == diagramid, "geometry"].dropna()
        parts = shapely.get_parts(shapely.get_parts(shapes.to_numpy()))
        assert shapely.to_wkb(shapely.get_parts(geometry)).tolist() == shapely.to_wkb(parts).tolist()


def test_the_columns_are_the_fields_and_the_figures(project: Project) -> None:
    report, features = project.costs(), project.diagrams().to_geopandas()
    frame = report.to_geopandas()
    figures = [
        "area_ha",
        "area_source",
        "area_figure",
        "area_problem",
        "length_km",
        "pieces",
        "rate",
        "rate_source",
        "cost",
        "cost_problem",
        "geometry_problem",
        "file_problem",
        "floor_above_m2",
        "floor_below_m2",
    ]
    features = features.rename(columns={"description": "title"})
    fields = [name for name in features.columns if name != "geometry"]
    assert list(frame.columns) == [*fields, *figures, "geometry"]
    known = ["title", "kind", *figures]
    pd.testing.assert_frame_equal(pd.DataFrame(frame[known]), report.to_pandas("diagrams")[known], check_like=True)
    first = features.drop_duplicates("diagramid")[fields].reset_index(drop=True)
    pd.testing.assert_frame_equal(pd.DataFrame(frame[fields]), pd.DataFrame(first))


@pytest.mark.parametrize(
    ("geometries", "kind", "parts"),
    [
        ([LAND], "MultiPolygon", 1),
        ([LAND, OTHER_LAND], "MultiPolygon", 2),
        ([WAY], "MultiLineString", 1),
        ([point(1, 2), point(3, 4)], "MultiPoint", 2),
        ([LAND, WAY], "GeometryCollection", 2),
        ([several(LAND, several(OTHER_LAND))], "MultiPolygon", 2),
        ([None, LAND], "MultiPolygon", 1),
        ([LAND, {"type": "LineString", "coordinates": []}], "MultiPolygon", 1),
    ],
)
def test_the_geometry_is_of_several_parts(geometries: list[Any], kind: str, parts: int) -> None:
    (geometry,) = report_of(diagram(7, *map(feature, geometries), type="policy")).to_geopandas().geometry
    assert (geometry.geom_type, len(geometry.geoms)) == (kind, parts)


@pytest.mark.parametrize("features", [[], [feature()], [feature({"type": "Polygon", "coordinates": []})]])
def test_a_diagram_without_shapes_has_no_geometry(features: list[Any]) -> None:
    frame = report_of(diagram(6, feature(LAND)), diagram(7, *features)).to_geopandas()
    assert frame.geometry.isna().tolist() == [False, True]
    assert np.isnan(frame["cost"].iloc[1])
    assert frame["sysname"].iloc[1] == "Water"


def test_a_field_of_the_service_keeps_its_value_beside_a_figure_of_the_same_name() -> None:
    frame = report_of(diagram(7, feature(LAND), cost="cheap")).to_geopandas()
    assert frame["properties.cost"].tolist() == ["cheap"]
    assert frame["cost"].iloc[0] > 0


def test_a_selection_has_only_its_own_rows(project: Project) -> None:
    frame = project.costs(diagrams=[1002, 1001]).to_geopandas()
    assert frame["diagramid"].tolist() == [1001, 1002]
    assert len(project.costs(diagrams=[]).to_geopandas()) == 0


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda report: pickle.loads(pickle.dumps(report))])
def test_a_copy_of_a_report_is_the_same(twin_of: Any, project: Project) -> None:
    report = project.costs(check=True)
    twin = twin_of(report)
    assert (twin.systems, twin.diagrams, twin.total) == (report.systems, report.diagrams, report.total)
    assert (twin.invalid, project.costs().invalid) == (0, None)
    pd.testing.assert_frame_equal(pd.DataFrame(twin.to_geopandas()), pd.DataFrame(report.to_geopandas()))
