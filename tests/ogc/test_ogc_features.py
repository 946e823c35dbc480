"""OGC API – Features: a project as collections of features."""

import itertools
import operator
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import requests
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Transformer
from shapely.geometry import mapping, shape

from ogc import CRS84, EPSG, PROJECT, Ogc, items_of, path_of
from pygeodesign import Project, Sandbox
from workshops_folder import served


@pytest.fixture(scope="module")
def ogc(sandbox: Sandbox) -> Ogc:
    return Ogc(sandbox)


@pytest.fixture(scope="module")
def diagrams(ogc: Ogc) -> dict[int, dict[str, Any]]:
    """The features of all diagrams by id."""
    return {feature["id"]: feature for feature in ogc.items("diagrams")}


def test_a_project_has_a_collection_for_each_of_its_things(ogc: Ogc) -> None:
    names = [collection["id"].removeprefix(f"{PROJECT}.") for collection in ogc.json("/collections")["collections"]]
    evaluations = [f"evaluation-{system}" for system in range(1, 10)]
    maps = ["boundaries", "constraints", "context", "layers", *evaluations]
    expected = ["diagrams", "parts", *maps, "designs", "selections"]
    assert names == expected
    titles = [collection["title"] for collection in ogc.json("/collections")["collections"]]
    assert "Staten Island 2050: evaluation of Water" in titles


def test_diagrams_are_those_of_the_report_of_costs(diagrams: dict[int, dict[str, Any]], project: Project) -> None:
    frame = project.costs().to_geopandas().set_index("diagramid").rename(columns={"title": "description"})
    assert set(diagrams) == set(frame.index)
    assert all(feature["properties"]["type"] == frame.loc[key, "kind"] for key, feature in diagrams.items())
    same = ["description", "sysid", "sysname", "systag", "color", "author", "rank", "area", "length", "kind"]
    same += ["fundingtype", "cost_override", "notes", "tag_codes", "additional_metadata", "area_ha", "length_km"]
    for key, feature in diagrams.items():
        row, properties = frame.loc[key], feature["properties"]
        for name in same:
            # Of a diagram without features, the client knows less.
            assert properties[name] == row[name] or row[name] != row[name], (key, name)
        for name in ("cost", "rate"):
            assert (properties[name] is None) == (row[name] != row[name])
            assert properties[name] is None or properties[name] == pytest.approx(row[name], rel=1e-12)
        assert date.fromisoformat(properties["start_date"]) == row["start_date"].date()
        assert datetime.fromisoformat(properties["created_at"]) == row["created_at"].tz_localize(UTC)
        if row.geometry is None:
            assert feature["geometry"] is None
        else:
            assert shapely.equals(shape(feature["geometry"]), row.geometry)


def test_parts_are_the_features_that_were_drawn(ogc: Ogc, project: Project) -> None:
    frame = project.diagrams().to_geopandas()
    frame = frame[frame.geometry.notna()]
    parts = ogc.items("parts")
    assert [part["properties"]["diagramid"] for part in parts] == frame["diagramid"].tolist()
    for part, geometry in zip(parts, frame.geometry, strict=True):
        assert shapely.equals(shape(part["geometry"]), geometry)
    heights = [part["properties"]["volume_information"] for part in parts]
    assert heights == frame["volume_information"].tolist()


def test_maps_keep_their_properties(ogc: Ogc, wire: Any) -> None:
    for collection, path in [
        ("boundaries", "boundaries/"),
        ("constraints", "constraints/"),
        ("context", "context/"),
        ("evaluation-1", "systems/1/evaluation/"),
    ]:
        expected = wire.json(path)["geojson"]["features"]
        features = ogc.items(collection)
        assert [feature["properties"] for feature in features] == [feature["properties"] for feature in expected]
        assert [feature["geometry"] for feature in features] == [feature["geometry"] for feature in expected]


def test_designs_and_selections_have_a_feature_for_each_diagram_in_them(ogc: Ogc, project: Project) -> None:
    expected = {(design.team.id, design.id, key) for design in project.designs() for key in design.diagram_ids()}
    rows = [feature["properties"] for feature in ogc.items("designs")]
    assert {(row["cteamid"], row["synthesisid"], row["diagramid"]) for row in rows} == expected
    assert len(rows) == len(expected)
    chosen = [feature["properties"] for feature in ogc.items("selections", selected_by="amara.okafor")]
    assert {row["diagramid"] for row in chosen} == set(
        project.member("amara.okafor").selection().to_geopandas()["diagramid"]
    )


