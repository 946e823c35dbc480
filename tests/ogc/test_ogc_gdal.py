"""OGC API – Features with GDAL, by which GeoPandas, R's sf, DuckDB and QGIS read it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import geopandas
import pyogrio
import pytest
import shapely

from ogc import PROJECT, Ogc
from pygeodesign import Project, Sandbox
from recording_proxy import RecordingProxy
from serving import running_service
from small_project import ADMINISTRATOR, GREEN, running_workshop


@pytest.fixture(scope="module")
def ogc(sandbox: Sandbox) -> Ogc:
    return Ogc(sandbox)


@pytest.fixture(autouse=True)
def options(ogc: Ogc) -> Iterator[None]:
    """GDAL signs in with a token, and keeps nothing from one test to the next."""
    with gdal_options(GDAL_HTTP_USERPWD=f"anybody:{ogc.token}", GDAL_HTTP_AUTH="BASIC"):
        yield


class gdal_options:  # noqa: N801
    """Sets options of GDAL during a `with` block."""

    def __init__(self, **options: str | None) -> None:
        self.options = options

    def __enter__(self) -> None:
        pyogrio.set_gdal_config_options(self.options)

    def __exit__(self, *_: object) -> None:
        pyogrio.set_gdal_config_options(dict.fromkeys(self.options))


def read(ogc: Ogc, collection: str, **options: Any) -> geopandas.GeoDataFrame:
    frame = geopandas.read_file(f"OAPIF:{ogc.root}", layer=f"{PROJECT}.{collection}", engine="pyogrio", **options)
    assert isinstance(frame, geopandas.GeoDataFrame)
    return frame


def test_gdal_lists_every_collection(ogc: Ogc) -> None:
    layers = pyogrio.list_layers(f"OAPIF:{ogc.root}")[:, 0].tolist()
    assert layers == [collection["id"] for collection in ogc.json("/collections")["collections"]]


def test_diagrams_are_what_the_client_has(ogc: Ogc, project: Project) -> None:
    frame, expected = read(ogc, "diagrams"), project.costs().to_geopandas()
    same(frame, expected.rename(columns={"title": "description"}))
    assert frame["cost"].tolist() == pytest.approx(expected["cost"].tolist(), nan_ok=True)


def test_parts_are_what_the_client_has(ogc: Ogc, project: Project) -> None:
    expected = project.diagrams().to_geopandas()
    same(read(ogc, "parts"), expected[expected.geometry.notna()])


def same(frame: geopandas.GeoDataFrame, expected: geopandas.GeoDataFrame) -> None:
    """Checks for the same features with the same properties and types, where the client has them."""
    names = [name for name in expected.columns if name in frame.columns and name != "geometry"]
    assert {"diagramid", "description", "sysname", "start_date", "area", "author", "rank"} <= set(names)
    for name in names:
        own, other = frame[name], expected[name].reset_index(drop=True)
        if name == "created_at":
            own = own.dt.tz_localize(None)
        known = other.notna()
        if other.dtype.kind in "if":
            assert own[known].tolist() == pytest.approx(other[known].tolist(), rel=1e-12), name
        else:
            assert own[known].tolist() == other[known].tolist(), name
        if known.all():
            kinds = {"int64": "integer", "int32": "integer"}
            assert kinds.get(str(own.dtype), own.dtype.kind) == kinds.get(str(other.dtype), other.dtype.kind), name
    drawn = expected.geometry.notna().reset_index(drop=True)
    assert (frame.geometry.notna() == drawn).all()
    assert shapely.equals(frame.geometry[drawn].values, expected.geometry.reset_index(drop=True)[drawn].values).all()


@pytest.mark.parametrize(
    "collection", ["boundaries", "constraints", "context", "evaluation-1", "designs", "selections", "layers"]
)
def test_the_other_collections_have_all_their_features(ogc: Ogc, collection: str) -> None:
    assert len(read(ogc, collection)) == len(ogc.items(collection))


# GDAL keeps Python from doing anything else while it waits, and the proxy is in Python: another process asks.
ASKING = """
import json, sys
import pyogrio
settings = json.load(sys.stdin)
pyogrio.set_gdal_config_options(settings["options"])
answers = []
for asked in settings["asked"]:
    if "bbox" in asked:
        asked["bbox"] = tuple(asked["bbox"])
    frame = pyogrio.read_dataframe(f"OAPIF:{settings['root']}", layer=settings["layer"], **asked)
    answers.append(frame["diagramid"].tolist())
