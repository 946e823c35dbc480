"""Land inside the study area and on constraints, in the strip of costs and in the drawing form."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import shapely
from playwright.sync_api import Browser, Locator, expect
from shapely.geometry import box, mapping, shape

from overlays import curved, hectares
from pygeodesign import Sandbox
from room_pages import Room, eventually, facilitated, joined, link_of

# Across the shore, where the study area ends.
HARBOR = box(-74.09, 40.62, -74.05, 40.64)
QUAY = box(-74.085, 40.625, -74.055, 40.645)
LAKE = box(-74.15, 40.58, -74.14, 40.59)
HALF, ISLAND = box(-74.155, 40.5813, -74.145, 40.5887), box(-74.147, 40.583, -74.143, 40.587)
SWITCH = "Count only land inside the study area"
ON_LAKE = "on land where nothing can change"
BESIDE = """async ([features, areas]) => {
  const { beside } = await import(new URL("web/room/clipping.js", document.baseURI));
  return beside(features, areas).map((part) => part.geometry);
}"""


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    """The demo with a facilitator, fay, and a member, ana, who chose a diagram across the border of the study area."""
    with facilitated() as sandbox:
        project = sandbox.project()
        with pytest.warns(UserWarning, match="partly outside"):
            harbor = project.add_diagram("Water", HARBOR, title="Harbor park")
        for name in ("ana", "fay"):
            project.member(name).set_selection([harbor.id])
        yield sandbox


def feature(geometry: Any) -> dict[str, Any]:
    return {"type": "Feature", "properties": {}, "geometry": mapping(geometry)}


def costs(room: Room) -> float:
    """The total in the strip of costs."""
    return float(room.page.locator(".balance .figure[data-cost]").last.get_attribute("data-cost") or "nan")


def shows_in_strip(room: Room, total: float) -> bool:
    """Waits until the strip shows a total, to the cent; false if it does not."""
    return eventually(lambda: abs(costs(room) - total) < 0.005, room.page)


def change(room: Room, title: str) -> Locator:
    room.cell(title).get_by_role("button", name="About").click()
    room.page.locator("dialog").get_by_role("button", name="Change").click()
    form = room.page.locator("form.drawing")
    expect(form.get_by_label("Title", exact=True)).to_have_value(title)
    return form


@pytest.mark.slow
def test_the_facilitator_counts_only_land_inside_and_everybody_sees_the_same(
    browser: Browser, workshop: Sandbox
) -> None:
    project = workshop.project()
    inside, everything = (project.costs(land=land).total for land in ("inside", "all"))
    choice = project.costs(member="ana", land="inside")
    assert inside < everything
    with (
        joined(browser, link_of(workshop, "fay")) as fay,
        joined(browser, link_of(workshop, "ana")) as ana,
    ):
        for room in (fay, ana):
            assert room.shows_total(everything)
            room.open_balance()
        expect(ana.page.get_by_label(SWITCH)).to_have_count(0)
        fay.page.get_by_label(SWITCH).check()
        for room in (fay, ana):
            assert room.shows_total(inside, 15)
            assert shows_in_strip(room, choice.total)
            expect(room.page.locator(".balance > summary")).to_contain_text("My choice · inside the study area")
            expect(room.page.locator(".balance")).to_contain_text("outside the study area not counted")
            land = room.page.locator(".balance [data-hectares]").first.get_attribute("data-hectares")
            assert float(land or "nan") == pytest.approx(choice.diagrams[0]["area_ha"], rel=1e-9)
            room.page.get_by_role("tab", name="Costs").click()
            expect(room.page.locator(".costs h2")).to_have_text("Whole project · inside the study area")
            room.page.get_by_role("tab", name="Diagrams").click()
        expect(ana.cell("Harbor park")).to_contain_text("M")
        fay.page.get_by_label(SWITCH).uncheck()
        assert ana.shows_total(everything, 15)
        expect(ana.page.locator(".balance > summary")).not_to_contain_text("inside the study area")
        assert fay.faults() == ana.faults() == []


@pytest.mark.slow
def test_collisions_and_classes_are_those_of_the_comparison_inside(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    with pytest.warns(UserWarning, match="partly outside"):
        quay = project.add_diagram("Transport", QUAY, title="Quay")
    chosen = [row["id"] for row in project.diagrams(fields="summary") if row["worlddescription"] == "Harbor park"]
    chosen.append(quay.id)
    project.member("ana").set_selection(chosen)
    project.edit(counted_land="inside")
    whole, inside = (project.compare({"Choice": chosen}, land=land) for land in ("all", "inside"))
    (shared,) = inside.conflicts(by="diagrams", geometry=False)["area_ha"]
    assert 0 < shared < 0.9 * whole.conflicts(by="diagrams", geometry=False)["area_ha"][0]
    suitable = inside.suitability().reset_index().set_index("diagramid").loc[quay.id]
    with joined(browser, link_of(workshop, "ana")) as ana:
        ana.open_balance()
        ana.page.locator(".balance .collisions summary").click()
        pair = ana.page.locator(".balance [data-pair]")
        assert float(pair.get_attribute("data-hectares") or "nan") == pytest.approx(shared, rel=1e-9)
        row = ana.page.locator(".balance tbody tr").filter(has_text="Transport")
        classes = json.loads(row.locator("[data-classes]").get_attribute("data-classes") or "{}")
        classes["outside"] = classes.pop("", 0)
        for name, hectares_there in classes.items():
            assert hectares_there == pytest.approx(suitable[name], rel=1e-9, abs=1e-4 if name == "outside" else 1e-9)
        assert sum(classes.values()) == pytest.approx(suitable["land_ha"], rel=1e-3) and suitable["land_ha"] > 1
        assert ana.faults() == []


@pytest.mark.slow
def test_where_the_land_is_too_much_to_be_cut_all_of_it_counts_and_the_switch_says_so(browser: Browser) -> None:
    with facilitated(limits={"preview_vertices": 1_000}) as sandbox:
        project = sandbox.project()
        project.member("fay").set_selection([1001])
        total = project.costs().total
        project.edit(counted_land="inside")
        with joined(browser, link_of(sandbox, "fay")) as fay:
            assert fay.shows_total(total)
            fay.open_balance()
            expect(fay.page.locator(".balance")).to_contain_text("more corners than the service can cut")
            expect(fay.page.locator(".balance > summary")).not_to_contain_text("inside the study area")
            expect(fay.page.get_by_label(SWITCH)).to_be_checked()
            assert eventually(lambda: costs(fay) > 0, fay.page)
            fay.page.get_by_label(SWITCH).uncheck()
            expect(fay.page.locator(".balance")).not_to_contain_text("more corners")
            assert fay.shows_total(total)
            # The browser notes the refused request.
            assert all("400" in fault for fault in fay.faults())


@pytest.mark.slow
def test_without_a_study_area_the_switch_is_not_offered(browser: Browser, workshop: Sandbox) -> None:
    workshop.project().edit(counted_land="inside")
    workshop.project().study_area.set_boundaries([], "None")
    with joined(browser, link_of(workshop, "fay")) as fay:
        fay.open_balance()
        expect(fay.page.locator(".balance table")).to_be_visible()
        expect(fay.page.get_by_label(SWITCH)).to_have_count(0)
        assert fay.shows_total(workshop.project().costs().total)
        assert fay.faults() == []


@pytest.mark.slow
def test_the_form_says_what_lies_on_constraints_and_clips_it_if_you_accept(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    project.study_area.set_constraints({"type": "FeatureCollection", "features": [feature(LAKE)]}, "Lake")
    with pytest.warns(UserWarning, match="on constraints"):
        pond = project.add_diagram("Water", HALF, title="Reservoir")
    project.edit(drawings_on_constraints="refuse")
    with joined(browser, link_of(workshop, "admin")) as room:
        form = change(room, "Reservoir")
        expect(form.locator(".preview")).to_contain_text(f"34.8 ha (50%) {ON_LAKE}.")
        expect(form.get_by_role("alert")).to_contain_text("This project takes no drawings on constraints")
        clip = form.get_by_role("button", name="Clip drawing")
        clip.click()
        expect(form.get_by_text("The dashed outline is the drawing beside this land.")).to_be_visible()
        form.get_by_role("button", name="Keep drawing").click()
        expect(form.locator(".preview")).to_contain_text(ON_LAKE)
        clip.click()
        form.get_by_role("button", name="Take clipped drawing").click()
        expect(form.get_by_text("The drawing is clipped.")).to_be_visible()
        expect(form.locator(".preview")).not_to_contain_text(ON_LAKE)
        form.get_by_role("button", name="Undo").click()
        expect(form.locator(".preview")).to_contain_text(ON_LAKE)
        form.get_by_role("button", name="Redo").click()
        expect(form.locator(".preview")).not_to_contain_text(ON_LAKE)
        form.get_by_role("button", name="Send change").click()
        expect(form).to_have_count(0)
        expect(room.page.locator(".waiting h2")).to_have_count(0)
        # The browser notes each refused request.
        assert room.faults() == []
    (kept,) = project.diagram(pond.id).features().to_dict()["features"]
    assert hectares(curved(shape(kept["geometry"]))) == pytest.approx(hectares(curved(HALF - LAKE)), rel=1e-5)


@pytest.mark.slow
def test_clipped_drawings_lie_beside_the_land_and_keep_the_rest(browser: Browser, workshop: Sandbox) -> None:
    road = shapely.LineString([(-74.16, 40.585), (-74.13, 40.585)])
    with joined(browser, link_of(workshop, "admin")) as room:

        def clipped(*drawing: Any) -> list[Any]:
            return [shape(part) for part in room.page.evaluate(BESIDE, [[*map(feature, drawing)], [feature(LAKE)]])]

        (half,) = clipped(HALF)
        assert half.is_valid and half.symmetric_difference(HALF - LAKE).area < 1e-4 * half.area
        (ends,) = clipped(road)
        assert ends.geom_type == "MultiLineString" and ends.length == pytest.approx((road - LAKE).length, rel=1e-4)
        assert clipped(ISLAND) == []
        (holed,) = clipped(LAKE.buffer(0.01, join_style="mitre"))
        assert len(holed.interiors) == 1
        beside = box(-74.2, 40.58, -74.19, 40.59)
        assert clipped(beside, ISLAND) == [beside]
        assert room.faults() == []