# Pages


@pytest.mark.parametrize(
    ("collection", "limit"),
    [("diagrams", 7), ("parts", 7), ("designs", 40), ("selections", 20), ("evaluation-1", 1), ("layers", 1)],
)
def test_pages_have_every_feature_once(ogc: Ogc, collection: str, limit: int) -> None:
    assert ogc.ids(collection, limit=limit) == ogc.ids(collection)


def test_a_page_stays_whole_while_others_draw_and_remove(ogc: Ogc) -> None:
    """Pages follow ids: a diagram that is removed moves none from one page to another."""
    with Sandbox() as sandbox:
        ogc = Ogc(sandbox)
        first = ogc.json(items_of("diagrams"), limit=50)
        following = [link["href"] for link in first["links"] if link["rel"] == "next"]
        sandbox.client().project(PROJECT).diagram(first["features"][0]["id"]).delete()
        second = ogc.json(following[0])
        assert second["features"][0]["id"] == first["features"][-1]["id"] + 1


def test_an_offset_is_taken_and_ignored_where_a_link_says_where_to_go_on(ogc: Ogc) -> None:
    all_ids = ogc.ids("diagrams")
    page = ogc.json(items_of("diagrams"), limit=10, offset=20)
    assert [feature["id"] for feature in page["features"]] == all_ids[20:30]
    following = next(link["href"] for link in page["links"] if link["rel"] == "next")
    assert "offset" not in following
    # As programs do that add an offset of their own to each page.
    assert [feature["id"] for feature in ogc.json(following, offset=10)["features"]] == all_ids[30:40]


def test_limits_are_kept_and_said(ogc: Ogc) -> None:
    assert len(ogc.json(items_of("diagrams"))["features"]) == 100
    assert len(ogc.json(items_of("diagrams"), limit=100_000)["features"]) == 180
    assert ogc.refused(items_of("diagrams"), limit=0) == "limit: must be 1 or more"
    assert "whole number" in ogc.refused(items_of("diagrams"), limit="many")
    assert "not from a link" in ogc.refused(items_of("diagrams"), after="i1~i2")


# Filters

COMPARISONS = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
NUMBERS = ["sysid", "rank", "area", "length"]
TEXTS = ["sysname", "description", "author", "type"]


def literal(value: Any) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


@st.composite
def filters(draw: st.DrawFn, depth: int = 2) -> tuple[str, Any]:
    """A filter as text, with the function of a feature's properties that it stands for."""
    kind = draw(st.sampled_from(["compare", "between", "in", "not", "and", "or"][: 6 if depth else 3]))
    if kind == "not":
        text, fulfils = draw(filters(depth - 1))
        return f"NOT ({text})", lambda row: not fulfils(row)
    if kind in ("and", "or"):
        (left, first), (right, second) = draw(filters(depth - 1)), draw(filters(depth - 1))
        combined = all if kind == "and" else any
        return f"({left}) {kind.upper()} ({right})", lambda row: combined([first(row), second(row)])
    name = draw(st.sampled_from(NUMBERS + TEXTS))
    texts = st.sampled_from(["Water", "Transport", "policy", "M", "x's"])
    values: st.SearchStrategy[Any] = st.integers(0, 30) if name in NUMBERS else texts
    if kind == "compare":
        sign, value = draw(st.sampled_from(list(COMPARISONS))), draw(values)
        return f"{name} {sign} {literal(value)}", lambda row: COMPARISONS[sign](row[name], value)
    if kind == "between":
        low, high = draw(values), draw(values)
        return f"{name} BETWEEN {literal(low)} AND {literal(high)}", lambda row: low <= row[name] <= high
    several = draw(st.lists(values, min_size=1, max_size=3))
    return f"{name} IN ({', '.join(map(literal, several))})", lambda row: row[name] in several


@settings(max_examples=40, deadline=None)
@given(filters())
def test_a_filter_keeps_what_fulfils_it(ogc: Ogc, diagrams: dict[int, dict[str, Any]], case: tuple[str, Any]) -> None:
    text, fulfils = case
    expected = [key for key, feature in diagrams.items() if fulfils(feature["properties"])]
    assert ogc.ids("diagrams", filter=text) == expected


