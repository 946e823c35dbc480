"""Opens a project in QGIS, and reports how QGIS reads it. It runs in QGIS's Python, which may be an older one.

Reads a JSON object from standard input: the `project` (a file), the `token`, and the files of the print layout (`png`,
`pdf`).
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

os.environ["QT_QPA_PLATFORM"] = "offscreen"
# QGIS keeps settings and a cache in the home folder.
os.environ["HOME"] = tempfile.mkdtemp()

from qgis.core import (  # type: ignore[import-not-found]
    QgsApplication,
    QgsLayerDefinition,
    QgsLayoutExporter,
    QgsProject,
    QgsWkbTypes,
)


def with_token(path: str, token: str) -> str:
    """A copy of the project with the token in each source, which a user types when QGIS asks."""
    copy = Path(tempfile.mkdtemp()) / "project.qgs"
    with zipfile.ZipFile(path) as packed:
        (name,) = packed.namelist()
        text = packed.read(name).decode("utf-8")
    version = "version='OGC_API_FEATURES'"
    copy.write_text(text.replace(version, f"{version} username='anybody' password='{token}'"), encoding="utf-8")
    return str(copy)


def renderer_of(layer: Any) -> dict[str, Any]:
    renderer = layer.renderer()
    if renderer is None or renderer.type() != "categorizedSymbol":
        return {"type": renderer and renderer.type()}
    colors = {str(row.value()): [row.label(), row.symbol().color().name()] for row in renderer.categories()}
    return {"type": renderer.type(), "field": renderer.classAttribute(), "categories": colors}


def form_of(layer: Any) -> dict[str, Any]:
    form = layer.editFormConfig()
    fields = {}
    for place, field in enumerate(layer.fields()):
        setup = layer.editorWidgetSetup(place)
        values = {text: value for row in setup.config().get("map", []) for text, value in row.items()}
        fields[field.name()] = {"widget": setup.type(), "values": values, "read_only": form.readOnly(place)}
    return fields


def told_of(layer: Any) -> dict[str, Any]:
    features = list(layer.getFeatures()) if layer.isValid() else []
    kinds = {QgsWkbTypes.geometryDisplayString(feature.geometry().type()) for feature in features}
    return {
        "name": layer.name(),
        "valid": layer.isValid(),
        "features": len(features),
        "kinds": sorted(kinds),
        "labels": layer.labelsEnabled(),
        "label_field": layer.labeling().settings().fieldName if layer.labeling() else None,
        "display": layer.displayExpression(),
        "renderer": renderer_of(layer),
        "form": form_of(layer),
    }


def main() -> None:
    settings = json.load(sys.stdin)
    application = QgsApplication([], False)
    application.initQgis()
    project = QgsProject.instance()
    read = project.read(with_token(settings["project"], settings["token"]))
    layers = {key: told_of(layer) for key, layer in project.mapLayers().items()}
    view = project.viewSettings().defaultViewExtent()
    layout = project.layoutManager().layoutByName("A3")
    exporter = QgsLayoutExporter(layout)
    image = QgsLayoutExporter.ImageExportSettings()
    image.dpi = 100
    exported = [exporter.exportToImage(settings["png"], image)]
    exported.append(exporter.exportToPdf(settings["pdf"], QgsLayoutExporter.PdfExportSettings()))
    page = layout.pageCollection().page(0).pageSize()
    told = {
        "read": read,
        "title": project.title(),
        "crs": project.crs().authid(),
        "extent": [view.xMinimum(), view.yMinimum(), view.xMaximum(), view.yMaximum()],
        "shown": [layer.id() for layer in project.layerTreeRoot().checkedLayers()],
        "layers": layers,
        "exported": [int(status) for status in exported],
        "page": [page.width(), page.height()],
    }
    added = QgsProject()
    QgsLayerDefinition.loadLayerDefinition(settings["qlr"], added, added.layerTreeRoot())
    told["added"] = {layer.name(): layer.providerType() for layer in added.mapLayers().values()}
    told["added_groups"] = [group.name() for group in added.layerTreeRoot().findGroups()]
    print("\n" + json.dumps(told))


main()
