"""The form of a feature in QGIS, from the service's description of its properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from pygeodesign._qgis.xml import options

# A form's names of properties; any other has its own name.
TITLES = {
    "description": "Title",
    "sysid": "System",
    "type": "Kind",
    "fundingtype": "Funding",
    "start_date": "First day",
    "end_date": "Last day",
    "notes": "Notes",
    "cost": "Cost",
    "area_ha": "Hectares",
    "length_km": "Kilometres",
    "pieces": "Pieces",
}
VALUES = {"public_private": "public and private"}


def add_form(layer: Element, schema: Mapping[str, Any], systems: Mapping[int, str], editable: bool) -> None:
    """Adds the form to a layer.

    Args:
        layer: The `maplayer`.
        schema: The properties of the collection, by name, as JSON Schema.
        systems: The names of the systems, by id.
        editable: True if features can be changed at all. Properties that the service sets never can.
    """
    fields = {name: told for name, told in schema.items() if "x-ogc-role" not in told or "type" in told}
    configured = SubElement(layer, "fieldConfiguration")
    for name, told in fields.items():
        kind, settings = _widget(name, told, systems)
        widget = SubElement(SubElement(configured, "field", name=name), "editWidget", type=kind)
        options(SubElement(widget, "config"), settings)
    aliases, editables = SubElement(layer, "aliases"), SubElement(layer, "editable")
    for number, (name, told) in enumerate(fields.items()):
        SubElement(aliases, "alias", field=name, index=str(number), name=TITLES.get(name, ""))
        changes = editable and not told.get("readOnly", False)
        SubElement(editables, "field", name=name, editable=str(int(changes)))
    SubElement(layer, "editorlayout").text = "generatedlayout"
    if "description" in fields:
        SubElement(layer, "previewExpression").text = '"description"'


def _widget(name: str, told: Mapping[str, Any], systems: Mapping[int, str]) -> tuple[str, dict[str, Any]]:
    """The widget of a property, and its settings."""
    if name == "sysid":
        return "ValueMap", _value_map((system, str(sysid)) for sysid, system in systems.items())
    if "enum" in told:
        return "ValueMap", _value_map((VALUES.get(value, value), value) for value in told["enum"])
    match told.get("type"), told.get("format"):
        case _, "date":
            return "DateTime", _date("yyyy-MM-dd")
        case _, "date-time":
            return "DateTime", _date("yyyy-MM-dd HH:mm:ss")
        case "boolean", _:
            return "CheckBox", {}
        case _:
            return "TextEdit", {"IsMultiline": name == "notes", "UseHtml": False}


def _value_map(values: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The displayed texts and their values; two systems may have the same name."""
    return {"map": [{text: value} for text, value in values]}


def _date(form: str) -> dict[str, Any]:
    return {
        "display_format": form,
        "field_format": form,
        "field_format_overwrite": False,
        "allow_null": True,
        "calendar_popup": True,
    }