@pytest.mark.parametrize(
    ("text", "fulfils"),
    [
        ("description LIKE 'Oak%'", lambda row: row["description"].startswith("Oak")),
        ("description LIKE 'oak%'", lambda row: False),
        ("CASEI(description) LIKE CASEI('OAK%')", lambda row: row["description"].startswith("Oak")),
        # A second one changes nothing.
        ("CASEI(CASEI(description)) LIKE CASEI(CASEI('OAK%'))", lambda row: row["description"].startswith("Oak")),
        ("CASEI(CASEI(type)) = CASEI('POLICY')", lambda row: row["type"] == "policy"),
        ("description NOT LIKE '%a%'", lambda row: "a" not in row["description"]),
        ("start_date >= DATE('2037-10-01')", lambda row: row["start_date"] >= "2037-10-01"),
        ("start_date < '2037-10-01'", lambda row: row["start_date"] < "2037-10-01"),
        ("created_at > TIMESTAMP('2026-03-03T12:00:00Z')", lambda row: row["created_at"] > "2026-03-03T12:00:00"),
        ("undated", lambda row: row["undated"]),
        ("undated = false AND sysid = 1", lambda row: not row["undated"] and row["sysid"] == 1),
        # As GDAL, R and QGIS write truths.
        ("undated = 0", lambda row: not row["undated"]),
        ("undated <> 0", lambda row: row["undated"]),
        ("undated IN (1)", lambda row: row["undated"]),
        ("undated = 'false'", lambda row: not row["undated"]),
        ("notes IS NULL", lambda row: row["notes"] is None),
        ("sysname = systag OR rank = sysid", lambda row: row["rank"] == row["sysid"]),
    ],
)
def test_patterns_times_and_truths(ogc: Ogc, diagrams: dict[int, Any], text: str, fulfils: Any) -> None:
    expected = [key for key, feature in diagrams.items() if fulfils(feature["properties"])]
    assert ogc.ids("diagrams", filter=text) == expected


def test_an_undated_diagram_has_no_days(ogc: Ogc, diagrams: dict[int, Any]) -> None:
    undated = [feature["properties"] for feature in diagrams.values() if feature["properties"]["undated"]]
    assert all((row["start_date"], row["end_date"]) == (None, None) for row in undated)
    dated = [key for key, feature in diagrams.items() if not feature["properties"]["undated"]]
    assert ogc.ids("diagrams", filter="start_date IS NOT NULL AND end_date IS NOT NULL") == dated
    assert ogc.ids("diagrams", undated="0") == dated


def test_a_filter_in_json_and_under_its_old_name(ogc: Ogc) -> None:
    expected = ogc.ids("diagrams", filter="sysid = 1 AND type = 'policy'")
    json = (
        '{"op":"and","args":[{"op":"=","args":[{"property":"sysid"},1]},'
        '{"op":"=","args":[{"property":"type"},"policy"]}]}'
    )
    assert ogc.ids("diagrams", filter=json, **{"filter-lang": "cql2-json"}) == expected
    assert ogc.ids("diagrams", filter="sysid = 1 AND type = 'policy'", **{"filter-lang": "cql-text"}) == expected
    assert ogc.ids("diagrams", sysid=1, type="policy") == expected


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"filter": "cots > 3"}, 'there is no property "cots" to filter by; choose from diagramid, description'),
        ({"filter": "cost > 3"}, 'there is no property "cost" to filter by'),
        ({"filter": "area > 'x'"}, "'x' is a text and cannot be compared with a number"),
        ({"filter": "area >"}, "filter: the filter ends where a property or a value is expected"),
        ({"filter": "S_INTERSECTS(boundary, POINT(1 2))"}, '"boundary" is not a geometry'),
        ({"filter": "a = 1", "filter-lang": "sql"}, "filter-lang: must be cql2-text or cql2-json, not sql"),
        ({"colour": "red"}, "colour is neither a parameter nor a property to filter by"),
        ({"bbox": "1,2,3"}, "bbox: must be four numbers"),
        ({"bbox": "1,4,3,2"}, "bbox: the south must not be greater than the north"),
        ({"crs": "EPSG:25832"}, "crs: EPSG:25832 is unknown"),
        ({"datetime": "2037-13-01"}, 'datetime: "2037-13-01" is not a date or a time'),
        ({"datetime": "2038-01-01/2037-01-01"}, "datetime: the start is after the end"),
        ({"f": "xml"}, "f=xml: must be json or html"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_reason(ogc: Ogc, parameters: dict[str, str], told: str) -> None:
    assert told in ogc.refused(items_of("diagrams"), **parameters)


def test_case_is_folded_in_any_script(writable: Sandbox) -> None:
    writable.client().project(PROJECT).diagram(1002).edit(title="Öl und ÑANDÚ")
    found = Ogc(writable).ids("diagrams", filter="CASEI(description) LIKE CASEI('öL%ñandú')")
    assert found == [1002]


@pytest.mark.parametrize("pattern", ["x" * 60_000, "_" * 60_000, "*" * 20_000, "Oak" + "%" * 20_000, "%a" * 15_000])
def test_a_pattern_may_be_as_long_as_a_filter(pattern: str, ogc: Ogc, diagrams: dict[int, Any]) -> None:
    beginning = pattern.partition("%")[0]
    fulfils = "%%" in pattern
    expected = [
        key
        for key, feature in diagrams.items()
        if fulfils and feature["properties"]["description"].startswith(beginning)
    ]
    assert ogc.ids("diagrams", filter=f"description LIKE '{pattern}'") == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (" AND ".join(["rank=1"] * 600), "more than 500 comparisons"),
        (f"rank IN ({','.join(['1'] * 10_001)})", "more than 10000 values"),
        ("NOT(" * 60 + "rank=1" + ")" * 60, "nested deeper than 50 levels"),
        ("CASEI(" * 60 + "sysname" + ")" * 60 + " = 'x'", "nested deeper than 50 levels"),
    ],
    ids=["long", "values", "deep", "folded"],
)
def test_a_filter_has_its_limits(ogc: Ogc, text: str, told: str) -> None:
    assert told in ogc.refused(items_of("diagrams"), filter=text)


