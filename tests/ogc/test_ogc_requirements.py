"""OGC API – Features: the abstract tests of each conformance class that the service declares, one row each.

The names are those of the standards: OGC 17-069r4 (Part 1), 18-058r1 (Part 2), 19-079r2 (Part 3), 20-002r1 (Part 4, a
draft), 23-058r2 (Part 5) and 21-065r2 (CQL2).
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV30SpecValidator

from ogc import CRS84, EPSG, PROJECT, Ogc, items_of, path_of
from pygeodesign import Sandbox

ROOT = Path(__file__).parents[2]
DIAGRAMS = items_of("diagrams")
QUERYABLES = "http://www.opengis.net/def/rel/ogc/1.0/queryables"
POINT = '{"type":"Point","coordinates":[-74.15,40.57]}'


@pytest.fixture(scope="module")
def ogc(sandbox: Sandbox) -> Ogc:
    return Ogc(sandbox)


def links(body: Any, relation: str) -> list[str]:
    return [link["href"] for link in body["links"] if link["rel"] == relation]


def reached(ogc: Ogc, addresses: list[str]) -> bool:
    return bool(addresses) and all(ogc.send("GET", address).status_code == 200 for address in addresses)


def kind_of(response: requests.Response) -> str:
    return response.headers["content-type"].split(";")[0]


def root_has_links(ogc: Ogc) -> bool:
    landing = ogc.json("/")
    relations = ("service-desc", "service-doc", "conformance", "data", "self", "alternate")
    return all(reached(ogc, links(landing, relation)) for relation in relations)


def api_is_openapi(ogc: Ogc) -> bool:
    OpenAPIV30SpecValidator(ogc.json("/api")).validate()
    return kind_of(ogc.send("GET", "/api")) == "application/vnd.oai.openapi+json"


def api_has_paths(ogc: Ogc) -> bool:
    document = ogc.json("/api")
    collections = ogc.json("/collections")["collections"]
    here = {f"/collections/{collection['id']}/items" for collection in collections}
    return here <= set(document["paths"]) and document["servers"][0]["url"] == ogc.root


def collections_are_whole(ogc: Ogc) -> bool:
    for collection in ogc.json("/collections")["collections"]:
        assert ogc.json(f"/collections/{collection['id']}") == collection
        kinds = [link["type"] for link in collection["links"] if link["rel"] == "items"]
        assert kinds == ["application/geo+json", "text/html"]
        assert reached(ogc, links(collection, "items")), collection["id"]
    return True


def page_is_whole(ogc: Ogc) -> bool:
    page = ogc.json(DIAGRAMS, limit=10)
    assert page["type"] == "FeatureCollection"
    assert page["numberReturned"] == len(page["features"]) == 10 < page["numberMatched"]
    assert links(page, "self") and links(page, "alternate")
    return reached(ogc, links(page, "next")) and all(feature["id"] for feature in page["features"])


def last_page_ends(ogc: Ogc) -> bool:
    page = ogc.json(DIAGRAMS, limit=1000)
    return not links(page, "next") and page["numberReturned"] == page["numberMatched"]


def status(code: int, path: str, **parameters: str) -> Callable[[Ogc], bool]:
    return lambda ogc: ogc.send("GET", path, params=parameters).status_code == code


def finds(some: bool, **parameters: str) -> Callable[[Ogc], bool]:
    return lambda ogc: bool(ogc.json(DIAGRAMS, **parameters)["features"]) == some


def geometries(ogc: Ogc, **parameters: str) -> set[str]:
    return {json.dumps(feature["geometry"]) for feature in ogc.json(DIAGRAMS, **parameters)["features"]}


def negotiated(ogc: Ogc, accept: str) -> str:
    response = ogc.send("GET", DIAGRAMS, headers={"Accept": accept})
    assert "accept" in response.headers["vary"].split(", ")
    return kind_of(response)


def same(first: dict[str, str], second: dict[str, str]) -> Callable[[Ogc], bool]:
    return lambda ogc: ogc.ids("diagrams", **first) == ogc.ids("diagrams", **second)


def schema_is_valid(path: str) -> Callable[[Ogc], bool]:
    def check(ogc: Ogc) -> bool:
        response = ogc.send("GET", path)
        schema = response.json()
        Draft202012Validator.check_schema(schema)
        assert schema["$id"] == response.url.split("?")[0] and schema["type"] == "object"
        return kind_of(response) == "application/schema+json" and bool(schema["properties"])

    return check


def features_fit_their_schema(ogc: Ogc) -> bool:
    for name in ("diagrams", "parts", "designs", "selections", "layers", "boundaries", "evaluation-1"):
        properties = ogc.json(f"{path_of(name)}/schema")["properties"]
        for feature in ogc.items(name):
            for key, value in feature["properties"].items():
                if value is not None:
                    Draft202012Validator(properties[key], format_checker=Draft202012Validator.FORMAT_CHECKER).validate(
                        value
                    )
    return True


def has_roles(ogc: Ogc) -> bool:
    properties = ogc.json(f"{path_of('diagrams')}/schema")["properties"]
    roles = {name: schema["x-ogc-role"] for name, schema in properties.items() if "x-ogc-role" in schema}
    return roles == {
        "geometry": "primary-geometry",
        "start_date": "primary-interval-start",
        "end_date": "primary-interval-end",
    }


def writes_as_documented(ogc: Ogc) -> bool:
    with Sandbox() as sandbox:
        own = Ogc(sandbox)
        feature = own.json(f"{DIAGRAMS}/1002")
        created = own.write("POST", DIAGRAMS, feature)
        assert (created.status_code, created.headers["location"].startswith(own.root)) == (201, True)
        address = created.headers["location"]
        tag = own.send("GET", address).headers["etag"]
        assert own.write("PUT", address, own.json(address), **{"If-Match": tag}).status_code == 204
        assert own.write("PATCH", address, {"properties": {"description": "x"}}).status_code == 204
        assert own.write("PUT", address, feature, **{"If-Match": tag}).status_code == 412
        assert own.send("DELETE", address).status_code == 204
    return True


def text(filter: str) -> dict[str, str]:
    return {"filter": filter}


def in_json(filter: Any) -> dict[str, str]:
    return {"filter": json.dumps(filter), "filter-lang": "cql2-json"}


REQUIREMENTS: list[tuple[str, Callable[[Ogc], bool]]] = [
    # Part 1, core
    ("core/root-op", status(200, "/")),
    ("core/root-success", root_has_links),
    ("core/api-definition-op", lambda ogc: reached(ogc, links(ogc.json("/"), "service-desc"))),
    ("core/api-definition-success", api_is_openapi),
    ("core/conformance-op", status(200, "/conformance")),
    ("core/conformance-success", lambda ogc: "conformsTo" in ogc.json("/conformance")),
    ("core/http", lambda ogc: ogc.send("HEAD", DIAGRAMS).status_code == 200),
    ("core/query-param-unknown", status(400, DIAGRAMS, unknown="1")),
    ("core/query-param-invalid", status(400, DIAGRAMS, limit="-1")),
    ("core/crs84", lambda ogc: ogc.send("GET", DIAGRAMS).headers["content-crs"] == f"<{CRS84}>"),
    ("core/fc-md-op", status(200, "/collections")),
    ("core/fc-md-success", collections_are_whole),
    ("core/fc-md-links", lambda ogc: bool(links(ogc.json("/collections"), "self"))),
    ("core/fc-md-extent", lambda ogc: len(ogc.json(path_of("diagrams"))["extent"]["spatial"]["bbox"][0]) == 4),
    ("core/sfc-md-op", status(200, path_of("diagrams"))),
    ("core/sfc-md-unknown", status(404, path_of("unknown"))),
    ("core/fc-op", status(200, DIAGRAMS)),
    ("core/fc-limit-response-1", lambda ogc: len(ogc.json(DIAGRAMS, limit=3)["features"]) == 3),
    # Features without a geometry are in every rectangle, and others in none where they are not.
    ("core/fc-bbox-response", lambda ogc: geometries(ogc, bbox="0,0,1,1") == {"null"}),
    (
        "core/fc-bbox-response-heights",
        same({"bbox": "-74.15,40.55,0,-74.1,40.6,9"}, {"bbox": "-74.15,40.55,-74.1,40.6"}),
    ),
    ("core/fc-time-response", finds(True, datetime="2037-10-01T00:00:00Z")),
    ("core/fc-time-response-invalid", status(400, DIAGRAMS, datetime="..")),
    ("core/fc-time-open", same({"datetime": "../2037-10-01"}, {"datetime": "/2037-10-01"})),
    ("core/fc-response", page_is_whole),
    ("core/fc-next", last_page_ends),
    ("core/fc-filters", same({"sysname": "Water"}, text("sysname = 'Water'"))),
    ("core/f-op", status(200, f"{DIAGRAMS}/1001")),
    ("core/f-success", lambda ogc: ogc.json(f"{DIAGRAMS}/1001")["id"] == 1001),
    ("core/f-links", lambda ogc: reached(ogc, links(ogc.json(f"{DIAGRAMS}/1001"), "collection"))),
    ("core/f-unknown", status(404, f"{DIAGRAMS}/1")),
    # Part 1, encodings and OpenAPI
    ("geojson/definition", lambda ogc: kind_of(ogc.send("GET", DIAGRAMS)) == "application/geo+json"),
    ("html/definition", lambda ogc: kind_of(ogc.send("GET", DIAGRAMS, headers={"Accept": "text/html"})) == "text/html"),
    ("html/weight", lambda ogc: negotiated(ogc, "text/html;q=0.5, application/json;q=0.9") == "application/geo+json"),
    ("html/place", lambda ogc: negotiated(ogc, "text/html,application/xhtml+xml,*/*;q=0.8") == "text/html"),
    ("oas30/oas-impl", api_has_paths),
    ("oas30/security", lambda ogc: set(ogc.json("/api")["components"]["securitySchemes"]) == {"basic", "bearer"}),
    ("oas30/exceptions-codes", lambda ogc: "code" in ogc.send("GET", f"{DIAGRAMS}/1").json()),
    # Part 2
    ("crs/fc-md-crs-list", lambda ogc: ogc.json(path_of("diagrams"))["crs"][0] == CRS84),
    ("crs/fc-md-storageCrs-valid-value", lambda ogc: ogc.json(path_of("diagrams"))["storageCrs"] == CRS84),
    ("crs/fc-bbox-crs-valid-value", status(400, DIAGRAMS, bbox="1,1,2,2", **{"bbox-crs": f"{EPSG}9999"})),
    (
        "crs/fc-bbox-crs-action",
        same({"bbox": "40.55,-74.15,40.6,-74.1", "bbox-crs": f"{EPSG}4326"}, {"bbox": "-74.15,40.55,-74.1,40.6"}),
    ),
    ("crs/crs-valid-value", status(400, DIAGRAMS, crs="http://www.opengis.net/def/crs/EPSG/0/9999")),
    (
        "crs/ogc-crs-header",
        lambda ogc: ogc.send("GET", DIAGRAMS, params={"crs": f"{EPSG}3857"}).headers["content-crs"] == f"<{EPSG}3857>",
    ),
    # Part 3
    ("queryables/success", schema_is_valid(f"{path_of('diagrams')}/queryables")),
    ("queryables/link", lambda ogc: reached(ogc, links(ogc.json(path_of("diagrams")), QUERYABLES))),
    ("queryables-query-parameters/parameters", same({"rank": "3"}, text("rank = 3"))),
    ("filter/filter-param", status(200, DIAGRAMS, filter="rank = 3")),
    ("filter/filter-lang-default", same(text("rank = 3"), {"filter": "rank = 3", "filter-lang": "cql2-text"})),
    ("filter/filter-lang-invalid", status(400, DIAGRAMS, filter="rank = 3", **{"filter-lang": "xpath"})),
    (
        "filter/filter-crs-param",
        same(
            {"filter": "S_INTERSECTS(geometry, POINT(40.57 -74.15))", "filter-crs": f"{EPSG}4326"},
            text("S_INTERSECTS(geometry, POINT(-74.15 40.57))"),
        ),
    ),
    ("filter/mixing-expressions", same(text("rank = 3") | {"sysid": "1"}, text("rank = 3 AND sysid = 1"))),
    ("filter/response-invalid", status(400, DIAGRAMS, filter="rank =")),
    # CQL2
    ("cql2/basic-cql2/logical", same(text("NOT (rank > 1 OR sysid > 1)"), text("rank <= 1 AND sysid <= 1"))),
    ("cql2/basic-cql2/null", finds(False, filter="description IS NULL")),
    ("cql2/basic-cql2/instants", finds(True, filter="created_at > TIMESTAMP('2020-01-01T00:00:00Z')")),
    ("cql2/advanced-comparison-operators/between", same(text("rank BETWEEN 2 AND 3"), text("rank IN (2, 3)"))),
    ("cql2/advanced-comparison-operators/like", finds(True, filter="description LIKE 'Oak%'")),
    ("cql2/case-insensitive-comparison", finds(True, filter="CASEI(description) LIKE CASEI('OAK%')")),
    ("cql2/property-property", finds(True, filter="rank = sysid")),
    ("cql2/basic-spatial-functions", finds(True, filter="S_INTERSECTS(geometry, BBOX(-74.2, 40.5, -74.1, 40.6))")),
    (
        "cql2/basic-spatial-functions-plus",
        finds(True, filter="S_INTERSECTS(geometry, LINESTRING(-74.24 40.5, -74.06 40.64))"),
    ),
    ("cql2/cql2-json", same(in_json({"op": "=", "args": [{"property": "rank"}, 3]}), text("rank = 3"))),
    (
        "cql2/cql2-json/spatial",
        same(
            in_json({"op": "s_intersects", "args": [{"property": "geometry"}, json.loads(POINT)]}),
            text("S_INTERSECTS(geometry, POINT(-74.15 40.57))"),
        ),
    ),
    # Part 4
    ("create-replace-delete, update, optimistic-locking-etags", writes_as_documented),
    ("create-replace-delete/options", lambda ogc: "POST" in ogc.send("OPTIONS", DIAGRAMS).headers["allow"]),
    # Part 5
    ("schemas/success", schema_is_valid(f"{path_of('diagrams')}/schema")),
    ("schemas/properties", features_fit_their_schema),
    ("core-roles-features/roles", has_roles),
    (
        "returnables-and-receivables/read-only",
        lambda ogc: ogc.json(f"{path_of('diagrams')}/schema")["properties"]["area"]["readOnly"] is True,
    ),
]


@pytest.mark.parametrize(("requirement", "check"), REQUIREMENTS, ids=[name for name, _ in REQUIREMENTS])
def test_the_service_keeps_to(requirement: str, check: Callable[[Ogc], bool], ogc: Ogc) -> None:
    assert check(ogc), requirement


def test_each_class_that_is_named_has_its_rows(ogc: Ogc) -> None:
    classes = {uri.rsplit("/", 1)[1] for uri in ogc.json("/conformance")["conformsTo"]}
    tested = ", ".join(name for name, _ in REQUIREMENTS)
    # Those that repeat others.
    implied = {"features", "features-filter", "cql2-text", "queryables"}
    assert {name for name in classes if name not in tested} <= implied


@pytest.mark.slow
@pytest.mark.parametrize("examples", [2])
def test_schemathesis_finds_no_difference_between_document_and_service(examples: int, tmp_path: Path) -> None:
    with Sandbox() as sandbox:
        ogc = Ogc(sandbox)
        tool = str(Path(sys.executable).with_name("schemathesis"))
        options = ["--checks", "all", "--max-examples", str(examples), "--seed", "1", "--workers", "1", "--no-color"]
        command = [tool, "--config-file", str(ROOT / "schemathesis.toml"), "run", f"{ogc.root}/api?f=json"]
        run = subprocess.run(
            [*command, "--header", f"Authorization: Bearer {ogc.token}", *options],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=600,
        )
    assert run.returncode == 0, run.stdout[-6000:].replace(ogc.token, "…")


def test_the_document_names_the_project_of_its_reader_only(ogc: Ogc) -> None:
    assert all(PROJECT in path for path in ogc.json("/api")["paths"] if path.startswith("/collections/"))
