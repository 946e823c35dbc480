"""Programs beside the service that write pages: they count the land that the room counts."""

import shutil
from pathlib import Path

import pytest
import shapely

from pygeodesign import _processes
from small_project import WATER, Workshop

STUDY_AREA, POND = shapely.box(-9.2, 38.7, -9.15, 38.75), shapely.box(-9.16, 38.71, -9.14, 38.72)


@pytest.fixture
def archived(workshop: Workshop, tmp_path: Path) -> Path:
    """A folder with the archive of a project whose only diagram is half outside the study area."""
    workshop.project.add_diagram(WATER, POND, title="Pond")
    workshop.project.study_area.set_boundaries(STUDY_AREA, "West")
    workshop.project.edit(counted_land="inside")
    return archive(workshop, tmp_path)


def archive(workshop: Workshop, folder: Path) -> Path:
    workshop.project.archive(folder / "project.zip", progress=False)
    return folder


@pytest.mark.parametrize("program", ["cost_page", "report"])
def test_pages_count_the_land_of_the_project_s_setting(program: str, archived: Path, workshop: Workshop) -> None:
    write, title = _processes.PROGRAMS[program], "inside the study area"
    write(archived, {})
    assert title in (archived / "output").read_text(encoding="utf-8")
    workshop.project.edit(counted_land="all")
    write(archive(workshop, archived), {})
    assert title not in (archived / "output").read_text(encoding="utf-8")


def test_the_workbook_counts_the_same(archived: Path, workshop: Workshop) -> None:
    import openpyxl

    _processes.workbook(archived, {})
    shutil.copy(archived / "output", archived / "costs.xlsx")
    book = openpyxl.load_workbook(archived / "costs.xlsx")
    areas = [cell.value for sheet in book for row in sheet.iter_rows() for cell in row if isinstance(cell.value, float)]
    (row,) = workshop.project.costs(land="inside").diagrams
    assert pytest.approx(row["area_ha"], rel=1e-9) in areas


def test_without_a_study_area_all_land_counts(archived: Path, workshop: Workshop) -> None:
    workshop.project.study_area.set_boundaries([], "None")
    _processes.cost_page(archive(workshop, archived), {})
    assert "inside the study area" not in (archived / "output").read_text(encoding="utf-8")
