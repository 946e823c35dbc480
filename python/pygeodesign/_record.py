"""The record of a workshop in one folder: files to hand over and to keep."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pygeodesign import _progress
from pygeodesign._core import Client, _missing_extra
from pygeodesign._functions import open as opened
from pygeodesign._language import language_of, speaking, t
from pygeodesign._options import currency_of
from pygeodesign.errors import InputError, NotFoundError, PermissionDeniedError

try:
    import geopandas
    import pandas as pd
    import pyogrio
    import xlsxwriter  # noqa: F401  (of the workbook, which comes last: what is missing is said before anything is asked)

    from pygeodesign._csv import without_formulas
    from pygeodesign._paper.shown import Figures
    from pygeodesign._planning.arguments import team_title
    from pygeodesign._planning.decisions import or_nothing, time_of
    from pygeodesign._report.record_page import File, TeamFacts, Workshop, record_page, shown_design
    from pygeodesign._text import units_named
    from pygeodesign.planning import Comparison
except ImportError as _missing:
    raise _missing_extra(_missing) from _missing

if TYPE_CHECKING:
    from os import PathLike

    from pygeodesign._core import Project

# The files, and the texts about them.
FILES = {
    "report.html": "file_report",
    "project.zip": "file_archive",
    "project.gpkg": "file_layers",
    "costs.xlsx": "file_costs",
    "history.csv": "file_history",
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
    place = Path(folder).expanduser().absolute()
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
        (begun / INDEX).write_text(_index(project, compared, report, notes, begun), encoding="utf-8")
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
            notes["history.csv"] = str(refused)
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


def _index(project: Project, compared: Comparison, report: dict[str, Any], notes: dict[str, str], begun: Path) -> str:
    """The first page, with the files of the folder; `notes` has the reason for each that was not written."""
    scope = shown_design(compared)
    with speaking(language_of(report["language"], compared.language)):
        figures = Figures(
            units_named(report["units"]),
            currency_of(report["currency"], compared.currency),
            scope,
            (scope,),
            compared.land == "inside",
        )
        files = [
            File(name, t("history_unread", reason=notes[name]), None)
            if name in notes
            else File(name, t(meaning), (begun / name).stat().st_size)
            for name, meaning in FILES.items()
        ]
        heading = compared.title if report["title"] is None else report["title"]
        workshop = _workshop(compared, report["author"] or _caller(project))
        return record_page(compared, figures, workshop, heading, files)


def _caller(project: Project) -> str:
    """The user whose client reads the project; empty for an archive, a guest, or a service without names."""
    if (arguments := project._client_arguments()) is None:
        return ""
    given, settings = arguments
    with Client(*given, **settings) as client:
        return or_nothing(client.username) or ""


def _workshop(compared: Comparison, author: str) -> Workshop:
    """The people and days of the archived project."""
    archived = compared.project
    teams = archived.teams()
    saved = {team["id"]: archived.designs(team["id"]) for team in teams}
    times = [diagram["created_at"] for diagram in archived.diagrams(fields="summary")]
    times += [design["creationdate"] for own in saved.values() for design in own]
    known = [*map(time_of, times), *(session.ended for session in compared._sessions or [])]
    days = sorted(time for time in known if time)
    members = or_nothing(archived.members)
    return Workshop(
        str(archived.info().get("projectdesc") or ""),
        author,
        [
            TeamFacts(
                team_title(teams, team["id"]),
                team.color,
                or_nothing(team.members) or [],
                len(saved[team["id"]]),
            )
            for team in teams
        ],
        None if members is None else len(members),
        sum(map(len, saved.values())),
        (days[0], days[-1]) if days else None,
    )
