"""Programs that the service runs in Python for its pages: reading GIS files, weighing maps, writing reports.

`python -m pygeodesign._processes PROGRAM FOLDER` reads its settings and its input from the folder, writes the file
`output` there, and reports a refusal in `said.json`. The service starts each in its own process and
ends it in time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pygeodesign._reading.child import limit_memory
from pygeodesign.errors import GeodesignError, InputError

# Libraries that a program needs in addition to the package.
LIBRARIES = {
    "read_map": ("geopandas", "pyarrow", "pyogrio"),
    "weigh_maps": ("geopandas",),
    "report": ("geopandas", "matplotlib"),
    "workbook": ("xlsxwriter",),
    "cost_page": (),
    "qgis_project": (),
}


def offered() -> list[str]:
    """The names of the programs whose libraries are installed."""
    return [name for name, libraries in LIBRARIES.items() if all(map(find_spec, libraries))]


def read_map(folder: Path, settings: dict[str, Any]) -> None:
    """Writes the features of a file as GeoJSON in WGS 84, or the names of its layers if it has several."""
    from pygeodesign._reading.table import SeveralLayersError, read_file

    (path,) = folder.glob("input*")
    try:
        # Under the sender's name.
        content = read_file(path, settings["layer"], settings["name"]).geojson()
    except SeveralLayersError as several:
        content = json.dumps({"layers": several.layers})
    (folder / "output").write_text(content)


def weigh_maps(folder: Path, settings: dict[str, Any]) -> None:
    """Writes the evaluation map of several maps, which come with their weights."""
    from pygeodesign.planning import weigh_maps

    try:
        request = json.loads((folder / "input.json").read_bytes())
        maps = {layer["name"]: frame_of(layer["features"]) for layer in request["maps"]}
        weights = {layer["name"]: float(layer["weight"]) for layer in request["maps"]}
        excluding = [layer["name"] for layer in request["maps"] if layer["excludes"]]
        area = frame_of(request["area"]) if request["area"] else None
    # For requests that do not come from our pages.
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise InputError(f"the maps to weigh cannot be read: {problem!r}") from problem
    weighed = weigh_maps(maps, weights, excluding=excluding, area=area)
    (folder / "output").write_text(weighed.to_json(drop_id=True))


def frame_of(features: list[dict[str, Any]]) -> Any:
    import geopandas

    return geopandas.GeoDataFrame.from_features(features, crs="EPSG:4326")


def report(folder: Path, settings: dict[str, Any]) -> None:
    """Writes the report that compares the latest designs of the teams."""
    project = _opened(folder)
    project.compare(land=_counted_land(project)).to_html(folder / "output")


def workbook(folder: Path, settings: dict[str, Any]) -> None:
    """Writes the costs of all diagrams as a workbook for spreadsheets."""
    project, target = _opened(folder), folder / "output.xlsx"
    project.costs(land=_counted_land(project)).to_excel(target)
    target.rename(folder / "output")


def cost_page(folder: Path, settings: dict[str, Any]) -> None:
    """Writes the costs of all diagrams as a page."""
    project = _opened(folder)
    project.costs(land=_counted_land(project)).to_html(folder / "output")


def qgis_project(folder: Path, settings: dict[str, Any]) -> None:
    """Writes a QGIS project that reads the service at the address of the request."""
    from pygeodesign._qgis import file_of

    project = _opened(folder)
    described = [(row["collection"], row["properties"]) for row in settings["collections"]]
    (folder / "output").write_bytes(file_of(project, settings["root"], described, ".qgz", project.id))


def _counted_land(project: Any) -> str:
    """The land that counts in the project's room. Without a study area, all of it."""
    is_inside = project.info().get("counted_land") == "inside" and len(project.study_area.boundaries())
    return "inside" if is_inside else "all"


def _opened(folder: Path) -> Any:
    from pygeodesign._functions import open as opened

    return opened(folder / "project.zip")


PROGRAMS: dict[str, Callable[[Path, dict[str, Any]], None]] = {
    "read_map": read_map,
    "weigh_maps": weigh_maps,
    "report": report,
    "workbook": workbook,
    "cost_page": cost_page,
    "qgis_project": qgis_project,
}


def main() -> None:
    program, folder = sys.argv[1], Path(sys.argv[2])
    limit_memory()
    said: dict[str, Any] = {}
    if program == "offered":
        said["offered"] = offered()
    else:
        settings = json.loads((folder / "settings.json").read_text()) or {}
        try:
            PROGRAMS[program](folder, settings)
        except GeodesignError as refused:
            # Errors in the input; other errors are for the service's log.
            said["refused"] = str(refused)
    (folder / "said.json").write_text(json.dumps(said))


if __name__ == "__main__":
    main()
