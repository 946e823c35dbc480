"""OGC API – Features: diagrams drawn, changed and removed as features, in the same way as QGIS."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import shapely
from shapely.geometry import mapping, shape

from ogc import EPSG, Ogc, items_of
from pygeodesign import Sandbox
from small_project import MEMBER, WATER, Workshop

ITEMS = items_of("diagrams")
FIELD = mapping(shapely.box(-74.15, 40.57, -74.14, 40.58))


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def ogc(sandbox: Sandbox) -> Ogc:
    return Ogc(sandbox, "amara.okafor")


def feature(geometry: Any = FIELD, **properties: Any) -> dict[str, Any]:
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def drawn(ogc: Ogc, geometry: Any = FIELD, **properties: Any) -> str:
    """The address of a new diagram."""
    response = ogc.write("POST", ITEMS, feature(geometry, **{"description": "New wetland", "sysid": 1} | properties))
    assert response.status_code == 201, response.text
    return response.headers["location"]


def test_a_drawn_feature_is_a_diagram(ogc: Ogc, sandbox: Sandbox) -> None:
    address = drawn(ogc, type="policy", fundingtype="private", start_date="2037-10-01", end_date="2038-10-01T00:00:00Z")
    properties = ogc.json(address)["properties"]
    expected = {"description": "New wetland", "type": "policy", "sysname": "Water", "fundingtype": "private"}
    expected |= {"author": "amara.okafor", "start_date": "2037-10-01", "end_date": "2038-10-01"}
    assert expected.items() <= properties.items()
    project = sandbox.client().project(sandbox.project_ids[0])
    diagram = project.diagram(int(address.rsplit("/", 1)[1]))
    assert diagram["description"] == "New wetland"
    assert [entry["operation"] for entry in project.history(diagram=diagram.id)] == ["add_policy"]


def test_the_address_of_a_new_diagram_is_told_as_qgis_reads_it(ogc: Ogc) -> None:
    """QGIS 3.40 looks for `Location` in this spelling, and for the id after `/items/`."""
    response = ogc.write("POST", ITEMS, feature(description="New wetland", sysid=1))
    assert "Location" in list(response.raw.headers)
    assert response.headers["location"].rsplit("/items/")[1].isdigit()


def test_others_see_it_as_it_is_drawn(ogc: Ogc, sandbox: Sandbox) -> None:
    changes = sandbox.client().project(sandbox.project_ids[0]).watch()
    address = drawn(ogc)
    seen = next(change for change in changes if change["kind"] == "diagram")
    assert (seen["action"], int(seen["id"])) == ("added", int(address.rsplit("/", 1)[1]))


def test_one_day_is_the_first_and_the_last(ogc: Ogc) -> None:
    properties = ogc.json(drawn(ogc, start_date="2037-10-01"))["properties"]
    assert (properties["start_date"], properties["end_date"]) == ("2037-10-01", "2037-10-01")


def test_a_diagram_and_its_days_come_together_or_not_at_all(ogc: Ogc) -> None:
    """A condition that is not met leaves nothing behind, nor does a first day after the last."""
    before = ogc.json(ITEMS)["numberMatched"]
    dated = feature(description="Half", sysid=1, start_date="2037-10-01", end_date="2038-10-01")
    unmet = ogc.write("POST", ITEMS, dated, **{"If-Match": '"another"'})
    assert unmet.status_code == 412
    dated["properties"]["end_date"] = "2036-10-01"
    assert ogc.write("POST", ITEMS, dated).status_code == 400
    assert ogc.json(ITEMS)["numberMatched"] == before


def test_the_same_key_with_another_feature_is_refused(ogc: Ogc) -> None:
    """Also where the other one differs in its days alone."""
    first = feature(description="Once", sysid=1, start_date="2037-10-01")
    assert ogc.write("POST", ITEMS, first, **{"Idempotency-Key": "once"}).status_code == 201
    before = ogc.json(ITEMS)["numberMatched"]
    for other in ({"start_date": "2037-10-02"}, {"sysid": 2}, {"notes": "x"}):
        changed = feature(**first["properties"] | other)
        refused = ogc.write("POST", ITEMS, changed, **{"Idempotency-Key": "once"})
        assert refused.status_code == 422, other
    assert ogc.json(ITEMS)["numberMatched"] == before


def test_a_feature_that_is_sent_again_changes_nothing(ogc: Ogc, sandbox: Sandbox) -> None:
    """This holds if the diagram has got other days in the meantime, too."""
    sent = feature(description="Again", sysid=1, start_date="2037-10-01")
    address = ogc.write("POST", ITEMS, sent, **{"Idempotency-Key": "again"}).headers["location"]
    assert ogc.write("PATCH", address, {"properties": {"start_date": "2036-01-01"}}).status_code == 204
    project = sandbox.client().project(sandbox.project_ids[0])
    changed, entries = ogc.json(address), len(project.history())
    again = ogc.write("POST", ITEMS, sent, **{"Idempotency-Key": "again"})
    assert (again.status_code, again.headers["location"]) == (201, address)
    assert ogc.json(address) == changed
    assert len(project.history()) == entries


def test_a_system_may_be_given_by_its_name(ogc: Ogc) -> None:
    response = ogc.write("POST", ITEMS, feature(description="Path", sysname="Transport"))
    assert ogc.json(response.headers["location"])["properties"]["sysid"] == 5


def test_what_the_service_sets_is_left_out_of_a_copied_feature(ogc: Ogc) -> None:
    copied = ogc.json(f"{ITEMS}/1002")
    response = ogc.write("POST", ITEMS, copied)
    assert response.status_code == 201
    properties = ogc.json(response.headers["location"])["properties"]
    assert properties["author"] == "amara.okafor"
    assert properties["description"] == copied["properties"]["description"]


@pytest.mark.parametrize(
    ("geometry", "properties", "told"),
    [
        (None, {"description": "x", "sysid": 1}, "geometry: missing; draw the diagram first"),
        (FIELD, {"sysid": 1}, "description: missing; give the diagram a title"),
        (FIELD, {"description": "x"}, "sysid: choose one of the systems 1 (Water), 2 (Agriculture)"),
        (FIELD, {"description": "x", "sysid": "water"}, "sysid: must be the id of a system"),
        (FIELD, {"description": "x", "sysid": 1, "type": "plan"}, 'type: "plan" is neither project nor policy'),
        (FIELD, {"description": "x", "sysid": 1, "fundingtype": "gift"}, "fundingtype"),
        (FIELD, {"descripton": "x", "sysid": 1}, "A diagram has no property descripton; set only description"),
        (FIELD, {"description": "x", "sysid": 1, "start_date": "soon"}, "start_date"),
        (mapping(shapely.MultiPoint([(1, 2), (1, 2)])), {"description": "x", "sysid": 1}, "priced twice"),
        (
            {
                "type": "Polygon",
                "coordinates": [[[-74.1, 40.5], [-74, 40.6], [-74, 40.5], [-74.1, 40.6], [-74.1, 40.5]]],
            },
            {"description": "Bow tie", "sysid": 1},
            "geometry: part 0, ring 0 crosses or touches itself at [-74.05, 40.55]",
        ),
    ],
)
def test_a_refusal_says_why_where_a_program_shows_it(
    ogc: Ogc, geometry: Any, properties: dict[str, Any], told: str
) -> None:
    before = ogc.json(ITEMS)["numberMatched"]
    response = ogc.write("POST", ITEMS, feature(geometry, **properties))
    assert response.status_code == 400
    assert told in response.json()["description"]
    # QGIS shows the first line of the response.
    assert told.encode("ascii", "ignore").decode() in response.reason
    assert ogc.json(ITEMS)["numberMatched"] == before


def test_another_reference_system_is_named(ogc: Ogc) -> None:
    metres = mapping(shapely.box(574067, 4489393, 575107, 4490122))
    new = feature(metres, description="In metres", sysid=1)
    response = ogc.write("POST", ITEMS, new, **{"Content-Crs": f"<{EPSG}32618>"})
    bounds = shape(ogc.json(response.headers["location"])["geometry"]).bounds
    assert bounds == pytest.approx((-74.1252, 40.5519, -74.1127, 40.5586), abs=1e-3)
    other = ogc.write("POST", ITEMS, new, **{"Content-Crs": f"<{EPSG}25832>"})
    assert "Content-Crs" in other.json()["description"]


def test_a_page_of_another_service_cannot_write_without_asking(ogc: Ogc) -> None:
    """A browser that is signed in sends its password along, but a body of other types only if the service allows it."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        response = ogc.send("POST", ITEMS, data=b"{}", headers={"Content-Type": kind})
        assert (response.status_code, "Content-Type" in response.json()["description"]) == (400, True)
    # A browser sends a Blob without a type, and names the page's origin.
    body = json.dumps(feature(description="From nowhere", sysid=1)).encode()
    refused = ogc.send("POST", ITEMS, data=body, headers={"Origin": "https://elsewhere.example"})
    assert refused.status_code == 403
    # As OWSLib does.
    assert ogc.send("POST", ITEMS, data=body).status_code == 201