print(json.dumps(answers))
"""


def asked_through_proxy(sandbox: Sandbox, user: str, layer: str, *asked: dict[str, Any]) -> tuple[list[Any], list[str]]:
    """The ids of diagrams that GDAL finds, and the queries of the requests that it sends."""
    with RecordingProxy(sandbox.url) as proxy:
        settings = {
            "options": {"GDAL_HTTP_USERPWD": f"anybody:{sandbox.token(user)}", "GDAL_HTTP_AUTH": "BASIC"},
            "root": proxy.url.removesuffix("api/v1/") + "ogc",
            "layer": layer,
            "asked": asked,
        }
        command = [sys.executable, "-c", ASKING]
        run = subprocess.run(command, input=json.dumps(settings), capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout), [query for query in proxy.queries if "limit=1000" in query]


CONDITIONS = {
    "sysname = 'Water'": "sysname%20%3D%20'Water'",
    "sysid = 1 AND area > 10000": "area%20%3E%2010000",
    "description LIKE 'Oak%'": "LIKE%20'Oak%25'",
    "start_date >= '2037-10-01'": "2037-10-01",
}


@pytest.mark.slow
def test_conditions_and_rectangles_are_answered_by_the_service(ogc: Ogc, sandbox: Sandbox) -> None:
    box = (-74.15, 40.55, -74.1, 40.6)
    asked: list[dict[str, Any]] = [*({"where": where} for where in CONDITIONS), {"bbox": box}]
    found, queries = asked_through_proxy(sandbox, "amara.okafor", f"{PROJECT}.diagrams", *asked)
    assert len(queries) == len(asked)
    for ids, query, (where, sent) in zip(found, queries, CONDITIONS.items(), strict=False):
        assert "filter=" in query and sent in query
        assert sorted(ids) == ogc.ids("diagrams", filter=where), where
    assert "bbox=-74.15" in queries[-1]
    # GDAL leaves out those without a geometry itself.
    assert sorted(found[-1]) == ogc.ids("diagrams", filter=f"S_INTERSECTS(geometry, BBOX{box})")


@pytest.mark.parametrize("code", [3857, 32618])
def test_another_reference_system_is_that_of_proj(ogc: Ogc, code: int) -> None:
    frame, expected = read(ogc, "parts", CRS=f"EPSG:{code}"), read(ogc, "parts").to_crs(code)
    assert frame.crs.to_epsg() == code
    assert frame.geometry.geom_equals_exact(expected.geometry, 1e-5).all()


def test_a_bearer_may_ask_too(ogc: Ogc) -> None:
    with gdal_options(GDAL_HTTP_USERPWD=None, GDAL_HTTP_AUTH="BEARER", GDAL_HTTP_BEARER=ogc.token):
        assert len(read(ogc, "diagrams")) == 180


def test_over_https(ogc: Ogc, tmp_path: Path) -> None:
    with running_service("--db", tmp_path / "room.sqlite", "--tls-self-signed") as service:
        token = next(iter(service.tokens.values()))
        authority = str(tmp_path / "room.sqlite.tls" / "ca.pem")
        address = f"OAPIF:{service.urls[0].removesuffix('api/v1/')}ogc"
        with gdal_options(GDAL_HTTP_USERPWD=f"anybody:{token}", GDAL_CURL_CA_BUNDLE=authority):
            frame = geopandas.read_file(address, layer=f"{PROJECT}.diagrams", engine="pyogrio")
    assert len(frame) == 180


@pytest.mark.slow
def test_thousands_of_polygons_come_in_pages() -> None:
    """5,000 diagrams of 30 corners."""
    with running_workshop() as workshop:
        project, sandbox = workshop.project, workshop.sandbox
        circles = shapely.points(
            [(-9.23 + 0.001 + 0.0019 * (n % 71), 38.692 + 0.0015 * (n // 71)) for n in range(5_000)]
        )
        shapes = shapely.buffer(circles, 0.001, quad_segs=8)
        titles = [f"Garden {n}" for n in range(5_000)]
        frame = geopandas.GeoDataFrame({"title": titles}, geometry=shapes, crs=4326)
        project.add_diagrams(GREEN, frame, title="title")
        layer = f"{project.id}.diagrams"
        ogc = Ogc(sandbox, ADMINISTRATOR)
        with gdal_options(GDAL_HTTP_USERPWD=f"anybody:{ogc.token}"):
            found = geopandas.read_file(f"OAPIF:{ogc.root}", layer=layer, engine="pyogrio")
        [ids], queries = asked_through_proxy(sandbox, ADMINISTRATOR, layer, {"columns": ["diagramid"]})
    assert (len(ids), len(queries)) == (5_000, 5)
    # They are added several at a time.
    found = found.set_index("description").loc[titles]
    drawn, shown = frame.geometry.to_numpy(), found.geometry.to_numpy()
    assert shapely.equals_exact(drawn, shown, 1e-9).all()
