"""The record of a workshop in one folder: files to hand over and to keep."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pygeodesign import _progress
from pygeodesign._core import _missing_extra
from pygeodesign._functions import open as opened
from pygeodesign._html import page
from pygeodesign.errors import InputError, NotFoundError, PermissionDeniedError

try:
    import geopandas
    import pandas as pd
    import pyogrio
    import xlsxwriter  # noqa: F401  (of the workbook, which comes last: what is missing is said before anything is asked)

    from pygeodesign._csv import without_formulas
    from pygeodesign.planning import Comparison
except ImportError as _missing:
    raise _missing_extra(_missing) from _missing

if TYPE_CHECKING:
    from os import PathLike

    from pygeodesign._core import Project

# The files and their descriptions.
FILES = {
    "report.html": "The report of the designs: four pages to read or print, and their proof.",
    "project.zip": "The archive of the project, for pygeodesign.open(), another workshop, or a later comparison.",
    "project.gpkg": "Diagrams, designs and maps as layers, for QGIS, ArcGIS and GeoPandas.",
    "costs.xlsx": "The costs of all diagrams as a workbook with formulas.",
    "history.csv": "Who changed what and when (UTC).",
}
INDEX = "index.html"


def record(
    project: Project,
    folder: str | PathLike[str],
    designs: Any,
    land: Literal["all", "inside"],
    report: dict[str, Any],
    progress: bool | None,
) -> list[Path]:
    """Writes the files. The folder stays empty until all of them are complete. `report` has the options of its page."""
    place = Path(folder).absolute()
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise InputError(f"{place} exists and is not an empty folder: give a new or empty one")
    if not place.parent.is_dir():
        raise InputError(f"{place.parent} is not a folder, so no folder can be made in it")
    with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=place.parent) as made:
        begun = Path(made)
        # Everything shows one time: the archive's, which is read first.
        project.archive(begun / "project.zip", progress=progress)
        archived = opened(begun / "project.zip")
        compared = Comparison(archived, designs, land)
        notes = _write(project, archived, compared, begun, report, progress)
        heading = compared.title if report["title"] is None else report["title"]
        (begun / INDEX).write_text(_index(heading, notes, begun), encoding="utf-8")
        place.mkdir(exist_ok=True)
        written = [shutil.move(begun / name, place / name) for name in (INDEX, *FILES) if (begun / name).exists()]
    return [Path(path) for path in written]


def _write(
    project: Project,
    archived: Project,
    compared: Comparison,
    begun: Path,
    report: dict[str, Any],
    progress: bool | None,
) -> dict[str, str]:
    """Writes everything made from the archive, and the history. Returns notes about missing files."""
    notes: dict[str, str] = {}

    def history() -> None:
        try:
            frame = project.history().to_pandas()
        except (NotFoundError, PermissionDeniedError, InputError) as refused:
            notes["history.csv"] = f"The history cannot be read: {refused}"
            return
        without_formulas(frame).to_csv(begun / "history.csv", index=False, encoding="utf-8")

    steps: list[Callable[[], Any]] = [
        lambda: compared.to_html(begun / "report.html", progress=False, **report),
        lambda: _geopackage(compared, archived, begun / "project.gpkg"),
        lambda: compared.costs.to_excel(begun / "costs.xlsx", currency=report["currency"]),
        history,
    ]
    with _progress.counting("files of the record", len(steps), progress) as advance:
        for step in steps:
            step()
            advance(1)
    return notes


def _geopackage(compared: Comparison, archived: Project, path: Path) -> None:
    """A layer for the diagrams, in the colours of their systems, one for the designs, and one for each map."""
    # The layer has the name of the file.
    layer = path.with_name("diagrams.gpkg")
    archived.diagrams().to_file(layer)
    layer.rename(path)
    members = [compared.diagrams.loc[ids].reset_index().assign(design=label) for label, ids in compared.designs.items()]
    layers: dict[str, Any] = {"boundaries": compared.boundaries, "constraints": compared.constraints}
    if members:
        layers["designs"] = geopandas.GeoDataFrame(pd.concat(members, ignore_index=True), crs=4326)
    for sysid, evaluation in compared.evaluations.items():
        layers[f"evaluation of {compared.systems['name'][sysid]}"] = evaluation
    for name, frame in layers.items():
        if len(frame):
            pyogrio.write_dataframe(frame, path, layer=name, driver="GPKG")


def _index(heading: str, notes: dict[str, str], begun: Path) -> str:
    """A page that describes the files in the folder."""
    rows = ""
    for name, meaning in FILES.items():
        if name in notes:
            rows += f"<dt>{name}</dt><dd>Not written. {escape(notes[name])}</dd>"
            continue
        size = (begun / name).stat().st_size
        rows += f'<dt><a href="{name}">{name}</a>, {max(1, round(size / 1000)):,} kB</dt><dd>{escape(meaning)}</dd>'
    return page(heading, f'<main class="document"><h1>{escape(heading)}</h1><dl>{rows}</dl></main>')