# Changes


def test_some_of_a_diagram_is_changed(ogc: Ogc) -> None:
    address = drawn(ogc)
    tag = ogc.send("GET", address).headers["etag"]
    changed = ogc.write("PATCH", address, {"properties": {"description": "Marsh", "sysid": 2}}, **{"If-Match": tag})
    assert changed.status_code == 204
    now = ogc.send("GET", address)
    assert now.headers["etag"] == changed.headers["etag"] != tag
    assert now.json()["properties"]["description"] == "Marsh"
    assert now.json()["properties"]["sysname"] == "Agriculture"
    assert shapely.equals(shape(now.json()["geometry"]), shape(FIELD))
    # A client that read it before another one changed it.
    late = ogc.write("PATCH", address, {"properties": {"description": "Late"}}, **{"If-Match": tag})
    assert (late.status_code, ogc.json(address)["properties"]["description"]) == (412, "Marsh")


def test_what_the_service_sets_cannot_be_changed(ogc: Ogc) -> None:
    response = ogc.write("PATCH", drawn(ogc), {"properties": {"area": 5}})
    assert response.json()["description"] == "area: set by the service; leave it out"


@pytest.mark.parametrize("kind", ["Point", "MultiPoint"])
def test_points_are_drawn_moved_and_counted(kind: str, ogc: Ogc) -> None:
    places = [(-74.15, 40.57), (-74.14, 40.58)][: 1 if kind == "Point" else 2]
    moved = [(x, y + 0.01) for x, y in places]
    of_kind = shapely.Point if kind == "Point" else shapely.MultiPoint
    address = drawn(ogc, mapping(of_kind(places)))
    assert ogc.json(address)["properties"]["pieces"] == len(places)
    assert ogc.write("PATCH", address, {"geometry": mapping(of_kind(moved))}).ok
    assert shapely.equals(shape(ogc.json(address)["geometry"]), of_kind(moved))


