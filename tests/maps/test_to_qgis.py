"""`Project.to_qgis`: a QGIS project that shows a project of the service."""

import asyncio
import json
import subprocess
import zipfile
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import requests
import shapely
from hypothesis import given
from hypothesis import strategies as st
from pyproj import Transformer

import pygeodesign
from ogc import PROJECT, Ogc, items_of
from pygeodesign import Client, InputError, Project, Sandbox
from pygeodesign._core import _projected_bounds
from pygeodesign._qgis.xml import document, label
from reference_service import ReferenceService, content_of
from small_project import ADMINISTRATOR, GREEN, running_workshop

# The Python of the system has QGIS, if QGIS is installed.
QGIS_PYTHON = "/usr/bin/python3"
READER = Path(__file__).parents[1] / "support" / "qgis_reader.py"
OF_DIAGRAMS = ("diagrams", "parts", "designs", "selections")
# Ends of the names of layers, from the top: points are not hidden by areas.
SHAPES = (": points", ": lines", "")
CLASSES = {"red": "#D73027", "red2": "#F46D43", "yellow": "#FEE08B"}
CLASSES |= {"green": "#86BF8C", "green2": "#31A354", "green3": "#006837"}


def unpacked(path: Path) -> ET.Element:
    """The project in a `.qgz`."""
    with zipfile.ZipFile(path) as packed:
        assert packed.namelist() == [f"{path.stem}.qgs"]
        return ET.fromstring(packed.read(f"{path.stem}.qgs"))


