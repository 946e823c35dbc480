"""A project has a context: places, water, roads and districts that say where it is."""

import asyncio
from pathlib import Path
from typing import Any

import geopandas as gpd
import pytest
import requests

import pygeodesign
from builders import collection, feature, line, square
from pygeodesign import BadRequestError, FeatureCollection, InputError, PermissionDeniedError
from small_project import ADMINISTRATOR, MEMBER, Workshop

PLACE = feature({"type": "Point", "coordinates": [-9.1333, 38.7]}, kind="place", name="Alfama")
RIVER = feature(square(-9.2, 38.6, 0.1 + 0.2), kind="water", name="Tejo")
TRACKS = feature({"type": "MultiLineString", "coordinates": [[[-9.2, 38.7, 12], [-9.1, 38.75, 3.5]]]}, kind="rail")
CONTEXT = collection(PLACE, RIVER, TRACKS)


def kinds(workshop: Workshop) -> list[Any]:
    return [row["properties"]["kind"] for row in workshop.project.study_area.context()]


def test_a_new_project_has_an_empty_context(workshop: Workshop) -> None:
    context = workshop.project_of(MEMBER).study_area.context()
    assert (len(context), context.metadata) == (0, {"description": ""})


def test_a_context_comes_back_as_it_was_set(workshop: Workshop) -> None:
    workshop.project.study_area.set_context(CONTEXT, "Around")
    context = workshop.project_of(MEMBER).study_area.context()
    assert (context.to_dict(), context.metadata) == (CONTEXT, {"description": "Around"})
    workshop.project.study_area.set_context(context)
    assert workshop.project.study_area.context().to_dict() == CONTEXT


@pytest.mark.parametrize("form", ["frame", "file"])
def test_a_context_may_be_a_frame_or_a_file(workshop: Workshop, form: str, tmp_path: Path) -> None:
    frame = gpd.GeoDataFrame.from_features(CONTEXT, crs=4326)
    path = tmp_path / "context.gpkg"
    frame.to_crs(3763).to_file(path)
    workshop.project.study_area.set_context(frame if form == "frame" else path)
    context = workshop.project.study_area.context()
    assert kinds(workshop) == ["place", "water", "rail"]
    # The tracks have no name.
    assert [row["properties"].get("name") for row in context] == ["Alfama", "Tejo", None]
    assert context.to_geopandas().geometry.geom_equals_exact(frame.geometry, 1e-7).all()


def test_an_awaited_project_has_the_same_context(workshop: Workshop) -> None:
    async def set_and_read() -> FeatureCollection:
        async with workshop.sandbox.async_client(ADMINISTRATOR) as client:
            study_area = client.project(workshop.id).study_area
            await study_area.set_context(CONTEXT)
            return await study_area.context()

    assert asyncio.run(set_and_read()).to_dict() == CONTEXT


def test_without_a_kind_a_point_is_a_place_a_line_a_road_and_a_polygon_a_district(workshop: Workshop) -> None:
    point = {"type": "MultiPoint", "coordinates": [[0, 0]]}
    shapes = collection(feature(point, name="Null"), feature(line([0, 0], [1, 1])), feature(square(0, 0, 1), kind=None))
    workshop.project.study_area.set_context(shapes)
    assert kinds(workshop) == ["place", "road", "district"]


REFUSED = {
    "an unknown kind": (
        feature(line([0, 0], [1, 1]), kind="river"),
        'feature 1 has the unknown kind "river"; use one of place, water, road, rail, park, district',
    ),
    "a place without a name": (
        feature({"type": "Point", "coordinates": [0, 0]}),
        "feature 1 is a place; give it a name",
    ),
    "a name that is no text": (feature(line([0, 0], [1, 1]), name=5), "feature 1 has the name 5; write it as text"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_context_that_cannot_be_drawn_is_refused_before_and_after_it_is_sent(workshop: Workshop, case: str) -> None:
    bad, told = REFUSED[case]
    with pytest.raises(InputError) as error:
        workshop.project.study_area.set_context(collection(PLACE, bad))
    assert told in str(error.value) and not isinstance(error.value, BadRequestError)
    response = workshop.send("PUT", "context/", {"geojson": collection(PLACE, bad)})
    assert (response.status_code, told in str(response.json())) == (400, True)
    assert len(workshop.project.study_area.context()) == 0


@pytest.mark.parametrize(
    ("geometry", "told"),
    [
        ({"type": "Point", "coordinates": [0, 91]}, "beyond"),
        ({"type": "GeometryCollection", "geometries": [line([0, 0], [1, 1])]}, "give its members separately"),
    ],
)
def test_a_geometry_that_cannot_be_drawn_is_refused(workshop: Workshop, geometry: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        workshop.project.study_area.set_context(feature(geometry, name="Nowhere"))
    body = {"geojson": collection(feature(geometry, name="Nowhere"))}
    assert workshop.send("PUT", "context/", body).status_code == 400


def test_only_an_administrator_sets_the_context(workshop: Workshop) -> None:
    with pytest.raises(PermissionDeniedError):
        workshop.project_of(MEMBER).study_area.set_context(CONTEXT)
    assert requests.get(f"{workshop.sandbox.url}projects/{workshop.id}/context/", timeout=60).status_code == 401


def test_an_archive_has_the_context(workshop: Workshop, tmp_path: Path) -> None:
    workshop.project.study_area.set_context(CONTEXT, "Around")
    workshop.project.archive(tmp_path / "lisbon.zip", progress=False)
    archived = pygeodesign.open(tmp_path / "lisbon.zip").study_area.context()
    assert (archived.to_dict(), archived.metadata) == (CONTEXT, {"description": "Around"})


def test_a_place_is_no_land(workshop: Workshop) -> None:
    for draw in (workshop.project.study_area.set_constraints, workshop.project.study_area.set_boundaries):
        with pytest.raises(InputError, match="feature 0 is a point"):
            draw(PLACE)