def test_a_whole_diagram_is_replaced(ogc: Ogc) -> None:
    address = drawn(ogc, start_date="2037-10-01", end_date="2038-10-01")
    now = ogc.json(address)
    now["properties"] |= {"description": "Larger", "start_date": None, "end_date": None}
    now["geometry"] = mapping(shapely.box(-74.15, 40.57, -74.13, 40.58))
    assert ogc.write("PUT", address, now).status_code == 204
    after = ogc.json(address)
    assert shapely.equals(shape(after["geometry"]), shape(now["geometry"]))
    assert (after["properties"]["description"], after["properties"]["undated"]) == ("Larger", True)
    del now["properties"]["fundingtype"]
    refused = ogc.write("PUT", address, now)
    assert refused.json()["description"].startswith("fundingtype: missing; PUT replaces the whole feature")


def test_what_is_sent_back_as_it_was_changes_nothing(ogc: Ogc, sandbox: Sandbox) -> None:
    """Also of diagrams with several features, with heights and without days: programs send all of a feature."""
    administrator = Ogc(sandbox, "admin")
    project = sandbox.client().project(sandbox.project_ids[0])
    several = [row["properties"]["diagramid"] for row in ogc.items("parts")]
    ids = {several[0], next(key for key in several if several.count(key) > 1), int(drawn(ogc).rsplit("/", 1)[1])}
    for key in ids:
        before, entries = dict(project.diagram(key)), len(project.history(diagram=key))
        response = administrator.write("PUT", f"{ITEMS}/{key}", ogc.json(f"{ITEMS}/{key}"))
        assert response.status_code == 204, response.text
        assert dict(project.diagram(key)) == before
        assert len(project.history(diagram=key)) == entries


