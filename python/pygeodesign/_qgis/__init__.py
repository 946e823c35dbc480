"""A QGIS project, or its layer definition: `Project.to_qgis`."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement

from pygeodesign._core import Project, _ogc, _projected_bounds
from pygeodesign._qgis import xml
from pygeodesign._qgis.layers import GROUPS, Collection, add_layers, add_tree, layers_of
from pygeodesign._qgis.layout import add_layout
from pygeodesign.errors import InputError, NotFoundError

# The QGIS version whose project format is written; later ones read it.
VERSION = "3.22.0"
# For a project without a study area.
WEB_MERCATOR, WORLD = 3857, [-180.0, -60.0, 180.0, 75.0]
# Reference systems of WGS 84 in degrees, and UTM zones, by their codes.
UTM = (*range(32601, 32661), *range(32701, 32761))
# The time of files in the zip, constant so that a project gives the same file again.
ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def content(project: Project, path: Path) -> bytes:
    """The contents of the file: a zip with a `.qgs` for `.qgz`, or a layer definition for `.qlr`."""
    ending = path.suffix.lower()
    if ending not in (".qgz", ".qlr"):
        raise InputError(
            f"{path}: choose the ending .qgz (a project of QGIS) or .qlr (a layer definition file, to add to a project)"
        )
    if project._archived_at() is not None:
        raise InputError(
            "QGIS reads a project from its service, and there is none for an archive: use the project of a Client or a "
            'Sandbox, or write its data with diagrams().to_file("diagrams.gpkg")'
        )
    # This request comes first: it finds a project by its title, or fails if there is none.
    project.info()
    root, listed = _collections(project)
    if urlsplit(root).hostname in ("localhost", "127.0.0.1", "::1"):
        warnings.warn(
            f"{path} works on this machine only, because it leads to {root}: for others, connect to the "
            'address that they use, such as Client(token, "https://workshop.local:8443")',
            stacklevel=2,
        )
    described = [(told, _properties(project, told)) for told in listed]
    return file_of(project, root, described, ending, path.stem)


def file_of(
    project: Project, root: str, described: list[tuple[dict[str, Any], dict[str, Any]]], ending: str, name: str
) -> bytes:
    """The file for a service's description of its collections.

    Args:
        project: The project, which may come from an archive.
        root: The root of the OGC API.
        described: Each collection of the project as the API lists it, and its properties as JSON Schema.
        ending: `.qgz` or `.qlr`.
        name: The name of the project in a `.qgz`.
    """
    title = project.info()["projecttitle"] or ""
    systems = [(system["id"], system["name"], system["color"]) for system in project.systems()]
    known = [(told, properties) for told, properties in described if _kind(told) in GROUPS]
    layers = layers_of(_collection(project, title, told, properties) for told, properties in known)
    if ending == ".qlr":
        definition = Element("qlr")
        add_tree(definition, layers, root)
        add_layers(SubElement(definition, "maplayers"), layers, root, systems)
        return xml.document("qgis-layer-definition", definition)
    epsg, extent = _reference_system([told for told, _ in described])
    qgis = Element("qgis", version=VERSION, projectname=title)
    SubElement(qgis, "title").text = title
    xml.crs(SubElement(qgis, "projectCrs"), epsg)
    add_tree(qgis, layers, root)
    canvas = SubElement(qgis, "mapcanvas", name="theMapCanvas")
    SubElement(canvas, "units").text = "meters"
    corners = SubElement(canvas, "extent")
    for corner, value in zip(("xmin", "ymin", "xmax", "ymax"), extent, strict=True):
        SubElement(corners, corner).text = repr(value)
    xml.crs(SubElement(canvas, "destinationsrs"), epsg)
    add_layers(SubElement(qgis, "projectlayers"), layers, root, systems)
    _add_properties(qgis)
    # The legend shows those of the layers that are on the map.
    legend = [(layer.id, layer.name) for layer in layers if layer.collection.kind != "layers"]
    add_layout(SubElement(qgis, "Layouts"), epsg, extent, legend)
    xml.crs(xml.bounds(SubElement(qgis, "ProjectViewSettings"), "DefaultViewExtent", extent), epsg)
    return _zipped(f"{name}.qgs", xml.document("qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'", qgis))


def _collections(project: Project) -> tuple[str, list[dict[str, Any]]]:
    """The root of the OGC API, and its collections of this project."""
    try:
        root, listed = _ogc(project, "/collections")
        told = json.loads(listed)["collections"]
    except (NotFoundError, ValueError, KeyError) as error:
        raise InputError(
            'the service has no OGC API for QGIS to read from; write the data with diagrams().to_file("diagrams.gpkg")'
        ) from error
    prefix = f"{project.id}."
    own = [row for row in told if row["id"].startswith(prefix)]
    if not own:
        raise InputError(f"the OGC API of the service has no collection of project {project.id}")
    return root, own


def _kind(described: dict[str, Any]) -> str:
    """The kind of a collection: `evaluation` for `ID.evaluation-5`."""
    name: str = described["id"].partition(".")[2]
    return name.partition("-")[0]


def _properties(project: Project, described: dict[str, Any]) -> dict[str, Any]:
    """The properties of a collection as JSON Schema."""
    _, schema = _ogc(project, f"/collections/{described['id']}/schema")
    properties: dict[str, Any] = json.loads(schema)["properties"]
    return properties


def _collection(
    project: Project, project_title: str, described: dict[str, Any], properties: dict[str, Any]
) -> Collection:
    """A collection, its title without the project's, which all layers have in common."""
    title: str = described["title"].removeprefix(f"{project_title}: ")
    kind = _kind(described)
    colors: dict[str, str] = {}
    if kind == "evaluation":
        rows = project.system(int(described["id"].rpartition("-")[2])).evaluation()
        for of_row in (row["properties"] for row in rows):
            colors.setdefault(of_row["areatype"], of_row["color"])
    return Collection(described["id"], kind, title[:1].upper() + title[1:], properties, colors)


def _reference_system(described: list[dict[str, Any]]) -> tuple[int, list[float]]:
    """The UTM zone that the service names for the study area, and its extent in it."""
    for told in described:
        codes = [int(uri.rpartition("/")[2]) for uri in told.get("crs", []) if uri.rpartition("/")[2].isdecimal()]
        zones = [code for code in codes if code in UTM]
        if zones and "extent" in told:
            return zones[0], _projected_bounds(zones[0], told["extent"]["spatial"]["bbox"][0])
    return WEB_MERCATOR, _projected_bounds(WEB_MERCATOR, WORLD)


def _add_properties(qgis: Element) -> None:
    """Measures on the ellipsoid, and reprojection."""
    properties = SubElement(qgis, "properties")
    measure = SubElement(properties, "Measure")
    SubElement(measure, "Ellipsoid", type="QString").text = "EPSG:7030"
    units = SubElement(properties, "Measurement")
    SubElement(units, "AreaUnits", type="QString").text = "ha"
    SubElement(units, "DistanceUnits", type="QString").text = "km"
    SubElement(SubElement(properties, "SpatialRefSys"), "ProjectionsEnabled", type="int").text = "1"


def _zipped(name: str, text: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        entry = zipfile.ZipInfo(name, ZIP_TIME)
        entry.external_attr = 0o644 << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, text)
    return packed.getvalue()