# Places


def boxes() -> st.SearchStrategy[tuple[float, float, float, float]]:
    def sides(low: float, high: float) -> st.SearchStrategy[list[float]]:
        return st.lists(st.floats(low, high), min_size=2, max_size=2).map(sorted)

    return st.tuples(sides(-74.26, -74.05), sides(40.49, 40.65)).map(lambda s: (s[0][0], s[1][0], s[0][1], s[1][1]))


@settings(max_examples=12, deadline=None)
@given(boxes())
@pytest.mark.parametrize("collection", ["diagrams", "parts", "evaluation-1"])
def test_a_rectangle_finds_what_has_a_point_in_common_with_it(
    ogc: Ogc, collection: str, box: tuple[float, float, float, float]
) -> None:
    features = {feature["id"]: feature["geometry"] for feature in cached_items(ogc, collection)}
    area = shapely.box(*box)
    expected = [key for key, geometry in features.items() if geometry and shapely.intersects(shape(geometry), area)]
    corners = ",".join(map(str, box))
    found = ogc.ids(collection, bbox=corners)
    assert [key for key in found if features[key]] == expected
    # Features without a geometry are in every rectangle.
    assert {key for key, geometry in features.items() if not geometry} == set(found) - set(expected)
    west, south, east, north = box
    in_words = f"S_INTERSECTS(geometry, BBOX({west}, {south}, {east}, {north}))"
    assert ogc.ids(collection, filter=in_words) == expected


CACHED: dict[tuple[str, str], list[Any]] = {}


def cached_items(ogc: Ogc, collection: str) -> list[Any]:
    key = ogc.root, collection
    if key not in CACHED:
        CACHED[key] = ogc.items(collection)
    return CACHED[key]


def test_any_geometry_finds_what_it_meets(ogc: Ogc) -> None:
    features = {feature["id"]: feature["geometry"] for feature in cached_items(ogc, "diagrams")}
    centre = shapely.Point(-74.15, 40.57)
    for geometry in (centre.buffer(0.02), shapely.LineString([(-74.24, 40.5), (-74.06, 40.64)]), centre):
        expected = [key for key, own in features.items() if own and shapely.intersects(shape(own), geometry)]
        found = ogc.ids("diagrams", filter=f"S_INTERSECTS(geometry, {geometry.wkt})")
        assert found == expected


@pytest.mark.parametrize("code", [4326, 3857, 32618])
def test_other_reference_systems_are_those_of_proj(ogc: Ogc, code: int) -> None:
    response = ogc.send("GET", items_of("parts"), params={"crs": f"{EPSG}{code}", "limit": 1000})
    assert response.headers["content-crs"] == f"<{EPSG}{code}>"
    project = Transformer.from_crs("OGC:CRS84", f"EPSG:{code}").transform
    tolerance = 1e-12 if code == 4326 else 1e-6
    for feature, own in zip(response.json()["features"], ogc.items("parts"), strict=True):
        expected = shapely.transform(shape(own["geometry"]), lambda x, y: project(x, y), interleaved=False)
        assert shape(feature["geometry"]).equals_exact(expected, tolerance)


