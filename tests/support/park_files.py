"""Planners' files with parks."""

import json
from pathlib import Path

from small_project import BOUNDS

TITLE = "Staten Island 2050"


def write_parks(path: Path, **properties: object) -> None:
    west, south, *_ = BOUNDS
    parks = []
    for number, name in enumerate(("North park", "South park")):
        x, y = west + 0.02 + 0.02 * number, south + 0.02
        ring = [[x, y], [x + 0.01, y], [x + 0.01, y + 0.01], [x, y]]
        geometry = {"type": "Polygon", "coordinates": [ring]}
        parks.append({"type": "Feature", "properties": {"Name": name} | properties, "geometry": geometry})
    path.write_text(json.dumps({"type": "FeatureCollection", "features": parks}))
