"""A GeoJSON file in the room: the parts that the page reads, and its message about the rest."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from pygeodesign import Sandbox
from room_pages import link_of

RING = [[-74.15, 40.57], [-74.14, 40.57], [-74.14, 40.58], [-74.15, 40.57]]
AREA = {"type": "Polygon", "coordinates": [RING]}
POINT = {"type": "Point", "coordinates": RING[0]}
LABELLED = {"type": "GeometryCollection", "geometries": [AREA, POINT]}
OSGB = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::4277"}}
READ = """async ([name, bytes]) => {
  const { readGeojsonFile } = await import("/web/room/geojson_file.js");
  try {
    const shapes = await readGeojsonFile(new File([new Uint8Array(bytes)], name));
    const types = shapes.map(({ features }) => features[0].geometry.type);
    return { titles: shapes.map(({ title }) => title), leftOut: shapes.leftOut, types };
  } catch (error) {
    return { refused: error.message };
  }
}"""


@pytest.fixture
def page(sandbox: Sandbox, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="en")
    page = context.new_page()
    page.goto(link_of(sandbox, "amara.okafor"))
    yield page
    context.close()


def collection(*geometries: Any, **more: Any) -> dict[str, Any]:
    features = [
        {"type": "Feature", "properties": {"name": f"Park {number}"}, "geometry": geometry}
        for number, geometry in enumerate(geometries)
    ]
    return {"type": "FeatureCollection", "features": features, **more}


def read(page: Page, content: Any, encoding: str = "utf-8") -> dict[str, Any]:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    found: dict[str, Any] = page.evaluate(READ, ["parks.geojson", list(text.encode(encoding))])
    return found


def test_what_is_left_out_is_said_feature_by_feature(page: Page) -> None:
    found = read(page, collection(AREA, LABELLED, POINT, None))
    assert found["titles"] == ["Park 0", "Park 1", "Park 2"] and found["types"] == ["Polygon", "Polygon", "Point"]
    assert found["leftOut"] == (
        "1 of 4 features were left out: no geometry. Parts of 1 feature were left out: a point."
    )
    assert read(page, collection(AREA))["leftOut"] == ""
    broken = {"type": "Polygon", "coordinates": [[["-74.15", 40.57], *RING[1:]]]}
    assert "invalid coordinates" in read(page, collection(AREA, broken))["leftOut"]


def test_another_crs_is_refused_wherever_it_is_said(page: Page) -> None:
    inside = collection({**AREA, "crs": OSGB})
    in_feature = collection(AREA)
    in_feature["features"][0]["crs"] = OSGB
    for content in (collection(AREA, crs=OSGB), inside, in_feature):
        assert "not in degrees of longitude and latitude" in read(page, content)["refused"]
    for name in ("EPSG:4326", "urn:ogc:def:crs:OGC:1.3:CRS84"):
        named = {"type": "name", "properties": {"name": name}}
        assert read(page, collection(AREA, crs=named))["titles"] == ["Park 0"]


def test_texts_are_read_in_the_encodings_of_notepad_and_no_other_is_guessed(page: Page) -> None:
    content = collection(AREA)
    content["features"][0]["properties"]["name"] = "Süd"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert read(page, content, encoding)["titles"] == ["Süd"]
    assert "Save it as UTF-8" in read(page, content, "cp1252")["refused"]
