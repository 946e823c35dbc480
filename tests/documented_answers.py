"""What each operation answers, by the names that the table of operations calls it."""

import re
from typing import Any

from documented_shapes import (
    ATTRIBUTES,
    BOUNDS,
    CENTER,
    DATE,
    DESIGN,
    DESIGN_DETAILS,
    DIAGRAM_DETAILS,
    ESRI_FEATURE,
    ID_16,
    LAYER,
    MEMBER,
    OF_BOUNDARY,
    OF_CONSTRAINT,
    OF_DIAGRAM,
    OF_EVALUATION,
    OF_SELECTION,
    PLUGIN,
    PROJECT,
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
    nothing,
    number,
)

SENTENCE = re.compile(r"[A-Z].+\.")
RESULT_PATH = re.compile(r"/api/v1/projects/[0-9A-Za-z]{16}/diagrams/\d+/thumbnail/[0-9a-f-]{36}/")


def timeline(value: Any) -> bool:
    """A period for each diagram, by its id."""
    return accepts(list(value.values()), [{"start": DATE, "end": DATE}])


ANSWERS: dict[str, Any] = {
    # Every write says something
    "MESSAGE": {"message": SENTENCE},
    "STATUS": {"status": SENTENCE},
    "ADDED_DIAGRAM": {
        "diagram_id": re.compile(r"\d+"),
        "grid_location": re.compile(r"[A-Z]+\d+"),
        "status": SENTENCE,
    },
    # Projects
    "PROJECT": PROJECT,
    "PROJECTS": [PROJECT],
    "MEMBERS": {"members": [MEMBER]},
    "STAKEHOLDERS": {"stakeholders": [STAKEHOLDER]},
    "PROJECT_BOUNDS": {"bounds": BOUNDS},
    "PROJECT_CENTER": {"center": CENTER},
    "PLUGINS": [PLUGIN],
    "CONSTRAINTS": {
        "geojson": collection(OF_CONSTRAINT),
        "sysid": int,
        "rank": int,
        "id": int,
        "description": str,
        "length": number,
        "area": number,
    },
    "BOUNDARIES": {"geojson": collection(OF_BOUNDARY), "description": str},
    "NEGOTIATIONS": {"all_negotiations": [SESSION]},
    "LAYERS": [LAYER],
    "TAGS": [TAG],
    # Diagrams
    "SUMMARIES": [SUMMARY],
    "DIAGRAM": diagram(collection(OF_DIAGRAM)),
    "DIAGRAMS": [diagram(Choice((collection(OF_DIAGRAM), {"type": str, "features": nothing})))],
    "ALL_DETAILS": [DIAGRAM_DETAILS],
    "DIAGRAM_IDS": {"diagrams": [int]},
    "DESIGN_DIAGRAM_IDS": {"synthesisid": ID_16, "diagrams": [int]},
    "NOTE": {"id": str, "notes": str},
    "CHANGE_HASH": {"changehash": re.compile(r"\S+")},
    "THUMBNAIL_JOB": {"message": SENTENCE, "results_url": RESULT_PATH},
    "THUMBNAIL_JOBS": {"message": SENTENCE, "results_url": [RESULT_PATH]},
    "SELECTION": collection(OF_SELECTION),
    "SELECTED_PROJECTS": collection(OF_SELECTION | {"areatype": re.compile("project")}),
    "SELECTED_POLICIES": collection(OF_SELECTION | {"areatype": re.compile("policy")}),
    # Systems
    "SYSTEM": SYSTEM,
    "SYSTEMS": [SYSTEM_ITEM],
    "EVALUATION": {"geojson": collection(OF_EVALUATION), "sysid": int},
    # Change teams
    "TEAMS": [TEAM],
    "TEAM_MEMBERS": {"members": [str]},
    "DESIGNS": {"synthesis": [DESIGN]},
    "DESIGN_DETAILS": DESIGN_DETAILS,
    "DESIGN_FEATURES": collection(ATTRIBUTES),
    "ESRI_FEATURES": [ESRI_FEATURE],
    "TIMELINE": {"timeline": timeline},
}