@pytest.mark.parametrize("code", [4326, 3857, 32618])
def test_a_rectangle_of_another_reference_system_finds_the_same(ogc: Ogc, code: int) -> None:
    project = Transformer.from_crs("OGC:CRS84", f"EPSG:{code}").transform
    corners = [*project(-74.15, 40.55), *project(-74.1, 40.6)]
    found = ogc.ids("diagrams", bbox=",".join(map(str, corners)), **{"bbox-crs": f"{EPSG}{code}"})
    expected = ogc.ids("diagrams", bbox="-74.15,40.55,-74.1,40.6")
    assert len(set(found) ^ set(expected)) <= (3 if code == 32618 else 0)


def test_a_rectangle_may_cross_the_180th_meridian(ogc: Ogc) -> None:
    assert ogc.ids("diagrams", bbox="100,-90,-74,90") == ogc.ids("diagrams", bbox="-180,-90,-74,90")


def test_diagrams_of_a_time_and_those_without_days(ogc: Ogc, diagrams: dict[int, Any]) -> None:
    def within(row: dict[str, Any], start: str, end: str) -> bool:
        return bool(row["undated"] or (row["start_date"] <= end and row["end_date"] >= start))

    for text, start, end in [
        ("2037-10-01", "2037-10-01", "2037-10-01"),
        ("2037-10-01T12:00:00Z", "2037-10-01", "2037-10-01"),
        ("2036-01-01/2038-01-01", "2036-01-01", "2038-01-01"),
        ("../2030-01-01", "", "2030-01-01"),
        ("2040-01-01/..", "2040-01-01", "9999"),
    ]:
        expected = [key for key, feature in diagrams.items() if within(feature["properties"], start, end)]
        assert ogc.ids("diagrams", datetime=text) == expected, text


# One feature


def test_a_feature_has_a_tag_that_changes_with_it(ogc: Ogc) -> None:
    address = f"{items_of('diagrams')}/1001"
    response = ogc.send("GET", address)
    assert response.json()["properties"]["description"] == "Oakwood Beach tidal marsh restoration"
    tag = response.headers["etag"]
    assert ogc.send("GET", address, headers={"If-None-Match": tag}).status_code == 304
    assert ogc.send("GET", f"{items_of('diagrams')}/999999").status_code == 404
    assert ogc.send("GET", f"{items_of('diagrams')}/x").status_code == 404


def test_a_page_that_has_not_changed_is_not_sent_again(ogc: Ogc) -> None:
    first = ogc.send("GET", items_of("diagrams"))
    again = ogc.send("GET", items_of("diagrams"), headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.text) == (304, "")


# Permissions


def test_without_a_token_there_is_a_landing_page_and_nothing_else(ogc: Ogc) -> None:
    for path in ("", "/", "/conformance"):
        assert requests.get(ogc.root + path, timeout=10).status_code == 200
    for path in ("/api", "/collections", path_of("diagrams"), items_of("diagrams")):
        response = requests.get(ogc.root + path, timeout=10)
        assert response.status_code == 401
        assert response.headers["www-authenticate"].startswith('Basic realm="pygeodesign')


def test_a_token_is_a_bearer_or_the_password_of_any_username(ogc: Ogc) -> None:
    for sign_in in ({"headers": {"Authorization": f"Bearer {ogc.token}"}}, {"auth": ("anybody", ogc.token)}):
        response = requests.get(ogc.root + items_of("diagrams"), timeout=10, **sign_in)
        assert response.status_code == 200
    assert requests.get(ogc.root + "/collections", auth=("anybody", "wrong"), timeout=10).status_code == 401


@pytest.fixture(scope="module")
def writable() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


def test_who_is_no_member_learns_nothing_of_a_project(writable: Sandbox) -> None:
    writable.add_user("stranger")
    stranger = Ogc(writable, "stranger")
    assert stranger.json("/collections")["collections"] == []
    for path in (path_of("diagrams"), items_of("diagrams"), path_of("nothing")):
        assert stranger.send("GET", path).status_code == 404
    assert PROJECT not in stranger.send("GET", "/api").text


