"""A small plan, drawn in the room by its labels: 300 homes in blocks of 5 storeys, 40 trees, and a flood plain.

On paper: a block of 80 m x 60 m with 5 storeys has 24,000 m² of floor; at 0.0125 homes for each that is 300 homes. A
fourth of the block lies on the flood plain; without it, 225 homes are left.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import geopandas
import pytest
from playwright.sync_api import Browser, expect
from shapely.geometry import box

import pygeodesign
from pygeodesign import Project, Sandbox
from room_pages import Room, facilitated, joined, link_of
from team_designs import run_evening

WEST, SOUTH = -74.15, 40.575
# A metre in degrees.
EAST_METRE, NORTH_METRE = 1 / 84_640, 1 / 111_040
BLOCK, TREES = "Five storeys", "Forty trees"


def at(east: float, north: float) -> tuple[float, float]:
    """A place, in metres from a corner of the plan."""
    return WEST + east * EAST_METRE, SOUTH + north * NORTH_METRE


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    """The demo with a facilitator, fay, and a member, ana. The plain covers 20 m of the block."""
    with facilitated() as sandbox:
        project = sandbox.project()
        project.add_system("Trees", "#3B8F4E", tag="TRE", cost=1_200)
        project.study_area.set_constraints(box(*at(-500, -500), *at(20, 500)), "Flood plain")
        yield sandbox


def near(room: Room) -> None:
    """Shows the plan so large that a pixel is a fourth of a metre."""
    room.page.evaluate("([lon, lat]) => geodesignRoom.leaflet.setView([lat, lon], 19, {animate: false})", at(60, 40))
    room.page.wait_for_timeout(600)


def corners(room: Room, *places: tuple[float, float]) -> list[tuple[float, float]]:
    return [room.share_of(*at(*place)) for place in places]


def amount(project: Project, diagrams: list[int], quantity: str) -> Any:
    return project.compare({"Plan": diagrams}).people().set_index("quantity").loc[quantity, "amount"]


def test_a_plan_is_told_right_in_the_room_the_report_gis_and_the_archive(
    browser: Browser, workshop: Sandbox, tmp_path: Path
) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "fay")) as fay:
        run_evening(fay, "Prepare")
        form = fay.page.locator("section.quantities form")
        for system, name, each, unit in (
            ("Mixed use", "homes", "0.0125", "m² of floor"),
            ("Trees", "trees", "1", "point"),
        ):
            form.get_by_label("System").select_option(label=system)
            form.get_by_label("Quantity").fill(name)
            form.get_by_label("Amount").fill(each)
            form.get_by_label("For each").select_option(label=unit)
            form.get_by_role("button", name="Add quantity").click()
            expect(fay.page.get_by_label(f"Target: {system} – {name}")).to_be_visible()
        target = fay.page.get_by_label("Target: Mixed use – homes")
        target.fill("220")
        target.press("Enter")
        expect(fay.page.locator(".notice")).to_contain_text("Mixed use – homes is saved")
        assert fay.faults() == []
    with joined(browser, link_of(workshop, "ana")) as ana:
        page = ana.page
        near(ana)
        ana.open_drawing()
        ana.click_corners(corners(ana, (0, 0), (80, 0), (80, 60), (0, 60)))
        form = page.locator("form.drawing")
        form.get_by_label("System").select_option(label="Mixed use")
        form.get_by_text("Funding, dates, cost, storeys, tags").click()
        form.get_by_label("Storeys above the ground").fill("5")
        expect(form.locator(".amounts")).to_have_text(re.compile(r"homes (29\d|30\d)"))
        expect(form.locator(".preview")).to_contain_text("(25%) on land where nothing can change.")
        form.get_by_role("button", name="Clip drawing").click()
        form.get_by_role("button", name="Take clipped drawing").click()
        expect(form.locator(".amounts")).to_have_text(re.compile(r"homes 22\d"))
        form.get_by_label("Title", exact=True).fill(BLOCK)
        ana.send()
        expect(form).to_have_count(0)
        near(ana)
        ana.open_drawing()
        form.get_by_role("button", name="Points").click()
        form.get_by_label("System").select_option(label="Trees", force=True)
        for row in range(4):
            for place in corners(ana, *((90 + 8 * column, 10 + 12 * row) for column in range(10))):
                page.mouse.click(*ana.place(place))
                page.wait_for_timeout(80)
        expect(form.locator(".amounts")).to_have_text("trees 40")
        form.get_by_label("Title", exact=True).fill(TREES)
        ana.send()
        expect(form).to_have_count(0)
        for title in (BLOCK, TREES):
            ana.box(title).check()
        ana.open_balance()
        figures = page.locator(".balance .quantities")
        expect(figures.get_by_role("row", name=re.compile("trees"))).to_contain_text("40")
        expect(figures.get_by_role("row", name=re.compile("homes"))).to_contain_text("✓ meets the target of 220")
        assert ana.faults() == []
    rows = {row["description"]: row for row in project.costs().diagrams}
    block, trees = rows[BLOCK], rows[TREES]
    ids = [block["diagramid"], trees["diagramid"]]
    homes = 0.0125 * 5 * (block["area_ha"] or 0) * 10_000
    assert homes == pytest.approx(225, rel=0.02) and trees["cost"] == 48_000
    assert (amount(project, ids, "homes"), amount(project, ids, "trees")) == (pytest.approx(homes, rel=1e-9), 40)
    comparison = project.compare({"Plan": ids})
    assert comparison.on_constraints()["share"].iloc[0] < 1e-6
    report = str(comparison.to_html())
    assert f"{homes:,.0f}" in report and "Homes, people, jobs" in report
    project.diagrams().to_file(tmp_path / "plan.gpkg")
    names = geopandas.list_layers(tmp_path / "plan.gpkg")["name"]
    layers = [geopandas.read_file(tmp_path / "plan.gpkg", layer=name) for name in names]
    found = {row["description"]: row for frame in layers if "description" in frame for _, row in frame.iterrows()}
    assert len(found[TREES].geometry.geoms) == 40 and "storeys_above_ground" in found[BLOCK]["building_data"]
    project.archive(tmp_path / "plan.zip", progress=False)
    assert amount(pygeodesign.open(tmp_path / "plan.zip"), ids, "homes") == pytest.approx(homes, rel=1e-9)
