"""Impacts in the room: a matrix for the facilitator, good land of others while you draw, and sums for a choice."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from builders import collection, feature, square
from pygeodesign import Sandbox
from room_pages import SQUARE, Room, eventually, facilitated, joined, link_of
from team_designs import run_evening

ISLAND = square(-74.3, 40.4, 0.3)
PHONE, LAPTOP = (390, 844), (1366, 768)


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    """The demo project with a facilitator, and ana, whose choice is empty. All land is good for Energy."""
    with facilitated() as sandbox:
        project = sandbox.project()
        for system, areatype in {"Energy": "green2", "Industry & commerce": "yellow"}.items():
            project.system(system).set_evaluation(collection(feature(ISLAND, areatype=areatype)))
        yield sandbox


def sums(room: Room) -> dict[str, float]:
    """The sums of impacts that the strip shows, by system."""
    rows = room.page.locator(".impact-sums tbody tr").all()
    return {
        row.locator("th").inner_text(): float(row.locator("[data-impact]").get_attribute("data-impact") or "nan")
        for row in rows
    }


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_a_facilitator_fills_the_matrix_by_its_labels(
    browser: Browser, workshop: Sandbox, size: tuple[int, int]
) -> None:
    with joined(browser, link_of(workshop, "fay"), *size) as fay:
        run_evening(fay, "Prepare")
        fay.page.get_by_label("Impact of Water on Energy").select_option(label="−2 much worse")
        expect(fay.page.locator(".notice")).to_contain_text("Water → Energy is saved")
        fay.page.get_by_label("Impact of Energy on Water", exact=True).select_option(label="+1 better")
        expect(fay.page.locator(".notice")).to_contain_text("Energy → Water is saved")
        assert workshop.project().impacts() == {"Water": {"Energy": -2}, "Energy": {"Water": 1}}
        fay.page.get_by_label("Impact of Water on Energy").select_option(label="none")
        assert eventually(lambda: workshop.project().impacts() == {"Energy": {"Water": 1}}, fay.page)
        assert fay.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert fay.faults() == []


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_a_drawing_names_the_systems_on_whose_good_land_it_lies(
    browser: Browser, workshop: Sandbox, size: tuple[int, int]
) -> None:
    workshop.project().set_impacts({"Water": {"Energy": -2, "Industry & commerce": -1}})
    with joined(browser, link_of(workshop, "ana"), *size, has_touch=size == PHONE) as ana:
        ana.open_drawing()
        ana.tap_corners(SQUARE) if size == PHONE else ana.click_corners(SQUARE)
        row = ana.page.locator(".good-land li", has_text="Energy")
        expect(row).to_contain_text("−2 much worse")
        expect(row).to_contain_text("ha")
        expect(ana.page.locator(".good-land li", has_text="Industry")).to_have_count(0)
        assert ana.faults() == []


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_the_sums_of_a_choice_are_those_of_impact(browser: Browser, workshop: Sandbox, size: tuple[int, int]) -> None:
    project = workshop.project()
    project.set_impacts({"Water": {"Energy": -2, "Mixed use": 1}, "Green infrastructure": {"Water": 2, "Energy": 1}})
    by_system = project.compare().diagrams.query("kind == 'project'").groupby("system").head(3)
    diagrams = by_system[by_system["system"].isin(["Water", "Green infrastructure"])].index.tolist()
    project.member("ana").set_selection(diagrams)
    found = project.compare({"A": diagrams}).impact().groupby("system_b")["impact"].sum()
    expected: dict[Any, Any] = {name: pytest.approx(amount) for name, amount in found.items()}
    with joined(browser, link_of(workshop, "ana"), *size) as ana:
        if size == PHONE:
            ana.page.locator("#tab-diagrams").click()
        ana.open_balance()
        expect(ana.page.locator(".impact-sums [data-impact]").first).to_be_visible()
        assert sums(ana) == expected
        expect(ana.page.locator(".balance")).to_contain_text("Impact on other systems")
        assert ana.faults() == []


def test_without_a_matrix_nothing_is_said_about_impacts(browser: Browser, workshop: Sandbox) -> None:
    with joined(browser, link_of(workshop, "ana")) as ana:
        ana.open_balance()
        expect(ana.page.locator(".balance .figure").first).to_be_visible()
        expect(ana.page.locator(".impact-sums")).to_have_count(0)
