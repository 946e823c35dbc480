"""`CostReport.to_excel`: a workbook that another engine calculates to the figures of the cost report."""

from pathlib import Path
from typing import Any

import formulas
import openpyxl
import pytest

from builders import diagram, feature, line, square
from demo import demo_sandbox
from fake_service import FakeService
from pygeodesign import CostReport

LAND, ROAD = square(10, 45, 0.1), line([10, 45], [10.5, 45.5])


def report(rate: float | None = 100, title: str = "Rain garden", *, policy: bool = True) -> CostReport:
    """Land, a road and a policy of one system; two of them have their own rate or total."""
    system = {"id": 1, "name": "Water", "color": "#0000ff", "tag": "WAT", "cost": rate, "budget": 5000}
    diagrams = [
        diagram(7, feature(LAND, areatype="project"), description=title),
        diagram(8, feature(ROAD, areatype="project"), description="Road"),
        diagram(9, feature(LAND, areatype="policy"), description="Rule"),
    ]
    chosen = diagrams if policy else diagrams[:2]
    responses = {"systems/": [system], "systems/1/": system, "diagrams/all/": chosen}
    with FakeService(responses) as service:
        return service.project().costs()


def calculated(path: Path) -> dict[str, Any]:
    """Each cell of the sheet Systems, as an independent engine calculates it."""
    cells = formulas.ExcelModel().loads(str(path)).finish().calculate()
    shown = {name.rpartition("!")[2]: cell.value[0, 0] for name, cell in cells.items() if "SYSTEMS'!" in name}
    return {name: value for name, value in shown.items() if ":" not in name}


@pytest.fixture(scope="module")
def demo() -> CostReport:
    with demo_sandbox() as sandbox:
        return sandbox.client().project("StatenIsland2050").costs()


@pytest.mark.slow
def test_results_in_the_file_and_calculated_ones_are_those_of_the_report(demo: CostReport, tmp_path: Path) -> None:
    demo.to_excel(tmp_path / "costs.xlsx", title="Staten Island", currency="USD")
    stored = openpyxl.load_workbook(tmp_path / "costs.xlsx", data_only=True)
    again = calculated(tmp_path / "costs.xlsx")
    for place, system in enumerate(demo.systems, 2):
        assert stored["Systems"][f"E{place}"].value == pytest.approx(system["cost"])
        assert float(again[f"E{place}"]) == pytest.approx(system["cost"])
        assert float(again[f"G{place}"]) == pytest.approx(system["budget_left"])
    assert float(again[f"E{len(demo.systems) + 2}"]) == pytest.approx(demo.total)
    costs = {row["diagramid"]: row["cost"] for row in demo.diagrams}
    assert {row[0]: row[11] for row in stored["Diagrams"].iter_rows(min_row=2, values_only=True)} == costs


def test_another_rate_changes_the_total_as_in_a_report_with_that_rate(tmp_path: Path) -> None:
    report().to_excel(tmp_path / "costs.xlsx")
    workbook = openpyxl.load_workbook(tmp_path / "costs.xlsx")
    assert workbook["Rates"]["C2"].value == 100
    workbook["Rates"]["C2"] = 250
    workbook.save(tmp_path / "changed.xlsx")
    assert float(calculated(tmp_path / "changed.xlsx")["E3"]) == pytest.approx(report(250).total)


def test_what_nobody_knows_is_empty_and_a_small_rate_is_not_0(tmp_path: Path) -> None:
    report(None).to_excel(tmp_path / "costs.xlsx")
    stored = openpyxl.load_workbook(tmp_path / "costs.xlsx", data_only=True)["Systems"]
    # The policy costs 0; without it, nothing is known.
    assert stored["E2"].value == 0
    report(None, policy=False).to_excel(tmp_path / "unknown.xlsx")
    stored, again = (
        openpyxl.load_workbook(tmp_path / "unknown.xlsx", data_only=True)["Systems"],
        calculated(tmp_path / "unknown.xlsx"),
    )
    for cell in ("E2", "G2", "E3"):
        assert stored[cell].value in (None, "") and again[cell] == ""
    assert float(again["D2"]) > 0
    report(0.4).to_excel(tmp_path / "small.xlsx", currency="EUR")
    rate = openpyxl.load_workbook(tmp_path / "small.xlsx")["Diagrams"]["K2"]
    assert rate.number_format == '[>=1000]#,##0 "EUR";General "EUR"'


@pytest.mark.parametrize("title", ["=1+1", "+cmd|' /C calc'!A0", "@SUM(A1)", "https://example.org", "<script>"])
def test_titles_are_text_whatever_they_begin_with(title: str, tmp_path: Path) -> None:
    report(title=title).to_excel(tmp_path / "costs.xlsx", title=title)
    cell = openpyxl.load_workbook(tmp_path / "costs.xlsx")["Diagrams"]["B2"]
    assert (cell.value, cell.data_type, cell.hyperlink) == (title, "s", None)


def test_sheets_keep_their_heads_in_sight_and_print_on_a4(tmp_path: Path) -> None:
    report().to_excel(tmp_path / "costs.xlsx", currency="EUR")
    workbook = openpyxl.load_workbook(tmp_path / "costs.xlsx")
    assert workbook.sheetnames == ["Rates", "Diagrams", "Systems", "Notes"]
    for sheet in workbook:
        assert (sheet.freeze_panes, sheet.print_title_rows) == ("A2", "$1:$1")
        assert sheet.page_setup.paperSize == 9 and sheet.page_setup.fitToHeight == 0
    assert "EUR" in workbook["Systems"]["E2"].number_format


def test_a_report_without_diagrams_has_a_workbook_and_a_missing_folder_is_named(tmp_path: Path) -> None:
    with FakeService({"systems/": [], "diagrams/all/": []}) as service:
        empty = service.project().costs()
    empty.to_excel(tmp_path / "costs.xlsx")
    assert openpyxl.load_workbook(tmp_path / "costs.xlsx")["Systems"]["B2"].value == "Total"
    with pytest.raises(FileNotFoundError, match="nowhere"):
        empty.to_excel(tmp_path / "nowhere" / "costs.xlsx")