@pytest.fixture(scope="module")
def written(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo project as a file."""
    path = tmp_path_factory.mktemp("qgis") / "staten.qgz"
    sandbox.project().to_qgis(path)
    return path


@pytest.fixture(scope="module")
def qgis(written: Path) -> ET.Element:
    return unpacked(written)


def layer(qgis: ET.Element, name: str) -> ET.Element:
    """The layer of a collection."""
    return next(found for found in qgis.iter("maplayer") if found.findtext("id") == f"{PROJECT}.{name}")


def rgb(color: str) -> str:
    """A colour `#rrggbb` as QGIS writes it."""
    return ",".join(str(part) for part in bytes.fromhex(color.removeprefix("#")))


def drawn(qgis: ET.Element, name: str, key: str) -> dict[str, tuple[str, str]]:
    """The label and a colour of each category of a layer."""
    renderer = layer(qgis, name).find("renderer-v2")
    assert renderer is not None and renderer.get("type") == "categorizedSymbol"
    colors = {
        symbol.get("name"): symbol.find(f"layer/Option/Option[@name='{key}']").get("value", "")  # type: ignore[union-attr]
        for symbol in renderer.iterfind("symbols/symbol")
    }
    categories = renderer.iterfind("categories/category")
    return {row.get("value", ""): (row.get("label", ""), colors[row.get("symbol")]) for row in categories}


# The file


def test_all_collections_but_the_context_are_layers(qgis: ET.Element, sandbox: Sandbox) -> None:
    """The context may have points, lines and polygons."""
    ogc = Ogc(sandbox)
    expected = {collection["id"] for collection in ogc.json("/collections")["collections"]} - {f"{PROJECT}.context"}
    sources = [found.findtext("datasource", "") for found in qgis.iter("maplayer")]
    assert {source.split("typename='")[1].split("'")[0] for source in sources} == expected
    assert all(f"url='{ogc.root}'" in source and "pagingEnabled='true'" in source for source in sources)
    assert {node.get("id") for node in qgis.iter("layer-tree-layer")} == {
        found.findtext("id") for found in qgis.iter("maplayer")
    }


def test_no_token_is_in_the_file(sandbox: Sandbox, tmp_path: Path) -> None:
    client = Client(sandbox.token("amara.okafor"), sandbox.url)
    for name in ("staten.qgz", "staten.qlr"):
        client.project("Staten Island").to_qgis(tmp_path / name)
        text = (tmp_path / name).read_bytes()
        if name.endswith("qgz"):
            text += zipfile.ZipFile(tmp_path / name).read("staten.qgs")
        for secret in (sandbox.token("amara.okafor"), "password", "username", "authcfg"):
            assert secret.encode() not in text


def test_titles_are_readable_and_groups_in_order(qgis: ET.Element, project: Project) -> None:
    tree = qgis.find("layer-tree-group")
    assert tree is not None
    groups = {group.get("name"): [node.get("name") for node in group] for group in tree}
    assert groups == {
        "Study area": ["Boundaries", "Constraints"],
        "Diagrams": [name + shapes for name in ("Diagrams", "Parts of diagrams") for shapes in SHAPES],
        "Designs": ["Designs" + shapes for shapes in SHAPES],
        "Selections": ["Selections" + shapes for shapes in SHAPES],
        "Evaluation maps": [f"Evaluation of {system['name']}" for system in project.systems()],
        "Maps of others": ["Layers"],
    }


@pytest.mark.parametrize("name", OF_DIAGRAMS)
def test_diagrams_have_the_colours_of_their_systems(qgis: ET.Element, project: Project, name: str) -> None:
    systems = project.systems()
    areas, lines = drawn(qgis, name, "color"), drawn(qgis, f"{name}_lines", "line_color")
    points = drawn(qgis, f"{name}_points", "color")
    assert set(areas) == set(lines) == set(points) == {*(str(system["id"]) for system in systems), ""}
    for system in systems:
        key, color = str(system["id"]), rgb(system["color"])
        assert areas[key] == (system["name"], f"{color},128")
        assert drawn(qgis, name, "outline_color")[key] == (system["name"], f"{color},255")
        assert lines[key] == points[key] == (system["name"], f"{color},255")


def test_points_are_a_layer_of_markers_and_a_policy_s_are_rings(qgis: ET.Element) -> None:
    points = layer(qgis, "diagrams_points")
    assert points.get("geometry") == "Point"
    assert "filter=\"geometry_type($geometry) = 'Point'\"" in points.findtext("datasource", "")
    marker = points.find("renderer-v2/symbols/symbol[@type='marker']/layer[@class='SimpleMarker']")
    assert marker is not None
    filled = marker.find(".//Option[@name='fillColor']/Option[@name='expression']")
    assert filled is not None and "'policy', '255,255,255,255'" in filled.get("value", "")


def test_evaluation_maps_have_the_colours_that_they_have_at_the_service(qgis: ET.Element, sandbox: Sandbox) -> None:
    found = {key: color for key, (_, color) in drawn(qgis, "evaluation-1", "color").items() if key}
    own = {row["properties"]["areatype"]: row["properties"]["color"] for row in Ogc(sandbox).items("evaluation-1")}
    # Yellow has a colour of its own there. Classes that the map does not have yet are prepared.
    assert own.keys() < CLASSES.keys() and not own.items() <= CLASSES.items()
    assert found == {key: f"{rgb(color)},255" for key, color in (CLASSES | own).items()}
    assert list(found) == list(CLASSES)


def test_forms_follow_the_schemas_of_the_service(qgis: ET.Element, sandbox: Sandbox) -> None:
    schema = Ogc(sandbox).json(f"/collections/{PROJECT}.diagrams/schema")["properties"]
    form = layer(qgis, "diagrams")
    editable = {field.get("name"): field.get("editable") == "1" for field in form.iterfind("editable/field")}
    assert editable == {name: not told.get("readOnly", False) for name, told in schema.items() if name != "geometry"}
    widgets = {
        field.get("name"): field.find("editWidget").get("type")  # type: ignore[union-attr]
        for field in form.iterfind("fieldConfiguration/field")
    }
    assert [widgets[name] for name in ("sysid", "type", "fundingtype")] == ["ValueMap"] * 3
    assert widgets["start_date"] == widgets["end_date"] == "DateTime"
    values = form.iterfind("fieldConfiguration/field[@name='sysid']//Option[@name='map']/Option/Option")
    systems = {option.get("name"): option.get("value") for option in values}
    assert systems == {system["name"]: str(system["id"]) for system in sandbox.project().systems()}
    # The service takes changes of diagrams alone.
    others = layer(qgis, "designs").iterfind("editable/field")
    assert {field.get("editable") for field in others} == {"0"}


def test_it_shows_the_study_area_in_its_utm_zone(qgis: ET.Element, project: Project) -> None:
    assert qgis.findtext("title") == "Staten Island 2050"
    assert qgis.findtext("projectCrs/spatialrefsys/authid") == "EPSG:32618"
    view = qgis.find("ProjectViewSettings/DefaultViewExtent")
    assert view is not None
    found = [float(view.get(name, "")) for name in ("xmin", "ymin", "xmax", "ymax")]
    bounds = project.study_area.bounds()
    assert bounds is not None
    to_utm = Transformer.from_crs(4326, 32618, always_xy=True)
    assert found == pytest.approx(to_utm.transform_bounds(*bounds, densify_pts=7), abs=0.01)


@given(st.floats(-179, 175), st.floats(-79, 78), st.floats(0.01, 4), st.floats(0.01, 4))
def test_bounds_in_a_utm_zone_are_those_of_proj(west: float, south: float, width: float, height: float) -> None:
    bounds = (west, south, west + width, south + height)
    zone = int((west + width / 2 + 180) // 6) + 1
    code = (32600 if south >= 0 else 32700) + zone
    to_utm = Transformer.from_crs(4326, code, always_xy=True)
    assert _projected_bounds(code, bounds) == pytest.approx(to_utm.transform_bounds(*bounds, densify_pts=7), abs=0.01)


def test_a_layer_definition_has_the_same_layers(qgis: ET.Element, sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.project().to_qgis(tmp_path / "staten.QLR")
    definition = ET.parse(tmp_path / "staten.QLR").getroot()
    assert definition.tag == "qlr"
    for part, of_project in (("layer-tree-group", "layer-tree-group"), ("maplayers", "projectlayers")):
        found, expected = definition.find(part), qgis.find(of_project)
        assert found is not None and expected is not None
        same = [ET.canonicalize(ET.tostring(child, "unicode"), strip_text=True) for child in expected]
        assert [ET.canonicalize(ET.tostring(child, "unicode"), strip_text=True) for child in found] == same
        assert len(same) > 5


def test_it_returns_nothing_as_other_writers(project: Project, tmp_path: Path) -> None:
    returned: object = project.to_qgis(tmp_path / "staten.qgz")  # type: ignore[func-returns-value]
    assert returned is None


def test_the_awaited_file_is_the_same(sandbox: Sandbox, written: Path, tmp_path: Path) -> None:
    path = tmp_path / "staten.qgz"
    asyncio.run(sandbox.async_client().project(PROJECT).to_qgis(path))
    assert path.read_bytes() == written.read_bytes()


def test_an_administrator_downloads_it_from_the_service(sandbox: Sandbox, written: Path, tmp_path: Path) -> None:
    address = f"{sandbox.url.removesuffix('api/v1/')}processes/{PROJECT}/qgis_project/"
    headers = {"Authorization": f"Token {sandbox.token('admin')}"}
    response = requests.get(address, headers=headers, timeout=60)
    assert response.status_code == 200, response.text
    path = tmp_path / f"{PROJECT}.qgz"
    path.write_bytes(response.content)
    with zipfile.ZipFile(written) as own, zipfile.ZipFile(path) as downloaded:
        assert downloaded.read(f"{PROJECT}.qgs") == own.read("staten.qgs")


def test_a_file_for_this_machine_only_says_so(project: Project, tmp_path: Path) -> None:
    for name in ("staten.qgz", "staten.qlr"):
        with pytest.warns(UserWarning, match=rf"{name} works on this machine only, because it leads to http://127"):
            project.to_qgis(tmp_path / name)


# Refusals


def test_a_service_without_the_api_is_refused(project: Project, sandbox: Sandbox, tmp_path: Path) -> None:
    with ReferenceService(content_of(sandbox)) as service, pytest.raises(InputError, match="has no OGC API"):
        Client("token", service.url).project(project.id).to_qgis(tmp_path / "staten.qgz")


@pytest.mark.parametrize("name", ["staten.qgs", "staten", "staten.gpkg"])
def test_another_ending_is_refused(project: Project, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"\.qgz \(a project of QGIS\) or \.qlr"):
        project.to_qgis(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_nothing_connects_to_an_archive(project: Project, tmp_path: Path) -> None:
    project.archive(tmp_path / "staten.zip")
    with pytest.raises(InputError, match="there is none for an archive"):
        pygeodesign.open(tmp_path / "staten.zip").to_qgis(tmp_path / "staten.qgz")
    assert not (tmp_path / "staten.qgz").exists()


def test_a_folder_that_is_not_there_is_named(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "maps" / "staten.qgz"
    with pytest.raises(OSError, match=r"staten\.qgz: there is no folder"):
        project.to_qgis(path)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_title_is_readable_xml(title: str) -> None:
    root = ET.Element("qgis", name=title)
    root.text = title
    ET.fromstring(document("qgis", root).partition(b"\n")[2])


@given(st.text(st.sampled_from("[%] 1+a")))
def test_no_name_is_an_expression(name: str) -> None:
    """A print layout evaluates expressions in `[% … %]`."""
    assert "[%" not in label(name)
    assert label(name).replace("\u2060", "") == name


# QGIS


@cache
def missing_qgis() -> str | None:
    """The reason why QGIS cannot be used."""
    try:
        run = subprocess.run([QGIS_PYTHON, "-c", "import qgis.core"], capture_output=True, text=True, timeout=30)
    except OSError as error:
        return str(error)
    return None if run.returncode == 0 else f"{QGIS_PYTHON} has no QGIS: {run.stderr.strip()[-200:]}"


def opened(path: Path, token: str, folder: Path) -> Any:
    """QGIS's report on a project."""
    if reason := missing_qgis():
        pytest.skip(reason)
    made = {kind: str(folder / f"a3.{kind}") for kind in ("png", "pdf")}
    settings = {"project": str(path), "qlr": str(path.with_suffix(".qlr")), "token": token} | made
    command = [QGIS_PYTHON, str(READER)]
    run = subprocess.run(command, input=json.dumps(settings), capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.slow
def test_qgis_opens_it(written: Path, sandbox: Sandbox, tmp_path: Path) -> None:
    ogc = Ogc(sandbox)
    sandbox.project().to_qgis(written.with_suffix(".qlr"))
    found = opened(written, ogc.token, tmp_path)
    assert (found["read"], found["title"], found["crs"]) == (True, "Staten Island 2050", "EPSG:32618")
    names = [name.removeprefix(f"{PROJECT}.") for name in found["layers"]]
    for name in names:
        told = found["layers"][f"{PROJECT}.{name}"]
        assert told["valid"], name
        collection, _, shapes = name.partition("_")
        assert not told["labels"]
        if name == collection:
            assert told["features"] == ogc.json(items_of(collection), limit=1)["numberMatched"], name
        else:
            kind = {"lines": "Line", "points": "Point"}[shapes]
            own = [row for row in ogc.items(collection) if row["geometry"] and kind in row["geometry"]["type"]]
            # The demo has no points.
            assert told["features"] == len(own) and (own or kind == "Point"), name
            assert not own or "Line" in told["kinds"]
        if collection in OF_DIAGRAMS:
            assert (told["label_field"], told["renderer"]["field"]) == ("description", "sysid")
            colors = {key: color for key, (_, color) in told["renderer"]["categories"].items() if key}
            systems = sandbox.project().systems()
            assert colors == {str(system["id"]): system["color"].lower() for system in systems}
            assert told["form"]["sysid"]["values"] == {system["name"]: str(system["id"]) for system in systems}
    form = found["layers"][f"{PROJECT}.diagrams"]["form"]
    assert {name for name, field in form.items() if not field["read_only"]} == {
        *("description", "type", "sysid", "fundingtype", "start_date", "end_date")
    }
    assert form["start_date"]["widget"] == "DateTime"
    shown = ("boundaries", "constraints", "diagrams", "diagrams_points", "diagrams_lines")
    assert set(found["shown"]) == {f"{PROJECT}.{name}" for name in shown}
    assert found["added"] == {told["name"]: "OAPIF" for told in found["layers"].values()}
    assert found["added_groups"][0] == "Study area"
    # Success, twice.
    assert (found["exported"], found["page"]) == ([0, 0], [420, 297])
    assert (tmp_path / "a3.png").stat().st_size > 100_000
    assert (tmp_path / "a3.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
def test_a_file_from_before_the_first_diagram_shows_later_ones(tmp_path: Path) -> None:
    with running_workshop() as workshop:
        project = workshop.project
        project.to_qgis(tmp_path / "lisbon.qgz")
        project.add_diagram(GREEN, shapely.box(-9.2, 38.7, -9.1, 38.75), title="Park")
        found = opened(tmp_path / "lisbon.qgz", Ogc(workshop.sandbox, ADMINISTRATOR).token, tmp_path)
    layers = {name.partition(".")[2]: told for name, told in found["layers"].items()}
    assert all(told["valid"] for told in layers.values())
    assert {name: told["features"] for name, told in layers.items() if told["features"]} == {"diagrams": 1, "parts": 1}
    assert set(layers["diagrams"]["renderer"]["categories"]) == {"1", "2", ""}
    assert layers["diagrams"]["form"]["sysid"]["values"] == {"Water": "1", "Green": "2"}
