"""Storeys and homes in the room: prepared by a facilitator, drawn by a member, and counted as the package does."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from builders import collection, feature, square
from pygeodesign import Sandbox
from room_pages import SQUARE, Room, eventually, facilitated, joined, link_of
from team_designs import run_evening

SYSTEM = "Water"
HOMES: Any = {"amount": 0.0125, "per": "floor_m2", "target": 3_000_000}
PHONE, LAPTOP = (390, 844), (1366, 768)


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    """The demo project with a facilitator, fay, and ana, whose choice is empty. Water may have homes."""
    with facilitated() as sandbox:
        yield sandbox


def drawn(room: Room, title: str, above: int, below: int) -> None:
    """Draws an area with storeys."""
    room.open_drawing()
    room.click_corners(SQUARE)
    page = room.page
    page.get_by_label("Title", exact=True).fill(title)
    page.get_by_role("combobox", name="System").select_option(SYSTEM)
    page.get_by_text("Funding, dates, cost, storeys, tags").click()
    page.get_by_label("Storeys above the ground").fill(str(above))
    page.get_by_label("Storeys below the ground").fill(str(below))


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_a_facilitator_prepares_homes_by_their_labels(
    browser: Browser, workshop: Sandbox, size: tuple[int, int]
) -> None:
    with joined(browser, link_of(workshop, "fay"), *size) as fay:
        run_evening(fay, "Prepare")
        form = fay.page.locator("section.quantities form")
        form.get_by_label("System").select_option(label=SYSTEM)
        form.get_by_label("Quantity").fill("homes")
        form.get_by_label("Amount").fill("0.0125")
        form.get_by_label("For each").select_option(label="m² of floor")
        form.get_by_role("button", name="Add quantity").click()
        target = fay.page.get_by_label(f"Target: {SYSTEM} – homes")
        target.fill("300")
        target.press("Enter")
        expected = {SYSTEM: {"homes": {"amount": 0.0125, "per": "floor_m2", "target": 300}}}
        assert eventually(lambda: workshop.project().quantities() == expected, fay.page, 10)
        assert fay.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        fay.page.get_by_role("button", name=f"Remove {SYSTEM} – homes").click()
        assert eventually(lambda: workshop.project().quantities() == {}, fay.page, 10)
        assert fay.faults() == []


def test_what_is_drawn_has_its_storeys_and_shows_its_homes(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    project.set_quantities({SYSTEM: {"homes": HOMES}})
    with joined(browser, link_of(workshop, "ana"), *LAPTOP) as ana:
        drawn(ana, "Five towers", 5, 1)
        line = ana.page.locator(".drawing .amounts")
        expect(line).to_contain_text("homes")
        # The storeys were typed last.
        expect(line).not_to_contain_text("?")
        previewed = json.loads(line.get_attribute("data-amounts") or "{}")["homes"]
        ana.send()
        expect(ana.cell("Five towers")).to_be_visible()
        (blocks,) = [one for one in project.diagrams(fields="details") if one["description"] == "Five towers"]
        assert blocks["building_data"] == {"storeys_above_ground": 5, "storeys_below_ground": 1}
        (row,) = project.costs(diagrams=[blocks["id"]]).diagrams
        assert row["quantities"]["homes"] == pytest.approx(previewed, rel=1e-9)
        homes = row["quantities"]["homes"] or 0
        ana.box("Five towers").check()
        ana.open_balance()
        figure = ana.page.locator(".balance .quantities [data-amount]")
        expected = pytest.approx(homes, rel=1e-9)
        assert eventually(lambda: float(figure.get_attribute("data-amount") or 0) == expected, ana.page, 10)
        expect(ana.page.locator(".balance .quantities")).to_contain_text("homes")
        ana.cell("Five towers").get_by_role("button", name="About").click()
        card = ana.page.locator("dialog.card")
        expect(card).to_contain_text("5 above the ground, 1 below")
        expect(card).to_contain_text("m²")
        card.get_by_role("button", name="Change").click()
        ana.page.get_by_label("Storeys above the ground").fill("3")
        ana.page.get_by_role("button", name="Send change").click()
        changed = {"storeys_above_ground": 3, "storeys_below_ground": 1}
        tower = blocks["id"]
        assert eventually(lambda: dict(project.diagram(tower))["building_data"] == changed, ana.page, 10)
        assert ana.faults() == []


def test_storeys_of_a_file_are_those_of_its_diagrams(browser: Browser, workshop: Sandbox, tmp_path: Path) -> None:
    blocks = [square(-74.15 + 0.002 * place, 40.575, 0.001) for place in range(3)]
    storeys: list[Any] = [
        {"storeys_above_ground": 5},
        {"building_data": {"storeys_below_ground": -2}},
        {"height": "tall"},
    ]
    named = [{"title": f"Block {place}"} | own for place, own in enumerate(storeys)]
    file = tmp_path / "blocks.geojson"
    shapes = [feature(block, **properties) for block, properties in zip(blocks, named, strict=True)]
    file.write_text(json.dumps(collection(*shapes)))
    with joined(browser, link_of(workshop, "ana"), *LAPTOP) as ana:
        ana.open_drawing()
        ana.page.get_by_label("Open GeoJSON file").set_input_files(file)
        ana.page.get_by_role("button", name="Send 3 diagrams").click()
        expect(ana.cell("Block 2")).to_be_visible()
        assert eventually(lambda: ana.page.locator(".waiting h2").count() == 0, ana.page, 10)
        rows = {str(row["description"]): row["building_data"] for row in workshop.project().diagrams(fields="details")}
        assert [rows[f"Block {place}"] for place in range(3)] == [
            {"storeys_above_ground": 5},
            {"storeys_below_ground": 2},
            {},
        ]
        assert ana.faults() == []