def two_buildings(sandbox: Sandbox) -> tuple[int, list[dict[str, Any]]]:
    """A diagram of two buildings with different heights and of land whose corners have some; and its features."""
    project = sandbox.client().project(sandbox.project_ids[0])
    shapes = [shapely.box(-74.15, 40.57, -74.14, 40.58), shapely.box(-74.13, 40.57, -74.12, 40.58)]
    features: list[dict[str, Any]] = [
        {"type": "Feature", "properties": {"volume_information": heights}, "geometry": mapping(shape)}
        for shape, heights in zip(
            shapes, [{"min_height": 0, "max_height": 4}, {"min_height": 0, "max_height": 90}], strict=True
        )
    ]
    slope = shapely.Polygon([(-74.15, 40.59, 3.0), (-74.12, 40.59, 4.0), (-74.12, 40.6, 5.0)])
    features.append({"type": "Feature", "properties": {}, "geometry": mapping(slope)})
    added = project.add_diagram("Water", {"type": "FeatureCollection", "features": features}, title="Towers")
    return added.id, project.diagram(added.id).features().to_dict()["features"]


def features_of(sandbox: Sandbox, key: int) -> list[dict[str, Any]]:
    project = sandbox.client().project(sandbox.project_ids[0])
    return list(project.diagram(key).features().to_dict()["features"])


@pytest.mark.parametrize("how", ["seven digits", "another reference system", "no heights of corners"])
def test_what_a_program_cannot_hold_of_a_geometry_stays(sandbox: Sandbox, how: str) -> None:
    key, before = two_buildings(sandbox)
    administrator = Ogc(sandbox, "admin")
    path, headers = f"{ITEMS}/{key}", {}
    if how == "another reference system":
        sent = administrator.json(path, crs=EPSG + "3857")
        headers["Content-Crs"] = f"<{EPSG}3857>"
    else:
        sent = administrator.json(path)
        shape_sent = shape(sent["geometry"])
        flat = shapely.force_2d(shape_sent) if how == "no heights of corners" else shape_sent
        sent["geometry"] = mapping(shapely.transform(flat, lambda xy: xy.round(7)) if how == "seven digits" else flat)
    sent["properties"]["description"] = "Renamed"
    assert administrator.write("PUT", path, sent, **headers).status_code == 204
    assert features_of(sandbox, key) == before


def test_of_several_buildings_one_is_reshaped_and_the_others_stay(sandbox: Sandbox) -> None:
    key, before = two_buildings(sandbox)
    administrator = Ogc(sandbox, "admin")
    slope = shape(before[2]["geometry"])
    larger = shapely.box(-74.13, 40.57, -74.11, 40.58)
    sent = shapely.MultiPolygon([shape(before[0]["geometry"]), larger, shapely.force_2d(slope)])
    assert administrator.write("PATCH", f"{ITEMS}/{key}", {"geometry": mapping(sent)}).status_code == 204
    *kept, reshaped = features_of(sandbox, key)
    assert kept == [before[0], before[2]]
    assert shapely.equals(shape(reshaped["geometry"]), larger)
    assert reshaped["properties"]["volume_information"] == {"min_height": 0, "max_height": 90}


