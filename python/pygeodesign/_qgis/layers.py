"""The layers of a project in QGIS: collections of the service's OGC API, in groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from pygeodesign._qgis import symbols, xml
from pygeodesign._qgis.forms import add_form

# The kinds of collections, from the end of their ids, in the order of the groups from the top. The value is the group.
GROUPS = {
    "boundaries": "Study area",
    "constraints": "Study area",
    "diagrams": "Diagrams",
    "parts": "Diagrams",
    "designs": "Designs",
    "selections": "Selections",
    "evaluation": "Evaluation maps",
    "layers": "Maps of others",
}
# Layers that are visible at first.
SHOWN = {"boundaries", "constraints", "diagrams"}
# Collections of diagrams, whose points, lines and areas QGIS draws with different symbols.
OF_DIAGRAMS = {"diagrams", "parts", "designs", "selections"}
# In QGIS, the symbols of a categorized layer have one type. Layers above that of the areas, from the top, with their
# types and filters; a geometry of areas and lines is of neither type.
ABOVE_AREAS = {"points": ("Point", "= 'Point'"), "lines": ("Line", "NOT IN ('Polygon', 'Point')")}

# The position of a label in a polygon (`Qgis::LabelPlacement`).
HORIZONTAL = "4"


@dataclass(frozen=True)
class Collection:
    """A collection of the OGC API.

    Attributes:
        id: The service's id.
        kind: The kind: a key of `GROUPS`.
        title: Its title, without the project's.
        properties: Its properties as JSON Schema.
        colors: For an evaluation map, the colours of its classes there.
    """

    id: str
    kind: str
    title: str
    properties: Mapping[str, Any]
    colors: Mapping[str, str]


@dataclass(frozen=True)
class Layer:
    """A layer: a collection, or its `points` or `lines`."""

    collection: Collection
    shapes: str = ""

    @property
    def id(self) -> str:
        return f"{self.collection.id}_{self.shapes}" if self.shapes else self.collection.id

    @property
    def name(self) -> str:
        title = self.collection.title
        return xml.label(f"{title}: {self.shapes}" if self.shapes else title)

    @property
    def geometry(self) -> str:
        return "No geometry" if self.collection.kind == "layers" else ABOVE_AREAS.get(self.shapes, ("Polygon",))[0]

    @property
    def is_shown(self) -> bool:
        return self.collection.kind in SHOWN

    def source(self, root: str) -> str:
        """The source for the provider OAPIF; without a name and a password, which QGIS asks for."""
        parts = ["pagingEnabled='true'", "restrictToRequestBBOX='1'", "preferCoordinatesForWfsT11='false'"]
        address = root.replace("'", "%27")
        parts += [f"typename='{self.collection.id}'", f"url='{address}'", "version='OGC_API_FEATURES'"]
        if self.shapes:
            parts.append(f'filter="geometry_type($geometry) {ABOVE_AREAS[self.shapes][1]}"')
        return " ".join(parts)


def layers_of(collections: Iterable[Collection]) -> list[Layer]:
    """The layers, from the top."""
    order = list(GROUPS)
    layers = []
    for collection in sorted(collections, key=lambda collection: order.index(collection.kind)):
        if collection.kind in OF_DIAGRAMS:
            layers += [Layer(collection, shapes) for shapes in ABOVE_AREAS]
        layers.append(Layer(collection))
    return layers


def add_tree(parent: Element, layers: Iterable[Layer], root: str) -> None:
    """The groups, as the panel of QGIS shows them. Only one evaluation map is visible at a time."""
    tree = SubElement(parent, "layer-tree-group", name="", expanded="1", checked="Qt::Checked")
    groups: dict[str, Element] = {}
    for layer in layers:
        name = GROUPS[layer.collection.kind]
        checked = "Qt::Checked" if layer.is_shown else "Qt::Unchecked"
        if name not in groups:
            groups[name] = SubElement(tree, "layer-tree-group", name=name, checked="Qt::Checked")
            groups[name].set("expanded", str(int(layer.is_shown)))
            if layer.collection.kind == "evaluation":
                groups[name].set("mutually-exclusive", "1")
                groups[name].set("mutually-exclusive-child", "-1")
        node = SubElement(groups[name], "layer-tree-layer", id=layer.id, name=layer.name, checked=checked)
        node.set("expanded", str(int(layer.collection.kind == "diagrams" and not layer.shapes)))
        node.set("providerKey", "OAPIF")
        node.set("source", layer.source(root))


def add_layers(parent: Element, layers: Iterable[Layer], root: str, systems: list[tuple[int, str, str]]) -> None:
    """Adds the layers, their contents and their style.

    Args:
        parent: The element to add to.
        layers: The layers.
        root: The root of the OGC API.
        systems: Id, name and colour of each system.
    """
    names = {sysid: name for sysid, name, _ in systems}
    by_system = symbols.of_systems(systems)
    for layer in layers:
        kind = layer.collection.kind
        element = SubElement(parent, "maplayer", type="vector", geometry=layer.geometry, labelsEnabled="0")
        SubElement(element, "id").text = layer.id
        SubElement(element, "datasource").text = layer.source(root)
        SubElement(element, "layername").text = layer.name
        SubElement(element, "provider", encoding="UTF-8").text = "OAPIF"
        xml.crs(SubElement(element, "srs"), 4326)
        if kind in OF_DIAGRAMS:
            symbols.categorized(element, "sysid", by_system, layer.shapes or "systems")
            _labels(element)
        elif kind == "evaluation":
            symbols.categorized(element, "areatype", symbols.of_classes(layer.collection.colors), "classes")
        elif kind == "boundaries":
            symbols.outline(element)
        elif kind == "constraints":
            symbols.hatched(element)
        # The service accepts changes of diagrams only.
        add_form(element, layer.collection.properties, names, editable=kind == "diagrams")


def _labels(layer: Element) -> None:
    """Labels with the diagrams' titles, which you can switch on in the layer's properties."""
    settings = SubElement(SubElement(layer, "labeling", type="simple"), "settings", calloutType="simple")
    text = xml.text_style(settings, 9)
    text.set("fieldName", "description")
    text.set("isExpression", "0")
    buffer = {"bufferDraw": "1", "bufferSize": "0.8", "bufferSizeUnits": "MM", "bufferColor": "255,255,255,255"}
    SubElement(text, "text-buffer", buffer, bufferOpacity="0.8")
    SubElement(settings, "placement", placement=HORIZONTAL, priority="5")