def test_a_guest_who_is_told_no_names_gets_none(writable: Sandbox) -> None:
    workshop = writable.client().project(PROJECT).workshop
    link = workshop.add_link("Press", datetime.now(UTC) + timedelta(days=1), names=False)
    guest = Ogc(writable)
    guest.headers = {"Authorization": f"Bearer {link['path'].rsplit(':', 1)[1]}"}
    features = guest.json(items_of("diagrams"))["features"]
    assert all("author" not in feature["properties"] for feature in features)
    assert "author" in guest.refused(items_of("diagrams"), filter="author = 'amara.okafor'")
    assert f"{PROJECT}.selections" not in guest.send("GET", "/collections").text
    assert guest.send("GET", items_of("selections")).status_code == 404
    drawn = guest.write("POST", items_of("diagrams"), {"type": "Feature", "geometry": None, "properties": {}})
    assert drawn.status_code == 403


def test_each_workshop_of_a_folder_has_its_own(tmp_path: Path) -> None:
    with served(tmp_path, "spring", "autumn") as folder:
        collections = f"{folder.address}/w/spring/ogc/collections"
        # It is not open yet: requests without a token are asked for one, in a way that browsers and QGIS know.
        asked = requests.get(collections, timeout=10)
        assert (asked.status_code, asked.headers["www-authenticate"][:5]) == (401, "Basic")
        token = folder.tokens["spring"]["admin"]
        answer = requests.get(collections, auth=("anybody", token), timeout=10).json()
        links = [link["href"] for item in answer["collections"] for link in item["links"]]
        assert links and all(link.startswith(collections) for link in links)
        page = requests.get(links[2], auth=("anybody", token), timeout=10).json()
        assert len(page["features"]) == 100
        # The token is of the other one.
        other = collections.replace("spring", "autumn")
        assert requests.get(other, auth=("anybody", token), timeout=10).status_code == 401


def test_properties_of_a_map_may_have_any_name(writable: Sandbox) -> None:
    """Also names of parameters, of the geometry, and ones that SQL or JSON paths would take for something else."""
    names = ["limit", "crs", "geometry", "it's", 'a "quoted" one', "back\\slash", "new\nline", "größe", "a.b", "$"]
    square = shapely.box(-74.15, 40.57, -74.14, 40.58)
    properties: dict[str, Any] = {name: f"value of {name}" for name in names}
    area = {"type": "Feature", "properties": properties, "geometry": mapping(square)}
    project = writable.client().project(PROJECT)
    project.study_area.set_boundaries({"type": "FeatureCollection", "features": [area]})
    ogc = Ogc(writable)
    [found] = ogc.items("boundaries")
    assert properties.items() <= found["properties"].items()
    schema = ogc.json(f"{path_of('boundaries')}/schema")["properties"]
    assert set(names) <= set(schema) and schema["geometry"]["format"] == "geometry-any"
    for name in ("it's", "größe", "a.b", "$"):
        assert ogc.ids("boundaries", **{name: f"value of {name}"}) == [found["id"]]
    assert ogc.ids("boundaries", filter="\"crs\" = 'value of crs'") == [found["id"]]
    parameters = ogc.json("/api")["paths"][items_of("boundaries")]["get"]["parameters"]
    parameters = [parameter["name"] for parameter in parameters]
    assert len(parameters) == len(set(parameters))


# For people


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/conformance",
        "/api",
        "/collections",
        path_of("diagrams"),
        items_of("diagrams"),
        f"{items_of('diagrams')}/1001",
    ],
)
def test_a_browser_gets_a_page(ogc: Ogc, path: str) -> None:
    browser = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
    response = ogc.send("GET", path, headers=browser)
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert "<script" not in response.text
    assert ogc.send("GET", path, headers={"Accept": "*/*"}).headers["content-type"] != "text/html; charset=utf-8"


def test_texts_of_others_are_no_html(writable: Sandbox) -> None:
    project = writable.client().project(PROJECT)
    project.diagram(1001).edit(title="<script>alert(1)</script>")
    page = Ogc(writable).send("GET", f"{items_of('diagrams')}/1001", params={"f": "html"}).text
    assert "<script" not in page and "&lt;script&gt;" in page


def test_the_ids_of_collections_stay_in_their_place(ogc: Ogc) -> None:
    links = itertools.chain.from_iterable(item["links"] for item in ogc.json("/collections")["collections"])
    for link in links:
        assert link["href"].startswith(ogc.root)
        assert ogc.send("GET", link["href"]).status_code == 200
    assert ogc.json(path_of("diagrams"))["crs"] == [CRS84, *(f"{EPSG}{code}" for code in (4326, 3857, 32618))]