def test_shapes_whose_heights_are_not_known_any_more_are_refused(sandbox: Sandbox) -> None:
    key, before = two_buildings(sandbox)
    both = shapely.MultiPolygon(
        [shapely.box(-74.15, 40.57, -74.145, 40.58), shapely.box(-74.13, 40.57, -74.125, 40.58)]
    )
    refused = Ogc(sandbox, "admin").write("PATCH", f"{ITEMS}/{key}", {"geometry": mapping(both)})
    assert refused.status_code == 400
    assert "different heights" in refused.json()["description"]
    assert features_of(sandbox, key) == before


def test_heights_stay_when_a_diagram_is_reshaped(ogc: Ogc, sandbox: Sandbox) -> None:
    administrator = Ogc(sandbox, "admin")
    reshaped = administrator.write("PATCH", f"{ITEMS}/1001", {"geometry": FIELD})
    assert reshaped.status_code == 204, reshaped.text
    [part] = ogc.items("parts", diagramid=1001)
    assert part["properties"]["volume_information"] == '{"min_height":0,"max_height":4}'


def test_a_diagram_is_removed(ogc: Ogc) -> None:
    address = drawn(ogc)
    assert ogc.send("DELETE", address, headers={"If-Match": '"another"'}).status_code == 412
    assert ogc.send("DELETE", address).status_code == 204
    assert ogc.send("GET", address).status_code == 404
    # They are as many as the service says.
    ogc.items("diagrams")
    assert ogc.send("DELETE", address).status_code == 404


def test_diagrams_of_others_are_theirs(ogc: Ogc) -> None:
    other = next(row for row in ogc.items("diagrams") if row["properties"]["author"] != "amara.okafor")
    address = f"{ITEMS}/{other['id']}"
    for response in (
        ogc.write("PATCH", address, {"properties": {"description": "Mine"}}),
        ogc.write("PUT", address, other),
        ogc.send("DELETE", address),
    ):
        assert response.status_code == 403
        assert "Only the author of the diagram" in response.json()["description"]


def test_nothing_is_drawn_while_drawing_is_closed(workshop: Workshop) -> None:
    workshop.project.workshop.set_activities(drawing=False, message="Back at two.")
    path = f"/collections/{workshop.id}.diagrams/items"
    response = Ogc(workshop.sandbox, MEMBER).write("POST", path, feature(description="x", sysid=WATER))
    assert (response.status_code, "Back at two." in response.json()["description"]) == (403, True)


def test_programs_learn_what_they_may_send(ogc: Ogc) -> None:
    assert ogc.send("OPTIONS", ITEMS).headers["allow"] == "GET, HEAD, OPTIONS, POST"
    one = ogc.send("OPTIONS", f"{ITEMS}/1001")
    assert one.headers["allow"] == "GET, HEAD, OPTIONS, PUT, PATCH, DELETE"
    assert "application/merge-patch+json" in one.headers["accept-patch"]
    assert ogc.send("OPTIONS", items_of("parts")).headers["allow"] == "GET, HEAD, OPTIONS"
    assert ogc.write("POST", items_of("parts"), feature(description="x")).status_code == 405


def test_a_rectangle_finds_a_diagram_where_it_is_now(workshop: Workshop) -> None:
    here, there = shapely.box(-9.2, 38.7, -9.19, 38.71), shapely.box(-9.12, 38.75, -9.11, 38.76)
    project, ogc = workshop.project, Ogc(workshop.sandbox, MEMBER)
    diagram = project.add_diagram(WATER, mapping(here), title="Pond").id

    def found() -> list[bool]:
        areas = [",".join(map(str, area.bounds)) for area in (here, there)]
        pages = [ogc.json(f"/collections/{workshop.id}.diagrams/items", bbox=corners) for corners in areas]
        return [[feature["id"] for feature in page["features"]] == [diagram] for page in pages]

    def undo_last() -> None:
        project.undo(project.history()[0]["id"])

    assert found() == [True, False]
    project.diagram(diagram).edit(geometry=mapping(there))
    assert found() == [False, True]
    undo_last()
    assert found() == [True, False]
    project.diagram(diagram).delete()
    assert found() == [False, False]
    undo_last()
    assert found() == [True, False]
