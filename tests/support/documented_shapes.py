"""The documented shapes of the service's resources and responses, and a check that a JSON value has a shape.

A shape is a type, a regular expression for text, a predicate, a list of one shape, a `Choice`, or a dict of shapes.
A key of a dict may be absent if it is wrapped in `Maybe`; the value must not have other keys. `operations.json`
names the shapes of this module and the types of Python, or describes a shape with these names:
`{"id": "int", "diagrams": ["int"]}`, where a key that ends with `?` may be absent.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from shapely.geometry import LinearRing


class Maybe(NamedTuple):
    """A key that may be absent."""

    key: str


class Choice(NamedTuple):
    """A value that has any of these shapes."""

    shapes: tuple[Any, ...]


def named_shape(described: Any) -> Any:
    """The shape that `operations.json` describes."""
    if isinstance(described, dict):
        return {Maybe(key[:-1]) if key.endswith("?") else key: named_shape(inner) for key, inner in described.items()}
    if isinstance(described, list):
        return [named_shape(inner) for inner in described]
    return TYPES.get(described) or globals()[described]


TYPES = {"str": str, "int": int, "float": float, "dict": dict, "list": list}


def check(value: Any, shape: Any, path: str = "response") -> None:
    """Fails with the path of the first difference between a value and a shape."""
    if isinstance(shape, dict):
        assert isinstance(value, dict), f"{path} is {value!r}, not an object"
        required = {key for key in shape if isinstance(key, str)}
        allowed = required | {key.key for key in shape if isinstance(key, Maybe)}
        assert required <= value.keys() <= allowed, (
            f"{path}: missing {required - value.keys()}, unexpected {value.keys() - allowed}"
        )
        shapes = {key.key if isinstance(key, Maybe) else key: inner for key, inner in shape.items()}
        for key, inner in value.items():
            check(inner, shapes[key], f"{path}.{key}")
    elif isinstance(shape, list):
        assert isinstance(value, list), f"{path} is {value!r}, not an array"
        assert value, f"{path} is empty, so that nothing is shown of its items"
        for index, inner in enumerate(value):
            check(inner, shape[0], f"{path}[{index}]")
    elif isinstance(shape, re.Pattern):
        assert isinstance(value, str) and shape.fullmatch(value), f"{path} is {value!r}, not {shape.pattern}"
    elif isinstance(shape, Choice):
        assert any(accepts(value, inner) for inner in shape.shapes), f"{path} is {value!r}, none of {shape.shapes}"
    elif isinstance(shape, type):
        # For Python a boolean is an integer; for JSON it is not.
        fits = isinstance(value, (int, float) if shape is float else shape) and not isinstance(value, bool)
        assert fits, f"{path} is {value!r}, not {shape.__name__}"
    else:
        assert shape(value), f"{path} is {value!r}: {shape.__name__}"


def accepts(value: Any, shape: Any) -> bool:
    try:
        check(value, shape)
    except AssertionError:
        return False
    return True


def empty_list(value: Any) -> bool:
    """An empty array."""
    return isinstance(value, list) and not value


def null(value: Any) -> bool:
    return value is None


def boolean(value: Any) -> bool:
    return isinstance(value, bool)


def number(value: Any) -> bool:
    """A number that is written as an integer if it has no fraction, for programs with strict types."""
    return isinstance(value, int | float) and not isinstance(value, bool) and (isinstance(value, int) or value % 1 != 0)


WORD = re.compile(r"\S+")
SENTENCE = re.compile(r"[A-Z].+\.")
RESULT_PATH = re.compile(r"/api/v1/projects/[0-9A-Za-z]{16}/diagrams/\d+/thumbnail/[0-9a-f-]{36}/")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ID_16 = re.compile(r"[0-9A-Za-z]{16}")
COLOR = re.compile(r"#[0-9A-Fa-f]{6}")
RGB = re.compile(r"\d{1,3}, \d{1,3}, \d{1,3}")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
ISO_WITH_FRACTION = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+")
DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
HTTPS = re.compile(r"https://\S+")
DEGREES = r"-?\d{1,3}(\.\d+)?"
BOUNDS = re.compile(",".join([DEGREES] * 4))
CENTER = re.compile(",".join([DEGREES] * 2))
KIND = re.compile("project|policy")
WORD = re.compile(r"\S+")
SENTENCE = re.compile(r"[A-Z].+\.")
RESULT_PATH = re.compile(r"/api/v1/projects/[0-9A-Za-z]{16}/diagrams/\d+/thumbnail/[0-9a-f-]{36}/")
# The headers of every response; a project's content may be cached, to be revalidated with its ETag.
SECURITY_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "cross-origin",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
}
# Errors of writes also have the text in the operation's field.
DETAIL = {"detail": SENTENCE, Maybe("status"): SENTENCE, Maybe("message"): SENTENCE}

PROJECT: dict[Any, Any] = {
    "id": ID_16,
    "projecttitle": str,
    "projectdesc": str,
    "startdate": DATE,
    "projecttype": str,
    "external_connection": str,
    # Additions of this service.
    Maybe("currency"): str,
    Maybe("language"): str,
}
MEMBER = {"username": str}
STAKEHOLDER = {"id": UUID, "name": str}
PLUGIN = {"id": UUID, "description": str}
LAYER = {
    "id": int,
    "server_type": re.compile("esri|eorg|mapserver|geoserver|mapcentia-gc2|other"),
    "layer_type": re.compile(
        "WMS|XYZ|esri-(basemap|tilelayer|dynamicmaplayer|imagemaplayer|featurelayer)", re.IGNORECASE
    ),
    "url": HTTPS,
    "layer_name": str,
    "attribution": str,
    "display_name": str,
    "additional_metadata": dict,
}
LIMIT = {"name": re.compile("[a-z_]+"), "value": int, "unit": str, "description": SENTENCE}
HISTORY_ENTRY = {
    "id": int,
    "time": ISO_WITH_FRACTION,
    "username": Choice((str, null)),
    "operation": re.compile("[a-z_]+"),
    "subject": Choice((str, null)),
    "diagram": Choice((int, null)),
    "before": Choice((str, null)),
    "after": Choice((str, null)),
    "can_be_undone": boolean,
}
ORIGINS = {"origins": empty_list}
MERGED_THING = {
    "kind": str,
    "id": Choice((int, str)),
    "here": Choice((int, str, null)),
    "title": str,
    "fields": Choice(([str], empty_list)),
}
MERGE_REPORT = {
    "added": [MERGED_THING],
    "changed": Choice(([MERGED_THING], empty_list)),
    "removed": empty_list,
    "conflicts": empty_list,
    "left": Choice(([{"kind": str, "id": Choice((int, str)), "title": str, "reason": str}], empty_list)),
    "complete": boolean,
    "dry_run": boolean,
    "superseded_by": null,
}
VOTE = {"diagram": int, "username": str, "vote": int, "comment": str, "voted_at": ISO_WITH_FRACTION}
COMMENT = {
    "id": UUID,
    "author": str,
    "text": str,
    "created_at": ISO_WITH_FRACTION,
    "edited_at": Choice((ISO_WITH_FRACTION, null)),
    "diagram": Choice((int, null)),
    "design": Choice((str, null)),
    "place": Choice(([float], null)),
    "reply_to": Choice((UUID, null)),
    "resolved": boolean,
    "resolved_by": Choice((str, null)),
    "review": boolean,
    "asked": Choice(([str], empty_list)),
}
ACTIVITY = {"open": boolean, "closes_at": Choice((ISO_WITH_FRACTION, null)), "message": str}
JOINING_CODE = re.compile(r"[a-z2-9]{5}-[a-z2-9]{5}")
CARD_CODE = re.compile(r"[a-z2-9]{4}-[a-z2-9]{4}")
SECRET_ID, SECRET = re.compile(r"[0-9a-f]{16}"), re.compile(r"[0-9a-f]{40}")
SOMETIME = Choice((ISO_WITH_FRACTION, null))
ACCOUNT = {
    "username": str,
    "projects": Choice(([ID_16], empty_list)),
    "administers": Choice(([ID_16], empty_list)),
    "withdrawn": boolean,
}
TOKEN = {
    "id": SECRET_ID,
    "username": str,
    "issued_at": ISO_WITH_FRACTION,
    "expires_at": ISO_WITH_FRACTION,
    "last_used_at": SOMETIME,
    "on_card": boolean,
}
ISSUED_TOKEN = {"id": SECRET_ID, "username": str, "token": SECRET, "expires_at": ISO_WITH_FRACTION}
ISSUED_CARD = ISSUED_TOKEN | {"code": CARD_CODE}
CARD_HOLDER = {"username": str, "token": SECRET, "expires_at": ISO_WITH_FRACTION}
LINK = {
    "id": SECRET_ID,
    "title": str,
    "names": boolean,
    "created_at": ISO_WITH_FRACTION,
    "expires_at": ISO_WITH_FRACTION,
    "last_used_at": SOMETIME,
}
NEW_LINK = LINK | {"token": SECRET, "path": re.compile("/join/#[^:]+:[0-9a-f]{40}")}
WALK_INS = {
    "open": boolean,
    "closes_at": SOMETIME,
    "by_hand": boolean,
    "cteamid": Choice((int, null)),
    "admitted": int,
    "waiting": [{"username": str, "asked_at": ISO_WITH_FRACTION}],
}
WALKED_IN = {
    "username": str,
    "projectid": ID_16,
    "token": SECRET,
    "expires_at": ISO_WITH_FRACTION,
    "admitted": boolean,
}
ACTIVITIES = {
    "drawing": ACTIVITY,
    "selecting": ACTIVITY,
    "designing": ACTIVITY,
    "commenting": ACTIVITY,
    "votes_hidden": boolean,
    "drawings_shown": boolean,
}
TAG = {"id": UUID, "tag": str, "slug": str, "code": str, "diagrams": Choice(([int], empty_list))}
# The document shows fields with and without the prefix "sys"; the service sends both at once.
SYSTEM = {
    "id": int,
    "name": str,
    "sysname": str,
    "color": COLOR,
    "syscolor": COLOR,
    "verbose_description": str,
    "tag": str,
    "systag": str,
    "cost": number,
    "syscost": number,
    "budget": number,
    "sysbudget": number,
    "current_ha": number,
    "target_ha": number,
}
SUMMARY = {
    "id": int,
    "worlddescription": str,
    "author": str,
    "created_at": ISO_WITH_FRACTION,
    "rank": int,
    "sysid": int,
}
BUILDING_DATA = Choice(({}, {"storeys_above_ground": int, "storeys_below_ground": int}))
DIAGRAM_DETAILS = {
    "sysid": int,
    "rank": int,
    "id": int,
    "description": str,
    Maybe("type"): KIND,
    "length": number,
    "area": number,
    Maybe("fundingtype"): str,
    "cost_override": number,
    "cost_override_type": str,
    "building_data": BUILDING_DATA,
    "notes": str,
    "created_at": DATE_TIME,
    "start_date": DATE,
    "end_date": DATE,
    "additional_metadata": dict,
    "tag_codes": str,
    "flat_geobuf_url": str,
    "external_geometries": str,
}
VOLUME = {"min_height": float, "max_height": float}
DIAGRAM_PROPERTIES = {
    "areatype": KIND,
    "author": str,
    "color": COLOR,
    "diagramid": int,
    "sysid": int,
    "sysname": str,
    "systag": str,
    "volume_information": VOLUME,
    Maybe("position"): str,
}
SELECTION_PROPERTIES = DIAGRAM_PROPERTIES | {"description": str, "rgbcolor": RGB}
ATTRIBUTES = {
    "description": str,
    "author": str,
    "diagramid": int,
    "systag": str,
    "sysname": str,
    "grid_location": str,
    "areatype": KIND,
    "diagramtype": KIND,
    "fundingtype": str,
    "cost_override": number,
    "cost_override_type": str,
    "color": COLOR,
    "notes": str,
    "additional_metadata": dict,
    "volume_information": VOLUME,
    "tag_codes": re.compile(r"(\w+(\|\w+)*)?"),
    "start_date": DATE,
    "end_date": DATE,
    Maybe("sysid"): int,
}
BOUNDARY_PROPERTIES = {"areatype": re.compile("boundaries"), "bname": str}
CONSTRAINT_PROPERTIES = {"areatype": re.compile("constraints")}
EVALUATION_PROPERTIES = {"areatype": str, "color": COLOR}
TEAM = {"id": int, "title": str, Maybe("color"): COLOR}
DESIGN_DETAILS = {"description": str, "creationdate": ISO_WITH_FRACTION, "id": ID_16}
DESIGN = DESIGN_DETAILS | {"cteamid": int}
SESSION = {
    "session_id": UUID,
    Maybe("cteams"): [int],
    "moves": [{"diagram": int, "move": re.compile("accept|reject|swap"), "timestamp": ISO_WITH_FRACTION}],
}
ESRI_GEOMETRY = Choice(
    (
        {"rings": list, "spatialReference": {"wkid": int}},
        {"paths": list, "spatialReference": {"wkid": int}},
    )
)
ESRI_FEATURE = {"attributes": Choice((ATTRIBUTES, {"id": int})), "geometry": ESRI_GEOMETRY}


def collection(properties: Any) -> dict[str, Any]:
    """A FeatureCollection whose features have these properties."""
    feature = {"type": re.compile("Feature"), "properties": properties, "geometry": valid_geometry}
    return {"type": re.compile("FeatureCollection"), "features": [feature]}


def diagram(geojson: Any) -> dict[Any, Any]:
    return {"geojson": geojson} | DIAGRAM_DETAILS


def valid_geometry(geometry: Any) -> bool:
    """True if it is empty or valid by RFC 7946: closed rings, exteriors counter-clockwise, holes clockwise."""
    return geometry in EMPTY or (
        set(geometry) == {"type", "coordinates"} and VALID[geometry["type"]](geometry["coordinates"])
    )


EMPTY = [{"type": "GeometryCollection", "geometries": []}]


def _every(valid: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda items: isinstance(items, list) and bool(items) and all(valid(item) for item in items)


def _position(position: Any) -> bool:
    numbers = len(position) in (2, 3) and all(isinstance(number, int | float) for number in position)
    return numbers and -180 <= position[0] <= 180 and -90 <= position[1] <= 90


def _line(line: Any) -> bool:
    return len(line) > 1 and _every(_position)(line)


def _polygon(rings: Any) -> bool:
    closed = all(len(ring) > 3 and ring[0] == ring[-1] for ring in rings)
    turns = [LinearRing(ring).is_ccw for ring in rings]
    return _every(_line)(rings) and closed and turns == [True] + [False] * (len(rings) - 1)


VALID: dict[str, Callable[[Any], bool]] = {
    "Point": _position,
    "MultiPoint": _every(_position),
    "LineString": _line,
    "MultiLineString": _every(_line),
    "Polygon": _polygon,
    "MultiPolygon": _every(_polygon),
}


def timeline(value: Any) -> bool:
    """An object that maps diagram ids to periods."""
    return accepts(list(value.values()), [{"start": DATE, "end": DATE}])


# Responses that several operations have, or that consist of features.
MESSAGE = {"message": SENTENCE}
STATUS = {"status": SENTENCE}
ADDED_DIAGRAM = {
    "diagram_id": re.compile(r"\d+"),
    "grid_location": re.compile(r"[A-Z]+\d+"),
    "status": SENTENCE,
    Maybe("constraints"): {"area_ha": float, "length_km": float, "pieces": int, "share": float},
}
CONSTRAINTS = {
    "geojson": collection(CONSTRAINT_PROPERTIES),
    "sysid": int,
    "rank": int,
    "id": int,
    "description": str,
    "length": number,
    "area": number,
}
CONTEXT = {"geojson": collection({"kind": re.compile("place"), "name": str}), "description": str}
BOUNDARIES = {"geojson": collection(BOUNDARY_PROPERTIES), "description": str}
DIAGRAM = diagram(collection(DIAGRAM_PROPERTIES))
DIAGRAM_OR_EXTERNAL = diagram(Choice((collection(DIAGRAM_PROPERTIES), {"type": str, "features": empty_list})))
THUMBNAIL_JOB = {"message": SENTENCE, "results_url": RESULT_PATH}
SELECTION = collection(SELECTION_PROPERTIES)
SELECTED_PROJECTS = collection(SELECTION_PROPERTIES | {"areatype": re.compile("project")})
SELECTED_POLICIES = collection(SELECTION_PROPERTIES | {"areatype": re.compile("policy")})
EVALUATION = {"geojson": collection(EVALUATION_PROPERTIES), "sysid": int}
# Any properties are allowed.
IMPACT = {"geojson": collection({}), "sysid": int}
DESIGN_FEATURES = collection(ATTRIBUTES)

KNOWN_FIGURE = Choice((float, null))
SYSTEM_COST = {
    "sysid": int,
    "name": str,
    "color": COLOR,
    **dict.fromkeys(["diagrams", "projects", "policies", "unpriced", "without_rate"], int),
    **dict.fromkeys(["lines_at_area_rate", "points_at_area_rate", "pieces"], int),
    **dict.fromkeys(["area_ha", "length_km", "cost", "floor_m2"], float),
    **dict.fromkeys(["budget", "budget_left", "current_ha", "target_ha", "target_left_ha"], KNOWN_FIGURE),
    **dict.fromkeys(["budget_met", "target_met"], Choice((boolean, null))),
}
DIAGRAM_COST = {
    "diagramid": int,
    "sysid": int,
    "description": str,
    "kind": KIND,
    "area_source": re.compile("geometry|service|unknown"),
    "rate_source": re.compile("total|policy|override|system"),
    **dict.fromkeys(["area_ha", "length_km", "rate", "cost", "floor_above_m2", "floor_below_m2"], KNOWN_FIGURE),
    "pieces": Choice((int, null)),
    **dict.fromkeys(
        ["area_figure", "area_problem", "cost_problem", "geometry_problem", "file_problem"], Choice((str, null))
    ),
}
COSTS: dict[Any, Any] = {
    "project": str,
    "selection": Choice((str, null)),
    Maybe("currency"): str,
    "total": float,
    **dict.fromkeys(["unpriced", "without_rate", "lines_at_area_rate", "points_at_area_rate"], int),
    "systems": [SYSTEM_COST],
    "diagrams": [DIAGRAM_COST],
}
ON_CONSTRAINTS = {"area_ha": float, "length_km": float, "pieces": int, "share": float}
PREVIEW = {
    "faults": empty_list,
    "pieces": int,
    "constraints": ON_CONSTRAINTS,
    **dict.fromkeys(["area_ha", "length_km", "share_outside", "conflicts_ha"], float),
    **dict.fromkeys(["rate", "cost", "floor_m2"], KNOWN_FIGURE),
    "evaluation": [{"areatype": re.compile("red|yellow|green"), "area_ha": float, "length_km": float, "pieces": int}],
    "conflicts": Choice(([{"diagramid": int, "sysid": int, "description": str, "area_ha": float}], empty_list)),
    "good_land": Choice(([{"sysid": int, "area_ha": float, "impact": int}], empty_list)),
}
LAND_OF_DIAGRAMS = {
    "shared_ha": [float],
    "classes": [
        {
            "diagramid": int,
            **dict.fromkeys(["area_ha", "outside_ha", "outside_study_area_ha"], float),
            "evaluation": [{"areatype": re.compile("red|yellow|green"), "area_ha": float}],
        }
    ],
}
