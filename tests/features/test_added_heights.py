"""The heights of drawn features, such as 3-D buildings, are sent with them and come back in every form."""

import json
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely

from fake_service import UPLOAD_CHECKS, FakeService
from pygeodesign import FeatureCollection, InputError
from small_project import WATER, Workshop

BOXES = [shapely.box(-9.2 + step / 100, 38.7, -9.195 + step / 100, 38.71) for step in range(3)]
TOWERS = gpd.GeoDataFrame({"name": ["Low", "High", "Bridge"]}, geometry=BOXES, crs=4326)
HEIGHTS = [
    {"min_height": 0.0, "max_height": 4.0},
    {"min_height": 0.0, "max_height": 61.5},
    {"min_height": 4.2, "max_height": 9.7},
]
NONE = {"min_height": 0.0, "max_height": 0.0}


def as_geojson(frame: gpd.GeoDataFrame, **properties: list[Any]) -> dict[str, Any]:
    collection: dict[str, Any] = json.loads(frame.to_json())
    for name, values in properties.items():
        for feature, value in zip(collection["features"], values, strict=True):
            feature["properties"][name] = value
    return collection


COLUMNS = {name: [height[name] for height in HEIGHTS] for name in ("min_height", "max_height")}
HOLDERS: dict[str, Any] = {
    "a column of dicts": TOWERS.assign(volume_information=HEIGHTS),
    "a column of JSON": TOWERS.assign(volume_information=[json.dumps(height) for height in HEIGHTS]),
    "two columns of numbers": TOWERS.assign(**COLUMNS),
    "two columns of nullable numbers": TOWERS.assign(**COLUMNS).astype(
        {"min_height": "Float64", "max_height": "Float64"}
    ),
    "dicts with numbers of NumPy": TOWERS.assign(
        volume_information=[{name: np.float64(metres) for name, metres in height.items()} for height in HEIGHTS]
    ),
    "GeoJSON": as_geojson(TOWERS, volume_information=HEIGHTS),
    "GeoJSON as text": json.dumps(as_geojson(TOWERS, **COLUMNS)),
    "an Arrow stream": TOWERS.assign(volume_information=HEIGHTS).to_arrow(),
}


def heights(collection: FeatureCollection) -> list[Any]:
    """The heights of a collection, row by row."""
    return [feature["properties"]["volume_information"] for feature in collection.to_dict()["features"]]


@pytest.mark.parametrize("holder", HOLDERS)
def test_each_feature_of_a_diagram_has_its_heights(holder: str, workshop: Workshop) -> None:
    added = workshop.project.add_diagram(WATER, HOLDERS[holder], title="Towers")
    assert heights(workshop.project.diagram(added.id).features()) == HEIGHTS


def test_each_row_of_a_frame_has_its_heights(workshop: Workshop) -> None:
    report = workshop.project.add_diagrams(WATER, TOWERS.assign(volume_information=HEIGHTS), title="name")
    assert [heights(workshop.project.diagram(row["diagram_id"] or "").features()) for row in report] == [
        [height] for height in HEIGHTS
    ]


def test_heights_come_back_with_all_diagrams_in_designs_and_in_feature_json(workshop: Workshop) -> None:
    added = workshop.project.add_diagram(WATER, TOWERS.assign(volume_information=HEIGHTS), title="Towers")
    assert heights(workshop.project.diagrams()) == HEIGHTS
    team = workshop.project.add_team("Team", ["ana.sousa"])["id"]
    design = workshop.project.team(team).save("Design", [added.id])["id"]
    assert heights(workshop.project.design(design, team).features()) == HEIGHTS
    features = workshop.project.design(design, team).esri()
    assert [feature["attributes"]["volume_information"] for feature in features] == HEIGHTS


def test_diagrams_that_were_read_are_added_with_the_same_heights(workshop: Workshop) -> None:
    workshop.project.add_diagram(WATER, TOWERS.assign(volume_information=HEIGHTS), title="Towers")
    again = workshop.project.add_diagram(WATER, workshop.project.diagrams().to_geopandas(), title="Again")
    assert heights(workshop.project.diagram(again.id).features()) == HEIGHTS


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA], ids=str)
def test_a_feature_without_heights_is_flat(missing: Any, workshop: Workshop) -> None:
    added = workshop.project.add_diagram(
        WATER, TOWERS.assign(volume_information=[HEIGHTS[0], missing, HEIGHTS[2]]), title="T"
    )
    assert heights(workshop.project.diagram(added.id).features()) == [HEIGHTS[0], NONE, HEIGHTS[2]]


def test_a_feature_with_a_max_height_alone_stands_on_the_ground(workshop: Workshop) -> None:
    added = workshop.project.add_diagram(WATER, TOWERS.assign(max_height=[3, 4, float("nan")]), title="Towers")
    expected = [{"min_height": 0.0, "max_height": 3.0}, {"min_height": 0.0, "max_height": 4.0}, NONE]
    assert heights(workshop.project.diagram(added.id).features()) == expected


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "text in a dict": (
        {"volume_information": {"min_height": 0, "max_height": "9 m"}},
        "max_height '9 m' is not a number",
    ),
    "a truth value": ({"min_height": 0.0, "max_height": True}, "max_height True is not a number"),
    "an infinite height": (
        {"volume_information": {"min_height": 0, "max_height": float("inf")}},
        "max_height 'Infinity'",
    ),
    "no maximum": ({"volume_information": {"min_height": 3}}, "no max_height"),
    "upside down": ({"min_height": 9.5, "max_height": 3.0}, "min_height 9.5 is more than max_height 3"),
    "a number for a dict": ({"volume_information": 12}, "volume_information 12 is not a dict"),
    "a list for a dict": ({"volume_information": [0, 12]}, "is not a dict with min_height and max_height"),
    "text that is no JSON": ({"volume_information": "tall"}, "volume_information 'tall' is not a dict"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_heights_that_cannot_be_sent_name_the_row_and_nothing_is_sent(wrong: str) -> None:
    third, problem = WRONG[wrong]
    frame = TOWERS.set_index(pd.Index(list("abc")))
    columns = {name: pd.Series([None, None, value], index=frame.index, dtype=object) for name, value in third.items()}
    frame = frame.assign(**columns)
    with FakeService(UPLOAD_CHECKS) as service:
        with pytest.raises(InputError, match="row 'c'") as refused:
            service.project().add_diagrams(WATER, frame, title="name")
        assert problem in str(refused.value)
        with pytest.raises(InputError, match=r"feature 2 \(row 'c'\)") as refused:
            service.project().add_diagram(WATER, frame, title="Towers")
        assert problem in str(refused.value)
        assert service.sent == []


def test_properties_that_are_no_object_name_the_feature() -> None:
    collection = as_geojson(TOWERS)
    collection["features"][1]["properties"] = "tall"
    with FakeService() as service:
        with pytest.raises(InputError, match="feature 1: its properties are not an object"):
            service.project().add_diagram(WATER, collection, title="Towers")
        assert service.requests.total() == 0


def test_the_service_refuses_heights_that_are_upside_down(workshop: Workshop) -> None:
    features = as_geojson(TOWERS, volume_information=[*HEIGHTS[:2], {"min_height": 9.5, "max_height": 3}])
    body = {"geometry": features, "featuretype": "polygon", "description": "Towers"}
    answer = workshop.send("POST", f"systems/{WATER}/add/project/", body)
    assert answer.status_code == 400
    assert answer.json()["status"] == "feature 2: min_height 9.5 is more than max_height 3"
