"""The shape of each operation's response, by its name in `operations.json`."""

import re
from typing import Any

from documented_shapes import (
    ATTRIBUTES,
    BOUNDARY_PROPERTIES,
    BOUNDS,
    CENTER,
    CONSTRAINT_PROPERTIES,
    DATE,
    DESIGN,
    DESIGN_DETAILS,
    DIAGRAM_DETAILS,
    DIAGRAM_PROPERTIES,
    ESRI_FEATURE,
    EVALUATION_PROPERTIES,
    HISTORY_ENTRY,
    ID_16,
    LAYER,
    LIMIT,
    MEMBER,
    PLUGIN,
    PROJECT,
    SELECTION_PROPERTIES,
    SESSION,
    STAKEHOLDER,
    SUMMARY,
    SYSTEM,
    SYSTEM_ITEM,
    TAG,
    TEAM,
    Choice,
    accepts,
    collection,
    diagram,
    empty_list,
    number,
)

SENTENCE = re.compile(r"[A-Z].+\.")
RESULT_PATH = re.compile(r"/api/v1/projects/[0-9A-Za-z]{16}/diagrams/\d+/thumbnail/[0-9a-f-]{36}/")


def timeline(value: Any) -> bool:
    """An object that maps diagram ids to periods."""
    return accepts(list(value.values()), [{"start": DATE, "end": DATE}])


RESPONSES: dict[str, Any] = {
    # Responses to writes
    "MESSAGE": {"message": SENTENCE},
    "STATUS": {"status": SENTENCE},
    "ADDED_DIAGRAM": {
        "diagram_id": re.compile(r"\d+"),
        "grid_location": re.compile(r"[A-Z]+\d+"),
        "status": SENTENCE,
    },
    # Projects
    "PROJECT": PROJECT,
    "LIMITS": [LIMIT],
    "HISTORY": [HISTORY_ENTRY],
    "PROJECTS": [PROJECT],
    "MEMBERS": {"members": [MEMBER]},
    "STAKEHOLDERS": {"stakeholders": [STAKEHOLDER]},
    "PROJECT_BOUNDS": {"bounds": BOUNDS},
    "PROJECT_CENTER": {"center": CENTER},
    "PLUGINS": [PLUGIN],
    "CONSTRAINTS": {
        "geojson": collection(CONSTRAINT_PROPERTIES),
        "sysid": int,
        "rank": int,
        "id": int,
        "description": str,
        "length": number,
        "area": number,
    },
    "BOUNDARIES": {"geojson": collection(BOUNDARY_PROPERTIES), "description": str},
    "NEGOTIATIONS": {"all_negotiations": [SESSION]},
    "LAYERS": [LAYER],
    "TAGS": [TAG],
    # Diagrams
    "SUMMARIES": [SUMMARY],
    "DIAGRAM": diagram(collection(DIAGRAM_PROPERTIES)),
    "DIAGRAMS": [diagram(Choice((collection(DIAGRAM_PROPERTIES), {"type": str, "features": empty_list})))],
    "ALL_DETAILS": [DIAGRAM_DETAILS],
    "DIAGRAM_IDS": {"diagrams": [int]},
    "DESIGN_DIAGRAM_IDS": {"synthesisid": ID_16, "diagrams": [int]},
    "NOTE": {"id": str, "notes": str},
    "PROJECT_CHANGE_ID": {"changeid": re.compile(r"\S+")},
    "CHANGE_HASH": {"changehash": re.compile(r"\S+")},
    "THUMBNAIL_JOB": {"message": SENTENCE, "results_url": RESULT_PATH},
    "THUMBNAIL_JOBS": {"message": SENTENCE, "results_url": [RESULT_PATH]},
    "SELECTION": collection(SELECTION_PROPERTIES),
    "SELECTED_PROJECTS": collection(SELECTION_PROPERTIES | {"areatype": re.compile("project")}),
    "SELECTED_POLICIES": collection(SELECTION_PROPERTIES | {"areatype": re.compile("policy")}),
    # Systems
    "SYSTEM": SYSTEM,
    "SYSTEMS": [SYSTEM_ITEM],
    "EVALUATION": {"geojson": collection(EVALUATION_PROPERTIES), "sysid": int},
    # Change teams
    "TEAMS": [TEAM],
    "TEAM_MEMBERS": {"members": [str]},
    "DESIGNS": {"synthesis": [DESIGN]},
    "DESIGN_DETAILS": DESIGN_DETAILS,
    "DESIGN_FEATURES": collection(ATTRIBUTES),
    "ESRI_FEATURES": [ESRI_FEATURE],
    "TIMELINE": {"timeline": timeline},
    "BOARD_TIMELINE": {"timeline_data": [{"id": int, "start": DATE, "end": DATE}]},
}
